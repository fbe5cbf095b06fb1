"""Two recordings, or two sets of them, side by side: what changed, and whether that is more than chance.

:mod:`.measures` takes the numbers of each side with their 90 % intervals, :mod:`.verdict` compares them,
:mod:`.document` makes the report.
"""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from winf_analyzer._dataset.manifest import parts
from winf_analyzer._dataset.overwriting import refuse_in_dataset
from winf_analyzer._diff.document import write_document
from winf_analyzer._diff.measures import measures
from winf_analyzer._diff.verdict import compared
from winf_analyzer._names import Names
from winf_analyzer._report import check_report
from winf_analyzer._report.moment import channel_text
from winf_analyzer._sql.datasets import open_datasets
from winf_analyzer._sql.query import connected, run
from winf_analyzer._util.errors import DatasetError, UsageError
from winf_analyzer._util.format import given_path

if TYPE_CHECKING:
    from collections.abc import Iterator

    import polars as pl

    from winf_analyzer._dataset.dataset import Dataset
    from winf_analyzer._sql.datasets import Datasets

__all__ = ["Difference", "diff"]


MADE_BY = {
    "recommended": ("available bandwidth and capacity", "`winf estimate`"),
    "findings": ("findings", "`winf why`"),
    "replay_summary": ("replays", "`winf replay`"),
}
"""Tables that a dataset has once a command has been there: what is in them, and the command."""

LOOKED = {"recommended": "estimate", "findings": "why"}
"""Commands that note that they were there, also where they had nothing to write into the table."""

EXPECTED = ("recommended", "findings")
"""Those that are missed where both sides lack them."""


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
    not_compared: tuple[str, ...] = ()
    """Sentences about what a side lacks: where nobody looked for findings, none has disappeared. And where both were
    recorded on different channels, that they were."""

    def __repr__(self) -> str:
        changed = f"{self.changed.height} of {self.rows.height} values changed"
        return f"Difference({self.before!r}, {self.after!r}: {changed})"

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
    target = None if output is None else given_path(output)
    if target is not None:
        check_report(target)
        if target.exists() and not force:
            raise DatasetError(f"{target}: exists already. Choose another output or pass --force to replace it.")
    first, second = _called(before), _called(after)
    if target is not None:
        refuse_in_dataset(target)
    present = {first: _tables(before), second: _tables(after)}
    common = present[first] & present[second]
    with connected(before) as one, connected(after) as other:
        rows = compared(measures(one, common), measures(other, common))
        names = Names([row for each in (one, other) for row in run(each, "select * from nodes").rows(named=True)])
    if rows.is_empty():
        raise UsageError("nothing to compare: the two sides have no exchanges, links, findings or replays in common.")
    lacking = (*_lacking(present), *_elsewhere({first: _channel(before), second: _channel(after)}))
    if target is not None:
        write_document(target, first, second, rows, names, lacking)
    return Difference(first, second, rows, target, names, lacking)


def _tables(side: Datasets) -> set[str]:
    """The tables of a side; of those that commands fill, the ones that all of its datasets have filled."""
    datasets, _ = open_datasets(side)
    found = {table for dataset in datasets for table in dataset.tables}
    return {table for table in found if table not in MADE_BY or all(_is_filled(each, table) for each in datasets)}


def _is_filled(dataset: Dataset, table: str) -> bool:
    """The table has rows, or the command that fills it found nothing."""
    has_rows = any(part.rows for part in parts(dataset.metadata) if part.table == table)
    return has_rows or LOOKED.get(table) in dataset.metadata.get("made", {})


def _lacking(present: dict[str, set[str]]) -> Iterator[str]:
    """What cannot be compared, and the command that makes it."""
    for table, (what, command) in MADE_BY.items():
        sides = [side for side, tables in present.items() if table not in tables]
        if sides and (len(sides) < len(present) or table in EXPECTED):
            verb = "lacks" if len(sides) == 1 else "lack"
            yield f"Not compared: {what}, which {' and '.join(sides)} {verb}; {command} makes them."


def _channel(side: Datasets) -> int | None:
    """The channel of most of the frames of a side, MHz; None where no channel has most of them."""
    datasets, _ = open_datasets(side)
    counts = [entry["counts"] for dataset in datasets for entry in dataset.metadata.get("inputs", [])]
    frames: Counter[str] = Counter()
    for each in counts:
        frames.update(each.get("channels", {}))
    ((mhz, most),) = frames.most_common(1) or (("", 0),)
    return int(mhz) if most * 2 > sum(each["frames"] for each in counts) else None


def _elsewhere(channels: dict[str, int | None]) -> Iterator[str]:
    """That the sides were recorded on different channels: then the stations that were heard differ by themselves."""
    known = [f"{side} on {channel_text(mhz)}" for side, mhz in channels.items() if mhz is not None]
    if len(known) == 2 and len(set(channels.values())) == 2:
        yield f"Recorded on different channels, {known[0]}, {known[1]}: what changed may be the channel."


def _called(side: Datasets) -> str:
    """What a side is called: its path, or how many datasets it is."""
    if isinstance(side, str | os.PathLike):
        return os.fspath(side)
    path = getattr(side, "path", None)
    return str(path) if path is not None else ", ".join(_called(each) for each in side)  # type: ignore[union-attr]
