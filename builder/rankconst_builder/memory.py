"""Make tables of graphs in memory: DataFrames, arrays, and PyKEEN's factories and data sets."""

from __future__ import annotations

import difflib
from contextlib import contextmanager
from functools import partial
from numbers import Integral
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from rankconst.arrow import as_pandas, refuse_masked
from rankconst.catalogue.baselines import INFORMED
from rankconst.catalogue.benchmarks import Benchmark, LineFormat
from rankconst.catalogue.protocols import SPLITS
from rankconst.errors import (
    DataError,
    DownloadError,
    MissingExtraError,
    UnknownNameError,
    UsageError,
)
from rankconst.names import shorten, show_value, spell
from rankconst.tables.sets import TablesInMemory
from rankconst_builder.facts import describe_dataset, describe_graph
from rankconst_builder.graph import encode_labels
from rankconst_builder.own_files import (
    name_columns,
    place_columns,
    refuse_headings,
    refuse_other_order,
)
from rankconst_builder.package import UNRELEASED, sort_rows
from rankconst_builder.pipeline import choose_protocols
from rankconst_builder.tabulate import tabulate_constants, tabulate_histograms
from rankconst_builder.tallies import count_histograms
from rankconst_builder.triples import Labels

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from rankconst.catalogue.protocols import Protocol
    from rankconst_builder.tabulate import Histograms


def make_tables(
    splits: Mapping[str, Any], key: str, title: str, protocols: Sequence[Protocol]
) -> TablesInMemory:
    """Return the tables that a build of the same triples would write."""
    files = {split: encode_triples(triples, split) for split, triples in splits.items()}
    refuse_headings(files)
    graph = encode_labels(files)
    if not all(_are_named(triples) for triples in splits.values()):
        refuse_other_order(graph, "Pass DataFrames with columns head, relation and tail.")

    protocols = choose_protocols(protocols, graph.temporal)
    statistics = describe_graph(graph)
    refuse_unused(splits["train"], statistics.entities_train, protocols)
    histograms, counting = count_histograms(key, graph, protocols, INFORMED, SPLITS)
    source = Benchmark(key=key, title=title, aliases=(), format=LineFormat(), files={}, split="own")
    tables = {
        "datasets": describe_dataset(source, statistics, {}, counting),
        **tabulate_histograms(histograms),
    }
    make = {name: partial(sort_rows, name, table) for name, table in tables.items()}
    return TablesInMemory(
        path=Path(key),
        descriptor={"version": UNRELEASED, "resources": [], "sources": [], "provenance": []},
        folder=Path(key),
        place=key,
        make={**make, "constants": partial(_make_constants, histograms)},
    )


def _make_constants(histograms: Histograms) -> pa.Table:
    """Compute the rows of constants; a lambda would keep the tables from other processes."""
    return sort_rows("constants", tabulate_constants(histograms))


def _are_named(triples: Any) -> bool:
    """Tell whether the columns of triples have names that say what they hold."""
    names = [str(name) for name in getattr(triples, "columns", ())]
    return hasattr(triples, "mapped_triples") or name_columns(names) is not None


def refuse_unused(train: Any, occurring: int, protocols: Sequence[Protocol]) -> None:
    """Refuse a factory that numbers entities without triples if only seen entities are ranked."""
    numbered = getattr(train, "num_entities", None)
    if not isinstance(numbered, int) or numbered == occurring:
        return

    for protocol in protocols:
        if protocol.candidates == "seen":
            raise DataError(
                f"train numbers {numbered:,} entities, "
                f"and {occurring:,} of them occur in its triples. "
                f"PyKEEN ranks them all, protocol {protocol.key} only those that occur. Name "
                "other protocols, or give rankconst.from_counts what PyKEEN's evaluator counted."
            )


def encode_triples(triples: Any, split: str) -> Labels:
    """Return the labels of triples in a DataFrame, an array, a list or a triples factory."""
    columns = _split_columns(triples, split)
    sizes = {len(column) for column in columns}
    if sizes == {0}:
        raise DataError(f"{split} holds no triples. Leave it out if there are none.")

    parts = ["head", "relation", "tail"] + ["time" for _ in columns[3:]]
    head, relation, tail, *time = (
        _encode(column, f"the {part}s of {split}")
        for column, part in zip(columns, parts, strict=True)
    )
    return Labels(head, relation, tail, tuple(time))


def _split_columns(triples: Any, split: str) -> Sequence[Any]:
    """Return the columns of heads, relations and tails, then those of times, as arrays."""
    triples = as_pandas(triples)
    if hasattr(triples, "mapped_triples"):
        return _split_factory(triples, split)

    if hasattr(triples, "columns") and hasattr(triples, "to_numpy"):
        names = [str(name) for name in triples.columns]
        letters = place_columns(names)
        if letters is None:
            raise DataError(
                f"{split} has columns {', '.join(names)}; expected head, "
                "relation and tail, or three columns in this order whose names say nothing else."
            )
        order = [index for index, letter in enumerate(letters) if letter in "hrtd"]
        order.sort(key=lambda index: "hrtd".index(letters[index]))
        return [np.asarray(triples.iloc[:, index]) for index in order]

    refuse_masked(triples, split)
    kind = object if isinstance(triples, (list, tuple)) else None
    rows = np.asarray(triples, dtype=kind)
    if rows.ndim != 2 or rows.shape[1] != 3:
        raise DataError(
            f"{split} is a {type(triples).__name__} of shape {rows.shape}; expected a DataFrame, "
            "an array of shape (n, 3) or a PyKEEN triples factory; with times, a "
            "DataFrame with columns head, relation, tail and time. For files use `rankconst build`."
        )
    return list(rows.T)


