// SPDX-License-Identifier: Apache-2.0
// The link matrix: how much slower each pair of nodes is than the others.
import {svg_el} from "../dom.js";
import {cut_text} from "../names.js";
import {is_number, signed_percent_text} from "../numbers.js";
import {suspect_pairs} from "../sections.js";
import {text_width} from "./base.js";

const kSteps = 4; // shades on each side of "as the others"
const kMostPoints = 10000;
const kLegendHeight = 44;
const kLineHeight = 16; // of names, in any browser

/// The number of a shade, from -4 (faster) to 4 (slower).
function shade_of(effect, most) {
  return Math.max(-kSteps, Math.min(kSteps, Math.round((effect / most) * (kSteps + 0.49))));
}

function shade_colour(shade) {
  return shade === 0 ? "var(--d0)" : shade < 0 ? `var(--dm${-shade})` : `var(--dp${shade})`;
}

function largest_effect(links) {
  const sizes = links.effect
    .flat()
    .filter(is_number)
    .map(Math.abs)
    .sort((a, b) => a - b);
  return Math.max(0.01, sizes[Math.floor(sizes.length * 0.98)] ?? 0.01);
}

function scale_legend(most, left, y) {
  const group = svg_el("g", {class: "labels"});
  for (let shade = -kSteps; shade <= kSteps; ++shade) {
    group.append(
      svg_el("rect", {x: left + (shade + kSteps) * 22, y, width: 22, height: 10, fill: shade_colour(shade)}),
    );
  }
  const texts = [
    [0, signed_percent_text(-most)],
    [99, "0 %"],
    [198, signed_percent_text(most)],
  ];
  for (const [x, text] of texts) {
    const anchor = x === 0 ? "start" : x === 198 ? "end" : "middle";
    group.append(svg_el("text", {x: left + x, y: y + 25, "text-anchor": anchor}, text));
  }
  return group;
}

/// Names beside rows and above columns, only so many as have room.
function axis_names(links, left, top, size) {
  const group = svg_el("g", {class: "labels"});
  const step = Math.ceil(kLineHeight / size);
  links.nodes.forEach((name, i) => {
    if (i % step) return;
    const text = cut_text(name, 14);
    const at = (i + 0.5) * size;
    group.append(svg_el("text", {x: left - 6, y: top + at, dy: "0.32em", "text-anchor": "end"}, text));
    group.append(
      svg_el(
        "text",
        {transform: `translate(${left + at},${top - 6}) rotate(-90)`, dy: "0.32em", "text-anchor": "start"},
        text,
      ),
    );
  });
  return group;
}

function cells(links, left, top, size, most) {
  const paths = new Map();
  const points = {x: [], y: [], row: [], pair: []};
  links.effect.forEach((line, i) =>
    line.forEach((effect, j) => {
      if (!is_number(effect)) return;
      const [x, y] = [left + j * size, top + i * size];
      const gap = size > 6 ? 1 : 0;
      const shade = shade_of(effect, most);
      paths.set(shade, `${paths.get(shade) ?? ""}M${x} ${y}h${size - gap}v${size - gap}h-${size - gap}z`);
      if (points.x.length < kMostPoints) {
        points.x.push(x + size / 2);
        points.y.push(y + size / 2);
        points.row.push(null);
        points.pair.push([i, j]);
      }
    }),
  );
  return {points, paths: Array.from(paths, ([shade, d]) => svg_el("path", {d, fill: shade_colour(shade)}))};
}

/// Frames have a rim in the colour of the ground, so that they are seen on light and dark cells.
function frames(links, left, top, size) {
  const rim = (name, [i, j]) =>
    svg_el("rect", {class: name, x: left + j * size - 1, y: top + i * size - 1, width: size + 1, height: size + 1});
  const all = links.suspects ?? [];
  return [...all.map((pair) => rim("suspect-rim", pair)), ...all.map((pair) => rim("suspect", pair))];
}

export function plot_links(page, width) {
  const {links} = page.doc;
  const count = links.nodes.length;
  const room = Math.min(100, Math.max(...links.nodes.map((name) => text_width(cut_text(name, 14)))) + 10);
  const size = Math.max(2, Math.min(26, Math.floor((Math.min(width, 900) - room - 4) / count)));
  const most = largest_effect(links);
  const side = count * size;
  const made = cells(links, room, room, size, most);
  const whole = {
    width: Math.min(width, Math.max(room + side + 4, room + 204)),
    height: room + side + 12 + kLegendHeight,
  };
  const svg = svg_el(
    "svg",
    {class: "plot", ...whole, viewBox: `0 0 ${whole.width} ${whole.height}`, fill: "currentColor"},
    axis_names(links, room, room, size),
    svg_el("g", {class: "marks"}, made.paths),
    frames(links, room, room, size),
    scale_legend(most, room, room + side + 12),
  );
  const name = ([i, j]) => `${links.nodes[i]} → ${links.nodes[j]}`;
  const is_suspect = ([i, j]) => (links.suspects ?? []).some(([a, b]) => a === i && b === j);
  const lines = (k) => {
    const pair = made.points.pair[k];
    return [
      name(pair),
      `${signed_percent_text(links.effect[pair[0]][pair[1]])} to the other links`,
      is_suspect(pair) ? "suspect" : null,
    ].filter(Boolean);
  };
  const suspects = suspect_pairs(links).slice(0, 12).join(", ");
  return {
    svg,
    points: {...made.points, lines, radius: size / 2},
    words: suspects ? `Suspect: ${suspects}.` : "No link is suspect.",
  };
}
