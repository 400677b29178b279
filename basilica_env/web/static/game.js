// A game: people and agents play, or agents alone while people watch.

import { Failure, Live, ask, askText, clearNotice, notify, say } from "./api.js";
import { Desk } from "./desk.js";
import { button, el, select, toggle } from "./dom.js";
import { count, hintsByPlace, hintsTable, sentence, worth } from "./figures.js";
import { remember } from "./kept.js";
import { Log, card } from "./log.js";
import { Choices, grouped, optionOf, runningOrder } from "./moves.js";
import { actionDots } from "./panel.js";
import { builder } from "./pieces.js";
import { nowTable, scoringTable } from "./scoring.js";

const HINTS = 5;
const SPEEDS = [
  [2, "Slow"],
  [0.7, "Normal"],
  [0.2, "Fast"],
  [0, "At once"],
];
const OFFERS = {
  promote: "For your coin you promote one of your builders, to a rank other than the one just given.",
  recruit: "For your coin you put a builder from your supply next to one of your builders.",
  confuse: "For your coin you choose yourself which of your builders is moved, and where.",
};
const ANSWERS = { pay: "Pay your coin", pass: "Pass", redraw: "Draw three new vaults" };

export class GameView {
  static async open(id) {
    return new GameView(await ask("GET", `/api/games/${id}`));
  }

  constructor(game) {
    this.path = `/api/games/${game.id}`;
    this.selected = null;
    this.busy = false;
    this.analysis = null;
    this.#build();
    this.#show(game);
    remember(game);
    this.live = new Live(`${this.path}/events`, {
      game: newer => this.#show(newer),
      thinking: progress => this.#showThinking(progress),
      gone: () => this.#gone(),
      broken: () => this.#check(),
    });
    this.keys = {
      h: () => this.hintButton.disabled || this.#hint(),
      u: () => this.undoButton.disabled || this.#undo(),
      a: () => this.#areas(),
      Escape: () => this.#select(null),
    };
  }

  close() {
    this.desk.close();
    this.live.close();
  }

  get title() {
    return this.names.join(" – ");
  }

  // --- What is on the page -------------------------------------------------------------------------------

