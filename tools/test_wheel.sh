#!/usr/bin/env bash
# The Python tests against the wheel in dist/, in an environment of its own and away from the source tree.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
environment=$(mktemp -d)
trap 'rm -rf "$environment"' EXIT
"${PYTHON:-python3}" -m venv "$environment/venv"
"$environment/venv/bin/python" -m pip install --quiet --disable-pip-version-check --constraint constraints.txt \
    dist/*.whl pytest pytest-xdist hypothesis playwright
mkdir "$environment/away"
cd "$environment/away"
"$environment/venv/bin/pytest" --rootdir "$root" -c "$root/pyproject.toml" "$root/tests" -n auto --dist worksteal "$@"
