"""A simulator's goodput as a log of iperf3, held against the recording of the same run."""

from __future__ import annotations

import re
from pathlib import Path

import iperf3
import pcaps
import polars as pl
import pytest
import rewriting
from folders import ROOT

import winf_analyzer
from winf_analyzer import UnusableInput, UsageError
from winf_analyzer._evaluate import _note
from winf_analyzer._evaluate.align import WHOLE, LocatedFlow, _align
from winf_analyzer._evaluate.correlation import Peak
from winf_analyzer._evaluate.flows import measured_flows
from winf_analyzer._evaluate.replayed import replayed_rates
from winf_analyzer._schema import schema, tables

SNIFFER = ROOT / "sample_captures" / "ns3_sniffer"
CAPTURE = SNIFFER / "recording" / "sniffer.pcap"
EPOCH_S = 1_760_000_000
S = 10**9
INTERVAL_NS = S // 10
STATION, AP = "00:00:00:00:00:02", "00:00:00:00:00:01"
FLOW = "udp 10.0.0.1:5000 10.0.0.2:5000"
ENDS = {
    FLOW: ("10.0.0.2:5000", "10.0.0.1:5000"),
    "udp 10.0.0.1:5001 10.0.0.3:5001": ("10.0.0.1:5001", "10.0.0.3:5001"),
    "udp 10.0.0.1:5003 10.0.0.4:5003": ("10.0.0.4:5003", "10.0.0.1:5003"),
}


def goodput(flow: str = FLOW) -> list[iperf3.Window]:
    return iperf3.goodput(SNIFFER / "truth_goodput.csv", flow)


def write_log(path: Path, flow: str = FLOW, *, epoch_s: int | None = EPOCH_S, **options) -> Path:
    sender, receiver = ENDS[flow]
    return iperf3.write_server_log(path, goodput(flow), sender=sender, receiver=receiver, epoch_s=epoch_s, **options)


@pytest.fixture(scope="module")
def simulated(tmp_path_factory) -> winf_analyzer.Dataset:
    """The sample as it is: time zero is the start of the simulation."""
    dataset = winf_analyzer.ingest([CAPTURE], tmp_path_factory.mktemp("simulated") / "run.winf")
    winf_analyzer.estimate(dataset, window="200ms")
    return dataset


@pytest.fixture(scope="module")
def dated(tmp_path_factory) -> winf_analyzer.Dataset:
    """The sample as if it had begun 0.7 s after a whole second of 2025."""
    folder = tmp_path_factory.mktemp("dated")
    shift = EPOCH_S * S + 700_000_000
    frames = [rewriting.Record(each.ns + shift, each.octets, each.length) for each in rewriting.records(CAPTURE)]
    rewriting.write(folder / "sniffer.pcap", frames)
    dataset = winf_analyzer.ingest([folder / "sniffer.pcap"], folder / "run.winf")
    winf_analyzer.estimate(dataset, window="200ms")
    return dataset


def sanity(result: winf_analyzer.Comparison) -> dict[str, object]:
    """The row that compares the recording's goodput with the log's."""
    (row,) = result.scores.filter(quantity="goodput").rows(named=True)
    return row


