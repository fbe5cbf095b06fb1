"""What each station has to send and what its accesses to the medium cost, from the exchanges of a window."""

from dataclasses import replace
from functools import cache

import polars as pl

from winf_analyzer._aggregate import windows
from winf_analyzer._aggregate.aggregate import PER_LINK, Aggregate
from winf_analyzer._aggregate.chunks import GROUP, Chunk, Context
from winf_analyzer._aggregate.exchange_columns import failed, nanoseconds, quotient
from winf_analyzer._aggregate.settings import Settings
from winf_analyzer._aggregate.windows import WINDOW
from winf_analyzer._models.saturation import ampdu, completeness, rate_changes, txop

SUMS = (
    "accesses",
    "attempts",
    "failed",
    "waited",
    "alone",
    "alone_failed",
    "quiet",
    "quiet_failed",
    "answered",
    "answered_failed",
    "retries",
    "rts_retries",
    "with_rts",
    "done",
    "unheard",
    "silent",
    "silent_numbered",
    "heard",
    "whole",
    "whole_rts",
    "fresh",
    "fresh_mpdus",
    "to_groups",
    "to_groups_air_ns",
    "advanced",
    "advanced_heard",
    "acked",
    "gaps",
    "gap_ticks",
    "gap_square",
    "answers",
    "answers_off",
    "air_ns",
    "whole_air_ns",
    "rts_air_ns",
    "first_ns",
    "answer_ns",
    "sifs_ns",
    "aifs_ns",
    "slot_ns",
    "window_slots",
    "carried",
    "carried_air_ns",
    "bits",
    "mpdus",
    "psdu_bytes",
    "ampdu_bytes",
    "payload_ns",
    "rate_bps",
    "rate_square",
    "open",
    "open_bytes",
    "open_us",
    "open_bytes_us",
    "open_square",
    "ack_ns",
    "plcp_ns",
    "aggregating",
    "continued",
    "trailers",
    "trailer_ns",
    "txop_ns",
)
"""What is summed per window and directed link."""


ANSWER_ERROR_NS = 4_000
"""How far from SIFS after the data an answer may begin on a good clock."""

OPEN_OVERHEAD_US = 66
"""Preamble, half a symbol of padding and packet extension of an HE PPDU (27.3.12), whose header may leave the rate
open."""

COARSE = 0.3
"""Share of answers that were missed, or are not where they belong, from which slots cannot be measured."""

SHORT_SLOT_NS, LONG_SLOT_NS = 9_000, 20_000
"""aSlotTime of OFDM, and of DSSS and of ERP beside it (17.4.4, 15.4.4.3, 18.5.3)."""

DSSS_PLCP_NS, HIGH_SIFS_NS = 96_000, 13_000
"""PLCP preamble and header of DSSS, from the short one on; SIFS, of which 5 and 6 GHz have 16 us and 2.4 GHz 10."""

LEAST_VARIANCE = 1e-4
"""Squared coefficient of variation up to which a rate is constant."""

RATE_UNITS, RATE_MOST = 100, 5_000_000
"""Rates are squared in units of 10 kb/s, which tell 5.5 Mb/s from 6, cut off so that a constant rate never seems to
vary; up to 50 Gb/s, of which whole numbers can hold the sum."""

QUIET_WINDOWS = 2
"""A medium idle for as many contention windows is quiet: no station was backing off."""


def link_loads(context: Context, sums: pl.DataFrame) -> pl.DataFrame:
    """:data:`SUMS` per `medium window_start_ns sender receiver`, and `covered_ns` of the window.

    `sums`: what :data:`LINK_LOADS` sums.
    """
    return _covered(windows.accumulate(sums, SUMS, context.settings, sums), context.windows, context.settings)


def tumbling_loads(context: Context, sums: pl.DataFrame) -> pl.DataFrame:
    """:func:`link_loads` of tumbling windows of the same length: every exchange counts once, whatever the windows."""
    settings = replace(context.settings, step_ns=None, running=False)
    start = pl.col("window_start_ns") // settings.window_ns * settings.window_ns
    sums = sums.with_columns(start)
    listed = windows.listed(sums, context.media, settings)
    return _covered(sums.group_by(PER_LINK).agg(pl.col(SUMS).sum()), listed, settings)


