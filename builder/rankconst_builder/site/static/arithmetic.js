// Published numbers, and the three adjustments: the same operations in the same order as in the Python package.

import { rankconst } from "./dom.js";
import { Refusal, general, tenTo } from "./format.js";

// -- decimals: `digits` times ten to the power of `power`, exactly ---------------------------------------------------

/** @param {Decimal} first @param {Decimal} second @returns {Decimal} */
function add(first, second) {
  const power = Math.min(first.power, second.power);
  const scaled = [first, second].map((number) => number.digits * 10n ** BigInt(number.power - power));
  return { digits: scaled[0] + scaled[1], power };
}

/** @param {Decimal} number @param {number} unit its power of ten */
const toFloat = ({ digits, power }, unit) => Number(`${digits}e${power + unit}`);

/** @param {string} text @returns {Decimal} */
function parseDecimal(text) {
  const [mantissa, exponent = "0"] = text.replace(/,/g, "").toLowerCase().split("e");
  const [whole, rest = ""] = mantissa.split(".");
  const digits = BigInt(whole.replace(/^[+-]/, "") + rest || "0");
  return { digits: whole.startsWith("-") ? -digits : digits, power: Number(exponent) - rest.length };
}

// -- reading ---------------------------------------------------------------------------------------------------------

const WRITTEN = rankconst.names.numbers;
const NUMBER = new RegExp(`^[+-]?${WRITTEN.digits}${WRITTEN.exponent}$`);
const LAST_DIGITS = new RegExp(`^([+-]?\\d*\\.(\\d{1,20}))\\((\\d{1,20})\\)(${WRITTEN.exponent})$`);
const PLUS_MINUS = new RegExp(WRITTEN.plus_minus);
const UNIT = new RegExp(`[${Object.keys(WRITTEN.units).join("")}]`, "g");
/** In front of such a sign, in LaTeX. */
const ESCAPE = new RegExp(`\\\\(?=${UNIT.source})`, "g");
const LONGEST = 400;

