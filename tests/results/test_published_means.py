"""Published results of foundation models, in the forms that programs and papers give them: right tasks, right means."""

from pathlib import Path

import pytest

import rankconst
from carried import open_once
from pages import ROOT
from rankconst.catalogue.literature import SuiteResult, list_suite_results, load_suites
from rankconst.catalogue.tools import parse_tool
from rankconst.results.formats import read_document

ULTRA = parse_tool("ultra")
# Unweighted means that the same reports give: MRR and Hits@10, over 18 and over 23 graphs.
MEANS = {
    "ULTRA 3g": {"ultra_inductive_e": ("0.4158", "0.5684"), "ultra_inductive_er": ("0.3421", "0.5098")},
    "TRIX": {"ultra_inductive_e": ("0.4562", "0.5931"), "ultra_inductive_er": ("0.3679", "0.5409")},
}  # fmt: skip


def of(model: str) -> list[SuiteResult]:
    return [each for each in list_suite_results() if each.model == model]


@pytest.mark.parametrize("model", MEANS)
def test_a_rerun_has_the_ranks_and_means_that_it_says(model: str) -> None:
    assert {each.dataset for each in of(model)} == {*load_suites()["ultra_inductive"].graphs}
    for each in of(model):
        if each.dataset in open_once().datasets:
            split = ULTRA.find_split(each.dataset, "test")
            found = open_once().constants(each.dataset, "mrr", split=split)
            assert found.num_tasks == each.num_tasks
    for suite, printed in MEANS[model].items():
        own = [each for each in of(model) if each.dataset in load_suites()[suite].graphs]
        for name, mean in zip(("mrr", "hits_at_10"), printed, strict=True):
            values = [float(getattr(each, name)) for each in own]
            # Both are rounded to four digits.
            assert sum(values) / len(own) == pytest.approx(float(mean), abs=1.0001e-4)


# ULTRA's README at 427966ad8ed60420eef034063d44f3153addff90, the table of its checkpoints.
README = """
<table>
  <tr><th rowspan=2>Model</th>
    <th colspan=2>Inductive (e) (18 graphs)</th><th colspan=2>Inductive (e,r) (23 graphs)</th></tr>
  <tr><th>MRR</th><th>Hits@10</th><th>MRR</th><th>Hits@10</th></tr>
  <tr><th>ULTRA (3g) Paper</th><td>0.430</td><td>0.566</td><td>0.345</td><td>0.512</td></tr>
  <tr><th>ULTRA (4g) PyG</th><td>0.444</td><td>0.588</td><td>0.344</td><td>0.513</td></tr>
</table>
"""


def test_means_alone_are_those_of_the_suites_that_headings_name(tmp_path: Path) -> None:
    path = tmp_path / "README.md"
    path.write_text(f"Zero-shot performance of the checkpoints\n{README}", encoding="utf-8")
    found = rankconst.adjust(path).numbers
    tasks = {}
    for each in found.entries:
        assert each.constants is not None
        tasks[each.entry.text] = each.constants.tasks.dataset
    assert (tasks["0.430"], tasks["0.588"]) == ("ultra_inductive_e", "ultra_inductive_e")
    assert (tasks["0.345"], tasks["0.513"]) == ("ultra_inductive_er", "ultra_inductive_er")
    assert [tool.key for tool in found.tools] == ["ultra"]
    assert all("the constants are of" in note for note in found.notes.values())


@pytest.mark.parametrize(
    ("text", "suite"),
    [
        ("| Model | Total Avg (57 graphs) MRR |\n|---|---|\n| A | 0.366 |\n", "ultra_57"),
        ("| Model | graphs | MRR |\n|---|---|---|\n| A | Total Avg (54 graphs) | 0.366 |\n", "ultra_zero_shot"),
        # TRIX (arXiv:2502.19512) and others write its name in two lines.
        (
            r"\begin{tabular}{lrr} & Inductive $(e,r)$ & Inductive $e$ \\ & (23 graphs) & (18 graphs) \\"
            r"Model & MRR & MRR \\ TRIX & 0.368 & 0.455 \\ \end{tabular}",
            "ultra_inductive_er",
        ),
    ],
)  # fmt: skip
def test_a_heading_or_a_cell_may_name_a_suite(text: str, suite: str) -> None:
    entry = rankconst.adjust(read_document("a", text)).numbers.entries[0]
    assert entry.constants is not None and entry.constants.tasks.dataset == suite


@pytest.mark.parametrize(
    "heading", ["Inductive (e) (12 graphs)", "Inductive (18 graphs)", "Transductive (14 graphs)"]
)
def test_other_numbers_of_graphs_name_no_suite(heading: str, tmp_path: Path) -> None:
    path = tmp_path / "own.md"
    path.write_text(f"| Model | {heading} MRR |\n|---|---|\n| A | 0.4 |\n", encoding="utf-8")
    with pytest.raises(rankconst.RankconstError):
        rankconst.adjust(path)


def test_the_page_about_averages_has_the_graphs_where_counting_wins() -> None:
    page = (ROOT / "docs/averages.md").read_text(encoding="utf-8")
    rows = [line.strip("| ").split(" | ") for line in page.splitlines() if line[:2] == "| "]
    shown, kept, gains = [], [], []
    for ultra, trix in zip(of("ULTRA 3g"), of("TRIX"), strict=True):
        if ultra.dataset not in open_once().datasets:
            continue
        split = ULTRA.find_split(ultra.dataset, "test")
        chance, counting = (
            open_once().constants(ultra.dataset, "mrr", split=split, baseline=name).expectation
            for name in ("uniform", "counting")
        )
        kept.append([chance, counting, float(ultra.mrr), float(trix.mrr)])
        gains.append(ultra.num_tasks * (float(ultra.mrr) - counting))
        if counting >= min(kept[-1][2:]):
            shown.append([f"{chance:.4f}", f"{counting:.4f}", ultra.mrr, trix.mrr])
    means = [f"{sum(column) / len(kept):.4f}" for column in zip(*kept, strict=True)]
    assert [row[1:] for row in rows[1:]] == [*shown, means]
    assert rows[-1][0] == f"mean of {len(kept)}"
    total = sum(each.num_tasks for each in of("TRIX") if each.dataset in open_once().datasets)
    said = f"ranks of the {len(kept)} graphs ULTRA is {sum(gains) / total:.3f} above counting"
    assert said in " ".join(page.split())
