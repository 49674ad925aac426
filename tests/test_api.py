"""The public functions on results: a path, a dict, a DataFrame or a reading goes in, and one engine
does the rest.
"""

import copy
import itertools
import json
import math
import operator
import pickle
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from threading import Barrier
from typing import Any, cast

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankconst
from cases import choose, for_each
from rankconst.catalogue.metrics import parse_metric
from rankconst.errors import AskedError, DataError, MissingExtraError, UnknownNameError, UsageError
from rankconst.tables.archive import Tables
from rankconst.typed import AdjustedValues

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
    found = {str(parse_metric(metric)): value for metric, value in indices(adjusted).items()}
    expected = {}
    for metric, value in NUMBERS.items():
        constants = TABLES.constants("nations", metric, protocol="pykeen")
        expected[str(constants.metric)] = constants.index(value)
    assert found == expected


def evidence_of(mr: float, mrr: float, *names: str) -> dict[str, float]:
    """Return numbers and their indices, which tell their ranking tasks."""
    by_rank, by_reciprocal = (TABLES.constants("kinships", each, *names) for each in ("mr", "mrr"))
    return {"mr": mr, "amri": by_rank.index(mr), "mrr": mrr, "amrr": by_reciprocal.index(mrr)}


@pytest.mark.parametrize("kind", KINDS)
def test_check_takes_whatever_people_have(tmp_path: Path, kind: str) -> None:
    def check(numbers: dict[str, float]) -> Any:
        path = tmp_path / "results.json"
        path.write_text(json.dumps(numbers), encoding="utf-8")
        given = {"dict": numbers, "frame": pd.DataFrame([numbers])}.get(kind)
        return rankconst.check(Inputs(path).make(kind) if given is None else given)

    found = check({"hits@1": 0.5123, "hits@10": 0.4123})
    assert found.to_pandas()["rule"].tolist() == ["hits-monotone"]
    assert "Hits@10 0.4123" in found._repr_html_()
    (question,) = check(evidence_of(3.5, 0.6, "valid", "tail", "raw")).asked
    # Its E[MR] and E[MRR] are the same on each side.
    assert question.remedy == 'dataset="kinships", protocol="raw"'


def test_check_asks() -> None:
    asked = rankconst.check({"model": "RotatE on dev", "MRR": "0.338"}, dataset="nations").asked
    assert [(each.word, each.remedy, each.numbers) for each in asked] == [
        ("dev", 'split="valid", or accept=["dev"] if it says nothing about these numbers', (0,))
    ]


