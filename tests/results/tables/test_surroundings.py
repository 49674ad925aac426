"""What the text around a table says: datasets by the nearest words, other tasks, and where it stays open."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankconst
from cases import choose
from rankconst.catalogue.mentions import find_mentions
from rankconst.errors import DataError, UnknownNameError
from rankconst.evaluation import Stated, agrees, parse_stated, settle
from rankconst.results.formats import read_document
from rankconst.results.tables import latex, markdown, surroundings
from rankconst.results.tables.columns import CONSTRAINED
from rankconst.results.tables.surroundings import Above, find_task, tell
from readings import reading_of, tell_tasks

read = reading_of(markdown.READER)
read_latex = reading_of(latex.READER)

TABLES = rankconst.load()
_TABLE = "\n| Model | MRR |\n|---|---|\n| RotatE | 0.338 |\n"


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Link prediction on FB15k-237:", ["FB15k-237"]), ("FB15K-237 (Freebase)", ["FB15K-237"]),
        ("FreeBase (FB15k)", ["FB15k"]), ("WordNet (WN18)", ["WN18"]), ("Freebase", ["Freebase"]),
        ("WN18RR, FB15K-237 and YAGO3-10", ["WN18RR", "FB15K-237", "YAGO3-10"]), ("FB15k/WN18", ["FB15k", "WN18"]),
        ("WN18RR* dataset", ["WN18RR*"]), ("FB15k-237-OWE", ["FB15k-237-OWE"]), ("FB15k-237-test", ["FB15k-237"]),
        ("results on OpenBG-IMG", ["OpenBG-IMG"]), ("In the WIKI dataset", ["WIKI"]), ("WD50K (100)", ["WD50K (100)"]),
        ("the united nations of all countries of the world", []), ("TransE-2 with ConvE on a GPU", []),
        ("在FB15k-237上的结果", ["FB15k-237"]), ("CoDEx-S", ["CoDEx-S"]), ("ICEWS14 and FB15k", ["ICEWS14", "FB15k"]),
    ],
)  # fmt: skip
def test_graphs_that_a_text_names(text: str, names: list[str]) -> None:
    assert [mention.text for mention in find_mentions(text)] == names


@pytest.mark.parametrize(
    ("above", "dataset"),
    [
        ("## FB15k-237\n", "FB15k-237"), ("FB15k-237\n---\n", "FB15k-237"), ("<h2>FB15k-237</h2>\n", "FB15k-237"),
        ("# WN18RR\n\nThe results on FB15k-237 are these:\n", None),  # contradictory
        ("# WN18RR\n\nUnlike FB15k-237\n", None), ("# WN18RR\n\nTest results on FB15k-237:\n", "FB15k-237"),
        ("# WN18RR\n\nFB15k-237\n", "FB15k-237"), ("# FB15k-237\n\n## Ablation\n\nWithout dropout:\n", "FB15k-237"),
        ("# FB15k-237\n\nAll parameters were found by the same search, in one space, as on WN18RR.\n", "FB15k-237"),
        ("# CoDEx\n\n## S\n", "CoDEx-S"), ("We compare on FB15k-237 and WN18RR.\n", None), ("# Some model\n", None),
        ("# FB15k-237\n\n5-shot results:\n", "FB15k-237 (few-shot)"),
        ("Inductive results on WN18RR:\n", "WN18RR (inductive)"),
        ("Predicting missing relations on WN18RR:\n", "WN18RR (relation prediction)"),
        ("Node classification on WN18RR:\n", "WN18RR (classification)"),
        ("Results on FB15k-237 against 50 random negatives:\n", "FB15k-237 (sampled)"),
        ("### WN18RR (uniform eval, 500 negative samples)\n", "WN18RR (sampled)"),
        ("### WN18RR (50 samples)\n", "WN18RR (sampled)"),
        ("On WN18RR, trained with 256 negative samples:\n", "WN18RR"),
        ("Results on the temporal graph ICEWS14:\n", "ICEWS14 (temporal)"),
        ("```\n# WN18RR\npython --dataset WN18RR\n```\n", None), ("[FB15k-237](https://x/WN18RR)\n", "FB15k-237"),
        ("* WN18RR\n\n  Other text\n\n* FB15k-237\n\n  With dropout:\n", "FB15k-237"),
        ("## FB15k-237\n" + _TABLE + "\n## WN18RR\n" + _TABLE + "\n## Our graph\n", "Our graph"),
        ("FB15k-237:\n" + _TABLE + "\nWith more epochs:\n", None),
    ],
)  # fmt: skip
def test_the_nearest_words_name_the_dataset(above: str, dataset: str | None) -> None:
    assert read(f"{above}{_TABLE}").entries[-1].context.dataset == dataset


def test_several_datasets_are_left_to_the_user() -> None:
    (entry,) = read(f"We compare on FB15k-237 and WN18RR.\n{_TABLE}").entries
    assert entry.context.among == ("FB15k-237", "WN18RR")
    with pytest.raises(DataError, match="it may be of FB15k-237 or WN18RR: choose one"):
        settle(entry.context, Stated(), TABLES)
    user = parse_stated(Stated("wn18rr"), TABLES)
    assert settle(entry.context, user, TABLES)[0].dataset == "wn18rr"
    assert not agrees(entry.context, parse_stated(Stated("umls"), TABLES), TABLES)


@pytest.mark.parametrize(
    ("above", "split", "protocol"),
    [
        ("## FB15k-237 validation set\n", "valid", None), ("FB15k-237 (raw):\n", None, "raw"),
        ("FB15k-237, raw and filtered:\n", None, None), ("FB15k-237, best validation MRR:\n", None, None),
        ("FB15k-237, test and valid:\n", None, None),
    ],
)  # fmt: skip
def test_splits_and_protocols(above: str, split: str | None, protocol: str | None) -> None:
    (entry,) = read(f"{above}{_TABLE}").entries
    assert (entry.context.split, entry.context.protocol) == (split, protocol)


def test_metrics_in_rows_as_rotate_prints_them() -> None:
    reading = read(
        "**Results of the RotatE model**\n\n| Dataset | FB15k-237 | wn18rr |\n|--|--|--|\n"
        "| MRR | .337 ± .001 |.477 ± .001\n| MR | 177 | 3340 |\n| HITS@1 | .241 | .428 |\n| TIME | 6 h | 2 h |\n"
    )
    assert [(entry.row, entry.context.dataset, entry.metric.label, entry.text) for entry in reading.entries] == [
        (0, "FB15k-237", "MRR", ".337 ± .001"), (0, "FB15k-237", "MR", "177"), (0, "FB15k-237", "Hits@1", ".241"),
        (1, "wn18rr", "MRR", ".477 ± .001"), (1, "wn18rr", "MR", "3340"), (1, "wn18rr", "Hits@1", ".428"),
    ]  # fmt: skip
    assert reading.understood == "1 table; metrics in rows; MRR, MR, Hits@1"


def test_the_heading_over_metrics_in_rows_names_their_split() -> None:
    # As Lightning prints one below the other.
    table = "+-----------------+--------------+\n| {} metric | DataLoader 0 |\n+=================+==============+\n"
    table += "| mrr             | {}          |\n| hits@10         | {}          |\n"
    text = (
        f"{table.format('Validate', 0.4, 0.5)}{table.format('Test    ', 0.3, 0.6)}+-----------------+--------------+\n"
    )
    entries = read_document("run.log", text).entries
    assert [(entry.context.split, entry.text) for entry in entries] == [
        ("valid", "0.4"), ("valid", "0.5"), ("test", "0.3"), ("test", "0.6")
    ]  # fmt: skip


def test_metrics_in_rows_next_to_what_is_no_model() -> None:
    names = ("Year", "seed", "Time (s)", "Training time", "#Params", "Params (M)", "epochs", "Dim.", "runs")
    for name in names:
        reading = read(f"WN18RR:\n\n| | RotatE | {name} | TransE |\n|--|--|--|--|\n| MRR | .476 | 42 | .226 |\n")
        assert [(e.context.model, e.text) for e in reading.entries] == [("RotatE", ".476"), ("TransE", ".226")], name
    for name in ("TimePlex", "KG-BERT", "DimE", "runner", "Size2"):
        reading = read(f"WN18RR:\n\n| | RotatE | {name} |\n|--|--|--|\n| MRR | .476 | .42 |\n")
        assert [e.context.model for e in reading.entries] == ["RotatE", name]


def test_metrics_in_rows_below_an_empty_corner() -> None:
    reading = read("WN18RR:\n\n| | RotatE | TransE |\n|--|--|--|\n| MRR | .476 | .226 |\n| MR | 3340 | 3384 |\n")
    assert [(e.context.model, e.metric.label, e.text) for e in reading.entries] == [
        ("RotatE", "MRR", ".476"), ("RotatE", "MR", "3340"), ("TransE", "MRR", ".226"), ("TransE", "MR", "3384"),
    ]  # fmt: skip


def test_metrics_in_rows_next_to_datasets_over_models() -> None:
    reading = read(
        "| Dataset | Metric | TransE | RotatE |\n|--|--|--|--|\n| FB15k-237 | MRR | 0.294 | 0.338 |\n"
        "| | Hits@10 | 46.5 | 53.3 |\n| WN18RR | MRR | 0.226 | 0.476 |\n| | Hits@10 | 50.1 | 57.1 |\n"
    )
    assert [(e.context.dataset, e.context.model, e.metric.label, e.text) for e in reading.entries] == [
        ("FB15k-237", "TransE", "MRR", "0.294"), ("FB15k-237", "TransE", "Hits@10", "46.5%"),
        ("FB15k-237", "RotatE", "MRR", "0.338"), ("FB15k-237", "RotatE", "Hits@10", "53.3%"),
        ("WN18RR", "TransE", "MRR", "0.226"), ("WN18RR", "TransE", "Hits@10", "50.1%"),
        ("WN18RR", "RotatE", "MRR", "0.476"), ("WN18RR", "RotatE", "Hits@10", "57.1%"),
    ]  # fmt: skip


def test_datasets_under_a_metric_that_the_heading_names() -> None:
    reading = read(
        "#### Table 1: performance (MRR)\n\n| Model | UMLS | WN18RR (paper\\*) | gain |\n|--|--|--|--|\n"
        "| RotatE | 0.802 | 0.476 | +1 % |\n"
    )
    assert [(entry.context.dataset, entry.metric.label, entry.text) for entry in reading.entries] == [
        ("UMLS", "MRR", "0.802"), ("WN18RR", "MRR", "0.476"),
    ]  # fmt: skip
    # Where rows are of datasets, the columns are models, but for those of other things.
    others = ("Params (M)", "train_seconds", "# Entities", "Seeds", "Δ", "提升", "H-MRR", "AUC")
    heading, rule = f"| Dataset | TransE | RotatE | {' | '.join(others)} |", "|--" * (3 + len(others)) + "|"
    umls = "| UMLS | 0.6 | 0.8 | 0.5 | 0.9 | 135 | 5 | 0.2 | 0.2 | 0.9 | 0.9 |"
    wn18rr = "| WN18RR | 0.226 | 0.476 | 12.5 | 0.8 | 40,943 | 5 | 0.25 | 0.25 | 0.9 | 0.9 |"
    reading = read("\n".join(("MRR on two graphs", "", heading, rule, umls, wn18rr, "")))
    assert [(entry.context.dataset, entry.text) for entry in reading.entries] == [
        ("UMLS", "0.6"), ("UMLS", "0.8"), ("WN18RR", "0.226"), ("WN18RR", "0.476"),
    ]  # fmt: skip
    assert [each.what for each in reading.skipped] == ["H-MRR"]
    # Where columns are of datasets, rows are.
    rows = ("Entities | 135 | 40,943", "Train triples | 5,216 | 86,835", "--lr | 0.001 | 0.01", "TransE | 0.6 | 0.226")
    reading = read("\n".join(("MRR on two graphs", "", "| | UMLS | WN18RR |", "|--|--|--|", *rows, "")))
    assert [entry.text for entry in reading.entries] == ["0.6", "0.226"]
    assert [each.what for each in reading.skipped] == ["Entities", "Train triples", "--lr"]
    # What is measured otherwise is no metric of a text farther away, nor next to one.
    for text in ("# MRR\n\nTable 1: AUROC of two models", "MRR and AUROC"):
        with pytest.raises(DataError, match="no column is a metric"):
            read(f"{text}\n\n| Model | WN18RR | UMLS |\n|--|--|--|\n| A | 0.6 | 0.8 |\n")
    with pytest.raises(DataError, match="no column is a metric"):
        read("# MRR\n\n| Dataset | Train | Test |\n|--|--|--|\n| WN18RR | 86,835 | 3134 |\n| UMLS | 5216 | 661 |\n")
    # Parts of a benchmark below its name are not the benchmark.
    with pytest.raises(DataError, match="no column is a metric"):
        read("## Hits@10\n\n| | WN18RR | |\n|--|--|--|\n| Model | v1 | v2 |\n| GraIL | 82.45 | 78.68 |\n")


def test_rows_of_names_divide_a_table() -> None:
    reading = read_latex(
        r"""\begin{table}\caption{Filtered results on two benchmarks.}\begin{tabular}{lcc} Model & MRR & H@1 \\
        \multicolumn{3}{c}{FB15k-237} \\ TransE & 29.4 & -- \\
        \multicolumn{3}{c}{Geometric models} \\ RotatE & 33.8 & 24.1 \\
        \multicolumn{3}{c}{\textit{WN18RR}, valid} \\ TransE & 22.6 & 0.4 \\ \multicolumn{3}{c}{Our graph} \\
        RotatE & 40.0 & 30.0 \\ \end{tabular}\end{table}"""
    )
    assert [(entry.context.dataset, entry.context.split, entry.text) for entry in reading.entries] == [
        ("FB15k-237", None, "29.4%"), ("FB15k-237", None, "33.8%"), ("FB15k-237", None, "24.1%"),
        ("WN18RR", "valid", "22.6%"), ("WN18RR", "valid", "0.4%"),
        ("Our graph", None, "40.0%"), ("Our graph", None, "30.0%"),
    ]  # fmt: skip
    assert [skip.what for skip in reading.skipped] == ["Geometric models"]


def test_captions_of_tables_side_by_side() -> None:
    half = r"\begin{subtable}{5cm}\begin{tabular}{lc} Model & MRR \\ A & .3 \\ \end{tabular}\caption{%s}\end{subtable}"
    text = rf"\begin{{table}}{half % 'Nations'}{half % 'UMLS'}\caption{{Two graphs, Nations and UMLS}}\end{{table}}"
    assert [entry.context.dataset for entry in read_latex(text).entries] == ["Nations", "UMLS"]


def test_an_empty_cell_repeats_the_dataset_above() -> None:
    reading = read("| KG | Model | MRR |\n|--|--|--|\n| FB15k-237 | A | .3 |\n| | B | .4 |\n| WN18RR | A | .5 |\n")
    assert [entry.context.dataset for entry in reading.entries] == ["FB15k-237", "FB15k-237", "WN18RR"]
    assert [row["KG"] for row in reading.rows] == ["FB15k-237", "FB15k-237", "WN18RR"]


def test_a_column_of_datasets_under_another_name() -> None:
    reading = read("| | MRR |\n|--|--|\n| FB15k-237 | .3 |\n| wn18rr | .4 |\n")
    assert [(entry.context.dataset, entry.context.model) for entry in reading.entries] == [
        ("FB15k-237", None), ("wn18rr", None),
    ]  # fmt: skip


def test_a_heading_that_is_shifted_is_no_heading() -> None:
    """As a converter of PDFs wrote a paper's table: the cell over the names is missing."""
    reading = read(
        "On FB15k-237 and WN18RR.\n\n|  | FB15k-237 | WN18RR |  |  |\n|--|--|--|--|--|\n| MRR | MR | MRR | MR |  |\n"
        "| TransE | .294 | 357 | .226 | 3384 |\n"
    )
    assert not reading.entries
    assert [skip.why for skip in reading.skipped] == ["the heading does not fit: FB15k-237 / MRR is over names"]


