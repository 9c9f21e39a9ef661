// SPDX-License-Identifier: Apache-2.0
// Makes sample pages, always the same: node sample.mjs OUTDIR [BUILD].
import {mkdirSync, readFileSync, writeFileSync} from "node:fs";
import {dirname, join} from "node:path";
import {fileURLToPath} from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const kHour = 3600;
const kDay = 24 * kHour;
const kBegin = Date.UTC(2026, 10, 9, 7) / 1000;

/// A small generator of random numbers, the same on every machine (mulberry32).
function make_random(seed) {
  let state = seed;
  const uniform = () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const normal = () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
  return {uniform, normal};
}

const round = (value, digits = 6) => (value === null ? null : Number(value.toPrecision(digits)));
const mean_of = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

function time_cell(mean, half) {
  if (mean === null) return "–";
  const [unit, factor] = mean < 1 ? ["ms", 1e3] : ["s", 1];
  return `${(mean * factor).toFixed(mean < 1 || mean > 10 ? 1 : 2)} ${unit}${half === null ? "" : ` ± ${(half * factor).toFixed(1)}`}`;
}

/// The layouts of a sweep of a 52B model: what divides the GPUs, with a time that follows from it.
function layouts_of_52b() {
  const all = [];
  for (const gpus of [64, 128, 256])
    for (const tp of [2, 4, 8])
      for (const pp of [4, 8, 16])
        for (const mbs of [1, 2, 4]) {
          const dp = gpus / tp / pp;
          if (dp < 1 || !Number.isInteger(dp) || (mbs === 1 && tp === 2)) continue;
          const gas = 1024 / dp / mbs;
          const bubble = 1 + (pp - 1) / gas / 1.5;
          const time =
            (8400 / gpus) *
            bubble *
            (1 + 0.055 * Math.log2(tp) ** 1.6) *
            (1 + 0.12 / mbs) *
            (1 + 0.02 * Math.log2(dp + 1));
          const state = mbs === 4 && tp * pp <= 16 ? "oom" : tp === 2 && pp === 4 ? "infeasible" : "ok";
          all.push({
            name: `52b-tp${tp}-pp${pp}-dp${dp}-mbs${mbs}-gas${gas}`,
            gpus,
            tp,
            pp,
            dp,
            mbs,
            gas,
            time,
            state,
            batch: 1024,
          });
        }
  return all;
}

function tiny_layouts() {
  const all = [];
  const times = [0.0227, 0.0356, 0.0434, 0.0226, 0.0456, 0.0313, 0.03, 0.0397];
  for (const tp of [1, 2])
    for (const pp of [1, 2])
      for (const dp of [1, 2]) {
        const gas = 8 / dp;
        all.push({
          name: `tiny-tp${tp}-pp${pp}-dp${dp}-mbs4-gas${gas}`,
          gpus: tp * pp * dp,
          tp,
          pp,
          dp,
          mbs: 4,
          gas,
          time: times[all.length],
          state: "ok",
          batch: 32,
        });
      }
  return all;
}

function many_layouts(count) {
  const all = [];
  for (let i = 0; i < count; ++i) {
    const [tp, pp, mbs] = [2 ** (i % 4), 2 ** (Math.floor(i / 4) % 5), 2 ** (Math.floor(i / 20) % 4)];
    const gpus = 8 * 2 ** (Math.floor(i / 80) % 7);
    const time = (900 / gpus) * (1 + 0.04 * Math.log2(tp) + 0.06 * Math.log2(pp)) * (1 + ((i * 7919) % 97) / 300);
    all.push({
      name: `7b-tp${tp}-pp${pp}-mbs${mbs}-gpus${gpus}-try${Math.floor(i / 560)}`,
      gpus,
      tp,
      pp,
      dp: gpus,
      mbs,
      gas: 8,
      time,
      state: i % 61 === 60 ? "oom" : "ok",
      batch: 512,
    });
  }
  return all;
}

