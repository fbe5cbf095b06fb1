"""The register of what the five papers contain, and what became of each item.

One TOML file a paper lies in `register/`, in the order of the paper. Keys of an item:

- `id`, `kind` and `place`: which item of which paper, what it is, and where it stands.
- `says`: its content in our words. For what was found to differ, both sides. Figures of results are named, and read
  from the kept full ones (`reproductions/_said.py`).
- `values`: numbers that the paper prints, in SI units, and links that it draws as congested.
- `verdict`: one of :data:`VERDICTS`.
- `modes`: the modes in which the item is implemented, where a controller or estimator has several.
- `symbols`: what implements it, `module:name` in Python and `crate::path::name` in Rust.
- `vectors`: worked examples of the algorithm reference that the tests compute.
- `tests`: the tests that hold it, `path::name`.
- `reproductions`: what shows what came out: pages, and items of `winf reproduce`.
- `lacks`: what is not there yet, or the reason why it cannot be.
- `stands_in`: what was taken in place of a testbed, a simulator or recordings that are not available; no more can be
  done here.
- `unsaid`: what the paper leaves open, and what is taken instead.
- `readings`: of what is contradicted and has no study of readings: which readings there are, or why none matters.

A file of the register also declares mutants: changes of the code that break the item and that its tests must notice
(`tools/mutants.py`).
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

VERDICTS: Mapping[str, str] = {
    "implemented": "in the code, held by tests",
    "reproduced": "a result that comes out here as the paper has it",
    "contradicted": "a result that does not come out, or a statement that is wrong; what was found stands beside it",
    "undecidable": "the text does not say enough to decide",
    "not_reproducible": "needs a testbed or a simulator that is not available",
    "missing": "not there yet; `lacks` says what it needs",
}
"""What became of an item."""


@dataclass(frozen=True)
class Item:
    """One item of a paper; the module's text describes the fields."""

    id: str
    kind: str
    place: str
    says: str
    verdict: str
    values: Mapping[str, Any]
    modes: tuple[str, ...]
    symbols: tuple[str, ...]
    vectors: tuple[str, ...]
    tests: tuple[str, ...]
    reproductions: tuple[str, ...]
    lacks: str
    stands_in: str
    unsaid: str
    readings: str


@dataclass(frozen=True)
class Mutant:
    """A change of the code that breaks items and that tests must notice."""

    name: str
    items: tuple[str, ...]
    """Identifiers of the items that it breaks."""
    file: str
    """The changed file, relative to the repository."""
    line: str
    """A passage that stands in the file exactly once."""
    original: str
    """What is replaced; it stands in `line` exactly once. In Rust an expression that is evaluated at run time."""
    mutated: str
    """What replaces it."""
    tests: tuple[str, ...]
    """Tests of which at least one must fail, `path::name`."""


@dataclass(frozen=True)
class Paper:
    """A paper with its items and mutants."""

    seed: str
    title: str
    authors: str
    published: str
    items: tuple[Item, ...]
    mutants: tuple[Mutant, ...]


@cache
def papers() -> tuple[Paper, ...]:
    """The five papers, in the order of their identifiers."""
    folder = files(__package__) / "register"
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".toml"))
    return tuple(_paper(tomllib.loads((folder / name).read_text(encoding="utf-8"))) for name in names)


def items() -> tuple[Item, ...]:
    """Every item of every paper."""
    return tuple(item for paper in papers() for item in paper.items)


def mutants() -> tuple[Mutant, ...]:
    """Every declared mutant."""
    return tuple(mutant for paper in papers() for mutant in paper.mutants)


def _paper(document: dict[str, Any]) -> Paper:
    return Paper(
        document["seed"],
        document["title"],
        document["authors"],
        document["published"],
        tuple(map(_item, document["item"])),
        tuple(map(_mutant, document.get("mutant", []))),
    )


def _item(row: dict[str, Any]) -> Item:
    lists = {name: tuple(row.pop(name, ())) for name in ("modes", "symbols", "vectors", "tests", "reproductions")}
    return Item(**{"values": {}, "lacks": "", "stands_in": "", "unsaid": "", "readings": ""} | row | lists)


def _mutant(row: dict[str, Any]) -> Mutant:
    return Mutant(**row | {"items": tuple(row["items"]), "tests": tuple(row["tests"])})
