// SPDX-License-Identifier: Apache-2.0
// Ratios of new to base with their intervals, and the verdict of each in words.
import {extent_of, is_number} from "../numbers.js";
import {plot_forest} from "./forest.js";
import {log_ticks} from "./base.js";

const kMost = 80;
const kColours = new Map([
  ["slower", "var(--bad)"],
  ["faster", "var(--good)"],
]); // the others are neither

function ratio_text(ratio) {
  return is_number(ratio) ? `${ratio.toFixed(3)}×` : "–";
}

function line_of(page, one) {
  const is_strong = one.verdict === "slower" || one.verdict === "faster";
  const row = page.rows.name.indexOf(one.name);
  return {
    name: one.name,
    value: one.ratio,
    low: one.low ?? null,
    high: one.high ?? null,
    is_strong,
    colour: kColours.get(one.verdict) ?? "var(--ink-2)",
    words: `${ratio_text(one.ratio)} ${one.verdict}`,
    row: row < 0 ? null : row,
    lines: [
      one.name,
      `${ratio_text(one.ratio)}, ${one.verdict}`,
      `95\u00a0%: ${ratio_text(one.low)} to ${ratio_text(one.high)}`,
    ],
  };
}

/// Ticks as ratios: 0.9, 1, 1.1; in a wide range 0.5, 1, 2.
function ticks_of([low, high], most) {
  if (high / low > 3) return log_ticks(low, high, most);
  const step = [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5].find((one) => (high - low) / one <= most) ?? 1;
  const ticks = [];
  for (let i = Math.ceil(low / step); i * step <= high; ++i) ticks.push(i * step);
  return ticks;
}

function counts_of(ratios) {
  const counts = new Map();
  for (const {verdict} of ratios) counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
  return Array.from(counts, ([verdict, count]) => `${count} ${verdict}`).join(", ");
}

export function plot_ratios(page, width) {
  const {ratios} = page.doc;
  const known = ratios.filter((one) => one.ratio > 0);
  const distance = (one) => Math.abs(Math.log(one.ratio));
  const shown =
    known.length > kMost
      ? known
          .slice()
          .sort((a, b) => distance(b) - distance(a))
          .slice(0, kMost)
      : known;
  const lines = shown.map((one) => line_of(page, one));
  const margin = ratios[0].margin;
  const [low, high] = extent_of(
    [
      1,
      ...(margin ? [1 + margin, 1 / (1 + margin)] : []),
      ...lines.flatMap((one) => [one.value, one.low, one.high]),
    ].filter((value) => value > 0),
  );
  const pad = 1 + Math.max(0.004, (high / low - 1) * 0.05);
  const domain = [low / pad, high * pad];
  const plot = plot_forest(lines, width, {
    type: "log",
    domain,
    ticks: ticks_of(domain, Math.max(3, Math.floor(Math.min(width, 1040) / 140))),
    zero: 1,
    band: margin ? [1 / (1 + margin), 1 + margin] : null,
    format: (value) => `${Number(value.toPrecision(4))}×`,
    label: "← faster · time of new by time of base · slower →",
  });
  const left = known.length - shown.length;
  return {
    ...plot,
    words: `${counts_of(ratios)}.${left ? ` The ${shown.length} furthest from 1 are shown; the CSV has all.` : ""}`,
  };
}
