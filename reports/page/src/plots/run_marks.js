// SPDX-License-Identifier: Apache-2.0
// The marks of runs: dots, squares of a grid where they are very many, states of failed ones, notes.
import {svg_el} from "../dom.js";
import {colour_of, run_state, run_text} from "../page_data.js";
import {state_path} from "../states.js";

const kMostCells = 5000;
const kLargestCell = 10;

function cells_of(page, {x, y, run}) {
  for (let size = 3; ; ++size) {
    const counts = new Map();
    run.forEach((one, i) => {
      const colour = page.colours[page.runs.row[one]] ?? 0;
      const key = `${Math.floor(x[i] / size)} ${Math.floor(y[i] / size)} ${colour}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    });
    if (counts.size <= kMostCells || size > kLargestCell) return {size, counts};
  }
}

/// Many runs as squares of a grid, one path for each colour and number of runs: thousands of elements would stutter.
export function cell_paths(page, points) {
  const {size, counts} = cells_of(page, points);
  const paths = new Map();
  for (const [key, count] of counts) {
    const [x, y, colour] = key.split(" ").map(Number);
    const shade = count < 2 ? 0.4 : count < 5 ? 0.6 : 0.85;
    const path = `${colour} ${shade}`;
    paths.set(path, `${paths.get(path) ?? ""}M${x * size} ${y * size}h${size}v${size}h-${size}z`);
  }
  // Grey goes below the colours.
  const sorted = Array.from(paths).sort();
  return sorted.map(([key, d]) => {
    const [colour, shade] = key.split(" ");
    return svg_el("path", {d, fill: colour === "0" ? "var(--other)" : `var(--c${colour})`, "fill-opacity": shade});
  });
}

/// A dot for each run; those that are not in the mean are hollow.
export function dot_elements(page, points, radius) {
  return points.run.map((run, i) => {
    const colour = colour_of(page, page.runs.row[run]);
    const place = {cx: points.x[i].toFixed(1), cy: points.y[i].toFixed(1), r: radius};
    const full = {fill: colour, class: radius > 3 ? "dot" : "small-dot"};
    const hollow = {fill: "var(--paper)", stroke: colour, "stroke-width": 1.5};
    return svg_el("circle", {...place, ...(page.runs.in_mean[run] ? full : hollow)});
  });
}

/// Leaves out marks that would hide an equal one.
function apart(page, failed) {
  const last = new Map();
  return failed.filter(({run, x}) => {
    const state = run_state(page, run);
    const is_apart = !(Math.abs(x - last.get(state)) < 5);
    if (is_apart) last.set(state, x);
    return is_apart;
  });
}

/// Runs without a time, in a lane of their own below the others.
export function failed_marks(page, failed) {
  return apart(page, failed).map(({run, x, y}) => {
    const row = page.runs.row[run];
    return svg_el("path", {
      class: "failed",
      d: state_path(run_state(page, run)),
      transform: `translate(${(x - 6).toFixed(1)},${y - 6})`,
      stroke: page.colours[row] ? colour_of(page, row) : "var(--ink-2)",
      fill: "none",
    });
  });
}

/// Whether a mark would cover one of the last.
function is_crowded(places, x, y) {
  return places.slice(-40).some(([a, b]) => Math.abs(a - x) < 9 && Math.abs(b - y) < 9);
}

/// A small triangle above each run that somebody wrote a note on.
export function note_marks(page, points) {
  const places = [];
  points.run.forEach((run, i) => {
    const [x, y] = [points.x[i], points.y[i]];
    if (run_text(page, run).note && !is_crowded(places, x, y)) places.push([x, y]);
  });
  return places.map(([x, y]) =>
    svg_el("path", {class: "note", d: `M${(x - 4).toFixed(1)} ${(y - 13).toFixed(1)}h8l-4 6z`}),
  );
}
