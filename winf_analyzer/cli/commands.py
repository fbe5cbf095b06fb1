"""The commands. No logic here: options in, a package function, its result out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from winf_analyzer._util.errors import UsageError
from winf_analyzer.cli.console import conclude, progress, tell
from winf_analyzer.cli.output import Format
from winf_analyzer.cli.verbosity import speaking

Inputs = Annotated[
    list[str], typer.Argument(metavar="INPUT...", help="Files, folders, globs, or - for standard input.")
]
DatasetPath = Annotated[Path, typer.Argument(metavar="DATASET", help="A dataset made by `winf ingest`.")]
To = Annotated[Format, typer.Option("--to", help="Form of the table on standard output.")]
Observer = Annotated[
    str | None,
    typer.Option(metavar="MAC", help="Whose radio recorded it, where the recording does not tell."),
]
Decoder = Annotated[
    str, typer.Option(metavar="native|tshark", help="Who decodes captures; tshark knows more formats, and decrypts.")
]
Key = Annotated[
    list[str] | None,
    typer.Option(metavar="KEY", help="With tshark: wep:HEX, wpa-psk:HEX or wpa-pwd:PASSPHRASE:SSID; repeatable."),
]
Force = Annotated[bool, typer.Option("--force", help="Replace an existing dataset.")]
Estimators = Annotated[str | None, typer.Option(metavar="LIST", help="Comma-separated; all by default.")]
Mode = Annotated[
    str, typer.Option(metavar="paper|corrected|both", help="The papers' formulas, the corrected ones, or both.")
]
Window = Annotated[str, typer.Option(metavar="TIME", help="Width of an estimation window: 100ms, 1s, 2m.")]
Mac = Annotated[
    str | None,
    typer.Option(
        metavar="NAME=VALUE,..|FILE.toml", help="MAC parameters in place of inferred: slot_us=20,be.cw_min=15"
    ),
]
Iperf = Annotated[
    list[Path] | None,
    typer.Option("--iperf", metavar="FILE...", help="Logs of iperf3, iperf2 or FlowMonitor: the ground truth."),
]
Cooperate = Annotated[
    bool, typer.Option(help="The sender takes the lower of its own and the receiver's values; otherwise both stand.")
]


def info(
    inputs: Inputs, observer: Observer = None, decoder: Decoder = "native", key: Key = None, to: To = Format.table
) -> None:
    """Say what recordings hold and how they are understood."""
    import winf_analyzer
    from winf_analyzer.cli import render

    facts = winf_analyzer.info(inputs, observer=observer, decoder=decoder, keys=key or [])
    render.info(facts, to)
    if any("error" in entry or entry["damaged"] for entry in facts):
        raise typer.Exit(3)


def ingest(
    inputs: Inputs,
    output: Annotated[Path, typer.Option("-o", "--output", metavar="DATASET", help="The dataset to make.")],
    observer: Observer = None,
    decoder: Decoder = "native",
    key: Key = None,
    force: Force = False,
    follow: Annotated[
        bool, typer.Option("--follow", help="Keep adding what is written to INPUT, a file or a folder, until Ctrl-C.")
    ] = False,
    every: Annotated[str, typer.Option(metavar="TIME", help="With --follow: how often parts are added.")] = "5s",
) -> None:
    """Decode recordings and rebuild the exchanges into a dataset."""
    import winf_analyzer

    if follow:
        if decoder != "native" or key:
            raise UsageError(
                "--follow goes with the native decoder: tshark ends where a file ends at present. Ingest files with"
                " --decoder tshark once they are complete."
            )
        dataset = winf_analyzer.follow(inputs, output, observer=observer, every=every, force=force, progress=progress)
    else:
        dataset = winf_analyzer.ingest(
            inputs, output, observer=observer, decoder=decoder, keys=key or [], force=force, progress=progress
        )
    code = conclude(dataset.metadata)
    frames = sum(entry["counts"]["frames"] for entry in dataset.metadata["inputs"])
    exchanges = sum(entry["counts"]["exchanges"] for entry in dataset.metadata["inputs"])
    tell(f"{output}: {frames} frames, {exchanges} exchanges from {len(dataset.metadata['inputs'])} recordings")
    raise typer.Exit(code)


def merge(
    inputs: Inputs,
    output: Annotated[Path, typer.Option("-o", "--output", metavar="DATASET", help="The dataset to make.")],
    force: Force = False,
) -> None:
    """Merge recordings of one channel into a dataset: one clock, each transmission once."""
    import winf_analyzer
    from winf_analyzer.cli import render

    dataset = winf_analyzer.merge(inputs, output, force=force, progress=progress)
    code = conclude(dataset.metadata)
    render.merge(dataset)
    raise typer.Exit(code)


def estimate(
    dataset: DatasetPath,
    estimators: Estimators = None,
    mode: Mode = "both",
    window: Window = "1s",
    step: Annotated[
        str | None, typer.Option(metavar="TIME", help="Sliding windows: one starts every 100ms; else they tumble.")
    ] = None,
    per_exchange: Annotated[
        bool, typer.Option("--per-exchange", help="One row per exchange, each with the window that ends with it.")
    ] = False,
    running: Annotated[
        bool, typer.Option("--running", help="Everything since the first exchange counts, as in the paper.")
    ] = False,
    node: Annotated[str | None, typer.Option(metavar="ADDRESS", help="Only this node's rows are printed.")] = None,
    cooperate: Cooperate = True,
    mac: Mac = None,
    probe: Annotated[
        str,
        typer.Option(
            metavar="any|subtype_1001", help="Without RTS/CTS rt_winf measures any DATA/ACK, or the paper's probes."
        ),
    ] = "any",
    to: To = Format.table,
) -> None:
    """Estimate capacity and available bandwidth; write the estimates table and print it."""
    from winf_analyzer.cli import render
    from winf_analyzer.estimators._write import write_estimates

    estimates = write_estimates(
        dataset,
        estimators=names(estimators),
        mode=mode,
        window=window,
        step=step,
        per_exchange=per_exchange,
        running=running,
        node=node,
        cooperate=cooperate,
        probe=probe,
        mac=mac,
    )
    render.estimates(estimates, to)


def compare(
    dataset: DatasetPath,
    more: Annotated[list[Path] | None, typer.Argument(metavar="FILE", hidden=True)] = None,
    iperf: Iperf = None,
    offset: Annotated[
        str | None, typer.Option(metavar="TIME", help="Added to the logs' times, such as -2.5s; by default found out.")
    ] = None,
    link: Annotated[
        str | None,
        typer.Option(metavar="SENDER,RECEIVER", help="The link to compare with, where the recording cannot tell."),
    ] = None,
    to: To = Format.table,
) -> None:
    """Score every estimate against ground truth; write the scores and comparison tables and print the scores.

    Without --iperf: against the dataset's own truth table.
    """
    import winf_analyzer
    from winf_analyzer.cli import render

    logs = [*(iperf or []), *(more or [])]
    result = winf_analyzer.compare(dataset, logs, offset=offset, link=ends(link))
    render.comparison(result, to)
    raise typer.Exit(3 if result.problems else 0)


def sql(
    dataset: DatasetPath,
    query: Annotated[str | None, typer.Argument(metavar="[QUERY|-]", help="One SELECT, or - to read it.")] = None,
    name: Annotated[str | None, typer.Option("--query", metavar="NAME", help="A query of `winf list queries`.")] = None,
    parameter: Annotated[
        list[str] | None, typer.Option("--param", "-p", metavar="NAME=VALUE", help="Value of a query's parameter.")
    ] = None,
    to: To = Format.table,
) -> None:
    """Ask the dataset's tables in SQL (DuckDB, read-only). Without a query: an interactive prompt."""
    from winf_analyzer.cli import sql

    sql.ask(dataset, query, name, parameter or [], to)


