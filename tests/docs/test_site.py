"""The documentation: built without warnings, complete, without parts from elsewhere, and its examples run."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec

import pytest
from folders import ROOT, SAMPLES

import winf_analyzer
from winf_analyzer.cli.app import COMMANDS

sys.path.insert(0, str(ROOT / "tools"))
sys.path.insert(0, str(ROOT / "tools" / "site"))

import links
import man_pages
import reference


@pytest.fixture(scope="module")
def pages():
    return reference.pages()


def test_every_member_of_every_registry_has_a_page(pages):
    for registry in ("estimators", "controllers", "findings", "queries", "topologies", "exports", "formats"):
        for name in winf_analyzer.list(registry).to_series(0):
            assert f"reference/{registry}/{name}.md" in pages
            assert f"{name}.md" in pages[f"reference/{registry}.md"]
    for name in COMMANDS:
        assert f"$ winf {name}".removeprefix("$ ") in pages[f"reference/commands/{name}.md"]


def test_the_list_of_formats_has_the_link_types_and_compressions_of_the_document():
    text = (ROOT / "docs" / "supported.md").read_text(encoding="utf-8")
    containers, link_types = (re.search(rf"\| {row} \|(.*)\|", text)[1] for row in ("containers", "link types"))
    formats = dict(winf_analyzer.list("formats").select("format", "description").iter_rows())
    number = re.compile(r"\b\d{1,3}\b")
    assert sorted(set(number.findall(link_types))) == sorted(set(number.findall(formats["pcap"])) - {"802", "11"})
    assert all(name in formats["pcap"] for name in ("gzip", "zstd", "lz4", "xz") if name in containers)
    assert "Kismet" in containers
    assert "kismet" in formats


def test_pages_say_what_the_registry_says(pages):
    for name, description in winf_analyzer.list("estimators").select("estimator", "description").iter_rows():
        assert description in pages[f"reference/estimators/{name}.md"]
    for name, remedy in winf_analyzer.list("findings").select("finding", "remedy").iter_rows():
        assert remedy in pages[f"reference/findings/{name}.md"]


def test_links_to_pages_stay_and_others_are_named():
    known = {"docs/tables.md": "tables.md", "ARCHITECTURE.md": "project/architecture.md"}
    text = "[a](tables.md#frames) [b](../ARCHITECTURE.md) [c](../engine/src/lib.rs) [d](https://x.org) [e](#here)"
    assert links.rewritten(text, "docs/speed.md", "speed.md", known) == (
        "[a](tables.md#frames) [b](project/architecture.md) c (`engine/src/lib.rs`) [d](https://x.org) [e](#here)"
    )


def test_the_site_is_built_without_a_warning_and_loads_nothing_from_elsewhere(tmp_path):
    if not find_spec("mkdocs") or not find_spec("material"):
        pytest.skip("mkdocs-material is not installed (extra `docs`)")
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "NO_MKDOCS_2_WARNING": "1"}
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", tmp_path / "site"]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=environment, check=False)
    assert built.returncode == 0, built.stderr
    assert "WARNING" not in built.stderr
    made = sorted((tmp_path / "site").rglob("*.html"))
    assert len(made) > 100
    loads = re.compile(r"""<(?:script|img|link|iframe)[^>]*(?:src|href)=["']?(?:https?:)?//""")
    for page in made:
        assert not loads.search(page.read_text(encoding="utf-8")), page
    for style in (tmp_path / "site").rglob("*.css"):
        assert not re.search(r"(?:@import|url\()\s*[\"']?(?:https?:)?//", style.read_text(encoding="utf-8")), style


def test_the_researchers_ten_lines_run(tmp_path, monkeypatch):
    text = (ROOT / "docs" / "start" / "researcher.md").read_text(encoding="utf-8")
    code = re.search(r"```python\n(.*?)```", text, re.DOTALL)[1]
    assert len(code.splitlines()) <= 10
    (tmp_path / "sample_captures").symlink_to(SAMPLES)
    monkeypatch.chdir(tmp_path)
    exec(code, {})
    assert "plotly" in (tmp_path / "available.html").read_text(encoding="utf-8")


def test_man_pages_are_what_troff_reads(tmp_path):
    written = man_pages.write(tmp_path)
    assert {path.stem for path in written} == {"winf", *(f"winf-{name}" for name in COMMANDS)}
    assert "\\-\\-force" in (tmp_path / "man1" / "winf-export.1").read_text(encoding="utf-8")
    if not shutil.which("groff"):
        pytest.skip("groff is not installed")
    for path in written:
        formatted = subprocess.run(
            ["groff", "-man", "-Tutf8", "-ww", path], capture_output=True, text=True, check=False
        )
        assert formatted.stderr == "", path
        assert "winf" in formatted.stdout
