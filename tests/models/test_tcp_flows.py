"""TCP flows of others beside a saturated sender: both ends at one rate, in aggregates as they were recorded."""

import polars as pl
import pytest
from test_tcp_acks import ACKS, DATA, STATION, links

from winf_analyzer._models.saturation.contention import correction, tcp_acks, tcp_flows
from winf_analyzer._models.saturation.solvers import fixed_point

AGGREGATING = {"carried": 50.0, "aggregating": 50.0}
FLOW = links(DATA | AGGREGATING, ACKS | AGGREGATING | {"carried": 40.0})
"""20 segments to an access, and 12.5 ACKs: 0.625 of them per segment of an access."""


def stations(data_per_s, acks_per_s):
    rows = [
        STATION | {"subject": True},
        STATION | {"sender": "a", "packets_per_s": data_per_s},
        STATION | {"sender": "b", "packets_per_s": acks_per_s, "access_s": 140e-6, "first_s": 140e-6},
    ]
    return pl.DataFrame(rows, schema_overrides={"request_s": pl.Float64})


def aggregating(data_per_s, acks_per_s, **more):
    """The stations of FLOW, of at most 40 and 64 MPDUs."""
    cost = {"aggregates": True, "access_s": 150e-6, "first_s": 150e-6}
    data = cost | {"packet_s": 100e-6, "first_packet_s": 100e-6, "packets_max": 40.0, "packets_per_s": data_per_s}
    acks = cost | {"packet_s": 10e-6, "first_packet_s": 10e-6, "packets_max": 64.0, "packets_per_s": acks_per_s}
    rows = [
        STATION | {"subject": True, "access_s": 4e-3, "first_s": 4e-3},
        STATION | data | {"sender": "a"},
        STATION | acks | {"sender": "b"} | more,
    ]
    return pl.DataFrame(rows, schema_overrides={"request_s": pl.Float64})


def settled(before, flow=FLOW):
    return {row["sender"]: row for row in tcp_flows.settled(before, tcp_acks.followers(flow)).to_dicts()}


def test_acks_shrink_by_the_part_that_the_data_loses():
    found = tcp_acks.followers(links(DATA, ACKS))
    before = stations(1800.0, 900.0)
    after = tcp_flows.settled(before, found)
    solved = fixed_point.solve(after)
    data, acks = (solved.filter(sender=name).row(0, named=True) for name in ("a", "b"))
    assert data["packets_per_s"] == 1800.0
    assert data["delivered_per_s"] < 0.8 * 1800.0
    assert acks["packets_per_s"] / 900.0 == pytest.approx(data["delivered_per_s"] / 1800.0, rel=1e-3)
    got = [fixed_point.solve(rows).filter("subject")["delivered_per_s"][0] for rows in (before, after)]
    assert got[1] > 1.02 * got[0]


def test_light_traffic_stays_as_it_is():
    found = tcp_acks.followers(links(DATA, ACKS))
    before = stations(200.0, 100.0)
    assert tcp_flows.settled(before, found)["packets_per_s"].to_list() == pytest.approx([0.0, 200.0, 100.0], rel=1e-6)


def test_stations_without_acks_are_not_touched():
    before = stations(1800.0, 900.0)
    assert tcp_flows.settled(before, tcp_acks.followers(links(DATA))).equals(before)


def test_acks_have_as_many_accesses_for_those_of_the_data_as_were_recorded():
    """Beside a saturated sender the data fills its 40 MPDUs: 25 ACKs to an access, and one access of them each time."""
    before = aggregating(8000.0, 4000.0)
    after = tcp_flows.settled(before, tcp_acks.followers(FLOW))
    data, acks = (fixed_point.solve(after).filter(sender=name).row(0, named=True) for name in ("a", "b"))
    assert data["packets"] * 20 == pytest.approx(40)
    assert (acks["packet_s"], acks["first_packet_s"]) == pytest.approx((250e-6, 250e-6))
    assert acks["packets_max"] == pytest.approx(1)
    got = data["delivered_per_s"] * 20 / 8000
    assert got < 0.8
    assert acks["packets_per_s"] == pytest.approx(4000 * got / 25, rel=1e-3)


