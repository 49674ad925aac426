// The first page: a number, or a table, in; what it is worth out.

import { adjust, readPublished, standing } from "./arithmetic.js";
import { gather, listRelations } from "./counts.js";
import { address, at, copyButton, el, fetchContents, rankconst } from "./dom.js";
import { WRITERS, quote } from "./export.js";
import { Refusal, exponential, floorLog10, showBoth, showNumber, showUncertain } from "./format.js";
import { endingOf } from "./kinds.js";
import { kOf } from "./moments.js";
import {
  countNegatives,
  describe,
  findDataset,
  findMetric,
  locate,
  lookUp,
  settle,
  squash,
  summarise,
} from "./names.js";
import { checkEvidence } from "./results.js";
import { NOTHING, readFragment, writeFragment } from "./state.js";
import { isMissing, readTable, stateOf, unmarked } from "./table.js";

/** @typedef {import("./arithmetic.js").Adjusted} Adjusted */
/** @typedef {import("./arithmetic.js").Constants} Constants */
/** @typedef {import("./arithmetic.js").Form} Form */
/** @typedef {import("./arithmetic.js").Metric} Metric */
/** @typedef {import("./arithmetic.js").Published} Published */
/** @typedef {import("./export.js").Sheet} Sheet */
/** @typedef {import("./names.js").Tasks} Tasks */
/** @typedef {import("./state.js").State} State */

const EXAMPLE = { ...NOTHING, value: "0.338", dataset: "FB15k-237", tool: "rotate" };
const MOST_BYTES = 1e6;
const EXAMPLE_TABLE = "model,dataset,MRR,Hits@10\nRotatE,FB15k-237,0.338,0.533\nRotatE,WN18RR,0.476,0.571\n";

const RELATION_PREDICTION = /\brelation prediction\b|\bpredict(?:ing|ed|ion of)?(?: the)? (?:missing )?relations\b/i;

/** What is chosen where k is typed. */
const ANY_K = "hits@k";
/** What is chosen where the number of negatives is typed. */
const SAMPLED = "sampled:M";

/** The fields of the form. */
const FIELDS = /** @type {const} */ ([
  "value",
  "table",
  "dataset",
  "metric",
  "tool",
  "split",
  "side",
  "protocol",
  "aggregation",
  "relation",
]);

// -- a number --------------------------------------------------------------------------------------------------------

/**
 * @typedef {object} Found
 * @property {Tasks} tasks
 * @property {Metric} metric
 * @property {Published} published
 * @property {number} shift
 * @property {{constants: Constants, adjusted: Adjusted}[]} rungs against each baseline, chance first
 */

/** @type {Map<string, Promise<Constants[]>>} */
const known = new Map();

/**
 * The constants of a metric on some tasks; a table asks for the same again and again.
 * @param {Tasks} tasks
 * @param {Metric} metric
 */
function findConstants(tasks, metric) {
  const { names } = rankconst;
  const key = JSON.stringify([tasks.dataset.key, locate(tasks), tasks.relation, metric.slug]);
  const find = async () => {
    const contents = await fetchContents(names.version, tasks.dataset.key);
    return lookUp(names, contents, tasks, metric, await gather(names, contents, tasks, metric));
  };
  const found = known.get(key) ?? find();
  known.set(key, found);
  found.catch(() => known.delete(key));
  return found;
}

/**
 * Adjust one number.
 * @param {State} state
 * @param {Metric} metric
 * @param {string} text
 * @param {boolean} [percent]
 * @param {boolean} [exact] whether a program wrote every digit
 * @returns {Promise<Found>}
 */
export async function findAll(state, metric, text, percent = false, exact = false) {
  const { names } = rankconst;
  const published = readPublished(metric, text, percent, exact);
  const tasks = settle(names, state);
  const shift = tasks.tool?.shifts[metric.label] ?? 0;
  const rungs = (await findConstants(tasks, metric)).map((constants) => ({
    constants,
    adjusted: adjust(constants, published, names.noise, shift),
  }));
  return { tasks, metric, published, shift, rungs };
}

/** @param {Form} form */
const show = (form) => ("undefined" in form ? "–" : showBoth(form.value, form.interval));

/** @param {Form} form */
const valueOf = (form) => ("undefined" in form ? null : form.value);

/** @param {string[]} words */
const join = (words) => [words.slice(0, -1).join(", "), ...words.slice(-1)].filter(Boolean).join(" and ");

