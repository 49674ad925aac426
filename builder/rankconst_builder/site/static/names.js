// What people type, as the names that the tables use; and which ranking tasks a number is from.

import { Refusal } from "./format.js";
import { computeMoments, computeWorst, countTasks } from "./moments.js";

/** @typedef {import("./arithmetic.js").Metric} Metric */
/** @typedef {import("./arithmetic.js").Constants} Constants */

/**
 * @typedef {object} Dataset
 * @property {string} key
 * @property {string} title
 * @property {string[]} aliases
 * @property {string[]} protocols
 * @property {string[]} sampled
 * @property {boolean} relations whether there are candidates by relation
 * @property {string} year
 */

/**
 * @typedef {object} Tool
 * @property {string} key
 * @property {string} title
 * @property {string} protocol
 * @property {boolean} sampled
 * @property {string | null} side
 * @property {Record<string, number>} shifts
 * @property {number | null} batch
 * @property {string[]} caveats
 * @property {Record<string, string>} refused
 * @property {Record<string, string>} unranked
 */

/**
 * @typedef {object} Catalogue
 * @property {string} program
 * @property {string} version
 * @property {number} noise
 * @property {{protocol: string, baseline: string}} defaults
 * @property {Dataset[]} datasets
 * @property {Record<string, string[]>} ambiguous
 * @property {Metric[]} metrics
 * @property {Tool[]} tools
 * @property {{key: string, summary: string, relations: string}[]} protocols relations: the summary for that side
 * @property {string} sampled the summary of sampled:M, with {m}
 * @property {{key: string, title: string, summary: string}[]} baselines
 * @property {{key: string, summary: string}[]} aggregations
 * @property {Record<string, string[]>} splits
 * @property {Record<string, string[]>} sides
 * @property {Record<string, string[]>} roles what a column may say, with its other headings
 * @property {string} framework the paper whose framework the tables follow
 * @property {string} bibtex
 */

/** @typedef {[number, number, number, number, string, number | null]} Fields */

/**
 * @typedef {object} Contents
 * @property {string} id
 * @property {string} version
 * @property {Record<string, {num_tasks: number, worst: Record<string, number>}>} tasks
 * @property {Record<string, Record<string, Fields>>} constants
 */

/**
 * What somebody says about a number, as typed; empty where nothing is said.
 * @typedef {object} Stated
 * @property {string} dataset
 * @property {string} tool
 * @property {string} split
 * @property {string} side
 * @property {string} protocol
 * @property {string} aggregation
 * @property {string} relation
 */

/**
 * @typedef {object} Tasks
 * @property {Dataset} dataset
 * @property {Tool | null} tool
 * @property {string} split
 * @property {string} side
 * @property {string} protocol
 * @property {string} aggregation
 * @property {string} relation empty for all
 */

/** @param {string} name */
export const squash = (name) => name.toLowerCase().replace(/[^a-z0-9]+/g, "");

/** @param {string} name */
export const shorten = (name) => (name.length > 80 ? `${name.slice(0, 80)}...` : name);

/**
 * @param {Catalogue} catalogue
 * @param {string} name
 * @returns {Dataset}
 */
export function findDataset(catalogue, name) {
  const { datasets } = catalogue;
  const plain = squash(name);
  if (!plain) throw new Refusal("Which dataset is it? Type its name: FB15k-237, for example.", "dataset");
  const written = name.trim();
  const exact = datasets.find(
    (each) => [each.key, each.title, ...each.aliases].includes(written) && each.key === written,
  );
  const meant = catalogue.ambiguous[plain];
  if (meant && !exact && !datasets.some((each) => each.key === written.replace(/-/g, "_"))) {
    const titles = meant.map((key) => `${key}${titleOf(datasets, key)}`);
    throw new Refusal(
      `${shorten(written)} is the name of several benchmarks. Say which one it is: ${titles.join("; ")}.`,
      "dataset",
    );
  }
  const found =
    exact ??
    datasets.find((each) => [each.key, each.title, ...each.aliases].some((spelling) => squash(spelling) === plain));
  if (found) return found;
  const near = suggestDatasets(catalogue, name).slice(0, 3);
  const hint = near.length ? ` Did you mean ${near.map((each) => each.title).join(" or ")}?` : "";
  throw new Refusal(`There is no dataset '${shorten(written)}' in tables ${catalogue.version}.${hint}`, "dataset");
}

/** @param {Dataset[]} datasets @param {string} key */
function titleOf(datasets, key) {
  const found = datasets.find((each) => each.key === key);
  return found ? `, ${found.title}` : "";
}

/**
 * The datasets whose spelling has what was typed in it, the best first; if there is none, those that are near.
 * @param {Catalogue} catalogue
 * @param {string} name
 */
export function suggestDatasets({ datasets }, name) {
  const plain = squash(name);
  const rated = datasets.map((each) => {
    const spelt = [each.key, each.title, ...each.aliases].map(squash);
    const begins = spelt.some((one) => one.startsWith(plain));
    const distance = begins
      ? 0
      : spelt.some((one) => one.includes(plain))
        ? 0.5
        : Math.min(...spelt.map((one) => differ(one, plain)));
    return { each, distance };
  });
  const allowed = Math.max(1, Math.floor(plain.length / 4));
  return rated
    .filter(({ distance }) => distance <= (plain ? allowed : 0))
    .sort((one, other) => one.distance - other.distance)
    .map(({ each }) => each);
}

