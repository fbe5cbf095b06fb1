"""802.11 frames that an access point sends over a network, beside tshark and literal fields."""

import shutil
import struct
import subprocess
import zlib

import pcaps
import polars as pl
import pytest

import winf_analyzer

MPDU = bytes.fromhex("08012c00020000000010020000000011020000000010300000aaaa0300000008") + b"x" * 20
FCS = struct.pack("<I", zlib.crc32(MPDU))
TSF_US = 0x01_0203_0405
FIELDS = ("signal_dbm", "noise_dbm", "data_rate", "channel", "frequency", "timestamp")


def datagram(port, payload):
    """An Ethernet frame with a UDP datagram."""
    udp = struct.pack(">HHHH", 40000, port, 8 + len(payload), 0) + payload
    ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 20 + len(udp), 1, 0, 64, 17, 0, b"\x0a\0\0\x09", b"\x0a\0\0\x01")
    return bytes(12) + b"\x08\x00" + ip + udp


def legacy(*, signal=-60, noise=-95, flags=0, status=0, rate=22, channel=6, tsf=TSF_US, frame=MPDU + FCS):
    lengths = len(frame), len(frame)
    head = struct.pack(">bbHHBBQBBBB", signal, noise, *lengths, flags, status, tsf, rate, channel, 70, 10)
    return head + frame


def second(*, value=5, channel=36, mhz=5180, extended=0x100, tsf=TSF_US, frame=MPDU + FCS):
    head = struct.pack(">IBIIHHIII", 0x00FFABCD, 2, 55, 1, value, channel, mhz, 0, extended)
    powers = struct.pack(">BBbbbbbbbbbb", 70, 5, -55, -95, -56, -57, 0, 0, -96, -97, 0, 0)
    return head + powers + struct.pack(">HHBBQ", len(frame), len(frame), 0, 0, tsf) + frame


def written(tmp_path, port, payloads):
    records = ((number * 1_000_000, datagram(port, payload)) for number, payload in enumerate(payloads, start=1))
    path = tmp_path / "remote.pcap"
    path.write_bytes(pcaps.pcap(records, link_type=pcaps.ETHERNET))
    return path


def frames(path, tmp_path):
    return winf_analyzer.ingest(path, tmp_path / "run.winf", force=True).scan("frames").collect()


@pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark is not installed")
@pytest.mark.parametrize(
    "payloads",
    [
        [
            legacy(),
            legacy(rate=108, channel=36, tsf=TSF_US + 5000),
            legacy(signal=-20, noise=-100, tsf=TSF_US + 9000),
            legacy(rate=2, channel=11, tsf=TSF_US + 20_000),
        ],
        [
            second(),
            second(value=15, extended=0x104, tsf=TSF_US + 5000),
            second(channel=6, mhz=2437, tsf=TSF_US + 9000),
            second(channel=149, mhz=5745, tsf=TSF_US + 20_000),
        ],
    ],
    ids=["first form", "second form"],
)
def test_peekremote_reads_as_in_tshark(tmp_path, payloads):
    path = written(tmp_path, 5000, payloads)
    asked = [word for field in FIELDS for word in ("-e", f"wlan_radio.{field}")]
    asked += ["-e", "wlan_radio.11n.mcs_index", "-e", "wlan.seq", "-e", "wlan.fc.type_subtype"]
    command = [
        "tshark",
        "-n",
        "-r",
        path,
        "-d",
        "udp.port==5000,peekremote",
        "-T",
        "fields",
        "-E",
        "separator=,",
        *asked,
    ]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    rows = frames(path, tmp_path)
    assert rows.height == len(lines) == len(payloads)
    for line, row in zip(lines, rows.iter_rows(named=True), strict=True):
        signal, noise, rate, channel, mhz, tsf, mcs, seq, subtype = line.split(",")
        assert (row["signal_dbm"], row["noise_dbm"], row["tsft_us"]) == (int(signal), int(noise), int(tsf))
        assert (row["seq"], row["subtype"]) == (int(seq), int(subtype, 16))
        assert not rate or row["rate_mbps"] == float(rate)
        assert not mhz or row["channel_mhz"] == int(mhz)
        assert row["channel_mhz"] == (2407 if int(channel) < 15 else 5000) + 5 * int(channel)
        assert not mcs or row["mcs"] == int(mcs)
        assert row["fcs_ok"] is True


