"""``rankconst build``: from a mirror, from the archive, from files of the user's own."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import json
import lzma
import shlex
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from brute import count_brute_force
from carried import open_once
from cli.conftest import SMALL, child_environment
from graphs import STATIC
from oracles import differing_rows
from placeholders import LONG
from rankconst.catalogue.baselines import BUILT, FLOOR
from rankconst.catalogue.benchmarks import find_benchmark
from rankconst.catalogue.protocols import parse_protocol
from rankconst.errors import DataError, UsageError
from rankconst.tables.tables import load
from rankconst.version import bundled_versions
from rankconst_builder.remarks import _find_alike

if TYPE_CHECKING:
    from collections.abc import Callable

    from cli.conftest import Graph, Run, RunInTerminal

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


def provenance(folder: Path) -> dict[str, dict[str, Any]]:
    descriptor = json.loads((folder / "datapackage.json").read_text(encoding="utf-8"))
    return {row["dataset"]: row for row in descriptor["provenance"]}


def expected_of(row: dict[str, Any], name: str) -> Any:
    """The expectation that a row of the summary gives, whichever spelling the field has."""
    return row[f"expectation_{SUMMARY[name]}"]


def assert_same_as_shipped(folder: Path, *keys: str) -> None:
    """Compare candidates, and the constants that do not take long.

    The others are compared where the builder is called: test_mirror_and_archive_and_shipped_tables_agree.
    """
    built, shipped = load(folder), open_once()
    for name in ("candidates", "constants"):
        of_shipped = [row for key in sorted(keys) for row in shipped.read(name, key).to_pylist()]
        of_built = built.read(name).to_pylist()
        baselines = shipped.list_baselines("all")
        rows = (
            [row for row in each if row.get("metric") not in LONG and row.get("baseline", "uniform") in baselines]
            for each in (of_built, of_shipped)
        )
        assert differing_rows(*rows) == []


# -- benchmarks ----------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_from_the_mirror(run: Run, mirror: Path, out: Path) -> None:
    args = ("build", "Nations", "countries_s1", *EVERYTHING, "--mirror", mirror, "--out", out, "-f", "json")
    screen = run(*args)
    assert screen.code == 0
    rows = screen.records
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
    assert_same_as_shipped(out, "nations", "countries_s1")
    assert {row["origin"] for row in provenance(out).values()} == {"files"}
    for fact in (str(out), str(mirror), "1,592", "199", "201", "entities: 14", "relations: 55", "1,111"):
        assert fact in screen.message


@pytest.mark.slow
def test_mirror_from_the_environment(run: Run, mirror: Path, out: Path) -> None:
    screen = run("build", "-d", "nations", "--out", out, "--offline", env={"RANKCONST_MIRROR": str(mirror)})
    assert screen.code == 0
    assert "warning" not in screen.message
    assert provenance(out)["nations"]["origin"] == "files"


def test_empty_mirror_variable_is_none(run: Run, out: Path) -> None:
    screen = run("build", "-d", "nations", "--out", out, "--offline", env={"RANKCONST_MIRROR": ""})
    assert "not in the cache" in screen.message


@pytest.mark.parametrize("form", ["table", "json", "csv"])
def test_result_on_stdout_and_the_rest_on_stderr(run: Run, mirror: Path, out: Path, form: str) -> None:
    screen = run("build", "-d", "nations", "--mirror", mirror, "--out", out, "-f", form)
    assert screen.code == 0
    assert "nations" in screen.out
    for told in ("tables:", "mirror:", "next:", "relations"):
        assert told not in screen.out
        assert told in screen.err
    if form == "csv":
        assert [row["protocol"] for row in screen.rows] == list(STATIC)
    if form == "table":
        for fact in ("4.47761", "0.384441", "0.946930", "3.46888", "standard = libkge = pykeen", "402"):
            assert screen.out.count(fact) == 1 + (fact == "402")


@pytest.mark.slow
def test_no_number_is_cut_in_a_terminal(run: Run, run_in_terminal: RunInTerminal, mirror: Path, out: Path) -> None:
    args = ("build", "-d", "nations", "--mirror", mirror, "--out", out)
    assert run(*args).code == 0
    screen = run_in_terminal(*args)
    assert (screen.code, "up to date" in screen.out) == (0, True)
    assert "…" not in screen.out
    for fact in ("nations", "standard = libkge = pykeen", "raw", "4.47", "0.384", "0.946"):
        assert fact in screen.out


@pytest.mark.slow
def test_offline_falls_back_on_the_archive(run: Run, out: Path, cache: Path) -> None:
    screen = run("build", "-d", "nations", "--offline", *EVERYTHING, "--out", out, "-f", "json")
    assert screen.code == 0
    assert len(screen.records) == len(STATIC)
    (warning,) = [line for line in screen.err.splitlines() if line.startswith("warning:")]
    for fact in ("nations", str(cache), "--offline", bundled_versions()[-1]):
        assert fact in warning
    assert provenance(out)["nations"]["origin"] == f"archive {bundled_versions()[-1]}"
    assert provenance(out)["nations"]["reason"]
    assert_same_as_shipped(out, "nations")
    # What is asked for is taken, here too.
    assert run("build", "-d", "nations", "--offline", "--splits", "test", "--out", out).code == 0
    tables = load(out)
    for name in ("candidates", "macro_candidates", "candidates_by_relation", "constants"):
        assert {row["split"] for row in tables.read(name).to_pylist()} == {"test"}
    assert {row["baseline"] for row in tables.read("baseline_candidates").to_pylist()} == {FLOOR}
    assert provenance(out)["nations"]["splits"] == "test"


def test_offline_without_anything(run: Run, out: Path, cache: Path) -> None:
    screen = run("build", "-d", "YAGO3-10", "--offline", "--out", out)
    assert (screen.code, screen.out) == (5, "")
    for fact in ("error:", "https://", str(cache), "--offline", "--mirror"):
        assert fact in screen.message
    assert not out.exists()


def test_mirror_that_lacks_a_file(run: Run, tmp_path: Path, out: Path) -> None:
    screen = run("build", "-d", "yago310", "--mirror", tmp_path, "--out", out)
    assert (screen.code, screen.out) == (5, "")
    for fact in (str(tmp_path), "YAGO3-10/train.txt", "host/path"):
        assert fact in screen.message


class _Factory:
    """What is read of PyKEEN's triples factories."""

    def __init__(self, path: Path, entities: dict[str, int] | None = None, relations: dict[str, int] | None = None):
        rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]
        heads, names, tails = ({*column} for column in zip(*rows, strict=True))
        self.entity_to_id = entities or {name: code for code, name in enumerate(sorted(heads | tails))}
        self.relation_to_id = relations or {name: code for code, name in enumerate(sorted(names))}
        self.num_entities = len(self.entity_to_id)
        self.mapped_triples = np.array(
            [(self.entity_to_id[h], self.relation_to_id[r], self.entity_to_id[t]) for h, r, t in rows]
        )


