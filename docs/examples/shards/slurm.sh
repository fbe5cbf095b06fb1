#!/bin/sh
# A folder of captures by a SLURM array; the file system is shared.
#   first=$(sbatch --parsable --array=1-100 --requeue slurm.sh captures campaign.winf)
#   sbatch --dependency=afterok:$first --wrap "winf collect campaign.winf.parts -o campaign.winf"
#SBATCH --cpus-per-task=2
#SBATCH --mem-per-cpu=2G
set -eu
captures=$1 dataset=$2
mkdir -p "$dataset.parts"
part="$dataset.parts/$SLURM_ARRAY_TASK_ID.winf"
shard="$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT"
status=0
winf ingest "$captures" --shard "$shard" --jobs "$SLURM_CPUS_PER_TASK" --memory 4G -o "$part" || status=$?
# 3: some recordings were left out, with their reasons in the table warnings
[ $status -eq 0 ] || [ $status -eq 3 ]
