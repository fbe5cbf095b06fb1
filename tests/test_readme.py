"""What the README shows works as shown."""

from __future__ import annotations

import re
import shlex

import polars as pl
import pytest
from folders import ROOT

import winf_analyzer
from winf_analyzer.cli import app

README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, flags=re.DOTALL)


def test_the_sql_example(demo_dataset):
    (query,) = blocks("sql")
    answer = winf_analyzer.sql(demo_dataset, query)
    assert answer.height == 3
    assert answer["exchanges"].min() > 10


def test_the_python_example(tmp_path, monkeypatch):
    (code,) = blocks("python")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sample_captures").symlink_to(ROOT / "sample_captures")
    names: dict[str, object] = {}
    exec(code, names)
    assert isinstance(names["estimates"], pl.DataFrame)
    assert names["estimates"].height > 0
    assert (tmp_path / "run.html").stat().st_size > 10_000


def test_every_command_shown_exists():
    shown = [shlex.split(line, comments=True) for block in blocks("sh") for line in block.splitlines()]
    verbs = {words[1] for words in shown if words and words[0] == "winf"}
    assert verbs
    assert verbs <= set(app.COMMANDS)


@pytest.mark.parametrize("path", sorted(set(re.findall(r"\]\(([\w./-]+)\)", README))))
def test_every_file_linked_is_there(path):
    assert (ROOT / path).is_file()


def test_the_findings_shown_are_those_of_the_sample():
    """All of the first one but the names of stations, which have aliases there."""
    (shown,) = re.findall(r"```console\n(.*?)```", README, flags=re.DOTALL)
    row = winf_analyzer.why([ROOT / "sample_captures" / "ns3_sniffer" / "recording"]).findings.row(0, named=True)
    said = " ".join(shown.split())
    assert f"1. {row['title']}: {row['subject']}" in said
    counts, without, gain = row["text"].partition(" Without ")
    assert counts in said
    assert without + gain.partition(",")[0] in said
    assert gain.partition(" would have ")[2] in said
    assert row["remedy"] in said
    assert row["display_filter"] in said
