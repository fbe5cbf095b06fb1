"""Recordings of recorders that pause for moments: what is missing of all stations at once tells nothing of any."""

from __future__ import annotations

import random

import polars as pl
import pytest
from test_late_repetitions import ACK_US, BITS, DATA_US, DIFS_US, SIFS_US, contend, recorded

from winf_analyzer._models.saturation.recorded import completeness
from winf_analyzer._models.saturation.recorded.exchange_sums import SUMS
from winf_analyzer._models.saturation.unheard import lone_pairs

EXCHANGE_US = DIFS_US + DATA_US + SIFS_US + ACK_US
PER_S = 150
"""Packets of the sender that is recorded; a pause of 60 ms hides nine of them."""


MEDIA = {"medium": pl.UInt32, "source": pl.String, "observer": pl.String}
LINKS = {"medium": pl.UInt32, "sender": pl.String, "receiver": pl.String}


def link(**sums):
    """Sums of a link in one window."""
    names = {"medium": 0, "sender": "a", "receiver": "b", "window_start_ns": 0, "covered_ns": 1_000_000_000}
    return dict.fromkeys(SUMS, 0.0) | names | sums


def shares(links, observer=None, followed=completeness.ALL):
    media = pl.DataFrame({"medium": [0], "source": ["s"], "observer": [observer]}, MEDIA)
    return completeness.with_shares(pl.DataFrame(links, schema_overrides=LINKS), media, followed)


def with_pauses(sent, mean_us, share, seed=3):
    """What is left where the recorder pauses for `share` of the time, so long on average; numbers go on."""
    draw, pauses, until_us, numbers, kept = random.Random(seed), False, 0.0, -1, []
    for start_us, answered, retry in sent:
        numbers += not retry
        while start_us >= until_us:
            pauses = not pauses
            until_us += draw.expovariate(1 / (mean_us if pauses else mean_us * (1 - share) / share))
        if not pauses:
            kept.append((start_us, answered, retry, numbers))
    return kept


@pytest.mark.parametrize("others", [0.0, 0.3e6 / EXCHANGE_US])
@pytest.mark.parametrize("share", [0.1, 0.4])
def test_pauses_make_an_answer_neither_wrong_nor_certain(share, others, tmp_path):
    """Truth: what the same station delivers beside the same load with its queue full, less what it sends anyway."""
    sent = contend((PER_S, others), 20)
    answer = recorded(with_pauses(sent, 60_000, share), tmp_path)
    full = sum(answered for _, answered, _ in contend((10_000, others), 20)) / 20
    assert answer["available_low_bps"] <= BITS * (full - PER_S) <= answer["available_high_bps"]
    assert answer["grade"] != "good"
    assert "recording_gaps" in answer["reasons"] or "recording_paused" in answer["reasons"]


@pytest.mark.parametrize("missed", [0.0, 0.2])
def test_of_numbers_that_went_on_in_pauses_those_are_left_that_were_sent_while_something_was_recorded(missed):
    """A third of the time is paused: of 900 numbers 600 are of the time that was recorded, of which some were heard."""
    heard = 600 * (1 - missed)
    followed = pl.DataFrame({"medium": [0], "window_start_ns": [0], "followed": [2 / 3]})
    followed = followed.with_columns(pl.col("medium").cast(pl.UInt32))
    found = shares([link(advanced=900.0, advanced_heard=heard, fresh=heard)], followed=followed)
    assert found["heard_share"].item() == pytest.approx(1 - missed, abs=0.01)
    assert found.select(completeness.unicast_heard("fresh")).item() == pytest.approx(600, rel=0.01)


@pytest.mark.parametrize(("own_heard", "share"), [(500.0, 0.5), (1000.0, 1.0), (100.0, 1.0)])
def test_what_a_recorder_lost_of_its_own_frames_is_missing_of_those_of_which_only_answers_are_heard(own_heard, share):
    """And of what it records a tenth of, its driver records only some."""
    own = link(advanced=1000.0, advanced_heard=own_heard)
    hidden = link(sender="c", accesses=300.0, unheard=300.0, answers=300.0)
    found = shares([own, hidden], observer="a")
    assert found.filter(pl.col("sender") == "c")["heard_share"].item() == pytest.approx(share, abs=0.01)


@pytest.mark.parametrize(
    ("heard", "aggregates", "unknown"), [(0.4, False, True), (0.6, False, False), (0.4, True, False)]
)
def test_any_load_may_be_beside_a_pair_of_which_most_is_missing(heard, aggregates, unknown):
    row = {"heard_share": heard, "aggregates": aggregates, "accesses": 100.0, "air_ns": 1e8}
    load = lone_pairs.mostly_missing(pl.DataFrame([row | {"access_s": 1e-3, "aifs_s": 5e-5}]))
    assert (load is not None) == unknown
    if load is not None:
        assert load.share < 0.001
        assert load.doubt > 0.2
