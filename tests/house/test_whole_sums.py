"""No sum of whole numbers is made in 32 bits, in which it would wrap around: `_util.whole_sums` is for that."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import sys
import traceback

import polars as pl

import winf_analyzer

found = set()


def watched(name):
    plain = getattr(pl.Expr, name)

    def sum_of(values, **options):
        call = traceback.extract_stack(limit=2)[0]

        def look(series):
            if series.dtype == pl.Int32:
                found.add(f"{call.filename}:{call.lineno}: {call.line}")
            return series

        return plain(values.map_batches(look, is_elementwise=True), **options)

    setattr(pl.Expr, name, sum_of)


watched("sum")
watched("cum_sum")
recording, backlogged, out = sys.argv[1:]
dataset = winf_analyzer.ingest(recording, out)
winf_analyzer.estimate(dataset)
winf_analyzer.replay(dataset, controllers=["new_reno"], duration="1s", draws=0)
winf_analyzer.validate(backlogged)
print("\\n".join(sorted(found)))
"""
"""Watches the sums that Polars makes. In a process of its own, because expressions are kept for later calls."""


@pytest.mark.slow("a process that does everything once")
def test_no_sum_is_made_in_32_bits(sample, tmp_path):
    backlogged = Path(__file__).parents[1] / "evaluate" / "backlog" / "g" / "recording.pcap.gz"
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, sample("ns3_tcp") / "recording", backlogged, tmp_path / "run.winf"],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"POLARS_MAX_THREADS": "2"},
    )
    assert done.returncode == 0, done.stderr
    assert not done.stdout.strip()
