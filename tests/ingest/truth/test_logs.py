"""Logs of iperf3 3.12, iperf 2.1.8 and ns-3.37's FlowMonitor, whole and damaged."""

from __future__ import annotations

import json
import random
from importlib import import_module

import polars as pl
import pytest
from folders import LOGS

from winf_analyzer import UnusableInput
from winf_analyzer._ingest import truth
from winf_analyzer._ingest.truth import FORMATS, read_log, read_truth, recognize
from winf_analyzer._ingest.truth.table import End, flow_name
from winf_analyzer._schema import schema

ALL = sorted(path.name for path in LOGS.iterdir())

some_or_every_octet = pytest.mark.parametrize(
    "step", [pytest.param(23, id="some"), pytest.param(1, id="every", marks=pytest.mark.nightly("every octet"))]
)


def read(name: str) -> pl.DataFrame:
    return read_truth(LOGS / name)


@pytest.mark.parametrize(
    ("name", "log_format", "rows"),
    [
        ("flow_monitor.xml", "flow_monitor", 3),
        ("iperf2_enhanced.txt", "iperf_text", 8),
        ("iperf2_tcp.csv", "iperf2_csv", 4),
        ("iperf2_udp.txt", "iperf_text", 5),  # four of the sender's, and the server's report
        ("iperf2_udp_server.csv", "iperf2_csv", 4),
        ("iperf2_udp_server.txt", "iperf_text", 10),
        ("iperf3_bidir.json", "iperf3_json", 9),
        ("iperf3_bidir.txt", "iperf_text", 9),
        ("iperf3_omit.txt", "iperf_text", 5),
        ("iperf3_server.txt", "iperf_text", 8),
        ("iperf3_server_bidir.json", "iperf3_json", 8),
        ("iperf3_server_udp_reverse.json", "iperf3_json", 4),
        ("iperf3_stream.json", "iperf3_json", 5),
        ("iperf3_tcp.json", "iperf3_json", 5),
        ("iperf3_tcp_stamped.txt", "iperf_text", 5),
        ("iperf3_two_streams.txt", "iperf_text", 10),
        ("iperf3_udp.json", "iperf3_json", 5),
        ("iperf3_udp.txt", "iperf_text", 5),
        ("iperf3_udp_reverse.txt", "iperf_text", 4),
        ("iperf3_udp_stamped.txt", "iperf_text", 5),
    ],
)
def test_every_log_is_told_by_its_content_and_read(name, log_format, rows):
    log = recognize(LOGS / name)
    assert log is not None
    assert log.name == log_format
    found = read(name)
    assert found.schema == schema("truth")
    assert found.height == rows, found
    assert found.filter(pl.any_horizontal(pl.col("flow", "start_ns", "throughput_bps").is_null())).is_empty()
    assert found["throughput_bps"].min() > 0


def test_every_log_is_tested():
    assert {recognize(LOGS / name).name for name in ALL} == {log.name for log in FORMATS}


def test_both_ends_of_a_test():
    found = read("iperf3_tcp.json")
    assert found["side"].to_list() == ["sender"] * 4 + ["receiver"]
    assert found["flow"].unique().to_list() == ["tcp 127.0.0.1:15201 127.0.0.1:48218"]
    assert found["sender"].unique().to_list() == ["127.0.0.1:48218"]
    assert found["rtt_ms"].drop_nulls().min() > 0
    receiver = found.row(-1, named=True)
    assert (receiver["window_ns"], receiver["clock"]) == (pytest.approx(2e9, rel=0.01), "epoch")
    total = (found["throughput_bps"] * found["window_ns"])[:4].sum()
    assert receiver["throughput_bps"] * receiver["window_ns"] == pytest.approx(total, rel=0.05)


def test_a_stream_of_events_says_the_same_as_one_object():
    stream, whole = read("iperf3_stream.json"), read("iperf3_tcp.json")
    assert stream.drop("source").equals(whole.drop("source"))


def test_both_directions_of_a_test():
    found = read("iperf3_bidir.json").group_by("sender", "side", maintain_order=True).len()
    assert found.rows() == [
        ("127.0.0.1:40204", "sender", 4),
        ("127.0.0.1:15201", "receiver", 4),
        ("127.0.0.1:40204", "receiver", 1),
    ]
    text = read("iperf3_bidir.txt").group_by("sender", "side", maintain_order=True).len()
    assert text.rows() == [
        ("127.0.0.1:39342", "sender", 4),
        ("127.0.0.1:15201", "receiver", 4),
        ("127.0.0.1:39342", "receiver", 1),
    ]


@pytest.mark.parametrize("name", ["iperf3_server_bidir.json", "iperf3_server_udp_reverse.json"])
def test_a_server_does_not_know_what_arrived_of_what_it_sent(name):
    """Its totals hold a receiver for every stream, with 0 octets of TCP and no losses of UDP."""
    found = read(name).group_by("sender").agg(pl.col("side").unique())
    assert dict(found.rows())["127.0.0.1:15201"] == ["sender"]


