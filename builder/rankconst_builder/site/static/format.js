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

/** @type {Map<string, Intl.NumberFormat>} */
const formats = new Map();

/**
 * Round an exact decimal, ties to even.
 * @param {string} exact @param {number} decimals @param {"standard" | "scientific"} notation
 */
function round(exact, decimals, notation) {
  const key = `${notation} ${decimals}`;
  const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
  const format = formats.get(key) ?? new Intl.NumberFormat("en", { ...digits, notation, roundingMode: "halfEven" });
  formats.set(key, format);
  return format.format(/** @type {`${number}`} */ (exact));
}

/** Python's f"{value:,.{decimals}f}". @param {number} value @param {number} decimals */
export const fixed = (value, decimals) => round(value.toFixed(100), decimals, "standard");

/** Python's f"{value:.{decimals}e}". @param {number} value @param {number} decimals */
export function exponential(value, decimals) {
  const [digits, power] = round(value.toExponential(100), decimals, "scientific").split("E");
  return `${digits}e${power.startsWith("-") ? "-" : "+"}${power.replace("-", "").padStart(2, "0")}`;
}

/** A number in a sentence. @param {number} value */
export const general = (value) => String(Number(value.toPrecision(6)));

/** @param {number} value */
const floorLog10 = (value) => Number(Math.abs(value).toExponential().split("e")[1]);

/** @param {number} power */
const tenTo = (power) => Number(`1e${power}`);

// From this power of ten on, numbers are shown with an exponent.
const WRITTEN_OUT = 7;

/** From here on a float does not tell the ones. */
const EXACT = 1e15;

/** Some significant digits, without an exponent where readable. @param {number} value @param {number} [digits] */
export function showNumber(value, digits = 4) {
  if (value === 0) return Object.is(value, -0) ? "-0" : "0";
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
  const nearest = Number(fixed(value / unit, 0).replaceAll(",", ""));
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
