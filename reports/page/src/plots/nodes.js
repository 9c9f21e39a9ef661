// SPDX-License-Identifier: Apache-2.0
// How much slower each node is, the suspects first.
import {count_text, extent_of, is_number, percent_text, signed_percent_text, tick_percent_text} from "../numbers.js";
import {plot_forest} from "./forest.js";

const kMost = 40;

function line_of(nodes, i) {
  const [low, high] = [nodes.low?.[i] ?? null, nodes.high?.[i] ?? null];
  const is_suspect = Boolean(nodes.suspect[i]);
  const allocations = is_number(nodes.allocations?.[i]) ? count_text(nodes.allocations[i], "allocation") : null;
  return {
    name: nodes.names[i],
    value: nodes.effect[i],
    low,
    high,
    is_strong: is_suspect,
    colour: is_suspect ? "var(--bad)" : "var(--ink-2)",
    words: is_suspect ? `${signed_percent_text(nodes.effect[i])} suspect` : "",
    lines: [
      nodes.names[i],
      is_suspect ? "suspect" : null,
      `${signed_percent_text(nodes.effect[i])}${low === null ? "" : `, surely ${signed_percent_text(low)} to ${signed_percent_text(high)}`}`,
      allocations,
    ].filter(Boolean),
  };
}

export function plot_nodes(page, width) {
  const {nodes} = page.doc;
  const known = nodes.names.map((_, i) => i).filter((i) => is_number(nodes.effect[i]));
  known.sort((a, b) => Number(nodes.suspect[b]) - Number(nodes.suspect[a]) || nodes.effect[b] - nodes.effect[a]);
  const lines = known.slice(0, kMost).map((i) => line_of(nodes, i));
  const [low, high] = extent_of(lines.flatMap((one) => [one.value, one.low, one.high])) ?? [-0.01, 0.01];
  const pad = Math.max(0.002, (high - low) * 0.05);
  const plot = plot_forest(lines, width, {
    domain: [Math.min(low, 0) - pad, Math.max(high, 0) + pad],
    ticks: Math.floor(Math.min(width, 1040) / 130),
    zero: 0,
    format: tick_percent_text,
    label: "longer steps with this node",
  });
  const left = known.length - lines.length;
  const suspects = nodes.names.filter((_, i) => nodes.suspect[i]);
  const words = `${suspects.length ? `Suspect: ${suspects.slice(0, 20).join(", ")}.` : `No node is suspect; the slowest is ${percent_text(lines[0]?.value)} slower.`}${left ? ` The ${left} fastest are not shown; the CSV has all.` : ""}`;
  return {...plot, words};
}
