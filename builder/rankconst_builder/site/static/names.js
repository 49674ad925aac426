// What people type, as the names that the tables use; and which ranking tasks a number is from.

import { Refusal } from "./format.js";

/** @param {string} name */
export const squash = (name) => name.toLowerCase().replace(/[^a-z0-9]+/g, "");

/** @param {string} name */
export const shorten = (name) => (name.length > 80 ? `${name.slice(0, 80)}...` : name);

/**
 * The value of a key of its own: not one that every object has.
 * @template T
 * @param {Record<string, T> | undefined} record @param {string} key @returns {T | undefined}
 */
export const get = (record, key) => (record && Object.hasOwn(record, key) ? record[key] : undefined);

/** @param {Catalogue} catalogue @param {string} name @returns {Dataset} */
export function findDataset({ datasets, ambiguous, version }, name) {
  const plain = squash(name);
  if (!plain) throw new Refusal("Which dataset is it? Type its name: FB15k-237, for example.", "dataset");
  const written = name.trim();
  const exact = datasets.find(({ key }) => key === written || key === written.replace(/-/g, "_"));
  const keys = get(ambiguous, plain);
  if (keys && !exact) {
    const titleOf = (/** @type {string} */ key) => datasets.find((dataset) => dataset.key === key)?.title;
    const choices = keys.map((key) => [key, titleOf(key)].filter(Boolean).join(", "));
    const several = `${shorten(written)} is the name of several benchmarks. Say which one it is`;
    throw new Refusal(`${several}: ${choices.join("; ")}.`, "dataset");
  }
  const spell = (/** @type {Dataset} */ { key, title, aliases }) => [key, title, ...aliases].map(squash);
  const match = exact ?? datasets.find((dataset) => spell(dataset).includes(plain));
  if (match) return match;
  const stem = plain.slice(0, Math.max(4, Math.ceil(0.7 * plain.length)));
  const isNear = (/** @type {string} */ spelling) => spelling.startsWith(stem) || spelling.includes(plain);
  const near = datasets.filter((dataset) => spell(dataset).some(isNear));
  const titles = near.slice(0, 3).map(({ title }) => title);
  const hint = near.length ? ` Did you mean ${titles.join(" or ")}?` : "";
  throw new Refusal(`There is no dataset '${shorten(written)}' in tables ${version}.${hint}`, "dataset");
}

/**
 * The ranking tasks of a number: by its address, then by what the dataset and the tool leave no choice about.
 * @param {Catalogue} catalogue @param {Address} address @returns {Tasks}
 */
export function settle(catalogue, address) {
  const tool = catalogue.tools.find((row) => row.key === address.tool) ?? null;
  if (address.tool && !tool) throw new Refusal(`There is no tool '${shorten(address.tool)}' here.`, "tool");
  const typed = get(tool?.refused, squash(address.dataset));
  if (typed) throw new Refusal(typed, "tool");
  const dataset = findDataset(catalogue, address.dataset);
  const refused = get(tool?.refused, squash(dataset.key));
  if (refused) throw new Refusal(refused, "tool");
  const unranked = get(tool?.unranked, address.side);
  if (unranked) throw new Refusal(unranked, "side");
  if (tool?.batch) {
    const dropped = `${tool.title} leaves out the last, incomplete batch of ${tool.batch} triples.`;
    throw new Refusal(`${dropped} This page does not compute what that changes.`, "tool", true);
  }
  const protocol = settleProtocol(catalogue, address, dataset, tool);
  const { split, side, aggregation } = address;
  return {
    ...{ dataset, tool, protocol, split: split || "test", side: side || tool?.side || "both" },
    aggregation: aggregation || "micro",
  };
}

