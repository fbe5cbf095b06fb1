"""Estimators of other packages: the documented one works as documented, broken ones are told and left out."""

from __future__ import annotations

import os
import re
import sys
import tomllib
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import polars as pl
import pytest
from exchange_builder import busy_second, table

import winf_analyzer
from winf_analyzer import estimators
from winf_analyzer.estimators import ESTIMATES_SCHEMA, ESTIMATORS, PluginWarning

ROOT = Path(__file__).resolve().parents[2]
DOCUMENT = (ROOT / "docs" / "estimators.md").read_text(encoding="utf-8")
CAPTURE = ROOT / "sample_captures" / "ns3_basic_link_b" / "recording" / "node-0.pcap"
BROKEN = """
import math
import polars as pl

def fails(recording, mode, settings):
    raise RuntimeError("no such thing")

def lacks(recording, mode, settings):
    return pl.DataFrame({"source": ["s"]})

def returns_a_list(recording, mode, settings):
    return []

def takes_nothing():
    return None

def not_finite(recording, mode, settings):
    \"\"\"Infinite capacity. And more.\"\"\"
    row = {"source": "s", "observer": None, "node": "n", "state": "sender", "window_start_ns": 0}
    return pl.LazyFrame([row | {"capacity_bps": math.inf, "available_bps": math.nan, "extra": 1}])

VALUE = 7
"""