  #build() {
    this.pawn = el("span", { class: "pawn" });
    this.who = el("h1", { tabindex: "-1" });
    this.dots = el("span");
    this.question = el("p", { class: "question" });
    this.recent = el("p", { class: "recent" });
    this.answers = el("div", { class: "answers" });
    this.undoButton = button("Undo", () => this.#undo(), { title: "Undo (U)" });
    this.hintButton = button("Hint", () => this.#hint(), { title: "Hint (H)" });
    this.areasButton = button("Areas", () => this.#areas(), { title: "Areas (A)", "aria-pressed": "false" });
    this.explainButton = button("?", () => this.#explain(), {
      "aria-label": "What does this mean?",
      "aria-expanded": "false",
      title: "What does this mean?",
    });
    this.pauseButton = button("Pause", () => this.#pace({ paused: !this.game.paused }));
    this.stepButton = button("Step", () => this.#act("POST", "step", {}));
    this.speed = select(SPEEDS, null, { "aria-label": "Speed of the agents" });
    this.speed.addEventListener("change", () => this.#pace({ delay: Number(this.speed.value) }));
    this.tools = el(
      "div",
      { class: "toolbar" },
      this.pauseButton,
      this.stepButton,
      this.undoButton,
      this.hintButton,
      this.areasButton,
      this.explainButton,
      this.speed,
    );
    this.explanation = el("div", { class: "explanation", hidden: true });
    const decision = el(
      "section",
      { class: "decision", "aria-label": "Decision" },
      el("div", { class: "who" }, this.pawn, this.who, this.dots),
      this.question,
      this.recent,
      el("div", { class: "controls" }, this.answers, this.tools),
      this.explanation,
    );
    this.log = new Log();
    this.list = el("div", { class: "choices" });
    this.hints = el("div");
    this.hintCard = card("Hint", true, this.hints);
    this.scoring = el("div");
    this.scoringCard = card("Last scoring", true, this.scoring);
    this.now = el("div");
    this.listCard = card("All choices as a list", false, this.list);
    this.end = el("div", { class: "toolbar" }, button("Save the record", () => this.#save()));
    this.desk = new Desk(
      decision,
      [
        this.hintCard,
        card("Moves", true, this.log.list, this.end),
        this.scoringCard,
        this.listCard,
        card("Areas", false, this.now),
      ],
      place => this.#press(place),
    );
    this.element = this.desk.element;
  }

  #show(game) {
    if (this.game && game.version <= this.game.version) return;
    const before = this.game;
    const focused = [this.answers, this.list].some(part => part.contains(document.activeElement));
    this.game = game;
    this.position = game.position;
    this.names = game.players.map(player => player.name);
    this.people = game.players.filter(player => player.kind === "person").length;
    this.choices = new Choices(this.position.legal);
    if (!before || before.position.svg !== game.position.svg || before.status !== game.status) {
      this.selected = null;
      this.analysis = null;
    }
    this.desk.show(this.position, this.names);
    this.#showDecision();
    this.#mark();
    this.#showHint();
    this.#showCards();
    this.#announce(before);
    if (focused) this.#focusChoice();
  }

  #showDecision() {
    const { game, position } = this;
    const decides = position.player ?? 0;
    this.pawn.replaceChildren(...(position.over ? [] : [builder(decides, 34)]));
    this.who.textContent = this.#who();
    this.dots.replaceChildren(actionDots(position) ?? "");
    this.#ask();
    const last = game.moves.at(-1);
    this.recent.textContent = last && !position.over ? `${this.#called(last.player)} ${last.words}.` : "";
    this.answers.replaceChildren(...this.#answers());
    this.explanation.replaceChildren(...position.explanation.map(words => el("p", {}, words)));
    toggle(this.element, "data-status", game.status);
    this.undoButton.disabled = !game.undo;
    this.hintButton.disabled = game.status !== "person";
    this.undoButton.hidden = this.people === 0;
    this.hintButton.hidden = this.people === 0 || position.over;
    this.speed.hidden = this.people === 2 || position.over;
    this.pauseButton.textContent = game.paused ? "Go on" : "Pause";
    this.pauseButton.hidden = this.stepButton.hidden = (this.people > 0 && !game.paused) || position.over;
    this.stepButton.disabled = !game.paused || game.status === "person";
    if (document.activeElement !== this.speed) this.speed.value = nearestSpeed(game.delay);
  }

  #who() {
    const { game, position } = this;
    if (position.over) return "The game is over";
    const name = this.#called(position.player);
    if (game.status === "thinking") return `${name} is thinking`;
    if (game.status === "paused") return `Paused: ${name} is next`;
    if (game.status === "failed") return `${name} has failed`;
    return this.people === 1 ? "You decide" : `${name} decides`;
  }

  /** What a player is called: the only person is "You". */
  #called(player) {
    return this.people === 1 && this.game.players[player].kind === "person" ? "You" : this.names[player];
  }

  #ask() {
    const { game, position } = this;
    toggle(this.question, "class", "question");
    if (this.selected) {
      const what = this.selected.startsWith("vault") ? `Vault ${this.selected.at(-1)}` : `The builder on ${this.selected}`;
      this.question.textContent = `${what} is chosen: now choose where it goes, or press it again.`;
    } else if (game.status === "failed") {
      this.question.textContent = game.failure;
    } else {
      this.question.textContent = position.over ? position.result : sentence(position.question);
      const [kind, space] = position.decision.split(":");
      if (kind === "offer") this.question.textContent += `. ${OFFERS[position.orders[space - 1].order]}`;
    }
  }

  #answers() {
    const { game, position } = this;
    if (position.over) {
      return [
        button("Replay this game", () => this.#replay(), { class: "main" }),
        el("a", { class: "button", href: this.people ? "#/play" : "#/watch" }, "New game"),
      ];
    }
    if (game.status === "failed") return [button("Try again", () => this.#act("POST", "step", {}), { class: "main" })];
    const builderMove = this.choices.moves.filter(({ move }) => move === "B");
    return [...builderMove, ...this.choices.answers].map((choice, at) => {
      const label = choice.move === "B" ? `Place a builder on ${choice.places[0]}` : ANSWERS[choice.move];
      return button(label, () => this.#play(choice), {
        class: at || choice.move === "B" ? "" : "main",
        "data-move": choice.move,
      });
    });
  }

  #showCards() {
    const { game, position } = this;
    this.log.show(game.moves);
    const scored = game.moves.findLast(move => move.scoring);
    this.scoringCard.hidden = !scored;
    this.scoring.replaceChildren(scored ? scoringTable(scored.scoring) : "");
    this.now.replaceChildren(nowTable(position));
    this.listCard.hidden = !position.legal.length;
    this.list.replaceChildren(
      ...grouped(this.choices.moves).map(([title, moves]) =>
        el(
          "section",
          {},
          el("h3", {}, title),
          ...moves.map(choice =>
            button(choice.move, () => this.#play(choice), { title: choice.words, "data-choice": choice.move }),
          ),
        ),
      ),
    );
    this.end.hidden = !game.moves.length;
  }

  #mark() {
    const { decision } = this.position;
    const hints = this.analysis ? hintsByPlace(this.analysis.moves) : new Map();
    this.desk.board.mark(this.busy ? new Map() : this.choices.open(this.selected), {
      selected: this.selected,
      running: runningOrder(decision),
      hints,
    });
  }

  #showThinking({ simulations, seconds }) {
    if (this.game.status !== "thinking") return;
    this.question.textContent = `${count(simulations)} simulations in ${seconds.toFixed(1)} s`;
  }

  #announce(before) {
    const fresh = this.game.moves.slice(before?.moves.length ?? this.game.moves.length);
    const told = fresh.map(move => `${this.#called(move.player)} ${move.words}.`);
    say([...told, `${this.who.textContent}: ${this.question.textContent}`].join(" "));
  }