/** @param {string} one @param {string} other @returns {number} how many letters must change */
function differ(one, other) {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [i, letter] of [...one].entries()) {
    const next = [i + 1];
    for (let j = 0; j < other.length; j += 1) {
      next.push(Math.min(next[j] + 1, row[j + 1] + 1, row[j] + Number(letter !== other[j])));
    }
    row = next;
  }
  return row[other.length];
}

const NUMBERED = /^([a-z][a-z\s_-]{0,80}?)\s*(?:[@_-]\s*)?(\d{1,20})$/i;

/** The greatest k of Hits@k: beyond, a number is rather a slip. */
const MOST_K = 1e9;
/** @type {Map<number, Metric>} */
const beyond = new Map();

/**
 * @param {Catalogue} catalogue
 * @param {string} name
 * @returns {Metric | null}
 */
export function findMetric({ metrics }, name) {
  const bare = name.trim();
  const numbered = NUMBERED.exec(bare);
  if (!numbered && /\d/.test(bare)) return null;
  const k = Number(numbered?.[2]);
  const plain = numbered ? `${squash(numbered[1])}${k}` : squash(bare);
  const found = metrics.find((each) => each.spellings.includes(plain));
  if (found) return found;
  const hits = metrics.find(({ slug }) => slug === "hits@10");
  if (!numbered || !hits?.spellings.includes(`${squash(numbered[1])}10`) || k < 1 || k > MOST_K) return null;
  const made = beyond.get(k) ?? setK(hits, k);
  beyond.set(k, made);
  return made;
}

/** @param {Metric} hits Hits@10 @param {number} k @returns {Metric} one that the tables do not hold */
function setK(hits, k) {
  const change = (/** @type {string} */ name) => name.replace(/10$/, String(k));
  const { normalised, index, z } = hits.names;
  const names = { normalised: change(normalised), index: change(index), z: change(z) };
  return {
    ...hits,
    ...{ slug: change(hits.slug), key: change(hits.key), label: change(hits.label), names },
    k,
    spellings: [],
    adjusted: {},
  };
}

/**
 * @param {Catalogue} catalogue
 * @param {string} name of an adjusted metric
 * @returns {{metric: Metric, form: string} | null}
 */
export function findAdjusted({ metrics }, name) {
  const plain = squash(name);
  const metric = metrics.find((each) => Object.hasOwn(each.adjusted, plain));
  return metric ? { metric, form: metric.adjusted[plain] } : null;
}

/**
 * @param {Record<string, string[]>} known
 * @param {string} name
 */
export function findName(known, name) {
  const plain = squash(name);
  return Object.keys(known).find((key) => [key, ...known[key]].map(squash).includes(plain)) ?? null;
}

/** @param {string} protocol @returns {number} M of sampled:M; 0 for another protocol */
export const countNegatives = (protocol) => Number(/^sampled:([1-9]\d{0,14})$/.exec(protocol)?.[1] ?? 0);

/**
 * @param {Catalogue} catalogue
 * @param {string} name
 */
export function findProtocol({ protocols }, name) {
  const [, negatives] = /^sampled[:_ -]?0*([1-9]\d{0,14})$/i.exec(name.trim()) ?? [];
  const known = Object.fromEntries(protocols.map(({ key }) => [key, []]));
  return negatives ? `sampled:${negatives}` : findName(known, name);
}

/**
 * Say which ranking tasks a number is from: what is said, then what the dataset and the tool leave no choice about.
 * @param {Catalogue} catalogue
 * @param {Stated} stated
 * @returns {Tasks}
 */
export function settle(catalogue, stated) {
  const tool = catalogue.tools.find((each) => each.key === stated.tool) ?? null;
  if (stated.tool && !tool) throw new Refusal(`There is no tool '${shorten(stated.tool)}' here.`, "tool");
  const refused = tool?.refused[squash(stated.dataset)];
  if (refused) throw new Refusal(refused, "tool");
  const dataset = findDataset(catalogue, stated.dataset);
  const reason = tool?.refused[squash(dataset.key)];
  if (reason) throw new Refusal(reason, "tool");
  const unranked = tool?.unranked[stated.side];
  if (unranked) throw new Refusal(unranked, "side");
  const only = dataset.protocols.length === 1 ? dataset.protocols[0] : "";
  const implied = tool?.protocol ?? "";
  const protocol = stated.protocol || only || implied || catalogue.defaults.protocol;
  const isSampled = (/** @type {string} */ key) => key.startsWith("sampled:");
  const few = [implied, only].find(isSampled);
  if (stated.protocol && few && !isSampled(protocol)) {
    const whose = tool && few === implied ? `Numbers of ${tool.title}` : "Numbers on this dataset";
    throw new Refusal(
      `${whose} rank among sampled candidates (protocol ${few}); they cannot be turned into numbers of protocol ` +
        `${protocol}: a rank among few candidates does not say what the rank among all of them is.`,
      "protocol",
    );
  }
  if (/^sampled:/.test(protocol) && dataset.protocols.includes("raw")) {
    if (!countNegatives(protocol))
      throw new Refusal("The number of negatives is a whole number from 1: 50, for example.", "protocol");
  } else if (!dataset.protocols.includes(protocol)) {
    throw new Refusal(
      `The tables hold nothing of ${dataset.title} under protocol ${protocol}. They hold ` +
        `${dataset.protocols.join(", ")}: choose the one that the number was computed under.`,
      "protocol",
    );
  }
  if (tool?.batch) {
    throw new Refusal(
      `${tool.title} leaves out the last, incomplete batch of ${tool.batch} triples. What that leaves open is not ` +
        "computed on this page.",
      "tool",
      true,
    );
  }
  return {
    dataset,
    tool,
    split: stated.split || "test",
    side: stated.side || tool?.side || "both",
    protocol,
    aggregation: stated.aggregation || "micro",
    relation: stated.relation,
  };
}

