"""DataFrames in and out: the same numbers as one at a time, whatever the shape."""

import math
from decimal import Decimal
from fractions import Fraction
from functools import partial
from itertools import compress
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankconst
from cases import for_each
from rankconst.errors import AskedError, DataError, UnknownNameError, UsageError
from rankconst.results.formats import read_document
from rankconst.results.frame import read_frame, read_given
from rankconst.results.reading import Entries, join_entries

pd = pytest.importorskip("pandas", reason="needs pandas")

TABLES = rankconst.load()
adjust = partial(rankconst.adjust, details=True)
FORMS = ("normalised", "index", "z")


def test_a_wide_frame_gets_columns_named_after_the_adjusted_metrics() -> None:
    frame = pd.DataFrame(
        {"dataset": ["FB15k-237", "WN18RR"], "MR": ["177", "3340"], "H@10": ["0.533", "0.571"]}
    )
    out = adjust(frame)
    forms = ("AMR", "AMRI", "ZMR", "Hits@10_normalised", "AH@10", "ZH@10")
    assert list(out.columns[:3]) == list(frame.columns)
    assert {f"{form}{end}" for form in forms for end in ("", "_lower", "_upper")} <= {*out.columns}
    assert list(out["num_tasks"]) == [40932, 6268]
    tasks = out[["split", "side", "protocol", "table_version"]].drop_duplicates()
    assert tasks.to_numpy().tolist() == [["test", "both", "standard", TABLES.version]]


VALUES = st.decimals(min_value="0.2", max_value="0.9", places=4).map(str)
ODD = st.sampled_from(["53.3%", "0.5458 ± 0.0052", "0.5", "0.123456789012345678"])
ROWS = st.tuples(
    st.sampled_from(["fb15k237", "WN18RR", "kinships"]),
    st.sampled_from(["mrr", "hits@1", "Hits@10"]),
    st.sampled_from(["test", "valid"]),
    st.none() | VALUES | ODD,
)


@pytest.mark.slow
@given(st.lists(ROWS, min_size=1, max_size=30))
def test_rows_are_what_each_is_alone(rows: list[tuple[str, str, str, str | None]]) -> None:
    frame = pd.DataFrame(rows, columns=["dataset", "metric", "split", "value"])
    # Each of a model of its own, since those of one may contradict each other.
    out = adjust(frame.assign(model=range(len(frame))))
    for (dataset, metric, split, value), row in zip(rows, out.to_dict("records"), strict=True):
        if value is None:
            assert math.isnan(row["index"])
            continue
        single = TABLES.constants(dataset, metric, split).adjust(value)
        for form in FORMS:
            assert row[form] == pytest.approx(getattr(single, form), rel=1e-14)
            ends = row[f"{form}_lower"], row[f"{form}_upper"]
            assert ends == pytest.approx(getattr(single, f"{form}_interval"), rel=1e-13)


@pytest.mark.parametrize("k", [10.5, "ten", -1])
def test_a_k_that_is_no_whole_number(k: object) -> None:
    frame = pd.DataFrame({"metric": ["hits_at_k"], "k": [k], "value": [0.5]})
    with pytest.raises(DataError, match="'hits_at_k': an unknown metric"):
        adjust(frame, dataset="fb15k237")


# Values of Sun et al. 2019 (RotatE, arXiv:1902.10197), Table 5.
_RESULTS = pd.DataFrame(
    [
        ("FB15k-237", "TransE", 0.294, 0.465), ("FB15k-237", "RotatE", 0.338, 0.533),
        ("WN18RR", "TransE", 0.226, 0.501), ("WN18RR", "RotatE", 0.476, 0.571),
    ],
    columns=["dataset", "model", "MRR", "Hits@10"],
)  # fmt: skip


