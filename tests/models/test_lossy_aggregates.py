"""What a channel that loses MPDUs does to aggregates, and what tells it from collisions and from frames missed."""

from __future__ import annotations

import math
import random

import polars as pl
import pytest

from winf_analyzer._models.saturation.contention import contention_domain, explained_losses
from winf_analyzer._models.saturation.failures import losses
from winf_analyzer._models.saturation.interval import bounds, refusals
from winf_analyzer._models.saturation.recorded import completeness
from winf_analyzer._models.saturation.recorded.exchange_sums import SUMS

WINDOW = 64


def told(**counts: float) -> float:
    rows = pl.DataFrame({"mpdus": [2000.0], "in_aggregates": [1800.0], "advanced_heard": [1600.0]})
    return float(
        rows.with_columns(pl.lit(value).alias(name) for name, value in counts.items())
        .select(losses._sent_again())
        .item()
    )


def test_the_loss_of_aggregates_is_what_their_numbers_do_not_go_on_by() -> None:
    assert told() == pytest.approx((400 - WINDOW) / 1800)
    assert told(advanced_heard=2000.0) == 0.0
    # The last aggregates of a recording are not passed by any number, and frames without numbers tell nothing.
    assert told(advanced_heard=1910.0) == 0.0
    assert told(advanced_heard=0.0) == 0.0
    assert told(in_aggregates=400.0) == 0.0


def test_a_channel_loses_no_more_than_is_sent_again_where_all_was_heard() -> None:
    rows = pl.DataFrame(
        {"mpdus": 2000.0, "in_aggregates": 1800.0, "advanced_heard": [1900.0, 1900.0], "advanced": [1900.0, 2200.0]}
    )
    whole, partial = rows.select(losses._at_most().alias("most"))["most"]
    assert whole == pytest.approx(130 / 1800)
    assert partial == 1.0


def told_of_part(loss: float, heard: float, collides: float = 0.0, numbers: int = 4000) -> float:
    """What is told of a sender of aggregates of 20: each MPDU is heard with this chance, each time it is sent."""
    draw, copies, distinct = random.Random(2), 0, 0
    for _ in range(numbers):
        again, was_heard = True, False
        while again:
            again = draw.random() < 1 - (1 - loss) * (1 - collides)
            if draw.random() < heard:
                copies, was_heard = copies + 1, True
        distinct += was_heard
    counts = {"advanced": numbers, "advanced_heard": distinct, "sent_mpdus": copies, "heard": copies / 20}
    rows = pl.DataFrame({name: [float(value)] for name, value in (counts | {"in_aggregates": 3000}).items()})
    return float(rows.select(losses._again_of_part(pl.lit(collides))).item())


@pytest.mark.parametrize("heard", [0.6, 0.8, 0.95])
@pytest.mark.parametrize("loss", [0.1, 0.2, 0.4])
def test_loss_shows_in_mpdus_and_numbers_of_which_a_part_was_heard(loss: float, heard: float) -> None:
    assert told_of_part(loss, heard) == pytest.approx(loss, abs=0.03)
    assert told_of_part(loss, heard, collides=0.15) == pytest.approx(loss, abs=0.04)


@pytest.mark.parametrize("heard", [0.6, 0.95])
def test_what_is_missed_is_no_loss(heard: float) -> None:
    assert told_of_part(0.0, heard) == 0.0
    assert told_of_part(0.2, heard, numbers=60) == 0.0, "the last exchanges, of which no number tells whether they came"


def sent_together(loss: float) -> float:
    """MPDUs per aggregate of a sender whose queue is filled, by the rule itself."""
    draw, waiting, sent, accesses = random.Random(1), [True] * WINDOW, 0, 4000
    for _ in range(accesses):
        sent += sum(waiting)
        waiting = [it and draw.random() < loss for it in waiting]
        first = next((place for place, it in enumerate(waiting) if it), WINDOW)
        waiting = waiting[first:] + [True] * first
    return sent / accesses


@pytest.mark.parametrize("loss", [0.03, 0.05, 0.1, 0.2, 0.3])
def test_aggregates_hold_what_a_block_ack_window_leaves(loss: float) -> None:
    expected = pl.DataFrame({"lost_apart": [loss], "ba_window": [64.0]}).select(contention_domain.in_window()).item()
    assert expected == pytest.approx(sent_together(loss), rel=0.06)


def shares(**of_recorder: float) -> pl.DataFrame:
    """Of a recorder, with 1000 attempts of its own, and a station of which it hears the answers alone."""
    row = dict.fromkeys(SUMS, 0.0) | {"medium": 0, "window_start_ns": 0, "covered_ns": 1_000_000_000}
    row |= {"receiver": None}
    recorder = row | {
        "sender": "a",
        "receiver": "b",
        "accesses": 1000.0,
        "heard": 1000.0,
        "done": 560.0,
        "answers": 560.0,
    }
    recorder |= {"carried": 560.0, "silent_numbered": 440.0, "retries": 200.0, "first_ns": 1e8} | of_recorder
    hidden = row | {"sender": "h", "accesses": 700.0, "unheard": 700.0, "done": 700.0}
    media = pl.DataFrame({"medium": [0], "observer": ["a"]})
    return completeness.with_shares(pl.DataFrame([recorder, hidden]), media).sort("sender")


