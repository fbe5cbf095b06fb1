"""The running failure share of a link, as a sender in the field keeps it.

    p <- p + (x - p)/8,  x = 1 for an attempt that failed, 0 for one that was answered; p = 0 before the first

An attempt's weight falls by 7/8 with each later one, so a window needs its own weighted sum and how many attempts it
had: what it inherits fades by (7/8)^attempts.
"""

import polars as pl

from winf_analyzer.estimators import gathering
from winf_analyzer.estimators.contention.attempts import LINK, unanswered
from winf_analyzer.estimators.medium import WINDOW, Recording
from winf_analyzer.estimators.settings import Settings
from winf_analyzer.estimators.stretches import Request, Stretch, per_link

WEIGHT = 1 / 8
"""Of the newest attempt."""


def failed_share(recording: Recording) -> pl.DataFrame:
    """`medium window_start_ns sender receiver failed_ewma`: p after the last attempt of each window.

    Of sliding windows, those whose last step has an attempt.
    """
    settings = recording.settings
    parts = gathering.rows(recording, GAINED).sort(*LINK, "window_start_ns", maintain_order=True)
    shares = parts.with_columns(failed_ewma=pl.Series(_carried(parts), dtype=pl.Float64))
    # A window that was cut has the value of its last part.
    shares = shares.unique([*WINDOW, "sender", "receiver"], keep="last", maintain_order=True)
    earlier = 0 if settings.step_ns is None else settings.window_ns - settings.step_ns
    return shares.with_columns(pl.col("window_start_ns") - earlier).drop("gained", "attempts")


def _gained(stretch: Stretch, settings: Settings) -> pl.DataFrame:
    """What the attempts of each window gain, and how many they are."""
    age = pl.len() - 1 - pl.int_range(pl.len())
    attempts = stretch.uses.filter("unicast")
    return per_link(stretch, attempts, gained=(WEIGHT * (1 - WEIGHT) ** age * unanswered()).sum(), attempts=pl.len())


GAINED: Request = (_gained,)
"""What :func:`failed_share` gathers."""


def _carried(windows: pl.DataFrame) -> list[float]:
    """The p at the end of each window, rows sorted by link and time."""
    values: list[float] = []
    link, p = None, 0.0
    for *key, gained, attempts in windows.select(*LINK, "gained", "attempts").iter_rows():
        p = gained + (p * (1 - WEIGHT) ** attempts if key == link else 0.0)
        link = key
        values.append(p)
    return values
