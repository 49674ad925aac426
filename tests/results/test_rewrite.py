"""Documents with their numbers exchanged: what changes, what stays to the last byte, and what marks
the best.
"""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankconst
from rankconst.errors import DataError, UnknownNameError
from rankconst.evaluation import Address
from rankconst.results.batches import adjust_reading
from rankconst.results.document import Document, open_document
from rankconst.results.formats import read_opened
from rankconst.results.rewrite import Rewritten, choose_metrics, parse_exchange, rewrite
from rankconst.values.published import Published

if TYPE_CHECKING:
    from pathlib import Path

TABLES = rankconst.load()


def exchange(text: str | Document, *names: str, name: str = "paper.tex", **said: Any) -> Rewritten:
    document = text if isinstance(text, Document) else Document(name, text)
    reading = read_opened(document)
    asked = [parse_exchange(each) for each in names]
    user = Address(**said)
    adjusted = adjust_reading(reading, TABLES, user, metrics=choose_metrics(reading, asked))
    return rewrite(document, adjusted, asked, percent=user.percent)


def changes(before: str, after: str) -> list[tuple[str, str]]:
    """The pieces that differ, without the comment on top."""
    body = "".join(
        line for line in after.splitlines(keepends=True) if not re.match("% |<!-- ", line)
    )
    pieces = re.compile(r"[\w.@-]+|\W")
    old, new = pieces.findall(before), pieces.findall(body)
    found = difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return [("".join(old[a:b]), "".join(new[c:d])) for what, a, b, c, d in found if what != "equal"]


def index(dataset: str, metric: str, value: float, decimals: int, unit: float = 1.0) -> str:
    """The index by its formula, from the expectation alone."""
    expected, best = TABLES.constants(dataset, metric).expectation, 1.0
    return f"{(value / unit - expected) / (best - expected) * unit:.{decimals}f}"


PAPER = r"""\documentclass{article}
\usepackage{booktabs,multirow}
\begin{document}
An MRR of 0.294 in 2019, and Hits@10 of 46.5. % 0.338
\begin{table}
\caption{Of 357 results, MRR}
\begin{tabular}{l@{\hskip 0.5em}rrrrr}
\toprule
\multirow{2}{*}{Model} & \multicolumn{3}{c}{FB15k-237} & \multicolumn{2}{c}{WN18RR} \\ % 0.294
\cmidrule(lr){2-4} \cmidrule(lr){5-6}
 & MR & MRR & Hits@10 (\%) & MRR & MR \\
\midrule
TransE & 357 & 0.294 & 46.5 & 0.226$^*$ & 3384 \\[0.5ex]
RotatE & \textbf{177} & \textbf{0.338} & \textbf{53.3}\footnote{0.338!} & $\mathbf{0.476}$ & 3{,}340 \\
Mine   & 30 & n/a & 1 & .477 $\pm$ .002 & -- \\
\bottomrule
\end{tabular}
\end{table}
\end{document}
"""


# A number in the notations of documents: v is the value, d its deviation, l that in last digits.
NOTATIONS = (
    "<v>", r"\textbf{<v>}", "$<v>$", r"<v>$^*$", r"<v> $\pm$ <d>", r"$<v>_{\pm <d>}$", r"<v>(<l>)",
    r"\underline{<v>} {\scriptsize $\pm$ <d>}", r"<v>\%", r"$<v>$ \%", r"\textbf{<v> $\pm$ <d>}\%",
    r"\textbf{<v> $\pm$ <d>}", r"\textbf{<v> \%}",
)  # fmt: skip


def fill(notation: str, value: str, deviation: str, last: str) -> str:
    return notation.replace("<v>", value).replace("<d>", deviation).replace("<l>", last)


def replace_mrr(cell: str, name: str) -> str:
    """What becomes of the MRR of a model on Kinships."""
    table = f"\\begin{{tabular}}{{lc}}\nModel & MRR \\\\\nA & {cell} \\\\\n\\end{{tabular}}\n"
    (row,) = re.findall(r"A & (.*) \\\\", exchange(table, name, dataset="kinships").source)
    return str(row)


