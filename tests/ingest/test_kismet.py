"""Databases of Kismet: the same rows as the captures that they hold."""

import sqlite3
import struct
from contextlib import suppress

import pcaps
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from properties import examples

import winf_analyzer
from winf_analyzer import UnusableInput
from winf_analyzer._ingest import kismet

SCHEMA = "create table packets (ts_sec int, ts_usec int, phyname text, dlt int, datasource text, packet blob)"


def database(path, rows):
    """A database with packets, given as (seconds, microseconds, link type, data source, octets)."""
    with sqlite3.connect(path) as connection:
        connection.execute(SCHEMA)
        connection.executemany("insert into packets values (?, ?, 'IEEE802.11', ?, ?, ?)", rows)
    connection.close()
    return path


def records(capture):
    """Stamp and octets of a pcap with nanoseconds."""
    at = 24
    while at < len(capture):
        seconds, ns, length, _ = struct.unpack_from("<IIII", capture, at)
        yield seconds, ns // 1000, capture[at + 16 : at + 16 + length]
        at += 16 + length


def test_it_reads_like_the_capture_it_was_made_of(tmp_path):
    capture = pcaps.busy_link(20)
    (tmp_path / "a.pcap").write_bytes(capture)
    rows = [(seconds, us, 127, "first", octets) for seconds, us, octets in records(capture)]
    # Of other radios, other types, and in another order.
    rows = [*reversed(rows), (1, 0, 272, "btle", b"x" * 20), (2, 0, 127, "first", "text"), (-1, 0, 127, "first", b"y")]
    database(tmp_path / "a.kismet", rows)
    expected, found = (
        winf_analyzer.ingest(tmp_path / name, tmp_path / f"{name}.winf") for name in ("a.pcap", "a.kismet")
    )
    for table in ("frames", "exchanges"):
        one, other = (each.scan(table).drop("source").collect() for each in (expected, found))
        assert one.equals(other), table
    assert found.metadata["inputs"][0]["path"] == str(tmp_path / "a.kismet")
    assert winf_analyzer.info(tmp_path / "a.kismet")[0]["counts"]["frames"] == 40


def test_packets_that_were_cut_keep_their_length(tmp_path):
    """Kismet keeps it beside what is left of a packet; a length that cannot be is not taken."""
    rows = [(seconds, us, 127, "a", octets[:60]) for seconds, us, octets in records(pcaps.busy_link(10))]
    lengths = [len(octets) for *_, octets in records(pcaps.busy_link(10))]
    lengths[:4] = [None, 0, "text", 1 << 40]
    with sqlite3.connect(database(tmp_path / "a.kismet", rows)) as connection:
        connection.execute("alter table packets add column packet_full_len int")
        update = "update packets set packet_full_len = ? where rowid = ?"
        connection.executemany(update, zip(lengths, range(1, 21), strict=True))
    connection.close()
    (tmp_path / "a.pcap").write_bytes(pcaps.busy_link(10))
    whole, cut = (
        winf_analyzer.ingest(tmp_path / name, tmp_path / f"{name}.winf").scan("frames").collect()
        for name in ("a.pcap", "a.kismet")
    )
    assert cut["length_bytes"][4:].equals(whole["length_bytes"][4:])


def test_every_data_source_is_a_radio(tmp_path):
    octets = [(seconds, us, record) for seconds, us, record in records(pcaps.busy_link(5))]
    rows = [(seconds, us, 127, source, record) for seconds, us, record in octets for source in ("one", "two")]
    made = winf_analyzer.ingest(database(tmp_path / "a.kismet", rows), tmp_path / "run.winf")
    assert made.scan("frames").collect()["source"].value_counts().sort("source").rows() == [
        ("a.kismet", 10),
        ("a.kismet#1", 10),
    ]


def test_one_in_a_folder_is_found(tmp_path, winf):
    rows = [(seconds, us, 127, "a", octets) for seconds, us, octets in records(pcaps.busy_link(3))]
    (tmp_path / "folder").mkdir()
    database(tmp_path / "folder" / "a.kismet", rows)
    (tmp_path / "folder" / "notes.txt").write_text("none")
    assert winf("ingest", tmp_path / "folder", "-o", tmp_path / "run.winf").returncode == 0


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (None, "holds no 802.11 packet"),
        (kismet.MAGIC + bytes(84), "no database of Kismet"),
        (kismet.MAGIC + b"\xff" * 5000, "no database of Kismet"),
    ],
)
def test_what_is_none_is_one_sentence(winf, tmp_path, content, says):
    path = tmp_path / "a.kismet"
    if content is None:
        database(path, [])
    else:
        path.write_bytes(content)
    refused = winf("ingest", path, "-o", tmp_path / "run.winf")
    assert refused.returncode == 4, refused.stderr
    assert says in refused.stderr
    assert str(path) in refused.stderr
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["a.kismet"]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    rows = [(seconds, us, 127, "a", record) for seconds, us, record in records(pcaps.busy_link(10))]
    return database(tmp_path_factory.mktemp("whole") / "a.kismet", rows).read_bytes()


@examples(50)
@example(3982, b"\x80")  # in the schema, which the message quotes
@given(st.integers(0, 12_000), st.binary(min_size=1, max_size=40))
def test_damage_anywhere_is_read_or_refused(tmp_path_factory, whole, at, octets):
    folder = tmp_path_factory.mktemp("damaged")
    damaged = bytearray(whole)
    at = at % len(damaged)
    damaged[at : at + len(octets)] = octets
    path = folder / "a.kismet"
    path.write_bytes(damaged)
    with suppress(UnusableInput), (folder / "capture").open("wb") as capture:
        kismet.write_capture(path, capture)
