// SPDX-License-Identifier: Apache-2.0
// Lines of bars that follow each other from left to right, each line with its name.
import {svg_el} from "../dom.js";
import {by_hand, draw_plot, fit_text, kGrid, kInk, Plot} from "./base.js";

const kLine = 26;
export const kBarsTop = 26;
export const kBarsBottom = 34;

function bar_marks(bars, places) {
  return by_hand("marks", (group, scales) => {
    for (const bar of bars) {
      const left = scales.x(bar.from);
      const width = Math.max(0.5, scales.x(bar.to) - left - 1);
      const y = scales.y(bar.line);
      group.append(svg_el("rect", {x: left, y: y - 8, width, height: 16, fill: bar.colour}));
      places.push({x: left + width / 2, y, bar});
    }
  });
}

function name_marks(names, room) {
  return by_hand("labels", (group, scales) => {
    names.forEach((name, line) => {
      group.append(
        svg_el(
          "text",
          {x: room - 8, y: scales.y(line), dy: "0.32em", "text-anchor": "end", fill: kInk},
          fit_text(name, room - 10),
        ),
      );
    });
  });
}

/// The plot of `bars`, {line, from, to, colour} each, which reaches to `most` at least; `names` of its lines have `room`
/// on the left. Also where each bar is: {x, y, bar}.
export function draw_bars({width, names, room, bars, most = 0, tick_text, more = []}) {
  const places = [];
  const svg = draw_plot({
    width,
    height: names.length * kLine + kBarsTop + kBarsBottom,
    marginLeft: room,
    marginRight: 22,
    marginTop: kBarsTop,
    marginBottom: kBarsBottom,
    x: {domain: [0, Math.max(...bars.map((bar) => bar.to), most, 1e-9)]},
    y: {type: "linear", domain: [-0.6, names.length - 0.4], reverse: true, axis: null},
    marks: [
      Plot.gridX({stroke: kGrid, strokeOpacity: 1, ticks: 4}),
      Plot.axisX({ticks: width < 500 ? 2 : 4, tickFormat: tick_text, label: null, tickSize: 0}),
      bar_marks(bars, places),
      name_marks(names, room),
      ...more,
    ],
  });
  return {svg, places};
}

/// The parts of each line, one behind the other: {line, part, size, share, from, to}; `as_share`: of lines that are all
/// as long.
export function bars_of(lines, as_share = false) {
  return lines.flatMap((sizes, line) => {
    const whole = sizes.reduce((sum, size) => sum + (size ?? 0), 0) || 1;
    const per = as_share ? whole : 1;
    let from = 0;
    return sizes.flatMap((size, part) => {
      if (!(size > 0)) return [];
      const bar = {line, part, size, share: size / whole, from: from / per, to: (from + size) / per};
      from += size;
      return [bar];
    });
  });
}