const kReasons = {
  oom: "CUDA out of memory: tried to allocate 2.50 GiB",
  infeasible: "needs more memory than a GPU has: 96 of 80 GiB",
  failed: "exit status 1: collective timed out on a rank",
  timeout: "cut by the time limit after 12 of 20 iterations",
};

/// Runs of a sweep: each allocation has its own pace, and the second campaign a slower network.
function measure(layouts, plan, random) {
  const runs = {row: [], name: [], campaign: [], allocation: [], started_at: [], mean_s: [], state: [], in_mean: []};
  const run_texts = {};
  const allocations = [];
  const states = ["ok", "failed", "timeout", "oom", "infeasible"];
  let start = kBegin;
  for (let campaign = 0; campaign < plan.campaigns; ++campaign) {
    for (let a = 0; a < plan.allocations; ++a) {
      const pace = Math.exp(
        plan.spread * random.normal() + (campaign === 1 ? 0.03 : 0) + (random.uniform() < 0.06 ? 0.25 : 0),
      );
      allocations.push(`${plan.job + allocations.length}`);
      add_allocation({
        layouts,
        plan,
        random,
        runs,
        run_texts,
        states,
        campaign,
        allocation: allocations.length - 1,
        start,
        pace,
        a,
      });
      start += plan.gap * (0.6 + 0.8 * random.uniform());
    }
    start += plan.pause;
  }
  return {runs, run_texts, allocations, states};
}

function add_allocation({layouts, plan, random, runs, run_texts, states, campaign, allocation, start, pace, a}) {
  layouts.forEach((layout, row) => {
    if (layout.state === "infeasible" || (layout.state === "oom" && a > 0)) return;
    for (let repeat = 0; repeat < plan.repeats; ++repeat) {
      const luck = random.uniform();
      const state =
        layout.state !== "ok"
          ? layout.state
          : luck < plan.failing
            ? "failed"
            : luck < 2 * plan.failing
              ? "timeout"
              : "ok";
      const mean = state === "ok" ? round(layout.time * pace * Math.exp(0.008 * random.normal())) : null;
      const run = runs.row.length;
      const values = {
        row,
        name: `-a${a + 1}-r${repeat + 1}`,
        campaign,
        allocation,
        started_at: Math.round(start + random.uniform() * plan.length),
        mean_s: mean,
        state: states.indexOf(state),
        in_mean: mean === null ? 0 : 1,
      };
      for (const [name, value] of Object.entries(values)) runs[name].push(value);
      if (state !== "ok") run_texts[run] = {reason: kReasons[state]};
      else if (luck > 0.993) run_texts[run] = {note: "somebody else was on the switch"};
    }
  });
}

function summarize(layouts, runs) {
  const lists = layouts.map(() => new Map());
  runs.row.forEach((row, run) => {
    if (runs.mean_s[run] === null) return;
    const list = lists[row].get(runs.allocation[run]) ?? [];
    list.push(runs.mean_s[run]);
    lists[row].set(runs.allocation[run], list);
  });
  return lists.map((list) => {
    const means = Array.from(list.values(), mean_of);
    if (!means.length) return {mean: null, low: null, high: null, half: null, count: 0};
    const mean = mean_of(means);
    const deviation = Math.sqrt(
      mean_of(means.map((value) => (value - mean) ** 2)) * (means.length / Math.max(1, means.length - 1)),
    );
    const half = means.length > 1 ? (2.1 * deviation) / Math.sqrt(means.length) : null;
    return {
      mean: round(mean),
      low: half === null ? null : round(mean - half),
      high: half === null ? null : round(mean + half),
      half,
      count: means.length,
    };
  });
}

const kAxes = [
  ["gpus", "GPUs"],
  ["tp", "TP"],
  ["pp", "PP"],
  ["dp", "DP"],
  ["mbs", "MBS"],
  ["gas", "GAS"],
];

