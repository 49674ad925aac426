// Published numbers, and the three adjustments: the same operations in the same order as in the Python package.

import { Refusal, general, tenTo } from "./format.js";

/**
 * @typedef {object} Metric
 * @property {string} slug
 * @property {string} key
 * @property {string} label
 * @property {string} title
 * @property {boolean} share
 * @property {boolean} increasing
 * @property {boolean} tail whether the command line knows its tail probabilities
 * @property {number | null} optimum
 * @property {number} lower
 * @property {number | null} upper
 * @property {{normalised: string, index: string, z: string}} names
 */

/**
 * @typedef {object} Constants
 * @property {Metric} metric
 * @property {string} where the dataset and its tasks, in words
 * @property {string} id
 * @property {string} baseline
 * @property {number} tasks
 * @property {number} worst
 * @property {number} expectation
 * @property {number} expectationError
 * @property {number} variance
 * @property {number} varianceError
 * @property {string} method
 */

/** @typedef {{lower: number, upper: number}} Interval */
/** @typedef {{text: string, value: number, lower: number, upper: number}} Published */
/** @typedef {{value: number, interval: Interval} | {undefined: string}} Form */
/** @typedef {{value: number, interval: Interval, normalised: Form, index: Form, z: Form}} Adjusted */

// -- decimals: `digits` times ten to the power of `power`, as exact as Python's Decimal ------------------------------

/** @typedef {{digits: bigint, power: number}} Decimal */

const PRECISION = 28;

/** @param {Decimal} number @returns {Decimal} */
function rounded({ digits, power }) {
  const excess = digits.toString().replace("-", "").length - PRECISION;
  if (excess <= 0) return { digits, power };
  const unit = 10n ** BigInt(excess);
  const sign = digits < 0n ? -1n : 1n;
  const size = digits * sign;
  const rest = 2n * (size % unit);
  const up = rest > unit || (rest === unit && (size / unit) % 2n === 1n);
  return rounded({ digits: sign * (size / unit + (up ? 1n : 0n)), power: power + excess });
}

/** @param {Decimal} one @param {Decimal} other @returns {Decimal} */
function add(one, other) {
  const power = Math.min(one.power, other.power);
  const [first, second] = [one, other].map((each) => each.digits * 10n ** BigInt(each.power - power));
  return rounded({ digits: first + second, power });
}

/** @param {Decimal} number @returns {Decimal} */
const negate = ({ digits, power }) => ({ digits: -digits, power });

/** @param {Decimal} number @param {boolean} percent */
function toFloat({ digits, power }, percent) {
  const scaled = rounded({ digits, power: percent ? power - 2 : power });
  return Number(`${scaled.digits}e${scaled.power}`);
}

/** @param {string} text @returns {Decimal} */
function parseDecimal(text) {
  const [mantissa, exponent = "0"] = text.replace(/,/g, "").toLowerCase().split("e");
  const [whole, rest = ""] = mantissa.split(".");
  const sign = whole.startsWith("-") ? -1n : 1n;
  const digits = BigInt(whole.replace(/^[+-]/, "") + rest || "0");
  return { digits: sign * digits, power: Number(exponent) - rest.length };
}

/** @param {Decimal} number */
const magnitude = ({ digits, power }) => digits.toString().replace("-", "").length - 1 + power;

// -- reading ---------------------------------------------------------------------------------------------------------

const DIGITS = "(?:\\d{1,3}(?:,\\d{3})+(?:\\.\\d*)?|\\d+(?:\\.\\d*)?|\\.\\d+)";
const NUMBER = new RegExp(`^[+-]?${DIGITS}(?:[eE][+-]?\\d{1,4})?$`);
const LAST_DIGITS = /^([+-]?\d*\.(\d{1,20}))\((\d{1,20})\)((?:[eE][+-]?\d{1,4})?)$/;
const PLUS_MINUS = /±|\+\/-|\+-|\\pm/;
const LONGEST = 400;

/** @param {string} text */
function plain(text) {
  return text
    .trim()
    .replace(/[\u2212\u2012\u2013]/g, "-")
    .replace(/\u00a0/g, " ")
    .replace(/[\u2009\u202f]/g, "")
    .replaceAll("{,}", ",")
    .replaceAll("\\%", "%")
    .replaceAll("$", "");
}

/** @param {string} bare */
function hint(bare) {
  if (/^[+-]*(nan|inf|infinity)$/i.test(bare)) return " Leave out what is missing.";
  if (/^[+-]?\d*,\d+$/.test(bare)) return ` Write it with a decimal point, not a comma: ${bare.replace(/,/g, ".")}.`;
  if (bare.includes("/")) return " Write the quotient out.";
  return "";
}