def test_parts_of_a_benchmark_over_its_column() -> None:
    reading = read("| Dataset | HITS@10 | |\n|--|--|--|\n| | v1 | v2 |\n| WN18RR | 0.834 | 0.949 |\n")
    assert [entry.context.among for entry in reading.entries] == [
        (f"WN18RR {part} (GraIL)", f"WN18RR {part} ind (GraIL)") for part in ("v1", "v2")
    ]


def test_tables_in_html() -> None:
    reading = read(
        "## Results\n<table>\n<tr><th rowspan='2'>Model</th><th colspan=2>FB15k-237</th></tr>\n"
        "<tr><th>MRR</th><th>H@10</th></tr>\n<tr><td>RotatE<sup>1</sup></td><td><b>0.338</b></td><td>0.533</td></tr>\n</table>"
    )
    assert [(e.line, e.context.model, e.context.dataset, e.metric.label, e.text) for e in reading.entries] == [
        (5, "RotatE^{1}", "FB15k-237", "MRR", "0.338"), (5, "RotatE^{1}", "FB15k-237", "Hits@10", "0.533"),
    ]  # fmt: skip


def test_commas_before_decimals() -> None:
    table = "WN18RR:\n\n| Model | MRR | MR |\n|--|--|--|\n| A | 0,476 ± 0,001 | 3,340 |\n| B | 0,4 | 33,5 |\n"
    reading = read(table)
    assert [entry.text for entry in reading.entries] == ["0.476 ± 0.001", "0.4", "33.5"]
    # It could be thousands.
    assert [skip.what for skip in reading.skipped] == ["3,340: decimals or thousands?"]
    assert "commas before decimals" in reading.understood
    # With a point anywhere, commas are of thousands.
    assert [entry.text for entry in read(table.replace("0,4 ", "0.4 ")).entries] == ["3,340", "0.4"]


