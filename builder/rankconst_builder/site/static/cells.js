// The cells of what is pasted, and the text around it: tabs, commas, pipes, and plain tabulars of LaTeX.

import { Refusal } from "./format.js";
import { shorten } from "./names.js";

const MOST = { characters: 200_000, rows: 500, columns: 40, cell: 1000, around: 5000 };

/** Refuse a table that the program may read. @param {string} message @returns {never} */
export function refuse(message) {
  throw new Refusal(message, "table", true);
}

/** The tables of a text. @param {string} text @returns {Grid[]} */
export function cutTables(text) {
  if (!text.trim()) throw new Refusal("Paste a table: cells of a spreadsheet, CSV, Markdown or LaTeX.", "table");
  if (text.length > MOST.characters) refuse(`The text has ${text.length} characters: too many for this page.`);
  if (/^\s*[{[<]|\0|\ufffd/.test(text)) refuse("This page reads cells of a spreadsheet, CSV, Markdown and LaTeX.");
  const grids = cutAny(text.replace(/\r\n?/g, "\n"));
  for (const { rows, around } of grids) {
    const width = rows[0].length;
    const uneven = rows.findIndex((cells) => cells.length !== width);
    if (rows.length > MOST.rows || width > MOST.columns)
      refuse(`The table has ${rows.length} rows of ${width} cells: too many for this page.`);
    if (uneven >= 0) refuse(`Row ${uneven + 1} has ${rows[uneven].length} cells and the heading ${width}.`);
    if (around.length > MOST.around) refuse("Paste the table without the text around it.");
  }
  return grids;
}

/** @param {string} text @returns {Grid[]} */
function cutAny(text) {
  if (text.includes("\\begin")) return cutPiped(pipeLatex(text));
  const [first] = text.trimStart().split("\n", 1);
  return first.includes("|") || /^\s*\|/m.test(text) ? cutPiped(text) : [cutDelimited(text)];
}

/** @param {string} written */
function checkCell(written) {
  if (written.length > MOST.cell) refuse(`A cell is too long for this page: ${shorten(written.trim())}`);
  return written;
}

/** @param {string} text @returns {Grid} */
function cutDelimited(text) {
  const [first] = text.trimStart().split("\n", 1);
  const separator = ["\t", ";", ","].find((sign) => first.includes(sign));
  if (!separator) return refuse("The first line has no separator: a comma, a tab, a semicolon or |.");
  const cell = new RegExp(` *"([^"]*(?:""[^"]*)*)" *(?=[${separator}\n]|$)|[^${separator}\n]*`, "y");
  const rows = [[""]];
  for (let at = 0; at <= text.length; at += 1) {
    cell.lastIndex = at;
    const [whole, quoted] = cell.exec(text) ?? [""];
    if (quoted === undefined && whole.includes('"')) refuse("A quotation mark is never closed, or text follows it.");
    const row = rows[rows.length - 1];
    row[row.length - 1] = checkCell((quoted?.replaceAll('""', '"') ?? whole).trim());
    at += whole.length;
    if (text[at] === separator) row.push("");
    else rows.push([""]);
  }
  return { rows: rows.filter((row) => row.some(Boolean)), around: "" };
}

/** Tables whose cells are apart by |, and the lines before and behind each. @param {string} text @returns {Grid[]} */
function cutPiped(text) {
  const grids = /** @type {Grid[]} */ ([]);
  let before = "";
  let isInside = false;
  for (const line of text.split("\n")) {
    const table = grids[grids.length - 1];
    if (!line.includes("|")) {
      before = isInside ? line : `${before}\n${line}`;
      if (table) table.around += `\n${line}`;
    } else if (!isInside) grids.push({ rows: [cutRow(line)], around: before });
    else if (!/^[\s|:-]*$/.test(line) || !line.includes("-")) table.rows.push(cutRow(line));
    isInside = line.includes("|");
  }
  return grids;
}

/** @param {string} line */
function cutRow(line) {
  const cells = line.trim().replace(/^\|/, "").replace(/(?<!\\)\|$/, "").split(/(?<!\\)\|/);
  return cells.map((cell) =>
    checkCell(cell)
      .replaceAll("\\|", "|")
      .replaceAll("$", "")
      .replace(/\[([^[\]]*)\]\([^()]*\)/g, "$1")
      .replace(/\*\*|__|`/g, "")
      .replace(/(?<![\w*])\*([^*]+)\*(?![\w*])/g, "$1")
      .trim(),
  );
}

// -- LaTeX: macros that are not known stay, and are then neither numbers nor names ------------------------------------

const TABULAR = /\\begin\{tabular\}\s{0,9}(?:\[[^\]]{0,9}\])?\{(?:[^{}]|\{[^{}]*\})*\}|\\end\{tabular\}/;
const LINE = /\\(?:toprule|midrule|bottomrule|hline|cmidrule|cline)(?:\([^()]*\)|\{[^{}]*\})*/g;
const GONE = /~?\\(?:cite[a-z]*|label|ref)\{[^{}]*\}|\\(?:bf|it|small|centering|uparrow|downarrow)(?![a-zA-Z])/g;
const SHOWN = /\\(?:text(?:bf|it|sc)|emph|underline|mathbf|multirow\{\d+\}\{[^{}]*\})\{([^{}]*)\}/g;
const GROUP = /(?<=[\s&]|^)\{([^{}]*)\}/g;
const SPAN = /\\multicolumn\{(\d{1,2})\}\{[^{}]*\}\{([^{}]*)\}/g;
const UNREAD = /\\(?:(?:re)?newcommand|def|input|begin\{(?:document|comment|longtable|tabular[*xy])\})/;

/** Plain tabulars with their cells apart by |. @param {string} text */
function pipeLatex(text) {
  const odd = UNREAD.exec(text);
  if (odd) refuse(`This page does not read ${odd[0]}: paste plain tabulars.`);
  const bare = text.replace(/(?<!\\)%.*/g, "");
  const borders = [...bare.matchAll(/\\(begin|end)\{tabular\}/g)].map(([, border]) => border).join(" ");
  const parts = bare.split(TABULAR);
  if (!/^begin end(?: begin end)*$/.test(borders) || parts.length !== borders.split(" ").length + 1)
    refuse("A tabular is never ended, or is within another one.");
  const clean = (/** @type {string} */ around) => around.replace(GONE, "").replace(/\\[a-zA-Z]+\*?|[|{}]/g, " ");
  return parts.map((part, n) => (n % 2 ? pipeRows(part) : clean(part))).join("\n");
}

/** @param {string} body of a tabular */
function pipeRows(body) {
  const rows = body.replace(LINE, "").replace(/\n/g, " ").split(/\\\\(?:\[[^\]]{0,40}\])?/);
  const filled = rows.filter((row) => row.trim());
  return filled.map((row) => `|${printRow(row).replace(/(?<!\\)&/g, "|").replace(/\\([%&_#])/g, "$1")}|`).join("\n");
}

/** What a row prints, its cells apart by &. @param {string} row */
function printRow(row) {
  let printed = row.replace(GONE, "").replaceAll("|", "\\|").replace(/[$~]/g, " ");
  for (const _ of ["{\\bf", "\\textbf{", "\\underline{"]) printed = printed.replace(SHOWN, "$1").replace(GROUP, "$1");
  // A cell that spans several columns is in each of them.
  const repeat = (/** @type {string} */ _, /** @type {string} */ width, /** @type {string} */ shown) =>
    Array(Number(width)).fill(shown).join(" & ");
  return printed.replace(/\\pm(?![a-zA-Z])/g, "±").replace(SPAN, repeat);
}