function columns_of(layouts, sums, flops) {
  const number = (name, title, values, cells, more = {}) => ({
    column: {name, title, kind: "number", unit: "", shown: true, better: null, ...more},
    values,
    cells,
  });
  const axes = kAxes.map(([name, title]) =>
    number(
      name,
      title,
      layouts.map((one) => one[name]),
      layouts.map((one) => String(one[name])),
      {shown: name !== "dp"},
    ),
  );
  const tflops = sums.map(({mean}, i) => (mean === null ? null : round(flops / mean / layouts[i].gpus, 4)));
  const samples = sums.map(({mean}, i) => (mean === null ? null : round(layouts[i].batch / mean, 4)));
  const spread = sums.map(({half, mean, count}) =>
    half === null ? null : round((half / mean / 2.1) * Math.sqrt(count), 3),
  );
  const made = [
    ...axes,
    number(
      "step_time_s",
      "step time",
      sums.map((one) => one.mean),
      sums.map((one) => time_cell(one.mean, one.half)),
      {unit: "s", better: "low"},
    ),
    number(
      "tflops",
      "TFLOPS",
      tflops,
      tflops.map((value) => (value === null ? "–" : String(value))),
      {better: "high"},
    ),
    number(
      "samples_per_s",
      "samples/s",
      samples,
      samples.map((value) => (value === null ? "–" : String(value))),
      {better: "high"},
    ),
    number(
      "spread",
      "spread",
      spread,
      spread.map((value) => (value === null ? "–" : `${(value * 100).toFixed(1)} %`)),
      {better: "low"},
    ),
    number(
      "allocations",
      "allocations",
      sums.map((one) => one.count),
      sums.map((one) => String(one.count)),
      {shown: false},
    ),
  ];
  return {made, tflops, samples};
}

function sweep_document(title, layouts, plan, seed) {
  const measured = measure(layouts, plan, make_random(seed));
  const sums = summarize(layouts, measured.runs);
  // The best comes first, what was not measured last, as in a table sorted by work per GPU.
  const {made, tflops, samples} = columns_of(layouts, sums, plan.flops);
  const tags = [["before-upgrade"], [], ["after-upgrade"]];
  return {
    format: 1,
    kind: "report",
    title,
    command: `pippin report ${title} --format html`,
    made_at: kBegin + 21 * kDay,
    version: "0.9",
    said: [],
    methods: "",
    remarks: [],
    columns: made.map((one) => one.column),
    rows: {
      state: layouts.map((one) => one.state),
      name: layouts.map((one) => one.name),
      cells: made.map((one) => one.cells),
      values: made.map((one) => one.values),
      low_s: sums.map((one) => one.low),
      mean_s: sums.map((one) => one.mean),
      high_s: sums.map((one) => one.high),
      reason: layouts.map((one) => kReasons[one.state] ?? ""),
      notes: layouts.map((_, i) => (plan.notes?.[i] ? [plan.notes[i]] : [])),
    },
    axes: kAxes.map(([name, axis]) => ({name, title: axis, values: layouts.map((one) => one[name])})),
    gpus: layouts.map((one) => one.gpus),
    tflops,
    samples_per_s: samples,
    runs: {...measured.runs, names_follow_row: true},
    run_texts: measured.run_texts,
    campaigns: Array.from({length: plan.campaigns}, (_, i) => ({name: `${title}/${i + 1}`, tags: tags[i] ?? []})),
    allocations: measured.allocations,
    states: measured.states,
    budget: null,
    nodes: null,
    links: null,
    ratios: null,
  };
}

function node_effects(count, random) {
  const names = Array.from({length: count}, (_, i) => `node${String(i + 1).padStart(3, "0")}`);
  const suspect = names.map((_, i) => i === 6 || i === 17);
  const effect = suspect.map((bad, i) => round((bad ? 0.07 + (0.01 * i) / 6 : 0) + 0.006 * random.normal(), 3));
  return {
    names,
    effect,
    low: effect.map((one) => round(one - 0.018, 3)),
    high: effect.map((one) => round(one + 0.018, 3)),
    suspect,
    allocations: names.map(() => 60 + Math.floor(40 * random.uniform())),
  };
}

