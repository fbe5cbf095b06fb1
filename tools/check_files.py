"""Checks files before they are committed: size, trailing blanks, the last newline, marks of an unfinished merge.

Without names it checks every file that git tracks.
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MAX_BYTES = 500_000
LARGER = {
    "sample_captures/ns3_sniffer/recording/sniffer.pcap",
    "sample_captures/ns3_sniffer/truth_transmissions.csv",
}
"""The sample of the demo and its truth; every other sample stays below."""

TEXT = {".cc", ".css", ".h", ".j2", ".js", ".json", ".md", ".py", ".pyi"}
TEXT |= {".rs", ".sh", ".sql", ".tcl", ".toml", ".txt", ".yaml", ".yml"}
BLANKS_MATTER = {".rs"}
"""rustfmt takes trailing blanks away where they may go; inside of literals they are meant."""

MERGE = re.compile(r"^(<{7}|>{7}) ", re.MULTILINE)
BLANKS = re.compile(r"[ \t]+$", re.MULTILINE)


def problems(name: str, root: Path = ROOT) -> list[str]:
    """One sentence for each thing that is wrong with a file, named from the root of the repository."""
    path = root / name
    if path.is_symlink() or not path.is_file():
        return []
    found = []
    if (size := path.stat().st_size) > MAX_BYTES and name not in LARGER:
        found.append(f"{name}: {size} bytes; files have at most {MAX_BYTES}. Cut the sample, or make it in a test.")
    if path.suffix not in TEXT:
        return found
    text = path.read_text(encoding="utf-8")
    if path.suffix not in BLANKS_MATTER and (blank := BLANKS.search(text)):
        found.append(f"{name}:{text.count(chr(10), 0, blank.start()) + 1}: blanks at the end of the line.")
    if text and not text.endswith("\n"):
        found.append(f"{name}: no newline at the end.")
    if mark := MERGE.search(text):
        found.append(f"{name}:{text.count(chr(10), 0, mark.start()) + 1}: a merge that is not finished.")
    return found


def tracked() -> list[str]:
    """Every file of the repository."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return listed.split("\0")[:-1]


if __name__ == "__main__":
    if said := [sentence for name in sys.argv[1:] or tracked() for sentence in problems(name)]:
        sys.exit("\n".join(said))
