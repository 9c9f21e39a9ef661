#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# soak_test.bash [ROUNDS [SEED [SHAPE]]]: random kills and faults of all that can fail, while sweeps of 200 runs are
# measured again and again; at each one's end every run is there exactly once. Without a SHAPE each of them gets its
# part of the rounds. Exits 77 without Slurm. $PIPPIN_SOAK, "ROUNDS SEED SHAPE", says the same.
shapes=(plain accounting limits mixed late hole disk)
read -r rounds seed shape <<<"${*:-${PIPPIN_SOAK:-}}" || true
rounds=${rounds:-300} seed=${seed:-$$}
accounting=
case "${shape:-}" in accounting | limits) accounting=--accounting ;; esac
# shellcheck source-path=SCRIPTDIR source=helpers.bash
. "$(dirname "$0")/helpers.bash"
# shellcheck source-path=SCRIPTDIR source=late_view.bash
. "$scripts/late_view.bash"
# shellcheck source-path=SCRIPTDIR source=hole.bash
. "$scripts/hole.bash"

sweep=blocks          # which of the two is measured now
declare -A campaigns=() # that came to their end
dead=()               # daemons
lag_s=0               # until pippin sees what nodes write
declare -A count      # what happened how often
declare -A ended_with # which status of pippin came how often

# below N: a random number from 0 in `drawn`; a subshell would not advance $RANDOM.
below() { drawn=$((RANDOM % $1)); }

# --- what is soaked -------------------------------------------------------------------------------------

# 20 points 10 times: as blocks in 20 jobs, else in 200. Of several nodes nobody can tell which one is a hole.
write_soaked() { # NAME
  local packed='order: blocks' gpus='[2, 4], gas: [1, 2]' command
  command="  $(replay)"
  if [ "$1" = array ]; then packed='pack: point'; fi
  if [ "$shape" = hole ]; then
    gpus='[2], gas: [1, 2, 4, 8]'
    command="  . $here/hole"$'\n'"$command && echo >>$here/went-well"
  fi
  printf '%s\n' "sweep: $1" 'cluster: ./cluster.yaml' "$packed" 'iterations: 5' 'repeats: {allocations: 10}' \
    "grid: {gpus: $gpus, mbs: [1, 2, 3, 4, 5]}" 'command: |' "$command" >"$1.yaml"
}

use_soaked() { use --set 'NodeName=DEFAULT CPUs=4 CoresPerSocket=4' --set SlurmdTimeout=4 --set MessageTimeout=4 "$@"; }

plain() { use_soaked; }
accounting() { use_soaked; }

# What a user and an account may have queued, and how long an array may be, is a part of either sweep.
limits() {
  use_soaked --set AccountingStorageEnforce=limits,qos --set MaxArraySize=31
  sacctmgr -iQ add qos part set MaxSubmitJobsPerUser=15 >/dev/null
  sacctmgr -iQ modify account pippin set GrpSubmitJobs=40 >/dev/null
  within 10 scontrol update partitionname=batch qos=part
}

# Nodes of two kinds, of which jobs want the one.
mixed() {
  printf '%s\n' '--nodes 6' 'NodeName=n[1-4] RealMemory=4000 Feature=large' 'NodeName=n[5-6] RealMemory=2000 Feature=small' >mixed.shape
  use_soaked --shape "$here/mixed.shape"
  sed -i 's/time: .*/time: "00:10:00", constraint: large}/' cluster.yaml
}

# Longer than the 3 s would be longer campaigns, and no other case.
late() {
  need_late_view
  use_soaked
  sed -i 's/^files_late:.*/files_late: 15 s/' cluster.yaml
  lag_s=3
  show_late "$lag_s" &
}

# One node spoils every run that it gets, of which jobs have all of it.
hole() {
  use_soaked
  sed -i 's/time: .*/time: "00:10:00", exclusive: true}/' cluster.yaml
  dig_hole
  touch went-well
}

# All of a sweep and its database lie on a disk that is full now and then.
disk() {
  mkdir disk
  mount -t tmpfs -o size=256m none disk 2>/dev/null || skip "nothing can be mounted here"
  use_soaked
  mkdir disk/runs
  ln -s disk/runs t.db.runs
  ln -s disk/t.db t.db
}

