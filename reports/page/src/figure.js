// SPDX-License-Identifier: Apache-2.0
// The frame of a plot: heading, plot, files to save, and the same as a table for who cannot see it.
import {el, own_link} from "./dom.js";
import {csv_text} from "./csv.js";
import {safe_file_name, save_text} from "./download.js";
import {count_text, digits_text, is_number} from "./numbers.js";
import {place_kept} from "./place.js";
import {make_stage} from "./stage.js";
import {svg_file_text} from "./svg_file.js";

const kMostShown = 200; // rows of the table below a plot; the file has all

function shown_text(value) {
  if (is_number(value)) return Number.isInteger(value) ? String(value) : digits_text(value, 5);
  return value === null || value === undefined ? "–" : String(value);
}

function data_cell(value, address) {
  const text = shown_text(value);
  return el("td", {class: is_number(value) ? "number" : "text"}, address ? own_link(address, text) : text);
}

/// `links` says by a column's title where the cell of a row leads, if anywhere.
function data_table(title, {titles, rows, links}) {
  const head = el(
    "tr",
    {},
    titles.map((one) => el("th", {scope: "col"}, one)),
  );
  const lines = rows.slice(0, kMostShown).map((row, at) =>
    el(
      "tr",
      {},
      row.map((value, column) => data_cell(value, links?.[titles[column]]?.(at) ?? null)),
    ),
  );
  const rest =
    rows.length > kMostShown ? `The first ${kMostShown} of ${count_text(rows.length, "line")}; the CSV has all.` : null;
  return [
    el(
      "div",
      {class: "data-region", tabindex: "0", role: "region", "aria-label": `Data: ${title}`},
      el("table", {class: "data"}, el("thead", {}, head), el("tbody", {}, lines)),
    ),
    rest ? el("p", {class: "hint"}, rest) : null,
  ];
}

/// The table is made when it is first opened; most never are.
function data_details(figure, is_open) {
  const details = el("details", {class: "behind"}, el("summary", {}, "The data as a table"));
  let data = null;
  const fill = () => {
    const made = el("div", {}, data_table(figure.title, figure.table()));
    if (data?.isEqualNode(made)) return;
    const restore = data ? place_kept(data, made) : () => {};
    if (data) data.replaceWith(made);
    else details.append(made);
    data = made;
    restore();
  };
  details.addEventListener("toggle", () => {
    if (details.open) fill();
  });
  if (is_open) {
    fill();
    details.open = true;
  }
  const update = () => {
    if (details.open) return fill();
    data?.remove();
    data = null;
  };
  return {details, update};
}

/// Whether two lists of choices offer the same.
function offer_the_same(a, b) {
  const offered = (list) => JSON.stringify((list ?? []).map(({name, title, options}) => [name, title, options]));
  return offered(a) === offered(b);
}

/// What a reader has chosen stays where it is still there to choose.
function carry_over(before, choices) {
  for (const choice of choices ?? []) {
    const old = (before ?? []).find((one) => one.name === choice.name);
    if (old && choice.options.some(([value]) => value === old.value)) choice.value = old.value;
  }
}

function save_buttons(page, figure, stage) {
  const name = `${safe_file_name(page.doc.title)}-${figure.id}`;
  const csv = () => save_text(`${name}.csv`, "text/csv", csv_text(figure.table()));
  const svg = () => save_text(`${name}.svg`, "image/svg+xml", svg_file_text(stage.svg(), figure.title));
  const button = (text, action) =>
    el("button", {type: "button", class: "quiet", "aria-label": `${text}: ${figure.title}`, onclick: action}, text);
  return el("div", {class: "buttons"}, button("CSV", csv), stage ? button("SVG", svg) : null);
}

/// One choice in the page, such as the axis to plot against.
function control(choice, redraw) {
  const select = el(
    "select",
    {},
    choice.options.map(([value, text]) => el("option", {value, selected: value === choice.value}, text)),
  );
  select.addEventListener("change", () => {
    choice.value = select.value;
    redraw();
  });
  return el("label", {class: "control"}, el("span", {}, choice.title), select);
}

/// A figure is {id, title, lead, table(), choices?, draw?(width)}. Without `draw` it is shown as a table.
/// `update` takes the same figure of other data.
export function make_figure(page, selection, figure) {
  const stage = figure.draw ? make_stage(page, selection, figure) : null;
  const controls = el("div", {class: "controls"});
  const title = el("h2", {id: `${figure.id}-title`});
  const lead = el("p", {class: "lead"});
  const behind = data_details(figure, !stage);
  const show_words = () => {
    title.textContent = figure.title;
    lead.textContent = figure.lead;
  };
  const show_choices = () => {
    const choices = stage ? (figure.choices ?? []) : [];
    controls.replaceChildren(...choices.map((choice) => control(choice, () => stage.draw())));
    controls.hidden = !choices.length;
  };
  show_words();
  show_choices();
  const section = el(
    "section",
    {id: figure.id, class: "figure", "aria-labelledby": `${figure.id}-title`},
    el("div", {class: "head"}, title, save_buttons(page, figure, stage)),
    lead,
    controls,
    stage?.element ?? null,
    behind.details,
  );
  const update = (fresh) => {
    const is_same = offer_the_same(figure.choices, fresh.choices);
    if (is_same) fresh.choices = figure.choices;
    else carry_over(figure.choices, fresh.choices);
    Object.assign(figure, fresh);
    if (!is_same) show_choices();
    show_words();
    behind.update();
  };
  return {section, draw: () => stage?.draw(), update};
}
