# SPDX-License-Identifier: Apache-2.0
"""estimate.py TABLE FOLDER [PEERS]: see estimate.sh. FOLDER is for what is handed to pippin."""
import collections, csv, datetime, os, random, re, subprocess, sys, time

import estimate_peers

RESULTS = "sweeps/RESULTS.md"
BEGIN, END = "<!-- `./dev bench estimate` writes this: %s -->\n", "<!-- end of %s -->\n"
LEARNT = ["tr11-prequel", "vtrain-multi", "vtrain-single", "llm-foundry"]
SEEDS, PARTS = (1, 2, 3), 5
AXES = ["tp", "pp", "dp", "mbs", "hidden", "n_gpus", "seq", "gpu", "precision"]
FEWEST = 6  # rows of which more is learned than one speed
KNOWN, DRAWS, LEAST_JUDGED = (1, 2, 3, 4, 5, 6, 8, 10, 12, 16), 6, 3

table, folder = sys.argv[1:3]
peers = estimate_peers.found(sys.argv[3]) if len(sys.argv) > 3 else []
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


def error(predicted, measured):
    """Per cent."""
    return 100 * abs(predicted / measured - 1)


def mean(errors):
    return sum(errors) / len(errors)


def judge(errors):
    """Memory, and time by data sheets alone; what ran out of memory, of how many, and what ran, of how many."""
    ooms = [0, 0, 0, 0]
    for one in said(rows):
        row = of_id[one["id"]]
        group = row["group"]
        if one["peak_gib"] and number(row["mem_gib"]):
            errors["peak", group].append(error(number(one["peak_gib"]), number(row["mem_gib"])))
            between = re.search(r"\(allocated ([0-9.]+)", row["mem_kind"])
            if between:
                errors["allocated", group].append(error(number(one["allocated_gib"]), number(between.group(1))))
        if one["step_s"] and number(row["step_s"]):
            errors["time, data sheets alone", group].append(error(number(one["step_s"]), number(row["step_s"])))
        if one["fits"] and not row["mem_kind"].startswith("FORMULA"):
            ran = row["mem_kind"] != "OOM"
            ooms[2 * ran] += 1
            ooms[2 * ran + 1] += one["fits"] == "no"
    return ooms


def judge_learned(errors):
    """Time of rows that nothing was learned from; how many lie within their bounds; regret, by group."""
    some = [row for row in rows if row["group"] in LEARNT]
    within, regrets = collections.Counter(), collections.defaultdict(list)
    for seed in SEEDS:
        order = list(range(len(some)))
        random.Random(seed).shuffle(order)
        sets = collections.defaultdict(list)
        for part in range(PARTS):
            held = [some[i] for i in order[part::PARTS]]
            rest = [some[i] for at, i in enumerate(order) if at % PARTS != part]
            for one in said(held, rest) if held and rest else []:
                row = of_id[one["id"]]
                if not one["step_s"] or not number(row["step_s"]): continue
                measured, predicted = number(row["step_s"]), number(one["step_s"])
                errors["time, learned, of others", row["group"]].append(error(predicted, measured))
                within[row["group"]] += number(one["step_s_low"]) <= measured <= number(one["step_s_high"])
                same = tuple(row[c] for c in ("group", "layers", "hidden", "seq", "n_gpus", "gbs", "gpu", "precision"))
                sets[same].append((predicted, measured))
        for same, pairs in sets.items():
            if len(pairs) > 1: regrets[same[0]].append(100 * (min(pairs)[1] / min(m for _, m in pairs) - 1))
    return within, regrets


