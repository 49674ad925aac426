"""``rankconst build``: from a mirror, from the archive, from files of the user's own."""

from __future__ import annotations

import hashlib
import json
import shlex
import subprocess
import sys
from fractions import Fraction
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from brute import count_brute_force
from carried import open_once
from cases import take_turns
from cli.conftest import SMALL, child_environment
from graphs import STATIC
from rankconst.catalogue.baselines import FLOOR, INFORMED, SINGLE_STEP
from rankconst.catalogue.benchmarks import find_benchmark
from rankconst.catalogue.protocols import parse_protocol
from rankconst.cli.build import _find_tests, _summarise
from rankconst.errors import DataError, UsageError
from rankconst.tables.archive import load
from rankconst.version import bundled_versions

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from cli.conftest import Graph, Run, Write

    WriteGraph = Callable[..., list[str]]

pytestmark = pytest.mark.usefixtures("builder", "placeholders")

ORDER = ("train", "valid", "test")
EVERYTHING = ("--splits", "train,valid,test", "--baseline", "all")
SUMMARY = {
    "mr": "arithmetic_mean_rank",
    "mrr": "inverse_harmonic_mean_rank",
    "hits@1": "hits_at_1",
    "hits@10": "hits_at_10",
    "gmr": "geometric_mean_rank",
}


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


def list_built(out: Path) -> list[dict[str, Any]]:
    """What the summary says of each protocol of each dataset."""
    tables = load(out)
    return [
        _summarise(tables, tasks) for key in tables.datasets for tasks in _find_tests(tables, key)
    ]


def expected_of(row: dict[str, Any], name: str) -> Any:
    """The expectation that a row of the summary gives, whichever spelling the field has."""
    return row[f"expectation_{SUMMARY[name]}"]


# -- benchmarks ------------------------------------------------------------------------------------


@pytest.mark.slow
def test_from_the_mirror(run: Run, mirrored: Path, out: Path) -> None:
    args = ("build", "Nations", "countries_s1", "--out", out)
    screen = run(*args)
    assert screen.code == 0
    rows = list_built(out)
    assert sorted({(row["dataset"], row["protocol"]) for row in rows}) == sorted(
        (key, protocol) for key in ("countries_s1", "nations") for protocol in STATIC
    )
    shipped = open_once()
    for row in rows:
        assert (row["split"], row["side"]) == ("test", "both")
        histogram: Any = shipped.histogram(row["dataset"], protocol=row["protocol"])
        assert (row["num_tasks"], row["mean_candidates"]) == (histogram.total, histogram.mean)
        for name in SUMMARY:
            constants = shipped.constants(row["dataset"], name, protocol=row["protocol"])
            assert expected_of(row, name) == constants.expectation
    assert {row["origin"] for row in provenance(out).values()} == {"files"}
    for fact in (
        str(out), str(mirrored), "1,592", "199", "201", "entities: 14", "relations: 55", "1,111",
    ):  # fmt: skip
        assert fact in screen.message


@pytest.mark.slow
@pytest.mark.usefixtures("mirrored")
def test_result_on_stdout_and_the_rest_on_stderr(run: Run, out: Path) -> None:
    screen = run("build", "nations", "--out", out)
    assert screen.code == 0
    assert "nations" in screen.out
    for told in ("tables:", "mirror:", "next:", "relations"):
        assert told not in screen.out
        assert told in screen.err
    for fact in ("4.47761", "0.384441", "0.946930", "3.46888", "standard = libkge = pykeen", "402"):
        assert screen.out.count(fact) == 1 + (fact == "402")


@pytest.mark.slow
def test_offline_falls_back_on_the_archive(run: Run, out: Path, cache: Path) -> None:
    screen = run("build", "nations", "--offline", "--out", out)
    assert screen.code == 0
    assert len(list_built(out)) == len(STATIC)
    (warning,) = [line for line in screen.err.splitlines() if line.startswith("warning:")]
    for fact in ("nations", str(cache), "--offline", bundled_versions()[-1]):
        assert fact in warning
    assert provenance(out)["nations"]["origin"] == f"archive {bundled_versions()[-1]}"
    assert provenance(out)["nations"]["reason"]


