// SPDX-License-Identifier: Apache-2.0
// Where a plot stands: draws it at the width there is, and answers pointer, keys and the selected row.
import {el, once_a_frame, svg_el} from "./dom.js";
import {legend_for} from "./legend.js";
import {colour_of} from "./page_data.js";
import {hide_tip, show_tip, speak} from "./tip.js";

const kReach = 24; // pixels from which the pointer finds a point
const kMostRings = 3000;

function nearest(points, x, y) {
  let best = -1;
  let least = kReach * kReach;
  for (let i = 0; i < points.x.length; ++i) {
    const dx = points.x[i] - x;
    const dy = points.y[i] - y;
    const square = dx * dx + dy * dy;
    if (square < least) [best, least] = [i, square];
  }
  return best;
}

/// Points from left to right, for the arrow keys.
function reading_order(points) {
  const order = Array.from(points.x.keys ? points.x.keys() : []);
  return order.sort((a, b) => points.x[a] - points.x[b] || points.y[b] - points.y[a]);
}

class Stage {
  constructor(page, selection, figure) {
    Object.assign(this, {page, selection, figure, plot: null, width: 0, at: -1, current: -1});
    this.holder = el("div", {class: "plot-holder", tabindex: "0", role: "group"});
    this.words = el("p", {class: "hint"});
    this.legend = el("div");
    this.element = el("div", {class: "stage"}, this.legend, this.holder, this.words);
    this.listen();
  }

  listen() {
    const {holder} = this;
    holder.addEventListener("pointermove", (event) => this.on_pointer(event));
    holder.addEventListener("pointerleave", () => this.leave());
    holder.addEventListener("click", () => this.pin());
    holder.addEventListener("keydown", (event) => this.on_key(event));
    holder.addEventListener("blur", () => this.leave());
    this.selection.on_change(once_a_frame(() => this.mark_row()));
    new ResizeObserver(once_a_frame(() => this.on_resize())).observe(this.element);
  }

  on_resize() {
    if (this.plot && Math.abs(this.element.clientWidth - this.width) > 1) this.draw();
  }

  svg() {
    return this.plot.svg;
  }

  draw() {
    this.width = this.element.clientWidth;
    this.plot = this.figure.draw(Math.max(280, this.width));
    this.order = null;
    this.current = -1;
    const {svg, points, words} = this.plot;
    this.rings = svg_el("g", {class: "rings", "aria-hidden": "true"});
    this.ring = svg_el("circle", {class: "ring", r: 7, visibility: "hidden", "aria-hidden": "true"});
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", `${this.figure.title}. ${words ?? ""}`);
    svg.append(this.rings, this.ring);
    this.holder.replaceChildren(svg);
    this.holder.setAttribute(
      "aria-label",
      `${this.figure.title}: ${points.x.length} points, reached with the arrow keys`,
    );
    this.words.textContent = words ?? "";
    this.words.hidden = !words;
    this.legend.replaceChildren(...legend_for(this.page, this.selection, this.plot));
    this.mark_row();
  }

  on_pointer(event) {
    const box = this.plot.svg.getBoundingClientRect();
    const scale = this.plot.svg.viewBox.baseVal.width / box.width;
    const i = nearest(this.plot.points, (event.clientX - box.left) * scale, (event.clientY - box.top) * scale);
    if (i < 0) this.leave();
    else this.point_at(i, false);
  }

  /// Shows what a point is, and highlights its row everywhere.
  point_at(i, is_key) {
    if (i === this.current) return;
    this.current = i;
    const {svg, points} = this.plot;
    this.ring.setAttribute("cx", points.x[i]);
    this.ring.setAttribute("cy", points.y[i]);
    this.ring.setAttribute("visibility", "visible");
    const box = svg.getBoundingClientRect();
    const scale = box.width / svg.viewBox.baseVal.width;
    const lines = points.lines(i);
    show_tip(lines, box.left + points.x[i] * scale, box.top + points.y[i] * scale);
    if (is_key) speak(lines.join(", "));
    this.selection.hover(points.row[i] ?? null);
  }

  leave() {
    if (this.current < 0) return;
    this.current = -1;
    this.ring?.setAttribute("visibility", "hidden");
    hide_tip();
    this.selection.hover(null);
  }

  pin() {
    const row = this.plot.points.row[this.current];
    if (row !== undefined && row !== null) this.selection.pin(row);
  }

  on_key(event) {
    const count = this.plot.points.x.length;
    const steps = {
      ArrowRight: 1,
      ArrowUp: 1,
      ArrowLeft: -1,
      ArrowDown: -1,
      PageDown: 20,
      PageUp: -20,
      Home: -count,
      End: count,
    };
    if (event.key === "Escape") this.leave();
    else if (event.key === "Enter") this.pin();
    if (!steps[event.key] || !count) return;
    event.preventDefault();
    this.order ??= reading_order(this.plot.points);
    this.at =
      this.current < 0 ? 0 : Math.min(count - 1, Math.max(0, this.order.indexOf(this.current) + steps[event.key]));
    this.point_at(this.order[this.at], true);
  }

  /// Circles around the points of the selected row; the others fade.
  mark_row() {
    if (!this.plot) return;
    const row = this.selection.row();
    const {svg, points} = this.plot;
    const found = [];
    if (row !== null) {
      for (let i = 0; i < points.x.length && found.length < kMostRings; ++i) if (points.row[i] === row) found.push(i);
    }
    svg.classList.toggle("faded", found.length > 0);
    if (row !== null)
      this.rings.setAttribute("fill", this.page.rows.name[row] === undefined ? "none" : colour_of(this.page, row));
    this.rings.replaceChildren(
      ...found.map((i) => svg_el("circle", {cx: points.x[i], cy: points.y[i], r: points.radius ?? 4})),
    );
  }
}

export function make_stage(page, selection, figure) {
  return new Stage(page, selection, figure);
}
