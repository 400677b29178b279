// A position from text: play on from it, and let an agent say what its moves are worth.

import { AgentChoice } from "./agents.js";
import { ask, clearNotice, notify, say } from "./api.js";
import { Desk } from "./desk.js";
import { button, el, labelled, toggle } from "./dom.js";
import { count, hintsByPlace, movesTable, percent, points, sentence } from "./figures.js";
import { card } from "./log.js";
import { Choices, optionOf, runningOrder } from "./moves.js";
import { actionDots } from "./panel.js";
import { builder } from "./pieces.js";
import { nowTable } from "./scoring.js";

const MARKED = 3;
const NAMES = ["Black", "White"];
const ANALYSTS = [
  ["mcts:ms=1000", "one second (mcts:ms=1000)"],
  ["mcts:ms=4000", "four seconds (mcts:ms=4000)"],
  ["mcts:sims=2000", "2,000 simulations (mcts:sims=2000)"],
];
const EXAMPLE =
  "B2*,B9,B4,RG0,G9/RG1,B8+1,RB0+0,B3,BG1*+0M/.,YB1+1,Y7*+1M,BG2,G1/.,.,.,.,YG2 R3,R7,YG0 Y8,B6,RY2 R4,B7,Y6 " +
  "G0,R9,B1,G5,RB2,RB1,R6,Y3,G6,Y9,RY1,G3,G4,G2,G7,R5,BG0,Y2,RG2,B5,YB2,Y0,R0,B0,R1,RY0,R8,Y5,Y4,R2,YG1,YB0,G8,Y1 " +
  "25 25:26 2:0 0:2 promote:2 1";

const setUp = text => ask("POST", "/api/positions", { position: text });

export class AnalyseView {
  title = "Analyse";

  /** `text` is the position text of the address; without one there is an example. */
  static async open(text, about) {
    try {
      return new AnalyseView(await setUp(text || EXAMPLE), about);
    } catch (error) {
      if (!text || error.status !== 422) throw error;
      notify(error);
      const view = new AnalyseView(await setUp(EXAMPLE), about);
      view.text.value = text;
      return view;
    }
  }

  constructor(position, about) {
    this.line = []; // the positions gone through, the present one last
    this.#build(about);
    this.#go([position], []);
    this.keys = {
      a: () => this.#areas(),
      u: () => this.backButton.disabled || this.#back(),
      Escape: () => this.#select(null),
    };
  }

  close() {
    this.thinking?.abort();
    this.desk.close();
  }

