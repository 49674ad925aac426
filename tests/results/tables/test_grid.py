"""From grids of cells to numbers and what is said of them; and random tables out of every container
of text.
"""

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cases import choose, for_each, read_cases
from rankconst.arrow import join_texts
from rankconst.catalogue.benchmarks import load_benchmarks
from rankconst.catalogue.metrics import parse_metric
from rankconst.errors import DataError
from rankconst.evaluation import Address
from rankconst.results.document import Document
from rankconst.results.formats import FORMATS, read_document
from rankconst.results.labels import read_label
from rankconst.results.reading import Entry, Reading
from rankconst.results.rewrite import MARKUPS, locate
from rankconst.results.tables.cells import Row
from rankconst.results.tables.delimited import DELIMITERS
from rankconst.results.tables.grid import Dialect, read_tables
from rankconst.results.tables.headings import Heading, explain_missing, find_heading, find_reason
from rankconst.results.tables.near import Printed, read_near
from rankconst.results.tables.tex import ENVIRONMENTS
from rankconst.results.vocabulary import VOCABULARY, screen
from readings import Table, check_indices, summarise, tables, write_csv, write_latex, write_markdown


def read_rows(*lines: str) -> list[Row]:
    """Split rows with bars between cells."""
    cells = [tuple(line.split("|")) for line in lines]
    return [
        Row(i, row, tuple(cell.strip() for cell in row)) for i, row in enumerate(cells, start=1)
    ]


def read(*lines: str, groups: bool = False) -> Reading:
    return read_tables(
        Document("results", ""), "test", [Printed(read_rows(*lines))], Dialect(even=not groups)
    )


def found(reading: Reading) -> list[tuple[str, str | None, str]]:
    return [(entry.metric.label, entry.context.dataset, entry.text) for entry in reading.entries]


def test_an_entry_in_full() -> None:
    reading = read(
        "Method|Benchmark|Subset|Side|Rank type|n ranks|repo|averaging|protocol|AMRI",
        "RotatE|WN18RR|validation|left|best|6,268|uma-pi1/kge|micro|raw|0.8",
    )
    context = Address(
        "WN18RR", "valid", "left", "raw", "micro", "uma-pi1/kge", "RotatE", "optimistic", num_tasks=6268
    )  # fmt: skip
    mr = parse_metric("MR")
    assert [*reading.entries] == [Entry(mr, "0.8", 0, "AMRI", 2, context, "index", exact=False)]
    described = (reading.name, reading.form, reading.layout, reading.tool)
    assert described == ("results", "test", "wide", None)
    (of_seeds,) = read("Method|n|MRR", "RotatE|3|0.3").entries
    assert of_seeds.context.num_tasks is None


@pytest.mark.parametrize("levels", [("MRR", "median"), ("median", "MRR")])
def test_the_median_of_a_metric_is_no_median_rank(levels: tuple[str, str]) -> None:
    """As pandas writes ``groupby().agg(["mean", "median"])``."""
    upper, lower = (f"|{each}|{each.replace('median', 'mean')}" for each in levels)
    reading = read(f"Model{upper}", lower, "RotatE|0.2|0.3")
    assert [(each.metric.label, each.text) for each in reading.entries] == [("MRR", "0.3")]
    (skipped,) = reading.skipped
    assert skipped.reason == "two levels of its heading name metrics"


@for_each(
    "text",
    ["0.33.8", "3.38×10^{-1}", "3x10^3", "2×10³", "1.77 · 10²",
     "10^{3}", "10^3", "10³", "0.338 (0.340)", "0.3 0.4", "nan", "NaN", "-inf", "high", "0,338", "1/3",
     "~0.3", ">0.3", "0.3-0.4", "*", "**", "^{1}", "0.3^{-1}", "0.3_{1}", "9" * 500],
)  # fmt: skip
def test_what_may_be_part_of_a_number_is_not(text: str) -> None:
    reading = read("Model|MR", f"RotatE|{text}", "TransE|357")
    assert [entry.text for entry in reading.entries] == ["357"]
    assert [(skip.line, skip.what) for skip in reading.skipped] == [(2, text[:80])]
    assert reading.skipped[0].reason.startswith("not a number")


