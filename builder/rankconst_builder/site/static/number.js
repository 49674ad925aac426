// One number: adjusted, what it means, and what can be taken away.

import { adjust, readPublished } from "./arithmetic.js";
import { drawRow, drawTable, el, fetchContents, rankconst, scroll } from "./dom.js";
import { Refusal, showBoth } from "./format.js";
import { describe, lookUp, settle, shorten } from "./names.js";
import { explain, showExpected } from "./verdict.js";

/**
 * Adjust one number.
 * @param {State} state @param {Metric} metric @param {string} text @param {boolean} [percent]
 * @returns {Promise<Result>}
 */
export async function adjustNumber(state, metric, text, percent = false) {
  const { names } = rankconst;
  const published = readPublished(metric, text, percent);
  const tasks = settle(names, state);
  const shift = tasks.tool?.shifts[metric.label] ?? 0;
  const contents = await fetchContents(tasks.dataset.key);
  const rungs = lookUp(names, contents, tasks, metric).map((constants) => ({
    constants,
    adjusted: adjust(constants, published, names.noise, shift),
  }));
  return { tasks, metric, published, shift, rungs };
}

/** @param {string} baseline */
const titleOf = (baseline) => rankconst.names.baselines.find(({ key }) => key === baseline)?.title ?? baseline;

/** How a baseline ranks on a dataset. @param {Dataset} dataset @param {string} baseline */
function briefOf({ counting }, baseline) {
  if (baseline === "counting" && counting) return counting;
  return rankconst.names.baselines.find(({ key }) => key === baseline)?.brief ?? "";
}

/** @param {Form} form */
const show = (form) => (form ? showBoth(form.value, form.interval) : "–");

// -- the command that does the same -----------------------------------------------------------------------------------

const OPTIONS = /** @type {const} */ (["dataset", "tool", "protocol", "split", "side"]);

/** @param {State} state */
export const listOptions = (state) => OPTIONS.flatMap((name) => (state[name] ? [`--${name}`, state[name]] : []));

/** @param {State} state @returns {string[]} */
export const listWords = (state) =>
  ["rankconst", "adjust", state.value.trim(), "--metric", state.metric, ...listOptions(state)];

