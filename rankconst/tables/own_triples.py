"""A graph of one's own as tables, from its triples in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rankconst.catalogue.names import as_names
from rankconst.catalogue.protocols import PROTOCOLS, parse_protocol
from rankconst.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rankconst.tables.tables import Tables


def from_triples(
    train: Any,
    valid: Any = None,
    test: Any = None,
    *,
    protocol: str | Iterable[str] | None = None,
    name: str = "triples",
) -> Tables:
    """Make tables of a graph of your own from its triples, as ``rankconst build`` does from files.

    Parameters
    ----------
    train, valid, test
        The triples of each split: a DataFrame with columns head, relation and tail, in any usual words, or with three
        columns in this order; an array or a list of rows of three, ids or labels; or a triples factory of PyKEEN, by
        the labels that it has. `valid` may be None. A repeated triple counts as often as it is there. A DataFrame with
        a column time, or with begin and end, is one of a temporal graph.
    protocol
        The protocol, or several; if None, ``standard``, ``libkge``, ``pykeen`` and ``raw``; of a temporal graph
        ``raw``, ``static`` and ``time-aware``.
    name
        What the dataset is called.

    Returns
    -------
    Tables
        With this one dataset; nothing is written. A constant is computed when it is first asked for.

    Raises
    ------
    DataError
        If something is no triple: a missing label, a fraction, a heading. Also if a factory numbers entities that its
        train triples lack, which PyKEEN ranks and protocol ``pykeen`` does not.
    UnknownNameError
        If there is no such protocol.
    UsageError
        If train or test is missing, or the name is that of a benchmark.

    Examples
    --------
    >>> import pandas as pd
    >>> train = pd.DataFrame({"head": ["ada", "bob", "cy"], "relation": "knows", "tail": ["bob", "cy", "dee"]})
    >>> mykg = from_triples(train, test=[("ada", "knows", "cy")], name="mykg")
    >>> round(mykg.constants("mykg", "mrr").adjust("0.75").index, 4)
    0.3571
    """
    from rankconst.catalogue.benchmarks import make_key
    from rankconst_builder.memory import make_tables
    from rankconst_builder.pipeline import order_protocols

    if train is None or test is None:
        raise UsageError("a graph of your own needs train and test; only valid may be None.")
    names = PROTOCOLS if protocol is None else as_names(protocol)
    given = {"train": train, "valid": valid, "test": test}
    return make_tables(
        {split: triples for split, triples in given.items() if triples is not None},
        make_key(name),
        name,
        order_protocols(map(parse_protocol, names)),
    )
