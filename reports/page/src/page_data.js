// SPDX-License-Identifier: Apache-2.0
// The document that pippin wrote, and what the page derives from it once.
import {is_number} from "./numbers.js";
import {short_names} from "./names.js";

const kColours = 8;
const kNoRuns = {row: [], name: [], campaign: [], allocation: [], started_at: [], mean_s: [], state: [], in_mean: []};
const kNoRows = {state: [], name: [], cells: [], values: [], low_s: [], mean_s: [], high_s: [], reason: [], notes: []};

/// Which rows have a colour of their own: the first that were measured. The others are grey.
function colour_numbers(means) {
  const numbers = new Int8Array(means.length);
  let used = 0;
  for (let row = 0; row < means.length && used < kColours; ++row) {
    if (is_number(means[row])) numbers[row] = ++used;
  }
  return numbers;
}

/// The runs of each row, in the order of the document.
function runs_by_row(rows, runs) {
  const lists = Array.from({length: rows}, () => []);
  runs.row.forEach((row, run) => lists[row]?.push(run));
  return lists;
}

/// The columns with their cells and values; the row's name and state are columns like others for sort and filter.
function with_cells(doc) {
  const {rows} = doc;
  const columns = (doc.columns ?? []).map((column, i) => ({
    ...column,
    cells: rows.cells[i] ?? [],
    values: rows.values[i] ?? [],
    index: i,
  }));
  const name = {name: "name", title: "configuration", kind: "text", cells: rows.name, values: rows.name};
  const state = {name: "state", title: "state", kind: "text", cells: rows.state, values: rows.state};
  return {columns, name, state};
}

/// What a filter may name: columns, axes of the sweep, and what is known of each row.
function filter_columns(doc, columns) {
  const {rows} = doc;
  return [
    ...columns,
    ...(doc.axes ?? []),
    {name: "step_time_s", title: "step time", values: rows.mean_s},
    {name: "gpus", title: "GPUs", values: doc.gpus ?? []},
    {name: "reason", title: "reason", values: rows.reason ?? []},
    {name: "point", title: "point", values: rows.name},
  ];
}

export function read_page(text) {
  const doc = JSON.parse(text);
  if (doc.format !== 1) throw new Error(`this page reads format 1, the document has ${JSON.stringify(doc.format)}`);
  doc.title ??= "";
  doc.rows = {...kNoRows, ...doc.rows};
  doc.runs = {...kNoRuns, ...doc.runs};
  const row_count = doc.rows.name.length;
  const {columns, name, state} = with_cells(doc);
  const colours = colour_numbers(doc.rows.mean_s);
  return {
    doc,
    row_count,
    columns,
    name,
    state,
    colours,
    rows: doc.rows,
    runs: doc.runs,
    run_count: doc.runs.row.length,
    runs_of: runs_by_row(row_count, doc.runs),
    short: short_names(doc.rows.name),
    filterable: filter_columns(doc, [...columns, name, state]),
  };
}

/// Whether its times were foretold, and nothing ran.
export function is_predicted(page) {
  return page.doc.kind === "estimate" || page.doc.kind === "search";
}

/// Where the page's server has the page of a thing: "run", "point" or "node"; null where it has none.
export function address_of(page, kind, id) {
  const address = page.doc.addresses?.[kind];
  return address && id !== null && id !== undefined && id !== "" ? address.replace("*", () => encodeURIComponent(id)) : null;
}

export function address_of_row(page, row) {
  return address_of(page, page.rows.of?.[row], page.rows.id?.[row]);
}

export function address_of_run(page, run) {
  return address_of(page, "run", page.runs.number?.[run]);
}

/// The colour of a row, the same in every part of the page.
export function colour_of(page, row) {
  const number = page.colours[row];
  return number ? `var(--c${number})` : "var(--other)";
}

/// The whole name of a run. Documents of many runs leave out what is their row's name.
export function run_name(page, run) {
  const {runs, rows} = page;
  const rest = runs.name[run] ?? "";
  return runs.names_follow_row ? (rows.name[runs.row[run]] ?? "") + rest : rest;
}

export function run_state(page, run) {
  return page.doc.states?.[page.runs.state[run]] ?? "";
}

export function run_text(page, run) {
  return page.doc.run_texts?.[run] ?? {};
}

export function allocation_name(page, run) {
  return page.doc.allocations?.[page.runs.allocation[run]] ?? "";
}

export function campaign_of(page, run) {
  return page.doc.campaigns?.[page.runs.campaign[run]] ?? {name: "", tags: []};
}

/// The means of a row's allocations in seconds: the mean of its runs, on a logarithmic scale.
export function allocation_means(page, row) {
  const sums = new Map();
  for (const run of page.runs_of[row]) {
    const mean = page.runs.mean_s[run];
    if (!is_number(mean) || mean <= 0 || !page.runs.in_mean[run]) continue;
    const sum = sums.get(page.runs.allocation[run]) ?? [0, 0];
    sum[0] += Math.log(mean);
    sum[1] += 1;
    sums.set(page.runs.allocation[run], sum);
  }
  return Array.from(sums.values(), ([sum, count]) => Math.exp(sum / count));
}
