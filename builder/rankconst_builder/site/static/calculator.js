// The first page: a number, or a table, in; what it is worth out.

import { at, el, loadScript, rankconst } from "./dom.js";
import { Refusal } from "./format.js";
import { findDataset, findMetric, squash } from "./names.js";
import { drawCommand, drawNumberCommand, showNumberOf } from "./number.js";
import { FIELDS, NOTHING, readFragment, writeFragment } from "./state.js";

/** @typedef {import("./state.js").State} State */

const EXAMPLE = { ...NOTHING, value: "0.975", dataset: "Nations", metric: "hits@10" };
const EXAMPLE_TABLE = "model,dataset,MRR,Hits@10\nRotatE,FB15k-237,0.338,0.533\nRotatE,WN18RR,0.476,0.571\n";
const MOST_BYTES = 1e6;

/** @param {string} id */
const field = (id) => /** @type {HTMLInputElement} */ (at(id));

/** The name of the file that was opened last. */
let fileName = "";

/** @returns {State} */
function readForm() {
  const fields = Object.fromEntries(FIELDS.map((name) => [name, field(name).value]));
  const mode = field("mode-table").checked ? "table" : "number";
  return { ...NOTHING, ...fields, version: rankconst.names.version, mode };
}

/** @param {State} state */
function fillForm(state) {
  field(state.mode === "table" ? "mode-table" : "mode-number").checked = true;
  offerProtocols(state.dataset);
  for (const name of FIELDS) {
    const control = field(name);
    const text = name === "metric" ? (findMetric(rankconst.names, state.metric)?.slug ?? state.metric) : state[name];
    control.value = text;
    // What a link asks for and no list offers is shown, and then refused.
    if (control.value !== text && control.tagName === "SELECT") {
      control.append(el("option", { value: text }, text));
      control.value = text;
    }
  }
  const { split, side, protocol, aggregation } = state;
  at("more").toggleAttribute("open", Boolean(split || side || protocol || aggregation));
}

/** Offer the protocols that a dataset has. @param {string} dataset */
function offerProtocols(dataset) {
  const { names } = rankconst;
  let held = names.protocols.map(({ key }) => key);
  try {
    held = findDataset(names, dataset).protocols;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
  }
  const select = field("protocol");
  const chosen = select.value;
  const options = held.map((key) => el("option", { value: key }, key));
  select.replaceChildren(el("option", { value: "" }, "as the tool evaluates"), ...options);
  select.value = held.includes(chosen) ? chosen : "";
}

/** @param {string} id @param {string} message @param {HTMLElement | null} [command] that can do it */
function tell(id, message, command = null) {
  for (const name of FIELDS) {
    const note = at(`${name}-error`);
    note.replaceChildren(name === id ? message : "");
    const more = field("mode-table").checked ? " The program reads more: " : " The program can: ";
    if (name === id && command) note.append(more, command);
    field(name).setAttribute("aria-invalid", String(name === id));
  }
}

/** @param {State} state @returns {Promise<{verdict: string, parts: (Node | null)[]}>} */
async function show(state) {
  if (state.mode === "number") return showNumberOf(state);
  await loadScript("assets/reader.js", "The reader of tables");
  if (!rankconst.reader) throw new Refusal("The reader of tables could not be read. Try again.", "table");
  return rankconst.reader.showTable(state, fileName);
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
  const put = (/** @type {string} */ verdict, /** @type {(Node | null)[]} */ parts) => {
    at("verdict").textContent = verdict;
    at("result").replaceChildren(...parts.filter((part) => part !== null));
  };
  try {
    const { verdict, parts } = await show(state);
    if (turn !== latest) return;
    tell("", "");
    put(verdict, parts);
  } catch (error) {
    if (turn !== latest) return;
    put("", []);
    if (!(error instanceof Refusal)) throw error;
    const more = ["split", "side", "protocol", "aggregation"].includes(error.field);
    if (more) at("more").setAttribute("open", "");
    const first = state.mode === "table" ? "table" : "value";
    const place = error.field && error.field !== "value" ? error.field : first;
    const command = state.mode === "table" ? drawCommand(["rankconst", "adjust", fileName || "FILE"]) : null;
    tell(place, error.message, error.elsewhere ? (command ?? drawNumberCommand(state)) : null);
    put("", [el("p", { class: "error" }, error.message)]);
  }
}

function onInput() {
  const state = readForm();
  history.replaceState(null, "", `#${writeFragment(state)}`);
  void update(state);
}

/** Fill the lists of the form. */
function offerAll() {
  const { names } = rankconst;
  const list = (/** @type {string} */ id, /** @type {string} */ first, /** @type {string[]} */ keys) =>
    at(id).append(el("option", { value: "" }, first), ...keys.map((key) => el("option", { value: key }, key)));
  const titles = names.datasets.map(({ key, title }) => {
    const ambiguous = Object.hasOwn(names.ambiguous, squash(title));
    return el("option", { value: ambiguous ? key : title }, key);
  });
  at("datasets").append(...titles);
  const metrics = names.metrics.map(({ slug, label, title, headline }) => ({
    headline,
    option: el("option", { value: slug, title }, label),
  }));
  const listed = (/** @type {boolean} */ wanted) =>
    metrics.filter(({ headline }) => headline === wanted).map(({ option }) => option);
  at("metric").append(...listed(true), el("optgroup", { label: "More" }, ...listed(false)));
  const tools = names.tools.map(({ key, title }) => el("option", { value: key }, title));
  at("tool").append(el("option", { value: "" }, "I don't know"), ...tools);
  list("split", "test (default)", names.splits);
  list("side", "both, or the tool's (default)", names.sides);
  const aggregations = names.aggregations.map(({ key }) => key);
  list("aggregation", "micro (default)", aggregations);
}

/** What the example says of its number, nobody said of a table. */
function forgetExample() {
  const { value, dataset, metric } = readForm();
  if (value === EXAMPLE.value && dataset === EXAMPLE.dataset && metric === EXAMPLE.metric)
    fillForm({ ...NOTHING, mode: "table" });
}

/** @param {File | undefined} file */
async function open(file) {
  if (!file) return;
  // What was said of the number before is not said of the file.
  fillForm({ ...NOTHING, mode: "table", tool: field("tool").value });
  fileName = file.name;
  field("table").value = file.size > MOST_BYTES ? "" : await file.text();
  onInput();
  if (file.size > MOST_BYTES) tell("table", `${file.name} has ${file.size} bytes: too many for this page.`);
}

/** Set up the page. */
export function startCalculator() {
  offerAll();
  const form = at("calculator");
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", (event) => {
    if (event.target === field("file")) return;
    if (event.target === field("dataset")) offerProtocols(field("dataset").value);
    if (event.target === field("table")) fileName = "";
    if (event.target === field("mode-table")) forgetExample();
    if (event.target === field("mode-number") && !field("value").value) fillForm(EXAMPLE);
    onInput();
  });
  field("file").addEventListener("change", () => void open(field("file").files?.[0]));
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => {
    if (!event.dataTransfer?.files.length) return;
    event.preventDefault();
    void open(event.dataTransfer.files[0]);
  });
  at("example-table").addEventListener("click", () => {
    fileName = "";
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
