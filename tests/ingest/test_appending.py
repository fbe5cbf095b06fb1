"""An ingest into an existing dataset: what is there stays, what is new comes, in any order the same tables."""

from __future__ import annotations

import os
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import iperf3
import pcaps
import polars as pl
import pytest
from dataset_state import is_clean
from polars.testing import assert_frame_equal

import winf_analyzer
from winf_analyzer import Dataset, _core
from winf_analyzer._dataset.nodes import counted, stations
from winf_analyzer._ingest import tasks
from winf_analyzer._ingest.tasks import MAX_TOGETHER, MIN_SHORT
from winf_analyzer._util.errors import DatasetError

COMPARED = ("frames", "exchanges", "capabilities", "audit", "warnings", "nodes", "neighbours", "truth")


def write(folder: Path, names: range, exchanges: int = 2) -> list[Path]:
    folder.mkdir(exist_ok=True)
    paths = [folder / f"{number:03}.pcap" for number in names]
    for number, path in zip(names, paths, strict=True):
        path.write_bytes(pcaps.busy_link(exchanges + number % 5))
    return paths


def rows(dataset: winf_analyzer.Dataset, table: str) -> pl.DataFrame:
    """A table in an order that does not depend on that of its recordings: they keep the order of their rows."""
    frame = dataset.scan(table).collect()
    text = [name for name in ("source", "node", "neighbour") if name in frame.columns]
    return frame.with_columns(pl.col(text).cast(pl.String)).sort(text, maintain_order=True)


def assert_same(one: winf_analyzer.Dataset, other: winf_analyzer.Dataset) -> None:
    for table in COMPARED:
        assert_frame_equal(rows(one, table), rows(other, table), categorical_as_str=True)
    sources = [sorted(entry["source"] for entry in dataset.metadata["inputs"]) for dataset in (one, other)]
    assert sources[0] == sources[1]


