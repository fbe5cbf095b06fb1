"""Why there is no answer for a link, and what limits the answers that there are: the codes in `estimates.reason`."""

import polars as pl

from winf_analyzer._models.saturation.failures import lasting
from winf_analyzer._models.saturation.interval import bounds
from winf_analyzer._models.saturation.recorded import stations

RATE_UNKNOWN = "rate_unknown"
"""Neither the header nor the airtime tells the rate of the data: what an access costs is not known."""

FEW_SAMPLES = "few_samples"
"""The link delivered fewer than :data:`MIN_SAMPLES` times in the whole recording."""

MOSTLY_UNHEARD = "mostly_unheard"
"""Most frames of the sender were not recorded."""

BELOW_OWN_TRAFFIC = "below_own_traffic"
"""The model gives a saturated sender less than it sends already: the model does not fit what was recorded."""

TIMING_COARSE = "timing_coarse"
"""Many answers were not found behind their data, or not after SIFS: slots and airtimes are those of the PHY."""

FRAMES_MISSED = "frames_missed"
"""Frames of the sender, or of stations around it, were not recorded, and were put back."""

NEIGHBOUR_UNHEARD = "neighbour_unheard"
"""Of a station only the answers to it were heard: how long it transmits is presumed."""

OTHERS_UNHEARD = "others_unheard"
"""Stations waited for transmissions of which nothing was heard: how much was sent is inferred."""

OTHERS_UNKNOWN = "others_unknown"
"""Too few frames failed or waited to tell whether the sender waits for stations that the recorder does not hear."""

OTHERS_UNBOUNDED = "others_unbounded"
"""Nor what they send: from nothing at all to so much that the answer is off by :data:`UNBOUNDED`. Or the sender's
attempts fail beside hidden stations so often, or so unevenly, that what a saturated one gets depends on all that is not
known of them."""

AGGREGATION_PRESUMED = "aggregation_presumed"
"""No A-MPDU of the link was heard, nor a BlockAck of its receiver: that it aggregates when saturated is presumed."""

WINDOW_PRESUMED = "window_presumed"
"""No BlockAck of more than 64 MPDUs was heard: that the agreement is for no more is presumed."""

BEACONS_PRESUMED = "beacons_presumed"
"""No frame to groups waited, or stamps do not tell: that they go without a backoff is presumed."""

LIMIT_PRESUMED = "limit_presumed"
"""Most others end their aggregates at a limit of their own, and no aggregate of the link was longer: that its sender
does is presumed."""

LIMIT_POSSIBLE = "limit_possible"
"""Some aggregates, of the link or of others with ones at least as long, seem to end at a limit, too few to show one."""

ANSWERS_POSSIBLE = "answers_possible"
"""Frames of a sender of aggregates were lost, or their answers; an aggregate whose answer is lost is not sent again."""

RATE_VARIES = "rate_varies"
"""The sender changes its rate: a saturated one may use others."""

FAILURES_DIFFER = "failures_differ"
"""First attempts fail more often than repetitions, which mostly go at another rate: how long packets of a saturated
sender back off is presumed."""

LOSSES_LAST = "losses_last"
"""Repetitions fail more often than first attempts: what destroys frames lasts, and how much of it a saturated sender
meets is presumed."""

NEVER_REPEATED = "never_repeated"
"""Data that nobody answered was never sent again: it was lost, or the recorder missed the answers."""

MEDIUM_BLOCKED = "medium_blocked"
"""Something that is no Wi-Fi held the medium for a part of the time (:mod:`.blackouts`)."""

MIN_SAMPLES = 3

MIN_HEARD = 0.35
"""Share of its frames that must have been heard."""

MISSED = 0.02
"""Share of frames missed that is mentioned."""

UNBOUNDED = 1.5
"""Value over the lower bound of an interval, from which on the value says nothing, if that is so low because of load of
which nothing shows whether it is there at all. Chance in a short window is no such reason: the value is its mean."""

LONGER = 0.05
"""Share by which longer aggregates must be able to deliver more, or a sender less with shorter ones or beside beacons
with a backoff, to be mentioned."""

VARIES = 0.15
"""Coefficient of variation of the rate that is mentioned."""


def of_link() -> list[pl.Expr]:
    """Codes of refusals, each null where it does not apply; reads the columns of `Cases.links`."""
    tests = {
        RATE_UNKNOWN: ~pl.col("cost_known").fill_null(False),
        FEW_SAMPLES: pl.col("samples") < MIN_SAMPLES,
        MOSTLY_UNHEARD: pl.col("heard_share") < MIN_HEARD,
    }
    return _codes(tests)


def caveats() -> pl.Expr:
    """List of codes that apply to an answer; also reads what :mod:`.bounds` adds.

    And `added added_held added_free added_most added_answered margin own undecided`.
    """
    missed = pl.max_horizontal(1 - pl.col("heard_share"), "missed_load") > MISSED
    unknown = pl.col("doubtful_load") > pl.col("put_back_load")
    unbounded = pl.col("doubtful_margin") >= 1 - 1 / UNBOUNDED
    starved = pl.col("beside_hidden") & (bounds.starved() >= 1)
    total = pl.col("added") + pl.col("own")
    longer, free, answered = (
        pl.col(name) - pl.col("added") - pl.col("margin") > LONGER * total
        for name in ("added_most", "added_free", "added_answered")
    )
    shorter = pl.col("added") - pl.col("margin") - pl.col("added_held") > LONGER * total
    tests = {
        TIMING_COARSE: stations.is_coarse(),
        FRAMES_MISSED: missed,
        NEIGHBOUR_UNHEARD: pl.col("beside_unheard"),
        OTHERS_UNHEARD: pl.col("beside_put_back") & ~unknown,
        OTHERS_UNKNOWN: unknown & ~unbounded,
        OTHERS_UNBOUNDED: unknown & unbounded | starved | pl.col("undecided"),
        AGGREGATION_PRESUMED: pl.col("aggregates") & pl.col("presumed"),
        WINDOW_PRESUMED: longer & ~pl.col("undecided"),
        LIMIT_PRESUMED: free,
        LIMIT_POSSIBLE: shorter,
        ANSWERS_POSSIBLE: answered,
        BEACONS_PRESUMED: pl.col("contending") > LONGER,
        RATE_VARIES: pl.col("rate_spread") > VARIES,
        FAILURES_DIFFER: pl.col("quicker").abs() > LONGER,
        LOSSES_LAST: lasting.more() > LONGER,
        NEVER_REPEATED: pl.col("unrepeated") > 0,
    }
    return pl.concat_list(_codes(tests)).list.drop_nulls()


def _codes(tests: dict[str, pl.Expr]) -> list[pl.Expr]:
    return [pl.when(test.fill_null(False)).then(pl.lit(code)) for code, test in tests.items()]
