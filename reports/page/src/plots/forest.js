// SPDX-License-Identifier: Apache-2.0
// Values with intervals, one a line, names on the left: node effects and ratios.
import {svg_el} from "../dom.js";
import {short_names} from "../names.js";
import {by_hand, draw_plot, fit_text, kGrid, Plot, text_width} from "./base.js";

const kLine = 22;
const kTallLine = 42; // with the name above
const kNarrow = 560;
const kWidest = 1040; // beyond it, name and word are too far from their line

/// Where names and words stand: beside their lines, or above them where the window is narrow.
function frame_of(lines, available) {
  const width = Math.min(available, kWidest);
  const short = short_names(lines.map((one) => one.name));
  if (width < kNarrow) return {width, is_narrow: true, short, line: kTallLine, left: 14, right: 14, drop: 4};
  const names = Math.max(...lines.map((one) => text_width(one.name, one.is_strong))) + 14;
  const words = Math.max(...lines.map((one) => text_width(one.words ?? "", one.is_strong))) + 14;
  return {
    width,
    is_narrow: false,
    line: kLine,
    left: Math.min(names, Math.floor(width * 0.4)),
    right: Math.min(Math.max(16, words), width * 0.3),
    drop: 0,
  };
}

function text_of_line(one, attributes, text) {
  return svg_el("text", {...attributes, dy: "0.32em", "font-weight": one.is_strong ? 600 : 400}, text);
}

function texts_beside(group, one, y, {width, left, right}) {
  group.append(
    text_of_line(one, {x: left - 10, y, "text-anchor": "end"}, fit_text(one.name, left - 12, one.is_strong)),
  );
  group.append(
    text_of_line(
      one,
      {x: width - right + 12, y, "text-anchor": "start"},
      fit_text(one.words ?? "", right - 12, one.is_strong),
    ),
  );
}

function texts_above(group, one, y, {width, short}) {
  const words = fit_text(one.words ?? "", width * 0.5, one.is_strong);
  const room = width - text_width(words, one.is_strong) - 12;
  group.append(
    text_of_line(one, {x: 0, y: y - 13, "text-anchor": "start"}, fit_text(short[one.at], room, one.is_strong)),
  );
  group.append(text_of_line(one, {x: width, y: y - 13, "text-anchor": "end"}, words));
}

function texts_mark(lines, frame) {
  return by_hand("labels", (group, {y}) => {
    for (const one of lines) (frame.is_narrow ? texts_above : texts_beside)(group, one, y(one.at), frame);
  });
}

function lines_mark(lines, domain, {drop}) {
  const within = (value) => Math.min(domain[1], Math.max(domain[0], value));
  return by_hand("marks", (group, {x, y}) => {
    for (const one of lines) {
      const at = y(one.at) + drop;
      if (one.low !== null && one.high !== null) {
        group.append(
          svg_el("path", {
            class: "forest-interval",
            d: `M${x(within(one.low))} ${at}H${x(within(one.high))}`,
            stroke: one.colour,
          }),
        );
      }
      group.append(svg_el("circle", {cx: x(within(one.value)), cy: at, r: 4.5, fill: one.colour, class: "dot"}));
    }
  });
}

/// `lines` are {name, value, low, high, colour, is_strong, words, row}; `scale` {domain, ticks, format, zero, band, label, type}.
export function plot_forest(lines, available, scale) {
  const frame = frame_of(lines, available);
  const placed = lines.map((one, at) => ({...one, at}));
  const svg = draw_plot({
    width: frame.width,
    height: lines.length * frame.line + 64,
    marginLeft: frame.left,
    marginRight: frame.right,
    marginTop: 12,
    marginBottom: 48,
    x: {type: scale.type ?? "linear", domain: scale.domain},
    y: {type: "linear", domain: [-0.7, lines.length - 0.3], reverse: true, axis: null},
    marks: [
      scale.band
        ? Plot.rectX([scale.band], {x1: (band) => band[0], x2: (band) => band[1], fill: "var(--band-strong)"})
        : null,
      Plot.gridX({stroke: kGrid, strokeOpacity: 1, ticks: scale.ticks}),
      Plot.ruleX([scale.zero], {stroke: "var(--ink-2)"}),
      Plot.axisX({
        ticks: scale.ticks,
        tickFormat: scale.format,
        label: scale.label,
        labelAnchor: "center",
        labelArrow: "none",
        tickSize: 0,
      }),
      texts_mark(placed, frame),
      lines_mark(placed, scale.domain, frame),
    ],
  });
  const x = svg.scale("x").apply;
  const y = svg.scale("y").apply;
  return {
    svg,
    points: {
      x: placed.map((one) => x(Math.min(scale.domain[1], Math.max(scale.domain[0], one.value)))),
      y: placed.map((one) => y(one.at) + frame.drop),
      row: placed.map((one) => one.row ?? null),
      radius: 6,
      lines: (i) => lines[i].lines,
    },
  };
}
