"""What captures of today hold: A-MPDUs and BlockAck, TXOPs, data that cannot be heard, several PHYs on one channel."""

from dataclasses import replace

import polars as pl
import pytest
from exchange_builder import SIFS, T_ACK, A, B, C, D, busy_second, exchange, one, t_data, table

import winf_analyzer
from winf_analyzer._aggregate.reader import open_exchanges
from winf_analyzer.estimators import MODES, Settings, estimate

ALONE = Settings(cooperate=False)
SECOND = {"window_start_ns": 1_000_000_000}


def rt_winf(rows, mode="corrected", settings=ALONE):
    return estimate(table(rows), ["rt_winf"], [mode], settings)


# --- A-MPDU and BlockAck


def block_acked(start_us=0.0, mpdus=10, **columns):
    """An A-MPDU of MPDUs of 1500 octets on an 802.11n link at 65 Mb/s in 5 GHz, answered by a BlockAck at 24 Mb/s."""
    data_us, ba_us = 36 + 8 * 1530 * mpdus / 65, 32.0
    data_end, start = start_us + data_us, round(start_us * 1000)
    ends = {"data_ns": round(data_end * 1000), "ack_start_ns": round((data_end + 16) * 1000)}
    ends["ack_ns"] = ends["end_ns"] = round((data_end + 16 + ba_us) * 1000)
    made = exchange(
        kind="basic", data_kind="qos_data", payload=1500 * mpdus, phy="ht", channel_mhz=5180, rate_mbps=65.0
    )
    made |= {"start_ns": start, "data_start_ns": start, "length_bytes": 1530 * mpdus, "mpdus": mpdus, **ends}
    return made | {"data_airtime_us": data_us, "ack_airtime_us": ba_us, **columns}


def test_a_block_ack_answers_for_the_whole_a_mpdu():
    row = one(rt_winf([block_acked()]), state="sender", sender=A)
    assert row["r_phy_bps"] == pytest.approx(65e6, rel=1e-6)
    cost_us = 34 + 67.5 + 36 + 8 * 15_300 / 65 + 16 + 32
    assert row["capacity_bps"] == pytest.approx(8e6 * 15_000 / cost_us, rel=1e-6)


def test_aggregation_is_what_makes_the_capacity():
    by_size = [one(rt_winf([block_acked(mpdus=n)]), state="sender", sender=A)["capacity_bps"] for n in (1, 4, 16, 64)]
    assert by_size == sorted(by_size)
    assert by_size[-1] < 65e6 * 1500 / 1530 < 1.1 * by_size[-1]


# --- TXOP


def burst(start_us, count=3, gap_us=16.0):
    """Exchanges of one TXOP: SIFS apart."""
    rows = [block_acked(start_us, mpdus=2, idle_before_us=500.0)]
    for _ in range(count - 1):
        rows.append(block_acked(rows[-1]["end_ns"] / 1000 + gap_us, mpdus=2, idle_before_us=gap_us))
    return rows


def test_a_txop_pays_for_one_access():
    rows = burst(1000.0)
    row = one(rt_winf(rows), state="sender", sender=A)
    air_us = (rows[-1]["end_ns"] - rows[0]["start_ns"]) / 1000
    assert row["capacity_bps"] == pytest.approx(8e6 * 3 * 3000 / (34 + 67.5 + air_us), rel=1e-6)
    assert row["exchanges"] == 3


def test_contention_between_bursts_is_paid_each_time():
    single = one(rt_winf(burst(1000.0)), state="sender", sender=A)["capacity_bps"]
    twice = one(rt_winf([*burst(1000.0), *burst(20_000.0)]), state="sender", sender=A)["capacity_bps"]
    assert twice == pytest.approx(single, rel=1e-9)
    contended = one(rt_winf(burst(1000.0, gap_us=60.0)), state="sender", sender=A)["capacity_bps"]
    assert contended < single


def cf_end(start_us, **columns):
    """A CF-End at 24 Mb/s: 20 octets."""
    start, air_us = round(start_us * 1000), 28.0
    made = exchange(kind="broadcast", data_kind="cf_end", payload=0, phy="ofdm", channel_mhz=5180, rate_mbps=24.0)
    stamps = {"start_ns": start, "data_start_ns": start, "end_ns": start + 28_000, "data_ns": start + 28_000}
    return made | stamps | {"receiver": "ff:ff:ff:ff:ff:ff", "data_airtime_us": air_us, "length_bytes": 20} | columns


@pytest.mark.parametrize("gap_us", [16.0, None])
def test_a_cf_end_is_no_access_of_its_own_whatever_stamps_tell(gap_us):
    frame = block_acked(1000.0, idle_before_us=gap_us and 500.0)
    end = cf_end(frame["end_ns"] / 1000 + 16, idle_before_us=gap_us)
    prepared = open_exchanges(table([frame, end]), ALONE).whole
    assert prepared.sort("end_ns")["access_ns"].to_list() == [34_000 + 67_500, 16_000]


