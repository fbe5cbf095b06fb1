"""A dataset from anywhere: whatever its manifest and its parts hold, every command answers or says one sentence."""

from __future__ import annotations

import contextlib
import copy
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import iperf3
import pcaps
import polars as pl
import pytest
from dataset_state import QUICK
from hypothesis import given
from hypothesis import strategies as st
from properties import examples

import winf_analyzer
from winf_analyzer import DatasetError, WinfError
from winf_analyzer._dataset import manifest
from winf_analyzer._dataset.dataset import Dataset, seal

Act = Callable[[Path], object]

READERS: dict[str, Act] = {
    "sql": lambda run: winf_analyzer.sql(run, "select count(*) from frames"),
    "report": lambda run: winf_analyzer.report(run, run.parent / "report.html"),
    "estimate": lambda run: winf_analyzer.estimate(run, **QUICK, again=True),
    "history": winf_analyzer.history,
    "check": winf_analyzer.check,
}
WRITERS: dict[str, Act] = {"gc": winf_analyzer.gc, "undo": winf_analyzer.undo, "repair": winf_analyzer.repair}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dataset with a history. Treat it as read-only."""
    folder = tmp_path_factory.mktemp("made")
    (folder / "a.pcap").write_bytes(pcaps.busy_link(3))
    winf_analyzer.estimate(winf_analyzer.ingest(folder / "a.pcap", folder / "run.winf"), **QUICK)
    return folder / "run.winf"


@pytest.fixture
def run(made: Path, tmp_path: Path) -> Path:
    """A copy that a test may damage."""
    return Path(shutil.copytree(made, tmp_path / "run.winf"))


def answers(act: Act, run: Path) -> str | None:
    """What an act says when it refuses; anything but one of winf's errors fails the test."""
    said = None
    try:
        act(run)
    except WinfError as error:
        said = error
    assert said is None or (said.exit_code in (1, 2, 4) and 0 < len(str(said)) < 2000)
    return said and str(said)


def rewrite(run: Path, change: Callable[[dict[str, Any]], object]) -> None:
    metadata = json.loads((run / "dataset.json").read_text())
    change(metadata)
    (run / "dataset.json").write_text(json.dumps(metadata))


def first(metadata: dict[str, Any]) -> dict[str, Any]:
    part = metadata["tables"]["frames"][0]
    assert isinstance(part, dict)
    return part


MANIFESTS = {
    "empty": b"",
    "no object": b"[]",
    "deep": b"[" * 100_000 + b"]" * 100_000,
    "deep objects": b'{"format_version":1,"inputs":' + b'{"a":' * 50_000,
    "no JSON": b"\x00\xff\xfe",
    "version text": b'{"format_version": "1"}',
    "version list": b'{"format_version": [1]}',
    "version true": b'{"format_version": true}',
    "version null": b'{"format_version": null}',
    "version float": b'{"format_version": 1.0}',
    "version of 5000 digits": b'{"format_version": ' + b"9" * 5000 + b"}",
    "version not a number": b'{"format_version": NaN}',
    "newer": b'{"format_version": 99}',
    "inputs no list": b'{"format_version": 1, "inputs": 7}',
    "lone surrogate": b'{"format_version": 1, "inputs": [], "command": "\\ud800"}',
}


@pytest.mark.parametrize("text", MANIFESTS.values(), ids=MANIFESTS)
@pytest.mark.parametrize("act", (READERS | WRITERS).values(), ids=READERS | WRITERS)
def test_a_crafted_manifest_is_refused_in_one_sentence(run, text, act):
    shutil.rmtree(run)
    run.mkdir()
    (run / "dataset.json").write_bytes(text)
    said = answers(act, run)
    assert said
    assert "\n" not in said
    assert (run / "dataset.json").read_bytes() == text


@pytest.mark.parametrize("number", [2**63, -(2**63) - 1, 10**19, 10**40])
def test_a_number_of_more_than_64_bits_is_refused(run, number):
    rewrite(run, lambda metadata: metadata.update(parameters={"x": [number]}))
    assert "a number of more than 64 bits" in (answers(Dataset.open, run) or "")


@pytest.mark.parametrize("number", [2**63 - 1, -(2**63), 0, -1])
def test_a_number_of_64_bits_is_read(run, number):
    rewrite(run, lambda metadata: metadata.update(parameters={"x": number}))
    assert Dataset.open(run).metadata["parameters"] == {"x": number}


def test_digits_in_a_text_do_not_have_every_value_looked_at(run, monkeypatch):
    """Of a thousand recordings some SHA-256 has twenty digits in a row, and every command reads the manifest."""
    looked_at = []
    monkeypatch.setattr(manifest, "_check_texts", looked_at.append)
    rewrite(run, lambda metadata: metadata["inputs"][0].update(sha256="9" * 64))
    assert Dataset.open(run).metadata["inputs"][0]["sha256"] == "9" * 64
    assert not looked_at


