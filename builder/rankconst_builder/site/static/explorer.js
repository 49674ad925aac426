// The list of datasets, and the constants on the page of each.

import { address, at, copyButton, drawFacts, drawTable, el, fetchContents, rankconst, scroll } from "./dom.js";
import { Refusal, exponential, showNumber } from "./format.js";
import { get, squash, summarise } from "./names.js";

/** Search and sort the list of datasets; what is found is marked in the drawing above it. */
export function startList() {
  const table = at("list");
  const body = /** @type {HTMLTableSectionElement} */ (table.querySelector("tbody"));
  const rows = [...body.rows];
  const search = /** @type {HTMLInputElement} */ (at("search"));
  const dots = /** @type {SVGElement[]} */ ([...document.querySelectorAll("svg [data-key]")]);
  search.addEventListener("input", () => {
    const wanted = squash(search.value);
    for (const row of rows) row.hidden = !squash(`${row.dataset.words}`).includes(wanted);
    const keys = new Set(rows.flatMap((row) => (row.hidden ? [] : row.dataset.key)));
    for (const dot of dots) dot.classList.toggle("dim", !keys.has(dot.dataset.key));
    at("found").textContent = `${wanted ? `${keys.size} of ` : ""}${rows.length} datasets`;
  });
  const headings = [...table.querySelectorAll("thead th")];
  for (const [place, heading] of headings.entries()) {
    const textOf = (/** @type {HTMLTableRowElement} */ { cells: { [place]: cell } }) =>
      cell.dataset.value ?? cell.textContent ?? "";
    const sort = () => {
      const order = heading.getAttribute("aria-sort") === "ascending" ? "descending" : "ascending";
      for (const each of headings) each.removeAttribute("aria-sort");
      heading.setAttribute("aria-sort", order);
      rows.sort((one, other) => textOf(one).localeCompare(textOf(other), "en"));
      if (rows.every((row) => Number.isFinite(Number(textOf(row)))))
        rows.sort((one, other) => Number(textOf(one)) - Number(textOf(other)));
      body.append(...(order === "ascending" ? rows : rows.reverse()));
    };
    heading.replaceChildren(el("button", { type: "button", click: sort }, heading.textContent));
  }
}

const FIELDS = /** @type {const} */ (["split", "side", "protocol", "aggregation", "baseline"]);

/** The constants of one dataset, fetched when they are asked for: `#test/both/standard/mrr` opens one. */
export function startDataset() {
  const holder = at("constants");
  /** @type {Promise<(wanted: string) => void> | null} */
  let listing = null;
  const open = async (/** @type {string} */ wanted) => {
    try {
      listing ??= fetchContents(`${holder.dataset.key}`).then((contents) => listConstants(holder, contents));
      (await listing)(wanted);
    } catch (error) {
      listing = null;
      if (!(error instanceof Refusal)) throw error;
      at("listing").replaceChildren(el("p", { class: "error" }, error.message));
    }
  };
  const read = () => {
    const path = readHash();
    at("card").hidden = !path.includes("/");
    if (path.includes("/")) void open(path);
  };
  at("all").addEventListener("toggle", () => void open(""));
  addEventListener("hashchange", read);
  read();
}

/** The fragment of the address; as it is, if it is not encoded as such are. */
function readHash() {
  const written = location.hash.slice(1);
  try {
    return decodeURIComponent(written);
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    return `${written}/`;
  }
}

/** Draw what to choose from; returns what opens a constant. @param {HTMLElement} holder @param {Contents} contents */
function listConstants(holder, contents) {
  const places = Object.keys(contents.constants).map((path) => ({ path, parts: cutPath(path) }));
  const change = () => {
    const chosen = selects.map((select) => select.value);
    const found = places.find(({ parts }) => parts.every((part, place) => part === chosen[place]));
    const why = " On the relation side there is chance alone, and every task counts once.";
    const told = `The tables hold no constants of ${chosen.join(", ")}.${chosen[1] === "relation" ? why : ""}`;
    at("listing").replaceChildren(...(found ? drawListing(contents, found.path) : [el("p", {}, told)]));
  };
  const selects = FIELDS.map((name, place) => {
    const values = [...new Set(places.map(({ parts }) => parts[place]))];
    const options = values.map((value) => el("option", { value }, value));
    const select = /** @type {HTMLSelectElement} */ (el("select", { id: `choose-${name}`, change }, ...options));
    holder.append(el("div", { class: "field" }, el("label", { for: select.id }, name), select));
    return select;
  });
  const choose = (/** @type {string} */ path) => {
    cutPath(path).forEach((part, place) => (selects[place].value = part));
    change();
  };
  choose(`${holder.dataset.tasks}`);
  return (/** @type {string} */ wanted) => {
    if (!wanted) return;
    const [, path, slug] = /^(.*)\/([^/]*)$/s.exec(wanted) ?? ["", "", ""];
    const held = get(get(contents.constants, path), slug);
    const message = `Tables ${rankconst.names.version} have no constant ${wanted} of this dataset.`;
    at("card").replaceChildren(...(held ? drawCard(contents, path, slug) : [el("p", {}, message)]));
    if (!held) return;
    choose(path);
    at("card").scrollIntoView({ block: "nearest" });
  };
}

