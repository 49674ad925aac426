// What a label says, word by word, and the gate: declared, assumed, or asked. The words are those of the program
// (rankconst/results/vocabulary.toml); no sentence is understood.

import { rankconst } from "./dom.js";
import { get, squash } from "./names.js";

/** @typedef {[string, string, string, string]} Word field, scopes, reason, kind */

/**
 * @typedef {object} Words
 * @property {Record<string, [string, string]>} values a spelling to its field and value
 * @property {Record<string, Word>} lexicon
 * @property {string[]} fillers
 * @property {string[]} ordinary
 * @property {Record<string, string>} roles
 * @property {Record<string, string>} graphs a spelling to the key; empty for graphs without ranking tasks
 * @property {Record<string, string[]>} kinds
 * @property {Record<string, string>} metrics
 * @property {Record<string, string>} families those that take a k
 * @property {string[]} adjusted
 * @property {{symbols: Record<string, string>, dropped: Record<string, number>, last: Record<string, number>}} macros
 * @property {Record<string, number>} environments
 */

/**
 * @typedef {object} Label
 * @property {string} text
 * @property {string} role of the cells below it
 * @property {string} metric the slug
 * @property {Record<string, string[]>} values
 * @property {string[]} graphs keys; what is no benchmark as it is written
 * @property {string[]} words of the lexicon
 * @property {boolean} whole whether it wholly consists of vocabulary
 * @property {boolean} percent
 * @property {string} reason why its numbers are not read
 */

/** @typedef {"column" | "row" | "name" | "text"} Scope */
/** @typedef {{label: Label, scope: Scope, place: string, far?: boolean}} Text far: asked about, and no more */
/** @typedef {{kind: string, start: number, end: number, text: string}} Found */

const words = () => /** @type {Words} */ (rankconst.words);

const TOKEN = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\P{L}a-zA-Z]+|\d+/gu;
const GAP = /^[\s_\-./@:()[\]\u2010-\u2013]{0,3}$/;
const MOST_WORDS = 8;
const LONGEST_NAME = 80;
const ARROWS = /[([]\s*[↑↓⬆⬇]\ufe0f?\s*[)\]]|[↑↓⬆⬇]\ufe0f?/g;
const MARKS = /(?:[\s*†‡§¶]|\^\{[^{}]{0,8}\})+$/;
const PERCENT = /[([]\s*(?:in\s+)?%\s*[)\]]|\bin\s+%|%/g;
const OTHER = /[\d^*×÷=<>Δδ∆√+±]|^\s*\/|\/\s*$|\(k\)/;
const FILE = /:\/\/|\.(?:csv|json|txt|tsv|ya?ml|log|npy|pkl|ckpt|pth?|py|sh|md|tex|pdf|html)[.,;:)\]}"'`]*$/;
const LONGEST_HEADING = 200;

// -- names of graphs --------------------------------------------------------------------------------------------------

/**
 * The graphs that a text names; with anything attached, a name is of another graph.
 * @param {string} text
 * @returns {Found[]}
 */
function findGraphs(text) {
  const tokens = [...text.matchAll(/[A-Za-z0-9]+/g)].map((found) => ({ at: found.index, text: found[0] }));
  const found = [];
  for (let i = 0; i < tokens.length; i += 1) {
    const last = findLast(text, tokens, i);
    const start = tokens[i].at;
    if (last < 0) {
      const joined =
        tokens[i].text.length < 40 && /\d/.test(tokens[i].text) && beginsWithGraph(tokens[i].text.toLowerCase());
      if (joined) found.push({ kind: "graph", start, end: start + tokens[i].text.length, text: tokens[i].text });
      continue;
    }
    const end = tokens[last].at + tokens[last].text.length;
    const [behind] = /^(?:(?:[-.\u2010-\u2013][A-Za-z0-9]+)+|\*|\++(?![\w+]))/.exec(text.slice(end)) ?? [""];
    const [before] = /(?:[A-Za-z0-9]+[-\u2010-\u2013])+$/.exec(text.slice(Math.max(0, start - 40), start)) ?? [""];
    const said = behind.match(/[A-Za-z0-9]+/g) ?? [];
    const isSaid = !before && said.length > 0 && said.every((word) => isPlain(word.toLowerCase()));
    const stop = isSaid ? end : end + behind.length;
    found.push({
      kind: "graph",
      start: start - before.length,
      end: stop,
      text: text.slice(start - before.length, stop),
    });
    i = last;
    while (i + 1 < tokens.length && tokens[i + 1].at < stop) i += 1;
  }
  return found;
}

/** @param {string} word */
const isPlain = (word) => words().fillers.includes(word) || Boolean(get(words().values, word));

/** @param {string} word */
const beginsWithGraph = (word) =>
  [...word].some((_, n) => n > 3 && /\d/.test(word.slice(0, n)) && get(words().graphs, word.slice(0, n)) !== undefined);

