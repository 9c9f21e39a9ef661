// SPDX-License-Identifier: Apache-2.0
// Pages of `pippin serve` in a browser: node test/live.mjs CHROMIUM PIPPIN DATA [KEEP_DIR]. They show what is new without
// a reload, keep what a reader has chosen, and hostile texts stay texts. DATA is tests/data.
import {execFileSync, spawn} from "node:child_process";
import {mkdirSync, mkdtempSync, rmSync, writeFileSync} from "node:fs";
import {tmpdir} from "node:os";
import {join} from "node:path";
import {keep_picture, settle, start_browser} from "./browser.mjs";
import {hostile_texts} from "./hostile_texts.mjs";

const [chromium, pippin, data, keep] = process.argv.slice(2);
const work = mkdtempSync(join(tmpdir(), "pippin-live-"));
const environment = {...process.env, TMPDIR: work};
delete environment.XDG_RUNTIME_DIR;

let failures = 0;
function check(sentence, wrong) {
  const wrongs = Array.isArray(wrong) ? wrong : wrong ? [wrong] : [];
  if (wrongs.length) ++failures;
  console.log(
    `${wrongs.length ? "FAILED" : "ok"}  ${sentence}${wrongs.map((one) => `\n        ${String(one).slice(0, 400)}`).join("")}`,
  );
}

const run = (...words) =>
  execFileSync(pippin, ["--db", "live.db", "--quiet", ...words], {cwd: work, env: environment, stdio: "pipe"});

/// Starts the server; resolves to the address that it prints.
function serve() {
  const server = spawn(pippin, ["--db", "live.db", "serve"], {cwd: work, env: environment});
  let out = "";
  const address = new Promise((done, failed) => {
    server.stdout.on("data", (text) => {
      out += text;
      const found = /^open (\S+)$/m.exec(out);
      if (found) done(found[1]);
    });
    server.on("exit", (code) => failed(new Error(`serve ended with ${code}: ${out}`)));
  });
  return {server, address};
}

/// Opens a page of the server; `page.wrongs` collects what it should not do.
async function open_served(browser, address, path) {
  const page = await browser.newPage();
  page.wrongs = [];
  page.on("console", (message) => page.wrongs.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => page.wrongs.push(`error: ${error.message}`));
  page.on("dialog", (dialog) => {
    page.wrongs.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  const {origin} = new URL(address);
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(`${origin}/`) && !/^(data|blob):/.test(url)) page.wrongs.push(`request: ${url}`);
  });
  await page.setViewport({width: 1440, height: 1000});
  await page.goto(new URL(path + new URL(address).search, origin).href);
  await page.waitForFunction("document.documentElement.dataset.ready === 'yes'", {timeout: 60000});
  await settle(page);
  return page;
}

const names = (page) =>
  page.$$eval("table.results tbody tr[data-row] .row-name", (all) => all.map((one) => one.title));
const sort_of = (page, name) => page.$eval(`th[data-column="${name}"]`, (th) => th.getAttribute("aria-sort"));

/// Waits for what comes by itself.
const wait_for = (page, what, ...values) => page.waitForFunction(what, {timeout: 120000, polling: 100}, ...values);

