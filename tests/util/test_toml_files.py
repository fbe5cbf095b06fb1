"""Files of TOML that whoever made a folder wrote: every fault is one sentence."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from winf_analyzer import UsageError
from winf_analyzer._mac.override import parse_override
from winf_analyzer._names.aliases import aliases
from winf_analyzer._scale.grid import Grid
from winf_analyzer._util.toml_files import read_toml

NESTED = ("a = " + "[" * 30_000, "a = " + "{a=" * 10_000)


@pytest.mark.parametrize("text", [*NESTED, "a = ", "a = 1\na = 2", "\xff", 'a = "\x1b[31m"', "#" * 70_000])
def test_what_is_no_toml_is_one_sentence(tmp_path, text):
    path = tmp_path / "file.toml"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(UsageError, match=r"file\.toml: .* kind") as refused:
        read_toml(path, "kind", 1 << 16)
    assert "\n" not in str(refused.value)


def test_of_a_device_only_the_beginning_is_read():
    with pytest.raises(UsageError, match="larger than 64 KiB, which no kind is"):
        read_toml(Path("/dev/zero"), "kind", 1 << 16)


@pytest.mark.parametrize("text", NESTED)
@pytest.mark.parametrize("read", [aliases, Grid.read, parse_override])
def test_every_file_of_the_user_is_read_so(tmp_path, text, read):
    (tmp_path / "file.toml").write_text(text)
    with pytest.raises(ValueError if read is parse_override else UsageError, match="nested too deeply"):
        read(tmp_path / "file.toml")


@pytest.mark.parametrize("text", NESTED)
def test_defaults_of_a_hostile_folder_too(winf, tmp_path, monkeypatch, text):
    monkeypatch.chdir(tmp_path)
    Path("winf.toml").write_text(text)
    done = winf("list", "exports")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "winf.toml: cannot be read as a file of defaults: nested too deeply." in done.stderr


def test_a_pipe_or_a_device_in_a_folder_is_no_file_of_defaults(winf, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    os.mkfifo("winf.toml")
    assert winf("list", "exports").returncode == 0
    Path("winf.toml").unlink()
    Path("winf.toml").symlink_to("/dev/zero")
    assert winf("list", "exports").returncode == 0
