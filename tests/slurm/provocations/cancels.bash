# SPDX-License-Identifier: Apache-2.0
# Cancels, by pippin and by hand, and who may not.
# shellcheck disable=SC2034,SC2154 # variables of helpers.bash

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

# Of tasks that wait, one by one: Slurm keeps no record of such, and they are not begun all the same.
cancel_waiting_tasks() {
  local job
  use --nodes 2
  write_sweep array
  takes 600
  start_run array --max-in-flight 1
  within 60 at_least 1 attempts array
  job=$(jobs_of_both)
  within 60 queue_was_asked 4 # so that pippin has seen them wait
  scancel "${job}_4" "${job}_7" "${job}_[8-12]"
  takes 0.1
  scancel "${job}_1" "${job}_2" # which runs, and perhaps the next
  ended 1 array
  like "$(<array.err)" 'not measured, as their jobs were cancelled; go on with: .* run array.yaml'
  unlike "$(<array.err)" 'no longer knows'
  run 0 array
  holds array ok=12
}

queue_was_asked() { # TIMES: since now, by pippin
  [ -n "${asked_before:-}" ] || asked_before=$(times_asked)
  [ "$(times_asked)" -ge $((asked_before + $1)) ]
}
times_asked() { sdiag | awk '/REQUEST_JOB_(USER_)?INFO / { sub(".*count:", ""); sum += $1 } END { print sum + 0 }'; }

# A controller that is away hears of it later; until then nothing of what waits begins.
cancel_unheard() {
  local status=0
  use --nodes 2 --set SlurmctldTimeout=30
  write_sweep array
  takes 600
  pippin --yes submit array.yaml >/dev/null 2>err
  within 60 at_least 12 attempts array
  # Else it gives their numbers to later jobs, of which it then hears how the earlier ones ended.
  controller_saves "$here/c" "$(queued | sort -n | tail -n 1)"
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
