"""TCP goodput beside what a saturating flow gets."""

import random

import polars as pl
import pytest

from winf_analyzer._recommended import repeated, reverse
from winf_analyzer._recommended.tcp import MODEL_ERROR, MSDU_BYTES, SEGMENT_BYTES, aggregated, goodput

LIGHT_HT = {
    "capacity_bps": 58e6,
    "available_bps": 30e6,
    "available_low_bps": 28e6,
    "available_high_bps": 32e6,
    "own_bps": 2.5e6,
    "bits": 1000 * 12_064.0,
    "mpdus": 1000.0,
    "psdu_bits": 1000 * 12_304.0,
    "psdu_us": 1000 * 189.3,
    "data_us": 1000 * 225.0,
    "samples": 1000,
    "rts": 0,
    "ack_us": 1000 * 32.0,
    "answers": 1000,
    "rts_cts_us": None,
    "handshakes": 0,
    "cts_self": 0,
    "cts_self_us": None,
    "own_cts": 0,
    "fragments": 0,
    "rate_max_mbps": 65.0,
    "phy": "ht",
    "channel_mhz": 5180,
    "covered_ns": 10_000_000_000,
    "failing": 0.0,
    "yielding_bits": None,
    "yielding_links": None,
    "back_rate_mbps": None,
    "back_plcp_us": None,
    "back_ack_us": None,
    "back_single": None,
    "back_samples": None,
    "back_varies": None,
    "aggregation_presumed": False,
}
"""A link of 65 Mb/s that sent single frames, whose backlogged sender would aggregate."""


def answer(**changed: object) -> dict[str, float]:
    """The row with TCP goodput."""
    unknown = {
        "rts_cts_us": pl.Float64,
        "cts_self_us": pl.Float64,
        "yielding_bits": pl.Float64,
        "yielding_links": pl.UInt32,
    }
    unknown |= dict.fromkeys(("back_rate_mbps", "back_plcp_us", "back_ack_us"), pl.Float64)
    unknown |= {"back_single": pl.Boolean, "back_samples": pl.Int64, "back_varies": pl.Boolean}
    rows = pl.DataFrame([LIGHT_HT | changed], schema_overrides=unknown)
    return goodput(rows).row(0, named=True)


def ratio(**changed: object) -> float:
    """TCP goodput over the saturating flow's."""
    row = answer(**changed)
    return row["available_tcp_bps"] / row["available_bps"]


ALONE = {"capacity_bps": 61.27e6, "available_bps": 58.2e6, "available_low_bps": 58.2e6, "available_high_bps": 58.2e6}
"""The link without others, and a saturating flow that is known exactly."""


def simulated(segments: int) -> float:
    """Share of its goodput alone that a sender of aggregates keeps beside a receiver of its segments.

    Both back off by 0 to 15 slots, by 0 to 31 after a collision. Segments of 1540 octets, ACKs of 98;
    65 Mb/s; AIFS, preamble, SIFS and BlockAck take 127 us.
    """
    draw = random.Random(1)
    exchange_us, acks_us, slot_us = 127 + segments * 1540 * 8 / 65, 127 + segments / 2 * 98 * 8 / 65, 9.0
    own, receivers = draw.randrange(16), None
    spent_us = alone_us = 0.0
    for _ in range(40_000):
        if receivers is None or own < receivers:
            spent_us += own * slot_us + exchange_us
            alone_us += 7.5 * slot_us + exchange_us
            receivers = draw.randrange(16) if receivers is None else receivers - own
            own = draw.randrange(16)
        elif receivers < own:
            spent_us += receivers * slot_us + acks_us
            own, receivers = own - receivers, None
        else:
            spent_us += own * slot_us + exchange_us
            own, receivers = draw.randrange(32), draw.randrange(32)
    return alone_us / spent_us


