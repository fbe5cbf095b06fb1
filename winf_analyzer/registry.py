"""The registries of `winf list`: one table per extension point."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import TYPE_CHECKING

from winf_analyzer._util.errors import UsageError
from winf_analyzer._util.rows import Rows

if TYPE_CHECKING:
    import polars as pl


class Registry(StrEnum):
    """Names of the registries."""

    formats = "formats"
    estimators = "estimators"
    controllers = "controllers"
    topologies = "topologies"
    queries = "queries"
    findings = "findings"
    tables = "tables"
    exports = "exports"


def list(what: str) -> pl.DataFrame:  # noqa: A001 (the command's name)
    """One row per entry of a registry: its name, description, and source or implementation.

    Args:
        what: ``formats``, ``estimators``, ``controllers``, ``topologies``, ``queries``, ``findings``, ``exports``, or
            ``tables`` for the columns of a dataset's tables with their types and units.

    Raises:
        UsageError: there is no such registry.
    """
    import polars as pl

    entries = rows(what)
    return pl.DataFrame(entries.rows, schema=[*entries.schema], orient="row")


def rows(what: str) -> Rows:
    """The same without Polars."""
    try:
        entries = _LISTS[Registry(what)]
    except ValueError:
        raise UsageError(f"no registry {what!r}; there are {', '.join(Registry)}.") from None
    return entries()


def _formats() -> Rows:
    from winf_analyzer import _core
    from winf_analyzer._ingest.truth import FORMATS

    kismet = ("kismet", "database of Kismet: the 802.11 packets in it", "winf_analyzer/_ingest/kismet.py")
    tshark = (
        "tshark",
        "with --decoder tshark: 802.11 captures in all other formats that Wireshark reads (snoop, Network Monitor, "
        "OmniPeek, CommView, Sniffer and more), and encrypted frames with --key",
        "parsers/src/sources/tshark/reader.rs",
    )
    logs = [
        (log.name, f"ground truth: {log.description}", f"winf_analyzer/_ingest/truth/{log.module}.py")
        for log in FORMATS
    ]
    return Rows.complete(["format", "description", "implemented_in"], [*_core.formats(), kismet, tshark, *logs])


def _estimators() -> Rows:
    from winf_analyzer.estimators import registry

    rows = [(row.name, row.description, row.source, row.implemented_in) for row in registry().values()]
    return Rows.complete(["estimator", "description", "source", "implemented_in"], rows)


def _controllers() -> Rows:
    from winf_analyzer._replay.controller_runs import registry

    rows = [
        (row.name, ", ".join(row.modes), row.description, row.source, row.implemented_in) for row in registry().values()
    ]
    schema = ["controller", "modes", "description", "source", "implemented_in"]
    return Rows.complete(schema, rows)


def _topologies() -> Rows:
    from winf_analyzer._replay.topologies import TOPOLOGIES

    rows = [
        (row.name, _defaults(row.parameters), row.description, row.source, row.builder.__module__)
        for row in TOPOLOGIES.values()
    ]
    schema = ["topology", "parameters", "description", "source", "implemented_in"]
    return Rows.complete(schema, rows)


def _queries() -> Rows:
    from winf_analyzer._sql.named_queries import named_queries

    defaults = {
        q.name: {name: default for name, (default, _) in q.parameters.items()} for q in named_queries().values()
    }
    rows = [(q.name, q.title, _defaults(defaults[q.name]), f"queries/{q.name}.sql") for q in named_queries().values()]
    return Rows.complete(["query", "question", "parameters", "implemented_in"], rows)


def _findings() -> Rows:
    from winf_analyzer._findings.registry import findings_registry

    rows = [
        (
            each.name,
            each.title,
            each.threshold,
            each.parameters["threshold"][1],
            each.remedy,
            each.means,
            f"findings/{each.name}.sql",
        )
        for each in findings_registry().values()
    ]
    schema = ["finding", "title", "threshold", "threshold_is", "remedy", "meaning", "implemented_in"]
    return Rows.complete(schema, rows)


def _tables() -> Rows:
    from winf_analyzer._schema import tables

    rows = [
        (table.name, column.name, column.type, column.meaning, column.unit, column.source)
        for table in tables()
        for column in table.columns
    ]
    return Rows.complete(["table", "column", "type", "meaning", "unit", "source"], rows)


def _exports() -> Rows:
    from winf_analyzer._export.targets import TARGETS

    rows = [(row.name, row.description, row.implemented_in) for row in TARGETS]
    return Rows.complete(["export", "description", "implemented_in"], rows)


def _defaults(parameters: Mapping[str, float | str]) -> str:
    return ", ".join(f"{name}={default}" for name, default in parameters.items())


_LISTS: dict[Registry, Callable[[], Rows]] = {
    Registry.formats: _formats,
    Registry.estimators: _estimators,
    Registry.controllers: _controllers,
    Registry.topologies: _topologies,
    Registry.queries: _queries,
    Registry.findings: _findings,
    Registry.tables: _tables,
    Registry.exports: _exports,
}
