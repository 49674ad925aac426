"""Lines with names and numbers of any tool: what is declared, what is asked, and what is refused."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from cases import for_each
from log_samples import describe
from rankconst.results.document import Document
from rankconst.results.formats import read_document
from rankconst.results.labels import read_label
from rankconst.results.logs.generic import READER
from rankconst.results.vocabulary import VOCABULARY

# A print, and what it says.
PRINTS = {
    "Evaluating on valid\nMRR: 0.3\nHits@10: 0.5\nEvaluating on test\nMRR: 0.2\n": [
        "2 valid - - -: MRR 0.3", "3 valid - - -: Hits@10 0.5", "5 test - - -: MRR 0.2",
    ],
    "Valid MRR: 0.3 MR: 190\n2 Test MRR: 0.33, Hits@10: 0.5\n": [
        "1 valid - - -: MRR 0.3, MR 190", "2 test - - -: MRR 0.33, Hits@10 0.5",
    ],
    "valid_mrr: 0.3, hits@10: 0.5\nValid MRR: 0.3 MR: 190 Test MRR: 0.33\n": [
        "1 valid - - -: MRR 0.3", "1 - - - - (valid): Hits@10 0.5",
        "2 valid - - -: MRR 0.3", "2 - - - - (valid): MR 190", "2 test - - -: MRR 0.33",
    ],
    "best_mrr: 0.35\n": ["1 - - - - (split): MRR 0.35"],
    "Dev set\nMR=167.69, MRR= 0.327, Hits1 = 0.2308\n\nTest set\nMR=170.79, Hits10= 0.5590\n": [
        "2 valid - - -: MR 167.69, MRR 0.327, Hits@1 0.2308", "5 test - - -: MR 170.79, Hits@10 0.5590",
    ],
    "08:36:19,742 - [INFO] - [Epoch 73 test]: MRR: Tail : 0.158, Head : 0.097, Avg : 0.128\n": [
        "1 test tail - 73: MRR 0.158", "1 test head - 73: MRR 0.097", "1 test both - 73: MRR 0.128",
    ],
    'forward metrics: {"mean_rank": 97.69, "hit@10": 0.60}\naverage metrics: {"mrr": 0.33}\n': [
        "1 - - - - (forward, split): MR 97.69, Hits@10 0.60", "2 - both - - (split): MRR 0.33",
    ],
    "**Valid MRR(filtered):0.747   \nTest MRR (raw): 0.810   \n": [
        "1 valid - filtered -: MRR 0.747", "2 test - raw -: MRR 0.810",
    ],
    "test: {'mrr': np.float64(0.3), 'mr': tensor(2)}\n": ["1 test - - -: MRR 0.3, MR 2"],
    "val MRR: 0.3\nBest test: MRR=0.32\n": ["1 valid - - -: MRR 0.3", "2 test - - -: MRR 0.32"],
    "test MR: 3,340\ntest MRR: 0.300 ± 0.010\n": ["1 test - - -: MR 3,340", "2 test - - -: MRR 0.300 ± 0.010"],
    (
        "wandb:   test/mrr 0.3381\n       Test|hits@10            0.4381\nRaw setting:\n"
        "MeanRank = 12.5\n"
    ): [
        "1 test - - -: MRR 0.3381", "2 test - - -: Hits@10 0.4381", "4 - - raw - (split): MR 12.5",
    ],
    "MRR : 0.31\nMRR(filter) : 0.34\n": [
        "1 - - - - (protocol, split): MRR 0.31", "2 - - filtered - (split): MRR 0.34",
    ],
    "avg_loss=0.3 train_mrr=0.21 dev_mrr=0.19 mrr=0.2\n": [
        "1 train - - -: MRR 0.21", "1 valid - - -: MRR 0.19", "1 - - - - (dev, train): MRR 0.2",
    ],
    "Filtered         : False\nMRR              : 0.25\n": ["2 - - - - (filtered, split): MRR 0.25"],
    "test: 20466\nvalid: data/valid.txt\nMRR: 0.3\n": ["3 - - - - (valid): MRR 0.3"],
    "#test 20466\nTest set in data/test.txt\nMRR: 0.3\n": ["3 - - - - (split): MRR 0.3"],
    "Training...\nMRR: 0.3\n": ["2 - - - - (training): MRR 0.3"],
    "std:\ntest MRR: 0.001\n": ["2 test - - - (std): MRR 0.001"],
    "test: {'head_mrr': 0.2, 'tail_mrr': 0.4, 'mrr': 0.3}\n": [
        "1 test head - -: MRR 0.2", "1 test tail - -: MRR 0.4", "1 test - - - (head, tail): MRR 0.3",
    ],
    "Epoch 3:  50%|##   | 5/10 [00:10<00:10, val_mrr=0.3]\n": ["1 valid - - 3: MRR 0.3"],
    "Test MRR (filtered): 0.81\nTest Hits (filtered) @ 1: 0.68\nTest Hits(filtered)@10: 0.98\n": [
        "1 test - filtered -: MRR 0.81", "2 test - filtered -: Hits@1 0.68", "3 test - filtered -: Hits@10 0.98",
    ],
    "weighted_loss :False\ntest MRR: 0.3\n": ["2 test - - -: MRR 0.3"],
    "weighted_loss :True\ntest MRR: 0.3\n": ["2 test - - - (weighted): MRR 0.3"],
    "test MRR: 0.338\ntest Hits@10: 53.3\n": ["1 test - - -: MRR 0.338", "2 test - - -: Hits@10 53.3%"],
    # A number a little above 1 is a percentage only where others are.
    "test MRR: 1.31\ntest Hits@1: 0.45\n": ["2 test - - -: Hits@1 0.45"],
    "test MRR: 1.31\ntest Hits@10: 3.2\n": ["1 test - - -: MRR 1.31%", "2 test - - -: Hits@10 3.2%"],
    "test MRR: 1.31\ntest Hits@10: 3%\n": ["1 test - - -: MRR 1.31%", "2 test - - -: Hits@10 3%"],
    # Words are asked about on further lines of a block, until one names its tasks, and above the first block on all.
    "Valid sampled MRR: 0.3\nMR: 3\nTest MRR: 0.4\n": [
        "1 valid - - - (sampled): MRR 0.3", "2 - - - - (sampled, valid): MR 3", "3 test - - -: MRR 0.4",
    ],
    "Sampled evaluation\ntest MRR: 0.3\nloss 0.2\ntest MRR: 0.4\n": [
        "2 test - - - (sampled): MRR 0.3", "4 test - - - (sampled): MRR 0.4",
    ],
    # A count is held against the tasks, and raises no question of its own.
    "test mrr: 0.3 on 1000 triples\n\nn = 500\ntest mrr: 0.3\n": ["1 test - - -: MRR 0.3", "4 test - - -: MRR 0.3"],
    "{'num_samples': 500, 'eval_samples': 9, 'negative_sample_size': 256}\ntest mrr: 0.3\n": ["2 test - - -: MRR 0.3"],
    # Progress bars are no names; a mean may be over the numbers of other tasks above it.
    "Testing (head-batch): 100%|##| 9/9 [00:10<00:00, 15it/s, MRR=0.25]\n": ["1 test head - -: MRR 0.25"],
    "test 1p MRR: 0.3\ntest mean MRR: 0.2\n": ["1 test - - - (1p): MRR 0.3", "2 test - - - (1p): MRR 0.2"],
    "test MRR: 0.3 after 100 batches\ntest MRR: 0.4\n100 batches\n": ["1 test - - - (batches): MRR 0.3", "2 test - - -: MRR 0.4"],
    # A share is a part of the test set; a word that is denied says nothing, nor do counts.
    "test [100/203] MRR: 0.3\ntest MRR: 0.4 [203/203]\n": ["1 test - - - (100/203): MRR 0.3", "2 test - - -: MRR 0.4"],
    "#ent 135 #rel 46 debug=False\ntest MRR: 0.3\n": ["2 test - - -: MRR 0.3"],
    # RED-GNN
    "3.5 [VALID] MRR:0.3 H@1:0.2\t [TEST] MRR:0.4 H@1:-1.0 \t[TIME] train:31.1 inference:5.1\n": [
        "1 valid - - -: MRR 0.3, Hits@1 0.2", "1 test - - -: MRR 0.4",
    ],
    # RE-GCN
    "test MRR (raw_ent): 0.42\nHits (raw_ent) @ 10: 0.62\nMRR (raw_rel): 0.42\nHits (raw_rel) @ 10: 0.62\n": [
        "1 test - raw -: MRR 0.42", "2 - - raw - (split): Hits@10 0.62",
    ],
}  # fmt: skip


@for_each("text", PRINTS)
def test_every_number_is_declared_or_asked_about(text: str) -> None:
    document = Document("run.log", text)
    assert READER.recognise(document)
    assert describe(READER.read(document), asked=True) == PRINTS[text]


@for_each(
    ("line", "why"),
    [
        ("hits: 40.71", "it does not say which k"),
        ("MRR: -0.0056", "it is below 0"),
        ("MRR: 1.31", "it is above 1, and no other number is a percentage"),
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
        ("test mrr: 0.3 on 1,000 triples\n", 1000), ("n = 500\ntest mrr: 0.3\n", 500), ("test mrr: 0.3, num_samples=500\n", 500),
        ("n = 500\ntest mr: 3\nloss 0.2\ntest mrr: 0.3\n", None), ("#test 20466\ntest mrr: 0.3\n", None),
    ],
)  # fmt: skip
def test_the_count_of_a_block_is_that_of_its_triples(text: str, count: int | None) -> None:
    assert READER.read(Document("run.log", text)).entries[-1].context.num_triples == count


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
