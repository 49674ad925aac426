// What a label says, word by word, and the gate: declared, assumed, or asked. The words are those of the program
// (rankconst/results/vocabulary.toml); no sentence is understood.

import { rankconst } from "./dom.js";
import { get, squash } from "./names.js";

const words = () => /** @type {Words} */ (rankconst.words);

const TOKEN = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\P{L}a-zA-Z]+|\d+/gu;
const GAP = /^[\s_\-./@:()[\]\u2010-\u2013]{0,3}$/;
const MOST_WORDS = 8;
const LONGEST_NAME = 80;
const CLEANED = /[([]\s*[↑↓⬆⬇]\ufe0f?\s*[)\]]|[↑↓⬆⬇]\ufe0f?|[([]\s*(?:in\s+)?%\s*[)\]]|\bin\s+%|%/g;
const MARKS = /(?:[\s*†‡§¶]|\^\{[^{}]{0,8}\})+$/;
const OTHER = /[\d^*×÷=<>Δδ∆√+±]|^\s*\/|\/\s*$|\(k\)/;
const LONGEST_HEADING = 200;

/** The slug of a metric: "other" if it is not adjusted here, "adjusted" if it is already. @param {string} name */
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
  if (get(words().graphs, plain) !== undefined) return "graph";
  const word = get(words().lexicon, joined(name));
  if (word?.[0] === "metric") return "word";
  if (/^[a-z]/.test(plain) && !/\d\.\d|@\s*-/.test(name) && findMetric(name)) return "metric";
  if (get(words().values, plain)) return "value";
  return word ? "word" : words().fillers.includes(joined(name)) ? "filler" : "";
}

/** A name with what is attached to it, which makes it another graph. @param {string} text @param {Word} found */
function attach(text, { start, end }) {
  const [before] = /(?:[A-Za-z0-9]+[-\u2010-\u2013]?)+$/.exec(text.slice(Math.max(0, start - 40), start)) ?? [""];
  const [behind] = /^(?:[-.\u2010-\u2013]?[A-Za-z0-9]+)*[*+]*/.exec(text.slice(end, end + 80)) ?? [""];
  const said = /^[-.\u2010-\u2013].*\w$/.test(behind) ? behind.toLowerCase().split(/[^a-z0-9]+/).filter(Boolean) : [];
  const isSaid = said.length && said.every((word) => words().fillers.includes(word) || get(words().values, word));
  const [from, to] = [start - before.length, end + (isSaid && !before ? 0 : behind.length)];
  return { kind: "graph", start: from, end: to, text: text.slice(from, to) };
}

/** @param {string} text @returns {Word[]} */
function scan(text) {
  const tokens = [...text.matchAll(TOKEN)].map((each) => ({ start: each.index, end: each.index + each[0].length }));
  const found = /** @type {Word[]} */ ([]);
  for (let i = 0; i < tokens.length; ) {
    const { start } = tokens[i];
    let best = { kind: "", start, end: tokens[i].end, text: text.slice(start, tokens[i].end) };
    for (let j = i; j < Math.min(i + MOST_WORDS, tokens.length); j += 1) {
      const { end } = tokens[j];
      if ((j > i && !GAP.test(text.slice(tokens[j - 1].end, tokens[j].start))) || end - start > LONGEST_NAME) break;
      const name = text.slice(start, end);
      const kind = tell(name);
      if (kind && (kind === "graph" || best.kind !== "graph")) best = { kind, start, end, text: name };
    }
    if (best.kind === "graph") best = attach(text, best);
    found.push(best);
    while (i < tokens.length && tokens[i].start < best.end) i += 1;
  }
  return found;
}

/** @type {Map<string, Label>} */
const read = new Map();

/** @param {string} text @returns {Label} */
export function readLabel(text) {
  const known = read.get(text);
  if (known) return known;
  const plain = text.replace(CLEANED, " ");
  const cleaned = plain.length > LONGEST_HEADING ? plain : plain.replace(MARKS, "");
  const role = cleaned.length < 40 ? (get(words().roles, squash(cleaned)) ?? "") : "";
  const label = compose(text, cleaned, role);
  read.set(text, label);
  return label;
}

