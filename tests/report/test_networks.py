"""The first screen counts networks by the BSSIDs that were announced, and no address of a group is one."""

from __future__ import annotations

from contextlib import closing

import pytest
from air import ALL, Air, mac

import winf_analyzer
from winf_analyzer._report.contents import PanelData
from winf_analyzer._report.head import head
from winf_analyzer._sql.query import connect

IBSS, AP = "02:11:22:33:44:55", "00:0c:41:00:00:01"
STATIONS = [f"00:16:6f:00:00:0{number}" for number in (1, 2, 3)]
BODY = bytes(10)


def _first_screen(folder, *, with_ap: bool):
    air = Air()
    for number in range(60):
        air.wait(2000)
        if number < 40:  # the third station sends no beacon
            adhoc = BODY + b"\x22\0" + b"\0\x05adhoc\x01\x04\x82\x84\x8b\x96"
            air.send(mac(0x80, ALL, STATIONS[number % 2], IBSS, adhoc, seq=number), 1)
        sender, receiver = STATIONS[number % 3], STATIONS[(number + 1) % 3]
        air.wait(500)
        air.send(mac(0x08, receiver, sender, IBSS, bytes(500), seq=number, nav_us=314), 11)
        if with_ap:
            infra = BODY + b"\x01\x04" + b"\0\x05infra\x01\x04\x82\x84\x8b\x96"
            air.wait(500)
            air.send(mac(0x80, ALL, AP, AP, infra, seq=number), 1)
        air.wait(500)
        air.send(mac(0x40, ALL, STATIONS[0], ALL, b"\0\0\x01\x04\x82\x84\x8b\x96", seq=100 + number), 1)
    (folder / "recording.pcap").write_bytes(air.capture())
    dataset = winf_analyzer.ingest([folder / "recording.pcap"], folder / "run.winf")
    with closing(connect(dataset)) as connection:
        return head(dataset, PanelData(connection, list(dataset.tables)))


@pytest.mark.parametrize(
    ("with_ap", "networks", "said"),
    [
        (False, "1 BSSID: adhoc", f"One BSS was heard, adhoc ({IBSS}), with "),
        (True, "2 BSSIDs: adhoc, infra", "2 BSSs shared it: "),
    ],
)
def test_an_ibss_is_one_network_and_everybody_none(with_ap, networks, said, tmp_path):
    screen = _first_screen(tmp_path, with_ap=with_ap)
    assert dict(screen.facts)["Networks"] == networks
    assert screen.sentences[1].startswith(said)