/** @param {Found} found */
function tellStanding({ published, shift, rungs }) {
  const told = /** @type {Record<string, string[]>} */ ({
    "better than": [],
    "worse than": [],
    "within rounding of": [],
  });
  for (const { constants } of rungs) {
    const found = standing(constants, published, shift);
    told[found > 0 ? "better than" : found < 0 ? "worse than" : "within rounding of"].push(
      constants.baseline === "uniform" ? "chance" : constants.baseline,
    );
  }
  const parts = Object.entries(told).filter(([, keys]) => keys.length);
  const said = parts.map(([words, keys]) => {
    const others = keys.filter((key) => key !== "chance");
    const baselines = others.length ? `the ${join(others)} baseline${others.length > 1 ? "s" : ""}` : "";
    return `${words} ${join([...keys.filter((key) => key === "chance"), baselines].filter(Boolean))}`;
  });
  return `${published.text} is ${said.join(", ")}.`;
}

/** @param {Found} found */
function drawForms({ metric, rungs: [{ adjusted }] }) {
  const meanings = {
    index: "0 = chance, 1 = perfect",
    normalised: "1 = chance",
    z: "standard deviations better than chance",
  };
  const cards = /** @type {const} */ (["index", "normalised", "z"]).map((name) => {
    const form = adjusted[name];
    const shown = "undefined" in form ? null : showUncertain(form.value, form.interval);
    const title = { index: "adjusted index", normalised: "normalised", z: "z-score" }[name];
    return el(
      "div",
      { class: `form form-${name}` },
      el(
        "dt",
        {},
        metric.names[name] || title,
        metric.names[name] ? el("span", { class: "quiet" }, ` ${title}`) : null,
      ),
      el(
        "dd",
        {},
        el("data", { value: shown ? String(valueOf(form)) : "" }, shown?.best ?? "–"),
        shown?.range ? el("span", { class: "range" }, `${shown.range}`) : null,
      ),
      el("dd", { class: "quiet" }, "undefined" in form ? form.undefined : meanings[name]),
    );
  });
  return el("dl", { class: "forms" }, ...cards);
}

/** @param {Found} found */
function drawLadder({ metric, published, rungs, tasks }) {
  const [chance] = rungs;
  const index = chance.adjusted.index;
  const unit = metric.optimum === null ? 0 : metric.optimum - chance.constants.expectation;
  /** @param {number} value */
  const place = (value) => (unit ? (value - chance.constants.expectation) / unit : 0);
  const rows = rungs.map(({ constants, adjusted }) => ({
    place: place(constants.expectation),
    own: false,
    cells: [
      constants.baseline === "uniform" ? "chance" : constants.baseline,
      showNumber(constants.expectation, 5),
      show(adjusted.index),
      show(adjusted.z),
    ],
  }));
  rows.push({
    place: "undefined" in index ? 0 : index.value,
    own: true,
    cells: ["your number", published.text, "", ""],
  });
  if (metric.optimum !== null) rows.push({ place: 1, own: false, cells: ["perfect", String(metric.optimum), "", ""] });
  rows.sort((one, other) => other.place - one.place);
  const least = Math.min(0, ...rows.map((row) => row.place));
  const body = rows.map((row) => {
    const dot = el("span", { class: "dot" });
    dot.style.left = `${(100 * (row.place - least)) / (1 - least)}%`;
    const track = el("td", { class: "track", "aria-hidden": "true" }, el("span", { class: "line" }, dot));
    const [name, value, skill, z] = row.cells;
    return el(
      "tr",
      row.own ? { class: "own" } : {},
      el("th", { scope: "row" }, name),
      el("td", {}, value),
      track,
      el("td", {}, skill),
      el("td", {}, z),
    );
  });
  const head = el(
    "tr",
    {},
    el("th", { scope: "col" }, "ranker"),
    el("th", { scope: "col" }, metric.label),
    el(
      "th",
      { scope: "col", class: "track" },
      el("span", { class: "ends" }, el("span", {}, "chance"), el("span", {}, "perfect")),
    ),
    el("th", { scope: "col" }, "your skill over it"),
    el("th", { scope: "col" }, "your z"),
  );
  const table = el("table", { class: "ladder" }, el("thead", {}, head), el("tbody", {}, ...body));
  const caption = el("caption", {}, `${tasks.dataset.title}, ${describe(tasks)}`);
  table.prepend(caption);
  const why =
    tasks.side === "relation"
      ? "Baselines rank entities: on the relation side there is chance alone."
      : countNegatives(tasks.protocol)
        ? "What other baselines get depends on which negatives are drawn."
        : tasks.relation
          ? "For single relations, this page computes chance only. For other baselines, add --baseline all to the command line below."
          : "The tables have no other baselines of these tasks.";
  const none = rungs.length === 1 ? el("p", { class: "quiet" }, why) : null;
  return el(
    "div",
    {},
    el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "The ladder of baselines" }, table),
    none,
  );
}

