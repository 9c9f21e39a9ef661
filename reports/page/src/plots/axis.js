// SPDX-License-Identifier: Apache-2.0
// Step time, or another measure, against an axis of the sweep, for each value of another.
import {svg_el} from "../dom.js";
import {cut_text} from "../names.js";
import {count_text, digits_text, duration_text, extent_of, is_number, unit_of} from "../numbers.js";
import {values_of} from "../by_axis.js";
import {state_path} from "../states.js";
import {
  by_hand,
  dots,
  draw_plot,
  fit_text,
  kGrid,
  kInk2,
  legend_of,
  log_ticks,
  Plot,
  row_colour,
  text_width,
  thin_ticks,
} from "./base.js";

const kLeast = 190; // pixels of a facet
const kLogFrom = 8;
const kLeastPad = 0.005;
const kMargin = {left: 50, right: 12, top: 44, bottom: 50};
const kPanel = 230;
const kPanelHeight = kPanel + kMargin.top + kMargin.bottom;

function measure_of(page, name) {
  const {rows, doc} = page;
  if (name === "mean_s")
    return {values: rows.mean_s, low: rows.low_s, high: rows.high_s, title: "step time", is_time: true};
  return {values: doc[name], title: name === "tflops" ? "TFLOPS per GPU" : "samples per second"};
}

/// Rows with their place along the axis, moved a little apart where several share a value.
function place_rows(page, axis, facet, measure) {
  const values = values_of(axis);
  const facets = facet ? values_of(facet) : [null];
  const data = [];
  for (let row = 0; row < page.row_count; ++row) {
    const at = values.indexOf(axis.values[row]);
    const panel = facet ? facets.indexOf(facet.values[row]) : 0;
    if (at < 0 || panel < 0) continue;
    data.push({row, at, panel, y: measure.values[row]});
  }
  spread_apart(data, measure);
  return {data, values, facets};
}

