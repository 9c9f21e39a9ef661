// SPDX-License-Identifier: Apache-2.0
// The axis of runs: by time or evenly spaced, with bands for days and bars for campaigns.
import {svg_el} from "../dom.js";
import {cut_text} from "../names.js";
import {day_of} from "../numbers.js";
import {by_hand, text_width} from "./base.js";

const kDay = 86400;
const kMostBands = 120;
const kMonths = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const kTickRoom = 58;
export const kLane = 16; // height of a lane of campaigns

/// Gives each run a place: seconds, or its number by time. Returns {place: run → x, domain, edges of days}.
export function make_time_axis(runs, order, is_even) {
  const places = new Map(order.map((run, i) => [run, is_even ? i : runs.started_at[run]]));
  const first = places.get(order[0]);
  const last = places.get(order[order.length - 1]);
  const room = Math.max((last - first) * 0.02, is_even ? 0.5 : 5);
  return {places, is_even, domain: [first - room, last + room], days: days_of(runs, order, places, is_even)};
}

/// Each day with runs or between them: {day, x1, x2}.
function days_of(runs, order, places, is_even) {
  const days = [];
  for (const run of order) {
    const day = day_of(runs.started_at[run]);
    if (days.length && days[days.length - 1].day === day) days[days.length - 1].last = places.get(run);
    else days.push({day, first: places.get(run), last: places.get(run)});
  }
  if (is_even) return days.map(({day, first, last}) => ({day, x1: first - 0.5, x2: last + 0.5}));
  const all = [];
  for (let day = days[0].day; day <= days[days.length - 1].day && all.length <= kMostBands; ++day) {
    all.push({day, x1: day * kDay, x2: (day + 1) * kDay});
  }
  return all;
}

function day_text(day) {
  const date = new Date(day * kDay * 1000);
  return `${kMonths[date.getUTCMonth()]} ${date.getUTCDate()}`;
}

function clamp(value, [low, high]) {
  return Math.min(high, Math.max(low, value));
}

/// Every other day shaded; none where days are so many that bands would be noise.
export function day_bands(axis) {
  return by_hand("bands", (group, {x}, {marginTop, marginBottom, height}) => {
    if (axis.days.length > kMostBands || axis.days.length < 2) return;
    axis.days.forEach(({x1, x2}, i) => {
      if (i % 2) return;
      const left = x(clamp(x1, axis.domain));
      const right = x(clamp(x2, axis.domain));
      group.append(
        svg_el("rect", {
          x: left,
          width: Math.max(0, right - left),
          y: marginTop,
          height: height - marginTop - marginBottom,
        }),
      );
    });
  });
}

/// Hours where all is within two days, else days; only as many labels as have room.
function ticks_of(axis, width) {
  const [low, high] = axis.domain;
  if (axis.is_even || high - low > 2 * kDay) {
    return axis.days.map(({day, x1, x2}) => ({
      x: (clamp(x1, axis.domain) + clamp(x2, axis.domain)) / 2,
      text: day_text(day),
    }));
  }
  const fits = (step) => (high - low) / step <= width / kTickRoom;
  const step = [300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200].find(fits) ?? kDay;
  const ticks = [];
  for (let at = Math.ceil(low / step) * step; at <= high; at += step) {
    const clock = new Date(at * 1000).toISOString().slice(11, 16);
    ticks.push({
      x: at,
      text: clock === "00:00" || !ticks.length ? `${day_text(day_of(at))} ${clock}` : clock,
      line: true,
    });
  }
  return ticks;
}

export function time_labels(axis) {
  return by_hand("ticks", (group, {x}, {width, height, marginLeft, marginRight, marginBottom}) => {
    const base = height - marginBottom;
    let free = 0;
    for (const tick of ticks_of(axis, width - marginLeft - marginRight)) {
      const half = text_width(tick.text) / 2;
      const at = Math.min(width - half, Math.max(half, x(tick.x)));
      if (at - half < free) continue;
      free = at + half + 8;
      if (tick.line) group.append(svg_el("path", {d: `M${x(tick.x)} ${base}v5`, stroke: "currentColor", fill: "none"}));
      group.append(svg_el("text", {x: at, y: base + 18, "text-anchor": "middle"}, tick.text));
    }
  });
}

/// When each campaign began and ended, in lanes so that bars do not cover each other.
export function campaign_lanes(page, order, axis, most) {
  const spans = new Map();
  for (const run of order) {
    const at = axis.places.get(run);
    const span = spans.get(page.runs.campaign[run]) ?? {campaign: page.runs.campaign[run], x1: at, x2: at};
    span.x2 = at;
    spans.set(span.campaign, span);
  }
  const lanes = [];
  for (const span of spans.values()) {
    let lane = lanes.findIndex((end) => end < span.x1);
    if (lane < 0) lane = lanes.length;
    lanes[lane] = span.x2;
    span.lane = lane;
  }
  return {spans: Array.from(spans.values()).filter((span) => span.lane < most), lanes: Math.min(most, lanes.length)};
}

function campaign_label(page, span) {
  const {name, tags} = page.doc.campaigns?.[span.campaign] ?? {name: "", tags: []};
  return [name, ...(tags ?? []).map((tag) => `⚑ ${tag}`)]
    .filter(Boolean)
    .map((text) => cut_text(text, 28))
    .join("  ");
}

export function campaign_bars(page, {spans}, axis) {
  return by_hand("campaigns", (group, {x}, {width, marginRight}) => {
    const free = [];
    for (const span of spans) {
      const y = 6 + span.lane * kLane;
      const left = x(span.x1) - 1;
      const right = Math.max(left + 4, x(span.x2) - 2); // a gap, where the next begins at once
      const text = campaign_label(page, span);
      const start = Math.min(left, width - marginRight - text_width(text));
      group.append(svg_el("path", {d: `M${left} ${y + 12}H${right}`}));
      if (start < (free[span.lane] ?? 0)) continue;
      free[span.lane] = start + text_width(text) + 10;
      group.append(svg_el("text", {x: start, y: y + 7, "text-anchor": "start"}, text));
    }
  });
}
