"""The tables of a dataset that estimates fill: `estimates`, `recommended`, `mac_parameters` and `hidden_pairs`."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import NamedTuple

import polars as pl

from winf_analyzer import _hidden as hidden
from winf_analyzer import _recommended as answers
from winf_analyzer._aggregate import recorder_pauses
from winf_analyzer._aggregate.aggregate import compressed
from winf_analyzer._aggregate.settings import Mode, Settings
from winf_analyzer._dataset.dataset import Dataset
from winf_analyzer._dataset.making import fingerprint, made
from winf_analyzer._dataset.sequence_numbers import heard_in
from winf_analyzer._mac.of_dataset import mac_parameters
from winf_analyzer._mac.override import Override, parse_override
from winf_analyzer._schema import schema
from winf_analyzer._util.prefetch import beside, prefetched
from winf_analyzer.estimators import ESTIMATES_SCHEMA, ESTIMATORS, registry
from winf_analyzer.estimators._run import Task, estimate_together

PART_ROWS = 100_000
"""Estimates are written once as many have come together."""

READ = ("exchanges", "frames", "neighbours", "nodes", "capabilities", "audit")
"""Tables that estimates are made of."""

RESTING_ON_ESTIMATES = ("comparison", "scores")
"""Tables about other estimates than the new ones; they are emptied."""


WHOLE_NS = 1 << 62
"""A window that holds any recording: ns since the epoch until the year 2116."""


class Asked(NamedTuple):
    """What is to be estimated, and how."""

    estimators: Sequence[str] | None
    """Names; None: all."""
    modes: list[Mode]
    settings: Settings
    mac: Override

    def fingerprint(self, dataset: Dataset) -> str:
        """Of the tables that are read, and of everything that is asked."""
        asked = {"estimators": self.estimators, "modes": self.modes, "settings": self.settings}
        return fingerprint(dataset, READ, asked | {"mac": parse_override(self.mac)})

    def conditions(self, dataset: Dataset) -> str:
        """The same of what estimates of different estimators and modes must share to stand in one table."""
        return fingerprint(dataset, READ, {"settings": self.settings, "mac": parse_override(self.mac)})

    @property
    def has_answer(self) -> bool:
        """Whether the estimates hold those that `recommended` rests on."""
        return answers.MODE in self.modes and (self.estimators is None or answers.ESTIMATOR in self.estimators)


class _Recording(NamedTuple):
    """What estimators take of a dataset."""

    dataset: Dataset
    parameters: pl.DataFrame
    pauses: pl.DataFrame

    def estimated(
        self,
        estimators: Sequence[str] | None,
        modes: Sequence[Mode],
        settings: Settings,
        others: Iterable[tuple[Task, Settings]] = (),
    ) -> tuple[Iterator[pl.DataFrame], list[bytes]]:
        """What :func:`.estimate_together` returns."""
        exchanges, frames = self.dataset.scan("exchanges"), self.dataset.scan("frames")
        return estimate_together(
            exchanges, estimators, modes, settings, frames, self.parameters, self.pauses, others=others
        )

    def alone(self, settings: Settings) -> pl.DataFrame:
        """The estimates that `recommended` rests on, in a pass of their own."""
        each, _ = self.estimated([answers.ESTIMATOR], [answers.MODE], settings)
        return pl.concat([pl.DataFrame(schema=ESTIMATES_SCHEMA), *each])


def fill(dataset: Dataset, asked: Asked, *, again: bool) -> None:
    """Estimate what is asked, unless the dataset has it.

    Args:
        dataset: whose tables are replaced.
        asked: what is to be estimated.
        again: also what the dataset holds already.
    """
    key, conditions = asked.fingerprint(dataset), asked.conditions(dataset)
    has_plugins = len(registry()) > len(ESTIMATORS)  # whose code may have changed
    if not (again or has_plugins) and made(dataset, "estimate", key):
        return
    others = _of_others(dataset, asked) if _made_with(dataset, conditions) else None
    with dataset.change("estimate") as change, beside(hidden.pairs_of, dataset) as pairs:
        change.made["estimate"] = {"key": key, "settings": conditions}
        pauses = recorder_pauses.found(heard_in(dataset))
        recording = _Recording(dataset, mac_parameters(dataset, asked.mac), pauses)
        each, found = _estimated(recording, asked)
        kept = () if others is None else others.collect_batches(chunk_size=PART_ROWS, maintain_order=True)
        change.replace("estimates", prefetched(_together(chain(each, kept))))
        change.replace("recommended", [_recommended(recording, asked.settings, found)])
        change.replace("mac_parameters", [recording.parameters])
        change.replace("hidden_pairs", [pairs.result()])
        for table in RESTING_ON_ESTIMATES:
            if dataset.paths(table):
                change.replace(table, [pl.DataFrame(schema=schema(table))])


def _estimated(recording: _Recording, asked: Asked) -> tuple[Iterable[pl.DataFrame], list[bytes]]:
    """The estimates, and besides those that `recommended` rests on, compressed, of :func:`_needed`."""
    needed = _needed(asked.settings, has_answer=asked.has_answer)
    if asked.settings.per_exchange:  # whose sums are too many to be held
        found = [compressed(recording.alone(windows)) for windows in needed]
        return recording.estimated(asked.estimators, asked.modes, asked.settings)[0], found
    others = [(Task(answers.ESTIMATOR, answers.MODE), windows) for windows in needed]
    return recording.estimated(asked.estimators, asked.modes, asked.settings, others)


def _recommended(recording: _Recording, settings: Settings, found: Sequence[bytes]) -> pl.DataFrame:
    """The table `recommended`, once `estimates` are written."""
    whole, *windows = (pl.read_ipc(rows).lazy() for rows in found)
    written = recording.dataset.scan("estimates").filter(
        pl.col("estimator") == answers.ESTIMATOR, pl.col("mode") == answers.MODE
    )
    seconds = partial(recording.alone, replace(_tumbling(settings), window_ns=answers.CHANGE_NS))
    of_windows = windows[0] if windows else written
    return answers.recommended(recording.dataset, of_windows, whole, settings.window_ns, seconds)


def _made_with(dataset: Dataset, settings: str) -> bool:
    """Whether the dataset's estimates are of the same recording, windows and MAC parameters."""
    return (
        bool(dataset.paths("estimates"))
        and dataset.metadata.get("made", {}).get("estimate", {}).get("settings") == settings
    )


