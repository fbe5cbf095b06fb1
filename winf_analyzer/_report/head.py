"""The first screen: where and when, five sentences, findings."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from winf_analyzer._dataset.dataset import Dataset
from winf_analyzer._dataset.history import history
from winf_analyzer._report import played, summary, where
from winf_analyzer._report.findings import scope
from winf_analyzer._report.overview import facts_checked

if TYPE_CHECKING:
    from winf_analyzer._report.contents import PanelData
    from winf_analyzer._report.findings import ShownFinding
    from winf_analyzer._sql.datasets import Collection


@dataclass(frozen=True)
class Head:
    """What the report says before any panel."""

    facts: list[where.Fact]
    sentences: list[str] = field(default_factory=list)
    findings: list[ShownFinding] | None = None
    """Ranked; None where the dataset has no table of findings."""
    scope: list[str] = field(default_factory=list)
    """What else was looked for, as `winf why` ends; empty for several datasets."""


def head(dataset: Dataset | Collection, data: PanelData) -> Head:
    """The first screen of a dataset; without recordings it says what was replayed."""
    inputs = dataset.metadata.get("inputs", [])
    stations, audit = data.rows("stations"), data.rows("audit")
    channels = data.channels()
    with facts_checked(dataset):
        facts, has_exchanges = (
            where.facts(inputs, stations, data.rows("airtime"), audit, channels),
            any(entry["counts"]["exchanges"] for entry in inputs),
        )
    if not inputs:
        return Head(facts, played.sentences(data.of_panel("replay_throughput"), data.of_panel("sweep_throughput")))
    if not has_exchanges:
        return Head(facts)
    found = _findings(dataset, data)
    return Head(
        facts=facts,
        sentences=summary.sentences(data.rows, data.name, channels),
        findings=found,
        scope=_scope(dataset, data) if found is not None else [],
    )


def _findings(dataset: Dataset | Collection, data: PanelData) -> list[ShownFinding] | None:
    """The findings; None where nobody is known to have looked for any, because an empty table is made by `ingest`."""
    found = data.findings()
    datasets = [dataset] if isinstance(dataset, Dataset) else dataset.datasets
    looked = found or all(
        "why" in each.metadata.get("made", {}) or "why" in history(each)["action"].to_list() for each in datasets
    )
    return found if looked else None


def _scope(dataset: Dataset | Collection, data: PanelData) -> list[str]:
    noted = dataset.metadata.get("made", {}).get("why") if isinstance(dataset, Dataset) else None
    if not noted:
        return []
    lines = scope(noted["looked_at"], noted["lacking"], data.titles_of_findings())
    if len(dataset.metadata.get("inputs", [])) > 1 and (doubtful := data.doubtful()):
        lines.append(f"{doubtful} more are doubtful; `winf why DATASET --to csv` has every one with its recording.")
    return lines
