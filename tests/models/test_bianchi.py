"""Bianchi's model against worked numbers, its published curves, and its own inverse."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from winf_analyzer._models import bianchi

DIFS, SIFS, RTS, CTS, ACK = 50, 10, 352, 304, 304
DATA = 192 + 8 * 1528 / 11
BASIC = (20, DATA + SIFS + ACK + DIFS, DATA + DIFS)
WITH_RTS = (20, RTS + CTS + DATA + ACK + 3 * SIFS + DIFS, RTS + DIFS)
"""Slot, time of a success and of a collision, microseconds."""


def throughput_mbps(n, payload_bytes, slot, success, collision, **shape):
    """Eq. 13 with the tau and p of the model: P_s P_tr 8L / ((1-P_tr) slot + P_s P_tr T_s + (1-P_s) P_tr T_c)."""
    tau, p = bianchi.saturation(n, **shape)
    some, alone = 1 - (1 - tau) * (1 - p), n * tau * (1 - p)
    return alone * 8 * payload_bytes / ((1 - some) * slot + alone * success + (some - alone) * collision)


def contenders(p, window=bianchi.WINDOW, stages=bianchi.STAGES):
    row = pl.DataFrame({"p": [p], "window": [window], "stages": [stages]}, schema_overrides={"p": pl.Float64})
    return row.select(bianchi.contenders(pl.col("p"), pl.col("window"), pl.col("stages"))).item()


@pytest.mark.parametrize(
    ("n", "tau", "p"),
    [
        (1, 0.060606, 0),
        (2, 0.057044, 0.057044),
        (5, 0.047846, 0.178083),
        (10, 0.037305, 0.289771),
        (20, 0.026423, 0.398775),
    ],
)
def test_fixed_point(n, tau, p):
    """V-B1, and backwards."""
    assert bianchi.saturation(n) == pytest.approx((tau, p), abs=1e-6)
    assert contenders(p) == pytest.approx(n, rel=1e-4)


@pytest.mark.parametrize(
    ("n", "basic", "rts"),
    [(2, 6.4051, 4.7605), (5, 6.3496, 4.8674), (10, 6.0576, 4.8529), (20, 5.6684, 4.7947)],
)
def test_throughput(n, basic, rts):
    """V-B2: 1500 bytes, 802.11b, Mb/s."""
    assert throughput_mbps(n, 1500, *BASIC) == pytest.approx(basic, abs=1e-4)
    assert throughput_mbps(n, 1500, *WITH_RTS) == pytest.approx(rts, abs=1e-4)


@pytest.mark.parametrize(("n", "basic", "rts"), [(5, 0.8097, 0.8342), (10, 0.7532, 0.8371), (50, 0.5529, 0.8270)])
def test_published_frequency_hopping_curves(n, basic, rts):
    """V-B3: normalised throughput at 1 Mb/s, W=32, m=3; propagation 1 us, payload 8184 bit, headers 400 bit."""
    data, ack, difs, sifs, delay = 400 + 8184, 240, 128, 28, 1
    success, collision = data + sifs + delay + ack + difs + delay, data + difs + delay
    handshake = 288 + sifs + delay + 240 + sifs + delay
    assert throughput_mbps(n, 8184 / 8, 50, success, collision, stages=3) == pytest.approx(basic, abs=1e-4)
    protected = (50, handshake + success, 288 + difs + delay)
    assert throughput_mbps(n, 8184 / 8, *protected, stages=3) == pytest.approx(rts, abs=1e-4)


@given(st.floats(1, 100), st.sampled_from([16, 32]), st.integers(0, 7))
def test_backwards_is_the_inverse(n, window, stages):
    p = bianchi.saturation(n, window, stages).p
    assert contenders(p, window, stages) == pytest.approx(n, rel=1e-6)


@given(st.floats(0, 0.95), st.floats(0, 0.95))
def test_more_collisions_mean_more_contenders(one, other):
    low, high = sorted((one, other))
    assert 1 <= contenders(low) <= contenders(high) + 1e-9


def test_half_is_no_singularity():
    half, near = (bianchi.transmission_probability(p, 32, 5) for p in (0.5, 0.5 + 1e-9))
    assert half == pytest.approx(near, rel=1e-6)


@pytest.mark.parametrize("wrong", [0, 0.5, float("nan"), float("inf")])
def test_no_number_of_contenders(wrong):
    with pytest.raises(ValueError, match="at least 1"):
        bianchi.saturation(wrong)
