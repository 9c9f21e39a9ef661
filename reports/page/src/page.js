// SPDX-License-Identifier: Apache-2.0
// Puts the page together: words, table, figures, methods.
import {el, svg_el} from "./dom.js";
import {count_text, duration_text, moment_text} from "./numbers.js";
import {colour_of, read_page} from "./page_data.js";
import {make_figure} from "./figure.js";
import {make_selection} from "./selection.js";
import {figures_of} from "./sections.js";
import {sheet_of} from "./sheet.js";
import {make_table_section} from "./table_section.js";
import {make_theme_button} from "./theme.js";
import {make_tip} from "./tip.js";

const kKinds = {
  report: "Report",
  compare: "Comparison",
  noise: "Noise",
  run: "Run",
  point: "Point",
  sweep: "Sweep",
  node: "Node",
};

/// A page of one of these says in its sheet what the row of a table would.
const kWithoutTable = ["run", "point", "node"];

function facts(page) {
  const {doc} = page;
  const parts = [];
  if (page.row_count) parts.push(count_text(page.row_count, "configuration"));
  if (page.run_count) parts.push(count_text(page.run_count, "run"));
  if (doc.allocations?.length) parts.push(count_text(doc.allocations.length, "allocation"));
  if (doc.campaigns?.length) parts.push(count_text(doc.campaigns.length, "campaign"));
  return parts.join(" · ");
}

/// What all rows have in common, which the table need not say in each.
function shared(page) {
  const parts = (page.doc.shared ?? []).map(({title, cell}) => `${title} ${cell}`);
  return parts.length ? el("p", {class: "facts"}, `All have: ${parts.join(" · ")}`) : null;
}

function header(page) {
  const {doc} = page;
  const made = [
    doc.made_at ? `made ${moment_text(doc.made_at)}` : null,
    doc.version ? `by pippin ${doc.version}` : null,
  ]
    .filter(Boolean)
    .join(" ");
  return el(
    "header",
    {class: "top"},
    el(
      "div",
      {class: "bar"},
      el("span", {class: "kind"}, `pippin · ${kKinds[doc.kind] ?? "Report"}`),
      make_theme_button(),
    ),
    el("h1", {}, doc.title || "Untitled"),
    el("p", {class: "facts"}, facts(page)),
    shared(page),
    el("p", {class: "made"}, doc.command ? el("code", {}, doc.command) : null, doc.command && made ? " " : null, made),
  );
}

function said(page) {
  const sentences = page.doc.said ?? [];
  return sentences.length
    ? el(
        "div",
        {class: "said"},
        sentences.map((sentence) => el("p", {}, sentence)),
      )
    : null;
}

function contents(parts) {
  const links = parts.map(([id, title]) => el("li", {}, el("a", {href: `#${id}`}, title)));
  return links.length > 1 ? el("nav", {"aria-label": "Parts of this page"}, el("ul", {}, links)) : null;
}

function remarks(page) {
  const lines = page.doc.remarks ?? [];
  if (!lines.length) return null;
  return el(
    "section",
    {id: "remarks", "aria-labelledby": "remarks-title"},
    el("h2", {id: "remarks-title", class: "minor"}, "Remarks"),
    el(
      "ul",
      {class: "remarks"},
      lines.map((line) => el("li", {}, line)),
    ),
  );
}

function copy_button(text) {
  const button = el("button", {type: "button", class: "quiet"}, "Copy");
  button.addEventListener("click", () =>
    navigator.clipboard?.writeText(text).then(
      () => {
        button.textContent = "Copied";
      },
      () => {},
    ),
  );
  return button;
}

function methods(page) {
  const text = page.doc.methods;
  if (!text) return null;
  return el(
    "section",
    {id: "methods", "aria-labelledby": "methods-title"},
    el(
      "div",
      {class: "head"},
      el("h2", {id: "methods-title"}, "Methods"),
      el("div", {class: "buttons"}, copy_button(text)),
    ),
    el("p", {class: "lead"}, "A paragraph for a paper: how these numbers came about."),
    el("blockquote", {}, text),
  );
}

