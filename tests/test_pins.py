"""What pyproject.toml asks for is pinned in constraints.txt, in a version that it allows."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PINNED = {
    canonicalize_name(name): version
    for name, _, version in (line.partition("==") for line in (ROOT / "constraints.txt").read_text().split())
}
ASKED = [*PROJECT["dependencies"], *(text for extra in PROJECT["optional-dependencies"].values() for text in extra)]


@pytest.mark.parametrize("text", [text for text in ASKED if Requirement(text).name != PROJECT["name"]])
def test_what_is_asked_for_is_pinned(text):
    requirement = Requirement(text)
    assert PINNED[canonicalize_name(requirement.name)] in requirement.specifier


def test_extras_are_those_of_this_page():
    """`dev` holds `docs` and `test`, so that one extra sets up everything but the cluster."""
    assert set(PROJECT["optional-dependencies"]) == {"dev", "docs", "ray", "test"}
    assert f"{PROJECT['name']}[docs,test]" in PROJECT["optional-dependencies"]["dev"]