def test_tables_without_metrics_are_passed_over_if_another_has_one() -> None:
    others = [Printed(read_rows(f"a{i}|b", "1|2")) for i in range(30)]
    document = Document("results", "")
    reading = read_tables(document, "test", [*others, Printed(read_rows("a|MRR", "b|0.3"))])
    assert (len(reading.rows), len(reading.entries), len(reading.skipped)) == (1, 1, 30)
    with pytest.raises(DataError, match="no column is a metric among a0, b"):
        read_tables(document, "test", others)


def test_another_number_of_tasks_is_reported() -> None:
    reading = read("MRR|count", "0.3|402.5")
    assert reading.entries[0].context.num_tasks is None
    assert [skip.what for skip in reading.skipped] == ["402.5"]


def test_a_row_of_a_long_table_has_the_number_of_tasks_of_its_evaluation() -> None:
    rows = "A|mrr|.1", "A|count|6268", "B|mrr|.2", "C|mrr|.3", "C|count|many"
    reading = read("model|metric|value", *rows)
    assert [entry.context.num_tasks for entry in reading.entries] == [6268, None, None]
    assert [skip.what for skip in reading.skipped] == ["many"]


def test_beside_a_number_with_a_sign_shares_are_differences_too() -> None:
    reading = read("Model|MRR|Hits@10|MR", "A|.3|.5|9", "Ours|+.01|.02|8")
    assert [entry.text for entry in reading.entries] == [".3", ".5", "9", "8"]
    assert [skip.what for skip in reading.skipped] == ["+.01", ".02"]


def test_a_heading_again_over_other_datasets() -> None:
    lines = (
        "|FB15k-237|", "Model|MRR|MR", "RotatE|0.338|177", "|WN18RR|", "Model|MRR|MR",
        "RotatE|0.476|3340",
    )  # fmt: skip
    assert found(read(*lines, groups=True)) == [
        ("MRR", "FB15k-237", "0.338"), ("MR", "FB15k-237", "177"),
        ("MRR", "WN18RR", "0.476"), ("MR", "WN18RR", "3340"),
    ]  # fmt: skip


def test_an_empty_cell_of_a_document_repeats_the_side_and_the_protocol_above() -> None:
    rows = "Raw|head|A|.1", "||B|.2", "Filtered|tail|A|.3", "||B|.4"
    entries = read("Setting|Side|Model|MRR", *rows, groups=True).entries
    addresses = [(entry.context.protocol, entry.context.side) for entry in entries]
    assert addresses == [("raw", "head")] * 2 + [("filtered", "tail")] * 2


@for_each(
    ("lines", "texts", "left"),
    [
        # Fractions under a percent sign.
        (["Model|MRR|Hits@10 (%)", "A|0.338|0.533", "B|0.3|0.4"], ["0.338", "0.3"], ["0.533", "0.4"]),
        (["Model|MRR (x100)|Hits@10 (%)", "A|0.8|0.533", "B|0.3|2.4"], ["0.8%", "0.533%", "0.3%", "2.4%"], []),
        # A share among percentages of a column, printed otherwise.
        (["Model|H@10 (UMLS)|H@10 (WN18)", "A|.533|57.1", "B|.5|50.1"], ["57.1%", "50.1%"], [".533", ".5"]),
        # RotatE and ConvE on FB15k-237: Hits@1 as a fraction beside Hits@10 in percent.
        (["Model|H@1|H@10", "A|0.241|53.3", "B|0.237|50.1"], ["53.3%", "50.1%"], ["0.241", "0.237"]),
        (["Model|H@1|H@10 (%)", "A|0.241|53.3", "B|0.237|50.1"], ["0.241", "53.3%", "0.237", "50.1%"], []),
        # A little above 1 where nothing else is a percentage.
        (["Model|MRR|MR", "A|1.31|9", "B|1.2|8", "C|.9|7"], ["9", "8", "7"], ["1.31", "1.2", ".9"]),
        # No percentages, but wrong.
        (["Model|H@10", "A|533", "B|57.1"], ["533", "57.1"], []),
    ],
)  # fmt: skip
def test_what_is_in_percent(lines: list[str], texts: list[str], left: list[str]) -> None:
    reading = read(*lines)
    assert [entry.text for entry in reading.entries] == texts
    assert [skip.what for skip in reading.skipped] == left


