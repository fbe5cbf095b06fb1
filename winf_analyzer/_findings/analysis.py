"""Why a network is slow: the findings of a recording or dataset, ranked."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from winf_analyzer._dataset.dataset import Dataset
from winf_analyzer._dataset.reading import reads_dataset
from winf_analyzer._findings import confidence, counterfactual, evidence, questions, wording
from winf_analyzer._findings.counterfactual import Cause
from winf_analyzer._findings.effects import NOTHING, effect
from winf_analyzer._findings.registry import findings_registry
from winf_analyzer._names import Names
from winf_analyzer._report.findings import CLAIMED, scope
from winf_analyzer._util import html
from winf_analyzer._util.arguments import check_link
from winf_analyzer._util.errors import DatasetError, UsageError
from winf_analyzer._util.format import printable
from winf_analyzer._util.progress import Progress, advance, enter
from winf_analyzer._util.scratch import scratch_folder

if TYPE_CHECKING:
    import duckdb
    import polars as pl

    from winf_analyzer._ingest.inputs import Paths


SECOND_NS = 1_000_000_000

READ = (*questions.TABLES, "recommended", "mac_parameters")
"""Tables that findings are made of."""


MAX_RECORDINGS = 10
"""Recordings that are named where nothing was found."""


class NotKeptWarning(UserWarning):
    """The dataset cannot be written, so that its table of findings stays as it was."""


@dataclass(frozen=True)
class Why:
    """The findings of a recording or dataset."""

    findings: pl.DataFrame
    """The table `findings`, ranked."""
    looked_at: list[str] = field(default_factory=list)
    """Titles of the findings that were looked for in any of the recordings."""
    not_looked_at: dict[str, str] = field(default_factory=dict)
    """Titles of those that were not in some of them, or in any, each with the reason."""
    recordings: list[str] = field(default_factory=list)
    """What was looked at: name and length of each recording."""
    names: Names = field(default_factory=Names, repr=False)
    """What stations are called."""
    read: dict[str, Any] = field(default_factory=dict, repr=False)
    """Of recordings that were read for it: `inputs` with their warnings, and `skipped`, as in a dataset's metadata."""

    def __repr__(self) -> str:
        names = ", ".join(dict.fromkeys(self.findings["name"])) or "none"
        return f"Why({self.findings.height} findings: {names}; {len(self.looked_at)} looked for)"

    def lines(self, limit: int | None = None) -> list[str]:
        """The findings in words, each with indented details; or that nothing was found, and what was looked at.

        Args:
            limit: findings that are told of; default: all.
        """
        told = self.told()
        rows = told[:limit]
        lines = []
        for row in rows:
            first, *details = wording.paragraph(row, self.names)
            lines += [first, *(f"   {detail}" for detail in details), ""]
        if not rows:
            lines += [self._nothing(), ""]
        if hidden := len(told) - len(rows):
            lines.append(f"{hidden} more: winf why")
        elif limit is None:
            lines += self._scope()
        return lines

    def told(self) -> list[dict[str, Any]]:
        """The findings that are told of: all of one recording, of several recordings one for each kind."""
        rows = list(self.findings.iter_rows(named=True))
        return wording.kinds(rows) if self._of_several() else rows

    def _of_several(self) -> bool:
        """More than one recording was looked at; those without times are not in `recordings`."""
        return len(self.recordings) > 1 or self.findings["source"].n_unique() > 1

    def _nothing(self) -> str:
        shown = [*self.recordings[:MAX_RECORDINGS], *["..."] * (len(self.recordings) > MAX_RECORDINGS)]
        return f"Nothing found in {'; '.join(shown)}." if shown else "Nothing found."

    def _repr_html_(self) -> str:
        """What a notebook shows: the findings in words."""
        rows = self.told()
        parts = []
        for row in rows:
            first, *details = wording.paragraph(row, self.names)
            parts += [html.paragraph(first, bold=True), *(html.paragraph(detail) for detail in details)]
        if not rows:
            parts += [html.paragraph(line) for line in self.lines()[:1]]
        return "".join([*parts, *(html.paragraph(line) for line in self._scope())])

    def _scope(self) -> list[str]:
        titles = dict(self.findings.select("name", "title").iter_rows())
        lines = scope(self.looked_at, self.not_looked_at, titles)
        claimed = (self.findings["confidence"] >= CLAIMED).sum()
        if self._of_several() and (doubtful := self.findings.height - claimed):
            lines.append(f"{doubtful} more are doubtful; --to csv has every one with its recording.")
        return lines


