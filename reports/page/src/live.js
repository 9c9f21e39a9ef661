// SPDX-License-Identifier: Apache-2.0
// A page that pippin serves asks its server, and nobody else, for what is new. A file does not.
import {el} from "./dom.js";

const kPause_ms = 2000;
const kLongestPause_ms = 20000;
const kPatience_ms = 60000;

function clock_text() {
  return new Date().toTimeString().slice(0, 8);
}

function own_document_address() {
  const address = new URL(location.href);
  address.hash = "";
  address.searchParams.set("as", "json");
  return address;
}

async function ask(tag) {
  const patience = new AbortController();
  const timer = setTimeout(() => patience.abort(), kPatience_ms);
  try {
    const headers = {"If-None-Match": `"${tag}"`};
    const answer = await fetch(own_document_address(), {headers, cache: "no-store", signal: patience.signal});
    return {status: answer.status, text: answer.status === 304 ? "" : await answer.text()};
  } finally {
    clearTimeout(timer);
  }
}

/// What a server that gives no page says of that.
function complaint_in({status, text}) {
  if (status === 403) return "The server has another token now: open the address that it printed.";
  try {
    return String(JSON.parse(text).error ?? `The server answers ${status}.`);
  } catch {
    return `The server answers ${status}.`;
  }
}

/// Asks again and again, also after errors; not while nobody looks. `take` gets the text of each new document, and
/// returns its tag. Returns the element that says how that goes.
export function keep_live(tag, take) {
  const words = el("span", {});
  const badge = el("span", {class: "live"}, el("span", {class: "live-dot", "aria-hidden": "true"}), words);
  let pause = kPause_ms;
  let timer = null;
  const say = (text, is_well) => {
    words.textContent = text;
    badge.classList.toggle("ill", !is_well);
  };
  const look = async () => {
    timer = null;
    try {
      const answer = await ask(tag);
      if (answer.status === 200) tag = take(answer.text);
      const is_well = answer.status === 200 || answer.status === 304;
      if (is_well) say(`Live, as of ${clock_text()}`, true);
      else say(complaint_in(answer), false);
      pause = is_well ? kPause_ms : kLongestPause_ms / 4;
    } catch {
      if (!badge.classList.contains("ill")) say(`No answer since ${clock_text()}; asking again`, false);
      pause = Math.min(kLongestPause_ms, pause * 1.5);
    }
    wait(pause);
  };
  const wait = (ms) => {
    if (timer === null && !document.hidden) timer = setTimeout(look, ms);
  };
  document.addEventListener("visibilitychange", () => {
    clearTimeout(timer);
    timer = null;
    if (!document.hidden) wait(0);
  });
  say(`Live, as of ${clock_text()}`, true);
  wait(kPause_ms);
  return badge;
}