@pytest.mark.parametrize(("percent", "text"), [(True, "0.533%"), (False, "0.533")])
def test_the_user_says_what_fractions_under_a_percent_sign_are(percent: bool, text: str) -> None:
    printed = Printed(read_rows("Model|Hits@10 (%)", "A|0.533"))
    reading = read_tables(Document("results", "", percent=percent), "test", [printed])
    assert [entry.text for entry in reading.entries] == [text]


def test_columns_that_look_like_metrics_are_named_where_they_are_not_read() -> None:
    reading = read("Model|MRR|MRR_20|Hits1*MR|MRR std|hits|time", "A|0.338|0.3|1|0.01|2|3")
    assert [entry.column for entry in reading.entries] == ["MRR"]
    assert [skip.what for skip in reading.skipped] == ["MRR_20", "Hits1*MR", "MRR std"]
    # With a cut-off, and what may be a second run.
    reading = read("Model|MRR@20|NDCG@10|MRR_2", "A|0.3|0.4|0.338")
    assert [entry.metric.label for entry in reading.entries] == ["MRR@20", "nDCG@10"]


def test_means_before_the_columns_of_datasets() -> None:
    rows = ("Model|||UMLS||Nations|", "|MRR|H@10|MRR|H@10|MRR|H@10", "A|.1|.2|.3|.4|.5|.6")
    found = [entry.context.dataset for entry in read(*rows, groups=True).entries]
    assert found == [None, None, "UMLS", "UMLS", "Nations", "Nations"]


@for_each(
    ("caption", "words"),
    [("Hits@3 of all models", ["hits@3"]), ("We compare by Hits@10.", ["hits@10"]), ("MRR of all models", []),
     ("All models", []), ("Mean rank", ["mr"])],
)  # fmt: skip
def test_a_metric_that_is_near_is_asked_about_if_the_user_names_another(
    caption: str, words: list[str]
) -> None:
    printed = Printed(
        read_rows("Model|UMLS|Nations", "RotatE|.3|.4"), (read_near("the caption", caption),)
    )
    (first, _) = read_tables(
        Document("results", "", metric=parse_metric("MRR")), "test", [printed]
    ).entries
    assert [ask.word for ask in first.context.questions if ask.field == "metric"] == words


def test_metrics_in_rows_are_those_of_the_table_and_not_of_the_user() -> None:
    printed = Printed(read_rows("metric|TransE|RotatE", "Hits@10|.3|.4", "MRR|.1|.2"))
    document = Document("results", "", metric=parse_metric("MR"))
    reading = read_tables(document, "test", [printed])
    assert [(each.context.model, each.metric.label, each.text) for each in reading.entries] == [
        ("TransE", "Hits@10", ".3"),
        ("TransE", "MRR", ".1"),
        ("RotatE", "Hits@10", ".4"),
        ("RotatE", "MRR", ".2"),
    ]


def test_metrics_are_in_the_rows_of_the_table_of_rotate() -> None:
    # README.md of DeepGraphLearning/KnowledgeGraphEmbedding, "Results of the RotatE model".
    reading = read(
        "Dataset|FB15k-237|wn18|wn18rr",
        "MRR|.337 ± .001|.949 ± .000|.477 ± .001",
        "MR|177|309|3340",
        "HITS@10|.533|.959|.571",
    )
    assert [(dataset, metric) for metric, dataset, _ in found(reading)] == [
        (dataset, metric)
        for dataset in ("FB15k-237", "wn18", "wn18rr")
        for metric in ("MRR", "MR", "Hits@10")
    ]


# What the first rows of a table make its columns.


def find(*lines: str) -> Heading:
    heading = find_heading(read_rows(*lines))
    assert heading is not None
    return heading


@pytest.mark.parametrize(
    "lines",
    [
        ("Model|Hits@10| ", "RotatE|10|3"),
        ("Model|MRR|", "RotatE||0.3", "TransE|0.2|0.3"),
        ("Model|MRR|", "RotatE|0.3*|0.2"),
    ],
)
def test_the_first_row_of_numbers_is_no_heading(lines: tuple[str, ...]) -> None:
    assert len(find(*lines).levels) == 1


