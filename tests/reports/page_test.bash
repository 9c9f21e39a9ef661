#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# page_test.bash WORK PIPPIN: the page in a real browser, by the tests beside its sources. WORK is where it was built. Pictures
# of it stay in WORK/pictures, and pages that PIPPIN wrote in WORK/real. Exits 77 without a browser, or what npm brings.
set -euo pipefail
source=$(cd "$(dirname "$0")/../../reports/page" && pwd)
work=$1 pippin=$2
browser=$(command -v chromium || true)
if [ -z "$browser" ]; then
  echo "skipped: no chromium here"
  exit 77
fi
if [ ! -d "$work/node_modules" ]; then
  echo "skipped: the page was built without npm"
  exit 77
fi
rm -rf "$work/test" "$work/pictures"
cp -r "$source/test" "$source/sample.mjs" "$work"

# Two campaigns of a replayed sweep, of which a run is noted and one is dropped, a tag, and a sweep that fails.
rm -rf "$work/real"
mkdir -p "$work/real"
cd "$work/real"
cat >replay.yaml <<'YAML'
sweep: replay
probe: replay
cluster: local
grid: {tp: [1, 2, 4], pp: [1, 2], mbs: [1, 2]}
gpus: 16
fixed: {step_time_ms: 500, allocation_sd: 0.04, iteration_sd: 0.05, sleep_factor: 0}
iterations: 30
repeats: {allocations: 4, runs: 1}
YAML
cat >failing.yaml <<'YAML'
sweep: failing
cluster: local
command: "echo 'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB'; exit {code}"
grid: {code: [1, 2]}
YAML
q() { "$pippin" --db t.db --quiet --yes "$@"; }
q run failing.yaml >out || true
q run replay.yaml >out
q run --again replay.yaml >out
q tag replay/1 before-upgrade
first=$(q report replay/1 --by run --format csv | awk -F, 'NR == 1 {for (i = 1; i <= NF; ++i) if ($i == "run") at = i} NR == 2 {print $at}')
node=$(q nodes --format csv | awk -F, 'NR == 2 {print $1}')
q note "$first" "somebody's job was beside it"
q report replay --format html -o report.html
q report replay --format csv -o report.csv
q report failing --format html -o failing.html
q report failing --format csv -o failing.csv
q noise replay --format html -o noise.html
q compare before-upgrade replay --format html -o compare.html
q show "$first" --format html -o run.html
q show "$first" --format json -o run.json
q show "$node" --format html -o node.html
q show replay --format html -o sweep.html
q show "$(q report replay --format csv | awk -F, 'NR == 1 {for (i = 1; i <= NF; ++i) if ($i == "point") at = i} NR == 2 {print $at}')" \
  --format html -o point.html
q show failing --format html -o failing-sweep.html
layouts=(size=6.7B gpus=64 "tp=1,2,4" "pp=1,8" "mbs=1,4" gas=8 zero=1 --cluster polaris-a100-40g)
"$pippin" --quiet estimate "${layouts[@]}" --format html -o layouts.html
"$pippin" --quiet estimate "${layouts[@]}" --format csv -o layouts.csv
"$pippin" --quiet estimate size=52B gpus=64 tp=4 pp=16 mbs=4 gas=16 --cluster jean-zay-v100-32g --format html -o layout.html
"$pippin" --quiet search polaris-a100-40g 6.7B --gpus 64 --gbs 512 --top 25 --format html -o search.html
node "$work/test/all.mjs" "$browser" "$work/pictures" "$work/real"
