"""What makes an answer good, doubtful or none at all."""

import polars as pl
import pytest
from folders import ROOT

from winf_analyzer._recommended import judgement
from winf_analyzer._recommended.channels import Channels, with_listened
from winf_analyzer._recommended.reasons import BY_CODE, GRADES, REASONS, sentences
from winf_analyzer._recommended.widths import with_widths

SOUND = {
    "observer": "02:00:00:00:00:0a",
    "sender": "02:00:00:00:00:0a",
    "attempts": 1000,
    "samples": 950,
    "mpdus": 950.0,
    "bits": 950 * 8.0 * 1508,
    "phy": "hr_dsss",
    "rests_on": 950,
    "failed": 50,
    "retries": 50,
    "carrying": 1000,
    "rateless": 0,
    "timeless": 0,
    "capacity_bps": 6e6,
    "available_bps": 3e6,
    "available_low_bps": 2.8e6,
    "available_high_bps": 3.2e6,
    "available_tcp_bps": 2.5e6,
    "own_bps": 1e6,
    "idle_share": 0.6,
    "missed_share": None,
    "unheard_share": None,
    "paused_share": 0.0,
    "unknown_share": 0.0,
    "clock": "good",
    "clock_weighed": False,
    "hearing_unknown": False,
    "air_unheard": False,
    "width_varies": False,
    "load_changes": False,
    "listened_share": 1.0,
    "sampled": 0.0,
    "rate_max_mbps": 11.0,
    "shared_queue": False,
    "told": [""],
}


def judged(**changed: object) -> dict[str, object]:
    floats = dict.fromkeys(("missed_share", "unheard_share", "available_bps", "rate_max_mbps"), pl.Float64)
    known = {"unheard_share": changed.get("missed_share")}
    rows = pl.DataFrame([SOUND | known | changed], schema_overrides=floats)
    (row,) = judgement.graded(judgement.withheld(judgement.bounded(judgement.reasons(rows)))).rows(named=True)
    return row


def test_a_sound_estimate_is_good_and_stays_as_it_is() -> None:
    row = judged()
    assert (row["grade"], row["reasons"], row["available_bps"]) == ("good", "", 3e6)
    assert (row["available_low_bps"], row["available_high_bps"]) == (2.8e6, 3.2e6)


def test_an_air_that_was_mostly_unheard_is_weighed_by_the_estimator_and_makes_no_fair_answer() -> None:
    row = judged(air_unheard=True)
    assert (row["grade"], row["reasons"]) == ("poor", "air_unheard")
    assert (row["available_low_bps"], row["available_high_bps"]) == (2.8e6, 3.2e6)


def test_what_was_not_recorded_may_have_taken_the_time_that_is_left() -> None:
    row = judged(paused_share=0.1, unknown_share=0.1)
    assert (row["grade"], row["reasons"]) == ("poor", "recording_paused")
    assert (row["available_low_bps"], row["available_high_bps"]) == (2.2e6, 3.2e6)
    assert judged(paused_share=0.01)["grade"] == "good"
    assert judged(paused_share=0.6)["reasons"] == "recording_paused"


def test_moments_without_a_record_in_which_no_more_was_sent_leave_a_sample() -> None:
    row = judged(paused_share=0.1, sampled=0.05)
    assert (row["grade"], row["reasons"]) == ("fair", "recording_gaps")
    assert row["available_low_bps"] == pytest.approx(2.8e6 - 0.05 * (row["available_bps"] + row["own_bps"]))


def test_aggregates_of_an_unknown_rate_have_no_answer() -> None:
    row = judged(rate_max_mbps=None, mpdus=2000.0)
    assert (row["grade"], row["reasons"], row["available_high_bps"]) == ("unknown", "rate_unknown", None)
    row = judged(rate_max_mbps=None)
    assert (row["grade"], row["reasons"]) == ("fair", "rates_missing")


def test_a_recorder_of_its_own_frames_may_miss_the_answers_to_them() -> None:
    row = judged(failed=900, retries=20, samples=100)
    assert (row["grade"], row["reasons"]) == ("poor", "answers_missed, very_wide_interval")
    assert judged(failed=900, retries=800, samples=100)["grade"] == "good"


def test_a_sender_that_often_finds_a_part_of_its_channel_busy_has_a_wide_interval() -> None:
    row = judged(width_varies=True)
    assert (row["grade"], row["reasons"]) == ("poor", "width_varies, wide_interval")
    assert (row["available_low_bps"], row["available_high_bps"]) == pytest.approx((2.8e6 - 4e6 / 3, 3.2e6 + 4e6 / 3))


