"""Says in one sentence each what a build needs and this machine lacks."""

import argparse
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

PYTHON = (3, 11)


def rust_needed() -> tuple[int, ...]:
    """The minimum Rust version the workspace declares."""
    found = re.search(r'rust-version = "([\d.]+)"', Path("Cargo.toml").read_text(encoding="utf-8"))
    return tuple(map(int, found[1].split("."))) if found else (1,)


def missing(cargo: str) -> list[str]:
    """One sentence for each thing that is missing."""
    lacks = []
    if sys.version_info < PYTHON:
        lacks.append(f"Python 3.11 or newer is needed; {sys.executable} is {sys.version.split()[0]}.")
    if find_spec("venv") is None or find_spec("ensurepip") is None:
        lacks.append("Python's venv module is missing; on Debian: apt install python3-venv.")
    if shutil.which("cc") is None:
        lacks.append("A C compiler (cc) is missing; on Debian: apt install gcc.")
    needed = rust_needed()
    if shutil.which(cargo) is None:
        lacks.append("cargo is missing; install Rust with rustup.")
    else:
        text = subprocess.run([cargo, "--version"], capture_output=True, text=True, check=True).stdout
        version = re.search(r"(\d+)\.(\d+)", text)
        if version is None or tuple(map(int, version.groups())) < needed:
            wanted = ".".join(map(str, needed))
            lacks.append(f"Rust {wanted} or newer is needed; found {text.strip()}. Update with rustup.")
    return lacks


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cargo", default="cargo")
    if problems := missing(parser.parse_args().cargo):
        sys.exit("\n".join(["winf_analyzer cannot be built here:", *problems]))
