"""A link that was heard whole, on an air of which most was not."""

from __future__ import annotations

import polars as pl
import pytest
from air import SIFS_US, Air
from finding_scenes import AP, A, B
from pcaps import ack

import winf_analyzer


@pytest.mark.parametrize(("unheard", "told"), [(10, False), (400, True)])
def test_what_the_audit_calls_mostly_unheard_has_no_fair_answer(unheard, told, tmp_path):
    """Of B's data the ACKs alone are heard."""
    air = Air()
    for number in range(200):
        air.exchange(A, AP, AP, seq=number)
        air.wait(2000)
        for _ in range(unheard * (number + 1) // 200 - unheard * number // 200):
            air.wait(1000 + SIFS_US)
            air.send(ack(B), 1)
    (tmp_path / "recording.pcap").write_bytes(air.capture())
    dataset = winf_analyzer.ingest([tmp_path / "recording.pcap"], tmp_path / "run.winf")
    winf_analyzer.estimate(dataset, estimators=["saturation"], mode="corrected")
    row = pl.DataFrame(dataset.scan("recommended").filter(pl.col("whole"), sender=A).collect()).row(0, named=True)
    assert ("air_unheard" in row["reasons"]) == told
    assert row["available_bps"] is not None
    assert row["grade"] == "poor" or not told
