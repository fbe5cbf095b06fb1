"""Comparison of estimates and replays with ground truth: goodput that iperf or a simulator measured.

::

    flows             the flows in logs
    recorded_traffic  throughput of links and flows in the recording
    replayed          throughput of flows in replays of the recording
    correlation       the lag between a log and a recording, by cross-correlation
    align             the link of each flow, and the offset of the log's clock
    series            averages of a series over other windows
    window_join       estimates and truth over the same windows
    sender_idle       whether a recorded flow saturated its link
    verdict           estimators ranked, and a sentence
    scoring           bias, MAE, RMSE, MAPE, correlation, share within the bounds
    medians           medians of estimates per link
    schema            the columns of the tables `comparison` and `scores`
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from winf_analyzer._dataset.dataset import Dataset
from winf_analyzer._dataset.reading import reads_dataset
from winf_analyzer._evaluate.several import compared
from winf_analyzer._ingest.inputs import Paths, path_list
from winf_analyzer._sql.datasets import Datasets, open_datasets
from winf_analyzer._util.arguments import check_link
from winf_analyzer._util.durations import parse_offset_ns
from winf_analyzer._util.errors import UnusableInput, UsageError

if TYPE_CHECKING:
    import polars as pl

    from winf_analyzer._evaluate.align import LocatedFlow

__all__ = ["Comparison", "compare"]


READ = ("truth", "estimates", "recommended", "exchanges", "frames", "mac_parameters", "replay_flows", "replay_summary")
"""Tables that a comparison is made of."""


@dataclass(frozen=True)
class Comparison:
    """The result of a comparison."""

    scores: pl.DataFrame
    """The `scores` table: a row per estimator, mode, quantity, log, link and view."""
    windows: pl.DataFrame
    """The `comparison` table: the compared windows."""
    notes: list[str] = field(default_factory=list)
    """Link, clock offset and correlation of each flow."""
    problems: list[str] = field(default_factory=list)
    """Damaged logs, and flows that could not be found."""

    def __repr__(self) -> str:
        return f"Comparison({self.scores.height} scores, {self.windows.height} windows, {len(self.problems)} problems)"

    @property
    def overview(self) -> pl.DataFrame:
        """The scores in one view per link, the one nearest to its sender; see :func:`.scoring.overview`."""
        from winf_analyzer._evaluate.scoring import overview

        return overview(self.scores)

    @property
    def ranking(self) -> pl.DataFrame:
        """The overview with the least error first, and a column `remark`; see :func:`.verdict.ranked`."""
        from winf_analyzer._evaluate.verdict import ranked

        return ranked(self.scores, self.windows)

    @property
    def verdict(self) -> list[str]:
        """A sentence per log and link: which estimator was nearest, and how near."""
        from winf_analyzer._evaluate.verdict import sentences

        return sentences(self.ranking)


@reads_dataset
def compare(
    dataset: Datasets,
    iperf: Paths = (),
    *,
    offset: str | int | None = None,
    link: tuple[str, str] | None = None,
    again: bool = False,
) -> Comparison:
    """Score every estimate and replay of a dataset against logs of iperf.

    Each flow of a log is matched with a link of the recording: by its addresses, by its hosts if ports differ, else by
    the most similar throughput. These quantities are compared with the log's throughput G, both as MSDU payload:

    - `capacity`: equals G if the flow saturates the link and no other station transmits; otherwise G is a lower bound;
    - `attainable`, if the flow is in the recording: available bandwidth plus the flow's own goodput, which equals G if
      the flow saturates the link;
    - `available`, if the flow is not in the recording (another run under the same conditions): available bandwidth;
    - `goodput`: the flow's goodput in the recording, which verifies that flow and clock offset were found;
    - `replayed`: the flow's throughput under each controller in the dataset's replays (mean over seeds).

    A flow with less offered load than the link can carry does not measure bandwidth; all quantities except goodput are
    then correctly above G. On a path of several hops the first is compared; in replays the flow's end-to-end
    throughput.

    The tables `scores` and `comparison` of the dataset are replaced. If it has no estimates, they are computed first.

    Args:
        dataset: a dataset or its path; or several, a folder of them, or a glob: each is compared and holds its own
            scores, and in the result the name of each log has that of its dataset in front.
        iperf: logs of iperf or FlowMonitor, or traces of ns-2 or ns-3; by default the dataset's own ``truth``.
        offset: added to the logs' times (``-2.5s``, or ns). By default logs are aligned by absolute time if both have
            it, refined by up to 1.5 s if the flow is in the recording, and more if the log's clock is clearly wrong;
            else by cross-correlation of throughput. If only one of the two has absolute time, the offset is from the
            first exchange to the start of the log. A log that cannot be aligned, of a flow whose addresses and ports
            are not in the recording, is of another run: means over the whole runs are compared.
        link: sender and receiver of the link to compare with, if the recording does not contain the flow.
        again: compute also what the dataset holds already, made of the same tables with the same arguments and code.

    Raises:
        UsageError: no logs given and no truth in the dataset, or an invalid link or offset.
        UnusableInput: a file is not a log, no flow of any log was found, or no exchange carried data.
        DatasetError: there is no dataset at this path, or it cannot be written.
    """
    import polars as pl

    from winf_analyzer._dataset.making import fingerprint, made
    from winf_analyzer._evaluate.align import locate
    from winf_analyzer._evaluate.flows import measured_flows
    from winf_analyzer._evaluate.recorded_traffic import RecordedTraffic
    from winf_analyzer._evaluate.replayed import replay_throughput
    from winf_analyzer._evaluate.window_join import joined_windows
    from winf_analyzer._schema import schema
    from winf_analyzer._util.durable import sha256

    check_link(link)
    datasets, several = open_datasets(dataset)
    if several:
        return compared(datasets, lambda one: compare(one, iperf, offset=offset, link=link, again=again))
    (dataset,) = datasets
    try:
        offset_ns = None if offset is None else parse_offset_ns(offset)
    except ValueError as error:
        raise UsageError(str(error)) from None
    logs = [Path(path) for path in path_list(iperf)]
    dataset.check_tables("comparison", "scores")
    truth, problems = _truth(dataset, logs)
    key = fingerprint(dataset, READ, {"logs": [(log, sha256(log)) for log in logs], "offset": offset_ns, "link": link})
    if not again and (noted := made(dataset, "compare", key)):
        scores, windows = (dataset.scan(table).collect() for table in ("scores", "comparison"))
        return Comparison(scores, windows, noted["notes"], noted["problems"])
    recorded = RecordedTraffic.of(dataset)
    located, not_found = locate(measured_flows(truth), recorded, offset_ns=offset_ns, link=link)
    with dataset.change("compare") as change:
        estimates, replays = _estimates(dataset), replay_throughput(dataset)
        found = [
            (
                flows_of_link,
                joined_windows(
                    flows_of_link, _estimates_of_link(dataset, estimates, flows_of_link[0].link), recorded, replays
                ),
            )
            for flows_of_link in (
                list(group) for _, group in groupby(sorted(located, key=_log_and_link), key=_log_and_link)
            )
        ]
        windows = pl.concat([pl.DataFrame(schema=schema("comparison")), *(rows for _, rows in found)])
        if windows.is_empty():
            logs_found = ", ".join(sorted({each.flow.log for each in located}))
            raise UnusableInput(
                f"no window of the estimates is entirely within {logs_found}: "
                "estimate with a shorter --window, or give --offset if the clocks differ."
            )
        scores = _scores(dataset, found)
        change.replace("comparison", [windows])
        change.replace("scores", [scores])
        notes, problems = [_note(each) for each in located], problems + not_found
        change.made["compare"] = {"key": key, "notes": notes, "problems": problems}
    return Comparison(scores, windows, notes, problems)


def _truth(dataset: Dataset, logs: list[Path]) -> tuple[pl.DataFrame, list[str]]:
    """Rows of the truth table, and messages about damage."""
    import polars as pl

    from winf_analyzer._ingest.truth import read_log, read_truth, recognize

    if not logs:
        rows = dataset.scan("truth").collect() if dataset.parts("truth") else pl.DataFrame()
        if rows.is_empty():
            raise UsageError(f"{dataset.path} has no ground truth; name logs with --iperf FILE.")
        return rows, []
    parts, damage = [], []
    names = [path.name for path in logs]
    for path in dict.fromkeys(logs):
        source = path.name if names.count(path.name) == 1 else str(path)
        if log := recognize(path):
            truth = read_log(path, log, source)
            parts.append(truth.rows)
            damage += [f"{path}: {what}." for what in truth.damage]
        else:
            parts.append(read_truth(path))
        if parts[-1].is_empty():
            raise UnusableInput(f"{path}: contains no measurements.")
    return pl.concat(parts), damage


def _estimates(dataset: Dataset) -> pl.LazyFrame:
    from winf_analyzer.estimators._write import write_estimates

    if dataset.parts("estimates"):
        estimates = dataset.scan("estimates")
        if not estimates.limit(1).collect().is_empty():
            return estimates
    return write_estimates(dataset)


def _estimates_of_link(dataset: Dataset, estimates: pl.LazyFrame, link: tuple[str, str]) -> pl.DataFrame:
    """The recommended answers and the estimates of one link, since all of them may not fit in memory."""
    import polars as pl

    from winf_analyzer._evaluate.window_join import READ as COLUMNS
    from winf_analyzer._recommended.summary import as_estimates

    of_link = estimates.filter(sender=link[0], receiver=link[1]).select(COLUMNS).collect(engine="streaming")
    if not dataset.parts("recommended"):
        return of_link
    answers = as_estimates(dataset.scan("recommended").filter(sender=link[0], receiver=link[1]))
    return pl.concat([answers.collect(engine="streaming"), of_link], how="diagonal")


def _log_and_link(located: LocatedFlow) -> tuple[str, tuple[str, str]]:
    return located.flow.log, located.link


def _scores(dataset: Dataset, found: Sequence[tuple[list[LocatedFlow], pl.DataFrame]]) -> pl.DataFrame:
    import polars as pl

    from winf_analyzer._evaluate.scoring import score
    from winf_analyzer._evaluate.sender_idle import sender_idle_share
    from winf_analyzer._schema import schema

    types = schema("scores")
    keys = types.names()[: types.names().index("windows")]
    tables = [pl.DataFrame(schema=types)]
    for flows_of_link, rows in found:
        first = flows_of_link[0]
        aligned = {
            "aligned_by": first.aligned_by,
            "offset_ns": first.offset_ns,
            "peak": first.peak and first.peak.height,
            "second_peak": first.peak and first.peak.second,
            "matched_by": first.matched_by,
            "payload_share": first.payload_share,
            "lost_share": first.lost_share,
            "sender_idle_share": None,
        }
        if first.peak is not None and rows.height:
            span = rows.select(pl.col("t_ns").min(), end_ns=(pl.col("t_ns") + pl.col("window_ns")).max())
            aligned["sender_idle_share"] = sender_idle_share(dataset, first.link, *span.row(0))
        scored = score(rows, keys).with_columns(pl.lit(value).alias(name) for name, value in aligned.items())
        tables.append(scored.select(pl.col(name).cast(dtype) for name, dtype in types.items()))
    return pl.concat(tables)


def _note(located: LocatedFlow) -> str:
    """Link, clock offset and correlation of a flow."""
    from winf_analyzer._evaluate.align import WHOLE

    offset = _seconds(located.option_ns)
    clocks = {
        "absolute": "clock by absolute time",
        "refined": f"clock by absolute time, refined by cross-correlation: offset {offset}",
        "offset": f"given offset {offset}",
        "correlation": f"clock by cross-correlation: offset {offset}",
        WHOLE: "of another run or clock: means of whole runs are compared; --offset aligns the windows",
    }
    matches = {
        "addresses": "by its addresses",
        "hosts": "by its hosts; ports differ",
        "link": "given link",
        "only_link": "the only link with data",
        "correlation": "the link with the most similar throughput",
    }
    peak = "" if located.recorded_name else "its traffic is not in the recording"
    if located.peak is not None:
        peak = f"correlation {located.peak.height:.3f}, second peak {located.peak.second:.3f}"
        if located.aligned_by == "absolute" and located.peak.lag_ns != located.offset_ns:
            peak += f", not at this clock but at offset {_seconds(located.peak.lag_ns)}"
            peak += "" if located.peak.is_inside else ", where the search ends"
    side = "offered load of the sender" if located.flow.side == "sender" and located.flow.protocol == "udp" else ""
    if not side and located.lost_share is not None:
        side = f"{located.lost_share:.1%} lost" if located.lost_share > 0 else "no losses: it may not saturate the link"
    parts = [
        f"{located.flow.log}, {located.flow.name or 'flow without addresses'}: "
        f"{located.link[0]} > {located.link[1]} ({matches[located.matched_by]})",
        clocks[located.aligned_by],
        peak,
        side,
    ]
    return "; ".join(part for part in parts if part)


def _seconds(offset_ns: int) -> str:
    """An offset as --offset takes it."""
    return f"{offset_ns / 1e9:+.9f}".rstrip("0").rstrip(".") + "s"
