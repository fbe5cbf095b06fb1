"""`nodes` and `neighbours` are counted natively while frames are decoded: the same as SQL over the frames says."""

from __future__ import annotations

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
    count(*) filter (retry) as retries,
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
        rows = dataset.scan(table).drop("vendor", "alias", strict=False).collect()
        assert_frame_equal(winf_analyzer.sql(dataset, query), rows, check_dtypes=False, abs_tol=1e-9)


def test_parts_count_as_the_recordings_did_in_any_order(dataset):
    parts = dataset.parts("frames")
    whole, each = _core.FrameCounts(), [_core.FrameCounts() for _ in parts]
    for part, counts in zip(parts, each, strict=True):
        counts.add_part(part)
    for counts in reversed(each):
        whole.add(counts)
    for table, rows in (("nodes", stations(whole)), ("neighbours", whole.neighbours())):
        assert pl.DataFrame(rows).equals(dataset.scan(table).collect()), table


def test_a_part_that_is_none_is_an_error(tmp_path):
    part = tmp_path / "part.parquet"
    part.write_bytes(b"PAR1 no part PAR1")
    with pytest.raises(OSError, match=r"part\.parquet"):
        _core.FrameCounts().add_part(part)
