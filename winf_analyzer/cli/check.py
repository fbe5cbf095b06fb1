"""`winf check`: whether a dataset is what its manifest says."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from winf_analyzer._util.format import printable
from winf_analyzer.cli.command import Command
from winf_analyzer.cli.console import print_status
from winf_analyzer.cli.options import DatasetPaths, To
from winf_analyzer.cli.output import Format, write_table

if TYPE_CHECKING:
    import polars as pl


def check(
    datasets: DatasetPaths,
    public: Annotated[
        bool, typer.Option("--public", help="Check as well that nothing in it names a station, host, network or file.")
    ] = False,
    to: To = Format.table,
) -> None:
    """Verify size, SHA-256, rows and columns of every part. One line per fault, and exit code 1 if there is any."""
    import polars as pl

    from winf_analyzer._dataset import manifest
    from winf_analyzer._dataset.checking import waiting
    from winf_analyzer._sql.datasets import paths_of_datasets

    paths, several = paths_of_datasets(datasets)
    found = [_faults(path, public=public) for path in paths]
    if several:  # the path of a part below its dataset's
        found = [
            each.with_columns(pl.concat_str(pl.lit(f"{path}/"), "path").alias("path"))
            for path, each in zip(paths, found, strict=True)
        ]
    faults = pl.concat(found)
    if to != Format.table:
        write_table(faults, to)
    else:
        for path, fault in faults.iter_rows():
            print(printable(f"{path}: {fault}"))
    for path in paths:
        for part in waiting(path, manifest.load(path)):
            print_status(
                f"{path}/{part}: is of an earlier version. The next command that writes moves it to the history."
            )
    if faults.height:
        raise typer.Exit(1)
    for path in paths:
        print_status(f"{path}: whole{', and fit to be published' if public else ''}")


def _faults(path: Path, *, public: bool) -> pl.DataFrame:
    """Of one dataset."""
    import polars as pl

    import winf_analyzer

    faults = winf_analyzer.check(path)
    if not public:
        return faults
    told = [problem.partition(": ")[::2] for problem in winf_analyzer.check_public(path)]
    return pl.concat([faults, pl.DataFrame(told, faults.schema, orient="row")])


COMMAND = Command("check", check, ("winf check run.winf", "winf check public.winf --public"))
