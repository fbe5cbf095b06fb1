"""Who decodes captures: the native readers, or tshark."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from winf_analyzer import _core
from winf_analyzer._ingest.keys import canonical
from winf_analyzer._util.errors import DecoderError, UsageError

DECODERS = ("native", "tshark")


@dataclass(frozen=True)
class Decoding:
    """A decoder that is there, and the keys it is to try on encrypted frames."""

    decoder: str
    keys: list[str]

    @classmethod
    def checked(cls, decoder: str, keys: Iterable[str]) -> Decoding:
        """What the user asked for.

        Raises:
            UsageError: no such decoder, keys for one that does not decrypt, or something that is no key.
            DecoderError: tshark is not installed, or too old.
        """
        if decoder not in DECODERS:
            raise UsageError(f"{decoder}: no such decoder. There are: {', '.join(DECODERS)}.")
        found = canonical(keys)
        if found and decoder == "native":
            raise UsageError("--key needs --decoder tshark: the native decoder does not decrypt.")
        try:
            _core.check_decoder(decoder)
        except _core.DecoderUnavailable as error:
            raise DecoderError(f"{error}.") from None
        return cls(decoder, found)

    def arguments(self) -> dict[str, Any]:
        """Keyword arguments of the native module's functions."""
        return {"decoder": self.decoder, "keys": self.keys}

    def parameters(self) -> dict[str, Any]:
        """What a dataset records about it: how many keys, and none of them."""
        return {"decoder": self.decoder, **({"keys": len(self.keys)} if self.keys else {})}


NATIVE = Decoding("native", [])


def without_keys(command: list[str]) -> str:
    """A command line as a dataset records it, with its keys blotted out."""
    shown: list[str] = []
    for word in command:
        if shown and shown[-1] == "--key":
            shown.append("***")
        else:
            shown.append("--key=***" if word.startswith("--key=") else word)
    return " ".join(shown)
