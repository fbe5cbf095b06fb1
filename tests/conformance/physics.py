"""What physics demands of the timeline, measured on the tables of a recording.

tshark has no word on direction, observer, A-MPDU membership, start, end and exchanges. The standard has: an answer
starts one SIFS after the frame it answers, an A-MPDU lasts as long as its octets take, one radio sends under one
address, and it receives one frame at a time. Nothing here uses how winf came to its tables.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

import winf_analyzer

ANSWER_TOLERANCE_US = 4.0
"""Two stamps in whole microseconds, propagation, and the jitter of one receiver."""

UNHEARD_US = 250.0
"""An answer later than this after the frame before it belongs to a frame that was not heard."""

SPAN_TOLERANCE = 0.15
OVERLAP_TOLERANCE_NS = 2_000

LONG_SYNC_US, SHORT_SYNC_US, SHORT_TRAINING_US = 128, 56, 8
"""In which a receiver finds a frame (IEEE 802.11-2020, 15.2.3.2, 16.2.3.9, table 17-5)."""

SIGNAL_EXTENSION_US = 6
"""Silence that ends OFDM frames at 2.4 GHz (18.3.2.4)."""

MIN_ANSWERS = 50
"""Fewer answers with TSFT do not characterize a recorder."""

SOLICITING = (
    "data", "qos_data", "null", "qos_null", "ps_poll", "block_ack_req", "probe_resp", "assoc_req", "assoc_resp",
    "reassoc_req", "reassoc_resp", "auth", "deauth", "disassoc", "action",
)  # fmt: skip
AGGREGATING = ("ht", "vht", "he", "eht")
COLUMNS = (
    "source", "frame_no", "observer", "direction", "ts_ns", "tsft_us", "start_ns", "end_ns", "kind", "ra", "ta", "seq",
    "tid", "length_bytes", "fcs_ok", "phy", "rate_mbps", "mcs", "nss", "bandwidth_mhz", "guard_ns", "preamble", "stbc",
    "ampdu_ref", "airtime_us", "channel_mhz", "parse_error", "is_group",
)  # fmt: skip


@dataclass(frozen=True)
class Share:
    """How many of how many."""

    good: int = 0
    of: int = 0

    @property
    def percent(self) -> float | None:
        """Of 100; None of nothing."""
        return 100 * self.good / self.of if self.of else None

    def text(self) -> str:
        """For the table."""
        return "-" if self.percent is None else f"{self.percent:.1f} % of {self.of}"


@dataclass(frozen=True)
class Physics:
    """The figures of one recording."""

    recording: str
    answers: Share = field(default_factory=Share)
    """Answers that start within 4 us of SIFS after the frame before them, of those with TSFT whose times are known."""

    undecided: Share = field(default_factory=Share)
    """Of the answers with TSFT, those of which a time is unknown."""

    spans: Share = field(default_factory=Share)
    """A-MPDUs whose time line is within 15 % of the airtime of their octets, of those whose times are known."""

    foreign_tx: Share = field(default_factory=Share)
    """Frames "sent" by the recorder that a second transmitter sent."""

    overlaps: Share = field(default_factory=Share)
    """Heard frames that one radio cannot have received beside the one before them."""

    late_found: Share = field(default_factory=Share)
    """Heard frames that begin while another is on the air, of which a receiver can find the rest of the preamble."""

    untimed: Share = field(default_factory=Share)
    """Heard frames without start or end."""

    answered_exchanges: Share = field(default_factory=Share)
    """Answers that the exchange of the frame before them holds."""

    def failures(self) -> list[str]:
        """The rules that the recording breaks."""
        rules = {
            "answers": self.answers.of < MIN_ANSWERS or (self.answers.percent or 0) >= 90,
            "spans": self.spans.of < MIN_SPANS or (self.spans.percent or 0) >= 95,
            "tx": self.foreign_tx.good == 0,
            "overlaps": self.answers.of < MIN_ANSWERS or (self.overlaps.percent or 0) <= 0.5,
        }
        return [name for name, holds in rules.items() if not holds]


MIN_SPANS = 20
"""Of fewer A-MPDUs one alone decides about 95 %."""


def measure(capture: Path) -> Physics:
    """Measure one recording."""
    frames = pl.DataFrame(winf_analyzer.read_frames(capture)).select(COLUMNS)
    frames = frames.with_columns(pl.col(pl.Categorical, pl.Enum).cast(pl.String))
    exchanges = pl.DataFrame(winf_analyzer.read_exchanges(capture))
    pairs = answers(frames)
    known = pairs.filter(pl.col("gap_us").is_not_null())
    spans = ampdus(frames).drop_nulls("ratio")
    heard = frames.filter(pl.col("direction").is_null() | (pl.col("direction") == "rx"))
    return Physics(
        recording=capture.name,
        answers=_share(known, (pl.col("gap_us") - pl.col("sifs_us")).abs() <= ANSWER_TOLERANCE_US),
        undecided=_share(pairs, pl.col("gap_us").is_null()),
        spans=_share(spans, (pl.col("ratio") - 1).abs() <= SPAN_TOLERANCE),
        foreign_tx=_foreign(frames),
        overlaps=_share(timed := _receptions(heard, pairs), pl.col("is_impossible")),
        late_found=_share(timed, pl.col("is_overlapping") & ~pl.col("is_impossible")),
        untimed=_share(heard, pl.col("start_ns").is_null() | pl.col("end_ns").is_null()),
        answered_exchanges=_joined(pairs, exchanges),
    )


def answers(frames: pl.DataFrame) -> pl.DataFrame:
    """Neighbouring frames of which the second answers the first, with ``gap_us`` between them on the time line."""
    after = [pl.col(name).shift(-1).over("source").alias(f"next_{name}") for name in frames.columns]
    pairs = frames.with_columns(after).filter(_is_whole(""), _is_whole("next_"), ~pl.col("is_group"))
    to_sender = pl.col("next_ra") == pl.col("ta")
    kind, answer = pl.col("kind"), pl.col("next_kind")
    is_answer = to_sender & (
        ((kind == "rts") & (answer == "cts"))
        | (kind.is_in(SOLICITING) & (answer == "ack"))
        | (kind.is_in(SOLICITING) & (answer == "block_ack") & (pl.col("next_ta") == pl.col("ra")))
    )
    stamped = (pl.col("tsft_us") > 0) & (pl.col("next_tsft_us") > 0)
    apart_us = pl.col("next_tsft_us") - pl.col("tsft_us")
    apart_us = pl.when(apart_us < -16_384).then(apart_us + 32_768).otherwise(apart_us)
    longest_us = pl.col("airtime_us").fill_null(3000) + pl.col("next_airtime_us").fill_null(304) + UNHEARD_US
    return pairs.filter(is_answer, stamped, apart_us.is_between(-1000, longest_us)).with_columns(
        gap_us=(pl.col("next_start_ns") - pl.col("end_ns")) / 1000,
        sifs_us=pl.when(pl.col("channel_mhz") < 3000).then(10).otherwise(16),
    )


def ampdus(frames: pl.DataFrame) -> pl.DataFrame:
    """A-MPDUs of at least two subframes, with the ``ratio`` of the time line's span to the airtime of their octets.

    Subframes of one PPDU have one TSFT, addresses and rate, and ascending sequence numbers. Those with a damaged
    subframe are left out: its octets are unknown.
    """
    same = [
        pl.col(name).eq_missing(pl.col(name).shift(1)).fill_null(value=False)
        for name in ("source", "tsft_us", "ta", "ra", "tid", "phy", "mcs", "nss", "bandwidth_mhz")
    ]
    step = (pl.col("seq") - pl.col("seq").shift(1)) % 4096
    same_stamp = pl.col("tsft_us").eq_missing(pl.col("tsft_us").shift(1)).fill_null(value=False)
    damage = [
        (same_stamp & _is_whole("").shift(1).not_()).fill_null(value=False).alias("after_damage"),
        (same_stamp & _is_whole("").not_()).shift(-1, fill_value=False).alias("before_damage"),
    ]
    joins = pl.all_horizontal(*same, step.is_between(1, 63), _is_whole(""), _is_whole("").shift(1))
    joins = joins & pl.col("phy").is_in(AGGREGATING) & (pl.col("tsft_us") > 0) & (pl.col("kind") == "qos_data")
    grouped = frames.with_columns(*damage, ppdu=(~joins.fill_null(value=False)).cum_sum()).group_by(
        "ppdu", maintain_order=True
    )
    octets = (pl.col("length_bytes") + 4 + 3) // 4 * 4
    found = grouped.agg(
        pl.first("source", "frame_no", "ta", "phy", "rate_mbps", "mcs", "nss", "guard_ns", "channel_mhz"),
        mpdus=pl.len(),
        octets=octets.sum(),
        airtime_us=pl.col("airtime_us").sum(),
        is_whole=pl.col("after_damage").first().not_() & pl.col("before_damage").last().not_(),
        is_timed=pl.col("start_ns").is_not_null().all() & pl.col("end_ns").is_not_null().all(),
        span_us=(pl.col("end_ns").max() - pl.col("start_ns").min()) / 1000,
    ).filter(pl.col("mpdus") > 1, pl.col("is_whole"))
    return found.with_columns(expected_us=_standard_us()).with_columns(
        ratio=pl.when("is_timed").then(pl.col("span_us") / pl.col("expected_us"))
    )


def _standard_us() -> pl.Expr:
    """Airtime of the octets: preamble, long training fields, whole symbols.

    Of HE the size of the training fields and the packet extension are not in the columns: any between 2x with none and
    4x with 16 us is the standard's, so the nearest to the time line is taken.
    """
    streams = pl.when(pl.col("phy") == "ht").then(pl.col("mcs") // 8 + 1).otherwise(pl.col("nss")).fill_null(1)
    fields = streams.replace_strict({1: 1, 2: 2, 3: 4, 4: 4}, default=8)
    guard_us = pl.col("guard_ns").fill_null(800) / 1000
    symbol_us = pl.when(pl.col("phy").is_in(["ht", "vht"])).then(3.2 + guard_us).otherwise(12.8 + guard_us)
    bits = 8 * pl.col("octets") + 22
    data_us = (bits / (pl.col("rate_mbps") * symbol_us)).ceil() * symbol_us
    extension_us = pl.when(pl.col("channel_mhz") < 3000).then(6).otherwise(0)
    preamble_us = pl.when(pl.col("phy") == "ht").then(32).otherwise(36)
    legacy_us = preamble_us + 4 * fields + data_us + extension_us
    least_us = 36 + fields * (6.4 + guard_us) + data_us + extension_us
    most_us = 36 + fields * (12.8 + guard_us) + data_us + 2 * symbol_us + 16 + extension_us
    he_us = pl.col("span_us").clip(least_us, most_us)
    return pl.when(pl.col("phy").is_in(["ht", "vht"])).then(legacy_us).otherwise(he_us)


def _is_whole(prefix: str) -> pl.Expr:
    return pl.col(f"{prefix}parse_error").is_null() & pl.col(f"{prefix}fcs_ok").fill_null(value=True)


def _share(rows: pl.DataFrame, condition: pl.Expr) -> Share:
    return Share(rows.filter(condition).height, rows.height)


def _foreign(frames: pl.DataFrame) -> Share:
    """Sent frames of another transmitter than the one most are from, and answers to that one."""
    sent = frames.filter(pl.col("direction") == "tx", _is_whole(""))
    senders = sent["ta"].drop_nulls().value_counts(sort=True)
    if senders.is_empty():
        return Share(0, sent.height)
    recorder = senders["ta"][0]
    is_foreign = (pl.col("ta") != recorder).fill_null(pl.col("ra") == recorder).fill_null(value=False)
    return _share(sent, is_foreign)


def _receptions(heard: pl.DataFrame, pairs: pl.DataFrame) -> pl.DataFrame:
    """The heard frames whose times are known, with `is_overlapping` (on the air) and `is_impossible` (for one radio).

    Until the end of SYNC or of the short training field a receiver can still find a frame; the signal extension is
    silence. No sender begins while it sends, and no answer begins before the end of what it answers.
    """
    is_answer = pairs.select("source", frame_no="next_frame_no", is_answer=pl.lit(value=True))
    timed = heard.drop_nulls(["start_ns", "end_ns"]).join(is_answer, on=["source", "frame_no"], how="left")
    timed = timed.sort("source", "start_ns", "end_ns", maintain_order=True)
    is_dsss = pl.col("phy").is_in(["dsss", "hr_dsss"])
    is_extended = (pl.col("channel_mhz") < 3000) & is_dsss.not_()
    symbols_end_ns = pl.col("end_ns") - 1000 * pl.when(is_extended).then(SIGNAL_EXTENSION_US).otherwise(0)
    sync_us = pl.when(pl.col("preamble") == "short").then(SHORT_SYNC_US).otherwise(LONG_SYNC_US)
    training_us = pl.when(is_dsss).then(sync_us).when(pl.col("phy").is_not_null()).then(SHORT_TRAINING_US).otherwise(0)
    of_one_sender = pl.col("ta").eq(pl.col("ta").shift(1)) & _is_whole("") & _is_whole("").shift(1)
    waits = of_one_sender.fill_null(value=False) | pl.col("is_answer").fill_null(value=False)
    found_ns = pl.col("start_ns") + 1000 * pl.when(waits).then(0).otherwise(training_us)
    before = {"busy": pl.col("end_ns"), "receiving": symbols_end_ns}
    until = {name: end.cum_max().shift(1).over("source", "channel_mhz") for name, end in before.items()}
    return timed.with_columns(
        is_overlapping=(pl.col("start_ns") + OVERLAP_TOLERANCE_NS < until["busy"]).fill_null(value=False),
        is_impossible=(found_ns + OVERLAP_TOLERANCE_NS < until["receiving"]).fill_null(value=False),
    )


def _joined(pairs: pl.DataFrame, exchanges: pl.DataFrame) -> Share:
    """Of the answers to data whose times are known, those that complete an exchange with that data."""
    known = pairs.drop_nulls("gap_us").filter(pl.col("next_kind").is_in(["ack", "block_ack"]))
    held = (
        exchanges.filter(pl.col("heard_data"))
        .select("source", next_start_ns=pl.col("ack_start_ns"), held=pl.lit(value=True))
        .unique()
    )
    held = held.with_columns(pl.col("source").cast(pl.String))
    joined = known.join(held, on=["source", "next_start_ns"], how="left")
    return _share(joined, pl.col("held").fill_null(value=False))
