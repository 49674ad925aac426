"""DataFrames in and out: the same numbers as one at a time, whatever the shape."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankconst
from rankconst.errors import DataError, UnknownNameError, UsageError
from rankconst.results.formats import read_document

if TYPE_CHECKING:
    from pathlib import Path

pd = pytest.importorskip("pandas", reason="needs pandas")

TABLES = rankconst.load()
FORMS = ("normalised", "index", "z")

# Sun et al. 2019 (arXiv:1902.10197), table 5: RotatE.
ROTATE = {
    "dataset": ["FB15k-237", "WN18RR"],
    "MR": ["177", "3340"],
    "MRR": ["0.338", "0.476"],
    "H@10": ["0.533", "0.571"],
}


def test_a_wide_frame_gets_columns_named_after_the_adjusted_metrics() -> None:
    out = rankconst.adjust(pd.DataFrame(ROTATE))
    assert list(out.columns[:4]) == list(ROTATE)
    for column, (normalised, index, z) in {
        "MR": ("AMR", "AMRI", "ZMR"),
        "MRR": ("MRR_normalised", "AMRR", "ZMRR"),
        "H@10": ("Hits@10_normalised", "AH@10", "ZH@10"),
    }.items():
        for row, dataset in enumerate(ROTATE["dataset"]):
            single = TABLES.constants(dataset, column).adjust(ROTATE[column][row])
            for form, name in zip(FORMS, (normalised, index, z), strict=True):
                assert out[name][row] == getattr(single, form)
                assert (out[f"{name}_lower"][row], out[f"{name}_upper"][row]) == getattr(single, f"{form}_interval")
    assert list(out["num_tasks"]) == [40932, 6268]
    assert (set(out["split"]), set(out["side"]), set(out["protocol"])) == ({"test"}, {"both"}, {"standard"})
    assert set(out["table_version"]) == {TABLES.version}


def test_a_long_frame_gets_the_forms_as_columns() -> None:
    frame = pd.DataFrame(
        {
            "Dataset": ["nations", "Nations", "umls"],
            "Metric": ["mrr", "hits_at_k", "MR"],
            "k": [None, 10, None],
            "Split": ["test", "validation", "test"],
            "Side": ["head", "both", "right"],
            "Value": [0.5, 0.96, 3.0],
        },
        index=[7, 8, 9],
    )
    out = rankconst.adjust(frame, protocol="pykeen")
    singles = [
        TABLES.constants("nations", "mrr", "test", "head", "pykeen").adjust(0.5),
        TABLES.constants("nations", "hits@10", "valid", "both", "pykeen").adjust(0.96),
        TABLES.constants("umls", "mr", "test", "tail", "pykeen").adjust(3.0),
    ]
    assert list(out.index) == [7, 8, 9]
    for form in FORMS:
        assert list(out[form]) == [getattr(single, form) for single in singles]
    assert (out["index_lower"] == out["index_upper"]).all()


@pytest.mark.slow
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["fb15k237", "WN18RR", "kinships"]),
            st.sampled_from(["mrr", "hits@1", "Hits@10"]),
            st.sampled_from(["test", "valid"]),
            st.one_of(
                st.none(),
                st.decimals(min_value="0.2", max_value="0.9", places=4).map(str),
                st.sampled_from(["53.3%", "0.5458 ± 0.0052", "0.5", "+0.33", "0.123456789012345678"]),
            ),
        ),
        min_size=1,
        max_size=30,
    )
)
def test_rows_are_what_each_is_alone(rows: list[tuple[str, str, str, str | None]]) -> None:
    frame = pd.DataFrame(rows, columns=["dataset", "metric", "split", "value"])
    # Each of a model of its own, since those of one may contradict each other.
    out = rankconst.adjust(frame.assign(model=range(len(frame))))
    for (dataset, metric, split, value), row in zip(rows, out.to_dict("records"), strict=True):
        if value is None:
            assert math.isnan(row["index"])
            continue
        single = TABLES.constants(dataset, metric, split).adjust(value)
        for form in FORMS:
            assert row[form] == pytest.approx(getattr(single, form), rel=1e-14)
            for end, at in zip(getattr(single, f"{form}_interval"), ("lower", "upper"), strict=True):
                assert row[f"{form}_{at}"] == pytest.approx(end, rel=1e-13)


def test_sources_and_headings_say_how_a_row_was_evaluated() -> None:
    frame = pd.DataFrame(
        {"dataset": ["wn18rr"] * 2, "source": ["pykeen", "rotate"], "MRR": [0.4, 0.4], "raw_MRR": [0.3, 0.3]}
    )
    out = rankconst.adjust(frame)
    assert list(out["protocol"]) == ["pykeen", "standard"]
    assert list(out["num_tasks"]) == [5848, 6268]
    raw = TABLES.constants("wn18rr", "mrr", protocol="raw").adjust(0.3)
    assert list(out["raw_AMRR"]) == [raw.index] * 2


def test_headings_say_dataset_split_and_percent() -> None:
    frame = pd.DataFrame({"MRR (WN18RR)": ["0.476"], "valid_raw_mrr": ["0.3"], "Hits@1 (%)": ["24.1"]})
    out = rankconst.adjust(frame.iloc[:, 1:], dataset="fb15k237")
    assert out["valid_raw_mrr_num_tasks" if "valid_raw_mrr_num_tasks" in out else "MRR_num_tasks"][0] == 35070
    assert out["AMRR"][0] == TABLES.constants("fb15k237", "mrr", "valid", protocol="raw").adjust("0.3").index
    assert out["AH@1"][0] == TABLES.constants("fb15k237", "hits@1").adjust("24.1%").index
    assert out["num_tasks"][0] == 40932
    other = rankconst.adjust(frame.iloc[:, :1])
    assert other["AMRR"][0] == TABLES.constants("wn18rr", "mrr").adjust("0.476").index
    with pytest.raises(UsageError, match="WN18RR, but fb15k237 was asked for"):
        rankconst.adjust(frame.iloc[:, :1], dataset="fb15k237")


def test_a_column_of_splits_sides_or_protocols_is_known_by_its_cells() -> None:
    cells = {
        "Entity": ["head", "tail", "average"],
        "phase": ["val", "test", "test"],
        "Setting": ["raw", "filtered", "raw"],
    }
    out = rankconst.adjust(pd.DataFrame({"dataset": ["WN18RR"] * 3, **cells, "MRR": ["0.3"] * 3}))
    assert list(zip(out["side"], out["split"], out["protocol"], strict=True)) == [
        ("head", "valid", "raw"), ("tail", "test", "standard"), ("both", "test", "raw"),
    ]  # fmt: skip


def test_a_column_that_says_yes_or_no_of_filtering() -> None:
    frame = pd.DataFrame({"MRR": [0.3, 0.2, 0.1], "filtered": [True, False, True], "Raw": [0, 1, 0]})
    for column in ("filtered", "Raw"):
        out = rankconst.adjust(frame[["MRR", column]], dataset="wn18rr")
        assert list(out["protocol"]) == ["standard", "raw", "standard"]
    unclear = pd.DataFrame({"MRR": [0.3, 0.2], "filtered": ["yes", "x"]})
    with pytest.raises(DataError, match="'x' in column filtered is not understood; expected yes or no"):
        rankconst.adjust(unclear, dataset="wn18rr", errors="raise")


def test_adjusted_and_missing_rows_of_a_long_frame_are_left_alone() -> None:
    names = ["mrr", "adjusted_hits_at_10", "adjusted_arithmetic_mean_rank_index", "count", None, "z_mrr"]
    out = rankconst.adjust(
        pd.DataFrame({"metric": names, "value": [0.5, 0.4, 0.3, 402.0, 0.2, 3.0]}), dataset="nations"
    )
    assert out["index"].notna().tolist() == [True, False, False, False, False, False]


@pytest.mark.parametrize("k", [10.5, "ten", -1])
def test_a_k_that_is_no_whole_number(k: object) -> None:
    frame = pd.DataFrame({"metric": ["hits_at_k"], "k": [k], "value": [0.5]})
    with pytest.raises(DataError, match="expected a whole number"):
        rankconst.adjust(frame, dataset="fb15k237")


def test_dtypes_of_all_kinds() -> None:
    texts = pd.DataFrame({"dataset": ["nations", None, "nations"], "MRR": ["0.5", "0.4", None]}, dtype="string")
    with pytest.raises(DataError, match="no dataset is named"):
        rankconst.adjust(texts, errors="raise")
    whole = texts.iloc[[0, 2]]
    expected = TABLES.constants("nations", "mrr").adjust("0.5").index
    for frame in (whole, whole.astype("category"), whole.astype(object)):
        out = rankconst.adjust(frame)
        assert out["AMRR"].iloc[0] == expected
        assert math.isnan(out["AMRR"].iloc[1])
    numbers = pd.DataFrame({"MRR": pd.array([0.5, None], dtype="Float64")})
    assert rankconst.adjust(numbers, dataset="nations")["AMRR"].isna().tolist() == [False, True]
    mixed = pd.DataFrame({"MRR": [0.5, "0.5", "-"]})
    out = rankconst.adjust(mixed, dataset="nations")
    assert list(out["AMRR"][:2]) == [expected, expected]
    assert out["MRR_lower"][0] > out["MRR_lower"][1]


# Values of Sun et al. 2019 (RotatE, arXiv:1902.10197), Table 5.
_RESULTS = pd.DataFrame(
    [
        ("FB15k-237", "TransE", 0.294, 0.465), ("FB15k-237", "RotatE", 0.338, 0.533),
        ("WN18RR", "TransE", 0.226, 0.501), ("WN18RR", "RotatE", 0.476, 0.571),
    ],
    columns=["dataset", "model", "MRR", "Hits@10"],
)  # fmt: skip


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
@pytest.mark.parametrize("reset", [True, False])
def test_columns_of_two_levels(order: tuple[int, int], *, reset: bool) -> None:
    frame = _RESULTS.set_index(["model", "dataset"]).unstack("dataset").reorder_levels(order, axis=1)
    out = rankconst.adjust(frame.reset_index() if reset else frame)
    assert out.columns.nlevels == 2
    for _, row in _RESULTS.iterrows():
        for metric, name in (("MRR", "AMRR"), ("Hits@10", "AH@10")):
            key = tuple((name, row["dataset"])[i] for i in order)
            found = out[key][out[("model", "")] == row["model"]] if reset else out.loc[[row["model"]], key]
            expected = TABLES.constants(row["dataset"], metric).adjust(str(row[metric])).index
            assert found.tolist() == [pytest.approx(expected, abs=1e-12)]


def test_columns_of_two_levels_without_a_reading() -> None:
    frame = pd.DataFrame([[0.3, 0.4]], columns=pd.MultiIndex.from_tuples([("A", "x"), ("A", "y")]))
    with pytest.raises(DataError, match="no column holds a metric; there are: A / x, A / y"):
        rankconst.adjust(frame)
    frame.columns = pd.MultiIndex.from_tuples([("A", "MRR"), ("B", "MRR")])
    with pytest.raises(UnknownNameError, match="unknown dataset 'A'"):
        rankconst.adjust(frame, errors="raise")


@pytest.mark.parametrize("levels", [["dataset"], ["dataset", "model"], ["model"], ["model", "dataset"]])
def test_an_index_says_what_a_column_of_its_name_does(levels: list[str]) -> None:
    expected = rankconst.adjust(_RESULTS)
    out = rankconst.adjust(_RESULTS.set_index(levels))
    assert out["AMRR"].tolist() == expected["AMRR"].tolist()
    assert out.index.names == levels
    kept = rankconst.adjust(_RESULTS.set_index(levels, drop=False))
    assert kept["AMRR"].tolist() == expected["AMRR"].tolist()


def test_an_index_is_not_passed_over() -> None:
    out = rankconst.adjust(_RESULTS.set_index("dataset"), dataset="fb15k237")
    assert out["AMRR"].isna().tolist() == [False, False, True, True]
    splits = pd.DataFrame({"MRR": [0.5, 0.5]}, index=pd.Index(["valid", "test"], name="split"))
    both = [TABLES.constants("nations", "mrr", split=split).adjust(0.5).index for split in ("valid", "test")]
    assert rankconst.adjust(splits, dataset="nations")["AMRR"].tolist() == both
    assert both[0] != both[1]
    counted = pd.DataFrame({"MRR": [0.5, 0.5]}, index=[7, 9])
    assert rankconst.adjust(counted, dataset="nations")["AMRR"].tolist() == both[1:] * 2


def test_what_is_no_frame() -> None:
    with pytest.raises(UsageError, match="expected a path, a dict, a DataFrame or a Reading, got list"):
        rankconst.adjust([0.3])


def test_two_columns_of_one_name() -> None:
    frame = pd.DataFrame([[0.5, 0.6]], columns=["MRR", "MRR"])
    with pytest.raises(UsageError, match="two columns"):
        rankconst.adjust(frame, dataset="nations")


def test_decimals_widen_floats() -> None:
    frame = pd.DataFrame({"MRR": [0.34], "MR": [177.0]})
    out = rankconst.adjust(frame, dataset="fb15k237", decimals={"mrr": 3})
    assert (out["MRR_lower"][0], out["MRR_upper"][0]) == pytest.approx((0.3395, 0.3405))
    assert out["MR_lower"][0] == out["MR_upper"][0] == 177.0


def test_percentages() -> None:
    frame = pd.DataFrame({"Hits@10": [53.3], "MR": [177.0]})
    out = rankconst.adjust(frame, dataset="fb15k237", percent=True)
    assert out["AH@10"][0] == pytest.approx(TABLES.constants("fb15k237", "hits@10").index(0.533), rel=1e-15)
    assert out["AMRI"][0] == TABLES.constants("fb15k237", "mr").index(177.0)


def test_fractions_are_not_taken_for_percentages() -> None:
    for column in ([0.338], ["0.338"]):
        frame = pd.DataFrame({"MRR": column, "Hits@10": [53.3]})
        with pytest.raises(DataError, match="column MRR: every value is at most 1"):
            rankconst.adjust(frame, dataset="fb15k237", percent=True)
        out = rankconst.adjust(frame, dataset="fb15k237", percent=["h@10"])
        assert out["AMRR"][0] == TABLES.constants("fb15k237", "mrr").index(0.338)
        assert out["AH@10"][0] == pytest.approx(TABLES.constants("fb15k237", "hits@10").index(0.533), rel=1e-15)


@pytest.mark.parametrize(
    ("columns", "shares"),
    [
        ({"MRR": [0.338, 0.3], "Hits@10": [53.3, 48.1]}, [[0.338, 0.3], [0.533, 0.481]]),
        ({"MRR": [33.8, 30.1, 0.4], "Hits@10": [53.3, 48.1, 2.2]}, [[0.338, 0.301, 0.004], [0.533, 0.481, 0.022]]),
        ({"MRR": ["33.8", "30.1"], "Hits@10": ["53.3%", "0.481"]}, [[0.338, 0.301], [0.533, 0.481]]),
        ({"MRR": [33.8, 30.1, 0.412], "MR": [1, 2, 3]}, [[0.338, 0.301, None]]),
        ({"Hits@1": [23.4, 20.1], "Hits@10": [40.1, 0.4]}, [[0.234, 0.201], [0.401, None]]),
        ({"Hits@1": [0.4, 23.4]}, [[None, 0.234]]),
    ],
)  # fmt: skip
def test_percentages_are_told_by_the_numbers_as_in_files(columns: dict[str, Any], shares: list[list[Any]]) -> None:
    frame = pd.DataFrame(columns)
    out = rankconst.adjust(frame, dataset="wn18rr", errors="note")
    path = rankconst.adjust(read_document("f.csv", frame.to_csv()), dataset="wn18rr").to_pandas()
    for name, expected in zip(columns, shares, strict=False):
        index = TABLES.constants("wn18rr", name).index
        adjusted = [math.nan if value is None else index(value) for value in expected]
        label = TABLES.constants("wn18rr", name).metric.name_of("index")
        assert out[label].tolist() == pytest.approx(adjusted, rel=1e-12, nan_ok=True)
        assert path[label].tolist() == pytest.approx(adjusted, rel=1e-12, nan_ok=True)
    if any(None in each for each in shares):
        with pytest.raises(DataError, match=r"a fraction or a percentage. Add percent=True"):
            rankconst.adjust(frame, dataset="wn18rr", errors="raise")


@pytest.mark.parametrize(("percent", "share"), [(True, 0.00533), (False, 0.533)])
def test_percent_says_what_fractions_below_a_percent_sign_are(percent: bool, share: float) -> None:
    frame = pd.DataFrame({"model": ["A"], "Hits@10 (%)": [0.533]})
    index = TABLES.constants("wn18rr", "hits@10").index(share)
    assert rankconst.adjust(frame, dataset="wn18rr", percent=percent)["AH@10"][0] == pytest.approx(index, rel=1e-12)


def test_fractions_below_a_percent_sign_are_refused() -> None:
    with pytest.raises(DataError, match=r"column Hits@10 \(%\): the heading says percent"):
        rankconst.adjust(pd.DataFrame({"Hits@10 (%)": [0.533, 0.5]}), dataset="fb15k237")
    out = rankconst.adjust(pd.DataFrame({"Hits@1 (%)": [0.9], "Hits@10 (%)": ["2.5"]}), dataset="fb15k237")
    assert out["AH@1"][0] == pytest.approx(TABLES.constants("fb15k237", "hits@1").index(0.009), rel=1e-15)


@pytest.mark.parametrize("named", ["relation", "rel", "name", "model"])
def test_rows_of_single_relations_have_the_tasks_of_these(named: str) -> None:
    frame = pd.DataFrame({"dataset": ["WN18RR"] * 2, named: ["_hypernym", "also see"], "MRR": [0.3, 0.4]})
    for out in (rankconst.adjust(frame), rankconst.adjust(frame.iloc[:, 1:], dataset="wn18rr")):
        for value, name, adjusted in zip([0.3, 0.4], ["_hypernym", "_also_see"], out["AMRR"], strict=True):
            tasks = TABLES.histogram("wn18rr", relations=name)
            counts = rankconst.from_counts(tasks.num_candidates.repeat(tasks.num_tasks))
            assert adjusted == pytest.approx(counts.constants("mrr").index(value), rel=1e-12)
    kinds = pd.DataFrame({"category": ["1-1", "1-N"], "MRR": [0.3, 0.4]})
    with pytest.raises(DataError, match="the relations that are 1-1"):
        rankconst.adjust(kinds, dataset="wn18rr")


@pytest.mark.parametrize("heading", ["model", "name"])
def test_names_say_what_their_counterparts_confirm(heading: str) -> None:
    out = rankconst.adjust(pd.DataFrame({heading: ["A tail", "A head", "B"], "MRR": [0.3] * 3}), dataset="wn18rr")
    assert list(out["side"]) == ["tail", "head", "both"]
    with pytest.raises(DataError, match="'A tail' may say side tail"):
        rankconst.adjust(pd.DataFrame({heading: ["A tail", "B"], "MRR": [0.3] * 2}), dataset="wn18rr", errors="raise")


def test_names_and_deviations_are_read_as_in_files() -> None:
    frame = pd.DataFrame({"model": ["A (raw)", "A (valid)", None], "MRR": [0.3, 0.4, 0.5], "std": [0.1, 0.1, 0.1]})
    out = rankconst.adjust(frame, dataset="wn18rr")
    assert list(zip(out["split"], out["protocol"], strict=True)) == [
        ("test", "raw"), ("valid", "standard"), ("test", "standard"),
    ]  # fmt: skip
    assert not any(str(name).startswith("SDR") for name in out.columns)


@pytest.mark.parametrize("label", ["Improvement", "Std", "Δ", "Average", "提升", "A (type-constrained)"])
@pytest.mark.parametrize("index", [False, True])
def test_rows_that_are_no_results_are_left_out_as_in_files(label: str, index: bool) -> None:
    names, numbers = ["A", label, "Standard"], {"MRR": [0.3, 0.05, 0.4]}
    frame = pd.DataFrame(numbers, index=names) if index else pd.DataFrame({"Model": names, **numbers})
    out = rankconst.adjust(frame, dataset="wn18rr")
    assert out["AMRR"].notna().tolist() == [True, False, True]
    assert [bool(note) for note in out["note"]] == [False, True, False]


def test_reasons_of_two_columns_are_left_out_together() -> None:
    frame = pd.DataFrame({"Model": ["A", "Std", "A", "B"], "MRR": [0.3, 0.05, 0.4, 0.2]})
    frame["Candidates"] = ["all", "all", "type-constrained", "all"]
    frame["Sampler"] = ["all", "all", "all", "type-constrained"]
    out = rankconst.adjust(frame.assign(Notes=["", "", "", "with type constraints"]), dataset="wn18rr")
    assert out["AMRR"].notna().tolist() == [True, False, False, False]
    assert rankconst.adjust(frame, dataset="wn18rr")["AMRR"].notna().tolist() == [True, False, False, True]
    long = pd.DataFrame({"Model": ["A", "Std"], "metric": ["mrr", "mrr"], "value": [0.3, 0.05]})
    assert rankconst.adjust(long, dataset="wn18rr")["index"].notna().tolist() == [True, False]


def test_rows_of_unknown_datasets_can_be_noted() -> None:
    frame = pd.DataFrame(
        {"dataset": ["nations", "atlantis", "Freebase"], "source": ["", "", "dglke"], "MRR": [0.5] * 3}
    )
    out = rankconst.adjust(frame, errors="note")
    assert out["AMRR"].notna().tolist() == [True, False, False]
    assert out["note"][0] == ""
    assert "unknown dataset 'atlantis'" in out["note"][1]
    assert "sampled" in out["note"][2]
    assert out["num_tasks"].tolist()[1:] == [0, 0]


def test_what_cannot_be_adjusted_does_not_cost_the_rest() -> None:
    names, numbers = ["nations", "NELL-One", "nations", "nations", "nations"], [0.5, 0.4, 1.5, math.inf, 0.3]
    good = [TABLES.constants("nations", "mrr").index(number) for number in (0.5, 0.3)]
    for cells in (numbers, [*map(str, numbers)]):
        out = rankconst.adjust(pd.DataFrame({"dataset": names, "MRR": cells}))
        assert out["AMRR"].dropna().tolist() == pytest.approx(good, rel=1e-3)
        assert out["AMRR"].notna().tolist() == [True, False, False, False, True]
        assert [bool(note) for note in out["note"]] == [False, True, True, True, False]
        assert "few-shot" in out["note"][1]
    with pytest.raises(UnknownNameError, match="few-shot"):
        rankconst.adjust(pd.DataFrame({"dataset": names[1:2], "MRR": [0.4]}))
    with pytest.raises(DataError, match=r"column MRR, row 7: 1\.5"):
        rankconst.adjust(pd.DataFrame({"MRR": [0.5, 0.4, 1.5]}, index=[5, 6, 7]), dataset="nations", strict=True)


def test_missing_values_stay_missing_and_nothing_else_changes() -> None:
    frame = pd.DataFrame({"dataset": ["nations", "nations"], "note": ["a", "b"], "MRR": [0.5, float("nan")]})
    before = frame.copy()
    out = rankconst.adjust(frame)
    pd.testing.assert_frame_equal(frame, before)
    pd.testing.assert_frame_equal(out[list(frame.columns)], before)
    assert out["AMRR"].isna().tolist() == [False, True]


def test_no_column_comes_twice(tmp_path: Path) -> None:
    known = TABLES.constants("nations", "mrr").index(0.5)
    frame = pd.DataFrame(
        {"dataset": ["nations"], "MRR": [0.5], "AMRR": [known], "note": ["mine"]}
        | {"table_version": ["t"], "num_tasks": [402]}
    )
    out = rankconst.adjust(frame, errors="note")
    assert out.columns.is_unique
    pd.testing.assert_frame_equal(out[list(frame.columns)], frame)
    assert out["AMRR_added"][0] == TABLES.constants("nations", "mrr").index(0.5)
    assert (out["note_added"][0], out["table_version_added"][0], out["num_tasks_added"][0]) == ("", TABLES.version, 402)
    frame.to_csv(tmp_path / "results.csv", index=False)
    read = rankconst.adjust(tmp_path / "results.csv").to_pandas()
    assert read.columns.is_unique
    assert (read["note"][0], read["AMRR_added"][0]) == ("mine", TABLES.constants("nations", "mrr").adjust("0.5").index)


@pytest.mark.parametrize("missing", ["n/a", "N/A", "OOM", "oom", "", " ", "-", "–", "—", "--", "TBD", "timeout", None])
def test_what_is_missing_in_a_file_is_missing_in_a_frame(missing: str | None, tmp_path: Path) -> None:
    """Cells of words and dashes, blank or not there."""
    frame = pd.DataFrame({"model": ["one", "two"], "MRR": [missing, "0.5"]})
    frame.to_csv(tmp_path / "results.csv", index=False)
    index = TABLES.constants("nations", "mrr").adjust("0.5").index
    from_file = rankconst.adjust(tmp_path / "results.csv", dataset="nations").to_pandas()
    for out in (rankconst.adjust(frame, dataset="nations"), from_file):
        assert out["AMRR"].isna().tolist() == [True, False]
        assert out["AMRR"][1] == index
    long = frame.rename(columns={"MRR": "value"}).assign(metric="mrr")
    assert rankconst.adjust(long, dataset="nations")["index"].isna().tolist() == [True, False]


@pytest.mark.parametrize("cell", ["0.50*", "0.50†", "**0.50**", " 0.50 ", "0.50 (1)", "0.50^a", "0.50 [12]", "50.%‡"])
def test_marks_of_footnotes_are_no_part_of_a_number(cell: str, tmp_path: Path) -> None:
    frame = pd.DataFrame({"model": ["one", "two"], "MRR": [cell, "0.4"]})
    frame.to_csv(tmp_path / "results.csv", index=False)
    out = rankconst.adjust(frame, dataset="nations")
    read = rankconst.adjust(tmp_path / "results.csv", dataset="nations").to_pandas()
    assert (out["MRR_lower"][0], out["MRR_upper"][0]) == (0.495, 0.505)
    columns = [f"AMRR{end}" for end in ("", "_lower", "_upper")]
    pd.testing.assert_frame_equal(out[columns], read[columns], check_exact=True)


@pytest.mark.parametrize(
    ("cells", "left_out"),
    [
        ({"MRR": ["0.31", "0.3"], "H@1": ["0.35", "0.2"], "H@10": ["0.6"] * 2}, {("MRR", 0), ("H@1", 0)}),
        ({"MRR": [0.05, 0.3], "MR": [30, 20], "H@10": [0.9, 0.6]}, {("MRR", 0), ("H@10", 0)}),
        ({"H@1": ["50%", "30%"], "H@10": ["40%", "40%"]}, {("H@1", 0), ("H@10", 0)}),
        ({"H@1": ["0.5", "0.3"], "H@10": ["0.4", "0.4"]}, set()),
        ({"Hits@1 (optimistic)": ["0.55", "0.3"], "Hits@10 (pessimistic)": ["0.45", "0.4"]}, set()),
        ({"valid_hits@1": ["0.55", "0.3"], "test_hits@10": ["0.45", "0.4"]}, set()),
    ],
)  # fmt: skip
def test_numbers_that_contradict_each_other_are_left_out_as_in_files(
    cells: dict[str, list[Any]], left_out: set[tuple[str, int]]
) -> None:
    frame = pd.DataFrame({"model": ["A", "B"], **cells})
    out = rankconst.adjust(frame, dataset="wn18rr")
    notes = [""] * 2 if "note" not in out else out["note"].tolist()
    assert [i for i, note in enumerate(notes) if "which no ranks allow" in note] == sorted({i for _, i in left_out})
    assert int(out.filter(regex=r"normalised$|AMR$").isna().sum().sum()) == len(left_out)
    done = rankconst.adjust(read_document("f.csv", frame.to_csv(index=False)), dataset="wn18rr")
    entries = [(each.entry.column, each.entry.row) for each in done.entries if each.adjusted is None]
    assert set(entries) == left_out
    # The same numbers below each other, and next to those of another model.
    long = frame.melt(id_vars="model", var_name="metric")
    out = rankconst.adjust(long, dataset="wn18rr", errors="note")
    missing = out[out["index"].isna()]
    assert set(zip(missing["metric"], missing["model"], strict=True)) == {(name, "AB"[row]) for name, row in left_out}
    if left_out:
        for each in (frame, long):
            with pytest.raises(DataError, match="which no ranks allow"):
                rankconst.adjust(each, dataset="wn18rr", strict=True)
        with pytest.raises(DataError, match="which no ranks allow"):  # as nothing else is there
            rankconst.adjust(frame.iloc[:1][[name for name, _ in left_out]], dataset="wn18rr")


def test_strict_goes_with_no_notes() -> None:
    with pytest.raises(UsageError, match="strict=True refuses what errors='note' leaves out"):
        rankconst.adjust(pd.DataFrame(ROTATE), strict=True, errors="note")


def test_an_error_names_twenty_rows_and_counts_the_others() -> None:
    def refuse(number: int) -> list[str]:
        frame = pd.DataFrame({"dataset": [f"graph {i}" for i in range(number)], "MRR": "0.3"})
        with pytest.raises(UnknownNameError) as error:
            rankconst.adjust(frame)
        return str(error.value).splitlines()

    assert len(refuse(20)) == 20
    *told, more = refuse(23)
    assert (len(told), more) == (20, "And 3 more.")


@pytest.mark.parametrize("heading", ["Setting", "Variant", "ablation", "Model"])
def test_a_name_that_may_say_what_its_row_is_of_leaves_it_out(heading: str) -> None:
    frame = pd.DataFrame({heading: ["full", "w/o text", "raw", "tail only"], "MRR": [0.3, 0.2, 0.1, 0.4]})
    out = rankconst.adjust(frame, dataset="wn18rr")
    assert out["AMRR"].isna().tolist() == [False, False, True, True]
    assert out["note"].str.contains("or be a name only").tolist() == [False, False, True, True]
    done = rankconst.adjust(read_document("f.csv", frame.to_csv(index=False)), dataset="wn18rr")
    assert [each.adjusted is None for each in done.entries] == [False, False, True, True]


def test_an_empty_frame_stays_empty() -> None:
    out = rankconst.adjust(pd.DataFrame({"dataset": [], "MRR": []}))
    assert len(out) == 0
    assert "AMRR" in out


@pytest.mark.parametrize(
    ("columns", "options", "error", "message"),
    [
        ({"a": [1]}, {}, DataError, "no column holds a metric; there are: a"),
        ({"dataset": ["nations"], "MRR": ["abc"]}, {}, DataError, "column MRR, row 0: 'abc' is not a number"),
        ({"dataset": ["nations"], "MRR": [float("inf")]}, {}, DataError, "column MRR, row 0: inf"),
        ({"dataset": ["nations"], "MRR": [53.3]}, {"percent": False}, DataError, "If it is a percentage"),
        ({"dataset": ["nations"], "MR": ["53%"]}, {}, DataError, "MR is no share"),
        ({"dataset": ["nation", "ulms"], "MRR": [0.5, 0.5]}, {}, UnknownNameError, "nation(.|\n)*ulms"),
        ({"MRR": [0.5]}, {}, DataError, "no dataset is named"),
        ({"MRR": [0.5]}, {"dataset": "nope"}, UnknownNameError, "unknown dataset 'nope'"),
        ({"dataset": ["nations"], "data": ["umls"], "MRR": [0.5]}, {}, UsageError, "both say the dataset"),
        (
            {"dataset": ["nations"], "MRR": [0.5]},
            {"dataset": "umls"},
            UsageError,
            "says dataset nations, but umls was asked for",
        ),
        ({"MRR": [0.5]}, {"dataset": "Freebase", "tool": "dglke"}, DataError, "sampled"),
    ],
)
def test_what_cannot_be_is_refused(
    columns: dict[str, Any], options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        rankconst.adjust(pd.DataFrame(columns), **options)


@pytest.mark.parametrize(
    ("cell", "told"),
    [
        (10**400, "too large or too small for any metric"),
        (-(10**5000), "too large or too small for any metric"),
        (Fraction(10**5000, 3), "too large or too small for any metric"),
        (np.timedelta64(1, "s"), "is not a number"),
    ],
    ids=["400 digits", "5,000 digits", "a fraction", "a duration"],
)
def test_a_number_like_no_other_costs_no_other_cell(cell: object, told: str) -> None:
    frame = pd.DataFrame({"dataset": ["nations", "umls"], "MRR": pd.Series([cell, 0.4], dtype=object)})
    out = rankconst.adjust(frame)
    assert told in out["note"][0]
    expected = rankconst.load().constants("umls", "mrr").index(0.4)
    assert out["AMRR"].isna().tolist() == [True, False]
    assert out["AMRR"][1] == expected


def test_a_k_of_more_digits_than_python_writes() -> None:
    k = pd.Series([10**5000, 1], dtype=object)
    frame = pd.DataFrame({"dataset": "nations", "metric": "hits_at_k", "k": k, "value": 0.5})
    with pytest.raises(DataError, match="k is <int of more digits than can be written>; expected a whole number"):
        rankconst.adjust(frame)


def test_what_is_undefined_and_ties_are_noted_where_notes_are_asked_for() -> None:
    frame = pd.DataFrame(
        {"dataset": "nations", "rank_type": ["best", "realistic"], "MRR": [0.5, 0.5], "Hits@50": [1.0, math.nan]}
    )
    out = rankconst.adjust(frame, errors="note")
    first, second = out["note"]
    assert first.count("optimistic ranks: where scores tie") == 1
    assert "the adjusted index of Hits@50 is undefined here" in first
    assert second == ""
    # What ties do to a number is noted in any case.
    first, second = rankconst.adjust(frame)["note"]
    assert first.startswith("optimistic ranks: ")
    assert "undefined" not in first
    assert second == ""
    assert "note" not in rankconst.adjust(frame.drop(columns="rank_type"))


def test_what_the_names_of_metrics_say_of_their_tasks_counts_in_frames_too() -> None:
    """Long and wide frames, and a file with the same cells."""
    names = ["tail.pessimistic.mrr", "MRR", "valid/head/realistic/hits_at_10", "test_mrr"]
    frame = pd.DataFrame({"metric": names, "value": [0.5, 0.5, 0.75, 0.5]})
    out = rankconst.adjust(frame, dataset="nations")
    said = [("test", "tail"), ("test", "both"), ("valid", "head"), ("test", "both")]
    assert list(zip(out["split"], out["side"], strict=True)) == said
    alone = [
        TABLES.constants("nations", name.rpartition("/")[2].rpartition(".")[2], split, side).index(value)
        for name, value, (split, side) in zip(names, frame["value"], said, strict=True)
    ]
    assert out["index"].tolist() == alone
    assert [note[:11] for note in out["note"]] == ["pessimistic", "", "", ""]
    wide = rankconst.adjust(
        pd.DataFrame({name: [value] for name, value in zip(names, frame["value"], strict=True)}), dataset="nations"
    )
    assert [wide[name][0] for name in wide.columns if name.endswith(("AMRR", "AH@10"))] == pytest.approx(
        alone, rel=1e-15
    )
    assert wide["note"][0].startswith("pessimistic")


def test_names_of_datasets_say_what_they_say_in_files() -> None:
    """A name with (raw) is of that protocol in a DataFrame as in a file; a column of its own must not contradict."""
    names = ["UMLS (raw)", "UMLS (valid)", "UMLS"]
    frame = pd.DataFrame({"dataset": names, "MRR": [0.5, 0.5, 0.5]})
    adjusted = rankconst.adjust(frame)
    assert adjusted["protocol"].tolist() == ["raw", "standard", "standard"]
    assert adjusted["split"].tolist() == ["test", "valid", "test"]
    reading = read_document("results.md", "| dataset | MRR |\n|---|---|\n| UMLS (raw) | 0.5 |\n")
    assert reading.entries[0].context.protocol == "raw"
    stated = rankconst.adjust(frame.assign(split=["", "test", "test"]))
    assert stated["split"].tolist() == ["", "test", "test"]
    assert stated["note"][1].startswith("its split is given twice, as UMLS (valid) and test")
    assert stated["AMRR"].drop(1).tolist() == [adjusted["AMRR"][0], adjusted["AMRR"][2]]


@pytest.mark.parametrize(
    ("heading", "cells", "column", "said"),
    [
        ("mode", ["head-batch", "tail-batch"], "side", ["head", "tail"]),
        ("eval_mode", ["random_100", "full"], "protocol", ["sampled:100", "standard"]),
        ("setting", ["raw", "with attention"], "protocol", ["", "standard"]),  # it may be a name only
    ],
)
def test_columns_of_settings_count_as_in_files(heading: str, cells: list[str], column: str, said: list[str]) -> None:
    frame = pd.DataFrame({"model": ["A", "B"], heading: cells, "mrr": [0.3, 0.4]})
    assert rankconst.adjust(frame, dataset="umls")[column].fillna("").tolist() == said


def test_other_tasks_are_refused_as_in_files() -> None:
    frame = pd.DataFrame({"task": ["relation prediction"], "mrr": [0.9]})
    with pytest.raises(DataError, match="names another task"):
        rankconst.adjust(frame, dataset="umls")


def test_cells_of_a_row_that_contradict_each_other_leave_it_out_as_in_files(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    for heading, row, fact in (
        ("dataset,eval_mode,side,MRR", "UMLS,tail-batch,left,.5", "side"),
        ("side,dataset,eval_mode,MRR", "both,UMLS,head-batch,.5", "side"),
        ("dataset,protocol,MRR", "UMLS (raw),filtered,.5", "protocol"),
        ("dataset,split,MRR", "UMLS valid,test,.5", "split"),
        ("dataset,protocol,filtered,MRR", "UMLS,standard,no,.5", "protocol"),
        ("dataset,filtered,protocol,MRR", "UMLS,yes,raw,.5", "protocol"),
        ("dataset,protocol,filter,MRR", "UMLS,pykeen,raw,.5", "protocol"),
        ("dataset,filtered,setting,MRR", "UMLS,yes,raw,.5", "protocol"),
        ("dataset,filter,filtered,MRR", "UMLS,filt,no,.5", "protocol"),
        ("dataset,protocol,eval_mode,MRR", "UMLS,standard,random_20,.5", "protocol"),
        ("dataset,eval_mode,side,MRR", "UMLS,tail-batch,object,.5", ""),
        ("dataset,protocol,MRR", "UMLS (raw),unfiltered,.5", ""),
        ("dataset,split,MRR", "UMLS valid,dev,.5", ""),
        ("dataset,protocol,filtered,MRR", "UMLS,sampled:20,no,.5", ""),
        ("dataset,filtered,protocol,MRR", "UMLS,yes,pykeen,.5", ""),
        ("dataset,filtered,setting,MRR", "UMLS,no,raw,.5", ""),
    ):
        path.write_text(f"{heading}\n{row}\n", encoding="utf-8")
        frame = pd.read_csv(path, dtype=str)
        if fact:
            for source in (path, frame):
                with pytest.raises(DataError, match=f"its {fact} is given twice"):
                    rankconst.adjust(source)
        else:
            (index,) = rankconst.adjust(frame)["AMRR"]
            (entry,) = rankconst.adjust(path).entries
            assert entry.adjusted is not None
            assert index == entry.adjusted.index


@pytest.mark.parametrize("name", ["unseen entities", "Head prediction", "relation prediction", "raw", "validation set"])
def test_the_name_of_an_index_or_of_columns_may_be_a_label(name: str) -> None:
    frame = pd.DataFrame({"dataset": ["umls"], "MRR": [0.5]}, index=pd.Index(["RotatE"], name=name))
    columns = pd.DataFrame({"dataset": ["umls"], "MRR": [0.5]}).rename_axis(columns=name)
    for each in (frame, columns):
        out = rankconst.adjust(each, errors="note")
        assert out["AMRR"].isna().all()
        assert out["note"].str.contains("may say").all()


@pytest.mark.parametrize("name", ["model", "run", "seed", "RotatE", "epoch", "metric", "index", "temporal"])
def test_other_names_of_an_index_say_nothing(name: str) -> None:
    plain = rankconst.adjust(pd.DataFrame({"dataset": ["umls"], "MRR": [0.5]}))["AMRR"].tolist()
    frame = pd.DataFrame({"dataset": ["umls"], "MRR": [0.5]}, index=pd.Index(["RotatE"], name=name))
    assert rankconst.adjust(frame)["AMRR"].tolist() == plain


def test_an_index_without_a_name_says_what_a_column_does() -> None:
    frame = pd.DataFrame({"dataset": ["umls"] * 2, "MRR": [0.5, 0.6]}, index=["raw", "filtered"])
    assert rankconst.adjust(frame)["protocol"].tolist() == ["raw", "standard"]


@pytest.mark.parametrize("heading", ["model", "Unnamed: 0", "notes"])
def test_labels_of_rows_say_what_they_say_in_files(heading: str) -> None:
    label = "RotatE (unseen entities)" if heading == "model" else "unseen entities"
    out = rankconst.adjust(
        pd.DataFrame({heading: [label, "TransE (ours)"], "dataset": ["umls"] * 2, "MRR": [0.5, 0.6]})
    )
    assert out["AMRR"].isna().tolist() == [True, False]


def test_ties_that_a_remark_names_are_noted() -> None:
    frame = pd.DataFrame({"dataset": ["umls"] * 2, "notes": ["optimistic ranks", "5 seeds"], "MRR": [0.5, 0.6]})
    notes = rankconst.adjust(frame)["note"]
    assert notes[0].startswith("optimistic ranks")
    assert not notes[1]


def test_a_column_of_counted_triples_counts_as_in_files() -> None:
    frame = pd.DataFrame({"dataset": ["WN18RR"] * 2, "num_test": [500, 3134], "MRR": [0.476, 0.476]})
    out = rankconst.adjust(frame)
    assert out["AMRR"].isna().tolist() == [True, False]
    assert out["note"][0].startswith("the file counts 1,000 ranks")


@pytest.mark.parametrize(("cell", "left"), [("on the validation set", True), ("1-N", True), ("Translational", False)])
def test_a_column_of_types_that_are_no_tie_policies_is_a_remark(cell: str, left: bool) -> None:
    frame = pd.DataFrame({"model": ["RotatE"], "dataset": ["WN18RR"], "Type": [cell], "MRR": [0.476]})
    assert rankconst.adjust(frame, errors="note")["AMRR"].isna().tolist() == [left]
