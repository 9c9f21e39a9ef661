// SPDX-License-Identifier: Apache-2.0
// Readers without eyes, without a mouse, without motion, and on paper.
import {readFileSync} from "node:fs";
import {createRequire} from "node:module";
import {join} from "node:path";
import {keep_picture, open_page, resize, settle} from "./browser.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

export async function axe_findings(page) {
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const {violations} = await window.axe.run(document, {resultTypes: ["violations"]});
    return violations
      .filter(({impact}) => impact === "serious" || impact === "critical")
      .map(
        ({id, nodes}) =>
          `${id}: ${nodes.length}×, ${nodes[0].html.slice(0, 200)} ${nodes[0].failureSummary.slice(0, 200)}`,
      );
  });
}

async function test_axe({browser, samples, check}) {
  for (const name of ["sweep", "compare", "noise", "without-plots", "empty", "run", "node", "estimate"])
    for (const theme of ["light", "dark"]) {
      const page = await open_page(browser, join(samples, `${name}.html`), {theme, width: 360});
      await page.$$eval("details", (all) =>
        all.forEach((one) => {
          one.open = true;
        }),
      );
      for (const width of [360, 1440]) {
        await resize(page, width);
        check(`${name}, ${theme}, ${width} px: no serious finding of axe`, await axe_findings(page));
      }
      await page.close();
    }
}

async function test_motion({browser, samples, check}) {
  const page = await open_page(browser, join(samples, "tiny.html"), {reduced: true});
  const moving = await page.evaluate(
    () =>
      Array.from(document.querySelectorAll("*")).filter(
        (one) =>
          !/^(none|all 0s.*|0s)$/.test(getComputedStyle(one).transition) &&
          getComputedStyle(one).transitionDuration !== "0s",
      ).length,
  );
  check("nothing moves for who wants no motion", moving ? `${moving} elements` : null);
  await page.close();
}

async function test_print({browser, samples, check, keep}) {
  const page = await open_page(browser, join(samples, "sweep.html"), {theme: "dark", width: 768});
  await page.emulateMediaType("print");
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  await settle(page);
  const paper = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  check("paper is white in the dark theme, too", paper === "rgb(255, 255, 255)" ? null : paper);
  const cut = await page.evaluate(
    () => document.querySelector(".table-region").scrollHeight - document.querySelector(".table-region").clientHeight,
  );
  check("the whole table is printed", cut > 2 ? `${cut} px are cut` : null);
  await keep_picture(page, keep, "print");
  const pdf = await page.pdf({format: "A4"});
  check("and makes a PDF", pdf.length > 10000 ? null : `${pdf.length} bytes`);
  await page.close();
}

export async function test_access(context) {
  await test_axe(context);
  await test_motion(context);
  await test_print(context);
}
