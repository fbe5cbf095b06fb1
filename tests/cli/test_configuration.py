"""Defaults from winf.toml and the environment, and what the shell completes."""

from __future__ import annotations

import os
import re

import pytest
from folders import ROOT
from program import TERMINAL

from winf_analyzer.cli import completion
from winf_analyzer.cli.configuration import REFUSED


@pytest.fixture
def configured(winf, tmp_path, monkeypatch):
    """Run `winf` in a folder with these files and variables."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments, own="", user="", **variables):
        (tmp_path / "winf.toml").write_text(own)
        (tmp_path / "config" / "winf").mkdir(parents=True, exist_ok=True)
        (tmp_path / "config" / "winf" / "winf.toml").write_text(user)
        environment = {**os.environ, **TERMINAL, "XDG_CONFIG_HOME": str(tmp_path / "config"), **variables}
        return winf(*arguments, env=environment)

    return run


def form(output):
    """The format of a table of `winf list`."""
    return {"[": "json", "{": "ndjson", "e": "csv"}.get(output.stdout[:1], "table")


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, "table"),
        ({"user": 'to = "csv"'}, "csv"),
        ({"user": 'to = "csv"', "own": 'to = "json"'}, "json"),
        ({"own": 'to = "csv"\n[list]\nto = "json"'}, "json"),
        ({"own": '[list]\nto = "json"', "WINF_TO": "ndjson"}, "ndjson"),
        ({"WINF_TO": "ndjson", "WINF_LIST_TO": "csv"}, "csv"),
        ({"own": '[sql]\nto = "json"'}, "table"),
    ],
)
def test_the_nearest_counts(configured, given, expected):
    assert form(configured("list", "exports", **given)) == expected
    assert form(configured("list", "exports", "--to", "json", **given)) == "json"


@pytest.mark.parametrize("given", [{"own": "[estimate]\nall = true"}, {"WINF_ESTIMATE_ALL": "1"}, {"WINF_ALL": "1"}])
def test_an_option_is_called_what_it_is_on_the_command_line(configured, demo_dataset, given):
    # The parameters of --all, --query and others have other names, since these are words of Python.
    assert "rt_winf" in configured("estimate", demo_dataset.path, **given).stdout
    assert "rt_winf" not in configured("estimate", demo_dataset.path).stdout
    assert "WINF_ESTIMATE_ALL" in configured("estimate", "--help", **given).stdout


@pytest.mark.parametrize("given", [{"own": '[sql]\nquery = "channel_busy"'}, {"WINF_SQL_QUERY": "channel_busy"}])
def test_a_query_of_the_command_line_counts_first(configured, demo_dataset, given):
    assert configured("sql", demo_dataset.path, "select 7 as seven", "--to", "csv", **given).stdout == "seven\n7\n"
    twice = configured("sql", demo_dataset.path, "select 7", "--query", "channel_busy", **given)
    assert (twice.returncode, "not both" in twice.stderr) == (2, True)


def test_usage_lists_arguments_as_they_are_written(configured):
    said = configured("sql", "--help").stdout
    assert said.startswith("Usage: winf sql [OPTIONS] DATASET... [QUERY|-]\n")
    assert "<list[str]>" not in said


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ('windw = "1s"', "windw is no option of any command"),
        ("[estimte]", "[estimte] is no command"),
        ('[list]\nwindow = "1s"', "window is no option of winf list"),
        ("force = true", "force is taken from the command line alone"),
        ('[list]\noutput = "x"', "output is taken from the command line alone"),
        ('[list]\ndata = "x"', "data is taken from the command line alone"),
        ("[list]\nkeep-vendor = true", "keep-vendor is taken from the command line alone"),
        ("to = {a = 1}\n", "is no command"),
        ("to = [[1]]", "a text, a number"),
        ("to = ", "winf.toml: "),
    ],
)
def test_what_is_no_default_is_refused(configured, content, says):
    refused = configured("list", "exports", own=content)
    assert refused.returncode == 2
    assert says in refused.stderr


@pytest.mark.parametrize(
    "variable", ["WINF_VERSION", "WINF_HELP", "WINF_LIST_HELP", "WINF_INSTALL_COMPLETION", "WINF_SHOW_COMPLETION"]
)
def test_variables_of_packagers_are_not_ours(configured, variable):
    assert form(configured("list", "exports", "--to", "json", **{variable: "1"})) == "json"


def test_no_variable_says_what_is_written_where(configured, demo_dataset, tmp_path):
    done = configured("report", demo_dataset.path, WINF_REPORT_OUTPUT=str(tmp_path / "x.html"), WINF_REPORT_FORCE="1")
    assert not (tmp_path / "x.html").exists(), done.stderr


def test_help_needs_no_file(configured):
    assert configured("--help", own="nonsense").returncode == 0
    assert configured("--version", own="nonsense").returncode == 0


def test_a_file_that_is_too_large_is_none(configured):
    assert "no file of defaults" in configured("list", "exports", own="#" * 70_000).stderr


def test_names_are_completed_in_lists_too():
    assert completion.estimators("rt") == ["rt_winf"]
    assert "rt_winf,idle_gap" in completion.estimators("rt_winf,")
    assert "rt_winf,rt_winf" not in completion.estimators("rt_winf,")
    assert completion.controllers("new") == ["new_reno"]
    assert "stack" in completion.topologies("st")
    assert "channel_busy" in completion.queries("chan")
    assert completion.exports("per") == ["perfetto"]


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("winf estimate --estimators rt", "rt_winf"),
        ("winf replay --controllers new_reno,wc", "new_reno,wcp"),
        ("winf replay --topology st", "stack"),
        ("winf sql --query channel", "channel_busy"),
        ("winf export --to net", "netem"),
        ("winf list tab", "tables"),
        ("winf rep", "report"),
    ],
)
def test_the_shell_is_told(winf, line, names):
    words = {"_WINF_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(len(line.split()) - 1)}
    told = winf(env={**os.environ, **TERMINAL, **words})
    assert names in told.stdout.split()


def test_the_document_names_what_no_file_sets():
    text = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
    named = text[text.index("A key that no command has") : text.index("are taken from the command line alone")]
    everywhere = {"help", "version", "install_completion", "show_completion"}
    assert {name.replace("-", "_") for name in re.findall(r"`([a-z-]+)`", named)} == REFUSED - everywhere