def test_of_a_hidden_station_as_many_answers_are_missed_as_of_all() -> None:
    found = shares()
    missed = 440.0 - 200.0 - 1
    heard = (560 + completeness.PRIOR) / (560 + completeness.PRIOR + missed)
    assert found["answer_missed"][0] == pytest.approx(missed / 1000)
    assert found["heard_share"].to_list() == pytest.approx([1.0, heard])
    packets = found.select(packets=completeness.packets(pl.lit(value=False)))["packets"][1]
    assert packets == pytest.approx(700 / heard)


def test_answers_are_missed_of_those_stations_alone_whose_answers_are_missed() -> None:
    """A recorder that hears one station whole, and of another none of 4000 answers."""
    row = dict.fromkeys(SUMS, 0.0) | {"medium": 0, "window_start_ns": 0, "covered_ns": 1_000_000_000}
    heard = row | {"sender": "a", "receiver": "b", "accesses": 900.0, "heard": 900.0, "done": 900.0, "answers": 900.0}
    unheard = {"accesses": 4000.0, "heard": 4000.0, "silent_numbered": 4000.0}
    far = row | {"sender": "b", "receiver": "c"} | unheard
    hidden = row | {"sender": "h", "receiver": None, "accesses": 700.0, "unheard": 700.0, "done": 700.0}
    to_far = hidden | {"sender": "i", "receiver": "c"}
    media = pl.DataFrame({"medium": [0], "observer": ["a"]})
    for some, other in ((hidden, 1.0), (to_far, 1.0)):
        found = completeness.with_shares(pl.DataFrame([heard, far, some]), media).filter(pl.col("unheard") > 0)
        assert found["heard_share"].item() == pytest.approx(other)
    few = far | {"answers": 400.0, "silent_numbered": 3600.0}
    found = completeness.with_shares(pl.DataFrame([heard, few, to_far]), media).filter(pl.col("unheard") > 0)
    assert found["heard_share"].item() == pytest.approx(0.1, abs=0.01)


def test_where_every_failure_is_repeated_no_answer_was_missed() -> None:
    found = shares(retries=440.0)
    assert found["heard_share"].to_list() == pytest.approx([1.0, 1.0])
    assert found.select(packets=completeness.packets(pl.lit(value=False)))["packets"][1] == pytest.approx(700)


def seen_hidden(loss: float, per_s: float, rts: bool = False) -> bool:
    """Whether a station of which only the answers are heard stays hidden from a subject that loses this share."""
    station = {"case": 0, "access_s": 3e-4, "packet_s": 0.0, "count": 1.0, "packets_per_s": per_s, "loss": loss}
    station |= {"rts": rts}
    rows = pl.DataFrame([station | {"subject": True, "hidden": False}, station | {"subject": False, "hidden": True}])
    return bool(rows.select(explained_losses.explained_by_hidden()).to_series()[0])


def test_a_station_stands_for_losses_only_as_far_as_its_frames_overlap() -> None:
    overlapping = 1 - math.exp(-200 * 6e-4)
    assert seen_hidden(1.6 * overlapping, 200)
    assert not seen_hidden(1.9 * overlapping, 200)
    assert seen_hidden(0.6, 200), "no channel loses that much"
    assert seen_hidden(1.9 * overlapping, 200, rts=True), "what fails behind a CTS does not tell who is hidden"


def test_a_station_that_sends_next_to_nothing_is_not_hidden_unless_most_is_lost() -> None:
    """With 20 frames a second 1.2 % of the subject's overlap one, with 10 half as many."""
    assert seen_hidden(0.01, 20)
    assert not seen_hidden(0.01, 10)
    assert not seen_hidden(0.01, 10, rts=True)
    assert seen_hidden(0.6, 10), "what it sends may be answered rarely"


def starved(failed: float, beside_hidden: bool) -> tuple[float, bool]:
    unheard = {"heard_share": 1.0, "missed_load": 0.0, "doubtful_load": 0.0, "put_back_load": 0.0, "rate_spread": 0.0}
    unheard |= {"doubtful_margin": 0.0, "answer_missed": 0.0, "answer_off": 0.0, "beside_unheard": beside_hidden}
    unheard |= {"contending": 0.0, "quicker": 0.0, "lasting": 0.0, "unrepeated": 0.0}
    row = pl.DataFrame(unheard | {"attempts": 600.0, "failed": failed, "beside_hidden": beside_hidden})
    row = row.with_columns(beside_put_back=False, aggregates=True, presumed=False, added=1e6, own=0.0, margin=0.0)
    row = row.with_columns(undecided=False)
    row = row.with_columns(
        pl.lit(None, pl.Float64).alias(f"added_{name}") for name in ("held", "most", "free", "answered")
    )
    share, codes = row.select(share=bounds.starved(), codes=refusals.caveats()).row(0)
    return share, refusals.OTHERS_UNBOUNDED in codes


def test_a_sender_that_hidden_stations_starve_has_no_value() -> None:
    assert starved(540, True) == (1.0, True)
    assert starved(540, False) == (1.0, False)
    assert starved(400, True) == (0.0, False)
