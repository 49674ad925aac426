"""The tools' own logs: what each line says, what is refused with its reason, and what holds for all
of them.
"""

import contextlib
import re
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import choose, for_each
from log_samples import SAMPLES, Sample, describe
from rankconst.errors import DataError
from rankconst.results.document import Document, open_document
from rankconst.results.formats import FORMATS, read_document
from rankconst.results.logs.lines import list_settings
from rankconst.results.reading import Reader, Reading
from rankconst.values.published import parse_value

READERS: dict[str, Reader] = {key: FORMATS[key].load() for key in SAMPLES}
CASES = [(key, sample) for key, samples in SAMPLES.items() for sample in samples]
TABLE = "metric:\t MRR \t MR \t hit@10\n"
ROW = " 0.1 \t 2.0 \t 0.3\n"


def read(key: str, text: str, name: str = "run.log") -> Reading:
    return READERS[key].read(Document(name, text))


@for_each(("key", "sample"), CASES)
def test_a_log_of_each_tool_is_read(key: str, sample: Sample) -> None:
    document = Document("metrics.json" if key == "simkgc" else "run.log", sample.text)
    assert [each for each, reader in READERS.items() if reader.recognise(document)] == [key]
    reading = read_document("run.log", sample.text)
    assert (reading.form, reading.layout) == (key, "long")
    assert describe(reading) == sample.expected.splitlines()


@pytest.mark.parametrize(("key", "sample"), CASES)
def test_colours_and_lines_before_a_log_change_nothing(
    key: str, sample: Sample, tmp_path: Path
) -> None:
    text = "2020-01-01 INFO loss 0.5\n" * 20_000 + sample.text
    path = tmp_path / "run.log"
    path.write_bytes(text.replace("\n", "\x1b[0m\r\n\x1b[1;32m").encode())
    document = open_document(path)
    assert READERS[key].recognise(document)
    late = re.sub(r"(?m)^\d+", lambda line: str(int(line[0]) + 20_000), sample.expected)
    assert describe(READERS[key].read(document)) == late.splitlines()


@for_each(
    ("name", "text"),
    [
        ("results.csv", "model,mrr,hits@10\nTransE,0.3,0.5\n"),
        ("results.txt", '{"log": "Test MRR at step 5: 0.3", "mrr": 0.3}\n'),
        ("results.txt", '[\n  "Test MRR at step 5: 0.3",\n  "Filt. MRR : 0.3 "\n]\n'),
        ("-", "| model | MRR |\n|---|---|\n| Hits @10: 0.1 | Test average MRR : 0.3 |\n"),
        ("run.log", "Test average MRR at step 9: 0.016\nTest loss at step 9: 0.1\nEvaluate on test\naccuracy: 0.9\n"),
        ("README.md", SAMPLES["rotate"][0].text),
    ],
)  # fmt: skip
def test_nothing_else_is_recognised(name: str, text: str) -> None:
    assert [key for key, reader in READERS.items() if reader.recognise(Document(name, text))] == []


@for_each(
    ("above", "line", "words"),
    [
        ("Evaluating on Test Dataset...", "", []),
        ("------Evaluating on Test Dataset------", "", []),
        ("Evaluating on Test Dataset with 500 sampled negatives...", "", ["with 500 sampled negatives"]),
        ("Evaluating on Test Dataset...", "-- Prediction Head... 1-1 --\nTest MRR at step 10: 0.4\n", ["10"]),
        ("Evaluating on Test Dataset...", "Test MRR at step 20: 0.4\nValid MRR at step 10: 0.4\n", []),
    ],
)  # fmt: skip
def test_what_a_fork_of_rotate_adds_is_asked_about(above: str, line: str, words: list[str]) -> None:
    entries = read("rotate", f"{above}\nTest MRR at step 10: 0.5\n{line}").entries
    assert [ask.word for ask in entries[0].context.questions if ask.field == "part"] == words


# What comes before a number in a line of each tool, and behind it.
LINES = {
    "rotate": ("2020-01-01 00:00:00 INFO     Test MRR at step 10: ", ""),
    "openke": ("metric:\t MRR\nl(raw):\t ", " \n"),
    "openke_torch": ("INFO:Trainer:2024-05-19 16:26:31:mrr: ", ""),
    "conve": ("Hits @1: 0.5\nMean reciprocal rank: ", ""),
    "torchkge": ("Filt. Mean Rank : 1\nFilt. MRR : ", ""),
    "dglke": ("Test average MRR : ", ""),
    "nbfnet": ("Evaluate on test\nmrr: ", ""),
    "grail": ("mode: sample\nMRR | Hits@1 : 0.6 | ", ""),
    "pyg": ("Test Mean Rank: 1, Test MRR: ", ""),
    "simkgc": ('forward metrics: {"mean_rank": 1, "mrr": ', "}"),
}
NAN = "it is {}: the scores were not numbers, as when training diverges"