def test_offline_without_anything(run: Run, out: Path, cache: Path) -> None:
    screen = run("build", "YAGO3-10", "--offline", "--out", out)
    assert (screen.code, screen.out) == (5, "")
    for fact in ("error:", "https://", str(cache), "--offline", "RANKCONST_MIRROR"):
        assert fact in screen.message
    assert not out.exists()


class _Factory:
    """What is read of PyKEEN's triples factories."""

    def __init__(
        self,
        path: Path,
        entities: dict[str, int] | None = None,
        relations: dict[str, int] | None = None,
    ):
        rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]
        heads, names, tails = ({*column} for column in zip(*rows, strict=True))
        self.entity_to_id = entities or {
            name: code for code, name in enumerate(sorted(heads | tails))
        }
        self.relation_to_id = relations or {name: code for code, name in enumerate(sorted(names))}
        self.num_entities = len(self.entity_to_id)
        self.mapped_triples = np.array(
            [
                (self.entity_to_id[h], self.relation_to_id[r], self.entity_to_id[t])
                for h, r, t in rows
            ]
        )


@pytest.fixture
def pykeen(mirror: Path, monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """A PyKEEN that has Nations, from the same files as ours."""
    remotes = {split: find_benchmark("nations").files[split].remote.url for split in ORDER}
    paths = {split: mirror / url.removeprefix("https://") for split, url in remotes.items()}
    train = _Factory(paths["train"])
    valid, test = (
        _Factory(paths[split], train.entity_to_id, train.relation_to_id) for split in ORDER[1:]
    )
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


def test_one_failure_among_several(run: Run, mirror: Path, out: Path) -> None:
    env = {"RANKCONST_MIRROR": str(mirror)}
    screen = run("build", "yago310", "nations", "--out", out, env=env)
    assert screen.code == 5
    assert {row["dataset"] for row in list_built(out)} == {"nations"}
    assert "warning: yago310" in screen.message
    assert "1 of 2 datasets failed: yago310" in screen.message


# -- protocols -------------------------------------------------------------------------------------


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


# -- graphs of the user's own ----------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("form", "options"),
    [
        ({}, ()),
        ({"delimiter": ",", "columns": "htr", "ending": "csv"}, ("--columns", "htr")),
    ],
)
def test_own_graph(
    run: Run, write_graph: WriteGraph, out: Path, form: dict[str, str], options: tuple[str, ...]
) -> None:
    files = write_graph(SMALL, **form)
    screen = run("build", *files, "--name", "MyKG", *options, "--out", out)
    assert screen.code == 0
    assert_counted_right(list_built(out), SMALL)
    assert "6 + 2 + 5 triples" in screen.message
    assert "entities: 5" in screen.message
    assert "relations: 2" in screen.message
    assert provenance(out)["mykg"]["origin"] == "files"


@pytest.mark.parametrize("odd", ["train", "test"])
def test_labels_that_one_file_writes_with_quotes(
    run: Run, write_graph: WriteGraph, out: Path, odd: str
) -> None:
    graph = {**SMALL, odd: [tuple(map('"{}"'.format, row)) for row in SMALL[odd]]}
    told = run("build", *write_graph(graph), "--name", "mykg", "-p", "raw", "--out", out).message
    assert "entities, such as b" in told
    assert repr(f'"{SMALL["test"][0][1]}"'.encode()) in told
    assert (
        told.count("differ from others only in the blanks, quotes, brackets or control char") == 2
    )


