#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A sweep of 10,000 points with two clauses, planned; beside it the Python that one would write by hand
# for the same product and clauses (PyYAML, itertools, eval), which checks and names nothing.
set -euo pipefail
source tests/support/bench.bash
dpkg-query -W python3-yaml >/dev/null 2>&1 || { echo "needs: apt-get install python3-yaml" >&2; exit 3; }
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
cat >"$folder/sweep.yaml" <<'YAML'
sweep: big
cluster: jean-zay-v100-32g
model: {size: 52B, seq: 1024}
grid:
  mbs: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
  gas: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
  zero: [0, 1]
  recompute: [none, full]
  tp: [1, 2, 4, 8, 16]
  pp: [1, 2, 4, 8, 16]
gpus: 256
where: [layers % pp == 0, mbs * gas * dp >= 1]
repeats: {allocations: 5, runs: 1}
YAML
cat >"$folder/plan.py" <<'PYTHON'
import itertools, sys, yaml
sweep = yaml.safe_load(open(sys.argv[1]))
clauses = [compile(clause, "where", "eval") for clause in sweep["where"]]
for values in itertools.product(*sweep["grid"].values()):
    point = dict(zip(sweep["grid"], values), layers=64)
    point["dp"] = sweep["gpus"] // (point["tp"] * point["pp"])
    if all(eval(clause, {}, point) for clause in clauses):
        print(",".join(str(value) for value in point.values()))
PYTHON
points=$(build/pippin plan "$folder/sweep.yaml" --format csv | tail -n +2 | wc -l)
echo "$points points"
compare 11 "pippin plan --format csv" "build/pippin plan $folder/sweep.yaml --format csv" \
  "python3 by hand" "/usr/bin/python3 $folder/plan.py $folder/sweep.yaml"