/**
 * The middle part of an identifier: `test/both/standard/frequency`.
 * @param {{split: string, side: string, protocol: string, aggregation: string}} tasks
 * @param {string} [baseline]
 */
export function locate({ split, side, protocol, aggregation }, baseline = "uniform") {
  const parts = [split, side, protocol];
  if (aggregation !== "micro") parts.push(aggregation);
  if (baseline !== "uniform") parts.push(baseline);
  return parts.join("/");
}

/**
 * What a protocol is, on a side.
 * @param {Catalogue} catalogue
 * @param {string} protocol
 * @param {string} side
 */
export function summarise({ protocols, sampled }, protocol, side) {
  const found = protocols.find(({ key }) => key === protocol);
  if (!found && countNegatives(protocol)) return sampled.replaceAll("{m}", String(countNegatives(protocol)));
  return (side === "relation" ? found?.relations : found?.summary) ?? protocol;
}

/** @param {Tasks} tasks */
export function describe({ split, side, protocol, aggregation, relation }) {
  const sides = side === "both" ? "both sides" : `${side} side`;
  const more = `${aggregation === "micro" ? "" : `, ${aggregation}`}${relation ? `, only ${relation}` : ""}`;
  return `${split}, ${sides}, protocol ${protocol}${more}`;
}

/**
 * @param {Contents} contents
 * @param {Tasks} tasks
 */
export function requireTasks(contents, tasks) {
  const told = contents.tasks[locate(tasks)];
  if (told) return told;
  if (contents.tasks[locate({ ...tasks, aggregation: "micro" })]) {
    const why = tasks.side === "relation" ? ": on the relation side every task counts once" : "";
    throw new Refusal(
      `The tables hold no averages ${tasks.aggregation} of ${tasks.dataset.title} (${describe(tasks)})${why}.`,
      "aggregation",
    );
  }
  const held = Object.keys(contents.tasks).map((each) => each.split("/"));
  const sides = held.filter(([split, , protocol]) => split === tasks.split && protocol === tasks.protocol);
  const others = new Set(sides.length ? sides.map(([, side]) => side) : held.map(([split]) => split));
  throw new Refusal(
    `The tables hold no such tasks of ${tasks.dataset.title} (${describe(tasks)}); they hold ${[...others].join(", ")}.`,
    sides.length ? "side" : "split",
  );
}

/**
 * The constants of a metric on some tasks, against each baseline that the tables have.
 * @param {Catalogue} catalogue
 * @param {Contents} contents
 * @param {Tasks} tasks
 * @param {Metric} metric
 * @param {import("./counts.js").Blocks | null} [blocks] by baseline, where the tables hold no constants
 * @returns {Constants[]}
 */
export function lookUp(catalogue, contents, tasks, metric, blocks = null) {
  const where = `${tasks.dataset.key} (${describe(tasks)})`;
  if (blocks) {
    const common = { metric, where, tasks: countTasks(blocks.uniform), worst: computeWorst(metric, blocks.uniform) };
    return Object.entries(blocks).map(([baseline, own]) => ({
      ...{ ...common, ...computeMoments(metric, own), baseline, computed: true },
      id: `${contents.id}/${locate({ ...tasks, protocol: countNegatives(tasks.protocol) ? "raw" : tasks.protocol }, baseline)}`,
    }));
  }
  const told = requireTasks(contents, tasks);
  const found = catalogue.baselines.flatMap(({ key }) => {
    const fields = contents.constants[locate(tasks, key)]?.[metric.slug];
    if (!fields) return [];
    const [expectation, expectationError, variance, varianceError, method] = fields;
    return [
      {
        metric,
        where,
        computed: false,
        id: `${contents.id}/${locate(tasks, key)}/${metric.slug}`,
        baseline: key,
        tasks: told.num_tasks,
        worst: told.worst[metric.slug],
        ...{ expectation, expectationError, variance, varianceError, method },
      },
    ];
  });
  if (!found.length) {
    throw new Refusal(`The tables have no constants of ${metric.label} there (${describe(tasks)}).`, "metric");
  }
  return found;
}
