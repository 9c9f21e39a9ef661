// SPDX-License-Identifier: Apache-2.0
// Scaling over GPUs, with the ideal line.
import {svg_el} from "../dom.js";
import {digits_text, duration_text, is_number, percent_text} from "../numbers.js";
import {by_hand, dots, draw_plot, kGrid, kInk2, legend_of, log_ticks, Plot, points_of, row_colour, text_width, thin_ticks} from "./base.js";

/// Rows with GPUs and a rate: samples per second, or where nobody counts samples, TFLOPS of all GPUs.
function rated_rows(page) {
  const {gpus, samples_per_s, tflops} = page.doc;
  const has_samples = samples_per_s?.some(is_number);
  const rate = (row) => (has_samples ? samples_per_s[row] : tflops[row] * gpus[row]);
  const data = gpus.map((x, row) => ({x, y: rate(row), row})).filter((one) => one.x > 0 && one.y > 0);
  return {data, label: has_samples ? "samples per second" : "TFLOPS of all GPUs"};
}

function best_by_gpus(data) {
  const best = new Map();
  for (const one of data) if (!(best.get(one.x)?.y >= one.y)) best.set(one.x, one);
  return Array.from(best.values()).sort((a, b) => a.x - b.x);
}

/// How much of the ideal the best of each number of GPUs reaches, above the lines, which rise to the right; labels that would touch are left out.
function efficiency_labels(best, ideal) {
  return by_hand("labels", (group, {x, y}, {marginLeft}) => {
    let free = -Infinity;
    for (const one of best) {
      const text = percent_text(one.y / ideal(one.x), 2);
      const at = Math.max(marginLeft, x(one.x) - text_width(text) + 4);
      if (at < free) continue;
      free = at + text_width(text) + 6;
      group.append(svg_el("text", {x: at, y: Math.min(y(one.y), y(ideal(one.x))) - 11, "text-anchor": "start"}, text));
    }
  });
}

export function plot_scaling(page, width) {
  const {data, label} = rated_rows(page);
  const best = best_by_gpus(data);
  const ideal = (gpus) => (best[0].y / best[0].x) * gpus;
  const ends = [best[0].x, best[best.length - 1].x];
  const rates = data.map((one) => one.y).concat(ends.map(ideal));
  const [low, high] = [Math.min(...rates) * 0.85, Math.max(...rates) * 1.4];
  const gpu_ticks = thin_ticks(best.map((one) => one.x), Math.floor(width / 48));
  const rate_ticks = log_ticks(low, high, 7);
  const colour = row_colour(page);
  const svg = draw_plot({
    width, height: width < 500 ? 320 : 380, marginLeft: 56, marginRight: 26, marginTop: 30, marginBottom: 44,
    x: {type: "log", base: 2, domain: [ends[0] * 0.85, ends[1] * 1.18]}, y: {type: "log", domain: [low, high]},
    marks: [
      Plot.gridY({stroke: kGrid, strokeOpacity: 1, ticks: rate_ticks}),
      Plot.axisX({ticks: gpu_ticks, tickFormat: String, label: "GPUs", labelOffset: 36, labelAnchor: "center", labelArrow: "none", tickSize: 4}),
      Plot.axisY({ticks: rate_ticks, tickFormat: (rate) => Number(rate.toPrecision(3)).toString(), label: `↑ ${label}`, labelArrow: "none", tickSize: 0}),
      Plot.line(ends, {x: (gpus) => gpus, y: ideal, stroke: kInk2, strokeDasharray: "5 4"}),
      Plot.line(best, {x: "x", y: "y", stroke: kInk2, strokeWidth: 1.5}),
      by_hand("marks", (group, {x, y}) => group.append(...dots(data.map((one) => ({x: x(one.x), y: y(one.y), colour: colour(one)})), 4.5))),
      efficiency_labels(best, ideal),
    ],
  });
  const lines = (one) => [page.rows.name[one.row], `${one.x} GPUs, ${digits_text(one.y, 4)} ${label}`, `step time ${duration_text(page.rows.mean_s[one.row])}`,
    `${percent_text(one.y / ideal(one.x), 2)} of ideal`];
  const last = best[best.length - 1];
  const words = `From ${best[0].x} to ${last.x} GPUs the best reaches ${percent_text(last.y / ideal(last.x), 2)} of ideal scaling. Percentages: the best against ideal.`;
  return {svg, words, points: {...points_of(svg, data, lines), radius: 6}, ...legend_of(page, data.map((one) => one.row))};
}
