"""Aggregates that a third station heard and nobody answered: planted counts."""

from __future__ import annotations

import polars as pl
import pytest

from winf_analyzer._models.saturation.unheard import unanswered
from winf_analyzer._models.saturation.waits import one_more

COSTS = {
    **{"packets_max": 64.0, "aifs_s": 43e-6, "access_s": 200e-6, "packet_s": 160e-6, "first_s": 200e-6},
    **{"first_packet_s": 160e-6, "tail_s": 75e-6, "request_s": 150e-6, "window": 16.0, "slot_s": 9e-6},
    **{"sifs_s": 16e-6, "txop_s": 0.0, "unheard_mpdus": 1.0, "unheard_gap_ns": None},
}
HEARD = {
    "aggregates": True,
    "rts": False,
    "hidden": False,
    "data_unheard": False,
    "cost_known": True,
    "unaware": 0,
    "to_groups": 0.0,
}
WHOLE = {"heard_share": 1.0, "answer_missed": 0.0, "answer_off": 0.0}
SECONDS = 20.0


def stations(loads: list[float], **counts: float) -> pl.DataFrame:
    """Stations a, b, ... with as many packets per second, of which a third station heard all and nobody failed."""
    rows = []
    for place, per_s in enumerate(loads):
        accesses = per_s * SECONDS
        heard = {"accesses": accesses, "done": accesses, "carried": accesses, "mpdus": accesses}
        heard |= {"advanced_heard": accesses, "in_aggregates": accesses / 4, "silent": 0.0, "retries": 0.0}
        rows.append({"sender": "abcdefgh"[place], "packets_per_s": per_s, "unheard_before": 0.0} | heard | counts)
    fixed = COSTS | HEARD | WHOLE | {"medium": 0}
    return pl.DataFrame(rows).with_columns(pl.lit(value).alias(name) for name, value in fixed.items())


def links(senders: pl.DataFrame, receivers: list[str]) -> pl.DataFrame:
    return senders.select("medium", "sender", "accesses", receiver=pl.Series(receivers))


def counted(senders: pl.DataFrame, receivers: list[str], observer: str | None = None) -> dict:
    media = pl.DataFrame({"medium": [0], "observer": pl.Series([observer], dtype=pl.String)})
    return unanswered.counted(links(senders, receivers), senders, media)


def collided(loads: list[float], heard: int) -> list[float]:
    """Attempts of the first stations that collide, all hearing one another."""
    rows = stations(loads).with_columns(subject=pl.lit(value=False), variation=pl.lit(1.0), unanswered_s="first_s")
    found = one_more.together(rows).sort("sender").head(heard)
    return found.select(pl.col("first_failed") * pl.col("packets_per_s") * SECONDS).to_series().to_list()


@pytest.mark.parametrize("unheard", [[400.0], [400.0, 400.0], [800.0, 300.0, 300.0]])
def test_as_much_is_put_back_as_makes_the_collisions(unheard: list[float]) -> None:
    heard = [250.0, 400.0]
    within = pl.Series(collided(heard, 2)).round()
    silent = (pl.Series(collided(heard + unheard, 2)) - within).round()
    senders = stations(heard).with_columns(silent=silent, retries=silent + within, unheard_before=within)
    [told] = counted(senders, ["x", "x"]).values()
    load = unanswered.unheard(senders, told)
    assert load
    assert load.share == pytest.approx(sum(unheard) * 360e-6, abs=1.645 * load.doubt)
    assert 0.2 * load.share < load.doubt < 0.8 * load.share


def test_loss_that_aggregates_show_explains_what_is_not_answered() -> None:
    lossy = stations([250.0, 400.0]).with_columns(silent=pl.col("accesses") * 0.1, retries=pl.col("accesses") * 0.1)
    assert counted(lossy, ["x", "x"])
    again = pl.col("mpdus") + pl.col("in_aggregates") * 0.1
    assert not counted(lossy.with_columns(mpdus=again), ["x", "x"])


def test_answers_that_the_recorder_missed_are_no_failures() -> None:
    silent = stations([250.0, 400.0]).with_columns(silent=pl.col("accesses") * 0.1)
    assert not counted(silent, ["x", "x"])


def test_a_recorder_that_sends_hears_what_it_waits_for() -> None:
    failing = stations([250.0, 400.0]).with_columns(silent=pl.lit(100.0), retries=pl.lit(100.0))
    assert counted(failing, ["x", "x"])
    assert not counted(failing, ["x", "x"], observer="a")


def test_frames_to_other_receivers_survive_some_collisions() -> None:
    failing = stations([250.0, 400.0]).with_columns(silent=pl.lit(100.0), retries=pl.lit(100.0))
    [one], [several] = (counted(failing, receivers).values() for receivers in (["x", "x"], ["x", "y"]))
    assert one.destroyed == 1
    assert several.destroyed == 0.5


def test_what_collides_within_hearing_is_taken_off() -> None:
    heard = [600.0, 600.0, 600.0]
    known = collided(heard, 3)
    silent = pl.Series([float(round(count)) for count in known])
    senders = stations(heard).with_columns(silent=silent, retries=silent)
    [told] = counted(senders, ["x", "x", "x"]).values()
    assert unanswered.unheard(senders, told) is None
    # Those of which the first attempt was not heard had collided with what was.
    elsewhere = senders.with_columns(unheard_before=silent)
    [told] = counted(elsewhere, ["x", "x", "x"]).values()
    assert unanswered.unheard(elsewhere, told)
