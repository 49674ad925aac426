"""The columns of the tables: names, types, units and meaning, as data.

Reading and writing use :func:`schema_of`; the descriptor of a set of tables repeats these
descriptions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from rankconst.catalogue.baselines import COUNTING, INFORMED

if TYPE_CHECKING:
    import pyarrow as pa


class TableColumn(NamedTuple):
    """A column of a table."""

    name: str
    # texts: a list of them; count: int64; real: float64.
    kind: Literal["text", "texts", "count", "real", "truth"]
    description: str
    unit: str = ""


_TASKS = (
    TableColumn("dataset", "text", "key of the dataset"),
    TableColumn(
        "protocol", "text", "evaluation protocol: standard, libkge, pykeen, raw, or sampled:M"
    ),
    TableColumn("split", "text", "train, valid or test"),
)

_BASELINE = (
    *_TASKS,
    TableColumn("side", "text", "head or tail"),
    TableColumn("baseline", "text", f"{', '.join(INFORMED)}; splits valid and test only"),
)
_BLOCKS = (
    TableColumn(
        "offset", "count", "entities that the baseline scores above the true answer", "entities"
    ),
    TableColumn(
        "num_candidates",
        "count",
        "entities of the same score, the true answer included",
        "entities",
    ),
    TableColumn(
        "num_tasks",
        "count",
        "tasks with that offset and that many entities of the same score",
        "tasks",
    ),
)

COLUMNS: dict[str, tuple[TableColumn, ...]] = {
    "datasets": (
        TableColumn("dataset", "text", "key of the dataset"),
        TableColumn("title", "text", "the name papers print"),
        TableColumn("aliases", "texts", "further spellings that are accepted"),
        TableColumn("entities", "count", "entities in train, valid and test"),
        TableColumn("entities_train", "count", "entities in train"),
        TableColumn("relations", "count", "relations in train, valid and test"),
        TableColumn("relations_train", "count", "relations in train"),
        TableColumn("triples_train", "count", "rows of the train file"),
        TableColumn("triples_valid", "count", "rows of the valid file"),
        TableColumn("triples_test", "count", "rows of the test file"),
        TableColumn("duplicates_train", "count", "rows of train that repeat an earlier one"),
        TableColumn("duplicates_valid", "count", "rows of valid that repeat an earlier one"),
        TableColumn("duplicates_test", "count", "rows of test that repeat an earlier one"),
        TableColumn("valid_in_train", "count", "distinct valid triples that also stand in train"),
        TableColumn("test_in_train", "count", "distinct test triples that also stand in train"),
        TableColumn("test_in_valid", "count", "distinct test triples that also stand in valid"),
        TableColumn(
            "self_loops_train", "count", "distinct triples of train whose head is their tail"
        ),
        TableColumn(
            "dropped_valid",
            "count",
            "rows of valid that protocol pykeen drops: unseen in train, or repeated",
        ),
        TableColumn(
            "dropped_test",
            "count",
            "rows of test that protocol pykeen drops: unseen in train, or repeated",
        ),
        TableColumn(
            "counting",
            "text",
            f"what counting ranks by: {', '.join(COUNTING)}; null where it has no rows",
        ),
        TableColumn(
            "source_urls", "texts", "where the files come from; empty for a graph of one's own"
        ),
        TableColumn(
            "sha256",
            "texts",
            "SHA-256 of the content of the train, valid and test files; null for no file",
        ),
        TableColumn(
            "verified",
            "truth",
            "whether each source file was checked against a hash known beforehand",
        ),
        TableColumn("licence", "text", "what the source states"),
        TableColumn("citation", "text", "the paper that introduced the dataset"),
        TableColumn("citation_url", "text", "where that paper is"),
    ),
    "candidates": (
        *_TASKS,
        TableColumn("side", "text", "head, tail or relation"),
        TableColumn(
            "num_candidates",
            "count",
            "entities, or relations, ranked in a task, the true answer included",
            "candidates",
        ),
        TableColumn("num_tasks", "count", "tasks with that many candidates", "tasks"),
    ),
    "macro_candidates": (
        *_TASKS,
        TableColumn("side", "text", "head or tail"),
        TableColumn(
            "aggregation",
            "text",
            "macro-query; macro-relation of train, of others it follows from relations",
        ),
        TableColumn(
            "num_candidates",
            "count",
            "entities ranked in a task, the true answer included",
            "entities",
        ),
        TableColumn(
            "weight", "real", "what a task counts: 1 / tasks of its query or relation on its side"
        ),
        TableColumn(
            "num_tasks", "count", "tasks with that many candidates and that weight", "tasks"
        ),
    ),
    "candidates_by_relation": (
        *_TASKS,
        TableColumn("side", "text", "head or tail"),
        TableColumn(
            "relation", "text", "the relation as the files write it; splits valid and test only"
        ),
        TableColumn(
            "num_candidates",
            "count",
            "entities ranked in a task, the true answer included",
            "entities",
        ),
        TableColumn("num_tasks", "count", "tasks with that many candidates", "tasks"),
    ),
    "baseline_candidates": (*_BASELINE, *_BLOCKS),
    "baseline_candidates_by_relation": (
        *_BASELINE,
        TableColumn("relation", "text", "the relation as the files write it"),
        *_BLOCKS[:-1],
        TableColumn("weight", "real", "what a task counts in macro-query: 1 / tasks of its query"),
        _BLOCKS[-1],
    ),
    "constants": (
        *_TASKS,
        TableColumn(
            "side", "text", "head, tail, both: the ranks of head and tail pooled; or relation"
        ),
        TableColumn("aggregation", "text", "micro: every task counts once"),
        TableColumn(
            "baseline",
            "text",
            "the ranker whose results are expected: uniform (chance), or counting",
        ),
        TableColumn("metric", "text", "PyKEEN's key of the metric; hits_at_k for every k"),
        TableColumn("k", "count", "the k of hits_at_k, null for other metrics"),
        TableColumn("num_tasks", "count", "ranking tasks", "tasks"),
        TableColumn(
            "expectation",
            "real",
            "mean of the metric over the baseline's rankings",
            "unit of the metric",
        ),
        TableColumn(
            "expectation_error", "real", "absolute error of the expectation", "unit of the metric"
        ),
        TableColumn(
            "variance",
            "real",
            "variance of the metric over the baseline's rankings",
            "squared unit of the metric",
        ),
        TableColumn(
            "variance_error", "real", "absolute error of the variance", "squared unit of the metric"
        ),
        TableColumn(
            "method",
            "text",
            "closed_form (errors bound rounding), "
            "numerical (errors are bounds), sampled (standard errors)",
        ),
        TableColumn("num_draws", "count", "random rankings drawn, for sampled; null otherwise"),
    ),
}
"""Table name to its columns."""

ARCHIVED = frozenset({"baseline_candidates_by_relation"})
"""Tables that the package leaves out: a released archive has them."""

NULLABLE = {
    # What is counted in files of which one may be missing, and what a source need not state.
    "datasets": frozenset(column.name for column in COLUMNS["datasets"][3:]) - {"source_urls"},
    "constants": frozenset({"k", "num_draws"}),
}
"""Table to its columns that may have nulls."""


LEAST = {
    **dict.fromkeys(("num_candidates", "num_tasks", "k"), 1),
    **dict.fromkeys(("expectation_error", "variance", "variance_error", "weight", "offset"), 0),
}
"""Column to the least number that it can have."""


def schema_of(name: str) -> pa.Schema:
    """Return the Arrow schema of a table, one of :data:`COLUMNS`."""
    import pyarrow as pa

    types = {
        "text": pa.string(),
        # Parquet names the items so; any other name would be lost on the way through a file.
        "texts": pa.list_(pa.field("element", pa.string())),
        "count": pa.int64(),
        "real": pa.float64(),
        "truth": pa.bool_(),
    }
    fields = [
        pa.field(column.name, types[column.kind], metadata={"description": column.description})
        for column in COLUMNS[name]
    ]
    return pa.schema(fields)
