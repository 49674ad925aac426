// A pasted table: each number with what its row, its heading and the texts around it say of its tasks. What may say
// more is asked about, and left to the program.

import { el, rankconst, scroll } from "./dom.js";
import { quote } from "./export.js";
import { Refusal, showUncertain } from "./format.js";
import { cut } from "./grids.js";
import { findHeading, fitRole, isBlank, isMissing, isNumber, unmarked } from "./headings.js";
import { describe, findDataset } from "./names.js";
import { drawCommand, drawTakeaway, findAll } from "./number.js";
import { judge } from "./verdict.js";
import { declare, explainAsk, gather, isFlag, isOfKind, readLabel } from "./words.js";

/** @typedef {import("./arithmetic.js").Form} Form */
/** @typedef {import("./arithmetic.js").Metric} Metric */
/** @typedef {import("./headings.js").Column} Column */
/** @typedef {import("./number.js").Found} Found */
/** @typedef {import("./state.js").State} State */
/** @typedef {import("./words.js").Label} Label */
/** @typedef {import("./words.js").Text} Text */
/** @typedef {{columns: Column[], rows: string[][], first: number, around: Text[], above: Text[][]}} Table */

const UNREAD = ["num_tasks", "relations", "step", "tool", "metric", "value", "k"];
const FIELDS = /** @type {const} */ (["dataset", "split", "side", "protocol", "aggregation"]);

/** @param {string} message @param {boolean} [elsewhere] @returns {never} */
function refuse(message, elsewhere = true) {
  throw new Refusal(message, "table", elsewhere);
}

// -- the table --------------------------------------------------------------------------------------------------------

/** @param {string} text @param {string} fileName @returns {Table} */
function readTable(text, fileName) {
  const { rows, texts, printed } = cut(text);
  const titles = [];
  while (
    rows.length > 2 &&
    rows[0].cells.filter(Boolean).length === 1 &&
    !rows[0].cells.some((cell) => readLabel(cell).metric)
  )
    titles.unshift(rows.shift()?.cells.find(Boolean) ?? "");
  const heading = findHeading(rows);
  if (!heading) return refuse("No heading names a metric such as MRR or Hits@10.");
  const { columns, depth, last } = heading;
  const body = rows
    .slice(depth)
    .map(({ cells }) => (cells.length === 1 ? [...cells, ...Array(columns.length - 1).fill("")] : cells));
  if (!body.length) refuse("The table has a heading and no rows.", false);
  const uneven = body.findIndex((cells) => cells.length !== columns.length);
  if (uneven >= 0)
    refuse(`Row ${uneven + depth + 1} has ${body[uneven].length} cells and the heading ${columns.length}.`);
  if (body.some((cells) => columns.some(({ measure }, j) => measure && cells[j] && cells[j] === last[j])))
    refuse("The heading comes again: paste one table at a time.");
  if (body.flat().some((cell) => /^[+-]?(?:0,\d+|\d+,(?:\d{1,2}|\d{4,})|\d{4,},\d+)\b/.test(cell)))
    refuse("Commas set decimals apart here: write points.");
  for (const [j, column] of columns.entries())
    column.role = fitRole(
      column,
      body.map((cells) => cells[j]),
    );
  const unread = columns.find(({ role }) => UNREAD.includes(role));
  if (unread) refuse(`This page does not read the column ${unread.name}.`);
  const done = columns.find(({ labels }) => labels.some(({ metric }) => metric === "adjusted"));
  if (done) refuse(`The column ${done.name} is adjusted already, and this page does not check it.`);
  const flag = columns.find(({ measure, role, labels }) => !measure && !role && labels.some(isFlag));
  if (flag) refuse(`This page does not read the column ${flag.name}: its heading says something of its rows.`);
  if (printed) fillRows(columns, body);
  const name = fileName.replace(/\.[^.]*$/, "").replaceAll(".", " ");
  const around = [...titles.map((title) => say(title, "text", "the row above")), ...texts];
  if (name) around.push(say(name, "text", "the name of the file"));
  return { columns, rows: body, first: depth + titles.length + 1, around, above: findGroups(columns, body) };
}

/** @param {string} text @param {import("./words.js").Scope} scope @param {string} place @returns {Text} */
const say = (text, scope, place) => ({ label: readLabel(text), scope, place });

/**
 * Repeat what the row above says where a cell of a document is empty.
 * @param {Column[]} columns
 * @param {string[][]} rows
 */