@pytest.fixture
def pykeen(mirror: Path, monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """A PyKEEN that has Nations, from the same files as ours."""
    remotes = {split: find_benchmark("nations").files[split].remote.url for split in ORDER}
    paths = {split: mirror / url.removeprefix("https://") for split, url in remotes.items()}
    train = _Factory(paths["train"])
    valid, test = (_Factory(paths[split], train.entity_to_id, train.relation_to_id) for split in ORDER[1:])
    nations = SimpleNamespace(training=train, validation=valid, testing=test)
    resolver = SimpleNamespace(lookup_dict={"nations": None, "hetionet": None}, normalize=str.lower)
    datasets = SimpleNamespace(
        dataset_resolver=resolver, get_dataset=lambda *, dataset: {"nations": nations}[dataset.lower()]
    )
    monkeypatch.setitem(sys.modules, "pykeen", SimpleNamespace(datasets=datasets))
    monkeypatch.setitem(sys.modules, "pykeen.datasets", datasets)
    return datasets


@pytest.mark.usefixtures("pykeen")
def test_a_data_set_of_pykeen_equals_the_benchmark(run: Run, mirror: Path, out: Path) -> None:
    assert run("build", "--pykeen", "Nations", "--out", out).code == 0
    assert run("build", "-d", "nations", "--mirror", mirror, "--out", out.with_name("ours")).code == 0
    names = ("candidates", "candidates_by_relation", "macro_candidates", "baseline_candidates", "constants")
    for name in names:
        theirs, ours = (pq.read_table(folder / f"{name}.parquet") for folder in (out, out.with_name("ours")))
        assert ours.num_rows
        assert theirs.drop_columns("dataset").equals(ours.drop_columns("dataset"))


def test_what_pykeen_cannot_give(run: Run, pykeen: SimpleNamespace, out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def ask(*words: str) -> str:
        screen = run("build", "--pykeen", *words, "--out", out)
        assert screen.code
        return screen.message

    assert "PyKEEN has no data set 'nation'. Did you mean nations?" in ask("nation")
    assert "It has hetionet, nations." in ask("qqq")
    for more in (["fb15k237"], ["-d", "umls"], ["--train", "a.tsv"]):
        assert "--pykeen nations is a graph of its own: build others one after the other." in ask("nations", *more)
    pykeen.get_dataset(dataset="nations").training.num_entities = 15
    assert "train numbers 15 entities, and 14 of them occur in its triples." in ask("nations")

    def fail(*, dataset: str) -> None:
        raise ConnectionError(f"no route to {dataset}")

    pykeen.get_dataset = fail
    assert "PyKEEN cannot get nations: no route to nations. Check the network." in ask("nations")
    monkeypatch.setitem(sys.modules, "pykeen", None)
    monkeypatch.setitem(sys.modules, "pykeen.datasets", None)
    assert "--pykeen needs PyKEEN. Run: pip install pykeen" in ask("nations")


def test_all_unknown_names_at_once(run: Run, out: Path) -> None:
    screen = run("build", "-d", "nations", "-d", "kinshops", "-d", "yagoo310", "--out", out)
    assert (screen.code, screen.out) == (4, "")
    for fact in ("'kinshops'", "kinships", "'yagoo310'", "yago310", "rankconst show datasets"):
        assert fact in screen.message
    assert not out.exists()


def test_dataset_that_is_not_offered(run: Run, out: Path) -> None:
    screen = run("build", "-d", "openea", "--out", out)
    assert (screen.code, screen.out) == (4, "")
    assert "not offered" in screen.message


def test_one_failure_among_several(run: Run, mirror: Path, out: Path) -> None:
    screen = run("build", "-d", "yago310", "-d", "nations", "--mirror", mirror, "--out", out, "-f", "json")
    assert screen.code == 5
    assert {row["dataset"] for row in screen.records} == {"nations"}
    assert "warning: yago310" in screen.message
    assert "1 of 2 datasets failed: yago310" in screen.message


# -- protocols -----------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_chosen_protocols(run: Run, out: Path) -> None:
    args = ("build", "umls", "--offline", "-p", "raw", "-p", "PyKEEN", "--out", out, "-f", "json")
    assert [row["protocol"] for row in run(*args).records] == ["pykeen", "raw"]


@pytest.mark.parametrize(("typo", "near"), [("standrd", "standard"), ("sampled", "sampled:M"), ("pykene", "pykeen")])
def test_unknown_protocol(run: Run, out: Path, typo: str, near: str) -> None:
    screen = run("build", "-d", "nations", "-p", typo, "--offline", "--out", out)
    assert (screen.code, screen.out) == (4, "")
    for fact in ("unknown protocol", repr(typo), near):
        assert fact in screen.message
    assert not out.exists()


@pytest.mark.slow
@pytest.mark.parametrize("protocols", [(), ("-p", "sampled:500"), ("-p", "pykeen")])
@pytest.mark.parametrize("place", ["rankconst-tables", "my tables"])
def test_the_next_command_works(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, protocols: tuple[str, ...], place: str
) -> None:
    monkeypatch.chdir(tmp_path)
    screen = run("build", "nations", "--offline", "--out", place, *protocols)
    (line,) = [line for line in screen.err.splitlines() if line.startswith("next: rankconst ")]
    words = shlex.split(line.removeprefix("next: rankconst ").replace("VALUE", "0.9"))
    # What is in the usual place is found there.
    assert ("--tables" in words, place in words) == ((place == "my tables",) * 2)
    assert run(*words).code == 0


# -- graphs of the user's own --------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("form", "options"),
    [
        ({}, ()),
        ({"delimiter": ",", "ending": "csv"}, ()),
        ({"delimiter": ",", "columns": "htr", "ending": "csv"}, ("--columns", "htr")),
        ({"columns": "htr"}, ("--columns", "HTR")),
        ({"columns": "trh"}, ("--columns", "trh")),
    ],
)
def test_own_graph(
    run: Run, write_graph: WriteGraph, out: Path, form: dict[str, str], options: tuple[str, ...]
) -> None:
    files = write_graph(SMALL, **form)
    screen = run("build", *files, "--name", "MyKG", *options, "--out", out, "-f", "json")
    assert screen.code == 0
    assert_counted_right(screen.records, SMALL)
    assert "6 + 2 + 5 triples" in screen.message
    assert "entities: 5" in screen.message
    assert "relations: 2" in screen.message
    assert provenance(out)["mykg"]["origin"] == "files"


def pack_zstd(content: bytes) -> bytes:
    packed: bytes = pa.Codec("zstd").compress(content, asbytes=True)
    return packed


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress, pack_zstd])
def test_packed_files_are_read(run: Run, write_graph: WriteGraph, out: Path, pack: Callable[[bytes], bytes]) -> None:
    files = write_graph(SMALL)
    path = Path(files[-1])
    path.write_bytes(pack(path.read_bytes()))
    screen = run("build", *files, "--name", "mykg", "-p", "raw", "--out", out, "-f", "json")
    assert [row["num_tasks"] for row in screen.records] == [10]
    (row,) = load(out).datasets.values()
    assert row["sha256"][2] == hashlib.sha256(path.read_bytes()).hexdigest()
    path.write_bytes(path.read_bytes()[:-12])
    screen = run("build", *files, "--name", "mykg", "--out", out)
    assert (screen.code, f"{path} is cut off or damaged" in screen.message) == (6, True)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"PK\x03\x04...", "a zip file. Unpack it: unzip "),
        (b"\x28\xb5\x2f\xfd", "cut off or damaged"),
        (b"PAR1\x15", "cut off or damaged"),
        (b"<a> <b> <c> .\n", "is RDF: '<a> <b> <c> .'"),
    ],
)
def test_files_of_other_formats(run: Run, write_graph: WriteGraph, out: Path, content: bytes, told: str) -> None:
    files = write_graph(SMALL)
    Path(files[-1]).write_bytes(content)
    screen = run("build", *files, "--name", "mykg", "--out", out)
    assert (screen.code, screen.out) == (6, "")
    assert f"error: {files[-1]} is " in screen.message
    assert told in screen.message


