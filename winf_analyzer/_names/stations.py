"""What stations are called: alias, network name or vendor beside the address; and which BSSIDs are one radio."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from winf_analyzer._names.vendors import vendor

LONGEST = 15
"""Characters of a name; longer ones end in an ellipsis, and those of vendors with a whole word."""

_ADDRESS = re.compile(r"(?<![(:\w])(?:[0-9a-f]{2}:){5}[0-9a-f]{2}(?![:\w])")
"""An address that does not stand in brackets behind a name."""


class Names:
    """Names of stations by address, and the radios of access points."""

    def __init__(self, nodes: Iterable[Mapping[str, Any]] = ()) -> None:
        """Take the names from rows of the table `nodes`, which may lack its columns `alias`, `vendor` and `radio`."""
        self._names: dict[str, str] = {}
        radios: dict[str, list[str]] = {}
        for row in nodes:
            is_announcing = row["role"] in ("ap", "ibss")
            announced = (row["ssid"] or "").strip("\0") if is_announcing else ""  # a hidden name may be sent as zeros
            if name := row.get("alias") or announced:
                self._names[row["node"]] = _cut(name)
            elif maker := vendor(row["node"]):
                self._names[row["node"]] = _whole_words(maker)
            if is_announcing and (radio := row.get("radio")):
                radios.setdefault(radio, []).append(row["node"])
        self.radios = {radio: sorted(bssids) for radio, bssids in radios.items() if len(bssids) > 1}
        """The BSSIDs of each radio that has several; a radio has the lowest of them as its address."""
        self.radio_of = {bssid: radio for radio, bssids in self.radios.items() for bssid in bssids}
        """The radio of each of those BSSIDs."""

    def __call__(self, address: str | None) -> str:
        """Name and address; the address alone where it has no name."""
        if address is None:
            return "unknown station"
        name = self._names.get(address)
        return f"{name} ({address})" if name else address

    def radio(self, address: str | None) -> str | None:
        """The radio that sends under an address; the address itself where that is its only one."""
        return self.radio_of.get(address, address) if address else address

    def of_radio(self, radio: str | None) -> str:
        """What a radio is called: as its station, with the number of its other BSSIDs."""
        others = len(self.radios.get(radio or "", [])) - 1
        if others < 1 or radio is None:
            return self(radio)
        name = self._names.get(radio)
        return f"{name} +{others} ({radio})" if name else f"{radio} +{others}"

    def in_text(self, text: str) -> str:
        """A text with the names beside its addresses."""
        return _ADDRESS.sub(lambda found: self(found[0]), text)


def _cut(name: str) -> str:
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"


def _whole_words(vendor_name: str) -> str:
    words = vendor_name[: LONGEST + 1].rpartition(" ")[0].rstrip(" ,")
    return words if words and len(vendor_name) > LONGEST else _cut(vendor_name)
