"""What each exchange of a station adds to the sums of its link, from which the costs of an access are worked out."""

from functools import cache

import polars as pl

from winf_analyzer._aggregate.aggregate import Aggregate
from winf_analyzer._aggregate.chunks import STAY, STAY_FIRST, STAY_LAST, Chunk
from winf_analyzer._aggregate.exchange_columns import failed, nanoseconds
from winf_analyzer._mac.backoffs import ATTEMPTS
from winf_analyzer._models.saturation.recorded import ampdu, categories, completeness, txop

SUMS = (
    "accesses",
    "attempts",
    "failed",
    "waited",
    "behind_other",
    "soon_behind_other",
    "long_idle_ns",
    "alone",
    "alone_failed",
    "first_alone",
    "first_alone_failed",
    "alone_windows",
    "alone_failed_ns",
    "quiet",
    "quiet_failed",
    "answered",
    "answered_failed",
    "retries",
    "rts_retries",
    "rts_unheard",
    "unheard_before",
    "with_rts",
    "done",
    "unheard",
    "silent",
    "silent_behind",
    "silent_numbered",
    "heard",
    "whole",
    "whole_rts",
    "fresh",
    "fresh_mpdus",
    "came",
    "came_square",
    "to_groups",
    "to_groups_air_ns",
    "groups_first",
    "groups_soon",
    "groups_behind",
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
    "in_aggregates",
    "sent_mpdus",
    "psdu_bytes",
    "ampdu_bytes",
    "window_mpdus",
    "window_most",
    "limit_mpdus",
    "limit_bytes",
    "limit_ns",
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
    "voice",
    "continued",
    "continued_rts",
    "fragments",
    "trailers",
    "trailer_ns",
    "txop_ns",
    "declared_txop_ns",
)
"""What is summed per window and directed link."""

ANSWER_ERROR_NS = 4_000
"""How far from SIFS after the data an answer may begin on a good clock."""

RATE_UNITS, MAX_RATE_UNITS = 100, 5_000_000
"""Rates are squared in units of 10 kb/s, which tell 5.5 Mb/s from 6, cut off so that a constant rate never seems to
vary; up to 50 Gb/s, of which whole numbers can hold the sum."""

STAGES = 6
"""Doublings of the contention window: 15 to 1023 (IEEE 802.11-2020, 10.3.3)."""

PARTS = 1000
"""Parts of a window in which it is told when its packets came."""

FIRST_SLOTS, SOON_SLOTS = 1.5, 4.5
"""Slots behind SIFS until which a frame has begun that waited for PIFS alone, and one that began soon."""

BEHIND_NS = 4_500
"""Half of the shortest slot: how far from SIFS behind another a frame begins that did not wait for PIFS."""

NEXT_SLOTS = 2
"""Slots behind the first in which an access begins soon behind another station's."""

QUIET_WINDOWS = 2
"""A medium idle for as many contention windows is quiet: no station was backing off."""


