"""One integer per row in place of many columns, most of them texts with few distinct values: to sort or to group by."""

from collections.abc import Iterable, Mapping, Sequence

import polars as pl

from winf_analyzer import _core
from winf_analyzer._aggregate.exchange_columns import ordered_sum

LARGEST = 2**63 - 1
"""What an integer key can hold."""

FEW = 10_000
"""Rows that are sorted, and grouped, by the columns themselves, sooner than keys are made for them."""


def sort(rows: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
    """`rows` sorted by columns of texts, categories, whole numbers and Booleans, unknown ones first.

    Each value is replaced by its rank, and the ranks by one number: that sorts several times as fast as the texts.
    """
    # Taking rows out of several chunks of memory looks up the chunk of every value.
    rows, schema = rows.rechunk(), rows.schema
    by = [name for name in by if name in schema]
    if rows.height <= FEW:
        return rows.sort(by) if by else rows
    numbers = [name for name in by if schema[name].is_integer() or schema[name] == pl.Boolean]
    texts = rows.select(
        pl.col(name).drop_nulls().cast(pl.Categorical).unique().sort().implode() for name in by if name not in numbers
    )
    key, keys = pl.lit(0, pl.Int64), 1
    for name in by:
        rank, ranks = _of_number(rows[name]) if name in numbers else _of_text(name, texts[name][0])
        if rows[name].null_count():
            rank, ranks = (rank + 1).fill_null(0), ranks + 1
        if ranks > 1:
            key, keys = key * ranks + rank, keys * ranks
    if keys > LARGEST:
        return rows.sort(by)
    return rows if keys == 1 else rows[rows.select(key).to_series().arg_sort()]


def group_ids(rows: pl.DataFrame, names: Iterable[str]) -> pl.Series:
    """Numbers the combinations of values of the named columns from 0, in the order in which they first appear.

    Null is a value like others; the series `number` has a UInt32 per row.
    """
    keys = rows.select(names)
    others = [_numbered(name, dtype) for name, dtype in keys.schema.items() if dtype not in _NUMBERED]
    return pl.DataFrame(_core.GroupIds().number(keys.with_columns(others) if others else keys)).to_series()


_NUMBERED = (pl.String, pl.Int64, pl.UInt32, pl.Float64, pl.Boolean)
"""Types that the native pass takes."""


def _numbered(name: str, dtype: pl.DataType) -> pl.Expr:
    """A column of another type as one of :data:`_NUMBERED`, if it holds categories or numbers."""
    if isinstance(dtype, pl.Categorical | pl.Enum):
        return pl.col(name).to_physical().cast(pl.UInt32)
    if dtype.is_integer() or dtype.is_float():
        return pl.col(name).cast(pl.Float64 if dtype.is_float() else pl.Int64)
    return pl.col(name).cast(pl.Boolean) if dtype == pl.Null else pl.col(name)


def grouped(rows: pl.DataFrame, by: Sequence[str], sums: Mapping[str, pl.Expr], **others: pl.Expr) -> pl.DataFrame:
    """Per combination of values of the columns `by`, in the order in which they first appear, sums and aggregations.

    `sums`: floats that are added from the least to the greatest. Of many rows that is a native pass; the bits are those
    of :func:`.exchange_columns.ordered_sum` in a `group_by`, which sorts within each group.
    """
    if rows.height <= FEW:
        ordered = {name: ordered_sum(value) for name, value in sums.items()}
        return rows.group_by(by, maintain_order=True).agg(**others, **ordered)
    number = group_ids(rows, by).alias("group")
    added = pl.DataFrame(_core.ordered_sums(rows.select(number, **sums)))
    of_group = rows.with_columns(number).group_by("group", maintain_order=True)
    return of_group.agg(pl.col(by).first(), **others).drop("group").with_columns(added.get_columns())


def _of_text(name: str, known: pl.Series) -> tuple[pl.Expr, int]:
    """The rank of each text, from 0, and how many ranks there are."""
    numbers = known.to_physical().to_list()
    table = [0] * (max(numbers, default=0) + 1)
    for rank, number in enumerate(numbers):
        table[number] = rank
    of_number = pl.lit(pl.Series(table, dtype=pl.Int64))
    return of_number.gather(pl.col(name).cast(pl.Categorical).to_physical()), known.len()


def _of_number(values: pl.Series) -> tuple[pl.Expr, int]:
    """How much each number is above the least, and how many such differences there may be."""
    number = pl.col(values.name).cast(pl.Int64)
    least, most = pl.DataFrame([values]).select(least=number.min(), most=number.max()).row(0)
    return number - least, 0 if least is None else most - least + 1
