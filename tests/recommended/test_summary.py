"""Why there is no answer, in a sentence."""

from __future__ import annotations

import shutil

import polars as pl

from winf_analyzer._dataset.dataset import Dataset
from winf_analyzer._recommended.summary import why_no_answer


def test_links_are_counted_not_the_views_of_them(demo_dataset, tmp_path):
    """A link has a row for each recorder that saw it."""
    dataset = Dataset.open(shutil.copytree(demo_dataset.path, tmp_path / "run.winf"))
    rows = dataset.scan("recommended").filter("whole").collect()
    values = [name for name in rows.columns if name.endswith("_bps")]
    first = rows.head(1).with_columns(pl.lit(None, pl.Float64).alias(name) for name in values)
    views = [
        first.with_columns(receiver=pl.lit(to), observer=pl.lit(by), reasons=pl.lit(why), grade=pl.lit("unknown"))
        for to, why in (("a", "no_sample"), ("b", "no_sample"), ("c", "one_sample"))
        for by in ("x", "y")
    ]
    dataset.replace_table("recommended", pl.concat(views))
    assert why_no_answer(dataset) == ("No data frame of the link was seen to be answered. So it is for 2 of 3 links.")
