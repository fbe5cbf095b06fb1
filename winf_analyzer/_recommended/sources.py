"""What is known of a recording as a whole: its clock, how much of it was heard, whether its nodes' hearing is known."""

import polars as pl

from winf_analyzer._dataset.dataset import Dataset

DOUBTS = ("clock_ambiguous", "coarse_stamps", "clock_jump", "host_clock_jump")
"""Warnings about when frames were on the air."""

WEIGHED = "sifs"
"""The check whose outcome the estimator weighs by itself: it widens its interval by the share of such answers."""

LENGTH_CHECKS = ("recorded_once", "clock_speed")
"""Checks without which not even the length of a recording is known."""

TIMING_CHECKS = ("sifs", "ampdu_span", "overlap", "tx_source", *LENGTH_CHECKS)
"""Checks of the audit that concern the clock."""

COMPLETENESS = "completeness"
"""The check of how many of the frames on the air were heard."""

UNUSABLE = "timing unusable"
"""How the consequence of a check begins if the times are not to be used."""

HEARING_UNKNOWN = ("hearing_unknown", "nodes_uncertain")
"""Codes of warnings by which it is not known who hears whom, in a simulator's trace; the second: nor who sent what."""

MIN_CASES = 20
"""Cases below which a check is doubtful because there are too few, which says nothing about the clock."""


def source_facts(dataset: Dataset, traces: pl.Series) -> pl.DataFrame:
    """`source`, `clock` (good, doubtful, unusable, wrong), `clock_weighed`, `hearing_unknown`, `air_unheard`.

    Of sources of which warnings or audit say something. `wrong`: not even the length of the recording is known.
    `clock_weighed`: the only doubts are those that the estimator
    weighs itself. `air_unheard`: most frames on the air were not heard.

    `traces`: the sources that a simulator wrote. The audit judges a recorder, which these have not: their times are
    exact, and frames of theirs that overlap have collided.
    """
    warnings = _warnings(dataset)
    doubts = warnings.select(
        "source",
        doubtful=pl.col("code").is_in(DOUBTS),
        unusable=pl.lit(value=False),
        wrong=pl.lit(value=False),
        elsewhere=pl.col("code").is_in(DOUBTS),
        hearing_unknown=pl.col("code").is_in(HEARING_UNKNOWN),
        air_unheard=pl.lit(value=False),
    )
    audit = _audit(dataset).filter(~pl.col("source").is_in(traces.implode()))
    facts = pl.concat([doubts, audit]).group_by("source").agg(pl.all().any())
    clock = pl.when("wrong").then(pl.lit("wrong")).when("unusable").then(pl.lit("unusable"))
    clock = clock.when("doubtful").then(pl.lit("doubtful"))
    return facts.select(
        "source",
        "hearing_unknown",
        "air_unheard",
        clock=clock.otherwise(pl.lit("good")),
        clock_weighed=~pl.col("elsewhere"),
    )


def trace_has_no_mac_lines(dataset: Dataset) -> bool:
    """A recording of the dataset is a simulator's trace without lines of the MAC."""
    return "mac_trace_off" in _warnings(dataset)["code"]


def _warnings(dataset: Dataset) -> pl.DataFrame:
    if not dataset.parts("warnings"):
        return pl.DataFrame(schema={"source": pl.String, "code": pl.String})
    return dataset.scan("warnings").select("source", "code").collect()


def _audit(dataset: Dataset) -> pl.DataFrame:
    """The verdicts of the table `audit`, if the dataset has one."""
    flags = ("doubtful", "unusable", "wrong", "elsewhere", "hearing_unknown", "air_unheard")
    schema = {"source": pl.String, **dict.fromkeys(flags, pl.Boolean)}
    if not dataset.parts("audit"):
        return pl.DataFrame(schema=schema)
    bad = pl.col("verdict").is_in(["doubtful", "unusable"]) & (pl.col("pairs") >= MIN_CASES)
    by_sifs = (pl.col("check") == "sifs") & (pl.col("verdict") == "unusable")
    unusable = by_sifs | pl.col("consequence").str.starts_with(UNUSABLE)
    of_air = pl.col("check") == COMPLETENESS
    checks = dataset.scan("audit").filter(pl.col("check").is_in(TIMING_CHECKS) | of_air)
    flags_of = {
        "doubtful": bad & ~of_air,
        "unusable": unusable & ~of_air,
        "wrong": bad & pl.col("check").is_in(LENGTH_CHECKS) & (pl.col("verdict") == "unusable"),
        "elsewhere": bad & ~of_air & (pl.col("check") != WEIGHED),
        "hearing_unknown": pl.lit(value=False),
        "air_unheard": bad & of_air & (pl.col("verdict") == "unusable"),
    }
    found = {name: flag.fill_null(value=False) for name, flag in flags_of.items()}
    return checks.select("source", **found).collect()
