"""Goodput of one bulk TCP flow, from what a saturating sender gets.

The flow sends segments of 1448 octets in IP packets of 1500 (Ethernet's MTU, RFC 7323 timestamps), and its receiver a
TCP ACK for every second one (RFC 5681, 4.2). Both travel in MSDUs with 8 octets of LLC and SNAP. On the air a segment
costs its own airtime, and its share of an access with ACKs: AIFS, PPDU, SIFS and the MAC's answer. It costs no backoff
of its own, because the receiver counts its backoff down in the same idle slots as the sender (the sender is
backlogged); but the two collide, and then all segments of an access are lost, or its RTS. On a link with RTS the TCP
ACKs are taken to be protected as well; the upper bound is without. Where data goes behind a CTS-to-self they all do:
it is the BSS that has stations of 802.11b in it (10.27).

How often the receiver gets the medium, and how often they collide, follows from their backoffs, which are uniform. A
receiver that has ACKs since the sender's last access wins against its next one with probability 1/2, otherwise with
what is left of its backoff against the one after it with 2/3, then 3/4 and so on: on the average in the 1/2 + 2/3 1/2 +
... = (e - 1)th. So an access with ACKs is contested :data:`CONTESTS` times, each time with one chance in CWmin + 1 that
both draw the same slot. Where segments travel one by one, ACKs are due at every second; where they travel in
aggregates, after each, so that there is one access with ACKs per :data:`CONTESTS` aggregates.

The ACKs travel as the receiver sends (:mod:`.reverse`). If it does not aggregate, each of them takes an access, and the
roles change: it is the receiver that is backlogged, and the sender, whose window is under way as ACKs, sends what the
ACKs of :data:`CONTESTS` accesses release. The upper bound has full aggregates all the same. Where few frames of the
receiver were recorded the ACKs travel as the sender sends, and what these few show is in the bounds; where they have
been much faster at times the upper bound has the sender's rate.

With t(L) the time of a saturating sender per packet of L octets alone on the medium, and c the cost of the ACKs per
segment, the flow gets t(recorded)/(t(1508) + c) times the packets of the saturating one, if other stations have no more
to send: its time is what they leave. If they are backlogged, accesses are shared instead, and the time per packet is
the longer one with their accesses in it: a smaller part is lost to the ACKs. The value is the former, the upper bound
the latter.

Single frames that fail are sent again, which is part of t (:mod:`.repeated`): beside as many ACKs packets take longer.

Flows of TCP that wait in the sender's queue already make room for it (:mod:`.shared_queue`).

A sender that splits its packets into fragments splits segments too; what is said here of a packet holds of all its
fragments.

Where no header tells the rate (802.11ax without the number of streams), it is the one at which the sender has its
capacity: that is known from airtimes over lengths.
"""

import math

import polars as pl

from winf_analyzer._mac.constants import whole
from winf_analyzer._mac.presets import PRESETS, preset_name
from winf_analyzer._recommended import repeated, reverse
from winf_analyzer._recommended.evidence import ceiling_bps
from winf_analyzer._recommended.shared_queue import shares
from winf_analyzer._util.float_sums import sum_in_order
from winf_analyzer._util.student import NORMAL_90

SEGMENT_BYTES = 1448
MSDU_BYTES = 1508
ACK_MSDU_BYTES = 60
SEGMENTS_PER_ACK = 2

OVERHEAD_BYTES = whole("data_header") + whole("fcs")
"""MAC header and FCS."""

MODEL_ERROR = 0.05
"""Relative error of the ratio by itself, half the width of a 90 % interval: against probes by TCP in ns-2
(docs/estimators.md)."""

CONTESTS = math.e - 1
"""Accesses of a backlogged sender that a receiver with ACKs contends with until it gets one itself, on the average."""

TIES = 1.1
"""Standard deviation of the number of collisions, over the root of their number: CW doubles after one, and the next
waits."""

SUBFRAME_BYTES = MSDU_BYTES + OVERHEAD_BYTES + 2 * whole("mpdu_delimiter")
"""A segment in an A-MPDU, with delimiter and most of the padding."""


SPLIT = 1.1
"""Fragments of a packet, on the average, from which on a segment is taken to be split as well."""

ROUNDING = 0.01
"""Part of a fragment that is none: of a mean over packets that are as long as a segment."""


