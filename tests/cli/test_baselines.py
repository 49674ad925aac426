"""What baselines get, counted by another program; their screens are recorded."""

import pytest

import rankconst
from carried import open_once
from cases import for_each
from cli.conftest import Run
from rankconst.catalogue.baselines import BASELINES

# E[MRR] and E[Hits@10] on test, both sides, protocol standard: counted and summed once more by
# another program, a loop over triples and scores.
EXPECTED = {
    ("fb15k237", "uniform"): ("0.00071", "0.0007"),
    ("fb15k237", "frequency"): ("0.23455", "0.356"),
    ("wn18rr", "uniform"): ("0.00027", None),
    ("wn18rr", "frequency"): ("0.02563", "0.044"),
    ("nations", "uniform"): ("0.38444", "0.947"),
    ("nations", "frequency"): ("0.56449", "0.965"),
    ("umls", "uniform"): ("0.05883", "0.103"),
    ("umls", "frequency"): ("0.66876", "0.883"),
    ("codexsmall", "frequency"): ("0.21581", None),
    ("codexmedium", "frequency"): ("0.13433", None),
}

# The baselines of the tables that came with the package.
LADDER = open_once().list_baselines("all")


@for_each(("dataset", "baseline"), EXPECTED)
def test_what_a_baseline_gets(dataset: str, baseline: str) -> None:
    tables = open_once()
    for metric, told in zip(("mrr", "hits@10"), EXPECTED[dataset, baseline], strict=True):
        if told is not None:
            decimals = len(told.partition(".")[2])
            found = tables.constants(dataset, metric, baseline=baseline).expectation
            assert f"{found:.{decimals}f}" == told


def test_all_baselines_are_those_of_the_tables(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A row of the catalogue that no builder has counted yet is not asked of them."""
    monkeypatch.setitem(BASELINES, "newest", BASELINES["counting"]._replace(key="newest"))
    args = ("adjust", 0.546, "-d", "umls", "-m", "mrr", "-b", "all", "--json")
    assert [row["baseline"] for row in run(*args).records] == [*LADDER]
    assert rankconst.load().list_baselines("all") == LADDER
