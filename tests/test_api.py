"""The public functions on results: a path, a dict, a DataFrame or a reading goes in, and one engine
does the rest.
"""

from __future__ import annotations

import copy
import itertools
import json
import math
import operator
import pickle
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from threading import Barrier
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankconst
from cases import choose
from rankconst.catalogue.metrics import parse_metric
from rankconst.errors import AskedError, DataError, MissingExtraError, UnknownNameError, UsageError
from rankconst.typed import AdjustedValues

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rankconst.tables.archive import Tables

pd = pytest.importorskip("pandas", reason="needs pandas")

TABLES = rankconst.load()
FORMS = ("normalised", "index", "z")

# As a trainer writes them, digits for digits.
NUMBERS = {
    "mrr": 0.5087719298245614, "hits@1": 0.30845771144278605, "hits@10": 0.9502487562189055, "mr": 3.4328358,
}  # fmt: skip
KINDS = ("path", "text", "dict", "frame", "reading")


@dataclass(frozen=True)
class Inputs:
    """The same numbers in every shape in which people have them."""

    path: Path

    def make(self, kind: str) -> Any:
        if kind == "dict":
            return dict(NUMBERS)
        if kind == "frame":
            return pd.DataFrame([NUMBERS])
        return {"path": self.path, "text": str(self.path)}.get(kind) or rankconst.read(self.path)


@pytest.fixture
def inputs(tmp_path: Path) -> Inputs:
    path = tmp_path / "results.json"
    path.write_text(json.dumps(NUMBERS), encoding="utf-8")
    return Inputs(path)


def indices(adjusted: Any, metrics: Iterable[str] = NUMBERS) -> dict[str, float]:
    """Return the adjusted index of every metric, of a frame or of a reading."""
    if isinstance(adjusted, pd.DataFrame):
        columns = {"mrr": "AMRR", "hits@1": "AH@1", "hits@10": "AH@10", "mr": "AMRI"}
        return {metric: float(adjusted[columns[metric]][0]) for metric in metrics}
    if isinstance(adjusted, AdjustedValues):
        return {name: each.index for name, each in adjusted.items() if each.index is not None}
    return {
        str(each.entry.metric): each.adjusted.index
        for each in adjusted.numbers.entries
        if each.adjusted
    }


# Every door.


@pytest.mark.parametrize("kind", KINDS)
def test_adjust_takes_whatever_people_have(inputs: Inputs, kind: str) -> None:
    adjusted = rankconst.adjust(inputs.make(kind), dataset="nations", protocol="pykeen")
    expected = {
        str(constants.metric): constants.index(value)
        for metric, value in NUMBERS.items()
        for constants in [TABLES.constants("nations", metric, protocol="pykeen")]
    }
    found = {str(parse_metric(metric)): value for metric, value in indices(adjusted).items()}
    assert found == expected


@pytest.mark.parametrize("kind", KINDS)
def test_check_takes_whatever_people_have(tmp_path: Path, kind: str) -> None:
    constants = [
        TABLES.constants("kinships", name, "valid", "tail", "raw") for name in ("mr", "mrr")
    ]
    adjusted = {
        "mr": 3.5,
        "amri": constants[0].index(3.5),
        "mrr": 0.6,
        "amrr": constants[1].index(0.6),
    }

    def check(numbers: dict[str, float]) -> Any:
        path = tmp_path / "results.json"
        path.write_text(json.dumps(numbers), encoding="utf-8")
        given = {"dict": numbers, "frame": pd.DataFrame([numbers])}.get(kind)
        return rankconst.check(Inputs(path).make(kind) if given is None else given)

    found = check({"hits@1": 0.5123, "hits@10": 0.4123})
    assert found.to_pandas()["rule"].tolist() == ["hits-monotone"]
    assert "Hits@10 0.4123" in found._repr_html_()
    (question,) = check(adjusted).asked
    assert (
        question.remedy == 'dataset="kinships", protocol="raw"'
    )  # whose E[MR] and E[MRR] are the same on each side


