"""The one answer to use per link: a value with its 90 % interval, a grade, and the reasons for it.

The answer is that of `saturation`, corrected: the only estimator that says what a flow would get among contending
stations, and how sure it is. What is done to it:

* :mod:`.evidence` and :mod:`.missed` show what it rests on: samples, rates, failures, frames that were not heard.
* :mod:`.judgement` refuses a value where it would rest on too little or contradict what was recorded, widens the
  interval by what is not known, and gives its bounds alone where one value in it is as good as another.
  :mod:`.reasons` lists why.
* :mod:`.tcp` says what one bulk TCP flow would deliver of it, :mod:`.shared_queue` what others make room for.

Of a trace that has every node's transmissions there is one row per link, from its sender's view, without an observer.
"""

from collections.abc import Callable

import polars as pl

from winf_analyzer._aggregate.settings import Mode
from winf_analyzer._dataset.dataset import Dataset
from winf_analyzer._dataset.sequence_numbers import heard_in
from winf_analyzer._recommended import changing, channels, evidence, judgement
from winf_analyzer._recommended.missed import missed_shares
from winf_analyzer._recommended.paused import with_pauses
from winf_analyzer._recommended.repeated import failing
from winf_analyzer._recommended.reverse import with_reverse
from winf_analyzer._recommended.shared_queue import with_yielding
from winf_analyzer._recommended.sources import source_facts
from winf_analyzer._recommended.tcp import goodput
from winf_analyzer._recommended.widths import with_widths
from winf_analyzer._schema import schema

ESTIMATOR = "saturation"
"""The estimator whose answer is taken."""

MODE: Mode = "corrected"
"""Its mode."""

CHANGE_NS = changing.WINDOW_NS
"""Windows by which it is judged whether the load changed."""

MAX_RATE = "rate_max_mbps"
"""The highest rate that a link was seen to use."""

_KEYS = [*evidence.LINK, "window_start_ns"]
_RATES = ("capacity_bps", "available_bps", "available_low_bps", "available_high_bps")


def recommended(
    dataset: Dataset,
    windows: pl.LazyFrame,
    whole: pl.LazyFrame,
    window_ns: int,
    seconds: Callable[[], pl.DataFrame] | None = None,
) -> pl.DataFrame:
    """The `recommended` table.

    Args:
        dataset: with its `exchanges`, `frames` and `warnings`; its `audit` is taken into account where it has one.
        windows: rows of `estimates` of :data:`ESTIMATOR` and :data:`MODE`, in tumbling windows of `window_ns`.
        whole: the same of one window that holds the recording.
        window_ns: length of the windows.
        seconds: gives the rows of windows of :data:`.changing.WINDOW_NS`, by which it is judged whether the load
            changed; asked for only if `windows` are of another length, and there may be enough.
    """
    sums, media = evidence.collected(dataset.parts("exchanges"), window_ns)
    heard = channels.found(dataset.scan("exchanges"), media)
    sums = channels.at_home(sums, heard)
    links = evidence.whole(sums)
    numbers = heard_in(dataset)
    missed = missed_shares(numbers, links)
    facts = source_facts(dataset, links.filter(pl.col("sender").str.starts_with("node-"))["source"].unique())
    chosen = _views(links)
    spans = media.group_by("source").agg(pl.col("first_ns").min(), pl.col("last_ns").max())
    media = media.rename({"channel_mhz": "medium_mhz"})
    of_medium = ["source", "observer", "medium_mhz"]
    busy = media.group_by(of_medium).agg(pl.col("busy_ns").sum())
    start, end = pl.col("window_start_ns"), pl.col("window_start_ns") + window_ns
    per_window = (
        _with_usual(sums.filter(start.is_not_null()), links)
        .with_columns(medium_mhz=channels.medium_mhz(heard))
        .join(
            media.select(*of_medium, start, "busy_ns"), on=[*of_medium, "window_start_ns"], how="left", nulls_equal=True
        )
        .join(spans, on="source", how="left")
        .with_columns(
            since_ns=pl.max_horizontal(start, "first_ns"),
            until_ns=pl.min_horizontal(end, "last_ns"),
            window_ns=pl.lit(window_ns, pl.Int64),
            whole=pl.lit(value=False),
        )
    )
    per_recording = (
        links.with_columns(rests_on="samples", own_bits="bits")
        .with_columns(medium_mhz=channels.medium_mhz(heard))
        .join(busy, on=of_medium, how="left", nulls_equal=True)
        .join(spans, on="source", how="left")
        .with_columns(window_start_ns="first_ns", since_ns="first_ns", until_ns="last_ns")
        .with_columns(window_ns=pl.col("last_ns") - pl.col("first_ns"), whole=pl.lit(value=True))
    )
    answers = _answers(windows, _KEYS), _answers(whole, list(evidence.LINK))
    tables = [
        with_reverse(with_yielding(channels.with_listened(rows, heard), links), links)
        .join(chosen, on=list(evidence.LINK), how="semi", nulls_equal=True)
        .join(found, on=[name for name in _KEYS if name in found.columns], how="left", nulls_equal=True)
        .join(missed, on=list(evidence.LINK), how="left", nulls_equal=True)
        .join(failing(links), on=list(evidence.LINK), how="left", nulls_equal=True)
        .join(facts, on="source", how="left")
        for rows, found in zip((per_window, per_recording), answers, strict=True)
    ]
    of_windows, of_recording = tables
    longest_ns = of_recording.select(pl.col("covered_ns").max()).item() or 0
    judged = windows
    if window_ns != CHANGE_NS:
        # The first and the last one may be covered in part.
        enough = longest_ns > (changing.MIN_WINDOWS - 2) * CHANGE_NS
        judged = seconds().lazy() if seconds is not None and enough else windows.limit(0)
    tables = [of_windows, changing.with_changes(of_recording, _seconds(judged, spans))]
    rows = with_widths(pl.concat(tables, how="diagonal_relaxed"), dataset.scan("frames"))
    return _finished(with_pauses(rows, numbers))


