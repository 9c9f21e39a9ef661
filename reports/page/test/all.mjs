// SPDX-License-Identifier: Apache-2.0
// Runs all tests of the page: node test/all.mjs CHROMIUM [KEEP_DIR [REAL_DIR]]. REAL_DIR has pages
// that pippin wrote, each beside its CSV. Prints a line for each check; exit status 1 if one fails.
import {execFileSync} from "node:child_process";
import {mkdtempSync, rmSync} from "node:fs";
import {tmpdir} from "node:os";
import {dirname, join} from "node:path";
import {fileURLToPath} from "node:url";
import {start_browser} from "./browser.mjs";
import {test_access} from "./access.mjs";
import {test_colours} from "./colours.mjs";
import {test_files} from "./files.mjs";
import {test_filter} from "./filter.mjs";
import {test_hostile} from "./hostile.mjs";
import {test_layout} from "./layout.mjs";
import {test_plots} from "./plots.mjs";
import {test_real} from "./real.mjs";
import {test_sparse} from "./sparse.mjs";
import {test_table} from "./table.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const [chromium, keep, real] = process.argv.slice(2);
if (!chromium) {
  console.error("usage: node test/all.mjs CHROMIUM [KEEP_DIR [REAL_DIR]]");
  process.exit(2);
}

let failures = 0;

/// One check: its sentence, and what was wrong with it, if anything.
function check(sentence, wrong) {
  const wrongs = Array.isArray(wrong) ? wrong : wrong ? [wrong] : [];
  if (wrongs.length) ++failures;
  console.log(
    `${wrongs.length ? "FAILED" : "ok"}  ${sentence}${wrongs
      .slice(0, 8)
      .map((one) => `\n        ${String(one).slice(0, 400)}`)
      .join("")}`,
  );
}

const work = mkdtempSync(join(tmpdir(), "pippin-page-"));
try {
  execFileSync(process.execPath, [join(root, "build.mjs"), work], {stdio: "inherit"});
  execFileSync(process.execPath, [join(root, "sample.mjs"), join(work, "samples"), work], {stdio: "inherit"});
  const browser = await start_browser(chromium);
  const context = {browser, check, keep, real, samples: join(work, "samples"), build: work};
  for (const test of [
    test_filter,
    test_colours,
    test_table,
    test_plots,
    test_files,
    test_hostile,
    test_sparse,
    test_access,
    test_layout,
    test_real,
  ])
    await test(context);
  await browser.close();
} finally {
  rmSync(work, {recursive: true, force: true});
}
console.log(failures ? `${failures} checks failed` : "all checks passed");
process.exit(failures ? 1 : 0);
