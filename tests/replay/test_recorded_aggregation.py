"""A-MPDUs in the world of a recording, on small tables made by hand."""

from __future__ import annotations

import polars as pl
import pytest
from exchange_builder import A, B, C, exchange, table

from winf_analyzer._replay.recorded import views
from winf_analyzer._replay.recorded.flows import cross_traffic
from winf_analyzer._replay.recorded.flows.studied import StudiedFlow
from winf_analyzer._replay.recorded.links.airtimes import size_airtimes
from winf_analyzer._replay.recorded.mac.aggregation import aggregates
from winf_analyzer._replay.recorded.mac.retries import ampdu_retry_limit, single_give_up
from winf_analyzer._replay.unknowns import Unknowns
from winf_analyzer._schema import complete

OVERHEAD_US = 36 + 6
MPDU_US = 330.0


def ppdu(number, mpdus, **columns):
    """One HT PPDU of so many packets of 1000 bytes."""
    row = exchange(1e4 * number, kind="basic", payload=1000 * mpdus)
    shown = {"mpdus": mpdus, "phy": "ht", "rate_mbps": 26.0, "length_bytes": 1070 * mpdus, "observer": A}
    return row | shown | {"data_airtime_us": OVERHEAD_US + mpdus * MPDU_US} | columns


def frames_of():
    row = {"source": "s", "observer": A, "ta": A, "ra": B, "kind": "qos_data", "retry": False}
    return complete(pl.DataFrame([row]).lazy(), "frames")


def found(rows):
    exchanges = table(rows)
    return aggregates(frames_of(), exchanges, views.links(exchanges))


def test_single_frames_are_no_aggregation():
    assert found([ppdu(number, 1) for number in range(200)]) is None
    # A recorder may take two frames for one PPDU.
    assert found([ppdu(number, 1 + (number == 7)) for number in range(200)]) is None


@pytest.mark.parametrize("phy", ["dsss", "ofdm", None])
def test_overlapping_frames_of_a_phy_without_a_mpdus_are_no_aggregation(phy):
    """Injected frames, and clocks that err, put two frames of a sender into one exchange."""
    assert found([ppdu(number, 2, phy=phy) for number in range(200)]) is None


def test_vht_at_2_4_ghz_has_the_preamble_of_vht():
    together = found([ppdu(number, 16, phy="vht", channel_mhz=2437) for number in range(50)])
    assert together.parameters["preamble_ns"] == 40_000
    assert together.overhead_us == 40, "without a signal extension"


@pytest.mark.parametrize(("kind", "agreed"), [("ack", False), ("block_ack", True)])
def test_a_link_whose_queue_is_to_be_full_aggregates_though_its_light_traffic_did_not(kind, agreed):
    answer = {"source": "s", "observer": A, "ra": A, "ta": B, "kind": kind}
    frames = complete(pl.DataFrame([answer]).lazy(), "frames")
    exchanges = table([ppdu(number, 1, data_kind="qos_data") for number in range(20)])
    view = views.links(exchanges)
    assert aggregates(frames, exchanges, view) is None
    together = aggregates(frames, exchanges, view, filled={(A, B), (B, A)})
    assert together.filled == {(A, B): agreed}
    assert together.losses == {}
    assert together.parameters["max_ampdu_bytes"] == 65_535
    assert "A-MPDUs of at most 5.48 ms" in together.note
    legacy = table([ppdu(number, 1, data_kind="qos_data", phy="ofdm") for number in range(20)])
    assert aggregates(frames, legacy, view, filled={(A, B)}) is None


def test_half_of_the_draws_do_without_aggregation_that_is_presumed():
    link = {"from": A, "to": B, "queue": {}, "medium": {"wireless": {}}}
    world = {"nodes": [], "links": [link], "flows": []}
    drawn = [Unknowns(presumed_aggregation=((A, B),)).draw(world, number) for number in range(40)]
    limits = [found["links"][0]["medium"]["wireless"].get("max_ampdu_bytes") for found in drawn]
    assert set(limits) == {None, 0}
    assert 10 <= limits.count(0) <= 30
    assert Unknowns().draw(world, limits.index(0))["links"][0]["medium"]["wireless"] == {}


def test_limits_are_those_of_the_standard_unless_many_ppdus_end_at_a_shorter_one():
    # 16 MPDUs take 5.322 ms; one more would be longer than 5.484 ms.
    full = found([ppdu(number, 16) for number in range(50)])
    assert full.parameters["max_ampdu_ns"] == 5_484_000
    assert "assumed" in full.note
    short = found([ppdu(number, 8) for number in range(50)])
    assert short.parameters["max_ampdu_ns"] == pytest.approx(1e3 * (OVERHEAD_US + 8 * MPDU_US + 4))
    assert "observed" in short.note
    mixed = found([ppdu(number, 1 + number % 12) for number in range(48)])
    assert mixed.parameters["max_ampdu_ns"] == 5_484_000, "a twelfth ended at the longest: what was queued"
    assert mixed.parameters | {"max_ampdu_ns": 0} == {
        "max_ampdu_bytes": 65_535,
        "max_ampdu_ns": 0,
        "block_ack_window": 64,
        "preamble_ns": 36_000,
        "block_ack_request": False,
    }


