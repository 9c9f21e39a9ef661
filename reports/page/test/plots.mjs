// SPDX-License-Identifier: Apache-2.0
// Plots: which there are, what they say to pointer, keys and screen readers, and the choices.
import {readFileSync, writeFileSync} from "node:fs";
import {join} from "node:path";
import {fill_page, kSamples} from "../sample.mjs";
import {open_page, settle} from "./browser.mjs";

const kExpected = {
  sweep: "table runs scaling axis phases budget nodes links methods",
  tiny: "table runs scaling axis",
  compare: "ratios table runs scaling axis",
  noise: "budget nodes links table runs phases",
  one: "table runs",
  empty: "",
  estimate: "sheet-layout sheet-stages stacks-stages sheet-time stacks-time",
  "without-plots": "table runs scaling axis phases budget nodes links methods",
};

async function test_sections({browser, samples, check}) {
  for (const [name, expected] of Object.entries(kExpected)) {
    const page = await open_page(browser, join(samples, `${name}.html`));
    const got = await page.$$eval("main > section", (all) => all.map((one) => one.id).join(" "));
    check(`${name}: only the parts that have data`, got === expected ? null : got);
    check(`${name}: nothing in the console, no request`, page.wrongs);
    await page.close();
  }
}

/// Tables that were kept by hand say of no run when it was.
async function test_without_moments({browser, samples, build, check}) {
  const doc = kSamples.tiny();
  doc.runs.started_at = doc.runs.started_at.map(() => null);
  const file = join(samples, "without-moments.html");
  writeFileSync(file, fill_page(readFileSync(join(build, "page.html"), "utf8"), doc));
  const page = await open_page(browser, file);
  check("runs of which no moment is known are not drawn over time", (await page.$("#runs")) ? "they are" : null);
  await page.close();
}

async function test_words({browser, samples, check}) {
  const page = await open_page(browser, join(samples, "without-plots.html"));
  const words = await page.$eval(".no-plots", (one) => one.textContent);
  check("without plots the page says why", words.includes("built without npm") ? null : words);
  const shown = await page.evaluate(() =>
    [document.querySelectorAll(".plot").length, document.querySelectorAll("details.behind[open] table").length].join(),
  );
  check("and shows tables in their place", shown === "0,7" ? null : shown);
  await page.close();
}

async function test_hover(page, check) {
  const place = await page.$eval("#runs .plot .dot, #runs .plot .small-dot", (dot) => {
    dot.scrollIntoView({block: "center", behavior: "instant"});
    const box = dot.getBoundingClientRect();
    return [box.x + box.width / 2, box.y + box.height / 2];
  });
  await page.mouse.move(...place);
  await settle(page);
  const tip = await page.$eval(".tip", (one) => (one.hidden ? "" : one.innerText));
  const wanted = [/52b-tp/, /step time [\d.]+\ss/, /allocation 44102/, /UTC/];
  check(
    "the pointer shows name, time, allocation and moment",
    wanted.filter((one) => !one.test(tip)).map((one) => `${one} is not in ${tip}`),
  );
  const current = await page.$$eval("tr.current", (all) => all.length);
  check("and highlights the row in the table", current <= 1 ? null : `${current} rows`);
  await page.mouse.move(1, 1);
}

async function test_keys(page, check) {
  await page.focus("#runs .plot-holder");
  await page.keyboard.press("End");
  await page.keyboard.press("ArrowLeft");
  const spoken = await page.$eval(".unseen[role=status]", (one) => one.textContent);
  check("arrow keys speak a run", /52b-tp.*UTC/.test(spoken) ? null : spoken);
  await page.keyboard.press("Enter");
  await settle(page);
  check(
    "Enter keeps its configuration highlighted",
    (await page.$eval(".highlight", (one) => one.hidden)) ? "hidden" : null,
  );
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
}

async function test_choices(page, check) {
  const texts = () => page.$eval("#axis .plot", (svg) => svg.textContent);
  const before = await texts();
  await page.select("#axis .controls label:nth-child(2) select", "pp");
  await page.select("#axis .controls label:nth-child(3) select", "mbs");
  await page.select("#axis .controls label:nth-child(1) select", "tflops");
  const after = await texts();
  check(
    "axis, facet and measure are chosen in the page",
    after !== before && after.includes("MBS 4") && after.includes("TFLOPS per GPU") ? null : after,
  );
  await page.select("#runs .controls label:nth-child(1) select", "time");
  await page.select("#runs .controls label:nth-child(2) select", "order");
  const label = await page.$eval("#runs .plot", (svg) => svg.textContent);
  check("runs are shown by time and evenly spaced, too", label.includes("step time (s)") ? null : label);
}

async function test_alternatives(page, check) {
  const bare = await page.$$eval(
    "svg.plot",
    (all) => all.filter((svg) => svg.getAttribute("role") !== "img" || !svg.getAttribute("aria-label")).length,
  );
  check("each plot has words for screen readers", bare ? `${bare} have none` : null);
  await page.$$eval("details.behind", (all) =>
    all.forEach((one) => {
      one.open = true;
    }),
  );
  await settle(page);
  const empty = await page.$$eval(
    "details.behind",
    (all) => all.filter((one) => !one.querySelector("tbody tr")).length,
  );
  check("and its data as a table", empty ? `${empty} have none` : null);
}

async function test_theme(page, check) {
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await ground();
  await page.click(".theme");
  await page.click(".theme");
  check("the button makes the page dark", (await ground()) === light ? light : null);
  await page.click(".theme");
  check("and gives it back to the system", (await ground()) === light ? null : await ground());
}

export async function test_plots(context) {
  await test_sections(context);
  await test_without_moments(context);
  await test_words(context);
  const {browser, samples, check} = context;
  const page = await open_page(browser, join(samples, "sweep.html"));
  for (const test of [test_hover, test_keys, test_choices, test_alternatives, test_theme]) await test(page, check);
  check("plots: nothing in the console, no request", page.wrongs);
  await page.close();
}
