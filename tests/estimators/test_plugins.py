"""Estimators of other packages: the documented one works as documented, broken ones are told and left out."""

from __future__ import annotations

import os
import re
import sys
import tomllib
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from unittest import mock

import polars as pl
import pytest
from exchange_builder import A, busy_second, exchange, table

import winf_analyzer
from winf_analyzer import estimators
from winf_analyzer._aggregate import chunks
from winf_analyzer._aggregate.reader import ExchangeReader
from winf_analyzer.estimators import ESTIMATES_SCHEMA, ESTIMATORS, PluginWarning

ROOT = Path(__file__).resolve().parents[2]
DOCUMENT = (ROOT / "docs" / "estimators.md").read_text(encoding="utf-8")
CAPTURE = ROOT / "sample_captures" / "ns3_basic_link_b" / "recording" / "node-0.pcap"
BROKEN = """
import math
import polars as pl
from winf_analyzer.estimators import Aggregate, Derived, Estimator, Method

def declared(finish, **method):
    method = Method(finish, **method)
    return Estimator("x", "what it is", "", method, method)

def fails_(context):
    raise RuntimeError("no such thing")

def ends_(*anything):
    raise SystemExit(0)

def row_(context, **taken):
    row = {"source": "s", "observer": None, "node": "n", "state": "sender", "window_start_ns": 0}
    return pl.LazyFrame([row | {"capacity_bps": math.inf, "available_bps": math.nan, "extra": 1}])

def sums_(chunk):
    raise RuntimeError("no such sums")

def derive_(context):
    raise RuntimeError("no such table")

FAILS = declared(fails_)
ENDS = declared(ends_)
CHUNK_ENDS = declared(row_, inputs={"sums": Aggregate(ends_)})
LACKS = declared(lambda context: pl.DataFrame({"source": ["s"]}))
RETURNS_A_LIST = declared(lambda context: [])
NOT_FINITE = declared(row_)
CHUNK_FAILS = declared(row_, inputs={"sums": Aggregate(sums_)})
CHUNK_IS_A_LIST = declared(row_, inputs={"sums": Aggregate(lambda chunk: [], keys=None)})
DERIVED_FAILS = declared(row_, inputs={"table": Derived(derive_)})
AFTER_FAILING = declared(row_, after=("first",))
AFTER_NOBODY = declared(row_, after=("nobody",))
AFTER_ITSELF = declared(row_, after=("mine",))
UNHASHABLE = declared(row_, inputs={"table": Derived(derive_, {"sums": Aggregate(sums_, ([],))})})
NO_INPUT = declared(row_, inputs={"sums": 3})
TWICE = declared(row_, inputs={"rt_winf": Aggregate(sums_)}, after=("rt_winf",))
VALUE = 7
"""

