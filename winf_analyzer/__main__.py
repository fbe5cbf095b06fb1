"""`python -m winf_analyzer` is `winf`."""

from winf_analyzer.cli import program

program()
