"""Datasets that may be published: nothing of the original is in them, and their estimates are the same."""

import json
import shutil
import socket

import polars as pl
import pytest
from dataset_state import QUICK
from folders import SAMPLES
from once import make_once

import winf_analyzer
from winf_analyzer import Dataset, DatasetError, UsageError, _anonymize, _schema
from winf_analyzer._anonymize.columns import kinds

KEY = b"a key of thirty-two octets......"
STATION, HOST, NETWORK, FILE = "00:00:00:00:00:02", "10.0.0.3", "winf sample", "sniffer.pcap"
"""Of the beginning of the demo."""


@pytest.fixture
def key(tmp_path):
    path = tmp_path / "secret.key"
    path.write_bytes(KEY)
    return path


@pytest.fixture
def public(short_dataset, tmp_path_factory, tmp_path):
    """The beginning of the demo under pseudonyms, to be changed."""

    def make(folder):
        winf_analyzer.anonymize(short_dataset, folder / "run.winf")

    made = make_once(tmp_path_factory, "public", make)
    return Dataset.open(shutil.copytree(made / "run.winf", tmp_path / "public.winf"))


def numbers(dataset, table):
    """Every number of a table, in an order that has nothing to do with names."""
    rows = dataset.scan(table).collect()
    columns = [name for name, type_ in rows.schema.items() if type_.is_numeric()]
    return rows.select(columns).sort(columns, nulls_last=True)


def changed(dataset, table, **columns):
    """The dataset with another first value in columns of a table."""
    rows = dataset.scan(table).collect()
    first = pl.int_range(pl.len()) == 0
    new = (pl.when(first).then(pl.lit(value)).otherwise(pl.col(name)).alias(name) for name, value in columns.items())
    dataset.replace_table(table, rows.with_columns(*new))
    return Dataset.open(dataset.path)


@pytest.mark.parametrize("table", [each.name for each in _schema.tables()])
def test_what_every_column_tells_is_declared(table):
    """A column that is added is declared in columns.toml, or this fails."""
    declared = kinds(table)
    for column in _schema.table(table).columns:
        if column.name.endswith("_ns") and column.name in declared:
            assert declared[column.name] in ("instant", "logged")


def test_a_column_that_nobody_declared_is_refused(monkeypatch):
    monkeypatch.setattr("winf_analyzer._anonymize.columns._declared", lambda: {})
    with pytest.raises(DatasetError, match=r"frames\.source: what this column may tell is not declared"):
        kinds("frames")


KEPT = {"keep_vendor": True, "shift_times": True}


@pytest.mark.parametrize(
    ("of", "settings"),
    [
        ("short_dataset", {}),
        ("compared_dataset", KEPT),
        ("tcp_dataset", KEPT),
        ("replay_dataset", {}),
    ],
)
def test_nothing_of_the_original_is_left_and_every_number_is(request, tmp_path, key, of, settings):
    original = request.getfixturevalue(of)
    made = winf_analyzer.anonymize(original, tmp_path / "public.winf", key_file=key, **settings)
    assert _anonymize.faults(made) == []  # and leaks, or it would not have been written
    assert _anonymize.faults(original)
    assert made.tables == original.tables
    shift = original.scan("frames").select(pl.col("start_ns").min()).collect().item() if original.parts("frames") else 0
    if not settings or (shift or 0) < 3_600e9:  # simulations begin at zero
        assert all(numbers(made, table).equals(numbers(original, table)) for table in original.tables)
    octets = b"".join(path.read_bytes() for path in made.path.rglob("*") if path.is_file())
    assert not [text for text in (STATION, HOST, NETWORK, FILE, str(tmp_path)) if text.encode() in octets]


@pytest.mark.parametrize(
    ("table", "column", "value"),
    [
        ("frames", "ta", STATION),
        ("frames", "src_ip", HOST),
        ("nodes", "ssid", NETWORK),
        ("frames", "flow", f"udp {HOST}:1 and more"),
        ("frames", "source", FILE),
        ("warnings", "message", "000000000002 was here"),
        ("exchanges", "phy", STATION.upper().replace(":", "-")),
    ],
)
def test_what_is_left_anywhere_is_found(short_dataset, public, table, column, value):
    if not public.scan(table).select(pl.len()).collect().item():
        rows = pl.DataFrame({column: [value]}).lazy()
        public.replace_table(table, _schema.complete(rows, table).collect().cast(_schema.schema(table)))
    assert _anonymize.leaks(short_dataset, changed(public, table, **{column: value}))


def test_what_is_left_in_the_manifest_is_found(short_dataset, public):
    for fact in ({"note": STATION}, {"note": FILE}):
        public.metadata["inputs"][0] |= fact
        assert _anonymize.leaks(short_dataset, public)
    assert _anonymize.faults(public) == []


