"""The HTML document: the registry's panels, filled, in one page with everything it needs inside."""

from __future__ import annotations

import re
from contextlib import closing
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape
from plotly.offline import get_plotlyjs  # type: ignore[import-untyped]

from winf_analyzer import __version__
from winf_analyzer._dataset.dataset import Dataset
from winf_analyzer._report.contents import Asker, Content
from winf_analyzer._report.overview import overview
from winf_analyzer._report.panels import layout
from winf_analyzer._report.sanitize import script_json, visible
from winf_analyzer._sql.query import connect

_CODE = re.compile(r"`([^`]+)`")


def page(dataset: Dataset) -> str:
    """Ask every question and render the answers."""
    registry = layout()
    with closing(connect(dataset)) as connection:
        asker = Asker(connection, dataset.tables)
        headlines = [asker.headline(headline) for headline in registry.headlines if _suits(dataset, headline.table)]
        needed = {panel.name: [need.table for need in panel.needs] for panel in registry.panels}
        contents = [asker.content(panel) for panel in registry.panels if _suits(dataset, *needed[panel.name])]
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
            figures=script_json({c.panel.name: _drawn(c) for c in contents if c.drawing.figures}),
            plotly=Markup(get_plotlyjs()),  # noqa: S704 (the library itself)
        )
    )


def _by_section(sections: dict[str, str], contents: list[Content]) -> list[tuple[str, str, list[Content]]]:
    grouped = [(name, title, [c for c in contents if c.panel.section == name]) for name, title in sections.items()]
    return [section for section in grouped if section[2]]


def _suits(dataset: Dataset, *tables: str) -> bool:
    """A replay of a declared world has no recordings: what asks for their tables would only say so, again and again."""
    return bool(dataset.metadata.get("inputs")) or all(table in dataset.tables for table in tables)


def _drawn(content: Content) -> dict[str, Any]:
    return {"figures": content.drawing.figures, "choices": content.drawing.choices}


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("winf_analyzer", "reports"),
        autoescape=True,
        finalize=_shown,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["prose"] = _prose
    return environment


def _prose(text: str) -> Markup:
    """Escape a sentence and set what stands between backticks as code."""
    return Markup(_CODE.sub(r"<code>\1</code>", str(escape(visible(text)))))  # noqa: S704 (escaped)


def _shown(value: Any) -> Any:
    """Make control characters of any printed text visible; markup is the page's own."""
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value
