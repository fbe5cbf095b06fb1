"""Makes tests/slow.tsv, the tests that `make check` leaves out, from what every test takes.

    python tools/slow_tests.py            runs every test that is not nightly, and measures (ten minutes)
    python tools/slow_tests.py TIMES...   takes files that `pytest --processor-times` wrote

A test is slow when all its cases together take more than 0.3 s of processor time, on a machine that runs all
tests that are not nightly in some fifteen minutes of it. Of a file with slow tests only, the quickest stays. Properties
are measured with the examples that `make check` gives them.
"""

import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MAX_SECONDS = 0.3


def main(measured: list[Path]) -> None:
    """Write the list."""
    with tempfile.TemporaryDirectory() as folder:
        if not measured:
            measured = [Path(folder) / "times.tsv"]
            run_tests(measured[0])
        lines = [line for path in measured for line in path.read_text(encoding="utf-8").splitlines()]
    slow = slow_tests(lines)
    text = "".join(f"{seconds:.1f}\t{name}\n" for name, seconds in sorted(slow.items()))
    (ROOT / "tests" / "slow.tsv").write_text(text, encoding="utf-8")
    print(f"{len(slow)} slow tests")


def run_tests(times: Path) -> None:
    """Run every test that is not nightly; a failing one is measured as well."""
    pytest = [
        sys.executable,
        "-m",
        "pytest",
        "-n",
        "auto",
        "--dist",
        "worksteal",
        "-q",
        "--hypothesis-profile",
        "check",
        "--processor-times",
        str(times),
    ]
    subprocess.run(pytest, cwd=ROOT, check=False)


def slow_tests(lines: list[str]) -> dict[str, float]:
    """Seconds of each slow test, of all its cases, by name; lines are seconds, a tab and `file::function`."""
    together: dict[str, float] = defaultdict(float)
    for line in lines:
        seconds, name = line.split("\t")
        together[name] += float(seconds)
    quickest: dict[str, float] = {}
    for name, seconds in together.items():
        file = name.split("::")[0]
        quickest[file] = min(seconds, quickest.get(file, seconds))
    return {
        name: seconds
        for name, seconds in together.items()
        if seconds > MAX_SECONDS and seconds > quickest[name.split("::")[0]]
    }


if __name__ == "__main__":
    main([Path(name) for name in sys.argv[1:]])