def _covered(links: pl.DataFrame, listed: pl.DataFrame, settings: Settings) -> pl.DataFrame:
    """With `covered_ns`, where that is enough."""
    covered, length = pl.col("covered_ns"), pl.col("to_ns") - pl.col("from_ns")
    enough = listed.filter((covered > 0) & (covered >= settings.min_cover * length))
    return links.join(enough.select(*WINDOW, "covered_ns"), on=WINDOW)


def _sums(chunk: Chunk) -> pl.DataFrame:
    rows = _with_flags(chunk.uses.with_columns(completeness.advances(chunk))).select(GROUP, **_values())
    return chunk.link_sums(rows, SUMS).with_columns(pl.col(SUMS).cast(pl.Float64))


LINK_LOADS = Aggregate(_sums)
"""What :func:`link_loads` takes: :data:`SUMS`, whole numbers, per window and directed link."""


def costs(sums: pl.DataFrame) -> pl.DataFrame:
    """The parameters of :data:`.fixed_point.STATIONS` that an access of each row's kind has, and `packet_bits`.

    A packet is an MPDU where the sender aggregates, and what an access carried otherwise. A station that was heard only
    in attempts that failed has their airtime. Null where the data's rate, and so what an access costs, is unknown.
    """
    # In steps that read the columns of those before: a large expression is copied, and planned, wherever it is used.
    rows = sums
    for step in _steps():
        rows = rows.with_columns(step)
    kept = [value.meta.output_name() for value in _steps()[-1]]
    return rows.select(*sums.columns, *kept)


@cache
def _steps() -> tuple[list[pl.Expr], ...]:
    """Made once: on a short recording that takes as long as to work them out."""
    steps = (_means(), _times(), _alternatives(), _by_kind())
    return tuple([value.alias(name) for name, value in step.items()] for step in steps)


def _means() -> dict[str, pl.Expr]:
    """Of the accesses of a row: their kind, and means of what :data:`SUMS` adds up, times in ns."""
    heard, carried = pl.col("accesses").clip(1), pl.col("carried")
    given = carried - pl.col("open")
    has_rate = (given > 0) & (pl.col("rate_bps") > 0)
    square = pl.col("rate_square") * (1e6 / RATE_UNITS) ** 2 * given / (pl.col("rate_bps") * pl.col("rate_bps"))
    spread = pl.when(square > 1 + LEAST_VARIANCE).then((square - 1).sqrt()).otherwise(0.0)
    slot, aifs, window = _contention(heard)
    return {
        "aggregates": (pl.col("aggregating") * 2 > pl.max_horizontal("carried", "done")) & ~pl.col("one_by_one"),
        "rts": pl.col("with_rts") * 2 > heard,
        "data_unheard": pl.col("unheard") * 2 > heard,
        "subframe": ampdu.subframe_bytes(pl.col("psdu_bytes") / pl.col("mpdus")),
        "rate": pl.when(has_rate).then(pl.col("rate_bps") / given).otherwise(_open_rate_bps()),
        "rate_spread": pl.when(has_rate).then(spread).otherwise(0.0),
        "slot": slot,
        "aifs": aifs,
        "window": window,
        "sifs": pl.col("sifs_ns") / heard,
        "first": pl.col("first_ns") / heard,
        "answer": pl.col("answer_ns") / heard,
        "trailer": pl.col("trailer_ns") / heard,
        "ack": pl.col("ack_ns") / carried,
    }


def _times() -> dict[str, pl.Expr]:
    """Times in ns that the two kinds of access consist of."""
    rts = pl.col("rts")
    return {
        "packet_ns": 8e9 * pl.col("subframe") / pl.col("rate"),
        "block_ack": ampdu.block_ack_ns(pl.col("ack")),
        "air": _air_ns(rts),
        "once": pl.when(rts).then(pl.col("first") + pl.col("answer") + pl.col("sifs")).otherwise(0.0),
        "limit": pl.col("txop_limit_ns").fill_null(0.0),
    }


