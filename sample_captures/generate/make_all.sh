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
    replace "$1"
}

# replace NAME: the same for a sample without truth.json.
replace() {
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

mkdir -p "$build/ns2_wired/recording"
for format in classic tagged; do
    ns "$here/ns2_wired.tcl" "$format" "$build/ns2_wired/recording/$format.tr" >"$build/log" 2>&1 || {
        cat "$build/log" >&2
        exit 1
    }
done
replace ns2_wired

libraries=$(pkg-config --libs ns3-core ns3-network ns3-internet ns3-applications ns3-mobility ns3-propagation ns3-wifi \
    ns3-traffic-control)
for program in ns3_adhoc ns3_bss ns3_tcp; do
    truth="$here/ns3_truth.cc"
    [ "$program" != ns3_tcp ] || truth=
    # shellcheck disable=SC2086  # a list of options, and at most one file
    g++ -std=c++17 -O1 -Wall -Wextra "$here/$program.cc" $truth -o "$build/$program.run" $libraries
done

for scenario in rts_link basic_link basic_link_b hidden chain3 ht; do
    mkdir -p "$build/ns3_$scenario/recording"
    "$build/ns3_adhoc.run" "$scenario" "$build/ns3_$scenario"
    install "ns3_$scenario"
done
mkdir -p "$build/ns3_sniffer/recording"
"$build/ns3_bss.run" "$build/ns3_sniffer"
install ns3_sniffer
for scenario in tcp trace; do
    mkdir -p "$build/ns3_$scenario/recording" "$build/ns3_$scenario/captures"
    "$build/ns3_tcp.run" "$scenario" "$build/ns3_$scenario"
    rmdir "$build/ns3_$scenario/captures" 2>/dev/null || true
    replace "ns3_$scenario"
done

for truth in "$samples"/*/truth_transmissions.csv; do
    python3 "$here/check_stamps.py" "$(dirname "$truth")"
done
