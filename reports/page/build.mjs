// SPDX-License-Identifier: Apache-2.0
// Builds the page: node build.mjs OUTDIR. The README says what comes out.
import {createHash} from "node:crypto";
import {mkdirSync, readFileSync, readdirSync, writeFileSync} from "node:fs";
import {dirname, join} from "node:path";
import {fileURLToPath} from "node:url";
import {Script} from "node:vm";

const here = dirname(fileURLToPath(import.meta.url));

const read = (name) => readFileSync(join(here, name), "utf8");

/// Parts of d3 that the plotting library imports as one with the rest and that no plot here needs.
/// One of them makes functions of text, which the page's policy forbids.
const kUnused = ["brush", "chord", "drag", "dsv", "ease", "fetch", "force", "polygon", "timer", "transition", "zoom"];

/// Esbuild complains where one of them is used after all.
const leave_out_unused = {
  name: "leave-out-unused",
  setup(build) {
    const filter = new RegExp(`^d3-(${kUnused.join("|")})$`);
    build.onResolve({filter}, (found) =>
      found.importer.includes("node_modules/d3/") ? {path: found.path, namespace: "unused"} : null,
    );
    build.onLoad({filter: /.*/, namespace: "unused"}, () => ({contents: "export {}", loader: "js"}));
  },
};

/// The licences of the packages that are in the bundle, each text once: they ask to travel with every copy.
function licences(inputs) {
  const packages = new Set(inputs.map((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1]).filter(Boolean));
  const texts = new Map();
  for (const name of Array.from(packages).sort()) {
    const folder = join(here, "node_modules", name);
    const file = readdirSync(folder).find((one) => /^(licen[sc]e|unlicense)/i.test(one));
    const text = file
      ? readFileSync(join(folder, file), "utf8").trim()
      : JSON.parse(readFileSync(join(folder, "package.json"), "utf8")).license;
    texts.set(text, [...(texts.get(text) ?? []), name]);
  }
  const parts = Array.from(texts, ([text, names]) => `${names.join(", ")}:\n${text}`);
  return `/*! ${parts.join("\n\n").replaceAll("*/", "* /")} */\n`;
}

async function bundle() {
  const {build} = await import("esbuild");
  const options = {
    bundle: true,
    minify: true,
    format: "iife",
    target: "es2021",
    write: false,
    metafile: true,
    legalComments: "none",
    charset: "utf8",
  };
  const made = await build({...options, entryPoints: [join(here, "src/main.js")], plugins: [leave_out_unused]});
  const used = Object.entries(Object.values(made.metafile.outputs)[0].inputs).filter(
    ([, {bytesInOutput}]) => bytesInOutput > 0,
  );
  return licences(used.map(([path]) => path)) + made.outputFiles[0].text;
}

/// The page without plots needs neither npm nor a bundler: its modules, one after the other, without imports and exports.
export function concatenate() {
  const names = read("src/order.txt")
    .split("\n")
    .filter((line) => line && !line.startsWith("#"));
  const bare = (name) =>
    read(`src/${name}`)
      .replace(/^import [^;]*;\n/gm, "")
      .replace(/^export /gm, "");
  return `(() => {\n"use strict";\n${names.map(bare).join("")}})();\n`;
}

const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/// Nothing may be loaded, and nothing runs but what stands in the page now.
function policy(script, style) {
  return `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; img-src data: blob:; base-uri 'none'; form-action 'none'`;
}

function fill(script, style) {
  const parts = {policy: policy(script, style), style, script};
  return read("page.html").replace(/\{\{(policy|style|script)\}\}/g, (_, name) => parts[name]);
}

/// In a page a script ends at its first end tag, wherever that stands.
/// Modules one after the other share their names: reading the script finds two of one name.
function check(script) {
  new Script(script);
  for (const bad of ["</script", "<!--"]) {
    if (script.includes(bad)) throw new Error(`the script holds ${bad}, which ends it or hides the rest`);
  }
  return script;
}

async function main(out) {
  const style = read("page.css");
  const files = {"page.js": check(await bundle()), "page-without-plots.js": check(concatenate())};
  mkdirSync(out, {recursive: true});
  for (const [name, script] of Object.entries(files)) {
    writeFileSync(join(out, name), script);
    writeFileSync(join(out, name.replace(".js", ".html")), fill(script, style));
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.argv.length !== 3) {
    console.error("usage: node build.mjs OUTDIR");
    process.exit(2);
  }
  await main(process.argv[2]);
}
