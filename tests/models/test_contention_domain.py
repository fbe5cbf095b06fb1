"""No loss beside hidden stations, whichever window."""

import math

import polars as pl
import pytest

from winf_analyzer._models.saturation.contention import contention_domain, hidden_losses
from winf_analyzer._models.saturation.failures import first_and_later
from winf_analyzer._models.saturation.failures.losses import LossModel


def losses(
    monkeypatch, *, load=0.2, hidden=True, pairs=(0, 0), lost=0.2, first=None, heard_s=1e-3, gap_ns=None, rts_us=0
):
    """The loss of a link of `a`, of which a fifth failed on a quiet medium, beside `c`; of first attempts `first`."""
    senders = {"medium": [0, 0], "sender": ["a", "c"], "hidden": [False, hidden], "unaware": list(pairs)}
    senders |= {"data_unheard": [False, hidden], "rts": [rts_us > 0, False], "first_s": [3 * rts_us / 1e6, 0.0]}
    # The link needs two attempts for each that a CTS answers.
    senders |= {"accesses": [10.0, load * 1000], "answered": [5.0, 0.0], "covered_ns": [1e9, 1e9]}
    senders |= {"first_ns": [10e3 * rts_us, 0.0], "sifs_s": [1e-5, 1e-5], "slot_s": [9e-6, 9e-6]}
    senders |= {"packets_per_s": [10.0, load * 1000], "access_s": [1e-3, heard_s], "packet_s": [0.0, 0.0]}
    senders |= {"unheard_gap_ns": pl.Series([None, gap_ns], dtype=pl.Float64)}
    monkeypatch.setattr(contention_domain, "per_sender", lambda *_, **__: pl.DataFrame(senders))
    unheard = [0.0, 1.0 if hidden else 0.0]
    learned = pl.DataFrame({"medium": [0, 0], "sender": ["a", "c"], "unaware": list(pairs), "unheard": unheard})
    links = {"medium": [0, 0], "sender": ["a", "c"], "receiver": ["b", "b"], "loss": [lost, 0.1]}
    model = LossModel(pl.DataFrame(links), pl.DataFrame())
    told = {"medium": [0], "sender": ["a"], "receiver": ["b"], "first_lost": [first]}
    first_lost = pl.DataFrame(told, schema_overrides={"first_lost": pl.Float64})
    monkeypatch.setattr(first_and_later, "first_lost", lambda _: first_lost)
    return hidden_losses.left_beside_hidden(model, learned).links["loss"].to_list()


def test_what_fails_beside_a_hidden_station_is_no_loss(monkeypatch):
    """Its own frames may be lost: nobody is hidden from it that is known."""
    assert losses(monkeypatch) == [0.0, 0.1]


def test_more_than_its_frames_overlap_is_loss(monkeypatch):
    """30 frames of 1 ms a second overlap 6 % of others as long, and explain 10 %; 60 of them explain the fifth."""
    assert losses(monkeypatch, load=0.03) == [0.2, 0.1]
    assert losses(monkeypatch, load=0.065) == [0.0, 0.1]


def test_where_repetitions_fail_more_often_first_attempts_are_compared(monkeypatch):
    assert losses(monkeypatch, load=0.03, first=0.06) == [0.0, 0.1]
    assert losses(monkeypatch, load=0.03, first=0.15) == [0.2, 0.1]


def test_of_a_station_whose_answers_alone_are_heard_frames_are_as_long_as_the_link_s(monkeypatch):
    """Or as the gaps between its answers, not as these."""
    assert losses(monkeypatch, load=0.1, heard_s=1e-4) == [0.0, 0.1]
    assert losses(monkeypatch, load=0.05, heard_s=1e-3, gap_ns=5e6) == [0.0, 0.1]


@pytest.mark.parametrize("changed", [{"load": 0.001}, {"hidden": False}, {"hidden": False, "pairs": (1, 2)}])
def test_beside_stations_in_range_or_silent_ones_loss_remains(changed, monkeypatch):
    assert losses(monkeypatch, **changed) == [0.2, 0.1]


def test_what_no_channel_loses_collided_with_hidden_stations_if_there_are_any(monkeypatch):
    assert losses(monkeypatch, load=0.03, lost=0.6) == [0.0, 0.1]
    assert losses(monkeypatch, load=0.001, lost=0.6) == [0.6, 0.1]


def test_of_a_pair_that_does_not_hear_each_other_both_have_none(monkeypatch):
    assert losses(monkeypatch, hidden=False, pairs=(3, 1)) == [0.0, 0.0]


def test_behind_a_cts_no_more_collides_than_began_while_it_came(monkeypatch):
    """100 frames, of two attempts each, overlap a handshake of 120 us in 2.4 % of the cases, and 19 us in 0.4 %."""
    assert losses(monkeypatch, load=0.1, rts_us=40, lost=0.02) == [0.0, 0.1]
    assert losses(monkeypatch, load=0.1, rts_us=40) == [pytest.approx(1 - 0.8 * math.exp(200 * 139e-6 / 2)), 0.1]


def test_where_an_rts_may_be_decoded_beside_another_that_is_exposed_as_well(monkeypatch):
    """Handshakes of 600 us, behind RTS of 200 us that overlap another: of 100 frames 15 % in place of 11 %."""
    assert losses(monkeypatch, load=0.1, rts_us=200, lost=0.14) == [0.0, 0.1]
    assert losses(monkeypatch, load=0.1, rts_us=160, lost=0.14)[0] > 0.08
