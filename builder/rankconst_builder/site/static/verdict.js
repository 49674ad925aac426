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
 * it; null where this page does not know p.
 * @param {Rung} rung
 */
function judge({ constants, adjusted: { interval, z } }) {
  const { expectation, level, metric, tasks } = constants;
  if (!z) {
    const sign = metric.increasing ? 1 : -1;
    return sign * (Number(interval.lower > expectation) - Number(interval.upper < expectation));
  }
  const { lower, upper } = z.interval;
  if (lower >= CERTAIN) return 1;
  if (upper <= -CERTAIN) return -1;
  if (lower <= 0 && upper >= 0) return 0;
  return level ? judgeHits(level, tasks, interval) : null;
}

/**
 * The same of hits: so many are better, and fewer are worse.
 * @param {[number, number]} level @param {number} tasks @param {Interval} interval
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

/** @param {Form} index */
const showWay = (index) => (index ? `${fixed(100 * index.value, 1)}% of the way from there to perfect` : "better");

/** @param {Rung} rung @param {string} text the number @param {number | null} sign of {@link judge} */
function explainChance({ constants: { expectation, metric }, adjusted: { index, value } }, text, sign) {
  const gets = showExpected(expectation);
  if (sign === 0) return `${text} cannot be distinguished from chance: a random ranker gets ${gets}.`;
  if (sign === -1) return `${text} is worse than chance: a random ranker gets ${gets}.`;
  if (!index) return `A random ranker gets ${gets}.`;
  if (index.value < 0) return `A random ranker gets ${gets}; ${text} is worse.`;
  const change = Math.abs(index.value - value);
  if (metric.lower !== 0 || (sign === null && change < SMALL))
    return `A random ranker gets ${gets}; ${text} is ${showWay(index)}.`;
  return change < SMALL
    ? `Chance hardly matters here: it changes ${text} by ${showExpected(change)}.`
    : `Chance matters here: a random ranker gets ${gets}; ${text} is ${showWay(index)}.`;
}

/** @param {Rung} rung @param {string} text the number @param {number | null} sign of {@link judge} */
function explainCounting({ constants: { expectation, metric }, adjusted: { index, value } }, text, sign) {
  const gets = showExpected(expectation);
  if (sign === 1 || (sign === null && index && index.value > 0))
    return `Counting gets ${gets}; ${text} is ${showWay(index)}.`;
  if (sign === null) return `Counting gets ${gets}, which is better.`;
  const isAbove = metric.increasing ? value > expectation : value < expectation;
  if (sign === 0 && isAbove) return `${text} cannot be distinguished from counting, which gets ${gets}.`;
  return `Counting ${sign ? "does better" : "is no worse"}: it gets ${gets}.`;
}

/** @param {Result} result @param {string} baseline */
const findRung = ({ rungs }, baseline) => rungs.find(({ constants }) => constants.baseline === baseline);

/**
 * One to three sentences about a number: what chance and counting get, and what that leaves; open: whether p alone can
 * tell.
 * @param {Result} result
 */
export function explain(result) {
  const { text } = result.published;
  const [chance] = result.rungs;
  const counting = findRung(result, "counting");
  const signs = [judge(chance), counting ? judge(counting) : 0];
  const sentences = [explainChance(chance, text, signs[0])];
  if (counting) sentences.push(explainCounting(counting, text, signs[1]));
  const open = signs.includes(null);
  if (open) sentences.push("The difference may be luck.");
  return { text: sentences.join(" "), open };
}

/** How many numbers are better than chance, and than counting. @param {Result[]} results */
export function summarise(results) {
  const chance = results.map(({ rungs }) => judge(rungs[0]));
  const counting = results.flatMap((result) => findRung(result, "counting") ?? []).map(judge);
  const count = (/** @type {(number | null)[]} */ signs) => signs.filter((sign) => sign === 1).length;
  const every = ["", "The number is", "Both numbers are"][results.length] ?? `All ${results.length} numbers are`;
  const some = count(chance) === results.length ? every : `${count(chance)} of ${results.length} numbers are`;
  const of = counting.length < results.length ? ` of ${counting.length}` : "";
  const more = counting.length ? `, and ${count(counting)}${of} than counting` : "";
  const open = chance.includes(null) ? " Of others this page does not know p." : "";
  return `${some} better than chance${more} (p < 0.05).${open}`;
}
