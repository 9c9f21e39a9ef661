// SPDX-License-Identifier: Apache-2.0
// Hostile texts in every text field stay text and break nothing.
import {readFileSync, writeFileSync} from "node:fs";
import {join} from "node:path";
import {fill_page, kSamples} from "../sample.mjs";
import {keep_picture, open_page, settle} from "./browser.mjs";
import {hostile_texts} from "./hostile_texts.mjs";

const kKept = new Set(["kind", "better", "id"]); // words of the document itself, not text of users

/// Puts another text in the place of each.
function poison(value, next, key) {
  if (typeof value === "string") return kKept.has(key) ? value : next();
  if (Array.isArray(value)) return value.map((one) => poison(one, next, key));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, poison(one, next, name)]));
}

function poisoned_documents() {
  const texts = hostile_texts();
  return ["sweep", "compare", "noise", "run", "node", "estimate"].map((name, turn) => {
    let i = turn * 67;
    return [name, poison(kSamples[name](), () => texts[i++ % texts.length])];
  });
}

/// All 200 as the names of rows, so that each is seen.
function document_of_names() {
  const texts = hostile_texts();
  const ones = texts.map(() => 1);
  return {
    format: 1,
    kind: "report",
    title: texts[0],
    command: texts[1],
    said: texts,
    methods: texts[2],
    remarks: texts,
    columns: [{name: texts[3], title: texts[4], kind: "text", shown: true}],
    rows: {
      state: texts.map((text, i) => (i % 2 ? "ok" : text)),
      name: texts,
      cells: [texts],
      values: [texts],
      low_s: ones,
      mean_s: ones,
      high_s: ones,
      reason: texts,
      notes: texts.map((text) => [text]),
    },
    axes: [
      {name: texts[5], title: texts[6], values: texts},
      {name: "__proto__", title: "constructor", values: texts.map((_, i) => `v${i % 3}`)},
    ],
    gpus: texts.map((_, i) => 2 ** (i % 4)),
    tflops: ones,
    samples_per_s: ones,
    runs: {
      row: texts.map((_, i) => i),
      name: texts,
      campaign: texts.map((_, i) => i),
      allocation: texts.map((_, i) => i),
      started_at: texts.map((_, i) => 1.79e9 + 3600 * i),
      mean_s: ones,
      state: texts.map((_, i) => i),
      in_mean: ones,
    },
    run_texts: Object.fromEntries(texts.map((text, i) => [i, {reason: text, note: text}])),
    campaigns: texts.map((text) => ({name: text, tags: [text]})),
    allocations: texts,
    states: texts,
    budget: [{level: texts[7], share: 0.5, cv: 0.01, low: 0.005, high: 0.02}],
    nodes: {names: texts, effect: ones, low: ones, high: ones, suspect: ones.map(Boolean), allocations: ones},
    links: null,
    ratios: null,
  };
}

async function foreign_elements(page) {
  return page.evaluate(() => {
    const wrong = [];
    for (const name of ["x-hostile", "img", "iframe", "form", "base", "math", "template", "object", "embed"])
      if (document.querySelector(name)) wrong.push(`<${name}>`);
    if (document.scripts.length !== 2) wrong.push(`${document.scripts.length} scripts`);
    if (document.querySelectorAll("style").length !== 1) wrong.push("another <style>");
    if (document.querySelector("[onerror],[onload],[ontoggle],[style*='display:none'],a[href^='javascript']"))
      wrong.push("a handler");
    if (document.documentElement.scrollWidth > innerWidth) {
      const wide = Array.from(document.querySelectorAll("body *")).filter(
        (one) => one.getBoundingClientRect().right > innerWidth + 1 && !one.closest(".table-region, .data-region, svg"),
      );
      wrong.push(
        `${document.documentElement.scrollWidth - innerWidth} px too wide: ${wide
          .slice(0, 3)
          .map((one) => one.outerHTML.slice(0, 120))
          .join(" ")}`,
      );
    }
    return wrong;
  });
}

async function use_everything(page) {
  await page.evaluate(() =>
    document.querySelectorAll("details").forEach((one) => {
      one.open = true;
    }),
  );
  await page.evaluate(() => document.querySelectorAll("thead button").forEach((one) => one.click()));
  await page.evaluate(() =>
    Array.from(document.querySelectorAll("select option"), (option) => {
      option.parentElement.value = option.value;
      option.parentElement.dispatchEvent(new Event("change"));
    }),
  );
  await page.evaluate(() => document.querySelector(".row-name")?.click());
  const holder = await page.$("#runs .plot-holder");
  if (holder) {
    await holder.focus();
    for (let i = 0; i < 40; ++i) await page.keyboard.press("ArrowRight");
  }
  await page.evaluate(() => document.querySelectorAll(".buttons button").forEach((one) => one.click()));
  await settle(page);
}

async function test_document({browser, samples, build, check, keep}, name, doc) {
  const template = readFileSync(join(build, "page.html"), "utf8");
  const file = join(samples, `hostile-${name}.html`);
  writeFileSync(file, fill_page(template, doc));
  for (const width of [360, 1440]) {
    const page = await open_page(browser, file, {width});
    await keep_picture(page, keep && width === 1440 ? keep : null, `hostile-${name}`);
    await use_everything(page);
    check(`hostile ${name}, ${width} px: nothing but text`, [...page.wrongs, ...(await foreign_elements(page))]);
    if (name === "names") await test_said(page, doc, check, width);
    await page.close();
  }
}

async function test_said(page, doc, check, width) {
  const said = await page.$$eval(".said p", (all) => all.map((one) => one.textContent));
  // What is no Unicode is replaced on the way to the browser.
  const legal = (text) => new TextDecoder().decode(new TextEncoder().encode(text));
  check(
    `hostile names, ${width} px: each text is there as it is`,
    doc.said.filter((text, i) => legal(said[i] ?? "") !== legal(text)),
  );
}

export async function test_hostile(context) {
  const {check} = context;
  check("there are 200 hostile texts or more", hostile_texts().length >= 200 ? null : `${hostile_texts().length}`);
  for (const [name, doc] of poisoned_documents()) await test_document(context, name, doc);
  await test_document(context, "names", document_of_names());
}
