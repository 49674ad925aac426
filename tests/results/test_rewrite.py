"""Documents with their numbers exchanged: what changes, what stays to the last byte, and what marks
the best.
"""

import difflib
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import rankconst
from cases import for_each
from rankconst.catalogue.metrics import parse_metric
from rankconst.errors import DataError, UnknownNameError, UsageError
from rankconst.evaluation import Address
from rankconst.results.batches import adjust_reading
from rankconst.results.document import Document, open_document
from rankconst.results.formats import read_opened
from rankconst.results.rewrite import Rewritten, choose_metrics, parse_exchange, rewrite
from rankconst.values.published import Published

TABLES = rankconst.load()


def exchange(
    text: str | Document, *names: str, name: str = "paper.tex", over: str | None = None, **said: Any
) -> Rewritten:
    document = text if isinstance(text, Document) else Document(name, text)
    reading = read_opened(document)
    asked = [parse_exchange(each, over) for each in names]
    user = Address(**said)
    metrics, baselines = choose_metrics(reading, asked), [over] if over else []
    adjusted = adjust_reading(reading, TABLES, user, metrics=metrics, baselines=baselines)
    if over is not None:
        adjusted = adjusted.against_baseline(over)
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


@example(r"\textbf{<v> \%}", 500, 2, False)
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


def test_numbers_and_headings_change_and_nothing_else() -> None:
    done = exchange(PAPER, "index")
    assert changes(PAPER, done.source) == [
        ("MR", "AMRI"), ("MRR", "AMRR"), ("Hits@10", "AH@10"), ("MRR", "AMRR"), ("MR", "AMRI"),
        ("357", index("fb15k237", "mr", 357, 4)), ("0.294", index("fb15k237", "mrr", 0.294, 3)),
        ("3384", index("wn18rr", "mr", 3384, 4)), ("177", index("fb15k237", "mr", 177, 4)),
        ("3{,}340", index("wn18rr", "mr", 3340, 4)), ("30", index("fb15k237", "mr", 30, 4)),
        ("1", index("fb15k237", "hits@10", 1, 1, 100)),
    ]  # fmt: skip
    assert done.source.startswith("% Adjusted for chance by rankconst ")
    assert done.source.partition(": ")[2].splitlines()[:2] == [
        "AMRI for MR, AMRR for MRR, AH@10 for Hits@10.",
        f"% Ranking tasks: fb15k237, wn18rr (test, both sides, protocol standard); tables {TABLES.version}.",
    ]
    # Fewer decimals than chance changes: 46.5 % stay 46.5 %.
    assert index("fb15k237", "hits@10", 46.5, 1, 100) == "46.5"
    assert (done.replaced, done.notes) == (13, ())


def test_one_metric_one_form_or_both_numbers() -> None:
    assert {old for old, _ in changes(PAPER, exchange(PAPER, "AMRR").source)} == {"MRR", "0.294"}
    both = exchange(PAPER, "both").source
    assert ": AMRI next to MR, AMRR next to MRR, " in both
    assert f"\\textbf{{0.338 / {index('fb15k237', 'mrr', 0.338, 3)}}}" in both
    assert f".477 $\\pm$ .002 / {index('wn18rr', 'mrr', 0.477, 3)[1:]} &" in both
    assert "& MR / AMRI & MRR / AMRR &" in both
    known = TABLES.constants("fb15k237", "mrr")
    z = (0.338 - known.expectation) / known.variance**0.5
    assert f"\\textbf{{{z:.0f}}}" in exchange(PAPER, "ZMRR").source


@for_each(
    ("heading", "index", "normalised"),
    [
        (r"MR $\downarrow$", r"AMRI $\uparrow$", r"AMR $\downarrow$"),
        (r"\textbf{MR} ($\downarrow$)", r"\textbf{AMRI} ($\uparrow$)", r"\textbf{AMR} ($\downarrow$)"),
        ("MR↓", "AMRI↑", "AMR↓"),
        ("MR (lower is better)", "AMRI (higher is better)", "AMR (lower is better)"),
        ("MRR (the higher, the better)", "AMRR (the higher, the better)", None),
        (r"MRR $\uparrow$", r"AMRR $\uparrow$", None), ("MRR ↓", "AMRR ↓", None),
    ],
)  # fmt: skip
def test_directions_turn_with_the_metric(heading: str, index: str, normalised: str | None) -> None:
    value = 0.5 if "MRR" in heading else 1.5
    text = f"\\begin{{tabular}}{{lr}}\nDataset & {heading} \\\\\nNations & {value} \\\\\n\\end{{tabular}}\n"
    name = re.findall(r"MRR?", heading)[0]
    beside = heading.replace(name, f"{name} / {re.findall('A[MR]+I?', index)[0]}")
    for form, shown in (("index", index), ("normalised", normalised), ("both", beside)):
        assert shown is None or f"& {shown} \\\\" in exchange(text, form).source


