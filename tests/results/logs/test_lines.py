"""What all readers of logs have in common, tried with a log of each tool."""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Iterator
from importlib import import_module
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cases import choose, for_each
from log_samples import SAMPLES, Sample
from rankconst.constants.published import parse_value
from rankconst.errors import DataError
from rankconst.names import squash
from rankconst.results.document import Document
from rankconst.results.formats import read_document
from rankconst.results.logs.lines import find_dataset, pad_decimals, pad_digits, parse_name

if TYPE_CHECKING:
    from rankconst.results.reading import Reader, Reading

READERS: dict[str, Reader] = {key: import_module(f"rankconst.results.logs.{key}").READER for key in SAMPLES}
CASES = [(key, sample) for key, samples in SAMPLES.items() for sample in samples]

# What comes before a number in a line of each tool, and behind it.
LINES = {
    "rotate": ("2020-01-01 00:00:00 INFO     Test MRR at step 10: ", ""),
    "openke": ("metric:\t MRR\nl(raw):\t ", " \n"),
    "conve": ("Hits @1: 0.5\nMean reciprocal rank: ", ""),
    "torchkge": ("Filt. Mean Rank : 1\nFilt. MRR : ", ""),
    "dglke": ("Test average MRR : ", ""),
    "nbfnet": ("Evaluate on test\nmrr: ", ""),
}

NAMES = dict.fromkeys(LINES, "MRR") | {"conve": "Mean reciprocal rank", "nbfnet": "mrr"}


def read(key: str, text: str) -> Reading:
    return READERS[key].read(Document("run.log", text))


def list_entries(key: str, text: str) -> list[tuple[object, ...]]:
    reading = read(key, text)
    assert reading.form == key
    assert reading.layout == "long"
    for row in reading.rows:
        assert set(row) == set(reading.columns)
    return [
        (
            entry.line,
            entry.context.split,
            entry.context.side,
            entry.context.protocol,
            reading.rows[entry.row].get("step", ""),
            entry.metric.label,
            entry.text,
        )
        for entry in reading.entries
    ]


@pytest.mark.parametrize(("key", "sample"), CASES)
def test_a_log_of_each_tool_is_read(key: str, sample: Sample) -> None:
    assert READERS[key].key == key
    assert list_entries(key, sample.text) == sample.expected


@pytest.mark.parametrize(("key", "sample"), CASES)
def test_only_its_own_reader_recognises_a_log(key: str, sample: Sample) -> None:
    document = Document("run.log", sample.text)
    assert [each for each, reader in READERS.items() if reader.recognise(document)] == [key]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("results.csv", "model,mrr,hits@10\nTransE,0.3,0.5\n"),
        ("results.txt", "metric,value\nTest average MRR : 0.3,1\nFilt. MRR : 0.3,1\n"),
        ("results.txt", '{"log": "Test MRR at step 5: 0.3", "mrr": 0.3}\n'),
        ("results.txt", '[\n  "Test MRR at step 5: 0.3",\n  "Filt. MRR : 0.3 "\n]\n'),
        ("results.md", "| model | MRR | Hits @10 |\n|---|---|---|\n| l(raw): 0.1 | 0.2 | Test average MRR : 0.3 |\n"),
        (
            "-",
            "| model | MRR | Hits @10 |\n|---|---|---|\n| Hits @10: 0.1 | Filt. MRR : 0.2 | Test average MRR : 0.3 |\n",
        ),
        ("results.yaml", "mrr: 0.3\nmr: 12\nhits@10: 0.5\n"),
        (
            "run.log",
            "Test average MRR at step 9: 0.016133\nTest loss at step 9: 0.1\nEvaluate on test\naccuracy: 0.9\n",
        ),
        ("README.md", SAMPLES["rotate"][0].text),
    ],
)
def test_nothing_else_is_recognised(name: str, text: str) -> None:
    assert [key for key, reader in READERS.items() if reader.recognise(Document(name, text))] == []


