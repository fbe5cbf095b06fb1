"""What was sent in a window of which frames were missed."""

import polars as pl
import pytest

from winf_analyzer._models.saturation.recorded import completeness


def sent(heard, advanced, advanced_heard, heard_share=0.8):
    row = {"fresh": heard, "advanced": advanced, "advanced_heard": advanced_heard, "heard_share": heard_share}
    return pl.DataFrame([row]).select(sent=completeness.unicast_heard("fresh")).item()


def test_numbers_of_the_window_say_how_many_were_missed_in_it():
    """Of the recording a fifth was missed, and of these windows nothing, or half."""
    assert sent(1000.0, 1000.0, 1000.0) == pytest.approx(1000, rel=0.01)
    assert sent(500.0, 1000.0, 500.0) == pytest.approx(1000, rel=0.01)


def test_few_numbers_say_what_the_recording_does():
    assert sent(4.0, 0.0, 0.0) == 5
    assert sent(1.0, 2.0, 1.0) == pytest.approx(1 / ((1 + 8) / 12))


def test_never_fewer_than_were_heard_nor_twenty_times_as_many():
    assert sent(10.0, 10.0, 20.0) == 10
    assert sent(10.0, 1000.0, 1.0, heard_share=0.05) == 200