/**
 * Read a published number: "0.338", "3,340", "53.3%", "0.5458 ± 0.0052".
 * @param {Metric} metric
 * @param {string} text
 * @param {boolean} [percent] whether it is a percentage without a sign
 * @param {boolean} [exact] whether a program wrote every digit
 * @returns {Published}
 */
export function readPublished(metric, text, percent = false, exact = false) {
  if (!metric.share && (percent || text.includes("%"))) {
    throw new Refusal(`${text} is a percentage, but ${metric.label} is not a share.`, "value");
  }
  if (text.length > LONGEST) throw new Refusal(`That is not a number: it has ${text.length} characters.`, "value");
  let bare = plain(text);
  const signs = bare.split("%").length - 1;
  bare = bare.replace(/\s*%/g, "").trim();
  const compact = LAST_DIGITS.exec(bare);
  if (compact) {
    const [, number, decimals, given, power] = compact;
    const last = given.padStart(decimals.length + 1, "0");
    bare = `${number}${power} ± ${last.slice(0, -decimals.length)}.${last.slice(-decimals.length)}${power}`;
  }
  const parts = bare.split(PLUS_MINUS).map((part) => part.trim().replace(/^[() ]+|[() ]+$/g, ""));
  const odd = parts.length > 2 || !parts.every((part) => NUMBER.test(part)) || signs > parts.length;
  if (odd || parts.some((part) => /^[+-]?0,\d{3}$/.test(part))) {
    const told = bare
      ? `'${text.trim()}' is not a number.${hint(bare)}`
      : "Type a number: 0.338, 33.8% or 0.545 ± 0.005.";
    throw new Refusal(told, "value");
  }
  const [number, deviation] = parts.map(parseDecimal);
  if (deviation && deviation.digits < 0n) {
    throw new Refusal(`'${text.trim()}': the number after ± is negative.`, "value");
  }
  const size = magnitude(number);
  if (number.digits && !(-10000 < size && size < 300)) {
    throw new Refusal(`'${text.trim()}' is too large or too small for any metric.`, "value");
  }
  const isPercent = percent || signs > 0;
  const value = toFloat(number, isPercent);
  if (number.digits && !value) throw new Refusal(`'${text.trim()}' is too small to tell from 0.`, "value");
  const half = { digits: exact ? 0n : 5n, power: number.power - 1 };
  const open = deviation ? add(half, deviation) : half;
  return {
    text: text.trim(),
    value,
    lower: toFloat(add(number, negate(open)), isPercent),
    upper: toFloat(add(number, open), isPercent),
  };
}

// -- what can be -----------------------------------------------------------------------------------------------------

/** @param {number} number half a unit of the last decimal that a float shows */
function halfUnit(number) {
  if (!Number.isFinite(number)) return 0;
  const [mantissa, exponent = "0"] = String(number).split("e");
  const decimals = (mantissa.split(".")[1] ?? "").length - Number(exponent);
  return 0.5 * tenTo(Math.min(-decimals, 0));
}

/** @param {Constants} constants @returns {[number, number]} */
function rangeOf({ metric, worst }) {
  const best = metric.optimum ?? worst;
  return best < worst ? [best, worst] : [worst, best];
}

/** @param {Metric} metric @param {number} number */
function hintAt(metric, number) {
  if (metric.upper === 1 && number > 1 && number <= 100) {
    return `If it is a percentage, write ${general(number)}%.`;
  }
  if (metric.lower === 1 && number < 1) return "A mean of ranks is at least 1: is this an MRR, or a share?";
  return "Check the metric, dataset, split, side and protocol.";
}

/**
 * Say why a number cannot be; empty if it can.
 * @param {Constants} constants
 * @param {number} value
 * @param {number} lower
 * @param {number} upper
 * @param {number} noise
 */
export function explainImpossible(constants, value, lower, upper, noise) {
  const { metric } = constants;
  const [low, high] = rangeOf(constants);
  const [least, most] = [low - noise * Math.abs(low), high + noise * Math.abs(high)];
  if (value >= least && value <= most) return "";
  const beyondBest = metric.increasing ? value > most : value < least;
  const slack = lower === upper ? halfUnit(value) : 0;
  const beyondWorst = metric.increasing ? upper + slack < low : lower - slack > high;
  const outside = value < Math.min(metric.lower, least) || value > Math.max(metric.upper ?? Infinity, most);
  if (Number.isFinite(value) && !(beyondBest || beyondWorst || outside)) return "";
  const expected =
    low === high
      ? `expected ${general(low)}, which every ranker gets here.`
      : `expected ${general(low)} to ${general(high)}.`;
  const what = `${general(value)} is not a possible ${metric.label} on ${constants.where}`;
  return `${what}: ${expected} ${hintAt(metric, value)}`;
}

// -- the three adjustments -------------------------------------------------------------------------------------------

