// The cells of a pasted table: CSV and the like, Markdown, or LaTeX; and the text around it.

import { Refusal } from "./format.js";
import { get, shorten } from "./names.js";

const MOST = { rows: 500, columns: 40, characters: 1_000_000, cell: 1000, around: 20_000 };

/** @param {string} message @param {boolean} [elsewhere] @returns {never} */
export function refuse(message, elsewhere = true) {
  throw new Refusal(message, "table", elsewhere);
}

/** The tables of a text. @param {string} text @returns {Grid[]} */
export function cut(text) {
  if (!text.trim()) refuse("Paste a table: CSV, Markdown, LaTeX, or cells copied from a spreadsheet.", false);
  if (text.length > MOST.characters) refuse(`The text has ${text.length} characters: too many for this page.`);
  if (/^\s*[{[<]|^PK\u0003|\0|\ufffd/.test(text)) refuse("This page reads CSV, Markdown and LaTeX.");
  const plain = text.replace(/\r\n?/g, "\n");
  const grids = plain.includes("\\begin") ? cutLatex(plain) : (cutMarkdown(plain) ?? [cutDelimited(plain)]);
  for (const { rows, near, far } of grids) {
    const width = Math.max(...rows.map(({ cells }) => cells.length));
    if (rows.length > MOST.rows || width > MOST.columns)
      refuse(`The table has ${rows.length} rows of up to ${width} cells: too many for this page.`);
    rows.forEach(({ cells }) => cells.forEach(checkLength));
    if (near.length + far.length > MOST.around) refuse("Paste the table without the text around it.");
  }
  return grids;
}

/** @param {string} cell */
function checkLength(cell) {
  if (cell.length > MOST.cell)
    refuse(`A cell has ${cell.length} characters: too many for this page: ${shorten(cell.trim())}`);
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
    row[row.length - 1] = (quoted?.replaceAll('""', '"') ?? whole).trim();
    at += whole.length;
    if (text[at] === separator) row.push("");
    else rows.push([""]);
  }
  const filled = rows.filter((row) => row.some(Boolean));
  const uneven = filled.findIndex((row) => row.length !== filled[0].length);
  if (uneven > 0) refuse(`Row ${uneven + 1} has ${filled[uneven].length} cells and the first has ${filled[0].length}.`);
  return { rows: filled.map((cells) => ({ cells })), near: "", far: "", printed: false };
}

// -- Markdown ---------------------------------------------------------------------------------------------------------

/** @param {string} text */
const cleanMarkdown = (text) =>
  text
    .replace(/\$[^$]*\$/g, (math) => stripLatex(math))
    .replace(/\[([^[\]]*)\]\([^()]*\)/g, "$1")
    .replace(/<\/?[a-z][^<>]*>/gi, " ")
    .replace(/(\*{1,3}|__|`)(\S(?:[^*`]*\S)?)\1/g, "$2")
    .trim();

/** @param {string} line */
function cutPipes(line) {
  const [start, end] = [/^\s*\|/, /(?<!\\)\|\s*$/];
  const cells = line.replace(start, "").replace(end, "").split(/(?<!\\)\|/);
  cells.forEach(checkLength);
  return cells.map((cell) => cleanMarkdown(cell.replaceAll("\\|", "|")));
}

const RULE = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;