def test_fractions_among_percentages_are_left_out() -> None:
    reading = read(
        "WN18RR:\n\n| M | H@1 | H@10 |\n|--|--|--|\n| A | 42.8 | 57.1 |\n| B | 0.4 | 50.1 |\n| C | 0.428 | 0.571 |\n"
    )
    assert [entry.text for entry in reading.entries] == ["42.8%", "57.1%", "0.4%", "50.1%"]
    assert [skip.why for skip in reading.skipped] == [
        f"a fraction or a percentage, in column {column}: add --percent or --no-percent" for column in ("H@1", "H@10")
    ]


def test_a_heading_within_a_table_begins_a_new_one() -> None:
    reading = read(
        "| FB15k-237 | MRR | H@10 |\n|--|--|--|\n| A | .3 | .4 |\n| **WN18RR** | MRR | H@10 |\n| A | .5 | .6 |\n"
        "| Model | MR | H@1 |\n| A | 30 | .2 |\n"
    )
    assert [(entry.context.dataset, entry.metric.label, entry.text) for entry in reading.entries] == [
        ("FB15k-237", "MRR", ".3"), ("FB15k-237", "Hits@10", ".4"), ("WN18RR", "MRR", ".5"),
        ("WN18RR", "Hits@10", ".6"), (None, "MR", "30"), (None, "Hits@1", ".2"),
    ]  # fmt: skip


def test_a_heading_goes_on_below_the_metrics() -> None:
    """As Bordes et al. 2013 set their Table 3."""
    reading = read_latex(
        r"""\begin{tabular}{l|rrrr} Dataset & \multicolumn{4}{c}{WN18} \\
        Metric & \multicolumn{2}{c}{Mean Rank} & \multicolumn{2}{c}{Hits@10 (\%)} \\
        Eval. setting & Raw & Filt. & Raw & Filt. \\ \hline TransE & 263 & 251 & 75.4 & 89.2 \\ \end{tabular}"""
    )
    assert [(e.context.dataset, e.context.protocol, e.metric.label, e.text) for e in reading.entries] == [
        ("WN18", "raw", "MR", "263"), ("WN18", None, "MR", "251"),
        ("WN18", "raw", "Hits@10", "75.4%"), ("WN18", None, "Hits@10", "89.2%"),
    ]  # fmt: skip


def test_words_below_the_metrics_that_say_something_else() -> None:
    reading = read("WN18RR:\n\n| Model | MRR | |\n|--|--|--|\n| | seen | unseen |\n| A | .3 | .4 |\n")
    assert not reading.entries
    assert [skip.why.partition(",")[0] for skip in reading.skipped] == ["it says seen", "it says unseen"]
    reading = read("WN18RR:\n\n| Model | MRR | MR |\n|--|--|--|\n| | seen | unseen |\n| A | .3 | .4 |\n")
    assert [skip.why for skip in reading.skipped] == ["a row of headings below the metrics that cannot be read"]


def test_captions_below_their_tables() -> None:
    reading = read(f"{_TABLE}\nTable 1: FB15k-237.\n{_TABLE}\n**Table 2:** WN18RR.\n")
    assert [entry.context.dataset for entry in reading.entries] == ["FB15k-237", "WN18RR"]


def test_sides() -> None:
    reading = read(
        "Tail prediction on FB15k-237:\n\n| Model | MRR |\n|--|--|\n| A | .3 |\n\n"
        "On FB15k-237:\n\n| Model | MRR |\n|--|--|\n"
        "| **Predicting head** | |\n| A | .4 |\n| **Predicting tail** | |\n| A | .5 |\n"
    )
    assert [(entry.context.dataset, entry.context.side) for entry in reading.entries] == [
        ("FB15k-237", "tail"), ("FB15k-237", "head"), ("FB15k-237", "tail"),
    ]  # fmt: skip
    assert not any(entry.context.unclear for entry in reading.entries)
    assert "side from rows of their own" in reading.understood


def test_rows_and_cells_of_differences_are_no_results() -> None:
    reading = read("WN18RR:\n\n| Model | MRR |\n|--|--|\n| A | .3 |\n| Improvement | 1.2% |\n| B | +.01 |\n")
    assert [entry.text for entry in reading.entries] == [".3"]
    assert [(skip.line, skip.what) for skip in reading.skipped] == [(6, "Improvement"), (7, "+.01")]
    reading = read("| Dataset | Model | MRR |\n|--|--|--|\n| WN18RR | A | .3 |\n| | std | .01 |\n| | Average | .4 |\n")
    assert [entry.text for entry in reading.entries] == [".3"]
    table = "WN18RR:\n\n| Model | MRR |\n|--|--|\n| DiffusionE | .3 |\n| ImprovedTransE | .4 |\n| Improv. (%) | 1 |\n"
    assert [entry.context.model for entry in read(table).entries] == ["DiffusionE", "ImprovedTransE"]


def test_tables_that_leave_other_datasets_open_are_told_apart() -> None:
    reading = read(f"FB15k-237 and WN18RR:\n{_TABLE}\nUMLS and Nations:\n{_TABLE}")
    adjusted = rankconst.adjust(reading, dataset="umls")
    assert (adjusted.asked.tolist(), adjusted.notes) == ([False, True], {})


@pytest.mark.parametrize(
    ("heading", "cells", "single"),
    [
        ("Relation", ["_hypernym", "_also_see"], True), ("Category", ["1-to-1", "1-to-N", "N-to-1"], True),
        ("rel_type", ["N-1", "M-M"], True), ("Relation", ["11", "237"], False), ("Relations", [], False),
        ("Category", ["rules", "1-to-1"], False),
    ],
)  # fmt: skip
def test_rows_of_single_relations_are_other_tasks(heading: str, cells: list[str], single: bool) -> None:
    rows = "".join(f"| {cell} | 0.338 |\n" for cell in cells)
    reading = read(f"# WN18RR\n\n| {heading} | MRR |\n|---|---|\n{rows}")
    assert {entry.context.dataset for entry in reading.entries} <= {"WN18RR"}
    told = [entry.context.relations or entry.context.unclear.partition(";")[0] for entry in reading.entries]
    expected = [(cell,) if "_" in cell else f"it is of the relations that are {cell}" for cell in cells]
    assert told == (expected if single else [""] * len(told))
    assert ("one relation" in reading.understood) is single


@pytest.mark.parametrize("text", ["Results in percent", "Results (%)", "MRR and Hits@1 are x100", "Results, in %."])
def test_fractions_below_a_text_that_says_percent_are_left_out(text: str) -> None:
    rows = "| Model | MRR | MR |\n|---|---|---|\n| A | 0.8 | 17 |\n"
    assert [entry.metric.label for entry in read(f"{text}\n\n{rows}").entries] == ["MR"]
    assert [entry.text for entry in read(f"{text}\n\n{rows}| B | 1.2 | 9 |\n| C | 1.3 | 9 |\n").entries][::2] == [
        "0.8%", "1.2%", "1.3%",
    ]  # fmt: skip