def test_check_asks() -> None:
    asked = rankconst.check({"model": "RotatE on dev", "MRR": "0.338"}, dataset="nations").asked
    assert [(each.word, each.remedy, each.numbers) for each in asked] == [
        ("dev", 'split="valid", or accept=["dev"] if it says nothing about these numbers', (0,))
    ]


def test_values_of_numpy_in_a_dict_are_numbers() -> None:
    plain = rankconst.adjust({"mrr": 0.5, "hits": {"hits@1": 0.25}}, dataset="nations")
    wrapped = rankconst.adjust(
        {"mrr": np.float64(0.5), "hits": {"hits@1": np.array(0.25)}}, dataset="nations"
    )
    assert indices(plain) == indices(wrapped)


ITSELF: dict[str, Any] = {}
ITSELF["itself"] = ITSELF
NO_RESULTS = "expected a number, a path, a dict, a DataFrame or a Reading, got "
NO_TABLES = r"expected what rankconst\.load\(\) returns"
NO_READINGS: list[Any] = [[], {0.5}, None]
REFUSED: list[tuple[Any, dict[str, Any], type[Exception], str]] = [
    *((each, {}, UsageError, f"^{NO_RESULTS}{type(each).__name__}") for each in NO_READINGS),
    ({"mrr": {0.5}}, {}, UsageError, "the dict holds a set; expected text, numbers, lists and dicts"),
    *((each, {}, UsageError, "the dict cannot be written as JSON") for each in (ITSELF, {("both", "mrr"): 0.5})),
    *(({"mrr": 0.5}, {"tables": each}, UsageError, NO_TABLES) for each in ("x", [], [1], 1)),
    (Path, {"decimals": 3}, UsageError, "are for a DataFrame; a file shows its own digits"),
    (Path, {"errors": "note", "strict": True}, UsageError, "give only one of the two"),
    (Path, {"percent": ["hits@1"]}, UsageError, "are for a DataFrame"),
    (Path, {"dataset": "nope"}, UnknownNameError, "unknown dataset 'nope'"),
    (Path, {"metric": "mmr"}, UnknownNameError, "unknown metric 'mmr'"),
    (Path, {"dataset": "Freebase", "tool": "dglke"}, DataError, "sampled"),
    *((each, {}, DataError, "there is no file") for each in ("a\0b", "\ud800.csv")),
    (0.338, {}, UsageError, r"which metric is 0\.338\? Add metric, as in rankconst\.adjust\(0\.338, metric='mrr'\)"),
    ("0.338", {}, UsageError, "which metric is 0.338"),
    ("0,338", {"metric": "mrr"}, DataError, "with a decimal point, not a comma"),
    ("results.csv", {"metric": "mrr"}, DataError, "there is no file"),
    (0.3, {"metric": ["mrr", "mr"]}, UsageError, "0.3 is of one metric; expected one, got mrr, mr"),
    ({"mrr": "0.9", "hits@10": "0.75"}, {}, DataError, "MRR 0.9 is too large for Hits@10 0.75 of the same evaluation"),
    ({"mrr": 0.3}, {"percent": ["mrr"]}, UsageError, "expected one for all values"),
    ({"mrr": 1.3}, {}, DataError, "1.3 is not a possible MRR"),
    ({"mrr": 0.3}, {"metric": ["mr"]}, UsageError, "metric leaves out all values, which are of mrr"),
    ({"mrr": 0.3}, {"errors": "note"}, UsageError, "errors is for files and frames"),
    *(
        ({"mrr": 0.5}, {"metric": each}, UnknownNameError, "is not a name: expected text")
        for each in (5, b"mrr", [None])
    ),
    *(
        (
            {"mrr": 0.5},
            {name: [["nations"], {"nations"}]},
            UnknownNameError,
            "is not a name: expected text, got list",
        )
        for name in ("dataset", "split", "side", "protocol", "aggregation", "tool")
    ),
]  # fmt: skip


