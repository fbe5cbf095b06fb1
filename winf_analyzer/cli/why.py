"""`winf why`: what makes the network slow, ranked, in words."""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from winf_analyzer._util.format import printable
from winf_analyzer.cli.command import Command
from winf_analyzer.cli.console import print_progress, print_status, print_words, report_damage
from winf_analyzer.cli.keys import Key, KeyFile, given_keys
from winf_analyzer.cli.options import Decoder, Inputs, Observer, To, link_ends
from winf_analyzer.cli.output import Format, write_table
from winf_analyzer.cli.short import one_thread_if_short

if TYPE_CHECKING:
    from winf_analyzer._findings import Why


def why(
    inputs: Inputs,
    observer: Observer = None,
    decoder: Decoder = "native",
    key: Key = None,
    key_file: KeyFile = None,
    link: Annotated[
        str | None, typer.Option(metavar="SENDER,RECEIVER", help="The link that gains are worked out for.")
    ] = None,
    to: To = Format.table,
) -> None:
    """Say why a network is slow and what would help, from a dataset or from recordings.

    Several datasets, a folder of them or a glob are looked at one by one.
    """
    one_thread_if_short(inputs)
    import winf_analyzer

    if len(datasets := datasets_of(inputs)) > 1:
        _of_several(datasets, link_ends(link), to)
        return
    given = datasets[0] if datasets else inputs[0] if len(inputs) == 1 else inputs
    found = winf_analyzer.why(
        given,
        observer=observer,
        decoder=decoder,
        keys=given_keys(key, key_file, decoder),
        link=link_ends(link),
        progress=print_progress,
    )
    if to is Format.table:
        print_why(found)
    else:
        write_table(found.findings, to)
    raise typer.Exit(report_damage(found.read) if found.read else 0)


def datasets_of(inputs: list[str]) -> list[Path]:
    """The datasets that all inputs name; none where one of them names something else."""
    from winf_analyzer._sql.datasets import datasets_at

    found = [datasets_at(each) for each in inputs]
    return list(dict.fromkeys(chain.from_iterable(found))) if all(found) else []


def _of_several(datasets: list[Path], link: tuple[str, str] | None, to: Format) -> None:
    import polars as pl

    import winf_analyzer

    tables = []
    for path in datasets:
        found = winf_analyzer.why(path, link=link)
        if to is Format.table:
            print(printable(f"{path}:"))
            print_why(found)
        tables.append(found.findings.select(pl.lit(str(path)).alias("dataset"), pl.all()))
    if to is not Format.table:
        write_table(pl.concat(tables), to)


def print_why(found: Why, limit: int | None = None) -> None:
    """Print the findings in words, the first `limit` of them."""
    for line in found.lines(limit):
        print_words(printable(line), breaks=not line.lstrip().startswith("Wireshark: "))


def print_headline(found: Why, limit: int = 3) -> None:
    """Print the first findings, a line each, and where to read the rest."""
    from winf_analyzer._findings.wording import summary

    for row in found.told()[:limit]:
        print(printable(summary(row, found.names)))
    if not found.told():
        print(f"Findings: none of {len(found.looked_at)} that were looked for.")
    else:
        print_status("`winf why` says what each costs, what would help, and where it shows.")


COMMAND = Command("why", why, ("winf why capture.pcap", "winf why run.winf --to json"))
