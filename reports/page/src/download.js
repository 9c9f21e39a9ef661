// SPDX-License-Identifier: Apache-2.0
// Hands text to the browser as a file. A blob works from file:// pages, too.
import {el} from "./dom.js";

export function safe_file_name(text) {
  const plain = text.replace(/[^A-Za-z0-9._-]+/g, "-").replace(/^[-.]+|-+$/g, "");
  return plain.slice(0, 80) || "pippin";
}

export function save_text(file_name, type, text) {
  const address = URL.createObjectURL(new Blob([text], {type}));
  const link = el("a", {href: address, download: file_name, hidden: true});
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 60000);
}
