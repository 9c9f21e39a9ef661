// SPDX-License-Identifier: Apache-2.0
// The table: sorted, filtered, and only as many rows in the document as can be seen.
import {arrange_children, el, once_a_frame, style} from "./dom.js";
import {duration_text, is_number} from "./numbers.js";
import {make_filter} from "./filter.js";
import {sort_rows} from "./sort.js";
import {make_strip_scale} from "./strip.js";
import {all_columns} from "./table_columns.js";
import {make_width_measure} from "./column_widths.js";
import {name_cell, plain_cell, spacer_row, state_cell, strip_cell} from "./table_cells.js";

const kRowHeight = 32; // as in page.css
const kVirtualFrom = 300;
const kBeyond = 8; // rows drawn above and below what can be seen
const kMostPrinted = 2000;
const kWidestName = 400;
const kWidestText = 260;
const kStripWidth = 180;
const kWidestStrip = 460;
const kPadding = 26;
const kNarrow = 620; // where names are cut to what tells rows apart

function make_cell(page, column, row, scale, is_narrow) {
  if (column.fixed) return name_cell(page, row, is_narrow);
  if (column.kind === "state") return state_cell(page, row);
  if (column.kind === "strip") return strip_cell(page, row, scale);
  return plain_cell(column, row);
}

/// All text of each row in lower case, made when the filter first asks.
function make_text_of(page) {
  const texts = [];
  const {rows, columns} = page;
  return (row) => {
    texts[row] ??= [
      rows.name[row],
      rows.state[row],
      rows.reason?.[row] ?? "",
      ...(rows.notes?.[row] ?? []),
      ...columns.map((column) => column.cells[row] ?? ""),
    ]
      .join("\n")
      .toLowerCase();
    return texts[row];
  };
}

/// What is seen of each row when a page has changed: a row of another is new, or has come on.
function states_of_rows(page) {
  const {rows} = page;
  return new Map(rows.name.map((name, row) => [name, `${rows.state[row]} ${rows.mean_s[row]}`]));
}

export class Table {
  constructor(page, selection) {
    this.page = page;
    this.selection = selection;
    this.columns = all_columns(page);
    this.scale = make_strip_scale(page);
    this.text_of = make_text_of(page);
    this.chosen = new Map(); // whether a reader wants to see a column, by its name
    this.names = page.rows.name;
    this.states = states_of_rows(page);
    this.fresh = new Set(); // rows that the last update brought
    this.sorted_by = null;
    this.ascending = true;
    this.filter_text = "";
    this.passing = null; // the rows that the filter lets through; null for all
    this.order = page.rows.name.map((_, row) => row);
    this.drawn = new Map(); // row → its <tr>
    this.head = el("thead");
    this.body = el("tbody");
    this.columns_element = el("colgroup");
    this.table = el(
      "table",
      {class: "results"},
      el("caption", {class: "unseen"}, "Configurations and what was measured"),
      this.columns_element,
      this.head,
      this.body,
    );
    this.element = el(
      "div",
      {class: "table-region", tabindex: "0", role: "region", "aria-label": "Table of configurations"},
      this.table,
    );
    this.listen();
  }

  listen() {
    this.element.addEventListener(
      "scroll",
      once_a_frame(() => this.draw_rows()),
      {passive: true},
    );
    new ResizeObserver(once_a_frame(() => this.on_resize())).observe(this.element);
    addEventListener("beforeprint", () => this.draw_rows(kMostPrinted));
    addEventListener("afterprint", () => this.draw_rows());
    this.body.addEventListener("click", (event) => this.on_click(event));
    this.body.addEventListener("keydown", (event) => this.on_key(event));
    this.body.addEventListener("pointerover", (event) => this.selection.hover(this.row_at(event.target)));
    this.body.addEventListener("pointerleave", () => this.selection.hover(null));
    this.body.addEventListener("focusin", (event) => this.selection.hover(this.row_at(event.target)));
    this.body.addEventListener("focusout", () => this.selection.hover(null));
    this.selection.on_change(() => this.mark_selected());
  }

  on_resize() {
    if (this.drawn_at !== undefined && Math.abs(this.element.clientWidth - this.drawn_at) > 1) this.draw();
    else this.draw_rows();
  }

  row_at(element) {
    const tr = element.closest("tr[data-row]");
    return tr ? Number(tr.dataset.row) : null;
  }

  on_click(event) {
    const row = this.row_at(event.target);
    // Who marks text to copy it does not mean the row.
    if (row !== null && getSelection().isCollapsed) this.selection.pin(row);
  }

  on_key(event) {
    const step = {ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10}[event.key];
    const row = this.row_at(event.target);
    if (!step || row === null) return;
    event.preventDefault();
    const at = this.order.indexOf(row) + step;
    this.focus_row(Math.min(this.order.length - 1, Math.max(0, at)));
  }