def test_receiver_and_sender_contend_as_two_stations_do_of_which_one_waits_for_the_others_packets() -> None:
    assert ratio(**ALONE) == pytest.approx(simulated(28) * SEGMENT_BYTES / MSDU_BYTES, rel=0.015)


def simulated_one_by_one(ack_us: float) -> float:
    """Time per segment, us, of the same sender where each ACK takes an access of `ack_us`, with a window of 400."""
    draw = random.Random(1)
    packets, windows, left, spent_us, delivered = [400, 0], [16, 16], [-1, -1], 0.0, 0

    def backoff(station: int) -> None:
        left[station] = draw.randrange(windows[station]) if packets[station] else -1

    for _ in range(40_000):
        for station in range(2):
            if left[station] < 0:
                backoff(station)
        first = min(slots for slots in left if slots >= 0)
        spent_us += 9.0 * first
        left = [slots - first if slots >= 0 else -1 for slots in left]
        segments = min(packets[0], 28)
        exchange_us = 127 + segments * 1540 * 8 / 65
        if left == [0, 0]:
            spent_us += max(exchange_us, ack_us)
            windows = [min(2 * window, 1024) for window in windows]
            left = [-1, -1]
            continue
        sender = 0 if left[0] == 0 else 1
        spent_us += ack_us if sender else exchange_us
        moved = 1 if sender else segments
        packets[sender] -= moved
        packets[1 - sender] += 2 * moved if sender else moved / 2
        packets[1] = packets[1] if sender else int(packets[1] + 0.5)
        delivered += 0 if sender else segments
        windows[sender], left[sender] = 16, -1
    return spent_us / delivered


ACKS_AT_2 = {
    "back_rate_mbps": 2.0,
    "back_plcp_us": 96.0,
    "back_ack_us": 152.0,
    "back_single": True,
    "back_samples": 100,
}
"""Of a receiver that sends at 2 Mb/s, in single frames with short preambles."""


@pytest.mark.parametrize(
    ("mbps", "plcp_us", "ack_us"), [(24.0, 20.0, 28.0), (6.0, 20.0, 44.0), (2.0, 96.0, 152.0), (1.0, 192.0, 304.0)]
)
def test_acks_that_travel_one_by_one_cost_what_they_do_at_the_receivers_rate(mbps, plcp_us, ack_us) -> None:
    # DIFS, preamble, 98 octets less the delimiters that single frames lack, SIFS and ACK.
    access_us = 34 + plcp_us + 8 * 94 / mbps + 16 + ack_us
    expected_bps = 8e6 * SEGMENT_BYTES / simulated_one_by_one(access_us)
    receiver = ACKS_AT_2 | {"back_rate_mbps": mbps, "back_plcp_us": plcp_us, "back_ack_us": ack_us}
    alone = answer(**ALONE, **receiver)
    assert alone["available_tcp_bps"] == pytest.approx(expected_bps * 58.2 / 61.27, rel=0.02)
    assert alone["available_tcp_high_bps"] < 0.9 * answer(**ALONE)["available_tcp_high_bps"]


def test_acks_go_behind_a_cts_to_self_where_data_does() -> None:
    # At 1 Mb/s with a long preamble 304 us, and SIFS.
    protected = LEGACY | {"cts_self": 900, "cts_self_us": 900 * 304.0, "own_cts": 900}
    bare, behind = (answer(**link) for link in (LEGACY, protected))
    share_left = bare["available_tcp_bps"] / (20e6 * SEGMENT_BYTES / MSDU_BYTES)
    segment_us = 12_064 / 30 / share_left
    slower = (segment_us + 314 / 2) / segment_us
    assert bare["available_tcp_bps"] / behind["available_tcp_bps"] == pytest.approx(slower, rel=0.02)
    assert answer(**LEGACY | {"cts_self": 400})["available_tcp_bps"] == bare["available_tcp_bps"]


