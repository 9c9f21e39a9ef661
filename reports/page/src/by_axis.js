// SPDX-License-Identifier: Apache-2.0
// The figure against an axis of the sweep: what can be chosen, and its table.

const kMostFacets = 12;

export function values_of(axis) {
  const values = Array.from(new Set(axis.values.filter((value) => value !== null && value !== undefined)));
  const is_numeric = values.every((value) => typeof value === "number");
  return is_numeric
    ? values.sort((a, b) => a - b)
    : values.sort((a, b) => String(a).localeCompare(String(b), "en", {numeric: true}));
}

function varying(page) {
  return (page.doc.axes ?? []).filter((axis) => values_of(axis).length > 1);
}

function measures(page) {
  const {doc, rows} = page;
  const all = [
    ["mean_s", "step time", rows.mean_s],
    ["tflops", "TFLOPS per GPU", doc.tflops],
    ["samples_per_s", "samples per second", doc.samples_per_s],
  ];
  return all.filter(([, , values]) => values?.some((value) => typeof value === "number"));
}

/// The three choices, or null where nothing can be plotted. A second axis becomes the facets if it is short.
export function axis_choices(page) {
  const axes = varying(page);
  const shown = measures(page);
  if (!axes.length || !shown.length) return null;
  const names = axes.map((axis) => [axis.name, axis.title || axis.name]);
  const split = axes.filter((axis) => values_of(axis).length <= kMostFacets);
  const second = split.find((axis) => axis !== axes[0]);
  return [
    {name: "measure", title: "Show", value: shown[0][0], options: shown.map(([name, title]) => [name, title])},
    {name: "x", title: "against", value: axes[0].name, options: names},
    {
      name: "facet",
      title: "for each",
      value: second?.name ?? "",
      options: [["", "all together"], ...split.map((axis) => [axis.name, axis.title || axis.name])],
    },
  ];
}

export function axis_table(page) {
  const {doc, rows} = page;
  const axes = doc.axes ?? [];
  return {
    titles: [
      "configuration",
      "state",
      ...axes.map((axis) => axis.name),
      "step_time_s",
      "ci_low_s",
      "ci_high_s",
      "tflops_per_gpu",
      "samples_per_s",
    ],
    rows: rows.name.map((name, row) => [
      name,
      rows.state[row],
      ...axes.map((axis) => axis.values[row] ?? null),
      rows.mean_s[row],
      rows.low_s[row],
      rows.high_s[row],
      doc.tflops?.[row] ?? null,
      doc.samples_per_s?.[row] ?? null,
    ]),
  };
}