function fillRows(columns, rows) {
  const first = Math.max(
    columns.findIndex(({ measure }) => measure),
    0,
  );
  const repeats = columns.map(
    ({ measure, role }, j) =>
      (!measure && FIELDS.some((each) => each === role)) || (!role && !measure && j < first - 1),
  );
  const last = columns.map(() => "");
  for (const row of rows) {
    if (!row.some((cell, j) => cell && !repeats[j] && !columns[j].measure)) continue;
    for (const [j, cell] of row.entries()) if (repeats[j]) row[j] = last[j] = cell || last[j];
  }
}

/**
 * What rows without numbers say of those below them; a row has its own place in this.
 * @param {Column[]} columns
 * @param {string[][]} rows
 */
function findGroups(columns, rows) {
  let group = /** @type {Text[]} */ ([]);
  const first = columns.findIndex(({ measure }) => measure);
  return rows.map((row) => {
    if (row.some((cell, j) => columns[j].measure && isNumber(cell))) return group;
    const filled = row.flatMap((cell, j) => (isBlank(cell) ? [] : [j]));
    const beside = filled.length === 1 && filled[0] > first && !columns[filled[0]].measure;
    if (new Set(filled.map((j) => row[j])).size !== 1 || beside) return [];
    const label = readLabel(row[filled[0]]);
    const before = group.map((text) => ({ ...text, label: { ...text.label, whole: false } }));
    const kept = Object.keys(label.values).length || label.words.length || !label.graphs.length ? before : [];
    group = [/** @type {Text} */ ({ label, scope: "row", place: "a row above" }), ...kept].slice(0, 3);
    return [];
  });
}

// -- units ------------------------------------------------------------------------------------------------------------

/**
 * Which shares are percentages without a sign: of a metric, or of Hits@k, all or none, if each row has one above 1.
 * Returns for each column whether its numbers are; a text says why that is open.
 * @param {Table} table
 * @returns {(boolean | string)[]}
 */
function tellUnits({ columns, rows }) {
  const familyOf = (/** @type {Column} */ { measure, labels }) => {
    const metric = findSlug(measure);
    const graph = labels.flatMap(({ graphs }) => graphs)[0] ?? "";
    return metric?.share ? [metric.slug.replace(/^hits@.*/, "hits"), graph] : ["", ""];
  };
  const units = columns.map((column) => /** @type {boolean | string} */ (column.labels.some(({ percent }) => percent)));
  const said = columns.flatMap((_, j) => (units[j] ? [j] : []));
  const above = (/** @type {number[]} */ places, /** @type {string[]} */ row) =>
    places.flatMap((j) =>
      !row[j].includes("%") && isNumber(row[j]) ? [Number.parseFloat(unmarked(row[j]).replace(/^[^\d.]+/, ""))] : [],
    );
  if (!rows.some((row) => above(said, row).some((each) => each > 1)))
    for (const j of said) units[j] = "a fraction or a percentage? None is greater than 1";
  const found = /** @type {Map<string, {kind: string, places: number[], unit: boolean | null}>} */ (new Map());
  for (const [j, column] of columns.entries()) {
    const [kind, graph] = familyOf(column);
    if (!kind || units[j]) continue;
    const key = `${kind} ${graph}`;
    found.set(key, { kind, places: [...(found.get(key)?.places ?? []), j], unit: null });
  }
  for (const family of found.values()) {
    const numbers = rows.map((row) => above(family.places, row)).filter((each) => each.length);
    const signed = rows.some((row) => family.places.some((j) => row[j].includes("%")));
    if (numbers.flat().every((each) => each <= 1)) family.unit = signed && numbers.length ? null : false;
    else if (
      !signed &&
      numbers.every((row) => row.some((each) => each > 1)) &&
      numbers.flat().every((each) => each <= 100)
    )
      family.unit = true;
  }
  for (const { kind, places, unit } of found.values()) {
    const others = [...found.values()].filter((each) => each.kind === kind);
    const mixed = unit === null || others.some((each) => each.unit === null || each.unit !== unit);
    for (const j of places) units[j] = mixed ? "fractions or percentages? Write the sign: 33.8%" : unit;
  }
  return units;
}

/** The metric of a column, if the page adjusts it. @param {Label | null} measure @returns {Metric | null} */
function findSlug(measure) {
  return (
    (measure && rankconst.names.metrics.find(({ slug, optimum }) => slug === measure.metric && optimum !== null)) ??
    null
  );
}

// -- what a number is of ----------------------------------------------------------------------------------------------

