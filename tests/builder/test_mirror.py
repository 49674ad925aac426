"""The reader against STATISTICS.csv for every dataset of the mirror, and datasets that are the same
graph.
"""

import csv
import functools
import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from brute import count_with_sets
from cases import choose
from graphs import (
    STATIC,
    count_candidates,
    read_contents,
    read_context,
    read_graph,
    read_labels,
    read_plainly,
    sizes_of,
)
from rankconst.catalogue.benchmarks import FORECASTING, find_benchmark, load_benchmarks
from rankconst.catalogue.protocols import PROTOCOLS, SPLITS
from rankconst_builder.candidates import count_protocols
from rankconst_builder.facts import Statistics, describe_graph
from rankconst_builder.graph import encode_labels
from rankconst_builder.pipeline import encode_benchmark

Rows = Sequence[tuple[Any, ...]]

# Several tests read the same graphs.
read_once = functools.lru_cache(4)(read_graph)

GIVEN_BY_PYKEEN = {
    "pykeen_entities": "entities",
    "pykeen_relations": "relations",
    "pykeen_training": "train",
    "pykeen_testing": "test",
    "pykeen_validation": "valid",
}


# Temporal benchmarks: entities and relations as their stat.txt or papers state them, times of the
# files, and facts of each split as papers state them: Jin et al. 2020, Li et al. 2021, Han et al.
# 2021, Goel et al. 2020, Xu et al. 2020.
TEMPORAL = {
    "icews14_regcn": (7128, 230, 365, 74_845, 8_514, 7_371),
    "icews14_xerte": (7128, 230, 365, 63_685, 13_823, 13_222),
    "icews14_interp": (7128, 230, 365, 72_826, 8_941, 8_963),
    "icews0515_regcn": (10488, 251, 4017, 368_868, 46_302, 46_159),
    "icews0515_interp": (10488, 251, 4017, 368_962, 46_275, 46_092),
    "icews18": (23033, 256, 304, 373_018, 45_995, 49_545),
    "yago_tkg": (10623, 10, 189, 161_540, 19_523, 20_026),
    "wiki_tkg": (12554, 24, 21, 0, 67_538, 63_110),  # 232 times with those of its train, which is not there
    "wikidata12k": (12554, 24, 2801, 32_497, 4_062, 4_062),
}  # fmt: skip


def read_dataset(
    mirror: Path, key: str, *, transductive: bool
) -> tuple[Statistics, dict[str, str]]:
    """Return what the reader makes of a dataset, and the columns of STATISTICS.csv that follow, as
    it spells them.
    """
    labels = read_labels(mirror, key, ("transductive_train",) if transductive else tuple(SPLITS))
    if transductive:
        labels = {"train": labels["transductive_train"]}
    found = describe_graph(
        encode_labels(labels, None if transductive else read_context(mirror, key))
    )
    columns: dict[str, int | bool] = {
        "entities_all": found.entities,
        "entities_train": found.entities_train,
        "relations_all": found.relations,
        "relations_train": found.relations_train,
        "n_train_unique": found.distinct["train"],
        **{
            f"overlap_{later}_{earlier}": common
            for (later, earlier), common in found.overlaps.items()
        },
        "self_loops_train": found.self_loops_train,
    }
    for split in SPLITS:
        columns[f"n_{split}"] = found.rows[split]
        columns[f"duplicate_triples_within_{split}"] = found.duplicates(split)
    for split in ("valid", "test"):
        columns[f"n_{split}_pykeen"] = found.seen[split]
        columns[f"n_{split}_pykeen_unique"] = found.seen_distinct[split]
    return found, {name: str(value) for name, value in columns.items()}


