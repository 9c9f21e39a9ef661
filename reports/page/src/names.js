// SPDX-License-Identifier: Apache-2.0
// Short names for legends: what all names have in common tells nothing.

const kLongest = 42;

export function cut_text(text, longest = kLongest) {
  const letters = Array.from(text);
  return letters.length > longest ? `${letters.slice(0, longest - 1).join("")}…` : text;
}

function common_parts(names) {
  const common = new Set(names[0].split("-"));
  for (const name of names) {
    const parts = new Set(name.split("-"));
    for (const part of common) if (!parts.has(part)) common.delete(part);
    if (!common.size) break;
  }
  return common;
}

/// Names without the parts between hyphens that all of them have, unless they become the same.
export function short_names(names) {
  const cut = names.map((name) => cut_text(name));
  if (names.length < 2) return cut;
  const common = common_parts(names);
  if (!common.size) return cut;
  const short = names.map((name) =>
    name
      .split("-")
      .filter((part) => !common.has(part))
      .join("-"),
  );
  const is_plain = short.every((name) => name) && new Set(short).size === new Set(names).size;
  return is_plain ? short.map((name) => cut_text(name)) : cut;
}
