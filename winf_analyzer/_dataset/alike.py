"""Parts of a table that have the same columns.

A dataset may hold parts of several versions of winf, of which the older ones lack columns that were added since
(docs/compatibility.md). What a part lacks is known of those that are alike, not of all together.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from winf_analyzer import _core

_COLUMN = re.compile(r"^  \w+ (.+)", re.MULTILINE)
"""Type and name of a column in a schema of Parquet as text, behind whether it may be null."""


def alike(parts: Iterable[tuple[Path, str]]) -> list[list[Path]]:
    """The parts in groups of equal columns, each group in the order of its parts.

    Args:
        parts: each with the fingerprint of its schema, or with an empty one where no manifest says it. Equal ones mean
            equal columns; different ones may, since the schema says also which columns may be null.
    """
    first: dict[str, Path] = {}
    keyed = [(fingerprint or str(path), path) for path, fingerprint in parts]
    for key, path in keyed:
        first.setdefault(key, path)
    columns = {key: _columns(path) if len(first) > 1 else () for key, path in first.items()}
    groups: dict[tuple[str, ...], list[Path]] = {}
    for key, path in keyed:
        groups.setdefault(columns[key], []).append(path)
    return list(groups.values())


def _columns(part: Path) -> tuple[str, ...]:
    """Types and names of the columns; of a damaged part its own, so that whoever reads it tells of the damage."""
    try:
        return tuple(sorted(_COLUMN.findall(_core.parquet_footer(part)[1])))
    except OSError:
        return (str(part),)