def test_the_receivers_rate_is_that_of_its_own_data_at_the_same_recorder() -> None:
    forth = {"source": "a", "observer": None, "sender": "c", "receiver": "d", "phy": "ht", "samples": 10}
    forth |= {
        "psdu_bits": 6.5e5,
        "psdu_us": 1e4,
        "data_us": 1.04e4,
        "ack_us": 320.0,
        "answers": 10,
        "rate_max_mbps": 65.0,
    }
    back = forth | {
        "sender": "d",
        "receiver": "c",
        "phy": "dsss",
        "psdu_us": 6.5e5,
        "data_us": 6.52e5,
        "rate_max_mbps": 1.0,
    }
    elsewhere = back | {"source": "b", "phy": "ht"}
    links = pl.DataFrame([forth, back, elsewhere], schema_overrides={"observer": pl.String})
    row = reverse.with_reverse(links[:1], links).row(0, named=True)
    assert (row["back_rate_mbps"], row["back_plcp_us"], row["back_single"], row["back_samples"]) == (1.0, 200, True, 10)
    quick = {"psdu_us": 1e4, "phy": "ofdm", "rate_max_mbps": 65.0}
    unnamed = pl.concat([links[:1], pl.DataFrame([back | quick], schema=links.schema)])
    assert not reverse.with_reverse(links[:1], unnamed)["back_single"].item()
    mixed = pl.concat([links[:1], pl.DataFrame([back | {"phy": "ht", "rate_max_mbps": 65.0}], schema=links.schema)])
    row = reverse.with_reverse(links[:1], mixed).row(0, named=True)
    assert (row["back_single"], row["back_varies"]) == (True, True), "1 Mb/s on the average is no rate of 802.11n"
    assert reverse.with_reverse(links[2:], links).row(0, named=True)["back_rate_mbps"] is None


def test_few_frames_of_the_receiver_are_in_the_bounds_alone() -> None:
    few, many = (answer(**ALONE, **ACKS_AT_2 | {"back_samples": samples}) for samples in (19, 20))
    unknown = answer(**ALONE)
    assert few["available_tcp_bps"] == unknown["available_tcp_bps"] > 1.4 * many["available_tcp_bps"]
    assert few["available_tcp_high_bps"] == unknown["available_tcp_high_bps"]
    assert few["available_tcp_low_bps"] < 0.9 * unknown["available_tcp_low_bps"]
    varied = answer(**ALONE, **ACKS_AT_2, back_varies=True)
    assert varied["available_tcp_bps"] == many["available_tcp_bps"]
    assert varied["available_tcp_high_bps"] > 1.2 * many["available_tcp_high_bps"]
    faster = answer(**LEGACY, back_rate_mbps=108.0, back_plcp_us=20.0, back_samples=5)
    assert faster["available_tcp_low_bps"] == answer(**LEGACY)["available_tcp_low_bps"]
    assert faster["available_tcp_high_bps"] > answer(**LEGACY)["available_tcp_high_bps"]


def test_a_receiver_that_sends_as_the_sender_does_changes_nothing() -> None:
    alike = {"back_rate_mbps": 65.0, "back_plcp_us": 35.7, "back_ack_us": 32.0, "back_single": False}
    assert ratio(**ALONE, **alike, back_samples=100) == pytest.approx(ratio(**ALONE), rel=1e-3)


def test_what_is_presumed_to_be_aggregated_may_go_in_single_frames() -> None:
    known, presumed = (answer(**ALONE, aggregation_presumed=presumed) for presumed in (False, True))
    assert presumed["available_tcp_bps"] == known["available_tcp_bps"]
    # Of single frames 34 + 67.5 + 36 + 189 + 16 + 32 us, and ACKs of half an access for each.
    share = 375 / (375 + (34 + 36 + 48 + 12) / 2)
    assert presumed["available_tcp_low_bps"] == pytest.approx(share * 58.2e6 * SEGMENT_BYTES / MSDU_BYTES, rel=0.1)
    assert presumed["available_tcp_low_bps"] < 0.92 * known["available_tcp_low_bps"]


