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
    """Test functions whose decorators have the marker, or use something of their module or of `sampled` that has it."""
    names = set()
    for path in (ROOT / "tests").rglob("*.py"):
        source = path.read_text(encoding="utf-8")
        if "mark.nightly" in source or "from sampled import" in source:
            names |= marked_functions(ast.parse(source).body)
    return names


def marked_functions(statements: list[ast.stmt]) -> set[str]:
    functions = [statement for statement in statements if isinstance(statement, ast.FunctionDef)]
    helpers = {function.name for function in functions if any(map(is_marked, function.body))}
    constants = (statement for statement in statements if isinstance(statement, ast.Assign) and is_marked(statement))
    helpers |= {target.id for constant in constants for target in constant.targets if isinstance(target, ast.Name)}
    assert "pytestmark" not in helpers, "mark the tests one by one"
    return {
        function.name
        for function in functions
        if any(is_marked(decorator, helpers) for decorator in function.decorator_list)
    }


def is_marked(node: ast.AST, aliases: set[str] = frozenset()) -> bool:
    return any(
        (isinstance(part, ast.Attribute) and part.attr == "nightly")
        or (isinstance(part, ast.Name) and part.id in {"one_of", "one_of_each", *aliases})
        for part in ast.walk(node)
    )


def test_every_nightly_test_is_listed_and_no_other():
    listed = re.findall(r"^\| `(\w+)` \|", DOCUMENT, flags=re.MULTILINE)
    nightly = ignored_in_rust() | marked_in_python()
    assert len(listed) == len(set(listed))
    assert set(listed) == nightly
    assert len(nightly) >= 6