@pytest.fixture
def decoded(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Names of the recordings that are decoded."""
    names: list[str] = []
    alone, together = _core.ingest, _core.ingest_together

    def ingest(path: Path, *arguments: object, **named: object) -> str:
        names.append(Path(path).name)
        return alone(path, *arguments, **named)  # type: ignore[arg-type]

    def ingest_together(recordings: list[tuple[Path, str]], *arguments: object, **named: object) -> list[str]:
        names.extend(path.name for path, _ in recordings)
        return together(recordings, *arguments, **named)  # type: ignore[arg-type]

    monkeypatch.setattr("winf_analyzer._core.ingest", ingest)
    monkeypatch.setattr("winf_analyzer._core.ingest_together", ingest_together)
    return names


@pytest.mark.parametrize("number", [4, MIN_SHORT + 5])
def test_recordings_added_in_any_order_give_the_same_tables(tmp_path, number):
    write(tmp_path / "captures", range(number))
    at_once = winf_analyzer.ingest(tmp_path / "captures", tmp_path / "once.winf")
    paths = sorted((tmp_path / "captures").iterdir(), reverse=True)
    for start in range(0, number, 3):
        grown = winf_analyzer.ingest(paths[start : start + 3], tmp_path / "grown.winf")
    assert_same(at_once, grown)
    assert len(winf_analyzer.check(grown)) == 0


def test_what_is_there_is_not_decoded_again(tmp_path, decoded):
    write(tmp_path / "captures", range(3))
    winf_analyzer.ingest(tmp_path / "captures", tmp_path / "run.winf")
    before = (tmp_path / "run.winf" / "dataset.json").read_bytes()
    decoded.clear()
    winf_analyzer.ingest(tmp_path / "captures", tmp_path / "run.winf")
    assert decoded == []
    assert (tmp_path / "run.winf" / "dataset.json").read_bytes() == before
    os.utime(tmp_path / "captures" / "001.pcap")
    (tmp_path / "captures").rename(tmp_path / "moved")
    write(tmp_path / "moved", range(3, 5))
    grown = winf_analyzer.ingest(tmp_path / "moved", tmp_path / "run.winf")
    assert sorted(decoded) == ["003.pcap", "004.pcap"]
    assert [entry["source"] for entry in grown.metadata["inputs"]] == [f"{number:03}.pcap" for number in range(5)]


@pytest.mark.parametrize("number", [3, MIN_SHORT + 2])
def test_a_changed_recording_takes_the_place_of_what_it_was(tmp_path, decoded, number):
    paths = write(tmp_path / "captures", range(number))
    winf_analyzer.ingest(tmp_path / "captures", tmp_path / "run.winf")
    paths[1].write_bytes(pcaps.busy_link(11))
    decoded.clear()
    grown = winf_analyzer.ingest(tmp_path / "captures", tmp_path / "run.winf")
    assert decoded == [paths[1].name]
    assert_same(winf_analyzer.ingest(tmp_path / "captures", tmp_path / "again.winf"), grown)
    winf_analyzer.undo(grown)
    assert winf_analyzer.sql(grown.path, "select count(*) from frames where source = '001.pcap'").item() == 6


def test_a_file_of_another_folder_with_the_same_name_is_another_recording(tmp_path):
    write(tmp_path / "a", range(2))
    write(tmp_path / "b", range(1, 3), exchanges=7)
    winf_analyzer.ingest(tmp_path / "a", tmp_path / "run.winf")
    grown = winf_analyzer.ingest(tmp_path / "b", tmp_path / "run.winf")
    sources = [entry["source"] for entry in grown.metadata["inputs"]]
    assert sources == ["000.pcap", "001.pcap", "b/001.pcap", "b/002.pcap"]
    grown = winf_analyzer.ingest([tmp_path / "b", tmp_path / "a"], tmp_path / "run.winf")
    assert_same(winf_analyzer.ingest([tmp_path / "a", tmp_path / "b"], tmp_path / "once.winf"), grown)


def test_a_relative_path_is_that_of_the_folder_in_which_it_was_given(tmp_path, monkeypatch):
    ends = {"sender": "10.0.0.2:5000", "receiver": "10.0.0.1:5000"}
    run = tmp_path / "run.winf"
    for number, day in enumerate(("monday", "tuesday")):
        (tmp_path / day).mkdir()
        monkeypatch.chdir(tmp_path / day)
        Path("cap.pcap").write_bytes(pcaps.busy_link(2 + number))
        Path("bad.pcap").write_bytes(b"no capture %d" % number)
        windows = [(0, 10**9, 1e6 * (1 + number))]
        iperf3.write_server_log(Path("server.json"), windows, **ends, epoch_s=1_760_000_000)
        grown = winf_analyzer.ingest(["cap.pcap", "bad.pcap", "server.json"], run)
    sources = ["cap.pcap", "tuesday/cap.pcap"]
    assert sorted(entry["source"] for entry in grown.metadata["inputs"]) == sources
    assert sorted(rows(grown, "frames")["source"].unique()) == sources
    assert len(grown.metadata["skipped"]) == 2
    assert sorted(rows(grown, "truth")["throughput_bps"]) == [1e6, 2e6]
    monkeypatch.chdir(tmp_path)
    for again in ("both get their names", "nothing is new"):
        before = (run / "dataset.json").read_bytes()
        grown = winf_analyzer.ingest(["monday/cap.pcap", tmp_path / "tuesday/cap.pcap", "tuesday/server.json"], run)
        assert sorted(rows(grown, "frames")["source"].unique()) == ["monday/cap.pcap", "tuesday/cap.pcap"], again
        assert rows(grown, "frames").height == 2 * (2 + 3)
    assert (run / "dataset.json").read_bytes() == before
    Path("monday/cap.pcap").write_bytes(pcaps.busy_link(7))
    grown = winf_analyzer.ingest("monday", run)
    assert grown.scan("frames").collect().height == 2 * (7 + 3)
    assert len(grown.metadata["inputs"]) == 2


@pytest.mark.parametrize("number", [3, MIN_SHORT + 2])
def test_a_bad_recording_is_kept_out_until_it_is_good(tmp_path, winf, decoded, number):
    paths = write(tmp_path / "captures", range(number))
    good = paths[1].read_bytes()
    paths[1].write_bytes(pcaps.pcap([(0, bytes(60))], link_type=pcaps.ETHERNET))
    run = tmp_path / "run.winf"
    for _ in range(2):
        done = winf("ingest", *paths, "-o", run)
        assert done.returncode == 3, done.stderr
        assert "Ethernet" in done.stderr
    assert len(decoded) == number, "the second time nothing was read"
    warning = "select source, message from warnings where code = 'unusable_recording'"
    assert winf_analyzer.sql(run, warning)["source"].to_list() == ["001.pcap"]
    paths[1].write_bytes(good)
    assert winf("ingest", *paths, "-o", run).returncode == 0
    assert winf_analyzer.sql(run, warning).is_empty()
    assert_same(winf_analyzer.ingest(paths, tmp_path / "once.winf"), winf_analyzer.Dataset.open(run))


@pytest.mark.parametrize("number", [2, MIN_SHORT + 5])
@pytest.mark.parametrize("bad", [b"", b"no capture", pcaps.pcap([])], ids=["empty", "text", "no frames"])
def test_a_copy_that_failed_takes_nothing_away(tmp_path, winf, number, bad):
    paths = write(tmp_path / "captures", range(number), exchanges=30)
    good, run = paths[1].read_bytes(), tmp_path / "run.winf"
    warning = "select source, message from warnings where code = 'unusable_recording'"
    whole = winf_analyzer.estimate(winf_analyzer.ingest(paths, run), estimators=("busy_share",))
    before = {table: rows(Dataset.open(run), table) for table in ("frames", "exchanges", "nodes")}
    paths[1].write_bytes(bad)
    for _ in range(2):
        done = winf("ingest", *paths, "-o", run)
        assert done.returncode == 3, done.stderr
        assert "001.pcap" in done.stderr
        assert "The dataset keeps what it has of it." in done.stderr
        for table, expected in before.items():
            assert_frame_equal(rows(Dataset.open(run), table), expected)
        assert winf_analyzer.sql(run, warning)["source"].to_list() == ["001.pcap"]
        assert Dataset.open(run).scan("estimates").collect().height == whole.height, "of the same rows"
        assert winf_analyzer.check(run).is_empty()
    grown = winf_analyzer.ingest([*paths, *write(tmp_path / "more", range(100, 101))], run)
    assert len(grown.metadata["inputs"]) == number + 1
    paths[1].write_bytes(good)
    assert winf("ingest", *paths, "-o", run).returncode == 0
    assert winf_analyzer.sql(run, warning).is_empty()
    paths[1].write_bytes(bad)
    winf("ingest", *paths, "-o", run)
    paths[1].write_bytes(pcaps.busy_link(9))
    again = winf_analyzer.ingest(paths, run)
    other = winf_analyzer.ingest([*paths, tmp_path / "more"], tmp_path / "other.winf")
    assert_same(again, other)


def test_tables_about_all_recordings_are_emptied_and_replays_stay(tmp_path):
    write(tmp_path / "captures", range(2), exchanges=30)
    run = winf_analyzer.ingest(tmp_path / "captures", tmp_path / "run.winf")
    assert winf_analyzer.estimate(run, estimators=["rt_winf"], window="10ms").height
    winf_analyzer.replay(run, topology="stack", controllers=["cbr"], duration="1s")
    write(tmp_path / "captures", range(2, 3))
    grown = winf_analyzer.ingest(tmp_path / "captures", tmp_path / "run.winf")
    counts = {
        table: grown.scan(table).collect().height
        for table in ("estimates", "recommended", "mac_parameters", "replay_summary")
    }
    assert counts.pop("replay_summary") > 0
    assert set(counts.values()) == {0}


def test_logs_are_added_once_and_replaced(tmp_path):
    paths = write(tmp_path / "captures", range(2))
    run = tmp_path / "run.winf"

    def log(rate: float) -> Path:
        windows = [(0, 10**9, rate), (10**9, 10**9, rate)]
        ends = {"sender": "10.0.0.2:5000", "receiver": "10.0.0.1:5000"}
        return iperf3.write_server_log(tmp_path / "server.json", windows, **ends, epoch_s=1_760_000_000)

    def rates() -> list[float]:
        return winf_analyzer.sql(run, "select throughput_bps from truth")["throughput_bps"].to_list()

    winf_analyzer.ingest(paths[:1], run)
    winf_analyzer.ingest(log(1e6), run)
    assert rates() == [1e6, 1e6]
    before = (run / "dataset.json").read_bytes()
    winf_analyzer.ingest(log(1e6), run)
    assert (run / "dataset.json").read_bytes() == before
    grown = winf_analyzer.ingest([paths[1], log(2e6)], run)
    assert rates() == [2e6, 2e6]
    assert [entry["source"] for entry in grown.metadata["truth"]] == ["server.json"]
    (tmp_path / "server.json").write_text('{"start": {"version": "iperf 3.12"}, "intervals": [], "end": {}}')
    winf_analyzer.ingest(tmp_path / "server.json", run)
    assert rates() == [2e6, 2e6], "the log of a test that failed takes nothing away"
    winf_analyzer.ingest(log(3e6), run)
    assert rates() == [3e6, 3e6]


def test_other_settings_are_refused(tmp_path):
    paths = write(tmp_path / "captures", range(2))
    winf_analyzer.ingest(paths[:1], tmp_path / "run.winf")
    with pytest.raises(DatasetError, match="--observer"):
        winf_analyzer.ingest(paths, tmp_path / "run.winf", observer=pcaps.AP)


def test_a_merged_dataset_is_not_added_to(tmp_path, sample):
    winf_analyzer.merge([sample("ns3_hidden") / "recording"], tmp_path / "run.winf")
    paths = write(tmp_path / "captures", range(1))
    with pytest.raises(DatasetError, match="exists already"):
        winf_analyzer.ingest(paths, tmp_path / "run.winf")


def test_short_recordings_share_parts_and_a_long_one_has_its_own(tmp_path, monkeypatch):
    folder = tmp_path / "captures"
    write(folder, range(MAX_TOGETHER + MIN_SHORT))
    monkeypatch.setattr(tasks, "SHORT_BYTES", 1 << 16)
    (folder / "003.pcap").write_bytes(pcaps.busy_link(tasks.SHORT_BYTES // 100))
    run = winf_analyzer.ingest(folder, tmp_path / "run.winf")
    parts = [entry["part"] for entry in run.metadata["inputs"]]
    assert len(set(parts)) == 4
    assert parts.count("part-00003") == 1
    sources = run.scan("frames").select(pl.col("source").cast(pl.String).unique(maintain_order=True)).collect()
    assert sources["source"].to_list() == [f"{number:03}.pcap" for number in range(MAX_TOGETHER + MIN_SHORT)]


def test_recordings_share_parts_up_to_a_size(tmp_path, monkeypatch):
    paths = write(tmp_path / "captures", range(MIN_SHORT))
    largest = max(path.stat().st_size for path in paths)
    monkeypatch.setattr(tasks, "BYTES_TOGETHER", 3 * largest)
    run = winf_analyzer.ingest(paths, tmp_path / "run.winf")
    octets: Counter[str] = Counter()
    for entry in run.metadata["inputs"]:
        octets[entry["part"]] += entry["bytes"]
    assert 2 * largest < max(octets.values()) <= 3 * largest
    assert len(octets) < MIN_SHORT / 2


def test_stations_are_counted_while_short_recordings_are_decoded(tmp_path):
    run = winf_analyzer.ingest(write(tmp_path / "captures", range(MIN_SHORT)), tmp_path / "run.winf")
    parts = run.parts("frames")
    counts = counted(parts)
    for table, read_again in (("nodes", stations(counts, parts)), ("neighbours", counts.neighbours())):
        there = run.scan(table).collect()
        assert there.height
        assert_frame_equal(there, pl.DataFrame(read_again), categorical_as_str=True, check_dtypes=False)


def test_interrupted_it_leaves_the_dataset_as_it_was(tmp_path):
    paths = write(tmp_path / "captures", range(3))
    run = tmp_path / "run.winf"
    winf_analyzer.ingest(paths[:1], run)
    before = (run / "dataset.json").read_bytes()

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(winf_analyzer.InterruptedRun, match="as it was"):
        winf_analyzer.ingest(paths, run, progress=interrupt)
    assert (run / "dataset.json").read_bytes() == before
    assert is_clean(tmp_path)


@pytest.mark.parametrize("command", ["ingest", "merge"])
def test_interrupted_by_force_it_leaves_the_dataset_as_it_was(tmp_path, command):
    paths = write(tmp_path / "captures", range(2))
    run = winf_analyzer.ingest(paths, tmp_path / "run.winf").path
    before = (run / "dataset.json").read_bytes()

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(winf_analyzer.InterruptedRun, match="is as it was"):
        getattr(winf_analyzer, command)(paths, run, force=True, progress=interrupt)
    assert (run / "dataset.json").read_bytes() == before
    with pytest.raises(winf_analyzer.InterruptedRun, match="was not created"):
        getattr(winf_analyzer, command)(paths, tmp_path / "new.winf", progress=interrupt)


def test_of_standard_input_there_is_one_recording(winf_process, tmp_path):
    def piped(exchanges: int) -> subprocess.CompletedProcess[str]:
        content = write(tmp_path / "captures", range(1), exchanges)[0]
        with content.open("rb") as stream:
            return winf_process("ingest", "-", "-o", tmp_path / "run.winf", stdin=stream)

    assert piped(2).returncode == 0
    assert piped(2).returncode == 0, "the same one again"
    other = piped(5)
    assert other.returncode == 4
    assert "another recording from standard input" in other.stderr


@pytest.mark.parametrize("number", [1, MIN_SHORT + 5])
def test_recordings_of_a_lost_manifest_are_not_added_twice(tmp_path, number):
    """The manifest that `winf repair` makes has the facts of an earlier version, and rows that these do not tell of."""
    paths = write(tmp_path / "captures", range(1 + number))
    run = tmp_path / "run.winf"
    winf_analyzer.ingest(paths[:1], run)
    whole = rows(winf_analyzer.ingest(paths, run), "frames")
    (run / "dataset.json").unlink()
    assert winf_analyzer.repair(run).left == []
    for again in ([paths[0]], [paths[-1]], paths):
        with pytest.raises(DatasetError, match=r"lost.*does not tell.*frames/part-.*--force"):
            winf_analyzer.ingest(again, run)
    assert_frame_equal(rows(Dataset.open(run), "frames"), whole)
    assert_same(winf_analyzer.ingest(paths, run, force=True), winf_analyzer.ingest(paths, tmp_path / "other.winf"))


def test_a_log_of_a_lost_manifest_is_not_added_twice(tmp_path):
    paths = write(tmp_path / "captures", range(1))
    ends = {"sender": "10.0.0.2:5000", "receiver": "10.0.0.1:5000"}
    log = iperf3.write_server_log(tmp_path / "server.json", [(0, 10**9, 1e6)], **ends, epoch_s=1_760_000_000)
    run = tmp_path / "run.winf"
    winf_analyzer.ingest(paths, run)
    winf_analyzer.ingest(log, run)
    (run / "dataset.json").unlink()
    winf_analyzer.repair(run)
    with pytest.raises(DatasetError, match=r"does not tell.*truth/tool-"):
        winf_analyzer.ingest(log, run)


def test_what_only_repairs_parts_is_added_to(tmp_path):
    """A manifest that was rebuilt from one that says all stays one to add to."""
    paths = write(tmp_path / "captures", range(2))
    run = tmp_path / "run.winf"
    winf_analyzer.ingest(paths[:1], run)
    winf_analyzer.estimate(run, estimators=("busy_share",))
    (run / "dataset.json").unlink()
    winf_analyzer.repair(run)
    grown = winf_analyzer.ingest(paths, run)
    assert_same(grown, winf_analyzer.ingest(paths, tmp_path / "other.winf"))
