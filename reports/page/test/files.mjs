// SPDX-License-Identifier: Apache-2.0
// CSV and SVG: what the buttons save.
import {existsSync, mkdtempSync, readdirSync, readFileSync, rmSync} from "node:fs";
import {tmpdir} from "node:os";
import {join} from "node:path";
import {pathToFileURL} from "node:url";
import {open_page} from "./browser.mjs";

async function saved(page, folder, label, name) {
  await page.evaluate((wanted) => document.querySelector(`button[aria-label="${wanted}"]`).click(), label);
  const file = join(folder, name);
  for (let i = 0; i < 100 && !existsSync(file); ++i) await new Promise((done) => setTimeout(done, 50));
  return existsSync(file) ? readFileSync(file, "utf8") : `no file ${name}, but ${readdirSync(folder).join()}`;
}

function wrong_lines(text, title, count) {
  const lines = text.split("\n");
  const wrong = [];
  if (!lines[0].startsWith(title)) wrong.push(`first line: ${lines[0]}`);
  if (lines.length !== count + 2) wrong.push(`${lines.length - 2} lines instead of ${count}`);
  return wrong;
}

async function test_csv(page, folder, doc, check) {
  const table = await saved(page, folder, "CSV of the table", "gpt-52b.csv");
  check(
    "the table's CSV has all rows",
    wrong_lines(table, "name,state,gpus,tp,pp,mbs,gas,step_time_s,tflops", doc.rows.name.length),
  );
  const exact = `${doc.rows.name[0]},ok,`;
  check(
    "in full digits",
    table.includes(exact) && table.includes(String(doc.rows.mean_s[0])) ? null : table.slice(0, 300),
  );
  const runs = await saved(page, folder, "CSV: Every run over time", "gpt-52b-runs.csv");
  check(
    "the runs' CSV has all runs",
    wrong_lines(runs, "run,configuration,campaign,allocation,started_at,mean_s,state", doc.runs.row.length),
  );
  check(
    "with whole names",
    runs.includes(`${doc.rows.name[doc.runs.row[0]]}${doc.runs.name[0]},`) ? null : runs.slice(0, 300),
  );
  const budget = await saved(page, folder, "CSV: Where the noise comes from", "gpt-52b-budget.csv");
  check("the noise budget's CSV is exact", budget.includes("allocation,0.49,0.031,0.022,0.053") ? null : budget);
}

async function test_svg(browser, page, folder, check) {
  for (const id of ["runs", "scaling", "axis", "budget", "nodes", "links"]) {
    const title = await page.$eval(`#${id} h2`, (one) => one.textContent);
    const text = await saved(page, folder, `SVG: ${title}`, `gpt-52b-${id}.svg`);
    const wrong = [];
    if (!text.startsWith("<?xml")) wrong.push(text.slice(0, 200));
    if (text.includes("var(--")) wrong.push("a colour depends on the page");
    if (!text.includes("<style")) wrong.push("the library's rules are missing");
    if (/class="rings?"/.test(text)) wrong.push("the highlight is in it");
    const alone = await browser.newPage();
    await alone.goto(pathToFileURL(join(folder, `gpt-52b-${id}.svg`)).href);
    if ((await alone.evaluate(() => document.documentElement.localName)) !== "svg") wrong.push("no valid XML");
    await alone.close();
    check(`the SVG of ${id} stands on its own`, wrong);
  }
}

export async function test_files({browser, samples, check}) {
  const folder = mkdtempSync(join(tmpdir(), "pippin-files-"));
  const session = await browser.target().createCDPSession();
  await session.send("Browser.setDownloadBehavior", {behavior: "allow", downloadPath: folder});
  const doc = JSON.parse(readFileSync(join(samples, "sweep.json"), "utf8"));
  const page = await open_page(browser, join(samples, "sweep.html"), {theme: "dark"});
  await test_csv(page, folder, doc, check);
  await test_svg(browser, page, folder, check);
  const theme = await page.evaluate(() => document.documentElement.dataset.theme);
  check("saving leaves the theme as it was", theme === "dark" ? null : theme);
  check("files: nothing in the console, no request", page.wrongs);
  await page.close();
  rmSync(folder, {recursive: true, force: true});
}
