"""Two views of one capture, column by column."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import polars as pl

import winf_analyzer

from . import oracle
from .differences import DIFFERENCES
from .durations import ppdu_standard_us, standard_us, theirs, wireshark_us

MAC = (
    "subtype", "ra", "ta", "sa", "da", "bssid", "seq", "frag", "retry", "more_frag", "protected", "to_ds", "from_ds",
    "nav_us", "tid", "beacon_tsf_us",
)  # fmt: skip
"""Compared where the frame is whole: of a frame with a bad FCS nothing is known."""

OTHERS = (
    "ts_ns", "tsft_us", "fcs_ok", "length_bytes", "phy", "rate_mbps", "mcs", "nss", "bandwidth_mhz", "guard_ns",
    "ldpc", "channel_mhz", "signal_dbm", "airtime_us",
)  # fmt: skip
"""Compared on every frame."""

TOLERANCE = {"airtime_us": 1.0, "rate_mbps": 0.05}
"""Wireshark prints whole microseconds, and rates with a digit or two behind the point."""


@dataclass(frozen=True)
class Outcome:
    """What comparing one capture came to."""

    frames: int
    equal: int
    """Values that are the same in both."""

    explained: dict[str, int]
    """Values that differ, by the difference that explains them."""

    unexplained: pl.DataFrame
    """The others: ``frame_no``, ``column``, ``winf``, ``tshark``."""


def compare(capture: Path) -> Outcome | None:
    """Compare every frame of a capture; None where neither finds any in it."""
    ours = pl.DataFrame(winf_analyzer.read_frames(capture))
    ours = ours.with_columns(pl.col(pl.Categorical, pl.Enum).cast(pl.String))
    is_undeclared = ours["assumptions"].fill_null("").str.contains("fcs_present").any()
    dissected = oracle.frames(capture, assume_fcs=not is_undeclared)
    if dissected is None:
        return None if ours.is_empty() else Outcome(ours.height, 0, {}, _heights(ours.height, 0))
    if ours.height != dissected.height:
        return Outcome(ours.height, 0, {}, _heights(ours.height, dissected.height))
    both = pl.concat([ours, dissected.rename(lambda name: f"tshark_{name}")], how="horizontal")
    both = both.with_columns(
        wireshark_us=wireshark_us(),
        standard_us=standard_us(),
        ppdu_us=pl.when(pl.col("ppdu_no").is_not_null()).then(pl.col("airtime_us").sum().over("ppdu_no")),
        ppdu_standard_us=ppdu_standard_us(theirs("ldpc_extra")),
        ppdu_without_extra_us=ppdu_standard_us(pl.lit(value=False)),
        heard_mhz=_heard_mhz(),
        in_ampdu=pl.col("ampdu_ref").is_not_null() | _is_in_aggregate(),
    )
    both = both.with_columns(adds_up=_adds_up())
    equal, explained, unexplained = 0, dict.fromkeys((row.name for row in DIFFERENCES), 0), []
    for column in (*MAC, *OTHERS):
        differing = both.filter(_is_compared(column) & ~_is_equal(column))
        equal += both.height - differing.height
        for difference in DIFFERENCES:
            if column in difference.columns and not differing.is_empty():
                rest = differing.filter(~difference.predicate(column).fill_null(value=False))
                explained[difference.name] += differing.height - rest.height
                differing = rest
        shown = [
            pl.col(column).cast(pl.String).alias("winf"),
            pl.col(f"tshark_{column}").cast(pl.String).alias("tshark"),
        ]
        unexplained.append(differing.select("frame_no", pl.lit(column).alias("column"), *shown))
    return Outcome(both.height, equal, explained, pl.concat(unexplained))


def _adds_up() -> pl.Expr:
    """The shares of an A-MPDU are the airtime of its PPDU, at the rate of one of its subframes.

    tshark shows the extra LDPC symbol that the first subframe's record tells of, in those of the others, too.
    """
    times = (pl.col(name) for name in ("ppdu_standard_us", "ppdu_without_extra_us"))
    return pl.any_horizontal((pl.col("ppdu_us") - time).abs() <= 1 for time in times).any().over("ppdu_no")


def _heard_mhz() -> pl.Expr:
    """The channel of the latest frame with a stamp of the radio."""
    return pl.when(pl.col("tsft_us").is_not_null()).then(theirs("channel_mhz")).forward_fill()


def _is_in_aggregate() -> pl.Expr:
    """tshark learns of an A-MPDU from its second subframe."""
    is_aggregate = theirs("is_aggregate")
    return is_aggregate | is_aggregate.shift(-1, fill_value=False)


def _is_compared(column: str) -> pl.Expr:
    return pl.col("parse_error").is_null() if column in MAC else pl.lit(value=True)


def _is_equal(column: str) -> pl.Expr:
    ours = pl.col(column)
    if column in TOLERANCE:
        near = ((ours - theirs(column)).abs() <= TOLERANCE[column]).fill_null(value=False)
        return near | (ours.is_null() & theirs(column).is_null())
    return ours.eq_missing(theirs(column))


def _heights(ours: int, theirs: int) -> pl.DataFrame:
    return pl.DataFrame({"frame_no": [None], "column": ["frames"], "winf": [str(ours)], "tshark": [str(theirs)]})
