"""The prompt of `winf sql` on a terminal."""

from __future__ import annotations

import os
import pty

import pytest
from program import COMMAND, TERMINAL


@pytest.fixture
def prompt(demo_dataset, tmp_path):
    def run(*lines: str) -> str:
        """What a terminal shows of a prompt that is given these lines."""
        child, terminal = pty.fork()
        if child == 0:
            environment = {**os.environ, **TERMINAL, "XDG_STATE_HOME": str(tmp_path)}
            os.execvpe(COMMAND[0], [*COMMAND, "sql", str(demo_dataset.path)], environment)
        shown = b""
        waiting = list(lines)
        try:
            while block := os.read(terminal, 65536):
                shown += block
                if waiting and shown.endswith((b"winf> ", b"  ... ")):
                    os.write(terminal, waiting.pop(0).encode() + b"\n")
        except OSError:  # the other end is closed
            pass
        os.close(terminal)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert not waiting
        return shown.decode()

    return run


def test_words_that_are_no_queries(prompt, tmp_path):
    shown = prompt(
        *("help", ".tables", ".columns nodes", ".run stations", ".nothing"),
        *("select count(*) as number", "from nodes;", "quit"),
    )  # fmt: skip
    assert "End each SELECT with a semicolon" in shown
    assert ".run NAME" in shown
    assert "one row per frame heard" in shown
    assert "network name it announced" in shown
    assert "Stations" in shown
    assert "no command .nothing; help lists them." in shown
    assert " 4 " in shown
    history = (tmp_path / "winf" / "sql_history").read_text()
    assert "from nodes;" in history
    assert (tmp_path / "winf" / "sql_history").stat().st_mode & 0o077 == 0


def test_the_tab_key_completes_tables_and_columns(prompt):
    shown = prompt(".columns nodes\t", "select count(signal_db\t) from nodes;", "quit")
    assert "network name it announced" in shown
    assert "select count(signal_dbm" in shown
    assert "Error" not in shown


def test_the_end_of_input_ends_it(prompt):
    assert "winf>" in prompt("\x04")


def test_the_words_need_no_prompt(demo_dataset, winf, winf_process):
    dataset = demo_dataset.path
    tables = winf("sql", dataset, "select table_name from information_schema.tables").stdout
    listed = winf("sql", dataset, ".tables", "--to", "csv").stdout.splitlines()
    assert listed[0] == "table,row"
    assert len(listed) > 4
    assert all(line.partition(",")[0] in tables for line in listed[1:])
    several = winf_process("sql", dataset, input=".columns nodes\n\n.run stations\n")
    assert several.returncode == 0, several.stderr
    assert "network name it announced" in several.stdout
    assert "Stations" in several.stdout
    assert "winf> " not in several.stdout
    mixed = winf_process("sql", dataset, "-", input=".tables\nselect 1\n")
    assert (mixed.returncode, mixed.stdout) == (2, "")
    assert "select 1: no command" in mixed.stderr
    assert "no command .nothing" in winf("sql", dataset, ".nothing").stderr
