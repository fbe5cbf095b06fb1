"""Which recordings an INPUT names, and in what order."""

import bz2
import gzip
import os
import shutil

import pcaps
import polars as pl
import pytest

import winf_analyzer
from winf_analyzer._ingest.inputs import input_files
from winf_analyzer._util.errors import UnusableInput, UsageError


def capture(start_s):
    return pcaps.pcap(pcaps.exchange(round(start_s * 1e6)))


def names(given, decoder="native"):
    with input_files(given, decoder) as found:
        return [recording.source for recording in found]


def test_rotated_files_are_in_time_order_whatever_their_names(tmp_path):
    for name, start_s in (("c", 1000), ("a", 2000), ("b", 3000)):
        (tmp_path / name).write_bytes(capture(start_s))
    assert names([tmp_path]) == ["c", "a", "b"]
    assert names([f"{tmp_path}/*"]) == ["c", "a", "b"]


def test_the_nodes_of_one_experiment_are_in_the_order_of_their_names(tmp_path):
    for number in (0, 1, 2, 10):
        (tmp_path / f"node-{number}.pcap").write_bytes(capture(5 - number / 20))
    (tmp_path / "later.pcap").write_bytes(capture(100))
    assert names([tmp_path]) == ["node-0.pcap", "node-1.pcap", "node-2.pcap", "node-10.pcap", "later.pcap"]


def test_files_named_one_by_one_stay_as_named(tmp_path):
    for name, start_s in (("a", 3000), ("b", 2000)):
        (tmp_path / name).write_bytes(capture(start_s))
    assert names([tmp_path / "a", tmp_path / "b"]) == ["a", "b"]


def test_compressed_recordings_are_found_by_content(tmp_path):
    (tmp_path / "first").write_bytes(gzip.compress(capture(10)))
    (tmp_path / "second").write_bytes(capture(20))
    (tmp_path / "notes").write_bytes(gzip.compress(b"not a capture"))
    assert names([tmp_path]) == ["first", "second"]


def test_a_recording_without_a_frame_comes_last(tmp_path):
    (tmp_path / "a").write_bytes(pcaps.pcap([]))
    (tmp_path / "b").write_bytes(capture(10))
    assert names([tmp_path]) == ["b", "a"]


@pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark is not installed")
def test_a_folder_holds_what_the_decoder_knows(tmp_path):
    frames = [pcaps.data(pcaps.AP, pcaps.STATION, 200, seq=number) for number in range(20)]
    (tmp_path / "a.ncf").write_bytes(pcaps.commview(frames))
    (tmp_path / "b.pcap").write_bytes(capture(10))
    (tmp_path / "notes.json").write_text('{"not": "a capture"}')
    assert names([tmp_path]) == ["b.pcap"]
    assert names([tmp_path], "tshark") == ["b.pcap", "a.ncf"]
    (tmp_path / "b.pcap").unlink()
    dataset = winf_analyzer.ingest([tmp_path], tmp_path / "run.winf", decoder="tshark")
    assert dataset.scan("frames").collect().height == 20


def test_nothing_there(tmp_path):
    for given in (tmp_path / "missing", tmp_path, f"{tmp_path}/*.pcap"):
        with pytest.raises(UnusableInput), input_files([os.fspath(given)]):
            pass


@pytest.mark.parametrize("command", ["ingest", "merge", "analyze", "why"])
def test_a_dataset_in_the_place_of_recordings_is_called_so(tmp_path, winf, command):
    (tmp_path / "a.pcap").write_bytes(pcaps.busy_link(3))
    done = winf("ingest", tmp_path / "a.pcap", "-o", tmp_path / "run.winf")
    assert done.stderr.splitlines()[-1].endswith("run.winf: 6 frames, 3 exchanges from 1 recording")
    output = [] if command == "why" else ["-o", tmp_path / "out"]
    done = winf(command, tmp_path / "run.winf", tmp_path / "a.pcap", *output)
    assert done.returncode == 4
    assert f"{tmp_path / 'run.winf'}: is a dataset, and recordings are expected here." in done.stderr