/** @param {Found} found */
function drawConstants({ published, shift, rungs, tasks }) {
  const { version } = rankconst.names;
  const rows = rungs.map(({ constants }) => {
    const page = `datasets/${tasks.dataset.key}.html#${constants.id.split("/").slice(1).join("/")}`;
    const error = (/** @type {number} */ size) => el("span", { class: "quiet" }, ` ± ${exponential(size, 0)}`);
    return el(
      "tr",
      {},
      el("th", { scope: "row" }, constants.baseline === "uniform" ? "chance" : constants.baseline),
      el("td", {}, String(constants.expectation), error(constants.expectationError)),
      el("td", {}, String(constants.variance), error(constants.varianceError)),
      el("td", {}, constants.method.replace("_", " ")),
      el(
        "td",
        {},
        constants.computed
          ? `computed from the candidates of ${constants.id}`
          : el("a", { href: address(page) }, constants.id),
      ),
    );
  });
  const head = ["ranker", "expectation", "variance", "method", "identifier"].map((title) =>
    el("th", { scope: "col" }, title),
  );
  const { tasks: count } = rungs[0].constants;
  const open = `${published.text} may be anything from ${published.lower} to ${published.upper}${shift ? `; ${shift} is added, as the tool counts from 0` : ""}.`;
  return el(
    "details",
    { class: "used" },
    el("summary", {}, "The constants used"),
    el("p", {}, `${count.toLocaleString("en-US")} ranking tasks; tables ${version}. ${open}`),
    el(
      "div",
      { class: "scroll", tabindex: "0", role: "region", "aria-label": "The constants used" },
      el("table", {}, el("thead", {}, el("tr", {}, ...head)), el("tbody", {}, ...rows)),
    ),
  );
}

/** The name of the file that was opened last. */
let fileName = "";

/** @param {State} state @returns {string[]} the words of the command line that does the same */
function listWords(state) {
  const file = fileName || `FILE.${endingOf(state.table)}`;
  const parts = ["rankconst", "adjust", state.mode === "table" ? file : state.value.trim()];
  if (state.dataset) parts.push("--dataset", state.dataset);
  if (state.mode === "number") parts.push("--metric", state.metric);
  for (const name of /** @type {const} */ (["tool", "protocol", "split", "side", "aggregation", "relation"])) {
    if (state[name]) parts.push(`--${name}`, state[name]);
  }
  return parts.map(quote);
}

/** @param {State} state @param {string[]} more further words */
const drawCommand = (state, ...more) =>
  el("code", {}, ...[...listWords(state), ...more].flatMap((word) => [el("span", { class: "word" }, word), " "]));

/** @param {Found} found whether the command line knows how probable such numbers are by chance */
const hasTail = ({ metric, tasks: { aggregation, protocol } }) =>
  metric.tail && aggregation === "micro" && (kOf(metric) > 0 || !protocol.endsWith(":shared"));

/** @param {State} state @param {string[]} more */
const tellTail = (state, ...more) =>
  el("p", { class: "quiet" }, "How probable is that by chance? For p, run ", drawCommand(state, ...more));

/** @param {Found} found @returns {Sheet} */
function sheetOf({ tasks, metric, published, rungs }) {
  const sheet = /** @type {Sheet} */ ({
    headings: ["dataset", "baseline", metric.label, "expected", "skill", "z"],
    rows: [],
    shown: [],
  });
  for (const { constants, adjusted } of rungs) {
    const first = [tasks.dataset.title, constants.baseline];
    sheet.rows.push([...first, published.value, constants.expectation, valueOf(adjusted.index), valueOf(adjusted.z)]);
    sheet.shown.push([
      ...first,
      published.text,
      showNumber(constants.expectation, 5),
      show(adjusted.index),
      show(adjusted.z),
    ]);
  }
  return sheet;
}

/** @param {Found} found */
function citeNumber({ tasks, metric, published, rungs: [{ constants, adjusted }] }) {
  const name = metric.names.index || `the adjusted index of ${metric.label}`;
  return (
    `${metric.label} ${published.text} on ${tasks.dataset.title} (${describe(tasks)}) is ${name} ${show(adjusted.index)}, by the ` +
    `${constants.computed ? "candidates of" : "constants"} ${constants.id} of the rankconst tables ${rankconst.names.version}, following ${rankconst.names.framework}.`
  );
}

/**
 * @param {State} state
 * @param {Sheet} sheet
 * @param {string} sentence
 */