function link_effects(names, random) {
  const effect = names.map((_, i) =>
    names.map((__, j) => (i === j ? null : round(0.012 * random.normal() + (i === 6 || j === 6 ? 0.05 : 0), 3))),
  );
  effect[6][11] = effect[11][6] = 0.34;
  return {
    nodes: names,
    effect,
    suspects: [
      [6, 11],
      [11, 6],
    ],
  };
}

const kBudget = [
  {level: "day", share: 0.22, cv: 0.018, low: 0.008, high: 0.051},
  {level: "allocation", share: 0.49, cv: 0.031, low: 0.022, high: 0.053},
  {level: "run", share: 0.06, cv: 0.0098, low: 0.0081, high: 0.012},
  {level: "iteration", share: 0.23, cv: 0.025, low: 0.024, high: 0.025},
];
const kMethods =
  "Step times are means over allocations of a Slurm cluster, measured with pippin 0.9. Each configuration ran in random order in 8 allocations on 3 weeks; the first two iterations of each run are left out. Intervals are 95 % intervals of the mean over allocations (t distribution on a logarithmic scale). TFLOPS per GPU follow the formula of Narayanan et al. (2021).";

function sweep_sample() {
  const layouts = layouts_of_52b().sort(
    (a, b) => (a.state === "ok" ? 0 : 1) - (b.state === "ok" ? 0 : 1) || a.time * a.gpus - b.time * b.gpus,
  );
  const plan = {
    campaigns: 3,
    allocations: 5,
    repeats: 2,
    spread: 0.025,
    failing: 0.006,
    job: 4410200,
    gap: 11 * kHour,
    pause: 4 * kDay,
    length: 3 * kHour,
    flops: 3.1e5 * 27,
    notes: {2: "without sequence parallelism", 5: "image of Nov 8"},
  };
  const doc = sweep_document("gpt-52b", layouts, plan, 1);
  const random = make_random(2);
  const nodes = node_effects(32, random);
  const names = doc.rows.name;
  return {
    ...doc,
    methods: kMethods,
    phases: phases_of(doc.rows),
    budget: kBudget,
    nodes,
    links: link_effects(nodes.names, random),
    said: [
      `${names[0]} is the best; ${names[1]} cannot be told from it.`,
      `${doc.runs.row.length} runs in 15 allocations: most of the noise (49 %) lies between allocations: 3.1 %, surely 2.2 % to 5.3 %.`,
      "Suspect: node007 and node018, on which steps take 7 % and 10 % longer; the link between node007 and node012 is 34 % slower than the others.",
    ],
    remarks: [
      "± is half of the 95 % interval over allocations, on 3 weeks",
      "TFLOPS per GPU by formula megatron",
      "2 runs dropped: somebody else was on the node",
      "out of memory: 9 configurations with MBS 4",
    ],
  };
}

/// Parts of the first rows' steps, of which the pipeline's share grows.
function phases_of(rows) {
  const some = rows.mean_s.map((mean, row) => ({mean, row})).filter(({mean}) => mean > 0).slice(0, 12);
  return {
    names: ["compute", "tensor", "pipeline", "data", "optimizer", "rest"],
    rows: some.map(({row}) => row),
    seconds: some.map(({mean}, i) => [0.6, i % 3 ? 0.1 : null, 0.02 * i, 0.08, 0.04, 0.02].map((share) => share && share * mean)),
  };
}

