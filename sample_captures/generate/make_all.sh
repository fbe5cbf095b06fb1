#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Rebuilds every sample beside this folder. Same simulator versions, same bytes.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
samples=$(dirname "$here")
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT

missing=
for tool in ns g++ pkg-config tshark python3; do
    command -v "$tool" >/dev/null || missing="$missing $tool"
done
pkg-config --exists ns3-wifi || missing="$missing ns3-wifi"
if [ -n "$missing" ]; then
    echo "missing:$missing (Debian 12: apt install ns2 libns3-dev libgsl-dev g++ pkg-config tshark python3)" >&2
    exit 1
fi

# install NAME: takes what a run left in $build/NAME into the samples.
install() {
    python3 "$here/describe.py" "$build/$1"
    rm -f "$build/$1/setup.json" "$build/$1/ends.tr"
    rm -rf "${samples:?}/$1"
    mv "$build/$1" "$samples/$1"
    echo "$1"
}

for scenario in rts_link basic_link hidden chain3; do
    mkdir -p "$build/ns2_$scenario/recording"
    if ! ns "$here/ns2_scenario.tcl" "$scenario" "$build/ns2_$scenario" >"$build/log" 2>&1; then
        cat "$build/log" >&2
        exit 1
    fi
    python3 "$here/ns2_truth.py" "$build/ns2_$scenario"
    install "ns2_$scenario"
done

libraries=$(pkg-config --libs ns3-core ns3-network ns3-internet ns3-applications ns3-mobility ns3-propagation ns3-wifi)
for program in ns3_adhoc ns3_bss; do
    # shellcheck disable=SC2086  # a list of options
    g++ -std=c++17 -O1 -Wall -Wextra "$here/$program.cc" "$here/ns3_truth.cc" -o "$build/$program" $libraries
done

for scenario in rts_link basic_link basic_link_b hidden chain3 ht; do
    mkdir -p "$build/ns3_$scenario/recording"
    "$build/ns3_adhoc" "$scenario" "$build/ns3_$scenario"
    install "ns3_$scenario"
done
mkdir -p "$build/ns3_sniffer/recording"
"$build/ns3_bss" "$build/ns3_sniffer"
install ns3_sniffer

python3 "$here/check_stamps.py" "$samples"/ns2_* "$samples"/ns3_*
