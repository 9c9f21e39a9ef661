// SPDX-License-Identifier: Apache-2.0
// What colours and marks mean, above a plot. A press on a configuration highlights it.
import {el, svg_el} from "./dom.js";
import {colour_of} from "./page_data.js";
import {state_mark} from "./states.js";

function dot(colour, is_hollow) {
  const paint = is_hollow ? {fill: "none", stroke: colour, "stroke-width": 1.5, r: 3.5} : {fill: colour, r: 4.5};
  return svg_el(
    "svg",
    {width: 12, height: 12, viewBox: "0 0 12 12", "aria-hidden": "true"},
    svg_el("circle", {cx: 6, cy: 6, ...paint}),
  );
}

function row_entry(page, selection, row) {
  return el(
    "button",
    {
      type: "button",
      class: "legend-row",
      title: page.rows.name[row].slice(0, 500),
      onclick: () => selection.pin(row),
      onpointerenter: () => selection.hover(row),
      onpointerleave: () => selection.hover(null),
      onfocus: () => selection.hover(row),
      onblur: () => selection.hover(null),
    },
    dot(colour_of(page, row)),
    el("span", {}, page.short[row]),
  );
}

function mark_entry({state, hollow, note, colour, text}) {
  const mark = state
    ? state_mark(state)
    : note
      ? el("span", {class: "note-mark", "aria-hidden": "true"}, "▾")
      : dot(colour ?? "var(--ink-2)", hollow);
  return el("span", {class: "legend-mark"}, mark, ` ${text}`);
}

/// A plot has `legend_rows`: rows with colours, `has_others`: grey ones, `legend_marks`: what other marks mean.
export function legend_for(page, selection, plot) {
  const rows = (plot.legend_rows ?? []).map((row) => row_entry(page, selection, row));
  const others = plot.has_others ? [el("span", {class: "legend-mark"}, dot("var(--other)"), " others")] : [];
  const marks = (plot.legend_marks ?? []).map(mark_entry);
  const entries = [...rows, ...others, ...marks];
  return entries.length ? [el("div", {class: "legend"}, entries)] : [];
}
