"""The register answers every item of the five papers, and what it names exists."""

import tomllib
from collections import Counter
from pathlib import Path

import pytest
from declarations import declares, defines_test
from folders import ROOT

from winf_analyzer._papers import VERDICTS, items, mutants, papers
from winf_analyzer._papers.reproductions._kept import is_current, kept, kept_full
from winf_analyzer._papers.reproductions._studies import STUDIES

GIVEN = ROOT.parent / "shared" / "paper_items.toml"
COUNTS = {"S000": 141, "S001": 107, "S002": 51, "S003": 136, "S004": 109}
"""How many items each paper has."""

SETTLED = {"undecidable", "not_reproducible", "missing"}
"""Verdicts that need a reason."""

PROVEN = {"reproduced", "contradicted"}
"""Verdicts that need evidence: a page, a reproduction, or a test."""

KINDS = {
    "equation", "algorithm", "constant", "procedure", "header", "topology", "workload", "metric", "figure", "table",
    "claim",
}  # fmt: skip


def test_every_paper_has_all_its_items():
    assert {paper.seed: len(paper.items) for paper in papers()} == COUNTS


def test_every_item_of_the_given_list_is_answered_in_its_order():
    if not GIVEN.exists():
        pytest.skip("the list of the papers' items is not part of the repository")
    given = tomllib.loads(GIVEN.read_text(encoding="utf-8"))["item"]
    assert [item.id for item in items()] == [item["id"] for item in given]
    assert [item.kind for item in items()] == [item["kind"] for item in given]


def test_identifiers_are_unique_and_name_their_paper():
    assert not [name for name, count in Counter(item.id for item in items()).items() if count > 1]
    for paper in papers():
        assert all(item.id.startswith(f"{paper.seed}-") for item in paper.items)


@pytest.mark.parametrize("item", items(), ids=lambda item: item.id)
def test_no_item_is_silently_empty(item):
    assert item.kind in KINDS
    assert item.verdict in VERDICTS
    assert item.says.endswith(".")
    assert item.place
    if item.verdict == "implemented":
        assert item.symbols, "implemented, but by nothing"
        assert item.tests, "implemented, but held by no test"
    if item.verdict in PROVEN:
        assert item.tests or item.reproductions, f"{item.verdict}, but nothing shows it"
    if item.verdict in SETTLED:
        assert item.lacks or item.unsaid or item.stands_in, f"{item.verdict}, but not why"


TRIED = {figure.item for study in STUDIES for figure in study.figures if figure.readings}
"""Items of which a study tries readings."""


@pytest.mark.parametrize("item", [item for item in items() if item.verdict == "contradicted"], ids=lambda item: item.id)
def test_readings_of_what_is_contradicted_are_tried(item):
    assert (item.id in TRIED) != bool(item.readings), "neither a study of readings nor a sentence on them, or both"


def _comes_out_in_full_only(item):
    """What the quick form has not, and the paper's length and repetitions have."""
    shown = [(study, figure) for study in STUDIES for figure in study.figures if figure.item == item.id]
    plain = [
        (study, figure) for study, figure in shown if not figure.readings and not figure.variant and is_current(study)
    ]
    return any(
        "does not hold" in kept(study).verdict(figure) and "does not hold" not in kept_full(study).verdict(figure)
        for study, figure in plain
    )


def test_what_is_reproduced_holds_in_the_best_results_that_are_kept():
    """Those at the paper's length and repetitions if there are current ones, else the quick ones."""
    verdicts = {item.id: item.verdict for item in items()}
    failed = {
        figure.item
        for study in STUDIES
        for outcome in [kept_full(study) if is_current(study) else kept(study)]
        for figure in study.figures
        if not figure.readings and not figure.variant and "does not hold" in outcome.verdict(figure)
    }
    assert {verdicts[item] for item in failed} == {"contradicted"}


def test_what_dsdv_turns_is_said():
    """A verdict is that of given routes; where nodes that run DSDV come to another one, the row says so."""
    by_id = {item.id: item for item in items()}
    turned = {
        figure.item
        for study in STUDIES
        for outcome in [kept_full(study) if is_current(study) else kept(study)]
        for figure in study.figures
        if figure.variant == "dsdv"
        and ("does not hold" in outcome.verdict(figure)) != (by_id[figure.item].verdict == "contradicted")
    }
    assert turned, "nothing is, so this test shows nothing"
    assert not [name for name in sorted(turned) if "DSDV" not in by_id[name].says]


def test_readings_are_tried_of_what_does_not_come_out_only():
    assert not [
        item.id
        for item in items()
        if item.verdict != "contradicted" and item.id in TRIED and not _comes_out_in_full_only(item)
    ]
    assert not [item.id for item in items() if item.readings and item.verdict != "contradicted"]


@pytest.mark.parametrize("symbol", sorted({symbol for item in items() for symbol in item.symbols}))
def test_every_symbol_is_declared(symbol):
    assert declares(symbol), f"{symbol} is declared nowhere"


@pytest.mark.parametrize("test", sorted({test for one in (*items(), *mutants()) for test in one.tests}))
def test_every_test_is_defined(test):
    assert defines_test(test), f"{test} is no test"


@pytest.mark.parametrize("shown", sorted({shown for item in items() for shown in item.reproductions}))
def test_every_page_and_reproduction_exists(shown):
    reproducible = {figure.item for study in STUDIES for figure in study.figures}
    assert (ROOT / shown).is_file() if shown.endswith(".md") else shown in reproducible


def test_what_can_be_reproduced_says_so_in_the_register():
    reproducible = {figure.item for study in STUDIES for figure in study.figures}
    assert reproducible == {item.id for item in items() if item.id in item.reproductions}


def test_items_and_mutants_name_items_that_exist():
    known = {item.id for item in items()}
    assert {name for mutant in mutants() for name in mutant.items} <= known


@pytest.mark.parametrize("mutant", mutants(), ids=lambda mutant: mutant.name)
def test_every_mutant_can_be_made(mutant):
    text = (ROOT / mutant.file).read_text(encoding="utf-8")
    assert text.count(mutant.line) == 1, f"{mutant.line!r} stands {text.count(mutant.line)} times in {mutant.file}"
    assert mutant.line.count(mutant.original) == 1
    assert mutant.mutated != mutant.original
    assert mutant.tests


@pytest.mark.parametrize("kind", ["equation", "algorithm", "constant"])
def test_what_is_implemented_has_a_mutant(kind):
    broken = {name for mutant in mutants() for name in mutant.items}
    found = [item for item in items() if item.kind == kind and item.verdict == "implemented"]
    assert found
    assert not [item.id for item in found if item.id not in broken]


def test_mutants_have_names_of_their_own():
    names = [mutant.name for mutant in mutants()]
    assert len(set(names)) == len(names)


def test_the_register_ships_with_the_package():
    import winf_analyzer

    folder = Path(winf_analyzer.__file__).parent / "_papers" / "register"
    assert sorted(path.name for path in folder.glob("*.toml")) == [f"{seed}.toml" for seed in COUNTS]
