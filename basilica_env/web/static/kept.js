// The games of this browser, so that they can be found again. A browser may refuse storage: then there are none.

const KEY = "games";
const MOST = 8;

/** The games opened here last, the newest first: {id, players, begun}. */
export function keptGames() {
  try {
    const games = JSON.parse(localStorage.getItem(KEY)) ?? [];
    return games.filter(({ id, players }) => typeof id === "string" && players.length === 2);
  } catch {
    return [];
  }
}

export function remember({ id, players }) {
  const [known] = keptGames().filter(game => game.id === id);
  const game = { id, players: players.map(({ name }) => name), begun: known?.begun ?? new Date().toISOString() };
  keep([game, ...keptGames().filter(other => other.id !== id)].slice(0, MOST));
}

export function forget(id) {
  keep(keptGames().filter(game => game.id !== id));
}

function keep(games) {
  try {
    localStorage.setItem(KEY, JSON.stringify(games));
  } catch {
    // the address of a game still finds it
  }
}
