"""Presumed MAC and PHY parameters against the standard's tables."""

import polars as pl
import pytest
from exchange_builder import exchange, table

from winf_analyzer._mac import PRESETS
from winf_analyzer._mac.exchange_parameters import with_mac
from winf_analyzer._mac.presets import PHY_ORDER, preset_name, preset_of


@pytest.mark.parametrize(
    ("phy", "difs_us", "backoff_us"),
    [("hr_dsss", 50, 310), ("ofdm", 34, 67.5), ("erp", 28, 67.5), ("vht", 34, 67.5), ("ofdm_10mhz", 58, 97.5)],
)
def test_difs_and_expected_backoff(phy, difs_us, backoff_us):
    assert (PRESETS[phy].difs_us, PRESETS[phy].backoff_us) == (difs_us, backoff_us)


@pytest.mark.parametrize(
    ("columns", "sifs_us", "plcp_us"),
    [
        ({"phy": "hr_dsss", "preamble": "long"}, 10, 192),
        ({"phy": "hr_dsss", "preamble": "short"}, 10, 96),
        ({"phy": "ht", "channel_mhz": 2437}, 10, 42),
        ({"phy": "ht", "channel_mhz": 5180}, 16, 36),
        ({"phy": "ht", "channel_mhz": None}, 16, 36),
        ({"phy": "ofdm", "channel_mhz": 5890}, 32, 40),
        ({"phy": "ofdm", "channel_mhz": 5885}, 16, 20),
        ({"phy": "ht", "channel_mhz": 5890}, 16, 36),
        ({"phy": None, "channel_mhz": 5890}, 32, 40),
        ({"phy": None, "channel_mhz": 5180}, 16, 20),
        ({"phy": None, "channel_mhz": None}, 10, 192),
        ({"phy": "a PHY of tomorrow"}, 10, 192),
    ],
)
def test_the_preset_follows_phy_band_and_preamble(columns, sifs_us, plcp_us):
    row = with_mac(table([exchange(**columns)]), None).select("t_sifs", "t_plcp").collect().row(0)
    assert row == (sifs_us * 1000, plcp_us * 1000)


def test_the_preset_of_an_exchange_is_the_same_in_both_forms():
    cases = [(phy, mhz) for phy in (*PHY_ORDER, None) for mhz in (2412, 2484, 5180, 5860, 5865, 5920, 5930, 6115, None)]
    frame = pl.DataFrame(cases, schema={"phy": pl.String, "channel_mhz": pl.Int64}, orient="row")
    assert frame.select(preset_name()).to_series().to_list() == [preset_of(*case) for case in cases]
