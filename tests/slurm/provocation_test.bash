#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# provocation_test.bash CASE [--accounting]: what goes wrong on a real cluster, provoked on a real
# Slurm; afterwards every run is measured exactly once, or says why not. Exits 77 where there is none.
accounting=${2:-}
# shellcheck source-path=SCRIPTDIR source=helpers.bash
. "$(dirname "$0")/helpers.bash"
# shellcheck source-path=SCRIPTDIR source=late_view.bash
. "$scripts/late_view.bash"
# shellcheck source-path=SCRIPTDIR source=hole.bash
. "$scripts/hole.bash"

# Two sweeps at once, in jobs of several runs and in an array, so that each is provoked both ways.
write_both() {
  write_sweep blocks
  write_sweep array
}

start_both() {
  start_run blocks
  start_run array
}

# both_end STATUS [STATE=COUNT...]
both_end() {
  local sweep
  for sweep in blocks array; do
    ended "$1" "$sweep"
    holds "$sweep" "${@:2}"
  done
}

# both_run ATTEMPTS: so many have begun, in each of the two sweeps.
both_run() { at_least "$1" attempts blocks && at_least "$1" attempts array; }
all_run() { both_run 1 && [ -z "$(squeue -h --all -t PD)" ]; }
both_wait() { [ "$(squeue -h --all --array -t PD -o %A | wc -l)" -ge 15 ]; }
node_is() { [ "$(sinfo -h -N -n "$1" -o %T)" = "$2" ]; }
log_has() { grep -qE "$1" c/log/slurmctld.log; }
jobs_of_both() { squeue -h --all -t R,PD -o %F | sort -u; } # an array is one

# --- nodes and jobs that die ------------------------------------------------------------------------

# MPI over four nodes, by both launchers, is what the job's script sets up for it.
mpi() {
  [ -n "$HELLO_MPI" ] || skip "MPI was not found when this was configured"
  need mpirun
  local launcher expected log
  use --nodes 4
  printf '%s\n' 'sweep: mpi' 'cluster: ./cluster.yaml' 'grid: {by: [srun, mpirun], gpus: [8]}' 'iterations: 5' \
    'command: |' '  case {by} in' "    srun) {launch} $HELLO_MPI ;;" \
    "    mpirun) mpirun --map-by ppr:{ranks_per_node}:node $HELLO_MPI ;;" \
    "  esac && $(replay)" >mpi.yaml
  run 0 mpi
  holds mpi ok=2
  expected=$(for rank in 0 1 2 3 4 5 6 7; do echo "rank $rank of 8 on n$((rank / 2 + 1))"; done)
  for launcher in srun mpirun; do
    log=$(sql "SELECT path FROM runs JOIN logs ON logs.id = log JOIN point_axes USING (point) WHERE text = '$launcher'")
    equal "$(grep '^rank ' "$log" | sort)" "$expected"
  done
}

# --- runs that hang ---------------------------------------------------------------------------------

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
like() { grep -qE -- "$2" <<<"$1" || failed "line ${BASH_LINENO[0]}: no '$2' in '$1'"; }
unlike() { ! grep -qE -- "$2" <<<"$1" || failed "line ${BASH_LINENO[0]}: '$2' in '$1'"; }
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

# --- bad nodes --------------------------------------------------------------------------------------

succeeded() { sql "SELECT count(*) FROM runs WHERE state = 'ok'"; }
ran_on() { sql 'SELECT DISTINCT name FROM run_nodes JOIN nodes ON nodes.id = node ORDER BY name' | paste -sd ' '; }

black_hole() {
  use
  hole_sweep hole
  dig_hole
  run 0 hole
  holds hole ok=60
  like "$(cat err)" "n2 is a bad node: [0-9]+ runs in a row failed on it.*no GPU on n2.*'pippin nodes --allow n2 hole'"
  like "$(pippin status hole)" 'bad nodes +n2: [0-9]+ runs in a row failed'
  like "$(pippin nodes hole --format csv)" '^n2,.*,bad,'
  equal "$(pippin nodes hole --format csv | grep -c ',bad,')" 1
  equal "$(ran_on)" 'n1 n3 n4'
}

