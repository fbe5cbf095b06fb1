"""How many examples a property gets."""

from __future__ import annotations

from hypothesis import settings


def examples(usual: int) -> settings:
    """So many in `make test`, a fifth in `make check`, ten times as many in `make nightly`; see conftest.py."""
    return settings(max_examples=max(1, usual * settings.default.max_examples // 100))
