"""A frame of each type, subtype and combination of DS bits, long enough for any header, beside tshark."""

from __future__ import annotations

import pcaps
import polars as pl
import pytest

from . import oracle
from .comparison import compare

LEFT_OUT = {0x07, 0x0F, 0x10, 0x11, 0x12, 0x13, 0x16, 0x17, 0x1F, 0x2D}
"""Reserved subtypes, and those whose fields have other names in tshark: Trigger, extensions, wrapper, CF-Ack."""

PS_POLL = 0x1A


def headers() -> list[bytes]:
    frames = []
    for subtype in sorted(set(range(0x30)) - LEFT_OUT):
        first = (subtype >> 4) << 2 | (subtype & 0x0F) << 4
        duration = b"\x01\xc0" if subtype == PS_POLL else b"\x2c\x01"  # an AID there
        for ds_bits in range(4 if subtype >= 0x20 else 1):
            addresses = b"".join(bytes([2, 0, 0, 0, ds_bits, number]) for number in range(3))
            rest = bytes([0x30, 0x12, 2, 0, 0, 0, 0, 9, 5, 0]) + bytes(60)
            frames.append(bytes([first, ds_bits | 0x08]) + duration + addresses + rest)
    return frames


@pytest.mark.skipif(not oracle.is_installed(), reason="tshark is not installed")
def test_every_header(tmp_path):
    frames = [pcaps.radiotap(frame, tsft_us=number) for number, frame in enumerate(headers())]
    capture = tmp_path / "headers.pcap"
    capture.write_bytes(pcaps.pcap(enumerate(frames)))
    outcome = compare(capture)
    assert outcome is not None
    assert outcome.frames == len(frames) > 60
    with pl.Config(tbl_rows=60):
        assert outcome.unexplained.is_empty(), outcome.unexplained
