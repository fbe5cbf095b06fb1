"""Keyed pseudonyms of addresses and names: the same key gives the same pseudonyms in every dataset."""

from __future__ import annotations

import ipaddress
import re
from functools import lru_cache
from hashlib import blake2b

MIN_KEY_BYTES = 16

NULL_ADDRESS = "00:00:00:00:00:00"
BROADCAST = "ff:ff:ff:ff:ff:ff"

GROUP_BIT, LOCAL_BIT = 0x01, 0x02
"""Of the first octet of a MAC address (IEEE 802-2014, 8.2.2)."""

_ROUNDS = 8

_MAC = re.compile(r"(?<![0-9a-f:])(?:[0-9a-f]{2}:){5}[0-9a-f]{2}(?![0-9a-f:])")
_IPV4 = re.compile(r"(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?![\d.])")
_IPV6 = re.compile(r"(?<![0-9a-z:.])[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){2,7}(?![0-9a-z:.])")
_ADDRESSES = re.compile("|".join(pattern.pattern for pattern in (_MAC, _IPV6, _IPV4)))
_NODE = re.compile(r"node-\d+")
_BETWEEN = re.compile(r"(?:node-\d+|tcp|udp|icmpv?6?|arp|cbr|ack|tracerc|exp|pareto|[\d\s:>#<,/\[\]()|-])*")
"""What stands between the addresses of a flow or link and identifies nobody: protocols, ports, nodes of a simulator."""

_NOBODY = [ipaddress.ip_network(network) for network in ("0.0.0.0/32", "255.255.255.255/32", "::/128")]
_GROUPS = [ipaddress.ip_network(network) for network in ("224.0.0.0/4", "ff00::/12")]
"""Of IPv4 (RFC 5771), and those of IPv6 that are the same everywhere (RFC 4291, 2.7)."""
_SOLICITED = ipaddress.ip_network("ff02::1:ff00:0/104")
"""Groups that hold the last 24 bits of a host's address (RFC 4291, 2.7.1)."""
_OF_NETWORKS = [_SOLICITED, *(ipaddress.ip_network(network) for network in ("233.0.0.0/8", "234.0.0.0/8"))]
"""Groups whose numbers are made of a host's or network's: the latter hold one of an AS or network (RFC 3180, 6034)."""


def names_no_host(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    """That an address is that of nobody, of everybody, or of a group whose number says nothing of its members."""
    is_said_by_number = any(address in network for network in _OF_NETWORKS)
    return any(address in network for network in (*_NOBODY, *_GROUPS)) and not is_said_by_number


def has_addresses_only(text: str) -> bool:
    """That a text consists of addresses, and what stands between them in flows and links."""
    return _BETWEEN.fullmatch(_ADDRESSES.sub("", text)) is not None


class Pseudonyms:
    """Pseudonyms under one key.

    Args:
        key: at least 16 octets; who knows it can find out whether an address he has is in a dataset.
        keep_vendor: MAC addresses keep the vendor's part, their first three octets.
    """

    def __init__(self, key: bytes, *, keep_vendor: bool = False) -> None:
        if len(key) < MIN_KEY_BYTES:
            raise ValueError(f"a key needs at least {MIN_KEY_BYTES} octets")
        self._key = blake2b(key, digest_size=32).digest()
        self.keep_vendor = keep_vendor
        self._flip = lru_cache(maxsize=1 << 16)(self._flip_of)

    def mac(self, address: str) -> str:
        """The pseudonym of a MAC address in lower case; broadcast and the null address stay.

        It is locally administered. A group address keeps its first two octets, which name the protocol (33:33 is IPv6);
        an individual one keeps its first three where vendors are kept, and no two of a vendor then have the same.
        """
        if address in (NULL_ADDRESS, BROADCAST):
            return address
        octets = bytes.fromhex(address.replace(":", ""))
        if octets[0] & GROUP_BIT:
            made = octets[:2] + self._hash("group", octets, 4)
        elif self.keep_vendor:
            made = octets[:3] + self._permuted(octets[3:], tweak=octets[:3])
        else:
            made = self._hash("mac", octets, 6)
            made = bytes([made[0] & ~GROUP_BIT | LOCAL_BIT]) + made[1:]
        return made.hex(":")

    def ip(self, address: str) -> str:
        """The pseudonym of an IPv4 or IPv6 address: two that share n leading bits have pseudonyms that share n.

        Addresses that name no host stay, apart from the others: everybody knows them, and a pseudonym of one would tell
        the first bits of all others. Of a group that hosts are looked for by, only the host's bits are replaced.

        Source: Xu et al., "Prefix-preserving IP address anonymization", ICNP 2002, with a keyed BLAKE2 in place of AES.

        Raises:
            ValueError: it is no address.
        """
        parsed = ipaddress.ip_address(address)
        if names_no_host(parsed):
            return address
        if parsed in _SOLICITED:
            packed = parsed.packed
            return str(ipaddress.IPv6Address(packed[:13] + self._permuted(packed[13:], tweak=packed[:13])))
        width = parsed.max_prefixlen
        bits = int(parsed)
        flips = 0
        for length in range(width):
            flips = flips << 1 | self._flip(width, length, bits >> (width - length))
        return str(type(parsed)(bits ^ flips))

    def name(self, prefix: str, text: str) -> str:
        """The pseudonym of a network's or station's name, as ``ssid-5f0c..``; an empty one stays empty."""
        return f"{prefix}-{self._hash(prefix, text.encode(), 8).hex()}" if text.strip("\0") else text

    def station(self, text: str) -> str:
        """The pseudonym of what a column of stations holds: an address, a name, or a simulator's node, which stays."""
        if _MAC.fullmatch(text):
            return self.mac(text)
        return text if _NODE.fullmatch(text) else self.name("station", text)

    def composed(self, text: str, prefix: str) -> str:
        """A text with its addresses replaced, as of flows and links; one that holds any other word becomes a name."""
        if has_addresses_only(text):
            return _ADDRESSES.sub(lambda found: self._address(found[0]), text)
        return self.name(prefix, text)

    def _address(self, text: str) -> str:
        if _MAC.fullmatch(text):
            return self.mac(text)
        try:
            return self.ip(text)
        except ValueError:
            return self.name("address", text)

    def _flip_of(self, width: int, length: int, prefix: int) -> int:
        return self._hash(f"ip{width}/{length}", prefix.to_bytes(16, "big"), 1)[0] & 1

    def _permuted(self, tail: bytes, *, tweak: bytes) -> bytes:
        """A permutation of three octets (a Feistel network), so that different addresses stay different."""
        number = int.from_bytes(tail, "big")
        left, right = number >> 12, number & 0xFFF
        for round_ in range(_ROUNDS):
            mixed = self._hash(f"vendor{round_}", tweak + right.to_bytes(2, "big"), 2)
            left, right = right, left ^ int.from_bytes(mixed, "big") & 0xFFF
        return (left << 12 | right).to_bytes(3, "big")

    def _hash(self, purpose: str, data: bytes, size: int) -> bytes:
        return blake2b(data, key=self._key, person=purpose.encode(), digest_size=size).digest()