def test_values_of_numpy_in_a_dict_are_numbers() -> None:
    plain, wrapped = (
        rankconst.adjust({"mrr": one, "hits": {"hits@1": other}}, dataset="nations")
        for one, other in ((0.5, 0.25), (np.float64(0.5), np.array(0.25)))
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


@for_each(("results", "options", "error", "message"), REFUSED)
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
    numbers = evidence_of(3.512345678912, 0.612345678912)
    with pytest.raises(AskedError, match='they are those of kinships: add dataset="kinships"'):
        rankconst.adjust(numbers)
    done = rankconst.adjust(numbers, dataset="kinships").numbers.done
    assert {str(each.published.tasks) for each in done} == {"kinships/test/both/standard"}


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
    out = rankconst.adjust(frame, details=True)
    read = rankconst.adjust(path, details=True).to_pandas()
    names = {"normalised": "MRR_normalised", "index": "AMRR", "z": "ZMRR"}
    ends = itertools.product(("MRR", *names.values()), ("_lower", "_upper"))
    added = ["MRR_expectation", "MRR_variance", *names.values(), *map("".join, ends)]
    pd.testing.assert_frame_equal(out[added], read[added], check_exact=True)
    for row, (dataset, split, side, tool, text) in zip(out.to_dict("records"), rows, strict=True):
        if tool == "conve":
            continue  # whole batches have their own constants
        constants = TABLES.constants(dataset, "mrr", split, side, tool or "standard")
        alone = constants.adjust(text)
        for form, name in names.items():
            assert row[name] == getattr(alone, form)
            own = row[f"{name}_lower"], row[f"{name}_upper"]
            assert own == getattr(alone, f"{form}_interval")


# Numbers of every kind.


@pytest.mark.parametrize("kind", ["float16", "float32", "Float32"])
def test_numbers_of_few_digits_lose_no_more(kind: str) -> None:
    given = pd.Series([0.338, 100.0], dtype=kind)
    # Beyond what half precision can hold.
    large = rankconst.from_counts([10**6, 2 * 10**6]).constants("mr")
    for constants, value in ((TABLES.constants("nations", "mrr"), given[:1]), (large, given[1:])):
        exact = constants.adjust(float(value.iloc[0]))
        for each, form in itertools.product((value, value.to_numpy(), value.iloc[0]), FORMS):
            expected = getattr(exact, form)
            assert np.ravel(getattr(constants.adjust(each), form))[0] == expected
            assert np.ravel(getattr(constants, form)(each))[0] == expected


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


@for_each("cells", ODD_CELLS)
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
    said = "is not a name: expected text, got"
    for odd in (1, math.nan, None, b"nations", ["nations"], pd.NA):
        for name in ("dataset", "metric", "split", "protocol"):
            names: Any = {"dataset": "nations", "metric": "mrr", name: odd}
            with pytest.raises(UnknownNameError, match=said):
                TABLES.constants(**names)
            if name in {"dataset", "metric"}:
                with pytest.raises(UnknownNameError, match=said):
                    rankconst.constants(**names)
    errors = cast("Any", ["note"])
    with pytest.raises(UsageError, match="expected 'raise', 'note' or None"):
        rankconst.adjust(pd.DataFrame({"MRR": [0.5]}), dataset="nations", errors=errors)


def test_tables_of_arrow_are_frames() -> None:
    table = pa.table({"dataset": ["nations"], "MRR": ["0.5"]})
    assert rankconst.check(table).findings == rankconst.check(table.to_pandas()).findings
    ranks = pa.table({"side": ["head", "tail"], "rank": [1, 2]})
    assert rankconst.from_ranks(ranks).evaluate("mr") == 1.5
    triples = pa.table({"head": ["a", "b"], "relation": ["r", "r"], "tail": ["b", "c"]})
    own = rankconst.from_triples(triples, test=triples, name="mykg")
    assert own.datasets["mykg"]["triples_train"] == 2


def test_tables_of_arrow_need_pandas(monkeypatch: pytest.MonkeyPatch) -> None:
    table = pa.table({"dataset": ["nations"], "MRR": ["0.5"], "rank": [1]})
    monkeypatch.setitem(sys.modules, "pandas", None)
    said = r"pandas, which is not installed\. Run: pip install pandas"
    for use in (rankconst.adjust, rankconst.check, rankconst.from_ranks):
        with pytest.raises(MissingExtraError, match=said):
            use(table)


def test_objects_in_use_go_to_other_processes() -> None:
    def send(thing: Any) -> Any:
        return pickle.loads(pickle.dumps(thing))  # noqa: S301 - it was written a moment ago

    triples = [("a", "r", "b"), ("b", "r", "c")]
    own = rankconst.from_triples(triples, test=triples, name="mykg")
    for tables, key in ((rankconst.load(), "nations"), (own, "mykg")):
        constants = tables.constants(key, "mrr")
        for each in (constants, tables.constants(key, "mrr", baseline="frequency")):
            assert send(each).adjust("0.75") == each.adjust("0.75")
        for copied in (send(tables), copy.deepcopy(tables), copy.copy(tables)):
            assert copied.constants(key, "mrr").moments == constants.moments


def test_the_tables_that_came_with_the_package_are_opened_once_in_a_thread(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What pyarrow has opened is of one thread; within it, the second call opens nothing."""
    opened: list[Tables] = []
    load, frame = rankconst.load, pd.DataFrame([NUMBERS])

    def note() -> Tables:
        opened.append(load())
        return opened[-1]

    monkeypatch.setattr("rankconst.api.load", note)
    barrier = Barrier(2)  # each waits for the other, so that both have a thread

    def adjust_twice(_: int) -> list[dict[str, float]]:
        barrier.wait()
        return [indices(rankconst.adjust(frame, dataset="nations")) for _ in range(2)]

    with ThreadPoolExecutor(2) as pool:
        results = [*pool.map(adjust_twice, range(2))]
    first, second = opened
    assert first is not second
    expected = indices(rankconst.adjust(frame, dataset="nations", tables=load()))
    assert results == [[expected] * 2] * 2


# Values typed by hand.


def test_values_typed_by_hand_are_adjusted_as_files_are(tmp_path: Path) -> None:
    # RotatE on FB15k-237, Sun et al. 2019.
    typed = {"mrr": "0.338", "hits@10": "0.533", "mr": "177"}
    path = tmp_path / "results.csv"
    path.write_text(
        "model,dataset,MRR,Hits@10,MR\nRotatE,FB15k-237,0.338,0.533,177\n", encoding="utf-8"
    )
    entries = rankconst.adjust(path).numbers.entries
    read = {str(each.entry.metric): each.adjusted for each in entries}
    adjusted = rankconst.adjust(typed, dataset="FB15k-237", baseline="frequency")
    assert [*adjusted] == [*typed]
    for name, value in typed.items():
        constants = TABLES.constants("fb15k237", name)
        assert adjusted[name].forms == constants.adjust(value) == read[str(constants.metric)]
        alone = rankconst.adjust(value, metric=name, dataset="fb15k237")
        assert alone.forms == constants.adjust(value)
    assert "Hits@10" not in adjusted  # names are those that were typed
    several = rankconst.adjust(["0.338", "0.3"], metric="mrr", dataset="FB15k-237")
    assert [each.value for each in several] == [0.338, 0.3]
    counting, frequency = (
        TABLES.constants("fb15k237", "mrr", baseline=name).expectation
        for name in ("counting", "frequency")
    )
    assert several[0].counting == counting
    frame = adjusted.to_pandas()
    assert frame["metric"].tolist()[:2] == ["inverse_harmonic_mean_rank", "hits_at_10"]
    assert frame["baseline"].tolist() == ["uniform"] * 3 + ["frequency"] * 3
    assert frame["index"][0] == adjusted["mrr"].index
    assert frame["expectation"][3] == frequency


def test_ranks_that_a_tool_counts_from_0_are_one_larger() -> None:
    """As PyTorch Geometric's, which ranks tails among all entities."""
    constants = TABLES.constants("fb15k237", "mr", side="tail", protocol="raw")
    adjusted = rankconst.adjust("200", metric="mr", dataset="fb15k237", tool="pyg")
    assert adjusted.forms == constants.adjust("201")


def test_a_file_says_what_was_assumed_and_asked(tmp_path: Path) -> None:
    asking = "B with dev data,nations,0.6\n"
    path = tmp_path / "a.csv"
    path.write_text(f"model,dataset,MRR\nA,nations,0.5\n{asking}")
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
    answers: list[Any] = [{"accept": "dev"}, {"split": "valid"}]
    for answer in answers:
        assert rankconst.adjust(path, **answer).asked == ()
    path.write_text(f"model,dataset,MRR\n{asking}")
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
    relations = ["embassy", "treaties"]
    adjusted = rankconst.adjust(results, metric=metric, dataset="nations", relations=relations)
    found = adjusted.index if kind == "one" else indices(adjusted, ("mrr",)).popitem()[1]
    assert found == TABLES.constants("nations", "mrr", relations=relations).index(value)


def test_a_column_of_what_became_of_a_file_is_found_by_its_name(inputs: Inputs) -> None:
    adjusted = rankconst.adjust(inputs.path, dataset="nations")
    assert adjusted["AMRR"].tolist() == adjusted.to_pandas()["AMRR"].tolist()
    with pytest.raises(UnknownNameError, match=r"there is no column 'AMMR'\. Columns: "):
        adjusted["AMMR"]


def test_results_show_themselves_in_a_notebook() -> None:
    mr = TABLES.constants("nations", "mr")
    start = "<table><caption></caption><tr><th>value</th><th>normalised</th>"
    assert mr.adjust("3.4")._repr_html_().startswith(start)
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
    mrr, hits = (rankconst.constants("FB15k-237", name) for name in ("mrr", "hits@10"))
    found = rankconst.adjust(mrr="0.338", hits_at_10="0.533", dataset="FB15k-237")
    assert [found[name].index for name in found] == [mrr.index("0.338"), hits.index("0.533")]
    values = [0.338, 0.294]
    for array in (np.array(values), pd.Series(values), pa.array(values)):
        held = rankconst.adjust(array, metric="mrr", dataset="FB15k-237")
        assert [each.index for each in held] == [mrr.index(value) for value in values]
    labelled = pd.Series(values, index=["valid", "test"])
    for frame in (labelled.to_frame("MRR"), labelled.rename("MRR")):
        of_splits = rankconst.adjust(frame, dataset="FB15k-237")
        assert of_splits["split"].tolist() == ["valid", "test"]
    of_valid = pd.Series(values, name="valid MRR")  # its name counts as that of a column does
    assert [*rankconst.adjust(of_valid, metric="mrr", dataset="FB15k-237")["split"]] == [
        "valid"
    ] * 2
    numbers: Any = {"mr": "470", "amri": "0.934", "count": 402}
    checked = str(rankconst.check(**numbers, dataset="fb15k237"))
    assert checked == str(rankconst.check(numbers, dataset="fb15k237"))
    assert "40,932 ranks, not 402" in checked
    mr = rankconst.constants("FB15k-237", "MR").index
    assert mr(mr.invert(0.9343)) == pytest.approx(0.9343)
    misspelt = "datset is neither an argument nor a metric"
    uses: list[tuple[Callable[[], object], str]] = [
        (lambda: rankconst.adjust(labelled, metric="mrr"), r"series.to_frame\('MRR'\)"),
        (lambda: rankconst.adjust(mrr=0.3, datset="UMLS"), misspelt),
        (lambda: rankconst.check(mrr=0.3, datset="UMLS"), misspelt),
        (lambda: rankconst.adjust(0.3, mrr=0.3), "there are both results and a value, mrr"),
        (lambda: rankconst.from_ranks([1, 2], [9, 9]), r"tables=rankconst.from_counts\(candidates"),
    ]
    for use, said in uses:
        with pytest.raises(UsageError, match=said):
            use()


def test_ranks_and_their_own_counts_go_together() -> None:
    ranks, counts = [1, 5, 20, 3], [100, 120, 90, 100]
    for held, counted in (
        (ranks, counts),
        ({"head": ranks[:2], "tail": ranks[2:]}, {"head": counts[:2], "tail": counts[2:]}),
    ):
        tables = rankconst.from_counts(counted)
        own = tables.constants("mrr")
        table = pd.DataFrame(rankconst.adjust(rankconst.from_ranks(held), tables=tables).table)
        is_own = (table["side"] == "both") & (table["metric"] == str(own.metric))
        by_hand = own.index(np.mean(1 / np.array(ranks)))
        assert table["index"][is_own].tolist() == [pytest.approx(by_hand, rel=1e-14)]
        assert rankconst.adjust(0.5, metric="mrr", tables=tables).index == own.index(0.5)
    fewer = rankconst.from_counts(counts[:3])
    with pytest.raises(AskedError, match=r"there are 3 ranks, not 4: .*tables=rankconst.from_c"):
        rankconst.adjust(rankconst.from_ranks(ranks), tables=fewer)


@pytest.mark.parametrize("use", [rankconst.adjust, rankconst.check])
def test_ranks_that_no_order_of_the_candidates_allows_are_refused(use: Any) -> None:
    """By the law of Hall: each order of the counts is tried."""
    counts = (2, 3, 3)
    own = rankconst.from_counts(counts)
    for values in itertools.combinations_with_replacement(range(1, 5), 3):
        orders, ranks = itertools.permutations(counts), rankconst.from_ranks(values)
        if any(all(map(operator.le, values, order)) for order in orders):
            use(ranks, tables=own)
            continue
        with pytest.raises(DataError, match="expected no rank above the candidates of its task"):
            use(ranks, tables=own)
    of_nations = rankconst.from_ranks([*[1] * 401, 99])
    with pytest.raises(DataError, match="side both: 1 rank of 99 or more, but 0 tasks with"):
        use(of_nations, dataset="nations")
    with pytest.raises(UsageError, match="tables do not hold weights of tasks"):
        use({"mrr": 0.5}, tables=rankconst.from_counts([2, 3], weights=[1, 2]))
    with pytest.raises(UsageError, match="count once each, not with weights"):
        use(rankconst.from_ranks([1] * 402), dataset="nations", aggregation="macro-relation")


def test_tables_give_tables_of_their_kind() -> None:
    frame = pd.DataFrame({"dataset": ["FB15k-237", "WN18RR"], "MRR": [".338", ".476"]})
    expected, held = rankconst.adjust(frame).to_dict("list"), pa.table(frame)
    found = rankconst.adjust(held)
    assert isinstance(found, pa.Table)
    assert rankconst.adjust(held.to_batches()[0]).equals(found)
    assert found.to_pydict() == expected
    polars = pytest.importorskip("polars")
    assert rankconst.adjust(polars.DataFrame(held)).to_dict(as_series=False) == expected


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
