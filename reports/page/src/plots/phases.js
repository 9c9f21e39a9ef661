// SPDX-License-Identifier: Apache-2.0
// Where a step goes: the parts of each configuration's step as a bar, by its trainer's timers.
import {svg_el} from "../dom.js";
import {duration_text, percent_text} from "../numbers.js";
import {by_hand, draw_plot, fit_text, kGrid, kInk, Plot} from "./base.js";

const kLine = 26;
const kTop = 26;
const kBottom = 34;

/// What computes is blue, what waits is warm, the rest grey.
export function phase_colour(name) {
  if (name.startsWith("compute")) return "var(--c1)";
  if (name === "pipeline") return "var(--c2)";
  if (name === "data") return "var(--c4)";
  if (name === "tensor") return "var(--c3)";
  return name === "optimizer" ? "var(--c6)" : "var(--other)";
}

/// The parts of each row, from left to right, as shares of its step or in seconds.
function bars_of(page, as_share) {
  const {names, rows, seconds} = page.doc.phases;
  return rows.flatMap((row, line) => {
    const whole = seconds[line].reduce((sum, value) => sum + (value ?? 0), 0);
    const per = as_share ? whole || 1 : 1;
    let from = 0;
    return names.flatMap((name, i) => {
      const value = seconds[line][i];
      if (!(value > 0)) return [];
      const bar = {row, line, name, seconds: value, share: value / (whole || 1), from: from / per, to: (from + value) / per};
      from += value;
      return [bar];
    });
  });
}

function bar_marks(bars, places) {
  return by_hand("marks", (group, scales) => {
    for (const bar of bars) {
      const left = scales.x(bar.from);
      const width = Math.max(0.5, scales.x(bar.to) - left - 1);
      const y = scales.y(bar.line);
      group.append(svg_el("rect", {x: left, y: y - 8, width, height: 16, fill: phase_colour(bar.name)}));
      places.push({x: left + width / 2, y, bar});
    }
  });
}

function name_marks(page, rows, room) {
  return by_hand("labels", (group, scales) => {
    rows.forEach((row, line) => {
      const text = fit_text(page.short[row] || page.rows.name[row], room - 10);
      group.append(
        svg_el("text", {x: room - 8, y: scales.y(line), dy: "0.32em", "text-anchor": "end", fill: kInk}, text),
      );
    });
  });
}

export function plot_phases(page, width, {measure}) {
  const as_share = measure !== "seconds";
  const {names, rows} = page.doc.phases;
  const bars = bars_of(page, as_share);
  const most = Math.max(...bars.map((bar) => bar.to), 1e-9);
  const room = Math.min(220, width * 0.35);
  const places = [];
  const svg = draw_plot({
    width,
    height: rows.length * kLine + kTop + kBottom,
    marginLeft: room,
    marginRight: 22,
    marginTop: kTop,
    marginBottom: kBottom,
    x: {domain: [0, most]},
    y: {type: "linear", domain: [-0.6, rows.length - 0.4], reverse: true, axis: null},
    marks: [
      Plot.gridX({stroke: kGrid, strokeOpacity: 1, ticks: 4}),
      Plot.axisX({
        ticks: width < 500 ? 2 : 4,
        tickFormat: (value) => (as_share ? percent_text(value) : duration_text(value, 2)),
        label: null,
        tickSize: 0,
      }),
      bar_marks(bars, places),
      name_marks(page, rows, room),
    ],
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
      row: places.map((one) => one.bar.row),
      lines: (i) => {
        const {bar} = places[i];
        return [page.rows.name[bar.row], `${bar.name}: ${duration_text(bar.seconds)}, ${percent_text(bar.share)}`];
      },
    },
  };
}
