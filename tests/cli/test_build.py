"""``rankconst build``: what is in the tables that it writes; its screens are recorded."""

import hashlib
import json
import shlex
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from brute import count_brute_force
from carried import open_once
from cases import take_turns
from cli.conftest import SMALL, Run, Write, child_environment
from graphs import STATIC
from rankconst.catalogue.baselines import FLOOR, INFORMED, SINGLE_STEP
from rankconst.catalogue.benchmarks import find_benchmark
from rankconst.tables.archive import load

WriteGraph = Callable[..., list[str]]

pytestmark = pytest.mark.usefixtures("builder", "placeholders")

ORDER = ("train", "valid", "test")
EVERYTHING = ("--splits", "train,valid,test", "--baseline", "all")


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """The folder of the tables; a blank in its name, as in many homes."""
    return tmp_path / "my tables"


@pytest.fixture
def mirrored(mirror: Path, monkeypatch: pytest.MonkeyPatch, run: Run) -> Path:
    """The copies of the benchmarks' files, where builds look for them."""
    del run  # which removes the variable that may be set
    monkeypatch.setenv("RANKCONST_MIRROR", str(mirror))
    return mirror


def provenance(folder: Path) -> dict[str, dict[str, Any]]:
    descriptor = json.loads((folder / "datapackage.json").read_text(encoding="utf-8"))
    return {row["dataset"]: row for row in descriptor["provenance"]}


def test_a_graph_of_ones_own(run: Run, write_graph: WriteGraph, out: Path) -> None:
    assert run("build", *write_graph(SMALL), "--name", "MyKG", "--out", out).code == 0
    tables = load(out)
    assert tables.protocols("mykg") == tuple(STATIC)
    for key, protocol in STATIC.items():
        counted = count_brute_force(SMALL, protocol, "test")
        expected = Counter([*counted.head, *counted.tail])
        histogram: Any = tables.histogram("mykg", protocol=key)
        sizes, numbers = histogram.num_candidates.tolist(), histogram.num_tasks.tolist()
        assert dict(zip(sizes, numbers, strict=True)) == expected


def make_factory(path: Path, like: SimpleNamespace | None = None) -> SimpleNamespace:
    """Return what is read of a triples factory of PyKEEN, with ids of its own or of another one."""
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]
    entities = sorted({row[0] for row in rows} | {row[2] for row in rows})
    relations = sorted({row[1] for row in rows})
    made = like or SimpleNamespace(
        entity_to_id={name: code for code, name in enumerate(entities)},
        relation_to_id={name: code for code, name in enumerate(relations)},
        num_entities=len(entities),
    )
    codes = [
        (made.entity_to_id[h], made.relation_to_id[r], made.entity_to_id[t]) for h, r, t in rows
    ]
    return SimpleNamespace(**{**vars(made), "mapped_triples": np.array(codes)})


