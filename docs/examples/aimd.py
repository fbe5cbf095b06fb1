"""A congestion controller of one's own: additive increase, multiplicative decrease (Chiu and Jain, 1989).

Run it beside the built-in ones with ``python docs/examples/aimd.py``.
"""

import winf_analyzer


class Aimd:
    """One segment more per round trip, half the window after a loss."""

    name = "aimd"

    def endpoint(self, flow):
        """Make the part at a flow's source; the engine asks once per flow and run."""
        return Source(flow)


class Source:
    """The window of one flow."""

    def __init__(self, flow):
        self.segment = flow.mss_bytes
        self.window = 2.0 * self.segment

    def on_ack(self, now_ns, flow, ack):
        """Grow by a segment per window."""
        self.window += self.segment * ack.newly_acked_bytes / self.window

    def on_congestion(self, now_ns, flow, event):
        """Halve; begin anew after a timeout."""
        if event.kind == "fast_retransmit":
            self.window = max(self.window / 2, self.segment)
        elif event.kind == "timeout":
            self.window = self.segment

    def window_bytes(self):
        """Answer how many bytes may be in flight."""
        return self.window


if __name__ == "__main__":
    result = winf_analyzer.replay(topology="chain:2", controllers=[Aimd(), "new_reno"], duration="10s", seeds=3)
    print(result.overview.select("controller", "flow", "throughput_bps", "throughput_ci_bps", "rtt_ms"))
