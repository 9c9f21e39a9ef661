// SPDX-License-Identifier: Apache-2.0
// Where a reader is within a part of the page that is put in the place of another.

/// The places of an element's ancestors among their siblings, from `root` down to it.
function path_to(root, element) {
  const path = [];
  for (let at = element; at !== root; at = at.parentElement) path.unshift(Array.from(at.parentElement.children).indexOf(at));
  return path;
}

/// Elements by an attribute; of those where it is the same in their order.
function by_attribute(root, selector, attribute) {
  const named = new Map();
  for (const element of root.querySelectorAll(selector)) {
    const name = element.getAttribute(attribute);
    named.set(name, [...(named.get(name) ?? []), element]);
  }
  return named;
}

const regions_in = (root) => by_attribute(root, "[role=region]", "aria-label");
const links_in = (root) => by_attribute(root, "a[href]", "href");

/// The element of `made` that stands for one of `before`: for a link the one that leads to the same place.
function heir_of(before, made, element) {
  const href = element.getAttribute("href");
  if (href === null) return path_to(before, element).reduce((at, i) => at?.children[i], made);
  return links_in(made).get(href)?.[links_in(before).get(href).indexOf(element)];
}

/// Notes how far the regions of `before` are scrolled and what has the focus in it. Returns a function that does the
/// same to `made`, once that is in the document.
export function place_kept(before, made) {
  const scrolled = Array.from(regions_in(before), ([name, regions]) =>
    regions.map((region, i) => [name, i, region.scrollTop, region.scrollLeft]),
  ).flat();
  const focused = before.contains(document.activeElement) ? document.activeElement : null;
  const heir = focused ? heir_of(before, made, focused) : null;
  return () => {
    const regions = regions_in(made);
    for (const [name, i, top, left] of scrolled) regions.get(name)?.[i]?.scrollTo({top, left, behavior: "instant"});
    if (heir?.tagName === focused?.tagName) heir?.focus({preventScroll: true});
  };
}
