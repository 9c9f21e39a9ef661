// SPDX-License-Identifier: Apache-2.0
// The plots of the page as data: which there are, what they say, and the table behind each.
import {count_text, extent_of, is_number, percent_text} from "./numbers.js";
import {cut_text} from "./names.js";
import {axis_choices, axis_table} from "./by_axis.js";
import {
  address_of,
  address_of_row,
  address_of_run,
  allocation_name,
  campaign_of,
  is_predicted,
  run_name,
  run_state,
  run_text,
} from "./page_data.js";

const kFilled = 0.35;

function distinct(values) {
  return new Set((values ?? []).filter((value) => value !== null && value !== undefined));
}

function iso_time(seconds) {
  return typeof seconds === "number" ? new Date(seconds * 1000).toISOString().slice(0, 19) + "Z" : null;
}

function runs_table(page) {
  const {runs, rows} = page;
  const titles = [
    "run",
    "configuration",
    "campaign",
    "allocation",
    "started_at",
    "mean_s",
    "state",
    "in_mean",
    "reason",
    "note",
  ];
  const line = (run) => [
    run_name(page, run),
    rows.name[runs.row[run]] ?? null,
    campaign_of(page, run).name,
    allocation_name(page, run),
    iso_time(runs.started_at[run]),
    runs.mean_s[run],
    run_state(page, run),
    runs.in_mean[run] ? 1 : 0,
    run_text(page, run).reason ?? null,
    run_text(page, run).note ?? null,
  ];
  const links = {
    run: (run) => address_of_run(page, run),
    configuration: (run) => address_of_row(page, runs.row[run]),
  };
  return {titles, rows: Array.from({length: page.run_count}, (_, run) => line(run)), links};
}

/// Whether most runs have others of their configuration beside them: of one alone nothing is seen relative to it.
function has_repeats(page) {
  return page.row_count > 0 && page.run_count >= 2 * page.runs_of.filter((runs) => runs.length).length;
}

/// Whether runs fill so few of the hours that points would stand in narrow heaps.
function is_sparse(page) {
  const hours = new Set(page.runs.started_at.filter(is_number).map((moment) => Math.floor(moment / 3600)));
  const [first, last] = extent_of(hours) ?? [0, 0];
  return hours.size < kFilled * (last - first + 1);
}

function runs_figure(page) {
  if (!page.runs.started_at.some(is_number)) return null; // such as tables that were kept by hand
  return {
    id: "runs",
    title: "Every run over time",
    plot: "runs",
    lead: "Each point is one run. Runs that move up and down together were on the same network on the same day.",
    choices: [
      {
        name: "y",
        title: "Show",
        value: has_repeats(page) ? "relative" : "time",
        options: [...(page.row_count ? [["relative", "relative to its configuration"]] : []), ["time", "step time"]],
      },
      {
        name: "x",
        title: "Spaced",
        value: is_sparse(page) ? "order" : "clock",
        options: [
          ["clock", "by time"],
          ["order", "evenly"],
        ],
      },
    ],
    table: () => runs_table(page),
  };
}

function scaling_table(page) {
  const {doc, rows} = page;
  const measured = rows.name.map((_, row) => row).filter((row) => rows.mean_s[row] !== null);
  return {
    titles: ["configuration", "gpus", "step_time_s", "samples_per_s", "tflops_per_gpu"],
    rows: measured.map((row) => [
      rows.name[row],
      doc.gpus[row],
      rows.mean_s[row],
      doc.samples_per_s?.[row] ?? null,
      doc.tflops?.[row] ?? null,
    ]),
    links: {configuration: (i) => address_of_row(page, measured[i])},
  };
}

function scaling_figure(page) {
  const has_rate = distinct(page.doc.samples_per_s).size || distinct(page.doc.tflops).size;
  const measured = (page.doc.gpus ?? []).filter((gpus, row) => gpus > 0 && page.rows.mean_s[row] > 0);
  if (distinct(measured).size < 2 || !has_rate) return null;
  return {
    id: "scaling",
    title: "Scaling over GPUs",
    plot: "scaling",
    table: () => scaling_table(page),
    lead: "Each point is a configuration; the line joins the best of each number of GPUs. The dashed line is ideal: twice the GPUs, twice the work.",
  };
}

function axis_figure(page) {
  const choices = axis_choices(page);
  if (!choices) return null;
  return {
    id: "axis",
    title: "Against any axis",
    plot: "axis",
    choices,
    table: () => axis_table(page),
    lead: `Each point is a configuration, with ${is_predicted(page) ? "the bounds of 19 of 20 runs" : "its 95\u00a0% interval"}; the line joins the best of each value.`,
  };
}

/// The largest share of a step in which stages wait for each other, and whose it is.
function most_waiting(page, {names, rows, seconds}) {
  const at = names.indexOf("pipeline");
  if (at < 0) return "";
  const shares = seconds.map((parts) => (parts[at] ?? 0) / parts.reduce((sum, value) => sum + (value ?? 0), 0));
  const most = shares.indexOf(Math.max(...shares));
  return shares[most] > 0
    ? ` The pipeline waits most in ${cut_text(page.rows.name[rows[most]], 60)}: ${percent_text(shares[most])} of a step.`
    : "";
}

