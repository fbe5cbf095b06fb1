"""What each station has to send and what its accesses to the medium cost, from the exchanges of a window."""

from dataclasses import replace
from functools import cache

import polars as pl

from winf_analyzer._aggregate import windows
from winf_analyzer._aggregate.aggregate import PER_LINK
from winf_analyzer._aggregate.chunks import Context
from winf_analyzer._aggregate.exchange_columns import quotient
from winf_analyzer._aggregate.settings import Settings
from winf_analyzer._aggregate.windows import WINDOW
from winf_analyzer._models.saturation.recorded import ampdu, completeness, rate_changes
from winf_analyzer._models.saturation.recorded.exchange_sums import PARTS, RATE_UNITS, SUMS

OPEN_OVERHEAD_US = 66
"""Preamble, half a symbol of padding and packet extension of an HE PPDU (27.3.12), whose header may leave the rate
open."""

MIN_WINDOW = 2
"""CWmin+1 of a station with a backoff, at least: with a CWmin of 0, which beacons may declare, as with one of 1."""

COARSE = 0.3
"""Share of answers that were missed, or are not where they belong, from which slots cannot be measured."""

SHORT_SLOT_NS, LONG_SLOT_NS = 9_000, 20_000
"""aSlotTime of OFDM, and of DSSS and of ERP beside it (17.4.4, 15.4.4.3, 18.5.3)."""

HIGH_SIFS_NS = 13_000
"""Between the SIFS of 2.4 GHz, 10 us, and that of 5 and 6 GHz, 16 us."""

MIN_VARIANCE = 1e-4
"""Squared coefficient of variation up to which a rate is constant."""


def link_loads(context: Context, sums: pl.DataFrame) -> pl.DataFrame:
    """:data:`.exchange_sums.SUMS` per `medium window_start_ns sender receiver`, and `covered_ns` of the window.

    `sums`: what :data:`.exchange_sums.LINK_LOADS` sums.
    """
    return _covered(windows.accumulate(sums, SUMS, context.settings, sums), context.windows, context.settings)


def tumbling_loads(context: Context, sums: pl.DataFrame) -> pl.DataFrame:
    """:func:`link_loads` of tumbling windows of the same length: every exchange counts once, whatever the windows."""
    settings = replace(context.settings, step_ns=None, running=False)
    start = pl.col("window_start_ns") // settings.window_ns * settings.window_ns
    sums = sums.with_columns(start)
    listed = windows.listed(sums, context.media, settings, context.stays)
    return _covered(sums.group_by(PER_LINK).agg(pl.col(SUMS).sum()), listed, settings)


def _covered(links: pl.DataFrame, listed: pl.DataFrame, settings: Settings) -> pl.DataFrame:
    """With `covered_ns`, where that is enough."""
    covered, length = pl.col("covered_ns"), pl.col("to_ns") - pl.col("from_ns")
    enough = listed.filter((covered > 0) & (covered >= settings.min_cover * length))
    return links.join(enough.select(*WINDOW, "covered_ns"), on=WINDOW)


def costs(sums: pl.DataFrame, *, of_links: bool = False) -> pl.DataFrame:
    """The parameters of :data:`.fixed_point.STATIONS` that an access of each row's kind has, and `packet_bits`.

    A packet is an MPDU where the sender aggregates, and what an access carried otherwise, all fragments of it. A
    station that was heard only in attempts that failed has their airtime. Null where the data's rate, and so what an
    access costs, is unknown.

    Args:
        sums: of links, or of all that a sender sends.
        of_links: what counts is the data of a saturating flow, whatever beacons, null frames and management go with it.
    """
    # In steps that read the columns of those before: a large expression is copied, and planned, wherever it is used.
    rows = sums
    for step in _steps(of_links):
        rows = rows.with_columns(step)
    kept = [value.meta.output_name() for value in _steps(of_links)[-1]]
    return rows[[*sums.columns, *kept]]


@cache
def _steps(of_links: bool) -> tuple[list[pl.Expr], ...]:
    """Made once: on a short recording that takes as long as to work them out."""
    steps = (_means(of_links), _times(), _alternatives(), _by_kind())
    return tuple([value.alias(name) for name, value in step.items()] for step in steps)


