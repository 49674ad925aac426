// Numbers as the command line prints them: Python's rounding, digit by digit.

/** What a reader must be told: wrong input in a field of the form; elsewhere: whether the command line can do it. */
export class Refusal extends Error {
  /** @param {string} message @param {string} [field] @param {boolean} [elsewhere] */
  constructor(message, field = "", elsewhere = false) {
    super(message);
    this.field = field;
    this.elsewhere = elsewhere;
  }
}

/**
 * The absolute value times a power of ten as a whole number, ties to even.
 * @param {number} value @param {number} power
 */
function scaled(value, power) {
  let [number, under] = [Math.abs(value), 10n ** BigInt(Math.max(-power, 0))];
  for (; !Number.isInteger(number); number *= 2) under *= 2n;
  const over = BigInt(number) * 10n ** BigInt(Math.max(power, 0));
  const [whole, twice] = [over / under, 2n * (over % under)];
  return twice > under || (twice === under && whole % 2n === 1n) ? whole + 1n : whole;
}

/** @param {number} value */
const signOf = (value) => (value < 0 || Object.is(value, -0) ? "-" : "");

/** Python's f"{value:,.{decimals}f}". @param {number} value @param {number} decimals */
export function fixed(value, decimals) {
  const digits = scaled(value, decimals).toString().padStart(decimals + 1, "0");
  const whole = digits.slice(0, digits.length - decimals).replace(/\B(?=(\d{3})+$)/g, ",");
  return signOf(value) + whole + (decimals ? `.${digits.slice(-decimals)}` : "");
}

/** Python's f"{value:.{decimals}e}". @param {number} value @param {number} decimals */
export function exponential(value, decimals) {
  let power = value === 0 ? 0 : floorLog10(value);
  let digits = scaled(value, decimals - power).toString().padStart(decimals + 1, "0");
  if (digits.length > decimals + 1) {
    power += 1;
    digits = scaled(value, decimals - power).toString();
  }
  const exponent = `${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
  return `${signOf(value)}${digits[0]}${decimals ? `.${digits.slice(1)}` : ""}e${exponent}`;
}

/** A number in a sentence. @param {number} value */
export const general = (value) => String(Number(value.toPrecision(6)));

/** @param {number} value */
const floorLog10 = (value) => Number(Math.abs(value).toExponential().split("e")[1]);

/** @param {number} power */
const tenTo = (power) => Number(`1e${power}`);

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

/** Some significant digits, without an exponent where readable. @param {number} value @param {number} [digits] */
export function showNumber(value, digits = 4) {
  if (value === 0) return `${signOf(value)}0`;
  const power = floorLog10(value);
  if (power < -5 || power >= WRITTEN_OUT) return exponential(value, digits - 1);
  return fixed(value, Math.max(digits - 1 - power, 0));
}

/**
 * A number with the range that is open about it, with no digit beyond that; `range` is empty for what is certain.
 * @param {number} value @param {Interval} interval
 */
export function showUncertain(value, { lower, upper }) {
  const open = Math.max(upper - value, value - lower);
  const power = value ? floorLog10(value) : -Infinity;
  const shown = power >= WRITTEN_OUT ? power - 3 : Math.min(power - 3, 0);
  if (open === 0 || open < 0.5 * (shown === -Infinity ? 0 : tenTo(shown)) || !Number.isFinite(open))
    return { best: showNumber(value), range: "" };
  const decade = floorLog10(open);
  const last = open < 3 * tenTo(decade) ? decade - 1 : decade;
  const unit = tenTo(last);
  const slack = (0.02 * open) / unit;
  const nearest = roundEven(value / unit);
  let [least, most] = [Math.floor(lower / unit + slack), Math.ceil(upper / unit - slack)];
  // A number within its range is so as shown.
  if (lower <= value && value <= upper) [least, most] = [Math.min(least, nearest), Math.max(most, nearest)];
  // Whole numbers have no negative zero in Python.
  const numbers = [nearest, least, most].map((count) => (count + 0) * unit);
  const largest = Math.max(...numbers.slice(1).map(Math.abs));
  const written = numbers.map((number) =>
    -last > 8 || largest >= EXACT
      ? exponential(number, Math.max(Math.floor(Math.log10(largest)) - last, 0))
      : fixed(number, Math.max(-last, 0)),
  );
  const [best, low, high] = written;
  return { best, range: `${low}${high}`.includes("-") ? `${low} to ${high}` : `${low}–${high}` };
}

/** The same in one text: `6,368 (6,358–6,378)`. @param {number} value @param {Interval} interval */
export function showBoth(value, interval) {
  const { best, range } = showUncertain(value, interval);
  return range ? `${best} (${range})` : best;
}
