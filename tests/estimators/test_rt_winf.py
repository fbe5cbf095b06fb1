"""rt-Winf against worked numbers: S = 1500 octets, H = 28, 11 Mb/s data and 1 Mb/s control frames."""

from dataclasses import replace

import polars as pl
import pytest
from exchange_builder import SIFS, T_RTS, A, B, C, D, busy_second, exchange, one, t_data, table

from winf_analyzer._mac import PRESETS
from winf_analyzer._mac.exchange_parameters import with_mac
from winf_analyzer.estimators import Settings, estimate
from winf_analyzer.estimators.rt_winf import data_time

ALONE = Settings(cooperate=False)
SECOND = {"window_start_ns": 1_000_000_000}


def rt_winf(rows, mode, settings=ALONE):
    return estimate(table(rows), ["rt_winf"], [mode], settings)


def capacity_mbps(row, mode, state):
    return one(rt_winf([row], mode), state=state, sender=A)["capacity_bps"] / 1e6


# --- paper


def test_paper_sender_divides_by_data_and_ack():
    assert capacity_mbps(exchange(), "paper", "sender") == pytest.approx(7.466063, rel=1e-6)


def test_paper_sender_on_start_stamps_divides_by_data_and_cts():
    shifted = exchange()
    shifted |= {"cts_ns": shifted["cts_start_ns"], "ack_ns": shifted["ack_start_ns"]}
    assert capacity_mbps(shifted, "paper", "sender") == pytest.approx(7.466063, rel=1e-6)


def test_paper_receiver_takes_one_sifs_too_many():
    assert capacity_mbps(exchange(), "paper", "receiver") == pytest.approx(7.512806, rel=1e-6)


def test_paper_receiver_on_start_stamps_measures_no_data():
    shifted = exchange()
    shifted |= {"rts_ns": shifted["rts_start_ns"], "data_ns": shifted["data_start_ns"]}
    assert capacity_mbps(shifted, "paper", "receiver") == pytest.approx(18.575851, rel=1e-6)


@pytest.mark.parametrize("state", ["sender", "receiver", "onlooker"])
def test_paper_probe_serves_exchanges_without_rts(state):
    assert capacity_mbps(exchange(kind="basic"), "paper", state) == pytest.approx(7.419899, rel=1e-6)


def test_paper_probe_between_two_ends_or_two_starts():
    row = exchange(kind="basic")
    ends = row | {"data_start_ns": row["data_ns"]}
    starts = row | {"ack_ns": row["ack_start_ns"]}
    assert capacity_mbps(ends, "paper", "sender") == pytest.approx(38.216561, rel=1e-6)
    assert capacity_mbps(starts, "paper", "sender") == pytest.approx(9.137478, rel=1e-6)


@pytest.mark.parametrize(("payload", "mbps"), [(100, 1.358025), (512, 4.608838), (1500, 7.466063)])
def test_paper_sender_depends_on_the_packet_size(payload, mbps):
    assert capacity_mbps(exchange(payload=payload), "paper", "sender") == pytest.approx(mbps, rel=1e-6)


@pytest.mark.parametrize(
    ("payload", "sender", "receiver", "factors"),
    [
        (100, 1.358025, 1.381476, (0.484, 0.4923)),
        (512, 4.608838, 4.661287, (0.6579, 0.6654)),
        (1500, 7.466063, 7.512806, (0.8109, 0.8159)),
    ],
)
def test_paper_bias_against_the_data_alone(payload, sender, receiver, factors):
    c_data = 8 * payload / t_data(payload)
    row = exchange(payload=payload)
    for state, mbps, factor in (("sender", sender, factors[0]), ("receiver", receiver, factors[1])):
        assert capacity_mbps(row, "paper", state) == pytest.approx(mbps, rel=1e-6)
        assert capacity_mbps(row, "paper", state) / c_data == pytest.approx(factor, abs=5e-5)


