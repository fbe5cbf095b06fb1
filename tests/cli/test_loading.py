"""What commands load: start-up time is that of modules, so no command imports what it does not use."""

from __future__ import annotations

import os
import subprocess
import sys

import pcaps
import pytest

from winf_analyzer.cli.app import COMMANDS

HEAVY = frozenset(("duckdb", "jinja2", "numpy", "pandas", "plotly", "polars", "pyarrow", "pydantic", "rich"))
"""Libraries that take longer to import than a command on a small recording."""


BEYOND_PRINTING = HEAVY - {"rich"}
"""Of these, what a command does not load that prints a table of what it has at hand."""

MODULES = {
    "--help": 57,
    "list": 35,
    "sql": 57,
    "info": 75,
    "ingest": 65,
    "why": 139,
    "estimate": 209,
    "report": 138,
    "analyze": 297,
}
"""Modules of this package that a command may load on a small recording: a few more than it does."""

RARE = frozenset(("asyncio", "http.client", "multiprocessing", "sqlite3", "ssl", "urllib.request", "xml"))
"""Modules of the standard library that take long to import and serve few recordings."""


def loaded_by(*arguments: object) -> set[str]:
    """Names of all modules that the program has loaded at the end of a run that succeeds."""
    code = (
        "import sys; from winf_analyzer.cli import main\ntry: main()\nfinally: print(*sys.modules, file=sys.__stderr__)"
    )
    command = [sys.executable, "-W", "ignore", "-c", code, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, "NO_COLOR": "1"})
    assert done.returncode == 0, done.stderr
    return set(done.stderr.splitlines()[-1].split())


def commands(modules: set[str]) -> set[str]:
    """The commands whose modules are among these."""
    return {name for name in COMMANDS if f"winf_analyzer.cli.{name}" in modules}


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["info", "--help"], ["analyze", "--help"]])
def test_help_loads_no_library(arguments):
    assert not loaded_by(*arguments) & HEAVY


def test_a_command_loads_no_other():
    assert commands(loaded_by("undo", "--help")) == {"undo"}
    assert commands(loaded_by("--version")) == set()
    assert commands(loaded_by("--help")) == set(COMMANDS)


@pytest.mark.parametrize("registry", ["formats", "queries", "tables"])
def test_lists_load_no_library_but_that_of_the_terminal(registry):
    assert not loaded_by("list", registry) & BEYOND_PRINTING


def test_a_query_loads_duckdb_alone(demo_dataset):
    loaded = loaded_by("sql", demo_dataset.path, "select kind, count(*) from frames group by kind")
    assert loaded & BEYOND_PRINTING == {"duckdb"}
    assert loaded_by("sql", demo_dataset.path, "select 1", "--to", "csv") & BEYOND_PRINTING == {"duckdb", "polars"}


def test_info_about_a_recording_loads_no_library_but_that_of_the_terminal(tmp_path):
    (tmp_path / "a.pcap").write_bytes(pcaps.busy_link(3))
    assert not loaded_by("info", tmp_path / "a.pcap") & BEYOND_PRINTING
    assert not loaded_by("info", tmp_path / "a.pcap", "--to", "json") & BEYOND_PRINTING


def test_ingest_of_a_recording_of_the_air_loads_no_library(tmp_path):
    (tmp_path / "a.pcap").write_bytes(pcaps.busy_link(3))
    assert not loaded_by("ingest", tmp_path / "a.pcap", "-o", tmp_path / "run.winf") & HEAVY


def test_findings_load_no_templates(tmp_path):
    (tmp_path / "a.pcap").write_bytes(pcaps.busy_link(3))
    assert loaded_by("why", tmp_path / "a.pcap") & (HEAVY - {"rich"}) == {"duckdb", "polars"}


@pytest.fixture(scope="module")
def loaded(tmp_path_factory):
    """What each command of :data:`MODULES` loads, by its name."""
    folder = tmp_path_factory.mktemp("loading")
    recording, dataset = folder / "a.pcap", folder / "run.winf"
    recording.write_bytes(pcaps.busy_link(3))
    runs = {
        "--help": [],
        "list": ["formats"],
        "info": [recording],
        "ingest": [recording, "-o", dataset],
        "sql": [dataset, "select count(*) from frames"],
        "why": [recording],
        "estimate": [dataset],
        "report": [dataset, "-o", folder / "report.html"],
        "analyze": [recording, "-o", folder / "analysis", "--controllers", "none"],
    }
    return {name: loaded_by(name, *arguments) for name, arguments in runs.items()}


@pytest.mark.slow("a process per command, made by a fixture")
@pytest.mark.parametrize("name", MODULES)
def test_a_command_loads_few_modules(loaded, name):
    own = {module for module in loaded[name] if module.split(".")[0] == "winf_analyzer"}
    assert 0.8 * MODULES[name] <= len(own) <= MODULES[name], sorted(own)
    assert not loaded[name] & RARE


@pytest.mark.slow("the same processes")
def test_an_analysis_loads_what_it_does(loaded):
    rooms = {module.split(".")[1] for module in loaded["analyze"] if module.startswith("winf_analyzer.")}
    assert not rooms & {"_evaluate", "_replay", "_export", "_papers", "_anonymize", "_diff", "_scale", "_notebook"}
    assert "winf_analyzer._report.data_files" not in loaded["analyze"]
    assert loaded["analyze"] & HEAVY == {"duckdb", "jinja2", "polars", "rich"}


def test_modules_load_without_a_search_for_cycles():
    code = """
import atexit, gc, sys
from winf_analyzer.cli import program
before = sum(each["collections"] for each in gc.get_stats())
atexit.register(lambda: print(sum(each["collections"] for each in gc.get_stats()) - before, file=sys.__stderr__))
program()
"""
    command = [sys.executable, "-W", "ignore", "-c", code, "list", "estimators"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stderr.split() == ["0"]
