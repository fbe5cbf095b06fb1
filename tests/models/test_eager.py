"""Stations that send voice or video and leave nothing of the medium: what is left to others is hardly known."""

import polars as pl
import pytest

from winf_analyzer._models.saturation.interval import bounds
from winf_analyzer._models.saturation.solvers import fixed_point


def stations(window: float, own: float, load: float = 0.3) -> pl.DataFrame:
    """A backlogged station beside one whose frames take this share of the time."""
    each = {"case": 0, "access_s": 1e-3, "packet_s": 0.0, "count": 1.0, "aifs_s": 34e-6, "slot_s": 9e-6, "uneven": 0.0}
    each |= {"heard_share": 1.0, "doubt": 0.0, "hidden": False, "data_unheard": False, "loss": 0.0, "rts_loss": 0.0}
    each |= {"packets_max": 1.0, "first_s": 1e-3, "first_packet_s": 0.0, "tail_s": 1e-4, "request_s": None}
    each |= {"vulnerable": 1.0}
    subject = {"subject": True, "window": own, "sender": "a", "packets_per_s": fixed_point.BACKLOGGED}
    other = {"subject": False, "window": window, "sender": "b", "packets_per_s": load * 1e3}
    return pl.DataFrame([subject | each, other | each], schema_overrides={"request_s": pl.Float64})


@pytest.mark.parametrize(
    ("window", "own", "counts"), [(8.0, 16.0, True), (4.0, 8.0, True), (8.0, 8.0, False), (16.0, 32.0, False)]
)
def test_they_have_a_shorter_window_than_the_sender(window: float, own: float, counts: bool) -> None:
    found = bounds.surroundings(stations(window, own)).row(0, named=True)
    assert found["eager_load"] == pytest.approx(0.3 if counts else 0.0)


@pytest.mark.parametrize(("load", "part"), [(0.4, None), (0.75, 0.5), (1.0, 1.0)])
def test_at_most_they_contend_as_equals_do(load: float, part: float | None) -> None:
    eager = fixed_point.solve(stations(4.0, 16.0, load))
    found = bounds.as_equals(eager, pl.DataFrame({"case": [0], "eager_load": [load]}))
    if part is None:
        assert found.is_empty()
        return
    equal = fixed_point.solve(stations(16.0, 16.0, load))
    least, most = (rows.filter("subject")["delivered_per_s"].item() for rows in (eager, equal))
    assert least < 0.9 * most
    assert found["equals_per_s"].item() == pytest.approx(least + part * (most - least), rel=1e-3)