def test_longer_a_mpdus_than_those_of_ht():
    assert found([ppdu(0, 80), ppdu(1, 3)]).parameters["max_ampdu_bytes"] == 131_071
    assert found([ppdu(0, 80), ppdu(1, 3)]).parameters["block_ack_window"] == 80


def test_block_ack_requests_follow_unanswered_a_mpdus():
    rows = [ppdu(number, 16, complete=number % 2 == 0) for number in range(40)]
    asked = [
        ppdu(100 + number, 0, data_kind="block_ack_req", payload_bytes=None, data_airtime_us=None)
        for number in range(20)
    ]
    assert not found(rows).parameters["block_ack_request"]
    assert found([*rows, *asked]).parameters["block_ack_request"]
    heard = [row for row in rows if row["complete"]]
    assert found([*heard, *asked]).parameters["block_ack_request"], "A-MPDUs that collided were not heard"
    assert not found([*heard, *asked[:9]]).parameters["block_ack_request"], "too few"


def sequence(start, attempts, first, *, answered=True, **columns):
    """An A-MPDU and BlockAckReqs after it, so many in a row, of which the last is answered; the next number."""
    asked = {"data_kind": "block_ack_req", "payload_bytes": None, "data_airtime_us": None, "seq": None}
    rows = [ppdu(start, 3, complete=attempts == 1 and answered, seq=first, **columns)]
    for number in range(1, attempts):
        ends = number == attempts - 1 and answered
        rows.append(ppdu(start + number / 100, 0, complete=ends, **asked, **columns))
    return rows


def retry_limit(*sequences, **columns):
    """Of sequences of so many attempts, negative ones without an answer; each begins three numbers later."""
    rows = [
        row
        for place, attempts in enumerate(sequences)
        for row in sequence(place, abs(attempts), 3 * place, answered=attempts > 0, **columns)
    ]
    exchanges = table(rows)
    return ampdu_retry_limit(exchanges, views.links(exchanges))


def test_a_mpdus_that_are_never_given_up_have_no_limit():
    assert retry_limit(1, 9, 2, 12, 20, 1) == 255
    assert retry_limit(1, 9, 2, 12, 7, 1) is None, "too seldom"
    assert retry_limit(*[1] * 20, *[7] * 20) is None
    assert retry_limit(1, 9, 2, 12, 20, 1, observer="c") is None, "who records beside it may miss an answer"


def test_what_begins_with_a_single_mpdu_counts_for_the_limit_of_single_frames():
    rows = [row for place, n in enumerate((1, 9, 12, 20)) for row in sequence(place, n, 3 * place)]
    single = table([row | {"mpdus": min(row["mpdus"], 1)} for row in rows])
    assert ampdu_retry_limit(table(rows), views.links(table(rows))) == 255
    assert ampdu_retry_limit(single, views.links(single)) is None


def test_a_mpdus_are_given_up_after_as_many_attempts_as_are_never_answered():
    assert retry_limit(1, 9, 2, 12, 11, -13, -13, -13, 1) == 13
    assert retry_limit(1, 9, 2, 12, 11, -13, -13, 1) == 255, "twice may be chance"
    assert retry_limit(1, 9, 2, 12, 11, -5, -5, -5, 1) == 255, "fewer than others had"


def alone(*attempts: int, answered: bool = True) -> list[dict]:
    """MPDUs that are alone, of so many attempts each; the last one is answered, or none is."""
    return [
        ppdu(100 * packet + number, 1, seq=packet, complete=answered and number == each - 1)
        for packet, each in enumerate(attempts)
        for number in range(each)
    ]


def give_up(rows) -> float | None:
    exchanges = table([*rows, ppdu(10_000, 3, seq=500)])
    return single_give_up(exchanges, views.links(exchanges))


def test_mpdus_that_fail_alone_are_given_up_before_their_limit():
    kept = alone(2, 3, 1, 4)
    assert give_up(kept) is None, "all arrived"
    gone = [
        row | {"seq": row["seq"] + 50, "start_ns": row["start_ns"] + 10**10} for row in alone(1, 2, 1, answered=False)
    ]
    assert give_up([*kept, *gone]) == pytest.approx(3 / 10)
    assert give_up([*kept, *gone[:2]]) is None, "two are few"
    at_limit = [row | {"start_ns": row["start_ns"] + 10**10} for row in alone(7, 7, 7, 7, answered=False)]
    assert give_up([*kept, *at_limit]) is None, "those had all attempts of their limit"


def test_the_world_says_how_often_a_mpdus_are_repeated():
    rows = [row for place, n in enumerate((1, 9, 12, 20)) for row in sequence(place, n, 3 * place)]
    aggregated = found(rows)
    assert aggregated.parameters["retry_limit"] == 255
    assert "at most 255 times (observed" in aggregated.note


