"""Theoretical maximum throughput against worked numbers and Jun et al.'s coefficients (11 and 1 Mb/s)."""

from dataclasses import replace

import pytest
from exchange_builder import A, busy_second, exchange, one, t_data, table

from winf_analyzer._mac import PRESETS
from winf_analyzer._mac.exchange_parameters import with_mac
from winf_analyzer.estimators import Settings, estimate
from winf_analyzer.estimators.theoretical_maximum import paper_data_time

B11 = PRESETS["hr_dsss"]
JUN = replace(B11, header_bytes=34)


def maximum(rows, mode="corrected", settings=Settings()):  # noqa: B008
    estimates = estimate(table(rows), ["theoretical_maximum"], [mode], settings)
    return one(estimates, state="sender", sender=A, window_start_ns=0)


def tmt_mbps(payload, *, rts, mac=B11):
    """TMT(S) of one exchange, Mb/s, in paper mode."""
    row = maximum([exchange(payload=payload, length_bytes=None)], "paper", Settings(mac=mac))
    return row["tmt_rts_bps" if rts else "tmt_basic_bps"] / 1e6


def data_us(payload, mac=B11, **columns):
    """T_DATA(S), microseconds."""
    row = exchange(payload=payload, length_bytes=None, **columns)
    exchanges = with_mac(table([row]), mac).with_columns(family="phy")
    return exchanges.select(paper_data_time()).collect().item() / 1000


@pytest.mark.parametrize(
    ("payload", "t_data_us", "with_rts_us", "basic_us"),
    [
        (512, 584.727, 1574.727, 898.727),
        (1000, 939.636, 1929.636, 1253.636),
        (1024, 957.091, 1947.091, 1271.091),
        (1500, 1303.273, 2293.273, 1617.273),
    ],
)
def test_airtimes_of_80211b(payload, t_data_us, with_rts_us, basic_us):
    assert (B11.rts_us, B11.cts_us, B11.ack_us) == (352, 304, 304)
    assert data_us(payload) == pytest.approx(t_data_us, abs=1e-3)
    access_us = B11.difs_us + B11.backoff_us
    for rts, t_x_us in ((True, with_rts_us), (False, basic_us)):
        assert 8 * payload / tmt_mbps(payload, rts=rts) - access_us == pytest.approx(t_x_us, abs=1e-3)


@pytest.mark.parametrize(
    ("payload", "nav_rts_us", "nav_cts_us"),
    [(512, 1222.727, 908.727), (1000, 1577.636, 1263.636), (1500, 1941.273, 1627.273)],
)
def test_durations_cover_the_rest_of_the_exchange(payload, nav_rts_us, nav_cts_us):
    t_x_us = 8 * payload / tmt_mbps(payload, rts=True) - B11.difs_us - B11.backoff_us
    rest = t_x_us - B11.rts_us
    assert rest == pytest.approx(nav_rts_us, abs=1e-3)
    assert rest - B11.sifs_us - B11.cts_us == pytest.approx(nav_cts_us, abs=1e-3)
    row = exchange(payload=payload)
    assert (row["nav_rts_us"], row["nav_cts_us"]) == pytest.approx((nav_rts_us, nav_cts_us), abs=5e-4)


@pytest.mark.parametrize(
    ("payload", "basic", "rts"), [(512, 3.2541, 2.1171), (1000, 4.9577, 3.494), (1500, 6.068966, 4.522716)]
)
def test_tmt_of_three_address_headers(payload, basic, rts):
    assert tmt_mbps(payload, rts=False) == pytest.approx(basic, abs=5e-5)
    assert tmt_mbps(payload, rts=True) == pytest.approx(rts, abs=5e-5)


@pytest.mark.parametrize(("rts", "b_us", "tmt"), [(False, 890.7272727, 6.055601431), (True, 1566.7272727, 4.515290415)])
def test_jun_et_al_with_four_address_headers(rts, b_us, tmt):
    """Whole nanoseconds: to a millionth."""
    assert tmt_mbps(1500, rts=rts, mac=JUN) == pytest.approx(tmt, rel=1e-6)
    for payload in (100, 1500):  # 8S/TMT = aS + b
        assert 8 * payload / tmt_mbps(payload, rts=rts, mac=JUN) == pytest.approx(8 / 11 * payload + b_us, rel=1e-6)


def test_ofdm_data_comes_in_symbols():
    # 54 Mb/s: 216 bits a symbol; 22 + 8 * 1534 bits fill 57 of them.
    mac = replace(PRESETS["ofdm"], header_bytes=34)
    assert data_us(1500, mac, phy="ofdm", rate_mbps=54.0) == 20 + 57 * 4


@pytest.mark.parametrize("mode", ["paper", "corrected"])
@pytest.mark.parametrize(("kind", "used"), [("rts", 4.522716), ("basic", 6.068966)])
def test_what_a_link_used_and_what_it_could_have(mode, kind, used):
    row = maximum([exchange(kind=kind)], mode)
    assert row["capacity_bps"] / 1e6 == pytest.approx(used, rel=1e-6)
    assert row["tmt_basic_bps"] / 1e6 == pytest.approx(6.068966, rel=1e-6)
    assert row["tmt_rts_bps"] / 1e6 == pytest.approx(4.522716, rel=1e-6)
    assert row["available_bps"] is None


def test_sizes_weigh_by_the_time_they_take():
    row = maximum([exchange(0, payload=1500), exchange(9000, payload=512)])
    cost = 1500 * 8 / 4.522716 + 512 * 8 / tmt_mbps(512, rts=True)
    assert row["capacity_bps"] / 1e6 == pytest.approx((1500 + 512) * 8 / cost, rel=1e-6)


def test_paper_takes_one_mpdu_per_access_and_corrected_the_whole_a_mpdu():
    aggregate = exchange(kind="basic", payload=15_000, mpdus=10, data_kind="qos_data", length_bytes=15_280)
    aggregate |= {"data_airtime_us": t_data(15_252)}
    apart, together = (maximum([aggregate], mode)["capacity_bps"] for mode in ("paper", "corrected"))
    assert apart / 1e6 == pytest.approx(6.068966, rel=1e-6)
    assert together == pytest.approx(8e6 * 15_000 / (360 + t_data(15_252) + 10 + 304), rel=1e-6)


@pytest.mark.parametrize(
    ("channel_mhz", "rate_mbps", "preset", "data_us"), [(5180, 54.0, "ofdm", 248), (5890, 27.0, "ofdm_10mhz", 496)]
)
def test_ofdm_rows_are_in_symbols_in_paper_mode(channel_mhz, rate_mbps, preset, data_us):
    row = exchange(kind="basic", phy="ofdm", channel_mhz=channel_mhz, rate_mbps=rate_mbps, length_bytes=1534)
    row |= {"ack_airtime_us": None, "ack_start_ns": None}
    mac = PRESETS[preset]
    expected = 8e6 * 1500 / (mac.difs_us + mac.backoff_us + data_us + mac.sifs_us + mac.ack_us)
    assert maximum([row], "paper")["capacity_bps"] == pytest.approx(expected, rel=1e-6)


def test_a_rate_nobody_knows_has_no_maximum_in_paper_mode():
    rows = estimate(table(busy_second(rate_mbps=None)), ["theoretical_maximum"], ["paper"])
    assert rows["capacity_bps"].null_count() == rows.height
