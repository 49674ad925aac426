// A table: CSV, text between tabs, Markdown, or a plain LaTeX tabular, with one heading that names metrics; or what tools
// write, see results.js. What cannot be read is refused where it is; the command line reads much more.

import { readPublished } from "./arithmetic.js";
import { Refusal } from "./format.js";
import { findAdjusted, findDataset, findMetric, findName, findProtocol, shorten, squash } from "./names.js";
import { guessKind, nameKind } from "./kinds.js";
import { Written, chooseNumbers, flatten, listLeaves, parseJson } from "./results.js";

/** @typedef {import("./arithmetic.js").Metric} Metric */
/** @typedef {import("./names.js").Catalogue} Catalogue */

/**
 * @typedef {object} Column
 * @property {string} heading
 * @property {Metric | null} metric
 * @property {{metric: Metric, form: string} | null} adjusted what it holds if it is adjusted already
 * @property {string} role what the column says of the tasks of a row
 * @property {{split?: string, side?: string}} says what the heading says of the tasks
 * @property {boolean} filtered whether the heading says so
 * @property {string} why it is not read
 * @property {boolean} percent
 * @property {Metric[]} [each] the metric of each row, in a table with a row for each number
 */
/**
 * @typedef {object} Table
 * @property {Column[]} columns
 * @property {string[][]} rows
 * @property {string[]} notes
 * @property {number} first the line of the first row, counted from 1
 * @property {Record<string, string>} says what the file says of all its numbers: tool, side
 * @property {boolean} exact whether a program wrote every digit
 * @property {Map<string, import("./results.js").Evidence>} evidence by split
 */

const MOST = { rows: 500, columns: 40, characters: 1000000, cell: 1000 };

/** Refuse a cell that is longer than any of a table: what looks into cells may take time by the square of that. @param {string} cell */
function checkLength(cell) {
  if (cell.length > MOST.cell)
    throw new Refusal(`A cell has ${cell.length} characters: too many for this page: ${shorten(cell.trim())}`, "table");
  return cell;
}

/** Columns that say something which only the command line takes into account. */
const UNREAD = ["rank_type", "num_tasks", "metric", "value", "k"];

/** @param {string} line @param {string} separator */
function cutQuoted(line, separator) {
  const cells = [""];
  let [quoted, blank] = [false, true];
  for (let at = 0; at < line.length; at += 1) {
    const letter = line[at];
    if (letter === '"' && quoted && line[at + 1] === '"') {
      cells[cells.length - 1] += '"';
      [blank, at] = [false, at + 1];
    } else if (letter === '"' && (quoted || blank)) quoted = !quoted;
    else if (letter === separator && !quoted) blank = Boolean(cells.push(""));
    else {
      cells[cells.length - 1] += letter;
      blank &&= !letter.trim();
    }
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
  /\\(?:textbf|textit|textsc|texttt|textrm|emph|underline|mathbf|mathrm|boldsymbol)\s*\{([^{}]*)\}|\{\\(?:bf|it|bfseries|itshape)\s([^{}]*)\}/g;
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
  if (spans) throw new Refusal(`This page does not read LaTeX with \\${spans[1]}.`, "table");
  const begins = [...bare.matchAll(/\\begin\{(tabular[x*]?)\}/g)];
  if (begins.length > 1) throw new Refusal(`The text has ${begins.length} tables: paste one.`, "table");
  const inside = /\\begin\{tabular\}\s{0,99}(?:\[[^\]]*\])?\s{0,99}\{((?:[^{}]|\{[^{}]*\})*)\}([\s\S]*?)\\end\{tabular\}/.exec(
    bare,
  );
  if (begins.length && !inside)
    throw new Refusal("The tabular has no end, or is of a kind that this page does not read.", "table");
  const outside = inside
    ? bare.replace(inside[0], "").replace(/\\(?!caption)[a-zA-Z]+\*?(?:\[[^\][]*\]|\{[^{}]*\})*/g, "")
    : "";
  if (/[a-z]/i.test(outside))
    throw new Refusal(
      "This page does not read captions and other text: paste the tabular alone, and choose what they say.",
      "table",
    );
  const rows = (inside ? inside[2] : bare)
    .replace(/\\(?:toprule|midrule|bottomrule|hline|addlinespace)(?:\[[^\]]{0,99}\])?/g, "")
    .split(/\\\\(?:\[[^\]]{0,99}\])?/)
    .filter((row) => row.trim());
  if (!rows.length) throw new Refusal("The tabular is empty.", "table");
  return rows.map((row) => row.split(/(?<!\\)&/).map(cleanLatex));
}

