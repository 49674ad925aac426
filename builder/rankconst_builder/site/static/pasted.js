// A pasted table: each number with what its row, its heading and the text around it say of its tasks. What may say
// more is asked about, and left to the program.

import { el, rankconst, scroll } from "./dom.js";
import { Refusal, showUncertain } from "./format.js";
import { cut, refuse } from "./grids.js";
import { findHeading, isMissing, isNumber, unmarked } from "./headings.js";
import { describe, findDataset } from "./names.js";
import { drawCommand, drawTakeaway, findAll, listOptions } from "./number.js";
import { judge } from "./verdict.js";
import { declare, explainAsk, gather, isAnswered, isFlag, isOfKind, readLabel } from "./words.js";

const UNREAD = ["num_tasks", "num_triples", "relations", "step", "tool", "metric", "value", "k", "version"];
const FIELDS = /** @type {const} */ (["dataset", "split", "side", "protocol", "aggregation"]);

/** @param {string} role */
const isField = (role) => FIELDS.some((each) => each === role);

// -- the table --------------------------------------------------------------------------------------------------------

/** @param {Grid} grid @returns {Table} */
function readTable({ rows, near, far, printed }) {
  const heading = findHeading(rows);
  if (!heading) return refuse("No heading names a metric such as MRR or Hits@10.");
  const { columns, depth } = heading;
  const body = rows.slice(depth).map(({ cells }) => cells);
  if (!body.length) refuse("The table has a heading and no rows.", false);
  const first = depth + 1;
  for (const [i, cells] of body.entries()) {
    if (cells.length !== columns.length)
      refuse(`Row ${i + first} has ${cells.length} cells and the heading ${columns.length}.`);
    const isAbove = (/** @type {number} */ j) => rows.slice(0, depth).some((row) => row.cells[j] === cells[j]);
    if (columns.some(({ measure }, j) => measure && cells[j] && isAbove(j)))
      refuse("The heading comes again: paste one table at a time.");
    if (cells.some((cell) => /^[+-]?(?:0,\d+|\d+,(?:\d{1,2}|\d{4,})|\d{4,},\d+)\b/.test(cell)))
      refuse("Commas set decimals apart here: write points.");
  }
  for (const { role, name, labels, measure } of columns) {
    if (UNREAD.includes(role)) refuse(`This page does not read the column ${name}.`);
    if (labels.some(({ metric }) => metric === "adjusted"))
      refuse(`The column ${name} is adjusted already, and this page does not check it.`);
    if (labels.some(isVersion)) refuse(`The column ${name} is a version: write the name of its graph into the column.`);
    if (!measure && !role && labels.some(isFlag))
      refuse(`This page does not read the column ${name}: its heading says something of its rows.`);
  }
  if (printed) fillRows(columns, body);
  for (const [i, cells] of body.entries())
    if (!cells.some((cell, j) => columns[j].measure && isNumber(cell)) && cells.map(readLabel).some(says))
      refuse(`Row ${i + first} has no number: write what it says into the rows that it is about.`);
  const [beside, about] = [near, far].map((text) => say(text, "text", "the text around the table"));
  const around = [beside, { ...about, label: { ...about.label, graphs: [] } }];
  return { columns, rows: body, first, around };
}

/** Whether a label is v1 or the like of a graph that another names. @param {Label} label */
const isVersion = ({ whole, values, graphs }) => whole && !graphs.length && values.version !== undefined;

/** @param {string} text @param {Scope} scope @param {string} place @returns {Said} */
const say = (text, scope, place) => ({ label: readLabel(text), scope, place });

/** @param {Label} label */
const says = ({ values, graphs, words, metric }) =>
  Object.keys(values).length + graphs.length + words.length > 0 || metric !== "";

/** Repeat what the row above says where a cell is empty. @param {Column[]} columns @param {string[][]} rows */
function fillRows(columns, rows) {
  const first = columns.findIndex(({ measure }) => measure);
  const repeats = columns.map(({ measure, role }, j) => !measure && (isField(role) || (!role && j < first - 1)));
  const last = columns.map(() => "");
  for (const row of rows) {
    if (!row.some((cell, j) => cell && !repeats[j] && !columns[j].measure)) continue;
    for (const [j, cell] of row.entries()) if (repeats[j]) row[j] = last[j] = cell || last[j];
  }
}

// -- units ------------------------------------------------------------------------------------------------------------

/**
 * Which columns hold percentages without a sign: of a metric, or of Hits@k, all or none, if each row has one above 1.
 * @param {Table} table
 */
