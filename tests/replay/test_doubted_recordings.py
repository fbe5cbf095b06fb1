"""Replays of a recording that the audit speaks against: whoever shows their figures says so."""

from __future__ import annotations

import gzip
import json

import pytest

import winf_analyzer
from benchmarks.accuracy.fixed_sample import FOLDER
from benchmarks.accuracy.recorders import draws, pausing, read, write
from winf_analyzer._dataset.dataset import Dataset
from winf_analyzer._report.doubts import of_replays

PAUSED = "For a part of the time nothing was recorded, and stations went on sending."
NO_BETTER = f"recording.pcap: {PAUSED} The replay is no better"


@pytest.fixture(scope="module")
def recordings(tmp_path_factory):
    """Two seconds of a sniffer by whether it was off for nearly half of the time."""
    folder = tmp_path_factory.mktemp("recordings")
    paths = {paused: folder / str(paused) / "recording.pcap" for paused in (False, True)}
    for path in paths.values():
        path.parent.mkdir()
    paths[False].write_bytes(gzip.decompress((FOLDER / "sniffer.pcap.gz").read_bytes()))
    write(paths[False], paths[True], pausing(read(paths[False]), 0.45, 30, draws("pauses")))
    return paths


def messages(report):
    return [part.partition("</p>")[0] for part in report.read_text(encoding="utf-8").split('<p class="message">')[1:]]


@pytest.mark.parametrize("paused", [False, True])
def test_an_analysis_and_its_report_say_it(paused, recordings, winf, tmp_path):
    done = winf("analyze", recordings[paused], "--controllers", "new_reno", "-o", tmp_path / "out")
    assert "Replay run" in done.stdout
    assert (f"{NO_BETTER} (recording_paused).\n" in done.stdout) == paused
    assert (f"{NO_BETTER}." in messages(tmp_path / "out" / "report.html")) == paused


def test_a_published_dataset_keeps_it_without_the_name_of_the_recording(recordings, tmp_path):
    dataset = winf_analyzer.ingest([recordings[True]], tmp_path / "run.winf")
    for replay in ("one", "two"):
        winf_analyzer.replay(dataset, controllers="new_reno", replay_id=replay, draws=0)
    assert of_replays(Dataset.open(dataset.path)) == [f"recording.pcap: {PAUSED} No better: one, two."]
    published = winf_analyzer.anonymize(dataset, tmp_path / "published.winf")
    (said,) = of_replays(published)
    assert PAUSED in said
    assert "recording.pcap" not in json.dumps(published.metadata)
    (source,) = (entry["source"] for entry in published.metadata["inputs"])
    assert said.startswith(f"{source}: ")


def test_facts_from_elsewhere_are_no_text_of_the_report(recordings, tmp_path):
    dataset = winf_analyzer.ingest([recordings[False]], tmp_path / "run.winf")
    winf_analyzer.replay(dataset, controllers="new_reno", draws=0)
    path = tmp_path / "run.winf" / "dataset.json"
    facts = json.loads(path.read_text())
    (replay,) = facts["replays"].values()
    assert replay["doubts"] == []
    del replay["doubts"]  # as earlier versions wrote it
    assert of_replays(rewritten(path, facts)) == []
    replay["doubts"] = [{"source": "a.pcap", "code": "<script>"}, {"source": "<b>", "code": "air_unheard"}]
    said = winf_analyzer.report(rewritten(path, facts), tmp_path / "report.html")
    assert "<script>:" not in said.read_text()
    assert any(message.startswith("&lt;b&gt;: Most frames") for message in messages(said))
    replay["doubts"] = [{"source": "a.pcap"}]
    with pytest.raises(winf_analyzer.WinfError, match="the facts about an input are damaged"):
        winf_analyzer.report(rewritten(path, facts), tmp_path / "damaged.html")


def rewritten(path, facts):
    path.write_text(json.dumps(facts))
    return Dataset.open(path.parent)
