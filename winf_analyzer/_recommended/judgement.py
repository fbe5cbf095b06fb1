"""From estimate and evidence to an answer: value, interval, grade and reasons."""

import polars as pl

from winf_analyzer._mac.constants import whole
from winf_analyzer._recommended.evidence import ceiling_bps
from winf_analyzer._recommended.reasons import GRADES, REASONS, WITHHELD
from winf_analyzer._util.float_sums import sum_in_order

FEW_SAMPLES = 20
SOME_MISSED, MANY_MISSED, MOST_MISSED = 0.05, 0.2, 0.5
"""Shares of a link's frames that were not heard."""

MOSTLY, SELDOM = 0.95, 0.5
"""Shares of the time for which a radio that hops listened to the channel, below which it is said."""

FAIR_MARGIN, POOR_MARGIN = 0.15, 0.4
"""Half the width of the interval, as a share of what a saturating flow would deliver."""

PAUSED = 0.02
"""Share of the time without a record up to which it changes no answer by more than its interval allows for."""

TINY_ON_IDLE = 0.2
"""Share of capacity times idle time below which an answer contradicts the idle time, unless attempts failed."""

TOLD = (
    *("rate_unknown", "mostly_unheard", "below_own_traffic"),
    *("few_samples", "frames_missed", "timing_coarse", "neighbour_unheard", "others_unheard", "others_unknown"),
    *("others_unbounded", "aggregation_presumed", "window_presumed", "limit_presumed", "limit_possible"),
    *("medium_blocked", "beacons_presumed", "answers_possible", "rate_varies", "failures_differ", "losses_last"),
    "never_repeated",
)
"""Reasons that estimators give, besides those that follow from the evidence here."""

MISSED = ("mostly_unheard", "many_frames_missed", "frames_missed")
"""Reasons that say how many frames were missed, the strongest first: an answer has at most one of them."""

_OF_DATASETS = ("mac_trace_off", "no_link")
_OF_ANSWERS = ("wide_interval", "very_wide_interval", "shared_queue", "short_packets")
_ORDER = [reason.code for reason in REASONS if reason.code not in (*_OF_DATASETS, *_OF_ANSWERS)]
"""Reasons that :func:`reasons` finds."""

EXTRA = {
    "clock_doubtful": 0.25,
    "hearing_unknown": 0.5,
    "answers_missed": 0.5,
    "width_varies": 1 / 3,
}
"""What these reasons add to half the width of the interval, as a share of what a saturating flow would deliver.

Of two widths, one twice the other, a third is what either alone differs from an even mix of them.
"""


def reasons(rows: pl.DataFrame) -> pl.DataFrame:
    """`rows` with a column per code of :data:`.REASONS` that rows can have: whether it applies.

    Args:
        rows: sums of :mod:`.evidence`; `rests_on`, how many samples the answer rests on; `told`, the codes that the
            estimator gives; `available_bps`, `capacity_bps`, `own_bps` (null: unknown), `idle_share`; `missed_share`,
            `unheard_share`, `paused_share`, `unknown_share`; and of the source `clock` (`good`, `doubtful`, `unusable`,
            `wrong`), `clock_weighed`, `hearing_unknown` and `air_unheard`; `listened_share` of :mod:`.channels`;
            `width_varies` of :mod:`.widths`; `load_changes` of :mod:`.changing`.
    """
    simulated = pl.col("sender").str.starts_with("node-")
    own_view = simulated | pl.col("observer").eq_missing(pl.col("sender"))
    failed_share = pl.col("failed") / pl.col("attempts")
    rateless = pl.col("rateless") / pl.col("carrying")
    total = pl.col("available_bps") + pl.col("own_bps")
    # Duration fields tell how long the data lasted, but not how much of it a full queue would put into an A-MPDU.
    untold = pl.col("rate_max_mbps").is_null() & (pl.col("rests_on") > 0) & ~simulated
    aggregates_untold = untold & (pl.col("mpdus") > pl.col("samples"))
    # Who records itself may hear no answers either, or tell of its frames later than of these.
    answers_missed = ~simulated & (pl.col("attempts") >= 4) & (failed_share > 0.5)
    tiny = (pl.col("idle_share") >= 0.5) & (total < TINY_ON_IDLE * pl.col("idle_share") * pl.col("capacity_bps"))
    mostly_unknown = (pl.col("unknown_share") > PAUSED) | (pl.col("paused_share") > MANY_MISSED)
    # Where slots and airtimes are those of the PHY, only the length of the recording is taken from the clock.
    without_clock = pl.col("told").list.contains("timing_coarse").fill_null(value=False)
    unusable = pl.col("clock") == "unusable"
    applies = {
        "times_unknown": pl.col("timeless") * 2 > pl.col("attempts"),
        "clock_unusable": unusable & ~without_clock | (pl.col("clock") == "wrong"),
        "rate_unknown": (rateless > 0.5) | aggregates_untold,
        "mostly_unheard": pl.col("unheard_share") > MOST_MISSED,
        "no_sample": pl.col("rests_on") == 0,
        "one_sample": pl.col("rests_on") == 1,
        "no_answer": (pl.col("rests_on") > 1) & pl.col("available_bps").is_null(),
        "contradicts_idle": tiny & ~(own_view & (failed_share > 0.5)),
        "contradicts_rate": pl.col("own_bps") > 1.05e6 * pl.col("rate_max_mbps"),
        "few_samples": pl.col("rests_on").is_between(2, FEW_SAMPLES - 1),
        "many_frames_missed": (pl.col("missed_share") > MANY_MISSED) & ~(pl.col("unheard_share") > MOST_MISSED),
        "frames_missed": pl.col("missed_share").is_between(SOME_MISSED, MANY_MISSED, closed="right"),
        "recording_paused": mostly_unknown,
        "recording_gaps": (pl.col("paused_share") > PAUSED) & ~mostly_unknown,
        "answers_missed": answers_missed & (pl.col("retries") * 2 < pl.col("failed")),
        "hearing_unknown": pl.col("hearing_unknown"),
        "air_unheard": pl.col("air_unheard"),
        "channel_seldom_heard": pl.col("listened_share") < SELDOM,
        "channel_left": pl.col("listened_share").is_between(SELDOM, MOSTLY, closed="left"),
        "width_varies": pl.col("width_varies"),
        "load_changes": pl.col("load_changes"),
        "clock_doubtful": (pl.col("clock") == "doubtful") | unusable & without_clock,
        "rates_missing": rateless.is_between(0.05, 0.5, closed="right")
        | untold & ~aggregates_untold & ~(rateless > 0.5),
    }
    told = {code: pl.col("told").list.contains(code) for code in TOLD}
    applies = {code: applies.get(code, pl.lit(value=False)) | told.get(code, pl.lit(value=False)) for code in _ORDER}
    # How much was missed is said once, by the strongest of what gaps and the estimator tell.
    heard = pl.lit(value=True)
    for code in MISSED:
        found = applies[code].fill_null(value=False)
        applies[code] = heard & found
        heard &= ~found
    return rows.with_columns(expression.fill_null(value=False).alias(code) for code, expression in applies.items())


