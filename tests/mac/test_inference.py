"""Which value counts, against recordings whose parameters are known."""

from __future__ import annotations

import json
import random

import polars as pl
import pytest
from exchange_builder import exchange
from exchange_builder import table as exchanges
from folders import SAMPLES

import winf_analyzer
from winf_analyzer import _core
from winf_analyzer import _mac as parameters
from winf_analyzer._mac import Row, infer
from winf_analyzer._mac.advertised import advertised_parameters
from winf_analyzer._mac.exchange_parameters import UNKNOWN_LIMIT, what_is_known, with_mac
from winf_analyzer._mac.override import parse_override
from winf_analyzer._schema import schema

A, B = "02:00:00:00:00:0a", "02:00:00:00:00:0b"


def link(slot=9, sifs=16, aifsn=2, cw=15, count=200, *, seed=1, slots=None, **columns):
    """A sender of frames of 500 us, which waits for `slots` after AIFS; backlogged without them."""
    draw, at, rows = random.Random(seed), 0.0, []
    for slots_waited in slots or [draw.randint(0, cw) for _ in range(count)]:
        gap = sifs + slot * (aifsn + slots_waited)
        at += gap
        row = {"source": "s", "observer": A, "sender": A, "receiver": B, "kind": "basic", "data_kind": "data"}
        row |= {"phy": "ofdm", "channel_mhz": 5180, "start_ns": round(at * 1000), "end_ns": round(at * 1000) + 500_000}
        rows.append(row | {"idle_before_us": float(gap), "attempt": 1, "complete": True, "hidden": False} | columns)
        at += 500
    return pl.LazyFrame(rows, infer_schema_length=None)


def used(table, parameter, station=A, category="dcf"):
    """Value and origin of the row that counts."""
    found = table.filter(
        pl.col("used"),
        pl.col("parameter") == parameter,
        pl.col("station") == station,
        pl.col("access_category").eq_missing(pl.lit(category, pl.String())),
    )
    return found.select("value", "origin").row(0)


def contends(table, station=A, category="dcf"):
    slot = used(table, "slot_us", station, None)
    return [slot, used(table, "aifs_us", station, category), used(table, "cw_min", station, category)]


@pytest.mark.parametrize(("slot", "cw"), [(9, 15), (9, 31), (20, 15), (13, 63)])
def test_a_backlogged_sender_is_measured(slot, cw):
    table = infer(link(slot, cw=cw, count=400))
    assert table.schema == schema("mac_parameters")
    assert contends(table) == [(slot, "measured"), (16 + 2 * slot, "measured"), (cw, "measured")]


def test_an_access_category_has_its_own_values():
    voice = link(aifsn=2, cw=3, tid=6, data_kind="qos_data")
    rest = link(aifsn=3, cw=15, tid=0, data_kind="qos_data", seed=2).with_columns(pl.col("start_ns", "end_ns") + 10**9)
    table = infer(pl.concat([voice, rest]))
    assert contends(table, category="vo")[1:] == [(34, "measured"), (3, "measured")]
    assert contends(table, category="be")[1:] == [(43, "measured"), (15, "measured")]


def test_no_station_starts_earlier_than_the_standard_allows():
    early = link(aifsn=1, cw=15, tid=0, data_kind="qos_data", count=400)
    announced = [
        Row(source="s", observer=A, station=B, access_category="be", parameter="aifsn", value=3.0, origin="declared")
    ]
    assert contends(infer(early.with_columns(bssid=pl.lit(B)), announced), category="be")[1] == (43, "declared")
    video = link(aifsn=1, cw=7, tid=5, data_kind="qos_data", count=400)
    assert contends(infer(video), category="vi")[1] == (25, "measured"), "as access points do"


def declares(parameter, value, bssid=B):
    return Row(
        source="s", observer=A, station=bssid, access_category="be", parameter=parameter, value=value, origin="declared"
    )


