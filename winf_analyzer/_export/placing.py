"""Where an export is written: a hidden sibling becomes the output by one rename; only exports of winf are replaced."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from winf_analyzer._dataset.creating import clear_left, hidden_sibling
from winf_analyzer._dataset.overwriting import refuse_in_dataset, refuse_inputs
from winf_analyzer._export.targets import ExportFormat
from winf_analyzer._util.durable import exchange, is_real_folder, is_regular, sync
from winf_analyzer._util.errors import DatasetError, WinfError
from winf_analyzer._util.format import not_utf8

CONTENTS = "export.json"
"""In a folder of an export: its format, and every other file with its size."""


@contextmanager
def placed(output: Path, form: ExportFormat, dataset: Path, *, force: bool) -> Iterator[Path]:
    """A path to write an export to, which is in the place of the output when the block ends well.

    Raises:
        DatasetError: something is there that may not be replaced.
        WinfError: the output cannot be written.
    """
    clear_left(output)
    check_export(output, form, dataset, force=force)
    try:
        with hidden_sibling(output) as hidden:
            place = hidden / output.name
            if form.signature is None:
                place.mkdir()
            yield place
            if form.signature is None:
                _list_contents(place, form)
            check_export(output, form, dataset, force=force)
            if os.path.lexists(output) and form.signature is None:
                exchange(place, output)
            else:
                place.replace(output)
            sync(output.parent)
    except OSError as error:
        raise WinfError(f"{output}: cannot be written: {error.strerror or error}.") from error


def check_export(output: Path, form: ExportFormat, dataset: Path, *, force: bool) -> None:
    """Refuse an output that may not be made or replaced.

    Raises:
        DatasetError: with a sentence that says why.
    """
    if fault := not_utf8(output):
        raise DatasetError(fault)
    refuse_inputs(output, [dataset])
    refuse_in_dataset(output)
    if not os.path.lexists(output):
        return
    if output.is_symlink():
        raise DatasetError(f"{output}: is a symbolic link, which winf never replaces. Choose another output.")
    if not (_is_folder_of_winf(output, form) if form.signature is None else _is_file_of_winf(output, form)):
        raise DatasetError(
            f"{output}: is not an export to {form.name} as winf wrote it, so --force does not replace it."
            " Choose another output."
        )
    if not force:
        raise DatasetError(f"{output}: exists already. Choose another output or pass --force to replace it.")


def _list_contents(folder: Path, form: ExportFormat) -> None:
    files = {path.name: path.stat().st_size for path in sorted(folder.iterdir())}
    text = json.dumps({"winf_export": form.name, "files": files}, indent=1, ensure_ascii=False)
    (folder / CONTENTS).write_text(text + "\n", encoding="utf-8")


def _is_folder_of_winf(folder: Path, form: ExportFormat) -> bool:
    """Whether a folder holds an export to this format, each file as it was written, and nothing else."""
    with suppress(OSError, ValueError, AttributeError, TypeError):
        if is_real_folder(folder) and is_regular(folder / CONTENTS):
            listed = json.loads((folder / CONTENTS).read_text(encoding="utf-8"))
            there = {path.name: path for path in folder.iterdir() if path.name != CONTENTS}
            return (
                listed["winf_export"] == form.name
                and listed["files"].keys() == there.keys()
                and all(is_regular(path, listed["files"][name]) for name, path in there.items())
            )
    return False


def _is_file_of_winf(path: Path, form: ExportFormat) -> bool:
    if not is_regular(path):
        return False
    if form.name == "duckdb":
        return _is_database_of_winf(path)
    signature = form.signature or b""
    with path.open("rb") as file:
        return file.read(len(signature)) == signature


def _is_database_of_winf(path: Path) -> bool:
    """Whether a DuckDB database has the mark of `winf export`, and nothing but views besides."""
    import duckdb

    from winf_analyzer._export.duckdb_file import MARK

    try:
        with duckdb.connect(str(path), read_only=True) as connection:
            tables = connection.execute("select table_name from duckdb_tables() where not internal").fetchall()
    except duckdb.Error:
        return False
    return tables == [(MARK,)]
