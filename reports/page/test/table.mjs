// SPDX-License-Identifier: Apache-2.0
// The table: sorting, filter, columns, keyboard, virtual rows.
import {join} from "node:path";
import {open_page, settle} from "./browser.mjs";

const names = (page) => page.$$eval("table.results tbody tr[data-row] .row-name", (all) => all.map((one) => one.title));
const column = (page, name) =>
  page.evaluate((wanted) => {
    const heads = Array.from(document.querySelectorAll("table.results thead th"));
    const at = heads.findIndex((th) => th.dataset.column === wanted);
    return Array.from(
      document.querySelectorAll("table.results tbody tr[data-row]"),
      (tr) => tr.children[at].textContent,
    );
  }, name);
const press_head = (page, name) =>
  page.evaluate((wanted) => document.querySelector(`th[data-column="${wanted}"] button`).click(), name);
const sort_of = (page, name) => page.$eval(`th[data-column="${name}"]`, (th) => th.getAttribute("aria-sort"));

async function type_filter(page, text) {
  await page.$eval("#filter", (input) => {
    input.value = "";
  });
  await page.type("#filter", text || " ");
  await settle(page);
}

async function test_sorting(page, check) {
  const before = await names(page);
  await press_head(page, "tflops");
  const high = (await column(page, "tflops")).filter((text) => text !== "–").map(Number);
  check(
    "a press sorts by a column, the better end first",
    high.every((value, i) => !i || high[i - 1] >= value) ? null : high.join(" "),
  );
  check("aria-sort says so", (await sort_of(page, "tflops")) === "descending" ? null : await sort_of(page, "tflops"));
  await press_head(page, "tflops");
  const low = (await column(page, "tflops")).filter((text) => text !== "–").map(Number);
  check(
    "a second press turns the order",
    low.every((value, i) => !i || low[i - 1] <= value) && (await sort_of(page, "tflops")) === "ascending"
      ? null
      : low.join(" "),
  );
  const last = (await column(page, "tflops")).slice(-1)[0];
  check("what was not measured stays last", last === "–" ? null : last);
  await press_head(page, "tflops");
  check(
    "a third press brings the report's order back",
    (await names(page)).join() === before.join() ? null : "another order",
  );
}

async function test_filtering(page, check) {
  await type_filter(page, "tp == 4 && step_time < 100s");
  const tps = new Set(await column(page, "tp"));
  check("the filter takes clauses", tps.size === 1 && tps.has("4") ? null : Array.from(tps).join());
  const count = await page.$eval(".count", (one) => one.textContent);
  check("the count is told", /^\d+ of 69 rows$/.test(count) ? null : count);
  await type_filter(page, "oom");
  const states = new Set(await column(page, "state"));
  check("the filter takes words", states.size === 1 && states.has(" oom") ? null : Array.from(states).join());
  await type_filter(page, "mbx == 4");
  const complaint = await page.$eval("#filter-complaint", (one) => one.textContent);
  check("a wrong name is answered with a like one", complaint.includes("did you mean 'mbs'?") ? null : complaint);
  await type_filter(page, "no such thing");
  const none = await page.$eval("table.results tbody", (one) => one.textContent);
  check("no match is said", none === "No row passes the filter." ? null : none);
  await type_filter(page, "");
  check("an empty filter shows all", (await names(page)).length === 69 ? null : `${(await names(page)).length}`);
}

async function test_columns(page, check) {
  const toggle = (title) =>
    page.evaluate((wanted) => {
      const label = Array.from(document.querySelectorAll(".chooser label")).find(
        (one) => one.textContent.trim() === wanted,
      );
      label.querySelector("input").click();
    }, title);
  const has = (name) => page.$(`th[data-column="${name}"]`).then(Boolean);
  check("a hidden column is not shown", (await has("dp")) ? "dp is there" : null);
  await page.click(".chooser summary");
  await toggle("DP");
  check("a chosen column appears", (await has("dp")) ? null : "no dp");
  await toggle("DP");
  check("and goes again", (await has("dp")) ? "dp is there" : null);
  await page.keyboard.press("Escape");
  const open = await page.$eval(".chooser", (one) => one.open);
  check("Escape closes the choice of columns", open ? "open" : null);
}

async function test_keyboard(page, check) {
  await page.focus('th[data-column="step_time_s"] button');
  await page.keyboard.press("Enter");
  check(
    "Enter sorts",
    (await sort_of(page, "step_time_s")) === "ascending" ? null : await sort_of(page, "step_time_s"),
  );
  const focused = await page.evaluate(() => document.activeElement.closest("th")?.dataset.column);
  check("the focus stays on the title", focused === "step_time_s" ? null : focused);
  await page.focus("table.results tbody .row-name");
  await page.keyboard.press("ArrowDown");
  const row = await page.evaluate(() => document.activeElement.closest("tr")?.getAttribute("aria-rowindex"));
  check("arrow keys go through rows", row === "3" ? null : row);
  await page.keyboard.press("Enter");
  const pressed = await page.evaluate(() => document.activeElement.getAttribute("aria-pressed"));
  check("Enter highlights a row", pressed === "true" ? null : pressed);
  await settle(page);
  const rings = await page.$$eval("#runs .rings circle", (all) => all.length);
  check("its runs are marked in the plot", rings > 0 ? null : "no ring");
  const bar = await page.$eval(".highlight", (one) => !one.hidden);
  check("the foot of the window says which", bar ? null : "hidden");
  await page.keyboard.press("Escape");
  check("Escape ends it", (await page.$eval(".highlight", (one) => one.hidden)) ? null : "still there");
  await press_head(page, "step_time_s");
  await press_head(page, "step_time_s");
}

async function test_many_rows({browser, samples, check}) {
  const page = await open_page(browser, join(samples, "large.html"));
  const shape = await page.evaluate(() => ({
    rows: document.querySelectorAll("table.results tbody tr[data-row]").length,
    count: document.querySelector("table.results").getAttribute("aria-rowcount"),
    height: document.querySelector(".table-region").scrollHeight,
  }));
  check("of 5,000 rows only those in sight are in the document", shape.rows < 120 ? null : `${shape.rows}`);
  check("aria-rowcount tells all", shape.count === "5001" ? null : shape.count);
  check("the region is as high as all rows", Math.abs(shape.height - 5000 * 32 - 44) < 4 ? null : `${shape.height}`);
  await page.$eval(".table-region", (region) => {
    region.scrollTop = 2500 * 32;
  });
  await settle(page);
  const seen = await page.evaluate(() => {
    const region = document.querySelector(".table-region").getBoundingClientRect();
    const tr = document.elementFromPoint(region.left + 200, region.top + region.height / 2).closest("tr");
    return Number(tr.getAttribute("aria-rowindex"));
  });
  check("rows in the middle are there after scrolling", Math.abs(seen - 2515) < 20 ? null : `${seen}`);
  await page.focus("table.results tbody .row-name");
  for (let i = 0; i < 60; ++i) await page.keyboard.press("ArrowDown");
  const focus = await page.evaluate(() => document.activeElement.className);
  check("the focus goes on beyond what was drawn", focus === "row-name" ? null : focus);
  check("large: nothing in the console, no request", page.wrongs);
  await page.close();
}

export async function test_table(context) {
  const {browser, samples, check} = context;
  const page = await open_page(browser, join(samples, "sweep.html"));
  await test_sorting(page, check);
  await test_filtering(page, check);
  await test_columns(page, check);
  await test_keyboard(page, check);
  check("table: nothing in the console, no request", page.wrongs);
  await page.close();
  await test_many_rows(context);
}
