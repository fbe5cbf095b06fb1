#!/bin/sh
# A folder of captures by N processes of one machine:  processes.sh CAPTURES DATASET N
# Every shard can be killed and started again; what it had decoded is taken over.
set -eu
captures=$1 dataset=$2 shards=$3
parts=$(mktemp -d "$dataset.parts-XXXXXX")
pids=""
for shard in $(seq "$shards"); do
    winf ingest "$captures" --shard "$shard/$shards" --jobs 1 -o "$parts/$shard.winf" &
    pids="$pids $!"
done
for pid in $pids; do
    # 3: some recordings were left out, with their reasons in the table warnings
    wait "$pid" || [ $? -eq 3 ]
done
status=0
winf collect "$parts" -o "$dataset" || status=$?
[ $status -eq 0 ] || [ $status -eq 3 ]
rm -r "$parts"
winf estimate "$dataset"
exit $status