Install = Callable[..., None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Put a module and its entry points where Python finds installed packages."""
    folder = tmp_path / "site"

    def put(module: str, code: str, **points: str) -> None:
        information = folder / f"{module}-1.0.dist-info"
        information.mkdir(parents=True)
        (folder / f"{module}.py").write_text(code)
        (information / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {module.replace('_', '-')}\nVersion: 1.0\n"
        )
        lines = [f"{name} = {value}" for name, value in points.items()]
        (information / "entry_points.txt").write_text("\n".join(["[winf_analyzer.estimators]", *lines, ""]))

    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(folder), str(ROOT), os.environ.get("PYTHONPATH", "")]))
    modules = set(sys.modules)
    estimators.registry.cache_clear()
    yield put
    estimators.registry.cache_clear()
    for name in set(sys.modules) - modules:
        if getattr(sys.modules[name], "__file__", None) and str(folder) in str(sys.modules[name].__file__):
            del sys.modules[name]


def block(language: str, start: str) -> str:
    """The example of the document that begins like this."""
    found = re.findall(rf"```{language}\n(.*?)```", DOCUMENT, flags=re.DOTALL)
    return next(text for text in found if text.startswith(start))


@pytest.fixture
def documented(install: Install) -> None:
    """The package that the document shows."""
    project = tomllib.loads(block("toml", "[build-system]"))
    points = project["project"]["entry-points"]["winf_analyzer.estimators"]
    assert project["project"]["name"] == "idle-share"
    install("idle_share", block("python", "import polars as pl\n\n\ndef"), **points)


def test_the_documented_call(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sample_captures").symlink_to(ROOT / "sample_captures")
    names: dict[str, pl.DataFrame] = {}
    exec(block("python", "import polars as pl\nimport winf_analyzer"), names)
    busy = names["links"].filter(pl.col("sender").is_in(["00:00:00:00:00:01", "00:00:00:00:00:03"]))
    assert busy.height == 2
    assert busy["capacity_bps"].is_between(10, 24).all()


@pytest.mark.usefixtures("documented")
def test_the_documented_estimator_is_one_like_any_other(tmp_path):
    dataset = winf_analyzer.ingest([CAPTURE], tmp_path / "run.winf")
    rows = winf_analyzer.estimate(dataset, window="100ms")
    own = rows.filter(pl.col("estimator") == "idle_share")
    assert own.height > 0
    assert own["mode"].unique().sort().to_list() == ["corrected", "paper"]
    assert own["idle_ratio"].is_between(0, 1).all()
    assert own["available_bps"].is_between(1e6, 11e6).all()
    assert {"rt_winf", "idle_gap"} <= set(rows["estimator"])
    alone = winf_analyzer.estimate(dataset, estimators=["idle_share"], mode="paper")
    assert alone["estimator"].unique().to_list() == ["idle_share"]
    page = winf_analyzer.report(dataset, tmp_path / "r.html").read_text(encoding="utf-8")
    assert "idle_share, paper" in page


@pytest.mark.usefixtures("documented")
def test_the_documented_estimator_is_held_against_the_truth(tmp_path):
    dataset = winf_analyzer.ingest([ROOT / "sample_captures" / "ns2_rts_link" / "recording"], tmp_path / "run.winf")
    winf_analyzer.estimate(dataset, window="200ms", estimators=["rt_winf", "idle_share"])
    scores = winf_analyzer.compare(dataset).scores.filter(sender="node-0", quantity="attainable", state="sender")
    own = scores.filter(estimator="idle_share")
    assert set(own["mode"]) == {"paper", "corrected"}
    assert own["windows"].min() >= 6
    assert own["mape"].is_not_null().all()
    assert scores["estimator"].n_unique() == 2


@pytest.mark.usefixtures("documented")
def test_the_documented_estimator_on_the_command_line(winf_process, tmp_path):
    listed = winf_process("list", "estimators", "--to", "csv")
    assert "idle_share,Modulation rate times the share of the window that nobody was on the air,idle-share 1.0" in (
        listed.stdout
    )
    winf_analyzer.ingest([CAPTURE], tmp_path / "run.winf")
    shown = winf_process("estimate", tmp_path / "run.winf", "--estimators", "idle_share", "--to", "csv")
    assert shown.returncode == 0, shown.stderr
    assert shown.stdout.count("\nidle_share,") > 0


def test_a_row_may_be_registered_whole(install):
    row = "ROW = Estimator('x', 'what it is', 'a paper', lambda r, m, s: r)"
    install("whole", f"from winf_analyzer.estimators import Estimator\n{row}", mine="whole:ROW")
    row = estimators.registry()["mine"]
    assert (row.name, row.description, row.source) == ("mine", "what it is", "a paper")


@pytest.mark.parametrize(
    ("point", "says"),
    [
        ({"gone": "no_such_module:f"}, "ModuleNotFoundError"),
        ({"gone": "broken:no_such_function"}, "AttributeError"),
        ({"gone": "broken:VALUE"}, "neither a function nor an Estimator"),
        ({"gone": "broken:takes_nothing"}, "too many positional arguments"),
        ({"rt_winf": "broken:fails"}, "its name is taken"),
    ],
)
def test_what_cannot_be_loaded_is_told_and_left_out(install, point, says):
    install("broken", BROKEN, **point)
    with pytest.warns(PluginWarning, match=rf"of broken 1\.0 is left out: .*{says}"):
        assert list(estimators.registry()) == list(ESTIMATORS)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        estimators.registry()


@pytest.mark.parametrize(
    ("function", "says"),
    [
        ("fails", "RuntimeError: no such thing"),
        ("lacks", "its rows lack observer, node, state, window_start_ns"),
        ("returns_a_list", "it returned list"),
    ],
)
def test_what_fails_is_told_and_the_rest_runs(install, function, says):
    install("broken", BROKEN, mine=f"broken:{function}")
    with pytest.warns(PluginWarning, match=f"'mine' of broken 1.0 is left out: .*{says}"):
        rows = estimators.estimate(table(busy_second(5)))
    assert rows.equals(estimators.estimate(table(busy_second(5)), ESTIMATORS))


def test_what_is_not_finite_is_unknown(install):
    install("broken", BROKEN, mine="broken:not_finite")
    rows = estimators.estimate(table(busy_second(5)), ["mine"], ["paper"])
    assert rows.schema == ESTIMATES_SCHEMA
    assert rows.select("node", "capacity_bps", "available_bps").rows() == [("n", None, None)]
    assert estimators.registry()["mine"].description == "Infinite capacity. And more"


def test_a_broken_one_on_the_command_line_is_a_sentence(install, winf_process, tmp_path):
    install("broken", BROKEN, mine="broken:fails")
    winf_analyzer.ingest([CAPTURE], tmp_path / "run.winf")
    result = winf_process("estimate", tmp_path / "run.winf", "--estimators", "rt_winf,mine")
    assert result.returncode == 0
    assert "winf: estimator 'mine' of broken 1.0 is left out: RuntimeError: no such thing." in result.stderr
    assert "Traceback" not in result.stderr
    assert "rt_winf" in result.stdout
