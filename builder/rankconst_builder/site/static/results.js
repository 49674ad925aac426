// Results files that tools write: PyKEEN's results.json and its CSV, and JSON objects of metrics. Read without losing a
// digit; what leaves its meaning open is refused.

import { solveExpectation } from "./arithmetic.js";
import { Refusal } from "./format.js";
import { kOf } from "./moments.js";
import { describe, findAdjusted, findDataset, findMetric, findName, locate, shorten } from "./names.js";

/** @typedef {import("./arithmetic.js").Interval} Interval */
/** @typedef {import("./arithmetic.js").Metric} Metric */
/** @typedef {import("./names.js").Catalogue} Catalogue */
/** @typedef {import("./names.js").Contents} Contents */
/** @typedef {import("./names.js").Tasks} Tasks */

/** A number as it is written. */
export class Written {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
  }
}

/** @typedef {unknown} Json null, true, false, text, Written, a list or a Map of these */

const TOKEN =
  /\s*(?:([{}[\],:])|("(?:[^"\\\u0000-\u001f]|\\.)*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|NaN|-?Infinity)|(true|false|null))\s*/y;
const WORDS = /** @type {Record<string, boolean | null>} */ ({ true: true, false: false, null: null });
const DEEPEST = 40;

/**
 * Read JSON: numbers as they are written, no key twice.
 * @param {string} text
 * @returns {Json}
 */
export function parseJson(text) {
  let place = 0;
  /** @param {string} [why] @returns {never} */
  const fail = (why = "this is not JSON") => {
    const line = text.slice(0, place).split("\n").length;
    throw new Refusal(`Line ${line}: ${why}. Was the file copied whole?`, "table");
  };
  const next = () => {
    TOKEN.lastIndex = place;
    const found = TOKEN.exec(text) ?? fail();
    place = TOKEN.lastIndex;
    return found;
  };
  /** @param {RegExpExecArray} token @param {number} depth @returns {Json} */
  const value = ([, sign, quoted, number, word], depth) => {
    if (quoted !== undefined) return string(quoted);
    if (number !== undefined) return new Written(number);
    if (word !== undefined) return WORDS[word];
    if (depth > DEEPEST) return fail("objects and lists are nested too deep");
    if (sign === "[") return list(depth);
    return sign === "{" ? object(depth) : fail();
  };
  /** @param {string} quoted @returns {string} */
  const string = (quoted) => {
    try {
      return JSON.parse(quoted);
    } catch {
      return fail();
    }
  };
  /** @param {number} depth @returns {Json[]} */
  const list = (depth) => {
    const found = [];
    for (let token = next(); token[1] !== "]"; token = next()) {
      if (found.length) token = token[1] === "," ? next() : fail();
      found.push(value(token, depth + 1));
    }
    return found;
  };
  /** @param {number} depth @returns {Map<string, Json>} */
  const object = (depth) => {
    const found = new Map();
    for (let token = next(); token[1] !== "}"; token = next()) {
      if (found.size) token = token[1] === "," ? next() : fail();
      const key = token[2] === undefined ? fail() : string(token[2]);
      if (found.has(key)) return fail(`the key ${shorten(key)} occurs twice in one object`);
      if (next()[1] !== ":") return fail();
      found.set(key, value(next(), depth + 1));
    }
    return found;
  };
  const found = value(next(), 0);
  return place < text.length ? fail() : found;
}

// -- PyKEEN ----------------------------------------------------------------------------------------------------------

/**
 * A value in the place of a metric; the words of its path, each as written.
 * @typedef {{path: string, split: string, side: string, ties: string, name: string, unknown: string, value: Json}} Leaf
 */

const CONTAINERS = ["metrics", "results", "metric_results"];
const SIDES = ["both", "head", "tail"];
const OLD_TIES = ["best", "worst", "avg"];
const TIES = ["realistic", "optimistic", "pessimistic", "nondeterministic", "unknown", ...OLD_TIES];
const JOINED = new RegExp(`^(?:(.+)[./:_ -])?(${SIDES.join("|")})[./:_ -](${TIES.join("|")})[./:_ -](.+)$`);
const COUNTS = ["count", "rank_count"];
/** The key of any metric of PyKEEN contains one of these. */
const PYKEEN = /rank|hit|mr|dcg|varia|devia/i;
const OPEN_K = /(?<=[_@])k$/;

