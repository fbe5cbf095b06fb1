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
    from winf_analyzer._anonymize import anonymize, check_public
    from winf_analyzer._dataset.checking import check
    from winf_analyzer._dataset.dataset import Dataset
    from winf_analyzer._dataset.history import gc, history, undo
    from winf_analyzer._diff import Difference, diff
    from winf_analyzer._evaluate import Comparison, compare
    from winf_analyzer._evaluate.medians import link_medians
    from winf_analyzer._evaluate.validation import Validation, validate
    from winf_analyzer._export import Exported, export
    from winf_analyzer._findings import Why, findings, why
    from winf_analyzer._hidden import hidden_pairs
    from winf_analyzer._ingest.following import follow
    from winf_analyzer._ingest.ingestion import ingest
    from winf_analyzer._ingest.inspection import info
    from winf_analyzer._ingest.merging import merge
    from winf_analyzer._ingest.repairing import repair
    from winf_analyzer._ingest.streams import read_exchanges, read_frames
    from winf_analyzer._ingest.truth import read_truth
    from winf_analyzer._notebook import figure
    from winf_analyzer._papers.reproductions import reproduce
    from winf_analyzer._replay import Replayed, replay
    from winf_analyzer._report import report
    from winf_analyzer._scale.collecting import collect
    from winf_analyzer._scale.sweeping import sweep
    from winf_analyzer._sql.query import sql
    from winf_analyzer._util.errors import (
        DatasetError,
        DecoderError,
        InterruptedRun,
        UnusableInput,
        UsageError,
        WinfError,
    )
    from winf_analyzer._util.plugins import PluginWarning
    from winf_analyzer.estimators._write import estimate
    from winf_analyzer.pipeline import Analysis, analyze, demo
    from winf_analyzer.registry import list  # noqa: A004 (the command's name)

_HOME = {
    "Analysis": "pipeline",
    "Comparison": "_evaluate",
    "Dataset": "_dataset.dataset",
    "DatasetError": "_util.errors",
    "DecoderError": "_util.errors",
    "Difference": "_diff",
    "Exported": "_export",
    "InterruptedRun": "_util.errors",
    "PluginWarning": "_util.plugins",
    "Replayed": "_replay",
    "UnusableInput": "_util.errors",
    "UsageError": "_util.errors",
    "Validation": "_evaluate.validation",
    "Why": "_findings",
    "WinfError": "_util.errors",
    "analyze": "pipeline",
    "anonymize": "_anonymize",
    "check": "_dataset.checking",
    "check_public": "_anonymize",
    "collect": "_scale.collecting",
    "diff": "_diff",
    "compare": "_evaluate",
    "demo": "pipeline",
    "estimate": "estimators._write",
    "export": "_export",
    "figure": "_notebook",
    "findings": "_findings",
    "follow": "_ingest.following",
    "gc": "_dataset.history",
    "hidden_pairs": "_hidden",
    "history": "_dataset.history",
    "info": "_ingest.inspection",
    "ingest": "_ingest.ingestion",
    "link_medians": "_evaluate.medians",
    "list": "registry",
    "merge": "_ingest.merging",
    "read_exchanges": "_ingest.streams",
    "read_frames": "_ingest.streams",
    "read_truth": "_ingest.truth",
    "repair": "_ingest.repairing",
    "replay": "_replay",
    "report": "_report",
    "reproduce": "_papers.reproductions",
    "sql": "_sql.query",
    "sweep": "_scale.sweeping",
    "undo": "_dataset.history",
    "validate": "_evaluate.validation",
    "why": "_findings",
}

__all__ = [
    "Analysis",
    "Comparison",
    "Dataset",
    "DatasetError",
    "DecoderError",
    "Difference",
    "Exported",
    "InterruptedRun",
    "PluginWarning",
    "Replayed",
    "UnusableInput",
    "UsageError",
    "Validation",
    "Why",
    "WinfError",
    "__version__",
    "analyze",
    "anonymize",
    "check",
    "check_public",
    "collect",
    "compare",
    "demo",
    "diff",
    "estimate",
    "export",
    "figure",
    "findings",
    "follow",
    "gc",
    "hidden_pairs",
    "history",
    "info",
    "ingest",
    "link_medians",
    "list",
    "merge",
    "read_exchanges",
    "read_frames",
    "read_truth",
    "repair",
    "replay",
    "report",
    "reproduce",
    "sql",
    "sweep",
    "undo",
    "validate",
    "why",
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
