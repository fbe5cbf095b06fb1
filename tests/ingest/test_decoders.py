"""tshark as decoder: the same rows as the native one, and what only it can do."""

from __future__ import annotations

import json
import shutil
import struct
import sys
import zlib

import pcaps
import polars as pl
import pytest
from folders import SAMPLES
from sampled import one_of_each

import winf_analyzer
from winf_analyzer._ingest.keys import canonical_keys
from winf_analyzer._util.errors import UsageError

CAPTURES = sorted(SAMPLES.glob("*/recording/*.pcap"))
WEP_KEY = "0102030405"

needs_tshark = pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark is not installed")


def rows(stream: object) -> pl.DataFrame:
    return pl.DataFrame(stream).with_columns(pl.col(pl.Categorical, pl.Enum).cast(pl.String))


def wep(key: bytes, iv: bytes, clear: bytes) -> bytes:
    """The body of a WEP frame (IEEE 802.11-2020, 12.3.2): IV, key number, and ciphertext with ICV."""
    state, j = list(range(256)), 0
    for i in range(256):
        j = (j + state[i] + (iv + key)[i % (3 + len(key))]) % 256
        state[i], state[j] = state[j], state[i]
    i = j = 0
    cipher = bytearray()
    for octet in clear + struct.pack("<I", zlib.crc32(clear)):
        i = (i + 1) % 256
        j = (j + state[i]) % 256
        state[i], state[j] = state[j], state[i]
        cipher.append(octet ^ state[(state[i] + state[j]) % 256])
    return iv + b"\x00" + bytes(cipher)


def encrypted_capture() -> bytes:
    """A WEP frame of a UDP datagram from 10.0.0.1:5001 to 10.0.0.2:5002."""
    payload = b"hello" * 4
    udp = struct.pack(">HHHH", 5001, 5002, 8 + len(payload), 0) + payload
    ip = struct.pack(">BBHHHBBH4B4B", 0x45, 0, 20 + len(udp), 0, 0, 64, 17, 0, 10, 0, 0, 1, 10, 0, 0, 2)
    clear = b"\xaa\xaa\x03\x00\x00\x00\x08\x00" + ip + udp
    addresses = pcaps.address(pcaps.AP) + pcaps.address(pcaps.STATION) + pcaps.address(pcaps.AP)
    header = struct.pack("<BBH", 0x08, 0x41, 314) + addresses + struct.pack("<H", 16)
    frame = header + wep(bytes.fromhex(WEP_KEY), b"\x07\x08\x09", clear)
    return pcaps.pcap([(10**9, pcaps.radiotap(frame, tsft_us=1))])


@needs_tshark
@pytest.mark.parametrize(
    "capture",
    one_of_each(CAPTURES, lambda path: path.parents[1].name),
    ids=lambda path: f"{path.parents[1].name}/{path.name}",
)
def test_both_decoders_fill_the_same_tables(capture, tmp_path):
    native, tshark = (
        winf_analyzer.ingest(capture, tmp_path / f"{decoder}.winf", decoder=decoder) for decoder in ("native", "tshark")
    )
    assert native.tables == tshark.tables
    for table in native.tables:
        one, other = (rows(dataset.scan(table).collect()) for dataset in (native, tshark))
        differing = [name for name in one.columns if not one[name].equals(other[name], null_equal=True)]
        assert differing == [], (table, one.select(differing))


@needs_tshark
def test_a_key_opens_encrypted_frames(tmp_path):
    capture = tmp_path / "wep.pcap"
    capture.write_bytes(encrypted_capture())
    closed = rows(winf_analyzer.read_frames(capture, decoder="tshark"))
    assert closed.select("protected", "flow", "payload_bytes").row(0) == (True, None, 56)
    opened = rows(winf_analyzer.read_frames(capture, decoder="tshark", keys=[f"wep:{WEP_KEY}"]))
    columns = ("src_ip", "dst_ip", "src_port", "dst_port", "proto", "payload_bytes")
    assert opened.select(columns).row(0) == ("10.0.0.1", "10.0.0.2", 5001, 5002, "udp", 56)


@needs_tshark
@pytest.mark.shared
def test_a_passphrase_opens_a_known_capture(shared_captures):
    capture = shared_captures / "realjimmy__sample-captures" / "wpa-Induction.pcap"
    opened = rows(winf_analyzer.read_frames(capture, decoder="tshark", keys=["wpa-pwd:Induction:Coherer"]))
    flows = opened.filter(pl.col("protected") & pl.col("flow").is_not_null())
    assert flows.height > 100
    assert flows["src_port"].drop_nulls().len() > 100


@needs_tshark
def test_keys_are_recorded_nowhere(winf, tmp_path):
    capture, dataset = tmp_path / "wep.pcap", tmp_path / "run.winf"
    capture.write_bytes(encrypted_capture())
    result = winf("ingest", capture, "-o", dataset, "--decoder", "tshark", "--key", WEP_KEY, f"--key=wep:{WEP_KEY}")
    assert result.returncode == 0, result.stderr
    text = (dataset / "dataset.json").read_text(encoding="utf-8")
    assert WEP_KEY not in text
    assert json.loads(text)["parameters"]["keys"] == 2
    assert json.loads(text)["parameters"]["decoder"] == "tshark"