# Who found it keeps off what waits, though nobody runs pippin.
black_hole_unwatched() {
  use
  hole_sweep hole
  dig_hole
  pippin --yes submit hole.yaml >out 2>err
  within 240 nobody_works
  like "$(head -n 1 t.db.runs/hole/bad-nodes/n2)" '^found=[0-9]+ by=job '
  like "$(cat t.db.runs/hole/*/*/run)" 'n2 is a bad node: [0-9]+ runs in a row failed on it while others go on'
  [ "$(grep -c "$(printf '\tfailed\t')" t.db.runs/hole/nodes/n2)" -lt 30 ] || failed "the hole was left open"
  run 0 hole
  holds hole ok=60
  equal "$(ran_on)" 'n1 n3 n4'
}

chosen_nodes() {
  use
  hole_sweep chosen
  sed -i 's/allocations: 5/allocations: 1/' chosen.yaml
  run 0 chosen --exclude 'n[1-2]'
  holds chosen ok=12
  equal "$(ran_on)" 'n3 n4'
  run 0 chosen --again --nodelist n3
  holds chosen ok=12
  equal "$(sql "SELECT DISTINCT nodes.name FROM run_nodes JOIN nodes ON nodes.id = node JOIN runs ON runs.id = run
    JOIN allocations ON allocations.id = allocation JOIN campaigns ON campaigns.id = campaign WHERE campaigns.number = 2")" n3
  run 2 chosen --again --nodelist n9
  like "$(cat err)" "Slurm has no node 'n9'"
  pippin nodes --exclude n9 --because 'it is gone' chosen
  run 2 chosen --nodelist ''
  like "$(cat err)" "Invalid node name specified.*'pippin nodes --allow NODE'"
  pippin nodes --allow n9 chosen
  run 0 chosen
  # What waits is kept off, too.
  echo "while [ ! -e $here/seen ]; do sleep 0.1; done" >hole
  pippin --yes submit --again chosen.yaml --max-in-flight 1 >out 2>err
  pippin --yes submit chosen.yaml --exclude n1 >out 2>err
  equal "$(squeue -h --all -t PD -o %x | sort -u)" n1
  touch seen
  run 0 chosen
}

# Then it is the job, or the program, and no node is to blame.
all_nodes_fail() {
  use
  hole_sweep all
  sed -i 's/allocations: 5/allocations: 1/' all.yaml
  echo 'sleep 0.5; echo nothing works; exit 1' >hole
  run 1 all
  holds all failed=12
  [ ! -e t.db.runs/all/bad-nodes ] || failed "a node was called bad"
  equal "$(pippin nodes all --format csv | grep -c ',bad,' || true)" 0
}

failing_prolog_on_a_node() {
  use
  hole_sweep prolog
  dig_hole
  mv hole begin
  touch hole
  echo "prolog: ['bash $here/begin']" >>cluster.yaml
  run 0 prolog
  holds prolog ok=60
  like "$(cat err)" "n2 is a bad node: .*the prolog's line 'bash .*/begin' exits 1"
  equal "$(ran_on)" 'n1 n3 n4'
}

# --- what ends a job ------------------------------------------------------------------------------