function tellUnits({ columns, rows }) {
  // What only begins with a number may be one above 1.
  const list = (/** @type {number[]} */ places) =>
    rows
      .map((row) => places.map((j) => (row[j].includes("%") ? NaN : sizeOf(row[j]))).filter(Number.isFinite))
      .filter((row) => row.length);
  const units = columns.map(({ labels }) => labels.some(({ percent }) => percent));
  const said = columns.flatMap((_, j) => (units[j] ? [j] : []));
  if (said.length && !list(said).flat().some((each) => each > 1))
    refuse(`Column ${columns[said[0]].name}: a fraction or a percentage? None is greater than 1.`);
  const families = /** @type {Map<string, number[]>} */ (new Map());
  for (const [j, { measure, labels }] of columns.entries()) {
    const metric = findSlug(measure);
    if (!metric?.share || units[j]) continue;
    const key = `${metric.slug.replace(/^hits@.*/, "hits")} ${labels.flatMap(({ graphs }) => graphs)[0] ?? ""}`;
    families.set(key, [...(families.get(key) ?? []), j]);
  }
  const kinds = /** @type {Map<string, boolean>} */ (new Map());
  for (const [key, places] of families) {
    const [kind, numbers] = [key.split(" ")[0], list(places)];
    const signed = numbers.length > 0 && rows.some((row) => places.some((j) => row[j].includes("%")));
    const all = numbers.flat();
    const percent = all.some((each) => each > 1);
    const odd = percent && !(numbers.every((row) => row.some((each) => each > 1)) && all.every((each) => each <= 100));
    if (signed || odd || (kinds.get(kind) ?? percent) !== percent)
      refuse(`Column ${columns[places[0]].name}: fractions or percentages? Write the sign: 33.8%.`);
    kinds.set(kind, percent);
    for (const j of places) units[j] = percent;
  }
  return units;
}

/** @param {string} cell */
const sizeOf = (cell) => Number.parseFloat(unmarked(cell).replace(/^[^\d.]+/, ""));

/** The metric of a column, if the page adjusts it. @param {Label | null} measure @returns {Metric | null} */
const findSlug = (measure) =>
  rankconst.names.metrics.find(({ slug, optimum }) => slug === measure?.metric && optimum !== null) ?? null;

// -- what a number is of ----------------------------------------------------------------------------------------------

/** What the cells of a row say, the nearest first. @param {Table} table @param {string[]} row @returns {Said[]} */
function readRow({ columns }, row) {
  const order = [...FIELDS, "rank_type", "model"];
  const named = columns.some(({ role }) => role === "model");
  const free = columns.findIndex(({ role, measure }, j) => !role && !measure && row[j] && !isNumber(row[j]));
  const rank = ({ role = "" }) => (order.includes(role) ? order.indexOf(role) : order.length);
  const places = columns.map((_, j) => j).filter((j) => !columns[j].measure && !isMissing(row[j]));
  places.sort((one, other) => rank(columns[one]) - rank(columns[other]) || one - other);
  const texts = places.map((j) => {
    const { role } = columns[j];
    const isName = role === "model" || (!role && !named && j === free);
    const text = say(row[j], isName ? "name" : "row", "its row");
    if (!isName && isVersion(text.label)) return refuse(`“${row[j]}” is a version: write the name of its graph, too.`);
    if (role === "dataset" && !(text.label.whole && text.label.graphs.length))
      return { ...text, label: { ...text.label, graphs: [row[j]], whole: true } };
    if (isField(role) && role !== "dataset" && !text.label.values[role])
      return refuse(`“${row[j]}” is not a ${role} that this page knows.`);
    return text;
  });
  for (const field of FIELDS) {
    const held = texts.flatMap(({ label }) => declare(label)[field] ?? []).filter((value) => value !== "filtered");
    if (new Set(held).size > 1) refuse(`Its row says ${field} ${[...new Set(held)].join(" and ")}.`);
  }
  return texts;
}

