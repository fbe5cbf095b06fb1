"""Whether the tests notice it when an item of the papers is broken: `make mutants`.

The register (`winf_analyzer/_papers/register`) declares mutants: a passage of the code, what replaces it, and the tests
of which at least one must fail. All mutants of the engine are compiled into one build of a copy of the tree, where each
replaced expression asks at run time which mutant is wanted; those of Python change the copy one after the other.

Outcomes are kept in `target/mutants/outcomes.json`, each with a hash of the mutant, the file that it changes and the
files of its tests. A mutant that was noticed is not run again while these stay as they are.

    tools/mutants.py                 every mutant without a current outcome
    tools/mutants.py wcp-threshold   only those named
    tools/mutants.py --seconds 300   begin none after that time; the next call goes on
    tools/mutants.py --again         also those with a current outcome
    tools/mutants.py --list          their names, what they break, and their outcomes
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from winf_analyzer._papers import Mutant, mutants  # noqa: E402

WORK = ROOT / "target" / "mutants"
TREE = WORK / "tree"
OUTCOMES = WORK / "outcomes.json"
VARIABLE = "WINF_MUTANT"
MAX_SECONDS = 120
"""A test that takes longer under a mutant has noticed it."""

ASKING = f"""
/// Whether this mutant is wanted.
#[doc(hidden)]
pub fn is_mutant(name: &str) -> bool {{
    static WANTED: std::sync::OnceLock<Option<String>> = std::sync::OnceLock::new();
    WANTED.get_or_init(|| std::env::var("{VARIABLE}").ok()).as_deref() == Some(name)
}}
"""


def main() -> int:
    """Run the mutants that are asked for; survivors, and mutants that were not run, make the exit code 1."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="mutants to run; all without")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin no mutant after so many seconds")
    parser.add_argument("--again", action="store_true", help="run those with a current outcome too")
    parser.add_argument("--list", action="store_true", help="print names, what each breaks, and current outcomes")
    arguments = parser.parse_args()
    chosen = [mutant for mutant in mutants() if not arguments.names or mutant.name in arguments.names]
    if unknown := set(arguments.names) - {mutant.name for mutant in chosen}:
        parser.error(f"no mutant {', '.join(sorted(unknown))}")
    kept = Outcomes({} if arguments.again else _read(OUTCOMES))
    if arguments.list:
        for mutant in chosen:
            change = f"{mutant.original} -> {mutant.mutated}   ({', '.join(mutant.items)})"
            print(f"{mutant.name:34} {kept.of(mutant) or 'not run':8}  {change}")
        return 0
    return run(chosen, kept, time.monotonic() + arguments.seconds)


class Outcomes:
    """What became of each mutant, as long as its file and its tests stay as they were."""

    def __init__(self, kept: dict[str, dict[str, str]]) -> None:
        self.kept = kept

    def of(self, mutant: Mutant) -> str | None:
        """`noticed`, `SURVIVED`, or None without a current outcome."""
        found = self.kept.get(mutant.name, {})
        return found["outcome"] if found.get("key") == key(mutant) else None

    def keep(self, mutant: Mutant, outcome: str) -> None:
        """Written at once, whole or not at all."""
        self.kept[mutant.name] = {"key": key(mutant), "outcome": outcome}
        part = OUTCOMES.with_suffix(".part")
        part.write_text(json.dumps(dict(sorted(self.kept.items())), indent=1), encoding="utf-8")
        part.replace(OUTCOMES)


def key(mutant: Mutant) -> str:
    """A hash of the mutant, the file that it changes and the files of its tests."""
    files = sorted({mutant.file, *(test.partition("::")[0] for test in mutant.tests)})
    parts = [repr(mutant).encode(), *((ROOT / name).read_bytes() for name in files)]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


def _read(path: Path) -> dict[str, dict[str, str]]:
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def run(chosen: Sequence[Mutant], kept: Outcomes, until: float) -> int:
    """Make the copy, run the tests of every mutant without and with it, and say which survived."""
    wanted = [mutant for mutant in chosen if kept.of(mutant) != "noticed"]
    rust = [mutant for mutant in mutants() if mutant.file.endswith(".rs")]
    if wanted:
        copy_tree(with_mutants(rust))
    programs = build() if any(mutant in rust for mutant in wanted) else {}
    for mutant in wanted:
        if time.monotonic() > until:
            break
        noticed = rust_notices(mutant, programs) if mutant in rust else python_notices(mutant)
        outcome = "noticed" if noticed else "SURVIVED"
        kept.keep(mutant, outcome)
        print(f"{outcome:8}  {mutant.name}", flush=True)
    outcomes = [kept.of(mutant) for mutant in chosen]
    survived, missing = outcomes.count("SURVIVED"), outcomes.count(None)
    print(f"{len(chosen)} mutants, {survived} survived, {missing} not run")
    return 1 if survived or missing else 0


