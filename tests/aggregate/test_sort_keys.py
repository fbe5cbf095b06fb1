"""Sorting by ranks, against sorting by the columns."""

import random

import polars as pl
import pytest

from winf_analyzer._aggregate import sort_keys

BY = ("source", "at_ns", "subject", "sender", "receiver")


def table(height, *, span=2**40, names=9):
    chance = random.Random(5)
    stations = [None, *(f"02:00:00:00:00:{number:02x}" for number in range(names))]
    chance.shuffle(stations)
    return pl.DataFrame(
        {
            "source": ["one"] * height,
            "at_ns": [chance.choice([None, chance.randint(-span, span)]) for _ in range(height)],
            "subject": [chance.choice([True, False]) for _ in range(height)],
            "sender": [chance.choice(stations) for _ in range(height)],
            "receiver": [chance.choice(stations) for _ in range(height)],
            "row": list(range(height)),
        },
        schema_overrides={"at_ns": pl.Int64, "source": pl.String, "sender": pl.String, "receiver": pl.String},
    ).unique(BY, maintain_order=True)


@pytest.mark.parametrize("text", [pl.String, pl.Categorical])
@pytest.mark.parametrize("span", [3, 2**40, 2**62])
@pytest.mark.parametrize("height", [0, 1, 500])
def test_ranks_sort_as_the_columns_do(text, span, height):
    rows = table(height, span=span)
    expected = rows.sort(BY)["row"].to_list()
    assert sort_keys.sort(rows.with_columns(pl.col(pl.String).cast(text)), BY)["row"].to_list() == expected


def test_rows_of_several_chunks_and_columns_that_are_not_there():
    rows = pl.concat([table(50), table(50).with_columns(sender=pl.lit("x"))], rechunk=False)
    found = sort_keys.sort(rows, ("node", *BY, "path"))
    assert found.select(BY).equals(rows.sort(BY).select(BY))


def test_rows_that_do_not_differ_stay_as_they_are():
    rows = pl.DataFrame({"source": ["one", "one"], "path": [None, None], "row": [1, 0]})
    assert sort_keys.sort(rows, ("source", "path"))["row"].to_list() == [1, 0]