/// Rows of the same value stand side by side: the best in the middle, the others left and right of it in turn.
function spread_apart(data, measure) {
  const groups = new Map();
  for (const one of data) {
    const key = `${one.panel} ${one.at} ${is_number(one.y)}`;
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  for (const group of groups.values()) {
    const step = Math.min(0.13, 0.8 / group.length);
    group.sort((a, b) => (measure.is_time ? a.y - b.y : b.y - a.y));
    group.forEach((one, i) => {
      one.x = one.at + Math.ceil(i / 2) * step * (i % 2 ? 1 : -1);
    });
  }
}

function y_scale(data, measure, height) {
  const numbers = data
    .flatMap(({row, y}) => (is_number(y) ? [y, measure.low?.[row], measure.high?.[row]] : []))
    .filter((value) => is_number(value) && value > 0);
  const means = extent_of(data.map((one) => one.y)) ?? [1, 1];
  // An interval of two allocations may be wider than everything else: it is cut.
  const range = extent_of(numbers.map((value) => Math.min(means[1] * 1.5, Math.max(means[0] / 1.5, value)))) ?? [1, 2];
  const is_log = range[1] / range[0] > kLogFrom;
  const unit = measure.is_time ? unit_of(range[0]) : {name: "", per_second: 1};
  // Where all are the same, labels of four digits could not be told apart.
  const pad = range[1] > range[0] ? Math.max((range[1] - range[0]) * 0.08, range[1] * kLeastPad) : range[1] * 0.1;
  const domain = is_log ? [range[0] * 0.85, range[1] * 1.15] : [Math.max(0, range[0] - pad), range[1] + pad];
  const most = Math.floor(height / 40);
  const ticks = is_log
    ? log_ticks(domain[0] * unit.per_second, domain[1] * unit.per_second, most).map((tick) => tick / unit.per_second)
    : most;
  return {
    type: is_log ? "log" : "linear",
    domain,
    ticks,
    label: `${measure.title}${unit.name ? ` (${unit.name})` : ""}`,
    tickFormat: (value) => Number((value * unit.per_second).toPrecision(4)).toString(),
  };
}

/// Labels below a panel; where they would touch, only some of them.
function x_ticks(values, width) {
  const texts = values.map((value) => fit_text(String(value), Math.max(28, width / values.length - 4)));
  const widest = Math.max(...texts.map((text) => text_width(text))) + 8;
  return {
    texts,
    shown: thin_ticks(
      values.map((_, i) => i),
      Math.floor(width / widest),
    ),
  };
}

function interval_marks(data, measure, {x, y}, domain) {
  if (!measure.low) return [];
  const within = (value) => y(Math.min(domain[1], Math.max(domain[0], value)));
  const known = data.filter(
    ({row, y: mean}) => is_number(mean) && is_number(measure.low[row]) && is_number(measure.high[row]),
  );
  const d = known
    .map(
      (one) =>
        `M${x(one.x).toFixed(1)} ${within(measure.low[one.row]).toFixed(1)}V${within(measure.high[one.row]).toFixed(1)}`,
    )
    .join("");
  return d ? [svg_el("path", {class: "interval", d})] : [];
}

/// A line through the best of each value.
function best_line(data, measure, {x, y}) {
  const best = new Map();
  for (const one of data) {
    if (!is_number(one.y)) continue;
    const other = best.get(one.at);
    if (!other || (measure.is_time ? one.y < other.y : one.y > other.y)) best.set(one.at, one);
  }
  const line = Array.from(best.values()).sort((a, b) => a.at - b.at);
  if (line.length < 2) return [];
  return [
    svg_el("path", {
      class: "best-line",
      d: `M${line.map((one) => `${x(one.x).toFixed(1)} ${y(one.y).toFixed(1)}`).join("L")}`,
    }),
  ];
}

/// Marks of states at the foot of a panel; those that would hide each other are left out.
function failed_marks(page, places) {
  let free = -Infinity;
  const shown = places
    .slice()
    .sort((a, b) => a.x - b.x)
    .filter(({x}) => {
      const has_room = x >= free;
      if (has_room) free = x + 9;
      return has_room;
    });
  return shown.map(({row, x, y}) =>
    svg_el("path", {
      class: "failed",
      d: state_path(page.rows.state[row]),
      transform: `translate(${(x - 6).toFixed(1)},${y - 6})`,
      fill: "none",
      stroke: kInk2,
    }),
  );
}

function panel_marks(page, data, measure, domain, colour, places) {
  return by_hand("marks", (group, scales, {height, marginBottom}) => {
    group.append(...best_line(data, measure, scales), ...interval_marks(data, measure, scales, domain));
    const at = (one) => ({
      ...one,
      x: scales.x(one.x),
      y: is_number(one.y) ? scales.y(one.y) : height - marginBottom - 9,
      colour: colour(one),
    });
    const measured = data.filter((one) => is_number(one.y)).map(at);
    const failed = data.filter((one) => !is_number(one.y)).map(at);
    group.append(...dots(measured, 4), ...failed_marks(page, failed));
    places.push(...measured, ...failed);
  });
}

function panel_title(text, is_first, label) {
  return by_hand("labels", (group, scales, {marginLeft, marginTop}) => {
    if (text)
      group.append(
        svg_el("text", {x: marginLeft, y: marginTop - 10, "text-anchor": "start", "font-weight": 600}, text),
      );
    if (is_first) group.append(svg_el("text", {x: 2, y: 12, "text-anchor": "start"}, `↑ ${label}`));
  });
}

function draw_panel(page, panel) {
  const {data, measure, y, width, values, title, is_first, axis_title, colour, places} = panel;
  const ticks = x_ticks(values, width - kMargin.left - kMargin.right);
  return draw_plot({
    width,
    height: kPanelHeight,
    marginLeft: kMargin.left,
    marginRight: kMargin.right,
    marginTop: kMargin.top,
    marginBottom: kMargin.bottom,
    insetBottom: 20,
    x: {type: "linear", domain: [-0.5, values.length - 0.5]},
    y: {type: y.type, domain: y.domain},
    marks: [
      Plot.gridY({stroke: kGrid, strokeOpacity: 1, ticks: y.ticks}),
      Plot.axisX({
        ticks: ticks.shown,
        tickFormat: (i) => ticks.texts[i],
        label: axis_title,
        labelOffset: 38,
        labelAnchor: "center",
        labelArrow: "none",
        tickSize: 0,
      }),
      Plot.axisY({ticks: y.ticks, tickFormat: y.tickFormat, label: null, tickSize: 0}),
      panel_marks(page, data, measure, y.domain, colour, places),
      panel_title(title, is_first, y.label),
    ],
  });
}

/// Several plots as one picture, in rows and columns.
function tile(panels, columns, width, height) {
  const lines = Math.ceil(panels.length / columns);
  const whole = svg_el("svg", {
    class: "plot",
    width: width * columns,
    height: height * lines,
    viewBox: `0 0 ${width * columns} ${height * lines}`,
    fill: "currentColor",
  });
  panels.forEach((panel, i) => {
    const place = {x: (i % columns) * width, y: Math.floor(i / columns) * height};
    panel.removeAttribute("class");
    for (const [name, value] of Object.entries(place)) panel.setAttribute(name, value);
    whole.append(panel);
  });
  return whole;
}

function row_lines(page, measure, one) {
  const {rows} = page;
  const [low, high] = [measure.low?.[one.row], measure.high?.[one.row]];
  const text = measure.is_time ? duration_text : (value) => digits_text(value, 4);
  const state = rows.state[one.row];
  return [
    rows.name[one.row],
    is_number(one.value)
      ? `${measure.title} ${text(one.value)}`
      : `${state}${rows.reason?.[one.row] ? `: ${rows.reason[one.row]}` : ""}`,
    is_number(low) && is_number(high) ? `95\u00a0%: ${text(low)} to ${text(high)}` : null,
  ].filter(Boolean);
}

/// What is plotted against what, from the choices in the page.
function question_of(page, width, {measure, x, facet}) {
  const axes = page.doc.axes;
  const axis = axes.find((one) => one.name === x);
  const split = facet && facet !== x ? axes.find((one) => one.name === facet) : null;
  const measured = measure_of(page, measure);
  const placed = place_rows(page, axis, split, measured);
  const columns = Math.max(1, Math.min(placed.facets.length, Math.floor(width / kLeast)));
  return {axis, split, measure: measured, ...placed, columns, panel_width: Math.floor(width / columns)};
}

/// One panel for each value of the facet, each with the places of its rows.
function draw_panels(page, question) {
  const {axis, split, measure, data, values, facets, panel_width} = question;
  const y = y_scale(data, measure, kPanel);
  const shared = {
    measure,
    y,
    width: panel_width,
    values,
    axis_title: cut_text(axis.title || axis.name, 30),
    colour: row_colour(page),
  };
  return facets.map((value, i) => {
    const places = [];
    const title = split ? fit_text(`${split.title || split.name} ${value}`, panel_width - kMargin.left - 4, true) : "";
    const own = {data: data.filter((one) => one.panel === i), title, is_first: i === 0, places};
    return {svg: draw_panel(page, {...shared, ...own}), places};
  });
}

/// The rows of all panels, where they stand in the whole picture.
function places_of(panels, {measure, columns, panel_width}) {
  return panels.flatMap(({places}, i) =>
    places.map((one) => ({
      ...one,
      value: measure.values[one.row],
      x: one.x + (i % columns) * panel_width,
      y: one.y + Math.floor(i / columns) * kPanelHeight,
    })),
  );
}

export function plot_axis(page, width, choices) {
  const question = question_of(page, width, choices);
  const panels = draw_panels(page, question);
  const svgs = panels.map((panel) => panel.svg);
  const all = places_of(panels, question);
  const failed = all.filter((one) => !is_number(one.value));
  const measured = all.filter((one) => is_number(one.value)).map((one) => one.row);
  const states = Array.from(new Set(failed.map((one) => page.rows.state[one.row])));
  return {
    svg: tile(svgs, question.columns, question.panel_width, kPanelHeight),
    ...legend_of(page, measured),
    legend_marks: states.map((state) => ({state, text: state})),
    words: failed.length
      ? `${count_text(failed.length, "configuration")} without a value, at the foot of the panels.`
      : "",
    points: {
      x: all.map((one) => one.x),
      y: all.map((one) => one.y),
      row: all.map((one) => one.row),
      radius: 5.5,
      lines: (i) => row_lines(page, question.measure, all[i]),
    },
  };
}
