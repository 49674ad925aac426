// What can be taken away: adjusted tables as LaTeX and CSV.

/** @type {Record<string, string>} */
const LATEX = {
  ...{ "\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}" },
  ...{ "±": "$\\pm$", "–": "--", "−": "$-$" },
};

/** @param {string} text */
const escapeLatex = (text) => text.replace(/[&%$#_{}\\~^±–−]/g, (sign) => LATEX[sign] ?? `\\${sign}`);

/** @param {Cell} cell */
function escapeCsv(cell) {
  const text = cell === null ? "" : String(cell);
  // A spreadsheet would run a text that begins like a formula.
  const safe = typeof cell === "string" && /^[=+\-@\t]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** @type {Record<string, (sheet: Sheet) => string>} */
export const WRITERS = {
  LaTeX: ({ headings, rows, shown }) => {
    const line = (/** @type {string[]} */ cells) => `${cells.map(escapeLatex).join(" & ")} \\\\\n`;
    const body = shown.map(line).join("");
    const columns = headings.map((_, j) => (rows.some((row) => typeof row[j] === "number") ? "r" : "l")).join("");
    return `\\begin{tabular}{${columns}}\n\\toprule\n${line(headings)}\\midrule\n${body}\\bottomrule\n\\end{tabular}\n`;
  },
  CSV: ({ headings, rows }) => [headings, ...rows].map((row) => `${row.map(escapeCsv).join(",")}\n`).join(""),
};