function phases_figure(page) {
  const {phases} = page.doc;
  if (!phases?.rows.length || !phases.rows.every((row) => row < page.row_count)) return null;
  return {
    id: "phases",
    title: "Where a step goes",
    plot: "phases",
    lead: `By the trainer's own timers: of several ranks the one that computes longest and waits shortest.${most_waiting(page, phases)}`,
    choices: [
      {
        name: "measure",
        title: "Show",
        value: "share",
        options: [
          ["share", "shares of the step"],
          ["seconds", "time"],
        ],
      },
    ],
    table: () => ({
      titles: ["configuration", ...phases.names.map((name) => `${name.replaceAll(" ", "_")}_s`)],
      rows: phases.rows.map((row, i) => [page.rows.name[row], ...phases.seconds[i]]),
      links: {configuration: (i) => address_of_row(page, phases.rows[i])},
    }),
  };
}

function budget_figure(page) {
  const {budget} = page.doc;
  if (!budget?.length) return null;
  return {
    id: "budget",
    title: "Where the noise comes from",
    plot: "budget",
    lead: "How the variance divides among levels, and how far two values of a level differ.",
    table: () => ({
      titles: ["between", "share", "spread", "low", "high"],
      rows: budget.map((one) => [one.level, one.share, one.cv, one.low, one.high]),
    }),
  };
}

function nodes_figure(page) {
  const {nodes} = page.doc;
  if (!nodes?.effect?.some(is_number)) return null;
  const suspects = nodes.names.filter((_, i) => nodes.suspect[i]);
  return {
    id: "nodes",
    title: suspects.length ? `Slow nodes: ${named(suspects)}` : "Nodes: none is suspect",
    plot: "nodes",
    lead: "How much longer a step takes where the node is, all other nodes accounted for; bars are 95\u00a0% intervals.",
    table: () => ({
      titles: ["node", "effect", "low", "high", "suspect", "allocations"],
      rows: nodes.names.map((name, i) => [
        name,
        nodes.effect[i],
        nodes.low?.[i],
        nodes.high?.[i],
        nodes.suspect[i] ? 1 : 0,
        nodes.allocations?.[i],
      ]),
      links: {node: (i) => address_of(page, "node", nodes.names[i])},
    }),
  };
}

function named(names) {
  return `${names
    .slice(0, 3)
    .map((name) => cut_text(name, 24))
    .join(", ")}${names.length > 3 ? ", …" : ""}`;
}

/// A link may be suspect in both directions; it is named once.
export function suspect_pairs(links) {
  const pairs = (links.suspects ?? []).map(
    ([i, j]) => `${links.nodes[Math.min(i, j)]} – ${links.nodes[Math.max(i, j)]}`,
  );
  return Array.from(new Set(pairs));
}

function links_figure(page) {
  const {links} = page.doc;
  if (!links?.nodes.length) return null;
  const table = () => ({
    titles: ["from", "to", "effect"],
    rows: links.nodes
      .flatMap((from, i) => links.nodes.map((to, j) => [from, to, links.effect[i]?.[j] ?? null]))
      .filter((row) => row[2] !== null),
  });
  const pairs = suspect_pairs(links);
  const left = links.left_out ? ` The nodes with the slowest links are here, ${count_text(links.left_out, "other")} not.` : "";
  return {
    id: "links",
    title: pairs.length ? `Slow links: ${named(pairs)}` : "Links: none is suspect",
    plot: "links",
    table,
    lead: `How much slower each link is than the others; blue is faster, orange is slower. Suspects have a frame.${left}`,
  };
}

function ratios_figure(page) {
  const {ratios} = page.doc;
  if (!ratios?.some((one) => one.ratio > 0)) return null;
  const margin = ratios[0].margin;
  return {
    id: "ratios",
    title: "What changed",
    plot: "ratios",
    lead: `Time of the new by time of the base, with its 95\u00a0% interval. Left of 1 is faster.${margin ? ` Within the band of ±${percent_text(margin)} a difference does not matter.` : ""}`,
    table: () => ({
      titles: ["configuration", "ratio", "low", "high", "verdict", "margin"],
      rows: ratios.map((one) => [one.name, one.ratio, one.low, one.high, one.verdict, one.margin]),
    }),
  };
}

/// What somebody who asked for a comparison or for noise wants to see before any table.
const kFirst = {compare: [ratios_figure], noise: [budget_figure, nodes_figure, links_figure]};

/// A page of one thing draws its runs; how its points scale is a sweep's.
const kOnly = {run: [runs_figure], point: [runs_figure], node: [runs_figure]};

/// The figures that have data: those that stand above the table and those below it.
export function figures_of(page) {
  const first = kFirst[page.doc.kind] ?? [];
  const all = kOnly[page.doc.kind] ?? [
    runs_figure,
    scaling_figure,
    axis_figure,
    phases_figure,
    budget_figure,
    nodes_figure,
    links_figure,
    ratios_figure,
  ];
  const rest = all.filter((make) => !first.includes(make));
  const made = (list) => list.map((make) => make(page)).filter(Boolean);
  return {above: made(first), below: made(rest)};
}
