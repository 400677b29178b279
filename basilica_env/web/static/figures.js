// Numbers and words as people read them, and the list of an analysis.

import { el } from "./dom.js";
import { placesOf } from "./moves.js";

const grouping = new Intl.NumberFormat("en");

export const count = number => grouping.format(number);
export const percent = chance => `${Math.round(chance * 100)} %`;
export const points = margin => `${margin > 0 ? "+" : margin < 0 ? "−" : "±"}${Math.abs(margin).toFixed(1)}`;

/** Words with a capital at the start. */
export const sentence = words => words[0].toUpperCase() + words.slice(1);

/** What is best known about a move, short: its win chance, or its margin. */
export function worth({ win_chance: chance, margin }) {
  return chance !== null ? percent(chance) : margin !== null ? points(margin) : "";
}

/** The best moves as marks on the board: where a move ends, its rank and worth. */
export function hintsByPlace(moves) {
  const hints = new Map();
  moves.forEach((move, at) => {
    const place = placesOf(move).at(-1);
    if (!place || hints.has(place)) return;
    const text = [at + 1, variant(move.move), worth(move)].filter(Boolean).join(" ");
    hints.set(place, { rank: at + 1, text });
  });
  return hints;
}

/** Which of the moves that end on one place it is: the vault, or the rank. */
const variant = move => move.match(/^V[1-3]/)?.[0] ?? move.match(/=(.)$/)?.[1] ?? "";

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
export const hintsTable = moves =>
  table(["Win", "Margin"], moves, move => el("div", {}, el("b", {}, move.move), el("small", {}, move.words)));

/** A table of moves, best first: `play(move)` when one is pressed, `look(move)` while one is pointed at. */
export function movesTable(moves, look, play) {
  const cell = move =>
    el(
      "button",
      { type: "button", on: { click: () => play(move), focus: () => look(move), blur: () => look(null) } },
      el("b", {}, move.move),
      el("small", {}, move.words),
    );
  return table(Object.keys(COLUMNS), moves, cell, look);
}

function table(columns, moves, cell, look = () => {}) {
  const row = (move, at) =>
    el(
      "tr",
      { on: { mouseenter: () => look(move), mouseleave: () => look(null) } },
      el("th", { scope: "row" }, el("span", { class: "rank" }, String(at + 1)), cell(move)),
      ...columns.map(column => el("td", {}, COLUMNS[column](move))),
    );
  return el(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": "Best moves" },
    el(
      "table",
      { class: "moves" },
      el("thead", {}, el("tr", {}, ...["Move", ...columns].map(title => el("th", { scope: "col" }, title)))),
      el("tbody", {}, ...moves.map(row)),
    ),
  );
}
