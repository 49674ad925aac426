// Elements, and the scripts that are fetched when they are needed. Text goes into a page as text, never as HTML.

import { Refusal } from "./format.js";

/** @type {Page} */
export const rankconst = /** @type {any} */ (globalThis).rankconst;

/** @param {string} name @param {Traits} [traits] @param {Child[]} children */
export function el(name, traits = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(traits)) {
    if (typeof value === "function") element.addEventListener(key, value);
    else if (typeof value === "string") element.setAttribute(key, value);
    else if (value) element.setAttribute(key, "");
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

/** @param {string} id */
export const at = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

/** @param {string} label @param {HTMLElement} table */
export const scroll = (label, table) =>
  el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label }, table);

/** @param {Child[]} head @param {HTMLElement[]} rows @param {Record<string, string>} [traits] */
export function drawTable(head, rows, traits = {}) {
  const headings = head.map((cell) => (cell instanceof HTMLElement ? cell : el("th", { scope: "col" }, cell)));
  return el("table", traits, el("thead", {}, el("tr", {}, ...headings)), el("tbody", {}, ...rows));
}

/** A row by its heading. @param {Child} heading @param {Child[]} cells @param {Record<string, string>} [traits] */
export const drawRow = (heading, cells, traits = {}) =>
  el("tr", traits, el("th", { scope: "row" }, heading), ...cells.map((cell) => el("td", {}, cell)));

/** @param {Child[][]} rows names and values */
export const drawFacts = (rows) =>
  el("dl", { class: "facts" }, ...rows.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]));

/** An address from the root of the site. @param {string} path */
export const address = (path) => `${document.documentElement.dataset.root ?? ""}${path}`;

/** @type {Map<string, Promise<void>>} */
const scripts = new Map();

/** Load a script, once: pages in a folder may not read other files. @param {string} path @param {string} what */
export function loadScript(path, what) {
  const loading =
    scripts.get(path) ??
    new Promise((/** @type {(done: void) => void} */ resolve, reject) => {
      const fail = () => {
        scripts.delete(path);
        reject(new Refusal(`${what} could not be loaded. Try again.`, "dataset"));
      };
      document.head.append(el("script", { src: address(path), load: () => resolve(), error: fail }));
    });
  scripts.set(path, loading);
  return loading;
}

/**
 * The constants of a dataset; those of the first view are there already; path: of the tasks, if those are enough.
 * @param {string} key @param {string} [path] @returns {Promise<Contents>}
 */
export async function fetchContents(key, path = "") {
  const { version, first } = rankconst.names;
  const id = `rankconst:${version}/${key}`;
  if (first.id === id && Object.hasOwn(first.tasks, path)) return first;
  const what = `The constants of ${key} (tables ${version})`;
  await loadScript(`v1/${encodeURIComponent(version)}/${encodeURIComponent(key)}.js`, what);
  const contents = rankconst.sets.get(id);
  if (!contents) throw new Refusal(`${what} could not be read. Try again.`, "dataset");
  return contents;
}

/** A button that copies a text. @param {string} text */
export function copyButton(text) {
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
    } catch {
      button.textContent = "Select the text, and press Ctrl+C";
    }
  };
  const button = el("button", { type: "button", click: () => void copy() }, "Copy");
  return button;
}
