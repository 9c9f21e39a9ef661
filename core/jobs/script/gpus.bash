# SPDX-License-Identifier: Apache-2.0
# What the database is told of the GPUs that a job runs on.
# shellcheck disable=SC2154,SC2231 # variables of the other parts; folders of libraries may be patterns

pippin_gpus() {
  local name driver file
  IFS=, read -r name driver < <(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader)
  pippin_at gpu_model "$name"
  pippin_at driver "${driver# }"
  nvidia-smi topo -m >>"$pippin_claim" 2>&1
  for file in ${LD_LIBRARY_PATH//:/\/libnccl.so.*.*.* }/libnccl.so.*.*.* \
    /usr/lib/*-linux-gnu/libnccl.so.*.*.*; do
    if [ -e "$file" ]; then pippin_at nccl "${file##*libnccl.so.}" && break; fi
  done
}
