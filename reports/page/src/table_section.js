// SPDX-License-Identifier: Apache-2.0
// The table with its filter box, choice of columns and CSV.
import {el} from "./dom.js";
import {csv_text} from "./csv.js";
import {safe_file_name, save_text} from "./download.js";
import {count_text} from "./numbers.js";
import {is_predicted} from "./page_data.js";
import {Table} from "./table.js";

function filter_box(table, count, complaint) {
  const input = el("input", {
    type: "search",
    id: "filter",
    spellcheck: "false",
    autocomplete: "off",
    placeholder: "tp == 4 && step_time < 500ms",
    "aria-describedby": "filter-complaint",
  });
  input.addEventListener("input", () => {
    const error = table.filter(input.value);
    complaint.textContent = error ?? "";
    input.setAttribute("aria-invalid", String(Boolean(error)));
    count();
  });
  return el("div", {class: "filter"}, el("label", {for: "filter"}, "Filter"), input);
}

/// How to use the table, and what the marks of its strip are.
function hint_words(page) {
  const mark = (text) => el("b", {}, text);
  const strip = is_predicted(page)
    ? [mark("├┤"), " where 19 of 20 runs are to lie, ", mark("|"), " what is predicted."]
    : [mark("●"), " an allocation's mean, ", mark("├┤"), " the 95\u00a0% interval, ", mark("|"), " the mean."];
  const what = is_predicted(page) ? "it" : "its runs";
  return [`Press a column's title to sort, a row to highlight ${what} in every plot. `, "In the strip: ", ...strip];
}

function choice_of(table, column) {
  const box = el("input", {type: "checkbox", checked: column.shown, "data-column": column.name});
  box.addEventListener("change", () => table.choose(column.name, box.checked));
  return el("label", {}, box, ` ${column.title || column.name}`);
}

/// The boxes of a chooser; the same as before where the columns are.
function choices_of(table, before) {
  const columns = table.columns.filter((column) => !column.fixed);
  const boxes = Array.from(before?.querySelectorAll("input") ?? []);
  if (before && boxes.map((box) => box.dataset.column).join("\n") === columns.map((one) => one.name).join("\n")) {
    boxes.forEach((box, i) => {
      box.checked = columns[i].shown;
    });
    return before;
  }
  return el(
    "fieldset",
    {},
    el("legend", {}, "Columns of the table"),
    columns.map((column) => choice_of(table, column)),
  );
}

function column_chooser(table) {
  const summary = el("summary", {}, "Columns");
  const chooser = el("details", {class: "chooser"}, summary, choices_of(table, null));
  const close = () => {
    chooser.open = false;
  };
  chooser.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    close();
    summary.focus();
  });
  document.addEventListener("pointerdown", (event) => {
    if (!chooser.contains(event.target)) close();
  });
  return chooser;
}

function csv_button(page, table) {
  const save = () => save_text(`${safe_file_name(page.doc.title)}.csv`, "text/csv", csv_text(table.csv_table()));
  return el("button", {type: "button", class: "quiet", "aria-label": "CSV of the table", onclick: save}, "CSV");
}

export function make_table_section(page, selection) {
  const table = new Table(page, selection);
  const counted = el("span", {class: "count", role: "status"});
  const complaint = el("p", {id: "filter-complaint", class: "complaint", role: "alert"});
  const count = () => {
    const all = count_text(page.row_count, "row");
    counted.textContent = table.order.length === page.row_count ? all : `${table.order.length} of ${all}`;
  };
  const chooser = column_chooser(table);
  const tools = el(
    "div",
    {class: "tools"},
    filter_box(table, count, complaint),
    counted,
    el("div", {class: "buttons"}, chooser, csv_button(page, table)),
  );
  const hint = el("p", {class: "hint"}, hint_words(page));
  const section = el(
    "section",
    {id: "table", "aria-labelledby": "table-title"},
    el("h2", {id: "table-title"}, "Configurations"),
    tools,
    complaint,
    table.element,
    hint,
  );
  count();
  const update = () => {
    table.update();
    const fieldset = chooser.querySelector("fieldset");
    const choices = choices_of(table, fieldset);
    if (choices !== fieldset) fieldset.replaceWith(choices);
    count();
  };
  return {section, table, update};
}
