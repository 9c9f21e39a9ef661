# SPDX-License-Identifier: Apache-2.0
# Runs that hang, or lose a rank.
# shellcheck disable=SC2034,SC2154 # variables of helpers.bash

# hanging NAME LAUNCH [LINE]...: two runs that go well, and one of two nodes, the $hung, whose ranks do what
# $here/ranks says and whose job then goes on. Every rank starts a daemon that nobody waits for.
hung=2 pack=block
hanging() {
  printf '%s\n' "sweep: $1" 'cluster: ./cluster.yaml' 'grid: {gpus: [4], mbs: [1, 2, 4]}' 'order: sequential' \
    "pack: $pack" "${@:3}" 'command: |' \
    "  if [ {mbs} = $hung ]; then $2 bash $here/ranks; else srun -N 1 -n 1 $(replay); fi" >"$1.yaml"
  echo "setsid bash -c 'sleep 3600; : $here/daemon' >/dev/null 2>&1 </dev/null &" >ranks
  cat >>ranks
}

# named SWEEP STATE PATTERN: so it is in the database, in the report and in the status, and nothing is left.
named() {
  like "$(sql "SELECT state || ': ' || evidence FROM runs WHERE state != 'ok'")" "$2: $3"
  like "$(pippin report "$1" --format csv)" "$2"
  like "$(pippin status "$1")" '2 ok, 1 failed'
  within 20 nobody_works
  within 20 no_daemon
}

no_daemon() { ! grep -qsz "$here/daemon" /proc/[0-9]*/cmdline; }

own_srun='srun --nodes={nodes} --ntasks={ranks} --ntasks-per-node=2' # which waits for the other ranks

hung_rank() {
  use --nodes 2
  # shellcheck disable=SC2016 # for the ranks' shell
  hanging hung "$own_srun" 'run_time: 15 s' <<<'echo "rank $SLURM_PROCID waits"
    if [ "$SLURM_PROCID" = 3 ]; then kill -STOP $$; fi; trap "" TERM; while :; do sleep 1; done'
  run 1 hung
  holds hung ok=2 timeout=1
  named hung timeout 'stopped after run_time 15 s; last: rank [0-3] waits'
}

killed_rank() {
  use --nodes 2
  # shellcheck disable=SC2016
  hanging killed "$own_srun" 'run_time: 15 s' <<<'if [ "$SLURM_PROCID" = 3 ]; then kill -KILL $$; fi; sleep 3600'
  run 1 killed
  holds killed ok=2 timeout=1
  named killed timeout 'stopped after run_time 15 s; last: srun: error: n2: task 3: Killed'
}

# As the cluster file launches, the step ends with the rank.
killed_rank_ends_its_step() {
  use --nodes 2
  # shellcheck disable=SC2016
  hanging ended '{launch}' 'run_time: 3 min' <<<'if [ "$SLURM_PROCID" = 3 ]; then kill -KILL $$; fi; sleep 3600'
  sed -i '1d' ranks # a daemon of a run that ends by itself is its own affair, and Slurm's
  run 1 ended
  holds ended failed=1 ok=2
  named ended failed 'exit [0-9]+ .*: srun: error: n2: task 3: Killed'
}

# The rank that says what is wrong is heard over those that end with it.
rank_out_of_memory() {
  [ -n "$HELLO_MPI" ] || skip "MPI was not found when this was configured"
  use --nodes 2
  printf '%s\n' 'sweep: memory' 'cluster: ./cluster.yaml' 'grid: {gpus: [4]}' 'iterations: 5' 'command: |' \
    "  {launch} bash -c 'if [ \$SLURM_PROCID = 3 ]; then limit=1; fi" \
    "    exec ${PIPPIN_PROGRAM%/*}/probes/training --dp 4 --memory-limit-mib \${limit:-0}'" >memory.yaml
  run 1 memory
  holds memory oom=1
  like "$(sql 'SELECT evidence FROM runs')" 'out of memory: training: rank 3 on .*: out of memory .*limit 1.00 MiB'
}

# The last task of an array has the array's own id, and its steps are not those of the others.
silent_log() {
  use --nodes 6
  takes 20
  hung=4 pack=point
  # shellcheck disable=SC2016
  hanging silent "$own_srun" 'stalled: 10 s' 'run_time: 3 min' <<<'echo "rank $SLURM_PROCID waits"; sleep 3600'
  run 1 silent
  holds silent ok=2 timeout=1
  named silent timeout 'stopped: its log has not grown for 10 s; last: rank [0-3] waits'
}

missing_program() {
  use --nodes 2
  printf '%s\n' 'sweep: missing' 'cluster: ./cluster.yaml' 'grid: {gpus: [4], mbs: [1, 2, 4, 8]}' 'pack: point' \
    'repeats: {allocations: 10}' "command: '{launch} -n 1 -N 1 ./train --dp 4 --mbs {mbs} --iterations 5 --sleep-factor 0'" >missing.yaml
  run 1 missing
  like "$(cat err)" 'gave up, as [0-9]+ runs in a row failed alike.*train.*No such file or directory; [0-9]+ runs not launched'
  like "$(pippin status missing)" 'given up: [0-9]+ runs in a row failed alike'
  [ "$(attempts missing)" -lt 30 ] || failed "jobs that run at a time are not that many"
  within 20 nobody_works
  ln -s "${PIPPIN_PROGRAM%/*}/probes/replay" train
  pippin --yes run missing.yaml --poll 1 >out 2>err || failed "line $LINENO: $(tail -n 3 err)"
  holds missing ok=40
}