/**
 * @param {string} text
 * @param {{at: number, text: string}[]} tokens
 * @param {number} i
 * @returns {number} the last word of the longest name
 */
function findLast(text, tokens, i) {
  let [name, last] = ["", -1];
  for (let j = i; j < Math.min(i + 6, tokens.length); j += 1) {
    const gap = j > i ? text.slice(tokens[j - 1].at + tokens[j - 1].text.length, tokens[j].at) : "";
    if (!/^(?:[\s(_]{1,3}|\s?[-.\u2010-\u2013]\s?|)$/.test(gap) || name.length > LONGEST_NAME) break;
    name += tokens[j].text.toLowerCase();
    if (get(words().graphs, name) !== undefined) last = j;
  }
  return last;
}

// -- labels -----------------------------------------------------------------------------------------------------------

/**
 * @param {string} name
 * @returns {string} the slug of a metric; "other" for one that is not adjusted here, "adjusted" for one that is already
 */
function findMetric(name) {
  const plain = squash(name);
  const held = words();
  if (held.adjusted.includes(plain)) return "adjusted";
  const [, stem, digits] = /^(.*?)(\d*)$/.exec(plain) ?? ["", "", ""];
  const family = get(held.families, stem);
  const metric = get(held.metrics, plain);
  if (metric ?? (family && digits)) return metric ?? `${family}${Number(digits)}`;
  if (digits && held.adjusted.includes(stem)) return "adjusted";
  return digits && get(held.metrics, stem) && name.includes("@") ? "other" : "";
}

/** @param {string} name */
const joined = (name) => name.toLowerCase().replace(/[\s_\u2010-\u2013-]+/g, "-");

/** What a word, or several, are. @param {string} name */
function tell(name) {
  const plain = squash(name);
  if (!plain || /[^\0-\x7f]/.test(name)) return "";
  const word = get(words().lexicon, joined(name));
  if (word?.[0] === "metric") return "word";
  if (/^[a-z]/.test(plain) && findMetric(name)) return "metric";
  if (get(words().values, plain)) return "value";
  return word ? "word" : words().fillers.includes(joined(name)) ? "filler" : "";
}

/** @param {string} text @returns {Found[]} */
function scan(text) {
  const tokens = [...text.matchAll(TOKEN)].map((each) => ({ start: each.index, end: each.index + each[0].length }));
  const graphs = findGraphs(text);
  const found = [];
  for (let i = 0; i < tokens.length;) {
    const [graph] = graphs;
    const { start } = tokens[i];
    if (graph && graph.start <= start) {
      found.push(/** @type {Found} */ (graphs.shift()));
      while (i < tokens.length && tokens[i].start < graph.end) i += 1;
      continue;
    }
    let best = { kind: "", end: tokens[i].end, next: i + 1 };
    for (let j = i; j < Math.min(i + MOST_WORDS, tokens.length); j += 1) {
      const { end } = tokens[j];
      if ((j > i && !GAP.test(text.slice(tokens[j - 1].end, tokens[j].start))) || end - start > LONGEST_NAME) break;
      const kind = tell(text.slice(start, end));
      if (kind) best = { kind, end, next: j + 1 };
    }
    found.push({ kind: best.kind, start, end: best.end, text: text.slice(start, best.end) });
    i = best.next;
  }
  return found;
}

/** @type {Map<string, Label>} */
const read = new Map();

/** @param {string} text @returns {Label} */
export function readLabel(text) {
  const known = read.get(text);
  if (known) return known;
  const named = text.replace(ARROWS, "").replace(/^(?:table|tab\.?)\s*[A-Z]?\d+\s*[.:]?/i, "");
  const bare = named.includes(" ")
    ? named
        .split(" ")
        .filter((word) => !FILE.test(word))
        .join(" ")
    : named;
  const plain = bare.replace(PERCENT, " ");
  const cleaned = plain.length > LONGEST_HEADING ? plain : plain.replace(MARKS, "");
  const role = cleaned.length < 40 ? (get(words().roles, squash(cleaned)) ?? "") : "";
  const found = scan(cleaned);
  const label = compose(text, found, role, bare.includes("%"));
  if (label.metric) label.reason = explainOther(cleaned, found, label);
  read.set(text, label);
  return label;
}

/** @param {string} text @param {Found[]} found @param {string} role @param {boolean} percent @returns {Label} */
function compose(text, found, role, percent) {
  const values = /** @type {Record<string, string[]>} */ ({});
  for (const each of found.filter(({ kind }) => kind === "value")) {
    const [field, value] = words().values[squash(each.text)];
    values[field] = [...new Set([...(values[field] ?? []), value])];
  }
  const graphs = found
    .filter(({ kind }) => kind === "graph")
    .map((each) => get(words().graphs, squash(each.text)) || each.text);
  const asked = found.filter(
    ({ kind, text: word }) => ["value", "word"].includes(kind) && get(words().lexicon, joined(word)),
  );
  const metrics = [...new Set(found.filter(({ kind }) => kind === "metric").map((each) => findMetric(each.text)))];
  return {
    ...{
      text,
      values,
      percent,
      graphs: [...new Set(graphs)],
      words: [...new Set(asked.map((each) => joined(each.text)))],
    },
    metric: metrics.length > 1 ? "other" : (metrics[0] ?? ""),
    role: metrics.length ? "" : role,
    whole: found.length > 0 && found.every(({ kind }) => kind),
    reason: "",
  };
}

/** Why the numbers below a heading are not read. @param {string} text @param {Found[]} found @param {Label} label */
function explainOther(text, found, { metric, words: asked }) {
  const ends = [0, ...found.map(({ end }) => end)];
  const rest = [...found.map(({ start }) => start), text.length].map((start, place) => text.slice(ends[place], start));
  const word = asked.find((each) => words().lexicon[each][0] === "metric");
  const odd = found.find(({ kind }) => !kind);
  if (word) return words().lexicon[word][2];
  if (metric === "other") return "it is of several metrics, or of one that this page does not adjust";
  if (OTHER.test(rest.join("\0")) || /recall/i.test(text)) return "it may not be the metric itself";
  return odd ? `this page does not know what '${odd.text.slice(0, 40)}' says` : "";
}

// -- the gate ---------------------------------------------------------------------------------------------------------

/** @typedef {{field: string, word: string, place: string, text: string}} Ask */

const SCOPES = { column: "c", row: "r", name: "n", text: "t" };

/** Whether cells below a label may affirm or deny it. @param {Label} label */
export const isFlag = ({ whole, values, words: held }) =>
  whole && (Object.keys(values).length > 0 || held.some((word) => words().lexicon[word][0] !== "metric"));

/** What a label declares. @param {Label} label @returns {Record<string, string>} */
export function declare({ whole, values, graphs }) {
  if (!whole) return {};
  const said = Object.fromEntries(
    Object.entries(values).flatMap(([field, held]) => (held.length > 1 ? [] : [[field, held[0]]])),
  );
  if (values.side?.length === 2 && !values.side.includes("both")) said.side = "both";
  return graphs.length === 1 ? { ...said, dataset: graphs[0] } : said;
}

/**
 * What texts say, given from the nearest to the farthest: cell beats column beats row above beats caption.
 * @param {Text[]} texts
 * @returns {{said: Record<string, string>, asks: Ask[], among: string[]}} among: the datasets that it may be of
 */
export function gather(texts) {
  const said = /** @type {Record<string, string>} */ ({});
  const asks = /** @type {Ask[]} */ ([]);
  for (const { label, scope, place, far } of texts) {
    for (const [field, value] of Object.entries(declare(label))) {
      if (field !== "dataset" && !far) said[field] ??= value;
    }
    const ask = (/** @type {string} */ field, /** @type {string} */ word) => {
      if (!said[field]) asks.push({ field, word, place, text: label.text });
    };
    for (const word of label.words) {
      const [field, scopes] = words().lexicon[word];
      if (scopes.includes(SCOPES[scope]) && !(field === "side" && label.values.side?.length === 2)) ask(field, word);
    }
    for (const [field, held] of Object.entries(label.values)) if (label.whole && held.length > 1) ask(field, held[0]);
  }
  const named = nameGraphs(texts);
  if (named.length === 1) [said.dataset] = named;
  return { said, asks, among: named.length > 1 ? named : [] };
}

/** The graphs up to the nearest label that wholly consists of vocabulary. @param {Text[]} texts */
function nameGraphs(texts) {
  const [named, others] = /** @type {Map<string, string>[]} */ ([new Map(), new Map()]);
  for (const { label, far } of texts) {
    for (const graph of label.graphs) {
      if (label.whole || !words().ordinary.includes(squash(graph))) (far ? others : named).set(squash(graph), graph);
    }
    if (label.whole && label.graphs.length && !far) break;
  }
  return [...(named.size ? new Map([...others, ...named]) : named).values()];
}

/**
 * Whether a benchmark is what a question is about: a temporal one, of a date.
 * @param {Ask} ask
 * @param {string} dataset
 */
export function isOfKind({ word }, dataset) {
  const kind = get(words().lexicon, word)?.[3];
  return Boolean(kind && get(words().kinds, dataset)?.includes(kind));
}

/** @param {Ask} ask */
export function explainAsk({ field, word, place, text }) {
  const around = text.trim().toLowerCase() === word ? "" : `, “${text.trim().slice(0, 60)}”`;
  const reason = get(words().lexicon, word)?.[2];
  const choice = ["split", "side", "protocol", "aggregation"].includes(field)
    ? `choose the ${field}`
    : "if it says nothing about these numbers, delete it";
  return `“${word}” in ${place}${around}: ${reason ? `${reason}; ` : ""}${choice}.`;
}