/** @param {Said[]} texts @param {State} form @returns {State} what is said of a number, with what the form adds */
function settleSaid(texts, form) {
  const { said, asks, among } = gather(texts);
  const { names } = rankconst;
  const chosen = form.dataset && findDataset(names, form.dataset).key;
  if (among.length && !among.includes(chosen)) {
    const told = among.length > 1 ? `It may be of ${among.join(" or ")}: choose one.` : "";
    throw new Refusal(told || `The text around it names ${among[0]}: choose the dataset.`, "dataset", true);
  }
  if (said.dataset) said.dataset = findDataset(names, said.dataset).key;
  const answers = /** @type {Record<string, string>} */ ({ ...form, dataset: chosen });
  const open = asks.find((ask) => !isAnswered(ask, answers[ask.field]) && !isOfKind(ask, said.dataset ?? chosen));
  if (open) throw new Refusal(explainAsk(open), isField(open.field) ? open.field : "table", true);
  if (said.rank_type && said.rank_type !== "realistic")
    refuse(`Its ties are ranked in another way: ${said.rank_type}.`);
  if (said.protocol === "filtered") {
    if (names.tools.some(({ key, filters }) => key === form.tool && !filters))
      throw new Refusal("It is called filtered, and the tool removes no known answers: which protocol?", "protocol");
    said.protocol = "";
  }
  const state = { ...form };
  for (const field of FIELDS) {
    if (answers[field] && said[field] && answers[field] !== said[field] && field !== "protocol")
      throw new Refusal(`It is of ${field} ${said[field]}, and the form says ${answers[field]}.`, field);
    state[field] = answers[field] || said[field] || "";
  }
  return state;
}

/** @param {Label[]} labels */
const isFiltered = (labels) => labels.some((label) => declare(label).protocol === "filtered");

/**
 * Adjust a number with what is said of it.
 * @param {Table} table @param {number} i @param {number} j @param {boolean} percent @param {State} state
 */
async function adjustCell(table, i, j, percent, state) {
  const { columns, rows, around } = table;
  const { measure, labels } = columns[j];
  const metric = /** @type {Metric} */ (findSlug(measure));
  const cells = readRow(table, rows[i]);
  const differs = rows[i].some((cell, k) => findSlug(columns[k].measure)?.share && /^[-+−–]\s*[\d.]/.test(cell));
  if ((differs && metric.share) || rows[i][j].startsWith("+"))
    refuse("A number of its row has a sign, as differences have.");
  const filtered = columns.some((other) => other.measure?.metric === metric.slug && isFiltered(other.labels));
  if (filtered && !labels.some((label) => declare(label).protocol) && !state.protocol)
    throw new Refusal("The same metric beside it is filtered: choose the protocol.", "protocol");
  const scope = /** @type {Scope} */ ("column");
  const own = [...labels].reverse().map((label) => ({ label, scope, place: "its heading" }));
  const text = unmarked(rows[i][j]);
  return findAll(settleSaid([...cells, ...own, ...around], state), metric, text, percent && !text.includes("%"));
}

/** Adjust every number of what is pasted. @param {State} state @returns {Promise<Answer[]>} */
export async function adjustTables(state) {
  const grids = cut(state.table);
  if (grids.length === 1) return [await adjustTable(grids[0], state)];
  const answers = [];
  const refusals = [];
  for (const [n, grid] of grids.entries())
    try {
      const answer = await adjustTable(grid, state);
      answers.push({ ...answer, reasons: new Set([...answer.reasons].map((each) => `Table ${n + 1}: ${each}`)) });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      refusals.push(error);
      if (answers.length) answers[answers.length - 1].reasons.add(`Table ${n + 1}: ${error.message}`);
    }
  if (!answers.length) throw refusals[0];
  return answers;
}

/** @param {Grid} grid @param {State} state @returns {Promise<Answer>} */
async function adjustTable(grid, state) {
  const table = readTable(grid);
  const { columns, rows, first } = table;
  const units = tellUnits(table);
  const refusals = /** @type {Refusal[]} */ ([]);
  const [reasons, lost] = [/** @type {Set<string>} */ (new Set()), /** @type {Set<number>} */ (new Set())];
  const found = columns.map(() => /** @type {(Found | null)[]} */ (rows.map(() => null)));
  for (const [j, { measure, labels, name }] of columns.entries()) {
    if (!measure) continue;
    const reason = labels.find((label) => label.reason)?.reason;
    if (reason || !findSlug(measure)) {
      reasons.add(`Column ${name}: ${reason ?? "this page does not adjust it"}.`);
      continue;
    }
    for (const i of rows.keys()) {
      if (isMissing(rows[i][j])) continue;
      try {
        found[j][i] = await adjustCell(table, i, j, units[j], state);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        refusals.push(error);
        lost.add(i);
        reasons.add(`Row ${i + first}, ${name}: ${error.message}`);
      }
    }
  }
  // What is wrong with all of them is said once, where it can be mended.
  const [refused] = refusals;
  if (refused && !found.flat().some(Boolean) && refusals.every(({ message }) => message === refused.message))
    throw refused;
  for (const column of found) for (const i of lost) column[i] = null;
  dropContradictions(table, found, reasons);
  return { table, found, reasons };
}