/** @param {string} key */
function cutKey(key) {
  const [, before = "", side, ties, name] = JOINED.exec(key) ?? [];
  const parts = side ? [...before.split(/[./:]/), side, ties, ...name.split(/[./:]/)] : key.split(/[./:]/);
  return /^[\d.]+$/.test(key) ? [key] : parts.filter(Boolean);
}

/**
 * @param {Catalogue} catalogue
 * @param {Leaf} leaf
 * @param {string} word
 * @returns {Leaf}
 */
function takeWord(catalogue, leaf, word) {
  if (SIDES.includes(word) && !leaf.side) return { ...leaf, side: word };
  if (TIES.includes(word) && !leaf.ties) return { ...leaf, ties: word };
  if (!leaf.split && findName(catalogue.splits, word)) return { ...leaf, split: word };
  if (CONTAINERS.includes(word) && !leaf.name) return leaf;
  if (OPEN_K.test(leaf.name) && /^\d+$/.test(word)) return { ...leaf, name: leaf.name.replace(OPEN_K, word) };
  const known = word.replace(OPEN_K, "1");
  const isMetric =
    COUNTS.includes(word) || (PYKEEN.test(word) && (findMetric(catalogue, known) || findAdjusted(catalogue, known)));
  if (!leaf.name && isMetric) return { ...leaf, name: word };
  return { ...leaf, unknown: leaf.unknown || word };
}

/** @param {Catalogue} catalogue @param {Json} value @param {Leaf} leaf @returns {Leaf[]} */
function walk(catalogue, value, leaf) {
  if (!(value instanceof Map)) return [{ ...leaf, value }];
  return [...value].flatMap(([key, inner]) => {
    const path = leaf.path ? `${leaf.path}.${key}` : key;
    const onward = cutKey(key).reduce((one, word) => takeWord(catalogue, one, word), { ...leaf, path });
    if (!onward.unknown) return walk(catalogue, inner, onward);
    // Losses, times and settings next to the metrics do not matter here.
    const among =
      onward.side || onward.ties || path.split(".").some((/** @type {string} */ word) => CONTAINERS.includes(word));
    return among ? [{ ...onward, value: null }] : [];
  });
}

/** @param {Leaf} leaf */
const isOurs = ({ path, side, ties, name, unknown }) =>
  Boolean(name && !unknown && (side || (ties && CONTAINERS.includes(path.split(".")[0]))));

/**
 * What PyKEEN's numbers say about their ranking tasks.
 * @typedef {{count: number | null, expectation: Interval | null}} Evidence
 */

/** @typedef {{split: string, metric: Metric, text: string}} Found */
/** @typedef {{numbers: Found[], side: string, evidence: Map<string, Evidence>, notes: string[]}} Results evidence: by split */

/**
 * Read what PyKEEN writes; null if it is of another tool.
 * @param {Catalogue} catalogue
 * @param {Json} json
 * @returns {Leaf[] | null}
 */
export function listLeaves(catalogue, json) {
  if (!(json instanceof Map)) return null;
  const nothing = { path: "", split: "", side: "", ties: "", name: "", unknown: "", value: null };
  const leaves = walk(catalogue, json, nothing);
  if (!leaves.some(isOurs)) return null;
  const odd = listKeys(json).find((key) => saysMore(catalogue, key));
  if (odd !== undefined)
    throw new Refusal(`This page does not know what ${shorten(odd)} says in a file of PyKEEN.`, "table");
  if (["pipeline", "params", "prefix", "step", "split", "side", "protocol"].some((key) => json.has(key)))
    throw new Refusal(
      "This page reads results of PyKEEN as its pipeline saves them, not its experiment files and trackers.",
      "table",
    );
  return leaves;
}

/** @param {Json} value @param {number} [depth] @returns {string[]} all keys but the dataset's of the whole file */
function listKeys(value, depth = 0) {
  if (Array.isArray(value)) return value.flatMap((each) => listKeys(each, depth + 1));
  if (!(value instanceof Map)) return [];
  return [...value].flatMap(([key, each]) => [
    ...(depth || key !== "dataset" ? [key] : []),
    ...listKeys(each, depth + 1),
  ]);
}

/** @param {Catalogue} catalogue @param {string} key */
const saysMore = (catalogue, key) =>
  ["dataset", "split", "side", "protocol", "aggregation", "tool"].includes(findName(catalogue.roles, key) ?? "") ||
  (readKey(catalogue, key) ?? []).some(([role]) => role === "dataset");

