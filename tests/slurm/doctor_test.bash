#!/usr/bin/env bash
# doctor_test.bash CASE [--accounting]: pippin doctor on a real Slurm; exits 77 where there is none.
accounting=${2:-}
# shellcheck source-path=SCRIPTDIR source=helpers.bash
. "$(dirname "$0")/helpers.bash"

# says TEXT: one line of the file `out` begins so.
says() { grep -q -e "^$1" out || failed "line ${BASH_LINENO[0]}: no line '$1': $(cat out)"; }
# writes TEXT: one line of mine.yaml is so, its comment aside.
writes() { sed 's/ *#.*//' mine.yaml | grep -qxF -e "$1" || failed "line ${BASH_LINENO[0]}: no line '$1': $(cat mine.yaml)"; }
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

need_slurm
"$1"
