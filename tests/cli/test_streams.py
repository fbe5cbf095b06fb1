"""Standard streams that are closed, full or no longer read, and texts of recordings on their way to a terminal."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
from pathlib import Path

import pcaps
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from program import COMMAND, TERMINAL

from winf_analyzer._util.format import printable
from winf_analyzer._util.spreadsheet import for_csv
from winf_analyzer.cli import streams

LONG = "select f.* from frames f, range(2)"
TURNING = "\u061c\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
"""Characters that change the direction of writing, or end a line."""

HOSTILE = "\x1b]0;title\x07=\u202e"
full_device = pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")


def shell(command: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run `winf "$@"` in a shell with redirections."""
    words = [str(argument) for argument in arguments]
    script = command.replace("winf", '"$0" -c "$1" "${@:2}"')
    line = ["bash", "-o", "pipefail", "-c", script, COMMAND[0], COMMAND[2], *words]
    environment = {**os.environ, **TERMINAL}
    return subprocess.run(line, capture_output=True, text=True, timeout=300, check=False, env=environment)


@pytest.mark.parametrize("form", ["table", "csv", "json", "ndjson", "parquet", "arrow"])
def test_a_reader_that_leaves_is_no_error(demo_dataset, form):
    done = shell("winf | head -c 10 >/dev/null", "sql", demo_dataset.path, LONG, "--to", form)
    assert (done.returncode, done.stderr) == (0, "")


@full_device
@pytest.mark.parametrize("form", ["table", "csv", "ndjson"])
def test_a_full_output_is_one_sentence(demo_dataset, form):
    done = shell("winf >/dev/full", "sql", demo_dataset.path, "select 1 as a", "--to", form)
    assert (done.returncode, done.stderr) == (1, "winf: standard output: No space left on device.\n")


def test_closed_streams_are_one_sentence_each(demo_dataset, tmp_path):
    closed = shell("winf >&-", "sql", demo_dataset.path, "select 1 as a", "--to", "csv")
    assert (closed.returncode, closed.stderr) == (1, "winf: standard output is closed; nothing was printed.\n")
    asked = shell("winf <&-", "sql", demo_dataset.path, "-")
    assert (asked.returncode, asked.stderr) == (2, "winf: standard input is closed; give a query.\n")
    read = shell("winf <&-", "ingest", "-", "-o", tmp_path / "run.winf")
    assert (read.returncode, read.stderr) == (4, "winf: -: standard input is closed.\n")
    assert shell("winf 2>&-", "sql", demo_dataset.path, "select nothing").returncode == 2


def test_every_column_of_frames_can_be_written_as_csv(demo_dataset, winf):
    done = winf(
        "sql", demo_dataset.path, "select *, [1, 2] as l, {'a': [x'00ff'::blob]} as s from frames", "--to", "csv"
    )
    assert done.returncode == 0, done.stderr
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert len(rows) == demo_dataset.scan("frames").select(pl.len()).collect().item()
    assert rows[0]["l"] == "[1, 2]"
    assert "antenna_signals_dbm" in rows[0]


@pytest.mark.parametrize(
    "text",
    ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", " =1", "\u00a0=1", "\ufeff=1", "\uff1d1", "\uff201"],
)
def test_formulas_are_texts_in_a_spreadsheet(text):
    cell = for_csv(pl.DataFrame({text: [text]})).write_csv().splitlines()
    assert all(line.strip('"').startswith("'") for line in cell)


def test_numbers_stay_numbers():
    frame = pl.DataFrame({"a": [-1.5, None], "b": ["00:11:22:33:44:55", None], "c": [[None, -1], None]})
    assert for_csv(frame).write_csv() == 'a,b,c\n-1.5,00:11:22:33:44:55,"[null, -1]"\n,,\n'


@given(st.text(), st.text())
def test_no_control_character_leaves_as_csv_or_in_a_message(name, text):
    written = for_csv(pl.DataFrame({name: [text]})).write_csv()
    assert all(c.isprintable() or c in "\n\u00a0" or (ord(c) > 0xA0 and c not in TURNING) for c in written)
    assert printable(text).isprintable()


def test_hostile_names_reach_no_terminal(winf, tmp_path):
    recording = tmp_path / f"{HOSTILE}.pcap"
    recording.write_bytes(pcaps.busy_link(3)[:-5])
    folder = tmp_path / f"out{HOSTILE}"
    outputs = [
        winf("info", recording),
        winf("ingest", recording, "-o", tmp_path / f"{HOSTILE}.winf"),
        winf("sql", tmp_path / f"{HOSTILE}.winf", f'select source, 1 as "{HOSTILE}" from frames'),
        winf("sql", tmp_path / f"{HOSTILE}.winf", f'select source, 1 as "{HOSTILE}" from frames', "--to", "csv"),
        winf("sql", tmp_path / f"{HOSTILE}.winf", f"select {HOSTILE}"),
        winf("sql", tmp_path / f"{HOSTILE}.winf", "--query", HOSTILE),
        winf("ingest", tmp_path / f"missing{HOSTILE}", "-o", folder),
        winf("estimate", folder),
        winf("anonymize", tmp_path / f"{HOSTILE}.winf", "-o", tmp_path / f"public{HOSTILE}.winf"),
        winf("check", "--public", tmp_path / f"{HOSTILE}.winf"),
    ]
    for done in outputs:
        for text in (done.stdout, done.stderr):
            assert not {"\x1b", "\x07", "\u202e"} & set(text), done.args


