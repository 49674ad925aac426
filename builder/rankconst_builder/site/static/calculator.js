// The first page: a number, or a table, in; what it is worth out.

import { at, el, loadScript, rankconst } from "./dom.js";
import { Refusal } from "./format.js";
import { drawCommand, listWords, showNumberOf } from "./number.js";
import { FIELDS, NOTHING, readFragment, writeFragment } from "./state.js";

const EXAMPLE = { ...NOTHING, value: "0.975", dataset: "Nations", metric: "hits@10" };
const EXAMPLE_TABLE = "model,dataset,MRR,Hits@10\nRotatE,FB15k-237,0.338,0.533\nRotatE,WN18RR,0.476,0.571\n";
const MORE = ["split", "side", "protocol", "aggregation"];

/** @param {string} id */
const field = (id) => /** @type {HTMLInputElement} */ (at(id));

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
  at("more").toggleAttribute("open", FIELDS.some((name) => MORE.includes(name) && state[name]));
}

/** Show a refusal beside its field. @param {State} state @param {Refusal | null} refusal */
function showRefusal({ mode, ...state }, refusal) {
  const main = mode === "table" ? "table" : "value";
  const place = refusal && (refusal.field && refusal.field !== "value" ? refusal.field : main);
  for (const name of FIELDS) {
    const note = at(`${name}-error`);
    note.replaceChildren(name === place ? `${refusal?.message}` : "");
    field(name).setAttribute("aria-invalid", String(name === place));
    if (name !== place || !refusal?.elsewhere) continue;
    if (mode === "table") note.append(" The program reads more: ", drawCommand(["rankconst", "adjust", "FILE"]));
    else note.append(" The program can: ", drawCommand(listWords({ mode, ...state })));
  }
  if (place && MORE.includes(place)) at("more").setAttribute("open", "");
}

/** @param {State} state */
async function show(state) {
  if (state.mode === "number") return showNumberOf(state);
  await loadScript("assets/reader.js", "The reader of tables");
  if (!rankconst.reader) throw new Refusal("The reader of tables could not be read. Try again.", "table");
  return rankconst.reader.showTable(state);
}

let latest = 0;

/** @param {State} state */
async function update(state) {
  const turn = (latest += 1);
  const { version } = rankconst.names;
  at("number-fields").hidden = state.mode === "table";
  at("table-fields").hidden = state.mode === "number";
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

function onInput() {
  const state = readForm();
  history.replaceState(null, "", `#${writeFragment(state)}`);
  void update(state);
}

/** Set up the page. */
export function startCalculator() {
  const form = at("calculator");
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", ({ target }) => {
    // The fields of a number are not those of a table.
    if (target === field("mode-table") && !field("table").value) fillForm({ ...NOTHING, mode: "table" });
    if (target === field("mode-number") && !field("value").value) fillForm(EXAMPLE);
    onInput();
  });
  at("example-table").addEventListener("click", () => {
    fillForm({ ...NOTHING, mode: "table", table: EXAMPLE_TABLE, tool: "rotate" });
    onInput();
  });
  const read = () => {
    const state = location.hash.length > 1 ? readFragment(location.hash) : EXAMPLE;
    fillForm(state);
    void update(state);
  };
  addEventListener("hashchange", read);
  read();
}