@for_each("order", [(0, 1), (1, 0)])
@for_each("reset", [True, False])
def test_columns_of_two_levels(order: tuple[int, int], *, reset: bool) -> None:
    wide = _RESULTS.set_index(["model", "dataset"]).unstack("dataset")
    frame = wide.reorder_levels(order, axis=1)
    out = adjust(frame.reset_index() if reset else frame)
    assert out.columns.nlevels == 2
    assert ("table_version", "") in out
    models = out[("model", "")] if reset else out.index
    for dataset, model, mrr in zip(*map(_RESULTS.get, ("dataset", "model", "MRR")), strict=True):
        key = tuple(("AMRR", dataset)[i] for i in order)
        expected = TABLES.constants(dataset, "MRR").index(mrr)
        assert out[key][models == model].tolist() == [pytest.approx(expected, abs=1e-12)]


@pytest.mark.parametrize(
    "levels", [["dataset"], ["dataset", "model"], ["model"], ["model", "dataset"]]
)
def test_an_index_says_what_a_column_of_its_name_does(levels: list[str]) -> None:
    for drop in (True, False):
        out = adjust(_RESULTS.set_index(levels, drop=drop))
        assert out["AMRR"].tolist() == adjust(_RESULTS)["AMRR"].tolist()
        assert out.index.names == levels


UMLS: dict[str, list[Any]] = {"dataset": ["UMLS"], "MRR": [0.5]}
_DATES = pd.to_datetime(["2020-01-01"])
_GROUPS = [("dataset", "Unnamed: 0_level_1"), ("MRR", "valid"), ("Unnamed: 2_level_0", "test")]


def index_by(name: str | None, label: object, **columns: list[Any]) -> Any:
    return pd.DataFrame(columns, index=pd.Index([label], name=name))


def with_attrs(frame: Any, **attrs: object) -> Any:
    frame.attrs = attrs
    return frame


# Frames, their columns as read, and dataset, model, split and text of each number; ~ is before one that was rounded.
FRAMES: dict[str, tuple[Any, list[str], list[str]]] = {
    "an index of names": (index_by(None, "UMLS", MRR=[0.5]), ["", "MRR"], ["UMLS 0.5 ?umls"]),
    "an index that counts": (index_by(None, True, MRR=[0.5]), ["MRR"], ["0.5"]),
    "an index of dates": (index_by(None, _DATES[0], MRR=[0.5]), ["MRR"], ["0.5"]),
    "an index with a name": (index_by("seed", 3, MRR=[0.5]), ["seed", "MRR"], ["3 0.5"]),
    "an index called as another column": (index_by("dataset", "Nations", **UMLS), ["dataset", "dataset (2)", "MRR"], ["0.5 ?dataset"]),
    "an index with the cells of a column": (index_by("dataset", "UMLS", **UMLS), ["dataset", "MRR"], ["UMLS 0.5"]),
    "an index called as two columns": (
        index_by("x", "UMLS", MRR=[0.5]).set_axis(["MRR"], axis=1).join(index_by("x", "UMLS", a=[1], b=[1]).set_axis(["x", "x"], axis=1)),
        ["x", "MRR", "x (2)", "x (3)"], ["UMLS 0.5 ?umls"],
    ),
    "a name that pandas made up": (pd.DataFrame({"Unnamed: 0": ["TransE"], "MRR": [0.5]}), ["", "MRR"], ["TransE 0.5"]),
    "groups that are named once": (
        pd.DataFrame([["UMLS", 0.5, 0.6]], columns=pd.MultiIndex.from_tuples(_GROUPS)), ["dataset", "MRR / valid", "MRR / test"],
        ["UMLS valid 0.5", "UMLS test 0.6"],
    ),
    "a tuple that is one name": (pd.DataFrame([["UMLS", 0.5]], columns=["dataset", ("a", "MRR")]), ["dataset", "('a', 'MRR')"], ["UMLS 0.5"]),
    "texts about all": (with_attrs(pd.DataFrame(UMLS), note="on dev", seeds=3), ["dataset", "MRR"], ["UMLS valid 0.5"]),
    "a name of all columns": (pd.DataFrame(UMLS).rename_axis(columns="valid"), ["dataset", "MRR"], ["UMLS valid 0.5"]),
    "a name of all columns with a word": (pd.DataFrame(UMLS).rename_axis(columns="Of one fold"), ["dataset", "MRR"], ["UMLS 0.5 ?fold"]),
    "an index with a word": (index_by(None, "Of one fold", **UMLS), ["", "dataset", "MRR"], ["UMLS Of one fold 0.5 ?fold"]),
    "categories": (pd.DataFrame({"dataset": ["UMLS"], "MRR": [".5"]}, dtype="category"), ["dataset", "MRR"], ["UMLS ~.5"]),
    "numbers that may lack": (pd.DataFrame({"dataset": ["UMLS"] * 2, "MRR": pd.array([0.5, None], dtype="Float64")}), ["dataset", "MRR"], ["UMLS 0.5"]),
    "a long frame": (pd.DataFrame({"dataset": ["UMLS"], "metric": ["mrr"], "value": [0.5]}), ["dataset", "metric", "value"], ["UMLS 0.5"]),
    "texts of Arrow": (pd.DataFrame({"dataset": ["UMLS", None], "MRR": [".5 ", " .6"]}, dtype="string[pyarrow]"), ["dataset", "MRR"], ["UMLS ~.5", "~.6"]),
    "cells of any kind": (pd.DataFrame({"model": ["A", 3.0, None], "MRR": [".5", 0.6, math.inf]}), ["model", "MRR"], ["A ~.5", "3 0.6", "~inf"]),
    "large numbers, times and decimals": (
        pd.DataFrame({"model": [1e15, 1e14, pd.NaT], "MRR": [Decimal("0.50"), 0.6, 0.7]}, dtype=object), ["model", "MRR"],
        ["1000000000000000.0 ~0.50", "100000000000000 0.6", "0.7"],
    ),
    "whole numbers": (pd.DataFrame({"k": [1, 10], "metric": "hits", "value": [1, 0]}), ["k", "metric", "value"], ["1.0", "0.0"]),
}  # fmt: skip