# Slurm's shortest limit is a minute, which it may overstay by half of one. Too long is one run of each
# allocation, in the blocks the first of its job: what stood behind it is run by another.
time_limit() {
  use --nodes 4
  sed -i 's/time: .*/time: "00:01:00"}/' cluster.yaml
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

# The node dies with all that runs on it, and Slurm gives the jobs up.
node_fails() {
  use --set SlurmdTimeout=3 --set JobRequeue=0
  write_both
  takes 3
  start_both
  within 60 both_run 1
  cluster kill "$here/c" n1 --with-jobs
  takes 0.1
  within 30 node_is n1 'down*'
  cluster start "$here/c" n1
  both_end 0 ok=12
}

# Only its slurmd dies: the jobs are begun anew elsewhere while the old processes run on.
node_falls_silent() {
  use --set SlurmdTimeout=3
  write_both
  takes 60
  start_both
  within 20 all_run
  cluster kill "$here/c" n1
  takes 0.5
  within 30 node_is n1 'down*'
  within 20 at_least 13 attempts array
  cluster start "$here/c" n1
  both_end 0 ok=12
}

requeue() {
  local job
  use --nodes 4
  write_both
  takes 5
  start_both
  within 20 all_run
  takes 0.1
  for job in $(jobs_of_both); do scontrol requeue "$job"; done
  both_end 0 ok=12
  at_least 1 restarted_runs || failed "nothing was begun anew"
}


preempting() { # MODE [FIELD [OPTION]...]: of the partition that gives way to `first`
  use --set PreemptType=preempt/partition_prio --set "PreemptMode=$1" --set "PartitionName=batch PriorityTier=1${2:+ $2}" \
    --set 'PartitionName=first Nodes=ALL PriorityTier=9 MaxTime=9' "${@:3}"
}

preempt() { sbatch -p first -N 4 --exclusive -o /dev/null --wrap 'sleep 2' >/dev/null; }

preempted() { # MODE
  preempting "$1"
  write_both
  takes 5
  start_both
  within 60 both_run 1
  takes 0.1
  preempt
  both_end 0 ok=12
  log_has 'preempted JobId' || failed "nothing was preempted"
}

preempted_and_requeued() { preempted REQUEUE; }
preempted_and_cancelled() { preempted CANCEL; }

# Its steps are told to end before the job is: what a run leaves then is no failure of its own, nor a result.
graceful() { # MODE SECONDS WRAPPER [OPTION]...
  preempting "$1" "GraceTime=$2" "${@:4}"
  write_both
  sed -i "s|^  .*replay|  {launch} -N 1 -n 1 $3 &|" array.yaml blocks.yaml
  takes 30
  start_both
  within 60 both_run 1
  sleep 10
  takes 0.1
  preempt
  both_end 0 ok=12
  [ "$(find t.db.runs -name run -exec grep -l '^pippin: signal=TERM' {} + | wc -l)" -ge 1 ] || failed "no run was ended"
}

preempted_with_grace() { graceful CANCEL 60 ''; }
requeued_with_grace() {
  graceful REQUEUE 60 ''
  at_least 1 restarted_runs || failed "nothing was begun anew"
}
saved_with_grace() { # as Megatron with --exit-signal-handler
  # shellcheck disable=SC2016 # for that script
  printf '%s\n' '#!/bin/bash' 'trap "exit 0" TERM' '"$@" & wait' >saver
  chmod +x saver
  graceful CANCEL 60 "$here/saver"
}
signalled_with_grace() { graceful CANCEL 15 '' --set SlurmctldParameters=preempt_send_user_signal; }

# By pippin, while another pippin waits for the jobs: that one stops, the next takes up the rest.
cancel_by_pippin() {
  use --nodes 4
  write_both
  takes 600
  start_both
  within 60 both_run 1
  pippin cancel blocks
  pippin cancel array
  ended 1 blocks
  ended 1 array
  takes 0.1
  start_both
  both_end 0 ok=12
}

# By pippin, while another pippin has more to hand over than there is room for: it hands over no more.
cancel_beside_what_is_due() {
  use --set MaxJobCount=5 --set MaxArraySize=4 --set MinJobAge=2
  write_sweep array
  takes 600
  start_run array
  within 60 at_least 1 attempts array
  pippin cancel array
  ended 2 array
  like "$(<array.err)" "'pippin cancel' was called meanwhile"
  within 20 nobody_works
  takes 0.1
  run 0 array
  holds array ok=12
}

# The jobs are on one cluster, and pippin asks another, as where the clusters of a site share homes.
other_cluster() {
  local status=0
  use --nodes 4
  write_sweep array
  takes 600
  pippin --yes submit array.yaml >/dev/null
  within 60 at_least 12 attempts array
  (
    eval "$(cluster up "$here/c2" --nodes 1)"
    pippin --yes run array.yaml "${poll[@]}" >other.out 2>other.err
  ) || status=$?
  cluster down "$here/c2"
  equal "$status" 2
  like "$(<other.err)" 'its jobs are on .*, and this is '
  equal "$(attempts array)" 12
  pippin cancel array
  within 20 nobody_works
  takes 0.1
  run 0 array
  holds array ok=12
}

# By hand, of jobs that run and of jobs that wait; then of all behind pippin's back.
cancel_by_hand() {
  use --nodes 4
  write_both
  takes 600
  start_both
  within 60 both_run 1
  jobs_of_both | xargs scancel
  ended 1 blocks
  ended 1 array
  like "$(<array.err)" '12 runs not measured, as their jobs were cancelled; go on with: .* run array.yaml'
  sed -i 's/time: .*/time: "00:05:00", hold: true}/' cluster.yaml
  pippin submit blocks.yaml
  pippin submit array.yaml
  within 10 both_wait
  jobs_of_both | xargs scancel
  sleep 1.1 # Slurm tells when by the second, and what is cancelled under pippin's eyes is not begun again
  sed -i 's/, hold: true//' cluster.yaml
  takes 0.1
  start_both
  both_end 0 ok=12
}

hold_and_release() {
  use --nodes 4
  sed -i 's/time: .*/time: "00:05:00", hold: true}/' cluster.yaml
  write_both
  start_both
  within 10 both_wait
  sleep 3
  equal "$(attempts blocks) $(attempts array)" '0 0'
  jobs_of_both | xargs scontrol release
  both_end 0 ok=12
}

# By a site's plugin as it is submitted, and once more by hand.
renamed() {
  local job
  use --nodes 4
  fake_sbatch <<'END'
out=$("$real" "$@") || { status=$?; printf '%s\n' "$out"; exit "$status"; }
scontrol update jobid="${out%%;*}" name=site
printf '%s\n' "$out"
END
  write_both
  takes 2
  start_both
  within 60 both_run 1
  within 10 no_name_is_ours
  for job in $(squeue -h -t R -o %A); do scontrol update jobid="$job" name=mine 2>/dev/null || true; done
  both_end 0 ok=12
  equal "$(attempts blocks) $(attempts array)" '12 12'
  takes 600
  start_run array --again
  within 60 is_one_running
  pippin cancel array
  ended 1 array
  within 20 nobody_works
  takes 0.1
  run 0 array
  holds array ok=12
}

no_name_is_ours() { ! squeue -h --all -t PD,R -o %j | grep -qv '^site$'; }
is_one_running() { [ -n "$(squeue -h -t R -o %A)" ]; }

# --- limits -----------------------------------------------------------------------------------------

# What does not fit is submitted as room comes; jobs that are over count until MinJobAge has passed.
low_limits() {
  use --set MaxArraySize=5 --set MaxJobCount=8 --set MinJobAge=2
  write_both
  run 0 array
  holds array ok=12
  at_least 3 submissions_of array || failed "more than fits was submitted at once"
  ! log_has 'MaxJobCount limit' || failed "more than fits was tried"
  start_run blocks
  start_run array --again # both see the same room
  both_end 0 ok=12
}

submissions_of() { find "t.db.runs/$1/jobs" -name journal | wc -l; }

account_limit() {
  need sacctmgr
  use --set AccountingStorageEnforce=limits --set MinJobAge=2
  sacctmgr -iQ modify user "$(id -un)" set MaxSubmitJobs=5 >/dev/null
  within 10 limit_is_known
  write_both
  start_both
  both_end 0 ok=12
  at_least 3 submissions_of array || failed "more than fits was submitted at once"
}

limit_is_known() { scontrol show assoc_mgr flags=assoc | grep -q 'MaxSubmitJobs=5'; }

# A partition's QOS comes before the job's. What a limit counts is not all that the user has queued.
group_limits() {
  need sacctmgr
  sacctmgr_says() { sacctmgr -iQ "$@" >/dev/null; }
  use --set AccountingStorageEnforce=limits,qos --set MinJobAge=2 --set 'PartitionName=other Nodes=n1'
  sacctmgr_says add qos part set MaxSubmitJobsPerUser=4
  sacctmgr_says modify account pippin set GrpSubmitJobs=9
  sacctmgr_says modify qos normal set MaxSubmitJobsPerUser=1
  within 10 scontrol update partitionname=batch qos=part
  within 10 group_limits_are_known
  write_sweep array
  run 0 array
  holds array ok=12
  at_least 3 submissions_of array || failed "more than fits was submitted at once"
  equal "$(find t.db.runs/array/jobs -name refused)" ""
}

group_limits_are_known() {
  scontrol show assoc_mgr flags=assoc | grep -q 'GrpSubmitJobs=9' &&
    scontrol show partition batch | grep -q 'QoS=part'
}

# Where Slurm tells no limit, half of what it refuses is tried at once, and half of that.
untold_limit() {
  need sacctmgr
  use --set AccountingStorageEnforce=limits --set MinJobAge=2
  sacctmgr -iQ modify user "$(id -un)" set MaxSubmitJobs=5 >/dev/null
  within 10 limit_is_known
  mkdir bin
  printf '#!/bin/bash\n[[ "$*" != *assoc_mgr* ]] || exit 1\nexec %q "$@"\n' "$(command -v scontrol)" >bin/scontrol
  chmod +x bin/scontrol
  PATH=$here/bin:$PATH
  write_sweep array
  takes 5
  pippin --yes submit array.yaml >out 2>err
  like "$(cat err)" 'submitted 5 runs in 5 jobs'
  like "$(cat err)" '7 runs not submitted yet: AssocMaxSubmitJobLimit'
  takes 0.1
  run 0 array
  holds array ok=12
}

# --- the controller -----------------------------------------------------------------------------------

# It hangs in the middle of sbatch: the answer is lost, the job may be there or not.
controller_hangs() {
  use --set MessageTimeout=3
  fake_sbatch <<'TEXT'
first "$@" || exec "$real" "$@"
bash "$cluster" kill "$here/c" slurmctld STOP
(sleep 9; bash "$cluster" kill "$here/c" slurmctld CONT) >/dev/null 2>&1 &
"$real" "$@"
TEXT
  write_both
  start_run blocks
  both_end_one blocks
  start_run array
  both_end_one array
}

both_end_one() {
  ended 0 "$1"
  holds "$1" ok=12
}

# Jobs end while it is dead; it comes back knowing them.
controller_dies() {
  use --nodes 4
  write_both
  takes 8
  start_both
  within 20 all_run
  controller_saves "$here/c" "$(jobs_of_both | tail -n 1)"
  cluster kill "$here/c" slurmctld
  takes 0.1
  sleep 4
  cluster start "$here/c" slurmctld
  both_end 0 ok=12
}

# It comes back knowing what it knew some seconds ago: jobs that run are to it yet to begin, or new.
controller_forgets_the_last() {
  use --nodes 4
  write_both
  takes 2
  start_both
  within 60 both_run 1
  cluster kill "$here/c" slurmctld
  sleep 1
  cluster start "$here/c" slurmctld
  repair &
  both_end 0 ok=12
}

# Jobs are cancelled, and forgotten by the queue, while nothing can say what became of them.
accounting_dies() {
  use --set MinJobAge=2
  write_both
  takes 600
  start_both
  within 20 all_run
  cluster kill "$here/c" slurmdbd
  kill -STOP "${runners[blocks]}" "${runners[array]}" # the queue would tell
  jobs_of_both | xargs scancel
  within 60 queue_forgets
  kill -CONT "${runners[blocks]}" "${runners[array]}"
  sleep 5
  if ! lives blocks || ! lives array; then failed "pippin took silence for an answer"; fi
  cluster start "$here/c" slurmdbd
  ended 1 blocks
  ended 1 array
  takes 0.1
  start_both
  both_end 0 ok=12
}

queue_forgets() { [ -z "$(squeue -h --all -t all)" ]; }

# It comes back knowing no job, and gives their ids to others. Nodes refuse an id that they have just seen
# end: where that costs all tries of a run, the same command brings it to its end.
controller_forgets() {
  local sweep
  use --nodes 4
  write_both
  takes 8
  start_both
  within 60 both_run 1
  cluster kill "$here/c" slurmctld
  cluster start "$here/c" slurmctld --without-state
  takes 0.1
  for sweep in blocks array; do
    for _ in 1 2 3; do
      if status_of "$sweep"; then break; fi
      like "$(cat "$sweep.err")" 'the same command tries again'
      sleep 5 # as long as a credential lives here
      start_run "$sweep"
    done
    ended 0 "$sweep"
    twice=12 holds "$sweep" ok=12
  done
}

# --- submitting ---------------------------------------------------------------------------------------

# sbatch dies before or after Slurm has the job, talks nonsense, or says nothing.
sbatch_fails() {
  use --nodes 4
  fake_sbatch <<'TEXT'
n=1
until mkdir "$here/bin/call.$n" 2>/dev/null; do n=$((n + 1)); done
case $n in
  1) kill -KILL $$ ;;
  2) "$real" "$@" >/dev/null; kill -KILL $$ ;;
  3) "$real" "$@" >/dev/null; echo 'Have a nice day' ;;
  4) "$real" "$@" >/dev/null; exit 1 ;;
  5) echo 'sbatch: error: Batch job submission failed: Socket timed out on send/recv operation' >&2; exit 1 ;;
  6) "$real" "$@"; exit 1 ;;
  *) exec "$real" "$@" ;;
