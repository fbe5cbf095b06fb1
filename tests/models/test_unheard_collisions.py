"""More repetitions of aggregates than collisions explain show what a third station did not hear."""

from __future__ import annotations

import polars as pl
import pytest

from winf_analyzer._models.saturation import contention_domain, one_more, unheard_collisions
from winf_analyzer._models.saturation.exchange_sums import SUMS

SENDER = {
    **{"retries": 400.0, "with_rts": 0.0, "quiet": 50.0, "quiet_failed": 20.0, "aggregating": 900.0, "carried": 900.0},
    **{"in_aggregates": 9000.0, "mpdus": 9100.0, "advanced_heard": 9080.0, "heard_share": 1.0},
    **{"answer_missed": 0.0, "answer_off": 0.0, "receiver": "r", "medium": 0, "accesses": 1300.0},
}


def told(collided: float = 60.0, observer: str | None = None, **changed: object) -> dict[int, float]:
    links = pl.DataFrame([SENDER | {"sender": "a"}, SENDER | {"sender": "b"} | changed])
    simulated = links.select("medium", "sender", "accesses", collision=collided / pl.col("accesses"))
    media = pl.DataFrame({"medium": [0], "observer": [observer]}, {"medium": pl.Int64, "observer": pl.String})
    return unheard_collisions.repeated(links, simulated, media)


def test_repetitions_beyond_twice_the_collisions_are_told():
    assert told() == {0: 800.0}


@pytest.mark.parametrize("changed", [{"quiet": 300.0, "quiet_failed": 0.0, "advanced_heard": 8000.0}])
def test_a_quiet_medium_tells_as_well_that_nothing_is_lost(changed):
    assert told(**(changed | {"quiet": 2000.0}))


@pytest.mark.parametrize(
    "changed",
    [
        {"collided": 190.0},
        {"observer": "a"},
        {"with_rts": 10.0},
        {"aggregating": 100.0},
        {"heard_share": 0.9},
        {"answer_off": 0.5},
        {"advanced_heard": 8500.0},
        {"sender": "node-1"},
    ],
)
def test_nothing_is_told_where_something_else_may_be_the_cause(changed):
    if "sender" in changed:
        links = pl.DataFrame([SENDER | {"sender": name} for name in ("node-0", "node-1")])
        simulated = links.select("medium", "sender", "accesses", collision=0.0)
        media = pl.DataFrame({"medium": [0], "observer": [None]}, {"medium": pl.Int64, "observer": pl.String})
        assert not unheard_collisions.repeated(links, simulated, media)
    else:
        assert not told(**changed)


def recorded(count: int, per_s: float, seconds: float = 5.0) -> pl.DataFrame:
    """`count` senders of aggregates of some 1 ms, as :func:`.contention_domain.per_sender` has them."""
    sums = dict.fromkeys(SUMS, 0.0)
    packets = per_s * seconds
    each = {"accesses": packets, "attempts": packets, "done": packets, "carried": packets, "heard": packets}
    each |= {"aggregating": packets, "mpdus": 4 * packets, "in_aggregates": 4 * packets, "fresh": packets}
    each |= {"fresh_mpdus": 4 * packets, "whole": packets, "bits": 4 * packets * 8e3, "psdu_bytes": 4.2e3 * packets}
    each |= {"ampdu_bytes": 65535 * packets, "rate_bps": 65e6 * packets, "rate_square": 6500.0**2 * packets}
    each |= dict.fromkeys(("air_ns", "whole_air_ns", "carried_air_ns"), 700000.0 * packets)
    each |= {"first_ns": 6e5 * packets, "answer_ns": 5e4 * packets, "sifs_ns": 1.6e4 * packets}
    each |= {"aifs_ns": 4.3e4 * packets, "slot_ns": 9e3 * packets, "window_slots": 16 * packets}
    each |= {"ack_ns": 3.2e4 * packets, "plcp_ns": 3.6e4 * packets, "payload_ns": 5e5 * packets}
    shares = {"heard_share": 1.0, "answer_missed": 0.0, "answer_off": 0.0, "samples": packets, "in_range": True}
    shares |= {"one_by_one": False, "uneven": 0.0, "anonymous": True, "txop_limit_ns": 0.0, "batch": 1.0}
    shares |= {"burst_per_s": 0.0, "doubt": 0.0, "unaware": 0, "unheard_gap_ns": None}
    window = {"medium": 0, "window_start_ns": 0, "covered_ns": int(seconds * 1e9)}
    rows = [sums | each | shares | window | {"sender": f"s{of}", "receiver": "r"} for of in range(count)]
    links = pl.DataFrame(rows, schema_overrides={"unheard_gap_ns": pl.Float64})
    return contention_domain.per_sender(links, contention_domain.WHOLE)


@pytest.mark.parametrize("share", [0.15, 0.3, 0.5])
def test_the_load_is_the_one_beside_which_as_many_repeat(share):
    """Truth: the same stations beside one more, as simulated; each collision has one and a half repetitions."""
    senders = recorded(3, 100)
    like = senders.tail(1)
    access_s = 7e-4 + 4.3e-5
    (_, stations), *_ = one_more.simulated(senders, like, access_s, (share,))
    repetitions = (
        1.5 * stations.filter(~pl.col("subject")).select((pl.col("accesses") * pl.col("first_failed")).sum()).item()
    )
    load = unheard_collisions.unheard(senders, repetitions)
    assert load is not None
    assert abs(load.share - share) < 2 * load.doubt + 0.05


def test_as_many_as_collide_beside_those_heard_are_no_load():
    senders = recorded(3, 100)
    (_, stations), *_ = one_more.simulated(senders, senders.tail(1), 7.4e-4, (1e-4,))
    collided = stations.filter(~pl.col("subject")).select((pl.col("accesses") * pl.col("first_failed")).sum()).item()
    load = unheard_collisions.unheard(senders, 1.5 * collided)
    assert load is None or load.share < 0.05