@for_each("case", FRAMES)
def test_what_a_frame_says(case: str) -> None:
    frame, columns, said = FRAMES[case]
    reading = read_frame(frame)[0]
    assert (reading.form, [*reading.columns]) == ("frame", columns)
    assert reading.layout == ("long" if "value" in columns else "wide")
    shown = []
    for entry in reading.entries:
        of = entry.context
        asked = [f"?{question.word or question.field}" for question in of.questions]
        text = entry.text if entry.exact else f"~{entry.text}"
        shown.append(" ".join(filter(None, [of.dataset, of.model, of.split, text, *asked])))
    assert shown == said


def test_ranks_dicts_and_paths_are_read_as_files_are(tmp_path: Path) -> None:
    reading = read_given(rankconst.from_ranks({"head": [1, 2], "tail": [6]}))
    assert reading.name == "the ranks"
    means = [each for each in reading.entries if each.metric.label == "MR"]
    assert [(each.context.side, each.text, each.context.num_tasks) for each in means] == [
        ("both", "3.0", 3), ("head", "1.5", 2), ("tail", "6.0", 1),
    ]  # fmt: skip
    tail = read_given(rankconst.from_ranks({"tail": [6]})).entries
    assert {each.context.side for each in tail} == {"tail"}
    path = tmp_path / "a.csv"
    path.write_text("dataset,MRR\nUMLS,.5\n", "utf-8")
    assert [read_given(each).entries[0].text for each in (path, [path, path])] == [".5", ".5"]
    assert read_given(reading) is reading
    odd = {"mrr": "x", "mr": "3"}
    assert len(read_given(odd).skipped) == 1
    with pytest.raises(DataError, match="the dict: not everything can be read"):
        read_given(odd, strict=True)
    with pytest.raises(UsageError, match="a DataFrame or a Reading, got SimpleNamespace"):
        read_given(SimpleNamespace(iloc=0))