  /// Brings the row at a place of the order into sight and gives it the focus.
  focus_row(at) {
    const top = at * kRowHeight;
    const room = this.element.clientHeight - this.head.offsetHeight - kRowHeight;
    if (top < this.element.scrollTop) this.element.scrollTop = top;
    else if (top > this.element.scrollTop + room) this.element.scrollTop = top - room;
    this.draw_rows();
    this.drawn.get(this.order[at])?.querySelector("button")?.focus({preventScroll: true});
  }

  /// A reader's choice.
  choose(name, is_shown) {
    this.chosen.set(name, is_shown);
    for (const column of this.columns) if (column.name === name) column.shown = is_shown;
    this.draw();
  }

  /// After the page has got other rows: the choice of columns, sorting, filter, place and focus stay.
  update() {
    const {scrollTop, scrollLeft} = this.element;
    const focused = this.row_at(document.activeElement ?? this.element);
    const name = focused === null ? null : this.names[focused];
    this.names = this.page.rows.name;
    const states = states_of_rows(this.page);
    this.fresh = new Set(
      this.page.rows.name.flatMap((one, row) => (this.states.get(one) === states.get(one) ? [] : [row])),
    );
    this.states = states;
    this.columns = all_columns(this.page);
    for (const column of this.columns) column.shown = this.chosen.get(column.name) ?? column.shown;
    this.sorted_by = this.columns.find((column) => column.name === this.sorted_by?.name) ?? null;
    this.scale = make_strip_scale(this.page);
    this.text_of = make_text_of(this.page);
    this.pass_rows();
    this.order_rows();
    this.draw();
    this.element.scrollTop = scrollTop;
    this.element.scrollLeft = scrollLeft;
    this.draw_rows();
    if (name !== null) this.focus_name(name);
  }

  focus_name(name) {
    const row = this.page.rows.name.indexOf(name);
    this.drawn.get(row)?.querySelector("button")?.focus({preventScroll: true});
  }

  shown_columns() {
    return this.columns.filter((column) => column.shown);
  }

  /// Draws everything anew, after another choice of columns.
  draw() {
    this.measure ??= make_width_measure(this.table);
    const shown = this.shown_columns();
    this.is_narrow = this.element.clientWidth < kNarrow;
    const widths = this.widths_of(shown);
    this.drawn_at = this.element.clientWidth;
    const total = widths.reduce((sum, width) => sum + width, 0);
    this.columns_element.replaceChildren(...widths.map((width) => style(el("col"), {width: `${width}px`})));
    style(this.table, {width: `${total}px`});
    this.draw_head(shown);
    this.drawn.clear();
    this.body.replaceChildren();
    this.draw_rows();
  }

  /// The strip takes what the others leave.
  widths_of(shown) {
    const widths = shown.map((column) => (column.kind === "strip" ? 0 : this.width_of(column)));
    const left = this.element.clientWidth - widths.reduce((sum, width) => sum + width, 0) - kPadding;
    this.scale?.resize(Math.min(kWidestStrip, Math.max(kStripWidth, left)));
    return shown.map((column, i) =>
      column.kind === "strip" ? (this.scale?.width ?? kStripWidth) + kPadding : widths[i],
    );
  }

  width_of(column) {
    const extra = column.fixed ? 36 : column.kind === "state" ? 20 : 0;
    const cells = column.fixed && this.is_narrow ? this.page.short : column.cells;
    const most = column.fixed ? (this.is_narrow ? this.element.clientWidth * 0.62 : kWidestName) : kWidestText;
    return this.measure(this.title_of(column), cells, most) + extra;
  }

  title_of(column) {
    return column.title || column.name;
  }

  draw_head(shown) {
    const cells = shown.map((column) => this.head_cell(column));
    this.head.replaceChildren(el("tr", {"aria-rowindex": 1}, cells));
    this.table.setAttribute("aria-colcount", shown.length);
  }

  head_cell(column) {
    const direction = this.sorted_by === column ? (this.ascending ? "ascending" : "descending") : "none";
    const button = el(
      "button",
      {type: "button", onclick: () => this.sort(column)},
      el("span", {class: "title"}, this.title_of(column)),
      el("span", {class: "arrow", "aria-hidden": "true"}),
    );
    const kind = column.fixed
      ? "name"
      : column.kind === "number"
        ? "number"
        : column.kind === "strip"
          ? "strip-cell"
          : "text";
    const scale = column.kind === "strip" && this.scale ? this.scale_words() : null;
    return el("th", {scope: "col", class: kind, "aria-sort": direction, "data-column": column.name}, button, scale);
  }

  scale_words() {
    const [low, high] = this.scale.range;
    return el(
      "span",
      {class: "strip-scale"},
      el("span", {}, duration_text(low, 3)),
      el("span", {}, this.scale.is_log ? "log scale" : ""),
      el("span", {}, duration_text(high, 3)),
    );
  }

