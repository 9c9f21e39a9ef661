// SPDX-License-Identifier: Apache-2.0
// How fast the largest page is: node test/speed.mjs CHROMIUM PAGE.html. Prints figures and judges nothing.
import {statSync} from "node:fs";
import {open_page, start_browser} from "./browser.mjs";

const [chromium, file] = process.argv.slice(2);
if (!file) {
  console.error("usage: node test/speed.mjs CHROMIUM PAGE.html");
  process.exit(2);
}

/// Milliseconds of an action in the page, with the drawing that follows; the middle of five.
async function timed(page, action) {
  return page.evaluate(async (source) => {
    const run = (0, eval)(source);
    const times = [];
    for (let i = 0; i < 5; ++i) {
      const start = performance.now();
      run(i);
      await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
      times.push(performance.now() - start);
    }
    return times.sort((a, b) => a - b)[2];
  }, `(${action})`);
}

async function longest_frame(page) {
  return page.evaluate(async () => {
    const region = document.querySelector(".table-region");
    region.scrollIntoView({behavior: "instant"});
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    let last = await frame();
    let longest = 0;
    for (let i = 0; i < 120; ++i) {
      region.scrollTop += 400;
      const now = await frame();
      longest = Math.max(longest, now - last);
      last = now;
    }
    return longest;
  });
}

const browser = await start_browser(chromium);
const start = Date.now();
const page = await open_page(browser, file);
const whole = Date.now() - start;
const marks = await page.evaluate(() =>
  Object.fromEntries(performance.getEntriesByType("mark").map((mark) => [mark.name, mark.startTime])),
);
const milliseconds = (value) => `${Math.round(value)} ms`;
console.log(`page                 ${(statSync(file).size / 1e6).toFixed(2)} MB`);
console.log(`table shown after    ${milliseconds(marks["table shown"])}`);
console.log(
  `all plots after      ${milliseconds(marks["plots shown"])} (${milliseconds(whole)} with the browser's own start of a page)`,
);
console.log(
  `sort                 ${milliseconds(await timed(page, () => document.querySelector('th[data-column="step_time_s"] button').click()))}`,
);
console.log(
  `filter               ${milliseconds(
    await timed(page, (i) => {
      const input = document.querySelector("#filter");
      input.value = ["tp == 4", "tp1", "step_time < 1s", "pp16", ""][i];
      input.dispatchEvent(new Event("input"));
    }),
  )}`,
);
console.log(
  `highlight a row      ${milliseconds(await timed(page, () => document.querySelector(".row-name").click()))}`,
);
console.log(`longest frame while scrolling ${milliseconds(await longest_frame(page))}`);
await browser.close();