def test_what_is_left_out_of_a_frame_is_in_its_reading_and_its_notes() -> None:
    frame = pd.DataFrame(
        {"dataset": ["UMLS"] * 3, "MRR": ["x", "0.1.2", ".5"], "MR": ["y", "3", "4"]}
    )
    assert [skip.what for skip in read_frame(frame)[0].skipped] == ["row 0: 'x'", "row 1: '0.1.2'", "row 0: 'y'"]  # fmt: skip
    first, second, third = adjust(frame)["note"]
    assert first == "'x': not a number, in column MRR; 'y': not a number, in column MR"
    assert second.startswith("'0.1.2': not a number")
    assert third == ""


def test_the_metrics_of_percentages_may_be_named() -> None:
    frame = pd.DataFrame({"MRR": [0.5], "Hits@10": [0.9], "Hits@3": ["60%"]})
    entries = read_frame(frame, ["hits@10", "hits@3"])[0].entries
    assert [each.text for each in entries] == ["0.5", "0.9%", "60%"]


def test_decimals_widen_floats() -> None:
    frame = pd.DataFrame({"MRR": [0.34], "MR": [177.0]})
    out = adjust(frame, dataset="fb15k237", decimals={"mrr": 3})
    assert (out["MRR_lower"][0], out["MRR_upper"][0]) == pytest.approx((0.3395, 0.3405))
    assert out["MR_lower"][0] == out["MR_upper"][0] == 177.0


@pytest.mark.parametrize(
    ("columns", "shares"),
    [
        ({"MRR": [0.338, 0.3], "Hits@10": [53.3, 48.1]}, [[0.338, 0.3], [0.533, 0.481]]),
        ({"MRR": ["33.8", "30.1"], "Hits@10": ["53.3%", "0.481"]}, [[0.338, 0.301], [0.533, 0.481]]),
        ({"MRR": [33.8, 30.1, 0.412], "MR": [170, 180, 190]}, [[0.338, 0.301, None]]),
        ({"Hits@1": [0.4, 23.4]}, [[None, 0.234]]),
    ],
)  # fmt: skip
def test_percentages_are_told_by_the_numbers_as_in_files(
    columns: dict[str, Any], shares: list[list[Any]]
) -> None:
    frame = pd.DataFrame(columns)
    out = adjust(frame, dataset="wn18rr", errors="note")
    path = adjust(read_document("f.csv", frame.to_csv()), dataset="wn18rr").to_pandas()
    for name, expected in zip(columns, shares, strict=False):
        constants = TABLES.constants("wn18rr", name)
        adjusted = [math.nan if each is None else constants.index(each) for each in expected]
        for found in (out, path):
            values = found[constants.metric.name_of("index")].tolist()
            assert values == pytest.approx(adjusted, rel=1e-12, nan_ok=True)
    if any(None in each for each in shares):
        with pytest.raises(DataError, match="a fraction or a percentage"):
            adjust(frame, dataset="wn18rr", errors="raise")


@for_each("named", ["relation", "rel", "name", "model"])
def test_rows_of_single_relations_have_the_tasks_of_these(named: str) -> None:
    relations = {"_hypernym": "_hypernym", "also see": "_also_see"}
    frame = pd.DataFrame({"dataset": ["WN18RR"] * 2, named: [*relations], "MRR": [0.3, 0.4]})
    for out in (adjust(frame), adjust(frame.iloc[:, 1:], dataset="wn18rr")):
        for value, name, adjusted in zip([0.3, 0.4], relations.values(), out["AMRR"], strict=True):
            tasks = TABLES.histogram("wn18rr", relations=name)
            counts = rankconst.from_counts(tasks.num_candidates.repeat(tasks.num_tasks))
            assert adjusted == pytest.approx(counts.constants("mrr").index(value), rel=1e-12)


