"""How a user's own files are written: what they show is used, what they leave open is refused, no
triple is lost.
"""

import csv
import io
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import choose, for_each
from rankconst.catalogue.benchmarks import load_benchmarks
from rankconst.errors import DataError
from rankconst_builder.graph import encode_labels
from rankconst_builder.own_files import (
    HEADING,
    find_delimiter,
    name_columns,
    read_own,
    refuse_other_order,
    strip_endings,
)
from rankconst_builder.triples import Labels, read_triples

PARTS = ("head", "relation", "tail")

Row = tuple[str, ...]
Rows = list[Row]

TRAIN: Rows = [("ada", "knows", "bob"), ("bob", "knows", "cy"), ("cy", "likes", "dee")]
TEST: Rows = [("ada", "knows", "cy"), ("bob", "likes", "dee")]


def rows_of(labels: Labels) -> Rows:
    """Return head, relation, tail and times of each row."""
    columns: tuple[Any, ...] = (labels.head, labels.relation, labels.tail, *labels.time)
    texts: list[list[Any]] = [column.cast(pa.string()).to_pylist() for column in columns]
    return [*zip(*texts, strict=True)]


def read(
    files: dict[str, str], columns: str | None = None, ending: str = "csv"
) -> tuple[dict[str, Rows], str]:
    contents = {role: text.encode() for role, text in files.items()}
    labels, note, _ = read_own(contents, {role: f"{role}.{ending}" for role in files}, columns)
    return {role: rows_of(each) for role, each in labels.items()}, note


def write(rows: Rows, *first: str, order: str = "hrt", sign: str = ",") -> str:
    return (
        "\n".join(
            [*first, *(sign.join(row["hrt".index(letter)] for letter in order) for row in rows)]
        )
        + "\n"
    )


def refused(files: dict[str, str], columns: str | None = None, ending: str = "csv") -> str:
    with pytest.raises(DataError) as caught:
        read(files, columns, ending)
    return str(caught.value)


BOTH = {"train": TRAIN, "test": TEST}


@for_each(
    ("name", "stem", "sign"),
    [
        ("train.tsv", "train", "\t"),
        ("train.CSV.gz", "train", ","),
        ("b.csv/train.txt", "train", "\t"),
        ("my.kg_train.tsv.zst", "my.kg_train", "\t"),
        ("train.gz", "train", "\t"),
        ("csv", "csv", "\t"),
    ],
)
def test_the_ending_says_what_separates_columns(name: str, stem: str, sign: str) -> None:
    assert (strip_endings(name), find_delimiter(name)) == (stem, sign)


@for_each(
    ("heading", "order"),
    [
        ("head,relation,tail", "hrt"),
        ("Head,Tail,Relation", "htr"),
        ("subject,predicate,object", "hrt"),
        ("source,target,type", "htr"),
        (":START_ID,:END_ID,:TYPE", "htr"),
        ("src,edge label,dst", "hrt"),
        ("0,1,2", "hrt"),
    ],
)
def test_headings_are_no_triples_and_name_the_columns(heading: str, order: str) -> None:
    got, note = read({split: write(rows, heading, order=order) for split, rows in BOTH.items()})
    assert got == BOTH
    told = (
        "line 1 of train.csv, test.csv is read as a heading (if it is a triple, move it to another "
        "line): "
    )
    assert note.startswith(f"{told}'{heading}' ({order})")
    # The same without a heading in one of the files, if that is in the usual order.
    files = {"train": write(TRAIN, heading, order=order), "test": write(TEST)}
    if order == "hrt":
        assert read(files)[0] == BOTH
        return
    assert "test.csv does not show their order. Add --columns" in refused(files)
    assert read({**files, "test": write(TEST, order=order)}, order)[0] == BOTH
    message = refused({"train": write(TRAIN, heading), "test": write(TEST)}, "hrt")
    assert (
        f"{heading!r} says that the columns are htr, --columns hrt. Leave out --columns. {HEADING}"
        in message
    )


