#!/bin/bash
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
trap 'kill "${pids[@]}" 2>/dev/null' EXIT
for ((rank = 0; rank < ranks; ++rank)); do
  node=${SLURMD_NODENAME:-}
  ((of_a_node < ranks)) && node=${names[rank / of_a_node]:-node$((rank / of_a_node))}
  SLURMD_NODENAME=$node RANK=$rank LOCAL_RANK=$((rank % of_a_node)) "$@" </dev/null &
  pids+=($!)
done
# 15 says that another rank failed: its status is to come.
status=0
for ((left = ranks; left > 0; --left)); do
  wait -n || status=$?
  ((status == 0 || status == 15)) || break
done
for ((tries = 50; tries > 0; --tries)); do
  [ -n "$(jobs -pr)" ] || break
  sleep 0.1
done
exit $status
