"""No loss beside hidden stations, whichever window."""

import polars as pl
import pytest

from winf_analyzer._models.saturation import collision_survival, contention_domain
from winf_analyzer._models.saturation.losses import LossModel


def losses(monkeypatch, *, load=0.2, hidden=True, groups=(0, 0)):
    """The loss of a link of `a`, of which a fifth failed on a quiet medium, beside `c`."""
    senders = {"medium": [0, 0], "sender": ["a", "c"], "hidden": [False, hidden], "unaware": list(groups)}
    senders |= {"packets_per_s": [10.0, load * 1000], "access_s": [1e-3, 1e-3], "packet_s": [0.0, 0.0]}
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


@pytest.mark.parametrize("changed", [{"load": 0.001}, {"hidden": False}, {"hidden": False, "groups": (1, 1)}])
def test_beside_stations_in_range_or_silent_ones_loss_remains(changed, monkeypatch):
    assert losses(monkeypatch, **changed) == [0.2, 0.1]


def test_of_groups_that_do_not_hear_each_other_both_have_none(monkeypatch):
    assert losses(monkeypatch, hidden=False, groups=(1, 2)) == [0.0, 0.0]


def outlasting(**changed):
    """Which part of the collisions destroys an aggregate of 40 MPDUs, 4 ms, beside one of 10 to another receiver."""
    row = {"case": 0, "count": 1.0, "access_s": 1e-4, "packet_s": 1e-4, "first_s": 1e-4, "first_packet_s": 1e-4}
    row |= {"aggregates": True, "rts": False, "vulnerable": 1.0, "vulnerable_otherwise": 1.0, "elsewhere": 1.0}
    subject = row | {"subject": True, "packets_per_s": 10.0, "packets_max": 40.0, "hidden": False}
    other = row | {"subject": False, "packets_per_s": 2200.0, "packets_max": 64.0, "hidden": False}
    subject |= {name: value for name, value in changed.items() if name != "per_s"}
    other["packets_per_s"] = changed.get("per_s", 2200.0)
    stations = pl.DataFrame([subject, other])
    found = contention_domain._outlasting(stations, ~pl.col("hidden").any().over("case"))
    assert found["vulnerable"][1] == 1.0
    return found["vulnerable"][0], found["vulnerable_otherwise"][0]


def test_of_an_aggregate_what_comes_after_a_shorter_frame_arrives_if_its_header_does():
    header = collision_survival.preamble_survives()
    destroyed, otherwise = outlasting()
    assert destroyed == pytest.approx(1 - header * 0.73, abs=0.02)
    # Whether the header is decoded is a matter of two distances.
    doubt = (header * (1 - header)) ** 0.5 * 0.73
    assert otherwise == pytest.approx(destroyed + doubt, abs=0.02)
    assert outlasting(per_s=12_000.0)[0] == 1.0, "the other frame is as long"
    assert destroyed < outlasting(per_s=5000.0)[0] < 1.0


@pytest.mark.parametrize("changed", [{"elsewhere": 0.0}, {"rts": True}, {"aggregates": False}, {"hidden": True}])
def test_to_one_receiver_behind_rts_or_beside_hidden_stations_collisions_destroy_all(changed):
    assert outlasting(**changed) == (1.0, 1.0)


def test_a_header_survives_more_often_than_data_of_a_high_rate():
    data = 1 - pl.select(collision_survival.destroyed_apart(pl.lit(54.0))).item()
    assert data < 0.3 < 0.7 < collision_survival.preamble_survives() < 0.9
