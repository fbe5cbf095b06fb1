"""Whether CW is kept at the retry limit: RTS planted behind seven that nobody answered."""

from __future__ import annotations

import random
from itertools import pairwise

import polars as pl
import pytest
from one_chunk import chunk

from winf_analyzer._models.saturation.contention import correction
from winf_analyzer._models.saturation.waits import retry_limits

SLOT_NS, SIFS_NS, DIFS_NS, WINDOW = 9_000, 16_000, 34_000, 16
MEDIA = pl.DataFrame({"medium": [0, 1], "observer": ["a", None]}, {"medium": pl.Int32, "observer": pl.String})


def requests(runs: int, length: int, *, kept: bool, sender: str = "a", medium: int = 0) -> list[dict]:
    """Runs of RTS, of which the last is answered; attempts are counted up to the limit, as in `exchanges`."""
    draw, rows = random.Random(runs + length), []
    for _ in range(runs):
        stage = 0
        for number in range(length):
            if number and number % retry_limits.LIMIT == 0 and not kept:
                stage = 0
            slots = draw.randrange(min(WINDOW << stage, 1024))
            stage += 1
            answered = number == length - 1
            rows.append(
                {
                    "medium": medium,
                    "sender": sender,
                    "receiver": "b",
                    "kind": "rts" if answered else "rts_failed",
                    "attempt": number % retry_limits.LIMIT + 1,
                    "idle_before_us": (DIFS_NS + slots * SLOT_NS) / 1000,
                }
            )
    return rows


def counted(rows: list[dict], *cuts: int) -> pl.DataFrame:
    table = pl.DataFrame(rows, schema_overrides={"medium": pl.Int32}).with_columns(
        t_sifs=pl.lit(SIFS_NS), t_difs=pl.lit(DIFS_NS), cw_min=pl.lit(WINDOW - 1)
    )
    state: dict = {}
    edges = [0, *cuts, table.height]
    chunks = [chunk(table[begin:end], state, media=MEDIA) for begin, end in pairwise(edges)]
    parts = [retry_limits.RTS_BEHIND_LIMIT.function(each) for each in chunks]
    return pl.concat(parts).group_by("medium", "sender").agg(pl.all().sum())


@pytest.mark.parametrize("kept", [False, True])
def test_the_rts_behind_the_limit_tells_whether_cw_is_kept(kept):
    found = retry_limits.kept(counted(requests(6, 9, kept=kept)))
    assert found["kept"].to_list() == [pytest.approx(float(kept), abs=0.05)]


def test_without_seven_that_failed_nothing_is_told():
    assert retry_limits.kept(counted(requests(50, 7, kept=True))).is_empty()


def test_a_third_station_does_not_tell():
    rows = requests(6, 9, kept=True, sender="a", medium=1) + requests(6, 9, kept=True, sender="c")
    assert retry_limits.kept(counted(rows)).is_empty()


@pytest.mark.parametrize("cut", range(1, 18))
def test_chunks_make_no_difference(cut):
    rows = requests(2, 9, kept=True)
    assert counted(rows, cut).equals(counted(rows), null_equal=True)


def test_one_timely_rts_leaves_it_open():
    """Half of the RTS before the limit were timely as well."""
    counts = {"medium": [0], "sender": ["a"], "behind": [1], "behind_late": [0], "grown": [20], "grown_late": [10]}
    found = retry_limits.kept(pl.DataFrame(counts, schema_overrides={"medium": pl.Int32}))
    assert found["kept"].item() == pytest.approx(0.5 / 1.48, abs=0.01)


@pytest.mark.parametrize(
    ("kept", "rts", "value", "deviation"),
    [(0.0, True, 100, 0), (1.0, True, 200, 0), (None, True, 150, 50), (0.8, True, 180, 40), (1.0, False, 150, 50)],
)
def test_what_is_not_known_is_the_mean_of_both(kept, rts, value, deviation, monkeypatch):
    """Data without RTS is repeated otherwise than RTS are."""
    monkeypatch.setattr(
        correction,
        "_mean",
        lambda stations, *, persistent: pl.DataFrame(
            {"case": [0], "delivered_per_s": [200.0 if persistent else 100.0], "drawn": [0.0]}
        ),
    )
    columns = {"case": [0, 0], "subject": [True, False], "rts": [rts, rts], "hidden": [False, True], "kept": [kept] * 2}
    stations = pl.DataFrame(columns | {"aggregates": [True, True]}, schema_overrides={"kept": pl.Float64})
    found = correction._persisting(stations).row(0, named=True)
    assert found["delivered_per_s"] == pytest.approx(value)
    assert found["retries"] == pytest.approx(deviation / value)
