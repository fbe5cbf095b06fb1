"""From a dataset to estimates and a report, with parts that hold anything: an answer, or one sentence."""

from __future__ import annotations

import json
import math
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pcaps
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from properties import examples

import winf_analyzer
from winf_analyzer import WinfError

RECORDED = ("frames", "exchanges", "nodes", "neighbours", "capabilities", "audit", "warnings")
COMPUTED = ("estimates", "recommended", "hidden_pairs")

INTEGERS = (0, -1, 1, 2**31 - 1, 2**31, -(2**31) - 1, 2**62, 2**63 - 1, -(2**63))
FLOATS = (0.0, -0.0, -1.0, 1e-308, 1e308, math.inf, -math.inf, math.nan)
TEXTS = ("", "node-", "node-4294967296", "aa:bb", "ff:ff:ff:ff:ff:ff", "\x1b[31m", "<script>", "'; --", "\0", "é" * 999)
TYPES = (pl.String, pl.Int8, pl.UInt64, pl.Float32, pl.Boolean, pl.List(pl.Int64), pl.Binary, pl.Date, pl.Null)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dataset with all its tables. Treat it as read-only."""
    folder = tmp_path_factory.mktemp("made")
    (folder / "a.pcap").write_bytes(pcaps.busy_link(40))
    dataset = winf_analyzer.ingest(folder / "a.pcap", folder / "run.winf")
    winf_analyzer.estimate(dataset)
    return folder / "run.winf"


def any_value(dtype: pl.DataType, draw: Callable[..., object]) -> pl.Expr:
    """A value that the column could hold, or null."""
    pool: tuple[object, ...] = (None,)
    if dtype.is_integer():
        pool = INTEGERS
    elif dtype.is_float():
        pool = FLOATS
    elif dtype in (pl.String, pl.Categorical):
        pool = TEXTS
    elif dtype == pl.Boolean:
        pool = (True, False)
    return pl.lit(draw(st.sampled_from((None, *pool)))).cast(dtype, strict=False)


def mutated(rows: pl.DataFrame, data: st.DataObject) -> pl.DataFrame:
    """The table after one change of its cells, columns or rows."""
    draw = data.draw
    column = draw(st.sampled_from(rows.columns))
    kind = draw(st.sampled_from(("cells", "column", "type", "drop", "swap", "shuffle", "repeat", "empty", "cells")))
    match kind:
        case "cells":
            some = pl.int_range(pl.len()) % draw(st.integers(1, 7)) == 0
            value = any_value(rows.schema[column], draw)
            return rows.with_columns(pl.when(some).then(value).otherwise(column).alias(column))
        case "column":
            return rows.with_columns(any_value(rows.schema[column], draw).alias(column))
        case "type":
            return rows.with_columns(pl.lit(None, draw(st.sampled_from(TYPES))).alias(column))
        case "drop":
            return rows.drop(column)
        case "swap":
            other = draw(st.sampled_from(rows.columns))
            return rows.with_columns(**{other: pl.col(column), column: pl.col(other)})
        case "shuffle":
            return rows.sample(fraction=1, shuffle=True, seed=draw(st.integers(0, 99)))
        case "repeat":
            return pl.concat([rows, rows])
        case _:
            return rows.clear()


def damaged(content: bytes, data: st.DataObject) -> bytes:
    """A file with octets changed, or cut."""
    octets = bytearray(content)
    numbers = random.Random(data.draw(st.integers(0, 2**32)))
    if data.draw(st.booleans()):
        for _ in range(data.draw(st.integers(1, 20))):
            octets[numbers.randrange(len(octets))] = numbers.randrange(256)
        return bytes(octets)
    return bytes(octets[: numbers.randrange(len(octets))])


def replace_part(run: Path, table: str, data: st.DataObject) -> None:
    """Change a table's first part, and let the manifest agree."""
    metadata = json.loads((run / "dataset.json").read_text(encoding="utf-8"))
    entry = metadata["tables"][table][0]
    part = run / entry["path"]
    if data.draw(st.integers(0, 3)) == 0:
        part.write_bytes(damaged(part.read_bytes(), data))
    else:
        rows = pl.read_parquet(part)
        for _ in range(data.draw(st.integers(1, 3))):
            rows = mutated(rows, data) if rows.columns else rows
        rows.write_parquet(part)
        entry["rows"] = rows.height
    entry["bytes"] = part.stat().st_size
    (run / "dataset.json").write_text(json.dumps(metadata), encoding="utf-8")


def answers(act: Callable[[], object]) -> None:
    """Run it; anything but an answer or one of winf's sentences fails the test."""
    said = None
    try:
        act()
    except WinfError as error:
        said = error
    assert said is None or (said.exit_code in (1, 2, 4) and 0 < len(str(said)) < 2000)


def fuzz(made: Path, run: Path, data: st.DataObject) -> None:
    """Change one or two tables of a copy, then estimate and report."""
    shutil.copytree(made, run)
    tables = data.draw(st.lists(st.sampled_from(RECORDED + COMPUTED), min_size=1, max_size=2, unique=True))
    for table in tables:
        replace_part(run, table, data)
    answers(lambda: winf_analyzer.report(run, run.parent / "before.html"))
    answers(lambda: winf_analyzer.estimate(run, again=True))
    answers(lambda: winf_analyzer.sql(run, "select count(*) from frames"))
    answers(lambda: winf_analyzer.report(run, run.parent / "after.html"))
    shutil.rmtree(run.parent)


@given(st.data())
@examples(5)
@pytest.mark.filterwarnings("ignore:.*cannot be read:UserWarning")
def test_any_part_may_hold_anything(made, tmp_path_factory, data):
    fuzz(made, tmp_path_factory.mktemp("fuzzed") / "run.winf", data)
