// Published numbers, and the three adjustments: the same operations in the same order as in the Python package.

import { rankconst } from "./dom.js";
import { Refusal, general } from "./format.js";

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
    bare = `${number}${power} ± ${spread}e${Number(power.slice(1)) - decimals.length}`;
  }
  const parts = bare.split(PLUS_MINUS).map((part) => part.trim().replace(/^[() ]+|[() ]+$/g, ""));
  const unlike = signs.length > parts.length || signs.some((sign) => sign !== signs[0]);
  const odd = parts.length > 2 || !parts.every((part) => NUMBER.test(part));
  if (odd || unlike || parts.some((part) => /^[+-]?0,\d{3}$/.test(part))) {
    const unread = bare ? `'${text.trim()}' is not a number. ` : "";
    throw new Refusal(`${unread}Type it with a decimal point: 0.338, 33.8% or 0.545 ± 0.005.`, "value");
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

/** @param {Constants} constants */
const rangeOf = ({ metric: { optimum }, worst }) => [Math.min(optimum, worst), Math.max(optimum, worst)];

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
  const isBeyondBest = metric.increasing ? value > high * (1 + noise) : value < low * (1 - noise);
  const isBeyondWorst = metric.increasing ? upper < low || value < metric.lower : lower > high;
  if (!isBeyondBest && !isBeyondWorst) return;
  const ends = low === high ? `${general(low)}, which every ranker gets here` : `${general(low)} to ${general(high)}`;
  const what = `${general(value)} is not a possible ${metric.label} on ${constants.where}`;
  throw new Refusal(`${what}: expected ${ends}. ${hintAt(metric, value)}`, "value");
}

// -- the three adjustments -------------------------------------------------------------------------------------------

/**
 * Adjust a published number; noise: the relative error granted to every number; shift: what is added to some tools'.
 * @param {Constants} constants @param {Published} published @param {number} noise @param {number} [shift]
 * @returns {Adjusted}
 */
export function adjust(constants, published, noise, shift = 0) {
  const { metric, expectation, variance } = constants;
  const [value, lower, upper] = [published.value, published.lower, published.upper].map((number) => number + shift);
  checkPossible(constants, value, lower, upper, noise);
  const [low, high] = rangeOf(constants);
  // An exact value a rounding error beyond the worst keeps itself.
  const interval = { lower: Math.min(Math.max(lower, low), upper), upper: Math.max(Math.min(upper, high), lower) };
  const deviation = metric.increasing ? Math.sqrt(variance) : -Math.sqrt(variance);
  return {
    value,
    interval,
    normalised: rescale(value, interval, 0, expectation),
    index: rescale(value, interval, expectation, metric.optimum - expectation),
    z: rescale(value, interval, expectation, deviation),
  };
}

/**
 * A number on the scale that is 0 at the origin and 1 a unit above; null if the unit is 0.
 * @param {number} value @param {Interval} interval @param {number} origin @param {number} unit @returns {Form}
 */
function rescale(value, { lower, upper }, origin, unit) {
  if (unit === 0) return null;
  const ends = [(lower - origin) / unit, (upper - origin) / unit];
  return { value: (value - origin) / unit, interval: { lower: Math.min(...ends), upper: Math.max(...ends) } };
}
