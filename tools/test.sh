#!/usr/bin/env bash
# Every test but the nightly ones: Rust, then Python with the command line and the report in a browser.
set -euo pipefail
cd "$(dirname "$0")/.."
tools/install_test_tools.sh
"${CARGO:-cargo}" test --workspace --locked --quiet
exec .venv/bin/pytest -n auto --dist worksteal "$@"
