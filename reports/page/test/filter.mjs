// SPDX-License-Identifier: Apache-2.0
// The filter's words and clauses, and the order of rows, without a browser.
import {csv_text} from "../src/csv.js";
import {make_filter} from "../src/filter.js";
import {short_names} from "../src/names.js";
import {duration_text, percent_text} from "../src/numbers.js";
import {sort_rows} from "../src/sort.js";

const kColumns = [
  {name: "name", title: "configuration", values: ["alpha", "beta", "gamma delta", "tp4"]},
  {name: "tp", title: "TP", values: [1, 2, 4, null]},
  {name: "step_time_s", title: "step time", values: [0.05, 0.5, 5, null]},
  {name: "spread", title: "spread", values: [0.01, 0.02, 0.03, null]},
  {name: "state", title: "state", values: ["ok", "ok", "failed", "oom"]},
];

const kCases = [
  ["", "0 1 2 3"],
  ["alpha", "0"],
  ["ALPHA", "0"],
  ['"gamma delta"', "2"],
  ["gamma delta", "2"],
  ["nothing", ""],
  ["tp == 4", "2"],
  ["tp==4", "2"],
  ["TP = 2", "1"],
  ["tp != 4", "0 1 3"],
  ["tp >= 2", "1 2"],
  ["tp<2", "0"],
  ["step_time_s < 0.5", "0"],
  ["step_time <= 500ms", "0 1"],
  ["step_time < 1 s", "0 1"],
  ["spread > 1.5%", "1 2"],
  ["spread > 1.5 %", "1 2"],
  ["tp == 4 && spread > 0.01", "2"],
  ["tp >= 2 and state == ok", "1"],
  ["state == failed", "2"],
  ["state ~ o", "0 1 3"],
  ["tp >= 1 beta", "1"],
  ["tp ==", ""],
  ["&&", "0 1 2 3"],
];

function passing(text) {
  const text_of = (row) =>
    kColumns
      .map((column) => String(column.values[row]))
      .join("\n")
      .toLowerCase();
  const {test, error} = make_filter(text, kColumns, text_of);
  return error ?? [0, 1, 2, 3].filter(test).join(" ");
}

export function test_filter({check}) {
  for (const [text, rows] of kCases.slice(0, -1)) {
    const got = passing(text);
    check(`filter '${text}' lets rows '${rows}' pass`, got === rows ? null : `it was '${got}'`);
  }
  const hint = passing("stat == ok");
  check(
    "an unknown column is named, with one that is meant",
    hint === "no column 'stat', did you mean 'state'?" ? null : hint,
  );
  const order = sort_rows([0, 1, 2, 3], [3, null, 1, 2], false).join("");
  check("what is empty is sorted last in both directions", order === "0321" ? null : order);
  const csv = csv_text({
    titles: ["a", "b"],
    rows: [
      ['x,"y"', null],
      ["two\nlines", 1.5],
    ],
  });
  check("CSV quotes what needs it", csv === 'a,b\n"x,""y""",\n"two\nlines",1.5\n' ? null : csv);
  const short = short_names(["52b-tp4-pp8", "52b-tp4-pp16"]).join(" ");
  check("short names leave out what is common", short === "pp8 pp16" ? null : short);
  const same = short_names(["a-b", "a-b"]).join(" ");
  check("names that are all alike stay whole", same === "a-b a-b" ? null : same);
  const numbers = [duration_text(131.42), duration_text(0.0227), duration_text(null), percent_text(0.031)]
    .join(", ")
    .replaceAll("\u00a0", " ");
  check("numbers read as in the terminal", numbers === "131.4 s, 22.70 ms, –, 3.1 %" ? null : numbers);
}
