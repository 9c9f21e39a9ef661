// SPDX-License-Identifier: Apache-2.0
// Writes CSV: RFC 4180, as pippin's own.

/// As C's %g, which pippin writes numbers by: 1.2e-05.
function number_text(value) {
  if (value === 0 || Math.abs(value) >= 1e-4) return String(value);
  const [digits, exponent] = value.toExponential().split("e");
  return `${digits}e${exponent[0]}${exponent.slice(1).padStart(2, "0")}`;
}

function cell_text(value) {
  if (value === null || value === undefined) return "";
  const text = typeof value === "number" ? number_text(value) : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/// A table is {titles: [text], rows: [[value]]}.
export function csv_text(table) {
  const lines = [table.titles, ...table.rows].map((row) => row.map(cell_text).join(","));
  return `${lines.join("\n")}\n`;
}
