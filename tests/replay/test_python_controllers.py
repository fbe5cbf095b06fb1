"""Controllers written in Python: the documented example, every hook, and what goes wrong."""

from __future__ import annotations

import math
import runpy
import subprocess
import sys

import pytest
from folders import ROOT

import winf_analyzer

EXAMPLE = ROOT / "docs" / "examples" / "aimd.py"


class Fixed:
    """A window of a few packets; as its own endpoint it has nothing to remember."""

    def endpoint(self, flow):
        return self

    def on_ack(self, now_ns, flow, ack):
        pass

    def window_bytes(self):
        return 4000.0


def run(controller, topology="chain:2", **options):
    return winf_analyzer.replay(topology=topology, controllers=[controller], duration="2s", **options)


def test_the_example_runs():
    aimd = runpy.run_path(str(EXAMPLE))["Aimd"]
    result = winf_analyzer.replay(topology="chain:2", controllers=[aimd(), "new_reno"], duration="5s")
    rates = dict(result.summary.select("controller", "throughput_bps").rows())
    assert rates["aimd"] == pytest.approx(rates["new_reno"], rel=0.5)


def test_the_example_is_a_program():
    done = subprocess.run([sys.executable, EXAMPLE], capture_output=True, text=True, check=True, timeout=60)
    assert "aimd" in done.stdout


def test_it_runs_on_several_threads_with_the_same_result():
    aimd = runpy.run_path(str(EXAMPLE))["Aimd"]
    one, four = (run(aimd(), seeds=3, threads=threads).summary for threads in (1, 4))
    assert one.equals(four)


def test_headers_travel_there_and_back():
    seen = {"sent": 0, "marked": 0, "timer": 0}

    class Router:
        def __init__(self, node):
            self.next = 0

        def on_arrival(self, now_ns, links, link, packet):
            assert 0 <= link < len(links)
            assert links[link].queue_packets >= 0
            header = packet.header
            header[1] += 1
            packet.header = header

        def next_timer(self):
            return self.next

        def on_timer(self, now_ns, links):
            seen["timer"] += 1
            self.next = now_ns + 100_000_000

    class Source(Fixed):
        def on_send(self, now_ns, flow, packet):
            seen["sent"] += 1
            packet.header = [now_ns / 1e9, 0, 0, 0, 0, 0, 0, 0]

        def on_ack(self, now_ns, flow, ack):
            seen["marked"] = ack.header[1]
            assert ack.header[0] < now_ns / 1e9
            assert ack.header[2] == 7

        def receiver(self, flow):
            return self

        def on_data(self, now_ns, link, packet, ack):
            assert ack.header == packet.header
            ack.header = [packet.header[0], 0, 7, 0, 0, 0, 0, 0]

        def router(self, node):
            assert all(link.rate_bps == 11_000_000 for link in node.links)
            return Router(node)

    summary = run(Source()).summary
    assert seen["sent"] == summary["sent_packets"].item()
    assert seen["marked"] == 2
    assert seen["timer"] == 3 * 20


def test_pacing_timers_and_congestion_reach_the_endpoint():
    events = []

    class Paced(Fixed):
        def window_bytes(self):
            return math.inf

        def pacing_bytes_per_s(self):
            return 500_000.0

        def on_congestion(self, now_ns, flow, event):
            events.append(event.kind)

    result = run(Paced())
    assert "fast_retransmit" in events
    assert result.summary["pacing_bps"].item() == pytest.approx(4e6)
    assert result.summary["window_bytes"].item() is None


class Divides(Fixed):
    def on_ack(self, now_ns, flow, ack):
        return ack.segment / 0


class NotANumber(Fixed):
    def window_bytes(self):
        return math.nan


class Text(Fixed):
    def window_bytes(self):
        return "wide"


class NoWindow:
    def endpoint(self, flow):
        return object()


class Nothing:
    def endpoint(self, flow):
        return None


@pytest.mark.parametrize(
    ("controller", "message", "cause"),
    [
        (
            Divides,
            r"Divides, seed 1: .*test_python_controllers.py:\d+, in on_ack: ZeroDivisionError",
            ZeroDivisionError,
        ),
        (NotANumber, "window_bytes returned NaN", ValueError),
        (Text, "TypeError", TypeError),
        (NoWindow, "the endpoint has no method on_ack", AttributeError),
        (Nothing, "must return an object with on_ack and window_bytes", TypeError),
    ],
)
def test_an_exception_ends_the_run_and_says_where(controller, message, cause):
    with pytest.raises(winf_analyzer.WinfError, match=message) as caught:
        run(controller())
    assert isinstance(caught.value.__cause__, cause)


def test_a_name_is_not_taken_twice():
    controller = Fixed()
    controller.name = "xcp"
    with pytest.raises(winf_analyzer.UsageError, match="called 'xcp' already"):
        run(controller)
