// What the scripts hand to each other, for the compiler alone.

// -- the tables: names.js and v1/ of the site

/** `tail`: whether the command line knows its tail probabilities; `optimum`: null where every ranker gets the same. */
interface Metric {
  slug: string; key: string; label: string; title: string; share: boolean; increasing: boolean; tail: boolean;
  optimum: number | null; lower: number; upper: number | null; names: { normalised: string; index: string; z: string };
}
interface Dataset { key: string; title: string; aliases: string[]; protocols: string[] }
/** `filters`: whether it removes known answers. */
interface Tool {
  key: string; title: string; protocol: string; filters: boolean; side: string | null; batch: number | null;
  shifts: Record<string, number>; caveats: string[]; refused: Record<string, string>; unranked: Record<string, string>;
}
/** `protocol`: the default; `relations`: the summary for that side; `first`: the constants of the first view. */
interface Catalogue {
  version: string; noise: number; protocol: string; bibtex: string; first: Contents;
  datasets: Dataset[]; metrics: Metric[]; tools: Tool[]; ambiguous: Record<string, string[]>;
  protocols: { key: string; summary: string; relations: string }[];
  baselines: { key: string; summary: string; brief: string }[];
}
interface Contents {
  id: string; version: string; tasks: Record<string, { num_tasks: number; worst: Record<string, number> }>;
  constants: Record<string, Record<string, [number, number, number, number, string, number | null]>>;
}

// -- a number, and what it is held to

type State = Record<
  "value" | "table" | "dataset" | "metric" | "tool" | "split" | "side" | "protocol" | "aggregation" | "version", string
> & { mode: "number" | "table" };
interface Place { split: string; side: string; protocol: string; aggregation: string }
/** What somebody says, as typed; empty where nothing is said. */
interface Stated extends Place { dataset: string; tool: string }
interface Tasks extends Place { dataset: Dataset; tool: Tool | null }
interface Moments {
  expectation: number; expectationError: number; variance: number; varianceError: number; method: string;
}
/** `where`: the dataset and its tasks in words. */
interface Constants extends Moments {
  metric: Metric; where: string; id: string; baseline: string; tasks: number; worst: number;
}
/** `digits` times ten to the power of `power`. */
interface Decimal { digits: bigint; power: number }
interface Interval { lower: number; upper: number }
interface Published extends Interval { text: string; value: number }
/** Null if it is undefined. */
type Form = { value: number; interval: Interval } | null;
interface Adjusted { value: number; interval: Interval; normalised: Form; index: Form; z: Form }
/** A number held to a baseline. */
interface Rung { constants: Constants; adjusted: Adjusted }
/** `hasTail`: whether the program knows how probable such numbers are; chance is the first of the rungs. */
interface Found {
  tasks: Tasks; metric: Metric; published: Published; shift: number; hasTail: boolean; rungs: Rung[];
}

// -- what is shown

type Child = Node | string | null;
/** Attributes; functions are listeners. */
type Traits = Record<string, string | boolean | EventListener>;
interface Shown { verdict: string; parts: (Node | null)[] }
/** What is on the page: `words` and `reader` once a table is there. */
interface Held {
  names: Catalogue; sets: Map<string, Contents>; words?: any; reader?: { showTable: (state: State) => Promise<Shown> };
}
type Cell = string | number | null;
/** Numbers in full, and as they are printed. */
interface Sheet { headings: string[]; rows: Cell[][]; shown: string[][] }

// -- a pasted table

/** Spans are missing if the format cannot say. */
interface Row { cells: string[]; spans?: Map<number, number> }
/** The text right around a table, and all of it; `printed`: whether a cell may stand for those below it. */
interface Grid { rows: Row[]; near: string; far: string; printed: boolean }
/** The labels above a column, the upper first. */
interface Column { name: string; labels: Label[]; measure: Label | null; role: string }
interface Table { columns: Column[]; rows: string[][]; first: number; around: Said[] }
/** A table with the result of each number by column and row, null for none, and what is left out. */
interface Answer { table: Table; found: (Found | null)[][]; reasons: Set<string> }

/** A spelling to its field and value; in the lexicon to field, scopes, reason, kind, what it says; of a graph without tasks to "". */
interface Words {
  values: Record<string, [string, string]>; lexicon: Record<string, [string, string, string, string, string]>;
  roles: Record<string, string>; graphs: Record<string, string>; kinds: Record<string, string[]>; ordinary: string[];
  metrics: Record<string, string>; families: Record<string, string>; adjusted: string[]; fillers: string[];
}
/** A word, or several, of a label; the kind is empty if nobody knows it. */
interface Word { kind: string; start: number; end: number; text: string }
/** `role`: of the cells below; `reason`: why its numbers are not read; `whole`: whether all of it is vocabulary. */
interface Label {
  text: string; role: string; metric: string; reason: string; whole: boolean; percent: boolean;
  values: Record<string, string[]>; graphs: string[]; words: string[];
}
/** Where a label stands; what is in the text around a table is asked about, and no more. */
type Scope = "column" | "row" | "name" | "text";
interface Said { label: Label; scope: Scope; place: string }
interface Ask { field: string; word: string; place: string; text: string }