@given(st.sampled_from(NOTATIONS), st.integers(20, 999), st.integers(1, 9), st.booleans())
def test_whatever_the_notation_only_the_number_and_its_deviation_change(
    notation: str, thousandths: int, last: int, bare: bool
) -> None:
    unit, decimals = (100, 1) if "%" in notation else (1, 3)
    value, deviation = (f"{each / 1000 * unit:.{decimals}f}" for each in (thousandths, last))
    if bare and unit == 1:
        value, deviation = value.lstrip("0"), deviation.lstrip("0")
    cell = fill(notation, value, deviation, str(last))
    chance = TABLES.constants("kinships", "mrr").expectation
    adjusted = (thousandths / 1000 - chance) / (1 - chance) * unit
    half = 0.51 * 10**-decimals
    pattern = fill(re.escape(notation), r"(?P<v>-?\d*\.\d+)", r"(?P<d>\d*\.\d+)", r"(?P<l>\d+)")
    match = re.fullmatch(pattern, replace_mrr(cell, "AMRR"))
    assert match is not None
    assert float(match["v"]) == pytest.approx(adjusted, abs=half)
    assert match["v"].lstrip("-").startswith(".") == value.startswith(".")
    widened = last / 1000 * unit / (1 - chance)
    if "<d>" in notation:
        assert float(match["d"]) == pytest.approx(widened, abs=half)
    if "<l>" in notation:
        assert int(match["l"]) * 10**-decimals == pytest.approx(widened, abs=half)
    # Behind the deviation and the sign, with their markup, or else the number.
    place = cell.index(value) + len(value)
    if unit == 100 or re.search("<[dl]>", notation):
        place = len(cell)
    both = replace_mrr(cell, "both")
    match = re.fullmatch(r" / (-?\d*\.\d+)(\\%)?", both[place : place + len(both) - len(cell)])
    assert match is not None
    assert both == cell[:place] + match[0] + cell[place:]
    assert float(match[1]) == pytest.approx(adjusted, abs=half)
    assert (match[2] is not None) == (unit == 100)


@pytest.mark.parametrize("cell", ["**95.0**%", "95.0%", "<u>95.0</u>%", "$95.0$ %"])
def test_a_z_is_no_percentage(cell: str) -> None:
    done = exchange(
        f"# Kinships\n\n| M | Hits@10 |\n|--|--|\n| A | {cell} |\n| B | 91.0 |\n", "z", name="a.md"
    )
    assert f"| A | {cell} |" in done.source
    assert "is not a percentage; remove the sign" in done.notes[0][1]


def test_numbers_and_headings_change_and_nothing_else() -> None:
    done = exchange(PAPER, "index")
    assert changes(PAPER, done.source) == [
        ("MR", "AMRI"), ("MRR", "AMRR"), ("Hits@10", "AH@10"), ("MRR", "AMRR"), ("MR", "AMRI"),
        ("357", index("fb15k237", "mr", 357, 4)), ("0.294", index("fb15k237", "mrr", 0.294, 3)),
        ("3384", index("wn18rr", "mr", 3384, 4)), ("177", index("fb15k237", "mr", 177, 4)),
        ("3{,}340", index("wn18rr", "mr", 3340, 4)), ("30", index("fb15k237", "mr", 30, 4)),
        ("1", index("fb15k237", "hits@10", 1, 1, 100)),
    ]  # fmt: skip
    # Fewer decimals than chance changes: 46.5 % stay 46.5 %.
    assert index("fb15k237", "hits@10", 46.5, 1, 100) == "46.5"
    assert (done.replaced, done.notes) == (13, ())


def test_one_metric_one_form_or_both_numbers() -> None:
    assert {old for old, _ in changes(PAPER, exchange(PAPER, "AMRR").source)} == {"MRR", "0.294"}
    both = exchange(PAPER, "both").source
    assert f"\\textbf{{0.338 / {index('fb15k237', 'mrr', 0.338, 3)}}}" in both
    assert f".477 $\\pm$ .002 / {index('wn18rr', 'mrr', 0.477, 3)[1:]} &" in both
    assert "& MR / AMRI & MRR / AMRR &" in both
    known = TABLES.constants("fb15k237", "mrr")
    z = (0.338 - known.expectation) / known.variance**0.5
    assert f"\\textbf{{{z:.0f}}}" in exchange(PAPER, "ZMRR").source


