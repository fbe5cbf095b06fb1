"""The report: one HTML file about a dataset, which opens from disk without a network.

::

    panels     what is shown: the registry in reports/panels.toml
    contents   a panel's numbers: its needs, its question
    figure     what a chart kind hands over; the kinds have modules of their own
    wording    values as people read them, colours
    overview   what was recorded, headline numbers, provenance
    page       all of it as one HTML document
    neutral    text from recordings made harmless
"""

from __future__ import annotations

import os
from pathlib import Path

from winf_analyzer._dataset.dataset import Dataset
from winf_analyzer._report.page import page
from winf_analyzer._util.errors import UsageError, WinfError

__all__ = ["report"]


def report(dataset: Dataset | str | os.PathLike[str], output: str | os.PathLike[str]) -> Path:
    """Write the report of a dataset.

    The same dataset gives the same file, byte for byte. What the dataset cannot tell is said in its place.

    Args:
        dataset: a dataset or its path.
        output: the HTML file to write; an existing file is replaced when the new one is whole.

    Returns:
        The path of the report.

    Raises:
        UsageError: the output is a folder.
        DatasetError: no dataset there, or it cannot be read.
        WinfError: the report cannot be written.
    """
    target = Path(output)
    if target.is_dir():
        raise UsageError(f"{target}: is a folder; name the HTML file to write, for example {target / 'report.html'}.")
    dataset = dataset if isinstance(dataset, Dataset) else Dataset.open(dataset)
    html = page(dataset)
    try:
        _replace(target, html)
    except OSError as error:
        raise WinfError(f"{target}: cannot write the report: {error.strerror or error}.") from error
    return target


def _replace(target: Path, text: str) -> None:
    """Write a sibling and rename it, so that a reader sees the old report or the new one."""
    partial = target.with_name(f".{target.name}.{os.getpid()}.partial")
    try:
        partial.write_text(text, encoding="utf-8")
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)