/** @param {string} text */
function plain(text) {
  return text
    .trim()
    .replace(/[\u2212\u2012\u2013]/g, "-")
    .replace(/\u00a0/g, " ")
    .replace(/[\u2009\u202f]/g, "")
    .replace(ESCAPE, "")
    .replace(/\{,\}|\\,/g, ",")
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
 * Read a published number: "0.338", "3,340", "53.3%", "0.5458 ± 0.0052"; percent: as a percentage without a sign.
 * @param {Metric} metric @param {string} text @param {boolean} [percent] @returns {Published}
 */
export function readPublished(metric, text, percent = false) {
  if (!metric.share && (percent || text.search(UNIT) >= 0)) {
    throw new Refusal(`${text} is a percentage, but ${metric.label} is not a share.`, "value");
  }
  if (text.length > LONGEST) throw new Refusal(`That is not a number: it has ${text.length} characters.`, "value");
  let bare = plain(text);
  const signs = bare.match(UNIT) ?? [];
  bare = bare.replace(UNIT, "").trim();
  const compact = LAST_DIGITS.exec(bare);
  if (compact) {
    const [, number, decimals, spread, power] = compact;
    const last = spread.padStart(decimals.length + 1, "0");
    bare = `${number}${power} ± ${last.slice(0, -decimals.length)}.${last.slice(-decimals.length)}${power}`;
  }
  const parts = bare.split(PLUS_MINUS).map((part) => part.trim().replace(/^[() ]+|[() ]+$/g, ""));
  const unlike = signs.length > parts.length || signs.some((sign) => sign !== signs[0]);
  const odd = parts.length > 2 || !parts.every((part) => NUMBER.test(part));
  if (odd || unlike || parts.some((part) => /^[+-]?0,\d{3}$/.test(part))) {
    const message = bare
      ? `'${text.trim()}' is not a number.${hint(bare)}`
      : "Type a number: 0.338, 33.8% or 0.545 ± 0.005.";
    throw new Refusal(message, "value");
  }
  const [number, deviation] = parts.map(parseDecimal);
  if (deviation && deviation.digits < 0n) {
    throw new Refusal(`'${text.trim()}': the number after ± is negative.`, "value");
  }
  const size = number.digits.toString().replace("-", "").length - 1 + number.power;
  if (number.digits && !(-10000 < size && size < 300)) {
    throw new Refusal(`'${text.trim()}' is too large or too small for any metric.`, "value");
  }
  const unit = WRITTEN.units[signs[0] ?? (percent ? "%" : "")] ?? 0;
  const value = toFloat(number, unit);
  if (number.digits && !value) throw new Refusal(`'${text.trim()}' is too small to tell from 0.`, "value");
  const half = { digits: 5n, power: number.power - 1 };
  const open = deviation ? add(half, deviation) : half;
  return {
    text: text.trim(),
    value,
    lower: toFloat(add(number, { ...open, digits: -open.digits }), unit),
    upper: toFloat(add(number, open), unit),
  };
}

// -- what can be -----------------------------------------------------------------------------------------------------

/** Half a unit of the last decimal that a float shows. @param {number} number */
function halfUnit(number) {
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
  if (metric.upper === 1 && number > 1 && number <= 100) return `If it is a percentage, write ${general(number)}%.`;
  if (metric.lower === 1 && number < 1) return "A mean of ranks is at least 1: is this an MRR, or a share?";
  return "Check the metric, dataset, split, side and protocol.";
}

/**
 * Refuse a number that cannot be.
 * @param {Constants} constants @param {number} value @param {number} lower @param {number} upper @param {number} noise
 */
function checkPossible(constants, value, lower, upper, noise) {
  const { metric } = constants;
  const [low, high] = rangeOf(constants);
  const [least, most] = [low - noise * Math.abs(low), high + noise * Math.abs(high)];
  if (value >= least && value <= most) return;
  const beyondBest = metric.increasing ? value > most : value < least;
  const slack = lower === upper ? halfUnit(value) : 0;
  const beyondWorst = metric.increasing ? upper + slack < low : lower - slack > high;
  const outside = value < Math.min(metric.lower, least) || value > Math.max(metric.upper ?? Infinity, most);
  if (!(beyondBest || beyondWorst || outside)) return;
  const [first, last] = outside && metric.upper !== null ? [metric.lower, metric.upper] : [low, high];
  const ends = low === high ? `${general(low)}, which every ranker gets here` : `${general(first)} to ${general(last)}`;
  const what = `${general(value)} is not a possible ${metric.label} on ${constants.where}`;
  throw new Refusal(`${what}: expected ${ends}. ${hintAt(metric, value)}`, "value");
}

// -- the three adjustments -------------------------------------------------------------------------------------------

/**
 * Where each form is 0, and the change of the metric that makes it 1; null if it is undefined.
 * @type {((metric: Metric, moments: Moments) => { origin: number, unit: number } | null)[]}
 */
const MAPS = [
  (_, { expectation }) => (expectation === 0 ? null : { origin: 0, unit: expectation }),
  ({ optimum }, { expectation }) =>
    optimum === null || optimum === expectation ? null : { origin: expectation, unit: optimum - expectation },
  ({ increasing }, moments) => {
    const deviation = Math.sqrt(moments.variance);
    if (moments.variance <= boundError(moments, moments.varianceError)) return null;
    return { origin: moments.expectation, unit: increasing ? deviation : -deviation };
  },
];

/** How far a moment may be off: twice as far as its standard error. @param {Moments} moments @param {number} error */
const boundError = ({ method }, error) => (method === "sampled" ? 2 * error : error);

/** Whether errors change z by no more than the noise of numbers. @param {Moments} moments @param {number} noise */
const areSharp = ({ expectationError, variance, varianceError }, noise) =>
  (variance === 0 && varianceError === 0) ||
  (varianceError <= noise * variance && expectationError <= noise * Math.sqrt(variance));

/** The moments, at their bounds if open. @param {Constants} constants @param {number} noise @returns {Moments[]} */
function corners(constants, noise) {
  if (constants.method !== "sampled" && areSharp(constants, noise)) return [constants];
  const mean = boundError(constants, constants.expectationError);
  const spread = boundError(constants, constants.varianceError);
  return [-mean, mean].flatMap((shift) =>
    [-spread, spread].map((change) => ({
      ...{ ...constants, varianceError: 0, expectation: constants.expectation + shift },
      variance: Math.max(constants.variance + change, 0),
    })),
  );
}

/**
 * Adjust a published number; noise: the relative error granted to every number; shift: what is added to some tools'.
 * @param {Constants} constants @param {Published} published @param {number} noise @param {number} [shift]
 * @returns {Adjusted}
 */
export function adjust(constants, published, noise, shift = 0) {
  const [value, lower, upper] = [published.value, published.lower, published.upper].map((number) => number + shift);
  checkPossible(constants, value, lower, upper, noise);
  const [low, high] = rangeOf(constants);
  // An exact value a rounding error beyond the worst keeps itself.
  const interval = { lower: Math.min(Math.max(lower, low), upper), upper: Math.max(Math.min(upper, high), lower) };
  const bounds = corners(constants, noise);
  const [normalised, index, z] = MAPS.map((map) => {
    const [scale, ...scales] = [constants, ...bounds].map((moments) => map(constants.metric, moments));
    const units = scales.flatMap((corner) => corner?.unit ?? []);
    if (!scale || units.length < scales.length || (Math.min(...units) < 0 && Math.max(...units) > 0)) return null;
    const ends = scales.flatMap((corner) => {
      const { origin, unit } = corner ?? scale;
      return [(interval.lower - origin) / unit, (interval.upper - origin) / unit];
    });
    return {
      value: (value - scale.origin) / scale.unit,
      interval: { lower: Math.min(...ends), upper: Math.max(...ends) },
    };
  });
  return { value, interval, normalised, index, z };
}