function tiny_sample() {
  const plan = {
    campaigns: 1,
    allocations: 3,
    repeats: 1,
    spread: 0.12,
    failing: 0,
    job: 1,
    gap: 240,
    pause: 0,
    length: 200,
    flops: 0.0015,
  };
  const doc = sweep_document("quickstart", tiny_layouts(), plan, 3);
  doc.allocations = ["local-1", "local-2", "local-3"];
  return {
    ...doc,
    said: ["tiny-tp1-pp1-dp1-mbs4-gas8 is the best; 7 are surely slower, taking 3.1 times as long or more."],
    remarks: ["TFLOPS per GPU by formula params"],
  };
}

function compare_sample() {
  const layouts = layouts_of_52b()
    .filter((one) => one.state === "ok")
    .slice(0, 18);
  const plan = {
    campaigns: 2,
    allocations: 5,
    repeats: 2,
    spread: 0.02,
    failing: 0.004,
    job: 4410300,
    gap: 9 * kHour,
    pause: 6 * kDay,
    length: 2 * kHour,
    flops: 3.1e5 * 27,
  };
  const doc = sweep_document("gpt-52b", layouts, plan, 5);
  const random = make_random(6);
  const ratios = layouts.map(({name}, i) => {
    const ratio = i === 3 ? 1.118 : i === 9 ? 0.938 : 1.004 + 0.014 * random.normal();
    const half = 0.008 + 0.014 * random.uniform();
    const [low, high] = [ratio - half, ratio + half];
    const verdict =
      low > 1.02 ? "slower" : high < 0.98 ? "faster" : low > 0.98 && high < 1.02 ? "equivalent" : "undetermined";
    return {name, ratio: round(ratio, 4), low: round(low, 4), high: round(high, 4), verdict, margin: 0.02};
  });
  return {
    ...doc,
    kind: "compare",
    title: "gpt-52b/1 and gpt-52b/2",
    command: "pippin compare gpt-52b/1 gpt-52b/2 --format html",
    ratios,
    said: [
      "1 configuration became slower, 1 faster; for the others no difference of 2 % or more is sure.",
      "common to 14 of 18 rows: 1.004× (0.981 – 1.027), undetermined; each row stands beside it",
    ],
    remarks: [
      "ratio: time of gpt-52b/2 by time of gpt-52b/1; equivalent: its 90 % interval is within ±2 %; p: of no difference, adjusted for 18 rows",
      "these days only",
    ],
  };
}

function noise_sample() {
  const random = make_random(8);
  const nodes = node_effects(96, random);
  const doc = sweep_sample();
  return {
    ...doc,
    kind: "noise",
    title: "Noise of gpt-52b",
    command: "pippin noise gpt-52b --format html",
    nodes,
    links: link_effects(nodes.names.slice(0, 64), random),
    said: doc.said.slice(1),
    remarks: [],
    columns: [],
    rows: {...doc.rows, cells: [], values: []},
    axes: [],
    gpus: [],
    tflops: [],
    samples_per_s: [],
    methods: "",
    runs: {
      ...doc.runs,
      names_follow_row: false,
      name: doc.runs.name.map((name, run) => doc.rows.name[doc.runs.row[run]] + name),
    },
  };
}

function large_sample() {
  const plan = {
    campaigns: 2,
    allocations: 10,
    repeats: 1,
    spread: 0.03,
    failing: 0.001,
    job: 5500000,
    gap: 14 * kHour,
    pause: 3 * kDay,
    length: 8 * kHour,
    flops: 5e4,
  };
  return {
    ...sweep_document("everything", many_layouts(5000), plan, 9),
    said: ["5,000 configurations and about 100,000 runs: what the page must bear."],
  };
}

function one_sample() {
  const plan = {
    campaigns: 1,
    allocations: 1,
    repeats: 1,
    spread: 0.02,
    failing: 0,
    job: 7,
    gap: kHour,
    pause: 0,
    length: 60,
    flops: 100,
  };
  return sweep_document("one", tiny_layouts().slice(0, 1), plan, 10);
}

function empty_sample() {
  return {
    format: 1,
    kind: "report",
    title: "nothing yet",
    command: "pippin report nothing --format html",
    made_at: kBegin,
    version: "0.9",
    said: ["No run has ended yet."],
    remarks: [],
  };
}