def why(
    inputs: Dataset | Paths,
    *,
    observer: str | None = None,
    decoder: str = "native",
    keys: Iterable[str] = (),
    link: tuple[str, str] | None = None,
    progress: Progress | None = None,
) -> Why:
    """Find out why a network is slow, and what each cause costs.

    Args:
        inputs: a dataset, whose table ``findings`` is replaced; or recordings as for `ingest`, of which nothing is
            kept.
        observer: address of the capturing station, of recordings.
        decoder: ``native`` or ``tshark``, of recordings.
        keys: for encrypted frames, with tshark.
        link: sender and receiver of the link that effects are about; by default the subject's own, or else the one
            that carries most.
        progress: called before each recording is read.

    Returns:
        The findings, ranked, and what was looked for.

    Raises:
        DatasetError: the dataset cannot be read. Where it cannot be written a warning says so.
        UnusableInput: no input is usable.
        UsageError: as `ingest` does; or the link has no exchange.
    """
    check_link(link)
    if isinstance(inputs, Dataset):
        return _of_dataset(inputs, link)
    if isinstance(inputs, str | os.PathLike) and (Path(inputs) / "dataset.json").is_file():
        return _of_dataset(Dataset.open(inputs), link)
    from winf_analyzer._ingest.ingestion import ingest

    with scratch_folder() as folder:
        dataset = ingest(inputs, folder / "run.winf", observer=observer, decoder=decoder, keys=keys, progress=progress)
        read = {each: dataset.metadata[each] for each in ("inputs", "skipped")}
        return replace(_of_dataset(dataset, link), read=read)


def findings(dataset: Dataset | str | os.PathLike[str]) -> pl.DataFrame:
    """Find out why a network is slow; returns the dataset's table ``findings``, which it replaces. See `why`."""
    return _of_dataset(dataset if isinstance(dataset, Dataset) else Dataset.open(dataset)).findings


@reads_dataset
def _of_dataset(dataset: Dataset, link: tuple[str, str] | None = None) -> Why:
    from winf_analyzer._dataset.making import fingerprint, made
    from winf_analyzer._hidden import pairs_of
    from winf_analyzer._mac.of_dataset import mac_parameters
    from winf_analyzer._schema import schema

    dataset.check_tables("findings", "hidden_pairs")
    parameters = dataset.scan("mac_parameters").collect() if dataset.parts("mac_parameters") else None
    estimated = parameters is not None and not parameters.is_empty()
    pairs = None
    if not estimated:  # `winf estimate` has not been here
        pairs = pairs_of(dataset)
        with suppress(DatasetError):  # which is told of with the findings
            dataset.replace_table("hidden_pairs", pairs)
            pairs = None
    key = fingerprint(dataset, READ, {"link": link})
    if noted := made(dataset, "why", key):
        known = noted["looked_at"], noted["lacking"], noted["recordings"]
        return Why(dataset.scan("findings").collect(), *known, _names(dataset))
    registry = findings_registry()
    with questioned(dataset, pairs) as connection:
        if link is not None and not questions.is_link(connection, link):
            raise UsageError(f"no exchange from {link[0]} to {link[1]} was recorded, so no gain is that link's.")
        met = questions.conditions_met(connection, registry.values())
        causes = []
        for number, each in enumerate(registry.values()):
            advance("looking for causes", number, len(registry), "questions")
            if questions.is_asked(met, each):
                causes += [Cause(each, row) for row in questions.ask(connection, each)]
        enter("working out what each cause costs")
        if causes and not estimated:
            parameters = mac_parameters(dataset)
        rows = _rows(connection, dataset, causes, parameters, link)
        recordings = questions.recordings(connection)
    table = _ranked(rows, schema("findings"))
    looked_at = [each.title for each in registry.values() if questions.is_looked_for(met, each)]
    reasons = {each.title: reason for each in registry.values() if (reason := questions.lacking(met, each))}
    try:
        with dataset.change("why") as change:
            change.made["why"] = {"key": key, "looked_at": looked_at, "lacking": reasons, "recordings": recordings}
            change.replace("findings", [table])
    except DatasetError as error:  # as of a disk that is read-only: the answer is there all the same
        warnings.warn(f"{error} The findings are not kept.", NotKeptWarning, stacklevel=2)
    return Why(table, looked_at, reasons, recordings, _names(dataset))