@pytest.mark.parametrize("around", ["{} ", " {}", "({}", "{}]", '"{}"', "'{}'", "{}\0", "\ufeff{}", "\x0b{}", "{}\xa0"])
def test_labels_that_only_blanks_or_quotes_tell_apart(around: str) -> None:
    odd, other = (around.format(label).encode() for label in "ac")
    assert _find_alike(pa.array([b"a", b"b", odd], pa.binary())).to_pylist() == [odd]
    assert not len(_find_alike(pa.array([b"a", b"b", other], pa.binary())))


@pytest.mark.parametrize("odd", ["train", "test"])
def test_labels_that_one_file_writes_with_quotes(run: Run, write_graph: WriteGraph, out: Path, odd: str) -> None:
    graph = {**SMALL, odd: [tuple(map('"{}"'.format, row)) for row in SMALL[odd]]}
    told = run("build", *write_graph(graph), "--name", "mykg", "-p", "raw", "--out", out).message
    assert "entities, such as b" in told
    assert repr(f'"{SMALL["test"][0][1]}"'.encode()) in told
    assert told.count("differ from others only in the blanks, quotes, brackets or control char") == 2


def test_files_of_two_graphs(run: Run, write_graph: WriteGraph, out: Path) -> None:
    unlike = {**SMALL, "test": [("new", SMALL["test"][0][1], "other")]}
    told = run("build", *write_graph(unlike), "--name", "mykg", "-p", "raw", "--out", out).message
    assert "warning: mykg: every row of test has something unseen in train. Are these files of one graph?" in told
    assert "blanks" not in told