/** What the cells of a row say, the nearest first. @param {Table} table @param {string[]} row @returns {Text[]} */
function readRow({ columns }, row) {
  const order = [...FIELDS, "rank_type", "model"];
  const named = columns.some(({ role }) => role === "model");
  const free = columns.findIndex(({ role, measure }, j) => !role && !measure && row[j] && !isNumber(row[j]));
  const rank = ({ role = "" }) => (order.includes(role) ? order.indexOf(role) : order.length);
  const places = columns.map((_, j) => j).filter((j) => !columns[j].measure && !isMissing(row[j]));
  places.sort((one, other) => rank(columns[one]) - rank(columns[other]) || one - other);
  return places.map((j) => {
    const label = readLabel(row[j]);
    const { role } = columns[j];
    if (!FIELDS.some((each) => each === role))
      return { label, scope: role === "model" || (!named && j === free) ? "name" : "row", place: "its row" };
    if (role === "dataset")
      return {
        label: label.whole && label.graphs.length ? label : { ...label, graphs: [row[j]], whole: true },
        scope: "row",
        place: "its row",
      };
    if (!label.values[role]) throw new Refusal(`“${row[j]}” is not a ${role} that this page knows.`, "table", true);
    return { label, scope: "row", place: "its row" };
  });
}

/** Refuse a row whose cells declare several values of a field. @param {Text[]} texts */
function checkConflicts(texts) {
  for (const field of FIELDS) {
    const found = new Set(
      texts.flatMap(({ label }) => declare(label)[field] ?? []).filter((value) => value !== "filtered"),
    );
    if (found.size > 1) throw new Refusal(`Its row says ${field} ${[...found].join(" and ")}.`, "table", true);
  }
}

/** @param {Text[]} texts @param {State} form @returns {State} what is said of a number, with what the form adds */
function settleSaid(texts, form) {
  const { said, asks, among } = gather(texts);
  const chosen = form.dataset && findDataset(rankconst.names, form.dataset).key;
  if (among.length && !among.includes(chosen))
    throw new Refusal(`It may be of ${among.join(" or ")}: choose one.`, "dataset", true);
  const key = said.dataset ? findDataset(rankconst.names, said.dataset).key : form.dataset;
  const open = asks.filter((ask) => !(/** @type {Record<string, string>} */ (form)[ask.field]) && !isOfKind(ask, key));
  if (open.length)
    throw new Refusal(
      explainAsk(open[0]),
      FIELDS.some((each) => each === open[0].field) ? open[0].field : "table",
      true,
    );
  if (said.rank_type && said.rank_type !== "realistic")
    throw new Refusal(`Its ties are ranked in another way: ${said.rank_type}.`, "table", true);
  const { tools } = rankconst.names;
  if (said.protocol === "filtered" && tools.some(({ key: tool, filters }) => tool === form.tool && !filters))
    throw new Refusal("It is called filtered, but the tool removes no known answers: choose the protocol.", "protocol");
  if (said.protocol === "filtered") said.protocol = "";
  const state = { ...form };
  for (const field of FIELDS) {
    const asked = field === "dataset" ? chosen : form[field];
    const value = field === "dataset" && said.dataset ? key : said[field];
    if (asked && value && asked !== value && field !== "protocol")
      throw new Refusal(`It is of ${field} ${value}, and the form says ${asked}.`, field);
    state[field] = asked || value || "";
  }
  return state;
}

/**
 * Adjust every number of a table: column by column a result for each row, null where there is none.
 * @param {State} state
 * @param {string} [fileName]
 */
