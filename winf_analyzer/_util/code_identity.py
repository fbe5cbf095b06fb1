"""Which code computes: results are taken for finished only where the same code made them."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from winf_analyzer import _core

_ROOT = Path(__file__).parents[1]
_KINDS = (".py", ".so", ".toml", ".sql")


def fingerprint(settings: Mapping[str, Any]) -> str:
    """A fingerprint of settings and of the code; values are told apart by their representation."""
    said = {name: repr(value) for name, value in settings.items()}
    return hashlib.sha256(json.dumps([code_identity(), said], sort_keys=True).encode()).hexdigest()


@cache
def code_identity() -> str:
    """A fingerprint of version and files of this package: names, sizes and times of change."""
    found = hashlib.sha256(_core.__version__.encode())
    for name, size, changed_ns in sorted(_files(str(_ROOT))):
        found.update(f"{name} {size} {changed_ns}\n".encode())
    return found.hexdigest()[:16]


def _files(folder: str, prefix: str = "") -> Iterator[tuple[str, int, int]]:
    """Name below the package, size and time of change of its files; paths as objects would take most of the time."""
    with os.scandir(folder) as entries:
        for entry in entries:
            name = prefix + entry.name
            if entry.name.endswith(_KINDS):
                status = entry.stat()
                yield name, status.st_size, status.st_mtime_ns
            elif entry.is_dir():
                yield from _files(entry.path, f"{name}/")
