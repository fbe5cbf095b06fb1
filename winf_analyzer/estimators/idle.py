"""Idle share of a window, as the papers take it (from Durations) and as the medium was (from airtime).

Both functions return `medium window_start_ns state idle_ratio covered_ns`, a row for every state of every window that
has an exchange. The ratio refers to the part of the window that the recording covers, and is unknown where that is
too little.
"""

import polars as pl

from winf_analyzer.estimators import windows
from winf_analyzer.estimators.mac import nanoseconds
from winf_analyzer.estimators.medium import WINDOW, Recording
from winf_analyzer.estimators.settings import Settings

STATES = ("sender", "receiver", "onlooker")


def from_nav(recording: Recording, settings: Settings) -> pl.DataFrame:
    """1 - sum(NAV)/T (Barreto, fig. 1 and eq. 2).

    A Sender adds up the Durations of CTS, a Receiver those of RTS, an Onlooker those of RTS where it heard one, else of
    CTS. An exchange without RTS counts with t_ACK - t_DATA.

    Overlapping reservations count twice, and frames that reserve nothing do not count: so the papers have it.
    Running, sum and T go from the first exchange on, as printed.
    """
    nav = {
        "sender": nanoseconds("nav_cts_us"),
        "receiver": nanoseconds("nav_rts_us"),
        "onlooker": pl.coalesce(nanoseconds("nav_rts_us"), nanoseconds("nav_cts_us")),
    }
    transfer = transfer_time().clip(lower_bound=0)
    parts = recording.uses.group_by(WINDOW).agg(
        pl.coalesce(value, transfer).sum().alias(state) for state, value in nav.items()
    )
    points = parts.collect(engine="streaming")
    listed = windows.listed(points, recording.media, settings)
    # What a part sums up counts at its end, which lies inside every window the part belongs to.
    at = pl.col("window_start_ns") + (settings.step_ns or settings.window_ns) - 1
    sums = windows.sums_within(points.with_columns(at_ns=at), listed, STATES)
    busy = sums.select(*WINDOW, "from_ns", "to_ns", *STATES).unpivot(
        STATES, index=[*WINDOW, "from_ns", "to_ns"], variable_name="state", value_name="busy_ns"
    )
    return _ratio(busy, recording.media, settings)


def from_airtime(
    recording: Recording, start_ns: pl.Expr, settings: Settings, end_ns: pl.Expr | str = "end_ns"
) -> pl.DataFrame:
    """1 - busy/T with busy the measure of the union of [`start_ns`, `end_ns`]: alike in every state."""
    intervals = recording.uses.select(*WINDOW, end_ns=end_ns, start_ns=start_ns).collect(engine="streaming")
    busy = windows.busy_ns(intervals, windows.listed(intervals, recording.media, settings))
    return _ratio(busy, recording.media, settings).join(pl.DataFrame({"state": STATES}), how="cross")


def coverage(recording: Recording, settings: Settings) -> pl.DataFrame:
    """How much of each window its source covers: `medium window_start_ns covered_ns`."""
    parts = recording.uses.select(WINDOW).unique().collect(engine="streaming")
    listed = windows.listed(parts, recording.media, settings)
    spans = listed.join(recording.media.select("medium", "first_ns", "last_ns"), on="medium")
    return spans.select(*WINDOW, covered_ns=windows.covered_ns())


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
