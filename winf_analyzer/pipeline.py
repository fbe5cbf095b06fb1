"""The whole analysis: ingest, estimate, findings, replay, compare, report."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from winf_analyzer._dataset.dataset import Dataset
from winf_analyzer._dataset.overwriting import check_output
from winf_analyzer._findings import Why, why
from winf_analyzer._ingest.decoding import Tshark
from winf_analyzer._ingest.ingestion import ingest, ingested
from winf_analyzer._ingest.inputs import Paths, named_inputs, path_list, paths_of
from winf_analyzer._ingest.truth import recognize
from winf_analyzer._recommended.summary import best_answers
from winf_analyzer._report import check_report, report
from winf_analyzer._sql.query import one_database
from winf_analyzer._util import html
from winf_analyzer._util.errors import UnusableInput, UsageError, WinfError
from winf_analyzer._util.format import given_path
from winf_analyzer._util.memory import release
from winf_analyzer._util.progress import Progress
from winf_analyzer.estimators._write import write_estimates

if TYPE_CHECKING:
    from winf_analyzer._evaluate import Comparison
    from winf_analyzer._mac.override import Override
    from winf_analyzer._replay import Replayed

DEMO_SAMPLE = "ns3_sniffer/recording"

CONTROLLERS = ("new_reno", "xcp", "rcp", "xcp_winf", "rcp_winf", "wcp")
"""Controllers replayed by default: NewReno, XCP and RCP with and without rt-Winf, and WCP."""

MAX_REPLAYED_EXCHANGES = 1_000_000
"""Longer recordings are replayed only if controllers are named: their world alone takes longer than ingestion."""

MIN_FLOW_SECONDS, EXCHANGES_PER_FLOW_SECOND = 120, 4000
"""Seconds, added up over the flows, that are replayed if no controllers are named, and exchanges of the recording that
allow one more: with the default draws a replay takes about as long as ingestion and estimates then."""


@dataclass(frozen=True)
class Analysis:
    """The results of an analysis."""

    dataset: Dataset
    report: Path
    comparison: Comparison | None = None
    """The estimates against ground truth, if there is any."""
    problems: list[str] = field(default_factory=list)
    """Why given logs could not be compared, or named controllers not be replayed."""
    replayed: Replayed | None = None
    """The replay of the recording's flows under the controllers, if it has such flows."""
    why: Why | None = None
    """What makes the network slow."""
    resumed: bool = False
    """Whether it went on with the dataset of a run that did not come to its end."""

    @property
    def estimates(self) -> pl.DataFrame:
        """The table `estimates`, read anew: of many stations it takes more memory than the analysis."""
        return self.dataset.scan("estimates").collect()

    @property
    def recommended(self) -> pl.DataFrame:
        """The answer to use per link, for the whole recording: rows of `recommended`, most samples first."""
        return best_answers(self.dataset.scan("recommended"))

    def __repr__(self) -> str:
        parts = [str(self.dataset.path), str(self.report), *map(repr, filter(None, (self.why, self.replayed)))]
        return f"Analysis({', '.join(parts)})"

    def _repr_html_(self) -> str:
        """What a notebook shows: the answers, and where dataset and report are."""
        columns = ("sender", "receiver", "available_bps", "available_low_bps", "available_high_bps", "grade", "reasons")
        rows = [
            (*row[:2], *(None if value is None else round(value / 1e6, 3) for value in row[2:5]), *row[5:])
            for row in self.recommended.select(columns).iter_rows()
        ]
        names = ("sender", "receiver", "available, Mb/s", "from", "to", "grade", "reasons")
        where = html.paragraph(f"Dataset {self.dataset.path}, report {self.report}")
        return html.paragraph("Recommended answers, with 90 % intervals", bold=True) + html.table(names, rows) + where

    @property
    def link_medians(self) -> pl.DataFrame:
        """rt-Winf at the ends of each link: medians over the windows, bit/s, most samples first."""
        from winf_analyzer._evaluate.medians import link_medians

        ends = self.dataset.scan("estimates").filter(pl.col("state") != "onlooker", pl.col("estimator") == "rt_winf")
        return link_medians(ends)


