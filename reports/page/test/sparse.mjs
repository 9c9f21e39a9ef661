// SPDX-License-Identifier: Apache-2.0
// Documents of which much is missing are shown as far as they go; others are refused with a reason.
import {readFileSync, writeFileSync} from "node:fs";
import {join} from "node:path";
import {fill_page, kSamples} from "../sample.mjs";
import {open_page} from "./browser.mjs";

const nulls = (list) => list.map(() => null);

/// What is left of a whole document, by what the C++ side may not know.
function sparse_documents() {
  const whole = kSamples.sweep();
  const {rows, runs} = whole;
  return {
    "nothing but its format": {format: 1},
    "rows without runs": {
      ...whole,
      runs: undefined,
      run_texts: undefined,
      campaigns: undefined,
      allocations: undefined,
    },
    "runs without rows": {
      ...whole,
      rows: undefined,
      columns: undefined,
      axes: [],
      gpus: [],
      tflops: [],
      samples_per_s: [],
    },
    "runs of rows that are not shown": {...whole, runs: {...runs, names_follow_row: false, row: nulls(runs.row)}},
    "no row that was measured": {
      ...whole,
      rows: {...rows, low_s: nulls(rows.low_s), mean_s: nulls(rows.mean_s), high_s: nulls(rows.high_s)},
      tflops: nulls(rows.name),
      samples_per_s: nulls(rows.name),
      runs: {...runs, mean_s: nulls(runs.mean_s)},
    },
    "no run that says when it began": {...whole, runs: {...runs, started_at: nulls(runs.started_at)}},
    "no intervals": {...whole, rows: {...rows, low_s: nulls(rows.low_s), high_s: nulls(rows.high_s)}},
    "no samples, but TFLOPS": {...whole, samples_per_s: null},
    "neither rate": {...whole, samples_per_s: null, tflops: null},
    "no axes and no GPUs": {...whole, axes: null, gpus: null},
    "nodes without intervals": {...whole, nodes: {...whole.nodes, low: undefined, high: undefined, allocations: undefined}},
    "one node and one link": {
      ...whole,
      nodes: {names: ["n1"], effect: [null], low: [null], high: [null], suspect: [false], allocations: [3]},
      links: {
        nodes: ["n1", "n2"],
        effect: [
          [null, 0.1],
          [null, null],
        ],
        suspects: [],
      },
    },
    "ratios without intervals": {
      format: 1,
      kind: "compare",
      ratios: [
        {name: "a", ratio: 1, low: null, high: null, verdict: "undetermined", margin: null},
        {name: "b", ratio: null, low: null, high: null, verdict: "undetermined", margin: null},
      ],
    },
    "a budget of one level of no noise": {
      format: 1,
      kind: "noise",
      budget: [{level: "run", share: 1, cv: 0, low: 0, high: 0}],
    },
    "equal runs at one moment": {
      format: 1,
      rows: {name: ["a"], state: ["ok"], mean_s: [1], low_s: [1], high_s: [1]},
      runs: {
        row: [0, 0],
        name: ["x", "y"],
        campaign: [0, 0],
        allocation: [0, 0],
        started_at: [5, 5],
        mean_s: [1, 1],
        state: [0, 0],
        in_mean: [1, 0],
      },
      states: ["ok"],
    },
  };
}

async function open_text(context, name, doc) {
  const template = readFileSync(join(context.build, "page.html"), "utf8");
  const file = join(context.samples, `sparse-${name.replaceAll(" ", "-")}.html`);
  writeFileSync(file, fill_page(template, doc));
  return open_page(context.browser, file);
}

async function test_refused(context) {
  const page = await context.browser.newPage();
  const template = readFileSync(join(context.build, "page.html"), "utf8");
  for (const [name, text] of [
    ["no JSON", "{"],
    ["another format", '{"format": 2}'],
  ]) {
    const file = join(context.samples, "refused.html");
    writeFileSync(file, template.replace("{{pippin-data}}", text));
    await page.goto(`file://${file}`);
    const words = await page.$eval(".broken", (one) => one.textContent);
    context.check(
      `${name}: the page says why it shows nothing`,
      words.startsWith("This page cannot be shown: ") ? null : words,
    );
  }
  await page.close();
}

export async function test_sparse(context) {
  for (const [name, doc] of Object.entries(sparse_documents())) {
    const page = await open_text(context, name, doc);
    context.check(`${name}: shown without complaint`, page.wrongs);
    await page.close();
  }
  await test_refused(context);
}
