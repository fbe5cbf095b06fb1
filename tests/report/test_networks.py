"""The first screen counts networks by the BSSIDs that were announced, and no address of a group is one."""

from __future__ import annotations

import struct
from contextlib import closing

import pcaps
import polars as pl
import pytest
from air import ALL, Air, address, mac

import winf_analyzer
from winf_analyzer._ingest.networks import network_text
from winf_analyzer._report.charts.switched_bars import switched_bars
from winf_analyzer._report.charts.tables import table
from winf_analyzer._report.contents import PanelData
from winf_analyzer._report.figure import ReportContext
from winf_analyzer._report.head import head
from winf_analyzer._report.panels import layout
from winf_analyzer._sql.named_queries import named_query
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
        if number % 10 == 0:  # a client ends its TXOP, and names itself where the BSSID would be
            air.wait(500)
            air.send(struct.pack("<BBH", 0xE4, 0, 0) + address(ALL) + address(sender), 1)
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


@pytest.mark.parametrize("name", ["", "\0" * 32])
def test_a_name_that_is_hidden_is_so_everywhere(name, tmp_path):
    """An empty name, or zeros in its place (IEEE 802.11-2020, 9.4.2.2, and what access points do)."""
    records = [
        (number * 10**8, pcaps.radiotap(pcaps.beacon(IBSS, name.encode()), tsft_us=number * 100_000))
        for number in range(9)
    ]
    (tmp_path / "a.pcap").write_bytes(pcaps.pcap(records))
    dataset = winf_analyzer.ingest([tmp_path / "a.pcap"], tmp_path / "run.winf")
    (entry,) = winf_analyzer.info([tmp_path / "a.pcap"])
    assert network_text(entry["networks"][0]).startswith("hidden or not heard  ")
    with closing(connect(dataset)) as connection:
        screen = head(dataset, PanelData(connection, list(dataset.tables)))
    assert f"One BSS was heard, {IBSS}, with 100\u00a0% of the airtime." in screen.sentences
    rows = winf_analyzer.sql(dataset, named_query("airtime"))
    others = rows.with_columns(ssid=pl.lit("net"), bssid=pl.lit(AP))
    drawing = switched_bars(None, pl.concat([rows.cast({"ssid": pl.String}), others]), ReportContext(1.0))
    order = drawing.figures[drawing.variants["network name|time"]]["layout"]["order"]
    assert sorted(order) == ["net", "no name known"]


@pytest.mark.parametrize(("stations", "said"), [(0.0, "0 stations"), (1.0, "1 station"), (2.0, "2 stations")])
def test_one_station_is_not_several(stations, said):
    load = {"utilization": dict.fromkeys(("min", "median", "max"), 0.1), "stations": {"median": stations}}
    network = {"ssid": "n", "bssid": AP, "channel_mhz": 2412, "country": None, "beacons": 1, "bss_load": load}
    assert network_text(network).endswith(f"  1 beacon  busy 10 %, {said}")


@pytest.mark.parametrize("recordings", [1, 2])
def test_of_several_recordings_the_table_of_networks_says_which_a_row_is_of(recordings, tmp_path):
    frame = pcaps.pcap([(0, pcaps.radiotap(pcaps.beacon(AP, b"net"), tsft_us=0))])
    paths = [tmp_path / f"{number}.pcap" for number in range(recordings)]
    for path in paths:
        path.write_bytes(frame)
    dataset = winf_analyzer.ingest(paths, tmp_path / "run.winf")
    with closing(connect(dataset)) as connection:
        panels = [panel for panel in layout().panels if panel.name == "networks"]
        (content,) = PanelData(connection, list(dataset.tables)).contents(panels)
    table = content.drawing.table
    titles = [column.title for column in table.columns]
    assert ("Recording" in titles) == (recordings > 1)
    if recordings > 1:
        assert [row[titles.index("Recording")].text for row in table.rows] == ["0.pcap", "1.pcap"]


def test_the_channel_of_a_network_is_where_it_was_heard():
    """At 2.4 GHz a recorder on channel 5 hears networks of channel 6 and 8: the channel is the recorder's."""
    network = {"ssid": "x", "bssid": "02:00:00:00:00:01", "country": None, "beacons": 2, "bss_load": None}
    assert "  heard on channel 5 (2432 MHz)  2 beacons" in network_text(network | {"channel_mhz": 2432})
    assert "  channel not known  2 beacons" in network_text(network | {"channel_mhz": None})


@pytest.mark.parametrize(
    ("primary", "width", "second", "text"),
    [
        (2437, 20, None, "on channel 6 (2437 MHz), 20 MHz wide"),
        (5180, 160, 5775, "on channel 36 (5180 MHz), 80+80 MHz wide"),
        (5180, None, None, "on channel 36 (5180 MHz)  2 beacons"),
    ],
)
def test_a_network_is_on_the_channel_that_it_tells(primary, width, second, text):
    network = {"ssid": "x", "bssid": "02:00:00:00:00:01", "country": None, "beacons": 2, "bss_load": None}
    network |= {"bss_primary_mhz": primary, "bss_width_mhz": width, "bss_second_centre_mhz": second}
    assert f"  {text}" in network_text(network | {"channel_mhz": 2432})
    assert "heard on" not in network_text(network | {"channel_mhz": 2432})


def test_frequencies_have_no_separator_of_thousands():
    panel = next(panel for panel in layout().panels if panel.name == "networks")
    mhz = {"bss_primary_mhz": 5180, "bss_centre_mhz": 5210, "channel_mhz": 5200}
    empty = {quantity.to or quantity.column: None for quantity in panel.columns}
    rows = pl.DataFrame([{quantity.column: None for quantity in panel.columns} | empty | {"source": "r"} | mhz])
    shown = table(panel, rows, ReportContext(1.0)).table
    cells = {column.column: cell.text for column, cell in zip(shown.columns, shown.rows[0], strict=True)}
    assert {name: cells[name] for name in mhz} == {name: str(value) for name, value in mhz.items()}
