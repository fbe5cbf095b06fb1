"""Links whose rate control settles on other rates during a recording: their airtimes one after the other.

What rate control tries from frame to frame is in the means of :mod:`.airtimes`. Where the mean of a second is another
one than before, by more than chance, a link has a new step with airtimes of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import polars as pl

from winf_analyzer._replay.recorded.links.airtimes import SizeAirtime, attempts

WINDOW_NS = 1_000_000_000
"""Span of time whose mean is compared."""

MIN_ATTEMPTS = 20
"""Least number of attempts in a window for its mean to begin a step."""

MIN_CHANGE = 0.25
"""Least change of the airtime of like packets, as a share: neighbouring rates of 802.11 are farther apart."""

MIN_ERRORS = 5.0
"""Least change in standard errors of both means."""

Link = tuple[str, str]


class RateStep(NamedTuple):
    """Airtimes from an instant on."""

    at_ns: int
    """After the origin."""
    airtimes: list[SizeAirtime]


@dataclass
class _Mean:
    """Airtime of some attempts as a share of what packets of their sizes take over the whole recording."""

    air_us: float = 0.0
    expected_us: float = 0.0
    squares: float = 0.0

    def add(self, air_us: float, expected_us: float, squares: float) -> None:
        self.air_us, self.expected_us = self.air_us + air_us, self.expected_us + expected_us
        self.squares += squares

    @property
    def share(self) -> float:
        return self.air_us / self.expected_us

    @property
    def error(self) -> float:
        """Standard error of the share."""
        return float(self.squares**0.5) / self.expected_us


def rate_steps(
    exchanges: pl.LazyFrame,
    view: pl.DataFrame,
    measured: dict[Link, list[SizeAirtime]],
    origin_ns: int,
    overhead_us: float = 0.0,
) -> dict[Link, list[RateStep]]:
    """The steps of the links that have more than one, in order of time; the first begins at 0.

    Args:
        exchanges: the ``exchanges`` table.
        view: from :func:`.views.links`.
        measured: from :func:`.airtimes.size_airtimes`.
        origin_ns: start of the world on the recording's clock.
        overhead_us: as in :func:`.airtimes.size_airtimes`.
    """
    usual = [(*link, size.packet_bytes, size.airtime_us) for link, sizes in measured.items() for size in sizes]
    schema = {"sender": pl.String, "receiver": pl.String, "size": pl.Int64, "expected_us": pl.Float64}
    expected = pl.LazyFrame(usual, schema=schema, orient="row")
    air, share = pl.col("air_us"), pl.col("expected_us")
    rows = (
        attempts(exchanges, view, overhead_us)
        .filter(pl.col("start_ns").is_not_null(), pl.col("rate_mbps") > 0)
        .join(expected, on=["sender", "receiver", "size"])
        .with_columns(window=(pl.col("start_ns") - origin_ns) // WINDOW_NS)
        .group_by("sender", "receiver", "window", "size")
        .agg(
            number=pl.len(),
            air=air.sum(),
            expected=share.sum(),
            squares=((air - share * air.sum() / share.sum()) ** 2).sum(),
            rate=pl.len() / (1 / pl.col("rate_mbps")).sum(),
        )
        .collect(engine="streaming")
        .sort("sender", "receiver", "window", "size")
    )
    found = {}
    for (sender, receiver), of_link in rows.group_by("sender", "receiver", maintain_order=True):
        link = (str(sender), str(receiver))
        starts = _starts(of_link)
        if len(starts) > 1:
            found[link] = [
                RateStep(max(0, start) * WINDOW_NS, _airtimes(measured[link], of_link, start, end))
                for start, end in zip(starts, [*starts[1:], None], strict=True)
            ]
    return found


def _starts(rows: pl.DataFrame) -> list[int]:
    """First windows of the steps of a link."""
    windows = (
        rows.group_by("window", maintain_order=True)
        .agg(pl.col("number", "air", "expected", "squares").sum())
        .select("window", "number", "air", "expected", "squares")
    )
    starts, before = [0], _Mean()
    for window, number, *sums in windows.iter_rows():
        now = _Mean(*sums)
        if before.expected_us and number >= MIN_ATTEMPTS and _differ(before, now):
            starts.append(int(window))
            before = _Mean()
        before.add(*sums)
    return starts


def _differ(before: _Mean, now: _Mean) -> bool:
    change = abs(now.share - before.share)
    return change >= MIN_CHANGE * before.share and change >= MIN_ERRORS * (now.error**2 + before.error**2) ** 0.5


def _airtimes(usual: list[SizeAirtime], rows: pl.DataFrame, start: int, end: int | None) -> list[SizeAirtime]:
    """Those of a step; a size that it lacks changes as the others do."""
    within = rows.filter(pl.col("window") >= start, pl.lit(end is None) | (pl.col("window") < (end or 0)))
    sums = within.select(pl.col("air", "expected").sum()).row(0)
    factor = sums[0] / sums[1]
    by_size = {
        size: (air / number, time / number if time else None, number)
        for size, number, air, time in within.with_columns(time=pl.col("number") / pl.col("rate"))
        .group_by("size")
        .agg(pl.col("number", "air", "time").sum())
        .iter_rows()
    }
    of_step = []
    for size in usual:
        air_us, slowness, number = by_size.get(size.packet_bytes, (size.airtime_us * factor, None, 0))
        rate_mbps = 1 / slowness if slowness else size.rate_mbps / factor
        of_step.append(size._replace(airtime_us=air_us, rate_mbps=rate_mbps, attempts=number))
    return of_step
