"""Databases of Kismet (SQLite, table ``packets``), as the captures that they hold.

Layout: https://www.kismetwireless.net/docs/dev/kismetdb/. Packets of other radios than 802.11 are left out. A capture
has an interface for each data source and link type, so that every radio has a clock of its own. SHA-256 and length in
the provenance are those of that capture. How long a packet was that Kismet cut, databases say from version 9 on.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from winf_analyzer._util.errors import UnusableInput

MAGIC = b"SQLite format 3\0"

MAX_PACKET_BYTES = 256 << 10
"""libpcap's limit; longer values are damage."""

_SECTION, _INTERFACE, _PACKET = 0x0A0D0D0A, 1, 6
_PACKETS = """
/* LINKTYPE_ numbers of 802.11 */
select ts_sec, ts_usec, dlt, coalesce(datasource, ''), packet, {length} from packets
where dlt in (105, 119, 127, 163, 192) and typeof(packet) = 'blob' order by ts_sec, ts_usec, rowid
"""


def is_database(path: Path) -> bool:
    """Whether a file is an SQLite database."""
    with path.open("rb") as file:
        return file.read(len(MAGIC)) == MAGIC


def write_capture(database: Path, capture: BinaryIO) -> None:
    """Write the packets of a database as pcapng.

    Raises:
        UnusableInput: it is damaged, not Kismet's, or holds no 802.11 packet.
    """
    import sqlite3  # slow to import, and most recordings are no databases

    capture.write(_block(_SECTION, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1)))
    interfaces: dict[tuple[int, str], int] = {}
    try:
        for seconds, microseconds, link_type, source, packet, length in _packets(database):
            radio = link_type, source
            if radio not in interfaces:
                interfaces[radio] = len(interfaces)
                capture.write(_block(_INTERFACE, struct.pack("<HHI", link_type, 0, 0)))
            stamp = seconds * 1_000_000 + microseconds
            head = struct.pack("<IIIII", interfaces[radio], stamp >> 32, stamp & 0xFFFFFFFF, len(packet), length)
            capture.write(_block(_PACKET, head + packet + bytes(-len(packet) % 4)))
    except (sqlite3.Error, UnicodeDecodeError) as error:  # its message quotes the damaged schema
        raise UnusableInput(f"{database}: no database of Kismet that can be read ({error}).") from None
    if not interfaces:
        raise UnusableInput(f"{database}: this database of Kismet holds no 802.11 packet.")


def _packets(database: Path) -> Iterator[tuple[int, int, int, str, bytes, int]]:
    """Seconds, microseconds, link type, data source, octets and length on the air of every packet that is one."""
    import sqlite3

    connection = sqlite3.connect(f"{database.resolve().as_uri()}?mode=ro&immutable=1", uri=True)
    try:
        connection.text_factory = lambda octets: octets.decode("utf-8", "replace")
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 4 * MAX_PACKET_BYTES)
        connection.execute("pragma trusted_schema = off")
        columns = {name for _, name, *_ in connection.execute("pragma table_info(packets)")}
        length = "packet_full_len" if "packet_full_len" in columns else "null"
        for *row, full in connection.execute(_PACKETS.format(length=length)):
            seconds, microseconds, link_type, source, packet = row
            is_time = all(isinstance(part, int) and 0 <= part < 1 << 40 for part in (seconds, microseconds))
            if is_time and len(packet) <= MAX_PACKET_BYTES:
                is_cut = isinstance(full, int) and len(packet) < full <= MAX_PACKET_BYTES
                yield seconds, microseconds, link_type, source, packet, full if is_cut else len(packet)
    finally:
        connection.close()


def _block(kind: int, content: bytes) -> bytes:
    """A pcapng block; its content is a multiple of four octets long."""
    length = struct.pack("<I", 12 + len(content))
    return struct.pack("<I", kind) + length + content + length