# What papers state of benchmarks that STATISTICS.csv leaves out, and what the files have beyond it:
# entities, of them in train, relations, rows of train, valid and test.
STATED = {
    "ingram_fb25": (4_097, 4_097, 216, 17_147, 5_716, 5_716),  # Lee et al. 2023, table 2: the inference graph
    "ingram_fb50": (4_445, 4_445, 205, 11_636, 3_879, 3_879),
    "ingram_fb75": (2_792, 2_792, 186, 9_316, 3_106, 3_106),
    "ingram_fb100": (2_624, 2_624, 77, 6_987, 2_329, 2_329),
    "hm_1k": (9_899, 9_899, 11, 18_638, 0, 476),  # Galkin et al. 2024 (ULTRA), table of inductive datasets
    "hm_3k": (19_218, 19_218, 11, 38_285, 0, 1_349),
    "hm_5k": (23_792, 23_792, 11, 48_425, 0, 2_124),
    "mt3_art": (10_000, 10_000, 45, 28_023, 0, 3_113),
    "mt3_infra": (10_000, 10_000, 27, 21_646, 0, 2_405),
    "mt4_sci": (10_000, 10_000, 42, 12_516, 0, 1_388),
    "mt4_health": (10_000, 10_000, 20, 15_337, 0, 1_703),
    "fbnell": (4_752, 4_747, 183, 10_685, 0, 597),
    "metafam": (656, 656, 28, 7_257, 0, 184),
    "nell995_redgnn": (74_536, 74_432, 200, 149_678, 543, 2_818),
    "conceptnet100k": (78_334, 78_088, 34, 100_000, 1_200, 1_200),
    "cn82k": (78_339, 65_465, 34, 81_920, 10_240, 10_240),  # the paper counts 78,334 entities, else the same
    "db15k": (12_842, 12_785, 279, 79_222, 9_904, 9_902),
    "mkg_w": (15_000, 14_509, 169, 34_196, 4_276, 4_274),
    "kuai16k": (16_015, 16_003, 4, 180_190, 22_523, 22_525),
    "wd50k_statements": (47_155, 40_107, 487, 166_435, 23_913, 46_159),  # Galkin et al. 2020, table 1; one less: __na__
    "wd50k_33_statements": (38_123, 29_667, 428, 73_406, 10_568, 18_133),
    "wd50k_66_statements": (27_346, 18_528, 351, 35_968, 5_154, 8_045),
    "wd50k_100_statements": (18_791, 9_890, 204, 22_738, 3_279, 5_297),
    "jf17k": (25_092, 22_397, 320, 61_400, 0, 17_635),
}  # fmt: skip


@pytest.mark.parametrize(
    "key", choose([key for key, sizes in STATED.items() if sizes[3] < 30_000], [*STATED])
)
def test_files_have_what_papers_state(mirror: Path, key: str) -> None:
    found = describe_graph(read_graph(mirror, key))
    rows = (found.rows[split] for split in SPLITS)
    assert (found.entities, found.entities_train, found.relations, *rows) == STATED[key]


@pytest.mark.slow
# A graph of facts with qualifiers, one of facts with times, and one of triples.
@pytest.mark.parametrize(
    "key",
    choose(["wd50k_100_statements", "wikidata12k", "nations"], [*STATED, *TEMPORAL, "nations"]),
)
def test_counts_equal_plain_loops(mirror: Path, key: str) -> None:
    if key == "wiki_tkg":
        pytest.skip("its train is not there, and says which entities there are")
    graph, count_plainly = (
        read_graph(mirror, key),
        count_with_sets(read_plainly(key, read_contents(mirror, key))),
    )
    for protocol in (
        one for one in PROTOCOLS.values() if one.fits(graph.temporal, graph.qualified)
    ):
        for split in choose(("valid", "test"), SPLITS):
            got, expected = count_candidates(graph, protocol, split), count_plainly(protocol, split)
            assert got.tasks.rows.tolist() == expected.rows
            head, tail, *relation = sizes_of(got)
            assert [head, tail] == [expected.head, expected.tail], (protocol.key, split)
            assert relation in ([], [expected.relation[: len(head)]]), (protocol.key, split)


def read_statistics(mirror: Path) -> list[dict[str, str]]:
    with (mirror / "STATISTICS.csv").open(encoding="utf-8-sig", newline="") as stream:
        return list(csv.DictReader(stream))


def key_of(row: dict[str, str]) -> str:
    return row["key"].partition(" ")[0]


