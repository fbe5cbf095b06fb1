"""What a backlogged station gets among stations that have only so much to send: the stations as a table, and solved.

The equations are in the native module (`kernels/src/saturation/bianchi/mod.rs`): Bianchi's fixed point of
DCF and EDCA, with stations that are not backlogged, aggregation and loss.
"""

from functools import cache

import polars as pl

from winf_analyzer import _core

BACKLOGGED = 1e9
"""Packets per second that no station can send."""

STATIONS = pl.Schema(
    {
        "case": pl.Int64(),
        "subject": pl.Boolean(),
        "packets_per_s": pl.Float64(),
        "packets_max": pl.Float64(),
        "count": pl.Float64(),
        "aifs_s": pl.Float64(),
        "access_s": pl.Float64(),
        "packet_s": pl.Float64(),
        "first_s": pl.Float64(),
        "first_packet_s": pl.Float64(),
        "tail_s": pl.Float64(),
        "request_s": pl.Float64(),
        "loss": pl.Float64(),
        "rts_loss": pl.Float64(),
        "vulnerable": pl.Float64(),
        "window": pl.Float64(),
        "slot_s": pl.Float64(),
    }
)
"""What :func:`solve` takes: a row per station of each case.

`subject`: the station whose queue is filled, at most one per case; `packets_per_s`: what a station has to send;
`packets_max`: most packets per access; `count`: how many such stations there are; `aifs_s`: AIFS; `access_s`,
`packet_s`: T = access_s + packets x packet_s, AIFS included; `first_s`, `first_packet_s`: F likewise; `tail_s`: the
part of F after the frame; `request_s`: T of the BlockAckReq that follows an aggregate nobody answered, null where
none does; `loss`, `rts_loss`: chances that the channel loses an attempt, and its RTS; `vulnerable`: chance that a
collision destroys; `window`: CWmin+1, 1 of a station without a backoff, which meets nobody and is never
the subject."""


LIMITS = {
    "packets_per_s": (0.0, 1e9),
    "packets_max": (1.0, 1024.0),
    "access_s": (1e-6, 10.0),
    "packet_s": (0.0, 1.0),
    "first_s": (1e-6, 10.0),
    "first_packet_s": (0.0, 1.0),
    "unanswered_s": (1e-6, 10.0),
    "tail_s": (0.0, 1.0),
    "sifs_s": (0.0, 1e-3),
    "txop_s": (0.0, 1.0),
    "aifs_s": (0.0, 10e-3),
    "count": (1.0, 1e6),
    "request_s": (1e-6, 1.0),
    "loss": (0.0, 0.95),
    "rts_loss": (0.0, 0.95),
    "lost": (0.0, 0.95),
    "rts_lost": (0.0, 0.95),
    "vulnerable": (0.0, 1.0),
    "vulnerable_otherwise": (0.0, 1.0),
    "answered_destroyed": (0.0, 1.0),
    "elsewhere": (0.0, 1.0),
    "homewards": (0.0, 1.0),
    "beside_lost": (0.0, 1.0),
    "window": (1.0, 1024.0),
    "slot_s": (1e-6, 1e-3),
}
"""Between which values a parameter makes sense; damaged recordings hold others."""


@cache
def sane(name: str) -> pl.Expr:
    """The parameter within its limits; what is no number is the lowest, but an unknown `request_s` stays unknown."""
    if name not in LIMITS:
        return pl.col(name)
    low, high = LIMITS[name]
    value = pl.col(name).cast(pl.Float64)
    known = pl.when(value.is_finite()).then(value.clip(low, high))
    return known.otherwise(None if name == "request_s" else low).alias(name)


def in_order(stations: pl.DataFrame) -> pl.DataFrame:
    """The stations of each case by their numbers: sums and random draws do not depend on addresses."""
    kinds = stations.drop("case", "medium").schema.items()
    numbers = [name for name, dtype in kinds if dtype.is_numeric() or dtype == pl.Boolean]
    return stations.sort("case", *numbers, maintain_order=True)


def solve(stations: pl.DataFrame) -> pl.DataFrame:
    """Adds `delivered_per_s` (packets), `collision` (chance per attempt) and `packets` (per access) to each station."""
    asked = stations.select(STATIONS.names())
    has_backoff = pl.col("window") > 1
    if not asked.select(has_backoff.all()).item():
        # Slots are those behind the AIFS of stations that count them down, in which nobody else starts.
        aifs_s = pl.col("aifs_s").filter(has_backoff).min().over("case")
        asked = asked.with_columns(aifs_s=pl.when(has_backoff).then("aifs_s").otherwise(aifs_s))
    solved = pl.DataFrame(_core.solve_stations(asked))
    return stations.with_columns(solved.get_columns())