def test_rows_of_one_side_are_left_out_where_each_comes_for_both() -> None:
    rows = "| NewE {} (n=50) | .3 |\n| NewE {} (n=50) | .4 |\n| NewE Average (n=50) | .35 |\n"
    table = f"WN18RR:\n\n| Model | MRR |\n|--|--|\n{rows}"
    for pair in (("Left", "Right"), ("Right", "Left")):
        reading = read(table.format(*pair))
        assert [entry.text for entry in reading.entries] == [".35"]
        assert [skip.line for skip in reading.skipped] == [5, 6]
    assert [entry.text for entry in read(table.format("Left", "Far")).entries] == [".3", ".4", ".35"]


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (("WN18RR(raw)", "WN18RR (filt.)"), [("WN18RR", "raw", None), ("WN18RR", None, None)]),
        (("UMLS (valid)", "UMLS (my part)"), [("UMLS", None, "valid"), ("UMLS (my part)", None, None)]),
    ],
)
def test_the_name_of_a_dataset_may_say_more_in_parentheses(
    cells: tuple[str, str], expected: list[tuple[str, str | None, str | None]]
) -> None:
    reading = read("| Dataset | MRR |\n|--|--|\n| {} | .3 |\n| {} | .4 |\n".format(*cells))
    assert [
        (about.dataset, about.protocol, about.split) for about in (entry.context for entry in reading.entries)
    ] == expected


def test_rows_of_queries_and_of_typed_candidates_are_other_tasks() -> None:
    reading = read("On UMLS:\n\n| Query | MRR |\n|--|--|\n| 2p | .3 |\n| 3in | .4 |\n| up | .5 |\n")
    assert {entry.context.dataset for entry in reading.entries} == {"UMLS (complex query)"}
    assert "a row is of one kind of queries" in reading.understood
    rows = "| A (without type constraints) | .3 |\n| A (with type constraints) | .4 |\n| B type-constrained | .5 |\n"
    reading = read(f"On UMLS:\n\n| Model | MRR |\n|--|--|\n{rows}")
    assert [entry.text for entry in reading.entries] == [".3"]
    assert {skip.why for skip in reading.skipped} == {CONSTRAINED}


@pytest.mark.parametrize(
    ("heading", "cell", "left"),
    [
        ("Evaluation", "type-constrained", True), ("Candidates", "with type constraints", True),
        ("Notes", "Type-constrained ranking", True), ("Evaluation", "filtered, type_constrained", True),
        ("Evaluation", "without type constraints", False), ("Negative sampler", "type-constrained", False),
        ("Loss", "type constraint", False), ("Name", "Type-constrained TransE", False),
    ],
)  # fmt: skip
def test_a_cell_of_any_column_says_that_candidates_are_of_one_type(heading: str, cell: str, left: bool) -> None:
    reading = read(f"On UMLS:\n\n| Model | {heading} | MRR |\n|--|--|--|\n| A | naive | .3 |\n| A | {cell} | .4 |\n")
    assert [entry.text for entry in reading.entries] == ([".3"] if left else [".3", ".4"])
    assert [skip.why for skip in reading.skipped] == [CONSTRAINED] * left


@pytest.mark.parametrize(
    ("text", "name", "among"),
    [
        ("Results on WN18RR_IND and FB15k-237_IND:", "WN18RR", ("WN18RR_IND", "WN18RR")),
        ("Results on WN18RR$_{\\text{IND}}$:", "WN18RR", ("WN18RR_IND", "WN18RR")),
        ("Results on FB15k-237-OWE:", "FB15k-237", ("FB15k-237-OWE", "FB15k-237")),
        ("Results on WN18RR v1:", "WN18RR", ("WN18RR v1 (GraIL)", "WN18RR v1 ind (GraIL)", "WN18RR")),
        ("Results on WN18RR and WN18RR-IND:", "WN18RR", ()), ("Results on FB15k-237-OWE:", "WN18RR", ()),
        ("Results on WN18RR (filtered):", "WN18RR", ()), ("Results on FB15k-237:", "FB15k-237", ()),
    ],
)  # fmt: skip
def test_a_text_that_names_a_graph_made_from_that_of_the_table(text: str, name: str, among: tuple[str, ...]) -> None:
    for table in (f"| Model | {name} MRR |\n|--|--|\n| A | .3 |\n", f"| Dataset | MRR |\n|--|--|\n| {name} | .3 |\n"):
        (entry,) = read(f"{text}\n\n{table}").entries
        assert (entry.context.dataset, entry.context.among) == (None if among else name, among)


def test_short_for_inductive_behind_a_name() -> None:
    for text, dataset in (("On WN18RR (IND):", "WN18RR (inductive)"), ("On WN18RR (independent runs):", "WN18RR")):
        assert read(f"{text}\n\n{_TABLE}").entries[-1].context.dataset == dataset


@pytest.mark.parametrize("heading", ["预期结果对比", "성능 비교", "Résultats", "Ergebnisse", "Сравнение"])
def test_a_general_heading_of_any_language_names_no_dataset(heading: str) -> None:
    entries = read(f"## FB15k-237\n{_TABLE}\n## {heading}\n{_TABLE}").entries
    assert entries[-1].context.dataset is None


@pytest.mark.parametrize(
    ("text", "read_as"),
    [
        ("The best attribute (MRR gain):", None), ("We show ΔMRR of each dataset.", None),
        ("MRR and its improvement, an improvement in MRR of 2%:", "MRR"), ("Here is the drop in Hits@10.", None),
        ("MRR gain, and Hits@10 itself:", "Hits@10"), ("Our gain is seen in MRR:", "MRR"),
    ],
)  # fmt: skip
def test_a_text_about_differences_names_no_metric_of_a_table(text: str, read_as: str | None) -> None:
    table = f"{text}\n\n| Model | FB15k-237 | WN18RR |\n|---|---|---|\n| A | 0.0244 | 0.0273 |\n"
    labels = {entry.metric.label for entry in read(table).entries} if read_as else set()
    assert labels == ({read_as} if read_as else set())
    if read_as is None:
        with pytest.raises(DataError):
            read(f"# MRR\n\n{table}")


def test_percent_of_differences_only() -> None:
    rows = "| Model | MRR | Δ MRR |\n|---|---|---|\n| A | 0.338 | -6.8 |\n| B | 0.36 | -1.2 |\n"
    text = "Ablation on FB15k-237. Δ is the drop relative to the full model (in %)."
    assert [entry.text for entry in read(f"{text}\n\n{rows}").entries] == ["0.338", "0.36"]
    plain = "| Model | MRR | MR |\n|---|---|---|\n| A | 0.338 | 17 |\n"
    assert [entry.text for entry in read(f"{text}\n\n{plain}").entries] == ["0.338", "17"]
    both = "Ablation on FB15k-237. MRR and its drop are in %."
    assert [entry.text for entry in read(f"{both}\n\n{plain}").entries] == ["17"]


def test_columns_of_sides_next_to_metrics_in_rows() -> None:
    reading = read(
        "UMLS:\n\n| Metric | Head | Tail | Mean |\n|--|--|--|--|\n| MRR | .3 | .5 | .4 |\n| MR | 9 | 7 | 8 |\n"
    )
    told = [(entry.context.side, entry.metric.label, entry.text) for entry in reading.entries]
    assert told == [("head", "MRR", ".3"), ("head", "MR", "9"), ("tail", "MRR", ".5"), ("tail", "MR", "7"),
                    (None, "MRR", ".4"), (None, "MR", "8")]  # fmt: skip


_OVER = "|{}|\n|--|--|--|--|--|\n|  | MRR | MR | MRR | MR |\n| A | .3 | 300 | .4 | 400 |\n"


@pytest.mark.parametrize(
    ("over", "datasets"),
    [
        (" | WN18RR |  | UMLS | ", ["WN18RR", "WN18RR", "UMLS", "UMLS"]),
        (" | WN18RR | UMLS |  | ", ["WN18RR", "WN18RR", "UMLS", "UMLS"]),
        (" |  | WN18RR |  | UMLS", ["WN18RR", "WN18RR", "UMLS", "UMLS"]),
        (" |  | WN18RR | UMLS | ", ["WN18RR", "WN18RR", "UMLS", "UMLS"]),
        (" |  | WN18RR |  | ", ["WN18RR"] * 4),
        (" | WN18RR | UMLS | Nations | ", ["WN18RR", "UMLS", "Nations", "Nations"]),
    ],
)
def test_datasets_over_metrics_that_lost_their_spans(over: str, datasets: list[str]) -> None:
    assert [entry.context.dataset for entry in read(_OVER.format(over)).entries] == datasets


