// One number: adjusted, what it means, and what can be taken away.

import { adjust, readPublished } from "./arithmetic.js";
import { address, copyButton, drawFacts, drawRow, drawTable, el, fetchContents, rankconst, scroll } from "./dom.js";
import { Refusal, showBoth } from "./format.js";
import { describe, locate, lookUp, settle, shorten, summarise } from "./names.js";
import { writeFragment } from "./state.js";
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
  const contents = await fetchContents(tasks.dataset.key, locate(tasks));
  const rungs = lookUp(names, contents, tasks, metric).map((constants) => ({
    constants,
    adjusted: adjust(constants, published, names.noise, shift),
  }));
  const shared = tasks.protocol.endsWith(":shared") && !metric.slug.startsWith("hits@");
  return { tasks, metric, published, shift, rungs, hasTail: metric.tail && tasks.aggregation === "micro" && !shared };
}

/** @type {Record<string, string>} */
const NAMES = { uniform: "chance", counting_single_step: "single-step" };

/** @param {string} baseline */
const nameOf = (baseline) => NAMES[baseline] ?? baseline;

/** How a baseline ranks on a dataset. @param {Dataset} dataset @param {string} baseline */
function briefOf({ counting }, baseline) {
  if (baseline === "counting" && counting) return counting;
  return rankconst.names.baselines.find(({ key }) => key === baseline)?.brief ?? "";
}

/** @param {Form} form */
const show = (form) => (form ? showBoth(form.value, form.interval) : "–");

/** @param {Metric} metric */
const nameIndex = ({ names, label }) => names.index || `the adjusted index of ${label}`;

// -- the command that does the same -----------------------------------------------------------------------------------

const OPTIONS = /** @type {const} */ (["dataset", "tool", "protocol", "split", "side", "aggregation"]);

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
  const unit = metric.optimum === null ? 0 : metric.optimum - constants.expectation;
  const rows = rungs.map(({ constants: { baseline, expectation } }) => ({
    place: unit ? (expectation - constants.expectation) / unit : 0,
    cells: [nameOf(baseline), showExpected(expectation)],
    brief: briefOf(tasks.dataset, baseline),
  }));
  if (metric.optimum !== null) rows.unshift({ place: 1, cells: ["perfect", String(metric.optimum)], brief: "" });
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
  if (!index) return el("p", { class: "index" }, `${nameIndex(metric)} is undefined on these tasks.`);
  const [best, ...range] = show(index).split(" ");
  return el(
    "p",
    { class: "index" },
    `${metric.names.index || `adjusted ${metric.label}`} `,
    el("data", { value: String(index.value) }, best),
    el("span", { class: "quiet" }, `${["", ...range].join(" ")}: 0 = chance, 1 = perfect`),
  );
}

/** @param {State} state @param {Result} result */
function drawAssumed(state, { tasks: { split, side, protocol } }) {
  const assumed = [
    ...(state.split ? [] : [`${split} split`]),
    ...(state.side ? [] : [side === "both" ? "both sides" : `${side} side`]),
    ...(state.protocol || state.tool ? [] : [`${protocol} protocol`]),
  ];
  return assumed.length ? el("p", { class: "quiet" }, `Assumed: ${assumed.join(", ")}.`) : null;
}

/** @param {Result} result */
function drawDetails({ metric, published, shift, rungs, tasks }) {
  const { names } = rankconst;
  const rows = rungs.map(({ constants: { id, baseline, expectation }, adjusted: { normalised, index, z } }) => {
    const page = `datasets/${tasks.dataset.key}.html#${id.split("/").slice(1).join("/")}`;
    const link = el("a", { href: address(page) }, id);
    return drawRow(nameOf(baseline), [...[normalised, index, z].map(show), String(expectation), link]);
  });
  const forms = [metric.names.normalised || "normalised", metric.names.index || "index", metric.names.z || "z"];
  const added = shift ? ` ${shift} is added, since the tool counts from 0.` : "";
  const caveats = (tasks.tool?.caveats ?? []).map((caveat) => [tasks.tool?.title ?? "", caveat]);
  const note =
    "Normalised: 1 = the baseline. z: standard deviations better than it. In brackets: the effect of rounding.";
  return el(
    "details",
    { class: "more" },
    el("summary", {}, "Details: normalised, z, and the constants used"),
    el("p", {}, note),
    scroll("All figures", drawTable(["against", ...forms, "expectation", "identifier"], rows)),
    drawFacts([
      ["ranking tasks", rungs[0].constants.tasks.toLocaleString("en-US")],
      ["published", `anything from ${published.lower} to ${published.upper}.${added}`],
      ["protocol", `${tasks.protocol}: ${summarise(names, tasks.protocol, tasks.side)}`],
      ["tables", names.version],
      ...caveats,
    ]),
  );
}

/** @param {Result} result */
function cite({ tasks, metric, published, rungs: [{ constants, adjusted }] }) {
  return (
    `${metric.label} ${published.text} on ${tasks.dataset.title} (${describe(tasks)}) is ${nameIndex(metric)} ` +
    `${show(adjusted.index)}, by the constants ${constants.id} of the rankconst tables ` +
    `${rankconst.names.version}, following Hoyt et al. 2022 (arXiv:2203.07544).`
  );
}

/**
 * What can be copied, and a link.
 * @param {State} state @param {string} cited @param {string[]} words of the command @param {string[][]} [others]
 */
export function drawTakeaway(state, cited, words, others = []) {
  const command = words.map(quote).join(" ");
  const texts = [["Citation", cited], ["BibTeX", rankconst.names.bibtex], ...others, ["Command line", command]];
  const folds = texts.map(([name, text]) => {
    const block = el("pre", { tabindex: "0", class: name === "Citation" ? "wrapped" : "" }, el("code", {}, text));
    return el("details", {}, el("summary", {}, name), block, copyButton(`${text}\n`));
  });
  const linked = writeFragment(state);
  const link = linked
    ? el("p", {}, el("a", { href: `#${linked}`, class: "permanent" }, "Permanent link"), " to this result")
    : el("p", { class: "quiet" }, "The table is too long for a link.");
  const heading = el("h2", { id: "take" }, "Take it with you");
  return el("section", { class: "takeaway", "aria-labelledby": "take" }, heading, link, ...folds);
}

/** @param {State} state @returns {Promise<Shown>} */
export async function showNumberOf(state) {
  const metric = rankconst.names.metrics.find(({ slug }) => slug === state.metric.toLowerCase());
  if (!metric) {
    const other = /^hits@[1-9]\d{0,8}$/i.test(state.metric);
    throw new Refusal(`The tables have no metric '${shorten(state.metric)}'.`, "metric", other);
  }
  const result = await adjustNumber(state, metric, state.value);
  const { text, open } = explain(result);
  const parts = [
    drawAdjusted(result),
    drawLadder(result),
    drawAssumed(state, result),
    open ? el("p", { class: "quiet" }, "For p, run ", drawCommand([...listWords(state), "--details"])) : null,
    drawDetails(result),
    drawTakeaway(state, cite(result), listWords(state)),
  ];
  return { verdict: text, parts };
}
