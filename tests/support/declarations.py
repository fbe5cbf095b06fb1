"""Whether a symbol or a test is declared in the source: Python by its syntax tree, Rust by its declarations."""

import ast
import re
from functools import cache
from itertools import pairwise
from pathlib import Path

from folders import ROOT

from winf_analyzer._papers.symbols import file_of

ITEM = r"\b(?:fn|const|static|struct|enum|trait|type|mod|union)\s+{}\b"
"""A declaration of Rust."""

MEMBER = r"^\s*(?:pub(?:\([a-z]+\))?\s+)?{}\s*(?::|,|\(|\{{|$)"
"""A field of a struct or a variant of an enum."""


def declares(symbol: str) -> bool:
    """Whether `module:name` (Python) or `crate::path::name` (Rust) is declared."""
    found = file_of(symbol, ROOT)
    if found is None:
        return False
    path, names = found
    return _declared(_text(path), names) if "::" in symbol else names[0] in _python_names(path)


def defines_test(test: str) -> bool:
    """Whether `path::name` is a test function."""
    path, _, name = test.partition("::")
    if not (ROOT / path).is_file():
        return False
    if path.endswith(".py"):
        return name.startswith("test_") and name in _python_names(ROOT / path)
    return bool(re.search(rf"#\[test\]\n(?:\s*(?:#\[.*\]|///.*|//.*)\n)*\s*fn {name}\(", _text(ROOT / path)))


@cache
def _python_names(path: Path) -> frozenset[str]:
    names: set[str] = set()
    for node in ast.parse(_text(path)).body:
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                names.add(name)
            case ast.Assign(targets=targets):
                names.update(target.id for target in targets if isinstance(target, ast.Name))
            case ast.AnnAssign(target=ast.Name(id=name)):
                names.add(name)
    return frozenset(names)


def _declared(text: str, names: list[str]) -> bool:
    """The first name is an item; each further one an item of the file, or a member in the body of the one before."""
    if not re.search(ITEM.format(names[0]), text):
        return False
    return all(
        re.search(ITEM.format(name), text) or re.search(MEMBER.format(name), _body(text, owner), re.MULTILINE)
        for owner, name in pairwise(names)
    )


def _body(text: str, owner: str) -> str:
    """What stands between the braces of a struct or an enum."""
    match = re.search(rf"\b(?:struct|enum)\s+{owner}\b[^{{;]*\{{(.*?)^\}}", text, re.MULTILINE | re.DOTALL)
    return match[1] if match else ""


@cache
def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")