def test_a_column_of_versions_is_part_of_the_name() -> None:
    rows = "| WN18RR | v2 | .3 |\n| WN18RR | v2_ind | .4 |\n"
    reading = read(f"| Dataset | Version | MRR |\n|--|--|--|\n{rows}")
    told = [entry.context.among[-1:] or (entry.context.dataset,) for entry in reading.entries]
    assert told == [("WN18RR v2 ind (GraIL)",)] * 2


def test_metrics_in_rows_behind_datasets_that_each_row_names() -> None:
    reading = read("| Graph | Metric | A | B |\n|--|--|--|--|\n| UMLS | MRR | .5 | .6 |\n| WN18RR | MRR | .3 | .4 |\n")
    told = [(entry.context.dataset, entry.context.model, entry.text) for entry in reading.entries]
    assert told == [("UMLS", "A", ".5"), ("UMLS", "B", ".6"), ("WN18RR", "A", ".3"), ("WN18RR", "B", ".4")]


@pytest.mark.parametrize("column", ["| Query | 2p |", "| Query | 3in |"])
def test_other_tasks_stay_other_tasks_on_a_dataset_that_only_the_user_names(column: str) -> None:
    _, name, cell, _ = column.split("|")
    reading = read(f"|{name}| MRR |\n|--|--|\n|{cell}| .3 |\n")
    with pytest.raises(DataError, match="another task"):
        rankconst.adjust(reading, dataset="umls")


_V = [("WN18RR v1 (GraIL)", "WN18RR v1 ind (GraIL)"), ("WN18RR v2 (GraIL)", "WN18RR v2 ind (GraIL)")]
_FB = [tuple(name.replace("WN18RR", "FB15k-237") for name in names) for names in _V]


@pytest.mark.parametrize(
    ("text", "among"),
    [
        ("Hits@10 on WN18RR\n\n| Model | v1 | v2 |\n|---|---|---|\n| A | .82 | .78 |\n", _V),
        ("MRR:\n\n| Model | V1 | V2 |\n|--|--|--|\n| WN18RR |||\n| A | .8 | .7 |\n| FB15k-237 |||\n| A | .6 | .5 |\n",
         _V + _FB),
        ("# WN18RR\n\n| Dataset | MRR |\n|---|---|\n| v1 | .8 |\n| v2 | .7 |\n", _V),
        ("# MRR\n\n<table><tr><td></td><td colspan=2>WN18RR</td><td colspan=2>FB15k-237</td></tr>"
         "<tr><td></td><td>v1</td><td>v2</td><td>v1</td><td>v2</td></tr>"
         "<tr><td>A</td><td>.8</td><td>.7</td><td>.6</td><td>.5</td></tr></table>\n", _V + _FB),
    ],
)  # fmt: skip
def test_parts_of_benchmarks_over_columns(text: str, among: list[tuple[str, str]]) -> None:
    """GraIL's v1 is the graph of training and, mostly, the one of results: which one is left to the reader."""
    reading = read(text)
    assert [entry.context.among for entry in reading.entries] == among
    assert [entry.context.dataset for entry in reading.entries] == [None] * len(among)
    adjusted = rankconst.adjust(reading, dataset="wn18rr_v2_ind")
    assert adjusted.asked.tolist() == ["WN18RR v2 ind (GraIL)" in names for names in among]


def test_sizes_of_a_benchmark_over_columns() -> None:
    reading = read("## CoDEx, MRR\n\n| Model | S | M |\n|---|---|---|\n| TransE | .35 | .3 |\n")
    tasks = [each.batch.tasks.dataset for each in rankconst.adjust(reading).done]
    assert tasks == ["codexsmall", "codexmedium"]


@pytest.mark.parametrize(
    ("above", "below", "said"),
    [
        ("", "Note: all numbers are on the validation set.", ("WN18RR", "valid", None, None)),
        ("", "\\* we only evaluate tail prediction.", ("WN18RR", None, "tail", None)),
        ("", "\\* All numbers are on FB15k-237.", ("FB15k-237", None, None, None)),
        ("", "Evaluation is among 50 random negatives.", ("WN18RR (sampled)", None, None, None)),
        ("", "We report raw metrics.\n\nThe valid ones are better.", ("WN18RR", None, None, "raw")),
        ("", "Results on the validation set:", ("WN18RR", None, None, None)),  # of the next table
        ("", "We train on the validation set, too.", ("WN18RR", None, None, None)),
        ("We report numbers in the raw (unfiltered) setting, in which no known triple at all is removed from any list.",
         "", ("WN18RR", None, None, "raw")),
        ("The validation set is large enough to choose hyperparameters of each model, and the raw files are here.", "",
         ("WN18RR", None, None, None)),
        ("验证集结果", "", ("WN18RR", "valid", None, None)),
        ("Evaluation on 1,000 random test triples:", "", ("WN18RR (subset)", None, None, None)),
        ("", "Numbers are of a subset of the test triples.", ("WN18RR (subset)", None, None, None)),
        ("with type constraints:", "", ("WN18RR (type-constrained)", None, None, None)),
        ("without type constraints:", "", ("WN18RR", None, None, None)),
        ("inductive, then transductive:", "", ("WN18RR", None, None, None)),
        ("transductive, then inductive:", "", ("WN18RR (inductive)", None, None, None)),
    ],
)  # fmt: skip
def test_notes_and_reports_say_what_numbers_are(above: str, below: str, said: tuple[str | None, ...]) -> None:
    (entry,) = read(f"# WN18RR\n\n{above}\n{_TABLE}\n{below}\n").entries
    context = entry.context
    assert (context.dataset, context.split, context.side, context.protocol) == said


_CAPTIONS = {
    "Ablation of the main components of our model, evaluated on the validation set of WN18RR.": "valid - -",
    "Influence of the dimension on the performance, measured on the WN18RR dev set after 100 epochs.": "valid - -",
    "Results on WN18RR (validation set). They were tuned with 100 trials of a random search each.": "valid - -",
    "Validation results on WN18RR for early stopping with different patience.": "valid - -",
    "WN18RR results on the training set, to show how much models overfit.": "train - -",
    "Results on WN18RR. Hyperparameters were selected on the validation set.": "- - -",
    "Results on WN18RR of the checkpoint with the best validation MRR.": "- - -",
    "Results on the WN18RR test set of the models that are best on the validation set.": "- - -",
    "Tail prediction results of all the models that were considered on WN18RR, in the filtered setting.": "- tail -",
    "Link prediction results on WN18RR where only tail entities are predicted, as is common.": "- tail -",
    "Mean over head and tail prediction on WN18RR, as is common in the literature on such models.": "- - -",
    r"MRR on WN18RR ($\text{Mean} \pm \text{Sample Std Dev}$)": "- - -",
    "MRR on WN18RR (mean and std. dev. of five runs)": "- - -",
    "Results on WN18RR without filtering, for which no known triples are removed from the ranking.": "- - raw",
}


def test_captions_of_any_length_say_the_split_the_side_and_what_is_filtered() -> None:
    for caption, expected in _CAPTIONS.items():
        for text in (f"Table 1: {caption}\n{_TABLE}", f"{_TABLE}\nTable 1: {caption}\n"):
            about = read(text).entries[0].context
            assert " ".join(word or "-" for word in (about.split, about.side, about.protocol)) == expected, caption