/** @param {Catalogue} catalogue @param {Address} address @param {Dataset} dataset @param {Tool | null} tool */
function settleProtocol(catalogue, address, { title, protocols }, tool) {
  const only = protocols.length === 1 ? protocols[0] : "";
  const protocol = address.protocol || only || tool?.protocol || catalogue.protocol;
  const few = [tool?.protocol ?? "", only].find((key) => key.startsWith("sampled:"));
  if (address.protocol && few && !protocol.startsWith("sampled:")) {
    const numbers = tool?.protocol === few ? `Numbers of ${tool.title}` : "Numbers on this dataset";
    const message = `${numbers} rank among sampled candidates (protocol ${few}); they cannot be turned into numbers`;
    const why = "a rank among few candidates does not say what the rank among all of them is";
    throw new Refusal(`${message} of protocol ${protocol}: ${why}.`, "protocol");
  }
  if (protocols.includes(protocol)) return protocol;
  const computed = /^sampled:[1-9]\d{0,14}$/.test(protocol) && protocols.includes("raw");
  const choice = computed ? "" : " Choose the one that the number was computed under.";
  const missing = `The tables hold nothing of ${title} under protocol ${shorten(protocol)}.`;
  throw new Refusal(`${missing} They hold ${protocols.join(", ")}.${choice}`, "protocol", computed);
}

/** The middle part of an identifier: `test/both/standard/counting`. @param {Place} tasks @param {string} [baseline] */
export function locate({ split, side, protocol, aggregation }, baseline = "uniform") {
  const more = [aggregation, baseline].filter((part) => part !== "micro" && part !== "uniform");
  return [split, side, protocol, ...more].join("/");
}

/** What a protocol is, on a side. @param {Catalogue} catalogue @param {string} protocol @param {string} side */
export function summarise({ protocols }, protocol, side) {
  const row = protocols.find(({ key }) => key === protocol);
  return (side === "relation" ? row?.relations : row?.summary) ?? protocol;
}

/** @param {Place} tasks */
export function describe({ split, side, protocol, aggregation }) {
  const sides = side === "both" ? "both sides" : `${side} side`;
  return `${split}, ${sides}, protocol ${protocol}${aggregation === "micro" ? "" : `, ${aggregation}`}`;
}

/** @param {Contents} contents @param {Tasks} tasks */
function requireTasks(contents, tasks) {
  const entry = get(contents.tasks, locate(tasks));
  if (entry) return entry;
  const where = `${tasks.dataset.title} (${describe(tasks)})`;
  if (get(contents.tasks, locate({ ...tasks, aggregation: "micro" }))) {
    const why = tasks.side === "relation" ? ": on the relation side every task counts once" : "";
    throw new Refusal(`The tables hold no averages ${tasks.aggregation} of ${where}${why}.`, "aggregation");
  }
  const places = Object.keys(contents.tasks).map((path) => path.split("/"));
  const sides = places.filter(([split, , protocol]) => split === tasks.split && protocol === tasks.protocol);
  const choices = new Set(sides.length ? sides.map(([, side]) => side) : places.map(([split]) => split));
  const message = `The tables hold no such tasks of ${where}; they hold ${[...choices].join(", ")}.`;
  throw new Refusal(message, sides.length ? "side" : "split");
}

/**
 * The constants of a metric on some tasks, against each baseline that the tables have; chance comes first.
 * @param {Catalogue} catalogue @param {Contents} contents @param {Tasks} tasks @param {Metric} metric
 * @returns {Constants[]}
 */
export function lookUp({ baselines }, contents, tasks, metric) {
  const entry = requireTasks(contents, tasks);
  const where = `${tasks.dataset.key} (${describe(tasks)})`;
  const common = { metric, where, tasks: entry.num_tasks, worst: entry.worst[metric.slug] };
  const constants = baselines.flatMap(({ key }) => {
    const fields = get(get(contents.constants, locate(tasks, key)), metric.slug);
    if (!fields) return [];
    const [expectation, expectationError, variance, varianceError, method] = fields;
    const id = `${contents.id}/${locate(tasks, key)}/${metric.slug}`;
    const level = get(get(contents.levels, locate(tasks, key)), metric.slug) ?? null;
    return [{ ...common, id, baseline: key, level, expectation, expectationError, variance, varianceError, method }];
  });
  if (!constants.length)
    throw new Refusal(`The tables have no constants of ${metric.label} there (${describe(tasks)}).`, "metric");
  return constants;
}
