// The cells of a pasted table: CSV and the like, Markdown, or LaTeX; and the texts around it.

import { rankconst } from "./dom.js";
import { Refusal } from "./format.js";
import { get, shorten } from "./names.js";
import { readLabel } from "./words.js";

/** @typedef {import("./words.js").Text} Text */
/** @typedef {import("./words.js").Words} Words */
/** @typedef {{cells: string[], spans: Map<number, number> | null}} Row spans: null if the format cannot say */
/** @typedef {{rows: Row[], texts: Text[], printed: boolean}} Grid printed: a cell may stand for those below */

const MOST = { rows: 500, columns: 40, characters: 1_000_000, cell: 1000, around: 20_000 };

/** @param {string} message @param {boolean} [elsewhere] @returns {never} */
function refuse(message, elsewhere = true) {
  throw new Refusal(message, "table", elsewhere);
}

/** @param {string} text @param {string} place @param {boolean} [far] @returns {Text} */
const say = (text, place, far = false) => ({ label: readLabel(text), scope: "text", place, far });

/** @param {string} text @returns {Grid} */
export function cut(text) {
  if (!text.trim()) refuse("Paste a table: CSV, Markdown, LaTeX, or cells copied from a spreadsheet.", false);
  if (text.length > MOST.characters) refuse(`The text has ${text.length} characters: too many for this page.`);
  if (/^\s*[{[<]|^PK\u0003|\0|\ufffd/.test(text)) refuse("This page reads CSV, Markdown and LaTeX.");
  const grid = text.includes("\\begin") ? cutLatex(text) : (cutMarkdown(text) ?? cutDelimited(text));
  const width = Math.max(...grid.rows.map(({ cells }) => cells.length));
  if (grid.rows.length > MOST.rows || width > MOST.columns)
    refuse(`The table has ${grid.rows.length} rows of up to ${width} cells: too many for this page.`);
  const long = grid.rows.flatMap(({ cells }) => cells).find((cell) => cell.length > MOST.cell);
  if (long !== undefined)
    refuse(`A cell has ${long.length} characters: too many for this page: ${shorten(long.trim())}`);
  return grid;
}

// -- delimited --------------------------------------------------------------------------------------------------------

/** @param {string} text @returns {Grid} */
function cutDelimited(text) {
  const [first] = text.trimStart().split("\n", 1);
  const separator = ["\t", ";", ","].find((sign) => first.includes(sign));
  if (!separator) return refuse("The first line has no separator: a comma, a tab, a semicolon or |.");
  const rows = [[""]];
  let [quoted, closed, fresh] = [false, false, true];
  for (const [found] of text.matchAll(new RegExp(`"|${separator}|\r?\n|[^"\r\n${separator}]+|\r`, "g"))) {
    const row = rows[rows.length - 1];
    const ends = !quoted && (found === separator || /\n/.test(found));
    const opens = found === '"' && !quoted && (closed || fresh);
    if (closed && !opens && !ends && found.trim()) refuse("Text follows a closing quotation mark.");
    if (ends && found === separator) row.push("");
    else if (ends) rows.push([""]);
    else if (found !== '"' || (closed && opens) || (!quoted && !opens)) row[row.length - 1] += found;
    closed = found === '"' && quoted;
    if (found === '"' && (quoted || opens)) quoted = !quoted;
    fresh = ends || (fresh && !opens && !found.trim());
  }
  if (quoted) refuse("A quotation mark is never closed.", false);
  const filled = rows.map((row) => row.map((cell) => cell.trim())).filter((row) => row.some(Boolean));
  const uneven = filled.findIndex((row) => row.length !== filled[0].length);
  if (uneven > 0) refuse(`Row ${uneven + 1} has ${filled[uneven].length} cells and the first has ${filled[0].length}.`);
  return { rows: filled.map((cells) => ({ cells, spans: null })), texts: [], printed: false };
}

// -- Markdown ---------------------------------------------------------------------------------------------------------

/** @param {string} line @returns {string[]} */
function cutPipes(line) {
  const inner = line
    .trim()
    .replace(/^\|/, "")
    .replace(/(?<!\\)\|$/, "");
  return inner.split(/(?<!\\)\|/).map((cell) => cleanMarkdown(cell.replaceAll("\\|", "|")));
}

/** @param {string} text */
function cleanMarkdown(text) {
  const bare = text.replace(/\$[^$]*\$/g, (math) => stripLatex(math)).replace(/<br\s*\/?>/gi, " ");
  return bare
    .replace(/\[([^[\]]*)\]\([^()]*\)/g, "$1")
    .replace(/<\/?[a-z][^<>]*>/gi, "")
    .replace(/(\*{1,3}|__|`)(\S(?:[^*`]*\S)?)\1/g, "$2")
    .trim();
}

