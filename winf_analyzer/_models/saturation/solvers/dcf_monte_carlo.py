"""A short native Monte Carlo simulation of DCF among the stations on a medium, for what the fixed point leaves out.

The fixed point takes stations to be independent and all in range. The simulation does not: packets that arrive while a
long aggregate is on the air contend together, and stations that the sender cannot hear do not wait for it. The model is
described in `kernels/src/saturation/dcf_monte_carlo`. Packets are given up after seven first frames (RTS, or data
without one) that nobody answered, after four whose RTS was answered but whose data was not, and after 512 TU in a queue
behind others; a queue holds 500. Stations that aggregate may keep them to the end (`persistent`).
"""

from typing import Any

import polars as pl

from winf_analyzer import _core
from winf_analyzer._models.saturation.solvers import fixed_point

SEED = 1
"""The same stations give the same result."""

LONGEST_S = 1e3
"""Seconds for which a source is on, or off, at most."""

CONTENDERS = (*fixed_point.STATIONS, "hidden", "rts", "unanswered_s", "sifs_s", "txop_s")
"""What a simulation knows of a station: those of the fixed point; whether each is out of the subject's range (hidden
stations hear one another), and sends RTS; what a first frame that nobody answers occupies; SIFS; and the longest TXOP,
0 of one that sends one exchange per access."""


def simulate(
    stations: pl.DataFrame,
    *,
    first_destroyed: pl.Expr,
    answered_destroyed: pl.Expr,
    backlogged: bool = True,
    persistent: bool = False,
    seed: int = SEED,
) -> pl.DataFrame:
    """Simulates the stations of each case.

    Args:
        stations: :data:`CONTENDERS` in rows, of which at most one per case is the subject. With `variation`, that of
            the times between a station's packets (squared, over the squared mean), or `burst_s pause_s` of
            :func:`.on_off.with_times`; without, they are a Poisson process. With `beside_lost`, the chance that a frame
            is lost which overlaps one of a station that it is hidden from; without, it is.
        first_destroyed: chance that an RTS, or data without one, does not survive a frame that a hidden station begins
            later; of others than the subject `beside_lost` at most.
        answered_destroyed: the same of data after a CTS.
        backlogged: the subject's queue is filled; otherwise it sends `packets_per_s` like the others.
        persistent: stations that aggregate give no packet up at the retry limits, and CW stays as large as it was.
        seed: of the random draws.

    Returns:
        The stations with more columns: `delivered_per_s` (packets), `attempts_per_s` to get the medium, and
        `exchanges_per_s` that succeeded, of which a TXOP may hold several; `first_failed`, the share of
        its attempts whose first frame nobody answered; `answered_failed`, the share of the answered ones that failed
        afterwards; `behind`, the share of its attempts that are the first of a packet, waited for an exchange of the
        subject, and follow it, as it followed another station's for which it had waited; and `behind_slots`, the mean
        number of idle slots between that one and the attempt. Of a row with a `count`, of one of these stations.
    """
    even = pl.col("variation") if "variation" in stations.columns else pl.lit(1.0)
    times = {name: pl.col(name) if name in stations.columns else pl.lit(0.0) for name in ("burst_s", "pause_s")}
    beside = pl.col("beside_lost") if "beside_lost" in stations.columns else pl.lit(1.0)
    beside = beside.cast(pl.Float64).fill_null(1.0).clip(0, 1)
    first_of_others = pl.min_horizontal(first_destroyed.cast(pl.Float64), beside)
    contenders = stations.select(
        *CONTENDERS,
        variation=even.cast(pl.Float64).clip(0, 1),
        **{name: value.cast(pl.Float64).clip(0, LONGEST_S) for name, value in times.items()},
        backlogged=pl.col("subject") & pl.lit(backlogged),
        persistent=pl.lit(persistent),
        first_destroyed=pl.when("subject").then(first_destroyed).otherwise(first_of_others).cast(pl.Float64).clip(0, 1),
        late_destroyed=beside,
        answered_destroyed=answered_destroyed.cast(pl.Float64).clip(0, 1),
    )
    return stations.with_columns(pl.DataFrame(_core.dcf_monte_carlo(contenders, seed)).get_columns())


def of_subject(stations: pl.DataFrame, **options: Any) -> pl.DataFrame:
    """`case delivered_per_s first_failed answered_failed` of the subjects alone, as :func:`simulate` has them."""
    found = simulate(stations, **options).filter("subject")
    return found.select("case", "delivered_per_s", "first_failed", "answered_failed")
