// SPDX-License-Identifier: Apache-2.0
// Scaling over GPUs, with the ideal line.
import {svg_el} from "../dom.js";
import {digits_text, duration_text, extent_of, is_number, percent_text} from "../numbers.js";
import {
  by_hand,
  dots,
  draw_plot,
  kGrid,
  kInk2,
  legend_of,
  log_ticks,
  Plot,
  points_of,
  row_colour,
  text_width,
  thin_ticks,
} from "./base.js";

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

/// Scales, ticks and the line of ideal scaling, from the best of each number of GPUs.
function layout_of(data, best, width) {
  const ideal = (gpus) => (best[0].y / best[0].x) * gpus;
  const gpus = best.map((one) => one.x);
  const ends = [gpus[0], gpus[gpus.length - 1]];
  const rates = extent_of([...data.map((one) => one.y), ...ends.map(ideal)]);
  const domain = [rates[0] * 0.85, rates[1] * 1.4];
  return {
    ideal,
    ends,
    gpu_ticks: thin_ticks(gpus, Math.floor(width / 48)),
    rate_ticks: log_ticks(domain[0], domain[1], 7),
    frame: {
      width,
      height: width < 500 ? 320 : 380,
      marginLeft: 56,
      marginRight: 26,
      marginTop: 30,
      marginBottom: 44,
      x: {type: "log", base: 2, domain: [ends[0] * 0.85, ends[1] * 1.18]},
      y: {type: "log", domain},
    },
  };
}

function axes_of({gpu_ticks, rate_ticks}, label) {
  const below = {label: "GPUs", labelOffset: 36, labelAnchor: "center", labelArrow: "none", tickSize: 4};
  const rate_text = (rate) => Number(rate.toPrecision(3)).toString();
  return [
    Plot.gridY({stroke: kGrid, strokeOpacity: 1, ticks: rate_ticks}),
    Plot.axisX({...below, ticks: gpu_ticks, tickFormat: String}),
    Plot.axisY({ticks: rate_ticks, tickFormat: rate_text, label: `↑ ${label}`, labelArrow: "none", tickSize: 0}),
  ];
}

function dots_mark(page, data) {
  const colour = row_colour(page);
  return by_hand("marks", (group, {x, y}) => {
    const places = data.map((one) => ({x: x(one.x), y: y(one.y), colour: colour(one)}));
    group.append(...dots(places, 4.5));
  });
}

function words_of(best, ideal) {
  const last = best[best.length - 1];
  const share = percent_text(last.y / ideal(last.x));
  return `From ${best[0].x} to ${last.x} GPUs the best reaches ${share} of ideal scaling. Percentages: the best against ideal.`;
}

export function plot_scaling(page, width) {
  const {data, label} = rated_rows(page);
  const best = best_by_gpus(data);
  const layout = layout_of(data, best, width);
  const {ideal, ends, frame} = layout;
  const svg = draw_plot({
    ...frame,
    marks: [
      ...axes_of(layout, label),
      Plot.line(ends, {x: (gpus) => gpus, y: ideal, stroke: kInk2, strokeDasharray: "5 4"}),
      Plot.line(best, {x: "x", y: "y", stroke: kInk2, strokeWidth: 1.5}),
      dots_mark(page, data),
      efficiency_labels(best, ideal),
    ],
  });
  const lines = (one) => [
    page.rows.name[one.row],
    `${one.x} GPUs, ${digits_text(one.y, 4)} ${label}`,
    `step time ${duration_text(page.rows.mean_s[one.row])}`,
    `${percent_text(one.y / ideal(one.x))} of ideal`,
  ];
  const rows = data.map((one) => one.row);
  return {
    svg,
    words: words_of(best, ideal),
    points: {...points_of(svg, data, lines), radius: 6},
    ...legend_of(page, rows),
  };
}
