"""A growing recording becomes a growing dataset, whole at any time, and in the end the same as an ordinary one."""

import json
import signal
import subprocess
import threading
import time
import zlib
from pathlib import Path

import pcaps
import polars as pl
import pytest
from dataset_state import QUICK
from folders import SAMPLES
from polars.testing import assert_frame_equal
from program import COMMAND

import winf_analyzer as winf
from winf_analyzer._ingest.incoming import Fate, IncomingFiles, Look, _is_other

pytestmark = pytest.mark.slow("waits for growing files")

DEADLINE_S = 60


def wait_until(condition, what):
    deadline = time.monotonic() + DEADLINE_S
    while not condition():
        assert time.monotonic() < deadline, what
        time.sleep(0.02)


def rows(dataset, table):
    """The table without what follow and ingest write differently: nothing."""
    return pl.read_parquet(winf.Dataset.open(dataset).parts(table))


def frames_so_far(dataset):
    if not (Path(dataset) / "dataset.json").exists():
        return 0
    return sum(entry["counts"]["frames"] for entry in winf.Dataset.open(dataset).metadata["inputs"])


def grow(path, content, chunk, pause_s=0.0):
    """Write content the way a capture tool does: whenever a buffer is full, wherever that cuts a record."""
    with path.open("ab", buffering=0) as file:
        for start in range(0, len(content), chunk):
            file.write(content[start : start + chunk])
            time.sleep(pause_s)


def between_parts(command, *arguments, **named):
    """Run a command that writes; the one that follows writes, too, and makes others wait only to publish."""
    deadline = time.monotonic() + DEADLINE_S
    while True:
        try:
            return command(*arguments, **named)
        except winf.DatasetError:
            assert time.monotonic() < deadline, "no turn between two parts"


@pytest.fixture
def following():
    """Start `winf ingest --follow` as a user does; whatever still runs at the end is killed."""
    running = []

    def start(source, target, *extra):
        command = [*COMMAND, "ingest", source, "-o", target, "--follow", "--every", "200ms", *extra]
        process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        running.append(process)
        return process

    yield start
    for process in running:
        process.kill()
        process.communicate()