def goodput(rows: pl.DataFrame) -> pl.DataFrame:
    """`rows` with `available_tcp_bps`, `available_tcp_low_bps` and `available_tcp_high_bps`.

    And whether a `shared_queue` decides the first.

    Args:
        rows: `capacity_bps`, `available_bps` with its bounds, `own_bps`, `covered_ns`; `bits`, `mpdus`, `psdu_bits`,
            `psdu_us`, `data_us`, `samples`, `rts`, `ack_us`, `rts_cts_us`, `handshakes`, `cts_self`, `cts_self_us`,
            `own_cts`, `fragments`, `rate_max_mbps`, `phy`, `channel_mhz` of :mod:`.evidence`; `failing` of
            :mod:`.repeated`; `yielding_bits`, `yielding_links` of :mod:`.shared_queue`; what :mod:`.reverse`
            adds; `aggregation_presumed`, whether the lower bound is that of single frames.
    """
    timing = pl.DataFrame(
        [
            {
                "preset": name,
                "sifs_us": mac.sifs_us,
                "difs_us": mac.difs_us,
                "default_ack_us": mac.ack_us,
                "default_rts_cts_us": mac.rts_us + mac.cts_us,
                "default_cts_us": mac.cts_us,
                "default_plcp_us": mac.plcp_us,
                "backoff_us": mac.backoff_us,
                "tie": CONTESTS / mac.cw_min,
                "window": mac.cw_min + 1.0,
            }
            for name, mac in PRESETS.items()
        ]
    )
    rows = rows.with_columns(preset=preset_name()).join(timing, on="preset", how="left", maintain_order="left")
    columns = _priced(rows)
    if rows["aggregation_presumed"].any():
        singly = _priced(columns.with_columns(capacity_bps=_single_bps()))
        columns = columns.with_columns(single=singly.select(pl.col("left_least") * (1 - pl.col("error"))).to_series())
    else:
        columns = columns.with_columns(single=pl.lit(None, pl.Float64))
    single = pl.when("aggregation_presumed").then("single")
    known = pl.col("left").is_finite() & (pl.col("left") > 0) & pl.col("shared").is_finite()
    least = pl.min_horizontal(pl.col("left_least") * (1 - pl.col("error")), single)
    bounds = {
        "available_tcp_bps": pl.col("available_bps") * pl.col("left"),
        "available_tcp_low_bps": pl.col("available_low_bps") * least,
        "available_tcp_high_bps": pl.col("available_high_bps") * pl.col("shared") * (1 + pl.col("error")),
    }
    others = pl.col("yielding_bits") * SEGMENT_BYTES / MSDU_BYTES * 1e9 / pl.col("covered_ns")
    share = shares()
    shared = {name: (value + others) * share[name] for name, value in bounds.items()}
    shares_queue = (shared["available_tcp_bps"] > bounds["available_tcp_bps"]).fill_null(value=False)
    bounds = {name: pl.max_horizontal(value, shared[name]) for name, value in bounds.items()}
    most = ceiling_bps(pl.lit(8.0 * SEGMENT_BYTES), pl.lit(8.0 * MSDU_BYTES))
    filled = columns.with_columns(
        pl.when(known).then(value.clip(upper_bound=most)).alias(name) for name, value in bounds.items()
    )
    return filled.select(*rows.drop(timing.columns).columns, *bounds, shares_queue.alias("shared_queue"))


def _priced(rows: pl.DataFrame) -> pl.DataFrame:
    """With what :func:`_shares` returns.

    In steps that read the columns of those before: a large expression is copied, and planned, wherever it is used.
    """
    for step in (_means(), _open(), _rate(), _times(), _repeated(), _accesses(), _acks(), _losses(), _shares()):
        rows = rows.with_columns(**step)
    return rows


def _single_bps() -> pl.Expr:
    """The capacity in single frames, of a row of :func:`_priced`."""
    payload_us = (pl.col("packet_bits") + 8 * OVERHEAD_BYTES) / pl.col("rate_mbps")
    return 1e6 * pl.col("packet_bits") / (pl.col("fixed_us") + payload_us)


def _means() -> dict[str, pl.Expr]:
    """Of what was recorded: octets in bits and times in us."""
    packets = (pl.col("mpdus") - pl.col("fragments")).clip(1)
    return {
        "packet_bits": pl.col("bits") / packets,
        "pieces": pl.col("mpdus") / packets,
        "told_mbps": pl.when(pl.col("psdu_us") > 0).then(pl.col("psdu_bits") / pl.col("psdu_us")),
        "plcp_us": pl.when(pl.col("psdu_us") > 0)
        .then(((pl.col("data_us") - pl.col("psdu_us")) / pl.col("samples")).clip(0))
        .otherwise("default_plcp_us"),
        "answer_us": pl.col("sifs_us") + pl.coalesce(_mean("ack_us", "answers"), "default_ack_us"),
        "with_rts": pl.when(pl.col("rts") * 2 > pl.col("samples"))
        .then(pl.coalesce(_mean("rts_cts_us", "handshakes"), "default_rts_cts_us") + 2 * pl.col("sifs_us"))
        .otherwise(0.0),
        "with_cts": pl.when(pl.col("cts_self") * 2 > pl.col("samples"))
        .then(pl.coalesce(_mean("cts_self_us", "own_cts"), "default_cts_us") + pl.col("sifs_us"))
        .otherwise(0.0),
    }


