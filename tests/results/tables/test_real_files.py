"""READMEs, pages and LaTeX files of public repositories, read as their tables say; what was expected was read by eye.

Of each table: the dataset as it is written, the models, and the numbers of the first and the last row. ``r`` before a
metric is raw, ``v`` is of valid. A dataset that is asked about is empty. Sources: PUBLIC.csv
next to the files.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import pytest

import rankconst

if TYPE_CHECKING:
    from pathlib import Path

    from rankconst.results.reading import Entry


class Table(NamedTuple):
    dataset: str
    models: int
    metrics: str
    first: str
    last: str


def dglke(dataset: str, models: int, first: str, last: str) -> Table:
    return Table(dataset, models, "MR MRR 1 3 10", first, last)


_M1 = "MRR 10 5 1"
_MRR = "MRR 1 3 10"
_CONEX = "MRR 10 3 1"
_ILPC = "MRR 100 10 5 3 1 AMRI"
_MANA = "MRR rMRR 1 3 10"
_FAST = "rMR MR r10 10"

EXPECTED: dict[str, tuple[Table, ...]] = {
    "markdown/AnselCmy+MetaR__README.md": (
        Table("NELL-One", 2, _M1, ".225 .350 .286 .159", ".308 .475 .406 .216"),
        Table("NELL-One", 2, _M1, ".238 .375 .321 .163", ".313 .499 .420 .214"),
        Table("Wiki-One", 2, _M1, ".323 .414 .373 .275", ".189 .286 .234 .142"),
        Table("Wiki-One", 2, _M1, ".333 .446 .396 .277", ".228 .321 .273 .182"),
    ),
    "markdown/KGCompletion+TransL__README.md": (
        Table("FB15k-237", 2, "rMRR MRR 1 3 10", "0.227 0.342 0.244 0.379 0.535", "0.248 0.355 0.260 0.389 0.551"),
    ),
    "markdown/OpenBioLink+SAFRAN__results.rst": (
        Table("FB15k-237", 3, "MRR 1 10", ".355 .270 .519", ".389 .298 .537"),
        Table("WN18RR", 3, "MRR 1 10", ".494 .452 .572", ".502 .459 .578"),
        Table("YAGO3-10", 3, "MRR 1 10", ".559 .487 .686", ".564 .491 .693"),
    ),
    "markdown/ZichaoHuang+TransE__README.md": (
        Table("WN18", 1, _FAST, "243 231 79.9% 93.9%", "243 231 79.9% 93.9%"),
        Table("FB15k", 1, _FAST, "246 92 47.7% 74.0%", "246 92 47.7% 74.0%"),
    ),
    "markdown/awslabs+dgl-ke__benchmarks.rst": (
        dglke("FB15k", 7, "47.34 0.672 0.557 0.763 0.849", "43.85 0.726 0.632 0.799 0.873"),
        dglke("FB15k", 7, "48.59 0.662 0.542 0.756 0.846", "50.04 0.685 0.581 0.763 0.851"),
        dglke("FB15k", 4, "48.32 0.645 0.521 0.741 0.838", "67.83 0.694 0.590 0.772 0.863"),
        dglke("FB15k", 4, "38.26 0.691 0.591 0.765 0.853", "62.52 0.667 0.567 0.737 0.836"),
        dglke("wn18", 7, "355.4 0.764 0.602 0.928 0.949", "451.6 0.944 0.940 0.945 0.950"),
        dglke("wn18", 5, "348.8 0.739 0.553 0.927 0.948", "487.7 0.943 0.939 0.945 0.951"),
        dglke("wn18", 4, "376.3 0.593 0.264 0.926 0.949", "806.3 0.904 0.881 0.926 0.937"),
        dglke("wn18", 4, "136.0 0.848 0.768 0.927 0.950", "333.8 0.838 0.796 0.870 0.906"),
        dglke("Freebase", 5, "23.56 0.736 0.663 0.782 0.873", "93.20 0.769 0.748 0.779 0.804"),
        dglke("Freebase", 3, "30.82 0.815 0.766 0.848 0.902", "45.62 0.835 0.817 0.843 0.870"),
        dglke("Freebase", 3, "34.25 0.764 0.705 0.802 0.869", "77.83 0.771 0.754 0.779 0.802"),
    ),
    "markdown/dice-group+Convolutional-Complex-Knowledge-Graph-Embeddings__README.md": (
        Table("YAGO3-10", 6, _CONEX, ".340 .540 .380 .240", ".553 .696 .601 .477"),
        Table("FB15K-237", 14, _CONEX, ".241 .419 .263 .155", ".376 .570 .415 .279"),
        Table("WN18RR", 14, _CONEX, ".430 .490 .440 .390", ".485 .559 .495 .450"),
        # Without the triples whose entities are unseen in train: another test set.
        Table("", 6, _CONEX, ".475 .579 .497 .426", ".517 .594 .526 .479"),
        Table("YAGO3-10", 9, _CONEX, ".340 .540 .380 .240", ".553 .696 .601 .474"),
        Table("FB15K-237", 13, _CONEX, ".241 .419 .263 .155", ".376 .570 .415 .279"),
    ),
    "markdown/forangel2014+tree-rule__result.md": (
        Table("FB15k-237", 12, _MRR, "24.32% 18.38% 25.97% 36.65%", "33.44% 25.13% 36.61% 50.19%"),
        Table("WN18RR", 9, _MRR, "39.29% 37.94% 40.08% 42.02%", "33.81% 25.40% 36.96% 50.90%"),
        Table("YAGO3-10", 9, _MRR, "53.47% 47.56% 58.34% 63.32%", "62.65% 57.02% 66.98% 71.38%"),
    ),
    "markdown/liuyuaa+GETD__README.md": (
        Table("WikiPeople-3", 1, _CONEX, "0.373 0.588 0.401 0.284", ""),
        Table("WikiPeople-4", 1, _CONEX, "0.386 0.596 0.462 0.265", ""),
        Table("JF17K-3", 1, _CONEX, "0.732 0.856 0.764 0.669", ""),
        Table("JF17K-4", 1, _CONEX, "0.810 0.913 0.844 0.755", ""),
        Table("WN18", 1, _CONEX, "0.948 0.954 0.950 0.945", ""),
        Table("FB15k", 1, _CONEX, "0.824 0.888 0.847 0.787", ""),
    ),
    "markdown/liuyuaa+RAM__README.md": (
        Table("WikiPeople", 1, "MRR 10 1", "0.380 0.541 0.278", ""),
        Table("JF17K", 1, "MRR 10 1", "0.539 0.690 0.463", ""),
        Table("FB-AUTO", 1, "MRR 10 1", "0.830 0.876 0.803", ""),
        Table("WN18", 1, "MRR 10 1", "0.947 0.952 0.943", ""),
        Table("FB15k", 1, "MRR 10 1", "0.803 0.882 0.756", ""),
    ),
    "markdown/mana-ysh+knowledge-graph-embeddings__README.md": (
        Table("WN18", 2, _MANA, "94.1% 58.7% 93.6% 94.5% 94.7%", "94.3% 58.2% 94.0% 94.6% 94.8%"),
        Table("FB15k", 2, _MANA, "69.2% 24.2% 59.9% 75.9% 84.0%", "69.5% 24.2% 59.8% 76.9% 85.0%"),
    ),
    "markdown/pykeen+ilpc2022__README.md": (
        Table("", 2, _ILPC, "0.1326 0.4705 0.2509 0.1899 0.1396 0.0763 0.730",
              "0.0381 0.4678 0.0917 0.0500 0.0219 0.007 0.666"),
        Table("", 2, _ILPC, "0.0705 0.374 0.1458 0.0990 0.0730 0.0319 0.682",
              "0.0651 0.287 0.1246 0.0809 0.0542 0.0373 0.646"),
    ),
    "markdown/snap-stanford+ogb__examples_lsc_wikikg90m_README.md": (
        Table("WikiKG90M", 6, "vMRR MRR", "", ""),
    ),
    "markdown/thunlp+Fast-TransX__README.md": (
        Table("FB15K", 5, _FAST, "210 82 41.9% 61.3%", "236 95 49.9% 75.2%"),
        Table("WN18", 5, _FAST, "251 239 78.9% 89.8%", "309 297 78.5% 91.9%"),
    ),
    "markdown/uma-pi1+kge__README.md": (
        Table("FB15K-237", 6, _MRR, "0.356 0.263 0.393 0.541", "0.333 0.240 0.368 0.522"),
        Table("WN18RR", 6, _MRR, "0.467 0.439 0.480 0.517", "0.478 0.439 0.494 0.553"),
        Table("FB15K", 6, _MRR, "0.644 0.544 0.708 0.824", "0.783 0.727 0.820 0.877"),
        Table("WN18", 6, _MRR, "0.948 0.943 0.951 0.956", "0.946 0.943 0.948 0.953"),
        Table("", 1, _MRR, "0.551 0.476 0.596 0.682", ""),
        Table("", 2, _MRR, "0.301 0.245 0.331 0.397", "0.300 0.247 0.328 0.390"),
        Table("Freebase", 3, _MRR, "0.594 0.511 0.667 0.726", "0.553 0.520 0.571 0.614"),
        Table("CoDEx-S", 5, _MRR, "0.404 0.293 0.4494 0.623", "0.444 0.339 0.4975 0.638"),
        Table("CoDEx-M", 5, _MRR, "0.317 0.244 0.3477 0.456", "0.328 0.259 0.3599 0.458"),
        Table("CoDEx-L", 5, _MRR, "0.304 0.242 0.3313 0.419", "0.309 0.244 0.3395 0.430"),
    ),
    "markdown/zjukg+NeuralKG__README_CN.md": (
        Table("FB15k-237", 18, _MRR, "0.32 0.23 0.36 0.51", "0.26 0.19 0.29 0.41"),
    ),
    "markdown/zjunlp+NeuralKG__README_CN.md": (
        Table("FB15k-237", 14, _MRR, "0.32 0.23 0.36 0.51", "0.26 0.19 0.29 0.41"),
    ),
    "latex/openbg_img__official_model_comparison.tex": (
        Table("OpenBG-IMG", 5, _MRR, "0.2588±0.0018 0.1920±0.0026 0.2946±0.0012 0.3871±0.0014",
              "0.2930±0.0008 0.2328±0.0003 0.3306±0.0021 0.4031±0.0017"),
    ),
    "latex/pykeen_benchmarking__best_abridged.tex": (
        Table("FB15k237", 4, "10", "0.429470", "0.079974"),
        Table("", 3, "10", "0.979050", "0.109404"),
        Table("WN18RR", 2, "10", "0.534884", "0.542579"),
    ),
    "latex/pykeen_benchmarking__kinships_model_bytes_skyline.tex": (
        Table("", 8, "10", "0.986965", "0.054469"),
    ),
    "latex/pykeen_benchmarking__wn18rr_skyline.tex": (Table("WN18RR", 8, "10", "0.601744", "0.402702"),),
}  # fmt: skip


def name(entry: Entry) -> str:
    """Return the metric as the tables above have it."""
    kind = {"raw": "r", "valid": "v"}.get(entry.context.protocol or entry.context.split or "", "")
    label = "AMRI" if entry.adjustment == "index" else entry.metric.label
    return f"{kind}{label.removeprefix('Hits@')}"


@pytest.mark.parametrize("file", EXPECTED)
def test_every_number_is_read_as_its_table_says(file: str, reference: Path) -> None:
    path = reference / "real" / file
    if not path.is_file():
        pytest.skip(f"no {path}: the files of public repositories are not part of this one")
    tables = EXPECTED[file]
    reading = rankconst.read(path)
    rows: dict[int, list[Entry]] = {}
    for entry in reading.entries:
        rows.setdefault(entry.row, []).append(entry)
    read = list(rows.values())
    counts = Counter(dataset for dataset, models, *_ in tables for _ in range(models))
    assert Counter(entries[0].context.dataset or "" for entries in read) == counts
    place = 0
    for table in tables:
        mine = read[place : place + table.models]
        place += table.models
        assert {entry.context.dataset or "" for entries in mine for entry in entries} == {table.dataset}
        assert all([name(entry) for entry in entries] == table.metrics.split() for entries in mine)
        for numbers, entries in ((table.first, mine[0]), (table.last, mine[-1])):
            if numbers:
                assert [entry.text.replace(" ", "") for entry in entries] == numbers.split()
    assert place == len(read)