/** @param {string} line */
const isRule = (line) =>
  line.includes("|") && /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/.test(line);

/** @param {string} text @returns {Grid | null} null if there is no such table */
function cutMarkdown(text) {
  const lines = text.split(/\r\n|\r|\n/);
  const rules = lines.flatMap((line, at) => (at && isRule(line) && lines[at - 1].includes("|") ? [at] : []));
  if (!rules.length) return null;
  if (rules.length > 1 || /^ {0,3}(?:```|~~~)|<!--/m.test(text))
    refuse("Paste one table, and nothing else that is set apart.");
  const first = rules[0] - 1;
  const after = lines.findIndex((line, at) => at > first && !line.includes("|"));
  const end = after < 0 ? lines.length : after;
  const rows = [lines[first], ...lines.slice(first + 2, end)].map((line) => ({ cells: cutPipes(line), spans: null }));
  const width = rows[0].cells.length;
  for (const { cells } of rows) while (cells.length > width && !cells[cells.length - 1]) cells.pop();
  const around = text.length - lines.slice(first, end).join(" ").length;
  if (around > MOST.around) refuse("Paste the table without the text around it.");
  const above = lines
    .slice(0, first)
    .join("\n")
    .split(/\n\s*\n/)
    .filter((part) => part.trim());
  const heading = above.filter((part) => /^\s{0,3}#/.test(part)).pop() ?? "";
  const paragraph =
    above.filter((part) => !/^\s{0,3}#/.test(part) && above.indexOf(part) > above.indexOf(heading)).pop() ?? "";
  const others = above.filter((part) => part !== heading && part !== paragraph);
  const texts = [
    say(cleanMarkdown(paragraph), "the text above"),
    ...[...others, lines.slice(end).join("\n")].map((part) =>
      say(cleanMarkdown(part), "the text around the table", true),
    ),
    say(cleanMarkdown(heading.replace(/^\s*#+/, "")), "the heading above"),
  ];
  return { rows, texts, printed: true };
}

// -- LaTeX ------------------------------------------------------------------------------------------------------------

/** Behind the brace that closes what opens there; -1 if none does. @param {string} text @param {number} start */
function closeBrace(text, start) {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === "{") depth += 1;
    else if (text[at] === "}" && (depth -= 1) === 0) return at + 1;
  }
  return -1;
}

/**
 * An argument, behind options: its text and its end.
 * @param {string} text
 * @param {number} start
 * @returns {[string, number] | null}
 */
function readArgument(text, start) {
  const [blank] = /^(?:\s*\[[^\][]{0,500}\])*\s*/.exec(text.slice(start, start + 2000)) ?? [""];
  const open = start + blank.length;
  const end = text[open] === "{" ? closeBrace(text, open) : -1;
  return end < 0 ? null : [text.slice(open + 1, end - 1), end];
}

/** @param {string} text @returns {Grid} */
function cutLatex(text) {
  const bare = text.replace(/(?<!\\)((?:\\\\)*)%[^\n\r]*/g, "$1");
  const odd = /\\(?:iffalse|(?:re)?newcommand|def|input|begin\{comment\}|begin\{document\})/.exec(bare);
  if (odd) refuse(`This page does not read ${odd[0]}: paste one table.`);
  const { environments } = /** @type {Words} */ (rankconst.words);
  const begins = [...bare.matchAll(/\\begin\s*\{([^{}]{1,20})\}/g)].filter(([, name]) => get(environments, name));
  if (begins.length !== 1)
    refuse(`The text has ${begins.length || "no"} tabular${begins.length ? "s: paste one" : ""}.`);
  const [{ index, 0: opening, 1: name }] = begins;
  let start = index + opening.length;
  for (let n = 0; n < environments[name]; n += 1)
    start = readArgument(bare, start)?.[1] ?? refuse(`\\begin{${name}} lacks its columns.`);
  const end = bare.indexOf(`\\end{${name}}`, start);
  if (end < 0) refuse(`\\begin{${name}} is never ended.`, false);
  const around = `${bare.slice(0, index)}\n${bare.slice(end + name.length + 6)}`;
  if (around.length > MOST.around) refuse("Paste the table without the text around it.");
  const captions = [...around.matchAll(/\\(?:sub)?caption(?:of\s*\{[^{}]*\})?\*?(?![a-zA-Z])/g)].map(
    (found) => readArgument(around, found.index + found[0].length)?.[0] ?? "",
  );
  const rest = captions.reduce((left, caption) => left.replace(caption, ""), around);
  const said = rest
    .replace(/\\(?:label|ref|cite\w*|begin|end)\s*(?:\{[^{}]*\}|\[[^\][]*\])*/g, " ")
    .replace(/\\[a-zA-Z]+\*?/g, " ");
  const texts = captions.map((caption) => say(stripLatex(caption), "the caption"));
  return {
    rows: cutRows(bare.slice(start, end)),
    texts: [...texts, say(said, "the text around the table", true)],
    printed: true,
  };
}

const RULE = "line|rule|rules|space|color|noalign|head|foot|centering|small|footnotesize";
const GIVEN = String.raw`(?:\([^()]{0,40}\)|\[[^\][]{0,200}\]|\{[^{}]{0,200}\})*`;
const RULES = new RegExp(String.raw`^\s*\\[a-zA-Z]*(?:${RULE})\*?(?![a-zA-Z])${GIVEN}`);
const BREAK = /\\\\\*?(?:[ \t]*\[[^\]\n]{0,40}\])?|\\tabularnewline(?![a-zA-Z])|\\.|[{}&]/gs;

/** @param {string} body @returns {Row[]} */
function cutRows(body) {
  const rows = [[""]];
  let [depth, last] = [0, 0];
  for (const found of body.matchAll(BREAK)) {
    const [sign] = found;
    depth += Number(sign === "{") - Number(sign === "}");
    if (depth < 0) refuse("In this table, a } closes nothing.");
    if (depth || !/^(?:&|\\\\|\\tabularnewline)/.test(sign)) continue;
    const row = rows[rows.length - 1];
    row[row.length - 1] = body.slice(last, found.index);
    last = found.index + sign.length;
    if (sign === "&") row.push("");
    else rows.push([""]);
  }
  const row = rows[rows.length - 1];
  row[row.length - 1] = body.slice(last);
  if (depth) refuse("In this table, a { is never closed.");
  for (const each of rows)
    for (let found = RULES.exec(each[0]); found; found = RULES.exec(each[0])) each[0] = each[0].slice(found[0].length);
  return spanRows(rows.filter((each) => each.length > 1 || each[0].trim()));
}

/** Put cells that span several columns or rows where they belong. @param {string[][]} rows @returns {Row[]} */
function spanRows(rows) {
  const placed = rows.map((row) => {
    const [cells, heights] = /** @type {[string[], number[]]} */ ([[], []]);
    const spans = /** @type {Map<number, number>} */ (new Map());
    for (const written of row) {
      const width = Number(/\\multicolumn\s*\{\s*(\d{1,3})\s*\}/.exec(written)?.[1] ?? 1);
      heights[cells.length] = Number(
        /\\multirow\s*(?:\[[^\]]{0,40}\]\s*)?\{\s*(-?\d{1,4})\s*\}/.exec(written)?.[1] ?? 1,
      );
      if (heights[cells.length] < 1 || cells.length + width > MOST.columns + 1)
        refuse("A cell spans more than this page reads.");
      if (width > 1) spans.set(cells.length, width);
      cells.push(stripLatex(written), ...Array(Math.max(width - 1, 0)).fill(""));
    }
    return { cells, spans, heights };
  });
  for (const [at, { cells, heights }] of placed.entries()) {
    for (const [j, height] of heights.entries()) {
      for (const below of placed.slice(at + 1, at + (height ?? 1))) {
        if (j >= below.cells.length || below.cells[j]) break;
        below.cells[j] = cells[j];
      }
    }
  }
  return placed;
}

const ESCAPED = /** @type {Record<string, string>} */ ({
  ...{ "\\": " ", ",": "", ";": " ", ":": " ", "!": "", "-": "", "/": "", "(": "", ")": "" },
});
const STRUCK = ["sout", "st", "xout"];
const PIECE = /\\([a-zA-Z]+)\*?[ \t]*|\\([^])|[{}^_~$]|[^\\{}^_$~]+/y;

/** What a cell prints. @param {string} text @param {number} [depth] @returns {string} */
function stripLatex(text, depth = 0) {
  if (depth > 20 || text.length > 10_000) return text;
  const { symbols, dropped, last } = /** @type {Words} */ (rankconst.words).macros;
  let [printed, at] = ["", 0];
  /** @param {number} count @returns {string[]} */
  const take = (count) => {
    const found = [];
    for (let got = readArgument(text, at); found.length < count; got = readArgument(text, at)) {
      if (text[at] === "*" && count > 1) got = ["*", at + 1];
      if (!got) break;
      found.push(got[0]);
      at = got[1];
    }
    return found;
  };
  while (at < text.length) {
    PIECE.lastIndex = at;
    const [piece, macro, escaped] = PIECE.exec(text) ?? [text[at]];
    at += piece.length;
    if (escaped !== undefined) printed += ESCAPED[escaped] ?? escaped;
    else if (macro === undefined && piece === "{") {
      const end = closeBrace(text, at - 1);
      if (end < 0) continue;
      printed += stripLatex(text.slice(at, end - 1), depth + 1);
      at = end;
    } else if (macro === undefined && (piece === "^" || piece === "_")) {
      const [script] = take(1);
      const put = stripLatex(script ?? text[at] ?? "", depth + 1).trim();
      if (script === undefined && text[at] === "\\") return text;
      at += script === undefined ? 1 : 0;
      printed += put.startsWith("±") ? ` ${put}` : piece === "^" ? `^{${put}}` : `_${put}`;
    } else if (macro === undefined) printed += piece === "~" ? " " : /[}$]/.test(piece) ? "" : piece;
    else if (get(symbols, macro) !== undefined) printed += symbols[macro];
    else if (get(dropped, macro) !== undefined) take(dropped[macro]);
    else {
      const count = get(last, macro) ?? 1;
      const found = take(count);
      if (found.length < count) printed += get(last, macro) ? "" : `${macro} `;
      else {
        const put = stripLatex(found[count - 1], depth + 1);
        const apart = !get(last, macro) && /\d$/.test(printed) ? " " : "";
        const sign = STRUCK.includes(macro) ? "~~" : "";
        const raised = macro === "textsuperscript" && !put.startsWith("±") ? `^{${put}}` : put;
        printed += `${apart}${sign}${raised}${sign}${!get(last, macro) && text[at] === "{" ? " " : ""}`;
      }
    }
  }
  return depth ? printed : printed.replace(/\s+/g, " ").trim();
}
