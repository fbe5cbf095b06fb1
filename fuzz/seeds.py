"""Make the seed corpora in fuzz/corpus from the project's own samples: small pieces of every format."""

import gzip
import lzma
import struct
from itertools import islice
from pathlib import Path

HERE = Path(__file__).resolve().parent
SAMPLES = HERE.parent / "sample_captures"
FILE_BYTES = 4096
RECORDS = 40
ENCAPSULATIONS = {105: 0, 127: 1}


def main():
    """Write every corpus."""
    captures = [path for path in sorted(SAMPLES.glob("*/recording/*")) if path.suffix == ".pcap"]
    traces = [path for path in sorted(SAMPLES.glob("*/recording/*")) if path.suffix == ".tr"]
    for path in captures:
        octets = path.read_bytes()[:FILE_BYTES]
        name = f"{path.parent.parent.name}-{path.stem}"
        files = {"pcap": octets, "pcapng": pcapng(octets)}
        for kind, content in files.items():
            for target in ("capture", "recording"):
                save(target, f"{name}.{kind}", content)
            save("compressed", f"{name}.{kind}.gz", gzip.compress(content))
            save("compressed", f"{name}.{kind}.xz", lzma.compress(content))
        link_type = struct.unpack_from("<I", octets, 20)[0]
        for number, record in enumerate(islice(records(octets), RECORDS)):
            save("link", f"{name}-{number}", bytes([ENCAPSULATIONS[link_type]]) + record)
            if link_type == 127:
                length = struct.unpack_from("<H", record, 2)[0]
                save("radiotap", f"{name}-{number}", record[:length])
                save("dot11", f"{name}-{number}", b"\0" + record[length:])
    for path in traces:
        octets = path.read_bytes()[:FILE_BYTES]
        for target in (path.parent.parent.name[:3], "recording"):
            save(target, path.name, octets)
        save("compressed", f"{path.name}.gz", gzip.compress(octets))


def records(capture):
    """The whole records of a little-endian pcap file."""
    at = 24
    while at + 16 <= len(capture):
        length = struct.unpack_from("<I", capture, at + 8)[0]
        if at + 16 + length > len(capture):
            return
        yield capture[at + 16 : at + 16 + length]
        at += 16 + length


def pcapng(capture):
    """The same capture in the other container."""

    def block(kind, content):
        content += bytes(-len(content) % 4)
        length = struct.pack("<I", 12 + len(content))
        return struct.pack("<I", kind) + length + content + length

    link_type = struct.unpack_from("<I", capture, 20)[0]
    options = struct.pack("<HHB3xHHq", 9, 1, 9, 14, 8, 0) + struct.pack("<HH", 0, 0)
    parts = [
        block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1)),
        block(1, struct.pack("<HHI", link_type, 0, 0) + options),
    ]
    for number, record in enumerate(records(capture)):
        head = struct.pack("<IIIII", 0, 0, 1000 * number, len(record), len(record))
        parts.append(block(6, head + record))
    return b"".join(parts)


def save(target, name, content):
    """Write one seed."""
    folder = HERE / "corpus" / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(content)


main()