@pytest.mark.parametrize("label", ["{}", "e{}"])
@pytest.mark.parametrize("order", [(0, 2, 1), (1, 0, 2)])
def test_columns_in_another_order_are_noticed(
    run: Run, write_graph: WriteGraph, out: Path, label: str, order: tuple[int, ...]
) -> None:
    rows = [(label.format(n % 9), f"{n % 2}", label.format(n * 5 % 9)) for n in range(30)]
    other = [tuple(row[place] for place in order) for row in rows]
    for graph, options, warned in ((rows, [], False), (other, [], True), (other, ["--columns", "hrt"], False)):
        files = write_graph({"train": graph, "valid": graph[:4], "test": graph[5:9]})
        told = run("build", *files, "--name", "mykg", "-p", "raw", "--out", out, *options).message
        assert ("9 different relations, most of which are entities, too, and 2 different" in told) == warned
        assert ("are the columns head, relation, tail? Say which is which with --columns" in told) == warned


@pytest.mark.parametrize("split", ["train", "valid", "test"])
def test_a_first_line_that_may_be_a_heading(run: Run, write_graph: WriteGraph, out: Path, split: str) -> None:
    def say() -> str:
        return run("build", *files, "--name", "mykg", "-p", "raw", "--out", out).message

    files = write_graph({**SMALL, split: [("# made", "by", "hand"), *SMALL[split]]})
    told = f"relation 'by' of the first line of {split} occurs nowhere else, nor do its entities. If the line is a"
    assert told in say()
    first = SMALL["train"][0]
    for line in (("# made", first[1], "hand"), ("# made", "by", first[0]), (first[0], "by", "hand")):
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
            "mrr": sum(sum((Fraction(1, j) for j in range(1, n + 1)), Fraction()) / n for n in sizes) / total,
            "hits@1": sum(Fraction(1, n) for n in sizes) / total,
            "hits@10": Fraction(1),
        }
        for name, expectation in expectations.items():
            assert expected_of(row, name) == pytest.approx(float(expectation), rel=1e-13)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("a,r,b\n", ("line 1", "3 columns", "a tab", "got 1", "'a,r,b'", "Rename the file to end in .csv.")),
        ("a\tr\tb\na\tr\n", ("line 2", "got 2", "'a\\tr'")),
        ("", ("empty",)),
    ],
)
def test_malformed_line(
    run: Run, write_graph: WriteGraph, tmp_path: Path, out: Path, content: str, told: tuple[str, ...]
) -> None:
    files = write_graph({**SMALL, "test": []})
    path = tmp_path / "broken.tsv"
    path.write_text(content, encoding="utf-8")
    screen = run("build", *files, "--test", path, "--name", "mykg", "--out", out)
    assert (screen.code, screen.out) == (6, "")
    for fact in ("error:", str(path), *told):
        assert fact in screen.message
    assert not out.exists()


