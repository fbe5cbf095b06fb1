#!/bin/sh
# A sweep by GNU parallel on several machines that share a file system:  gnu_parallel.sh GRID.toml DATASET N HOST,HOST
# A shard that fails is started again up to three times, and goes on where it was.
set -eu
grid=$1 dataset=$2 shards=$3 hosts=$4
mkdir -p "$dataset.parts"
seq "$shards" | parallel --sshlogin "$hosts" --workdir "$PWD" --retries 3 --joblog "$dataset.parts/log" \
    winf sweep "$grid" --shard "{}/$shards" -o "$dataset.parts/{}.winf"
winf collect "$dataset.parts" -o "$dataset"
winf report "$dataset" -o "${dataset%.winf}.html"
