"""The registries of `winf list`: one table per extension point."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import TYPE_CHECKING

from winf_analyzer._util.errors import UsageError

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


def list(what: str) -> pl.DataFrame:  # noqa: A001 (the command's name)
    """One row per entry of a registry: its name, description, and source or implementation.

    Args:
        what: ``formats``, ``estimators``, ``controllers``, ``topologies``, ``queries``, ``findings``, or ``tables`` for
            the columns of a dataset's tables with their types and units.

    Raises:
        UsageError: there is no such registry.
    """
    try:
        entries = _LISTS[Registry(what)]
    except ValueError:
        raise UsageError(f"no registry {what!r}; there are {', '.join(Registry)}.") from None
    return entries()


def _formats() -> pl.DataFrame:
    import polars as pl

    from winf_analyzer import _core
    from winf_analyzer._ingest.truth import FORMATS

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
    return pl.DataFrame(
        [*_core.formats(), tshark, *logs], schema=["format", "description", "implemented_in"], orient="row"
    )


def _estimators() -> pl.DataFrame:
    import polars as pl

    from winf_analyzer.estimators import registry

    rows = [(row.name, row.description, row.source, row.implemented_in) for row in registry().values()]
    return pl.DataFrame(rows, schema=["estimator", "description", "source", "implemented_in"], orient="row")


def _controllers() -> pl.DataFrame:
    import polars as pl

    from winf_analyzer._replay.controller_runs import registry

    rows = [
        (row.name, ", ".join(row.modes), row.description, row.source, row.implemented_in) for row in registry().values()
    ]
    schema = ["controller", "modes", "description", "source", "implemented_in"]
    return pl.DataFrame(rows, schema=schema, orient="row")


def _topologies() -> pl.DataFrame:
    import polars as pl

    from winf_analyzer._replay.topologies import TOPOLOGIES

    rows = [
        (row.name, _defaults(row.parameters), row.description, row.source, row.builder.__module__)
        for row in TOPOLOGIES.values()
    ]
    schema = ["topology", "parameters", "description", "source", "implemented_in"]
    return pl.DataFrame(rows, schema=schema, orient="row")


def _queries() -> pl.DataFrame:
    import polars as pl

    from winf_analyzer._sql.named_queries import named_queries

    defaults = {
        q.name: {name: default for name, (default, _) in q.parameters.items()} for q in named_queries().values()
    }
    rows = [(q.name, q.title, _defaults(defaults[q.name]), f"queries/{q.name}.sql") for q in named_queries().values()]
    return pl.DataFrame(rows, schema=["query", "question", "parameters", "implemented_in"], orient="row")


def _findings() -> pl.DataFrame:
    import polars as pl

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
    return pl.DataFrame(rows, schema=schema, orient="row")


def _tables() -> pl.DataFrame:
    import polars as pl

    from winf_analyzer._schema import tables

    rows = [
        (table.name, column.name, column.type, column.meaning, column.unit, column.source)
        for table in tables()
        for column in table.columns
    ]
    return pl.DataFrame(rows, schema=["table", "column", "type", "meaning", "unit", "source"], orient="row")


def _defaults(parameters: Mapping[str, float | str]) -> str:
    return ", ".join(f"{name}={default}" for name, default in parameters.items())


_LISTS: dict[Registry, Callable[[], pl.DataFrame]] = {
    Registry.formats: _formats,
    Registry.estimators: _estimators,
    Registry.controllers: _controllers,
    Registry.topologies: _topologies,
    Registry.queries: _queries,
    Registry.findings: _findings,
    Registry.tables: _tables,
}
