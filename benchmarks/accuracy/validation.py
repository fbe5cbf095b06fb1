"""Validates the recommended answer on real recordings, and writes the table into docs/accuracy.md.

    python -m benchmarks.accuracy.validation [FOLDER...] [--docs docs]

Without a folder, `../shared/captures` beside the repository. Recorders are named in general terms; no name of a
recording and no address gets into the page.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

import polars as pl

import winf_analyzer as winf
from benchmarks.accuracy import document

ROOT = Path(__file__).parents[2]
CAPTURES = ROOT.parent / "shared" / "captures"
METHODS = {"rest": "windows without backlog", "spell": "others' traffic in the spell"}


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("captures", nargs="*", type=Path, default=[CAPTURES], help="recordings, or folders of them")
    parser.add_argument("--docs", type=Path, default=ROOT / "docs", help="folder of accuracy.md")
    arguments = parser.parse_args()
    missing = [str(path) for path in arguments.captures if not path.exists()]
    if missing:
        raise SystemExit(f"no recordings: {', '.join(missing)}. Give a folder: make validate CAPTURES=folder")
    result = winf.validate(arguments.captures, progress=lambda source: print(source, file=sys.stderr))
    document.replace_section(arguments.docs / "accuracy.md", text(result))


def text(result: winf.Validation) -> str:
    """The section of the page: what was read, what was found by recorder, and why there was no more."""
    recordings = result.recordings
    found, links = recordings["spells"].sum(), recordings["links"].sum()
    lines = [
        f"{recordings.height} recordings were read: {_counted(found, 'spell')} on {_counted(links, 'link')} "
        f"in {_counted(recordings.filter(pl.col('spells') > 0).height, 'recording')}.\n"
    ]
    if found:
        lines += [
            "",
            "| recorder | recordings | links | spells | predicted from | predicted | median / p90 | coverage |",
        ]
        lines += ["|---|---|---|---|---|---|---|---|"]
        lines += [_row(row) for row in result.summary.iter_rows(named=True) if row["spells"]]
        lines.append("")
    why = _reasons(recordings)
    if why.height:
        lines += ["", "Why recordings hold no spell:", "", "| reason | recordings |", "|---|---|"]
        lines += [f"| {reason} | {count} |" for reason, count in why.iter_rows()]
        lines.append("")
    return "\n".join(line.rstrip("\n") for line in lines) + "\n"


def _reasons(recordings: pl.DataFrame) -> pl.DataFrame:
    """How many recordings have no spell for each reason, the shares in brackets left out."""
    bare = recordings.filter(pl.col("reason").is_not_null()).with_columns(
        reason=pl.col("reason").map_elements(lambda reason: re.sub(r" \(.*\)", "", reason), pl.String)
    )
    return bare.group_by("reason").agg(pl.len()).sort("len", "reason", descending=[True, False])


def _row(row: dict[str, object]) -> str:
    cells = [row["recorder"], row["recordings"], row["links"], row["spells"]]
    cells += [METHODS[str(row["method"])], row["predicted"]]
    cells.append("–" if row["median"] is None else f"{_percent(row['median'])} / {_percent(row['p90'])}")
    cells.append("–" if row["coverage"] is None else _percent(row["coverage"]))
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def _percent(share: object) -> str:
    return f"{100 * float(str(share)):.0f} %"


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


if __name__ == "__main__":
    main()
