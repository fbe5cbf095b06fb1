"""Where the tests find things in the repository."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
"""The repository."""

SAMPLES = ROOT / "sample_captures"
"""Recordings that the project made itself."""

LOGS = ROOT / "tests" / "ingest" / "truth" / "logs"
"""Output of real iperf and FlowMonitor runs."""

CAPTURES = ROOT.parent / "shared" / "captures"
"""Third-party captures, where they are at hand."""
