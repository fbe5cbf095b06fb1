"""Write docs/tables.md from the schemas: `make docs-tables`."""

from pathlib import Path

from winf_analyzer._schema import Table, tables

DOCUMENT = Path(__file__).parent.parent / "docs" / "tables.md"

HEAD = """\
# Tables

<!-- Written by `make docs-tables` from winf_analyzer/_schema/tables; a test compares the two. -->

A dataset is a folder with `dataset.json` and one folder of Parquet files per table. `winf sql` has one view per table,
`Dataset.scan` gives one as a Polars frame, and every Parquet reader opens the files.

- Null is unknown, never zero.
- Times (`_ns`) are integer nanoseconds on the clock of the recording, since the Unix epoch or the simulation's start.
- Addresses are written `aa:bb:cc:dd:ee:ff`, nodes of a simulation `node-3`.
- The unit `1` is that of counts, shares and ratios; a blank unit that of names, flags and identifiers.
- Each Parquet file says the same of itself: its key-value metadata hold `winf.table`, `winf.format_version`,
  `winf.version` (of the program that wrote it) and `winf.columns` (a JSON object of columns with `unit` and `meaning`),
  and its Arrow schema has `unit`, `meaning` and `source` as metadata of the fields.
- Columns are added at the end. A table of an older dataset that lacks one is read as if it had it: filled from the
  older columns where that can be done, else null.

`winf list tables` prints this page's content as a table.
"""


def document() -> str:
    """The whole page."""
    contents = "\n".join(f"| [{table.name}](#{table.name}) | {_cell(table.row)} |" for table in tables())
    return "\n".join([HEAD, "| table | one row |", "|---|---|", contents, *map(_section, tables())])


def _section(table: Table) -> str:
    facts = [(f"`{column.name}`", column.type, column.unit, column.meaning, column.source) for column in table.columns]
    rows = [f"| {' | '.join(map(_cell, row))} |" for row in facts]
    head = ["| column | type | unit | meaning | source |", "|---|---|---|---|---|"]
    title = [f"\n## {table.name}\n", f"{table.row[0].upper()}{table.row[1:]}. Filled by {_commands(table)}.\n"]
    return "\n".join([*title, *head, *rows, ""]).rstrip("\n") + "\n"


def _commands(table: Table) -> str:
    return " and ".join(f"`{command}`" for command in table.filled_by.split(", "))


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;").replace(">", "&gt;")


if __name__ == "__main__":
    DOCUMENT.write_text(document(), encoding="utf-8")
