"""From grids of cells to numbers, without any format around them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankconst.catalogue.metrics import parse_metric
from rankconst.constants.published import parse_value
from rankconst.errors import DataError
from rankconst.evaluation import Stated
from rankconst.results.document import Document
from rankconst.results.formats import read_document
from rankconst.results.reading import Entry, Reading
from rankconst.results.tables.cells import Row
from rankconst.results.tables.grid import read_tables
from rankconst.results.tables.headings import Dialect
from rankconst.results.tables.surroundings import Above, Printed


def read_rows(*lines: str) -> list[Row]:
    """Split rows with bars between cells."""
    cells = [tuple(line.split("|")) for line in lines]
    return [Row(i, row, tuple(cell.strip() for cell in row)) for i, row in enumerate(cells, start=1)]


def read(*lines: str, groups: bool = False) -> Reading:
    return read_tables(Document("results", ""), "test", [Printed(read_rows(*lines))], Dialect(groups=groups))


def found(reading: Reading) -> list[tuple[str, str | None, str]]:
    return [(entry.metric.label, entry.context.dataset, entry.text) for entry in reading.entries]


def test_an_entry_in_full() -> None:
    reading = read(
        "Method|Benchmark|Subset|Target|Rank type|n|repo|averaging|protocol|AMRI",
        "RotatE|WN18RR|validation|left|best|6,268|uma-pi1/kge|micro|raw|0.8",
    )
    context = Stated(
        "WN18RR", "validation", "left", "raw", "micro", "uma-pi1/kge", "RotatE", "optimistic", num_tasks=6268
    )
    assert reading.entries == (Entry(parse_metric("MR"), "0.8", 0, "AMRI", 2, context, "index", exact=False),)
    assert (reading.name, reading.form, reading.layout, reading.tool) == ("results", "test", "wide", None)


def test_what_a_heading_says_goes_before_a_column() -> None:
    reading = read("dataset|split|test_mrr|MRR (WN18RR)|mrr", "FB15k-237|valid|1|1|1")
    assert [(entry.context.dataset, entry.context.split) for entry in reading.entries] == [
        ("FB15k-237", "test"), ("WN18RR", "valid"), ("FB15k-237", "valid"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0.338*", "0.338"), ("0.338 **", "0.338"), ("0.338†‡", "0.338"), ("†0.338", "0.338"), ("0.338^{1}", "0.338"),
        ("0.338^{a,b}", "0.338"), ("0.338^*", "0.338"), ("0.338¹", "0.338"), ("0.338 (1)", "0.338"),
        ("0.338 [12, 3]", "0.338"), ("0.338^{1} (2)*", "0.338"), ("53.3%*", "53.3%"), ("0.5 ± 0.1 (1)", "0.5 ± 0.1"),
        ("(0.338)", "(0.338)"), ("0.338 (0.002)", "0.338 ± 0.002"), ("46.1% (0.3)", "46.1 ± 0.3%"),
        ("0.46(.01)", "0.46 ± .01"),
        ("0.338 ± 0.002 (3 runs)", "0.338 ± 0.002"), ("0.338 (n = 5)", "0.338"),
        ("0.912 ✨", "0.912"), ("-0.71", "-0.71"), ("3,340", "3,340"), ("1e-3", "1e-3"), ("110^{1}", "110"),
    ],
)  # fmt: skip
def test_marks_are_removed(text: str, number: str) -> None:
    (entry,) = read("Model|MR", f"RotatE|{text}").entries
    assert entry.text == number
    assert parse_value(entry.text) == parse_value(number)


@pytest.mark.parametrize(
    "text",
    ["0.33.8", "10^{3}", "10^3", "10³", "0.338 (0.340)", "0.3 0.4", "nan", "NaN", "inf", "-inf", "high", "0,338", "1/3",
     "~0.3", ">0.3", "0.3-0.4", "*", "**", "^{1}", "0.3^{-1}", "0.3_{1}", "9" * 500],
)  # fmt: skip
def test_what_may_be_part_of_a_number_is_not(text: str) -> None:
    reading = read("Model|MR", f"RotatE|{text}", "TransE|357")
    assert [entry.text for entry in reading.entries] == ["357"]
    assert [(skip.line, skip.what) for skip in reading.skipped] == [(2, text[:80])]
    assert reading.skipped[0].why.startswith("no number, in column MR")


@pytest.mark.parametrize("text", ["", "-", "--", "---", "–", "—", "−", "?", "×"])
def test_blanks_are_silent(text: str) -> None:
    reading = read("Model|MRR|MR", f"RotatE|{text}|177")
    assert (found(reading), reading.skipped) == ([("MR", None, "177")], ())


@pytest.mark.parametrize("text", ["n/a", "N/A", "NA", "OOM", "none"])
def test_words_for_nothing_are_reported(text: str) -> None:
    reading = read("Model|MRR|MR", f"RotatE|{text}|177")
    assert found(reading) == [("MR", None, "177")]
    assert [(skip.line, skip.what) for skip in reading.skipped] == [(2, text)]


@pytest.mark.parametrize(
    ("count", "expected"), [("402", 402), ("402.0", 402), ("40,876", 40876), ("", None), ("-", None)]
)
def test_numbers_of_tasks(count: str, expected: int | None) -> None:
    reading = read("MRR|count", f"0.3|{count}")
    assert (reading.entries[0].context.num_tasks, reading.skipped) == (expected, ())


@pytest.mark.parametrize("count", ["402.5", "many", "4,02", "-3"])
def test_other_numbers_of_tasks_are_reported(count: str) -> None:
    reading = read("MRR|count", f"0.3|{count}")
    assert reading.entries[0].context.num_tasks is None
    assert [skip.what for skip in reading.skipped] == [count]


def test_percent_of_a_heading() -> None:
    reading = read("Model|Hits@10 (%)|MRR", "RotatE|53.3|0.338", "TransE|46.5%|0.294", "ConvE|50.1 ± 0.2|0.3")
    assert [entry.text for entry in reading.entries[::2]] == ["53.3%", "46.5%", "50.1 ± 0.2%"]
    assert [round(parse_value(entry.text).value, 6) for entry in reading.entries[::2]] == [0.533, 0.465, 0.501]


def test_repeated_headings() -> None:
    reading = read("Model|MRR", "RotatE|0.1", "Model|MRR", "TransE|0.2")
    assert [(skip.line, skip.why) for skip in reading.skipped] == [(3, "the heading is repeated")]
    assert [entry.row for entry in reading.entries] == [0, 1]


@given(st.lists(st.sampled_from(["", "a", "a (2)", "a (3)", "(2)", "MRR", "MRR (2)"]), min_size=1, max_size=9))
def test_columns_are_unique(headings: list[str]) -> None:
    reading = read("|".join(["MR", *headings]), "|".join(["1", *map(str, range(len(headings)))]))
    assert len(set(reading.columns)) == len(headings) + 1
    assert list(reading.rows[0].values()) == ["1", *map(str, range(len(headings)))]
    for heading, column in zip(headings, reading.columns[1:], strict=True):
        assert column.startswith(heading)


def test_groups() -> None:
    lines = ("Model|MRR|MR", "Translational| | ", "TransE|0.294|357")
    reading = read(*lines, groups=True)
    assert [skip.what for skip in reading.skipped] == ["Translational"]
    assert len(reading.rows) == 2
    assert read(*lines).skipped == ()


def test_a_long_table_with_k() -> None:
    reading = read("metric|k|value|split", "hits_at_k|10|0.5|test", "MRR| |0.3|test", "|  |0.1|test", "MR||-|test")
    assert found(reading) == [("Hits@10", None, "0.5"), ("MRR", None, "0.3")]
    assert reading.layout == "long"


def test_rows_are_mappings() -> None:
    (row,) = read("Model|MRR", "RotatE|0.338").rows
    assert row == {"Model": "RotatE", "MRR": "0.338"}
    assert repr(row) == repr(dict(row))
    assert len(row) == 2
    with pytest.raises(KeyError):
        row["MR"]


def test_a_wide_heading_takes_no_time() -> None:
    width = 3_000
    reading = read(
        "|".join(["Model", *(f"note {i}" for i in range(width)), "MRR"]), "|".join(["x"] * (width + 1) + ["0.3"])
    )
    assert len(reading.entries) == 1


def test_tables_without_metrics_are_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """What their columns may have been meant for is searched once, and only if no table is left."""
    searched: list[str] = []

    def search(name: str, *_: object, **__: object) -> list[str]:
        searched.append(name)
        return []

    monkeypatch.setattr("difflib.get_close_matches", search)
    others = [Printed(read_rows(f"a{i}|b", "1|2")) for i in range(30)]
    document = Document("results", "")
    reading = read_tables(document, "test", [*others, Printed(read_rows("a|MRR", "b|0.3"))], Dialect(groups=True))
    assert (len(reading.rows), len(reading.entries), len(reading.skipped), searched) == (1, 1, 30, [])
    with pytest.raises(DataError, match="no column is a metric among a0, b"):
        read_tables(document, "test", others, Dialect(groups=True))
    assert searched == ["a0", "b"]


def test_columns_of_empty_tables_cost_nothing() -> None:
    tables = [Printed(read_rows(f"note {i}|MRR")) for i in range(3_000)]
    reading = read_tables(Document("results", ""), "test", [*tables, Printed(read_rows("a|MRR", "b|0.3"))], Dialect())
    assert (len(reading.columns), len(reading.rows)) == (3_002, 1)


def test_a_heading_again_over_other_datasets() -> None:
    lines = ("|FB15k-237|", "Model|MRR|MR", "RotatE|0.338|177", "|WN18RR|", "Model|MRR|MR", "RotatE|0.476|3340")
    assert found(read(*lines, groups=True)) == [
        ("MRR", "FB15k-237", "0.338"), ("MR", "FB15k-237", "177"),
        ("MRR", "WN18RR", "0.476"), ("MR", "WN18RR", "3340"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("label", "again", "said"),
    [
        ("Validation", "Test", ("split", "valid", "test")), ("Raw", "Filtered", ("protocol", "raw", None)),
        ("Tail only", "Head prediction", ("side", "tail", "head")),
    ],
)  # fmt: skip
def test_a_row_of_its_own_ends_what_another_said(label: str, again: str, said: tuple[str, str, str | None]) -> None:
    reading = read("Model|MRR", f"{label}|", "A|0.1", f"{again}|", "A|0.2", groups=True)
    assert [getattr(entry.context, said[0]) for entry in reading.entries] == list(said[1:])


@pytest.mark.parametrize("groups", [True, False])
@pytest.mark.parametrize(
    ("heading", "cells", "role", "said"),
    [
        ("Direction", ["head", "tail", "both", "avg"], "side", ["head", "tail", "both", None]),
        ("", ["Head prediction", "Tail prediction"], "side", ["head", "tail"]),
        ("Setting", ["raw", "filtered"], "protocol", ["raw", None]),
        ("phase", ["val", "test"], "split", ["valid", "test"]), ("Source", ["paper", "ours"], "split", [None, None]),
        ("Setting", ["raw", "w/o attention"], "protocol", [None, None]),
        ("Setting", ["raw", "valid"], "split", [None, None]),
        ("filtered", ["yes", "no"], "protocol", [None, "raw"]), ("Raw", ["no", "Yes"], "protocol", [None, "raw"]),
        ("is_filtered", ["True", "False"], "protocol", [None, "raw"]), ("Filt.", ["✓", "✗"], "protocol", [None, "raw"]),
        ("Filter", ["1", "0"], "protocol", [None, "raw"]), ("Unfiltered", ["n", "y"], "protocol", [None, "raw"]),
        ("filters", ["32", "64"], "protocol", [None, None]),
    ],
)  # fmt: skip
def test_a_column_of_splits_sides_or_protocols_is_known_by_its_cells(
    heading: str, cells: list[str], role: str, said: list[str | None], groups: bool
) -> None:
    reading = read(f"Model|{heading}|MRR", *(f"A|{cell}|0.1" for cell in cells), groups=groups)
    found = [getattr(entry.context, role) for entry in reading.entries]
    assert found == said[: len(found)]
    assert len(found) == len(cells)
    assert (f"{role} from column" in reading.understood) is any(said)


@pytest.mark.parametrize(
    ("heading", "cells", "unclear"),
    [
        ("filtered", ["x", "-"], [True, True]), ("filtered", ["yes", "partly"], [False, True]),
        ("Setting", ["raw", "filtered", "type-constrained"], [False, False, True]),
    ],
)  # fmt: skip
def test_a_cell_of_such_a_column_that_is_not_understood_leaves_its_row_out(
    heading: str, cells: list[str], unclear: list[bool]
) -> None:
    reading = read(f"Model|{heading}|MRR", *(f"A|{cell}|0.1" for cell in cells))
    assert [bool(entry.context.unclear) for entry in reading.entries] == unclear


def test_an_empty_cell_of_a_document_repeats_the_side_and_the_protocol_above() -> None:
    reading = read("Setting|Side|Model|MRR", "Raw|head|A|.1", "||B|.2", "Filtered|tail|A|.3", "||B|.4", groups=True)
    said = [(entry.context.protocol, entry.context.side) for entry in reading.entries]
    assert said == [("raw", "head"), ("raw", "head"), (None, "tail"), (None, "tail")]


def test_a_column_that_has_fractions_under_a_percent_sign_is_left_out() -> None:
    reading = read("Model|MRR|Hits@10 (%)", "A|0.338|0.533", "B|0.3|0.4")
    assert [entry.column for entry in reading.entries] == ["MRR", "MRR"]
    assert "0.533" in str(reading.skipped)
    assert "column Hits@10 (%)" in str(reading.skipped)
    reading = read("Model|MRR (x100)|Hits@10 (%)", "A|0.8|0.533", "B|0.3|2.4")
    assert [entry.text for entry in reading.entries] == ["0.8%", "0.533%", "0.3%", "2.4%"]


def test_columns_that_look_like_metrics_are_named_where_they_are_not_read() -> None:
    reading = read("Model|MRR|MRR_20|Hits1*MR|MRR std|hits|time", "A|0.338|0.3|1|0.01|2|3")
    assert [entry.column for entry in reading.entries] == ["MRR"]
    assert [skip.what for skip in reading.skipped] == ["MRR_20", "Hits1*MR"]
    # With a cut-off, and what may be a second run.
    reading = read("Model|MRR@20|NDCG@10|MRR_2", "A|0.3|0.4|0.338")
    assert [entry.metric.label for entry in reading.entries] == ["MRR@20", "nDCG@10"]


def test_a_share_among_percentages_of_a_column_printed_otherwise_is_left_out() -> None:
    reading = read("Model|H@10 (FB15k-237)|H@10 (WN18RR)", "A|.533|57.1", "B|.5|50.1")
    assert [entry.text for entry in reading.entries] == ["57.1%", "50.1%"]


def test_a_deviation_next_to_a_metric_is_no_deviation_of_ranks() -> None:
    reading = read("Model|MRR|std|SDR", "A|0.338|0.002|17")
    assert [(entry.metric.label, entry.text) for entry in reading.entries] == [("MRR", "0.338"), ("SDR", "17")]
    assert "std" in str(reading.skipped)
    assert [entry.metric.label for entry in read("Model|std", "A|17").entries] == ["SDR"]


def test_a_name_says_in_parentheses_what_its_row_is_of() -> None:
    names = ["A (valid)", "A (raw)", "A (tail, raw)", "A (best)", "A (ours)", "A (valid) B", "A (2019)"]
    contexts = [entry.context for entry in read("Model|MRR", *(f"{name}|0.3" for name in names)).entries]
    assert [(each.split, each.side, each.protocol) for each in contexts] == [
        ("valid", None, None), (None, None, "raw"), (None, "tail", "raw"), *[(None, None, None)] * 4,
    ]  # fmt: skip


def test_the_graph_of_the_training_is_not_that_of_the_numbers() -> None:
    reading = read("Train on|Test on|MRR", "FB15k-237|WN18RR|0.3", "WN18RR|FB15k-237|0.4", groups=True)
    assert [entry.context.dataset for entry in reading.entries] == ["WN18RR", "FB15k-237"]
    (entry,) = read("Pretrained on|MRR", "FB15k-237|0.3", groups=True).entries
    assert entry.context.dataset is None


@pytest.mark.parametrize("groups", [True, False])
@pytest.mark.parametrize(
    "lines",
    [
        ("model|MRR||model|MRR", "A|.1||B|.2", "C|.3||D|.4"), ("model|MRR|model|MRR", "A|.1|B|.2", "C|.3|D|.4"),
        ("name|MRR|note||name|MRR", "A|.1|x||B|.2", "C|.3|||D|.4"),
        ("dataset|model|MRR|dataset|model|MRR", "X|A|.1|Y|B|.2", "X|C|.3|Y|D|.4"),
        ("X|||Y|", "model|MRR||model|MRR", "A|.1||B|.2", "C|.3||D|.4"),
    ],
)  # fmt: skip
def test_tables_side_by_side_have_names_of_their_own(lines: tuple[str, ...], groups: bool) -> None:
    lines = tuple(line.replace("X", "UMLS").replace("Y", "Nations") for line in lines)
    reading = read(*lines, groups=groups)
    names = [
        next(cell for cell in reading.rows[entry.row].values() if cell in "ABCD" and cell) for entry in reading.entries
    ]
    assert list(zip(names, (entry.text for entry in reading.entries), strict=True)) == [
        ("A", ".1"), ("C", ".3"), ("B", ".2"), ("D", ".4"),
    ]  # fmt: skip
    if "UMLS" in "".join(lines):
        assert [entry.context.dataset for entry in reading.entries] == ["UMLS"] * 2 + ["Nations"] * 2


@pytest.mark.parametrize(
    "lines",
    [
        ("Model|MRR||MR", "A|.1||200"), ("Model|MRR||note", "A|.1||x"), ("Model|MRR|note|Hits@1|note", "A|.1|x|.2|y"),
        ("Model|MRR|Model", "A|.1|B"),
    ],
)  # fmt: skip
def test_an_empty_or_repeated_column_alone_begins_no_table(lines: tuple[str, ...]) -> None:
    assert len(read(*lines).rows) == 1


def test_a_ragged_row_of_tables_side_by_side_is_refused() -> None:
    with pytest.raises(DataError, match="expected 5 cells, as in the heading, got 4"):
        read("model|MRR||model|MRR", "A|.1||B")


def test_spans_are_cut_with_the_tables_side_by_side() -> None:
    heading = Row(1, ("UMLS", "", "Nations", ""), ("UMLS", "", "Nations", ""), {0: 2, 2: 2})
    rows = [heading, *read_rows("Model|MRR|Model|MRR", "A|.1|B|.2")]
    reading = read_tables(Document("results", ""), "test", [Printed(rows)], Dialect(groups=True))
    assert found(reading) == [("MRR", "UMLS", ".1"), ("MRR", "Nations", ".2")]


@pytest.mark.parametrize(
    ("heading", "cells", "texts"),
    [
        ("MRR ± std", ["0.3 ± 0.01", "0.2"], ["0.3 ± 0.01", "0.2"]), ("MRR (mean ± std)", ["0.3±.01"], ["0.3±.01"]),
        ("MRR+-", ["0.3"], ["0.3"]), ("MRR mean", ["0.3"], ["0.3"]), ("mean MRR", ["0.3"], ["0.3"]),
        ("MRR_mean", ["0.3"], ["0.3"]), ("MRR (std)", ["0.3 (0.01)", "0.02", "0.3(2)"], ["0.3 ± 0.01", "0.3(2)"]),
        ("MRR", ["0.3 (-0.018)", "0.32 (+1.2%)", ".32 (↑ 1.2)", "0.32↓"], ["0.3", "0.32", ".32", "0.32"]),
    ],
)  # fmt: skip
def test_means_with_their_deviations_and_gains(heading: str, cells: list[str], texts: list[str]) -> None:
    reading = read(f"Model|{heading}|MRR_std", *(f"A|{cell}|0.01" for cell in cells))
    assert [(entry.metric.label, entry.text) for entry in reading.entries] == [("MRR", text) for text in texts]
    assert len(reading.skipped) == len(cells) - len(texts)


@pytest.mark.parametrize(
    ("headings", "sides"),
    [
        ("MRR_l|MRR_r", ["head", "tail"]), ("Hits@10 h|Hits@10 t", ["head", "tail"]),
        ("MRR lhs|rhs MRR", ["head", "tail"]), ("MRR_l|MRR", [None]), ("Source MRR|MRR", [None]),
    ],
)  # fmt: skip
def test_sides_by_a_letter_have_their_counterpart(headings: str, sides: list[str | None]) -> None:
    assert [entry.context.side for entry in read(f"Model|{headings}", "A|0.1|0.2").entries] == sides


@pytest.mark.parametrize(
    ("heading", "left", "why"),
    [
        ("val_mrr|test_mrr|best_mrr", 2, "the best on which split"), ("MRR|best_mrr|best_valid_mrr", 2, "the best on"),
        ("MRR|Hits@10 (type-constrained)|MR", 2, "entities of the relation's type only"),
        ("FB15k-237 MRR|WN18RR MRR|mean MRR", 2, "a mean over what"), ("best_mrr|mrr|mr", 3, ""),
    ],
)  # fmt: skip
def test_columns_that_say_what_they_are_of_next_to_others_only(heading: str, left: int, why: str) -> None:
    reading = read(f"Model|{heading}", "A|.1|.2|.3")
    assert (len(reading.entries), len(reading.skipped)) == (left, 3 - left)
    assert why in "".join(skip.why for skip in reading.skipped)


def test_source_and_target_over_metrics_may_be_graphs() -> None:
    reading = read("|Source|Target", "Model|MRR|MRR", "A|.1|.2", groups=True)
    assert not reading.entries
    assert "source and target are sides of a triple in some tables, graphs in others" in reading.skipped[0].why


# Names over other columns than the first of theirs, in tables that have lost their spans.

_FOUR = "MRR|H@1|H@3|H@10"
_NUMBERS = "A|.11|.12|.13|.14|.21|.22|.23|.24|.31|.32|.33|.34"


@pytest.mark.parametrize(
    ("names", "below"),
    [
        (("FB15k-237", "WN18RR", "UMLS"), False),
        (("FB15k-237", "WN18RR", "UMLS"), True),
        (("FB15k-237", "MyKG", "UMLS"), False),
        (("FB15k-237", "MyKG", "UMLS"), True),
        (("One", "Two", "Six"), False),
    ],
)
@pytest.mark.parametrize("place", range(4))
def test_names_over_any_column_of_theirs(names: tuple[str, ...], place: int, below: bool) -> None:
    over = "|".join("|".join(name if j == place else "" for j in range(4)) for name in names)
    metrics = "|".join([_FOUR] * 3)
    rows = (f"Model|{metrics}", f"|{over}") if below else (f"Model|{over}", f"|{metrics}")
    found = [(entry.text, entry.context.dataset) for entry in read(*rows, _NUMBERS, groups=True).entries]
    assert found == [(f".{i}{j}", name) for i, name in enumerate(names, 1) for j in range(1, 5)]


@pytest.mark.parametrize("place", [1, 2, 3])
@pytest.mark.parametrize("names", [("FB15k-237", "WN18RR", "UMLS"), ("One", "Two", "Six")])
def test_names_over_other_metrics_for_each_are_open(names: tuple[str, ...], place: int) -> None:
    """Which columns are whose is not to be told, whatever dataset the user names."""
    over = "|".join("|".join(name if j == place else "" for j in range(4)) for name in names)
    metrics = f"{_FOUR}|MR|MRR|H@3|H@10|{_FOUR}"
    reading = read(f"Model|{over}", f"|{metrics}", _NUMBERS, groups=True)
    assert len(reading.entries) == 12
    for entry in reading.entries:
        assert entry.context.dataset is None
        assert entry.context.unclear.startswith(f"which of {', '.join(names)} it is of is open")


def test_means_before_the_columns_of_datasets() -> None:
    rows = ("Model|||UMLS||Nations|", "|MRR|H@10|MRR|H@10|MRR|H@10", "A|.1|.2|.3|.4|.5|.6")
    found = [entry.context.dataset for entry in read(*rows, groups=True).entries]
    assert found == [None, None, "UMLS", "UMLS", "Nations", "Nations"]


# Several metrics in a cell.


def test_several_metrics_in_a_cell() -> None:
    expected = [("MRR", "UMLS", ".45"), ("Hits@1", "UMLS", ".42"), ("Hits@10", "UMLS", ".62")]
    expected += [("MRR", "WN18RR", ".43"), ("Hits@1", "WN18RR", ".41"), ("Hits@10", "WN18RR", ".46")]
    body = "A|.45 / .42 / .62|.43/.41/.46"
    for heading in (
        ("Model|UMLS (MRR / H@1 / H@10)|WN18RR (MRR/Hits@1/10)",),
        ("Model|UMLS|WN18RR", "|MRR / H@1 / H@10|MRR / H@1 / H@10"),
        ("Model|UMLS MRR/H@1/H@10|WN18RR: MRR/H@1/H@10",),
    ):
        reading = read(*heading, body, groups=True)
        assert found(reading) == expected
        assert "several metrics in a cell" in reading.understood
    above = (Above("caption", "Results (MRR / Hits@1 / Hits@10) on test."),)
    rows = read_rows("Model|UMLS|WN18RR|time", f"{body}|3", "B|-|.43/.41|4")
    reading = read_tables(Document("results", ""), "test", [Printed(rows, above)], Dialect(groups=True))
    assert found(reading) == expected
    assert ".43/.41" in {each.what for each in reading.skipped}


def test_cells_that_name_their_metrics() -> None:
    expected = [("MRR", "UMLS", ".45"), ("Hits@10", "UMLS", ".62"), ("MRR", "WN18RR", ".43"), ("MRR", "WN18RR", ".41")]
    for cells in (
        ("MRR: .45, Hits@10: .62", "MRR: .43", "n/a", "MRR: .41"), ("MRR=.45; H@10=.62", ".43 MRR", "-", "MRR .41"),
    ):  # fmt: skip
        reading = read("Model|UMLS|WN18RR", "A|" + "|".join(cells[:2]), "B|" + "|".join(cells[2:]), groups=True)
        assert found(reading) == expected
    # Other numbers could be of any metric, and ever more metrics would widen every row.
    for rows in (["A|MRR: .45|.43", "B|.62|MRR: .41"], [f"A|Hits@{k}: .45|" for k in range(1, 100)]):
        with pytest.raises(DataError, match="no column is a metric"):
            read("Model|UMLS|WN18RR", *rows, groups=True)


def test_datasets_in_the_parentheses_of_joint_metrics() -> None:
    reading = read("Model|MRR (UMLS / WN18RR)|H@10 (UMLS/WN18RR)", "A|.45 / .43|.62/.46", groups=True)
    assert found(reading) == [
        ("MRR", "UMLS", ".45"), ("MRR", "WN18RR", ".43"), ("Hits@10", "UMLS", ".62"), ("Hits@10", "WN18RR", ".46"),
    ]  # fmt: skip


def test_labels_that_say_nothing_and_those_of_other_tasks() -> None:
    rows = ("Model|Transductive||Inductive|", "UMLS|MRR|H@10|MRR|H@10", "A|.1|.2|.3|.4")
    reading = read(*rows, groups=True)
    assert found(reading) == [("MRR", "UMLS", ".1"), ("Hits@10", "UMLS", ".2")]
    assert "entities of another graph" in reading.skipped[0].why
    reading = read("Model|Entity prediction|Relation prediction", "UMLS|MRR|MRR", "A|.1|.9", groups=True)
    assert found(reading) == [("MRR", "UMLS", ".1")]


def test_metrics_of_models_where_rows_are_of_datasets() -> None:
    reading = read("Dataset|TransE MRR|RotatE MRR|Forward MRR", "UMLS|.1|.2|.3", groups=True)
    told = [(each.context.model, each.context.dataset, each.text) for each in reading.entries]
    assert told == [("TransE", "UMLS", ".1"), ("RotatE", "UMLS", ".2")]
    assert [skip.what for skip in reading.skipped] == ["Forward MRR"]
    # Below datasets, GraIL is a model.
    reading = read("Model|WN18RR|UMLS", "|MRR|MRR", "GraIL|.1|.2", groups=True)
    assert found(reading) == [("MRR", "WN18RR", ".1"), ("MRR", "UMLS", ".2")]


@pytest.mark.parametrize(
    ("heading", "sides"),
    [
        ("MRR_Tail|MRR_Head|MRR_Avg", ["tail", "head", None]), ("MRR_Tail|MRR|MRR_Avg", ["tail", None]),
        ("GMR_tail|GMR_head|GMR_avg", ["tail", "head"]), ("head MRR|tail MRR|MRR (mean)", ["head", "tail", None]),
    ],
)  # fmt: skip
def test_an_average_next_to_both_sides_is_of_both(heading: str, sides: list[str | None]) -> None:
    assert [entry.context.side for entry in read(f"Model|{heading}", "A|.1|.2|.15").entries] == sides


@pytest.mark.parametrize("groups", [True, False])
def test_a_name_that_may_say_what_its_row_is_of_leaves_it_out(groups: bool) -> None:
    rows = ["full", "w/o text", "raw", "w/o images", "tail only"]
    for heading in ("Model|Setting|MRR", "Setting|MRR"):
        name = "A|" if heading.startswith("Model") else ""
        reading = read(heading, *(f"{name}{row}|.1" for row in rows), groups=groups)
        assert ["or be a name only" in entry.context.unclear for entry in reading.entries] == [
            False, False, True, False, True,
        ]  # fmt: skip
        assert {entry.context.protocol for entry in reading.entries} == {None}


def test_rows_of_deviations_in_brackets_are_no_results() -> None:
    rows = ("Model|MRR|MR", "A|.8|1.5", "|(.01)|(.2)", "B|(.8)|1.4", "|± .02|±.1")
    reading = read(*rows, groups=True)
    assert [entry.text for entry in reading.entries] == [".8", "1.5", "(.8)", "1.4"]
    assert [skip.why for skip in reading.skipped if "in brackets" in skip.why] == [reading.skipped[0].why] * 2
    # Below a dataset that repeats, a name is no name of deviations.
    assert len(read("Dataset|Model|MRR", "UMLS|A|.8", "|B|(.7)", groups=True).entries) == 2


def test_footnotes_of_datasets_and_directions_of_queries() -> None:
    reading = read("Dataset|MRR", "WN18RR^{1}|.1", "UMLS [2]|.2", "Nations†|.3", "WN18RR*|.4", groups=True)
    assert [entry.context.dataset for entry in reading.entries] == ["WN18RR", "UMLS", "Nations", "WN18RR*"]
    for groups in (True, False):
        reading = read("Query|MRR", "(?, r, t)|.1", "(h,r,?)|.2", groups=groups)
        assert [entry.context.side for entry in reading.entries] == ["head", "tail"]
        reading = read("Model|Direction|MRR", "A|forward|.1", "A|backward|.2", "A|both|.3", groups=groups)
        assert [bool(entry.context.unclear) for entry in reading.entries] == [True, True, False]


def test_a_slash_that_joins_no_metrics() -> None:
    reading = read("Model|MRR|batch/dim", "A|.45|256/100", "B|1/2|512/100", groups=True)
    assert found(reading) == [("MRR", None, ".45")]
    assert [each.what for each in reading.skipped] == ["1/2"]


def test_a_source_that_is_no_tool_is_a_name() -> None:
    rows = ("Source|UMLS MRR", "Paper|.45", "Code|.44")
    assert [(each.context.model, each.context.tool) for each in read(*rows, groups=True).entries] == [
        ("Paper", None),
        ("Code", None),
    ]
    named = read("Source|UMLS MRR", "uma-pi1/kge|.45", "Code|.44", groups=True).entries
    assert [each.context.tool for each in named] == ["uma-pi1/kge", "Code"]
    assert read("Tool|UMLS MRR", "Code|.44", groups=True).entries[0].context.tool == "Code"


def test_headings_name_models_where_rows_are_of_datasets() -> None:
    rows = ("Dataset|MRR (TF)|MRR (PyTorch)", "kinship|.03|.04", "umls|.12|.05")
    found = [(each.context.dataset, each.context.model) for each in read(*rows, groups=True).entries]
    assert found == [("kinship", "TF"), ("kinship", "PyTorch"), ("umls", "TF"), ("umls", "PyTorch")]


def test_rows_without_numbers_under_other_columns_name_no_datasets() -> None:
    for text, expected in (
        # What has no dataset of its own is not of the row above, whose metrics are missing.
        ("model,dataset,MRR,Hits@10\nA,WN18RR,,\nB,UMLS,.3,.5\nC,,.4,.6\n", ["UMLS", "UMLS", None, None]),
        ("MRR,Hits@10,dataset,model\n,.5,WN18RR,B\n.4,.6,UMLS,C\n", ["WN18RR", "UMLS", "UMLS"]),
        ("MRR,Hits@10,dataset,model\n,-,WN18RR,B\n.4,.6,UMLS,C\n", ["UMLS", "UMLS"]),
        ("MRR,dataset,Hits@10\n-,WN18RR,\n,WN18RR,.5\n.3,UMLS,.5\n", ["WN18RR", "UMLS", "UMLS"]),
        ("model,MRR,Hits@10\n,WN18RR,\nA,.3,.4\n,UMLS,\nB,.5,.6\n", ["WN18RR", "WN18RR", "UMLS", "UMLS"]),
    ):
        reading = read_document("a.csv", text)
        assert [entry.context.dataset for entry in reading.entries] == expected, text


def test_a_dataset_without_numbers_says_nothing_of_the_rows_below() -> None:
    for text, said in (
        ("dataset,MRR\nUMLS valid,\nWN18RR,.4\nUMLS,.5\n", [("WN18RR", None), ("UMLS", None)]),
        ("model,dataset,MRR\n,WN18RR,\nA,UMLS,.5\nB,,.6\n", [("UMLS", None), (None, None)]),
        # Where the rows below have no dataset of their own, it is theirs.
        ("dataset,model,MRR\nUMLS valid,,\n,A,.5\n,B,.6\n", [("UMLS", "valid"), ("UMLS", "valid")]),
        ("dataset,MRR\n(all),\nUMLS,.5\n", [("UMLS", None)]),
    ):
        entries = read_document("a.csv", text).entries
        assert [(entry.context.dataset, entry.context.split) for entry in entries] == said, text


def test_an_average_of_sides_is_a_result_and_an_empty_cell_no_relation() -> None:
    entries = read_document("a.csv", "dataset,eval_mode,MRR\nUMLS,average,.4\n").entries
    assert [(entry.context.side, entry.context.unclear) for entry in entries] == [(None, "")]
    entries = read_document("a.csv", "dataset,relation,MRR\nUMLS,isa,.3\nUMLS,,.4\nUMLS,all,.5\n").entries
    assert [(entry.context.relations, entry.context.unclear[:32]) for entry in entries] == [
        (("isa",), ""), ((), "its cell in column relation is e"), ((), ""),
    ]  # fmt: skip


# RotatE on FB15k-237 and WN18RR (Sun et al. 2019, arXiv:1902.10197).
_ROWS_OF_SETTINGS: dict[str, tuple[str, list[str]]] = {
    "name and value": (
        "name,value\nmodel,RotatE\ndataset,FB15k-237\ntest_mrr,0.338\nvalid_mrr,0.343\ntest_mr,177\n",
        ["FB15k-237 test - 0.338", "FB15k-237 valid - 0.343", "FB15k-237 test - 177"],
    ),
    "metric and value": (
        "metric,value\nhits@10,0.533\nmrr,0.338\nraw,True\nsplit,valid\n",
        ["- valid raw 0.533", "- valid raw 0.338"],
    ),
    "a column for each dataset": (
        "name,A,B\ndataset,FB15k-237,WN18RR\nfiltered,False,True\nMRR,0.338,0.476\nHits@10,0.533,0.571\n",
        ["FB15k-237 - raw 0.338", "FB15k-237 - raw 0.533", "WN18RR - - 0.476", "WN18RR - - 0.571"],
    ),
    "one below the other": (
        "| | A |\n|-|-|\n| MRR | .338 |\n| dataset | FB15k-237 |\n| MRR | .338 |\n| H@10 | .533 |\n"
        "| dataset | WN18RR |\n| split | valid |\n| MRR | .476 |\n| H@10 | .571 |\n",
        ["- - - .338", "FB15k-237 - - .338", "FB15k-237 - - .533", "WN18RR valid - .476", "WN18RR valid - .571"],
    ),
    "below the metrics": (
        "| name | A |\n|-|-|\n| MRR | .338 |\n| H@10 | .533 |\n| split | valid |\n| dataset | FB15k-237 |\n",
        ["FB15k-237 valid - .338", "FB15k-237 valid - .533"],
    ),
    "a number may be the name of a split, as of a fold": (
        "name,A\nMRR,0.338\nHits@10,0.533\nmode,2\nsplit,1\n",
        ["- 1 - 0.338", "- 1 - 0.533"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("key", _ROWS_OF_SETTINGS)
def test_rows_that_say_what_the_metrics_in_rows_are_of(key: str) -> None:
    text, expected = _ROWS_OF_SETTINGS[key]
    reading = read_document("a.md" if "|" in text else "a.csv", text)
    found = [(entry.context, entry.text) for entry in reading.entries]
    assert [f"{c.dataset or '-'} {c.split or '-'} {c.protocol or '-'} {value}" for c, value in found] == expected