@pytest.mark.slow
@pytest.mark.parametrize(("label", "order"), [("{}", (0, 2, 1)), ("e{}", (1, 0, 2))])
def test_columns_in_another_order_are_noticed(
    run: Run, write_graph: WriteGraph, out: Path, label: str, order: tuple[int, ...]
) -> None:
    rows = [(label.format(n % 9), f"{n % 2}", label.format(n * 5 % 9)) for n in range(30)]
    other = [tuple(row[place] for place in order) for row in rows]
    for graph, options, warned in (
        (rows, [], False),
        (other, [], True),
        (other, ["--columns", "hrt"], False),
    ):
        files = write_graph({"train": graph, "valid": graph[:4], "test": graph[5:9]})
        told = run("build", *files, "--name", "mykg", "-p", "raw", "--out", out, *options).message
        assert (
            "9 different relations, most of which are entities, too, and 2 different" in told
        ) == warned
        assert (
            "are the columns head, relation, tail? Say which is which with --columns" in told
        ) == warned
        assert told.count("columns are read as hrt (--columns changes that)") == (not options)


@pytest.mark.slow
@pytest.mark.parametrize("split", ["train", "test"])
def test_a_first_line_that_may_be_a_heading(
    run: Run, write_graph: WriteGraph, out: Path, split: str
) -> None:
    def say() -> str:
        return run("build", *files, "--name", "mykg", "-p", "raw", "--out", out).message

    files = write_graph({**SMALL, split: [("# made", "by", "hand"), *SMALL[split]]})
    told = (
        f"relation 'by' of the first line of {split} occurs nowhere else, nor do its entities. If "
        "the line is a"
    )
    assert told in say()
    first = SMALL["train"][0]
    for line in (
        ("# made", first[1], "hand"),
        ("# made", "by", first[0]),
        (first[0], "by", "hand"),
    ):
        files = write_graph({**SMALL, split: [line, *SMALL[split]]})
        assert "occurs nowhere else" not in say()


def assert_counted_right(rows: list[dict[str, Any]], graph: Graph) -> None:
    assert [row["protocol"] for row in rows] == list(STATIC)
    for row in rows:
        counted = count_brute_force(graph, parse_protocol(row["protocol"]), "test")
        sizes = [*counted.head, *counted.tail]
        total = len(sizes)
        assert row["num_tasks"] == total
        assert row["mean_candidates"] == pytest.approx(sum(sizes) / total, rel=1e-14)
        expectations = {
            "mr": sum(Fraction(n + 1, 2) for n in sizes) / total,
            "mrr": sum(
                sum((Fraction(1, j) for j in range(1, n + 1)), Fraction()) / n for n in sizes
            )
            / total,
            "hits@1": sum(Fraction(1, n) for n in sizes) / total,
            "hits@10": Fraction(1),
        }
        for name, expectation in expectations.items():
            assert expected_of(row, name) == pytest.approx(float(expectation), rel=1e-13)


# -- usage -----------------------------------------------------------------------------------------


@pytest.mark.usefixtures("no_builder")
def test_only_downloads_need_the_extra(run: Run, write_graph: WriteGraph, out: Path) -> None:
    assert run("build", *write_graph(SMALL), "--name", "mykg", "--out", out).code == 0
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
@pytest.mark.parametrize(
    ("names", "key"),
    [
        (("mykg/train.tsv", "mykg/valid.tsv", "mykg/test.tsv"), "mykg"),
        (("mykg/training.txt", "mykg/testing.txt"), "mykg"),
        (("MyKG_train.tsv", "MyKG_dev.tsv", "MyKG_test.tsv"), "mykg"),
        (("my.kg-train.tsv", "my.kg-test.tsv"), "my.kg"),
    ],
)
def test_files_in_their_order_with_the_name_they_have(
    run: Run, tmp_path: Path, out: Path, names: tuple[str, ...], key: str
) -> None:
    splits = ORDER if len(names) == 3 else ("train", "test")
    paths = [tmp_path / name for name in names]
    for split, path in zip(splits, paths, strict=True):
        path.parent.mkdir(exist_ok=True)
        path.write_text("".join("\t".join(row) + "\n" for row in SMALL[split]), encoding="utf-8")
    screen = run("build", *paths, "--out", out)
    assert screen.code == 0
    assert (
        f"name: {key}, as the files or their folder are called; --name changes it"
        in screen.message.lower()
    )
    assert {row["dataset"] for row in list_built(out)} == {key}
    assert_counted_right(
        list_built(out), {split: SMALL[split] if split in splits else [] for split in ORDER}
    )


