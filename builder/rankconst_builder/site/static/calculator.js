// The first page: a number, or a table, in; what it is worth out. The address has what was typed, in its fragment.

import { at, el, loadScript, rankconst } from "./dom.js";
import { Refusal } from "./format.js";
import { drawCommand, listOptions, listWords, showNumberOf } from "./number.js";

/** @type {State} */
export const NOTHING = {
  ...{ mode: "number", value: "", table: "", dataset: "", metric: "mrr", tool: "" },
  ...{ split: "", side: "", protocol: "", version: "" },
};
const EXAMPLE = { ...NOTHING, value: "0.975", dataset: "Nations", metric: "hits@10" };
const MORE = ["split", "side", "protocol"];
const FIELDS = /** @type {const} */ (["value", "table", "dataset", "metric", "tool", "split", "side", "protocol"]);

/** @param {string} id */
const field = (id) => /** @type {HTMLInputElement} */ (at(id));

/** @param {string} fragment @returns {State} */
function readFragment(fragment) {
  const parts = new URLSearchParams(fragment.slice(1));
  const fields = [...FIELDS, "version"].filter((name) => parts.has(name)).map((name) => [name, parts.get(name)]);
  return { ...NOTHING, ...Object.fromEntries(fields), mode: parts.get("mode") === "table" ? "table" : "number" };
}

/** @returns {State} */
function readForm() {
  const fields = Object.fromEntries(FIELDS.map((name) => [name, field(name).value]));
  const mode = field("mode-table").checked ? "table" : "number";
  return { ...NOTHING, ...fields, version: rankconst.names.version, mode };
}

/** @param {State} state */
function fillForm(state) {
  field(`mode-${state.mode}`).checked = true;
  for (const name of FIELDS) {
    const control = field(name);
    control.value = state[name];
    // What a link asks for and no list offers is shown, and then refused.
    if (control.value !== state[name] && control.tagName === "SELECT") {
      control.append(el("option", { value: state[name] }, state[name]));
      control.value = state[name];
    }
  }
}

/** Show a refusal next to its field. @param {State} state @param {Refusal | null} refusal */
function showRefusal(state, refusal) {
  const main = state.mode === "table" ? "table" : "value";
  const place = refusal && (refusal.field && refusal.field !== "value" ? refusal.field : main);
  for (const name of FIELDS) {
    const note = at(`${name}-error`);
    note.replaceChildren(name === place ? `${refusal?.message}` : "");
    field(name).setAttribute("aria-invalid", String(name === place));
    if (name !== place || !refusal?.elsewhere) continue;
    const words = main === "table" ? ["rankconst", "adjust", "FILE", ...listOptions(state)] : listWords(state);
    note.append(" The program can: ", drawCommand(words));
  }
  if (MORE.some((name) => name === place || field(name).value)) at("more").setAttribute("open", "");
}

/** @param {State} state */
async function show(state) {
  if (state.mode === "number") return showNumberOf(state);
  await loadScript("assets/reader.js", "The reader of tables");
  return rankconst.reader.showTable(state);
}

let latest = 0;

/** @param {State} state */
async function update(state) {
  const turn = (latest += 1);
  const { version } = rankconst.names;
  for (const part of document.querySelectorAll("[data-mode]"))
    part.toggleAttribute("hidden", part.getAttribute("data-mode") !== state.mode);
  const old = state.version && state.version !== version;
  at("version-note").textContent = old
    ? `This link was made with tables ${state.version}; the numbers are of ${version}.`
    : "";
  let refusal = null;
  const { verdict, parts } = await show(state).catch((error) => {
    if (!(error instanceof Refusal)) throw error;
    refusal = error;
    return { verdict: "", parts: [el("p", { class: "error" }, error.message)] };
  });
  if (turn !== latest) return;
  showRefusal(state, refusal);
  at("verdict").textContent = verdict;
  at("result").replaceChildren(...parts.flatMap((part) => part ?? []));
}

/** @param {Event} event */
function onInput({ target }) {
  // The fields of the example are not those of a table.
  if (target === field("mode-table") && !field("table").value) fillForm({ ...NOTHING, mode: "table" });
  const state = readForm();
  const unused = state.mode === "number" ? ["table", "mode"] : ["value", "metric"];
  const filled = Object.entries(state).filter(([name, text]) => text && !unused.includes(name));
  history.replaceState(null, "", `#${new URLSearchParams(filled)}`);
  void update(state);
}

function read() {
  const state = location.hash.length > 1 ? readFragment(location.hash) : EXAMPLE;
  fillForm(state);
  void update(state);
}

const form = at("calculator");
form.addEventListener("submit", (event) => event.preventDefault());
form.addEventListener("input", onInput);
addEventListener("hashchange", read);
read();
