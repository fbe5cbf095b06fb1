"""Where tasks run: ``local``, in this process, or ``ray``, on a cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING

from winf_analyzer._util.errors import UsageError

if TYPE_CHECKING:
    from winf_analyzer._ingest.pool import Spread

ENGINES = ("local", "ray")


def check_engine(engine: str) -> bool:
    """Whether tasks run on a cluster.

    Raises:
        UsageError: there is no such engine.
    """
    if engine not in ENGINES:
        raise UsageError(f"--engine {engine}: choose one of {', '.join(ENGINES)}.")
    return engine == "ray"


def spread_by(engine: str) -> Spread | None:
    """What runs the tasks of `ingest` elsewhere; None where this process does.

    Raises:
        UsageError: there is no such engine.
    """
    if not check_engine(engine):
        return None
    from winf_analyzer._scale.ray_engine import results

    return results
