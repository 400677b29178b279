// The common layout of all views: a decision, the board, what stands beside it, and folded cards.

import { Board } from "./board.js";
import { el, toggle } from "./dom.js";
import { facts, players, tilesLeft } from "./panel.js";

export class Desk {
  /** `press(place)` is called when a place that can be chosen is pressed. */
  constructor(decision, extra, press = () => {}) {
    this.board = new Board(press);
    this.facts = el("div", { class: "slot" });
    this.players = el("div", { class: "slot" });
    this.board.cathedral.element.classList.add("cathedral");
    this.board.spaces.element.classList.add("spaces");
    this.element = el(
      "div",
      { class: "desk" },
      decision,
      this.board.spaces.element,
      this.board.cathedral.element,
      el("div", { class: "beside" }, this.players, this.facts),
      el("div", { class: "extra" }, ...extra),
    );
    // On a phone the decision lies over the foot of the page, which keeps so much free.
    this.observer = new ResizeObserver(() => {
      const height = getComputedStyle(decision).position === "fixed" ? decision.offsetHeight : 0;
      document.documentElement.style.setProperty("--bar", `${height}px`);
      if (height) this.board.reveal();
    });
    this.observer.observe(decision);
  }

  close() {
    this.board.close();
    this.observer.disconnect();
    document.documentElement.style.removeProperty("--bar");
  }

  /** Show a position; `drawn` is the one on the board, if it is another. */
  show(position, names, drawn = position) {
    this.board.show(drawn);
    this.board.corner.replaceChildren(tilesLeft(position));
    this.facts.replaceChildren(facts(position));
    this.players.replaceChildren(players(position, names));
  }

  /** Show or hide the outlines of the areas; returns whether they are shown. */
  toggleAreas() {
    const shown = !("areas" in this.element.dataset);
    toggle(this.element, "data-areas", shown);
    return shown;
  }
}
