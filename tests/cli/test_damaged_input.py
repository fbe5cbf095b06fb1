"""What a command says and which code it ends with where a recording or an option is not whole."""

from __future__ import annotations

import io

import pcaps
import pytest

import winf_analyzer


@pytest.mark.parametrize(
    "command",
    [("ingest", "-o", "run.winf"), ("why",), ("why", "--to", "csv"), ("validate",), ("validate", "--to", "csv")],
)
def test_a_recording_that_is_cut_short_or_skipped_is_told_of(winf, tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    whole = pcaps.busy_link(30)
    for name, octets in (("whole.pcap", whole), ("cut.pcap", whole[:-5]), ("empty.pcap", b"")):
        (tmp_path / name).write_bytes(octets)
    name, *options = command
    assert winf(name, "whole.pcap", *options).returncode == 0
    for damaged, said in (("cut.pcap", "cut.pcap: "), ("empty.pcap", "skipped: empty.pcap")):
        done = winf(name, "whole.pcap", damaged, *options, *(["--force"] if name == "ingest" else []))
        assert (done.returncode, said in done.stderr) == (3, True), done.stderr


def test_an_anonymized_recording_that_is_cut_short_is_told_of(winf, tmp_path):
    (tmp_path / "cut.pcap").write_bytes(pcaps.busy_link(30)[:-5])
    done = winf("anonymize", tmp_path / "cut.pcap", "-o", tmp_path / "public.winf")
    assert done.returncode == 3
    assert done.stderr
    assert winf("anonymize", tmp_path / "public.winf", "-o", tmp_path / "again.winf").returncode == 0


def test_octets_are_hexadecimal_in_json(winf, tmp_path):
    (tmp_path / "a.pcap").write_bytes(pcaps.busy_link(3))
    assert winf("ingest", tmp_path / "a.pcap", "-o", tmp_path / "run.winf").returncode == 0
    for form, said in (("json", '[{"e":"78"}]\n'), ("ndjson", '{"e":"78"}\n')):
        assert winf("sql", tmp_path / "run.winf", "select 'x'::blob as e", "--to", form).stdout == said


OF_SQL = (
    *("union_value(k := 1)", "[1::variant]", "12345678901234567890123::bignum", "{'a': [x'00'::blob]}"),
    *("'infinity'::timestamp", "'-infinity'::date", "[date '5881580-07-10']", "map([1], ['infinity'::timestamptz])"),
    *("date '9999-12-31'", "[timestamp '2020-01-01']", "timestamp_s '200000-01-01'", "null::date", "[]::date[]"),
)
"""Values of types that recordings have none of."""


@pytest.mark.parametrize("form", ["csv", "json", "ndjson"])
def test_every_type_of_sql_is_written_or_refused(winf, dataset, form):
    for value in OF_SQL:
        done = winf("sql", dataset, f"select {value} as x", "--to", form)
        refused = done.returncode == 2 and "x::varchar" in done.stderr
        assert done.returncode == 0 or refused, (value, done.stderr)
        assert len(done.stderr.splitlines()) == done.returncode // 2, value


def test_every_type_of_sql_is_a_table(dataset):
    for value in OF_SQL:
        rows = winf_analyzer.sql(dataset, f"select {value} as x")
        rows.write_parquet(io.BytesIO())
        rows.write_ipc_stream(io.BytesIO())


def test_what_polars_does_not_know_is_text(winf, dataset):
    done = winf("sql", dataset, "select union_value(k := 1) as u, [2::variant] as v, 1 as n", "--to", "csv")
    assert (done.returncode, done.stdout) == (0, "u,v,n\n1,[2],1\n"), done.stderr


def test_a_window_longer_than_any_recording_is_refused(winf, dataset):
    done = winf("estimate", dataset, "--window", "99999999999h")
    assert (done.returncode, "at most 876000h" in done.stderr) == (2, True), done.stderr


def test_impossible_times_are_told_of_and_cost_no_other_frame_its_time(winf, tmp_path):
    stamps = [2**64 - 1, *(1_000_000 * number for number in range(1, 61)), 2**64 - 1]
    frame = pcaps.radiotap(pcaps.data(pcaps.AP, pcaps.STATION, 200), tsft_us=None)
    records = [(0, stamp, frame) for stamp in stamps]
    (tmp_path / "a.pcapng").write_bytes(pcaps.pcapng(["wlan0"], records))
    assert winf("ingest", tmp_path / "a.pcapng", "-o", tmp_path / "run.winf").returncode == 3
    counts = "select count(start_ns), max(ts_ns) - min(ts_ns), (select list(code) from warnings) from frames"
    done = winf("sql", tmp_path / "run.winf", counts, "--to", "csv")
    assert "62,59000000," in done.stdout
    assert "time_impossible" in done.stdout


@pytest.fixture
def dataset(winf, tmp_path):
    """A dataset of a short recording."""
    (tmp_path / "short.pcap").write_bytes(pcaps.busy_link(3))
    assert winf("ingest", tmp_path / "short.pcap", "-o", tmp_path / "short.winf").returncode == 0
    return tmp_path / "short.winf"


@pytest.mark.parametrize("nothing", ["", " , "])
def test_a_list_without_a_name_is_no_list(winf, tmp_path, nothing):
    (tmp_path / "a.pcap").write_bytes(pcaps.busy_link(30))
    dataset = tmp_path / "run.winf"
    assert winf("ingest", tmp_path / "a.pcap", "-o", dataset).returncode == 0
    assert winf("estimate", dataset).returncode == 0
    count = winf("sql", dataset, "select count(*) from estimates", "--to", "csv").stdout
    for command in (("estimate", dataset, "--estimators", nothing), ("replay", dataset, "--controllers", nothing)):
        done = winf(*command)
        assert (done.returncode, f"{command[2]}: a list of names" in done.stderr) == (2, True), done.stderr
    assert winf("sql", dataset, "select count(*) from estimates", "--to", "csv").stdout == count


def test_an_instant_with_a_zone_is_printed(winf, tmp_path):
    (tmp_path / "a.pcap").write_bytes(pcaps.busy_link(3))
    assert winf("ingest", tmp_path / "a.pcap", "-o", tmp_path / "run.winf").returncode == 0
    query = 'select to_timestamp(1577880000) as "a "" b", 1 as n'
    done = winf("sql", tmp_path / "run.winf", query)
    assert (done.returncode, "2020-01-01" in done.stdout) == (0, True), done.stderr


def test_sums_are_numbers_in_json_and_no_number_wraps(winf, tmp_path):
    (tmp_path / "a.pcap").write_bytes(pcaps.busy_link(3))
    run = tmp_path / "run.winf"
    assert winf("ingest", tmp_path / "a.pcap", "-o", run).returncode == 0
    query = 'select sum(frame_no) as s, 5::uhugeint as "a "" b" from frames'
    assert winf("sql", run, query, "--to", "json").stdout == '[{"s":21,"a \\" b":5}]\n'
    done = winf("sql", run, f"select {2**128 - 1}::uhugeint as x", "--to", "json")
    assert (done.returncode, done.stdout, "out of range" in done.stderr) == (2, "", True)


def test_a_link_that_was_not_recorded_is_a_usage_error(winf, tmp_path):
    (tmp_path / "a.pcap").write_bytes(pcaps.busy_link(30))
    done = winf("why", tmp_path / "a.pcap", "--link", "00:00:00:00:00:02,00:00:00:00:00:09")
    assert (done.returncode, "no exchange from" in done.stderr) == (2, True), done.stderr