def test_eq_2_as_printed_would_be_negative():
    """1 - (sum/T) C instead of (1 - sum/T) C, with C in Mb/s."""
    row = one(rt_winf(busy_second(kind="basic"), "paper"), state="sender", sender=A, **SECOND)
    busy = 1 - row["idle_ratio"]
    assert 1 - busy * 7.466063 == pytest.approx(-0.207466, abs=1e-6)
    assert row["available_bps"] == pytest.approx((1 - busy) * row["capacity_bps"], rel=1e-12)


@pytest.mark.parametrize(
    ("state", "idle", "available"), [("sender", 0.837273, 6.251131), ("receiver", 0.805873, 6.054365)]
)
def test_paper_available_bandwidth_over_a_second_of_100_exchanges(state, idle, available):
    row = one(rt_winf(busy_second(), "paper"), state=state, sender=A, **SECOND)
    assert row["idle_ratio"] == pytest.approx(idle, rel=1e-6)
    assert row["available_bps"] / 1e6 == pytest.approx(available, rel=1e-6)
    assert row["exchanges"] == 100


def test_paper_onlooker_uses_the_nav_of_the_cts_where_it_heard_no_rts():
    heard = [exchange(observer=C)]
    unheard = [exchange(observer=C, hidden=True, rts_ns=None, rts_start_ns=None, nav_rts_us=None)]
    ends = [exchange(s, kind="broadcast", observer=C, receiver=None) for s in (-20_000, 500_000)]
    reserved = [
        (1 - one(rt_winf(rows + ends, "paper"), state="onlooker", sender=A)["idle_ratio"]) * 1e6
        for rows in (heard, unheard)
    ]
    covered = 500_000 + t_data(1500)
    assert reserved[0] * covered / 1e6 == pytest.approx(1941.273, abs=0.01)
    assert reserved[1] * covered / 1e6 == pytest.approx(1627.273, abs=0.01)


def test_running_never_forgets():
    rows = busy_second()
    running = Settings(cooperate=False, running=True)
    row = one(rt_winf(rows, "paper", running), state="sender", sender=A, **SECOND)
    elapsed = 2e6 - (500_000 - 360)
    assert row["idle_ratio"] == pytest.approx(1 - 101 * 1627.273 / elapsed, rel=1e-6)


# --- corrected


@pytest.mark.parametrize(
    ("side", "stamps"),
    [
        ("sender", ("cts_ns", "ack_ns")),
        ("sender", ("cts_start_ns", "ack_start_ns")),
        ("sender", ("cts_ns", "ack_start_ns")),
        ("sender", ("data_start_ns", "ack_start_ns")),
        ("sender", ("data_start_ns", "ack_ns")),
        ("receiver", ("rts_ns", "data_ns")),
        ("receiver", ("cts_ns", "data_ns")),
        ("receiver", ("rts_start_ns", "data_ns")),
        ("receiver", ("rts_ns", "ack_start_ns")),
        ("receiver", ("data_start_ns", "ack_start_ns")),
        ("receiver", ("data_start_ns", "ack_ns")),
    ],
)
def test_every_exact_row_returns_the_data_airtime(side, stamps):
    row = exchange(keep=stamps, nav_rts_us=None, nav_cts_us=None, data_airtime_us=None)
    assert measured_t_data(row, side) == pytest.approx(1303.273, abs=0.001)
    estimates = rt_winf([row], "corrected")
    r_phy = one(estimates, state=side, sender=A)["r_phy_bps"]
    assert r_phy == pytest.approx(11e6, rel=2e-6)


@pytest.mark.parametrize("side", ["sender", "receiver"])
@pytest.mark.parametrize("nav", ["nav_rts_us", "nav_cts_us"])
def test_durations_give_the_data_airtime_to_a_microsecond(side, nav):
    durations = {"nav_rts_us": None, "nav_cts_us": None, nav: {"nav_rts_us": 1942, "nav_cts_us": 1628}[nav]}
    row = exchange(keep=(), data_airtime_us=None, **durations)
    assert measured_t_data(row, side) == pytest.approx(1304.0, abs=1e-9)
    r_phy = one(rt_winf([row], "corrected"), state=side, sender=A)["r_phy_bps"]
    assert r_phy / 1e6 == pytest.approx(10.99281, rel=1e-6)


