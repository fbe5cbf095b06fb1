"""The stations of a medium as they were recorded, beside one more that sends more and more: by simulation."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import polars as pl

from winf_analyzer._aggregate.exchange_columns import ordered_sum
from winf_analyzer._models.saturation.recorded import completeness, to_groups
from winf_analyzer._models.saturation.solvers import dcf_monte_carlo, fixed_point

SHARES = (0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6)
"""Airtime shares of unheard transmissions that are simulated."""

MAX_BUSY = 0.95
"""Share of time in use up to which they are."""


class Load(NamedTuple):
    """What one more station sends: single frames."""

    per_s: float
    """Exchanges per second."""
    access_s: float
    """What each takes, with AIFS."""
    aifs_s: float
    doubt: float = 0.0
    """Standard deviation of their airtime share."""

    @property
    def share(self) -> float:
        """Their airtime share."""
        return self.per_s * self.access_s


def simulated(
    senders: pl.DataFrame, like: pl.DataFrame, access_s: float, shares: Sequence[float] = SHARES
) -> Iterator[tuple[float, pl.DataFrame]]:
    """Airtime shares of one more station, and what :func:`.dcf_monte_carlo.simulate` returns beside each.

    That station is the `subject`; the others' rows have `sender` and `accesses` too. Simulated as they are asked for.

    Args:
        senders: of :func:`.contention_domain.per_sender`, of one medium.
        like: the row of them whose contention parameters that one has.
        access_s: what one exchange of it takes, with AIFS.
        shares: in rising order; those of which the medium has no room are left out, but for the first.
    """
    for share in _with_room(senders, shares):
        yield share, together(_stations(senders, like, access_s, [share]))


def simulated_at_once(
    senders: pl.DataFrame, like: pl.DataFrame, access_s: float, shares: Sequence[float] = SHARES
) -> list[tuple[float, pl.DataFrame]]:
    """The same of all shares, in one go: where each is wanted, that takes a fifth of the time."""
    possible = _with_room(senders, shares)
    found = together(_stations(senders, like, access_s, possible))
    return [(share, found.filter(pl.col("case") == case)) for case, share in enumerate(possible)]


def _with_room(senders: pl.DataFrame, shares: Sequence[float]) -> Sequence[float]:
    busy = senders.select(ordered_sum(pl.col("packets_per_s") * (pl.col("access_s") + pl.col("packet_s")))).item()
    return [share for share in shares if share <= MAX_BUSY - busy] or shares[:1]


def _stations(senders: pl.DataFrame, like: pl.DataFrame, access_s: float, shares: Sequence[float]) -> pl.DataFrame:
    """The stations of a case for each share."""
    each = senders.with_columns(variation=completeness.arrival_variation(), subject=pl.lit(False))
    extra = like.drop("packets_per_s").with_columns(
        access_s=pl.lit(access_s),
        first_s=pl.lit(access_s),
        packet_s=pl.lit(0.0),
        first_packet_s=pl.lit(0.0),
        packets_max=pl.lit(1.0),
        request_s=pl.lit(None, pl.Float64),
        rts=pl.lit(False),
        txop_s=pl.lit(0.0),
        variation=pl.lit(1.0),
        subject=pl.lit(True),
    )
    rates = [share / access_s for share in shares]
    cases = pl.DataFrame({"case": list(range(len(rates))), "packets_per_s": rates})
    extra = extra.join(cases, how="cross")
    each = each.join(cases.select("case"), how="cross")
    return pl.concat([each, extra.select(each.columns)])


def together(stations: pl.DataFrame) -> pl.DataFrame:
    """What :func:`.dcf_monte_carlo.simulate` returns of these stations at their load, all in range of one another.

    Args:
        stations: rows of :func:`.contention_domain.per_sender`, with `variation`, `subject`, and `case`, of which each
            is simulated for itself; without, they are one.
    """
    certain = {"hidden": False, "loss": 0.0, "rts_loss": 0.0, "count": 1.0}
    vulnerable = pl.when("subject").then(1.0).otherwise(to_groups.repeated())
    typed = [pl.col(name).cast(dtype) for name, dtype in fixed_point.STATIONS.items()]
    rows = stations.with_columns(
        case=pl.col("case") if "case" in stations.columns else pl.lit(0, pl.Int64),
        unanswered_s="first_s",
        vulnerable=vulnerable,
        **{name: pl.lit(value) for name, value in certain.items()},
    )
    rows = rows.with_columns(fixed_point.sane(name) for name in fixed_point.LIMITS if name in rows.columns)
    of_rows = rows.select("medium", *typed, "rts", "hidden", "unanswered_s", "sifs_s", "txop_s", "variation", *_KEPT)
    in_order = fixed_point.in_order(of_rows).drop("medium")
    senders, numbers = in_order.select("sender"), in_order.drop("sender")
    return _outcome(tuple(numbers.rows()), tuple(numbers.schema.items())).with_columns(senders.to_series())


@lru_cache(maxsize=4 * len(SHARES))
def _outcome(rows: tuple[Any, ...], schema: tuple[tuple[str, pl.DataType], ...]) -> pl.DataFrame:
    """Kept, because the windows of a recording and the whole of it mostly have the same stations.

    Without their addresses: of thousands of nodes of a simulation, or of interfaces, many have stations alike.
    """
    stations, one = pl.DataFrame(rows, dict(schema), orient="row"), pl.lit(1.0)
    return dcf_monte_carlo.simulate(stations, first_destroyed=one, answered_destroyed=one, backlogged=False)


_KEPT = ("sender", "accesses")
