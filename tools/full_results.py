"""Run studies of the papers at the papers' length and repetitions, and keep what came out: `make reproductions-full`.

Runs go to `build/reproductions-full` and are taken up again there, so a call may be stopped at any time. The package
gets the means and intervals of a finished study, and which quick results they belong to: where these are made again and
differ, the full ones count as made by an earlier version.

    tools/full_results.py                     every study whose full results are missing or of an earlier version
    tools/full_results.py s003-stack s002-*   only these
    tools/full_results.py --seconds 300       begin no study after that time
"""

from __future__ import annotations

import argparse
import sys
import time
from fnmatch import fnmatch
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from winf_analyzer._papers.reproductions._kept import is_current, keep  # noqa: E402
from winf_analyzer._papers.reproductions._run import run_study  # noqa: E402
from winf_analyzer._papers.reproductions._studies import STUDIES  # noqa: E402

RUNS = ROOT / "build" / "reproductions-full"


def main() -> None:
    """Run what is asked for, and say how long each took."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="studies, also with * and ?; all without")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin no study after so many seconds")
    arguments = parser.parse_args()
    RUNS.mkdir(parents=True, exist_ok=True)
    until = time.monotonic() + arguments.seconds
    for study in STUDIES:
        asked = not arguments.names or any(fnmatch(study.name, name) for name in arguments.names)
        if not asked or is_current(study) or time.monotonic() > until:
            continue
        begun = time.process_time()
        outcome = run_study(study, RUNS / f"{study.name}.json", quick=False)
        keep(study, outcome, ROOT / "winf_analyzer" / "_papers" / "results")
        print(f"{study.name}: {time.process_time() - begun:.0f} s of processor time", flush=True)


if __name__ == "__main__":
    main()
