// Numbers and words as people read them, and the list of an analysis.

import { el } from "./dom.js";
import { chipsOf, placesOf } from "./moves.js";

const grouping = new Intl.NumberFormat("en");

export const count = number => grouping.format(number);
export const percent = chance => `${Math.round(chance * 100)}\u00a0%`;
export const points = margin => `${margin > 0 ? "+" : margin < 0 ? "−" : "±"}${Math.abs(margin).toFixed(1)}`;

/** The names of the players; if they are the same, with their colours. */
export const apart = ([black, white]) => (black === white ? [`${black} (Black)`, `${white} (White)`] : [black, white]);

/** Words with a capital at the start. */
export const sentence = words => words[0].toUpperCase() + words.slice(1);

/** What is best known about a move, short: its win chance, or its margin. */
export function worth({ win_chance: chance, margin }) {
  return chance !== null ? percent(chance) : margin !== null ? points(margin) : "";
}

/** The best moves by the place where they end: for each its number in the list, what marks it there, its worth. */
export function hintsByPlace(moves) {
  const hints = new Map();
  moves.forEach((move, at) => {
    const place = placesOf(move).at(-1);
    if (!place) return;
    const hint = { number: at + 1, sign: chipsOf([move], place)[0] ?? "", worth: worth(move).replace(/\s/, "") };
    hints.set(place, [...(hints.get(place) ?? []), hint]);
  });
  return hints;
}

/** Names and values, [name, value], one below the other. */
export const pairs = rows =>
  el("dl", { class: "headers" }, ...rows.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]));

const COLUMNS = {
  Win: ({ win_chance: chance }) => (chance === null ? "–" : percent(chance)),
  Margin: ({ margin }) => (margin === null ? "–" : points(margin)),
  Value: ({ value }) => (value === null ? "–" : value.toFixed(3).replace("-", "−")),
  Visits: ({ visits }) => count(visits),
};

/** A short table of moves, best first. */
export const hintsTable = moves => table(["Win", "Margin"], moves, move => el("b", {}, move.move));

/** A table of moves, best first: `play(move)` when one is pressed, `look(move)` while one is pointed at. */
export function movesTable(moves, look, play) {
  const cell = move =>
    el(
      "button",
      { type: "button", on: { click: () => play(move), focus: () => look(move), blur: () => look(null) } },
      el("b", {}, move.move),
    );
  return table(Object.keys(COLUMNS), moves, cell, look);
}

function table(columns, moves, cell, look = () => {}) {
  const rows = (move, at) =>
    el(
      "tbody",
      { on: { mouseenter: () => look(move), mouseleave: () => look(null) } },
      el(
        "tr",
        {},
        el("th", { scope: "row" }, el("span", { class: "rank" }, String(at + 1)), cell(move)),
        ...columns.map(column => el("td", {}, COLUMNS[column](move))),
      ),
      el("tr", {}, el("td", { class: "words", colspan: columns.length + 1 }, move.words)),
    );
  return el(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": "Best moves" },
    el(
      "table",
      { class: "moves" },
      el("thead", {}, el("tr", {}, ...["Move", ...columns].map(title => el("th", { scope: "col" }, title)))),
      ...moves.map(rows),
    ),
  );
}
