"""`winf ingest`: recordings into a dataset."""

from __future__ import annotations

from typing import Annotated

import typer

from winf_analyzer._util.errors import UsageError, WinfError
from winf_analyzer._util.interrupts import expired
from winf_analyzer.cli.command import Command
from winf_analyzer.cli.console import print_progress, print_status, report_damage
from winf_analyzer.cli.keys import Key, KeyFile, given_keys
from winf_analyzer.cli.options import DatasetOutput, Decoder, Engine, Force, Inputs, Observer, Shard
from winf_analyzer.cli.tshark import DecodeAs, Preference, Profile, given_decoder


def ingest(
    context: typer.Context,
    inputs: Inputs,
    output: DatasetOutput,
    observer: Observer = None,
    decoder: Decoder = "native",
    key: Key = None,
    key_file: KeyFile = None,
    decode_as: DecodeAs = None,
    preference: Preference = None,
    profile: Profile = None,
    force: Force = False,
    jobs: Annotated[
        int | None, typer.Option(metavar="N", help="Recordings decoded at a time; default: one per core.")
    ] = None,
    shard: Shard = None,
    engine: Engine = "local",
    follow: Annotated[
        bool, typer.Option("--follow", help="Read INPUT, a file or folder, while it grows, until Ctrl-C.")
    ] = False,
    every: Annotated[str, typer.Option(metavar="TIME", help="With --follow: interval between new parts.")] = "5s",
) -> None:
    """Decode recordings, rebuild the frame exchanges, and write a dataset, or add what it does not hold yet."""
    import winf_analyzer
    from winf_analyzer._scale.engines import spread_by

    chosen = given_decoder(decoder, decode_as, preference, profile)
    if follow:
        if shard is not None or engine != "local":
            raise UsageError("--follow reads one growing recording, which this process does alone.")
        if decoder != "native" or key or key_file:
            raise UsageError(
                "--follow needs the native decoder: tshark stops at the current end of a file. Once the files are"
                " complete, ingest them with --decoder tshark."
            )
        dataset = winf_analyzer.follow(
            inputs, output, observer=observer, every=every, force=force, progress=print_progress
        )
    else:
        # As a default of winf.toml or the environment it is for the runs that follow.
        if (source := context.get_parameter_source("every")) and source.name == "COMMANDLINE":
            raise UsageError("--every is the interval of --follow; without it everything is read once.")
        dataset = winf_analyzer.ingest(
            inputs,
            output,
            observer=observer,
            decoder=chosen,
            keys=given_keys(key, key_file, decoder),
            force=force,
            jobs=jobs,
            shard=shard,
            spread=spread_by(engine),
            progress=print_progress,
        )
    code = report_damage(dataset.metadata)
    counts = [entry["counts"] for entry in dataset.metadata["inputs"]]
    frames, exchanges = (sum(count[name] for count in counts) for name in ("frames", "exchanges"))
    recordings = "1 recording" if len(counts) == 1 else f"{len(counts)} recordings"
    print_status(f"{output}: {frames} frames, {exchanges} exchanges from {recordings}")
    if reason := expired():  # which --follow takes for its regular end, as it does Ctrl-C
        raise WinfError(reason)
    raise typer.Exit(code)


COMMAND = Command(
    "ingest", ingest, ("winf ingest capture.pcap -o run.winf", "winf ingest captures/ -o campaign.winf --jobs 8")
)
