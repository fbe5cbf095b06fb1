"""Scenarios: flows left out and added, rates and queues changed, and worlds saved as files."""

from __future__ import annotations

import copy
import json

import polars as pl
import pytest

import winf_analyzer
from winf_analyzer import _core
from winf_analyzer._replay import convergence
from winf_analyzer._replay.scenarios import changed, parse_flow, parse_rate, shortened
from winf_analyzer._replay.topologies import build
from winf_analyzer._replay.world_files import save_world, world_to_toml
from winf_analyzer._util.errors import UsageError


def test_the_given_world_stays():
    world = build("stack")
    before = copy.deepcopy(world)
    changed(world, without=[world["flows"][0]["name"]], add_flows=["1>3"], changes={"queue": 7, "link.rate": "2x"})
    assert world == before


def test_rates_and_queues():
    world = build("chain:2")
    found = changed(world, changes={"link.rate": "2x", "queue": 7, "mac.cw_min": 15, "link.loss": 0.1})
    wireless = [link["medium"]["wireless"] for link in found["links"]]
    assert {link["rate_bps"] for link in wireless} == {22_000_000}
    assert {link["loss"] for link in wireless} == {0.1}
    assert {link["queue"]["packets"] for link in found["links"]} == {7}
    assert found["mac"]["cw_min"] == 15


@pytest.mark.parametrize(("value", "lifetime_ns"), [("500ms", 500_000_000), (512_000_000, 512_000_000), ("none", None)])
def test_a_lifetime_is_set_in_every_queue_beside_its_packets(value, lifetime_ns):
    world = build("chain:2")
    world["nodes"][0]["interface_queue"] = {"packets": 9, "lifetime_ns": 1}
    before = [link["queue"]["packets"] for link in world["links"]]
    world["links"][-1].pop("queue")
    found = changed(world, changes={"queue_lifetime": value})
    assert {link["queue"]["lifetime_ns"] for link in found["links"]} == {lifetime_ns}
    packets = [link["queue"]["packets"] for link in found["links"]]
    assert packets == [*before[:-1], 50], (
        "the engine's own where none is declared, which refuses queues without a limit"
    )
    assert found["nodes"][0]["interface_queue"] == {"packets": 9, "lifetime_ns": lifetime_ns}


def test_a_long_world_of_many_flows_is_cut():
    flows = [{"name": str(n), "start_ns": n * 10**9} for n in range(2, 12)]
    world = {"duration_ns": 300 * 10**9, "flows": [*flows, {"name": "other", "background": True}]}
    found, cut = shortened(world, 100)  # 10 s for each of ten flows, from the beginning of the first
    assert found["duration_ns"] == 12 * 10**9
    assert [flow["name"] for flow in found["flows"]] == [*"23456789", "10", "11", "other"]
    assert cut == "the first 12 s of 300 s are replayed"
    found, cut = shortened(world, 1)
    assert found["duration_ns"] == 7 * 10**9  # five seconds at least
    assert [flow["name"] for flow in found["flows"]] == [*"23456", "other"]
    assert cut == "the first 7 s of 300 s are replayed, without 5 flows that begin later"
    assert shortened(world, 3000) == (world, "")


def test_one_link():
    world = build("chain:2")
    a, b = world["links"][0]["from"], world["links"][0]["to"]
    found = changed(world, changes={f"link.{a}>{b}.rate": "5.5M"})
    assert [link["medium"]["wireless"]["rate_bps"] for link in found["links"]] == [5_500_000, 11_000_000]


def test_measured_airtimes_do_not_outlive_the_rate():
    world = build("chain:1")
    point = {"packet_bytes": 1000, "airtime_ns": 1_000_000}
    world["links"][0]["medium"]["wireless"]["airtimes"] = [point]
    assert "airtimes" in changed(world, changes={"link.loss": 0.1})["links"][0]["medium"]["wireless"]
    assert "airtimes" not in changed(world, changes={"link.rate": "54M"})["links"][0]["medium"]["wireless"]


