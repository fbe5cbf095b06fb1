"""Keys of encrypted captures, as a user writes them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable

from winf_analyzer._util.errors import UsageError

WEP = re.compile(r"(?:[0-9a-f]{10}|[0-9a-f]{26})")
PSK = re.compile(r"[0-9a-f]{64}")


def canonical(keys: Iterable[str]) -> list[str]:
    """Keys in the two forms that decoders take: ``wep:HEX`` and ``wpa-psk:HEX``.

    Args:
        keys: ``wep:HEX`` or just the digits, also in pairs with colons (10 or 26 digits); ``wpa-psk:HEX`` (64
            digits); ``wpa-pwd:PASSPHRASE:SSID``, split at the last colon. In the SSID ``%3a`` stands for the octet of
            that number, as in Wireshark.

    Raises:
        UsageError: a key is none of these. The message does not show it.
    """
    return [_canonical(key, number) for number, key in enumerate(keys, start=1)]


def pre_shared_key(passphrase: str, ssid: bytes) -> bytes:
    """The PSK of a WPA passphrase (IEEE 802.11-2020, annex J.4)."""
    return hashlib.pbkdf2_hmac("sha1", passphrase.encode(), ssid, 4096, 32)


def _canonical(key: str, number: int) -> str:
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