@pytest.mark.parametrize("name", ["fb15k237", "FB15k-237", "WNRR", "yago3-10"])
def test_names_of_benchmarks_are_taken(run: Run, write_graph: WriteGraph, out: Path, name: str) -> None:
    screen = run("build", *write_graph(SMALL), "--name", name, "--out", out)
    assert (screen.code, screen.out) == (2, "")
    for fact in ("--name", repr(name), "benchmark", "another"):
        assert fact in screen.message


@pytest.mark.parametrize("name", ["", "my kg", "../kg", "..", "a/b", "[kg]", "k" * 700])
def test_names_that_are_no_names(run: Run, write_graph: WriteGraph, out: Path, name: str) -> None:
    screen = run("build", *write_graph(SMALL), "--name", name, "--out", out)
    assert (screen.code, screen.out) == (2, "")
    assert "--name" in screen.message
    assert not out.exists()


@pytest.mark.slow
def test_names_that_only_look_alike_stay_apart(run: Run, write_graph: WriteGraph, out: Path) -> None:
    other = {**SMALL, "test": SMALL["test"][:1]}
    assert run("build", *write_graph(SMALL), "--name", "my-kg", "--out", out).code == 0
    screen = run("build", *write_graph(other, folder="other"), "--name", "mykg", "--out", out)
    assert screen.code == 0
    for key, tasks in (("my-kg", 10), ("mykg", 2)):
        (row,) = run("show", key, "--tables", out, "-m", "mrr", "-p", "raw", "-f", "json").records
        assert (row["dataset"], row["num_tasks"]) == (key, tasks)


