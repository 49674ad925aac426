// The list of datasets, and the constants on the page of each.

import { address, at, drawFacts, drawTable, el, fetchContents, rankconst, scroll } from "./dom.js";
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

/** The constants of one dataset, fetched when they are asked for: `#test/both/standard/mrr` opens one. */
export function startDataset() {
  const { key = "", tasks = "" } = at("constants").dataset;
  const select = /** @type {HTMLSelectElement} */ (el("select", { id: "choose-tasks", change: () => void open("") }));
  at("constants").append(el("div", { class: "field" }, el("label", { for: select.id }, "ranking tasks"), select));
  const open = async (/** @type {string} */ wanted) => {
    try {
      show(await fetchContents(key), wanted);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      at("listing").replaceChildren(el("p", { class: "error" }, error.message));
    }
  };
  const show = (/** @type {Contents} */ contents, /** @type {string} */ wanted) => {
    if (!select.options.length) {
      select.append(...Object.keys(contents.constants).map((path) => el("option", { value: path }, path)));
      select.value = tasks;
    }
    if (wanted) {
      const [, path, slug] = /^(.*)\/([^/]*)$/s.exec(wanted) ?? ["", "", ""];
      const held = get(get(contents.constants, path), slug);
      const message = `Tables ${rankconst.names.version} have no constant ${wanted} of this dataset.`;
      at("card").replaceChildren(...(held ? drawCard(contents, path, slug) : [el("p", {}, message)]));
      if (held) select.value = path;
      at("card").scrollIntoView({ block: "nearest" });
    }
    at("listing").replaceChildren(...drawListing(contents, select.value));
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

/** Split, side, protocol, aggregation and baseline of a path. @param {string} path */
function cutPath(path) {
  const [split, side, protocol, ...more] = path.split("/");
  const baseline = more.find((part) => rankconst.names.baselines.some(({ key }) => key === part)) ?? "uniform";
  return { split, side, protocol, aggregation: more.find((part) => part !== baseline) ?? "", baseline };
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

/** @param {Contents} contents @param {string} path @param {string} slug */
function drawCard(contents, path, slug) {
  const { names } = rankconst;
  const [, key] = contents.id.split("/");
  const { split, side, protocol, aggregation, baseline } = cutPath(path);
  const [expectation, error, variance, varianceError, method, draws] = contents.constants[path][slug];
  const metric = names.metrics.find((each) => each.slug === slug);
  const title = names.datasets.find((each) => each.key === key)?.title ?? key;
  const { num_tasks: count } = tasksOf(contents, path);
  const level = get(get(contents.levels, path), slug);
  const id = `${contents.id}/${path}/${slug}`;
  const asked = new URLSearchParams({ dataset: key, metric: slug, split, side, protocol, aggregation });
  const drawn = draws ? `, ${draws.toLocaleString("en-US")} random rankings` : "";
  const place = [title, split, side === "both" ? "both sides" : `${side} side`, aggregation].filter(Boolean).join(", ");
  const better = level && `${level[0].toLocaleString("en-US")} hits (${showNumber(level[0] / count)}) and more`;
  return [
    el("h2", {}, metric ? `${metric.label}: ${metric.title}` : slug),
    drawFacts([
      ["expectation", showError(expectation, error)],
      ["variance", showError(variance, varianceError)],
      ...(better ? [["better (p < 0.05)", better]] : []),
      ["of", place],
      ["ranking tasks", count.toLocaleString("en-US")],
      ["ranker", names.baselines.find((each) => each.key === baseline)?.summary ?? baseline],
      ["protocol", `${protocol}: ${summarise(names, protocol, side)}`],
      ["method", method.replace("_", " ") + drawn],
      ["identifier", el("code", {}, id)],
      ["JSON", el("a", { href: address(`v1/${contents.version}/${key}.json`) }, `constants → ${path} → ${slug}`)],
    ]),
    el("p", {}, el("a", { href: address(`index.html#${asked}`) }, "Adjust a number with it")),
  ];
}