@pytest.mark.slow
def test_reader_reproduces_the_statistics_of_every_dataset(mirror: Path) -> None:
    """And what PyKEEN documents, unless a mismatch is stated; of large ones every week."""
    rows = read_statistics(mirror)
    wrong: list[str] = []
    compared = 0
    for row in (row for row in rows if int(row["n_train"]) < choose(60_000, 10**9)):
        transductive, documented = (
            row["key"].endswith("(train graph)"),
            find_benchmark(key_of(row)).pykeen,
        )
        found, got = read_dataset(mirror, key_of(row), transductive=transductive)
        others = {"key", "mismatch_explanation", "has_crlf", "files_without_final_newline"}
        assert got.keys() | GIVEN_BY_PYKEEN.keys() | others == row.keys()
        wrong += [
            f"{row['key']}: {name} is {got[name]}, expected {row[name]}"
            for name in got
            if got[name] != row[name]
        ]
        counts = {
            "entities": found.entities_train,
            "relations": found.relations_train,
            **found.seen_distinct,
        }
        differing = [
            name
            for name in counts
            if not transductive and documented.get(name, counts[name]) != counts[name]
        ]
        if not transductive and bool(differing) != ("mismatch" in documented):
            wrong.append(
                f"{row['key']}: {differing or 'nothing'} differs from what PyKEEN documents"
            )
        compared += bool(documented.keys() & counts.keys())
    assert wrong == []
    assert compared > 20
    assert len(rows) == 71
    assert sum("(train graph)" in row["key"] for row in rows) == 11
    assert {key_of(row) for row in rows} | STATED.keys() == {
        key
        for key, source in load_benchmarks().items()
        if is_mirrored(mirror, key) and not (source.not_offered or source.format.temporal)
    }


def is_mirrored(mirror: Path, key: str) -> bool:
    files = [
        file.remote.url.partition("://")[2]
        for role, file in load_benchmarks()[key].files.items()
        if role in SPLITS
    ]
    return bool(files) and all((mirror / file).is_file() for file in files)


SAME = sorted(key for key, source in load_benchmarks().items() if source.same_graph_as)


@pytest.mark.slow
@pytest.mark.parametrize("key", choose(["openke_wn18rr"], [*SAME]))
def test_another_source_of_the_same_graph_gives_the_same_histograms(mirror: Path, key: str) -> None:
    ours, others = (
        count_protocols(read_once(mirror, one), STATIC.values())
        for one in (key, find_benchmark(key).same_graph_as)
    )
    assert ours.keys() == others.keys() == {*itertools.product(STATIC, SPLITS)}
    for place, one in ours.items():
        for side in ("head", "tail"):
            assert (
                one.blocks[side].tally.histogram() == others[place].blocks[side].tally.histogram()
            ), (place, side)


def test_every_temporal_benchmark_is_compared_with_papers() -> None:
    assert {
        key for key, source in load_benchmarks().items() if source.format.temporal
    } == TEMPORAL.keys()


@pytest.mark.parametrize(
    "key", choose([key for key, sizes in TEMPORAL.items() if sizes[3] < 70_000], [*TEMPORAL])
)
def test_temporal_benchmarks_are_as_papers_state(mirror: Path, key: str) -> None:
    source = find_benchmark(key)
    graph = encode_benchmark(source, read_contents(mirror, key))
    rows = (len(graph.splits[split]) for split in SPLITS)
    assert (graph.num_entities, graph.num_relations, graph.num_times, *rows) == TEMPORAL[key]
    assert graph.forecasting == (source.split == FORECASTING)
    assert graph.missing == frozenset({"train"} if key == "wiki_tkg" else ())
    times = [{*graph.splits[split].codes[-1].tolist()} for split in SPLITS]
    shared = times[0] & times[1] | times[0] & times[2] | times[1] & times[2]
    assert bool(shared) != graph.forecasting
    assert describe_graph(graph).distinct["test"] == TEMPORAL[key][-1] - (
        1_226 if key == "wiki_tkg" else 0
    )
