# What the database is told of the place that a job runs at.
# shellcheck disable=SC2034,SC2154,SC2231 # variables of the other parts; folders of libraries may be patterns

pippin_at() { # NAME VALUE: a line of it, in $pippin_places
  pippin_places+="pippin: at $1=${2//$'\n'/\\n}"$'\n'
}

# Where and with what this job runs, for the database.
pippin_provenance() {
  local name file value folder=$PWD pippin_places=''
  pippin_at host "$HOSTNAME"
  pippin_at nodes "${pippin_nodes:-$HOSTNAME}"
  while [ -n "$folder" ] && [ ! -e "$folder/.git" ]; do folder=${folder%/*}; done
  if [ -n "$folder${GIT_DIR:-}" ]; then pippin_at git_commit "$(git rev-parse HEAD 2>/dev/null)"; fi
  if command -v nvidia-smi >/dev/null; then
    IFS=, read -r name file < <(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader)
    pippin_at gpu_model "$name"
    pippin_at driver "${file# }"
    nvidia-smi topo -m >>"$pippin_claim" 2>&1
    for file in ${LD_LIBRARY_PATH//:/\/libnccl.so.*.*.* }/libnccl.so.*.*.* \
      /usr/lib/*-linux-gnu/libnccl.so.*.*.*; do
      if [ -e "$file" ]; then pippin_at nccl "${file##*libnccl.so.}" && break; fi
    done
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