esac
TEXT
  write_both
  start_both
  both_end 0 ok=12
}

pippin_is_killed() {
  local i
  use --nodes 4
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
}

# --- files --------------------------------------------------------------------------------------------

# The nodes do not see the folder of the runs when their jobs begin.
no_output_folder() {
  use --nodes 4
  sed -i 's/time: .*/time: "00:05:00", hold: true}/' cluster.yaml
  write_both
  pippin submit blocks.yaml
  pippin submit array.yaml
  mv t.db.runs away
  jobs_of_both | xargs scontrol release
  within 30 nobody_works
  mv away t.db.runs
  sed -i 's/, hold: true//' cluster.yaml
  start_both
  both_end 0 ok=12
}

full_disk() {
  mkdir disk
  mount -t tmpfs -o size=2m none disk 2>/dev/null || skip "nothing can be mounted here"
  use --nodes 4
  mkdir disk/runs
  ln -s disk/runs t.db.runs
  write_both
  takes 2
  start_both
  within 60 both_run 1
  fill_disk
  sleep 4
  rm disk/filler
  status_of blocks || true
  status_of array || true
  takes 0.1
  start_both
  both_end 0 ok=12
}

fill_disk() { cat /dev/zero >disk/filler 2>/dev/null || true; }

# --- options of a site's own --------------------------------------------------------------------------