def test_computed_airtime_is_the_last_resort():
    row = exchange(kind="basic", keep=())
    assert measured_t_data(row, "sender") == pytest.approx(1303.273, abs=0.001)


def measured_t_data(row, side):
    return with_mac(table([row]), None).select(data_time(side)).collect().item() / 1000


@pytest.mark.parametrize(("kind", "mbps"), [("rts", 4.522716), ("basic", 6.068966)])
@pytest.mark.parametrize("state", ["sender", "receiver", "onlooker"])
def test_corrected_capacity_is_the_theoretical_maximum_throughput(kind, mbps, state):
    row = one(rt_winf([exchange(kind=kind)], "corrected"), state=state, sender=A)
    assert row["capacity_bps"] / 1e6 == pytest.approx(mbps, rel=1e-6)
    assert row["c_data_bps"] / 1e6 == pytest.approx(9.207589, rel=1e-6)
    assert row["r_phy_bps"] / 1e6 == pytest.approx(11, rel=2e-6)


def test_exchanges_that_do_not_overlap_leave_capacity_less_load():
    row = one(rt_winf(busy_second(), "corrected"), state="sender", sender=A, **SECOND)
    assert row["idle_ratio"] == pytest.approx(0.734673, rel=1e-6)
    assert row["available_bps"] / 1e6 == pytest.approx(3.322716, rel=1e-6)
    assert row["available_bps"] == pytest.approx(row["capacity_bps"] - 8 * 1500 * 100, rel=1e-9)


def test_a_recording_shorter_than_the_window_is_not_diluted():
    rows = [exchange(1000 + n * 10_000) for n in range(20)]
    row = one(rt_winf(rows, "corrected"), state="sender", sender=A)
    assert row["covered_ns"] == 190_000_000 + 360_000 + 2_293_273
    load = 8 * 1500 * 20 / (row["covered_ns"] / 1e9)
    assert row["available_bps"] == pytest.approx(row["capacity_bps"] - load, rel=1e-9)


def test_too_little_of_a_window_says_nothing_about_idle_time():
    row = one(rt_winf([exchange()], "corrected"), state="sender", sender=A)
    assert row["capacity_bps"] is not None
    assert (row["idle_ratio"], row["available_bps"]) == (None, None)


def test_hidden_sender_is_charged_the_rts_nobody_heard():
    unheard = {"hidden": True, "rts_ns": None, "rts_start_ns": None, "nav_rts_us": None}
    rows = busy_second(observer=C)
    hidden = [row | unheard | {"start_ns": row["cts_start_ns"]} for row in rows]
    whole, partial = (one(rt_winf(r, "corrected"), state="onlooker", sender=A, **SECOND) for r in (rows, hidden))
    assert partial["idle_ratio"] == pytest.approx(whole["idle_ratio"], abs=1e-9)
    assert partial["capacity_bps"] == pytest.approx(whole["capacity_bps"], rel=1e-9)
    not_marked = [row | {"hidden": False} for row in hidden]
    uncharged = one(rt_winf(not_marked, "corrected"), state="onlooker", sender=A, **SECOND)
    assert uncharged["idle_ratio"] - partial["idle_ratio"] == pytest.approx(100 * (T_RTS + SIFS) / 1e6, rel=1e-6)


def test_measured_backoff_replaces_the_expected_one():
    row = one(rt_winf(busy_second(idle_before_us=150.0), "corrected"), state="sender", sender=A, **SECOND)
    assert row["capacity_bps"] == pytest.approx(12000 / (50 + 100 + 2293.273) * 1e6, rel=1e-6)
    assert row["available_bps"] == pytest.approx(row["capacity_bps"] - 1.2e6, rel=1e-9)