@for_each(
    ("lines", "centred"),
    [
        (["Model| |UMLS| | |Nations|", "|MRR|H@1|H@3|MRR|H@1|H@3"], True),
        (["|Model| |UMLS| |Nations|", "|MRR|H@1|H@3|MRR|H@1"], True),
        (["|UMLS| |Nations| | |", "Model|MRR|H@1|H@3|MRR|H@1|H@3"], True),
        (["|UMLS| |Nations| | |", "Model|MRR|H@1|MRR|H@1|H@3"], False),
        (["|UMLS|Nations| | |", "||head| |tail|", "Model|MRR|MRR|H@1|MRR|H@1"], False),
        (["UMLS| | |Nations|", "Model|MRR|H@1|MRR|H@1"], False),
        (["Model|UMLS| |Nations|", "|MRR|H@1|MRR|H@1"], False),
        (["Results| | ", "Model|MRR|H@1"], False),
    ],
)
def test_names_above_the_middle_of_their_columns_name_none(lines: list[str], centred: bool) -> None:
    heading = find(*lines)
    assert {
        find_reason(heading, j).startswith("it is open which columns belong to which group")
        for j in heading.measures
    } == {centred}


@for_each(
    ("text", "message"),
    [
        ("MRR", "one column, 'MRR'; expected at least two, such as model and MRR. Is the delimiter right?"),
        ("Model|MMR", "no column is a metric among Model, MMR. Expected columns such as MRR, MR or Hits@10"),
        ("|", "no column is a metric among empty headings. Expected columns "),
        ("Model|WN18RR|UMLS", "If all columns are of one metric, say which: --metric mrr."),
    ],
)  # fmt: skip
def test_what_is_no_heading_is_explained(text: str, message: str) -> None:
    rows = read_rows(text.split("\n", maxsplit=1)[0])
    assert find_heading(rows) is None
    explained = explain_missing(Document("f.csv", text), rows)
    assert explained.startswith("f.csv, line 1: ")
    assert message in explained


@given(
    st.lists(
        st.sampled_from(["", "a", "a (2)", "a (3)", "(2)", "MRR", "MRR (2)"]),
        min_size=1,
        max_size=9,
    )
)
def test_keys_are_unique(headings: list[str]) -> None:
    keys = find("|".join(["MR", *headings])).keys
    assert len(set(keys)) == len(headings) + 1
    assert all(key.startswith(heading) for key, heading in zip(keys[1:], headings, strict=True))


@for_each(
    ("lines", "levels"),
    [
        (["Model|FB15k-237|  |WN18RR| ", "|MRR|H@1|MRR|H@1"], 2),
        (["|MRR| |Hits@1| ", "Model|FB15k-237|WN18RR|FB15k-237|WN18RR"], 2),
        (["Model|WN18RR| | | ", "|MR|Hits| | ", "||@1|@3|@10"], 3),
        (["|MRR|MRR|MR|MR", "|mean|std|mean|std"], 2),
        (["Model|MRR|MR|H@1|H@3"], 1),
    ],
)
def test_what_is_above_or_below_the_metrics_is_of_the_heading(
    lines: list[str], levels: int
) -> None:
    heading = find(*lines, "RotatE|0.1|0.2|0.3|0.4")
    assert (len(heading.levels), [*heading.measures]) == (levels, [1, 2, 3, 4])


def test_metrics_in_the_middle_of_their_rows_are_refused() -> None:
    with pytest.raises(DataError, match="line 2: it is open which rows belong to which metric"):
        read(
            "Metric||test", "|A|.3", "MRR|B|.4", "|C|.5", "|A|.2", "H@1|B|.3", "|C|.4", groups=True
        )


# What cells and headings say of rows: the nearer before the farther, whatever the number of rows.

