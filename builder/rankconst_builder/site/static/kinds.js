// What a text is that this page does not read, by its looks. The command line reads most of these.

/** A metric's name, and a number behind a sign. */
const LOGGED = /\b(?:mrr|mr|mean rank|hits?[@_ ]?\d*)\b[^\w\n,;|&]*[:=][\s\[({]*\d/i;
/** A sign of it, what it is, and how its files end. @typedef {[RegExp, string, string]} Kind */

/** What nothing else looks like. @type {Kind[]} */
const CERTAIN = [
  [/^PK\u0003\u0004/, "a workbook", "xlsx"],
  [/^%PDF|^PAR1|\0|\ufffd/, "a file that is not text", ""],
  [/^\s*<(?:!doctype|html|body|div|table)\b/i, "HTML", "html"],
  [/^\s*\{\s*'/, "YAML, or a dictionary of Python", "yaml"],
  [/^\s*\{.*\}[ \t]*\r?\n\s*\{/, "JSON with an object in each line", "jsonl"],
  [/^[ \t]*(?:\+[-=+]{3,}\+|={3,}(?: +={3,})+)[ \t\r]*$/m, "a table of reStructuredText", "rst"],
];

/** What a text may be that is no table. @type {Kind[]} */
const LIKELY = [
  [/^[^\w\n]{0,3}\d{4}-\d\d-\d\d[ T]\d\d:\d\d/m, "a log", "log"],
  [
    /^(?=[^,;|\t\n]{0,300} {2})[^,;|\t\n]{0,300}\b(?:metric|mrr|hits?\W{0,3}\d+)\b/i,
    "a table with blanks between its columns",
    "txt",
  ],
  [/\b(?:mrr|mr|mean rank|hits?\W{0,3}\d+)\b[^,;|&]{0,80}\d/i, "a log, or numbers within a text", "txt"],
];

/** What this page reads, and the command line too. @type {Kind[]} */
const READ = [
  [/^\s*[{[]/, "JSON", "json"],
  [/\\\\|\\begin/, "LaTeX", "tex"],
  [/^\s*\|/, "Markdown", "md"],
];

/** @param {string} text @returns {Kind | undefined} */
function findKind(text) {
  const [json, ...others] = READ;
  const logged = /** @type {Kind} */ ([LOGGED, "a log", "log"]);
  return [...CERTAIN, json, logged, ...others].find(([sign]) => sign.test(text));
}

/**
 * Say what a text is that this page does not read; empty if it may.
 * @param {string} text
 */
export function nameKind(text) {
  const found = findKind(text);
  return found && !READ.includes(found) ? found[1] : "";
}

/**
 * Say what a text may be that was not read as a table; empty if nothing tells.
 * @param {string} text
 * @param {boolean} cut whether it was cut into cells, which logs have, too
 */
export const guessKind = (text, cut) =>
  (cut ? LIKELY.slice(0, 1) : LIKELY).find(([sign]) => sign.test(text))?.[1] ?? "";

/** @param {string} text @returns {string} how a file of it ends; empty if the command line does not read it either */
export function endingOf(text) {
  const [, separator] = /^[^\t,;\n]*([\t,;])/.exec(text) ?? [];
  const likely = separator ? null : LIKELY.find(([sign]) => sign.test(text));
  return (findKind(text) ?? likely ?? ["", "", separator === "\t" ? "tsv" : "csv"])[2];
}
