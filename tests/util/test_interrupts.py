"""A process ends soon after SIGINT although its main thread is busy in native code."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import os, pathlib, re, signal, sys, threading, time
from winf_analyzer._util import interrupts

folder = pathlib.Path(sys.argv[1])
(folder / "part").write_text("half")

def end():
    os.write(1, b"forced")
    return 42

with interrupts.watched(end), interrupts.leaving_nothing(folder):
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
    time.sleep(0.1)
    {busy}
"""
BUSY = "signal.pthread_sigmask(signal.SIG_SETMASK, []); signal.signal(signal.SIGINT, lambda *_: time.sleep(600))"


def run(folder, busy: str) -> subprocess.CompletedProcess[str]:
    code = PROGRAM.replace("{busy}", busy)
    return subprocess.run([sys.executable, "-c", code, folder], capture_output=True, text=True, timeout=60, check=False)


def test_a_main_thread_that_does_not_return_is_ended_and_leaves_nothing(tmp_path):
    folder = tmp_path / "making"
    folder.mkdir()
    done = run(folder, f"{BUSY}; time.sleep(600)")
    assert (done.returncode, done.stdout) == (42, "forced")
    assert not folder.exists()


def test_a_patient_block_takes_the_first_signal_as_a_request(tmp_path):
    folder = tmp_path / "making"
    folder.mkdir()
    asked = "signal.signal(signal.SIGINT, lambda *_: None)\n    with interrupts.patient(): time.sleep(2)"
    done = run(folder, asked)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert folder.exists()