@pytest.mark.parametrize(("key", "sample"), CASES)
def test_a_log_is_recognised_however_late_it_begins(key: str, sample: Sample) -> None:
    text = "2020-01-01 INFO loss 0.5\n" * 20_000 + sample.text
    assert READERS[key].recognise(Document("run.log", text))
    assert list_entries(key, text) == [(line + 20_000, *rest) for line, *rest in sample.expected]


@pytest.mark.parametrize(("key", "sample"), CASES)
def test_colours_and_progress_bars_change_nothing(key: str, sample: Sample) -> None:
    coloured = "".join(
        f"\x1b[1;32m{line}\x1b[0m\n" if number % 2 else f"{line}\n"
        for number, line in enumerate(sample.text.splitlines())
    )
    # TuckER's epoch is known by standing alone on its line.
    barred = (
        coloured.replace("\n", "\n 50%|####5     | 10/20 [00:01<00:01]\r")
        if key in {"torchkge", "nbfnet"}
        else coloured
    )
    assert READERS[key].recognise(Document("run.log", barred))
    assert list_entries(key, barred) == sample.expected


@pytest.mark.parametrize("key", LINES)
@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("nan", "it is nan: the scores were not numbers, as when training diverges"),
        ("-nan", "it is -nan: the scores were not numbers, as when training diverges"),
        ("inf", "it is inf: the scores were not numbers, as when training diverges"),
        ("0.x3", "'0.x3' is not a number"),
    ],
)
def test_what_is_no_number_costs_nothing_else(key: str, text: str, why: str) -> None:
    before, after = LINES[key]
    whole, without = (read(key, f"first\n{before}{each}{after}\n") for each in ("0.5", text))
    assert [entry.line for entry in without.entries] == [entry.line for entry in whole.entries[:-1]]
    (skip,) = without.skipped
    assert (skip.line, skip.what, skip.why) == (before.count("\n") + 2, NAMES[key], why)


@pytest.mark.parametrize("key", [key for key in LINES if key != "openke"])
def test_a_line_without_its_value_is_left_out(key: str) -> None:
    before, _ = LINES[key]
    cut = before.rstrip()
    line = cut.count("\n") + 1
    (skip,) = read(key, f"{cut}\n").skipped
    assert (skip.line, skip.what, skip.why) == (line, NAMES[key], "it has no value")
    (skip,) = read(key, cut).skipped
    assert (skip.line, skip.what, skip.why) == (line, NAMES[key], "the last line is cut off")


@pytest.mark.parametrize("text", ["0", "0.", "0.33700"])
def test_a_number_is_known_to_be_cut_off_where_decimals_are_fixed(text: str) -> None:
    line = "Test MRR at step 10: "
    reading = read("rotate", f"{line}0.300000\n{line}{text}")
    assert [entry.text for entry in reading.entries] == ["0.300000"]
    assert [(skip.line, skip.why) for skip in reading.skipped] == [(2, f"the last line is cut off after {text!r}")]
    assert [entry.text for entry in read("rotate", f"{line}{text}\n").entries] == [text]


@for_each(
    ("text", "exact"),
    [
        ("0.5", False),
        ("0.123456", False),
        ("0.00123456", False),
        ("123.456", False),
        ("1.2345e-05", False),
        ("0.1234567", True),
        ("0.001234567", True),
        ("123.4567", True),
        ("1.0000000", True),
        ("1.23456789e-05", True),
        ("53.3%", False),
    ],
)
@for_each("key", LINES)
def test_a_number_is_exact_only_where_all_digits_are_printed_and_there(key: str, text: str, exact: bool) -> None:
    before, after = LINES[key]
    entry = read(key, f"{before}{text}{after}\n").entries[-1]
    assert entry.exact == (exact and key in {"conve", "dglke"})


