// SPDX-License-Identifier: Apache-2.0
// Values in their order: the steps of a run, the readings of a node. Points that stand apart are hollow.
import {svg_el} from "../dom.js";
import {count_text, digits_text, duration_text, extent_of, is_number, moment_text, unit_of} from "../numbers.js";
import {by_hand, draw_plot, kGrid, kInk2, Plot, text_width, thin_ticks} from "./base.js";

const kMargin = {left: 56, right: 14, top: 30, bottom: 42};
const kHeight = 260;
const kLogFrom = 8;

/// Points with a place; a step without a time has none.
function points_in(series) {
  return series.x
    .map((x, i) => ({x, y: series.y[i], mark: series.mark_texts?.[series.marks?.[i] ?? 0] ?? ""}))
    .filter(({x, y}) => is_number(x) && is_number(y) && y > 0);
}

function y_scale(series, points) {
  const [low, high] = extent_of(points.map((one) => one.y)) ?? [1, 2];
  const is_log = high / low > kLogFrom;
  const pad = (high - low) * 0.08 || high * 0.1;
  const unit = series.y_is_seconds ? unit_of(low) : {name: "", per_second: 1};
  return {
    type: is_log ? "log" : "linear",
    domain: is_log ? [low * 0.9, high * 1.1] : [Math.max(0, low - pad), high + pad],
    tickFormat: (value) => Number((value * unit.per_second).toPrecision(4)).toString(),
    label: `${series.y_title}${unit.name ? ` (${unit.name})` : ""}`,
  };
}

const kDay = 86400;
const kMomentSteps = [60, 300, 900, 3600, 10800, 21600, 43200, kDay, 2 * kDay, 7 * kDay, 30 * kDay, 90 * kDay, 365 * kDay];

/// Of whole numbers: 1, 2 or 5 times a power of ten.
function whole_step(least) {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, least)));
  return Math.max(1, [1, 2, 5, 10].map((step) => step * power).find((step) => step >= least));
}

/// Whole numbers, or moments: hours within two days, else days.
function x_ticks(series, points, width) {
  const [first, last] = extent_of(points.map((one) => one.x)) ?? [0, 1];
  const {x_is_moment} = series;
  const is_short = last - first < 2 * kDay;
  const text = (value) => (x_is_moment ? moment_text(value).slice(is_short ? 11 : 0, is_short ? 16 : 10) : String(value));
  const most = Math.max(1, Math.floor(width / (text_width(text(last)) + 18)));
  const least = (last - first) / most;
  const step = x_is_moment ? (kMomentSteps.find((one) => one >= least) ?? 365 * kDay) : whole_step(least);
  const ticks = [];
  for (let tick = Math.ceil(first / step) * step; tick <= last; tick += step) ticks.push(tick);
  return {ticks: thin_ticks(ticks.length ? ticks : [first], most), text};
}

function lines_of(series, point) {
  const x = series.x_is_moment ? moment_text(point.x) : `${series.x_title} ${point.x}`;
  const y = series.y_is_seconds ? duration_text(point.y) : `${digits_text(point.y, 4)} ${series.y_title}`;
  return [x, y, point.mark ? `not in the mean: ${point.mark}` : null].filter(Boolean);
}

function marks_of(points, places, is_line) {
  return by_hand("marks", (group, scales) => {
    const at = points.map((one) => ({...one, x: scales.x(one.x), y: scales.y(one.y)}));
    const path = at.map(({x, y}) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L");
    if (at.length > 1 && is_line) group.append(svg_el("path", {class: "series-line", d: `M${path}`}));
    const radius = at.length > 400 ? 1.5 : at.length > 120 ? 2.5 : 3.5;
    for (const {x, y, mark} of at.length > 4000 && is_line ? at.filter((one) => one.mark) : at) {
      const shape = {cx: x.toFixed(1), cy: y.toFixed(1), r: radius};
      group.append(svg_el("circle", {class: mark ? "series-apart" : "series-dot", ...shape}));
    }
    places.push(...at);
  });
}

function title_mark(text) {
  return by_hand("titles", (group) => {
    group.append(svg_el("text", {x: 2, y: 14, "text-anchor": "start", fill: kInk2}, `↑ ${text}`));
  });
}

export function plot_series(page, width, choices, series) {
  const points = points_in(series);
  const y = y_scale(series, points);
  const [first, last] = extent_of(points.map((one) => one.x)) ?? [0, 1];
  const pad = (last - first) * 0.015 || 0.5;
  const x = x_ticks(series, points, width - kMargin.left - kMargin.right);
  const places = [];
  const svg = draw_plot({
    width,
    height: kHeight,
    marginLeft: kMargin.left,
    marginRight: kMargin.right,
    marginTop: kMargin.top,
    marginBottom: kMargin.bottom,
    x: {type: "linear", domain: [first - pad, last + pad]},
    y: {type: y.type, domain: y.domain},
    marks: [
      Plot.gridY({stroke: kGrid, strokeOpacity: 1, ticks: 5}),
      Plot.axisX({
        ticks: x.ticks,
        tickFormat: x.text,
        label: series.x_title,
        labelAnchor: "center",
        labelOffset: 36,
        labelArrow: "none",
        tickSize: 0,
      }),
      Plot.axisY({ticks: 5, tickFormat: y.tickFormat, label: null, tickSize: 0}),
      marks_of(points, places, !series.x_is_moment),
      title_mark(y.label),
    ],
  });
  const apart = points.filter((one) => one.mark).length;
  return {
    svg,
    legend_rows: [],
    has_others: false,
    words: apart ? `${count_text(apart, "point")} of ${points.length} not in the mean.` : "",
    points: {
      x: places.map((one) => one.x),
      y: places.map((one) => one.y),
      row: places.map(() => null),
      lines: (i) => lines_of(series, points[i]),
    },
  };
}
