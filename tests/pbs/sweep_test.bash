#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# sweep_test.bash CASE [OPTION...]: sweeps on the PBS of pbs.bash, which goes wrong as PBS may.
# OPTION... are of `pbs.bash up`.
set -u
# shellcheck source-path=SCRIPTDIR source=helpers.bash
. "$(dirname "$0")/helpers.bash"
case_name=$1
options=("${@:2}")

# Submitted, looked at, brought to its end, and no more to do: as $2 planned jobs in $3 submissions.
goes_its_way() {
  write_sweep "$1"
  pippin submit "$1.yaml" 2>err
  grep -q "submitted .* in $2 jobs;" err || failed "$(cat err)"
  pippin status "$1" >out
  grep -q 'of 12' out || failed "$(cat out)"
  run 0 "$1"
  holds "$1" ok=12
  equal "$(submissions_of "$1")" "$3"
  run 0 "$1"
  grep -q 'was finished already' err || failed "$(cat err)"
  equal "$(submissions_of "$1")" "$3"
}

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

blocks() { use "${options[@]}" && goes_its_way blocks 3 3 && is_cancelled blocks 13; }
array() { use "${options[@]}" && goes_its_way array 12 1 && is_cancelled array 13; }

# What a job is told of its nodes, and what it tells of them.
nodes() {
  use
  # shellcheck disable=SC2016 # for the job
  printf '%s\n' 'sweep: told' 'cluster: ./cluster.yaml' 'grid: {gpus: [4], mbs: [1], gas: [1]}' 'iterations: 5' 'command: |' \
    '  sort "$PBS_NODEFILE" | uniq -c | tr -s " \n" " "; echo "first $MASTER_ADDR"' "  $(replay)" >told.yaml
  run 0 told
  equal "$(cat t.db.runs/told/*-a1/*/log | head -n 1)" ' 2 n1 2 n2 first n1'
  equal "$(sql 'SELECT group_concat(name) FROM (SELECT name FROM nodes ORDER BY name)')" 'n1,n2'
}

requeued() {
  local id
  use "${options[@]}"
  write_both
  start_long
  takes 0.1
  for id in $(running); do cluster lose "$here/c" "$id"; done
  both_end 0 ok=12
  at_least 1 restarted_runs || failed "nothing was begun anew"
}

# By somebody's qdel: the next run takes it up.
deleted() {
  local id
  use "${options[@]}"
  write_both
  start_long
  for id in $(jobs_there); do qdel "$id"; done
  ended 1 blocks
  ended 1 array
  takes 0.1
  start_both
  both_end 0 ok=12
}

# The run that stands first in its job takes too long, and what stood behind it is run.
time_limit() {
  use "${options[@]}"
  sed -i 's/walltime: .*/walltime: "00:00:10"}/' cluster.yaml
  write_both
  # shellcheck disable=SC2016 # for the job's shell
  takes 600 'case $PIPPIN_SWEEP$PIPPIN_MBS$PIPPIN_GAS in
    array22) true ;;
    blocks*) mkdir "'"$here"'/first-on-$PIPPIN_NODES" 2>/dev/null ;;
    *) false ;;
  esac'
  start_both
  both_end 1 ok=9 timeout=3
}

server_is_away() {
  local id
  use "${options[@]}"
  write_both
  start_long
  cluster kill "$here/c"
  takes 0.1
  within 60 told_of_silence
  cluster start "$here/c"
  for id in $(running); do cluster lose "$here/c" "$id"; done
  both_end 0 ok=12
}

told_of_silence() { pippin status blocks >out 2>&1; grep -q 'does not answer' out; }

# A server that comes back without what it knew: what it ran is gone with it.
server_forgets() {
  use "${options[@]}"
  write_both
  start_long
  takes 0.1
  cluster forget "$here/c"
  both_end 0 ok=12
}

# qsub dies before or after the job is taken, or says that it was and it was not.
qsub_fails() {
  local word
  for word in die-before die-after lie; do
    mkdir "$word.d"
    use
    cluster fault "$here/c" qsub "$word"
    write_sweep array
    run 0 array --again
    holds array ok=12
    cluster down "$here/c"
  done
}

# While its answers are empty, cut off or speak of no job, pippin believes none of them.
answers_lie() {
  use "${options[@]}"
  write_both
  takes 3
  cluster fault "$here/c" qstat empty 2
  start_both
  within 60 both_run 1
  cluster fault "$here/c" qstat no-jobs 6
  cluster fault "$here/c" qselect empty 6
  takes 0.1
  both_end 0 ok=12
  equal "$(submissions_of blocks) $(submissions_of array)" '3 1'
  cluster fault "$here/c" qstat cut 2
  start_run blocks --again
  ended 0 blocks
  holds blocks ok=12
}

# More than the server takes at once is submitted later.
low_limits() {
  use --array-size 5 --queued 8
  write_sweep array
  run 0 array
  holds array ok=12
  at_least 3 submissions_of array || failed "more than fits was submitted at once"
}

number_running() { running | wc -l; }

changed() {
  local id
  use
  write_sweep array
  pippin submit array.yaml --max-in-flight 1 2>err
  id=$(jobs_there)
  takes 600
  within 20 at_least 1 attempts array
  pippin update array --time 00:07:00 2>err || failed "$(cat err)"
  grep -q 'walltime=00:07:00 for' err || failed "$(cat err)"
  qstat -f "$id" >out
  grep -q 'walltime = 00:07:00' out || failed "$(cat out)"
  pippin update array --max-in-flight 0 --time 00:08:00 2>err || failed "$(cat err)"
  within 20 at_least 2 number_running
  pippin cancel array 2>err
  within 20 nobody_works
}

# Whenever it is killed, no run is lost and none is done twice.
pippin_is_killed() {
  local i
  use "${options[@]}"
  write_both
  takes 2
  for i in {1..20}; do
    start_both
    sleep "0.$((i * 37 % 70 + 10))"
    kill_run blocks
    kill_run array
  done
  takes 0.1
  start_both
  both_end 0 ok=12
  equal "$(successful_attempts)" 24
}

successful_attempts() { find t.db.runs -mindepth 4 -name run -exec grep -l '^pippin: exit=0 ' {} + | wc -l; }

"$case_name"
