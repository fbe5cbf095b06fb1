"""No loss beside hidden stations, whichever window."""

import polars as pl
import pytest

from winf_analyzer._models.saturation import contention_domain
from winf_analyzer._models.saturation.losses import LossModel


def losses(monkeypatch, *, load=0.2, hidden=True, groups=(0, 0), heard_s=1e-3, gap_ns=None):
    """The loss of a link of `a`, of which a fifth failed on a quiet medium, beside `c`."""
    senders = {"medium": [0, 0], "sender": ["a", "c"], "hidden": [False, hidden], "unaware": list(groups)}
    senders |= {"packets_per_s": [10.0, load * 1000], "access_s": [1e-3, heard_s], "packet_s": [0.0, 0.0]}
    senders |= {"data_unheard": [False, hidden], "unheard_gap_ns": pl.Series([None, gap_ns], dtype=pl.Float64)}
    monkeypatch.setattr(contention_domain, "per_sender", lambda *_: pl.DataFrame(senders))
    learned = pl.DataFrame({"medium": [0, 0], "sender": ["a", "c"], "unaware": list(groups)})
    links = {"medium": [0, 0], "sender": ["a", "c"], "receiver": ["b", "b"], "loss": [0.2, 0.1]}
    model = LossModel(pl.DataFrame(links), pl.DataFrame())
    return contention_domain.lossless_beside_hidden(model, learned).links["loss"].to_list()


def test_what_fails_beside_a_hidden_station_is_no_loss(monkeypatch):
    """Its own frames may be lost: nobody is hidden from it that is known."""
    assert losses(monkeypatch) == [0.0, 0.1]


def test_where_far_more_fails_than_their_frames_overlap_the_channel_loses_it(monkeypatch):
    """Frames of 1 ms, 50 a second: a tenth of the attempts overlap one."""
    assert losses(monkeypatch, load=0.05) == [0.2, 0.1]


def test_of_a_station_whose_answers_alone_are_heard_frames_are_as_long_as_the_link_s(monkeypatch):
    """Or as the gaps between its answers, not as these."""
    assert losses(monkeypatch, load=0.1, heard_s=1e-4) == [0.0, 0.1]
    assert losses(monkeypatch, load=0.05, heard_s=1e-3, gap_ns=5e6) == [0.0, 0.1]


@pytest.mark.parametrize("changed", [{"load": 0.001}, {"hidden": False}, {"hidden": False, "groups": (1, 1)}])
def test_beside_stations_in_range_or_silent_ones_loss_remains(changed, monkeypatch):
    assert losses(monkeypatch, **changed) == [0.2, 0.1]


def test_of_groups_that_do_not_hear_each_other_both_have_none(monkeypatch):
    assert losses(monkeypatch, hidden=False, groups=(1, 2)) == [0.0, 0.0]
