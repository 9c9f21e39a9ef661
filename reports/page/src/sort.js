// SPDX-License-Identifier: Apache-2.0
// Orders rows by a column.

const kCollator = new Intl.Collator("en", {numeric: true});

function rank_of_kind(value) {
  if (value === null || value === undefined || value === "" || Number.isNaN(value)) return 2;
  return typeof value === "number" ? 0 : 1;
}

/// Numbers come before text; what is empty comes last in both directions.
function compare_values(a, b, sign) {
  const kinds = rank_of_kind(a) - rank_of_kind(b);
  if (kinds !== 0) return kinds;
  if (typeof a === "number") return sign * (a - b);
  return typeof a === "string" ? sign * kCollator.compare(a, b) : 0;
}

/// Sorts the rows by the values; rows that are equal stay as they are.
export function sort_rows(rows, values, ascending) {
  const sign = ascending ? 1 : -1;
  return rows.slice().sort((a, b) => compare_values(values[a], values[b], sign) || a - b);
}