def _alternatives() -> dict[str, pl.Expr]:
    """Times in ns that are added to those of packets, and the most packets of an aggregate.

    `going_on`: from one packet to the next of a TXOP; `fixed`: of an aggregate, whatever it holds.
    """
    carried, aifs, limit, packet_ns = (pl.col(name) for name in ("carried", "aifs", "limit", "packet_ns"))
    mpdus = pl.col("mpdus") / carried
    longer_answer = pl.when(mpdus > 1).then(0.0).otherwise(pl.col("block_ack") - pl.col("ack"))
    fixed = (pl.col("carried_air_ns") / carried - packet_ns * mpdus + longer_answer + aifs).clip(0)
    octets, plcp = pl.col("ampdu_bytes") / carried, pl.col("plcp_ns") / carried
    most = ampdu.mpdus_max(pl.col("subframe"), octets, pl.col("rate"), plcp)
    within = ((limit - fixed + aifs) / packet_ns).floor().clip(1)
    return {
        "going_on": (pl.col("air") - pl.col("once") + pl.col("sifs")).clip(1),
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
        "aifs_s": aifs / 1e9,
        "slot_s": pl.col("slot") / 1e9,
        "window": pl.col("window"),
        "packets_per_s": quotient(completeness.packets(aggregates) * 1e9, pl.col("covered_ns")),
        "packet_bits": pl.col("bits") / pl.when(aggregates).then("mpdus").otherwise("carried"),
        "cost_known": pl.when(aggregates).then(rate).otherwise(air) > 0,
        "open_share": pl.col("open") / pl.col("carried").clip(1),
        "rate_spread": pl.col("rate_spread"),
        "rate_excess_s": rate_changes.excess_ns(pl.col("carried"), rate, pl.col("rate_spread")) / 1e9,
        **{name: value if name == "packets_max" else value / 1e9 for name, value in columns.items()},
    }


def is_coarse() -> pl.Expr:
    """The stamps of a sender's exchanges are too coarse to measure slots."""
    return pl.max_horizontal("answer_missed", "answer_off") > COARSE


def _contention(heard: pl.Expr) -> tuple[pl.Expr, pl.Expr, pl.Expr]:
    """Slot and AIFS in ns, and CWmin+1: as measured, or of the PHY where the stamps are too coarse to measure them."""
    slot, aifs, window = (pl.col(name) / heard for name in ("slot_ns", "aifs_ns", "window_slots"))
    sifs, plcp = pl.col("sifs_ns") / heard, pl.col("plcp_ns") / pl.col("carried").clip(1)
    coarse = is_coarse()
    dsss, high = plcp >= DSSS_PLCP_NS, sifs > HIGH_SIFS_NS
    short = high | ~dsss & ((slot - SHORT_SLOT_NS).abs() < 500)
    usual_slot = pl.when(short).then(SHORT_SLOT_NS).otherwise(LONG_SLOT_NS)
    aifsn = pl.when(pl.col("aggregating") > 0).then(3).otherwise(2)
    return (
        pl.when(coarse).then(usual_slot).otherwise(slot),
        pl.when(coarse).then(sifs + aifsn * usual_slot).otherwise(aifs),
        pl.when(coarse).then(pl.when(dsss).then(32.0).otherwise(16.0)).otherwise(window),
    )


def _open_rate_bps() -> pl.Expr:
    """The rate of data whose header leaves it open: the slope of airtime over octets, or their quotient."""
    count, octets, air_us = pl.col("open"), pl.col("open_bytes"), pl.col("open_us")
    variance = count * pl.col("open_square") - octets * octets
    slope_us = (count * pl.col("open_bytes_us") - air_us * octets) / variance
    sized = (variance > LEAST_VARIANCE * octets * octets) & (slope_us > 0)
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
    unicast = (
        pl.when(rts & partial & (pl.col("whole_rts") > 0))
        .then(pl.col("rts_air_ns") / pl.col("whole_rts"))
        .otherwise((pl.col("whole_air_ns") + pl.col("rts_air_ns")) / whole)
    )
    sent = completeness.unicast_heard("fresh")
    both = (unicast * sent + pl.col("to_groups_air_ns")) / (sent + pl.col("to_groups"))
    return (
        pl.when(partial & (whole > 0) & (sent + pl.col("to_groups") > 0))
        .then(both)
        .when(whole > 0)
        .then(unicast)
        .when(pl.col("done") > 0)
        .then(pl.col("air_ns") / pl.col("done"))
        .otherwise(pl.col("first_ns") / pl.col("accesses").clip(1))
    )


