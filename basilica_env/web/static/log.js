// The list of moves made.

import { el, toggle } from "./dom.js";
import { badge } from "./pieces.js";

/** A list that grows with the game; with `go` each move is a button that calls it. */
export class Log {
  constructor(go = null) {
    this.go = go;
    this.list = el("ol", { class: "log", tabindex: go ? null : "0", role: "list", "aria-label": "Moves" });
    this.moves = [];
  }

  /** Show the moves, and which of them led to the position shown. */
  show(moves, current = moves.length) {
    const same = moves.findIndex((move, at) => !alike(move, this.moves[at]));
    const kept = same < 0 ? Math.min(moves.length, this.moves.length) : same;
    while (this.list.children.length > kept) this.list.lastElementChild.remove();
    for (const move of moves.slice(kept)) this.list.append(this.#item(move));
    this.moves = moves;
    [...this.list.children].forEach((item, at) => toggle(item, "aria-current", at + 1 === current && "step"));
    this.#reveal(this.list.children[current - 1]);
  }

  #item({ number, player, words, scoring, comment }) {
    const text = [
      el("span", { class: "number" }, String(number)),
      badge(player),
      el("span", {}, words, comment && el("em", {}, comment)),
    ];
    const content = this.go ? el("button", { type: "button", on: { click: () => this.go(number) } }, ...text) : null;
    return el("li", { class: scoring ? "scores" : null }, ...(content ? [content] : text));
  }

  #reveal(item) {
    const [top, height] = [item?.offsetTop ?? 0, item?.offsetHeight ?? 0];
    const { scrollTop, clientHeight } = this.list;
    if (top < scrollTop || top + height > scrollTop + clientHeight) {
      this.list.scrollTop = top - clientHeight / 2;
    }
  }
}

const alike = (move, other) => other && move.move === other.move && move.number === other.number;

/** A card that can be folded. */
export function card(title, open, ...content) {
  return el(
    "details",
    { class: "card", open },
    el("summary", {}, el("h2", {}, title)),
    el("div", { class: "inside" }, ...content),
  );
}
