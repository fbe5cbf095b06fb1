"""The estimator on small recordings made by hand: what it reduces to, its properties, its interval."""

from dataclasses import replace
from itertools import pairwise

import polars as pl
import pytest
from exchange_builder import BACKOFF, DIFS, SIFS, T_ACK, A, B, C, D, exchange, one, t_data, table

from winf_analyzer._mac import PRESETS, Row, infer
from winf_analyzer._models.saturation.contention.own_links import as_of_the_link
from winf_analyzer._models.saturation.solvers import fixed_point
from winf_analyzer.estimators import ESTIMATES_SCHEMA, EXCHANGES_SCHEMA, Settings, estimate

SECOND = 1_000_000_000
KNOWN = Settings(cooperate=False, mac=PRESETS["hr_dsss"])


def evenly(count, first_us=1_000_500.0, **columns):
    """`count` exchanges spread over the second after the first, and one a second before and after."""
    starts = [first_us - 500_000, *(first_us + n * 1e6 / count for n in range(count)), first_us + 1_500_000]
    return [exchange(start, **{"idle_before_us": 1e6 / count - 2500} | columns) for start in starts]


def beside(count, **columns):
    """Another link that hears and is heard."""
    return evenly(count, 1_003_500.0, sender=C, receiver=D, **columns)


def rows(exchanges, mode="corrected", names=("saturation",), settings=KNOWN):
    return estimate(table([row | {"observer": A} for row in exchanges]), list(names), [mode], settings)


def of_link(exchanges, estimator="saturation", **options):
    estimates = rows(exchanges, names=(estimator,), **options)
    return one(estimates, state="sender", sender=A, receiver=B, window_start_ns=SECOND)


def test_alone_it_is_the_corrected_rt_winf():
    # A frame to all says that the recording is not of a filtered pair, whose medium is unknown.
    to_all = exchange(100_000.0, kind="broadcast", sender=B, receiver=None, is_group=True, ack_ns=None, payload_bytes=0)
    exchanges = [to_all, *evenly(100, kind="rts")]
    corrected, row = of_link(exchanges, "rt_winf"), of_link(exchanges)
    assert row["capacity_bps"] / 1e6 == pytest.approx(4.522716, rel=1e-6)
    assert row["available_bps"] / 1e6 == pytest.approx(3.322716, rel=1e-5)
    assert row["available_bps"] == pytest.approx(corrected["available_bps"], rel=1e-5)
    assert row["exchanges"] == 100


def test_a_senders_short_packets_to_others_take_their_own_time():
    short = evenly(200, 1_003_500.0, kind="basic", receiver=D, payload=60)
    row = of_link(evenly(50, kind="basic") + short)
    long_s, short_s = (1e-6 * (DIFS + BACKOFF + t_data(payload) + SIFS + T_ACK) for payload in (1500, 60))
    assert row["available_bps"] == pytest.approx((1 - 50 * long_s - 200 * short_s) / long_s * 12_000, rel=0.04)


@pytest.mark.parametrize(("own", "packets"), [({}, 0.1), ({"own_aggregates": False}, 1.0)])
def test_in_aggregates_packets_to_others_take_their_airtime_alone(own, packets):
    row = {"aggregates": True, "own_aggregates": True, "packets_max": 28.0, "per_s": 1000.0}
    row |= {"packet_s": 200e-6, "own_packet_s": 20e-6, "access_s": 130e-6, "own_access_s": 120e-6} | own
    row |= {"loss": 0.0, "own_loss": 0.0, "collision": 0.1, "window": 16.0}
    assert as_of_the_link(pl.DataFrame([row])).item() == pytest.approx(packets)


