# SPDX-License-Identifier: Apache-2.0
# Sourced by tests of pippin on a real Slurm: a folder for each, in it a cluster that is always taken
# down, and one checker of what pippin has made of a sweep.
# $PIPPIN_PROGRAM is pippin; $HELLO_MPI is hello_mpi.cpp, or empty where there is no MPI; $accounting
# is --accounting or empty; in $PIPPIN_KEEP, where it is set, a test that fails leaves its folder.
set -euo pipefail
scripts=$(realpath "$(dirname "${BASH_SOURCE[0]}")") # tests/slurm
cluster_script=${cluster_script:-$(realpath "$scripts/../../slurm/cluster.bash")}
here=$(mktemp -d)
cd "$here"
PATH=$PATH:/usr/sbin:/sbin
real_sbatch=$(command -v sbatch || true)
poll=(--poll 1) # how often pippin asks Slurm
for name in "${!SLURM_@}" "${!SBATCH_@}"; do unset "$name"; done

cluster() { bash "$cluster_script" "$@"; }
say() { printf '%s\n' "$*"; }
skip() { say "skipped: $*"; exit 77; }
failed() { say "failed: $*"; exit 1; }
equal() { [ "$1" = "$2" ] || failed "line ${BASH_LINENO[0]}: expected '$2', found '$1'"; }

need() {
  local program
  for program in "$@"; do command -v "$program" >/dev/null || skip "$program is not installed"; done
}

need_slurm() {
  need slurmctld slurmd munged sbatch sqlite3
  if [ -n "$accounting" ]; then need slurmdbd sacctmgr mariadbd; fi
}

clean() {
  local status=$? pids file sweep
  trap - EXIT
  cd /
  if [ "$status" -ne 0 ] && [ "$status" -ne 77 ]; then
    for file in "$here"/err "$here"/*.err "$here"/c/log/slurmctld.log; do
      if [ -s "$file" ]; then say "--- the end of ${file##*/}" && tail -n 20 "$file"; fi
    done
    if [ -n "${PIPPIN_KEEP:-}" ]; then mkdir -p "$PIPPIN_KEEP" && cp -r "$here" "$PIPPIN_KEEP"; fi
  fi
  if declare -F before_cleaning >/dev/null; then (cd "$here" && before_cleaning); fi
  for sweep in "${!runners[@]}"; do (cd "$here" && kill_run "$sweep"); done
  mapfile -t pids < <(jobs -p)
  if [ "${#pids[@]}" -gt 0 ]; then { kill -KILL "${pids[@]}" && wait "${pids[@]}"; } 2>/dev/null || true; fi
  if [ -e "$here/c/settings" ]; then cluster down "$here/c"; fi
  if mountpoint -q "$here/disk"; then umount -l "$here/disk"; fi
  rm -rf "$here"
  exit "$status"
}
trap clean EXIT
trap 'exit 1' TERM INT HUP