def report(
    dataset: DatasetPath,
    output: Annotated[Path, typer.Option("-o", "--output", metavar="FILE.html", help="The report to write.")],
) -> None:
    """Write the report: one HTML file that opens without a network."""
    import winf_analyzer

    path = winf_analyzer.report(dataset, output)
    tell(f"report: {path}", always=True)


def analyze(
    inputs: Inputs,
    output: Annotated[Path, typer.Option("-o", "--output", metavar="DIR", help="Folder for dataset and report.")],
    iperf: Iperf = None,
    observer: Observer = None,
    decoder: Decoder = "native",
    key: Key = None,
    window: Window = "1s",
    mac: Mac = None,
    controllers: Annotated[
        str | None,
        typer.Option(
            metavar="LIST", help="Controllers to replay, comma-separated; none: no replay. Several by default."
        ),
    ] = None,
    force: Force = False,
) -> None:
    """Ingest, estimate, replay, compare with ground truth and report in one go."""
    import winf_analyzer

    result = winf_analyzer.analyze(
        inputs,
        output,
        iperf=iperf or [],
        observer=observer,
        decoder=decoder,
        keys=key or [],
        window=window,
        mac=mac,
        controllers=_asked(controllers),
        force=force,
        progress=progress,
    )
    finish(result)


