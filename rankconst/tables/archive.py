"""Open a set of tables and look constants up in it.

A set is a folder with a Parquet file for each table of
:data:`~rankconst.tables.descriptor.COLUMNS` and ``datapackage.json``, which has the version and the
SHA-256 of each file. The package carries the default set and older ones.
:mod:`rankconst.tables.location` finds sets elsewhere.
"""

from __future__ import annotations

import functools
import json
import os
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeGuard, cast

from rankconst.catalogue.baselines import (
    ALL_BASELINES,
    BASELINES,
    COUNTING,
    DEFAULT_BASELINE,
    SINGLE_STEP,
    Counting,
    parse_baseline,
)
from rankconst.catalogue.metrics import HEADLINE, Metric, parse_metric
from rankconst.catalogue.protocols import (
    DEFAULT_AGGREGATION,
    DEFAULT_PROTOCOL,
    ENTITY_SIDES,
    POOLED_SPLITS,
    RELATION_SIDE,
    SIDES,
    check_negatives,
    find_protocol,
)
from rankconst.doubles import NUMBERS, Moments, np
from rankconst.errors import TablesError, UnknownNameError, UsageError
from rankconst.files import exists
from rankconst.moments import compute_moments
from rankconst.names import Names, require_text
from rankconst.tables.descriptor import read_descriptor, read_index
from rankconst.tables.parquet import Records, TableFiles, find_runs
from rankconst.tasks import Histogram, Tasks, sampled_histogram
from rankconst.values.constants import Constants, Indexed
from rankconst.version import bundle_folders

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    import pandas as pd

    from rankconst.catalogue.literature import Suite
    from rankconst.tables.counts_file import AnswerTables


class DatasetNames(NamedTuple):
    """The names of a dataset, and the key of its counting; None without one."""

    title: str
    aliases: list[str]
    counting: str | None


