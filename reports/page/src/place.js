// SPDX-License-Identifier: Apache-2.0
// Where a reader is within a part of the page that is put in the place of another.

/// The places of an element's ancestors among their siblings, from `root` down to it.
function path_to(root, element) {
  const path = [];
  for (let at = element; at !== root; at = at.parentElement) path.unshift(Array.from(at.parentElement.children).indexOf(at));
  return path;
}

function element_at(root, path) {
  return path.reduce((at, i) => at?.children[i], root);
}

/// Notes how far the regions of `before` are scrolled and what has the focus in it. Returns a function that does the
/// same to `made`, once that is in the document.
export function place_kept(before, made) {
  const regions = Array.from(before.querySelectorAll("[role=region]"), (region) => [region.scrollTop, region.scrollLeft]);
  const focused = before.contains(document.activeElement) ? document.activeElement : null;
  const path = focused ? path_to(before, focused) : [];
  return () => {
    made.querySelectorAll("[role=region]").forEach((region, i) => {
      [region.scrollTop, region.scrollLeft] = regions[i] ?? [0, 0];
    });
    const heir = focused ? element_at(made, path) : null;
    if (heir?.tagName === focused?.tagName) heir?.focus({preventScroll: true});
  };
}