/** @typedef {{expectation: number, variance: number, varianceError: number, method: string}} Moments */
/** @typedef {"normalised" | "index" | "z"} FormName */

/** @type {FormName[]} */
export const FORMS = ["normalised", "index", "z"];

/**
 * Where a form is 0, and the change of the metric that makes it 1; or why it is undefined.
 * @type {Record<FormName, (metric: Metric, moments: Moments) => [number, number] | string>}
 */
const MAPS = {
  normalised: (metric, { expectation }) =>
    expectation === 0 ? `the normalised ${metric.label} is undefined here: its expectation is 0.` : [0, expectation],
  index: (metric, { expectation }) => {
    if (metric.optimum === null) {
      return `the adjusted index of ${metric.label} is undefined: every ranker gets ${general(expectation)}.`;
    }
    const unit = metric.optimum - expectation;
    return unit === 0
      ? `the adjusted index of ${metric.label} is undefined here: its expectation is already the optimum ` +
          `${general(metric.optimum)}, so there is nothing to adjust.`
      : [expectation, unit];
  },
  z: (metric, moments) => {
    const { expectation, variance, varianceError } = moments;
    const deviation = Math.sqrt(variance);
    if (variance > boundError(moments, varianceError)) {
      return [expectation, metric.increasing ? deviation : -deviation];
    }
    const why = varianceError
      ? `cannot be told from 0, with an error of ${general(varianceError, 2)}`
      : `is 0: the expected ${general(expectation)} is certain`;
    return `the z-score of ${metric.label} is undefined here: the variance ${why}.`;
  },
};

/**
 * How far a moment may be off, given its error: twice as far if that is a standard error.
 * @param {{method: string}} moments
 * @param {number} error
 */
function boundError({ method }, error) {
  return method === "sampled" ? 2 * error : error;
}

/**
 * Whether the errors of the moments change z by no more than numbers are granted anyway.
 * @param {Constants} known
 * @param {number} noise
 */
function areSharp({ expectationError, variance, varianceError }, noise) {
  if (variance === 0 && varianceError === 0) return true;
  return varianceError <= noise * variance && expectationError <= noise * Math.sqrt(variance);
}

/**
 * The moments; at their bounds if they are open, and two standard errors to either side if they are estimates.
 * @param {Constants} known
 * @param {number} noise
 * @returns {Moments[]}
 */
function corners(known, noise) {
  const { expectation, variance, method } = known;
  if (method !== "sampled" && areSharp(known, noise)) return [known];
  const mean = boundError(known, known.expectationError);
  const spread = boundError(known, known.varianceError);
  return [-mean, mean].flatMap((one) =>
    [-spread, spread].map((two) => ({
      expectation: expectation + one,
      variance: Math.max(variance + two, 0),
      varianceError: 0,
      method,
    })),
  );
}

/**
 * @param {FormName} name
 * @param {Constants} constants
 * @param {number} value
 * @param {Interval} ends
 * @param {number} noise
 * @returns {Form}
 */
function adjustForm(name, constants, value, ends, noise) {
  const map = MAPS[name](constants.metric, constants);
  if (typeof map === "string") return { undefined: map };
  const maps = corners(constants, noise).map((moments) => MAPS[name](constants.metric, moments));
  const lost = maps.find((each) => typeof each === "string");
  if (lost !== undefined) return { undefined: lost };
  const known = /** @type {[number, number][]} */ (maps);
  const units = known.map(([, unit]) => unit);
  if (Math.min(...units) < 0 && Math.max(...units) > 0) {
    return { undefined: `between the bounds of its moments, the ${name} of ${constants.metric.label} is undefined.` };
  }
  const reached = known.flatMap(([origin, unit]) => [(ends.lower - origin) / unit, (ends.upper - origin) / unit]);
  return {
    value: (value - map[0]) / map[1],
    interval: { lower: Math.min(...reached), upper: Math.max(...reached) },
  };
}

/**
 * Adjust a published number.
 * @param {Constants} constants
 * @param {Published} published
 * @param {number} noise the relative error granted to every number
 * @param {number} [shift] what is added to the numbers of some tools
 * @returns {Adjusted}
 */
export function adjust(constants, published, noise, shift = 0) {
  const [value, lower, upper] = [published.value, published.lower, published.upper].map((each) => each + shift);
  const wrong = explainImpossible(constants, value, lower, upper, noise);
  if (wrong) throw new Refusal(wrong, "value");
  const [low, high] = rangeOf(constants);
  // An exact value a rounding error beyond the worst keeps itself.
  const ends = {
    lower: Math.min(Math.max(lower, low), upper),
    upper: Math.max(Math.min(upper, high), lower),
  };
  const [normalised, index, z] = FORMS.map((name) => adjustForm(name, constants, value, ends, noise));
  return { value, interval: ends, normalised, index, z };
}
