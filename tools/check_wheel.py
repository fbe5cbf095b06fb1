"""Checks a wheel: its version and ABI, what must be in it, and what must not."""

import re
import sys
import zipfile
from pathlib import Path

NEEDED = (
    r"winf_analyzer/__init__\.py",
    r"winf_analyzer/_core\.abi3\.so",
    r"winf_analyzer/_core\.pyi",
    r"winf_analyzer/py\.typed",
    r"winf_analyzer/queries/\w+\.sql",
    r"winf_analyzer/findings/\w+\.sql",
    r"winf_analyzer/reports/panels\.toml",
    r"winf_analyzer/reports/report\.html\.j2",
    r"winf_analyzer/reports/style\.css",
    r"winf_analyzer/reports/js/\w+\.js",
    r"winf_analyzer/_names/vendors\.txt\.gz",
    r"winf_analyzer/sample_captures/ns3_sniffer/recording/sniffer\.pcap",
    r"winf_analyzer-[\d.]+\.dist-info/licenses/LICENSE",
)
UNWANTED = r".*\.rs|.*/Cargo\.toml|.*/tests?/.*|.*/__pycache__/.*|(?!winf_analyzer[/-]).*"
NAME = re.compile(r"winf_analyzer-(?P<version>[^-]+)-cp311-abi3-(?P<platform>.*linux.*)\.whl")


def problems(wheel: Path, version: str) -> list[str]:
    """One sentence for each thing that is wrong."""
    name = NAME.fullmatch(wheel.name)
    if name is None:
        return [f"{wheel.name}: not a wheel of winf_analyzer with the stable ABI of Python 3.11 for Linux."]
    found = [] if name["version"] == version else [f"{wheel.name}: version {name['version']}, not {version}."]
    with zipfile.ZipFile(wheel) as archive:
        files = [entry for entry in archive.namelist() if not entry.endswith("/")]
        metadata = archive.read(f"winf_analyzer-{name['version']}.dist-info/METADATA").decode()
    found += [
        f"nothing like {pattern} is in it." for pattern in NEEDED if not any(re.fullmatch(pattern, f) for f in files)
    ]
    found += [f"{file} should not be in it." for file in files if re.fullmatch(UNWANTED, file)]
    if f"\nVersion: {name['version']}\n" not in metadata:
        found.append("the version in METADATA is another one.")
    return found


if __name__ == "__main__":
    wanted, *wheels = sys.argv[1:]
    if len(wheels) != 1:
        sys.exit(f"one wheel is expected, there are {len(wheels)}.")
    if said := problems(Path(wheels[0]), wanted):
        sys.exit("\n".join(said))
