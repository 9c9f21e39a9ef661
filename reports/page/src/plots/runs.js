// SPDX-License-Identifier: Apache-2.0
// Every run over time.
import {svg_el} from "../dom.js";
import {count_text, duration_text, extent_of, is_number, moment_text, tick_percent_text, unit_of} from "../numbers.js";
import {allocation_name, campaign_of, colour_of, run_name, run_state, run_text} from "../page_data.js";
import {by_hand, draw_plot, kGrid, kInk2, legend_of, log_ticks, Plot} from "./base.js";
import {cell_paths, dot_elements, failed_marks, note_marks} from "./run_marks.js";
import {campaign_bars, campaign_lanes, day_bands, kLane, make_time_axis, time_labels} from "./time_axis.js";

const kMostDots = 2500;
const kLogFrom = 12;
const kMostLanes = 3;
const kFailedLane = 22;

/// The mean of each row in seconds, for times relative to it; from its runs where the row has none.
function row_means(page) {
  return page.rows.name.map((_, row) => {
    if (is_number(page.rows.mean_s[row])) return page.rows.mean_s[row];
    const means = page.runs_of[row].map((run) => page.runs.mean_s[run]).filter(is_number);
    return means.length ? means.reduce((sum, mean) => sum + mean, 0) / means.length : null;
  });
}

function make_heights(page, is_relative) {
  const means = is_relative ? row_means(page) : null;
  return (run) => {
    const time = page.runs.mean_s[run];
    if (!is_number(time)) return null;
    if (!is_relative) return time;
    const mean = means[page.runs.row[run]];
    return mean > 0 ? time / mean - 1 : null;
  };
}

/// How heights are shown: the scale and its label.
function y_axis(heights, is_relative, height) {
  const range = extent_of(heights) ?? [0, 1];
  const most = Math.floor(height / 44);
  if (is_relative) {
    const wide = range[1] - range[0];
    return {
      domain: [Math.min(range[0] - wide * 0.05, -0.02), Math.max(range[1] + wide * 0.05, 0.02)],
      ticks: most,
      label: "from the configuration's mean",
      tickFormat: tick_percent_text,
    };
  }
  const unit = unit_of(range[0]);
  const is_log = range[0] > 0 && range[1] / range[0] > kLogFrom;
  const pad = (range[1] - range[0]) * 0.05 || range[1] * 0.1 || 1;
  const domain = is_log ? [range[0] * 0.9, range[1] * 1.1] : [range[0] - pad, range[1] + pad];
  const ticks = is_log
    ? log_ticks(domain[0] * unit.per_second, domain[1] * unit.per_second, most).map((tick) => tick / unit.per_second)
    : most;
  return {
    type: is_log ? "log" : "linear",
    domain,
    ticks,
    label: `step time (${unit.name})`,
    tickFormat: (value) => Number((value * unit.per_second).toPrecision(4)).toString(),
  };
}

export function run_lines(page, run) {
  const {reason, note} = run_text(page, run);
  const state = run_state(page, run);
  const time = page.runs.mean_s[run];
  return [
    run_name(page, run),
    is_number(time) ? `step time ${duration_text(time)}${page.runs.in_mean[run] ? "" : ", not in the mean"}` : null,
    state && state !== "ok" ? `${state}${reason ? `: ${reason}` : ""}` : reason,
    allocation_name(page, run) && `allocation ${allocation_name(page, run)}`,
    moment_text(page.runs.started_at[run]),
    campaign_of(page, run).name,
    note && `note: ${note}`,
  ].filter(Boolean);
}

function sorted_runs(page) {
  const {started_at} = page.runs;
  const all = Array.from({length: page.run_count}, (_, run) => run).filter((run) => is_number(started_at[run]));
  return all.sort((a, b) => started_at[a] - started_at[b]);
}

/// Where each run stands, in pixels.
function place_runs(runs, scales, axis, heights, lane_y) {
  const points = {x: [], y: [], run: [], failed: []};
  for (const run of runs) {
    const x = scales.x(axis.places.get(run));
    const height = heights(run);
    if (height === null) points.failed.push({run, x, y: lane_y});
    else {
      points.x.push(x);
      points.y.push(scales.y(height));
      points.run.push(run);
    }
  }
  return points;
}

function words_of(page, runs, failed) {
  const hidden = page.run_count - runs.length;
  const {started_at} = page.runs;
  const span = `from ${moment_text(started_at[runs[0]])} to ${moment_text(started_at[runs[runs.length - 1]])}`;
  const bad = failed ? `; ${failed} without a time, in the lane below` : "";
  return `${count_text(runs.length, "run")} ${span}${bad}${hidden ? `; ${hidden} are not shown, because it is not known when they began or what they belong to` : ""}.`;
}