def test_what_the_network_declares_is_usual_for_its_stations():
    """A light sender tells its window where that is the usual one: the declared one, not the default."""
    draw = random.Random(1)
    waits = [max(draw.randint(0, 3), int(draw.expovariate(1 / 30)) if draw.random() < 0.7 else 0) for _ in range(400)]
    light = link(tid=0, data_kind="qos_data", bssid=B, slots=waits, aifsn=3)
    assert contends(infer(light), category="be")[1:] == [(43, "measured"), (15, "presumed")]
    assert contends(infer(light, [declares("cw_min", 3.0)]), category="be")[1:] == [(43, "measured"), (3, "measured")]
    assert contends(infer(light, [declares("cw_min", 7.0)]), category="be")[1:] == [(43, "measured"), (7, "declared")]
    early = link(aifsn=1, tid=0, data_kind="qos_data", bssid=B, count=400)
    declared = contends(infer(early, [declares("aifsn", 1.0)]), category="be")[1]
    assert declared == (25, "declared"), "no value of a station, so none that is usual"


def test_stations_of_other_networks_are_no_evidence_where_these_declare_other_windows():
    """Five with too few gaps each, beside a busy one that another network allows a window of 3."""
    few, other = [f"02:00:00:00:01:0{number}" for number in range(5)], "02:00:00:00:02:00"
    rows = [link(tid=0, data_kind="qos_data", bssid=other, cw=3, aifsn=3, count=400)]
    rows += [
        link(tid=0, data_kind="qos_data", bssid=B, aifsn=3, count=30, seed=number, sender=sender).with_columns(
            pl.col("start_ns", "end_ns") + (number + 1) * 10**9
        )
        for number, sender in enumerate(few)
    ]
    table = infer(pl.concat(rows, how="diagonal"), [declares("cw_min", 3.0, other), declares("cw_min", 15.0)])
    assert used(table, "cw_min", few[1], "be") == (15, "measured")


def test_packets_at_a_fixed_time_after_those_of_others_show_no_aifs():
    """Nobody needs to have drawn a backoff for them: all begin six slots after SIFS."""
    draw, at, rows = random.Random(1), 0.0, []
    for number in range(600):
        sender, slots = (A, 6) if number % 2 else (B, 2 + draw.randint(0, 15))
        gap = 16 + 9 * slots
        at += gap
        row = exchange(sender=sender, receiver=B if sender == A else A, observer=A, source="s", data_kind="data")
        row |= {"phy": "ofdm", "channel_mhz": 5180, "start_ns": round(at * 1000), "end_ns": round(at * 1000) + 500_000}
        rows.append(
            row | {"kind": "basic", "idle_before_us": float(gap), "attempt": 1, "complete": True, "hidden": False}
        )
        at += 500
    assert used(infer(exchanges(rows).lazy()), "aifs_us") == (34, "presumed")


def test_where_the_recording_is_silent_the_network_is_believed_then_the_preset():
    silent = link(count=5, tid=5, data_kind="qos_data", phy="ht", channel_mhz=2412, receiver=B, bssid=B)
    assert contends(infer(silent), category="vi") == [(9, "presumed"), (28, "presumed"), (7, "presumed")]
    announced = [
        Row(source="s", observer=A, station=B, parameter="slot_us", value=20.0, origin="declared"),
        Row(source="s", observer=A, station=B, access_category="vi", parameter="aifsn", value=4.0, origin="declared"),
    ]
    assert contends(infer(silent, announced), category="vi") == [(20, "declared"), (90, "declared"), (7, "presumed")]
    own = infer(link(count=5, tid=5, data_kind="qos_data", phy="ht", channel_mhz=2412, sender=B, bssid=B), announced)
    assert contends(own, B, "vi") == [(20, "declared"), (50, "presumed"), (7, "presumed")], "not for its own frames"


def test_a_declared_txop_limit_is_that_of_the_network_s_stations():
    network = {"source": "s", "observer": A, "station": B, "access_category": "vi", "origin": "declared"}
    announced = [Row(**network, parameter=name, value=of) for name, of in (("aifsn", 2.0), ("txop_limit_us", 1024.0))]
    video = {"count": 5, "tid": 5, "data_kind": "qos_data", "phy": "ht", "channel_mhz": 5180, "bssid": B}
    sent = pl.concat([link(**video), link(**video, sender=B, receiver=A)], how="diagonal_relaxed")
    table = infer(sent, announced)
    assert used(table, "txop_limit_us", category="vi") == (1024, "declared")
    of_both = [exchange(source="s", observer=A, sender=sender, tid=5, data_kind="qos_data") for sender in (A, B)]
    limits = with_mac(exchanges(of_both), None, what_is_known(table)).select("sender", "t_txop").collect()
    assert dict(limits.iter_rows()) == {A: 1_024_000, B: UNKNOWN_LIMIT}, "an access point declares none of its own"