@pytest.mark.parametrize(("narrow", "wide", "told"), [(9, 91, False), (40, 60, True), (91, 9, False), (0, 100, False)])
def test_widths_are_told_of_links_whose_rate_varies(narrow: int, wide: int, told: bool) -> None:
    link = {"source": "a", "observer": None, "sender": "c", "receiver": "d"}
    rows = pl.DataFrame([link | {"told": ["rate_varies"]}, link | {"receiver": "e", "told": [""]}])
    frame = {"source": "a", "ta": "c", "kind": "qos_data", "ra": "d"}
    frames = [frame | {"bandwidth_mhz": 40}] * narrow + [frame | {"bandwidth_mhz": 80}] * wide
    frames += [row | {"ra": "e"} for row in frames] + [frame | {"bandwidth_mhz": None, "kind": "beacon"}]
    assert with_widths(rows, pl.LazyFrame(frames))["width_varies"].to_list() == [told, False]


@pytest.mark.parametrize(
    ("share", "grade", "told"),
    [(0.96, "good", ""), (0.9, "fair", "channel_left"), (0.3, "poor", "channel_seldom_heard")],
)
def test_a_radio_that_hops_says_for_how_much_of_the_time_it_listened(share: float, grade: str, told: str) -> None:
    row = judged(listened_share=share)
    assert (row["grade"], row["reasons"]) == (grade, told)


def test_what_stays_on_a_channel_leave_open_is_in_the_interval() -> None:
    row = judged(listened_share=0.3, sampled=0.1)
    assert (row["available_low_bps"], row["available_high_bps"]) == (2.4e6, 3.6e6)


def test_an_interval_is_wider_the_fewer_and_the_less_alike_the_stays() -> None:
    second = 1_000_000_000
    stays = [("a", 2412, at * second, at * second + second // 4) for at in range(8)]
    stays = pl.DataFrame(stays, ["source", "channel_mhz", "from_ns", "to_ns"], orient="row")
    usual = pl.DataFrame({"source": ["a"], "channel_mhz": [2412], "stay_ns": [second / 4], "deviation": [0.2]})
    homes = pl.DataFrame(schema=["source", "observer", "sender", "receiver", "channel_mhz"])
    rows = pl.DataFrame(
        {
            "source": ["a", "a", "b"],
            "channel_mhz": [2412, 2412, 2412],
            "since_ns": [0, 0, 0],
            "until_ns": [second, 8 * second, second],
            "busy_ns": [second // 8, second, second // 2],
        }
    )
    found = with_listened(rows, Channels(stays, homes, usual))
    assert found["covered_ns"].to_list() == [second // 4, 2 * second, second]
    assert found["listened_share"].to_list() == [0.25, 0.25, 1.0]
    one = 1.645 * 0.2 * 0.75**0.5 / 0.5
    assert found["sampled"].to_list() == pytest.approx([one, one / 8**0.5, 0.0])


def test_a_tcp_flow_that_delivers_more_than_short_packets_do_is_explained_without_a_lower_grade() -> None:
    row = judged(available_tcp_bps=3.1e6)
    assert (row["grade"], row["reasons"]) == ("good", "short_packets")


def test_a_share_of_a_queue_that_others_fill_is_no_matter_of_short_packets() -> None:
    row = judged(available_bps=0.0, available_low_bps=0.0, available_tcp_bps=0.5e6, shared_queue=True, idle_share=0.1)
    assert "shared_queue" in str(row["reasons"])
    assert "short_packets" not in str(row["reasons"])


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"samples": 1, "rests_on": 1}, "one_sample"),
        ({"samples": 0, "rests_on": 0, "available_bps": None}, "no_sample"),
        ({"rateless": 900}, "rate_unknown"),
        ({"timeless": 900}, "times_unknown"),
        ({"clock": "unusable"}, "clock_unusable"),
        ({"clock": "wrong", "told": ["timing_coarse"]}, "clock_unusable"),
        ({"missed_share": 0.98}, "mostly_unheard"),
        ({"available_bps": None}, "no_answer"),
        ({"available_bps": None, "told": ["below_own_traffic"]}, "below_own_traffic"),
        ({"own_bps": 12e6}, "contradicts_rate"),
        ({"available_bps": 0.0, "own_bps": 0.03e6, "idle_share": 0.97}, "contradicts_idle"),
    ],
)
def test_no_value_without_a_basis_and_the_reason_says_so(changed: dict[str, object], reason: str) -> None:
    row = judged(**changed)
    assert row["available_bps"] is None
    assert row["available_low_bps"] is None
    assert row["available_high_bps"] is None
    assert row["capacity_bps"] is None
    assert row["grade"] == "unknown"
    assert reason in str(row["reasons"]).split(", ")


def test_where_nothing_bounds_what_others_send_the_bounds_are_given_without_a_value() -> None:
    row = judged(told=["others_unbounded"])
    assert (row["available_bps"], row["available_tcp_bps"], row["grade"]) == (None, None, "unknown")
    assert (row["available_low_bps"], row["available_high_bps"]) == (2.8e6, 3.2e6)
    assert row["capacity_bps"] == 6e6
    refused = judged(told=["others_unbounded"], samples=1, rests_on=1)
    assert refused["available_low_bps"] is None, "a reason that forbids an answer forbids its bounds too"


