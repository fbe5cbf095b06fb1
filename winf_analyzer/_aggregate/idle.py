"""Idle share of a window, as the papers take it (from Durations) and as the medium was (from airtime).

Both functions return `medium window_start_ns idle_ratio covered_ns`, a row for every window that has an exchange; of
Durations also `state`, a row for each: they differ. The ratio refers to the part of the window that the recording
covers, and is unknown where that is too little.
"""

from collections.abc import Callable

import polars as pl

from winf_analyzer import _core
from winf_analyzer.estimators import gathering, windows
from winf_analyzer.estimators.mac import nanoseconds
from winf_analyzer.estimators.medium import WINDOW, Recording
from winf_analyzer.estimators.settings import Settings
from winf_analyzer.estimators.stretches import SHARE, Request, Stretch

STATES = ("sender", "receiver", "onlooker")


def from_nav(recording: Recording, settings: Settings) -> pl.DataFrame:
    """1 - sum(NAV)/T (Barreto, fig. 1 and eq. 2).

    A Sender adds up the Durations of CTS, a Receiver those of RTS, an Onlooker those of RTS where it heard one, else of
    CTS. An exchange without RTS counts with t_ACK - t_DATA.

    Overlapping reservations count twice, and frames that reserve nothing do not count: so the papers have it.
    Running, sum and T go from the first exchange on, as printed.
    """
    points = gathering.sums(recording, NAV, ())
    # What a part sums up counts at its end, which lies inside every window the part belongs to.
    at = pl.col("window_start_ns") + (settings.step_ns or settings.window_ns) - 1
    sums = windows.sums_within(points.with_columns(at_ns=at), recording.windows, STATES)
    busy = sums.select(*WINDOW, "from_ns", "to_ns", *STATES).unpivot(
        STATES, index=[*WINDOW, "from_ns", "to_ns"], variable_name="state", value_name="busy_ns"
    )
    return gathering.categorised(_ratio(busy, recording.media, settings))


def from_airtime(
    recording: Recording, settings: Settings, *, with_access: bool, end_ns: Callable[[], pl.Expr] | None = None
) -> pl.DataFrame:
    """1 - busy/T with busy the measure of the union of exchanges: alike in every state.

    An exchange counts from the start of its first frame, or of the access before it (`with_access`), to the end of its
    last, or to `end_ns`.
    """
    filled = recording.gather(*airtime(end_ns, with_access=with_access))
    busy = windows.busy_ns(filled, recording.windows)
    return _ratio(busy, recording.media, settings)


def beside(rows: pl.DataFrame, ratios: pl.DataFrame) -> pl.DataFrame:
    """The `rows` of nodes, each with the idle share of its window, and of its state where `ratios` tells them apart."""
    return rows.join(ratios, on=[name for name in (*WINDOW, "state") if name in ratios.columns], how="left")


def airtime(end_ns: Callable[[], pl.Expr] | None = None, *, with_access: bool) -> Request:
    """What :func:`from_airtime` gathers."""
    return (_filled, with_access, end_ns)


def coverage(recording: Recording) -> pl.DataFrame:
    """How much of each window its source covers: `medium window_start_ns covered_ns`."""
    spans = recording.windows.join(recording.media.select("medium", "first_ns", "last_ns"), on="medium")
    return spans.select(*WINDOW, covered_ns=windows.covered_ns())


def _reserved(stretch: Stretch, settings: Settings) -> pl.DataFrame:
    """What the Durations reserved, by window and state."""
    nav = {
        "sender": nanoseconds("nav_cts_us"),
        "receiver": nanoseconds("nav_rts_us"),
        "onlooker": pl.coalesce(nanoseconds("nav_rts_us"), nanoseconds("nav_cts_us")),
    }
    transfer = transfer_time().clip(lower_bound=0)
    sums = (pl.coalesce(value, transfer).sum().alias(state) for state, value in nav.items())
    # By link first: of one number exchanges are grouped faster than of two.
    links = stretch.uses.group_by(SHARE).agg(pl.col(WINDOW).first(), *sums)
    return links.group_by(WINDOW).agg(pl.col(STATES).sum()).collect(engine="in-memory")


NAV: Request = (_reserved,)
"""What :func:`from_nav` gathers."""


def _filled(
    stretch: Stretch, settings: Settings, with_access: bool, end_ns: Callable[[], pl.Expr] | None
) -> pl.DataFrame:
    """How long the medium was busy before each edge of a window: `medium edge_ns filled_ns`.

    Exchanges of earlier stretches that go on count up to the latest of their ends, those that end later from the
    earliest of their starts: all of them are on the air at the cut.
    """
    start = pl.col("air_start_ns") - pl.col("access_ns") if with_access else pl.col("air_start_ns")
    own = stretch.uses.select("medium", start_ns=start, end_ns=end_ns() if end_ns else "end_ns")
    back = "access_from_ns" if with_access else "air_from_ns"
    later = stretch.reaching_back.select("medium", start_ns=back, end_ns=pl.lit(stretch.to_ns, pl.Int64))
    intervals = pl.concat([own.collect(engine="in-memory"), later])
    known = stretch.carried.setdefault((_filled, with_access, end_ns), _core.Filling())
    filled = known.up_to(intervals, stretch.edges, stretch.from_ns, stretch.to_ns)
    return stretch.edges.hstack(pl.DataFrame(filled))


def transfer_time() -> pl.Expr:
    """t_ACK - t_DATA of an exchange without RTS (Barreto, eq. 1), nanoseconds; t_DATA: start of its transmission."""
    no_rts = pl.col("kind").is_in(["basic", "cts_self"])
    return pl.when(no_rts).then(pl.col("ack_ns") - pl.col("data_start_ns"))


def _ratio(busy: pl.DataFrame, media: pl.DataFrame, settings: Settings) -> pl.DataFrame:
    enough = (pl.col("covered_ns") > 0) & (pl.col("covered_ns") >= settings.min_cover * settings.window_ns)
    return (
        busy.join(media.select("medium", "first_ns", "last_ns"), on="medium")
        .with_columns(covered_ns=windows.covered_ns())
        .with_columns(idle_ratio=pl.when(enough).then((1 - pl.col("busy_ns") / pl.col("covered_ns")).clip(0, 1)))
        .drop("busy_ns", "from_ns", "to_ns", "first_ns", "last_ns")
    )