options() {
  use --nodes 2
  local before
  before=$(sbatch --parsable --hold --wrap true)
  sed -i "s/^slurm: {/slurm: {export: NONE, dependency: \"afterok:$before\", gres: \"gpu:1\", /" cluster.yaml
  grep -q 'export: NONE' cluster.yaml || failed "cluster.yaml has no line 'slurm: {': $(cat cluster.yaml)"
  write_sweep array
  # shellcheck disable=SC2016 # for the job's shell
  sed -i 's/^iterations:/env: {MARK: seen}\n&/; s/^command: |/&\n  {launch} -N 1 -n 1 bash -c "echo mark=\\$MARK"\n/' array.yaml
  SBATCH_TIMELIMIT=1 pippin --yes submit array.yaml --notify "touch $here/notified" >out 2>err
  like "$(cat err)" 'SBATCH_TIMELIMIT: no job gets what the environment says here'
  equal "$(squeue -h --array -t PD -o %j | grep -c '^array-')" 13
  equal "$(squeue -h -t PD -o '%b %j' | sed -n 's/ array-notify.*//p')" 'N/A'
  equal "$(squeue -h --array -t R,CG -o %A | wc -l)" 0
  scontrol release "$before"
  run 0 array
  holds array ok=12
  equal "$(cat t.db.runs/array/*-a*/*/log | grep -c '^mark=seen$')" 12
  within 60 test -e notified
}

