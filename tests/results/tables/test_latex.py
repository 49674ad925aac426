"""LaTeX tables: as papers set them, what is refused, and random tables that are read back."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankconst.errors import DataError
from rankconst.results.document import Document
from rankconst.results.tables.latex import ENVIRONMENTS, READER, _choose_captions, strip_latex
from readings import Table, check_indices, check_refusal, documents, reading_of, summarise, tables

read = reading_of(READER)

# Values of Sun et al. 2019 (RotatE, arXiv:1902.10197), Table 5, set in the usual ways.
ROTATE = r"""
\begin{table}[t]
\centering
\resizebox{\textwidth}{!}{%
\begin{tabular}{l|ccc@{}ccc} % a comment & more \\
\toprule
\multirow{2}{*}{\textbf{Model}} & \multicolumn{3}{c|}{\textbf{FB15k-237}} & \multicolumn{3}{c}{WN18RR}\\
\cmidrule(lr){2-4}\cmidrule(lr){5-7}
 & MR $\downarrow$ & MRR & Hits@10 & MR & MRR & H@$10$ \\ \midrule
TransE~\cite{bordes2013} & 357 & .294 & .465 & 3{,}384 & $.226$ & -- \\
% DistMult & out & of & this & table \\
RotatE$^\dagger$ & \best{177} & \textbf{0.338}$^{*}$ & \underline{.533}
  & {\bf 3340} & $0.476_{\pm 0.001}$ & 57.1\% \\[2pt]
\multicolumn{7}{c}{\emph{Others}} \\
\hline
\textsc{ConvE} & 244 & \textcolor{red}{.325}\textsuperscript{a} & $0.501\pm0.002$ & \cellcolor{gray!10} 4187 & OOM & \\
\bottomrule
\end{tabular}}
\caption{MRR & Hits}
\end{table}
"""

_ESCAPES = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}"} | {
    character: "\\" + character for character in "&%_#$"
}


def escape(cell: str) -> str:
    """Escape what LaTeX would take for markup."""
    return "".join(_ESCAPES.get(character, character) for character in cell).replace("±", r"$\pm$")


def write(table: Table, environment: str) -> str:
    arguments = "{X}" * (ENVIRONMENTS[environment] - 1) + "{l" + "r" * len(table.grid[0]) + "}"
    rows = [" & ".join(map(escape, cells)) + r" \\" for cells in table.grid]
    rows[0] += r" \midrule"
    return "\n".join(
        [rf"\begin{{{environment}}}{arguments}", r"\toprule", *rows, r"\bottomrule", rf"\end{{{environment}}}"]
    )


def test_a_table_of_a_paper() -> None:
    assert READER.recognise(Document("paper.tex", ROTATE))
    reading = read(ROTATE)
    f, w = "FB15k-237", "WN18RR"
    assert [(entry.line, entry.context.dataset, entry.metric.label, entry.text) for entry in reading.entries] == [
        (10, f, "MR", "357"), (10, f, "MRR", ".294"), (10, f, "Hits@10", ".465"),
        (10, w, "MR", "3,384"), (10, w, "MRR", ".226"),
        (12, f, "MR", "177"), (12, f, "MRR", "0.338"), (12, f, "Hits@10", ".533"),
        (12, w, "MR", "3340"), (12, w, "MRR", "0.476 ±0.001"), (12, w, "Hits@10", "57.1%"),
        (16, f, "MR", "244"), (16, f, "MRR", ".325"), (16, f, "Hits@10", "0.501±0.002"), (16, w, "MR", "4187"),
    ]  # fmt: skip
    assert [entry.context.model for entry in reading.entries[::6]] == ["TransE", "RotatE^{†}", "ConvE"]
    assert [(skip.line, skip.what) for skip in reading.skipped] == [(14, "Others"), (16, "OOM")]
    assert reading.columns[:3] == ("Model", "FB15k-237 / MR ↓", "FB15k-237 / MRR")
    assert reading.rows[1]["FB15k-237 / MRR"] == r"\textbf{0.338}$^{*}$"
    check_indices(reading)


@given(tables(), st.sampled_from(sorted(ENVIRONMENTS)))
def test_random_tables_come_back(table: Table, environment: str) -> None:
    document = Document("results.txt", write(table, environment))
    assert READER.recognise(document)
    reading = READER.read(document)
    assert summarise(reading) == table.entries
    check_indices(reading)


@given(documents)
def test_any_text_is_read_or_refused(document: Document) -> None:
    check_refusal(READER, document)


def test_hits_over_their_k() -> None:
    reading = read(
        r"\begin{tabular}{lcccc} & & & \multicolumn{2}{c}{Hits@} \\ Model & MR & MRR & 1 & 10 \\"
        r"RotatE & 177 & .338 & .241 & .533 \\ \end{tabular}"
    )
    assert [(entry.metric.label, entry.text) for entry in reading.entries] == [
        ("MR", "177"), ("MRR", ".338"), ("Hits@1", ".241"), ("Hits@10", ".533"),
    ]  # fmt: skip


def test_cells_over_several_rows() -> None:
    reading = read(
        r"""\begin{tabular}{llr} Dataset & Model & MRR \\ \hline
        \multirow{2}{*}{WN18RR} & TransE & .226 \\ & RotatE & .476 \\ \hline
        \multirow[t]{2}*{FB15k-237} & TransE & .294 \\ & RotatE & .338 \\ \end{tabular}"""
    )
    assert [(entry.context.dataset, entry.context.model, entry.text) for entry in reading.entries] == [
        ("WN18RR", "TransE", ".226"), ("WN18RR", "RotatE", ".476"),
        ("FB15k-237", "TransE", ".294"), ("FB15k-237", "RotatE", ".338"),
    ]  # fmt: skip
    assert reading.rows[1]["Dataset"] == ""


def test_a_cell_over_the_rows_above_it() -> None:
    """As it is written where rows are coloured: the text is in the last row that the cell spans."""
    reading = read(
        r"""\begin{tabular}{llr} Dataset & Model & MRR \\ \hline
        & TransE & .226 \\ \multirow{-2}{*}{WN18RR} & RotatE & .476 \\ \hline
        & TransE & .294 \\ \multirow{-2}{*}{FB15k-237} & RotatE & .338 \\ \end{tabular}"""
    )
    assert [(entry.context.dataset, entry.context.model, entry.text) for entry in reading.entries] == [
        ("WN18RR", "TransE", ".226"), ("WN18RR", "RotatE", ".476"),
        ("FB15k-237", "TransE", ".294"), ("FB15k-237", "RotatE", ".338"),
    ]  # fmt: skip


def test_a_heading_again_over_other_datasets() -> None:
    reading = read(
        r"""\begin{tabular}{lcc} & \multicolumn{2}{c}{FB15k-237} \\ Model & MRR & H@10 \\ RotatE & .338 & .533 \\
        \midrule & \multicolumn{2}{c}{WN18RR} \\ Model & MRR & H@10 \\ RotatE & .476 & .571 \\ \end{tabular}"""
    )
    assert [(entry.context.dataset, entry.text) for entry in reading.entries] == [
        ("FB15k-237", ".338"), ("FB15k-237", ".533"), ("WN18RR", ".476"), ("WN18RR", ".571"),
    ]  # fmt: skip


def test_the_heading_of_every_page() -> None:
    reading = read(
        r"""\begin{longtable}{lr} \caption{Results}\label{t} \\ \toprule Model & MRR \\ \midrule \endfirsthead
        Model & MRR \\ \endhead
        \multicolumn{2}{r}{to be continued} \\ \endfoot \bottomrule \endlastfoot
        RotatE & .338 \\ \end{longtable}"""
    )
    assert [(skip.line, skip.what) for skip in reading.skipped] == [(2, "Model MRR"), (3, "to be continued")]
    assert [(entry.line, entry.text) for entry in reading.entries] == [(4, ".338")]


@pytest.mark.parametrize(
    ("cell", "plain"),
    [
        (r"\textbf{\underline{0.338}}", "0.338"), (r"{\bf 0.338}", "0.338"), (r"$\mathbf{0.338}$", "0.338"),
        (r"\textcolor[HTML]{FF0000}{.3}", ".3"), (r"\cellcolor{blue!25}0.3", "0.3"), (r"\multirow{2}{*}{A}", "A"),
        (r"\multicolumn{2}{c|}{\textbf{A}}", "A"), (r"53.3\%", "53.3%"), (r"3{,}340", "3,340"), (r"A\&B", "A&B"),
        (r"hits\_at\_10", "hits_at_10"), (r"\makecell{two\\lines}", "two lines"), (r"$^{\ddagger}$", "^{‡}"),
        (r"0.3$^a$", "0.3^{a}"), (r"$1.2\times10^{-3}$", "1.2×10^{-3}"), (r"A \citep[see][p.~3]{x,y}", "A"),
        (r"\phantom{0}9.1", "9.1"), (r"TransE$_{adv}$", "TransE_adv"), (r"0.3\footnotemark[1]", "0.3"),
        (r"\begin{tabular}[c]{@{}l@{}}A\\B\end{tabular}", "A B"), (r"\std{177}{3}", "177 3"), (r"\ours", "ours"),
        (r"0.3 {\scriptsize $\pm$ 0.1}", "0.3 ± 0.1"), (r"0.3$^{\pm 0.1}$", "0.3 ±0.1"), (r"\href{http://x}{A}", "A"),
        (r"\rotatebox[origin=c]{90}{A}", "A"), (r"\num{0.338}", "0.338"),
        (r"66.9\std{0.2}", "66.9 ± 0.2"), (r"66\foo{2}", "66 2"),
        (r"66{\tiny 2}", "66 2"), (r"0.46\,(0.01)", "0.46(0.01)"),
        (r"0.3\textsuperscript{a}", "0.3^{a}"), ("a~b", "a b"), ("{{{x", "x"), ("}x", "x"),
    ],
)  # fmt: skip
def test_markup(cell: str, plain: str) -> None:
    assert strip_latex(cell) == plain


@pytest.mark.parametrize(
    "cell", [r"\std{177}{3}", r"10^{3}", r"$1.2\times10^{-3}2$", r"17_{7}", r"\ours 0.3", "0.3-0.4"]
)
def test_numbers_that_are_not_plain_are_left_out(cell: str) -> None:
    reading = read(f"\\begin{{tabular}}{{lr}} Model & MR \\\\\nRotatE & {cell} \\\\ \\end{{tabular}}")
    assert not reading.entries
    assert [(skip.line, skip.why) for skip in reading.skipped] == [(2, "no number, in column MR")]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (r"no table", ("there is no table", r"\begin{tabular}")),
        ("\n\\begin{tabular}{lr} a & MRR \\\\ a & 1", ("line 2", r"expected \end{tabular}".capitalize()[:4])),
        ("\n\\begin{tabular}{lr} a & {MRR \\\\ a & 1 \\end{tabular}", ("line 2", "{ is never closed")),
        ("\n\\begin{tabular}{lr} a & MRR} \\\\ a & 1 \\end{tabular}", ("line 2", "} closes nothing")),
        ("\n\\begin{tabular} a & MRR", ("line 2", "lacks its columns")),
        ("\\begin{tabular}{lr}\nModel & Year \\\\\na & 1 \\\\ \\end{tabular}", ("line 2", "no column is a metric")),
    ],
)
def test_what_is_refused(text: str, parts: tuple[str, ...]) -> None:
    with pytest.raises(DataError) as caught:
        read(text)
    for part in ("results.txt", *parts):
        assert part in str(caught.value)


def test_names_over_empty_cells_are_over_all_of_their_columns() -> None:
    body = "RotatE & .338 & .533 & .476 & .571 \\\\ \\end{tabular}"
    metrics = "& MRR & H@10 & MRR & H@10 \\\\\n"
    for over in ("FB15k-237 & & WN18RR &", "\\multicolumn{2}{c}{FB15k-237} & \\multicolumn{2}{c}{WN18RR}"):
        reading = read(f"\\begin{{tabular}}{{lrrrr}}\n & {over} \\\\\n{metrics}{body}")
        assert [e.context.dataset for e in reading.entries] == ["FB15k-237"] * 2 + ["WN18RR"] * 2
    # A version below one metric only.
    versions = read("\\begin{tabular}{l}\nData & MRR & Size \\\\\n & v1 & \\\\\nWN18RR & .3 & 9 \\\\ \\end{tabular}")
    assert not versions.entries
    assert [(skip.line, skip.what) for skip in versions.skipped] == [(3, "v1")]


def test_rows_of_another_width_are_left_out() -> None:
    reading = read("\\begin{tabular}{lr}\na & MRR \\\\\na & 1 & 2 \\\\\nb & .3 \\\\ \\end{tabular}")
    assert [(skip.line, skip.why) for skip in reading.skipped] == [(3, "expected 2 cells, as in the heading, got 3")]
    assert [(entry.line, entry.text) for entry in reading.entries] == [(4, ".3")]


@pytest.mark.parametrize(
    "braces", ["{" * 9_000, "\\a{" * 3_000, "{" * 4_000 + "}" * 4_000, "^" * 9_000, "\\a[" * 3_000]
)
def test_adversarial_cells_take_no_time(braces: str) -> None:
    assert isinstance(strip_latex(braces), str)


def test_captions_of_many_tables_take_time_in_proportion() -> None:
    begins = range(0, 100_000, 20)
    floats = [*((begin, begin + 19) for begin in begins), (-1, 100_000)]
    captions = [(begin + 1, f"of {begin}") for begin in begins]
    start = time.process_time()
    chosen = list(_choose_captions([(begin + 2, begin + 9) for begin in begins], captions, floats))
    assert chosen == [[caption] for _, caption in captions]
    assert time.process_time() - start < 5


# Values of Sun et al. 2019 (RotatE, arXiv:1902.10197), Table 5.
_MACROS = r"""
\newcommand{\fb}{FB15k-237\xspace}
\def\wn{\textsc{WN18RR}}
\newcommand\hit[1]{Hits@#1}
\newcommand{\hitten}{\hit{10}}
\newcommand{\ms}[2]{\textbf{#1} {\scriptsize $\pm$ #2}}
\newcommand{\ours}{RotatE}
\begin{tabular}{lcccc}
& \multicolumn{2}{c}{\fb} & \multicolumn{2}{c}{\wn{}} \\
Model & MRR & \hit{10} & MRR & \hitten \\
\ours & \ms{.338}{.001} & .533 & .476 & .571 \\
\end{tabular}
"""


def test_macros_that_the_file_defines() -> None:
    reading = read(_MACROS)
    assert [(each.context.dataset, each.metric.label, each.text) for each in reading.entries] == [
        ("FB15k-237", "MRR", ".338 ± .001"), ("FB15k-237", "Hits@10", ".533"),
        ("WN18RR", "MRR", ".476"), ("WN18RR", "Hits@10", ".571"),
    ]  # fmt: skip
    assert [each.line for each in reading.entries] == [_MACROS[: _MACROS.index(r"\ours &")].count("\n") + 1] * 4
    # Which of two definitions holds is open.
    assert "FB15k-237" not in {each.context.dataset for each in read(r"\def\fb{FB15k}" + _MACROS).entries}


@pytest.mark.parametrize(
    "text",
    [
        "".join(rf"\def\a{chr(97 + i)}{{{chr(92)}a{chr(98 + i)} {chr(92)}a{chr(98 + i)}}}" for i in range(25)) + r"\aa",
        r"\def\x{\x\x}" + r"\x" * 50_000,
        r"\newcommand{\b}[1]{#1#1}" + r"\b{" * 50_000 + "}" * 50_000,
        r"\newcommand{\b}[1]{#1}" + r"\b{" * 100_000,
    ],
)
def test_macros_take_no_time(text: str) -> None:
    started = time.process_time()
    reading = read(text + _MACROS)
    assert reading.entries
    assert time.process_time() - started < 10


@pytest.mark.parametrize("begin", [r"\begin{tabu}{lc}", r"\begin{tabu} to \linewidth {XX}", r"\begin{longtabu}{lc}"])
def test_tabu(begin: str) -> None:
    end = "longtabu" if "long" in begin else "tabu"
    reading = read(begin + r" Model & MRR \\ RotatE & .476 \\ \end{" + end + "}")
    assert [each.text for each in reading.entries] == [".476"]
