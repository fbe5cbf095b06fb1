"""Reason codes, status codes and BSS Load in `frames` against tshark's fields, frame by frame."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pcaps
import polars as pl
import pytest
from folders import SAMPLES

import winf_analyzer
from winf_analyzer import _core

FIELDS = {
    "frame_no": "frame.number",
    "subtype": "wlan.fc.type_subtype",
    "reason_code": "wlan.fixed.reason_code",
    "status_code": "wlan.fixed.status_code",
    "version": "wlan.qbss.version",
    "bss_load_stations": "wlan.qbss.scount",
    "utilization": "wlan.qbss.cu",
    "admission": "wlan.qbss.adc",
}
REASON_KINDS, STATUS_KINDS = {10, 12}, {1, 3, 11}
"""Subtypes of frames with a reason code, and with a status code; Wireshark shows both in action frames, too."""
COLUMNS = ("reason_code", "status_code", "bss_load_stations", "bss_load_utilization", "bss_load_admission_us")
SHARED = Path(os.environ.get("WINF_SHARED_CAPTURES", SAMPLES.parent.parent / "shared" / "captures"))
CAPTURES = (
    "rmallensb__802.11_Distribution/wireless_test.pcap",
    "npapoutsakis__wifi-doctor/60_80.pcap",
    "npapoutsakis__wifi-doctor/home_3.pcap",
    "rmallensb__802.11_Distribution/phelpsEdu_00016_20180308160930_K",
)


@pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark is not installed")
@pytest.mark.parametrize("name", CAPTURES)
def test_codes_and_load_are_those_of_tshark(name, tmp_path):
    capture = next(iter(sorted(SHARED.glob(f"{name}*"))), None)
    if capture is None:
        pytest.skip("the recordings of third parties are not here")
    frames = pl.DataFrame(_core.frames(capture, capture.name)).filter(pl.col("parse_error").is_null())
    shown = tshark(capture, tmp_path)
    found = {row["frame_no"]: {name: row[name] for name in COLUMNS} for row in frames.iter_rows(named=True)}
    assert found == {number: expected(shown[number]) for number in found}
    assert any(row["reason_code"] is not None or row["bss_load_stations"] is not None for row in found.values())


@pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark is not installed")
@pytest.mark.parametrize("name", CAPTURES[:3])
def test_both_decoders_find_the_same(name):
    capture = next(iter(sorted(SHARED.glob(f"{name}*"))), None)
    if capture is None:
        pytest.skip("the recordings of third parties are not here")
    native, second = (
        pl.DataFrame(_core.frames(capture, capture.name, decoder=decoder)).select("frame_no", *COLUMNS)
        for decoder in ("native", "tshark")
    )
    assert native.equals(second)


def tshark(capture: Path, settings: Path) -> dict[int, dict[str, int | None]]:
    """First values of the fields by frame number."""
    command = ["tshark", "-n", "-r", str(capture.resolve()), "-T", "fields", "-E", "occurrence=f"]
    for field in FIELDS.values():
        command += ["-e", field]
    environment = {**os.environ, "WIRESHARK_CONFIG_DIR": str(settings), "LC_ALL": "C"}
    printed = subprocess.run(command, capture_output=True, env=environment, check=False).stdout.decode()
    rows = [line.split("\t") for line in printed.splitlines()]
    values = (dict(zip(FIELDS, (int(cell, 0) if cell else None for cell in row), strict=True)) for row in rows)
    return {row["frame_no"]: row for row in values}


def expected(shown: dict[str, int | None]) -> dict[str, float | None]:
    """What tshark shows, in the units of the table; an element of another length is of a draft."""
    load = shown if shown["version"] == 2 else dict.fromkeys(FIELDS)
    utilization, admission = load["utilization"], load["admission"]
    return {
        "reason_code": shown["reason_code"] if shown["subtype"] in REASON_KINDS else None,
        "status_code": shown["status_code"] if shown["subtype"] in STATUS_KINDS else None,
        "bss_load_stations": load["bss_load_stations"],
        "bss_load_utilization": None if utilization is None else utilization / 255,
        "bss_load_admission_us": None if admission is None else 32 * admission,
    }


def test_info_says_what_networks_announce_and_why_stations_leave(tmp_path):
    ap, station = "02:00:00:00:00:0a", "02:00:00:00:00:0b"
    elements = b"\0\3net" + b"\x07\x06DE \x01\x0d\x14" + b"\x0b\x05\x07\0\x33\x12\x7a"
    beacon = header(0x80, "ff:ff:ff:ff:ff:ff", ap, ap) + bytes(10) + b"\x01\x04" + elements
    deauthentication = header(0xC0, station, ap, ap) + b"\x07\0"
    refusal = header(0x10, station, ap, ap) + b"\x01\x04\x11\0\x01\xc0"
    records = [(1_000_000 * number, frame) for number, frame in enumerate((beacon, beacon, deauthentication, refusal))]
    (tmp_path / "a.pcap").write_bytes(pcaps.pcap(records, link_type=pcaps.IEEE802_11))
    (entry,) = winf_analyzer.info([tmp_path / "a.pcap"])
    (network,) = entry["networks"]
    assert (network["ssid"], network["country"], network["beacons"]) == ("net", "DE", 2)
    assert network["bss_load"]["stations"] == {"min": 7, "median": 7, "max": 7}
    assert network["bss_load"]["utilization"]["median"] == pytest.approx(0.2)
    assert entry["counts"]["reason_codes"] == {"7": 1}
    assert entry["counts"]["status_codes"] == {"17": 1}
    lines = dict(winf_analyzer._ingest.description.describe(entry))
    assert lines["network"] == f"'net'  {ap}  channel not known  DE  2 beacons  busy 20 %, 7 stations"
    assert lines["reason code"] == "7 (class 3 frame from a station that is not associated): 1 frame"
    assert lines["status code"] == "17 (the access point cannot handle more stations): 1 frame"
    dataset = winf_analyzer.ingest([tmp_path / "a.pcap"], tmp_path / "a.winf")
    (row,) = winf_analyzer.sql(dataset, (SAMPLES.parent / "queries" / "networks.sql").read_text()).to_dicts()
    assert (row["country"], row["stations"], row["utilization"], row["beacons"]) == ("DE", 7, 0.2, 2)


def header(kind: int, ra: str, ta: str, bssid: str) -> bytes:
    return bytes([kind, 0, 0, 0]) + b"".join(map(pcaps.address, (ra, ta, bssid))) + bytes(2)
