#!/usr/bin/env bash
# What finds most mistakes in a few minutes: unit and integration tests of Rust, and the Python tests that are not slow.
set -euo pipefail
cd "$(dirname "$0")/.."
"${CARGO:-cargo}" test --workspace --lib --tests --locked --quiet
exec .venv/bin/pytest -n auto --dist worksteal -m "not slow and not nightly" --hypothesis-profile check "$@"