def _means(of_links: bool) -> dict[str, pl.Expr]:
    """Of the accesses of a row: their kind, and means of what :data:`.exchange_sums.SUMS` adds up, times in ns."""
    heard, carried = pl.col("accesses").clip(1), pl.col("carried")
    given = carried - pl.col("open")
    has_rate = (given > 0) & (pl.col("rate_bps") > 0)
    square = pl.col("rate_square") * (1e6 / RATE_UNITS) ** 2 * given / (pl.col("rate_bps") * pl.col("rate_bps"))
    spread = pl.when(square > 1 + MIN_VARIANCE).then((square - 1).sqrt()).otherwise(0.0)
    # Of stamps that are too coarse to measure them, slot, AIFS and window are those that beacons declare for the access
    # category, or presumed.
    slot, sifs, aifs, window = (pl.col(name) / heard for name in ("slot_ns", "sifs_ns", "aifs_ns", "window_slots"))
    at_once = pl.col("at_once") & (pl.col("to_groups") * 2 > heard)
    exchanges = carried if of_links else pl.max_horizontal("carried", "done")
    aggregating = pl.col("aggregating") + pl.when("voice_agreed").then("voice").otherwise(0)
    return {
        "aggregates": (aggregating * 2 > exchanges) & ~pl.col("one_by_one"),
        "rts": pl.col("with_rts") * 2 > heard,
        "data_unheard": pl.col("unheard") * 2 > heard,
        "subframe": ampdu.subframe_bytes(pl.col("psdu_bytes") / pl.col("mpdus")),
        "rate": pl.when(has_rate).then(pl.col("rate_bps") / given).otherwise(_open_rate_bps()),
        "rate_spread": pl.when(has_rate).then(spread).otherwise(0.0),
        "slot": slot,
        "aifs": pl.when(at_once).then(sifs + slot).otherwise(aifs),
        "window": pl.when(at_once).then(1.0).otherwise(window.clip(MIN_WINDOW)),
        "sifs": sifs,
        "first": pl.col("first_ns") / heard,
        "answer": pl.col("answer_ns") / heard,
        "trailer": pl.col("trailer_ns") / heard,
        "ack": pl.col("ack_ns") / carried,
        "ba_window": pl.col("window_mpdus") / carried,
        "ba_window_most": pl.col("window_most") / carried,
        "fragments": _fragments(),
    }


def _times() -> dict[str, pl.Expr]:
    """Times in ns that the two kinds of access consist of."""
    rts = pl.col("rts")
    # RTS that is sent before each frame of a TXOP, not only before the first.
    again = pl.col("continued_rts") / pl.col("continued").clip(1)
    once = pl.col("first") + pl.col("answer") + pl.col("sifs")
    return {
        "packet_ns": 8e9 * pl.col("subframe") / pl.col("rate"),
        "block_ack": ampdu.block_ack_ns(pl.col("ack"), pl.col("ba_window")),
        "air": _air_ns(rts),
        "once": pl.when(rts).then(once * (1 - again)).otherwise(0.0),
        "limit": pl.col("txop_limit_ns").fill_null(0.0),
    }


def _alternatives() -> dict[str, pl.Expr]:
    """Times in ns that are added to those of packets, and the most packets of an aggregate.

    `going_on`: from one packet to the next of a TXOP; `fixed`: of an aggregate, whatever it holds.
    """
    carried, aifs, limit, packet_ns = (pl.col(name) for name in ("carried", "aifs", "limit", "packet_ns"))
    # The mean of exchanges holds the SIFS before those that went on already, and the handshakes of the others.
    went_on, handshakes = _in_the_mean(pl.col("rts"))
    sifs = pl.col("sifs") * pl.col("fragments") * (1 - went_on).clip(0, 1)
    mpdus = pl.col("mpdus") / carried
    longer_answer = pl.when(mpdus > 1).then(0.0).otherwise(pl.col("block_ack") - pl.col("ack"))
    fixed = (pl.col("carried_air_ns") / carried - packet_ns * mpdus + longer_answer + aifs).clip(0)
    octets, plcp = pl.min_horizontal("ampdu_bytes", "limit_bytes") / carried, pl.col("plcp_ns") / carried
    mpdus_most = pl.min_horizontal("ba_window", pl.col("limit_mpdus") / carried)
    limit_ns = pl.col("limit_ns") / carried
    most = ampdu.mpdus_max(pl.col("subframe"), octets, pl.col("rate"), plcp, mpdus_most, limit_ns)
    within = ((limit - fixed + aifs) / packet_ns).floor().clip(1)
    return {
        "going_on": (pl.col("air") - pl.col("once") * handshakes + sifs).clip(1),
        "most": pl.when(limit > 0).then(pl.min_horizontal(most, within)).otherwise(most),
        "fixed": fixed + pl.col("trailer"),
    }