def test_data_comes_in_batches_as_large_as_its_aggregates_were():
    """In light traffic it would be sent one by one if it came at random; hardly ever do two batches meet."""
    rows = settled(aggregating(100.0, 50.0))
    assert (rows["a"]["packets_per_s"], rows["a"]["packets_max"], rows["a"]["packet_s"]) == pytest.approx(
        (5.0, 2.0, 2e-3)
    )
    assert rows["b"]["packets_per_s"] == pytest.approx(50 / 12.5, rel=0.05)


def test_batches_that_were_found_otherwise_count():
    """As many packets as came at once are one already: twenty as ten of two."""
    before = aggregating(50.0, 50.0).with_columns(batch=pl.when(sender="a").then(2.0).otherwise("batch"))
    row = tcp_flows.settled(before, tcp_acks.followers(FLOW)).filter(sender="a").row(0, named=True)
    assert (row["packets_per_s"], row["packet_s"], row["packets_max"]) == pytest.approx((5.0, 1e-3, 4.0))


def test_acks_of_which_some_are_one_already_go_as_many_together():
    """Two are one: 12.5 ACKs to an access are one of 6.25 times two, and no more of them."""
    before = aggregating(100.0, 25.0).with_columns(batch=pl.when(sender="b").then(2.0).otherwise("batch"))
    row = tcp_flows.settled(before, tcp_acks.followers(FLOW)).filter(sender="b").row(0, named=True)
    assert row["packet_s"] == pytest.approx(10e-6 * 6.25, rel=0.05)
    assert row["packets_max"] == pytest.approx(1)


def test_single_frames_do_not_go_together():
    """Also of a sender that may send several of them in a TXOP."""
    before = aggregating(100.0, 50.0).with_columns(aggregates=pl.lit(value=False))
    after = tcp_flows.settled(before, tcp_acks.followers(FLOW))
    assert after.select("packets_max", "packet_s").equals(before.select("packets_max", "packet_s"))


def test_of_a_station_that_sends_other_packets_too_those_come_one_by_one():
    """Half are ACKs, 12.5 to an access: 0.54 accesses per packet, or more if others come meanwhile, of 38 at most."""
    other = DATA | AGGREGATING | {"sender": "b", "receiver": "c", "mpdus": 500.0, "bits": 500 * 1508 * 8.0}
    flow = links(DATA | AGGREGATING, ACKS | AGGREGATING | {"carried": 40.0}, other)
    row = settled(aggregating(100.0, 100.0), flow)["b"]
    assert row["packets_per_s"] == pytest.approx(54, rel=0.01)
    assert row["packets_max"] == pytest.approx((0.5 * 64 + 0.5 * 12.5) * 0.54, rel=0.02)


def test_data_shrinks_by_the_part_that_its_acks_lose():
    """The station with the ACKs has more to send than it gets through; so the data becomes less."""
    other = DATA | {"sender": "b", "receiver": "c", "mpdus": 1500.0, "bits": 1500 * 1508 * 8.0}
    flow = tcp_acks.followers(links(DATA, ACKS, other))
    before = stations(400.0, 3000.0)
    solved = fixed_point.solve(tcp_flows.settled(before, flow))
    data, acks = (solved.filter(sender=name).row(0, named=True) for name in ("a", "b"))
    got = acks["delivered_per_s"] / acks["packets_per_s"]
    assert got < 0.9
    assert data["packets_per_s"] == pytest.approx(400 * got, rel=1e-3)


@pytest.mark.parametrize("changed", [{"packets_per_s": 0.0}, {"subject": True}, {"sender": "c"}])
def test_flows_of_which_an_end_is_no_other_station_stay(changed):
    before = aggregating(8000.0, 4000.0, **changed)
    assert tcp_flows.settled(before, tcp_acks.followers(FLOW)).equals(before)


def test_flows_are_settled_before_stations_are_simulated_unless_some_are_hidden():
    before, acks = aggregating(8000.0, 4000.0).with_columns(hidden=pl.lit(value=False)), tcp_acks.followers(FLOW)
    assert correction._with_flows(before, acks).equals(tcp_flows.settled(before, acks))
    hidden = before.with_columns(hidden=pl.col("sender") == "b")
    assert correction._with_flows(hidden, acks).equals(hidden)
