"""What documents name is there: files and folders, targets of make, tests, and what each crate may use."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path, PurePath

import pytest
from folders import ROOT

BUILT = {"target", "build", "dist", "demo", "__pycache__"}


def files_below(folder: Path) -> Iterator[str]:
    """Paths from the root, without what is built, and of hidden folders only those that documents are about."""
    for path in folder.iterdir():
        if path.name in BUILT or (path.name.startswith(".") and path.name not in {".github", ".ci", ".cargo"}):
            continue
        if path.is_dir() and not path.is_symlink():
            yield from files_below(path)
        else:
            yield path.relative_to(ROOT).as_posix()


FILES = sorted(files_below(ROOT))
KNOWN = {*FILES, *(str(folder) for path in FILES for folder in PurePath(path).parents)}
PAGES = [
    path for path in FILES if path.endswith(".md") and not path.startswith(("docs/decisions/", "changes/", "CHANGELOG"))
]
"""Without records of what was decided, and news, which are about the tree of their time."""

SUFFIXES = ("py", "rs", "toml", "md", "sql", "sh", "cc", "h", "tcl", "j2", "css", "js", "yml", "lock", "pyi", "tsv")
NOT_HERE = {
    "winf.toml",
    "aliases.toml",
    "idle_share.py",
    "winf.sql",
    "TABLE/STEM-HASH.parquet",
    "build/man",
    "target/simulators",
    "target/mutants",
    "CMUTrace/EOT",
}
"""Files of users, a function, what is built, and a name in ns-2."""


def words_in_code(text: str) -> set[str]:
    """What stands in backticks of a page, one word each."""
    return set(re.findall(r"`([^`\s]+)`", re.sub(r"```.*?```", "", text, flags=re.DOTALL)))


def is_path(word: str) -> bool:
    """Whether a word is a path in the tree, and no pattern, option, address or path elsewhere."""
    if re.search(r"[<>*{}=$(),|?]|^[-/~.]|://", word):
        return False
    return word.rpartition(".")[2] in SUFFIXES or bool(re.fullmatch(r"[\w.-]+(/[\w.-]+)+/?", word))


@pytest.mark.parametrize("page", PAGES)
def test_paths_are_there(page):
    """From the root, or the end of a path."""
    named = {word.rstrip("/") for word in words_in_code((ROOT / page).read_text(encoding="utf-8")) if is_path(word)}
    ends = {word for word in named - KNOWN - NOT_HERE if not any(path.endswith(f"/{word}") for path in KNOWN)}
    assert not ends


def test_targets_of_make_are_there():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    named = {
        (target, page)
        for page in PAGES
        for line in re.findall(r"(?:^|`)make ([a-z -]+)", (ROOT / page).read_text(encoding="utf-8"), re.MULTILINE)
        for target in line.split()
    }
    assert len(named) > 20
    assert {each for each in named if each[0] not in targets} == set()


def test_tests_are_there():
    tests = "".join((ROOT / path).read_text(encoding="utf-8") for path in FILES if path.endswith((".py", ".rs")))
    named = {word for page in PAGES for word in words_in_code((ROOT / page).read_text(encoding="utf-8"))}
    lacking = {word for word in named if word.startswith("test_") and "." not in word}
    assert len(lacking) > 20
    assert {word for word in lacking if f"def {word}(" not in tests and f"fn {word}(" not in tests} == set()


def test_crates_use_what_the_table_of_rooms_says():
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `(\w+)/` \| Rust crate .*\| ([^|]+) \|$", text, re.MULTILINE))
    assert len(rows) == 5
    for crate, allowed in rows.items():
        manifest = tomllib.loads((ROOT / crate / "Cargo.toml").read_text(encoding="utf-8"))
        used = {name.removeprefix("winf-") for name in manifest.get("dependencies", {}) if name.startswith("winf-")}
        assert used == set(re.findall(r"`(\w+)`", allowed)), crate
