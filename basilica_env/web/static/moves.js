// Which places of the board a move is about, and what a press on a place means.

/** The places of a move in the order in which they are pressed, such as ["vault-2", "c3"] or ["c3", "c4"]. */
export const placesOf = ({ space, squares }) => (space ? [space, ...squares] : squares);

/** The order space whose order is being carried out, such as "order-2". */
export function runningOrder(decision) {
  const space = decision.match(/:([1-3])/)?.[1];
  return space ? `order-${space}` : null;
}

/** The legal moves of a decision, seen from the places of the board. */
export class Choices {
  constructor(legal) {
    this.moves = legal.map(choice => ({ ...choice, places: placesOf(choice) }));
  }

  /** Moves about no place: pay, pass, redraw. */
  get answers() {
    return this.moves.filter(({ places }) => !places.length);
  }

  /** Every place that can be pressed, with the moves that it is about. */
  open(selected = null) {
    const open = new Map();
    for (const move of this.moves) {
      if (selected && !move.places.includes(selected)) continue;
      for (const place of move.places) open.set(place, [...(open.get(place) ?? []), move]);
    }
    return open;
  }

  /** What a press does: {play: move}, {ask: moves} or {select: place}; a place with nothing to choose: {}. */
  press(place, selected = null) {
    if (place === selected) return { select: null };
    const about = this.open(selected).get(place) ?? this.open().get(place) ?? [];
    const ending = about.filter(({ places }) => places.at(-1) === place);
    if (ending.length === 1) return { play: ending[0] };
    if (ending.length > 1) return { ask: ending };
    return about.length ? { select: place } : {};
  }
}

const RANKS = { A: "Architect", M: "Master Mason", S: "Strongman" };
const RANK_USES = {
  A: "doubles the tiles of an area",
  M: "strength 2",
  S: "breaks ties",
};

/** What to write on the button of one of several moves that end on one place. */
export function optionOf({ move, places }) {
  const rank = move.match(/=([AMS])$/)?.[1];
  if (rank) return { title: RANKS[rank], note: RANK_USES[rank], sign: rank };
  if (move.startsWith("V")) return { title: `Vault ${move[1]}`, note: "", space: places[0] };
  return { title: `From ${places[0]}`, note: "", sign: "↦" };
}

/** The few letters that mark a place on the board: vault spaces, ranks, B. */
export function chipsOf(moves, place) {
  const letters = moves.flatMap(choice => {
    const { move } = choice;
    if (placesOf(choice).at(-1) !== place) return [];
    if (move.startsWith("V")) return [move[1]];
    if (move.includes("=")) return [move.at(-1)];
    return move === "B" ? ["B"] : [];
  });
  return [...new Set(letters)];
}

const either = new Intl.ListFormat("en", { type: "disjunction" });
const WAYS = [
  ["V", "a vault and its square"],
  ["O", "an order"],
  ["B", "the new vault for a builder"],
];

/** What to press where there are several kinds of actions, in words; empty where there are not. */
export function howTo(moves) {
  const ways = WAYS.filter(([kind]) => moves.some(({ move }) => move.startsWith(kind))).map(([, words]) => words);
  return ways.length ? `Press what is outlined: ${either.format(ways)}.` : "";
}

const KINDS = [
  ["Place a vault", /^V/],
  ["Place a builder", /^B$/],
  ["Execute an order", /^O/],
];

/** The moves in groups with titles, for a list. */
export function grouped(moves) {
  const groups = KINDS.map(([title, pattern]) => [title, moves.filter(({ move }) => pattern.test(move))]);
  const others = moves.filter(({ move }) => !KINDS.some(([, pattern]) => pattern.test(move)));
  return [...groups, ["Choose", others]].filter(([, some]) => some.length);
}
