// One number: adjusted, what it means, and what can be taken away.

import { adjust, readPublished } from "./arithmetic.js";
import { address, copyButton, drawFacts, drawTable, el, fetchContents, rankconst, scroll } from "./dom.js";
import { WRITERS, quote } from "./export.js";
import { Refusal, exponential, showBoth, showNumber } from "./format.js";
import { describe, findMetric, locate, lookUp, settle, shorten, summarise } from "./names.js";
import { writeFragment } from "./state.js";
import { explain, showExpected } from "./verdict.js";

/** @typedef {import("./arithmetic.js").Form} Form */
/** @typedef {import("./arithmetic.js").Metric} Metric */
/** @typedef {import("./export.js").Sheet} Sheet */
/** @typedef {import("./state.js").State} State */

/**
 * @typedef {object} Found
 * @property {import("./names.js").Tasks} tasks
 * @property {Metric} metric
 * @property {import("./arithmetic.js").Published} published
 * @property {number} shift
 * @property {boolean} hasTail whether the program knows how probable such numbers are
 * @property {import("./verdict.js").Rung[]} rungs against each baseline, chance first
 */

/**
 * Adjust one number.
 * @param {State} state
 * @param {Metric} metric
 * @param {string} text
 * @param {boolean} [percent]
 * @returns {Promise<Found>}
 */
export async function findAll(state, metric, text, percent = false) {
  const { names } = rankconst;
  const published = readPublished(metric, text, percent);
  const tasks = settle(names, state);
  const shift = tasks.tool?.shifts[metric.label] ?? 0;
  const contents = await fetchContents(tasks.dataset.key, locate(tasks));
  const rungs = lookUp(names, contents, tasks, metric).map((constants) => ({
    constants,
    adjusted: adjust(constants, published, names.noise, shift),
  }));
  const shared = tasks.protocol.endsWith(":shared") && !metric.slug.startsWith("hits@");
  return { tasks, metric, published, shift, rungs, hasTail: metric.tail && tasks.aggregation === "micro" && !shared };
}

/** @param {string} baseline */
const nameOf = (baseline) => (baseline === "uniform" ? "chance" : baseline);

/** @param {Form} form */
const show = (form) => ("undefined" in form ? "–" : showBoth(form.value, form.interval));

/** @param {Form} form */
export const valueOf = (form) => ("undefined" in form ? null : form.value);

/** @param {State} state @param {string[]} more @returns {string[]} the words of the command that does the same */
function listWords(state, ...more) {
  const words = ["rankconst", "adjust", state.value.trim(), "--metric", state.metric, "--dataset", state.dataset];
  for (const name of /** @type {const} */ (["tool", "protocol", "split", "side", "aggregation"])) {
    if (state[name]) words.push(`--${name}`, state[name]);
  }
  return [...words, ...more].map(quote);
}

/** @param {string[]} words of a command */
export const drawCommand = (words) =>
  el("code", {}, ...words.flatMap((word) => [el("span", { class: "word" }, word), " "]));

/** @param {State} state */
export const drawNumberCommand = (state) => drawCommand(listWords(state));

