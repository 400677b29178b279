// Choosing an agent: a level, an agent by name, or any spec.

import { el, labelled } from "./dom.js";

const OTHER = "other";
const LEVELS = { easy: "Easy", medium: "Medium", hard: "Hard" };

/** A choice of agents, those of `first` before all others; with `telling` there are no others, except by spec. */
export class AgentChoice {
  constructor(about, label, chosen, { telling = false, first = [] } = {}) {
    this.spec = el("input", { type: "text", placeholder: "mcts:sims=2000", spellcheck: "false", maxlength: "80" });
    this.specField = labelled(`${label}: spec`, this.spec, agentsWords(about));
    const levels = Object.entries(about.levels).map(([level, spec]) => [level, `${LEVELS[level] ?? level} (${spec})`]);
    const agents = about.agents.map(({ name, words }) => [name, `${name}: ${words}`]);
    const groups = { Level: levels, Agent: agents };
    this.select = el(
      "select",
      {},
      ...first.map(([value, words]) => option(value, words, chosen)),
      ...Object.entries(telling ? {} : groups).map(([label, members]) =>
        el("optgroup", { label }, ...members.map(member => option(...member, chosen))),
      ),
      option(OTHER, "another …", chosen),
    );
    this.select.addEventListener("change", () => this.#change());
    this.element = el("div", { class: "fields" }, labelled(label, this.select), this.specField);
    this.#change();
  }

  #change() {
    this.specField.hidden = this.select.value !== OTHER;
  }

  get value() {
    return this.select.value === OTHER ? this.spec.value.trim() : this.select.value;
  }
}

const option = (value, words, chosen) => el("option", { value, selected: value === chosen }, words);

function agentsWords({ agents }) {
  const words = agents.map(({ name, parameters }) =>
    parameters.length ? `${name} (${parameters.map(parameter => parameter.name).join(", ")})` : name,
  );
  return `Agents and their parameters: ${words.join("; ")}.`;
}
