"""Links that carry several access categories: each is summed apart, and what is said of the link is of one of them."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest
from exchange_builder import BACKOFF, DIFS, SIFS, T_ACK, A, B, D, exchange, one, t_data, table

from winf_analyzer._mac import PRESETS
from winf_analyzer._models.saturation.recorded import categories, queues
from winf_analyzer._models.saturation.recorded.exchange_sums import SUMS
from winf_analyzer.estimators import Settings, estimate

SECOND = 1_000_000_000


def sums(*parts: tuple[str, float, float]) -> pl.DataFrame:
    """Of parts of a link: receiver, exchanges, bits."""
    each = dict.fromkeys(SUMS, 0.0) | {"medium": 0, "window_start_ns": 0, "sender": "a"}
    rows = [each | {"receiver": to, "carried": carried, "bits": bits} for to, carried, bits in parts]
    return pl.DataFrame(rows, schema_overrides={"receiver": pl.Categorical, "sender": pl.Categorical})


def settled(*parts: tuple[str, float, float]) -> dict[str, float]:
    found = categories.settled(sums(*parts))
    return dict(zip(found["receiver"].cast(pl.String), found["carried"], strict=True))


def test_the_category_that_carries_most_has_the_name_of_the_link() -> None:
    assert settled(("b", 100, 9e5), ("b/vo", 300, 4e5)) == {"b": 100, "b/vo": 300}
    assert settled(("b", 100, 9e5), ("b/vo", 300, 9e6)) == {"b": 300, "b/be": 100}


@pytest.mark.parametrize(("few", "of"), [(19, 100), (25, 2000)])
def test_what_there_is_hardly_anything_of_counts_to_it(few: float, of: float) -> None:
    assert settled(("b", of, 9e5), ("b/vo", few, 1e3)) == {"b": of + few}
    assert settled(("b", few, 1e3), ("b/vo", of, 9e5)) == {"b": of + few}


def test_links_of_one_category_are_as_they_were() -> None:
    assert settled(("b/vi", 100, 9e5), ("c", 3, 1e3)) == {"b": 100, "c": 3}


@pytest.mark.parametrize(("receiver", "queue"), [("c/be", 0), ("c/bk", 1), ("c/vi", 2), ("c/vo", 3)])
def test_its_queue_is_that_of_the_category_whatever_limits_are_declared(receiver: str, queue: int) -> None:
    rows = sums(("b", 100, 9e5), (receiver, 100, 1e5)).with_columns(sifs_ns=1.6e6, slot_ns=9e5, aifs_ns=4.3e6)
    found = queues.of_links(rows).filter(pl.col("receiver").cast(pl.String) == receiver)
    assert found["queue"].to_list() == [queue]


def evenly(count: int, first_us: float, **columns: Any) -> list[dict[str, Any]]:
    starts = [first_us - 500_000, *(first_us + n * 1e6 / count for n in range(count)), first_us + 1_500_000]
    more = {"idle_before_us": 1e6 / count - 2500, "observer": A, "data_kind": "qos_data", "kind": "basic"}
    return [exchange(start, **(more | columns)) for start in starts]


@pytest.mark.parametrize("receiver", [B, D])
def test_a_flow_that_fills_the_link_has_packets_of_its_category(receiver: str) -> None:
    """Of 1500 octets, though four in five that the link carries are of 60: those take their own time, to whomever."""
    rows = evenly(50, 1_000_500.0, tid=0) + evenly(200, 1_003_500.0, tid=6, payload=60, receiver=receiver)
    settings = Settings(cooperate=False, mac=PRESETS["hr_dsss"])
    found = estimate(table(rows), ["saturation"], ["corrected"], settings)
    link = one(found, state="sender", sender=A, receiver=B, window_start_ns=SECOND)
    long_s, short_s = (1e-6 * (DIFS + BACKOFF + t_data(payload) + SIFS + T_ACK) for payload in (1500, 60))
    assert link["available_bps"] == pytest.approx((1 - 50 * long_s - 200 * short_s) / long_s * 12_000, rel=0.06)
    assert found["receiver"].cast(pl.String).str.contains("/").any() is False