@pytest.mark.parametrize(("results", "options", "error", "message"), REFUSED)
def test_what_cannot_be_is_refused(
    inputs: Inputs, results: Any, options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        rankconst.adjust(
            inputs.path if results is Path else results, **{"dataset": "nations", **options}
        )
    if message.startswith(("^", "there")) and not options:
        with pytest.raises(error, match=message):
            rankconst.check(results)


@pytest.mark.slow
def test_details_have_p_but_for_frames() -> None:
    adjusted = rankconst.adjust({"mrr": "0.50"}, dataset="nations", details=True)
    assert adjusted.done[0].significance == (
        TABLES.constants("nations", "mrr").significance("0.50"),
    )
    frame = pd.DataFrame({"mrr": [0.5]})
    brief = ["mrr", "AMRR", "dataset", "protocol"]
    assert list(rankconst.adjust(frame, dataset="nations")) == brief
    detailed = rankconst.adjust(frame, dataset="nations", details=True)
    assert {"ZMRR", "MRR_expectation", "num_tasks"} <= {*detailed}
    assert "MRR_log10_p" not in detailed


def test_a_file_without_a_dataset_is_asked_about_the_one_that_its_numbers_are_of() -> None:
    constants = [TABLES.constants("kinships", name) for name in ("mr", "mrr")]
    mr, mrr = 3.512345678912, 0.612345678912
    numbers = {
        "mr": mr,
        "amri": constants[0].index(mr),
        "mrr": mrr,
        "amrr": constants[1].index(mrr),
    }
    with pytest.raises(
        AskedError, match='its numbers are those of kinships: add dataset="kinships"'
    ):
        rankconst.adjust(numbers)
    adjusted = rankconst.adjust(numbers, dataset="kinships")
    assert {str(each.batch.tasks) for each in adjusted.numbers.done} == {
        "kinships/test/both/standard"
    }


# One engine.


ROWS = st.lists(
    st.tuples(
        st.sampled_from(["fb15k237", "wn18rr", "kinships"]),
        st.sampled_from(["test", "valid"]),
        st.sampled_from(["both", "head", "tail"]),
        st.sampled_from(["", "conve", "pykeen"]),
        st.decimals(min_value="0.2", max_value="0.9", places=4).map(str)
        | st.sampled_from(["53.3%", "0.5458 ± 0.0052", "0.5", "0.33"]),
    ),
    min_size=1,
    max_size=12,
)


@pytest.mark.slow
@settings(max_examples=choose(4, 25))
@given(rows=ROWS)
def test_values_files_and_frames_get_the_same_numbers_bit_by_bit(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str, str, str, str]]
) -> None:
    frame = pd.DataFrame(rows, columns=["dataset", "split", "side", "tool", "MRR"])
    path = tmp_path_factory.mktemp("engine") / "results.csv"
    frame.to_csv(path, index=False)
    out, read = (rankconst.adjust(each, details=True) for each in (frame, path))
    read = read.to_pandas()
    names = dict(zip(FORMS, ("MRR_normalised", "AMRR", "ZMRR"), strict=True))
    added = ["MRR_expectation", "MRR_variance", "MRR_lower", "MRR_upper"]
    added += [f"{name}{end}" for name in names.values() for end in ("", "_lower", "_upper")]
    pd.testing.assert_frame_equal(out[added], read[added], check_exact=True)
    for row, (dataset, split, side, tool, text) in zip(out.to_dict("records"), rows, strict=True):
        if tool == "conve":
            continue  # whole batches have their own constants
        protocol = tool or "standard"
        alone = TABLES.constants(dataset, "mrr", split, side, protocol).adjust(text)
        for form, name in names.items():
            assert row[name] == getattr(alone, form)
            assert (row[f"{name}_lower"], row[f"{name}_upper"]) == getattr(
                alone, f"{form}_interval"
            )


# Numbers of every kind.