function marks_legend(page, points) {
  const states = Array.from(new Set(points.failed.map(({run}) => run_state(page, run))));
  const marks = states.map((state) => ({state, text: state}));
  if (points.run.some((run) => !page.runs.in_mean[run])) marks.push({hollow: true, text: "not in the mean"});
  if (points.run.some((run) => run_text(page, run).note)) marks.push({note: true, text: "has a note"});
  return marks;
}

function empty_plot(width) {
  return {
    svg: svg_el("svg", {viewBox: `0 0 ${width} 20`, width, height: 20, class: "plot"}),
    points: {x: [], y: [], row: [], lines: () => []},
    words: "No run can be shown: it is not known when they began or what they belong to.",
  };
}

function frame_of(width, lanes, any_failed) {
  return {
    width,
    height: (width < 500 ? 320 : 400) + lanes * kLane,
    marginTop: 34 + lanes * kLane,
    marginLeft: 52,
    marginRight: 10,
    marginBottom: 30 + (any_failed ? kFailedLane : 0),
  };
}

/// Draws the runs and keeps where they stand in `points`.
function run_marks(page, runs, axis, heights, lane_y, points) {
  return by_hand("marks", (group, scales) => {
    Object.assign(points, place_runs(runs, scales, axis, heights, lane_y));
    const radius = runs.length < 300 ? 3.5 : runs.length < 1000 ? 2.8 : 2.2;
    const marks = points.run.length > kMostDots ? cell_paths(page, points) : dot_elements(page, points, radius);
    group.append(...marks, ...failed_marks(page, points.failed), ...note_marks(page, points));
  });
}

/// Runs with and without a time as the points that pointer and keys find.
function points_of_runs(page, {x, y, run, failed}) {
  const all = [...run.map((one, i) => ({run: one, x: x[i], y: y[i]})), ...failed];
  return {
    x: all.map((one) => one.x),
    y: all.map((one) => one.y),
    row: all.map((one) => page.runs.row[one.run] ?? null),
    lines: (i) => run_lines(page, all[i].run),
  };
}

export function plot_runs(page, width, {x: spacing, y: shown}) {
  const is_relative = shown === "relative";
  const heights = make_heights(page, is_relative);
  // A run whose configuration is not in the report cannot be relative to it.
  const runs = sorted_runs(page).filter((run) => !is_number(page.runs.mean_s[run]) || heights(run) !== null);
  if (!runs.length) return empty_plot(width);
  const axis = make_time_axis(page.runs, runs, spacing === "order");
  const lanes = campaign_lanes(page, runs, axis, kMostLanes);
  const any_failed = runs.some((run) => heights(run) === null);
  const frame = frame_of(width, lanes.lanes, any_failed);
  const bottom = frame.height - frame.marginBottom;
  const y = y_axis(runs.map(heights), is_relative, bottom - frame.marginTop);
  const points = {};
  const svg = draw_plot({
    ...frame,
    x: {type: "linear", domain: axis.domain, axis: null},
    y: {...y, type: y.type ?? "linear"},
    marks: [
      day_bands(axis),
      Plot.gridY({stroke: kGrid, strokeOpacity: 1, ticks: y.ticks}),
      is_relative ? Plot.ruleY([0], {stroke: kInk2, strokeOpacity: 0.6}) : null,
      Plot.axisY({label: null, tickSize: 0, tickFormat: y.tickFormat, ticks: y.ticks}),
      y_title(y.label),
      run_marks(page, runs, axis, heights, bottom + 15, points),
      failed_label(any_failed, bottom),
      time_labels_below(axis, any_failed),
      campaign_bars(page, lanes, axis),
    ],
  });
  return {
    svg,
    ...legend_of(page, rows_of(page, runs)),
    legend_marks: marks_legend(page, points),
    words: words_of(page, runs, points.failed.length),
    points: points_of_runs(page, points),
  };
}

function rows_of(page, runs) {
  return Array.from(new Set(runs.map((run) => page.runs.row[run]))).filter((row) => page.rows.name[row] !== undefined);
}

function y_title(text) {
  return by_hand("titles", (group, scales, {marginTop}) => {
    group.append(svg_el("text", {x: 0, y: marginTop - 10, "text-anchor": "start"}, `↑ ${text}`));
  });
}

function failed_label(any_failed, bottom) {
  return by_hand("lane", (group, scales, {width, marginRight, marginLeft}) => {
    if (!any_failed) return;
    group.append(
      svg_el("path", {
        d: `M${marginLeft} ${bottom + kFailedLane + 4}H${width - marginRight}M${marginLeft} ${bottom}H${width - marginRight}`,
      }),
    );
    group.append(svg_el("text", {x: marginLeft - 6, y: bottom + 19, "text-anchor": "end"}, "no time"));
  });
}

function time_labels_below(axis, any_failed) {
  const labels = time_labels(axis);
  return (index, scales, channels, dimensions, context) =>
    labels(
      index,
      scales,
      channels,
      {...dimensions, marginBottom: dimensions.marginBottom - (any_failed ? kFailedLane + 2 : 0)},
      context,
    );
}
