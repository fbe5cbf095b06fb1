#!/usr/bin/env bash
# Formatting, clippy, ruff, types, and the native module's stub.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo=${CARGO:-cargo}
for component in clippy rustfmt; do
    "$cargo" "${component/rustfmt/fmt}" --version >/dev/null 2>&1 ||
        { echo "make lint needs $component, which this Rust lacks: rustup component add $component" >&2; exit 1; }
done
"$cargo" fmt --all --check
"$cargo" clippy --workspace --all-targets --locked --quiet -- -D warnings
.venv/bin/ruff format --quiet --check .
.venv/bin/ruff check --quiet .
.venv/bin/mypy --no-error-summary
.venv/bin/python -m mypy.stubtest winf_analyzer._core
.venv/bin/python tools/check_files.py
.venv/bin/python tools/check_changes.py
