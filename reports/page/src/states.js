// SPDX-License-Identifier: Apache-2.0
// How a run or row ended: a word and a mark of its own shape, so that colour alone says nothing.
import {svg_el} from "./dom.js";

const kPaths = {
  ok: "M2.5 6.5 5 9 9.5 3.5",
  failed: "M3 3 9 9M9 3 3 9",
  timeout: "M6 1.5A4.5 4.5 0 1 1 5.99 1.5ZM6 3.5V6L8 7.5",
  oom: "M2 4.5H10V10H2ZM4 4.5V2M6 4.5V2M8 4.5V2",
  cancelled: "M6 1.5A4.5 4.5 0 1 1 5.99 1.5ZM3 9 9 3",
  missing: "M3.8 4.2A2.2 2.2 0 1 1 6.8 6.2Q6 6.7 6 7.7M6 9.6V10.2",
  "not run": "M3 6H9",
  infeasible: "M2.5 2.5H9.5V9.5H2.5ZM4 6H8",
};

/// The outline of a state's mark in a box of 12 by 12.
export function state_path(state) {
  return Object.hasOwn(kPaths, state) ? kPaths[state] : kPaths.missing;
}

export function state_mark(state) {
  const path = svg_el("path", {d: state_path(state)});
  return svg_el("svg", {class: "state-mark", viewBox: "0 0 12 12", width: 12, height: 12, "aria-hidden": "true"}, path);
}
