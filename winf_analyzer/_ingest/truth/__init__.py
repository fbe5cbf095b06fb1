"""Ground truth: what tools that measured goodput, and simulators themselves, say reached the other end.

`FORMATS` is the registry; `read_truth` reads any of them into rows of the ``truth`` table.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from winf_analyzer import _core
from winf_analyzer._util.errors import UnusableInput

if TYPE_CHECKING:
    import polars as pl

    from winf_analyzer._ingest.truth.table import Truth

SNIFFED_BYTES = 64 << 10
MAX_LOG_BYTES = 256 << 20
"""A log is read as a whole; one of a day is a hundredth of this."""


@dataclass(frozen=True)
class LogFormat:
    """One format of logs: text, told by how it begins."""

    name: str
    description: str
    module: str
    """Module of this package with ``looks_like(head)`` and ``read(text, source)``."""


FORMATS = (
    LogFormat(
        "iperf3_json", "iperf3 JSON: tests (-J), also several in one file, or events (--json-stream)", "iperf3_json"
    ),
    LogFormat("flow_monitor", "ns-3 FlowMonitor XML", "flow_monitor"),
    LogFormat("iperf2_csv", "iperf2 report with commas (-y C)", "iperf2_csv"),
    LogFormat("iperf_text", "what iperf3 and iperf2 print, with or without time stamps", "iperf_text"),
)
"""Every format of logs, in the order they are tried. Traces of ns-2 and ns-3 are read as recordings."""

SIMULATORS = {"ns2": "ns-2", "ns3": "ns-3"}
"""Formats of recordings whose receive events are truth, and the tool's name."""


def read_truth(path: str | os.PathLike[str]) -> pl.DataFrame:
    """The rows of the ``truth`` table in a log of iperf or FlowMonitor, or in a trace of ns-2 or ns-3.

    Damage that leaves something to read is passed over.

    Raises:
        UnusableInput: no such file, or nothing in it is ground truth.
    """
    path = Path(path)
    if (log := recognize(path)) is not None:
        return read_log(path, log, path.name).rows
    tool = SIMULATORS.get(_core.recognize(path) or "")
    if tool is None:
        raise UnusableInput(f"{path}: no ground truth: neither a log of iperf or FlowMonitor nor a simulator's trace.")
    import polars as pl

    from winf_analyzer._ingest.streams import read_frames
    from winf_analyzer._ingest.truth.receive_events import receive_events

    return receive_events(pl.DataFrame(read_frames(path)), tool=tool)


def recognize(path: Path) -> LogFormat | None:
    """The format of the log at ``path``; ``None`` when it is none.

    Raises:
        UnusableInput: there is no such file, or it cannot be read.
    """
    try:
        with path.open("rb") as file:
            head = _text(file.read(SNIFFED_BYTES))
    except OSError as error:
        raise UnusableInput(f"{path}: cannot be read: {error.strerror or error}.") from error
    if "\0" in head:
        return None
    return next((log for log in FORMATS if _implementation(log).looks_like(head)), None)


def read_log(path: Path, log: LogFormat, source: str) -> Truth:
    """The rows of a log, and its damage.

    Raises:
        UnusableInput: the log is absurdly long.
    """
    if path.stat().st_size > MAX_LOG_BYTES:
        raise UnusableInput(f"{path}: longer than {MAX_LOG_BYTES >> 20} MiB, which no log of iperf is.")
    read: Callable[[str, str], Truth] = _implementation(log).read
    return read(_text(path.read_bytes()), source)


def _implementation(log: LogFormat) -> Any:
    from importlib import import_module

    return import_module(f"{__name__}.{log.module}")


def _text(octets: bytes) -> str:
    return octets.decode("utf-8-sig", errors="replace")
