// SPDX-License-Identifier: Apache-2.0
// The table with its filter box, choice of columns and CSV.
import {el} from "./dom.js";
import {csv_text} from "./csv.js";
import {safe_file_name, save_text} from "./download.js";
import {count_text} from "./numbers.js";
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

function choice_of(table, column) {
  const box = el("input", {type: "checkbox", checked: column.shown});
  box.addEventListener("change", () => {
    column.shown = box.checked;
    table.draw();
  });
  return el("label", {}, box, ` ${column.title || column.name}`);
}

function column_chooser(table) {
  const choices = table.columns.filter((column) => !column.fixed).map((column) => choice_of(table, column));
  const summary = el("summary", {}, "Columns");
  const chooser = el(
    "details",
    {class: "chooser"},
    summary,
    el("fieldset", {}, el("legend", {}, "Columns of the table"), choices),
  );
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
  const tools = el(
    "div",
    {class: "tools"},
    filter_box(table, count, complaint),
    counted,
    el("div", {class: "buttons"}, column_chooser(table), csv_button(page, table)),
  );
  const hint = el(
    "p",
    {class: "hint"},
    "Press a column's title to sort, a row to highlight its runs in every plot. ",
    "In the strip: ",
    el("b", {}, "●"),
    " an allocation's mean, ",
    el("b", {}, "├┤"),
    " the 95\u00a0% interval, ",
    el("b", {}, "|"),
    " the mean.",
  );
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
  return {section, table};
}
