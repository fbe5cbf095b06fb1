"""Shares of work for several machines: ``i/n`` is every ``n``-th piece, from the ``i``-th on."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from winf_analyzer._util.errors import UsageError

T = TypeVar("T")

_FORM = re.compile(r"(\d{1,6})/(\d{1,6})")


@dataclass(frozen=True)
class Shard:
    """Share number ``number`` of ``count``, from 1."""

    number: int = 1
    count: int = 1

    def of(self, pieces: Sequence[T]) -> list[T]:
        """The pieces of this share, in their order. Every piece is in one share, whatever the others do."""
        return list(pieces[self.number - 1 :: self.count])

    @property
    def is_whole(self) -> bool:
        """Whether there is only this share."""
        return self.count == 1

    @property
    def is_first(self) -> bool:
        """Whether it does what is to be done once."""
        return self.number == 1

    def facts(self, command: str) -> dict[str, Any]:
        """What ``dataset.json`` says of a dataset that holds only this share; nothing if it is whole."""
        if self.is_whole:
            return {}
        return {"shard": {"command": command, "number": self.number, "count": self.count}}

    def __str__(self) -> str:
        return f"{self.number}/{self.count}"


def parse_shard(text: str | None) -> Shard:
    """The share that ``--shard`` names; all of the work if it was not given.

    Raises:
        UsageError: it is not ``i/n`` with ``1 <= i <= n``.
    """
    if text is None:
        return Shard()
    match = _FORM.fullmatch(text.strip())
    if match is None or not 1 <= int(match[1]) <= int(match[2]):
        raise UsageError(f"--shard {text}: write i/n, such as 1/8, with i from 1 to n.")
    return Shard(int(match[1]), int(match[2]))
