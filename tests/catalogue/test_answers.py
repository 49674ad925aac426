"""The registry of libraries for several right answers: complete rows, and names that mean what was
measured.
"""

from cases import for_each
from rankconst.catalogue.answers import (
    FAMILIES,
    LEFT_OUT,
    Library,
    Meaning,
    find_measure,
    list_meanings,
    list_spellings,
    load_libraries,
    parse_library,
)
from rankconst.catalogue.metrics import find_metric

ROWS = load_libraries()


@for_each("row", ROWS.values())
def test_rows_are_complete(row: Library) -> None:
    """Each has version and evidence, says what empty queries and ties do, and names only
    definitions that there are.
    """
    assert row.version
    assert row.evidence
    assert row.ties
    assert {row.empty, *row.empty_of.values()} <= {LEFT_OUT, "0", "1"}
    assert {*row.metrics, *row.metrics_without_k, *row.empty_of} <= {*FAMILIES}
    names = [name for each in {**row.metrics, **row.metrics_without_k}.values() for name in each]
    assert len({*names}) == len(names)
    assert parse_library(row.title) is row
    keys = {name: key for key, spelt in row.metrics.items() for name in spelt}
    for name, key in keys.items():
        assert row.find(f"{name}@7") == row.find(f"test_{name}_7") == Meaning(key, 7), name
        # Of recommenders, map_at_7 is its map_at_k.
        assert row.find(f"{name}_at_7") == Meaning(keys.get(f"{name}_at_k", key), 7), name


@for_each(
    ("name", "meant"),
    [
        ("recall@5", {("recall", 5), ("recall_cap", 5)}),
        ("map@5", {("map", 5), ("map_cut", 5)}),
        ("ndcg@5", {("ndcg", 5), ("ndcg_full", 5), ("ndcg_clipped", 5)}),
        ("precision@5", {("precision", 5), ("precision_cap", 5)}),
        ("hits@5", {("num_hits", 5), ("precision_cap", 5), ("hit_ratio", 5)}),
        ("hit_rate@5", {("hit_ratio", 5)}),
        ("R_cap_at_5", {("recall_cap", 5)}),
        ("mrr", {("mrr", None), ("mrr_all", None)}),
        ("ndcg_clipped@5", {("ndcg_clipped", 5)}),
        ("auc", set()),
    ],
)
def test_what_a_name_may_mean(name: str, meant: set[tuple[str, int | None]]) -> None:
    assert {tuple(each) for each in list_meanings(name)} == meant


def test_names_of_one_right_answer_stay_what_they_are() -> None:
    """Of the names that are metrics of one right answer, only recall is now one of several."""
    for name in ("mrr", "MRR@10", "hits@10", "h@1", "hr@10", "ndcg@3", "MR", "AMRI"):
        assert find_measure(name) == find_metric(name)
    assert {name for name in list_spellings() if find_metric(f"{name}@10")} == {"recall"}
    for name in ("recall", "precision5", "p 5", "f1", "map of entities"):
        found = find_measure(name)
        assert found is None or not found[0].k
