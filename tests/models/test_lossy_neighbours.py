"""What the channel loses of a neighbour's frames is sent again, and takes the medium as other frames do."""

from __future__ import annotations

import random
from pathlib import Path

import polars as pl
import pytest
from air import Air
from answers import answer_of
from finding_scenes import AP, A, B

import winf_analyzer
from winf_analyzer._models.saturation.failures import losses
from winf_analyzer._models.saturation.failures.traced_collisions import COUNTS
from winf_analyzer._models.saturation.recorded import completeness

SECONDS = 10
AGGREGATES = ("mpdus", "in_aggregates", "sent_mpdus", "heard", "advanced", "advanced_heard", "with_rts")
OWN_PER_S, NEIGHBOURS_PER_S = 40.0, 200.0


def available(folder: Path, loss: float, neighbours_per_s: float) -> float:
    """The answer about A beside B, of whose attempts the channel loses a share; packets come at random."""
    folder.mkdir()
    draw, air = random.Random(1), Air()
    packets = []
    for station, per_s in ((A, OWN_PER_S), (B, neighbours_per_s)):
        at = draw.expovariate(per_s)
        while at < SECONDS:
            packets.append((at * 1e6, station))
            at += draw.expovariate(per_s)
    numbers = {A: 0, B: 0}
    for at_us, station in sorted(packets):
        air.until(at_us)
        numbers[station] += 1
        for attempt in range(7):
            answered = station == A or draw.random() >= loss
            backoff_us = 20 * draw.randrange(min(32 << attempt, 1024))
            air.exchange(
                station, AP, AP, seq=numbers[station], answered=answered, retry=attempt > 0, backoff_us=backoff_us
            )
            if answered:
                break
    (folder / "recording.pcap").write_bytes(air.capture())
    dataset = winf_analyzer.ingest([folder / "recording.pcap"], folder / "run.winf")
    winf_analyzer.estimate(dataset, estimators=["saturation"], mode="corrected")
    rows = pl.DataFrame(dataset.scan("recommended").filter(pl.col("whole"), sender=A).collect())
    return float(rows["available_bps"][0])


def test_a_neighbour_that_loses_a_fifth_leaves_as_much_as_one_that_sends_as_many_frames_and_loses_none(tmp_path):
    lossy = available(tmp_path / "lossy", 0.2, NEIGHBOURS_PER_S)
    as_many = available(tmp_path / "as_many", 0.0, NEIGHBOURS_PER_S / (1 - 0.2))
    fewer = available(tmp_path / "fewer", 0.0, NEIGHBOURS_PER_S)
    assert lossy == pytest.approx(as_many, rel=0.05)
    assert lossy < 0.94 * fewer


def lost(answered: tuple[float, float], share: float = 0.08, **counts: list[float]) -> pl.DataFrame:
    """Losses of the recorder and of a neighbour, of whose data as many attempts fail that were heard."""
    each = {"accesses": [1000.0, 1000.0], "alone": [900.0, 900.0], "quiet": [150.0, 150.0]}
    each |= {"alone_failed": [0.0, 45.0], "quiet_failed": [0.0, 7.0], "done": [900.0, 900.0]}
    each |= {"answered": list(answered), "aggregating": [0.0, 0.0], "heard_share": [1.0, 1.0], "silent": [0.0, 45.0]}
    each |= {"silent_behind": [0.0, 0.0], "silent_numbered": [0.0, 0.0]}
    each |= {
        name: [0.0, 0.0]
        for name in ("retries", "unheard_before", *AGGREGATES, *completeness.GAPS, *completeness.SHARES)
    }
    names = {"medium": [0, 0], "sender": ["a", "b"], "receiver": ["r", "r"]}
    links = pl.DataFrame(each | {"heard_share": [1.0, 1.0]} | names | counts)
    expected = pl.DataFrame(
        {"share": [share, share], "chance": [0.04, 0.04]} | {k: names[k] for k in ("medium", "sender")}
    )
    media = pl.DataFrame({"medium": [0], "observer": ["a"]})
    traced = pl.DataFrame(
        schema={"medium": pl.Int64, "sender": pl.String, "receiver": pl.String} | dict.fromkeys(COUNTS, pl.Int64)
    )
    return losses._losses(links, expected, traced, media).sort("sender")


def test_what_neighbours_lose_behind_a_cts_is_no_collision_though_their_failed_rts_were_not_heard():
    """Of the recorder's RTS all but those that should collide are answered, of the neighbour's all that it heard."""
    own, neighbour = lost((920.0, 1000.0))["loss"]
    assert own < 0.002
    assert neighbour == pytest.approx(0.05, abs=0.01)
    assert lost((0.0, 0.0))["loss"][1] < 0.7 * neighbour