@for_each(("text", "why"), [("nan", NAN), ("-nan", NAN), ("0.x3", "'{}' is not a number")])
@for_each("key", LINES)
def test_what_is_not_a_number_costs_nothing_else(key: str, text: str, why: str) -> None:
    before, after = LINES[key]
    whole, without = (read(key, f"first\n{before}{each}{after}\n") for each in ("0.5", text))
    assert [entry.line for entry in without.entries] == [entry.line for entry in whole.entries[:-1]]
    assert [(skip.line, skip.reason) for skip in without.skipped] == [
        (before.count("\n") + 2, why.format(text))
    ]


@for_each("key", [key for key in LINES if key != "openke"])
def test_a_line_without_its_value_is_left_out(key: str) -> None:
    cut = LINES[key][0].rstrip()
    for end, why in (("\n", "it has no value"), ("", "the last line is cut off")):
        assert [skip.reason for skip in read(key, f"{cut}{end}").skipped] == [why]


@for_each("text", ["0", "0.", "0.33700"])
def test_a_number_is_known_to_be_cut_off_where_decimals_are_fixed(text: str) -> None:
    line = "Test MRR at step 10: "
    reading = read("rotate", f"{line}0.300000\n{line}{text}")
    assert [entry.text for entry in reading.entries] == ["0.300000"]
    assert [skip.reason for skip in reading.skipped] == [f"the last line is cut off after {text!r}"]
    assert [entry.text for entry in read("rotate", f"{line}{text}\n").entries] == [text]


EXACT = {"0.1234567", "0.001234567", "123.4567", "1.0000000", "1.23456789e-05"}


@for_each("text", [*EXACT, "0.5", "0.123456", "0.00123456", "123.456", "1.2345e-05", "53.3%"])
@for_each("key", LINES)
def test_a_number_is_exact_only_where_all_digits_are_printed_and_there(key: str, text: str) -> None:
    before, after = LINES[key]
    entry = read(key, f"{before}{text}{after}\n").entries[-1]
    assert entry.exact == (text in EXACT and key in {"conve", "dglke", "grail"})


@for_each(
    ("key", "text", "skipped"),
    [
        ("rotate", "Test auc_pr at step 39999: 0.990000\n", "auc_pr: not the name of a metric"),
        ("rotate", "Test 1-to-N head MRR at step 9: 0.990000\n", "1-to-N head MRR: not the name of a metric"),
        ("openke", f"no type constraint results:\n{TABLE}averaged(raw):{ROW}", "MRR: a table without l"),
        ("openke", f"type constraint results:\n{TABLE}l(raw):{ROW}r(raw):{ROW}", "MRR: under the type"),
        ("openke", "r(filter):\t 12.5\n", "12.5: no heading above names its column"),
        ("openke", "metric:\t AUC@10 hit@1\nr(filter):\t 0.4\n", "AUC@10: not the name of a metric"),
        ("conve", "Hits left @10: 0.5\n", "Hits@10: left and right are head and tail in some tools"),
        ("dglke", "[3]Test average MRR: 0.3\n", "MRR: a process evaluates a part of the triples"),
        ("nbfnet", "Evaluate on test\nhits@10_50: 0.8\n", "hits@10_50: it is estimated from the rank"),
        ("nbfnet", "Evaluate on test\n1-to-1 tail: 0.8\n", "1-to-1 tail: it is the MRR of the relations"),
        ("openke_torch", "INFO:Tester:2024-05-19 16:26:31:mr_type: 44.65\n", "mr_type: under the type constraint"),
        ("kbc", SAMPLES["kbc"][0].text.split("VALID")[0], "MRR: kbc evaluates 50,000 random triples"),
    ],
)  # fmt: skip
def test_what_cannot_be_adjusted_is_refused_with_its_reason(
    key: str, text: str, skipped: str
) -> None:
    reading = read(key, text)
    assert len(reading.entries) == 0
    assert f"{reading.skipped[0].what}: {reading.skipped[0].reason}".startswith(skipped)


