"""Rows of a table without Polars: for tables that are small and only printed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Kind:
    """Type of a column, as far as printing needs it."""

    numeric: bool

    def is_numeric(self) -> bool:
        """As that of a Polars type."""
        return self.numeric


@dataclass(frozen=True)
class Rows:
    """What the printing of tables needs of a `polars.DataFrame`, under the same names."""

    schema: dict[str, Kind]
    rows: Sequence[Sequence[Any]]
    height: int
    """How many there are; more than :attr:`rows` where only the first are given."""

    @classmethod
    def complete(cls, names: Sequence[str], rows: Iterable[Sequence[Any]]) -> Rows:
        """All rows of a table, which has at least one."""
        values = list(rows)
        kinds = [Kind(all(isinstance(row[place], int | float) for row in values)) for place in range(len(names))]
        return cls(dict(zip(names, kinds, strict=True)), values, len(values))

    def head(self, rows: int) -> Rows:
        """The first of these rows."""
        return Rows(self.schema, self.rows[:rows], min(rows, self.height))

    def iter_rows(self) -> Iterator[Sequence[Any]]:
        """The rows in order."""
        return iter(self.rows)