/// 400 steps: start-up, a slow stretch, and a save each hundred.
function steps_series() {
  const random = make_random(21);
  const steps = Array.from({length: 400}, (_, i) => i + 1);
  const is_save = (step) => step % 100 === 1 && step > 1;
  return {
    title: "Every line",
    lead: "Each point is a line of the log; hollow ones are not in the mean.",
    x_title: "iteration",
    y_title: "step time",
    x_is_moment: false,
    y_is_seconds: true,
    x: steps,
    y: steps.map((step) => (step < 4 ? 9 - step : is_save(step) ? 14 : step > 250 ? 5.6 : 5.2) + 0.1 * random.normal()),
    marks: steps.map((step) => (step < 4 ? 1 : is_save(step) ? 2 : 0)),
    mark_texts: ["", "warm-up: before the steps were steady", "a checkpoint was saved since the line before"],
  };
}

function column(title, number, cells) {
  return {title, number, cells};
}

function run_sample() {
  const whole = one_sample();
  return {
    ...whole,
    kind: "run",
    title: "52b-tp4-pp8-dp2-mbs4-gas256-a3-r1",
    command: "pippin show 17 --format html",
    said: ["ok: 400 of 400 iterations, 5.36 s a step.", "It is number 2 by speed of 5 runs of its point."],
    sheet: [
      {
        id: "run",
        title: "What it is",
        facts: [
          {title: "number", text: "17"},
          {title: "started (UTC)", text: "2026-11-20T03:04:05Z"},
          {title: "point", text: "52b-tp4-pp8-dp2-mbs4-gas256"},
        ],
        remarks: [],
      },
      {id: "step_time", title: "Step time", facts: [{title: "mean", text: "5.36 s"}], remarks: [], series: steps_series()},
      {
        id: "left_out",
        title: "Lines that are not in the mean",
        facts: [],
        columns: [
          column("lines of the log", true, ["41-43", "142"]),
          column("why", false, ["warm-up: before the steps were steady", "a checkpoint was saved since the line before"]),
        ],
        remarks: ["and 2 lines more behind these"],
      },
      {
        id: "places",
        title: "Where that stands",
        facts: [{title: "log", text: `/scratch/project_465000123/somebody/${"sweeps/".repeat(8)}pippin.db.runs/gpt-52b/a3/log`}],
        remarks: [],
      },
      {
        id: "neighbours",
        title: "Its allocation",
        facts: [],
        columns: [
          column(" ", false, [" ", ">"]),
          column("position", true, ["1", "2"]),
          column("point", false, ["52b-tp8-pp4-dp2-mbs4-gas256", "52b-tp4-pp8-dp2-mbs4-gas256"]),
          column("step time", true, ["", "5.36 s"]),
          column("why, or a note", false, ["CUDA out of memory. Tried to allocate 20.00 GiB", ""]),
        ],
        remarks: [],
      },
      {id: "how", title: "How it ran", facts: [{title: "GPU", text: "H100"}], code: "srun train \\\n  --tp 4\n", remarks: []},
    ],
  };
}

function node_sample() {
  const random = make_random(22);
  const taken = Array.from({length: 60}, (_, i) => kBegin + i * 7 * kHour);
  return {
    ...tiny_sample(),
    kind: "node",
    title: "r7i2n0",
    command: "pippin show r7i2n0 --format html",
    said: ["24 runs were on it, 23 ended well.", "Steps take +8.1 % with it (95 %: +6.0 % to +10.3 %; 20 allocations)."],
    sheet: [
      {
        id: "gemm_tflops",
        title: "Its matrix products",
        facts: [],
        remarks: [],
        series: {
          title: "Every canary",
          lead: "Each point is the median of its ranks in one canary.",
          x_title: "taken",
          y_title: "TFLOPS",
          x_is_moment: true,
          y_is_seconds: false,
          x: taken,
          y: taken.map(() => 96 + 2 * random.normal()),
          marks: [],
          mark_texts: [],
        },
      },
    ],
  };
}