def test_a_first_line_that_files_share_is_asked_about() -> None:
    """As pandas writes a frame with other names; its index has a column of its own."""
    files = {split: write(rows, "von,Kante,nach") for split, rows in BOTH.items()}
    message = refused(files)
    told = "train.csv and test.csv begin with the same line, whose labels occur nowhere else"
    assert told in message
    assert message.endswith(
        f"{HEADING} Columns are read as head, relation, tail (--columns changes that)."
    )
    moved = {split: text.partition("\n")[2] + "von,Kante,nach\n" for split, text in files.items()}
    assert read(moved)[0]["train"] == [*TRAIN, ("von", "Kante", "nach")]
    for names in (["head", "relation", "tail"], ["von", "Kante", "nach"], None):
        files = {split: pd.DataFrame(rows, columns=names).to_csv() for split, rows in BOTH.items()}
        assert read(files)[0] == BOTH


@pytest.mark.parametrize(
    ("heading", "rows", "found"),
    [
        ("head,relation,tail", [("a", "relation", "b")], "'relation'"),
        ("subject,type,object", [("a", "type", "b"), ("object", "r", "a")], "'type', 'object'"),
        ("0,1,2", [("0", "0", "1"), ("1", "1", "3")], "'0', '1'"),
    ],
)
def test_a_heading_that_may_be_a_triple_is_refused(heading: str, rows: Rows, found: str) -> None:
    files = {"train": write(TRAIN, heading), "test": write(rows)}
    message = refused(files)
    assert message == (
        f"train.csv, line 1: {heading!r} reads like a heading, but the graph has {found} "
        f"elsewhere. {HEADING}"
    )
    moved = [*TRAIN, cast("Row", tuple(heading.split(",")))]
    assert read({**files, "train": write(moved)})[0] == {"train": moved, "test": rows}
    assert read({**files, "train": write(TRAIN)})[0] == {"train": TRAIN, "test": rows}


WORD = st.sampled_from(
    ["head", "relation", "tail", "h", "r", "t", "s", "p", "o", "0", "1", "2", "a", "type", "to"]
)
GRAPH = st.lists(st.tuples(WORD, WORD, WORD), min_size=2, max_size=6)


@given(train=GRAPH, test=GRAPH)
def test_no_triple_is_lost_in_silence(train: Rows, test: Rows) -> None:
    """A line is left out only if none of its labels is anywhere else, and the note shows it; or all
    is refused.
    """
    try:
        got, note = read({"train": write(train), "test": write(test)})
    except DataError as error:
        assert re.search(r"--columns|delete it", str(error))
        return
    for split, rows in {"train": train, "test": test}.items():
        if len(got[split]) == len(rows):
            continue
        assert len(got[split]) == len(rows) - 1
        assert repr(",".join(rows[0])) in note
        others = [row for each in got.values() for row in each]
        entities = {entity for row in others for entity in (row[0], row[2])}
        ends = {
            word
            for word in rows[0]
            if name_columns([word, "rel", "to"]) or name_columns(["from", "rel", word])
        }
        assert not entities & ends - {rows[0][1]}


# -- times -----------------------------------------------------------------------------------------

QUADS = {
    "train": [("ada", "knows", "bob", "2014-01-01"), ("bob", "knows", "cy", "2014-01-02")],
    "test": [("ada", "knows", "cy", "2014-01-02")],
}


def write_quads(order: str, *first: str) -> dict[str, str]:
    """Write the columns of quadruples in an order; 3 is the time, which may come twice."""
    return {
        split: "\n".join([*first, *(",".join(row[int(place)] for place in order) for row in rows)])
        + "\n"
        for split, rows in QUADS.items()
    }


@pytest.mark.parametrize(
    ("heading", "order"),
    [
        ("head,relation,tail,timestamp", "0123"),
        ("subject,date,predicate,object", "0312"),
        ("s,p,o,time", "0123"),
    ],
)
def test_headings_name_the_time(heading: str, order: str) -> None:
    got, note = read(write_quads(order, heading))
    assert got == QUADS
    assert note.endswith(
        "d is the time of a fact, so this is a temporal graph (--columns hrt- ignores the time)"
    )
    without = "".join("hrt-"[int(place)] for place in order)
    assert read(write_quads(order, heading), without)[0] == {
        role: [row[:3] for row in rows] for role, rows in QUADS.items()
    }


def test_times_that_are_0_and_1_are_no_labels() -> None:
    times = "a,r,b,1\nb,r,c,0\nc,r,a,1\n"
    assert read({"train": f"head,relation,tail,time\n{times}"})[0] == {
        "train": [("a", "r", "b", "1"), ("b", "r", "c", "0"), ("c", "r", "a", "1")]
    }
    assert "false triples" in refused({"train": times})