def test_a_growing_capture_until_ctrl_c(following, tmp_path):
    content = pcaps.busy_link(1500)
    recording, target = tmp_path / "growing.pcap", tmp_path / "run.winf"
    recording.touch()
    process = following(recording, target)
    head, tail = content[: len(content) // 3], content[len(content) // 3 :]
    grow(recording, head, 4099)
    wait_until(lambda: frames_so_far(target) > 0, "no first part")
    first = frames_so_far(target)
    assert first < 3000
    assert rows(target, "frames").height >= first, "parts appear before dataset.json counts them"
    grow(recording, tail, 10_007, pause_s=0.005)
    wait_until(lambda: frames_so_far(target) == 3000, "the rest never came")
    process.send_signal(signal.SIGINT)
    _, words = process.communicate(timeout=DEADLINE_S)
    assert process.returncode == 0, words

    plain = winf.ingest([recording], tmp_path / "plain.winf")
    assert len(winf.Dataset.open(target).parts("frames")) > 1
    for table in ("frames", "exchanges", "warnings", "nodes"):
        assert_frame_equal(rows(target, table), rows(plain.path, table), rel_tol=1e-12)  # sums over other batches
    [entry] = winf.Dataset.open(target).metadata["inputs"]
    assert entry["sha256"] == plain.metadata["inputs"][0]["sha256"]
    assert entry["counts"] == plain.metadata["inputs"][0]["counts"]
    assert [path.name for path in target.rglob("*") if "partial" in path.name] == []


def test_a_compressed_capture_is_followed_as_far_as_it_was_flushed(following, tmp_path):
    content = pcaps.busy_link(600)
    recording, target = tmp_path / "growing.pcap.gz", tmp_path / "run.winf"
    with recording.open("wb", buffering=0) as file:
        packer = zlib.compressobj(wbits=31)
        file.write(packer.compress(content[: len(content) // 2]) + packer.flush(zlib.Z_SYNC_FLUSH))
        process = following(recording, target)
        wait_until(lambda: frames_so_far(target) >= 590, "what was flushed never came")
        file.write(packer.compress(content[len(content) // 2 :]) + packer.flush(zlib.Z_FINISH))
    wait_until(lambda: frames_so_far(target) == 1200, "the rest never came")
    process.send_signal(signal.SIGINT)
    _, words = process.communicate(timeout=DEADLINE_S)
    assert process.returncode == 0, words
    plain = winf.ingest([recording], tmp_path / "plain.winf")
    assert rows(target, "frames").equals(rows(plain.path, "frames"))
    assert rows(target, "warnings").height == 0


def test_an_ns3_trace_grows_like_a_capture(tmp_path):
    trace = (SAMPLES / "ns3_trace" / "recording" / "tcp.tr").read_bytes()
    recording, target = tmp_path / "growing.tr", tmp_path / "run.winf"
    recording.write_bytes(trace[:1000])
    done = threading.Event()
    writer = threading.Thread(target=grow, args=(recording, trace[1000:], 7001, 0.01))

    def stop():
        return done.is_set() and not writer.is_alive()

    writer.start()
    threading.Timer(1.0, done.set).start()
    dataset = winf.follow([recording], target, every="50ms", stop=stop)
    plain = winf.ingest([recording], tmp_path / "plain.winf")
    assert rows(dataset.path, "frames").height == rows(plain.path, "frames").height
    assert dataset.metadata["inputs"][0]["warnings"] == []


def test_lz4_is_not_followed(tmp_path):
    recording = tmp_path / "growing.pcap.lz4"
    recording.write_bytes(b"\x04\x22\x4d\x18\x60")
    with pytest.raises(winf.UnusableInput, match="cannot be followed"):
        winf.follow([recording], tmp_path / "run.winf", every="50ms", stop=lambda: False)


def test_what_was_written_before_the_end_is_in_and_a_half_record_is_no_damage(tmp_path):
    recording = tmp_path / "growing.pcap"
    recording.write_bytes(pcaps.busy_link(100)[:-5])
    dataset = winf.follow([recording], tmp_path / "run.winf", every="50ms", stop=lambda: True)
    assert rows(dataset.path, "frames").height == 199
    assert dataset.metadata["inputs"][0]["warnings"] == []


def test_rotated_files_follow_one_another(following, tmp_path):
    folder, target = tmp_path / "rotated", tmp_path / "run.winf"
    folder.mkdir()
    first, second = (
        pcaps.busy_link(200),
        pcaps.pcap(
            record for number in range(100) for record in pcaps.exchange(60_000_000 + number * 10_000, seq=number)
        ),
    )
    grow(folder / "z.pcap", first, 5000)
    process = following(folder, target)
    wait_until(lambda: frames_so_far(target) == 400, "the first file")
    (folder / "notes.txt").write_text("a log beside the captures\n")
    grow(folder / "a.pcap", second, 3001, pause_s=0.01)
    wait_until(lambda: frames_so_far(target) == 600, "the second file")
    process.terminate()
    _, words = process.communicate(timeout=DEADLINE_S)
    assert process.returncode == 0, words
    metadata = json.loads((target / "dataset.json").read_text())
    assert [entry["source"] for entry in metadata["inputs"]] == ["z.pcap", "a.pcap"]
    assert all(entry["sha256"] for entry in metadata["inputs"])
    plain = winf.ingest([folder], tmp_path / "plain.winf")
    assert rows(target, "exchanges").equals(rows(plain.path, "exchanges"))


def burst(start_s, exchanges):
    """A capture of one link, which begins at a time of its own."""
    return pcaps.pcap(
        record
        for number in range(exchanges)
        for record in pcaps.exchange(start_s * 1_000_000 + number * 10_000, seq=number)
    )


def ended(process, target):
    """The exit code, what was read by source, and the sentences about what may be missing."""
    process.send_signal(signal.SIGINT)
    _, words = process.communicate(timeout=DEADLINE_S)
    assert winf.check(target).is_empty()
    read = winf.sql(target, "select source, count(*) from frames group by 1 order by min(frame_no), min(start_ns)")
    lost = winf.sql(target, "select source from warnings where code = 'overwritten_recording' order by all")
    damage = winf.sql(target, "select distinct code from warnings where code <> 'overwritten_recording'")
    assert damage.is_empty(), (damage, words)
    assert words.count("may be missing") == lost.height
    return process.returncode, dict(read.rows()), [source for (source,) in lost.rows()]


def test_a_ring_of_files_is_written_over_and_over(following, tmp_path):
    """As `tcpdump -C 1 -W 3` does: each file again from its start, in place."""
    folder, target, apart = tmp_path / "ring", tmp_path / "run.winf", tmp_path / "apart"
    folder.mkdir()
    apart.mkdir()
    process = following(folder, target)
    for turn in range(7):
        (apart / f"{turn}.pcap").write_bytes(content := burst(10 * turn, 20 + turn))
        (folder / f"cap{turn % 3}").write_bytes(b"")
        grow(folder / f"cap{turn % 3}", content, 3001, pause_s=0.01)
        expected = sum(2 * (20 + number) for number in range(turn + 1))
        wait_until(lambda expected=expected: frames_so_far(target) == expected, f"file {turn} of the ring")
    code, read, lost = ended(process, target)
    assert (code, lost) == (0, [])
    names = ["cap0", "cap1", "cap2", "cap0 (2)", "cap1 (2)", "cap2 (2)", "cap0 (3)"]
    assert read == {name: 2 * (20 + turn) for turn, name in enumerate(names)}
    plain = winf.ingest([apart], tmp_path / "plain.winf")
    assert rows(target, "exchanges").drop("source").equals(rows(plain.path, "exchanges").drop("source"))


@pytest.mark.parametrize("longer", [False, True])
@pytest.mark.parametrize("place", ["file", "folder"])
def test_a_file_is_overwritten_while_it_is_read(following, tmp_path, place, longer):
    folder, target = tmp_path / "captures", tmp_path / "run.winf"
    folder.mkdir()
    recording = folder / "a.pcap"
    recording.write_bytes(burst(0, 40))
    process = following(recording if place == "file" else folder, target)
    wait_until(lambda: frames_so_far(target) == 80, "the first recording")
    recording.write_bytes(burst(60, 50 if longer else 30))
    wait_until(lambda: frames_so_far(target) == (180 if longer else 140), "the second recording")
    assert ended(process, target) == (3, {"a.pcap": 80, "a.pcap (2)": 100 if longer else 60}, ["a.pcap"])


@pytest.mark.parametrize("place", ["file", "folder"])
def test_a_file_is_replaced_and_nothing_is_lost(following, tmp_path, place):
    folder, target = tmp_path / "captures", tmp_path / "run.winf"
    folder.mkdir()
    recording = folder / "a.pcap"
    content = burst(0, 40)
    grow(recording, content[: len(content) // 2], 5000)
    process = following(recording if place == "file" else folder, target)
    wait_until(lambda: frames_so_far(target) > 20, "the first half")
    recording.rename(folder / "a.pcap.1" if place == "folder" else tmp_path / "a.pcap.1")  # which is no other recording
    moved = next(tmp_path.rglob("a.pcap.1"))
    grow(moved, content[len(content) // 2 :], 5000)
    (tmp_path / "new").write_bytes(burst(60, 30))
    (tmp_path / "new").rename(recording)
    wait_until(lambda: frames_so_far(target) == 140, "the second recording")
    assert ended(process, target) == (0, {"a.pcap": 80, "a.pcap (2)": 60}, [])


def test_a_recording_is_overwritten_before_it_is_read(tmp_path):
    for number in range(3):
        (tmp_path / f"{number}.pcap").write_bytes(burst(60 * number, 5))
    incoming = IncomingFiles(str(tmp_path))
    assert incoming.take() == tmp_path / "0.pcap"
    (tmp_path / "1.pcap").write_bytes(burst(600, 5))
    assert incoming.pending() == 2
    assert incoming.overwritten == {tmp_path / "1.pcap"}
    (tmp_path / "2.pcap").rename(tmp_path / "2.pcap.old")
    assert incoming.pending() == 2, "which is the same recording"
    assert incoming.fate(tmp_path / "0.pcap") is Fate.SAME
    incoming.done()
    assert [incoming.take() for _ in range(3)] == [tmp_path / "1.pcap", tmp_path / "2.pcap.old", None]


def test_a_reader_always_sees_a_whole_dataset(tmp_path):
    recording, target = tmp_path / "growing.pcap", tmp_path / "run.winf"
    recording.write_bytes(b"")
    done = threading.Event()
    worker = threading.Thread(
        target=winf.follow, args=([recording], target), kwargs={"every": "20ms", "stop": done.is_set}
    )
    worker.start()
    writer = threading.Thread(target=grow, args=(recording, pcaps.busy_link(1000), 997, 0.001))
    writer.start()
    wait_until(target.exists, "no dataset")
    seen = [0]
    while writer.is_alive():
        counted = winf.sql(target, "select count(*) n, count(distinct frame_no) d, max(frame_no) m from frames")
        n, distinct, last = counted.row(0)
        assert n == distinct == last >= seen[-1]
        assert winf.sql(target, "select count(*) n from nodes")["n"][0] > 0
        seen.append(n)
    done.set()
    worker.join(DEADLINE_S)
    assert rows(target, "frames").height == 2000


def test_estimates_of_half_a_recording_go_when_the_rest_comes(following, tmp_path):
    content = pcaps.busy_link(60)
    recording, target = tmp_path / "growing.pcap", tmp_path / "run.winf"
    grow(recording, content[: len(content) // 2], 5000)
    process = following(recording, target)
    wait_until(lambda: frames_so_far(target) > 50, "the first half")
    between_parts(winf.estimate, target, **QUICK)
    between_parts(winf.replay, target, topology="stack", controllers=["cbr"], duration="1s", replay_id="kept")
    assert rows(target, "estimates").height
    grow(recording, content[len(content) // 2 :], 5000)
    wait_until(lambda: frames_so_far(target) == 120, "the rest never came")
    process.send_signal(signal.SIGINT)
    _, words = process.communicate(timeout=DEADLINE_S)
    assert process.returncode == 0, words
    assert {table: rows(target, table).height for table in ("estimates", "recommended", "mac_parameters")} == {
        "estimates": 0,
        "recommended": 0,
        "mac_parameters": 0,
    }
    assert set(rows(target, "replay_summary")["replay_id"]) == {"kept"}, "which tells of its own world"
    assert winf.check(target).is_empty()


@pytest.mark.parametrize(
    ("inputs", "says"),
    [(["a", "b"], "one file"), (["-"], "one file"), (["missing.pcap"], "no such file")],
)
def test_what_cannot_be_followed(tmp_path, inputs, says):
    with pytest.raises(winf.WinfError, match=says):
        winf.follow(inputs, tmp_path / "run.winf", stop=lambda: True)
    assert list(tmp_path.iterdir()) == []


def test_interrupted_before_the_first_frame_leaves_nothing(tmp_path):
    folder = tmp_path / "empty"
    folder.mkdir()
    with pytest.raises(winf.InterruptedRun, match="before the first frame"):
        winf.follow([folder], tmp_path / "run.winf", stop=lambda: True)
    assert [path.name for path in tmp_path.iterdir()] == ["empty"]


@pytest.mark.parametrize(
    ("now", "is_other"),
    [
        (Look((1, 2), 300, 9, b"first and more"), False),
        (Look((1, 2), 90, 9, b"first"), True),
        (Look((1, 3), 300, 9, b"first"), True),
        (Look((1, 2), 300, 9, b"second"), True),
    ],
    ids=["grown", "cut", "another file with its beginning", "another beginning"],
)
def test_a_file_may_only_grow(now, is_other):
    assert _is_other(Look((1, 2), 100, 8, b"first"), now) == is_other
