// The list of datasets, and the constants on the page of each.

import { address, at, copyButton, el, fetchContents, rankconst } from "./dom.js";
import { exponential, showNumber } from "./format.js";
import { squash, summarise } from "./names.js";

/** @typedef {import("./names.js").Contents} Contents */

/** Search and sort the list of datasets. */
export function startList() {
  const table = at("list");
  const body = /** @type {HTMLTableSectionElement} */ (table.querySelector("tbody"));
  const rows = [...body.rows];
  const search = /** @type {HTMLInputElement} */ (at("search"));
  search.addEventListener("input", () => {
    const wanted = squash(search.value);
    for (const row of rows) row.hidden = !squash(`${row.dataset.words}`).includes(wanted);
    const left = rows.filter((row) => !row.hidden).length;
    at("found").textContent = wanted ? `${left} of ${rows.length} datasets` : `${rows.length} datasets`;
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
    const sign = down ? -1 : 1;
    const compare = (/** @type {string} */ one, /** @type {string} */ other) =>
      one !== "" && other !== "" && Number.isFinite(Number(one)) && Number.isFinite(Number(other))
        ? Number(one) - Number(other)
        : one.localeCompare(other, "en");
    body.append(...rows.sort((one, other) => sign * compare(valueOf(one), valueOf(other))));
  }
}

/** The constants of one dataset: `#test/both/standard/mrr` opens one. */
export async function startDataset() {
  const holder = at("constants");
  const key = `${holder.dataset.key}`;
  const { names } = rankconst;
  const contents = await fetchContents(names.version, key);
  const places = Object.keys(contents.constants).map((path) => ({ path, parts: cutPath(path) }));
  const fields = /** @type {const} */ (["split", "side", "protocol", "aggregation", "baseline"]);
  const selects = fields.map((name, place) => {
    const select = /** @type {HTMLSelectElement} */ (el("select", { id: `choose-${name}`, change: () => draw("") }));
    select.append(
      ...[...new Set(places.map(({ parts }) => parts[place]))].map((value) => el("option", { value }, value)),
    );
    holder.append(el("div", { class: "field" }, el("label", { for: select.id }, name), select));
    return select;
  });
  const listing = at("listing");

  /** @param {string} slug the metric that was asked for */
  function draw(slug) {
    const chosen = selects.map((select) => select.value);
    const found = places.find(({ parts }) => parts.every((part, place) => part === chosen[place]));
    if (!found) {
      listing.replaceChildren(
        el(
          "p",
          {},
          `The tables hold no constants of ${chosen.join(", ")}.`,
          chosen[1] === "relation" ? " On the relation side there is chance alone, and every task counts once." : "",
        ),
      );
      return;
    }
    const task = contents.tasks[chosen[4] === "uniform" ? found.path : found.path.split("/").slice(0, -1).join("/")];
    const rows = Object.entries(contents.constants[found.path]).map(
      ([metric, [expectation, error, variance, varianceError, method]]) => {
        const label = names.metrics.find((each) => each.slug === metric)?.label ?? metric;
        const link = el("a", { href: `#${found.path}/${metric}` }, label);
        const cells = [
          showNumber(expectation, 6),
          error ? exponential(error, 0) : "0",
          showNumber(variance, 6),
          varianceError ? exponential(varianceError, 0) : "0",
          showNumber(task.worst[metric], 6),
        ];
        return el(
          "tr",
          metric === slug ? { class: "own" } : {},
          el("th", { scope: "row" }, link),
          ...cells.map((cell) => el("td", { class: "number" }, cell)),
          el("td", {}, method.replace("_", " ")),
        );
      },
    );
    const head = ["metric", "expectation", "± error", "variance", "± error", "worst", "method"].map((title, place) =>
      el("th", { scope: "col", class: place && place < 6 ? "number" : "" }, title),
    );
    const count = el(
      "p",
      { class: "quiet" },
      `${task.num_tasks.toLocaleString("en-US")} ranking tasks. Each metric is a link to its constant.`,
    );
    listing.replaceChildren(
      count,
      el(
        "div",
        { class: "scroll", tabindex: "0", role: "region", "aria-label": "Constants" },
        el("table", {}, el("thead", {}, el("tr", {}, ...head)), el("tbody", {}, ...rows)),
      ),
    );
  }

  function open() {
    const asked = decodeURIComponent(location.hash.slice(1)).split("/");
    const slug = asked.pop() ?? "";
    const path = asked.join("/");
    const known = contents.constants[path]?.[slug];
    const card = at("card");
    const wanted = known ? path : `${holder.dataset.tasks}`;
    cutPath(wanted).forEach((part, place) => (selects[place].value = part));
    draw(known ? slug : "");
    card.hidden = !known;
    if (asked.length > 1 && !known) {
      card.hidden = false;
      card.replaceChildren(el("p", {}, `Tables ${names.version} have no constant ${path}/${slug} of this dataset.`));
    }
    if (known) {
      card.replaceChildren(...drawCard(contents, key, path, slug));
      card.scrollIntoView({ block: "nearest" });
    }
  }
  addEventListener("hashchange", open);
  open();
}

/** Split, side, protocol, aggregation and baseline of a path. @param {string} path */
function cutPath(path) {
  const { baselines, aggregations } = rankconst.names;
  const [split, side, protocol, ...more] = path.split("/");
  const baseline = more.find((part) => baselines.some(({ key }) => key === part)) ?? "uniform";
  const aggregation = more.find((part) => aggregations.some(({ key }) => key === part)) ?? "micro";
  return [split, side, protocol, aggregation, baseline];
}

/**
 * @param {Contents} contents
 * @param {string} key
 * @param {string} path
 * @param {string} slug
 */
function drawCard(contents, key, path, slug) {
  const { names } = rankconst;
  const metric = names.metrics.find((each) => each.slug === slug);
  const [expectation, error, variance, varianceError, method, draws] = contents.constants[path][slug];
  const id = `${contents.id}/${path}/${slug}`;
  const [split, side, protocol, aggregation, baseline] = cutPath(path);
  const parts = new URLSearchParams({
    dataset: key,
    metric: slug,
    split,
    side,
    protocol,
    ...(aggregation === "micro" ? {} : { aggregation }),
  });
  const rows = /** @type {[string, import("./dom.js").Child][]} */ ([
    ["identifier", el("code", {}, id)],
    ["expectation", `${expectation} ± ${exponential(error, 1)}`],
    ["variance", `${variance} ± ${exponential(varianceError, 1)}`],
    ["method", method.replace("_", " ") + (draws ? `, ${draws.toLocaleString("en-US")} random rankings` : "")],
    ["ranker", names.baselines.find((each) => each.key === baseline)?.summary ?? baseline],
    ["protocol", summarise(names, protocol, side)],
    ["JSON", el("a", { href: address(`v1/${contents.version}/${key}.json`) }, `constants → ${path} → ${slug}`)],
  ]);
  return [
    el("h2", {}, metric ? `${metric.label}: ${metric.title}` : slug),
    el("dl", { class: "facts" }, ...rows.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)])),
    el(
      "p",
      { class: "actions" },
      el("a", { href: address(`index.html#${parts}`) }, "Adjust a number with it"),
      copyButton("Copy identifier", () => id),
    ),
  ];
}