function drawTakeaway(state, sheet, sentence) {
  const linked = writeFragment(state);
  const texts = /** @type {Record<string, () => string>} */ ({
    ...Object.fromEntries(Object.entries(WRITERS).map(([name, write]) => [name, () => write(sheet)])),
    Citation: () => sentence,
    BibTeX: () => `${rankconst.names.bibtex}\n`,
    "Command line": () => `${listWords(state).join(" ")}\n`,
    ...(linked ? { Link: () => `${location.href.split("#")[0]}#${linked}\n` } : {}),
  });
  const shown = /** @type {HTMLTextAreaElement} */ (
    el("textarea", { readonly: true, rows: "6", spellcheck: "false", "aria-label": "Text to copy", class: "code" })
  );
  let current = "LaTeX";
  const choose = (/** @type {string} */ name) => {
    current = name;
    shown.value = texts[name]();
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
    link,
    choices,
    shown,
    copyButton("Copy", () => texts[current](), shown),
  );
}

/** @param {Found} found */
function drawCaveats({ tasks: { tool, protocol, side } }) {
  const summary = summarise(rankconst.names, protocol, side);
  const caveats = (tool?.caveats ?? []).map((caveat) => el("li", {}, `${tool?.title}: ${caveat}`));
  return el("ul", { class: "caveats" }, el("li", {}, `Protocol ${protocol}: ${summary}`), ...caveats);
}

/** @param {State} state */
async function showOne(state) {
  const metric = findMetric(rankconst.names, state.metric);
  if (!metric && state.metric.startsWith("hits@"))
    throw new Refusal("k is a whole number from 1: 20, for example.", "metric");
  if (!metric) throw new Refusal(`The tables have no metric '${state.metric.slice(0, 60)}'.`, "metric");
  const found = await findAll(state, metric, state.value);
  return [
    drawForms(found),
    el("p", { class: "standing" }, tellStanding(found)),
    hasTail(found) ? tellTail(state) : null,
    drawLadder(found),
    drawCaveats(found),
    drawConstants(found),
    drawTakeaway(state, sheetOf(found), citeNumber(found)),
  ];
}

// -- a table ---------------------------------------------------------------------------------------------------------

/**
 * Adjust every number of a table: column by column a result for each row, null where there is none.
 * @param {State} state
 */
export async function adjustTable(state) {
  const { names } = rankconst;
  const table = readTable(names, state.table, state);
  const reasons = /** @type {Set<string>} */ (new Set());
  const checked = /** @type {Set<string>} */ (new Set());
  const found = /** @type {(Found | null)[][]} */ (table.columns.map(() => []));
  const refusals = /** @type {Refusal[]} */ ([]);
  const asksRelations = RELATION_PREDICTION.test(state.table);
  if (table.says.tool && state.tool && state.tool !== table.says.tool) {
    const [written, asked] = [table.says.tool, state.tool].map(
      (key) => names.tools.find((each) => each.key === key)?.title ?? key,
    );
    throw new Refusal(`${written} wrote this file, and the form says ${asked}: choose ${written}.`, "tool");
  }
  for (const [place, column] of table.columns.entries()) {
    const { percent, heading } = column;
    if (!column.metric && column.why) reasons.add(`Column ${heading}: ${column.why}.`);
    for (const [row, line] of table.rows.entries()) {
      const text = unmarked(line[place]);
      const metric = column.each?.[row] ?? column.metric;
      found[place].push(null);
      if (!metric || isMissing(text)) continue;
      try {
        const said = stateOf(names, table, line, column, state);
        if (asksRelations && !said.side)
          throw new Refusal("The text says relation prediction: choose a side, relation or both.", "side");
        found[place][row] = await findAll(said, metric, text, percent && !text.includes("%"), table.exact);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        refusals.push(error);
        reasons.add(`Row ${row + table.first}, ${heading}: ${error.message}`);
      }
    }
  }
  const [refused] = refusals;
  // What is wrong with all of them is said once, and where it can be mended.
  if (
    refused &&
    !found.flat().some(Boolean) &&
    refused.field &&
    refusals.every(({ message }) => message === refused.message)
  )
    throw refused;
  const split = table.columns.findIndex(({ role }) => role === "split");
  for (const [row, line] of table.rows.entries()) {
    const each = found.map((column) => column[row]).find(Boolean);
    const evidence = table.evidence.get(split < 0 ? "" : line[split]);
    if (!each || !evidence) continue;
    checked.add(checkEvidence(names, await fetchContents(names.version, each.tasks.dataset.key), each.tasks, evidence));
  }
  refuseContradictions(table, found);
  dropFractions(table, found, reasons);
  dropContradictions(table, found, reasons);
  return { table, found, reasons, checked: [...checked].filter(Boolean) };
}

