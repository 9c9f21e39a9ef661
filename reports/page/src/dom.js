// SPDX-License-Identifier: Apache-2.0
// Makes elements. Text always goes in as text, never as markup.

const kSvg = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value);
  }
  for (const child of children.flat()) {
    if (child !== null && child !== undefined) element.append(child);
  }
  return element;
}

export function el(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

export function svg_el(name, attributes = {}, ...children) {
  return fill(document.createElementNS(kSvg, name), attributes, children);
}

/// A link to a place of the page's own server, and nowhere else.
export function own_link(address, ...children) {
  return /^\/(?![/\\])[^\0-\x20\\]*$/.test(address) ? el("a", {href: address}, ...children) : el("span", {}, ...children);
}

/// Sets styles one by one: the page's policy forbids style attributes, not this.
export function style(element, values) {
  for (const [name, value] of Object.entries(values)) element.style.setProperty(name, value);
  return element;
}

/// Puts children into a parent in their order. Those that stay where they are keep the focus.
export function arrange_children(parent, wanted) {
  const kept = new Set(wanted);
  for (const old of Array.from(parent.children)) if (!kept.has(old)) old.remove();
  wanted.forEach((child, i) => {
    if (parent.children[i] !== child) parent.insertBefore(child, parent.children[i] ?? null);
  });
}

/// Calls back at most once a frame.
export function once_a_frame(callback) {
  let waiting = false;
  return () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      callback();
    });
  };
}
