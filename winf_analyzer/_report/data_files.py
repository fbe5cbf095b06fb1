"""The numbers of a report as files: of each panel its rows as Parquet and CSV, and its figures as SVG."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from winf_analyzer._report.svg import svg
from winf_analyzer._util.errors import UsageError, WinfError
from winf_analyzer._util.os_errors import as_os_error
from winf_analyzer._util.spreadsheet import for_csv

if TYPE_CHECKING:
    from collections.abc import Iterable

    from winf_analyzer._report.contents import Content


def check_folder(folder: Path) -> None:
    """Refuse, before any work is done, a folder that holds anything.

    Raises:
        UsageError: it is no folder, or holds something.
    """
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise UsageError(f"{folder}: is no folder; name a new one for the data of the report.")
    if folder.exists() and any(folder.iterdir()):
        raise UsageError(f"{folder}: is not empty; name a new folder for the data of the report.")


def write_data(folder: Path, contents: Iterable[Content]) -> None:
    """Write the files of all panels that have rows.

    Raises:
        WinfError: the folder or a file cannot be written.
    """
    check_folder(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for content in contents:
            _write_panel(folder, content)
    except Exception as error:
        if (failed := as_os_error(error)) is None:
            raise
        raise WinfError(f"{folder}: cannot write the data of the report: {failed.strerror or failed}.") from error


def _write_panel(folder: Path, content: Content) -> None:
    panel, drawing = content.panel, content.drawing
    if content.rows is not None:
        content.rows.write_parquet(folder / f"{panel.name}.parquet")
        for_csv(content.rows).write_csv(folder / f"{panel.name}.csv")
    labels = {index: name for name, index in drawing.variants.items()}
    for index, figure in enumerate(drawing.figures):
        if figure["data"]:
            name = labels.get(index, str(index + 1) if len(drawing.figures) > 1 else "")
            title = f"{panel.title}: {name.replace('|', ', ')}" if index in labels else panel.title
            (folder / f"{panel.name}{_suffix(name, index)}.svg").write_text(svg(title, figure), encoding="utf-8")


def _suffix(name: str, index: int) -> str:
    """End of a file name that says which figure of a panel it is; of names from the air only their place."""
    if not name:
        return ""
    return f"-{name.replace('|', '-').replace(' ', '-')}" if re.fullmatch(r"[a-zA-Z |]+", name) else f"-{index + 1}"