# -- usage ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("args", "told"),
    [
        ((), ("rankconst build train.tsv valid.tsv test.tsv", "rankconst build fb15k237", "rankconst show datasets")),
        (("nations", "t.tsv", "u.tsv"), ("nations names a benchmark, and t.tsv a file",)),
        (("-d", "nations", "--train", "t.tsv"), ("nations names a benchmark, and t.tsv a file",)),
        (("t.tsv", "u.tsv", "--valid", "v.tsv"), ("say which of --train, --valid and --test t.tsv is",)),
        (("t.tsv",), ("two files", "three", "got 1: t.tsv")),
        (("./",), ("is a folder; name its files: rankconst build ./",)),
        (("t.tsv", "u.tsv", "v.tsv", "w.tsv"), ("got 4: t.tsv, u.tsv, v.tsv, w.tsv",)),
        (("test.tsv", "train.tsv"), ("test.tsv is in the place of the training set", "says test")),
        (("a_train.csv", "a_test.csv", "a_dev.csv"), ("a_test.csv is in the place of the validation set",)),
        (("--train", "t.tsv", "--name", "x"), ("--test", "missing")),
        (("--valid", "t.tsv", "--name", "x"), ("--train", "--test", "missing")),
        (("t.tsv", "u.tsv"), ("what is the graph called? Add --name NAME.",)),
        (("a_train.tsv", "b_test.tsv"), ("what is the graph called? Add --name NAME.",)),
        (("a/train.tsv", "b/test.tsv"), ("what is the graph called? Add --name NAME.",)),
        (("umls_train.tsv", "umls_test.tsv"), ("what is the graph called? Add --name NAME. 'umls' will not do",)),
        (("my kg/train.tsv", "my kg/test.tsv"), ("what is the graph called?", "'my kg' will not do")),
        (("nations", "--name", "x"), ("--name is for a graph of your own",)),
        (("t.tsv", "u.tsv", "--name", "x", "--columns", "hr"), ("'hr'", "hrt")),
        (("t.tsv", "u.tsv", "--name", "x", "--columns", "hrtt"), ("'hrtt'", "hrt")),
        (("nations", "--columns", "htr"), ("--columns is for a graph of your own",)),
    ],
)
def test_options_that_do_not_go_together(
    run: Run, tmp_path: Path, out: Path, monkeypatch: pytest.MonkeyPatch, args: tuple[str, ...], told: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    for path in (tmp_path / arg for arg in args if arg.endswith("sv")):
        path.parent.mkdir(exist_ok=True)
        path.touch()
    screen = run("build", *args, "--out", out)
    assert (screen.code, screen.out) == (2, "")
    for fact in told:
        assert fact in screen.message
    assert not out.exists()


def test_a_missing_file_is_named_before_anything_is_asked(run: Run, write_graph: WriteGraph, out: Path) -> None:
    screen = run("build", *write_graph(SMALL)[1:4:2], "tset.txt", "--out", out)
    assert (screen.code, screen.err) == (6, "error: there is no file tset.txt, which would be the test set.\n")


@pytest.mark.parametrize("below", [".", "below", "below/that"])
def test_output_folder_that_cannot_be(run: Run, tmp_path: Path, below: str) -> None:
    (tmp_path / "file").write_text("mine", encoding="utf-8")
    out = tmp_path / "file" / below
    screen = run("build", "-d", "nations", "--offline", "--out", out)
    assert screen.code in {2, 6}
    assert screen.out == ""
    assert str(tmp_path / "file") in screen.message
    assert (tmp_path / "file").read_text(encoding="utf-8") == "mine"


def test_cache_that_cannot_be(run: Run, mirror: Path, tmp_path: Path, out: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("mine", encoding="utf-8")
    env = {"RANKCONST_CACHE": str(blocked / "cache")}
    screen = run("build", "-d", "nations", "--mirror", mirror, "--out", out, env=env)
    assert screen.code == 0
    screen = run("build", "-d", "yago310", "--mirror", "http://127.0.0.1:9", "--out", out, env=env)
    assert (screen.code, screen.out) == (5, "")


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


def test_files_of_ones_own_are_built_without_the_extra(write_graph: WriteGraph, tmp_path: Path, cache: Path) -> None:
    """In a process in which its modules cannot be imported."""
    files = [each for each in write_graph(SMALL) if not each.startswith("--")]
    argv = ["build", *files, "--baseline", "all", "--out", str(tmp_path / "out")]
    code = f"{LACKING}sys.argv[1:] = {argv!r}\nfrom rankconst.cli import main\nmain()"
    done = subprocess.run(
        [sys.executable, "-c", code], env=child_environment(cache), capture_output=True, text=True, check=False
    )
    assert (done.returncode, "name: graph" in done.stderr) == (0, True)
    assert list(load(tmp_path / "out").datasets) == ["graph"]


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
    screen = run("build", *paths, "--out", out, "-f", "json")
    assert screen.code == 0
    assert f"name: {key}, as the files or their folder are called; --name changes it" in screen.message.lower()
    assert {row["dataset"] for row in screen.records} == {key}
    assert_counted_right(screen.records, {split: SMALL[split] if split in splits else [] for split in ORDER})


def test_a_word_that_is_a_benchmark_and_a_file_is_asked_about(
    run: Run, mirror: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for word in ("nations", "test"):
        (tmp_path / word).write_text("a\tr\tb\n", encoding="utf-8")
    screen = run("build", "nations", "--mirror", mirror)
    assert (screen.code, screen.out) == (2, "")
    assert "nations is a benchmark, and a file here: write ./nations, or --dataset nations." in screen.message
    assert run("build", "--dataset", "nations", "-p", "raw", "--mirror", mirror).code == 0
    assert run("build", "./nations", "test", "--name", "mine").code == 0
    assert list(load("rankconst-tables").datasets) == ["mine", "nations"]


def test_valid_and_test_under_chance_unless_more_is_asked_for(run: Run, write_graph: WriteGraph, out: Path) -> None:
    files = write_graph(SMALL)
    for options, splits, baselines in (((), {"valid", "test"}, {FLOOR}), (EVERYTHING, {*ORDER}, {*BUILT})):
        assert run("build", *files, "--name", "mykg", *options, "--out", out).code == 0
        tables = load(out)
        assert {row["split"] for row in tables.read("candidates").to_pylist()} == splits
        assert {row["baseline"] for row in tables.read("baseline_candidates").to_pylist()} == baselines


@pytest.mark.slow
def test_restricted_benchmark(mirror: Path, run: Run, out: Path) -> None:
    arguments = ("-d", "nations", "--mirror", mirror, "--out", out, "-f", "json")
    screen = run("build", *arguments, "--relations", "embassy,treaties", "--name", "Nations-Diplomacy")
    assert screen.code == 0
    tables = load(out)
    assert list(tables.datasets) == ["nations-diplomacy"]
    assert tables.datasets["nations-diplomacy"]["title"] == "Nations, restricted to 2 relations"
    assert provenance(out)["nations-diplomacy"]["restriction"] == {"relations": ["embassy", "treaties"]}
    histogram = tables.histogram("nations-diplomacy")
    assert histogram == open_once().histogram("nations", relations=["treaties", "embassy"])
    assert screen.records[0]["num_tasks"] == histogram.total == 44


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (("--relations", "embassy"), 2, "these need another name: add --name NAME."),
        (("--relations", "embassy", "--name", "umls"), 2, "is the name of a benchmark; choose another"),
        (("--relations", "embasy", "--name", "mine"), 4, "Did you mean embassy"),
        (("--relations", "embassy," + "x," * 400, "--name", "mine"), 4, "has no relation 'x' (1 of 2 named)"),
        (("--entities", "usa,atlantis", "--name", "mine"), 4, "no entity 'atlantis' (1 of 2 named)"),
    ],
)
def test_restrictions_that_cannot_be(
    mirror: Path, run: Run, out: Path, options: tuple[str, ...], code: int, message: str
) -> None:
    screen = run("build", "-d", "nations", "--mirror", mirror, "--out", out, *options)
    assert (screen.code, screen.out) == (code, "")
    assert message in screen.message
    assert not (out / "datapackage.json").exists()


def test_only_some_splits_are_ranked(mirror: Path, run: Run, out: Path) -> None:
    arguments = ("build", "-d", "nations", "--mirror", mirror, "--out", out, "-f", "json", "-p", "standard")
    assert run(*arguments, "--splits", "testing,validation").code == 0
    tables, shipped = load(out), open_once()
    for split in ("valid", "test"):
        assert tables.histogram("nations", split=split) == shipped.histogram("nations", split=split)
    assert {*tables.read("candidates")["split"].to_pylist()} == {"valid", "test"}
    assert tables.datasets["nations"] == {**shipped.datasets["nations"], "verified": True}
    assert provenance(out)["nations"]["splits"] == "valid,test"
    lines = [line.split() for line in run("tables", "verify", out).out.splitlines()]
    assert {line[0]: line[-1] for line in lines if line}.items() >= {("coverage", "ok"), ("descriptor", "ok")}
    # All splits are another build.
    assert run(*arguments, *EVERYTHING).code == 0
    assert "splits" not in provenance(out)["nations"]
    assert load(out).histogram("nations", split="train") == shipped.histogram("nations", split="train")
    screen = run(*arguments, "--splits", "dev,trial")
    assert (screen.code, "trial" in screen.message) == (4, True)


def test_further_known_triples(mirror: Path, run: Run, out: Path, tmp_path: Path) -> None:
    """usa-embassy: everybody but the true answer becomes a known answer."""
    place = find_benchmark("nations").files["test"].remote.url.removeprefix("https://")
    named = sorted({line.split("\t")[2] for line in (mirror / place).read_text().splitlines()})
    further = tmp_path / "further.tsv"
    further.write_text("".join(f"usa\tembassy\t{nation}\n" for nation in ("atlantis", *named)))
    arguments = ("-d", "nations", "--mirror", mirror, "--out", out, "-p", "standard", "-p", "raw", "-p", "train+test")
    assert run("build", *arguments, "--known", further).code == 2
    screen = run("build", *arguments, "--known", further, "--name", "mine")
    assert screen.code == 0
    assert f"{len(named)} of {len(named) + 1} further known triples are of the graph" in screen.err
    tables = load(out)
    assert tables.datasets["mine"]["title"] == "Nations, with further known triples"
    assert provenance(out)["mine"]["restriction"] == {
        "known": {"sha256": hashlib.sha256(further.read_bytes()).hexdigest()}
    }
    shipped = open_once()
    for protocol, fewer in (("standard", True), ("train+test", True), ("raw", False)):
        found = tables.histogram("mine", protocol=protocol, side="tail").mean
        usual = shipped.histogram("nations", protocol=protocol.replace("train+test", "standard"), side="tail").mean
        assert (found < usual) == fewer or protocol == "train+test"
    further.write_text("embassy\tusa\tuk\n")
    screen = run("build", *arguments, "--known", further, "--name", "mine")
    assert (screen.code, "Are its columns in another order" in screen.message) == (6, True)


def test_benchmark_with_sampled_negatives_needs_no_files(run: Run, out: Path) -> None:
    screen = run("build", "-d", "ogbl-biokg", "--offline", "--out", out, "-f", "json")
    assert screen.code == 0
    row = screen.records[0]
    assert (row["protocol"], row["num_tasks"], row["mean_candidates"]) == ("sampled:500", 2 * 162_870, 501)
    assert expected_of(row, "mr") == 251
    tables = load(out)
    assert tables.protocols("ogbbiokg") == ("sampled:500",)
    assert tables.datasets["ogbbiokg"]["entities"] is None
    assert run("show", "ogbl-biokg", "--tables", out, "-m", "mrr").code == 0
    adjusted = run("adjust", 0.5, "-d", "ogbl-biokg", "-m", "mrr", "--tables", out, "-f", "json").records
    assert [row["protocol"] for row in adjusted] == ["sampled:500"]
    screen = run("adjust", 0.5, "-d", "ogbl-biokg", "-m", "mrr", "-p", "standard", "--tables", out)
    assert (screen.code, "rank among sampled candidates" in screen.message) == (2, True)
    assert (
        "They hold (protocol/split): sampled:500/valid"
        in run("show", "ogbl-biokg", "-p", "raw", "--tables", out).message
    )
    refused = run("build", "-d", "ogbl-biokg", "--out", out, "--relations", "x", "--name", "mine")
    assert (refused.code, "there are no triples to restrict" in refused.message) == (2, True)


def test_a_temporal_graph_of_ones_own(run: Run, out: Path, tmp_path: Path) -> None:
    facts = {"train": "a\tr\tb\t1\nb\tr\tc\t1\na\tr\tc\t2\n", "test": "a\tr\tb\t3\na\tr\td\t3\n"}
    files: list[Any] = []
    for split, text in facts.items():
        (tmp_path / f"{split}.tsv").write_text(text, encoding="utf-8")
        files += [f"--{split}", tmp_path / f"{split}.tsv"]
    asked = ("build", *files, "--name", "mykg", "--out", out)
    refused = run(*asked)
    assert refused.code == DataError.exit_code
    assert "--columns hrtd" in refused.message
    screen = run(*asked, "--columns", "hrtd", "-f", "csv")
    assert {row["protocol"]: float(row["mean_candidates"]) for row in screen.rows} == {
        "raw": 4.0, "static": (4 + 4 + 2 + 2) / 4, "time-aware": (4 + 4 + 3 + 3) / 4,
    }  # fmt: skip
    assert "3 + 0 + 2 quadruples (train + valid + test)" in screen.err
    for protocol, told in (("standard", "is for graphs without time"), ("time-aware", "needs the time of every fact")):
        other = run(*asked, "--columns", "hrtd" if protocol == "standard" else "hrt-", "-p", protocol)
        assert (other.code, told in other.message) == (UsageError.exit_code, True)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["-b", "uniform"], set()),
        (["-b", "inverse model", "--baseline", "popularity"], {"frequency", "inverse"}),
    ],
)
def test_baselines_are_chosen(
    run: Run, write_graph: WriteGraph, out: Path, options: list[str], expected: set[str]
) -> None:
    run("build", *write_graph(SMALL), "--name", "mykg", "-p", "standard", *options, "--out", out)
    rows = load(out).read("baseline_candidates").to_pylist()
    assert {row["baseline"] for row in rows} == expected


