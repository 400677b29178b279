// Small signs in the colours of the drawing: builders, tokens, coins, the king.

import { el, svg } from "./dom.js";

const FILL = ["var(--first)", "var(--second)"];
const LINE = ["var(--first_line)", "var(--second_line)"];

/** A builder of a player, with the player's number on it. */
export function builder(player, height = 28) {
  const width = (height * 24) / 31;
  const paint = { fill: FILL[player], stroke: LINE[player], "stroke-width": 1.4, "stroke-linejoin": "round" };
  return svg(
    "svg",
    { class: "piece", viewBox: "0 0 24 31", width, height, "aria-hidden": "true" },
    svg("path", { d: "M7 15H17L22.5 30H1.5Z", ...paint }),
    svg("circle", { cx: 12, cy: 8.5, r: 7, ...paint }),
    svg(
      "text",
      { x: 12, y: 27, "text-anchor": "middle", "font-size": 11, "font-weight": "bold", fill: LINE[player] },
      String(player),
    ),
  );
}

function disc(words) {
  return svg(
    "svg",
    { class: "piece", viewBox: "0 0 18 18", width: 18, height: 18, "aria-hidden": "true" },
    svg("circle", { cx: 9, cy: 9, r: 7.6, fill: "var(--gold)", stroke: "var(--gold_line)", "stroke-width": 1.3 }),
    svg(
      "text",
      { x: 9, y: 13, "text-anchor": "middle", "font-size": 11, "font-weight": "bold", fill: "var(--gold_ink)" },
      words,
    ),
  );
}

export const token = () => disc("");
export const coin = () => disc("$");

/** The king's crown. */
export function crown() {
  return svg(
    "svg",
    { class: "piece", viewBox: "0 0 18 13", width: 18, height: 13, "aria-hidden": "true" },
    svg("path", {
      d: "M1 12H17L17.5 3L12.8 6.6L9 1L5.2 6.6L0.5 3Z",
      fill: "var(--gold)",
      stroke: "var(--gold_line)",
      "stroke-linejoin": "round",
    }),
  );
}

/** A player's number as a small badge in the colour of her pieces. */
export function badge(player) {
  return el("span", { class: `badge player-${player}` }, String(player));
}

const BAYS = "RYBGYBRGBYGRBGYR";
const COLOURS = { R: "red", Y: "yellow", B: "blue", G: "green" };
const BAY = 56;

/** A row of vaults with some builders in them, to look at. */
export function frieze() {
  const bays = [...BAYS].map((letter, at) => {
    const [fill, line] = [`var(--${COLOURS[letter]})`, `var(--${COLOURS[letter]}_line)`];
    return svg(
      "g",
      { transform: `translate(${at * BAY} 0)` },
      svg("rect", { width: BAY, height: BAY, fill, stroke: "var(--stone_edge)" }),
      svg("path", { d: pattern(letter), fill: "none", stroke: line, "stroke-opacity": 0.75, ...stroke(letter) }),
      svg("path", { d: "M15 56V34Q15 25 28 18Q41 25 41 34V56Z", fill: "var(--niche)", stroke: "var(--stone_edge)" }),
    );
  });
  const people = [2, 5, 6, 10, 13].map((at, number) => {
    const figure = builder(number % 2, 31);
    figure.setAttribute("x", at * BAY + 16);
    figure.setAttribute("y", 24);
    return figure;
  });
  const viewBox = `0 0 ${BAYS.length * BAY} ${BAY}`;
  const attributes = { class: "frieze", viewBox, preserveAspectRatio: "xMinYMid slice", "aria-hidden": "true" };
  return svg("svg", attributes, ...bays, ...people);
}

/** The colour's pattern in the drawing. */
function pattern(letter) {
  const steps = Array.from({ length: 8 }, (_, step) => 3.5 + 7 * step);
  if (letter === "R") return steps.map(at => `M0 ${at}L${at} 0M${at} ${BAY}L${BAY} ${at}`).join("");
  if (letter === "B") return steps.map(at => `M0 ${at}H${BAY}`).join("");
  const ladder = (at, step) => `M${at} 0V${BAY}M${at} ${step % 2 ? 11 : 4}h7m-7 14h7m-7 14h7`;
  if (letter === "G") return steps.map(ladder).join("");
  return steps.map(y => steps.map(x => `M${x} ${y}h0.01`).join("")).join("");
}

const stroke = letter =>
  letter === "Y" ? { "stroke-width": 2.6, "stroke-linecap": "round" } : { "stroke-width": 1.3 };
