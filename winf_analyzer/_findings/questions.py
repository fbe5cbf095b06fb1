"""Asks the questions of the registry: SQL over the dataset's tables, with the medium's uses prepared once."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from winf_analyzer._findings.registry import COLUMNS, Finding, with_numbers
from winf_analyzer._sql.query import records
from winf_analyzer._util.format import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import duckdb

MAX_ROWS = 5
"""Subjects of one finding that are told of, those that matter most."""

MAX_NAMED = 5
"""Recordings that are named where they lack something; more are counted."""

_MANAGEMENT = ("beacon", "probe_req", "probe_resp", "auth", "deauth", "disassoc", "assoc_req", "assoc_resp")
_MORE_MANAGEMENT = ("reassoc_req", "reassoc_resp", "action", "action_no_ack", "atim", "timing_advertisement")

USES = f"""
    select exchanges.*,
        case when end_ns >= start_ns then (end_ns - start_ns) / 1e3 end as air_us,
        coalesce(data_kind in {_MANAGEMENT + _MORE_MANAGEMENT}, false) as management,
        coalesce(complete, false) and kind <> 'rts_failed' and payload_bytes > 0
            and coalesce(data_kind in ('data', 'qos_data'), true) as delivered,
        kind in ('rts', 'basic', 'cts_self', 'rts_failed') and sender is not null and receiver is not null
            and not coalesce(is_group, false) and coalesce(data_kind in ('data', 'qos_data'), true) as attempted
    from exchanges
    semi join (
        -- Of a trace with the views of all nodes, the view that holds most: every use of the medium counts once.
        select source, coalesce(observer, '') as place
        from exchanges
        group by source, place
        qualify row_number() over (partition by source order by count(*) desc, place) = 1
    ) as views on exchanges.source = views.source and coalesce(exchanges.observer, '') = views.place
"""  # noqa: S608 (constants)
"""A row per use of the medium, with the columns of `exchanges` and: `air_us`, time on the air; `management`;
`delivered`, data that was answered; `attempted`, data to one station, answered or not."""

SPANS = """
    select *, (last_ns - first_ns - paused_ns(source, first_ns, last_ns)) / 1e3 as span_us
    from (
        select source, min(start_ns) as first_ns, max(end_ns) as last_ns, sum(air_us) as busy_us, count(*) as uses,
            count(*) filter (attempted) as attempts, count(*) filter (attempted and attempt > 1) as repetitions
        from uses
        group by source
        having max(end_ns) > min(start_ns)
    )
"""
"""A row per recording: first and last instant, the time between them that was recorded, for how much of it the medium
was busy, and how often data was sent to one station, and sent again."""


_OF_SPANS = ("first_ns", "last_ns", "span_us", "busy_us", "uses", "attempts", "repetitions")

CHECKS = """
    select * from audit
    -- A simulator's trace has no recorder that could miss anything.
    where source not in (select source from uses where sender like 'node-%')
        -- What the recording station does not hear because it is hidden from others is a finding of its own, if that is
        -- most of what it misses, and if it heard most of the rest.
        and not ("check" = 'completeness' and (
            -- That check counts answers whose frame was not heard. Many more of them than it misses: gaps in sequence
            -- numbers are its reason, and what a hidden station sends leaves none.
            select 2 * count(*) >= (1 - value) * pairs and count(*) >= (1 - 2 * value) * pairs
                and count(*) <= 1.1 * (1 - value) * pairs
            from uses
            where uses.source = audit.source and ack_ns is not null and not heard_data and not heard_rts
                and receiver is distinct from observer and (source, observer, sender) in (
                    select (source, observer, sender) from hidden_pairs
                    where hidden_from = observer and confidence > 0.5
                )
        ) is true)
