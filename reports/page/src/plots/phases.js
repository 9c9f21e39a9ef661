// SPDX-License-Identifier: Apache-2.0
// Where a step goes: the parts of each configuration's step as a bar, by its trainer's timers.
import {duration_text, percent_text} from "../numbers.js";
import {bars_of, draw_bars} from "./bars.js";

/// What computes is blue, what waits is warm, the rest grey.
export function phase_colour(name) {
  if (name.startsWith("compute")) return "var(--c1)";
  if (name === "pipeline") return "var(--c2)";
  if (name === "data") return "var(--c4)";
  if (name === "tensor") return "var(--c3)";
  return name === "optimizer" ? "var(--c6)" : "var(--other)";
}

export function plot_phases(page, width, {measure}) {
  const as_share = measure !== "seconds";
  const {names, rows, seconds} = page.doc.phases;
  const {svg, places} = draw_bars({
    width,
    names: rows.map((row) => page.short[row] || page.rows.name[row]),
    room: Math.min(220, width * 0.35),
    bars: bars_of(seconds, as_share).map((bar) => ({...bar, colour: phase_colour(names[bar.part])})),
    tick_text: (value) => (as_share ? percent_text(value) : duration_text(value, 2)),
  });
  return {
    svg,
    legend_rows: [],
    has_others: false,
    legend_marks: names.map((name) => ({colour: phase_colour(name), text: name})),
    words: "",
    points: {
      x: places.map((one) => one.x),
      y: places.map((one) => one.y),
      row: places.map((one) => rows[one.bar.line]),
      lines: (i) => {
        const {line, part, size, share} = places[i].bar;
        return [page.rows.name[rows[line]], `${names[part]}: ${duration_text(size)}, ${percent_text(share)}`];
      },
    },
  };
}