@pytest.mark.parametrize("kind", ["float16", "float32", "Float32"])
def test_numbers_of_few_digits_lose_no_more(kind: str) -> None:
    given = pd.Series([0.338, 100.0], dtype=kind)
    large = rankconst.from_counts([10**6, 2 * 10**6]).constants(
        "mr"
    )  # beyond what half precision can hold
    for constants, value in ((TABLES.constants("nations", "mrr"), given[:1]), (large, given[1:])):
        for each in (value, value.to_numpy(), value.iloc[0]):
            exact = constants.adjust(float(value.iloc[0]))
            found = constants.adjust(each)
            for form in FORMS:
                assert np.ravel(getattr(found, form))[0] == getattr(exact, form)
                assert np.ravel(getattr(constants, form)(each))[0] == getattr(exact, form)


def test_what_is_no_number_is_refused_in_every_way() -> None:
    mrr = TABLES.constants("nations", "mrr")
    huge = 10**400, 10**5000, Fraction(10**400, 3)
    values: tuple[Any, ...] = (True, b"0.5", pd.NA, pd.NaT, 1j, object(), [{}], [True], *huge)
    for value in values:
        for use in (mrr.adjust, mrr.index, mrr.significance, lambda each: mrr.compare(each, 0.5)):
            with pytest.raises(DataError):
                use(value)


ODD_CELLS = [
    *([0.5 + 1j], [[0.5]], [{"a": 0.5}], [b"0.5"], pd.Series(["0.5\ud800"], dtype=object)),
    *(pd.to_timedelta([1]), pd.to_datetime(["2026-01-01"])),
]


@pytest.mark.parametrize("cells", ODD_CELLS)
def test_cells_that_are_no_number_are_named(cells: Any) -> None:
    with pytest.raises(DataError, match=r"row 0: .*: not a number.*, in column MRR"):
        rankconst.adjust(pd.DataFrame({"dataset": "nations", "MRR": cells}))


def test_other_columns_may_hold_anything() -> None:
    odd = {"config": [{"lr": 0.1}, [1]], "tags": [{1}, None]}
    frame = pd.DataFrame({"dataset": "nations", "MRR": ["0.5", "0.6"], **odd})
    out = rankconst.adjust(frame)
    assert out.config.tolist() == frame.config.tolist()
    assert out.AMRR.tolist() == rankconst.adjust(frame[["dataset", "MRR"]]).AMRR.tolist()


def test_names_are_text() -> None:
    for odd in (1, math.nan, None, b"nations", ["nations"], pd.NA):
        for name in ("dataset", "metric", "split", "protocol"):
            names: Any = {"dataset": "nations", "metric": "mrr", name: odd}
            for use in (TABLES.constants, rankconst.constants)[
                : 2 if name in {"dataset", "metric"} else 1
            ]:
                with pytest.raises(UnknownNameError, match="is not a name: expected text, got"):
                    use(**names)
    with pytest.raises(UsageError, match="expected 'raise', 'note' or None"):
        rankconst.adjust(
            pd.DataFrame({"MRR": [0.5]}), dataset="nations", errors=cast("Any", ["note"])
        )


def test_tables_of_arrow_are_frames() -> None:
    pa = pytest.importorskip("pyarrow")
    table = pa.table({"dataset": ["nations"], "MRR": ["0.5"]})
    adjusted = rankconst.adjust(table.to_pandas())
    pd.testing.assert_frame_equal(rankconst.adjust(table).to_pandas(), adjusted)
    assert rankconst.check(table).findings == rankconst.check(table.to_pandas()).findings
    ranks = pa.table({"side": ["head", "tail"], "rank": [1, 2]})
    assert rankconst.from_ranks(ranks).evaluate("mr") == 1.5
    triples = pa.table({"head": ["a", "b"], "relation": ["r", "r"], "tail": ["b", "c"]})
    assert (
        rankconst.from_triples(triples, test=triples, name="mykg").datasets["mykg"]["triples_train"]
        == 2
    )


