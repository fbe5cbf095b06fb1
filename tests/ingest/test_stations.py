"""`nodes` and `neighbours` are counted natively while frames are decoded: the same as SQL over the frames says."""

from __future__ import annotations

import struct

import pcaps
import polars as pl
import pytest
from folders import ROOT
from polars.testing import assert_frame_equal

import winf_analyzer
from winf_analyzer import _core
from winf_analyzer._dataset.nodes import stations

SAMPLES = ROOT / "sample_captures"
RECORDINGS = (
    ("ns3_sniffer/recording",),
    ("ns3_hidden/recording",),
    ("ns2_chain3/recording",),
    ("ns2_wired/recording",),
    ("ns3_sniffer/recording", "ns3_ht/recording", "ns2_hidden/recording"),
)

NODES = """
select
    ta as node,
    case when ta like 'node-%' then 'simulator'
         when bool_or(announces and bssid = ta) then 'ap'
         when bool_or(announces) then 'ibss'
         else 'station' end as role,
    coalesce(
        arg_min(ssid, (source, frame_no)) filter (announces and ssid <> ''),
        arg_min(ssid, (source, frame_no)) filter (ssid <> '')
    ) as ssid,
    count(*) as frames_tx,
    sum(length_bytes)::bigint as bytes_tx,
    sum(round(airtime_us * 1000)::bigint)::double / 1000 as airtime_us,
    count(*) filter (kind in ('data', 'qos_data')) as data_frames,
    count(*) filter (retry and kind not in ('rts', 'cts', 'ack', 'block_ack', 'block_ack_req', 'ps_poll')) as retries,
    avg(signal_dbm) as signal_dbm,
    min(ts_ns) as first_ns,
    max(ts_ns) as last_ns
from (select *, coalesce(kind in ('beacon', 'probe_resp'), false) as announces from frames)
where ta is not null and layer = 'mac' and coalesce(direction, 'rx') <> 'drop'
  and (direction is null or direction <> 'rx' or ta not like 'node-%')
group by ta order by frames_tx desc, node
"""

NEIGHBOURS = """
with counted as (
    select coalesce(observer, source) as recorder, ta, ra, signal_dbm, ta like 'node-%' as simulated,
           coalesce(is_group, true) as to_all,
           coalesce(direction = 'tx', false) or ta = coalesce(observer, source) as own
    from frames
    where layer = 'mac' and ta is not null and parse_error is null and coalesce(direction, 'rx') in ('tx', 'rx')
),
heard as (
    select recorder as node, ta as neighbour, count(*) as heard, avg(signal_dbm) as signal_dbm
    from counted where not own group by all
)
select node, neighbour, heard, case when sent > 0 then least(heard / sent, 1.0) end as delivery_ratio, signal_dbm
from (
    select *, (
        select count(*) from counted where own and ta = neighbour and (not simulated or to_all or ra = node)
    ) as sent
    from heard
)
order by node, heard desc, neighbour
"""


@pytest.fixture(scope="module", params=RECORDINGS, ids=" ".join)
def dataset(request, tmp_path_factory):
    output = tmp_path_factory.mktemp("stations") / "run.winf"
    return winf_analyzer.ingest([SAMPLES / name for name in request.param], output)


def test_tables_are_those_of_sql(dataset):
    for table, query in (("nodes", NODES), ("neighbours", NEIGHBOURS)):
        rows = dataset.scan(table).drop("vendor", "alias", "radio", strict=False).collect()
        assert_frame_equal(winf_analyzer.sql(dataset, query), rows, check_dtypes=False, abs_tol=1e-9)


def test_parts_count_as_the_recordings_did_in_any_order(dataset):
    parts = dataset.parts("frames")
    whole, each = _core.FrameCounts(), [_core.FrameCounts() for _ in parts]
    for part, counts in zip(parts, each, strict=True):
        counts.add_part(part)
    for counts in reversed(each):
        whole.add(counts)
    for table, rows in (("nodes", stations(whole, parts)), ("neighbours", whole.neighbours())):
        assert pl.DataFrame(rows).equals(dataset.scan(table).collect()), table


