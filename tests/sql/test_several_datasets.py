"""Queries over several datasets, folders of them and globs."""

from __future__ import annotations

import json
import resource
import shutil

import iperf3
import pytest
from folders import SAMPLES

import winf_analyzer
from winf_analyzer._util.errors import DatasetError, UsageError


@pytest.fixture(scope="module")
def campaign(demo_dataset, tmp_path_factory):
    folder = tmp_path_factory.mktemp("campaign")
    for name in ("a.winf", "b.winf", "it's.winf"):
        shutil.copytree(demo_dataset.path, folder / name)
    (folder / "notes").mkdir()
    manifest = folder / "b.winf" / "dataset.json"
    metadata = json.loads(manifest.read_text())
    del metadata["tables"]["neighbours"]
    manifest.write_text(json.dumps(metadata))
    return folder


@pytest.fixture
def measured(compared_dataset, tmp_path):
    """Two datasets of one recording, and a log of one of its flows."""
    for name in ("a.winf", "b.winf"):
        shutil.copytree(compared_dataset.path, tmp_path / "measured" / name)
    flow = "udp 10.0.0.1:5000 10.0.0.2:5000"
    windows = iperf3.goodput(SAMPLES / "ns3_sniffer" / "truth_goodput.csv", flow)
    ends = {"sender": "10.0.0.2:5000", "receiver": "10.0.0.1:5000"}
    iperf3.write_server_log(tmp_path / "log.json", windows, epoch_s=None, **ends)
    return tmp_path


def counts(dataset):
    rows = winf_analyzer.sql(dataset, "select dataset, count(*) from frames group by all order by all").rows()
    return dict(rows)


def test_a_folder_a_glob_and_a_list_are_the_same(campaign, demo_dataset):
    alone = winf_analyzer.sql(demo_dataset, "select count(*) as n from frames")["n"][0]
    expected = dict.fromkeys(("a.winf", "b.winf", "it's.winf"), alone)
    assert counts(campaign) == counts(f"{campaign}/*.winf") == counts(sorted(campaign.glob("*.winf"))) == expected


def test_a_table_that_some_lack_has_the_rows_of_the_others(campaign):
    found = winf_analyzer.sql(campaign, "select distinct dataset from neighbours order by all")
    assert found["dataset"].to_list() == ["a.winf", "it's.winf"]


def test_one_dataset_has_no_column_more(demo_dataset):
    with pytest.raises(UsageError, match="dataset"):
        winf_analyzer.sql(demo_dataset, "select dataset from frames")


def test_named_twice_it_counts_once(demo_dataset):
    alone = winf_analyzer.sql(demo_dataset, "select count(*) as n from frames")["n"][0]
    twice = winf_analyzer.sql([demo_dataset, demo_dataset.path], "select count(*) as n from frames")
    assert twice["n"][0] == alone


def test_on_the_command_line(campaign, winf):
    query = "select dataset, count(*) as n from frames group by all order by all"
    several = winf("sql", campaign / "a.winf", campaign / "b.winf", query, "--to", "csv")
    assert several.returncode == 0, several.stderr
    assert [line.partition(",")[0] for line in several.stdout.splitlines()] == ["dataset", "a.winf", "b.winf"]
    matched = winf("sql", f"{campaign}/[ab].winf", query, "--to", "csv")
    assert matched.stdout == several.stdout
    assert winf("sql", campaign, "--query", "totals").returncode == 0


@pytest.mark.parametrize(
    "name", ["airtime_by_station", "channel_busy", "replay_throughput", "sweep_response", "stations"]
)
def test_named_queries_keep_recordings_and_replays_of_one_name_apart(
    demo_dataset, replay_dataset, sweep_dataset, tmp_path, winf, name
):
    asked = {"replay_throughput": replay_dataset, "sweep_response": sweep_dataset}.get(name, demo_dataset)
    for copy in ("a", "b"):
        shutil.copytree(asked.path, tmp_path / copy)
    alone = json.loads(winf("sql", tmp_path / "a", "--query", name, "--to", "json").stdout)
    both = json.loads(winf("sql", tmp_path, "--query", name, "--to", "json").stdout)
    assert json.loads(winf("sql", tmp_path, f".run {name}", "--to", "json").stdout) == both
    named = [key for key in ("source", "replay_id", "sweep") if key in alone[0]]
    of_a = [row for row in both if all(row[key].startswith("a/") for key in named)]
    if named:
        assert of_a == [row | {key: f"a/{row[key]}" for key in named} for row in alone]
    assert len(both) == 2 * len(alone)
    assert sorted({str(row) for row in both if row not in of_a or not named}) == sorted(
        str(row | {key: f"b/{row[key]}" for key in named}) for row in alone
    )


def test_nothing_found_is_one_sentence(tmp_path, winf):
    with pytest.raises(DatasetError, match="no dataset matches"):
        winf_analyzer.sql(f"{tmp_path}/*.winf", "select 1")
    done = winf("sql", f"{tmp_path}/*.winf", "select 1")
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1


def test_intervals_are_refused_with_the_way_out(demo_dataset, winf):
    done = winf("sql", demo_dataset.path, "select interval 1 day as i")
    assert (done.returncode, "cast it" in done.stderr) == (2, True)


def test_the_last_argument_is_the_query_however_long(demo_dataset, winf):
    long = "select 7 in (" + "1, " * 2000 + '7) as "[a*b]"'
    done = winf("sql", demo_dataset.path, long, "--to", "csv")
    assert (done.returncode, done.stdout) == (0, "[a*b]\ntrue\n"), done.stderr
    missing = winf("sql", demo_dataset.path, "missing.winf")
    assert "missing.winf: not a dataset" in missing.stderr


