"""What makes a station backlogged, one reason at a time, on made-up exchanges of 802.11a."""

from itertools import cycle

import polars as pl
import pytest

from winf_analyzer._evaluate.validation.backlog import COLUMNS, PACKETS, backlog, spells

WINDOW_NS = 100_000_000
SIFS_US, AIFS_US, SLOT_US, AIRTIME_US = 16, 34, 9, 300
NO_PARAMETERS = pl.DataFrame(
    schema=dict.fromkeys(("source", "station", "access_category", "parameter"), pl.String)
    | {"value": pl.Float64, "used": pl.Boolean}
)
"""Nothing is known of the stations: the PHY's parameters hold, a contention window of 15 slots."""


def exchanges(senders, backoffs, *, skipped=0, early=False, receivers=("b",), seconds=0.29, attempts=(1,), txop=1):
    """Exchanges one after the other: senders in turn, each after its next backoff (slots).

    `attempts`: what they are in turn; only an attempt before a first one succeeds. `txop`: exchanges of an access.
    """
    rows, now_us, seq = [], 0.0, 0
    turns = zip(cycle(senders), cycle(backoffs), cycle(receivers), cycle(attempts), strict=False)
    following = {number: attempts[(number + 1) % len(attempts)] for number in range(len(attempts))}
    while now_us < seconds * 1e6:
        sender, slots, receiver, attempt = next(turns)
        complete = following[len(rows) % len(attempts)] == 1
        goes_on = early or len(rows) % txop > 0
        now_us += SIFS_US if goes_on else AIFS_US + slots * SLOT_US
        seq += 1 + skipped
        rows.append(
            {
                "source": "made-up",
                "observer": None,
                "exchange_no": len(rows) + 1,
                "sender": sender,
                "receiver": receiver,
                "start_ns": round(now_us * 1000),
                "end_ns": round((now_us + AIRTIME_US) * 1000),
                "payload_bytes": 1500 if complete else None,
                "mpdus": 1,
                "attempt": attempt,
                "complete": complete,
                "phy": "ofdm",
                "tid": None,
                "seq": None if len(senders) > 1 else seq % 4096,
                "is_group": False,
            }
        )
        now_us += AIRTIME_US
    strings = dict.fromkeys(("source", "observer", "sender", "receiver", "phy"), pl.String)
    return pl.DataFrame(rows, schema_overrides=strings | {"tid": pl.Int32, "seq": pl.Int32}).select(COLUMNS)


def found(table, sender="a"):
    """Whether the sender is backlogged in each window but the last, after which nothing is known."""
    windows = backlog(table, NO_PARAMETERS, WINDOW_NS).filter(sender=sender, receiver="b").sort("window_start_ns")
    return windows["backlogged"].to_list()[1:-1]


UNIFORM = (7, 0, 15, 3, 11, 5, 9, 1, 13, 8)


def test_a_station_whose_backoffs_are_those_of_its_window_is_backlogged():
    assert found(exchanges("a", UNIFORM)) == [True]


def test_its_spell_delivers_what_it_sent():
    table = exchanges("a", UNIFORM, seconds=0.49)
    (spell,) = spells(backlog(table, NO_PARAMETERS, WINDOW_NS), WINDOW_NS).iter_rows(named=True)
    bits = table.filter((pl.col("end_ns") // WINDOW_NS).is_between(1, 3))["payload_bytes"].sum() * 8
    assert spell["duration_ns"] == 3 * WINDOW_NS
    assert spell["delivered_bps"] == pytest.approx(bits / 0.3)
    assert spell["packets"] >= PACKETS


def idle_share(table):
    """Of the second window."""
    return backlog(table, NO_PARAMETERS, WINDOW_NS).filter(window_start_ns=WINDOW_NS)["excess_share"].item()


def test_exchanges_that_go_on_in_a_txop_are_no_accesses():
    assert found(exchanges("a", UNIFORM, txop=3)) == [True]
    assert found(exchanges("a", (12, 13, 14, 15), txop=3)) == [False], "the backoffs of the accesses count all the same"


def test_a_window_in_which_one_packet_is_repeated_all_the_time_tells_nothing_of_a_queue():
    again = {"complete": pl.lit(value=False), "payload_bytes": pl.lit(1500, pl.Int64)}
    repeated = exchanges("a", UNIFORM, attempts=(2,)).with_columns(**again)
    assert found(repeated) == [False]


def test_each_failed_attempt_had_a_backoff_of_its_own():
    # EIFS after the failure is no slot of the counter: 94 us are 10 slots and a part.
    backoffs, attempts = (15, 10 + 31, 10 + 63), (1, 2, 3)
    assert idle_share(exchanges("a", backoffs, attempts=attempts)) == 0
    assert idle_share(exchanges("a", (15, 10 + 63, 10 + 31), attempts=attempts)) > 0.1, "more than the second can hold"


def test_a_packet_that_is_given_up_is_followed_by_a_first_attempt():
    table = exchanges("a", (15, 10 + 31, 10 + 15), attempts=(1, 2, 1))
    given_up = pl.col("exchange_no") % 3 == 2
    cut = table.with_columns(complete=pl.col("complete") & ~given_up)
    assert idle_share(cut) == 0


def test_attempts_that_were_not_heard_count_all_the_same():
    # Without the second, 73 slots pass before the third, more than the 63 that its own counter holds.
    table = exchanges("a", (15, 10 + 10, 10 + 20), attempts=(1, 2, 3))
    assert idle_share(table.filter(pl.col("attempt") != 2)) == 0


@pytest.mark.parametrize(
    ("reason", "table"),
    [
        ("it pauses after every tenth packet", exchanges("a", (*UNIFORM, 200))),
        ("its backoffs are within the window, but too long", exchanges("a", (12, 13, 14, 15))),
        ("every other of its frames was missed", exchanges("a", UNIFORM, skipped=1)),
        ("a tenth of its frames goes to another receiver", exchanges("a", UNIFORM, receivers=("b",) * 9 + ("c",))),
        ("no time passes before its frames", exchanges("a", UNIFORM, early=True)),
    ],
)
def test_a_station_is_not_backlogged_if(reason, table):
    assert found(table) == [False], reason


def test_who_sends_after_every_other_packet_of_a_backlogged_station_is_not_backlogged():
    # Between two packets of b fewer slots pass than its counter can hold, but twice as many as it would wait.
    table = exchanges(("a", "a", "b"), (5, 6, 3, 6, 7, 2))
    assert found(table, "b") == [False]


def test_two_stations_in_turn_are_both_backlogged_and_know_of_each_other():
    table = exchanges(("a", "b"), (3, 4))
    windows = backlog(table, NO_PARAMETERS, WINDOW_NS).filter(window_start_ns=WINDOW_NS)
    assert windows["backlogged"].to_list() == [True, True]
    assert windows["others"].to_list() == [1, 1]


def test_exchanges_without_a_start_make_no_windows():
    assert backlog(exchanges("a", UNIFORM).with_columns(start_ns=None), NO_PARAMETERS, WINDOW_NS).is_empty()