@pytest.mark.usefixtures("mirrored")
def test_a_word_that_is_a_benchmark_and_a_file_is_asked_about(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for word in ("nations", "test"):
        (tmp_path / word).write_text("a\tr\tb\n", encoding="utf-8")
    screen = run("build", "nations")
    assert (screen.code, screen.out) == (2, "")
    assert "nations is a benchmark, and a file here: write ./nations for the file" in screen.message
    assert run("build", "Nations", "-p", "raw").code == 0
    assert run("build", "./nations", "test", "--name", "mine").code == 0
    assert list(load("rankconst-tables").datasets) == ["mine", "nations"]


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
@pytest.mark.usefixtures("mirrored")
def test_restricted_benchmark(run: Run, out: Path) -> None:
    arguments = ("nations", "--out", out)
    screen = run(
        "build", *arguments, "--relations", "embassy,treaties", "--name", "Nations-Diplomacy"
    )
    assert screen.code == 0
    tables = load(out)
    assert list(tables.datasets) == ["nations-diplomacy"]
    assert tables.datasets["nations-diplomacy"]["title"] == "Nations, restricted to 2 relations"
    assert provenance(out)["nations-diplomacy"]["restriction"] == {
        "relations": ["embassy", "treaties"]
    }
    histogram = tables.histogram("nations-diplomacy")
    assert histogram == open_once().histogram("nations", relations=["treaties", "embassy"])
    assert list_built(out)[0]["num_tasks"] == histogram.total == 44


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
    assert screen.code == 0
    assert f"{len(named)} of {len(named) + 1} further known triples are of the graph" in screen.err
    tables = load(out)
    assert tables.datasets["mine"]["title"] == "Nations, with further known triples"
    assert provenance(out)["mine"]["restriction"] == {
        "known": {"sha256": hashlib.sha256(further.read_bytes()).hexdigest()}
    }
    further.write_text("embassy\tusa\tuk\n")
    screen = run("build", *arguments, "--known", further, "--name", "mine")
    assert (screen.code, "Are its columns in another order" in screen.message) == (6, True)


def test_benchmark_with_sampled_negatives_needs_no_files(run: Run, out: Path) -> None:
    screen = run("build", "ogbl-biokg", "--offline", "--out", out)
    assert screen.code == 0
    row = list_built(out)[0]
    assert row["protocol"] == "sampled:500"
    assert row["num_tasks"] == 2 * 162_870
    assert row["mean_candidates"] == 501
    assert expected_of(row, "mr") == 251
    refused = run("build", "ogbl-biokg", "--out", out, "--relations", "x", "--name", "mine")
    assert (refused.code, "without triples" in refused.message) == (2, True)


def test_a_temporal_graph_of_ones_own(run: Run, out: Path, tmp_path: Path) -> None:
    facts = {"train": "a\tr\tb\t1\nb\tr\tc\t1\na\tr\tc\t2\n", "test": "a\tr\tb\t3\na\tr\td\t3\n"}
    files: list[Any] = []
    for split, text in facts.items():
        (tmp_path / f"{split}.tsv").write_text(text, encoding="utf-8")
        files.append(tmp_path / f"{split}.tsv")
    asked = ("build", *files, "--name", "mykg", "--out", out)
    refused = run(*asked)
    assert refused.code == DataError.exit_code
    assert "--columns hrtd" in refused.message
    screen = run(*asked, "--columns", "hrtd")
    assert {row["protocol"]: float(row["mean_candidates"]) for row in list_built(out)} == {
        "raw": 4.0, "static": (4 + 4 + 2 + 2) / 4, "time-aware": (4 + 4 + 3 + 3) / 4,
    }  # fmt: skip
    assert "3 + 0 + 2 quadruples (train + valid + test)" in screen.err
    for protocol, told in (
        ("standard", "is for graphs without time"),
        ("time-aware", "needs the time of every fact"),
    ):
        other = run(
            *asked, "--columns", "hrtd" if protocol == "standard" else "hrt-", "-p", protocol
        )
        assert (other.code, told in other.message) == (UsageError.exit_code, True)
