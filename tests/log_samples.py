"""Logs of each tool, with what they say worked out by hand.

A line of what is expected has line, split, side, protocol and step, and the numbers with their
metrics. Line shapes are those of the tools' own printing code; values are from the tools' pages
(RotatE on FB15k-237, DGL-KE's TransE_l2 on FB15k) or made up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from rankconst.results.reading import Reading


class Sample(NamedTuple):
    text: str
    expected: str


def describe(reading: Reading, *, asked: bool = False) -> list[str]:
    """Return what a log was read as, with the words or fields that are `asked` about."""
    lines: dict[str, list[str]] = {}
    for entry in reading.entries:
        about, step = entry.context, reading.rows[entry.row].get("step")
        fields = (entry.line, about.split, about.side, about.protocol, step)
        head = " ".join(str(field or "-") for field in fields)
        words = sorted({ask.word or ask.field for ask in about.questions})
        if asked and words:
            head += f" ({', '.join(words)})"
        lines.setdefault(head, []).append(f"{entry.metric.label} {entry.text}")
    return [f"{head}: {', '.join(numbers)}" for head, numbers in lines.items()]


SAMPLES = {
    "rotate": [
        Sample(
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
            """\
9 valid both - 10000: MRR 0.310000
10 valid both - 10000: MR 201.250000
12 test both - 99999: MRR 0.337000
13 test both - 99999: Hits@10 0.533000
15 train both - 99999: MRR 0.500000
""",
        ),
        Sample(  # of OGB's repository
            "2021-11-06 00:38:39 INFO     Valid hits@1_list at step 1000: 0.318192\n"
            "2021-11-06 00:38:39 INFO     Test mrr_list at step 1000: 0.408528\n",
            "1 valid both - 1000: Hits@1 0.318192\n2 test both - 1000: MRR 0.408528\n",
        ),
    ],
    "openke": [
        Sample(
            """\
The total of test triples is 20466.
no type constraint results:
metric:\t\t\t MRR \t\t MR \t\t hit@10 \t hit@3  \t hit@1\x20
l(raw):\t\t\t 0.100000 \t 400.500000 \t 0.300000 \t 0.200000 \t 0.050000\x20
r(raw):\t\t\t 0.200000 \t 200.500000 \t 0.400000 \t 0.250000 \t 0.100000\x20
averaged(raw):\t\t 0.150000 \t 300.500000 \t 0.350000 \t 0.225000 \t 0.075000\x20

averaged(filter):\t 0.280000 \t 223.000000 \t 0.465000 \t 0.310000 \t 0.190000\x20
type constraint results:
metric:\t\t\t MRR \t\t MR \t\t hit@10 \t hit@3  \t hit@1\x20
l(raw):\t\t\t 0.110000 \t 40.500000 \t 0.310000 \t 0.210000 \t 0.060000\x20
0.465000
""",
            """\
4 - head raw -: MRR 0.100000, MR 400.500000, Hits@10 0.300000, Hits@3 0.200000, Hits@1 0.050000
5 - tail raw -: MRR 0.200000, MR 200.500000, Hits@10 0.400000, Hits@3 0.250000, Hits@1 0.100000
6 - both raw -: MRR 0.150000, MR 300.500000, Hits@10 0.350000, Hits@3 0.225000, Hits@1 0.075000
8 - both - -: MRR 0.280000, MR 223.000000, Hits@10 0.465000, Hits@3 0.310000, Hits@1 0.190000
""",
        ),
    ],
    "conve": [
        Sample(
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
            """\
5 valid tail - 3: Hits@1 0.34813837584286134
6 valid head - 3: Hits@1 0.15821362259
7 valid both - 3: Hits@1 0.25317599921643067
8 valid tail - 3: MR 126.00530367835756
9 valid both - 3: MR 188.84425434844596
10 valid head - 3: MRR 0.24694124827874464
12 test both - 3: MRR 0.3494971602706923
""",
        ),
        Sample(
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
            """\
7 valid both - -: Hits@10 0.5256914741944682
8 valid both - -: MR 188.84425434844596
9 valid both - -: MRR 0.3494971602706923
12 test both - -: Hits@10 0.521
13 test both - -: MRR 0.34
""",
        ),
    ],
    "torchkge": [
        Sample(
            """\
Link prediction evaluation:   0%|          | 0/79 [00:00<?, ?batch/s]
Hit@1 : 0.1 \t\t Filt. Hit@1 : 0.2
Hit@10 : 0.303 \t\t Filt. Hit@10 : 0.45
Mean Rank : 400 \t Filt. Mean Rank : 250
MRR : 0.18 \t\t Filt. MRR : 0.308
Hit@10 : 0.31 \t\t Filt. Hit@10 : 0.5
""",
            """\
