"""Estimators ranked, the sentence about them, and comparisons that say nothing."""

from __future__ import annotations

import polars as pl

from winf_analyzer._evaluate.verdict import ranked, sentences


def row(estimator, quantity, estimate, truth=10e6, mape=0.05, windows=9, mode="corrected", idle=0.02):
    return {
        "log": "server.json", "sender": "a", "receiver": "b", "quantity": quantity, "estimator": estimator,
        "mode": mode, "windows": windows, "truth_bps": truth, "estimate_bps": estimate, "mape": mape,
        "mae_bps": mape * truth, "sender_idle_share": idle, "source": "a.pcap", "observer": None,
        "node": None if mode is None else "a", "state": None if mode is None else "sender", "bias_bps": 0.0,
        "rmse_bps": 0.0, "within_bounds": None, "correlation": None,
    }  # fmt: skip


def table(*rows):
    windows = [each | {"t_ns": n, "window_ns": 1} for each in rows for n in range(each["windows"])]
    texts = dict.fromkeys(("mode", "observer", "node", "state"), pl.String)
    return ranked(pl.DataFrame(list(rows), schema_overrides=texts), pl.DataFrame(windows, schema_overrides=texts))


def test_the_least_error_is_first():
    rows = table(
        row("idle_gap", "attainable", 15e6, mape=0.5),
        row("recording", "goodput", 5e6, truth=5e6, mape=0.0, mode=None),
        row("recommended", "attainable", 11e6, mape=0.1),
        row("rt_winf", "attainable", 10.5e6, mape=0.04),
    )
    assert rows["estimator"].to_list() == ["rt_winf", "recommended", "idle_gap", "recording"]
    assert sentences(rows) == [
        "server.json, a > b: rt_winf (corrected) is nearest, close (mean error 4% of the mean truth); "
        "the recommended answer is off by 10%."
    ]


def test_a_flow_that_saturates_its_recording_judges_nobody():
    rows = table(
        row("recording", "goodput", 10e6, mape=0.0, mode=None),
        row("rt_winf", "attainable", 10.05e6, mape=0.005),
    )
    assert rows.filter(estimator="rt_winf")["remark"].to_list() == ["tautology"]
    assert "judges no estimator" in sentences(rows)[0]


def test_the_windows_that_goodput_and_attainable_share_tell_a_tautology():
    """The first window begins before the recording: it has no goodput, and less of the flow."""
    rows = [row("rt_winf", "attainable", 10.05e6, windows=10), row("recording", "goodput", 10e6, mode=None)]
    windows = [
        each | {"t_ns": -n, "window_ns": 1, "estimate_bps": each["estimate_bps"] / (2 if n == 9 else 1)}
        for each in rows
        for n in range(each["windows"])
    ]
    rows[0]["estimate_bps"] = sum(each["estimate_bps"] for each in windows[:10]) / 10
    ranking = ranked(pl.DataFrame(rows), pl.DataFrame(windows))
    assert ranking.filter(estimator="rt_winf")["remark"].to_list() == ["tautology"]


def test_of_estimators_beside_a_tautology_none_is_nearest():
    rows = table(
        row("recording", "goodput", 10e6, mape=0.0, mode=None),
        row("recommended", "attainable", 10.05e6, mape=0.005),
        row("rt_winf", "attainable", 10.5e6, mape=0.05),
    )
    assert rows["remark"].to_list() == ["tautology", "", "check of the alignment"]
    assert "no verdict: the flow saturated the link" in sentences(rows)[0]


def test_a_flow_that_leaves_room_judges():
    rows = table(row("recording", "goodput", 10e6, mode=None), row("rt_winf", "attainable", 12e6, mape=0.2))
    assert rows.filter(estimator="rt_winf")["remark"].to_list() == [""]
    assert "rough" in sentences(rows)[0]


def test_few_windows_are_said():
    assert "rests on 1 window." in sentences(table(row("recommended", "available", 9e6, windows=1)))[0]


def test_without_estimates_there_is_no_verdict():
    assert "no estimate lies in a window" in sentences(table(row("recording", "goodput", 1e6, mode=None)))[0]


def test_a_flow_that_leaves_its_sender_idle_judges_nobody():
    rows = table(
        row("recording", "goodput", 1e6, truth=1e6, mape=0.0, mode=None, idle=0.8),
        row("rt_winf", "attainable", 6e6, truth=1e6, mape=5.0, idle=0.8),
        row("rt_winf", "capacity", 7e6, truth=1e6, mape=6.0, idle=0.8),
    )
    assert rows["remark"].to_list() == ["not saturating", "not saturating", "check of the alignment"]
    (sentence,) = sentences(rows)
    assert "no verdict: the sender had nothing to send for up to 80% of the time" in sentence


def test_the_log_of_another_run_judges_whatever_the_recording_shows():
    rows = table(row("recommended", "available", 9e6, mape=0.1, idle=None))
    assert rows["remark"].to_list() == [""]


def test_a_window_without_traffic_weighs_no_more_than_the_others():
    rows = table(row("recommended", "attainable", 11e6) | {"mape": 63.0, "mae_bps": 1e6})
    assert "close (mean error 10% of the mean truth)" in sentences(rows)[0]
