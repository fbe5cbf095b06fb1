"""The HTML document: all panels of the registry in one self-contained page."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from importlib.util import cache_from_source
from pathlib import Path
from pickle import UnpicklingError
from typing import TYPE_CHECKING, Any

from jinja2 import BytecodeCache, Environment, PackageLoader, StrictUndefined
from jinja2.bccache import Bucket
from markupsafe import Markup, escape

from winf_analyzer._core import __version__
from winf_analyzer._dataset.dataset import Dataset
from winf_analyzer._report import doubts
from winf_analyzer._report.contents import Content, PanelData
from winf_analyzer._report.head import head
from winf_analyzer._report.labels import units_kept
from winf_analyzer._report.overview import facts_checked, overview
from winf_analyzer._report.panels import Panel, layout
from winf_analyzer._report.sanitize import escape_controls, script_json
from winf_analyzer._sql.datasets import Collection
from winf_analyzer._sql.query import connect
from winf_analyzer._sql.views import stated_height
from winf_analyzer._util.progress import enter

if TYPE_CHECKING:
    import duckdb

SCRIPTS = (
    "scale",
    "dom",
    "time",
    "marks",
    "legend",
    "alternative",
    "bars",
    "tip",
    "chart",
    "explorer",
    "lanes",
    "tables",
    "page",
)
"""Scripts of `reports/js`, in the order in which the page has them: they share one scope."""

_CODE = re.compile(r"`([^`]+)`")


def page(dataset: Dataset | Collection) -> tuple[str, list[Content]]:
    """Run every query and render the results; the page, and the contents of its panels.

    Recordings of several datasets have the dataset's name before theirs.
    """
    enter("writing the report")
    registry = layout()
    if isinstance(dataset, Collection):
        datasets, heights = dataset.datasets, {}
    else:
        datasets, heights = [dataset], {table: stated_height(dataset, table) for table in dataset.tables}
    with _closed_at_end(connect(datasets, names_sources=True)) as connection:
        data = PanelData(connection, dataset.tables, heights)
        first = head(dataset, data)
        contents = data.contents(panel for panel in registry.panels if _applies(dataset, panel))
    html = document(
        "report.html.j2",
        title=_title(dataset),
        overview=overview(dataset, __version__),
        head=first,
        sections=_by_section(registry.sections, contents),
        doubts={"replay": doubts.of_replays(dataset)},
        glossary=registry.glossary,
        figures=script_json({c.panel.name: _figures(c) for c in contents if c.drawing.figures or c.drawing.lanes}),
        scripts=[f"js/{name}.js" for name in SCRIPTS],
    )
    return html, contents


@contextmanager
def _closed_at_end(connection: duckdb.DuckDBPyConnection) -> Iterator[duckdb.DuckDBPyConnection]:
    """Close a connection behind the block.

    After an error another thread may still run a query on it. That is interrupted and the connection left to whoever
    holds it last: to close it would wait for a query that has begun just after the interrupt.
    """
    try:
        yield connection
    except BaseException:
        connection.interrupt()
        raise
    connection.close()


def _title(dataset: Dataset | Collection) -> str:
    """The recording's name where there is one, else that of the folder of all recordings, else that of the dataset."""
    inputs = dataset.metadata.get("inputs", [])
    with facts_checked(dataset):
        if len(inputs) == 1:
            return str(inputs[0]["source"])
        folders = {str(Path(str(each["path"])).parent) for each in inputs}
    try:
        shared = os.path.commonpath(folders)
    except ValueError:  # no recordings, or some with an absolute path and some without
        shared = ""
    return Path(shared).name or dataset.path.resolve().name


def document(template: str, **values: Any) -> str:
    """A page from a template of `reports/`; all printed values are escaped."""
    return _environment().get_template(template).render(version=__version__, **values)


def _by_section(sections: dict[str, str], contents: list[Content]) -> list[tuple[str, str, list[Content]]]:
    shown = [content for content in contents if not (content.panel.optional and content.message)]
    grouped = [(name, title, [c for c in shown if c.panel.section == name]) for name, title in sections.items()]
    return [section for section in grouped if section[2]]


def _applies(dataset: Dataset | Collection, panel: Panel) -> bool:
    """False for panels about what the dataset does not hold: recordings, several, or the fact that a panel is about."""
    if panel.fact and panel.fact not in dataset.metadata:
        return False
    if panel.several and len(dataset.metadata.get("inputs", [])) < 2:
        return False
    tables = [requirement.table for requirement in panel.requires]
    return bool(dataset.metadata.get("inputs")) or all(table in dataset.tables for table in tables)


def _figures(content: Content) -> dict[str, Any]:
    drawing = content.drawing
    shown = {
        "title": content.panel.title,
        "figures": drawing.figures,
        "choices": drawing.choices,
        "variants": drawing.variants,
        "lanes": drawing.lanes,
    }
    return {name: value for name, value in shown.items() if value or name == "figures"}


class _Compiled(BytecodeCache):
    """Templates compiled once, where Python keeps modules; each time where it does not, or cannot write there."""

    def load_bytecode(self, bucket: Bucket) -> None:
        """Take what was compiled of the same text by the same Python; Jinja compares."""
        with suppress(OSError, EOFError, UnpicklingError), self._file(bucket).open("rb") as file:
            bucket.load_bytecode(file)

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep it, under a name of its own until it is complete."""
        if sys.dont_write_bytecode:
            return
        target = self._file(bucket)
        partial = target.with_suffix(f".{os.getpid()}")
        with suppress(OSError):
            with partial.open("wb") as file:
                bucket.write_bytecode(file)
            partial.replace(target)

    @staticmethod
    def _file(bucket: Bucket) -> Path:
        return Path(cache_from_source(__file__)).with_name(f"{bucket.key}.jinja")


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("winf_analyzer", "reports"),
        bytecode_cache=_Compiled(),
        autoescape=True,
        finalize=_escape_value,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["with_code"] = _with_code
    environment.filters["by_line"] = _by_line
    return environment


def _with_code(text: str) -> Markup:
    """Escape a text and set backquoted words as code; no line is broken before a unit."""
    return Markup(_CODE.sub(r"<code>\1</code>", str(escape(escape_controls(units_kept(text))))))  # noqa: S704 (escaped)


def _by_line(text: str) -> Markup:
    """Escape a text line by line, so that only the ends of its lines remain as they are."""
    return Markup("\n").join(escape_controls(line) for line in text.split("\n"))


def _escape_value(value: Any) -> Any:
    """Escape control characters of printed text; markup comes from the page itself."""
    return escape_controls(value) if isinstance(value, str) and not isinstance(value, Markup) else value
