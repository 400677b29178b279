// How a recorded game went: a line over its moves, the scorings, and where we are.

import { el, svg } from "./dom.js";
import { percent, points } from "./figures.js";

const HEIGHT = 150;
const PAD = { left: 40, right: 10, top: 14, bottom: 20 };

export const MEASURES = {
  lead: { title: "Points lead", middle: 0, words: lead => points(lead).replace(".0", "") },
  win_chance: { title: "Win chance", middle: 0.5, low: 0, high: 1, words: percent },
  margin: { title: "Expected margin", middle: 0, words: points },
};

export class Chart {
  /** `go(number)` is called when the chart is pressed at a move. */
  constructor(go) {
    this.go = go;
    this.picture = svg("svg", { class: "chart", height: HEIGHT, role: "img" });
    this.picture.addEventListener("click", event => this.#press(event));
    this.element = el("div", { class: "chart-frame" }, this.picture);
    this.data = null;
    this.observer = new ResizeObserver(() => this.#draw());
    this.observer.observe(this.element);
  }

  close() {
    this.observer.disconnect();
  }

  /** Show values [{number, value}] of a measure, the moves that scored, of `last` moves, and move `at`. */
  show(measure, values, scorings, last, at, names) {
    this.data = { ...MEASURES[measure], values, scorings, last, at, names };
    this.#draw();
  }

  #x(number) {
    const width = this.element.clientWidth - PAD.left - PAD.right;
    return PAD.left + (number / Math.max(1, this.data.last)) * width;
  }

  #press(event) {
    if (!this.data) return;
    const width = this.element.clientWidth - PAD.left - PAD.right;
    const part = (event.clientX - this.picture.getBoundingClientRect().left - PAD.left) / width;
    this.go(Math.round(Math.max(0, Math.min(1, part)) * this.data.last));
  }

  #draw() {
    const width = this.element.clientWidth;
    if (!this.data || !width) return;
    const { values, scorings, at, middle, words } = this.data;
    const [low, high] = this.#range();
    const y = value => PAD.top + ((high - value) / (high - low)) * (HEIGHT - PAD.top - PAD.bottom);
    const line = (x1, y1, x2, y2, name) => svg("line", { x1, y1, x2, y2, class: name });
    const text = (x, height, anchor, content) =>
      svg("text", { x, y: height, "text-anchor": anchor }, content);
    const points = values.map(({ number, value }) => `${this.#x(number).toFixed(1)} ${y(value).toFixed(1)}`);
    const curve = points.length ? `M${points.join("L")}` : "";
    const area = points.length
      ? `${curve}L${this.#x(values.at(-1).number)} ${y(middle)}L${this.#x(values[0].number)} ${y(middle)}Z`
      : "";
    const here = values.find(({ number }) => number === at);
    this.picture.setAttribute("viewBox", `0 0 ${width} ${HEIGHT}`);
    this.picture.setAttribute("width", width);
    this.picture.setAttribute("aria-label", this.#label());
    this.picture.replaceChildren(
      svg("path", { d: area, class: "area" }),
      line(PAD.left, y(middle), width - PAD.right, y(middle), "middle"),
      ...scorings.map(number => line(this.#x(number), PAD.top, this.#x(number), HEIGHT - PAD.bottom, "scored")),
      svg("path", { d: curve, class: "curve" }),
      line(this.#x(at), PAD.top - 4, this.#x(at), HEIGHT - PAD.bottom, "here"),
      ...(here ? [svg("circle", { cx: this.#x(at), cy: y(here.value), r: 4, class: "here" })] : []),
      ...[high, middle, low].map(value => text(PAD.left - 6, y(value) + 4, "end", words(value))),
      text(PAD.left, HEIGHT - 5, "start", "0"),
      text(width - PAD.right, HEIGHT - 5, "end", String(this.data.last)),
    );
  }

  #range() {
    const { values, low, high, middle } = this.data;
    if (low !== undefined) return [low, high];
    const most = Math.max(5, ...values.map(({ value }) => Math.abs(value - middle)));
    return [middle - most, middle + most];
  }

  #label() {
    const { title, names, values, at, words } = this.data;
    const here = values.find(({ number }) => number === at);
    return `${title} of ${names[0]} over the game${here ? `; after move ${at}: ${words(here.value)}` : ""}`;
  }
}
