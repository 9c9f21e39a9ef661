# SPDX-License-Identifier: Apache-2.0
# Jobs that wait, have other names, or are more than a limit allows.
# shellcheck disable=SC2034,SC2154 # variables of helpers.bash

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

# Where nothing starts by itself, who waits is told why and what to do.
held_back_in_the_queue() {
  use --nodes 2
  sed -i 's/time: .*/time: "00:05:00", hold: true}/' cluster.yaml
  write_sweep array
  start_run array
  within 30 grep -q "does not start: JobHeldUser; it is held: 'scontrol release ID'" array.err
  pippin status array >out
  like "$(<out)" "JobHeldUser of array-n1-s1; it is held: 'scontrol release [0-9]+'"
  queued | sort -u | xargs scontrol release
  ended 0 array
  holds array ok=12
}
