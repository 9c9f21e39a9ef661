// SPDX-License-Identifier: Apache-2.0
// Writes CSV: RFC 4180, as pippin's own.

function cell_text(value) {
  if (value === null || value === undefined) return "";
  const text = String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/// A table is {titles: [text], rows: [[value]]}.
export function csv_text(table) {
  const lines = [table.titles, ...table.rows].map((row) => row.map(cell_text).join(","));
  return `${lines.join("\n")}\n`;
}
