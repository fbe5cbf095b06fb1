"""Each kind of unusable input or output gives one clear sentence, its exit code, and no half-made dataset."""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pcaps
import pytest
from program import COMMAND

from winf_analyzer.cli import app as program

LEFTOVERS = "nothing that looks like a dataset is left"


def left_in(folder: Path, *known: str) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir() if entry.name not in known)


def one_sentence(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    assert len(lines) == 1, text
    assert "Traceback" not in text
    return lines[0]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "empty"),
        (b"GET / HTTP/1.1\r\nHost: example.org\r\n\r\n" * 20, "not a recording"),
        (pcaps.pcap([]), "no frames"),
        (pcaps.pcap([(0, bytes(60))], link_type=pcaps.ETHERNET), "link type 1 (Ethernet)"),
        (os.urandom(4096), "not a recording"),
    ],
    ids=["empty file", "text", "empty pcap", "ethernet pcap", "random bytes"],
)
def test_unusable_file(winf, tmp_path, content, says):
    recording = tmp_path / "input.pcap"
    recording.write_bytes(content)
    result = winf("ingest", recording, "-o", tmp_path / "run.winf")
    assert result.returncode == 4, result.stderr
    assert says in one_sentence(result.stderr)
    assert "input.pcap" in result.stderr
    assert left_in(tmp_path, "input.pcap") == [], LEFTOVERS


def test_no_input_named(winf, tmp_path):
    assert winf("ingest", "-o", tmp_path / "run.winf").returncode == 2
    assert left_in(tmp_path) == []


def test_missing_file(winf, tmp_path):
    result = winf("ingest", tmp_path / "missing.pcap", "-o", tmp_path / "run.winf")
    assert result.returncode == 4
    assert "no such file" in one_sentence(result.stderr)
    assert left_in(tmp_path) == [], LEFTOVERS


def test_folder_without_recordings(winf, tmp_path):
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "readme.txt").write_text("nothing to see\n")
    result = winf("ingest", folder, "-o", tmp_path / "run.winf")
    assert result.returncode == 4
    assert "no recordings in the folder" in one_sentence(result.stderr)
    assert left_in(tmp_path, "notes") == [], LEFTOVERS


def test_truncated_recording_keeps_what_came_before(winf, tmp_path):
    recording = tmp_path / "cut.pcap"
    recording.write_bytes(pcaps.busy_link(10)[:-3])
    result = winf("ingest", recording, "-o", tmp_path / "run.winf")
    assert result.returncode == 3, result.stderr
    assert "cut" in result.stderr
    count = winf("sql", tmp_path / "run.winf", "select count(*) n from frames", "--to", "csv")
    assert count.stdout == "n\n19\n"
    codes = winf("sql", tmp_path / "run.winf", "select source, code from warnings", "--to", "csv")
    assert codes.stdout == "source,code\ncut.pcap,truncated_record\n"


def test_a_bad_file_among_good_ones_is_skipped(winf, tmp_path):
    (tmp_path / "good.pcap").write_bytes(pcaps.busy_link(3))
    (tmp_path / "bad.pcap").write_bytes(b"not a capture")
    result = winf("ingest", tmp_path / "good.pcap", tmp_path / "bad.pcap", "-o", tmp_path / "run.winf")
    assert result.returncode == 3, result.stderr
    assert "skipped" in result.stderr
    assert "bad.pcap" in result.stderr


def test_existing_output_is_refused_before_any_work(winf, tmp_path):
    recording = tmp_path / "a.pcap"
    recording.write_bytes(pcaps.busy_link(3))
    target = tmp_path / "run.winf"
    assert winf("ingest", recording, "-o", target).returncode == 0
    before = (target / "dataset.json").read_bytes()
    assert winf("ingest", recording, "-o", target).returncode == 0
    assert (target / "dataset.json").read_bytes() == before, "it holds this recording"
    result = winf("replay", "--topology", "stack", "-o", target)
    assert result.returncode == 1
    assert "exists already" in one_sentence(result.stderr)
    assert (target / "dataset.json").read_bytes() == before
    assert winf("ingest", recording, "-o", target, "--force").returncode == 0


def test_force_never_replaces_something_else(winf, tmp_path):
    recording = tmp_path / "a.pcap"
    recording.write_bytes(pcaps.busy_link(3))
    precious = tmp_path / "thesis"
    precious.mkdir()
    (precious / "chapter1.txt").write_text("years of work")
    result = winf("ingest", recording, "-o", precious, "--force")
    assert result.returncode == 1
    assert "not a dataset" in one_sentence(result.stderr)
    assert (precious / "chapter1.txt").read_text() == "years of work"


def test_unwritable_output(winf, tmp_path):
    recording = tmp_path / "a.pcap"
    recording.write_bytes(pcaps.busy_link(3))
    result = winf("ingest", recording, "-o", tmp_path / "missing" / "run.winf")
    assert result.returncode == 1
    assert "cannot write there" in one_sentence(result.stderr)