/// The memory of a layout's stages, most of which do not fit, and the time of its iteration.
function estimate_sample() {
  const stages = Array.from({length: 16}, (_, stage) => stage);
  return {
    format: 1,
    kind: "estimate",
    title: "52b-tp4-pp16-dp1-mbs4-gas16",
    command: "pippin estimate size=52B gpus=64 tp=4 pp=16 mbs=4 gas=16 --format html",
    made_at: kBegin,
    said: ["it does not fit: stage 0 needs 61.6 GiB with context and NCCL, a v100-sxm2-32g has 31.8"],
    sheet: [
      {id: "layout", title: "Layout", facts: [{title: "model", text: "64 layers, hidden 8192, 32 heads"}], remarks: []},
      {
        id: "stages",
        title: "GiB of a GPU",
        facts: [],
        columns: [
          column(
            "stage",
            false,
            stages.map((stage) => String(stage)),
          ),
          column(
            "peak",
            true,
            stages.map((stage) => String(60 - 2.6 * stage)),
          ),
        ],
        remarks: [],
        stacks: {
          title: "What each stage's GPU needs",
          lead: "At the moment when it holds most.",
          unit: "GiB",
          bars: stages.map((stage) => `stage ${stage}`),
          parts: ["weights", "gradients", "optimizer", "buffers", "activations", "working", "context and NCCL"],
          sizes: stages.map((stage) => [1.7, 1.7, 13.7, 0.02, 42 - 2.6 * stage, stage === 15 ? 0.8 : 0, 1.9]),
          limit: 31.8,
          limit_text: "v100-sxm2-32g has 31.8 GiB",
        },
      },
      {
        id: "time",
        title: "Time of an iteration",
        facts: [],
        remarks: ["by data sheets and usual rates: 19 of 20 runs take 36 % less to 57 % more"],
        stacks: {
          title: "Where the time of an iteration goes",
          lead: "On its critical path, as predicted.",
          unit: "s",
          bars: ["iteration"],
          parts: ["matrix products", "attention", "elementwise", "waiting for TP", "waiting for CP", "waiting for EP"].concat([
            "issuing kernels",
            "pipeline",
            "waiting for DP",
            "optimizer",
            "fixed",
          ]),
          sizes: [[3.9, 0.132, 0.31, 0.237, 0, 0, 0.001, 4.05, 0, 0.0539, 0.02]],
          limit: null,
          limit_text: "",
        },
      },
    ],
  };
}

export const kSamples = {
  sweep: sweep_sample,
  tiny: tiny_sample,
  compare: compare_sample,
  noise: noise_sample,
  one: one_sample,
  empty: empty_sample,
  run: run_sample,
  node: node_sample,
  estimate: estimate_sample,
  large: large_sample,
};

/// What the C++ side does: the document in the place of its mark, with no `<` that could end the script.
export function fill_page(template, doc) {
  const json = JSON.stringify(doc).replaceAll("<", "\\u003c");
  return template.replace("{{pippin-data}}", () => json);
}

function main(out, build) {
  mkdirSync(out, {recursive: true});
  const template = readFileSync(join(build, "page.html"), "utf8");
  const bare = readFileSync(join(build, "page-without-plots.html"), "utf8");
  for (const [name, make] of Object.entries(kSamples)) {
    const doc = make();
    writeFileSync(join(out, `${name}.json`), `${JSON.stringify(doc)}\n`);
    writeFileSync(join(out, `${name}.html`), fill_page(template, doc));
    if (name === "sweep") writeFileSync(join(out, "without-plots.html"), fill_page(bare, doc));
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  main(process.argv[2] ?? join(here, "dist/samples"), process.argv[3] ?? join(here, "dist"));
