// Elements, and the tables that are fetched when they are needed. Text goes into a page as text, never as HTML.

import { Refusal } from "./format.js";

/** @typedef {import("./names.js").Catalogue} Catalogue */
/** @typedef {import("./names.js").Contents} Contents */
/** @typedef {Node | string | null} Child */

/** @type {{names: Catalogue, sets: Map<string, any>, add: (contents: Contents) => void}} */
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

/** The way from this page to the root of the site. */
const root = document.documentElement.dataset.root ?? "";

/** @param {string} path */
export const address = (path) => root + path;

/** @type {Map<string, Promise<any>>} */
const asked = new Map();

/**
 * Fetch the constants of a dataset, as a script: pages that are opened from a folder may not read other files.
 * @param {string} version
 * @param {string} key
 * @returns {Promise<Contents>}
 */
export const fetchContents = (version, key) => fetchSet(version, key, "");

/**
 * Fetch how many tasks of a dataset have how many candidates.
 * @param {string} version
 * @param {string} key
 * @returns {Promise<import("./counts.js").Counts>}
 */
export const fetchCounts = (version, key) => fetchSet(version, key, ".counts");

/**
 * Fetch how many tasks of a dataset have how many candidates, by relation.
 * @param {string} version
 * @param {string} key
 * @returns {Promise<import("./counts.js").OfRelations>}
 */
export const fetchRelations = (version, key) => fetchSet(version, key, ".relations");

/**
 * Fetch on which blocks of ranks the baselines of a dataset put true answers.
 * @param {string} version
 * @param {string} key
 * @returns {Promise<import("./counts.js").Counts>}
 */
export const fetchBlocks = (version, key) => fetchSet(version, key, ".blocks");

/** @param {string} version @param {string} key @param {string} part @returns {Promise<any>} */
function fetchSet(version, key, part) {
  const id = `rankconst:${version}/${key}${part}`;
  const waiting = asked.get(id);
  if (waiting) return waiting;
  const promise = new Promise((resolve, reject) => {
    const fail = () => {
      asked.delete(id);
      reject(new Refusal(`The constants of ${key} (tables ${version}) could not be loaded. Try again.`, "dataset"));
    };
    const done = () => {
      const found = rankconst.sets.get(id);
      if (found) resolve(found);
      else fail();
    };
    const source = address(`v1/${encodeURIComponent(version)}/${encodeURIComponent(key)}${part}.js`);
    document.head.append(el("script", { src: source, load: done, error: fail }));
  });
  asked.set(id, promise);
  return promise;
}

/**
 * A button that copies; where the browser does not allow that, it selects the text instead.
 * @param {string} label
 * @param {() => string} text
 * @param {HTMLTextAreaElement} [shown] where the text is on the page
 */
export function copyButton(label, text, shown) {
  const button = el(
    "button",
    {
      type: "button",
      click: async () => {
        try {
          await navigator.clipboard.writeText(text());
          button.textContent = "Copied";
        } catch {
          shown?.select();
          button.textContent = shown ? "Selected: press Ctrl+C" : "Copying is not allowed here";
        }
        setTimeout(() => (button.textContent = label), 2000);
      },
    },
    label,
  );
  return button;
}
