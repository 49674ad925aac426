// The cells of a pasted table, apart by tabs, commas, semicolons or pipes.

import { Refusal } from "./format.js";
import { shorten } from "./names.js";

const MOST = { characters: 100_000, cell: 1000 };
const FORMATS = "cells of a spreadsheet, CSV or Markdown";

/** Refuse a table that the program may read. @param {string} message @returns {never} */
export function refuse(message) {
  throw new Refusal(message, "table", true);
}

/** The cells of a text, row by row. @param {string} text @returns {string[][]} */
export function cutTable(text) {
  if (!text.trim()) throw new Refusal(`Paste a table: ${FORMATS}.`, "table");
  if (text.length > MOST.characters) refuse(`The text has ${text.length} characters: too many for this page.`);
  if (/^\s*[{[<]|\\begin|\0|\ufffd/.test(text)) refuse(`This page reads ${FORMATS}.`);
  const lines = text.split(/\r\n?|\n/).filter((line) => line.trim());
  const rows = lines[0].includes("|") ? cutPiped(lines) : cutDelimited(lines);
  if (!rows.length) refuse("The table has no cells.");
  const width = rows[0].length;
  const uneven = rows.findIndex((cells) => cells.length !== width);
  if (uneven >= 0) refuse(`Row ${uneven + 1} has ${rows[uneven].length} cells and the heading ${width}.`);
  return rows;
}

/** @param {string} written */
function checkCell(written) {
  if (written.length > MOST.cell) refuse(`A cell is too long for this page: ${shorten(written.trim())}`);
  return written;
}

/** @param {string[]} lines */
function cutDelimited(lines) {
  const separator = ["\t", ";", ","].find((sign) => lines[0].includes(sign));
  if (!separator) return refuse("The first line has no separator: a comma, a tab, a semicolon or |.");
  const cell = new RegExp(` *"([^"]*(?:""[^"]*)*)" *(?=[${separator}\n]|$)|[^${separator}\n]*`, "y");
  const text = lines.join("\n");
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
  return rows.filter((row) => row.some(Boolean));
}

/** @param {string[]} lines */
function cutPiped(lines) {
  const text = lines.find((line) => !line.includes("|"));
  if (text) refuse(`Paste one table alone, without the line “${shorten(text)}”.`);
  return lines.filter((line) => !/^[\s|:-]*$/.test(line) || !line.includes("-")).map(cutRow);
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