@pytest.mark.parametrize(("loss", "access_s"), [(0.0, 1.6e-3), (0.0, 0.9e-3), (0.3, 1.2e-3)])
def test_a_packet_of_another_link_takes_what_it_takes_of_a_filled_queue(loss, access_s):
    """As a queue of the link's packets gets through beside backlogged stations, and one of the other link's."""
    station = {"case": 0, "subject": False, "packets_per_s": 1e6, "packets_max": 1.0, "count": 1.0, "aifs_s": 50e-6}
    station |= {"access_s": 1.6e-3, "packet_s": 0.0, "first_s": 1.6e-3, "first_packet_s": 0.0, "tail_s": 3e-4}
    station |= {"request_s": None, "loss": 0.0, "rts_loss": 0.0, "vulnerable": 1.0, "window": 32.0, "slot_s": 20e-6}
    link, own = {"loss": 0.2, "access_s": 1.6e-3}, {"loss": loss, "access_s": access_s}

    def filled(kind):
        rows = [station | {"subject": True} | kind, station, station]
        return fixed_point.solve(pl.DataFrame(rows, schema=fixed_point.STATIONS)).row(0, named=True)

    one = filled(link)
    row = {"aggregates": False, "own_aggregates": False, "packets_max": 1.0, "per_s": one["delivered_per_s"]}
    row |= {"packet_s": 0.0, "own_packet_s": 0.0, "own_access_s": 1.6e-3, "own_loss": 0.0, "window": 32.0} | link
    row |= {f"own_{name}": value for name, value in own.items()} | {"collision": one["collision"]}
    expected = one["delivered_per_s"] / filled(link | own)["delivered_per_s"]
    assert as_of_the_link(pl.DataFrame([row])).item() == pytest.approx(expected, rel=0.08)


def test_a_light_neighbour_takes_what_it_takes():
    row = of_link(evenly(20) + beside(50))
    assert row["available_bps"] / 1e6 == pytest.approx(4.6 - 70 * 0.012, rel=0.04)


def test_a_busy_neighbour_has_to_share():
    exchanges = evenly(10) + beside(370)
    assert of_link(exchanges, "rt_winf")["available_bps"] / 1e6 < 0.15
    assert of_link(exchanges)["available_bps"] / 1e6 == pytest.approx(4.72 / 2 - 0.12, rel=0.05)


def test_available_is_at_most_the_capacity_and_falls_with_load():
    estimates = [of_link(evenly(10) + beside(count)) for count in (10, 50, 100, 200, 300)]
    available = [row["available_bps"] for row in estimates]
    assert all(less <= more * (1 + 1e-6) for more, less in pairwise(available))
    assert all(0 < row["available_bps"] <= row["capacity_bps"] for row in estimates)


def test_the_interval_holds_the_estimate_and_widens_with_load():
    light, busy = (of_link(evenly(10) + beside(count)) for count in (20, 300))
    for row in (light, busy):
        assert 0 <= row["available_low_bps"] < row["available_bps"] < row["available_high_bps"]
    widths = [(row["available_high_bps"] - row["available_low_bps"]) / row["available_bps"] for row in (light, busy)]
    assert widths[0] < widths[1]


def test_rt_winf_corrected_has_an_interval_that_holds_both():
    exchanges = evenly(10) + beside(370)
    corrected, row = of_link(exchanges, "rt_winf"), of_link(exchanges)
    assert corrected["available_low_bps"] <= corrected["available_bps"]
    assert corrected["available_high_bps"] == pytest.approx(row["available_high_bps"])
    paper = rows(exchanges, "paper", ("rt_winf",))
    assert paper["available_low_bps"].is_null().all()


def test_loss_on_a_quiet_medium_lowers_what_a_backlogged_sender_gets():
    exchanges = evenly(100, kind="basic")
    for row in exchanges[5::5]:
        row |= {"complete": False, "ack_ns": None, "ack_start_ns": None}
    assert of_link(exchanges)["available_bps"] < 0.9 * of_link(evenly(100, kind="basic"))["available_bps"]