// -- numbers that no ranks have together ------------------------------------------------------------------------------

/** What ranks differ by is no more than what sums of millions of groups lose. */
const NOISE = 1e-8;

/**
 * Leave out evaluations whose numbers no ranks have together.
 * @param {Table} table @param {(Found | null)[][]} found @param {Set<string>} reasons
 */
function dropContradictions({ rows, first }, found, reasons) {
  for (const i of rows.keys()) {
    const evaluations = /** @type {Map<string, number[]>} */ (new Map());
    for (const [j, column] of found.entries()) {
      const each = column[i];
      if (!each || !/^(?:mrr$|hits@)/.test(each.metric.slug)) continue;
      const key = `${each.tasks.dataset.key} ${describe(each.tasks)}`;
      evaluations.set(key, [...(evaluations.get(key) ?? []), j]);
    }
    for (const places of evaluations.values()) {
      const own = places.map((j) => /** @type {Found} */ (found[j][i]));
      if (new Set(own.map(({ metric }) => metric)).size < own.length || agree(own)) continue;
      for (const j of places) found[j][i] = null;
      reasons.add(`Row ${i + first}: no ranks have these numbers together: one is a slip, or of another evaluation.`);
    }
  }
}

/** @param {Found[]} own */
function agree(own) {
  const hits = own
    .map(({ metric, published }) => ({ k: Number(/\d+$/.exec(metric.slug)?.[0] ?? 0), ...published }))
    .sort((one, other) => one.k - other.k);
  const mean = hits[0].k ? null : hits.shift();
  const percent = hits.some(({ upper, text }) => upper <= 0.011 && !text.includes("%")) && hits[0].lower > 0.01;
  if (percent || hits.some(({ upper }, at) => hits.slice(0, at).some(({ lower }) => upper + NOISE < lower)))
    return false;
  if (!mean || !hits.length) return true;
  const [least, largest] = boundReciprocal(hits);
  return mean.upper + NOISE >= least && mean.lower - NOISE <= largest;
}

/**
 * The least and the largest MRR that shares of hits allow, for ascending k: it is least if the hits between two ks are
 * all at the larger one, and largest if they are just beyond the smaller, at half a rank more where scores tie.
 * @param {{k: number, lower: number, upper: number}[]} hits
 */
function boundReciprocal(hits) {
  let [least, largest, most, fewest] = [0, 0, 0, 1];
  for (const [at, { k, lower }] of hits.entries()) {
    most = Math.max(most, lower);
    least += most * (1 / k - (at + 1 < hits.length ? 1 / hits[at + 1].k : 0));
  }
  for (const [at, { k, upper }] of [...hits.entries()].reverse()) {
    fewest = Math.min(fewest, upper);
    largest += fewest * ((at ? 1 / (hits[at - 1].k + 0.5) : 1) - 1 / (k + 0.5));
  }
  return [least, largest + 1 / (hits[hits.length - 1].k + 0.5)];
}

// -- the adjusted table -----------------------------------------------------------------------------------------------

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
const WRITERS = {
  LaTeX: ({ headings, rows, shown }) => {
    const line = (/** @type {string[]} */ cells) => `${cells.map(escapeLatex).join(" & ")} \\\\\n`;
    const body = shown.map(line).join("");
    const columns = headings.map((_, j) => (rows.some((row) => typeof row[j] === "number") ? "r" : "l")).join("");
    return `\\begin{tabular}{${columns}}\n\\toprule\n${line(headings)}\\midrule\n${body}\\bottomrule\n\\end{tabular}\n`;
  },
  CSV: ({ headings, rows }) => [headings, ...rows].map((row) => `${row.map(escapeCsv).join(",")}\n`).join(""),
};

/** @param {Found[]} all */
function summarise(all) {
  const counted = all.map(({ rungs: [chance, ...others], published, shift, hasTail }) => {
    const counting = others.find(({ constants }) => constants.baseline === "counting");
    return [chance, counting].map((rung) => rung && judge(rung, published, shift, hasTail));
  });
  const [chance, counting] = [0, 1].map((at) => counted.filter((each) => each[at] === 1).length);
  const held = counted.some((each) => each[1] !== undefined);
  const open = counted.flat().includes(null) ? " Of others, only p tells, which the program computes." : "";
  const some = `${chance === all.length ? "All" : `${chance} of`} ${all.length} numbers`;
  const told = all.length > 1 ? `${some} are certainly` : `The number is ${chance ? "certainly" : "not certainly"}`;
  const more = all.length > 1 ? `${counting} of them than counting` : `and ${counting ? "" : "not "}than counting`;
  return `${told} better than chance${held ? `, ${more}` : ""}.${open}`;
}