def test_a_manifest_is_parsed_once_and_belongs_to_who_loads_it(run, monkeypatch):
    one = manifest.load(run)
    monkeypatch.setattr(manifest.json, "loads", lambda *_, **__: pytest.fail("parsed again"))
    other = manifest.load(run)
    assert other == one
    other["inputs"].clear()
    assert manifest.load(run) == one


PATHS = [
    "/etc/passwd",
    "../run.winf/frames/x.parquet",
    "frames/../../secret.parquet",
    "frames/a/b.parquet",
    ".history/frames.parquet",
    "frames/.hidden.parquet",
    "frames/*.parquet",
    "nodes/x.parquet",
    "frames/x.csv",
    "frames/\u0000.parquet",
    "",
    7,
    None,
]


@pytest.mark.parametrize("path", PATHS, ids=repr)
def test_no_path_leads_out_of_the_dataset(run, path):
    rewrite(run, lambda metadata: first(metadata).update(path=path))
    for act in READERS.values():
        assert "dataset.json: damaged" in (answers(act, run) or "")


@pytest.mark.parametrize("where", ["part", "table", "manifest"])
def test_links_are_not_followed(run, where):
    secret = run.parent / "secret"
    secret.mkdir()
    (part,) = (run / "frames").iterdir()
    linked = {"part": part, "table": run / "frames", "manifest": run / "dataset.json"}[where]
    linked.rename(secret / linked.name)
    linked.symlink_to(secret / linked.name)
    for name, act in READERS.items():
        if name not in ("history", "check") or where == "manifest":
            assert answers(act, run), name
    if where != "manifest":
        assert "frames/" in winf_analyzer.check(run)["path"][0]


def test_a_pipe_or_a_link_in_place_of_the_manifest_stays_and_is_not_waited_for(run):
    manifest, elsewhere = run / "dataset.json", run.parent / "elsewhere.json"
    manifest.rename(elsewhere)
    for replaced in (os.mkfifo, lambda path: path.symlink_to(elsewhere)):
        replaced(manifest)
        before = manifest.lstat()
        for act in WRITERS.values():
            assert "not a dataset" in (answers(act, run) or "")
        assert manifest.lstat() == before
        manifest.unlink()


def junk(run: Path, content: bytes, table: str = "frames") -> None:
    """Replace a part, and let the manifest agree."""
    (part,) = (run / table).iterdir()
    part.write_bytes(content)
    rewrite(run, lambda metadata: metadata["tables"][table][0].update(bytes=len(content)))


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"PAR1",
        b"PAR1" + bytes(100) + b"PAR1",
        b"PAR1\xff\xff\xff\x7fPAR1",
        b"PAR1" + b"\xff" * 64 + b"@\0\0\0PAR1",
    ],
    ids=["empty", "magic", "zeros", "long footer", "wild footer"],
)
def test_a_part_that_is_no_parquet_file_is_one_sentence(run, content):
    junk(run, content)
    for name, act in READERS.items():
        if name not in ("history", "check"):
            assert answers(act, run), name
    (fault,) = winf_analyzer.check(run).rows()
    assert fault[0].startswith("frames/")
    left = winf_analyzer.repair(run).left
    assert left
    assert "frames/" in left[0]


@pytest.mark.filterwarnings("ignore:.*cannot be read:UserWarning")
def test_a_junk_table_leaves_the_others_readable(run):
    junk(run, b"PAR1", "estimates")
    assert winf_analyzer.sql(run, "select count(*) from frames").item() > 0
    repaired = winf_analyzer.repair(run)
    assert repaired.left == []
    assert "estimates was emptied" in " ".join(repaired.done)
    assert winf_analyzer.check(run).is_empty()
    assert winf_analyzer.estimate(run, **QUICK).height > 0


@pytest.mark.parametrize("dtype", [pl.String, pl.Boolean, pl.List(pl.Int64), pl.Struct({"a": pl.Int8})], ids=str)
def test_columns_of_other_types_are_one_sentence(run, dtype):
    (part,) = (run / "exchanges").iterdir()
    rows = pl.read_parquet(part).with_columns(
        pl.lit(None, dtype).alias(name) for name in ("start_ns", "sender", "kind")
    )
    rows.write_parquet(part)
    rewrite(run, lambda metadata: metadata["tables"]["exchanges"][0].update(bytes=part.stat().st_size))
    answers(READERS["report"], run)
    assert answers(READERS["estimate"], run)


def test_a_column_of_a_wider_type_is_named_and_nothing_is_said_of_writing(run):
    dataset = winf_analyzer.Dataset.open(run)
    part = dataset.parts("exchanges")[0]
    pl.read_parquet(part).with_columns(pl.col("payload_bytes").cast(pl.Int64)).write_parquet(part)
    seal(run)
    with pytest.raises(DatasetError, match="has 'payload_bytes' as Int64, which is Int32") as raised:
        winf_analyzer.estimate(run, again=True)
    assert "cannot be written" not in str(raised.value)


