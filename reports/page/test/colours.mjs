// SPDX-License-Identifier: Apache-2.0
// Colours of configurations: told apart by the colour-blind, and 3:1 or more against the ground, in both themes.
import {readFileSync} from "node:fs";
import {dirname, join} from "node:path";
import {fileURLToPath} from "node:url";

const css = readFileSync(join(dirname(fileURLToPath(import.meta.url)), "../page.css"), "utf8");

/// Simulation of complete red and green blindness on linear RGB (Viénot, Brettel, Mollon 1999).
const kSights = {
  normal: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.11238, 0.88762, 0],
    [0.11238, 0.88762, 0],
    [0.00401, -0.00401, 1],
  ],
  deuteranopia: [
    [0.29275, 0.70725, 0],
    [0.29275, 0.70725, 0],
    [-0.02234, 0.02234, 1],
  ],
};
const kLeastDistance = {normal: 0.12, protanopia: 0.1, deuteranopia: 0.1};

function colours_of(theme) {
  const block =
    theme === "light"
      ? css.slice(css.indexOf(":root {"), css.indexOf("@media screen"))
      : css.slice(css.indexOf('[data-theme="dark"]'));
  const one = (name) => new RegExp(`--${name}: (#[0-9a-f]+)`).exec(block)[1];
  return {paper: one("paper"), all: [1, 2, 3, 4, 5, 6, 7, 8].map((i) => one(`c${i}`))};
}

function linear(hex) {
  const long = hex.length === 4 ? hex.replace(/[0-9a-f]/g, "$&$&") : hex;
  return [1, 3, 5]
    .map((i) => parseInt(long.slice(i, i + 2), 16) / 255)
    .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
}

function seen(rgb, sight) {
  return kSights[sight].map((line) =>
    Math.max(
      0,
      line.reduce((sum, share, i) => sum + share * rgb[i], 0),
    ),
  );
}

function luminance([r, g, b]) {
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/// OKLab, in which equal distances look equal (Ottosson 2020).
function oklab([r, g, b]) {
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

function too_near(all, sight) {
  const places = all.map((hex) => oklab(seen(linear(hex), sight)));
  const wrong = [];
  places.forEach((a, i) =>
    places.slice(0, i).forEach((b, j) => {
      const distance = Math.hypot(...a.map((value, k) => value - b[k]));
      if (distance < kLeastDistance[sight])
        wrong.push(`c${j + 1} ${all[j]} and c${i + 1} ${all[i]}: ${distance.toFixed(3)}`);
    }),
  );
  return wrong;
}

export function test_colours({check}) {
  for (const theme of ["light", "dark"]) {
    const {paper, all} = colours_of(theme);
    for (const sight of Object.keys(kSights))
      check(`${theme}: eight colours differ for ${sight} sight`, too_near(all, sight));
    const ground = luminance(linear(paper));
    const faint = all.filter((hex) => {
      const [low, high] = [luminance(linear(hex)), ground].sort((a, b) => a - b);
      return (high + 0.05) / (low + 0.05) < 3;
    });
    check(`${theme}: each colour has 3:1 against the ground`, faint);
  }
}
