"""What a dataset holds, and whether a command left anything else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import winf_analyzer
from winf_analyzer._dataset import manifest
from winf_analyzer._dataset.creating import sibling_of
from winf_analyzer._dataset.dataset import Dataset

QUICK: dict[str, Any] = {"estimators": ["idle_gap"], "mode": "paper"}
"""The estimate that takes least, where files matter and not what is in them."""


def content(run: Path) -> dict[str, list[tuple[Any, ...]]] | None:
    """Every row of a dataset; None where there is none."""
    if not run.exists():
        return None
    dataset = Dataset.open(run)
    return {table: dataset.scan(table).collect().rows() for table in dataset.tables}


def is_clean(place: Path) -> bool:
    """Whether nothing but the dataset is there, and every Parquet file in a table's folder is a part of it."""
    run = place / "run.winf"
    named = {part.path for part in manifest.parts(manifest.load(run))}
    return (
        not sibling_of(run).exists()
        and not list(run.glob(".incoming-*"))
        and {str(path.relative_to(run)) for path in run.glob("*/*.parquet")} == named
        and winf_analyzer.check(run).is_empty()
    )
