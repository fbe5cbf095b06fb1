"""The first screen: where and when, five sentences, findings."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from winf_analyzer._report import summary, where

if TYPE_CHECKING:
    from winf_analyzer._dataset.dataset import Dataset
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


def head(dataset: Dataset | Collection, data: PanelData) -> Head:
    """The first screen of a dataset; without recordings, such as a replay of a declared world, it is empty."""
    inputs = dataset.metadata.get("inputs", [])
    if not any(entry["counts"]["exchanges"] for entry in inputs):
        return Head(where.facts(inputs, data.rows("stations"), data.rows("audit")))
    return Head(
        facts=where.facts(inputs, data.rows("stations"), data.rows("audit")),
        sentences=summary.sentences(data.rows, data.name),
        findings=data.findings(),
    )