def test_an_ibss_at_2_4_ghz_is_presumed_to_use_the_long_slot():
    silent = {"count": 5, "phy": "erp", "channel_mhz": 2412}
    assert used(infer(link(**silent, direct=True)), "slot_us", category=None) == (20, "presumed")
    assert used(infer(link(**silent, direct=False)), "slot_us", category=None) == (9, "presumed")
    assert used(infer(link(count=5, direct=True)), "slot_us", category=None) == (9, "presumed")


def test_what_is_given_comes_first_and_what_follows_from_it_follows():
    table = infer(link(), overrides=parse_override("slot_us=20,dcf.cw_min=31"))
    assert contends(table) == [(20, "given"), (56, "measured"), (31, "given")]
    assert table.filter(pl.col("parameter") == "slot_us", ~pl.col("used"))["value"].to_list() == [9.0]


def test_nothing_in_gives_an_empty_table():
    table = infer(link(count=1).head(0))
    assert (table.height, table.schema) == (0, schema("mac_parameters"))
    assert parameters.by_sender(table).height == 0


@pytest.mark.parametrize("seed", range(5))
def test_light_load_is_not_taken_for_contention(seed):
    draw = random.Random(seed)
    gaps = pl.Series("idle_before_us", [34 + draw.expovariate(1 / 2000) for _ in range(300)])
    table = infer(link(count=300).with_columns(gaps))
    assert {origin for _, origin in contends(table)} == {"presumed"}


def test_of_a_long_recording_a_part_is_looked_at(monkeypatch):
    monkeypatch.setattr(parameters.sampling, "SAMPLE_ROWS", 500)
    monkeypatch.setattr(parameters.sampling, "BLOCK_ROWS", 100)
    assert contends(infer(link(count=3000))) == [(9, "measured"), (34, "measured"), (15, "measured")]
    taken = parameters.sampling.draw_sample(link(count=3000))
    assert sum(station.exchanges for station in taken.stations) <= 500


@pytest.mark.parametrize(
    "name", ["ns3_ht", "ns3_basic_link", "ns3_basic_link_b", "ns3_rts_link", "ns3_chain3", "ns3_hidden"]
)
def test_the_samples_truth(name):
    truth = json.loads((SAMPLES / name / "truth.json").read_text(encoding="utf-8"))["phy"]
    aifsn, category = (3, "be") if name == "ns3_ht" else (2, "dcf")
    for capture in sorted((SAMPLES / name / "recording").glob("*.pcap")):
        table = infer(pl.DataFrame(_core.exchanges(capture, capture.name)).lazy())
        stations = table.filter(pl.col("access_category") == category)["station"].unique()
        assert len(stations) > 0
        for station in stations:
            slot, aifs, cw_min = (value for value, _ in contends(table, station, category))
            expected = (truth["slot_us"], truth["sifs_us"] + aifsn * truth["slot_us"], truth["cw_min"])
            assert (slot, aifs, cw_min) == expected


def test_the_demo_network_is_measured_with_its_one_station_of_the_old_kind(demo_dataset):
    table = demo_dataset.scan("mac_parameters").collect()
    walker, edge, old = (f"00:00:00:00:00:0{n}" for n in (2, 3, 4))
    for station, cw_min in ((walker, 15), (edge, 15), (old, 31)):
        assert contends(table, station) == [(20, "measured"), (50, "measured"), (cw_min, "measured")]


def test_of_what_a_network_announces_the_latest_counts(demo_dataset):
    rows = advertised_parameters(demo_dataset.scan("capabilities").collect().to_dicts())
    slots = [(row.station, row.value, row.samples) for row in rows if row.parameter == "slot_us"]
    network = "00:00:00:00:00:01"
    assert slots == [(network, 20.0, 118), (network, 9.0, 3)], "until a station without short slots joined"
    assert {row.source for row in rows} == {"sniffer.pcap"}
    merged = advertised_parameters(demo_dataset.scan("capabilities").collect().to_dicts(), sources=["merged"])
    assert {(row.source, row.observer) for row in merged} == {(None, None)}