  // --- What people do ------------------------------------------------------------------------------------

  #press(place) {
    const pressed = this.choices.press(place, this.selected);
    if (pressed.play) this.#play(pressed.play);
    else if (pressed.ask) {
      const options = pressed.ask.map(choice => ({ ...optionOf(choice), value: choice }));
      this.desk.board.ask(place, options, choice => this.#play(choice));
    } else if ("select" in pressed) this.#select(pressed.select);
  }

  #select(place) {
    this.desk.board.closeChooser();
    this.selected = place;
    this.#ask();
    this.#mark();
  }

  async #play({ move }) {
    this.selected = null;
    await this.#act("POST", "moves", { move, version: this.game.version });
  }

  #undo() {
    return this.#act("POST", "undo", {});
  }

  #pace(pace) {
    return this.#act("PUT", "pace", pace);
  }

  /** Do one thing at a time: what is pressed meanwhile counts for nothing. */
  async #act(method, what, body) {
    if (this.busy) return;
    clearNotice();
    this.busy = true;
    toggle(this.element, "aria-busy", "true");
    this.desk.board.closeChooser();
    try {
      const game = await ask(method, `${this.path}/${what}`, body);
      this.busy = false;
      this.#show(game);
    } catch (error) {
      notify(error);
      if (error.status === 409) await this.#refresh();
    } finally {
      this.busy = false;
      toggle(this.element, "aria-busy", null);
      this.#mark();
    }
  }

  async #hint() {
    const { version } = this.game;
    if (this.hinting) return;
    this.hinting = true;
    toggle(this.hintButton, "aria-busy", "true");
    try {
      const analysis = await ask("POST", `${this.path}/hint`, {});
      if (version === this.game.version) this.analysis = { ...analysis, moves: known(analysis.moves).slice(0, HINTS) };
      this.#mark();
      this.#showHint();
    } catch (error) {
      notify(error);
    } finally {
      this.hinting = false;
      toggle(this.hintButton, "aria-busy", null);
    }
  }

  #showHint() {
    this.hintCard.hidden = !this.analysis;
    for (const answer of this.answers.querySelectorAll("[data-move]")) {
      const at = this.analysis?.moves.findIndex(({ move }) => move === answer.dataset.move) ?? -1;
      toggle(answer, "data-hint", at >= 0 && `${at + 1} ${worth(this.analysis.moves[at])}`);
    }
    if (!this.analysis) return;
    const { moves, agent, simulations } = this.analysis;
    const best = `Hint: ${moves[0].move}, ${moves[0].words} ${worth(moves[0]) && `(${worth(moves[0])})`}`.trim();
    this.recent.textContent = best;
    say(best);
    this.hints.replaceChildren(
      hintsTable(moves),
      el("p", { class: "quiet" }, `${agent}, ${count(simulations)} simulations; figures are those of who decides`),
    );
  }

  #areas() {
    this.areasButton.setAttribute("aria-pressed", this.desk.toggleAreas());
  }

  #explain() {
    this.explanation.hidden = !this.explanation.hidden;
    this.explainButton.setAttribute("aria-expanded", !this.explanation.hidden);
  }

  async #save() {
    try {
      const text = await askText(`${this.path}/record`);
      const link = el("a", {
        href: URL.createObjectURL(new Blob([text], { type: "text/plain" })),
        download: "game.basilica",
      });
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    } catch (error) {
      notify(error);
    }
  }

  async #replay() {
    try {
      const replay = await ask("POST", "/api/replays", { text: await askText(`${this.path}/record`) });
      location.hash = `#/replay/${replay.id}`;
    } catch (error) {
      notify(error);
    }
  }

  async #refresh() {
    try {
      this.#show(await ask("GET", this.path));
    } catch (error) {
      notify(error);
    }
  }

  /** The stream broke: perhaps the game is gone. */
  async #check() {
    try {
      this.#show(await ask("GET", this.path));
    } catch (error) {
      if (error.status === 404) this.#gone();
    }
  }

  #gone() {
    this.live.close();
    notify(new Failure("This game is no longer on the server.", 404));
  }

  #focusChoice() {
    const target = this.answers.querySelector("button") ?? this.element.querySelector(".target[data-legal]") ?? this.who;
    target.focus({ preventScroll: true });
  }
}

function nearestSpeed(delay) {
  const speeds = SPEEDS.map(([seconds]) => seconds);
  return String(speeds.reduce((best, each) => (Math.abs(each - delay) < Math.abs(best - delay) ? each : best)));
}

/** The moves that were looked at; of an agent that only acts, its choice. */
const known = moves => moves.filter(({ visits }, at) => visits || !at);
