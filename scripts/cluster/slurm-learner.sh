#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The learner of a run as a Slurm job; docs/cluster.md says how to use it. In the environment:
#   KHANZERO        the program; without it, khanzero in PATH
#   KHANZERO_RUN    the run's folder, on a file system that the nodes share
#   KHANZERO_CONFIG its configuration; without it the run goes on with its own
#   KHANZERO_REDIS  redis://HOST:PORT where actors bring their games; without it the learner plays
#   KHANZERO_REDIS_PASSWORD  of that server
# Several learners are several tasks: sbatch --nodes=2 slurm-learner.sh.
#
#SBATCH --job-name=khanzero-learner
#SBATCH --nodes=1
#SBATCH --ntasks-per-node=1
#SBATCH --cpus-per-task=8
#SBATCH --time=24:00:00
# A clean end, with a checkpoint, before the time is up.
#SBATCH --signal=TERM@300
# One at a time: submit as many as the run needs, each goes on where the last one ended.
#SBATCH --dependency=singleton
#SBATCH --output=%x-%j.log
set -euo pipefail

run=${KHANZERO_RUN:?is not set: the folder of the run}
learners=$SLURM_NTASKS
threads=${SLURM_CPUS_PER_TASK:-1}
arguments=(train --run "$run" --set "learner.threads=$threads" --set "selfplay.workers=$threads")
[[ -z ${KHANZERO_CONFIG:-} ]] || arguments+=(--config "$KHANZERO_CONFIG")
[[ -z ${KHANZERO_REDIS:-} ]] || arguments+=(--listen "$KHANZERO_REDIS")
if ((learners > 1)); then
  arguments+=(--learners "$learners")
  MASTER_ADDR=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | sed -n 1p)
  # So that two jobs on one node do not meet.
  MASTER_PORT=$((20000 + SLURM_JOB_ID % 10000))
  export MASTER_ADDR MASTER_PORT WORLD_SIZE=$learners
fi
# shellcheck disable=SC2016  # each task expands it for itself
exec srun --kill-on-bad-exit=1 bash -c 'RANK=$SLURM_PROCID exec "$@"' learner \
  "${KHANZERO:-khanzero}" "${arguments[@]}"
