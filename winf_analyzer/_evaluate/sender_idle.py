"""Whether a recorded flow saturated its link: only then is its goodput what an estimator has to say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from winf_analyzer._dataset.dataset import Dataset
from winf_analyzer._evaluate.validation.backlog import COLUMNS, MEDIUM, backlog

if TYPE_CHECKING:
    import polars as pl

WINDOW_NS = 100_000_000
"""Windows in which the sender's idle time is counted: short beside a test, and long beside an access."""

MARGIN_NS = 1_000_000_000
"""Before and after, in which an access is looked for: idle time lies between two."""


def sender_idle_share(dataset: Dataset, link: tuple[str, str], start_ns: int, end_ns: int) -> float | None:
    """Share of a time in which the sender of a link had nothing to send, at most.

    It is the time that the medium was idle beyond what a backoff counter holds
    (:func:`.validation.backlog.backlog`), and the windows without data of the sender, of the whole windows between
    `start_ns` and `end_ns` (recording's time, ns). Frames that were not heard look like idle time. Null where the
    recording has no exchange of the link with a start, or there is no whole window.
    """
    import polars as pl

    first, last = -(-start_ns // WINDOW_NS) * WINDOW_NS, end_ns // WINDOW_NS * WINDOW_NS
    rows = dataset.scan("exchanges").select(COLUMNS)
    medium = _medium(rows.filter(sender=link[0], receiver=link[1]))
    if medium is None or first >= last:
        return None
    source, observer = (pl.col(name).eq_missing(pl.lit(value)) for name, value in zip(MEDIUM, medium, strict=True))
    near = pl.col("end_ns").is_between(first - MARGIN_NS, last + MARGIN_NS)
    exchanges = rows.filter(source, observer, near).collect()
    found = backlog(exchanges, dataset.scan("mac_parameters").collect(), WINDOW_NS, sender=link[0])
    found = found.unique("window_start_ns", keep="first", maintain_order=True)  # sums depend on the order
    within = found.filter(pl.col("window_start_ns").is_between(first, last, closed="left"))
    backlogged: float = within.select((1 - pl.col("excess_share")).sum()).item()
    return 1 - backlogged * WINDOW_NS / (last - first)


def _medium(of_link: pl.LazyFrame) -> tuple[str | None, str | None] | None:
    """The view with most exchanges of a link, the sender's own first."""
    import polars as pl

    timed = of_link.filter(pl.col("start_ns").is_not_null())
    views = timed.group_by(MEDIUM).agg(own=(pl.col("observer") == pl.col("sender")).any(), count=pl.len())
    most = views.sort("own", "count", *MEDIUM, descending=[True, True, False, False], nulls_last=True).head(1).collect()
    return None if most.is_empty() else most.select(MEDIUM).row(0)