@pytest.mark.parametrize("backoff", [{"idle_before_us": 5050.0}, {"idle_before_us": 150.0, "attempt": 2}])
def test_long_idle_and_retries_are_no_first_backoff(backoff):
    row = one(rt_winf(busy_second(**backoff), "corrected"), state="sender", sender=A, **SECOND)
    assert row["capacity_bps"] / 1e6 == pytest.approx(4.522716, rel=1e-6)


def test_bursts_pay_for_one_access():
    first = exchange(0.0, kind="basic")
    second = exchange(first["end_ns"] / 1000 + SIFS, kind="basic", idle_before_us=SIFS)
    row = one(rt_winf([first, second], "corrected"), state="sender", sender=A)
    t_x = 1303.273 + SIFS + 304
    assert row["capacity_bps"] == pytest.approx(24000 / (360 + t_x + SIFS + t_x) * 1e6, rel=1e-6)


def test_block_ack_counts_all_payload_over_the_whole_time():
    row = exchange(payload=15_000, mpdus=10, data_kind="qos_data", length_bytes=15_028)
    estimate = one(rt_winf([row], "corrected"), state="sender", sender=A)
    air = (row["end_ns"] - row["start_ns"]) / 1000
    assert estimate["capacity_bps"] == pytest.approx(8 * 15_000 / (360 + air) * 1e6, rel=1e-6)


@pytest.mark.parametrize(
    "changed",
    [
        {"complete": False},
        {"data_kind": "null"},
        {"data_kind": "qos_null"},
        {"data_kind": "assoc_req"},
        {"payload_bytes": 0},
        {"payload_bytes": None},
        {"sender": None},
        {"receiver": "ff:ff:ff:ff:ff:ff"},
        {"kind": "unknown"},
    ],
)
@pytest.mark.parametrize("mode", ["paper", "corrected"])
def test_what_measures_no_capacity_still_keeps_the_medium_busy(changed, mode):
    rows = [row | changed for row in busy_second()]
    witness = [exchange(1_100_000 - 4000, sender=C, receiver=D)]
    estimates = rt_winf(rows + witness, mode).filter(pl.col("window_start_ns") == SECOND["window_start_ns"])
    by_c = one(estimates, sender=C, state="sender")
    assert by_c["exchanges"] == estimates["exchanges"].max() == 1
    assert by_c["idle_ratio"] < 0.85


@pytest.mark.parametrize("shift_us", [-1200.0, 15_000.0])
def test_guard_discards_airtimes_no_rate_explains(shift_us):
    row = exchange()
    shift = round(shift_us * 1000)
    row |= {"ack_ns": row["ack_ns"] + shift, "ack_start_ns": row["ack_start_ns"] + shift}
    assert one(rt_winf([row], "corrected"), state="sender", sender=A)["exchanges"] == 0


def test_parameters_can_be_given():
    short = Settings(cooperate=False, mac=replace(PRESETS["hr_dsss"], cw_min=15))
    row = one(rt_winf([exchange()], "corrected", short), state="sender", sender=A)
    assert row["capacity_bps"] == pytest.approx(12000 / (50 + 150 + 2293.273) * 1e6, rel=1e-6)


# --- failures


def test_collision_probability_is_the_senders_failed_share():
    rows = [exchange(n * 5000) for n in range(6)]
    rows += [exchange(30_000 + n * 5000, kind="rts_failed") for n in range(2)]
    rows += [exchange(40_000 + n * 5000, kind="basic", receiver=C, complete=False) for n in range(2)]
    estimates = rt_winf(rows, "corrected")
    assert one(estimates, state="sender", receiver=B)["collision_probability"] == pytest.approx(0.4)
    assert one(estimates, state="sender", receiver=C)["collision_probability"] == pytest.approx(0.4)
    assert one(estimates, state="receiver", receiver=B)["collision_probability"] is None
