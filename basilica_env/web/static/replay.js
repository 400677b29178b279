// A recorded game: step through it, see how it went, read its scorings.

import { AgentChoice } from "./agents.js";
import { Live, ask, clearNotice, notify, say } from "./api.js";
import { Chart, MEASURES } from "./chart.js";
import { DecisionCard } from "./decision.js";
import { Desk } from "./desk.js";
import { button, el, labelled, select, toggle } from "./dom.js";
import { apart, pairs } from "./figures.js";
import { Log, card } from "./log.js";
import { frieze } from "./pieces.js";
import { nowTable, scoringTable } from "./scoring.js";

const SPEEDS = [
  [2000, "Slow"],
  [800, "Normal"],
  [300, "Fast"],
  [80, "Very fast"],
];
const EVALUATOR = "mcts:sims=400";

/** Where a record is uploaded or pasted. */
export class ReplayStart {
  title = "Replay";
  keys = {};

  constructor() {
    const text = el("textarea", {
      rows: 10,
      spellcheck: "false",
      placeholder: '[Format "basilica 1"]\n…',
      required: true,
    });
    const file = el("input", { type: "file", accept: ".basilica,text/plain" });
    const number = el("input", { type: "number", min: 1, value: 1, required: true });
    file.addEventListener("change", async () => {
      if (file.files.length) text.value = await file.files[0].text();
    });
    const submit = el("button", { type: "submit", class: "main" }, "Show the game");
    const form = el(
      "form",
      { class: "card start" },
      labelled("File", file, "A record, as basilica demo, match and this page write it."),
      labelled("Or its text", text),
      labelled("Which game of the file", number),
      submit,
    );
    form.addEventListener("submit", async event => {
      event.preventDefault();
      clearNotice();
      submit.disabled = true;
      try {
        const replay = await ask("POST", "/api/replays", { text: text.value, number: Number(number.value) });
        location.hash = `#/replay/${replay.id}`;
      } catch (error) {
        notify(error);
        submit.disabled = false;
      }
    });
    this.element = el(
      "div",
      { class: "page" },
      el("h1", {}, "Replay"),
      el("p", { class: "lead" }, "Step through a recorded game, see how it went and read its scorings by area."),
      frieze(),
      form,
    );
  }

  close() {}
}

export class ReplayView {
  static async open(id, about) {
    const path = `/api/replays/${encodeURIComponent(id)}`;
    const [replay, first] = await Promise.all([ask("GET", path), ask("GET", `${path}/positions/0`)]);
    return new ReplayView(path, replay, first, about);
  }

