// SPDX-License-Identifier: Apache-2.0
// Looks, as far as they can be measured: nothing too wide, no texts on each other, enough contrast.
import {join} from "node:path";
import {keep_picture, open_page, resize} from "./browser.mjs";

const kWidths = [360, 768, 1440, 2560];
const kSamplesShown = ["sweep", "compare", "noise", "tiny", "one", "run", "node", "estimate", "large"];

export function too_wide(page) {
  return page.evaluate(() => {
    const over = document.documentElement.scrollWidth - document.documentElement.clientWidth;
    return over > 0 ? `${over} px too wide` : null;
  });
}

/// Texts of a plot that touch each other or leave the window.
export function touching_texts(page) {
  return page.evaluate(() => {
    const wrong = [];
    for (const plot of document.querySelectorAll("svg.plot")) {
      const texts = Array.from(plot.querySelectorAll("text")).filter((text) => text.textContent.trim());
      const boxes = texts.map((text) => text.getBoundingClientRect());
      boxes.forEach((a, i) => {
        if (a.left < -1 || a.right > innerWidth + 1)
          wrong.push(`${plot.closest("section").id}: '${texts[i].textContent}' leaves the window`);
        boxes.slice(0, i).forEach((b, j) => {
          const x = Math.min(a.right, b.right) - Math.max(a.left, b.left);
          const y = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
          if (x > 1 && y > 2)
            wrong.push(`${plot.closest("section").id}: '${texts[j].textContent}' and '${texts[i].textContent}'`);
        });
      });
    }
    return wrong;
  });
}

/// Texts of plots with less than 4.5:1; axe looks at the others.
export function faint_texts(page) {
  return page.evaluate(() => {
    const channel = (value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
    const luminance = (colour) => {
      const [r, g, b] = colour.match(/[\d.]+/g).map((one) => channel(Number(one) / 255));
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const ground = luminance(getComputedStyle(document.body).backgroundColor);
    const wrong = new Set();
    for (const text of document.querySelectorAll("svg.plot text")) {
      const fill = getComputedStyle(text).fill;
      const [low, high] = [luminance(fill), ground].sort((a, b) => a - b);
      if ((high + 0.05) / (low + 0.05) < 4.5) wrong.add(`${text.textContent}: ${fill}`);
    }
    return Array.from(wrong);
  });
}

export async function test_layout({browser, samples, check, keep}) {
  for (const name of kSamplesShown)
    for (const theme of name === "large" ? ["light"] : ["light", "dark"]) {
      const page = await open_page(browser, join(samples, `${name}.html`), {width: kWidths[0], theme});
      for (const width of kWidths) {
        await resize(page, width);
        const where = `${name}, ${width} px, ${theme}`;
        check(`${where}: as wide as the window`, await too_wide(page));
        check(`${where}: no texts of plots touch`, await touching_texts(page));
        check(`${where}: texts of plots have 4.5:1`, await faint_texts(page));
        await keep_picture(page, keep, `${name}-${width}-${theme}`);
      }
      check(`${name}, ${theme}: nothing in the console, no request`, page.wrongs);
      await page.close();
    }
}