def test_the_files_own_line_ends_and_mark_stay(tmp_path: Path) -> None:
    path = tmp_path / "paper.tex"
    path.write_bytes(b"\xef\xbb\xbf" + PAPER.replace("\n", "\r\n", 12).encode())
    done = exchange(open_document(path), "AMRR").source.encode()
    assert done.startswith(b"\xef\xbb\xbf% Adjusted")
    assert done.count(b"\r\n") == 12 + 2
    plain = exchange(PAPER, "AMRR").source
    assert done.decode().lstrip("\ufeff").replace("\r\n", "\n") == plain
    path.write_bytes(PAPER.replace("\n", "\r").encode())
    top, lines = plain.splitlines(keepends=True)[:2], plain.splitlines(keepends=True)[2:]
    done = exchange(open_document(path), "AMRR").source.encode()
    assert done.decode() == "".join([*top, *(line.replace("\n", "\r") for line in lines)])


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


# Hits@k in two rows: what is above k, and below it.
STEM = "\\begin{tabular}{lrrr}\nNations & \\multicolumn{2}{c}{%s} & MRR \\\\\n & %s & \\\\\nA & .5 & .9 & .6 \\\\\n\\end{tabular}"
CODE = "\n```\nModel  MRR\n%s  0.6\n```\n"
KINSHIPS, NATIONS = (
    f"# {name}\n\n| Model | {{}} |\n|--|--|\n| B | {{}} |\n" for name in ("Kinships", "Nations")
)
ORDINARY = "| Model | UMLS | Nations |\n|--|--|--|\n| H | .5 | .42 |\n"
TWO = "| Model | Dataset | MRR |\n|-|-|-|\n| A | Nations | .5 |\n"
# What replaces, options, the document, and a part of what becomes of it.
REWRITTEN: list[tuple[str, dict[str, Any], str, str]] = [
    ("AMRR", {}, NATIONS.format("MRR", ".42"), "| Model | AMRR |\n|--|--|\n| B | .06 |\n"),
    ("AMRR", {}, "<table><tr><th>Dataset<th>MRR<th>Year</tr><tr><td>Nations</td><td><b>0.42</b><td>0.42</td></tr></table>\n",
     "<th>AMRR<th>Year</tr><tr><td>Nations</td><td><b>0.06</b><td>0.42</td>"),
    ("AMRR", {}, "| Dataset | Metric | Value |\n|---|---|---|\n| Nations | MRR | 0.42 |\n", "| Nations | AMRR | 0.06 |"),
    ("both", {}, "| Model | Dataset | MRR |\n|---|---|---|\n| A | FB15k-237 | **0.241** (0.001) |\n", "| **0.241** (0.001) / 0.240 |"),
    *(("index", {}, STEM % (stem, ks), f"{{{shown}}} & AMRR \\\\\n & {ks} & ")
      for stem, ks, shown in (("Hits@", "1 & 10", "AH@"), ("H @", "1 & 10", "AH@"), ("Hits", "@1 & @10", "AH"))),
    ("skill", {"over": "counting"}, STEM % ("Hits@", "1 & 10"), "{Hits@} & MRR skill (counting) \\\\\n"),
    ("skill", {"over": "counting"}, STEM % ("Hits@", "1 & 10"), "% Compared with the counting baseline"),
    ("normalised", {}, STEM % ("Hits@", "1 & 10"), "{Hits@} & MRR"),
    # A number that is adjusted already, one that is no share, and a model whose name may be the beginning of Hits@k.
    ("index", {}, NATIONS.format("MRR | AMRR", ".42 | .3"), "| B | .06 | .3 |"),
    ("index", {"percent": True}, NATIONS.format("MR | Hits@10", "3.5 | 97"), "| B | 0.28 | 43 |"),
    ("index", {"metric": "mrr"}, ORDINARY, "| Model | UMLS | Nations |\n|--|--|--|\n| H | .5 | .06 |"),
    ("z", {}, NATIONS.format("Hits@10", "97.0 ± 0.2 |\n| C | 97.1(2)"), "| B | 2.3 ± 0.2 |\n| C | 2.4(2) |"),
    *(("index", {}, NATIONS.format("Hits@10", cell), f"| B | {shown} |") for cell, shown in (("97.1 ± 2", "45 ± 38"), ("97.1(0.2)", "45(4)"))),
    ("index", {}, NATIONS.replace("Nations", "FB15k-237").format("MR", "177.5(5)"), "| B | 0.97532(7) |"),
    ("index", {}, "| Dataset | Protocol | MRR |\n|--|--|--|\n| Nations | raw | .5 |\n| UMLS | filtered | .5 |\n", ": nations (test, both sides, protocol raw); umls (test, both sides, protocol standard); "),
    ("index", {}, "# WN18RR\n\n| | TransE | RotatE |\n|--|--|--|\n| MR ↓ | 3384 | **3340** |\n| MRR | 0.226 | 0.476 |\n",
     f"| AMRI ↑ | {index('wn18rr', 'mr', 3384, 4)} | **{index('wn18rr', 'mr', 3340, 4)}** |\n| AMRR | 0.226 | 0.476 |\n"),
    ("index", {}, f"{TWO}| B | Freebase86M | .5 |\n| C | Freebase86M | .4 |\n", "<!-- Numbers that stay as published: 2. -->\n| Model | Dataset | MRR |"),
    # At most 12 decimals, and no -0.
    ("index", {}, NATIONS.format("MR", "3.12345678901234567"), f"| B | {index('nations', 'mr', 3.12345678901234567, 12)} |"),
    ("index", {}, KINSHIPS.format("MRR", ".05"), "| B | .00 |"),
    # What is accepted is no question any more; what is asked about in a block of code is none of a table.
    ("index", {"accepted": ("dev",)}, KINSHIPS.format("MRR", ".31").replace("B |", "B with dev data |"), "| .27 |"),
    ("index", {}, NATIONS.format("MRR", ".42") + CODE % "B with dev data", "| B | .06 |"),
    ("index", {}, NATIONS.format("MRR", ".42") + CODE % "B", "| B | .06 |\n\n```\nModel  MRR\nB  0.6\n"),
]  # fmt: skip


