"""Rows and columns called Average beside graphs: their mean, held against them, and never adjusted
on one of them.
"""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

import rankconst
from cases import for_each
from rankconst.catalogue.literature import suggest_suites
from rankconst.errors import AskedError, UsageError

# MRR of ULTRA 3g, zero-shot, on GraIL's graphs from FB15k-237 (Galkin et al. 2024,
# arXiv:2310.04562), and their mean.
VALUES = (0.498, 0.512, 0.491, 0.486, 0.497)
GRAPHS = [f"FB15k-237 v{version}" for version in range(1, 5)]


def write_rows(word: str) -> str:
    rows = zip([*GRAPHS, word], VALUES, strict=True)
    return "dataset,MRR\n" + "".join(f"{name},{value}\n" for name, value in rows)


def write_columns(word: str) -> str:
    named = ",".join(f"{name} MRR" for name in [*GRAPHS, word])
    return f"model,{named}\nULTRA,{','.join(map(str, VALUES))}\n"


def write_joined(word: str) -> str:
    return re.sub(r"(?<=\w) MRR", "-MRR", write_columns(word))


def write_versions(word: str) -> str:
    return (
        f"## FB15k-237\n\n| Model | v1 | v2 | v3 | v4 | {word} |\n|---|---|---|---|---|---|\n"
        f"| ULTRA | {' | '.join(map(str, VALUES))} |\n"
    )


def write_version_columns(word: str) -> str:
    return f"model,dataset,v1,v2,v3,v4,{word}\nULTRA,FB15k-237,{','.join(map(str, VALUES))}\n"


def write_version_rows(word: str) -> str:
    rows = zip(["v1", "v2", "v3", "v4", word], VALUES, strict=True)
    return "dataset,version,MRR\n" + "".join(f"FB15k-237,{name},{value}\n" for name, value in rows)


def write_group(word: str) -> str:
    heading, rule, row = write_versions(word).splitlines()[2:]
    return "\n".join([heading, rule, "| **FB15k-237** | | | | | |", row, ""])


def write_unnamed(word: str) -> str:
    rows = zip(["v1", "v2", "v3", "v4", word], VALUES, strict=True)
    lines = "".join(f"| {name} | {value} |\n" for name, value in rows)
    return f"## FB15k-237\n\n| | MRR |\n|---|---|\n{lines}"


def write_keys(word: str) -> str:
    rows = zip(["v1", "v2", "v3", "v4", word], VALUES, strict=True)
    return json.dumps({"FB15k-237": {name: {"MRR": value} for name, value in rows}})


def write_levels(word: str) -> str:
    return (
        "\\begin{tabular}{lrrrrr}\n& \\multicolumn{5}{c}{FB15k-237} \\\\\n"
        f"Model & v1 & v2 & v3 & v4 & {word} \\\\\n\\midrule\n"
        f"ULTRA & {' & '.join(map(str, VALUES))} \\\\\n\\end{{tabular}}\n"
    )


def write_objects(word: str) -> str:
    return json.dumps({"MRR": dict(zip([*GRAPHS, word], VALUES, strict=True))})


WRITERS = {
    "metrics.json": write_objects,
    "rows.csv": write_rows,
    "columns.csv": write_columns,
    "joined.csv": write_joined,
    "versions.md": write_versions,
    "versions.csv": write_version_columns,
    "version.csv": write_version_rows,
    "bold.md": write_group,
    "unnamed.md": write_unnamed,
    "keys.json": write_keys,
    "levels.tex": write_levels,
}


CASES = [(name, word) for name in WRITERS for word in ("Average", "mean")]
CASES += [("levels.tex", "Total Avg"), ("metrics.json", "Avg"), ("version.csv", "all")]


@pytest.fixture(params=CASES)
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """The same table in every container."""
    name, word = request.param
    return save(tmp_path, WRITERS[name](word), name=name)


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    return save(tmp_path, write_rows("Average"))