/** Split, side, protocol, aggregation and baseline of a path. @param {string} path */
function cutPath(path) {
  const [split, side, protocol, ...more] = path.split("/");
  const baseline = more.find((part) => rankconst.names.baselines.some(({ key }) => key === part)) ?? "uniform";
  return [split, side, protocol, more.find((part) => part !== baseline) ?? "micro", baseline];
}

/** @param {Contents} contents @param {string} path of any baseline */
const tasksOf = ({ tasks }, path) => get(tasks, path) ?? tasks[path.split("/").slice(0, -1).join("/")];

/** @param {Contents} contents @param {string} path */
function drawListing(contents, path) {
  const { num_tasks: count, worst } = tasksOf(contents, path);
  const rows = Object.entries(contents.constants[path]).map(([slug, [expectation, error, variance, off, method]]) => {
    const label = rankconst.names.metrics.find((each) => each.slug === slug)?.label ?? slug;
    const shown = [showNumber(expectation, 6), exponential(error, 0), showNumber(variance, 6), exponential(off, 0)];
    return el(
      "tr",
      {},
      el("th", { scope: "row" }, el("a", { href: `#${path}/${slug}` }, label)),
      ...[...shown, showNumber(worst[slug], 6)].map((text) => el("td", { class: "number" }, text)),
      el("td", {}, method.replace("_", " ")),
    );
  });
  const head = ["expectation", "± error", "variance", "± error", "worst"].map((title) =>
    el("th", { scope: "col", class: "number" }, title),
  );
  const told = `${count.toLocaleString("en-US")} ranking tasks. Each metric is a link to its constant.`;
  return [el("p", { class: "quiet" }, told), scroll("Constants", drawTable(["metric", ...head, "method"], rows))];
}

/** How far a value may be off, alone and of it. @param {number} value @param {number} error */
function showError(value, error) {
  const relative = error && value ? ` (relative ${exponential(error / Math.abs(value), 1)})` : "";
  return `${value} ± ${exponential(error, 1)}${relative}`;
}

/** The BibTeX of one constant. @param {string} id @param {string} said */
function citeConstant(id, said) {
  const plain = rankconst.names.bibtex.replace(/^(@\w+\{)[^,]*/, `$1${id.replace(/[^A-Za-z0-9]+/g, "-")}`);
  return plain.replace(/\}\s*$/, `  note = {${said}, constant ${id.replaceAll("_", "\\_")}},\n}\n`);
}

/** @param {Contents} contents @param {string} path @param {string} slug */
function drawCard(contents, path, slug) {
  const { names } = rankconst;
  const metric = names.metrics.find((each) => each.slug === slug);
  const [expectation, error, variance, varianceError, method, draws] = contents.constants[path][slug];
  const id = `${contents.id}/${path}/${slug}`;
  const key = contents.id.split("/")[1];
  const [split, side, protocol, aggregation, baseline] = cutPath(path);
  const average = aggregation === "micro" ? "" : aggregation;
  const asked = new URLSearchParams({ dataset: key, metric: slug, split, side, protocol, aggregation: average });
  const title = names.datasets.find((each) => each.key === key)?.title ?? key;
  const drawn = draws ? `, ${draws.toLocaleString("en-US")} random rankings` : "";
  const place = [title, split, side === "both" ? "both sides" : `${side} side`, average].filter(Boolean).join(", ");
  const cited = `${metric?.label ?? slug} on ${title}: expectation ${expectation}`;
  return [
    el("h2", {}, metric ? `${metric.label}: ${metric.title}` : slug),
    drawFacts([
      ["expectation", showError(expectation, error)],
      ["variance", showError(variance, varianceError)],
      ["of", place],
      ["ranking tasks", tasksOf(contents, path).num_tasks.toLocaleString("en-US")],
      ["ranker", names.baselines.find((each) => each.key === baseline)?.summary ?? baseline],
      ["protocol", `${protocol}: ${summarise(names, protocol, side)}`],
      ["method", method.replace("_", " ") + drawn],
      ["identifier", el("code", {}, id)],
      ["JSON", el("a", { href: address(`v1/${contents.version}/${key}.json`) }, `constants → ${path} → ${slug}`)],
    ]),
    el(
      "p",
      { class: "actions" },
      copyButton("Copy value", () => String(expectation)),
      copyButton("Copy BibTeX", () => citeConstant(id, cited)),
      copyButton("Copy identifier", () => id),
      el("a", { href: address(`index.html#${asked}`) }, "Adjust a number with it"),
    ),
  ];
}
