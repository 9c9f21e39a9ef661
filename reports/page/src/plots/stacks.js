// SPDX-License-Identifier: Apache-2.0
// Bars of parts that add up: the memory of each stage, the time of an iteration; with a line that they must not cross.
import {svg_el} from "../dom.js";
import {digits_text, duration_text, percent_text} from "../numbers.js";
import {by_hand, draw_plot, fit_text, kGrid, kInk, kInk2, Plot, text_width} from "./base.js";

const kLine = 26;
const kTop = 26;
const kBottom = 34;
const kColours = 8;

function colour_of_part(part) {
  return part < kColours ? `var(--c${part + 1})` : "var(--other)";
}

function size_text(stacks, size) {
  return stacks.unit === "s" ? duration_text(size) : `${digits_text(size, 3)}\u00a0${stacks.unit}`;
}

/// The parts of each bar, from left to right.
function parts_of(stacks) {
  return stacks.bars.flatMap((bar, line) => {
    const whole = stacks.sizes[line].reduce((sum, size) => sum + (size ?? 0), 0);
    let from = 0;
    return stacks.parts.flatMap((name, part) => {
      const size = stacks.sizes[line][part];
      if (!(size > 0)) return [];
      const made = {bar, line, name, part, size, share: size / whole, from, to: from + size};
      from += size;
      return [made];
    });
  });
}

function part_marks(parts, places) {
  return by_hand("marks", (group, scales) => {
    for (const one of parts) {
      const left = scales.x(one.from);
      const width = Math.max(0.5, scales.x(one.to) - left - 1);
      const y = scales.y(one.line);
      group.append(svg_el("rect", {x: left, y: y - 8, width, height: 16, fill: colour_of_part(one.part)}));
      places.push({x: left + width / 2, y, one});
    }
  });
}

function name_marks(stacks, room) {
  return by_hand("labels", (group, scales) => {
    stacks.bars.forEach((bar, line) => {
      group.append(
        svg_el(
          "text",
          {x: room - 8, y: scales.y(line), dy: "0.32em", "text-anchor": "end", fill: kInk},
          fit_text(bar, room - 10),
        ),
      );
    });
  });
}

/// The limit, and what it is above it, on the side that has room.
function limit_mark(stacks) {
  return by_hand("limit", (group, scales, {width, height}) => {
    const x = scales.x(stacks.limit);
    group.append(
      svg_el("line", {x1: x, x2: x, y1: kTop - 6, y2: height - kBottom, stroke: kInk, "stroke-dasharray": "4 3"}),
    );
    const is_right = x > width / 2;
    const text = fit_text(stacks.limit_text, is_right ? x : width - x - 8);
    group.append(
      svg_el("text", {x: is_right ? x + 4 : x - 4, y: 14, "text-anchor": is_right ? "end" : "start", fill: kInk2}, text),
    );
  });
}

export function plot_stacks(page, width, choices, stacks) {
  const parts = parts_of(stacks);
  const has_limit = stacks.limit > 0;
  const most = Math.max(...parts.map((one) => one.to), has_limit ? stacks.limit : 0, 1e-9);
  const longest = Math.max(...stacks.bars.map((bar) => text_width(bar)));
  const room = Math.min(longest + 14, width * 0.4);
  const places = [];
  const svg = draw_plot({
    width,
    height: stacks.bars.length * kLine + kTop + kBottom,
    marginLeft: room,
    marginRight: 22,
    marginTop: kTop,
    marginBottom: kBottom,
    x: {domain: [0, most]},
    y: {type: "linear", domain: [-0.6, stacks.bars.length - 0.4], reverse: true, axis: null},
    marks: [
      Plot.gridX({stroke: kGrid, strokeOpacity: 1, ticks: 4}),
      Plot.axisX({
        ticks: width < 500 ? 2 : 4,
        tickFormat: (value) => (value === 0 ? "0" : stacks.unit === "s" ? duration_text(value, 2) : `${value}\u00a0${stacks.unit}`),
        label: null,
        tickSize: 0,
      }),
      part_marks(parts, places),
      name_marks(stacks, room),
      ...(has_limit ? [limit_mark(stacks)] : []),
    ],
  });
  const used = new Set(parts.map((one) => one.part));
  return {
    svg,
    legend_rows: [],
    has_others: false,
    legend_marks: stacks.parts
      .map((text, part) => ({colour: colour_of_part(part), text, part}))
      .filter(({part}) => used.has(part))
      .map(({colour, text}) => ({colour, text})),
    words: "",
    points: {
      x: places.map(({x}) => x),
      y: places.map(({y}) => y),
      row: places.map(() => null),
      lines: (i) => {
        const {one} = places[i];
        return [one.bar, `${one.name}: ${size_text(stacks, one.size)}, ${percent_text(one.share)}`];
      },
    },
  };
}
