"""The release check looks into a wheel and tells what is wrong with it."""

from __future__ import annotations

import runpy
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
problems = runpy.run_path(str(ROOT / "tools" / "check_wheel.py"))["problems"]

NAME = "winf_analyzer-1.2.3-cp311-abi3-manylinux_2_28_x86_64.whl"
METADATA = "winf_analyzer-1.2.3.dist-info/METADATA"
WHOLE = {
    "winf_analyzer/__init__.py": "",
    "winf_analyzer/_core.abi3.so": "",
    "winf_analyzer/_core.pyi": "",
    "winf_analyzer/py.typed": "",
    "winf_analyzer/queries/totals.sql": "",
    "winf_analyzer/reports/panels.toml": "",
    "winf_analyzer/reports/report.html.j2": "",
    "winf_analyzer/reports/style.css": "",
    "winf_analyzer/findings/rate_anomaly.sql": "",
    "winf_analyzer/reports/js/page.js": "",
    "winf_analyzer/_names/vendors.txt.gz": "",
    "winf_analyzer/sample_captures/ns3_sniffer/recording/sniffer.pcap": "",
    "winf_analyzer-1.2.3.dist-info/licenses/LICENSE": "",
    METADATA: "Metadata-Version: 2.4\nName: winf-analyzer\nVersion: 1.2.3\n",
}


def wheel(folder: Path, files: dict[str, str], name: str = NAME) -> Path:
    with zipfile.ZipFile(folder / name, "w") as archive:
        for path, content in files.items():
            archive.writestr(path, content)
    return folder / name


def test_a_whole_wheel(tmp_path):
    assert problems(wheel(tmp_path, WHOLE), "1.2.3") == []


@pytest.mark.parametrize("path", [path for path in WHOLE if path != METADATA])
def test_what_is_missing_is_told(tmp_path, path):
    (said,) = problems(wheel(tmp_path, {name: text for name, text in WHOLE.items() if name != path}), "1.2.3")
    assert said.endswith("is in it.")


@pytest.mark.parametrize(
    "path", ["winf_analyzer/src/lib.rs", "queries/totals.sql", "winf_analyzer/tests/test_a.py", "tests/test_a.py"]
)
def test_what_does_not_belong_is_told(tmp_path, path):
    assert problems(wheel(tmp_path, WHOLE | {path: ""}), "1.2.3") == [f"{path} should not be in it."]


def test_another_version_is_told(tmp_path):
    assert problems(wheel(tmp_path, WHOLE), "1.2.4") == [f"{NAME}: version 1.2.3, not 1.2.4."]
    changed = WHOLE | {METADATA: "Metadata-Version: 2.4\nName: winf-analyzer\nVersion: 1.2.2\n"}
    assert problems(wheel(tmp_path, changed), "1.2.3") == ["the version in METADATA is another one."]


@pytest.mark.parametrize(
    "name", ["winf_analyzer-1.2.3-cp311-cp311-linux_x86_64.whl", "other-1.2.3-cp311-abi3-linux.whl"]
)
def test_a_wheel_of_another_kind_is_told(tmp_path, name):
    assert "not a wheel of winf_analyzer" in problems(wheel(tmp_path, WHOLE, name), "1.2.3")[0]
