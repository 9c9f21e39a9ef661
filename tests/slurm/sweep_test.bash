#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# sweep_test.bash CASE [--accounting]: a sweep on a real Slurm from submit to collect; exits 77 where
# there is none.
accounting=${2:-}
# shellcheck source-path=SCRIPTDIR source=helpers.bash
. "$(dirname "$0")/helpers.bash"

# Submitted, looked at, brought to its end, and no more to do: as $2 planned jobs in $3 submissions.
goes_its_way() {
  write_sweep "$1"
  pippin submit "$1.yaml" 2>err
  grep -q "submitted .* in $2 jobs;" err || failed "$(cat err)"
  pippin status "$1" >out
  grep -q 'of 12' out || failed "$(cat out)"
  run 0 "$1"
  holds "$1" ok=12
  has_submissions "$1" "$3"
  pippin collect 2>err
  run 0 "$1"
  grep -q 'was finished already' err || failed "$(cat err)"
  holds "$1" ok=12
  has_submissions "$1" "$3"
}

has_submissions() { equal "$(find "t.db.runs/$1/jobs" -name journal | wc -l)" "$2"; }

# All that waits or runs is ended; the next run takes it up.
is_cancelled() {
  takes 600
  pippin submit "$1.yaml" --again 2>err
  within 20 at_least "$2" attempts "$1"
  pippin cancel "$1" 2>err
  grep -q 'cancelled with 0 of 12 runs done' err || failed "$(cat err)"
  within 20 nobody_works
  takes 0.1
  run 0 "$1"
  holds "$1" ok=12
}

blocks() {
  goes_its_way blocks 3 3
  is_cancelled blocks 13
}

array() {
  goes_its_way array 12 1
  is_cancelled array 13
}

both() { blocks && array; }

# What a shell, an #SBATCH line, YAML or a path could take for its own is a name and nothing else.
hostile_name() {
  # shellcheck disable=SC2016 # is not to be expanded
  local name='$(touch pwned)'"'"'";rm -rf ~ :' in_yaml
  in_yaml="'${name//\'/\'\'}'"
  printf '%s\n' "sweep: $in_yaml" 'probe: replay' 'cluster: ./cluster.yaml' 'gpus: 2' 'iterations: 5' \
    'fixed: {step_time_ms: 1}' 'env: {OF_MINE: "{mine}"}' 'repeats: {allocations: 2}' \
    "grid: {mine: [$in_yaml, plain]}" >s.yaml
  mkdir home
  HOME=$here/home run 0 s
  equal "$(sql "SELECT count(*), sum(state = 'ok'), count(DISTINCT name) FROM runs")" '4|4|4'
  equal "$(sql "SELECT DISTINCT text FROM point_axes WHERE name = 'mine' ORDER BY text")" "$name
plain"
  equal "$(sql 'SELECT name FROM sweeps')" "$name"
  [ -d home ] || failed "the home folder is gone"
  equal "$(find . -name pwned)" ""
}

# The training probe over four nodes of two ranks, by both launchers: one model, so one course of
# losses, which is one rank's; and the canary's readings beside each run, which on a busy machine take longer
# than a job would wait for them.
training() {
  [ -n "$HELLO_MPI" ] || skip "MPI was not found when this was configured"
  need mpirun
  local by
  for by in srun mpirun; do
    cp c/cluster.yaml "$by.yaml"
    echo 'prolog: ["pippin_canary_limit="]' >>"$by.yaml"
    [ "$by" = srun ] || sed -i 's|^launch:.*|launch: mpirun --map-by ppr:{ranks_per_node}:node|' "$by.yaml"
    printf '%s\n' "sweep: by-$by" "cluster: ./$by.yaml" 'probe: training' 'iterations: 5' \
      'canary: {seconds: 0.5}' \
      'points: [{gpus: 1, gas: 8}, {tp: 2, pp: 2, dp: 2, gas: 4, zero: 1, sequence_parallel: 1}]' >"by-$by.yaml"
    run 0 "by-$by"
  done
  equal "$(sql "SELECT count(*), sum(state = 'ok') FROM runs")" '4|4'
  equal "$(sql "SELECT iteration, count(*) FROM iterations GROUP BY iteration
    HAVING max(lm_loss) - min(lm_loss) < 1e-4 * min(lm_loss)")" '1|4
2|4
3|4
4|4
5|4'
  equal "$(sql "SELECT problem FROM canary_readings WHERE problem IS NOT NULL")" ''
  equal "$(sql "SELECT count(*), min(nodes), max(nodes) FROM canary_readings")" '8|1|4'
}

need_slurm
use --nodes 4 --set AuthInfo=cred_expire=120,ttl=300 # nothing is lost here, and this machine may be slow
"$1"
