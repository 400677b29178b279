// Runs before the page is drawn, so that it never flashes in the wrong colours.
"use strict";
(() => {
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  const kept = () => {
    try {
      return localStorage.getItem("theme");
    } catch {
      return null; // a browser may refuse storage
    }
  };
  const apply = () => {
    root.dataset.theme = kept() ?? (system.matches ? "dark" : "light");
    root.dispatchEvent(new Event("theme"));
  };
  root.addEventListener("switch-theme", () => {
    const next = root.dataset.theme === "dark" ? "light" : "dark";
    try {
      if (next === (system.matches ? "dark" : "light")) localStorage.removeItem("theme");
      else localStorage.setItem("theme", next);
    } catch {
      // then the choice lasts until the page is left
    }
    root.dataset.theme = next;
    root.dispatchEvent(new Event("theme"));
  });
  system.addEventListener("change", apply);
  addEventListener("beforeprint", () => (root.dataset.theme = "light")); // paper is light
  addEventListener("afterprint", apply);
  apply();
})();