def _answer_off() -> pl.Expr:
    """The answer does not begin SIFS after the data: the stamps are wrong."""
    gap_ns = pl.col("ack_start_ns") - pl.col("data_ns")
    return ((gap_ns - pl.col("t_sifs")).abs() > ANSWER_ERROR_NS) & ~completeness.is_traced()


def _with_flags(uses: pl.LazyFrame) -> pl.LazyFrame:
    """Exchanges with what several of :func:`_values` rest on, each worked out once."""
    # The BlockAckReq after an aggregate that nobody answered is part of the cost of that aggregate.
    contends = pl.col("access_ns") >= pl.col("t_sifs") + pl.col("t_slot") // 2
    contends &= (pl.col("data_kind") != "block_ack_req").fill_null(True)
    # The beacons of a radio's BSSIDs may follow one another as in a TXOP, each with a sender of its own.
    trails = (pl.col("data_kind") == "cf_end").fill_null(False)
    contends |= (pl.col("kind") == "broadcast") & ~trails
    quiet_ns = pl.col("t_difs") + QUIET_WINDOWS * (pl.col("cw_min") + 1) * pl.col("t_slot")
    timed = uses.with_columns(
        contends=contends,
        with_rts=pl.col("kind").is_in(["rts", "rts_failed"]),
        fails=failed(),
        idle_ns=nanoseconds("idle_before_us"),
        own_air_ns=pl.col("end_ns") - pl.col("air_start_ns"),
    )
    # One MPDU went out and came in or not; of an aggregate only some may be missing.
    alone = pl.col("contends") & (pl.col("kind") != "rts_failed") & (pl.col("mpdus").fill_null(1) <= 1)
    in_txop = pl.when("contends").then(0).otherwise("access_ns")
    # What two stamps do not tell the frames do.
    mistimed = _answer_off().fill_null(False)
    handshake_ns = pl.col("t_rts") + pl.col("t_cts") + 2 * pl.col("t_sifs")
    nominal_ns = pl.when(pl.col("kind") == "rts").then(handshake_ns).otherwise(0) + pl.col("t_sifs") + pl.col("t_ack")
    nominal_ns += nanoseconds("data_airtime_us").fill_null(0)
    return timed.with_columns(
        alone=alone,
        quiet=alone & pl.col("unicast") & (pl.col("attempt") == 1) & (pl.col("idle_ns") > quiet_ns),
        answered=pl.col("contends") & (pl.col("kind") == "rts"),
        whole=~pl.col("fails") & pl.col("heard_data").fill_null(True) & pl.col("unicast"),
        used_ns=pl.when(mistimed).then(nominal_ns).otherwise("own_air_ns") + in_txop,
    )


