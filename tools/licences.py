"""Writes docs/licences.md: every dependency that is pinned, with its licence; fails on one that must not be used.

The crates are those of both lock files, as `cargo metadata` describes them; the Python packages are those of
constraints.txt, as the environment describes them that this runs in (`.venv/bin/python tools/licences.py`).
"""

import argparse
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Any, NamedTuple

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "docs" / "licences.md"

PLATFORMS = ("x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu")
"""What wheels are made for."""

ALLOWED = {
    "0BSD": "permissive, no conditions",
    "Apache-2.0": "this project's own licence",
    "Apache-2.0 WITH LLVM-exception": "Apache-2.0 with fewer conditions for binaries",
    "BSD-2-Clause": "permissive, notice kept",
    "BSD-3-Clause": "permissive, notice kept",
    "BSL-1.0": "permissive, notice kept in source",
    "CC0-1.0": "public domain dedication",
    "ISC": "permissive, notice kept",
    "MIT": "permissive, notice kept",
    "MPL-2.0": "copyleft per file: the files are used unmodified",
    "NCSA": "permissive, notice kept",
    "PSF-2.0": "permissive, notice kept",
    "Unicode-3.0": "permissive, notice kept",
    "Unlicense": "public domain dedication",
    "Zlib": "permissive, altered versions marked",
}
"""SPDX identifiers that go together with Apache-2.0, and why."""

BUNDLED = {
    "liblzma-sys": ("liblzma of XZ Utils", "0BSD"),
    "zstd-sys": ("Zstandard", "BSD-3-Clause OR GPL-2.0-only"),
}
"""C libraries whose source a crate carries and compiles in: their licences are not in the crate's metadata."""

NOT_BUNDLING = {"pyo3", "pyo3-ffi", "rayon-core", "wasm-bindgen-shared"}
"""Crates with a `links` key that carry no C source: the key only keeps them from being linked twice."""

READ_BY_HAND = {
    "axe-playwright-python": "MIT AND MPL-2.0",
    "babel": "BSD-3-Clause",
    "colorama": "BSD-3-Clause",
    "jinja2": "BSD-3-Clause",
    "perfetto": "Apache-2.0",
    "protobuf": "BSD-3-Clause",
    "ray": "Apache-2.0",
}
"""Python packages whose metadata has no SPDX identifier, such as "BSD License"; the licence file says which."""

CLASSIFIERS = {
    "Apache Software License": "Apache-2.0",
    "ISC License (ISCL)": "ISC",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
}
"""SPDX identifiers of the classifiers that older metadata has."""


class Entry(NamedTuple):
    """A row of a table of the document."""

    name: str
    version: str
    licence: str


class Unusable(Exception):
    """The document cannot be made; the sentence says why."""


def allowed(expression: str) -> bool:
    """Whether an SPDX expression can be met by licences of `ALLOWED` alone."""
    tokens = re.findall(r"[()]|(?:(?!\bAND\b|\bOR\b)[\w.+-]+ ?)+|\bAND\b|\bOR\b", expression)
    met, rest = _either([token.strip() for token in tokens])
    if rest:
        raise Unusable(f"licence expression not understood: {expression!r}")
    return met


def _either(tokens: list[str]) -> tuple[bool, list[str]]:
    met, tokens = _both(tokens)
    while tokens and tokens[0] == "OR":
        other, tokens = _both(tokens[1:])
        met = met or other
    return met, tokens


def _both(tokens: list[str]) -> tuple[bool, list[str]]:
    met, tokens = _one(tokens)
    while tokens and tokens[0] == "AND":
        other, tokens = _one(tokens[1:])
        met = met and other
    return met, tokens


def _one(tokens: list[str]) -> tuple[bool, list[str]]:
    if tokens[:1] == ["("]:
        met, tokens = _either(tokens[1:])
        return met and tokens[:1] == [")"], tokens[1:]
    return (tokens[0] in ALLOWED, tokens[1:]) if tokens else (False, [])


def crates(folder: Path) -> list[dict[str, Any]]:
    """The foreign crates that a lock file pins, for every platform."""
    return [package for package in _metadata(folder)["packages"] if package["source"]]


def linked() -> set[str]:
    """Ids of the packages that end in the native module on the platforms that wheels are made for."""
    metadata = _metadata(ROOT, *(f"--filter-platform={platform}" for platform in PLATFORMS))
    packages = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node["deps"] for node in metadata["resolve"]["nodes"]}
    found: set[str] = set()
    waiting = [package for package in metadata["workspace_members"] if "cdylib" in _kinds(packages[package])]
    while waiting:
        package = waiting.pop()
        if package in found or "proc-macro" in _kinds(packages[package]):
            continue
        found.add(package)
        waiting += [dep["pkg"] for dep in nodes[package] if any(kind["kind"] is None for kind in dep["dep_kinds"])]
    return found


def _metadata(folder: Path, *options: str) -> dict[str, Any]:
    command = ["cargo", "metadata", "--format-version", "1", "--locked", *options]
    done = subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True)
    if done.returncode:
        raise Unusable(done.stderr.strip())
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def _kinds(package: dict[str, Any]) -> set[str]:
    return {kind for target in package["targets"] for kind in target["kind"]}


def crate(package: dict[str, Any]) -> Entry:
    """The row of a crate; ``A/B`` is how old metadata writes ``A OR B``."""
    licence = re.sub(r" ?/ ?", " OR ", package["license"] or "none stated")
    return Entry(package["name"], package["version"], licence)


