"""`winf demo`: the analysis of a bundled sample."""

from __future__ import annotations

from pathlib import Path

from winf_analyzer.cli.analyze import print_analysis
from winf_analyzer.cli.command import Command
from winf_analyzer.cli.console import print_progress
from winf_analyzer.cli.options import AnalysisOutput, Force


def demo(output: AnalysisOutput = Path("winf-demo"), force: Force = False) -> None:
    """Analyze the bundled sample recording."""
    import winf_analyzer

    print_analysis(winf_analyzer.demo(output, force=force, progress=print_progress))


COMMAND = Command("demo", demo, ("winf demo", "winf demo -o try --force"), needs_arguments=False)