/// The line at the foot of the window that says which row is highlighted, and ends it.
function highlight_bar(page, selection) {
  const bar = el("div", {class: "highlight", hidden: true, role: "region", "aria-label": "Highlighted configuration"});
  selection.on_change(() => {
    const row = selection.pinned();
    bar.hidden = row === null;
    if (row === null) return;
    const dot = svg_el("circle", {cx: 6, cy: 6, r: 5, fill: colour_of(page, row)});
    const runs = count_text(page.runs_of[row].length, "run");
    bar.replaceChildren(
      svg_el("svg", {width: 12, height: 12, viewBox: "0 0 12 12", "aria-hidden": "true"}, dot),
      el("span", {class: "highlight-name"}, page.rows.name[row]),
      el("span", {class: "highlight-facts"}, `${duration_text(page.rows.mean_s[row])} · ${runs}`),
      el("button", {type: "button", class: "quiet", onclick: () => selection.pin(row)}, "Clear"),
    );
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && selection.pinned() !== null) selection.pin(selection.pinned());
  });
  return bar;
}

/// Draws the figures one after the other, so that the table can be used at once. One that fails does not stop the others.
function draw_in_turn(figures) {
  const draw_next = (i) => {
    if (i === figures.length) {
      performance.mark("plots shown");
      document.documentElement.dataset.ready = "yes";
      return;
    }
    try {
      figures[i].draw();
    } catch (error) {
      figures[i].section.append(
        el("p", {class: "broken", role: "alert"}, `This plot cannot be drawn: ${error.message}`),
      );
    }
    setTimeout(() => draw_next(i + 1), 0);
  };
  setTimeout(() => draw_next(0), 0);
}

function with_plot(page, plots, figure) {
  if (!plots) return figure;
  const chosen = () => Object.fromEntries((figure.choices ?? []).map((choice) => [choice.name, choice.value]));
  return {...figure, draw: (width) => plots[figure.plot](page, width, chosen(), figure.series)};
}

function no_plots_line() {
  return el(
    "p",
    {class: "no-plots"},
    "Plots are missing, because this pippin was built without npm. The tables have the same data.",
  );
}

function section_link(section) {
  return [section.id, section.querySelector("h2").textContent];
}

function build(page, plots) {
  const selection = make_selection();
  make_tip();
  const frame = (figure) => make_figure(page, selection, with_plot(page, plots, figure));
  const {above, below} = figures_of(page);
  const sheet = sheet_of(page).map(({section, figure}) => (figure ? frame(figure) : {section}));
  const figures = [above.map(frame), sheet, below.map(frame)];
  const table = page.row_count && !kWithoutTable.includes(page.doc.kind) ? make_table_section(page, selection) : null;
  const words = remarks(page);
  if (table && words) table.section.append(...words.children);
  const sections = [
    ...figures[0].map((figure) => figure.section),
    ...figures[1].map((figure) => figure.section),
    table?.section,
    ...figures[2].map((figure) => figure.section),
    table ? null : words,
    methods(page),
  ].filter(Boolean);
  const main = el(
    "main",
    {},
    said(page),
    plots ? null : no_plots_line(),
    contents(sections.map(section_link)),
    sections,
  );
  document.body.prepend(header(page), main, highlight_bar(page, selection));
  table?.table.draw();
  performance.mark("table shown");
  draw_in_turn(figures.flat().filter((figure) => figure.draw));
}

export function show_page(plots) {
  const text = document.getElementById("pippin-data").textContent;
  try {
    const page = read_page(text);
    document.title = `${page.doc.title || "pippin"} – pippin`;
    build(page, plots);
  } catch (error) {
    document.body.prepend(el("p", {class: "broken", role: "alert"}, `This page cannot be shown: ${error.message}`));
    document.documentElement.dataset.ready = "yes";
  }
}
