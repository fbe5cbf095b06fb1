"""What the audit says against a recording, of which a replay is no better than of the estimates."""

from __future__ import annotations

from dataclasses import replace
from math import inf
from typing import Any, NamedTuple

import polars as pl

from winf_analyzer._dataset.dataset import Dataset
from winf_analyzer._dataset.sequence_numbers import heard_in
from winf_analyzer._recommended import paused
from winf_analyzer._recommended.channels import most_listened
from winf_analyzer._recommended.judgement import EXTRA, MANY_MISSED, MOSTLY, PAUSED, SELDOM
from winf_analyzer._recommended.reasons import BY_CODE
from winf_analyzer._recommended.sources import source_facts
from winf_analyzer._replay.intervals import FIGURES
from winf_analyzer._replay.unknowns import Unknowns

ERRORS = {
    "clock_unusable": inf,
    "clock_doubtful": EXTRA["clock_doubtful"],
    "air_unheard": 0.5,
    "channel_seldom_heard": inf,
    "channel_left": inf,
    "recording_paused": inf,
    "recording_gaps": 0.25,
}
"""By reason what it adds to the share by which figures may be off; infinite: anything may be."""


class Doubt(NamedTuple):
    """What speaks against a recording."""

    source: str
    """The recording."""
    code: str
    """A key of :data:`ERRORS`."""

    @property
    def sentence(self) -> str:
        """The same for people."""
        return f"{self.source}: {BY_CODE[self.code].sentence} The replay is no better ({self.code})."


def doubted(dataset: Dataset, unknowns: Unknowns) -> tuple[Unknowns, list[Doubt]]:
    """What is left open, with the doubts about the dataset's recordings, and these.

    The reasons are those of `recommended`. An estimate may do without the clock; a replay begins and ends by it.
    """
    simulated = pl.col("sender").str.starts_with("node-")
    traces = dataset.scan("exchanges").filter(simulated).select(pl.col("source").unique()).collect(engine="streaming")
    facts = source_facts(dataset, traces["source"]).join(
        most_listened(dataset.scan("exchanges")), on="source", how="full", coalesce=True
    )
    pauses = paused.of_recordings(dataset.scan("exchanges"), heard_in(dataset))
    facts = facts.join(pauses, on="source", how="left").sort("source")
    found = [Doubt(row["source"], code) for row in facts.iter_rows(named=True) for code in _codes(row)]
    error = max((ERRORS[doubt.code] for doubt in found), default=0.0)
    if not error:
        return unknowns, []
    errors = {figure: unknowns.model_errors.get(figure, 0.0) + error for figure in FIGURES}
    return replace(unknowns, model_errors=errors), found


def _codes(row: dict[str, Any]) -> list[str]:
    clocks = {"wrong": "clock_unusable", "unusable": "clock_unusable", "doubtful": "clock_doubtful"}
    heard = ["air_unheard"] if row["air_unheard"] else []
    listened = 1.0 if row["listened_share"] is None else row["listened_share"]
    if listened < MOSTLY:
        # What flows did meanwhile is not known, and those of several channels do not contend.
        heard.append("channel_left" if listened >= SELDOM else "channel_seldom_heard")
    if (row["paused_share"] or 0.0) > PAUSED:
        # To a replay nothing was sent meanwhile, and senders had nothing to send.
        short = row["unknown_share"] <= PAUSED and row["paused_share"] <= MANY_MISSED
        heard.append("recording_gaps" if short else "recording_paused")
    return [clocks[row["clock"]], *heard] if row["clock"] in clocks else heard
