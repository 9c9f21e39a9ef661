# SPDX-License-Identifier: Apache-2.0
# Sourced by tests of pippin on the PBS of pbs.bash: what tests on a real Slurm have, folder, sweeps and
# checker, over another scheduler.
# shellcheck disable=SC2034 # variables of the other file
cluster_script=$(realpath "$(dirname "${BASH_SOURCE[0]}")/pbs.bash")
accounting=''
# shellcheck source-path=SCRIPTDIR source=../slurm/helpers.bash
. "$(dirname "${BASH_SOURCE[0]}")/../slurm/helpers.bash"
for name in "${!PBS_@}"; do unset "$name"; done

# use OPTION...: a PBS of 4 nodes, its programs on PATH, and a cluster file for it.
use() {
  need sqlite3 pkill flock awk
  PATH=$here/c/bin:$PATH
  cluster up "$here/c" "$@"
  printf '%s\n' 'cluster: fake' 'scheduler: pbs' 'nodes: 4' 'gpus_per_node: 2' 'accelerator: cpu' \
    'files_late: 2 s' 'pbs: {q: workq, walltime: "00:10:00"}' >cluster.yaml
  takes 0.1
}

nobody_works() { cluster idle "$here/c"; }
squeue() { qselect; } # for the checker, which shows what is left
jobs_there() { qselect -u "$(id -un)"; }

# Ids of tasks that run, such as 101.fake and 102[3].fake.
running() {
  local id
  for id in $(qselect -T -s R -u "$(id -un)"); do echo "$id"; done
}
is_gone() { ! qstat -f "$1" >/dev/null 2>&1; }
submissions_of() { find "t.db.runs/$1/jobs" -name journal | wc -l; }
both_run() { [ "$(attempts blocks)" -ge "$1" ] && [ "$(attempts array)" -ge "$1" ]; }

write_both() { write_sweep blocks && write_sweep array; }
start_both() { start_run blocks && start_run array; }
count_of() { [ "$(find "t.db.runs/$1/jobs" -name "$2" 2>/dev/null | wc -l)" = "$3" ]; }

# Of both some run and some wait: the array's tasks would take all nodes for themselves.
start_long() {
  takes 600
  start_run blocks
  within 30 count_of blocks handed 3
  start_run array
  within 60 both_run 1
}

both_end() { # STATUS STATE=COUNT...
  ended "$1" blocks
  ended "$1" array
  holds blocks "${@:2}"
  holds array "${@:2}"
}
