"""Options that several commands share, and how option texts are parsed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from winf_analyzer._util.errors import UsageError
from winf_analyzer.cli.completion import decoders
from winf_analyzer.cli.output import Format

Inputs = Annotated[
    list[str], typer.Argument(metavar="INPUT...", help="Files, folders, globs, or - for standard input.")
]
DatasetPath = Annotated[Path, typer.Argument(metavar="DATASET", help="A dataset made by `winf ingest`.")]
DatasetPaths = Annotated[
    list[str], typer.Argument(metavar="DATASET...", help="Datasets, folders of datasets, or globs.")
]
DatasetOutput = Annotated[Path, typer.Option("-o", "--output", metavar="DATASET", help="The dataset to create.")]
AnalysisOutput = Annotated[
    Path, typer.Option("-o", "--output", metavar="DIR", help="Folder for the dataset and the report.")
]
To = Annotated[Format, typer.Option("--to", help="Output format of the table.")]
Observer = Annotated[
    str | None,
    typer.Option(metavar="MAC", help="MAC address of the capturing station, if it cannot be inferred."),
]
Decoder = Annotated[
    str,
    typer.Option(
        metavar="native|tshark",
        autocompletion=decoders,
        help="Decoder of captures; tshark reads more formats and decrypts frames.",
    ),
]
Force = Annotated[bool, typer.Option("--force", help="Replace what an earlier run of winf wrote there.")]
Again = Annotated[bool, typer.Option("--again", help="Compute also what the dataset holds already.")]
Window = Annotated[str, typer.Option(metavar="TIME", help="Width of the estimation windows: 100ms, 1s, 2m.")]
Mac = Annotated[
    str | None,
    typer.Option(
        metavar="NAME=VALUE,..|FILE.toml", help="MAC parameters that override inferred ones: slot_us=20,be.cw_min=15"
    ),
]
Jobs = Annotated[int | None, typer.Option("--jobs", metavar="N", help="Tasks at a time; default: one per core.")]
Engine = Annotated[
    str,
    typer.Option(metavar="local|ray", help="Where tasks run: in this process, or on the cluster of RAY_ADDRESS."),
]
Shard = Annotated[
    str | None,
    typer.Option("--shard", metavar="I/N", help="Only the I-th of N shares; `winf collect` joins their datasets."),
]
Iperf = Annotated[
    list[Path] | None,
    typer.Option("--iperf", metavar="FILE...", help="Ground truth: logs of iperf3, iperf2 or FlowMonitor."),
]


def names(option: str, text: str | None) -> list[str] | None:
    """The names of a comma-separated list; None if the option was not given.

    Raises:
        UsageError: it was given without a name, as by an empty variable of a shell: neither all nor none is meant.
    """
    if text is None:
        return None
    found = [name.strip() for name in text.split(",") if name.strip()]
    if not found:
        raise UsageError(
            f"{option}: a list of names is expected, separated by commas; leave the option out for its default."
        )
    return found


def link_ends(text: str | None) -> tuple[str, str] | None:
    """Sender and receiver of ``SENDER,RECEIVER``.

    Raises:
        UsageError: the text has another form.
    """
    if text is None:
        return None
    sender, comma, receiver = text.lower().partition(",")
    if not (sender.strip() and comma and receiver.strip()):
        raise UsageError(f"--link {text}: write SENDER,RECEIVER.")
    return sender.strip(), receiver.strip()


def query_parameters(assignments: list[str]) -> dict[str, str | int | float]:
    """Values by name of ``NAME=VALUE`` assignments; a value that is a number becomes one.

    Raises:
        UsageError: an assignment has another form.
    """
    values: dict[str, str | int | float] = {}
    for assignment in assignments:
        name, equals, text = assignment.partition("=")
        if not equals:
            raise UsageError(f"--param {assignment}: write NAME=VALUE.")
        values[name] = _number_or_text(text)
    return values


def changes_and_settings(assignments: list[str]) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """Assignments of `winf replay --set`: changes of the world by key, and constants by controller.

    Raises:
        UsageError: an assignment has another form, or contradicts an earlier one.
    """
    from winf_analyzer._replay.scenarios import WORLD_KEYS

    changes: dict[str, Any] = {}
    constants = []
    for assignment in assignments:
        key, equals, text = assignment.partition("=")
        if key.partition(".")[0] not in WORLD_KEYS:
            constants.append(assignment)
        elif not (equals and text.strip()):
            raise UsageError(f"--set {assignment}: write {key}=VALUE.")
        else:
            changes[key.strip()] = _json_or_text(text)
    return changes, controller_settings(constants)


def controller_settings(assignments: list[str]) -> dict[str, dict[str, Any]]:
    """Nested constants by controller of assignments such as ``xcp.router.alpha=0.4``; values are JSON, or text.

    Raises:
        UsageError: an assignment has another form, or contradicts an earlier one.
    """
    settings: dict[str, dict[str, Any]] = {}
    for assignment in assignments:
        path, equals, text = assignment.partition("=")
        controller, *constant = path.split(".")
        if not (equals and controller and constant and all(constant)):
            raise UsageError(f"--set {assignment}: write CONTROLLER.CONSTANT=VALUE, for example cbr.rate_bps=500000.")
        value = _json_or_text(text)
        table = settings.setdefault(controller, {})
        for part in constant[:-1]:
            table = table.setdefault(part, {})
            if not isinstance(table, dict):
                raise UsageError(f"--set {assignment}: {part} has a value already.")
        table[constant[-1]] = value
    return settings


def _json_or_text(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text.strip()


def _number_or_text(text: str) -> str | int | float:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