failing_prolog() {
  use --nodes 2
  echo "prolog: ['module() { return 1; }', 'module load cuda/13']" >>cluster.yaml
  write_sweep array
  run 1 array
  like "$(cat err)" "the prolog's line 'module load cuda/13' exits 1"
  equal "$(attempts array)" 0
  sed -i '/^prolog:/d' cluster.yaml
  run 0 array
  holds array ok=12
}

# A signal is nobody's fault, though the script's trap finds a status of 0 then.
cancelled_prolog() {
  use --nodes 2
  echo "prolog: ['touch $here/began', 'sleep 60']" >>cluster.yaml
  write_sweep array
  start_run array
  within 60 test -e began
  pippin cancel array
  ended 1 array
  within 20 nobody_works
  [ ! -e t.db.runs/array/bad-nodes ] || failed "bad nodes: $(ls t.db.runs/array/bad-nodes)"
  sed -i '/^prolog:/d' cluster.yaml
  run 0 array
  holds array ok=12
}

# --- a cancel that is not carried out at once -----------------------------------------------------------

# A controller that is away hears of it later; until then nothing of what waits begins.
cancel_unheard() {
  local status=0
  use --nodes 2 --set SlurmctldTimeout=30
  write_sweep array
  takes 600
  pippin --yes submit array.yaml >/dev/null 2>err
  within 60 at_least 4 attempts array
  cluster kill "$here/c" slurmctld
  pippin cancel array 2>err || status=$?
  equal "$status" 3
  like "$(<err)" 'it is noted: what has not begun will not run'
  cluster start "$here/c" slurmctld
  within 20 slurm_answers
  pippin status array >out
  like "$(<out)" 'array-.* is cancelled, and slurm still has it'
  pippin cancel array
  within 20 nobody_works
  takes 0.1
  run 0 array
  holds array ok=12
}
slurm_answers() { squeue >/dev/null 2>&1; }

