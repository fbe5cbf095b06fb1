"""Parsing of decryption keys."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable
from getpass import getpass
from pathlib import Path

from winf_analyzer._util.errors import UsageError

WEP = re.compile(r"(?:[0-9a-f]{10}|[0-9a-f]{26})")
VARIABLE = "WINF_KEYS"
PROMPT = "-"
PSK = re.compile(r"[0-9a-f]{64}")


def canonical_keys(keys: Iterable[str]) -> list[str]:
    """Keys in the two forms that decoders accept: ``wep:HEX`` and ``wpa-psk:HEX``.

    Args:
        keys: ``wep:HEX`` or only the digits, optionally in pairs with colons (10 or 26 digits); ``wpa-psk:HEX`` (64
            digits); ``wpa-pwd:PASSPHRASE:SSID``, split at the last colon. In the SSID ``%3a`` is the octet of that
            value, as in Wireshark.

    Raises:
        UsageError: a key has none of these forms. The message does not contain the key.
    """
    return [_canonical_key(key, number) for number, key in enumerate(keys, start=1)]


def given_keys(keys: Iterable[str], file: Path | None) -> list[str]:
    """The keys that a user gave: ``-`` asks for one, a file has one per line, :data:`VARIABLE` one per line.

    A key in the command line itself is seen by every user of the machine in the list of processes.

    Raises:
        UsageError: the file cannot be read.
    """
    found = [getpass("key: ") if key == PROMPT else key for key in keys]
    lines = os.environ.get(VARIABLE, "").splitlines()
    if file is not None:
        try:
            lines += file.read_text(encoding="utf-8").splitlines()
        except (OSError, ValueError) as error:
            raise UsageError(f"{file}: cannot be read: {getattr(error, 'strerror', None) or 'no text'}.") from error
    return found + [line.strip() for line in lines if line.strip() and not line.startswith("#")]


def pre_shared_key(passphrase: str, ssid: bytes) -> bytes:
    """The PSK of a WPA passphrase (IEEE 802.11-2020, annex J.4)."""
    return hashlib.pbkdf2_hmac("sha1", passphrase.encode(), ssid, 4096, 32)


def _canonical_key(key: str, number: int) -> str:
    kind, _, rest = key.partition(":")
    match kind.lower():
        case "wpa-pwd":
            passphrase, colon, ssid = rest.rpartition(":")
            octets = _ssid(ssid)
            if colon and 8 <= len(passphrase.encode()) <= 63 and 1 <= len(octets) <= 32:
                return f"wpa-psk:{pre_shared_key(passphrase, octets).hex()}"
        case "wpa-psk":
            if PSK.fullmatch(rest.lower()):
                return f"wpa-psk:{rest.lower()}"
        case _:
            digits = (rest if kind.lower() == "wep" else key).replace(":", "").lower()
            if WEP.fullmatch(digits):
                return f"wep:{digits}"
    raise UsageError(
        f"--key number {number} is none of: wep:HEX (10 or 26 digits), wpa-psk:HEX (64 digits), "
        "wpa-pwd:PASSPHRASE:SSID (8 to 63 characters, and 1 to 32)."
    )


def _ssid(text: str) -> bytes:
    octets = re.sub(rb"%([0-9a-fA-F]{2})", lambda match: bytes([int(match[1], 16)]), text.encode())
    return octets.replace(b"%%", b"%")
