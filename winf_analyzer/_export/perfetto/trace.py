"""The whole trace of a dataset."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from winf_analyzer._dataset.dataset import Dataset
from winf_analyzer._export.perfetto.counters import write_answers, write_medium, write_replays
from winf_analyzer._export.perfetto.slices import Slices, exchange_rows, frame_rows
from winf_analyzer._export.perfetto.writer import TraceWriter
from winf_analyzer._sql.failures import told
from winf_analyzer._sql.query import connected
from winf_analyzer._util.clocks import EPOCH_NS
from winf_analyzer._util.errors import UnusableInput
from winf_analyzer._util.format import printable
from winf_analyzer._util.progress import Progress

if TYPE_CHECKING:
    import duckdb


def write_perfetto(dataset: Dataset, path: Path, progress: Progress) -> list[str]:
    """Write the trace.

    Raises:
        UnusableInput: the dataset has neither exchanges nor replays.
    """
    has_exchanges, has_replays = (bool(dataset.parts(name)) for name in ("exchanges", "replay_flows"))
    with path.open("wb") as file, connected(dataset) as connection, told():
        writer = TraceWriter(file)
        notes = _write_recordings(writer, connection, dataset, progress) if has_exchanges else []
        if has_replays:
            write_replays(writer, connection)
        elif not has_exchanges:
            raise UnusableInput(f"{dataset.path}: has neither exchanges nor replays, so there is nothing to draw.")
        writer.close()
    if writer.dropped:
        notes.append(f"{writer.dropped} events before time 0 were left out: a trace has no negative times.")
    return notes


def _write_recordings(
    writer: TraceWriter, connection: duckdb.DuckDBPyConnection, dataset: Dataset, progress: Progress
) -> list[str]:
    query = (
        "select source, observer, min(start_ns), max(end_ns) from exchanges where end_ns >= start_ns "
        "group by all order by 3, 1, 2"
    )
    views = connection.execute(query).fetchall()
    if not views:
        return ["No exchange of the dataset has known times, so none is drawn."]
    if views[0][2] > EPOCH_NS:
        writer.snapshot_clock(views[0][2])
    label = _labels(connection, dataset)
    parents: dict[tuple[str, str | None], int] = {}
    total = Slices(writer, 0, label)
    for number, (source, observer, _, _) in enumerate(views, 1):
        progress(source, number, len(views))
        name = source if observer is None else f"{source}, recorded by {label(observer)}"
        parents[source, observer] = writer.track(printable(name))
        slices = Slices(writer, parents[source, observer], label)
        slices.write(exchange_rows(connection, source, observer), frame_rows(connection, source, observer))
        total.alone += slices.alone
        total.omitted += slices.omitted
    write_medium(writer, connection, parents)
    if dataset.parts("recommended"):
        write_answers(writer, connection, parents)
    notes = []
    if total.alone:
        notes.append(f"{total.alone} frames of no exchange are drawn as instants.")
    if total.omitted:
        notes.append(f"{total.omitted} exchanges or frames that overlap too many others were left out.")
    spans = [last - first for _, _, first, last in views]
    if len(views) > 1 and views[-1][2] - views[0][2] > 100 * max(*spans, 1):
        notes.append("The recordings lie far apart in time; export them one by one for a trace that can be scrolled.")
    return notes


def _labels(connection: duckdb.DuckDBPyConnection, dataset: Dataset) -> Callable[[str], str]:
    """The text for a station: its address, its alias, and the network that it announces."""
    names: dict[str, list[str]] = {}
    if dataset.parts("nodes"):
        columns = dataset.scan("nodes").collect_schema().names()
        known = [column for column in ("alias", "ssid", "vendor") if column in columns]
        if known:
            rows = connection.execute(f"select node, {', '.join(known)} from nodes").fetchall()  # noqa: S608
            names = {address: [text for text in texts if text] for address, *texts in rows}
    return lambda address: printable(", ".join([address, *names.get(address, [])[:2]]))