@for_each(
    ("key", "text", "num_tasks"),
    [
        ("rotate", "INFO     #test: 20466\nTest MRR at step 5: 0.497000\n", 40932),
        ("rotate", "INFO     Num Test: 3134\nTest MRR at step 5: 0.497000\n", 6268),
        ("openke", f"The total of test triples is 661.\n{TABLE}l(raw):{ROW}", 661),
        ("openke", f"The total of test triples is 661.\n{TABLE}l(raw):{ROW}averaged(raw):{ROW}", 1322),
        ("conve", "Test:\nNumber of data points: 40932\nHits @10: 0.5\n", 40932),
        ("nbfnet", "#train: 4245, #valid: 489, #test: 411\nEvaluate on test\nmrr: 0.5\n", 822),
        ("nbfnet", "#valid: 489, #test: 411\nFast evaluation on 50 samples in validation\nEvaluate on valid\nmrr: 0.5\n", 100),
    ],
)  # fmt: skip
def test_logs_count_their_ranks(key: str, text: str, num_tasks: int) -> None:
    assert read(key, text).entries[-1].context.num_tasks == num_tasks


SETTINGS = {
    "2020-01-01 00:00:00 INFO     Data Path: ../data/FB15k-237": ["FB15k-237"],
    "2022 INFO     data_name           :FB15k": ["FB15k"],
    "python main.py --dataset WN18RR --num_iterations 500": ["WN18RR"],
    "python main.py --data_path data/WN18RR/train.txt": ["WN18RR"],
    "run.py --dataset nations --model TransE": ["nations"],
    "run.py --do_train --data_path data/wn18rr --model RotatE": ["wn18rr"],
    "Namespace(batch=128, dataset='FB15k-237', lr=0.1)": ["FB15k-237"],
    "2020 INFO DATA: FB15K237": ["FB15K237"],
    "dataset: mine": ["mine"],
    "run.py --init FB15k-237 --dataset mine": ["mine"],
    "train_path=data/umls/train.txt test_path=data/nations/test.txt": [],
    "Dataset loaded, metadata: umls, data: 0.1, dataset: test, data: /home/umls/data/mine.txt": ["umls"],
    "source_dataset: WN18RR, Loading data: triples of it, dataset: None": [],
}  # fmt: skip


@for_each(("line", "names"), SETTINGS.items())
def test_settings_name_the_dataset(line: str, names: list[str]) -> None:
    assert [*list_settings(line)] == names


@for_each(
    ("runs", "datasets"),
    [
        (["Data Path: data/wn18rr", "Data Path: data/FB15k-237"], ["wn18rr", "FB15k-237"]),
        (["--dataset WN18RR", "--dataset mine", "lr: 0.1"], ["WN18RR", "mine", "mine"]),
        (["lr: 0.1"], ["umls"]),
    ],
)
@for_each("line", ["Test MRR at step 10: 0.300000", "test MRR: 0.3"])
def test_numbers_are_of_the_settings_above_them_or_of_the_name_of_the_file(
    runs: list[str], datasets: list[str], line: str
) -> None:
    reading = read_document("umls_run.log", "".join(f"{each}\nloss 0.1\n{line}\n" for each in runs))
    assert [entry.context.dataset for entry in reading.entries] == datasets
    assert not any(entry.context.questions for entry in reading.entries)
    assert ("dataset umls from the name of the file" in reading.understood) == ("umls" in datasets)


def test_nbfnet_has_no_numbers_of_kinds_of_queries() -> None:
    reading = read("nbfnet", "Evaluate on test\n00:00:01 1p mrr: 0.4\n00:00:01 mrr: 0.3\n")
    assert [entry.text for entry in reading.entries] == ["0.300000"]


def test_trix_says_whether_it_ranks_relations_in_the_name_of_its_settings() -> None:
    """And removes no known ones: src/run_relation.py in github.com/yuchengz99/TRIX."""
    numbers = "#valid: 1827, #test: 1828\nEvaluate on test\n20:41:51   mr: 1.26258\n"
    runs = [
        f"20:41:38   Config file: ./config/run_{what}_transductive.yaml\n{numbers}"
        for what in ("relation", "entity")
    ]
    contexts = [entry.context for entry in read("nbfnet", "".join(runs)).entries]
    assert [(each.side, each.protocol) for each in contexts] == [
        ("relation", "raw"),
        ("both", None),
    ]