async function test_new_rows(browser, address) {
  const page = await open_served(browser, address, "/report/collected");
  await page.evaluate(() => {
    window.loaded_once = true;
  });
  const before = await names(page);
  check("the token leaves the address", page.url().includes("token") ? page.url() : null);
  check("the cookie is not for scripts", (await page.evaluate(() => document.cookie)) || null);
  await page.evaluate(() => document.querySelector('th[data-column="step_time_s"] button').click());
  await page.type("#filter", "step_time < 1000000s");
  await page.evaluate(() => document.querySelector(".chooser input[data-column='state']").click());
  await page.evaluate(() => document.querySelector(".row-name").click());
  await page.evaluate(() => document.querySelector(".theme").click());
  await page.focus("#filter");
  await page.evaluate(() => scrollTo({top: 150, behavior: "instant"}));
  const pinned = await page.$eval(".highlight-name", (one) => one.textContent);
  const theme = await page.$eval(".theme", (one) => one.textContent);
  const shown = (await names(page)).length;
  run("collect", join(data, "logs"));
  await wait_for(page, (count) => document.querySelectorAll("table.results tbody tr[data-row]").length > count, shown);
  await wait_for(page, () => document.documentElement.dataset.tag);
  await settle(page);
  const after = await names(page);
  check("a new log's row comes without a reload", (await page.evaluate(() => window.loaded_once)) ? null : "reloaded");
  check(
    "the rows of before are still there",
    before.filter((name) => !after.includes(name) && after.length <= before.length),
  );
  const is_fresh = await page.$$eval("tr.fresh", (all) => all.length);
  check("new rows are told from the others", is_fresh > 0 ? null : "none is");
  check("the order stays", (await sort_of(page, "step_time_s")) === "ascending" ? null : "another order");
  const kept = await page.evaluate(() => ({
    filter: document.getElementById("filter").value,
    focus: document.activeElement?.id,
    top: scrollY,
    pinned: document.querySelector(".highlight-name")?.textContent,
    theme: document.querySelector(".theme").textContent,
    state: Boolean(document.querySelector('th[data-column="state"]')),
    checked: document.querySelector(".chooser input[data-column='state']").checked,
  }));
  check("the filter stays", kept.filter === "step_time < 1000000s" ? null : kept.filter);
  check("the focus stays", kept.focus === "filter" ? null : kept.focus);
  check("the place in the page stays", Math.abs(kept.top - 150) < 60 ? null : `at ${kept.top}`);
  check("the highlighted row stays", kept.pinned === pinned ? null : `${pinned} became ${kept.pinned}`);
  check("the theme stays", kept.theme === theme ? null : kept.theme);
  check("the choice of columns stays", kept.state === kept.checked ? null : JSON.stringify(kept));
  check("nothing in the console, no request elsewhere", page.wrongs);
  await keep_picture(page, keep, "report");
  await page.close();
}

const kSweep = `sweep: watched
probe: replay
cluster: local
grid: {tp: [1, 2], pp: [1, 2]}
gpus: 16
fixed: {step_time_ms: 500, sleep_factor: 0.1}
iterations: 5
repeats: {allocations: 3, runs: 1}
`;

async function test_progress(browser, address) {
  writeFileSync(join(work, "watched.yaml"), kSweep);
  const sweep = spawn(pippin, ["--db", "live.db", "--quiet", "run", "watched.yaml"], {cwd: work, env: environment});
  const ended = new Promise((done) => sweep.on("exit", done));
  const contents = await open_served(browser, address, "/");
  await wait_for(contents, () => document.body.textContent.includes("watched/1"));
  check("a sweep that begins is in the list without a reload", contents.wrongs);
  await keep_picture(contents, keep, "list");
  const page = await open_served(browser, address, "/status/watched");
  await keep_picture(page, keep, "status-before");
  await wait_for(page, () => document.querySelector("#progress .lead")?.textContent.startsWith("12 of 12"));
  const code = await ended;
  check("the sweep itself runs to its end", code === 0 ? null : `exit ${code}`);
  await wait_for(page, () => document.querySelectorAll("table.results tbody tr[data-row] .number").length > 0);
  check("its bar, lists and table grow: nothing in the console", page.wrongs);
  await keep_picture(page, keep, "status");
  await page.close();
  await contents.close();
}

/// What is wrong with links of which each is to lead to the page of a thing of this kind, named as the link says.
function wrong_links(page, selector, kind, says_name) {
  return page.evaluate(
    async (one, wanted, is_named) => {
      const links = Array.from(document.querySelectorAll(one));
      const bad = links.length ? [] : [`no ${one}`];
      for (const link of links.slice(0, 5)) {
        const address = new URL(link.href);
        address.searchParams.set("as", "json");
        const answer = await fetch(address);
        const made = answer.ok ? await answer.json() : {kind: answer.status};
        if (made.kind !== wanted || (is_named && made.title !== link.textContent))
          bad.push(`${link.href} is a ${made.kind} named ${made.title}`);
      }
      return bad;
    },
    selector,
    kind,
    says_name,
  );
}

