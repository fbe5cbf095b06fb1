"""An RTS's airtime from its CTS's, against the standard's arithmetic (16.2, 17.4.3)."""

import polars as pl
import pytest

from winf_analyzer._mac.control_airtime import rts_ns


@pytest.mark.parametrize(
    ("cts_us", "rts_us"),
    [
        (304, 352),  # DSSS, 1 Mb/s, long preamble
        (248, 272),  # 2 Mb/s
        (152, 176),  # 2 Mb/s, short preamble
        (44, 52),  # OFDM, 6 Mb/s
        (50, 58),  # the same at 2.4 GHz, with signal extension
        (32, 36),  # 12 Mb/s
        (28, 28),  # 24 Mb/s
        (88, 104),  # 3 Mb/s at 10 MHz: 182 bits are 8 symbols of 8 us
        (64, 72),  # 6 Mb/s at 10 MHz
        (56, 56),  # 12 Mb/s at 10 MHz
    ],
)
def test_the_rts_is_as_long_as_the_standard_has_it(cts_us, rts_us):
    assert pl.select(rts_ns(pl.lit(cts_us * 1000))).item() == rts_us * 1000


def test_without_a_cts_it_is_unknown():
    assert pl.select(rts_ns(pl.lit(None, pl.Int64))).item() is None
