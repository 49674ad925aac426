// A pasted table: CSV, text between tabs, Markdown, or a plain LaTeX tabular, with one heading that names metrics. What
// cannot be read is refused where it is; the command line reads much more.

import { readPublished } from "./arithmetic.js";
import { Refusal } from "./format.js";
import { findDataset, findMetric, findName, shorten, squash } from "./names.js";

/** @typedef {import("./arithmetic.js").Metric} Metric */
/** @typedef {import("./names.js").Catalogue} Catalogue */

/**
 * @typedef {object} Column
 * @property {string} heading
 * @property {Metric | null} metric
 * @property {string} role what the column says of the tasks of a row
 * @property {{split?: string, side?: string}} says what the heading says of the tasks
 * @property {string} why it is not read
 * @property {boolean} percent
 */
/** @typedef {{columns: Column[], rows: string[][], notes: string[]}} Table */

const MOST = { rows: 500, columns: 40, characters: 200000 };
const LINE = "Use the command line: rankconst adjust FILE.";
const ROLES = {
  dataset: ["data", "data set", "benchmark"],
  model: ["method", "name"],
  split: [],
  side: [],
  protocol: [],
  tool: [],
};

/** @param {string} line @param {string} separator */
function cutQuoted(line, separator) {
  const cells = [""];
  let quoted = false;
  for (let at = 0; at < line.length; at += 1) {
    const letter = line[at];
    if (letter === '"' && quoted && line[at + 1] === '"') {
      cells[cells.length - 1] += '"';
      at += 1;
    } else if (letter === '"' && (quoted || cells[cells.length - 1].trim() === "")) quoted = !quoted;
    else if (letter === separator && !quoted) cells.push("");
    else cells[cells.length - 1] += letter;
  }
  if (quoted) throw new Refusal(`A quotation mark is never closed: ${line.slice(0, 60)}`, "table");
  return cells.map((cell) => cell.trim());
}

/** @param {string} line */
function cutMarkdown(line) {
  const inner = line
    .trim()
    .replace(/^\|/, "")
    .replace(/(?<!\\)\|$/, "");
  return inner.split(/(?<!\\)\|/).map((cell) => cell.replaceAll("\\|", "|").trim());
}

const MARKUP =
  /\\(?:textbf|textit|textsc|texttt|textrm|emph|underline|mathbf|mathrm|boldsymbol)\s*\{([^{}]*)\}|\{\\(?:bf|it|bfseries|itshape)\s+([^{}]*)\}/g;
const SIGNS = /** @type {[RegExp, string][]} */ ([
  [/\\pm(?![a-zA-Z])/g, "±"],
  [/\\(?:uparrow|downarrow)(?![a-zA-Z])/g, ""],
  [/~?\\cite[tp]?\*?\{[^{}]*\}/g, ""],
  [/\\[,;! ]/g, ""],
  [/\\([%&_#$])/g, "$1"],
  [/\$/g, ""],
  [/~/g, " "],
]);

/** @param {string} text */
function cutLatex(text) {
  const bare = text.replace(/(?<!\\)%.*$/gm, "");
  const spans = /\\(multicolumn|multirow|cline|cmidrule|newcommand|def|input)\b/.exec(bare);
  if (spans) throw new Refusal(`This page does not read LaTeX with \\${spans[1]}. ${LINE}`, "table");
  const begins = [...bare.matchAll(/\\begin\{(tabular[x*]?)\}/g)];
  if (begins.length > 1) throw new Refusal(`The text has ${begins.length} tables: paste one.`, "table");
  const inside = /\\begin\{tabular\}\s*(?:\[[^\]]*\])?\s*\{((?:[^{}]|\{[^{}]*\})*)\}([\s\S]*?)\\end\{tabular\}/.exec(
    bare,
  );
  if (begins.length && !inside)
    throw new Refusal(`The tabular has no end, or is of a kind that this page does not read. ${LINE}`, "table");
  const rows = (inside ? inside[2] : bare)
    .replace(/\\(?:toprule|midrule|bottomrule|hline|addlinespace)(?:\[[^\]]*\])?/g, "")
    .split(/\\\\(?:\[[^\]]*\])?/)
    .filter((row) => row.trim());
  return rows.map((row) => row.split(/(?<!\\)&/).map(cleanLatex));
}

/** @param {string} cell */
function cleanLatex(cell) {
  let [before, after] = ["", cell];
  while (before !== after) [before, after] = [after, after.replace(MARKUP, (_, one, other) => one ?? other)];
  for (const [sign, written] of SIGNS) after = after.replace(sign, written);
  const left = /\\[a-zA-Z]+|[{}\\]/.exec(after.replaceAll("{,}", ","));
  if (left) throw new Refusal(`This page does not read ${left[0]} in ${shorten(cell.trim())}. ${LINE}`, "table");
  return after.replaceAll("{,}", ",").replace(/\s+/g, " ").trim();
}