@pytest.mark.parametrize(
    ("heading", "index", "normalised"),
    [
        (r"MR $\downarrow$", r"AMRI $\uparrow$", r"AMR $\downarrow$"),
        (r"\textbf{MR} ($\downarrow$)", r"\textbf{AMRI} ($\uparrow$)", r"\textbf{AMR} ($\downarrow$)"),
        ("MR↓", "AMRI↑", "AMR↓"),
        ("MR (lower is better)", "AMRI (higher is better)", "AMR (lower is better)"),
        ("MRR (the higher, the better)", "AMRR (the higher, the better)", None),
        (r"MRR $\uparrow$", r"AMRR $\uparrow$", None),
    ],
)  # fmt: skip
def test_directions_turn_with_the_metric(heading: str, index: str, normalised: str | None) -> None:
    value = 0.5 if "MRR" in heading else 1.5
    text = f"\\begin{{tabular}}{{lr}}\nDataset & {heading} \\\\\nNations & {value} \\\\\n\\end{{tabular}}\n"
    for form, shown in (("index", index), ("normalised", normalised)):
        assert shown is None or f"& {shown} \\\\" in exchange(text, form).source


def test_metrics_in_rows_and_percentages_without_a_sign() -> None:
    text = r"""\begin{table}\caption{Link prediction on WN18RR}
\begin{tabular}{lrr}
 & TransE & RotatE \\
MR $\downarrow$ & 3384 & \textbf{3340} \\
MRR & 0.226 & \textbf{0.476} \\
\end{tabular}
\end{table}
"""
    assert changes(text, exchange(text, "index").source) == [
        ("MR", "AMRI"), ("downarrow", "uparrow"), ("3384", index("wn18rr", "mr", 3384, 4)),
        ("3340", index("wn18rr", "mr", 3340, 4)), ("MRR", "AMRR"),
    ]  # fmt: skip
    rows = "| | MRR | Hits@10 |\n|---|---|---|\n| A | 64.8 | 97.5 ± 0.3 |\n| B | 73.9 | 98.1 |\n"
    slope = 100 / (100 - 100 * TABLES.constants("nations", "hits@10").expectation)
    text = f"## Nations\n\n{rows}"
    assert changes(text, exchange(text, "index", name="README.md").source) == [
        ("MRR", "AMRR"), ("Hits@10", "AH@10"), ("64.8", index("nations", "mrr", 64.8, 1, 100)),
        ("97.5", index("nations", "hits@10", 97.5, 0, 100)), ("0.3", f"{0.3 * slope:.0f}"),
        ("73.9", index("nations", "mrr", 73.9, 1, 100)), ("98.1", index("nations", "hits@10", 98.1, 0, 100)),
    ]  # fmt: skip


def test_the_files_own_line_ends_and_mark_stay(tmp_path: Path) -> None:
    path = tmp_path / "paper.tex"
    path.write_bytes(b"\xef\xbb\xbf" + PAPER.replace("\n", "\r\n", 12).encode())
    done = exchange(open_document(path), "AMRR").source.encode()
    assert done.startswith(b"\xef\xbb\xbf% Adjusted")
    assert done.count(b"\r\n") == 12 + 2
    plain = exchange(PAPER, "AMRR").source
    assert done.decode().lstrip("\ufeff").replace("\r\n", "\n") == plain


def test_what_stays_is_noted() -> None:
    text = r"""\begin{tabular}{llrr}
Model & Dataset & MRR & Hits@10 (\%) \\
A & FB15k-237 & 0.338 & 53.3 \\
B & Freebase86M & 0.700 & 53.3 \\
\end{tabular}
"""
    done = exchange(text, "z")
    assert "0.700" in done.source
    assert "& MRR &" in done.source
    assert "% Numbers that stay as published: 3." in done.source
    reasons = [note for _, note in done.notes]
    assert any("Freebase86M" in note for note in reasons)
    assert "the heading MRR stays as it is; rename it to ZMRR" in reasons
    assert [line for line, note in done.notes if "not a percentage" in note] == [3]


