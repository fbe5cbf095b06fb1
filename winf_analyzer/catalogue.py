"""The published tables and their columns: one description of the schema for the docs, `winf list` and the tests."""

from __future__ import annotations

from typing import NamedTuple

from winf_analyzer import _core
from winf_analyzer._dataset.neighbours import NEIGHBOURS
from winf_analyzer._dataset.nodes import NODES
from winf_analyzer._evaluate.schema import COMPARISON, SCORES
from winf_analyzer._hidden import HIDDEN_PAIRS
from winf_analyzer._ingest.truth.table import TRUTH
from winf_analyzer._mac import MAC_PARAMETERS
from winf_analyzer._schema.conditions import CONDITIONS
from winf_analyzer._schema.estimates import ESTIMATES


class ColumnDoc(NamedTuple):
    """A column: name, Arrow type, meaning."""

    name: str
    type: str
    meaning: str


class TableDoc(NamedTuple):
    """A table: name, what one row is, columns in order."""

    name: str
    row: str
    columns: list[ColumnDoc]


def catalogue() -> list[TableDoc]:
    """Every table of a dataset."""
    native = [TableDoc(name, row, [ColumnDoc(*column) for column in columns]) for name, row, columns in _core.tables()]
    nodes = TableDoc(
        "nodes", "one row per station", [ColumnDoc(column.name, str(column.dtype), column.meaning) for column in NODES]
    )
    neighbours = TableDoc(
        "neighbours",
        "one row per pair of stations of which one hears the other",
        [ColumnDoc(column.name, str(column.dtype), column.meaning) for column in NEIGHBOURS],
    )
    estimates = TableDoc(
        "estimates",
        "one row per estimator, mode, node, peer, state and window",
        [ColumnDoc(column.name, str(column.dtype), column.meaning) for column in ESTIMATES],
    )
    mac_parameters = TableDoc(
        "mac_parameters",
        "one row per station, access category, MAC parameter and origin of its value, once estimates were made",
        [ColumnDoc(column.name, str(column.dtype), column.meaning) for column in MAC_PARAMETERS],
    )
    hidden_pairs = TableDoc(
        "hidden_pairs",
        "one row per two stations of which one may not hear the other, direction and recording",
        [ColumnDoc(column.name, str(column.dtype), column.meaning) for column in HIDDEN_PAIRS],
    )
    truth = TableDoc(
        "truth",
        "one row per flow, side and window that iperf or a simulator measured",
        [ColumnDoc(column.name, str(column.dtype), column.meaning) for column in TRUTH],
    )
    comparison = TableDoc(
        "comparison",
        "one row per estimate and what ground truth says about the same window",
        [ColumnDoc(column.name, str(column.dtype), column.meaning) for column in COMPARISON],
    )
    scores = TableDoc(
        "scores",
        "one row per estimator, mode, quantity, log, link and view: how far it was from ground truth",
        [ColumnDoc(column.name, str(column.dtype), column.meaning) for column in SCORES],
    )
    conditions = TableDoc(
        "conditions",
        "one row per link and bin: what a replay of the recording runs against",
        [ColumnDoc(column.name, str(column.dtype), column.meaning) for column in CONDITIONS],
    )
    return [*native, nodes, neighbours, conditions, mac_parameters, estimates, hidden_pairs, truth, comparison, scores]
