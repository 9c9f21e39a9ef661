// SPDX-License-Identifier: Apache-2.0
// The note beside a point, and the line that a screen reader speaks.
import {el, style} from "./dom.js";
import {cut_text} from "./names.js";

const kGap = 14;
const kLongestLine = 300;

let box = null;
let spoken = null;

export function make_tip() {
  box = el("div", {class: "tip", hidden: true, "aria-hidden": "true"});
  spoken = el("div", {class: "unseen", role: "status", "aria-live": "polite"});
  document.body.append(box, spoken);
}

function place(x, y) {
  const {width, height} = box.getBoundingClientRect();
  const {clientWidth, clientHeight} = document.documentElement;
  const left = x + kGap + width > clientWidth ? Math.max(4, x - kGap - width) : x + kGap;
  const top = Math.min(Math.max(4, y - height / 2), Math.max(4, clientHeight - height - 4));
  style(box, {left: `${left}px`, top: `${top}px`});
}

/// Shows lines beside a place of the window. The first is the name.
export function show_tip(lines, x, y) {
  const [first, ...rest] = lines.map((line) => cut_text(line, kLongestLine));
  box.replaceChildren(el("strong", {}, first), ...rest.map((line) => el("div", {}, line)));
  box.hidden = false;
  place(x, y);
}

export function hide_tip() {
  if (box) box.hidden = true;
}

export function speak(text) {
  spoken.textContent = text;
}
