"""What docs/compatibility.md promises: a dataset that 0.1.0 made opens, and what cannot be read says what to do."""

from __future__ import annotations

import json
import shutil
import warnings
from pathlib import Path

import duckdb
import polars as pl
import pytest

import winf_analyzer
from winf_analyzer import Dataset, DatasetError, _schema

KEPT = Path(__file__).parent / "data" / "dataset-0.1.0.winf"
"""The first 120 frames of the sample `ns3_sniffer`, ingested and estimated by 0.1.0. Never make it again."""

TABLES = sorted(folder.name for folder in KEPT.iterdir() if folder.is_dir())


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """A copy of the dataset that 0.1.0 made."""
    return Path(shutil.copytree(KEPT, tmp_path / "kept.winf"))


def edited(path: Path, **changes: object) -> Path:
    """The dataset with other values in its dataset.json."""
    file = path / "dataset.json"
    file.write_text(json.dumps(json.loads(file.read_text(encoding="utf-8")) | changes), encoding="utf-8")
    return path


def test_it_is_of_0_1_0():
    metadata = Dataset.open(KEPT).metadata
    assert (metadata["format_version"], metadata["tool_version"]) == (1, "0.1.0")
    assert "signature" not in metadata


def test_it_opens_and_holds_what_it_held(kept):
    dataset = Dataset.open(kept)
    assert set(TABLES) == set(dataset.tables)
    assert dataset.scan("frames").select(pl.len()).collect().item() == 120
    counted = winf_analyzer.sql(dataset, "select kind, count(*) as n from exchanges group by kind order by kind")
    assert sum(counted["n"]) == 47
    assert winf_analyzer.sql(dataset, "select distinct estimator from estimates order by 1").to_series().to_list() == [
        "idle_gap",
        "rt_winf",
    ]


@pytest.mark.parametrize("table", TABLES)
def test_every_column_of_0_1_0_is_still_there_with_its_type(demo_dataset, table):
    """Columns are added, never renamed, removed or retyped (docs/compatibility.md)."""
    then = Dataset.open(KEPT).scan(table).collect_schema()
    now = demo_dataset.scan(table).collect_schema()
    assert {name: now.get(name) for name in then} == dict(then)


def test_columns_it_lacks_stand_where_the_schema_has_them_however_it_is_read(kept):
    part = kept / "frames" / "part-00000.parquet"
    pl.read_parquet(part).drop("direction").write_parquet(part)
    stated = _schema.table("frames").names
    assert Dataset.open(kept).scan("frames").collect_schema().names() == stated
    assert winf_analyzer.sql(kept, "select * from frames limit 1").columns == stated


def test_a_dataset_with_parts_of_several_versions_is_read_as_one(kept, tmp_path, winf):
    """A replay stands beside those that an older winf made, and lacks none of the columns that they lack."""
    winf_analyzer.replay(kept, controllers=["new_reno"], duration="1s")
    ours = Dataset.open(kept).scan("replay_summary").collect()
    theirs = ours.drop("rtt_p95_ms", "rtt_p95_low_ms").with_columns(replay_id=pl.lit("theirs"))
    with Dataset.open(kept).change("theirs") as change:
        (change.folder / "replay_summary").mkdir()
        theirs.write_parquet(change.folder / "replay_summary" / "a-first.parquet")  # before ours, which has all columns
    both = Dataset.open(kept).scan("replay_summary").collect()
    assert both.columns == _schema.table("replay_summary").names
    assert both.filter(pl.col("replay_id") != "theirs").equals(ours)
    assert both.filter(replay_id="theirs").drop("rtt_p95_ms", "rtt_p95_low_ms").equals(theirs)
    assert winf_analyzer.sql(kept, "select * from replay_summary").equals(both)
    exported = tmp_path / "kept.duckdb"
    winf_analyzer.export(kept, exported, to="duckdb")
    with duckdb.connect(str(exported), read_only=True) as connection:
        assert connection.sql("select * from replay_summary").fetchall() == both.rows()
    assert winf("report", kept, "-o", tmp_path / "report.html").returncode == 0
    assert winf("diff", kept, KEPT).returncode == 0


def test_beside_a_newer_dataset_it_has_the_values_that_it_has_alone(kept, demo_dataset):
    query = "select count(*), count(is_group), count(*) filter (is_group) from frames"
    alone = {winf_analyzer.sql(each, query).row(0) for each in (kept, demo_dataset)}
    of_each = winf_analyzer.sql([kept, demo_dataset], f"{query} group by dataset")
    assert set(of_each.rows()) == alone


@pytest.mark.parametrize("verb", ["estimate", "report", "replay"])
def test_every_command_works_on_it_or_says_how_to_make_it_again(kept, tmp_path, verb):
    calls = {
        "estimate": lambda: winf_analyzer.estimate(kept, window="100ms", estimators=["rt_winf"]).height,
        "report": lambda: winf_analyzer.report(kept, tmp_path / "report.html").stat().st_size,
        "replay": lambda: winf_analyzer.replay(kept, controllers=["new_reno"], seeds=1, transfers=True).summary.height,
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # files that a later winf does not list are kept aside
        try:
            made = calls[verb]()
        except DatasetError as error:
            made = "winf ingest" in str(error)
    assert made


def test_a_newer_format_is_refused_with_both_numbers(kept, demo_dataset):
    ours = demo_dataset.metadata["format_version"]
    edited(kept, format_version=ours + 1)
    with pytest.raises(DatasetError, match=rf"newer winf \(format {ours + 1}, this one reads {ours}\)"):
        Dataset.open(kept)


def test_other_facts_in_the_metadata_do_not_matter(kept):
    assert Dataset.open(edited(kept, tool_version="99.0.0", a_later_fact=[1])).tables


def test_further_tables_and_columns_are_no_error(kept):
    """What a later minor version adds, an earlier one of the same format reads past."""
    (kept / "later").mkdir()
    pl.DataFrame({"x": [1]}).write_parquet(kept / "later" / "part-00000.parquet")
    part = kept / "nodes" / "part-00000.parquet"
    pl.read_parquet(part).with_columns(radio=pl.lit(None, pl.String)).write_parquet(part)
    assert winf_analyzer.sql(kept, "select x from later").item() == 1
    assert winf_analyzer.sql(kept, "select count(radio) from nodes").item() == 0
    assert winf_analyzer.report(kept, kept.parent / "report.html").is_file()


def test_checks_of_the_audit_that_a_newer_version_adds_are_passed_over(sample, tmp_path, winf):
    run = winf_analyzer.ingest(sample("ns3_sniffer"), tmp_path / "run.winf").path
    (entry,) = Dataset.open(run).metadata["inputs"]
    told = winf("info", run).stdout
    later = {"check": "later", "value": 0.5, "expected": 1.0, "pairs": 9, "verdict": "later", "consequence": "later"}
    edited(run, inputs=[{**entry, "audit": [*entry["audit"], later]}])
    dataset = Dataset.open(run)
    audit = dataset.scan("audit").collect()
    row = audit.head(1).with_columns(
        pl.lit(value).cast(audit.schema[name]).alias(name) for name, value in later.items()
    )
    dataset.replace_table("audit", pl.concat([audit, row]))
    answer = winf("info", run)
    assert (answer.returncode, answer.stdout) == (0, told)
    assert winf_analyzer.report(run, tmp_path / "report.html").is_file()
