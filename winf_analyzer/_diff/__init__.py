"""Two recordings, or two sets of them, side by side: what changed, and whether that is more than chance.

:mod:`.measures` takes the numbers of each side with their 90 % intervals, :mod:`.verdict` compares them,
:mod:`.document` makes the report.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from winf_analyzer._diff.document import write_document
from winf_analyzer._diff.measures import measures
from winf_analyzer._diff.verdict import compared
from winf_analyzer._names import Names
from winf_analyzer._report import check_report
from winf_analyzer._sql.query import connected, run
from winf_analyzer._util.errors import DatasetError, UsageError

if TYPE_CHECKING:
    import polars as pl

    from winf_analyzer._sql.datasets import Datasets

__all__ = ["Difference", "diff"]


@dataclass(frozen=True)
class Difference:
    """What changed from one side to the other."""

    before: str
    """What the first side is called."""
    after: str
    rows: pl.DataFrame
    """Part, subject, quantity, unit; value, low and high of both sides and of the change; p and verdict."""
    report: Path | None = None
    """The report, if one was written."""
    names: Names = field(default_factory=Names, repr=False)
    """What stations are called."""

    @property
    def changed(self) -> pl.DataFrame:
        """Rows whose change is more than chance, the surest first."""
        return self.rows.filter(self.rows["verdict"].is_in(["more", "less", "new", "gone"]))


def diff(
    before: Datasets, after: Datasets, *, output: str | os.PathLike[str] | None = None, force: bool = False
) -> Difference:
    """Compare two sides: recordings, links, stations, findings and replays.

    Values of the recordings have 90 % intervals from batch means, estimates and replays those of their tables. The
    verdict allows for the number of comparisons: of what is called a change, at most a tenth is chance.

    Args:
        before: a dataset or its path; or several, a folder of them, or a glob.
        after: the same.
        output: an HTML report to write.
        force: replace a former report; no other file is ever replaced.

    Raises:
        DatasetError: no dataset at a path; or the output is there, and `force` is not given.
        UsageError: both sides lack exchanges and replays.
        WinfError: the output is there and no report of winf.
    """
    target = None if output is None else Path(output)
    if target is not None:
        check_report(target)
        if target.exists() and not force:
            raise DatasetError(f"{target}: exists already. Choose another output or pass --force to replace it.")
    sides, stations = [], []
    for side in (before, after):
        with connected(side) as connection:
            sides.append(measures(connection))
            if any(connection.sql("select 1 from information_schema.tables where table_name = 'nodes'").fetchall()):
                stations += run(connection, "select * from nodes").rows(named=True)
    names = Names(stations)
    rows = compared(*sides)
    if rows.is_empty():
        raise UsageError("nothing to compare: the two sides have no exchanges, links, findings or replays in common.")
    first, second = _called(before), _called(after)
    if target is not None:
        write_document(target, first, second, rows, names)
    return Difference(first, second, rows, target, names)


def _called(side: Datasets) -> str:
    """What a side is called: its path, or how many datasets it is."""
    if isinstance(side, str | os.PathLike):
        return os.fspath(side)
    path = getattr(side, "path", None)
    return str(path) if path is not None else ", ".join(_called(each) for each in side)  # type: ignore[union-attr]