  #build(about) {
    this.pawn = el("span", { class: "pawn" });
    this.who = el("h1", { tabindex: "-1" });
    this.dots = el("span");
    this.question = el("p", { class: "question" });
    this.answers = el("div", { class: "answers" });
    this.analyseButton = button("Analyse", () => this.#analyse(), { class: "main" });
    this.backButton = button("Back", () => this.#back(), { title: "Take a move back (U)" });
    this.areasButton = button("Areas", () => this.#areas(), { "aria-pressed": "false" });
    this.played = el("p", { class: "recent" });
    const decision = el(
      "section",
      { class: "decision", "aria-label": "Decision" },
      el("div", { class: "who" }, this.pawn, this.who, this.dots),
      this.question,
      this.played,
      el(
        "div",
        { class: "controls" },
        this.answers,
        el("div", { class: "toolbar" }, this.analyseButton, this.backButton, this.areasButton),
      ),
    );
    this.agent = new AgentChoice(about, "Agent", ANALYSTS[0][0], { telling: true, first: ANALYSTS });
    this.result = el("div", { "aria-live": "polite" });
    this.now = el("div");
    this.desk = new Desk(
      decision,
      [
        card("Analysis", true, this.agent.element, this.result),
        card("Position", true, this.#textForm()),
        card("Areas", false, this.now),
      ],
      place => this.#press(place),
    );
    this.element = this.desk.element;
  }

  #textForm() {
    this.text = el("textarea", { rows: 6, spellcheck: "false", required: true, maxlength: "4000" });
    const form = el(
      "form",
      {},
      labelled("Position text", this.text),
      el(
        "div",
        { class: "toolbar" },
        el("button", { type: "submit" }, "Set up"),
        button("Example", () => { this.text.value = EXAMPLE; form.requestSubmit(); }),
      ),
    );
    form.addEventListener("submit", async event => {
      event.preventDefault();
      clearNotice();
      try {
        this.#go([await setUp(this.text.value.trim())], []);
      } catch (error) {
        notify(error);
      }
    });
    return form;
  }

  /** Show the last of some positions, to which these moves led. */
  #go(positions, moves) {
    this.thinking?.abort();
    this.positions = positions;
    this.moves = moves;
    this.position = positions.at(-1);
    this.choices = new Choices(this.position.legal);
    this.analysis = null;
    this.selected = null;
    this.desk.show(this.position, NAMES);
    this.#showDecision();
    this.#mark();
    this.result.replaceChildren(el("p", { class: "quiet" }, "Play on from here on the board, or have the moves weighed."));
    this.now.replaceChildren(nowTable(this.position));
    this.text.value = this.position.text;
    history.replaceState(null, "", `#/analyse/${encodeURIComponent(this.position.text)}`);
    say(`${this.who.textContent}: ${this.question.textContent}`);
  }

  #showDecision() {
    const { position } = this;
    this.pawn.replaceChildren(...(position.over ? [] : [builder(position.player, 34)]));
    this.who.textContent = position.over ? "The game is over" : `${NAMES[position.player]} decides`;
    this.dots.replaceChildren(actionDots(position) ?? "");
    this.question.textContent = position.over ? position.result : sentence(position.question);
    this.played.textContent = this.moves.length ? `Played: ${this.moves.join(" ")}` : "";
    const builderMove = this.choices.moves.filter(({ move }) => move === "B");
    this.answers.replaceChildren(
      ...[...builderMove, ...this.choices.answers].map(choice =>
        button(choice.move === "B" ? `Place a builder on ${choice.places[0]}` : choice.words, () => this.#play(choice)),
      ),
    );
    this.backButton.disabled = !this.moves.length;
    this.analyseButton.disabled = position.over;
  }

  #mark(look = null) {
    const moves = look ? [look] : (this.analysis?.moves.slice(0, MARKED) ?? []);
    const hints = hintsByPlace(moves);
    this.desk.board.mark(this.choices.open(this.selected), {
      selected: this.selected,
      running: runningOrder(this.position.decision),
      hints,
    });
  }

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
    this.#mark();
  }

  async #play({ move }) {
    if (this.busy) return;
    this.busy = true;
    clearNotice();
    try {
      const after = await ask("POST", "/api/positions", { position: this.position.text, moves: [move] });
      this.#go([...this.positions, after], [...this.moves, move]);
    } catch (error) {
      notify(error);
    } finally {
      this.busy = false;
    }
  }

  #back() {
    this.#go(this.positions.slice(0, -1), this.moves.slice(0, -1));
  }

  #areas() {
    this.areasButton.setAttribute("aria-pressed", this.desk.toggleAreas());
  }

  async #analyse() {
    if (this.thinking) {
      this.thinking.abort();
      return;
    }
    clearNotice();
    const thinking = new AbortController();
    this.thinking = thinking;
    this.analyseButton.textContent = "Stop";
    toggle(this.result, "aria-busy", "true");
    this.result.replaceChildren(el("p", { class: "wait" }, `${this.agent.value} is thinking …`));
    try {
      const body = { position: this.position.text, moves: [], agent: this.agent.value };
      this.analysis = await ask("POST", "/api/analyses", body, thinking.signal);
      this.#showAnalysis();
    } catch (error) {
      if (this.thinking === thinking) this.result.replaceChildren();
      notify(error);
    } finally {
      this.thinking = null;
      this.analyseButton.textContent = "Analyse";
      toggle(this.result, "aria-busy", null);
    }
  }

  #showAnalysis() {
    const { agent, moves, line, simulations, seconds } = this.analysis;
    const [best] = moves;
    const sums = [
      ["Best", `${best.move}, ${best.words}`],
      best.win_chance !== null && ["Win chance", percent(best.win_chance)],
      best.margin !== null && ["Margin", points(best.margin)],
      line.length > 1 && ["Line", line.join(" ")],
    ].filter(Boolean);
    const table = movesTable(moves, move => this.#mark(move), move => this.#play(move));
    this.result.replaceChildren(
      el("dl", { class: "headers" }, ...sums.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)])),
      table,
      el("p", { class: "quiet" }, `${agent}, ${count(simulations)} simulations in ${seconds.toFixed(1)} s; figures are those of ${NAMES[this.analysis.player]}`),
    );
    this.#mark();
  }
}
