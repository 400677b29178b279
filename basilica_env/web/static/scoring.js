// Areas as a table: what they scored, or would score now (R8).

import { el } from "./dom.js";

const pair = ([first, second]) => `${first}:${second}`;

/** A table of the areas with builders; the others are only counted. */
export function areasTable(caption, areas, foot) {
  const contested = areas.filter(area => area.builders[0] + area.builders[1] > 0);
  const rows = contested.map(area =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, el("i", { class: `swatch ${area.name}` }), area.name, el("small", {}, notes(area))),
      el("td", {}, String(area.size)),
      el("td", {}, pair(area.strength)),
      el("td", {}, pair(area.points)),
    ),
  );
  const empty = areas.length - contested.length;
  if (empty) rows.push(el("tr", {}, el("td", { colspan: 4, class: "quiet" }, `${empty} without a builder`)));
  const titles = ["Area", "Tiles", "Strength", "Points"];
  return el(
    "table",
    { class: "areas" },
    el("caption", {}, caption),
    el("thead", {}, el("tr", {}, ...titles.map(title => el("th", { scope: "col" }, title)))),
    el("tbody", {}, ...rows),
    el("tfoot", {}, el("tr", {}, el("th", { scope: "row", colspan: 3 }, foot), el("td", {}, pair(sum(areas))))),
  );
}

function sum(areas) {
  return [0, 1].map(player => areas.reduce((points, area) => points + area.points[player], 0));
}

function notes(area) {
  const words = [area.squares.join(" ")];
  if (area.strongmen[0] + area.strongmen[1]) words.push(`Strongmen ${pair(area.strongmen)}`);
  if (area.architect) words.push("doubled by an Architect");
  if (area.glass) words.push(`stained glass: ${area.glass}`);
  return words.join("; ");
}

/** The breakdown of a scoring that has been. */
export function scoringTable(scoring) {
  return areasTable(scoring.title, scoring.areas, `Score then ${pair(scoring.scores)}`);
}

/** What the areas of a position would score now. */
export function nowTable(position) {
  return areasTable("If scored now", position.areas, "Points");
}
