"""What many tests need: the program as a user types it, the samples, and the third-party captures where they are."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator
from pathlib import Path

import iperf3
import pcaps
import processor_time
import program
import pytest
from folders import ROOT, SAMPLES
from hypothesis import settings
from once import make_once

import winf_analyzer

SHARED = {f"{name}_dataset" for name in ("demo", "short", "compared", "tcp", "replay", "sweep", "hidden")}
"""Fixtures whose datasets are made once for all worker processes."""

# How many examples of a property depends on the occasion. How long one takes says nothing on a shared machine.
for occasion, examples in (("check", 20), ("test", 50), ("nightly", 1000)):
    settings.register_profile(occasion, deadline=None, max_examples=examples)
settings.load_profile("test")

# Programs that tests start do not tell of the build that is tested; see `filterwarnings` in pyproject.toml.
os.environ.setdefault("PYTHONWARNINGS", "ignore:winf_analyzer's native module is a debug build:RuntimeWarning")


def pytest_addoption(parser: pytest.Parser) -> None:
    """What tools/slow_tests.py measures with."""
    parser.addoption("--processor-times", type=Path, help="append seconds of processor time and name of each test")


def pytest_configure(config: pytest.Config) -> None:
    """Measure where that is asked for."""
    if path := config.getoption("processor_times"):
        config.pluginmanager.register(processor_time.Recorder(path))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that `make check` leaves out, before pytest selects by marks."""
    slow = processor_time.slow_tests()
    for item in items:
        if processor_time.function(item) in slow:
            item.add_marker("slow")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """A dataset that all worker processes share is read-only: a test that writes into one fails, not its neighbour."""
    shared = {name: item.funcargs[name] for name in getattr(item, "funcargs", {}) if name in SHARED}
    before = {name: (dataset.path / "dataset.json").read_bytes() for name, dataset in shared.items()}
    returned = yield
    changed = [name for name in shared if (shared[name].path / "dataset.json").read_bytes() != before[name]]
    assert not changed, f"wrote into {changed}, which other tests read: copy it"
    return returned


@pytest.fixture(scope="session")
def winf() -> program.Winf:
    """Run `winf` with arguments inside this process; returns its exit code and its output as text."""
    return program.in_process


@pytest.fixture(scope="session")
def winf_process() -> program.Winf:
    """Run `winf` as a process of its own: for start-up, signals, pipes, and what a process does only once."""
    return program.as_process


@pytest.fixture(scope="session")
def sample() -> Callable[[str], Path]:
    """The folder of a bundled sample recording."""
    return lambda name: SAMPLES / name


@pytest.fixture(scope="session")
def demo_dataset(tmp_path_factory: pytest.TempPathFactory) -> winf_analyzer.Dataset:
    """The bundled demo sample, ingested and estimated once for all tests. Treat it as read-only."""
    return _estimated(tmp_path_factory, "ns3_sniffer", SAMPLES / "ns3_sniffer" / "recording")


@pytest.fixture(scope="session")
def short_recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The first 1600 of 11 105 frames of the demo sample: all its stations, for what takes its time per frame."""

    def make(folder: Path) -> None:
        whole = SAMPLES / "ns3_sniffer" / "recording" / "sniffer.pcap"
        (folder / whole.name).write_bytes(pcaps.beginning(whole.read_bytes(), 1600))

    return make_once(tmp_path_factory, "beginning", make) / "sniffer.pcap"


@pytest.fixture(scope="session")
def short_dataset(tmp_path_factory: pytest.TempPathFactory, short_recording: Path) -> winf_analyzer.Dataset:
    """The beginning of the demo sample, ingested and estimated once for all tests. Treat it as read-only."""
    return _estimated(tmp_path_factory, "short", short_recording)


@pytest.fixture(scope="session")
def compared_dataset(tmp_path_factory: pytest.TempPathFactory) -> winf_analyzer.Dataset:
    """The demo sample, estimated and compared with the simulator's goodput as an iperf3 log. Treat it as read-only."""

    def make(folder: Path) -> None:
        sample = SAMPLES / "ns3_sniffer"
        dataset = winf_analyzer.ingest([sample / "recording"], folder / "run.winf")
        windows = iperf3.goodput(sample / "truth_goodput.csv", "udp 10.0.0.1:5000 10.0.0.2:5000")
        log = iperf3.write_server_log(
            folder / "server.json", windows, sender="10.0.0.2:5000", receiver="10.0.0.1:5000", epoch_s=1_760_000_000
        )
        winf_analyzer.estimate(dataset, estimators=["rt_winf", "idle_gap"])
        winf_analyzer.compare(dataset, [log])

    return winf_analyzer.Dataset.open(make_once(tmp_path_factory, "compared", make) / "run.winf")


@pytest.fixture(scope="session")
def tcp_dataset(tmp_path_factory: pytest.TempPathFactory) -> winf_analyzer.Dataset:
    """A TCP transfer over two hops, ingested once for all tests. Treat it as read-only."""

    def make(folder: Path) -> None:
        winf_analyzer.ingest([SAMPLES / "ns3_tcp" / "recording"], folder / "run.winf")

    return winf_analyzer.Dataset.open(make_once(tmp_path_factory, "tcp", make) / "run.winf")


@pytest.fixture(scope="session")
def replay_dataset(tmp_path_factory: pytest.TempPathFactory) -> winf_analyzer.Dataset:
    """Two controllers in the Stack topology for ten seconds with three seeds. Treat it as read-only."""

    def make(folder: Path) -> None:
        run = {"topology": "stack", "controllers": ["new_reno", "wcp"], "seeds": 3, "duration": "10s"}
        winf_analyzer.replay(**run, output=folder / "run.winf")

    return winf_analyzer.Dataset.open(make_once(tmp_path_factory, "replay", make) / "run.winf")


@pytest.fixture(scope="session")
def sweep_dataset(tmp_path_factory: pytest.TempPathFactory) -> winf_analyzer.Dataset:
    """Two controllers with three sizes of queues in the Stack topology. Treat it as read-only."""
    grid = 'name="queues"\ntopologies=["stack"]\ncontrollers=["new_reno","wcp"]\nseeds=3\nduration="5s"\n'

    def make(folder: Path) -> None:
        (folder / "queues.toml").write_text(grid + '[set]\nqueue=[5,10,20]\n"link.loss"=[0.0,0.05]\n')
        winf_analyzer.sweep(folder / "queues.toml", folder / "run.winf")

    return winf_analyzer.Dataset.open(make_once(tmp_path_factory, "sweep", make) / "run.winf")


@pytest.fixture(scope="session")
def hidden_dataset(tmp_path_factory: pytest.TempPathFactory) -> winf_analyzer.Dataset:
    """Two senders that do not hear one another, each its own recorder, estimated once. Treat it as read-only."""
    return _estimated(tmp_path_factory, "ns3_hidden", SAMPLES / "ns3_hidden" / "recording")


@pytest.fixture(scope="session")
def shared_captures() -> Path:
    """Third-party captures, which are not part of the repository."""
    folder = Path(os.environ.get("WINF_SHARED_CAPTURES", ROOT.parent / "shared" / "captures"))
    if not folder.is_dir():
        pytest.skip(f"third-party captures are not there ({folder}); set WINF_SHARED_CAPTURES")
    return folder


def _estimated(factory: pytest.TempPathFactory, name: str, recording: Path) -> winf_analyzer.Dataset:
    def make(folder: Path) -> None:
        winf_analyzer.estimate(winf_analyzer.ingest([recording], folder / "run.winf"))

    return winf_analyzer.Dataset.open(make_once(factory, name, make) / "run.winf")
