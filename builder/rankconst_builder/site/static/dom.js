// Elements, and the scripts that are fetched when they are needed. Text goes into a page as text, never as HTML.

import { Refusal } from "./format.js";

/** @type {Page} */
export const rankconst = /** @type {any} */ (globalThis).rankconst;

/** @param {string} name @param {Traits} [traits] @param {Child[]} children */
export function el(name, traits = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(traits)) {
    if (typeof value === "function") element.addEventListener(key, value);
    else element.setAttribute(key, value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

/** @param {string} id */
export const at = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

/** @param {string} label @param {HTMLElement} table */
export const scroll = (label, table) =>
  el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label }, table);

/** @param {Child[]} head @param {HTMLElement[]} rows @param {Traits} [traits] */
export function drawTable(head, rows, traits = {}) {
  const headings = head.map((cell) => (cell instanceof HTMLElement ? cell : el("th", { scope: "col" }, cell)));
  return el("table", traits, el("thead", {}, el("tr", {}, ...headings)), el("tbody", {}, ...rows));
}

/** A row by its heading. @param {Child} heading @param {Child[]} cells @param {Traits} [traits] */
export const drawRow = (heading, cells, traits = {}) =>
  el("tr", traits, el("th", { scope: "row" }, heading), ...cells.map((cell) => el("td", {}, cell)));

/** @type {Map<string, Promise<void>>} */
const scripts = new Map();

/** Load a script, once: pages in a folder may not read other files. @param {string} path @param {string} what */
export function loadScript(path, what) {
  const load = () =>
    new Promise((/** @type {(done: void) => void} */ resolve, reject) => {
      const fail = () => reject(new Refusal(`${what} could not be loaded. Reload the page.`, "dataset"));
      document.head.append(el("script", { src: path, load: () => resolve(), error: fail }));
    });
  const loading = scripts.get(path) ?? load();
  scripts.set(path, loading);
  return loading;
}

/** The constants of a dataset. @param {string} key @returns {Promise<Contents>} */
export async function fetchContents(key) {
  await loadScript(`assets/${rankconst.names.version}/${key}.js`, `The constants of ${key}`);
  return rankconst.sets[key];
}
