"""Sliding, running and per-exchange windows, each against what makes it plain."""

import polars as pl
import pytest
from exchange_builder import STAMPS, A, B, C, D, busy_second, exchange, table
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal
from properties import examples

from winf_analyzer._aggregate import recorder_pauses
from winf_analyzer.estimators import ESTIMATORS, MODES, Settings, _run, estimate
from winf_analyzer.estimators._run import Task, estimate_together

MS = 1_000_000
SUMMED = [name for name in ESTIMATORS if name not in ("adhoc_probe", "wbest", "c3tcp")]
COLUMNS = ("capacity_bps", "available_bps", "idle_ratio", "exchanges", "covered_ns", "collision_probability")


def assert_alike(found, expected):
    """Equal but for rounding, of nothing left too; nulls in the same places."""
    assert found.is_null().to_list() == expected.is_null().to_list(), found.name
    assert found.drop_nulls().to_list() == pytest.approx(expected.drop_nulls().to_list(), rel=1e-9, abs=1e-6), (
        found.name
    )


def later(rows, shift_ns):
    stamps = (*STAMPS, "start_ns", "end_ns")
    return [row | {name: row[name] + shift_ns for name in stamps if row[name] is not None} for row in rows]


TRAFFIC = st.lists(
    st.builds(
        exchange,
        st.integers(0, 60_000),
        kind=st.sampled_from(["rts", "basic", "broadcast", "rts_failed"]),
        payload=st.sampled_from([200, 1500]),
        sender=st.sampled_from([A, B]),
        receiver=st.sampled_from([C, D]),
        observer=st.sampled_from([None, A]),
    ),
    min_size=1,
    max_size=15,
)


@examples(5)
@given(TRAFFIC)
def test_a_sliding_window_is_a_tumbling_one_in_another_place(rows):
    """Shifted by a multiple of the step, every sliding window comes to lie where a tumbling one is.

    What saturation learns from the whole recording, it learns from tumbling windows: where they lie matters to it.
    """
    width, step = 20 * MS, 5 * MS
    sliding = estimate(table(rows), settings=Settings(window_ns=width, step_ns=step))
    keys = ["estimator", "mode", "source", "observer", "node", "sender", "receiver", "state", "window_start_ns"]
    for shift in range(0, width, step):
        tumbling = estimate(table(later(rows, shift)), settings=Settings(window_ns=width))
        tumbling = tumbling.with_columns(pl.col("window_start_ns") - shift)
        found = sliding.join(tumbling, on=keys, how="inner", nulls_equal=True, suffix="_tumbling")
        aligned = sliding.filter((pl.col("window_start_ns") + shift) % width == 0)
        assert found.height == aligned.height
        learned = (pl.col("estimator") == "saturation") & (shift != 0)
        for name in COLUMNS:
            some = found.filter(~learned) if name == "available_bps" else found
            assert_alike(some[name], some[f"{name}_tumbling"])


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", SUMMED)
def test_the_last_running_window_is_one_window_over_everything(name, mode):
    rows = [*busy_second(), exchange(2_100_000.0, sender=C, receiver=D), exchange(3_900_000.0)]
    running = estimate(table(rows), [name], [mode], Settings(running=True))
    whole = estimate(table(rows), [name], [mode], Settings(window_ns=4_000_000_000))
    for sender in (A, C):
        last = running.filter(state="sender", sender=sender, window_start_ns=3_000_000_000)
        everything = whole.filter(state="sender", sender=sender)
        assert last.height == everything.height == 1
        for column in COLUMNS:
            assert_alike(last[column], everything[column])


def test_running_estimates_keep_links_that_fell_silent():
    rows = [exchange(100_000.0, sender=C, receiver=D), *busy_second()]
    found = estimate(table(rows), ["rt_winf"], ["corrected"], Settings(running=True)).filter(state="sender", sender=C)
    assert found["window_start_ns"].to_list() == [0, 10**9, 2 * 10**9]
    assert found["exchanges"].to_list() == [1, 1, 1]


def test_per_exchange_each_has_its_own_capacity_and_the_window_behind_it():
    rows = busy_second()
    found = estimate(table(rows), ["rt_winf"], ["corrected"], Settings(per_exchange=True)).filter(
        state="sender", sender=A
    )
    assert found.height == 102
    assert found["exchanges"].to_list() == [1] * 102
    assert found["capacity_bps"].to_list() == pytest.approx([4_522_716] * 102, rel=1e-6)
    # The hundredth exchange of the busy second ends at 1.9927938 s; the second before it holds 100 of them.
    hundredth = found.filter(pl.col("window_start_ns") == rows[100]["end_ns"] - 10**9 + 1)
    assert hundredth["idle_ratio"].item() == pytest.approx(1 - 100 * 2653.273 / 1e6, abs=1e-5)


def test_per_exchange_sizes_do_not_mix():
    rows = [exchange(1e5, payload=1500), exchange(2e5, payload=512)]
    found = estimate(table(rows), ["rt_winf"], ["paper"], Settings(per_exchange=True)).filter(state="sender", sender=A)
    mbps = (found.sort("window_start_ns")["capacity_bps"] / 1e6).to_list()
    assert mbps == pytest.approx([7.466063, 4.608838], rel=1e-6)


