"""What stands in for the testbed of S003 has the parameters of its section V."""

import pytest

from winf_analyzer._papers import items
from winf_analyzer._papers.reproductions import _testbed as testbed
from winf_analyzer._papers.reproductions._metrics import METRICS
from winf_analyzer._papers.reproductions._rows import RunTables
from winf_analyzer._papers.reproductions._studies.s003_testbed import STUDIES


def printed(name):
    return next(item.values for item in items() if item.id == name)


def worlds():
    return [testbed.stack_without_rts(10.0), testbed.stack_at_rate(300.0, 10.0), testbed.fourteen_nodes(1, 10.0)]


@pytest.mark.parametrize("world", worlds(), ids=lambda world: world["name"])
def test_the_stack_of_the_testbed_has_its_parameters(world):
    values = printed("S003-proc-testbed")
    assert world["mac"] == {"preset": "802.11b"}, "no RTS/CTS"
    media = [link["medium"]["wireless"] for link in world["links"]]
    assert {medium["rate_bps"] for medium in media} == {11_000_000}
    assert all(0 < medium["loss"] < values["loss_below"] for medium in media)
    for flow in world["flows"]:
        assert flow["transport"]["receive_window_bytes"] == values["buffer_packets"] * flow["payload_bytes"]


def test_runs_are_as_long_and_as_many():
    values = printed("S003-proc-testbed")
    assert {(study.seconds, study.seeds) for study in STUDIES} == {(values["duration_s"], values["runs"])}


@pytest.mark.parametrize("number", [1, 2, 3, 4, 5])
def test_five_flows_cross_a_network_of_14_nodes(number):
    world = testbed.fourteen_nodes(number, 10.0)
    values = printed("S003-claim-50")
    assert (len(world["nodes"]), len(world["flows"])) == (values["nodes"], values["flows"])
    assert all(len(flow["path"]) > 2 for flow in world["flows"]), "two hops or more"
    ends = [end for flow in world["flows"] for end in (flow["path"][0], flow["path"][-1])]
    assert len(set(ends)) == 2 * len(world["flows"])
    assert world != testbed.fourteen_nodes(number + 1, 10.0)
    assert world == testbed.fourteen_nodes(number, 10.0)


def test_a_flow_starves_with_less_than_a_quarter_of_the_mean():
    import polars as pl

    flows = pl.DataFrame({"flow": ["a", "b", "c"], "throughput_bps": [100.0, 9.0, 9.1]})
    rows = RunTables(flows, pl.DataFrame(), pl.DataFrame())
    assert METRICS["starved"].of(rows) == 2.0
    assert METRICS["least_throughput"].of(rows) == 9.0
    even = RunTables(flows.with_columns(throughput_bps=pl.lit(5.0)), pl.DataFrame(), pl.DataFrame())
    assert METRICS["starved"].of(even) == 0.0
