#!/usr/bin/env bash
# Rehearses a release on this machine: everything but the tag, the wheel of the other platform and the upload.
# docs/releasing.md has the recipe. PYTHON is the interpreter that users would have; VENV has the development packages.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
venv=${VENV:-.venv}
bin=$(cd "$venv/bin" && pwd)
python=${PYTHON:-python3}
export PATH="$bin:$PATH" PIP_DISABLE_PIP_VERSION_CHECK=1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

step() { printf '\n== %s\n' "$*"; }
fail() { printf 'release-check: %s\n' "$*" >&2; exit 1; }

step "The tree is clean"
changed=$(git status --porcelain)
[ -z "$changed" ] || fail "not committed:"$'\n'"$changed"

step "One version"
version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"$/\1/p' Cargo.toml)
[ -n "$version" ] || fail "Cargo.toml has no version in [workspace.package]"
cargo metadata --no-deps --format-version 1 --locked |
    VERSION=$version python -c '
import json, os, sys
other = {p["name"]: p["version"] for p in json.load(sys.stdin)["packages"] if p["version"] != os.environ["VERSION"]}
sys.exit(f"release-check: crates of another version: {other}" if other else None)'
echo "$version"

step "The changelog"
python tools/check_changes.py
fragments=$(find changes -name '*.*.md' ! -name README.md | wc -l)
if [ "$fragments" -gt 0 ]; then
    towncrier build --draft --version "$version" 2>/dev/null
    echo "$fragments fragments are still to be joined before the tag: towncrier build --version $version"
else
    grep -q "^## $version\( \|$\)" CHANGELOG.md || fail "CHANGELOG.md has no section '## $version'"
fi

step "Licences"
python -m pip install --quiet --constraint constraints.txt ray  # of the extra: pinned, but not needed by the tests
python tools/licences.py --check

step "The fuzz targets compile"
cargo check --locked --quiet --manifest-path fuzz/Cargo.toml

step "The sdist, and the wheel made of nothing but the sdist"
maturin sdist --out "$work/dist" 2>"$work/sdist.log" || fail "$(cat "$work/sdist.log")"
tar -xzf "$work"/dist/*.tar.gz -C "$work"
source=$(find "$work" -mindepth 1 -maxdepth 1 -type d -name "winf_analyzer-$version")
[ -d "$source" ] || fail "the sdist is not of version $version: $(ls "$work/dist")"
left_out=$(git ls-files Cargo.toml Cargo.lock LICENSE README.md '*/Cargo.toml' '*/build.rs' '*/src/*.rs' \
    'winf_analyzer/*.py' 'winf_analyzer/_schema/tables/*' ':!fuzz' |
    while read -r file; do [ -f "$source/$file" ] || echo "$file"; done)
[ -z "$left_out" ] || fail "the sdist lacks:"$'\n'"$left_out"
# The archive's files are of a fixed, early date: without a new one, and in the checkout's own target folder, Cargo takes
# the crates for unchanged and puts older code into the wheel.
find "$source" -type f -exec touch {} +
(cd "$source" && CARGO_TARGET_DIR="${SDIST_TARGET_DIR:-$root/target/sdist}" maturin build --release --locked --quiet --out "$work/dist")
ls -l "$work/dist"

step "What the wheel holds"
python tools/check_wheel.py "$version" "$work"/dist/*.whl

step "The wheel in a fresh environment"
"$python" -m venv "$work/fresh"
"$work/fresh/bin/python" -m pip install --quiet --constraint constraints.txt "$work"/dist/*.whl
"$work/fresh/bin/python" -m pip check
cd "$work"
said=$(fresh/bin/winf --version)
[[ $said == *"$version"* ]] || fail "winf --version says: $said"
fresh/bin/winf demo -o demo
[ -s demo/report.html ] || fail "winf demo made no report"

step "Rehearsed for $(uname -m): $version"
echo "Not rehearsed here: the wheels of other platforms (.github/workflows/wheels.yml builds and runs them) and the upload."
