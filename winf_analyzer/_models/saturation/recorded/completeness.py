"""What the recorder missed, from sequence numbers, and what was sent then.

A sender numbers its MSDUs and MMPDUs: QoS data per receiver and TID, everything else together (10.3.2.14). Numbers that
never show were missed: a sender counted on by `advanced` numbers of which `advanced_heard` were heard, so that the
share

    p = (advanced_heard + PRIOR) / (advanced + PRIOR)

of its MPDUs was heard. Beacons or probe responses may have numbers of their own, and some frames come late: going from
one to the other, and back, tells of nothing that was missed. The trace of a simulator has no such numbers, and every
frame: there each first attempt is one number on. Data that nobody answered is sent again, with the Retry bit set. Data
without an answer that was not repeated had one, which the recorder missed.
"""

from functools import cache

import polars as pl

from winf_analyzer import _core
from winf_analyzer._aggregate.chunks import GROUP, NUMBERS, Chunk
from winf_analyzer._aggregate.exchange_columns import ordered_sum, quotient
from winf_analyzer._aggregate.sort_keys import group_ids
from winf_analyzer._aggregate.windows import WINDOW
from winf_analyzer._models.saturation.recorded import audibility, queues, txop

MAX_ADVANCE = 512
"""Numbers by which a sender may be ahead of what was heard of it last: beyond, it began anew, or was out of hearing."""

MAX_OVER_PAUSES = 2047
"""The same where the recorder pauses for moments: half of all numbers."""

PRIOR = 10.0
"""Numbers that are presumed heard before the first."""

NEGLIGIBLE = 0.01
"""Missed share up to which a recording counts as whole."""

MIN_HEARD = 0.05
"""Share below which what was heard says nothing of what was sent."""

ALL = pl.DataFrame(schema={**dict.fromkeys(WINDOW, pl.Int64), "followed": pl.Float64})
"""No recorder paused."""

MIN_KEPT = 1 / 3
"""Share of a recorder's own frames below which its driver records only some of them, whatever it hears."""

GAPS = ("gaps", "gap_ticks", "gap_square")
"""Counts, sums and sums of squares of the times from one new exchange of a sender to the next, in ticks of 100 us."""

TICK_NS = 100_000

MAX_GAP_TICKS = 10_000
"""Longer ones, of more than a second, say nothing about how packets come."""

EQUAL = 0.1
"""Squared coefficient of variation from which on times between packets are no equal intervals."""

CHANCE = 0.4
"""How far the variation of a Poisson process is from 1 by chance, and by waiting for the medium."""

MIN_GAPS = 20
"""Fewest from which it is told how packets come."""

PUT_BACK = "unheard"
"""In place of the address of a sender of which nothing was heard."""

SHARES = (
    *("heard_share", "answer_missed", "answer_off", "samples", "in_range", "one_by_one", "presumed", "uneven"),
    *("voice_agreed", "anonymous", "txop_limit_ns", "batch", "burst_per_s", "doubt", "unaware"),
    *("deaf", "unheard_gap_ns", "queue", "at_once", "in_burst", "groups_unknown"),
)
"""What :func:`with_shares` adds."""

_READ = ("medium", "sender", "receiver", "data_kind", "seq", "tid", "mpdus", "air_start_ns")
"""The columns that the native pass takes."""


