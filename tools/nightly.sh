#!/usr/bin/env bash
# What takes hours of one core: every octet of every sample damaged, long properties, wheel, conformance, fuzzing.
set -euo pipefail
cd "$(dirname "$0")/.."
tools/install_test_tools.sh
tools/other_programs.sh --all
"${CARGO:-cargo}" test --workspace --locked --quiet -- --ignored
.venv/bin/pytest -n auto --dist worksteal -m "" --hypothesis-profile nightly
.venv/bin/python -m tests.conformance
.venv/bin/python tools/mutants.py --again
if pkg-config --exists ns3-wifi 2>/dev/null; then
    .venv/bin/python -m benchmarks.findings --check
else
    echo "Findings not compared with docs/findings.md: that needs ns-3 (Debian 12: apt install libns3-dev libgsl-dev g++)."
fi
make wheel
if command -v cargo-fuzz >/dev/null && rustup toolchain list | grep -q nightly; then
    fuzz/run.sh 300
else
    echo "Not fuzzed: that needs a nightly Rust and cargo-fuzz (cargo install cargo-fuzz)."
fi