# --- what befalls it ------------------------------------------------------------------------------------

tally() { count[$1]=$((${count[$1]:-0} + 1)); }

# Slurm's programs as pippin finds them: each lies, or keeps an answer to itself, once there is a file that says so.
write_liars() {
  local real=$real_sbatch path=$here/bin:$PATH
  if [ "$lag_s" -gt 0 ]; then
    late_programs
    real=$here/late-bin/sbatch path=$here/bin:$here/late-bin:$PATH
  fi
  mkdir bin
  printf '#!/bin/bash\nif rm %q 2>/dev/null; then exit 0; fi\nexec %q "$@"\n' "$here/queue-is-silent" "$(command -v squeue)" >bin/squeue
  {
    printf '#!/bin/bash\nhere=%q real=%q\n' "$here" "$real"
    cat <<'TEXT'
if rm "$here/sbatch-fails" 2>/dev/null; then
  echo 'sbatch: error: Batch job submission failed: Socket timed out on send/recv operation' >&2
  exit 1
fi
if rm "$here/sbatch-loses-its-answer" 2>/dev/null; then
  "$real" "$@" >/dev/null 2>&1
  exit 1
fi
exec "$real" "$@"
TEXT
  } >bin/sbatch
  chmod +x bin/*
  view=(env "PATH=$path")
  if [ "$lag_s" -gt 0 ]; then view+=("${late_view[@]}"); fi
}

begin() {
  local view=("${view[@]}") more=("$@")
  # What could not write its log has failed.
  if [ "$shape" = disk ] && [ $# -eq 0 ]; then more=(--retry-failed); fi
  break_a_call
  start_run "$sweep" --retries 1000 "${more[@]}"
}

# Of every other pippin one call that changes or reads a file, or asks SQLite, fails, or is its last.
break_a_call() {
  local scale call how chosen
  below 2
  if [ "$drawn" = 0 ] || [ ! -e "${FAIL_ONE_CALL:-}" ]; then return; fi
  below 5
  scale=$((10 ** drawn))
  below $((9 * scale))
  call=$((scale + drawn))
  one_of printf '%s\n' error kill
  how=$chosen
  view+=(env "FAIL_PROGRAM=$PIPPIN_PROGRAM" "FAIL_CALL=$call" "FAIL_HOW=$how" "LD_PRELOAD=$FAIL_ONE_CALL")
  tally "a call of pippin: $how"
}

# Of a second or two; then there is room again.
full_disk() {
  if ! mountpoint -q disk; then return; fi
  cat /dev/zero >disk/filler 2>/dev/null || true
  below 20
  sleep "$((drawn / 10)).$((drawn % 10))"
  rm -f disk/filler
  tally "the disk is full"
}

kill_daemon() { # NAME [--with-jobs]
  # A controller that is to hold limits does not begin without the daemon that knows them.
  case "$1 ${dead[*]} " in *" $1 "* | "slurmctld "*"slurmdbd "* | "slurmdbd "*"slurmctld "*) return 0 ;; esac
  cluster kill "$here/c" "$@"
  dead+=("$1")
  case "$1" in n*) tally "slurmd${2:+ with its jobs}" ;; *) tally "$1" ;; esac
}

hang() { # NAME: for a while, longer than a message may take
  case " ${dead[*]} " in *" $1 "*) return 0 ;; esac
  cluster kill "$here/c" "$1" STOP
  sleep 5
  cluster kill "$here/c" "$1" CONT
  tally "$1 hangs"
}

revive() { # one in two, or all
  local name left=()
  for name in "${dead[@]}"; do
    below 2
    if [ "$drawn" = 0 ] && [ "${1:-}" != all ]; then left+=("$name"); else cluster start "$here/c" "$name"; fi
  done
  dead=("${left[@]}")
}

# one_of COMMAND...: a random line of what it prints; empty where there is none.
one_of() {
  local lines
  mapfile -t lines < <("$@" 2>/dev/null)
  chosen=
  if [ "${#lines[@]}" -eq 0 ]; then return; fi
  below "${#lines[@]}"
  chosen=${lines[drawn]}
}

to_a_job() { # scancel, or scontrol requeue
  local chosen
  one_of timeout 2 squeue -h --all --array -t R -o %A
  if [ -n "$chosen" ] && timeout 4 "$@" "$chosen" 2>/dev/null; then tally "$*"; fi
}

lie() { # FILE: once
  if [ ! -e "$1" ]; then touch "$1" && tally "$1"; fi
}

disturb() {
  local node
  below 4
  node=n$((drawn + 1))
  below 18
  if [ "$shape" = disk ] && [ $((drawn % 2)) = 0 ]; then
    full_disk
    return
  fi
  case "$drawn" in
    0 | 1 | 2 | 3 | 4) kill_run "$sweep" && tally "pippin run killed" ;;
    5 | 6) kill_daemon "$node" ;;
    7 | 8) kill_daemon "$node" --with-jobs ;;
    9) kill_daemon slurmctld ;;
    10 | 11) to_a_job scontrol requeue ;;
    12) to_a_job scancel ;;
    13) lie queue-is-silent ;;
    14) lie sbatch-fails ;;
    15) lie sbatch-loses-its-answer ;;
    16) if [ -n "$accounting" ]; then kill_daemon slurmdbd; else kill_daemon "$node"; fi ;;
    17) hang slurmctld ;;
  esac
}

# --- that it holds --------------------------------------------------------------------------------------

# Sees to it that a pippin works: the one that has ended with all done was the campaign's last.
tend() {
  local status=0
  if lives "$sweep"; then return; fi
  status_of "$sweep" || status=$?
  if [ "$status" -ne 137 ]; then tally_end "$status"; fi
  if [ "$status" -eq 0 ]; then next_campaign; else begin; fi
}
tally_end() { ended_with[$1]=$((${ended_with[$1]:-0} + 1)); }

next_campaign() {
  check
  if [ "$sweep" = blocks ]; then sweep=array; else sweep=blocks; fi
  begin --again
}

check() {
  revive all
  cluster wait "$here/c"
  within 120 nobody_works
  if [ "$lag_s" -gt 0 ]; then sleep $((lag_s + 2)); fi
  # An attempt of the same second may have come after pippin had looked, where two overlapped.
  pippin collect 2>err
  twice=200 holds "$sweep" ok=200
  campaigns[$sweep $(sql "SELECT max(number) FROM campaigns JOIN sweeps ON sweeps.id = sweep WHERE name = '$sweep'")]=measured
}

last_campaign() {
  local tries
  rm -f queue-is-silent sbatch-*
  revive all
  cluster wait "$here/c"
  for tries in 1 2 3 4 5 6; do
    if status_of "$sweep"; then check && return; fi
    begin
  done
  failed "the last campaign does not come to its end in $tries tries"
}

soak() {
  local round name status faults=0
  for ((round = 1; round <= rounds; round++)); do
    below 20
    sleep "$((drawn / 10)).$((drawn % 10))"
    disturb
    revive
    tend
    if [ $((round % 25)) -eq 0 ]; then say "round $round of $rounds after $SECONDS s: ${#campaigns[@]} campaigns measured"; fi
  done
  last_campaign
  for name in "${!count[@]}"; do
    say "${count[$name]} times $name"
    faults=$((faults + count[$name]))
  done
  for status in "${!ended_with[@]}"; do say "${ended_with[$status]} times pippin exits $status"; done
  say "$shape: $faults kills and faults, ${#campaigns[@]} campaigns of 200 runs, every run once"
}

each_shape() {
  local i status
  for ((i = 0; i < ${#shapes[@]}; ++i)); do
    status=0
    bash "$scripts/soak_test.bash" $((rounds / ${#shapes[@]})) $((seed + i)) "${shapes[i]}" || status=$?
    case "$status" in 0) ;; 77) say "${shapes[i]}: skipped" ;; *) failed "${shapes[i]} does not hold" ;; esac
  done
}

need_slurm
if [ -z "${shape:-}" ]; then
  each_shape
  exit
fi
case " ${shapes[*]} " in *" $shape "*) ;; *) failed "no shape is named '$shape'; there are ${shapes[*]}" ;; esac
say "$shape: $rounds rounds, seed $seed"
RANDOM=$seed
"$shape"
write_soaked blocks
write_soaked array
write_liars
takes 0.4
repair 2>/dev/null &
begin
soak
