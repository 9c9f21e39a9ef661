// SPDX-License-Identifier: Apache-2.0
// Pages that pippin itself wrote: they look as they should, and say the same figures as CSV.
import {existsSync, readFileSync, readdirSync} from "node:fs";
import {join} from "node:path";
import {axe_findings} from "./access.mjs";
import {keep_picture, open_page, resize, settle} from "./browser.mjs";
import {faint_texts, too_wide, touching_texts} from "./layout.mjs";

/// The rows of a CSV file, quoted cells and all.
function rows_of_csv(text) {
  const rows = [[""]];
  let quoted = false;
  for (let i = 0; i < text.length; ++i) {
    const row = rows[rows.length - 1];
    const letter = text[i];
    if (letter === '"' && quoted && text[i + 1] === '"') row[row.length - 1] += text[++i];
    else if (letter === '"') quoted = !quoted;
    else if (letter === "," && !quoted) row.push("");
    else if (letter === "\n" && !quoted) rows.push([""]);
    else row[row.length - 1] += letter;
  }
  return rows.filter((row) => row.length > 1);
}

/// By the row's name: its cells by column. Layouts of an estimate are named by their id.
function records_of(file) {
  const [titles, ...rows] = rows_of_csv(readFileSync(file, "utf8"));
  const records = rows.map((row) => Object.fromEntries(row.map((cell, i) => [titles[i], cell])));
  return new Map(records.map((record) => [record.point ?? record.id, record]));
}

/// Every cell that a reader can see, by the names of row and column.
async function shown_cells(page) {
  await page.$$eval(".chooser input", (all) => all.forEach((one) => one.checked || one.click()));
  await settle(page);
  return page.evaluate(() => {
    const heads = Array.from(document.querySelectorAll(".results thead th"), (one) => one.dataset.column ?? "");
    return Array.from(document.querySelectorAll(".results tbody tr"), (row) => ({
      name: row.querySelector(".row-name")?.title || row.querySelector(".row-name")?.textContent || "",
      cells: Array.from(row.children, (cell, i) => [heads[i], cell.textContent.trim()]),
    }));
  });
}

/// Whether a text begins with a number rounded from `value`, or a share of it in percent.
function is_rounded(text, value) {
  const number = /^[+\u2212-]?[\d.]+/.exec(text)?.[0];
  if (number === undefined) return false;
  const decimals = number.split(".")[1]?.length ?? 0;
  const shown = Number(number.replace("\u2212", "-"));
  const scales = /^[\d.]+\s*%/.test(text) ? [100] : [1, 1e3, 1e6];
  return scales.some((scale) => Math.abs(shown - value * scale) <= 0.5000001 * 10 ** -decimals);
}

async function test_figures(context, name, page) {
  const file = join(context.real, `${name}.csv`);
  if (!existsSync(file)) return;
  const records = records_of(file);
  const wrong = [];
  let compared = 0;
  for (const {name: row, cells} of await shown_cells(page)) {
    const record = records.get(row);
    if (!record) {
      wrong.push(`${row} is not in CSV`);
      continue;
    }
    for (const [column, text] of cells) {
      const exact = record[column];
      if (exact === undefined || exact === "" || Number.isNaN(Number(exact)) || /^[–-]?$/.test(text)) continue;
      ++compared;
      if (!is_rounded(text, Number(exact))) wrong.push(`${row}, ${column}: '${text}' of ${exact}`);
    }
  }
  if (compared < records.size * 3) wrong.push(`only ${compared} figures were compared`);
  context.check(`${name}, written by pippin: every figure shown is that of CSV`, wrong);
}

async function test_page(context, name) {
  const {browser, check, keep, real} = context;
  for (const theme of ["light", "dark"]) {
    const page = await open_page(browser, join(real, `${name}.html`), {width: 360, theme});
    const where = `${name}, written by pippin, ${theme}`;
    for (const width of [360, 768, 1440, 2560]) {
      await resize(page, width);
      check(`${where}, ${width} px: as wide as the window`, await too_wide(page));
      check(`${where}, ${width} px: no texts of plots touch`, await touching_texts(page));
      check(`${where}, ${width} px: texts of plots have 4.5:1`, await faint_texts(page));
      await keep_picture(page, keep, `real-${name}-${width}-${theme}`);
    }
    check(`${where}: no serious finding of axe`, await axe_findings(page));
    if (theme === "light") await test_figures(context, name, page);
    check(`${where}: nothing in the console, no request`, page.wrongs);
    await page.close();
  }
}

export async function test_real(context) {
  if (!context.real) return;
  const names = readdirSync(context.real)
    .filter((file) => file.endsWith(".html"))
    .map((file) => file.slice(0, -5));
  context.check("pippin wrote pages to look at", names.length ? null : `none in ${context.real}`);
  for (const name of names) await test_page(context, name);
}