def _by_kind() -> dict[str, pl.Expr]:
    """The columns of :func:`costs`: single frames, or aggregates, whichever a row's sender sends."""
    names = ("aggregates", "rts", "rate", "aifs", "sifs", "first", "answer", "trailer", "packet_ns", "air", "once")
    aggregates, rts, rate, aifs, sifs, first, answer, trailer, packet_ns, air, once = map(pl.col, names)
    limit, going_on, most, fixed = map(pl.col, ("limit", "going_on", "most", "fixed"))
    longer_answer = pl.col("block_ack") - pl.col("ack")
    single = {
        "packets_max": pl.when(limit > 0).then((limit / going_on).floor().clip(1)).otherwise(1.0),
        "packet_s": pl.when(limit > 0).then(going_on).otherwise(0.0),
        "access_s": pl.when(limit > 0).then(once - sifs + trailer).otherwise(air) + aifs,
        "first_s": first + answer + aifs,
        "first_packet_s": pl.lit(0.0),
        "tail_s": answer + aifs,
        "request_s": pl.lit(None, pl.Float64),
    }
    aggregate = {
        "packets_max": most,
        "packet_s": packet_ns,
        "access_s": fixed,
        "first_s": pl.when(rts).then(first + answer + aifs).otherwise(fixed),
        "first_packet_s": pl.when(rts).then(0.0).otherwise(packet_ns),
        "tail_s": answer + aifs + pl.when(rts).then(0.0).otherwise(longer_answer),
        "request_s": pl.when(~rts).then(answer + pl.col("block_ack") + aifs),
    }
    columns = {name: pl.when(aggregates).then(aggregate[name]).otherwise(single[name]) for name in single}
    return {
        "aggregates": aggregates,
        "rts": rts,
        "hidden": pl.col("data_unheard") & ~pl.col("in_range"),
        "data_unheard": pl.col("data_unheard"),
        "unheard_mpdus": pl.when(pl.col("acked") > 0)
        .then(quotient(pl.col("acked"), pl.col("unheard")))
        .otherwise(1.0)
        .clip(1),
        "sifs_s": sifs / 1e9,
        "txop_s": limit / 1e9,
        "aifs_s": aifs / 1e9,
        "slot_s": pl.col("slot") / 1e9,
        "window": pl.col("window"),
        "late": _late(),
        "late_spread": (_late("came_square", PARTS**2) - _late() ** 2).clip(0).sqrt(),
        "packets_per_s": quotient(completeness.packets(aggregates) * 1e9, pl.col("covered_ns")),
        "packet_bits": pl.col("bits")
        / pl.when(aggregates).then("mpdus").otherwise(pl.col("carried") / pl.col("fragments")),
        "cost_known": pl.when(aggregates).then(rate).otherwise(air) > 0,
        "ba_window": pl.col("ba_window"),
        "ba_window_most": pl.col("ba_window_most"),
        "open_share": pl.col("open") / pl.col("carried").clip(1),
        "rate_spread": pl.col("rate_spread"),
        "rate_excess_s": rate_changes.excess_ns(pl.col("carried"), rate, pl.col("rate_spread")) / 1e9,
        **{name: value if name == "packets_max" else value / 1e9 for name, value in columns.items()},
    }


def _is_of_rts(rts: pl.Expr) -> pl.Expr:
    """:func:`_air_ns` is the mean of exchanges with RTS alone."""
    return rts & completeness.is_partial() & (pl.col("whole_rts") > 0)


