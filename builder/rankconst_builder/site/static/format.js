// Numbers as the command line prints them: Python's rounding, digit by digit.

/** What a reader must be told: wrong input, never a bug. */
export class Refusal extends Error {
  /**
   * @param {string} message
   * @param {string} [field] the field of the form that it is about
   * @param {boolean} [elsewhere] whether the command line can do it
   */
  constructor(message, field = "", elsewhere = false) {
    super(message);
    this.field = field;
    this.elsewhere = elsewhere;
  }
}

/**
 * A float as an exact fraction: numerator and denominator of its absolute value.
 * @param {number} value
 * @returns {[bigint, bigint]}
 */
function fraction(value) {
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, Math.abs(value));
  const raw = bits.getBigUint64(0);
  const biased = Number(raw >> 52n);
  const mantissa = (raw & 0xfffffffffffffn) | (biased ? 1n << 52n : 0n);
  const power = (biased || 1) - 1075;
  return power < 0 ? [mantissa, 1n << BigInt(-power)] : [mantissa << BigInt(power), 1n];
}

/**
 * The absolute value times a power of ten as a whole number, ties to even.
 * @param {number} value
 * @param {number} power
 */
function scaled(value, power) {
  let [over, under] = fraction(value);
  if (power < 0) under *= 10n ** BigInt(-power);
  else over *= 10n ** BigInt(power);
  const whole = over / under;
  const twice = 2n * (over % under);
  return twice > under || (twice === under && whole % 2n === 1n) ? whole + 1n : whole;
}

/** @param {number} value */
const isNegative = (value) => value < 0 || Object.is(value, -0);

/**
 * Python's f"{value:,.{decimals}f}".
 * @param {number} value
 * @param {number} decimals
 */
export function fixed(value, decimals) {
  const digits = scaled(value, decimals)
    .toString()
    .padStart(decimals + 1, "0");
  const whole = digits.slice(0, digits.length - decimals).replace(/\B(?=(\d{3})+$)/g, ",");
  return (isNegative(value) ? "-" : "") + whole + (decimals ? `.${digits.slice(-decimals)}` : "");
}

/**
 * The digits of a number and the power of ten of the first one.
 * @param {number} value
 * @param {number} digits
 * @returns {[string, number]}
 */
function significant(value, digits) {
  let power = floorLog10(value);
  let shown = scaled(value, digits - 1 - power).toString();
  if (shown.length > digits) {
    power += 1;
    shown = scaled(value, digits - 1 - power).toString();
  }
  return [shown, power];
}

/**
 * Python's f"{value:.{decimals}e}".
 * @param {number} value
 * @param {number} decimals
 */
export function exponential(value, decimals) {
  const [digits, power] = value === 0 ? ["0".repeat(decimals + 1), 0] : significant(value, decimals + 1);
  const sign = isNegative(value) ? "-" : "";
  const exponent = `${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
  return `${sign}${digits[0]}${decimals ? `.${digits.slice(1)}` : ""}e${exponent}`;
}

/**
 * Python's f"{value:.{digits}g}".
 * @param {number} value
 * @param {number} [digits]
 */
export function general(value, digits = 6) {
  if (value === 0) return isNegative(value) ? "-0" : "0";
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "nan" : value < 0 ? "-inf" : "inf";
  const power = significant(value, digits)[1];
  if (power < -4 || power >= digits) {
    return exponential(value, digits - 1).replace(/\.?0*e/, "e");
  }
  const written = fixed(value, digits - 1 - power).replace(/,/g, "");
  return written.includes(".") ? written.replace(/\.?0+$/, "") : written;
}

/** @param {number} value */
export function floorLog10(value) {
  return Number(Math.abs(value).toExponential().split("e")[1]);
}

/** @param {number} power */
export const tenTo = (power) => Number(`1e${power}`);

/** @param {number} value */
function roundEven(value) {
  const below = Math.floor(value);
  const rest = value - below;
  return rest > 0.5 || (rest === 0.5 && below % 2 !== 0) ? below + 1 : below;
}

// From this power of ten on, numbers are shown with an exponent.
const WRITTEN_OUT = 7;

/** From here on a float does not tell the ones. */
const EXACT = 1e15;

/**
 * A number with some significant digits, without an exponent where that stays readable.
 * @param {number} value
 * @param {number} [digits]
 */
export function showNumber(value, digits = 4) {
  if (value === 0 || !Number.isFinite(value)) return general(value);
  const power = floorLog10(value);
  if (power < -5 || power >= WRITTEN_OUT) return exponential(value, digits - 1);
  return fixed(value, Math.max(digits - 1 - power, 0));
}

/**
 * A number with the range that is open about it, with no digit beyond that.
 * @param {number} value
 * @param {{lower: number, upper: number}} interval
 * @param {number} [digits]
 * @returns {{best: string, range: string}} `range` is empty for a number that is certain
 */
export function showUncertain(value, { lower, upper }, digits = 4) {
  const open = Math.max(upper - value, value - lower);
  const power = value ? floorLog10(value) : -Infinity;
  const shown = power >= WRITTEN_OUT ? power - digits + 1 : Math.min(power - digits + 1, 0);
  const certain = open === 0 || open < 0.5 * (shown === -Infinity ? 0 : tenTo(shown)) || !Number.isFinite(open);
  if (certain) return { best: showNumber(value, digits), range: "" };
  const decade = floorLog10(open);
  const last = open < 3 * tenTo(decade) ? decade - 1 : decade;
  const unit = tenTo(last);
  const slack = (0.02 * open) / unit;
  const nearest = roundEven(value / unit);
  let [least, most] = [Math.floor(lower / unit + slack), Math.ceil(upper / unit - slack)];
  // A number within its range is so as shown.
  if (lower <= value && value <= upper) [least, most] = [Math.min(least, nearest), Math.max(most, nearest)];
  const counts = [nearest, least, most];
  // Whole numbers have no negative zero in Python.
  const numbers = counts.map((count) => (count + 0) * unit);
  const ends = numbers.slice(1);
  let places = -last;
  /** @type {(number: number) => string} */
  let write = (number) => fixed(number, Math.max(places, 0));
  if (places > 8 || Math.max(...ends.map(Math.abs)) >= EXACT) {
    places = Math.max(floorLog10(Math.max(...ends.map(Math.abs))) + places, 0);
    write = (number) => exponential(number, places);
  }
  const [best, low, high] = numbers.map(write);
  const between = `${low}${high}`.includes("-") ? `${low} to ${high}` : `${low}–${high}`;
  return { best, range: between };
}

/**
 * The same in one text: `6,368 (6,358–6,378)`.
 * @param {number} value
 * @param {{lower: number, upper: number}} interval
 */
export function showBoth(value, interval) {
  const { best, range } = showUncertain(value, interval);
  return range ? `${best} (${range})` : best;
}
