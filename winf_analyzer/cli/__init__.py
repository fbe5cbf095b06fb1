"""The command line: one module per command. Options in, one function of the package, its result printed."""

from winf_analyzer.cli.app import main, program

__all__ = ["main", "program"]
