#!/usr/bin/env bash
# soak_test.bash [ROUNDS [SEED]]: random kills of all that can be killed, while sweeps of 200 runs are
# measured again and again; at each one's end every run is there exactly once. Exits 77 without Slurm.
# $PIPPIN_SOAK, "ROUNDS SEED", says the same.
read -r rounds seed <<<"${*:-${PIPPIN_SOAK:-}}" || true
rounds=${rounds:-300} seed=${seed:-$$}
accounting=
# shellcheck source-path=SCRIPTDIR source=helpers.bash
. "$(dirname "$0")/helpers.bash"

sweep=blocks     # which of the two is measured now
campaigns=()     # that came to their end
dead=()          # daemons
declare -A count # what happened how often

# below N: a random number from 0 in `drawn`; a subshell would not advance $RANDOM.
below() { drawn=$((RANDOM % $1)); }

# 20 points 10 times: as blocks in 20 jobs, else in 200.
write_soaked() {
  local packed='order: blocks'
  if [ "$1" = array ]; then packed='pack: point'; fi
  printf '%s\n' "sweep: $1" 'cluster: ./cluster.yaml' "$packed" 'iterations: 5' 'repeats: {allocations: 10}' \
    'grid: {gpus: [2, 4], mbs: [1, 2, 3, 4, 5], gas: [1, 2]}' 'command: |' "  $(replay)" >"$1.yaml"
}

tally() { count[$1]=$((${count[$1]:-0} + 1)); }

begin() { start_run "$sweep" --retries 1000 "$@"; }

kill_daemon() { # NAME [--with-jobs]
  case " ${dead[*]} " in *" $1 "*) return ;; esac
  cluster kill "$here/c" "$@"
  dead+=("$1")
  case "$1" in n*) tally "slurmd${2:+ with its jobs}" ;; *) tally "$1" ;; esac
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

disturb() {
  local node
  below 4
  node=n$((drawn + 1))
  below 12
  case "$drawn" in
    0 | 1 | 2 | 3) kill_run "$sweep" && tally "pippin run killed" ;;
    4 | 5) kill_daemon "$node" ;;
    6 | 7) kill_daemon "$node" --with-jobs ;;
    8) kill_daemon slurmctld ;;
    9) to_a_job scontrol requeue ;;
    10) to_a_job scancel ;;
    11) ;;
  esac
}

# Sees to it that a pippin works: the one that has ended with all done was the campaign's last.
tend() {
  local status=0
  if lives "$sweep"; then return; fi
  wait "${runners[$sweep]}" 2>/dev/null || status=$?
  if [ "$status" -ne 137 ]; then tally "pippin exits $status"; fi
  if [ "$status" -eq 0 ]; then next_campaign; else begin; fi
}

next_campaign() {
  check
  if [ "$sweep" = blocks ]; then sweep=array; else sweep=blocks; fi
  begin --again
}

check() {
  revive all
  cluster wait "$here/c"
  within 120 nobody_works
  # An attempt of the same second may have come after pippin had looked, where two overlapped.
  pippin collect 2>err
  twice=200 holds "$sweep" ok=200
  campaigns+=("$sweep")
}

last_campaign() {
  local tries
  revive all
  cluster wait "$here/c"
  for tries in 1 2 3 4 5 6; do
    if ! lives "$sweep" && wait "${runners[$sweep]}" 2>/dev/null; then check && return; fi
    lives "$sweep" || begin
    wait "${runners[$sweep]}" || true
  done
  failed "the last campaign does not come to its end in $tries tries"
}

soak() {
  local round
  for ((round = 1; round <= rounds; round++)); do
    below 20
    sleep "$((drawn / 10)).$((drawn % 10))"
    disturb
    revive
    tend
    if [ $((round % 25)) -eq 0 ]; then say "round $round of $rounds after $SECONDS s: ${#campaigns[@]} campaigns measured"; fi
  done
  last_campaign
  for name in "${!count[@]}"; do say "${count[$name]} times $name"; done | sort -k 3
  say "${#campaigns[@]} campaigns of 200 runs, every run once"
}

need_slurm
say "$rounds rounds, seed $seed"
RANDOM=$seed
use --set 'NodeName=DEFAULT CPUs=4 CoresPerSocket=4' --set SlurmdTimeout=4 --set MessageTimeout=4
write_soaked blocks
write_soaked array
takes 0.4
repair 2>/dev/null &
begin
soak