def bounded(rows: pl.DataFrame) -> pl.DataFrame:
    """The answer within its bounds, null where a reason forbids it; the interval widened by what is not known.

    The capacity is not below what the link delivered, the interval not above what its rates carry.
    """
    refused = pl.any_horizontal(code for code in _codes(rows, "unknown") if code != WITHHELD)
    total = pl.col("available_bps") + pl.col("own_bps").fill_null(0)
    few = pl.when("few_samples").then(0.5 / pl.col("rests_on").clip(1).sqrt()).otherwise(0.0)
    # What the estimator has weighed, or done without, is in its interval already.
    weighed = pl.col("clock_weighed") | pl.col("timing_coarse")
    shares = [
        pl.when(pl.col(code) & ~(pl.lit(code == "clock_doubtful") & weighed)).then(share).otherwise(0.0)
        for code, share in EXTRA.items()
    ]
    rateless = (pl.col("rateless") / pl.col("carrying")).fill_nan(0).fill_null(0)
    missed = (pl.col("missed_share").fill_null(0) - MANY_MISSED).clip(0)
    extra = total * sum_in_order((few, *shares, missed, rateless, "sampled"))
    # What others sent meanwhile took at most all of the time.
    paused = pl.col("unknown_share") * pl.col("capacity_bps").fill_null(0)
    packet_bits = (pl.col("bits") / pl.when(pl.col("mpdus") > 0).then("mpdus")).fill_null(8.0 * whole("msdu_max"))
    fastest, most = pl.col("rate_max_mbps") * 1e6, ceiling_bps(packet_bits, packet_bits)
    low, high = (pl.coalesce(f"available_{side}_bps", "available_bps") for side in ("low", "high"))
    answer = pl.col("available_bps")
    low, high = pl.min_horizontal(low, answer) - extra - paused, pl.max_horizontal(high, answer) + extra
    rows = rows.with_columns(
        capacity_bps=pl.max_horizontal(pl.col("capacity_bps").clip(upper_bound=most), "own_bps").clip(
            upper_bound=fastest
        ),
        available_low_bps=low.clip(0, most),
        available_high_bps=high.clip(0, most),
        available_bps=answer.clip(0, most),
    )
    values = ("available_bps", "available_low_bps", "available_high_bps")
    rows = rows.with_columns(available_bps=pl.min_horizontal("available_bps", "capacity_bps"))
    rows = rows.with_columns(available_low_bps=pl.min_horizontal("available_low_bps", "available_bps"))
    return rows.with_columns(pl.when(~refused).then(name).alias(name) for name in ("capacity_bps", *values))


def withheld(rows: pl.DataFrame) -> pl.DataFrame:
    """`rows` without the values, of which the bounds are all that is known."""
    values = ("available_bps", "available_tcp_bps")
    return rows.with_columns(pl.when(~pl.col(WITHHELD)).then(name).alias(name) for name in values)


def graded(rows: pl.DataFrame) -> pl.DataFrame:
    """`rows` with `grade` and `reasons` in place of the columns of :func:`reasons`."""
    total = pl.col("available_bps") + pl.col("own_bps").fill_null(0)
    margin = (pl.col("available_high_bps") - pl.col("available_low_bps")) / 2 / total
    rows = rows.with_columns(
        wide_interval=(margin > FAIR_MARGIN).fill_null(value=False) & ~(margin > POOR_MARGIN).fill_null(value=False),
        very_wide_interval=(margin > POOR_MARGIN).fill_null(value=False),
        short_packets=(pl.col("available_tcp_bps") > pl.col("available_bps")).fill_null(value=False)
        & ~pl.col("shared_queue"),
    )
    codes = [reason.code for reason in REASONS if reason.code in rows.columns]
    listed = pl.concat_list(pl.when(code).then(pl.lit(code)) for code in codes).list.drop_nulls().list.join(", ")
    grade = pl.lit("good")
    for best in GRADES[1:]:
        grade = pl.when(pl.any_horizontal(_codes(rows, best))).then(pl.lit(best)).otherwise(grade)
    return rows.with_columns(grade=grade, reasons=listed).drop(codes)


def _codes(rows: pl.DataFrame, grade: str) -> list[str]:
    return [reason.code for reason in REASONS if reason.grade == grade and reason.code in rows.columns]