@dataclass(frozen=True, repr=False)
class Tables(TableFiles):
    """One version of the tables: constants and candidate counts, read when first needed.

    Attributes
    ----------
    path
        The folder, or the zip file.
    descriptor
        The content of ``datapackage.json``.
    folder
        The folder, or the folder within the zip file, with the files.
    place
        The path or address that the user gave; None for the tables of the package.
    """

    # True for counts of queries with several right answers; see :func:`are_of_answers`.
    of_answers: ClassVar[bool] = False
    _parsed: dict[str, Records] = field(default_factory=dict, init=False, repr=False, compare=False)
    _lines: dict[str, dict[str, Any]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def set_of(self, dataset: str) -> Tables:
        """Return the set that a dataset, given by its key, is from."""
        del dataset
        return self

    def version_of(self, dataset: str) -> str:
        """Return the version of the set that a dataset, given by its key, is from."""
        return self.set_of(dataset).version

    def set_for(self, tasks: Tasks) -> Tables:
        """Return the set with the constants of some ranking tasks."""
        del tasks
        return self

    def __repr__(self) -> str:
        return f"Tables({str(self.path)!r}, version {self.version!r})"

    @cached_property
    def datasets(self) -> dict[str, dict[str, Any]]:
        """The rows of ``datasets.parquet`` by key of dataset."""
        return {row["dataset"]: row for row in self.read("datasets").to_pylist()}

    def describe(self, dataset: str) -> Mapping[str, Any]:
        """Return title, citation and sizes of a dataset, given by its key."""
        described: Mapping[str, Any] | None = self._find_line(dataset).get("described")
        return self.datasets[dataset] if described is None else described

    @cached_property
    def _index(self) -> bytes:
        """The index of a released set, which is read without Arrow and numpy; else empty."""
        return read_index(self.folder, self.descriptor)

    def _find_line(self, dataset: str) -> dict[str, Any]:
        """Return the entry of a dataset in the index; empty without one."""
        if dataset not in self._lines:
            # Lines are long and many: only this one is taken out and parsed. A name with a lone
            # surrogate is in no index.
            start = self._index.find(f'\n{{"dataset":"{dataset}",'.encode(errors="replace"))
            line = b"{}"
            if start >= 0:
                line = self._index[start : self._index.index(b"\n", start + 1)]
            self._lines[dataset] = json.loads(line)

        return self._lines[dataset]

    def _find_indexed(self, tasks: Tasks, metric: Metric) -> tuple[Moments, Indexed] | None:
        """Return the moments of a metric in the index, and its totals, if it has them."""
        if not _may_be_indexed(tasks, metric):
            return None

        constants = self._find_line(tasks.dataset).get("constants", {})
        of_tasks = constants.get(f"{tasks.protocol}/{tasks.side}/{tasks.baseline}", {})
        if metric.label not in of_tasks:
            return None

        worst, smallest_difference, *numbers = of_tasks[metric.label]
        moments = Moments(**dict(zip(NUMBERS, numbers, strict=True)), method="closed_form")
        return moments, Indexed(of_tasks["num_tasks"], worst, smallest_difference)

    @cached_property
    def _names_of(self) -> dict[str, DatasetNames]:
        """The names of each dataset."""
        if self._index:
            rows = json.loads(self._index[: self._index.index(b"\n")])["names"]
            return {key: DatasetNames(*row) for key, row in rows.items()}
        keys, *columns = (
            self._read("datasets", ("dataset", "title", "aliases", "counting")).to_pydict().values()
        )
        return {key: DatasetNames(*row) for key, *row in zip(keys, *columns, strict=True)}

    @cached_property
    def titles(self) -> dict[str, str]:
        """The titles of the datasets by key."""
        return {key: names.title for key, names in self._names_of.items()}

    @cached_property
    def spellings(self) -> dict[str, tuple[str, ...]]:
        """The title and further spellings of each dataset."""
        return {key: (names.title, *names.aliases) for key, names in self._names_of.items()}

    @cached_property
    def _names(self) -> Names:
        remedy = (
            f"The tables ({self.version}) hold {len(self.titles)}; "
            "`rankconst show datasets` lists them."
        )
        return Names("dataset", self.spellings, remedy)

    def resolve_dataset(self, name: str) -> str:
        """Return the key of the dataset that `name` spells.

        Raises
        ------
        UnknownNameError
            If the tables have no such dataset. The message suggests a similar name, or the command
            that builds the benchmark.
        """
        # A name that is a key needs no registry, which takes longer to read than the tables.
        if require_text(name) in self.titles:
            return name

        from rankconst.catalogue.benchmarks import explain_ambiguous, list_names
        from rankconst.catalogue.literature import find_suite

        if ambiguous := explain_ambiguous(name):
            raise UnknownNameError(ambiguous)

        try:
            return self._names.resolve(name)
        except UnknownNameError as error:
            unknown = error

        # The program may know more names than the tables list, and suites have keys of their own.
        known = list_names().find(name)
        if known in self.titles:
            return known

        suite = find_suite(name) if known is None else None
        if suite is not None:
            return suite.key

        from rankconst.tables.explain import explain_unknown

        raise UnknownNameError(explain_unknown(self, name, str(unknown), load))

    def tasks(
        self,
        dataset: str,
        *,
        split: str = "test",
        side: str = "both",
        protocol: str = DEFAULT_PROTOCOL,
        aggregation: str = DEFAULT_AGGREGATION,
        relations: str | Iterable[str] | None = None,
        baseline: str = DEFAULT_BASELINE,
    ) -> Tasks:
        """Parse the names of some ranking tasks, without looking them up.

        Parameters
        ----------
        dataset, split, side, protocol, aggregation
            Names in any usual spelling: ``"FB15k-237"``, ``"testing"``, ``"left"``, ``"LibKGE"``,
            ``"query"`` ...
        relations
            The relations whose tasks count, as the files of the benchmark write them; all if None.
        baseline
            The ranker whose results are expected: ``"uniform"`` is chance, ``"frequency"`` and
            ``"counting"`` know the training set, ``"counting_single_step"`` all facts before a
            query's time.

        Returns
        -------
        Tasks
            Whether the tables hold such tasks shows when they are looked up.

        Raises
        ------
        UnknownNameError
            If a name is unknown.

        Examples
        --------
        >>> import rankconst
        >>> str(rankconst.load().tasks("FB15k-237", split="testing"))
        'fb15k237/test/both/standard'
        """
        return Tasks.parse(
            self.resolve_dataset(dataset),
            split=split,
            side=side,
            protocol=protocol,
            aggregation=aggregation,
            relations=relations,
            baseline=baseline,
        )

    def constants(
        self,
        dataset: str | Tasks,
        metric: str | Metric,
        split: str = "test",
        side: str = "both",
        protocol: str = DEFAULT_PROTOCOL,
        **names: Any,
    ) -> Constants:
        """Look up the constants of a metric.

        Parameters
        ----------
        dataset, split, side, protocol, names
            As for :meth:`tasks`; or the result of :meth:`tasks` as the first argument.
        metric
            The metric in any usual spelling: ``"H@10"``. Constants without a row in the tables,
            as for Hits@7, are computed from the candidate counts.

        Returns
        -------
        Constants
            From the table, or computed from the histogram if the metric has no row in it.

        Raises
        ------
        UnknownNameError
            If a name is unknown, or the tables hold no such tasks.
        UsageError
            For a macro average of a metric that has none here, or of some relations only.
        """
        if not isinstance(dataset, Tasks):
            dataset = self.tasks(dataset, split=split, side=side, protocol=protocol, **names)
        return self.look_up(dataset, parse_metric(metric))

    def look_up(self, tasks: Tasks, metric: Metric) -> Constants:
        """Return the constants of a metric from a cache. See :meth:`constants`."""
        return self.set_for(tasks)._remember(tasks, metric)

    @cached_property
    def _remember(self) -> Callable[[Tasks, Metric], Constants]:
        """Computes constants, and caches the last 10,000."""
        return functools.lru_cache(10_000)(self._compute)

    def _compute(self, tasks: Tasks, metric: Metric) -> Constants:
        """Return the constants of a metric from the index or the tables, or compute them."""
        if not metric.is_mean and self.find_suite(tasks.dataset) is not None:
            raise UsageError(
                f"{tasks.dataset} averages MR, MRR, Hits@k and nDCG; "
                f"of {metric.label} see its graphs."
            )

        # A metric's range depends on all candidates, whatever the baseline.
        find_histogram = functools.partial(
            self.histogram, replace(tasks, baseline=DEFAULT_BASELINE)
        )
        find_blocks = None if tasks.is_chance else functools.partial(self.histogram, tasks)
        indexed = self._find_indexed(tasks, metric)
        if indexed is not None:
            moments, totals = indexed
            return Constants(
                tasks, metric, find_histogram, moments, self.version, find_blocks, totals
            )

        histogram, found = find_histogram(), self._find_moments(tasks, metric)
        if found is None:
            ranking = histogram if find_blocks is None else find_blocks()
            found = compute_moments(metric, ranking)

        return Constants(tasks, metric, histogram, found, self.version, find_blocks)

    def find_suite(self, dataset: str) -> Suite | None:
        """Return the suite with a name in place of a dataset; None if it names none."""
        if dataset in self.titles:
            return None
        from rankconst.catalogue.literature import read_suite

        return read_suite(dataset)

    def explain_coverage(self, tasks: Tasks) -> str:
        """Explain which graphs of a suite are missing from the constants, if any."""
        suite = self.find_suite(tasks.dataset)
        if suite is None:
            return ""

        from rankconst.tables.suite_means import cover_suite

        coverage = cover_suite(suite, tasks, self)
        if not coverage.missing:
            return ""
        return (
            f"the constants are of {coverage}. "
            "What counting gets there is not known, so it is left out."
        )

    def is_tabulated(self, tasks: Tasks, metric: Metric) -> bool:
        """Return True if constants are a row of the tables, and not computed."""
        home = self.set_for(tasks)
        if _may_be_indexed(tasks, metric) and home._find_line(tasks.dataset):
            return home._find_indexed(tasks, metric) is not None
        return home._find_moments(tasks, metric) is not None

    def _find_moments(self, tasks: Tasks, metric: Metric) -> Moments | None:
        return None if tasks.relations else self.records(tasks.dataset).find_moments(tasks, metric)

    def histogram(self, dataset: str | Tasks, **names: Any) -> Histogram:
        """Return the candidate counts of some ranking tasks, of all their sides and relations.

        Parameters
        ----------
        dataset, names
            As for :meth:`tasks`; or the result of :meth:`tasks` alone.

        Raises
        ------
        UnknownNameError
            If the tables do not hold them.
        UsageError
            For a macro average over some relations only.
        """
        tasks = dataset if isinstance(dataset, Tasks) else self.tasks(dataset, **names)
        _refuse_mixed(tasks)
        suite = self.find_suite(tasks.dataset)
        if suite is not None:
            from rankconst.tables.suite_means import pool_suite

            return pool_suite(suite, tasks, self)

        home = self.set_for(tasks)
        records = home.records(tasks.dataset)
        stored = tasks
        if tasks.is_chance:  # rows of another protocol may serve
            all_tasks = replace(tasks, aggregation=DEFAULT_AGGREGATION, relations=())
            if records.pool(all_tasks) is None:
                stored = home._find_stored(tasks) or tasks

        histogram = records.pool(stored)
        if histogram is None:
            from rankconst.tables.explain import explain_lack

            raise UnknownNameError(explain_lack(home, tasks, stored))
        return histogram if stored == tasks else _sample(tasks, histogram)

    def find_counting(self, dataset: str) -> Counting | None:
        """Return the counting of a dataset, given by its key; None if it has none."""
        names = self._names_of.get(dataset)
        return None if names is None else COUNTING.get(names.counting or "")

    def list_baselines(self, name: str | None, dataset: str | None = None) -> tuple[str, ...]:
        """Return the keys of the baselines that a name asks for; None asks for chance alone.

        ``all`` asks for chance and the baselines in the tables: those of a dataset, given by its
        key, or those of any dataset except the single-step counting that few have.
        """
        if name is None:
            return (DEFAULT_BASELINE,)
        if name != ALL_BASELINES:
            return (parse_baseline(name).key,)

        if dataset not in self.titles:
            dataset = None

        column = ("baseline",)
        table = self._read("baseline_candidates", column, dataset, coded=column)
        held = {key for (key,) in find_runs(table, column)[0]}
        if dataset is None:  # few datasets have it
            held.discard(SINGLE_STEP)

        return tuple(key for key in BASELINES if key == DEFAULT_BASELINE or key in held)

    def relations(self, dataset: str | Tasks, **names: Any) -> tuple[str, ...]:
        """Return the relations of some ranking tasks in alphabetical order.

        Parameters
        ----------
        dataset, names
            As for :meth:`histogram`.

        Returns
        -------
        tuple of str
            Empty if the tables have none, as for train.

        Raises
        ------
        UnknownNameError
            If a name is unknown.
        """
        tasks = dataset if isinstance(dataset, Tasks) else self.tasks(dataset, **names)
        home = self.set_for(tasks)
        stored = home._find_stored(tasks) or tasks
        heads = replace(stored, side=ENTITY_SIDES[0], aggregation=DEFAULT_AGGREGATION, relations=())
        return home.records(tasks.dataset).relations.get(heads, ())

    def holds(self, tasks: Tasks) -> bool:
        """Return True if there are rows of the dataset, protocol and splits of some tasks."""
        home = self.set_for(tasks)
        if tasks.split == "test" and (line := home._find_line(tasks.dataset)):
            addresses = (f"{tasks.protocol}/{side}/{DEFAULT_BASELINE}" for side in SIDES)
            return any(address in line["constants"] for address in addresses)

        histograms = home.records(tasks.dataset).histograms
        for split in POOLED_SPLITS.get(tasks.split, (tasks.split,)):
            rows = (Tasks(tasks.dataset, tasks.protocol, split, side) for side in SIDES)
            if histograms.keys().isdisjoint(rows):
                return False

        return True

    def sides(self, tasks: Tasks) -> tuple[str, ...]:
        """Return the sides with constants, for the dataset, protocol and split of some tasks."""
        home = self.set_for(tasks)
        stored, histograms = home._find_stored(tasks), home.records(tasks.dataset).histograms
        if stored is None:
            return ()

        ranks_relations = find_protocol(tasks.protocol).ranks_relations
        sides = []
        for side in SIDES:
            row = Tasks(stored.dataset, stored.protocol, stored.split, side)
            is_held = row in histograms or {*row.parts} <= histograms.keys()
            if is_held and (ranks_relations or side != RELATION_SIDE):
                sides.append(side)

        return tuple(sides)

    def protocols(self, dataset: str) -> tuple[str, ...]:
        """Return the protocols that the tables hold of a dataset, given by its key."""
        suite = self.find_suite(dataset)
        if suite is not None:
            return (suite.protocol,)
        line = self._find_line(dataset)
        if line:
            return tuple(line["protocols"])
        return tuple(dict.fromkeys(row.protocol for row in self.records(dataset).histograms))

    def _find_stored(self, tasks: Tasks) -> Tasks | None:
        """Return the tasks whose rows serve: the given ones, or another protocol's; else None.

        Under sampled negatives only the numbers of tasks and the relations matter, which rows of
        ``sampled:M`` or ``raw`` have.
        """
        if self.holds(tasks):
            return tasks

        negatives = find_protocol(tasks.protocol).negatives
        if negatives is None:
            return None

        # However negatives are drawn, sampled:M has the same number of them.
        for key in (f"sampled:{negatives}", "raw"):
            substitute = replace(tasks, protocol=key)
            if self.holds(substitute):
                return substitute

        return None

    def to_pandas(self, name: str = "constants") -> pd.DataFrame:
        """Return a whole table as a pandas DataFrame (needs pandas)."""
        return self.read(name).to_pandas()

    def records(self, dataset: str) -> Records:
        """Return the rows of a dataset, given by its key."""
        if dataset not in self._parsed:
            self._parsed[dataset] = Records(dataset, functools.partial(self._read, dataset=dataset))
        return self._parsed[dataset]


def _sample(tasks: Tasks, unsampled: Histogram) -> Histogram:
    """Return the histogram of tasks under a protocol that samples M negatives, as ``sampled:50``.

    `unsampled` is their histogram among all entities; now each task has M + 1 candidates. Under
    ``sampled:M:shared``, all tasks of one side share a list of negatives. For both sides,
    weighted tasks and single relations, it is not known which tasks share one: UsageError. So is a
    number of distinct negatives that exceeds that of other entities.
    """
    protocol = find_protocol(tasks.protocol)
    negatives = cast("int", protocol.negatives)
    check_negatives(protocol, tasks.dataset, int(unsampled.num_candidates.max()))
    if not protocol.shared:
        sizes = np.full(len(unsampled), negatives + 1)
        return Histogram.from_counts(sizes, unsampled.num_tasks, unsampled.weights)
    if tasks.side == "both" or not tasks.is_micro or tasks.relations:
        raise UsageError(
            f"under {protocol.key} it matters which tasks share one list of negatives, "
            f"and of {tasks.describe()} that is not known. "
            "Name one side, or give the number of tasks that share one in place of the dataset."
        )
    return sampled_histogram(protocol, unsampled.total)


def _may_be_indexed(tasks: Tasks, metric: Metric) -> bool:
    """Return True if an index has the constants of some tasks and a metric, if the tables do."""
    is_of_all = tasks.is_micro and not tasks.relations
    return tasks.split == "test" and is_of_all and metric in HEADLINE


def are_of_answers(tables: Tables) -> TypeGuard[AnswerTables]:
    """Return True if tables are counts of queries with several right answers."""
    return tables.of_answers


def _refuse_mixed(tasks: Tasks) -> None:
    """Raise UsageError for single relations or a macro average with names that exclude them."""
    if tasks.side == RELATION_SIDE:
        from rankconst.tables.explain import explain_unranked

        reason = explain_unranked(tasks)
        if reason:
            raise UsageError(reason)

    if tasks.split in POOLED_SPLITS and (tasks.relations or not tasks.is_micro):
        raise UsageError(
            f"{tasks.split} is of all relations, and each task counts once; "
            "name one of its splits for relations or macro averages."
        )
    if tasks.relations and not tasks.is_micro:
        raise UsageError(
            f"{tasks.aggregation} averages are over all relations; "
            "leave out the aggregation or the relations."
        )


def load(path: str | os.PathLike[str] | None = None, version: str | None = None) -> Tables:
    """Open a set of tables.

    Parameters
    ----------
    path
        Any of these; if None, the tables of the package are opened.

        - a folder written by ``rankconst build``, or a zip file of one
        - the URL of such a zip file
        - ``doi:10.PREFIX/SUFFIX`` of a deposit with one zip file, or with the name of the zip file
          behind another slash
        - the version of tables that came with the package

        A URL or DOI may end in ``#sha256=`` and the hash of the file. A download is kept in the
        cache folder and not repeated; to repeat it, delete the file that `Tables.path` names.
    version
        The expected version. If None, the newest, or that of `path`.

    Returns
    -------
    Tables
        Its tables are read when they are first needed.

    Raises
    ------
    UnknownNameError
        If there is no such version.
    TablesError
        If `path` holds no tables or several sets, or is a damaged zip file.
    UsageError
        If `path` is none of these.
    DownloadError
        If a download fails, or is not a whole set with the expected hash.
    MissingExtraError
        If a download needs pooch, which is not installed.

    Examples
    --------
    >>> import rankconst
    >>> rankconst.load().constants("wn18rr", "mr").num_tasks
    6268
    """
    folders = bundle_folders()
    if isinstance(path, str) and path in folders and not exists(Path(path)):
        path, version = None, version or path

    if path is None:
        if not folders:
            raise TablesError(
                "this installation carries no tables; "
                "install rankconst from its wheel with pip, or name a set of them."
            )
        number = list(folders)[-1] if version is None else version
        if number not in folders:
            raise UnknownNameError(
                f"unknown table version {number!r}. Carried: {', '.join(folders)}."
            )
        tables = Tables(folders[number], read_descriptor(folders[number]), folders[number])
    else:
        from rankconst.tables.location import find_location

        place, folder = find_location(path)
        tables = Tables(place, read_descriptor(folder), folder, os.fspath(path))

    if version is not None and tables.version != version:
        raise UnknownNameError(
            f"{tables.folder} holds table version {tables.version}, not {version}. "
            "Leave out the version, or name another set."
        )
    return tables
