"""A disk that is full somewhere in a Parquet file, wherever Polars notices it: one sentence, as for any other file."""

from __future__ import annotations

import subprocess
import sys

import pytest

from winf_analyzer._util.os_errors import as_os_error

WRITE = """
import resource, signal, sys
from pathlib import Path
import polars as pl
from winf_analyzer import _schema
from winf_analyzer._dataset.changes import write_part
from winf_analyzer._util.errors import DatasetError

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
(folder := Path(sys.argv[1]) / "nodes").mkdir()
schema = _schema.schema("nodes")
frame = pl.DataFrame({"node": [str(number) for number in range(2000)]})
frame = frame.with_columns(pl.lit(None, kind).alias(name) for name, kind in schema.items() if name != "node")
write_part(frame, folder / "whole.parquet")
whole = (folder / "whole.parquet").stat().st_size
for size in range(0, whole, max(whole // 40, 1)):
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
    for made in (frame, frame.lazy()):
        try:
            write_part(made, folder / "part.parquet")
        except DatasetError as error:
            assert str(error).startswith(f"{folder}: cannot be written: "), error
        else:
            raise AssertionError(f"{size} of {whole} octets were enough")
"""


def test_a_part_that_does_not_fit_is_one_sentence(tmp_path):
    done = subprocess.run([sys.executable, "-c", WRITE, str(tmp_path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("said", "number"),
    [
        ("File out of specification: underlying IO error: No space left on device (os error 28)", 28),
        ("no number", None),
    ],
)
def test_the_number_of_a_fault_is_read_from_its_words(said, number):
    assert getattr(as_os_error(ValueError(said)), "errno", None) == number