@pytest.mark.parametrize(("text", "rate"), [("54M", 54_000_000), ("5.5m", 5_500_000), (11e6, 11_000_000), ("2x", 4000)])
def test_rates(text, rate):
    assert parse_rate(text, present=2000) == rate


@pytest.mark.parametrize(
    "changes",
    [
        {"queue": 0},
        {"queue": "many"},
        {"queue": True},
        {"queue_lifetime": "long"},
        {"queue_lifetime": 0},
        {"queue_lifetime": 0.5},
        {"queue_lifetime": True},
        {"link.rate": "fast"},
        {"link.rate": "0"},
        {"link.rate": "9e99"},
        {"link.loss": 1.0},
        {"link.nobody>noone.rate": "1M"},
        {"link.colour": 1},
        {"mac": 1},
        {"link": 1},
    ],
)
def test_changes_that_make_no_sense(changes):
    with pytest.raises(UsageError, match=r"--set|rate"):
        changed(build("chain:2"), changes=changes)


def test_added_flows_take_a_shortest_path():
    world = build("chain:3")
    names = [node["name"] for node in world["nodes"]]
    flow = parse_flow(f"{names[0]}>{names[-1]},start=1s,stop=2s", world)
    assert (flow["path"], flow["start_ns"], flow["stop_ns"]) == (names, 1_000_000_000, 2_000_000_000)
    assert "source" not in flow, "a bulk transfer"
    flow = parse_flow(f"{names[3]}>{names[1]},rate=300k,size=500,name=back", world)
    assert (flow["path"], flow["name"], flow["ack_bytes"]) == (names[3:0:-1], "back", 0)
    assert (flow["source"], flow["payload_bytes"]) == ({"cbr": {"rate_bps": 300_000}}, 500)
    found = changed(world, add_flows=[f"{names[0]}>{names[1]}"])
    assert _core.has_max_min(json.dumps(found)) in (True, False), "the engine takes it"


@pytest.mark.parametrize("spec", ["", "a", "1>", "1>nobody", "1>2,colour=red", "1>2,size=0", "1>2,start=soon", "1>2>1"])
def test_flows_that_make_no_sense(spec):
    with pytest.raises(UsageError):
        parse_flow(spec, build("chain:2"))


def test_flows_that_are_not_there():
    with pytest.raises(UsageError, match="no flow 'nobody' to leave out"):
        changed(build("chain:2"), without=["nobody"])


@pytest.mark.parametrize("name", ["stack", "chain:3", "mesh_mobiles"])
def test_saved_worlds_are_the_same(name):
    world = build(name)
    mine = json.loads(_core.world_from_toml(world_to_toml(world, ["two\nlines"])))
    again = json.loads(_core.world_from_toml(world_to_toml(mine)))
    assert mine == again
    assert [flow["name"] for flow in mine["flows"]] == [flow["name"] for flow in world["flows"]]


def test_a_world_with_a_mpdus_survives_and_carries_more(tmp_path):
    world = build("chain:1")
    world["mac"] = {"preset": "802.11g", "mac_header_bytes": 30}
    for link in world["links"]:
        link["medium"]["wireless"]["rate_bps"] = 65_000_000
    several = changed(world, changes={"mac.aggregation.max_ampdu_ns": 2_000_000})
    mine = json.loads(_core.world_from_toml(world_to_toml(several)))
    assert mine["mac"]["aggregation"]["max_ampdu_ns"] == 2_000_000
    assert mine["mac"]["aggregation"]["block_ack_window"] == 64, "fields that are not given have their defaults"
    throughput = {}
    for name, given in (("single", world), ("several", several)):
        (file := tmp_path / f"{name}.toml").write_text(world_to_toml(given))
        run = winf_analyzer.replay(topology=file, controllers=["new_reno"], duration="5s")
        throughput[name] = run.summary["throughput_bps"].sum()
    assert throughput["several"] > 1.5 * throughput["single"]


def test_odd_names_survive():
    world = build("chain:1")
    odd = 'a "quoted" \\ name\x7f, ü'
    world["flows"][0]["name"] = odd
    assert json.loads(_core.world_from_toml(world_to_toml(world)))["flows"][0]["name"] == odd


