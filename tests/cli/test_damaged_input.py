"""What a command says and which code it ends with where a recording or an option is not whole."""

from __future__ import annotations

import pcaps
import pytest


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


@pytest.mark.parametrize("nothing", ["", " , "])
def test_a_list_without_a_name_is_no_list(winf, tmp_path, nothing):
    (tmp_path / "a.pcap").write_bytes(pcaps.busy_link(30))
    dataset = tmp_path / "run.winf"
    assert winf("ingest", tmp_path / "a.pcap", "-o", dataset).returncode == 0
    assert winf("estimate", dataset).returncode == 0
    count = winf("sql", dataset, "select count(*) from estimates", "--to", "csv").stdout
    for command in (("estimate", dataset, "--estimators", nothing), ("replay", dataset, "--controllers", nothing)):
        done = winf(*command)
        assert (done.returncode, "a list of names" in done.stderr) == (2, True), done.stderr
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
