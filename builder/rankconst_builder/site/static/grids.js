// The cells of a pasted table: CSV and the like, Markdown, or LaTeX; and the text around it.

import { rankconst } from "./dom.js";
import { Refusal } from "./format.js";
import { get, shorten } from "./names.js";

const MOST = { rows: 500, columns: 40, characters: 1_000_000, cell: 1000, around: 20_000 };

/** @param {string} message @param {boolean} [elsewhere] @returns {never} */
export function refuse(message, elsewhere = true) {
  throw new Refusal(message, "table", elsewhere);
}

/** @param {string} text @returns {Grid} */
export function cut(text) {
  if (!text.trim()) refuse("Paste a table: CSV, Markdown, LaTeX, or cells copied from a spreadsheet.", false);
  if (text.length > MOST.characters) refuse(`The text has ${text.length} characters: too many for this page.`);
  if (/^\s*[{[<]|^PK\u0003|\0|\ufffd/.test(text)) refuse("This page reads CSV, Markdown and LaTeX.");
  const plain = text.replace(/\r\n?/g, "\n");
  const grid = plain.includes("\\begin") ? cutLatex(plain) : (cutMarkdown(plain) ?? cutDelimited(plain));
  const width = Math.max(...grid.rows.map(({ cells }) => cells.length));
  if (grid.rows.length > MOST.rows || width > MOST.columns)
    refuse(`The table has ${grid.rows.length} rows of up to ${width} cells: too many for this page.`);
  grid.rows.forEach(({ cells }) => cells.forEach(checkLength));
  if (grid.around.length > MOST.around) refuse("Paste the table without the text around it.");
  return grid;
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
  return { rows: filled.map((cells) => ({ cells })), around: "", printed: false };
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

/** @param {string} text @returns {Grid | null} null if there is no such table */
function cutMarkdown(text) {
  const lines = text.split("\n");
  const rules = lines.flatMap((line, at) =>
    at && line.includes("|") && lines[at - 1].includes("|") && RULE.test(line) ? [at] : [],
  );
  if (!rules.length) return null;
  if (rules.length > 1 || /^ {0,3}(?:```|~~~)|<!--/m.test(text))
    refuse("Paste one table, and nothing else that is set apart.");
  const first = rules[0] - 1;
  const after = lines.findIndex((line, at) => at > first && !line.includes("|"));
  const end = after < 0 ? lines.length : after;
  const rows = [lines[first], ...lines.slice(first + 2, end)].map((line) => ({ cells: cutPipes(line) }));
  const width = rows[0].cells.length;
  for (const { cells } of rows) while (cells.length > width && !cells[cells.length - 1]) cells.pop();
  return { rows, around: [...lines.slice(0, first), ...lines.slice(end)].join("\n"), printed: true };
}

// -- LaTeX ------------------------------------------------------------------------------------------------------------

/** Behind an argument that may follow options; -1 if there is none. @param {string} text @param {number} start */
function skipArgument(text, start) {
  const [blank] = /^(?:\s*\[[^\][]{0,500}\])*\s*/.exec(text.slice(start, start + 2000)) ?? [""];
  let depth = 0;
  for (let at = start + blank.length; at < text.length; at += 1) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === "{") depth += 1;
    else if (text[at] === "}") depth -= 1;
    if (depth <= 0) return depth === 0 && text[at] === "}" ? at + 1 : -1;
  }
  return -1;
}

/** @param {string} text @returns {Grid} */
function cutLatex(text) {
  const bare = text.replace(/(?<!\\)((?:\\\\)*)%[^\n]*/g, "$1");
  const odd = /\\(?:iffalse|(?:re)?newcommand|def|input|begin\{comment\}|begin\{document\})/.exec(bare);
  if (odd) refuse(`This page does not read ${odd[0]}: paste one table.`);
  const { environments } = /** @type {Words} */ (rankconst.words);
  const begins = [...bare.matchAll(/\\begin\s*\{([^{}]{1,20})\}/g)].filter(([, name]) => get(environments, name));
  if (begins.length !== 1)
    refuse(`The text has ${begins.length || "no"} tabular${begins.length ? "s: paste one" : ""}.`);
  const [{ index, 0: opening, 1: name }] = begins;
  let start = index + opening.length;
  for (let n = 0; n < environments[name] && start >= 0; n += 1) start = skipArgument(bare, start);
  if (start < 0) refuse(`\\begin{${name}} lacks its columns.`);
  const end = bare.indexOf(`\\end{${name}}`, start);
  if (end < 0) refuse(`\\begin{${name}} is never ended.`, false);
  const around = `${bare.slice(0, index)}\n${bare.slice(end + name.length + 6)}`
    .replace(/\\(?:label|ref|cite\w*|begin|end)\s*(?:\{[^{}]*\}|\[[^\][]*\])*/g, " ")
    .replace(/\\[a-zA-Z]+\*?|[{}]/g, " ");
  return { rows: cutRows(bare.slice(start, end)), around, printed: true };
}

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
  return spanRows(rows.filter((row) => row.length > 1 || row[0].trim()));
}

/** Put cells that span several columns or rows where they belong. @param {string[][]} rows @returns {Row[]} */
function spanRows(rows) {
  const hanging = /** @type {{left: number, text: string}[]} */ ([]);
  return rows.map((row) => {
    const cells = /** @type {string[]} */ ([]);
    const spans = /** @type {Map<number, number>} */ (new Map());
    for (const written of row) {
      checkLength(written);
      const width = Number(/\\multicolumn\s*\{\s*(\d{1,3})\s*\}/.exec(written)?.[1] ?? 1);
      const height = Number(/\\multirow\s*(?:\[[^\]]{0,40}\]\s*)?\{\s*(-?\d{1,4})\s*\}/.exec(written)?.[1] ?? 1);
      const place = cells.length;
      if (height < 1 || place + width > MOST.columns + 1) refuse("A cell spans more than this page reads.");
      if (width > 1) spans.set(place, width);
      const text = stripLatex(written);
      const above = hanging[place];
      hanging[place] = text || !above?.left ? { left: height - 1, text } : { ...above, left: above.left - 1 };
      cells.push(text || !above?.left ? text : above.text, ...Array(Math.max(width - 1, 0)).fill(""));
    }
    return { cells, spans };
  });
}

const OPTIONS = String.raw`\s*(?:\[[^\][{}]*\]\s*)*`;
const MACRO = new RegExp(
  String.raw`\\([a-zA-Z]+)(?![a-zA-Z])\*?((?:${OPTIONS}(?:\{[^{}]*\}|\*))*)(?!${OPTIONS}[*{])[ \t]*`,
  "g",
);
const STRUCK = /^(?:sout|st|xout)$/;
const ESCAPED = /** @type {Record<string, string>} */ ({
  ...{ "\\": " ", ",": "", ";": " ", ":": " ", "!": "", "-": "", "/": "", "(": "", ")": "", "{": "｛", "}": "｝" },
});

/** What a cell prints: macros give way from the innermost braces outwards. @param {string} text */
function stripLatex(text) {
  const { symbols, dropped, last } = /** @type {Words} */ (rankconst.words).macros;
  const print = (/** @type {string} */ _, /** @type {string} */ macro, /** @type {string} */ given) => {
    const found = [...given.matchAll(/\{([^{}]*)\}|\*/g)].map(([sign, inner]) => inner ?? sign);
    const gone = get(dropped, macro);
    if (gone !== undefined) return found.slice(gone).join("");
    const printed = found.slice((get(last, macro) ?? 1) - 1).join(" ");
    if (macro === "textsuperscript") return `^{${printed}}`;
    if (get(last, macro) && !STRUCK.test(macro)) return printed;
    return found.length && !STRUCK.test(macro) ? ` ${printed} ` : ` ${macro} ${printed}`;
  };
  let printed = text
    .replace(/\\([^a-zA-Z])/g, (_, sign) => ESCAPED[sign] ?? sign)
    .replace(/\\([a-zA-Z]+)[ \t]*/g, (whole, macro) => get(symbols, macro) ?? whole)
    .replace(/[$~]/g, (sign) => (sign === "~" ? " " : ""));
  for (let before = ""; before !== printed; ) {
    before = printed;
    printed = printed.replace(MACRO, print);
    if (printed !== before) continue;
    printed = printed.replace(/([\^_]?)(?<![a-zA-Z*\]}])\{([^{}]*)\}/, (_, raised, inner) =>
      inner.trim().startsWith("±") ? ` ${inner.trim()}` : raised === "^" ? `^⟨${inner}⟩` : `${raised}${inner}`,
    );
  }
  const scripts = printed.replace(/\^([^\s⟨])/g, "^⟨$1⟩").replaceAll("⟨", "{").replaceAll("⟩", "}");
  return scripts.replace(/\s+/g, " ").trim();
}
