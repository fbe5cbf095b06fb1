"""Fragments that were lost: those behind the first are sent SIFS after the one before, and repeated in an access."""

from __future__ import annotations

import random
import struct
from pathlib import Path

import pytest
from air import DIFS_US, RETRY, SIFS_US, TO_DS, Air, airtime_us, mac
from answers import answer_of
from finding_scenes import AP, A
from pcaps import ack

SLOT_US, WINDOW, PIECE, PIECES, LIMIT = 20, 32, bytes(500), 3, 7
MORE_FRAGMENTS = 0x04
DATA_US, ACK_US = airtime_us(len(PIECE) + 28, 11), airtime_us(14, 1)


def delivered(per_s: float, seconds: float, lost: float, air: Air | None = None) -> int:
    """Packets that a sender alone on the medium delivers: `per_s` come at random, in three fragments each."""
    draw = random.Random(1)
    idle_us, due, number, count = 0.0, draw.expovariate(per_s / 1e6), 0, 0
    while max(idle_us, due) < 1e6 * seconds:
        start = max(idle_us + DIFS_US + SLOT_US * draw.randrange(WINDOW), due)
        piece, tried = 0, 0
        while piece < PIECES and tried < LIMIT:
            gone = draw.random() < lost
            if air is not None:
                recorded(air, start, number, piece, tried > 0, answered=not gone)
            idle_us = start + DATA_US + SIFS_US + ACK_US
            piece, tried = (piece, tried + 1) if gone else (piece + 1, 0)
            slots = draw.randrange(min(WINDOW << tried, 1024))
            start = idle_us + (DIFS_US + SLOT_US * slots if gone else SIFS_US)
        count += piece == PIECES
        number, due = number + 1, due + draw.expovariate(per_s / 1e6)
    return count


def recorded(air: Air, start_us: float, number: int, piece: int, retry: bool, answered: bool) -> None:
    flags = TO_DS | RETRY * retry | MORE_FRAGMENTS * (piece + 1 < PIECES)
    frame = mac(0x08, AP, A, AP, PIECE, flags=flags, nav_us=314)
    air.until(start_us)
    air.send(frame[:22] + struct.pack("<H", number % 4096 << 4 | piece) + frame[24:], 11)
    if answered:
        air.wait(SIFS_US)
        air.send(ack(A), 1)


@pytest.mark.parametrize("lost", [0.08, 0.25])
def test_what_is_lost_behind_the_first_fragment_is_lost_once(lost: float, tmp_path: Path):
    """Truth: what the same sender delivers with its queue full, less what it sends anyway."""
    air = Air()
    own = delivered(60, 20, lost, air)
    answer = answer_of(air, A, tmp_path)
    truth = 8 * PIECES * len(PIECE) * (delivered(1e6, 20, lost) - own) / 20
    assert answer["available_low_bps"] <= truth <= answer["available_high_bps"]
    assert answer["available_bps"] == pytest.approx(truth, rel=0.06)
