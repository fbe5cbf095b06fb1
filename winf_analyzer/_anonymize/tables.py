"""Tables with pseudonyms in place of addresses and names."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import polars as pl

from winf_analyzer._anonymize.columns import kinds
from winf_analyzer._anonymize.pseudonyms import Pseudonyms
from winf_analyzer._dataset.dataset import Dataset
from winf_analyzer._ingest.inputs import recording_of

HOUR_NS = 3_600_000_000_000

REMOVED = "removed"
"""Stands for a sentence whose presence matters."""


class Substitution:
    """What replaces what in the tables of one dataset.

    Args:
        dataset: the dataset to publish.
        pseudonyms: of its addresses and names.
        shift_times: start the recordings in the first hour of 1970, and each MAC clock in its first hour. Shifts are
            whole hours, so that windows of time hold the same exchanges as before.
    """

    def __init__(self, dataset: Dataset, pseudonyms: Pseudonyms, *, shift_times: bool) -> None:
        self._pseudonyms = pseudonyms
        self.files = _numbered(dataset)
        self.shift_ns = _whole_hours(dataset, "start_ns", "ts_ns") if shift_times else 0
        self._shift_times = shift_times
        self._dataset = dataset
        self._first_hours: dict[tuple[str, str], dict[str, int]] = {}

    def station(self, text: str) -> str:
        """An address, a simulator's node, or the recording of an anonymous sniffer."""
        return self.files.get(text) or self._pseudonyms.station(text)

    def file(self, text: str) -> str:
        """A file, numbered; a radio of it keeps its number."""
        name = recording_of(text)
        radio = text.removeprefix(name)
        return self.files.get(text) or self.files.get(name, self._pseudonyms.name("file", name)) + radio

    def rewrite(self, rows: pl.LazyFrame, table: str) -> pl.LazyFrame:
        """The rows of a table, or of one of its parts, as they may be published."""
        present = rows.collect_schema().names()
        columns = [
            self._column(rows, table, column, kind) for column, kind in kinds(table).items() if column in present
        ]
        return rows.with_columns(columns)

    def _column(self, rows: pl.LazyFrame, table: str, column: str, kind: str) -> pl.Expr:
        own = pl.col(column)
        match kind:
            case "text":
                return pl.lit(None, pl.String).alias(column)
            case "presence":
                return pl.when(own.is_not_null()).then(pl.lit(REMOVED)).alias(column)
            case "instant":
                return own - self.shift_ns
            case "logged":
                return own - pl.when(pl.col("clock") == "epoch").then(self.shift_ns).otherwise(0)
            case "mac_clock":
                return own - self._first_hour_of(table, column) if self._shift_times else own
            case _:
                return _mapped(own, _distinct(rows, column), self._replacement(kind))

    def _replacement(self, kind: str) -> Callable[[str], str]:
        return {
            "station": self.station,
            "file": self.file,
            "ip": lambda text: self._pseudonyms.composed(text, "host"),
            "ssid": lambda text: self._pseudonyms.name("ssid", text),
            "composed": lambda text: self._pseudonyms.composed(text, "flow"),
        }[kind]

    def _first_hour_of(self, table: str, column: str) -> pl.Expr:
        """Of each source over all parts of the table: a clock moves by the same from its first part to its last."""
        if (table, column) not in self._first_hours:
            hour = HOUR_NS // 1000
            first = self._dataset.scan(table).group_by("source").agg(pl.col(column).min() // hour * hour)
            found = first.drop_nulls().collect(engine="streaming")
            self._first_hours[table, column] = dict(found.iter_rows())
        shifts: Mapping[str, int] = self._first_hours[table, column]
        return pl.col("source").replace_strict(shifts, default=0, return_dtype=pl.Int64)


def _distinct(rows: pl.LazyFrame, column: str) -> list[str]:
    found = rows.select(pl.col(column).unique()).collect(engine="streaming")
    return found[column].drop_nulls().to_list()


def _mapped(column: pl.Expr, values: list[str], replacement: Callable[[str], str]) -> pl.Expr:
    new = [replacement(value) for value in values]
    return column.replace_strict(values, new, default=None, return_dtype=pl.String) if values else column


def _numbered(dataset: Dataset) -> dict[str, str]:
    """A number for each recording, log and replay; recordings in the order of the dataset."""
    recordings = [entry["source"] for entry in dataset.metadata.get("inputs", [])]
    logs = _names(dataset, truth="source", comparison="log", scores="log")
    replays = _names(dataset, replay_summary="replay_id")
    numbered: dict[str, str] = {}
    for kind, names in (("recording", recordings), ("log", logs), ("replay", replays)):
        new = (name for name in dict.fromkeys(names) if name not in numbered)
        numbered |= {name: f"{kind}-{number}" for number, name in enumerate(new, start=1)}
    return numbered


def _names(dataset: Dataset, **columns: str) -> list[str]:
    tables = {table: column for table, column in columns.items() if dataset.parts(table)}
    return sorted({name for table, column in tables.items() for name in _distinct(dataset.scan(table), column)})


def _whole_hours(dataset: Dataset, *columns: str) -> int:
    """The hour in which the first frame falls; 0 without frames."""
    if not dataset.parts("frames"):
        return 0
    first = dataset.scan("frames").select(pl.min_horizontal(pl.col(c).min() for c in columns)).collect().item()
    return 0 if first is None else int(first) // HOUR_NS * HOUR_NS
