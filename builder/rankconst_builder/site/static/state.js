// What the calculator was asked, in the fragment of its address: a link shows the same numbers again.

/**
 * @typedef {object} State
 * @property {"number" | "table"} mode
 * @property {string} value
 * @property {string} table
 * @property {string} dataset
 * @property {string} metric
 * @property {string} tool
 * @property {string} split
 * @property {string} side
 * @property {string} protocol
 * @property {string} aggregation
 * @property {string} relation
 * @property {string} version the tables that the link was made with
 */

/** @type {State} */
export const NOTHING = {
  mode: "number",
  value: "",
  table: "",
  dataset: "",
  metric: "mrr",
  tool: "",
  split: "",
  side: "",
  protocol: "",
  aggregation: "",
  relation: "",
  version: "",
};

/** A link longer than this breaks in mails and chats: a long table is left out of it. */
const LONGEST = 6000;

/** @param {State} state */
export function writeFragment(state) {
  const parts = new URLSearchParams();
  for (const [name, text] of Object.entries(state)) {
    const unused =
      name === (state.mode === "number" ? "table" : "value") || (name === "metric" && state.mode === "table");
    if (text && !unused && !(name === "mode" && text === "number")) parts.set(name, text);
  }
  const written = parts.toString();
  return written.length > LONGEST ? "" : written;
}

/** @param {string} fragment @returns {State} */
export function readFragment(fragment) {
  const parts = new URLSearchParams(fragment.replace(/^#/, ""));
  const state = { ...NOTHING };
  for (const name of /** @type {(keyof State)[]} */ (Object.keys(NOTHING))) {
    const text = parts.get(name);
    if (text !== null && name !== "mode") state[name] = text;
  }
  state.mode = parts.get("mode") === "table" ? "table" : "number";
  return state;
}
