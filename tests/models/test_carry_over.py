"""What a saturated flow leaves of others' packets to the window after."""

import polars as pl
import pytest
from test_fixed_point import STATIONS, station

from winf_analyzer._models.saturation.contention import carry_over
from winf_analyzer._models.saturation.solvers import fixed_point

WINDOW_NS = 100_000_000


EVENLY = (0.5, 12**-0.5)
"""Mean and standard deviation of when packets came that came all through a window, as shares of it."""


def solved(*offered, starts=None, when=(), batches=(), served_most=None):
    """Cases of a backlogged sender and a neighbour, solved.

    `offered`: per window the packets per second that the neighbour has to send, None where it does not appear; `when`:
    of some windows when they came; `batches`: of some how many of its packets an access carries; `served_most`: how
    many it delivers at most, if it is hidden.
    """
    rows, links = [], []
    for case, packets_per_s in enumerate(offered):
        late, late_spread = dict(enumerate(when)).get(case, EVENLY)
        each = {"case": case, "late": late, "late_spread": late_spread}
        rows.append(station(subject=True) | each | {"sender": "a"})
        if packets_per_s is not None:
            most = dict(enumerate(batches)).get(case, 1.0)
            rows.append(station(packets_per_s=packets_per_s) | each | {"sender": "c", "packets_max": most})
        start = (starts or range(len(offered)))[case] * WINDOW_NS
        links.append({"case": case, "medium": 0, "window_start_ns": start, "sender": "a", "receiver": "b"})
    more = {
        "sender": pl.String,
        "served_most": pl.Float64,
        "late": pl.Float64,
        "late_spread": pl.Float64,
        "late_per_s": pl.Float64,
    }
    stations = pl.DataFrame(
        [{"late_per_s": 0.0, "served_most": served_most} | row for row in rows], schema=STATIONS | more
    )
    found = carry_over.with_backlogs(stations, pl.DataFrame(links), WINDOW_NS)
    asked = found.select(stations.columns)
    assert found.drop("late_per_s").equals(fixed_point.solve(asked).drop("late_per_s"))
    subjects = asked.filter("subject")
    assert subjects.equals(stations.filter("subject"))
    return found.filter(~pl.col("subject"))


def loads(*offered, **more):
    """Per window what the neighbour of a backlogged sender has to send, if it has `offered` packets per second."""
    return solved(*offered, **more)["packets_per_s"].to_list()


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


def test_a_burst_at_the_end_of_a_window_leaves_packets_to_the_next():
    """Two backlogged stations get some 200 packets per second each: 15 of 100 come too late for that."""
    first, second = loads(100.0, 0.0, when=[(0.95, 0.05 / 3**0.5)])
    assert first == pytest.approx(100 - 80, abs=3)
    assert first + second == pytest.approx(100, abs=1e-9)
    assert loads(100.0, 0.0, when=[(0.05, 0.05 / 3**0.5)]) == [100.0, 0.0]


def test_how_much_comes_late_is_doubtful_where_bursts_are_at_the_end():
    late = solved(100.0, 0.0, when=[(0.95, 0.05 / 3**0.5)])["late_per_s"]
    # 40 % of the 20 that two backlogged stations serve of it in that time.
    assert late.to_list() == pytest.approx([8, 8], rel=0.2)
    assert solved(100.0, 0.0)["late_per_s"].to_list() == [0.0, 0.0]


def test_a_backlog_is_worked_off_where_the_station_was_not_heard():
    first, second, third = loads(420.0, None, None)
    assert (first, second) == (420.0, pytest.approx(220, abs=20))
    assert third == pytest.approx(20, abs=20)
    assert loads(100.0, None) == [100.0]


def test_packets_in_batches_are_carried_over_as_parts_of_full_accesses():
    """Batches of which four fill an access in the first window, and one in the next."""
    single = loads(1500.0, 0.0, batches=[4.0, 4.0])[1]
    # Two backlogged ones get some 200 accesses of four packets.
    assert single == pytest.approx(1500 - 4 * 210, abs=100)
    assert loads(1500.0, 0.0, batches=[4.0, 1.0])[1] == pytest.approx(single / 4, rel=1e-6)