_NAMES = sorted(
    {
        *VOCABULARY.lexicon,
        *VOCABULARY.values,
        *(name for key, row in load_benchmarks().items() for name in (key, row.title, *row.aliases)),
    }
)  # fmt: skip
_WRITINGS: tuple[Callable[[str], str], ...] = (str.lower, str.upper, str.title, str)
_OTHERS = (
    "RotatE", "model", "on", "the", "v2", "13", "-", "_", " ", "(", ")", "/", "OpenBG-IMG", "X", "Wn", "Data",
)  # fmt: skip


@given(
    st.lists(st.sampled_from([*_NAMES, *_OTHERS]), min_size=1, max_size=5),
    st.sampled_from(["", " ", "_", "-"]),
    st.data(),
)
def test_a_screen_of_many_cells_misses_none_that_tells_something(
    words: list[str], joint: str, data: st.DataObject
) -> None:
    text = data.draw(st.sampled_from(_WRITINGS))(joint.join(words))
    found = screen(join_texts([text, "RotatE"])).to_pylist()
    assert found[0] or not read_label(text).is_about_tasks
    assert not found[1]


def said(text: str, name: str = "a.csv") -> list[str]:
    """Return the address of each number, what is asked of it behind a question mark."""
    shown = []
    for entry in read_document(name, text).entries:
        context = entry.context
        fields = (context.dataset, context.split, context.side, context.protocol, context.rank_type)
        asked = "".join(f" ?{ask.field}" for ask in context.questions)
        shown.append(" ".join(filter(None, fields)) + asked)
    return shown


@for_each(("text", "expected"), read_cases(Path(__file__).with_suffix(".txt")))
def test_what_a_table_says(text: str, expected: list[str]) -> None:
    assert [each.strip() or "(nothing)" for each in said(text)] == expected


@for_each(
    ("above", "expected"),
    [
        ("We report the mean over head and tail prediction.", ""),
        ("The numbers are means over subjects and objects.", ""),
        ("We replace the head or the tail entity, and report the mean.", ""),
        ("Given the head and the relation, we predict the tail.", " ?side ?side"),
        ("Each object is ranked, and subjects are not.", " ?side ?side"),
        ("我们在多个标准数据集上的实验结果。", ""),
        ("所有结果均在验证集上。", " ?split"),
    ],
)
def test_what_a_paragraph_says(above: str, expected: str) -> None:
    assert said(f"# UMLS\n\n{above}\n\n| model | MRR |\n|---|---|\n| A | .1 |\n", "a.md") == [
        f"UMLS{expected}"
    ]


@pytest.mark.parametrize(
    "note", [r"$^\dagger$ scored on $\mathcal{D}_\text{val}$", r"$^\dagger$ validation set"]
)
def test_words_in_the_last_row_of_a_table_are_about_the_rows_above(note: str) -> None:
    rows = rf"model & MRR \\ A & .1 \\ \multicolumn{{2}}{{l}}{{{note}}}"
    assert said(rf"\begin{{tabular}}{{lc}} {rows} \end{{tabular}}", "a.tex") == [" ?split"]


@for_each("is_above", [True, False])
@for_each(
    ("note", "models"),
    [
        (r"\* validation set", "B"),
        ("† on dev; others from [5].", "C"),
        ("ᵉ validation set", "A"),
        # Of all rows: marks that no cell has, or a heading, or of which the note has several.
        ("‡ validation set", "ABC"),
        ("§ on dev", "ABC"),
        ("* and † on dev.", "ABC"),
        ("^{a} own run, ^{b} on the dev set", "ABC"),
        ("All but † are on the validation set.", "ABC"),
        # Its second clause is about others.
        ("(† raw) on the dev set", "ABC"),
        ("* on dev, others on valid.", "ABC"),
    ],
)
def test_a_note_that_begins_with_a_mark_is_asked_about_where_the_mark_is(
    note: str, models: str, is_above: bool
) -> None:
    rows = "| model | MRR§ | MR |\n|-|-|-|\n| A | .1 | 3ᵉ |\n| B* | .2 | 4 |\n| C^b | .3 | 5† |\n"
    above, below = (f"{note}\n\n", "") if is_above else ("", f"\n{note}\n")
    found = said(f"# UMLS\n\n{above}{rows}{below}", "a.md")
    assert ["?split" in address for address in found] == [model in models for model in "AABBCC"]


