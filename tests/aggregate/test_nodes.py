"""A node's estimate over its links."""

import polars as pl

from winf_analyzer._aggregate.nodes import aggregate_node

LINK = {"source": "s", "observer": None, "node": "a", "state": "sender", "window_start_ns": 0, "sender": "a"}


def test_a_link_without_available_bandwidth_does_not_lift_that_of_the_node_above_its_capacity():
    links = [
        LINK | {"receiver": "b", "capacity_bps": 8e6, "available_bps": 1.1e6, "exchanges": 1, "bits": 10},
        LINK | {"receiver": "c", "capacity_bps": 1e6, "available_bps": None, "exchanges": 1, "bits": 90},
    ]
    node = aggregate_node(pl.DataFrame(links)).row(0, named=True)
    assert node["capacity_bps"] == node["available_bps"] == 100 / (10 / 8e6 + 90 / 1e6)


def test_rates_are_harmonic_means_weighted_with_the_bits():
    links = [
        LINK | {"receiver": "b", "capacity_bps": 8e6, "available_bps": 4e6, "exchanges": 1, "bits": 10},
        LINK | {"receiver": "c", "capacity_bps": 1e6, "available_bps": 5e5, "exchanges": 3, "bits": 90},
    ]
    node = aggregate_node(pl.DataFrame(links)).row(0, named=True)
    assert node["capacity_bps"] == 2 * node["available_bps"] == 100 / (10 / 8e6 + 90 / 1e6)
    assert node["exchanges"] == 4