@pytest.mark.parametrize(
    ("caption", "task"),
    [
        ("Results on a random 10% of the WN18RR test triples.", "subset"),
        ("Results on WN18RR for long-tail entities.", "subset"),
        ("WN18RR (long-tail entities)", "subset"),
        ("WN18RR, only relations with more than 10 triples", "subset"),
        ("Results on WN18RR for 1-N relations only.", "by relation"),
        ("Results on WN18RR, averaged over relations.", "macro-averaged"),
        ("Zero-shot results on WN18RR entities unseen in training.", "inductive"),
        ("WN18RR results; candidates are filtered by entity type.", "type-constrained"),
        ("Each triple of WN18RR is ranked against 49 corrupted ones", "sampled"),
        ("Results on WN18RR (sampled 1000 test triples)", "subset"),
        ("LLMs on WN18RR (500 test samples)", "subset"),
        ("WN18RR alignment", "alignment"),
        ("Entity type prediction on WN18RR", "type prediction"),
        ("Question answering over WN18RR", "question answering"),
        ("Recommendation on WN18RR", "recommendation"),
        ("Results of predicting (h, ?, t) on WN18RR", "relation prediction"),
        ("MRR for multi-hop reasoning on WN18RR", "multi-hop reasoning"),
        ("Continual learning on WN18RR", "continual"),
        ("WN18RR in the federated setting", "federated"),
        ("Unlearning 5% of WN18RR", "unlearning"),
        ("Reduction in MRR on WN18RR", "difference"),
        ("MRR gains on WN18RR", "difference"),
        ("WN18RR: ranks of target triples", "attack"),
        ("Results on WN18RR with 20% noise", "another graph"),
        ("The Chinese version of WN18RR", "another graph"),
        ("Results on WN18RR with a random 80/10/10 split", "another split"),
        ("10-fold cross-validation on WN18RR", "another split"),
        ("WN18RR with 10% emerging entities", "inductive"),
        ("Results (WN18RR, OOKB mode)", "inductive"),
        ("WN18RR with out-of-knowledge-base entities", "inductive"),
        ("Average results over all datasets such as WN18RR", "averages over datasets"),
        ("Average across the benchmarks, WN18RR and others", "averages over datasets"),
    ],
)
def test_captions_that_name_other_tasks(caption: str, task: str) -> None:
    assert read(f"Table 1: {caption}\n{_TABLE}").entries[0].context.dataset == f"WN18RR ({task})"


@pytest.mark.parametrize(
    "caption",
    [
        "Link prediction on WN18RR, next to question answering and recommendation.",
        "Results on WN18RR with self-adversarial negative sampling and 256 negatives.",
        "Results on WN18RR with the standard split, chosen by random search.",
        "Results on WN18RR; each is ranked among 40,943 entities.",
        "Results on WN18RR; embeddings of the same words are aligned, which improves alignment.",
        "Bold: improvement of MRR on WN18RR over the baselines.",
        "Our model has an MRR gain of 0.02 on WN18RR.",
        "Results on WN18RR with noise contrastive estimation.",
        "Results on WN18RR with 1-N scoring.",
        "ConvE + 1-N on WN18RR",
        "Link Prediction and Triple Classification on WN18RR",
        "WN18RR; all models have 1-to-N training",
        "Results on WN18RR; Table 2 has the average over all datasets.",
    ],
)
def test_captions_that_mention_other_tasks_only(caption: str) -> None:
    assert read(f"Table 1: {caption}\n{_TABLE}").entries[0].context.dataset == "WN18RR"


def test_a_temporal_setting_hides_no_other_task() -> None:
    caption = "Relation prediction on ICEWS18 (time-aware filtered)"
    assert read(f"Table 1: {caption}\n{_TABLE}").entries[0].context.dataset == "ICEWS18 (relation prediction)"


def test_differences_next_to_numbers_with_a_sign_are_left_out() -> None:
    table = "WN18RR\n\n| Model | MRR | Hits@10 | ZMRR |\n|--|--|--|--|\n"
    reading = read(
        f"{table}| A | .3 | .5 | -2 |\n| B | +.01 | .02 | 3 |\n| C | .02 | -.01 | 3 |\n| Drop in MRR | .1 | | |\n"
    )
    assert [entry.text for entry in reading.entries] == [".3", ".5", "-2", "3", "-.01", "3"]


def test_metrics_of_search_engines_are_of_other_tasks() -> None:
    table = "\n\n| Model | HR@10 | NDCG@10 | MRR |\n|--|--|--|--|\n| A | .4 | .2 | .2 |\n"
    for dataset, named in {"WN18RR": "WN18RR (retrieval)", "MovieLens 1M (NCF)": "MovieLens 1M (NCF)"}.items():
        assert {entry.context.dataset for entry in read(f"{dataset}{table}").entries} == {named}
    recall = "| Model | MRR | Hits@10 | Recall@{} |\n|--|--|--|--|\n| A | .2 | .4 | .1 |\n"
    for k, named in {10: "WN18RR (retrieval)", 1: "WN18RR"}.items():  # with one answer, Recall@10 is Hits@10
        assert {entry.context.dataset for entry in read(f"WN18RR\n\n{recall.format(k)}").entries} == {named}
    heading = "| Model | WN18RR MRR | WN18RR Hits@10 | Last-FM Recall@20 | Last-FM NDCG@20 |"
    both = f"{heading}\n|--|--|--|--|--|\n| A | .4 | .5 | .1 | .1 |\n"
    assert [entry.context.dataset for entry in read(both).entries][:2] == ["WN18RR", "WN18RR"]


def test_cells_that_are_shares_name_no_relations() -> None:
    table = "DB15K\n\n| Model | Missing rate | MRR |\n|--|--|--|\n| A | 20% | .3 |\n| A | 80% | .2 |\n"
    tasks = {done.batch.tasks for done in rankconst.adjust(read(table)).done}
    assert [each.relations for each in tasks] == [()]


TASKS = [*surroundings._TASK.values(), surroundings._INDUCTIVE]


@settings(max_examples=10 * len(TASKS))
@given(st.sampled_from(TASKS).flatmap(st.from_regex))
def test_whatever_names_a_task_has_a_hint_of_one(text: str) -> None:
    assert surroundings._HINT.search(text.casefold())


@settings(max_examples=5 * len(surroundings._LABEL_OF))
@given(st.sampled_from([*surroundings._LABEL_OF.values()]).flatmap(lambda label: st.from_regex(label, fullmatch=True)))
def test_whatever_is_a_label_may_tell_something(text: str) -> None:
    assert surroundings.may_tell(text)


@pytest.mark.parametrize(
    ("report", "near", "said"),
    [
        ("All numbers are on the validation set.", "", ("valid", None)),
        ("IMPORTANT: validation metrics only", "", ("valid", None)),
        ("All results are in the raw setting.", "", (None, "raw")),
        ("All numbers are on the validation set.", "Test results:\n", (None, None)),
        ("All results are in the raw setting.", "Filtered:\n", (None, None)),
        ("All numbers are filtered; models were chosen on the validation set.", "", (None, None)),
        ("Table 1 has results on the validation set, all others are on the test set.", "", (None, None)),
    ],
)
def test_what_a_section_reports_holds_for_those_below(report: str, near: str, said: tuple[str | None, ...]) -> None:
    about = read(f"# Results\n\n{report}\n\n## WN18RR\n\n{near}{_TABLE}").entries[0].context
    assert (about.dataset, about.split, about.protocol) == ("WN18RR", *said)


def test_rows_over_a_metric_say_of_which_side_those_below_are() -> None:
    table = "| Model | FB15k-237 | -- | WN18RR | -- |\n|--|--|--|--|--|\n| -- | MRR | H@10 | MRR | H@10 |\n"
    model, no_result = "| A | .3 | .5 | .4 | .5 |\n", "| B | -- | -- | -- | -- |\n"
    rows = [model, "| -- | e1,r,? | -- | -- | -- |\n", no_result, model]
    rows += ["| -- | Head prediction | -- | -- | -- |\n", model, "| -- | Mean | -- | -- | -- |\n", model]
    entries = read(f"{table}{''.join(rows)}").entries
    assert [(e.context.dataset, e.metric.label) for e in entries[:4]] == [
        ("FB15k-237", "MRR"), ("FB15k-237", "Hits@10"), ("WN18RR", "MRR"), ("WN18RR", "Hits@10"),
    ]  # fmt: skip
    assert [entry.context.side for entry in entries[::4]] == [None, "tail", "head", "both"]


def test_a_name_before_several_metrics_is_that_of_their_model() -> None:
    entries = read("| Benchmark | NSR MRR / H@1 |\n|--|--|\n| UMLS | .81 / 71.64 |\n| WN18RR | .36 / 28.45 |\n").entries
    assert [(entry.context.model, entry.text) for entry in entries] == [
        ("NSR", ".81"), ("NSR", "71.64%"), ("NSR", ".36"), ("NSR", "28.45%"),
    ]  # fmt: skip