@pytest.fixture
def pykeen(mirror: Path, monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """A PyKEEN that has Nations, from the same files as ours."""
    remotes = {split: find_benchmark("nations").files[split].remote.url for split in ORDER}
    paths = {split: mirror / url.removeprefix("https://") for split, url in remotes.items()}
    train = make_factory(paths["train"])
    valid, test = (make_factory(paths[split], train) for split in ORDER[1:])
    nations = SimpleNamespace(training=train, validation=valid, testing=test)
    resolver = SimpleNamespace(lookup_dict={"nations": None, "hetionet": None}, normalize=str.lower)
    datasets = SimpleNamespace(
        dataset_resolver=resolver,
        get_dataset=lambda *, dataset: {"nations": nations}[dataset.lower()],
    )
    monkeypatch.setitem(sys.modules, "pykeen", SimpleNamespace(datasets=datasets))
    monkeypatch.setitem(sys.modules, "pykeen.datasets", datasets)
    return datasets


@pytest.mark.slow
@pytest.mark.usefixtures("pykeen", "mirrored")
def test_a_data_set_of_pykeen_equals_the_benchmark(run: Run, out: Path) -> None:
    assert run("build", "--pykeen", "Nations", "--out", out).code == 0
    assert list(load(out).datasets) == ["pykeen-nations"]
    assert run("build", "nations", "--out", out.with_name("ours")).code == 0
    names = (
        "candidates", "candidates_by_relation", "macro_candidates", "baseline_candidates",
        "constants",
    )  # fmt: skip
    for name in names:
        theirs, ours = (
            pq.read_table(folder / f"{name}.parquet") for folder in (out, out.with_name("ours"))
        )
        assert ours.num_rows
        assert theirs.drop_columns("dataset").equals(ours.drop_columns("dataset"))


def test_what_pykeen_cannot_give(
    run: Run, pykeen: SimpleNamespace, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ask(*words: str) -> str:
        screen = run("build", "--pykeen", *words, "--out", out)
        assert screen.code
        return screen.message

    assert "PyKEEN has no data set 'nation'. Did you mean nations?" in ask("nation")
    assert "It has hetionet, nations." in ask("qqq")
    for more in (["fb15k237"], ["a.tsv"]):
        assert "--pykeen nations is a graph of its own: build others one after the other." in ask(
            "nations", *more
        )
    pykeen.get_dataset(dataset="nations").training.num_entities = 15
    assert "train numbers 15 entities, and 14 of them occur in its triples." in ask("nations")

    def fail(*, dataset: str) -> None:
        raise ConnectionError(f"no route to {dataset}")

    pykeen.get_dataset = fail
    assert "PyKEEN cannot get nations: no route to nations. Check the network." in ask("nations")
    monkeypatch.setitem(sys.modules, "pykeen", None)
    monkeypatch.setitem(sys.modules, "pykeen.datasets", None)
    assert "--pykeen needs PyKEEN. Run: pip install pykeen" in ask("nations")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("protocols", "place"),
    take_turns([(), ("-p", "sampled:500"), ("-p", "pykeen")], ["rankconst-tables", "my tables"]),
)
def test_the_next_command_works(
    run: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    protocols: tuple[str, ...],
    place: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    screen = run("build", "nations", "--offline", "--out", place, *protocols)
    (line,) = [line for line in screen.err.splitlines() if line.startswith("next: rankconst ")]
    words = shlex.split(line.removeprefix("next: rankconst ").replace("VALUE", "0.9"))
    # What is in the usual place is found there.
    assert ("--tables" in words, place in words) == ((place == "my tables",) * 2)
    assert run(*words).code == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("label", "order"), take_turns(["{}", "e{}"], ["htr", "rht", "rth", "thr"])
)
def test_columns_in_another_order_are_asked_about(
    run: Run, write_graph: WriteGraph, out: Path, label: str, order: str
) -> None:
    rows = [(label.format(n % 9), f"{n % 2}", label.format(n * 5 % 9)) for n in range(30)]
    graph = {"train": rows, "valid": rows[:4], "test": rows[5:9]}
    options = ["--name", "mykg", "-p", "raw", "--out", str(out)]
    assert run("build", *write_graph(graph), *options).code == 0
    built = load(out).read("candidates")
    files = write_graph(graph, columns=order)
    told = run("build", *files, *options)
    assert told.code != 0
    shared, likely = ("first", "htr") if order[2] == "r" else ("last", "rht")
    assert f"The {shared} two columns share 9 labels, as heads and tails do, but" in told.message
    assert f"Add --columns {likely} if that is the order" in told.message
    assert run("build", *files, *options, "--columns", order).code == 0
    assert load(out).read("candidates").equals(built)
    assert run("build", *files, *options, "--columns", "hrt").code == 0
    # A heading settles it, too, even one that is odd.
    heading = {"h": "head", "r": "relation", "t": "tail"}
    words = tuple(heading["hrt"[order.index(letter)]] for letter in "hrt")
    headed = {split: [words, *triples] for split, triples in graph.items()}
    assert run("build", *write_graph(headed, columns=order), *options).code == 0


def test_columns_that_are_not_read_are_said(run: Run, tmp_path: Path, out: Path) -> None:
    path = tmp_path / "events.parquet"
    columns = {"head": ["a", "b"], "rel": ["r", "r"], "tail": ["b", "a"], "qualifier": ["q", "q"]}
    pq.write_table(pa.table(columns), path)
    words: list[str | Path] = ["build", path, path, "--name", "mykg", "-p", "raw", "--out", out]
    assert "mykg: columns that are not read: qualifier" in run(*words).message
    assert "not read" not in run(*words, "--columns", "hrt-").message


def test_a_build_without_tasks_is_refused(run: Run, write_graph: WriteGraph, out: Path) -> None:
    files = write_graph({**SMALL, "valid": []})
    told = run("build", *files, "--name", "mykg", "--splits", "valid", "--out", out)
    assert told.code != 0
    assert "no triple of valid is ranked, so there is nothing to build" in told.message
    assert not out.exists()


@pytest.mark.usefixtures("no_builder")
def test_only_downloads_need_the_extra(run: Run, out: Path) -> None:
    screen = run("build", "yago310", "--out", out)
    assert (screen.code, screen.out) == (3, "")
    for fact in ("downloading https://", "needs pooch", "pip install 'rankconst[builder]'"):
        assert fact in screen.message


LACKING = """
import sys
class Lacking:
    def find_spec(self, name, *_):
        if name in {"pooch", "pandas", "scipy", "requests"}:
            raise ModuleNotFoundError(name, name=name)
sys.meta_path.insert(0, Lacking())
"""


@pytest.mark.slow
def test_files_of_ones_own_are_built_without_the_extra(
    write_graph: WriteGraph, tmp_path: Path, cache: Path
) -> None:
    """In a process in which its modules cannot be imported."""
    files = [each for each in write_graph(SMALL) if not each.startswith("--")]
    argv = ["build", *files, "--out", str(tmp_path / "out")]
    code = f"{LACKING}sys.argv[1:] = {argv!r}\nfrom rankconst.cli import main\nmain()"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=child_environment(cache),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, "name: graph" in done.stderr) == (0, True)
    assert list(load(tmp_path / "out").datasets) == ["graph"]


