"""A finished replay, as users have it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import polars as pl

from winf_analyzer._dataset.dataset import Dataset
from winf_analyzer._replay import convergence, intervals
from winf_analyzer._replay.overview import TOTAL, overview


@dataclass(frozen=True)
class Replayed:
    """A finished replay: its tables, in memory or in a dataset."""

    replay_id: str
    """Its name in the tables."""

    summary: pl.DataFrame
    """Its rows of ``replay_summary``: one per controller, mode, seed and flow."""

    notes: list[str]
    """Deviations from the request (modes that a controller lacks), assumptions about a recording, and predictions that
    have not converged or that chance decides."""

    unconverged: pl.DataFrame
    """Flows that still change at the end of the run: ``controller mode flow third_bps fourth_bps rate``, throughput or
    pacing rate, whichever ``rate`` names, in the third and in the fourth quarter."""

    draws: pl.DataFrame | None
    """Rows like those of ``summary`` of runs in worlds that the recording allows too, a seed per world; None without
    draws."""

    dataset: Dataset | None
    """The dataset with its tables; None if they are in memory."""

    _tables: dict[str, pl.DataFrame] = field(repr=False)

    model_errors: Mapping[str, float] = field(default_factory=dict)
    """Share by which each figure may be off besides what was drawn, see :mod:`.unknowns`."""

    doubts: list[str] = field(default_factory=list)
    """A sentence for everything that speaks against the recordings; they are among the notes too."""

    cut: str = ""
    """What of the world was not replayed, for it has more than ``flow_seconds``; empty: nothing."""

    biases: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """By flow and figure what was recorded over what a replay of the recorded flows gives, where that is off; intervals
    reach so far."""

    fastest_bps: float | None = None
    """Rate of the fastest wireless link of the world, bit/s, beyond which no interval of throughput reaches."""

    by_chance: pl.DataFrame | None = None
    """Flows that deliver something else in runs with another seed: ``controller mode flow runs low_bps high_bps``, the
    least and the most throughput of a run. None without draws."""

    at_once: int | None = None
    """How many wireless links may deliver data at the same time, see :func:`.intervals.radios_at_once`."""

    unaffected: str = ""
    """A sentence where every controller gives the same, because no flow has one; it is among the notes too."""

    def __repr__(self) -> str:
        controllers = ", ".join(self.summary["controller"].unique(maintain_order=True))
        return f"Replayed({self.replay_id!r}: {controllers}; {self.summary['flow'].n_unique()} flows)"

    @property
    def undecided(self) -> str:
        """A sentence that names the controllers of whose flows it is not known whether they have converged, or none."""
        return convergence.undecided_sentence(self.summary)

    @property
    def overview(self) -> pl.DataFrame:
        """Means over the seeds with 95 % confidence intervals, see :func:`.overview.overview`.

        With draws also the 90 % intervals of throughput, delay and round-trip time.
        """
        means = overview(self.summary)
        if self.draws is None:
            return means
        found = intervals.intervals(self.draws, self.model_errors, self.fastest_bps, self.biases, self.at_once)
        return intervals.with_intervals(means, found)

    @property
    def ranking(self) -> pl.DataFrame:
        """How sure it is that one controller has more throughput than another, over the draws; empty without draws.

        See :func:`.intervals.ranking`.
        """
        return intervals.ranking(self.summary.clear() if self.draws is None else self.draws, self.model_errors)

    @property
    def totals(self) -> pl.DataFrame:
        """The rows of :attr:`overview` over all flows; with a single flow, its own."""
        return self.overview.filter((pl.col("flow") == TOTAL) == (self.summary["flow"].n_unique() > 1))

    @property
    def flows(self) -> pl.LazyFrame:
        """Its rows of ``replay_flows``: one per controller, mode, seed, flow and bin."""
        return self._scan("replay_flows")

    @property
    def links(self) -> pl.LazyFrame:
        """Its rows of ``replay_links``: one per controller, mode, seed, link and bin."""
        return self._scan("replay_links")

    def _scan(self, table: str) -> pl.LazyFrame:
        if self.dataset is None:
            return self._tables[table].lazy()
        return self.dataset.scan(table).filter(pl.col("replay_id") == self.replay_id)