@pytest.mark.parametrize("fact", [{"path": "run.pcap"}, {"sha256": "00"}, {"bytes": 78_000}, {"mtime_ns": 1}])
def test_what_finds_the_file_of_a_recording_again_is_a_fault(public, fact):
    public.metadata["inputs"][0] |= fact
    (fault,) = _anonymize.faults(public)
    assert fault == f"dataset.json: {next(iter(fact))} of recording-1 is there."


def test_neither_size_nor_time_of_a_file_is_published(tmp_path, short_recording):
    made = winf_analyzer.anonymize(short_recording, tmp_path / "public.winf", shift_times=True)
    (entry,) = made.metadata["inputs"]
    assert {key: entry[key] for key in ("path", "sha256", "bytes", "mtime_ns")} == dict.fromkeys(
        ("path", "sha256", "bytes", "mtime_ns")
    )
    page = winf_analyzer.report(made, tmp_path / "public.html").read_text()
    assert "<td>unknown</td>" in page
    assert "None" not in page.partition("<td>unknown</td>")[2].partition("</table>")[0]


@pytest.mark.parametrize("name", ["part", "icmp", "5000", "0000", "node", "10.0"])
def test_words_that_winf_writes_itself_do_not_count_as_names(short_recording, tmp_path, name):
    """Of a folder and a network that are called as protocols, ports, and parts of tables are."""
    folder = tmp_path / name
    folder.mkdir()
    (folder / "run.pcap").write_bytes(short_recording.read_bytes())
    original = winf_analyzer.ingest([folder / "run.pcap"], tmp_path / "run.winf")
    nodes = original.scan("nodes").with_columns(ssid=pl.when(pl.col("ssid").is_not_null()).then(pl.lit(name)))
    original.replace_table("nodes", nodes.collect())
    flow = pl.when(pl.col("flow").is_not_null()).then(pl.lit("icmp 10.0.0.1:5000 10.0.0.2:5000"))
    original.replace_table("frames", original.scan("frames").with_columns(flow=flow).collect())
    made = winf_analyzer.anonymize(Dataset.open(original.path), tmp_path / "public.winf")
    assert _anonymize.faults(made) == []
    left = changed(made, "frames", flow=f"icmp 10.0.0.1 of {name}")
    assert name in _anonymize.leaks(Dataset.open(original.path), left)


def test_what_is_replaced_is_not_kept(winf, short_dataset, short_recording, tmp_path):
    run = tmp_path / "run.winf"
    winf_analyzer.ingest([short_recording], run)
    winf_analyzer.estimate(run, **QUICK)
    assert winf("check", run, "--public").returncode == 1
    winf_analyzer.anonymize(short_dataset, run, force=True)
    checked = winf("check", run, "--public")
    assert (checked.returncode, checked.stdout) == (0, "")
    octets = b"".join(path.read_bytes() for path in run.rglob("*") if path.is_file())
    assert STATION.encode() not in octets
    assert f'"{socket.gethostname()}"'.encode() not in octets
    winf_analyzer.estimate(run, **QUICK)
    winf_analyzer.estimate(run, estimators=["wbest"], mode="paper")
    assert ".history: holds earlier versions" in winf("check", run, "--public").stdout


def test_with_a_leak_nothing_is_written(short_dataset, tmp_path, monkeypatch):
    monkeypatch.setattr("winf_analyzer._anonymize.pseudonyms.Pseudonyms.mac", lambda self, address: address)
    with pytest.raises(DatasetError, match=r"not written, because the copy still contains 00:00:00:00:00:0"):
        winf_analyzer.anonymize(short_dataset, tmp_path / "public.winf")
    assert list(tmp_path.iterdir()) == []


def test_the_same_key_gives_the_same_pseudonyms_in_all_datasets(short_dataset, tcp_dataset, public, tmp_path, key):
    def anonymized(dataset, name, **options):
        return nodes(winf_analyzer.anonymize(dataset, tmp_path / name, **options))

    def nodes(dataset):
        return set(dataset.scan("nodes").collect()["node"])

    with_key = anonymized(short_dataset, "a.winf", key_file=key) & anonymized(tcp_dataset, "b.winf", key_file=key)
    assert len(with_key) == len(nodes(short_dataset) & nodes(tcp_dataset)) > 0
    assert not nodes(public) & anonymized(short_dataset, "c.winf")