@pytest.mark.parametrize("epoch_s", [EPOCH_S, None])
@pytest.mark.parametrize("flow", ENDS)
def test_a_shift_is_recovered_by_correlation(simulated, tmp_path, flow, epoch_s):
    row = sanity(winf_analyzer.compare(simulated, [write_log(tmp_path / "log.json", flow, epoch_s=epoch_s)]))
    assert (row["aligned_by"], row["matched_by"]) == ("correlation", "addresses")
    expected = -(epoch_s or 0) * S
    assert row["offset_ns"] == pytest.approx(expected, abs=INTERVAL_NS // 20), "a twentieth of the log's interval"
    assert row["peak"] > 0.99
    assert row["second_peak"] < 0.9
    assert row["mape"] < 0.1


def test_absolute_time_is_refined_where_iperf_stamps_whole_seconds(dated, tmp_path):
    row = sanity(winf_analyzer.compare(dated, [write_log(tmp_path / "log.json")]))
    assert row["aligned_by"] == "refined"
    assert row["offset_ns"] == pytest.approx(700_000_000, abs=INTERVAL_NS // 20)
    assert row["mape"] < 0.05


def test_absolute_time_alone_where_the_flow_is_not_in_the_recording(dated, tmp_path):
    log = iperf3.write_server_log(
        tmp_path / "other_run.json",
        [(n * S, S, 6e6) for n in range(9)],
        sender="192.0.2.1:40000",
        receiver="192.0.2.2:5201",
        epoch_s=EPOCH_S + 2,
    )
    result = winf_analyzer.compare(dated, [log], link=(STATION, AP))
    rows = result.scores
    aligned = rows.select("aligned_by", "offset_ns", "peak", "matched_by").unique()
    assert aligned.rows() == [("absolute", 0, None, "link")]
    assert rows["quantity"].unique().sort().to_list() == ["available", "capacity"]
    own = rows.filter(estimator="rt_winf", mode="corrected", quantity="available", state="sender").row(0, named=True)
    share = 1472 / 1508
    assert own["payload_share"] == pytest.approx(share, abs=0.01)
    assert own["truth_bps"] == pytest.approx(6e6 / own["payload_share"])
    assert own["windows"] == 9, "the log's intervals are longer than the windows of the estimates"
    expected = winf_analyzer.sql(
        dated,
        f"""select avg(available_bps) from estimates where estimator = 'rt_winf' and mode = 'corrected'
            and sender = '{STATION}' and receiver = '{AP}' and state = 'sender'
            and window_start_ns between {(EPOCH_S + 2) * S} and {(EPOCH_S + 11) * S - 1}""",
    ).item()
    assert own["estimate_bps"] == pytest.approx(expected)
    assert "not in the recording" in result.notes[0]


def test_an_offset_given_is_taken(simulated, dated, tmp_path):
    stamped, bare = write_log(tmp_path / "log.json"), write_log(tmp_path / "bare.json", epoch_s=None)
    row = sanity(winf_analyzer.compare(dated, [stamped], offset="0.7s"))
    assert (row["aligned_by"], row["offset_ns"]) == ("offset", 700_000_000)
    assert row["mape"] < 0.05
    first_ns = winf_analyzer.sql(simulated, "select min(start_ns) from exchanges").item()
    row = sanity(winf_analyzer.compare(simulated, [bare], offset=-first_ns))
    assert row["offset_ns"] == 0, "counted from the first exchange where the log tells no time"


def test_a_flow_whose_addresses_cannot_be_read_is_found_by_its_course(simulated, tmp_path):
    log = iperf3.write_server_log(
        tmp_path / "log.json", goodput(), sender="192.0.2.1:40000", receiver="192.0.2.2:5201", epoch_s=None
    )
    result = winf_analyzer.compare(simulated, [log])
    row = sanity(result)
    assert (row["matched_by"], row["sender"], row["receiver"]) == ("correlation", STATION, AP)
    assert row["offset_ns"] == pytest.approx(0, abs=INTERVAL_NS // 2)
    assert "most similar throughput" in result.notes[0]


def test_ports_may_differ(simulated, tmp_path):
    log = iperf3.write_server_log(
        tmp_path / "log.json", goodput(), sender="10.0.0.2:40000", receiver="10.0.0.1:5201", epoch_s=None
    )
    row = sanity(winf_analyzer.compare(simulated, [log]))
    assert (row["matched_by"], row["sender"], row["receiver"]) == ("hosts", STATION, AP)


def test_several_logs_at_once(simulated, tmp_path):
    logs = [write_log(tmp_path / f"{number}.json", flow) for number, flow in enumerate(ENDS)]
    result = winf_analyzer.compare(simulated, logs)
    found = result.scores.filter(quantity="goodput").select("log", "flow").rows()
    assert found == [(f"{number}.json", flow) for number, flow in enumerate(ENDS)]
    assert len(result.notes) == 3


def test_what_is_compared(simulated, tmp_path):
    result = winf_analyzer.compare(simulated, [write_log(tmp_path / "log.json")])
    assert result.scores.schema == schema("scores")
    assert result.windows.schema == schema("comparison")
    assert winf_analyzer.sql(simulated, "select * from scores").equals(result.scores)
    assert winf_analyzer.sql(simulated, "select * from comparison").equals(result.windows)
    asked = winf_analyzer.sql(simulated, "select distinct estimator, mode from estimates where sender is not null")
    scored = result.scores.filter(pl.col("estimator") != "recording").select("estimator", "mode").unique()
    assert set(scored.rows()) <= {*asked.rows(), ("recommended", "corrected")}
    assert ("recommended", "corrected") in scored.rows()
    assert ("rt_winf", "corrected") in scored.rows()
    assert set(result.scores["quantity"]) == {"capacity", "attainable", "goodput"}
    row = result.scores.filter(quantity="attainable", estimator="rt_winf", mode="corrected", state="sender").row(
        0, named=True
    )
    windows = result.windows.filter(quantity="attainable", estimator="rt_winf", mode="corrected", state="sender")
    assert row["windows"] == windows.height
    assert row["bias_bps"] == pytest.approx((windows["estimate_bps"] - windows["truth_bps"]).mean())
    (capacity,) = result.scores.filter(quantity="capacity", estimator="rt_winf", mode="corrected", state="sender")[
        "estimate_bps"
    ]
    assert row["truth_bps"] < row["estimate_bps"] < capacity, "available and own throughput share the capacity"
    assert 0.8 < row["sender_idle_share"] < 1, "the flow offers a tenth of what the link carries"
    assert "no verdict: the sender had nothing to send" in result.verdict[0]


def test_the_upper_bound_is_the_theoretical_maximum(simulated, tmp_path):
    estimates = winf_analyzer.sql(simulated, "select * from estimates where estimator in ('rt_winf', 'idle_gap')")
    bound = estimates.filter(estimator="rt_winf", mode="paper").with_columns(
        estimator=pl.lit("theoretical_maximum"), mode=pl.lit("corrected"), capacity_bps=pl.lit(12e6), available_bps=None
    )
    copy = winf_analyzer.ingest([CAPTURE], tmp_path / "copy.winf")
    copy.replace_table("estimates", pl.concat([estimates, bound]))
    result = winf_analyzer.compare(copy, [write_log(tmp_path / "log.json")])
    assert set(result.windows.filter(pl.col("quantity") != "goodput")["upper_bps"]) == {12e6}
    for row in result.scores.filter(quantity="capacity", state="sender").rows(named=True):
        windows = result.windows.filter(
            quantity="capacity", state="sender", estimator=row["estimator"], mode=row["mode"]
        )
        inside = windows.filter(pl.col("estimate_bps").is_between(pl.col("truth_bps"), 12e6)).height
        assert row["within_bounds"] == pytest.approx(inside / windows.height)


def test_a_log_of_longer_intervals_sets_the_windows(simulated, tmp_path):
    windows = goodput()
    joined = [
        (windows[n][0], 5 * INTERVAL_NS, sum(rate for _, _, rate in windows[n : n + 5]) / 5)
        for n in range(0, len(windows) - 4, 5)
    ]
    sender, receiver = ENDS[FLOW]
    log = iperf3.write_server_log(tmp_path / "log.json", joined, sender=sender, receiver=receiver, epoch_s=None)
    result = winf_analyzer.compare(simulated, [log], offset=0)
    assert result.windows["window_ns"].unique().to_list() == [5 * INTERVAL_NS]
    assert sanity(result)["windows"] >= 20


def test_a_simulators_own_truth(tmp_path):
    trace = ROOT / "sample_captures" / "ns2_rts_link" / "recording"
    dataset = winf_analyzer.ingest([trace], tmp_path / "run.winf")
    winf_analyzer.estimate(dataset, window="200ms")
    result = winf_analyzer.compare(dataset)
    rows = result.scores.filter(quantity="goodput")
    assert rows["aligned_by"].unique().to_list() == ["absolute"]
    assert rows["payload_share"].unique().to_list() == [1.0]
    assert rows.filter(sender="node-0")["mape"].max() < 0.02


def test_new_estimates_drop_the_comparison_of_the_old(simulated, tmp_path):
    winf_analyzer.compare(simulated, [write_log(tmp_path / "log.json")])
    winf_analyzer.estimate(simulated, window="200ms")
    for table in ("scores", "comparison"):
        assert winf_analyzer.sql(simulated, f"select * from {table}").is_empty()


def test_a_dataset_without_estimates_gets_them(tmp_path):
    dataset = winf_analyzer.ingest([CAPTURE], tmp_path / "run.winf")
    winf_analyzer.compare(dataset, [write_log(tmp_path / "log.json")])
    assert winf_analyzer.sql(dataset, "select count(*) from estimates").item() > 0


def test_a_rotated_set_is_one_recording(tmp_path):
    frames = list(rewriting.records(CAPTURE))
    middle = len(frames) // 2
    for name, part in (("a.pcap", frames[:middle]), ("b.pcap", frames[middle:])):
        rewriting.write(tmp_path / name, part)
    dataset = winf_analyzer.ingest([tmp_path / "a.pcap", tmp_path / "b.pcap"], tmp_path / "run.winf")
    winf_analyzer.estimate(dataset, window="200ms")
    result = winf_analyzer.compare(dataset, [write_log(tmp_path / "log.json")])
    rows = result.scores.filter(quantity="goodput")
    assert rows["source"].to_list() == ["a.pcap", "b.pcap"]
    assert rows["mape"].max() < 0.05
    assert rows["offset_ns"].to_list() == pytest.approx([-EPOCH_S * S] * 2, abs=INTERVAL_NS // 20)


def other_run(path: Path) -> Path:
    """The log of a test between the same hosts on another day, whose client had another port."""
    return iperf3.write_server_log(
        path, goodput(), sender="10.0.0.2:40000", receiver="10.0.0.1:5201", epoch_s=EPOCH_S + 86_400
    )


@pytest.mark.parametrize("off_s", [3, 3600])
def test_a_clock_that_is_far_off_is_found_if_the_flow_is_in_the_recording(dated, tmp_path, off_s):
    result = winf_analyzer.compare(dated, [write_log(tmp_path / "log.json", epoch_s=EPOCH_S + off_s)])
    row = sanity(result)
    assert row["aligned_by"] == "correlation"
    assert row["offset_ns"] == pytest.approx(700_000_000 - off_s * S, abs=INTERVAL_NS // 20)
    assert row["mape"] < 0.05
    assert "not in the recording" not in result.notes[0]


def test_a_clock_that_no_peak_tells_is_unknown(dated, tmp_path):
    """A level test that began before the recording and ended after it may be shifted at will."""
    level = [(n * S, S, 1e6) for n in range(30)]
    sender, receiver = ENDS[FLOW]
    log = iperf3.write_server_log(
        tmp_path / "log.json", level, sender=sender, receiver=receiver, epoch_s=EPOCH_S + 86_400
    )
    with pytest.raises(UnusableInput, match=r"its clock is unknown.*Give --offset\..*in the recording"):
        winf_analyzer.compare(dated, [log])
    forced = winf_analyzer.compare(dated, [log], link=(STATION, AP))
    assert set(forced.scores["aligned_by"]) == {"whole"}
    assert "not in the recording" not in forced.notes[0]


@pytest.mark.parametrize("is_inside", [True, False])
def test_the_end_of_the_search_is_no_peak(tmp_path, is_inside):
    (flow,) = measured_flows(winf_analyzer.read_truth(write_log(tmp_path / "log.json")))
    peak = Peak(-1_499_000_000, 0.97, 0.0, 1.0, is_inside)
    found = LocatedFlow(flow, (STATION, AP), "hosts", "", 0, peak, FLOW, 1508.0)
    aligned = _align(found, (-1_500_000_000, 1_500_000_000), None, absolute=True)
    assert aligned.aligned_by == ("refined" if is_inside else "absolute")
    said = "not at this clock but at offset -1.499s, where the search ends"
    assert (said in _note(aligned)) is not is_inside


def test_a_flow_that_moved_between_links_is_not_put_on_one(tmp_path):
    dataset = winf_analyzer.ingest([CAPTURE], tmp_path / "run.winf")
    moved = (pl.col("flow") == FLOW) & (pl.col("sender") == STATION) & (pl.col("end_ns") // S % 2 == 1)
    exchanges = dataset.scan("exchanges").with_columns(
        receiver=pl.when(moved).then(pl.lit("00:00:00:00:00:99")).otherwise("receiver")
    )
    dataset.replace_table("exchanges", exchanges.collect())
    log = write_log(tmp_path / "log.json")
    with pytest.raises(UnusableInput, match=f"moved between links, {STATION} > [0-9:]+ and {STATION} > "):
        winf_analyzer.compare(dataset, [log])


def test_a_log_of_another_day_is_compared_by_whole_runs(dated, tmp_path):
    log = other_run(tmp_path / "log.json")
    result = winf_analyzer.compare(dated, [log])
    assert set(result.scores["aligned_by"]) == {"whole"}
    assert set(result.scores["windows"]) == {1}
    assert set(result.scores["quantity"]) == {"capacity", "available"}
    assert "means of whole runs are compared" in result.notes[0]
    estimates = dated.scan("estimates").filter(
        estimator="rt_winf", mode="corrected", sender=STATION, receiver=AP, state="sender"
    )
    mean = estimates.filter(pl.col("covered_ns") >= 0.9 * pl.col("window_ns")).select(pl.col("available_bps").mean())
    row = result.scores.filter(estimator="rt_winf", mode="corrected", quantity="available", state="sender")
    assert row["estimate_bps"].to_list() == pytest.approx(mean.collect()["available_bps"].to_list())
    length_s = sum(width for _, width, _ in goodput()) / S
    payload_bps = sum(width * rate for _, width, rate in goodput()) / S / length_s
    assert row["truth_bps"].item() == pytest.approx(payload_bps / row["payload_share"].item(), rel=0.01)
    with pytest.raises(UnusableInput, match=r"log\.json, udp .*: no overlap: the log is 8638\d\.\d+ s after"):
        winf_analyzer.compare(dated, [log], offset="1s")


def test_a_log_that_overlaps_is_aligned_beside_one_that_does_not(dated, tmp_path):
    logs = [write_log(tmp_path / "early.json"), other_run(tmp_path / "late.json")]
    scores = winf_analyzer.compare(dated, logs).scores
    aligned = {log: set(rows["aligned_by"]) for (log,), rows in scores.group_by("log")}
    assert aligned == {"early.json": {"refined"}, "late.json": {"whole"}}


@pytest.mark.parametrize("epoch_s", [EPOCH_S + 1, None])
def test_the_offset_printed_can_be_given_back(dated, tmp_path, epoch_s):
    log = write_log(tmp_path / "log.json", epoch_s=epoch_s)
    found = winf_analyzer.compare(dated, [log])
    printed = re.search(r"offset ([+-][\d.]+s)", found.notes[0])[1]
    again = winf_analyzer.compare(dated, [log], offset=printed)
    assert sanity(again)["aligned_by"] == "offset"
    assert sanity(again)["offset_ns"] == sanity(found)["offset_ns"]
    assert printed in again.notes[0]


def test_a_flow_that_nobody_carried(simulated, tmp_path):
    log = iperf3.write_server_log(
        tmp_path / "log.json",
        [(n * S, S, 90e6) for n in range(8)],
        sender="192.0.2.1:40000",
        receiver="192.0.2.2:5201",
        epoch_s=None,
    )
    with pytest.raises(UnusableInput, match=r"no link of the recording has similar throughput.*--link"):
        winf_analyzer.compare(simulated, [log])
    whole = winf_analyzer.compare(simulated, [log], link=(STATION, AP))
    assert set(whole.scores["aligned_by"]) == {"whole"}
    result = winf_analyzer.compare(simulated, [log], link=(STATION, AP), offset="1s")
    assert set(result.scores["quantity"]) == {"capacity", "available"}


def test_links_that_carried_the_same_are_not_told_apart(tmp_path):
    dataset = winf_analyzer.ingest([CAPTURE], tmp_path / "run.winf")
    exchanges = dataset.scan("exchanges").filter(flow=FLOW, complete=True).with_columns(flow=pl.lit(None, pl.String))
    dataset.replace_table(
        "exchanges", pl.concat(exchanges.with_columns(sender=pl.lit(name)) for name in ("a", "b")).collect()
    )
    log = iperf3.write_server_log(
        tmp_path / "log.json", goodput(), sender="192.0.2.1:40000", receiver="192.0.2.2:5201", epoch_s=None
    )
    with pytest.raises(UnusableInput, match=r"several links have similar throughput, [ab],.* --link"):
        winf_analyzer.compare(dataset, [log])


def test_not_a_log(simulated, tmp_path):
    notes = tmp_path / "notes.txt"
    notes.write_text("channel 6, two rooms apart\n")
    with pytest.raises(UnusableInput, match=r"notes\.txt: no ground truth"):
        winf_analyzer.compare(simulated, [notes])
    with pytest.raises(UnusableInput, match="cannot be read"):
        winf_analyzer.compare(simulated, [tmp_path / "missing.json"])


def test_a_cut_log_is_told_and_used(simulated, tmp_path):
    text = write_log(tmp_path / "log.json").read_text()
    cut = tmp_path / "cut.json"
    cut.write_text(text[: len(text) * 2 // 3])
    result = winf_analyzer.compare(simulated, [cut])
    assert "cut short" in result.problems[0]
    assert sanity(result)["mape"] < 0.1


def test_no_truth_anywhere(simulated):
    with pytest.raises(UsageError, match="--iperf"):
        winf_analyzer.compare(simulated)


def test_no_exchange_with_data(tmp_path):
    recording = tmp_path / "beacons.pcap"
    frame = pcaps.radiotap(pcaps.beacon(pcaps.AP, b"net"), tsft_us=5, rate_mbps=1)
    recording.write_bytes(pcaps.pcap([(5000, frame)]))
    dataset = winf_analyzer.ingest([recording], tmp_path / "run.winf")
    with pytest.raises(UnusableInput, match="no exchange carried data"):
        winf_analyzer.compare(dataset, [write_log(tmp_path / "log.json")])


@pytest.mark.parametrize(
    ("options", "says"), [({"link": ("a", "b")}, "no data was sent from a to b"), ({"offset": "soon"}, "soon")]
)
def test_options_that_make_no_sense(simulated, tmp_path, options, says):
    with pytest.raises(UsageError, match=says):
        winf_analyzer.compare(simulated, [write_log(tmp_path / "log.json")], **options)


@pytest.mark.shared
def test_logs_of_others(shared_captures):
    """Ten TCP tests in a file, from a client and a server (and one that was broken off): each is a flow of its own."""
    folder = shared_captures / "WDCSecure__LabWiFi"
    if not folder.is_dir():
        pytest.skip(f"{folder} is not there")
    for name, side in (("client_log.json", "sender"), ("server_log.json", "receiver")):
        flows = measured_flows(winf_analyzer.read_truth(folder / name))
        assert len(flows) >= 10
        assert {flow.side for flow in flows} == {side}
        assert all(flow.rows.height >= 6 and flow.clock == "epoch" and flow.hosts for flow in flows)
    both = pl.concat(winf_analyzer.read_truth(folder / name) for name in ("client_log.json", "server_log.json"))
    assert {flow.side for flow in measured_flows(both)} == {"receiver"}


def test_a_replay_is_held_against_the_truth(tmp_path):
    dataset = winf_analyzer.ingest([CAPTURE], tmp_path / "run.winf")
    winf_analyzer.estimate(dataset, estimators=["rt_winf"], window="200ms")
    winf_analyzer.replay(dataset, controllers=["cbr"], replay_id="again")
    winf_analyzer.replay(topology="chain:1", controllers=["cbr"], duration="1s", output=tmp_path / "elsewhere")
    result = winf_analyzer.compare(dataset, [write_log(tmp_path / "log.json")])
    (row,) = result.scores.filter(quantity="replayed").rows(named=True)
    assert (row["estimator"], row["mode"], row["source"]) == ("cbr", "corrected", "again")
    assert row["state"] is None
    assert row["windows"] > 40
    assert row["estimate_bps"] == pytest.approx(row["truth_bps"], rel=0.1), "datagrams at their recorded rate"


def test_of_flows_compared_together_a_replay_must_have_studied_all():
    run = {"replay_id": "r", "controller": "wcp", "mode": "corrected", "window_ns": S}
    rows = [run | {"flow": "a", "t_ns": t, "value": 8.0} for t in (0, S)]
    rows.append(run | {"flow": "b", "t_ns": S, "value": 1.0})
    found = replayed_rates(pl.LazyFrame(rows), [("a", 0.8), ("b", 0.5)])
    assert found.select("t_ns", "value").rows() == [(S, 12.0)]


def test_every_way_of_alignment_is_told():
    (meaning,) = (column.meaning for each in tables() for column in each.columns if column.name == "aligned_by")
    source = (ROOT / "winf_analyzer" / "_evaluate" / "align.py").read_text(encoding="utf-8")
    assert {*re.findall(r'aligned_by="(\w+)"', source), WHOLE} <= set(re.findall(r"\w+", meaning))


def test_it_fills_the_tables_that_it_is_said_to_fill(compared_dataset):
    filled = {part.partition("/")[0] for part in compared_dataset.metadata["made"]["compare"]["parts"]}
    assert filled == {each.name for each in tables() if "winf compare" in each.filled_by}
