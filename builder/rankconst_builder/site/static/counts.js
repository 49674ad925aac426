// The numbers of candidates of ranking tasks whose constants are not in the tables, fetched only then.

import { fetchBlocks, fetchCounts, fetchRelations } from "./dom.js";
import { Refusal } from "./format.js";
import { isComputed } from "./moments.js";
import { countNegatives, locate, requireTasks, shorten } from "./names.js";

/** @typedef {import("./arithmetic.js").Metric} Metric */
/** @typedef {import("./moments.js").Block} Block */
/** @typedef {import("./names.js").Tasks} Tasks */

/** @typedef {Record<string, Block[]> & {uniform: Block[]}} Blocks by baseline */
/** Offsets where a baseline has some, numbers of candidates, numbers of tasks. @typedef {number[][]} Columns */
/** @typedef {{id: string, counts: Record<string, Columns>}} Counts by tasks of one side */
/** @typedef {{id: string, counts: Record<string, Record<string, Columns>>}} OfRelations by tasks and relation */

/**
 * Gather the candidates of tasks whose constants the page computes; null where the tables hold them.
 * @param {import("./names.js").Catalogue} catalogue
 * @param {import("./names.js").Contents} contents
 * @param {Tasks} tasks
 * @param {Metric} metric
 * @returns {Promise<Blocks | null>}
 */
export async function gather({ version, baselines }, contents, tasks, metric) {
  const { dataset, protocol, side, aggregation, relation } = tasks;
  const negatives = dataset.protocols.includes(protocol) ? 0 : countNegatives(protocol);
  if (!negatives && !relation && !metric.k) return null;
  const where = negatives ? `Under protocol ${protocol}` : `For ${relation ? "single relations" : metric.label}`;
  const refuse = (/** @type {string} */ only, /** @type {string} */ field) => {
    throw new Refusal(`${where}, this page computes ${only} only.`, field, true);
  };
  if (aggregation !== "micro" && relation)
    throw new Refusal(`Averages ${aggregation} are over all relations: leave out one of the two.`, "aggregation");
  if (aggregation !== "micro") refuse("micro averages", "aggregation");
  if (protocol.endsWith(":shared")) refuse("constants of independent tasks", "metric");
  if (!isComputed(metric)) refuse("MR, MRR and Hits@k", "metric");
  if (side === "relation" && (negatives || relation)) {
    const why = negatives
      ? `Protocol ${protocol} has no relation side: its negatives are entities.`
      : "The relation side is of all relations together: leave out the relation, or choose another side.";
    throw new Refusal(why, "side");
  }
  if (negatives) {
    if (relation) refuse("averages over all relations", "relation");
    const { num_tasks } = requireTasks(contents, { ...tasks, protocol: "raw" });
    return { uniform: [{ offset: 0, size: negatives + 1, tasks: num_tasks }] };
  }
  requireTasks(contents, tasks);
  if (relation) {
    const found = dataset.relations ? await fetchRelations(version, dataset.key) : null;
    const parts = list(found?.counts ?? {}, tasks);
    if (parts.every((each) => each && Object.hasOwn(each, relation)))
      return { uniform: pool(parts.map((each) => each?.[relation])) };
    const why = `no ${tasks.split} tasks of ${dataset.title} with relation ${shorten(relation)}`;
    throw new Refusal(`The tables hold ${why} under protocol ${protocol}.`, "relation");
  }
  const { counts } = await fetchCounts(version, dataset.key);
  const gathered = /** @type {Blocks} */ ({ uniform: pool(list(counts, tasks)) });
  const informed = baselines.filter(({ key }) => key !== "uniform" && contents.constants[locate(tasks, key)]);
  const held = informed.length ? (await fetchBlocks(version, dataset.key)).counts : {};
  for (const { key } of informed) gathered[key] = pool(list(held, tasks, key));
  return gathered;
}

/**
 * What is held of each side of some tasks.
 * @template T
 * @param {Record<string, T>} held
 * @param {Tasks} tasks
 * @param {string} [baseline]
 * @returns {(T | undefined)[]}
 */
function list(held, tasks, baseline) {
  const sides = tasks.side === "both" && !held[locate(tasks, baseline)] ? ["head", "tail"] : [tasks.side];
  return sides.map((side) => held[locate({ ...tasks, side }, baseline)]);
}

/** @param {(Columns | undefined)[]} parts @returns {Block[]} those of the same ranks as one */
function pool(parts) {
  /** @type {Map<string, Block>} */
  const pooled = new Map();
  for (const columns of parts) {
    if (!columns) throw new Refusal("The tables hold only one side of these tasks.", "side");
    const [sizes, counts] = columns.slice(-2);
    const offsets = columns.length > 2 ? columns[0] : null;
    sizes.forEach((size, at) => {
      const offset = offsets?.[at] ?? 0;
      const known = pooled.get(`${offset} ${size}`);
      if (known) known.tasks += counts[at];
      else pooled.set(`${offset} ${size}`, { offset, size, tasks: counts[at] });
    });
  }
  return [...pooled.values()];
}

/**
 * The relations of some tasks, to choose from.
 * @param {import("./names.js").Catalogue} catalogue
 * @param {Tasks} tasks
 */
export async function listRelations({ version }, tasks) {
  if (!tasks.dataset.relations) return [];
  const { counts } = await fetchRelations(version, tasks.dataset.key);
  return [...new Set(list(counts, tasks).flatMap((each) => Object.keys(each ?? {})))].sort();
}
