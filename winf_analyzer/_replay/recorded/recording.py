"""The tables of a recording, and what several parts of its world are made from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import polars as pl

from winf_analyzer._replay.recorded import views
from winf_analyzer._replay.recorded.flows import conversations
from winf_analyzer._replay.recorded.hearing.ack_only_stations import (
    inferred_observers,
    overheard_responders,
    with_inferred_observers,
)
from winf_analyzer._replay.recorded.links.facts import link_facts
from winf_analyzer._replay.recorded.mac.parameters import MacDialect
from winf_analyzer._util.errors import UnusableInput

if TYPE_CHECKING:
    from winf_analyzer._dataset.dataset import Dataset


@dataclass(frozen=True)
class Recording:
    """A dataset as the parts of a world read it; what is expensive is computed once, when it is first asked for."""

    dataset: Dataset

    frames: pl.LazyFrame
    """The ``frames`` table, whose anonymous observers have the names of :attr:`stations`."""

    exchanges: pl.LazyFrame
    """The ``exchanges`` table, likewise."""

    stations: dict[str, str]
    """The stations whose recordings do not say whose they are, by source, see :func:`.inferred_observers`."""

    @classmethod
    def of(cls, dataset: Dataset) -> Recording:
        """That of a dataset. Several recordings that were not merged are assumed to share a clock."""
        frames, exchanges = (views.read_once(dataset.scan(table)) for table in ("frames", "exchanges"))
        stations = inferred_observers(frames, exchanges)
        return cls(
            dataset, with_inferred_observers(frames, stations), with_inferred_observers(exchanges, stations), stations
        )

    @cached_property
    def dialect(self) -> MacDialect:
        """How the MAC of the simulator that made it differs from the standard."""
        return MacDialect.of(self.dataset.metadata)

    @cached_property
    def hops(self) -> pl.DataFrame:
        """See :func:`.conversations.conversation_hops`."""
        return conversations.conversation_hops(self.frames)

    @cached_property
    def view(self) -> pl.DataFrame:
        """The recording that represents each link, see :func:`.views.links`."""
        return views.links(self.exchanges)

    @cached_property
    def facts(self) -> pl.DataFrame:
        """Rates, attempts and failures by link, see :func:`.link_facts`."""
        return link_facts(self.exchanges, self.view)

    @cached_property
    def span(self) -> tuple[int, int]:
        """Start of the first and end of the last exchange, ns.

        Raises:
            UnusableInput: no exchange has times.
        """
        row = self.exchanges.select(first=pl.col("start_ns").min(), last=pl.col("end_ns").max())
        first, last = row.collect(engine="streaming").row(0)
        if first is None or last is None or last <= first:
            raise UnusableInput(
                f"{self.dataset.path}: no exchange has known times, so there is nothing to replay against."
            )
        return first, last

    @property
    def origin_ns(self) -> int:
        """Start of the world on the recording's clock."""
        return self.span[0]

    @property
    def duration_ns(self) -> int:
        """From the start of the first exchange to the end of the last one."""
        first, last = self.span
        return last - first

    @cached_property
    def neighbours(self) -> pl.DataFrame:
        """The ``neighbours`` table, and rows about stations known only by their responses."""
        columns = ["node", "neighbour", "heard", "delivery_ratio", "signal_dbm"]
        table = self.dataset.scan("neighbours").select(columns)
        by_name = table.with_columns(pl.col("node").replace(self.stations)).collect()
        by_answers = overheard_responders(self.frames, self.exchanges)
        beyond = by_answers.join(by_name, on=["node", "neighbour"], how="anti")
        return pl.concat([by_name, beyond.select(columns)], how="vertical_relaxed")
