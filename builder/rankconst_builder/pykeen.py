"""PyKEEN's data sets by name, with its own files and its own split: 36 of them, whether or not a benchmark is one."""

from __future__ import annotations

import difflib
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from rankconst.catalogue.protocols import SPLITS
from rankconst.errors import DownloadError, MissingExtraError, UnknownNameError, UsageError
from rankconst.names import shorten
from rankconst_builder.memory import read_given, refuse_unused

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rankconst.catalogue.protocols import Protocol


@contextmanager
def write_dataset(name: str | None, protocols: Sequence[Protocol], *, alone: bool) -> Iterator[dict[str, Path]]:
    """Write the triples of a data set of PyKEEN to a temporary folder, as Parquet; give split to path, none of None."""
    if name is None:
        yield {}
        return
    if not alone:
        raise UsageError(f"--pykeen {name} is a graph of its own: build others one after the other.")
    given = _get(name)
    with TemporaryDirectory() as folder:
        paths = {}
        for split, factory in given.items():
            if factory is None or not len(factory.mapped_triples):
                continue
            labels = read_given(factory, split)
            columns: Any = {"head": labels.head, "relation": labels.relation, "tail": labels.tail}
            if split == "train":
                ends: Any = pa.chunked_array([chunk for end in ("head", "tail") for chunk in columns[end].chunks])
                refuse_unused(factory, pc.count_distinct(ends.cast(pa.binary())).as_py(), protocols)
            paths[split] = Path(folder) / f"{split}.parquet"
            pq.write_table(pa.table(columns), paths[split])
        yield paths


def _get(name: str) -> dict[str, Any]:
    """Return the triples factory of each split."""
    try:
        from pykeen.datasets import dataset_resolver, get_dataset
    except ImportError as error:
        raise MissingExtraError("--pykeen needs PyKEEN. Run: pip install pykeen") from error
    known = dataset_resolver.lookup_dict
    # PyKEEN would take any other name for a path.
    if dataset_resolver.normalize(name) not in known:
        near = difflib.get_close_matches(name, known)
        hint = f"Did you mean {', '.join(near)}?" if near else f"It has {', '.join(sorted(known))}."
        raise UnknownNameError(f"PyKEEN has no data set {shorten(name)!r}. {hint}")
    try:
        found = get_dataset(dataset=name)
        return dict(zip(SPLITS, (found.training, found.validation, found.testing), strict=True))
    except OSError as error:
        raise DownloadError(f"PyKEEN cannot get {name}: {error}. Check the network.") from error
