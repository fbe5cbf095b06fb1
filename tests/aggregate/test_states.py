"""Whose conclusion a row is: one node's recording, or a sniffer's of everybody."""

import polars as pl
import pytest
from exchange_builder import A, B, C, D, busy_second, exchange, one, table

from winf_analyzer.estimators import Settings, estimate

ALONE = Settings(cooperate=False)


def keys(rows):
    estimates = estimate(table(rows), ["rt_winf"], ["corrected"], ALONE)
    return set(estimates.select("node", "peer", "state", "sender", "receiver", "observer").iter_rows())


@pytest.mark.parametrize(
    ("observer", "link"),
    [
        (A, (A, B, "sender", A, B, A)),
        (B, (B, A, "receiver", A, B, B)),
        (C, (C, A, "onlooker", A, B, C)),
    ],
)
def test_a_node_has_one_state_per_exchange(observer, link):
    alone = (observer, None, "onlooker", None, None, observer)
    all_its_links = {(observer, None, link[2], None, None, observer)}
    assert keys([exchange(observer=observer)]) == {link, alone} | all_its_links


def test_a_sniffer_evaluates_every_station():
    assert keys([exchange()]) == {
        (A, B, "sender", A, B, None),
        (B, A, "receiver", A, B, None),
        (None, A, "onlooker", A, B, None),
        (A, None, "sender", None, None, None),
        (B, None, "receiver", None, None, None),
        (A, None, "onlooker", None, None, None),
        (B, None, "onlooker", None, None, None),
    }


def test_what_goes_to_everybody_makes_its_sender_an_onlooker_only():
    assert keys([exchange(kind="broadcast", data_kind="beacon", receiver="ff:ff:ff:ff:ff:ff")]) == {
        (A, None, "onlooker", None, None, None)
    }


def test_an_onlooker_concludes_from_what_it_is_no_part_of():
    rows = [exchange(0), exchange(5000, payload=500), exchange(10_000, sender=C, receiver=D, payload=800)]
    estimates = estimate(table(rows), ["rt_winf"], ["corrected"], ALONE)
    c_to_d = one(estimates, state="sender", sender=C)["capacity_bps"]
    a_to_b = one(estimates, state="sender", sender=A)["capacity_bps"]
    assert one(estimates, node=A, state="onlooker")["capacity_bps"] == c_to_d
    assert one(estimates, node=A, state="onlooker")["exchanges"] == 1
    assert one(estimates, node=D, state="onlooker")["capacity_bps"] == a_to_b
    assert one(estimates, node=D, state="onlooker")["exchanges"] == 2


def test_a_node_alone_on_the_air_overhears_nothing():
    row = one(
        estimate(table(busy_second(observer=A)), ["rt_winf"], ["corrected"], ALONE),
        peer=None,
        state="onlooker",
        window_start_ns=10**9,
    )
    assert (row["exchanges"], row["capacity_bps"], row["available_bps"]) == (0, None, None)
    assert row["idle_ratio"] == pytest.approx(0.734673, rel=1e-6)


def test_the_nodes_of_a_global_trace_see_their_own_media():
    rows = [row for observer in (A, B) for row in busy_second(observer=observer)]
    rows += [exchange(1_003_500 + n * 10_000, observer=B, sender=D, receiver=C) for n in range(50)]
    estimates = estimate(table(rows), ["rt_winf"], ["corrected"], ALONE).filter(pl.col("window_start_ns") == 10**9)
    assert one(estimates, peer=B, state="sender")["idle_ratio"] > one(estimates, peer=A, state="receiver")["idle_ratio"]
    assert set(estimates["node"]) == {A, B}


def test_forwarding_nodes_alternate():
    rows = [exchange(0, observer=B), exchange(5000, observer=B, sender=B, receiver=C)]
    states = estimate(table(rows), ["rt_winf"], ["paper"], ALONE).filter(pl.col("peer").is_not_null())
    assert dict(states.select("state", "peer").iter_rows()) == {"receiver": A, "sender": C}