def test_a_name_that_is_not_utf_8_is_shown_with_its_octets(tmp_path):
    odd = os.fsencode(tmp_path) + b"/odd\xff\xfe.pcap"
    for path, start_s in ((odd, 10), (tmp_path / "plain.pcap", 20)):
        with open(path, "wb") as file:  # noqa: PTH123 (octets)
            file.write(capture(start_s))
    shown = ["odd\\xff\\xfe.pcap", "plain.pcap"]
    for _ in range(2):
        dataset = winf_analyzer.ingest([tmp_path], tmp_path / "run.winf")
        assert [entry["source"] for entry in dataset.metadata["inputs"]] == shown
    assert dataset.scan("frames").collect()["source"].unique(maintain_order=True).to_list() == shown
    assert [entry["source"] for entry in winf_analyzer.info([tmp_path / "run.winf", os.fsdecode(odd)])] == [
        *shown,
        shown[0],
    ]


@pytest.mark.parametrize("name", ["empty.pcap", "EMPTY.PCAPNG.GZ", "empty.kismet"])
def test_a_file_named_like_a_capture_in_a_folder_is_told_of(tmp_path, name):
    (tmp_path / "a.pcap").write_bytes(capture(10))
    (tmp_path / name).write_bytes(b"")
    (tmp_path / "notes.txt").write_bytes(b"")
    dataset = winf_analyzer.ingest([tmp_path], tmp_path / "run.winf")
    (skipped,) = dataset.metadata["skipped"]
    assert "an empty file" in skipped["reason"]
    assert skipped["source"] == name


def test_of_a_capture_in_a_folder_that_must_be_unpacked_it_is_said(tmp_path):
    (tmp_path / "a.pcap").write_bytes(capture(10))
    (tmp_path / "b.pcap.bz2").write_bytes(bz2.compress(capture(10)))
    (skipped,) = winf_analyzer.ingest([tmp_path], tmp_path / "run.winf").metadata["skipped"]
    assert (skipped["source"], "Unpack it first" in skipped["reason"]) == ("b.pcap.bz2", True)


def test_one_path_need_not_be_in_a_list(tmp_path):
    recording = tmp_path / "a.pcap"
    recording.write_bytes(pcaps.busy_link(3))
    (facts,) = winf_analyzer.info(str(recording))
    assert facts["source"] == "a.pcap"
    dataset = winf_analyzer.ingest(recording, tmp_path / "run.winf")
    assert [entry["source"] for entry in dataset.metadata["inputs"]] == ["a.pcap"]


@pytest.mark.parametrize(
    "act",
    [
        lambda: winf_analyzer.ingest([""], "new.winf"),
        lambda: winf_analyzer.ingest("a.pcap", "", force=True),
        lambda: winf_analyzer.info(""),
        lambda: winf_analyzer.sql("", "select 1"),
        lambda: winf_analyzer.check(""),
        lambda: winf_analyzer.Dataset.open(""),
        lambda: winf_analyzer.report("", "new.html"),
    ],
    ids=["input", "output", "info", "sql", "check", "open", "report"],
)
def test_an_empty_name_is_not_the_present_folder(tmp_path, monkeypatch, act):
    (tmp_path / "a.pcap").write_bytes(pcaps.busy_link(3))
    run = winf_analyzer.ingest(tmp_path / "a.pcap", tmp_path / "run.winf").path
    (run / "a.pcap").write_bytes(pcaps.busy_link(3))
    monkeypatch.chdir(run)
    with pytest.raises(winf_analyzer.UsageError, match="an empty name"):
        act()
    assert not list(run.glob("new.*"))


@pytest.mark.parametrize("command", ["ingest", "merge", "analyze"])
def test_no_input_is_named(tmp_path, command):
    with pytest.raises(UsageError, match="no input is named"):
        getattr(winf_analyzer, command)([], tmp_path / "new")
    with pytest.raises(UsageError, match="no input is named"):
        winf_analyzer.validate([])
    assert list(tmp_path.iterdir()) == []


def test_inputs_may_be_gone_through_once(tmp_path):
    for number in range(2):
        (tmp_path / f"{number}.pcap").write_bytes(capture(number))
    dataset = winf_analyzer.ingest(tmp_path.glob("*.pcap"), tmp_path / "run.winf")
    assert len(dataset.metadata["inputs"]) == 2


@pytest.mark.parametrize("read", [winf_analyzer.read_frames, winf_analyzer.read_exchanges])
def test_errors_of_a_table_without_a_dataset_are_those_of_ingest(tmp_path, read):
    (tmp_path / "notes").write_text("no capture")
    for path, what in (("missing", "No such file"), (".", "Is a directory"), ("notes", "not a recording")):
        with pytest.raises(UnusableInput, match=what):
            pl.DataFrame(read(tmp_path / path))
    with pytest.raises(UsageError, match="not a station address"):
        read(tmp_path / "notes", observer="nobody")
    with pytest.raises(UsageError, match="empty"):
        read("")