@pytest.mark.parametrize(
    ("settings", "dataset"),
    [
        ("2020-01-01 00:00:00 INFO     Data Path: ../data/FB15k-237", "FB15k-237"),
        ("Input Files Path : ./benchmarks/umls/", "umls"),
        ("20:26:42   {'dataset': {'class': 'UMLS', 'root': 'x'},", "UMLS"),
        ("2022 INFO     data_name           :FB15k", "FB15k"),
        ("python main.py --dataset WN18RR --num_iterations 500", "WN18RR"),
        ("Namespace(batch=128, dataset='FB15k-237', lr=0.1)", "FB15k-237"),
        ("2020-04-14 INFO DATA: FB15K237\nDATASET: fb15k-237", "FB15K237"),
        ("dataset: umls\ndataset: nations", None),
        ("Namespace(dataset='ICEWS14s', lr=0.1)", "ICEWS14s"),
        ('Args={"task": "wn18rr", "valid_path": "./data/WN18RR/test.txt.json"}', "wn18rr"),
        ("task: link-prediction\ntrain_path=data/umls/train.txt", "umls"),
        ("train_path=data/umls/train.txt test_path=data/nations/test.txt", None),
        ("data_path: data/umls/train.txt", "umls"),
        ("INFO Dataset loaded\ndata: /home/umls/data/mine\nmetadata: umls", None),
    ],
)
def test_the_dataset_may_be_among_the_settings(settings: str, dataset: str | None) -> None:
    said = find_dataset(f"{settings}\nTest MRR at step 10: 0.3\n")
    assert squash(said or "") == squash(dataset or "")
    reading = read("rotate", f"{settings}\nTest MRR at step 10: 0.3\n")
    assert {entry.context.dataset for entry in reading.entries} == {said}
    assert reading.understood == (f"dataset {said} from its settings" if dataset else "")


def test_the_statements_of_wd50k_have_no_name_of_their_own_in_stare() -> None:
    settings = "{'DATASET': 'wd50k', 'STATEMENT_LEN': %d}"
    assert [find_dataset(settings % length) for length in (15, -1, 3)] == ["WD50K", "WD50K", "wd50k"]


LOSSES = "2020-01-01 00:00:00 INFO     Training average loss at step 9: 0.1\n" * 20


@pytest.mark.parametrize("losses", [LOSSES, LOSSES * 40])  # the second run begins beyond the settings of the first
@pytest.mark.parametrize(
    ("settings", "datasets", "skipped"),
    [
        (["Data Path: data/wn18rr", "Data Path: data/FB15k-237"], ["wn18rr", "FB15k-237"], 0),
        (["--dataset WN18RR", "--dataset mine", "--dataset WN18RR"], ["WN18RR", "WN18RR"], 1),
        (["dataset=WN18RR", "dataset: test\ndata: 0.1\nLoading data: triples"], ["WN18RR"] * 2, 0),
        (["data=UMLS\ndata=WN18RR", "data=FB15k-237"], [None, "FB15k-237"], 0),
        (["data=UMLS", "lr=0.1"], ["UMLS"] * 2, 0),
    ],
)
def test_the_numbers_of_several_runs_are_of_the_settings_above_them(
    settings: list[str], datasets: list[str | None], skipped: int, losses: str
) -> None:
    for line in ("2020-01-01 00:00:00 INFO     Test MRR at step 10: 0.3", "test MRR: 0.3"):
        reading = read_document("run.log", "".join(f"{each}\n{losses}{line}\n" for each in settings))
        assert [entry.context.dataset for entry in reading.entries] == datasets
        whys = ["begins a run on 'mine', which is no known dataset"] * skipped
        assert [each.why.partition(" ")[2].partition(" ")[2] for each in reading.skipped] == whys


def test_evaluations_are_told_apart() -> None:
    rows = read("torchkge", "Hit@1 : 0.1 \t\t Filt. Hit@1 : 0.2\nMRR : 0.1 \t\t Filt. MRR : 0.3\n" * 2).rows
    assert [row["evaluation"] for row in rows] == ["1"] * 4 + ["2"] * 4
    rows = read("rotate", SAMPLES["rotate"][0].text).rows
    assert [row["evaluation"] for row in rows] == ["1", "1", "2", "2", "3"]


@pytest.mark.parametrize(
    ("name", "label"),
    [("MRR", "MRR"), ("mr", "MR"), ("Mean Rank", "MR"), ("hits@3", "Hits@3"), ("Hit@10", "Hits@10"), ("hit@0", None)],
)
def test_names_of_metrics(name: str, label: str | None) -> None:
    metric = parse_name(name)
    assert (None if metric is None else metric.label) == label


