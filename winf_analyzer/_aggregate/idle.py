"""Idle share of a window: from Durations, as the papers take it, or from airtime, as the medium was.

For each of the two there is an :class:`.Aggregate`, and a function that makes `medium window_start_ns idle_ratio
covered_ns` of its result: a row for every window that has an exchange; of Durations also `state`, a row for each, since
they differ. The ratio refers to the part of the window that the recording covers, and is unknown where that is too
little.
"""

from collections.abc import Callable
from functools import cache

import polars as pl

from winf_analyzer import _core
from winf_analyzer._aggregate.aggregate import Aggregate
from winf_analyzer._aggregate.chunks import GROUP, Chunk, Context
from winf_analyzer._aggregate.exchange_columns import nanoseconds, quotient
from winf_analyzer._aggregate.settings import Settings
from winf_analyzer._aggregate.windows import WINDOW, sums_within

STATES = ("sender", "receiver", "onlooker")


def from_nav(context: Context, reserved: pl.DataFrame) -> pl.DataFrame:
    """1 - sum(NAV)/T (Barreto, fig. 1 and eq. 2), from what :data:`NAV` sums.

    As in the papers, overlapping reservations count twice, and frames that reserve nothing do not count.
    Running, sum and T go from the first exchange on, as printed.
    """
    settings = context.settings
    # A partial sum counts at the end of its part of time, which lies inside every window the part belongs to.
    at = pl.col("window_start_ns") + (settings.step_ns or settings.window_ns) - 1
    sums = sums_within(reserved.with_columns(at_ns=at), context.windows, STATES)
    busy = sums.select(*WINDOW, "covered_ns", *STATES).unpivot(
        STATES, index=[*WINDOW, "covered_ns"], variable_name="state", value_name="busy_ns"
    )
    return _ratio(busy, settings).with_columns(pl.col("state").cast(pl.Categorical))


def from_airtime(context: Context, busy: pl.DataFrame) -> pl.DataFrame:
    """1 - busy/T, from what :func:`airtime` measures: alike in every state."""
    windows = context.windows
    for edge in ("from", "to"):
        up_to = busy.rename({"edge_ns": f"{edge}_ns", "busy_ns": f"busy_{edge}_ns"})
        windows = windows.join(up_to, on=["medium", f"{edge}_ns"], how="left")
    inside = pl.col("busy_to_ns") - pl.col("busy_from_ns")
    return _ratio(windows.select(*WINDOW, "covered_ns", busy_ns=inside), context.settings)


def join_idle(rows: pl.DataFrame, ratios: pl.DataFrame) -> pl.DataFrame:
    """The `rows` of nodes, each with the idle share of its window, and of its state where `ratios` has one for each."""
    return rows.join(ratios, on=[name for name in (*WINDOW, "state") if name in ratios.columns], how="left")


def airtime(*, with_access: bool, end_ns: Callable[[], pl.Expr] | None = None) -> Aggregate:
    """The measure of the union of exchanges before each edge of a window: `medium edge_ns busy_ns`.

    Args:
        with_access: an exchange counts from the start of the access before it, not of its first frame.
        end_ns: until when it counts, as an expression; the end of its last frame by default.
    """
    return Aggregate(_busy, (with_access, end_ns), keys=None)


def _reserved(chunk: Chunk) -> pl.DataFrame:
    """What the Durations reserved, by window and state.

    A Sender adds up the Durations of CTS, a Receiver those of RTS, an Onlooker those of RTS where it heard one, else of
    CTS. An exchange without RTS counts with t_ACK - t_DATA.
    """
    nav = {
        "sender": nanoseconds("nav_cts_us"),
        "receiver": nanoseconds("nav_rts_us"),
        "onlooker": pl.coalesce(nanoseconds("nav_rts_us"), nanoseconds("nav_cts_us")),
    }
    transfer = transfer_time().clip(lower_bound=0)
    sums = (pl.coalesce(value, transfer).sum().alias(state) for state, value in nav.items())
    # By link first: exchanges are grouped faster by one number than by two.
    links = chunk.uses.group_by(GROUP).agg(pl.col(WINDOW).first(), *sums)
    return links.group_by(WINDOW).agg(pl.col(STATES).sum()).collect(engine="in-memory")


NAV = Aggregate(_reserved, keys=WINDOW)
"""Time that Durations reserved per window and state: `medium window_start_ns sender receiver onlooker`, ns."""


def _busy(chunk: Chunk, with_access: bool, end_ns: Callable[[], pl.Expr] | None) -> pl.DataFrame:
    """What :func:`airtime` measures, in a chunk.

    Exchanges of earlier chunks that go on count up to the latest of their ends, those that end later from the earliest
    of their starts: all of them are on the air at the boundary.
    """
    start = pl.col("air_start_ns") - pl.col("access_ns") if with_access else pl.col("air_start_ns")
    own = chunk.uses.select("medium", start_ns=start, end_ns=end_ns() if end_ns else "end_ns")
    back = "access_from_ns" if with_access else "air_from_ns"
    later = chunk.reaching_back.select("medium", start_ns=back, end_ns=pl.lit(chunk.to_ns, pl.Int64))
    intervals = pl.concat([own.collect(engine="in-memory"), later])
    union = chunk.state.setdefault((_busy, with_access, end_ns), _core.BusyTime())
    before = pl.DataFrame(union.up_to(intervals, chunk.edges, chunk.from_ns, chunk.to_ns))
    return chunk.edges.hstack(before.rename({"filled_ns": "busy_ns"}))


@cache
def transfer_time() -> pl.Expr:
    """t_ACK - t_DATA of an exchange without RTS (Barreto, eq. 1), nanoseconds; t_DATA: start of its transmission."""
    no_rts = pl.col("kind").is_in(["basic", "cts_self"])
    return pl.when(no_rts).then(pl.col("ack_ns") - pl.col("data_start_ns"))


def _ratio(busy: pl.DataFrame, settings: Settings) -> pl.DataFrame:
    enough = (pl.col("covered_ns") > 0) & (pl.col("covered_ns") >= settings.min_cover * settings.window_ns)
    ratio = quotient(pl.col("covered_ns") - pl.col("busy_ns"), pl.col("covered_ns")).clip(0, 1)
    return busy.with_columns(idle_ratio=pl.when(enough).then(ratio)).drop("busy_ns")
