"""Where a sender ends its A-MPDUs though more waits: limits of its own, which no frame announces.

Drivers and simulators hold aggregates shorter than their receivers accept: in MPDUs, in octets or in airtime. An
aggregate is *full* if one more of its MPDUs would make it longer than any that was recorded of its link. Without a
limit the longest is what happened to wait; with one they pile up there. Two counts tell, in each of the three units:

* *None is longer.* Of the aggregates at most a step below full, `reached`, a share of full / reached was full. As large
  a share of those should have been longer still: full^2 / reached.
* *More was waiting.* Where packets come in batches of one size all aggregates are alike, and nothing waits after them.
  If packets, or batches, come at random, and `followed` times the next access came at once, because some had come
  meanwhile, then twice as many had come followed^2 / (2 full) times. Where the receiver sent in between it may have
  asked for more, as TCP does by its acknowledgments, and the access does not count.
"""

import polars as pl

from winf_analyzer._aggregate.aggregate import Aggregate
from winf_analyzer._aggregate.chunks import Chunk
from winf_analyzer._aggregate.exchange_columns import nanoseconds, ordered_sum
from winf_analyzer._models.saturation.recorded import ampdu

UNITS = ("mpdus", "octets", "airtime_ns")
"""In what a sender may limit its aggregates."""

EVIDENCE = 4.0
"""How often there must be expected what there never was. Of 300 or 3000 numbers drawn from geometric and Poisson
distributions the largest pass for a pile in 0.4 % of the draws, in 1.8 % of those of one distribution; few of these
were followed at once as often."""

SOME_EVIDENCE = 1.0
"""How often, for a limit to be possible. Of recordings of several senders without one, one in twelve has as much."""

MIN_FULL = 3
"""Full aggregates of a link that tell of a limit that others have shown as well, or that is usual."""

STAMP_NS = 2_000
"""By how much two stamps may be off."""

UNKNOWN_NS = 1_000_000_000
"""In place of an idle time that is not known: nothing follows it at once."""

LINK = ("medium", "sender", "receiver")
_PAIR = ("medium", "one", "other")
_KEYS = (*LINK, "unit", "length", "step", "together", "followed")
_LENGTHS = pl.Schema(
    {
        **{"medium": pl.UInt32, "sender": pl.String, "receiver": pl.String, "unit": pl.String},
        **{"length": pl.Int64, "step": pl.Int64, "together": pl.Boolean, "followed": pl.Int64, "count": pl.Int64},
    }
)


