"""What exchanges show of each link is counted natively: the same as queries over them say."""

from __future__ import annotations

import polars as pl
import pytest
from exchange_builder import A, B, C
from folders import ROOT
from hypothesis import given
from hypothesis import strategies as st
from link_evidence_query import MEDIA, SUMS, by_query
from polars.testing import assert_frame_equal
from properties import examples

import winf_analyzer
from winf_analyzer import _core, _schema
from winf_analyzer._recommended import evidence

SAMPLES = ROOT / "sample_captures"
GROUP = "03:00:00:00:00:01"
TIMES = st.none() | st.integers(0, 3_000_000_000)
RATES = st.sampled_from([None, 1.0, 5.5, 65.0, 6.5 / 9])
AIRTIMES = st.none() | st.floats(0, 5000)
FLAGS = st.sampled_from([None, True, True, False])
READ = {
    "source": st.sampled_from(["one", "two"]),
    "observer": st.sampled_from([None, A, B]),
    "sender": st.sampled_from([A, A, B, None]),
    "receiver": st.sampled_from([B, C, GROUP, None]),
    "kind": st.sampled_from(["rts", "basic", "cts_self", "rts_failed", "broadcast", None]),
    "data_kind": st.sampled_from([None, "data", "qos_data", "null"]),
    "is_group": st.sampled_from([None, False, False, True]),
    **dict.fromkeys(("start_ns", "end_ns", "rts_start_ns", "rts_ns", "cts_start_ns", "cts_ns"), TIMES),
    "complete": FLAGS,
    "heard_data": FLAGS,
    "attempt": st.sampled_from([None, 1, 2]),
    "mpdus": st.sampled_from([None, 0, 1, 7]),
    "payload_bytes": st.sampled_from([None, 0, 1, 700, 1500]),
    "length_bytes": st.sampled_from([None, 64, 1535]),
    "rate_mbps": RATES,
    "data_airtime_us": AIRTIMES,
    "ack_airtime_us": AIRTIMES,
    "phy": st.sampled_from([None, "ofdm", "ht", "erp"]),
    "channel_mhz": st.sampled_from([None, 2412, 5180]),
    "seq": st.sampled_from([None, 1, 2]),
    "tid": st.sampled_from([None, 0]),
}
SCHEMA = {name: _schema.schema("exchanges")[name] for name in READ}


def assert_alike(parts, window_ns, **options):
    found = evidence.collected(parts, window_ns)
    for query, rows, keys in ((SUMS, found.links, evidence.LINK), (MEDIA, found.media, evidence.LINK[:2])):
        expected, keys = by_query(query, parts, window_ns, **options), [*keys, "window_start_ns", "channel_mhz"]
        assert_frame_equal(rows.select(expected.columns).sort(keys), expected.sort(keys), check_exact=True)
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("exchanges")


@examples(60)
@given(st.lists(st.fixed_dictionaries(READ), max_size=40), st.sampled_from([10**8, 10**9, 1 << 62]), st.booleans())
def test_exchanges_are_counted_as_queries_have_it(folder, exchanges, window_ns, has_group):
    table = pl.DataFrame(exchanges, schema=SCHEMA)
    table = table if has_group else table.drop("is_group")
    parts = [folder / "0.parquet", folder / "1.parquet"]
    for part, rows in zip(parts, (table[:15], table[15:]), strict=True):
        rows.write_parquet(part)
    assert_alike(parts, window_ns, has_group=has_group)


@pytest.mark.parametrize("name", ["ns3_sniffer", "ns3_ht", "ns2_chain3"])
def test_samples_are_counted_as_queries_have_it(name, tmp_path):
    parts = winf_analyzer.ingest(SAMPLES / name / "recording", tmp_path / "run.winf").parts("exchanges")
    found = assert_alike(parts, 10**9)
    assert found.links["samples"].sum() > 20
    assert found.media["busy_ns"].sum() > 0


def test_fragments_go_on_with_the_msdu_before(tmp_path):
    """Three fragments, the second of which is sent twice; a copy of a packet; the same number with another TID."""
    known = dict.fromkeys(SCHEMA) | {"source": "one", "sender": A, "receiver": B, "kind": "basic", "payload_bytes": 500}
    sent = [(7, 0, 1, True), (7, 0, 1, False), (7, 0, 2, True), (7, 0, 1, True), (8, 0, 1, True), (8, 0, 2, True)]
    sent += [(8, 1, 1, True)]
    names = ("seq", "tid", "attempt", "complete")
    rows = [known | dict(zip(names, each, strict=True)) for each in sent]
    pl.DataFrame(rows, schema=SCHEMA).write_parquet(tmp_path / "0.parquet")
    links = evidence.collected([tmp_path / "0.parquet"], 10**9).links
    assert links.select("samples", "fragments").rows() == [(6, 2)]


def test_windows_before_the_epoch_start_before_what_ends_in_them(tmp_path):
    known = dict.fromkeys(SCHEMA) | {"source": "one", "sender": A, "receiver": B, "kind": "basic"}
    pl.DataFrame([known | {"start_ns": -7, "end_ns": -5}], schema=SCHEMA).write_parquet(tmp_path / "0.parquet")
    found = evidence.collected([tmp_path / "0.parquet"], 10)
    assert found.links["window_start_ns"].to_list() == found.media["window_start_ns"].to_list() == [-10]


def test_a_window_has_a_length():
    with pytest.raises(ValueError, match="must be positive"):
        _core.LinkEvidence(0)
