"""The trace read back with Perfetto's own schema, and its slices beside the dataset's rows."""

from __future__ import annotations

from collections import Counter, defaultdict

import duckdb
import polars as pl
import pytest

import winf_analyzer
from winf_analyzer._export.perfetto import slices
from winf_analyzer._export.perfetto.slices import EXCHANGE, FRAME, MAX_LANES, Slices

pb2 = pytest.importorskip("perfetto.protos.perfetto.trace.perfetto_trace_pb2", reason="perfetto is not installed")


class Trace:
    """What a viewer takes from a trace: tracks, slices with depth and arguments, counters."""

    def __init__(self, path):
        self.tracks, self.slices, self.instants, self.counts = {}, [], [], defaultdict(list)
        names, keys, open_slices, latest = {}, {}, defaultdict(list), {}
        for packet in pb2.Trace.FromString(path.read_bytes()).packet:
            names.update((name.iid, name.name) for name in packet.interned_data.event_names)
            keys.update((name.iid, name.name) for name in packet.interned_data.debug_annotation_names)
            if packet.HasField("track_descriptor"):
                self.tracks[packet.track_descriptor.uuid] = packet.track_descriptor
            if not packet.HasField("track_event"):
                continue
            event, now = packet.track_event, packet.timestamp
            args = {keys[arg.name_iid]: getattr(arg, arg.WhichOneof("value")) for arg in event.debug_annotations}
            above = open_slices[event.track_uuid]
            assert event.track_uuid in self.tracks, "an event on a track that was not declared"
            assert latest.get(event.track_uuid, now) <= now, "an event before the one before it on its track"
            latest[event.track_uuid] = now
            match event.type:
                case pb2.TrackEvent.TYPE_SLICE_BEGIN:
                    assert not above or above[-1]["start"] <= now, "a slice begins before the one around it"
                    above.append({"track": event.track_uuid, "name": names[event.name_iid], "start": now, "args": args})
                case pb2.TrackEvent.TYPE_SLICE_END:
                    self.slices.append({**above.pop(), "end": now, "depth": len(above)})
                case pb2.TrackEvent.TYPE_INSTANT:
                    self.instants.append((event.track_uuid, now, args))
                case pb2.TrackEvent.TYPE_COUNTER:
                    self.counts[event.track_uuid].append((now, event.double_counter_value))
        assert not any(open_slices.values()), "a slice without an end"

    def counter(self, name):
        (track,) = [uuid for uuid, each in self.tracks.items() if each.name == name]
        return self.counts[track]


@pytest.fixture(scope="module")
def trace(demo_dataset, tmp_path_factory):
    path = tmp_path_factory.mktemp("perfetto") / "run.pftrace"
    exported = winf_analyzer.export(demo_dataset, path, to="perfetto")
    assert exported.notes == []
    return Trace(path)


def test_every_exchange_is_a_slice_on_its_senders_track(trace, demo_dataset):
    exchanges = demo_dataset.scan("exchanges").collect()
    drawn = [each for each in trace.slices if "exchange_no" in each["args"]]
    assert {each["args"]["exchange_no"]: (each["start"], each["end"]) for each in drawn} == {
        number: times
        for number, *times in exchanges.select("exchange_no", pl.struct("start_ns", "end_ns").map_elements(
            lambda row: (row["start_ns"], row["end_ns"]), return_dtype=pl.Object)).iter_rows()
        for times in [times[0]]
    }  # fmt: skip
    senders = dict(exchanges.select("exchange_no", "sender").iter_rows())
    for each in drawn:
        assert each["depth"] == 0
        assert trace.tracks[each["track"]].name.startswith(senders[each["args"]["exchange_no"]])


def test_every_frame_is_a_slice_within_its_exchange(trace, demo_dataset):
    frames = demo_dataset.scan("frames").filter(pl.col("layer") == "mac", pl.col("end_ns").is_not_null()).collect()
    drawn = {each["args"]["frame_no"]: each for each in trace.slices if "frame_no" in each["args"]}
    assert drawn.keys() == set(frames["frame_no"])
    assert {each["depth"] for each in drawn.values()} == {1}
    assert not trace.instants
    for row in frames.head(500).iter_rows(named=True):
        each = drawn[row["frame_no"]]
        assert (each["start"], each["end"], each["name"]) == (row["start_ns"], row["end_ns"], row["kind"])
        assert each["args"] == {name: row[name] for name in FRAME if row[name] is not None}


def test_rows_sorted_in_pieces_of_time_are_those_sorted_at_once(monkeypatch):
    connection = duckdb.connect()
    connection.execute(
        "create table frames as select 'a' as source, 'mac' as layer, 'rx' as direction, null as observer, "
        "range as number, start_ns, start_ns + 7 as end_ns from (select range, (hash(range) % 4000000000)::bigint - "
        "2000000000 as start_ns from range(5000))"
    )
    of = "frames where source = ? and observer is not distinct from ?"
    whole = connection.execute("select number from frames order by start_ns, end_ns desc, number").fetchall()
    monkeypatch.setattr(slices, "PIECE_ROWS", 700)
    assert len(slices._pieces(connection, of, ["a", None])) > 5
    assert list(slices._rows(connection, "number", of, "number", ["a", None])) == whole


