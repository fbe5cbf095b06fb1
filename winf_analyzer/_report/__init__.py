"""The report: one HTML file about a dataset, which opens from disk without a network connection.

::

    panels     the registry of panels, reports/panels.toml
    contents   the query and the requirements of a panel
    context    what all panels share: time axis, events, names
    charts     the kinds of charts, a module each
    figure     what a kind of chart returns
    head       the first screen: when and where, five sentences, findings
    data_files rows and figures as files
    labels     display texts of values, number formats, colours
    overview   recordings and provenance
    page       the HTML document
    sanitize   escaping of text from recordings
"""

from __future__ import annotations

import fcntl
import os
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from winf_analyzer._dataset.overwriting import refuse_in_dataset, refuse_inputs
from winf_analyzer._dataset.reading import reads_dataset
from winf_analyzer._util.durable import sync
from winf_analyzer._util.errors import DatasetError, UsageError, WinfError
from winf_analyzer._util.format import given_path

if TYPE_CHECKING:
    from winf_analyzer._sql.datasets import Datasets

__all__ = ["check_report", "report", "write_page"]

GENERATOR = b'<meta name="generator" content="winf '
"""What tells a report of winf from any other page; it stands in the first :data:`HEAD_BYTES`."""

HEAD_BYTES = 4096


@reads_dataset
def report(
    dataset: Datasets,
    output: str | os.PathLike[str],
    *,
    data: str | os.PathLike[str] | None = None,
    force: bool = False,
) -> Path:
    """Write the report of a dataset, or one of several.

    The same dataset gives the same file, byte for byte. Panels without data say what is missing. In a report of several
    datasets the name of each recording has that of its dataset in front.

    Args:
        dataset: a dataset or its path; or several, a folder of them, or a glob.
        output: the HTML file to write.
        data: a new folder for the rows of each panel as Parquet and CSV, and each figure as SVG.
        force: replace a former report, once the new one is complete; no other file is ever replaced.

    Returns:
        The path of the report.

    Raises:
        UsageError: the output is a folder, or the folder for data is not empty.
        DatasetError: no dataset there, or it cannot be read; or the output is in one, or there without `force`.
        WinfError: the output is there and no report of winf, or it cannot be written.
    """
    # Templates and charts are loaded by who writes a report, not by who asks whether he could.
    from winf_analyzer._report.page import page
    from winf_analyzer._sql.datasets import Collection, open_datasets

    target = given_path(output)
    check_report(target)
    if target.exists() and not force:
        raise DatasetError(f"{target}: exists already. Choose another output or pass --force to replace it.")
    if data is not None:
        from winf_analyzer._report.data_files import check_folder

        check_folder(Path(data))
    datasets, _ = open_datasets(dataset)
    for each in (target, *([] if data is None else [Path(data)])):
        refuse_in_dataset(each)
    html, contents = page(datasets[0] if len(datasets) == 1 else Collection(datasets))
    write_page(target, html)
    if data is not None:
        from winf_analyzer._report.data_files import write_data

        write_data(Path(data), contents)
    return target


def write_page(target: Path, html: str) -> None:
    """Write a page of winf, in place of a former one once it is complete.

    Raises:
        WinfError: the target is there and no report of winf, or it cannot be written.
    """
    try:
        _replace(target, html)
    except OSError as error:
        raise WinfError(f"{target}: cannot write the report: {error.strerror or error}.") from error


def check_report(target: Path, inputs: Iterable[str | os.PathLike[str]] = ()) -> None:
    """Refuse, before any work is done, to write a report over anything but a former report.

    Args:
        target: the file to write.
        inputs: what the same command reads.

    Raises:
        UsageError: the output is a folder.
        WinfError: it is an input, a symbolic link, or no report of winf.
    """
    if target.is_dir():
        raise UsageError(f"{target}: is a folder; name the HTML file to write, for example {target / 'report.html'}.")
    refuse_inputs(target, inputs)
    if not os.path.lexists(target):
        return
    if not (stat.S_ISREG(target.lstat().st_mode) and _is_report(target)):
        what = "is a symbolic link" if target.is_symlink() else "exists and is not a report that winf wrote"
        raise WinfError(f"{target}: {what}, so it is not replaced. Choose another output.")


def _is_report(path: Path) -> bool:
    """Whether a file begins as a report does."""
    try:
        with path.open("rb") as file:
            head = file.read(HEAD_BYTES)
    except OSError:
        return False
    return head.lstrip().startswith(b"<!DOCTYPE html>") and GENERATOR in head


def _replace(target: Path, text: str) -> None:
    """Write a sibling and rename it, so that a reader sees the old report or the new one.

    The sibling of a killed run has the same name, and is written over.
    """
    partial = target.with_name(f".{target.name}.partial")
    descriptor = os.open(partial, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o666)
    with os.fdopen(descriptor, "r+", encoding="utf-8") as file:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise WinfError(f"{target}: another process is writing this report. Wait until that has ended.") from None
        if os.fstat(descriptor).st_size and not _is_report(partial):
            raise WinfError(f"{partial}: is in the place where the report is made and not winf's. Move it away.")
        try:
            file.write(text)
            file.truncate()
            file.flush()
            os.fsync(descriptor)
            check_report(target)
            partial.replace(target)
        except BaseException:
            partial.unlink(missing_ok=True)
            raise
    sync(target.parent)
