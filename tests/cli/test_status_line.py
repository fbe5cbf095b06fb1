"""Status lines are coloured on terminals that show colours, and nowhere else."""

from __future__ import annotations

import io
import sys

import pytest

from winf_analyzer.cli.status_line import write_line


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("stream", "environment", "coloured"),
    [
        (Terminal(), {"TERM": "xterm"}, True),
        (Terminal(), {"TERM": "xterm", "NO_COLOR": "1"}, False),
        (Terminal(), {"TERM": "dumb"}, False),
        (Terminal(), {}, False),
        (io.StringIO(), {"TERM": "xterm"}, False),
        (io.StringIO(), {"FORCE_COLOR": "1"}, True),
    ],
)
def test_colour_is_for_terminals(monkeypatch, stream, environment, coloured):
    for name in ("TERM", "NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "stderr", stream)
    write_line("damaged", "yellow")
    write_line("plain")
    assert stream.getvalue() == ("\x1b[33mdamaged\x1b[0m\nplain\n" if coloured else "damaged\nplain\n")
