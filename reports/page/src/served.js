// SPDX-License-Identifier: Apache-2.0
// What only a served page shows: where else to go, what there is, how a campaign goes on.
import {el, own_link, style} from "./dom.js";
import {count_text, moment_text} from "./numbers.js";
import {address_of} from "./page_data.js";

export function links_of_server(page) {
  const links = (page.doc.served?.links ?? []).map(({title, address}) => own_link(address, title));
  return links.length ? el("nav", {class: "pages", "aria-label": "Pages"}, links) : null;
}

function cells(name, values) {
  return values.map((value) => el(name, name === "th" ? {scope: "col"} : {}, value));
}

function small_table(title, titles, rows) {
  return el(
    "div",
    {class: "data-region", tabindex: "0", role: "region", "aria-label": title},
    el(
      "table",
      {class: "data"},
      el("thead", {}, el("tr", {}, cells("th", titles))),
      el(
        "tbody",
        {},
        rows.map((row) => el("tr", {}, cells("td", row))),
      ),
    ),
  );
}

/// Done, failed and running runs as parts of one bar.
function bar_of({total, done, failed, running, words}) {
  const part = (count, kind) =>
    count > 0 && total > 0 ? style(el("span", {class: kind}), {width: `${(100 * count) / total}%`}) : null;
  return [
    el(
      "div",
      {class: "progress-bar", role: "img", "aria-label": words},
      part(done - failed, "done"),
      part(failed, "failed-part"),
      part(running, "running-part"),
    ),
    el("p", {class: "lead"}, words),
  ];
}

function list_line([what, words, remedy]) {
  return el("li", {}, el("b", {}, what), words ? `: ${words}` : null, remedy ? `; ${remedy}` : null);
}

function named_list({title, lines}) {
  return [el("dt", {}, title), el("dd", {}, el("ul", {}, lines.map(list_line)))];
}

function named_table(page, {title, titles, rows, runs}) {
  const linked = ([first, ...others], row) => {
    const address = address_of(page, "run", runs?.[row]);
    return [address ? own_link(address, first) : first, ...others];
  };
  return [el("h2", {class: "minor"}, title), small_table(title, titles, rows.map(linked))];
}

/// How a campaign goes on: what runs where, what waits and why, what canaries measured.
export function progress_section(page) {
  const {progress} = page.doc;
  if (!progress) return null;
  return el(
    "section",
    {id: "progress", "aria-labelledby": "progress-title"},
    el("h2", {id: "progress-title"}, "Progress"),
    bar_of(progress.bar),
    el("dl", {class: "status"}, progress.lists.flatMap(named_list)),
    progress.tables.flatMap((table) => named_table(page, table)),
  );
}

function entry_name({sweep, number, kind}) {
  if (kind === "logs") return "collected";
  return number > 0 ? `${sweep}/${number}` : sweep;
}

function entry_row(entry) {
  const runs = entry.runs.map(([state, count]) => `${count} ${state}`).join(", ");
  const dropped = entry.dropped ? `${count_text(entry.dropped, "run")} dropped: ${entry.because}` : null;
  const [first, ...others] = entry.links;
  return el(
    "tr",
    {},
    el("td", {class: "entry"}, first ? own_link(first.address, entry_name(entry)) : entry_name(entry)),
    el("td", {}, entry.kind === "campaign" ? entry.started.slice(0, 10) : entry.kind),
    el("td", {}, entry.cluster),
    el("td", {class: "number"}, String(entry.points)),
    el("td", {}, [runs || "none yet", dropped].filter(Boolean).join("; ")),
    el("td", {}, entry.last_run === null ? "–" : moment_text(entry.last_run)),
    el("td", {}, entry.tags.join(", ")),
    el(
      "td",
      {class: "entry-links"},
      others.flatMap(({title, address}) => [own_link(address, title), " "]),
    ),
  );
}

/// What a database holds, a row for each campaign.
export function entries_section(page) {
  const {entries} = page.doc;
  if (!entries) return null;
  const titles = ["sweep", "begun", "cluster", "points", "runs", "last run", "tags", "more"];
  const nothing = el("p", {class: "lead"}, "No sweep and no log yet: 'pippin run' or 'pippin collect' brings some.");
  return el(
    "section",
    {id: "entries", "aria-labelledby": "entries-title"},
    el("h2", {id: "entries-title"}, "What there is"),
    entries.length
      ? el(
          "div",
          {class: "data-region tall", tabindex: "0", role: "region", "aria-label": "What there is"},
          el(
            "table",
            {class: "data"},
            el("thead", {}, el("tr", {}, cells("th", titles))),
            el("tbody", {}, entries.map(entry_row)),
          ),
        )
      : nothing,
  );
}