GATHERS = """
import polars as pl
from winf_analyzer.estimators import Aggregate, Estimator, Method

CHUNKS = []

def packets(chunk, kind):
    CHUNKS.append(chunk.from_ns)
    rows = chunk.uses.filter("unicast", pl.col("kind") == kind)
    return chunk.per_link(rows, exchanges=pl.len().cast(pl.Int64))

def finish(context, sums, rt_winf):
    rates = rt_winf.filter(pl.col("state") == "sender").select("medium", "window_start_ns", "sender", "capacity_bps")
    rows = sums.join(rates, on=["medium", "window_start_ns", "sender"]).join(context.media_names, on="medium")
    rows = rows.join(context.coverage, on=["medium", "window_start_ns"])
    state = pl.lit("sender").cast(pl.Categorical)
    return rows.with_columns(node="sender", peer="receiver", state=state)

def method(kind):
    return Method(finish, inputs={"sums": Aggregate(packets, (kind,))}, after=("rt_winf",))

ROW = Estimator("x", "counts", "a paper", paper=method("rts"), corrected=method("basic"))
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
    install("idle_share", block("python", "import polars as pl\nfrom winf_analyzer.estimators"), **points)


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
    assert set(scores["estimator"]) == {"rt_winf", "idle_share", "recommended"}


@pytest.mark.usefixtures("documented")
def test_the_documented_estimator_on_the_command_line(winf_process, tmp_path):
    listed = winf_process("list", "estimators", "--to", "csv")
    assert "idle_share,modulation rate times the share of the window that nobody was on the air,an example" in (
        listed.stdout
    )
    winf_analyzer.ingest([CAPTURE], tmp_path / "run.winf")
    shown = winf_process("estimate", tmp_path / "run.winf", "--estimators", "idle_share", "--to", "csv")
    assert shown.returncode == 0, shown.stderr
    assert shown.stdout.count("\nidle_share,") > 0


def test_a_row_has_the_name_of_its_entry_point_and_its_own_source(install):
    install("gathers", GATHERS, mine="gathers:ROW")
    row = estimators.registry()["mine"]
    assert (row.name, row.description, row.source, row.implemented_in) == ("mine", "counts", "a paper", "gathers")


def test_its_inputs_are_gathered_in_the_same_pass_and_it_takes_rows_of_others(install):
    install("gathers", GATHERS, mine="gathers:ROW")
    rows = [exchange(n * 3000.0, kind="rts" if n % 3 else "basic") for n in range(60)]
    passes = []
    real = ExchangeReader.aggregate

    def counted(self, aggregates):
        passes.append(aggregates)
        return real(self, aggregates)

    with mock.patch.multiple(chunks, ROWS=10, CELL_NS=10**6), mock.patch.object(ExchangeReader, "aggregate", counted):
        found = estimators.estimate(table(rows))
    assert len(passes) == 1
    cuts = sys.modules["gathers"].CHUNKS
    assert len(cuts) == 2 * len(set(cuts)) > 10
    mine = found.filter(pl.col("estimator") == "mine", pl.col("peer").is_not_null()).sort("mode")
    assert mine.select("mode", "exchanges").rows() == [("corrected", 20), ("paper", 40)]
    theirs = found.filter(pl.col("estimator") == "rt_winf", state="sender", sender=A).drop_nulls("peer").sort("mode")
    assert mine["capacity_bps"].to_list() == theirs["capacity_bps"].to_list()
    # In any order, and alone.
    alone = estimators.estimate(table(rows), ["mine"])
    assert alone.equals(found.filter(estimator="mine"))


def test_a_plug_in_may_take_the_rows_of_another(install):
    install("broken", BROKEN, first="broken:NOT_FINITE", second="broken:AFTER_FAILING")
    rows = estimators.estimate(table(busy_second(5)), ["second"], ["paper"])
    assert rows.select("estimator", "node").rows() == [("second", "n")]


@pytest.mark.parametrize(
    ("point", "says"),
    [
        ({"gone": "no_such_module:f"}, "ModuleNotFoundError"),
        ({"gone": "broken:NO_SUCH_ROW"}, "AttributeError"),
        ({"gone": "broken:VALUE"}, "broken:VALUE is no Estimator"),
        ({"gone": "broken:fails_"}, "broken:fails_ is no Estimator"),
        ({"gone": "broken:NO_INPUT"}, "its input sums is neither an Aggregate nor Derived"),
        ({"gone": "broken:UNHASHABLE"}, "unhashable type"),
        ({"gone": "broken:TWICE"}, "rt_winf is an input and an estimator"),
        ({"gone": "broken:AFTER_NOBODY"}, "there is no estimator 'nobody', which it depends on"),
        ({"mine": "broken:AFTER_ITSELF"}, "it depends on itself"),
        ({"rt_winf": "broken:FAILS"}, "its name is taken"),
    ],
)
def test_what_cannot_be_loaded_is_told_and_left_out(install, point, says):
    install("broken", BROKEN, **point)
    with pytest.warns(PluginWarning, match=rf"of broken 1\.0 is left out: .*{says}"):
        assert list(estimators.registry()) == list(ESTIMATORS)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        estimators.registry()


def test_one_that_ends_the_program_while_it_is_loaded_is_left_out(install):
    install("ending", "import sys; sys.exit()", mine="ending:ROW")
    with pytest.warns(PluginWarning, match=r"of ending 1\.0 is left out: it cannot be loaded: SystemExit"):
        assert list(estimators.registry()) == list(ESTIMATORS)


@pytest.fixture(scope="module")
def own_rows() -> pl.DataFrame:
    """What the estimators of the package say without any other."""
    return estimators.estimate(table(busy_second(5)), ESTIMATORS)


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ("FAILS", "RuntimeError: no such thing"),
        ("ENDS", "SystemExit: 0"),
        ("CHUNK_ENDS", "SystemExit: 0"),
        ("LACKS", "its rows lack observer, node, state, window_start_ns"),
        ("RETURNS_A_LIST", "it returned list"),
        ("CHUNK_FAILS", "RuntimeError: no such sums"),
        ("CHUNK_IS_A_LIST", "TypeError: .* returned list"),
        ("DERIVED_FAILS", "RuntimeError: no such table"),
    ],
)
def test_what_fails_is_told_and_the_rest_runs(install, own_rows, row, says):
    install("broken", BROKEN, mine=f"broken:{row}")
    with pytest.warns(PluginWarning, match=f"'mine' of broken 1.0 is left out: .*{says}"):
        rows = estimators.estimate(table(busy_second(5)))
    assert rows.equals(own_rows)


def test_what_depends_on_one_that_failed_is_left_out_too(install):
    install("broken", BROKEN, first="broken:FAILS", second="broken:AFTER_FAILING")
    with pytest.warns(PluginWarning) as told:
        rows = estimators.estimate(table(busy_second(5)), ["second", "rt_winf"], ["paper"])
    assert rows["estimator"].unique().to_list() == ["rt_winf"]
    said = [str(warning.message) for warning in told]
    assert any(
        "'second' of broken 1.0 is left out: RuntimeError: first, which it depends on, failed" in s for s in said
    )


def test_what_is_not_finite_is_unknown(install):
    install("broken", BROKEN, mine="broken:NOT_FINITE")
    rows = estimators.estimate(table(busy_second(5)), ["mine"], ["paper"])
    assert rows.schema == ESTIMATES_SCHEMA
    assert rows.select("node", "capacity_bps", "available_bps").rows() == [("n", None, None)]


def test_a_broken_one_on_the_command_line_is_a_sentence(install, winf_process, tmp_path):
    install("broken", BROKEN, mine="broken:FAILS")
    winf_analyzer.ingest([CAPTURE], tmp_path / "run.winf")
    result = winf_process("estimate", tmp_path / "run.winf", "--estimators", "rt_winf,mine")
    assert result.returncode == 0
    assert "winf: estimator 'mine' of broken 1.0 is left out: RuntimeError: no such thing." in result.stderr
    assert "Traceback" not in result.stderr
    assert "rt_winf" in result.stdout