/** @param {string} text @returns {string[][]} */
function cut(text) {
  const lines = text.split(/\r\n|\r|\n/).filter((line) => line.trim());
  if (!lines.length)
    throw new Refusal("Paste a table: CSV, Markdown, LaTeX, or cells copied from a spreadsheet.", "table");
  if (/\\begin\{|\\\\\s*$|&.*\\\\/m.test(text)) return cutLatex(text);
  const ruled = lines.findIndex(
    (line) => /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/.test(line) && line.includes("|"),
  );
  if (ruled === 1) return [lines[0], ...lines.slice(2)].map(cutMarkdown);
  if (ruled >= 0)
    throw new Refusal(`The heading of the table has several rows, or other text is above it. ${LINE}`, "table");
  const separator = ["\t", ",", ";"].find((sign) => lines[0].includes(sign));
  if (!separator)
    throw new Refusal(`The first line has no separator: a comma, a tab, a semicolon or |. ${LINE}`, "table");
  return lines.map((line) => cutQuoted(line, separator));
}

// Words that tools put before the name of a metric: "both.realistic.hits_at_10", "test_mrr", "Filtered MRR".
const PREFIX =
  /^(?:(?:both|head|tail|realistic|optimistic|pessimistic|avg|best|worst|test|testing|valid|validation|train|training|filtered|filt|fil)[.\s_/:-]+)+/i;

/** @param {string} text a cell that may be emphasised as a whole */
export const unmarked = (text) =>
  text
    .trim()
    .replace(/^(\*{1,3}|_{1,2}|`)(.+)\1$/, "$2")
    .trim();

/** @param {Catalogue} catalogue @param {string} heading @returns {Column} */
function readHeading(catalogue, heading) {
  const percent = /%/.test(heading);
  const bare = unmarked(heading)
    .replace(/[↑↓]/g, "")
    .replace(/\(\s*%\s*\)|%/g, "")
    .trim();
  const column = { heading, metric: /** @type {Metric | null} */ (null), role: "", says: {}, why: "", percent };
  const role = findName(ROLES, bare);
  if (role) return { ...column, role };
  const [prefix = ""] = PREFIX.exec(bare) ?? [];
  const words = prefix.split(/[.\s_/:-]+/).filter(Boolean);
  const metric = findMetric(catalogue, bare.slice(prefix.length));
  const ties = words.find((word) => /^(optimistic|pessimistic|best|worst)$/i.test(word));
  if (metric && ties) return { ...column, why: `ties are ranked in a way (${ties}) of which this page knows nothing` };
  for (const word of words) {
    const [split, side] = [findName(catalogue.splits, word), findName(catalogue.sides, word)];
    column.says = { ...column.says, ...(split ? { split } : {}), ...(side ? { side } : {}) };
  }
  // A column "std" is the spread over runs more often than a metric of ranks.
  if (metric && metric.optimum !== 0 && metric.optimum !== null) return { ...column, metric };
  const adjusted = catalogue.metrics.some((each) =>
    Object.values(each.names).some((name) => name && squash(name) === squash(bare)),
  );
  return { ...column, says: {}, why: adjusted ? "adjusted already" : "" };
}

/**
 * Refuse a table that may say more about its numbers than is understood here.
 * @param {Catalogue} catalogue
 * @param {Table} table
 */
function refuseUnclear({ splits, sides, protocols }, { columns, rows }) {
  const same = columns.find(({ metric, says }, at) =>
    columns.some(
      (other, place) =>
        metric && place < at && other.metric === metric && JSON.stringify(other.says) === JSON.stringify(says),
    ),
  );
  if (same) throw new Refusal(`Two columns are of ${same.metric?.label}: which dataset is each of? ${LINE}`, "table");
  const words = new Set(
    [...Object.keys(splits), ...Object.keys(sides), ...protocols.map(({ key }) => key)].map(squash),
  );
  const unread = columns.filter((column) => !column.metric && !column.role);
  for (const column of unread) {
    const cells = rows.map((row) => row[columns.indexOf(column)]);
    const found = cells.find((cell) => words.has(squash(cell)));
    if (found) throw new Refusal(`Column ${column.heading} says ${found}: call it split, side or protocol.`, "table");
    if (!column.why && cells.some((cell) => /^[\d.]+%?$/.test(unmarked(cell)) && /[.%]/.test(cell)))
      column.why = "not read";
  }
}

/**
 * Shares without a sign are percentages if all of a column are above 1, and fractions if none is; columns of Hits@k share
 * their unit. Anything else is left open: the command line weighs more evidence.
 * @param {Table} table
 */
function tellUnits({ columns, rows, notes }) {
  const shares = columns.map((column, at) => ({
    column,
    numbers: column.metric?.share
      ? readPlain(
          column.metric,
          rows.map((row) => row[at]),
        )
      : [],
  }));
  const isHits = (/** @type {Column} */ { metric }) => metric?.slug.startsWith("hits@");
  const largeHits = shares.some(({ column, numbers }) => isHits(column) && numbers.some((number) => number > 1));
  for (const { column, numbers } of shares) {
    if (!numbers.length) continue;
    if (numbers.every((number) => number > 1 && number <= 100)) column.percent = true;
    else if (column.percent || numbers.some((number) => number > 1) || (isHits(column) && largeHits)) {
      column.why = "fractions or percentages? Write the sign: 33.8%";
      column.metric = null;
    }
  }
  const named = columns.filter((column) => column.metric && column.percent).map((column) => column.heading);
  if (named.length) notes.push(`Read as percentages: ${named.join(", ")}.`);
}

/** @param {Metric} metric @param {string[]} cells @returns {number[]} those without a sign that can be read */
function readPlain(metric, cells) {
  return cells.flatMap((cell) => {
    try {
      return cell.includes("%") ? [] : [readPublished(metric, unmarked(cell)).value];
    } catch (error) {
      if (error instanceof Refusal) return [];
      throw error;
    }
  });
}

/**
 * @param {Catalogue} catalogue
 * @param {string} text
 * @returns {Table}
 */
export function readTable(catalogue, text) {
  if (text.length > MOST.characters)
    throw new Refusal(`The table has ${text.length} characters: too many for this page. ${LINE}`, "table");
  const [first, ...rows] = cut(text);
  if (first.length > MOST.columns || rows.length > MOST.rows) {
    throw new Refusal(
      `The table has ${rows.length} rows of ${first.length} cells: too many for this page. ${LINE}`,
      "table",
    );
  }
  const columns = first.map((heading) => readHeading(catalogue, heading));
  if (!columns.some((column) => column.metric)) {
    const seen = first.filter(Boolean).slice(0, 6).join(", ");
    throw new Refusal(`The first row names no metric such as MRR or Hits@10; it has ${seen}. ${LINE}`, "table");
  }
  if (!rows.length) throw new Refusal("The table has a heading and no rows.", "table");
  const uneven = rows.findIndex((row) => row.length !== first.length);
  if (uneven >= 0) {
    throw new Refusal(
      `Row ${uneven + 2} has ${rows[uneven].length} cells and the heading ${first.length}. ${LINE}`,
      "table",
    );
  }
  for (const role of Object.keys(ROLES)) {
    if (columns.filter((column) => column.role === role).length > 1)
      throw new Refusal(`Two columns are called ${role}. ${LINE}`, "table");
  }
  const table = /** @type {Table} */ ({ columns, rows, notes: [] });
  if (columns.some(({ role }) => role === "dataset"))
    table.notes.push("Each row is of the dataset that it names, whatever the form says.");
  refuseUnclear(catalogue, table);
  tellUnits(table);
  return table;
}

/** @param {string} cell */
export const isMissing = (cell) => /^[-–—\s]*$|^n\/?a$|^nan$|^none$/i.test(cell.trim());

/**
 * What a row says about its tasks, over what was chosen for all of them.
 * @param {Catalogue} catalogue
 * @param {Table} table
 * @param {string[]} row
 * @param {Column} column
 * @param {import("./state.js").State} chosen
 */
export function stateOf(catalogue, { columns }, row, { says }, chosen) {
  const said = { ...chosen };
  /** @param {keyof typeof READERS} field @param {string} text */
  const say = (field, text) => {
    const found = READERS[field](catalogue, text);
    if (!found) throw new Refusal(`'${shorten(text)}' is no ${field} that is known here.`);
    // A row that names its dataset leaves the form's for the others.
    const asked = field !== "dataset" && chosen[field] && READERS[field](catalogue, chosen[field]);
    if (asked && asked !== found) throw new Refusal(`The table says ${field} ${text}, and the form ${chosen[field]}.`);
    if (field !== "dataset" && said[field] && said[field] !== found)
      throw new Refusal(`The table says both ${said[field]} and ${found}.`);
    said[field] = found;
  };
  columns.forEach(({ role }, at) => {
    const text = unmarked(row[at]);
    if (text && role in READERS) say(/** @type {keyof typeof READERS} */ (role), text);
  });
  for (const field of /** @type {const} */ (["split", "side"])) if (says[field]) say(field, says[field]);
  return said;
}

/** How the words of a column become keys. @satisfies {Record<string, (catalogue: Catalogue, text: string) => string | null>} */
const READERS = {
  dataset: (/** @type {Catalogue} */ catalogue, /** @type {string} */ text) => findDataset(catalogue, text).key,
  split: (/** @type {Catalogue} */ { splits }, /** @type {string} */ text) => findName(splits, text),
  side: (/** @type {Catalogue} */ { sides }, /** @type {string} */ text) => findName(sides, text),
  protocol: (/** @type {Catalogue} */ { protocols }, /** @type {string} */ text) =>
    findName(Object.fromEntries(protocols.map(({ key }) => [key, []])), text),
  tool: (/** @type {Catalogue} */ { tools }, /** @type {string} */ text) =>
    findName(Object.fromEntries(tools.map(({ key, title }) => [key, [title]])), text),
};
