# SPDX-License-Identifier: Apache-2.0
# Jobs that end before their runs do.
# shellcheck disable=SC2034,SC2154 # variables of helpers.bash

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
  within 20 eval 'pippin status array >out && grep -q "suspended .*on n[12]" out'
  sleep 3 # from SIGTSTP on; SIGSTOP comes two seconds later
  scontrol resume "$(<slow/id)"
  ended 1 array
  equal "$(states)" 'failed=1 ok=11'
  like "$(sql "SELECT evidence FROM runs WHERE state = 'failed'")" '^suspended by the scheduler for a time'
  run 0 array --retry-failed
  equal "$(states)" ok=12
}
states() { sql "SELECT state || '=' || count(*) FROM runs GROUP BY state ORDER BY state" | paste -sd ' '; }