def test_a_baseline_of_older_tables_is_not_built(run: Run, write_graph: WriteGraph, out: Path) -> None:
    screen = run("build", *write_graph(SMALL), "--name", "mykg", "-b", "range", "--out", out)
    assert (screen.code, screen.out) == (2, "")
    assert "new tables have no baseline range. Use --baseline frequency, inverse, counting or all." in screen.message


def test_ids_and_labels_of_one_graph(run: Run, write_graph: WriteGraph, tmp_path: Path, out: Path) -> None:
    numbers = {label: str(place) for place, label in enumerate("abcderst")}
    written = {split: [[numbers[label] for label in row] for row in rows] for split, rows in SMALL.items()}
    files = write_graph(written)
    run("build", *files, "--name", "mykg", "--out", out)
    expected = load(out).read("constants")
    for option, path in zip(files[::2], files[1::2], strict=True):
        rows = [line.split("\t") for line in Path(path).read_text(encoding="utf-8").splitlines()]
        table = pa.table({name: [int(row[place]) for row in rows] for place, name in enumerate("hrt")})
        parquet = tmp_path / f"{str(option).strip('-')}.parquet"
        pq.write_table(table, parquet)
        mixed = [str(parquet) if each == path else each for each in files]
        screen = run("build", *mixed, "--name", "mykg", "--out", tmp_path / "mixed")
        assert screen.code == 0
        assert load(tmp_path / "mixed").read("constants").equals(expected)


