# SPDX-License-Identifier: Apache-2.0
# Slurm's controller, its accounting, and sbatch fail.
# shellcheck disable=SC2034,SC2154 # variables of helpers.bash

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

# It has forgotten jobs that its accounting believes to wait. Nobody stays for as long as that may lag: whoever
# comes later counts from when they were missed first.
forgotten_while_nobody_looks() {
  use
  write_sweep array
  scontrol update PartitionName=batch State=DOWN
  pippin submit array.yaml
  cluster kill "$here/c" slurmctld
  cluster start "$here/c" slurmctld --without-state
  within 30 queue_forgets
  pippin submit array.yaml 2>err
  like "$(cat err)" 'nothing to submit'
  within 90 submits_anew
  takes 0.1
  start_run array
  ended 0 array
  holds array ok=12
}

submits_anew() {
  sleep 3
  pippin submit array.yaml 2>err && grep -q 'submitted 12 runs' err
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
