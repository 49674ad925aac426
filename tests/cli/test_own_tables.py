"""Sets of one's own next to the one included: what is named adds to it, and every number says which
set it is from.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import rankconst
from cli.conftest import SMALL
from rankconst.errors import UnknownNameError
from rankconst.tables.descriptor import COLUMNS
from rankconst.tables.sets import join_tables
from rankconst.tasks import Tasks
from rankconst.version import bundled_versions

NEWEST = bundled_versions()[-1]

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from cli.conftest import Run

pd = pytest.importorskip("pandas", reason="sets are built with pandas")

pytestmark = pytest.mark.usefixtures("builder", "cheap_constants")

MIXED = "model,dataset,MRR\nA,MyKG,0.7\nA,FB15k-237,0.338\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a file of results on an own and a public dataset."""
    folder = tmp_path / "here"
    folder.mkdir()
    (folder / "results.csv").write_text(MIXED, encoding="utf-8")
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def write_set(run: Run, write_graph: Callable[..., list[str]]) -> Callable[..., None]:
    """Build a set with a graph of one's own, by default where builds write to."""

    def write(out: str = "rankconst-tables") -> None:
        assert (
            run("build", *write_graph(SMALL), "--name", "MyKG", "--out", out, "-p", "standard").code
            == 0
        )

    return write


@pytest.mark.slow
@pytest.mark.usefixtures("here")
def test_one_file_names_own_and_public_datasets(run: Run, write_set: Callable[..., None]) -> None:
    write_set(out="mine")
    public = rankconst.load().constants("fb15k237", "mrr")
    own = rankconst.load("mine").constants("mykg", "mrr")
    rows = run("adjust", "results.csv", "--tables", "mine", "--json").records
    assert [row["table_version"] for row in rows] == ["unreleased", NEWEST]
    assert [row["AMRR"] for row in rows] == [own.index(0.7), public.index(0.338)]
    screen = run(
        "adjust", 0.7, "-d", "mykg", "-d", "fb15k237", "-m", "mrr", "--tables", "mine", "-f", "json"
    )
    assert [row["table_version"] for row in screen.records] == ["unreleased", NEWEST]
    screen = run("adjust", 0.7, "-d", "mykg", "-d", "fb15k237", "-m", "mrr", "--tables", "mine")
    assert f"Tables unreleased + {NEWEST}." in screen.out
    assert run("show", "nations", "--tables", "mine").out == run("show", "nations").out
    # Without the set, the name is unknown, and the message says where own ones go.
    screen = run("adjust", "results.csv", "-f", "json")
    assert (len(screen.records), "--tables DIR" in screen.message) == (2, True)


@pytest.mark.slow
@pytest.mark.usefixtures("here")
def test_what_a_build_wrote_here_is_found(
    run: Run, write_set: Callable[..., None], here: Path
) -> None:
    write_set()
    rows = run("adjust", "results.csv", "-f", "json").records
    assert [row["table_version"] for row in rows] == ["unreleased", NEWEST]
    # It adds to the set included and replaces nothing of it; only a set that is named does.
    assert run("build", "nations", "--offline", "-p", "raw").code == 0
    shown = run("show", "nations", "mrr", "-f", "json")
    assert {row["table_version"] for row in shown.records} == {NEWEST}
    shown = run("show", "nations", "mrr", "--tables", "rankconst-tables", "-f", "json")
    # What it was not built under is that of the set included.
    protocols: dict[str, list[str]] = {version: [] for version in ("unreleased", NEWEST)}
    for row in shown.records:
        protocols[row["table_version"]].append(row["protocol"])
    assert protocols["unreleased"] == ["raw"]
    assert "standard" in protocols[NEWEST]
    # Leftovers that cannot be read are said to be left out.
    (here / "rankconst-tables" / "datapackage.json").write_text("{", encoding="utf-8")
    screen = run("show", "nations", "mrr", "-f", "json")
    assert screen.code == 0
    assert "note: rankconst-tables is left out: " in screen.message


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
