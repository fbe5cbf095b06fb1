"""The capacity model without a cause: the recording's exchanges without it, estimated like the recording itself.

Each cause asked about gives a copy of the exchanges in which it is missing, as one more recording: all are estimated in
one pass, and what the model learns from a recording (load, loss, collisions) it learns from each copy anew.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from winf_analyzer._findings.questions import bound

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import duckdb
    import polars as pl

    from winf_analyzer._findings.registry import Finding

MAX_EXCHANGES = 200_000
"""Exchanges that a copy holds. Of a longer recording the model sees those in the middle, in all copies the same."""

MAX_COPIES = 24
"""Causes that are taken away; of more, those with the most airtime."""


class Cause(NamedTuple):
    """A finding about a subject of a recording."""

    finding: Finding
    row: dict[str, Any]

    @property
    def can_be_taken_away(self) -> bool:
        """The model can say what there would be without it."""
        return self.finding.has_counterfactual and not self.row.get("untold")


class Model(NamedTuple):
    """What the model says of recordings as they are, and without causes."""

    estimates: pl.DataFrame
    """The table `estimates` of the recordings as they are."""
    base: pl.DataFrame
    """Of them the sender's view of each link: :data:`LINKS`."""
    without: dict[int, pl.DataFrame]
    """The same without a cause, by position of the cause; none where it cannot be taken away."""


LINKS = ("source", "sender", "receiver", "capacity_bps", "available_bps", "available_low_bps", "available_high_bps")


def without(
    connection: duckdb.DuckDBPyConnection,
    causes: Sequence[Cause],
    parameters: pl.DataFrame,
    recorder_pauses: Callable[[], pl.DataFrame],
    frames: pl.LazyFrame,
) -> Model | None:
    """What the model says of the recordings, and of each without each of its causes.

    Args:
        connection: with the dataset's tables.
        causes: those to take away.
        parameters: the `mac_parameters` of the recordings.
        recorder_pauses: gives when nothing was recorded, of :func:`.recorder_pauses.found`; asked for where it counts.
        frames: the `frames` table.

    Returns:
        What the model says; None where no recording with a cause has an exchange.
    """
    import polars as pl

    from winf_analyzer.estimators import Settings, estimate_each
    from winf_analyzer.estimators._tables import WHOLE_NS

    asked = [number for number, cause in enumerate(causes) if cause.can_be_taken_away]
    asked = sorted(asked, key=lambda number: -(causes[number].row["airtime_share"] or 0))[:MAX_COPIES]
    concerned = {cause.row["source"] for cause in causes}
    copies: list[tuple[str, str, int | None]] = [
        (f"{place}", source, None) for place, source in enumerate(_sources(connection)) if source in concerned
    ]
    copies += [(f"without {number}", causes[number].row["source"], number) for number in asked]
    if not copies:
        return None
    tables = [
        _exchanges(connection, source, None if number is None else causes[number]).with_columns(source=pl.lit(tag))
        for tag, source, number in copies
    ]
    tags = pl.DataFrame([(tag, source) for tag, source, _ in copies], schema=["tag", "source"], orient="row")
    of_copies = parameters.join(tags, on="source").with_columns(source="tag").select(parameters.columns)
    pauses = recorder_pauses()
    of_tags = pauses.join(tags, on="source").with_columns(source="tag").select(pauses.columns)
    tag_of = {source: tag for tag, source, number in copies if number is None}
    versions = tuple((tag, tag_of[source]) for tag, source, number in copies if number is not None)
    settings = Settings(window_ns=WHOLE_NS, min_cover=0.0, cooperate=False, versions=versions)
    agreements = _block_acks(frames).join(tags.lazy(), on="source").with_columns(source="tag").drop("tag")
    each = estimate_each(
        pl.concat(tables).lazy(), ["saturation"], ["corrected"], settings, agreements, of_copies, of_tags
    )
    estimates = pl.concat(each).rename({"source": "tag"}).join(tags, on="tag", maintain_order="left")
    plain = estimates.join(tags.filter(~pl.col("tag").str.starts_with("without")), on="tag", how="semi")
    by_tag = {tag: _links(rows) for (tag,), rows in estimates.group_by("tag")}
    found = {number: by_tag[tag] for tag, _, number in copies if number is not None and tag in by_tag}
    return Model(plain.drop("tag"), _links(plain), found)


def _links(estimates: pl.DataFrame) -> pl.DataFrame:
    import polars as pl

    links = estimates.filter(pl.col("sender").is_not_null(), pl.col("receiver").is_not_null(), pl.col("path").is_null())
    order = pl.col("state").replace_strict(["sender", "receiver", "onlooker"], [0, 1, 2], default=3)
    ordered = links.sort(order, maintain_order=True).unique(["source", "sender", "receiver"], maintain_order=True)
    return ordered.select(LINKS)


def _sources(connection: duckdb.DuckDBPyConnection) -> list[str]:
    return [name for (name,) in connection.execute("select source from spans order by source").fetchall()]


def _block_acks(frames: pl.LazyFrame) -> pl.LazyFrame:
    """Of BlockAcks and requests for one what tells who aggregates, a row for those between each two stations.

    Agreements are none of the causes: who aggregates does so without them, though its A-MPDUs may all be gone.
    """
    import polars as pl

    shown = frames.filter(pl.col("layer") == "mac", pl.col("kind").is_in(["block_ack", "block_ack_req"]))
    longest = pl.col("ba_bitmap").sort_by(pl.col("ba_bitmap").str.len_bytes(), nulls_last=False).last()
    return shown.group_by("source", "kind", "ra", "ta", "tid").agg(
        pl.col("start_ns").min(), pl.col("length_bytes").max(), ba_bitmap=longest
    )


def _exchanges(connection: duckdb.DuckDBPyConnection, source: str, cause: Cause | None) -> pl.DataFrame:
    """Exchanges of a recording, without a cause."""
    import polars as pl

    changes, kept = "", "true"
    values: dict[str, Any] = {}
    if cause is not None:
        finding, row = cause
        if finding.remove:
            kept, values = bound(f"not coalesce({finding.remove}, false)", row)
        if finding.changes:
            where = finding.where or "true"
            replaced = ", ".join(
                f"(case when {where} then {expression} else {column} end)::{_type(connection, column)} as {column}"
                for column, expression in finding.changes.items()
            )
            changes, more = bound(f"replace ({replaced})", row)
            values |= more
    query = f"""
        select * {changes} from (
            select * from exchanges where source = $source_name
            qualify row_number() over (order by exchange_no) between
                count(*) over () // 2 - {MAX_EXCHANGES // 2} and count(*) over () // 2 + {MAX_EXCHANGES // 2}
        )
        where {kept}
        order by observer, exchange_no
    """  # noqa: S608 (conditions of the registry; what was recorded is bound)
    return pl.DataFrame(connection.sql(query, params={**values, "source_name": source}))


def _type(connection: duckdb.DuckDBPyConnection, column: str) -> str:
    return str(connection.sql(f"select {column} from exchanges limit 0").types[0])  # noqa: S608 (of the registry)