@pytest.mark.parametrize(("mbps", "segments"), [(65.0, 28), (135.0, 42), (26.0, 11)])
def test_an_aggregate_is_as_long_as_octets_and_time_allow(mbps: float, segments: int) -> None:
    assert pl.select(aggregated(pl.lit(mbps))).item() == segments


def test_collisions_with_acks_make_short_windows_uncertain() -> None:
    """In 100 ms are 16 aggregates, of which one in fifteen collides: sqrt(1.1 / 15) of so many, 1.645 times."""
    whole, short = answer(**ALONE, covered_ns=10**13), answer(**ALONE, covered_ns=10**8)
    assert whole["available_tcp_low_bps"] == pytest.approx(0.95 * whole["available_tcp_bps"], rel=1e-3)
    margin = 1 - short["available_tcp_low_bps"] / short["available_tcp_bps"]
    chance = (margin**2 - MODEL_ERROR**2) ** 0.5
    assert chance == pytest.approx(1.645 * 1.1 * (1 / 15 / 15.6) ** 0.5, rel=0.03)
    more = short["available_tcp_high_bps"] / short["available_tcp_bps"]
    assert more == pytest.approx(1 + margin, rel=0.02)


def test_the_acks_to_a_sender_that_would_aggregate_travel_together_though_its_light_traffic_does_not() -> None:
    assert ratio() > 0.8
    assert ratio(mpdus=2000.0, bits=2000 * 12_064.0) == pytest.approx(ratio())


def test_acks_collide_with_whole_aggregates_but_with_an_rts_alone() -> None:
    protected = {"rts": 1000, "rts_cts_us": 1000 * 60.0, "handshakes": 1000}
    assert ratio(**protected) > ratio() + 0.04


@pytest.mark.parametrize(("octets", "more"), [(1508, False), (140, True)])
def test_full_segments_deliver_more_than_short_packets(octets: int, more: bool) -> None:
    sizes = {"bits": 1000 * 8.0 * octets, "capacity_bps": 58e6 * octets / 1508}
    assert (ratio(**sizes) > 1) == more


@pytest.mark.parametrize("mbps", [29.0, 73.0, 184.0])
@pytest.mark.parametrize("single", [False, True])
def test_a_rate_that_no_header_tells_follows_from_the_capacity(mbps: float, single: bool) -> None:
    """802.11ax: AIFS, preamble, SIFS, BlockAck and backoff of 43 + 44 + 16 + 32 + 67.5 us."""
    segments = 1 if single else min(42, int(5484 * mbps / 8 / 1544))
    exchange_us = 43 + 44 + 16 + 32 + 67.5 + segments * 8 * (1538 if single else 1544) / mbps
    capacity = dict.fromkeys(ALONE, segments * 12_064 / exchange_us * 1e6)
    told = {"psdu_us": 1000 * 8 * 1538 / mbps, "data_us": 1000 * (44 + 8 * 1538 / mbps), "rate_max_mbps": mbps}
    untold = {"psdu_bits": 0.0, "psdu_us": 0.0, "data_us": 0.0, "rate_max_mbps": None}
    many = {"mpdus": 1000.0} if single else {"mpdus": 1010.0, "bits": 1010 * 12_064.0}
    same = {"phy": "he", **capacity, **many}
    assert ratio(**same, **untold) == pytest.approx(ratio(**same, **told), rel=0.02)


def test_a_flow_in_a_queue_that_another_fills_gets_half_of_what_both_get():
    filled = {"available_bps": 0.0, "available_low_bps": 0.0, "available_high_bps": 0.0}
    row = answer(**filled, yielding_bits=30e6 * 10, yielding_links=1)
    both = 30e6 * SEGMENT_BYTES / MSDU_BYTES
    assert row["available_tcp_bps"] == pytest.approx(both / 2)
    assert row["available_tcp_low_bps"] == pytest.approx(both / 5)
    assert row["available_tcp_high_bps"] == pytest.approx(both * 2 / 3)
    assert row["shared_queue"]