@given(st.floats(1e-4, 1e6, allow_nan=False))
def test_zeros_that_general_format_drops_are_put_back(number: float) -> None:
    text = f"{number:g}"
    padded = pad_digits(text, 6)
    assert float(padded) == float(text)
    interval = parse_value(padded).interval
    assert interval.lower <= number <= interval.upper
    if "e" not in text and number < 1e5:
        assert len(re.sub(r"^0\.0*|\.", "", padded)) == 6


@given(st.floats(0, 1), st.integers(1, 8))
def test_zeros_that_rounding_drops_are_put_back(number: float, decimals: int) -> None:
    text = str(round(number, decimals))
    padded = pad_decimals(text, decimals)
    assert float(padded) == float(text)
    interval = parse_value(padded).interval
    assert interval.lower - 1e-15 <= number <= interval.upper + 1e-15


_NOISE = st.sampled_from(["", "loss 0.5", "epoch 3", "\x1b[31mred\x1b[0m", "  5%|   \r 10%|#  ", "| a | b |"])
Printed = Iterator[tuple[str, list[tuple[str, str, str | None, float]]]]
"""Lines, and what each says: metric, side, protocol, value."""


def print_rotate(split: str, step: int, share: float, rank: float) -> Printed:
    said = f"2020-01-01 00:00:00 INFO     {split.title()} {{}} at step {step}: {{:f}}"
    yield said.format("MRR", share), [("MRR", "both", None, share)]
    yield said.format("MR", rank), [("MR", "both", None, rank)]
    yield said.format("HITS@10", share), [("Hits@10", "both", None, share)]


def print_openke(_split: str, _step: int, share: float, rank: float) -> Printed:
    yield "no type constraint results:", []
    yield "metric:\t\t\t MRR \t\t MR \t\t hit@10 \t hit@3  \t hit@1 ", []
    for name, side in (("l", "head"), ("r", "tail"), ("averaged", "both")):
        for kind, protocol in (("raw", "raw"), ("filter", None)):
            line = f"{name}({kind}):\t\t {share:f} \t {rank:f} \t {share:f} \t {share:f} \t {share:f} "
            values = zip(("MRR", "MR", "Hits@10", "Hits@3", "Hits@1"), (share, rank, share, share, share), strict=True)
            yield line, [(label, side, protocol, value) for label, value in values]


def print_conve(split: str, _step: int, share: float, rank: float) -> Printed:
    said = "2018-01-01 00:00:00.000000 (INFO): {}"
    yield said.format({"valid": "dev", "test": "test"}[split] + "_evaluation"), []
    for k in range(1, 11):
        for name, side in (("left ", "tail"), ("right ", "head"), ("", "both")):
            yield said.format(f"Hits {name}@{k}: {share}"), [(f"Hits@{k}", side, None, share)]
    for name, label, value in (("Mean rank", "MR", rank), ("Mean reciprocal rank", "MRR", share)):
        for end, side in ((" left", "tail"), (" right", "head"), ("", "both")):
            yield said.format(f"{name}{end}: {value}"), [(label, side, None, value)]


def print_torchkge(_split: str, _step: int, share: float, rank: float) -> Printed:
    for k in (1, 3, 10):
        yield (
            f"Hit@{k} : {share} \t\t Filt. Hit@{k} : {share}",
            [(f"Hits@{k}", "both", protocol, share) for protocol in ("raw", None)],
        )
    yield (
        f"Mean Rank : {int(rank)} \t Filt. Mean Rank : {int(rank)}",
        [("MR", "both", protocol, int(rank) + 0.5) for protocol in ("raw", None)],
    )
    yield f"MRR : {share} \t\t Filt. MRR : {share}", [("MRR", "both", protocol, share) for protocol in ("raw", None)]


