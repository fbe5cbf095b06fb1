"""By how much senders counted on is told natively: the same as window functions, and a loop for what was heard, say."""

import polars as pl
from exchange_builder import A, B, C
from hypothesis import given
from hypothesis import strategies as st
from properties import examples

from winf_analyzer import _core
from winf_analyzer._models.saturation.completeness import MAX_ADVANCE, MAX_GAP_TICKS, TICK_NS

SCHEMA = {
    "share": pl.UInt32,
    "medium": pl.UInt32,
    **dict.fromkeys(("sender", "receiver", "data_kind"), pl.String),
    **dict.fromkeys(("seq", "tid", "mpdus", "air_start_ns"), pl.Int64),
    "first": pl.Boolean,
}
EXCHANGES = st.fixed_dictionaries(
    {
        "medium": st.sampled_from([0, 0, 1]),
        "sender": st.sampled_from([A, A, B, None]),
        "receiver": st.sampled_from([B, C, C, None]),
        "data_kind": st.sampled_from([None, "null", "qos_null", "data", "qos_data", "qos_data"]),
        "seq": st.none() | st.integers(0, 3) | st.integers(4093, 4095) | st.integers(0, 4095),
        "tid": st.sampled_from([None, 0, 5]),
        "mpdus": st.sampled_from([None, 0, 1, 7]),
        "air_start_ns": st.integers(0, 3_000_000_000),
        "first": st.sampled_from([None, None, False, True]),
    }
)
SPACE = ("medium", "sender", "counter", "counter_receiver")


def by_window_functions(rows):
    qos = (pl.col("data_kind") == "qos_data").fill_null(False) & pl.col("receiver").is_not_null()
    first = pl.when(pl.col("seq").is_null()).then("first")
    counted = (pl.col("seq").is_not_null() | first.is_not_null()) & pl.col("sender").is_not_null()
    counted &= pl.col("data_kind").is_not_null()
    table = rows.with_columns(
        mpdus=pl.col("mpdus").fill_null(1).clip(1),
        counter=pl.when(qos).then(pl.col("tid").fill_null(0)).otherwise(-1),
        counter_receiver=pl.when(qos).then("receiver"),
    ).with_row_index("row")
    here = table.filter(counted, ~pl.col("data_kind").is_in(["null", "qos_null"]))
    step = (pl.col("seq") - pl.col("seq").shift(1).over(SPACE)) % 4096
    has_before = pl.col("air_start_ns").shift(1).over(SPACE).is_not_null()
    step = pl.coalesce(step, pl.when(has_before).then(first.cast(pl.Int64)))
    ticks = (pl.col("air_start_ns") - pl.col("air_start_ns").shift(1).over(SPACE)) // TICK_NS
    here = here.with_columns(step=step, ticks=ticks)
    here = here.with_columns(heard=heard_ahead(here))
    goes_on = pl.col("step").is_between(1, MAX_ADVANCE)
    found = here.select(
        "row",
        advanced=pl.when(goes_on).then("step"),
        advanced_heard=pl.when(goes_on).then(pl.min_horizontal("heard", "step")),
        gap_ticks=pl.when((pl.col("step") == 1) & pl.col("ticks").is_between(0, MAX_GAP_TICKS)).then("ticks"),
        is_new=pl.col("step") != 0,
    )
    told = table.select("row").join(found, on="row", how="left", maintain_order="left")
    return told.drop("row").with_columns(pl.col("is_new").fill_null(True))


def heard_ahead(rows):
    """Per exchange, how many numbers from that of the one before on had been heard: those sent again count once."""
    ahead, found = {}, []
    for row in rows.iter_rows(named=True):
        space, mpdus, step = tuple(row[name] for name in SPACE), row["mpdus"], row["step"]
        before = ahead.get(space)
        found.append(before)
        if before is None or step is None or step > MAX_ADVANCE:
            now = mpdus
        elif step == 0:
            now = max(before, mpdus)
        else:
            now = min(before - min(before, step) + mpdus, max(64, mpdus))
        ahead[space] = now
    return pl.Series(found, dtype=pl.Int64)


@examples(60)
@given(st.lists(EXCHANGES, max_size=60), st.integers(0, 60))
def test_steps_are_those_of_window_functions_whatever_the_chunks(exchanges, cut):
    links = {}
    for exchange in exchanges:
        link = exchange["medium"], exchange["sender"], exchange["receiver"]
        exchange["share"] = links.setdefault(link, len(links))
    rows = pl.DataFrame(exchanges, schema=SCHEMA)
    steps = _core.SequenceSteps(MAX_ADVANCE, TICK_NS, MAX_GAP_TICKS)
    found = pl.concat(pl.DataFrame(steps.follow(some)) for some in (rows[:cut], rows[cut:]))
    assert found.rows() == by_window_functions(rows).rows()