def mpdus_of(number, seqs, again=()):
    """Frames of the PPDU of that number, which ends before its answer."""
    start_ns = round(1e7 * number)
    return [
        {
            "source": "s",
            "observer": A,
            "ta": A,
            "ra": B,
            "kind": "qos_data",
            "tid": 0,
            "seq": seq % 4096,
            "retry": seq in again,
            "start_ns": start_ns + 100_000 * place,
            "end_ns": start_ns + 100_000 * (place + 1),
        }
        for place, seq in enumerate(seqs)
    ]


def losses(rows, mpdus):
    exchanges = table(rows)
    frames = complete(pl.DataFrame(mpdus).lazy(), "frames")
    return aggregates(frames, exchanges, views.links(exchanges)).losses.get((A, B))


def test_losses_are_mpdus_repeated_though_their_a_mpdu_was_answered():
    rows = [ppdu(0, 10), ppdu(1, 10), ppdu(2, 10)]
    lost = [*mpdus_of(0, range(10)), *mpdus_of(1, range(8, 18), again=(8, 9)), *mpdus_of(2, range(18, 28))]
    assert losses(rows, lost) == pytest.approx(2 / 30)
    unanswered = [ppdu(0, 10, complete=False), *rows[1:]]
    assert losses(unanswered, lost) == 0.0, "the others collided"
    assert losses([ppdu(0, 10)], mpdus_of(0, range(9))) == 0.0, "too few to tell"


def test_an_mpdu_alone_is_lost_if_it_is_not_answered():
    rows = [ppdu(number, 1 + 9 * (number > 1), complete=number != 0) for number in range(4)]
    sent = [*mpdus_of(0, [0]), *mpdus_of(1, [0], again=(0,)), *mpdus_of(2, range(1, 11)), *mpdus_of(3, range(11, 21))]
    assert losses(rows, sent) == pytest.approx(1 / 22)


def test_mpdus_that_met_the_frame_of_another_station_are_no_losses():
    rows = [ppdu(0, 10), ppdu(1, 10), ppdu(2, 10)]
    lost = [*mpdus_of(0, range(10)), *mpdus_of(1, range(8, 18), again=(8, 9)), *mpdus_of(2, range(18, 28))]
    beside = exchange(850, kind="basic", payload=100, sender=C, receiver=B, observer=C)
    assert losses([*rows, beside], lost) == 0.0, "the last two were under way"
    later = exchange(5000, kind="basic", payload=100, sender=C, receiver=B, observer=C)
    assert losses([*rows, later], lost) == pytest.approx(2 / 30)


@pytest.mark.parametrize(
    ("numbers", "again", "lost"),
    [
        ([*range(100, 110), *range(100, 110)], range(100, 110), 0.5),
        (range(100, 120), range(110, 120), 0.0),
        ([*range(3000), *range(10)], range(10), 0.0),
    ],
    ids=["heard twice", "first heard when repeated", "numbers of other MPDUs, long ago"],
)
def test_only_mpdus_whose_earlier_copy_was_heard_are_losses(numbers, again, lost):
    rows = [ppdu(number, 10) for number in range(len(numbers) // 10)]
    seen = [each for number in range(len(rows)) for each in mpdus_of(number, numbers[10 * number : 10 * number + 10])]
    for place in range(len(seen) - 10, len(seen)):
        seen[place]["retry"] = seen[place]["seq"] in again
    assert losses(rows, seen) == lost


def test_airtimes_of_packets_are_those_of_single_frames():
    exchanges = table([*(ppdu(number, 16) for number in range(50)), ppdu(60, 1)])
    (size,) = size_airtimes(exchanges, views.links(exchanges), OVERHEAD_US)[A, B]
    assert size.airtime_us == pytest.approx(OVERHEAD_US + MPDU_US)


def test_packets_of_other_flows_that_came_together_come_together_and_those_of_flows_under_study_do_not():
    exchanges = table([ppdu(1, 3, flow="tcp x", idle_before_us=20.0), ppdu(2, 1, flow="udp y")])
    sent = [*mpdus_of(1, range(3)), *mpdus_of(2, [3])]
    for frame, flow, size in zip(sent, ("tcp x", "udp y", "udp y", "udp y"), (1048, 200, 300, 400), strict=True):
        frame |= {"flow": flow, "payload_bytes": size, "layer": "mac", "is_group": False}
    frames = complete(pl.DataFrame(sent).lazy(), "frames")
    studied = StudiedFlow("tcp x", "tcp x", (A, B), (B, A), {}, None, tcp=True)
    found = cross_traffic.packets(frames, exchanges, views.links(exchanges), [studied], 0, 50_000, [(A, B)])
    assert found == {(A, B): [(9_980_000, 200), (9_980_000, 300), (20_000_000, 400)]}
