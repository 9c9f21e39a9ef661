// SPDX-License-Identifier: Apache-2.0
// The cells of a row of the table.
import {el, style, svg_el} from "./dom.js";
import {cut_text} from "./names.js";
import {colour_of} from "./page_data.js";
import {state_mark} from "./states.js";
import {make_strip} from "./strip.js";

const kLongestTitle = 500;

function swatch(page, row) {
  const dot = svg_el("circle", {cx: 6, cy: 6, r: 4.5, fill: colour_of(page, row)});
  return svg_el("svg", {class: "swatch", width: 12, height: 12, viewBox: "0 0 12 12", "aria-hidden": "true"}, dot);
}

export function name_cell(page, row, is_narrow) {
  const name = page.rows.name[row];
  const is_ok = page.rows.state[row] === "ok";
  const button = el("button", {
    type: "button",
    class: "row-name",
    "aria-pressed": "false",
    title: cut_text(name, kLongestTitle),
  });
  button.append(
    is_ok ? swatch(page, row) : state_mark(page.rows.state[row]),
    el("span", {}, (is_narrow ? page.short[row] : name) || "(no name)"),
  );
  return el("th", {scope: "row", class: "name"}, button);
}

export function state_cell(page, row) {
  const state = page.rows.state[row];
  return el("td", {class: `state ${state === "ok" ? "good" : "bad"}`}, state_mark(state), ` ${state}`);
}

/// The strip, or why there is none.
export function strip_cell(page, row, scale) {
  const has_strip = scale && (scale.means[row].length || page.rows.mean_s[row] > 0);
  if (has_strip) return el("td", {class: "strip-cell"}, make_strip(page, scale, row));
  const reason = page.rows.reason?.[row] ?? "";
  return el("td", {class: "strip-cell reason", title: cut_text(reason, kLongestTitle)}, reason);
}

export function plain_cell(column, row) {
  const text = column.cells[row] ?? String(column.values[row] ?? "");
  const attributes = {class: column.kind === "number" ? "number" : "text"};
  if (text.length > 40) attributes.title = cut_text(text, kLongestTitle);
  return el("td", attributes, text);
}

/// A row without height of its own that stands for those out of sight.
export function spacer_row(columns, height) {
  const cell = style(el("td", {colspan: columns}), {height: `${height}px`});
  return el("tr", {class: "spacer", "aria-hidden": "true"}, cell);
}
