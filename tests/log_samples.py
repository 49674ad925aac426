"""A log of each tool, with what it says worked out by hand: (line, split, side, protocol, step, metric, text).

Line shapes are those of the tools' own printing code. Values are those of the tools' pages where such exist (RotatE on
FB15k-237; DGL-KE's TransE_l2 on FB15k; see shared/reference/published_results.csv), the others are made up.
"""

from __future__ import annotations

from typing import NamedTuple


class Sample(NamedTuple):
    text: str
    expected: list[tuple[int, str | None, str, str | None, str, str, str]]


ROTATE = Sample(
    """\
2020-01-01 00:00:00 INFO     Model: RotatE
2020-01-01 00:00:00 INFO     #entity: 14541
2020-01-01 00:00:00 INFO     #train: 272115
2020-01-01 00:00:00 INFO     #valid: 17535
2020-01-01 00:00:00 INFO     #test: 20466
2020-01-01 00:00:01 INFO     Training average positive_sample_loss at step 0: 6.123456
2020-01-01 00:00:02 INFO     Evaluating on Valid Dataset...
2020-01-01 00:00:03 INFO     Evaluating the model... (0/8768)
2020-01-01 00:00:04 INFO     Valid MRR at step 10000: 0.310000
2020-01-01 00:00:04 INFO     Valid MR at step 10000: 201.250000
2020-01-01 00:00:05 INFO     Evaluating on Test Dataset...
2020-01-01 00:00:06 INFO     Test MRR at step 99999: 0.337000
2020-01-01 00:00:06 INFO     Test HITS@10 at step 99999: 0.533000
2020-01-01 00:00:07 INFO     Evaluating on Training Dataset...
2020-01-01 00:00:08 INFO     Test MRR at step 99999: 0.500000
""",
    [
        (9, "valid", "both", None, "10000", "MRR", "0.310000"),
        (10, "valid", "both", None, "10000", "MR", "201.250000"),
        (12, "test", "both", None, "99999", "MRR", "0.337000"),
        (13, "test", "both", None, "99999", "Hits@10", "0.533000"),
        (15, "train", "both", None, "99999", "MRR", "0.500000"),
    ],
)

OPENKE = Sample(
    "The total of test triples is 20466.\n"
    "no type constraint results:\n"
    "metric:\t\t\t MRR \t\t MR \t\t hit@10 \t hit@3  \t hit@1 \n"
    "l(raw):\t\t\t 0.100000 \t 400.500000 \t 0.300000 \t 0.200000 \t 0.050000 \n"
    "r(raw):\t\t\t 0.200000 \t 200.500000 \t 0.400000 \t 0.250000 \t 0.100000 \n"
    "averaged(raw):\t\t 0.150000 \t 300.500000 \t 0.350000 \t 0.225000 \t 0.075000 \n"
    "\n"
    "averaged(filter):\t 0.280000 \t 223.000000 \t 0.465000 \t 0.310000 \t 0.190000 \n"
    "type constraint results:\n"
    "metric:\t\t\t MRR \t\t MR \t\t hit@10 \t hit@3  \t hit@1 \n"
    "l(raw):\t\t\t 0.110000 \t 40.500000 \t 0.310000 \t 0.210000 \t 0.060000 \n"
    "0.465000\n",
    [
        (line, None, side, protocol, "", metric, text)
        for line, side, protocol, texts in (
            (4, "head", "raw", ("0.100000", "400.500000", "0.300000", "0.200000", "0.050000")),
            (5, "tail", "raw", ("0.200000", "200.500000", "0.400000", "0.250000", "0.100000")),
            (6, "both", "raw", ("0.150000", "300.500000", "0.350000", "0.225000", "0.075000")),
            (8, "both", None, ("0.280000", "223.000000", "0.465000", "0.310000", "0.190000")),
        )
        for metric, text in zip(("MRR", "MR", "Hits@10", "Hits@3", "Hits@1"), texts, strict=True)
    ],
)

CONVE = Sample(
    """\
2018-01-01 00:00:00.000000 (INFO):           COMPLETED EPOCH: 3
2018-01-01 00:00:00.000000 (INFO): --------------------------------------------------
2018-01-01 00:00:00.000000 (INFO): dev_evaluation
2018-01-01 00:00:00.000000 (INFO): --------------------------------------------------
2018-01-01 00:00:00.000000 (INFO): Hits left @1: 0.34813837584286134
2018-01-01 00:00:00.000000 (INFO): Hits right @1: 0.15821362259
2018-01-01 00:00:00.000000 (INFO): Hits @1: 0.25317599921643067
2018-01-01 00:00:00.000000 (INFO): Mean rank left: {0} 126.00530367835756
2018-01-01 00:00:00.000000 (INFO): Mean rank: 188.84425434844596
2018-01-01 00:00:00.000000 (INFO): Mean reciprocal rank right: 0.24694124827874464
2018-01-01 00:00:00.000000 (INFO): test_evaluation
2018-01-01 00:00:00.000000 (INFO): Mean reciprocal rank: 0.3494971602706923
""",
    [
        (5, "valid", "tail", None, "3", "Hits@1", "0.34813837584286134"),
        (6, "valid", "head", None, "3", "Hits@1", "0.15821362259"),
        (7, "valid", "both", None, "3", "Hits@1", "0.25317599921643067"),
        (8, "valid", "tail", None, "3", "MR", "126.00530367835756"),
        (9, "valid", "both", None, "3", "MR", "188.84425434844596"),
        (10, "valid", "head", None, "3", "MRR", "0.24694124827874464"),
        (12, "test", "both", None, "3", "MRR", "0.3494971602706923"),
    ],
)

