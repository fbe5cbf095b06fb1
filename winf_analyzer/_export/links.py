"""What emulators of links need of each recorded link: what it would carry over time, its delay, and its losses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from winf_analyzer._dataset.dataset import Dataset
from winf_analyzer._util.errors import UnusableInput

if TYPE_CHECKING:
    import polars as pl

IP_BYTES = 1500
"""Size of the packets that rates are stated for."""

LONGEST_NAME = 200
"""Of a file, without number and ending; file systems allow 255 octets."""

MSDU_BYTES = IP_BYTES + 8
"""With LLC and SNAP header, as the rates of `recommended` count them."""


@dataclass(frozen=True)
class Step:
    """A window with one rate."""

    start_ns: int
    """Since the start of the recording."""
    length_ns: int
    rate_bps: float
    """MSDU bits that a saturating flow would carry, what the link carried included."""
    known: bool
    """False: the window has no answer, and the rate is that of the whole recording."""


@dataclass(frozen=True)
class LinkModel:
    """A directed link of a recording."""

    source: str
    sender: str
    receiver: str
    rate_bps: float
    """Over the whole recording."""
    steps: list[Step]
    service_us: float | None
    """Median time of a data exchange with the access before it; null: not measured."""
    lost_share: float | None
    """Share of MSDUs whose last attempt was not answered; an answer that was not heard counts as none."""

    @property
    def unknown_share(self) -> float:
        """Share of the time whose rate is that of the whole recording."""
        return sum(each.length_ns for each in self.steps if not each.known) / sum(each.length_ns for each in self.steps)

    @property
    def file_name(self) -> str:
        """Source and ends as the name of a file, of letters, digits, dots and dashes; the source may be cut."""
        source, ends = _of_a_file(self.source).lstrip("."), _of_a_file(f"{self.sender}_{self.receiver}")
        return f"{source[: LONGEST_NAME - 1 - len(ends)]}_{ends}"


def file_names(models: Iterable[LinkModel]) -> Iterator[str]:
    """A name for each link that no other has, not even where capitals count as small letters."""
    names: set[str] = set()
    for model in models:
        number, name = 1, model.file_name
        while name.lower() in names:
            number += 1
            name = f"{model.file_name}-{number}"
        names.add(name.lower())
        yield name


def _of_a_file(text: str) -> str:
    return "".join(c if c.isascii() and (c.isalnum() or c in "._-") else "_" for c in text.replace(":", "-"))


def link_models(dataset: Dataset) -> list[LinkModel]:
    """The links that have a recommended answer for the whole recording, by source and addresses.

    A window without an answer gets the rate of the whole recording, and says so.

    Raises:
        UnusableInput: no link has one, or the dataset has no estimates.
    """
    import polars as pl

    if not dataset.parts("recommended"):
        raise UnusableInput(f"{dataset.path}: has no estimates; run `winf estimate {dataset.path}` first.")
    keys = ["source", "sender", "receiver"]
    rates = (
        dataset.scan("recommended")
        .with_columns(rate_bps=pl.col("available_bps") + pl.col("own_bps").fill_null(0))
        .select(*keys, "observer", "window_start_ns", "window_ns", "whole", "rate_bps", "samples")
        .sort(*keys, "whole", "window_start_ns", "samples", descending=[False] * 5 + [True], nulls_last=True)
        .collect(engine="streaming")
    )
    whole = rates.filter(pl.col("whole") & (pl.col("rate_bps") > 0)).unique(keys, keep="first", maintain_order=True)
    if whole.is_empty():
        raise UnusableInput(f"{dataset.path}: no link has an answer for the whole recording, so none can be emulated.")
    service, losses = _service(dataset), _losses(dataset)
    models = []
    for source, sender, receiver, observer, start_ns, length_ns, rate_bps in whole.select(
        *keys, "observer", "window_start_ns", "window_ns", "rate_bps"
    ).iter_rows():
        link = (source, sender, receiver)
        own = rates.filter(
            ~pl.col("whole"),
            pl.col("observer").eq_missing(pl.lit(observer)),
            source=source, sender=sender, receiver=receiver,
        )  # fmt: skip
        models.append(
            LinkModel(
                *link,
                rate_bps,
                _steps(own, start_ns, start_ns + length_ns, rate_bps),
                service.get(link),
                losses.get(link),
            )
        )
    return models


def _steps(windows: pl.DataFrame, first_ns: int, last_ns: int, rate_bps: float) -> list[Step]:
    """The recording cut at the starts and ends of its windows; what no window covers is not known."""
    steps: list[Step] = []
    at_ns = first_ns

    def until(end_ns: int, rate: float | None) -> None:
        nonlocal at_ns
        if end_ns <= at_ns:
            return
        length_ns = end_ns - at_ns
        if rate is None and steps and not steps[-1].known:
            steps[-1] = replace(steps[-1], length_ns=steps[-1].length_ns + length_ns)
        else:
            steps.append(Step(at_ns - first_ns, length_ns, rate_bps if rate is None else rate, rate is not None))
        at_ns = end_ns

    for start_ns, length_ns, rate in windows.select("window_start_ns", "window_ns", "rate_bps").iter_rows():
        until(min(start_ns, last_ns), None)
        until(min(start_ns + length_ns, last_ns), rate)
    until(last_ns, None)
    return steps


def _service(dataset: Dataset) -> dict[tuple[str, str, str], float]:
    """Median time of an answered first attempt with data, and of the idle time and backoff before it, us."""
    return _by_link(
        dataset,
        "select source, sender, receiver, median((end_ns - start_ns) / 1e3 + backoff_us) from exchanges "
        "where payload_bytes > 0 and complete and attempt = 1 and backoff_us is not null and not is_group group by all",
    )


def _losses(dataset: Dataset) -> dict[tuple[str, str, str], float]:
    """Share of MSDUs whose last attempt was not answered; a new attempt 1 or another number begins an MSDU."""
    return _by_link(
        dataset,
        """
        with attempts as (
            select source, sender, receiver, complete,
                   lead(attempt) over link as next_attempt, lead(seq) over link as next_seq, seq
            from exchanges where payload_bytes > 0 and heard_data and not is_group
            window link as (partition by source, observer, sender, receiver, tid order by start_ns)
        )
        select source, sender, receiver, avg((not complete)::int)
        from attempts
        where next_attempt is null or next_attempt <= 1 or next_seq is distinct from seq
        group by all
        """,
    )


def _by_link(dataset: Dataset, query: str) -> dict[tuple[str, str, str], float]:
    from winf_analyzer._sql.query import sql

    rows = sql(dataset, query).iter_rows()
    return {(source, sender, receiver): value for source, sender, receiver, value in rows if value is not None}
