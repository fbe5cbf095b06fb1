"""Claims of the papers that a run decides without being a curve."""

from itertools import pairwise

import polars as pl
import pytest
from exchange_builder import A, B, C, D, exchange, table

from winf_analyzer._papers import items
from winf_analyzer._papers.reproductions._worlds import (
    FREE,
    chain,
    datagrams,
    neighbourhood,
    offered_max_min,
    string,
)
from winf_analyzer._replay import replay
from winf_analyzer._replay.topologies import world as w
from winf_analyzer._sql.named_queries import named_query
from winf_analyzer.estimators import estimate


@pytest.mark.parametrize(
    ("name", "congested"),
    [("stack", {"4 > 5"}), ("diamond", set()), ("half_diamond", set()), ("chain_cross", {"1 > 2"})],
)
def test_links_that_are_congested_at_the_max_min_rates(name, congested):
    """S003 has 4-5 in Stack, 1-2 and 7-8 in Diamond, 4-5 and 7-8 in Half-Diamond, 1-2, 4-5 and 4-3 in Chain-Cross."""
    links = replay(topology=offered_max_min(name, 1.0, 1, 20), controllers=["new_reno"]).links
    used = links.group_by("link").agg(pl.col("utilisation").mean()).collect()
    assert set(used.filter(pl.col("utilisation") > 0.95)["link"]) == congested


@pytest.mark.parametrize(
    ("name", "congested"),
    [("stack", {"4 > 5"}), ("diamond", {"5 > 6"}), ("half_diamond", {"5 > 6"}), ("chain_cross", {"1 > 2"})],
)
def test_links_that_the_model_uses_fully_at_the_max_min_rates(name, congested):
    """Flows without acknowledgements; of what S003 draws it has Stack's link and one of Chain-Cross."""
    world = neighbourhood(name, 1)
    world = {**world, "flows": [datagrams(flow) for flow in world["flows"]]}
    links = replay(topology=world, controllers=["max_min"]).links.collect()
    assert set(links.filter(pl.col("congested_share") == 1)["link"]) == congested
    assert links["queue_packets"].is_null().all(), "nothing waits in a model"
    assert links.filter(pl.col("utilisation") > 1.05).is_empty()


def values_of(name):
    return next(item.values for item in items() if item.id == name)


def test_control_of_fewer_than_20_links_stays_below_its_share():
    """S003 sec. III-B, four bytes a link; the engine's `control_bytes` is held to them by its own test."""
    printed = values_of("S003-claim-12")
    packet = values_of("S003-table1-packet")["bytes"]
    most, beyond = (4 * links / packet for links in (printed["links"] - 1, printed["links"]))
    assert most < printed["share"] < beyond


def test_ethernet_is_used_as_s001_cites_it():
    """IEEE 802.3: 1500 octets of payload with header, FCS, preamble and the gap of 12 octets."""
    payload, header, fcs, preamble, gap = 1500, 14, 4, 8, 12
    share = payload / (payload + header + fcs + preamble + gap)
    assert share == pytest.approx(values_of("S001-const-ethernet-util")["wired"], abs=0.01)


@pytest.mark.parametrize(("medium", "delivered"), [("wired", True), ("wireless", False)])
def test_bit_error_rates_of_the_paper_leave_radio_no_frames(medium, delivered):
    """S001 sec. 2, at the lower end of each range; 1340 octets with all headers over one hop."""
    (rates,) = (item.values for item in items() if item.id == "S001-const-ber")
    least, _ = sorted(rates[medium])
    world = chain(1, 20)
    links = [
        {**link, "medium": {"wireless": {**link["medium"]["wireless"], "loss": 1 - (1 - least) ** (8 * 1340)}}}
        for link in world["links"]
    ]
    summary = replay(topology={**world, "links": links}, controllers=["new_reno"]).summary
    assert (summary["throughput_bps"].item() > 1e6) == delivered


def test_routes_are_weighed_by_what_existing_traffic_measured(tmp_path):
    """A to D over B and over C: products of what C3TCP measured on the hops, without a frame sent for it."""
    import duckdb

    def sent(sender, receiver, start_us, payload):
        return exchange(start_us, sender=sender, receiver=receiver, payload=payload, queue_ns=0, access_ns=2_000_000)

    hops = [(A, B, 1460), (B, D, 1460), (A, C, 730), (C, D, 730)]
    rows = [
        sent(sender, receiver, 10_000.0 * number, payload) for number, (sender, receiver, payload) in enumerate(hops, 1)
    ]
    estimates = estimate(table(rows), ["c3tcp"], ["paper"])
    query = named_query("route_products")
    estimates.write_parquet(tmp_path / "estimates.parquet")
    database = duckdb.connect()
    database.execute(f"create view estimates as from '{tmp_path / 'estimates.parquet'}'")
    rows = database.execute(query.sql, {"from": A, "to": D, "mode": "paper", "hops": 4}).fetchall()
    found = pl.DataFrame(rows, schema=[column[0] for column in database.description], orient="row")
    assert found["route"].to_list() == [f"{A} {B} {D}", f"{A} {C} {D}"]
    assert found["hops"].to_list() == [2, 2]
    larger, smaller = found["product_bytes"]
    assert larger == pytest.approx(2 * smaller, rel=0.2)