/** @param {string} text @returns {Grid[] | null} null if there is no such table */
function cutMarkdown(text) {
  const lines = text.split("\n");
  const rules = lines.flatMap((line, at) =>
    at && line.includes("|") && lines[at - 1].includes("|") && RULE.test(line) ? [at] : [],
  );
  if (!rules.length) return null;
  if (/^ {0,3}(?:```|~~~)|<!--/m.test(text)) refuse("Paste tables, and nothing else that is set apart.");
  const spans = rules.map((rule) => {
    const after = lines.findIndex((line, at) => at > rule && !line.includes("|"));
    return { first: rule - 1, end: after < 0 ? lines.length : after };
  });
  if (spans.some(({ first }, n) => n && first < spans[n - 1].end)) refuse("Two tables here are not set apart.");
  const between = [0, ...spans.map(({ end }) => end)].map((from, n) => lines.slice(from, spans[n]?.first));
  return spans.map(({ first, end }, n) => {
    const rows = [lines[first], ...lines.slice(first + 2, end)].map((line) => ({ cells: cutPipes(line) }));
    const width = rows[0].cells.length;
    for (const { cells } of rows) while (cells.length > width && !cells[cells.length - 1]) cells.pop();
    const blank = between[n + 1].findIndex((line) => !line.trim());
    const note = n + 1 < spans.length && blank >= 0 ? between[n + 1].slice(0, blank) : between[n + 1];
    return { rows, near: [...between[n], ...note].join("\n"), far: between.flat().join("\n"), printed: true };
  });
}

// -- LaTeX: what it does not know stays as it is written, and is then neither a number nor a name ----------------------

const ARGUMENT = String.raw`\s{0,20}\{(?:[^{}]|\{[^{}]*\})*\}`;
const BEGIN = new RegExp(
  String.raw`\\begin\s{0,20}\{(?:(?:tabular|longtable)\}(?:\s*\[[^\][]{0,20}\])?|tabular[*xy]\}${ARGUMENT})${ARGUMENT}`,
  "g",
);
const END = /\\end\s{0,20}\{(?:tabular[*xy]?|longtable)\}/g;

/** @param {string} text @returns {Grid[]} */
function cutLatex(text) {
  const bare = text.replace(/(?<!\\)((?:\\\\)*)%[^\n]*/g, "$1");
  const odd = /\\(?:if[a-z]*|(?:re)?newcommand|def|input|begin\{comment\}|begin\{document\})(?![a-z])/.exec(bare);
  if (odd) refuse(`This page does not read ${odd[0]}: paste one table.`);
  const [begins, ends] = [[...bare.matchAll(BEGIN)], [...bare.matchAll(END)]];
  if (!begins.length) refuse("The text has no tabular with its columns.");
  if (ends.length !== begins.length || begins.some(({ index }, n) => n && index < ends[n - 1].index))
    refuse("A tabular is never ended, or is within another one.", false);
  const between = [0, ...ends.map(({ index, 0: whole }) => index + whole.length)].map((from, n) =>
    bare.slice(from, begins[n]?.index),
  );
  return begins.map(({ index, 0: opening }, n) => {
    const above = between[n].split(/\\end\s*\{table\*?\}/).pop() ?? "";
    const [below] = between[n + 1].split(/\\end\s*\{table\*?\}/);
    const rows = cutRows(bare.slice(index + opening.length, ends[n].index));
    return { rows, near: cleanText(`${above}\n${below}`), far: cleanText(between.join("\n")), printed: true };
  });
}

/** @param {string} text */
const cleanText = (text) =>
  text
    .replace(/\\(?:label|ref|cite\w*|begin|end)\s*(?:\{[^{}]*\}|\[[^\][]*\])*/g, " ")
    .replace(/\\[a-zA-Z]+\*?|[{}]/g, " ");

const LINE = "line|rule|rules|space|color|noalign|head|foot|centering|small|footnotesize";
const GIVEN = String.raw`(?:\([^()]{0,40}\)|\[[^\][]{0,200}\]|\{[^{}]{0,200}\})*`;
const LINES = new RegExp(String.raw`^\s*\\[a-zA-Z]*(?:${LINE})\*?(?![a-zA-Z])${GIVEN}`);
const BREAK = /\\\\\*?(?:[ \t]*\[[^\]\n]{0,40}\])?|\\tabularnewline(?![a-zA-Z])|\\.|[{}&]/gs;

/** @param {string} body @returns {Row[]} */
function cutRows(body) {
  const rows = [[""]];
  let [depth, last] = [0, 0];
  for (const found of [...body.matchAll(BREAK), { 0: "&", index: body.length }]) {
    const sign = found[0];
    depth += Number(sign === "{") - Number(sign === "}");
    if (depth < 0) refuse("In this table, a } closes nothing.");
    if (depth || !/^(?:&|\\\\|\\tabularnewline)/.test(sign)) continue;
    const row = rows[rows.length - 1];
    row[row.length - 1] = body.slice(last, found.index);
    last = found.index + sign.length;
    if (sign !== "&") rows.push([""]);
    else if (last <= body.length) row.push("");
  }
  if (depth) refuse("In this table, a { is never closed.");
  for (const row of rows) for (let line; (line = LINES.exec(row[0])); ) row[0] = row[0].slice(line[0].length);
  return rows.filter((row) => row.length > 1 || row[0].trim()).map(spanCells);
}

/** Put the cells of a row where they belong, if some span several columns. @param {string[]} row @returns {Row} */
function spanCells(row) {
  const cells = /** @type {string[]} */ ([]);
  const spans = /** @type {Map<number, number>} */ (new Map());
  for (const written of row) {
    checkLength(written);
    const width = Number(/\\multicolumn\s*\{\s*(\d{1,3})\s*\}/.exec(written)?.[1] ?? 1);
    if (cells.length + width > MOST.columns + 1) refuse("A cell spans more than this page reads.");
    if (width > 1) spans.set(cells.length, width);
    cells.push(stripLatex(written), ...Array(Math.max(width - 1, 0)).fill(""));
  }
  return { cells, spans };
}

const GONE = /~?\\(?:cite[a-z]*|label|ref)\s*(?:\[[^\][]*\]\s*)*\{[^{}]*\}/g;
const FONT =
  /\\(?:bf|it|em|tt|sc|rm|bfseries|itshape|small|footnotesize|scriptsize|tiny|centering|boldmath)(?![a-zA-Z])\s*/g;
const SHOWN = new RegExp(
  String.raw`\\(?:text(?:bf|it|tt|sc|rm)?|emph|underline|math(?:bf|rm|it)|bm|boldsymbol|mbox|makecell` +
    String.raw`|multicolumn\s*\{\s*\d+\s*\}\s*\{[^{}]*\}|multirow\s*(?:\[[^\][]*\]\s*)?\{[^{}]*\}\s*(?:\{[^{}]*\}|\*))` +
    String.raw`\s*\{([^{}]*)\}`,
  "g",
);
const SIGNS = /** @type {Record<string, string>} */ ({
  ...{ pm: "±", uparrow: "↑", downarrow: "↓", times: "×", dagger: "†", ddagger: "‡", ast: "*", star: "*", Delta: "Δ" },
});

/** What a cell prints. @param {string} text */
function stripLatex(text) {
  let printed = text
    .replace(/\\([%&_#$])/g, (_, sign) => (sign === "$" ? "" : sign))
    .replace(/\\[,!/-]/g, "")
    .replace(/\\[;: ]/g, " ")
    .replace(GONE, "")
    .replace(FONT, "")
    .replace(/\\([a-zA-Z]+)(?![a-zA-Z{[])\s*/g, (whole, macro) => get(SIGNS, macro) ?? whole)
    .replace(/\{,\}/g, ",")
    .replace(/\{\}|\$/g, "")
    .replace(/~/g, " ");
  for (let before = ""; before !== printed; ) {
    before = printed;
    printed = printed.replace(SHOWN, "$1").replace(/(?<![\^_\w\]}*\\])\{([^{}]*)\}/g, "$1");
  }
  return printed.replace(/_\{\s*(±[^{}]*)\}/g, " $1").replace(/\^([^\s{])/g, "^{$1}").replace(/\s+/g, " ").trim();
}
