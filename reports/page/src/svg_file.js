// SPDX-License-Identifier: Apache-2.0
// A plot as a file of its own: always light, with every style inside.
import {svg_el} from "./dom.js";

const kKept = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "opacity"];
const kOfText = ["font-size", "font-family", "font-weight", "text-anchor"];

function copy_styles(from, to) {
  const look = getComputedStyle(from);
  const names = from.localName === "text" || from.localName === "tspan" ? [...kKept, ...kOfText] : kKept;
  for (const name of names) to.setAttribute(name, look.getPropertyValue(name));
  to.removeAttribute("class");
}

function copy_all(from, to) {
  copy_styles(from, to);
  for (let i = 0; i < from.children.length; ++i) copy_all(from.children[i], to.children[i]);
}

function background(svg) {
  const {width, height} = svg.viewBox.baseVal;
  return svg_el("rect", {width, height, fill: "#ffffff"});
}

/// Colours come from the page's theme, so the page is light for a moment; nothing is painted in between.
function in_light(action) {
  const root = document.documentElement;
  const before = root.dataset.theme;
  root.dataset.theme = "light";
  try {
    return action();
  } finally {
    root.dataset.theme = before;
  }
}

/// XML has no way to write most control characters.
function without_controls(text) {
  return text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\ufffd");
}

export function svg_file_text(svg, title) {
  const copy = svg.cloneNode(true);
  const marks = Array.from(copy.querySelectorAll(".rings, .ring"));
  const was_faded = svg.classList.contains("faded");
  svg.classList.remove("faded");
  in_light(() => copy_all(svg, copy));
  svg.classList.toggle("faded", was_faded);
  for (const mark of marks) mark.remove();
  const styles = svg_el("style", {}, "text { white-space: pre; }");
  copy.prepend(svg_el("title", {}, title), styles, background(svg));
  return `<?xml version="1.0" encoding="UTF-8"?>\n${without_controls(new XMLSerializer().serializeToString(copy))}\n`;
}
