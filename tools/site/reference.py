"""Pages of the registries: commands, estimators, controllers, findings, queries, topologies, exports, formats."""

from __future__ import annotations

import ast
from collections.abc import Callable
from inspect import cleandoc
from pathlib import Path
from typing import Any

from command_facts import Facts, commands

import winf_analyzer
from winf_analyzer._sql.named_queries import named_queries

ROOT = Path(__file__).resolve().parents[2]


def pages() -> dict[str, str]:
    """Every page of the reference by its path, as Markdown."""
    found: dict[str, str] = {}
    entries: dict[str, tuple[str, list[tuple[str, str, str]]]] = {
        "commands": ("Commands", [(each.name, each.summary, _command(each)) for each in commands()]),
        "queries": (
            "Queries",
            [(each.name, each.title, _query(each)) for each in named_queries().values()],
        ),
    }
    for registry, title, page in _REGISTRIES:
        key = winf_analyzer.list(registry).columns[0]
        rows = list(winf_analyzer.list(registry).iter_rows(named=True))
        entries[registry] = (title, [(row[key], row.get("description") or row.get("title"), page(row)) for row in rows])
    for name, (title, listed) in entries.items():
        table = [
            "| | |",
            "|---|---|",
            *(f"| [`{each}`]({name}/{each}.md) | {_cell(text)} |" for each, text, _ in listed),
        ]
        found[f"reference/{name}.md"] = "\n".join([f"# {title}\n", *table, ""])
        found |= {f"reference/{name}/{each}.md": f"# {each}\n\n{page}\n" for each, _, page in listed}
    contents = [f"- [{title}]({name}.md): {len(listed)}" for name, (title, listed) in sorted(entries.items())]
    head = "# Reference\n\nMade from the registries of the program: what `winf list` and `winf --help` say.\n"
    found["reference/index.md"] = "\n".join([head, *contents, "- [Tables](../tables.md)", ""])
    return found


def _command(facts: Facts) -> str:
    rows = [f"| `{_cell(each.names)}` | {_cell(each.help)} |" for each in facts.parameters]
    examples = "\n".join(facts.examples)
    return "\n\n".join(
        [
            facts.summary,
            *facts.details,
            f"```text\n{facts.usage}\n```",
            "\n".join(["| option | |", "|---|---|", *rows]),
            f"Examples:\n\n```sh\n{examples}\n```",
        ]
    )


def _query(query: Any) -> str:
    parameters = [
        f"| `{name}` | {default} | {query.allowed[name].text if name in query.allowed else ''} | {_cell(text)} |"
        for name, (default, text) in query.parameters.items()
    ]
    columns = [f"| `{name}` | {_cell(text)} |" for name, text in query.columns.items()]
    parts = [query.title, f"```sh\nwinf sql run.winf --query {query.name}\n```"]
    if parameters:
        parts.append("\n".join(["| parameter | default | takes | |", "|---|---|---|---|", *parameters]))
    parts.append("\n".join(["| column | |", "|---|---|", *columns]))
    return "\n\n".join([*parts, f"```sql\n{query.sql.strip()}\n```"])


def _described(row: dict[str, Any]) -> str:
    """The facts of a row, and what its source file says at its head."""
    facts = [
        f"| {name.replace('_', ' ')} | {_cell(str(value))} |"
        for name, value in list(row.items())[1:]
        if value not in (None, "") and name != "description"
    ]
    parts = [row.get("description") or row.get("title") or "", "\n".join(["| | |", "|---|---|", *facts])]
    path = ROOT / str(row.get("implemented_in", ""))
    if path.suffix == ".py" and path.is_file():
        doc = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
        parts.append(_as_text(doc))
    elif path.suffix == ".rs" and path.is_file():
        lines = [
            line[3:].removeprefix(" ") for line in path.read_text(encoding="utf-8").splitlines() if line[:3] == "//!"
        ]
        parts.append(_as_text("\n".join(lines)))
    elif path.suffix == ".sql" and path.is_file():
        parts.append(f"```sql\n{path.read_text(encoding='utf-8').strip()}\n```")
    return "\n\n".join(part for part in parts if part)


def _as_text(doc: str) -> str:
    """The text of a source file as it stands there; its layout is not that of Markdown."""
    return f"```text\n{cleandoc(doc)}\n```" if doc.strip() else ""


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")


_REGISTRIES: tuple[tuple[str, str, Callable[[dict[str, Any]], str]], ...] = (
    ("estimators", "Estimators", _described),
    ("controllers", "Controllers", _described),
    ("findings", "Findings", _described),
    ("topologies", "Topologies", _described),
    ("exports", "Exports", _described),
    ("formats", "Formats", _described),
)
