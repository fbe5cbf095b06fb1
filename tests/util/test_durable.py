"""Two paths that are exchanged at one instant, or by renames where the system has no such call."""

from __future__ import annotations

import ctypes

import pytest

from winf_analyzer._util import durable


@pytest.fixture
def two(tmp_path):
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "text").write_text(name)
    return tmp_path / "one", tmp_path / "other"


def texts(two):
    return [(path / "text").read_text() for path in two]


def test_folders_are_exchanged(two):
    durable.exchange(*two)
    assert texts(two) == ["other", "one"]


def test_without_the_system_call_too(two, monkeypatch):
    monkeypatch.setattr(ctypes, "CDLL", lambda *_, **__: object())
    durable.exchange(*two)
    assert texts(two) == ["other", "one"]


def test_what_is_missing_is_an_error_and_changes_nothing(two, tmp_path):
    with pytest.raises(FileNotFoundError):
        durable.exchange(two[0], tmp_path / "missing")
    assert texts(two) == ["one", "other"]
