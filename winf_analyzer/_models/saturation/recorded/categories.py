"""Links that carry several access categories, as that of a client with a call and a download.

Each category has a queue of its own (10.23.2.1), with packets of its own length, and a saturating flow fills one of
them. So the exchanges of each are summed apart, as if those of all categories but one went to receivers of their own,
whose names are the receiver's and the category's. The one that keeps the name of the link is the one that carries most:
what is said of the link is what a flow of that category would add. Of the others no estimate is made; they contend, as
stations of their own (:mod:`.queues`).

What says nothing of a category, such as answers whose data was not heard, and a category of which there is hardly
anything, counts to that one.
"""

import polars as pl

from winf_analyzer._aggregate.aggregate import PER_LINK
from winf_analyzer._aggregate.chunks import GROUP

ORDER = ("be", "bk", "vi", "vo")
"""The categories, by the number of their queue (:func:`.queues.of_links`)."""

MIN_CARRIED, MIN_SHARE = 20.0, 0.02
"""Fewest exchanges of a category that are apart, and the least share of the link's."""

_MARK = "/"
"""Between receiver and category: no address holds it."""

_LINK = ("medium", "sender", "receiver")


def group() -> pl.Expr:
    """The :data:`.GROUP` of an exchange and its category, as one number."""
    number = pl.lit(0)
    for at, category in enumerate(ORDER[1:], 1):
        number = pl.when(pl.col("access_category") == category).then(at).otherwise(number)
    number = pl.when(pl.col("receiver").is_null()).then(0).otherwise(number).fill_null(0)
    return (pl.col(GROUP) * len(ORDER) + number).cast(pl.UInt32).alias(GROUP)


def named(links: pl.DataFrame, groups: pl.Series) -> pl.DataFrame:
    """The window and link of each of the numbers of :func:`group`, its receiver named after the category as well.

    Args:
        links: window and link by :data:`.GROUP`.
        groups: numbers.
    """
    rows = links[groups // len(ORDER)]
    numbers = groups % len(ORDER)
    if not (numbers > 0).any():
        return rows
    category = numbers.replace_strict(range(len(ORDER)), ORDER, return_dtype=pl.String)
    name = pl.concat_str(pl.col("receiver").cast(pl.String), pl.lit(_MARK), category)
    name = pl.when(pl.lit(numbers) > 0).then(name).otherwise(pl.col("receiver").cast(pl.String))
    return rows.with_columns(receiver=name.cast(links.schema["receiver"]))


def settled(sums: pl.DataFrame) -> pl.DataFrame:
    """The sums with a receiver of its own for each category of a link that carries several, but that with most octets.

    Args:
        sums: of :data:`.exchange_sums.LINK_LOADS`.
    """
    parts = sums["receiver"].unique().cast(pl.String)
    if not parts.str.contains(_MARK, literal=True).any():
        return sums
    name = pl.col("receiver").cast(pl.String).str.split_exact(_MARK, 1)
    told = sums.select(*_LINK, "carried", "bits").group_by(_LINK).agg(pl.col("carried", "bits").sum())
    told = told.with_columns(
        base=name.struct.field("field_0"),
        category=name.struct.field("field_1").fill_null(ORDER[0]),
    )
    link = ("medium", "sender", "base")
    number = pl.col("category").replace_strict(ORDER, range(len(ORDER)), return_dtype=pl.Int64)
    told = told.sort(*link, "bits", "carried", number, descending=[False] * 3 + [True, True, False])
    share = pl.col("carried") / pl.col("carried").sum().over(link)
    apart = (pl.int_range(pl.len()).over(link) > 0) & (pl.col("carried") >= MIN_CARRIED) & (share >= MIN_SHARE)
    own = pl.concat_str("base", pl.lit(_MARK), "category")
    told = told.select(*_LINK, to=pl.when(apart).then(own).otherwise("base").cast(sums.schema["receiver"]))
    rows = sums.join(told, on=_LINK, how="left", nulls_equal=True, maintain_order="left")
    rows = rows.with_columns(receiver="to").drop("to")
    names = [name for name in sums.columns if name not in PER_LINK]
    return rows.group_by(PER_LINK, maintain_order=True).agg(pl.col(names).sum()).select(sums.columns)


def is_apart() -> pl.Expr:
    """Whether the receiver is a category of a link, of which no estimate is made."""
    return pl.col("receiver").cast(pl.String).str.contains(_MARK, literal=True).fill_null(value=False)


def number() -> pl.Expr:
    """The place in :data:`ORDER` of the category that the receiver is; null of others."""
    category = pl.col("receiver").cast(pl.String).str.split_exact(_MARK, 1).struct.field("field_1")
    return category.replace_strict(ORDER, range(len(ORDER)), default=None, return_dtype=pl.Int64)
