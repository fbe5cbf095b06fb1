"""By which sizes and numbers of packets a flow of TCP and its ACKs are told, encrypted or not."""

ACK_OCTETS = 120
"""MSDU of a TCP ACK at most: LLC, IPv6 and TCP with all options."""

DATA_OCTETS = 500
"""Mean MSDU of a bulk transfer at least."""

RATIO = (0.3, 1.2)
"""ACKs per segment: every second one, or each, and some repeated."""

MIN_PACKETS = 50
"""Fewest ACKs by which it is told."""
