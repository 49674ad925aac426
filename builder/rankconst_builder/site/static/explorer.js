// The list of datasets, and the constants on the page of each.

import { address, at, drawFacts, drawRow, drawTable, el, fetchContents, rankconst, scroll } from "./dom.js";
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
    const words = squash(search.value);
    for (const row of rows) row.hidden = !squash(`${row.dataset.words}`).includes(words);
    const keys = new Set(rows.flatMap((row) => (row.hidden ? [] : row.dataset.key)));
    for (const dot of dots) dot.classList.toggle("dim", !keys.has(dot.dataset.key));
    at("found").textContent = `${words ? `${keys.size} of ` : ""}${rows.length} datasets`;
  });
  const headings = [...table.querySelectorAll("thead th")];
  for (const [place, heading] of headings.entries()) {
    const textOf = (/** @type {HTMLTableRowElement} */ { cells: { [place]: cell } }) =>
      cell.dataset.value ?? cell.textContent ?? "";
    const sort = () => {
      const order = heading.getAttribute("aria-sort") === "ascending" ? "descending" : "ascending";
      for (const column of headings) column.removeAttribute("aria-sort");
      heading.setAttribute("aria-sort", order);
      rows.sort((row, next) => textOf(row).localeCompare(textOf(next), "en"));
      if (rows.every((row) => Number.isFinite(Number(textOf(row)))))
        rows.sort((row, next) => Number(textOf(row)) - Number(textOf(next)));
      body.append(...(order === "ascending" ? rows : rows.reverse()));
    };
    heading.replaceChildren(el("button", { type: "button", click: sort }, heading.textContent));
  }
}

/** The constants of one dataset, fetched when they are asked for: `#test/both/standard/mrr` opens one. */
export function startDataset() {
  const { key = "", tasks = "" } = at("constants").dataset;
  const change = () => void show(select.value, "");
  const select = /** @type {HTMLSelectElement} */ (el("select", { id: "choose-tasks", change }));
  at("constants").append(el("div", { class: "field" }, el("label", { for: select.id }, "ranking tasks"), select));
  const show = async (/** @type {string} */ path, /** @type {string} */ slug) => {
    try {
      const contents = await fetchContents(key);
      const paths = Object.keys(contents.constants);
      if (!select.options.length) select.append(...paths.map((choice) => el("option", { value: choice }, choice)));
      select.value = path;
      const constants = get(contents.constants, path);
      const isKnown = constants && (!slug || get(constants, slug));
      const message = `Tables ${contents.version} have no constant ${path}/${slug} of this dataset.`;
      at("listing").replaceChildren(...(isKnown ? drawListing(contents, path, slug) : [el("p", {}, message)]));
      at("listing").scrollIntoView({ block: "nearest" });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      at("listing").replaceChildren(el("p", { class: "error" }, error.message));
    }
  };
  const read = () => {
    const [, path, slug] = /^(.*)\/([^/]*)$/s.exec(readHash()) ?? ["", "", ""];
    if (path) at("all").setAttribute("open", "");
    if (path) void show(path, slug);
  };
  at("all").addEventListener("toggle", () => {
    if (!readHash().includes("/")) void show(tasks, "");
  });
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

/**
 * The constants of some tasks, one of them marked.
 * @param {Contents} contents @param {string} path @param {string} marked
 */
function drawListing(contents, path, marked) {
  const { names } = rankconst;
  const [split, side, protocol, ...more] = path.split("/");
  const baseline = names.baselines.find(({ key }) => more.includes(key));
  const { num_tasks: count, worst } = get(contents.tasks, path) ?? contents.tasks[path.replace(/\/[^/]*$/, "")];
  const aggregation = more.find((part) => part !== baseline?.key) ?? "";
  const rows = Object.entries(contents.constants[path]).map(([slug, constant]) => {
    const [expectation, error, variance, off, method, draws] = constant;
    const [better] = get(get(contents.levels, path), slug) ?? [];
    const numbers = [String(expectation), exponential(error, 0), showNumber(variance, 6), exponential(off, 0)];
    const way = method.replace("_", " ") + (draws ? `, ${draws.toLocaleString("en-US")} random rankings` : "");
    const texts = [...numbers, showNumber(worst[slug], 6), better && better <= count ? `${better} hits` : "", way];
    const label = names.metrics.find((metric) => metric.slug === slug)?.label ?? slug;
    const link = el("a", { href: `#${path}/${slug}` }, label);
    return drawRow(link, texts, { class: slug === marked ? "own" : "" });
  });
  const [, key] = contents.id.split("/");
  const query = new URLSearchParams({ dataset: key, metric: marked || "mrr", split, side, protocol, aggregation });
  const id = [contents.id, path, marked].filter(Boolean).join("/");
  return [
    drawFacts([
      ["identifier", el("code", {}, id)],
      ["ranking tasks", count.toLocaleString("en-US")],
      ["ranker", baseline?.summary ?? "chance: ranks all candidates in random order."],
      ["protocol", `${protocol}: ${summarise(names, protocol, side)}`],
      ["JSON", el("a", { href: address(`v1/${contents.version}/${key}.json`) }, `constants → ${path}`)],
      ["calculator", el("a", { href: address(`index.html#${query}`) }, "Adjust a number with it")],
    ]),
    scroll("Constants", drawTable(["metric", ...COLUMNS], rows, { class: "numbers" })),
  ];
}

const COLUMNS = ["expectation", "± error", "variance", "± error", "worst", "better from (p < 0.05)", "method"];