/** @param {string} word */
const quote = (word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'"'"'`)}'`);

/** @param {string[]} words of a command */
export const drawCommand = (words) =>
  el("code", {}, ...words.flatMap((word) => [el("span", { class: "word" }, quote(word)), " "]));

// -- the parts of a page ----------------------------------------------------------------------------------------------

/** @param {Result} result */
function drawLadder({ metric, published, rungs, tasks }) {
  const [{ constants, adjusted }] = rungs;
  const unit = metric.optimum - constants.expectation;
  const rows = rungs.map(({ constants: { baseline, expectation } }) => ({
    place: unit ? (expectation - constants.expectation) / unit : 0,
    cells: [titleOf(baseline), showExpected(expectation)],
    brief: briefOf(tasks.dataset, baseline),
  }));
  rows.unshift({ place: 1, cells: ["perfect", String(metric.optimum)], brief: "" });
  rows.push({ place: adjusted.index?.value ?? 0, cells: ["your number", published.text], brief: "" });
  rows.sort((row, next) => next.place - row.place);
  const least = Math.min(0, ...rows.map((row) => row.place));
  const body = rows.map(({ place, cells: [name, value], brief }) => {
    const dot = el("span", { class: "dot" });
    dot.style.left = `${(100 * (place - least)) / (1 - least)}%`;
    const heading = el("span", {}, name, brief ? el("span", { class: "brief" }, brief) : null);
    const track = el("span", { class: "line", "aria-hidden": "true" }, dot);
    return drawRow(heading, [value, track], { class: name === "your number" ? "own" : "" });
  });
  const ends = el("span", { class: "ends" }, el("span", {}, "chance"), el("span", {}, "perfect"));
  const head = ["ranker", metric.label, el("th", { scope: "col", class: "track" }, ends)];
  const table = drawTable(head, body, { class: "ladder" });
  table.prepend(el("caption", {}, `${tasks.dataset.title}, ${describe(tasks)}`));
  return scroll("The ladder of baselines", table);
}

/** The first line of a result. @param {Result} result */
function drawAdjusted({ metric, rungs: [{ adjusted }] }) {
  const { index } = adjusted;
  if (!index) return el("p", { class: "index" }, `${metric.names.index} is undefined on these tasks.`);
  const [best, ...range] = show(index).split(" ");
  return el(
    "p",
    { class: "index" },
    `${metric.names.index} `,
    el("data", { value: String(index.value) }, best),
    el("span", { class: "quiet" }, `${["", ...range].join(" ")}: 0 = chance, 1 = perfect`),
  );
}

/** @param {State} state @param {Result} result */
function drawAssumed(state, { tasks: { split, side, protocol } }) {
  const assumed = [
    ...(state.split ? [] : [`${split} split`]),
    ...(state.side ? [] : [side === "both" ? "both sides" : `${side} side`]),
    ...(state.protocol ? [] : [`${protocol} protocol`]),
  ];
  return assumed.length ? el("p", { class: "quiet" }, `Assumed: ${assumed.join(", ")}.`) : null;
}

/** @param {Result} result */
function drawDetails({ metric, published, shift, rungs, tasks }) {
  const rows = rungs.map(({ constants: { id, baseline }, adjusted: { normalised, index, z } }) => {
    const page = `datasets/${tasks.dataset.key}.html#${id.split("/").slice(2).join("/")}`;
    return drawRow(titleOf(baseline), [...[normalised, index, z].map(show), el("a", { href: page }, id)]);
  });
  const { names } = metric;
  const head = ["against", names.normalised || "normalised", names.index, names.z, "constant"];
  const notes = [
    "Normalised: 1 = the baseline. z: standard deviations better than it. In brackets: the effect of rounding.",
    `${published.text} was taken as anything from ${published.lower} to ${published.upper}.`,
    ...(shift ? [`${shift} is added, since the tool counts from 0.`] : []),
    ...(tasks.tool?.caveats ?? []).map((caveat) => `${tasks.tool?.title}: ${caveat}`),
  ];
  return el(
    "details",
    { class: "more" },
    el("summary", {}, "Details: normalised, z, and the constants used"),
    scroll("All figures", drawTable(head, rows)),
    drawList(notes),
  );
}

/** @param {string[]} lines */
export const drawList = (lines) => el("ul", { class: "caveats" }, ...lines.map((line) => el("li", {}, line)));

/** @param {Result} result */
function cite({ tasks, metric, published, rungs: [{ constants, adjusted }] }) {
  return (
    `${metric.label} ${published.text} on ${tasks.dataset.title} (${describe(tasks)}) is ${metric.names.index} ` +
    `${show(adjusted.index)}, by the constants ${constants.id} of the rankconst tables ` +
    `${rankconst.names.version}, following Hoyt et al. 2022 (arXiv:2203.07544).`
  );
}

/** What can be copied: a click selects it. @param {Record<string, string>} texts by their names */
export function drawTakeaway(texts) {
  const folds = Object.entries(texts).map(([name, text]) => {
    const block = el("pre", { tabindex: "0", class: name === "Citation" ? "wrapped" : "" }, el("code", {}, text));
    return el("details", {}, el("summary", {}, name), block);
  });
  const link = el("a", { href: "about.html#cite" }, "How to cite the tables");
  const linked = el("p", {}, "The address of this page is a link to this result. ", link);
  const heading = el("h2", { id: "take" }, "Take it with you");
  return el("section", { class: "takeaway", "aria-labelledby": "take" }, heading, linked, ...folds);
}

/** @param {string[]} words of a command */
export const writeCommand = (words) => words.map(quote).join(" ");

/** @param {State} state @returns {Promise<Shown>} */
export async function showNumberOf(state) {
  const metric = rankconst.names.metrics.find(({ slug }) => slug === state.metric.toLowerCase());
  if (!metric) throw new Refusal(`This page has no metric '${shorten(state.metric)}'.`, "metric", true);
  const result = await adjustNumber(state, metric, state.value);
  const { text, open } = explain(result);
  const words = listWords(state);
  const parts = [
    drawAdjusted(result),
    drawLadder(result),
    drawAssumed(state, result),
    open ? el("p", { class: "quiet" }, "For p, run ", drawCommand([...words, "--details"])) : null,
    drawDetails(result),
    drawTakeaway({ Citation: cite(result), "Command line": writeCommand(words) }),
  ];
  return { verdict: text, parts };
}