/** @param {State} state @returns {Promise<Shown>} */
async function showTable(state) {
  const answers = await adjustTables(state);
  const all = answers.flatMap(({ found }) => found.flat().filter((each) => each !== null));
  const reasons = new Set(answers.flatMap((answer) => [...answer.reasons]));
  if (!all.length && reasons.size) refuse([...reasons].slice(0, 3).join(" "));
  if (!all.length) refuse("The table holds no number of a metric that this page adjusts.");
  const words = ["rankconst", "adjust", "FILE", ...listOptions(state)];
  const shownTables = answers.map(({ table, found }) => drawCells(table, found));
  const tasks = [...new Set(all.map((each) => `${each.tasks.dataset.title}, ${describe(each.tasks)}`))];
  const tools = new Set(all.map((each) => each.tasks.tool));
  const caveats = [...tools].flatMap((tool) => (tool?.caveats ?? []).map((caveat) => `${tool?.title}: ${caveat}`));
  const told = [...[...reasons].slice(0, 12), ...(reasons.size > 12 ? [`${reasons.size - 12} more.`] : [])];
  const list = (/** @type {string[]} */ lines) =>
    el("ul", { class: "caveats" }, ...lines.map((line) => el("li", {}, line)));
  const cited =
    `Adjusted for chance by the rankconst tables ${rankconst.names.version}, ` +
    "following Hoyt et al. 2022 (arXiv:2203.07544).";
  const count = `${all.length} number${all.length === 1 ? "" : "s"} adjusted`;
  const shown = `${tasks.slice(0, 4).join("; ")}${tasks.length > 4 ? " ..." : ""}`;
  const parts = [
    el("p", { class: "standing" }, `${count}: ${shown}. Index: 0 = chance, 1 = perfect.`),
    told.length ? el("div", { class: "left" }, el("p", {}, "Left out:"), list(told)) : null,
    ...shownTables.map(({ drawn }) => scroll("The adjusted table", drawn)),
    told.length ? el("p", { class: "quiet" }, "The program reads more: ", drawCommand(words)) : null,
    caveats.length ? list(caveats) : null,
    drawTakeaway(state, cited, words, Object.entries(WRITERS).map(([name, write]) => [name, () => shownTables.map(({ sheet }) => write(sheet)).join("\n")])),
  ];
  return { verdict: summarise(all), parts };
}

/** @param {Table} table @param {(Found | null)[][]} found */
function drawCells({ columns, rows }, found) {
  const sheet = {
    headings: /** @type {string[]} */ ([]),
    rows: rows.map(() => /** @type {Cell[]} */ ([])),
    shown: rows.map(() => /** @type {string[]} */ ([])),
  };
  const lines = [...rows, null].map(() => el("tr", {}));
  /** @type {(i: number, kind: string, value: Cell, shown: string, range?: string) => void} */
  const put = (i, kind, value, shown, range = "") => {
    sheet.rows[i].push(value);
    sheet.shown[i].push(shown);
    lines[i + 1].append(el("td", { class: kind }, shown, range ? el("span", { class: "range" }, range) : null));
  };
  for (const [j, { measure, name }] of columns.entries()) {
    const metric = found[j].some(Boolean) ? findSlug(measure) : null;
    const added = metric ? [metric.names.index || `${metric.label} index`] : [];
    sheet.headings.push(name, ...added);
    const kind = metric ? "number" : "text";
    for (const [at, heading] of [name, ...added].entries())
      lines[0].append(el("th", { scope: "col", class: at ? "added" : kind }, heading));
    for (const [i, row] of rows.entries()) {
      const own = found[j][i];
      put(i, kind, own?.published.value ?? row[j], own?.published.text ?? row[j]);
      const index = own?.rungs[0].adjusted.index;
      const { best, range } = index ? showUncertain(index.value, index.interval) : { best: "–", range: "" };
      if (metric) put(i, "added", index?.value ?? null, best, range);
    }
  }
  const [head, ...body] = lines;
  return { sheet, drawn: el("table", { class: "adjusted" }, el("thead", {}, head), el("tbody", {}, ...body)) };
}

rankconst.reader = { showTable };
