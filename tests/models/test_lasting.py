"""Links whose repetitions fail more often than first attempts."""

import random
from pathlib import Path

import polars as pl
import pytest
from air import Air
from answers import answer_of
from finding_scenes import AP, A

from winf_analyzer._models.saturation.failures import lasting

SLOT, EXCHANGE, WINDOW = 9_000, 600_000, 16


def link(first, later, *, aggregating=0):
    """Sums of a link: attempts and failures of first attempts, and of all others."""
    attempts, failed = first[0] + later[0], first[1] + later[1]
    row = {"medium": 0, "sender": "a", "receiver": "b", "first_alone": first[0], "first_alone_failed": first[1]}
    row |= {"alone": attempts, "alone_failed": failed, "aggregating": aggregating, "done": attempts - failed}
    row |= {"air_ns": EXCHANGE * (attempts - failed), "slot_ns": SLOT * attempts, "accesses": attempts}
    return row | {"window_slots": WINDOW * attempts}


def outlasted(*links):
    rows = pl.DataFrame(list(links)).with_columns(pl.col(pl.Int64).exclude("medium").cast(float))
    return lasting.outlasted(rows)["lasting"].to_list()


def test_a_packet_meets_once_what_its_repetitions_meet_again():
    # A quarter of the packets, and then half of the attempts: alike 4 of 10 fail, as the models have it.
    alike = sum((400 / 1100) ** number * (16 * 2**number - 1) / 2 for number in range(7)) * SLOT
    alike += EXCHANGE / (1 - 400 / 1100)
    expected = alike * (1 - 200 / 700) / (EXCHANGE + 7.5 * SLOT) - 1
    assert outlasted(link((700, 200), (400, 200))) == [pytest.approx(expected)]
    assert expected > 0.1


@pytest.mark.parametrize(
    "other",
    [
        link((700, 200), (280, 80)),
        link((700, 350), (350, 100)),
        link((60, 15), (29, 20)),
        link((100, 30), (40, 18)),
        link((700, 200), (400, 200), aggregating=600),
    ],
    ids=["all fail alike", "repetitions fail less often", "too few", "chance", "aggregates"],
)
def test_of_other_links_nothing_is_said(other):
    assert outlasted(other) == []


PERIOD_US, ON_US, BACKOFFS, SECONDS = 20_000, 7_000, 32, 20


def on_the_air(air: Air | None, per_s: float | None) -> int:
    """A station alone, whose frames do not arrive while something is on that it does not sense; packets it delivers."""
    draw, now, at, delivered, seq = random.Random(1), 0.0, 0.0, 0, 0
    while at < 1e6 * SECONDS:
        now, seq = max(now, at), seq + 1
        for attempt in range(7):
            backoff_us = 20 * draw.randrange(min(BACKOFFS << attempt, 1024))
            start = now + 50 + backoff_us
            exchange_us = 946 + 10 + 304
            arrives = start % PERIOD_US >= ON_US and (start + 946) % PERIOD_US >= ON_US
            if air is not None:
                air.until(now)
                air.exchange(A, AP, AP, seq=seq, answered=arrives, retry=attempt > 0, backoff_us=backoff_us)
                now = air.now_us - 1_000_000
            else:
                now = start + exchange_us
            if arrives:
                delivered += 1
                break
        at = at + draw.expovariate(per_s / 1e6) if per_s else now
    return delivered


def test_a_saturated_sender_loses_the_time_in_which_first_attempts_fail(tmp_path: Path) -> None:
    """Truth: what it delivers with its queue full, less what it sends anyway."""
    air = Air()
    own = on_the_air(air, 60.0)
    truth = 8000 * (on_the_air(None, None) - own) / SECONDS
    answer = answer_of(air, A, tmp_path)
    assert "losses_last" in answer["reasons"]
    assert answer["available_low_bps"] <= truth <= answer["available_high_bps"]


@pytest.mark.parametrize(("hidden", "unheard", "more"), [(False, False, 0.5), (True, False, 0.0), (False, True, 0.0)])
def test_beside_stations_that_contend_nothing_more_is_delivered(hidden: bool, unheard: bool, more: float) -> None:
    """What a saturated sender destroys of theirs they send again, into its frames."""
    rows = pl.DataFrame({"lasting": [0.5], "beside_hidden": [hidden], "beside_unheard": [unheard]})
    assert rows.select(lasting.more()).item() == more
