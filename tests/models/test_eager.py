"""Stations that send voice or video and leave nothing of the medium: what is left to others is hardly known."""

import polars as pl
import pytest

from winf_analyzer._models.saturation.interval import bounds


@pytest.mark.parametrize(("load", "share"), [(0.0, 0.0), (0.5, 0.0), (0.75, 0.375), (1.0, 0.75)])
def test_the_more_they_send_the_less_is_known(load: float, share: float) -> None:
    row = pl.DataFrame({"eager_load": load})
    assert row.select(bounds.terms()["eager"]).item() == pytest.approx(share)


@pytest.mark.parametrize(
    ("window", "own", "counts"), [(8.0, 16.0, True), (4.0, 8.0, True), (8.0, 8.0, False), (16.0, 32.0, False)]
)
def test_they_have_a_shorter_window_than_the_sender(window: float, own: float, counts: bool) -> None:
    each = {"case": 0, "access_s": 1e-3, "packet_s": 0.0, "count": 1.0, "aifs_s": 34e-6, "slot_s": 9e-6, "uneven": 0.0}
    each |= {"heard_share": 1.0, "doubt": 0.0, "hidden": False, "data_unheard": False, "packets_per_s": 300.0}
    subject = {"subject": True, "window": own, "sender": "a"}
    rows = [subject | each, {"subject": False, "window": window, "sender": "b"} | each]
    found = bounds.surroundings(pl.DataFrame(rows)).row(0, named=True)
    assert found["eager_load"] == pytest.approx(0.3 if counts else 0.0)