def test_a_text_that_names_two_ways_to_filter_by_time_says_neither() -> None:
    text = "Instead of the static filtered setting we use the time-wise filtered setting on ICEWS18."
    assert read(f"{text}\n{_TABLE}").entries[0].context.protocol is None


_RELATIONS = "Models for **relation prediction** (predicting the relation *r* between two entities).\n"


@pytest.mark.parametrize(
    ("text", "below", "dataset"),
    [
        (_RELATIONS, "", "WN18RR (relation prediction)"),
        (_RELATIONS, "### Link prediction\n", "WN18RR"),
        (f"{_RELATIONS}\n- Link prediction: predicting an entity.\n", "", "WN18RR"),
        (f"Link prediction.\n\n## Usage\n\n{_RELATIONS}", "", "WN18RR"),
        ("Graph attention for relation prediction in knowledge graphs.\n", "", "WN18RR"),  # it may be any
    ],
)
def test_a_title_is_followed_by_what_is_predicted(text: str, below: str, dataset: str) -> None:
    assert read(f"# Models\n\n{text}\n## WN18RR\n\n{below}{_TABLE}").entries[0].context.dataset == dataset


def test_a_metric_behind_each_dataset_of_a_row() -> None:
    table = "| Dataset | TransE | RotatE |\n|--|--|--|\n| WN18RR (MRR) | .226 | .476 |\n| UMLS (Hits@10) | .9 | .98 |\n"
    assert [(e.context.dataset, e.context.model, e.metric.label, e.text) for e in read(table).entries] == [
        ("WN18RR", "TransE", "MRR", ".226"), ("UMLS", "TransE", "Hits@10", ".9"),
        ("WN18RR", "RotatE", "MRR", ".476"), ("UMLS", "RotatE", "Hits@10", ".98"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "side", "split", "task"),
    [
        ("Averaged over tail queries:", "tail", None, None),
        ("Metrics for corrupted heads:", "head", None, None),
        ("### test results (tail corrupted)", "tail", None, None),
        ("### (h, r, ?)", "tail", None, None),
        ("Queries (?, r, t):", "head", None, None),
        ("Queries (h, r, ?) and (?, r, t):", None, None, None),
        ("While training, we replace the tail:", None, None, None),
        ("### Training set", None, "train", None),
        ("### Training", None, None, None),
        ("### Seen entities", None, None, "subset"),
        ("### Results on entities seen in training", None, None, None),
    ],
)
def test_a_line_above_a_table_says_which_queries_it_is_of(
    text: str, side: str | None, split: str | None, task: str | None
) -> None:
    (entry,) = read(f"{text}\n\n| Model | MRR |\n|---|---|\n| A | .3 |\n").entries
    about = entry.context
    assert (about.side, about.split, about.task) == (side, split, task)


@pytest.mark.parametrize(
    ("text", "unclear"),
    [
        ("Filtered by train only.", True), ("Filtered with the training triples:", True), ("filtered on train", True),
        ("Filtered setting (train, valid and test).", False), ("Filtered by train, valid and test:", False),
        ("Models are filtered by training time.", False),
    ],
)  # fmt: skip
def test_known_answers_of_train_only_are_of_no_protocol(text: str, unclear: bool) -> None:
    assert bool(tell((Above("caption", text),)).unclear) == unclear


@pytest.mark.parametrize(
    "text",
    [
        "Validation results are below, test results are in the appendix.",
        "Validation results (test results in the appendix):",
        "Results on test are in the appendix, those on the validation set here:",
    ],
)
def test_what_is_in_the_appendix_does_not_hide_what_is_here(text: str) -> None:
    assert tell((Above("sentence", text),)).split == "valid"


@pytest.mark.parametrize("text", ["1000 random negatives:", "50 sampled candidates", "(100 negatives)"])
def test_a_line_of_negatives_only_says_that_they_are_sampled(text: str) -> None:
    assert tell((Above("sentence", text),)).task == "sampled"


@pytest.mark.parametrize("options", [{}, {"side": "both"}, {"side": "tail"}])
def test_queries_of_one_side_in_prose_are_left_to_the_user(options: dict[str, Any]) -> None:
    text = "# UMLS\n\nModels answer queries such as (h, r, ?):\n\n| model | MRR |\n|---|---|\n| A | 0.5 |\n"
    if not options:
        with pytest.raises(DataError, match=r"names \(h, r, \?\), which may be .*: add --side\.$"):
            rankconst.adjust(read_document("a.md", text))
        return
    (entry,) = rankconst.adjust(read_document("a.md", text), **options).entries
    assert entry.constants is not None
    assert entry.constants.tasks.side == options["side"]


@pytest.mark.parametrize(
    ("text", "open_side"),
    [
        ("### Head", True), ("**Tail entities**", True), ("Left:", True),
        ("Table 3: Results for tails.", True), ("Results on the object side.", False),
        ("Subject\n\n### WN18RR", False), ("### Tail\n\n#### WN18RR", True), ("### Head prediction", False),
        ("### Head and tail", False), ("### Overhead", False), ("### Tail-aware training", False),
        ("### Head\n\n#### Tail prediction", False),
    ],
)  # fmt: skip
def test_a_side_alone_above_a_table_is_left_to_the_user(text: str, open_side: bool) -> None:
    (entry,) = read(f"{text}\n\n| Model | MRR |\n|---|---|\n| A | .3 |\n").entries
    assert ("side" in dict(entry.context.missing)) == open_side


@pytest.mark.parametrize(
    ("headings", "missing"),
    [
        (("### Head prediction", "## Raw"), ["protocol"]),
        (("### WN18RR", "## Raw results:"), ["protocol"]),
        (("### Filtered", "## Raw"), []),
        (("### WN18RR", "## Filtered", "# Raw"), []),
        (("### WN18RR", "## Raw data"), []),
        (("### WN18RR", "## From raw to filtered"), []),
    ],
)
def test_a_section_of_raw_results_may_hold_further_below(headings: tuple[str, ...], missing: list[str]) -> None:
    told = tell([Above("heading", text.lstrip("# ")) for text in headings])
    assert [name for name, _ in told.missing] == missing


def test_a_raw_heading_right_above_says_so() -> None:
    assert tell([Above("heading", "Raw results"), Above("heading", "WN18RR")]).protocol == "raw"


@pytest.mark.parametrize(
    ("section", "missing", "task"),
    [
        ("Validation results", ("split",), None),
        ("Results on the validation set", ("split",), None),
        ("Tail prediction", ("side",), None),
        ("Few-shot", (), "few-shot"),
        ("Relation prediction", (), "relation prediction"),
        ("Unseen entities", (), "subset"),
        ("Main results", (), None),
        ("Link prediction results", (), None),
        ("Training", (), None),
        ("Test results", (), None),
        ("Validation and test results", (), None),
    ],
)
def test_a_section_further_above_leaves_its_split_and_side_to_the_user(
    section: str, missing: tuple[str, ...], task: str | None
) -> None:
    (entry,) = read(f"# KGE\n\n## {section}\n\n### WN18RR\n\n| Model | MRR |\n|---|---|\n| A | .3 |\n").entries
    about = entry.context
    assert tuple(role for role, _ in about.missing) == missing
    assert (about.dataset == "WN18RR") is (task is None)
    assert about.split is about.side is None


def test_a_nearer_text_goes_before_a_section_further_above() -> None:
    (entry,) = read("# KGE\n\n## Validation\n\n### WN18RR (test)\n\n| Model | MRR |\n|---|---|\n| A | .3 |\n").entries
    assert not entry.context.missing


@pytest.mark.parametrize(
    "text",
    [
        "We also report raw results in the appendix.",
        "Validation was used for early stopping.",
        "We train with 1000 negatives.",
        "Rare relations are discussed in Section 5.",
        "The number of negatives was 50.",
    ],
)
def test_prose_about_something_else_says_nothing(text: str) -> None:
    (entry,) = read(f"## WN18RR\n\n{text}\n\n| Model | MRR |\n|---|---|\n| A | .3 |\n").entries
    about = entry.context
    assert about.dataset == "WN18RR"
    assert about.split is about.side is about.protocol is about.task is None
    assert not about.missing


