"""The sender takes the lower of its own and the receiver's values."""

from exchange_builder import A, B, busy_second, exchange, one, table

from winf_analyzer.estimators import Settings, estimate

SECOND = {"window_start_ns": 1_000_000_000}


def run(rows, mode="paper", *, cooperate=True):
    return estimate(table(rows), ["rt_winf"], [mode], Settings(cooperate=cooperate))


def test_sniffed_sender_takes_the_lower_of_each_value():
    apart, merged = (run(busy_second(), cooperate=c) for c in (False, True))
    sender, receiver = (one(apart, state=s, sender=A, **SECOND) for s in ("sender", "receiver"))
    assert sender["capacity_bps"] < receiver["capacity_bps"]
    assert sender["available_bps"] > receiver["available_bps"]
    both = one(merged, state="sender", sender=A, **SECOND)
    assert both["capacity_bps"] == sender["capacity_bps"]
    assert both["available_bps"] == receiver["available_bps"]
    assert one(merged, state="receiver", sender=A, **SECOND) == receiver


def test_the_receivers_own_recording_comes_before_the_senders_guess():
    sender = busy_second(source="a", observer=A)
    receiver = busy_second(source="b", observer=B)
    # The receiver also hears a station the sender does not.
    receiver += [
        exchange(1_003_500 + n * 10_000, source="b", observer=B, sender="02:00:00:00:00:0e") for n in range(90)
    ]
    merged = one(run([*sender, *receiver], "corrected"), source="a", state="sender", sender=A, **SECOND)
    alone = one(run(sender, "corrected"), source="a", state="sender", sender=A, **SECOND)
    told = one(run([*sender, *receiver], "corrected"), source="b", state="receiver", sender=A, **SECOND)
    assert merged["available_bps"] == told["available_bps"] < alone["available_bps"]
    assert merged["idle_ratio"] == alone["idle_ratio"]


def test_a_recording_of_the_receiver_beats_the_sniffers_view_of_it():
    sniffed = busy_second(source="air")
    receiver = busy_second(source="b", observer=B)
    receiver += [
        exchange(1_003_500 + n * 10_000, source="b", observer=B, sender="02:00:00:00:00:0e") for n in range(90)
    ]
    rows = run([*sniffed, *receiver], "corrected")
    told = one(rows, source="b", state="receiver", sender=A, **SECOND)
    assert one(rows, source="air", state="sender", sender=A, **SECOND)["available_bps"] == told["available_bps"]


def test_available_never_exceeds_the_merged_capacity():
    idle_receiver = [exchange(t, source="b", observer=B, payload=100) for t in (500_000, 1_500_000, 2_500_000)]
    sender = [exchange(t, source="a", observer=A) for t in (500_000, 1_500_000, 2_500_000)]
    row = one(run([*sender, *idle_receiver], "corrected"), source="a", state="sender", sender=A, **SECOND)
    told = one(run([*sender, *idle_receiver], "corrected"), source="b", state="receiver", sender=A, **SECOND)
    assert row["capacity_bps"] == told["capacity_bps"]
    assert row["available_bps"] <= row["capacity_bps"]