def test_keys_in_every_notation():
    # The vector of IEEE 802.11-2020, annex J.4.2.
    psk = "f42c6fc52df0ebef9ebb4b90b38a5f902e83fe1b135a70e23aed762e9710a12e"
    assert canonical_keys(["wpa-pwd:password:IEEE"]) == [f"wpa-psk:{psk}"]
    assert canonical_keys([f"wpa-psk:{psk.upper()}"]) == [f"wpa-psk:{psk}"]
    assert canonical_keys(["01:02:03:04:05", "wep:0A0B0C0D0E"]) == ["wep:0102030405", "wep:0a0b0c0d0e"]
    assert canonical_keys(["wpa-pwd:with:colons:IEEE"]) != canonical_keys(["wpa-pwd:with colons:IEEE"])
    assert canonical_keys(["wpa-pwd:password:I%45EE"]) == canonical_keys(["wpa-pwd:password:IEEE"])


@pytest.mark.parametrize("key", ["", "wep:0", "wep:01", 'wep:010203040"', "wpa-pwd:short:x", "wpa-psk:00", "-o x:y"])
def test_what_is_no_key_is_refused_and_not_shown(key):
    with pytest.raises(UsageError, match="number 1 is none of") as raised:
        canonical_keys([key])
    assert key == "" or key not in str(raised.value)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--decoder", "scapy"], "unknown decoder"),
        (["--key", WEP_KEY], "needs --decoder tshark"),
        (["--decoder", "tshark", "--key", "secret"], "number 1 is none of"),
    ],
)
def test_usage(winf, tmp_path, arguments, says):
    (tmp_path / "a.pcap").write_bytes(pcaps.busy_link(2))
    result = winf("info", tmp_path / "a.pcap", *arguments)
    assert result.returncode == 2, result.stderr
    assert says in result.stderr
    assert "secret" not in result.stderr


def test_tshark_does_not_follow(winf, tmp_path):
    (tmp_path / "a.pcap").write_bytes(pcaps.busy_link(2))
    result = winf("ingest", tmp_path / "a.pcap", "-o", tmp_path / "run.winf", "--follow", "--decoder", "tshark")
    assert result.returncode == 2, result.stderr
    assert "Once the files are complete" in " ".join(result.stderr.split())


@pytest.mark.parametrize(
    ("script", "says"),
    [(None, "cannot be run"), ("echo 'TShark (Wireshark) 3.6.2 (Git)'", "3.6 is too old"), ("true", "which version")],
    ids=["missing", "too old", "something else"],
)
def test_a_tshark_that_will_not_do(winf, tmp_path, monkeypatch, script, says):
    programs = tmp_path / "bin"
    programs.mkdir()
    if script is not None:
        (programs / "tshark").write_text(f"#!/bin/sh\n{script}\n")
        (programs / "tshark").chmod(0o755)
    (tmp_path / "a.pcap").write_bytes(pcaps.busy_link(2))
    environment = {"PATH": str(programs), "NO_COLOR": "1", "COLUMNS": "200", "PYTHONPATH": ":".join(sys.path)}
    command = ("ingest", tmp_path / "a.pcap", "-o", tmp_path / "run.winf", "--decoder", "tshark")
    result = winf(*command, env=environment)
    assert result.returncode == 1, result.stderr
    assert says in result.stderr
    assert "apt install tshark" in result.stderr
    assert not (tmp_path / "run.winf").exists()


@needs_tshark
@pytest.mark.parametrize(
    ("content", "code", "says"),
    [
        (b"nothing a capture begins with" * 9, 4, "isn't a capture file"),
        (pcaps.pcap([]), 4, "no frames"),
        (pcaps.pcap([(0, bytes(60))], link_type=pcaps.ETHERNET), 4, "no 802.11 frames"),
        (pcaps.busy_link(10)[:-3], 3, "cut short"),
        (pcaps.busy_link(10) + b"\xff" * 64, 3, "damaged"),
    ],
    ids=["no capture", "empty", "ethernet", "cut", "damaged"],
)
def test_unusable_and_damaged_captures(winf, tmp_path, content, code, says):
    capture = tmp_path / "input.pcap"
    capture.write_bytes(content)
    result = winf("ingest", capture, "-o", tmp_path / "run.winf", "--decoder", "tshark")
    assert result.returncode == code, result.stderr
    assert says in result.stderr
    assert "Traceback" not in result.stderr
    if code == 3:
        frames = pl.read_parquet(tmp_path / "run.winf" / "frames" / "*.parquet")
        assert frames.height == (19 if says == "cut short" else 20)


@needs_tshark
def test_no_settings_are_left_behind(winf, tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    capture = SAMPLES / "ns3_ht" / "recording" / "node-0.pcap"
    rows(winf_analyzer.read_frames(capture, decoder="tshark"))
    assert list(tmp_path.glob("winf-tshark-*")) == []


@needs_tshark
def test_names_that_look_like_options(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("-V", "-", "a b;c.pcap", "$(x).pcap"):
        (tmp_path / name).write_bytes(pcaps.busy_link(2))
        assert rows(winf_analyzer.read_frames(name, decoder="tshark")).height == 4
