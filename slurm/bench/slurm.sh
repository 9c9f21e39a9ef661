#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# ./dev bench slurm [RUNS [ROUNDS]]: runs that do nothing, through 16 nodes of a Slurm on this
# machine: as `pack: point` (an array task a run), as `pack: block` (16 jobs), and, as their peer, as
# bare arrays of `true`; the three in turn. Then how long submit, status and the `run` that records all take.
set -euo pipefail
runs=${1:-10000} rounds=${2:-3} nodes=16
folder=$(mktemp -d)
pippin=$PWD/build/pippin
finish() {
  local status=$?
  bash slurm/cluster.bash down "$folder/cluster" >/dev/null 2>&1 || true
  if [ "$status" -eq 0 ]; then rm -rf "$folder"; else echo "what was found is kept in $folder" >&2; fi
}
trap finish EXIT
exports=$(bash slurm/cluster.bash up "$folder/cluster" --nodes "$nodes" --set MaxJobCount=50000 --set MinJobAge=2)
eval "$exports"

cat >"$folder/cluster.yaml" <<YAML
cluster: bench
scheduler: slurm
nodes: $nodes
gpus_per_node: 4
accelerator: cpu
launch: ""
slurm: {time: "00:30:00"}
YAML

sweep() { # NAME PACK POINTS ALLOCATIONS
  local values
  values=$(seq -s , 1 "$3")
  cat >"$folder/$1.yaml" <<YAML
sweep: $1
cluster: ./cluster.yaml
command: "true"
pack: $2
grid: {i: [$values]}
env: {I: "{i}"}
gpus: 1
repeats: {allocations: $4}
YAML
}
sweep point point "$runs" 1
sweep block block $((runs / nodes)) "$nodes"

seconds() { awk -v from="$1" -v to="$(date +%s.%N)" 'BEGIN { printf "%.2f", to - from }'; }
median() { sort -n | awk '{ all[NR] = $1 } END { print all[int((NR + 1) / 2)] }'; }
drained() { while [ -n "$(squeue --noheader --states=pending,running,completing | head -n 1)" ]; do sleep 0.3; done; }

bare() {
  local left=$runs part
  while [ "$left" -gt 0 ]; do
    part=$((left < 1000 ? left : 1000)) left=$((left - 1000))
    sbatch --parsable --array=1-"$part" --time=30 --output=/dev/null --wrap true >/dev/null
  done
  drained
}

packed() { # SWEEP
  local from
  from=$(date +%s.%N)
  (cd "$folder" && "$pippin" --quiet --yes --db "$1.db" submit "$1.yaml")
  seconds "$from" >>"$folder/submit-$1"
  echo >>"$folder/submit-$1"
  drained
}

finished() { # SWEEP: every run, and no other, is done
  local count
  count=$(sed -n 's/\tok$//p' "$folder/$1.db.runs/$1"/outcomes/* | sort -u | wc -l)
  [ "$count" -eq $((runs / nodes * nodes)) ] || [ "$count" -eq "$runs" ] || { echo "$1: $count of $runs runs done, and in the queue: $(squeue --noheader --states=all | head -n 5)" >&2; exit 1; }
}

recorded() { # processor seconds of the `run` after the jobs
  local code=0 TIMEFORMAT='%U %S'
  { time (cd "$folder" && "$pippin" --quiet --yes --db point.db run point.yaml >run.out 2>run.err); } 2>"$folder/processor" || code=$?
  [ "$code" -eq 1 ] || { echo "run exits $code" >&2; exit 1; } # as they measure nothing
  awk '{ printf "%.2f\n", $1 + $2 }' "$folder/processor"
}

echo "$runs runs on $nodes nodes, $rounds rounds in turn, seconds"
for ((round = 1; round <= rounds; ++round)); do
  for one in bare point block; do
    rm -rf "$folder"/"$one".db*
    from=$(date +%s.%N)
    if [ "$one" = bare ]; then bare; else packed "$one"; fi
    seconds "$from" >>"$folder/times-$one"
    echo >>"$folder/times-$one"
    echo "  $one: $(tail -n 1 "$folder/times-$one")"
    if [ "$one" != bare ]; then finished "$one"; fi
    if [ "$one" = point ]; then
      for _ in 1 2 3; do
        from=$(date +%s.%N)
        (cd "$folder" && "$pippin" --db point.db status >/dev/null)
        seconds "$from" >>"$folder/status"
        echo >>"$folder/status"
      done
      recorded >>"$folder/recorded"
    fi
  done
done
bare=$(median <"$folder/times-bare")
for one in bare point block; do
  time=$(median <"$folder/times-$one")
  echo "$one: median $time s, $(awk -v a="$time" -v b="$bare" 'BEGIN { printf "%.2f", a / b }') of bare"
done
echo "submit: point $(median <"$folder/submit-point") s, block $(median <"$folder/submit-block") s; $(find "$folder/point.db.runs/point/jobs" -name job.sh | wc -l) sbatch calls for point"
echo "status: $(median <"$folder/status") s"
echo "run afterwards: $(median <"$folder/recorded") s of processor"