def _in_the_mean(rts: pl.Expr) -> tuple[pl.Expr, pl.Expr]:
    """Shares of the exchanges whose mean :func:`_air_ns` is that went on after SIFS, and that began with RTS."""
    of_rts = _is_of_rts(rts)
    went_on = pl.when(of_rts).then(quotient(pl.col("continued_rts"), pl.col("whole_rts")))
    whole = pl.col("whole") + pl.col("whole_rts")
    with_rts = pl.when(~of_rts & (whole > 0)).then(quotient(pl.col("whole_rts"), whole)).otherwise(1.0)
    return went_on.otherwise(pl.col("continued") / pl.col("carried")), with_rts


def _fragments() -> pl.Expr:
    """Exchanges, SIFS apart, in which an access carries the fragments of an MSDU (10.3.2.9), on average.

    One of a station that carries nothing, as null frames do.
    """
    return pl.col("carried").clip(1) / (pl.col("carried") - pl.col("fragments")).clip(1)


def _late(moment: str = "came", unit: int = PARTS) -> pl.Expr:
    """Mean time in the window, as a share of it, at which packets came; null without any."""
    return pl.when(pl.col("fresh_mpdus") > 0).then(pl.col(moment) / pl.col("fresh_mpdus") / unit)


def is_coarse() -> pl.Expr:
    """The stamps of a sender's exchanges are too coarse to measure slots."""
    return pl.max_horizontal("answer_missed", "answer_off") > COARSE


def _open_rate_bps() -> pl.Expr:
    """The rate of data whose header leaves it open: the slope of airtime over octets, or their quotient."""
    count, octets, air_us = pl.col("open"), pl.col("open_bytes"), pl.col("open_us")
    variance = count * pl.col("open_square") - octets * octets
    slope_us = (count * pl.col("open_bytes_us") - air_us * octets) / variance
    sized = (variance > MIN_VARIANCE * octets * octets) & (slope_us > 0)
    one_size = octets / (air_us - count * OPEN_OVERHEAD_US)
    octets_per_us = pl.when(sized).then(1 / slope_us).otherwise(one_size)
    return pl.when((count > 0) & octets_per_us.is_finite() & (octets_per_us > 0)).then(8e6 * octets_per_us)


def _air_ns(rts: pl.Expr) -> pl.Expr:
    """Mean time on the air of an exchange that succeeded: of those heard whole, with RTS and without.

    Where the recorder missed frames, an exchange without RTS may be one whose RTS was not heard: of a sender that
    mostly sends them, those with RTS count then, if there are any. Frames to groups count as they do in
    :func:`.completeness.packets`, so that the beacons of an access point are in its mean.
    """
    partial = completeness.is_partial()
    whole = pl.col("whole") + pl.col("whole_rts")
    unicast = pl.when(_is_of_rts(rts)).then(pl.col("rts_air_ns") / pl.col("whole_rts")).otherwise(
        (pl.col("whole_air_ns") + pl.col("rts_air_ns")) / whole
    ) * pl.col("fragments")
    # Of a sender none of whose answers is heard, frames to groups say nothing of how long its data takes.
    to_one = pl.col("accesses") - pl.col("to_groups")
    unanswered = (pl.col("first_ns") - pl.col("to_groups_air_ns")) / to_one + pl.col("answer_ns") / pl.col("accesses")
    sent = completeness.unicast_heard("fresh")
    both = (unicast * sent + pl.col("to_groups_air_ns")) / (sent + pl.col("to_groups"))
    return (
        pl.when((whole > 0) & (partial | (pl.col("to_groups") > 0)) & (sent + pl.col("to_groups") > 0))
        .then(both)
        .when(whole > 0)
        .then(unicast)
        .when((pl.col("done") > 0) & (pl.col("done") <= pl.col("to_groups")) & (pl.col("accesses") > pl.col("done")))
        .then(unanswered)
        .when(pl.col("done") > 0)
        .then(pl.col("air_ns") / pl.col("done"))
        .otherwise(pl.col("first_ns") / pl.col("accesses").clip(1))
    )
