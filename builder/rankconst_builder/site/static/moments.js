// Constants that the tables do not hold, from the numbers of candidates: the operations of the Python package, in its order.

import { exactSum, quotient } from "./format.js";

/** @typedef {import("./arithmetic.js").Metric} Metric */

/**
 * Some tasks whose ranks are uniform on offset + 1 .. offset + size.
 * @typedef {{offset: number, size: number, tasks: number}} Block
 */

/** @typedef {{expectation: number, expectationError: number, variance: number, varianceError: number, method: string}} Moments */

const ROUNDOFF = 2 ** -53;

/** @param {Metric} metric @returns {number} the k of Hits@k; 0 for another metric */
export const kOf = ({ slug }) => Number(/^hits@(\d+)$/.exec(slug)?.[1] ?? 0);

/** @param {Metric} metric */
export const isComputed = (metric) => kOf(metric) > 0 || metric.slug === "mr" || metric.slug === "mrr";

/** @param {Block[]} blocks */
export const countTasks = (blocks) => blocks.reduce((sum, { tasks }) => sum + tasks, 0);

/**
 * Expectation and variance of MR and MRR for a random ranker, and of Hits@k for any that ranks in blocks.
 * @param {Metric} metric
 * @param {Block[]} blocks
 * @returns {Moments}
 */
export function computeMoments(metric, blocks) {
  const k = kOf(metric);
  if (k)
    return roundErrors(
      average(blocks, (block) => hits(block, k)),
      blocks,
    );
  return metric.slug === "mr" ? meanRank(blocks) : average(blocks, reciprocal);
}

/**
 * What a metric is if every true answer is the last.
 * @param {Metric} metric
 * @param {Block[]} blocks
 */
export function computeWorst(metric, blocks) {
  const k = kOf(metric);
  const worst = (/** @type {number} */ size) => (k ? Number(size <= k) : metric.slug === "mr" ? size : 1 / size);
  return blocks.reduce((sum, { size, tasks }) => sum + tasks * worst(size), 0) / countTasks(blocks);
}

/**
 * @param {Block[]} blocks
 * @param {(block: Block) => {mean: number, spread: number, slack: number}} momentsOf of one task
 * @returns {Moments}
 */
function average(blocks, momentsOf) {
  const total = countTasks(blocks);
  const each = blocks.map((block) => ({ tasks: block.tasks, ...momentsOf(block) }));
  const expectation = exactSum(each.map(({ tasks, mean }) => tasks * mean)) / total;
  const variance = exactSum(each.map(({ tasks, spread }) => tasks * spread)) / total / total;
  const slack = each.reduce((sum, { tasks, slack }) => sum + tasks * slack, 0) / total / total;
  const rounding = 8 * ROUNDOFF;
  return {
    expectation,
    expectationError: rounding * expectation,
    variance,
    varianceError: rounding * variance + slack,
    method: "closed_form",
  };
}

/** @param {Block} block @param {number} k */
function hits({ offset, size }, k) {
  const found = Math.min(Math.max(k - offset, 0), size);
  return { mean: found / size, spread: (found * (size - found)) / (size * size), slack: 0 };
}

/**
 * Of other rankers than a random one, errors are rounded up to eight bits.
 * @param {Moments} moments
 * @param {Block[]} blocks
 */
function roundErrors(moments, blocks) {
  if (blocks.every(({ offset }) => !offset)) return moments;
  const lift = (/** @type {number} */ error) => {
    const unit = 2 ** (Math.floor(Math.log2(error)) - 7);
    return error ? Math.ceil(error / unit) * unit : 0;
  };
  const { expectationError, varianceError } = moments;
  return { ...moments, expectationError: lift(expectationError), varianceError: lift(varianceError) };
}

/** @param {Block[]} blocks @returns {Moments} */
function meanRank(blocks) {
  const sum = (/** @type {(size: bigint) => bigint} */ term) =>
    blocks.reduce((total, { size, tasks }) => total + BigInt(tasks) * term(BigInt(size)), 0n);
  const count = BigInt(countTasks(blocks));
  const expectation = quotient(
    sum((size) => size + 1n),
    2n * count,
  );
  const variance = quotient(
    sum((size) => size * size - 1n),
    12n * count * count,
  );
  return {
    ...{ expectation, expectationError: ROUNDOFF * expectation },
    ...{ variance, varianceError: ROUNDOFF * variance, method: "closed_form" },
  };
}

/** @param {Block} block of a random ranker */
function reciprocal({ size }) {
  const [mean, square] = [harmonic(size) / size, harmonicSquares(size) / size];
  const slack = 8 * ROUNDOFF * (square + 2 * mean * mean);
  return size > 1 ? { mean, spread: square - mean * mean, slack } : { mean, spread: 0, slack: 0 };
}

/** Up to here, terms are added one by one. */
const HEAD = 16;
const EULER = 0.5772156649015329;
const BERNOULLI = [1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510];

/** @param {number} n @param {number} power */
const sumPowers = (n, power) => exactSum(Array.from({ length: n }, (_, at) => 1 / (at + 1) ** power));

/** @param {number} n the sum of 1/j for j up to n */
function harmonic(n) {
  if (n <= HEAD) return sumPowers(n, 1);
  const tail = BERNOULLI.reduce((sum, b, at) => sum + (b / (2 * at + 2)) * n ** (-2 * at - 2), 0);
  return log(n) + (EULER + (0.5 / n - tail));
}

/** @param {number} n the sum of 1/j^2 for j up to n */
function harmonicSquares(n) {
  if (n <= HEAD) return sumPowers(n, 2);
  const tail = BERNOULLI.reduce((sum, b, at) => sum + b * n ** (-2 * at - 3), 0);
  return Math.PI ** 2 / 6 - (1 / n - 0.5 / n ** 2 + tail);
}

const ONE = 1n << 128n;

/** @param {bigint} over @param {bigint} under @returns {bigint} 2 artanh(over / under), times ONE */
function doubleArtanh(over, under) {
  let sum = 0n;
  let power = (2n * ONE * over) / under;
  for (let k = 1n; power; k += 2n) {
    sum += power / k;
    power = (power * over * over) / (under * under);
  }
  return sum;
}

const LN2 = doubleArtanh(1n, 3n);

/** @param {number} n a whole number; browsers round logarithms each in its own way, and this is rounded right */
function log(n) {
  const whole = BigInt(n);
  const twos = BigInt(whole.toString(2).length - 1);
  return quotient(twos * LN2 + doubleArtanh(whole - (1n << twos), whole + (1n << twos)), ONE);
}
