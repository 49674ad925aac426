// Read a heading or a cell word by word, by the dictionary of the program; no sentence is understood.

import { rankconst } from "./dom.js";
import { get, squash } from "./names.js";

const TOKEN = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\P{L}a-zA-Z]+/gu;
const GAP = /^[\s_\-./@:()[\]\u2010-\u2013]{0,3}$/;
const MOST_WORDS = 8;
const LONGEST_NAME = 80;
const PERCENT = /[([]\s*(?:in\s+)?%\s*[)\]]|\bin\s+%|%/g;
const ARROWS = /[([]\s*[↑↓⬆⬇]\ufe0f?\s*[)\]]|[↑↓⬆⬇]\ufe0f?/g;
/** Signs between words, which mean nothing. */
const SEPARATORS = /[\s_./:()[\]\u2010-\u2013-]/g;

/** The meaning of a word, or of several; null if it is unknown. @param {string} name @returns {Meaning | null} */
export function lookUpWord(name) {
  const plain = squash(name);
  // Languages that are not read may say anything.
  if (/[^\0-\u024f\u2010-\u2013]/.test(name)) return { kind: "ask", scopes: "crnt", reason: "this page reads English" };
  const meaning = get(rankconst.words, plain);
  const [, stem, digits] = /^(\D+)(\d+)$/.exec(plain) ?? ["", "", ""];
  if (meaning || !digits || /\d\.\d|@\s*-/.test(name)) return meaning ?? null;
  const family = get(rankconst.words, `${stem}@`);
  if (family) return { kind: "metric", value: `${family.value}${Number(digits)}` };
  const bare = get(rankconst.words, stem);
  const isOther = bare?.kind === "adjusted" || (bare?.kind === "metric" && name.includes("@"));
  return bare && isOther ? { ...bare, value: "other" } : null;
}

/** The longest names in a text, from left to right. @param {string} text @returns {Word[]} */
function scan(text) {
  const tokens = [...text.matchAll(TOKEN)].map((match) => ({ start: match.index, end: match.index + match[0].length }));
  const words = /** @type {Word[]} */ ([]);
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
    words.push(best);
    while (i < tokens.length && tokens[i].start < best.end) i += 1;
  }
  return words;
}

/** A graph; a question if its name has an attachment. @param {string} text @param {Word} word @returns {Word} */
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
  const read = labels.get(text);
  if (read) return read;
  const bare = text.replace(ARROWS, "").replace(PERCENT, " ");
  const words = scan(bare).map((word) => ({ ...word, text: bare.slice(word.start, word.end) }));
  const list = (/** @type {string} */ kind) => words.filter((word) => word.kind === kind);
  const label = {
    text,
    metrics: [...new Set(list("metric").map(({ value }) => `${value}`))],
    isAdjusted: list("adjusted").length > 0,
    percent: text.includes("%"),
    graphs: [...new Set(list("graph").map((word) => word.text))],
    values: list("value"),
    questions: words.filter(({ reason }) => reason),
    rest: words.filter(({ kind }) => kind).reduceRight(cutOut, bare).replace(SEPARATORS, ""),
  };
  labels.set(text, label);
  return label;
}

/** A text without one of its words. @param {string} text @param {Word} word */
const cutOut = (text, { start, end }) => `${text.slice(0, start)} ${text.slice(end)}`;