def test_columns_name_the_time() -> None:
    for heading in ((), ("head,relation,tail,Tag",)):
        assert read(write_quads("0123", *heading), "hrtd")[0] == QUADS
    ends = write_quads("01233")
    assert read(ends, "hrtdd")[0]["test"] == [(*QUADS["test"][0], "2014-01-02")]
    assert read(ends, "hrtd-")[0] == QUADS
    two = (
        "hrtd-, or hrtdd if it has a begin and an end. If qualifiers follow, a relation and an "
        "entity each: hrtq"
    )
    for order, columns, ignored in (("0123", "hrtd", "hrt-"), ("01233", two, "hrt--")):
        assert refused(write_quads(order)).endswith(
            f"If what follows the triple is its time, name it with d: --columns {columns}. To "
            f"ignore further columns, name them with -: {ignored}."
        )


# -- the order of columns --------------------------------------------------------------------------

ENTITIES, RELATIONS = "abcd", "xyz"


@given(
    st.lists(
        st.tuples(*map(st.sampled_from, (ENTITIES, RELATIONS, ENTITIES))), min_size=1, max_size=9
    ),
    st.permutations("hrt"),
)
def test_an_order_is_refused_if_relations_look_like_entities(
    rows: Rows, order: Sequence[str]
) -> None:
    columns = {letter: {row[place] for row in rows} for place, letter in enumerate(order)}
    common = {pair: len(columns[pair[0]] & columns[pair[1]]) for pair in ("ht", "hr", "rt")}
    files = read_own({"train": write(rows).encode()}, {"train": "train.csv"}).labels
    # What is head, relation, tail in truth is read as `order` says.
    parts = {letter: getattr(files["train"], PARTS[place]) for place, letter in enumerate(order)}
    graph = encode_labels({"train": Labels(*(parts[letter] for letter in "hrt"))})
    if max(common["hr"], common["rt"]) > common["ht"]:
        with pytest.raises(DataError, match="are the columns head, relation, tail"):
            refuse_other_order(graph, "")
    else:
        refuse_other_order(graph, "")
    if [*order] in (["h", "r", "t"], ["t", "r", "h"]):
        assert max(common["hr"], common["rt"]) == 0


# -- OpenKE, quotes and other files ----------------------------------------------------------------


@for_each(
    ("lines", "told"),
    [
        (["3", *(f"{h}\t{t}\t{r}" for h, r, t in TRAIN)], "line 2 holds no three numbers"),
        (["4", "0 2 1", "1 3 0", "2 4 0"], "states 4 triples, but 3 follow"),
    ],
)
def test_openke_that_leaves_something_open(lines: list[str], told: str) -> None:
    assert told in refused({"train": "\n".join(lines) + "\n"}, None, "tsv")


LABEL = st.text(st.sampled_from("ab\",; \t'é"), min_size=1, max_size=5)


@given(st.lists(st.tuples(LABEL, LABEL, LABEL), min_size=1, max_size=5), st.sampled_from([0, 1]))
def test_csv_is_read_as_the_csv_module_wrote_it(rows: Rows, quoting: int) -> None:
    sink = io.StringIO()
    csv.writer(sink, quoting=cast("Any", quoting)).writerows(rows)
    got, note = read({"train": sink.getvalue()})
    assert got["train"] == rows
    assert ("quotes around labels" in note) == ('"' in sink.getvalue())


@pytest.mark.parametrize("line", ['"a"b,r,c', '"a,r,b', 'a,"r""",""c"'])
def test_quotes_that_are_not_those_of_csv(line: str) -> None:
    assert f"train.csv, line 2: the quotes are not those of CSV: {line!r}" in refused(
        {"train": f'"a",r,b\n{line}\n'}
    )


@for_each("begin", ["SQLite format 3\0", "train.tsv\0\0e1\tr1\te2\n"])
def test_what_is_no_text_is_refused(begin: str) -> None:
    assert "train.tsv is not text: line 1 holds zero bytes" in refused(
        {"train": begin}, None, "tsv"
    )


