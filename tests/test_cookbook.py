"""CONTRIBUTING.md's cookbook: each recipe is followed on a copy of the tree, and the program shows what was added.

A recipe may touch the files it names and no others. Recipes in Rust need a build; CONTRIBUTING.md names the change that
followed each.
"""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

import winf_analyzer._core
from winf_analyzer import _schema

ROOT = Path(__file__).resolve().parent.parent
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
RECIPES = dict(re.findall(r"^### (.+?)\n(.*?)(?=^##)", TEXT, flags=re.DOTALL | re.MULTILINE))

HOMES = """\
from winf_analyzer._aggregate.idle import airtime, from_airtime, join_idle
from winf_analyzer._aggregate.states import link_sums, sums_by_state
from winf_analyzer.estimators._estimator import Estimator, Method
"""
"""Where an estimator of this package takes what others take from ``winf_analyzer.estimators``."""

COMMAND = '''"""`winf hidden_pairs`: stations that do not hear one another."""

from winf_analyzer.cli.command import Command
from winf_analyzer.cli.options import DatasetPath, To
from winf_analyzer.cli.output import Format, write_table


def hidden_pairs(dataset: DatasetPath, to: To = Format.table) -> None:
    """Find stations that do not hear each other, and print the pairs."""
    import winf_analyzer

    write_table(winf_analyzer.hidden_pairs(dataset), to)


COMMAND = Command(
    "hidden_pairs", hidden_pairs, ("winf hidden_pairs run.winf", "winf hidden_pairs run.winf --to csv")
)
'''

Program = Callable[..., str]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """The Python package with its queries and reports as a checkout has them, to be changed."""
    root = tmp_path / "tree"
    shutil.copytree(
        ROOT / "winf_analyzer",
        root / "winf_analyzer",
        symlinks=True,
        ignore=shutil.ignore_patterns("core", "engine", "*.so", "__pycache__"),
    )
    native = Path(winf_analyzer._core.__file__)
    (root / "winf_analyzer" / native.name).symlink_to(native)
    for folder in ("queries", "reports"):
        shutil.copytree(ROOT / folder, root / folder)
    (root / "sample_captures").symlink_to(ROOT / "sample_captures")
    return root


@pytest.fixture
def program(tree: Path) -> Program:
    """Run `winf` of the changed tree and return its output; it must succeed."""
    environment = {**os.environ, "NO_COLOR": "1", "COLUMNS": "200", "TERM": "dumb"}
    environment["PYTHONPATH"] = os.pathsep.join([str(tree / "installed"), str(tree)])

    def run(*arguments: str | os.PathLike[str]) -> str:
        command = [sys.executable, "-m", "winf_analyzer", *map(os.fspath, arguments)]
        done = subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def install(tree: Path, group: str, point: str, code: str) -> None:
    """Put a module ``mine`` with an entry point where Python finds installed packages."""
    information = tree / "installed" / "mine-1.0.dist-info"
    information.mkdir(parents=True)
    (tree / "installed" / "mine.py").write_text(code, encoding="utf-8")
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1.0\n")
    (information / "entry_points.txt").write_text(f"[{group}]\n{point}\n")


def insert(file: Path, old: str, new: str) -> None:
    """Replace a text that a file has once."""
    text = file.read_text(encoding="utf-8")
    assert text.count(old) == 1, f"{old!r} in {file}"
    file.write_text(text.replace(old, new), encoding="utf-8")


def touched(recipe: str) -> list[str]:
    """The files that a recipe names first in each of its steps, in order."""
    (body,) = [body for title, body in RECIPES.items() if title.startswith(recipe)]
    steps = re.findall(r"^\d\. (.+)$", body, flags=re.MULTILINE) or body.strip().splitlines()[:1]
    return [match[1] for step in steps if (match := re.search(r"`([\w./<>-]+[/.][\w./<>-]*)`", step))]


def test_a_recipe_names_as_many_files_as_it_says():
    stated = {title: int(found[1]) for title in RECIPES if (found := re.search(r"\((\d) files?\)", title))}
    assert len(stated) == 10
    steps = {title: len(re.findall(r"^\d\. ", RECIPES[title], flags=re.MULTILINE)) or 1 for title in stated}
    assert steps == stated


def test_every_path_of_the_cookbook_is_there():
    named = set(re.findall(r"`((?:[\w.-]+/)+[\w.<>-]*)`", "".join(RECIPES.values())))
    assert {name for name in named if not (ROOT / name.split("<")[0]).exists()} == set()