def _open() -> dict[str, pl.Expr]:
    """What a rate that no header tells follows from: the time of a packet, the overhead of an access, its packets.

    A sender that was seen to aggregate, or whose packets take less time than the overhead, has full aggregates.
    """
    alone_us = pl.col("packet_bits") / pl.col("capacity_bps") * 1e6
    fixed_us = sum_in_order(("difs_us", "plcp_us", "answer_us", "with_rts", "with_cts", "backoff_us"))
    aggregates = (pl.col("mpdus") > pl.col("samples")) | (alone_us <= fixed_us)
    subframe_bytes = pl.col("packet_bits") / 8 + SUBFRAME_BYTES - MSDU_BYTES
    by_octets = (whole("ht_ampdu_max") / subframe_bytes).clip(upper_bound=whole("block_ack_window"))
    by_time = (whole("aPPDUMaxTime") + fixed_us) / alone_us
    many = pl.min_horizontal(by_octets, by_time).floor().clip(1)
    return {"alone_us": alone_us, "fixed_us": fixed_us, "filled": pl.when(aggregates).then(many).otherwise(1.0)}


def _rate() -> dict[str, pl.Expr]:
    """The rate that headers tell; without, the one at which an access has its capacity, if there is one."""
    more_bytes = pl.when(pl.col("filled") > 1).then(SUBFRAME_BYTES - MSDU_BYTES).otherwise(OVERHEAD_BYTES)
    bits = pl.col("filled") * (pl.col("packet_bits") + 8 * more_bytes)
    payload_us = pl.col("filled") * pl.col("alone_us") - pl.col("fixed_us")
    return {"rate_mbps": pl.coalesce("told_mbps", pl.when(payload_us > 0).then(bits / payload_us))}


def _times() -> dict[str, pl.Expr]:
    """Of a packet, and of a segment, of the saturating sender; and whether it aggregates."""
    packet_bits, rate_mbps, alone_us = pl.col("packet_bits"), pl.col("rate_mbps"), pl.col("alone_us")
    # The capacity tells whether a backlogged sender aggregates: single frames take longer than it says.
    single_us = pl.col("difs_us") + pl.col("plcp_us") + packet_bits / rate_mbps + pl.col("answer_us")
    # A segment goes in whole fragments, as long as those that were recorded, each with headers and an answer.
    piece_us = pl.col("plcp_us") + 8 * OVERHEAD_BYTES / rate_mbps + pl.col("answer_us") + pl.col("sifs_us")
    more = (8 * MSDU_BYTES * pl.col("pieces") / packet_bits - ROUNDING).ceil() - pl.col("pieces")
    pieces_us = pl.when(pl.col("pieces") > SPLIT).then(more * piece_us).otherwise(0.0)
    return {
        "segment_us": alone_us + (8 * MSDU_BYTES - packet_bits) / rate_mbps + pieces_us,
        "aggregates": (pl.col("mpdus") > 1.5 * pl.col("samples")) | (alone_us < single_us),
    }


def _repeated() -> dict[str, pl.Expr]:
    """Both times with the repetitions of single frames without RTS. An aggregate repeats what it lost in the next."""
    single = ~pl.col("aggregates") & (pl.col("with_rts") == 0)
    waits_us = pl.min_horizontal("backoff_us", "alone_us")
    more = {name: (pl.col(name) - waits_us) * repeated.attempts() + waits_us * repeated.backoffs() for name in _ALONE}
    return {name: pl.when(single).then(value).otherwise(name) for name, value in more.items()}


_ALONE = ("alone_us", "segment_us")
"""Times of a packet alone on the medium."""


def _accesses() -> dict[str, pl.Expr]:
    """Segments per access of the sender, and accesses with ACKs per segment."""
    full = pl.when("aggregates").then(aggregated(pl.col("rate_mbps"))).otherwise(1.0)
    one_by_one = pl.col("aggregates") & (pl.col("back_single") & ~_few()).fill_null(value=False)
    packets = pl.when(one_by_one).then(pl.min_horizontal(full, pl.lit(SEGMENTS_PER_ACK * CONTESTS))).otherwise(full)
    together = pl.col("aggregates") & ~one_by_one
    answering = pl.when(together).then(1 / CONTESTS / packets).otherwise(1 / SEGMENTS_PER_ACK)
    return {"packets": packets, "full": full, "one_by_one": one_by_one, "answering": answering}


