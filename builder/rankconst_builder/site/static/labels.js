// What a heading or a cell says, word by word, by the dictionary of the program; no sentence is understood.

import { rankconst } from "./dom.js";
import { get, squash } from "./names.js";

const TOKEN = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\P{L}a-zA-Z]+/gu;
const GAP = /^[\s_\-./@:()[\]\u2010-\u2013]{0,3}$/;
const MOST_WORDS = 8;
const LONGEST_NAME = 80;
const PERCENT = /[([]\s*(?:in\s+)?%\s*[)\]]|\bin\s+%|%/g;
const ARROWS = /[([]\s*[↑↓⬆⬇]\ufe0f?\s*[)\]]|[↑↓⬆⬇]\ufe0f?/g;
/** What may stand between words without saying anything. */
const SEPARATORS = /[\s_./:()[\]\u2010-\u2013-]/g;

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
  const label = {
    text,
    metrics: [...new Set(list("metric").map(({ value }) => `${value}`))],
    isAdjusted: list("adjusted").length > 0,
    percent: text.includes("%"),
    graphs: [...new Set(list("graph").map((word) => word.text))],
    values: list("value"),
    asks: found.filter(({ reason }) => reason),
    rest: found.filter(({ kind }) => kind).reduceRight(cutOut, bare).replace(SEPARATORS, ""),
  };
  labels.set(text, label);
  return label;
}

/** A text without one of its words. @param {string} text @param {Word} word */
const cutOut = (text, { start, end }) => `${text.slice(0, start)} ${text.slice(end)}`;
