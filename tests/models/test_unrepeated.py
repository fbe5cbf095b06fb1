"""Links whose data is never sent again, from planted counts."""

import polars as pl
import pytest

from winf_analyzer._models.saturation.failures import unrepeated
from winf_analyzer._models.saturation.unheard import weighing
from winf_analyzer._models.saturation.waits.one_more import Load


def share(silent: int, retries: int, *, heard: int = 1000, heard_share: float = 1.0) -> list[float]:
    row = {"medium": 0, "sender": "a", "receiver": "b", "silent_numbered": silent, "retries": retries, "heard": heard}
    return unrepeated.share(pl.DataFrame([row | {"heard_share": heard_share}]))["unrepeated"].to_list()


def test_all_data_without_an_answer_but_the_last_was_lost_or_its_answer_was_missed():
    assert share(201, 0) == [pytest.approx(0.2)]
    assert share(201, 10) == [pytest.approx(0.19)]


@pytest.mark.parametrize(
    "counts",
    [
        {"silent": 201, "retries": 11},
        {"silent": 15, "retries": 0, "heard": 100},
        {"silent": 20, "retries": 0},
        {"silent": 201, "retries": 0, "heard_share": 0.9},
    ],
    ids=["one in twenty is repeated", "too few", "too small a share", "frames are missing as often"],
)
def test_other_links_are_not_among_them(counts):
    assert share(**counts) == []


def test_what_is_known_to_be_missing_is_taken_off_an_unheard_load_give_or_take_half():
    beyond = weighing.beyond(Load(100.0, 0.001, 5e-5, doubt=0.03), missed_per_s=80.0)
    assert beyond.per_s == 20.0
    assert beyond.doubt == pytest.approx(0.05)  # of 0.03 and 0.04
