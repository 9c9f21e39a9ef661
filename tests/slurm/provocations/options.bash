# SPDX-License-Identifier: Apache-2.0
# A site's own options and prologs.
# shellcheck disable=SC2034,SC2154 # variables of helpers.bash

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