@pytest.mark.parametrize(
    "label",
    [
        "Improvement over TransE", "best so far", "Running average", "batch 10/273", "1 vs 100", "Typed candidates",
        "Client 2", "Long-tail relations", "Test subset", "Zero-shot", "Mean over relations", "Hard test triples",
    ],
)  # fmt: skip
def test_a_label_of_other_numbers_leaves_them_out(label: str) -> None:
    assert find_task(f"{label}:") is not None
    assert find_task(f"We compare with the {label.lower()} of earlier work, see below:") in {None, find_task(label)}
    assert find_task("batch 10/10") is None


_BOTH, _TAIL = "test both standard", "test tail standard"


@pytest.mark.parametrize(
    ("rows", "read_as"),
    [
        # What begins another group may end the one above, or not.
        ("| **Validation** | |\n| A | .3 |\n| **Ours** | |\n| B | .4 |\n", ["valid both standard", "open"]),
        ("| **Predicting tail** | |\n| A | .3 |\n| **Rule-based** | |\n| B | .4 |\n", ["test tail standard", "open"]),
        ("| **Raw** | |\n| A | .3 |\n| **Rules** | |\n| B | .4 |\n", ["test both raw", "open"]),
        # A group right below is a part of it, and so are those that follow.
        (
            "| **Raw** | |\n| **Rules** | |\n| A | .3 |\n| **Ours** | |\n| B | .4 |\n",
            ["test both raw", "test both raw"],
        ),
        ("| **Test** | |\n| A | .3 |\n| **Ours** | |\n| B | .4 |\n", ["test both standard", "test both standard"]),
        ("| **Predicting tail** | |\n| A | .3 |\n| **Both directions** | |\n| A | .4 |\n", [_TAIL, _BOTH]),
        ("| **Predicting tail** | |\n| A | .3 |\n| **Head and tail** | |\n| A | .4 |\n", [_TAIL, _BOTH]),
    ],
)  # fmt: skip
def test_groups_of_rows_behind_one_that_says_something(rows: str, read_as: list[str]) -> None:
    entries = read(f"WN18RR:\n\n| Model | MRR |\n|--|--|\n{rows}").entries
    said = [each.context for each in entries]
    found = [
        "open" if each.missing else f"{each.split or 'test'} {each.side or 'both'} {each.protocol or 'standard'}"
        for each in said
    ]
    assert found == read_as


_REMARKED = "| Model | MRR |\n|---|---|\n| {} | 0.338 |\n"
# Texts of a table of WN18RR with something said of it.
_PLACES = {
    "a heading": "## WN18RR - {}\n" + _TABLE,
    "a heading in parentheses": "## WN18RR ({})\n" + _TABLE,
    "a heading that begins with it": "## {}: WN18RR\n" + _TABLE,
    "the title over it": "# {}\n\n## WN18RR\n" + _TABLE,
    "a line": "## WN18RR\n\nResults ({}):\n" + _TABLE,
    "a caption": "## WN18RR\n\nTable 1: Results on WN18RR, {}.\n" + _TABLE,
    "a note": "## WN18RR\n" + _TABLE + "\nNote: {}.\n",
    "a footnote": "## WN18RR\n" + _TABLE.replace("0.338", "0.338†") + "\n† {}\n",
    "a row": "## WN18RR\n\n" + _REMARKED.format("RotatE - {}"),
    "a row in parentheses": "## WN18RR\n\n" + _REMARKED.format("RotatE ({})"),
    "a whole row": "## WN18RR\n\n" + _REMARKED.format("{}"),
    "the corner": "## WN18RR\n" + _TABLE.replace("Model", "{}"),
    "a row above": "## WN18RR\n" + _TABLE.replace("| RotatE", "| *{}* | |\n| RotatE"),
    "a column of types": "## WN18RR\n\n| Model | Type | MRR |\n|---|---|---|\n| RotatE | {} | 0.338 |\n",
}


def _tell_tasks(text: str) -> str:
    """Return the tasks that a number is of; nothing if it is left out or refused."""
    return ", ".join(tell_tasks("a.md", text)).removeprefix("wn18rr/")


@pytest.mark.parametrize("place", _PLACES)
def test_what_is_said_counts_wherever_it_is_said(place: str) -> None:
    parts = ("unseen entities", "few-shot", "entity typing", "client 2", "macro average", "batch 10/273", "10% of test")
    for part in choose(parts[:3], parts):
        assert _tell_tasks(_PLACES[place].format(part)) == "", part
    plain = "test/both/standard"
    others = ("ours", "transductive", "5 seeds", "link prediction", "reproduced", "best checkpoint", "filtered")
    for part in choose(others[:3], others):
        assert _tell_tasks(_PLACES[place].format(part)) == plain, part


@pytest.mark.parametrize("place", ["a heading", "a heading in parentheses", "a line", "a caption", "a note"])
def test_a_side_a_split_and_ties_next_to_the_name_of_a_dataset(place: str) -> None:
    said = (
        ("train", "train/both/standard"), ("no filter", "test/both/raw"), ("backward", ""),
        ("validation", "valid/both/standard"), ("optimistic ranks", "test/both/standard"),
    )  # fmt: skip
    for part, tasks in said:
        assert _tell_tasks(_PLACES[place].format(part)) == tasks, part
    (entry,) = read(_PLACES[place].format("optimistic ranks")).entries
    assert entry.context.rank_type == "optimistic"


def test_a_caption_may_say_where_a_table_is() -> None:
    assert _tell_tasks(_PLACES["a caption"].format("left")) == "test/both/standard"


def test_a_title_may_call_link_prediction_relation_prediction() -> None:
    """NLP-progress does so: nlpprogress.com/english/relation_prediction.html."""
    title = "# Relation prediction\n\n"
    assert _tell_tasks(f"{title}## WN18RR\n{_TABLE}") == "test/both/standard"
    assert _tell_tasks(f"{title}## WN18RR\n{_TABLE}\n# Usage\n") == ""


@pytest.mark.parametrize("label", ["Backward", "type-constrained", "Improvement over TransE", "Std", "Few-shot"])
def test_a_row_alone_says_what_those_below_are(label: str) -> None:
    assert _tell_tasks(_PLACES["a row above"].format(label)) == ""


@pytest.mark.parametrize(
    "label", ["Translational models", "Ours", "With inverse relations", "Trained with 256 negatives"]
)
def test_a_row_alone_may_say_nothing_of_the_tasks(label: str) -> None:
    assert _tell_tasks(_PLACES["a row above"].format(label)) == "test/both/standard"


@pytest.mark.parametrize(
    ("section", "caption", "left"),
    [
        ("Validation results", "Results on WN18RR", True),
        ("Head prediction", "Results on WN18RR", True),
        ("Few-shot results", "Results on WN18RR", True),
        ("Main results", "Results on WN18RR", False),
        ("Validation results", "Test results on WN18RR", False),
        ("Few-shot", "Link prediction on WN18RR", False),
    ],
)
def test_a_section_says_of_captioned_tables_what_their_captions_leave_open(
    section: str, caption: str, left: bool
) -> None:
    table = "\\begin{tabular}{lc} Model & MRR \\\\ \\midrule RotatE & 0.338 \\\\ \\end{tabular}"
    text = f"\\section{{{section}}}\n\\begin{{table}}\\caption{{{caption}}}\n{table}\n\\end{{table}}\n"
    try:
        (entry,) = rankconst.adjust(read_document("a.tex", text)).entries
    except (DataError, UnknownNameError):
        assert left
    else:
        assert (entry.constants is None) == left


@pytest.mark.parametrize(
    ("count", "num_tasks"),
    # Without the word, it may be the size of a dataset.
    [("3,134 test triples", 6268), ("3134 test facts", 6268), ("86,835 triples", None), ("93,003 facts", None)],
)
def test_a_count_of_test_triples_next_to_a_dataset_is_compared(count: str, num_tasks: int | None) -> None:
    for place in ("a heading", "a heading in parentheses", "a caption"):
        (entry,) = read(_PLACES[place].format(count)).entries
        assert (entry.context.num_tasks, entry.context.task) == (num_tasks, None)
        assert _tell_tasks(_PLACES[place].format(count)) == "test/both/standard"
    with pytest.raises(DataError, match=r"counts 1,024 ranks"):
        rankconst.adjust(read_document("a.md", _PLACES["a heading"].format("512 test triples")))