/**
 * Leave out percentages up to 1 that are less than Hits@k for a smaller k: they may be fractions.
 * @param {import("./table.js").Table} table
 * @param {(Found | null)[][]} found
 * @param {Set<string>} reasons
 */
function dropFractions({ columns, rows, first }, found, reasons) {
  const rankOf = (/** @type {Found | null} */ each) => (each ? kOf(each.metric) : 0);
  for (const [place, { heading, percent }] of columns.entries()) {
    for (const [row, line] of rows.entries()) {
      const each = found[place][row];
      const isPercent = percent || line[place].includes("%");
      if (!each || !rankOf(each) || !isPercent || each.published.value > 0.01) continue;
      const larger = found.some(
        ({ [row]: other }) => other && rankOf(other) && rankOf(other) < rankOf(each) && other.published.value > 0.01,
      );
      if (larger) {
        found[place][row] = null;
        reasons.add(
          `Row ${row + first}, ${heading}: ${line[place]} is less than Hits@k for a smaller k. Is it a fraction?`,
        );
      }
    }
  }
}

/** What ranks differ by is no more than what sums of millions of groups lose. */
const NOISE = 1e-8;

/**
 * Leave out numbers that no ranks have together: fewer hits for a larger k, an MRR beyond all hits.
 * @param {import("./table.js").Table} table
 * @param {(Found | null)[][]} found
 * @param {Set<string>} reasons
 */
function dropContradictions({ columns, rows, first }, found, reasons) {
  /** @typedef {{place: number, row: number, k: number, each: Found}} Ranked */
  const evaluations = /** @type {Map<string, Ranked[]>} */ (new Map());
  for (const [place, column] of found.entries()) {
    for (const [row, each] of column.entries()) {
      // Above every k: an MRR is at least Hits@1, and bounds no other.
      const k = each ? (each.metric.slug === "mrr" ? Infinity : kOf(each.metric)) : 0;
      if (!each || !k) continue;
      // A file of one evaluation has a row for each number.
      const key = `${columns[place].each ? "" : row} ${each.tasks.dataset.key} ${describe(each.tasks)}`;
      evaluations.set(key, [...(evaluations.get(key) ?? []), { place, row, k, each }]);
    }
  }
  for (const ranked of evaluations.values()) {
    // A metric that is there twice is of two evaluations.
    if (new Set(ranked.map(({ k }) => k)).size < ranked.length) continue;
    ranked.sort((one, other) => (one.k < other.k ? -1 : 1));
    const hits = ranked.filter(({ k }) => k !== Infinity);
    const fewer = hits.filter(({ each }, at) => hits.slice(0, at).some((other) => isBelow(each, other.each)));
    for (const less of fewer) {
      note(less, "less than", [/** @type {Ranked} */ (hits.find(({ each }) => isBelow(less.each, each)))]);
    }
    const mean = ranked.find(({ k }) => k === Infinity);
    if (!mean || !hits.length) continue;
    const { lower, upper } = mean.each.published;
    const [least, largest] = boundReciprocal(hits.map(({ k, each }) => ({ k, ...each.published })));
    const shares = hits.map(({ k, each }) => each.published.lower / k);
    const share = Math.max(...shares);
    const tight = hits.filter(({ k, each }) => boundReciprocal([{ k, ...each.published }])[1] + NOISE < lower).pop();
    if (upper + NOISE < share) note(mean, "less than", [hits[shares.indexOf(share)]]);
    // Hits that contradict each other bound the MRR one by one only.
    else if (!fewer.length && upper + NOISE < least) note(mean, "too small for", hits);
    else if (!fewer.length && lower - NOISE > largest) note(mean, "too large for", tight ? [tight] : hits);
  }

  /** @param {Ranked} wrong @param {string} relation @param {Ranked[]} others */
  function note(wrong, relation, others) {
    const [number, ...named] = [wrong, ...others].map(
      ({ place, row, each }) => `${each.metric.label} ${rows[row][place]}`,
    );
    const part = wrong.k === Infinity && relation === "less than" && others[0].k > 1 ? `1/${others[0].k} of ` : "";
    for (const { place, row } of [wrong, ...others]) {
      found[place][row] = null;
      reasons.add(
        `Row ${row + first}, ${columns[place].heading}: ${number} is ${relation} ${part}${named.join(" and ")} of the ` +
          "same evaluation, which no ranks allow: one of them is a slip, or of another evaluation.",
      );
    }
  }
}

/**
 * Tell whether there are fewer hits than for a smaller k.
 * @param {Found} each
 * @param {Found} smaller
 */
function isBelow(each, smaller) {
  return each !== smaller && each.published.upper + NOISE < smaller.published.lower;
}

