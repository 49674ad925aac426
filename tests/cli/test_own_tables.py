"""Sets of one's own next to the one included: what is named adds to it, and every number says which
set it is from.
"""

from pathlib import Path

import pytest

import rankconst
from cli.conftest import SMALL, Run
from rankconst.errors import UnknownNameError
from rankconst.tables.descriptor import COLUMNS
from rankconst.tables.sets import join_tables
from rankconst.tasks import Tasks

pd = pytest.importorskip("pandas", reason="sets are built with pandas")

pytestmark = pytest.mark.usefixtures("builder", "cheap_constants")


def test_leftovers_that_cannot_be_read_are_left_out(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rankconst-tables").mkdir()
    (tmp_path / "rankconst-tables" / "datapackage.json").write_text("{", encoding="utf-8")
    screen = run("show", "nations", "mrr")
    assert (screen.code, screen.message[:40]) == (0, "note: rankconst-tables is left out: rank")


@pytest.mark.slow
def test_in_python() -> None:
    mine = rankconst.from_triples(
        SMALL["train"], SMALL["valid"], SMALL["test"], name="MyKG", protocol="standard"
    )
    public = rankconst.load()
    frame = pd.DataFrame(
        {"dataset": ["MyKG", "FB15k-237", "nowhere"], "MRR": ["0.7", "0.338", "0.5"]}
    )
    adjusted = rankconst.adjust(frame, tables=[mine, public], errors="note")
    expected = [
        mine.constants("mykg", "mrr").index(0.7),
        public.constants("fb15k237", "mrr").index(0.338),
    ]
    assert adjusted["AMRR"].tolist()[:2] == expected
    assert rankconst.check({"MRR": "0.7", "dataset": "MyKG"}, tables=[mine, public]).findings == ()
    mr, mrr = (mine.constants("mykg", metric) for metric in ("mr", "mrr"))
    shown = {
        "MR": 2.5, "AMRI": mr.index(2.5), "MRR": 0.5, "AMRR": mrr.index(0.5), "ZMRR": mrr.z(0.5),
    }  # fmt: skip
    (question,) = rankconst.check(shown, tables=[mine, public]).asked
    assert question.remedy == 'dataset="mykg"'


def test_joined_tables_read_as_one() -> None:
    one = rankconst.from_triples(SMALL["train"], None, SMALL["test"], name="one", protocol="raw")
    two = rankconst.from_triples(
        SMALL["train"], None, SMALL["test"][:1], name="one", protocol="raw"
    )
    three = rankconst.from_triples(
        SMALL["train"], None, SMALL["test"], name="three", protocol="raw"
    )
    joined = join_tables([one, two, three])
    for name in COLUMNS:
        assert (
            joined.read(name).to_pylist()
            == one.read(name).to_pylist() + three.read(name).to_pylist()
        )
        assert joined.read(name, "one").to_pylist() == one.read(name).to_pylist()
    assert list(joined.datasets) == ["one", "three"]
    assert joined.histogram("three", protocol="raw") == one.histogram("one", protocol="raw")
    assert joined.version == joined.version_of("nothing") == "unreleased"
    assert join_tables([one]) is one


def test_a_mean_may_be_over_graphs_of_several_sets() -> None:
    graph = SMALL["train"], None, SMALL["test"]
    sets = [rankconst.from_triples(*graph, name=name, protocol="standard") for name in "ab"]
    mean = join_tables(sets).constants(Tasks("a+b"), "mrr").expectation
    parts = [
        tables.constants(name, "mrr").expectation for name, tables in zip("ab", sets, strict=True)
    ]
    assert mean == pytest.approx(sum(parts) / 2, rel=1e-14)


def test_what_a_set_lacks_of_a_dataset_is_taken_from_another() -> None:
    """As of a benchmark that was built under a protocol that the included set does not have."""
    graph = SMALL["train"], None, SMALL["test"]
    one = rankconst.from_triples(*graph, name="one", protocol=["raw", "standard"])
    other = rankconst.from_triples(*graph, name="one", protocol=["raw", "pykeen"])
    joined = join_tables([one, other])
    assert joined.protocols("one") == (*one.protocols("one"), "pykeen")
    for protocol, home in (("raw", one), ("standard", one), ("pykeen", other)):
        tasks = Tasks("one", protocol)
        assert joined.holds(tasks)
        assert joined.sides(tasks) == home.sides(tasks)
        assert joined.histogram(tasks) is home.histogram(tasks)
        assert joined.relations(tasks) == home.relations(tasks)
        assert joined.constants(tasks, "mrr") == home.constants(tasks, "mrr")
    with pytest.raises(UnknownNameError, match="hold no test tasks of one under protocol libkge"):
        joined.constants("one", "mrr", protocol="libkge")
