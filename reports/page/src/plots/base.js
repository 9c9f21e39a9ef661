// SPDX-License-Identifier: Apache-2.0
// What all plots share. The only file that knows the plotting library by name.
import {axisX, axisY, dot, gridX, gridY, line, link, plot, rectX, rectY, ruleX, ruleY, text} from "@observablehq/plot";
import {svg_el} from "../dom.js";
import {colour_of} from "../page_data.js";

export const Plot = {axisX, axisY, dot, gridX, gridY, line, link, plot, rectX, rectY, ruleX, ruleY, text};

export const kInk = "var(--ink)";
export const kInk2 = "var(--ink-2)";
export const kGrid = "var(--grid)";
export const kAccent = "var(--accent)";

const kLongestMeasured = 400; // letters; a name of a megabyte is cut before it is measured
const widths = new Map();
let pen = null;

/// Pixels of a text of a plot, as page.css sets it: plots are laid out before they are drawn.
export function text_width(text, is_bold = false) {
  const key = `${is_bold ? 600 : 400} ${text.slice(0, kLongestMeasured)}`;
  if (!widths.has(key)) {
    pen ??= document.createElement("canvas").getContext("2d");
    pen.font = `${is_bold ? 600 : 400} 12px ${getComputedStyle(document.body).fontFamily}`;
    widths.set(key, pen.measureText(text.slice(0, kLongestMeasured)).width);
  }
  return widths.get(key);
}

/// A text cut so that it fits.
export function fit_text(text, width, is_bold = false) {
  let letters = Array.from(text).slice(0, kLongestMeasured);
  if (letters.length === Array.from(text).length && text_width(text, is_bold) <= width) return text;
  while (letters.length > 1 && text_width(`${letters.join("")}…`, is_bold) > width) letters = letters.slice(0, -1);
  return `${letters.join("")}…`;
}

/// Draws without what the page's policy forbids: the library puts its rules into each plot, the page has them already.
export function draw_plot(options) {
  const svg = Plot.plot({className: "plot", ...options});
  for (const rules of svg.querySelectorAll("style")) rules.remove();
  // Groups have no role that could have a name; the plot has one as a whole.
  for (const group of svg.querySelectorAll("[aria-label]")) group.removeAttribute("aria-label");
  return svg;
}

/// Marks drawn by hand: `draw` gets the group, the scales' functions and the dimensions.
export function by_hand(name, draw) {
  return (index, scales, channels, dimensions) => {
    const group = svg_el("g", {class: name});
    draw(group, scales, dimensions);
    return group;
  };
}

/// Points of a plot for pointer and keys; `data` have {x, y, row} in the units of the scales.
export function points_of(svg, data, lines, offset = () => [0, 0]) {
  const x = svg.scale("x").apply;
  const y = svg.scale("y").apply;
  const places = data.map((one) => offset(one));
  return {
    x: data.map((one, i) => x(one.x) + places[i][0]),
    y: data.map((one, i) => y(one.y) + places[i][1]),
    row: data.map((one) => one.row ?? null),
    lines: (i) => lines(data[i]),
  };
}

/// The rows of a plot that have colours of their own, and whether there are others.
export function legend_of(page, rows) {
  const coloured = rows.filter((row) => page.colours[row]);
  return {
    legend_rows: coloured.sort((a, b) => page.colours[a] - page.colours[b]),
    has_others: coloured.length < rows.length,
  };
}

const kMostCircles = 1000;

/// A dot for each of {x, y, colour}, in pixels; very many become a path for each colour: lines of no length with round ends.
export function dots(places, radius) {
  if (places.length <= kMostCircles) {
    return places.map(({x, y, colour}) =>
      svg_el("circle", {class: "dot", cx: x.toFixed(1), cy: y.toFixed(1), r: radius, fill: colour}),
    );
  }
  const paths = new Map();
  for (const {x, y, colour} of places)
    paths.set(colour, `${paths.get(colour) ?? ""}M${x.toFixed(1)} ${y.toFixed(1)}h0`);
  // Grey goes below the colours; its name is the last.
  return Array.from(paths)
    .sort()
    .reverse()
    .map(([colour, d]) => svg_el("path", {class: "many-dots", d, stroke: colour}));
}

export function row_colour(page) {
  return (one) => (one.row === null || one.row === undefined ? "var(--other)" : colour_of(page, one.row));
}

/// At most so many of sorted ticks, evenly chosen.
export function thin_ticks(ticks, most) {
  const step = Math.ceil(ticks.length / Math.max(1, most));
  return ticks.filter((_, i) => i % step === 0);
}

/// Round ticks of a logarithmic scale: 1, 2, 5 of each power of ten, as many as fit.
export function log_ticks(low, high, most) {
  for (const steps of [[1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9], [1, 2, 3, 5], [1, 2, 5], [1, 3], [1]]) {
    const ticks = [];
    for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); ++power) {
      for (const step of steps) ticks.push(step * 10 ** power);
    }
    const inside = ticks.filter((tick) => tick >= low * 0.999 && tick <= high * 1.001);
    if (inside.length <= most) return inside;
  }
  return [];
}
