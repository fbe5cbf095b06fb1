"""Tasks that run elsewhere: the same dataset, and one that ends its process every time is left out alone."""

from __future__ import annotations

import os
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pcaps
import pytest

import winf_analyzer
from winf_analyzer._ingest.tasks import MIN_SHORT
from winf_analyzer._scale import ray_engine
from winf_analyzer._scale.ray_engine import Poisoned, results
from winf_analyzer._util.errors import UsageError, WinfError

LONG = "long.pcap"
TASK_S = 4.0


@pytest.fixture
def captures(tmp_path: Path) -> Path:
    folder = tmp_path / "captures"
    folder.mkdir()
    for number in range(MIN_SHORT + 4):
        (folder / f"{number:03}.pcap").write_bytes(pcaps.busy_link(2 + number % 4))
    (folder / LONG).write_bytes(pcaps.busy_link(3000))
    return folder


def digests(dataset: winf_analyzer.Dataset) -> dict[str, str]:
    return {part["path"]: part["sha256"] for parts in dataset.metadata["tables"].values() for part in parts}


def elsewhere(poison: str) -> Callable[..., Iterator[tuple[tuple[Any, ...], Any]]]:
    """Runs tasks backwards; one with a recording of that name ends its process."""

    def spread(function: Callable[..., Any], tasks: list[tuple[Any, ...]]) -> Iterator[tuple[tuple[Any, ...], Any]]:
        for task in reversed(tasks):
            if any(recording.source == poison for recording in task[0].recordings):
                yield task, Poisoned("its process ended 4 times")
            else:
                yield task, function(*task)

    return spread


def test_in_any_order_it_is_the_same_dataset(captures, tmp_path):
    whole = winf_analyzer.ingest(captures, tmp_path / "whole.winf")
    spread = winf_analyzer.ingest(captures, tmp_path / "spread.winf", spread=elsewhere("none"))
    assert digests(spread) == digests(whole)
    assert spread.metadata["inputs"] == whole.metadata["inputs"]


@pytest.mark.parametrize("poison", [LONG, "005.pcap"])
def test_a_poisoned_recording_is_left_out_alone(captures, tmp_path, poison):
    dataset = winf_analyzer.ingest(captures, tmp_path / "run.winf", spread=elsewhere(poison))
    assert [(Path(entry["path"]).name, entry["source"]) for entry in dataset.metadata["skipped"]] == [(poison, poison)]
    assert "its process ended 4 times" in dataset.metadata["skipped"][0]["reason"]
    (captures / poison).rename(tmp_path / poison)
    without = winf_analyzer.ingest(captures, tmp_path / "without.winf")
    counted = "select source, count(*) from frames group by all order by all"
    assert winf_analyzer.sql(dataset, counted).rows() == winf_analyzer.sql(without, counted).rows()
    assert len(winf_analyzer.check(dataset)) == 0


def test_an_engine_that_does_not_exist_is_a_usage_error(captures, tmp_path, winf):
    done = winf("ingest", captures, "-o", tmp_path / "run.winf", "--engine", "spark")
    assert (done.returncode, "local, ray" in done.stderr) == (2, True)


@pytest.mark.skipif("ray" in sys.modules, reason="Ray is loaded")
def test_without_ray_a_sentence_says_so(captures, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(UsageError, match=r"winf_analyzer\[ray\]"):
        winf_analyzer.ingest(captures, tmp_path / "run.winf", spread=results)


def slow_task(folder: str, number: int) -> int:
    """Runs long enough that its node can be ended meanwhile, and leaves a mark of every attempt."""
    with (Path(folder) / f"{number}-{os.getpid()}").open("w"):
        time.sleep(0.5)
    return number * number


def slowly(function: Callable[..., Any], tasks: list[tuple[Any, ...]]) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Runs tasks on the cluster, each long enough that its node can be ended meanwhile."""

    def slowed(*task: Any) -> Any:
        time.sleep(TASK_S)
        return function(*task)

    return results(slowed, tasks)


def fatal_task(number: int) -> int:
    """One of the tasks ends its process."""
    if number == 3:
        os.kill(os.getpid(), 9)
    return number


@pytest.mark.nightly("two nodes of a Ray cluster are started")
def test_a_ray_cluster_of_two_nodes_one_of_which_is_killed(captures, tmp_path, monkeypatch):
    ray = pytest.importorskip("ray", reason="Ray is not installed: pip install ray")
    from ray.cluster_utils import Cluster

    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(path for path in sys.path if path))
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    other = cluster.add_node(num_cpus=1)
    monkeypatch.setenv("RAY_ADDRESS", cluster.address)
    try:
        whole = winf_analyzer.ingest(captures, tmp_path / "whole.winf")
        spread = winf_analyzer.ingest(captures, tmp_path / "ray.winf", spread=results)
        assert digests(spread) == digests(whole)
        assert dict(results(fatal_task, [(number,) for number in range(5)])).keys() == {(n,) for n in range(5)}
        found = dict(results(fatal_task, [(number,) for number in range(5)]))
        assert [number for (number,), result in found.items() if isinstance(result, Poisoned)] == [3]
        marks = tmp_path / "marks"
        marks.mkdir()
        killer = threading.Timer(3.0, lambda: cluster.remove_node(other, allow_graceful=False))
        killer.start()
        done = dict(results(slow_task, [(str(marks), number) for number in range(24)]))
        killer.join()
        assert done == {(str(marks), number): number * number for number in range(24)}
        assert len(cluster.list_all_nodes()) == 1
        other = cluster.add_node(num_cpus=1)
        killer = threading.Timer(TASK_S / 2, lambda: cluster.remove_node(other, allow_graceful=False))
        killer.start()
        survived = winf_analyzer.ingest(captures, tmp_path / "survived.winf", spread=slowly)
        killer.join()
        assert digests(survived) == digests(whole)
        assert survived.metadata["inputs"] == whole.metadata["inputs"]
    finally:
        ray.shutdown()
        cluster.shutdown()


@pytest.fixture
def silent_head() -> Iterator[int]:
    """The port of a listener that takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


@pytest.fixture
def waiting_ray(monkeypatch) -> None:
    """Ray, with an `init` that waits for its head for ever, as that of 2.60 does in some networks."""
    pretended = SimpleNamespace(is_initialized=lambda: False, init=lambda **_: threading.Event().wait(), shutdown=print)
    monkeypatch.setitem(sys.modules, "ray", pretended)


def test_a_head_that_takes_no_connection_is_an_error_at_once(waiting_ray, monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    for address in (f"127.0.0.1:{port}", f"ray://127.0.0.1:{port}", "127.0.0.1:70000"):
        monkeypatch.setenv("RAY_ADDRESS", address)
        with pytest.raises(WinfError, match=f"nothing answers at RAY_ADDRESS={address}"), ray_engine.connected():
            pass


def test_a_head_that_never_answers_is_an_error_in_time(waiting_ray, silent_head, monkeypatch):
    monkeypatch.setenv("RAY_ADDRESS", f"127.0.0.1:{silent_head}")
    monkeypatch.setattr(ray_engine, "CONNECTED_S", 0.2)
    with pytest.raises(WinfError, match=r"no cluster answers within 0\.2 s"), ray_engine.connected():
        pass
