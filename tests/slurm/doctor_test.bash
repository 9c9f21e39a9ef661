#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# doctor_test.bash CASE [--accounting]: pippin doctor on a real Slurm; exits 77 where there is none.
accounting=${2:-}
# shellcheck source-path=SCRIPTDIR source=helpers.bash
. "$(dirname "$0")/helpers.bash"

# says TEXT: one line of the file `out` begins so.
says() { grep -q -e "^$1" out || failed "line ${BASH_LINENO[0]}: no line '$1': $(cat out)"; }
# writes TEXT [FILE]: one line of the file (mine.yaml) is so, its comment aside.
writes() {
  local file=${2:-mine.yaml}
  sed 's/ *#.*//' "$file" | grep -qxF -e "$1" || failed "line ${BASH_LINENO[0]}: no line '$1': $(cat "$file")"
}
# told TEXT: a line of the file `err` is so.
told() { grep -qxF -e "$1" err || failed "line ${BASH_LINENO[0]}: no line '$1': $(cat err)"; }
# refused STATUS TEXT WORD...: doctor ends so with one line, and writes no file.
refused() {
  local status=0
  pippin doctor "${@:3}" >out 2>err || status=$?
  equal "$status" "$1"
  equal "$(wc -l <err)" 1
  grep -q -e "$2" err || failed "expected '$2', found '$(cat err)'"
}

written() {
  use
  pippin doctor >out
  says 'ok  *database '
  says 'ok  *Slurm  *[0-9]'
  says 'ok  *cluster  *one_machine, its clock agrees'
  says 'ok  *accounting .*default pippin'
  says 'ok  *limits  *MaxArraySize 1001, MaxJobCount 10000'
  says 'ok  *partition  *batch (default): 4 nodes, 4 GPUs (fake) a node, up to 7-00:00:00'
  pippin doctor --write-cluster mine.yaml 2>err
  grep -q "'cluster: ./mine.yaml'\|'cluster: mine.yaml'" err || failed "$(cat err)"
  writes 'cluster: one_machine-batch'
  writes 'nodes: 4'
  writes 'gpus_per_node: 4'
  writes '  partition: batch'
  writes '  account: pippin'
  writes '  time: "00:10:00"'
  writes '  cpus-per-task: 10'
  writes '  gres: gpu:fake:4'
  refused 2 'mine.yaml: is there already' --write-cluster mine.yaml
  cp mine.yaml cluster.yaml # of the sweep
  write_sweep array
  # shellcheck disable=SC2016 # for the job's shell
  sed -i 's/^command: .*/&\n  {launch} printenv SLURM_CPUS_PER_TASK >"$PIPPIN_RUN_DIR\/cpus"/' array.yaml
  run 0 array
  holds array ok=12
  equal "$(cat t.db.runs/array/*-a[0-9]*/*/cpus | sort | uniq -c | tr -s ' ')" ' 24 10'
}

broken() {
  use --set PartitionName=batch\ Default=NO --set 'PartitionName=few Nodes=n[3-4] MaxNodes=1 MaxTime=UNLIMITED'
  scontrol update nodename=n4 state=drain reason=test
  pippin doctor >out
  says 'note  *accounting  *none: 300 s after its end'
  says 'ok  *partition  *batch: 4 nodes (1 down or drained), 4 GPUs'
  says 'ok  *partition  *few: 2 nodes (1 down or drained), 4 GPUs (fake) a node, no time limit'
  refused 2 'no default partition: add --partition and one of batch, few' --write-cluster mine.yaml
  refused 2 'no such partition; there are batch, few' --write-cluster mine.yaml --partition lots
  refused 3 'cannot' --write-cluster /proc/mine.yaml --partition few
  pippin doctor --write-cluster mine.yaml --partition few --quiet
  writes 'cluster: one_machine-few'
  writes 'nodes: 1'
  writes '  partition: few'
  cluster kill "$here/c" slurmctld
  pippin doctor >out
  says 'note  *Slurm  *cannot be asked'
  refused 3 'Slurm cannot be asked' --write-cluster other.yaml
  [ ! -e other.yaml ] || failed "other.yaml was written"
}

