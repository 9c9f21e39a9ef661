// SPDX-License-Identifier: Apache-2.0
// Puts the page together: words, table, figures, methods.
import {arrange_children, el, own_link, svg_el} from "./dom.js";
import {count_text, duration_text, moment_text} from "./numbers.js";
import {address_of_row, colour_of, is_predicted, read_page} from "./page_data.js";
import {make_figure} from "./figure.js";
import {keep_live} from "./live.js";
import {place_kept} from "./place.js";
import {make_selection} from "./selection.js";
import {figures_of} from "./sections.js";
import {entries_section, links_of_server, progress_section} from "./served.js";
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
  estimate: "Estimate",
  search: "Search",
  status: "Status",
  list: "Database",
};

/// A page of one of these is asked for its table; its sheet says more of the first rows.
const kTableFirst = ["search"];

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

/// What stands on top, below its bar.
function heading(page) {
  const {doc} = page;
  const made = [
    doc.made_at ? `made ${moment_text(doc.made_at)}` : null,
    doc.version ? `by pippin ${doc.version}` : null,
  ]
    .filter(Boolean)
    .join(" ");
  return el(
    "div",
    {},
    el("h1", {}, doc.title || "Untitled"),
    el("p", {class: "facts"}, facts(page)),
    shared(page),
    el("p", {class: "made"}, doc.command ? el("code", {}, doc.command) : null, doc.command && made ? " " : null, made),
  );
}

function window_title(page) {
  return `${page.doc.title || "pippin"} – pippin`;
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
    const runs = is_predicted(page) ? [] : [count_text(page.runs_of[row].length, "run")];
    const address = address_of_row(page, row);
    const parts = [
      svg_el("svg", {width: 12, height: 12, viewBox: "0 0 12 12", "aria-hidden": "true"}, dot),
      el("span", {class: "highlight-name"}, address ? own_link(address, page.rows.name[row]) : page.rows.name[row]),
      el("span", {class: "highlight-facts"}, [duration_text(page.rows.mean_s[row]), ...runs].join(" · ")),
      el("button", {type: "button", class: "quiet", onclick: () => selection.pin(selection.pinned())}, "Clear"),
    ];
    parts.forEach((part, i) => {
      const before = bar.children[i];
      if (!before) bar.append(part);
      else if (!before.isEqualNode(part)) before.replaceWith(part);
    });
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && selection.pinned() !== null) selection.pin(selection.pinned());
  });
  return bar;
}

/// Draws the figures one after the other, so that the table can be used at once. One that fails does not stop the others.
function draw_in_turn(figures, done) {
  const draw_next = (i) => {
    if (i === figures.length) return done();
    const {section} = figures[i];
    section.querySelector(":scope > .broken")?.remove();
    try {
      figures[i].draw();
    } catch (error) {
      section.append(el("p", {class: "broken", role: "alert"}, `This plot cannot be drawn: ${error.message}`));
    }
    setTimeout(() => draw_next(i + 1), 0);
  };
  setTimeout(() => draw_next(0), 0);
}