/**
 * Choose the numbers of one side, with ties ranked realistically.
 * @param {Catalogue} catalogue
 * @param {Leaf[]} leaves
 * @param {string} asked the side, empty for both sides
 * @param {string} split empty for all
 * @returns {Results}
 */
export function chooseNumbers(catalogue, leaves, asked, split) {
  if (leaves.some(({ ties }) => OLD_TIES.includes(ties))) {
    throw new Refusal(
      "PyKEEN before 1.5 wrote this file. It removed the known answers of train and test, not of valid: the tables " +
        "hold no constants for that.",
      "table",
    );
  }
  const named = leaves.filter(({ name, unknown }) => name && !unknown);
  const sides = [...new Set(named.map(({ side }) => side))];
  const side = asked || (sides.includes("both") || sides.length > 1 ? "both" : sides[0]);
  const ties = new Set(named.map((leaf) => leaf.ties));
  const kept = named.filter(
    (leaf) =>
      leaf.side === side &&
      leaf.ties === (ties.has("realistic") ? "realistic" : "") &&
      (!split || !leaf.split || findName(catalogue.splits, leaf.split) === split),
  );
  if (!kept.length) {
    const held = [...new Set(named.map((leaf) => [leaf.split, leaf.side, leaf.ties].filter(Boolean).join(" ")))];
    const wanted = [split, side, "realistic"].filter(Boolean).join(" ");
    throw new Refusal(`The file has no numbers ${wanted}; it has ${held.join(", ")}.`, asked ? "side" : "table");
  }
  const notes = [
    `Read as results of PyKEEN: ${side ? `${side === "both" ? "both sides" : `${side} side`}, ` : ""}ties ranked realistically.`,
  ];
  const numbers = /** @type {Found[]} */ ([]);
  for (const { path, split: own, name, value } of kept) {
    const metric = findMetric(catalogue, name);
    if (!metric || metric.optimum === null) continue;
    if (value instanceof Written) numbers.push({ split: own, metric, text: value.text });
    else notes.push(`${path}: not a number.`);
  }
  const lost = leaves.filter(({ unknown }) => unknown).map(({ path }) => path);
  if (lost.length) notes.push(`Not read: ${lost.slice(0, 3).map(shorten).join(", ")}${lost.length > 3 ? " ..." : ""}.`);
  const splits = new Map(kept.map((leaf) => [leaf.split, kept.filter((other) => other.split === leaf.split)]));
  const evidence = new Map([...splits].map(([own, each]) => [own, collectEvidence(catalogue, each)]));
  // In the order of the catalogue; any k of Hits@k that it does not have next to those it has.
  const place = (/** @type {Found} */ { metric }) => [
    catalogue.metrics.findIndex(({ key }) => key.startsWith(metric.key.replace(/\d+$/, ""))),
    kOf(metric),
  ];
  numbers.sort((one, other) => {
    const [[first, k], [second, l]] = [one, other].map(place);
    return first - second || k - l;
  });
  return { numbers, side, evidence, notes };
}

/** @param {Catalogue} catalogue @param {Leaf[]} leaves of the same tasks @returns {Evidence} */
function collectEvidence(catalogue, leaves) {
  const written = leaves.flatMap(({ name, value }) => (value instanceof Written ? [{ name, text: value.text }] : []));
  const count = written.find(({ name }) => COUNTS.includes(name));
  const base = written.find(({ name }) => findMetric(catalogue, name)?.slug === "mr");
  const around = (/** @type {string} */ text) => {
    const slack = catalogue.noise * Math.abs(Number(text));
    return { lower: Number(text) - slack, upper: Number(text) + slack };
  };
  for (const { name, text } of written) {
    const adjusted = findAdjusted(catalogue, name);
    if (!base || adjusted?.metric.slug !== "mr") continue;
    const expectation = solveExpectation(adjusted.metric, adjusted.form, around(base.text), around(text));
    if (expectation) return { count: count ? Number(count.text) : null, expectation };
  }
  return { count: count ? Number(count.text) : null, expectation: null };
}

/**
 * Hold what a file says about its ranking tasks against the tables; returns it in words.
 * @param {Catalogue} catalogue
 * @param {Contents} contents
 * @param {Tasks} tasks
 * @param {Evidence} evidence
 */