def _split_factory(factory: Any, split: str) -> list[Any]:
    """Return the columns of a triples factory as labels, or as ids if it has no names."""
    columns = []
    ids = np.asarray(factory.mapped_triples).T
    for column, kind in zip(ids, ("entity", "relation", "entity"), strict=True):
        names = getattr(factory, f"{kind}_to_id", None)
        if names is None:
            columns.append(column)
        else:
            columns.append(_name_ids(column, names, split))

    return columns


def _name_ids(ids: NDArray[Any], names: Mapping[Any, int], split: str) -> NDArray[np.object_]:
    """Return the labels that a factory gives to its ids."""
    labels = {int(code): label for label, code in names.items()}
    distinct, codes = np.unique(ids, return_inverse=True)
    unnamed = [code for code in distinct.tolist() if code not in labels]
    if unnamed:
        raise DataError(
            f"{split} has id {unnamed[0]}, which the factory has no name for; pass an array of ids."
        )

    texts = np.array([str(labels[code]) for code in distinct.tolist()], dtype=object)
    return texts[codes.reshape(-1)]


def _encode(column: Any, what: str) -> pa.ChunkedArray[Any]:
    """Return labels as files would have them, with numbers and times written out."""
    if column.dtype.kind in "iu":
        distinct, codes = np.unique(column, return_inverse=True)
        indices: Any = pa.array(codes.astype(np.int32))
        labels = pa.array([str(number) for number in distinct.tolist()], pa.binary())
        coded: Any = pa.DictionaryArray.from_arrays(indices, labels)
    else:
        if column.dtype.kind == "M":
            column = np.where(np.isnat(column), None, np.datetime_as_string(column))
        coded = _read_texts(column, what).dictionary_encode()

    labels = coded.dictionary.cast(pa.binary())
    return pa.chunked_array([pa.DictionaryArray.from_arrays(coded.indices, labels)])


def _read_texts(column: Any, what: str) -> Any:
    """Return labels as text, and refuse rows with neither text nor a whole number."""
    try:
        texts: Any = pa.array(column, pa.string(), from_pandas=True)
    except (pa.ArrowException, UnicodeError):
        texts = pa.array([_to_text(value) for value in column.tolist()], pa.string())

    wrong = [row for row, text in enumerate(texts.to_pylist()) if not text]
    if wrong:
        names = {"None", "nan", "<NA>", "NaT"}
        missing = [row for row in wrong if spell(column[row], str) in names]
        row = missing[0] if missing else wrong[0]
        raise DataError(
            f"{what}: row {row} holds {show_value(column[row])}; "
            "expected a label or a whole number in every row."
        )

    return texts


def _to_text(value: Any) -> str | None:
    """Return a label as text, or None if the value is not a label."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (str, Integral)):
        return None

    try:
        text = str(value)
    except ValueError:  # a whole number of more digits than Python writes
        return None

    # No file can hold half of a surrogate pair.
    is_whole = text.isascii() or text.encode(errors="replace").decode() == text
    return text if is_whole else None


# -- data sets of PyKEEN by name, with its own files and its own split -----------------------------


@contextmanager
def write_dataset(
    name: str | None, protocols: Sequence[Protocol], *, alone: bool
) -> Iterator[dict[str, Path]]:
    """Write a data set of PyKEEN as temporary files, and yield their paths by split.

    Raises UsageError unless `alone`: the command line may name no other graph.
    """
    if name is None:
        yield {}
        return
    if not alone:
        raise UsageError(
            f"--pykeen {name} is a graph of its own: build others one after the other."
        )

    factories = _get_pykeen(name)
    with TemporaryDirectory() as folder:
        paths = {}
        for split, factory in factories.items():
            if factory is None or not len(factory.mapped_triples):
                continue
            labels = encode_triples(factory, split)
            columns: Any = {"head": labels.head, "relation": labels.relation, "tail": labels.tail}
            if split == "train":
                chunks = [*labels.head.chunks, *labels.tail.chunks]
                ends: Any = pa.chunked_array(chunks).cast(pa.binary())
                refuse_unused(factory, pc.count_distinct(ends).as_py(), protocols)

            paths[split] = Path(folder) / f"{split}.parquet"
            pq.write_table(pa.table(columns), paths[split])

        yield paths


def _get_pykeen(name: str) -> dict[str, Any]:
    """Return the factory of each split of a data set of PyKEEN."""
    try:
        from pykeen.datasets import dataset_resolver, get_dataset
    except ImportError as error:
        raise MissingExtraError("--pykeen needs PyKEEN. Run: pip install pykeen") from error

    names = dataset_resolver.lookup_dict
    # PyKEEN would take any other name for a path.
    if dataset_resolver.normalize(name) not in names:
        near = difflib.get_close_matches(name, names)
        hint = f"Did you mean {', '.join(near)}?" if near else f"It has {', '.join(sorted(names))}."
        raise UnknownNameError(f"PyKEEN has no data set {shorten(name)!r}. {hint}")

    try:
        dataset = get_dataset(dataset=name)
        return {
            "train": dataset.training,
            "valid": dataset.validation,
            "test": dataset.testing,
        }
    except OSError as error:
        raise DownloadError(f"PyKEEN cannot get {name}: {error}. Check the network.") from error