  constructor(path, replay, first, about) {
    this.path = path;
    this.replay = replay;
    this.names = apart(replay.players);
    this.last = replay.moves.length;
    this.scorings = replay.moves.filter(move => move.scoring).map(move => move.number);
    this.positions = new Map([[0, Promise.resolve(first)]]);
    this.evaluation = replay.evaluation;
    this.values = [];
    this.measure = "lead";
    this.at = 0;
    this.#build(about);
    this.#show(0, first);
    this.live = new Live(`${path}/events`, { evaluation: news => this.#evaluated(news) });
    this.keys = {
      ArrowLeft: () => this.#jump(this.at - 1),
      ArrowRight: () => this.#jump(this.at + 1),
      Home: () => this.#jump(0),
      End: () => this.#jump(this.last),
      PageUp: () => this.#jump(this.scorings.findLast(number => number < this.at) ?? 0),
      PageDown: () => this.#jump(this.scorings.find(number => number > this.at) ?? this.last),
      " ": () => this.#toggle(),
      a: () => this.#areas(),
    };
  }

  get title() {
    return `${this.names.join(" – ")}, replay`;
  }

  close() {
    this.#pause();
    this.live.close();
    this.chart.close();
    this.desk.close();
  }

  #build(about) {
    this.slider = el("input", { type: "range", min: 0, max: this.last, value: 0, "aria-label": "Move" });
    this.slider.addEventListener("input", () => this.#jump(Number(this.slider.value)));
    this.playButton = button("Play", () => this.#toggle(), { class: "main" });
    this.areasButton = button("Areas", () => this.#areas(), { "aria-pressed": "false" });
    this.clearedButton = button("After it", () => this.#clear(), { "aria-pressed": "false" });
    this.speed = select(SPEEDS, 800, { "aria-label": "Speed" });
    const step = (sign, label, go, attributes = {}) =>
      button(sign, go, { "aria-label": label, title: label, ...attributes });
    this.decision = new DecisionCard(
      "Replay",
      step("|◀", "First position", () => this.#jump(0), { class: "ends" }),
      step("◀", "One move back", () => this.#jump(this.at - 1)),
      this.playButton,
      step("▶", "One move on", () => this.#jump(this.at + 1)),
      step("▶|", "Last position", () => this.#jump(this.last), { class: "ends" }),
      this.speed,
      this.areasButton,
      this.clearedButton,
    );
    this.decision.element.classList.add("replaying");
    this.decision.question.replaceWith(this.slider);
    this.log = new Log(number => this.#jump(number));
    this.chart = new Chart(number => this.#jump(number));
    this.scoring = el("div");
    this.now = el("div");
    this.desk = new Desk(this.decision.element, [
      this.#courseCard(about),
      this.#scoringsCard(),
      card("Moves", true, this.log.list),
      card("Areas", false, this.now),
      card("Position", false, this.#textOf()),
      card("Record", false, this.#headers()),
    ]);
    this.element = this.desk.element;
  }

  #courseCard(about) {
    const titles = Object.entries(MEASURES).map(([name, { title }]) => [name, `${title} of ${this.names[0]}`]);
    this.measures = select(titles, "lead", { "aria-label": "What the chart shows" });
    this.measures.addEventListener("change", () => this.#measure(this.measures.value));
    this.agent = new AgentChoice(about, "Evaluate with", EVALUATOR, {
      telling: true,
      first: [
        [EVALUATOR, `quick (${EVALUATOR})`],
        ["mcts:sims=4000", "thorough (mcts:sims=4000)"],
      ],
    });
    this.evaluateButton = button("Evaluate", () => this.#evaluate());
    this.progress = el("progress", { "aria-label": "Evaluated", hidden: true });
    this.told = el("span", { class: "quiet" });
    return card(
      "Course of the game",
      true,
      this.measures,
      this.chart.element,
      el("div", { class: "evaluate" }, this.agent.element, this.evaluateButton),
      el("div", { class: "toolbar" }, this.progress, this.told),
    );
  }

  #scoringsCard() {
    const jumps = this.scorings.map((number, at) =>
      button(`${at + 1}. (move ${number})`, () => this.#jump(number), {
        "aria-label": `Scoring ${at + 1}, move ${number}`,
      }),
    );
    this.jumps = el("div", { class: "toolbar" }, ...jumps);
    const made = card("Scorings", true, this.jumps, this.scoring);
    made.hidden = !jumps.length;
    return made;
  }

  #textOf() {
    this.text = el("textarea", { rows: 5, readonly: true, spellcheck: "false" });
    this.analyse = el("a", { class: "button" }, "Analyse this position");
    return el("div", {}, labelled("Position text", this.text), this.analyse);
  }

  #headers() {
    const { result, scores, termination, date, seed, headers, number, games, players } = this.replay;
    const rows = [
      ["Black", players[0]],
      ["White", players[1]],
      ["Result", `${result}, ${scores.join(":")}, ${termination}`],
      ["Date", date],
      ["Seed", seed ?? "not known"],
      ["Game", `${number} of ${games}`],
      ...headers,
    ];
    return pairs(rows);
  }

  // --- Going through it ----------------------------------------------------------------------------------

  #jump(number) {
    this.#pause();
    this.#go(number).catch(notify);
  }

  async #go(number) {
    const goal = Math.max(0, Math.min(this.last, number));
    this.at = goal;
    const scores = this.replay.moves[goal - 1]?.scoring;
    const [position, before] = await Promise.all([goal, scores ? goal - 1 : goal].map(at => this.#position(at)));
    if (this.at === goal) this.#show(goal, position, before);
    if (goal < this.last) this.#position(goal + 1).catch(() => {}); // it is asked for again when it is needed
  }

  #position(number) {
    if (!this.positions.has(number)) {
      const coming = ask("GET", `${this.path}/positions/${number}`);
      coming.catch(() => this.positions.delete(number));
      this.positions.set(number, coming);
    }
    return this.positions.get(number);
  }

  /** Show the position after so many moves; the board of a scoring as it was scored, `before` it was cleared. */
  #show(number, position, before = position) {
    const move = this.replay.moves[number - 1];
    this.boards = { position, before, move };
    this.cleared = false;
    this.#draw();
    const words = move ? `${this.names[move.player]} ${move.words}` : this.names.join(" against ");
    this.decision.show(move?.player ?? null, words, `${number} / ${this.last}`);
    const scored = move?.scoring && "The board as it was scored.";
    this.decision.recent.textContent = [move?.comment, scored].filter(Boolean).join(" ");
    this.slider.value = number;
    this.slider.setAttribute("aria-valuetext", `Move ${number}: ${words}`);
    this.log.show(this.replay.moves, number);
    this.now.replaceChildren(nowTable(position));
    this.text.value = position.text;
    this.analyse.href = `#/analyse/${encodeURIComponent(position.text)}`;
    const last = this.replay.moves.slice(0, number).findLast(({ scoring }) => scoring);
    this.scoring.replaceChildren(last ? scoringTable(last.scoring) : "");
    [...this.jumps.children].forEach((jump, at) =>
      toggle(jump, "aria-current", this.scorings[at] === last?.number && "true"),
    );
    this.#chart();
    if (!this.timer) say(`Move ${number}: ${words}`);
  }

  /** Draw the board; that of a scoring with the vault that caused it, unless the cleared one is wanted. */
  #draw() {
    const { position, before, move } = this.boards;
    const scored = this.cleared ? null : move?.scoring;
    this.desk.show(position, this.names, scored ? before : position);
    this.clearedButton.hidden = !move?.scoring;
    this.clearedButton.setAttribute("aria-pressed", this.cleared);
    if (!scored) return;
    const [, space, square] = move.move.match(/^V([1-3])([a-e]\d+)$/) ?? [];
    if (square) this.desk.board.lay(`vault-${space}`, square);
    const areas = scored.areas.filter(({ builders }) => builders.some(Boolean));
    this.desk.board.point(areas.flatMap(({ squares }) => squares));
  }

  #clear() {
    this.cleared = !this.cleared;
    this.#draw();
  }

  #toggle() {
    if (this.timer) this.#pause();
    else this.#play();
  }

  #play() {
    this.playButton.textContent = "Pause";
    const next = async () => {
      try {
        await this.#go(this.at + 1);
      } catch (error) {
        notify(error);
        this.#pause();
        return;
      }
      if (this.timer && this.at < this.last) this.timer = setTimeout(next, Number(this.speed.value));
      else this.#pause();
    };
    this.timer = setTimeout(next, 0);
    if (this.at === this.last) this.at = -1; // from the beginning
  }

  #pause() {
    clearTimeout(this.timer);
    this.timer = null;
    this.playButton.textContent = "Play";
  }

  #areas() {
    this.areasButton.setAttribute("aria-pressed", this.desk.toggleAreas());
  }

  // --- Evaluation ----------------------------------------------------------------------------------------

  async #evaluate() {
    clearNotice();
    const running = this.evaluation.status === "running";
    try {
      if (running) await ask("DELETE", `${this.path}/evaluation`);
      else {
        this.values = [];
        await ask("PUT", `${this.path}/evaluation`, { agent: this.agent.value });
        this.#measure("win_chance");
      }
    } catch (error) {
      notify(error);
    }
  }

  #evaluated(news) {
    if (news.values.length && news.values[0].number === 0) this.values = [];
    this.values.push(...news.values);
    this.evaluation = news;
    const running = news.status === "running";
    this.evaluateButton.textContent = running ? "Stop" : "Evaluate";
    this.progress.hidden = !running;
    this.progress.max = news.total || 1;
    this.progress.value = news.done;
    const progress = news.agent ? `${news.agent}: ${news.done} of ${news.total}` : "";
    this.told.textContent = news.failure || progress;
    if (this.values.length && this.measure === "lead" && !this.measured) this.#measure("win_chance");
    else this.#chart();
  }

  #measure(name) {
    this.measured = true; // from now on people choose
    this.measure = name;
    this.measures.value = name;
    this.#chart();
  }

  #chart() {
    const values = this.measure === "lead" ? this.#leads() : this.#estimates();
    this.chart.show(this.measure, values, this.scorings, this.last, this.at, this.names);
  }

  #leads() {
    const leads = this.replay.moves.map(({ number, scores: [first, second] }) => ({ number, value: first - second }));
    return [{ number: 0, value: 0 }, ...leads];
  }

  #estimates() {
    const estimates = this.values.map(estimate => ({ number: estimate.number, value: estimate[this.measure] }));
    return estimates.filter(({ value }) => value !== null);
  }
}