def light_ht():
    """100 frames a second at 65 Mb/s, one by one."""
    ht = {"kind": "basic", "phy": "ht", "data_kind": "qos_data", "rate_mbps": 65.0, "channel_mhz": 5180}
    data_us, ack_us = 228.0, 28.0
    exchanges = []
    for row in evenly(100, **ht):
        start = row["data_start_ns"]
        data, ack = start + data_us * 1000, start + (data_us + 16) * 1000
        exchanges.append(
            row
            | {"data_ns": int(data), "ack_start_ns": int(ack), "ack_ns": int(ack + ack_us * 1000), "tid": 0}
            | {"end_ns": int(ack + ack_us * 1000), "data_airtime_us": data_us, "ack_airtime_us": ack_us}
        )
    return exchanges


def test_all_fragments_are_one_access():
    """MSDUs in two fragments, SIFS apart."""
    first = [row | {"seq": number} for number, row in enumerate(evenly(100, kind="basic", payload=700))]
    after_us = SIFS + t_data(700) + SIFS + T_ACK
    second = [
        exchange(row["start_ns"] / 1000 + after_us, kind="basic", payload=700, idle_before_us=SIFS, seq=row["seq"])
        for row in first
    ]
    row = of_link([*first, *second])
    cycle_us = DIFS + BACKOFF + t_data(700) + SIFS + T_ACK + after_us
    assert row["capacity_bps"] / 1e6 == pytest.approx(2 * 8 * 700 / cycle_us, rel=0.02)
    assert row["available_bps"] / 1e6 == pytest.approx(2 * 8 * 700 * (1 / cycle_us - 100e-6), rel=0.02)


def test_light_traffic_of_a_phy_that_aggregates_would_be_aggregated():
    exchanges, settings = light_ht(), Settings(cooperate=False, mac=PRESETS["ht"])
    single, row = of_link(exchanges, "rt_winf", settings=settings), of_link(exchanges, settings=settings)
    assert single["capacity_bps"] / 1e6 == pytest.approx(32, rel=0.1)
    # 28 MPDUs in 5.484 ms: 28 x 12 000 bits in 5279 us of subframes and 189 us of everything else.
    assert row["capacity_bps"] / 1e6 == pytest.approx(61.44, rel=0.002)


def of_light_ht(*frames, more=()):
    """The answer for :func:`light_ht`, of a recording that holds `frames` beside its data."""
    exchanges = table([row | {"observer": A} for row in [*light_ht(), *more]])
    settings = Settings(cooperate=False, mac=PRESETS["ht"])
    recorded = pl.LazyFrame({name: [frame[name] for frame in frames] for name in ("source", "kind", "ra", "ta")})
    recorded = recorded.cast(pl.String)
    recorded = recorded.with_columns(start_ns=pl.lit(SECOND), tid=pl.lit(0))
    estimates = estimate(exchanges, ["saturation"], ["corrected"], settings, recorded)
    return one(estimates, state="sender", sender=A, receiver=B, window_start_ns=SECOND)


def test_where_nothing_tells_whether_a_sender_aggregates_the_interval_holds_both():
    presumed = of_light_ht()
    agreed = of_light_ht({"source": light_ht()[0]["source"], "kind": "block_ack", "ra": A, "ta": B})
    assert "aggregation_presumed" in presumed["reason"]
    assert "aggregation_presumed" not in (agreed["reason"] or "")
    assert presumed["available_bps"] == agreed["available_bps"]
    assert presumed["available_high_bps"] == agreed["available_high_bps"]
    assert agreed["available_low_bps"] > 0.9 * agreed["available_bps"]
    # 12 000 bits in 34 us of AIFS, 67.5 of backoff, 228 of data, 16 + 28 of the answer, less those sent already.
    assert presumed["available_low_bps"] / 1e6 == pytest.approx(12_000 / 373.5 - 1.2, rel=0.05)


@pytest.mark.parametrize("asked", [False, True])
def test_an_agreement_with_one_receiver_does_not_tell_that_another_has_one(asked):
    source = light_ht()[0]["source"]
    frame = {"kind": "block_ack_req", "ra": C, "ta": A} if asked else {"kind": "block_ack", "ra": A, "ta": C}
    presumed, of_another = of_light_ht(), of_light_ht(frame | {"source": source})
    assert "aggregation_presumed" in of_another["reason"]
    for bound in ("available_low_bps", "available_bps", "available_high_bps"):
        assert of_another[bound] == presumed[bound]


