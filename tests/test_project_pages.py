"""Pages about the project: decision records are complete and indexed, and no relative link is broken."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
DECISIONS = ROOT / "docs" / "decisions"
RECORDS = sorted(DECISIONS.glob("[0-9]*.md"))
SECTIONS = ["Context", "Decision", "Alternatives", "Consequences"]
PAGES = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("changes/*.md"), *ROOT.glob(".github/**/*.md")]
LINK = re.compile(r"\]\((?!https?:|#|mailto:)(?P<target>[^)#\s]+)")


def test_decisions_are_numbered_without_gaps_and_indexed_in_order():
    titles = [path.read_text(encoding="utf-8").partition("\n")[0] for path in RECORDS]
    assert [title[2:6] for title in titles] == [f"{number:04}" for number in range(1, len(RECORDS) + 1)]
    expected = [f"- [{path.name[:4]}]({path.name}) {title[8:]}" for path, title in zip(RECORDS, titles, strict=True)]
    index = (DECISIONS / "README.md").read_text(encoding="utf-8").splitlines()
    assert [line for line in index if line.startswith("- [")] == expected


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_a_decision_is_one_page_with_every_section(path):
    text = path.read_text(encoding="utf-8")
    assert re.findall(r"^## (.+)$", text, flags=re.MULTILINE) == SECTIONS
    assert re.search(r"^Status: (accepted|replaced by \d{4})$", text, flags=re.MULTILINE)
    sections = re.split(r"^## .+$", text, flags=re.MULTILINE)[1:]
    assert all(section.strip() for section in sections)
    assert len(text.splitlines()) <= 50


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_no_relative_link_is_broken(page):
    """In the repository as it is browsed; building the site fails where one is missing there."""
    targets = {found["target"] for found in LINK.finditer(page.read_text(encoding="utf-8"))}
    assert {target for target in targets if not (page.parent / target).exists()} == set()
