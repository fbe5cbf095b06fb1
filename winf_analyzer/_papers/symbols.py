"""Where in the repository a symbol of the register is declared."""

from __future__ import annotations

from pathlib import Path

CRATES = {"winf_engine": "engine", "winf_ieee80211": "ieee80211", "winf_parsers": "parsers", "winf_kernels": "kernels"}
"""The folder of each crate."""


def file_of(symbol: str, root: Path) -> tuple[Path, list[str]] | None:
    """The file that `module:name` (Python) or `crate::path::name` (Rust) stands in, and the names inside it.

    The longest part of a Rust path that is a file counts as the module. None: there is no such file below `root`.
    """
    if "::" not in symbol:
        module, _, name = symbol.partition(":")
        base = root.joinpath(*module.split("."))
        return _existing([base.with_suffix(".py"), base / "__init__.py"], [name])
    crate, *path = symbol.split("::")
    folder = root / CRATES[crate] / "src"
    for depth in range(len(path) - 1, 0, -1):
        base = folder.joinpath(*path[:depth])
        if found := _existing([base.with_suffix(".rs"), base / "mod.rs"], path[depth:]):
            return found
    return _existing([folder / "lib.rs"], path)


def _existing(places: list[Path], names: list[str]) -> tuple[Path, list[str]] | None:
    return next(((place, names) for place in places if place.is_file()), None)