def _of_others(dataset: Dataset, asked: Asked) -> pl.LazyFrame | None:
    """The rows that the dataset has of other estimators and modes than those asked for."""
    anew = pl.col("mode").is_in(list(asked.modes))
    if asked.estimators is not None:
        anew &= pl.col("estimator").is_in(list(asked.estimators))
    elif len(asked.modes) > 1:
        return None
    return dataset.scan("estimates").filter(~anew)


def _needed(settings: Settings, *, has_answer: bool) -> list[Settings]:
    """The windows of the estimates that `recommended` rests on: one that holds the recording, and tumbling ones.

    Those are left out that the table of estimates has: with `has_answer` it has the estimator in `settings`.
    """
    # One window that the recording covers a small part of.
    whole = replace(_tumbling(settings), window_ns=WHOLE_NS, min_cover=0.0)
    return [whole] if has_answer and _tumbling(settings) == settings else [whole, _tumbling(settings)]


def _tumbling(settings: Settings) -> Settings:
    return replace(settings, step_ns=None, running=False, per_exchange=False)


def _together(tables: Iterable[pl.DataFrame]) -> Iterator[pl.DataFrame]:
    """Parts of :data:`PART_ROWS` and more: one, where there is little."""
    held, height, written = [pl.DataFrame(schema=ESTIMATES_SCHEMA)], 0, 0
    for table in tables:
        held.append(table)
        height += table.height
        if height >= PART_ROWS:
            yield pl.concat(held)
            held, height, written = held[:1], 0, written + 1
    if height or not written:
        yield pl.concat(held)
