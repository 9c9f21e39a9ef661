# What the database is told of the place that a job runs at.
# shellcheck disable=SC2034,SC2154 # variables of the other parts

pippin_at() { # NAME VALUE: a line of it, in $pippin_places
  pippin_places+="pippin: at $1=${2//$'\n'/\\n}"$'\n'
}

# Where and with what this job runs, for the database.
pippin_provenance() {
  local name value folder=$PWD pippin_places=''
  pippin_at host "$HOSTNAME"
  pippin_at nodes "${pippin_nodes:-$HOSTNAME}"
  while [ -n "$folder" ] && [ ! -e "$folder/.git" ]; do folder=${folder%/*}; done
  if [ -n "$folder${GIT_DIR:-}" ]; then pippin_at git_commit "$(git rev-parse HEAD 2>/dev/null)"; fi
  if command -v nvidia-smi >/dev/null; then
    pippin_need
    pippin_gpus
  fi
  # Each of these patterns makes bash sort all names.
  for name in LOADEDMODULES "${!SLURM_@}" "${!CUDA_@}" "${!NCCL_@}" "${!O@}" "${!UCX_@}" "${!FI_@}" "${!MKL_@}" \
    ${pippin_pbs:+"${!PBS_@}"}; do
    case $name in PBS_JOBCOOKIE) continue ;; OMP_* | OMPI_* | OPENBLAS_*) ;; O*) continue ;; esac
    [ -n "${!name+set}" ] || continue
    value=${!name}
    pippin_places+="pippin: at $name=${value//$'\n'/\\n}"$'\n' # not pippin_at: 40 calls are a millisecond
  done
  printf '%s' "$pippin_places" >>"$pippin_claim"
}
