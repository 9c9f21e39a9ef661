#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# ./dev bench estimate TABLE.tsv: memory and time that `pippin estimate --points` says of measured layouts, by group:
# with data sheets alone, and with rates learned from four fifths of a cluster's rows, said of the other fifth; three
# shuffles. Then how many layouts a second one core judges. The table has the columns of docs/estimate.md.
set -euo pipefail
table=${1:?"say which table: ./dev bench estimate TABLE.tsv"}
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
cat >"$folder/errors.py" <<'PYTHON'
import collections, csv, math, random, re, subprocess, sys
table, folder = sys.argv[1:]
rows = list(csv.DictReader(open(table), delimiter="\t", quoting=csv.QUOTE_NONE))
of_id = {row["id"]: row for row in rows}

def write(path, some):
    with open(path, "w") as file:
        for row in [dict(zip(rows[0], rows[0]))] + some:
            file.write("\t".join(row.values()) + "\n")

def said(some, learn=None):
    write(folder + "/points.tsv", some)
    words = ["build/pippin", "--quiet", "estimate", "--format", "csv", "--points", folder + "/points.tsv"]
    if learn:
        write(folder + "/learn.tsv", learn)
        words += ["--calibrate-on", folder + "/learn.tsv"]
    return list(csv.DictReader(subprocess.run(words, check=True, capture_output=True, text=True).stdout.splitlines()))

def number(text):
    return float(text) if text else 0.0

def line(what, group, errors):
    if not errors: return
    errors.sort()
    print("%-26s %-17s %4d  mean %5.2f  median %5.2f  worst %5.1f %%" %
          (what, group, len(errors), sum(errors) / len(errors), errors[len(errors) // 2], errors[-1]))

def by_group(pairs):
    groups = collections.defaultdict(list)
    for row, error in pairs: groups[row["group"]].append(error)
    return groups

def error(predicted, measured):
    return 100 * abs(predicted / measured - 1)

judged = said(rows)
allocated, peak, time, ooms = [], [], [], collections.defaultdict(lambda: [0, 0, 0, 0])
for one in judged:
    row = of_id[one["id"]]
    if one["peak_gib"] and number(row["mem_gib"]):
        peak.append((row, error(number(one["peak_gib"]), number(row["mem_gib"]))))
        between = re.search(r"\(allocated ([0-9.]+)", row["mem_kind"])
        if between: allocated.append((row, error(number(one["allocated_gib"]), number(between.group(1)))))
    if one["step_s"] and number(row["step_s"]):
        time.append((row, error(number(one["step_s"]), number(row["step_s"]))))
    if one["fits"] and not row["mem_kind"].startswith("FORMULA"):
        ran = row["mem_kind"] != "OOM"
        ooms[row["group"]][2 * ran] += 1
        ooms[row["group"]][2 * ran + 1] += one["fits"] == "no"
for what, pairs in (("allocated", allocated), ("peak", peak), ("time, data sheets alone", time)):
    for group, errors in by_group(pairs).items(): line(what, group, errors)
caught = [sum(one[i] for one in ooms.values()) for i in range(4)]
print("out of memory: %d of %d caught; of %d that ran %d would not have fitted" %
      (caught[1], caught[0], caught[2], caught[3]))

LEARNT = ["tr11-prequel", "vtrain-multi", "vtrain-single", "llm-foundry"]
some = [row for row in rows if row["group"] in LEARNT]
learnt, within, best = collections.defaultdict(list), collections.Counter(), collections.defaultdict(list)
for seed in (1, 2, 3):
    order = list(range(len(some)))
    random.Random(seed).shuffle(order)
    sets = collections.defaultdict(list)
    for fold in range(5):
        held = [some[i] for i in order[fold::5]]
        rest = [some[i] for at, i in enumerate(order) if at % 5 != fold]
        for one in said(held, rest):
            row = of_id[one["id"]]
            if not one["step_s"] or not number(row["step_s"]): continue
            measured, predicted = number(row["step_s"]), number(one["step_s"])
            learnt[row["group"]].append(error(predicted, measured))
            within[row["group"]] += number(one["step_s_low"]) <= measured <= number(one["step_s_high"])
            same = tuple(row[c] for c in ("group", "layers", "hidden", "seq", "n_gpus", "gbs", "gpu", "precision"))
            sets[same].append((predicted, measured))
    for same, pairs in sets.items():
        if len(pairs) > 1: best[same[0]].append(100 * (min(pairs)[1] / min(m for _, m in pairs) - 1))
for group in LEARNT:
    line("time, learned, of others", group, learnt[group])
    if learnt[group]:
        print("%-44s %.1f %% within their bounds; regret mean %.2f, worst %.1f %% of %d sets" %
              ("", 100 * within[group] / len(learnt[group]),
               sum(best[group]) / max(len(best[group]), 1), max(best[group], default=0), len(best[group]) // 3))
PYTHON
python3 "$folder/errors.py" "$table" "$folder"
c++ -std=c++20 -O2 -I. sweeps/bench/estimate_speed.cpp build/sweeps/estimate/libpippin_estimate.a \
  build/core/base/libpippin_base.a -lfmt -o "$folder/speed"
for _ in 1 2 3; do "$folder/speed"; done