def replace_in(text: str, name: str, *, metric: str | None = None, **said: Any) -> Rewritten:
    """Replace the numbers of Markdown or LaTeX; the metric is that of columns without one."""
    form = "README.md" if text[0] in "#|<" else "paper.tex"
    known = None if metric is None else parse_metric(metric)
    return exchange(Document(form, text, metric=known), name, **said)


@for_each(("name", "options", "text", "expected"), REWRITTEN)
def test_what_becomes_of_a_document(
    name: str, options: dict[str, Any], text: str, expected: str
) -> None:
    assert expected in replace_in(text, name, **options).source


HEADING = "the heading MRR stays as it is; rename it to AMRR"


@for_each(
    ("text", "options", "notes"),
    [
        (f"{TWO}| C | Nations | .4 |\n| B | UMLS | .5 |\n", {"dataset": "nations"}, [(3, HEADING), (5, "MRR stays as it is: you asked for other numbers")]),
        # The nearest heading is that of a number.
        (f"{TWO}| Model | Dataset | MRR |\n| B | Freebase86M | .5 |\n", {}, [(5, "MRR stays as it is: Freebase86M is not included")]),
        (NATIONS.format("MRR | AMRR", ".42 | .3"), {}, []),
        (NATIONS.format("MRR | Hits@10 (%)", ".42 | 95.0"), {"name": "z"}, [(5, "Hits@10 (%) stays as it is: ZH@10 is not a percentage")]),
        *((NATIONS.format("Hits@10", f"{cell} |\n| C | 91.0"), {"name": "z"}, [
            (5, "Hits@10 stays as it is: ZH@10 is not a percentage; remove the sign"),
            (6, "the heading Hits@10 stays as it is; rename it to ZH@10"),
        ]) for cell in ("**95.0**%", "95.0%", "<u>95.0</u>%", "$95.0$ %")),
        *((NATIONS.format("MRR", f".42 |\n| C | {cell}"), {}, [(5, HEADING), (6, "MRR stays as it is: the gain next to it")])
          for cell in (".52 (+.10)", "**.52** ↑.10", ".52 (-0.01)", ".52 (+5.0%)")),
        (NATIONS.format("MRR", ".42 +/- .01 |\n| C | .52 [1]"), {}, []),
        (ORDINARY, {"metric": "mrr"}, [(3, "no heading names MRR: say AMRR in the caption")]),
        (NATIONS.format("MRR", ".42") + CODE % "B", {}, [(9, "MRR stays as it is: its place in the text is uncertain")]),
    ],
)  # fmt: skip
def test_each_number_that_stays_has_a_reason(
    text: str, options: dict[str, Any], notes: list[tuple[int, str]]
) -> None:
    done = replace_in(text, **{"name": "index", **options})
    assert len(done.notes) == len(notes)
    for (line, reason), (expected_line, start) in zip(done.notes, notes, strict=True):
        assert (line, reason[: len(start)]) == (expected_line, start)


