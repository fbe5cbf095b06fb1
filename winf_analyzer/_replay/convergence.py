"""Whether a prediction has settled within the replayed time."""

from __future__ import annotations

import polars as pl

from winf_analyzer._replay import sentences
from winf_analyzer._replay.controller_runs import MAX_MIN

MIN_CHANGE = 0.1
"""Least change from the third to the fourth quarter of a run, as a share of the larger, that counts."""

MIN_ERRORS = {2: 4.3, 3: 2.8, 4: 2.4, 5: 2.3, 6: 2.2, 7: 2.2, 8: 2.1}
"""Least number of standard errors of that change, by the number of parts of a quarter, whose scatter tells the error:
Student's t, of which 2.5 % are beyond. Runs of fewer parts tell nothing."""

RATES = ("throughput_bps", "pacing_bps")
"""What must have settled: at a few packets per second a rate that rises does not show in the throughput of bins."""

_KEYS = ["controller", "mode", "flow"]


def quarters(flows: pl.DataFrame, summary: pl.DataFrame) -> pl.DataFrame:
    """Rates of each flow of a run in the parts of its second half: ``controller mode flow parts part``, :data:`RATES`.

    A quarter of a flow has ``parts`` parts, none of which is shorter than a bin. The throughput is null of a flow that
    begins in the second half of the run, or ends before the last part of it: others come and go meanwhile and change
    it, so that its pacing rate alone tells. That tells nothing without packets: ``delivered`` is whether some arrived
    in the part.

    Args:
        flows: rows of ``replay_flows`` of one run.
        summary: rows of ``replay_summary`` of the same run.
    """
    width = pl.col("width_ns").max()
    begin = (pl.col("start_ns") // width) * width
    half = ((pl.col("end_ns") / width).ceil() * width - begin) / 2
    parts = (half / 2 / width).floor().cast(pl.Int64).clip(upper_bound=max(MIN_ERRORS))
    lasts = (pl.col("start_ns") <= pl.col("duration_ns") / 2) & (
        pl.col("end_ns") >= pl.col("duration_ns") - pl.col("part_ns")
    )
    return (
        flows.join(summary.select(*_KEYS, "start_ns", "end_ns", "duration_ns"), on=_KEYS, maintain_order="left")
        .with_columns(begin=begin, half=half, parts=parts)
        .filter(pl.col("parts") >= min(MIN_ERRORS))
        .with_columns(part_ns=pl.col("half") / (2 * pl.col("parts")))
        .with_columns(part=((pl.col("t_ns") - pl.col("begin") - pl.col("half")) / pl.col("part_ns")).floor())
        .with_columns(pl.col("part").cast(pl.Int64))
        .filter(pl.col("part").is_between(0, 2 * pl.col("parts") - 1))
        .with_columns(delivered=pl.col("throughput_bps") > 0, throughput_bps=pl.when(lasts).then("throughput_bps"))
        .group_by(*_KEYS, "parts", "part", maintain_order=True)
        .agg(pl.col(RATES).mean(), pl.col("delivered").any())
    )


def unconverged(parts: pl.DataFrame) -> pl.DataFrame:
    """The flows that still change: ``controller mode flow rate third_bps fourth_bps``, a row for each.

    ``rate``: the first of :data:`RATES` that does.

    Args:
        parts: rows of :func:`quarters` of all runs; runs of several seeds are averaged.
    """
    found = pl.concat([_changing(parts.drop_nulls(name), name) for name in RATES])
    return found.unique(_KEYS, keep="first", maintain_order=True)


def with_converged(summary: pl.DataFrame, parts: pl.DataFrame) -> pl.DataFrame:
    """``replay_summary`` of one run with its column ``converged``.

    A source to which nothing comes back has no reason to change: of one that delivered nothing in the third or in the
    fourth quarter it is not known.

    Args:
        summary: its rows.
        parts: of :func:`quarters` of the run.
    """
    quarter = pl.col("part") // pl.col("parts")
    heard = pl.col("delivered") & pl.any_horizontal(pl.col(RATES).is_not_null())
    known = (
        parts.filter(heard)
        .group_by(_KEYS, maintain_order=True)
        .agg(quarters=quarter.n_unique())
        .filter(pl.col("quarters") == 2)
        .drop("quarters")
    )
    changing = unconverged(parts).select(*_KEYS, converged=pl.lit(value=False))
    known = pl.concat([known, changing.select(_KEYS)]).unique(maintain_order=True)
    found = known.join(changing, on=_KEYS, how="left", maintain_order="left")
    found = found.with_columns(pl.col("converged").fill_null(value=True))
    return summary.drop("converged").join(found, on=_KEYS, how="left", maintain_order="left").select(summary.columns)


def _changing(parts: pl.DataFrame, name: str) -> pl.DataFrame:
    number = pl.col("parts").first()
    late = pl.col("part") >= number
    rate = pl.col(name)
    means = parts.group_by(*_KEYS, "parts", "part", maintain_order=True).agg(rate.mean())
    halves = (
        means.sort("part", maintain_order=True)
        .group_by(_KEYS, maintain_order=True)
        .agg(
            third_bps=rate.filter(~late).mean(),
            fourth_bps=rate.filter(late).mean(),
            error_bps=((rate.filter(~late).var() + rate.filter(late).var()) / number).sqrt(),
            parts=number,
            known=pl.len(),
        )
    )
    change = (pl.col("fourth_bps") - pl.col("third_bps")).abs()
    return halves.filter(
        pl.col("known") == 2 * pl.col("parts"),
        change > MIN_CHANGE * pl.max_horizontal("third_bps", "fourth_bps"),
        change > pl.col("parts").replace_strict(MIN_ERRORS, return_dtype=pl.Float64) * pl.col("error_bps"),
    ).select(*_KEYS, "third_bps", "fourth_bps", rate=pl.lit(name))


def undecided(summary: pl.DataFrame) -> list[str]:
    """The controllers of whose flows it is not known of any whether it has converged, in the order of the summary.

    Args:
        summary: rows of ``replay_summary`` with ``converged``; those of the reference allocation do not count.
    """
    ran = summary.filter(pl.col("controller") != MAX_MIN)
    known = ran.group_by("controller", maintain_order=True).agg(known=pl.col("converged").is_not_null().any())
    return known.filter(~pl.col("known"))["controller"].to_list()


def notes(found: pl.DataFrame, summary: pl.DataFrame, duration_ns: int) -> list[str]:
    """A sentence per controller and mode with flows that have not converged; two where some change in pace alone.

    One more names the controllers of which nothing is known.
    """
    sentence = undecided_sentence(summary)
    return [*_of_changing(found, duration_ns), *([sentence] if sentence else [])]


def undecided_sentence(summary: pl.DataFrame) -> str:
    """What is said of the controllers that :func:`undecided` names; empty: there are none."""
    names = ", ".join(undecided(summary))
    why = "they are short, begin or end while others run, or next to nothing came back"
    return f"whether the flows of {names} have converged is not known: {why}" if names else ""


def _of_changing(found: pl.DataFrame, duration_ns: int) -> list[str]:
    return [
        f"{controller} ({mode}) has not converged in {duration_ns / 1e9:g} s: from the third to the fourth quarter of "
        f"the flows {what}{flows}; --duration runs those longer that last to the end"
        for name, what in zip(RATES, ("", "the pacing rates of "), strict=True)
        for controller, mode, _, flows in sentences.by_run(found.filter(rate=name), "third_bps", "fourth_bps")
    ]
