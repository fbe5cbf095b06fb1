"""MAC profiles: numbered alike from block to block, and worked out as if each row were alone."""

import polars as pl
import pytest
from exchange_builder import A, B, C, D, exchange, table
from hypothesis import given
from hypothesis import strategies as st
from properties import examples

from winf_analyzer._aggregate import mac_profiles
from winf_analyzer._aggregate.exchange_columns import EXCHANGES_SCHEMA
from winf_analyzer._aggregate.mac_profiles import PROFILE, MacProfiles
from winf_analyzer._aggregate.settings import Settings
from winf_analyzer._aggregate.sort_keys import group_ids
from winf_analyzer._mac.exchange_parameters import PARAMETERS, what_is_known

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
def test_a_row_has_its_profile_whatever_came_before(rows, block):
    whole, so_far = read(rows), MacProfiles(Settings(), what_is_known(None))
    for start in range(0, whole.height, block):
        some = whole.slice(start, block)
        told, number = so_far.of(some)
        alone = [MacProfiles(Settings(), what_is_known(None)).of(some[[row]])[0] for row in range(some.height)]
        found = told[number].drop("station")
        assert found.equals(pl.concat([profile.drop("station") for profile in alone]))
        assert {"unicast", "carries", "sees_it", *PARAMETERS} <= set(found.columns)
        so_far.of(whole.clear())


def test_more_profiles_than_fit_are_forgotten(monkeypatch):
    monkeypatch.setattr(mac_profiles, "MAX_PROFILES", 2)
    so_far = MacProfiles(Settings(), what_is_known(None))
    for block in range(5):
        rows = read([exchange(at, sender=f"02:00:00:00:0{block}:0{at}") for at in range(3)])
        told, number = so_far.of(rows)
        assert told.height == 3
        assert told[number]["sender"].to_list() == rows["sender"].to_list()


@given(st.lists(st.tuples(st.sampled_from(["a", "a longer text than a view", None]), st.integers(0, 2) | st.none())))
def test_rows_have_one_number_where_all_their_values_are_the_same(rows):
    frame = pl.DataFrame(rows, schema={"text": pl.String, "number": pl.Int64}, orient="row")
    numbers = group_ids(frame, ("text", "number")).to_list()
    first: dict[tuple[str | None, int | None], int] = {}
    assert numbers == [first.setdefault(row, len(first)) for row in rows]


def test_columns_of_other_types_are_refused():
    with pytest.raises(ValueError, match="numbered"):
        group_ids(pl.DataFrame({"many": [[1]]}), ("many",))


def test_the_columns_of_a_profile_are_those_of_the_table():
    assert set(PROFILE) <= set(EXCHANGES_SCHEMA.names())