def test_hostile_aliases_and_networks_reach_no_terminal(winf, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    beacons = [(t * 1000, pcaps.radiotap(pcaps.beacon(pcaps.AP, HOSTILE.encode()), tsft_us=t)) for t in (500, 900)]
    exchanges = [each for number in range(60) for each in pcaps.exchange(10_000 + number * 5_000, seq=number)]
    Path("a.pcap").write_bytes(pcaps.pcap([*beacons, *exchanges]))
    name = "".join(f"\\u{ord(each):04x}" for each in HOSTILE)
    Path("aliases.toml").write_text(f'"{pcaps.STATION}" = "{name}"\n"{pcaps.AP}" = "={name}"\n')
    outputs = [
        winf("analyze", "a.pcap", "-o", "out", "--controllers", "none"),
        winf("why", "out/run.winf"),
        winf("diff", "out/run.winf", "out/run.winf"),
        winf("sql", "out/run.winf", "select * from nodes"),
        winf("sql", "out/run.winf", "select alias, ssid from nodes", "--to", "csv"),
    ]
    for done in outputs:
        assert done.returncode == 0, done.stderr
        for text in (done.stdout, done.stderr):
            assert not {"\x1b", "\x07", "\u202e"} & set(text), done.args
    assert "]0;title" in outputs[-1].stdout
    assert "\n=" not in outputs[-1].stdout


@pytest.mark.parametrize("encoding", ["latin-1", "ascii"])
@pytest.mark.parametrize("form", ["table", "csv", "json", "ndjson"])
def test_an_output_in_another_encoding_is_no_error(demo_dataset, winf_process, encoding, form):
    environment = {**os.environ, **TERMINAL, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}
    asked = ("sql", demo_dataset.path, "select 'ö→' as a", "--to", form)
    done = winf_process(*asked, env=environment, text=False)
    assert (done.returncode, done.stderr) == (0, b"")
    printed = "ö→".encode(encoding if form == "table" else "utf-8", "backslashreplace")
    assert printed in done.stdout
    if form == "json":
        assert json.loads(done.stdout) == [{"a": "ö→"}]


def test_info_in_another_encoding_is_json(short_recording, winf_process, tmp_path):
    recording = tmp_path / "ö→.pcap"
    recording.write_bytes(short_recording.read_bytes())
    environment = {**os.environ, **TERMINAL, "PYTHONIOENCODING": "ascii"}
    for form in ("table", "json", "ndjson"):
        done = winf_process("info", recording, "--to", form, env=environment, text=False)
        assert (done.returncode, done.stderr) == (0, b"")
        assert ("ö→.pcap".encode() in done.stdout) == (form != "table")


WITHOUT_LETTERS = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
"""A locale in which Python knows ASCII alone."""


@pytest.mark.parametrize("locale", [{}, WITHOUT_LETTERS])
def test_octets_of_a_query_that_are_not_utf_8_are_a_usage_error(demo_dataset, winf_process, locale):
    environment = {**os.environ, **TERMINAL, **locale}

    def asked(*arguments, **options):
        return winf_process(
            "sql", demo_dataset.path, *arguments, "--to", "json", env=environment, text=False, **options
        )

    said = b"winf: SQL: the query, or a parameter, has octets that are not UTF-8.\n"
    text, octets = (f"select '{letter}' as a" for letter in ("ö", "\udcff"))
    for done in (asked(octets), asked("-", input=os.fsencode(octets)), asked("select $x", "-p", "x=\udcff")):
        assert (done.returncode, done.stdout, done.stderr) == (2, b"", said)
    for done in (asked(text), asked("-", input=text.encode()), asked("select $x as a", "-p", "x=ö")):
        assert (done.returncode, done.stderr) == (0, b"")
        assert json.loads(done.stdout) == [{"a": "ö"}]


def test_json_holds_every_text_as_it_is(demo_dataset, winf):
    done = winf("sql", demo_dataset.path, "select '=1' || chr(27) as a", "--to", "json")
    assert json.loads(done.stdout) == [{"a": "=1\x1b"}]


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (OSError(28, "No space left on device"), "standard output: No space left on device."),
        (OSError(13, "Permission denied", "a.pcap"), "a.pcap: Permission denied."),
        (OSError("part-00000.parquet: not a Parquet file"), "part-00000.parquet: not a Parquet file."),
    ],
)
def test_an_error_names_the_file_it_is_about(error, sentence):
    assert streams.output_error(error) == sentence


def test_no_line_of_info_is_broken_or_padded_in_a_pipe(tmp_path, winf_process):
    """As of tables: a line is what grep finds."""
    (tmp_path / "a.pcap").write_bytes(pcaps.busy_link(40))
    lines = winf_process("info", tmp_path / "a.pcap", env={**os.environ, "COLUMNS": "40"}).stdout.splitlines()
    assert all(line == line.rstrip() for line in lines)
    labels = [line[:18].strip() for line in lines[1:] if line]
    assert all(labels), "no line goes on in the next one"
    (container,) = (line for line in lines if line.startswith("  container "))
    assert container.startswith("  container        pcap 2.4  byte order little-endian  resolution nanosec")
