"""How sure a finding is: by the number of observations, and by how far the recording can be trusted.

    confidence = n / (n + 2) x recording

n: observations; 2 of them give one half, 18 give 0.9. The recording's factor is 1 where its audit is good, 0.8 where it
is doubtful, and 0.5 where the recording is found unfit for the question, or its radio hopped between channels. It does
not touch findings about the recording itself, and those that frames which were not heard only make stronger.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from winf_analyzer._report.findings import UNFIT
from winf_analyzer._sql.query import run

if TYPE_CHECKING:
    from collections.abc import Iterable

    import duckdb

SAMPLES = 2
"""Observations that are worth one half."""

MIN_PAIRS = 20
"""Cases from which a check of the audit says something."""

DOUBTFUL, UNUSABLE = 0.8, 0.5
"""Factors of recordings with a doubtful check, and of those that are unfit."""

OF_RECORDING = (UNFIT, "channel_hopping")
"""Findings about the recording itself."""

AT_LEAST = ("deauthentication_flood",)
"""Findings that count frames by the clock of the host: what was heard is the least there was."""


def recordings(connection: duckdb.DuckDBPyConnection, unfit: Iterable[str]) -> dict[str, float]:
    """The factor of each recording that is among the `unfit`, or whose audit is not good."""
    rows = run(
        connection,
        "select distinct source from checks where verdict <> 'good' and pairs >= $pairs",
        {"pairs": MIN_PAIRS},
    )
    return dict.fromkeys(rows["source"], DOUBTFUL) | dict.fromkeys(unfit, UNUSABLE)


def confidence(name: str, samples: int, of_recording: float) -> float:
    """The confidence of a finding."""
    return samples / (samples + SAMPLES) * (1.0 if name in OF_RECORDING + AT_LEAST else of_recording)