def demo(
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="DIR", help="Folder for dataset and report.")
    ] = Path("winf-demo"),
    force: Force = False,
) -> None:
    """Analyze the bundled sample."""
    import winf_analyzer

    finish(winf_analyzer.demo(output, force=force, progress=progress))


def finish(result: Any) -> None:
    """Print the summary of an analysis and where its report is."""
    from winf_analyzer.cli import render

    render.analysis(result)
    code = conclude(result.dataset.metadata)
    raise typer.Exit(3 if result.problems else code)


def _asked(controllers: str | None) -> list[str] | None:
    return [] if controllers == "none" else names(controllers)


def names(listed: str | None) -> list[str] | None:
    """The names of a comma-separated list."""
    return None if listed is None else [name.strip() for name in listed.split(",") if name.strip()]


def ends(link: str | None) -> tuple[str, str] | None:
    """The two ends of a link as a user writes it."""
    if link is None:
        return None
    sender, comma, receiver = link.lower().partition(",")
    if not (sender.strip() and comma and receiver.strip()):
        raise UsageError(f"--link {link}: write SENDER,RECEIVER.")
    return sender.strip(), receiver.strip()


_EXAMPLES: dict[Callable[..., None], tuple[str, str]] = {
    info: ("winf info capture.pcap", "winf info node-captures/ --to json"),
    ingest: ("winf ingest capture.pcap -o run.winf", "winf ingest ns3-run/ -o run.winf --force"),
    merge: ("winf merge one.pcap other.pcap -o run.winf", "winf merge ns3-run/ -o run.winf"),
    estimate: (
        "winf estimate run.winf --window 1s --step 100ms",
        "winf estimate run.winf --mode paper --no-cooperate --to csv",
    ),
    sql: (
        'winf sql run.winf "select kind, count(*) from frames group by kind"',
        "winf sql run.winf --query channel_busy",
    ),
    compare: (
        "winf compare run.winf --iperf client.json server.json",
        "winf compare run.winf --iperf log.txt --offset 1.5s --to json",
    ),
    report: ("winf report run.winf -o run.html", "winf report run.winf -o reports/monday.html"),
    analyze: ("winf analyze capture.pcap -o out", "winf analyze ns3-run/ -o out --iperf server.json"),
    demo: ("winf demo", "winf demo -o try --force"),
}


def register(app: typer.Typer) -> None:
    """Add every command of this module to the program."""
    for command, examples in _EXAMPLES.items():
        app.command(epilog=example_text(*examples), no_args_is_help=command is not demo)(speaking(command))


def example_text(*examples: str) -> str:
    """The two examples that end a command's help, each on a line of its own."""
    return "Examples:\n\n" + "\n\n".join(f"$ {example}" for example in examples)