def advances(chunk: Chunk) -> list[pl.Series]:
    """Per exchange of the chunk: what it tells about those that were missed.

    `advanced`: numbers since the exchange of this sender before; `advanced_heard`: MPDUs that were heard in that one;
    `gap_ticks`: time since it began, where nothing was missed between; all null where unknown. `is_new`: the exchange
    does not repeat what was heard of the sender last. `acked`: of an exchange of which the BlockAck alone was heard,
    numbers that were acknowledged since the BlockAck before.
    """
    unnumbered = is_traced() & pl.col("seq").is_null()
    first = pl.when(unnumbered).then((pl.col("attempt") == 1).fill_null(True))
    # What a BlockAck alone says of data is no frame heard, and counted apart.
    heard = pl.col("heard_data").fill_null(True)
    rows = chunk.rows.select(pl.col(GROUP).alias("share"), *_READ, "heard_data", first=first)
    if NUMBERS in chunk.rows.columns:
        # What was sent while the radio was elsewhere was not missed.
        shares = group_ids(chunk.rows, (NUMBERS, GROUP)).alias("share")
        rows = rows.with_columns(chunk.rows[NUMBERS].alias("medium"), shares)
    rows = rows.with_columns(pl.col("data_kind").cast(pl.String))
    seen = _steps(chunk, "data").follow(rows.with_columns(seq=pl.when(heard).then("seq")).drop("heard_data"))
    # The pass keeps nothing of exchanges without a number, which are most.
    answered = rows.with_row_index("row").filter(~heard & pl.col("seq").is_not_null())
    only_answered = answered.with_columns(data_kind=pl.lit("qos_data"), first=pl.lit(None, pl.Boolean))
    advanced = pl.DataFrame(_steps(chunk, "answers").follow(only_answered.drop("row", "heard_data")))["advanced"]
    acked = pl.repeat(None, rows.height, dtype=pl.Int64, eager=True).scatter(answered["row"], advanced)
    return [*pl.DataFrame(seen).get_columns(), acked.alias("acked")]


def _steps(chunk: Chunk, of: str) -> _core.SequenceSteps:
    """The last numbers, kept from chunk to chunk."""
    most = MAX_ADVANCE if chunk.context.stays["is_apart"].all() else MAX_OVER_PAUSES
    found: _core.SequenceSteps = chunk.state.setdefault(
        (advances, of), _core.SequenceSteps(most, TICK_NS, MAX_GAP_TICKS)
    )
    return found


def with_shares(links: pl.DataFrame, media: pl.DataFrame, followed: pl.DataFrame = ALL) -> pl.DataFrame:
    """Sums per window and link with `heard_share` and `answer_missed` of their sender, over the whole recording.

    `heard_share`: p, the share of its MPDUs that was heard; of a sender of which only the answers are heard, the share
    of the answers by its receivers that was. `answer_missed`: the share of answers to its data that was not, though the
    data was. `answer_off`: the share of the others that does not begin SIFS after it. `samples`:
    how often the sender delivered. `in_range`: see :mod:`.audibility`. `uneven`: see :func:`unevenness`. `anonymous`:
    the recorder is a third station. `queue`: see :func:`.queues.of_links`. `txop_limit_ns`: see :func:`.txop.used_ns`,
    of that queue. `one_by_one`, `presumed`, `voice_agreed`, `batch`, `burst_per_s`: false, 1 and 0, until
    :mod:`.aggregation`. `unaware`: 0, until :func:`.hidden_senders.told`. `unheard_gap_ns`: null, until
    :func:`.unheard_airtime.told`. `at_once`, `in_burst`, `groups_unknown`: false and 0, until :func:`.to_groups.told`.
    `doubt`: 0, but of what :mod:`.unheard_load` puts back the standard deviation of its airtime share. `deaf`: false,
    but of senders that do not wait for that.

    Args:
        links: the sums.
        media: `medium source observer`.
        followed: what :func:`.recorder_pauses.followed_share` returns.
    """
    counts = ("advanced", "advanced_heard", "silent_numbered", "retries", "heard", "answers", "answers_off", "carried")
    counted = (*counts, "aggregating", "accesses", "unheard", *GAPS)
    # Of numbers that were skipped over pauses of the recorder those are left that were sent while it recorded.
    if followed.height:
        links = links.join(followed, on=list(WINDOW), how="left", maintain_order="left")
        links = links.with_columns(pl.col("advanced") * pl.col("followed").fill_null(1.0)).drop("followed")
    sums = links.group_by("medium", "sender").agg(pl.col(counted).sum())
    share = numbered_share()
    sums = sums.join(_answers_heard(links), on=["medium", "sender"], nulls_equal=True)
    sums = sums.join(_kept(sums, media), on="medium", how="left", maintain_order="left")
    shares = sums.select(
        "medium",
        "sender",
        heard_share=pl.when(_by_answers()).then(pl.min_horizontal("answers_heard", "kept")).otherwise(share).clip(0, 1),
        answer_missed=answers_missed(),
        answer_off=pl.col("answers_off") / pl.col("answers").clip(1),
        samples="carried",
        one_by_one=pl.lit(False),
        presumed=pl.lit(False),
        voice_agreed=pl.lit(False),
        batch=pl.lit(1.0),
        burst_per_s=pl.lit(0.0),
        uneven=unevenness(),
        doubt=pl.lit(0.0),
        unaware=pl.lit(0),
        deaf=pl.lit(False),
        unheard_gap_ns=pl.lit(None, pl.Float64),
        at_once=pl.lit(False),
        in_burst=pl.lit(0.0),
        groups_unknown=pl.lit(False),
    )
    anonymous = media.select("medium", anonymous=pl.col("observer").is_null())
    shares = shares.join(anonymous, on="medium").join(
        audibility.in_range(links, media), on=["medium", "sender"], nulls_equal=True
    )
    links = links.join(shares, on=["medium", "sender"], how="left", nulls_equal=True)
    links = links.join(queues.of_links(links), on=["medium", "sender", "receiver"], how="left", nulls_equal=True)
    of_queue = ["medium", "sender", "queue"]
    sums = links.group_by(of_queue).agg(pl.col(*txop.SUMS, "accesses", "carried").sum())
    return links.join(sums.select(*of_queue, txop_limit_ns=txop.used_ns()), on=of_queue, how="left", nulls_equal=True)