def test_a_flow_gets_what_is_left_where_that_is_more_than_a_share():
    row = answer(yielding_bits=1e6 * 10, yielding_links=1)
    assert row["available_tcp_bps"] == answer()["available_tcp_bps"]
    assert not row["shared_queue"]


LEGACY = {
    **{"phy": "erp", "channel_mhz": 2412, "rate_max_mbps": 54.0, "capacity_bps": 30e6, "own_bps": 1e6},
    **{"available_bps": 20e6, "available_low_bps": 19e6, "available_high_bps": 21e6, "ack_us": 1000 * 28.0},
    **{"psdu_us": 1000 * 227.9, "data_us": 1000 * 248.0},
}
"""Single frames at 54 Mb/s."""


def in_fragments(octets: int, pieces: int) -> dict[str, float]:
    """Packets of as many octets in single frames at 54 Mb/s, each in fragments, with a preamble of 20 us."""
    bits, frames = 8000.0 * octets, 1000 * pieces
    psdu_bits = bits + frames * 240.0
    times = {"psdu_us": psdu_bits / 54, "data_us": psdu_bits / 54 + frames * 20.0, "ack_us": frames * 28.0}
    counts = {"mpdus": float(frames), "samples": frames, "answers": frames, "fragments": frames - 1000}
    return LEGACY | {"bits": bits, "psdu_bits": psdu_bits, "capacity_bps": 20e6} | times | counts


def test_a_packet_is_all_its_fragments():
    """Where they are as long as a segment, it costs what one of a link with this capacity does."""
    assert ratio(**in_fragments(1508, 3)) == pytest.approx(ratio(**in_fragments(1508, 1)))


def test_a_segment_is_split_into_whole_fragments():
    short, per_us = in_fragments(1400, 3), 20.0
    alone_us = 11_200 / per_us
    # A fourth fragment: its preamble and headers, SIFS and its ACK, and SIFS again.
    segment_us = alone_us + 864 / 54 + 20 + 240 / 54 + 10 + 28 + 10
    whole = in_fragments(1508, 1) | {"capacity_bps": 1e6 * 12_064 / segment_us}
    assert ratio(**short) * 11_200 / alone_us == pytest.approx(ratio(**whole) * 12_064 / segment_us, rel=1e-3)


def test_what_is_sent_again_takes_time_beside_which_acks_take_less():
    assert ratio(**LEGACY, failing=0.25) > 1.02 * ratio(**LEGACY)
    # An aggregate repeats what it lost in the next, and what fails with RTS is mostly the RTS.
    assert ratio(failing=0.25) == ratio()
    protected = LEGACY | {"rts": 1000}
    assert ratio(**protected, failing=0.25) == ratio(**protected)


def test_attempts_and_backoffs_of_a_packet_are_those_of_a_sender_that_repeats_it_six_times():
    draw, packets, failing, window = random.Random(1), 50_000, 0.3, 16
    attempts, slots = 0, 0.0
    for _ in range(packets):
        for attempt in range(7):
            attempts += 1
            slots += draw.randrange(window << attempt)
            if draw.random() >= failing:
                break
    row = pl.DataFrame({"failing": [failing], "window": [float(window)]})
    assert row.select(repeated.attempts()).item() == pytest.approx(attempts / packets, rel=0.01)
    assert row.select(repeated.backoffs()).item() == pytest.approx(slots / packets / 7.5, rel=0.03)


def test_what_fails_is_told_by_what_is_repeated_not_by_answers_that_were_missed():
    link = {"source": "a", "observer": "b", "sender": "c", "receiver": "d"}
    row = repeated.failing(pl.DataFrame([link | {"attempts": 100, "failed": 40, "retries": 20}]))
    assert row["failing"].item() == 0.2