  /// First the better end, then the other, then the report's own order.
  sort(column) {
    const first = column.better !== "high";
    if (this.sorted_by !== column) [this.sorted_by, this.ascending] = [column, first];
    else if (this.ascending === first) this.ascending = !first;
    else this.sorted_by = null;
    this.arrange();
    this.draw_head(this.shown_columns());
    this.head.querySelectorAll("th button")[this.shown_columns().indexOf(column)]?.focus();
  }

  /// Takes a filter's text; returns what is wrong with it, or null.
  filter(text) {
    this.filter_text = text;
    const error = this.pass_rows();
    this.arrange();
    return error;
  }

  pass_rows() {
    const {test, error} = make_filter(this.filter_text, this.page.filterable, this.text_of);
    const all = this.page.rows.name.map((_, row) => row);
    this.passing = this.filter_text.trim() && !error ? all.filter(test) : null;
    return error;
  }

  arrange() {
    this.order_rows();
    this.element.scrollTop = 0;
    this.draw_rows();
  }

  order_rows() {
    const rows = this.passing ?? this.page.rows.name.map((_, row) => row);
    const column = this.sorted_by;
    this.order = column ? sort_rows(rows, column.values, this.ascending) : rows;
  }

  /// The first and last place of the order that must be in the document.
  range_in_sight(least) {
    const count = this.order.length;
    if (count <= Math.max(kVirtualFrom, least)) return [0, count];
    const first = Math.floor(this.element.scrollTop / kRowHeight) - kBeyond;
    const seen = Math.ceil((this.element.clientHeight || 800) / kRowHeight);
    return [Math.max(0, first), Math.min(count, first + seen + 2 * kBeyond)];
  }

  draw_rows(least = 0) {
    const [first, end] = this.range_in_sight(least);
    const rows = this.order.slice(first, end);
    const kept = new Set(rows);
    for (const [row, tr] of this.drawn) if (!kept.has(row)) this.forget(row, tr);
    const shown = this.shown_columns();
    const lines = rows.map((row, i) => this.row_element(row, first + i, shown));
    this.replace_lines(lines, first, this.order.length - end, shown.length);
    this.table.setAttribute("aria-rowcount", this.order.length + 1);
    this.mark_selected();
  }

  /// The focus must not be lost with a row that leaves.
  forget(row, tr) {
    if (tr.contains(document.activeElement)) this.element.focus({preventScroll: true});
    this.drawn.delete(row);
  }

  replace_lines(lines, above, below, columns) {
    if (above) lines.unshift(spacer_row(columns, above * kRowHeight));
    if (below) lines.push(spacer_row(columns, below * kRowHeight));
    if (!lines.length) lines.push(el("tr", {class: "none"}, el("td", {colspan: columns}, "No row passes the filter.")));
    arrange_children(this.body, lines);
  }

  row_element(row, at, shown) {
    let tr = this.drawn.get(row);
    if (!tr) {
      tr = el(
        "tr",
        {"data-row": row, class: this.fresh.has(row) ? "fresh" : null},
        shown.map((column) => make_cell(this.page, column, row, this.scale, this.is_narrow)),
      );
      this.drawn.set(row, tr);
    }
    tr.setAttribute("aria-rowindex", at + 2);
    return tr;
  }

  mark_selected() {
    const pinned = this.selection.pinned();
    const current = this.selection.row();
    for (const [row, tr] of this.drawn) {
      tr.classList.toggle("current", row === current);
      const button = tr.querySelector("button.row-name");
      const pressed = String(row === pinned);
      if (button.getAttribute("aria-pressed") !== pressed) button.setAttribute("aria-pressed", pressed);
    }
  }

  /// What pippin's own CSV has, where the document says which columns those are; else the full values of the shown
  /// ones. The rows are those shown, in their order.
  csv_table() {
    const exact = this.page.columns.filter((column) => is_number(column.csv)).sort((a, b) => a.csv - b.csv);
    if (exact.length) {
      return {
        titles: exact.map((column) => column.name),
        rows: this.order.map((row) => exact.map((column) => column.values[row])),
      };
    }
    const columns = this.shown_columns().filter((column) => column.kind !== "strip");
    const {low_s, mean_s, high_s, reason} = this.page.rows;
    const all = [
      ["ci_low_s", low_s],
      ["mean_s", mean_s],
      ["ci_high_s", high_s],
      ["reason", reason ?? []],
    ];
    const extra = all.filter(([name]) => !columns.some((column) => column.name === name));
    return {
      titles: [...columns.map((column) => column.name), ...extra.map(([name]) => name)],
      rows: this.order.map((row) => [
        ...columns.map((column) => column.values[row]),
        ...extra.map(([, values]) => values[row]),
      ]),
    };
  }
}
