"""Exchanges as uses of the medium: whose view, which window, from when to when, at what cost.

A *medium* is the air as one radio recorded it: one (source, observer). Stations of an anonymous capture share one.
"""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import polars as pl

from winf_analyzer.estimators import stretches, survey, windows
from winf_analyzer.estimators.mac import Known, nanoseconds, what_is_known, with_mac
from winf_analyzer.estimators.responses import rts_ns
from winf_analyzer.estimators.schema import EXCHANGES_SCHEMA
from winf_analyzer.estimators.settings import Settings
from winf_analyzer.estimators.stretches import Gathered, Part, Request, Stretches
from winf_analyzer.estimators.windows import WINDOW
from winf_analyzer.parameters import infer

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
        request = (part, *arguments)
        if request not in self.gathered:
            self.gather_all([request])
        return self.gathered[request].rows()

    def gather_all(self, requests: Sequence[Request]) -> None:
        """Gathers for several parts in one pass."""
        found = self.stretches.parts(requests, self.settings, self.media, self.hops, self.frames, self.windows)
        self.gathered.update(zip(requests, found, strict=True))

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

    def timed(rows: pl.LazyFrame) -> pl.LazyFrame:
        return _timed(rows, settings, known)

    rows = exchanges.select(pl.len()).collect(engine="streaming").item()
    held = None
    if rows <= stretches.ROWS:
        held = timed(exchanges.with_row_index("row")).collect(engine="in-memory")
        found = survey.surveyed(held.lazy())
    else:
        starts = range(0, rows, stretches.ROWS)
        blocks = (exchanges.slice(start, stretches.ROWS).with_row_index("row", start) for start in starts)
        found = pl.concat(survey.surveyed(timed(block)) for block in blocks)
    stations = survey.stations(found, settings)
    planned = survey.plan(found, stations)
    del found

    def prepare(rows: pl.LazyFrame) -> pl.LazyFrame:
        return _placed(timed(rows), stations)

    if held is not None:
        held = _placed(held.lazy().drop("row"), stations).collect(engine="in-memory")
        held = stretches.arranged(held)
    media = _with_spans(stations.select("medium", "source", "observer").unique().sort("medium"), planned)
    return Recording(
        uses=prepare(exchanges) if held is None else held.lazy(),
        media=media,
        stretches=Stretches(exchanges, prepare, planned, held),
        windows=windows.listed(planned, media, settings),
        settings=settings,
        gathered={},
        frames=frames,
        shared={},
    )


def _timed(rows: pl.LazyFrame, settings: Settings, known: Known) -> pl.LazyFrame:
    """Rows of the `exchanges` table of known end, with MAC parameters, time on the air and window."""
    columns = [pl.col(name).cast(dtype, strict=False) for name, dtype in EXCHANGES_SCHEMA.items()]
    numbers = [pl.col("row")] if "row" in rows.collect_schema() else []
    uses = rows.select(*columns, *numbers).rename({"access_ns": "service_ns"})
    uses = with_mac(uses.with_columns(family=pl.col("phy")), settings.mac, known)
    uses = uses.with_columns(**_heard_airtimes(), own_gap_ns=_own_gap())
    uses = uses.with_columns(end_ns=_end(), receiver=_receiver()).filter(pl.col("end_ns").is_not_null())
    return uses.with_columns(window_start_ns=windows.part_start(pl.col("end_ns"), settings), air_start_ns=_air_start())


def _placed(uses: pl.LazyFrame, stations: pl.DataFrame) -> pl.LazyFrame:
    """What was :func:`_timed` with its medium, access and use, as :attr:`Recording.uses`."""
    joined = uses.join(stations.lazy(), on=["source", "observer", "sender"], how="left", nulls_equal=True)
    return joined.drop("source", "observer").with_columns(
        access_ns=survey.access_ns(), unicast=_unicast(), sample=_sample()
    )


def _with_spans(media: pl.DataFrame, planned: pl.DataFrame) -> pl.DataFrame:
    spans = planned.group_by("medium").agg(first_ns=pl.col("access_from_ns").min(), last_ns=pl.col("last_ns").max())
    return media.join(spans, on="medium").with_columns(
        pl.col("first_ns").min().over("source"), pl.col("last_ns").max().over("source")
    )


