"""C3TCP against worked numbers (S = 1040, H = 28, 11 Mb/s), hop by hop and along a path."""

import polars as pl
import pytest
from exchange_builder import A, B, C, D, exchange, one, table

from winf_analyzer._mac import PRESETS
from winf_analyzer.estimators import Settings, estimate
from winf_analyzer.estimators.c3tcp import ack_at_data_rate, hop_times, over_hops, rates
from winf_analyzer.estimators.theoretical_maximum import paper_data_time

B11 = PRESETS["hr_dsss"]
FORWARD = [(0.0, 0.0, 0.001026), (0.010, 0.012, 0.0135), (0.020, 0.020, 0.02105)]
BACK = [(0.0, 0.0, 0.0009), (0.0, 0.0005, 0.0016), (0.0, 0.0, 0.0010)]
"""t_in, t_hol, t_out of each hop, seconds."""


def frame(payload):
    """What the expressions read of a frame: 11 Mb/s, long preamble, ACK at 1 Mb/s."""
    columns = {"payload_bytes": payload, "length_bytes": None, "mpdus": 1, "family": "hr_dsss", "rate_mbps": 11.0}
    columns |= {"header_bytes": 28, "t_plcp": 192_000, "t_sifs": 10_000, "t_ack": 304_000, "t_difs": 50_000}
    return pl.DataFrame(columns, schema_overrides={"length_bytes": pl.Int64, "family": pl.String})


def t_tr(payload, ack=pl.col("t_ack")):  # noqa: B008 (an expression)
    """T_DATA + SIFS + T_ACK + DIFS, microseconds, by the expressions of the estimator."""
    row = frame(payload).select(paper_data_time() + pl.col("t_sifs") + ack + pl.col("t_difs"))
    return row.item() / 1000


def hops(bits, instants, t_tr_us):
    """B, the capacity, D_f and D_b of hops, and of the path, by the expressions of the estimator."""
    rows = pl.DataFrame(instants, schema=["in_ns", "hol_ns", "t_out"], orient="row") * 1e9
    rows = rows.with_columns(pl.all().round().cast(pl.Int64), bits=bits)
    rows = rows.with_columns(**hop_times(pl.lit(t_tr_us * 1000), pl.col("t_out")))
    rows = rows.with_columns(slow_ns="full_ns", fast_ns="forward_ns")
    whole = rows.select(*over_hops(), pl.col("bits").min())
    return rows.with_columns(**rates()).to_dicts(), whole.with_columns(**rates()).row(0, named=True)


def test_transmission_time():
    assert t_tr(1040, ack_at_data_rate()) == pytest.approx(1230.909, abs=5e-4)
    assert t_tr(1040) == pytest.approx(1332.727, abs=5e-4)


def test_three_hops():
    each, whole = hops(8320, FORWARD, t_tr(1040))
    assert [hop["available_bps"] for hop in each] == pytest.approx([3527326.0, 1721595.2, 3491797.0], abs=0.9)
    assert [hop["forward_ns"] / 1000 for hop in each] == pytest.approx([2358.727, 2832.727, 2382.727], abs=5e-4)
    assert each[1]["full_ns"] / 1000 == pytest.approx(4832.727, abs=5e-4)
    assert whole["available_bps"] == pytest.approx(1721595.2, abs=0.9)
    assert whole["forward_ns"] / 1000 == pytest.approx(7574.182, abs=1.5e-3)


def test_window_of_the_path():
    """B (D_f + D_b)/8, octets; C3TCP's window in segments of 1000 octets is at least one."""
    _, forward = hops(8320, FORWARD, t_tr(1040))
    _, backward = hops(320, BACK, t_tr(40))
    assert backward["full_ns"] / 1000 == pytest.approx(5316.364, abs=1.5e-3)
    window = forward["available_bps"] * (forward["forward_ns"] + backward["full_ns"]) / 8e9
    assert window == pytest.approx(2774.04, abs=5e-3)
    assert window // 1000 == 2
    assert forward["available_bps"] * forward["forward_ns"] / 8e12 == pytest.approx(1.62996, abs=5e-6)


