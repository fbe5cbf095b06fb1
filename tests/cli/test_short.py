"""What is set for short recordings."""

import os

import pytest

from winf_analyzer.cli import short


@pytest.mark.parametrize(("sizes", "threads"), [((1,), "1"), ((3, 4), "1"), ((3, 8), None), ((11,), None)])
def test_polars_has_one_thread_for_files_that_are_short_together(tmp_path, monkeypatch, sizes, threads):
    monkeypatch.setattr(short, "SHORT_BYTES", 10)
    monkeypatch.setattr(os, "environ", {})
    paths = [tmp_path / str(number) for number in range(len(sizes))]
    for path, size in zip(paths, sizes, strict=True):
        path.write_bytes(bytes(size))
    short.one_thread_if_short([str(path) for path in paths])
    assert os.environ.get("POLARS_MAX_THREADS") == threads


def test_what_is_no_file_may_be_long_and_what_the_user_set_stays(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "environ", {})
    (tmp_path / "a").touch()
    for inputs in ([str(tmp_path)], ["-"], [str(tmp_path / "a"), str(tmp_path / "*")]):
        short.one_thread_if_short(inputs)
    assert os.environ == {}
    os.environ["POLARS_MAX_THREADS"] = "3"
    short.one_thread_if_short([str(tmp_path / "a")])
    assert os.environ == {"POLARS_MAX_THREADS": "3"}
