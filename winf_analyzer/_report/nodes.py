"""What stations are called in the report: alias, network name or vendor beside the address."""

from __future__ import annotations

from typing import TYPE_CHECKING

from winf_analyzer._names import vendor

if TYPE_CHECKING:
    import polars as pl

LONGEST = 24
"""Characters of a name; longer ones end in an ellipsis."""


class Names:
    """Names of stations by address."""

    def __init__(self, nodes: pl.DataFrame | None = None) -> None:
        """Take the names from rows of the table `nodes`, which may be older than its columns `alias` and `vendor`."""
        self._names: dict[str, str] = {}
        for row in nodes.iter_rows(named=True) if nodes is not None else ():
            announced = row["ssid"] if row["role"] in ("ap", "ibss") else None
            if name := row.get("alias") or announced or vendor(row["node"]):
                self._names[row["node"]] = name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"

    def __call__(self, address: str | None) -> str:
        """Name and address; the address alone where it has no name."""
        if address is None:
            return "unknown station"
        name = self._names.get(address)
        return f"{name} ({address})" if name else address