def test_json_is_not_taken_for_commas() -> None:
    for line in ('{"head": "a", "relation": "r", "tail": "b"}\n', '[\n["a", "r", "b"]\n]\n'):
        assert refused({"train": line}, None, "jsonl").endswith(
            "JSON is not read: write a triple on each line, its parts separated by tabs."
        )


# What somebody may have, what is said of it, and what the command that is shown makes of it.
MENDED: list[tuple[str, str, str]] = [
    ("ada\tknows\tbob\n\nbob\tknows\tcy\n", "line 2: the line is blank", ""),
    ("ada\tknows\tbob\r\n \r\nbob\tknows\tcy\r\n", "line 2: the line is blank", ""),
    ("# a graph\nada\tknows\tbob\nbob\tknows\tcy\n", "line 1 is a comment: '# a graph'", ""),
    ("ada\tknows\tbob\n# a graph\nbob\tknows\tcy\n", "line 2: expected 3 columns", ""),
    ("ada   knows  bob\nbob   knows  cy\n", "line 1: expected 3 columns", ""),
    ("ada, knows, bob\nbob, knows, cy\n", "line 1: expected 3 columns", ""),
    ("<a> <p> <b> .\n<a> <q> \"some text\" .\n_:x\t<p>\t<a>.\n", "is RDF", "<a>\t<p>\t<b>\n_:x\t<p>\t<a>\n"),
    ("# a comment\n<a> <p> <b> .\n", "is RDF", "<a>\t<p>\t<b>\n"),
    ("_:b1 <http://a.org/p> \"a text\"@en .\n", "is RDF", "\n"),
    ("@prefix ex: <http://a.org/> .\n", "is RDF", "\n"),
    ("PREFIX ex: <http://a.org/>\n", "is RDF", "\n"),
    *(
        (f"{heading}ada knows bob 1\ndee likes ada {no}\nbob knows cy 1\n".replace(" ", sign),
         "has labels, and false triples are among", "")
        for sign in "\t, " for no in ("-1", "0") for heading in ("", "head relation tail label\n")
    ),
]  # fmt: skip


@pytest.mark.skipif(shutil.which("awk") is None, reason="there is no awk")
@for_each(("text", "told", "mended"), MENDED)
def test_what_is_no_triple_is_refused_with_a_command_that_works(
    text: str, told: str, mended: str, tmp_path: Path
) -> None:
    path = tmp_path / f"my graph.{'csv' if ',' in text and ', ' not in text else 'tsv'}"
    path.write_bytes(text.encode())
    with pytest.raises(DataError, match=told) as caught:
        read_own({"train": text.encode()}, {"train": str(path)})
    command = re.search(r"(?:grep -v|tr -[ds]|awk) .*(?= > FILE)", str(caught.value))
    assert command is not None
    line = command[0].replace(" FILE.nt", f" '{path}'")
    run = subprocess.run(line, shell=True, check=True, capture_output=True, text=True)  # noqa: S602 - our own command
    assert run.stdout.strip() == (mended or write(TRAIN[:2], sign="\t")).strip()


def test_columns_may_be_separated_by_spaces() -> None:
    found, note = read({role: write(rows, sign=" ") for role, rows in BOTH.items()}, None, "txt")
    assert found == BOTH
    assert "columns of train.txt, test.txt are separated by spaces" in note
    # A tab anywhere says otherwise.
    assert "separated by a tab" in refused({"train": "a b c\nd\te\tf\n"}, None, "txt")
    for line in ("a, r, b", '["a", "r", "b"]'):
        assert "got 1: " in refused({"train": f"{line}\n"}, None, "txt")


@pytest.mark.parametrize(
    "key", choose(["nations"], ["nations", "umls", "kinships", "openke_wn18rr"])
)
def test_files_of_benchmarks_read_as_ones_own(mirror: Path, key: str) -> None:
    """No first line is read as a heading, and OpenKE's show their layout."""
    source = load_benchmarks()[key]
    paths = {
        role: mirror / source.files[role].remote.url.partition("://")[2]
        for role in ("train", "valid", "test")
    }
    contents = {role: path.read_bytes() for role, path in paths.items()}
    labels, note, order = read_own(contents, {role: role for role in paths})
    assert not note
    assert order == ("htr" if source.format.count_line else "hrt")
    for role, content in contents.items():
        assert rows_of(labels[role]) == rows_of(read_triples(content, source.format, role))
