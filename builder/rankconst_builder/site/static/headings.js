// What the first rows of a table say of its columns: metrics, roles, and labels that span them.

import { readPublished } from "./arithmetic.js";
import { rankconst } from "./dom.js";
import { Refusal } from "./format.js";
import { squash } from "./names.js";
import { readLabel } from "./words.js";

/** @typedef {import("./grids.js").Row} Row */
/** @typedef {import("./words.js").Label} Label */
/** @typedef {{name: string, labels: Label[], measure: Label | null, role: string}} Column labels: the upper first */
/** @typedef {{columns: Column[], depth: number, last: string[]}} Heading */

const DEEPEST = 4;
const MISSING = /^(?:[-–—−‐?×✗/.]?|--|---|n\/?a|n\.a\.|oom|oot|o\.o\.m\.|out of memory|timeout|none|null|tbd|tba)$/i;
const BLANK = /^(?:[-–—−‐?×✗/.]?|--|---)$/;

/** @param {string} cell */
export const isMissing = (cell) => MISSING.test(cell);
/** @param {string} cell */
export const isBlank = (cell) => BLANK.test(cell);

/** Without marks of footnotes behind it. @param {string} cell */
export const unmarked = (cell) =>
  cell.length > 200 ? cell : cell.replace(/(?<=\d)\s*(?:[*†‡§¶]|\^\{[a-z*†‡§¶,\s]{1,8}\})+$/, "");

/** @param {string} cell */
export function isNumber(cell) {
  if (!/\d/.test(cell)) return false;
  try {
    readPublished({ ...rankconst.names.metrics[0], share: true }, unmarked(cell));
    return true;
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}

/** @param {Row[]} rows @returns {Heading | null} null if they name no metric */
export function findHeading(rows) {
  for (let depth = 1; depth <= Math.min(DEEPEST, rows.length); depth += 1) {
    let heading = compose(rows.slice(0, depth));
    if (!heading.columns.some(({ measure }) => measure)) continue;
    const beside = heading.columns.flatMap(({ measure }, j) => (measure ? [] : [rows[depth - 1].cells[j] ?? ""]));
    if (depth > 1 && beside.some(isNumber)) return null;
    for (let longer = depth + 1; longer <= Math.min(DEEPEST, rows.length); longer += 1) {
      const further = compose(rows.slice(0, longer));
      if (!goesOn(heading, further, rows[longer - 1])) break;
      heading = further;
    }
    return heading;
  }
  return null;
}

/** Whether a row belongs to the heading above it. @param {Heading} heading @param {Heading} longer @param {Row} row */
function goesOn({ columns }, longer, { cells }) {
  const more = longer.columns.flatMap(({ measure }, j) => (measure && !columns[j]?.measure ? [j] : []));
  const kept = columns.every(({ measure }, j) => !measure || longer.columns[j].measure);
  if (more.length && kept) {
    const counted = more.every(
      (j) => /^hits@/.test(longer.columns[j].measure?.metric ?? "") || /[a-z]/i.test(cells[j] ?? ""),
    );
    return counted && !cells.some((cell) => cell.includes(".") && isNumber(cell));
  }
  const own = cells.filter((_, j) => columns[j]?.measure);
  const others = cells.filter((_, j) => !columns[j]?.measure);
  if (own.length && !others.some(Boolean) && !own.some((cell) => isMissing(cell) || /\d/.test(cell))) return true;
  const said = own.filter((cell) => !isBlank(cell)).map(readLabel);
  const tells = (/** @type {Label} */ { whole, graphs, values }) =>
    whole && (graphs.length > 0 || Object.keys(values).length > 0);
  return said.length > 0 && said.length === own.length && said.every(tells);
}

/** @param {Row[]} rows @returns {Heading} */
function compose(rows) {
  const width = Math.max(...rows.map(({ cells }) => cells.length));
  const named = /** @type {string[][]} */ (Array.from({ length: width }, () => []));
  for (const [depth, row] of rows.entries()) {
    const over = depth === rows.length - 1 ? row.cells : spread(row, width);
    for (const [j, cell] of over.entries()) if (cell && !isBlank(cell) && named[j].at(-1) !== cell) named[j].push(cell);
  }
  const columns = named.map((levels) => {
    const labels = joinCounts(levels).map(readLabel);
    const roles = labels
      .map(({ role }) => role)
      .filter(Boolean)
      .reverse();
    const counts = labels.some(({ metric }) => metric === "count") ? ["num_tasks"] : [];
    const others = [...counts, ...roles.filter((role) => !["tool", "side", "model"].includes(role))];
    const measure = others.length ? null : (labels.filter(({ metric }) => metric).pop() ?? null);
    return { name: levels.join(" / "), labels, measure, role: measure ? "" : (counts[0] ?? roles[0] ?? "") };
  });
  return { columns, depth: rows.length, last: rows[rows.length - 1].cells };
}

/** Write the number below `Hits@` behind it. @param {string[]} levels */
function joinCounts(levels) {
  for (let i = levels.length - 1; i > 0; i -= 1) {
    if (!/^@?\s*[1-9]\d{0,8}$/.test(levels[i])) continue;
    const whole = `${levels[i - 1].replace(/[@ ]+$/, "").replace(/@k$/, "")}@${levels[i].replace(/^[@ ]+/, "")}`;
    if (readLabel(whole).metric) return [...levels.slice(0, i - 1), whole, ...levels.slice(i + 1)];
  }
  return levels;
}

/** Of an upper level: as cells span, or over the empty ones behind. @param {Row} row @param {number} width */
function spread({ cells, spans }, width) {
  let [label, left] = ["", 0];
  return Array.from({ length: width }, (_, j) => {
    if (cells[j]) [label, left] = [cells[j], spans ? (spans.get(j) ?? 1) : width];
    left -= 1;
    return left >= 0 ? label : "";
  });
}

const FIELDS = ["dataset", "split", "side", "protocol", "aggregation"];

/** The role of a column if its cells fit it. @param {Column} column @param {string[]} cells */
export function fitRole({ role, name }, cells) {
  if (!role || squash(name) === squash(role) || role === "dataset" || !(FIELDS.includes(role) || role === "rank_type"))
    return role;
  return cells.every((cell) => isMissing(cell) || readLabel(cell).values[role]) ? role : "";
}