def test_nbfnet_names_the_class_of_its_dataset_and_then_the_version() -> None:
    settings = " 'dataset': {'class': 'FB15k237Inductive',\n"
    numbers = "10:00:02   Evaluate on test\n10:00:03   mrr: 0.5\n"
    for line in ("FB15k237Inductive(v1)", "CoDExMedium"):
        (entry,) = read("nbfnet", f"10:00:01   {line} dataset\n{numbers}").entries
        assert entry.context.dataset == line
    (entry,) = read("nbfnet", f"{settings}x   FB15k237Inductive(v1) dataset\n{numbers}").entries
    assert entry.context.dataset == "FB15k237Inductive(v1)"


def test_a_metric_that_comes_again_is_of_another_evaluation() -> None:
    numbers = "".join(f"Test {name} at step 10: 0.3\n" for name in ("MRR", "HITS@1", "MRR"))
    rows = read("rotate", numbers).rows
    assert [row["evaluation"] for row in rows] == ["1", "1", "2"]


def test_settings_of_one_run_that_disagree_are_asked_about() -> None:
    line = "Test MRR at step 10: 0.300000\n"
    first, second = read(
        "rotate", f"data: UMLS\ndata: WN18RR\n{line}data: FB15k-237\n{line}", "umls.log"
    ).entries
    assert (first.context.dataset, second.context.dataset) == (None, "FB15k-237")
    assert [ask.choices for ask in first.context.questions] == [("UMLS", "WN18RR")]


@for_each(
    ("name", "dataset", "split", "asked"),
    [
        ("nations_valid.txt", "nations", "valid", []),
        ("tk_umls_valid.txt", "umls", None, ["valid"]),
        ("tk_nations.txt", None, None, []),
        ("mykge_FB15K237_noisy.txt", "FB15K237", None, ["noisy"]),
        ("mine.txt", None, None, []),
    ],
)
def test_the_name_of_the_file_is_the_farthest_text(
    name: str, dataset: str | None, split: str | None, asked: list[str]
) -> None:
    for entry in read("torchkge", SAMPLES["torchkge"][0].text, name).entries:
        assert (entry.context.dataset, entry.context.split) == (dataset, split)
        assert [ask.word for ask in entry.context.questions] == asked


@given(st.floats(1e-4, 1, allow_nan=False))
def test_the_true_value_is_within_what_nbfnet_prints(number: float) -> None:
    """Six significant digits, trailing zeros lost."""
    (entry,) = read("nbfnet", f"Evaluate on test\nmrr: {number:g}\n").entries
    interval = parse_value(entry.text).interval
    assert float(entry.text) == float(f"{number:g}")
    assert interval.lower <= number <= interval.upper < 1.00002 * number


@given(st.floats(1, 1e5), st.floats(0, 1), st.floats(0, 1), st.integers(1, 6))
def test_the_true_value_is_within_what_torchkge_prints(
    rank: float, raw: float, filtered: float, digits: int
) -> None:
    """The whole part of the mean rank, the others rounded, trailing zeros lost."""
    one, other = round(raw, digits), round(filtered, digits)
    text = (
        f"Hit@10 : {one} \t\t Filt. Hit@10 : {other}\n"
        f"Mean Rank : {int(rank)} \t Filt. Mean Rank : {int(rank)}\n"
        f"MRR : {one} \t\t Filt. MRR : {other}\n"
    )
    truths = (raw, filtered, rank, rank, raw, filtered)
    for entry, true in zip(read("torchkge", text).entries, truths, strict=True):
        interval = parse_value(entry.text, exact=entry.exact).interval
        assert interval.lower - 1e-12 <= true <= interval.upper + 1e-9


@pytest.mark.slow
@for_each("key", [*READERS, "generic"])
def test_no_line_takes_long(key: str) -> None:
    """What tests/test_patterns.py says of each pattern holds for the whole reader."""
    sample = SAMPLES[key][0].text if key in SAMPLES else "mrr: 0.5\n"
    reader = FORMATS[key].load()
    own = (f"{word} " for word in LINES.get(key, ("",))[0].split())
    for piece in ("data: ", "--dataset ", *own, "\x1b[", " ", "9"):
        text = piece * (choose(2**14, 2**20) // len(piece)) + "\n" + sample
        start = time.process_time()
        reader.recognise(Document("run.log", text))
        with contextlib.suppress(DataError):
            reader.read(Document("run.log", text))
        assert time.process_time() - start < choose(1, 5), piece
