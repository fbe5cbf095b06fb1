"""The decoder of captures: the native readers, or tshark."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from winf_analyzer import _core
from winf_analyzer._ingest.keys import canonical_keys
from winf_analyzer._util.errors import DecoderError, UsageError

DECODERS = ("native", "tshark")


@dataclass(frozen=True)
class Decoding:
    """An available decoder, and its keys for encrypted frames."""

    decoder: str
    keys: list[str]

    @classmethod
    def validated(cls, decoder: str, keys: Iterable[str]) -> Decoding:
        """Check the decoder and the keys that the user chose.

        Raises:
            UsageError: unknown decoder, keys for a decoder that does not decrypt, or a malformed key.
            DecoderError: tshark is not installed, or too old.
        """
        if decoder not in DECODERS:
            raise UsageError(f"{decoder}: unknown decoder. Choose one of: {', '.join(DECODERS)}.")
        canonical = canonical_keys(keys)
        if canonical and decoder == "native":
            raise UsageError("--key needs --decoder tshark: the native decoder does not decrypt.")
        try:
            _core.check_decoder(decoder)
        except _core.DecoderUnavailable as error:
            raise DecoderError(f"{error}.") from None
        return cls(decoder, canonical)

    def arguments(self) -> dict[str, Any]:
        """Keyword arguments of the native module's functions."""
        return {"decoder": self.decoder, "keys": self.keys}

    def parameters(self) -> dict[str, Any]:
        """Parameters for ``dataset.json``: the number of keys, but not the keys."""
        return {"decoder": self.decoder, **({"keys": len(self.keys)} if self.keys else {})}


def check_observer(observer: str | None) -> None:
    """Refuse an observer that is no address.

    Raises:
        UsageError: it is none.
    """
    try:
        _core.frames("", "", observer=observer)  # opens nothing before it is read
    except ValueError as error:
        raise UsageError(str(error)) from None


NATIVE = Decoding("native", [])


def redact_keys(command: list[str]) -> str:
    """A command line for ``dataset.json``, with its keys replaced by asterisks."""
    shown: list[str] = []
    for word in command:
        if shown and shown[-1] == "--key":
            shown.append("***")
        else:
            shown.append("--key=***" if word.startswith("--key=") else word)
    return " ".join(shown)
