"""What the tables and sentences of a replay in the terminal say is what its rows hold."""

from __future__ import annotations

import polars as pl
import pytest
from air import SIFS_US, TO_DS, Air, mac
from finding_scenes import AP, A
from pcaps import ack

from winf_analyzer.cli.replay import _formatted

ARP = b"\xaa\xaa\x03\0\0\0\x08\x06" + bytes(28)
EMPTY = ("jain_index", "jain_index_ci", "throughput_ci_bps", "rtt_ms", "completion_ms", "delay_ms")
ZERO = ("lost_queue", "lost_retry", "lost_channel", "lost_route", "timeouts", "received_packets", "utilisation")


def overview(bps: float, low_bps: float, high_bps: float) -> pl.DataFrame:
    words = {"controller": "wcp", "mode": "corrected", "flow": "f"}
    row = words | {"throughput_bps": bps, "throughput_low_bps": low_bps, "throughput_high_bps": high_bps}
    row |= dict.fromkeys(ZERO, 0.0) | {"queue_packets": 0.0, "normalised_deviation": 0.5}
    return pl.DataFrame([row]).with_columns(pl.lit(None, pl.Float64).alias(name) for name in EMPTY)


@pytest.mark.parametrize(
    ("bps", "said"),
    [
        ((20.0, 14.7, 25.5), ("0.00002", "0.000015 to 0.000026")),
        ((17_100.0, 16_200.0, 17_400.0), ("0.017", "0.016 to 0.017")),
        ((3_466_000.0, 3_068_000.0, 3_689_000.0), ("3.466", "3.07 to 3.69")),
        ((0.0, 0.0, 0.0), ("0.0", "0.0 to 0.0")),
    ],
)
def test_what_is_small_is_not_told_as_nothing(bps, said):
    row = _formatted(overview(*bps)).row(0, named=True)
    assert (row["throughput_mbps"], row["throughput_90%"]) == said


def test_an_analysis_says_that_no_controller_sends_what_goes_to_groups(winf, tmp_path):
    """ARP requests that A has its access point send on to every station."""
    air = Air()
    for number in range(60):
        air.wait(20_000)
        air.send(mac(0x08, AP, A, "ff:ff:ff:ff:ff:ff", ARP, seq=number, flags=TO_DS, nav_us=314))
        air.wait(SIFS_US)
        air.send(ack(A), 1)
    (tmp_path / "a.pcap").write_bytes(air.capture())
    done = winf("-v", "analyze", tmp_path / "a.pcap", "--controllers", "new_reno,wcp", "-o", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    said = "the flows are datagrams to groups of stations, which congestion control does not affect"
    assert f"All controllers give the same: {said}." in " ".join(done.stdout.split())
    assert "--transfers" not in done.stderr
    assert "no IP header was read (encrypted, or not IP)" in done.stderr
