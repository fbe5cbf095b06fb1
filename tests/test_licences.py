"""docs/licences.md lists what is pinned, and nothing in it is under a licence that does not go with Apache-2.0."""

from __future__ import annotations

import re
import runpy
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
TOOL = runpy.run_path(str(ROOT / "tools" / "licences.py"))
ROW = re.compile(r"^\| (?P<name>[\w.-]+) \| (?P<version>\d[\w.+-]*) \| (?P<licence>.+) \|$", re.MULTILINE)
LISTED = [row.groupdict() for row in ROW.finditer((ROOT / "docs" / "licences.md").read_text(encoding="utf-8"))]


def crates(lock: Path) -> set[tuple[str, str]]:
    packages = tomllib.loads(lock.read_text(encoding="utf-8"))["package"]
    return {(package["name"], package["version"]) for package in packages if "source" in package}


def test_everything_pinned_is_listed_and_nothing_else():
    canonical = TOOL["canonicalize_name"]
    python = set(TOOL["pins"](ROOT / "constraints.txt").items())
    rust = crates(ROOT / "Cargo.lock") | crates(ROOT / "fuzz" / "Cargo.lock")
    listed = {(row["name"], row["version"]) for row in LISTED}
    assert {pair for pair in listed if pair in rust or (canonical(pair[0]), pair[1]) in python} == listed
    assert rust <= listed
    assert python <= {(canonical(name), version) for name, version in listed}


@pytest.mark.parametrize("licence", sorted({row["licence"] for row in LISTED}))
def test_every_licence_listed_is_allowed(licence):
    assert TOOL["allowed"](licence)


@pytest.mark.parametrize(
    ("expression", "answer"),
    [
        ("MIT", True),
        ("GPL-3.0-only", False),
        ("GPL-2.0-only OR MIT", True),
        ("GPL-2.0-only AND MIT", False),
        ("(MIT OR Apache-2.0) AND Unicode-3.0", True),
        ("MIT AND (GPL-3.0-only OR LGPL-2.1-or-later)", False),
        ("Apache-2.0 WITH LLVM-exception", True),
        ("GPL-2.0-only WITH Classpath-exception-2.0", False),
        ("MIT OR Apache-2.0 AND GPL-3.0-only", True),
        ("not understood", False),
        ("none stated", False),
        ("", False),
    ],
)
def test_expressions_are_understood(expression, answer):
    assert TOOL["allowed"](expression) is answer


def test_half_an_expression_is_refused():
    with pytest.raises(TOOL["Unusable"], match="not understood"):
        TOOL["allowed"]("MIT)")


def test_a_crate_that_carries_an_unknown_library_is_refused():
    crate = {"name": "openssl-sys", "version": "1.0.0", "links": "openssl"}
    with pytest.raises(TOOL["Unusable"], match="openssl-sys links a native library"):
        list(TOOL["bundled"]([crate]))
