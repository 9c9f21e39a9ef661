#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# launch_alone.sh RANKS[/RANKS OF A NODE] PROGRAM …: the ranks on this machine without a launcher, by
# torchrun's variables; the nodes are but names, $NODES if there are any ("a b c"). The exit status is
# that of the first rank that failed; the others are killed if they do not end within 5 s of it.
ranks=${1%/*} of_a_node=${1#*/}
read -ra names <<<"${NODES:-}"
shift

# Nothing of a launcher around this one.
unset OMPI_COMM_WORLD_SIZE OMPI_COMM_WORLD_RANK PMI_SIZE PMI_RANK PMIX_RANK PROBES_RENDEZVOUS
unset SLURM_STEP_NUM_TASKS SLURM_PROCID TORCHELASTIC_USE_AGENT_STORE

# Below the ports that the system gives out; two launches at once begin at different ones.
port=$((10000 + $$ % 20000))
while (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do port=$((port + 1)); done
export WORLD_SIZE=$ranks MASTER_ADDR=127.0.0.1 MASTER_PORT=$port
export ASAN_OPTIONS="detect_leaks=0:${ASAN_OPTIONS:-}"

pids=()
trap 'kill -KILL "${pids[@]}" 2>/dev/null' EXIT # one may be stopped
for ((rank = 0; rank < ranks; ++rank)); do
  node=${SLURMD_NODENAME:-}
  ((of_a_node < ranks)) && node=${names[rank / of_a_node]:-node$((rank / of_a_node))}
  SLURMD_NODENAME=$node RANK=$rank LOCAL_RANK=$((rank % of_a_node)) "$@" </dev/null &
  pids+=($!)
done
status=0
for ((left = ranks; left > 0 && status == 0; --left)); do wait -n || status=$?; done
for ((tries = 50; tries > 0; --tries)); do
  [ -n "$(jobs -pr)" ] || break
  sleep 0.1
done
# 15 says that another rank failed: its status counts, unless it is stopped and has none.
if ((status == 15)); then
  for pid in "${pids[@]}"; do
    if kill -0 "$pid" 2>/dev/null; then continue; fi
    wait "$pid"
    code=$?
    case $code in 0 | 15 | 127) ;; *) status=$code && break ;; esac
  done
fi
exit "$status"