/**
 * Return the least and the largest MRR that shares of hits allow, for ascending k: it is least if the hits between two
 * ks are all at the larger one, and largest if they are just beyond the smaller, at half a rank more where scores tie.
 * @param {{k: number, lower: number, upper: number}[]} hits
 */
function boundReciprocal(hits) {
  let [least, largest, most] = [0, 0, 0];
  for (const [at, { k, lower }] of hits.entries()) {
    most = Math.max(most, lower);
    least += most * (1 / k - (at + 1 < hits.length ? 1 / hits[at + 1].k : 0));
  }
  let fewest = 1;
  for (const [at, { k, upper }] of [...hits.entries()].reverse()) {
    fewest = Math.min(fewest, upper);
    largest += fewest * ((at ? 1 / (hits[at - 1].k + 0.5) : 1) - 1 / (k + 0.5));
  }
  return [least, largest + 1 / (hits[hits.length - 1].k + 0.5)];
}

/**
 * Refuse a table in which an adjusted value does not belong to the number it was made of: it is of other ranking tasks.
 * @param {import("./table.js").Table} table
 * @param {(Found | null)[][]} found
 */
function refuseContradictions({ columns, rows, first }, found) {
  const { noise } = rankconst.names;
  for (const [place, { adjusted, heading, says, percent }] of columns.entries()) {
    if (!adjusted) continue;
    const { metric, form } = adjusted;
    const base = columns.findIndex(
      (each) => each.metric === metric && JSON.stringify(each.says) === JSON.stringify(says),
    );
    for (const [row, line] of rows.entries()) {
      if (base < 0 || isMissing(unmarked(line[place])) || isMissing(unmarked(line[base]))) continue;
      const each = found[base][row];
      const right = each?.rungs[0].adjusted[/** @type {import("./arithmetic.js").FormName} */ (form)];
      const told = readPublished({ ...metric, share: true }, unmarked(line[place]), percent && form === "index");
      const slack = 4 * noise * Math.max(Math.abs(told.lower), Math.abs(told.upper));
      if (
        !right ||
        "undefined" in right ||
        right.interval.upper < told.lower - slack ||
        right.interval.lower > told.upper + slack
      ) {
        throw new Refusal(
          `Row ${row + first}: ${heading} ${line[place]} does not belong to ${columns[base].heading} ${line[base]} on ` +
            "these ranking tasks. Is it of another dataset, split, side or protocol?",
          "table",
        );
      }
    }
  }
}

/** @param {State} state */
async function showTable(state) {
  const { table, found, reasons, checked } = await adjustTable(state);
  const count = found.flat().filter(Boolean).length;
  if (!count && reasons.size) throw new Refusal([...reasons].slice(0, 3).join(" "), "table");
  const sheet = /** @type {Sheet} */ ({
    headings: [],
    rows: table.rows.map(() => []),
    shown: table.rows.map(() => []),
  });
  const cells = /** @type {HTMLElement[][]} */ (table.rows.map(() => []));
  const ids = new Set(
    found.flat().flatMap((each) => (each ? [`${each.tasks.dataset.title}, ${describe(each.tasks)}`] : [])),
  );
  /** @type {(row: number, value: import("./export.js").Cell, shown: string, range?: string, kind?: string) => void} */
  const put = (row, value, shown, range = "", kind = "added") => {
    sheet.rows[row].push(value);
    sheet.shown[row].push(shown);
    cells[row].push(el("td", { class: kind }, shown, range ? el("span", { class: "range" }, range) : null));
  };
  /** @param {number} row @param {Form | undefined} form */
  const putForm = (row, form) => {
    if (!form || "undefined" in form) return put(row, null, "–");
    const { best, range } = showUncertain(form.value, form.interval);
    put(row, form.value, best, range);
  };
  for (const [place, { metric, each, heading }] of table.columns.entries()) {
    sheet.headings.push(
      heading,
      ...(metric ? [metric.names.index || `${metric.label} index`, metric.names.z || `${metric.label} z`] : []),
      ...(each ? ["index", "z"] : []),
    );
    for (const [row, line] of table.rows.entries()) {
      // What a program wrote in full is shown as far as anybody reads; CSV has it all.
      const own = each ? found[place][row]?.published : undefined;
      put(
        row,
        own?.value ?? line[place],
        own ? showNumber(own.value, 6) : line[place],
        "",
        metric || each ? "number" : "text",
      );
      if (!metric && !each) continue;
      const adjusted = found[place][row]?.rungs[0].adjusted;
      putForm(row, adjusted?.index);
      putForm(row, adjusted?.z);
    }
  }
  const tools = new Set(found.flat().map((each) => each?.tasks.tool));
  const caveats = [...tools].flatMap((tool) => (tool?.caveats ?? []).map((caveat) => `${tool?.title}: ${caveat}`));
  const kinds = cells[0].map((cell) => cell.className);
  const head = el(
    "tr",
    {},
    ...sheet.headings.map((heading, place) => el("th", { scope: "col", class: kinds[place] }, heading)),
  );
  const more = reasons.size > 12 ? [`${reasons.size - 12} more.`] : [];
  const told = [...table.notes, ...checked, ...[...reasons].slice(0, 12), ...more, ...caveats].map((line) =>
    el("li", {}, line),
  );
  return [
    el(
      "p",
      { class: "standing" },
      `${count} number${count === 1 ? "" : "s"} adjusted, on ${[...ids].slice(0, 4).join("; ")}${ids.size > 4 ? " ..." : ""}. Index: 0 = chance, 1 = perfect; z: standard deviations better than chance.`,
    ),
    el(
      "div",
      { class: "scroll", tabindex: "0", role: "region", "aria-label": "The adjusted table" },
      el(
        "table",
        { class: "adjusted" },
        el("thead", {}, head),
        el("tbody", {}, ...cells.map((row) => el("tr", {}, ...row))),
      ),
    ),
    found.flat().some((each) => each && hasTail(each)) ? tellTail(state, "--significance") : null,
    told.length ? el("ul", { class: "caveats" }, ...told) : null,
    drawTakeaway(
      state,
      sheet,
      `Adjusted for chance by the rankconst tables ${rankconst.names.version}, following ${rankconst.names.framework}.`,
    ),
  ];
}

