// SPDX-License-Identifier: Apache-2.0
// The small picture in each row: its allocations' means as dots and the 95 % interval, on one scale for all rows.
import {svg_el} from "./dom.js";
import {count_text, duration_text, extent_of, is_number} from "./numbers.js";
import {allocation_means, colour_of} from "./page_data.js";

const kWidth = 180; // at least
const kHeight = 20;
const kInset = 7;
const kMostCirclesOfStrip = 16;
const kLogFrom = 4; // where the slowest takes so many times as long, steps of equal ratio are shown

/// Maps seconds to a place in the strip; null if nothing was measured.
export function make_strip_scale(page) {
  const means = page.rows.name.map((_, row) => allocation_means(page, row));
  const range = extent_of([...means.flat(), ...page.rows.mean_s].filter((value) => value > 0));
  if (!range) return null;
  const is_log = range[1] / range[0] > kLogFrom;
  const measure = is_log ? Math.log : (value) => value;
  const [low, high] = range.map(measure);
  const share = (value) => (high > low ? (measure(value) - low) / (high - low) : 0.5);
  const scale = {
    means,
    range,
    is_log,
    width: kWidth,
    resize: (width) => {
      scale.width = width;
    },
  };
  scale.x = (value) => kInset + share(value) * (scale.width - 2 * kInset);
  return scale;
}

/// The interval, with an arrowhead where it goes on beyond the strip.
function interval(scale, low, high) {
  const y = kHeight / 2;
  const left = low > 0 ? scale.x(low) : -1;
  const right = scale.x(high);
  const {width} = scale;
  const parts = [`M${Math.max(1, left).toFixed(1)} ${y}H${Math.min(width - 1, right).toFixed(1)}`];
  if (left < 1) parts.push(`M5 ${y - 3.5} 1 ${y} 5 ${y + 3.5}`);
  else parts.push(`M${left.toFixed(1)} ${y - 3.5}v7`);
  if (right > width - 1) parts.push(`M${width - 5} ${y - 3.5} ${width - 1} ${y} ${width - 5} ${y + 3.5}`);
  else parts.push(`M${right.toFixed(1)} ${y - 3.5}v7`);
  return svg_el("path", {class: "strip-interval", d: parts.join("")});
}

function strip_words(page, row, means) {
  const [low, high] = extent_of(means) ?? [null, null];
  if (low === null) return `mean ${duration_text(page.rows.mean_s[row])}`;
  const words = `${count_text(means.length, "allocation")}, ${duration_text(low)} to ${duration_text(high)}`;
  const {low_s, high_s} = page.rows;
  if (!is_number(low_s[row]) || !is_number(high_s[row])) return words;
  return `${words}; 95\u00a0% interval ${duration_text(low_s[row])} to ${duration_text(high_s[row])}`;
}

/// Each dot has a rim, so that one can be told from two. Where they are many, lines of no length with round ends stand
/// for them: one element for all keeps scrolling smooth.
function mean_dots(places, y, colour) {
  if (places.length <= kMostCirclesOfStrip)
    return places.map((x) => svg_el("circle", {class: "strip-dot", cx: x, cy: y, r: 3.5, fill: colour}));
  return [svg_el("path", {class: "strip-dots", d: places.map((x) => `M${x} ${y}h0`).join(""), stroke: colour})];
}

export function make_strip(page, scale, row) {
  const {low_s, mean_s, high_s} = page.rows;
  const means = scale.means[row];
  const y = kHeight / 2;
  const marks = [svg_el("title", {}, strip_words(page, row, means))];
  if (is_number(low_s[row]) && is_number(high_s[row])) marks.push(interval(scale, low_s[row], high_s[row]));
  const colour = colour_of(page, row);
  marks.push(
    ...mean_dots(
      means.map((mean) => scale.x(mean).toFixed(1)),
      y,
      colour,
    ),
  );
  if (is_number(mean_s[row])) {
    marks.push(svg_el("path", {class: "strip-mean", d: `M${scale.x(mean_s[row]).toFixed(1)} ${y - 7}v14`}));
  }
  const box = {
    class: "strip",
    width: scale.width,
    height: kHeight,
    viewBox: `0 0 ${scale.width} ${kHeight}`,
    role: "img",
  };
  return svg_el("svg", {...box, "aria-label": strip_words(page, row, means)}, marks);
}
