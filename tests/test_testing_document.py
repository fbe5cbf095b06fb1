"""docs/testing.md lists every nightly test."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DOCUMENT = (ROOT / "docs" / "testing.md").read_text(encoding="utf-8")


def ignored_in_rust() -> set[str]:
    sources = "".join(path.read_text(encoding="utf-8") for path in rust_files())
    attributes = re.findall(r"#\[ignore(.*?)\]\s*fn (\w+)", sources)
    assert all(reason.startswith(' = "nightly: ') for reason, _ in attributes), attributes
    return {name for _, name in attributes}


def rust_files() -> list[Path]:
    manifests = [path for path in ROOT.glob("*/**/Cargo.toml") if "target" not in path.parts]
    return sorted(
        {file for path in manifests for part in ("src", "tests") for file in (path.parent / part).rglob("*.rs")}
    )


def marked_in_python() -> set[str]:
    """Test functions with the marker among their decorators, or with a parametrization of their module that has it."""
    names = set()
    for path in (ROOT / "tests").rglob("*.py"):
        source = path.read_text(encoding="utf-8")
        if "mark.nightly" not in source:
            continue
        module = ast.parse(source)
        marks = {
            target.id
            for node in module.body
            if isinstance(node, ast.Assign) and is_marked(node.value)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        assert "pytestmark" not in marks, f"{path}: mark the tests one by one"
        names |= {
            node.name
            for node in module.body
            if isinstance(node, ast.FunctionDef)
            and any(is_marked(decorator, marks) for decorator in node.decorator_list)
        }
    return names


def is_marked(node: ast.AST, aliases: set[str] = frozenset()) -> bool:
    return any(
        (isinstance(part, ast.Attribute) and part.attr == "nightly")
        or (isinstance(part, ast.Name) and part.id in aliases)
        for part in ast.walk(node)
    )


def test_every_nightly_test_is_listed_and_no_other():
    listed = re.findall(r"^\| `(\w+)` \|", DOCUMENT, flags=re.MULTILINE)
    nightly = ignored_in_rust() | marked_in_python()
    assert len(listed) == len(set(listed))
    assert set(listed) == nightly
    assert len(nightly) >= 6