export async function adjustTable(state, fileName = "") {
  const table = readTable(state.table, fileName);
  const { columns, rows, first, above, around } = table;
  const units = tellUnits(table);
  const [reasons, refusals] = [/** @type {Set<string>} */ (new Set()), /** @type {Refusal[]} */ ([])];
  const lost = /** @type {Set<number>} */ (new Set());
  const found = columns.map(() => /** @type {(Found | null)[]} */ (rows.map(() => null)));
  const filtered = new Set(
    columns.flatMap(({ measure, labels }) => (measure && isFiltered(labels) ? [measure.metric] : [])),
  );
  for (const [j, { measure, labels, name }] of columns.entries()) {
    if (!measure) continue;
    const metric = findSlug(measure);
    const open = labels.find(({ reason }) => reason)?.reason ?? (metric ? units[j] : "this page does not adjust it");
    // Of a number that is not read, nobody knows whether it contradicts those beside it.
    if (metric && typeof units[j] === "string") refuse(`Column ${name}: ${units[j]}.`);
    if (!metric || typeof open === "string") {
      reasons.add(`Column ${name}: ${open}.`);
      continue;
    }
    const own = [...labels]
      .reverse()
      .map((label) => /** @type {Text} */ ({ label, scope: "column", place: "its heading" }));
    for (const [i, row] of rows.entries()) {
      if (isMissing(row[j])) continue;
      try {
        const cells = readRow(table, row);
        checkConflicts(cells);
        if (
          rows.length &&
          row.some((cell, place) => findSlug(columns[place].measure)?.share && /^[-+−–]\s*[\d.]/.test(cell)) &&
          metric.share
        )
          throw new Refusal("A number of its row has a sign, as differences have.", "table", true);
        const doubtful =
          filtered.has(measure.metric) && !labels.some((label) => declare(label).protocol) && !state.protocol;
        if (doubtful) throw new Refusal("The same metric beside it is filtered: choose the protocol.", "protocol");
        const said = settleSaid([...cells, ...own, ...above[i], ...around], state);
        const text = unmarked(row[j]);
        if (/^[+]/.test(text)) throw new Refusal("It has a plus sign, as differences have.", "table", true);
        found[j][i] = await findAll(said, metric, text, Boolean(units[j]) && !text.includes("%"));
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        refusals.push(error);
        lost.add(i);
        reasons.add(`Row ${i + first}, ${name}: ${error.message}`);
      }
    }
  }
  const [refused] = refusals;
  // What is wrong with all of them is said once, where it can be mended.
  if (refused && !found.flat().some(Boolean) && refusals.every(({ message }) => message === refused.message))
    throw refused;
  for (const column of found) for (const i of lost) column[i] = null;
  dropContradictions(table, found, reasons);
  return { table, found, reasons };
}

/** @param {Label[]} labels */
const isFiltered = (labels) => labels.some((label) => declare(label).protocol === "filtered");

// -- numbers that no ranks have together ------------------------------------------------------------------------------

/** What ranks differ by is no more than what sums of millions of groups lose. */
const NOISE = 1e-8;

/**
 * Leave out evaluations whose numbers no ranks have together.
 * @param {Table} table
 * @param {(Found | null)[][]} found
 * @param {Set<string>} reasons
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
  const kOf = (/** @type {Found} */ { metric }) => Number(/\d+$/.exec(metric.slug)?.[0] ?? 0);
  const hits = own
    .filter(kOf)
    .sort((one, other) => kOf(one) - kOf(other))
    .map((each) => ({ k: kOf(each), ...each.published }));
  const percent = hits.some(({ upper, text }) => upper <= 0.011 && !text.includes("%")) && hits[0].lower > 0.01;
  if (percent || hits.some(({ upper }, at) => hits.slice(0, at).some(({ lower }) => upper + NOISE < lower)))
    return false;
  const mean = own.find((each) => !kOf(each))?.published;
  if (!mean || !hits.length) return true;
  const [least, largest] = boundReciprocal(hits);
  const share = Math.max(...hits.map(({ k, lower }) => lower / k));
  return mean.upper + NOISE >= Math.max(share, least) && mean.lower - NOISE <= largest;
}

/**
 * The least and the largest MRR that shares of hits allow, for ascending k: it is least if the hits between two ks are
 * all at the larger one, and largest if they are just beyond the smaller, at half a rank more where scores tie.
 * @param {{k: number, lower: number, upper: number}[]} hits
 */
function boundReciprocal(hits) {
  let [least, largest, most] = [0, 0, 0];
  for (const [at, { k, lower }] of hits.entries()) {
    most = Math.max(most, lower);
    least += most * (1 / k - (at + 1 < hits.length ? 1 / hits[at + 1].k : 0));
  }
  let fewest = 1;
  for (const [at, { k, upper }] of [...hits.entries()].reverse()) {
    fewest = Math.min(fewest, upper);
    largest += fewest * ((at ? 1 / (hits[at - 1].k + 0.5) : 1) - 1 / (k + 0.5));
  }
  return [least, largest + 1 / (hits[hits.length - 1].k + 0.5)];
}

// -- the adjusted table -----------------------------------------------------------------------------------------------

/** @param {Found[]} all */
function summarise(all) {
  const counted = all.map(({ rungs: [chance, ...others], published, shift, hasTail }) => {
    const counting = others.find(({ constants }) => constants.baseline === "counting");
    return [chance, counting].map((rung) => rung && judge(rung, published, shift, hasTail));
  });
  const [chance, counting] = [0, 1].map((at) => counted.filter((each) => each[at] === 1).length);
  const held = counted.filter((each) => each[1] !== undefined).length;
  const open = counted.some((each) => each.includes(null))
    ? " Of others, only p tells, which the program computes."
    : "";
  const some = `${chance === all.length ? "All" : `${chance} of`} ${all.length} numbers`;
  const told = all.length > 1 ? `${some} are certainly` : `The number is ${chance ? "certainly" : "not certainly"}`;
  const more = all.length > 1 ? `${counting} of them than counting` : `and ${counting ? "" : "not "}than counting`;
  return `${told} better than chance${held ? `, ${more}` : ""}.${open}`;
}

