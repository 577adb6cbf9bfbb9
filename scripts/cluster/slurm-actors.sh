#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Actors as a Slurm array job; docs/cluster.md says how to use it. In the environment:
#   KHANZERO        the program; without it, khanzero in PATH
#   KHANZERO_REDIS  redis://HOST:PORT where the learner listens
#   KHANZERO_REDIS_PASSWORD  of that server
#   KHANZERO_SPOOL  a folder for games that could not be delivered yet; without it, ./spool
# The size of the array is the number of actors: sbatch --array=1-400 slurm-actors.sh.
#
#SBATCH --job-name=khanzero-actor
#SBATCH --array=1-16
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=4
#SBATCH --time=08:00:00
# Actors may be taken away at any time, and begin again.
#SBATCH --requeue
#SBATCH --signal=TERM@60
#SBATCH --output=%x-%A-%a.log
set -euo pipefail

redis=${KHANZERO_REDIS:?is not set: redis://HOST:PORT where the learner listens}
# By the number in the array, so that an actor that begins again finds what it left.
spool=${KHANZERO_SPOOL:-$PWD/spool}/$SLURM_ARRAY_TASK_ID
mkdir -p "$spool"
exec srun "${KHANZERO:-khanzero}" selfplay --connect "$redis" --spool "$spool" \
  --set "selfplay.workers=${SLURM_CPUS_PER_TASK:-1}"
