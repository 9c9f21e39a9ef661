// SPDX-License-Identifier: Apache-2.0
// Numbers and times as people read them. Times are UTC, as everywhere in pippin.

const kDay = 86400;
const kNoBreak = "\u00a0"; // a number and its unit stay on one line

export function is_number(value) {
  return typeof value === "number" && Number.isFinite(value);
}

/// A number in so many digits, never as 1e+5.
export function digits_text(value, digits = 3) {
  if (!is_number(value)) return "–";
  if (value === 0) return "0";
  const size = Math.floor(Math.log10(Math.abs(value)));
  if (size < -6) return value.toExponential(digits - 1);
  return value.toFixed(Math.min(12, Math.max(0, digits - 1 - size)));
}

/// The unit in which a duration reads best, and how many of it a second has.
export function unit_of(seconds) {
  if (seconds < 1e-3) return {name: "µs", per_second: 1e6};
  if (seconds < 1) return {name: "ms", per_second: 1e3};
  return {name: "s", per_second: 1};
}

export function duration_text(seconds, digits = 4) {
  if (!is_number(seconds)) return "–";
  const unit = unit_of(Math.abs(seconds));
  return `${digits_text(seconds * unit.per_second, digits)}${kNoBreak}${unit.name}`;
}

export function percent_text(share, digits = 2) {
  return is_number(share) ? `${digits_text(share * 100, digits)}${kNoBreak}%` : "–";
}

export function signed_percent_text(share, digits = 2) {
  if (!is_number(share)) return "–";
  return `${share < 0 ? "−" : "+"}${percent_text(Math.abs(share), digits)}`;
}

/// A share on an axis, where the ticks beside it tell the digits: +2 %, +2.5 %.
export function tick_percent_text(share) {
  const rounded = Number((share * 100).toPrecision(6));
  if (Math.abs(rounded) < 1e-9) return `0${kNoBreak}%`;
  return `${rounded < 0 ? "−" : "+"}${Math.abs(rounded)}${kNoBreak}%`;
}

export function moment_text(seconds) {
  if (!is_number(seconds)) return "–";
  const moment = new Date(seconds * 1000);
  if (Number.isNaN(moment.getTime())) return "–";
  return `${moment.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

export function day_of(seconds) {
  return Math.floor(seconds / kDay);
}

export function count_text(count, one, many = `${one}s`) {
  return `${count.toLocaleString("en-US")} ${count === 1 ? one : many}`;
}

/// The least and greatest number of an array that may have holes; null if it has none.
export function extent_of(values) {
  let low = Infinity;
  let high = -Infinity;
  for (const value of values) {
    if (!is_number(value)) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return low <= high ? [low, high] : null;
}