@pytest.mark.parametrize(
    ("changed", "reason", "grade"),
    [
        ({"samples": 12, "rests_on": 12}, "few_samples", "poor"),
        ({"missed_share": 0.3}, "many_frames_missed", "poor"),
        ({"clock": "doubtful"}, "clock_doubtful", "poor"),
        ({"hearing_unknown": True}, "hearing_unknown", "poor"),
        ({"observer": None, "failed": 700, "retries": 20}, "answers_missed", "poor"),
        ({"rateless": 100}, "rates_missing", "fair"),
        ({"available_high_bps": 4.5e6}, "wide_interval", "fair"),
    ],
)
def test_doubts_lower_the_grade_and_widen_the_interval(changed: dict[str, object], reason: str, grade: str) -> None:
    row, sound = judged(**changed), judged()
    assert reason in str(row["reasons"]).split(", ")
    assert GRADES.index(row["grade"]) >= GRADES.index(grade)
    assert row["available_high_bps"] - row["available_low_bps"] > (
        sound["available_high_bps"] - sound["available_low_bps"]
    )


def test_an_estimate_that_did_without_the_clock_needs_no_good_one() -> None:
    row = judged(clock="unusable", told=["timing_coarse"])
    assert (row["available_bps"], row["grade"], row["reasons"]) == (3e6, "poor", "clock_doubtful, timing_coarse")
    assert row["available_low_bps"] == 2.8e6


def test_doubts_that_the_estimator_weighed_do_not_widen_the_interval_twice() -> None:
    row = judged(clock="doubtful", clock_weighed=True)
    assert (row["reasons"], row["available_low_bps"]) == ("clock_doubtful", 2.8e6)


def test_some_missed_frames_lower_the_grade_alone() -> None:
    row = judged(missed_share=0.1)
    assert (row["grade"], row["reasons"], row["available_low_bps"]) == ("fair", "frames_missed", 2.8e6)


def test_first_attempts_that_collided_are_missed_and_no_refusal() -> None:
    row = judged(missed_share=0.7, unheard_share=0.1)
    assert (row["reasons"], row["grade"]) == ("many_frames_missed, very_wide_interval", "poor")
    assert row["available_bps"] is not None


@pytest.mark.parametrize(
    ("share", "told", "said"),
    [
        (0.7, ["frames_missed"], "mostly_unheard"),
        (0.1, ["mostly_unheard", "frames_missed"], "mostly_unheard"),
        (0.3, ["frames_missed"], "many_frames_missed"),
        (0.1, ["frames_missed"], "frames_missed"),
    ],
)
def test_how_much_was_missed_is_said_once(share: float, told: list[str], said: str) -> None:
    assert judged(missed_share=share, told=told)["reasons"] == said


def test_a_lossy_link_in_its_senders_own_recording_may_have_little_on_an_idle_medium() -> None:
    row = judged(failed=900, available_bps=0.1e6, own_bps=0.1e6, available_low_bps=0.0)
    assert row["available_bps"] == 0.1e6


def test_the_interval_is_ordered_and_within_what_the_rates_carry() -> None:
    row = judged(available_low_bps=3.5e6, available_high_bps=20e6)
    assert 0 <= row["available_low_bps"] <= row["available_bps"] <= row["available_high_bps"] <= 11e6
    assert judged(own_bps=7e6, available_bps=0.0)["capacity_bps"] == 7e6


def test_every_reason_has_a_sentence_and_a_name_of_its_own() -> None:
    assert len(BY_CODE) == len(REASONS)
    assert all(reason.sentence.endswith(".") and reason.grade in GRADES for reason in REASONS)
    assert sentences("one_sample, of_a_newer_version") == [BY_CODE["one_sample"].sentence, "of_a_newer_version"]


def test_what_the_estimator_tells_is_a_reason() -> None:
    row = judged(told=["rate_varies", "frames_missed", "of_a_newer_version"])
    assert (row["grade"], row["reasons"]) == ("fair", "frames_missed, rate_varies")


def test_the_document_lists_the_reasons_as_they_are() -> None:
    text = (ROOT / "docs/estimators.md").read_text(encoding="utf-8")
    rows = [f"| `{reason.code}` | {reason.grade} | {reason.sentence} |" for reason in REASONS]
    assert "\n".join(rows) in text


def test_of_rates_that_are_mostly_unknown_not_some_are_missing_too() -> None:
    row = judged(rate_max_mbps=None, rateless=900)
    assert row["reasons"] == "rate_unknown"
    assert judged(rateless=200)["reasons"].split(", ")[0] == "rates_missing"


def test_no_bound_reaches_the_rate_of_the_phy() -> None:
    row = judged(available_high_bps=10.9e6, capacity_bps=10.9e6)
    assert row["available_high_bps"] == row["capacity_bps"] == pytest.approx(9.01e6, rel=0.01)
    assert judged(capacity_bps=10.9e6, own_bps=10e6, available_bps=1e6)["capacity_bps"] == 10e6, "it was delivered"
