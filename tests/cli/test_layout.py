"""Tables and the line of progress on terminals."""

from __future__ import annotations

import os
import pty
import re
import struct
import sys
import termios
from fcntl import ioctl

import pytest
from air import Air
from finding_scenes import beacons
from hypothesis import given
from hypothesis import strategies as st
from program import COMMAND, TERMINAL

from winf_analyzer._util.progress import Work
from winf_analyzer.cli.layout import EDGE, GAP, TableColumn, fit
from winf_analyzer.cli.progress import Display, duration_text
from winf_analyzer.cli.wrap import wrapped


def column(name, *cells, breaks=False):
    return TableColumn(name, cells, breaks)


def test_a_table_that_fits_is_left_alone():
    columns = [column("link", "aa:bb > cc:dd", breaks=True), column("available_bps", "1.5")]
    assert fit(columns, 80) == ({"link": 13, "available_bps": 13}, [])


def test_headings_and_texts_are_broken_before_columns_are_left_out():
    columns = [column("link", "aa:bb > cc:dd", breaks=True), column("available_low_bps", "1.5"), column("n", "1")]
    assert fit(columns, 5 + 10 + 1 + 2 * GAP + EDGE) == ({"link": 5, "available_low_bps": 10, "n": 1}, [])
    assert columns[1].heading(10) == "available_\nlow_bps"


def test_what_can_be_done_without_goes_first_and_then_the_right():
    columns = [column(name, "0123456789") for name in ("first", "second", "third", "fourth")]
    assert fit(columns, 3 * 10 + 2 * GAP + EDGE, ["second"]).hidden == ["second"]
    assert fit(columns, 2 * 10 + GAP + EDGE, ["second"]).hidden == ["second", "fourth"]
    assert fit(columns, 1, []).hidden == ["second", "third", "fourth"]


@given(
    st.lists(st.tuples(st.text("ab_", min_size=1, max_size=9), st.text("cd ", max_size=30), st.booleans()), min_size=1),
    st.integers(20, 200),
)
def test_what_is_shown_fits(described, width):
    columns = [TableColumn(f"{name}{n}", [cell], breaks) for n, (name, cell, breaks) in enumerate(described)]
    layout = fit(columns, width)
    if len(layout.widths) > 1:
        assert sum(layout.widths.values()) + GAP * (len(layout.widths) - 1) + EDGE <= width
    assert sorted([*layout.widths, *layout.hidden]) == sorted(each.name for each in columns)


def test_the_line_says_how_far_how_fast_and_how_long():
    display = Display("estimate", 0.0)
    assert display.line(3.0) == "estimate … 3 s"
    display.hear(Work("estimating", 0, 3000, "exchanges"))
    display.line(3.0)
    display.hear(Work("estimating", 1000, 3000, "exchanges"))
    assert display.line(4.0) == "estimating  33 %  1k exchanges/s  2 s left"
    display.hear(Work("estimating", 0, 100, "exchanges"))  # another pass
    assert display.line(5.0) == "estimating  0 %"
    display.hear(Work("writing the report", 0, 0, ""))  # not "100 %, 0 s left" for as long as that takes
    assert display.line(6.0) == "writing the report … 0 s"
    assert display.line(9.0) == "writing the report … 3 s"


def test_positions_of_open_recordings_tell_how_far_they_are_read(tmp_path):
    path = tmp_path / "one.pcap"
    path.write_bytes(bytes(1000))
    display = Display("ingest", 0.0)
    display.begin("one.pcap", 1, 2)
    with path.open("rb", buffering=0) as file:
        display.line(0.0)
        file.read(500)
        assert display.line(1.0) == "[1/2] one.pcap  25 %  500 B/s  3 s left"
    (tmp_path / "two.pcap").write_bytes(bytes(9000))
    display.begin("two.pcap", 2, 2)
    assert display.line(2.0).startswith("[2/2] two.pcap  50 %")
    with (tmp_path / "two.pcap").open("rb"):
        display.line(3.0)
    assert display.line(4.0) == "[2/2] two.pcap  read, finishing … 4 s"  # not 50 % again
    display.begin("new_reno (corrected), seed 1", 1, 3)
    display.line(5.0)
    display.begin("xcp (corrected), seed 1", 2, 3)
    assert display.line(6.0) == "[2/3] xcp (corrected), seed 1  33 %  2 s left"  # without the rate of the reading


@pytest.mark.parametrize(("seconds", "text"), [(0.4, "0 s"), (59, "59 s"), (200, "3 min 20 s"), (7500, "2 h 5 min")])
def test_durations(seconds, text):
    assert duration_text(seconds) == text


