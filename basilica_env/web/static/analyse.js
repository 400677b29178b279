// A position from text: play on from it, and let an agent say what its moves are worth.

import { AgentChoice } from "./agents.js";
import { ask, clearNotice, notify, say } from "./api.js";
import { Choosing, DecisionCard, actionDots } from "./decision.js";
import { Desk } from "./desk.js";
import { button, el, labelled, toggle } from "./dom.js";
import { count, hintsByPlace, movesTable, pairs, percent, points, sentence, worth } from "./figures.js";
import { card } from "./log.js";
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

const setUp = (text, moves = []) => ask("POST", "/api/positions", { position: text, moves });

export class AnalyseView {
  title = "Analyse";

  /** `text` is the position text of the address; without one, or with a faulty one, there is an example. */
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
    this.choosing = new Choosing(
      choice => this.#play(choice),
      () => this.#ask(),
    );
    this.#build(about);
    this.#go([position], []);
    this.keys = {
      a: () => this.#areas(),
      u: () => this.backButton.disabled || this.#back(),
      Escape: () => this.choosing.select(null),
    };
  }

  close() {
    this.thinking?.abort();
    this.desk.close();
  }

  #build(about) {
    this.analyseButton = button("Analyse", () => this.#analyse(), { class: "main" });
    this.backButton = button("Back", () => this.#back(), { title: "Take a move back (U)" });
    this.areasButton = button("Areas", () => this.#areas(), { title: "Areas (A)", "aria-pressed": "false" });
    this.decision = new DecisionCard("Decision", this.analyseButton, this.backButton, this.areasButton);
    this.agent = new AgentChoice(about, "Agent", ANALYSTS[0][0], { telling: true, first: ANALYSTS });
    this.result = el("div", { "aria-live": "polite" });
    this.now = el("div");
    this.desk = new Desk(
      this.decision.element,
      [
        card("Analysis", true, this.agent.element, this.result),
        card("Position", true, this.#textForm()),
        card("Areas", false, this.now),
      ],
      place => this.choosing.press(place),
    );
    this.element = this.desk.element;
  }

  #textForm() {
    this.text = el("textarea", { rows: 6, spellcheck: "false", required: true, maxlength: "4000" });
    const show = async text => {
      clearNotice();
      try {
        this.#go([await setUp(text)], []);
      } catch (error) {
        notify(error);
      }
    };
    const submit = event => {
      event.preventDefault();
      show(this.text.value.trim());
    };
    return el(
      "form",
      { on: { submit } },
      labelled("Position text", this.text),
      el(
        "div",
        { class: "toolbar" },
        el("button", { type: "submit" }, "Set up"),
        button("Example", () => show(EXAMPLE)),
      ),
    );
  }

  /** Show the last of some positions, to which these moves led. */
  #go(positions, moves) {
    this.thinking?.abort();
    this.positions = positions;
    this.moves = moves;
    this.position = positions.at(-1);
    const { position, decision } = this;
    this.desk.show(position, NAMES);
    this.choosing.begin(this.desk.board, position);
    const who = position.over ? "The game is over" : `${NAMES[position.player]} decides`;
    decision.show(position.player, who, actionDots(position));
    decision.answer(this.choosing.choices, choice => this.#play(choice));
    decision.recent.textContent = moves.length ? `Played: ${moves.join(" ")}` : "";
    this.#ask();
    this.backButton.disabled = !moves.length;
    this.analyseButton.disabled = position.over;
    const invitation = "Play on from here on the board, or have the moves weighed.";
    this.result.replaceChildren(el("p", { class: "quiet" }, position.over ? "" : invitation));
    this.now.replaceChildren(nowTable(position));
    this.text.value = position.text;
    history.replaceState(null, "", `#/analyse/${encodeURIComponent(position.text)}`);
    say(`${who}: ${decision.question.textContent}`);
  }

  #ask() {
    const { over, result, question } = this.position;
    this.decision.question.textContent = this.choosing.words || (over ? result : sentence(question));
  }

  async #play({ move }) {
    if (this.choosing.held) return;
    this.choosing.hold(true);
    clearNotice();
    try {
      const after = await setUp(this.position.text, [move]);
      this.choosing.hold(false);
      this.#go([...this.positions, after], [...this.moves, move]);
    } catch (error) {
      notify(error);
    } finally {
      this.choosing.hold(false);
    }
  }

  #back() {
    this.#go(this.positions.slice(0, -1), this.moves.slice(0, -1));
  }

  #areas() {
    this.areasButton.setAttribute("aria-pressed", this.desk.toggleAreas());
  }

  /** Begin to think, or end it. */
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
      this.#showAnalysis(await ask("POST", "/api/analyses", body, thinking.signal));
    } catch (error) {
      this.result.querySelector(".wait")?.remove();
      notify(error);
    } finally {
      this.thinking = null;
      this.analyseButton.textContent = "Analyse";
      toggle(this.result, "aria-busy", null);
    }
  }

  #showAnalysis({ agent, player, moves, line, simulations, seconds }) {
    const [best] = moves;
    const sums = [
      ["Best", `${best.move}, ${best.words}`],
      best.win_chance !== null && ["Win chance", percent(best.win_chance)],
      best.margin !== null && ["Margin", points(best.margin)],
      line.length > 1 && ["Line", line.join(" ")],
    ].filter(Boolean);
    const source = `${agent}, ${count(simulations)} simulations in ${seconds.toFixed(1)} s`;
    this.decision.recent.textContent = `Best: ${best.move}, ${best.words} ${worth(best) && `(${worth(best)})`}`.trim();
    const look = move => this.choosing.mark(move ? hintsByPlace([move]) : undefined);
    this.choosing.hints = hintsByPlace(moves.slice(0, MARKED));
    this.choosing.mark();
    this.result.replaceChildren(
      pairs(sums),
      movesTable(moves, look, move => this.#play(move)),
      el("p", { class: "quiet" }, `${source}; figures are those of ${NAMES[player]}`),
    );
  }
}