@pytest.mark.parametrize("of_a_trace", [False, True])
def test_estimates_made_again_are_the_same(tmp_path, short_recording, of_a_trace):
    """But for what draws random numbers: which station gets which depends on the order of addresses."""
    recording = SAMPLES / "ns2_rts_link" / "recording" if of_a_trace else short_recording
    before = winf_analyzer.ingest([recording], tmp_path / "run.winf")
    after = winf_analyzer.anonymize(before, tmp_path / "public.winf")
    winf_analyzer.estimate(before)
    winf_analyzer.estimate(after)
    assert numbers(before, "estimates").equals(numbers(after, "estimates"))


def test_times_move_by_whole_hours_and_all_alike(public, tmp_path):
    later = 1_700_000_000 * 10**9
    instants = ("ts_ns", "start_ns", "end_ns")
    public.replace_table("frames", public.scan("frames").with_columns(pl.col(*instants) + later).collect())
    moved = Dataset.open(public.path)
    made = winf_analyzer.anonymize(moved, tmp_path / "made.winf", shift_times=True)
    start, before = (each.scan("frames").select(instants).collect() for each in (made, moved))
    shift = (before - start).unpivot()["value"].unique().to_list()
    assert len(shift) == 1
    assert shift[0] % 3_600e9 == 0
    assert 0 <= start["start_ns"].min() < 3_600e9


def test_a_clock_moves_by_the_same_in_all_parts_of_a_recording(tmp_path, short_dataset):
    original = Dataset.open(shutil.copytree(short_dataset.path, tmp_path / "run.winf"))
    rows = original.scan("frames").collect()
    hours = pl.int_range(pl.len()) * 2 * 3_600_000_000 // pl.len()
    rows = rows.with_columns(tsft_us=5 * 3_600_000_000 + hours, beacon_tsf_us=hours)
    original.replace_parts("frames", rows.iter_slices(-(-len(rows) // 3)))
    original = Dataset.open(original.path)
    assert len(original.parts("frames")) == 3
    made = winf_analyzer.anonymize(original, tmp_path / "public.winf", shift_times=True)
    clocks = pl.col("tsft_us", "beacon_tsf_us")
    steps, before = (each.scan("frames").select(clocks.diff()).collect() for each in (made, original))
    assert steps.equals(before)
    assert made.scan("frames").select(clocks.min()).collect().row(0) == (0, 0)


def test_the_command_line(winf, tmp_path, key, short_recording):
    public = tmp_path / "public.winf"
    done = winf("anonymize", short_recording, "-o", public, "--key-file", key)
    assert (done.returncode, done.stderr) == (0, "")
    assert "nothing of the original's addresses and names was found" in done.stdout
    assert winf("sql", public, "select distinct ssid from nodes", "--to", "csv").stdout.startswith("ssid\nssid-")
    assert winf("report", public, "-o", tmp_path / "public.html").returncode == 0
    assert NETWORK not in (tmp_path / "public.html").read_text()
    assert winf("anonymize", public, "-o", public).returncode == 1
    key.write_bytes(b"short")
    refused = winf("anonymize", public, "-o", tmp_path / "other.winf", "--key-file", key)
    assert refused.returncode == 2
    assert "a key needs at least 16 octets, this has 5" in refused.stderr


def test_what_is_damaged_or_left_out_is_said_but_not_published(winf, tmp_path, short_recording):
    folder = tmp_path / "captures"
    folder.mkdir()
    (folder / "whole-secret.pcap").write_bytes(short_recording.read_bytes())
    (folder / "cut-secret.pcap").write_bytes(short_recording.read_bytes()[:-20])
    (folder / "empty-secret.pcap").touch()
    public = tmp_path / "public.winf"
    done = winf("anonymize", folder, "-o", public)
    assert done.returncode == 3
    first, second = sorted(done.stderr.splitlines())
    assert first.startswith("cut-secret.pcap: the last record is cut short")
    assert second.startswith(f"skipped: {folder / 'empty-secret.pcap'}: not a recording: an empty file.")
    assert not [file for file in public.rglob("*") if file.is_file() and b"secret" in file.read_bytes()]
    assert Dataset.open(public).metadata["skipped"] == []


def test_a_missing_key_is_named(short_dataset, tmp_path):
    with pytest.raises(UsageError, match=r"no\.key: the key cannot be read: No such file"):
        winf_analyzer.anonymize(short_dataset, tmp_path / "public.winf", key_file=tmp_path / "no.key")


def test_dataset_json_has_numbers_and_our_own_words_only(short_dataset, public):
    (entry,) = public.metadata["inputs"]
    assert (entry["source"], entry["path"], entry["sha256"]) == ("recording-1", None, None)
    assert entry["counts"] == short_dataset.metadata["inputs"][0]["counts"]
    assert public.metadata["command"] == "winf anonymize"
    assert str(short_dataset.path) not in json.dumps(public.metadata)