/** @param {string} cell */
function cleanLatex(cell) {
  let [before, after] = ["", checkLength(cell)];
  while (before !== after) [before, after] = [after, after.replace(MARKUP, (_, one, other) => one ?? other)];
  for (const [sign, written] of SIGNS) after = after.replace(sign, written);
  const left = /\\[a-zA-Z]+|[{}\\]/.exec(after.replaceAll("{,}", ","));
  if (left) throw new Refusal(`This page does not read ${left[0]} in ${shorten(cell.trim())}.`, "table");
  return after.replaceAll("{,}", ",").replace(/\s+/g, " ").trim();
}

/** @param {string} text @returns {string[][]} */
function cut(text) {
  const lines = text.split(/\r\n|\r|\n/).filter((line) => line.trim());
  if (!lines.length)
    throw new Refusal("Paste a table: CSV, Markdown, LaTeX, or cells copied from a spreadsheet.", "table");
  if (/\\begin\{|\\\\\s*$|^[^&\n\r]*&.*\\\\/m.test(text)) return cutLatex(text);
  const ruled = lines.findIndex(
    (line) => line.includes("|") && cutMarkdown(line).every((cell) => /^:?-+:?$/.test(cell)),
  );
  if (ruled === 1) return [lines[0], ...lines.slice(2)].map(cutMarkdown);
  if (ruled >= 0) throw new Refusal("The heading of the table has several rows, or other text is above it.", "table");
  const separator = ["\t", ",", ";"].find((sign) => lines[0].includes(sign));
  const likely = separator ? "" : guessKind(text, false);
  if (likely) throw new Refusal(`This looks like ${likely}, which this page does not read.`, "table");
  if (!separator) throw new Refusal("The first line has no separator: a comma, a tab, a semicolon or |.", "table");
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
  const filtered = /\bfilt|\bfil\b|_filt/i.test(bare);
  const column = { heading, metric: null, adjusted: null, role: "", says: {}, filtered, why: "", percent };
  const role = /^[a-z][a-z0-9@_ .-]*$/i.test(bare) ? findName(catalogue.roles, bare) : null;
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
  const adjusted = findAdjusted(catalogue, bare.slice(prefix.length));
  return adjusted ? { ...column, adjusted, why: "adjusted already" } : { ...column, says: {} };
}

/** Columns that say of which relations, or kinds of relations, a row is. */
const RELATIONS = /^\s*(?:relations?|predicates?|rel\.?)(?:[ _-]?(?:name|type|category|label|id))?\s*$/i;
const KINDS = /^(?:1|n|m|one|many)(?:[- ]to[- ]|[-:])(?:1|n|m|one|many)$/i;

/**
 * Refuse a table that may say more about its numbers than is understood here.
 * @param {Catalogue} catalogue
 * @param {Table} table
 */
function refuseUnclear(catalogue, { columns, rows, notes }) {
  const same = columns.find(({ metric, says }, at) =>
    columns.some(
      (other, place) =>
        metric && place < at && other.metric === metric && JSON.stringify(other.says) === JSON.stringify(says),
    ),
  );
  if (same) throw new Refusal(`Two columns are of ${same.metric?.label}: which dataset is each of?`, "table");
  const asked = columns.find(({ role }) => UNREAD.includes(role));
  if (asked) throw new Refusal(`This page does not read the column ${shorten(asked.heading)}.`, "table");
  const unread = [];
  for (const [place, column] of columns.entries()) {
    if (column.metric || column.role || (column.why && !column.adjusted)) continue;
    const cells = rows.map((row) => unmarked(row[place])).filter(Boolean);
    const found = RELATIONS.test(column.heading) ? cells[0] : cells.find((cell) => tellsTasks(catalogue, cell));
    if (found) {
      throw new Refusal(
        `Column ${shorten(column.heading)} says ${shorten(found)}: call it dataset, split, side or protocol, if it is one.`,
        "table",
      );
    }
    // The first column names the rows, whatever it is called.
    if (place && cells.length && !column.adjusted) unread.push(shorten(column.heading));
  }
  if (unread.length) notes.push(`Not read: ${unread.join(", ")}.`);
}

/** @param {Catalogue} catalogue @param {string} cell */
function tellsTasks(catalogue, cell) {
  const { splits, sides, protocols, datasets } = catalogue;
  const plain = squash(cell);
  const words = [...Object.keys(splits), ...Object.keys(sides), ...protocols.map(({ key }) => key)];
  const named = datasets.some(({ key, title, aliases }) =>
    [key, title, ...aliases].some((each) => squash(each) === plain),
  );
  return KINDS.test(cell) || words.some((word) => squash(word) === plain) || (plain !== "" && named);
}

/** What the end of a row's name may say about its tasks: "TransE (raw)", "TransE - valid". */
const ENDING = /[\s([_.,/:|–—-]([a-z]+)\W*$/i;

/** @param {Catalogue} catalogue @param {Table} table @param {string[]} row */
function refuseRow(catalogue, { columns }, row) {
  const missing = columns.find(({ role }, place) => role in READERS && !row[place].trim());
  if (missing) throw new Refusal(`its ${missing.role} is missing: write it into each row.`);
  const [, word = ""] = ENDING.exec(unmarked(row[columns.findIndex(({ role }) => role === "model")] ?? row[0])) ?? [];
  const { splits, sides } = catalogue;
  if (word.length > 1 && (findName(splits, word) || findName(sides, word) || /^(?:raw|unfilt\w*)$/i.test(word)))
    throw new Refusal(`its name may say ${word}: add a column split, side or protocol.`);
}

/**
 * Refuse a row of words where numbers should be: it may belong to the heading, or begin another part of the table.
 * @param {Table} table
 */
function refuseWords({ columns, rows, first }) {
  for (const [at, row] of rows.entries()) {
    const cells = row.filter((_, place) => columns[place].metric).map(unmarked);
    const words = cells.filter((cell) => !isMissing(cell) && !/^[^a-z]*\d/i.test(cell));
    const empty = cells.every((cell) => cell === "");
    if (empty || (words.length && words.length === cells.filter((cell) => !isMissing(cell)).length)) {
      throw new Refusal(
        `Row ${at + first} has no number${words.length ? `: '${shorten(words[0])}' is not a number` : ""}. If it belongs to ` +
          "the heading, or says what the rows below it are, add that as a column.",
        "table",
      );
    }
  }
}

/**
 * Columns of one metric, or of Hits@k, share their unit: shares without a sign are percentages if each row has one above
 * 1, and fractions if none has. Anything else is left open: the command line weighs more evidence.
 * @param {Table} table
 */
function tellUnits({ columns, rows, notes }) {
  const cellsAt = (/** @type {number} */ at) => rows.map((row) => row[at]);
  const familyOf = (/** @type {Column} */ { metric, heading }) =>
    (metric ? metric.slug.startsWith("hits@") : /hit|h@/i.test(heading)) ? "hits" : metric?.share ? metric.slug : "";
  for (const family of new Set(columns.map(familyOf).filter(Boolean))) {
    const own = columns.filter((column) => familyOf(column) === family);
    const places = own.map((column) => columns.indexOf(column));
    const numbersAt = (/** @type {number[]} */ chosen) =>
      rows.map((row) => chosen.flatMap((at) => readPlain(columns[at].metric, row[at]))).filter((each) => each.length);
    const [all, read] = [numbersAt(places), numbersAt(places.filter((at) => columns[at].metric))];
    if (!read.length) continue;
    const isPercent =
      read.every((each) => each.some((number) => number > 1)) && all.flat().every((each) => each <= 100);
    // A column that is not read may tell that they are none.
    const isFraction = all.flat().every((each) => each <= 1) && !own.some((column) => column.percent);
    const isMixed = places.some((at) => cellsAt(at).some((cell) => cell.includes("%")));
    for (const column of own.filter(({ metric }) => metric)) {
      if (isPercent && !isMixed) column.percent = true;
      else if (!isFraction || isMixed) {
        column.why = "fractions or percentages? Write the sign: 33.8%";
        column.metric = null;
      }
    }
  }
  const named = columns.filter((column) => column.metric && column.percent).map((column) => column.heading);
  if (named.length) notes.push(`Read as percentages: ${named.join(", ")}.`);
}

/** @param {Metric | null} metric null if it is not read @param {string} cell @returns {number[]} none if it has a sign */
function readPlain(metric, cell) {
  const [begun] = /\d*\.?\d+/.exec(cell) ?? [];
  if (cell.includes("%") || begun === undefined) return [];
  try {
    if (metric) return [readPublished(metric, unmarked(cell)).value];
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
  }
  // It is left out, and still tells the unit of the others.
  return [Number(begun)];
}

/**
 * Say why a first row names no metric.
 * @param {Column[]} columns
 * @param {string[][]} rows those below it
 * @param {(name: string) => boolean} isMetric
 * @param {string} likely what it looks like
 */
function explainHeading(columns, rows, isMetric, likely) {
  const seen = columns.map(({ heading }) => heading).filter(Boolean);
  const among = rows.filter((row) => row.some(isMetric));
  if (["metric", "value"].every((wanted) => columns.some(({ role }) => role === wanted)))
    return "This page does not read tables with a row for each number.";
  if (among.some((row) => row.filter(isMetric).length > 1 || !isMetric(row[0])))
    return "The heading of the table has several rows, and this page reads one.";
  if (among.length) return "Metrics are in the first column: this page reads those that are in the first row.";
  if (likely) return `This looks like ${likely}, which this page does not read.`;
  return `The first row names no metric such as MRR or Hits@10; it has ${seen.slice(0, 6).map(shorten).join(", ")}.`;
}

/**
 * @param {Catalogue} catalogue
 * @param {string} text
 * @param {{side: string, split: string}} asked
 * @returns {Table}
 */
export function readTable(catalogue, text, { side, split }) {
  if (text.length > MOST.characters)
    throw new Refusal(`The text has ${text.length} characters: too many for this page.`, "table");
  const kind = nameKind(text);
  if (kind) throw new Refusal(`This looks like ${kind}, which this page does not read.`, "table");
  const json = /^\s*[{[]/.test(text) ? parseJson(text) : null;
  const leaves = json === null ? null : listLeaves(catalogue, json);
  if (leaves) {
    const named = json instanceof Map ? json.get("dataset") : null;
    return tabulate(chooseNumbers(catalogue, leaves, side, split), typeof named === "string" ? named : "");
  }
  const isMetric = (/** @type {string} */ key) => readHeading(catalogue, key).metric !== null;
  const [heading, ...rows] = json ? flatten(catalogue, json, isMetric) : cut(text);
  if (/^(?:side,rank_?type|side,type),metric,value$/.test(heading.slice(-4).join().toLowerCase())) {
    const pairs = rows.map(
      (row) => /** @type {const} */ ([row.slice(-4, -1).join("."), new Written(row.at(-1) ?? "")]),
    );
    const found = new Map(pairs);
    if (heading.length > 4 || found.size < rows.length)
      throw new Refusal("The file has the results of several evaluations: paste those of one.", "table");
    return tabulate(chooseNumbers(catalogue, listLeaves(catalogue, found) ?? [], side, split));
  }
  if (heading.length > MOST.columns || rows.length > MOST.rows) {
    throw new Refusal(`The table has ${rows.length} rows of ${heading.length} cells: too many for this page.`, "table");
  }
  for (const cell of [heading, ...rows].flat()) checkLength(cell);
  const columns = heading.map((each) => readHeading(catalogue, each));
  if (!columns.some((column) => column.metric)) {
    throw new Refusal(
      json
        ? "This page finds no metric such as MRR or Hits@10 in the file."
        : explainHeading(columns, rows.slice(0, 4), isMetric, guessKind(text, true)),
      "table",
    );
  }
  if (!rows.length) throw new Refusal("The table has a heading and no rows.", "table");
  const uneven = rows.findIndex((row) => row.length !== heading.length);
  if (uneven >= 0) {
    throw new Refusal(`Row ${uneven + 2} has ${rows[uneven].length} cells and the heading ${heading.length}.`, "table");
  }
  for (const role of Object.keys(catalogue.roles)) {
    if (columns.filter((column) => column.role === role).length > 1)
      throw new Refusal(`Two columns are called ${role}.`, "table");
  }
  const first = json ? 1 : 2;
  const table = /** @type {Table} */ ({ columns, rows, notes: [], first, says: {}, exact: false, evidence: new Map() });
  if (columns.some(({ role }) => role === "dataset"))
    table.notes.push("Each row is of the dataset that it names, whatever the form says.");
  refuseUnclear(catalogue, table);
  if (!json) {
    refuseWords(table);
    // Of JSON, numbers are taken as they are: 53.3 is no Hits@10.
    tellUnits(table);
  }
  return table;
}

/**
 * A row for each number.
 * @param {import("./results.js").Results} results
 * @param {string} [dataset] the one that the file names
 * @returns {Table}
 */
function tabulate({ numbers, side, notes, evidence }, dataset = "") {
  const split = numbers.some((each) => each.split) ? ["split"] : [];
  const nothing = { metric: null, adjusted: null, role: "", says: {}, filtered: false, why: "", percent: false };
  const columns = /** @type {Column[]} */ ([
    ...split.map((role) => ({ ...nothing, heading: role, role })),
    { ...nothing, heading: "metric" },
    { ...nothing, heading: "value", each: numbers.map(({ metric }) => metric) },
  ]);
  const rows = numbers.map((each) => [...split.map(() => each.split), each.metric.label, each.text]);
  const says = { tool: "pykeen", ...(side ? { side } : {}), ...(dataset ? { dataset } : {}) };
  return { columns, rows, notes, first: 1, says, exact: true, evidence };
}

const MISSING = /^(?:[-–—−‐?×✗/.]?|--|---|n\/?a|n\.a\.|nan|oom|oot|none|null|tbd|tba)$/i;

/** @param {string} cell */
export const isMissing = (cell) => MISSING.test(cell.trim());

/**
 * What a row says about its tasks, over what was chosen for all of them.
 * @param {Catalogue} catalogue
 * @param {Table} table
 * @param {string[]} row
 * @param {Column} column
 * @param {import("./state.js").State} chosen
 */
export function stateOf(catalogue, table, row, { says, filtered }, chosen) {
  refuseRow(catalogue, table, row);
  const { columns } = table;
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
  for (const [field, text] of Object.entries(table.says)) say(/** @type {keyof typeof READERS} */ (field), text);
  columns.forEach(({ role }, at) => {
    const text = unmarked(row[at]);
    if (text && role in READERS) say(/** @type {keyof typeof READERS} */ (role), text);
  });
  if (filtered && said.protocol !== chosen.protocol)
    throw new Refusal("the heading says filtered, and the row names a protocol: leave out one of them.");
  for (const field of /** @type {const} */ (["split", "side"])) if (says[field]) say(field, says[field]);
  return said;
}

/** How the words of a column become keys. @satisfies {Record<string, (catalogue: Catalogue, text: string) => string | null>} */
const READERS = {
  dataset: (/** @type {Catalogue} */ catalogue, /** @type {string} */ text) => findDataset(catalogue, text).key,
  split: (/** @type {Catalogue} */ { splits }, /** @type {string} */ text) => findName(splits, text),
  side: (/** @type {Catalogue} */ { sides }, /** @type {string} */ text) => findName(sides, text),
  aggregation: (/** @type {Catalogue} */ { aggregations }, /** @type {string} */ text) =>
    findName(Object.fromEntries(aggregations.map(({ key }) => [key, []])), text),
  protocol: findProtocol,
  tool: (/** @type {Catalogue} */ { tools }, /** @type {string} */ text) =>
    findName(Object.fromEntries(tools.map(({ key, title }) => [key, [title]])), text),
};
