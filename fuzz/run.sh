#!/usr/bin/env bash
# Fuzz every parser for a while: fuzz/run.sh [SECONDS] [TARGET...]. Needs cargo-fuzz and a nightly compiler.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-600}
shift || true
command -v cargo-fuzz >/dev/null || { echo "cargo-fuzz is missing: cargo install cargo-fuzz" >&2; exit 1; }
rustup toolchain list | grep -q nightly || { echo "no nightly compiler: rustup toolchain install nightly" >&2; exit 1; }
python3 fuzz/seeds.py
for target in ${@:-capture radiotap dot11 link ns2 ns3 compressed recording}; do
    echo "== $target, $seconds s"
    nice cargo +nightly fuzz run "$target" -- -max_total_time="$seconds" -max_len=16384 -rss_limit_mb=1024 \
        -timeout=10 -print_final_stats=1
done