2 - - raw -: Hits@1 0.100
2 - - - -: Hits@1 0.200
3 - - raw -: Hits@10 0.303
3 - - - -: Hits@10 0.450
4 - - raw -: MR 400.5 ± 0.45
4 - - - -: MR 250.5 ± 0.45
5 - - raw -: MRR 0.180
5 - - - -: MRR 0.308
6 - - raw -: Hits@10 0.31
6 - - - -: Hits@10 0.50
""",
        ),
    ],
    "dglke": [
        Sample(
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
            """\
3 valid both - 1000: MRR 0.6729707889330725
8 test both - 24000: MRR 0.6520483281422476
9 test both - 24000: MR 43.725415178344704
10 test both - 24000: Hits@10 0.8479202993008413
12 test both - 9999: MR 48.060655820961216
""",
        ),
    ],
    "simkgc": [
        Sample(
            """\
forward metrics: {"mean_rank": 97.6917, "mrr": 0.4251, "hit@10": 0.6}
backward metrics: {"mean_rank": 182.2506, "mrr": 0.2459, "hit@10": 0.4176}
average metrics: {"mean_rank": 139.9711, "mrr": 0.3355, "hit@10": 0.5088}
""",
            """\
1 - tail - -: MR 97.6917, MRR 0.4251, Hits@10 0.6000
2 - head - -: MR 182.2506, MRR 0.2459, Hits@10 0.4176
3 - both - -: MR 139.9711, MRR 0.3355, Hits@10 0.5088
""",
        ),
    ],
    "nbfnet": [
        Sample(
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
            """\
7 valid both - 2: Hits@10 0.600000
8 valid both - 2: MR 112.500
13 test both - 20: MRR 0.415000
14 test tail - 20: MRR 0.0512345
""",
        ),
    ],
    "openke_torch": [
        Sample(
            """\
INFO:Trainer:2024-05-19 16:23:14:[cuda:0] Initialization completed, start model training.
INFO:Trainer:2024-05-19 16:26:23:[cuda:0] Epoch 100 | The model starts evaluation on the validation set.
INFO:Trainer:2024-05-19 16:26:31:mr: 8111.488
INFO:Trainer:2024-05-19 16:26:31:hits@1: 0.364
INFO:Trainer:2024-05-19 16:26:31:mrr_type: 0.383
INFO:EarlyStopping:2024-05-19 16:26:31:Validation score improved (-inf --> 0.402000).  Saving model ...
INFO:Trainer:2024-05-19 19:21:38:[cuda:0] The model starts evaluating in the test set.
INFO:Trainer:2024-05-19 19:21:48:mrr: 0.298
""",
            """\
3 valid both - 100: MR 8111.488
4 valid both - 100: Hits@1 0.364
8 test both - -: MRR 0.298
""",
        ),
    ],
    "kbc": [
        Sample(
            """\
\t TRAIN:  {'MRR': 0.33679, 'hits@[1,3,10]': tensor([0.2347, 0.3808, 0.5365])}
\t VALID :  {'MRR': 0.28631, 'hits@[1,3,10]': tensor([0.2089, 0.3107, 0.4430], device='cuda:0')}
 TEST :  ({'rhs': 0.38042, 'lhs': 0.18269}, {'rhs': tensor([0.29, 0.41, 0.55]), 'lhs': tensor([0.11, 0.19, 0.31])})
""",
            """\
2 valid both - -: MRR 0.28631, Hits@1 0.2089, Hits@3 0.3107, Hits@10 0.4430
3 test tail - -: MRR 0.38042, Hits@1 0.29, Hits@3 0.41, Hits@10 0.55
3 test head - -: MRR 0.18269, Hits@1 0.11, Hits@3 0.19, Hits@10 0.31
""",
        ),
    ],
    "pyg": [
        Sample(
            """\
Epoch: 024, Loss: 0.2561
Epoch: 025, Val Mean Rank: 341.82, Val MRR: 0.1763, Val Hits@10: 0.3127
Test Mean Rank: 289.47, Test MRR: 0.2011
""",
            """\
2 valid tail raw 025: MR 341.82, MRR 0.1763, Hits@10 0.3127
3 test tail raw 025: MR 289.47, MRR 0.2011
""",
        ),
    ],
}
"""Key of a format to its samples."""
