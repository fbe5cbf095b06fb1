"""The HTML document: all panels of the registry in one self-contained page."""

from __future__ import annotations

import re
from contextlib import closing
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape
from plotly.offline import get_plotlyjs  # type: ignore[import-untyped]

from winf_analyzer._core import __version__
from winf_analyzer._dataset.dataset import Dataset
from winf_analyzer._report.contents import Content, PanelData
from winf_analyzer._report.overview import overview
from winf_analyzer._report.panels import layout
from winf_analyzer._report.sanitize import escape_controls, script_json
from winf_analyzer._sql.datasets import Collection
from winf_analyzer._sql.query import connect

_CODE = re.compile(r"`([^`]+)`")


def page(dataset: Dataset | Collection) -> str:
    """Run every query and render the results; recordings of several datasets have the dataset's name before theirs."""
    registry = layout()
    datasets = dataset.datasets if isinstance(dataset, Collection) else dataset
    with closing(connect(datasets, names_sources=True)) as connection:
        data = PanelData(connection, dataset.tables)
        headlines = [data.headline(headline) for headline in registry.headlines if _applies(dataset, headline.table)]
        required_tables = {
            panel.name: [requirement.table for requirement in panel.requires] for panel in registry.panels
        }
        contents = [
            data.content(panel)
            for panel in registry.panels
            if _applies(dataset, *required_tables[panel.name]) and (not panel.fact or panel.fact in dataset.metadata)
        ]
    return (
        _environment()
        .get_template("report.html.j2")
        .render(
            version=__version__,
            title=dataset.path.resolve().name,
            overview=overview(dataset, __version__),
            headlines=headlines,
            sections=_by_section(registry.sections, contents),
            glossary=registry.glossary,
            figures=script_json({c.panel.name: _figures(c) for c in contents if c.drawing.figures}),
            plotly=Markup(get_plotlyjs()),  # noqa: S704 (the library itself)
        )
    )


def _by_section(sections: dict[str, str], contents: list[Content]) -> list[tuple[str, str, list[Content]]]:
    grouped = [(name, title, [c for c in contents if c.panel.section == name]) for name, title in sections.items()]
    return [section for section in grouped if section[2]]


def _applies(dataset: Dataset | Collection, *tables: str) -> bool:
    """False for panels about recordings in a dataset without recordings, such as the replay of a declared world."""
    return bool(dataset.metadata.get("inputs")) or all(table in dataset.tables for table in tables)


def _figures(content: Content) -> dict[str, Any]:
    return {"figures": content.drawing.figures, "choices": content.drawing.choices}


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("winf_analyzer", "reports"),
        autoescape=True,
        finalize=_escape_value,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["with_code"] = _with_code
    return environment


def _with_code(text: str) -> Markup:
    """Escape a text and set backquoted words as code."""
    return Markup(_CODE.sub(r"<code>\1</code>", str(escape(escape_controls(text)))))  # noqa: S704 (escaped)


def _escape_value(value: Any) -> Any:
    """Escape control characters of printed text; markup comes from the page itself."""
    return escape_controls(value) if isinstance(value, str) and not isinstance(value, Markup) else value