def test_octets_flipped_within_a_part_are_found_by_check(run):
    (part,) = (run / "frames").iterdir()
    content = bytearray(part.read_bytes())
    content[60] ^= 0xFF
    part.write_bytes(content)
    (fault,) = winf_analyzer.check(run)["fault"]
    assert fault.startswith("has another content (SHA-256) than the manifest says. ")
    for act in READERS.values():
        answers(act, run)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths of all values within a document."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, each in inner for place in places(each, (*path, key)))][0 if path else 1 :]


def change_one_of(found, metadata, data) -> None:
    """Put another value in one of the places of a manifest, or take it away."""
    path = data.draw(st.sampled_from(found))
    holder = metadata
    for key in path[:-1]:
        holder = holder[key]
    if data.draw(st.booleans()):
        holder[path[-1]] = copy.deepcopy(data.draw(VALUES))
    else:
        del holder[path[-1]]


@given(st.data())
@examples(60)
@pytest.mark.filterwarnings("ignore:.*cannot be read:UserWarning")
def test_any_value_of_the_manifest_may_be_another(made, tmp_path_factory, data):
    metadata = json.loads((made / "dataset.json").read_text())
    for _ in range(data.draw(st.integers(1, 3))):
        change_one_of(places(metadata), metadata, data)
        if not metadata:
            break
    run = tmp_path_factory.mktemp("mutated") / "run.winf"
    shutil.copytree(made, run)
    (run / "dataset.json").write_text(json.dumps(metadata))
    for name in ("history", "check", "sql", "report"):
        answers(READERS[name], run)
    shutil.rmtree(run.parent)


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with ``run.winf``, of two recordings, one of them bad, and a log, and with what may be added to it."""
    folder = tmp_path_factory.mktemp("campaign")
    (folder / "new").mkdir()
    ends = {"sender": "10.0.0.2:5000", "receiver": "10.0.0.1:5000"}
    for place, number in ((folder, 3), (folder / "new", 5)):
        (place / "a.pcap").write_bytes(pcaps.busy_link(number))
        iperf3.write_server_log(place / "server.json", [(0, 10**9, number * 1e6)], **ends, epoch_s=1_760_000_000)
    (folder / "bad.pcap").write_bytes(b"no capture")
    winf_analyzer.ingest(folder / "a.pcap", folder / "run.winf")
    with contextlib.suppress(WinfError):
        winf_analyzer.ingest(folder / "bad.pcap", folder / "run.winf")
    winf_analyzer.ingest(folder / "server.json", folder / "run.winf")
    return folder


FACTS = ("inputs", "skipped", "truth", "parameters", "made")


@given(st.data())
@examples(12)
def test_any_fact_about_inputs_may_be_another(campaign, tmp_path_factory, data):
    metadata = json.loads((campaign / "run.winf/dataset.json").read_text())
    assert all(metadata[fact] for fact in FACTS)
    change_one_of([place for place in places(metadata) if place[0] in FACTS], metadata, data)
    folder = tmp_path_factory.mktemp("mutated")
    for name in ("a.pcap", "new/a.pcap", "server.json", "new/server.json"):
        run = Path(shutil.copytree(campaign / "run.winf", folder / "run.winf", dirs_exist_ok=True))
        (run / "dataset.json").write_text(json.dumps(metadata))
        answers(lambda place, name=name: winf_analyzer.ingest(campaign / name, place), run)
    answers(lambda run: winf_analyzer.anonymize(run, folder / "public.winf"), run)
    answers(lambda run: winf_analyzer.info([run]), run)
    shutil.rmtree(folder)


@pytest.mark.parametrize("change", [lambda entry: entry.pop("source"), lambda entry: entry.update(source=None)])
def test_a_recording_without_a_name_is_refused(run, change):
    rewrite(run, lambda metadata: change(metadata["inputs"][0]))
    for command in (winf_analyzer.info, lambda paths: winf_analyzer.anonymize(paths[0], run.parent / "public.winf")):
        with pytest.raises(DatasetError, match="damaged"):
            command([run])
    with pytest.raises(DatasetError, match="damaged"):
        winf_analyzer.report(run, run.parent / "report.html")


def test_the_program_says_it_too(winf, run):
    rewrite(run, lambda metadata: metadata.update(format_version="1"))
    for command in (("sql", run, "select 1"), ("estimate", run), ("report", run, "-o", run.parent / "r.html")):
        result = winf(*command)
        assert (result.returncode, len(result.stderr.splitlines())) == (1, 1)
        assert "damaged" in result.stderr