def test_where_whole_aggregates_fail_behind_a_cts_none_is_shorter_for_it():
    """A tenth of the recorder's accesses fails, and nothing of its answered aggregates is sent again."""
    numbered = {"mpdus": [2000.0, 0.0], "in_aggregates": [1800.0, 0.0], "heard": [1000.0, 0.0]}
    numbered |= {"advanced": [2000.0, 0.0], "advanced_heard": [2000.0, 0.0], "sent_mpdus": [2200.0, 0.0]}
    failed = {"alone_failed": [90.0, 45.0], "quiet_failed": [15.0, 7.0]}
    behind_cts = lost((920.0, 1000.0), with_rts=[1000.0, 1000.0], **numbered, **failed).row(0, named=True)
    assert behind_cts["loss"] == pytest.approx(0.1, abs=0.02)
    assert behind_cts["lost_apart"] == 0.0
    in_contention = lost((0.0, 0.0), **numbered, **failed).row(0, named=True)
    assert in_contention["loss"] == 0.0, "what fails of single frames beyond what is sent again collides"


@pytest.mark.parametrize(("answered", "least", "most"), [(900.0, 0.0, 0.01), (700.0, 0.14, 0.3), (400.0, 0.44, 0.6)])
def test_rts_without_an_answer_are_lost_as_far_as_collisions_do_not_explain_them(answered, least, most):
    """Of 1000 RTS of the recorder 80 should collide, and up to twice as many may."""
    found = lost((answered, 1000.0), with_rts=[1000.0, 1000.0]).row(0, named=True)
    assert least <= found["rts_loss"] <= most
    assert 0 <= found["rts_doubt"] < 0.1


def test_answers_that_one_receiver_sends_unheard_hide_no_losses_to_another() -> None:
    failed = {"alone_failed": [90.0, 90.0], "quiet_failed": [15.0, 15.0], "silent": [90.0, 90.0]}
    failed |= {"heard": [900.0, 900.0], "silent_numbered": [90.0, 90.0], "with_rts": [1000.0, 1000.0]}
    links = {"sender": ["a", "a"], "receiver": ["r", "s"]}
    losses = lost((920.0, 920.0), **failed, retries=[90.0, 0.0], **links).sort("receiver")["loss"].to_list()
    assert losses == pytest.approx([0.1, 0.0], abs=0.02)


OF_WHICH_MANY_FAIL = {
    **{"alone": [1000.0, 1000.0], "alone_failed": [350.0, 0.0], "quiet": [5.0, 5.0], "quiet_failed": [1.0, 0.0]},
    **{"done": [650.0, 800.0], "silent": [350.0, 0.0], "heard": [1000.0, 800.0]},
}
"""Of 1000 attempts of the recorder 350, next to none on a quiet medium."""


@pytest.mark.parametrize(
    ("retries", "least", "most"),
    [
        (200.0, 0.09, 0.2),  # as many as should collide: so do the recorder's, and the rest is lost
        (400.0, 0.0, 0.03),  # twice as many, and the recorder's may as well
        (0.0, 0.0, 0.03),  # they survive, or do not show: of the recorder's twice as many as expected may collide
    ],
)
def test_how_often_others_fail_tells_how_many_failures_of_the_recorder_are_collisions(retries, least, most):
    """200 of each should collide."""
    assert least <= lost((0.0, 0.0), **OF_WHICH_MANY_FAIL, retries=[350.0, retries], share=0.2)["loss"][0] <= most


@pytest.mark.parametrize("sends", ["with_rts", "aggregating"])
def test_others_that_send_rts_or_aggregates_do_not_tell_how_many_failures_are_collisions(sends):
    """RTS have no Retry bit, and MPDUs of an aggregate are repeated for other reasons."""
    found = lost((0.0, 0.0), **OF_WHICH_MANY_FAIL, retries=[350.0, 200.0], share=0.2, **{sends: [0.0, 1000.0]})
    assert found["loss"][0] <= 0.03


def test_what_was_answered_and_is_repeated_was_one_attempt() -> None:
    """A third station hears answers that the sender of the data misses: none of its attempts was unheard besides."""
    missed = {"alone_failed": [0.0, 0.0], "quiet_failed": [0.0, 0.0], "silent": [0.0, 0.0], "retries": [0.0, 300.0]}
    answered = lost((0.0, 0.0), **missed)["loss"][1]
    unheard = lost((0.0, 0.0), **missed, unheard_before=[0.0, 300.0])["loss"][1]
    # Of the attempts on a busy medium 750 were heard, and of them, or besides them, 300 failed.
    assert answered / unheard == pytest.approx(1050 / 750, rel=0.1)


def test_single_frames_that_fail_may_have_arrived(tmp_path: Path) -> None:
    """A sender that aggregates when it is saturated asks for a lost answer; what arrived is not sent again."""
    draw, air = random.Random(1), Air()
    for seq in range(600):
        air.wait(draw.expovariate(1 / 10_000))
        for attempt in range(7):
            answered = draw.random() >= 0.25
            backoff_us = 9 * draw.randrange(min(16 << attempt, 1024))
            sent = {"kind": 0x88, "mcs": 7, "channel_mhz": 5180, "body": bytes(1502)}
            air.exchange(A, AP, AP, seq=seq, answered=answered, retry=attempt > 0, backoff_us=backoff_us, **sent)
            if answered:
                break
    answer = answer_of(air, A, tmp_path)
    assert "answers_possible" in str(answer["reasons"])
    total, high = (float(str(answer[f"available_{name}bps"])) + 1.2e6 for name in ("", "high_"))
    assert high > 1.2 * total