"""
"""The checks of the audit that say how far a recording can be trusted."""

PRELUDE = {"uses": USES, "spans": SPANS, "checks": CHECKS}
"""What is made once for all questions, in this order."""

FUNCTIONS = ("paused_ns", "operating_channels")
"""Functions of ours that :data:`PRELUDE` and questions call."""

TABLES = ("audit", "capabilities", "frames", "exchanges", "hidden_pairs", "nodes")
"""Tables that questions read; `recommended` and the like rest on settings of other commands."""


def is_link(connection: duckdb.DuckDBPyConnection, link: tuple[str, str]) -> bool:
    """Whether any exchange went from the first to the second station."""
    ends = dict(zip(("sender", "receiver"), link, strict=True))
    return bool(records(connection, "select 1 from uses where sender = $sender and receiver = $receiver limit 1", ends))


def prepare(connection: duckdb.DuckDBPyConnection) -> None:
    """Make the tables of :data:`PRELUDE`, once for all questions."""
    for name, query in PRELUDE.items():
        connection.execute(f"create temp table {name} as {query}")


def recordings(connection: duckdb.DuckDBPyConnection) -> list[str]:
    """Name and length of each recording, in words."""
    rows = connection.execute("select source, span_us / 1e6, uses from spans order by source").fetchall()
    return [
        f"{printable(source)} ({seconds:.3g} s, {'1 exchange' if uses == 1 else f'{uses} exchanges'})"
        for source, seconds, uses in rows
    ]


def conditions_met(connection: duckdb.DuckDBPyConnection, findings: Iterable[Finding]) -> dict[str, set[str]]:
    """By recording the conditions :attr:`.Finding.needs` and :attr:`.Finding.given` that it meets, by one query."""
    conditions = list(dict.fromkeys(each for finding in findings for each in (*finding.needs, finding.given) if each))
    asked = ", ".join(["source", *(f"coalesce({condition}, false)" for condition in conditions)])
    query = f"""
        select {asked}
        from (select distinct source from frames)
        left join (from frames where layer = 'mac') using (source)
        left join spans using (source)
        group by source, {", ".join(_OF_SPANS)}
        order by source
    """  # noqa: S608 (of the registry)
    return {
        source: {condition for condition, is_met in zip(conditions, met, strict=True) if is_met}
        for source, *met in connection.execute(query).fetchall()
    }


def lacking(met: Mapping[str, set[str]], finding: Finding) -> str:
    """What is missing for a question, in words, with the recordings unless it is missing in all; empty: nothing."""
    lacks: dict[str, list[str]] = {}
    for source, conditions in met.items():
        if missing := [reason for condition, reason in finding.needs.items() if condition not in conditions]:
            lacks.setdefault(missing[0], []).append(source)
    return "; ".join(reason + _in_words(sources, len(met)) for reason, sources in lacks.items())


def _in_words(sources: Sequence[str], of: int) -> str:
    if len(sources) == of:
        return ""
    few = len(sources) <= MAX_NAMED
    return f" in {', '.join(map(printable, sources))}" if few else f" in {len(sources)} of {of} recordings"


def is_looked_for(met: Mapping[str, set[str]], finding: Finding) -> bool:
    """Whether the question can be answered of any recording."""
    return any(conditions.issuperset(finding.needs) for conditions in met.values())


def is_asked(met: Mapping[str, set[str]], finding: Finding) -> bool:
    """Whether the question may find anything in any recording."""
    return any(
        conditions.issuperset(finding.needs) and (not finding.given or finding.given in conditions)
        for conditions in met.values()
    )


def ask(connection: duckdb.DuckDBPyConnection, finding: Finding) -> list[dict[str, Any]]:
    """The rows of a finding, those that matter most first, at most :data:`MAX_ROWS` per recording."""
    named = {name: value for name, (value, _) in finding.parameters.items() if f"${name}" in finding.sql}
    found: dict[str, list[dict[str, Any]]] = {}
    for row in records(connection, finding.sql, named):
        if missing := [name for name in COLUMNS if name not in row]:
            raise ValueError(f"findings/{finding.name}.sql: no column {missing[0]}")
        of_source = found.setdefault(row["source"], [])
        if len(of_source) < MAX_ROWS:
            of_source.append(row)
    return [row for of_source in found.values() for row in of_source]


def complete_sql(finding: Finding) -> str:
    """The question as `winf sql` takes it: with the tables it reads, and numbers in place of parameters."""
    text = with_numbers(finding.sql, {name: value for name, (value, _) in finding.parameters.items()})
    prelude = "with " + ",\n".join(f"{name} as ({query})" for name, query in PRELUDE.items())
    return f"{prelude},\n{text[5:]}" if text.lower().startswith("with ") else f"{prelude}\n{text}"


def bound(condition: str, row: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """A condition of the registry and the values of its ``$name``, columns of the row."""
    names = set(re.findall(r"\$(\w+)", condition))
    return condition, {name: row[name] for name in names}
