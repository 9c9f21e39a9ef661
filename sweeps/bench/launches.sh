#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# ./dev bench launches MEGATRON: of each launch of a GPT among Megatron-LM's functional tests, in that checkout, the
# memory that `pippin estimate` says of its arguments beside what the test measured on its last rank. Of those with an
# argument that is not known it says none. With WORST=5 each is listed that is off by more per cent, and each without.
set -euo pipefail
checkout=${1:?"say where Megatron-LM is: ./dev bench launches MEGATRON"}
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
cat >"$folder/launches.py" <<'PYTHON'
import collections, glob, json, os, re, statistics, subprocess, sys, yaml
root, worst = sys.argv[1], float(os.environ.get("WORST", "inf"))
ACCELERATOR = {"a100": "a100-sxm4-80g", "h100": "h100-sxm5-80g", "gb200": "gb200-nvl-186g"}

def load(path):
    with open(path) as file: return yaml.safe_load(file)

def one(value):
    return value[0] if isinstance(value, list) else value

gpus = {}  # by kind of GPU and test: on a node, and in all
for path in glob.glob(root + "/tests/test_utils/recipes/*/*.yaml"):
    recipe = load(path)
    for product in recipe.get("products", []):
        for name in product.get("test_case", []):
            for case in product.get("products", [{}]):
                each, nodes = (one({**recipe["spec"], **product, **case}.get(what, usual))
                               for what, usual in (("gpus", 8), ("nodes", 1)))
                gpus[path.split("/")[-2], name] = each, each * nodes

def words_of(arguments):
    words = []
    for name, value in arguments.items():
        if value is False or value is None: continue
        parts = [] if value is True else value if isinstance(value, list) else [str(value).strip('"')]
        words += [name] + [re.sub(r"\$\{?\w+\}?", "x", str(part)) for part in parts]
    return words

def values(golden, name):
    kept = golden.get(name)
    return [float(value) for value in kept.get("values", {}).values() if value != "nan"] if isinstance(kept, dict) else []

def judged(words, accelerator, a_node, all_of_them):
    command = ["build/pippin", "estimate", "--format", "csv", "--accelerator", accelerator, "--gpus", str(all_of_them),
               "--gpus-per-node", str(a_node), "--", *words]
    return subprocess.run(command, capture_output=True, text=True)

errors, refused = collections.defaultdict(list), collections.Counter()
for path in sorted(glob.glob(root + "/tests/functional_tests/test_cases/*/*/golden_values_*.json")):
    kind, name, file = path.split("/")[-3:]
    which = re.fullmatch(r"golden_values_dev_dgx_(a100|h100|gb200)\.json", file)
    config = os.path.dirname(path) + "/model_config.yaml"
    if kind not in ("gpt", "moe", "mixtral") or not which or not os.path.exists(config): continue
    with open(path) as file: golden = json.load(file)
    arguments = load(config).get("MODEL_ARGS")
    allocated, peak = values(golden, "mem-allocated-bytes"), values(golden, "mem-max-allocated-bytes")
    if not isinstance(arguments, dict) or not allocated or not peak: continue
    has = gpus.get(("gb200" if which[1] == "gb200" else "h100", name))
    if not has:
        refused["of which no recipe says the GPUs"] += 1
        continue
    answer = judged(words_of(arguments), ACCELERATOR[which[1]], *has)
    if answer.returncode:
        refused["of " + kind + " that no estimate takes"] += 1
        if worst < float("inf"): print("%s %s: %s" % (name, which[1], answer.stderr.strip().splitlines()[-1]))
        continue
    rows = [line.split(",") for line in answer.stdout.splitlines()[1:]]
    rows = [(int(row[0]), row[3], row[4]) for row in rows if row[1] == "stage"]
    said = {what: value for stage, what, value in rows if stage == max(rows)[0]}
    if not said["peak"]:
        refused["of " + kind + " with an argument that is not known"] += 1
        if worst < float("inf"): print("%s %s: %s" % (name, which[1], answer.stderr.strip().splitlines()[-1]))
        continue
    for what, measured in (("allocated", statistics.median(allocated)), ("peak", max(peak))):
        if measured < 1e6: continue
        off = 100 * (float(said[what]) / measured - 1)
        errors[kind, what].append(abs(off))
        if abs(off) > worst: print("%s %s: %s %+.1f %% of %.0f MiB" % (name, which[1], what, off, measured / 2**20))
for (kind, what), off in sorted(errors.items()):
    print("%-16s %-9s %4d  mean %6.2f  median %6.2f  worst %6.1f %%" %
          (kind, what, len(off), statistics.mean(off), statistics.median(off), max(off)))
print("not judged: " + ", ".join("%d %s" % (count, why) for why, count in sorted(refused.items())))
PYTHON
python3 "$folder/launches.py" "$checkout"
