// SPDX-License-Identifier: Apache-2.0
// What is known of one run, point, sweep, node or layout: facts, tables, series and stacks, part by part.
import {el, own_link} from "./dom.js";
import {address_of} from "./page_data.js";

function facts_of(part) {
  if (!part.facts?.length) return null;
  return el(
    "dl",
    {class: "sheet-facts"},
    part.facts.flatMap(({title, text}) => [el("dt", {}, title), el("dd", {}, text)]),
  );
}

function cell_of(page, {number, cells, of, ids}, row) {
  const text = cells[row] || "–";
  const address = of ? address_of(page, of, ids[row]) : null;
  return el("td", {class: number ? "number" : "text"}, address ? own_link(address, text) : text);
}

function table_of(page, part) {
  const {columns} = part;
  if (!columns?.length || !columns[0].cells.length) return null;
  const line = (_, row) =>
    el(
      "tr",
      {class: columns[0].cells[row] === ">" ? "marked" : null},
      columns.map((column) => cell_of(page, column, row)),
    );
  return el(
    "div",
    {class: "data-region", tabindex: "0", role: "region", "aria-label": part.title},
    el(
      "table",
      {class: "data sheet-table"},
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          columns.map(({title, number}) => el("th", {scope: "col", class: number ? "number" : "text"}, title.trim() || "\u00a0")),
        ),
      ),
      el("tbody", {}, columns[0].cells.map(line)),
    ),
  );
}

function remarks_of(part) {
  if (!part.remarks?.length) return null;
  return el(
    "ul",
    {class: "remarks"},
    part.remarks.map((line) => el("li", {}, line)),
  );
}

function code_of(part) {
  if (!part.code) return null;
  return el("pre", {class: "sheet-code", tabindex: "0", role: "region", "aria-label": "Command"}, el("code", {}, part.code.trim()));
}

function section_of(page, part) {
  const inside = [facts_of(part), table_of(page, part), code_of(part), remarks_of(part)].filter(Boolean);
  if (!inside.length) return null;
  const id = `sheet-${part.id}`;
  return el("section", {id, "aria-labelledby": `${id}-title`}, el("h2", {id: `${id}-title`}, part.title), inside);
}

function series_figure(part) {
  const {series} = part;
  if (!series?.x.length) return null;
  return {
    id: `series-${part.id}`,
    title: series.title,
    plot: "series",
    lead: series.lead,
    series,
    table: () => ({
      titles: [series.x_title, series.y_is_seconds ? "step_time_s" : series.y_title, "not_in_the_mean"],
      rows: series.x.map((x, i) => [x, series.y[i], series.mark_texts?.[series.marks?.[i] ?? 0] || null]),
    }),
  };
}

function stacks_figure(part) {
  const {stacks} = part;
  if (!stacks?.bars.length) return null;
  const unit = stacks.unit.toLowerCase();
  return {
    id: `stacks-${part.id}`,
    title: stacks.title,
    plot: "stacks",
    lead: stacks.lead,
    series: stacks,
    table: () => ({
      titles: ["bar", ...stacks.parts.map((name) => `${name.replaceAll(" ", "_")}_${unit}`)],
      rows: stacks.bars.map((bar, i) => [bar, ...stacks.sizes[i]]),
    }),
  };
}

/// Sections and figures in the order of the sheet: {section} or {figure}.
export function sheet_of(page) {
  return (page.doc.sheet ?? []).flatMap((part) => {
    const section = section_of(page, part);
    const figures = [series_figure(part), stacks_figure(part)].filter(Boolean);
    return [...(section ? [{section}] : []), ...figures.map((figure) => ({figure}))];
  });
}
