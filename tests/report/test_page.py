"""Templates of the report: compiled once, and again where what was kept is of no use."""

import sys
import threading
from contextlib import suppress
from unittest.mock import MagicMock, call

import duckdb
import pytest
from jinja2 import Environment

from winf_analyzer._report import page
from winf_analyzer._util.errors import WinfError


@pytest.fixture
def compiled(tmp_path, monkeypatch):
    """Names of templates that were compiled, which are kept in `tmp_path`."""
    names = []
    compile_template = Environment.compile

    def noted(environment, source, name=None, filename=None, **more):
        names.append(name)
        return compile_template(environment, source, name, filename, **more)

    monkeypatch.setattr(Environment, "compile", noted)
    monkeypatch.setattr(page, "cache_from_source", lambda _: str(tmp_path / "page.pyc"))
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    return names


def rendered():
    """A template that needs no values, in an environment of its own, as each process has one."""
    return page._environment.__wrapped__().get_template("js/dom.js").render()


def test_a_template_is_compiled_once(compiled, tmp_path):
    assert rendered() == rendered()
    assert compiled == ["js/dom.js"]
    assert [path.suffix for path in tmp_path.iterdir()] == [".jinja"]


def test_what_was_kept_and_is_damaged_is_compiled_again(compiled, tmp_path):
    text = rendered()
    (kept,) = tmp_path.iterdir()
    kept.write_bytes(kept.read_bytes()[:60])
    assert rendered() == text
    assert len(compiled) == 2
    assert rendered() == text
    assert len(compiled) == 2


def test_nothing_is_kept_where_python_keeps_nothing(compiled, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    assert rendered() == rendered()
    assert not list(tmp_path.iterdir())
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(page, "cache_from_source", lambda _: str(tmp_path / "absent" / "page.pyc"))
    rendered()
    assert len(compiled) == 3


def test_lines_of_sql_stay_lines_and_nothing_else_passes():
    assert page._by_line("select 1\nfrom <a>\x1b[2J") == "select 1\nfrom &lt;a&gt;\\x1b[2J"


def test_a_connection_is_closed_after_the_block_and_only_interrupted_after_an_error():
    closed, failed = MagicMock(), MagicMock()
    with page._closed_at_end(closed):
        pass
    assert closed.mock_calls == [call.close()]
    with pytest.raises(WinfError), page._closed_at_end(failed):
        raise WinfError("what is wrong")
    assert failed.mock_calls == [call.interrupt()]


def test_an_error_is_told_while_another_thread_still_asks():
    connection = duckdb.connect(":memory:")
    started = threading.Event()

    def ask():
        started.set()
        with pytest.raises(duckdb.Error):
            connection.execute("select count(*) from range(1000000000000) where hash(range) = 7").fetchall()

    thread = threading.Thread(target=ask)

    def fail():
        with page._closed_at_end(connection):
            thread.start()
            started.wait()
            raise WinfError("what is wrong")

    with pytest.raises(WinfError, match="what is wrong"):
        fail()
    while thread.is_alive():  # whose query may have begun only after it was interrupted: to close would wait for it
        with suppress(duckdb.Error):
            connection.interrupt()
        thread.join(0.05)
