// Elements, and the scripts that are fetched when they are needed. Text goes into a page as text, never as HTML.

import { Refusal } from "./format.js";

/** @typedef {import("./names.js").Catalogue} Catalogue */
/** @typedef {import("./names.js").Contents} Contents */
/** @typedef {Node | string | null} Child */

/** @typedef {{verdict: string, parts: (Node | null)[]}} Shown */
/** @typedef {{showTable: (state: import("./state.js").State) => Promise<Shown>}} Reader */
/** @typedef {{names: Catalogue, sets: Map<string, Contents>, words?: any, reader?: Reader}} Held */

/** @type {Held} */
export const rankconst = /** @type {any} */ (globalThis).rankconst;

/**
 * @param {string} name
 * @param {Record<string, string | boolean | EventListener>} [traits] attributes; functions are listeners
 * @param {Child[]} children
 */
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

/**
 * @template {HTMLElement} T
 * @param {string} id
 * @returns {T}
 */
export const at = (id) => /** @type {T} */ (document.getElementById(id));

/** @param {string} label @param {HTMLElement} table */
export const scroll = (label, table) =>
  el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label }, table);

/** @param {Child[]} head @param {HTMLElement[]} rows @param {Record<string, string>} [traits] */
export function drawTable(head, rows, traits = {}) {
  const headings = head.map((each) => (each instanceof HTMLElement ? each : el("th", { scope: "col" }, each)));
  return el("table", traits, el("thead", {}, el("tr", {}, ...headings)), el("tbody", {}, ...rows));
}

/** @param {Child[][]} rows names and values */
export const drawFacts = (rows) =>
  el("dl", { class: "facts" }, ...rows.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]));

/** The way from this page to the root of the site. */
const root = document.documentElement.dataset.root ?? "";

/** @param {string} path */
export const address = (path) => root + path;

/** @type {Map<string, Promise<void>>} */
const asked = new Map();

/**
 * Load a script, once: pages that are opened from a folder may not read other files.
 * @param {string} path
 * @param {string} what
 */
export function loadScript(path, what) {
  const waiting = asked.get(path);
  if (waiting) return waiting;
  const promise = new Promise((/** @type {(done: void) => void} */ resolve, reject) => {
    const fail = () => {
      asked.delete(path);
      reject(new Refusal(`${what} could not be loaded. Try again.`, "dataset"));
    };
    document.head.append(el("script", { src: address(path), load: () => resolve(), error: fail }));
  });
  asked.set(path, promise);
  return promise;
}

/**
 * The constants of a dataset; those of the first view are there already.
 * @param {string} key
 * @param {string} [path] of the tasks, if those are enough
 * @returns {Promise<Contents>}
 */
export async function fetchContents(key, path = "") {
  const { version, first } = rankconst.names;
  const id = `rankconst:${version}/${key}`;
  if (first.id === id && Object.hasOwn(first.tasks, path)) return first;
  const what = `The constants of ${key} (tables ${version})`;
  await loadScript(`v1/${encodeURIComponent(version)}/${encodeURIComponent(key)}.js`, what);
  const found = rankconst.sets.get(id);
  if (!found) throw new Refusal(`${what} could not be read. Try again.`, "dataset");
  return found;
}

/**
 * A button that copies; where the browser does not allow that, it selects the text instead.
 * @param {string} label
 * @param {() => string} text
 * @param {HTMLTextAreaElement} [shown] where the text is on the page
 */
export function copyButton(label, text, shown) {
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text());
      button.textContent = "Copied";
    } catch {
      shown?.select();
      button.textContent = shown ? "Selected: press Ctrl+C" : "Copying is not allowed here";
    }
    setTimeout(() => (button.textContent = label), 2000);
  };
  const button = el("button", { type: "button", click: () => void copy() }, label);
  return button;
}
