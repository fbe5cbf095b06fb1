"""Comparisons of several datasets as one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from winf_analyzer._sql.datasets import Collection
from winf_analyzer._util.errors import UsageError

if TYPE_CHECKING:
    import polars as pl

    from winf_analyzer._dataset.dataset import Dataset
    from winf_analyzer._evaluate import Comparison


def compared(datasets: Sequence[Dataset], compare: Callable[[Dataset], Comparison]) -> Comparison:
    """Compare one dataset after the other; in the result the name of each log has that of its dataset in front.

    A dataset without ground truth is left out, which `problems` says.

    Raises:
        UsageError: none has ground truth.
    """
    import polars as pl

    from winf_analyzer._evaluate import Comparison

    collection = Collection(list(datasets))
    scores: list[pl.DataFrame] = []
    windows: list[pl.DataFrame] = []
    notes: list[str] = []
    problems: list[str] = []
    for dataset in datasets:
        name = collection.name(dataset)
        try:
            found = compare(dataset)
        except UsageError as error:
            problems.append(str(error))
            continue
        named = pl.concat_str(pl.lit(f"{name}/"), pl.col("log")).alias("log")
        scores.append(found.scores.with_columns(named))
        windows.append(found.windows.with_columns(named))
        notes += [f"{name}/{note}" for note in found.notes]
        problems += [f"{name}: {problem}" for problem in found.problems]
    if not scores:
        raise UsageError("\n".join(problems))
    return Comparison(pl.concat(scores), pl.concat(windows), notes, problems)
