// The card that says who decides what, and how a decision is made on the board.

import { button, el } from "./dom.js";
import { Choices, howTo, optionOf, runningOrder } from "./moves.js";
import { builder } from "./pieces.js";

const ANSWERS = { pay: "Pay your coin", pass: "Pass", redraw: "Draw three new vaults" };
const ACTIONS = [1, 2, 3];

/** Who decides, what is asked, the answers that are about no place, and the tools of a view. */
export class DecisionCard {
  constructor(label, ...tools) {
    this.pawn = el("span", { class: "pawn" });
    this.who = el("h1", { tabindex: "-1" });
    this.corner = el("span", { class: "count" });
    this.question = el("p", { class: "question" });
    this.recent = el("p", { class: "recent" });
    this.how = el("p", { class: "how" });
    this.answers = el("div", { class: "answers" });
    this.element = el(
      "section",
      { class: "decision", "aria-label": label },
      el("div", { class: "who" }, this.pawn, this.who, this.corner),
      this.question,
      this.how,
      this.recent,
      el("div", { class: "controls" }, this.answers, el("div", { class: "toolbar" }, ...tools)),
    );
  }

  /** Say who it is about: a player, or null for nobody, and in words. */
  show(player, who, corner = "") {
    this.pawn.replaceChildren(...(player === null ? [] : [builder(player, 34)]));
    this.who.textContent = who;
    this.corner.replaceChildren(corner);
  }

  /** Show buttons for the moves that are about no place, and for the builder, which is placed most often. */
  answer(choices, play) {
    const builders = choices.moves.filter(({ move }) => move === "B");
    const buttons = [...builders, ...choices.answers].map(choice =>
      button(ANSWERS[choice.move] ?? `Place a builder on ${choice.places[0]}`, () => play(choice), {
        class: ["pay", "redraw"].includes(choice.move) && "main",
        "data-move": choice.move,
      }),
    );
    this.answers.replaceChildren(...buttons);
    this.how.textContent = howTo(choices.moves);
  }
}

/** The actions of the turn: those done, the one that runs, those to come. */
export function actionDots({ actions, over }) {
  if (over) return "";
  const running = ACTIONS.length + 1 - actions;
  const dots = ACTIONS.map(action => el("i", { class: action < running ? "done" : action === running && "runs" }));
  const words = `action ${running} of ${ACTIONS.length}`;
  return el("span", { class: "dots", role: "img", "aria-label": words, title: words }, ...dots);
}

/** A decision that is made on the board: presses on its places become moves. */
export class Choosing {
  /** `play(choice)` is called with the move chosen, `changed()` when a place has been chosen that needs another. */
  constructor(play, changed) {
    this.play = play;
    this.changed = changed;
    this.choices = new Choices([]);
    this.selected = null;
    this.hints = new Map();
    this.held = false;
  }

  /** Begin the decision of a position that the board shows. */
  begin(board, position) {
    this.board = board;
    this.position = position;
    this.choices = new Choices(position.legal);
    this.selected = null;
    this.hints = new Map();
    this.mark();
    requestAnimationFrame(() => board.reveal());
  }

  press(place) {
    const { play, ask, select } = this.choices.press(place, this.selected);
    if (play) this.play(play);
    else if (ask) {
      const options = ask.map(choice => ({ ...optionOf(choice), value: choice }));
      this.board.ask(place, options, this.play);
    } else if (select !== undefined) this.select(select);
  }

  select(place) {
    this.board.closeChooser();
    this.selected = place;
    this.mark();
    this.board.reveal();
    this.changed();
  }

  /** While the server is asked nothing can be chosen. */
  hold(held) {
    this.held = held;
    if (held) this.board.closeChooser();
    this.mark();
  }

  /** Mark what can be chosen, and hints by place. */
  mark(hints = this.hints) {
    this.board.mark(this.held ? new Map() : this.choices.open(this.selected), {
      selected: this.selected,
      running: runningOrder(this.position.decision),
      hints,
    });
  }

  /** What has been chosen and what is still to be, in words; empty if nothing has been. */
  get words() {
    if (!this.selected) return "";
    const isVault = this.selected.startsWith("vault");
    const what = isVault ? `Vault ${this.selected.at(-1)}` : `The builder on ${this.selected}`;
    return `${what} is chosen: now choose where it goes, or press it again.`;
  }
}
