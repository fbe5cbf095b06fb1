"""Claims of the papers that a run decides without being a curve."""

import polars as pl
import pytest
from exchange_builder import A, B, C, D, exchange, table

from winf_analyzer._papers import items
from winf_analyzer._papers.reproductions._worlds import chain, offered_max_min
from winf_analyzer._replay import replay
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