def find_adjusted(
    path: Path, dataset: str | None = None, tool: str | None = None
) -> dict[str, str]:
    """Return the dataset of each number that was adjusted."""
    found = rankconst.adjust(path, metric="mrr", errors="note", dataset=dataset, tool=tool).numbers
    return {
        text: each.constants.tasks.dataset
        for each in found.done
        for text in (found.reading.entries[place].text for place in each.published.index.tolist())
    }


GRAIL = {
    str(value): f"fb15k237_v{version}_ind" for version, value in enumerate(VALUES[:4], start=1)
}
SUITE = "grail_fb15k237"


def change_mean(path: Path, value: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count("0.497") == 1
    path.write_text(text.replace("0.497", value), encoding="utf-8")


def test_a_mean_is_that_of_the_graphs_beside_it(path: Path) -> None:
    assert find_adjusted(path, tool="ultra") == {**GRAIL, "0.497": SUITE}
    found = rankconst.adjust(path, metric="mrr", tool="ultra").numbers
    assert found.asked == ()
    (own,) = (each for each in found.entries if each.entry.text == "0.497")
    assert own.note == "mean of the 4 datasets next to it."
    expected = rankconst.constants(SUITE, "mrr")
    assert own.constants is not None
    assert own.constants.expectation == expected.expectation
    assert own.constants.variance == expected.variance


@pytest.mark.parametrize("value", ["0.522", "0.495", "0.499"])
def test_what_is_not_their_mean_is_asked_about_and_found(rows: Path, value: str) -> None:
    change_mean(rows, value)
    assert find_adjusted(rows, tool="ultra") == GRAIL
    (question,) = rankconst.adjust(rows, metric="mrr", tool="ultra").asked
    assert "is a mean over graphs, and not that of the 4 numbers next to it" in str(question)
    checked = rankconst.check(rows, metric="mrr", tool="ultra", rules=["mean-of-rows"])
    (finding,) = checked.findings
    assert (finding.severity, [m.entry.text for m in finding.values]) == ("warning", [value])
    assert "is not the mean of the 4 numbers next to it, which is 0.4967." in finding.statement


@pytest.mark.parametrize("value", ["0.496", "0.497", "0.5", "0.4967"])
def test_rounding_is_no_contradiction(rows: Path, value: str) -> None:
    change_mean(rows, value)
    assert find_adjusted(rows, tool="ultra") == {**GRAIL, value: SUITE}
    checked = rankconst.check(rows, tool="ultra", rules=["mean-of-rows"])
    assert (checked.findings, checked.asked) == ((), ())


def save(folder: Path, *lines: str, name: str = "own.csv") -> Path:
    path = folder / name
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")
    return path


def average(*constants: rankconst.Constants) -> float:
    return sum(each.expectation for each in constants) / len(constants)


def test_a_mean_over_any_graphs_has_their_constants(tmp_path: Path) -> None:
    path = save(tmp_path, "dataset,MRR", "FB15k-237,0.3", "WN18RR,0.5", "Nations,0.8", "Mean,0.533")
    (own,) = (each for each in rankconst.adjust(path).numbers.entries if each.entry.text == "0.533")
    graphs = [rankconst.constants(key, "mrr") for key in ("fb15k237", "wn18rr", "nations")]
    assert own.constants is not None
    assert own.constants.tasks.dataset == "fb15k237+wn18rr+nations"
    assert own.constants.expectation == pytest.approx(average(*graphs), rel=1e-13)
    variance = sum(each.variance for each in graphs) / 9
    assert own.constants.variance == pytest.approx(variance, rel=1e-12)


def test_a_mean_waits_for_the_answers_about_its_numbers(path: Path) -> None:
    with pytest.raises(AskedError, match="may be fb15k237_v1_ind or fb15k237_v1"):
        rankconst.adjust(path, metric="mrr")
    asked = rankconst.adjust(path, metric="mrr", errors="note").asked
    assert [question.numbers for question in asked] == [(place, 4) for place in range(4)]


def test_a_mean_next_to_one_version_is_asked_about(tmp_path: Path) -> None:
    keys = {"FB15k-237": {"v1": {"MRR": 0.498}, "average": {"MRR": 0.497}}}
    for path in (
        save(tmp_path, "model,dataset,v1,Mean", "A,FB15k-237,0.498,0.497"),
        save(tmp_path, json.dumps(keys), name="keys.json"),
    ):
        assert find_adjusted(path, dataset="inductive") == {"0.498": GRAIL["0.498"]}
        (question,) = rankconst.adjust(path, metric="mrr", dataset="inductive", errors="note").asked
        assert "is a mean over graphs" in question.text


def test_graphs_without_constants_are_counted(tmp_path: Path) -> None:
    path = save(
        tmp_path, "dataset,MRR", "FB15k-237,0.3", "Graph of our own,0.5", "WN18RR,0.5",
        "Another of ours,0.3", "Nations,0.8", "Mean,0.48",
    )  # fmt: skip
    found = rankconst.adjust(path).numbers
    assert found.asked == ()
    assert found.notes[5] == "mean of 5 numbers, 2 without constants: not adjusted."
    assert set(find_adjusted(path).values()) == {"fb15k237", "wn18rr", "nations"}


FIRST, SECOND = "fb15k237_v1_ind+fb15k237_v2_ind", "wn18rr_v1_ind+wn18rr_v2_ind"
BOTH = "fb15k237+wn18rr"
GROUPS = (
    "FB15k-237 v1,0.498", "FB15k-237 v2,0.512", "Avg,0.505", "WN18RR v1,0.648", "WN18RR v2,0.663", "Avg,0.656",
)  # fmt: skip
OF_GROUPS = {
    "0.498": "fb15k237_v1_ind", "0.512": "fb15k237_v2_ind", "0.505": FIRST,
    "0.648": "wn18rr_v1_ind", "0.663": "wn18rr_v2_ind", "0.656": SECOND,
}  # fmt: skip
# Rows, below "dataset,MRR" if they have no heading, options, and the dataset of each number that is adjusted.
TABLES: dict[str, tuple[tuple[str, ...], dict[str, str], dict[str, str]]] = {
    "means of groups and of all": ((*GROUPS, "Total Avg,0.580"), {"tool": "ultra"}, OF_GROUPS | {"0.580": f"{FIRST}+{SECOND}"}),
    "the mean of all is also that of the last": (
        ("FB15k-237,0.4", "WN18RR,0.60", "Avg,0.50", "UMLS,0.3", "Nations,0.7", "Overall,0.500"), {},
        {"0.4": "fb15k237", "0.60": "wn18rr", "0.50": BOTH, "0.3": "umls", "0.7": "nations", "0.500": f"{BOTH}+umls+nations"},
    ),
    "beside means of groups none is of a suite": ((*GROUPS[:5], "Avg,0.4"), {"dataset": "grail_12"}, {key: value for key, value in OF_GROUPS.items() if value != SECOND}),
    "two names of one mean": (
        ("FB15k-237,0.3", "WN18RR,0.5", "Avg,0.40", "Average,0.4"), {}, {"0.3": "fb15k237", "0.5": "wn18rr", "0.40": BOTH, "0.4": BOTH},
    ),
    "a graph that comes twice": (("FB15k-237,0.3", "WN18RR,0.5", "WN18RR,0.52", "Avg,0.44"), {}, {"0.3": "fb15k237", "0.5": "wn18rr", "0.52": "wn18rr"}),
    "splits are not mixed": (("dataset,split,MRR", "FB15k-237,test,0.3", "WN18RR,valid,0.5", "Mean,test,0.4"), {}, {"0.3": "fb15k237", "0.5": "wn18rr"}),
    "splits have means of their own": (
        ("dataset,split,MRR", "FB15k-237,test,0.3", "FB15k-237,valid,0.7", "WN18RR,test,0.5", "WN18RR,valid,0.9", "Mean,test,0.4", "Mean,valid,0.8"), {},
        {"0.3": "fb15k237", "0.7": "fb15k237", "0.5": "wn18rr", "0.9": "wn18rr", "0.4": BOTH, "0.8": BOTH},
    ),
    **{
        f"at the edge of rounding, {mean}": (("FB15k-237,0.3", "WN18RR,0.7", f"Avg,{mean}"), {}, {"0.3": "fb15k237", "0.7": "wn18rr", mean: BOTH})
        for mean in ("0.4", "0.5", "0.6")
    },
    "another question": (("dataset,MRR,note", "FB15k-237,0.3,", "WN18RR,0.5,", "Avg,0.4,of dev"), {}, {"0.3": "fb15k237", "0.5": "wn18rr"}),
    "a tool that leaves out ranks": (("FB15k-237,0.3", "WN18RR,0.5", "Avg,0.4"), {"tool": "conve"}, {"0.3": "fb15k237", "0.5": "wn18rr"}),
    "more numbers than a suite has graphs": (
        (*(f"{name},{value}" for name, value in zip(GRAPHS, VALUES, strict=False)), "FB15k-237 v4,0.4861", "Avg,0.6"), {"dataset": SUITE},
        GRAIL | {"0.4861": "fb15k237_v4_ind"},
    ),
    "the name of a graph answers no mean": ((*GROUPS[:3],), {"dataset": "fb15k237_v1_ind", "tool": "ultra"}, {"0.498": "fb15k237_v1_ind"}),
    "a suite leaves other graphs out": (("WN18RR,0.5", "FB15k-237 v1,0.498"), {"dataset": SUITE}, {"0.498": "fb15k237_v1_ind"}),
}  # fmt: skip


@pytest.mark.parametrize("case", TABLES)
def test_which_numbers_are_adjusted_and_of_which_graphs(tmp_path: Path, case: str) -> None:
    rows, options, expected = TABLES[case]
    heading = [] if rows[0].startswith("dataset,") else ["dataset,MRR"]
    assert find_adjusted(save(tmp_path, *heading, *rows), **options) == expected


def test_a_number_that_equals_no_mean_is_held_against_those_before_it(tmp_path: Path) -> None:
    rows = "FB15k-237,0.3", "WN18RR,0.5", "Avg,0.9", "UMLS,0.6", "Nations,0.7", "Kinships,0.8"
    (question,) = rankconst.adjust(save(tmp_path, "dataset,MRR", *rows)).asked
    assert "not that of the 2 numbers next to it" in question.text


def test_a_suite_leaves_questions_out(tmp_path: Path) -> None:
    table = "|" + write_rows("Average").replace(",", "|").replace("\n", "|\n|").rstrip("|")
    table = table.replace("\n", "\n|---|---|\n", 1)
    path = save(tmp_path, "Results among 50 sampled candidates", "", table, name="own.md")
    assert find_adjusted(path, dataset=SUITE) == {}


def test_beside_head_and_tail_an_average_is_that_of_both_sides(tmp_path: Path) -> None:
    path = save(tmp_path, "model,head MRR,tail MRR,Avg MRR", "A,0.3,0.4,0.35")
    assert find_adjusted(path, dataset="wn18rr") == dict.fromkeys(("0.3", "0.4", "0.35"), "wn18rr")
    path = save(tmp_path, "model,dataset,Mean Rank,Average Rank", "A,WN18RR,400,410")
    assert rankconst.adjust(path, metric="mr", errors="note").numbers.done


def test_models_have_means_of_their_own_that_are_no_further_graph(tmp_path: Path) -> None:
    rows = ("FB15k-237", 0.3), ("WN18RR", 0.5), ("Average", 0.4)
    models = ("A", 0.0), ("B", -0.1)
    lines = [f"{model},{name},{value + off:.1f}" for model, off in models for name, value in rows]
    path = save(tmp_path, "model,dataset,MRR", *lines)
    done = [each for each in rankconst.adjust(path).numbers.entries if each.constants]
    means = [each for each in done if str(each.constants.tasks).startswith("fb15k237+wn18rr/")]
    assert [each.entry.context.model for each in means] == ["A", "B"]
    (across,) = rankconst.compare(path).across
    assert across.datasets == ("fb15k237", "wn18rr")


def test_the_name_of_a_suite_does_and_has_its_tool(rows: Path) -> None:
    assert find_adjusted(rows, dataset=SUITE) == {**GRAIL, str(VALUES[4]): SUITE}
    with pytest.raises(UsageError, match="leave out --tool pykeen"):
        rankconst.adjust(rows, metric="mrr", dataset=SUITE, tool="pykeen")


def test_a_suite_has_the_mean_beside_fewer_graphs(rows: Path) -> None:
    change_mean(rows, "0.522")
    assert find_adjusted(rows, dataset="grail_12") == {**GRAIL, "0.522": "grail_12"}
    found = rankconst.adjust(rows, metric="mrr", dataset="grail_12").numbers
    (note,) = set(found.notes.values())
    assert note == "not the mean of the 4 numbers next to it: taken as that of grail_12."


def test_but_neither_the_mean_of_these_nor_a_wrong_one_beside_all(rows: Path) -> None:
    joined = rankconst.adjust(rows, metric="mrr", dataset="grail_12").numbers
    (mean,) = (each for each in joined.entries if each.entry.text == str(VALUES[4]))
    assert mean.constants is not None
    assert mean.constants.tasks.dataset == SUITE
    change_mean(rows, "0.522")
    assert find_adjusted(rows, dataset=SUITE) == GRAIL


def test_numbers_of_a_frame_are_rounded_as_they_are_written() -> None:
    pandas = pytest.importorskip("pandas")
    keys = ("fb15k237", "wn18rr", "nations")
    expected = average(*(rankconst.constants(key, "mrr") for key in keys))
    for written, percent in (([0.3, 0.5, 0.8, 0.533], False), ([30.0, 50.0, 80.0, 53.3], True)):
        frame = pandas.DataFrame(
            {"dataset": ["FB15k-237", "WN18RR", "Nations", "Average"], "MRR": written}
        )
        found = rankconst.adjust(frame, percent=percent)
        assert found["AMRR"].iloc[3] == pytest.approx(
            (0.533 - expected) / (1 - expected), rel=1e-12
        )


def test_graphs_that_a_tool_ranks_otherwise_have_one_mean(tmp_path: Path) -> None:
    """ULTRA tests on valid and test of GraIL's graphs, and on tails of NELL23k."""
    rows = "FB15k-237 v1,0.498", "WN18RR,0.48", "NELL23k,0.239", "Average,0.406"
    found = rankconst.adjust(save(tmp_path, "dataset,MRR", *rows), tool="ultra").numbers
    (own,) = (each for each in found.entries if each.entry.text == "0.406")
    expected = average(
        rankconst.constants("fb15k237_v1_ind", "mrr", split="valid+test"),
        rankconst.constants("wn18rr", "mrr"),
        rankconst.constants("nell23k", "mrr", side="tail"),
    )
    assert own.constants is not None
    assert own.constants.expectation == pytest.approx(expected, rel=1e-13)


CAPTION = "Average zero-shot MRR over ULTRA's 41 inductive graphs."
ASKED = "add --dataset ultra_inductive"


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        # Its graphs are not there.
        (f"{CAPTION}\n\n| Model | MRR |\n|---|---|\n| A | 0.43 |\n", f"{ASKED} if it is their mean"),
        # Some of its graphs are, with another mean.
        (
            f"{CAPTION}\n\n| Model | WN18RR v1 | WN18RR v2 | Average |\n"
            "|---|---|---|---|\n| A | 0.6 | 0.7 | 0.43 |\n",
            "not that of the 2 numbers next to it: " + ASKED,
        ),
        (
            "\\begin{table}\\caption{" + CAPTION + "}\\begin{tabular}{lr}"
            "Model & Average \\\\ A & 0.43 \\\\\\end{tabular}\\end{table}",
            f"{ASKED} if it is their mean",
        ),
    ],
)  # fmt: skip
def test_a_caption_that_counts_graphs_names_the_suite_to_add(
    text: str, asked: str, tmp_path: Path
) -> None:
    """What it suggests settles the question."""
    path = save(tmp_path, text, name="own.tex" if "tabular" in text else "own.md")
    asks = rankconst.adjust(path, metric="mrr", tool="ultra", errors="note").asked
    assert any(asked in str(replace(ask, in_python=False)) for ask in asks)
    found = rankconst.adjust(path, metric="mrr", dataset="ultra_inductive")
    (own,) = (each for each in found.numbers.entries if each.entry.text == "0.43")
    assert found.asked == ()
    assert own.constants is not None
    assert own.constants.tasks.dataset == "ultra_inductive"
    found = rankconst.adjust(path, metric="mrr", dataset="ultra_57", errors="note")
    assert all(
        each.constants is None for each in found.numbers.entries if each.entry.text == "0.43"
    )


