"""Where a finding is to be seen: frame numbers, and a display filter of Wireshark."""

from __future__ import annotations

import re
from string import Formatter
from typing import TYPE_CHECKING, Any

from winf_analyzer._findings.questions import bound

if TYPE_CHECKING:
    from collections.abc import Mapping

    import duckdb

    from winf_analyzer._findings.registry import Finding

MAX_FRAMES = 8
"""Frame numbers that are kept."""

_SAFE = re.compile(r"[0-9a-f]{2}(:[0-9a-f]{2}){5}|[0-9]+(\.[0-9]+){0,3}")
"""What may stand in a filter: addresses of MAC and IPv4, numbers."""


def evidence(connection: duckdb.DuckDBPyConnection, finding: Finding, row: Mapping[str, Any]) -> dict[str, Any]:
    """`frames`, numbers of the first of them, `first_ns` and `last_ns` of all."""
    if not finding.frames:
        return {"frames": [], "first_ns": None, "last_ns": None}
    condition, values = bound(finding.frames, dict(row))
    query = f"""
        select min(frame_no, {MAX_FRAMES}), min(ts_ns), max(ts_ns)
        from frames where source = $source_name and layer = 'mac' and ({condition})
    """  # noqa: S608 (a condition of the registry; what was recorded is bound)
    numbers, first_ns, last_ns = connection.execute(query, {**values, "source_name": row["source"]}).fetchall()[0]
    return {"frames": list(numbers or []), "first_ns": first_ns, "last_ns": last_ns}


def display_filter(finding: Finding, row: Mapping[str, Any]) -> str | None:
    """The filter for the row; null where an end has no address that Wireshark knows, as in a simulator's trace."""
    if not finding.filter:
        return None
    names = {name for _, name, _, _ in Formatter().parse(finding.filter) if name}
    values = {name: str(row[name]) for name in names}
    if not all(_SAFE.fullmatch(value) for value in values.values()):
        return None
    return finding.filter.format(**values)
