// SPDX-License-Identifier: Apache-2.0
// Bars of parts that add up: the memory of each stage, the time of an iteration; with a line that they must not cross.
import {svg_el} from "../dom.js";
import {digits_text, duration_text, percent_text} from "../numbers.js";
import {bars_of, draw_bars, kBarsBottom, kBarsTop} from "./bars.js";
import {by_hand, fit_text, kInk, kInk2, text_width} from "./base.js";

const kColours = 8;

/// What a part takes as the first, second … of those that are drawn.
function colour_at(place) {
  return place < kColours ? `var(--c${place + 1})` : "var(--other)";
}

function size_text(stacks, size) {
  return stacks.unit === "s" ? duration_text(size) : `${digits_text(size, 3)}\u00a0${stacks.unit}`;
}

function tick_text(stacks, value) {
  if (value === 0) return "0";
  return stacks.unit === "s" ? duration_text(value, 2) : `${value}\u00a0${stacks.unit}`;
}

/// The limit, and what it is above it, on the side that has room.
function limit_mark(stacks) {
  return by_hand("limit", (group, scales, {width, height}) => {
    const x = scales.x(stacks.limit);
    group.append(
      svg_el("line", {x1: x, x2: x, y1: kBarsTop - 6, y2: height - kBarsBottom, stroke: kInk, "stroke-dasharray": "4 3"}),
    );
    const is_right = x > width / 2;
    const text = fit_text(stacks.limit_text, is_right ? x : width - x - 8);
    group.append(
      svg_el("text", {x: is_right ? x + 4 : x - 4, y: 14, "text-anchor": is_right ? "end" : "start", fill: kInk2}, text),
    );
  });
}

export function plot_stacks(page, width, choices, stacks) {
  const sized = bars_of(stacks.sizes);
  const drawn = [...new Set(sized.map((bar) => bar.part))].sort((a, b) => a - b);
  const bars = sized.map((bar) => ({...bar, colour: colour_at(drawn.indexOf(bar.part))}));
  const has_limit = stacks.limit > 0;
  const longest = Math.max(...stacks.bars.map((bar) => text_width(bar)));
  const {svg, places} = draw_bars({
    width,
    names: stacks.bars,
    room: Math.min(longest + 14, width * 0.4),
    bars,
    most: has_limit ? stacks.limit : 0,
    tick_text: (value) => tick_text(stacks, value),
    more: has_limit ? [limit_mark(stacks)] : [],
  });
  return {
    svg,
    legend_rows: [],
    has_others: false,
    legend_marks: drawn.map((part, place) => ({colour: colour_at(place), text: stacks.parts[part]})),
    words: "",
    points: {
      x: places.map(({x}) => x),
      y: places.map(({y}) => y),
      row: places.map(() => null),
      lines: (i) => {
        const {line, part, size, share} = places[i].bar;
        return [stacks.bars[line], `${stacks.parts[part]}: ${size_text(stacks, size)}, ${percent_text(share)}`];
      },
    },
  };
}