def test_the_printed_sign_is_wrong():
    t_in, _, t_out = FORWARD[0]
    assert (t_in - t_out) * 1e6 + t_tr(1040) == pytest.approx(306.727, abs=5e-4)


def sent(instants, payload=1040, **columns):
    """An exchange whose data begins at t_out of a packet that entered at t_in and was next at t_hol, seconds."""
    t_in, t_hol, t_out = instants
    row = exchange(t_out * 1e6 - 676, payload=payload)
    return row | {
        "queue_ns": round((t_hol - t_in) * 1e9),
        "access_ns": row["end_ns"] - round(t_hol * 1e9),
        **columns,
    }


def measured(rows, mode="paper", frames=None):
    return estimate(table(rows), ["c3tcp"], [mode], frames=frames)


@pytest.mark.parametrize("instants", FORWARD)
def test_a_recorded_hop_has_the_formulas_values(instants):
    paper = one(measured([sent(instants, observer=A)]), state="sender", sender=A)
    t_in, t_hol, t_out = (instant * 1e6 for instant in instants)
    full, forward = t_out - t_in + 1230.909, t_out - t_hol + 1230.909
    assert paper["available_bps"] == pytest.approx(8320e6 / full, rel=1e-5)
    assert paper["capacity_bps"] == pytest.approx(8320e6 / forward, rel=1e-5)
    assert paper["forward_delay_us"] == pytest.approx(forward, abs=0.01)
    corrected = one(measured([sent(instants, observer=A)], "corrected"), state="sender", sender=A)
    without_difs = 1332.727 - 50
    assert corrected["available_bps"] == pytest.approx(8320e6 / (t_out - t_in + without_difs), rel=1e-5)
    assert corrected["forward_delay_us"] == pytest.approx(t_out - t_hol + without_difs, abs=0.01)


def test_corrected_bandwidth_is_smoothed_over_the_packets():
    rows = [sent((0.1, 0.1, 0.101)), sent((0.11, 0.11, 0.114))]
    apart = [one(measured([row], "corrected"), state="sender", sender=A)["available_bps"] for row in rows]
    both = one(measured(rows, "corrected"), state="sender", sender=A)
    assert both["available_bps"] == pytest.approx(apart[0] + (apart[1] - apart[0]) / 8, rel=1e-9)


def test_the_window_is_the_product_of_bandwidth_and_both_delays():
    """V-C3-3 in the table: links with traffic both ways have a window, others do not."""
    ack = sent((0.2, 0.2005, 0.2016), payload=40, sender=B, receiver=A)
    rows = measured([sent((0.1, 0.1, 0.101)), ack])
    row = one(rows, state="sender", sender=A)
    product = row["available_bps"] * (row["forward_delay_us"] + row["backward_delay_us"]) / 8e6
    assert row["cwnd_bytes"] == pytest.approx(product, rel=1e-12)
    assert one(measured([sent((0.1, 0.1, 0.101))]), state="sender", sender=A)["cwnd_bytes"] is None


def test_backward_delay_is_that_of_the_reverse_link():
    ack = sent((0.2, 0.2005, 0.2016), payload=40, sender=B, receiver=A)
    row = one(measured([sent((0.1, 0.1, 0.101)), ack]), state="sender", sender=A)
    assert row["backward_delay_us"] == pytest.approx(1600 + t_tr(40, ack_at_data_rate()), abs=0.01)
    alone = one(measured([sent((0.1, 0.1, 0.101))]), state="sender", sender=A)
    assert alone["backward_delay_us"] is None


def test_in_a_capture_the_queue_counts_as_empty_and_head_of_line_is_estimated():
    idle = exchange(100_000.0, payload=1040)
    row = one(measured([idle], "corrected"), state="sender", sender=A)
    access_and_handshake = 50 + 310 + 676
    t_transfer = t_tr(1040) - 50
    assert row["forward_delay_us"] == pytest.approx(access_and_handshake + t_transfer, abs=0.01)
    assert row["available_bps"] == row["capacity_bps"]
    # A second packet right behind the first was waiting since the first was done.
    second = exchange(idle["end_ns"] / 1000 + 450, payload=1040)
    rows = [idle, second]
    both = one(measured(rows, "corrected"), state="sender", sender=A)
    assert both["forward_delay_us"] == pytest.approx(t_transfer + (access_and_handshake + 450 + 676) / 2, abs=0.01)


