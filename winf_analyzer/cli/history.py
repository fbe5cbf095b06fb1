"""`winf history`: the versions of a dataset."""

from __future__ import annotations

from winf_analyzer.cli.command import Command
from winf_analyzer.cli.options import DatasetPaths, To
from winf_analyzer.cli.output import Format, write_table


def history(datasets: DatasetPaths, to: To = Format.table) -> None:
    """List the versions of a dataset, the present one first: when, by which command, how much.

    Of several datasets the last column says which.
    """
    import polars as pl

    import winf_analyzer
    from winf_analyzer._sql.datasets import paths_of_datasets

    paths, several = paths_of_datasets(datasets)
    versions = [winf_analyzer.history(path) for path in paths]
    if several:
        versions = [each.with_columns(dataset=pl.lit(str(path))) for path, each in zip(paths, versions, strict=True)]
    write_table(pl.concat(versions), to)


COMMAND = Command("history", history, ("winf history run.winf", "winf history 'campaign/*.winf' --to json"))
