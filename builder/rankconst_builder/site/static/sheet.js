// The adjusted table, and what can be taken away of it.

import { drawCommand, drawList, drawTakeaway, listOptions, writeCommand } from "./number.js";
import { drawTable, el, rankconst, scroll } from "./dom.js";
import { showUncertain } from "./format.js";
import { describe } from "./names.js";
import { summarise } from "./verdict.js";

const MOST_REASONS = 12;

/** @param {State} form @param {Answer} answer @returns {Shown} */
export function drawAnswer(form, answer) {
  const results = answer.results.flat().filter((result) => result !== null);
  const tasks = [...new Set(results.map((result) => `${result.tasks.dataset.title}, ${describe(result.tasks)}`))];
  const tools = [...new Set(results.map((result) => result.tasks.tool))];
  const caveats = tools.flatMap((tool) => (tool?.caveats ?? []).map((caveat) => `${tool?.title}: ${caveat}`));
  const reasons = [...answer.reasons].slice(0, MOST_REASONS);
  if (answer.reasons.size > reasons.length) reasons.push(`${answer.reasons.size - reasons.length} more.`);
  const words = ["rankconst", "adjust", "FILE", ...listOptions(form)];
  const sheet = makeSheet(answer);
  const count = `${results.length} number${results.length === 1 ? "" : "s"} adjusted`;
  const listed = `${tasks.slice(0, 4).join("; ")}${tasks.length > 4 ? " ..." : ""}`;
  const cited =
    `Adjusted for chance by the rankconst tables ${rankconst.names.version}, ` +
    "following Hoyt et al. 2022 (arXiv:2203.07544).";
  const parts = [
    el("p", { class: "standing" }, `${count}: ${listed}. Index: 0 = chance, 1 = perfect.`),
    reasons.length ? el("div", { class: "left" }, el("p", {}, "Left out:"), drawList(reasons)) : null,
    scroll("The adjusted table", drawSheet(sheet)),
    reasons.length ? el("p", { class: "quiet" }, "The program reads more: ", drawCommand(words)) : null,
    caveats.length ? drawList(caveats) : null,
    drawTakeaway({ Citation: cited, CSV: writeCsv(sheet), "Command line": writeCommand(words) }),
  ];
  const impossible = answer.impossible.join("; ");
  const warning = impossible ? `The numbers of ${impossible} are impossible together. ` : "";
  return { verdict: `${warning}${summarise(results)}`, parts };
}

/** The columns of a table, each adjusted one behind its own. @param {Answer} answer @returns {Sheet} */
function makeSheet({ table: { columns, rows }, results }) {
  return columns.flatMap(({ name }, j) => {
    const metric = results[j].find((result) => result !== null)?.metric;
    const cells = rows.map((row, i) => {
      const published = results[j][i]?.published;
      return { value: published?.value ?? row[j], best: published?.text ?? row[j], range: "" };
    });
    if (!metric) return [{ heading: name, kind: "text", cells }];
    const added = results[j].map((result) => {
      const index = result?.rungs[0].adjusted.index;
      const printed = index ? showUncertain(index.value, index.interval) : { best: "–", range: "" };
      return { value: index?.value ?? null, ...printed };
    });
    return [
      { heading: name, kind: "number", cells },
      { heading: metric.names.index, kind: "added", cells: added },
    ];
  });
}

/** @param {Cell} cell */
function escapeCsv(cell) {
  const text = cell === null ? "" : String(cell);
  // A spreadsheet would run a text that begins like a formula.
  const safe = typeof cell === "string" && /^[=+\-@\t]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** @param {Sheet} sheet */
function writeCsv(sheet) {
  const rows = sheet[0].cells.map((_, i) => sheet.map(({ cells }) => cells[i].value));
  return [sheet.map(({ heading }) => heading), ...rows].map((row) => `${row.map(escapeCsv).join(",")}\n`).join("");
}

/** @param {Sheet} sheet */
function drawSheet(sheet) {
  const head = sheet.map(({ heading, kind }) => el("th", { scope: "col", class: kind }, heading));
  const body = sheet[0].cells.map((_, i) => {
    const cells = sheet.map(({ kind, cells: { [i]: cell } }) =>
      el("td", { class: kind }, cell.best, cell.range ? el("span", { class: "range" }, cell.range) : null),
    );
    return el("tr", {}, ...cells);
  });
  return drawTable(head, body, { class: "adjusted" });
}
