# SPDX-License-Identifier: Apache-2.0
# What the database is told of the place that a job runs at.
# shellcheck disable=SC2034,SC2154 # variables of the other parts

pippin_at() { # NAME VALUE: a line of it, in $pippin_places
  pippin_places+="pippin: at $1=${2//$'\n'/\\n}"$'\n'
}

# Where and with what this job runs, for the database.
pippin_provenance() {
  local name names=() folder=$PWD line=$'\n' pippin_places=''
  pippin_at host "$HOSTNAME"
  pippin_at nodes "${pippin_nodes:-$HOSTNAME}"
  while [ -n "$folder" ] && [ ! -e "$folder/.git" ]; do folder=${folder%/*}; done
  if [ -n "$folder${GIT_DIR:-}" ]; then pippin_at git_commit "$(git rev-parse HEAD 2>/dev/null)"; fi
  if command -v nvidia-smi >/dev/null; then
    pippin_need
    pippin_gpus
  fi
  # Each of these patterns makes bash sort all names, and each expansion by name is some 3 µs of every task.
  for name in "${!O@}" ${pippin_pbs:+"${!PBS_@}"}; do
    case $name in PBS_JOBCOOKIE) ;; OMP_* | OMPI_* | OPENBLAS_* | PBS_*) names+=("$name") ;; esac
  done
  for name in ${LOADEDMODULES+LOADEDMODULES} "${!SLURM_@}" "${!CUDA_@}" "${!NCCL_@}" "${!UCX_@}" "${!FI_@}" \
    "${!MKL_@}" "${names[@]}"; do
    [ "$name" = SLURM_JWT ] || pippin_places+="pippin: at $name=${!name//$line/\\n}$line" # a key
  done
  printf '%s' "$pippin_places" >>"$pippin_claim"
}