def _values() -> dict[str, pl.Expr]:
    """What each exchange adds to :data:`SUMS`; null where it does not count."""
    contends, fails, carries = pl.col("contends"), pl.col("fails"), pl.col("sample")
    with_rts, alone, quiet, answered = (pl.col(name) for name in ("with_rts", "alone", "quiet", "answered"))
    heard_data = pl.col("heard_data").fill_null(True) & (pl.col("kind") != "rts_failed")
    unheard = contends & ~pl.col("heard_data").fill_null(True) & (pl.col("kind") != "rts_failed")
    fresh = contends & heard_data & pl.col("unicast") & pl.col("is_new")
    to_groups = contends & (pl.col("kind") == "broadcast")
    answer_gap_ns = pl.col("ack_start_ns") - pl.col("data_ns")
    data = pl.coalesce(pl.col("data_ns") - pl.col("data_start_ns"), "own_air_ns")
    mpdus = pl.col("mpdus").clip(1)
    psdu = pl.coalesce("length_bytes", pl.col("payload_bytes") + pl.col("header_bytes") * mpdus)
    # What follows after SIFS is part of the TXOP, a CF-End its end.
    continues = ~contends & (pl.col("data_kind") != "block_ack_req").fill_null(True)
    trails = (pl.col("data_kind") == "cf_end").fill_null(False)
    is_open = carries & pl.col("rate_mbps").is_null() & psdu.is_not_null() & pl.col("data_airtime_us").is_not_null()
    counts = {
        "accesses": contends,
        "attempts": pl.col("unicast"),
        "failed": fails,
        "waited": contends & (pl.col("idle_ns") <= pl.col("t_difs") + pl.col("cw_min") * pl.col("t_slot")),
        "alone": alone,
        "alone_failed": alone & fails,
        "quiet": quiet,
        "quiet_failed": quiet & fails,
        "answered": answered,
        "answered_failed": answered & fails,
        # An RTS that is repeated says nothing about data: with it, only data that was heard before is a repetition.
        "retries": pl.when(with_rts).then(heard_data & ~pl.col("is_new")).otherwise(contends & (pl.col("attempt") > 1)),
        "rts_retries": with_rts & heard_data & pl.col("is_new") & (pl.col("attempt") > 1) & ~ampdu.aggregates(),
        "with_rts": contends & with_rts,
        "done": ~fails & contends,
        "unheard": unheard,
        "silent": contends & fails & heard_data,
        "silent_numbered": contends & fails & heard_data & pl.col("seq").is_not_null(),
        "heard": contends & heard_data & pl.col("unicast"),
        "whole": pl.col("whole") & ~with_rts,
        "whole_rts": pl.col("whole") & with_rts,
        "fresh": fresh,
        "to_groups": to_groups,
        "open": is_open,
        "gaps": pl.col("gap_ticks").is_not_null(),
        "answers": answer_gap_ns.is_not_null() & pl.col("unicast"),
        "answers_off": _answer_off(),
        "carried": carries,
        "aggregating": carries & ampdu.aggregates(),
        "continued": continues & carries,
        "trailers": continues & trails,
    }
    air_us, rate_mbps = pl.col("data_airtime_us").round().cast(pl.Int64, strict=False), pl.col("rate_mbps")
    amounts = {
        "fresh_mpdus": (fresh, mpdus),
        "to_groups_air_ns": (to_groups, pl.col("used_ns")),
        "gap_ticks": (pl.col("gap_ticks").is_not_null(), pl.col("gap_ticks")),
        "gap_square": (pl.col("gap_ticks").is_not_null(), pl.col("gap_ticks") ** 2),
        "advanced": (pl.col("advanced").is_not_null(), pl.col("advanced")),
        "advanced_heard": (pl.col("advanced").is_not_null(), pl.col("advanced_heard")),
        "acked": (pl.col("acked").is_not_null(), pl.col("acked")),
        "whole_air_ns": (pl.col("whole") & ~with_rts, pl.col("used_ns")),
        "rts_air_ns": (pl.col("whole") & with_rts, pl.col("used_ns")),
        "air_ns": (~fails, pl.col("used_ns")),
        "first_ns": (contends, pl.when(with_rts).then("t_rts").otherwise(data)),
        "answer_ns": (contends, pl.col("t_sifs") + pl.when(with_rts).then("t_cts").otherwise("t_ack")),
        "sifs_ns": (contends, pl.col("t_sifs")),
        "aifs_ns": (contends, pl.col("t_difs")),
        "slot_ns": (contends, pl.col("t_slot")),
        "window_slots": (contends, pl.col("cw_min") + 1),
        "carried_air_ns": (carries, pl.col("used_ns")),
        "bits": (carries, 8 * pl.col("payload_bytes")),
        "mpdus": (carries, mpdus),
        "psdu_bytes": (carries, psdu),
        "ampdu_bytes": (carries, ampdu.ampdu_max_bytes()),
        "payload_ns": (carries & (rate_mbps > 0), (8e3 * psdu / rate_mbps).round().cast(pl.Int64, strict=False)),
        "rate_bps": (carries, (rate_mbps * 1e6).round().cast(pl.Int64, strict=False)),
        "rate_square": (carries, (rate_mbps * RATE_UNITS).floor().cast(pl.Int64, strict=False).clip(0, RATE_MOST) ** 2),
        "open_bytes": (is_open, psdu),
        "open_us": (is_open, air_us),
        "open_bytes_us": (is_open, psdu * air_us),
        "open_square": (is_open, psdu * psdu),
        "ack_ns": (carries, pl.col("t_ack")),
        "plcp_ns": (carries, pl.col("t_plcp")),
        "trailer_ns": (continues & trails, pl.col("used_ns")),
        "txop_ns": (carries, txop.limit_ns()),
    }
    return counts | {name: pl.when(counting).then(amount) for name, (counting, amount) in amounts.items()}
