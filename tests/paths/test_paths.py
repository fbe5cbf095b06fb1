"""Paths that packets show, and what estimates of the hops make of them."""

from itertools import pairwise

import polars as pl
import pytest
from exchange_builder import A, B, C, D, busy_second, exchange, one, table
from hypothesis import given
from hypothesis import strategies as st

from winf_analyzer._aggregate.reader import open_exchanges
from winf_analyzer._paths.paths import MAX_HOPS, MAX_PATHS, walks, with_paths
from winf_analyzer.estimators import Settings, estimate

UDP = "udp 10.0.0.1:5000 10.0.0.4:5000"
ABC, ABCD = ">".join((A, B, C)), ">".join((A, B, C, D))
SECOND = {"window_start_ns": 1_000_000_000}


def hops(*links, flow=UDP, start_us=1000.0, **columns):
    return [exchange(start_us + 4000 * n, sender=s, receiver=r, flow=flow, **columns) for n, (s, r) in enumerate(links)]


def found(rows):
    return set(with_paths(open_exchanges(table(rows), Settings())).context.hops["path"])


def test_a_flow_over_a_chain_is_a_path():
    assert found(hops((A, B), (B, C), (C, D))) == {ABCD}


def test_a_flow_that_goes_there_and_back_is_two_paths():
    assert found(hops((A, B), (B, C), (C, B), (B, A))) == {ABC, ">".join((C, B, A))}


@pytest.mark.parametrize(
    "rows",
    [
        hops((A, B), (B, A)),  # one link, both ways
        [*hops((A, B)), *hops((B, C), flow="udp 10.0.0.9:1 10.0.0.8:1")],  # two flows
        hops((A, B), (B, C), flow=None),  # nobody knows whose
        hops((A, B), (B, C), complete=False),  # nothing came through
        hops((A, B), (B, C), (C, A)),  # a circle has no end
    ],
)
def test_what_is_no_path(rows):
    assert found(rows) == set()


def test_numbered_packets_tell_the_routes_apart():
    """Over B or over D: the links alone would allow A > B > C only together with A > D > C."""
    rows = [*hops((A, B), (B, C), packet_uid=1), *hops((A, D), (D, C), start_us=20_000.0, packet_uid=2)]
    assert found(rows) == {ABC, ">".join((A, D, C))}
    # Two packets that each went one hop make no path.
    assert found([*hops((A, B), packet_uid=1), *hops((B, C), packet_uid=2)]) == set()


LINKS = st.lists(
    st.tuples(st.sampled_from("abcdefg"), st.sampled_from("abcdefg")).filter(lambda ends: ends[0] != ends[1]),
    unique=True,
)


@given(LINKS)
def test_walks_follow_links_and_end_where_nothing_follows(links):
    for walk in walks(links):
        assert len(set(walk)) == len(walk) >= 3
        assert all(link in links for link in pairwise(walk))
        assert not any(a == walk[-1] and b not in walk for a, b in links)


def test_walks_through_a_dense_mesh_are_bounded():
    inner = [(f"n{a}", f"n{b}") for a in range(60) for b in range(60) if a != b]
    ways = list(walks([("start", "n0"), *inner]))
    assert 0 < len(ways) <= MAX_PATHS
    assert max(map(len, ways)) <= MAX_HOPS + 1


# --- estimates


def chain_second(**columns):
    """A second of 50 packets over A > B > C; the second hop's are smaller."""
    starts = [500_000.0, *(1_000_500 + n * 20_000.0 for n in range(50)), 2_500_000.0]
    first = [exchange(t, flow=UDP, **columns) for t in starts]
    return [*first, *(exchange(t + 8000, sender=B, receiver=C, flow=UDP, payload=700, **columns) for t in starts)]


@pytest.mark.parametrize("mode", ["paper", "corrected"])
def test_a_path_has_the_lowest_of_its_hops(mode):
    estimates = estimate(table(chain_second()), ["rt_winf"], [mode])
    whole = one(estimates, path=ABC, **SECOND)
    legs = [one(estimates, state="sender", sender=s, receiver=r, **SECOND) for s, r in ((A, B), (B, C))]
    for name in ("capacity_bps", "available_bps", "exchanges"):
        assert whole[name] == min(leg[name] for leg in legs)
    assert whole["capacity_bps"] == legs[1]["capacity_bps"] < legs[0]["capacity_bps"]
    assert (whole["node"], whole["peer"], whole["state"], whole["source"]) == (A, C, "sender", "s")
    assert (whole["sender"], whole["receiver"]) == (None, None)


def test_a_window_in_which_a_hop_is_silent_has_no_path():
    rows = [row for row in chain_second() if row["sender"] == A or row["end_ns"] < 10**9]
    estimates = estimate(table(rows), ["rt_winf"], ["corrected"])
    assert estimates.filter(pl.col("path").is_not_null())["window_start_ns"].to_list() == [0]


def test_a_hop_counts_with_its_senders_own_recording():
    """The sender's recording of its hop before what others overheard of it."""
    rows = [row | {"source": f"{row['sender']}.pcap", "observer": row["sender"]} for row in chain_second()]
    overheard = [row | {"source": f"{C}.pcap", "observer": C, "payload_bytes": 100} for row in chain_second()]
    own = one(estimate(table(rows), ["rt_winf"], ["corrected"], Settings(cooperate=False)), path=ABC, **SECOND)
    both = estimate(table([*rows, *overheard]), ["rt_winf"], ["corrected"], Settings(cooperate=False))
    assert one(both, path=ABC, **SECOND) == own
    assert (own["source"], own["observer"]) == (None, None)
    alone = one(estimate(table(overheard), ["rt_winf"], ["corrected"]), path=ABC, **SECOND)
    assert alone["capacity_bps"] < own["capacity_bps"]
    assert alone["observer"] == C


# --- nodes


def test_a_node_has_the_weighted_harmonic_mean_of_its_links():
    rows = [*busy_second(50), *(exchange(1_006_000 + n * 20_000, receiver=C, payload=300) for n in range(25))]
    estimates = estimate(table(rows), ["rt_winf"], ["corrected"])
    node = one(estimates, node=A, state="sender", peer=None, **SECOND)
    assert (node["exchanges"], node["sender"], node["receiver"]) == (75, None, None)
    links = [one(estimates, state="sender", sender=A, receiver=r, **SECOND) for r in (B, C)]
    bits = (50 * 12_000, 25 * 2400)
    times = [b / link["capacity_bps"] for b, link in zip(bits, links, strict=True)]
    assert node["capacity_bps"] == pytest.approx(sum(bits) / sum(times), rel=1e-9)
    assert node["available_bps"] == pytest.approx(node["capacity_bps"] * node["idle_ratio"], rel=1e-9)
    receiver = one(estimates, node=B, state="receiver", peer=None, **SECOND)
    assert receiver["capacity_bps"] == one(estimates, node=B, state="receiver", sender=A, **SECOND)["capacity_bps"]