def test_aggregates_to_one_receiver_do_not_tell_that_another_gets_some():
    shifts = [{name: row[name] + 5_000_000 for name in row if name.endswith("_ns") and row[name]} for row in light_ht()]
    to_another = [row | {"receiver": C, "mpdus": 2} | shift for row, shift in zip(light_ht(), shifts, strict=True)]
    row = of_light_ht(more=to_another[::20])
    assert "aggregation_presumed" in row["reason"]


def test_null_frames_do_not_make_a_sender_of_aggregates_one_of_single_frames():
    null = {"kind": "basic", "data_kind": "null", "payload": 0, "payload_bytes": None, "phy": "ofdm", "rate_mbps": 24.0}
    asleep = evenly(300, 1_004_000.0, channel_mhz=5180, **null)
    assert of_light_ht(more=asleep)["capacity_bps"] == pytest.approx(of_light_ht()["capacity_bps"], rel=0.05)


def to_groups(sender, count=200):
    """Frames to groups in a second, 1.8 ms each."""
    kind = {"kind": "broadcast", "is_group": True, "receiver": None, "complete": None, "ack_ns": None, "phy": "ofdm"}
    kind |= {"channel_mhz": light_ht()[0]["channel_mhz"]}
    frames = evenly(count, 1_002_000.0, data_kind="qos_data", rate_mbps=6.0, sender=sender, **kind)
    ends = ({"data_ns": row["data_start_ns"] + 1_800_000, "ack_start_ns": None} for row in frames)
    return [row | end | {"end_ns": end["data_ns"]} for row, end in zip(frames, ends, strict=True)]


def test_frames_to_groups_take_their_time_from_a_sender_that_aggregates():
    """AIFS and a mean backoff beside: its flow does not win the medium from them."""
    left = 1 - 200 * (1.8 + 0.034 + 0.0675) * 1e-3
    answer, without = of_light_ht(more=to_groups(A)), of_light_ht()
    assert answer["available_bps"] == pytest.approx(left * without["available_bps"], rel=0.03)
    assert answer["capacity_bps"] == without["capacity_bps"]
    # As from one that does not, which is the lower bound.
    assert answer["available_low_bps"] == pytest.approx(left * without["available_low_bps"], rel=0.1)


def test_a_contention_window_of_one_slot_is_no_frame_without_a_backoff():
    """A beacon may declare a CWmin of 0 for all; stations that count nothing down would have no collisions."""
    answers = [
        of_link([*evenly(200), *beside(200)], settings=replace(KNOWN, mac=replace(PRESETS["hr_dsss"], cw_min=cw_min)))
        for cw_min in (0, 1)
    ]
    assert 0 < answers[0]["available_bps"] == pytest.approx(answers[1]["available_bps"], rel=0.02)


def test_damaged_frames_that_name_nobody_are_no_station():
    """They are missing among the numbers of their senders."""
    nobody = {"sender": None, "receiver": None, "kind": "unknown", "complete": None, "ack_ns": None}
    answers = [of_link([*evenly(100), *more]) for more in ([], evenly(60, 1_004_000.0, **nobody))]
    assert answers[1]["available_bps"] == pytest.approx(answers[0]["available_bps"], rel=1e-9)


def test_frames_to_groups_of_a_neighbour_that_aggregates_are_load():
    neighbour = [row | {"sender": C, "receiver": D} for row in light_ht()]
    answer, without = (of_light_ht(more=[*neighbour, *more]) for more in (to_groups(C, 80), []))
    assert answer["available_bps"] < 0.9 * without["available_bps"]