def analyze(
    inputs: Paths,
    output: str | os.PathLike[str],
    *,
    iperf: Paths = (),
    observer: str | None = None,
    decoder: str | Tshark = "native",
    keys: Iterable[str] = (),
    window: str | int = "1s",
    mac: Override = None,
    controllers: Sequence[str] | None = None,
    force: bool = False,
    progress: Progress | None = None,
) -> Analysis:
    """Ingest recordings, run every estimator in both modes, replay controllers, compare with truth, write the report.

    The folder ``output`` receives ``run.winf`` (the dataset) and ``report.html``. Ground truth comes from the logs in
    ``iperf``, from logs among the inputs, and from simulator traces. The recording's flows are replayed under
    ``controllers``, with bulk transfers in place of UDP flows: none if empty; by default :data:`CONTROLLERS`, and of a
    long recording with many flows the beginning, so that this takes about as long as ingestion and estimates.
    Arguments and errors are those of `ingest`, `estimate`, `replay`, `compare` and `report`. The report is the last
    step: where a run with the same inputs and arguments was killed before it, this one goes on. If there is no flow to
    replay, or `compare` does not find the flows of the logs, the other results are still produced.
    """
    if controllers:
        from winf_analyzer._replay.controller_runs import check_named  # slow to import, and not always needed

        check_named(controllers, "corrected")
    logs = [Path(path) for path in path_list(iperf)]
    for path in logs:
        if recognize(path) is None:
            raise UnusableInput(f"{path}: not a log of iperf or FlowMonitor.")
    folder = given_path(output)
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder}: is a file; name the folder for dataset and report.")
    inputs = named_inputs(inputs)
    read = [*paths_of(inputs), *logs]
    target, page, keys = folder / "run.winf", folder / "report.html", list(keys)
    check_report(page, inputs=read)
    given = [*path_list(inputs), *logs]
    dataset = None
    if target.exists() and not (force or page.exists()):  # a run that did not come to its end
        dataset = ingested(given, target, observer=observer, decoder=decoder, keys=keys)
    resumed = dataset is not None
    if dataset is None:
        check_output(target, force=force, inputs=read)
        page.unlink(missing_ok=True)  # a report beside a dataset is of that dataset, and the last thing that is made
        with _made(folder):
            dataset = ingest(
                given, target, observer=observer, decoder=decoder, keys=keys, force=force, progress=progress
            )
    release()
    write_estimates(dataset, window=window, mac=mac)
    release()
    with one_database():
        found = why(dataset)
        release()
        replayed, not_replayed = _replay_flows(dataset, controllers, progress)
        comparison, not_compared = _compare_truth(dataset)
        release()
        try:
            report_path = report(dataset, page, force=True)
        except (OSError, WinfError):
            page.unlink(missing_ok=True)  # it may be there, and not be on the disk: then this run goes on when repeated
            raise
    return Analysis(dataset, report_path, comparison, [*not_replayed, *not_compared], replayed, found, resumed)


@contextmanager
def _made(folder: Path) -> Iterator[None]:
    """A folder, which is removed again where it stays empty."""
    folder.mkdir(parents=True, exist_ok=True)
    try:
        yield
    finally:
        if not any(folder.iterdir()):
            folder.rmdir()


def _replay_flows(
    dataset: Dataset, controllers: Sequence[str] | None, progress: Progress | None
) -> tuple[Replayed | None, list[str]]:
    is_requested = controllers is not None
    if is_requested and not controllers:
        return None, []
    exchanges = sum(entry["counts"]["exchanges"] for entry in dataset.metadata["inputs"])
    if not is_requested and exchanges > MAX_REPLAYED_EXCHANGES:
        return None, []
    flow_seconds = None if is_requested else max(MIN_FLOW_SECONDS, exchanges / EXCHANGES_PER_FLOW_SECOND)
    from winf_analyzer._replay import replay

    try:
        return replay(
            dataset,
            controllers=controllers or CONTROLLERS,
            transfers=True,
            flow_seconds=flow_seconds,
            progress=progress,
        ), []
    except (UnusableInput, UsageError) as error:
        # A recording without flows to replay is only a problem if controllers were named.
        return None, [f"no replay: {error}"] if is_requested else []


def _compare_truth(dataset: Dataset) -> tuple[Comparison | None, list[str]]:
    if dataset.scan("truth").limit(1).collect().is_empty():
        return None, []
    from winf_analyzer._evaluate import compare

    try:
        return compare(dataset), []
    except UnusableInput as error:
        # A flow that is not found is only a problem if logs were given; a simulator trace always has truth.
        return None, str(error).splitlines() if dataset.metadata["truth"] else []


def demo(
    output: str | os.PathLike[str] = "winf-demo", *, force: bool = False, progress: Progress | None = None
) -> Analysis:
    """`analyze` the bundled sample: an access point and its stations, recorded by an anonymous sniffer."""
    with as_file(files("winf_analyzer") / "sample_captures" / DEMO_SAMPLE) as sample:
        return analyze([sample], output, force=force, progress=progress)
