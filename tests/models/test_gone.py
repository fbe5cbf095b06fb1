"""A station that is sent data to and does not answer, as one that left: it takes the air of the others."""

import random
from pathlib import Path

from air import Air, airtime_us
from answers import answer_of
from finding_scenes import AP, A, B, C

SECONDS, GIVEN_UP = 6, 4
SLOT_US = 20
PACKETS_PER_S = 12
"""Of frames of 1500 octets at 1 Mb/s, each sent four times: three fifths of the time."""


def recorded(*, gone: bool) -> Air:
    """A light sender beside an access point that has packets for a station, which left or never was there."""
    air, number, given_up, draw = Air(), 0, 0, random.Random(7)
    begin_us = air.now_us
    while air.now_us < begin_us + 1e6 * SECONDS:
        air.exchange(A, AP, AP, seq=number, backoff_us=SLOT_US * (number % 31))
        air.exchange(AP, C, AP, seq=number, body=bytes(200), backoff_us=SLOT_US * (number * 7 % 31))
        number += 1
        while gone and given_up < (air.now_us - begin_us) / 1e6 * PACKETS_PER_S:
            for attempt in range(GIVEN_UP):
                wait_us = SLOT_US * (3 + 7 * attempt)
                again = {"answered": False, "retry": attempt > 0, "backoff_us": wait_us}
                air.exchange(AP, B, AP, body=bytes(1500), seq=given_up, rate_mbps=1, **again)
            given_up += 1
        air.wait(draw.expovariate(1 / 20_000))
    return air


def test_what_is_sent_to_it_is_a_load(tmp_path: Path) -> None:
    """Backlogged, the two take turns: 1.9 ms of the one for 13 of the other at most, as long as that has packets.

    It has them for three fifths of the time, and for more beside a saturated sender.
    """
    for name in ("alone", "beside"):
        (tmp_path / name).mkdir()
    alone = answer_of(recorded(gone=False), A, tmp_path / "alone")
    beside = answer_of(recorded(gone=True), A, tmp_path / "beside")
    own_us, taken_us = airtime_us(1028, 11), airtime_us(1528, 1)
    taking_turns = own_us / (own_us + taken_us)
    assert taking_turns * alone["available_bps"] < beside["available_bps"] < 0.6 * alone["available_bps"]