def test_a_recorded_world_replays_from_its_file_to_the_same_bits(sample, tmp_path):
    dataset = winf_analyzer.ingest([sample("ns3_tcp") / "recording"], tmp_path / "run.winf")
    file = tmp_path / "world.toml"
    first = winf_analyzer.replay(dataset, controllers=["new_reno", "vegas"], draws=0, save_world=file)
    again = winf_analyzer.replay(topology=file, controllers=["new_reno", "vegas"], replay_id=first.replay_id)
    assert file.read_text().startswith("# ")
    assert again.summary.drop("origin_ns").equals(first.summary.drop("origin_ns"), null_equal=True)
    with pytest.raises(UsageError, match="exists already"):
        save_world({}, file)


def test_a_recorded_flow_left_out_is_lifted_from_the_recording(sample, tmp_path):
    dataset = winf_analyzer.ingest([sample("ns3_rts_link") / "recording"], tmp_path / "run.winf")
    first, second = "udp 10.0.0.1:5000 10.0.0.2:5000", "udp 10.0.0.3:5000 10.0.0.4:5000"
    names = winf_analyzer.replay(dataset, controllers=["new_reno"]).summary["flow"].to_list()
    assert {first} <= set(names)
    left = [name for name in names if name != first]
    if not left:
        pytest.skip(f"one flow only; {second} is not there")
    result = winf_analyzer.replay(dataset, controllers=["new_reno"], without=[first])
    assert result.summary["flow"].to_list() == left
    with pytest.raises(UsageError, match="leaves none"):
        winf_analyzer.replay(dataset, controllers=["new_reno"], without=names)


def test_a_rate_that_still_rises_has_not_converged():
    rising = [float(n) for n in range(32)]
    flows = convergence.unconverged(_run_of(rising))
    assert flows.height == 1
    (note,) = convergence.notes(flows, _known(), 12_000_000_000)
    assert "wcp (corrected) has not converged in 12 s" in note
    assert convergence.unconverged(_run_of([5.0] * 32)).is_empty()
    assert convergence.unconverged(_run_of([5.0, 9.0] * 16)).is_empty(), "it swings, around the same mean"


def test_a_pacing_rate_that_still_rises_has_not_converged():
    """A few packets per second arrive in some bins and not in others."""
    slow = [0.0, 0.0, 8.0, 0.0] * 8
    rising = convergence.unconverged(_run_of(slow, paces=[10.0 + n for n in range(32)]))
    assert rising["rate"].to_list() == ["pacing_bps"]
    (note,) = convergence.notes(rising, _known(), 12_000_000_000)
    assert "from the third to the fourth quarter of the flows the pacing rates of f " in note
    for steady in ([10.0] * 32, [10.0, 14.0] * 16, None):
        assert convergence.unconverged(_run_of(slow, paces=steady)).is_empty()


def test_the_summary_says_what_has_converged():
    settled = _run_of([5.0] * 32).with_columns(flow=pl.lit("settled"))
    parts = pl.concat([_run_of([float(n) for n in range(32)]), settled])
    names = ["f", "settled", "short"]
    summary = pl.DataFrame({"controller": "wcp", "mode": "corrected", "flow": names, "converged": None, "seed": 1})
    found = convergence.with_converged(summary, parts)
    assert found.columns == summary.columns
    assert found["converged"].to_list() == [False, True, None]


