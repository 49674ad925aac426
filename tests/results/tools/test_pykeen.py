"""PyKEEN's results of every version, generated and real."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import for_each
from rankconst.errors import DataError
from rankconst.evaluation import Address
from rankconst.results.document import Document
from rankconst.results.formats import read_opened
from rankconst.results.reading import Reading
from rankconst.results.tools.pykeen import READER, READER_TRACKER, READER_TRIALS

SIDES = ("both", "head", "tail")
# The names of before 1.5 and those of today.
RANK_TYPES = {"avg": "realistic", "best": "optimistic", "worst": "pessimistic"}
METRICS = ("arithmetic_mean_rank", "inverse_harmonic_mean_rank", "hits_at_1", "hits_at_10")
OLD_METRICS = {
    "mean_rank": "arithmetic_mean_rank",
    "mean_reciprocal_rank": "inverse_harmonic_mean_rank",
}

Values = dict[tuple[str, str, str], float]


def _read(text: str, name: str = "results.json") -> Reading:
    document = Document(name, text)
    assert READER.recognise(document)
    return READER.read(document)


def _collect(reading: Reading) -> dict[tuple[str | None, str | None, str], float]:
    return {
        (entry.context.side, entry.context.rank_type, entry.metric.key): float(entry.text)
        for entry in reading.entries
    }


VALUES = st.fixed_dictionaries(
    {
        (side, rank_type, metric): st.floats(1, 1e6)
        if metric.startswith("arith")
        else st.floats(0, 1)
        for side in SIDES
        for rank_type in RANK_TYPES
        for metric in METRICS
    }
)


def _lay_out(values: Values, layout: str) -> str:
    tree: dict[str, Any] = {"losses": [0.5], "times": {"training": 1}, "_step": 3}
    old_names = {new: old for old, new in OLD_METRICS.items()}
    for (side, old_type, metric), value in values.items():
        kind, old_name = RANK_TYPES[old_type], old_names.get(metric, metric)
        is_hits, k = metric.startswith("hits_at_"), metric.removeprefix("hits_at_")
        *outer, last = {
            "since 1.8": ("metrics", side, kind, metric),
            "1.5": ("metrics", *(("hits_at_k", side, kind, k) if is_hits else (metric, side, kind))),
            "1.0": ("metrics", *(("hits_at_k", side, old_type, k) if is_hits else (old_name, side, old_type))),
            "joined": (f"{side}.{kind}.{metric}",),
            "joined 1.0": (f"{side}.{old_type}.{old_name}",),
            "joined by underscores": (f"{side}_{kind}_{metric}",),
            "with a split": (f"validation/{side}/{kind}/{metric}",),
        }[layout]  # fmt: skip
        inner = tree
        for key in outer:
            inner = inner.setdefault(key, {})
        inner[last] = value
    return json.dumps(tree)


LAYOUTS = [
    "since 1.8", "1.5", "1.0", "joined", "joined 1.0", "joined by underscores", "with a split",
]  # fmt: skip


@given(VALUES, st.sampled_from(LAYOUTS))
def test_every_layout_gives_the_same_numbers(values: Values, layout: str) -> None:
    reading = _read(_lay_out(values, layout))
    expected = {
        (side, RANK_TYPES[kind], metric): value for (side, kind, metric), value in values.items()
    }
    assert _collect(reading) == expected
    assert len(reading.entries) == len(expected)
    assert not reading.skipped
    splits = {entry.context.split for entry in reading.entries}
    assert splits == ({"valid"} if layout == "with a split" else {None})


TRACKED = (
    'type,step,key,value\nparameter,0,dataset,nations\nparameter,0,loss,"Loss(\n  ReLU()\n)"\n'
    "metric,1,loss,0.5\n"
    "metric,1,validation.head.realistic.mrr,0.25\nmetric,1,validation.head.realistic.count,199\n"
    "metric,2,testing.both.pessimistic.hits_at_10,0.5\n"
    "metric,2,testing.both.realistic.hits_at_1,nan\n"
)


def test_a_tracker_in_csv_is_read_by_step() -> None:
    reading = READER_TRACKER.read(Document("tracker.csv", TRACKED))
    assert [
        (entry.line, entry.metric.label, entry.text, reading.rows[entry.row]["step"], entry.context)
        for entry in reading.entries
    ] == [
        (7, "MRR", "0.25", "1",
         Address("nations", "valid", "head", rank_type="realistic", num_tasks=199)),
        (9, "Hits@10", "0.5", "2", Address("nations", "test", "both", rank_type="pessimistic")),
    ]  # fmt: skip
    assert [(skip.line, skip.what) for skip in reading.skipped] == [
        (10, "testing.both.realistic.hits_at_1")
    ]
    with pytest.raises(DataError, match=r"tracker\.csv, line 11: expected 4 cells, got 2"):
        READER_TRACKER.read(Document("tracker.csv", f"{TRACKED}metric,3\n"))


def test_trials_are_of_valid_and_a_failed_one_has_no_numbers() -> None:
    headings = "number\tvalue\tuser_attrs_both.realistic.mrr\tuser_attrs_random_seed\tstate"
    text = f"{headings}\n0\t0.5\t0.5\t7\tCOMPLETE\n1\t\t\t\tFAIL\n"
    (entry,) = READER_TRIALS.read(Document("trials.tsv", text)).entries
    assert (entry.line, entry.text, entry.context.split, entry.context.side) == (
        2, "0.5", "valid", "both",
    )  # fmt: skip


def test_what_is_left_out_is_named() -> None:
    reading = _read(
        '{"metrics": {"both": {"realistic": {"mrr": 0.5, "foo": 1, "hits_at_k": 0.5, '
        '"hits_at_3": null, "mr": [1], "adjusted_mean_rank": 0.9}, '
        '"optimistic": {"inverse_median_rank": 0.0}, '
        '"avg": {"hits_at_k": {"0.1": 0.5}}}}, "stopper": {"mrr": 1}}'
    )
    assert [entry.text for entry in reading.entries] == ["0.5"]
    assert {skip.what.rpartition("realistic.")[2]: skip.reason for skip in reading.skipped} == {
        "foo": "'foo' is not a rank-based metric",
        "hits_at_k": "it does not say which k",
        "hits_at_3": "it is null",
        "mr": "it is a list, not a number",
        "adjusted_mean_rank": "before 1.5 PyKEEN could compute it rank by rank: then it does not follow from the metric",
        "metrics.both.optimistic.inverse_median_rank": "PyKEEN divides whole numbers here: 1 over any median rank above 1 is 0",
        "metrics.both.avg.hits_at_k.0.1": "'0.1' is not a whole k",
    }  # fmt: skip


@for_each("count", ["0", "-5", "1.5", '"7"', "1e300", "9007199254740993"])
def test_a_count_that_is_no_number_of_ranks_leaves_it_open(count: str) -> None:
    reading = _read(f'{{"both": {{"realistic": {{"mrr": 0.5, "count": {count}}}}}}}')
    assert [(entry.text, entry.context.num_tasks) for entry in reading.entries] == [("0.5", None)]
    (skip,) = reading.skipped
    assert skip.what == "both.realistic.count"
    assert re.match("expected a number of ranks|'1e300' is too large", skip.reason)


_ONE = '"metrics": {"both": {"realistic": {"hits_at_1": 0.5}}}'


@for_each(
    ("name", "text", "said"),
    [
        ("x.csv", "run,dataset,metrics.both.realistic.hits_at_1\na,nations,0.5\n", "pykeen nations both realistic"),
        ("x.csv", "Side,Type,Metric,Value\nboth,realistic,hits_at_1,0.5\n", "pykeen both realistic"),
        ("x.csv", ",Side,Rank_type,Metric,Value\n0,both,realistic,hits_at_1,0.5\n", "pykeen both realistic"),
        ("x.yaml", "a:\n  mean_rank: 20.1\n", ""),
        (
            "x.csv",
            "type,step,key,value\nparameter,0,evaluator,SampledRankBasedEvaluator\n"
            "parameter,0,evaluator_kwargs.num_negatives,5\n"
            "metric,3,testing.both.realistic.hits_at_1,0.5\n",
            "pykeen test both sampled:5 realistic",
        ),
        ("x.json", f'{{"evaluator": "rankbased", "evaluator_kwargs": {{"filtered": false}}, {_ONE}}}',
         "pykeen both raw realistic"),
        ("x.json", f'{{"evaluator": "macro", {_ONE}}}', "pykeen both macro-query realistic"),
        ("x.json", f'{{"evaluator": "sampled", {_ONE}}}', "pykeen both realistic --protocol sampled:M"),
        ("x.json", '{"both": {"realistic": {"mrr": 0.1585, "count": 40876.0}}}', "pykeen both realistic 40876"),
        ("x.json", '{"prefix": "validation", "both.realistic.hits_at_10": 0.5}', "pykeen valid both realistic"),
        ("x.json", '{"split": "validation", "both.realistic.hits_at_10": 0.5}', "pykeen valid both realistic"),
        # The name of the file is the farthest to say the dataset and the split.
        ("umls_valid_pykeen.json", '{"both": {"realistic": {"mrr": 0.5}}}', "pykeen umls valid both realistic"),
        ("umls_valid.json", '{"test": {"both": {"realistic": {"mrr": 0.5}}}}', "pykeen umls test both realistic"),
        ("mine_dev.json", '{"both": {"realistic": {"mrr": 0.5}}}',
         "pykeen both realistic --split valid, or --accept dev if it says nothing about these numbers"),
        ("mine_dev.json", '{"test": {"both": {"realistic": {"mrr": 0.5}}}}', "pykeen test both realistic"),
        ("umls.json", '{"both": {"realistic": {"mrr": 0.5}}}', "pykeen umls both realistic"),
        ("umls.json", '{"dataset": "nations", "both": {"realistic": {"mrr": 0.5}}}', "pykeen nations both realistic"),
        # An experiment of PyKEEN's repository has the numbers of a paper, which it did not compute.
        ("conve_wn18rr.json", '{"pipeline": {}, "results": {"mean_rank": {"nondeterministic": 4187}}}',
         "wn18rr nondeterministic"),
        ("x.json", '{"metrics": {"mean_rank": {"both": {"avg": 3}}}}', "pykeen both pykeen-train+test realistic"),
    ],
)  # fmt: skip
def test_what_is_said_of_tool_and_tasks(name: str, text: str, said: str) -> None:
    reading = read_opened(Document(name, text))
    (entry,) = reading.entries
    about = entry.context
    fields = ("dataset", "split", "side", "protocol", "aggregation", "rank_type", "num_tasks")
    values = (getattr(about, field) for field in fields)
    remedies = (ask.remedy for ask in about.questions)
    assert " ".join(str(each) for each in (reading.tool, *values, *remedies) if each) == said


def test_real_files_read_as_plain_json_says(reference: Path) -> None:
    ratios = {"adjusted_arithmetic_mean_rank", "adjusted_geometric_mean_rank"}
    for path in sorted((reference / "pykeen_results").glob("*.json")):
        metrics = json.loads(path.read_text(), parse_float=str)["metrics"]
        reading = _read(path.read_text())
        assert (reading.tool, reading.layout, reading.skipped) == ("pykeen", "long", ())
        found = {}
        for entry in reading.entries:
            row, about = reading.rows[entry.row], entry.context
            key = row["metric"]
            assert (entry.text, about.side, about.rank_type, entry.exact) == (
                row["value"], row["side"], row["rank_type"], True,
            )  # fmt: skip
            assert about.num_tasks == float(metrics[about.side][about.rank_type]["count"])
            assert entry.metric.key == re.sub("^adjusted_|^z_|_index$", "", key)
            form = "normalised" if key in ratios else "index"
            forms = {"z": "z", "adjusted": form}
            assert entry.adjustment == forms.get(key.partition("_")[0])
            found[about.side, about.rank_type, key] = entry.text
        assert len(found) == 3 * 3 * 28
        for (side, rank_type, key), text in found.items():
            assert metrics[side][rank_type][key] == text
