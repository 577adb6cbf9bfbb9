#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# cluster_files_test.sh ROOT: what scripts/cluster starts, with stand-ins for Slurm and for khanzero;
# and that systemd and kubectl can read the rest, where they are installed.
set -euo pipefail

unset KHANZERO KHANZERO_CONFIG KHANZERO_REDIS KHANZERO_RUN
cluster=$1/scripts/cluster
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0

# expect TEXT PATTERN
expect() {
  [[ $1 == *$2* ]] && return
  printf 'expected: %s\nfound: %s\n' "$2" "$1" >&2
  failures=$((failures + 1))
}

mkdir "$folder/bin"
cat >"$folder/bin/scontrol" <<'END'
#!/usr/bin/env bash
printf '%s\n' first second
END
cat >"$folder/bin/srun" <<'END'
#!/usr/bin/env bash
while [[ $1 == --* ]]; do shift; done
for ((i = 0; i < SLURM_NTASKS; ++i)); do SLURM_PROCID=$i "$@"; done
END
cat >"$folder/bin/khanzero" <<'END'
#!/usr/bin/env bash
printf '%s of %s at %s: %s\n' "${RANK-}" "${WORLD_SIZE-}" "${MASTER_ADDR-}" "$*"
END
chmod +x "$folder"/bin/*
export PATH=$folder/bin:$PATH SLURM_JOB_ID=12345 SLURM_JOB_NODELIST=any SLURM_CPUS_PER_TASK=3

two=$(KHANZERO_RUN=runs/x KHANZERO_REDIS=redis://head SLURM_NTASKS=2 "$cluster/slurm-learner.sh")
expect "$two" "0 of 2 at first: train --run runs/x --set learner.threads=3 --set selfplay.workers=3"
expect "$two" "1 of 2 at first: train --run runs/x"
expect "$two" "--listen redis://head --learners 2"
one=$(KHANZERO_RUN=runs/x KHANZERO_CONFIG=x.yaml SLURM_NTASKS=1 "$cluster/slurm-learner.sh")
expect "$one" "selfplay.workers=3 --config x.yaml"
[[ $one != *--learners* ]] || expect "$one" "no --learners for one task"
actor=$(KHANZERO_REDIS=redis://head KHANZERO_SPOOL=$folder/spool SLURM_ARRAY_TASK_ID=7 \
  SLURM_NTASKS=1 "$cluster/slurm-actors.sh")
expect "$actor" "selfplay --connect redis://head --spool $folder/spool/7 --set selfplay.workers=3"
[[ -d $folder/spool/7 ]] || expect "no folder" "$folder/spool/7"

if command -v systemd-analyze >/dev/null; then
  for unit in learner actor; do
    sed "s#/opt/khanzero/khanzero#$folder/bin/khanzero#" "$cluster/khanzero-$unit.service" \
      >"$folder/khanzero-$unit.service"
    said=$(systemd-analyze verify "$folder/khanzero-$unit.service" 2>&1) || expect "$said" "no fault"
  done
fi
if command -v kubectl >/dev/null; then
  kinds=$(kubectl kustomize "$cluster/kubernetes" | sed -n 's/^kind: //p' | sort | uniq -c | tr -s ' \n' ' ')
  expect "$kinds" "1 Deployment"
  expect "$kinds" "2 StatefulSet"
fi
exit $((failures > 0))