@pytest.mark.parametrize("bins", [8, 12, 20, 32, 50])
def test_a_run_of_few_bins_may_not_have_converged(bins):
    """A bulk transfer in place of a recorded flow ends a moment before the run."""
    later = [5.0 + 0.1 * (n % 2) + 2.0 * (n >= 0.75 * bins) for n in range(bins)]
    assert convergence.unconverged(_run_of(later, end=bins - 0.01)).height == 1
    assert convergence.unconverged(_run_of([5.0] * bins, end=bins - 0.01)).is_empty()
    assert convergence.unconverged(_run_of([5.0, 9.0] * (bins // 2), end=bins - 0.01)).is_empty()


def test_a_run_of_hardly_any_bins_tells_nothing():
    assert convergence.unconverged(_run_of([1.0, 2.0, 4.0, 8.0])).is_empty()


def _known(**converged):
    """A summary; of the controllers it names all flows have converged or not, or nothing is known."""
    rows = [
        {"controller": name, "mode": "corrected", "flow": "f", "converged": known} for name, known in converged.items()
    ]
    schema = {"controller": pl.String, "mode": pl.String, "flow": pl.String, "converged": pl.Boolean}
    return pl.DataFrame(rows, schema=schema)


def test_a_steady_pace_to_which_nothing_comes_back_is_not_known_to_have_settled():
    """One packet arrives in the first quarter; or one in the third and in the fourth, or in the fourth alone."""
    for arrivals, known in (([2], None), ([18, 26], True), ([26], None), ([18], None)):
        rates = [8.0 * (n in arrivals) for n in range(32)]
        parts = _run_of(rates, end=20 if known is None and arrivals == [18] else None, paces=[10.0] * 32)
        summary = pl.DataFrame({"controller": "wcp", "mode": "corrected", "flow": ["f"], "converged": None})
        assert convergence.with_converged(summary, parts)["converged"].to_list() == [known], arrivals
    rising = _run_of([0.0] * 32, paces=[10.0 + n for n in range(32)])
    assert convergence.with_converged(summary, rising)["converged"].to_list() == [False], "it changes all the same"


def test_it_is_said_of_which_controllers_nothing_is_known():
    summary = _known(wcp=None, cubic=True, bbr=None, xcp=False, max_min=None)
    (note,) = convergence.notes(convergence.unconverged(_run_of([5.0] * 32)), summary, 12_000_000_000)
    assert note.startswith("whether the flows of wcp, bbr have converged is not known: ")
    assert convergence.undecided_sentence(_known(wcp=True)) == ""


def _run_of(rates, end=None, paces=None):
    """Parts of a run of as many bins as there are rates; `paces`: of its source, if it paces."""
    bins = len(rates)
    run = {"controller": "wcp", "mode": "corrected", "flow": "f"}
    flows = pl.DataFrame(
        [run | {"t_ns": 1000 * n, "width_ns": 1000, "throughput_bps": rate} for n, rate in enumerate(rates)]
    ).with_columns(pacing_bps=pl.lit(None, pl.Float64) if paces is None else pl.Series(paces))
    row = run | {"start_ns": 0, "end_ns": round(1000 * (end or bins)), "duration_ns": 1000 * bins}
    return convergence.quarters(flows, pl.DataFrame([row]))


def test_of_flows_that_end_before_the_run_pacing_rates_alone_tell():
    """Others come and go meanwhile, and change what they get."""
    rates = [float(n) for n in range(32)]
    assert convergence.unconverged(_run_of(rates, end=20)).is_empty()
    assert convergence.unconverged(_run_of(rates, end=20, paces=[9.0] * 32)).is_empty()
    (found,) = convergence.unconverged(_run_of([1.0] * 32, end=20, paces=rates)).iter_rows(named=True)
    assert (found["rate"], found["third_bps"], found["fourth_bps"]) == ("pacing_bps", 12.0, 17.0), "of 20 bins"
    parts = _run_of(rates, end=20)
    summary = pl.DataFrame({"controller": "wcp", "mode": "corrected", "flow": ["f"], "converged": None})
    assert convergence.with_converged(summary, parts)["converged"].to_list() == [None]


@pytest.mark.parametrize(
    ("key", "value", "says"),
    [
        ("mac.cw_min", 15.5, "invalid type: floating point `15.5`, expected u32"),
        ("mac.cw_min", "many", 'invalid type: string "many", expected u32'),
        ("mac.nosuch", 1, "unknown field `nosuch`, expected one of `slot_ns`, "),
    ],
)
def test_errors_of_the_engine_name_no_place_in_json_that_the_user_never_sees(key, value, says):
    with pytest.raises(UsageError) as raised:
        winf_analyzer.replay(topology="chain:1", controllers=["new_reno"], duration="1s", changes={key: value})
    assert says in str(raised.value)
    assert "column" not in str(raised.value)
