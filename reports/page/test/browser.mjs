// SPDX-License-Identifier: Apache-2.0
// A browser for tests: opens sample pages from files and notes whatever they should not do.
import {mkdirSync} from "node:fs";
import {join} from "node:path";
import {pathToFileURL} from "node:url";
import puppeteer from "puppeteer-core";

/// A root user, as in a container, has no sandbox.
const kRootArguments = process.getuid?.() === 0 ? ["--no-sandbox"] : [];

export async function start_browser(executable) {
  return puppeteer.launch({
    executablePath: executable,
    args: ["--disable-gpu", ...kRootArguments],
    protocolTimeout: 600000, // a machine may be busy; the test has a time limit of its own
  });
}

/// Opens a page; `page.wrongs` collects messages of the console, errors, dialogs and requests.
export async function open_page(browser, file, {width = 1440, theme = "light", reduced = false} = {}) {
  const page = await browser.newPage();
  page.wrongs = [];
  page.on("console", (message) => page.wrongs.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => page.wrongs.push(`error: ${error.message}`));
  page.on("dialog", (dialog) => {
    page.wrongs.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on("request", (request) => {
    if (!/^(file|data|blob):/.test(request.url())) page.wrongs.push(`request: ${request.url()}`);
  });
  await page.emulateMediaFeatures([
    {name: "prefers-color-scheme", value: theme},
    {name: "prefers-reduced-motion", value: reduced ? "reduce" : "no-preference"},
  ]);
  await page.setViewport({width, height: 1000});
  await page.goto(pathToFileURL(file).href);
  await page.waitForFunction("document.documentElement.dataset.ready === 'yes'", {timeout: 60000});
  await settle(page);
  page.wrongs.push(...(await page.$$eval(".broken", (all) => all.map((one) => one.textContent))));
  return page;
}

/// Waits until what was asked for is drawn.
export async function settle(page) {
  await page.evaluate(
    () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 30)))),
  );
}

/// Another width; the plots draw themselves anew.
export async function resize(page, width) {
  await page.setViewport({width, height: 1000});
  await settle(page);
  await settle(page);
}

/// Keeps pictures of the whole page, a part of 1500 pixels each.
export async function keep_picture(page, folder, name) {
  if (!folder) return;
  mkdirSync(folder, {recursive: true});
  const {width} = page.viewport();
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  for (let y = 0, i = 1; y < height; y += 1500, ++i) {
    const clip = {x: 0, y, width, height: Math.min(1500, height - y)};
    await page.screenshot({path: join(folder, `${name}-${i}.png`), clip, captureBeyondViewport: true});
  }
}
