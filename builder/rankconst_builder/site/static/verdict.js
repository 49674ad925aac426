// The verdict on an adjusted number, in the words of `rankconst adjust`.

import { exponential, fixed, showNumber } from "./format.js";

/** So many deviations from its mean, whatever its distribution, a number is with p < 0.05 at most (Cantelli). */
const CERTAIN = Math.sqrt(1 / 0.05 - 1);
/** A change that is smaller is within what is published of most results. */
const SMALL = 0.005;
/** What is granted to a share of hits before it counts as the next one: rounding errors, then errors in print. */
const SLACKS = [8 * 2 ** -53, 1e-6];

/**
 * 1 for a number better than its baseline (p < 0.05), -1 for a worse one, 0 for one that cannot be distinguished from
 * it; null where this page does not know p; hasTail: whether the program knows it.
 * @param {Rung} rung @param {Published} published @param {number} shift @param {boolean} hasTail
 */
function judge({ constants, adjusted: { z } }, published, shift, hasTail) {
  if (!z) {
    const { expectation, metric } = constants;
    const sign = metric.increasing ? 1 : -1;
    return sign * (Number(published.lower + shift > expectation) - Number(published.upper + shift < expectation));
  }
  const { lower, upper } = z.interval;
  if (lower >= CERTAIN) return 1;
  if (upper <= -CERTAIN) return -1;
  if (!hasTail || (lower <= 0 && upper >= 0)) return 0;
  return constants.level ? judgeHits(constants.level, constants.tasks, published) : null;
}

/**
 * The same of hits: so many are better, and fewer are worse.
 * @param {[number, number]} level @param {number} tasks @param {Interval} published
 */
function judgeHits([better, worse], tasks, { lower, upper }) {
  for (const slack of SLACKS) {
    const least = Math.ceil(lower * tasks * (1 - slack));
    const most = Math.floor(upper * tasks * (1 + slack));
    if (least <= most) return Number(least >= better) - Number(most < worse);
  }
  return 0;
}

/** @param {number} value what a ranker gets */
export function showExpected(value) {
  if (value > 0 && value < 0.00005) return exponential(value, 1);
  return value <= 1 ? fixed(value, 4) : showNumber(value);
}

/** @param {Rung} rung */
function showWay({ adjusted: { index } }) {
  return !index ? "better" : `${fixed(100 * index.value, 1)}% of the way from there to perfect`;
}

/** @param {Rung} rung @param {Published} published @param {number | null} stands */
function explainChance(rung, { text }, stands) {
  const { constants, adjusted } = rung;
  const { metric } = constants;
  const gets = showExpected(constants.expectation);
  if (stands === 0) return `${text} cannot be distinguished from chance: a random ranker gets ${gets}.`;
  if (stands === -1) return `${text} is worse than chance: a random ranker gets ${gets}.`;
  if (!adjusted.index) return `A random ranker gets ${gets}.`;
  if (adjusted.index.value < 0) return `A random ranker gets ${gets}; ${text} is worse.`;
  const way = `a random ranker gets ${gets}; ${text} is ${showWay(rung)}.`;
  const change = Math.abs(adjusted.index.value - adjusted.value);
  if (metric.lower !== 0 || metric.optimum !== 1 || (stands === null && change < SMALL)) return `A${way.slice(1)}`;
  return change < SMALL
    ? `Chance hardly matters here: it changes ${text} by ${showExpected(change)}.`
    : `Chance matters here: ${way}`;
}

/** Whether a number, as it is written, is better than what the baseline gets. @param {Rung} rung */
function isBetter({ constants: { expectation, metric }, adjusted: { value } }) {
  return metric.increasing ? value > expectation : value < expectation;
}

/** @param {Rung} rung @param {Published} published @param {number | null} stands */
function explainCounting(rung, { text }, stands) {
  const gets = showExpected(rung.constants.expectation);
  const { index } = rung.adjusted;
  if (stands === 1 || (stands === null && index && index.value > 0))
    return `Counting gets ${gets}; ${text} is ${showWay(rung)}.`;
  if (stands === null) return `Counting gets ${gets}, which is better.`;
  if (stands === 0 && isBetter(rung)) return `${text} cannot be distinguished from counting, which gets ${gets}.`;
  return `Counting ${stands ? "does better" : "is no worse"}: it gets ${gets}.`;
}

/**
 * One to three sentences about a number: what chance and counting get, and what that leaves.
 * @param {{rungs: Rung[], published: Published, shift: number, hasTail: boolean}} result
 * @returns {{text: string, open: boolean}} open: whether p alone can tell
 */
export function explain({ rungs: [chance, ...baselines], published, shift, hasTail }) {
  const first = judge(chance, published, shift, hasTail);
  const counting = baselines.find(({ constants }) => constants.baseline === "counting");
  const second = counting ? judge(counting, published, shift, hasTail) : 0;
  const sentences = [explainChance(chance, published, first)];
  if (counting) sentences.push(explainCounting(counting, published, second));
  const open = first === null || second === null;
  if (open) sentences.push("The difference may be luck.");
  return { text: sentences.join(" "), open };
}

/** How many numbers are better than chance, and than counting. @param {Result[]} results */
export function summarise(results) {
  const [chance, counting] = ["uniform", "counting"].map((baseline) =>
    results.flatMap(({ rungs, published, shift, hasTail }) => {
      const rung = rungs.find(({ constants }) => constants.baseline === baseline);
      return rung ? [judge(rung, published, shift, hasTail)] : [];
    }),
  );
  const count = (/** @type {(number | null)[]} */ judgements) => judgements.filter((sign) => sign === 1).length;
  const every = ["", "The number is", "Both numbers are"][results.length] ?? `All ${results.length} numbers are`;
  const some = count(chance) === results.length ? every : `${count(chance)} of ${results.length} numbers are`;
  const of = counting.length < results.length ? ` of ${counting.length}` : "";
  const more = counting.length ? `, and ${count(counting)}${of} than counting` : "";
  const open = chance.includes(null) ? " Of others this page does not know p." : "";
  return `${some} better than chance${more} (p < 0.05).${open}`;
}