def test_a_report_of_several_names_the_dataset_of_each_recording(campaign, demo_dataset, tmp_path, winf):
    done = winf("report", campaign, "-o", tmp_path / "report.html")
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "report.html").read_text()
    for source in (entry["source"] for entry in demo_dataset.metadata["inputs"]):
        assert f"a.winf/{source}" in page
        assert f"b.winf/{source}" in page


def test_info_of_datasets_is_about_the_recordings_in_them(campaign, demo_dataset, winf):
    facts = json.loads(winf("info", campaign, "--to", "json").stdout)
    inputs = demo_dataset.metadata["inputs"]
    assert [(entry["dataset"], entry["source"]) for entry in facts] == [
        (str(campaign / name), entry["source"]) for name in ("a.winf", "b.winf", "it's.winf") for entry in inputs
    ]
    assert [entry["counts"] for entry in facts[: len(inputs)]] == [entry["counts"] for entry in inputs]
    alone = winf("info", demo_dataset.path)
    assert alone.returncode == 0, alone.stderr
    assert f"{demo_dataset.path}: {inputs[0]['source']}" in alone.stdout


def test_a_comparison_of_several_has_the_scores_of_each(measured, winf):
    done = winf("compare", measured / "measured", "--iperf", measured / "log.json", "--to", "json")
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)
    assert {row["log"] for row in rows} == {"a.winf/log.json", "b.winf/log.json"}
    alone = winf_analyzer.sql(measured / "measured" / "a.winf", "select count(*) as n from scores")["n"][0]
    assert len(rows) == 2 * alone
    listed = [str(measured / "measured" / name) for name in ("a.winf", "b.winf")]
    again = winf("compare", *listed, measured / "log.json", "--to", "json")
    assert json.loads(again.stdout) == rows


def test_datasets_without_ground_truth_are_named(campaign, winf):
    done = winf("compare", campaign)
    assert done.returncode == 2
    assert done.stderr.count("has no ground truth") == 3


def test_a_check_of_several_says_which_is_damaged(measured, winf):
    assert winf("check", f"{measured}/measured/*.winf").returncode == 0
    (part,) = winf_analyzer.Dataset.open(measured / "measured" / "b.winf").parts("nodes")
    part.write_bytes(b"PAR1")
    done = winf("check", measured / "measured")
    assert done.returncode == 1
    assert [line.partition(": ")[0] for line in done.stdout.splitlines()] == [str(part)]


def test_why_of_several_is_about_each(measured, winf):
    rows = json.loads(winf("why", measured / "measured", "--to", "json").stdout)
    alone = json.loads(winf("why", measured / "measured" / "a.winf", "--to", "json").stdout)
    assert len(rows) == 2 * len(alone) > 0
    assert {row["dataset"] for row in rows} == {str(measured / "measured" / name) for name in ("a.winf", "b.winf")}


@pytest.mark.parametrize(("to", "name"), [("csv", "a"), ("netem", "a.sh"), ("duckdb", "a.duckdb")])
def test_an_export_of_several_has_one_of_each(measured, winf, to, name):
    out = measured / "exports"
    done = winf("export", measured / "measured", "--to", to, "-o", out)
    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in out.iterdir()) == [name, name.replace("a", "b", 1)]
    alone = measured / name
    assert winf("export", measured / "measured" / "a.winf", "--to", to, "-o", alone).returncode == 0
    if to == "csv":
        assert {path.name: path.read_bytes() for path in alone.iterdir()} == {
            path.name: path.read_bytes() for path in (out / name).iterdir()
        }


def test_an_export_of_datasets_of_one_name_is_refused(measured, winf):
    shutil.copytree(measured / "measured" / "a.winf", measured / "a.winf")
    done = winf("export", measured / "a.winf", measured / "measured" / "a.winf", "--to", "csv", "-o", measured / "out")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert not (measured / "out").exists()


def test_a_history_of_several_says_of_which(measured, winf):
    paths = [str(measured / "measured" / name) for name in ("a.winf", "b.winf")]
    rows = json.loads(winf("history", *paths, "--to", "json").stdout)
    alone = json.loads(winf("history", paths[0], "--to", "json").stdout)
    assert rows[: len(alone)] == [{**row, "dataset": paths[0]} for row in alone]
    assert {row["dataset"] for row in rows} == set(paths)


@pytest.mark.parametrize("command", ["replay", "estimate", "undo"])
def test_a_command_about_one_dataset_says_so_of_a_folder(campaign, winf, command):
    done = winf(command, campaign)
    assert done.returncode == 1
    assert done.stderr == (
        f"winf: {campaign}: a folder of 3 datasets, of which this command takes one, such as {campaign / 'a.winf'}.\n"
    )


@pytest.mark.parametrize(
    "arguments", [("sql", "select count(*) from frames"), ("report", "-o", "report.html")], ids=str
)
def test_more_files_than_can_be_open_is_one_sentence(campaign, winf_process, tmp_path, arguments):
    limit = (8, resource.getrlimit(resource.RLIMIT_NOFILE)[1])
    command, *rest = arguments
    done = winf_process(
        command, campaign, *rest, cwd=tmp_path, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, limit)
    )
    assert done.returncode == 1
    assert done.stderr.endswith(
        "more than the 8 files that a process may open are needed at once. Raise the limit with `ulimit -n`.\n"
    )
    assert not (tmp_path / "report.html").exists()