// -- the form --------------------------------------------------------------------------------------------------------

/** @param {string} id */
const field = (id) => /** @type {HTMLInputElement} */ (at(id));

/** @returns {State} */
function readForm() {
  const state = { ...NOTHING, version: rankconst.names.version };
  for (const name of FIELDS) state[name] = field(name).value;
  if (state.metric === ANY_K) state.metric = `hits@${field("k").value.trim()}`;
  if (state.protocol === SAMPLED) state.protocol = `sampled:${field("negatives").value.trim()}`;
  state.mode = field("mode-table").checked ? "table" : "number";
  return state;
}

/** @param {State} state */
const isExample = ({ value, dataset, tool, table }) =>
  !table && value === EXAMPLE.value && dataset === EXAMPLE.dataset && tool === EXAMPLE.tool;

/** @param {State} state */
function fillForm(state) {
  field(state.mode === "table" ? "mode-table" : "mode-number").checked = true;
  const metric = findMetric(rankconst.names, state.metric);
  const asked = { ...state, metric: metric?.k ? ANY_K : (metric?.slug ?? state.metric) };
  if (metric?.k) field("k").value = String(metric.k);
  const held = offerProtocols(state.dataset);
  const [, negatives] = /^sampled:(.*)/s.exec(state.protocol) ?? [];
  if (negatives !== undefined && held.includes(SAMPLED) && !held.includes(state.protocol)) {
    asked.protocol = SAMPLED;
    field("negatives").value = negatives;
  }
  for (const name of FIELDS) {
    const control = field(name);
    control.value = asked[name];
    // What a link asks for and no list offers is shown, and then refused.
    if (control.value !== asked[name] && control.tagName === "SELECT") {
      control.append(el("option", { value: asked[name] }, asked[name]));
      control.value = asked[name];
    }
  }
  showParts();
  const { split, side, protocol, aggregation, relation } = state;
  at("more").toggleAttribute("open", Boolean(split || side || protocol || aggregation || relation));
}

/** Show the fields of what is typed in parts. */
function showParts() {
  at("k-field").hidden = field("metric").value !== ANY_K;
  at("negatives-field").hidden = field("protocol").value !== SAMPLED;
}

/**
 * Offer the protocols that a dataset has; returns them.
 * @param {string} dataset
 */
function offerProtocols(dataset) {
  const { names } = rankconst;
  /** @type {string[]} */
  let held;
  try {
    held = findDataset(names, dataset).protocols;
  } catch {
    held = names.protocols.map(({ key }) => key);
  }
  if (held.includes("raw")) held = [...held, SAMPLED];
  const select = field("protocol");
  const chosen = select.value;
  select.replaceChildren(
    el("option", { value: "" }, "as the tool evaluates"),
    ...held.map((key) => el("option", { value: key }, key === SAMPLED ? "sampled:M, among M negatives" : key)),
  );
  select.value = held.includes(chosen) ? chosen : "";
  return held;
}

