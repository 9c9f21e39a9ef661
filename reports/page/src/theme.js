// SPDX-License-Identifier: Apache-2.0
// Light or dark: as the system says, or as the reader does.
import {el} from "./dom.js";

const kChoices = ["auto", "light", "dark"];
const kKey = "pippin-theme";

// Some browsers refuse storage to files; the choice then lasts as long as the page.
function stored_choice() {
  try {
    return kChoices.find((choice) => choice === localStorage.getItem(kKey)) ?? "auto";
  } catch {
    return "auto";
  }
}

function store(choice) {
  try {
    localStorage.setItem(kKey, choice);
  } catch {
    // Nothing depends on it.
  }
}

/// Sets the theme at once and returns the button that changes it.
export function make_theme_button() {
  const system = matchMedia("(prefers-color-scheme: dark)");
  let choice = stored_choice();
  const button = el("button", {type: "button", class: "quiet theme"});
  const apply = () => {
    const is_dark = choice === "dark" || (choice === "auto" && system.matches);
    document.documentElement.dataset.theme = is_dark ? "dark" : "light";
    button.textContent = `Theme: ${choice}`;
  };
  button.addEventListener("click", () => {
    choice = kChoices[(kChoices.indexOf(choice) + 1) % kChoices.length];
    store(choice);
    apply();
  });
  system.addEventListener("change", apply);
  apply();
  return button;
}
