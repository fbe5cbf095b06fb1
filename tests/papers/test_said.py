"""Figures in the texts of the register are those of the kept full results."""

import pytest

from winf_analyzer._papers import items
from winf_analyzer._papers.reproductions import _said
from winf_analyzer._papers.reproductions._run import Outcome
from winf_analyzer._papers.reproductions._said import said


@pytest.fixture
def _kept(monkeypatch):
    """A study of one arm at three places."""
    summed = {
        ("throughput", "TCP, first", place): (mean, 1.0)
        for place, mean in ((1, 4e6), (2, 1e6), ("no RTS/CTS", 5e6), ("at 1 of 2", 8e6))
    }
    outcome = Outcome([1, 2, "no RTS/CTS", "at 1 of 2"], 30.0, "1.0", [], summed, 2)
    monkeypatch.setattr(_said, "_full", lambda name: outcome if name == "one" else None)


@pytest.mark.usefixtures("_kept")
@pytest.mark.parametrize(
    ("named", "written"),
    [
        ("{one|throughput|TCP, first|1:1M}", "4.0"),
        ("{one|throughput|TCP, first|no RTS/CTS:0k}", "5000"),
        ("{one|throughput|TCP, first|1..2:2M}", "2.50"),
        ("{one|throughput|TCP, first|2 of one|throughput|TCP, first|1:0}", "25"),
        ("{one|throughput|TCP, first|2 below one|throughput|TCP, first|1:0}", "75"),
        ("{one|throughput|TCP, first|1 of one|throughput|TCP, first|at 1 of 2:0}", "50"),
        ("{one|throughput|TCP, first|no RTS/CTS above one|throughput|TCP, first|1:0}", "25"),
    ],
)
def test_a_figure_is_written_as_the_text_names_it(named, written):
    assert said(f"Found: {named} Mbit/s.") == f"Found: {written} Mbit/s."


@pytest.mark.usefixtures("_kept")
@pytest.mark.parametrize(
    "named",
    [
        "{two|throughput|TCP, first|1:0}",
        "{one|delay|TCP, first|1:0}",
        "{one|throughput|TCP|1:0}",
        "{one|throughput|TCP, first|3:0}",
        "{one|throughput|TCP, first|1}",
        "{one:0}",
    ],
)
def test_a_figure_that_no_result_has_is_an_error(named):
    with pytest.raises(ValueError, match="no figure of a kept result"):
        said(f"Found: {named}.")


def test_figures_of_the_register_are_of_kept_results():
    named = [item.says for item in items() if "{" in item.says]
    assert len(named) > 40
    assert not [text for text in map(said, named) if "{" in text]
