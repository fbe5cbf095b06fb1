"""Runs worlds in ns-3 and ns-2, and keeps what came out until the program or the options change."""

from __future__ import annotations

import hashlib
import json
import subprocess
from pathlib import Path
from typing import Any

from benchmarks.accuracy.runs import LIBRARIES, NS2_FLOWS
from benchmarks.accuracy.worlds.listed import FOLDER, SECONDS


def build(cache: Path) -> Path:
    """The compiled world.cc, in a folder named after what it is made of."""
    sources = sorted([*FOLDER.glob("*.h"), FOLDER / "world.cc", FOLDER.parent / "ns3" / "traffic.h"])
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()[:16]
    program = cache / "worlds" / digest / "world"
    if not program.exists():
        program.parent.mkdir(parents=True, exist_ok=True)
        packages = [f"ns3-{library}" for library in (*LIBRARIES, "spectrum", "aodv", "olsr", "point-to-point", "mesh")]
        flags = subprocess.run(["pkg-config", "--libs", *packages], capture_output=True, text=True, check=True).stdout
        partial = program.with_suffix(".partial")
        command = ["g++", "-std=c++17", "-O2", str(FOLDER / "world.cc"), "-o", str(partial), *flags.split()]
        subprocess.run(command, check=True)
        partial.rename(program)
    return program


def simulated(world: dict[str, Any], seed: int, cache: Path) -> Path:
    """The folder of a world, with the link filled and without; from the cache where it is there."""
    options = {"seconds": SECONDS} | world["options"] | {"seed": seed}
    words = [str(value).lower() if isinstance(value, bool) else str(value) for value in options.values()]
    pairs = list(zip(options, words, strict=True))
    ns2, script = world.get("simulator") == "ns2", FOLDER / "ns2_world.tcl"
    program = script if ns2 else build(cache)
    sources = script.read_bytes() + NS2_FLOWS.read_bytes()
    told = json.dumps([sources.hex() if ns2 else program.parent.name, pairs])
    folder = cache / "worlds" / "runs" / f"{world['name']}-{seed}-{hashlib.sha256(told.encode()).hexdigest()[:16]}"
    if folder.exists():
        return folder
    partial = folder.with_suffix(".partial")
    for part, filled in (("recorded", False), ("saturated", True)):
        into = partial / part
        into.mkdir(parents=True, exist_ok=True)
        if ns2:
            command = ["ns", str(script), str(into), *(word for pair in pairs for word in pair)]
            command += ["saturate", str(int(filled))]
        else:
            command = [str(program), f"--directory={into}", *(f"--{name}={value}" for name, value in pairs)]
            command += ["--saturate"] * filled
        subprocess.run(command, check=True, capture_output=True)
    partial.rename(folder)
    return folder


def failure(cache: Path, asked: tuple[dict[str, Any], int]) -> str | None:
    """Simulates a world with a seed; what its simulator said where it ended with an error."""
    try:
        simulated(*asked, cache)
    except subprocess.CalledProcessError as error:
        return f"ended with {error.returncode}: {error.stderr.decode(errors='replace').strip()[-200:]}"
    return None
