# What the database is told of the place that a job runs at.
# shellcheck disable=SC2034,SC2154,SC2231 # variables of the other parts; folders of libraries may be patterns

# Where and with what this job runs, for the database.
pippin_provenance() {
  local name file folder=$PWD
  echo "host=$HOSTNAME"
  echo "nodes=${pippin_nodes:-$HOSTNAME}"
  while [ -n "$folder" ] && [ ! -e "$folder/.git" ]; do folder=${folder%/*}; done
  if [ -n "$folder${GIT_DIR:-}" ]; then echo "git_commit=$(git rev-parse HEAD 2>/dev/null)"; fi
  if command -v nvidia-smi >/dev/null; then
    IFS=, read -r name file < <(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader)
    echo "gpu_model=$name"
    echo "driver=${file# }"
    nvidia-smi topo -m >"$pippin_claim/topology" 2>&1
  fi
  for file in ${LD_LIBRARY_PATH//:/\/libnccl.so.*.*.* }/libnccl.so.*.*.* \
    /usr/lib/*-linux-gnu/libnccl.so.*.*.*; do
    if [ -e "$file" ]; then echo "nccl=${file##*libnccl.so.}" && break; fi
  done
  for name in LOADEDMODULES "${!SLURM_@}" "${!PBS_@}" "${!CUDA_@}" "${!NCCL_@}" "${!OMP_@}" "${!OMPI_@}" \
    "${!UCX_@}" "${!FI_@}" "${!OPENBLAS_@}" "${!MKL_@}"; do
    if [ -n "${!name+set}" ] && [ "$name" != PBS_JOBCOOKIE ]; then echo "$name=${!name//$'\n'/\\n}"; fi
  done
}