function with_plot(page, plots, figure) {
  if (!plots) return figure;
  const made = {...figure};
  const chosen = () => Object.fromEntries((made.choices ?? []).map((choice) => [choice.name, choice.value]));
  made.draw = (width) => plots[made.plot](page, width, chosen(), made.series);
  return made;
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

/// All that is seen. What has not changed stays as it is when it shows another document: nothing that a reader has
/// chosen, marked or scrolled to is lost.
class Shown {
  constructor(page, plots) {
    Object.assign(this, {page, plots, table: null, parts: {}});
    this.selection = make_selection();
    this.figures = new Map(); // by their ids
    this.main = el("main");
    make_tip();
    const {served} = page.doc;
    const badge = served ? keep_live(served.tag, (text) => this.take(text)) : null;
    this.kind = el("span", {class: "kind"}, `pippin · ${kKinds[page.doc.kind] ?? "Report"}`);
    this.tools = [badge, make_theme_button()].filter(Boolean);
    this.bar = el("div", {class: "bar"});
    this.header = el("header", {class: "top"}, this.bar);
    this.show();
    document.body.prepend(this.header, this.main, highlight_bar(page, this.selection));
    this.table?.table.draw();
    performance.mark("table shown");
    draw_in_turn(Array.from(this.figures.values()), () => {
      performance.mark("plots shown");
      document.documentElement.dataset.ready = "yes";
    });
  }

  /// The element of a part: the one that is there, where the new one would be the same.
  part(name, made) {
    const before = this.parts[name];
    if (before && made && before.isEqualNode(made)) return before;
    if (before && made) this.places.push(place_kept(before, made));
    this.parts[name] = made;
    return made;
  }

  frames(figures) {
    return figures.map((figure) => {
      const made = with_plot(this.page, this.plots, figure);
      const known = this.figures.get(figure.id);
      if (known) known.update(made);
      else this.figures.set(figure.id, make_figure(this.page, this.selection, made));
      return this.figures.get(figure.id).section;
    });
  }

  show_table(words) {
    if (!this.page.row_count || kWithoutTable.includes(this.page.doc.kind)) this.table = null;
    else if (this.table) this.table.update();
    else this.table = make_table_section(this.page, this.selection);
    if (!this.table) return null;
    this.table.section.querySelector(".words")?.remove();
    if (words) this.table.section.append(el("div", {class: "words"}, ...words.children));
    return this.table.section;
  }

  show_header() {
    const {page} = this;
    document.title = window_title(page);
    const links = this.part("links", links_of_server(page));
    arrange_children(this.bar, [this.kind, links, ...this.tools].filter(Boolean));
    arrange_children(this.header, [this.bar, this.part("heading", heading(page))]);
  }

  show() {
    this.places = [];
    this.show_header();
    const {page} = this;
    const {above, below} = figures_of(page);
    const sheet = sheet_of(page);
    const drawn = sheet.flatMap(({figure}) => (figure ? [figure] : []));
    const ids = new Set([...above, ...drawn, ...below].map((figure) => figure.id));
    for (const id of this.figures.keys()) if (!ids.has(id)) this.figures.delete(id);
    const words = remarks(page);
    const first = this.frames(above);
    const table = this.show_table(words);
    const of_sheet = sheet.map(({section, figure}) => (figure ? this.frames([figure])[0] : this.part(section.id, section)));
    const sections = [
      this.part("progress", progress_section(page)),
      this.part("entries", entries_section(page)),
      ...first,
      ...(kTableFirst.includes(page.doc.kind) ? [table, ...of_sheet] : [...of_sheet, table]),
      ...this.frames(below),
      table ? null : this.part("remarks", words),
      this.part("methods", methods(page)),
    ].filter(Boolean);
    const parts = [
      this.part("said", said(page)),
      this.plots ? null : this.part("no_plots", no_plots_line()),
      this.part("contents", contents(sections.map(section_link))),
      ...sections,
    ];
    arrange_children(this.main, parts.filter(Boolean));
    this.places.forEach((restore) => restore());
  }

  /// Takes another document; returns its tag.
  take(text) {
    const before = this.page.rows.name;
    Object.assign(this.page, read_page(text));
    const {page} = this;
    this.selection.renumber((row) => {
      const now = page.rows.name.indexOf(before[row]);
      return now < 0 ? null : now;
    });
    const had_table = this.table !== null;
    this.show();
    if (!had_table) this.table?.table.draw();
    const {tag} = page.doc.served;
    draw_in_turn(Array.from(this.figures.values()), () => {
      document.documentElement.dataset.tag = tag;
    });
    return tag;
  }
}

export function show_page(plots) {
  const text = document.getElementById("pippin-data").textContent;
  try {
    const page = read_page(text);
    new Shown(page, plots);
  } catch (error) {
    document.body.prepend(el("p", {class: "broken", role: "alert"}, `This page cannot be shown: ${error.message}`));
    document.documentElement.dataset.ready = "yes";
  }
}
