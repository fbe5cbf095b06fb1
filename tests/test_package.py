"""The public face of the package."""

from __future__ import annotations

import importlib
import subprocess
import sys

import pytest
from folders import ROOT

import winf_analyzer


def test_exported_members_are_sorted_and_importable():
    exported = winf_analyzer.__all__
    assert exported == sorted(exported)
    assert all(getattr(winf_analyzer, name) is not None for name in exported)


def test_every_public_function_is_documented():
    for name in winf_analyzer.__all__:
        member = getattr(winf_analyzer, name)
        assert name == "__version__" or member.__doc__, name


def test_an_unknown_member_is_an_attribute_error():
    assert not hasattr(winf_analyzer, "nothing_of_the_sort")


def test_import_is_light():
    """`winf --help` must not wait for Polars, DuckDB or Plotly."""
    heavy = "polars", "duckdb", "plotly"
    check = f"import sys, winf_analyzer.cli; sys.exit(bool({{*{heavy!r}}} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", check], check=False).returncode == 0


def test_version_is_the_changelogs(pytestconfig):
    changelog = pytestconfig.rootpath / "CHANGELOG.md"
    assert f"## {importlib.import_module('winf_analyzer').__version__}" in changelog.read_text(encoding="utf-8")


def test_every_command_is_a_function(winf):
    words = winf("--help").stdout.split()
    commands = ["info", "ingest", "estimate", "replay", "compare", "report", "sql", "analyze", "merge", "list", "demo"]
    for name in commands:
        assert name in words
        assert callable(getattr(winf_analyzer, name))


def test_registries_are_tables():
    assert "rt_winf" in winf_analyzer.list("estimators")["estimator"]
    assert "wcp" in winf_analyzer.list("controllers")["controller"]
    for home in winf_analyzer.list("controllers")["implemented_in"]:
        assert (ROOT / home).exists(), home
    with pytest.raises(winf_analyzer.UsageError, match="no registry 'nothing'; there are formats"):
        winf_analyzer.list("nothing")
