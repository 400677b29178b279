// The page: which view the address names, and what all views share.

import { AnalyseView } from "./analyse.js";
import { ask, clearNotice, notify, say } from "./api.js";
import { button, el, toggle } from "./dom.js";
import { GameView } from "./game.js";
import { ReplayStart, ReplayView } from "./replay.js";
import { PlayStart, WatchStart } from "./start.js";

const main = document.getElementById("main");
const rules = document.getElementById("rules");
const root = document.documentElement;
let about = null;
let view = null;
let turn = 0; // of the address; a view that comes too late is not shown

const ROUTES = {
  play: () => new PlayStart(about),
  watch: () => new WatchStart(about),
  replay: id => (id ? ReplayView.open(id, about) : new ReplayStart()),
  analyse: text => AnalyseView.open(text, about),
  game: id => GameView.open(id),
};

async function route() {
  const mine = ++turn;
  const [name, ...rest] = location.hash.replace(/^#\/?/, "").split("/");
  const open = ROUTES[name] ?? ROUTES.play;
  view?.close();
  view = null;
  clearNotice();
  highlight(name);
  main.replaceChildren(el("p", { class: "wait" }, "Loading …"));
  try {
    about ??= await ask("GET", "/api/about");
    const next = await open(decoded(rest.join("/")));
    if (mine !== turn) next.close();
    else show(next, name);
  } catch (error) {
    if (mine === turn) main.replaceChildren(failed(error));
  }
}

function show(next, name) {
  view = next;
  main.replaceChildren(view.element);
  document.title = `${view.title} · Basilica`;
  if (name === "game") highlight(view.people ? "play" : "watch");
  if (turn === 1) return;
  main.focus({ preventScroll: true });
  scrollTo(0, 0);
}

/** Tell in the head which view is shown. */
function highlight(name) {
  for (const link of document.querySelectorAll("nav a")) {
    toggle(link, "aria-current", link.hash === `#/${name in ROUTES ? name : "play"}` && "page");
  }
}

function failed(error) {
  const missing = error.status === 404;
  const words = missing ? "It is not on the server: it was deleted, or the server keeps it no longer." : error.message;
  say(words);
  return el(
    "div",
    { class: "page" },
    el("h1", {}, missing ? "Nothing here" : "That did not work"),
    el("p", { class: "lead" }, words),
    el(
      "div",
      { class: "toolbar" },
      el("a", { class: "button", href: "#/play" }, "A new game"),
      button("Try again", () => location.reload()),
    ),
  );
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

// --- Rules, colours, keys ----------------------------------------------------------------------------------

const openRules = () => rules.showModal();
const switchTheme = () => root.dispatchEvent(new Event("switch-theme"));
const themeButton = document.getElementById("theme");
const showTheme = () => themeButton.setAttribute("aria-pressed", root.dataset.theme === "dark");

document.getElementById("open-rules").addEventListener("click", openRules);
themeButton.addEventListener("click", switchTheme);
document.querySelector("#notice button").addEventListener("click", clearNotice);
document.querySelector(".skip").addEventListener("click", event => {
  event.preventDefault(); // the address names a view
  main.focus();
});
root.addEventListener("theme", showTheme);
showTheme();

/** A key held down is one press: it neither repeats a choice nor chooses twice. */
document.addEventListener("keydown", event => {
  if (event.repeat && (event.key === "Enter" || event.key === " ")) event.preventDefault();
});

/** The second click of a double click chooses nothing, since the first has changed what there is to choose. */
const refuseSecond = event => {
  if (event.detail > 1 && event.target.closest(".target, .answers, .chooser, .choices")) event.stopPropagation();
};
document.addEventListener("click", refuseSecond, true);

document.addEventListener("keydown", event => {
  if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey || rules.open) return;
  if (event.target.closest("input, select, textarea")) return;
  if (event.key === " " && event.target.closest("button, summary, a")) return;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const act = { r: openRules, d: switchTheme, ...view?.keys }[key];
  if (!act || (event.repeat && !key.startsWith("Arrow"))) return;
  event.preventDefault();
  act();
});

addEventListener("hashchange", route);
addEventListener("unhandledrejection", event => notify(event.reason));
route();