def _lengths(chunk: Chunk) -> pl.DataFrame:
    """How long aggregates are, those that cannot be full, nor a step below, left out."""
    kept: dict[str, pl.DataFrame] = chunk.state.setdefault(_lengths, {})
    if not kept and not (chunk.rows["mpdus"] > 1).any():
        return pl.DataFrame(schema=_LENGTHS)
    rows = _with_before(_exchanges(chunk), kept)
    at_once = (pl.col("sender_before") == pl.col("sender")) & (pl.col("waited_ns") <= pl.col("backoff_ns"))
    of_units = (
        rows.select(
            *LINK,
            unit=pl.lit(unit),
            length=pl.col(unit).fill_null(0),
            step=(pl.col(unit) // pl.col("mpdus")).fill_null(0),
            together=(pl.col("mpdus") > 1).fill_null(value=False),
            followed=pl.when(at_once).then(f"{unit}_before").fill_null(0),
        )
        for unit in UNITS
    )
    longest = pl.col("length").max().over(LINK)
    near = (pl.col("length") + 2 * pl.col("step") > longest) | (pl.col("followed") > longest)
    found = pl.concat([of_unit.filter(near) for of_unit in of_units])
    return found.group_by(_KEYS).agg(count=pl.len().cast(pl.Int64)).cast(_LENGTHS)


LENGTHS = Aggregate(_lengths, keys=_KEYS)
"""What :func:`found` takes: the `count` of aggregates of a `length` in a `unit`, and with the `step` that one more of
their MPDUs would have added; whether several are `together`; and, where the next access of the link came at once, how
long the aggregate before would have been with one more."""


def _exchanges(chunk: Chunk) -> pl.DataFrame:
    """Exchanges between two stations, with the time that whoever had something to send was counting down before."""
    mpdus = pl.when(pl.col("sample") & ampdu.aggregates()).then(pl.col("mpdus").clip(1))
    psdu = pl.coalesce("length_bytes", pl.col("payload_bytes") + pl.col("header_bytes") * pl.col("mpdus"))
    octets = (mpdus * ampdu.subframe_bytes(psdu / pl.col("mpdus"))).cast(pl.Int64, strict=False)
    counting_ns = (nanoseconds("idle_before_us") - pl.col("t_difs")).fill_null(UNKNOWN_NS).clip(0)
    rows = chunk.rows.select(
        *LINK,
        one=pl.min_horizontal("sender", "receiver"),
        other=pl.max_horizontal("sender", "receiver"),
        since_ns=counting_ns.cum_sum().over("medium"),
        backoff_ns=pl.col("cw_min") * pl.col("t_slot") + STAMP_NS,
        mpdus=mpdus.cast(pl.Int64),
        octets=octets,
        airtime_ns=(8e3 * octets / pl.col("rate_mbps")).cast(pl.Int64, strict=False),
    )
    return rows


def _with_before(rows: pl.DataFrame, kept: dict[str, pl.DataFrame]) -> pl.DataFrame:
    """With what the exchange before between the same two was, and since when both have been counting down."""
    if kept:
        rows = rows.join(kept["until"], on="medium", how="left", maintain_order="left")
        rows = rows.with_columns(since_ns=pl.col("since_ns") + pl.col("until_ns").fill_null(0)).drop("until_ns")
        rows = pl.concat([kept["last"], rows.with_columns(is_kept=False)])
    else:
        rows = rows.with_columns(is_kept=False)
    until = rows.group_by("medium").agg(until_ns=pl.col("since_ns").max())
    last = rows.unique(_PAIR, keep="last", maintain_order=True).with_columns(is_kept=True)
    kept |= {"until": until, "last": last}
    beyond = {f"{unit}_before": pl.col(unit) + pl.col(unit) // pl.col("mpdus") for unit in UNITS}
    together = pl.col("mpdus") > 1
    rows = rows.with_columns(
        sender_before=pl.col("sender").shift().over(_PAIR),
        waited_ns=pl.col("since_ns") - pl.col("since_ns").shift().over(_PAIR),
        **{name: pl.when(together).then(value).shift().over(_PAIR) for name, value in beyond.items()},
    )
    return rows.filter(~pl.col("is_kept"))


def found(lengths: pl.DataFrame) -> pl.DataFrame:
    """:data:`LINK`, limits in :data:`UNITS`, null where there is none, `presumed` and `possible`; of links with any.

    A limit lies between the longest aggregate and the shortest that one more MPDU would have made longer than that.
    What links tell whose longest are alike is added. `presumed`: the link shows none, but no longer aggregate than most
    others' limit either, so that it is taken to have that as well. `possible`: neither, and some evidence of one, be it
    that of others.

    Args:
        lengths: of :data:`LENGTHS`.
    """
    piles = evidence(lengths)
    alike = ("medium", "unit", "longest")
    told = pl.min_horizontal(ordered_sum(pl.col(name)).over(alike) for name in ("longer", "waiting"))
    piles = piles.with_columns(told=pl.when(pl.col("full") >= MIN_FULL).then(told).otherwise(0.0))
    having, longer = pl.col("having"), pl.col("longer_ones")
    # The first of these that a link is in counts.
    readings = (
        piles.filter(pl.col("told") >= EVIDENCE),
        _of_others(piles, EVIDENCE).filter(having > longer),
        piles.filter(pl.col("told") >= SOME_EVIDENCE),
        _of_others(piles, SOME_EVIDENCE).filter(having >= longer),
    )
    limits = pl.concat(rows.select(*LINK, "unit", "limit", reading=pl.lit(n)) for n, rows in enumerate(readings))
    limits = limits.filter(pl.col("reading") == pl.col("reading").min().over(LINK))
    by_unit = (pl.col("limit").filter(unit=unit).first().alias(unit) for unit in UNITS)
    reading = pl.col("reading").first()
    return limits.group_by(LINK).agg(*by_unit, presumed=reading == 1, possible=reading > 1)


def _of_others(piles: pl.DataFrame, told: float) -> pl.DataFrame:
    """The links with no longer aggregate than the median `limit` of those of which so much was `told`.

    `having`: how many these are; `longer_ones`: how many links have longer aggregates.
    """
    of_medium = ("medium", "unit")
    others = (
        piles.filter(pl.col("told") >= told).group_by(of_medium).agg(usual=pl.col("limit").median(), having=pl.len())
    )
    piles = piles.drop("limit").join(others.rename({"usual": "limit"}), on=of_medium, nulls_equal=True)
    is_longer = pl.col("longest") > pl.col("limit")
    return piles.with_columns(longer_ones=is_longer.sum().over(of_medium)).filter(~is_longer)


def evidence(lengths: pl.DataFrame) -> pl.DataFrame:
    """:data:`LINK`, `unit`, `limit`, if there is one, and how many `longer` and `waiting` there should be without."""
    beyond, longest = pl.col("length") + pl.col("step"), pl.col("longest")
    rows = lengths.with_columns(longest=pl.col("length").max().over(*LINK, "unit"))
    rows = rows.with_columns(
        full=pl.col("together") & (beyond > longest),
        reached=beyond + pl.col("step") > longest,
        follows=pl.col("followed") > longest,
    )
    count = pl.col("count")
    piles = rows.group_by(*LINK, "unit").agg(
        longest.first(),
        beyond.filter("full").min().alias("beyond"),
        full=count.filter("full").sum(),
        reached=count.filter("reached").sum(),
        follows=count.filter("follows").sum(),
    )
    return piles.with_columns(
        limit=(pl.col("longest") + pl.col("beyond")) / 2,
        longer=pl.col("full") ** 2 / pl.col("reached").clip(1),
        waiting=pl.col("follows") ** 2 / (2 * pl.col("full").clip(1)),
    )
