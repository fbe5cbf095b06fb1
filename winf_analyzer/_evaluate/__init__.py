"""Estimates against ground truth: what iperf, or a simulator, says reached the other end.

::

    flows        the flows that logs measured
    recorded     what the links of the recording carried
    replayed     what replays of the recording gave to its flows
    correlation  the lag at which a log and a recording agree
    placing      flow to link, and the log's clock onto the recording's
    series       averages over windows that are not a series' own
    pairing      estimates and truth over the same windows
    scoring      bias, MAE, RMSE, MAPE, correlation, share within the bounds
    schema       the columns of the tables `comparison` and `scores`
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from winf_analyzer._dataset.dataset import Dataset
from winf_analyzer._ingest.inputs import Paths, named
from winf_analyzer._util.durations import parse_offset_ns
from winf_analyzer._util.errors import UnusableInput, UsageError

if TYPE_CHECKING:
    import polars as pl

    from winf_analyzer._evaluate.align import Placed

__all__ = ["Comparison", "compare"]


@dataclass(frozen=True)
class Comparison:
    """What a comparison found."""

    scores: pl.DataFrame
    """The `scores` table: a row per estimator, mode, quantity, log, link and view."""
    windows: pl.DataFrame
    """The `comparison` table: the windows that the scores rest on."""
    notes: list[str] = field(default_factory=list)
    """How each flow was found: link, clock, and how sure that is."""
    problems: list[str] = field(default_factory=list)
    """Damaged logs, and flows that could not be found."""


def compare(
    dataset: Dataset | str | os.PathLike[str],
    iperf: Paths = (),
    *,
    offset: str | int | None = None,
    link: tuple[str, str] | None = None,
) -> Comparison:
    """Score every estimate and replay of a dataset against logs of iperf.

    Each flow of a log is found in the recording by its addresses, by its hosts where ports differ, else as the link
    whose throughput is most alike. What is then held against the log's throughput G, both as MSDU payload:

    - `capacity`: equal to G where the flow saturates the link and nobody else sends; otherwise G is a lower bound;
    - `attainable`, where the flow is in the recording: available bandwidth plus what the flow itself got through,
      which is G while the flow saturates the link;
    - `available`, where the flow is not in the recording (another run under the same conditions): what the flow
      found free;
    - `goodput`: what got through by the recording, which shows that flow and clock were found;
    - `replayed`: what each controller gave to the flow in the replays that the dataset holds (mean over seeds).

    A flow that does not offer more than passes measures no bandwidth: against it every quantity but goodput is too
    high, rightly. Of a path of several hops the first is compared; a replay's flow counts from end to end.

    The tables `scores` and `comparison` of the dataset are replaced. Where it has no estimates yet, `estimate` makes
    them first.

    Args:
        dataset: a dataset or its path.
        iperf: logs of iperf or FlowMonitor, or traces of ns-2 or ns-3; by default the dataset's own ``truth``.
        offset: added to the logs' times (``-2.5s``, or ns). Without it logs are aligned by absolute time where both
            have it, refined within 1.5 s where the flow is in the recording; else by cross-correlation of throughput.
            Where only one of the two tells absolute time: from the first exchange to the start of the log.
        link: sender and receiver of the link to compare with, where the recording does not show the flow.

    Raises:
        UsageError: no logs given and none in the dataset, or a link or offset that makes no sense.
        UnusableInput: a log is none, no flow of any log was found, or no exchange carried data.
        DatasetError: no dataset there, or it cannot be written.
    """
    import polars as pl

    from winf_analyzer._evaluate.align import place
    from winf_analyzer._evaluate.flows import flows_of
    from winf_analyzer._evaluate.recorded import Recorded
    from winf_analyzer._evaluate.replayed import throughput
    from winf_analyzer._evaluate.schema import COMPARISON_SCHEMA
    from winf_analyzer._evaluate.window_join import pairs

    dataset = dataset if isinstance(dataset, Dataset) else Dataset.open(dataset)
    try:
        offset_ns = None if offset is None else parse_offset_ns(offset)
    except ValueError as error:
        raise UsageError(str(error)) from None
    logs = [Path(path) for path in named(iperf)]
    dataset.check_tables("comparison", "scores", inputs=logs)
    truth, problems = _truth(dataset, logs)
    recorded = Recorded.of(dataset)
    placed, missed = place(flows_of(truth), recorded, offset_ns=offset_ns, link=link)
    estimates, replays = _estimates(dataset), throughput(dataset)
    found = [
        (together, pairs(together, _of_link(estimates, together[0].link), recorded, replays))
        for together in (list(group) for _, group in groupby(sorted(placed, key=_log_and_link), key=_log_and_link))
    ]
    windows = pl.concat([pl.DataFrame(schema=COMPARISON_SCHEMA), *(rows for _, rows in found)])
    if windows.is_empty():
        raise UnusableInput(
            f"no window of the estimates lies whole in {', '.join(sorted({each.flow.log for each in placed}))}: "
            "estimate with a shorter --window, or give --offset if the clocks are apart."
        )
    scores = _scores(found)
    dataset.replace_table("comparison", windows)
    dataset.replace_table("scores", scores)
    return Comparison(scores, windows, [_note(each) for each in placed], problems + missed)


def _truth(dataset: Dataset, logs: list[Path]) -> tuple[pl.DataFrame, list[str]]:
    """Rows of the truth table, and sentences about damage."""
    import polars as pl

    from winf_analyzer._ingest.truth import read_log, read_truth, recognize

    if not logs:
        rows = dataset.scan("truth").collect() if dataset.parts("truth") else pl.DataFrame()
        if rows.is_empty():
            raise UsageError(f"{dataset.path} holds no ground truth; name logs with --iperf FILE.")
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
            raise UnusableInput(f"{path}: no measurement in it.")
    return pl.concat(parts), damage


def _estimates(dataset: Dataset) -> pl.LazyFrame:
    from winf_analyzer.estimators._write import write_estimates

    if dataset.parts("estimates"):
        estimates = dataset.scan("estimates")
        if not estimates.limit(1).collect().is_empty():
            return estimates
    return write_estimates(dataset)


def _of_link(estimates: pl.LazyFrame, link: tuple[str, str]) -> pl.DataFrame:
    """The rows about one link: all of them need not fit in memory."""
    return estimates.filter(sender=link[0], receiver=link[1]).collect(engine="streaming")


def _log_and_link(placed: Placed) -> tuple[str, tuple[str, str]]:
    return placed.flow.log, placed.link


def _scores(found: Sequence[tuple[list[Placed], pl.DataFrame]]) -> pl.DataFrame:
    import polars as pl

    from winf_analyzer._evaluate.schema import SCORES_SCHEMA, WHOSE_NAMES
    from winf_analyzer._evaluate.scoring import score

    tables = [pl.DataFrame(schema=SCORES_SCHEMA)]
    for together, rows in found:
        first = together[0]
        aligned = {
            "aligned_by": first.aligned_by,
            "offset_ns": first.offset_ns,
            "peak": first.peak and first.peak.height,
            "second_peak": first.peak and first.peak.second,
            "matched_by": first.matched_by,
            "payload_share": first.payload_share,
            "lost_share": first.lost_share,
        }
        scored = score(rows, WHOSE_NAMES).with_columns(pl.lit(value).alias(name) for name, value in aligned.items())
        tables.append(scored.select(pl.col(name).cast(dtype) for name, dtype in SCORES_SCHEMA.items()))
    return pl.concat(tables)


def _note(placed: Placed) -> str:
    """How a flow was found, as a sentence."""
    clocks = {
        "absolute": "clocks taken as they are",
        "refined": f"clocks by absolute time, refined by correlation: offset {placed.offset_ns / 1e9:+.3f} s",
        "offset": f"offset {placed.offset_ns / 1e9:+.3f} s as given",
        "correlation": f"clock by cross-correlation: offset {placed.offset_ns / 1e9:+.3f} s",
    }
    matches = {
        "addresses": "by its addresses",
        "hosts": "by its hosts; no ports alike",
        "link": "as asked",
        "only_link": "the only link with data",
        "correlation": "the link with the most similar throughput",
    }
    peak = "its traffic is not in the recording"
    if placed.peak is not None:
        peak = f"correlation {placed.peak.height:.3f}, second peak {placed.peak.second:.3f}"
    side = "what its sender offered" if placed.flow.side == "sender" and placed.flow.protocol == "udp" else ""
    if not side and placed.lost_share is not None:
        side = (
            f"{placed.lost_share:.1%} lost" if placed.lost_share > 0 else "nothing lost: it may not saturate the link"
        )
    parts = [
        f"{placed.flow.log}, {placed.flow.name or 'flow without addresses'}: "
        f"{placed.link[0]} > {placed.link[1]} ({matches[placed.matched_by]})",
        f"{clocks[placed.aligned_by]}; {peak}",
        side,
    ]
    return "; ".join(part for part in parts if part)
