"""The registry of formats: each is recognised, by nobody else, can be forced, and goes through the
whole program.
"""

import pkgutil
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankconst
from cases import SIGNS, choose, for_each
from log_samples import SAMPLES
from rankconst.errors import DataError
from rankconst.results.document import Document, open_document
from rankconst.results.formats import FORMATS, read_document
from rankconst.results.reading import Reader
from readings import check_refusal, documents, write_csv, write_latex, write_markdown

# Format key to a file's name and text. MRR and Hits@10 of RotatE on WN18RR (Sun et al. 2019,
# arXiv:1902.10197).
_HERE = Path(__file__).parent
FILES = {
    path.parent.name: (path.name, path.read_text(encoding="utf-8"))
    for path in sorted((_HERE / "samples").glob("*/*"))
}
FILES["libkge_log"] = "kge.log", (_HERE / "files/libkge/kge.log").read_text(encoding="utf-8")
FILES |= {key: (f"{key}.log", samples[0].text) for key, samples in SAMPLES.items()}


@pytest.fixture(params=[*FILES, "xlsx"])
def key(request: pytest.FixtureRequest) -> str:
    found = request.param
    assert isinstance(found, str)
    return found


@pytest.fixture
def path(key: str, tmp_path: Path) -> Path:
    if key == "xlsx":
        openpyxl = pytest.importorskip(
            "openpyxl", reason="the extra rankconst[xlsx] is not installed"
        )
        book = openpyxl.Workbook()
        for row in (("Model", "MRR", "Hits@10"), ("RotatE", 0.476, 0.571)):
            book.active.append(row)
        book.save(tmp_path / "results.xlsx")
        return tmp_path / "results.xlsx"
    name, text = FILES[key]
    (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path / name


def test_every_reader_is_registered_with_a_sample() -> None:
    found = {}
    for folder in ("", ".tools", ".logs", ".tables"):
        package = import_module(f"rankconst.results{folder}")
        for info in pkgutil.iter_modules(package.__path__):
            for value in vars(import_module(f"{package.__name__}.{info.name}")).values():
                if isinstance(value, Reader):
                    found[value.key] = value
    assert found == {key: row.load() for key, row in FORMATS.items()}
    assert {*FILES, "xlsx"} == set(FORMATS)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "text", "loaded"),
    [
        ("a.csv", "model,MRR\nA,0.5\nB,0.6\n", {"tables.delimited"}),
        ("a.json", '{"mrr": 0.5}', {"objects", "tools.pykeen", "tables.delimited"}),
    ],
)
def test_only_readers_whose_signs_a_document_has_are_imported(
    name: str, text: str, loaded: set[str]
) -> None:
    code = (
        "import sys; from rankconst.results.formats import FORMATS, read_document;"
        f"read_document({name!r}, {text!r});"
        "print(*{row.module for row in FORMATS.values() if 'rankconst.results.' + row.module "
        "in sys.modules})"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert {*done.stdout.split()} == loaded


def test_the_format_is_recognised(key: str, path: Path) -> None:
    assert rankconst.read(path).form == key


def test_others_claim_no_file_before_its_own_reader(key: str, path: Path) -> None:
    document = open_document(path)
    claimed = [key for key, row in FORMATS.items() if row.load().recognise(document)]
    assert claimed[0] == key
    # The cheap sign of a format never hides what its reader recognises.
    assert all(FORMATS[each].fits(document) for each in claimed)


_WORDS = sorted({word for _, text in FILES.values() for word in re.findall(r"\s+|[^\s]+", text)})
_HOSTILE = [
    "\n", "\r", "\x1b[", "\x1b[0m", ": ", "nan", "@", "|", "\u0130", "\u0663", "[1,", "±", "%", "9" * 500,
]  # fmt: skip


@st.composite
def _damage(draw: st.DrawFn) -> str:
    """Return the sample of a format that is cut off or has a wrong character."""
    _, text = draw(st.sampled_from([*FILES.values()]))
    place = draw(st.integers(0, len(text) - 1))
    end = st.just("") | SIGNS.map(lambda sign: sign + text[place + 1 :])
    return text[:place] + draw(
        end | st.sampled_from('{}[]",:-&*!').map(lambda sign: sign + text[place + 1 :])
    )


@pytest.mark.slow
@settings(max_examples=choose(150, 4_000))
@given(
    st.sampled_from(sorted(FILES)),
    documents.map(lambda each: each.text)
    | st.lists(st.sampled_from([*_WORDS, *_HOSTILE]), max_size=60).map("".join)
    | _damage(),
)
def test_any_text_is_read_or_refused_with_the_name_of_the_file(key: str, text: str) -> None:
    check_refusal(FORMATS[key].load(), Document("results.txt", text))


def test_a_table_made_from_a_tools_output_is_of_that_tool() -> None:
    long = [
        ["Side", "Rank_type", "Metric", "Value", "dataset"],
        ["both", "realistic", "hits_at_10", ".9", "nations"],
    ]
    wide = [["run", "dataset", "metrics.both.realistic.hits_at_1"], ["a", "nations", "0.5"]]
    mixed = [[*wide[0], "MRR"], [*wide[1], "0.7"]]
    others = [["side", "type", "metric", "value", "model"], ["both", "filtered", "MRR", "0.5", "A"]]
    for table, tool in ((long, "pykeen"), (wide, "pykeen"), (mixed, None), (others, None)):
        assert read_document("a.md", write_markdown(table)).tool == tool
        assert read_document("a.tex", write_latex(table)).tool == tool
    # Columns that people add to what PyKEEN's to_df() returns.
    for place in (0, 2, 5):
        table = [
            [*row[:place], added, *row[place:]]
            for row, added in zip(long, ("model", "TransE"), strict=True)
        ]
        assert read_document("a.csv", write_csv(table)).form == "pykeen_csv"


def test_a_file_of_no_format() -> None:
    with pytest.raises(
        DataError,
        match=r"is not recognised: expected .* Known formats: pykeen, .*an ending such as",
    ):
        read_document("notes.txt", "The results were good.\n")
    with pytest.raises(DataError, match="contains no value of a metric; expected numbers"):
        read_document("train.log", "model,dataset,MRR\nRotatE,WN18RR,\n")


@for_each(
    ("text", "said"),
    [
        ('{"nbformat": 4, "cells": []}', "is a notebook, which is not read.*nbconvert"),
        ("||Model||MRR||\n|TransE|0.294|\n", "looks like the markup of Jira.*pandoc -f jira"),
        ("{| class=wikitable\n! Model !! MRR\n|-\n| TransE || 0.294\n|}\n", "MediaWiki.*pandoc -f mediawiki"),
        # Read as other text, these gave the value of one column to another.
        ("{|\n! Metric || UMLS || Nations\n|-\n| MRR || 0.3 || 0.4\n|-\n| Hits@10 || .5 || .6\n|}\n", "MediaWiki"),
        ("|_. Metric |_. head |_. tail |\n|<. MRR |<. 0.3 |<. 0.4 |\n", "looks like Textile.*pandoc -f textile"),
        ("# A tibble: 1 × 2\n  dataset     MRR\n  <chr>     <dbl>\n1 FB15k-237 0.294\n", "a tibble.*write.csv"),
        ("    dataset   MRR\n     <char> <num>\n1: FB15k-237 0.294\n", "a data.table.*fwrite"),
        ("1×2 DataFrame\n Row │ dataset    MRR\n     │ String     Float64\n─────┼──────────\n   1 │ FB15k-237    0.294\n", "Julia.*CSV.write"),
        ("     +------------------+\n     |   dataset    mrr |\n     |------------------|\n  1. | FB15k-237   .294 |\n     +------------------+\n", "Stata.*export delimited"),
        ("      dataset  MRR\n0   FB15k-237  0.3\n..        ...  ...\n99  FB15k-237  0.4\n\n[100 rows x 2 columns]\n", "some rows only.*to_csv"),
        ("┌───────────┬─────┐\n│ dataset   ┆ MRR │\n╞═══════════╪═════╡\n│ FB15k-237 ┆ 0.3 │\n│ …         ┆ …   │\n└───────────┴─────┘\n", "some rows only.*write_csv"),
    ],
)  # fmt: skip
def test_markup_that_is_not_read_is_named_with_what_converts_it(text: str, said: str) -> None:
    with pytest.raises(DataError, match=said):
        read_document("a.ipynb" if "nbformat" in text else "results.txt", text)
