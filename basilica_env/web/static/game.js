// A game: people and agents play, or agents alone while people watch.

import { Failure, Live, ask, askText, clearNotice, notify, say } from "./api.js";
import { Choosing, DecisionCard, actionDots } from "./decision.js";
import { Desk } from "./desk.js";
import { button, el, select, toggle } from "./dom.js";
import { apart, count, hintsByPlace, hintsTable, sentence, worth } from "./figures.js";
import { remember } from "./kept.js";
import { Log, card } from "./log.js";
import { grouped } from "./moves.js";
import { nowTable, scoringTable } from "./scoring.js";

const HINTS = 5;
const OFFERS = {
  promote: "For your coin you promote one of your builders, to a rank other than the one just given.",
  recruit: "For your coin you put a builder from your supply next to one of your builders.",
  confuse: "For your coin you choose yourself which of your builders is moved, and where.",
};

/** How long a move of an agent takes at least, in seconds. */
export const SPEEDS = [
  ["2", "Slow"],
  ["0.7", "Normal"],
  ["0.2", "Fast"],
  ["0", "At once"],
];

/** Words about somebody, "places a builder", as said to them: "place a builder". */
const addressed = words => words.replace(/^does\b/, "do").replace(/^(\w+)s\b/, "$1");

export class GameView {
  static async open(id) {
    return new GameView(await ask("GET", `/api/games/${encodeURIComponent(id)}`));
  }