# Where the test itself is killed, as ctest does after its time limit, what is no child of it cleans up.
guard() {
  # shellcheck disable=SC2016 # for the shell that is started
  (setsid bash -c 'while kill -0 "$1"; do sleep 1; done
    if [ -e "$2/c/settings" ]; then bash "$3" down "$2/c"; fi
    if mountpoint -q "$2/disk"; then umount -l "$2/disk"; fi
    rm -rf "$2"' guard "$$" "$here" "$cluster_script" </dev/null >/dev/null 2>&1 &)
}
guard

# use OPTION...: a cluster of 4 nodes with 2 ranks each, and a cluster file for it, whose credentials
# live so shortly that a lost submission is soon known to be lost.
use() {
  # shellcheck disable=SC2086 # nothing where it is empty
  eval "$(cluster up "$here/c" $accounting --set AuthInfo=cred_expire=5,ttl=8 "$@")"
  cp c/cluster.yaml cluster.yaml
  echo 'files_late: 5 s' >>cluster.yaml # two minutes for each job that never began would be many
  takes 0.1
}

# write_sweep NAME [LINE]...: 12 runs; as `blocks` in jobs of 1, 2 and 4 nodes, with any other name as
# an array of one job a run.
write_sweep() {
  local gpus='[2, 4, 8]' others=('order: blocks')
  if [ "$1" != blocks ]; then gpus='[2]' others=('pack: point' 'repeats: {allocations: 3}'); fi
  printf '%s\n' "sweep: $1" 'cluster: ./cluster.yaml' "${others[@]}" "grid: {gpus: $gpus, mbs: [1, 2], gas: [1, 2]}" \
    'iterations: 5' 'command: |' "  $(replay)" "${@:2}" >"$1.yaml"
}

replay() {
  printf '%q %s' "${PIPPIN_PROGRAM%/*}/probes/replay" '--dp {dp} --mbs {mbs} --gas {gas} --iterations {iterations}'
  # shellcheck disable=SC2016 # for the job's shell
  printf ' --step-time-ms 200 --warmup-iterations 0 --sleep-factor "$(. %q)"' "$here/seconds"
}

# takes SECONDS [CONDITION]: what runs that begin from now on do, or else 0.1 s; bash in the run's place.
takes() {
  echo "if ${2:-true}; then echo $1; else echo 0.1; fi" >"$here/seconds.new"
  mv "$here/seconds.new" "$here/seconds" # a run that begins now reads it whole
}

view=() # prefix of the command, where pippin is to see things otherwise
pippin() { "${view[@]}" "$PIPPIN_PROGRAM" --db t.db "$@"; }

# run STATUS SWEEP [OPTION]...: pippin brings the sweep to its end, and exits so.
run() {
  local status=0
  pippin --yes run "$2.yaml" "${poll[@]}" "${@:3}" >out 2>err || status=$?
  [ "$status" -eq "$1" ] || failed "line ${BASH_LINENO[0]}: pippin run exits $status instead of $1: $(tail -n 3 err)"
}

# start_run SWEEP [OPTION]...: the same in the background; ended STATUS SWEEP waits for it. A file says how it
# ended: among thousands of processes another one gets its number, which `wait` may take for it.
declare -A runners=() keepers=() # pippin itself, and what waits for it
start_run() {
  rm -f "$1.pid" "$1.status"
  (
    status=0
    "${view[@]}" "$PIPPIN_PROGRAM" --db t.db --yes run "$1.yaml" "${poll[@]}" "${@:2}" >"$1.out" 2>"$1.err" &
    echo "$!" >"$1.pid"
    wait "$!" || status=$?
    echo "$status" >"$1.status.new"
    mv "$1.status.new" "$1.status"
  ) 2>/dev/null &
  keepers[$1]=$!
  until [ -s "$1.pid" ]; do sleep 0.01; done
  runners[$1]=$(<"$1.pid")
}

# status_of SWEEP: that of its pippin, once it has ended; 137 where nobody is left to say.
status_of() {
  until [ -e "$1.status" ]; do
    kill -0 "${keepers[$1]}" 2>/dev/null || [ -e "$1.status" ] || return 137
    sleep 0.05
  done
  return "$(<"$1.status")"
}

ended() {
  local status=0
  status_of "$2" || status=$?
  [ "$status" -eq "$1" ] || failed "line ${BASH_LINENO[0]}: pippin run $2 exits $status instead of $1: $(tail -n 3 "$2.err")"
}

lives() { [ -n "${runners[$1]:-}" ] && [ ! -e "$1.status" ]; }

kill_run() { # SWEEP
  if ! lives "$1"; then return; fi
  kill -KILL "${runners[$1]}" 2>/dev/null || true
  status_of "$1" || true
}

# within SECONDS COMMAND...: the command becomes true.
within() {
  local until=$((SECONDS + $1))
  shift
  until "$@"; do
    [ "$SECONDS" -lt "$until" ] || failed "line ${BASH_LINENO[0]}: still not: $*"
    sleep 0.1
  done
}

# controller_saves DIR JOB: what it knows of the job, which it else does every few seconds.
controller_saves() {
  scontrol update jobid="$2" comment=as-of-now
  within 20 grep -q as-of-now "$1/state/job_state"
}

sql() { sqlite3 -cmd '.timeout 20000' t.db "$1"; }
attempts() { # SWEEP [WORD]: whose records have that word, such as exit
  find "t.db.runs/$1" -mindepth 3 -maxdepth 3 -path '*-a[0-9]*/*' -name run -exec grep -ls "^pippin: ${2:-started}=" {} + 2>/dev/null | wc -l
}
restarted_runs() { find t.db.runs -mindepth 4 -path '*-1/run' -exec grep -l '^pippin: exit=' {} + | wc -l; }
at_least() { [ "$("${@:2}")" -ge "$1" ]; }
nobody_works() { [ -z "$(squeue -h --all -t PD,R,CG,S,CF)" ]; }
queued() { squeue -h --all --array -t PD,R,CG,S,CF -o %A; }
is_state() { [ "$(squeue -h -t all -j "$1" -o %T 2>/dev/null | sort -u)" = "$2" ]; }
node_of() { squeue -h -j "$1" -t R -o %N; }

# What people do where Slurm has drained a node for having a job of that id already, and holds that job.
repair() {
  local job
  while sleep 1; do
    scontrol update nodename=ALL state=resume 2>/dev/null || true
    for job in $(squeue -h --all --array -t PD -o '%A %r' | sed -n 's/ .*[hH]eld.*//p'); do scontrol release "$job" || true; done
  done
}

# fake_sbatch: bash on standard input is the sbatch that pippin finds; in it, "$real" is Slurm's, and
# `first` true for the first call of each sweep only.
fake_sbatch() {
  mkdir -p bin
  {
    printf '#!/bin/bash\nreal=%q here=%q cluster=%q\n' "$real_sbatch" "$here" "$cluster_script"
    # shellcheck disable=SC2016 # for that script
    echo 'first() { [[ "$*" =~ --job-name=([a-z]*) ]] && mkdir "$here/bin/called-${BASH_REMATCH[1]}" 2>/dev/null; }'
    cat
  } >bin/sbatch
  chmod +x bin/sbatch
  PATH=$here/bin:$PATH
}

# --- the checker ----------------------------------------------------------------------------------

# The attempt of a run that counts, by its files: of those with exit code 0 the one that ended first, or
# among several of that second began first; empty where none has it.
first_success() {
  local file attempt end=$'\npippin: exit=0 ended=([0-9]+) started=([0-9]+)(\n|$)'
  for file in "$1"/*/run; do
    [[ -f $file && $(<"$file") =~ $end ]] || continue
    attempt=${file%/run}
    printf '%s %s %s %s\n' "${BASH_REMATCH[1]}" "$(cut -d - -f 1 <<<"${attempt##*/}")" "${BASH_REMATCH[2]}" "$attempt"
  done | sort -s -k 1,1n -k 2,2n -k 3,3n | head -n 1 | cut -d ' ' -f 4-
}