def _sums(chunk: Chunk) -> pl.DataFrame:
    ends = chunk.context.media.select("medium", recorded_until_ns="last_ns")
    uses = chunk.uses.with_columns([*chunk.once(completeness.advances), _before(chunk)])
    uses = uses.join(ends.lazy(), on="medium", how="left", maintain_order="left")
    if STAY in chunk.rows.columns:
        # A radio that hops came in the middle of the first exchange of a stay, and left in that of the last.
        uses = uses.filter(
            pl.col("heard_data").fill_null(True) | (pl.col("start_ns") > pl.col(STAY_FIRST)).fill_null(True)
        )
        uses = uses.with_columns(recorded_until_ns=pl.coalesce(STAY_LAST, "recorded_until_ns"))
    uses = uses.filter(~_cut_off(), ~_nameless())
    # Of tumbling windows, also where sums are those of steps.
    length_ns = chunk.context.settings.window_ns
    since = (pl.col("air_start_ns") - pl.col("end_ns") // length_ns * length_ns) / length_ns
    uses = uses.with_columns(part=(since.clip(0, 1) * PARTS).cast(pl.Int64))
    rows = _with_flags(uses).select(categories.group(), **_values())
    return chunk.link_sums(rows, SUMS, categories.named).with_columns(pl.col(SUMS).cast(pl.Float64))


LINK_LOADS = Aggregate(_sums)
"""What :func:`.stations.link_loads` takes: :data:`SUMS`, whole numbers, per window and directed link, those of other
categories than best effort apart (:func:`.categories.named`)."""


def _before(chunk: Chunk) -> pl.Series:
    """`own_before`: the exchange before on the medium was of the same sender; null of the first one."""
    rows = chunk.rows.select("medium", "sender", is_kept=pl.lit(value=False))
    if _before in chunk.state:
        rows = pl.concat([chunk.state[_before], rows])
    chunk.state[_before] = rows.unique("medium", keep="last", maintain_order=True).with_columns(is_kept=True)
    same = pl.col("sender").eq_missing(pl.col("sender").shift().over("medium"))
    is_first = pl.int_range(pl.len()).over("medium") == 0
    own = rows.select("is_kept", own_before=pl.when(~is_first).then(same))
    return own.filter(~pl.col("is_kept"))["own_before"]


@cache
def _cut_off() -> pl.Expr:
    """The recording ends before the answer would have: whether the attempt failed is not known."""
    answered_ns = pl.col("end_ns") + pl.col("t_sifs") + pl.col("t_ack")
    return (failed() & (answered_ns > pl.col("recorded_until_ns"))).fill_null(False)


@cache
def _nameless() -> pl.Expr:
    """A frame that was damaged, whoever sent it: it is missing among the numbers of its sender, who is put back there.

    As a station of its own it would be counted twice.
    """
    return ((pl.col("kind") == "unknown") & pl.col("sender").is_null() & pl.col("receiver").is_null()).fill_null(False)


@cache
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
        trails=trails,
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
    own_cts_ns = pl.col("t_cts") + pl.col("t_sifs")
    handshake_ns = pl.col("t_rts") + pl.col("t_sifs") + own_cts_ns
    before_ns = pl.when(pl.col("kind") == "rts").then(handshake_ns).when(pl.col("kind") == "cts_self").then(own_cts_ns)
    nominal_ns = before_ns.otherwise(0) + pl.col("t_sifs") + pl.col("t_ack")
    nominal_ns += nanoseconds("data_airtime_us").fill_null(0)
    return timed.with_columns(
        alone=alone,
        quiet=alone & pl.col("unicast") & (pl.col("attempt") == 1) & (pl.col("idle_ns") > quiet_ns),
        answered=pl.col("contends") & (pl.col("kind") == "rts"),
        whole=~pl.col("fails") & pl.col("heard_data").fill_null(True) & pl.col("unicast"),
        used_ns=pl.when(mistimed).then(nominal_ns).otherwise("own_air_ns") + in_txop,
    )


@cache
def _values() -> dict[str, pl.Expr]:
    """What each exchange adds to :data:`SUMS`; null where it does not count."""
    contends, fails, carries = pl.col("contends"), pl.col("fails"), pl.col("sample")
    with_rts, alone, quiet, answered = (pl.col(name) for name in ("with_rts", "alone", "quiet", "answered"))
    heard_data = pl.col("heard_data").fill_null(True) & (pl.col("kind") != "rts_failed")
    unheard = contends & ~pl.col("heard_data").fill_null(True) & (pl.col("kind") != "rts_failed")
    fresh = contends & heard_data & pl.col("unicast") & pl.col("is_new")
    to_groups = contends & (pl.col("kind") == "broadcast")
    handshake_ns = pl.col("t_rts") + pl.col("t_cts") + 2 * pl.col("t_sifs")
    before_ns = pl.when(with_rts).then(handshake_ns).otherwise(0)
    given_up = (pl.col("attempt") >= ATTEMPTS).fill_null(False)
    answer_gap_ns = pl.col("ack_start_ns") - pl.col("data_ns")
    data = pl.coalesce(pl.col("data_ns") - pl.col("data_start_ns"), "own_air_ns")
    mpdus = pl.col("mpdus").clip(1)
    psdu = pl.coalesce("length_bytes", pl.col("payload_bytes") + pl.col("header_bytes") * mpdus)
    # What follows after SIFS is part of the TXOP, a CF-End its end. After an exchange of another the stamps are off.
    continues = ~contends & (pl.col("data_kind") != "block_ack_req").fill_null(True)
    continues &= pl.col("own_before").fill_null(True)
    is_open = carries & pl.col("rate_mbps").is_null() & psdu.is_not_null() & pl.col("data_airtime_us").is_not_null()
    beyond_ns = pl.col("idle_ns") - pl.col("t_difs")
    # The slot in which it began behind AIFS, of an access behind an exchange of another station.
    follows = contends & heard_data & pl.col("unicast") & ~pl.col("own_before").fill_null(True)
    next_slot = pl.when(follows).then((beyond_ns + pl.col("t_slot") // 2) // pl.col("t_slot"))
    # Earlier than SIFS behind another no frame is where its stamp has it.
    later_ns = pl.col("idle_ns") - pl.col("t_sifs")
    soon = to_groups & (later_ns > -BEHIND_NS) & (later_ns < SOON_SLOTS * pl.col("t_slot"))
    counts = {
        "accesses": contends,
        "attempts": pl.col("unicast"),
        "failed": fails,
        "waited": contends & (pl.col("idle_ns") <= pl.col("t_difs") + pl.col("cw_min") * pl.col("t_slot")),
        # See :mod:`.near_misses`.
        "behind_other": next_slot == 0,
        "soon_behind_other": next_slot.is_between(1, NEXT_SLOTS),
        "alone": alone,
        "alone_failed": alone & fails,
        "first_alone": alone & (pl.col("attempt") == 1),
        "first_alone_failed": alone & fails & (pl.col("attempt") == 1),
        "quiet": quiet,
        "quiet_failed": quiet & fails,
        "answered": answered,
        "answered_failed": answered & fails,
        # An RTS that is repeated says nothing about data: with it, only data that was heard before is a repetition.
        "retries": pl.when(with_rts).then(heard_data & ~pl.col("is_new")).otherwise(contends & (pl.col("attempt") > 1)),
        "rts_retries": with_rts & heard_data & pl.col("is_new") & (pl.col("attempt") > 1) & ~ampdu.aggregates(),
        "rts_unheard": with_rts & unheard,
        # What is repeated was not heard when it was sent first.
        "unheard_before": contends & heard_data & (pl.col("attempt") > 1) & ~with_rts & ~pl.col("is_heard_again"),
        "with_rts": contends & with_rts,
        "done": ~fails & contends,
        "unheard": unheard,
        "silent": contends & fails & heard_data,
        # A later fragment, or a later frame of a TXOP: its repetition contends.
        "silent_behind": continues & fails & heard_data,
        # The last attempt at a packet is not repeated, whether its answer was missed or not.
        "silent_numbered": (contends | continues) & fails & heard_data & pl.col("seq").is_not_null() & ~given_up,
        "heard": contends & heard_data & pl.col("unicast"),
        "whole": pl.col("whole") & ~with_rts,
        "whole_rts": pl.col("whole") & with_rts,
        "fresh": fresh,
        "to_groups": to_groups,
        "groups_first": soon & (later_ns < FIRST_SLOTS * pl.col("t_slot")),
        "groups_soon": soon,
        "groups_behind": soon & (later_ns < BEHIND_NS),
        "open": is_open,
        "gaps": pl.col("gap_ticks").is_not_null(),
        "answers": answer_gap_ns.is_not_null() & pl.col("unicast"),
        "answers_off": _answer_off(),
        "carried": carries,
        "aggregating": carries & ampdu.aggregates(),
        "voice": carries & ampdu.is_voice(),
        "continued": continues & carries,
        "continued_rts": continues & carries & with_rts,
        "fragments": continues & carries & ~pl.col("is_new").fill_null(True) & (pl.col("attempt") == 1),
        "trailers": continues & pl.col("trails"),
    }
    air_us, rate_mbps = pl.col("data_airtime_us").round().cast(pl.Int64, strict=False), pl.col("rate_mbps")
    amounts = {
        "alone_failed_ns": (alone & fails, pl.col("own_air_ns")),
        "long_idle_ns": (contends, (beyond_ns - pl.col("cw_min") * pl.col("t_slot")).clip(0)),
        "alone_windows": (alone, 2 ** (pl.col("attempt") - 1).clip(0, STAGES)),
        "fresh_mpdus": (fresh, mpdus),
        "came": (fresh, mpdus * pl.col("part")),
        "came_square": (fresh, mpdus * pl.col("part") ** 2),
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
        "in_aggregates": (carries & (pl.col("mpdus") > 1), mpdus),
        "sent_mpdus": (contends & heard_data & pl.col("unicast"), mpdus),
        "psdu_bytes": (carries, psdu),
        "ampdu_bytes": (carries, ampdu.ampdu_max_bytes()),
        # Until BlockAcks show a longer one (:func:`.aggregation.with_windows`).
        "window_mpdus": (carries, pl.lit(ampdu.MPDUS_MAX)),
        "window_most": (carries, ampdu.window_most()),
        # Until aggregates show shorter ones (:func:`.aggregation.with_limits`).
        **{name: (carries, pl.lit(limit)) for name, limit in ampdu.UNLIMITED.items()},
        "limit_ns": (carries, txop.within_ns(pl.lit(ampdu.UNLIMITED["limit_ns"]), before_ns)),
        "payload_ns": (carries & (rate_mbps > 0), (8e3 * psdu / rate_mbps).round().cast(pl.Int64, strict=False)),
        "rate_bps": (carries, (rate_mbps * 1e6).round().cast(pl.Int64, strict=False)),
        "rate_square": (
            carries,
            (rate_mbps * RATE_UNITS).floor().cast(pl.Int64, strict=False).clip(0, MAX_RATE_UNITS) ** 2,
        ),
        "open_bytes": (is_open, psdu),
        "open_us": (is_open, air_us),
        "open_bytes_us": (is_open, psdu * air_us),
        "open_square": (is_open, psdu * psdu),
        "ack_ns": (carries, pl.col("t_ack")),
        "plcp_ns": (carries, pl.col("t_plcp")),
        "trailer_ns": (continues & pl.col("trails"), pl.col("used_ns")),
        "txop_ns": (carries, txop.limit_ns()),
        "declared_txop_ns": (carries, pl.col("t_txop").clip(0)),
    }
    return counts | {name: pl.when(counting).then(amount) for name, (counting, amount) in amounts.items()}
