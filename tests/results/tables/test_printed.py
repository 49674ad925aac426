"""Tables as programs print them and as they come from a PDF: rows with as many cells as the
heading.
"""

from dataclasses import replace

import pytest

from cases import for_each
from rankconst import adjust
from rankconst.errors import AskedError, DataError
from rankconst.results.document import Document
from rankconst.results.formats import read_document
from rankconst.results.neighbours import TWICE
from rankconst.results.tables.printed import READER, find_lines
from readings import check_indices, reading_of

read = reading_of(READER)


def _describe(text: str) -> list[str]:
    assert READER.recognise(Document("out.txt", text))
    reading = read(text)
    check_indices(reading)
    described = []
    for entry in reading.entries:
        about = entry.context
        names = (about.dataset, about.side, about.model, entry.metric.label, entry.text)
        described.append(" ".join(filter(None, names)))
    return described


_BOTH = ["A UMLS MRR .1", "A UMLS MR 2", "B c UMLS MRR .3", "B c UMLS MR 4"]
# Each says the same of two models.
_TABLES = {
    "aligned": "Model   MRR   MR\nA       .1    2\nB c     .3    4\n",
    "tabs": "Model\tMRR\tMR\nA\t.1\t2\nB c\t.3\t4\n",
    "a frame": "  Model  MRR  MR\n0     A   .1   2\n1   B c   .3   4\n",
    "a rule": "Model    MRR    MR\n-------  -----  ----\nA        .1     2\nB c      .3     4\n",
    "simple": (
        "=====  ===  ==\n Model MRR  MR\n=====  ===  ==\nA      .1   2\nB c    .3   4\n"
        "=====  ===  ==\n"
    ),
    "an indented one": (
        "  =====  ===  ==\n  Model  MRR  MR\n  =====  ===  ==\n  A      .1   2\n  B c    .3   4\n"
        "  =====  ===  ==\n"
    ),
    # As in AmpliGraph's docs/experiments.rst.
    "rows of several lines": (
        "=====  ===  ==  =====\nModel  MRR  MR  Setup\n=====  ===  ==  =====\n"
        "A       .1   2  k: 9;\n                lr: 1\n\nB c     .3   4  k: 9;\n                lr: 2\n"
        "=====  ===  ==  =====\n"
    ),
    "psql": " Model | MRR | MR\n-------+-----+----\n A     |  .1 |  2\n B c   |  .3 |  4\n(2 rows)\n",
    "an empty corner": "    | MRR | MR\n--- + --- + --\nA   |  .1 |  2\nB c |  .3 |  4\n",
    "pipes": "| Model | MRR | MR |\n|---|---|---|\n| A | .1 | 2 |\n| B c | .3 | 4 |\n",
    "grid": "+-----+-----+--+\n|Model|MRR  |MR|\n+=====+=====+==+\n|A    |.1   |2 |\n+-----+-----+--+\n"
    "|B    |.3   |4 |\n|c    |     |  |\n+-----+-----+--+\n",
    "box": "┌───────┬─────┬────┐\n│ Model ┆ MRR ┆ MR │\n╞═══════╪═════╪════╡\n│ A     ┆ .1  ┆ 2  │\n"
    "│ B c   ┆ .3  ┆ 4  │\n"
    "└───────┴─────┴────┘\n",
}  # fmt: skip


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("Model   UMLS        WN18\n        MRR  MR   MRR  MR", ["UMLS A MRR .1", "UMLS A MR 2", "WN18 A MRR .3", "WN18 A MR 4"]),
        ("  UMLS  WN18\nModel  MRR  MR  MRR  Hits@1", ["A MRR .1", "A MR 2", "A MRR .3"]),
        ("  UMLS  WN18  FB15k\nModel  MRR  MR  MRR  MR", ["A MRR .1", "A MR 2", "A MRR .3", "A MR 4"]),
    ],
)  # fmt: skip
def test_names_above_the_same_metrics_each(lines: str, expected: list[str]) -> None:
    assert _describe(f"{lines}\nA  .1  2  .3  4\n") == expected


@pytest.mark.parametrize("name", _TABLES)
@pytest.mark.parametrize("above", ["UMLS\n====\n\n", "On UMLS\n\n", "Table 3: Results on UMLS.\n"])
def test_tables_of_each_kind(name: str, above: str) -> None:
    said = [f"UMLS {each.replace(' UMLS', '')}" for each in _BOTH]
    assert _describe(above + _TABLES[name]) == said
    assert _describe(f"{above}{_TABLES[name]}\nsome words that end it.\n") == said
    twice = (
        f"{above}{_TABLES[name]}\n"
        f"{above.replace('UMLS', 'Nations').replace('====', '=======')}{_TABLES[name]}"
    )
    assert _describe(twice) == said + [each.replace("UMLS", "Nations") for each in said]


def test_a_progress_bar_above_a_table_is_no_row_of_it() -> None:
    bar = "Testing: 100%|██████| 160/160 [00:35<00:00,  4.50it/s]\n"
    text = "│ Metric │ Test │\n├────────┼──────┤\n│ mrr    │ 0.3  │\n│ mr     │ 2    │\n"
    assert _describe(bar + text) == ["Test MRR 0.3", "Test MR 2"]
    assert _describe(bar + text.replace("Test ", "Value")) == ["MRR 0.3", "MR 2"]


