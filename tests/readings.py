"""Readings for tests: of random tables, of near tables and without a file; metrics of ranks by
hand.
"""

import csv
import io
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from carried import open_once
from cases import SIGNS
from rankconst.catalogue.metrics import Metric, parse_adjusted_metric, parse_metric
from rankconst.checks.checking import RULES, CheckedReading, check_reading
from rankconst.errors import DataError
from rankconst.evaluation import Address
from rankconst.results.document import Document
from rankconst.results.reading import Entry, Reader, Reading, make_entries
from rankconst.results.tables.tex import ENVIRONMENTS

HEADINGS = {
    "MR": "MR", "MRR": "MRR", "Hits@1": "Hits@1", "H@3": "Hits@3", "hits_at_10": "Hits@10", "Hits @ 50": "Hits@50",
    "Mean Reciprocal Rank": "MRR", "Median Rank": "MdR",
}  # fmt: skip
"""Heading to the label of its metric."""


@dataclass(frozen=True)
class Table:
    """Cells before any markup; the first two columns are model and dataset."""

    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    @property
    def grid(self) -> list[tuple[str, ...]]:
        return [("Model", "Dataset", *self.headings), *self.rows]

    @property
    def entries(self) -> list[tuple[str, str, int, str, str]]:
        """Metric, text, row, model and dataset of every number, in order."""
        return [
            (HEADINGS[heading], text, i, model, dataset)
            for i, (model, dataset, *texts) in enumerate(self.rows)
            for heading, text in zip(self.headings, texts, strict=True)
            if text not in {"", "-", "–"}
        ]


_names = st.text("abcXYZ019&%_|,;\"'#$\\* -", min_size=1, max_size=8).map(
    lambda text: " ".join(f"m{text}x".split())
)
_shares = st.one_of(
    st.decimals(0, 1, places=3).map(str),
    st.decimals("1.1", 100, places=1).map(
        "{}%".format
    ),  # less may be a fraction, if other Hits@k say so
    st.decimals(0, 1, places=2).map("{} ± 0.01".format),
    st.sampled_from(["", "-", "–"]),
)
_numbers = st.one_of(
    _shares.filter(lambda text: text != "1.000"),  # next to 1000, it may be a thousand
    st.integers(1, 50_000).map(str),
    st.integers(1_000, 999_999).map("{:,}".format),
)


@st.composite
def tables(draw: st.DrawFn) -> Table:
    """Return a table with a row for each model."""
    headings = tuple(
        draw(st.lists(st.sampled_from(sorted(HEADINGS)), min_size=1, max_size=5, unique=True))
    )
    cells = st.tuples(
        _names,
        st.sampled_from(["FB15k-237", "WN18RR"]),
        *[_numbers if HEADINGS[each] in {"MR", "MdR"} else _shares for each in headings],
    )
    return Table(headings, tuple(draw(st.lists(cells, min_size=1, max_size=6))))


def write_csv(grid: Iterable[Sequence[object]], delimiter: str = ",") -> str:
    """Write rows of cells as delimited text."""
    buffer = io.StringIO()
    csv.writer(buffer, delimiter=delimiter, lineterminator="\n").writerows(grid)
    return buffer.getvalue()


def escape_markdown(cell: object) -> str:
    """Escape what Markdown would take for markup."""
    return "".join("\\" + sign if sign in "\\|*_<>&$`[]~" else sign for sign in str(cell))


def write_markdown(grid: Sequence[Sequence[object]], prefix: str = "") -> str:
    """Write rows of cells, the first of them the heading, as a pipe table."""
    heading, *rows = ("| " + " | ".join(map(escape_markdown, row)) + " |" for row in grid)
    return "\n".join(prefix + line for line in [heading, "|" + ":---|" * len(grid[0]), *rows])


_ESCAPES = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "±": r"$\pm$"} | {
    s: f"\\{s}" for s in "&%_#${}"
}


def escape_latex(cell: object) -> str:
    """Escape what LaTeX would take for markup."""
    return "".join(_ESCAPES.get(sign, sign) for sign in str(cell))


def write_latex(
    grid: Sequence[Sequence[object]], environment: str = "tabular", group: str = ""
) -> str:
    """Write rows of cells, the first of them the heading, perhaps with a row for the name of a
    group below.
    """
    arguments = "{X}" * (ENVIRONMENTS[environment] - 1) + "{l" + "r" * len(grid[0]) + "}"
    rows = [" & ".join(map(escape_latex, cells)) + r" \\" for cells in grid]
    rows[0] += r" \midrule"
    rows[1:1] = (
        [rf"\multicolumn{{{len(grid[0])}}}{{l}}{{{escape_latex(group)}}} \\"] if group else []
    )
    begin = rf"\begin{{{environment}}}{arguments}"
    return "\n".join([begin, r"\toprule", *rows, r"\bottomrule", rf"\end{{{environment}}}"])


def summarise(reading: Reading) -> list[tuple[str, str, int, str | None, str | None]]:
    """Return what :attr:`Table.entries` holds, as read."""
    return [
        (entry.metric.label, entry.text, entry.row, entry.context.model, entry.context.dataset)
        for entry in reading.entries
    ]


