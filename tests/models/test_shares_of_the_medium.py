"""What makes shares of the medium unsure: who waits for EIFS after a collision, and accesses for other receivers."""

from __future__ import annotations

import polars as pl
import pytest

from winf_analyzer._models.saturation.contention.own_links import turns
from winf_analyzer._models.saturation.interval import bounds

KEEPS = {"case": 0, "access_s": 1e-3, "packet_s": 0.0, "packets": 1.0, "late_per_s": 0.0, "collision": 0.3}


def backlogged(*offered: float) -> float:
    """Of others that offer so many packets a second, beside a backlogged sender that delivers 200."""
    subject = KEEPS | {"subject": True, "count": 1.0, "packets_per_s": 1e6, "delivered_per_s": 200.0}
    others = [
        KEEPS | {"subject": False, "count": 1.0, "packets_per_s": each, "delivered_per_s": min(each, 200.0)}
        for each in offered
    ]
    return bounds.outcome(pl.DataFrame([subject, *others]))["backlogged"].item()


def test_others_are_backlogged_that_send_as_much() -> None:
    assert backlogged(210.0, 500.0) == pytest.approx(1)
    assert backlogged(100.0, 130.0) == 0
    assert backlogged(170.0) == pytest.approx(0.5)
    # By airtime.
    assert backlogged(100.0, 400.0) == pytest.approx(2 / 3)
    assert backlogged() == 0


@pytest.mark.parametrize(
    ("changed", "part"),
    [({}, 1.0), ({"backlogged": 0.5}, 0.5), ({"others": 1.0}, 0.0)]
    + [({name: True}, 0.0) for name in ("aggregates", "rts", "beside_hidden")],
)
def test_single_frames_beside_several_of_them_get_unequal_shares(changed: dict[str, float], part: float) -> None:
    row = {
        "others": 3.0,
        "aggregates": False,
        "rts": False,
        "beside_hidden": False,
        "collision": 0.2,
        "backlogged": 1.0,
    }
    found = pl.DataFrame([row | changed]).select(bounds.terms()["ahead"]).item()
    assert found == pytest.approx(part * 0.08)


LINK = {"receivers": 4.0, "packets_per_s": 400.0, "carried": 100.0, "own_carried": 400.0, "packets_max": 50.0}
LINK |= {"per_s": 2500.0, "access_s": 100e-6, "window": 16.0, "slot_s": 10e-6, "packet_s": 196.5e-6, "aggregates": True}


def test_packets_of_other_links_need_accesses_of_their_own() -> None:
    """Of 100 a second to each of three, eight gather in the 80 ms of four aggregates: 100 / 9 accesses for each.

    An access takes 175 us, a packet of the link 196.5 and a fiftieth of these.
    """
    assert turns(pl.DataFrame([LINK])).item() == pytest.approx(3 * 100 / 9 * 175 / 200)


@pytest.mark.parametrize("changed", [{"receivers": 1.0}, {"aggregates": False}, {"own_carried": 100.0}])
def test_without_other_links_and_of_single_frames_there_are_none(changed: dict[str, float]) -> None:
    assert turns(pl.DataFrame([LINK | changed])).item() == 0


def test_whether_they_are_in_order_is_the_senders() -> None:
    """Of 2500 packets a second 100 less: either, so half of the 4 % is a standard deviation."""
    found = pl.DataFrame({"turns": [100.0, 0.0], "per_s": 2500.0}).select(bounds.terms()["turns"]).to_series()
    assert found.to_list() == pytest.approx([0.02, 0.0])