def test_captions_below() -> None:
    table = "Model MRR MR\nA 0.3 2\n"
    found = _describe(f"{table}Table 1: UMLS.\n\n{table}Table 2: Nations.\n")
    assert found == [
        f"{name} A {each}" for name in ("UMLS", "Nations") for each in ("MRR 0.3", "MR 2")
    ]


# Hits@10 is of other rows than the option would say.
_OF_R = """
      model   dataset   MRR
1    TransE FB15k-237 0.294
2   ComplEx    WN18RR 0.475
   Hits.10
1    0.465
2    0.547
"""
_OF_PANDAS = (
    "     MRR   MR  \\\n0  0.294  357\n1  0.475  100\n\n   Hits@10\n0    0.465\n1    0.547\n"
)


@pytest.mark.parametrize(
    ("text", "line"),
    [(_OF_R, 5), (_OF_PANDAS, 1)],
)
def test_a_frame_that_is_printed_in_blocks_is_refused(text: str, line: int) -> None:
    with pytest.raises(DataError, match=rf"line {line}: this frame is printed in blocks"):
        read(text)
    # The first block may say that the numbers of the second are of another graph.
    with pytest.raises(DataError, match=rf"line {line + 3}: this frame is printed in blocks"):
        read_document("a.md", f"# UMLS\n\n```\n{text}```\n")


@for_each(
    ("table", "left"),
    [
        ("Model   MRR   MR\nA       .1    2\nB       .3\n", [3]),
        ("Model MRR MR\nA .1 2\nB .3 4 5\n", [3]),
        ("Model MRR MR\nA .1 2\nB c .3 4\n", [3]),
        ("| Model | MRR | MR |\n|---|---|---|\n| A | .1 | 2 |\n| B | .3 |\n", [4]),
    ],
)
def test_rows_of_another_width_are_left_out(table: str, left: list[int]) -> None:
    reading = read(table)
    assert [entry.text for entry in reading.entries] == [".1", "2"]
    assert [skip.line for skip in reading.skipped] == left
    assert all(skip.reason.endswith("or the table as CSV") for skip in reading.skipped)
    assert find_lines(table.split("\n")) >= {1, *left}


def test_below_cells_over_several_columns_it_is_open_which_graph_is_meant() -> None:
    text = """\
+---+-----------+-----------+
|   | UMLS      | Nations   |
+---+-----+-----+-----+-----+
|   | MRR | MR  | MRR | MR  |
+---+-----+-----+-----+-----+
| A | .1  | 2   | .3  | 4   |
+---+-----+-----+-----+-----+
"""
    reading = read(text)
    assert not reading.entries
    assert all("it is open which columns" in skip.reason for skip in reading.skipped)


# Sun et al. 2019 (RotatE) on WN18RR and FB15k-237.
_REPEATED = "Model MR MRR MR MRR\nRotatE 3340 .476 177 .338\n"


@for_each(
    "above",
    ["", "Results on WN18RR and FB15k-237.\n", "WN18RR FB15k-237\n", "Model WN18RR FB15k-237\n"],
)
def test_one_dataset_is_never_that_of_a_metric_that_comes_twice(above: str) -> None:
    for dataset in (None, "wn18rr"):
        with pytest.raises(AskedError) as found:
            adjust(read(above + _REPEATED), dataset=dataset)
        assert TWICE in {
            replace(ask, numbers=(), total=0, in_python=False) for ask in found.value.questions
        }


def test_a_printed_frame_may_have_a_row_for_each_metric() -> None:
    text = (
        "   Side  Rank_type                     Metric Value\n"
        "4  head  realistic  inverse_harmonic_mean_rank 0.04\n"
    )
    assert _describe(text) == ["head MRR 0.04"]


@for_each(
    "text",
    [
        "", "MRR and MR are metrics.\n", "Model MRR MR\n\nfar below 0.1 2\n", "a b\n1 2\n", "a | b | c\n",
        "INFO | eval | MRR: 0.3\nINFO | eval | MR: 3\n", "epoch 3 MRR 0.3\nepoch 4 MRR 0.4\n",
        "Evaluating valid\nMRR: 0.3\nTest MRR: 0.4\n",
        "Model MR raw MR filt Hits@10\nA 1 2 0.3\n", "Model MRR Mean Rank\nA .1 2\n", "Model MRR test MRR valid\nA 0.1 0.2\n",
        "     mrr    hits@10\n   valid test valid test\nA .1    .2   .3    .4\n",
    ],
)  # fmt: skip
def test_what_is_no_table(text: str) -> None:
    assert not READER.recognise(Document("notes.txt", text))


def test_an_rst_file_is_read_by_its_tables() -> None:
    reading = read_document("a.rst", f"UMLS\n====\n\n{_TABLES['grid']}")
    assert reading.form == "text"
    assert {entry.context.dataset for entry in reading.entries} == {"UMLS"}
