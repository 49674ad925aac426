// What the first rows of a table say of its columns: metrics, roles, and labels that span them.

import { readPublished } from "./arithmetic.js";
import { rankconst } from "./dom.js";
import { Refusal } from "./format.js";
import { readLabel } from "./words.js";

const DEEPEST = 4;
const MISSING = /^(?:[-–—−‐?×✗/.]?|--|---|n\/?a|n\.a\.|oom|oot|o\.o\.m\.|out of memory|timeout|none|null|tbd|tba)$/i;

/** @param {string} cell */
export const isMissing = (cell) => MISSING.test(cell);

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

/** The columns, by as many rows as name more metrics; null if none does. @param {Row[]} rows */
export function findHeading(rows) {
  let columns = /** @type {Column[]} */ ([]);
  let depth = 0;
  for (let next = 1; next <= Math.min(DEEPEST, rows.length); next += 1) {
    const { cells } = rows[next - 1];
    const longer = compose(rows.slice(0, next));
    const more = longer.flatMap(({ measure }, j) => (measure && !columns[j]?.measure ? [j] : []));
    const kept = columns.every(({ measure }, j) => !measure || longer[j].measure);
    const beside = longer.some(({ measure }, j) => next > 1 && !measure && isNumber(cells[j] ?? ""));
    if (!more.length && !depth) continue;
    if (!depth && beside) return null;
    const named = more.every((j) => /^hits@/.test(longer[j].measure?.metric ?? "") || /[a-z]/i.test(cells[j] ?? ""));
    if (depth && !(more.length && kept && named && !cells.some((cell) => cell.includes(".") && isNumber(cell)))) break;
    [columns, depth] = [longer, next];
  }
  // A row of arrows belongs to the heading above it.
  const isSign = (/** @type {string} */ cell, /** @type {number} */ j) =>
    columns[j]?.measure ? !isMissing(cell) && !/[\p{L}\d]/u.test(cell) : !cell;
  while (depth && rows[depth]?.cells.every(isSign)) depth += 1;
  return depth ? { columns, depth } : null;
}

/** @param {Row[]} rows @returns {Column[]} */
function compose(rows) {
  const width = Math.max(...rows.map(({ cells }) => cells.length));
  const named = /** @type {string[][]} */ (Array.from({ length: width }, () => []));
  for (const [depth, row] of rows.entries()) {
    const over = depth === rows.length - 1 ? row.cells : spread(row, width);
    for (const [j, cell] of over.entries())
      if (/[^-–—−‐?×✗/.]/.test(cell) && named[j][named[j].length - 1] !== cell) named[j].push(cell);
  }
  return named.map((levels) => {
    const labels = joinCounts(levels).map(readLabel);
    const roles = labels.flatMap(({ role }) => role || []).reverse();
    const counts = labels.some(({ metric }) => metric === "count") ? ["num_tasks"] : [];
    const others = [...counts, ...roles.filter((role) => !["tool", "side", "model"].includes(role))];
    const measure = others.length ? null : (labels.filter(({ metric }) => metric).pop() ?? null);
    return { name: levels.join(" / "), labels, measure, role: measure ? "" : (counts[0] ?? roles[0] ?? "") };
  });
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
