// The server's drawing of a position, cut into the cathedral and the spaces, with a button over every place.
//
// The drawing has no ids, styles or scripts. It is parsed as XML; its colours are names between two @, which
// become variables of the style sheet. Its squares and spaces say themselves where they are.

import { button, el, svg, toggle } from "./dom.js";
import { chipsOf } from "./moves.js";

const COLUMNS = "abcde";
const SPACES = [1, 2, 3].flatMap(space => [`order-${space}`, `vault-${space}`]);
const COLOURS = { R: "red", Y: "yellow", B: "blue", G: "green" };
const RANKS = { A: "Architect", M: "Master Mason", S: "Strongman" };
const ROW_STEP = 3;
const narrow = matchMedia("(max-width: 700px)");

export class Board {
  /** `press(place)` is called when a place that can be chosen is pressed. */
  constructor(press) {
    this.cathedral = new Pane("Cathedral", squareNames(), besideSquare, press);
    this.spaces = new Pane("Order and vault spaces", SPACES, besideSpace, press);
    this.corner = el("div", { class: "corner" }); // below the stack; for others to fill
    this.spaces.element.append(this.corner);
    this.position = null;
    this.recut = () => this.#cut();
    narrow.addEventListener("change", this.recut);
  }

  close() {
    narrow.removeEventListener("change", this.recut);
  }

  /** Show a position: the drawing, and what stands where in words. */
  show(position) {
    this.closeChooser();
    const redrawn = this.laid || position.svg !== this.position?.svg;
    this.position = position;
    this.laid = null;
    if (redrawn) {
      this.drawing = parsed(position.svg);
      this.#cut();
    }
    this.point([]);
    this.mark(new Map());
  }