def test_a_column_names_the_average_unless_every_task_counts_once() -> None:
    frame = pd.DataFrame({"dataset": ["nations"], "MRR": [0.4]})
    assert "aggregation" not in adjust(frame)
    assert adjust(frame, aggregation="macro query")["aggregation"].tolist() == ["macro-query"]
    assert "aggregation_added" not in adjust(frame.assign(aggregation="Macro Query"))


def test_what_cannot_be_adjusted_does_not_cost_the_rest() -> None:
    names = ["nations", "NELL-One", "nations", "nations", "nations"]
    numbers = [0.5, 0.4, 1.5, math.inf, 0.3]
    for cells in (numbers, [*map(str, numbers)]):
        out = adjust(pd.DataFrame({"dataset": names, "MRR": cells}))
        index = TABLES.constants("nations", "mrr").index
        assert out["AMRR"].dropna().tolist() == pytest.approx([index(0.5), index(0.3)], rel=1e-3)
        assert out["AMRR"].notna().tolist() == [True, False, False, False, True]
        assert [bool(note) for note in out["note"]] == [False, True, True, True, False]
        assert "few-shot" in out["note"][1]
    frame = pd.DataFrame({"MRR": [0.5, 0.4, 1.5]}, index=[5, 6, 7])
    with pytest.raises(DataError, match=r"the DataFrame, MRR, row 2: 1\.5"):
        adjust(frame, dataset="nations", strict=True)


@for_each("errors", [None, "raise"])
@for_each("where", ["column", "index"])
def test_rows_that_are_not_asked_for_are_left_as_they_are(where: str, errors: Any) -> None:
    frame = pd.DataFrame({"dataset": ["FB15k-237", "WN18RR"], "MRR": [0.338, 0.476]})
    if where == "index":
        frame = frame.set_index("dataset")
    out = adjust(frame, dataset="fb15k237", errors=errors)
    first, second = out["AMRR"]
    assert first == TABLES.constants("fb15k237", "mrr").index(0.338)
    assert math.isnan(second)
    assert "note" not in out


def test_no_column_comes_twice(tmp_path: Path) -> None:
    known = TABLES.constants("nations", "mrr").index(0.5)
    frame = pd.DataFrame(
        {"dataset": ["nations"], "MRR": [0.5], "AMRR": [known], "note": ["mine"]}
        | {"table_version": ["t"], "num_tasks": [402]}
    )
    out = adjust(frame, errors="note")
    assert out.columns.is_unique
    assert out[list(frame.columns)].equals(frame)
    added = out[["AMRR_added", "note_added", "table_version_added", "num_tasks_added"]]
    assert added.iloc[0].tolist() == [known, "", TABLES.version, 402]
    frame.to_csv(tmp_path / "results.csv", index=False)
    read = adjust(tmp_path / "results.csv").to_pandas()
    assert read.columns.is_unique
    assert (read["note"][0], read["AMRR_added"].notna().all()) == ("mine", True)


def test_an_empty_frame_stays_empty() -> None:
    out = adjust(pd.DataFrame({"dataset": [], "MRR": []}))
    assert len(out) == 0
    assert "AMRR" in out