def test_full_disk(tmp_path):
    """A file system of 32 KiB, in a mount namespace of the test's own."""
    if shutil.which("unshare") is None:
        pytest.skip("unshare is not installed: no full disk without it")
    probe = subprocess.run(["unshare", "--map-root-user", "--mount", "true"], capture_output=True, check=False)
    if probe.returncode != 0:
        pytest.skip(f"no mount namespaces here: {probe.stderr.decode().strip()}")
    recording = tmp_path / "a.pcap"
    recording.write_bytes(pcaps.busy_link(20_000, interval_us=2100))
    disk = tmp_path / "disk"
    disk.mkdir()
    script = (
        f"mount -t tmpfs -o size=32k none {disk} || exit 99; {shlex.join(COMMAND)} ingest {recording} "
        f"-o {disk}/run.winf; code=$?; ls -A {disk}; exit $code"
    )
    result = subprocess.run(
        ["unshare", "--map-root-user", "--mount", "sh", "-c", script], capture_output=True, text=True, check=False
    )
    if result.returncode == 99:
        pytest.skip(f"no tmpfs here: {result.stderr.strip()}")
    assert result.returncode == 1, result.stderr
    assert "No space left on device" in one_sentence(result.stderr)
    assert result.stdout == "", LEFTOVERS


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGKILL, -signal.SIGKILL)])
def test_interrupted_in_the_middle(tmp_path, sent, code):
    recording = tmp_path / "long.pcap"
    recording.write_bytes(pcaps.busy_link(2000, interval_us=2100))
    octets = recording.read_bytes()
    with recording.open("ab") as file:
        for _ in range(150):
            file.write(octets[24:])
    running = subprocess.Popen(
        [*COMMAND, "ingest", recording, "-o", tmp_path / "run.winf"], stderr=subprocess.PIPE, text=True
    )
    deadline = time.monotonic() + 60
    while not list(tmp_path.glob(".run.winf.partial/.incoming-*/frames/*.parquet")) and time.monotonic() < deadline:
        time.sleep(0.005)
    running.send_signal(sent)
    _, words = running.communicate(timeout=60)
    assert running.returncode == code, words
    assert not (tmp_path / "run.winf").exists()
    if sent == signal.SIGINT:
        assert "interrupted" in words
        assert "Traceback" not in words
        assert left_in(tmp_path, "long.pcap") == [], LEFTOVERS


def test_not_a_dataset(winf, tmp_path):
    for command in (["estimate"], ["sql", "select 1"], ["report"]):
        extra = ["-o", tmp_path / "r.html"] if command[0] == "report" else []
        result = winf(command[0], tmp_path, *command[1:], *extra)
        assert result.returncode == 1, command
        assert "not a dataset" in one_sentence(result.stderr)


def test_dataset_of_a_newer_format(winf, tmp_path):
    (tmp_path / "dataset.json").write_text('{"format_version": 99}')
    result = winf("sql", tmp_path, "select 1")
    assert result.returncode == 1
    assert "newer winf" in one_sentence(result.stderr)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["estimate", "DATASET", "--estimators", "guess"], "rt_winf"),
        (["estimate", "DATASET", "--mode", "wrong"], "corrected"),
        (["estimate", "DATASET", "--step", "300ms"], "whole number of steps"),
        (["estimate", "DATASET", "--step", "100ms", "--running"], "sliding windows"),
        (["estimate", "DATASET", "--probe", "ping"], "subtype_1001"),
        (["estimate", "DATASET", "--window", "soon"], "not a duration"),
        (["estimate", "DATASET", "--node", "02:00:00:00:00:99"], "no estimates of node"),
        (["sql", "DATASET", "--query", "nothing"], "known: "),
        (["sql", "DATASET", "--query", "capacity", "-p", "speed=1"], "no parameter"),
        (["sql", "DATASET", "selec 1"], "SQL"),
        (["sql", "DATASET", "select 1", "--query", "capacity"], "not both"),
    ],
)
def test_usage(winf, demo_dataset, arguments, says):
    result = winf(*[str(demo_dataset.path) if word == "DATASET" else word for word in arguments])
    assert result.returncode == 2, result.stderr
    assert says in result.stderr
    assert "Traceback" not in result.stderr


class Panic(BaseException):
    """What a panic of native code becomes in Python."""


@pytest.mark.parametrize(
    ("interrupted", "code", "said"),
    [(True, 130, "winf: interrupted"), (False, 1, "winf: internal error: Panic: broken")],
)
def test_a_panic_is_told_in_a_line(monkeypatch, capfd, interrupted, code, said):
    def panic():
        raise Panic("broken")

    monkeypatch.setattr(program, "app", panic)
    monkeypatch.setattr(program.interrupts, "interrupted", lambda: interrupted)
    monkeypatch.setattr(program.interrupts, "watched", contextlib.nullcontext)  # it would go on watching this process
    assert program._run() == code
    errors = capfd.readouterr().err
    assert said in errors
    assert "Traceback" not in errors


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("ingest", "", "-o", "run.winf"), "INPUT..."),
        (("ingest", "a.pcap", "-o", ""), "--output"),
        (("why", ""), "INPUT..."),
        (("check", ""), "DATASET..."),
        (("estimate", ""), "DATASET"),
        (("sql", "run.winf", ""), "DATASET... [QUERY|-]"),
    ],
)
def test_an_empty_variable_is_not_the_present_folder(winf, tmp_path, monkeypatch, arguments, named):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.pcap").write_bytes(pcaps.busy_link(3))
    done = winf(*arguments)
    assert (done.returncode, one_sentence(done.stderr).startswith(f"winf: {named}: an empty value")) == (2, True)
    assert not (tmp_path / "run.winf").exists()


def test_an_interval_without_following_is_refused(winf, tmp_path):
    (tmp_path / "a.pcap").write_bytes(pcaps.busy_link(5))
    done = winf("ingest", tmp_path / "a.pcap", "-o", tmp_path / "run.winf", "--every", "2s")
    assert (done.returncode, left_in(tmp_path, "a.pcap")) == (2, [])
    assert "--every is the interval of --follow" in one_sentence(done.stderr)
    as_default = {**os.environ, "WINF_INGEST_EVERY": "2s"}
    assert winf("ingest", tmp_path / "a.pcap", "-o", tmp_path / "run.winf", env=as_default).returncode == 0
