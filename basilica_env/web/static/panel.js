// What stands beside the cathedral: tiles left, the king's track, both players.

import { el } from "./dom.js";
import { builder, coin, crown, token } from "./pieces.js";

const LAST_SPACE = 30;
const SCORING_EVERY = 10;
const FEW_TILES = 6; // so many tiles before the end are worth a warning

/** How many tiles can still be drawn: most games end when they are gone. */
export function tilesLeft({ left, reshuffled, over }) {
  const near = reshuffled && left <= FEW_TILES && !over;
  return el(
    "p",
    { class: near ? "left near" : "left" },
    el("b", {}, over ? "–" : String(left)),
    el("span", {}, over ? "game over" : left === 1 ? "tile to draw" : "tiles to draw"),
  );
}

/** The king on his track, and the piles. */
export function facts(position) {
  return el("div", { class: "facts" }, track(position), el("p", { class: "piles" }, pilesWords(position)));
}

function pilesWords({ left, stack, discard, reshuffled, over }) {
  const piles = `Stack ${stack}, discard ${discard}.`;
  if (over) return piles;
  if (!reshuffled) return `${piles} What is discarded is shuffled in once more before the end.`;
  if (left) return `${piles} The discard pile was shuffled in already: the draw after the last tile ends the game.`;
  return `${piles} The next draw ends the game.`;
}

function track({ king, over }) {
  const next = Math.min(LAST_SPACE, king - (king % SCORING_EVERY) + SCORING_EVERY);
  const words = over || king === LAST_SPACE ? `King on ${king}` : `King on ${king}, next scoring on ${next}`;
  const spaces = Array.from({ length: LAST_SPACE }, (_, before) => before + 1);
  return el(
    "div",
    { class: "track" },
    el("p", {}, crown(), words),
    el(
      "ol",
      { "aria-hidden": "true" },
      ...spaces.map(space =>
        el(
          "li",
          {
            class: [space <= king && "passed", space % SCORING_EVERY === 0 && "scores", space === king && "king"]
              .filter(Boolean)
              .join(" "),
          },
          space % SCORING_EVERY === 0 ? String(space) : "",
        ),
      ),
    ),
  );
}

/** Both players: name, points, supplies; who decides is framed. */
export function players(position, names) {
  return el("div", { class: "players" }, ...names.map((name, player) => playerCard(position, name, player)));
}

function playerCard(position, name, player) {
  const now = position.areas.reduce((sum, area) => sum + area.points[player], 0);
  const supply = (sign, count, what) =>
    el("li", { title: `${what} in supply` }, sign, el("b", {}, String(count)), el("small", {}, what));
  return el(
    "section",
    { class: position.player === player ? "player decides" : "player", "aria-label": `Player ${player}, ${name}` },
    el("p", { class: "name" }, builder(player), el("span", {}, name)),
    el("p", { class: "score" }, el("b", {}, String(position.scores[player])), el("small", {}, "points")),
    el(
      "ul",
      {},
      supply(builder(player, 18), position.builders[player], "builders"),
      supply(token(), position.tokens[player], "tokens"),
      supply(coin(), position.coins[player], "coins"),
    ),
    position.over ? null : el("p", { class: "now" }, `+${now} if scored now`),
  );
}
