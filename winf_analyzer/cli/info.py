"""`winf info`: what recordings contain, without making a dataset."""

from __future__ import annotations

import json
from typing import Any

import typer

from winf_analyzer._util.format import printable
from winf_analyzer.cli.command import Command
from winf_analyzer.cli.console import print_status
from winf_analyzer.cli.keys import Key, KeyFile, given_keys
from winf_analyzer.cli.options import Decoder, Inputs, Observer, To
from winf_analyzer.cli.output import Format, output_console, write_table
from winf_analyzer.cli.streams import print_utf8
from winf_analyzer.cli.tshark import DecodeAs, Preference, Profile, given_decoder


def info(
    inputs: Inputs,
    observer: Observer = None,
    decoder: Decoder = "native",
    key: Key = None,
    key_file: KeyFile = None,
    decode_as: DecodeAs = None,
    preference: Preference = None,
    profile: Profile = None,
    to: To = Format.table,
) -> None:
    """Describe recordings, also those in datasets: formats, frames, PHYs, channels, clocks, MAC parameters, damage."""
    import winf_analyzer
    from winf_analyzer._ingest.inspection import without_recordings

    recordings = winf_analyzer.info(
        inputs,
        observer=observer,
        decoder=given_decoder(decoder, decode_as, preference, profile),
        keys=given_keys(key, key_file, decoder),
    )
    match to:
        case Format.table:
            for recording in recordings:
                print_recording(recording)
        case Format.json:
            print_utf8(json.dumps(recordings, indent=1, ensure_ascii=False))
        case Format.ndjson:
            for recording in recordings:
                print_utf8(json.dumps(recording, ensure_ascii=False))
        case _:
            _write_counts(recordings, to)
    for sentence in without_recordings(inputs, recordings):
        print_status(sentence, always=True)
    if any("error" in recording or recording["damaged"] for recording in recordings):
        raise typer.Exit(3)


def print_recording(facts: dict[str, Any]) -> None:
    """Print the facts about a recording, one screen."""
    from rich.table import Table
    from rich.text import Text

    from winf_analyzer._ingest.description import describe

    console = output_console()
    name = f"{facts['dataset']}: {facts['source']}" if "dataset" in facts else facts["source"]
    console.print(Text(printable(name), style="bold"))
    if "error" in facts:
        console.print(Text(f"  {printable(facts['error'])}\n", style="red"))
        return
    lines = describe(facts)
    if console.is_terminal:
        grid = Table.grid(padding=(0, 2))
        for label, text in lines:
            grid.add_row(Text(f"  {label}", style="dim"), Text(printable(text)))
        console.print(grid)
    else:  # where nothing is broken: a line is what grep finds
        width = max(len(label) for label, _ in lines)
        for label, text in lines:
            console.print(Text(f"  {label:<{width}}  {printable(text)}"), soft_wrap=True)
    console.print()


def _write_counts(recordings: list[dict[str, Any]], to: Format) -> None:
    """Write one row of counts per recording, with the dataset that it is from; nested counts are JSON text."""
    import polars as pl

    known = {"dataset": pl.String, "source": pl.String, "error": pl.String}
    if not any("dataset" in facts for facts in recordings):
        del known["dataset"]
    rows = [
        {name: facts.get(name) for name in known}
        | {
            name: json.dumps(value) if isinstance(value, dict) else value
            for name, value in facts.get("counts", {}).items()
        }
        for facts in recordings
    ]
    write_table(pl.DataFrame(rows, infer_schema_length=None, schema_overrides=known), to)


COMMAND = Command("info", info, ("winf info capture.pcap", "winf info node-captures/ --to json"))