def test_a_query(tree, program, demo_dataset):
    (tree / "queries" / "loud_stations.sql").write_text(
        "-- title: Stations heard above a signal\n"
        "-- param least = -60: signal that counts, dBm\n"
        "-- column station: address of the station\n"
        "-- column signal_dbm: strongest signal, dBm\n"
        "select ta as station, max(signal_dbm) as signal_dbm from frames\n"
        "where ta is not null group by ta having max(signal_dbm) > $least order by station\n"
    )
    assert touched("A query") == ["queries/<name>.sql", "tests/sql/golden/<name>.csv"]
    assert "loud_stations,Stations heard above a signal,least=-60" in program("list", "queries", "--to", "csv")
    answer = program("sql", demo_dataset.path, "--query", "loud_stations", "--to", "csv")
    assert answer.startswith("station,signal_dbm\n")
    assert answer.count("\n") > 2


def test_a_panel_of_the_report(tree, program, demo_dataset):
    assert touched("A panel") == ["reports/panels.toml"]
    with (tree / "reports" / "panels.toml").open("a", encoding="utf-8") as panels:
        panels.write(
            '\n[[panels]]\nname = "kinds"\nsection = "recorded"\ntitle = "Frames of each kind"\n'
            'sql = "select kind, count(*) as frames from frames group by kind order by kind"\n'
            'chart = "table"\ncaption = "Every frame counts once."\nempty = "No frame was recorded."\n'
            'columns = [{ column = "kind", title = "Kind" }, { column = "frames", title = "Frames", bar = true }]\n'
            'requires = [{ table = "frames", where = "true", otherwise = "No frame was recorded." }]\n'
        )
    program("report", demo_dataset.path, "-o", tree / "report.html")
    page = (tree / "report.html").read_text(encoding="utf-8")
    assert "Frames of each kind" in page
    assert "Every frame counts once." in page


def estimator_of_the_document() -> tuple[str, str]:
    """The example of docs/estimators.md: its module, and the name of the declaration in it."""
    document = (ROOT / "docs" / "estimators.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```(python|toml)\n(.*?)```", document, flags=re.DOTALL)
    (project,) = [text for language, text in blocks if language == "toml"]
    (module,) = [text for language, text in blocks if language == "python" and "def idle_share" in text]
    return module, re.search(r'^idle_share = "idle_share:(\w+)"', project, flags=re.MULTILINE)[1]


def assert_estimates(tree: Path, program: Program, demo_dataset) -> None:
    assert "idle_share," in program("list", "estimators", "--to", "csv")
    copy = shutil.copytree(demo_dataset.path, tree / "run.winf")
    rows = program("estimate", copy, "--estimators", "idle_share", "--to", "csv")
    assert rows.count("\nidle_share,") > 0


def test_an_estimator(tree, program, demo_dataset):
    module, declaration = estimator_of_the_document()
    own, registry = (tree / name.replace("<name>", "idle_share") for name in touched("An estimator"))
    text = re.sub(r"^from winf_analyzer\.estimators import \(.*?^\)\n", HOMES, module, flags=re.DOTALL | re.MULTILINE)
    own.write_text(text, encoding="utf-8")
    insert(registry, "\nESTIMATORS", f"from winf_analyzer.estimators.idle_share import {declaration}\n\nESTIMATORS")
    insert(registry, "        BUSY_SHARE,\n", f"        BUSY_SHARE,\n        {declaration},\n")
    assert_estimates(tree, program, demo_dataset)


def test_an_estimator_of_another_package(tree, program, demo_dataset):
    """The form of docs/estimators.md, which an estimator of this package has too."""
    module, declaration = estimator_of_the_document()
    install(tree, "winf_analyzer.estimators", f"idle_share = mine:{declaration}", module)
    assert_estimates(tree, program, demo_dataset)


def test_a_command(tree, program, demo_dataset):
    """``hidden_pairs`` is a public function that no command calls."""
    own, commands = (tree / name.replace("<name>", "hidden_pairs") for name in touched("A command"))
    own.write_text(COMMAND, encoding="utf-8")
    insert(commands, '    "compare",\n', '    "compare",\n    "hidden_pairs",\n')
    assert "hidden_pairs" in program("--help")
    assert "winf hidden_pairs run.winf" in program("hidden_pairs", "--help")
    copy = shutil.copytree(demo_dataset.path, tree / "run.winf")
    answer = program("hidden_pairs", copy, "--to", "csv")
    assert answer.splitlines()[0] == ",".join(_schema.table("hidden_pairs").names)
    assert pl.read_csv(io.StringIO(answer)).height == pl.read_parquet(copy / "hidden_pairs").height


def test_a_controller_of_another_package(tree, program):
    code = (ROOT / "docs" / "examples" / "aimd.py").read_text(encoding="utf-8")
    install(tree, "winf_analyzer.controllers", "aimd = mine:Aimd", code)
    assert "aimd," in program("list", "controllers", "--to", "csv")
    shown = program("replay", "--topology", "chain:2", "--controllers", "aimd", "--duration", "2s", "--to", "csv")
    assert "aimd," in shown
