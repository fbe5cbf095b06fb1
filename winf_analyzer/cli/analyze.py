"""`winf analyze`: all steps, from recordings to the report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from winf_analyzer._util.format import printable
from winf_analyzer.cli import completion
from winf_analyzer.cli.command import Command
from winf_analyzer.cli.console import print_progress, print_status, report_damage
from winf_analyzer.cli.keys import Key, KeyFile, given_keys
from winf_analyzer.cli.options import AnalysisOutput, Decoder, Force, Inputs, Iperf, Mac, Observer, Window, names
from winf_analyzer.cli.short import one_thread_if_short
from winf_analyzer.cli.tshark import DecodeAs, Preference, Profile, given_decoder

if TYPE_CHECKING:
    import polars as pl

    from winf_analyzer import Analysis

LINKS = 12
"""Links in the summary, those with most samples first."""

RECORDINGS = 12
"""Recordings in it, the first ones: of a thousand, describing them took as long as all other steps."""


def analyze(
    inputs: Inputs,
    output: AnalysisOutput,
    iperf: Iperf = None,
    observer: Observer = None,
    decoder: Decoder = "native",
    key: Key = None,
    key_file: KeyFile = None,
    decode_as: DecodeAs = None,
    preference: Preference = None,
    profile: Profile = None,
    window: Window = "1s",
    mac: Mac = None,
    controllers: Annotated[
        str | None,
        typer.Option(
            metavar="LIST",
            autocompletion=completion.controllers,
            help="Comma-separated controllers to replay; none: no replay; default: a selection.",
        ),
    ] = None,
    force: Force = False,
) -> None:
    """Ingest, estimate, replay, compare with ground truth, and write the report."""
    one_thread_if_short(inputs)
    import winf_analyzer

    result = winf_analyzer.analyze(
        inputs,
        output,
        iperf=iperf or [],
        observer=observer,
        decoder=given_decoder(decoder, decode_as, preference, profile),
        keys=given_keys(key, key_file, decoder),
        window=window,
        mac=mac,
        controllers=[] if controllers == "none" else names("--controllers", controllers),
        force=force,
        progress=print_progress,
    )
    print_analysis(result)


def print_analysis(result: Analysis) -> None:
    """Print a summary and the paths of dataset and report, and exit with 3 if there were problems."""
    from winf_analyzer.cli.compare import print_scores
    from winf_analyzer.cli.info import print_recording
    from winf_analyzer.cli.recommended import print_recommended
    from winf_analyzer.cli.replay import print_totals
    from winf_analyzer.cli.why import print_headline

    if result.resumed:
        print_status(f"went on with {result.dataset.path}, of a run that had not come to its end")
    recordings = result.dataset.metadata["inputs"]
    for entry in recordings[:RECORDINGS]:
        print_recording(entry)
    if (others := len(recordings) - RECORDINGS) > 0:
        print(printable(f"{others} more recordings; `winf info {result.dataset.path}` describes all\n", keep="\n"))
    if result.why is not None:
        print_headline(result.why)
    print_recommended(result.dataset, LINKS)
    for problem in result.problems:
        print_status(f"winf: {problem}", style="yellow", always=True)
    if result.replayed is not None:
        print_totals(result.replayed)
        if unaffected := result.replayed.unaffected:
            print(printable(f"All controllers give the same: {unaffected}."))
        _print_unconverged(result.replayed.unconverged, result.replayed.undecided)
        _print_assumptions(result.replayed.doubts, result.replayed.notes)
    if result.comparison is not None and result.dataset.metadata["truth"]:
        print_scores(result.comparison)
    print(printable(f"dataset  {result.dataset.path}\nreport   {result.report}", keep="\n"))
    code = report_damage(result.dataset.metadata)
    raise typer.Exit(3 if result.problems else code)


def _print_unconverged(unconverged: pl.DataFrame, undecided: str) -> None:
    """Which controllers had not settled when flows ended, and of which that is not known.

    With `--verbose` by how much they still changed.
    """
    if undecided:
        print(f"{undecided[0].upper()}{undecided[1:]}.")
    names = unconverged["controller"].unique(maintain_order=True).to_list()
    if names:
        print(
            f"Not converged when flows ended: {', '.join(names)}. Their throughput or pacing rate still changed; "
            "`winf replay --duration` runs those longer that last to the end."
        )


def _print_assumptions(doubts: list[str], notes: list[str]) -> None:
    """Doubts about the replayed recordings, what the replay does to the flows, and on how many assumptions it rests.

    With `--verbose` these in full.
    """
    for doubt in doubts:
        print(printable(doubt))
    for note in notes:
        print_status(note, level=1)
    print(
        "Bulk transfers stand in place of UDP flows to one station, and of TCP flows that waited for their application."
        f" The replay rests on {len(notes)} assumptions and remarks, which `winf -v analyze` and `winf replay` print.\n"
    )


COMMAND = Command(
    "analyze", analyze, ("winf analyze capture.pcap -o out", "winf analyze ns3-run/ -o out --iperf server.json")
)
