"""Ground truth: goodput that a measurement tool or a simulator counted at the receiver.

`FORMATS` is the registry of log formats; `read_truth` reads any of them into rows of the ``truth`` table.
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

    from winf_analyzer._ingest.truth.table import ParsedLog

DETECTION_BYTES = 64 << 10
"""Octets at the start of a file from which its format is detected."""

MAX_LOG_BYTES = 256 << 20
"""Logs are read as a whole; the log of a day is a hundredth of this."""


@dataclass(frozen=True)
class LogFormat:
    """A text format of logs, detected from the start of the file."""

    name: str
    description: str
    module: str
    """Module of this package with ``looks_like(head)`` and ``read(text, source)``."""


FORMATS = (
    LogFormat("iperf3_json", "iperf3 JSON: one or several tests (-J), or events (--json-stream)", "iperf3_json"),
    LogFormat("flow_monitor", "ns-3 FlowMonitor XML", "flow_monitor"),
    LogFormat("iperf2_csv", "iperf2 CSV report (-y C)", "iperf2_csv"),
    LogFormat("iperf_text", "text output of iperf3 and iperf2, with or without time stamps", "iperf_text"),
)
"""All log formats, in the order of detection. Traces of ns-2 and ns-3 are read as recordings."""

SIMULATORS = {"ns2": "ns-2", "ns3": "ns-3"}
"""Recording formats of simulators, whose receive events are ground truth, and the tool's name."""


def read_truth(path: str | os.PathLike[str]) -> pl.DataFrame:
    """The rows of the ``truth`` table from a log of iperf or FlowMonitor, or from a trace of ns-2 or ns-3.

    Damaged parts are skipped.

    Raises:
        UnusableInput: no such file, or it contains no ground truth.
    """
    path = Path(path)
    if (log := recognize(path)) is not None:
        return read_log(path, log, path.name).rows
    tool = SIMULATORS.get(_core.recognize(path) or "")
    if tool is None:
        raise UnusableInput(f"{path}: no ground truth; neither a log of iperf or FlowMonitor nor a simulator trace.")
    import polars as pl

    from winf_analyzer._ingest.streams import read_frames
    from winf_analyzer._ingest.truth.received_goodput import received_goodput

    return received_goodput(pl.DataFrame(read_frames(path)), tool=tool)


def recognize(path: Path) -> LogFormat | None:
    """The format of the log at ``path``; ``None`` if it is not a log.

    Raises:
        UnusableInput: the file does not exist or cannot be read.
    """
    if not path.is_file() and path.exists():  # a pipe is read once, and a log is read twice
        raise UnusableInput(f"{path}: is no file.")
    try:
        with path.open("rb") as file:
            head = file.read(DETECTION_BYTES)
    except OSError as error:
        raise UnusableInput(f"{path}: cannot be read: {error.strerror or error}.") from error
    if b"\0" in head:  # a capture: before it is decoded, since of a folder of captures this reads every one
        return None
    text = _text(head)
    return next((log for log in FORMATS if _implementation(log).looks_like(text)), None)


def read_log(path: Path, log: LogFormat, source: str) -> ParsedLog:
    """The rows of a log, and its damage.

    Raises:
        UnusableInput: the log is longer than :data:`MAX_LOG_BYTES`.
    """
    if path.stat().st_size > MAX_LOG_BYTES:
        raise UnusableInput(f"{path}: too long for a log of iperf (more than {MAX_LOG_BYTES >> 20} MiB).")
    read: Callable[[str, str], ParsedLog] = _implementation(log).read
    return read(_text(path.read_bytes()), source)


def _implementation(log: LogFormat) -> Any:
    from importlib import import_module

    return import_module(f"{__name__}.{log.module}")


def _text(octets: bytes) -> str:
    return octets.decode("utf-8-sig", errors="replace")
