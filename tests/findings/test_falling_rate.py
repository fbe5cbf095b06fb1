"""Which rates fall because a station leaves."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import polars as pl
from air import Air
from finding_scenes import AP, A, walks_away

import winf_analyzer


def _found(folder: Path, scene: Callable[[Air], None], observer: str | None = None) -> pl.DataFrame:
    scene(air := Air())
    (folder / "recording.pcap").write_bytes(air.capture())
    return winf_analyzer.why([folder / "recording.pcap"], observer=observer).findings.filter(name="falling_rate")


def test_rate_and_signal_fall(tmp_path):
    row = _found(tmp_path, walks_away).row(0, named=True)
    assert (row["subject"], row["value"]) == (f"{A} > {AP}", 4.5)
    assert "from 54 Mb/s in the first third of the recording to 36 Mb/s and 12 Mb/s" in row["text"]
    assert "from -60 dBm to -84 dBm" in row["text"]


def test_a_rate_that_falls_while_the_signal_stays_has_another_cause(tmp_path):
    assert _found(tmp_path, lambda air: walks_away(air, signals=(-60, -62, -64))).is_empty()


def test_a_rate_that_comes_back_has_not_fallen(tmp_path):
    assert _found(tmp_path, lambda air: walks_away(air, rates=(36, 54, 12))).is_empty()


def test_half_the_rate_is_no_third(tmp_path):
    assert _found(tmp_path, lambda air: walks_away(air, rates=(54, 36, 24))).is_empty()


def test_data_that_ends_leaves_no_rate(tmp_path):
    """In the last third A sends acknowledgements of TCP, at the lowest rate."""

    def scene(air: Air) -> None:
        for number in range(300):
            air.until(number * 50_000)
            late = number >= 200
            body = bytes(80 if late else 1000)
            air.exchange(A, AP, AP, seq=number, body=body, rate_mbps=6 if late else 54, dbm=-80 if late else -60)

    assert _found(tmp_path, scene).is_empty()


def test_repetitions_go_at_lower_rates_on_purpose(tmp_path):
    """In the last third every frame is lost twice, and sent again at lower rates."""

    def scene(air: Air) -> None:
        for number in range(300):
            air.until(number * 50_000)
            dbm = -60 - number // 30
            if number >= 200:
                air.exchange(A, AP, AP, seq=number, rate_mbps=54, dbm=dbm, answered=False)
                air.exchange(A, AP, AP, seq=number, rate_mbps=12, dbm=dbm, answered=False, retry=True)
                air.exchange(A, AP, AP, seq=number, rate_mbps=6, dbm=dbm, retry=True)
            else:
                air.exchange(A, AP, AP, seq=number, rate_mbps=54, dbm=dbm)

    assert _found(tmp_path, scene).is_empty()


def test_a_few_seconds_do_not_tell(tmp_path):
    def scene(air: Air) -> None:
        for number in range(300):
            air.until(number * 30_000)
            air.exchange(A, AP, AP, seq=number, rate_mbps=(54, 36, 12)[number // 100], dbm=-60 - number // 12)

    assert _found(tmp_path, scene).is_empty()