def test_arguments_are_columns():
    columns = winf_analyzer.list("tables").group_by("table").agg("column")
    columns = dict(columns.iter_rows())
    assert set(EXCHANGE) < set(columns["exchanges"])
    assert set(FRAME) < set(columns["frames"])


def test_counters_have_the_values_of_the_tables(trace, demo_dataset):
    query = "select start_ns, end_ns from exchanges order by start_ns"
    on_air = sum(end - start for start, end in winf_analyzer.sql(demo_dataset, query).iter_rows())
    drawn = trace.counter("busy share, 2412 MHz")
    assert sum(share for _, share in drawn) * 1e8 == pytest.approx(on_air, rel=1e-3)
    answers = demo_dataset.scan("recommended").filter(~pl.col("whole"), pl.col("available_bps").is_not_null()).collect()
    for (sender, receiver), rows in answers.group_by("sender", "receiver"):
        counted = trace.counter(f"{sender} > {receiver}, available")
        told = [(row[0], row[1] / 1e6) for row in rows.select("window_start_ns", "available_bps").iter_rows()]
        assert counted == sorted(told)


def test_windows_without_an_answer_say_so(trace, demo_dataset):
    windows = demo_dataset.scan("recommended").filter(~pl.col("whole")).collect()
    drawn = Counter(each["args"]["grade"] for each in trace.slices if "grade" in each["args"])
    assert drawn == Counter(windows["grade"])
    assert drawn["unknown"]


def test_a_replay_has_queues_and_windows(replay_dataset, tmp_path):
    winf_analyzer.export(replay_dataset, tmp_path / "replay.pftrace", to="perfetto")
    trace = Trace(tmp_path / "replay.pftrace")
    names = Counter(each.name for each in trace.tracks.values())
    runs = replay_dataset.scan("replay_flows").select("controller", "mode", "seed").unique().collect()
    flows = replay_dataset.scan("replay_flows").select("controller", "mode", "seed", "flow").unique().collect()
    assert sum(count for name, count in names.items() if name.startswith("replay ")) == runs.height
    assert names["window"] == flows.height
    rows = replay_dataset.scan("replay_links").select(pl.col("queue_packets").is_not_null().sum()).collect().item()
    queues = [uuid for uuid, each in trace.tracks.items() if each.name == "queue"]
    assert sum(len(trace.counts[uuid]) for uuid in queues) == rows


def test_aggregates_nest(sample, tmp_path):
    dataset = winf_analyzer.ingest([sample("ns3_ht") / "recording"], tmp_path / "run.winf")
    winf_analyzer.export(dataset, tmp_path / "run.pftrace", to="perfetto")
    trace = Trace(tmp_path / "run.pftrace")
    frames = dataset.scan("frames").filter(pl.col("end_ns").is_not_null()).select(pl.len()).collect().item()
    drawn = sum("frame_no" in each["args"] for each in trace.slices)
    assert drawn + len(trace.instants) == frames


class Recorder:
    """Stands for a writer."""

    def __init__(self):
        self.tracks, self.events = [], []

    def track(self, name, parent):
        self.tracks.append(name)
        return len(self.tracks)

    def begin(self, *event):
        self.events.append(("begin", *event[:2]))

    def end(self, *event):
        self.events.append(("end", *event))

    def instant(self, *event):
        self.events.append(("instant", *event[:2]))


def exchange(start, end, sender="a", receiver="b"):
    return (start, end, sender, receiver, "data", *[None] * len(EXCHANGE))


def frame(start, end, ta="a", ra="b"):
    return (start, end, ta, ra, "data", *[None] * len(FRAME))


def drawn(exchanges, frames):
    slices = Slices(Recorder(), 0, str)
    slices.write(iter(exchanges), iter(frames))
    return slices


def test_overlapping_exchanges_of_a_station_have_tracks_of_their_own():
    many = [exchange(0, 100) for _ in range(MAX_LANES + 2)]
    slices = drawn(many, [])
    assert slices.writer.tracks == ["a", *(f"a, overlapping {n}" for n in range(1, MAX_LANES))]
    assert (slices.written, slices.omitted) == (MAX_LANES, 2)


def test_a_frame_belongs_to_the_exchange_of_its_stations():
    slices = drawn([exchange(0, 100), exchange(10, 90, "c", "d")], [frame(20, 30), frame(40, 50, None, "c")])
    assert slices.frames == 2
    assert slices.writer.events == [
        ("begin", 2, 10), ("begin", 2, 40), ("end", 2, 50), ("end", 2, 90),
        ("begin", 1, 0), ("begin", 1, 20), ("end", 1, 30), ("end", 1, 100),
    ] or slices.writer.events == [
        ("begin", 1, 0), ("begin", 1, 20), ("end", 1, 30), ("end", 1, 100),
        ("begin", 2, 10), ("begin", 2, 40), ("end", 2, 50), ("end", 2, 90),
    ]  # fmt: skip


def test_frames_of_no_exchange_and_frames_that_overlap_are_instants():
    slices = drawn([exchange(0, 100)], [frame(10, 40), frame(30, 60), frame(200, 210)])
    kinds = Counter(kind for kind, *_ in slices.writer.events)
    assert kinds == {"begin": 2, "end": 2, "instant": 2}
    assert slices.alone == 1