async function test_ways(browser, address) {
  const report = await open_served(browser, address, "/report/watched");
  await report.evaluate(() => document.querySelector(".row-name").click());
  check("a highlighted row leads to its point", await wrong_links(report, ".highlight-name a", "point", true));
  await report.evaluate(() => document.querySelector("#runs .behind summary").click());
  await settle(report);
  check("runs in a table lead to themselves", await wrong_links(report, "#runs td:first-child a", "run", true));
  check("and to their points", await wrong_links(report, "#runs td:nth-child(2) a", "point", true));
  const [name, number] = await report.evaluate(() => {
    window.bar_link = document.querySelector(".highlight-name a");
    const link = document.querySelectorAll("#runs td:first-child a")[5];
    link.focus({preventScroll: true});
    return [link.textContent, link.pathname.split("/").pop()];
  });
  run("note", number, "a note of later");
  await wait_for(report, () => document.getElementById("runs").textContent.includes("a note of later"));
  const now = await report.evaluate(() => ({
    focus: document.activeElement.textContent,
    is_same: window.bar_link === document.querySelector(".highlight-name a"),
  }));
  check("the focus in a plot's table stays when it changes", now.focus === name ? null : now.focus.slice(0, 80));
  check("what has not changed of the highlighted row stays", now.is_same ? null : "it is another");
  const point = await report.$eval(".highlight-name a", (link) => new URL(link.href).pathname + new URL(link.href).search);
  await report.goto(new URL(point, address).href);
  await report.waitForFunction("document.documentElement.dataset.ready === 'yes'", {timeout: 60000});
  check("a point leads to its runs", await wrong_links(report, ".sheet-table a", "run", false));
  const run_page = await report.$eval(".sheet-table a", (link) => link.href);
  await report.goto(run_page);
  await report.waitForFunction("document.documentElement.dataset.ready === 'yes'", {timeout: 60000});
  const titles = await report.$$eval("nav.pages a", (all) => all.map((one) => one.textContent));
  const wanted = ["All sweeps", "Report", "Point"];
  check("a run leads to its report and its point", titles.join() === wanted.join() ? null : titles.join());
  check("its point is one", await wrong_links(report, "nav.pages a:nth-of-type(3)", "point", false));
  check("nothing in the console of these", report.wrongs);
  await report.close();
}

/// Of a list that is put in the place of another.
async function test_place(page) {
  await page.setViewport({width: 420, height: 1000});
  const name = await page.evaluate(() => {
    document.querySelector("#entries .data-region").scrollLeft = 80;
    const link = document.querySelectorAll("#entries tbody a")[40];
    link.focus({preventScroll: true});
    document.title = "before";
    return link.textContent;
  });
  run("--yes", "run", "--again", "watched.yaml");
  await wait_for(page, () => document.getElementById("entries").textContent.includes("watched/2"));
  const now = await page.evaluate(() => ({
    left: document.querySelector("#entries .data-region").scrollLeft,
    focus: document.activeElement.textContent,
    title: document.title,
  }));
  check("a list stays where it was scrolled to", Math.abs(now.left - 80) < 2 ? null : `at ${now.left}`);
  check("the focus in it stays", now.focus === name ? null : now.focus.slice(0, 80));
  check("the window has the page's title again", now.title === "before" ? "it has not" : null);
}

/// Names of a filing system cannot hold all; those that can be names of sweeps, notes and axis values are.
function hostile_sweeps() {
  return hostile_texts()
    .filter((text) => text.trim() && text.length < 200 && !text.includes("\u0000"))
    .filter((text) => Buffer.from(text).toString() === text);
}