/** @param {Found} found */
function drawLadder({ metric, published, rungs, tasks }) {
  const [{ constants, adjusted }] = rungs;
  const unit = metric.optimum === null ? 0 : metric.optimum - constants.expectation;
  const place = (/** @type {number} */ value) => (unit ? (value - constants.expectation) / unit : 0);
  const rows = rungs.map((rung) => ({
    place: place(rung.constants.expectation),
    cells: [nameOf(rung.constants.baseline), showExpected(rung.constants.expectation)],
    brief: rankconst.names.baselines.find(({ key }) => key === rung.constants.baseline)?.brief ?? "",
  }));
  rows.push({ place: valueOf(adjusted.index) ?? 0, cells: ["your number", published.text], brief: "" });
  if (metric.optimum !== null) rows.push({ place: 1, cells: ["perfect", String(metric.optimum)], brief: "" });
  rows.sort((one, other) => other.place - one.place);
  const least = Math.min(0, ...rows.map((row) => row.place));
  const body = rows.map(({ place, cells: [name, value], brief }) => {
    const dot = el("span", { class: "dot" });
    dot.style.left = `${(100 * (place - least)) / (1 - least)}%`;
    return el(
      "tr",
      name === "your number" ? { class: "own" } : {},
      el("th", { scope: "row" }, name, brief ? el("span", { class: "brief" }, brief) : null),
      el("td", {}, value),
      el("td", { class: "track", "aria-hidden": "true" }, el("span", { class: "line" }, dot)),
    );
  });
  const ends = el("span", { class: "ends" }, el("span", {}, "chance"), el("span", {}, "perfect"));
  const head = ["ranker", metric.label, el("th", { scope: "col", class: "track" }, ends)];
  const table = drawTable(head, body, { class: "ladder" });
  table.prepend(el("caption", {}, `${tasks.dataset.title}, ${describe(tasks)}`));
  return scroll("The ladder of baselines", table);
}

/** @param {Found} found what is on the first sight of it */
function drawAdjusted({ metric, rungs: [{ adjusted }] }) {
  const { index } = adjusted;
  if ("undefined" in index) return el("p", { class: "index" }, `${index.undefined}`);
  const [best, ...range] = show(index).split(" ");
  const name = metric.names.index || `adjusted ${metric.label}`;
  return el(
    "p",
    { class: "index" },
    `${name} `,
    el("data", { value: String(index.value) }, best),
    el("span", { class: "quiet" }, `${range.length ? ` ${range.join(" ")}` : ""}: 0 = chance, 1 = perfect`),
  );
}

/** @param {State} state @param {Found} found */
function drawAssumed(state, { tasks: { split, side, protocol } }) {
  const said = [state.split ? "" : `${split} split`, state.side ? "" : side === "both" ? "both sides" : `${side} side`];
  if (!state.protocol && !state.tool) said.push(`${protocol} protocol`);
  const assumed = said.filter(Boolean).join(", ");
  return assumed ? el("p", { class: "quiet" }, `Assumed: ${assumed}.`) : null;
}

/** @param {Found} found */
function drawDetails({ metric, published, shift, rungs, tasks }) {
  const { names } = rankconst;
  const rows = rungs.map(({ constants, adjusted }) => {
    const page = `datasets/${tasks.dataset.key}.html#${constants.id.split("/").slice(1).join("/")}`;
    const error = (/** @type {number} */ size) => el("span", { class: "quiet" }, ` ± ${exponential(size, 0)}`);
    return el(
      "tr",
      {},
      el("th", { scope: "row" }, nameOf(constants.baseline)),
      ...[adjusted.normalised, adjusted.index, adjusted.z].map((form) => el("td", {}, show(form))),
      el("td", {}, String(constants.expectation), error(constants.expectationError)),
      el("td", {}, String(constants.variance), error(constants.varianceError)),
      el("td", {}, el("a", { href: address(page) }, constants.id)),
    );
  });
  const head = ["against", metric.names.normalised || "normalised", metric.names.index || "index"];
  const table = drawTable([...head, metric.names.z || "z", "expectation", "variance", "identifier"], rows);
  const added = shift ? ` ${shift} is added, since the tool counts from 0.` : "";
  const count = rungs[0].constants.tasks.toLocaleString("en-US");
  const caveats = tasks.tool?.caveats ?? [];
  return el(
    "details",
    { class: "more" },
    el("summary", {}, "Details: normalised, z, and the constants used"),
    el(
      "p",
      {},
      "Normalised: 1 = the baseline. z: standard deviations better than it. In brackets: the effect of rounding.",
    ),
    scroll("All figures", table),
    drawFacts([
      ["ranking tasks", count],
      ["published", `anything from ${published.lower} to ${published.upper}.${added}`],
      ["protocol", `${tasks.protocol}: ${summarise(names, tasks.protocol, tasks.side)}`],
      ["tables", names.version],
      ...caveats.map((caveat) => /** @type {[string, string]} */ ([tasks.tool?.title ?? "", caveat])),
    ]),
  );
}

