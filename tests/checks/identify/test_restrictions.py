"""What the user asks for and what the file says, against the shipped tables."""

from __future__ import annotations

import pytest

import rankconst
from rankconst.checks.identify.evidence import Evidence
from rankconst.checks.identify.search import keep_aggregation, list_names, read_asked, read_stated, select
from rankconst.errors import UnknownNameError
from rankconst.results.evaluation import Stated
from rankconst.tables.search import TaskSets

TABLES = rankconst.load()


def test_names_become_keys() -> None:
    asked = read_asked(Stated(dataset="FB15k-237", side="left", split="testing"), TABLES)
    assert asked == {"dataset": "fb15k237", "split": "test", "side": "head"}
    with pytest.raises(UnknownNameError, match="unknown protocol"):
        read_asked(Stated(protocol="none of these"), TABLES)


def test_the_file_may_name_what_nobody_knows() -> None:
    found, notes = read_stated(Evidence((), stated={"dataset": "Freebase", "split": "valid"}), Stated(), TABLES)
    assert found == {"split": "valid", "aggregation": "micro"}
    assert notes == ["the file says dataset Freebase, which the tables do not have."]
    assert keep_aggregation(found) == {"aggregation": "micro"}
    assert list_names(found) == "split valid"


def test_selected_sets_have_all_keys() -> None:
    candidates = TaskSets.of(TABLES)
    chosen = select(candidates, {"dataset": "umls", "side": "both"})
    assert chosen.tolist() == [(tasks.dataset, tasks.side) == ("umls", "both") for tasks in candidates.sets]
    assert select(candidates, {}).all()
