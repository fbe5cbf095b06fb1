"""What the shell completes: names of the registries, in comma-separated lists too."""

from __future__ import annotations

from collections.abc import Iterable


def _completed(incomplete: str, names: Iterable[str], *, several: bool) -> list[str]:
    """The names that begin as the last one of a list does, behind those that the list has already."""
    before, comma, last = incomplete.rpartition(",") if several else ("", "", incomplete)
    given = before.split(",")
    return [f"{before}{comma}{name}" for name in names if name.startswith(last) and name not in given]


def estimators(incomplete: str) -> list[str]:
    """Names of estimators."""
    from winf_analyzer.estimators import registry

    return _completed(incomplete, registry(), several=True)


def controllers(incomplete: str) -> list[str]:
    """Names of congestion controllers."""
    from winf_analyzer._replay.controller_runs import registry

    return _completed(incomplete, registry(), several=True)


def topologies(incomplete: str) -> list[str]:
    """Names of topologies, where no path is begun."""
    from winf_analyzer._replay.topologies import TOPOLOGIES

    return _completed(incomplete, TOPOLOGIES, several=False)


def queries(incomplete: str) -> list[str]:
    """Names of canned queries."""
    from winf_analyzer._sql.named_queries import named_queries

    return _completed(incomplete, named_queries(), several=False)


def exports(incomplete: str) -> list[str]:
    """Names of export formats."""
    from winf_analyzer._export.targets import TARGETS

    return _completed(incomplete, [each.name for each in TARGETS], several=False)


def modes(incomplete: str) -> list[str]:
    """Modes of estimators."""
    return _completed(incomplete, ["paper", "corrected", "both"], several=False)


def decoders(incomplete: str) -> list[str]:
    """Decoders."""
    return _completed(incomplete, ["native", "tshark"], several=False)