def test_a_number_of_a_kind_that_is_not_known_here_is_never_replaced(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Such as a fraction, 1/3: its digits times a unit are not its value."""
    third = Published("1/3", 1 / 3, 1 / 3, 1 / 3)
    monkeypatch.setattr("rankconst.results.rewrite.parse_value", lambda *_, **__: third)
    with pytest.raises(DataError, match="its place in the text is uncertain"):
        exchange(PAPER, "index")


@for_each(
    ("name", "baseline", "names"),
    [
        ("AMRR", None, ["AMRR"]), (" amri ", None, ["AMRI"]), ("AMR", None, ["AMR"]), ("AH@1", None, []),
        ("AH@10", None, ["AH@10"]), ("AH@k", None, ["AH@10"]), ("ZH@K", None, ["ZH@10"]),
        ("Index", None, ["AMRI", "AMRR", "AH@10"]), ("both", None, ["AMRI", "AMRR", "AH@10"]),
        ("z", None, ["ZMR", "ZMRR", "ZH@10"]),
        ("normalised", None, ["AMR", "normalised MRR", "normalised Hits@10"]),
        *((name, "counting", [f"{label} skill (counting)" for label in ("MR", "MRR", "Hits@10")])
          for name in ("skill", "both")),
        ("z", "counting", ["MR z (counting)", "MRR z (counting)", "Hits@10 z (counting)"]),
    ],
)  # fmt: skip
def test_an_exchange_is_for_some_metrics_and_names_their_numbers(
    name: str, baseline: str | None, names: list[str]
) -> None:
    asked = parse_exchange(name, baseline)
    metrics = [parse_metric(each) for each in ("mr", "mrr", "hits@10")]
    assert [asked.name(metric) for metric in metrics if asked.fits(metric)] == names
    assert asked.beside == (name == "both")


@for_each(
    ("name", "baseline", "error", "message"),
    [
        *((name, None, UnknownNameError, "Expected an adjusted metric") for name in ("MRR", "both of them", "AH@", "")),
        ("AMRR", "counting", UsageError, "AMRR means chance; against the counting baseline .* skill, z, both"),
        ("skill", None, UsageError, "skill over which baseline"),
    ],
)  # fmt: skip
def test_what_is_no_exchange_is_refused(
    name: str, baseline: str | None, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        parse_exchange(name, baseline)


@for_each(
    ("name", "text", "error", "message"),
    [
        ("AH@k", NATIONS.format("MRR | MR", ".4 | 3"), DataError, "no numbers to replace; its metrics are MRR, MR"),
        ("AH@k", NATIONS.format("AMRR", ".4"), DataError, "no numbers to replace; its metrics are none"),
        ("z", NATIONS.format("Hits@1 | Hits@3 | Hits@5 | Hits@10", "20% | 30% | 40% | 50%"), DataError,
         r"replaced\. Hits@1 .* sign; Hits@3 .* sign; Hits@5 .*; remove the sign$"),
        ("index", "# Nations\n" + CODE % "B", DataError, "no number can be replaced. MRR stays as it is: its place"),
        ("index", "dataset,MRR\nUMLS,.5\n", UsageError, "is read as csv; numbers are replaced in latex and markdown only"),
    ],
)  # fmt: skip
def test_a_document_with_nothing_to_replace_is_refused(
    name: str, text: str, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        exchange(text, name, name="README.md" if text.startswith("#") else "a.csv")


def test_a_metric_that_was_not_asked_for_is_not_replaced() -> None:
    document = Document("a.md", NATIONS.format("MR", "3"))
    adjusted = adjust_reading(read_opened(document), TABLES, Address())
    with pytest.raises(DataError, match="None is of the metric asked for"):
        rewrite(document, adjusted, [parse_exchange("AMRR")])


def test_numbers_that_were_replaced_are_not_adjusted_again() -> None:
    metric = parse_metric("mrr")
    text = "# MRR, filtered\n\n| model | Nations |\n|---|---|\n| A | 0.756 |\n"
    document = Document("a.md", text, metric=metric)
    adjusted = adjust_reading(read_opened(document), TABLES, Address())
    source = rewrite(document, adjusted, [parse_exchange("AMRR")]).source
    with pytest.raises(DataError, match=r"a\.md, line 1: its numbers of MRR were replaced before"):
        read_opened(Document("a.md", source, metric=metric))