/** @param {State} state @param {string} fileName @returns {Promise<{verdict: string, parts: (Node | null)[]}>} */
export async function showTable(state, fileName) {
  const { table, found, reasons } = await adjustTable(state, fileName);
  const all = found.flat().filter((each) => each !== null);
  if (!all.length && reasons.size) refuse([...reasons].slice(0, 3).join(" "));
  if (!all.length) refuse("The table holds no number of a metric that this page adjusts.");
  const words = ["rankconst", "adjust", fileName || "FILE"];
  for (const name of /** @type {const} */ (["dataset", "tool", "protocol", "split", "side", "aggregation"]))
    if (state[name]) words.push(`--${name}`, state[name]);
  const command = words.map(quote);
  const { sheet, cells } = drawCells(table, found);
  const kinds = cells[0].map((cell) => cell.className);
  const head = sheet.headings.map((heading, j) => el("th", { scope: "col", class: kinds[j] }, heading));
  const drawn = el(
    "table",
    { class: "adjusted" },
    el("thead", {}, el("tr", {}, ...head)),
    el("tbody", {}, ...cells.map((row) => el("tr", {}, ...row))),
  );
  const tasks = [...new Set(all.map((each) => `${each.tasks.dataset.title}, ${describe(each.tasks)}`))];
  const tools = new Set(all.map((each) => each.tasks.tool));
  const caveats = [...tools].flatMap((tool) => (tool?.caveats ?? []).map((caveat) => `${tool?.title}: ${caveat}`));
  const more = reasons.size > 12 ? [`${reasons.size - 12} more.`] : [];
  const told = [...[...reasons].slice(0, 12), ...more];
  const list = (/** @type {string[]} */ lines) =>
    el("ul", { class: "caveats" }, ...lines.map((line) => el("li", {}, line)));
  const tables = `rankconst tables ${rankconst.names.version}`;
  const sentence = `Adjusted for chance by the ${tables}, following Hoyt et al. 2022 (arXiv:2203.07544).`;
  const shown = `${tasks.slice(0, 4).join("; ")}${tasks.length > 4 ? " ..." : ""}`;
  const parts = [
    el(
      "p",
      { class: "standing" },
      `${all.length} number${all.length === 1 ? "" : "s"} adjusted: ${shown}. Index: 0 = chance, 1 = perfect.`,
    ),
    told.length ? el("div", { class: "left" }, el("p", {}, "Left out:"), list(told)) : null,
    scroll("The adjusted table", drawn),
    told.length ? el("p", { class: "quiet" }, "The program reads more: ", drawCommand(command)) : null,
    caveats.length ? list(caveats) : null,
    drawTakeaway(state, sheet, sentence, command.join(" ")),
  ];
  return { verdict: summarise(all), parts };
}

/** @param {Table} table @param {(Found | null)[][]} found */
function drawCells({ columns, rows }, found) {
  const sheet = /** @type {import("./export.js").Sheet} */ ({
    headings: [],
    rows: rows.map(() => []),
    shown: rows.map(() => []),
  });
  const cells = /** @type {HTMLElement[][]} */ (rows.map(() => []));
  /** @type {(row: number, value: import("./export.js").Cell, shown: string, range?: string, kind?: string) => void} */
  const put = (row, value, shown, range = "", kind = "added") => {
    sheet.rows[row].push(value);
    sheet.shown[row].push(shown);
    cells[row].push(el("td", { class: kind }, shown, range ? el("span", { class: "range" }, range) : null));
  };
  const putForm = (/** @type {number} */ row, /** @type {Form | undefined} */ form) => {
    if (!form || "undefined" in form) return put(row, null, "–");
    const { best, range } = showUncertain(form.value, form.interval);
    put(row, form.value, best, range);
  };
  for (const [j, { measure, name }] of columns.entries()) {
    const metric = found[j].some(Boolean) ? findSlug(measure) : null;
    sheet.headings.push(name, ...(metric ? [metric.names.index || `${metric.label} index`] : []));
    for (const [i, row] of rows.entries()) {
      const own = found[j][i]?.published;
      put(i, own?.value ?? row[j], own?.text ?? row[j], "", metric ? "number" : "text");
      if (metric) putForm(i, found[j][i]?.rungs[0].adjusted.index);
    }
  }
  return { sheet, cells };
}

rankconst.reader = { showTable };
