// A pasted table: a number's tasks follow from its row, its heading and the form. The program reads more than that.

import { readPublished } from "./arithmetic.js";
import { cutTable, refuse } from "./cells.js";
import { rankconst } from "./dom.js";
import { Refusal } from "./format.js";
import { lookUpWord, readLabel } from "./labels.js";
import { describe, findDataset, get, squash } from "./names.js";
import { adjustNumber } from "./number.js";
import { drawAnswer } from "./sheet.js";

const FIELDS = ["dataset", "split", "side", "protocol"];
const MISSING = /^(?:[-–—−‐?×✗/.]?|--|---|n\/?a|n\.a\.|oom|oot|out of memory|timeout|none|null|tbd|tba)$/i;
/** Headings of columns that do not concern the numbers. */
const REMARKS = /^(?:date|year|notes?|comments?|remarks?)$/i;
const MEANS = /^(?:(?:total )?average|(?:total )?avg\.?|mean|overall|all)$/i;

/** Without marks of footnotes behind it. @param {string} cell */
const unmarked = (cell) => cell.replace(/(?<=\d)\s*(?:[*†‡§¶]|\^\{?[a-z*†‡§¶,]{1,8}\}?)+$/, "");

/** @param {string} cell */
function isNumber(cell) {
  if (!/\d/.test(cell)) return false;
  try {
    readPublished({ ...rankconst.names.metrics[0], share: true }, unmarked(cell));
    return true;
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}

// -- the table --------------------------------------------------------------------------------------------------------

/** @param {string[][]} cells @returns {Table} */
function readTable([heading, ...rows]) {
  if (!rows.length) throw new Refusal("The table has a heading and no rows.", "table");
  const columns = heading.map(readColumn);
  if (!columns.some(({ metric }) => metric)) refuse("No heading names a metric such as MRR or Hits@10.");
  for (const { name, role, label, metric } of columns) {
    if (label.isAdjusted) refuse(`The column ${name} is adjusted already, and this page does not check it.`);
    const saysMore = label.values.length || label.graphs.length || label.questions.some(({ scopes }) => scopes !== "c");
    const isRead = role ? role === "model" || FIELDS.includes(role) : metric || !saysMore;
    if (!isRead && !REMARKS.test(name) && !MEANS.test(name))
      refuse(`This page does not read the column ${name}: it says something of its rows.`);
  }
  for (const [i, row] of rows.entries())
    if (!row.some((cell, j) => columns[j].metric && /\d/.test(cell)))
      refuse(`Row ${i + 2}, “${row.find(Boolean)}”, has no number: write what it says into the rows that it is about.`);
  return { columns, rows };
}

/** @param {string} name @returns {Column} */
function readColumn(name) {
  const label = readLabel(name);
  const metric = label.metrics.length > 1 ? "other" : (label.metrics[0] ?? "");
  return { name, label, metric, role: metric ? "" : (get(rankconst.roles, squash(name)) ?? "") };
}

/** Why the numbers of a column are not read; empty if they are. @param {Column} column */
function explainUnread({ metric, label: { questions, rest } }) {
  if (metric === "other") return "it is of several metrics";
  const question = questions.find(({ kind, scopes }) => kind !== "value" && scopes?.includes("c"));
  if (question) return `“${question.text}”: ${question.reason}`;
  return rest ? "its heading says more, so it may not be the metric itself" : "";
}

// -- units ------------------------------------------------------------------------------------------------------------

/** The metric of a column, if the page adjusts it. @param {Column} column */
const findMetric = ({ metric }) =>
  rankconst.names.metrics.find(({ slug }) => slug === metric) ?? null;

/** If the largest share is less, 1.8 may be a percentage or wrong. */
const LEAST_PERCENT = 5;

/** Which columns hold percentages without a sign: all of a metric, and all of Hits@k, or none. @param {Table} table */
function findPercent({ columns, rows }) {
  const places = [...columns.keys()].filter((j) => findMetric(columns[j])?.share);
  const families = Map.groupBy(places, (j) => columns[j].metric.replace(/^hits@.*/, "hits"));
  const percent = /** @type {Set<number>} */ (new Set());
  for (const family of families.values()) {
    const cells = rows.flatMap((row) => family.map((j) => row[j])).filter((cell) => !MISSING.test(cell));
    const valueOf = (/** @type {string} */ cell) => Number.parseFloat(cell.replace(/^[^\d.]+/, ""));
    const large = cells.filter((cell) => valueOf(cell) > 1);
    const signed = cells.filter((cell) => cell.includes("%"));
    const isMarked = family.some((j) => columns[j].label.percent);
    if (signed.length === cells.length || !(large.length || signed.length || isMarked)) continue;
    const small = cells.filter((cell) => !large.includes(cell) && Number(cell) !== 0);
    const isDoubtful = !isMarked && large.every((cell) => valueOf(cell) < LEAST_PERCENT);
    if (signed.length || small.length || isDoubtful)
      refuse(`Column ${columns[family[0]].name}: fractions or percentages? Write the sign: 33.8%.`);
    for (const j of family) percent.add(j);
  }
  return percent;
}

// -- the tasks of a number -------------------------------------------------------------------------------------------

/**
 * The declarations of a cell about the numbers of its row; isName: whether it is the name of the row.
 * @param {Column} column @param {string} cell @param {boolean} isName @returns {Declaration[]}
 */
function readCell({ name, role, metric }, cell, isName) {
  if (FIELDS.includes(role) && MISSING.test(cell)) refuse(`Its row does not say the ${role}.`);
  if (metric || MISSING.test(cell) || REMARKS.test(name)) return [];
  if ((role === "dataset" || isName) && MEANS.test(cell)) refuse("This page adjusts no means.");
  if (role === "dataset") return [{ field: "dataset", value: cell, place: "its row" }];
  if (FIELDS.includes(role)) {
    const meaning = lookUpWord(cell);
    if (meaning?.field === role) return [{ field: role, value: `${meaning.value}`, place: "its row" }];
    refuse(`“${cell}” is not a ${role} that this page knows.`);
  }
  if (isNumber(cell)) return [];
  const { questions, graphs, rest } = readLabel(cell);
  const question = questions.find(({ scopes }) => scopes?.includes(isName ? "n" : "r"));
  if (question) refuse(`“${question.text}” in its row: ${question.reason}.`);
  // A graph in the name of a model is a part of the name.
  if (graphs.length && !(isName && rest)) refuse(`“${cell}” in its row: head its column “dataset”.`);
  return [];
}

/**
 * All declarations about a number.
 * @param {Table} table @param {string[]} row @param {Column} column @returns {Declaration[]}
 */
function listDeclarations({ columns }, row, { label }) {
  const hasModel = columns.some(({ role }) => role === "model");
  const first = columns.findIndex(({ role, metric }, j) => !role && !metric && row[j] && !isNumber(row[j]));
  const isName = (/** @type {number} */ j) => (hasModel ? columns[j].role === "model" : j === first);
  return [
    ...columns.flatMap((column, j) => readCell(column, row[j], isName(j))),
    ...label.values.map(({ field, value }) => ({ field: `${field}`, value: `${value}`, place: "its heading" })),
    ...label.graphs.map((graph) => ({ field: "dataset", value: graph, place: "its heading" })),
  ];
}

/** The form with declarations, which must not disagree. @param {Declaration[]} declarations @param {State} form */
function settleForm(declarations, form) {
  const { names } = rankconst;
  const keyOf = (/** @type {string} */ name) => findDataset(names, name).key;
  const state = /** @type {Record<string, string>} */ ({ ...form, dataset: form.dataset && keyOf(form.dataset) });
  for (const { field, value: text, place } of declarations) {
    const value = field === "dataset" ? keyOf(text) : text;
    if (value === "realistic" || value === "filtered") continue;
    if (!FIELDS.includes(field)) refuse(`“${value}” in ${place}: this page does not read that.`);
    if (state[field] && state[field] !== value)
      refuse(`${place} says ${field} ${value}, and the form or another place ${state[field]}.`);
    state[field] = value;
  }
  return /** @type {State} */ (/** @type {any} */ (state));
}

/** @param {Table} table @param {number} i @param {number} j @param {boolean} percent @param {State} form */
async function adjustCell(table, i, j, percent, form) {
  const column = table.columns[j];
  const metric = /** @type {Metric} */ (findMetric(column));
  const text = unmarked(table.rows[i][j]);
  if (/^[+\-−–]/.test(text)) refuse("It has a sign, as differences have.");
  const declarations = listDeclarations(table, table.rows[i], column);
  const hasSplit = (/** @type {{field?: string}[]} */ values) => values.some(({ field }) => field === "split");
  if (!form.split && !hasSplit(declarations) && table.columns.some(({ label }) => hasSplit(label.values)))
    refuse("Another heading names its split, so this one may be of another split.");
  const state = settleForm(declarations, form);
  const result = await adjustNumber(state, metric, text, percent && !text.includes("%"));
  const isFiltered = declarations.some(({ value }) => value === "filtered");
  if (isFiltered && /^(?:raw$|sampled)/.test(result.tasks.protocol))
    throw new Refusal("It is called filtered, and its protocol removes no known answers.", "protocol");
  return result;
}

/** Which row it is, for messages. @param {Table} table @param {number} i */
function nameRow({ columns, rows }, i) {
  const texts = rows[i].filter((cell, j) => cell && ["dataset", "model"].includes(columns[j].role));
  return texts.length ? `row ${i + 2} (${texts.join(", ").slice(0, 60)})` : `row ${i + 2}`;
}

/** Adjust every number of a pasted table. @param {State} form @returns {Promise<Answer>} */
export async function adjustTable(form) {
  const table = readTable(cutTable(form.table));
  const { columns, rows } = table;
  const percent = findPercent(table);
  const refusals = /** @type {Map<number, Refusal>} */ (new Map());
  const reasons = /** @type {Set<string>} */ (new Set());
  const results = columns.map(() => /** @type {(Result | null)[]} */ (rows.map(() => null)));
  for (const [j, column] of columns.entries()) {
    if (MEANS.test(column.name)) reasons.add(`Column ${column.name}: this page adjusts no means.`);
    if (!column.metric) continue;
    const unread = explainUnread(column) || (findMetric(column) ? "" : "this page does not adjust it");
    if (unread) {
      reasons.add(`Column ${column.name}: ${unread}.`);
      continue;
    }
    for (const [i, row] of rows.entries()) {
      if (MISSING.test(row[j])) continue;
      try {
        results[j][i] = await adjustCell(table, i, j, percent.has(j), form);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        refusals.set(i, error);
        reasons.add(`In ${nameRow(table, i)}, ${column.name}: ${error.message}`);
      }
    }
  }
  for (const column of results) for (const i of refusals.keys()) column[i] = null;
  // An error of all of them is shown once, where it can be mended.
  const messages = new Set([...refusals.values()].map(({ message }) => message));
  if (messages.size === 1 && !results.flat().some(Boolean)) throw refusals.values().next().value;
  const impossible = dropContradictions(table, results);
  for (const i of impossible) reasons.add(`In ${nameRow(table, i)}, all: no ranks have these numbers together.`);
  return { table, results, reasons, impossible: impossible.map((i) => nameRow(table, i)) };
}

// -- numbers that no ranks have together ------------------------------------------------------------------------------

/** How much sums over millions of groups may lose to rounding. */
const NOISE = 1e-8;
/** Where scores tie, the rank next to k may be half a rank beyond it. */
const TIED = 0.5;
const BOUNDED = /^(?:mrr?$|hits@)/;

/**
 * Leave out evaluations whose numbers no ranks have together; returns their rows.
 * @param {Table} table @param {(Result | null)[][]} results
 */
function dropContradictions({ columns, rows }, results) {
  const dropped = [];
  for (const i of rows.keys()) {
    const numbers = [...results.keys()].filter((j) => results[j][i]);
    const evaluations = Map.groupBy(numbers, (j) => {
      const { tasks } = /** @type {Result} */ (results[j][i]);
      return `${tasks.dataset.key} ${describe(tasks)}`;
    });
    for (const places of evaluations.values()) {
      const evaluation = places.map((j) => /** @type {Result} */ (results[j][i]));
      const isTwice = new Set(evaluation.map(({ metric }) => metric)).size < evaluation.length;
      if (isTwice) refuse(`Two columns are ${evaluation[0].metric.label} of the same: paste one of them.`);
      if (agree(evaluation)) continue;
      for (const j of places) if (BOUNDED.test(columns[j].metric)) results[j][i] = null;
      dropped.push(i);
    }
  }
  return dropped;
}

/** Whether shares of hits grow with k, and allow the MRR and the MR. @param {Result[]} results */
function agree(results) {
  const of = new Map(results.map(({ metric, rungs }) => [metric.slug, rungs[0].adjusted.interval]));
  const counted = [...of].filter(([slug]) => slug.startsWith("hits@"));
  const hits = counted.map(([slug, interval]) => ({ ...interval, k: Number(slug.slice("hits@".length)) }));
  hits.sort((share, next) => share.k - next.k);
  for (const [at, { upper }] of hits.entries())
    if (hits.slice(0, at).some(({ lower }) => upper + NOISE < lower)) return false;
  const [mean, rank] = [of.get("mrr"), of.get("mr")];
  const bounds = boundByHits(hits);
  if (mean && (mean.upper + NOISE < bounds.least || mean.lower - NOISE > bounds.largest)) return false;
  const least = Math.max(bounds.rank, mean ? boundByReciprocal(mean.upper) : 1);
  return !rank || rank.upper * (1 + NOISE) >= least;
}

/**
 * The MRR and the least MR that shares of hits allow, for ascending k. The MRR is least if the hits between two ks are
 * all at the larger one; it is largest, as the MR is least, if they are just beyond the smaller.
 * @param {{k: number, lower: number, upper: number}[]} hits
 */
function boundByHits(hits) {
  const bounds = { least: 0, largest: 0, rank: 1 };
  let [before, most] = [1, 0];
  for (const [at, { k, lower }] of hits.entries()) {
    const fewest = Math.min(1, ...hits.slice(at).map(({ upper }) => upper));
    most = Math.max(most, lower);
    bounds.least += most * (1 / k - 1 / (hits[at + 1]?.k ?? Infinity));
    bounds.largest += fewest * (1 / before - 1 / (k + TIED));
    bounds.rank += (1 - fewest) * (k + TIED - before);
    before = k + TIED;
  }
  return { ...bounds, largest: bounds.largest + 1 / before };
}

/** The least MR that an MRR allows: ranks are on a grid of halves. @param {number} reciprocal */
function boundByReciprocal(reciprocal) {
  const share = reciprocal > 0 ? Math.min(reciprocal, 1) : 1;
  const rank = 1 + TIED * Math.floor((1 / share - 1) / TIED);
  return 2 * rank + TIED - rank * (rank + TIED) * share;
}

/** @param {State} form @returns {Promise<Shown>} */
async function showTable(form) {
  const answer = await adjustTable(form);
  if (answer.results.flat().some(Boolean)) return drawAnswer(form, answer);
  const reasons = [...answer.reasons].slice(0, 3).join(" ");
  return refuse(reasons || "The table holds no number of a metric that this page adjusts.");
}

rankconst.reader = { showTable };
