// What the calculator was asked, in the fragment of its address: a link shows the same numbers again.

/** @type {State} */
export const NOTHING = {
  ...{ mode: "number", value: "", table: "", dataset: "", metric: "mrr", tool: "" },
  ...{ split: "", side: "", protocol: "", aggregation: "", version: "" },
};

/** The fields of the form. */
export const FIELDS = /** @type {const} */ (
  ["value", "table", "dataset", "metric", "tool", "split", "side", "protocol", "aggregation"]
);

/** A link longer than this breaks in mails and chats: a long table is left out of it. */
const LONGEST = 6000;

/** @param {State} state */
export function writeFragment(state) {
  const unused = state.mode === "number" ? ["table", "mode"] : ["value"];
  const filled = Object.entries(state).filter(([name, text]) => text && !unused.includes(name));
  const written = new URLSearchParams(filled).toString();
  return written.length > LONGEST ? "" : written;
}

/** @param {string} fragment @returns {State} */
export function readFragment(fragment) {
  const parts = new URLSearchParams(fragment.replace(/^#/, ""));
  const fields = [...FIELDS, "version"].flatMap((name) => (parts.has(name) ? [[name, parts.get(name)]] : []));
  const mode = parts.get("mode") === "table" ? "table" : "number";
  return { ...NOTHING, ...Object.fromEntries(fields), mode };
}