def test_no_more_is_aggregated_than_the_receiver_announced_to_accept():
    exchanges = table([row | {"observer": A} for row in light_ht()])
    limit = Row(station=B, parameter="ampdu_max_bytes", value=8191, origin="declared")
    settings = Settings(cooperate=False, mac=PRESETS["ht"])
    estimates = estimate(exchanges, ["saturation"], ["corrected"], settings, parameters=infer(exchanges, [limit]))
    row = one(estimates, state="sender", sender=A, receiver=B, window_start_ns=SECOND)
    # 5 MPDUs in 8191 octets: 5 x 12 000 bits in 943 us of subframes and 189 us of everything else.
    assert row["capacity_bps"] / 1e6 == pytest.approx(53.0, rel=0.002)


def in_fives(idle_us, times=20):
    """Of :func:`light_ht` every fifth frame is an A-MPDU of 5, in as much time as they take.

    So many times the next comes so soon.
    """
    rows = [row | {"observer": A} for row in light_ht()]
    for number in range(0, len(rows), 5):
        longer_ns = 4 * 190_000
        moved = {name: rows[number][name] + longer_ns for name in ("data_ns", "ack_start_ns", "ack_ns", "end_ns")}
        lengths = {name: 5 * rows[number][name] for name in ("payload_bytes", "length_bytes")}
        together = {"mpdus": 5, "data_airtime_us": 228.0 + longer_ns / 1000} | lengths
        rows[number] |= moved | together
        rows[number + 1] |= {"idle_before_us": idle_us if number < 5 * times else 5_000.0}
    settings = Settings(cooperate=False, mac=PRESETS["ht"])
    exchanges = table(rows)
    estimates = estimate(exchanges, ["saturation"], ["corrected"], settings, parameters=infer(exchanges))
    return one(estimates, state="sender", sender=A, receiver=B, window_start_ns=SECOND)


def test_no_more_is_aggregated_than_a_sender_ever_did_though_more_was_waiting():
    free, limited = in_fives(5_000.0), in_fives(60.0)
    assert free["capacity_bps"] / 1e6 == pytest.approx(61.4, rel=0.02)
    assert limited["capacity_bps"] / 1e6 == pytest.approx(53.0, rel=0.02)
    assert limited["available_bps"] < 0.9 * free["available_bps"]
    assert free["reason"] is None
    assert limited["reason"] is None


def test_where_little_more_was_waiting_the_interval_holds_both():
    free, limited, open_ = in_fives(5_000.0), in_fives(60.0), in_fives(60.0, times=8)
    assert open_["reason"] == "limit_possible"
    assert open_["available_bps"] == pytest.approx(free["available_bps"])
    assert open_["available_high_bps"] == pytest.approx(free["available_high_bps"])
    assert open_["available_low_bps"] == pytest.approx(limited["available_low_bps"], rel=0.01)


