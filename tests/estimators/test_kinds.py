"""Kinds of exchanges: numbered alike from block to block, and worked out as if each row were alone."""

import polars as pl
import pytest
from exchange_builder import A, B, C, D, exchange, table
from hypothesis import given
from hypothesis import strategies as st
from properties import examples

from winf_analyzer.estimators import EXCHANGES_SCHEMA, kinds
from winf_analyzer.estimators.alike import alike
from winf_analyzer.estimators.kinds import ALIKE, Kinds
from winf_analyzer.estimators.mac import PARAMETERS, what_is_known
from winf_analyzer.estimators.settings import Settings

ROWS = st.lists(
    st.builds(
        exchange,
        st.integers(0, 60_000),
        kind=st.sampled_from(["rts", "basic", "broadcast", "rts_failed"]),
        sender=st.sampled_from([A, B, None]),
        receiver=st.sampled_from([C, D, "ff:ff:ff:ff:ff:ff"]),
        observer=st.sampled_from([None, A]),
        data_kind=st.sampled_from(["data", "qos_data", "null", None]),
    ),
    max_size=30,
)


def read(rows):
    return table(rows).select(pl.col(name).cast(kind) for name, kind in EXCHANGES_SCHEMA.items()).collect()


@examples(25)
@given(ROWS, st.integers(1, 7))
def test_a_row_has_its_kind_whatever_came_before(rows, block):
    whole, so_far = read(rows), Kinds(Settings(), what_is_known(None))
    for start in range(0, whole.height, block):
        some = whole.slice(start, block)
        told, number = so_far.of(some)
        alone = [Kinds(Settings(), what_is_known(None)).of(some[[row]])[0] for row in range(some.height)]
        found = told[number].drop("station")
        assert found.equals(pl.concat([kind.drop("station") for kind in alone]))
        assert {"unicast", "carries", "sees_it", *PARAMETERS} <= set(found.columns)
        so_far.of(whole.clear())


def test_more_kinds_than_fit_are_forgotten(monkeypatch):
    monkeypatch.setattr(kinds, "MOST", 2)
    so_far = Kinds(Settings(), what_is_known(None))
    for block in range(5):
        rows = read([exchange(at, sender=f"02:00:00:00:0{block}:0{at}") for at in range(3)])
        told, number = so_far.of(rows)
        assert told.height == 3
        assert told[number]["sender"].to_list() == rows["sender"].to_list()


@given(st.lists(st.tuples(st.sampled_from(["a", "a longer text than a view", None]), st.integers(0, 2) | st.none())))
def test_rows_are_alike_where_all_their_values_are(rows):
    frame = pl.DataFrame(rows, schema={"text": pl.String, "number": pl.Int64}, orient="row")
    numbers = alike(frame, ("text", "number")).to_list()
    first: dict[tuple[str | None, int | None], int] = {}
    assert numbers == [first.setdefault(row, len(first)) for row in rows]


def test_columns_of_other_types_are_refused():
    with pytest.raises(ValueError, match="numbered"):
        alike(pl.DataFrame({"many": [[1]]}), ("many",))


def test_the_columns_of_a_kind_are_those_of_the_table():
    assert set(ALIKE) <= set(EXCHANGES_SCHEMA.names())