def _acks() -> dict[str, pl.Expr]:
    """What TCP ACKs cost per segment as the receiver sends, and at least and at most where little of it is known."""
    ack_bytes = ACK_MSDU_BYTES + OVERHEAD_BYTES + pl.when("aggregates").then(2 * whole("mpdu_delimiter")).otherwise(0)

    def cost(plcp_us: pl.Expr, answer_us: pl.Expr, rate_mbps: pl.Expr) -> pl.Expr:
        access_us = pl.col("difs_us") + pl.col("with_cts") + plcp_us + answer_us
        return pl.col("answering") * access_us + 8 * ack_bytes / rate_mbps / SEGMENTS_PER_ACK

    like_sender = cost(pl.col("plcp_us"), pl.col("answer_us"), pl.col("rate_mbps"))
    answer_us = pl.coalesce(pl.col("sifs_us") + pl.col("back_ack_us"), "answer_us")
    as_recorded = cost(pl.coalesce("back_plcp_us", "plcp_us"), answer_us, pl.coalesce("back_rate_mbps", "rate_mbps"))
    few, both = _few(), (as_recorded, like_sender)
    unsure = few | pl.col("back_varies").fill_null(value=False)
    return {
        "tcp_ack_us": pl.when(few).then(like_sender).otherwise(as_recorded),
        "tcp_ack_least_us": pl.when(unsure).then(pl.min_horizontal(both)).otherwise(as_recorded),
        "tcp_ack_most_us": pl.when(unsure).then(pl.max_horizontal(both)).otherwise(as_recorded),
    }


def _few() -> pl.Expr:
    return pl.col("back_samples").fill_null(0) < reverse.ENOUGH


def _losses() -> dict[str, pl.Expr]:
    """What the ACKs add to the time of a segment: at least, with their RTS, at most; what a collision destroys."""
    answering, with_rts = pl.col("answering"), pl.col("with_rts")
    destroyed_us = pl.when(with_rts > 0).then(with_rts).otherwise(pl.col("packets") * pl.col("segment_us"))
    collision_us = answering * pl.col("tie") * destroyed_us
    segment_us = pl.col("segment_us") - pl.col("alone_us") + collision_us
    # Fewer segments share what an access costs, its backoff included: during it the receiver's run down as well.
    thinner_us = pl.col("fixed_us") * (1 / pl.col("packets") - 1 / pl.col("full"))
    more_us = segment_us + answering * with_rts + pl.when("one_by_one").then(thinner_us).otherwise(0.0)
    return {
        "least_us": segment_us + pl.col("tcp_ack_least_us"),
        "more_us": more_us + pl.col("tcp_ack_us"),
        "most_us": more_us + pl.col("tcp_ack_most_us"),
        "destroyed_us": destroyed_us,
    }


def _shares() -> dict[str, pl.Expr]:
    """`left_least`, `left` and `shared`: what the flow gets of the saturating one's bits; `error` of these."""
    packet_bits, alone_us = pl.col("packet_bits"), pl.col("alone_us")
    shared_us = packet_bits / (pl.col("available_bps") + pl.col("own_bps")) * 1e6
    left, left_least = (alone_us / (alone_us + pl.col(name)) for name in ("more_us", "most_us"))
    shared = pl.max_horizontal(left, shared_us / (shared_us + pl.col("least_us")))
    per_bit = 8 * SEGMENT_BYTES / packet_bits
    # Of so many collisions in the window, each of which takes that much.
    segments = pl.col("available_bps") * left * pl.col("covered_ns") * 1e-9 / packet_bits
    collisions = pl.col("answering") * pl.col("tie") / segments.clip(1)
    chance = collisions.sqrt() * pl.col("destroyed_us") / pl.col("segment_us")
    error = (MODEL_ERROR**2 + (NORMAL_90 * TIES * chance) ** 2).sqrt()
    return {
        "left": left * per_bit,
        "left_least": left_least * per_bit,
        "shared": shared * per_bit,
        "error": error.fill_nan(1).fill_null(1).clip(0, 1),
    }


def aggregated(rate_mbps: pl.Expr) -> pl.Expr:
    """Segments in the longest A-MPDU: by octets (of HT, which VHT stations mostly announce too), number and time."""
    by_time = whole("aPPDUMaxTime") * rate_mbps / (8 * SUBFRAME_BYTES)
    by_octets = whole("ht_ampdu_max") // SUBFRAME_BYTES
    return pl.min_horizontal(by_time.floor(), pl.lit(float(min(by_octets, whole("block_ack_window"))))).clip(1)


def _mean(total: str, count: str) -> pl.Expr:
    return pl.when(pl.col(count) > 0).then(pl.col(total) / pl.col(count))