def test_tables_of_arrow_need_pandas(monkeypatch: pytest.MonkeyPatch) -> None:
    table = pytest.importorskip("pyarrow").table(
        {"dataset": ["nations"], "MRR": ["0.5"], "rank": [1]}
    )
    monkeypatch.setitem(sys.modules, "pandas", None)
    for use in (rankconst.adjust, rankconst.check, rankconst.from_ranks):
        with pytest.raises(
            MissingExtraError, match=r"pandas, which is not installed\. Run: pip install pandas"
        ):
            use(table)


def test_one_name_needs_no_list() -> None:
    frame = pd.DataFrame({"dataset": ["nations"], "MRR": [50], "Hits@1": [0.5]})
    assert rankconst.adjust(frame, metric="mrr", percent="mrr").AMRR[0] == pytest.approx(
        TABLES.constants("nations", "mrr").adjust(0.5).index
    )


def test_objects_in_use_go_to_other_processes() -> None:
    def send(thing: Any) -> Any:
        return pickle.loads(pickle.dumps(thing))  # noqa: S301 - it was written a moment ago

    used = rankconst.load()
    triples = [("a", "r", "b"), ("b", "r", "c")]
    own = rankconst.from_triples(triples, test=triples, name="mykg")
    for tables, key in ((used, "nations"), (own, "mykg")):
        constants = [
            tables.constants(key, "mrr", baseline=each) for each in ("uniform", "frequency")
        ]
        for copied in (send(tables), copy.deepcopy(tables), copy.copy(tables)):
            assert copied.constants(key, "mrr").moments == constants[0].moments
        for each in constants:
            assert send(each).adjust("0.75") == each.adjust("0.75")