export function checkEvidence({ noise }, { constants, tasks: held }, tasks, { count, expectation }) {
  const fits = (/** @type {string} */ path) => {
    const known = constants[path]?.mr?.[0];
    const near =
      expectation === null ||
      (known !== undefined && known * (1 + noise) >= expectation.lower && known * (1 - noise) <= expectation.upper);
    return (count === null || held[path]?.num_tasks === count) && near;
  };
  const said = [
    count === null ? "" : `its ${count.toLocaleString("en-US")} ranks`,
    expectation === null ? "" : "its adjusted mean rank",
  ].filter(Boolean);
  if (!said.length) return "";
  if (fits(locate(tasks)))
    return `Checked: ${said.join(" and ")} agree${expectation && !count ? "s" : ""} with these ranking tasks.`;
  const others = Object.keys(held).filter((path) => path.split("/").length === 3 && fits(path));
  const hint = others.length
    ? `They agree with ${others.slice(0, 4).join(", ")}: choose that split, side and protocol.`
    : "Is it another dataset?";
  throw new Refusal(
    `The file is not of ${tasks.dataset.title} (${describe(tasks)}), by ${said.join(" and ")}. ${hint}`,
    "dataset",
  );
}

// -- other objects of metrics -----------------------------------------------------------------------------------------

const ROLES = /** @type {Record<string, string>} */ ({
  dataset: "dataset",
  dataset_name: "dataset",
  model: "model",
  model_name: "model",
  split: "split",
  side: "side",
  protocol: "protocol",
});
/** The keys by which other tools are known, whose numbers mean more than their names say. */
const FOREIGN = ["hyperparams", "model_params", "event", "datasets", "pipeline", "prefix", "epoch", "step"];
const LIKELY = /rank|hit|mr|h.?\d|dcg/i;

/**
 * Read objects of metrics as the rows of a table; the first row is its heading.
 * @param {Catalogue} catalogue
 * @param {Json} json
 * @param {(key: string) => boolean} isMetric
 * @returns {string[][]}
 */
export function flatten(catalogue, json, isMetric) {
  const rows = /** @type {Map<string, string>[]} */ ([]);
  /** @param {Json} value @param {Map<string, string>} around @param {string} [odd] the key of it that is not understood */
  const visit = (value, around, odd = "") => {
    if (Array.isArray(value)) for (const each of value) visit(each, around, odd);
    if (!(value instanceof Map)) return;
    const foreign = FOREIGN.find((key) => value.has(key));
    if (foreign) throw new Refusal(`This page does not read files with the key ${foreign}.`, "table");
    const row = new Map(around);
    const texts = [...value].filter(([, each]) => typeof each === "string");
    for (const [key, each] of texts) {
      const role = findName(catalogue.roles, key);
      if ((role === "dataset" || role === "model") && !/\/|^[\d.]+$/.test(each)) row.set(role, each);
    }
    for (const [key, each] of texts) if (ROLES[key]) row.set(ROLES[key], each);
    const inner = new Map(row);
    let measured = false;
    for (const [key, each] of value) {
      const text = each instanceof Written ? each.text : typeof each === "string" ? each : null;
      if (each instanceof Map || Array.isArray(each)) {
        const said = readKey(catalogue, key);
        visit(each, new Map([...inner, ...(said ?? [])]), odd || (said ? "" : key));
      } else if (LIKELY.test(key) && !ROLES[key]) {
        if (odd || !(isMetric(key) || findAdjusted(catalogue, key)))
          throw new Refusal(`This page does not know what ${shorten(odd || key)} is.`, "table");
        row.set(key, text ?? "");
        measured = true;
      }
    }
    if (measured) rows.push(row);
  };
  visit(json, new Map());
  const headings = [...new Set(["model", "dataset", "split", ...rows.flatMap((row) => [...row.keys()])])].filter(
    (key) => rows.some((row) => row.has(key)),
  );
  return [headings, ...rows.map((row) => headings.map((key) => row.get(key) ?? ""))];
}

/**
 * What the key of an object says: a split, a dataset, nothing.
 * @param {Catalogue} catalogue
 * @param {string} key
 * @returns {[string, string][] | null} null if it may say anything
 */
function readKey(catalogue, key) {
  if (CONTAINERS.includes(key)) return [];
  if (findName(catalogue.splits, key)) return [["split", key]];
  try {
    return [["dataset", findDataset(catalogue, key).key]];
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return null;
  }
}