@for_each(
    ("text", "keys"),
    [
        ("the 13 graphs of InGram", ("ingram_13",)),
        ("13 transductive graphs", ("ultra_transductive",)),
        ("12 GraIL graphs", ("grail_12",)),
        ("over 57 KGs, as ULTRA", ("ultra_57",)),
        # A number alone suggests none, unless one suite has as many.
        ("Results on 41 graphs of ours", ("ultra_inductive",)),
        ("over 14 inductive graphs", ()),
        ("Table 12: the mean", ()),
        ("objective_2023-09-18_19-21, lr=2e-4", ()),  # letters alone are in all texts
    ],
)
def test_suites_are_suggested_by_their_size_and_words(text: str, keys: tuple[str, ...]) -> None:
    assert suggest_suites(text) == keys


def test_models_in_columns_are_compared_by_their_names(tmp_path: Path) -> None:
    rows = "FB15k-237 v1,0.498,0.515", "WN18RR,0.48,0.514", "NELL23k,0.239,0.246"
    found = rankconst.compare(save(tmp_path, "dataset,ULTRA MRR,TRIX MRR", *rows), tool="ultra")
    assert {each.names for each in found.standings} == {("TRIX", "ULTRA")}
    (across,) = found.across
    assert across.datasets == ("fb15k237_v1_ind", "wn18rr", "nell23k")


