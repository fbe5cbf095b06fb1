"""Whether the tests notice it when an item of the papers is broken: `make mutants`.

The register (`winf_analyzer/_papers/register`) declares mutants: a passage of the code, what replaces it, and the tests
of which at least one must fail. All mutants of the engine are compiled into one build of a copy of the tree, where each
replaced expression asks at run time which mutant is wanted; those of Python change the copy one after the other.

    tools/mutants.py                 every mutant
    tools/mutants.py wcp-threshold   only those named
    tools/mutants.py --list          their names and what they break
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from winf_analyzer._papers import Mutant, mutants  # noqa: E402

WORK = ROOT / "target" / "mutants"
TREE = WORK / "tree"
VARIABLE = "WINF_MUTANT"
MOST_SECONDS = 120
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
    """Run the mutants that are asked for; the number of survivors is printed, and makes the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="mutants to run; all without")
    parser.add_argument("--list", action="store_true", help="print the names, and what each breaks")
    arguments = parser.parse_args()
    chosen = [mutant for mutant in mutants() if not arguments.names or mutant.name in arguments.names]
    if unknown := set(arguments.names) - {mutant.name for mutant in chosen}:
        parser.error(f"no mutant {', '.join(sorted(unknown))}")
    if arguments.list:
        for mutant in chosen:
            print(f"{mutant.name:34} {mutant.original} -> {mutant.mutated}   ({', '.join(mutant.items)})")
        return 0
    return run(chosen)


def run(chosen: Sequence[Mutant]) -> int:
    """Make the copy, run every mutant's tests without and with it, and say which survived."""
    copy_tree()
    survivors = []
    rust = [mutant for mutant in chosen if mutant.file.endswith(".rs")]
    programs = build(rust) if rust else {}
    for mutant in chosen:
        noticed = rust_notices(mutant, programs) if mutant in rust else python_notices(mutant)
        print(f"{'noticed ' if noticed else 'SURVIVED'}  {mutant.name}", flush=True)
        if not noticed:
            survivors.append(mutant)
    print(f"{len(chosen)} mutants, {len(survivors)} survived")
    return 1 if survivors else 0


def copy_tree() -> None:
    """The tracked and new files of the repository, and the native module; only what changed is written."""
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
        elif not target.is_file() or target.read_bytes() != source.read_bytes():
            shutil.copyfile(source, target)
    for path in TREE.rglob("*"):
        if path.is_file() and path not in wanted and "__pycache__" not in path.parts and not path.is_symlink():
            path.unlink()


def build(rust: Iterable[Mutant]) -> dict[str, str]:
    """Test programs with every mutant in them: `lib` and the names of integration tests, with their paths."""
    lines: dict[tuple[str, str], str] = {}
    for mutant in rust:
        line = lines.get((mutant.file, mutant.line), mutant.line)
        if line.count(mutant.original) != 1:
            raise SystemExit(f"{mutant.name}: {mutant.original!r} is not alone in {line!r}")
        asking = f'(if crate::is_mutant("{mutant.name}") {{ {mutant.mutated} }} else {{ {mutant.original} }})'
        lines[mutant.file, mutant.line] = line.replace(mutant.original, asking)
    changed: dict[str, str] = {}
    for (file, line), asking in lines.items():
        text = changed.get(file) or (TREE / file).read_text(encoding="utf-8")
        changed[file] = text.replace(line, asking, 1)
    library = "engine/src/lib.rs"
    text = changed.get(library) or (TREE / library).read_text(encoding="utf-8")
    changed[library] = f"#![allow(warnings)]\n{text}{ASKING}"
    for name, text in changed.items():
        (TREE / name).write_text(text, encoding="utf-8")
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
    if any(_rust_fails([programs[name], *tests], None, len(tests)) for name, tests in by_program.items()):
        raise SystemExit(f"{mutant.name}: its tests fail without it")
    return any(_rust_fails([programs[name], *tests], mutant.name, len(tests)) for name, tests in by_program.items())


def _program(path: str) -> str:
    """The name of the integration test that a file below `engine/tests` belongs to."""
    return Path(path).relative_to("engine/tests").with_suffix("").parts[0]


def _rust_fails(command: list[str], mutant: str | None, tests: int) -> bool:
    environment = {name: value for name, value in os.environ.items() if name != VARIABLE}
    environment |= {VARIABLE: mutant} if mutant else {}
    try:
        done = subprocess.run(
            command,
            cwd=TREE / "engine",
            env=environment,
            capture_output=True,
            text=True,
            timeout=MOST_SECONDS,
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
    if _python_fails(mutant.tests):
        raise SystemExit(f"{mutant.name}: its tests fail without it")
    path.write_text(
        text.replace(mutant.line, mutant.line.replace(mutant.original, mutant.mutated), 1), encoding="utf-8"
    )
    try:
        return _python_fails(mutant.tests)
    finally:
        path.write_text(text, encoding="utf-8")


def _python_fails(tests: Sequence[str]) -> bool:
    command = [sys.executable, "-B", "-m", "pytest", "-q", "-x", "-m", "", "-p", "no:cacheprovider", *tests]
    try:
        done = subprocess.run(
            command,
            cwd=TREE,
            env=os.environ | {"PYTHONPATH": str(TREE)},
            capture_output=True,
            text=True,
            timeout=MOST_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return True
    if done.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.returncode == 1


if __name__ == "__main__":
    sys.exit(main())