def test_aggregates_that_are_not_full_leave_nothing():
    """Of four stations in 802.11n at 65 Mb/s, three with 10 Mb/s each: some attempts fail, and what was in them goes
    with the next."""
    ht = {"aifs_s": 43e-6, "access_s": 126e-6, "packet_s": 190e-6, "first_s": 126e-6, "first_packet_s": 190e-6}
    ht |= {
        "request_s": 150e-6,
        "tail_s": 87e-6,
        "packets_max": 28.0,
        "window": 16.0,
        "slot_s": 9e-6,
        "served_most": None,
        "late": 0.5,
        "late_spread": 0.29,
    }
    rows, links = [], []
    for case, packets_per_s in enumerate((830.0, 0.0)):
        each = {"case": case} | ht
        rows += [station(subject=True) | each | {"sender": "a"}]
        rows += [station(packets_per_s=packets_per_s) | each | {"sender": sender} for sender in "cde"]
        links.append({"case": case, "medium": 0, "window_start_ns": case * 10**9, "sender": "a", "receiver": "b"})
    more = {"sender": pl.String, "served_most": pl.Float64, "late": pl.Float64, "late_spread": pl.Float64}
    found = carry_over.with_backlogs(pl.DataFrame(rows, schema=STATIONS | more), pl.DataFrame(links), 10**9)
    before, after = (found.filter(~pl.col("subject"), pl.col("case") == case) for case in (0, 1))
    assert before["collision"].min() > 0.15
    assert before["packets"].max() < 20
    assert after["packets_per_s"].to_list() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("window", [16.0, 32.0, 128.0])
def test_a_waiting_station_is_served_as_fast_as_if_it_were_backlogged(window):
    """In the ratio of the contention windows; within 15 %, for collisions are left out."""

    def solved(packets_per_s):
        rows = [station(subject=True), station(packets_per_s=packets_per_s) | {"window": window}]
        return fixed_point.solve(pl.DataFrame(rows, schema=STATIONS)).with_columns(served_most=None)

    served = solved(60.0).select(carry_over._served()).to_series()[1]
    assert served == pytest.approx(solved(fixed_point.BACKLOGGED)["delivered_per_s"][1], rel=0.15)


def test_a_hidden_station_leaves_what_it_cannot_deliver_beside_the_subject():
    """The fixed point, in which all hear each other, would have it deliver all."""
    offered = 200.0
    alone, after = solved(offered, offered, served_most=50.0)["packets_per_s"]
    assert alone == offered
    assert after == pytest.approx(2 * offered - 50.0, rel=0.01)


def displaced(loads, starts, window_ns=WINDOW_NS, off_share=0.75, **changed):
    """The airtime by which bursts of a hidden station may come to other windows; it sends such shares of the time."""
    links, rows = [], []
    for case, (load, start) in enumerate(zip(loads, starts, strict=True)):
        links.append({"case": case, "medium": 0, "window_start_ns": start * window_ns, "sender": "a", "receiver": "b"})
        hidden = {"case": case, "medium": 0, "sender": "c", "count": 1.0, "packets_per_s": 1000 * load, "hidden": True}
        rows.append(hidden | {"access_s": 0.001, "packet_s": 0.0} | changed)
    sources = pl.DataFrame({"medium": [0], "sender": ["c"], "off_share": [off_share]})
    return carry_over.displaced_load(pl.DataFrame(links), pl.DataFrame(rows), sources, window_ns)["displaced_load"]


def test_bursts_of_hidden_stations_may_come_later_within_the_lifetime():
    found = displaced([0.6] + [0.0] * 7, range(8))
    lifetimes = carry_over.LIFETIME_S / 0.1
    assert found[0] == found[3] == pytest.approx(0.75 * 0.6 / (1 + lifetimes))
    assert found[6] == pytest.approx((lifetimes - 5) * found[0])
    assert found[7] == 0


def test_in_long_windows_most_of_a_burst_stays():
    found = displaced([0.6, 0.6], range(2), window_ns=10_000_000_000)
    assert found[1] == pytest.approx(0.75 * 0.6 * carry_over.LIFETIME_S / 10)


def test_the_shortest_windows_take_no_longer_than_others():
    found = displaced([0.6] + [0.0] * 7, range(8), window_ns=1)
    assert found[0] == found[7] == pytest.approx(0.75 * 0.6 / (carry_over.LIFETIME_S * 1e9), rel=1e-6)


@pytest.mark.parametrize("changed", [{"hidden": False}, {"sender": "d"}])
def test_what_the_subject_hears_or_comes_at_random_is_not_displaced(changed):
    assert displaced([0.6], [0], **changed).to_list() == [0]