successes() { grep -lsE '^pippin: exit=0 ended=[0-9]+ started=[0-9]+$' "$1"/*/run | wc -l; }

# holds SWEEP STATE=COUNT...: of the newest campaign every run is in the database exactly once, in as
# many as these states; it is the attempt that counts by its files, with all that its log says; of no
# other attempt is anything there; nothing of it is left in the queue.
# $twice is how many runs may have succeeded more than once: two attempts overlap where a node dies.
holds() {
  local sweep=$1 folder runs campaign planned name state log lines attempt twice_done=0
  shift
  folder=$PWD/t.db.runs/$sweep
  campaign=$(sql "SELECT max(number) FROM campaigns JOIN sweeps ON sweeps.id = sweep WHERE name = '$sweep'")
  runs="runs JOIN allocations ON allocations.id = allocation JOIN campaigns ON campaigns.id = campaign
    JOIN sweeps ON sweeps.id = sweep LEFT JOIN logs ON logs.id = log
    WHERE sweeps.name = '$sweep' AND campaigns.number = $campaign"
  planned=$(sql "SELECT count(*) FROM json_each(readfile('$folder/campaign-$campaign.json'), '\$.jobs') AS job,
    json_each(job.value, '\$.runs')")
  equal "$(sql "SELECT runs.state || '=' || count(*) FROM $runs GROUP BY runs.state ORDER BY runs.state" | paste -sd ' ')" "$*"
  equal "$(sql "SELECT count(*) || ' ' || count(DISTINCT runs.name) FROM $runs")" "$planned $planned"
  while IFS='|' read -r name state log lines; do
    attempt=$(first_success "$folder/$name")
    if [ "$(successes "$folder/$name")" -gt 1 ]; then twice_done=$((twice_done + 1)); fi
    if [ "$state" = ok ]; then
      equal "$log" "$attempt/log"
    else
      equal "$attempt" ""
      ! grep -qsxF "$name"$'\tok' "$folder"/outcomes/* || failed "$name: is $state, and its job says that it is ok"
    fi
    if [ -n "$log" ]; then equal "$name: $lines" "$name: $(grep -c '^ iteration ' "$log")"; fi
  done < <(sql "SELECT runs.name, runs.state, logs.path,
    (SELECT count(*) FROM iterations WHERE run = runs.id) FROM $runs")
  equal "$(sql 'SELECT count(*) FROM logs')" "$(sql 'SELECT count(*) FROM runs WHERE log IS NOT NULL')"
  [ "$twice_done" -le "${twice:-0}" ] || failed "$twice_done runs have succeeded more than once"
  within 20 nobody_works || { squeue --all && failed "jobs are left"; }
  say "$sweep: $*; $(attempts "$sweep") attempts, $(attempts "$sweep" exit) to their end"
}