def test_info_says_where_values_come_from(sample):
    from winf_analyzer._ingest.description import describe

    (facts,) = winf_analyzer.info([sample("ns3_sniffer")])
    lines = [text for label, text in describe(facts) if label == "MAC parameters"]
    assert lines[0].startswith("slot 20 us (measured on ")
    assert any(line.startswith("DCF: CWmin 15 (measured") and "CWmin 31" in line for line in lines)
    assert any(line.startswith("RTS/CTS before") for line in lines)


def test_a_given_slot_reaches_the_estimates(sample, tmp_path):
    dataset = winf_analyzer.ingest([sample("ns3_basic_link") / "recording" / "node-0.pcap"], tmp_path / "run.winf")
    chosen = {"estimators": ["rt_winf"], "mode": "corrected"}
    inferred, wrong = (winf_analyzer.estimate(dataset, **chosen, mac=mac) for mac in (None, "slot_us=9"))
    assert inferred["capacity_bps"].median() < wrong["capacity_bps"].median()
    slots = dataset.scan("mac_parameters").filter(pl.col("used"), pl.col("station").is_not_null(), parameter="slot_us")
    origins = slots.collect()["origin"].unique()
    assert origins.to_list() == ["given"]
    with pytest.raises(winf_analyzer.UsageError, match="slot_us"):
        winf_analyzer.estimate(dataset, mac="slot=9")


@pytest.mark.parametrize(("ack_us", "cw_min"), [(50, 15), (304, 31)])
def test_a_station_that_was_heard_only_through_its_acks_is_taken_for_its_mediums(ack_us, cw_min):
    heard = link(count=5, phy="erp", channel_mhz=2412, direct=True, bssid=A)
    silent = {"data_kind": None, "phy": None, "direct": None, "channel_mhz": 2412, "ack_airtime_us": float(ack_us)}
    answered = link(count=5, seed=2, sender="02:00:00:00:00:0c", **silent)
    table = infer(pl.concat([heard, answered], how="diagonal_relaxed"))
    expected = [(20, "presumed"), (50, "presumed"), (cw_min, "presumed")]
    assert contends(table, "02:00:00:00:00:0c", None) == expected


@pytest.mark.parametrize("slots", [8, 20, 60])
def test_a_sender_whose_queue_runs_empty_shows_no_longer_window(slots):
    draw = random.Random(slots)
    gaps = [16 + 9 * (3 + int(draw.expovariate(1 / slots))) for _ in range(2000)]
    light = link(count=2000, tid=0, data_kind="qos_data", phy="vht")
    table = infer(light.with_columns(pl.Series("idle_before_us", gaps, pl.Float64)))
    assert used(table, "cw_min", category="be")[0] == 15


def test_the_window_of_a_backlogged_station_is_not_that_of_a_light_one():
    """Most of the gaps are its own, so that a fit of all stations' gaps finds its window."""
    draw, of_be = random.Random(2), {"aifsn": 3, "tid": 0, "data_kind": "qos_data", "phy": "vht"}
    busy = link(cw=63, count=4000, **of_be)
    light = link(sender=B, count=100, **of_be).with_columns(
        pl.col("start_ns", "end_ns") + 10_000_000_000,
        idle_before_us=pl.Series([float(16 + 9 * (3 + int(draw.expovariate(0.05)))) for _ in range(100)]),
    )
    table = infer(pl.concat([busy, light]))
    assert used(table, "cw_min", category="be") == (63, "measured")
    assert used(table, "cw_min", B, "be")[0] == 15


def test_stations_of_one_recording_take_no_place_of_another(monkeypatch):
    for module in ("contenders", "observed"):
        monkeypatch.setattr(f"winf_analyzer._mac.{module}.MAX_STATIONS", 2)
    busy = [link(sender=f"02:00:00:00:00:{k:02}", source="busy", count=60, seed=k) for k in range(3)]
    quiet = link(source="quiet", count=20, ack_airtime_us=44.0)
    of_quiet = pl.col("source") == "quiet"
    together = infer(pl.concat([*busy, quiet], how="diagonal")).filter(of_quiet)
    assert together.height
    assert together.equals(infer(quiet).filter(of_quiet))
    assert infer(pl.concat(busy)).filter(parameter="rts_share").height == 2