def print_dglke(split: str, step: int, share: float, rank: float) -> Printed:
    yield f"[proc 0][Train]({step + 1}/100) average loss: 0.5", []
    for name, label, value in (("MRR", "MRR", share), ("MR", "MR", rank), ("HITS@3", "Hits@3", share)):
        yield f"[0]{split.title()} average {name}: {value}", [(label, "both", None, value)]


def print_nbfnet(split: str, step: int, share: float, rank: float) -> Printed:
    yield f"00:00:00   Save checkpoint to model_epoch_{step}.pth", []
    yield f"00:00:00   Evaluate on {split}", []
    for name, label, value in (("hits@10", "Hits@10", share), ("mr", "MR", rank), ("mrr", "MRR", share)):
        yield f"00:00:00   {name}: {value:g}", [(label, "both", None, value)]


PRINTERS = {
    "rotate": print_rotate,
    "openke": print_openke,
    "conve": print_conve,
    "torchkge": print_torchkge,
    "dglke": print_dglke,
    "nbfnet": print_nbfnet,
}


@pytest.mark.slow
@pytest.mark.parametrize("key", PRINTERS)
@settings(max_examples=choose(11, 30))
@given(data=st.data())
def test_generated_logs_read_back_with_their_lines(key: str, data: st.DataObject) -> None:
    lines: list[str] = []
    expected: list[tuple[object, ...]] = []
    for step in range(data.draw(st.integers(1, 4))):
        split = data.draw(st.sampled_from(["valid", "test"]))
        share = data.draw(st.integers(0, 1000)) / 1000
        rank = data.draw(st.integers(100, 99_999_9)) / 10
        for line, values in PRINTERS[key](split, step, share, rank):
            lines += [*data.draw(st.lists(_NOISE, max_size=2)), line]
            said = None if key in {"openke", "torchkge"} else split
            expected += [(len(lines), said, *value) for value in values]
    reading = read(key, "\n".join(lines) + "\n")
    contexts = [(entry, entry.context) for entry in reading.entries]
    assert [
        (entry.line, about.split, about.side, entry.metric.label, about.protocol, float(entry.text.split(" ")[0]))
        for entry, about in contexts
    ] == [(line, split, side, label, *rest) for line, split, label, side, *rest in expected]
    assert not reading.skipped


_WORDS = st.sampled_from(
    [word for _, sample in CASES for word in re.findall(r"\s+|[^\s]+", sample.text)]
    + ["\n", "\r", "\x1b[", "\x1b[0m", ": ", "nan", "@", "|", "\u0663", "(raw):", "9" * 500]
)


@pytest.mark.slow
@settings(max_examples=choose(56, 150))
@given(st.one_of(st.text(max_size=200), st.lists(_WORDS, max_size=60).map("".join)), st.sampled_from(sorted(READERS)))
def test_any_text_is_read_or_refused_with_the_name_of_the_file(text: str, key: str) -> None:
    document = Document("run.log", text)
    assert READERS[key].recognise(document) in {True, False}
    try:
        reading = READERS[key].read(document)
    except DataError as error:
        assert str(error).startswith("run.log, line ")
        return
    for entry in reading.entries:
        assert entry.column in reading.rows[entry.row]
        assert entry.line is not None
        assert 1 <= entry.line <= text.count("\n") + 1


@pytest.mark.slow
@for_each("key", READERS)
@for_each(
    "piece",
    [
        "Test ",
        "Test MRR at step ",
        "metric ",
        "metric: ",
        "l(raw): ",
        "Hits ",
        "Mean rank ",
        "\x1b[",
        " ",
        "\x1b[0",
        "Hit@1 : ",
        "Filt. ",
        "[0]",
        "Test average MRR ",
        "mrr",
        "hits@1",
        "Evaluate on ",
        "Validation:",
        "9",
        ": 1 ",
        "#test: ",
    ],
)
def test_no_line_takes_long(key: str, piece: str) -> None:
    text = piece * (choose(2**17, 2**20) // len(piece)) + "\n" + SAMPLES[key][0].text
    start = time.process_time()
    READERS[key].recognise(Document("run.log", text))
    with contextlib.suppress(DataError):
        READERS[key].read(Document("run.log", text))
    assert time.process_time() - start < 5