# Who may not end the jobs leaves no word that somebody else would act on.
cancel_refused() {
  local status=0
  [ "$(id -u)" -eq 0 ] || skip 'only root can be another user'
  use --nodes 2
  write_sweep array
  takes 600
  pippin --yes submit array.yaml >/dev/null 2>err
  within 60 at_least 4 attempts array
  chmod -R a+rwX "$here"
  (view=(setpriv --reuid=nobody --regid=nogroup --clear-groups env "HOME=$here") && pippin cancel array) 2>err || status=$?
  equal "$status" 3
  like "$(<err)" 'denied.*; the jobs are those of root, who can cancel them'
  unlike "$(<err)" 'it is noted'
  equal "$(find t.db.runs -name cancelled)" ''
  takes 0.1
  pippin status array >out
  unlike "$(<out)" 'is cancelled'
  pippin cancel array
  within 20 nobody_works
}

# Jobs that take their time to end are still there when their runs are submitted once more.
cancel_then_submit() {
  local status=0
  use --nodes 2 --set KillWait=300 --set UnkillableStepTimeout=400
  printf '%s\n' 'sweep: array' 'cluster: ./cluster.yaml' 'grid: {gpus: [2], mbs: [1, 2]}' 'pack: point' \
    "command: |" "  touch $here/deaf; : {mbs}; trap '' TERM; until [ -e $here/enough ]; do sleep 0.1; done; exit 1" >array.yaml
  pippin --yes submit array.yaml >/dev/null 2>err
  within 60 test -e deaf
  pippin cancel array
  pippin --yes submit array.yaml 2>err || status=$?
  equal "$status" 3
  like "$(<err)" '2 runs not submitted: the jobs that were cancelled are not over yet'
  touch enough
  within 20 nobody_works
  pippin --yes submit array.yaml 2>err
  like "$(<err)" 'submitted 2 runs in 2 jobs'
  within 20 nobody_works
}

# Two campaigns of a sweep at a time are both seen, and both end.
again_in_flight() {
  use --nodes 4
  write_sweep array
  takes 600
  pippin --yes submit array.yaml 2>err
  within 60 at_least 4 attempts array
  pippin --yes submit array.yaml 2>err
  like "$(<err)" 'nothing to submit, 12 runs are under way'
  pippin --yes submit --again array.yaml 2>err
  pippin status array >out
  like "$(<out)" 'array campaign 1'
  like "$(<out)" 'array campaign 2'
  pippin cancel array 2>err
  like "$(<err)" 'array campaign 1: cancelled'
  within 20 nobody_works
  pippin status array >out
  unlike "$(<out)" 'array campaign 1'
}

# --- jobs that are held still, or back ----------------------------------------------------------------

