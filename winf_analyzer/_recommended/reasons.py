"""Why an answer is not good: every reason with its sentence, and what it does to the grade."""

from typing import Literal, NamedTuple

Grade = Literal["good", "fair", "poor", "unknown"]

GRADES: tuple[Grade, ...] = ("good", "fair", "poor", "unknown")
"""From the best on. `unknown`: there is no estimate."""


class Reason(NamedTuple):
    """A row of :data:`REASONS`."""

    code: str
    """As in the column `reasons`; stable, for queries."""
    grade: Grade
    """The best grade that an answer with this reason can have; `unknown`: no value is given, `good`: only a remark."""
    sentence: str


REASONS = (
    Reason("mac_trace_off", "unknown", "The trace has no MAC lines: MAC tracing was off in the simulation."),
    Reason("no_link", "unknown", "No data frame between two known stations was recorded."),
    Reason("times_unknown", "unknown", "The start and end of the frames on the air are unknown."),
    Reason("clock_unusable", "unknown", "The audit calls the recording's clock unusable for timing."),
    Reason("rate_unknown", "unknown", "The data rate of most frames of the link is unknown."),
    Reason("mostly_unheard", "unknown", "More than half of the link's frames were not heard."),
    Reason("no_sample", "unknown", "No data frame of the link was seen to be answered."),
    Reason("one_sample", "unknown", "Only one data frame of the link was answered; one sample is not an estimate."),
    Reason("below_own_traffic", "unknown", "The model gives a saturated sender less than it sends already."),
    Reason("others_unbounded", "unknown", "Nothing bounds what stations that were not heard send beside the link."),
    Reason("no_answer", "unknown", "The estimator has no answer for what was recorded."),
    Reason("contradicts_idle", "unknown", "The model's answer contradicts the idle time that was recorded."),
    Reason("contradicts_rate", "unknown", "The link delivered more than its recorded rates allow."),
    Reason("few_samples", "poor", "Fewer than 20 data frames of the link were answered."),
    Reason("many_frames_missed", "poor", "Between 20 and 50 % of the link's frames were not heard."),
    Reason("frames_missed", "fair", "Up to 20 % of the link's frames, or some of others around it, were not heard."),
    Reason("recording_paused", "poor", "For a part of the time nothing was recorded, and stations went on sending."),
    Reason(
        "recording_gaps",
        "fair",
        "For moments nothing was recorded, while stations went on sending; the answer is of the rest of the time.",
    ),
    Reason("answers_missed", "poor", "Most answers to the link's data were not heard."),
    Reason(
        "hearing_unknown",
        "poor",
        "It is unknown which nodes of the simulation hear one another, or which of them sent some frames.",
    ),
    Reason(
        "air_unheard",
        "poor",
        "Most frames that sequence numbers or answers tell of were not heard; what others send is partly inferred.",
    ),
    Reason(
        "channel_seldom_heard", "poor", "The radio hopped, and listened to the channel for less than half the time."
    ),
    Reason("channel_left", "fair", "The radio hopped, and listened to the channel for half to 95 % of the time."),
    Reason(
        "width_varies",
        "poor",
        "The sender often uses only a part of its channel: others are busy on the rest, where they were not recorded.",
    ),
    Reason("clock_doubtful", "poor", "The times of frames on the air are doubtful."),
    Reason("timing_coarse", "fair", "Many answers were not found where they belong; slots and airtimes are presumed."),
    Reason("neighbour_unheard", "fair", "Of a station only the answers to it were heard."),
    Reason("others_unheard", "fair", "Stations waited for transmissions that were not heard; their load is inferred."),
    Reason("others_unknown", "fair", "Nothing tells whether the sender waits for stations that were not heard."),
    Reason(
        "medium_blocked",
        "fair",
        "Stations fell silent at once, again and again: something that is no Wi-Fi held the medium meanwhile.",
    ),
    Reason(
        "aggregation_presumed",
        "fair",
        "No A-MPDU of the link, no BlockAck of its receiver was heard; with a full queue it is presumed to aggregate.",
    ),
    Reason(
        "window_presumed",
        "fair",
        "No BlockAck of more than 64 MPDUs was heard; that aggregates hold no more with a full queue is presumed.",
    ),
    Reason(
        "beacons_presumed",
        "fair",
        "Hardly a beacon was seen to wait for the medium; that they are sent without a backoff is presumed.",
    ),
    Reason(
        "limit_presumed",
        "fair",
        "Most others end their A-MPDUs at a limit; that the sender does, too light to show it, is presumed.",
    ),
    Reason(
        "limit_possible",
        "fair",
        "Some A-MPDUs, of the sender or of others, seem to end at a limit of their own, too few to show one.",
    ),
    Reason(
        "answers_possible",
        "fair",
        "Frames were lost, or their answers, which costs less: aggregates whose answer is lost are not sent again.",
    ),
    Reason("rate_varies", "fair", "The sender changes its rate; a saturated one may use others."),
    Reason(
        "failures_differ",
        "fair",
        "First attempts fail more often than repetitions; how long a saturated sender backs off for them is presumed.",
    ),
    Reason(
        "losses_last",
        "fair",
        "Repetitions fail more often than first attempts; how much a saturated sender loses to what lasts is presumed.",
    ),
    Reason(
        "never_repeated",
        "fair",
        "Data without an answer was never sent again: it was lost, or its answers were not heard.",
    ),
    Reason(
        "load_changes",
        "fair",
        "What is on the air changed during the recording; the answer is the mean of its windows.",
    ),
    Reason("rates_missing", "fair", "The data rate of some frames of the link is unknown."),
    Reason("very_wide_interval", "poor", "The 90 % interval is wider than 40 % of the throughput to either side."),
    Reason("wide_interval", "fair", "The 90 % interval is wider than 15 % of the throughput to either side."),
    Reason(
        "shared_queue", "good", "TCP flows fill the sender's queue already; a further one takes its share from them."
    ),
    Reason("short_packets", "good", "The link's packets are short; a TCP flow sends full segments and delivers more."),
)
"""Every reason, in the order in which they are listed for an answer."""

BY_CODE = {reason.code: reason for reason in REASONS}

WITHHELD = "others_unbounded"
"""The reason that leaves no value in an interval better than another: its bounds are given without one."""

WORSE = {
    "frames_missed": {"mostly_unheard", "many_frames_missed"},
    "many_frames_missed": {"mostly_unheard"},
    "few_samples": {"one_sample", "no_sample"},
    "answers_missed": {"no_sample"},
}
"""Reasons of which nothing is said beside one of these: estimators and evidence count over different windows."""


def sentences(codes: str) -> list[str]:
    """The sentences of a value of the column `reasons`; a code of a newer version stands for itself."""
    listed = [code for code in codes.split(", ") if code]
    told = [code for code in listed if WORSE.get(code, set()).isdisjoint(listed)]
    return [BY_CODE[code].sentence if code in BY_CODE else code for code in told]