def test_a_part_that_is_none_is_an_error(tmp_path):
    part = tmp_path / "part.parquet"
    part.write_bytes(b"PAR1 no part PAR1")
    with pytest.raises(OSError, match=r"part\.parquet"):
        _core.FrameCounts().add_part(part)


def later(recording, seconds, path):
    """A copy of a little-endian capture in nanoseconds, so much later."""
    octets = bytearray(recording.read_bytes())
    at = 24
    while at < len(octets):
        stamp, _, captured = struct.unpack_from("<III", octets, at)
        struct.pack_into("<I", octets, at, stamp + seconds)
        at += 16 + captured
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(octets)


def test_what_a_neighbour_sent_on_another_day_was_not_missed(tmp_path):
    folder = SAMPLES / "ns3_basic_link" / "recording"
    for node in sorted(folder.glob("node-*.pcap")):
        later(node, 1_700_000_000, tmp_path / "two" / node.name)
    one = winf_analyzer.ingest([tmp_path / "two"], tmp_path / "one.winf")
    later(folder / "node-0.pcap", 1_700_086_400, tmp_path / "two" / "next-day.pcap")
    two = winf_analyzer.ingest([tmp_path / "two"], tmp_path / "two.winf")
    first = "select * from neighbours where node = '00:00:00:00:00:02' and neighbour = '00:00:00:00:00:01'"
    assert winf_analyzer.sql(one, first).rows() == winf_analyzer.sql(two, first).rows()
    assert winf_analyzer.sql(two, first)["delivery_ratio"].item() > 0.9


def test_retries_are_of_data_and_management(tmp_path):
    ends = bytes.fromhex("020000000001020000000002")
    data = bytes.fromhex("0808 0000") + ends + ends[:6] + bytes(2) + bytes(20)
    request = bytes.fromhex("8408 0000") + ends + bytes.fromhex("0500 0000")
    capture = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 105)
    for number, frame in enumerate([data, request, request]):
        capture += struct.pack("<IIII", number, 0, len(frame), len(frame)) + frame
    (tmp_path / "a.pcap").write_bytes(capture)
    nodes = winf_analyzer.ingest([tmp_path / "a.pcap"], tmp_path / "a.winf").scan("nodes").collect()
    assert nodes.select("frames_tx", "retries").rows() == [(3, 1)]


def test_zeros_and_groups_are_no_stations(tmp_path):
    """Some stations send CF-End, and data of their own making, without an address; others send to none."""
    nobody, group = "00:00:00:00:00:00", "03:00:00:00:00:01"
    cf_end = struct.pack("<BBH", 0xE4, 0, 0) + b"\xff" * 6 + pcaps.address(nobody)
    frames = [
        pcaps.data(pcaps.AP, pcaps.STATION, 100),
        cf_end,
        pcaps.data(pcaps.STATION, nobody, 10, seq=1),
        pcaps.data(nobody, pcaps.STATION, 10, seq=2),
        pcaps.data(pcaps.AP, group, 10, seq=3),
    ]
    records = [(n * 10**7, pcaps.radiotap(frame, tsft_us=1 + n * 10_000)) for n, frame in enumerate(frames)]
    (tmp_path / "a.pcap").write_bytes(pcaps.pcap(records))
    dataset = winf_analyzer.ingest(tmp_path / "a.pcap", tmp_path / "a.winf")
    assert dataset.scan("nodes").collect()["node"].to_list() == [pcaps.STATION]
    assert dataset.scan("neighbours").collect()["neighbour"].to_list() == [pcaps.STATION]
    ends = dataset.scan("exchanges").sort("start_ns").select(pl.col("sender", "receiver").cast(pl.String)).collect()
    assert ends.height == len(frames), "all of them occupy the medium"
    assert set(ends["sender"]) == {pcaps.STATION, None}
    assert nobody not in ends["receiver"].to_list()
    assert winf_analyzer.info([tmp_path / "a.pcap"])[0]["number_of_stations"] == 1
    assert winf_analyzer.info([tmp_path / "a.winf"])[0]["number_of_stations"] == 1
