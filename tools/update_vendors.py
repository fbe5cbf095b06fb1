"""Make the list of vendors, `winf_analyzer/_names/vendors.txt.gz`, from the data of the PyPI package aiooui (MIT).

    pip download --no-deps aiooui && tools/update_vendors.py aiooui-*.whl 2026-09

The data of the package is made from the registry of the IEEE (MA-L). The second argument is the month in which the
package was published; it is written into the list.
"""

from __future__ import annotations

import gzip
import re
import struct
import sys
import zipfile
from pathlib import Path

TARGET = Path(__file__).parents[1] / "winf_analyzer" / "_names" / "vendors.txt.gz"

_SUFFIX = re.compile(
    r"[,.]?\s+(inc|incorporated|co|corp|corporation|company|ltd|limited|llc|gmbh|ag|kg|s\.?a|s\.?p\.?a|s\.?r\.?l|bv|b\.v|ab|as|oy|plc"
    r"|pty|pte|technologies|technology)\.?(?=[\s,.]|$)",
    re.IGNORECASE,
)


def short(name: str) -> str:
    """A name without what says only how a company is organized."""
    name = " ".join("".join(c if c.isprintable() else " " for c in name).split())
    return _SUFFIX.sub("", name).strip(" ,.&") or name


def blocks(data: bytes) -> dict[str, list[str]]:
    """Blocks, six hexadecimal digits each, by name."""
    magic, count = struct.unpack_from("<4sI", data)
    if magic != b"OUI1":
        raise SystemExit("the data of this version of aiooui has another form")
    keys = struct.unpack_from(f"<{count}I", data, 8)
    offsets = struct.unpack_from(f"<{count}I", data, 8 + 4 * count)
    names = data[8 + 8 * count :]
    found: dict[str, list[str]] = {}
    for key, offset in zip(keys, offsets, strict=True):
        found.setdefault(short(names[offset : names.index(b"\n", offset)].decode()), []).append(f"{key:06x}")
    return found


def main() -> None:
    """Write the list."""
    wheel, date = sys.argv[1:]
    with zipfile.ZipFile(wheel) as archive:
        found = blocks(archive.read("aiooui/oui.data"))
    lines = [f"{date}\t{Path(wheel).name.split('-py3')[0]}, from the IEEE registration authority (MA-L)"]
    lines += [f"{name}\t{''.join(sorted(found[name]))}" for name in sorted(found) if name.lower() != "private"]
    TARGET.write_bytes(gzip.compress("\n".join(lines).encode(), 9, mtime=0))
    print(f"{TARGET}: {sum(map(len, found.values()))} blocks of {len(found)} vendors, {TARGET.stat().st_size} bytes")


if __name__ == "__main__":
    main()
