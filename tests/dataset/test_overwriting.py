"""winf removes only what it wrote and lists: a thesis in the way survives every command, with one sentence about it."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pcaps
import polars as pl
import pytest
from dataset_state import QUICK

import winf_analyzer
from winf_analyzer import pipeline
from winf_analyzer._dataset import manifest
from winf_analyzer._dataset.dataset import Dataset, create, write_metadata
from winf_analyzer._schema import schema
from winf_analyzer._util.errors import DatasetError, UsageError, WinfError

THESIS = r"\documentclass{thesis} four years of work"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A recording and its dataset. Treat them as read-only."""
    folder = tmp_path_factory.mktemp("made")
    (folder / "a.pcap").write_bytes(pcaps.busy_link(3))
    winf_analyzer.ingest(folder / "a.pcap", folder / "run.winf")
    return folder


@pytest.fixture
def place(made: Path, tmp_path: Path) -> Path:
    """A copy of both that a test may write to."""
    shutil.copytree(made, tmp_path / "place")
    return tmp_path / "place"


def thesis(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(THESIS)
    return path


def tree(folder: Path) -> dict[str, bytes | str]:
    """Everything below a folder but locks, links as what they point to."""
    return {
        str(path.relative_to(folder)): str(path.readlink()) if path.is_symlink() else path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if (path.is_symlink() or path.is_file()) and path.name not in (".lock", ".readers")
    }


def is_listed(dataset: Path) -> bool:
    """Whether the parts that the manifest names are those in the folders of tables, and nothing is being made."""
    named = {part.path for part in manifest.parts(manifest.load(dataset))}
    return named == set(manifest.visible_parts(dataset)) and not list(dataset.glob(".incoming-*"))


def edit(dataset: Path, change: Callable[[dict[str, Any]], object]) -> None:
    metadata = json.loads((dataset / "dataset.json").read_text())
    change(metadata)
    (dataset / "dataset.json").write_text(json.dumps(metadata))


def former(dataset: Path) -> None:
    """Make it one of before files were listed."""
    edit(
        dataset,
        lambda metadata: [
            metadata.pop(key) for key in ("signature", "id", "tables", "version", "superseded", "obsolete")
        ],
    )


def refused(place: Path, act: Callable[[], object], *said: str, error: type[WinfError] = WinfError) -> None:
    """The act fails with one sentence that has these words, and nothing below ``place`` is another afterwards."""
    before = tree(place)
    with pytest.raises(error) as caught:
        act()
    message = str(caught.value)
    assert "\n" not in message
    assert all(words in message for words in said), message
    assert tree(place) == before


def again(place: Path) -> Callable[[], object]:
    return lambda: winf_analyzer.ingest(place / "a.pcap", place / "run.winf", force=True)


@pytest.mark.parametrize(
    "where", ["thesis.tex", "frames/thesis.tex", "estimates/draft/thesis.tex", "notes/a/thesis.tex"]
)
def test_force_keeps_a_dataset_with_a_thesis_in_it(place, where):
    thesis(place / "run.winf" / where)
    refused(place, again(place), where, "Move that file away", error=DatasetError)


def test_force_by_the_command_line_says_one_sentence(winf, place):
    kept = thesis(place / "run.winf" / "thesis.tex")
    result = winf("ingest", place / "a.pcap", "-o", place / "run.winf", "--force")
    assert result.returncode == 1
    assert len(result.stderr.splitlines()) == 1
    assert "thesis.tex" in result.stderr
    assert kept.read_text() == THESIS


@pytest.mark.parametrize(
    "manifest_of_theirs",
    [
        {"name": "iris", "version": "1.0.0", "files": ["thesis.tex"]},
        {"format_version": 1, "files": {"thesis.tex": len(THESIS)}},
        {"format_version": 1, "signature": "winf dataset", "files": {"thesis.tex": len(THESIS)}},
        {"signature": "winf dataset", "id": "me", "files": {"thesis.tex": len(THESIS)}},
        {"id": "7cbd3f9c-8b0f-4a0e-9d2c-6b6f5b1c8f10", "files": {"thesis.tex": len(THESIS)}},
        {"signature": "winf dataset", "id": "7cbd3f9c-8b0f-4a0e-9d2c-6b6f5b1c8f10", "files": ["thesis.tex"]},
        {"format_version": 1, "signature": "winf dataset", "id": "me", "tables": {}},
        {"format_version": 1, "tables": {"frames": [{"path": "frames/../thesis.tex"}]}},
        ["thesis.tex"],
    ],
)
def test_a_foreign_or_forged_dataset_json_makes_no_dataset(place, manifest_of_theirs):
    project = thesis(place / "project" / "thesis.tex").parent
    (project / "dataset.json").write_text(json.dumps(manifest_of_theirs))
    refused(place, lambda: winf_analyzer.ingest(place / "a.pcap", project, force=True), "--force does not replace it")
    refused(place, lambda: winf_analyzer.replay(project, topology="stack", controllers=["cbr"]))


def test_a_listed_file_of_another_size_is_not_winfs(place):
    (part,) = (place / "run.winf" / "frames").iterdir()
    part.write_bytes(part.read_bytes() + b"notes")
    refused(place, again(place), f"frames/{part.name}")


def test_a_link_in_a_dataset_is_neither_followed_nor_removed(place):
    kept = thesis(place / "documents" / "thesis.tex")
    (place / "run.winf" / "documents").symlink_to(kept.parent, target_is_directory=True)
    refused(place, again(place), "documents")
    (place / "run.winf" / "documents").unlink()
    (part,) = (place / "run.winf" / "frames").iterdir()
    part.rename(place / "part")
    part.symlink_to(place / "part")
    refused(place, again(place), f"frames/{part.name}")
    refused(place, lambda: winf_analyzer.estimate(place / "run.winf"), "is not as winf wrote it")


@pytest.mark.parametrize("dangling", [False, True])
@pytest.mark.parametrize("force", [False, True])
def test_an_output_that_is_a_link_is_refused(place, dangling, force):
    link = place / "latest.winf"
    link.symlink_to("nowhere" if dangling else "run.winf")
    refused(place, lambda: winf_analyzer.ingest(place / "a.pcap", link, force=force), "is a symbolic link")
    refused(place, lambda: winf_analyzer.replay(topology="stack", output=link, force=force), "is a symbolic link")


def test_no_command_replaces_its_own_input(place):
    run = place / "run.winf"
    inside = run / "capture.pcap"
    shutil.copy(place / "a.pcap", inside)
    (place / "link.pcap").symlink_to(inside)
    others = {"output": run, "force": True}
    for given in ("run.winf/capture.pcap", "link.pcap", "run.winf"):
        refused(place, lambda given=given: winf_analyzer.ingest(place / given, **others), "is an input in the place of")
        refused(place, lambda given=given: winf_analyzer.follow(place / given, **others), "is an input in the place of")
        refused(
            place, lambda given=given: winf_analyzer.merge([place / given, place / "a.pcap"], **others), "is an input"
        )
        refused(place, lambda given=given: winf_analyzer.analyze(place / given, place, force=True), "is an input")
    (run / "world.toml").write_text("")
    refused(place, lambda: winf_analyzer.replay(topology=run / "world.toml", **others), "is an input in the place of")


def test_recordings_found_in_the_output_are_inputs_too(place):
    """The folder named is around the output."""
    shutil.move(place / "a.pcap", place / "run.winf" / "a.pcap")
    refused(place, lambda: winf_analyzer.ingest(place, place / "run.winf", force=True), "'a.pcap'")


@pytest.mark.parametrize(
    ("table", "act"),
    [
        ("estimates", winf_analyzer.estimate),
        ("scores", winf_analyzer.estimate),
        ("hidden_pairs", winf_analyzer.hidden_pairs),
        ("nodes", lambda run: winf_analyzer.replay(run, topology="stack", controllers=["cbr"], duration="1s")),
    ],
)
def test_a_thesis_in_a_table_stays_and_disturbs_nobody(place, table, act):
    run = place / "run.winf"
    kept = thesis(run / table / "thesis.tex"), thesis(run / table / "part-00000.parquet")
    act(run)
    assert [each.read_text() for each in kept] == [THESIS, THESIS]
    assert winf_analyzer.sql(run, f"select * from {table}").columns
    winf_analyzer.undo(run)
    winf_analyzer.gc(run)
    assert [each.read_text() for each in kept] == [THESIS, THESIS]


def test_a_table_that_is_a_link_is_not_replaced(place):
    table = place / "run.winf" / "estimates"
    table.rename(place / "elsewhere")
    table.symlink_to(place / "elsewhere", target_is_directory=True)
    refused(place, lambda: winf_analyzer.estimate(place / "run.winf"), "estimates: is not a folder that winf made")


def test_a_thesis_under_the_name_of_a_new_part_stays(place):
    """Names come from contents, so that only its author can have put it there."""
    run = place / "run.winf"
    with pytest.raises(DatasetError, match="is not winf's"), Dataset.open(run).change("test") as change:  # noqa: PT012
        change.replace("scores", [pl.DataFrame(schema=schema("scores")).clear(1000)])
        (part,) = change.parts("scores")
        taken = thesis(run / manifest.describe(part, "scores").path)
    assert taken.read_text() == THESIS
    assert winf_analyzer.sql(run, "select count(*) from scores").item() == 0


def test_what_appears_while_the_dataset_is_replaced_stays(place, monkeypatch):
    """The worst moment: after the last look, while the new manifest takes effect."""
    target, replace = place / "run.winf", Path.replace

    def late(self: Path, to: Path) -> Path:
        if to == target / "dataset.json":
            thesis(target / "frames" / "thesis.tex")
        return replace(self, to)

    monkeypatch.setattr(Path, "replace", late)
    again(place)()
    assert (target / "frames" / "thesis.tex").read_text() == THESIS
    assert is_listed(target)


def test_following_writes_over_nothing_foreign(place):
    """A file that appears in a table of the growing dataset; the parts of all publications are listed."""
    captures, run = place / "captures", place / "followed.winf"
    captures.mkdir()
    shutil.copy(place / "a.pcap", captures / "a.pcap")
    taken = run / "warnings" / "part-00001.parquet"

    def meanwhile() -> bool:
        if run.exists() and not taken.exists():
            thesis(taken)
            shutil.copy(place / "a.pcap", captures / "b.pcap")
            return False
        return taken.exists()

    winf_analyzer.follow(captures, run, every="50ms", stop=meanwhile)
    assert taken.read_text() == THESIS
    assert winf_analyzer.sql(run, "select count(*) from warnings").item() == 0
    taken.unlink()
    assert is_listed(run)
    winf_analyzer.follow(captures, run, every="50ms", stop=lambda: run.exists(), force=True)
    assert is_listed(run)


def test_an_output_that_appears_meanwhile_is_not_replaced(place):
    with pytest.raises(DatasetError, match="exists and is not a dataset"), create(place / "new.winf") as staged:  # noqa: PT012
        write_metadata(staged, {"format_version": 1})
        kept = thesis(place / "new.winf" / "thesis.tex")
    assert kept.read_text() == THESIS


def test_a_former_dataset_is_read_and_written_and_never_replaced(place):
    run = place / "run.winf"
    former(run)
    kept = thesis(run / "estimates" / "thesis.tex")
    refused(place, again(place), "did not list its files", "adds nothing to it, and --force does not replace it")
    before = winf_analyzer.sql(run, "select count(*) from exchanges").item()
    parts = list((run / "estimates").glob("*.parquet"))
    estimates = winf_analyzer.estimate(run)
    assert estimates.height == Dataset.open(run).scan("estimates").collect().height
    assert winf_analyzer.sql(run, "select count(*) from exchanges").item() == before
    refused(place, again(place), "did not list its files")
    for _ in range(2):
        replayed = winf_analyzer.replay(run, topology="stack", controllers=["cbr"], duration="1s")
        assert replayed.flows.select("seed").collect().height == Dataset.open(run).scan("replay_flows").collect().height
    winf_analyzer.gc(run)
    assert kept.read_text() == THESIS
    assert all((run / ".history" / "estimates" / part.name).is_file() for part in parts), "nothing tells who wrote it"


def test_a_report_replaces_a_report_and_nothing_else(winf, place):
    run = place / "run.winf"
    report = winf_analyzer.report(run, place / "run.html")
    before = report.read_bytes()
    assert winf_analyzer.report(run, report, force=True).read_bytes() == before
    (place / "other.html").write_text("<!DOCTYPE html>\n<html><head><title>winf report</title></head></html>")
    (place / "link.html").symlink_to(report)
    (place / "dangling.html").symlink_to("nowhere")
    refused(place, lambda: winf_analyzer.report(run, place / "a.pcap"), "is not a report that winf wrote")
    refused(place, lambda: winf_analyzer.report(run, place / "other.html"), "is not a report that winf wrote")
    refused(place, lambda: winf_analyzer.report(run, run / "dataset.json"), "is not a report that winf wrote")
    refused(place, lambda: winf_analyzer.report(run, place / "link.html"), "is a symbolic link")
    refused(place, lambda: winf_analyzer.report(run, place / "dangling.html"), "is a symbolic link")
    refused(place, lambda: winf_analyzer.report(run, Path(os.devnull)), "is not a report that winf wrote")
    capture = (place / "a.pcap").read_bytes()
    result = winf("report", run, "-o", place / "a.pcap")
    assert (result.returncode, len(result.stderr.splitlines())) == (1, 1)
    assert (place / "a.pcap").read_bytes() == capture


def test_analyze_refuses_before_any_work(winf, place):
    out = place / "out"
    thesis(out / "report.html")
    refused(place, lambda: winf_analyzer.analyze(place / "a.pcap", out, force=True), "report.html", "not a report")
    result = winf("analyze", place / "a.pcap", "-o", out, "--force")
    assert (result.returncode, len(result.stderr.splitlines())) == (1, 1)
    assert tree(out) == {"report.html": THESIS.encode()}
    shutil.copy(place / "a.pcap", out / "report.html")
    refused(place, lambda: winf_analyzer.analyze(out / "report.html", out), "is an input in the place of")
    os.link(out / "report.html", out / "same.pcap")
    refused(place, lambda: winf_analyzer.analyze(out / "same.pcap", out), "is an input in the place of")
    refused(place, lambda: winf_analyzer.analyze(place / "a.pcap", place / "a.pcap"), "is a file", error=UsageError)


def test_force_replaces_what_every_command_wrote(winf, sample, short_recording, tmp_path, monkeypatch):
    """Ingest, estimate, replay and compare; a list that stays true; a demo, here a short one, that repeats."""
    monkeypatch.setattr(pipeline, "as_file", lambda _: nullcontext(short_recording))
    monkeypatch.setattr(pipeline, "CONTROLLERS", ("new_reno",))
    for _ in range(2):
        assert winf("demo", "-o", tmp_path / "demo", "--force", "-q").returncode == 0
        assert sorted(path.name for path in (tmp_path / "demo").iterdir()) == ["report.html", "run.winf"]
    run = tmp_path / "demo" / "run.winf"
    assert is_listed(run)
    for _ in range(2):
        winf_analyzer.estimate(run, **QUICK, again=True)
        assert is_listed(run)
    for seeds in (1, 2):
        winf_analyzer.replay(run, topology="stack", controllers=["cbr"], duration="1s", seeds=seeds)
        assert is_listed(run)
    trace = sample("ns2_basic_link") / "recording"
    winf_analyzer.ingest(trace, tmp_path / "run.winf")
    winf_analyzer.compare(tmp_path / "run.winf")
    for _ in range(2):
        winf_analyzer.merge([sample("ns3_hidden") / "recording"], run, force=True)
        assert is_listed(run)
        winf_analyzer.ingest(trace, tmp_path / "run.winf", force=True)
        assert is_listed(tmp_path / "run.winf")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["demo", "run.winf"]


@pytest.mark.parametrize(
    "command", [("ingest", "a.pcap"), ("export", "run.winf", "--to", "csv")], ids=lambda each: each[0]
)
def test_force_is_advised_only_where_it_helps(winf, tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.pcap").write_bytes(pcaps.busy_link(3))
    winf_analyzer.ingest("a.pcap", "run.winf")
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "thesis.txt").write_text("mine")
    for force in ([], ["--force"]):
        done = winf(*command, "-o", "thesis", *force)
        assert (done.returncode, "pass --force" in done.stderr, "another output" in done.stderr) == (1, False, True)
