"""Histograms of gaps, counted by hand."""

import polars as pl

from winf_analyzer._mac.gaps import by_group, largest, summed
from winf_analyzer._mac.sampling import draw_sample

A, B = "02:00:00:00:00:0a", "02:00:00:00:00:0b"


def exchanges(rows):
    """Of (sender, gap in us, attempt), one after the other."""
    columns = {
        "source": "s",
        "kind": "basic",
        "data_kind": "data",
        "phy": "ofdm",
        "channel_mhz": 5180,
        "complete": True,
    }
    told = [
        columns | {"sender": sender, "idle_before_us": gap, "attempt": attempt, "start_ns": number * 10**6}
        for number, (sender, gap, attempt) in enumerate(rows)
    ]
    return pl.LazyFrame(told, infer_schema_length=None)


def test_gaps_before_contention_are_counted_for_each_sender():
    rows = [(A, 34.0, 1), (A, 43.2, 1), (B, 42.9, 1), (A, 52.0, 2), (A, 16.0, 1), (B, 2000.0, 1), (None, 34.0, 1)]
    taken = draw_sample(exchanges(rows))
    assert [(station.sender, station.exchanges) for station in taken.stations] == [(A, 4), (B, 2), (None, 1)]
    found = by_group(taken)
    assert set(found) == {(0, "dcf"), (1, "dcf")}
    assert found[0, "dcf"] == ({43: 1, 52: 1}, {43: 1}, {43: 1}), (
        "nothing precedes the first; after SIFS nobody contends"
    )
    assert found[1, "dcf"] == ({43: 1}, {43: 1}, {})


def test_media_are_apart():
    one, other = (exchanges([(A, 34.0, 1), (A, 43.0, 1)]).with_columns(source=pl.lit(source)) for source in "ts")
    taken = draw_sample(pl.concat([one, other]))
    assert [(station.source, station.medium) for station in taken.stations] == [("s", 0), ("t", 1)]
    assert by_group(taken) == {(number, "dcf"): ({43: 1},) * 3 for number in (0, 1)}


def test_sums_and_the_largest():
    assert list(summed([{3: 1, 5: 1}, {4: 2, 3: 1}]).items()) == [(3, 2), (4, 2), (5, 1)]
    histograms = {3: {1: 5}, 1: {1: 2, 2: 3}, 2: {1: 9}, 4: {1: 4}}
    assert list(largest(histograms, min_count=5, max_groups=2)) == [2, 1]
    assert list(largest(histograms, min_count=5, max_groups=9)) == [2, 1, 3]