/** @param {string} text @param {string} cleaned @param {string} role @returns {Label} */
function compose(text, cleaned, role) {
  const found = scan(cleaned);
  const list = (/** @type {string} */ kind, /** @type {(text: string) => string} */ name) => [
    ...new Set(found.filter((each) => each.kind === kind).map((each) => name(each.text))),
  ];
  const values = /** @type {Record<string, string[]>} */ ({});
  for (const said of list("value", squash)) {
    const [field, value] = words().values[said];
    values[field] = [...new Set([...(values[field] ?? []), value])];
  }
  const asked = [...list("value", joined), ...list("word", joined)].filter((word) => get(words().lexicon, word));
  const metrics = list("metric", findMetric);
  const label = {
    ...{ text, values, percent: text.includes("%"), words: asked, reason: "" },
    graphs: list("graph", (name) => get(words().graphs, squash(name)) || name),
    metric: metrics.length > 1 ? "other" : (metrics[0] ?? ""),
    role: metrics.length ? "" : role,
    whole: found.length > 0 && found.every(({ kind }) => kind),
  };
  return label.metric ? { ...label, reason: explainOther(cleaned, found, label) } : label;
}

/** Why the numbers below a heading are not read. @param {string} text @param {Word[]} found @param {Label} label */
function explainOther(text, found, { metric, words: asked }) {
  const ends = [0, ...found.map(({ end }) => end)];
  const rest = [...found.map(({ start }) => start), text.length].map((start, place) => text.slice(ends[place], start));
  const word = asked.find((each) => words().lexicon[each][0] === "metric");
  if (word) return words().lexicon[word][2];
  if (metric === "other") return "it is of several metrics, or of one that this page does not adjust";
  const odd = found.some((each) => !each.kind && /\d/.test(each.text));
  return odd || OTHER.test(rest.join("\0")) || /recall/i.test(text) ? "it may not be the metric itself" : "";
}

// -- the gate ---------------------------------------------------------------------------------------------------------

/** Whether cells below a label may affirm or deny it. @param {Label} label */
export const isFlag = ({ whole, values, words: held }) =>
  whole && (Object.keys(values).length > 0 || held.some((word) => words().lexicon[word][0] !== "metric"));

/** What a label declares. @param {Label} label @returns {Record<string, string>} */
export function declare({ whole, values, graphs }) {
  if (!whole) return {};
  const said = Object.fromEntries(Object.entries(values).flatMap(([field, [one, ...more]]) =>
    more.length ? [] : [[field, one]],
  ));
  if (values.side?.length === 2 && !values.side.includes("both")) said.side = "both";
  return graphs.length === 1 ? { ...said, dataset: graphs[0] } : said;
}

/**
 * What texts say, given from the nearest to the farthest: cell beats column beats the text around.
 * @param {Said[]} texts
 * @returns {{said: Record<string, string>, asks: Ask[], among: string[]}} among: the datasets that it may be of
 */
export function gather(texts) {
  const said = /** @type {Record<string, string>} */ ({});
  const asks = /** @type {Ask[]} */ ([]);
  for (const { label, scope, place } of texts) {
    const declared = scope === "text" ? {} : declare(label);
    for (const [field, value] of Object.entries(declared)) if (field !== "dataset") said[field] ??= value;
    const ask = (/** @type {string} */ field, /** @type {string} */ word) => {
      if (!said[field]) asks.push({ field, word, place, text: label.text });
    };
    for (const word of label.words) {
      const [field, scopes] = words().lexicon[word];
      if (scopes.includes(scope[0]) && !(field === "side" && label.values.side?.length === 2)) ask(field, word);
    }
    for (const [field, held] of Object.entries(label.values)) if (label.whole && held.length > 1) ask(field, held[0]);
  }
  const [own, around] = [nameGraphs(texts), nameGraphs(texts.filter(({ scope }) => scope !== "text"))];
  if (own.length === 1 && around.length === 1) [said.dataset] = own;
  return { said, asks, among: said.dataset ? [] : own };
}

/** The graphs up to the nearest label that wholly consists of vocabulary. @param {Said[]} texts */
function nameGraphs(texts) {
  const named = /** @type {Map<string, string>} */ (new Map());
  for (const { label, scope } of texts) {
    for (const graph of scope === "name" ? [] : label.graphs) // that of a model is only a name
      if (label.whole || !words().ordinary.includes(squash(graph))) named.set(squash(graph), graph);
    if (label.whole && label.graphs.length && !["text", "name"].includes(scope)) break;
  }
  return [...named.values()];
}

/** Whether a benchmark is what a question is about: a temporal one, of a date. @param {Ask} ask @param {string} key */
export function isOfKind({ word }, key) {
  const kind = get(words().lexicon, word)?.[3];
  return Boolean(kind && get(words().kinds, key)?.includes(kind));
}

/** Whether a field of the form answers a question: not if the word says another. @param {Ask} ask @param {string} given */
export function isAnswered({ word }, given) {
  const says = get(words().lexicon, word)?.[4];
  return Boolean(given) && (!says || given.startsWith(says));
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