def test_the_tables_that_came_with_the_package_are_opened_once_in_a_thread(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What pyarrow has opened is of one thread; within it, the second call opens nothing."""
    opened: list[Tables] = []
    load = rankconst.load

    def note() -> Tables:
        opened.append(load())
        return opened[-1]

    monkeypatch.setattr("rankconst.api.load", note)

    def adjust_twice() -> list[dict[str, float]]:
        return [
            indices(rankconst.adjust(pd.DataFrame([NUMBERS]), dataset="nations")) for _ in range(2)
        ]

    with ThreadPoolExecutor(2) as pool:
        # Each waits for the other, so that both have a thread.
        barrier = Barrier(2)
        results = [*pool.map(lambda _: (barrier.wait(), adjust_twice())[1], range(2))]
    assert len(opened) == 2
    assert opened[0] is not opened[1]
    expected = indices(rankconst.adjust(pd.DataFrame([NUMBERS]), dataset="nations", tables=load()))
    assert results == [[expected] * 2] * 2


# Values typed by hand.


def test_values_typed_by_hand_are_adjusted_as_files_are(tmp_path: Path) -> None:
    typed = {
        "mrr": "0.338",
        "hits@10": "0.533",
        "mr": "177",
    }  # RotatE on FB15k-237, Sun et al. 2019
    path = tmp_path / "results.csv"
    path.write_text(
        "model,dataset,MRR,Hits@10,MR\nRotatE,FB15k-237,0.338,0.533,177\n", encoding="utf-8"
    )
    read = {
        str(each.entry.metric): each.adjusted for each in rankconst.adjust(path).numbers.entries
    }
    adjusted = rankconst.adjust(typed, dataset="FB15k-237", baseline="frequency")
    assert [*adjusted] == [*typed]
    for name, value in typed.items():
        constants = TABLES.constants("fb15k237", name)
        assert adjusted[name].forms == constants.adjust(value) == read[str(constants.metric)]
        assert rankconst.adjust(value, metric=name, dataset="fb15k237").forms == constants.adjust(
            value
        )
    assert "Hits@10" not in adjusted  # names are those that were typed
    several = rankconst.adjust(["0.338", "0.3"], metric="mrr", dataset="FB15k-237")
    assert [each.value for each in several] == [0.338, 0.3]
    assert (
        several[0].counting == TABLES.constants("fb15k237", "mrr", baseline="counting").expectation
    )
    frame = adjusted.to_pandas()
    assert frame[["metric", "baseline"]].values.tolist()[:2] == [
        ["inverse_harmonic_mean_rank", "uniform"],
        ["hits_at_10", "uniform"],
    ]
    assert frame["index"][0] == adjusted["mrr"].index
    assert (
        frame["expectation"][3]
        == TABLES.constants("fb15k237", "mrr", baseline="frequency").expectation
    )


def test_a_file_says_what_was_assumed_and_asked(tmp_path: Path) -> None:
    (path := tmp_path / "a.csv").write_text(
        "model,dataset,MRR\nA,nations,0.5\nB with dev data,nations,0.6\n"
    )
    found = rankconst.adjust(path)
    assert found.assumed == {"split": ("test",), "side": ("both",), "protocol": ("standard",)}
    (question,) = found.asked
    own = 'accept=["dev=valid"] for these, or accept=["dev"] if it says nothing about these numbers'
    remedy = f'split="valid" for all 2 numbers, or {own}'
    assert str(question) == f'"dev" in its row, "B with dev data": add {remedy}'
    assert question.numbers == (1,)
    for refused in ({"strict": True}, {"errors": "raise"}, {"metric": "mr"}):
        with pytest.raises(DataError) as error:
            rankconst.adjust(path, **refused)
        assert isinstance(error.value, AskedError) == ("metric" not in refused)
    assert (
        rankconst.adjust(path, accept="dev").asked
        == rankconst.adjust(path, split="valid").asked
        == ()
    )
    path.write_text("model,dataset,MRR\nB with dev data,nations,0.6\n")
    with pytest.raises(AskedError, match="accept=") as asked:
        rankconst.adjust(path)
    assert asked.value.questions == rankconst.adjust(path, errors="note").asked


def test_constants_are_those_of_the_tables() -> None:
    assert rankconst.constants("FB15k-237", "H@7") == TABLES.constants("fb15k237", "hits@7")
    named: Any = {
        "split": "valid", "side": "tail", "protocol": "raw", "aggregation": "query",
        "baseline": "frequency",
    }  # fmt: skip
    assert rankconst.constants("nations", "mrr", **named) == TABLES.constants(
        "nations", "mrr", **named
    )
    assert rankconst.constants("nations", "mrr", tool="libkge").tasks.protocol == "libkge"
    assert rankconst.constants("nations", "head.mrr").tasks.side == "head"
    assert rankconst.constants("ogbl_wikikg2", "mrr").tasks.protocol == "sampled:500"
    own = rankconst.from_triples(
        [("a", "r", "b"), ("b", "r", "c")], test=[("a", "r", "c")], name="mykg"
    )
    assert rankconst.constants("mykg", "mrr", tables=[own, TABLES]).num_tasks == 2
    with pytest.raises(
        UsageError, match="ConvE leaves out up to 254 tasks, and which is not known"
    ):
        rankconst.constants("nations", "mrr", tool="conve")


@pytest.mark.parametrize("kind", [*KINDS, "one"])
def test_metric_and_relations_choose_of_every_shape(inputs: Inputs, kind: str) -> None:
    value, metric = NUMBERS["mrr"], "mrr" if kind == "text" else ["mrr"]
    results = value if kind == "one" else inputs.make(kind)
    named: Any = {"dataset": "nations", "relations": ["embassy", "treaties"]}
    adjusted = rankconst.adjust(results, metric=metric, **named)
    expected = TABLES.constants("nations", "mrr", relations=named["relations"]).index(value)
    found = adjusted.index if kind == "one" else indices(adjusted, ("mrr",))
    assert found in (expected, {"mrr": expected}, {"inverse_harmonic_mean_rank": expected})


def test_a_column_of_what_became_of_a_file_is_found_by_its_name(inputs: Inputs) -> None:
    adjusted = rankconst.adjust(inputs.path, dataset="nations")
    assert adjusted["AMRR"].tolist() == adjusted.to_pandas()["AMRR"].tolist()
    with pytest.raises(UnknownNameError, match=r"there is no column 'AMMR'\. Columns: "):
        adjusted["AMMR"]


def test_results_show_themselves_in_a_notebook() -> None:
    mr = TABLES.constants("nations", "mr")
    assert (
        mr.adjust("3.4")
        ._repr_html_()
        .startswith("<table><caption></caption><tr><th>value</th><th>normalised</th>")
    )
    shown = mr.adjust(np.full(60, 3.5))._repr_html_()
    assert shown.count("<tr>") == 51
    assert "the first 50 of 60 values" in shown
    certain = rankconst.from_counts([1, 1]).constants("mr").adjust(1.0)
    assert certain.z is None
    assert "<th>z</th>" not in certain._repr_html_()
    assert certain.undefined["z"] in certain._repr_html_()
    found = rankconst.compare("0.5", "0.6", metric="mrr", dataset="nations")
    assert found.describe() in found._repr_html_()
    # Two values of one metric are of two models.
    adjusted = rankconst.adjust({"mrr": "0.3", "MRR": "0.4"}, dataset="nations")
    assert [each.value for each in adjusted.values()] == [0.3, 0.4]
    assert adjusted._repr_html_().count("<tr>") == 3


def test_the_first_guesses_of_python() -> None:
    import pyarrow as pa

    mrr, hits = (rankconst.constants("FB15k-237", name) for name in ("mrr", "hits@10"))
    found = rankconst.adjust(mrr="0.338", hits_at_10="0.533", dataset="FB15k-237")
    assert [found[name].index for name in found] == [mrr.index("0.338"), hits.index("0.533")]
    values = [0.338, 0.294]
    for array in (np.array(values), pd.Series(values), pa.array(values)):
        held = rankconst.adjust(array, metric="mrr", dataset="FB15k-237")
        assert [each.index for each in held] == [mrr.index(value) for value in values]
    labelled = pd.Series(values, index=["valid", "test"])
    with pytest.raises(UsageError, match=r"series.to_frame\('MRR'\)"):
        rankconst.adjust(labelled, metric="mrr", dataset="FB15k-237")
    of_splits = rankconst.adjust(labelled.to_frame("MRR"), dataset="FB15k-237")
    assert of_splits["split"].tolist() == ["valid", "test"]
    with pytest.raises(UsageError, match="datset is neither an argument nor a metric"):
        rankconst.adjust(mrr=0.3, datset="UMLS")
    checked = rankconst.check(mr="470", amri="0.934", count=402, dataset="fb15k237")
    assert str(checked) == str(
        rankconst.check({"mr": "470", "amri": "0.934", "count": 402}, dataset="fb15k237")
    )
    assert "40,932 ranks, not 402" in str(checked)
    with pytest.raises(UsageError, match="datset is neither an argument nor a metric"):
        rankconst.check(mrr=0.3, datset="UMLS")
    mr = rankconst.constants("FB15k-237", "MR").index
    assert mr(mr.invert(0.9343)) == pytest.approx(0.9343)
    with pytest.raises(UsageError, match="mrr is a value, and results are given"):
        rankconst.adjust(0.3, mrr=0.3, dataset="UMLS")
    with pytest.raises(UsageError, match=r"tables=rankconst.from_counts\(candidates\)"):
        rankconst.from_ranks([1, 2], [9, 9])


def test_ranks_and_their_own_counts_go_together() -> None:
    ranks, counts = [1, 5, 20, 3], [100, 120, 90, 100]
    for held, counted in (
        (ranks, counts),
        ({"head": ranks[:2], "tail": ranks[2:]}, {"head": counts[:2], "tail": counts[2:]}),
    ):
        tables = rankconst.from_counts(counted)
        table = rankconst.adjust(rankconst.from_ranks(held), tables=tables).table
        both = [place for place, side in enumerate(table["side"]) if side == "both"]
        names = [table["metric"][place] for place in both]
        place = both[names.index("inverse_harmonic_mean_rank")]
        by_hand = tables.constants("mrr").index(np.mean(1 / np.array(ranks)))
        assert table["index"][place] == pytest.approx(by_hand, rel=1e-14)
        assert rankconst.adjust(0.5, metric="mrr", tables=tables).index == tables.constants(
            "mrr"
        ).index(0.5)
    with pytest.raises(
        AskedError, match=r"there are 3 ranks, not 4: .*tables=rankconst.from_counts"
    ):
        rankconst.adjust(rankconst.from_ranks(ranks), tables=rankconst.from_counts(counts[:3]))


@pytest.mark.parametrize("use", [rankconst.adjust, rankconst.check])
def test_ranks_that_no_order_of_the_candidates_allows_are_refused(use: Any) -> None:
    """By the law of Hall: each order of the counts is tried."""
    counts = (2, 3, 3)
    own, held = rankconst.from_counts(counts), range(1, 5)
    for ranks in itertools.product(held, repeat=3):
        fit = any(all(map(operator.le, ranks, order)) for order in itertools.permutations(counts))
        if fit:
            use(rankconst.from_ranks(ranks), tables=own)
            continue
        with pytest.raises(DataError, match="expected no rank above the candidates of its task"):
            use(rankconst.from_ranks(ranks), tables=own)
    of_nations = rankconst.from_ranks([*[1] * 401, 99])
    with pytest.raises(DataError, match="side both: 1 rank of 99 or more, but 0 tasks with"):
        use(of_nations, dataset="nations")
    with pytest.raises(UsageError, match="tables do not hold weights of tasks"):
        use({"mrr": 0.5}, tables=rankconst.from_counts([2, 3], weights=[1, 2]))
    with pytest.raises(UsageError, match="count once each, not with weights"):
        use(rankconst.from_ranks([1] * 402), dataset="nations", aggregation="macro-relation")


def test_tables_give_tables_of_their_kind() -> None:
    import pyarrow as pa

    frame = pd.DataFrame({"dataset": ["FB15k-237", "WN18RR"], "MRR": [".338", ".476"]})
    expected = rankconst.adjust(frame)
    held = pa.table(frame)
    found = rankconst.adjust(held)
    assert isinstance(found, pa.Table)
    assert rankconst.adjust(held.to_batches()[0]).equals(found)
    assert found.to_pydict() == expected.to_dict("list")
    polars = pytest.importorskip("polars")
    assert rankconst.adjust(polars.DataFrame(held)).to_dict(as_series=False) == expected.to_dict(
        "list"
    )


def test_a_group_of_columns_is_named_once_in_a_file_of_two_headings(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(",UMLS,,WN18RR,\nModel,MRR,Hits@10,MRR,Hits@10\nRotatE,.744,.939,.476,.571\n")
    found = rankconst.adjust(pd.read_csv(path, header=[0, 1])).to_numpy().tolist()[0]
    from_file = rankconst.adjust(path).to_pandas().to_numpy().tolist()[0]
    assert found[5:9] == pytest.approx(from_file[5:9])


@pytest.mark.parametrize("name", ["AMRI", "ZMR"])
def test_adjusted_values_are_turned_back(name: str) -> None:
    """RotatE's MR on FB15k-237, Sun et al. 2019, arXiv:1902.10197."""
    there = rankconst.adjust("177", metric="mr", dataset="fb15k237", details=True)
    printed = f"{there.index if name == 'AMRI' else there.z:.6f}"
    back = rankconst.adjust(printed, metric=name, to="mr", dataset="fb15k237")
    assert (len(back), back.lower[0] <= 177 <= back.upper[0]) == (1, True)
    assert "Assumed: test split, both sides, standard protocol." in str(back)
    both = rankconst.adjust([printed, printed], metric=name, to="mr", dataset="fb15k237")
    assert [*both] == [back[0]] * 2
    with pytest.raises(UsageError, match="adjusted form of MR, not of MRR"):
        rankconst.adjust(printed, metric=name, to="mrr", dataset="fb15k237")
    with pytest.raises(UsageError, match="to turns numbers back"):
        rankconst.adjust({"mr": 177}, to="mr", dataset="fb15k237")