TUCKER = Sample(
    """\
Starting training...
454
58.42540001869202
0.0013419411843642592
Validation:
Number of data points: 35070
Hits @10: 0.5256914741944682
Mean rank: 188.84425434844596
Mean reciprocal rank: 0.3494971602706923
Test:
Number of data points: 40932
Hits @10: 0.521
Mean reciprocal rank: 0.34
12.3
""",
    [
        (7, "valid", "both", None, "454", "Hits@10", "0.5256914741944682"),
        (8, "valid", "both", None, "454", "MR", "188.84425434844596"),
        (9, "valid", "both", None, "454", "MRR", "0.3494971602706923"),
        (12, "test", "both", None, "454", "Hits@10", "0.521"),
        (13, "test", "both", None, "454", "MRR", "0.34"),
    ],
)

TORCHKGE = Sample(
    "Link prediction evaluation:   0%|          | 0/79 [00:00<?, ?batch/s]\n"
    "Hit@1 : 0.1 \t\t Filt. Hit@1 : 0.2\n"
    "Hit@10 : 0.303 \t\t Filt. Hit@10 : 0.45\n"
    "Mean Rank : 400 \t Filt. Mean Rank : 250\n"
    "MRR : 0.18 \t\t Filt. MRR : 0.308\n"
    "Hit@10 : 0.31 \t\t Filt. Hit@10 : 0.5\n",
    [
        (2, None, "both", "raw", "", "Hits@1", "0.100"),
        (2, None, "both", None, "", "Hits@1", "0.200"),
        (3, None, "both", "raw", "", "Hits@10", "0.303"),
        (3, None, "both", None, "", "Hits@10", "0.450"),
        (4, None, "both", "raw", "", "MR", "400.5 ± 0.45"),
        (4, None, "both", None, "", "MR", "250.5 ± 0.45"),
        (5, None, "both", "raw", "", "MRR", "0.180"),
        (5, None, "both", None, "", "MRR", "0.308"),
        (6, None, "both", "raw", "", "Hits@10", "0.31"),
        (6, None, "both", None, "", "Hits@10", "0.50"),
    ],
)

DGLKE = Sample(
    """\
[proc 0][Train](1000/24000) average loss: 0.2242713526429725
[proc 0]sample: 1.083, forward: 4.238, backward: 3.993, update: 2.457
[0]Valid average MRR: 0.6729707889330725
validation take 4.001 seconds:
[0][Train](24000/24000) average loss: 0.1
training takes 201.90872430801392 seconds
-------------- Test result --------------
Test average MRR : 0.6520483281422476
Test average MR : 43.725415178344704
Test average HITS@10 : 0.8479202993008413
-----------------------------------------
Test average MR at [9999/10000]: 48.060655820961216
""",
    [
        (3, "valid", "both", None, "1000", "MRR", "0.6729707889330725"),
        (8, "test", "both", None, "24000", "MRR", "0.6520483281422476"),
        (9, "test", "both", None, "24000", "MR", "43.725415178344704"),
        (10, "test", "both", None, "24000", "Hits@10", "0.8479202993008413"),
        (12, "test", "both", None, "9999", "MR", "48.060655820961216"),
    ],
)

NBFNET = Sample(
    """\
00:00:00   Config file: config/inductive/fb15k237.yaml
00:00:01   >>>>>>>>>>>>>>>>>>>>>>>>>>>>>>
00:00:01   Epoch 1 end
00:00:01   average binary cross entropy: 0.301
00:00:02   Save checkpoint to model_epoch_2.pth
00:00:02   Evaluate on valid
00:00:03   hits@10: 0.6
00:00:03   mr: 112.5
00:00:04   Load checkpoint from model_epoch_20.pth
00:00:05   Evaluate on test
00:00:06   1-to-1 tail: 0.5
00:00:06   hits@10_50: 0.834
00:00:06   mrr: 0.415
00:00:06   mrr-tail: 0.0512345
""",
    [
        (7, "valid", "both", None, "2", "Hits@10", "0.600000"),
        (8, "valid", "both", None, "2", "MR", "112.500"),
        (13, "test", "both", None, "20", "MRR", "0.415000"),
        (14, "test", "tail", None, "20", "MRR", "0.0512345"),
    ],
)

OPENKE_OLD = Sample(
    """\
overall results:
left 245.668182 0.279453 0.200000 0.100000
left(filter) 85.300003 0.465000 0.300000 0.200000
right 158.399994 0.341000 0.200000 0.100000
right(filter) 58.799999 0.540000 0.400000 0.300000
""",
    [
        (line, None, side, protocol, "", metric, text)
        for line, side, protocol, texts in (
            (2, "head", "raw", ("245.668182", "0.279453", "0.200000", "0.100000")),
            (3, "head", None, ("85.300003", "0.465000", "0.300000", "0.200000")),
            (4, "tail", "raw", ("158.399994", "0.341000", "0.200000", "0.100000")),
            (5, "tail", None, ("58.799999", "0.540000", "0.400000", "0.300000")),
        )
        for metric, text in zip(("MR", "Hits@10", "Hits@3", "Hits@1"), texts, strict=True)
    ],
)

SAMPLES = {
    "rotate": [ROTATE],
    "openke": [OPENKE],
    "openke_old": [OPENKE_OLD],
    "conve": [CONVE, TUCKER],
    "torchkge": [TORCHKGE],
    "dglke": [DGLKE],
    "nbfnet": [NBFNET],
}