def bundled(packages: Iterable[dict[str, Any]]) -> Iterator[Entry]:
    """The C libraries that crates carry.

    Raises:
        Unusable: a crate with a `links` key is in neither `BUNDLED` nor `NOT_BUNDLING`.
    """
    for package in packages:
        name = package["name"]
        if name in BUNDLED:
            library, licence = BUNDLED[name]
            yield Entry(f"{library}, in `{name}`", package["version"], licence)
        elif package["links"] and name not in NOT_BUNDLING:
            raise Unusable(f"crate {name} links a native library: add what it carries to BUNDLED in tools/licences.py.")


def python_packages() -> tuple[list[Entry], list[Entry]]:
    """The pinned Python packages: those that users install, and those of development alone."""
    pinned = pins(ROOT / "constraints.txt")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    used = _closure(project["dependencies"])
    if unpinned := sorted(used - set(pinned)):
        raise Unusable(f"not in constraints.txt: {', '.join(unpinned)}.")
    rows = {name: _python_package(name, version) for name, version in pinned.items()}
    return [rows[name] for name in rows if name in used], [rows[name] for name in rows if name not in used]


def pins(constraints: Path) -> dict[str, str]:
    """Version by canonical name of constraints.txt."""
    lines = (line.partition("==") for line in constraints.read_text(encoding="utf-8").split())
    return {canonicalize_name(name): version for name, _, version in lines}


def _closure(requirements: Iterable[str]) -> set[str]:
    found: set[str] = set()
    waiting = [Requirement(text) for text in requirements]
    while waiting:
        requirement = waiting.pop()
        name = canonicalize_name(requirement.name)
        if name in found or (requirement.marker and not requirement.marker.evaluate({"extra": ""})):
            continue
        found.add(name)
        waiting += [Requirement(text) for text in distribution(name).requires or []]
    return found


def _python_package(name: str, version: str) -> Entry:
    try:
        found = distribution(name)
    except PackageNotFoundError:
        raise Unusable(f"{name} is not installed: pip install --constraint constraints.txt {name}") from None
    if found.version != version:
        raise Unusable(f"{name} {found.version} is installed, constraints.txt pins {version}.")
    return Entry(found.name, version, READ_BY_HAND.get(name) or _stated(found))


def _stated(found: Distribution) -> str:
    if expression := found.metadata.get_all("License-Expression"):
        return str(expression[0])
    classifiers = found.metadata.get_all("Classifier") or []
    known = [CLASSIFIERS.get(text.rpartition(" :: ")[2]) for text in classifiers if text.startswith("License ::")]
    return " OR ".join(text or "not understood" for text in known) or "; ".join(
        found.metadata.get_all("License") or ["none stated"]
    )


def document() -> str:
    """The text of docs/licences.md.

    Raises:
        Unusable: a licence is not allowed, not known, or not found.
    """
    main, in_module = crates(ROOT), linked()
    own = {(package["name"], package["version"]) for package in main}
    fuzz = [package for package in crates(ROOT / "fuzz") if (package["name"], package["version"]) not in own]
    installed, development = python_packages()
    tables = {
        "Rust crates in the native module": [crate(package) for package in main if package["id"] in in_module],
        "C libraries in the native module": list(bundled(main)),
        "Python packages that winf needs": installed,
        "Rust crates of other platforms, build and tests": [crate(p) for p in main if p["id"] not in in_module],
        "Rust crates of fuzzing alone": [crate(package) for package in fuzz],
        "Python packages of development alone": development,
    }
    if refused := [entry for rows in tables.values() for entry in rows if not allowed(entry.licence)]:
        raise Unusable("\n".join(f"{name} {version}: {licence} is not allowed." for name, version, licence in refused))
    parts = [_INTRODUCTION, *(_table(title, rows) for title, rows in tables.items())]
    parts.append(
        "## Allowed licences\n\n| SPDX | why |\n|---|---|\n" + "".join(f"| {a} | {b} |\n" for a, b in ALLOWED.items())
    )
    return "\n".join(parts)


_INTRODUCTION = """\
# Licences of what winf_analyzer is built from

Made by `tools/licences.py` from `Cargo.lock`, `fuzz/Cargo.lock` and `constraints.txt`; do not edit. It fails when a
licence is not in the list at the end. Where a package offers several, one of them has to be.

Not packages: the list of vendors (`winf_analyzer/_names/vendors.txt.gz`) is made from the data of aiooui (MIT). The
simulator programs in `sample_captures/generate/` that link ns-3 are GPL-2.0 and are neither part of the wheel nor used
by it; the samples they made are data under this project's licence. tshark is a program of its own that winf starts.
"""


def _table(title: str, rows: Iterable[Entry]) -> str:
    lines = [
        f"| {row.name} | {row.version} | {row.licence} |"
        for row in sorted(rows, key=lambda row: (row.name.lower(), row))
    ]
    return "\n".join([f"## {title}", "", "| name | version | licence |", "|---|---|---|", *lines, ""])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="only say whether docs/licences.md is up to date")
    only_check = parser.parse_args().check
    try:
        text = document()
    except Unusable as error:
        sys.exit(f"docs/licences.md cannot be made:\n{error}")
    if not only_check:
        DOCUMENT.write_text(text, encoding="utf-8")
    elif not DOCUMENT.is_file() or DOCUMENT.read_text(encoding="utf-8") != text:
        sys.exit("docs/licences.md is out of date: make it again with `.venv/bin/python tools/licences.py`.")
