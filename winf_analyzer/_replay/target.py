"""Where the tables of a replay go: into the dataset of the recording, into a new dataset, or into memory."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from winf_analyzer._dataset.dataset import Dataset
from winf_analyzer._dataset.overwriting import check_output
from winf_analyzer._replay.storing import TABLES, Add, Tables, into_dataset, into_new_dataset
from winf_analyzer._util.errors import UsageError
from winf_analyzer._util.shards import Shard


@dataclass(frozen=True)
class Target:
    """A dataset, or else a new one at `output`, or else memory."""

    dataset: Dataset | None
    output: str | os.PathLike[str] | None
    share: Shard
    """Of the runs, what goes there."""

    inputs: list[Path]
    """Files that the new dataset must not replace."""

    force: bool
    """Replace a dataset at `output`."""

    _in_memory: list[Tables] = field(default_factory=list, init=False)

    def check(self, *, declared: bool, drawn: bool) -> None:
        """Before anything is computed.

        Args:
            declared: the world is a topology's, not that of the recording.
            drawn: worlds are drawn.

        Raises:
            UsageError: what was asked for contradicts itself.
            DatasetError: the dataset or the output cannot be written.
        """
        if self.dataset is not None and self.output is not None:
            raise UsageError("give a dataset or an output, not both: the tables are written into the dataset.")
        if not self.share.is_whole and (self.output is None or drawn):
            raise UsageError("--shard: give a declared world with --topology, and -o; draws are made in one process.")
        if self.dataset is not None:
            self.dataset.check_tables(*TABLES, *([] if declared else ["conditions"]))
        if self.output is not None:
            check_output(Path(self.output), force=self.force, inputs=self.inputs)

    def replaced(self, replay_id: str, key: str) -> list[str]:
        """A note about another replay of that name which the dataset holds, and which this one replaces."""
        held = self.dataset.metadata if self.dataset is not None else {}
        former = held.get("replays", {}).get(replay_id)
        if former is None or held.get("made", {}).get(f"replay {replay_id}", {}).get("key") == key:
            return []
        listed = former.get("controllers") if isinstance(former, dict) else None
        names = dict.fromkeys(str(each.get("name")) for each in listed or () if isinstance(each, dict))
        return [
            f"this replaces the replay {replay_id!r} of {', '.join(names)} that was there; --id with another name keeps"
            " both, `winf undo` goes back"
        ]

    @contextmanager
    def opened(self, replay_id: str, facts: dict[str, Any], key: str) -> Iterator[Add]:
        """Takes the tables of one run after the other; a dataset has all of them, or it is as before."""
        if self.dataset is not None:
            with into_dataset(self.dataset, replay_id, facts, key) as add:
                yield add
        elif self.output is not None:
            shard_facts = self.share.facts("replay")
            with into_new_dataset(
                self.output, replay_id, facts, shard_facts, force=self.force, inputs=self.inputs
            ) as add:
                yield add
        else:
            yield self._in_memory.append

    def made(self) -> Dataset | None:
        """The dataset that holds the tables; None if they are in memory."""
        return Dataset.open(self.output) if self.output is not None else self.dataset

    def in_memory(self) -> dict[str, pl.DataFrame]:
        """The tables in memory, empty if a dataset holds them."""
        return {table: pl.concat(run[table] for run in self._in_memory) for table in TABLES if self._in_memory}
