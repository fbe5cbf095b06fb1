"""What a recording does not tell, in recordings made by hand: inferred, or declined with the reason."""

import random

import polars as pl
import pytest
from exchange_builder import A, B, C, D, exchange, one, table

from winf_analyzer._mac import PRESETS
from winf_analyzer._models.saturation.recorded import to_groups
from winf_analyzer.estimators import Settings, estimate

SECOND = 1_000_000_000
PIFS, DIFS, SLOT = 30.0, 50.0, 20.0
KNOWN = Settings(cooperate=False, mac=PRESETS["hr_dsss"])


def poisson(per_second, seconds=4, seed=1, **columns):
    """Exchanges at random times, numbered, of a link that begins before the first window and ends after the last."""
    draw, at_us, rows = random.Random(seed), 500_000.0, []
    while at_us < (1.5 + seconds) * 1e6:
        gap_us = draw.expovariate(per_second / 1e6)
        at_us += max(gap_us, 2500.0)
        idle = {"idle_before_us": max(gap_us - 1700.0, 60.0), "kind": "basic", "seq": len(rows) % 4096}
        rows.append(exchange(at_us, **(idle | columns)))
    return rows


def beside(per_second, seed=2, **columns):
    return poisson(per_second, seed=seed, sender=C, receiver=D, **columns)


def of_link(exchanges, observer=A, settings=KNOWN, mean=True):
    rows = table([row | {"observer": observer} for row in sorted(exchanges, key=lambda row: row["end_ns"])])
    found = estimate(rows, ["saturation"], ["corrected"], settings)
    link = found.filter(pl.col("sender") == A, pl.col("node") == A, pl.col("state") == "sender")
    inner = link.filter(pl.col("window_start_ns").is_between(SECOND, 4 * SECOND), pl.col("receiver") == B)
    assert inner.height == 4
    return inner.select(pl.selectors.float().mean(), pl.col("reason").first()).row(0, named=True)


def width(row):
    return (row["available_high_bps"] - row["available_low_bps"]) / row["available_bps"]


@pytest.mark.parametrize("share", [0.1, 0.4])
def test_exchanges_that_were_not_recorded_are_put_back(share):
    draw = random.Random(3)
    everything = poisson(30) + beside(150)
    heard = [row for row in everything if draw.random() >= share]
    whole, partial = of_link(everything), of_link(heard)
    assert partial["available_bps"] == pytest.approx(whole["available_bps"], rel=0.05)
    assert width(partial) > width(whole)
    assert partial["reason"] == "frames_missed"
    assert whole["reason"] is None


def test_almost_nothing_heard_is_no_answer():
    draw = random.Random(3)
    heard = [row for row in poisson(60) if draw.random() < 0.2]
    row = of_link(heard + beside(50))
    assert (row["available_bps"], row["reason"].split(",")[0]) == (None, "mostly_unheard")


def test_answers_that_only_the_recorder_missed_are_no_losses():
    draw = random.Random(4)
    missing = {"complete": False, "ack_ns": None, "ack_start_ns": None}
    exchanges = [row | (missing if draw.random() < 0.3 else {}) for row in poisson(60)]
    assert of_link(exchanges)["available_bps"] == pytest.approx(of_link(poisson(60))["available_bps"], rel=0.03)


def test_the_same_without_answers_and_sent_again_is_a_loss():
    draw, exchanges = random.Random(4), []
    for row in poisson(60):
        if draw.random() < 0.3:
            lost = {"complete": False, "ack_ns": None, "ack_start_ns": None}
            exchanges.append(row | lost)
            again = exchange(
                row["start_ns"] / 1000 + 2200, kind="basic", attempt=2, seq=row["seq"], idle_before_us=500.0
            )
            exchanges.append(again)
        else:
            exchanges.append(row)
    assert of_link(exchanges)["available_bps"] < 0.85 * of_link(poisson(60))["available_bps"]


@pytest.mark.parametrize(("later_us", "counts"), [(0, False), (10_000, True)])
def test_an_attempt_whose_answer_the_recording_no_longer_holds_has_not_failed(later_us, counts):
    """Of two links whose packets hardly ever meet; the last frame of the recording is an attempt of the first."""
    everything = sorted(poisson(60, receiver=B) + beside(100), key=lambda row: row["end_ns"])
    unanswered = {"complete": False, "ack_ns": None, "ack_start_ns": None}
    at_us = everything[-1]["end_ns"] / 1000 + 500
    last = exchange(at_us, kind="basic", seq=4000, idle_before_us=500.0) | unanswered
    last |= {"end_ns": last["data_ns"]}
    after = [exchange(at_us + later_us, kind="basic", sender=C, receiver=D, seq=4000)] if later_us else []
    whole, cut_off = of_link(everything + after), of_link([*everything, last, *after])
    assert (cut_off["available_bps"] < whole["available_bps"]) == counts


def only_answers(rows):
    """Of each exchange no more than the ACK."""
    unheard = {"heard_data": False, "receiver": None, "mpdus": 0}
    unheard |= dict.fromkeys(
        ("data_start_ns", "data_ns", "payload_bytes", "length_bytes", "data_kind", "rate_mbps", "seq")
    )
    return [row | unheard | {"start_ns": row["ack_start_ns"], "data_airtime_us": None} for row in rows]


