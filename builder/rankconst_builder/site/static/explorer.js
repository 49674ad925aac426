// The list of datasets, and the constants on the page of each.

import { address, at, copyButton, drawFacts, drawTable, el, fetchContents, rankconst, scroll } from "./dom.js";
import { Refusal, exponential, showNumber } from "./format.js";
import { get, squash, summarise } from "./names.js";

/** @typedef {import("./names.js").Contents} Contents */

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
    const found = rows.filter((row) => !row.hidden);
    const keys = new Set(found.map((row) => row.dataset.key));
    for (const dot of dots) dot.classList.toggle("dim", !keys.has(dot.dataset.key));
    at("found").textContent = wanted ? `${found.length} of ${rows.length} datasets` : `${rows.length} datasets`;
  });
  for (const [place, heading] of [...table.querySelectorAll("thead th")].entries()) {
    const button = el("button", { type: "button", click: () => sort(heading, place) }, heading.textContent);
    heading.replaceChildren(button);
  }
  /** @param {Element} heading @param {number} place */
  function sort(heading, place) {
    const down = heading.getAttribute("aria-sort") === "ascending";
    for (const each of table.querySelectorAll("thead th")) each.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", down ? "descending" : "ascending");
    const valueOf = (/** @type {HTMLTableRowElement} */ row) =>
      row.cells[place].dataset.value ?? row.cells[place].textContent ?? "";
    const compare = (/** @type {string} */ one, /** @type {string} */ other) => {
      const numbers = one !== "" && other !== "" && Number.isFinite(Number(one)) && Number.isFinite(Number(other));
      return numbers ? Number(one) - Number(other) : one.localeCompare(other, "en");
    };
    body.append(...rows.sort((one, other) => (down ? -1 : 1) * compare(valueOf(one), valueOf(other))));
  }
}

const FIELDS = /** @type {const} */ (["split", "side", "protocol", "aggregation", "baseline"]);