def _heard_airtimes() -> dict[str, pl.Expr]:
    """The airtime of RTS, CTS and ACK where it was measured, else the preset's; an RTS is also told by its CTS."""
    ack = nanoseconds("ack_airtime_us")
    cts = pl.col("cts_ns") - pl.col("cts_start_ns")
    return {
        "t_rts": pl.coalesce(pl.col("rts_ns") - pl.col("rts_start_ns"), rts_ns(cts), "t_rts"),
        "t_cts": pl.coalesce(cts, "t_cts"),
        "t_ack": pl.coalesce(ack, pl.col("ack_ns") - pl.col("ack_start_ns"), "t_ack"),
    }


def _own_gap() -> pl.Expr:
    """The idle time before the exchange is its sender's: the recorder is that sender, or hears all alike."""
    opened = ~pl.col("hidden").fill_null(False) & (pl.col("attempt") == 1)
    sees_it = pl.col("observer").is_null() | (pl.col("observer") == pl.col("sender"))
    return pl.when(opened & sees_it).then(nanoseconds("idle_before_us"))


def _end() -> pl.Expr:
    """End of the last frame heard, from its start and airtime where only that is known."""
    return pl.coalesce(
        "end_ns",
        "ack_ns",
        pl.col("ack_start_ns") + pl.col("t_ack"),
        "data_ns",
        pl.col("data_start_ns") + nanoseconds("data_airtime_us"),
        "cts_ns",
        pl.col("cts_start_ns") + pl.col("t_cts"),
        "rts_ns",
        pl.col("rts_start_ns") + pl.col("t_rts"),
        "start_ns",
    )


def _air_start() -> pl.Expr:
    """Start of the first frame, from its end and airtime where only that is known.

    Where the CTS came without its RTS, the sender is hidden from the observer but had the medium since its RTS began.
    """
    heard = pl.coalesce(
        "start_ns",
        "rts_start_ns",
        pl.col("rts_ns") - pl.col("t_rts"),
        "cts_start_ns",
        pl.col("cts_ns") - pl.col("t_cts"),
        "data_start_ns",
        pl.col("data_ns") - nanoseconds("data_airtime_us"),
        "ack_start_ns",
        "end_ns",
    )
    unheard_rts = pl.when(pl.col("hidden")).then(pl.col("t_rts") + pl.col("t_sifs")).otherwise(0)
    return pl.min_horizontal(heard - unheard_rts, "end_ns")


def flow_links(exchanges: pl.LazyFrame) -> pl.LazyFrame:
    """The links on which each flow was carried: `flow sender receiver`, `numbered` (its packets have numbers)."""
    read = ("flow", "sender", "receiver", "kind", "data_kind", "complete", "payload_bytes", "packet_uid")
    rows = exchanges.select(pl.col(name).cast(EXCHANGES_SCHEMA[name], strict=False) for name in read)
    rows = rows.filter(pl.col("flow").is_not_null()).with_columns(receiver=_receiver()).filter(_sample())
    return rows.group_by("flow", "sender", "receiver").agg(numbered=pl.col("packet_uid").is_not_null().any())


def _receiver() -> pl.Expr:
    """The receiver, if it is one station: the Individual/Group bit is the lowest of the first octet (9.2.4.3.2)."""
    group = pl.col("receiver").str.contains(r"^[0-9a-f][13579bdf]:")
    return pl.when((pl.col("kind") != "broadcast") & ~group).then(pl.col("receiver"))


def _unicast() -> pl.Expr:
    """An attempt to reach one station, by a known one."""
    attempts = pl.col("kind").is_in(["rts", "basic", "cts_self", "rts_failed"])
    return (attempts & pl.col("sender").is_not_null() & pl.col("receiver").is_not_null()).fill_null(False)


def _sample() -> pl.Expr:
    """Whole, with payload: null functions, management and failed attempts use the medium but measure no capacity."""
    data = pl.col("data_kind").is_in(["data", "qos_data"]).fill_null(True)
    whole = pl.col("complete") & data & (pl.col("payload_bytes") > 0) & (pl.col("kind") != "rts_failed")
    return (_unicast() & whole).fill_null(False)