def _kept(sums: pl.DataFrame, media: pl.DataFrame) -> pl.DataFrame:
    """`medium kept`: the share of what reached the recorder that its recording holds, 1 where nothing tells.

    A station that records itself knows what it sent: what is missing of that is missing of everything. Answers tell
    nothing of frames that are lost in a row, with their answers.
    """
    own = sums.join(media.select("medium", pl.col("observer").cast(pl.String)), on="medium")
    own = own.filter(pl.col("sender").cast(pl.String) == pl.col("observer"))
    kept = numbered_share().clip(0, 1)
    return own.select("medium", kept=pl.when(kept > MIN_KEPT).then(kept))


def answers_missed() -> pl.Expr:
    """Share of the answers to data that was heard which the recorder alone missed: that data was not repeated.

    Repetitions are missed as often as what they repeat. Of `silent_numbered`, `retries` and `heard`.
    """
    return (audibility.not_repeated() / pl.col("heard").clip(1)).clip(0, 1)


def _answers_heard(links: pl.DataFrame) -> pl.DataFrame:
    """`medium sender answers_heard`: the share of the answers to what each sender sent that was heard.

    That of those who answer: a recorder may hear one station whole, and another not at all. An ACK does not say whose
    it is; it may be of any of those that are heard, the more of whose answers were heard, the likelier.
    """
    counts = ("silent_numbered", "retries", "answers")
    to_each = links.group_by("medium", "sender", "receiver").agg(pl.col(*counts, "unheard").sum())
    answering = to_each.filter(pl.col("receiver").is_not_null()).with_columns(missed=audibility.not_repeated())
    answering = answering.group_by("medium", "receiver").agg(pl.col("answers", "missed").sum())
    answers = pl.col("answers") + PRIOR
    answering = answering.with_columns(by_it=answers / (answers + pl.col("missed")))
    by_any = quotient(ordered_sum(pl.col("by_it") * pl.col("answers")), pl.col("answers").sum().clip(1))
    of_medium = answering.group_by("medium").agg(by_any=by_any, answers=pl.col("answers").sum())
    of_medium = of_medium.filter(pl.col("answers") > 0).drop("answers")
    of_receiver = answering.filter(pl.col("answers") > 0).select("medium", "receiver", "by_it")
    rows = to_each.join(of_receiver, on=["medium", "receiver"], how="left").join(of_medium, on="medium", how="left")
    heard = pl.coalesce("by_it", "by_any", pl.lit(1.0))
    mean = quotient(ordered_sum(heard * pl.col("unheard")), pl.col("unheard").sum().clip(1))
    return rows.group_by("medium", "sender").agg(answers_heard=mean)


