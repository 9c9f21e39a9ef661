// SPDX-License-Identifier: Apache-2.0
// Which row is pointed at, and which stays highlighted. The table and all plots listen.

export function make_selection() {
  const listeners = [];
  let pinned = null;
  let hovered = null;
  const tell = () => listeners.forEach((listener) => listener());
  return {
    on_change: (listener) => listeners.push(listener),
    row: () => hovered ?? pinned,
    pinned: () => pinned,
    hover(row) {
      if (row === hovered) return;
      hovered = row;
      tell();
    },
    /// Once rows have other numbers: `number_of` gives the new one of an old one, or null.
    renumber(number_of) {
      pinned = pinned === null ? null : number_of(pinned);
      hovered = null;
      tell();
    },
    pin(row) {
      pinned = row === pinned ? null : row;
      hovered = null;
      tell();
    },
  };
}
