"""The first screen: where and when, five sentences, findings."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from winf_analyzer._dataset.dataset import Dataset
from winf_analyzer._dataset.history import history
from winf_analyzer._report import summary, where
from winf_analyzer._report.findings import scope
from winf_analyzer._report.overview import facts_checked

if TYPE_CHECKING:
    from winf_analyzer._report.contents import PanelData
    from winf_analyzer._report.findings import Finding
    from winf_analyzer._sql.datasets import Collection


@dataclass(frozen=True)
class Head:
    """What the report says before any panel."""

    facts: list[where.Fact]
    sentences: list[str] = field(default_factory=list)
    findings: list[Finding] | None = None
    """Ranked; None where the dataset has no table of findings."""
    scope: list[str] = field(default_factory=list)
    """What else was looked for, as `winf why` ends; empty for several datasets."""


def head(dataset: Dataset | Collection, data: PanelData) -> Head:
    """The first screen of a dataset; without recordings, such as a replay of a declared world, it is empty."""
    inputs = dataset.metadata.get("inputs", [])
    stations, audit = data.rows("stations"), data.rows("audit")
    with facts_checked(dataset):
        facts, has_exchanges = (
            where.facts(inputs, stations, audit),
            any(entry["counts"]["exchanges"] for entry in inputs),
        )
    if not has_exchanges:
        return Head(facts)
    found = _findings(dataset, data)
    return Head(
        facts=facts,
        sentences=summary.sentences(data.rows, data.name),
        findings=found,
        scope=_scope(dataset, found or []),
    )


def _findings(dataset: Dataset | Collection, data: PanelData) -> list[Finding] | None:
    """The findings; None where nobody is known to have looked for any, because an empty table is made by `ingest`."""
    found = data.findings()
    datasets = [dataset] if isinstance(dataset, Dataset) else dataset.datasets
    looked = all("why" in history(each)["action"].to_list() for each in datasets)
    return found if found or looked else None


def _scope(dataset: Dataset | Collection, found: list[Finding]) -> list[str]:
    noted = dataset.metadata.get("made", {}).get("why") if isinstance(dataset, Dataset) else None
    return scope(noted["looked_at"], noted["lacking"], {each.name: each.title for each in found}) if noted else []
