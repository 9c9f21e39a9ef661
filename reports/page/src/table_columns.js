// SPDX-License-Identifier: Apache-2.0
// Which columns the table can have.
import {is_predicted} from "./page_data.js";

/// Notes and reasons, where the report has no such column and there are any; a reason stands in the strip's place, too.
function extra_columns(page) {
  const {rows} = page;
  const notes = rows.name.map((_, row) => (rows.notes?.[row] ?? []).join("; "));
  const reasons = rows.name.map((_, row) => rows.reason?.[row] ?? "");
  const extra = [
    {name: "notes", cells: notes, shown: true},
    {name: "reason", cells: reasons, shown: false},
  ];
  return extra
    .filter(({name, cells}) => cells.some((text) => text) && !page.columns.some((column) => column.name === name))
    .map((column) => ({...column, title: column.name, kind: "text", values: column.cells}));
}

/// All columns that the table can have, in order: name, state, the report's with the strip among them, notes.
export function all_columns(page) {
  const has_bad = page.rows.state.some((state) => state !== "ok");
  const strip = {
    name: "strip",
    title: is_predicted(page) ? "time" : "allocations' means",
    kind: "strip",
    shown: true,
    values: page.rows.mean_s,
    cells: [],
  };
  const report = page.columns.filter((column) => column.name !== "name" && column.name !== "state");
  const at = report.findIndex((column) => column.name === "step_time_s" || column.name === "step_s");
  report.splice(at < 0 ? report.length : at + 1, 0, strip);
  return [
    {...page.name, shown: true, fixed: true},
    {...page.state, shown: has_bad, kind: "state"},
    ...report,
    ...extra_columns(page),
  ];
}
