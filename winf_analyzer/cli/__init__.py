"""The command line: each command a thin wrapper over the package function of the same name."""

from winf_analyzer.cli.app import main

__all__ = ["main"]
