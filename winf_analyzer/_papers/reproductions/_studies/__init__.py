"""The studies: which scene of which paper, under which controllers, shows which figures."""

from __future__ import annotations

from winf_analyzer._papers.reproductions._studies import (
    dsdv,
    headers,
    s000,
    s000_capacity,
    s000_probes,
    s000_readings,
    s001,
    s001_readings,
    s002,
    s002_readings,
    s003,
    s003_readings,
    s003_readings_limits,
    s004,
    s004_readings,
    s004_table,
)
from winf_analyzer._papers.reproductions._study import Study

STUDIES: tuple[Study, ...] = tuple(
    study
    for module in (
        *(s000_probes, s000_capacity, s000, s000_readings, headers),
        *(s001, s001_readings),
        *(s002, s002_readings, dsdv),
        *(s003, s003_readings, s003_readings_limits),
        *(s004, s004_table, s004_readings),
    )
    for study in module.STUDIES
)
"""Every study, in the order of the papers."""