def test_a_client_that_was_interrupted_does_not_know_what_arrived(tmp_path):
    """It says 0 octets of TCP, and of UDP that nothing was lost."""
    for name in ("iperf3_tcp.json", "iperf3_udp.json"):
        test = json.loads((LOGS / name).read_text())
        test["error"] = "interrupt - the client has terminated"
        (tmp_path / name).write_text(json.dumps(test))
        assert read_truth(tmp_path / name)["side"].unique().to_list() == ["sender"]
    text = (LOGS / "iperf3_omit.txt").read_text()
    lines = text.splitlines()
    place = next(number for number, line in enumerate(lines) if line.endswith("receiver"))
    before = lines[place].split("sec")[0]
    lines[place] = f"{before}sec  0.00 Bytes  0.00 bits/sec                  receiver"
    (tmp_path / "cut.txt").write_text("\n".join(lines))
    assert read_truth(tmp_path / "cut.txt")["side"].unique().to_list() == ["sender"]


def test_an_interval_that_is_reported_twice_counts_once(tmp_path):
    """As by a server whose client was interrupted."""
    test = json.loads((LOGS / "iperf3_tcp.json").read_text())
    test["intervals"].append(test["intervals"][-1])
    (tmp_path / "twice.json").write_text(json.dumps(test))
    once = read("iperf3_tcp.json").drop("source")
    assert read_truth(tmp_path / "twice.json").drop("source").equals(once)


def test_losses_and_jitter_are_the_receivers():
    found = read("iperf2_udp_server.txt")
    assert found["lost"].to_list() == [0, 0, 0, 0, 1, 0, 0, 0, 0, 0]
    assert found["side"].unique().to_list() == ["receiver"]
    assert found["jitter_ms"].max() == 0.002
    reverse = read("iperf3_udp_reverse.txt")
    assert reverse.select("sender", "side").unique().rows() == [("127.0.0.1:15201", "receiver")]
    assert reverse["jitter_ms"].to_list() == [9.910, 10.775, 6.125, 3.217]
    csv = read("iperf2_udp_server.csv")
    assert csv["lost"].to_list() == [0, 0, 0, 5]


def test_omitted_intervals_and_sums_are_left_out():
    found = read("iperf3_omit.txt")
    assert found["start_ns"].to_list() == [0, 500_000_000, 1_000_000_000, 1_500_000_000, 0]
    assert found["throughput_bps"][0] == 2286 * 1024 * 8
    streams = read("iperf3_two_streams.txt")
    assert streams["flow"].n_unique() == 2


def test_stamps_anchor_a_log():
    stamped = read("iperf3_tcp_stamped.txt")
    # Fri Nov 20 13:31:31 2026: lines stamped 32, 32, 33, 33 end intervals at 0.5, 1.0, 1.5 and 2.0 s.
    assert stamped["start_ns"][0] == 1_795_181_491_500_000_000
    assert stamped["clock"].unique().to_list() == ["epoch"]
    assert read("iperf3_udp_stamped.txt")["start_ns"][0] == 1_795_181_493_500_000_000
    assert read("iperf3_udp.txt")["clock"].unique().to_list() == ["test"]
    enhanced = read("iperf2_enhanced.txt")
    assert (enhanced["start_ns"][0], enhanced["rtt_ms"][0]) == (1_795_181_509_000_000_000, 2.973)


def test_flow_monitor_counts_payload():
    found = read("flow_monitor.xml")
    udp = found.row(0, named=True)
    assert (udp["flow"], udp["sender"]) == ("udp 10.0.0.1:49153 10.0.0.2:5000", "10.0.0.1:49153")
    # 149 packets of 1000 octets between the first and the last arrival.
    assert udp["throughput_bps"] == pytest.approx(149 * 8000 / (udp["window_ns"] / 1e9))
    assert (udp["lost"], udp["clock"]) == (0, "simulation")


def test_several_tests_between_lines_of_text(tmp_path):
    one = (LOGS / "iperf3_tcp.json").read_text()
    log = tmp_path / "raw_output.txt"
    log.write_text(f"\n--- Test 1 ---\n{one}\n--- Test 2 ---\n{one}")
    assert read_truth(log).height == 10


def read_octets(octets: bytes) -> pl.DataFrame | None:
    """What a log with this content says, without a file; ``None`` where it is none."""
    text = octets.decode("utf-8-sig", errors="replace")
    modules = (import_module(f"winf_analyzer._ingest.truth.{log.module}") for log in FORMATS)
    log = next((module for module in modules if "\0" not in text and module.looks_like(text)), None)
    return None if log is None else log.read(text, "damaged").rows