# ULTRA 3g, zero-shot, in full: MRR and Hits@10 of a public re-run on these graphs,
# https://github.com/LckyLke/sotaKGFMs/blob/bec8a92edf8d2670c15ef0e1b6429692127c7aab/reports/ultra.md
FULL = (
    ("0.48626020550727844", "0.6569343209266663"), ("0.5005503296852112", "0.6942977905273438"),
    ("0.4821169376373291", "0.6444251537322998"), ("0.4768695831298828", "0.6707746386528015"),
)  # fmt: skip


def test_a_mean_over_graphs_is_checked_as_one(tmp_path: Path) -> None:
    """It is no multiple of one over the number of all ranks."""
    rows = [f"{name},{mrr},{hits}" for name, (mrr, hits) in zip(GRAPHS, FULL, strict=True)]
    mrr, hits = (sum(float(row[i]) for row in FULL) / 4 for i in range(2))
    path = save(tmp_path, "dataset,MRR,Hits@10", *rows, f"Average,{mrr},{hits}")
    assert rankconst.check(path, dataset=SUITE).findings == ()
    assert rankconst.check(path, tool="ultra").findings == ()
    path = save(tmp_path, "model,MRR,Hits@10", "ULTRA,0.5,0.2")
    (finding,) = rankconst.check(path, dataset="grail_12", rules=["mrr-from-hits"]).findings
    assert finding.severity == "error"


def test_a_suite_with_graphs_that_lack_is_checked_without_counting(tmp_path: Path) -> None:
    path = save(tmp_path, "model,MRR,Hits@10", "ULTRA,0.38,0.54", "TRIX,0.41,0.56")
    assert rankconst.check(path, dataset="ultra_inductive").findings == ()
