"""`winf merge`: several recordings of one channel into one dataset."""

from __future__ import annotations

import typer

from winf_analyzer._util.format import printable
from winf_analyzer.cli.command import Command
from winf_analyzer.cli.console import print_progress, report_damage
from winf_analyzer.cli.options import DatasetOutput, Force, Inputs
from winf_analyzer.cli.output import Format, write_table


def merge(inputs: Inputs, output: DatasetOutput, force: Force = False) -> None:
    """Merge recordings of one channel into a dataset with one clock, in which each transmission is one row."""
    import winf_analyzer
    from winf_analyzer._ingest.merging import clock_alignments

    dataset = winf_analyzer.merge(inputs, output, force=force, progress=print_progress)
    code = report_damage(dataset.metadata)
    write_table(clock_alignments(dataset), Format.table, title="Clocks relative to the first recording's", decimals=3)
    merged = dataset.metadata["parameters"]["merged"]
    print(f"{printable(str(dataset.path))}: {merged['frames']} transmissions, {merged['exchanges']} exchanges")
    raise typer.Exit(code)


COMMAND = Command("merge", merge, ("winf merge one.pcap other.pcap -o run.winf", "winf merge ns3-run/ -o run.winf"))
