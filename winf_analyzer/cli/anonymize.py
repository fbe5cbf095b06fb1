"""`winf anonymize`: a copy of a dataset that may be published."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from winf_analyzer._util.format import printable
from winf_analyzer.cli.command import Command
from winf_analyzer.cli.console import report_damage
from winf_analyzer.cli.options import DatasetOutput, Force


def anonymize(
    recording: Annotated[Path, typer.Argument(help="A dataset, or a recording.", show_default=False)],
    output: DatasetOutput,
    key_file: Annotated[
        Path | None,
        typer.Option(help="File with at least 16 secret octets; by default a random key that is forgotten."),
    ] = None,
    keep_vendor: Annotated[
        bool, typer.Option("--keep-vendor", help="Keep the vendor's part of MAC addresses.")
    ] = False,
    shift_times: Annotated[
        bool, typer.Option("--shift-times", help="Let the first frame fall in the first hour of 1970.")
    ] = False,
    force: Force = False,
) -> None:
    """Copy a dataset with pseudonyms for MAC and IP addresses and network names, and without other texts."""
    import winf_analyzer

    codes: list[int] = []
    dataset = winf_analyzer.anonymize(
        recording,
        output,
        key_file=key_file,
        keep_vendor=keep_vendor,
        shift_times=shift_times,
        force=force,
        ingested=lambda metadata: codes.append(report_damage(metadata)),
    )
    told = f"{dataset.path}: anonymized; nothing of the original's addresses and names was found in it"
    print(printable(told))
    if any(codes):
        raise typer.Exit(max(codes))


COMMAND = Command(
    "anonymize",
    anonymize,
    ("winf anonymize run.winf -o public.winf --key-file secret.key", "winf anonymize capture.pcap -o public.winf"),
)
