"""LaTeX tables: as papers set them, what is refused, and random tables that are read back."""

import pytest

from cases import for_each
from rankconst.errors import DataError
from rankconst.results.document import Document
from rankconst.results.tables.latex import READER, find_tables
from rankconst.results.tables.tex import strip_latex
from readings import reading_of

read = reading_of(READER)


@pytest.mark.parametrize(
    "rows",
    [
        r"\multirow{2}{*}{UMLS} & A & .1 \\ & B & .2 \\ \multirow[t]{2}*{Nations} & A & .3 \\ & B & .4",
        r"& A & .1 \\ \multirow{-2}{*}{UMLS} & B & .2 \\ & A & .3 \\ \multirow{-2}{*}{Nations} & B & .4",
        r"\SetCell[r=2]{c} UMLS & A & .1 \\ & B & .2 \\ \SetCell[r = 2]{m} Nations & A & .3 \\ & B & .4",
    ],
)
def test_cells_over_several_rows(rows: str) -> None:
    heading = r"Dataset & Model & MRR \\ \hline"
    entries = read(rf"\begin{{tabular}}{{llr}} {heading} {rows} \\ \end{{tabular}}").entries
    assert [entry.context.dataset for entry in entries] == ["UMLS"] * 2 + ["Nations"] * 2
    assert [entry.text for entry in entries] == [".1", ".2", ".3", ".4"]


def test_the_caption_among_the_options_of_tabularray() -> None:
    table = r"\begin{longtblr}[label=t, caption = {UMLS (valid)}]{lr} Model & MRR \\ A & .1 \\ \end{longtblr}"
    (entry,) = read(table).entries
    assert (entry.context.dataset, entry.context.split) == ("UMLS", "valid")


def test_cells_that_tabularray_spans() -> None:
    rows = r"& \SetCell[c=2]{c} UMLS & & Nations \\ Model & MRR & H@1 & MRR \\ A & .1 & .2 & .3 \\"
    entries = read(rf"\begin{{tblr}}{{lccc}} {rows} \end{{tblr}}").entries
    assert [entry.context.dataset for entry in entries] == ["UMLS"] * 2 + ["Nations"]


def test_the_heading_of_every_page() -> None:
    reading = read(
        r"""\begin{longtable}{lr} \caption{Results on UMLS}\label{t} \\ \toprule Model & MRR \\ \midrule \endfirsthead
        Model & MRR \\ \endhead \multicolumn{2}{r}{to be continued} \endfoot
        RotatE & .338 \\ \end{longtable}"""
    )
    assert [(entry.line, entry.context.dataset, entry.text) for entry in reading.entries] == [
        (3, "UMLS", ".338")
    ]


def test_a_footnote_in_a_cell_is_about_the_table() -> None:
    rows = r"Model & MRR\footnote{On \emph{dev}.} \\ A & .3 \\"
    (entry,) = read(rf"\begin{{tabular}}{{lc}} {rows} \end{{tabular}}").entries
    assert [(ask.word, ask.place) for ask in entry.context.questions] == [("dev", "a footnote")]


_TABLE = r"\begin{tabular}{lr} Model & MRR \\ A & .3 \\ \end{tabular}"
# Sources with T for a table, and what belongs to each table.
_NEAR = {
    r"\section{A}\subsection{B\footnote{raw}} T": "heading: B. raw, heading: A",
    r"\begin{table}T\caption{one}\end{table} \begin{table}T\caption{two}\end{table}": "caption: one | caption: two",
    r"\begin{table} T T \caption[short]{all} \end{table}": "caption: all | caption: all",
    r"\begin{table}\begin{minipage} T \caption{a}\end{minipage} T \caption{b}\end{table}": "caption: a, caption: b",
    "far\n\nnear\n\\begin{itemize}\n\\item x\n\\end{itemize}\n\\begin{table} T \\end{table}": "paragraph: near x",
    "\\begin{table} T\n\\footnotesize note\n\\end{table}\n\nafter": "note: note",
    "T\nafter\n\nlater\n\nT": "note: after | paragraph: later",
    r"see \url{http://valid} and \cite{valid}" + "\n\nT": "paragraph: see and",
}  # fmt: skip


@for_each("text", _NEAR)
def test_the_texts_of_a_table(text: str) -> None:
    shown = []
    for table in find_tables(Document("paper.tex", text.replace("T", _TABLE))):
        places = [each.place.split()[1] for each in table.above]
        texts = [each.label.text for each in table.above]
        shown.append(", ".join(map(": ".join, zip(places, texts, strict=True))))
    assert " | ".join(shown).startswith(_NEAR[text])


@for_each(
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
        (r"\rotatebox[origin=c]{90}{A}", "A"), (r"\num{0.338}", "0.338"), (r"66\foo{2}", "66 2"),
        (r"66{\tiny 2}", "66 2"), (r"0.46\,(0.01)", "0.46(0.01)"), (r"0.3\textsuperscript{a}", "0.3^{a}"),
        (r"\sout{0.9} 0.4", "~~0.9~~ 0.4"), ("a~b", "a b"), ("{{{x", "x"), ("}x", "x"),
    ],
)  # fmt: skip
def test_markup(cell: str, plain: str) -> None:
    assert strip_latex(cell) == plain


@for_each(
    ("text", "parts"),
    [
        (r"no table", ("there is no table", r"\begin{tabular}")),
        ("\n\\begin{tabular}{lr} a & MRR \\\\ a & 1", ("line 2", "is never ended")),
        ("\n\\begin{tabular}{lr} a & {MRR \\\\ a & 1 \\end{tabular}", ("line 2", "{ is never closed")),
        ("\n\\begin{tabular}{lr} a & MRR} \\\\ a & 1 \\end{tabular}", ("line 2", "} closes nothing")),
        ("\n\\begin{tabular} a & MRR", ("line 2", "lacks its columns")),
        ("\n\\section{a", ("line 2", "is not closed")),
        ("\\begin{tabular}{lr}\nModel & Year \\\\\na & 1 \\\\ \\end{tabular}", ("line 2", "no column is a metric")),
    ],
)  # fmt: skip
def test_what_is_refused(text: str, parts: tuple[str, ...]) -> None:
    with pytest.raises(DataError) as caught:
        read(text)
    for part in ("results.txt", *parts):
        assert part in str(caught.value)


def test_macros_print_what_the_file_defines_if_it_does_once() -> None:
    table = r"\begin{tabular}{lc} \data & MRR \\ A & \x \\ \end{tabular}"
    once = r"\newcommand{\data}{Model}\def\x{\y}\def\y{.3}" + table
    assert [each.text for each in read(once).entries] == [".3"]
    assert not read(r"\def\x{.4}" + once).entries
    assert not read(r"\def\x{\x\x}" + table).entries

    others = "".join(rf"\def\a{chr(97 + i // 26)}{chr(97 + i % 26)}{{}}" for i in range(600))
    assert not read(once.replace(r"\begin", rf"{others}\def\x{{.4}}\begin")).entries
