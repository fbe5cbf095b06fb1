"""Recordings as other recorders would have made them."""

import gzip
import sys
from itertools import pairwise
from pathlib import Path

import pytest

import winf_analyzer

sys.path.insert(0, str(Path(__file__).parents[2]))

from benchmarks.accuracy import recorders
from benchmarks.accuracy.scenario_list import TCP_OMITTED_S, ListedRun

PACKED = Path(__file__).parents[1] / "evaluate" / "backlog" / "g" / "recording.pcap.gz"
STATIONS = {
    "addresses": [f"00:00:00:00:00:0{number}" for number in range(1, 9)],
    "links": [[0, 1], [2, 3], [4, 5], [6, 7]],
}


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    path = tmp_path_factory.mktemp("plain") / "recording.pcap"
    path.write_bytes(gzip.decompress(PACKED.read_bytes()))
    return path


def listed(**changed):
    run = {"group": "made", "name": "made-up", "seed": 1, "phy": "g54", "topology": "adhoc", "links": 4, "load": 0.5}
    return ListedRun(**run, seconds=1, **changed)


def recorded(plain, tmp_path, **changed):
    target = tmp_path / "recording.pcap"
    recorders.record(listed(**changed), plain, STATIONS, target)
    return target


def test_only_the_measured_time_is_recorded(plain, tmp_path):
    stamps = [record.ts_ns for record in recorders.read(recorded(plain, tmp_path, recorded_ms=300))]
    assert min(stamps) >= recorders.START_NS
    assert max(stamps) < recorders.START_NS + 300_000_000
    assert len(stamps) > 100


def test_the_start_of_a_tcp_flow_is_omitted(plain, tmp_path):
    stamps = [record.ts_ns for record in recorders.read(recorded(plain, tmp_path, probe="tcp"))]
    begin_ns = recorders.START_NS + TCP_OMITTED_S * recorders.SECOND_NS
    assert stamps == [it.ts_ns for it in recorders.read(plain) if 0 <= it.ts_ns - begin_ns < recorders.SECOND_NS]
    assert listed(probe="tcp").arguments()["seconds"] == 1 + TCP_OMITTED_S


def test_records_that_are_left_alone_are_the_same(plain, tmp_path):
    whole = [record for record in recorders.read(plain) if 0 <= record.ts_ns - recorders.START_NS < 1_000_000_000]
    assert list(recorders.read(recorded(plain, tmp_path))) == whole


@pytest.mark.parametrize("clock", recorders.CLOCKS)
def test_clocks_keep_order_and_frames_and_take_tsft_away(clock, plain, tmp_path):
    capture = recorded(plain, tmp_path, clock=clock)
    before, after = (
        [record for record in recorders.read(plain) if 0 <= record.ts_ns - recorders.START_NS < 1_000_000_000],
        list(recorders.read(capture)),
    )
    stamps = [record.ts_ns for record in after]
    assert len(before) == len(after)
    assert stamps == sorted(stamps)
    late = [new.ts_ns - old.ts_ns for old, new in zip(before, after, strict=True)]
    assert (
        max(map(abs, late))
        < {"none": 1e3, "1ms": 1e6, "jitter50us": 51e3, "jitter300us": 301e3, "batch5ms": 6e6}[clock]
    )
    frames = winf_analyzer.ingest([capture], tmp_path / "run.winf").scan("frames").collect()
    assert frames["tsft_us"].is_null().all()
    assert frames["parse_error"].is_null().all()
    assert frames["rate_mbps"].is_not_null().all()


@pytest.mark.parametrize(("share", "burst"), [(0.05, 1), (0.4, 1), (0.2, 8)])
def test_as_many_frames_are_missed_as_asked_for(share, burst, plain, tmp_path):
    all_of_them = list(recorders.read(recorded(plain, tmp_path)))
    kept = list(recorders.read(recorded(plain, tmp_path, missed=share, missed_burst=burst)))
    assert 1 - len(kept) / len(all_of_them) == pytest.approx(share, abs=0.05)
    places = [number for number, record in enumerate(all_of_them) if record not in set(kept)]
    runs = sum(after - before > 1 for before, after in pairwise(places)) + 1
    assert len(places) / runs == pytest.approx(burst if burst > 1 else 1 / (1 - share), rel=0.3)


@pytest.mark.parametrize("share", [0.1, 0.4])
def test_as_much_of_the_time_is_paused_as_asked_for(share, plain):
    """Of ten recorders."""
    all_of_them = list(recorders.read(plain))
    places = {record: number for number, record in enumerate(all_of_them)}
    lost, pauses = 0, 0
    for number in range(10):
        numbers = [places[it] for it in recorders.pausing(all_of_them, share, 20, recorders.draws(f"{number}"))]
        assert numbers == sorted(numbers)
        lost += len(all_of_them) - len(numbers)
        pauses += sum(after - before > 1 for before, after in pairwise(numbers))
    span_ms = 10 * (all_of_them[-1].ts_ns - all_of_them[0].ts_ns) / 1e6
    assert lost / len(all_of_them) / 10 == pytest.approx(share, abs=0.05)
    assert share * span_ms / pauses == pytest.approx(20, rel=0.3)


def test_an_unheard_link_leaves_no_frame_and_the_others_all(plain, tmp_path):
    def pairs(capture, name):
        frames = winf_analyzer.ingest([capture], tmp_path / name).scan("frames").collect()
        return frames.group_by("ta", "ra").len().sort("ta", "ra").rows()

    unheard = {STATIONS["addresses"][2], STATIONS["addresses"][3]}
    heard = pairs(recorded(plain, tmp_path), "all.winf")
    left = pairs(recorded(plain, tmp_path, unheard=(1,)), "left.winf")
    assert any(unheard & {ta, ra} for ta, ra, _ in heard)
    assert left == [row for row in heard if not unheard & set(row[:2])]


def test_a_recording_of_a_run_is_the_same_each_time(plain, tmp_path):
    first = recorded(plain, tmp_path, missed=0.3, clock="jitter300us").read_bytes()
    assert recorded(plain, tmp_path, missed=0.3, clock="jitter300us").read_bytes() == first
