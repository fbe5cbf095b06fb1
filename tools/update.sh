#!/usr/bin/env bash
# Moves everything that is pinned to the newest versions that the manifests allow: Cargo.lock, fuzz/Cargo.lock,
# constraints.txt, docs/licences.md, tests/docs/requirements.txt. Look at the difference, run the tests, and commit it on its own.
set -euo pipefail
cd "$(dirname "$0")/.."
fresh=$(mktemp -d)
trap 'rm -rf "$fresh"' EXIT

cargo update
cargo update --manifest-path fuzz/Cargo.toml

"${PYTHON:-python3}" -m venv "$fresh"
"$fresh/bin/python" - > "$fresh/requirements.txt" <<'END'
import tomllib
from pathlib import Path

project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]
extras = [requirement for extra in project["optional-dependencies"].values() for requirement in extra]
print(*project["dependencies"], *(text for text in extras if not text.startswith(project["name"])), sep="\n")
END
"$fresh/bin/python" -m pip install --quiet --disable-pip-version-check --requirement "$fresh/requirements.txt"
"$fresh/bin/python" -m pip freeze --disable-pip-version-check > constraints.txt
"$fresh/bin/python" tools/licences.py

# What docs/opening.md opens a dataset with; not distributed, and no dependency.
"${PYTHON:-python3}" -m venv --clear "$fresh"
"$fresh/bin/python" -m pip install --quiet --disable-pip-version-check pandas pyarrow pyspark
"$fresh/bin/python" -m pip freeze --disable-pip-version-check > tests/docs/requirements.txt
git --no-pager diff --stat
