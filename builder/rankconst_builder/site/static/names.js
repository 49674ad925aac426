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
  const written = name.trim();
  const plain = squash(name);
  if (!plain) throw new Refusal("Which dataset is it? Type its name: FB15k-237, for example.", "dataset");
  const exact = datasets.find(({ key }) => key === written || key === written.replace(/-/g, "_"));
  const keys = get(ambiguous, plain);
  if (keys && !exact) {
    const titleOf = (/** @type {string} */ key) => datasets.find((dataset) => dataset.key === key)?.title;
    const choices = keys.map((key) => [key, titleOf(key)].filter(Boolean).join(", "));
    const several = `${shorten(written)} is the name of several benchmarks. Say which one it is`;
    throw new Refusal(`${several}: ${choices.join("; ")}.`, "dataset");
  }
  const isNamed = (/** @type {Dataset} */ { key, title, aliases }) => [key, title, ...aliases].map(squash).includes(plain);
  const match = exact ?? datasets.find(isNamed);
  if (match) return match;
  throw new Refusal(`There is no dataset '${shorten(written)}' in tables ${version}: see the page Datasets.`, "dataset");
}

/**
 * The ranking tasks of a number: by its address, then by what the dataset and the tool leave no choice about.
 * @param {Catalogue} catalogue @param {Address} address @returns {Tasks}
 */
export function settle(catalogue, address) {
  const tool = catalogue.tools.find(({ key }) => key === address.tool) ?? null;
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
  return { dataset, tool, protocol, split: address.split || "test", side: address.side || tool?.side || "both" };
}

/** @param {Catalogue} catalogue @param {Address} address @param {Dataset} dataset @param {Tool | null} tool */
function settleProtocol(catalogue, address, { title, protocols }, tool) {
  const only = protocols.length === 1 ? protocols[0] : "";
  const protocol = address.protocol || only || tool?.protocol || catalogue.protocol;
  if (tool?.protocol.startsWith("sampled:") && !protocol.startsWith("sampled:")) {
    const message = `${tool.title} ranks among sampled candidates (protocol ${tool.protocol})`;
    throw new Refusal(`${message}: that does not say what the rank among all of them is.`, "protocol");
  }
  if (protocols.includes(protocol)) return protocol;
  const computed = /^sampled:[1-9]\d{0,14}$/.test(protocol) && protocols.includes("raw");
  const missing = `The tables hold nothing of ${title} under protocol ${shorten(protocol)}.`;
  throw new Refusal(`${missing} They hold ${protocols.join(", ")}.`, "protocol", computed);
}

/** The middle part of an identifier: `test/both/standard/counting`. @param {Place} tasks @param {string} [baseline] */
export function locate({ split, side, protocol }, baseline = "uniform") {
  const place = `${split}/${side}/${protocol}`;
  return baseline === "uniform" ? place : `${place}/${baseline}`;
}

/** @param {Place} tasks */
export const describe = ({ split, side, protocol }) =>
  `${split}, ${side === "both" ? "both sides" : `${side} side`}, protocol ${protocol}`;

/** @param {Contents} contents @param {Tasks} tasks */
function requireTasks(contents, tasks) {
  const entry = get(contents.tasks, locate(tasks));
  if (entry) return entry;
  const places = Object.keys(contents.tasks).map((path) => path.split("/"));
  const sides = places.filter(([split, , protocol]) => split === tasks.split && protocol === tasks.protocol);
  const choices = new Set(sides.length ? sides.map(([, side]) => side) : places.map(([split]) => split));
  const where = `${tasks.dataset.title} (${describe(tasks)})`;
  const message = `The tables hold no such tasks of ${where}; they hold ${[...choices].join(", ")}.`;
  throw new Refusal(message, sides.length ? "side" : "split");
}

/**
 * The constants of a metric on some tasks, against each baseline that the tables have; chance comes first.
 * @param {Catalogue} catalogue @param {Contents} contents @param {Tasks} tasks @param {Metric} metric
 * @returns {Constants[]}
 */
export function lookUp({ baselines, version }, contents, tasks, metric) {
  const entry = requireTasks(contents, tasks);
  const { key } = tasks.dataset;
  const common = { metric, where: `${key} (${describe(tasks)})`, tasks: entry.num_tasks, worst: entry.worst[metric.slug] };
  const constants = baselines.flatMap(({ key: baseline }) => {
    const path = locate(tasks, baseline);
    const moments = get(get(contents.constants, path), metric.slug);
    if (!moments) return [];
    const [expectation, variance] = moments;
    const id = `rankconst:${version}/${key}/${path}/${metric.slug}`;
    const level = get(get(contents.levels, path), metric.slug) ?? null;
    return [{ ...common, id, baseline, level, expectation, variance }];
  });
  if (!constants.length)
    throw new Refusal(`The tables have no constants of ${metric.label} there (${describe(tasks)}).`, "metric");
  return constants;
}