def test_a_station_that_waits_for_us_is_no_hidden_one_though_its_data_was_not_recorded():
    everything, partial = poisson(60) + beside(100), poisson(60) + only_answers(beside(100))
    row = of_link(partial)
    assert row["available_bps"] == pytest.approx(of_link(everything)["available_bps"], rel=0.05)
    assert "neighbour_unheard" in row["reason"]


def test_for_a_third_station_repeated_data_is_what_collided():
    """Of two links nothing that collided reached the sniffer; the more was repeated, the more collisions destroy."""

    def repeating(share):
        draw = random.Random(5)
        repeat = lambda row: row | {"attempt": 2} if draw.random() < share else row  # noqa: E731
        return [repeat(row) for row in poisson(100) + beside(280)]

    never, often = of_link(repeating(0.0), observer=None), of_link(repeating(0.05), observer=None)
    assert often["available_bps"] < 0.97 * never["available_bps"]


def test_a_third_station_to_which_no_failed_rts_shows_takes_every_collision_for_destructive():
    """At 11 Mb/s to another receiver a third is destroyed, as long as the sender sees none of its own."""
    rows = poisson(60, kind="rts") + beside(150, kind="rts")
    own, third = of_link(rows), of_link(rows, observer=None)
    assert third["available_bps"] < 0.99 * own["available_bps"]


def he(per_second, **columns):
    """802.11ax whose header does not say how many streams there are: the airtime is known, the rate is not."""
    base = {"kind": "basic", "phy": "he", "data_kind": "qos_data", "tid": 0, "rate_mbps": None, "channel_mhz": 5180}
    rows = []
    for number, row in enumerate(poisson(per_second, **base)):
        octets = 1540 * (1 + number % 3)
        air_us = 66.0 + octets * 8 / 120.0
        start = row["data_start_ns"]
        data, ack = start + round(air_us * 1000), start + round((air_us + 16) * 1000)
        rows.append(
            row
            | {"data_airtime_us": air_us, "length_bytes": octets, "payload_bytes": 1500 * (1 + number % 3)}
            | {"data_ns": data, "ack_start_ns": ack, "ack_ns": ack + 32_000, "end_ns": ack + 32_000}
            | {"mpdus": 1 + number % 3, "ack_airtime_us": 32.0}
            | columns
        )
    return rows


def test_a_rate_that_the_header_leaves_open_follows_from_airtimes():
    row = of_link(he(100), settings=Settings(cooperate=False, mac=PRESETS["he"]))
    # 42 MPDUs of 1544 octets at 120 Mb/s in 5.484 ms leave some 8 % to everything else.
    assert row["available_bps"] / 1e6 == pytest.approx(112, rel=0.05)


def test_a_rate_that_nothing_tells_is_no_answer():
    row = of_link(he(100, data_airtime_us=None), settings=Settings(cooperate=False, mac=PRESETS["he"]))
    assert (row["available_bps"], row["capacity_bps"], row["reason"]) == (None, None, "rate_unknown")


def test_a_link_that_delivered_twice_is_no_sample():
    few = [exchange(2_000_000.0 + n * 1_000_000, kind="basic", idle_before_us=5000.0) for n in range(2)]
    rows = [row | {"observer": A} for row in sorted(few + beside(100), key=lambda row: row["end_ns"])]
    found = estimate(table(rows), ["saturation"], ["corrected"], KNOWN)
    row = one(found, state="sender", sender=A, receiver=B, window_start_ns=2 * SECOND)
    assert (row["available_bps"], row["reason"]) == (None, "few_samples")


def test_what_the_model_says_is_never_less_than_what_the_sender_has():
    """A sender beside which the model sees no room, but which delivers a lot all the same."""
    row = of_link(poisson(250) + beside(380))
    assert row["available_bps"] is None or row["available_bps"] >= 0
    if row["available_bps"] is None:
        assert row["reason"] == "below_own_traffic"


def test_many_stations_are_one_row_of_a_crowd():
    """Forty stations of one packet a second each are as forty stations, not as none."""

    def crowd(stations):
        rows = []
        for number in range(stations):
            name = f"02:00:00:00:01:{number:02x}"
            rows += poisson(160 / stations, seed=10 + number, sender=name, receiver=D)
        return rows

    few, many = of_link(poisson(30) + crowd(8)), of_link(poisson(30) + crowd(80))
    assert many["available_bps"] == pytest.approx(few["available_bps"], rel=0.08)


@pytest.mark.parametrize("rate_mbps", [5.5, 6.5, 65 / 9, 11.0, 86.7])
def test_a_constant_rate_does_not_vary(rate_mbps):
    row = of_link(poisson(60, rate_mbps=rate_mbps) + beacons(0, C, 200.0))
    assert row["reason"] is None
    assert width(row) < 0.1