@pytest.mark.parametrize("options", [["-b", "counting"], ["--relations", "r"]])
def test_what_a_cluster_does_not_count(run: Run, write_graph: WriteGraph, out: Path, options: list[str]) -> None:
    screen = run(
        "build", *write_graph(SMALL), "--name", "mykg", "--scheduler", "tcp://127.0.0.1:9", *options, "--out", out
    )
    assert (screen.code, screen.out) == (2, "")
    assert "--scheduler counts a graph of your own, under chance" in screen.message


def test_a_cluster_counts_ids(run: Run, write_graph: WriteGraph, out: Path) -> None:
    screen = run("build", *write_graph(SMALL), "--name", "mykg", "--scheduler", "tcp://127.0.0.1:9", "--out", out)
    assert (screen.code, screen.out) == (6, "")
    assert "--scheduler counts ids: train has to be Parquet of whole numbers. Write it so." in screen.message


def test_only_a_cluster_reads_train_from_a_url(run: Run, write_graph: WriteGraph, out: Path) -> None:
    files = write_graph(SMALL)
    files[files.index("--train") + 1] = "s3://bucket/train"
    screen = run("build", *files, "--name", "mykg", "--out", out)
    assert (screen.code, screen.out) == (2, "")
    assert "--train takes a URL only with --scheduler. Get the file, and give its path." in screen.message


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("ftp://somebody:secret@127.0.0.1/train", "cannot open ftp://127.0.0.1/train: "),
        ("s3://AKIA:secret/+/secret@bucket/train", "cannot open s3://bucket/train: "),  # as Amazon writes keys
        ("file:///nowhere/at/all", "cannot read file:///nowhere/at/all: there is no Parquet file."),
    ],
)
def test_urls_that_cannot_be_read(run: Run, write_graph: WriteGraph, out: Path, url: str, told: str) -> None:
    files = write_graph(SMALL)
    files[files.index("--train") + 1] = url
    screen = run("build", *files, "--name", "mykg", "--scheduler", "tcp://127.0.0.1:9", "--out", out)
    assert (screen.code, screen.out) == (6, "")
    assert told in screen.message
    assert "secret" not in screen.message
