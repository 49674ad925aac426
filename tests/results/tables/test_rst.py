"""Tables in reStructuredText: each way to write one, what is around it, and any text at all."""

from __future__ import annotations

import time

import pytest
from hypothesis import given

from rankconst.errors import DataError
from rankconst.results.document import Document
from rankconst.results.tables.rst import READER, strip_rst
from readings import check_indices, check_refusal, documents, reading_of

read = reading_of(READER)

_GRID = """
+------------+-------+-------+
| Model      | MRR   | H@10  |
+============+=======+=======+
| **RotatE** | 0.338 | 0.533 |
+------------+-------+-------+
| TransE     | 0.294 | 0.465 |
| (our run)  |       |       |
+------------+-------+-------+
"""
# As AmpliGraph's page has it: hyperparameters go on over lines.
_SIMPLE = r"""
=========  ======  ========  ============
  Model     MRR    Hits\@10   Parameters
=========  ======  ========  ============
RotatE     0.338    0.533    k: 400;
                             loss: nll;

TransE     0.294    0.465    k: 10
=========  ======  ========  ============

"""
_LIST = """
.. list-table:: Results
   :header-rows: 1

   * - Model
     - MRR
     - H@10
   * - RotatE
     - 0.338
     - 0.533
   * - TransE
     - 0.294
     - 0.465
"""
_CSV = """
.. csv-table:: Results
   :header: "Model", "MRR", "H@10"

   "RotatE", 0.338, 0.533
   TransE, 0.294, 0.465
"""


@pytest.mark.parametrize("table", [_GRID, _SIMPLE, _LIST, _CSV])
@pytest.mark.parametrize(
    "above",
    ["FB15k-237\n=========\n", "Results\n=======\n\nFB15k-237\n---------\nOne run each.\n\n", "On FB15k-237:\n\n"],
)
def test_each_way_to_write_a_table(table: str, above: str) -> None:
    text = above + table
    assert READER.recognise(Document("results.rst", text))
    reading = read(text)
    assert [(entry.context.dataset, entry.metric.label, entry.text) for entry in reading.entries] == [
        ("FB15k-237", "MRR", "0.338"), ("FB15k-237", "Hits@10", "0.533"),
        ("FB15k-237", "MRR", "0.294"), ("FB15k-237", "Hits@10", "0.465"),
    ]  # fmt: skip
    assert reading.entries[0].context.model == "RotatE"
    assert text.split("\n")[(reading.entries[2].line or 0) - 1].find("TransE") >= 0
    check_indices(reading)


_SPANNING_GRID = """
+--------+---------------+---------------+
|        |   FB15k-237   |    WN18RR     |
+        +-------+-------+-------+-------+
| Model  | MRR   | H@10  | MRR   | H@10  |
+========+=======+=======+=======+=======+
| RotatE | 0.338 | 0.533 | 0.476 | 0.571 |
+--------+-------+-------+-------+-------+
"""
_SPANNING_SIMPLE = r"""
=======  =====  =====  =====  =====
\          FB15k-237      WN18RR
-------  ------------  ------------
Model    MRR    H@10   MRR    H@10
=======  =====  =====  =====  =====
RotatE   0.338  0.533  0.476  0.571
=======  =====  =====  =====  =====
"""


@pytest.mark.parametrize("table", [_SPANNING_GRID, _SPANNING_SIMPLE])
def test_cells_over_several_columns(table: str) -> None:
    assert [(entry.context.dataset, entry.text) for entry in read(table).entries] == [
        ("FB15k-237", "0.338"), ("FB15k-237", "0.533"), ("WN18RR", "0.476"), ("WN18RR", "0.571"),
    ]  # fmt: skip


def test_cells_over_several_rows() -> None:
    table = """
+-----------+-------+----------------+
| Dataset   | Model | MRR            |
+===========+=======+================+
| WN18RR    | A     | 0.43           |
+-----------+-------+----------------+
|           | A     | 0.31           |
| FB15k-237 +-------+----------------+
|           | B     | 0.338 +- 0.002 |
|           +-------+----------------+
|           | C     | 0.33           |
+-----------+-------+----------------+
"""
    assert [(entry.context.dataset, entry.context.model, entry.text) for entry in read(table).entries] == [
        ("WN18RR", "A", "0.43"), ("FB15k-237", "A", "0.31"), ("FB15k-237", "B", "0.338 +- 0.002"),
        ("FB15k-237", "C", "0.33"),
    ]  # fmt: skip


@pytest.mark.parametrize("more", ["   :delim:\n", ""])
def test_a_csv_table_with_what_its_reader_refuses(more: str) -> None:
    table = f".. csv-table:: FB15k-237\n   :header: Model, MRR\n{more}\n   A, 0.31\n   {'x ' * 70_000}, 0.33\n"
    assert [entry.text for entry in read(table).entries] == ["0.31"]


def test_the_title_of_a_table() -> None:
    reading = read(
        ".. table:: Results on WN18RR\n\n   ===== ====\n   Model MRR\n   ===== ====\n   A     0.3\n   ===== ====\n"
    )
    assert [entry.context.dataset for entry in reading.entries] == ["WN18RR"]
    assert reading.understood == "1 table; dataset from the caption; MRR"


@pytest.mark.parametrize(
    "text",
    [
        "===== ====\n" * 20_000,  # rules that end no table
        f"+--+--+\n|{'a' * 10**6}|\n" + "|a|b|\n" * 10**5,  # a line that is longer than all others
        "+---+---+\n| a | b |\n" + "|   +---+\n| c | d |\n" * 5_000,  # a cell that goes on
    ],
    ids=["simple", "wide", "long"],
)
def test_what_is_no_table_takes_time_and_memory_in_proportion(text: str) -> None:
    start = time.process_time()
    with pytest.raises(DataError, match=r"no table|no column is a metric"):
        read(text)
    assert time.process_time() - start < 5


@given(documents)
def test_any_text_is_read_or_refused(document: Document) -> None:
    check_refusal(READER, document)


@pytest.mark.parametrize(
    ("cell", "plain"),
    [
        ("**0.338**", "0.338"), ("*RotatE*", "RotatE"), ("``x``", "x"), (r"Hits\@10", "Hits@10"),
        ("RotatE [1]_", "RotatE"),
        ("`RotatE <http://x>`_", "RotatE"), (":ref:`RotatE <x>`", "RotatE"), ("2 * 3 * 4", "2 * 3 * 4"),
    ],
)  # fmt: skip
def test_markup(cell: str, plain: str) -> None:
    assert strip_rst(cell) == plain


def test_rules_may_be_around_the_whole_body_only() -> None:
    rule = "+-------+-------+\n"
    pretty = f"{rule}| split |  MRR  |\n{rule}| valid | 0.351 |\n| test  | 0.350 |\n{rule}"
    assert [(entry.context.split, entry.text, entry.line) for entry in read(pretty).entries] == [
        ("valid", "0.351", 4),
        ("test", "0.350", 5),
    ]


_BOX = """
┏━━━━━━━┳━━━━━━┓
┃ Model ┃ MRR  ┃
┡━━━━━━━╇━━━━━━┩
│ A     │ 0.22 │
│ B     │ 0.47 │
└───────┴──────┘
"""


def test_boxes_of_a_terminal() -> None:
    entries = read(f"WN18RR\n{_BOX}").entries
    said = [(entry.context.model, entry.context.dataset, entry.text) for entry in entries]
    assert said == [("A", "WN18RR", "0.22"), ("B", "WN18RR", "0.47")]
