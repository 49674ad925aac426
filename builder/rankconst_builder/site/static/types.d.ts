// What the scripts hand to each other, for the compiler alone.

// -- the tables: names.js and the scripts of constants

interface Metric {
  slug: string; key: string; label: string; share: boolean; increasing: boolean;
  optimum: number; lower: number; upper: number | null; names: { normalised: string; index: string; z: string };
}
/** `counting`: how counting ranks there, in a few words; empty if it has no constants. */
interface Dataset { key: string; title: string; aliases: string[]; protocols: string[]; counting: string }
interface Tool {
  key: string; title: string; protocol: string; side: string | null; batch: number | null;
  shifts: Record<string, number>; caveats: string[]; refused: Record<string, string>; unranked: Record<string, string>;
}
/** `protocol`: the default. */
interface Catalogue {
  version: string; noise: number; protocol: string;
  numbers: { digits: string; exponent: string; plus_minus: string; units: Record<string, number> };
  datasets: Dataset[]; metrics: Metric[]; tools: Tool[]; ambiguous: Record<string, string[]>;
  baselines: { key: string; title: string; brief: string }[];
}
/** `constants`: expectation and variance. */
interface Contents {
  tasks: Record<string, { num_tasks: number; worst: Record<string, number> }>;
  constants: Record<string, Record<string, [number, number]>>;
  levels: Record<string, Record<string, [number, number]>>;
}

// -- a number, and what it is held to

type State = Record<
  "value" | "table" | "dataset" | "metric" | "tool" | "split" | "side" | "protocol" | "version", string
> & { mode: "number" | "table" };
interface Place { split: string; side: string; protocol: string }
/** The address of a number as typed; fields may be empty. */
interface Address extends Place { dataset: string; tool: string }
interface Tasks extends Place { dataset: Dataset; tool: Tool | null }
/** `where`: the dataset and its tasks in words; `level`: how many hits are better than the baseline, and fewer worse. */
interface Constants {
  metric: Metric; expectation: number; variance: number; level: [number, number] | null;
  where: string; id: string; baseline: string; tasks: number; worst: number;
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
/** Chance is the first of the rungs. */
interface Result { tasks: Tasks; metric: Metric; published: Published; shift: number; rungs: Rung[] }

// -- what is shown

type Child = Node | string | null;
/** Attributes; functions are listeners. */
type Traits = Record<string, string | EventListener>;
interface Shown { verdict: string; parts: (Node | null)[] }
/** The data of a page: `words`, `roles` and `reader` once a table is there. */
interface Page {
  names: Catalogue; sets: Record<string, Contents>; words: Record<string, Meaning>; roles: Record<string, string>;
  reader: { showTable: (state: State) => Promise<Shown> };
}

// -- a pasted table

/** `metric`: the slug, or "other"; empty if the column has no numbers of one. */
interface Column { name: string; label: Label; metric: string; role: string }
interface Table { columns: Column[]; rows: string[][] }
/** A table with the result of each number by column and row, null for none; what is left out, and rows that cannot be. */
interface Answer { table: Table; results: (Result | null)[][]; reasons: Set<string>; impossible: string[] }
type Cell = string | number | null;
/** Columns: each cell in full, and as it is printed. */
type Sheet = { heading: string; kind: string; cells: { value: Cell; best: string; range: string }[] }[];

/** The meaning of a word: a value of a field, a metric, a graph ...; in some scopes a reason why it is to be asked about. */
interface Meaning { kind: string; field?: string; value?: string; scopes?: string; reason?: string }
/** A word, or several, of a text; the kind is empty if nobody knows it. */
interface Word extends Meaning { start: number; end: number }
interface Named extends Word { text: string }
/** A text read; `rest`: its letters besides known words. */
interface Label {
  text: string; metrics: string[]; isAdjusted: boolean; percent: boolean; graphs: string[]; values: Named[];
  questions: Named[]; rest: string;
}
/** A field of the address with its value, and the place in the table that has it. */
interface Declaration { field: string; value: string; place: string }