  constructor(game) {
    this.path = `/api/games/${game.id}`;
    this.choosing = new Choosing(
      choice => this.#play(choice),
      () => this.#ask(),
    );
    this.#build();
    this.#show(game);
    remember(game);
    this.live = new Live(`${this.path}/events`, {
      game: newer => this.#show(newer),
      thinking: progress => this.#showThinking(progress),
      gone: () => this.#gone(),
      broken: () => this.#refresh(),
    });
    this.keys = {
      h: () => this.hintButton.disabled || this.#hint(),
      u: () => this.undoButton.disabled || this.#act("POST", "undo", {}),
      a: () => this.#areas(),
      Escape: () => this.choosing.select(null),
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
    this.pauseButton = button("Pause", () => this.#act("PUT", "pace", { paused: !this.game.paused }));
    this.stepButton = button("Step", () => this.#act("POST", "step", {}));
    this.undoButton = button("Undo", () => this.#act("POST", "undo", {}), { title: "Undo (U)" });
    this.hintButton = button("Hint", () => this.#hint(), { title: "Hint (H)" });
    this.areasButton = button("Areas", () => this.#areas(), { title: "Areas (A)", "aria-pressed": "false" });
    this.explainButton = button("?", () => this.#explain(), {
      "aria-label": "What does this mean?",
      "aria-expanded": "false",
      title: "What does this mean?",
    });
    this.speed = select(SPEEDS, null, { "aria-label": "Speed of the agents" });
    this.speed.addEventListener("change", () => this.#act("PUT", "pace", { delay: Number(this.speed.value) }));
    this.decision = new DecisionCard(
      "Decision",
      this.pauseButton,
      this.stepButton,
      this.undoButton,
      this.hintButton,
      this.areasButton,
      this.explainButton,
      this.speed,
    );
    this.explanation = el("div", { class: "explanation", hidden: true });
    this.decision.element.append(this.explanation);
    this.hints = el("div");
    this.log = new Log();
    this.saving = el("div", { class: "toolbar" }, button("Save the record", () => this.#save()));
    this.scoring = el("div");
    this.list = el("div", { class: "choices" });
    this.now = el("div");
    this.hintCard = card("Hint", true, this.hints);
    this.scoringCard = card("Last scoring", true, this.scoring);
    this.listCard = card("All choices as a list", false, this.list);
    this.desk = new Desk(
      this.decision.element,
      [
        this.hintCard,
        card("Moves", true, this.log.list, this.saving),
        this.scoringCard,
        this.listCard,
        card("Areas", false, this.now),
      ],
      place => this.choosing.press(place),
    );
    this.element = this.desk.element;
  }

  #show(game) {
    const before = this.game;
    if (before && game.version <= before.version) return;
    const focused = [this.decision.answers, this.list].some(part => part.contains(document.activeElement));
    this.game = game;
    this.names = apart(game.players.map(player => player.name));
    this.people = game.players.filter(player => player.kind === "person").length;
    if (!before || before.position.svg !== game.position.svg || before.status !== game.status) {
      this.desk.show(game.position, this.names);
      this.choosing.begin(this.desk.board, game.position);
      this.#showHint(null);
    }
    this.#showDecision();
    this.#showTools();
    this.#showCards();
    this.#announce(before);
    if (focused) this.#focusChoice();
  }

  #showDecision() {
    const { position, moves, status } = this.game;
    const { decision } = this;
    decision.show(position.player, this.#who(), actionDots(position));
    this.#ask();
    const last = moves.at(-1);
    decision.recent.textContent = last && !position.over ? this.#told(last) : "";
    decision.answer(this.choosing.choices, choice => this.#play(choice));
    if (status === "failed") {
      decision.answers.replaceChildren(button("Try again", () => this.#act("POST", "step", {}), { class: "main" }));
    }
    if (position.over) {
      decision.answers.replaceChildren(
        button("Replay this game", () => this.#replay(), { class: "main" }),
        el("a", { class: "button", href: this.people ? "#/play" : "#/watch" }, "New game"),
      );
    }
    this.explanation.replaceChildren(...position.explanation.map(words => el("p", {}, words)));
    this.element.dataset.status = status;
  }

  #who() {
    const { status, position } = this.game;
    if (position.over) return "The game is over";
    const name = this.#called(position.player);
    if (status === "thinking") return `${name} is thinking`;
    if (status === "paused") return `Paused: ${name} is next`;
    if (status === "failed") return `${name} has failed`;
    return this.people === 1 ? "You decide" : `${name} decides`;
  }

  /** What a player is called: the only person is "You". */
  #called(player) {
    return this.#isYou(player) ? "You" : this.names[player];
  }

  #isYou(player) {
    return this.people === 1 && this.game.players[player].kind === "person";
  }

  /** What a player did. */
  #told({ player, words }) {
    return `${this.#called(player)} ${this.#isYou(player) ? addressed(words) : words}.`;
  }

  #ask() {
    this.decision.question.textContent = this.choosing.words || this.#question();
  }

  #question() {
    const { status, failure, position } = this.game;
    if (position.over) return position.result;
    if (status === "failed") return failure;
    const [kind, space] = position.decision.split(":");
    const gain = kind === "offer" ? `. ${OFFERS[position.orders[space - 1].order]}` : "";
    return this.people ? sentence(position.question) + gain : `To decide: ${position.question}`;
  }

  #showTools() {
    const { status, paused, delay, undo, position } = this.game;
    const stepping = !position.over && (this.people === 0 || paused);
    this.pauseButton.hidden = this.stepButton.hidden = !stepping;
    this.pauseButton.textContent = paused ? "Go on" : "Pause";
    this.stepButton.disabled = status !== "paused";
    this.undoButton.hidden = this.people === 0;
    this.undoButton.disabled = !undo;
    this.hintButton.hidden = this.people === 0 || position.over;
    this.hintButton.disabled = status !== "person";
    this.speed.hidden = this.people === 2 || position.over;
    if (document.activeElement !== this.speed) this.speed.value = nearestSpeed(delay);
  }

  #showCards() {
    const { moves, position } = this.game;
    const scored = moves.findLast(move => move.scoring);
    this.log.show(moves);
    this.saving.hidden = !moves.length;
    this.scoringCard.hidden = !scored;
    this.scoring.replaceChildren(scored ? scoringTable(scored.scoring) : "");
    this.now.replaceChildren(nowTable(position));
    this.listCard.hidden = !position.legal.length;
    this.list.replaceChildren(...grouped(this.choosing.choices.moves).map(group => this.#listed(group)));
  }

  #listed([title, moves]) {
    const buttons = moves.map(choice => button(choice.move, () => this.#play(choice), { title: choice.words }));
    return el("section", {}, el("h3", {}, title), ...buttons);
  }

  #showThinking({ simulations, seconds }) {
    if (this.game.status !== "thinking" || !simulations) return;
    this.decision.question.textContent = `${count(simulations)} simulations in ${seconds.toFixed(1)} s`;
  }

  /** Tell those who do not see the page what has happened and what is asked. */
  #announce(before) {
    const fresh = before ? this.game.moves.slice(before.number) : [];
    const told = fresh.map(move => this.#told(move));
    say([...told, `${this.#who()}: ${this.#question()}`].join(" "));
  }

  #focusChoice() {
    const { answers, who } = this.decision;
    const target = answers.querySelector("button") ?? this.element.querySelector(".target[data-legal]") ?? who;
    target.focus({ preventScroll: true });
  }

  // --- What people do ------------------------------------------------------------------------------------

  #play({ move }) {
    return this.#act("POST", "moves", { move, version: this.game.version });
  }

  /** Do one thing at a time: what is pressed meanwhile counts for nothing. */
  async #act(method, what, body) {
    if (this.choosing.held) return;
    clearNotice();
    this.choosing.hold(true);
    toggle(this.element, "aria-busy", "true");
    try {
      const game = await ask(method, `${this.path}/${what}`, body);
      this.choosing.hold(false);
      this.#show(game);
    } catch (error) {
      notify(error);
      if (error.status === 409) await this.#refresh();
    } finally {
      this.choosing.hold(false);
      toggle(this.element, "aria-busy", null);
    }
  }

  async #hint() {
    if (this.hinting) return;
    const { version } = this.game;
    this.hinting = true;
    toggle(this.hintButton, "aria-busy", "true");
    try {
      const analysis = await ask("POST", `${this.path}/hint`, {});
      if (version === this.game.version) this.#showHint(analysis);
    } catch (error) {
      notify(error);
    } finally {
      this.hinting = false;
      toggle(this.hintButton, "aria-busy", null);
    }
  }

  /** Show the best moves of an analysis on the board and in a list, or none. */
  #showHint(analysis) {
    const moves = analysis ? analysis.moves.filter(({ visits }, at) => visits || !at).slice(0, HINTS) : [];
    this.choosing.hints = hintsByPlace(moves);
    this.choosing.mark();
    this.hintCard.hidden = !analysis;
    if (!analysis) return;
    for (const answer of this.decision.answers.querySelectorAll("[data-move]")) {
      const at = moves.findIndex(({ move }) => move === answer.dataset.move);
      toggle(answer, "data-hint", at >= 0 && `${at + 1} · ${worth(moves[at])}`);
    }
    const [best] = moves;
    const words = `Hint: ${best.move}, ${best.words} ${worth(best) && `(${worth(best)})`}`.trim();
    this.decision.recent.textContent = words;
    say(words);
    const source = `${analysis.agent}, ${count(analysis.simulations)} simulations; figures are those of who decides`;
    this.hints.replaceChildren(hintsTable(moves), el("p", { class: "quiet" }, source));
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
      const record = new Blob([await askText(`${this.path}/record`)], { type: "text/plain" });
      const link = el("a", { href: URL.createObjectURL(record), download: "game.basilica" });
      link.click();
      URL.revokeObjectURL(link.href);
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

  /** See how the game stands, after a refused move or a broken stream. */
  async #refresh() {
    try {
      this.#show(await ask("GET", this.path));
    } catch (error) {
      if (error.status === 404) this.#gone(); // without an answer the stream tells when there is one again
    }
  }

  #gone() {
    this.live.close();
    notify(new Failure("This game is no longer on the server.", 404));
  }
}

function nearestSpeed(delay) {
  const distance = ([seconds]) => Math.abs(Number(seconds) - delay);
  return SPEEDS.reduce((best, speed) => (distance(speed) < distance(best) ? speed : best))[0];
}
