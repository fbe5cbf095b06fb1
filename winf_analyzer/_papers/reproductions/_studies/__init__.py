"""The studies: which scene of which paper, under which controllers, shows which figures."""

from __future__ import annotations

from winf_analyzer._papers.reproductions._studies import headers, s000, s001, s002, s003, s004
from winf_analyzer._papers.reproductions._study import Study

STUDIES: tuple[Study, ...] = (
    *s000.STUDIES,
    *headers.STUDIES,
    *s001.STUDIES,
    *s002.STUDIES,
    *s003.STUDIES,
    *s004.STUDIES,
)
"""Every study, in the order of the papers."""