def test_a_note_without_a_mark_is_of_all_rows() -> None:
    text = "# UMLS\n\n| model | MRR |\n|---|---|\n| A | .1 |\n| B* | .2 |\n\nValidation set\n"
    assert said(text, "a.md") == ["UMLS valid"] * 2


def test_a_note_of_several_sentences_is_read() -> None:
    note = (
        f"{'The models were trained with one set of parameters. ' * 6}Unseen entities were dropped."
    )
    text = f"# UMLS\n\n| model | MRR |\n|---|---|\n| A | .1 |\n\n{note}\n"
    (question, *_) = read_document("a.md", text).entries[0].context.questions
    assert len(note) > 300
    assert (question.word, question.place) == ("unseen", "the note below")


def test_many_names_are_no_contexts() -> None:
    rows = [*(f"model-{i:06d},UMLS,.3\n" for i in range(3_000)), "TransE (raw),UMLS,.3\n"]
    entries = read_document("a.csv", f"model,dataset,MRR\n{''.join(rows)}").entries
    assert len(entries.contexts) == 2
    assert (entries[7].context.model, entries[-1].context.model) == ("model-000007", "TransE (raw)")
    assert [ask.word for ask in entries[-1].context.questions] == ["raw"]


# Written in each container, and read again.

_WRITERS: list[tuple[str, Callable[[list[tuple[str, ...]]], str]]] = [
    *(("csv", partial(write_csv, delimiter=delimiter)) for delimiter in DELIMITERS),
    *(("latex", partial(write_latex, environment=environment)) for environment in ENVIRONMENTS),
    *(("markdown", partial(write_markdown, prefix=prefix)) for prefix in ("", "> ", "   ")),
]
# What stands above the table.
_ABOVE = {"csv": "", "latex": "% \\\\ &\n", "markdown": "1. Results\n"}


@pytest.mark.slow
@settings(max_examples=choose(60, 2_000))
@given(tables(), st.sampled_from(sorted(_ABOVE)), st.data())
def test_random_tables_come_back(table: Table, form: str, data: st.DataObject) -> None:
    write = data.draw(st.sampled_from([write for own, write in _WRITERS if own == form]))
    name = "results.md" if form == "markdown" else "results.txt"
    document, reader = Document(name, _ABOVE[form] + write(table.grid)), FORMATS[form].load()
    assert reader.recognise(document)
    reading = reader.read(document)
    assert summarise(reading) == table.entries
    check_indices(reading)
    if form not in MARKUPS:
        assert [tuple(row.values()) for row in reading.rows] == list(table.rows)
        return
    located = locate(document, reading)
    assert set(located) == set(range(len(reading.entries)))
    for place, spans in located.items():
        entry = reading.entries[place]
        assert re.findall(r"\d[\d.]*", entry.text.replace(",", "")) == [
            span.digits for span in spans
        ]
        assert document.text.count("\n", 0, spans[0].start) + 1 == entry.line


@pytest.mark.parametrize(
    ("name", "above", "words"),
    [("all-merged.md", "", []), ("merged rare.md", "", ["rare"]), ("a.md", "The merged graph:\n\n", ["merged"])],
)  # fmt: skip
def test_the_name_of_a_file_says_how_it_was_merged_not_of_what_graph(
    name: str, above: str, words: list[str]
) -> None:
    (entry,) = read_document(name, f"{above}| dataset | MRR |\n|--|--|\n| UMLS | .7 |\n").entries
    assert [ask.word for ask in entry.context.questions] == words


def test_filter_below_a_metric_is_a_setting_and_no_column_of_settings() -> None:
    # The heading of Bordes et al. 2013, table 3.
    rows = "|Mean Rank||Hits@10|", "Method|Raw|Filter|Raw|Filter", "TransE|243|125|34.9|47.1"
    entries = read(*rows, groups=True).entries
    assert [(entry.metric.label, entry.text, entry.context.protocol) for entry in entries] == [
        ("MR", "243", "raw"), ("MR", "125", "filtered"),
        ("Hits@10", "34.9%", "raw"), ("Hits@10", "47.1%", "filtered"),
    ]  # fmt: skip