# --- unheard data


def unheard(row):
    """The exchange as an observer has it that cannot receive the data: RTS, CTS and ACK."""
    lost = ("data_start_ns", "data_ns", "payload_bytes", "length_bytes", "rate_mbps", "data_airtime_us", "data_kind")
    return row | dict.fromkeys(lost) | {"mpdus": 0}


@pytest.mark.parametrize("mode", MODES)
def test_unheard_data_keeps_the_medium_busy_and_is_no_sample(mode):
    rows = busy_second(observer=C)
    some = [unheard(row) if n % 2 else row for n, row in enumerate(rows)]
    whole, partial = (one(rt_winf(r, mode), state="onlooker", sender=A, **SECOND) for r in (rows, some))
    assert partial["idle_ratio"] == pytest.approx(whole["idle_ratio"], abs=1e-9)
    assert partial["capacity_bps"] == pytest.approx(whole["capacity_bps"], rel=1e-6)
    assert partial["exchanges"] == whole["exchanges"] // 2


@pytest.mark.parametrize("nav", ["nav_rts_us", "nav_cts_us"])
def test_durations_stand_for_stamps_of_data_that_was_not_heard(nav):
    """Where the size is known all the same, from a merged recording, a Duration gives the data's airtime."""
    keep = {"data_start_ns": None, "data_ns": None, "data_airtime_us": None, "cts_ns": None, "ack_start_ns": None}
    row = exchange() | keep | {"nav_rts_us": None, "nav_cts_us": None} | {nav: exchange()[nav]}
    row |= {"cts_start_ns": None, "rts_ns": None, "rts_start_ns": None, "ack_ns": None}
    assert one(rt_winf([row]), state="sender", sender=A)["r_phy_bps"] == pytest.approx(11e6, rel=1e-5)


def test_an_rts_nobody_answered_reserves_nothing():
    rows = [row | {"kind": "rts_failed", "nav_rts_us": 2000.0} for row in busy_second(kind="rts_failed")]
    found = rt_winf([*rows, exchange(1_995_000, sender=C, receiver=D)])
    busy = 1 - one(found, state="sender", sender=C, **SECOND)["idle_ratio"]
    assert busy * 1e6 < 100 * (360 + 352) + 2700


# --- several PHYs


def test_every_phy_has_its_own_parameters():
    rows = [
        exchange(0, kind="basic"),
        exchange(10_000, kind="basic", sender=C, receiver=D, phy="erp", rate_mbps=54.0)
        | {"data_start_ns": 10_000_000, "data_ns": 10_254_000, "ack_start_ns": 10_264_000, "ack_ns": 10_294_000}
        | {"start_ns": 10_000_000, "end_ns": 10_294_000, "data_airtime_us": 254.0, "ack_airtime_us": 30.0},
        block_acked(20_000.0, sender=D, receiver=C),
    ]
    found = rt_winf(rows)
    rates = {s: one(found, state="sender", sender=s, peer=p)["r_phy_bps"] / 1e6 for s, p in ((A, B), (C, D), (D, C))}
    # 54 Mb/s in symbols of 4 us: 8 * 1528 bits in 57 of them.
    assert rates == pytest.approx({A: 11, C: 8 * 1528 / (254 - 26), D: 65}, rel=1e-5)
    capacity = {s: one(found, state="sender", sender=s, peer=p)["capacity_bps"] for s, p in ((A, B), (C, D))}
    assert capacity[A] == pytest.approx(8e6 * 1500 / (50 + 310 + t_data(1500) + SIFS + T_ACK), rel=1e-6)
    assert capacity[C] == pytest.approx(8e6 * 1500 / (28 + 67.5 + 294), rel=1e-6)


def test_one_sniffer_hears_them_all_as_one_busy_medium():
    slow = busy_second(50, channel_mhz=None)
    fast = [block_acked(1_007_000 + n * 20_000.0, sender=C, receiver=D) for n in range(50)]
    ends = [exchange(at, channel_mhz=None) for at in (5e5, 2.5e6)]
    apart = [1 - one(rt_winf([*rows, *ends], "corrected"), state="sender", sender=s, **SECOND)["idle_ratio"]
             for rows, s in ((slow, A), (fast, C))]  # fmt: skip
    together = one(rt_winf([*slow, *fast]), state="sender", sender=A, **SECOND)
    assert 1 - together["idle_ratio"] == pytest.approx(sum(apart), abs=1e-9)


# --- samples


@pytest.fixture(scope="module")
def measured(sample, tmp_path_factory):
    """rt_winf's corrected rows of a bundled recording, and its exchanges."""

    def of(name, **settings):
        folder = tmp_path_factory.mktemp(name) / "run.winf"
        dataset = winf_analyzer.ingest([sample(name) / "recording"], folder)
        exchanges = dataset.scan("exchanges")
        return estimate(exchanges, ["rt_winf"], ["corrected"], replace(ALONE, **settings)), exchanges.collect()

    return of


