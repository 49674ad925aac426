// What a heading or a cell says, word by word, by the dictionary of the program; no sentence is understood.

import { rankconst } from "./dom.js";
import { get, squash } from "./names.js";

const TOKEN = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\P{L}a-zA-Z]+/gu;
const GAP = /^[\s_\-./@:()[\]\u2010-\u2013]{0,3}$/;
const MOST_WORDS = 8;
const LONGEST_NAME = 80;
const PERCENT = /[([]\s*(?:in\s+)?%\s*[)\]]|\bin\s+%|%/g;
const ARROWS = /[([]\s*[↑↓⬆⬇]\ufe0f?\s*[)\]]|[↑↓⬆⬇]\ufe0f?/g;
/** Left over beside the name of a metric, these say that it is another number: log MR, MR², MR / 1000. */
const OPERATOR = /[\d^*×÷=<>Δδ∆√+±#]|^\s*\/|\/\s*$/;

/** What one word, or several, are; null if nobody knows. @param {string} name @returns {Meaning | null} */
export function lookUpWord(name) {
  const plain = squash(name);
  // Languages that are not read may say anything.
  if (/[^\0-\u024f\u2010-\u2013]/.test(name)) return { kind: "ask", scopes: "crnt", reason: "this page reads English" };
  const known = get(rankconst.words, plain);
  const [, stem, digits] = /^(\D+)(\d+)$/.exec(plain) ?? ["", "", ""];
  if (known || !digits || /\d\.\d|@\s*-/.test(name)) return known ?? null;
  const family = get(rankconst.words, `${stem}@`);
  if (family) return { kind: "metric", value: `${family.value}${Number(digits)}` };
  const begun = get(rankconst.words, stem);
  const isOther = begun?.kind === "adjusted" || (begun?.kind === "metric" && name.includes("@"));
  return begun && isOther ? { ...begun, value: "other" } : null;
}

/** The longest names in a text, from left to right. @param {string} text @returns {Word[]} */
function scan(text) {
  const tokens = [...text.matchAll(TOKEN)].map((each) => ({ start: each.index, end: each.index + each[0].length }));
  const found = /** @type {Word[]} */ ([]);
  for (let i = 0; i < tokens.length; ) {
    const { start } = tokens[i];
    let best = /** @type {Word} */ ({ kind: "", start, end: tokens[i].end });
    for (let j = i; j < Math.min(i + MOST_WORDS, tokens.length); j += 1) {
      const { end } = tokens[j];
      if ((j > i && !GAP.test(text.slice(tokens[j - 1].end, tokens[j].start))) || end - start > LONGEST_NAME) break;
      const meaning = lookUpWord(text.slice(start, end));
      if (meaning) best = { ...meaning, start, end };
    }
    if (best.kind === "graph") best = attach(text, best);
    found.push(best);
    while (i < tokens.length && tokens[i].start < best.end) i += 1;
  }
  return found;
}

/** A graph, or a question if something is attached to its name. @param {string} text @param {Word} word @returns {Word} */
function attach(text, word) {
  const [before] = /[A-Za-z0-9\u2010-\u2013-]*$/.exec(text.slice(0, word.start).slice(-40)) ?? [""];
  const [behind] = /^(?:[.\u2010-\u2013-]?[A-Za-z0-9*+])*/.exec(text.slice(word.end)) ?? [""];
  if (!before && !behind) return word;
  const ends = { start: word.start - before.length, end: word.end + behind.length };
  return { kind: "ask", scopes: "crt", reason: "it may be another graph", ...ends };
}

/** @type {Map<string, Label>} */
const labels = new Map();

/** @param {string} text @returns {Label} */
export function readLabel(text) {
  const known = labels.get(text);
  if (known) return known;
  const bare = text.replace(ARROWS, "").replace(PERCENT, " ");
  const found = scan(bare).map((word) => ({ ...word, text: bare.slice(word.start, word.end) }));
  const list = (/** @type {string} */ kind) => found.filter((word) => word.kind === kind);
  const metrics = new Set(list("metric").map(({ value }) => value));
  const asks = found.filter(({ reason }) => reason);
  const label = {
    text,
    metric: metrics.size > 1 ? "other" : ([...metrics][0] ?? ""),
    isAdjusted: list("adjusted").length > 0,
    percent: text.includes("%"),
    graphs: [...new Set(list("graph").map((word) => word.text))],
    values: list("value"),
    asks,
    names: list("").map((word) => word.text).join(" "),
    isWhole: found.length > 0 && !list("").length,
    reason: "",
  };
  label.reason = explainOther(bare, found, label);
  labels.set(text, label);
  return label;
}

/** Why the numbers below a heading are not of its metric. @param {string} text @param {Named[]} found @param {Label} label */
function explainOther(text, found, { metric, asks, values, isWhole }) {
  const known = found.filter(({ kind }) => kind);
  const starts = [...known.map(({ start }) => start), text.length];
  const rest = starts.map((start, n) => text.slice(n ? known[n - 1].end : 0, start)).join("\0");
  if (metric === "other") return "it is of several metrics, or of one that this page does not adjust";
  if (metric && OPERATOR.test(rest)) return "it may not be the metric itself";
  const asked = asks.find((word) => word.kind !== "value" && word.scopes?.includes("c"));
  if (asked) return `“${asked.text}”: ${asked.reason}`;
  return values.length && !isWhole ? `its heading says “${values[0].text}” and more` : "";
}
