"""What becomes of numbers in tables as people print them: an address, a question, or nothing under
some options.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest

import rankconst
from rankconst.catalogue.benchmarks import list_ambiguous, list_kinds
from rankconst.catalogue.metrics import parse_metric
from rankconst.catalogue.protocols import RANK_TYPES
from rankconst.errors import UnknownNameError, UsageError
from rankconst.evaluation import Address, settle
from rankconst.results.document import Document
from rankconst.results.formats import read_document, read_opened
from rankconst.results.labels import read_label
from rankconst.results.tables.layout import FEW
from rankconst.results.vocabulary import VOCABULARY
from readings import write_markdown

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

LEFT = "left out"


def tell(text: str, name: str = "results.md", **options: Any) -> list[str]:
    """Return what becomes of each number: its address, the words or options of its questions, or that it is left out.

    The address lacks what is usual: test, both sides and protocol standard.
    """
    only = parse_metric(options["metric"]) if "metric" in options else None
    reading = read_opened(Document(name, text, metric=only))
    adjusted = rankconst.adjust(reading, errors="note", **options).numbers
    asked: dict[int, list[str]] = {}
    for question in adjusted.asked:
        for place in question.numbers:
            asked.setdefault(place, []).append(question.word or question.option)
    shown = []
    for place, each in enumerate(adjusted.entries):
        usual = {"test", "both", "standard"}
        tasks = () if each.constants is None else str(each.constants.tasks).split("/")
        address = " ".join(part for part in tasks if part not in usual)
        shown.append(
            address or "?" + ", ".join(asked[place]) if address or place in asked else LEFT
        )
    return shown


def write(heading: str, *rows: Sequence[object]) -> str:
    """Return a Markdown table below a heading."""
    return f"# {heading}\n\n{write_markdown([[*row] for row in rows])}\n"


# -- GraIL's graphs, and other names of several ----------------------------------------------------

WHICH = "?--dataset inductive or --dataset transductive"
_LATEX = r"""\begin{table}\caption{%s}\begin{tabular}{lcccc}
Method & \multicolumn{2}{c}{FB15k-237} & \multicolumn{2}{c}{WN18RR} \\ & v1 & v2 & v1 & v2 \\ \hline
GraIL & 64.15 & 81.80 & 82.45 & 78.68 \\
\end{tabular}\end{table}"""
_TWO_LINES: list[list[object]] = [
    ["", "FB15k-237", "", "FB"], ["", "v1", "v4", "v2"], ["GraIL", 0.279, 0.227, 0.276],
]  # fmt: skip
VERSIONS = {
    "spelt": ("d.csv", "dataset,MRR\nNELL-995 v1,.6\nnell_v2,.6\nFB15k-237 (v3),.6\nWN18RR_v4,.6\nFB237_v1,.6\n", 5,
         {}),
    "column": ("d.csv", "dataset,version,MRR\nFB15k-237,v1,.6\nWN18RR,3,.6\n", 2, {}),
    "short": ("d.csv", "graph,v,MRR\nFB15k-237,1,.6\nWN18RR,2,.6\n", 2, {}),
    "splits": ("d.csv", "dataset,split,MRR\nFB15k-237,v1,.6\nNELL-995,v2,.6\n", 2, {}),
    "spans": ("d.tex", _LATEX % "Results", 4, {"metric": "hits@10"}),
    "levels": ("d.md", write("Results", *_TWO_LINES), 3, {"metric": "mrr"}),
    "heading": ("d.md", write("WN18RR", ["Model", "v1", "v2"], ["NBFNet", 0.74, 0.7]), 2, {"metric": "mrr"}),
    "keys": ("d.json", '{"FB15k-237": {"v1": {"mrr": 0.42}, "v2": {"mrr": 0.5}}}', 2, {}),
    "siblings": ("d.json", '{"dataset": "WN18RR", "version": "v1", "mrr": 0.74}', 1, {}),
}  # fmt: skip


@pytest.mark.parametrize(("name", "text", "count", "options"), VERSIONS.values(), ids=VERSIONS)
def test_a_version_is_part_of_a_name_and_one_option_says_of_all_which_graph_it_is(
    name: str, text: str, count: int, options: dict[str, Any]
) -> None:
    assert tell(text, name, **options) == [WHICH] * count
    for kind in ("inductive", "transductive"):
        found = tell(text, name, dataset=kind, **options)
        assert {*map(len, map(str.split, found))} == {1}
        assert all(list_kinds(each) == {kind, "full"} for each in found)


@pytest.mark.parametrize(
    ("heading", "expected"),
    [
        ("Inductive link prediction", "fb15k237_v1_ind"), ("Unseen entities", "fb15k237_v1_ind"),
        ("The transductive setting", "fb15k237_v1"), ("Results", WHICH),
        ("Inductive and transductive", f"{WHICH}, inductive"),
    ],
)  # fmt: skip
def test_words_settle_which_graph_a_version_is_of(heading: str, expected: str) -> None:
    assert tell(write(heading, ["Model", "FB15k-237 v1 MRR"], ["NBFNet", 0.422])) == [expected]
    assert tell(write(heading, ["Model", "FB15k-237"], ["", "v1"], ["A", 0.4]), metric="mrr") == [
        expected
    ]


@pytest.mark.parametrize(
    "name",
    [
        "UMLS v5", "UMLS (30%)", "30% UMLS", "UMLS (k=5)", "UMLS*", "UMLS†", "UMLS'", "UMLS 2.0", "UMLS_small",
        "UMLS (new)", "UMLS 10k", "UMLS (new split)",
    ],
)  # fmt: skip
@pytest.mark.parametrize("above", ["# {}", "Table 2: Results on {}.", "Results, {}"])
def test_what_sticks_to_a_name_makes_it_that_of_another_graph(name: str, above: str) -> None:
    table = write_markdown([["Model", "MRR"], ["A", 0.5]])
    assert tell(f"{above.format(name)}\n\n{table}") != ["umls"]
    assert tell(f'dataset,MRR\n"{name}",.5\n', "a.csv") != ["umls"]


def test_the_nearest_version_counts() -> None:
    table: list[list[object]] = [["Model", "v1", "v2"], ["GraIL", 0.8, 0.7]]
    assert tell(write("WN18RR v1 to v4, inductive", *table), metric="mrr") == [
        "wn18rr_v1_ind",
        "wn18rr_v2_ind",
    ]


def test_a_version_is_one_of_a_graph_that_has_it() -> None:
    assert tell("dataset,version,MRR\nUMLS,v1,.6\n", "a.csv") == ["?v1"]
    assert tell("dataset,version,MRR\nUMLS,0.4.0,.6\nUMLS,,.6\n", "a.csv") == ["umls"] * 2
    assert tell("model,dataset,MRR\nTransE v1,UMLS,.6\nv1,UMLS,.6\n", "a.csv") == ["umls"] * 2
    assert tell("dataset,MRR\nWN18RR v1,.6\nNELL-995 v1,.6\n", "a.csv", dataset="nell_v1") == [
        LEFT,
        "nell_v1",
    ]


def test_a_tool_or_a_kind_says_which_of_several_benchmarks_it_is() -> None:
    text = "dataset,MRR\nICEWS14,.4\nYAGO,.6\nUMLS,.7\n"
    icews = "--tool regcn", "--tool xerte", "--dataset icews14_interp"
    yago = "--dataset temporal", "--dataset yago310", "--dataset yago37"
    asked = (f"?{' or '.join(ways)}" for ways in (icews, yago))
    alone = (f", or --accept {name}=GRAPH for this name alone" for name in ("ICEWS14", "YAGO"))
    which = [*map("".join, zip(asked, alone, strict=True)), "umls"]
    assert tell(text, "a.csv") == which
    assert tell(text, "a.csv", tool="regcn")[0] == "icews14_regcn time-aware"
    assert tell(text, "a.csv", dataset="temporal", protocol="raw") == [
        which[0],
        "yago_tkg raw",
        "umls raw",
    ]


def test_the_likeliest_of_several_benchmarks_comes_first() -> None:
    inductive = [keys for keys in list_ambiguous().values() if any("_v" in key for key in keys)]
    assert len(inductive) >= 28
    assert all(
        [*map(list_kinds, keys)] == [{"inductive", "full"}, {"transductive", "full"}]
        for keys in inductive
    )


# -- what a table is of ----------------------------------------------------------------------------

TITLES = (
    "Improvement over TransE, in points", "Standard deviations over five seeds.", "Ablation: relative change of MRR",
    "Numbers are the difference to TransE.", "95% confidence intervals", "Results. Gains of our method",
    "Minimum over five seeds", "P-values of a paired t-test", "Scores are normalised to the best model",
)  # fmt: skip
NO_TITLES = (
    "All gains are significant.", "Results; standard deviations are below 0.002.", "Results with improvements in brackets",
    "Results and improvements over TransE",
)  # fmt: skip


@pytest.mark.parametrize("title", TITLES)
def test_a_title_that_begins_with_a_statistic_is_asked_about(title: str) -> None:
    table = write_markdown([["Model", "MRR"], ["A", 0.5]])
    for text in (f"# UMLS\n\n{title}\n\n{table}", f"# UMLS\n\n## {title}\n\n{table}"):
        assert tell(text)[0].startswith("?")


@pytest.mark.parametrize("title", NO_TITLES)
def test_what_a_text_says_of_gains_besides_is_not_asked_about(title: str) -> None:
    assert tell(f"# UMLS\n\n{title}\n\n| Model | MRR |\n|-|-|\n| A | 0.5 |\n") == ["umls"]


@pytest.mark.parametrize(
    ("graph", "sentence", "expected"),
    [
        ("ogbl-biokg", "Ranking over all 93,773 entities", "?all-entities"), ("UMLS", "Over all of the 135 entities", "umls"),
        ("ogbl-biokg", "All 2.5M entities compete", "?all-entities, compete"), ("UMLS", "The mean over all 46 relations", "?over-all-relations"),
        ("UMLS", "These are 100 hand-picked test triples", "?100"), ("UMLS", "Each of the 661 test triples counts.", "umls"),
        ("UMLS", "We have 20,466 FB15k-237 and 3,134 WN18RR test triples", "?--dataset, or a column dataset"),
    ],
)  # fmt: skip
def test_how_many_a_text_says_there_are_is_held_against_the_tasks(
    graph: str, sentence: str, expected: str
) -> None:
    (found,) = tell(f"# {graph}\n\n{sentence}\n\n| Model | MRR |\n|-|-|\n| A | 0.5 |\n")
    assert found.removesuffix(" sampled:500") == expected


def test_a_number_of_runs_is_no_part_of_a_metric() -> None:
    assert tell("dataset,MRR (5 seeds)\nUMLS,.5\n", "a.csv") == ["umls"]
    assert tell("dataset,MRR (mean of 3 runs)\nUMLS,.5\n", "a.csv") == ["umls"]


@pytest.mark.parametrize("key", ["filter", "eval_filter", "filter_mode", "filtered"])
def test_a_filter_that_is_not_known_is_asked_about(key: str) -> None:
    asked = f"?{key}"
    assert tell(json.dumps({"dataset": "UMLS", key: "partly", "mrr": 0.5}), "a.json") == [asked]
    assert tell(f"dataset,{key},MRR\nUMLS,partly,.5\n", "a.csv") == [asked]
    assert tell(f"model,dataset,{key},MRR\nA,UMLS,partly,.5\n", "a.csv") == [asked]


def test_a_share_of_the_data_above_metrics_is_asked_about() -> None:
    levels: list[list[object]] = [
        ["Model", "20%", "50 %"],
        ["", "MRR", "Hits@10 (%)"],
        ["A", 0.3, 40],
    ]
    assert tell(write("UMLS", *levels)) == ["?20%", "?50 %"]


@pytest.mark.parametrize(
    ("key", "value"), [("data_split", "random"), ("Evaluation protocol", "own")]
)
def test_a_value_that_no_field_has_is_never_passed_over(key: str, value: str) -> None:
    assert tell(json.dumps([{"dataset": "UMLS", key: value, "mrr": 0.5}]), "a.json") != ["umls"]
    assert tell(f"dataset,{key},MRR\nUMLS,{value},.5\nWN18,,.5\n", "a.csv") == [LEFT, "wn18"]


# -- names of models -------------------------------------------------------------------------------

NAMES = (
    "GraIL", "StarE", "DEKG-ILP", '"HittER"', "Nations-tuned", "NBFNet v2", "RE-GCN", "WordNet",
)  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_the_name_of_a_model_declares_nothing_and_is_not_asked_about(name: str) -> None:
    for heading in ("Method", "Model", "Approach", "Backbone", ""):
        assert (
            tell(write("Results", [heading, "FB15k-237 MRR"], [name, 0.3], ["TransE", 0.2]))
            == ["fb15k237"] * 2
        )
    assert tell(json.dumps({"model": name, "dataset": "UMLS", "mrr": 0.3}), "a.json") == ["umls"]


@pytest.mark.parametrize(
    "form", ["{} (WN18RR)", "{} on WN18RR", "{}_WN18RR", "WN18RR {}", "{}-WN18RR"]
)
def test_the_graph_in_the_name_of_a_model_is_asked_about_where_it_is_another(form: str) -> None:
    table = write("{}", ["Model", "MRR"], [form.format("RotatE"), 0.4], ["TransE", 0.2])
    assert tell(table.format("FB15k-237")) == ["?wn18rr", "fb15k237"]
    assert tell(table.format("FB15k-237"), dataset="fb15k237")[0] == "?wn18rr"
    assert tell(table.format("FB15k-237"), accept=["WN18RR"]) == ["fb15k237"] * 2
    assert tell(table.format("WN18RR")) == ["wn18rr"] * 2
    assert tell(table.format("Results"), dataset="wn18rr") == ["wn18rr"] * 2


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("Ours - RotatE", "-"), ("Best - ours", "-"), ("RotatE − TransE", "-"), ("RotatE on v1", "v1"), ("RotatE on Kinships", "kinships"),
        ("TransE - Kinships", "kinships"), ("TransE for PubMed", "pubmed"), ("A on rarities", "rarities"),
    ],
)  # fmt: skip
def test_what_a_name_is_a_difference_to_or_a_result_on_is_asked_about(name: str, word: str) -> None:
    assert tell(write("UMLS", ["Model", "MRR"], ["TransE", 0.8], [name, 0.05])) == [
        "umls",
        f"?{word}",
    ]
    many: list[list[object]] = [[f"m{i}", 0.5] for i in range(FEW + 1)]
    assert tell(write("UMLS", ["Model", "MRR"], [name, 0.05], *many))[0] == f"?{word}"


@pytest.mark.parametrize(
    "name", ["TransE - L1", "TransE - our run", "A on UMLS", "BERT on all", "TransE on GPU"]
)
def test_what_a_model_is_a_variant_of_is_not_asked_about(name: str) -> None:
    assert tell(write("UMLS", ["Model", "MRR"], [name, 0.05])) == ["umls"]
    kinships = write("Kinships", ["Model", "MRR"], ["TransE - Kinships", 0.05])
    assert tell(kinships) == ["kinships"]


def test_a_variant_of_a_graph_in_the_name_of_a_model_is_asked_about() -> None:
    table = write("FB15k-237", ["Model", "MRR"], ["A [FB15k-237-N]", 0.4], ["A-FB15k-237", 0.2])
    assert tell(table) == ["?fb15k-237-n", "fb15k237"]


def test_a_column_without_a_heading_may_name_datasets() -> None:
    assert tell(
        write("Results", ["", "MRR"], ["FB15k-237", 0.3], ["UMLS", 0.2], ["mine", 0.1])
    ) == [
        "fb15k237",
        "umls",
        LEFT,
    ]


# -- an option fills a gap -------------------------------------------------------------------------

AGAINST = [
    ("We rank the tail entities.", "tail", "side", "head", "tail"),
    ("Predicting tails:", "tails", "side", "head", "tail"),
    ("Replacing heads", "heads", "side", "tail", "head"),
    ("It asks (?, r, t)", "t2h", "side", "tail", "head"),
    ("It asks ⟨s, p, ?⟩ of ours", "h2t", "side", "head", "tail"),
    ("Given h2t, we rank", "h2t", "side", "both", "tail"),
    ("The answer is searched forward", "forward", "side", "head", "tail"),
    ("Measured on the dev set", "dev", "split", "test", "valid"),
    ("How well they memorise it", "memorise", "split", "test", "train"),
    ("These are raw numbers", "raw", "protocol", "standard", "raw"),
    ("We do it without filtering", "without-filtering", "protocol", "libkge", "raw"),
    ("A sampled evaluation of ours", "sampled", "protocol", "standard", "sampled:50"),
]


@pytest.mark.parametrize(("sentence", "word", "field", "other", "own"), AGAINST)
def test_an_option_answers_a_word_and_does_not_overrule_it(
    sentence: str, word: str, field: str, other: str, own: str
) -> None:
    table = write_markdown([["Model", "MRR"], ["A", 0.6]])
    test = "" if field == "split" else ", test"
    files = {
        "a.md": f"# Nations\n\n{sentence}\n\n{table}\n",
        "b.csv": f'model,dataset,MRR,comment\nA,Nations,0.6,"{sentence}"\n',
        "c.json": json.dumps(
            {"dataset": "Nations", "note": sentence, "mrr": 0.6}, ensure_ascii=False
        ),
        "d.log": f"Results on Nations{test}\n{sentence}\nMRR: 0.6\n",
    }
    for name, text in files.items():
        assert tell(text, name) == [f"?{word}"]
        assert tell(text, name, **{field: other}) == [f"?{word}"]
        assert tell(text, name, **{field: own})[0].split()[-1] == own
        accepted = tell(text, name, accept=[word], **{field: other})
        assert accepted == tell(text.replace(sentence, "-"), name, **{field: other})


def test_heads_and_tails_are_both_sides() -> None:
    sentence = "Given one of them, the head or, if it is known, the tail is ranked."
    text = f"# Nations\n\n{sentence}\n\n| M | MRR |\n|-|-|\n| A | 0.6 |"
    assert tell(text) == ["?head, known, tail"]
    assert tell(text, side="both", accept=["known"]) == ["nations"]
    assert tell(text, side="head", accept=["known"]) == ["?tail"]


def test_columns_that_say_the_side_in_any_letters() -> None:
    rows = ["(h, r, ?)", "(?, p, o)", "h2t", "rt2h", "tails", "both", "head-batch"]
    sides = ["tail", "head", "tail", "head", "tail", "", "head"]
    for heading in ("direction", "query", "side"):
        table: list[list[object]] = [["model", heading, "MRR"], *(["A", row, 0.6] for row in rows)]
        assert tell(write("Nations", *table)) == [f"nations {side}".strip() for side in sides]


# -- headings and corners --------------------------------------------------------------------------

PARTS = {
    "Degree": "0-10", "Subset": "A", "Domain": "film", "Client": "c1", "Bucket": "low", "Frequency": "low", "Fold": "a",
    "Category": "people", "Pattern": "other", "Popularity": "high", "Group": "A",
}  # fmt: skip


@pytest.mark.parametrize("heading", PARTS)
def test_rows_that_are_parts_of_a_test_set_are_asked_about(heading: str) -> None:
    assert tell(write("FB15k-237", [heading, "MRR"], [PARTS[heading], 0.3])) == [
        f"?{heading.lower()}"
    ]
    both = ["Model", heading, "MRR"], ["TransE", PARTS[heading], 0.3], ["RotatE", "", 0.2]
    assert tell(write("FB15k-237", *both)) == [f"?{heading.lower()}", "fb15k237"]


@pytest.mark.parametrize("heading", ["Relation type", "Entity kind", "Wealth", "Missing ratio"])
def test_what_names_the_rows_is_known_or_asked_about(heading: str) -> None:
    assert tell(write("FB15k-237", [heading, "MRR"], ["film", 0.3])) == [f"?{heading.lower()}"]
    assert tell(write("FB15k-237", ["Model", heading, "MRR"], ["A", "film", 0.3])) == ["fb15k237"]


@pytest.mark.parametrize("heading", ["Missing", "Epochs", "Amount %"])
def test_what_is_above_numbers_that_name_the_rows_is_asked_about(heading: str) -> None:
    asked = f"?{heading.lower()}"
    assert tell(write("UMLS", [heading, "MRR"], [10, 0.3], [50, 0.5])) == [asked, asked]
    assert tell(write("UMLS", ["Model", "dim", "MRR"], ["A", 10, 0.3], ["A", 50, 0.5])) == [
        "umls",
        "umls",
    ]


def test_a_corner_is_a_label_of_its_table() -> None:
    two = write("Results", ["FB15k-237", "MRR"], ["TransE", 0.3]) + write(
        "More", ["UMLS (valid)", "MRR"], ["A", 0.2]
    )
    assert tell(two) == ["fb15k237", "umls valid"]
    assert tell(two, dataset="umls") == [LEFT, "umls valid"]
    assert tell(write("Results", ["UMLS", "WN18RR MRR", "MRR"], ["A", 0.2, 0.3])) == [
        "wn18rr",
        "umls",
    ]


@pytest.mark.parametrize(
    "cell",
    [
        "1:N", "1toN", "1→N", "one2many", "M2M", "N:N", "M:N", "composition", "Δ", "σ", "impr.", "vali", "transitive",
        "our split", "custom splits", "N=50", "n = 50", "50 neg", "50neg", "neg=50", "#neg 50", "99 neg.", "1+99", "1 vs. 99", "N=100 negatives",
    ],
)  # fmt: skip
def test_a_cell_in_any_spelling_is_asked_about(cell: str) -> None:
    assert tell(write("FB15k-237", ["Model", "Note", "MRR"], ["TransE", cell, 0.3]))[0].startswith(
        "?"
    )


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("Δ", "δ"), ("Improvement", "improvement"), ("σ", "σ"), ("Improvement over A", "improvement"),
        ("Gain (abs.)", "gain, abs"), ("Our gain", "gain"), ("Absolute", "absolute"), ("Abs. A", "abs"), ("Uplift", "uplift"), ("Oracle", "oracle"), ("Standard dev.", "standard-dev"), ("A (top-100)", "top-100"), ("Std. error", "std, error"), ("Gap to A", "gap"), ("25%", "25%"),
        ("A, 10% of test", "10% of"), ("提升", "not-english"), ("Verbesserung", "not-english"),
        ("relation prediction", "relation-prediction"),
        *[(name, name) for name in ("composition", "inversion", "inverse", "count", "min", "sum", "median", "n=50")],
        ("50 neg", "50 neg"), ("± std", "std"), ("vs. A", "vs"), ("A vs B", "vs"), ("Margin", "margin"), ("p", "p"), ("Wilcoxon p", "wilcoxon, p"),
        ("Threshold", "threshold"), ("Reference", "reference"), ("Upper bound", "upper-bound"),
    ],
)  # fmt: skip
def test_a_row_that_is_no_model_is_asked_about(name: str, word: str) -> None:
    table = write("UMLS", ["Model", "MRR"], ["A", 0.8], [name, 0.05])
    assert tell(table) == ["umls", f"?{word}"]


@pytest.mark.parametrize("heading", ["vs. SOTA MRR", "MRR gain", "ΔMRR", "Δ"])
def test_a_column_of_differences_is_left_out(heading: str) -> None:
    assert tell(write("UMLS", ["Model", "MRR", heading], ["A", 0.8, 0.05])) == ["umls"]


def test_a_statistic_or_a_part_in_brackets_behind_a_name_is_asked_about() -> None:
    asked = ["std", "Δ", "gain", "composition", "50 neg", "n = 50", "1+99"]
    known = ["inverse", "1-vs-all", "DistMult composition function"]  # how they were trained
    rows = [[f"TransE ({each})", 0.5] for each in (*asked, *known)]
    expected = [*(f"?{each.lower()}" for each in asked), *["umls"] * len(known)]
    assert tell(write("UMLS", ["Model", "MRR"], *rows)) == expected


@pytest.mark.parametrize(
    ("word", "means"),
    [
        ("h\u0435ad", "head"), ("t\u0430il", "tail"), ("r\u0430w", "raw"), ("va\u00adlid", "valid"), ("ｖａｌｉｄ", "valid"),
        ("𝐭𝐚𝐢𝐥", "tail"), ("va\u200blid", "valid"),
    ],
)  # fmt: skip
def test_letters_that_look_like_others_are_these(word: str, means: str) -> None:
    few = ["Model", "Note", "MRR"], ["TransE", word, 0.5]
    many: list[list[object]] = [[f"m{i}", "", 0.5] for i in range(FEW + 1)]
    assert tell(write("UMLS", *few)) == [f"umls {means}"]
    assert tell(write("UMLS", *few, *many))[0] == f"umls {means}"
    names: list[list[object]] = [[word, 0.5], *([row[0], 0.5] for row in many)]
    assert tell(write("UMLS", ["Model", "MRR"], *names))[0] == f"umls {means}"
    assert tell(write("UMLS", ["Model", f"MRR ({word})"], ["A", 0.5])) == [f"umls {means}"]


@pytest.mark.parametrize(
    "rest", ["lnMRR", "nMRR", "MRR epoch", "MRR@f", "MRR (out)", "MRR/n", "MRR (f)"]
)
def test_an_unknown_rest_of_a_heading_asks_even_alone(rest: str) -> None:
    assert tell(f"model,dataset,{rest}\nA,UMLS,0.3\n", "a.csv")[0].startswith("?")
    assert tell(f"model,dataset,MRR,{rest}\nA,UMLS,0.3,0.4\n", "a.csv")[1].startswith("?")


@pytest.mark.parametrize("rest", ["New", "Old", "Unobserved", "known", "Neg", "(date)"])
def test_a_word_beside_a_metric_is_no_model_for_its_capital(rest: str) -> None:
    assert tell(f"model,dataset,{rest} MRR\nA,UMLS,0.3\n", "a.csv") != ["umls"]
    both = f"model,dataset,{rest} MRR,Other MRR\nA,UMLS,0.3,0.4\n"
    assert "umls" not in tell(both, "a.csv")
    # An end of an interval is left out.
    assert tell("model,dataset,MRR,MRR LB\nA,UMLS,0.3,0.2\n", "a.csv") == ["umls"]


COMPOUNDS = (
    "Fresh entities",
    "twice-told triples",
    "dataset_flavour",
    "old_split",
    "GrandFacts edges",
)
TECHNICAL = ("dataset_path", "dataset size", "num_entities", "Triples per second", "#Relations (K)")


@pytest.mark.parametrize("name", COMPOUNDS)
def test_what_tasks_are_made_of_asks_with_a_word_that_is_not_known(name: str) -> None:
    whole = f"?{name.lower()}"
    assert tell(f"model,{name},dataset,MRR\nA,2,UMLS,0.3\n", "a.csv") == [whole]
    assert tell(write("UMLS", ["Model", "MRR"], [name, 0.3])) == [whole]
    assert tell(json.dumps({"dataset": "UMLS", name: 2, "mrr": 0.3}), "a.json") == [whole]
    assert tell(json.dumps({"dataset": "UMLS", name: {"mrr": 0.3}}), "a.json") == [whole]
    levels: list[list[object]] = [["Model", name], ["", "MRR"], ["A", 0.5]]
    assert tell(write("UMLS", *levels)) == [whole]


@pytest.mark.parametrize("name", TECHNICAL)
def test_how_large_data_are_and_where_they_lie_is_not_asked_about(name: str) -> None:
    assert tell(f"model,{name},dataset,MRR\nA,135,UMLS,0.3\n", "a.csv") == ["umls"]
    assert tell(json.dumps({"dataset": "UMLS", name: 135, "mrr": 0.3}), "a.json") == ["umls"]


@pytest.mark.parametrize(
    "key", ["lang", "hop", "Ratio", "percentage", "horizon", "neg", "Skip_rare"]
)
def test_a_word_alone_beside_a_number_is_asked_about(key: str) -> None:
    asked = [f"?{key.lower().replace('_', '-')}"]
    assert tell(f"model,{key},dataset,MRR\nA,2,UMLS,0.3\n", "a.csv") == asked
    assert tell(json.dumps({"dataset": "UMLS", key: "2", "mrr": 0.3}), "a.json") == asked
    assert tell(f"model,{key}_decay,dataset,MRR\nA,2,UMLS,0.3\n", "a.csv") == ["umls"]
    assert tell(f"model,split {key},dataset,MRR\nA,2,UMLS,0.3\n", "a.csv")[0].startswith("?")


@pytest.mark.parametrize(
    ("one", "other"), [("UMLS", "PubMed"), ("test", "OOD"), ("valid", "Typed")]
)
def test_what_is_next_to_a_label_that_declares_declares_something_else(
    one: str, other: str
) -> None:
    known = "umls valid" if one == "valid" else "umls"
    levels: list[list[object]] = [["Model", one, other], ["", "MRR", "MRR"], ["A", 0.3, 0.4]]
    keys = {one: {"mrr": 0.3}, other: {"mrr": 0.4}}
    for name, text in (
        ("a.md", write("UMLS", *levels)),
        ("umls.csv", f"model,{one} MRR,{other} MRR\nA,.3,.4\n"),
        ("a.json", json.dumps({"dataset": "UMLS", "metrics": keys})),
    ):
        first, second = tell(text, name)
        assert first == known
        assert second.startswith(f"?{other.lower()}")


@pytest.mark.parametrize("key", ["early_stopping", "quantiles", "gat-free", "mykg"])
def test_a_key_in_small_letters_over_numbers_is_asked_about_unless_it_is_a_model(key: str) -> None:
    assert tell(json.dumps({"dataset": "UMLS", key: {"mrr": 0.3}}), "a.json") == [f"?{key}"]
    known = [
        "rotate",
        "my_model",
        "MyNet",
        "run_1",
        "results",
        "rotate_adv",
        "log_history",
        "ensemble",
    ]
    record = {"dataset": "UMLS", **{name: {"mrr": 0.3} for name in known}}
    assert tell(json.dumps(record), "a.json") == ["umls"] * len(known)
    assert tell(json.dumps({**record, "mynet": {"mrr": 0.3}}), "a.json")[-1] == "umls"


def test_a_key_that_names_relations_over_metrics_may_be_of_their_prediction() -> None:
    for key in ("relation", "Relations"):
        record = {"dataset": "UMLS", "tail": {"mrr": 0.4}, key: {"mrr": 0.9}}
        assert tell(json.dumps(record), "a.json") == ["umls tail", f"?{key.lower()}"]
        assert tell(json.dumps(record), "a.json", side="relation")[-1] == "umls relation"


def test_a_path_of_keys_does_not_name_two_graphs() -> None:
    both = "?--dataset, or a column dataset"
    for record in ({"UMLS": {"WN18": {"mrr": 0.3}}}, {"WN18": {"dataset": "UMLS", "mrr": 0.3}}):
        assert tell(json.dumps(record), "a.json") == [both]
        assert tell(json.dumps(record), "a.json", dataset="umls") == ["umls"]
    rows = {"dataset": "UMLS", "runs": [{"dataset": "WN18", "mrr": 0.3}]}
    assert tell(json.dumps(rows), "a.json") == ["wn18"]


@pytest.mark.parametrize("tool", ["PyKEEN", "AmpliGraph"])
def test_a_tool_that_ranks_other_entities_is_no_word_among_others(tool: str) -> None:
    table = write_markdown([["Model", "filtered MRR"], ["A", 0.5]])
    text = f"# WN18RR\n\nAll of it was computed with {tool}.\n\n{table}"
    assert tell(text) == tell(text, protocol="standard") == [f"?{tool.lower()}"]
    assert tell(text, tool=tool) == ["wn18rr pykeen"]


def test_the_name_of_a_model_in_a_heading_does_not_ask() -> None:
    for heading in (
        "RE-GCN MRR,TiRGN MRR",
        "MRR (ours),MRR (DRUM)",
        "MRR of TransE,Hits@10 of TransE",
        "rotate MRR,Tucker MRR",
        "Text MRR,DRUM MRR",
    ):
        assert tell(f"dataset,{heading}\nUMLS,0.3,0.4\n", "a.csv") == ["umls"] * 2


def test_another_number_of_an_evaluation_has_no_part_in_its_unit() -> None:
    text = "model,dataset,MRR,{}\nA,UMLS,0.338,2\nB,UMLS,0.31,3\n"
    for heading in ("MRR rank", "MRR (epoch)", "MRR loss"):
        adjusted = rankconst.adjust(read_opened(Document("a.csv", text.format(heading)))).numbers
        assert [each.published.value for each in adjusted.entries if each.published] == [
            0.338,
            0.31,
        ]


def test_a_metric_beside_one_that_may_be_filtered_is_asked_about() -> None:
    raw = "?--protocol raw"
    for heading, asked in (("fMRR", "?f"), ("MRR@f", "?f"), ("MRR (filt.)", "wn18")):
        assert tell(f"model,dataset,MRR,{heading}\nA,WN18,0.3,0.5\n", "a.csv") == [raw, asked]


# -- filters and sizes -----------------------------------------------------------------------------


@pytest.mark.parametrize("word", ["none", "off", "no", "false", "None", "disabled", "raw", "null"])
@pytest.mark.parametrize("key", ["filter", "filtered", "filtering"])
def test_no_filter_is_raw(key: str, word: str) -> None:
    assert tell(f"model,dataset,{key},MRR\nA,Nations,{word},0.5\n", "a.csv") == ["nations raw"]
    assert tell(json.dumps({"dataset": "Nations", key: word, "mrr": 0.5}), "a.json") == [
        "nations raw"
    ]


def test_flags_and_phrases_that_say_whether_known_answers_are_removed() -> None:
    assert tell('{"dataset": "Nations", "filter": null, "mrr": 0.5}', "a.json") == ["nations raw"]
    assert tell('{"dataset": "Nations", "use_filter": false, "mrr": 0.5}', "a.json") == [
        "nations raw"
    ]
    assert tell('{"dataset": "Nations", "filter_mode": "none", "mrr": 0.5}', "a.json") == [
        "nations raw"
    ]
    assert tell('{"dataset": "Nations", "use_filter": true, "mrr": 0.5}', "a.json") == ["nations"]
    assert tell("dataset,use_filter,MRR\nNations,False,0.5\nNations,True,0.5\n", "a.csv") == [
        "nations raw",
        "nations",
    ]
    assert tell(write("Nations (w/o filter)", ["Model", "MRR"], ["A", 0.5])) == ["nations raw"]
    assert tell("model,dataset,MRR (no filter)\nA,Nations,0.5\n", "a.csv") == ["nations raw"]


@pytest.mark.parametrize(
    "key",
    [
        "candidates", "n_candidates", "negatives", "eval_negatives", "sample", "fold", "degree", "num_queries", "n_evaluated",
        "test_fraction", "limit", "max_test_triples", "train_ratio", "eval_size", "first_n",
    ],
)  # fmt: skip
def test_an_amount_beside_a_number_is_asked_about(key: str) -> None:
    assert tell(f"dataset,MRR,{key}\nUMLS,0.5,50\n", "a.csv")[0].startswith("?")
    assert tell(json.dumps({"dataset": "UMLS", key: 50, "mrr": 0.5}), "a.json")[0].startswith("?")


@pytest.mark.parametrize(
    "key",
    [
        "negative_sample_size", "train_loss", "raw", "epoch", "num_negs_per_pos", "time_limit", "dropout_ratio",
        "dim",
    ],
)  # fmt: skip
def test_what_a_program_ran_with_and_other_results_are_not_asked_about(key: str) -> None:
    assert tell(f"dataset,MRR,{key}\nUMLS,0.5,50\n", "a.csv") == ["umls"]
    assert tell(json.dumps({"dataset": "UMLS", key: 50, "mrr": 0.5}), "a.json") == ["umls"]


def test_when_a_program_ran_is_not_asked_about() -> None:
    run = {"dataset": "UMLS", "timestamp": "2025-11-07T13:37:11", "mrr": 0.5}
    assert tell(json.dumps(run), "a.json") == ["umls"]
    assert tell(json.dumps(run | {"timestamp": "of each fact"}), "a.json") == ["?timestamp"]


def test_relations_are_a_side_where_sides_are_said() -> None:
    assert tell("dataset,target,MRR\nUMLS,relation,.5\nUMLS,tail,.5\n", "a.csv") == [
        "umls relation",
        "umls tail",
    ]
    rows = ["Entity", 0.7], ["Relation", 0.9]
    assert tell(write("UMLS", ["Prediction", "MRR"], *rows)) == ["umls", "?relation"]


def test_sizes_are_no_words_of_a_split() -> None:
    text = "Dataset,#Entities,Train,Valid,Test,MRR\nFB15k-237,14541,272115,17535,20466,0.338\n"
    assert tell(text, "a.csv") == ["fb15k237"]


# -- counts and relations --------------------------------------------------------------------------

COUNTED = [
    ("fb15k237", "num_test", 20466, "fb15k237", ""), ("fb15k237", "num_test", 20438, "?20438", "--protocol pykeen"),
    ("fb15k237", "num_test", 17535, "?17535", "--split valid"), ("fb15k237", "entities", 14541, "fb15k237", ""),
    ("fb15k237", "num_entities", 14505, "?14505", "--protocol pykeen"), ("umls", "n_test", 660, "?660", ""),
    ("wn18rr", "num_entities", "all of them", "wn18rr", ""), ("ogbbiokg", "num_test", 3, "ogbbiokg sampled:500", ""),
]  # fmt: skip


@pytest.mark.parametrize(("dataset", "key", "count", "expected", "option"), COUNTED)
def test_a_count_that_contradicts_the_ranking_tasks_is_asked_about(
    dataset: str, key: str, count: int | str, expected: str, option: str
) -> None:
    for text, name in (
        (f"dataset,{key},MRR\n{dataset},{count},0.5\n", "a.csv"),
        (json.dumps({"dataset": dataset, key: count, "mrr": 0.5}), "a.json"),
    ):
        assert tell(text, name) == [expected]
        if expected.startswith("?"):
            (question,) = rankconst.adjust(read_opened(Document(name, text)), errors="note").asked
            assert question.option.startswith(option)
            assert tell(text, name, accept=[str(count)]) == [dataset]
    if option.startswith("--protocol"):
        assert tell(text, name, protocol="pykeen") == [f"{dataset} pykeen"]


def test_numbers_of_single_relations_are_of_these() -> None:
    hypernym, part = "wn18rr standard (_hypernym)", "wn18rr standard (_has_part)"
    flat = (
        '{"_hypernym": {"mrr": 0.3}, "_has_part": {"mrr": 0.2}, "overall": {"mrr": 0.5}, "weird": '
        '{"mrr": 0.1}}'
    )
    assert tell(flat, "a.json", dataset="wn18rr") == [hypernym, part, "wn18rr", "?weird"]
    nested = '{"mrr": 0.5, "per_relation": {"_hypernym": {"mrr": 0.3}, "_has_part": {"mrr": 0.2}}}'
    assert tell(nested, "a.json", dataset="wn18rr") == ["wn18rr", hypernym, part]
    for heading in ("relation", "edge", "Predicate", ""):
        table: list[list[object]] = [
            [heading, "MRR"], ["_hypernym", 0.3], ["has part", 0.2], ["all", 0.5],
        ]  # fmt: skip
        assert tell(write("WN18RR", *table))[:2] == [hypernym, part]


def test_a_remedy_says_for_how_many_numbers_it_is() -> None:
    text = "model,dataset,MRR\nA (50 samples),UMLS,0.6\nB,UMLS,0.5\n"
    (question,) = rankconst.adjust(read_opened(Document("a.csv", text))).asked
    ways = question.remedy.split(", or ")
    assert ways[:2] == [
        'protocol="sampled:M" for all 2 numbers',
        'accept=["samples=sampled:M"] for these',
    ]


def test_a_word_may_be_accepted_as_what_it_says_of_its_numbers_alone() -> None:
    rows = ("A,0.6,50 samples of candidates", "B,0.5,", "C,0.4,left", "D,0.4,its dev")
    text = "model,MRR,note,dataset\n" + "".join(f"{row},UMLS\n" for row in rows)
    accepted = ["samples=sampled:50", "left=tail", "DEV=validation"]
    assert tell(text, "a.csv") == ["?samples, candidates", "umls", "?left", "?dev"]
    assert tell(text, "a.csv", accept=accepted) == [
        "umls sampled:50", "umls", "umls tail", "umls valid",
    ]  # fmt: skip
    adjusted = rankconst.adjust(read_opened(Document("a.csv", text)), accept=accepted)
    assert adjusted.assumed["protocol"] == ("standard",)
    assert adjusted.numbers.accepted == ("samples=sampled:50", "left=tail", "dev=validation")


@pytest.mark.parametrize(
    ("text", "accepted", "expected"),
    [
        ("dataset,MRR_va\nUMLS,.5\n", "va=valid", "umls valid"),
        ("dataset,MRR_va\nUMLS,.5\n", "va=tail", "umls tail"),
        ("dataset,MRR (macro)\nUMLS,.5\n", "macro=macro-relation", "umls macro-relation"),
        ("dataset,MRR,note\nUMLS,.5,subset\n", "subset=raw", "umls raw"),
        ("dataset,MRR,note\nUMLS,.5,Ergebnisse von uns\n", "not-english=train", "umls train"),
    ],
)  # fmt: skip
def test_what_a_word_is_said_to_mean_holds_whatever_was_asked(
    text: str, accepted: str, expected: str
) -> None:
    assert tell(text, "a.csv", accept=[accepted]) == [expected]
    assert tell(text, "a.csv", accept=[accepted.partition("=")[0]]) == ["umls"]


def test_a_word_that_is_said_to_mean_nothing_known_is_an_error() -> None:
    with pytest.raises(UsageError, match="va=5: expected a split, side, protocol or aggregation"):
        tell("dataset,MRR_va\nUMLS,.5\n", "a.csv", accept=["va=5"])


# What a file calls its columns, and which graph each is.
SHARED = [
    ("NELL-995", "nell995_redgnn", "WN18RR", "wn18rr", {}),
    ("NELL-995", "nell995", "WN18RR", "wn18rr", {}),
    ("WD50K", "wd50k_statements", "JF17K", "jf17k", {"protocol": "raw"}),
    ("WD50K", "wd50k", "JF17K", "jf17k", {"protocol": "raw"}),
    ("Countries", "countries_s2", "UMLS", "umls", {}),
    # One whose key is what others have as a name, and beside a graph of another kind.
    ("WN18RR v1", "wn18rr_v1", "WN18RR v2", "wn18rr_v2_ind", {"dataset": "inductive"}),
    ("ICEWS14", "icews14_xerte", "ICEWS18", "icews18", {"protocol": "time-aware"}),
]


@pytest.mark.parametrize(("name", "key", "other", "other_key", "options"), SHARED)
def test_a_name_of_several_graphs_is_accepted_as_one_and_leaves_the_others(
    name: str, key: str, other: str, other_key: str, options: dict[str, Any], tmp_path: Path
) -> None:
    table = {"model": ["A", "B"], f"{name} MRR": [0.3, 0.31], f"{other} MRR": [0.2, 0.21]}
    accept = [f"{name.lower()}={key}"]
    rows = [[*table], *zip(*table.values(), strict=True)]
    csv_text = "\n".join(",".join(map(str, row)) for row in rows)
    records = [dict(zip(rows[0], row, strict=True)) for row in rows[1:]]
    listed = [
        {"dataset": heading.removesuffix(" MRR"), "model": record["model"], "mrr": record[heading]}
        for record in records
        for heading in rows[0][1:]
    ]
    found = []
    for form, text in {
        "a.csv": csv_text,
        "a.md": write_markdown([[*row] for row in rows]),
        "a.json": json.dumps(listed),
    }.items():
        told = tell(text, form, accept=accept, **options)
        found.append([address.split()[0] for address in told])
    assert found == [[key, other_key] * 2] * 3
    path = tmp_path / "a.csv"
    path.write_text(csv_text)
    adjusted = rankconst.adjust(path, accept=accept, **options)
    assert (adjusted.asked, adjusted.numbers.accepted) == ((), (accept[0],))
    frame = rankconst.adjust(pd.DataFrame(listed), accept=accept, **options)
    assert frame["AMRR"].notna().all()


def test_every_name_of_several_graphs_is_accepted_as_each_of_them() -> None:
    tables = rankconst.load()
    for name, keys in list_ambiguous().items():
        for key in keys:
            # In small letters the first key may be meant, whatever else has its name.
            file, user = Address(name.upper()), Address(accepted=(f"{name}={key}",))
            if key in tables.datasets:
                assert settle(file, user, tables)[0].dataset == key
                continue
            with pytest.raises(UnknownNameError, match=f"rankconst build {key}`"):
                settle(file, user, tables)


def test_a_question_offers_to_accept_a_name_where_a_dataset_would_leave_out_others() -> None:
    text = "model,NELL-995 MRR,WN18RR MRR\nA,0.3,0.2\n"
    opened = read_opened(Document("a.csv", text))
    (question,) = rankconst.adjust(opened).asked
    offered = 'accept=["NELL-995=GRAPH"] for this name alone'
    assert question.remedy == f'dataset="nell995" or dataset="nell995_redgnn", or {offered}'
    (inductive,) = rankconst.adjust(
        read_opened(Document("a.csv", "model,WN18RR v1 MRR,WN18RR MRR\nA,0.3,0.2\n"))
    ).asked
    assert "accept" not in inductive.remedy
    for wrong in ("NELL-995=GRAPH", "nell-995=wn18rr", "NELL-995"):
        with pytest.raises(UsageError, match="expected NELL-995=nell995 or NELL-995=nell995_redgn"):
            rankconst.adjust(opened, accept=[wrong])
    # No option overrules it, and no tool.
    with pytest.raises(UsageError, match="says dataset nell995, but nell995_redgnn was asked for"):
        rankconst.adjust(opened, dataset="nell995_redgnn", accept=["NELL-995=nell995"])
    noted = rankconst.adjust(opened, tool="ultra", accept=["NELL-995=nell995"]).numbers
    assert "accepted as nell995, but ULTRA evaluates on nell995_redgnn" in noted.notes[0]
    # Of a name that one graph has, nothing is asked.
    assert rankconst.adjust(opened, accept=["WN18RR=umls"]).numbers.accepted == ()


def test_the_words_of_a_question_say_how_to_tell_what_it_means() -> None:
    (question,) = rankconst.adjust(
        read_opened(Document("a.csv", "dataset,MRR_va\nUMLS,.5\nUMLS,.6\n")), errors="note"
    ).asked
    assert question.remedy.startswith('accept=["va=VALUE"] for what it says, such as valid, or ')


def test_a_point_that_may_be_of_thousands_is_neither() -> None:
    for others in ("3384", '"3,384"'):
        text = f"dataset,MR,MRR\nWN18RR,{others},0.226\nWN18RR,3.340,0.476\n"
        reading = read_opened(Document("a.csv", text))
        assert [each.what for each in reading.skipped if "thousands" in each.reason][-1] == "3.340"
        assert "3.340" not in [entry.text for entry in reading.entries]
    assert tell("dataset,MR\nUMLS,3.340\nWN18RR,3384.120\n", "a.csv") == ["umls", "wn18rr"]


def test_points_between_thousands_are_those_of_numbers_with_commas() -> None:
    text = "dataset;MRR;MR\nFB15k-237;0,338;1.770,5\nWN18RR;0,476;3.340\n"
    adjusted = rankconst.adjust(read_opened(Document("a.csv", text)))
    assert [each.published.value for each in adjusted.numbers.entries if each.published] == [
        0.338, 1770.5, 0.476, 3340,
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["NELL-995", "NELL995"])
def test_two_splits_of_nell_have_its_name(name: str) -> None:
    text = f"dataset,MRR\n{name},0.5\n"
    alone = f"--accept {name}=GRAPH for this name alone"
    assert tell(text, "a.csv") == [f"?--dataset nell995 or --dataset nell995_redgnn, or {alone}"]
    assert tell(text, "a.csv", dataset="nell995") == ["nell995"]


# -- what is hidden, not read or not one of these --------------------------------------------------


@pytest.mark.parametrize(("switch", "expected"), [("false", 0.3), ("true", 0.2)])
def test_the_branch_of_a_switch_that_is_not_set_is_hidden(switch: str, expected: float) -> None:
    rows = r"\ifold TransE & 0.2 \\ \else TransE & 0.3 \\ \fi"
    text = (
        rf"\newif\ifold \old{switch} \begin{{tabular}}{{lr}} Model & FB15k-237 MRR \\ {rows} "
        rf"\end{{tabular}}"
    )
    reading = read_opened(Document("a.tex", text))
    entries = rankconst.adjust(reading).numbers.entries
    assert [each.published.value for each in entries if each.published] == [expected]
    assert [row["Model"].strip() for row in reading.rows] == ["TransE"]


def test_a_column_that_may_be_a_metric_is_mentioned() -> None:
    reading = read_opened(Document("a.csv", "dataset,Hist@1,HITS\\@3,MRR\nUMLS,0.3,0.35,0.4\n"))
    assert [each.what for each in reading.skipped] == ["Hist@1"]
    assert [entry.metric.label for entry in reading.entries] == ["Hits@3", "MRR"]


def test_a_script_in_a_column_of_datasets_names_none() -> None:
    text = "model,dataset,MRR\nA,glove-bow-wn18rr.sh,0.2\n"
    assert tell(text, "a.csv") == [LEFT]
    assert tell(text, "a.csv", dataset="wn18rr") == ["wn18rr"]
    assert tell("dataset,MRR\nwordnet-mlj12,0.3\n", "a.csv") == ["wn18"]


def test_a_row_of_all_relations_is_of_all() -> None:
    assert tell("dataset,relation,MRR\nnations,all,0.3\nnations,treaties,0.5\n", "a.csv") == [
        "nations",
        "nations standard (treaties)",
    ]


# -- words that a label holds ----------------------------------------------------------------------

WORDS = VOCABULARY.lexicon.values()
OF_COLUMNS = [
    word.text
    for word in WORDS
    if "column" in word.scopes
    and word.field != "metric"
    and word.kind not in {"transductive", "full"}  # which UMLS is
    and word.text not in RANK_TYPES  # no part of an address
]
OF_CANDIDATES = [
    word.text
    for word in WORDS
    if word.field == "protocol" and word.says not in {"raw", "standard"} and "text" in word.scopes
]


@pytest.mark.parametrize("word", OF_COLUMNS)
def test_a_word_alone_above_a_table_is_never_passed_over(word: str) -> None:
    table = "| Model | MRR |\n|---|---|\n| A | 0.5 |\n"
    assert tell(f"# UMLS\n\n{word.capitalize()}\n\n{table}") != ["umls"]


@pytest.mark.parametrize("said", ["full ranking", "all entities", "full"])
def test_a_full_ranking_is_none_of_a_benchmark_with_sampled_candidates(said: str) -> None:
    for graph, expected in (("ogbl-biokg", f"?{said.replace(' ', '-')}"), ("UMLS", "umls")):
        assert tell(write(f"{graph}, {said}", ["Model", "MRR"], ["A", 0.5])) == [expected]
        record = {"dataset": graph, "setting": said, "mrr": 0.5}
        assert tell(json.dumps(record), "a.json") == [expected]
        assert tell(f"dataset,{said} MRR\n{graph},.5\n", "a.csv", protocol="sampled:500") in (
            [expected],
            ["umls sampled:500"],
        )
        assert tell(write(f"Full results on {graph}", ["Model", "MRR"], ["A", 0.5]))[0][0] != "?"


@pytest.mark.parametrize("word", OF_CANDIDATES)
def test_filtered_does_not_say_which_answers_were_ranked(word: str) -> None:
    table = "| Model | filtered MRR |\n|---|---|\n| A | 0.5 |\n"
    assert tell(f"# UMLS\n\nWith {word} of another kind\n\n{table}") == [f"?{word}"]
    assert tell(f"# UMLS\n\nWith known raw answers\n\n{table}") == ["?known"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", "model,MRR,filtered MRR\nA,.2,.3\nB,.25,\n"),
        ("a.jsonl", '{"m": {"mrr": 0.2, "filtered": {"mrr": 0.3}}}\n{"m": {"mrr": 0.25}}\n'),
        ("a.log", "MRR: 0.2, filtered MRR: 0.3\ndone\nMRR: 0.25\n"),
    ],
)
def test_a_metric_that_comes_again_as_filtered_is_asked_about_everywhere(
    name: str, text: str
) -> None:
    contexts = [entry.context for entry in read_document(name, text).entries]
    asked = [any(ask.option == "--protocol raw" for ask in each.questions) for each in contexts]
    assert asked == [True, False, True]


def test_an_ordinary_word_that_may_be_the_dataset_is_asked_about() -> None:
    caption = "Best configuration for each model in Kinships"
    table = write(caption, ["Model", "MRR"], ["ComplEx", 0.7])
    assert tell(table) == ["?--dataset kinships if it is that"]
    assert tell(table, dataset="umls") == ["umls"]
    named = write(caption, ["Model", "UMLS MRR"], ["ComplEx", 0.7])
    assert tell(named) == ["umls"]


@pytest.mark.parametrize("joint", [" ", "-", "_", ".", "\u2013", "/", " - "])
@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize(
    ("graph", "metric", "label"),
    [
        ("WN18RR", "MRR", "MRR"), ("FB15k-237", "Hits@10", "Hits@10"), ("CoDEx-M", "H@1", "Hits@1"),
        ("wn18rr", "mr", "MR"), ("WN18RR", "MRR-test", "MRR"), ("WN18RR", "valid-MRR", "MRR"), ("UMLS", "nDCG", "nDCG"), ("WN18RR-few", "MRR", "MRR"),
    ],
)  # fmt: skip
def test_what_joins_a_graph_to_a_metric_changes_neither(
    joint: str, order: int, graph: str, metric: str, label: str
) -> None:
    found = read_label(joint.join([graph, metric][::order]))
    assert found.metric is not None
    assert (found.metric.label, found.graphs) == (label, (graph,))


@pytest.mark.parametrize(
    ("text", "asked"),
    [("All numbers are in percent", False), ("On ten percent of the test triples", True)],
)
def test_what_is_in_percent_is_a_unit_and_no_part(text: str, asked: bool) -> None:
    assert ("percent" in {word.text for word in read_label(text).words}) is asked
    assert read_label("MRR (in percent)").percent
    assert read_label("MRR [percent]").percent


@pytest.mark.parametrize("word", ["sub", "obj", "subj"])
def test_what_may_be_a_side_is_asked_with_the_sides(word: str) -> None:
    (question,) = rankconst.adjust(
        read_opened(Document("a.csv", f"dataset,MRR ({word})\nUMLS,.5\n")), errors="note"
    ).asked
    assert "such as head or tail" in question.remedy


@pytest.mark.parametrize("name", ["MovieLens-1M", "Pinterest", "ML-1M"])
def test_one_candidate_is_asked_about_by_its_key(name: str) -> None:
    (question,) = rankconst.adjust(
        read_opened(Document("a.csv", f"dataset,HR@10\n{name},.5\n")), errors="note"
    ).asked
    assert "several" not in question.text
    assert question.remedy.startswith('dataset="ncf_')
