"""What cells and headings say of the rows of a table: the nearer before the farther, whatever the number of rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankconst.arrow import join_texts
from rankconst.catalogue.benchmarks import load_benchmarks
from rankconst.results.formats import read_document
from rankconst.results.labels import read_label
from rankconst.results.tables.contexts import screen
from rankconst.results.vocabulary import list_lexicon, list_values

if TYPE_CHECKING:
    from collections.abc import Callable

_NAMES = sorted(
    {
        *list_lexicon(),
        *list_values(),
        *(name for key, row in load_benchmarks().items() for name in (key, row.title, *row.aliases)),
    }
)
_WRITINGS: tuple[Callable[[str], str], ...] = (str.lower, str.upper, str.title, str)
_OTHERS = ("RotatE", "model", "on", "the", "v2", "13", "-", "_", " ", "(", ")", "/", "OpenBG-IMG", "X", "Wn", "Data")


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
    assert found[0] or not read_label(text).tells
    assert not found[1]


def said(text: str) -> list[str]:
    """Return the address of each number, what is asked of it behind a question mark."""
    shown = []
    for entry in read_document("a.csv", text).entries:
        context = entry.context
        fields = (context.dataset, context.split, context.side, context.protocol, context.rank_type)
        asked = "".join(f" ?{ask.field}" for ask in context.asks)
        shown.append(" ".join(filter(None, fields)) + asked)
    return shown


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # Cell beats column beats a row above.
        ("dataset,split,test_mrr,MRR\nUMLS,valid,.1,.2\nUMLS,,.1,.2\n", ["UMLS valid"] * 2 + ["UMLS test", "UMLS"]),
        ("model,test_mrr,MRR\nValidation,,\nA,.1,.2\n", ["test", "valid"]),
        # What a column is called and what its cells say.
        ("model,Setting,MRR\nA,raw,.1\nB,filtered,.2\nC,with attention,.3\n", ["raw", "filtered", ""]),
        ("model,filtered,MRR\nA,yes,.1\nB,no,.2\nC,partly,.3\n", ["filtered", " ?protocol", " ?protocol"]),
        ("model,source,raw MRR\nA,pykeen,.1\n", ["raw"]),
        # A dataset is a name as a whole.
        ("dataset,MRR\nWN18RR,.1\nWN18RR mini,.2\nUMLS (raw),.3\n", ["WN18RR", "WN18RR mini", "UMLS raw"]),
        ("model,MovieLens HR@10,Pinterest HR@10\nA,.1,.2\n", ["MovieLens", "Pinterest"]),
        # What was left out says nothing.
        ("model,MRR,MRR std,log(MR)\nA,.1,.01,2\n", [""]),
        ("model,MR,filtered MR\nA,20,10\n", [" ?protocol", "filtered"]),
        ("model,MRR_h,MRR (t)\nA,.1,.2\n", [" ?part"] * 2),
        ("model,MRR (DRUM),MRR (RotatE),MR (h)\nA,.1,.2,3\n", [""] * 3),
        ("model,num_candidates,MRR\nA,100,.1\nB,,.2\n", [" ?protocol", ""]),
        ("model,MRR\ndl1_1e-5,.1\nA 1-1,.2\n", ["", " ?part"]),
        ("model,HITS@10 (50 sample),Hits@10 / 50\nA,.1,.2\n", [" ?protocol"]),
        # Steps of a training.
        ("epoch,MRR\n1,.1\n2,.2\n", [" ?split"] * 2),
        ("epoch,valid_mrr\n1,.1\n2,.2\n", ["valid"] * 2),
    ],
)  # fmt: skip
def test_what_a_table_says(text: str, expected: list[str]) -> None:
    assert said(text) == expected


def test_a_million_names_are_no_contexts() -> None:
    text = "model,dataset,MRR\n" + "".join(f"model-{i:06d},UMLS,.3\n" for i in range(3_000)) + "TransE (raw),UMLS,.3\n"
    entries = read_document("a.csv", text).entries
    assert len(entries.contexts) == 2
    assert (entries[7].context.model, entries[-1].context.model) == ("model-000007", "TransE (raw)")
    assert [ask.word for ask in entries[-1].context.asks] == ["raw"]