def _seconds(estimates: pl.LazyFrame, spans: pl.DataFrame) -> pl.DataFrame:
    """The answers of windows of :data:`CHANGE_NS` in which the link delivered something, with `covered_ns`."""
    start, end = pl.col("window_start_ns"), pl.col("window_start_ns") + CHANGE_NS
    covered = pl.min_horizontal(end, "last_ns") - pl.max_horizontal(start, "first_ns")
    return (
        _answers(estimates.filter(pl.col("exchanges") > 0), _KEYS)
        .join(spans, on="source", how="left")
        .with_columns(covered_ns=covered)
    )


def _with_usual(sums: pl.DataFrame, links: pl.DataFrame) -> pl.DataFrame:
    """The sums of windows with `own_bits`, what the link delivered, and `rests_on`, samples that the answer rests on.

    In a window with few samples an exchange is what it is over the whole recording, of which as many samples count as
    are missing. So is the highest rate in every window.

    Args:
        sums: per link and window.
        links: :func:`.evidence.whole` of them.
    """
    usual = links.select(*evidence.LINK, *evidence.SHAPE, "samples")
    both = sums.with_columns(own_bits="bits").join(
        usual, on=list(evidence.LINK), how="left", nulls_equal=True, suffix="_usual", maintain_order="left"
    )
    few = pl.col("samples") < judgement.FEW_SAMPLES
    shape = [
        pl.when(few).then(f"{name}_usual").otherwise(name).alias(name) for name in evidence.SHAPE if name != MAX_RATE
    ]
    enough = pl.max_horizontal("samples", pl.lit(judgement.FEW_SAMPLES))
    both = both.with_columns(
        *shape,
        pl.col(f"{MAX_RATE}_usual").alias(MAX_RATE),
        rests_on=pl.min_horizontal("samples_usual", enough),
        samples=pl.when(few).then("samples_usual").otherwise("samples"),
    )
    return both.select(*sums.columns, "own_bits", "rests_on")


def _answers(estimates: pl.LazyFrame, keys: list[str]) -> pl.DataFrame:
    """One row per link and window of an observer, whose ends and onlookers say the same; of the sender first."""
    known = estimates.filter(pl.col("sender").is_not_null(), pl.col("receiver").is_not_null(), pl.col("path").is_null())
    told = pl.col("reason") if "reason" in known.collect_schema() else pl.lit(None, pl.String).alias("reason")
    rows = known.select(*keys, "state", "exchanges", *_RATES, told).collect()
    order = pl.col("state").replace_strict(["sender", "receiver", "onlooker"], [0, 1, 2], default=3)
    best = rows.sort(order, -pl.col("exchanges").fill_null(0), maintain_order=True).unique(
        keys, keep="first", maintain_order=True
    )
    codes = pl.col("reason").fill_null("").str.replace_all(" ", "").str.split(",")
    return best.with_columns(told=codes).drop("state", "exchanges", "reason")


def _views(links: pl.DataFrame) -> pl.DataFrame:
    """The views that stand for the links: of a simulator's trace one per link, the sender's if there is one."""
    observer = pl.col("observer")
    simulated = observer.str.starts_with("node-").fill_null(value=False)
    rank = pl.when(observer == pl.col("sender")).then(0).when(observer == pl.col("receiver")).then(1).otherwise(2)
    of_traces = (
        links.filter(simulated)
        .sort(rank, -pl.col("samples").cast(pl.Int64), "observer")
        .unique(["source", "sender", "receiver"], keep="first", maintain_order=True)
    )
    return pl.concat([links.filter(~simulated), of_traces]).select(evidence.LINK)


def _finished(rows: pl.DataFrame) -> pl.DataFrame:
    covered = pl.when(pl.col("covered_ns") > 0).then("covered_ns")
    rows = rows.with_columns(
        # Where the length of the recording is not known, no throughput is.
        own_bps=pl.when(pl.col("clock").ne_missing("wrong")).then(pl.col("own_bits").fill_null(0) * 1e9 / covered),
        idle_share=(1 - pl.col("busy_ns") / covered).clip(0, 1),
        clock=pl.col("clock").fill_null("good"),
        clock_weighed=pl.col("clock_weighed").fill_null(value=False),
        hearing_unknown=pl.col("hearing_unknown").fill_null(value=False),
        air_unheard=pl.col("air_unheard").fill_null(value=False),
        load_changes=pl.col("load_changes").fill_null(value=False),
        **{name: pl.when(pl.col(name).is_finite()).then(pl.col(name)) for name in _RATES},
    )
    rows = judgement.withheld(goodput(judgement.bounded(judgement.reasons(rows))))
    rows = judgement.graded(rows)
    simulated = pl.col("observer").str.starts_with("node-")
    rows = rows.with_columns(
        estimator=pl.when(pl.col("available_high_bps").is_not_null()).then(pl.lit(ESTIMATOR)),
        samples="rests_on",
        observer=pl.when(simulated.not_().fill_null(value=True)).then("observer"),
    )
    table = schema("recommended")
    order = ("source", "observer", "sender", "receiver", "whole", "window_start_ns")
    descending = [name == "whole" for name in order]
    return rows.select(pl.col(name).cast(dtype) for name, dtype in table.items()).sort(order, descending=descending)
