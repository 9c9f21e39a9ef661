// SPDX-License-Identifier: Apache-2.0
// Values with intervals, one a line, names on the left: node effects and ratios.
import {svg_el} from "../dom.js";
import {by_hand, draw_plot, fit_text, kGrid, Plot, text_width} from "./base.js";

const kLine = 22;
const kWidest = 1040; // beyond it, name and word are too far from their line

/// The room for names on the left; longer ones are cut.
function names_width(lines, width) {
  const widest = Math.max(...lines.map((one) => text_width(one.name, one.is_strong))) + 14;
  return Math.min(widest, Math.floor(width * (width < 500 ? 0.34 : 0.4)));
}

function names_mark(lines, room) {
  return by_hand("labels", (group, {y}) => {
    for (const one of lines) {
      const text = fit_text(one.name, room - 12, one.is_strong);
      group.append(svg_el("text", {x: room - 10, y: y(one.at), dy: "0.32em", "text-anchor": "end", "font-weight": one.is_strong ? 600 : 400}, text));
    }
  });
}

function words_mark(lines) {
  return by_hand("labels", (group, {y}, {width, marginRight}) => {
    for (const one of lines) {
      group.append(svg_el("text", {x: width - marginRight + 12, y: y(one.at), dy: "0.32em", "text-anchor": "start", "font-weight": one.is_strong ? 600 : 400}, fit_text(one.words ?? "", marginRight - 12, one.is_strong)));
    }
  });
}

function lines_mark(lines, domain) {
  const within = (value) => Math.min(domain[1], Math.max(domain[0], value));
  return by_hand("marks", (group, {x, y}) => {
    for (const one of lines) {
      const at = y(one.at);
      if (one.low !== null && one.high !== null) {
        group.append(svg_el("path", {class: "forest-interval", d: `M${x(within(one.low))} ${at}H${x(within(one.high))}`, stroke: one.colour}));
      }
      group.append(svg_el("circle", {cx: x(within(one.value)), cy: at, r: 4.5, fill: one.colour, class: "dot"}));
    }
  });
}

/// `lines` are {name, value, low, high, colour, is_strong, words, row}; `scale` {domain, ticks, format, zero, band, label, type}.
export function plot_forest(lines, available, scale) {
  const width = Math.min(available, kWidest);
  const room = names_width(lines, width);
  const widest = Math.max(...lines.map((one) => text_width(one.words ?? "", one.is_strong)));
  const right = Math.min(Math.max(16, widest + 14), width * 0.4);
  const placed = lines.map((one, at) => ({...one, at}));
  const svg = draw_plot({
    width, height: lines.length * kLine + 64, marginLeft: room, marginRight: right, marginTop: 12, marginBottom: 48,
    x: {type: scale.type ?? "linear", domain: scale.domain}, y: {type: "linear", domain: [-0.7, lines.length - 0.3], reverse: true, axis: null},
    marks: [
      scale.band ? Plot.rectX([scale.band], {x1: (band) => band[0], x2: (band) => band[1], fill: "var(--band-strong)"}) : null,
      Plot.gridX({stroke: kGrid, strokeOpacity: 1, ticks: scale.ticks}),
      Plot.ruleX([scale.zero], {stroke: "var(--ink-2)"}),
      Plot.axisX({ticks: scale.ticks, tickFormat: scale.format, label: scale.label, labelAnchor: "center", labelArrow: "none", tickSize: 0}),
      names_mark(placed, room), lines_mark(placed, scale.domain), words_mark(placed),
    ],
  });
  const x = svg.scale("x").apply;
  const y = svg.scale("y").apply;
  return {svg, points: {x: placed.map((one) => x(Math.min(scale.domain[1], Math.max(scale.domain[0], one.value)))), y: placed.map((one) => y(one.at)),
    row: placed.map((one) => one.row ?? null), radius: 6, lines: (i) => lines[i].lines}};
}