/** Offer the relations of the tasks, where somebody is about to name one. */
async function offerRelations() {
  try {
    const found = await listRelations(rankconst.names, settle(rankconst.names, readForm()));
    at("relations").replaceChildren(...found.map((value) => el("option", { value })));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    at("relations").replaceChildren();
  }
}

/** @param {string} id @param {string} message */
function tell(id, message) {
  for (const name of FIELDS) {
    const note = at(`${name}-error`);
    note.textContent = name === id ? message : "";
    field(name).setAttribute("aria-invalid", String(name === id));
  }
}

let latest = 0;

/** @param {State} state */
async function update(state) {
  const turn = (latest += 1);
  const result = at("result");
  at("number-fields").hidden = state.mode === "table";
  at("table-fields").hidden = state.mode === "number";
  const warn =
    state.version && state.version !== rankconst.names.version
      ? `This link was made with tables ${state.version}; the numbers are of ${rankconst.names.version}.`
      : "";
  at("version-note").textContent = warn;
  try {
    const parts = await (state.mode === "table" ? showTable(state) : showOne(state));
    if (turn !== latest) return;
    tell("", "");
    result.replaceChildren(...parts.filter((part) => part !== null));
  } catch (error) {
    if (turn !== latest) return;
    if (!(error instanceof Refusal)) throw error;
    const more = ["split", "side", "protocol", "aggregation", "relation"].includes(error.field);
    if (more) at("more").setAttribute("open", "");
    const asked = error.field || "value";
    const place = state.mode === "table" && asked === "value" ? "table" : asked;
    tell(place, error.message);
    // A file may hold more than this page knows.
    const isFile = state.mode === "table" && state.table && endingOf(state.table);
    const able = error.elsewhere ? "The command line can:" : isFile ? "The command line reads more:" : "";
    if (able) at(`${place}-error`).append(` ${able} `, drawCommand(state));
    result.replaceChildren(el("p", { class: "quiet" }, "No result yet: see the note in the form."));
  }
}

function onInput() {
  const state = readForm();
  history.replaceState(null, "", `#${writeFragment(state)}`);
  void update(state);
}

/** Set up the page. */
export function startCalculator() {
  const { names } = rankconst;
  const ambiguous = new Set(Object.keys(names.ambiguous));
  at("datasets").append(
    ...names.datasets.map(({ key, title }) => el("option", { value: ambiguous.has(squash(title)) ? key : title }, key)),
  );
  at("metric").append(
    ...names.metrics.map(({ slug, label, title }) => el("option", { value: slug }, `${label}: ${title}`)),
    el("option", { value: ANY_K }, "Hits@k: any other k"),
  );
  at("tool").append(
    el("option", { value: "" }, "I don't know"),
    ...names.tools.map(({ key, title }) => el("option", { value: key }, title)),
  );
  const list = (/** @type {string} */ id, /** @type {string} */ first, /** @type {string[]} */ keys) =>
    at(id).append(el("option", { value: "" }, first), ...keys.map((key) => el("option", { value: key }, key)));
  list("split", "test (default)", Object.keys(names.splits).reverse());
  list("side", "both, or the tool's (default)", Object.keys(names.sides).sort());
  list(
    "aggregation",
    "micro (default)",
    names.aggregations.map(({ key }) => key),
  );
  const form = at("calculator");
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", (event) => {
    if (event.target === field("dataset")) offerProtocols(field("dataset").value);
    showParts();
    // What the example says of its number, nobody said of the table.
    if (event.target === field("mode-table") && isExample(readForm())) fillForm({ ...NOTHING, mode: "table" });
    onInput();
  });
  field("relation").addEventListener("focus", () => void offerRelations());
  const area = field("table");
  const read = async (/** @type {File | undefined} */ file) => {
    if (!file) return;
    if (isExample(readForm())) fillForm({ ...NOTHING, mode: "table" });
    field("mode-table").checked = true;
    fileName = file.name;
    area.value = file.size > MOST_BYTES ? "" : await file.text();
    onInput();
    if (file.size > MOST_BYTES) tell("table", `${file.name} has ${file.size} bytes: too many for this page.`);
  };
  field("file").addEventListener("change", () => void read(field("file").files?.[0]));
  area.addEventListener("input", () => (fileName = ""));
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => {
    if (!event.dataTransfer?.files.length) return;
    event.preventDefault();
    void read(event.dataTransfer.files[0]);
  });
  at("example-table").addEventListener("click", () => {
    fillForm({ ...NOTHING, mode: "table", table: EXAMPLE_TABLE, tool: "rotate" });
    onInput();
  });
  const open = () => {
    const state = location.hash.length > 1 ? readFragment(location.hash) : EXAMPLE;
    fillForm(state);
    void update(state);
  };
  addEventListener("hashchange", open);
  open();
}