def check_indices(reading: Reading) -> None:
    """Every entry is found again in its row, every row has every column."""
    assert all(tuple(row) == reading.columns for row in reading.rows)
    for entry in reading.entries:
        assert entry.column in reading.rows[entry.row]


_PIECES = (
    "|", "|", "\n", "\n", "---", "|---|---|\n", "MRR", "Hits@10", "Hits@", "model", "metric", "value", "k", "n", "0.3",
    "0.338", "10", "nan", "&", "\\\\", "\\begin{tabular}{lr}", "\\end{tabular}", "{", "}", '"', ",", "\t", ";",
    "%", "\\multicolumn{2}{c}{", "\\multirow{2}{*}{", "$", "^", "_", "\\textbf{", "\\cite", "\\hline", "\\pm", "±", "(",
    ")", "FB15k-237", "WN18RR", "*", "**", "`", "<sup>", "</sup>", "<", ">", "[", "]", "\\", "\x00", "\u2028", " ", "é",
    "–", "model,MRR\n", "| model | MRR |\n|---|---|\n", "\\begin{longtable}", "Side,Rank_type,Metric,Value\n",
    "job_id,job_type,split,metric_name,metric\n", "mean_rank_filtered", ",,", "both,realistic,",
)  # fmt: skip

documents = st.one_of(
    st.text(SIGNS, max_size=200), st.lists(st.sampled_from(_PIECES), max_size=60).map("".join)
).map(lambda text: Document("results.txt", text))
"""Text that is nearly a table, or is none."""


def check_refusal(reader: Reader, document: Document) -> None:
    """A reader reads a document or says what is wrong with it; telling whether it can never fails.

    But those of objects refuse broken JSON at once.
    """
    try:
        assert isinstance(reader.recognise(document), bool)
    except DataError as error:
        assert reader.key in {"pykeen", "libkge", "ogb", "objects"}
        assert document.is_structured
        assert document.name in str(error)
    try:
        reading = reader.read(document)
    except DataError as error:
        assert document.name in str(error)
    else:
        assert isinstance(reading, Reading)
        assert reading.form == reader.key
        check_indices(reading)
        assert all(
            1 <= (entry.line or 1) <= document.text.count("\n") + 1 for entry in reading.entries
        )


def reading_of(reader: Reader, name: str = "results.txt") -> Callable[[str], Reading]:
    """Return a function that reads text."""
    return lambda text: reader.read(Document(name, text))


OPEN = Address()


def apply_rules(
    reading: Reading, user: Address = OPEN, rules: Iterable[str] = RULES
) -> CheckedReading:
    """Check a reading by rules alone, all if none is named."""
    return check_reading(reading, open_once(), user, rules=rules)


def parse_heading(heading: str) -> tuple[Metric, str | None]:
    if heading[:2] == "z ":
        return parse_metric(heading[2:]), "z"
    if heading.startswith("A"):
        return parse_adjusted_metric(heading)
    return parse_metric(heading), None


def make_reading(
    *rows: Mapping[str, str],
    context: Address | Sequence[Address] = OPEN,
    exact: bool = False,
    tool: str | None = None,
) -> Reading:
    """Return what a reader finds in a table with these rows, the first of them in line 2."""
    contexts = [context] * len(rows) if isinstance(context, Address) else context
    entries = [
        Entry(metric, text, place, heading, place + 2, one, adjustment, exact)
        for place, (row, one) in enumerate(zip(rows, contexts, strict=True))
        for heading, text in row.items()
        for metric, adjustment in [parse_heading(heading)]
    ]
    columns = tuple(dict.fromkeys(heading for row in rows for heading in row))
    return Reading(
        "results.csv", "csv", "wide", columns, tuple(rows), make_entries(entries), tool=tool
    )


def measure(ranks: NDArray[np.float64], ks: Sequence[int] = (1, 3, 10)) -> dict[str, float]:
    """Compute metrics from ranks by their definitions."""
    values = [float(rank) for rank in ranks]
    n = len(values)
    found = {
        "MR": math.fsum(values) / n,
        "MRR": math.fsum(1 / rank for rank in values) / n,
        "GMR": math.exp(math.fsum(math.log(rank) for rank in values) / n),
        "QMR": math.sqrt(math.fsum(rank**2 for rank in values) / n),
        "MdR": float(np.median(values)),
        "VR": float(np.var(values)),
        "nDCG": math.fsum(1 / math.log2(1 + rank) for rank in values) / n,
    }
    found["SDR"] = math.sqrt(found["VR"])
    found |= {
        inverse: 1 / found[name]
        for inverse, name in (
            ("HMR", "MRR"), ("IAMR", "MR"), ("IGMR", "GMR"), ("IQMR", "QMR"), ("IMdR", "MdR"),
        )
    }  # fmt: skip
    for k in ks:
        within = [rank for rank in values if rank <= k]
        found |= {
            f"Hits@{k}": len(within) / n,
            f"MRR@{k}": math.fsum(1 / rank for rank in within) / n,
        }
        found[f"nDCG@{k}"] = math.fsum(1 / math.log2(1 + rank) for rank in within) / n
    return found