def dumbbell(starts_s, seconds):
    """Greedy flows over one wire of 8 Mbit/s, with a round-trip time of 60 ms."""
    names, links, flows = ["a", "b"], [w.wired("a", "b", 8_000_000, 20_000_000, queue=500)], []
    for number, start_s in enumerate(starts_s):
        source, sink = f"source-{number}", f"sink-{number}"
        names += [source, sink]
        links += [w.wired(source, "a", 100_000_000, 5_000_000), w.wired("b", sink, 100_000_000, 5_000_000)]
        flows.append(w.flow(f"flow-{number}", [source, "a", "b", sink], start_s=start_s))
    return {
        **FREE,
        "name": "dumbbell",
        "duration_ns": seconds * w.SECOND,
        "nodes": w.nodes(names),
        "links": links,
        "flows": flows,
    }


def late(replayed, since_s):
    """Mean throughput of each flow from then on, bit/s."""
    flows = replayed.flows.filter(pl.col("t_ns") >= since_s * w.SECOND)
    return dict(flows.group_by("flow").agg(pl.col("throughput_bps").mean()).collect().iter_rows())


@pytest.mark.parametrize(("gamma", "least", "most"), [(0.1, 0.45, 0.55), (0.0, 0.0, 0.1)])
def test_shuffling_gives_a_new_flow_a_share_of_a_full_link(gamma, least, most):
    """S000 sec. 4.1: ten seconds after it began on a link that is full a flow has half of it, or next to nothing."""
    settings = {"xcp": {"router": {"gamma": gamma}}}
    rates = late(replay(topology=dumbbell([0, 20], 40), controllers=["xcp"], settings=settings), 30)
    assert least < rates["flow-1"] / sum(rates.values()) < most


@pytest.mark.parametrize("alpha", [0.4, 0.6])
@pytest.mark.parametrize("beta", [0.2, 0.6])
@pytest.mark.parametrize("eta", [0.95, 0.99])
def test_rcp_is_stable_over_the_recommended_constants(alpha, beta, eta):
    """S000 sec. 4.2: four flows get eta of the link, less headers of 40 bytes, in equal parts."""
    settings = {"rcp": {"alpha": alpha, "beta": beta, "eta": eta}}
    rates = late(replay(topology=dumbbell([0, 0.5, 1, 1.5], 20), controllers=["rcp"], settings=settings), 10)
    assert sum(rates.values()) == pytest.approx(eta * 8e6 / 1.04, rel=0.02)
    assert min(rates.values()) > 0.99 * max(rates.values())


def test_reno_starves_the_middle_of_the_stack_as_tcp_with_sack_does():
    """S003 sec. IV-A: the results of TCP Reno are qualitatively similar."""
    world = neighbourhood("stack", 40)
    plain = {"sack": False, "partial_acks": False}
    for transport in ({}, plain):
        flows = [{**flow, "transport": {**flow["transport"], **transport}} for flow in world["flows"]]
        summary = replay(topology={**world, "flows": flows}, controllers=["new_reno"]).summary
        rates = dict(summary.select("flow", "throughput_bps").iter_rows())
        assert 4 * rates["4-6"] < sum(rates.values()) / 3


def test_a_window_goes_through_the_four_phases_of_s001_fig_1():
    """Slow start, avoidance, halving at duplicates, one segment after a timeout; segments of 1000 bytes."""
    replayed = replay(topology=string(45, 0), controllers=["new_reno"], bin_width=w.SECOND // 20)
    flows = replayed.flows.filter(pl.col("flow") == "tcp", pl.col("t_ns") >= 3 * w.SECOND).sort("t_ns").collect()
    columns = ("window_bytes", "slow_start_threshold_bytes", "timeouts", "retransmissions")
    bins = list(flows.select(columns).iter_rows())
    pairs = list(pairwise(bins))
    first = [window for window, threshold, *_ in bins[:5] if threshold is None]
    assert first[-1] > 3 * first[0], "the window multiplies before there is a threshold"
    undisturbed = [(a, b) for a, b in pairs if a[1] and a[1] == b[1] and not b[2] and not b[3] and a[0] > a[1] + 1000]
    assert 0 < sum(b[0] - a[0] for a, b in undisturbed) / len(undisturbed) < 1000, (
        "then it grows by less than a segment"
    )
    halved = [b[0] / a[0] for a, b in pairs if b[3] == 1 and not b[2] and a[1] and b[1] < a[0]]
    assert sum(halved) / len(halved) == pytest.approx(0.5, abs=0.15)
    after = [b[0] for _, b in pairs if b[2]]
    assert after
    assert min(after) <= 2000, "it begins again"
