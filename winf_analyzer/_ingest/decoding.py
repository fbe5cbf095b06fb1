"""The decoder of captures: the native readers, or tshark."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from winf_analyzer import _core
from winf_analyzer._ingest.keys import canonical_keys
from winf_analyzer._util.errors import DecoderError, UsageError
from winf_analyzer._util.format import path_text

DECODERS = ("native", "tshark")


@dataclass(frozen=True)
class Tshark:
    """The decoder tshark with options of its own; without any it is the decoder ``"tshark"``."""

    decode_as: tuple[str, ...] = ()
    """Rules as tshark takes them with -d: ``udp.port==5000,peekremote``."""
    preferences: tuple[str, ...] = ()
    """Preferences as with -o, ``NAME:VALUE``."""
    profile: str | None = None
    """A profile of the user's Wireshark configuration, as with -C: what it says of dissection is used."""

    def given(self) -> tuple[list[str], list[str], str | None]:
        """For the native module."""
        return [*self.decode_as], [*self.preferences], self.profile


@dataclass(frozen=True)
class Decoding:
    """An available decoder, its keys for encrypted frames, and options for tshark."""

    decoder: str
    keys: list[str]
    tshark: Tshark | None = None

    @classmethod
    def validated(cls, decoder: str | Tshark, keys: Iterable[str]) -> Decoding:
        """Check the decoder and the keys that the user chose.

        Raises:
            UsageError: unknown decoder, keys for a decoder that does not decrypt, a malformed key, or an option that is
                malformed or that tshark refuses.
            DecoderError: tshark is not installed, or too old.
        """
        if isinstance(decoder, Tshark):
            _check_options(decoder)
            return cls("tshark", cls.validated("tshark", keys).keys, decoder)
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
        return {"decoder": self.decoder, "keys": self.keys, "tshark": self.tshark and self.tshark.given()}

    def parameters(self) -> dict[str, Any]:
        """Parameters for ``dataset.json``: the number of keys, but not the keys."""
        keys = {"keys": len(self.keys)} if self.keys else {}
        return {"decoder": self.decoder, **keys, **({"tshark": asdict(self.tshark)} if self.tshark else {})}


NATIVE = Decoding("native", [])


def recognized(path: Path, decoder: str | Tshark) -> bool:
    """True for a file in a format that the decoder reads."""
    if isinstance(decoder, Tshark):
        return _core.recognize(path, decoder="tshark", tshark=decoder.given()) is not None
    return _core.recognize(path, decoder=decoder) is not None


def _check_options(options: Tshark) -> None:
    try:
        _core.check_decoder("tshark", tshark=options.given())
    except _core.DecoderUnavailable as error:
        raise DecoderError(f"{error}.") from None
    except ValueError as error:
        raise UsageError(f"{error}.") from None


def check_observer(observer: str | None) -> None:
    """Refuse what is not the address of a station.

    Raises:
        UsageError: it is none.
    """
    try:
        _core.frames("", "", observer=observer)  # reads nothing before its rows are asked for
    except ValueError as error:
        raise UsageError(f"{error}.") from None


def redact_keys(command: list[str]) -> str:
    """A command line for ``dataset.json``, with its keys replaced by asterisks."""
    shown: list[str] = []
    for word in command:
        if shown and shown[-1] == "--key":
            shown.append("***")
        else:
            shown.append("--key=***" if word.startswith("--key=") else word)
    return path_text(" ".join(shown))