  #cut() {
    const places = placesIn(this.drawing);
    const parts = [...this.drawing.children];
    const panel = parts.findIndex(part => part.dataset.part === "decision");
    const left = Number(parts[panel].querySelector("rect").getAttribute("x")) - 10;
    const bottom = Number(this.drawing.getAttribute("viewBox").split(" ")[3]);
    const top = narrow.matches ? places.get(`a${rowsShown(this.position)}`).y - 6 : 0;
    this.cathedral.draw(parts.slice(0, panel), [0, top, left, bottom - top - 8], places);
    const [first, stack] = [places.get("order-1"), places.get("stack")];
    const [last, above] = [places.get("vault-3"), 26];
    const width = stack.x + stack.width + 12 - (first.x - 5);
    const height = last.y + last.height + 6 - (first.y - above);
    const uncounted = parts.slice(panel + 1).filter(part => !part.querySelector("[data-count]"));
    this.spaces.draw(uncounted, [first.x - 5, first.y - above, width, height], places);
    this.spaces.put(this.corner, { ...stack, y: last.y, height: last.height });
    if (this.laid) this.lay(...this.laid);
  }

  /** Mark the places that can be chosen, the chosen one, the running order, and hints by place. */
  mark(open, { selected = null, running = null, hints = new Map() } = {}) {
    for (const pane of [this.cathedral, this.spaces]) {
      for (const [place, target] of pane.targets) {
        const moves = open.get(place) ?? [];
        const best = hints.get(place) ?? [];
        toggle(target, "data-legal", moves.length > 0 && (beginsHere(moves, place) ? "from" : true));
        toggle(target, "data-tile", place in this.position.cathedral);
        toggle(target, "data-selected", place === selected);
        toggle(target, "data-running", place === running);
        toggle(target, "data-hint", best[0]?.number);
        target.setAttribute("aria-disabled", !moves.length);
        target.setAttribute("aria-label", this.#label(place, moves, best));
        const chips = selected || best.length ? [] : chipsOf(moves, place);
        target.replaceChildren(...chips.map(chip), best.length ? hintsOn(best) : "");
      }
      pane.keepOneTabStop();
    }
  }

  #label(place, moves, hints) {
    const words = [describe(this.position, place)];
    const choices = [...new Set(moves.map(move => move.words))];
    if (choices.length) words.push(`can be chosen: ${choices.join(", or ")}`);
    for (const { number, sign, worth } of hints) words.push(["hint", number, sign, worth].filter(Boolean).join(" "));
    return words.join("; ");
  }

  /** Ask which of several options is meant, beside the place they are about. */
  ask(place, options, choose) {
    this.closeChooser();
    const pane = this.cathedral.targets.has(place) ? this.cathedral : this.spaces;
    const target = pane.targets.get(place);
    const chosen = option => {
      this.closeChooser();
      choose(option.value);
    };
    const buttons = options.map(option =>
      el(
        "button",
        { type: "button", on: { click: () => chosen(option) } },
        option.space ? this.sign(option.space) : chip(option.sign),
        el("span", {}, option.title, option.note && el("small", {}, option.note)),
      ),
    );
    const cancel = button("✕", () => this.closeChooser(true), { class: "quiet", "aria-label": "Cancel" });
    const chooser = el(
      "div",
      { class: "chooser", role: "group", "aria-label": `Choose for ${place}` },
      ...buttons,
      cancel,
    );
    chooser.addEventListener("keydown", event => {
      const all = [...chooser.children];
      const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
      if (event.key === "Escape") this.closeChooser(true);
      else if (step) all.at((all.indexOf(document.activeElement) + step) % all.length).focus();
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
    pane.element.append(chooser);
    this.chooser = { chooser, target };
    toggle(target, "data-asked", true);
    beside(chooser, target, pane);
    buttons[0].focus({ preventScroll: true });
    chooser.scrollIntoView({ block: "nearest" });
  }

  /** On a narrow screen, bring the squares in sight when only they can be chosen, above all the lowest. */
  reveal() {
    const open = pane => [...pane.targets.values()].filter(each => "legal" in each.dataset && !each.hidden);
    if (!narrow.matches || open(this.spaces).some(target => !("selected" in target.dataset))) return;
    for (const target of open(this.cathedral).reverse()) target.scrollIntoView({ block: "nearest" });
  }

  /** Draw a vault tile on a square as it lies on its space. */
  lay(space, square) {
    this.laid = [space, square];
    const { x, y, width } = placesIn(this.drawing).get(square);
    const tile = this.drawing.querySelector(`[data-space="${space}"] [data-tile]`).cloneNode(true);
    const inset = (width - Number(tile.querySelector("rect").getAttribute("width"))) / 2;
    tile.setAttribute("transform", `translate(${x + inset} ${y + inset})`);
    this.cathedral.picture.append(tile);
  }

  /** Frame squares that are spoken of. */
  point(squares) {
    for (const [place, target] of this.cathedral.targets) toggle(target, "data-pointed", squares.includes(place));
  }

  closeChooser(refocus = false) {
    if (!this.chooser) return;
    const { chooser, target } = this.chooser;
    this.chooser = null;
    const had = chooser.contains(document.activeElement);
    chooser.remove();
    toggle(target, "data-asked", false);
    if (had || refocus) target.focus({ preventScroll: true });
  }

  /** The small picture of what lies on a space. */
  sign(space) {
    const { x, y, width, height } = placesIn(this.drawing).get(space);
    const part = this.drawing.querySelector(`[data-space="${space}"]`).cloneNode(true);
    return svg("svg", { class: "sign", viewBox: `${x} ${y} ${width} ${height}`, "aria-hidden": "true" }, part);
  }
}

/** A letter or number on a place; letters leave the builder below them free. */
const chip = sign => el("span", { class: /\d/.test(sign) ? "chip" : "chip letter" }, sign);

const HINT_LINES = 3;

/** Hints inside a square, a line for each; those for which there is no line only by their number. */
function hintsOn(hints) {
  const lines = hints.length > HINT_LINES ? HINT_LINES - 1 : hints.length;
  const number = hint => el("i", {}, String(hint.number));
  const line = hint => el("span", {}, number(hint), hint.sign !== "" && el("b", {}, hint.sign), hint.worth);
  const rest = hints.slice(lines).map(number);
  return el("span", { class: "hint" }, ...hints.slice(0, lines).map(line), rest.length > 0 && el("span", {}, ...rest));
}

/** Whether a square is only where moves begin: what stands there is moved. */
const beginsHere = (moves, place) => !place.includes("-") && moves.every(({ places }) => places.at(-1) !== place);

/** A cut of the drawing with buttons over its places. */
class Pane {
  constructor(label, names, neighbour, press) {
    this.neighbour = neighbour;
    this.picture = svg("svg", { "aria-hidden": "true" });
    this.targets = new Map(names.map(name => [name, this.#target(name, press)]));
    this.group = el("div", { role: "group", "aria-label": `${label}; arrow keys move` }, ...this.targets.values());
    this.element = el("div", { class: "pane" }, this.picture, this.group);
    this.group.addEventListener("keydown", event => this.#move(event));
  }

  #target(name, press) {
    const target = el("button", { type: "button", class: "target", "data-place": name, tabindex: "-1" });
    target.addEventListener("click", () => {
      if (target.getAttribute("aria-disabled") !== "true") press(name);
    });
    return target;
  }

  draw(parts, [left, top, width, height], places) {
    this.cut = { left, top, width, height };
    this.picture.setAttribute("viewBox", `${left} ${top} ${width} ${height}`);
    this.picture.replaceChildren(...parts.map(part => part.cloneNode(true)));
    this.element.style.aspectRatio = `${width} / ${height}`;
    for (const [name, target] of this.targets) {
      const place = places.get(name);
      this.put(target, place);
      target.hidden = place.y < top;
    }
  }

  /** Lay an element over a part of the drawing. */
  put(element, { x, y, width, height }) {
    const cut = this.cut;
    element.style.left = `${((x - cut.left) / cut.width) * 100}%`;
    element.style.top = `${((y - cut.top) / cut.height) * 100}%`;
    element.style.width = `${(width / cut.width) * 100}%`;
    element.style.height = `${(height / cut.height) * 100}%`;
  }

  /** Keep exactly one target in the order of the Tab key: the one in focus, or the first that can be chosen. */
  keepOneTabStop() {
    const all = [...this.targets.values()];
    const shown = all.filter(target => !target.hidden);
    const stop =
      shown.find(target => target === document.activeElement) ??
      shown.find(target => "legal" in target.dataset) ??
      shown[0];
    for (const target of all) target.tabIndex = target === stop ? 0 : -1;
  }

  #move(event) {
    const here = event.target.dataset?.place;
    if (!here || event.ctrlKey || event.altKey || event.metaKey) return;
    const legal = [...this.targets.values()].filter(target => "legal" in target.dataset && !target.hidden);
    const ends = { Home: legal[0], End: legal.at(-1) };
    const target = ends[event.key] ?? this.targets.get(this.neighbour(here, event.key));
    if (!target || target.hidden) return;
    event.preventDefault();
    target.focus();
    this.keepOneTabStop();
  }
}

// --- The drawing ---------------------------------------------------------------------------------------

function parsed(text) {
  const painted = text.replace(/="@(\w+)@"/g, '="var(--$1)"');
  const drawing = new DOMParser().parseFromString(painted, "image/svg+xml");
  return document.importNode(drawing.documentElement, true);
}

/** Where squares and spaces are, in units of the drawing. */
function placesIn(drawing) {
  const places = new Map();
  for (const part of drawing.querySelectorAll("[data-square], [data-space]")) {
    const [x, y] = part.getAttribute("transform").match(/-?[\d.]+/g).map(Number);
    const cover = [...part.children].find(child => child.tagName === "rect");
    const [width, height] = ["width", "height"].map(name => Number(cover.getAttribute(name)));
    places.set(part.dataset.square ?? part.dataset.space, { x, y, width, height });
  }
  return places;
}

/** On a narrow screen the free sky is cut off, by steps, so that the board seldom moves. */
function rowsShown(position) {
  const highest = Math.max(0, ...Object.keys(position.cathedral).map(square => Number(square.slice(1))));
  return Math.min(12, Math.ceil((highest + 1) / ROW_STEP) * ROW_STEP);
}

/** Put a choice where it hides the fewest places that can be chosen: beside the cathedral, below, or above. */
function beside(chooser, target, { element, targets }) {
  const [width, height] = [chooser.offsetWidth, chooser.offsetHeight];
  const middle = target.offsetLeft + (target.offsetWidth - width) / 2;
  const left = Math.max(2, Math.min(middle, element.offsetWidth - width - 2));
  const centre = target.offsetTop + (target.offsetHeight - height) / 2;
  const open = [...targets.values()].filter(each => "legal" in each.dataset && !each.hidden);
  const lowest = Math.max(...open.map(each => each.offsetTop + each.offsetHeight));
  const corners = [
    { left: element.offsetWidth + 6, top: Math.max(0, centre) },
    { left, top: target.offsetTop + target.offsetHeight + 6 },
    { left, top: target.offsetTop - height - 6 },
    { left, top: lowest + 6 },
  ].filter(({ left }) => element.getBoundingClientRect().left + left + width < document.body.clientWidth);
  const hidden = corner => open.filter(each => overlap(corner, width, height, each)).length;
  const best = corners.reduce((best, corner) => (hidden(corner) < hidden(best) ? corner : best));
  chooser.style.left = `${best.left}px`;
  chooser.style.top = `${best.top}px`;
}

const overlap = ({ left, top }, width, height, { offsetLeft, offsetTop, offsetWidth, offsetHeight }) =>
  Math.abs(left + width / 2 - offsetLeft - offsetWidth / 2) < (width + offsetWidth) / 2 &&
  Math.abs(top + height / 2 - offsetTop - offsetHeight / 2) < (height + offsetHeight) / 2;

// --- Places --------------------------------------------------------------------------------------------

function squareNames() {
  const rows = Array.from({ length: 12 }, (_, row) => row + 1);
  return rows.flatMap(row => [...COLUMNS].map(column => `${column}${row}`));
}

function besideSquare(square, key) {
  const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
  if (!steps[key]) return null;
  const [out, up] = steps[key];
  return `${COLUMNS[COLUMNS.indexOf(square[0]) + out]}${Number(square.slice(1)) + up}`;
}

function besideSpace(space, key) {
  const [kind, number] = space.split("-");
  if (key === "ArrowLeft") return `${kind}-${Number(number) - 1}`;
  if (key === "ArrowRight") return `${kind}-${Number(number) + 1}`;
  if (key === "ArrowUp") return `order-${number}`;
  return key === "ArrowDown" ? `vault-${number}` : null;
}

const colourWords = colours => [...colours].map(letter => COLOURS[letter]).join(" and ");

function describe(position, place) {
  const [kind, number] = place.split("-");
  if (kind === "order") {
    const order = position.orders[number - 1];
    if (!order) return `Order space ${number}: empty`;
    const coin = order.coin ? ", with a coin icon" : "";
    return `Order ${number}: ${order.title}${coin}, back ${colourWords(order.colours)}`;
  }
  if (kind === "vault") {
    const vault = position.vaults[number - 1];
    if (!vault) return `Vault space ${number}: empty`;
    return `Vault ${number}: ${colourWords(vault.colours)} ${vault.code}${vault.crown ? ", crown" : ""}`;
  }
  const square = position.cathedral[place];
  if (!square) return `${place}: empty`;
  if (!square.code) return `${place}: scaffolding`;
  const words = [`${place}: ${colourWords(square.colours)} ${square.code}`];
  if (square.crown) words.push("crown");
  if (square.glass) words.push("stained glass");
  if (square.builder !== null) {
    words.push(`builder of player ${square.builder}${square.rank ? `, ${RANKS[square.rank]}` : ""}`);
  }
  return words.join(", ");
}
