// SPDX-License-Identifier: Apache-2.0
// The noise budget: each level's share of the variance as a bar, its spread with the interval beside it.
import {svg_el} from "../dom.js";
import {percent_text, tick_percent_text} from "../numbers.js";
import {draw_plot, kGrid, kInk, Plot} from "./base.js";

const kLine = 34;

function shares(budget, width) {
  return draw_plot({
    width,
    height: budget.length * kLine + 58,
    marginLeft: 78,
    marginRight: 48,
    marginTop: 26,
    marginBottom: 32,
    x: {domain: [0, 1]},
    y: {type: "band", domain: budget.map((one) => one.level), padding: 0.35},
    marks: [
      Plot.gridX({stroke: kGrid, strokeOpacity: 1, ticks: [0, 0.25, 0.5, 0.75, 1]}),
      Plot.axisX({ticks: [0, 0.5, 1], tickFormat: (value) => percent_text(value), label: null, tickSize: 0}),
      Plot.axisY({label: null, tickSize: 0}),
      Plot.rectX(budget, {x1: 0, x2: "share", y: "level", fill: "var(--c1)", className: "marks"}),
      Plot.text(budget, {
        x: "share",
        y: "level",
        text: (one) => percent_text(one.share),
        textAnchor: "start",
        dx: 6,
        fill: kInk,
      }),
      Plot.text(["share of the noise"], {frameAnchor: "top-left", dy: -18, text: (text) => text, textAnchor: "start"}),
    ],
  });
}

function spreads(budget, width, has_names) {
  const most = Math.max(
    ...budget.map((one) => Math.max(one.cv ?? 0, Math.min(one.high ?? 0, (one.cv ?? 0) * 5))),
    1e-4,
  );
  return draw_plot({
    width,
    height: budget.length * kLine + 58,
    marginLeft: has_names ? 78 : 20,
    marginRight: 26,
    marginTop: 26,
    marginBottom: 32,
    x: {domain: [0, most * 1.06]},
    y: {type: "point", domain: budget.map((one) => one.level), padding: 0.5},
    marks: [
      Plot.gridX({stroke: kGrid, strokeOpacity: 1, ticks: 4}),
      Plot.axisX({
        ticks: 4,
        tickFormat: (value) => tick_percent_text(value).replace("+", ""),
        label: null,
        tickSize: 0,
      }),
      has_names ? Plot.axisY({label: null, tickSize: 0}) : Plot.axisY({label: null, tickSize: 0, tickFormat: () => ""}),
      Plot.link(budget, {
        x1: "low",
        x2: (one) => Math.min(one.high ?? one.cv, most * 1.06),
        y: "level",
        stroke: "var(--c1)",
        strokeWidth: 2.5,
        strokeLinecap: "round",
        strokeOpacity: 0.55,
      }),
      Plot.dot(budget, {x: "cv", y: "level", r: 5, fill: "var(--c1)", stroke: "var(--paper)", className: "marks"}),
      Plot.text(budget, {x: "cv", y: "level", text: (one) => percent_text(one.cv), dy: -13, fill: kInk}),
      Plot.text(["spread, with its 95\u00a0% interval"], {
        frameAnchor: "top-left",
        dy: -18,
        text: (text) => text,
        textAnchor: "start",
      }),
    ],
  });
}

export function plot_budget(page, width) {
  const {budget} = page.doc;
  const is_wide = width >= 620;
  const part = is_wide ? Math.min(560, Math.floor(width / 2)) : width;
  const left = shares(budget, part);
  const right = spreads(budget, part, !is_wide);
  const height = budget.length * kLine + 58;
  const [x, y] = is_wide ? [part, 0] : [0, height];
  const size = {width: is_wide ? 2 * part : width, height: is_wide ? height : 2 * height};
  const svg = svg_el(
    "svg",
    {class: "plot", ...size, viewBox: `0 0 ${size.width} ${size.height}`, fill: "currentColor"},
    left,
    right,
  );
  right.setAttribute("x", x);
  right.setAttribute("y", y);
  [left, right].forEach((one) => one.removeAttribute("class"));
  const lines = (one) => [
    one.level,
    `${percent_text(one.share)} of the noise`,
    `spread ${percent_text(one.cv)}, surely ${percent_text(one.low)} to ${percent_text(one.high)}`,
  ];
  const y_of = (one) => left.scale("y").apply(one.level) + left.scale("y").bandwidth / 2;
  return {
    svg,
    words: budget.map((one) => `${one.level} ${percent_text(one.share)}`).join(", ") + " of the noise.",
    points: {
      x: budget.map((one) => left.scale("x").apply(one.share)),
      y: budget.map(y_of),
      row: budget.map(() => null),
      lines: (i) => lines(budget[i]),
    },
  };
}
