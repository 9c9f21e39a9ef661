// SPDX-License-Identifier: Apache-2.0
// Widths of columns, from all rows: a table that draws only the rows in sight must not change while it scrolls.

const kCandidates = 6;
const kSides = 26;

/// The longest texts by letters; one of them is almost surely the widest.
function longest_texts(texts) {
  const longest = [];
  for (const text of texts) {
    const length = text?.length ?? 0;
    if (longest.length === kCandidates && length <= longest[kCandidates - 1].length) continue;
    if (longest.includes(text)) continue;
    longest.push(text ?? "");
    longest.sort((a, b) => b.length - a.length);
    longest.length = Math.min(longest.length, kCandidates);
  }
  return longest;
}

/// A function of (title, texts, most) to pixels.
export function make_width_measure(element) {
  const pen = document.createElement("canvas").getContext("2d");
  const {fontSize, fontFamily} = getComputedStyle(element);
  return (title, texts, most) => {
    pen.font = `600 ${fontSize} ${fontFamily}`;
    const head = pen.measureText(title).width + 16;
    pen.font = `${fontSize} ${fontFamily}`;
    const widths = longest_texts(texts).map((text) => pen.measureText(text.slice(0, 400)).width);
    return Math.ceil(Math.min(most, Math.max(head, ...widths)) + kSides);
  };
}