def test_per_exchange_and_running_is_the_paper_to_the_letter():
    """C of each exchange; sum of NAV and T from the first on."""
    rows = [exchange(n * 10_000.0, payload=1500 if n % 2 else 512) for n in range(50)]
    chosen = Settings(per_exchange=True, running=True, min_cover=0)
    found = estimate(table(rows), ["rt_winf"], ["paper"], chosen).filter(state="sender", sender=A)
    found = found.sort("window_start_ns")
    nav, t0 = 0.0, rows[0]["start_ns"] / 1000 - 360
    for row, got in zip(rows, found.iter_rows(named=True), strict=True):
        nav += row["nav_cts_us"]
        assert got["capacity_bps"] / 1e6 == pytest.approx(
            7.466063 if row["payload_bytes"] == 1500 else 4.608838, rel=1e-6
        )
        assert got["idle_ratio"] == pytest.approx(1 - nav / (row["end_ns"] / 1000 - t0), rel=1e-5)


@pytest.mark.parametrize("kind", [{}, {"step_ns": 5 * MS}, {"running": True}])
@pytest.mark.parametrize("length_ns", [20 * MS, 1 << 62])
def test_longer_windows_are_made_of_the_same_pass(kind, length_ns):
    """A whole recording, and tumbling windows, besides what was asked for: the same bits as in a pass of their own."""
    rows = [
        exchange(number * 1500, kind=("rts", "basic")[number % 2], sender=(A, B)[number % 3 % 2], receiver=C)
        for number in range(200)
    ]
    task, longer = Task("saturation", "corrected"), Settings(window_ns=length_ns, min_cover=0.0)
    asked = table(rows), ["busy_share"], ["paper"], Settings(window_ns=20 * MS, **kind), None, None, None
    tables, (packed,) = estimate_together(*asked, [(task, longer)])
    found = pl.read_ipc(packed)
    assert_frame_equal(found, estimate(table(rows), ["saturation"], ["corrected"], longer))
    assert found["available_bps"].is_not_null().any()
    assert_frame_equal(pl.concat(tables), estimate(*asked[:4]))


@pytest.mark.parametrize(("most", "together"), [(1000, 1), (10, 0)])
def test_the_whole_is_found_beside_the_windows_of_the_same_estimator(monkeypatch, most, together):
    """In one go, or one after the other where there are many links, with the same bits as in a pass of its own.

    Those of the windows, and of what rests on them.
    """
    joined, both = [], _run._with_whole
    monkeypatch.setattr(_run, "_with_whole", lambda *arguments: (joined.append(1), both(*arguments))[1])
    monkeypatch.setattr(_run, "TOGETHER_LINKS", most)
    rows = [
        exchange(number * 1500, kind=("rts", "basic")[number % 2], sender=(A, B)[number % 3 % 2], receiver=C)
        for number in range(200)
    ]
    task, whole = Task("saturation", "corrected"), Settings(window_ns=1 << 62, min_cover=0.0)
    asked = (
        table(rows),
        ["rt_winf", "saturation"],
        ["paper", "corrected"],
        Settings(window_ns=20 * MS),
        None,
        None,
        None,
    )
    tables, (packed,) = estimate_together(*asked, [(task, whole)])
    assert len(joined) == together
    assert_frame_equal(pl.read_ipc(packed), estimate(table(rows), ["saturation"], ["corrected"], whole))
    assert_frame_equal(pl.concat(tables), estimate(*asked[:4]))


def test_the_whole_of_a_recording_with_pauses_is_found_beside_its_windows():
    """The same bits as in a pass of its own."""
    rows = [
        exchange(
            number * 1500 + number // 20 * 30_000,
            attempt=1,
            idle_before_us=400.0,
            sender=(A, B)[number % 2],
            receiver=C,
            seq=number // 2 + number // 20 * 4,
        )
        for number in range(200)
    ]
    starts = [(rows[first - 1]["start_ns"], rows[first]["start_ns"]) for first in range(20, 200, 20)]
    pauses = pl.DataFrame([("s", *pause) for pause in starts], recorder_pauses.SCHEMA, orient="row")
    task, whole = Task("saturation", "corrected"), Settings(window_ns=1 << 62, min_cover=0.0)
    exchanges, estimator = table(rows), (["saturation"], ["corrected"])
    asked = exchanges, *estimator, Settings(window_ns=50 * MS), None, None, pauses
    tables, (packed,) = estimate_together(*asked, [(task, whole)])
    found = pl.read_ipc(packed)
    assert_frame_equal(found, estimate(exchanges, *estimator, whole, pauses=pauses))
    assert_frame_equal(pl.concat(tables), estimate(*asked))
    assert found["available_bps"].to_list() != estimate(exchanges, *estimator, whole)["available_bps"].to_list()


def test_only_sums_per_window_and_link_are_made_longer():
    rows = [exchange(number * 1500) for number in range(20)]
    asked = table(rows), ["busy_share"], ["paper"], Settings(window_ns=5 * MS), None, None, None
    with pytest.raises(ValueError, match="not summed per window and link"):
        estimate_together(*asked, [(Task("idle_gap", "paper"), Settings(window_ns=10 * MS))])