class Bounds:
    """Of rows that were foretold: how many lie within their bounds, and how wide those are."""

    def __init__(self):
        self.count, self.within, self.widths = 0, 0, []

    def add(self, held, rest):
        for one in said(held, rest):
            if not one["step_s"]: continue
            low, high = number(one["step_s_low"]), number(one["step_s_high"])
            self.count += 1
            self.within += low <= number(of_id[one["id"]]["step_s"]) <= high
            self.widths.append((high / low) ** 0.5)

    def share(self):
        return 100 * self.within / self.count

    def width(self):
        return sorted(self.widths)[len(self.widths) // 2]


def judge_unlike(timed):
    """Rows with one value of an axis, foretold by those of their group with the others; by group and axis."""
    found = collections.defaultdict(Bounds)
    for group in LEARNT + ["gpt2.md"]:
        some = [row for row in timed if row["group"] == group]
        for axis in AXES:
            values = sorted({row[axis] for row in some})
            for value in values if len(values) > 1 else []:
                rest = [row for row in some if row[axis] != value]
                if len(rest) >= FEWEST: found[group, axis].add([row for row in some if row[axis] == value], rest)
    return found


def judge_few(timed):
    """All rows of a cluster, foretold by some of them at random; by how many. And of how many clusters."""
    clusters = collections.defaultdict(list)
    for row in timed: clusters[row["group"], row["gpu"], row["gpu_mem_gb"]].append(row)
    clusters = [some for some in clusters.values() if len(some) >= KNOWN[0] + LEAST_JUDGED]
    found = collections.defaultdict(Bounds)
    for known in KNOWN:
        for some in clusters:
            if len(some) < known + LEAST_JUDGED: continue
            for draw in range(DRAWS):
                order = random.Random("%d %d" % (known, draw)).sample(some, len(some))
                found[known].add(order[known:], order[:known])
    return found, len(clusters)


def best_of_peer(peer, row):
    """What it says, with the micro-batch that suits it best where none is published."""
    answers = []
    for mbs in [row["mbs"]] if row["mbs"] else ["1", "2", "4", "8"]:
        try: answers.append(peer.says({**row, "mbs": mbs}))
        except Exception: continue  # each peer has its own ways to refuse; how many it judges is said
    return min(answers, key=lambda one: error(one[0] or 1, number(row["step_s"]) or 1), default=(None, None))


def judge_peers(errors):
    for peer in peers:
        begin, judged = time.monotonic(), 0
        for row in rows:
            seconds, gib = best_of_peer(peer, row)
            judged += bool(seconds or gib)
            if seconds and number(row["step_s"]):
                errors["time, " + peer.NAME, row["group"]].append(error(seconds, number(row["step_s"])))
            if gib and number(row["mem_gib"]):
                errors["peak, " + peer.NAME, row["group"]].append(error(gib, number(row["mem_gib"])))
        print("%s judges %d rows, %.0f a second" % (peer.NAME, judged, judged / (time.monotonic() - begin)))


def in_table_order(errors):
    return sorted({group for _, group in errors}, key=[row["group"] for row in rows].index)


def lines(head, groups, cells):
    """A table of Markdown; a group of which nothing is said has no line."""
    text = "| " + " | ".join(head) + " |\n|" + "---|" + "---:|" * (len(head) - 1) + "\n"
    for group in groups:
        row = cells(group)
        if any(row): text += "| " + " | ".join([group] + row) + " |\n"
    return text


def in_words(some):
    some = sorted(some)
    return "%.2f, %.2f, %.0f %% (%d)" % (mean(some), some[len(some) // 2], some[-1], len(some)) if some else ""


def own_tables(errors, within, regrets):
    def cells(*names):
        return lambda group: [in_words(errors.get((name, group), [])) for name in names]

    def learned(group):
        some = errors.get(("time, learned, of others", group), [])
        if not some: return []
        regret = regrets[group]
        return [in_words(some), "%.1f %%" % (100 * within[group] / len(some)),
                "%.2f, at most %.0f %% (%d)" % (mean(regret), max(regret), len(regret) // len(SEEDS)) if regret else ""]

    names, groups = ("allocated", "peak", "time, data sheets alone"), in_table_order(errors)
    return ("%s, %d rows; errors in per cent: mean, median, worst (rows).\n\n" % (datetime.date.today(), len(rows)) +
            lines(("rows",) + names, groups, cells(*names)) +
            "\nTime by rates learned from other rows, %d parts, %d shuffles. Regret: how much slower than the best the "
            "layout is that\nis said to be the best (sets of layouts).\n\n" % (PARTS, len(SEEDS)) +
            lines(("rows", "time, learned", "within the bounds said", "regret"), groups, learned))


def tables_of_bounds(unlike, few, clusters):
    groups = [group for group in LEARNT + ["gpt2.md"] if any(key[0] == group for key in unlike)]
    all_rows, all_within = sum(b.count for b in unlike.values()), sum(b.within for b in unlike.values())

    def cells(group):
        return ["%.0f %% (%d)" % (unlike[group, axis].share(), unlike[group, axis].count)
                if unlike.get((group, axis)) and unlike[group, axis].count else "" for axis in AXES]

    return ("%s. Rows with one value of an axis, foretold by those of their group with the others: how many lie within "
            "their\nbounds (of how many); of all %d, %.1f %%.\n\n" % (datetime.date.today(), all_rows,
                                                                   100 * all_within / all_rows) +
            lines(["rows by"] + AXES, groups, cells) +
            "\nBy k random rows of a cluster, all others of it; %d clusters, %d draws each, where they have %d rows "
            "more than k.\n\n" % (clusters, DRAWS, LEAST_JUDGED) +
            lines(["k"] + [str(k) for k in few], ["within the bounds, %", "bounds, a factor both ways"],
                  lambda row: [("%.0f" % few[k].share() if "%" in row else "%.1f" % few[k].width()) for k in few]))


def tables_of_peers(errors):
    text = "%s. Mean errors, and of how many rows each says something.\n" % datetime.date.today()
    for what, own in (("time", "time, data sheets alone"), ("peak", "peak")):
        names = [peer.NAME for peer in peers if any(key[0] == what + ", " + peer.NAME for key in errors)]

        def cells(group):
            some = [errors.get((name, group), []) for name in [own] + [what + ", " + name for name in names]]
            return ["%.1f %% (%d)" % (mean(one), len(one)) if one else "" for one in some]

        text += "\n" + lines([what, "pippin"] + names, in_table_order(errors), cells)
    return text


def write_results(name, text):
    with open(RESULTS) as file: before, rest = file.read().split(BEGIN % name)
    with open(RESULTS, "w") as file: file.write(before + BEGIN % name + text + END % name + rest.split(END % name)[1])


def main():
    errors = collections.defaultdict(list)
    caught = judge(errors)
    within, regrets = judge_learned(errors)
    timed = [of_id[one["id"]] for one in said(rows) if one["step_s"] and number(of_id[one["id"]]["step_s"])]
    unlike = judge_unlike(timed)
    few, clusters = judge_few(timed)
    judge_peers(errors)
    for (what, group), some in errors.items():
        print("%-26s %-17s %4d  mean %5.2f  median %5.2f  worst %5.1f %%" %
              (what, group, len(some), mean(some), sorted(some)[len(some) // 2], max(some)))
    print("out of memory: %d of %d caught; of %d that ran %d would not have fitted" %
          (caught[1], caught[0], caught[2], caught[3]))
    for group in LEARNT:
        if within[group]:
            print("%-17s %.1f %% within their bounds; regret mean %.2f, worst %.1f %% of %d sets" % (
                group, 100 * within[group] / len(errors["time, learned, of others", group]),
                mean(regrets[group] or [0]), max(regrets[group], default=0), len(regrets[group]) // len(SEEDS)))
    write_results("errors", own_tables(errors, within, regrets))
    write_results("bounds", tables_of_bounds(unlike, few, clusters))
    if peers: write_results("peers", tables_of_peers(errors))
    print("written: the tables of %s%s" % (RESULTS, "" if peers else ", but for those of peers, which were not given"))


main()
