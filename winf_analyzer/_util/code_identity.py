"""Which code computes: results are taken for finished only where the same code made them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
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
    for file in sorted(file for file in _ROOT.rglob("*") if file.suffix in _KINDS):
        status = file.stat()
        found.update(f"{file.relative_to(_ROOT)} {status.st_size} {status.st_mtime_ns}\n".encode())
    return found.hexdigest()[:16]
