"""Capacity and available bandwidth of 802.11 networks, from recordings.

Every command of ``winf`` has a function of the same name here::

    import winf_analyzer as winf

    dataset = winf.ingest(["capture.pcap"], "run.winf")
    estimates = winf.estimate(dataset)          # a polars.DataFrame
    busy = winf.sql(dataset, "select * from exchanges limit 5")
    winf.report(dataset, "run.html")

Names are imported when first used, so that ``winf --help`` does not wait for Polars.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

from winf_analyzer._core import DEBUG_BUILD, __version__

if TYPE_CHECKING:
    from winf_analyzer.analysis import Analysis, analyze, demo
    from winf_analyzer.comparison import Comparison, compare
    from winf_analyzer.dataset import Dataset
    from winf_analyzer.errors import DatasetError, DecoderError, InterruptedRun, UnusableInput, UsageError, WinfError
    from winf_analyzer.estimation import estimate
    from winf_analyzer.following import follow
    from winf_analyzer.hidden import hidden_pairs
    from winf_analyzer.ingestion import ingest
    from winf_analyzer.inspection import info
    from winf_analyzer.merging import merge
    from winf_analyzer.query import sql
    from winf_analyzer.registries import list  # noqa: A004 (the command's name)
    from winf_analyzer.replaying import Replayed, replay
    from winf_analyzer.reporting import report
    from winf_analyzer.streams import read_exchanges, read_frames
    from winf_analyzer.truth import read_truth

_HOME = {
    "Analysis": "analysis",
    "Comparison": "comparison",
    "Dataset": "dataset",
    "DatasetError": "errors",
    "DecoderError": "errors",
    "InterruptedRun": "errors",
    "Replayed": "replaying",
    "UnusableInput": "errors",
    "UsageError": "errors",
    "WinfError": "errors",
    "analyze": "analysis",
    "compare": "comparison",
    "demo": "analysis",
    "estimate": "estimation",
    "follow": "following",
    "hidden_pairs": "hidden",
    "info": "inspection",
    "ingest": "ingestion",
    "list": "registries",
    "merge": "merging",
    "read_exchanges": "streams",
    "read_frames": "streams",
    "read_truth": "truth",
    "replay": "replaying",
    "report": "reporting",
    "sql": "query",
}

__all__ = [
    "Analysis",
    "Comparison",
    "Dataset",
    "DatasetError",
    "DecoderError",
    "InterruptedRun",
    "Replayed",
    "UnusableInput",
    "UsageError",
    "WinfError",
    "__version__",
    "analyze",
    "compare",
    "demo",
    "estimate",
    "follow",
    "hidden_pairs",
    "info",
    "ingest",
    "list",
    "merge",
    "read_exchanges",
    "read_frames",
    "read_truth",
    "replay",
    "report",
    "sql",
]

if DEBUG_BUILD:
    warnings.warn(
        "winf_analyzer's native module is a debug build: many times slower. Build it with `make build`.",
        RuntimeWarning,
        stacklevel=2,
    )


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)


def __dir__() -> Sequence[str]:
    return __all__