LINKS = [(A, B), (B, C), (C, D)]


def chain(shift=0.0, instants=FORWARD, links=LINKS, payload=1040, **columns):
    """One packet's hops."""
    return [
        sent(
            tuple(t + shift + n * 0.03 for t in hop_instants), payload, sender=s, receiver=r, flow="udp a b", **columns
        )
        for n, (hop_instants, (s, r)) in enumerate(zip(instants, links, strict=True))
    ]


def test_a_numbered_packet_is_followed_along_its_path():
    rows = [*chain(packet_uid=7), *chain(0.3, BACK, [(b, a) for a, b in LINKS[::-1]], 40, packet_uid=8)]
    estimates = measured(rows)
    there = one(estimates, path=">".join((A, B, C, D)))
    assert (there["node"], there["peer"], there["state"], there["sender"], there["receiver"]) == (
        A,
        D,
        "sender",
        None,
        None,
    )
    _, forward = hops(8320, FORWARD, t_tr(1040, ack_at_data_rate()))
    _, backward = hops(320, BACK, t_tr(40, ack_at_data_rate()))
    assert there["available_bps"] == pytest.approx(forward["available_bps"], rel=1e-5)
    assert there["forward_delay_us"] == pytest.approx(forward["forward_ns"] / 1000, abs=0.05)
    assert there["backward_delay_us"] == pytest.approx(backward["full_ns"] / 1000, abs=0.05)
    assert there["exchanges"] == 1


def test_the_slowest_hop_counts_packet_by_packet():
    # One packet is slow on the first hop, the other on the second: the path's bandwidth is that of the slow ones.
    slow, fast = (0.0, 0.004, 0.005), (0.0, 0.0, 0.0011)
    rows = [*chain(0, [slow, fast], LINKS[:2], packet_uid=1), *chain(0.2, [fast, slow], LINKS[:2], packet_uid=2)]
    row = one(measured(rows), path=">".join((A, B, C)))
    assert row["available_bps"] == pytest.approx(8320e6 / (5000 + t_tr(1040, ack_at_data_rate())), rel=1e-5)


def test_tcp_segments_are_followed_by_their_sequence_number():
    rows = [row for n in range(3) for row in chain(0.2 * n, FORWARD[:2], LINKS[:2])]
    frames = pl.LazyFrame(
        {
            "source": ["s"] * 6,
            "observer": [None] * 6,
            "layer": ["mac"] * 6,
            "ta": [row["sender"] for row in rows],
            "ra": [row["receiver"] for row in rows],
            "start_ns": [row["data_start_ns"] for row in rows],
            "subtype": [0x20] * 6,
            "transport_seq": [1, 1, 1001, 1001, 2001, 9999],
            "tcp_ack": [None] * 6,
            "src_ip": ["10.0.0.1"] * 6,
            "flow": ["udp a b"] * 6,
        },
        schema_overrides={"observer": pl.String, "tcp_ack": pl.Int64},
    )
    name = ">".join((A, B, C))
    followed = one(measured(rows, frames=frames), path=name)
    composed = one(measured(rows), path=name)
    assert (followed["exchanges"], composed["exchanges"]) == (2, 3)
    assert followed["forward_delay_us"] == pytest.approx(composed["forward_delay_us"], rel=1e-9)


def test_a_time_stamp_at_the_end_of_int64_makes_no_sample():
    damaged = exchange(0.0, payload=55) | {"rts_start_ns": None, "data_start_ns": 2**63 - 926_364}
    estimates = estimate(table([damaged]), ["c3tcp"], settings=Settings(window_ns=10**6, min_cover=0))
    assert estimates["capacity_bps"].null_count() == estimates.height
