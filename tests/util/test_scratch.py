"""Temporary folders: held while their process lives, removed by the next one afterwards."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest

from winf_analyzer._util.errors import InterruptedRun
from winf_analyzer._util.scratch import scratch_folder

HOLD = """
import sys
from winf_analyzer._util.scratch import scratch_folder
with scratch_folder() as folder:
    (folder / "spilled").write_bytes(b"x")
    print(folder, flush=True)
    sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of temporary files of its own, here and in child processes."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path


def test_a_folder_is_gone_after_its_block(temporary: Path) -> None:
    with scratch_folder() as folder:
        (folder / "spilled").write_bytes(b"x")
        assert folder.is_relative_to(temporary)
    assert not list(temporary.iterdir())


def test_a_killed_process_leaves_a_folder_until_the_next_is_made(temporary: Path) -> None:
    command = [sys.executable, "-W", "ignore", "-c", HOLD]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        folder = Path(process.stdout.readline().strip())
        with scratch_folder():
            assert folder.exists(), "its process lives"
        process.kill()
    assert folder.exists()
    with scratch_folder():
        assert not folder.exists()
    assert not list(temporary.iterdir())


def test_folders_of_others_stay(temporary: Path) -> None:
    thesis = temporary / "thesis"
    thesis.mkdir()
    (temporary / "winf-scratch-link").symlink_to(thesis)
    without_lock = temporary / "winf-scratch-foreign0"
    (without_lock / "files").mkdir(parents=True)
    (thesis / "lock").touch()
    (thesis / "chapter").touch()
    with scratch_folder():
        pass
    assert (thesis / "chapter").exists()
    assert without_lock.exists()
    assert (temporary / "winf-scratch-link").is_symlink()


CALLS = ("unlink", "rmdir")


@pytest.mark.parametrize("at", range(5))
def test_a_removal_that_fails_or_is_interrupted_is_gone_on_with(temporary: Path, at: int) -> None:
    """Whichever call of it fails: a folder that lost its lock first was never removed."""
    failed = 0

    def failing(call, *arguments, **options):
        nonlocal failed
        failed += 1
        if failed > at:
            raise OSError(errno.EROFS, "read-only")
        return call(*arguments, **options)

    with pytest.MonkeyPatch.context() as patch, scratch_folder() as folder:
        (folder / "spilled").write_bytes(b"x")
        for name in CALLS:
            patch.setattr(os, name, partial(failing, getattr(os, name)))
    assert bool(list(temporary.iterdir())) == (at < 4)
    with scratch_folder():
        pass
    assert not list(temporary.iterdir())


def test_a_folder_without_a_name_is_removed_when_it_is_old(temporary: Path) -> None:
    for name, age_s in (("old00000", 2 * 86_400), ("young000", 60)):
        folder = temporary / f".winf-scratch-new-{name}"
        (folder / "files").mkdir(parents=True)
        os.utime(folder, times=(time.time() - age_s,) * 2)
    with scratch_folder():
        pass
    assert [each.name for each in temporary.iterdir()] == [".winf-scratch-new-young000"]


def test_an_interrupt_names_no_folder_that_is_gone():
    with pytest.raises(InterruptedRun, match=r"^interrupted$"), scratch_folder() as folder:
        raise InterruptedRun(f"interrupted; {folder}/run.winf was not created")
    with pytest.raises(InterruptedRun, match="holds what"), scratch_folder():
        raise InterruptedRun("interrupted; kept.winf holds what was finished")