def on_terminal(columns, *arguments):
    """What `winf` writes to a terminal of this width."""
    child, terminal = pty.fork()
    if child == 0:
        environment = {key: value for key, value in os.environ.items() if key != "COLUMNS"}
        os.execvpe(COMMAND[0], [*COMMAND, *map(str, arguments)], {**environment, **TERMINAL, "COLUMNS": str(columns)})
    ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    read = b""
    try:
        while block := os.read(terminal, 65536):
            read += block
    except OSError:  # the other end is closed
        pass
    os.close(terminal)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    return read.decode()


@pytest.mark.skipif(sys.platform != "linux", reason="terminals of other systems differ")
def test_a_terminal_of_80_columns_has_the_whole_table_in_its_lines(demo_dataset, winf):
    arguments = "sql", demo_dataset.path, "select * from nodes"
    narrow = on_terminal(80, *arguments)
    lines = [line.rstrip() for line in narrow.replace("\r", "").split("\n")]
    assert "--wide shows also:" in narrow
    assert max(len(line) for line in lines if "--wide" not in line) <= 80
    wide = on_terminal(80, *arguments, "--wide")
    assert "--wide" not in wide
    assert "last_ns" in wide
    piped = winf(*arguments).stdout
    assert "last_ns" in piped
    assert "--wide" not in piped


@pytest.mark.skipif(sys.platform != "linux", reason="terminals of other systems differ")
def test_findings_are_broken_between_words_on_a_terminal(tmp_path, winf):
    """Display filters are not, because they are pasted; and no line of progress stands before the first one."""
    air = Air()
    beacons(air)
    (tmp_path / "beacons.pcap").write_bytes(air.capture())
    narrow = on_terminal(60, "why", tmp_path / "beacons.pcap")
    lines = [line.rsplit("\x1b[2K", 1)[-1] for line in narrow.replace("\r", "").split("\n")]
    piped = winf("why", tmp_path / "beacons.pcap").stdout
    assert " ".join(" ".join(lines).split()) == " ".join(piped.split())
    assert any(line.startswith("1. Beacons and probes take the air") for line in lines)
    assert max(len(line) for line in lines if "Wireshark: " not in line) < 60
    assert any(line.startswith("   ") and line in piped for line in lines if "Wireshark: " in line)


def test_neither_quantities_nor_commands_are_broken():
    assert wrapped("2. Many attempts fail: Access point > Intel Corporate", 40) == (
        "2. Many attempts fail: Access point >\n   Intel Corporate"
    )
    assert wrapped("   a share of the time that is 1.78 % of it", 36) == (
        "   a share of the time that is\n   1.78 % of it"
    )
    assert wrapped("The rest is printed by `winf sql RUN --query x`.", 40) == (
        "The rest is printed by\n`winf sql RUN --query x`."
    )
    assert wrapped("one\ntwo words", 80) == "one\ntwo words"


@pytest.mark.skipif(sys.platform != "linux", reason="terminals of other systems differ")
def test_what_stands_around_a_table_is_broken_between_words_too(demo_dataset):
    said = on_terminal(80, "estimate", demo_dataset.path).replace("\r", "").split("\n")
    around = [line.rsplit("\x1b[2K", 1)[-1] for line in said]
    around = [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in around]
    (title,) = [place for place, line in enumerate(around) if line.startswith("Recommended")]
    assert max(map(len, around)) <= 80
    assert " ".join(around[title : title + 2]) == (
        "Recommended, for the whole recording, Mb/s: MSDU bits a saturating flow would add, and goodput of a TCP flow"
    )


@pytest.mark.skipif(sys.platform != "linux", reason="terminals of other systems differ")
def test_what_changed_is_broken_between_words_on_a_terminal(demo_dataset):
    said = on_terminal(80, "diff", demo_dataset.path, demo_dataset.path).replace("\r", "").split("\n")
    said = [line.rsplit("\x1b[2K", 1)[-1] for line in said]
    verdict = [line for line in said if "changed by more than chance" in line or "one side only" in line]
    assert len(verdict) == 2
    assert max(map(len, verdict)) < 80


def test_a_pipe_gets_whole_cells_however_long_the_line(demo_dataset, winf):
    lines = winf("sql", demo_dataset.path, "select * from frames limit 3").stdout.splitlines()
    assert max(map(len, lines)) > 1000
    (source,) = demo_dataset.scan("frames").head(1).collect()["source"]
    assert [line.split()[0] for line in lines[3:6]] == [source] * 3