/** @param {Found} found @returns {Sheet} */
function sheetOf({ tasks, metric, published, rungs }) {
  const rows = rungs.map(({ constants, adjusted }) => ({
    first: [tasks.dataset.title, nameOf(constants.baseline)],
    numbers: [published.value, constants.expectation, valueOf(adjusted.index), valueOf(adjusted.z)],
    shown: [published.text, showNumber(constants.expectation, 5), show(adjusted.index), show(adjusted.z)],
  }));
  return {
    headings: ["dataset", "baseline", metric.label, "expected", "skill", "z"],
    rows: rows.map(({ first, numbers }) => [...first, ...numbers]),
    shown: rows.map(({ first, shown }) => [...first, ...shown]),
  };
}

/** @param {Found} found */
function cite({ tasks, metric, published, rungs: [{ constants, adjusted }] }) {
  const name = metric.names.index || `the adjusted index of ${metric.label}`;
  return (
    `${metric.label} ${published.text} on ${tasks.dataset.title} (${describe(tasks)}) is ${name} ` +
    `${show(adjusted.index)}, by the constants ${constants.id} of the rankconst tables ` +
    `${rankconst.names.version}, following Hoyt et al. 2022 (arXiv:2203.07544).`
  );
}

/**
 * @param {State} state
 * @param {Sheet} sheet
 * @param {string} sentence
 * @param {string} command
 */
export function drawTakeaway(state, sheet, sentence, command) {
  const linked = writeFragment(state);
  const texts = /** @type {Record<string, () => string>} */ ({
    Citation: () => sentence,
    BibTeX: () => `${rankconst.names.bibtex}\n`,
    ...Object.fromEntries(Object.entries(WRITERS).map(([name, write]) => [name, () => write(sheet)])),
    "Command line": () => `${command}\n`,
  });
  const traits = {
    readonly: true,
    rows: "5",
    spellcheck: "false",
    "aria-label": "Text to copy",
    class: "code wrapped",
  };
  const shown = /** @type {HTMLTextAreaElement} */ (el("textarea", traits));
  let current = "Citation";
  const choose = (/** @type {string} */ name) => {
    current = name;
    shown.value = texts[name]();
    shown.classList.toggle("wrapped", name === "Citation");
    for (const button of choices.children) button.setAttribute("aria-pressed", String(button.textContent === name));
  };
  const choices = el(
    "div",
    { class: "choices", role: "group", "aria-label": "What to copy" },
    ...Object.keys(texts).map((name) => el("button", { type: "button", click: () => choose(name) }, name)),
  );
  choose(current);
  const link = linked
    ? el("p", {}, el("a", { href: `#${linked}`, class: "permanent" }, "Permanent link"), " to this result")
    : el("p", { class: "quiet" }, "The table is too long for a link.");
  return el(
    "section",
    { class: "takeaway", "aria-labelledby": "take" },
    el("h2", { id: "take" }, "Take it with you"),
    choices,
    shown,
    copyButton("Copy", () => texts[current](), shown),
    link,
  );
}

/** @param {State} state @returns {Promise<{verdict: string, parts: (Node | null)[]}>} */
export async function showNumberOf(state) {
  const metric = findMetric(rankconst.names, state.metric);
  if (!metric) {
    const other = /^hits@[1-9]\d{0,8}$/.test(state.metric);
    throw new Refusal(`The tables have no metric '${shorten(state.metric)}'.`, "metric", other);
  }
  const found = await findAll(state, metric, state.value);
  const { text, open } = explain(found);
  const ask = el("p", { class: "quiet" }, "For p, run ", drawCommand(listWords(state, "--details")));
  const parts = [
    drawAdjusted(found),
    drawLadder(found),
    drawAssumed(state, found),
    open ? ask : null,
    drawDetails(found),
    drawTakeaway(state, sheetOf(found), cite(found), listWords(state).join(" ")),
  ];
  return { verdict: text, parts };
}
