"""The channels that beacons announce: against tshark's fields, frame by frame, and in what is told of networks."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pcaps
import polars as pl
import pytest
from air import beacon, operating
from folders import SAMPLES

import winf_analyzer
from winf_analyzer import _core
from winf_analyzer._sql.named_queries import named_query
from winf_analyzer._sql.query import sql

FIELDS = (
    "frame.number",
    "wlan.ds.current_channel",
    "wlan.ht.info.primarychannel",
    "wlan.ht.info.secchanoffset",
    "wlan.ht.info.chanwidth",
    "wlan.vht.op.channelwidth",
    "wlan.vht.op.channelcenter0",
    "wlan.vht.op.channelcenter1",
    "_ws.malformed",
)
COLUMNS = ("bss_primary_mhz", "bss_width_mhz", "bss_centre_mhz", "bss_second_centre_mhz")
SHARED = Path(os.environ.get("WINF_SHARED_CAPTURES", SAMPLES.parent.parent / "shared" / "captures"))
CAPTURES = (
    "rmallensb__802.11_Distribution/phelpsEdu_00016_20180308160930_K",
    "npapoutsakis__wifi-doctor/home_3.pcap",
    "drivers/56_80.pcap",
    "ehn1225__airodump/sample2.pcap",
)
AP = "02:00:00:00:01:00"


def _announcing(capture: Path, decoder: str = "native") -> pl.DataFrame:
    frames = pl.DataFrame(_core.frames(capture, capture.name, decoder=decoder))
    return frames.filter(pl.col("kind").is_in(["beacon", "probe_resp"]), pl.col("parse_error").is_null())


def _shared(name: str) -> Path:
    capture = next(iter(sorted(SHARED.glob(f"{name}*"))), None)
    if capture is None:
        pytest.skip("the recordings of third parties are not here")
    return capture


@pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark is not installed")
@pytest.mark.parametrize("name", CAPTURES)
def test_channels_are_those_of_tshark(name):
    capture = _shared(name)
    shown = {int(row[0]): row for row in _tshark(capture)}
    rows = list(_announcing(capture).iter_rows(named=True))
    told = [row for row in rows if not shown[row["frame_no"]][-1]]
    found = {row["frame_no"]: tuple(row[name] for name in COLUMNS[:3]) for row in told}
    assert found == {number: _expected(shown[number]) for number in found}
    assert len(told) > 0.99 * len(rows) > 0


@pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark is not installed")
@pytest.mark.parametrize("name", CAPTURES[:3])
def test_both_decoders_find_the_same(name):
    native, second = (
        _announcing(_shared(name), decoder).select("frame_no", *COLUMNS) for decoder in ("native", "tshark")
    )
    assert native.join(second, on=["frame_no", *COLUMNS], nulls_equal=True, how="anti").is_empty()


def _tshark(capture: Path) -> list[list[str]]:
    fields = [part for field in FIELDS for part in ("-e", field)]
    command = [
        "tshark",
        "-r",
        str(capture),
        "-Y",
        "wlan.fc.type_subtype in {5, 8}",
        "-T",
        "fields",
        "-E",
        "occurrence=f",
    ]
    out = subprocess.run([*command, *fields], capture_output=True, check=False).stdout
    return [line.split("\t") for line in out.decode(errors="replace").splitlines()]


def _expected(row: list[str]) -> tuple[int | None, int | None, int | None]:
    """The rule once more, of tshark's fields, for what access points of these recordings announce."""
    dsss, ht, offset, wide, width, first, second = (_number(text) for text in row[1:-1])
    number = dsss if ht is None else ht
    if number is None:
        return None, None, None
    start = 2407 if number < 15 else 5000
    primary = start + 5 * number
    if width == 1 and first is not None:
        pair = second is not None and second > 0
        return (
            (primary, 160, start + 5 * second)
            if pair and abs(second - first) == 8
            else (primary, 80, start + 5 * first)
        )
    if ht is not None and wide and offset:
        return primary, 40, primary + (10 if offset == 1 else -10)
    return primary, 20, primary


def _number(text: str) -> int | None:
    return {"": None, "True": 1, "False": 0}[text] if text in ("", "True", "False") else int(text, 0)


def test_networks_are_told_with_their_channel(tmp_path):
    """Of a recording, and of the dataset made of it: what most beacons say, whatever was cut off some."""
    capture = tmp_path / "capture.pcap"
    beacons = [beacon(AP, told=operating(36, above=True, centre_80=42), seq=number) for number in range(5)]
    beacons += [beacon(AP, told=operating(44), seq=number) for number in range(5, 8)]
    capture.write_bytes(_recorded(beacons))
    expected = {"channel_mhz": 5200, "bss_primary_mhz": 5180, "bss_width_mhz": 80, "bss_centre_mhz": 5210}
    dataset = winf_analyzer.ingest([capture], tmp_path / "run.winf")
    for given in (capture, tmp_path / "run.winf"):
        ((network,),) = [entry["networks"] for entry in winf_analyzer.info(given)]
        assert {name: network[name] for name in expected} == expected
    (row,) = sql(dataset, named_query("networks")).iter_rows(named=True)
    assert {name: row[name] for name in expected} == expected


def test_damaged_beacons_tell_nothing(tmp_path):
    """Of eight beacons six are damaged, and name a channel that is none."""
    recorded = _recorded([beacon(AP, told=operating(36 if number < 2 else 44), seq=number) for number in range(8)])
    element = bytes([3, 1, 44])
    (tmp_path / "capture.pcap").write_bytes(recorded.replace(element, bytes([3, 1, 48])))
    frames = pl.DataFrame(_core.frames(tmp_path / "capture.pcap", "x"))
    assert frames["bss_primary_mhz"].to_list() == [5180, 5180] + 6 * [None]
    ((network,),) = [entry["networks"] for entry in winf_analyzer.info(tmp_path / "capture.pcap")]
    assert (network["bss_primary_mhz"], network["beacons"]) == (5180, 2)


def _recorded(beacons: list[bytes]) -> bytes:
    return pcaps.pcap(
        (number * 10**8, pcaps.radiotap(frame, tsft_us=number * 100_000, rate_mbps=6, channel_mhz=5200))
        for number, frame in enumerate(beacons)
    )