/// Puts hostile texts where people and logs put theirs; those that pippin itself takes for such.
function fill_with_hostile_texts() {
  let taken = 0;
  const texts = hostile_sweeps();
  const sql = [];
  const literal = (text) => `CAST(X'${Buffer.from(text).toString("hex")}' AS TEXT)`;
  texts.forEach((text, i) => {
    sql.push(`INSERT INTO sweeps (name) VALUES (${literal(`${text}${i}`)});`);
    sql.push(
      `INSERT INTO campaigns (sweep, number, started, cluster, run_order, seed) SELECT id, 1, '2026-11-01T00:00:00Z', ${literal(text)}, 'blocks', '1' FROM sweeps WHERE name = ${literal(`${text}${i}`)};`,
    );
    sql.push(`INSERT INTO tags (name, campaign) SELECT ${literal(`tag ${text} ${i}`)}, max(id) FROM campaigns;`);
    ++taken;
  });
  sql.push(
    `UPDATE runs SET evidence = ${literal("</script><script>alert(1)</script>")}, state = 'failed' WHERE id % 2 = 0;`,
  );
  writeFileSync(join(work, "hostile.sql"), sql.join("\n"));
  execFileSync("sqlite3", ["-bail", "live.db", ".read hostile.sql"], {cwd: work, stdio: "pipe"});
  run("note", "1", texts.slice(0, 30).join(" "));
  return taken;
}

async function foreign_elements(page) {
  return page.evaluate(() => {
    const wrong = [];
    for (const name of ["x-hostile", "img", "iframe", "form", "base", "math", "template", "object", "embed"])
      if (document.querySelector(name)) wrong.push(`<${name}>`);
    if (document.scripts.length !== 2) wrong.push(`${document.scripts.length} scripts`);
    if (document.querySelector("[onerror],[onload],[ontoggle],a[href^='javascript']")) wrong.push("a handler");
    return wrong;
  });
}

async function test_hostile(browser, address) {
  const taken = fill_with_hostile_texts();
  check("more than 150 hostile texts are names of sweeps, clusters and tags", taken > 150 ? null : `${taken}`);
  for (const path of ["/", "/report/collected", "/noise/collected", "/status/watched/1", "/report/watched"]) {
    const page = await open_served(browser, address, path);
    check(`hostile texts are nothing but texts in ${path}`, [...page.wrongs, ...(await foreign_elements(page))]);
    if (path === "/") await test_links(browser, page);
    if (path === "/") await test_place(page);
    if (path === "/status/watched/1")
      check("runs that failed lead to themselves", await wrong_links(page, "#progress td a", "run", true));
    await page.close();
  }
}

/// Each name leads to its own page, whatever is in it.
async function test_links(browser, page) {
  const wrong = await page.evaluate(async () => {
    const bad = [];
    for (const link of document.querySelectorAll("#entries .entry a")) {
      if (link.origin !== location.origin) bad.push(`leads to ${link.href}`);
      const answer = await fetch(`${link.href}?as=json`);
      const text = await answer.text();
      const title = answer.ok ? JSON.parse(text).title : `${answer.status} ${text}`;
      if (title !== link.textContent) bad.push(`${link.href} is ${title}`);
    }
    return bad;
  });
  check("each name in the list leads to its own page", wrong);
}

async function main() {
  if (keep) mkdirSync(keep, {recursive: true});
  run("collect", join(data, "trainers", "verl.log"), join(data, "trainers", "maxtext.log"));
  const {server, address} = serve();
  const browser = await start_browser(chromium);
  try {
    const where = await address;
    await test_new_rows(browser, where);
    await test_progress(browser, where);
    await test_ways(browser, where);
    await test_hostile(browser, where);
  } finally {
    await browser.close();
    server.removeAllListeners("exit");
    const ended = new Promise((done) => server.on("exit", (code, signal) => done(signal ?? code)));
    server.kill("SIGINT");
    const code = await ended;
    check("Ctrl-C ends it", code === 0 ? null : `it ended with ${code}`);
    rmSync(work, {recursive: true, force: true});
  }
  console.log(failures ? `${failures} checks failed` : "all checks passed");
  process.exit(failures ? 1 : 0);
}

await main();
