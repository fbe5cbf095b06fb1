"""What a saturated flow leaves of others' packets to the window after."""

import polars as pl
import pytest
from test_fixed_point import STATIONS, station

from winf_analyzer._models.saturation import carry_over, fixed_point

WINDOW_NS = 100_000_000


def loads(*offered, starts=None):
    """Per window what the neighbour of a backlogged sender has to send, if it has `offered` packets per second."""
    rows, links = [], []
    for case, packets_per_s in enumerate(offered):
        subject = station(subject=True) | {"case": case, "sender": "a"}
        other = station(packets_per_s=packets_per_s) | {"case": case, "sender": "c"}
        rows += [subject, other]
        start = (starts or range(len(offered)))[case] * WINDOW_NS
        links.append({"case": case, "medium": 0, "window_start_ns": start, "sender": "a", "receiver": "b"})
    stations = pl.DataFrame(rows, schema=STATIONS | {"sender": pl.String})
    found = carry_over.with_backlogs(stations, pl.DataFrame(links), WINDOW_NS)
    assert found.select(stations.columns).drop("packets_per_s").equals(stations.drop("packets_per_s"))
    assert found.equals(fixed_point.solve(found.select(stations.columns)))
    subjects = found.filter("subject")["packets_per_s"]
    assert subjects.equals(stations.filter("subject")["packets_per_s"])
    return found.filter(~pl.col("subject"))["packets_per_s"].to_list()


def test_what_a_station_could_send_leaves_nothing():
    assert loads(50.0, 0.0, 20.0) == [50.0, 0.0, 20.0]


def test_what_it_could_not_send_follows_and_is_worked_off():
    first, second, third, fourth = loads(300.0, 0.0, 0.0, 0.0)
    # Two backlogged stations get some 200 packets per second each.
    assert first == 300.0
    assert second == pytest.approx(300 - 200, abs=15)
    assert third == fourth == 0.0


def test_a_longer_backlog_goes_on():
    second, third = loads(420.0, 100.0, 0.0)[1:]
    assert second == pytest.approx(320, abs=20)
    assert third == pytest.approx(120, abs=40)


def test_windows_that_do_not_follow_one_another_are_apart():
    assert loads(300.0, 0.0, starts=[0, 2]) == [300.0, 0.0]
    assert loads(0.0, 300.0) == [0.0, 300.0]


def test_no_packet_outlives_its_lifetime():
    first, second = loads(1e5, 0.0)
    per_s = 210
    assert first == 1e5
    assert second <= per_s * carry_over.LIFETIME_S / 0.1


def test_nothing_is_carried_from_one_block_to_the_next():
    last = carry_over.BLOCK - 1
    assert loads(300.0, 0.0, starts=[last, last + 1]) == [300.0, 0.0]
    assert loads(300.0, 0.0, starts=[last - 1, last])[1] > 50.0