# ranks_on CLUSTER GPUS: a sweep of one run there; the nodes of its ranks, how many each, with the CPUs of a rank.
ranks_on() {
  local name
  name=on$(tr -dc a-z0-9 <<<"$1$2")
  # shellcheck disable=SC2016 # for the job's shell
  printf '%s\n' "sweep: $name" "cluster: {from: $1, files_late: 5 s}" "grid: {gpus: [$2], mbs: [1], gas: [1]}" \
    'iterations: 5' 'repeats: {allocations: 1}' 'command: |' \
    '  {launch} bash -c '\''echo "$SLURMD_NODENAME $SLURM_CPUS_PER_TASK"'\'' >"$PIPPIN_RUN_DIR/ranks"' "  $(replay)" >"$name.yaml"
  run 0 "$name"
  sort t.db.runs/"$name"/*-a[0-9]*/*/ranks | uniq -c | tr -s ' '
}

mixed() {
  use --shape "$shapes/mixed.shape"
  pippin doctor --write-cluster mine.yaml 2>err
  told "mine.yaml: partition batch, the 3 with gpu:4, 40 cores, 32 GB, v100-32g; look it through, then say 'cluster: mine.yaml' in a sweep"
  told "mine-v100-16g.yaml: partition batch, the 2 with gpu:4, 40 cores, 16 GB, v100-16g; look it through, then say 'cluster: mine-v100-16g.yaml' in a sweep"
  writes 'nodes: 3'
  writes '  constraint: v100-32g'
  writes 'nodes: 2' mine-v100-16g.yaml
  writes '  constraint: v100-16g' mine-v100-16g.yaml
  equal "$(ranks_on ./mine.yaml 12)" " 4 n1 10
 4 n2 10
 4 n3 10"
  equal "$(ranks_on ./mine-v100-16g.yaml 8)" " 4 n4 10
 4 n5 10"
  scontrol update nodename=n4,n5 state=drain reason=test
  pippin doctor --write-cluster large.yaml 2>err
  told "left out: 2 with gpu:4, 40 cores, 16 GB, v100-16g: all down or drained"
  [ ! -e large-v100-16g.yaml ] || failed "a file for nodes that are drained"
  scontrol update nodename=n4,n5 state=resume
  cluster wait "$here/c"
  scontrol update 'nodename=n[1-5]' availablefeatures= activefeatures=
  pippin doctor --write-cluster plain.yaml 2>err
  writes '  mem: 28800M' plain.yaml
  told "plain-16GB.yaml: its jobs may get the 3 with gpu:4, 40 cores, 32 GB, too: no option of sbatch tells them"
  scontrol update 'nodename=n[1-3]' weight=100 # Slurm would rather give the others
  equal "$(ranks_on ./plain.yaml 4)" " 4 n1 10"
}

# The clusters that come with pippin, and what doctor writes, on nodes of their shape.
jean_zay() {
  use --shape "$shapes/jean-zay.shape"
  export WORK=$here
  touch start-prod # of their prolog
  equal "$(ranks_on jean-zay-v100-32g 8)" " 4 n1 10
 4 n2 10"
  equal "$(ranks_on jean-zay-v100-16g 8)" " 4 n3 10
 4 n4 10"
  pippin doctor --write-cluster mine.yaml --quiet
  writes '  partition: gpu_p13'
  writes '  cpus-per-task: 10'
  writes '  hint: nomultithread'
  writes '  gres: gpu:4'
  writes '  constraint: v100-16g' mine-v100-16g.yaml
  equal "$(ranks_on ./mine-v100-16g.yaml 8)" " 4 n3 10
 4 n4 10"
}

# Slurm may be told of cores only, though nodes have two threads a core; a user's CPUs are cores then.
cores_only() {
  use --nodes 1 --set 'NodeName=n1 CPUs=40 Sockets=2 CoresPerSocket=20 ThreadsPerCore=2'
  pippin doctor --write-cluster mine.yaml --quiet
  writes '  cpus-per-task: 10'
  if grep -q hint mine.yaml; then failed "a hint: $(cat mine.yaml)"; fi
  equal "$(ranks_on ./mine.yaml 4)" " 4 n1 10"
}

# Of 40 cores and 16 GB a node's site keeps 4 and 2: sbatch takes no job for more than the rest.
reserved_cores() {
  use --shape "$shapes/reserved.shape"
  if sbatch --test-only --nodes 1 --exclusive --ntasks 4 --cpus-per-task 10 --wrap true 2>err; then failed "sbatch gave 40 cores: $(cat err)"; fi
  sbatch --test-only --nodes 1 --ntasks 4 --cpus-per-task 9 --wrap true 2>err || failed "sbatch refused 36 cores: $(cat err)"
  pippin doctor --write-cluster mine.yaml --quiet
  writes '  cpus-per-task: 9'
  equal "$(ranks_on ./mine.yaml 8)" " 4 n1 9
 4 n2 9"
}

shapes=$(realpath "${cluster_script%/*}/../tests/slurm/shapes")
need_slurm
"$1"