@pytest.mark.slow
def test_valid_and_test_under_chance_unless_more_is_asked_for(
    run: Run, write_graph: WriteGraph, out: Path
) -> None:
    files = write_graph(SMALL)
    every = {*INFORMED} - {SINGLE_STEP}
    for options, splits, baselines in (
        ((), {"valid", "test"}, {FLOOR}),
        (EVERYTHING, {*ORDER}, every),
    ):
        assert run("build", *files, "--name", "mykg", *options, "--out", out).code == 0
        tables = load(out)
        assert {row["split"] for row in tables.read("candidates").to_pylist()} == splits
        assert {
            row["baseline"] for row in tables.read("baseline_candidates").to_pylist()
        } == baselines


@pytest.mark.slow
def test_restricted_benchmark(run: Run, mirrored: Path, out: Path) -> None:
    arguments = ("nations", "--out", out)
    screen = run(
        "build", *arguments, "--relations", "embassy,treaties", "--name", "Nations-Diplomacy"
    )
    assert (screen.code, f"mirror: {mirrored}" in screen.message) == (0, True)
    tables = load(out)
    assert list(tables.datasets) == ["nations-diplomacy"]
    assert tables.datasets["nations-diplomacy"]["title"] == "Nations, restricted to 2 relations"
    assert provenance(out)["nations-diplomacy"]["restriction"] == {
        "relations": ["embassy", "treaties"]
    }
    histogram = tables.histogram("nations-diplomacy")
    assert histogram == open_once().histogram("nations", relations=["treaties", "embassy"])
    assert histogram.total == 44


def test_further_known_triples(mirrored: Path, run: Run, out: Path, write: Write) -> None:
    """usa-embassy: everybody but the true answer becomes a known answer."""
    place = find_benchmark("nations").files["test"].remote.url.removeprefix("https://")
    named = sorted({line.split("\t")[2] for line in (mirrored / place).read_text().splitlines()})
    further = write(
        "".join(f"usa\tembassy\t{nation}\n" for nation in ("atlantis", *named)), "further.tsv"
    )
    arguments = ("nations", "--out", out, "-p", "train+test")
    assert run("build", *arguments, "--known", further).code == 2
    screen = run("build", *arguments, "--known", further, "--name", "mine")
    assert f"{len(named)} of {len(named) + 1} further known triples are of the graph" in screen.err
    tables = load(out)
    assert tables.datasets["mine"]["title"] == "Nations, with further known triples"
    assert provenance(out)["mine"]["restriction"] == {
        "known": {"sha256": hashlib.sha256(further.read_bytes()).hexdigest()}
    }
    further.write_text("embassy\tusa\tuk\n")
    screen = run("build", *arguments, "--known", further, "--name", "mine")
    assert (screen.code, "Are its columns in another order" in screen.message) == (6, True)