def copy_tree(instead: Mapping[str, str]) -> None:
    """The tracked and new files of the repository, and the native module; only what changed is written.

    Files in `instead` get that text.
    """
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    names = [name for name in listed.stdout.decode().split("\0") if name]
    names += [str(path.relative_to(ROOT)) for path in (ROOT / "winf_analyzer").glob("_core*.so")]
    wanted = {TREE / name for name in names}
    for name in names:
        source, target = ROOT / name, TREE / name
        if not source.exists() and not source.is_symlink():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_symlink():
            target.unlink(missing_ok=True)
            target.symlink_to(source.readlink())
            continue
        content = instead[name].encode() if name in instead else source.read_bytes()
        if not target.is_file() or target.read_bytes() != content:
            target.write_bytes(content)
    for path in TREE.rglob("*"):
        if path.is_file() and path not in wanted and "__pycache__" not in path.parts and not path.is_symlink():
            path.unlink()


def with_mutants(rust: Iterable[Mutant]) -> dict[str, str]:
    """The files of the engine with every mutant in them."""
    lines: dict[tuple[str, str], str] = {}
    for mutant in rust:
        line = lines.get((mutant.file, mutant.line), mutant.line)
        if line.count(mutant.original) != 1:
            raise SystemExit(f"{mutant.name}: {mutant.original!r} is not alone in {line!r}")
        asking = f'(if crate::is_mutant("{mutant.name}") {{ {mutant.mutated} }} else {{ {mutant.original} }})'
        lines[mutant.file, mutant.line] = line.replace(mutant.original, asking)
    library = "engine/src/lib.rs"
    changed = {name: (ROOT / name).read_text(encoding="utf-8") for name in (library, *(file for file, _ in lines))}
    for (file, line), asking in lines.items():
        changed[file] = changed[file].replace(line, asking, 1)
    changed[library] = f"#![allow(warnings)]\n{changed[library]}{ASKING}"
    return changed


def build() -> dict[str, str]:
    """Test programs of the copy: `lib` and the names of integration tests, with their paths."""
    command = ["cargo", "test", "--package", "winf-engine", "--locked", "--no-run"]
    command += ["--message-format", "json-render-diagnostics"]
    environment = os.environ | {"CARGO_TARGET_DIR": str(WORK / "build")}
    done = subprocess.run(command, cwd=TREE, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    programs = {}
    for message in map(json.loads, done.stdout.splitlines()):
        if message.get("executable") and message.get("profile", {}).get("test"):
            kind, name = message["target"]["kind"][0], message["target"]["name"]
            programs["lib" if kind == "lib" else name] = message["executable"]
    return programs


def rust_notices(mutant: Mutant, programs: dict[str, str]) -> bool:
    """Whether one of the mutant's tests fails with it. All must pass without it."""
    by_program: dict[str, list[str]] = defaultdict(list)
    for test in mutant.tests:
        path, _, name = test.partition("::")
        by_program["lib" if path.startswith("engine/src/") else _program(path)].append(name)
    if any(_rust_fails((programs[name], *tests), None) for name, tests in by_program.items()):
        raise SystemExit(f"{mutant.name}: its tests fail without it")
    return any(_rust_fails((programs[name], *tests), mutant.name) for name, tests in by_program.items())


def _program(path: str) -> str:
    """The name of the integration test that a file below `engine/tests` belongs to."""
    return Path(path).relative_to("engine/tests").with_suffix("").parts[0]


@cache
def _rust_fails(command: tuple[str, ...], mutant: str | None) -> bool:
    """`command` is a program and the tests to run."""
    tests = len(command) - 1
    environment = {name: value for name, value in os.environ.items() if name != VARIABLE}
    environment |= {VARIABLE: mutant} if mutant else {}
    try:
        done = subprocess.run(
            command,
            cwd=TREE / "engine",
            env=environment,
            capture_output=True,
            text=True,
            timeout=MAX_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return True
    ran = re.search(r"running (\d+) test", done.stdout)
    if ran is None or int(ran[1]) < tests:
        raise SystemExit(f"{' '.join(command)}: {tests} tests were expected\n{done.stdout}{done.stderr}")
    return done.returncode != 0


def python_notices(mutant: Mutant) -> bool:
    """Whether one of the mutant's tests fails with it. All must pass without it."""
    path = TREE / mutant.file
    text = path.read_text(encoding="utf-8")
    if not _python_passes(mutant.tests):
        raise SystemExit(f"{mutant.name}: its tests fail without it")
    path.write_text(
        text.replace(mutant.line, mutant.line.replace(mutant.original, mutant.mutated), 1), encoding="utf-8"
    )
    try:
        return _python_fails(mutant.tests)
    finally:
        path.write_text(text, encoding="utf-8")


@cache
def _python_passes(tests: tuple[str, ...]) -> bool:
    """Without a mutant."""
    return not _python_fails(tests)


def _python_fails(tests: Sequence[str]) -> bool:
    command = [sys.executable, "-B", "-m", "pytest", "-q", "-x", "-m", "", "-p", "no:cacheprovider", *tests]
    try:
        done = subprocess.run(
            command,
            cwd=TREE,
            env=os.environ | {"PYTHONPATH": str(TREE)},
            capture_output=True,
            text=True,
            timeout=MAX_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return True
    if done.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.returncode == 1


if __name__ == "__main__":
    sys.exit(main())
