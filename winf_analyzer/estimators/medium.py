"""Exchanges as uses of the medium: whose view, which window, from when to when, at what cost.

A *medium* is the air as one radio recorded it: one (source, observer). Stations of an anonymous capture share one.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import polars as pl

from winf_analyzer._mac import infer
from winf_analyzer._util.prefetch import ahead
from winf_analyzer.estimators import preparation, stretches, survey, windows
from winf_analyzer.estimators.kinds import Kinds, receiver
from winf_analyzer.estimators.mac import what_is_known
from winf_analyzer.estimators.schema import EXCHANGES_SCHEMA
from winf_analyzer.estimators.settings import Settings
from winf_analyzer.estimators.stretches import Gathered, Part, Request, Stretches
from winf_analyzer.estimators.windows import WINDOW

__all__ = ["HOPS", "WINDOW", "Recording", "recording"]


HOPS = pl.Schema(
    {"path": pl.String(), "flow": pl.String(), "sender": pl.String(), "receiver": pl.String(), "hops": pl.Int64()}
)
"""A row for every hop of every path of every flow: `path` as `estimates` writes it; `hops`: how many it has."""


class Recording(NamedTuple):
    """What every estimator starts from."""

    uses: pl.LazyFrame
    """One row per exchange with a time stamp; of a long recording not held in memory: each collection then scans the
    exchanges again. :meth:`gather` does not.

    Adds to the columns of `exchanges`: `medium`, `window_start_ns` (of the window, or the step of a sliding one, in
    which it ends); the MAC parameters of :func:`.mac.with_mac`, where `t_rts t_cts t_ack` are the frames' own airtimes
    if they were heard; `family` (the PHY); `air_start_ns`, `end_ns` (its time on the air); `access_ns` (what the access
    to the medium cost before; the column of that name in `exchanges` is `service_ns` here); `unicast`; `sample` (it
    carried payload and was acknowledged). Receivers of group-addressed frames are null.
    """

    media: pl.DataFrame
    """One row per medium: `medium`, `source`, `observer`, and the span of its source, `first_ns` to `last_ns`.

    The span belongs to the source: an observer that heard nothing for a while still listened. It begins with the access
    before the first exchange, so that exchange counts in full.
    """

    stretches: Stretches
    """The same exchanges in pieces."""

    windows: pl.DataFrame
    """The windows in which something happened, as :func:`.windows.listed` gives them."""

    settings: Settings

    gathered: dict[Request, Gathered]
    """What was gathered, by what was asked for."""

    frames: pl.LazyFrame | None = None
    """The `frames` table, where there is one, for what `exchanges` does not tell; read only where it is needed."""

    hops: pl.DataFrame = pl.DataFrame(schema=HOPS)
    """The paths its packets take, by hop (:func:`.paths.find`)."""

    shared: dict[str, Any] = {}  # noqa: RUF012 (each recording is given its own)
    """What several estimators need, by name; whoever needs it first computes it."""

    def gather(self, part: Part, *arguments: Any) -> pl.DataFrame:
        """The rows that a part makes of the recording, in memory bounded by them and one stretch.

        Whoever asks again gets the same rows.
        """
        return self.gather_categories(part, *arguments).with_columns(pl.col(pl.Categorical).cast(pl.String))

    def gather_categories(self, part: Part, *arguments: Any) -> pl.DataFrame:
        """:meth:`gather` with every text as a category, as the stretches keep them."""
        request = (part, *arguments)
        if request not in self.gathered:
            self.gather_all([request])
        return self.gathered[request].rows()

    def gather_all(self, requests: Sequence[Request]) -> None:
        """Gathers for several parts in one pass."""
        found = self.stretches.parts(requests, self.settings, self.media, self.hops, self.frames, self.windows)
        self.gathered.update(zip(requests, found, strict=True))

    def handed_on(self, name: str, make: Callable[[], object]) -> pl.DataFrame:
        """The rows that `make` keeps in :attr:`shared` by this name, for the one who goes on from them.

        They are forgotten with that; where nothing is kept, because nobody asked for it before, `make` runs first.
        """
        if name not in self.shared:
            make()
        rows: pl.DataFrame = self.shared.pop(name)
        return rows

    def forget(self, requests: Iterable[Request]) -> None:
        """Frees what was gathered and is of no further use."""
        for request in requests:
            self.gathered.pop(request, None)


def recording(
    exchanges: pl.LazyFrame,
    settings: Settings,
    frames: pl.LazyFrame | None = None,
    parameters: pl.DataFrame | None = None,
) -> Recording:
    """Prepares the `exchanges` table: one scan of it, for the senders' backoffs and for what lies where.

    At most :data:`.stretches.ROWS` exchanges stay in memory. `parameters` is the `mac_parameters` table; where it is
    not given, it is inferred from the exchanges.
    """
    if parameters is None and settings.mac is None:
        parameters = infer(exchanges)
    known = what_is_known(parameters)
    rows = exchanges.select(pl.len()).collect(engine="streaming").item()
    short = rows <= stretches.ROWS
    exchanges = exchanges.collect(engine="in-memory").lazy() if short else exchanges
    starts = range(0, max(rows, 1), stretches.ROWS)
    kinds = Kinds(settings, known)
    timed = ahead(preparation.timed(exchanges.slice(start, stretches.ROWS), start, kinds, settings) for start in starts)
    found = pl.concat(survey.surveyed(block) for block in timed)
    stations = survey.stations(found, settings)
    planned = survey.plan(found, stations)
    del found

    placed = Kinds(settings, known, stations)

    def prepare(rows: pl.LazyFrame) -> pl.DataFrame:
        return preparation.prepared(rows, placed, settings)

    pieces = Stretches(exchanges, prepare, planned, stretches.arranged(prepare(exchanges)) if short else None)
    media = _with_spans(stations.select("medium", "source", "observer").unique().sort("medium"), planned)
    return Recording(
        uses=pieces.together(),
        media=media,
        stretches=pieces,
        windows=windows.listed(planned, media, settings),
        settings=settings,
        gathered={},
        frames=frames,
        shared={},
    )


def _with_spans(media: pl.DataFrame, planned: pl.DataFrame) -> pl.DataFrame:
    spans = planned.group_by("medium").agg(first_ns=pl.col("access_from_ns").min(), last_ns=pl.col("last_ns").max())
    return media.join(spans, on="medium").with_columns(
        pl.col("first_ns").min().over("source"), pl.col("last_ns").max().over("source")
    )


def flow_links(exchanges: pl.LazyFrame) -> pl.LazyFrame:
    """The links on which each flow was carried: `flow sender receiver`, `numbered` (its packets have numbers)."""
    read = ("flow", "sender", "receiver", "kind", "data_kind", "complete", "payload_bytes", "packet_uid")
    rows = exchanges.select(pl.col(name).cast(EXCHANGES_SCHEMA[name], strict=False) for name in read)
    rows = rows.filter(pl.col("flow").is_not_null()).with_columns(receiver=receiver())
    rows = rows.filter(preparation.sample())
    return rows.group_by("flow", "sender", "receiver").agg(numbered=pl.col("packet_uid").is_not_null().any())