def test_two_rates_vary():
    rows = poisson(60)
    mixed = [row | {"rate_mbps": 5.5 if number % 2 else 11.0} for number, row in enumerate(rows)]
    row = of_link(mixed + beacons(0, C, 200.0))
    assert row["reason"] == "rate_varies"
    assert width(row) > 0.3


def test_exchanges_with_and_without_rts_cost_their_mean():
    basic = poisson(60)
    rts = [row | {"kind": "rts", "start_ns": row["start_ns"] - 700_000, "rts_start_ns": 0} for row in basic]
    mixed = [one if number % 5 < 3 else other for number, (one, other) in enumerate(zip(rts, basic, strict=True))]
    without, mean, with_rts = (1 / of_link(rows)["capacity_bps"] for rows in (basic, mixed, rts))
    assert with_rts > 1.2 * without
    assert mean == pytest.approx(0.6 * with_rts + 0.4 * without, rel=0.02)


def test_a_window_with_one_exchange_costs_what_is_usual():
    """Of four windows the second has one exchange, which took three times as long as the others of the recording."""
    window = (2 * SECOND, 3 * SECOND)
    rows = [row for row in poisson(60) if not window[0] <= row["end_ns"] < window[1]]
    long = exchange(2_500_000.0, kind="basic", seq=0, idle_before_us=5000.0, data_airtime_us=4000.0)
    row = of_link([*rows, long])
    usual = of_link(poisson(60))
    assert row["capacity_bps"] == pytest.approx(usual["capacity_bps"], rel=0.06)


def beacons(number, sender, idle_us, seconds=4, every_us=102_400):
    """Of one of 20 BSSIDs of a radio that share its sequence numbers, of 1.3 ms each."""
    columns = {
        **{"kind": "broadcast", "data_kind": "beacon", "receiver": None, "is_group": True, "sender": sender},
        **{"ack_ns": None, "ack_start_ns": None, "payload_bytes": 0, "idle_before_us": idle_us},
    }
    at_us = range(500_000 + 4000 * number, int((1.5 + seconds) * 1e6), every_us)
    return [exchange(at, seq=(20 * turn + number) % 4096, **columns) for turn, at in enumerate(at_us)]


@pytest.mark.parametrize("burst", [False, True])
def test_beacons_take_the_air_whatever_else_of_their_senders_was_missed(burst):
    """Also where those of a radio's BSSIDs follow one another SIFS apart, as in a TXOP."""
    idle_us = 12.0 if burst else 200.0
    names = [f"02:00:00:00:01:{number:02x}" for number in range(20)]
    around = [row for number, name in enumerate(names) for row in beacons(number, name, idle_us)]
    draw = random.Random(3)
    heard = [row for row in poisson(30) if draw.random() >= 0.3]
    alone, beside_them = of_link(heard), of_link(heard + around)
    assert beside_them["available_bps"] < (0.75 if burst else 0.76) * alone["available_bps"]
    assert beside_them["available_bps"] == pytest.approx(of_link(poisson(30) + around)["available_bps"], rel=0.1)


def around(*idle_us, count=20):
    """Beacons of so many access points, of 1.3 ms each, every 102.4 ms; in turn as long after the medium fell idle."""
    found = []
    for number in range(count):
        own = beacons(number, f"02:00:00:00:01:{number:02x}", 0.0)
        found += [row | {"seq": turn, "idle_before_us": idle_us[turn % len(idle_us)]} for turn, row in enumerate(own)]
    return found


def beside_beacons(*idle_us, per_second=30, **options):
    return of_link(poisson(per_second) + around(*idle_us, **options))


def backoffs():
    draw = random.Random(5)
    return [DIFS + SLOT * draw.randrange(32) for _ in range(97)]


def test_beacons_without_a_backoff_take_less_than_those_that_contend():
    """A quarter of the time, of which those that wait for one exchange take the same; else they meet data as well."""
    alone = of_link(poisson(30))
    at_once, contending = beside_beacons(PIFS, 5000.0), beside_beacons(*backoffs())
    assert 0.738 * alone["available_bps"] < at_once["available_bps"] < 0.80 * alone["available_bps"]
    assert contending["available_bps"] < 0.95 * at_once["available_bps"]
    assert at_once["reason"] is None


def test_where_no_beacon_waited_it_is_presumed_and_the_interval_has_both():
    idle = ((5000.0,), (PIFS, 5000.0), backoffs())
    presumed, at_once, contending = (beside_beacons(*idle_us, count=28) for idle_us in idle)
    assert presumed["reason"] == "beacons_presumed"
    assert presumed["available_bps"] == pytest.approx(at_once["available_bps"], rel=0.01)
    assert presumed["available_low_bps"] < contending["available_bps"]
    assert at_once["available_low_bps"] > presumed["available_low_bps"]


def test_beacons_of_one_access_point_make_no_doubt():
    assert beside_beacons(5000.0, count=1)["reason"] is None


def test_frames_to_groups_that_contend_are_not_repeated(monkeypatch):
    """Else they would be sent again where they collide."""
    found = beside_beacons(*backoffs())["available_bps"]
    monkeypatch.setattr(to_groups, "repeated", lambda: pl.lit(1.0))
    assert beside_beacons(*backoffs())["available_bps"] < 0.97 * found