@for_each(
    ("columns", "options", "error", "message"),
    [
        ({"a": [1], "b": [2]}, {}, DataError, "no column holds a metric; there are: a, b"),
        ({}, {}, DataError, "no column holds a metric; there are: none"),
        ({"dataset": ["nations"], "MRR": [float("inf")]}, {}, DataError, "row 0: no ranks give MRR inf"),
        ({"dataset": ["nations"], "MRR": [53.3]}, {"percent": False}, DataError, "If it is a percentage"),
        ({"dataset": ["nations"], "MR": ["53%"]}, {}, DataError, "MR is not a share"),
        ({"dataset": ["nation", "ulms"], "MRR": [0.5, 0.5]}, {}, UnknownNameError, "unknown dataset 'nation'"),
        ({"MRR": [0.5]}, {}, DataError, "no dataset is named"),
        ({"MRR": [0.5]}, {"dataset": "Freebase", "tool": "dglke"}, DataError, "sampled"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused(
    columns: dict[str, Any], options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        adjust(pd.DataFrame(columns), **options)


@pytest.mark.parametrize(
    "cell",
    [10**400, -(10**5000), Fraction(10**5000, 3), np.timedelta64(1, "s")],
    ids=["400", "5,000", "1/3", "1 s"],
)
def test_a_number_like_no_other_costs_no_other_cell(cell: object) -> None:
    cells = pd.Series([cell, 0.4], dtype=object)
    out = adjust(pd.DataFrame({"dataset": ["nations", "umls"], "MRR": cells}))
    assert "not a number" in out["note"][0]
    assert out["AMRR"].isna().tolist() == [True, False]
    assert out["AMRR"][1] == TABLES.constants("umls", "mrr").index(0.4)


def test_a_row_that_is_asked_about_is_left_out_and_its_note_is_the_question() -> None:
    frame = pd.DataFrame(
        {"dataset": ["umls"] * 2, "Model": ["TransE (raw)", "Inverse Model"], "MRR": [0.5, 0.6]}
    )
    out = adjust(frame)
    assert out["AMRR"].isna().tolist() == [True, False]
    assert '"raw" in its row' in out["note"][0]
    assert not out["note"][1]
    assert out.attrs["assumed"]["split"] == ["test"]
    assert [each["rows"] for each in out.attrs["asked"]] == [[0]]
    assert adjust(frame, protocol="raw")["AMRR"].notna().all()
    assert adjust(frame, accept=["raw"])["AMRR"].notna().all()
    with pytest.raises(AskedError, match="raw"):
        adjust(frame, errors="raise")
    with pytest.raises(AskedError, match="raw"):
        adjust(frame[:1])


def test_a_column_twice_has_two_results_once_you_say_that_it_is_of_the_same_tasks() -> None:
    frame = pd.DataFrame([[0.5, 0.6, 0.7]], columns=["MRR", "MRR", "mrr"])
    with pytest.raises(AskedError, match='accept=\\["twice"\\]'):
        adjust(frame, dataset="nations")
    out = adjust(frame, dataset="nations", accept=["twice"])
    index = TABLES.constants("nations", "mrr").index
    names = [name for name in out if str(name).startswith("AMRR") and "er" not in name]
    assert sorted(float(out[name][0]) for name in names) == [index(each) for each in frame.iloc[0]]


CELLS = st.sampled_from([0.25, "0.3", "0.45", None])


@given(st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=1, max_size=5), st.randoms())
def test_numbers_are_in_the_order_of_rows_whatever_kinds_their_columns_hold(
    rows: list[tuple[object, ...]], random: Random
) -> None:
    columns = ["MRR", "Hits@1", "Hits@10"]
    cells = [
        (i, column, str(cell), isinstance(cell, float))
        for i, row in enumerate(rows)
        for column, cell in zip(columns, row, strict=True)
        if cell is not None
    ]

    def show(entries: Entries) -> list[tuple[object, ...]]:
        return [(each.row, each.column, each.text, each.exact) for each in entries]

    entries = read_frame(pd.DataFrame(rows, columns=columns, dtype=object))[0].entries
    assert show(entries) == cells
    assert entries.rows.tolist() == [cell[0] for cell in cells]
    assert entries.values.tolist() == [float(cell[2]) for cell in cells]
    chosen = np.array([random.random() < 0.5 for _ in cells], dtype=np.bool_)
    assert show(entries.keep(chosen)) == [*compress(cells, chosen)]
    signed = entries.rewrite(chosen, percent=True)
    assert show(signed.keep(chosen)) == [
        (row, column, f"{text}%", exact) for row, column, text, exact in compress(cells, chosen)
    ]
    assert show(signed.keep(~chosen)) == [*compress(cells, ~chosen)]
    below = [(row + len(rows), *others) for row, *others in cells]
    assert show(join_entries([entries, entries], [len(rows)] * 2)) == cells + below