def is_partial() -> pl.Expr:
    """More than a negligible part of a sender's frames, or of the answers to them, was missed."""
    return (pl.col("heard_share") < 1 - NEGLIGIBLE) | (pl.col("answer_missed") > NEGLIGIBLE)


def packets(aggregates: pl.Expr) -> pl.Expr:
    """Packets that a station delivered: MPDUs where it `aggregates`, accesses otherwise, or data in its TXOPs.

    As they were answered, where all was heard. Otherwise by what was heard of their data, each MSDU once, and what was
    missed of it, as many in each TXOP as in those that were answered; of a sender whose data is not heard at all, the
    answers, and what was missed of those. Frames to groups count as they were heard: BSSIDs of a radio may share its
    sequence numbers, so that these say nothing about the beacons of one. Of data that is never answered, each first
    attempt.
    """
    in_txops = pl.col("done") + pl.when(pl.col("txop_limit_ns") > 0).then("continued").otherwise(0)
    answered = pl.when(aggregates).then("mpdus").otherwise(in_txops)
    each = pl.when(pl.col("done") > 0).then(in_txops / pl.col("done")).otherwise(1.0)
    single = unicast_heard("fresh") * each + pl.col("to_groups")
    heard = pl.when(aggregates).then(unicast_heard("fresh_mpdus")).otherwise(single)
    counted = pl.when(_by_answers()).then(unicast_heard(answered)).otherwise(heard)
    first = (pl.col("accesses") - pl.col("retries")).clip(0)
    return pl.when(queues.is_unanswered()).then(first).when(is_partial()).then(counted).otherwise(answered)


def numbered_share() -> pl.Expr:
    """Of `advanced` numbers, `advanced_heard` of which were heard, the share p that was, as of ten more that were."""
    return (pl.col("advanced_heard") + PRIOR) / (pl.col("advanced") + PRIOR)


def _by_answers() -> pl.Expr:
    """Of most of a sender's accesses only the answers were heard."""
    return pl.col("unheard") * 2 > pl.col("accesses").clip(1)


def unicast_heard(heard: str | pl.Expr) -> pl.Expr:
    """What a sender sent to single stations, of a sum of what was heard of it.

    Its numbers tell how many were missed in a window, which varies more where frames are missed several in a row.
    """
    heard = pl.col(heard) if isinstance(heard, str) else heard
    here = quotient(pl.col("advanced_heard") + PRIOR * pl.col("heard_share"), pl.col("advanced") + PRIOR)
    return quotient(heard, here.clip(MIN_HEARD, 1))


def regularity() -> pl.Expr:
    """How equal the times between a sender's packets are: 1 all the same, 0 where contention alone makes them so."""
    return (1 - variation() / EQUAL).clip(0, 1).fill_null(0.0)


def unevenness() -> pl.Expr:
    """How far the times between a sender's packets are from those of a Poisson process: 0 to 1.

    Of a sender that aggregates only the shortest are times between exchanges, which say nothing.
    """
    single = pl.col("aggregating") * 2 <= pl.col("carried")
    return pl.when(single).then(((variation() - 1).abs() - CHANCE).clip(0, 1)).fill_null(0.0)


def arrival_variation() -> pl.Expr:
    """:func:`variation` of packets that come more evenly than at random, 1 of all others."""
    found = variation()
    return pl.when(found < 1 - CHANCE).then(found.clip(0)).otherwise(1.0)


@cache
def is_traced() -> pl.Expr:
    """The exchange is of a simulator's trace, whose nodes have no addresses: nothing is missed, times are exact."""
    return pl.col("sender").cast(pl.String).str.starts_with("node-").fill_null(False)


def is_put_back() -> pl.Expr:
    """The sender is not one that was recorded: it stands for what :mod:`.unheard_load` found."""
    return (pl.col("sender").cast(pl.String) == PUT_BACK).fill_null(False)


def variation() -> pl.Expr:
    """Squared coefficient of variation of the times between packets, null where there are too few."""
    mean, square = pl.col("gap_ticks") / pl.col("gaps"), pl.col("gap_square") / pl.col("gaps")
    found = (square - mean**2) / mean**2
    return pl.when((pl.col("gaps") >= MIN_GAPS) & (mean > 0)).then(found)