@some_or_every_octet
@pytest.mark.parametrize("name", ALL)
def test_a_log_cut_at_any_offset_keeps_its_whole_intervals(name, step):
    octets, whole = (LOGS / name).read_bytes(), read(name)
    found = [read_octets(octets[:cut]) for cut in range(0, len(octets), step)]
    heights = [0 if rows is None else rows.height for rows in found]
    # The report of the other end stands behind the intervals and replaces nothing.
    assert max(heights) <= whole.height + 1
    if name != "flow_monitor.xml":
        assert heights[len(heights) * 3 // 4] > 0


@some_or_every_octet
@pytest.mark.parametrize("name", ALL)
def test_a_log_changed_at_any_offset_is_read_to_its_end(name, step):
    """One octet after the other becomes another: a digit, a bracket, a quote, nothing, no text at all."""
    octets, whole = bytearray((LOGS / name).read_bytes()), read(name)
    lines = octets.count(b"\n") + 1
    others = b'9{]"-<\n\x00\xff'
    for offset in range(0, len(octets), step):
        octet = octets[offset]
        octets[offset] = others[offset % len(others)]
        rows = read_octets(octets)
        octets[offset] = octet
        if rows is None:
            continue
        assert rows.schema == schema("truth"), offset
        assert rows.height <= whole.height + lines, offset
        assert rows["throughput_bps"].is_finite().all(), offset


def test_a_cut_test_is_told(tmp_path):
    text = (LOGS / "iperf3_tcp.json").read_text()
    log = tmp_path / "cut.json"
    log.write_text(text[: text.index('"sum_sent"')])
    found = recognize(log)
    assert found is not None
    truth = read_log(log, found, "cut.json")
    assert truth.rows.height == 4
    assert len(truth.damage) == 1


@pytest.mark.parametrize("name", ALL)
def test_random_octets_never_raise(name, tmp_path):
    rng = random.Random(name)
    octets = (LOGS / name).read_bytes()
    for _ in range(40):
        damaged = bytearray(octets)
        for _ in range(rng.randrange(1, 40)):
            damaged[rng.randrange(len(damaged))] = rng.randrange(256)
        log = tmp_path / name
        log.write_bytes(damaged)
        if found := recognize(log):
            rows = read_log(log, found, name).rows
            assert rows.schema == schema("truth")
            assert rows.filter(~pl.col("throughput_bps").is_finite()).is_empty()


@pytest.mark.parametrize("content", [b"", b"hello\n", b"\0\0\0", b"[1, 2]", b"<html/>", b"a,b,c\n1,2,3\n"])
def test_other_files_are_no_truth(content, tmp_path):
    path = tmp_path / "other"
    path.write_bytes(content)
    assert recognize(path) is None
    with pytest.raises(UnusableInput, match="no ground truth"):
        read_truth(path)


def test_hostile_numbers_are_no_rows(tmp_path):
    log = tmp_path / "hostile.json"
    stream = '{"socket": 5, "start": 0, "end": 1, "bits_per_second": 1e999, "sender": true}'
    log.write_text(
        f'{{"start": {{"connected": {{}}, "test_start": []}}, "intervals": [{{"streams": [{stream}, 7]}}, 4]}}'
    )
    assert read_truth(log).is_empty()
    text = (LOGS / "iperf3_udp_stamped.txt").read_text()
    log.write_text(text.replace("1795181", "9995181"))
    assert read_truth(log).is_empty()
    flows = (LOGS / "flow_monitor.xml").read_text()
    log.write_text(flows.replace('rxBytes="', 'rxBytes="' + "9" * 400))
    assert read_truth(log).is_empty()
    log.write_text('{"start": {"connected": []}, "intervals": ' + "[" * 100_000)
    assert read_truth(log).is_empty()


def test_flow_names_are_those_of_frames():
    assert flow_name("udp", End("10.0.0.10", 9), End("10.0.0.9", 10)) == "udp 10.0.0.9:10 10.0.0.10:9"
    assert flow_name("tcp", End("fe80::2", 1), End("10.0.0.9", 2)) == "tcp 10.0.0.9:2 [fe80::2]:1"


@pytest.mark.parametrize("name", ["client_log.json", "server_log.json", "raw_output.txt"])
def test_logs_of_others(shared_captures, name):
    path = shared_captures / "WDCSecure__LabWiFi" / name
    if not path.is_file():
        pytest.skip(f"{path} is not there")
    found = read_truth(path)
    assert found["flow"].n_unique() >= 10
    assert found["start_ns"].min() > 1_742_000_000_000_000_000


def test_a_capture_is_told_from_a_log_without_being_decoded(tmp_path, monkeypatch):
    """A folder of captures is searched for logs, so every capture is looked at."""
    decoded = []
    monkeypatch.setattr(truth, "_text", decoded.append)
    path = tmp_path / "capture.pcap"
    path.write_bytes(b"\xa1\xb2\xc3\xd4\0\2\0\4" + bytes(100))
    assert recognize(path) is None
    assert not decoded
