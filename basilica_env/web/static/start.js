// The forms that begin a game to play or to watch.

import { ask, clearNotice, notify } from "./api.js";
import { AgentChoice } from "./agents.js";
import { button, el, labelled, select } from "./dom.js";
import { SPEEDS } from "./game.js";
import { forget, keptGames } from "./kept.js";
import { frieze } from "./pieces.js";

const FRIEND = "friend";
const COLOURS = ["Black", "White"];
const PACE = "0.7"; // seconds that a move of an agent takes, so that people can follow it

/** Begin a game against an agent, or with a friend on this screen. */
export class PlayStart {
  title = "Play";
  keys = {};

  constructor(about) {
    const friend = [[FRIEND, "A friend on this screen"]];
    const opponent = new AgentChoice(about, "Opponent", "easy", { first: friend });
    const seat = select([["0", "Black, who begins"], ["1", "White"], ["random", "by chance"]], "0");
    const names = COLOURS.map(colour => el("input", { type: "text", value: colour, maxlength: "40", required: true }));
    const seatField = labelled("You play", seat);
    const nameFields = names.map((name, player) => labelled(`Name of ${COLOURS[player]}`, name));
    const more = new MoreOptions();
    const change = () => {
      const friends = opponent.value === FRIEND;
      seatField.hidden = friends;
      for (const field of nameFields) field.hidden = !friends;
    };
    opponent.select.addEventListener("change", change);
    change();
    const form = startForm("Begin the game", [opponent.element, seatField, ...nameFields, more.element], () => {
      const people = names.map(name => ({ kind: "person", name: name.value.trim() }));
      if (opponent.value === FRIEND) return { players: people, ...more.value };
      const agent = { kind: "agent", agent: opponent.value };
      const mine = seat.value === "random" ? Math.floor(Math.random() * 2) : Number(seat.value);
      const me = { kind: "person", name: COLOURS[mine] };
      return { players: mine ? [agent, me] : [me, agent], delay: Number(PACE), ...more.value };
    });
    this.element = startPage("Play", "Against an agent, or with a friend on the same screen.", form);
  }

  close() {}
}

/** Begin a game between two agents. */
export class WatchStart {
  title = "Watch";
  keys = {};

  constructor(about) {
    const agents = COLOURS.map((colour, player) => new AgentChoice(about, colour, player ? "medium" : "easy"));
    const delay = select(SPEEDS, PACE);
    const more = new MoreOptions();
    const fields = [...agents.map(agent => agent.element), labelled("Speed", delay), more.element];
    const form = startForm("Watch them play", fields, () => ({
      players: agents.map(agent => ({ kind: "agent", agent: agent.value })),
      delay: Number(delay.value),
      ...more.value,
    }));
    this.element = startPage("Watch", "Two agents play; you can pause, step and change the speed.", form);
  }

  close() {}
}

/** Seed and position, for those who want them. */
class MoreOptions {
  constructor() {
    this.seed = el("input", { type: "text", inputmode: "numeric", pattern: "[0-9]{1,15}", placeholder: "by chance" });
    this.position = el("textarea", { rows: 3, spellcheck: "false", placeholder: "a new deal" });
    this.element = el(
      "details",
      { class: "more" },
      el("summary", {}, "Seed and position"),
      labelled("Seed", this.seed, "The same seed deals the same game."),
      labelled("Position to begin at", this.position, "As position text."),
    );
  }

  get value() {
    const [seed, position] = [this.seed.value.trim(), this.position.value.trim()];
    return { ...(seed && { seed: Number(seed) }), ...(position && { position }) };
  }
}

function startForm(label, fields, newGame) {
  const submit = el("button", { type: "submit", class: "main" }, label);
  const form = el("form", { class: "card start" }, ...fields, submit);
  form.addEventListener("submit", async event => {
    event.preventDefault();
    clearNotice();
    submit.disabled = true;
    try {
      const game = await ask("POST", "/api/games", newGame());
      location.hash = `#/game/${game.id}`;
    } catch (error) {
      notify(error);
      submit.disabled = false;
    }
  });
  return form;
}

function startPage(title, words, form) {
  return el(
    "div",
    { class: "page" },
    el("h1", {}, title),
    el("p", { class: "lead" }, words),
    frieze(),
    el("div", { class: "columns" }, form, el("div", {}, goal(), yourGames())),
  );
}

function goal() {
  return el(
    "section",
    { class: "card" },
    el("h2", {}, "The game"),
    el(
      "p",
      {},
      "Two players build one cathedral of coloured vaults, put their builders on it and contest its areas, while " +
        "crowns drive the king towards the next scoring. A turn is three small actions: place a vault, place a " +
        "builder on it, execute an order.",
    ),
    button("The rules in short", () => document.getElementById("open-rules").click()),
  );
}

function yourGames() {
  const games = keptGames();
  if (!games.length) return null;
  const list = el("ul", { class: "kept" });
  const drop = (id, item) => {
    forget(id);
    item.remove();
  };
  for (const { id, players, begun } of games) {
    const when = new Date(begun);
    const item = el(
      "li",
      {},
      el("a", { href: `#/game/${encodeURIComponent(id)}` }, players.join(" – ")),
      el("small", {}, Number.isNaN(when.valueOf()) ? "" : when.toLocaleString()),
      button("Forget", () => drop(id, item), { class: "quiet", "aria-label": `Forget ${players.join(" – ")}` }),
    );
    list.append(item);
  }
  return el("section", { class: "card" }, el("h2", {}, "Your games"), list);
}