def test_peekremote_of_vht_and_he(tmp_path):
    vht, he = 0x100 | 0x80 | 0x200 | 0x08 | 1 << 14, 0x100 | 0x20000 | 0x40000
    rows = frames(
        written(tmp_path, 5000, [second(value=9, extended=vht), second(value=11, extended=he, tsf=TSF_US + 9000)]),
        tmp_path,
    )
    assert rows["phy"].to_list() == ["vht", "he"]
    assert rows.select("mcs", "nss", "bandwidth_mhz").rows() == [(9, 2, 80), (11, 1, 160)]
    assert rows["guard_ns"].to_list()[0] == 400


def test_zeros_in_place_of_the_fcs_say_nothing(tmp_path):
    rows = frames(written(tmp_path, 5000, [legacy(frame=MPDU + bytes(4)), legacy(flags=2)]), tmp_path)
    assert rows["fcs_ok"].to_list() == [None, False]
    assert rows["seq"].to_list()[0] == frames(written(tmp_path, 5000, [legacy()]), tmp_path)["seq"][0]
    assert rows["length_bytes"].to_list() == [len(MPDU) + 4] * 2


def test_tzsp(tmp_path):
    tags = b"\x0a\x01\xc4" + b"\x0b\x01\xa1" + b"\x0c\x01\x16" + b"\x0d\x04\x00\x01\x02\x03" + b"\x12\x01\x06"
    payloads = [b"\x01\x00\x00\x12" + tags + b"\x01" + MPDU, b"\x01\x04\x00\x00", b"\x01\x00\x00\x12\x01" + MPDU]
    rows = frames(written(tmp_path, 0x9090, payloads), tmp_path).filter(pl.col("seq").is_not_null())
    wanted = ("signal_dbm", "noise_dbm", "rate_mbps", "channel_mhz", "tsft_us")
    assert rows.select(wanted).rows() == [(-60, -95, 11.0, 2437, 0x00010203), (None,) * 5]


@pytest.mark.parametrize("with_radio", [False, True])
def test_aruba(tmp_path, with_radio):
    radio = struct.pack(">HBB", 108, 36, 40) if with_radio else b""
    payload = struct.pack(">IIII", 1000, 7, len(MPDU), len(MPDU)) + radio + MPDU
    rows = frames(written(tmp_path, 5555, [payload] * 3), tmp_path)
    assert rows["ta"].to_list() == ["02:00:00:00:00:11"] * 3
    assert rows["rate_mbps"].to_list() == [54.0 if with_radio else None] * 3


def test_other_traffic_beside_it_is_counted_and_left_out(tmp_path, winf):
    path = written(tmp_path, 5000, [legacy()])
    other = [datagram(53, b"query"), bytes(12) + b"\x08\x06" + bytes(28)]
    records = [(number * 1_000_000, each) for number, each in enumerate([datagram(5000, legacy()), *other, *other])]
    path.write_bytes(pcaps.pcap(records, link_type=pcaps.ETHERNET))
    result = winf("ingest", path, "-o", tmp_path / "run.winf")
    assert result.returncode in (0, 3), result.stderr
    counted = winf_analyzer.sql(tmp_path / "run.winf", "select count(*) from exchanges where sender is not null").item()
    assert counted == 1
    assert "link type other than 802.11 in 4 frames" in result.stderr + str(
        winf_analyzer.sql(tmp_path / "run.winf", "select message from warnings").rows()
    )
