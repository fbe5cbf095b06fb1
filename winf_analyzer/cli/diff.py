"""`winf diff`: what changed between two datasets, and whether it is more than chance."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from winf_analyzer._util.format import printable
from winf_analyzer.cli.command import Command
from winf_analyzer.cli.console import print_status, print_words
from winf_analyzer.cli.options import Force, To
from winf_analyzer.cli.output import Format, write_table

LINES = 30
"""Changes that are printed, the surest first."""


def diff(
    before: Annotated[str, typer.Argument(metavar="A", help="Dataset, folder of datasets, or glob.")],
    after: Annotated[str, typer.Argument(metavar="B", help="The same, of the other side.")],
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE.html", help="Also write this as a report.")
    ] = None,
    force: Force = False,
    to: To = Format.table,
) -> None:
    """Say what changed from A to B per link, station, finding and replay, and whether it is more than chance."""
    import winf_analyzer

    found = winf_analyzer.diff(before, after, output=output, force=force)
    if to is not Format.table:
        write_table(found.rows, to)
        return
    from winf_analyzer._diff.document import sentence

    for row in found.changed.head(LINES).iter_rows(named=True):
        print_words(printable(sentence(row, found.names)))
    if found.changed.height > LINES:
        print(f"and {found.changed.height - LINES} more; --to csv has all.")
    verdicts = found.rows["verdict"]
    noise, unknown = (int((verdicts == name).sum()) for name in ("noise", "unknown"))
    print_words(
        f"{found.changed.height} of {found.rows.height} values changed by more than chance; {noise} did not; of "
        f"{unknown} that is unknown, because they have no interval or are on one side only."
    )
    for line in found.not_compared:
        print_words(printable(line))
    if found.report is not None:
        print_status(f"report: {found.report}", always=True)


COMMAND = Command("diff", diff, ("winf diff before.winf after.winf", "winf diff monday/ tuesday/ -o change.html"))