def test_a_number_for_several_rows_stays_if_they_differ() -> None:
    text = r"""\begin{tabular}{lr}
Dataset & MRR \\
Nations & \multirow{2}{*}{0.338} \\
WN18RR & \\
UMLS & 0.5 \\
\end{tabular}
"""
    done = exchange(text, "index")
    assert "{0.338}" in done.source
    assert [line for line, note in done.notes if "one number for several rows" in note] == [3, 4]


def test_what_macros_print_stays_as_it_may_be_printed_elsewhere() -> None:
    text = r"""\newcommand{\ours}{0.4}\newcommand{\best}[1]{\textbf{#1}}\newcommand{\mrr}{MRR}
Our \mrr{} is \ours.
\begin{tabular}{llr}
Model & Dataset & \mrr \\
RotatE & FB15k-237 & \best{0.338} \\
TransE & FB15k-237 & 0.294 \\
Ours & FB15k-237 & \ours \\
Other & FB15k-237 & 0.241\footnote{Not 0.241} \\
\end{tabular}
"""
    done = exchange(text, "index")
    # 0.338 stays the same to three digits.
    assert changes(text, done.source) == [("0.294", index("fb15k237", "mrr", 0.294, 3))]
    reasons = [note for _, note in done.notes]
    uncertain = "MRR stays as it is: its place in the text is uncertain"
    assert [note for note in reasons if note.endswith(uncertain)] == [uncertain, uncertain]
    assert any("stays as it is; rename it to AMRR" in note for note in reasons)


def test_a_table_with_a_question_stays_as_published() -> None:
    table = "| Model | Dataset | MRR |\n|---|---|---|\n| A | Nations | 0.4 |\n"
    asked = table.replace("| A |", "| Ours with dev embeddings |") + "| B | Nations | 0.5 |\n"
    done = exchange(f"{table}\n{asked}\nend\n\n", "index", name="README.md")
    assert "<!-- Numbers that stay as published: 2. -->\n" in done.source
    assert done.source.endswith(asked + "\nend\n\n")
    assert "| Model | Dataset | AMRR |" in done.source
    assert [line for line, note in done.notes if "its table has a question" in note] == [7, 8]


@pytest.mark.parametrize(
    ("form", "table", "expected"),
    [
        (
            "both",
            "| Model | Dataset | MRR |\n|---|---|---|\n| A | FB15k-237 | **0.241** (0.001) |\n",
            "| A | FB15k-237 | **0.241** (0.001) / 0.240 |",
        ),
        (
            "AMRR",
            "<table><tr><th>Dataset<th>MRR<th>Year</tr><tr><td>Nations</td><td><b>0.42</b><td>0.42</td></tr></table>\n",
            "<th>AMRR<th>Year</tr><tr><td>Nations</td><td><b>0.06</b><td>0.42</td>",
        ),
        (
            "AMRR",
            "| Dataset | Metric | Value |\n|---|---|---|\n| Nations | MRR | 0.42 |\n",
            "| Nations | AMRR | 0.06 |",
        ),
    ],
)
def test_markdown_and_its_html_are_rewritten_too(form: str, table: str, expected: str) -> None:
    assert expected in exchange(table, form, name="README.md").source


def test_a_number_of_a_kind_that_is_not_known_here_is_never_replaced(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Such as a fraction, 1/3: its digits times a unit are not its value."""
    third = Published("1/3", 1 / 3, 1 / 3, 1 / 3)
    monkeypatch.setattr("rankconst.results.rewrite.parse_value", lambda *_, **__: third)
    with pytest.raises(DataError, match="its place in the text is uncertain"):
        exchange(PAPER, "index")


@pytest.mark.parametrize("name", ["MRR", "both of them", "AH@", ""])
def test_an_unknown_form_is_refused(name: str) -> None:
    with pytest.raises(UnknownNameError, match="Expected an adjusted metric"):
        parse_exchange(name)
