"""Goodput of one bulk TCP flow, from what a saturating sender gets.

The flow sends segments of 1448 octets in IP packets of 1500 (Ethernet's MTU, RFC 7323 timestamps), and its receiver a
TCP ACK for every second one (RFC 5681, 4.2). Both travel in MSDUs with 8 octets of LLC and SNAP. On the air a segment
costs its own airtime, and its share of an ACK: AIFS, PPDU, SIFS and the MAC's answer. It costs no backoff of its own,
because the receiver counts its backoff down in the same idle slots as the sender (the sender is backlogged); but the
two collide, with the chance that both draw the same slot, 1/(CWmin/2 + 1) of the receiver's accesses, and then all
segments of an access are lost, or its RTS. On a link with RTS the TCP ACKs are taken to be protected as well; the upper
bound is without.

With t(L) the time of a saturating sender per packet of L octets alone on the medium, and c the cost of the ACKs per
segment, the flow gets t(recorded)/(t(1508) + c) times the packets of the saturating one, if other stations have no more
to send: its time is what they leave. If they are backlogged, accesses are shared instead, and the time per packet is
the longer one with their accesses in it: a smaller part is lost to the ACKs. The value is the former, the upper bound
the latter.
"""

import polars as pl

from winf_analyzer._mac.constants import whole
from winf_analyzer._mac.presets import PRESETS, preset_name

SEGMENT_BYTES = 1448
MSDU_BYTES = 1508
ACK_MSDU_BYTES = 60
SEGMENTS_PER_ACK = 2

OVERHEAD_BYTES = whole("data_header") + whole("fcs")
"""MAC header and FCS."""

MODEL_ERROR = 0.05
"""Relative error of the ratio by itself, half the width of a 90 % interval: against probes by TCP in ns-2
(docs/estimators.md)."""

AGGREGATE_PACKETS = 32
"""MPDUs per access of a backlogged sender that aggregates; TCP ACKs then travel together, too."""


def goodput(rows: pl.DataFrame) -> pl.DataFrame:
    """`rows` with `available_tcp_bps`, `available_tcp_low_bps` and `available_tcp_high_bps`.

    Args:
        rows: `capacity_bps`, `available_bps` with its bounds, `own_bps`; `bits`, `mpdus`, `psdu_bits`, `psdu_us`,
            `data_us`, `samples`, `rts`, `ack_us`, `rts_cts_us`, `rate_max_mbps`, `phy`, `channel_mhz` of
            :mod:`.evidence`.
    """
    timing = pl.DataFrame(
        [
            {
                "preset": name,
                "sifs_us": mac.sifs_us,
                "difs_us": mac.difs_us,
                "default_ack_us": mac.ack_us,
                "default_rts_cts_us": mac.rts_us + mac.cts_us,
                "tie": 1 / (mac.cw_min / 2 + 1),
            }
            for name, mac in PRESETS.items()
        ]
    )
    rows = rows.with_columns(preset=preset_name()).join(timing, on="preset", how="left", maintain_order="left")
    packet_bits = pl.col("bits") / pl.col("mpdus")
    rate_mbps = pl.col("psdu_bits") / pl.col("psdu_us")
    plcp_us = ((pl.col("data_us") - pl.col("psdu_us")) / pl.col("samples")).clip(0)
    alone_us = packet_bits / pl.col("capacity_bps") * 1e6
    segment_us = alone_us + (8 * MSDU_BYTES - packet_bits) / rate_mbps
    answer_us = pl.col("sifs_us") + pl.coalesce(_mean("ack_us", "answers"), "default_ack_us")
    # The capacity tells whether a backlogged sender aggregates: single frames take longer than it says.
    single_us = pl.col("difs_us") + plcp_us + packet_bits / rate_mbps + answer_us
    aggregates = (pl.col("mpdus") > 1.5 * pl.col("samples")) | (alone_us < single_us)
    packets = pl.when(aggregates).then(AGGREGATE_PACKETS).otherwise(1)
    acks = (packets / SEGMENTS_PER_ACK).clip(1)
    ack_us = (
        (pl.col("difs_us") + plcp_us + acks * 8 * (ACK_MSDU_BYTES + OVERHEAD_BYTES) / rate_mbps + answer_us)
        / acks
        / SEGMENTS_PER_ACK
    )
    with_rts = (
        pl.when(pl.col("rts") * 2 > pl.col("samples"))
        .then(pl.coalesce(_mean("rts_cts_us", "handshakes"), "default_rts_cts_us") + 2 * pl.col("sifs_us"))
        .otherwise(0.0)
    )
    handshake_us = with_rts / acks / SEGMENTS_PER_ACK
    destroyed_us = pl.when(with_rts > 0).then(with_rts).otherwise(packets * segment_us)
    collision_us = pl.col("tie") * destroyed_us / SEGMENTS_PER_ACK / acks
    least_us = segment_us - alone_us + ack_us + collision_us
    more_us = least_us + handshake_us
    shared_us = packet_bits / (pl.col("available_bps") + pl.col("own_bps")) * 1e6
    left = alone_us / (alone_us + more_us)
    shared = pl.max_horizontal(left, shared_us / (shared_us + least_us))
    per_bit = 8 * SEGMENT_BYTES / packet_bits
    columns = rows.with_columns(left=left * per_bit, shared=shared * per_bit)
    known = pl.col("left").is_finite() & (pl.col("left") > 0) & pl.col("shared").is_finite()
    bounds = {
        "available_tcp_bps": pl.col("available_bps") * pl.col("left"),
        "available_tcp_low_bps": pl.col("available_low_bps") * pl.col("left") * (1 - MODEL_ERROR),
        "available_tcp_high_bps": pl.col("available_high_bps") * pl.col("shared") * (1 + MODEL_ERROR),
    }
    most = pl.col("rate_max_mbps") * 1e6
    filled = columns.with_columns(
        pl.when(known).then(value.clip(upper_bound=most)).alias(name) for name, value in bounds.items()
    )
    return filled.drop("preset", "sifs_us", "difs_us", "default_ack_us", "default_rts_cts_us", "tie", "left", "shared")


def _mean(total: str, count: str) -> pl.Expr:
    return pl.when(pl.col(count) > 0).then(pl.col(total) / pl.col(count))