/** The constants of one dataset, fetched when they are asked for: `#test/both/standard/mrr` opens one. */
export function startDataset() {
  const holder = at("constants");
  const key = `${holder.dataset.key}`;
  /** @type {Promise<Listing> | null} */
  let listing = null;
  const list = () => (listing ??= fetchContents(key).then((contents) => new Listing(holder, contents, key)));
  const report = (/** @type {unknown} */ error) => {
    listing = null;
    if (!(error instanceof Refusal)) throw error;
    at("listing").replaceChildren(el("p", { class: "error" }, error.message));
  };
  const open = () => {
    const path = readHash();
    if (path.includes("/")) list().then((found) => found.open(path), report);
    else at("card").hidden = true;
  };
  at("all").addEventListener("toggle", () => void list().catch(report));
  addEventListener("hashchange", open);
  open();
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

class Listing {
  /** @param {HTMLElement} holder @param {Contents} contents @param {string} key */
  constructor(holder, contents, key) {
    this.contents = contents;
    this.key = key;
    this.places = Object.keys(contents.constants).map((path) => ({ path, parts: cutPath(path) }));
    this.selects = FIELDS.map((name, place) => {
      const values = [...new Set(this.places.map(({ parts }) => parts[place]))];
      const options = values.map((value) => el("option", { value }, value));
      const select = /** @type {HTMLSelectElement} */ (
        el("select", { id: `choose-${name}`, change: () => this.draw("") }, ...options)
      );
      holder.append(el("div", { class: "field" }, el("label", { for: select.id }, name), select));
      return select;
    });
    this.choose(`${holder.dataset.tasks}`, "");
  }

  /** @param {string} path @param {string} slug the metric that was asked for */
  choose(path, slug) {
    cutPath(path).forEach((part, place) => (this.selects[place].value = part));
    this.draw(slug);
  }

  /** Show a constant. @param {string} wanted */
  open(wanted) {
    const [, path, slug] = /^(.*)\/([^/]*)$/s.exec(wanted) ?? ["", "", wanted];
    const card = at("card");
    card.hidden = false;
    if (get(get(this.contents.constants, path), slug)) {
      this.choose(path, slug);
      card.replaceChildren(...drawCard(this.contents, this.key, path, slug));
      card.scrollIntoView({ block: "nearest" });
    } else {
      const message = `Tables ${rankconst.names.version} have no constant ${wanted} of this dataset.`;
      card.replaceChildren(el("p", {}, message));
    }
  }

  /** @param {string} slug */
  draw(slug) {
    const chosen = this.selects.map((select) => select.value);
    const found = this.places.find(({ parts }) => parts.every((part, place) => part === chosen[place]));
    if (!found) {
      const why =
        chosen[1] === "relation" ? " On the relation side there is chance alone, and every task counts once." : "";
      at("listing").replaceChildren(el("p", {}, `The tables hold no constants of ${chosen.join(", ")}.${why}`));
      return;
    }
    const task = tasksOf(this.contents, found.path);
    const number = (/** @type {string} */ text) => el("td", { class: "number" }, text);
    const rows = Object.entries(this.contents.constants[found.path]).map(([metric, fields]) => {
      const [expectation, error, variance, varianceError, method] = fields;
      const label = rankconst.names.metrics.find((each) => each.slug === metric)?.label ?? metric;
      const shown = [expectation, error, variance, varianceError, task.worst[metric]].map((value, at) =>
        number(at === 1 || at === 3 ? exponential(value, 0) : showNumber(value, 6)),
      );
      const link = el("a", { href: `#${found.path}/${metric}` }, label);
      return el(
        "tr",
        { class: metric === slug ? "own" : "" },
        el("th", { scope: "row" }, link),
        ...shown,
        el("td", {}, method.replace("_", " ")),
      );
    });
    const head = ["metric", "expectation", "± error", "variance", "± error", "worst", "method"];
    const headings = head.map((title, at) => el("th", { scope: "col", class: at && at < 6 ? "number" : "" }, title));
    const count = `${task.num_tasks.toLocaleString("en-US")} ranking tasks. Each metric is a link to its constant.`;
    at("listing").replaceChildren(el("p", { class: "quiet" }, count), scroll("Constants", drawTable(headings, rows)));
  }
}

/** Split, side, protocol, aggregation and baseline of a path. @param {string} path */
function cutPath(path) {
  const { baselines } = rankconst.names;
  const [split, side, protocol, ...more] = path.split("/");
  const baseline = more.find((part) => baselines.some(({ key }) => key === part)) ?? "uniform";
  const aggregation = more.find((part) => part !== baseline) ?? "micro";
  return [split, side, protocol, aggregation, baseline];
}

/** @param {Contents} contents @param {string} path of any baseline */
const tasksOf = ({ tasks }, path) => get(tasks, path) ?? tasks[path.split("/").slice(0, -1).join("/")];

/** How far a value may be off, alone and of it. @param {number} value @param {number} error */
function showError(value, error) {
  const relative = error && value ? ` (relative ${exponential(error / Math.abs(value), 1)})` : "";
  return `${value} ± ${exponential(error, 1)}${relative}`;
}

/** The BibTeX of one constant. @param {string} id @param {string} label @param {number} value */
function citeConstant(id, label, value) {
  const plain = rankconst.names.bibtex.replace(/^(@\w+\{)[^,]*/, `$1${id.replace(/[^A-Za-z0-9]+/g, "-")}`);
  return plain.replace(
    /\}\s*$/,
    `  note = {${label}: expectation ${value}, constant ${id.replaceAll("_", "\\_")}},\n}\n`,
  );
}

/** @param {Contents} contents @param {string} key @param {string} path @param {string} slug */
function drawCard(contents, key, path, slug) {
  const { names } = rankconst;
  const metric = names.metrics.find((each) => each.slug === slug);
  const [expectation, error, variance, varianceError, method, draws] = contents.constants[path][slug];
  const id = `${contents.id}/${path}/${slug}`;
  const [split, side, protocol, aggregation, baseline] = cutPath(path);
  const asked = {
    dataset: key,
    metric: slug,
    split,
    side,
    protocol,
    ...(aggregation === "micro" ? {} : { aggregation }),
  };
  const title = names.datasets.find((each) => each.key === key)?.title ?? key;
  const drawn = draws ? `, ${draws.toLocaleString("en-US")} random rankings` : "";
  const sides = side === "both" ? "both sides" : `${side} side`;
  const label = metric?.label ?? slug;
  return [
    el("h2", {}, metric ? `${metric.label}: ${metric.title}` : slug),
    drawFacts([
      ["expectation", showError(expectation, error)],
      ["variance", showError(variance, varianceError)],
      ["of", `${title}, ${split}, ${sides}${aggregation === "micro" ? "" : `, ${aggregation}`}`],
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
      copyButton("Copy BibTeX", () => citeConstant(id, `${label} on ${title}`, expectation)),
      copyButton("Copy identifier", () => id),
      el("a", { href: address(`index.html#${new URLSearchParams(asked)}`) }, "Adjust a number with it"),
    ),
  ];
}
