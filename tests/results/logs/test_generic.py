"""Lines with names and numbers of any tool: what is declared, what is asked, and what is refused."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from cases import for_each, read_cases
from log_samples import describe
from rankconst.results.document import Document
from rankconst.results.formats import read_document
from rankconst.results.labels import read_label
from rankconst.results.logs.generic import READER
from rankconst.results.vocabulary import VOCABULARY

# Prints, and what they say.
PRINTS = read_cases(Path(__file__).with_suffix(".txt"))


@for_each(("text", "expected"), PRINTS)
def test_every_number_is_declared_or_asked_about(text: str, expected: list[str]) -> None:
    document = Document("run.log", text)
    assert READER.recognise(document)
    assert describe(READER.read(document), asked=True) == expected


@for_each(
    ("line", "why"),
    [
        ("hits: 40.71", "it does not say which k"),
        ("MRR: -0.0056", "it is below 0"),
        ("MRR: 1.31", "a fraction or a percentage"),
        ("MRR std: 0.01", "it is a difference, a spread or a statistic"),
        ("mrr, mr, hit10 0.0634 2666.28 0.1695", "several names of metrics are before it"),
        ("mrr 0.24 0.44 0.34", "several numbers are behind its name"),
        ("MRR: 0.3 (raw), 0.4 (filtered)", "a label is between or behind"),
        ("3\tVALID MRR:0.568 H@1:0.516 {TEST} MRR:0.567 H@1:0.514", "a label is between or behind"),
    ],
)  # fmt: skip
def test_what_is_not_the_metric_itself_is_refused_with_its_reason(line: str, why: str) -> None:
    reading = READER.read(Document("run.log", f"{line}\n"))
    assert len(reading.entries) == 0
    assert any(each.line == 1 and each.reason.startswith(why) for each in reading.skipped)


@for_each(
    ("text", "count"),
    [
        ("test mrr: 0.3 on 1,000 triples\n", 1000), ("n = 500\ntest mrr: 0.3\n", 500),
        ("210 test triples have new entities, and are left out\ntest mrr: 0.3\n", 210), ("test mrr: 0.3, num_samples=500\n", 500),
        ("n = 500\ntest mr: 3\nloss 0.2\ntest mrr: 0.3\n", None), ("#test 20466\ntest mrr: 0.3\n", None),
        ("n = 500\ntest mr: 3\nn = 600\ntest mrr: 0.3\n", 600),
    ],
)  # fmt: skip
def test_the_count_of_a_block_is_that_of_its_triples(text: str, count: int | None) -> None:
    assert READER.read(Document("run.log", text)).entries[-1].context.num_triples == count


@for_each(
    "head",
    ["INFO:", "INFO:root:", "INFO:kge.eval.ranking:", "INFO:__main__:", "[src.eval][INFO] - "],
)
def test_the_name_of_a_logger_is_no_word_of_its_message(head: str) -> None:
    text = f"{head}Test on UMLS\n{head}MRR: 0.5\n"
    (entry,) = READER.read(Document("run.log", text)).entries
    assert (entry.context.dataset, entry.context.split) == ("UMLS", "test")
    assert not entry.context.questions


def test_the_user_says_that_shares_are_percentages() -> None:
    (entry,) = READER.read(Document("run.log", "MRR: 1.31\n", percent=True)).entries
    assert entry.text == "1.31%"


@for_each(
    ("text", "datasets"),
    [
        ("Running on FB15k-237...\nMRR 0.3\n", ["FB15k-237"]),
        ("TransE on FB15k-237:\n  MRR: 0.3\n\nTransE on WN18RR:\n  MRR: 0.2\n", ["FB15k-237", "WN18RR"]),
        ("Running on WN18...\nMRR 0.3\nRunning on WN11...\nMRR 0.2\n", ["WN18", "WN11"]),
        ("Results on WN18RR and UMLS\nMRR: 0.3\n", ["WN18RR or UMLS"]),
        ("# UMLS\nMRR: 0.3\n# WN18RR\nMRR: 0.2\n# average\nMRR: 0.1\n", ["UMLS", "WN18RR", None]),
        ("UMLS\nMRR: 0.3\nAverage:\nMRR: 0.2\n", ["UMLS", "UMLS"]), ("data='d/UMLS', a=1\nMRR: 0.3\n", ["UMLS"]),
        ("main.py --data_dir ./data/UMLS \\\nMRR: 0.3\n", ["UMLS"]),
        ("run.py --init FB15k-237 --dataset mine\nMRR: 0.3\n", ["mine"]),
        ("saved to ./ckpt/wn18rr_valid_best.pt\nMRR: 0.3\n", [None]),
        ("the wiki of the United Nations\nMRR: 0.3\n", [None]),
    ],
)  # fmt: skip
def test_the_nearest_label_names_the_dataset(text: str, datasets: list[str | None]) -> None:
    entries = READER.read(Document("run.log", text)).entries
    among = [
        " or ".join(name for ask in entry.context.questions for name in ask.choices)
        for entry in entries
    ]
    assert [
        entry.context.dataset or names or None for entry, names in zip(entries, among, strict=True)
    ] == datasets


# A colon is between a name and its value.
WORDS = sorted(
    word for word, row in VOCABULARY.lexicon.items() if "text" in row.scopes and ":" not in word
)
SENTENCES = (
    "Measured with the {} of zebras after 100 epochs.",
    "zebra {} quagga",
    "{} zebra",
    "12 zebras, {} 3 quaggas.",
    "zebra " * 1_500 + "{}",
)
PLACES = (
    "{}\nMRR: 0.3\n",
    "2024-01-01 10:00:00 INFO [main] {}\nloss: 0.5\n\n\nMRR: 0.3, Hits@10: 0.4\n",
    "loss 0.3\nMRR: 0.2\n{}\nMRR: 0.3\n",
    "MRR: 0.3 ({})\n",
    "MRR: 0.3, {}\n",
    "{}; MRR: 0.3\n",
    "{} - MRR: 0.3\n",
    "Note: {}\nMRR = 0.3\n",
    "{{'note': '{}', 'mrr': 0.3}}\n",
    "zebra 12 of 9 quaggas\n{} 17535\nMRR: 0.3\n",
)


@given(st.sampled_from(WORDS), st.sampled_from(SENTENCES), st.sampled_from(PLACES))
def test_a_sentence_with_a_word_of_the_lexicon_is_never_silent(
    word: str, sentence: str, place: str
) -> None:
    for entry in READER.read(Document("run.log", place.format(sentence.format(word)))).entries[-1:]:
        assert word in {ask.word for ask in entry.context.questions}


@given(st.sampled_from(WORDS), st.sampled_from(SENTENCES), st.integers(0, 9))
def test_lines_that_differ_in_their_digits_are_read_alone(
    word: str, sentence: str, digit: int
) -> None:
    lines = [
        sentence.format(word), f"FB15k-23{digit} of zebras", f"{digit}-to-{digit} zebra",
        f"loss 0.{digit}1",
    ]  # fmt: skip
    whole = "\n".join([*lines, *lines[::-1], "MRR: 0.3", ""])
    (entry,) = READER.read(Document("run.log", whole)).entries
    assert {ask.word for ask in entry.context.questions} >= {
        row.text for line in lines for row in read_label(line).words if row.scopes & {"row", "text"}
    }


@for_each(
    "text",
    [
        "MRR\t0.331\nHits@10\t0.521\n",
        "Val MRR: 0.1892, Test MRR: 0.1861\n",
        "MR=1.5, MRR=0.3\nMR=2\n",
        "Rows are sorted by MRR.\ntest MRR: 0.338\n",
    ],
)
def test_lines_of_names_and_numbers_are_not_a_table(text: str) -> None:
    assert read_document("eval.txt", text).form == "generic"