# A run that did not have its nodes all the time is no measurement; the others are.
suspended() {
  use --nodes 2
  write_sweep array
  # shellcheck disable=SC2016 # for the job's shell
  takes 10 'mkdir '"$here"'/slow 2>/dev/null && echo "$SLURM_JOB_ID" >'"$here/slow/id"
  start_run array
  within 60 test -s slow/id
  scontrol suspend "$(<slow/id)"
  within 20 is_state "$(<slow/id)" SUSPENDED
  within 20 eval 'pippin status array >out && grep -q "suspended on n[12]" out'
  sleep 3 # from SIGTSTP on; SIGSTOP comes two seconds later
  scontrol resume "$(<slow/id)"
  ended 1 array
  equal "$(states)" 'failed=1 ok=11'
  like "$(sql "SELECT evidence FROM runs WHERE state = 'failed'")" '^suspended by the scheduler for a time'
  run 0 array --retry-failed
  equal "$(states)" ok=12
}
states() { sql "SELECT state || '=' || count(*) FROM runs GROUP BY state ORDER BY state" | paste -sd ' '; }

# Where nothing starts by itself, who waits is told why and what to do.
held_back_in_the_queue() {
  use --nodes 2
  sed -i 's/time: .*/time: "00:05:00", hold: true}/' cluster.yaml
  write_sweep array
  start_run array
  within 30 grep -q "does not start: JobHeldUser; it is held: 'scontrol release ID'" array.err
  queued | sort -u | xargs scontrol release
  ended 0 array
  holds array ok=12
}

# An earlier campaign that is over keeps no cancel from the one that waits, though Slurm does not answer.
cancel_the_newest() {
  local status=0 job
  use --nodes 2
  write_sweep array
  takes 600
  pippin --yes submit array.yaml 2>err
  within 60 at_least 12 attempts array
  pippin cancel array
  within 20 nobody_works
  sed -i 's/time: .*/time: "00:05:00", hold: true}/' cluster.yaml
  pippin --yes submit --again array.yaml 2>err
  job=$(queued | sort -n | head -n 1)
  controller_saves "$here/c" "$job"
  cluster kill "$here/c" slurmctld
  pippin cancel array 2>err || status=$?
  equal "$status" 3
  like "$(<err)" 'array campaign 2: .*it is noted'
  cluster start "$here/c" slurmctld
  within 20 slurm_answers
  scontrol release "$job"
  within 60 is_state "$job" COMPLETED
  equal "$(attempts array)" 12
  pippin cancel array
  within 20 nobody_works
  pippin status array >out
  unlike "$(<out)" 'array campaign 1'
  equal "$(find t.db.runs/array/jobs -name ended | wc -l)" 1
}

# Jobs that Slurm hides from all but their user are nobody else's to cancel.
cancel_hidden() {
  local status=0
  [ "$(id -u)" -eq 0 ] || skip 'only root can be another user'
  use --nodes 2 --set PrivateData=jobs
  write_sweep array
  takes 600
  pippin --yes submit array.yaml 2>err
  within 60 at_least 4 attempts array
  chmod -R a+rwX "$here"
  (view=(setpriv --reuid=nobody --regid=nogroup --clear-groups env "HOME=$here") && pippin cancel array) 2>err || status=$?
  equal "$status" 3
  like "$(<err)" 'nothing of it is cancelled'
  equal "$(find t.db.runs -name cancelled)" ''
  pippin cancel array
  within 20 nobody_works
}

# --- folders with names that Slurm reads ---------------------------------------------------------------

folder_names() {
  use --nodes 4
  local folder
  for folder in 'per%j cent' 'back\slash' '100%\%x'; do
    mkdir "$here/$folder"
    cd "$here/$folder"
    cp ../cluster.yaml .
    write_sweep array
    write_sweep blocks
    run 0 array
    holds array ok=12
    run 0 blocks
    holds blocks ok=12
  done
}

# --- files that this machine sees late ----------------------------------------------------------------

late_files() {
  need_late_view
  use --nodes 4
  sed -i '/^files_late:/d' cluster.yaml
  write_sweep blocks
  write_sweep array '  [ {mbs} = 1 ]'
  late_programs
  show_late 20 &
  PATH=$here/late-bin:$PATH
  view=("${late_view[@]}")
  start_both
  within 60 status_says 'files of its runs may be seen late, for [0-9]+ s more'
  ended 0 blocks
  holds blocks ok=12
  ended 1 array
  holds array failed=6 ok=6
  equal "$(attempts blocks) $(attempts array)" "12 12" # none was launched twice
}

status_says() { grep -qE -- "$1" <<<"$(pippin status)"; }

need_slurm
"$1"