def of_light_he(*bitmaps, aggregates=0):
    """The answer for light traffic at 480 Mb/s in HE PPDUs, and BlockAcks with such bitmaps; some of 64 MPDUs."""
    rows = [row | {"phy": "he", "rate_mbps": 480.0, "observer": A} for row in light_ht()]
    rows[5 : 5 + aggregates] = [row | {"mpdus": 64} for row in rows[5 : 5 + aggregates]]
    exchanges = table(rows)
    recorded = [
        {"source": rows[0]["source"], "kind": "block_ack", "ra": A, "ta": B, "ba_bitmap": bits // 4 * "f"}
        | {"length_bytes": 24 + bits // 8, "start_ns": SECOND, "tid": 0}
        for bits in bitmaps
    ]
    limit = Row(station=B, parameter="ampdu_max_bytes", value=4_194_303, origin="declared")
    frames = pl.LazyFrame(recorded)
    settings = Settings(cooperate=False, mac=PRESETS["ht"])
    estimates = estimate(exchanges, ["saturation"], ["corrected"], settings, frames, infer(exchanges, [limit]))
    return one(estimates, state="sender", sender=A, receiver=B, window_start_ns=SECOND)


def test_an_aggregate_holds_what_the_longest_block_ack_acknowledges():
    short, long = of_light_he(64), of_light_he(64, 256)
    assert long["capacity_bps"] > 1.1 * short["capacity_bps"]
    assert long["available_bps"] > 1.1 * short["available_bps"]
    assert "window_presumed" not in (long["reason"] or "")


def test_a_short_block_ack_leaves_open_whether_the_agreement_is_for_more():
    short, long = of_light_he(64), of_light_he(256)
    assert "window_presumed" in short["reason"]
    assert short["available_high_bps"] >= long["available_bps"]
    assert short["available_low_bps"] > 0.7 * short["available_bps"]


def test_aggregates_of_64_and_none_longer_show_that_it_is_not():
    full = of_light_he(64, aggregates=4)
    assert "window_presumed" not in (full["reason"] or "")
    assert full["available_high_bps"] < 1.2 * full["available_bps"]


def test_a_hidden_neighbour_without_rts_costs_more_than_one_in_range():
    seen = beside(150, kind="basic")
    unheard = [
        exchange(row["ack_start_ns"] / 1000, kind="basic", sender=C, receiver=B, heard_data=False, idle_before_us=300.0)
        | {"start_ns": row["ack_start_ns"], "data_start_ns": None, "data_ns": None, "payload_bytes": None}
        | {"length_bytes": None, "mpdus": 0, "data_airtime_us": None, "data_kind": None, "rate_mbps": None}
        | {"ack_start_ns": row["ack_start_ns"], "ack_ns": row["ack_ns"], "end_ns": row["ack_ns"]}
        for row in seen
    ]
    mine = evenly(90, kind="basic")
    lost = {"complete": False, "ack_ns": None, "ack_start_ns": None}
    failing = [row | (lost if number % 5 == 0 else {}) for number, row in enumerate(mine)]
    assert of_link(failing + unheard)["available_bps"] < 0.8 * of_link(mine + seen)["available_bps"]


def test_every_state_and_an_anonymous_sniffer_have_rows():
    exchanges = evenly(20) + beside(50)
    own = rows(exchanges)
    assert set(own["state"]) == {"sender", "onlooker"}
    sniffed = estimate(table(exchanges), ["saturation"], ["corrected"], KNOWN)
    assert set(sniffed.filter(pl.col("sender").is_not_null())["state"]) >= {"sender", "receiver"}


@pytest.mark.parametrize("settings", [KNOWN, Settings(step_ns=SECOND // 4), Settings(running=True)])
def test_no_mode_of_windows_makes_it_fail_or_leave_its_bounds(settings):
    found = rows(evenly(20) + beside(50), settings=settings)
    assert found.height
    assert (found["available_bps"] <= found["capacity_bps"] * (1 + 1e-9)).all()
    assert not found["available_bps"].is_nan().any()


def test_as_published_everybody_is_backlogged():
    row = of_link(evenly(10) + beside(20), mode="paper")
    assert row["available_bps"] / 1e6 == pytest.approx(4.72 / 2 - 0.12, rel=0.02)
    assert row["available_low_bps"] is None


def test_it_needs_more_than_one_exchange():
    assert rows(evenly(20), settings=Settings(per_exchange=True)).is_empty()


def test_empty_in_empty_out():
    empty = pl.LazyFrame(schema=EXCHANGES_SCHEMA)
    found = estimate(empty, ["saturation"], ["corrected"])
    assert found.is_empty()
    assert found.schema == ESTIMATES_SCHEMA


def test_exchanges_that_cannot_be_understood_are_no_samples():
    odd = [
        exchange(1_000_000, payload_bytes=None, length_bytes=None, mpdus=None),
        exchange(1_010_000, rate_mbps=None, idle_before_us=None),
        exchange(1_020_000, kind="rts_failed"),
        exchange(1_030_000, sender=None, receiver=None, kind="unknown"),
        exchange(1_040_000, end_ns=1_030_000_000, idle_before_us=-5.0),
    ]
    found = rows(odd)
    known = found.drop_nulls("available_bps")
    assert known["available_bps"].is_finite().all()