@contextmanager
def questioned(dataset: Dataset, pairs: pl.DataFrame | None = None) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection in which the questions of findings can be asked of a dataset, with `pairs` in place of its own."""
    from winf_analyzer._sql.query import connected

    with connected(dataset, tables=(*questions.TABLES, *questions.FUNCTIONS)) as connection:
        present = set(dataset.tables) if pairs is None else set(dataset.tables) - {"hidden_pairs"}
        _stand_in_for_absent_tables(connection, present)
        if pairs is not None and not pairs.is_empty():
            places = ", ".join("?" * pairs.width)
            connection.executemany(f"insert into hidden_pairs values ({places})", pairs.rows())  # noqa: S608
        questions.prepare(connection)
        yield connection


def _names(dataset: Dataset) -> Names:
    """What the dataset's stations are called."""
    return Names(dataset.scan("nodes").collect().iter_rows(named=True) if dataset.parts("nodes") else ())


def _stand_in_for_absent_tables(connection: duckdb.DuckDBPyConnection, present: set[str]) -> None:
    """Empty tables for those that questions may read and the dataset does not have."""
    from winf_analyzer._schema import sql_columns

    for name in questions.TABLES:
        if name not in present:
            connection.execute(f"create temp table {name} ({sql_columns(name)})")


def _rows(
    connection: duckdb.DuckDBPyConnection,
    dataset: Dataset,
    causes: list[Cause],
    parameters: pl.DataFrame | None,
    link: tuple[str, str] | None,
) -> list[dict[str, Any]]:
    """The rows of the table, not ranked; `impact` is what they are ranked by. Causes need the MAC parameters."""
    import polars as pl

    model = None
    if parameters is not None and causes:
        model = counterfactual.without(connection, causes, parameters, lambda: _pauses(dataset), dataset.scan("frames"))
    answers = _recommended(dataset, model.estimates) if model is not None else pl.DataFrame()
    unfit = [row["source"] for finding, row in causes if finding.name in confidence.OF_RECORDING]
    trust = confidence.recordings(connection, unfit)
    rows = []
    for number, (finding, row) in enumerate(causes):
        gained = dict(NOTHING)
        if model is not None and number in model.without:
            of_source = pl.col("source") == row["source"]
            about = link or (row.get("sender"), row.get("receiver"))
            gained = effect(about, answers.filter(of_source), model.base.filter(of_source), model.without[number])
        share, capacity = row["airtime_share"], gained.pop("capacity_bps", None)
        cost = {"airtime_share": None if share is None else min(max(share, 0.0), 1.0), **gained}
        sure = confidence.confidence(finding.name, row["samples"], trust.get(row["source"], 1.0))
        regained = gained["effect_bps"] / capacity if gained["effect_bps"] is not None and capacity else 0.0
        cause = wording.sentence(finding.without, row) if finding.without else ""
        said = [wording.sentence(finding.says, row), wording.effect_sentence(cost, cause)]
        rows.append(
            {
                **cost,
                **evidence.evidence(connection, finding, row),
                "name": finding.name,
                "subject": printable(str(row["subject"])),
                "confidence": sure,
                "remedy": row.get("remedy") or finding.remedy,
                "display_filter": evidence.display_filter(finding, row),
                "sql": questions.complete_sql(finding),
                "source": row["source"],
                "title": finding.title,
                "text": " ".join(filter(None, said)),
                "value": float(row["value"]),
                "threshold": finding.threshold,
                "samples": int(row["samples"]),
                "impact": sure * max(finding.weight, cost["airtime_share"] or 0.0, regained),
            }
        )
    return rows


def _pauses(dataset: Dataset) -> pl.DataFrame:
    """When the recorders recorded nothing though stations sent."""
    from winf_analyzer._aggregate import recorder_pauses
    from winf_analyzer._dataset.sequence_numbers import heard_in

    return recorder_pauses.found(heard_in(dataset))


def _recommended(dataset: Dataset, estimates: pl.DataFrame) -> pl.DataFrame:
    """The answers for the whole recordings: those of the dataset, or of `estimates`, which are about whole ones."""
    import polars as pl

    from winf_analyzer import _recommended as answers

    if dataset.parts("recommended"):
        known = dataset.scan("recommended").filter("whole").collect()
        if not known.is_empty():
            return known
    found = answers.recommended(dataset, estimates.clear().lazy(), estimates.lazy(), SECOND_NS)
    return found.filter(pl.col("whole"))


def _ranked(rows: list[dict[str, Any]], schema: pl.Schema) -> pl.DataFrame:
    """What makes a recording unfit, then what is claimed, then what is doubtful; by impact."""
    import polars as pl

    def order(row: dict[str, Any]) -> tuple[Any, ...]:
        of_recording = row["name"] in confidence.OF_RECORDING
        return not of_recording, row["confidence"] < CLAIMED, -row["impact"], row["name"], row["subject"]

    ordered = [{**row, "rank": rank} for rank, row in enumerate(sorted(rows, key=order), 1)]
    return pl.DataFrame([{name: row[name] for name in schema} for row in ordered], schema=schema)
