"""Options of tshark: decode-as rules, preferences and a profile; nothing else reaches its command line."""

from __future__ import annotations

import shutil
import struct
import zlib

import pcaps
import polars as pl
import pytest

import winf_analyzer
from winf_analyzer import Tshark, UsageError

needs_tshark = pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark is not installed")

PORT = 7777


def tunnelled() -> bytes:
    """A beacon behind Peekremote's older header of 20 octets, in UDP to a port that no dissector knows."""
    frame = pcaps.beacon("10:20:30:40:50:60", b"net")
    frame += struct.pack("<I", zlib.crc32(frame))
    peek = struct.pack(">bbHHBBQBBBB", -40, -95, len(frame), len(frame), 0, 0, 1, 11, 2, 0, 0)
    udp = struct.pack(">HHHH", 5000, PORT, 8 + len(peek) + len(frame), 0) + peek + frame
    ip = struct.pack(">BBHHHBBH4B4B", 0x45, 0, 20 + len(udp), 0, 0, 64, 17, 0, 10, 0, 0, 1, 10, 0, 0, 2)
    return pcaps.pcap([(10**9, b"\x02" * 12 + b"\x08\x00" + ip + udp)], link_type=1)


def kinds(capture, decoder):
    rows = pl.DataFrame(winf_analyzer.read_frames(capture, decoder=decoder))
    return rows["kind"].cast(pl.String).to_list()


@needs_tshark
def test_a_rule_decodes_what_no_dissector_knows(tmp_path):
    (tmp_path / "a.pcap").write_bytes(tunnelled())
    with pytest.raises(Exception, match=r"no 802\.11"):
        kinds(tmp_path / "a.pcap", "tshark")
    assert kinds(tmp_path / "a.pcap", Tshark(decode_as=(f"udp.port=={PORT},peekremote",))) == ["beacon"]


@needs_tshark
def test_a_profile_says_the_same(tmp_path, monkeypatch):
    (tmp_path / "a.pcap").write_bytes(tunnelled())
    profile = tmp_path / "wireshark" / "profiles" / "mine"
    profile.mkdir(parents=True)
    (profile / "decode_as_entries").write_text(f"decode_as_entry: udp.port,{PORT},(none),PEEKREMOTE\n")
    monkeypatch.setenv("WIRESHARK_CONFIG_DIR", str(tmp_path / "wireshark"))
    assert kinds(tmp_path / "a.pcap", Tshark(profile="mine")) == ["beacon"]
    with pytest.raises(UsageError, match="no Wireshark profile"):
        kinds(tmp_path / "a.pcap", Tshark(profile="yours"))


@needs_tshark
def test_a_preference_reaches_the_dissectors(tmp_path):
    """Without the FCS that the record has, the frame is four octets longer."""
    record = pcaps.radiotap(pcaps.beacon("10:20:30:40:50:60", b"net"), tsft_us=1)
    (tmp_path / "a.pcap").write_bytes(pcaps.pcap([(10**9, record)]))
    dataset = winf_analyzer.ingest(
        tmp_path / "a.pcap", tmp_path / "run.winf", decoder=Tshark(preferences=("wlan.check_checksum:FALSE",))
    )
    assert dataset.metadata["parameters"]["tshark"]["preferences"] == ["wlan.check_checksum:FALSE"]
    assert winf_analyzer.sql(dataset, "select fcs_ok from frames").item() is None


@needs_tshark
@pytest.mark.parametrize(
    "options",
    [
        Tshark(decode_as=("-w/tmp/out",)),
        Tshark(decode_as=("udp.port==5000",)),
        Tshark(preferences=("-Xlua_script:evil.lua",)),
        Tshark(preferences=('uat:80211_keys:"wep","0102030405"',)),
        Tshark(preferences=("nameres.network_name:TRUE",)),
        Tshark(profile="../other"),
        Tshark(profile="of nobody"),
        Tshark(decode_as=("udp.port==5000,nosuchprotocol",)),
        Tshark(decode_as=("no.such.table==5000,peekremote",)),
        Tshark(preferences=("no.such:1",)),
    ],
    ids=str,
)
def test_anything_else_is_refused_in_one_sentence(tmp_path, options):
    """Also what only tshark knows: its dissectors and preferences."""
    (tmp_path / "a.pcap").write_bytes(tunnelled())
    with pytest.raises(UsageError) as said:
        winf_analyzer.info(tmp_path / "a.pcap", decoder=options)
    assert "\n" not in str(said.value)
    assert len(str(said.value)) < 200


def test_they_are_for_tshark(winf, tmp_path):
    (tmp_path / "a.pcap").write_bytes(pcaps.busy_link(1))
    for option in (("--decode-as", "udp.port==1,peekremote"), ("--preference", "a.b:1"), ("--profile", "mine")):
        done = winf("info", tmp_path / "a.pcap", *option)
        assert done.returncode == 2
        assert "--decoder tshark" in done.stderr