@pytest.mark.parametrize(
    ("name", "tolerance"),
    [
        ("ns3_rts_link", 0.005),
        ("ns3_basic_link", 0.03),
        ("ns3_basic_link_b", 0.005),
        ("ns3_ht", 0.04),
        ("ns2_rts_link", 0.005),
    ],
)
def test_the_measured_rate_is_the_one_in_the_header(measured, name, tolerance):
    """Stamps and Durations alone give the modulation rate that radiotap or the simulator recorded."""
    rows, exchanges = measured(name)
    rate = exchanges.filter(
        pl.col("data_kind").is_in(["data", "qos_data"]), pl.col("complete"), pl.col("kind") != "broadcast"
    )
    rate = rate.group_by("sender", "receiver").agg(pl.col("rate_mbps").min().alias("low"), pl.col("rate_mbps").max())
    ends = rows.filter(pl.col("state") != "onlooker", pl.col("exchanges") > 5).join(rate, on=["sender", "receiver"])
    assert ends.height > 0
    for row in ends.iter_rows(named=True):
        assert row["low"] * (1 - tolerance) <= row["r_phy_bps"] / 1e6 <= row["rate_mbps"] * (1 + tolerance), row


def test_a_sniffer_of_b_g_and_n_stations_measures_each_within_its_rates(measured):
    """Several PHYs on one channel, some data unheard: nobody is faster than its fastest frame."""
    rows, exchanges = measured("ns3_sniffer")
    assert exchanges["phy"].drop_nulls().n_unique() > 1
    assert exchanges.filter(pl.col("kind") == "rts", ~pl.col("heard_data")).height > 100
    fastest = exchanges.group_by("sender", "receiver").agg(pl.col("rate_mbps").max())
    ends = rows.filter(pl.col("state") == "sender", pl.col("exchanges") > 5).join(fastest, on=["sender", "receiver"])
    assert ends.height > 10
    assert ends.filter(pl.col("r_phy_bps") > pl.col("rate_mbps") * 1.04e6).is_empty()
    assert ends.filter(pl.col("capacity_bps") > pl.col("c_data_bps")).is_empty()


def test_data_no_one_heard_costs_only_samples(measured):
    """Take the data away from half of a recording's RTS exchanges: the idle share stays, the samples halve."""
    rows, exchanges = measured("ns3_rts_link")
    lost = ("data_start_ns", "data_ns", "data_airtime_us", "payload_bytes", "length_bytes", "rate_mbps")
    gone = (pl.col("kind") == "rts") & pl.col("ack_ns").is_not_null() & (pl.col("exchange_no") % 2 == 0)
    deaf = exchanges.with_columns(pl.when(~gone).then(name).alias(name) for name in lost)
    partial = estimate(deaf.lazy(), ["rt_winf"], ["corrected"], ALONE)
    keys = ["observer", "node", "peer", "state", "window_start_ns"]
    both = rows.join(partial, on=keys, nulls_equal=True, suffix="_deaf").filter(pl.col("covered_ns") > 2e8)
    assert both.height > 0
    assert (both["idle_ratio"] - both["idle_ratio_deaf"]).abs().max() < 1e-9
    busy = both.filter(pl.col("exchanges") > 50)
    assert (busy["capacity_bps_deaf"] / busy["capacity_bps"] - 1).abs().max() < 0.01
    assert (busy["exchanges_deaf"] / busy["exchanges"]).max() < 0.6


@pytest.mark.parametrize(("name", "gap"), [("ns3_rts_link", 0.007), ("ns3_sniffer", 0.007)])
def test_idle_share_is_what_the_simulator_put_on_the_air(measured, sample, name, gap):
    """The union of all transmissions, of which the simulator kept a list, against the busy share of a capture that
    hears every station: b, g and n stations, lost CTSs and unheard data among them. The gaps of a SIFS inside an
    exchange count as busy; `gap` is their share."""
    _, exchanges = measured(name)
    truth = pl.read_csv(sample(name) / "truth_transmissions.csv", infer_schema_length=None)
    found = estimate(exchanges.lazy(), ["idle_gap"], ["corrected"], Settings(window_ns=10**12, min_cover=0))
    row = found.filter(pl.col("state") == "sender", pl.col("sender") == "00:00:00:00:00:01").row(0, named=True)
    busy, reach = 0, 0
    for start, end in sorted(truth.select("start_ns", end=pl.col("start_ns") + pl.col("duration_ns")).iter_rows()):
        busy += max(0, end - max(start, reach))
        reach = max(reach, end)
    assert -0.002 <= 1 - row["idle_ratio"] - busy / row["covered_ns"] <= gap + 0.002
