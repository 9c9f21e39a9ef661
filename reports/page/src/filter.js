// SPDX-License-Identifier: Apache-2.0
// The filter box: words that a row must have, and clauses such as `tp == 4` or `step_time < 50ms`.

const kClause =
  /^([^\s=!<>~"]+)\s*(==|!=|<=|>=|<|>|=|~)\s*("[^"]*"|\S+(?:\s(?:%|ms|µs|us|s|min|h|KiB|MiB|GiB|TiB)(?=\s|&|$))?)/;
const kJoin = /^(?:&&|and(?=\s))/i;
const kWord = /^("[^"]*"|\S+)/;
const kUnits = {
  "%": 0.01,
  ms: 1e-3,
  µs: 1e-6,
  us: 1e-6,
  s: 1,
  min: 60,
  h: 3600,
  KiB: 2 ** -20,
  MiB: 2 ** -10,
  GiB: 1,
  TiB: 1024,
};

function unquoted(text) {
  return text.startsWith('"') ? text.replaceAll('"', "") : text;
}

/// A number with or without a unit, in seconds, GiB or a share of 1; null for other text.
export function number_with_unit(text) {
  const found = /^([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)\s*(%|ms|µs|us|s|min|h|KiB|MiB|GiB|TiB)?$/i.exec(text);
  if (!found) return null;
  return Number(found[1]) * (found[2] ? (kUnits[found[2]] ?? 1) : 1);
}

/// Splits a filter into clauses {name, operator, value} and words {word}.
export function parse_filter(text) {
  const parts = [];
  let rest = text.trim();
  while (rest) {
    const join = parts.length ? kJoin.exec(rest) : null;
    const clause = join ? null : kClause.exec(rest);
    const found = join ?? clause ?? kWord.exec(rest) ?? [rest];
    if (clause) parts.push({name: clause[1], operator: clause[2], value: unquoted(clause[3])});
    else if (!join) parts.push({word: unquoted(found[0]).toLowerCase()});
    rest = rest.slice(found[0].length).trim();
  }
  return parts;
}

function plain_name(name) {
  return name.toLowerCase().replace(/[\s_-]+/g, "_");
}

/// The names by which a column may be called: with and without its unit, and its title.
function names_of(column) {
  const name = plain_name(column.name);
  return [name, plain_name(column.title ?? ""), name.replace(/_(s|gib|share|ms)$/, "")];
}

export function find_column(columns, name) {
  const wanted = plain_name(name);
  for (const rank of [0, 1, 2]) {
    const found = columns.find((column) => names_of(column)[rank] === wanted);
    if (found) return found;
  }
  return null;
}

function distance(a, b) {
  let row = Array.from({length: b.length + 1}, (_, j) => j);
  for (let i = 1; i <= a.length; ++i) {
    const next = [i];
    for (let j = 1; j <= b.length; ++j) {
      const change = row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, row[j] + 1, next[j - 1] + 1));
    }
    row = next;
  }
  return row[b.length];
}

/// What somebody who wrote an unknown name is told.
function complaint(columns, name) {
  const wanted = plain_name(name).slice(0, 40);
  const near = columns.map((column) => [distance(wanted, plain_name(column.name).slice(0, 40)), column.name]);
  near.sort((a, b) => a[0] - b[0]);
  const hint = near.length && near[0][0] <= 2 ? `, did you mean '${near[0][1]}'?` : "";
  return `no column '${name}'${hint || "; names are those of the columns"}`;
}

function holds(order, operator) {
  switch (operator) {
    case "<":
      return order < 0;
    case "<=":
      return order <= 0;
    case ">":
      return order > 0;
    case ">=":
      return order >= 0;
    case "!=":
      return order !== 0;
    default:
      return order === 0;
  }
}

function compare_number(value, wanted, operator) {
  // Shown numbers are rounded: equality of times is asked of what can be read.
  const near = Math.abs(value - wanted) <= 1e-9 * Math.max(Math.abs(value), Math.abs(wanted));
  return holds(near ? 0 : Math.sign(value - wanted), operator);
}

/// A function of a row that says whether a clause holds. Empty cells satisfy only `!=`.
function clause_test(column, {operator, value}) {
  const number = number_with_unit(value);
  const lower = value.toLowerCase();
  return (row) => {
    const cell = column.values[row];
    if (cell === null || cell === undefined || cell === "") return operator === "!=";
    if (operator === "~") return String(cell).toLowerCase().includes(lower);
    if (typeof cell === "number" && number !== null) return compare_number(cell, number, operator);
    const text = String(cell).toLowerCase();
    return holds(text < lower ? -1 : text > lower ? 1 : 0, operator);
  };
}

/// Makes {test: row → bool, error: text or null} of a filter's text.
/// `columns` have {name, title, values}; `text_of(row)` is all of a row's text in lower case.
export function make_filter(text, columns, text_of) {
  const tests = [];
  for (const part of parse_filter(text)) {
    if (part.word !== undefined) {
      tests.push((row) => text_of(row).includes(part.word));
      continue;
    }
    const column = find_column(columns, part.name);
    if (!column) return {test: () => true, error: complaint(columns, part.name)};
    tests.push(clause_test(column, part));
  }
  return {test: (row) => tests.every((test) => test(row)), error: null};
}
