"""Figures that the README quotes are those of the pages that it links."""

from __future__ import annotations

import re

import pytest
from folders import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
NUMBER = r"([\d.]+)"


def cells(page: str, first: str, behind: str = "") -> list[str]:
    """The cells of the first row of a page's tables that begins with this one, `behind` a heading."""
    text = (ROOT / page).read_text(encoding="utf-8")
    for line in text[text.index(behind) :].splitlines():
        row = [cell.strip() for cell in line.strip("|").split("|")]
        if row[0] == first:
            return row[1:]
    raise LookupError(f"{page} has no row {first!r}")


@pytest.mark.parametrize(
    ("quoted", "group"),
    [
        ("[available bandwidth](docs/accuracy.md) of whole recordings", "all windows"),
        ("– two or three difficult conditions at once", "combined conditions"),
        ("– every condition drawn at random", "conditions drawn at random"),
    ],
)
def test_errors_of_whole_recordings_are_those_of_the_study(quoted, group):
    _, error, intervals = cells("README.md", quoted)
    found = cells("docs/accuracy.md", group, behind="## The recommended answer by length of window")
    median, high, held = re.search(rf"{NUMBER} % / {NUMBER} %, {NUMBER} %", found[-1]).groups()
    assert (error, intervals) == (f"{median} %, {high} %", f"{held} %")


def test_errors_of_other_worlds_are_those_of_their_page():
    counts, error, intervals = cells(
        "README.md", "– [worlds of other kinds](docs/other-conditions.md), seven lists, one seed"
    )
    worlds, told, hold, *_, unanswered, errors = cells("docs/other-conditions.md", "all")
    assert counts == f"{worlds} worlds, {int(told) + int(unanswered)} recordings"
    assert (error, intervals) == (errors, hold.partition(", ")[2])


@pytest.mark.parametrize(
    ("quoted", "name"),
    [
        ("– homes, offices, halls and stores, a list that nothing was made for, first score", "visits"),
        ("– ad hoc cells, meshes, spatial reuse, machines, the next such list, first score", "trades"),
    ],
)
def test_what_an_unseen_list_showed_is_what_its_page_says(quoted, name):
    _, error, intervals = cells("README.md", quoted)
    _, of, held, errors, _ = cells("docs/other-conditions.md", f"`{name}.toml`", behind="### What the lists showed")
    assert (error, intervals) == (errors, f"{100 * int(held) / int(of):.0f} %")


def test_causes_and_gains_are_those_of_their_page():
    text = " ".join(README.split())
    pairs, found, wrong, *_ = cells("docs/findings.md", "held_out")
    words = {"2": "two", "1": "one", "0": "none", "3": "three"}
    assert (
        f"In {pairs} held-out pairs of ns-3 runs `winf why` named {found} causes and claimed {words[wrong]} that"
        in text
    )
    gains = (
        (ROOT / "docs/findings.md").read_text(encoding="utf-8").partition("## What was promised and what was regained")
    )
    of, _, held, _ = re.search(r"\| held_out \| (.*) \|", gains[2])[1].split(" | ")
    assert f"of {of} gains that it promised in Mb/s, {held.partition(' ')[0]} intervals hold" in text
