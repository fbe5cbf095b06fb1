"""Aggregates that collide with shorter frames to other receivers."""

import polars as pl
import pytest

from winf_analyzer._models.saturation.failures import collision_survival, outlasting


def destroying(**changed):
    """Which part of the collisions destroys an aggregate of 40 MPDUs, 4 ms, beside one of 10 to another receiver."""
    row = {"case": 0, "count": 1.0, "access_s": 1e-4, "packet_s": 1e-4, "first_s": 1e-4, "first_packet_s": 1e-4}
    row |= {"aggregates": True, "rts": False, "vulnerable": 1.0, "vulnerable_otherwise": 1.0, "elsewhere": 1.0}
    row |= {"homewards": 0.0}
    subject = row | {"subject": True, "packets_per_s": 10.0, "packets_max": 40.0, "hidden": False}
    other = row | {"subject": False, "packets_per_s": 2200.0, "packets_max": 64.0, "hidden": False}
    subject |= {name: value for name, value in changed.items() if name != "per_s"}
    other["packets_per_s"] = changed.get("per_s", 2200.0)
    stations = pl.DataFrame([subject, other])
    found = outlasting.applied(stations, ~pl.col("hidden").any().over("case"))
    assert found["vulnerable"][1] == 1.0
    return found["vulnerable"][0], found["vulnerable_otherwise"][0]


def test_of_an_aggregate_what_comes_after_a_shorter_frame_arrives_if_its_header_does():
    header = collision_survival.header_survives()
    destroyed, otherwise = destroying()
    assert destroyed == pytest.approx(1 - header * 0.73, abs=0.02)
    # Whether the header is decoded is a matter of two distances.
    doubt = (header * (1 - header)) ** 0.5 * 0.73
    assert otherwise == pytest.approx(destroyed + doubt, abs=0.02)
    assert destroying(per_s=12_000.0)[0] == 1.0, "the other frame is as long"
    assert destroyed < destroying(per_s=5000.0)[0] < 1.0


def test_beside_a_station_of_the_same_cell_the_header_survives_or_not():
    """Who sends to an access point is as likely near the receiver of its aggregate as far from it."""
    destroyed, otherwise = destroying(elsewhere=0.0, homewards=1.0)
    assert destroyed == pytest.approx(1 - 0.5 * 0.73, abs=0.02)
    assert otherwise == pytest.approx(1 - 0.73, abs=0.02)
    assert 0.45 < collision_survival.header_survives(of_cell=True) < 0.55


@pytest.mark.parametrize("changed", [{"elsewhere": 0.0}, {"rts": True}, {"aggregates": False}, {"hidden": True}])
def test_to_one_receiver_behind_rts_or_beside_hidden_stations_collisions_destroy_all(changed):
    assert destroying(**changed) == (1.0, 1.0)


def test_a_header_survives_more_often_than_data_of_a_high_rate():
    data = 1 - pl.select(collision_survival.destroyed_apart(pl.lit(54.0))).item()
    assert data < 0.3 < 0.7 < collision_survival.header_survives() < 0.9


def elsewhere(*links, share="elsewhere"):
    """Of the links, each with as many accesses, the share of others' that collide at other receivers."""
    rows = [{"medium": 0, "sender": a, "receiver": b, "accesses": count} for a, b, count in links]
    table = pl.DataFrame(rows, schema_overrides={"receiver": pl.String, "accesses": pl.Float64})
    return collision_survival.with_receivers_shared(table)[share].to_list()


def test_elsewhere_is_what_is_neither_to_the_receiver_nor_by_it():
    assert elsewhere(("a", "b", 10), ("c", "d", 30), ("e", "b", 10), ("b", None, 20))[0] == 0.5
    assert elsewhere(("a", "b", 10), ("c", "b", 30))[:2] == [0.0, 0.0]


def test_stations_of_the_same_cell_are_not_elsewhere():
    """Beside an access point's downlink those who send to it are of its cell, and its receiver cannot receive."""
    assert elsewhere(("ap", "b", 10), ("c", "ap", 30), ("ap", "c", 10))[0] == 0.0
    assert elsewhere(("ap", "b", 10), ("c", "ap", 30), ("d", "e", 30))[0] == 0.5
    beside_uploads = ("ap", "b", 10), ("c", "ap", 30), ("b", "ap", 10), ("ap", "c", 10)
    assert elsewhere(*beside_uploads, share="homewards") == [0.75, 0.0, 0.0, 0.25]


def test_frames_to_unknown_receivers_are_no_sign_of_others():
    """Of a station that is not heard the ACKs do not say whose they are."""
    assert elsewhere(("a", "b", 10), ("c", None, 30))[0] == 0.0
    assert elsewhere(("a", "b", 10), ("c", None, 30), ("e", "d", 10))[0] == 1.0
