"""Of windows with very many links those are solved for that delivered often enough for an estimate."""

import polars as pl
import pytest

import winf_analyzer
from benchmarks.made_captures import capture
from winf_analyzer._models.saturation.interval import crowded, refusals
from winf_analyzer._models.saturation.solvers import fixed_point

FEW = 12
"""Links of a crowd, in place of :data:`.crowded.MAX_LINKS`."""


@pytest.fixture
def estimated(tmp_path, monkeypatch):
    """The estimates of a recording of stations that take turns, and for how many links they were solved."""

    def made(stations, exchanges, most=FEW):
        monkeypatch.setattr(crowded, "MAX_LINKS", most)
        subjects, solve = [], fixed_point.solve
        monkeypatch.setattr(fixed_point, "solve", lambda rows: (subjects.append(rows["subject"].sum()), solve(rows))[1])
        folder = tmp_path / f"{stations}-{exchanges}-{most}"
        folder.mkdir()
        path = folder / "taking_turns.pcap"
        capture(path, stations, range(exchanges))
        dataset = winf_analyzer.ingest([path], path.with_suffix(".winf"))
        rows = winf_analyzer.estimate(dataset, estimators="saturation", mode="corrected")
        monkeypatch.undo()
        return rows, max(subjects, default=0)

    return made


def test_a_crowd_of_links_that_delivered_once_is_not_solved_for(estimated):
    rows, solved = estimated(40, 40)
    everything, all_solved = estimated(40, 40, most=1000)
    assert (solved, all_solved) == (0, 2 * 40), "in the windows, and in the whole recording"
    key = ["window_start_ns", "state", "node", "sender", "receiver"]
    assert rows.select(*key, "exchanges").equals(everything.select(*key, "exchanges")), "each has its row"
    assert rows["available_bps"].null_count() == rows.height
    links = rows.filter(pl.col("receiver").is_not_null())
    assert set(links["reason"].cast(pl.String)) == {refusals.FEW_SAMPLES}


def test_links_of_a_crowd_that_delivered_enough_are_solved_for_as_without_the_bound(estimated):
    often, _ = estimated(40, 40 * refusals.MIN_SAMPLES)
    assert often["available_bps"].count()
    assert often.equals(estimated(40, 40 * refusals.MIN_SAMPLES, most=1000)[0])


def test_without_a_crowd_every_link_is_solved_for(estimated):
    rows, solved = estimated(FEW // 2, FEW // 2)
    everything, all_solved = estimated(FEW // 2, FEW // 2, most=1000)
    assert solved == all_solved > 0
    assert rows.equals(everything)


def test_what_a_crowded_window_leaves_out_others_do_not():
    counts = {"attempts": 1, "failed": 0, "covered_ns": 1, "carried": 1}
    crowd = [{"medium": 0, "window_start_ns": 0, "sender": f"s{n}", "receiver": "ap"} | counts for n in range(1100)]
    links = pl.DataFrame([*crowd, crowd[0] | {"medium": 1}, crowd[0] | {"sender": "g", "receiver": None}])
    assert crowded.solved_for(links)["medium"].to_list() == [1]
    assert crowded.left_out(links).height == len(crowd)
    few = links[: crowded.MAX_LINKS]
    assert crowded.solved_for(few).equals(few)
    assert crowded.left_out(few).is_empty()
