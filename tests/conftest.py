"""What many tests need: the program as a user types it, the samples, and the third-party captures where they are."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path

import iperf3
import pytest
from folders import ROOT, SAMPLES
from hypothesis import settings

import winf_analyzer

# Machines are shared: how long an example takes says nothing about the code.
settings.register_profile("shared", deadline=None)
settings.load_profile("shared")


Winf = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="session")
def winf() -> Winf:
    """Run `winf` with arguments; returns the finished process with its output as text."""
    program = Path(sysconfig.get_path("scripts")) / "winf"
    environment = {**os.environ, "NO_COLOR": "1", "COLUMNS": "160", "TERM": "dumb"}

    def run(*arguments: str | os.PathLike[str], **options: object) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, str(program), *map(os.fspath, arguments)]
        options = {"capture_output": True, "text": True, "timeout": 300, "env": environment, **options}
        return subprocess.run(command, check=False, **options)

    return run


@pytest.fixture(scope="session")
def sample() -> Callable[[str], Path]:
    """The folder of a bundled sample recording."""
    return lambda name: SAMPLES / name


@pytest.fixture(scope="session")
def demo_dataset(tmp_path_factory: pytest.TempPathFactory) -> winf_analyzer.Dataset:
    """The bundled demo sample, ingested and estimated once for all tests. Treat it as read-only."""
    dataset = winf_analyzer.ingest(
        [SAMPLES / "ns3_sniffer" / "recording"], tmp_path_factory.mktemp("demo") / "run.winf"
    )
    winf_analyzer.estimate(dataset)
    return dataset


@pytest.fixture(scope="session")
def compared_dataset(tmp_path_factory: pytest.TempPathFactory) -> winf_analyzer.Dataset:
    """The demo sample, estimated and compared with the simulator's goodput as an iperf3 log. Treat it as read-only."""
    folder = tmp_path_factory.mktemp("compared")
    sample = SAMPLES / "ns3_sniffer"
    dataset = winf_analyzer.ingest([sample / "recording"], folder / "run.winf")
    windows = iperf3.goodput(sample / "truth_goodput.csv", "udp 10.0.0.1:5000 10.0.0.2:5000")
    log = iperf3.write_server_log(
        folder / "server.json", windows, sender="10.0.0.2:5000", receiver="10.0.0.1:5000", epoch_s=1_760_000_000
    )
    winf_analyzer.estimate(dataset, estimators=["rt_winf", "idle_gap"])
    winf_analyzer.compare(dataset, [log])
    return dataset


@pytest.fixture(scope="session")
def tcp_dataset(tmp_path_factory: pytest.TempPathFactory) -> winf_analyzer.Dataset:
    """A TCP transfer over two hops, ingested once for all tests. Treat it as read-only."""
    return winf_analyzer.ingest([SAMPLES / "ns3_tcp" / "recording"], tmp_path_factory.mktemp("tcp") / "run.winf")


@pytest.fixture(scope="session")
def replay_dataset(tmp_path_factory: pytest.TempPathFactory) -> winf_analyzer.Dataset:
    """Two controllers in the Stack topology for ten seconds with three seeds. Treat it as read-only."""
    folder = tmp_path_factory.mktemp("replay") / "run.winf"
    winf_analyzer.replay(topology="stack", controllers=["new_reno", "wcp"], seeds=3, duration="10s", output=folder)
    return winf_analyzer.Dataset.open(folder)


@pytest.fixture(scope="session")
def hidden_dataset(tmp_path_factory: pytest.TempPathFactory) -> winf_analyzer.Dataset:
    """Two senders that do not hear one another, each its own recorder, estimated once. Treat it as read-only."""
    dataset = winf_analyzer.ingest(
        [SAMPLES / "ns3_hidden" / "recording"], tmp_path_factory.mktemp("hidden") / "run.winf"
    )
    winf_analyzer.estimate(dataset)
    return dataset


@pytest.fixture(scope="session")
def shared_captures() -> Path:
    """Third-party captures, which are not part of the repository."""
    folder = Path(os.environ.get("WINF_SHARED_CAPTURES", ROOT.parent / "shared" / "captures"))
    if not folder.is_dir():
        pytest.skip(f"third-party captures are not there ({folder}); set WINF_SHARED_CAPTURES")
    return folder
