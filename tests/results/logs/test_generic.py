"""Lines with names and numbers of any tool: what each line says, worked out by hand."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankconst
from rankconst.catalogue.tools import TOOLS
from rankconst.errors import DataError
from rankconst.results.document import Document
from rankconst.results.formats import read_document
from rankconst.results.logs.generic import READER
from rankconst.results.reading import measure

RSN = "{'data_path': 'data/FB15k-237/', 'max_length': 7}\nepoch:0, Hits@1:0.200, MRR:0.301, MR:414.918, mean_loss:3.0\n"
PYG = (
    "Epoch: 025, Loss: 0.5\nEpoch: 025, Val Mean Rank: 238.20, Val MRR: 0.2101, Val Hits@10: 0.4012\n"
    "Test Mean Rank: 210.10, Test MRR: 0.2189, Test Hits@10: 0.4190\n"
)
KBC = (
    "\t TRAIN:  {'MRR': 0.33679, 'hits@[1,3,10]': tensor([0.2347, 0.3808, 0.5365])}\n"
    "\t VALID :  {'MRR': 0.28631, 'hits@[1,3,10]': tensor([0.2089, 0.3107, 0.4430], device='cuda:0')}\n\n\n"
    " TEST :  ({'rhs': 0.38042, 'lhs': 0.18269}, "
    "{'rhs': tensor([0.2927, 0.4182, 0.5544]), 'lhs': tensor([0.1148, 0.1959, 0.3186])})\n"
)
# A print, and what it says: line, split, side, protocol, step, metric, value.
PRINTS = {
    "a ranking among sampled negatives": (
        "training with 256 negatives\nEvaluating on test, 1,000 random negatives each\nMRR: 0.6\n",
        ["3 test both sampled:1000 - MRR 0.6"],
    ),
    "raw and filtered, with parts that are left out": (
        "Hits@10: 0.72\nHits@10(filter): 0.86\nHits@10_1-1: 0.8\nHits@10(filter)_1-1: 0.9\n",
        ["1 - both raw - Hits@10 0.72", "2 - both - - Hits@10 0.86"],
    ),
    "hits in a dict": (
        "Test MRR: 0.38, TEST HITS: {1: 0.1, 10: 0.5}\n",
        ["1 test both - - MRR 0.38", "1 test both - - Hits@1 0.1", "1 test both - - Hits@10 0.5"],
    ),
    "the best on a split that no word names": (
        "valid MRR: 0.3\nbest_mrr: 0.35\ntest MRR: 0.33\nbest test mrr: 0.34, best mrr: 0.36\n",
        ["1 valid both - - MRR 0.3", "3 test both - - MRR 0.33", "4 test both - - MRR 0.34",
         "4 test both - - MRR 0.36"],
    ),
    "the best, where nothing names a split": ("best_mrr: 0.35\n", ["1 - both - - MRR 0.35"]),
    "negatives of the training": ("training with 256 negatives\nMRR: 0.6\n", ["2 - both - - MRR 0.6"]),
    "HittER": (
        "Dev set\nMR=167.69, MRR= 0.327, Hits1 = 0.2308\n\nTest set\nMR=170.79, Hits10= 0.5590\n",
        ["2 valid both - - MR 167.69", "2 valid both - - MRR 0.327", "2 valid both - - Hits@1 0.2308",
         "5 test both - - MR 170.79", "5 test both - - Hits@10 0.5590"],
    ),
    "CompGCN": (
        "2024-10-12 08:36:19,742 - [INFO] - [Epoch 73 test]: MRR: Tail : 0.15893, Head : 0.09737, Avg : 0.12815\n",
        ["1 test tail - 73 MRR 0.15893", "1 test head - 73 MRR 0.09737", "1 test both - 73 MRR 0.12815"],
    ),
    "KBAT": (
        "Averaged stats for replacing head are -> \nHits@100 are 0.7769\nMean rank 224.5869\n\n"
        "Averaged stats for replacing tail are ->\nMean Reciprocal Rank 0.5\n\nCumulative stats are\nHits@1 are 0.6\n",
        ["2 - head - - Hits@100 0.7769", "3 - head - - MR 224.5869", "6 - tail - - MRR 0.5",
         "9 - both - - Hits@1 0.6"],
    ),
    "graph4kg": (
        "2022 INFO     [GPU 0] step: 499, loss: 3.3, reg: 2.4e-01\n2022 INFO     ---- valid result -----\n"
        "2022 INFO  t,r->h  |MRR: 0.0305 MR: 4064.7 HITS@1: 0.01098\n2022 INFO  h,r->t  |MRR: 0.3897 HITS@10: 0.6\n"
        "2022 INFO     average |MRR: 0.2101 MR: 2147.4\n",
        ["3 valid head - 499 MRR 0.0305", "3 valid head - 499 MR 4064.7", "3 valid head - 499 Hits@1 0.01098",
         "4 valid tail - 499 MRR 0.3897", "4 valid tail - 499 Hits@10 0.6",
         "5 valid both - 499 MRR 0.2101", "5 valid both - 499 MR 2147.4"],
    ),
    "SimKGC": (
        'forward metrics: {"mean_rank": 97.6917, "hit@10": 0.6035}\nbackward metrics: {"mrr": 0.2459}\n'
        'average metrics: {"mrr": 0.3355}\n',
        ["1 - tail - - MR 97.6917", "1 - tail - - Hits@10 0.6035", "2 - head - - MRR 0.2459",
         "3 - both - - MRR 0.3355"],
    ),
    "RED-GNN": (
        "3\t[VALID] MRR:0.5689 H@1:0.5168 H@10:0.6663        [TEST] MRR:0.5677 H@1:0.5140       [TIME] train:0.0\n",
        ["1 valid both - - MRR 0.5689", "1 valid both - - Hits@1 0.5168", "1 valid both - - Hits@10 0.6663",
         "1 test both - - MRR 0.5677", "1 test both - - Hits@1 0.5140"],
    ),
    "RSN": (RSN, ["2 - both - 0 Hits@1 0.200", "2 - both - 0 MRR 0.301", "2 - both - 0 MR 414.918"]),
    "kbc": (
        KBC,
        ["2 valid both - - MRR 0.28631", "2 valid both - - Hits@1 0.2089", "2 valid both - - Hits@3 0.3107",
         "2 valid both - - Hits@10 0.4430", "5 test tail - - MRR 0.38042", "5 test head - - MRR 0.18269",
         "5 test tail - - Hits@1 0.2927", "5 test tail - - Hits@3 0.4182", "5 test tail - - Hits@10 0.5544",
         "5 test head - - Hits@1 0.1148", "5 test head - - Hits@3 0.1959", "5 test head - - Hits@10 0.3186"],
    ),
    "PyG": (
        PYG,
        ["2 valid tail - 25 MR 238.20", "2 valid tail - 25 MRR 0.2101", "2 valid tail - 25 Hits@10 0.4012",
         "3 test tail - 25 MR 210.10", "3 test tail - 25 MRR 0.2189", "3 test tail - 25 Hits@10 0.4190"],
    ),
    "OpenKE's fork": (
        "INFO:Trainer:2024-05-19 16:26:23:[cuda:0] Epoch 100 | The model starts evaluation on the validation set.\n"
        "INFO:Trainer:2024-05-19 16:26:31:mr: 8111.488\nINFO:Trainer:2024-05-19 16:26:31:hits@1: 0.364\n"
        "INFO:Trainer:2024-05-19 16:26:31:mr_type: 4127.008\n",
        ["2 valid both - 100 MR 8111.488", "3 valid both - 100 Hits@1 0.364"],
    ),
    "a README": (
        "**Valid MRR(filtered):0.747374   \nTest MRR (raw): 0.810421   \n**Hits (filtered) @ 10: 0.984811****   \n",
        ["1 valid both - - MRR 0.747374", "2 test both raw - MRR 0.810421", "3 test both - - Hits@10 0.984811"],
    ),
    "settings before": (
        "valid               :True\ntest                :False\ntest_batch_size     :16\nMRR: 0.3\n",
        ["4 - both - - MRR 0.3"],
    ),
    "training": ("Start Training...\nStart Evaling...\nMRR: 0.3\n", ["3 - both - - MRR 0.3"]),
    "testing on valid": ("Testing on the validation set\nmrr: 0.3\n", ["2 valid both - - MRR 0.3"]),
    "a dict": ("test: {'mrr': 0.5, 'mr': 12,\n 'hits@10': 0.6}\n",
               ["1 test both - - MRR 0.5", "1 test both - - MR 12", "2 test both - - Hits@10 0.6"]),
    "thousands, spread, recall": (
        "MR: 3,340\nMRR: 0.300 ± 0.010\nrecall@10 = 0.4\n",
        ["1 - both - - MR 3,340", "2 - both - - MRR 0.300 ± 0.010", "3 - both - - Hits@10 0.4"],
    ),
    "names, then numbers": (
        "--mr,  filtered mr             : 210.2, 130.1\nmrr, mr, hit10 0.0634 2666.28 0.1695\nhits@1/3: 0.2/0.3\n",
        ["1 - both - - MR 210.2", "1 - both - - MR 130.1", "2 - both - - MRR 0.0634", "2 - both - - MR 2666.28",
         "2 - both - - Hits@10 0.1695", "3 - both - - Hits@1 0.2", "3 - both - - Hits@3 0.3"],
    ),
    "KGEmb": (
        "\t valid MR: 180.12 | MRR: 0.3481 | H@1: 0.2531\n\t Test MR: 190.1 | H10: 0.5412\n",
        ["1 valid both - - MR 180.12", "1 valid both - - MRR 0.3481", "1 valid both - - Hits@1 0.2531",
         "2 test both - - MR 190.1", "2 test both - - Hits@10 0.5412"],
    ),
    "InteractE": (
        "[Evaluating Epoch 499 valid]: \n\tMRR: Tail : 0.45, Head : 0.25\n\tHit-1: Tail : 0.3, Head: 0.1, Avg : 0.2\n",
        ["2 valid tail - 499 MRR 0.45", "2 valid head - 499 MRR 0.25", "3 valid tail - 499 Hits@1 0.3",
         "3 valid head - 499 Hits@1 0.1", "3 valid both - 499 Hits@1 0.2"],
    ),
    "OGB": (
        "2021 INFO     Test mrr_list at step 9999: 0.8043\n2021 INFO     Valid hits@1_list at step 9999: 0.7\n",
        ["1 test both - 9999 MRR 0.8043", "2 valid both - 9999 Hits@1 0.7"],
    ),
    "wandb, lightning": (
        "wandb:   test/mrr 0.3381\n       Test|hits@10            0.4381\nRaw setting:\nMeanRank = 12.5\n",
        ["1 test both - - MRR 0.3381", "2 test both - - Hits@10 0.4381", "4 - both raw - MR 12.5"],
    ),
    "DRUM": ("Hits at 10 is 0.53\nMRR is 0.2\n", ["1 - both - - Hits@10 0.53", "2 - both - - MRR 0.2"]),
    "percent": ("Head: mr:301.5 mrr:23.45\nAll: mrr:0.56\n",
                ["1 - head - - MR 301.5", "1 - head - - MRR 23.45%", "2 - both - - MRR 0.56%"]),
    "raw is what is there again filtered": (
        "filtered -----> True\nMRR         : 0.21\nMRR(filter) : 0.34\nHits@10_1-1 : 0.3\n",
        ["2 - both raw - MRR 0.21", "3 - both - - MRR 0.34"],
    ),
    "raw only where both are near": (
        "MRR : 0.31\n" + "loss\n" * 20 + "filtered MRR : 0.34\n", ["1 - both - - MRR 0.31", "22 - both - - MRR 0.34"]
    ),
    "the same number twice": (
        "MRR : 0.31\nMRR(filter) : 0.31\n", ["1 - both - - MRR 0.31", "2 - both - - MRR 0.31"]
    ),
    "an option for all numbers, and a name that tells them apart": (
        "test.py --filtered --data test.txt\nHits@10: 0.71\nHits@10(filter): 0.82\nMRR: 0.5\nMRR(filter): 0.6\n",
        ["2 - both raw - Hits@10 0.71", "3 - both - - Hits@10 0.82", "4 - both raw - MRR 0.5", "5 - both - - MRR 0.6"],
    ),
    "how many epochs there are in all": (
        "Namespace(n_epochs=500, eval_step=5, lr=0.1)\ndata: umls, epochs 30\nmax_epochs: 9\nTest MRR: 0.4\n",
        ["4 test both - - MRR 0.4"],
    ),
    "a heading of both sides, and one that may be": (
        "Tails\nMRR 0.5\nHeads\nMRR 0.4\nCombined\nMRR 0.45\nHeads\nMRR 0.4\nQuux\nMRR 0.44\n",
        ["2 - tail - - MRR 0.5", "4 - head - - MRR 0.4", "6 - both - - MRR 0.45", "8 - head - - MRR 0.4"],
    ),
    "the best on valid in parentheses": (
        "TEST (best valid) | MRR 0.47\nTest MRR 0.46 (best valid MRR: 0.48)\n",
        ["1 test both - - MRR 0.47", "2 test both - - MRR 0.46", "2 valid both - - MRR 0.48"],
    ),
    "the last evaluation is not of the split of the one before": (
        "---- evaluation on dev ----\nmrr: 0.80\n---- final evaluation ----\nmrr: 0.79\n",
        ["2 valid both - - MRR 0.80", "4 - both - - MRR 0.79"],
    ),
    "splits next to a mean of something else": (
        "avg_loss=0.3 train_mrr=0.21 dev_mrr=0.19\n", ["1 train both - - MRR 0.21", "1 valid both - - MRR 0.19"]
    ),
    "the epoch of how many": (
        "Loading dataset UMLS...\nEpoch 05/100 - loss: 0.6 - val_mrr: 0.4\n[Epoch 7/9] test MRR: 0.5, H@1/3: 0.1/0.2\n",
        ["2 valid both - 5 MRR 0.4", "3 test both - 7 MRR 0.5", "3 test both - 7 Hits@1 0.1",
         "3 test both - 7 Hits@3 0.2"],
    ),
    "how many epochs there were so far": (
        "Epochs: 10, Test MRR: 0.4\nValid results, epochs 20\nMRR: 0.3\nglobal_step: 7\nTest MRR: 0.5\n",
        ["1 test both - 10 MRR 0.4", "3 valid both - 20 MRR 0.3", "5 test both - 7 MRR 0.5"],
    ),
    "a function called test, run on valid": (
        "Running validation\nTest results - MRR: 0.297, Hits@1: 0.0\nValidation - MRR: 0.297, Hits@1: 0.0\n"
        "Valid results:\ntest MRR: 0.31\nvalid MRR: 0.32\n",
        ["2 test both - - Hits@1 0.0", "3 valid both - - MRR 0.297", "3 valid both - - Hits@1 0.0",
         "5 test both - - MRR 0.31", "6 valid both - - MRR 0.32"],
    ),
    "the split of a progress bar is not that of the next evaluation": (
        "Epoch 10: 100%|###| 9/9 [00:10<00:00, loss=0.1, val_mrr=0.31]\nEvaluating: 100%|###| 32/32 [00:10<00:00]\n"
        "{'mrr': 0.33, 'hits@1': 0.24}\n",
        ["1 valid both - 10 MRR 0.31", "3 - both - - MRR 0.33", "3 - both - - Hits@1 0.24"],
    ),
    "a name and a parenthesis": (
        "MR(raw): 225.4\nMR(filter): 86.3\n",
        ["1 - both raw - MR 225.4", "2 - both - - MR 86.3"],
    ),
    "a heading with the name of a model": (
        "Best validation results: MRR 0.45\nTest results of NewE:\nMRR = 0.41\n",
        ["1 valid both - - MRR 0.45", "3 test both - - MRR 0.41"],
    ),
    "said behind numbers": (
        "MRR: 0.35, Hits@10: 0.5 (valid)\nMRR: 0.3 (raw), 0.4 (filtered)\nMRR 0.2 Hits@3 0.3 head prediction only\n",
        ["1 valid both - - MRR 0.35", "1 valid both - - Hits@10 0.5", "2 - both raw - MRR 0.3", "2 - both - - MRR 0.4",
         "3 - head - - MRR 0.2", "3 - head - - Hits@3 0.3"],
    ),
    "said behind some numbers": ("MRR 0.3 (raw) Hits@10 0.4\n", ["1 - both raw - MRR 0.3"]),
    "said of a number to compare with": ("Test MRR: 0.3 vs. 0.4 on valid\n", ["1 test both - - MRR 0.3"]),
    "chosen on valid": ("test MRR at best valid epoch: 0.33\nTest MRR 0.3 selected on valid MRR\n",
                        ["1 test both - - MRR 0.33", "2 test both - - MRR 0.3"]),
    "a heading in parentheses": (
        "INFO: MICRO (valid filtered)\nmrr: 0.3\nINFO: MICRO (test raw)\nmrr: 0.2\n",
        ["2 valid both - - MRR 0.3", "4 test both raw - MRR 0.2"],
    ),
    "a heading with a remark": (
        "Dev set performance: (by the best model)\nMRR = 0.4\n", ["2 valid both - - MRR 0.4"]
    ),
    "MultiHopKG evaluates valid under two protocols": (
        "Dev set performance: (correct evaluation)\nHits@1 = 0.5\nMRR = 0.7\n"
        "Dev set performance: (include test set labels)\nHits@1 = 0.7\nTest set performance:\nMRR = 0.6\n",
        ["2 valid None libkge - Hits@1 0.5", "3 valid None libkge - MRR 0.7", "5 valid None standard - Hits@1 0.7",
         "7 test None - - MRR 0.6"],
    ),
    "a heading that repeats itself behind a colon": (
        "Evaluate A on Train set: Evaluate A on Train set\n{'H@1': 0.9, 'MRR': 0.91}\n"
        "Evaluate A on Test set: Evaluate A on Test set\n{'H@1': 0.6, 'MRR': 0.7}\n",
        ["2 train both - - Hits@1 0.9", "2 train both - - MRR 0.91", "4 test both - - Hits@1 0.6",
         "4 test both - - MRR 0.7"],
    ),
    "the last line is of both sides, though the heading is of one": (
        "start object testing:\ntest object-- Epoch 0007 | Best MRR 0.50 | Hits@1 0.43\nstart subject testing:\n"
        "test subject-- Epoch 0008 | Best MRR 0.47 | Hits@1 0.40\n\nfinal test --| Best MRR 0.49 | Hits@1 0.42\n",
        ["2 test tail - 7 MRR 0.50", "2 test tail - 7 Hits@1 0.43", "4 test head - 8 MRR 0.47",
         "4 test head - 8 Hits@1 0.40", "6 test both - - MRR 0.49", "6 test both - - Hits@1 0.42"],
    ),
    "which side is open below a heading whose lines say it themselves": (
        "Head:\nhead MRR: 0.3\nMRR: 0.4\n", ["2 - head - - MRR 0.3"],
    ),
    "a line with its split below an empty one": (
        "Tail prediction\nMRR 0.4\n\nTest MRR 0.3\nHead prediction\nMRR 0.2\n",
        ["2 - tail - - MRR 0.4", "6 - head - - MRR 0.2"],
    ),
    "the best so far next to the current value": (
        "Epoch 1 | Best MRR 0.31 | Current MRR 0.30 | H@1 0.2\nMRR (raw): 0.15\n",
        ["1 - both - 1 MRR 0.30", "1 - both - 1 Hits@1 0.2", "2 - both raw - MRR 0.15"],
    ),
    "sides in a section of raw ones, and one of filtered ones": (
        "-----Raw-----\n-----Head prediction-----\nMeanRank: 452.1, Hits@10: 0.21\n-----Tail prediction-----\n"
        "MeanRank: 323.5\n------Average------\nMeanRank: 387.8\n-----Filter-----\n-----Head prediction-----\n"
        "MeanRank: 320.1\n-----Average-----\nMeanRank: 265.4\n",
        ["3 - head raw - MR 452.1", "3 - head raw - Hits@10 0.21", "5 - tail raw - MR 323.5", "7 - both raw - MR 387.8",
         "10 - head - - MR 320.1", "12 - both - - MR 265.4"],
    ),
    "a side of one metric, and others without": (
        "[Epoch 10 valid]: MRR: Tail : 0.41, hits@1 : 0.31\n\nTail MRR 0.4, MR 120.5\n"
        "head_mrr=0.2 tail_mrr=0.4 mr=90.5\ntail_mrr=0.4 mrr=0.3 mr=95.5\n",
        ["1 valid tail - 10 MRR 0.41", "3 - tail - - MRR 0.4", "3 - tail - - MR 120.5", "4 - head - - MRR 0.2",
         "4 - tail - - MRR 0.4", "4 - both - - MR 90.5", "5 - tail - - MRR 0.4", "5 - both - - MRR 0.3",
         "5 - both - - MR 95.5"],
    ),
    "a heading above a line that begins with a split": (
        "Raw:\nTest MRR: 0.3\nFiltered:\nTest MRR: 0.4\n", ["2 test both raw - MRR 0.3", "4 test both - - MRR 0.4"],
    ),
    "a setting with its value below": (
        "num_eval_negatives:\n  100\nMRR: 0.3\n", ["3 - both sampled:100 - MRR 0.3"],
    ),
    "LibKGE's progress": (
        "  batch:  10/273, mrr (filt.): 0.201 (0.311), hits@1: 0.110 (0.221)\n"
        "  batch: 273/273, mrr (filt.): 0.211 (0.341), hits@1: 0.120 (0.251), hits@10: 0.420 (0.551)\n"
        "  batch 27/273 mrr: 0.3\n",
        ["2 - both raw - MRR 0.211", "2 - both - - MRR 0.341", "2 - both raw - Hits@1 0.120",
         "2 - both - - Hits@1 0.251", "2 - both raw - Hits@10 0.420", "2 - both - - Hits@10 0.551"],
    ),
    "inverse queries apart": (
        "MRR (raw): 0.47\nMRR (filter): 0.48\nMR: 30.5\nMRR (raw_inv): 0.45\nMRR (filter_inv): 0.46\n"
        "MRR (all_raw): 0.465\nTail MRR (filter): 0.485\n",
        ["1 - None raw - MRR 0.47", "2 - None - - MRR 0.48", "3 - both - - MR 30.5", "6 - both raw - MRR 0.465",
         "7 - tail - - MRR 0.485"],
    ),
    "metric=mrr value=0.3": (
        "level=info split=test metric=mrr value=0.476\nlevel=info split=valid metric=hits@10 value=0.55\n",
        ["1 test both - - MRR 0.476", "2 valid both - - Hits@10 0.55"],
    ),
    "a mean rank without decimals": (
        "test: MR 4187, MRR 0.433 Hits@10: 0.515\nMean Rank 200\n",
        ["1 test both - - MR 4187", "1 test both - - MRR 0.433", "1 test both - - Hits@10 0.515",
         "2 test both - - MR 200"],
    ),
    "a ruler behind a number": ("---MRR: 0.36, MR: 150.1-----\n", ["1 - both - - MRR 0.36", "1 - both - - MR 150.1"]),
    "filtered by time": (
        "MRR (time_filter_ent): 0.44\nHits (time_filter_ent) @ 1: 0.33\nMRR (raw_ent): 0.43\n",
        ["1 - both time-aware - MRR 0.44", "2 - both time-aware - Hits@1 0.33", "3 - both raw - MRR 0.43"],
    ),
    "raw and filtered with a slash": (
        "- MR/**Filtered MR**: 243 / **125**\n- HIT@10/**Filtered: HIT@10**:  0.349 / **0.471**\n",
        ["1 - both raw - MR 243", "1 - both - - MR 125", "2 - both raw - Hits@10 0.349", "2 - both - - Hits@10 0.471"],
    ),
    "the time left": ("Epoch 3, 12:10 left, test MRR: 0.3\n", ["1 test both - 3 MRR 0.3"]),
    "PyKEEN": (
        "test tail.realistic.hits_at_1: 0.31\nboth.realistic.inverse_harmonic_mean_rank: 0.25\n",
        ["1 test tail - - Hits@1 0.31", "2 test both - - MRR 0.25"],
    ),
    "settings in one line, and in columns": (
        "Dataset: UMLS   Split: valid   Model: A\nMRR : 0.4\n", ["2 valid both - - MRR 0.4"],
    ),
    "settings in a column": ("Filtered         : False\nMRR              : 0.25\n", ["2 - both raw - MRR 0.25"]),
    "Keras": ("- loss: 0.3 - mrr: 0.9 - val_loss: 0.4 - val_mrr: 0.3\n", ["1 valid both - - MRR 0.3"]),
    "queries": ("query: (h, r, ?)\nMRR: 0.7\nquery: (?, r, t)\nMRR: 0.5\n",
                ["2 - tail - - MRR 0.7", "4 - head - - MRR 0.5"]),
    "kbc's prints in two arguments": (
        "TEST :  {'rhs': 0.59, 'lhs': 0.53} {'rhs': tensor([0.5, 0.6, 0.7]), 'lhs': tensor([0.4, 0.5, 0.6])}\n",
        ["1 test tail - - MRR 0.59", "1 test head - - MRR 0.53", "1 test tail - - Hits@1 0.5",
         "1 test tail - - Hits@3 0.6", "1 test tail - - Hits@10 0.7", "1 test head - - Hits@1 0.4",
         "1 test head - - Hits@3 0.5", "1 test head - - Hits@10 0.6"],
    ),
    "a spread below a heading": (
        "mean:\ntest MRR: 0.33\nstd:\ntest MRR: 0.001\nTest:\nMRR: 0.34\nstd:\nMRR: 0.01\nepoch 2 test MRR: 0.35\n",
        ["2 test both - - MRR 0.33", "6 test both - - MRR 0.34", "9 test both - 2 MRR 0.35"],
    ),
    "numbers of others behind": (
        "[TEST] MRR:0.35 H@1:0.27   [Paper]MRR:0.36 H@1:0.30\n",
        ["1 test both - - MRR 0.35", "1 test both - - Hits@1 0.27"],
    ),
    "sides by words that tools use in two ways": (
        "\t-- left   >> mean: 2872.72, hits@10: 11.1%\n\t-- global >> mean: 2617.78, hits@10: 13.2%\n",
        ["2 - both - - Hits@10 13.2%"],
    ),
    "train, then something else": (
        "Epoch 1 train: mrr 0.9\nEpoch 1 eval: mrr 0.3\n", ["1 train both - 1 MRR 0.9", "2 - both - 1 MRR 0.3"]
    ),
    "Chinese": (
        "在验证集上 MRR：0.33\n测试集（原始）：\nMRR：0.2\n",
        ["1 valid both - - MRR 0.33", "3 test both raw - MRR 0.2"],
    ),
    "Chinese for raw, sides in the plural, and not filtered": (
        "未过滤 MRR: 0.2\n过滤后 MRR: 0.3\nCorrupting subjects: MRR: 0.25\nobjects: MRR: 0.35\n"
        "non-filtered Hits@10: 0.4\nHits@3 without filtering: 0.3\n",
        ["1 - both raw - MRR 0.2", "2 - both - - MRR 0.3", "3 - head - - MRR 0.25", "4 - tail - - MRR 0.35",
         "5 - both raw - Hits@10 0.4", "6 - both raw - Hits@3 0.3"],
    ),
    "old Lightning": ("DATALOADER:0 VALIDATE RESULTS\n{'mrr': 0.4}\n", ["2 valid both - - MRR 0.4"]),
    "a progress bar at its end": (
        "Epoch 3:  50%|##   | 5/10 [00:10<00:10, val_mrr=0.3]\nEpoch 3: 100%|#####| 10/10 [00:20<00:00, val_mrr=0.4]\n",
        ["2 valid both - 3 MRR 0.4"],
    ),
    "a last line without a line end": ("test MRR: 0.338\ntest MRR: 0.33\nMR: 177", ["1 test both - - MRR 0.338",
        "2 test both - - MRR 0.33", "3 test both - - MR 177"]),
    "negatives among the settings": (
        "negative_sample_size: 256\nnum_eval_negatives: 100\nMRR: 0.8\n", ["3 - both sampled:100 - MRR 0.8"]
    ),
    "settings of the evaluation": (
        "Namespace(data='WN18RR', eval_filtered=False, eval_side='tail', mode='train')\nMRR: 0.3\nfiltered mrr: 0.4\n",
        ["2 - tail raw - MRR 0.3", "3 - tail - - MRR 0.4"],
    ),
    "both parts are all": ("over direct and inverse: MRR 0.4\n", ["1 - both - - MRR 0.4"]),
    "the average below the sides": (
        "Tail...\nMRR: 0.4\nAverage:\nMRR: 0.3\n", ["2 - tail - - MRR 0.4", "4 - both - - MRR 0.3"]
    ),
    "negatives behind": ("MRR: 0.9 (among 50 sampled negatives)\n", ["1 - both sampled:50 - MRR 0.9"]),
    "sides in names are of one number each": (
        "Test: {'head_mrr': 0.2, 'tail_mrr': 0.4, 'mrr': 0.3, 'tail_hits@1': 0.3, 'hits@1': 0.2}\n"
        "head mrr: 0.2, tail mrr: 0.4, mrr: 0.3\n",
        ["1 test head - - MRR 0.2", "1 test tail - - MRR 0.4", "1 test both - - MRR 0.3",
         "1 test tail - - Hits@1 0.3", "1 test both - - Hits@1 0.2",
         "2 test head - - MRR 0.2", "2 test tail - - MRR 0.4", "2 test both - - MRR 0.3"],
    ),
    "pykg2vec": (
        "Mini-Testing on [1000/17535] Triples in the valid set.\n---Test Results for freebase15k_237: Epoch: 0 ---\n"
        "--mrr, filtered mrr            : 0.0911, 0.1203\n--hits10 : 0.18\n--filtered hits10 : 0.23\n",
        ["3 valid both raw 0 MRR 0.0911", "3 valid both - 0 MRR 0.1203", "4 valid both raw 0 Hits@10 0.18",
         "5 valid both - 0 Hits@10 0.23"],
    ),
    "ATISE": (
        "Mean Rank: 450\nMean RR: 0.2869\nHit@3:&nbsp; 0.3294\n",
        ["1 - both - - MR 450", "2 - both - - MRR 0.2869", "3 - both - - Hits@3 0.3294"],
    ),
    "fmrr": ("fmrr: 0.36, fhits10: 0.55, mrr: 0.23\n",
             ["1 - both - - MRR 0.36", "1 - both - - Hits@10 0.55", "1 - both raw - MRR 0.23"]),
    "scikit-kge": (
        "[ 50] VALID: MRR = 0.28/0.38, Mean Rank = 220.11/95.12, Hits@10 = 42.11/60.21\n",
        ["1 valid both raw - MRR 0.28", "1 valid both - - MRR 0.38", "1 valid both raw - MR 220.11",
         "1 valid both - - MR 95.12", "1 valid both raw - Hits@10 42.11%", "1 valid both - - Hits@10 60.21%"],
    ),
    "headings in frames and with other words": (
        "=== Validation ===\nmrr: 0.4\n--- Final evaluation (held-out test triples) ---\nmrr: 0.3\n"
        "2022-01-01 00:00:00 | valid on my graph\nmrr: 0.2\nevaluating, lr = 0.1, test = False\nmrr: 0.1\n",
        ["2 valid both - - MRR 0.4", "4 test both - - MRR 0.3", "6 valid both - - MRR 0.2", "8 valid both - - MRR 0.1"],
    ),
    "LibKGE's queries, numpy, slashes": (
        "sp_ MRR: np.float64(0.44), _po MRR: 0.24\nHits@1/3 : 0.2 / 0.3\n",
        ["1 - tail - - MRR 0.44", "1 - head - - MRR 0.24",
         "2 - both - - Hits@1 0.2", "2 - both - - Hits@3 0.3"],
    ),
    "a name and its short form": (
        "Mean reciprocal rank (MRR): 0.4\nHits@10 (H@10): 0.5\n", ["1 - both - - MRR 0.4", "2 - both - - Hits@10 0.5"]
    ),
    "ssl-relation-prediction": (
        "TEST :  ({'rhs': 0.5, 'lhs': 0.4}, {'rhs': tensor([0.4, 0.5, 0.6]), 'lhs': tensor([0.3, 0.4, 0.5])}, "
        "{'rhs': [], 'lhs': []})\n",
        ["1 test tail - - MRR 0.5", "1 test head - - MRR 0.4", "1 test tail - - Hits@1 0.4",
         "1 test tail - - Hits@3 0.5", "1 test tail - - Hits@10 0.6", "1 test head - - Hits@1 0.3",
         "1 test head - - Hits@3 0.4", "1 test head - - Hits@10 0.5"],
    ),
    "options of a command": ("python run.py --eval-negatives 50 --negatives 9\nMRR: 0.8\n",
                             ["2 - both sampled:50 - MRR 0.8"]),
    "tags": ("[dev] mrr: 0.4\n[tst] mrr: 0.3\n", ["1 valid both - - MRR 0.4", "2 test both - - MRR 0.3"]),
    "a date before a dataset": ("2020-07-01 10:00:00,000 - umls - test MRR: 0.4\n", ["1 test both - - MRR 0.4"]),
    "hits in percent only": ("MRR: 0.338, Hits@10: 53.3\n", ["1 - both - - MRR 0.338", "1 - both - - Hits@10 53.3%"]),
}  # fmt: skip


@pytest.mark.parametrize("key", PRINTS)
def test_every_number_is_told_what_it_is(key: str) -> None:
    text, expected = PRINTS[key]
    document = Document("eval.txt", text)
    assert READER.recognise(document)
    reading = READER.read(document)
    found = [
        f"{entry.line} {about.split or '-'} {about.side} {about.protocol or '-'} "
        f"{reading.rows[entry.row].get('step') or '-'} {entry.metric.label} {entry.text}"
        for entry in reading.entries
        for about in [entry.context]
    ]
    assert found == expected


@pytest.mark.parametrize(
    ("key", "tool"),
    [
        ("PyKEEN", "pykeen"),
        ("PyG", "pyg"),
        ("kbc", "kbc"),
        ("SimKGC", "simkgc"),
        ("CompGCN", "compgcn"),
        ("HittER", None),
    ],
)
def test_a_tool_is_known_by_what_only_it_prints(key: str, tool: str | None) -> None:
    entries = READER.read(Document("eval.txt", PRINTS[key][0])).entries
    assert {entry.context.tool for entry in entries} == {tool}
    assert tool is None or tool in TOOLS


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("mr_type: 4127.0", "it ranks entities of the relation's type only"),
        ("old_MRR: 0.3", "'old' next to its name is not understood"),
        ("MRR std: 0.01", "'std' next to its name is not understood"),
        ("relation mrr: 0.9", "'relation' next to its name is not understood"),
        ("hits@10_50: 0.9", "'50' next to its name is not understood"),
        ("Mean rank left: 12.5", "left and right are head and tail in some tools"),
        ("hits: 40.71", "it does not say which k"),
        ("mrr: 0.x3", "'0.x3' is not a number"),
        ("mr, mrr, hits@1: 210.2, 0.5", "3 names for 2 numbers"),
        ("mr, filtered mr: 210, 130", "2 names for 1 numbers"),
        ("mean rank until now: 123.2", "'until' next to its name is not understood"),
        ("MRR (head/tail): 0.1/0.2", "its line names two splits or sides"),
        ("mrr: nan", "it is nan"),
        ("hits@[1,3]: [0.1, 0.2, 0.3]", "2 names for 3 numbers"),
        ("hits@1,3: 0.1, 0.2, 0.3", "2 names for 1 numbers"),
        ("mrr 0.24 0.44 0.34", "several numbers are behind its name"),
        ("MRR: 0.3 | 0.4", "several numbers are behind its name"),
        ("left mean rank: 210.2, hits@10: 0.42", "left and right are head and tail in some tools"),
        ("_hypernym  mrr: 0.2  hits@10: 0.3", "'hypernym' next to its name is not understood"),
        ("valid: 0.343 (MRR), 0.543 (H@10)", "its line has names behind the numbers"),
        ("cold-start MRR: 0.1", "'cold-start' before it is not understood"),
        ("long-tail entities (degree < 5): MRR 0.1, Hits@10 0.2", "'long-tail' before it is not understood"),
        ("MRR: -0.0056", "it is below 0"),
        ("MRR: 0.2, 1p MRR at step 9", "these are answers to complex queries"),
        ("2p: MRR 0.2, 3p: MRR 0.1, avg MRR 0.15", "these are answers to complex queries"),
        ("Metrics (relation-wise average): MRR 0.41", "'relation-wise' before it is not understood"),
        ("test_e1 {'mrr': 0.1234, 'mr': 836.2}", "'test_e1' is not understood"),
        ("mean_reciprocal_rank_filtered_with_test: 0.34", "a part of a record of LibKGE"),
        ("MetricResults(mean_rank={}, mrr={'both': {'avg': 0.3}})", "PyKEEN before 1.5 prints so"),
        ("mean_rank={'best': 7.3, 'worst': 7.5, 'avg': 7.4}", "PyKEEN before 1.5 prints so"),
        # Its issue 4: 816.4 is the mean of 329.1 and 1303.7.
        (
            "test_m {'mrr': 0.2, 'mr': 816.4} test {'mr': 329.1} test_e1 {'mr': 1303.7}",
            "tkbi prints so: test is of tails",
        ),
        ("acc: 0.9   mrr: 0.4864   mr: 3.9359   h1: 0.3086   h3: 0.5443   h5: 0.7096", "PathCon prints so"),
        ("Train mrr: 0.9, Best test mrr: 0.8", "GraphStorm ranks true edges among sampled negatives"),
        ("Stats: pos_rank:  65.4 , mrr:  0.243 , r1:  0.151", "PyTorch-BigGraph ranks true edges among sampled ones"),
        ("Valid MRR: 0.3 (test)", "its line names two splits or sides"),
        ("test (inverse): MRR 0.25", "'inverse' before it is not understood"),
        ("[Relation] MRR: 0.95", "'Relation' before it is not understood"),
        ("MRR: 0.3 (valid of old)", "'valid of old' behind it is not understood"),
        ("MRR: 0.3 (vs. 0.4 on WN18RR)", "'on WN18RR)' behind it is not understood"),
        ("WN18RR MRR: 0.3 (FB15k-237)", "its line names several datasets"),
        ("MRR: 0.3 on WN18RR and UMLS", "its line names several datasets"),
        ("std: test MRR 0.0008", "'std' says that it is a spread or a difference, not a value"),
        ("improvement in MRR: 0.012", "'improvement' says that it is a spread or a difference, not a value"),
        ("MRR: 1.31", "it is above 1, and no other number is a percentage: add --percent if it is one"),
        ("objective 1 - mrr: 0.661", "'negated' next to its name is not understood"),
        ("qualifier value: {'mrr': 0.88}", "'qualifier value' before it is not understood"),
        ("paper: MRR 0.338, Hits@10 0.533", "'paper' says that it is no result of this run"),
        ("Test (reported in the paper): MRR 0.338", "'reported in' says that it is no result of this run"),
        ("The baseline has MRR 0.294", "'The baseline' says that it is no result of this run"),
        (" 50%|#####     | 50/100 [00:01<00:01, 40.0it/s, mrr=0.5]", "it is next to a progress bar before its end"),
        ("left >> MRR: 0.3", "left and right are head and tail in some tools"),
        ("WN18RR MRR: 0.43 → 0.479 (+11%)", "several numbers are behind its name"),
    ],
)
def test_what_is_not_understood_is_left_out(line: str, why: str) -> None:
    reading = READER.read(Document("-", f"{line}\n"))
    assert reading.entries == ()
    assert {each.line for each in reading.skipped} == {1}
    assert all(each.why.startswith(why) for each in reading.skipped)


@pytest.mark.parametrize(
    ("heading", "expected"),
    [
        ("Tail prediction of BERT:", (None, "tail", None, ())),
        ("# Head prediction v2", (None, "head", None, ())),
        ("Unfiltered evaluation of RotatE:", (None, "both", "raw", ())),
        ("== Tail batch ==", (None, "both", None, ("side",))),
        ("Averaged over tail queries:", (None, "both", None, ("side",))),
        ("test results (corrupted heads):", ("test", "both", None, ("side",))),
        # None of these is of one side, or of raw ranks.
        ("# Multi-head attention model", (None, "both", None, ())),
        ("Tail latency of the server:", (None, "both", None, ())),
        ("Raw data of a museum:", (None, "both", None, ())),
        ("It was trained with head batch 4", (None, "both", None, ())),
    ],
)
def test_a_heading_with_words_that_are_not_understood(
    heading: str, expected: tuple[str | None, str, str | None, tuple[str, ...]]
) -> None:
    (entry,) = READER.read(Document("-", f"{heading}\nMRR: 0.35\n")).entries
    about = entry.context
    missing = tuple(name for name, _ in about.missing)
    assert (about.split, about.side or "both", about.protocol, missing) == expected


def test_a_number_behind_words_in_parentheses_is_told() -> None:
    reading = READER.read(
        Document("-", "MRR: 0.3\nHits@10 (50 negatives, as GraIL): 0.8\nHits@10 (filtered, tail): 0.5\n")
    )
    assert [entry.text for entry in reading.entries] == ["0.3", "0.5"]
    assert [(each.line, each.why) for each in reading.skipped] == [
        (2, "'50 negatives, as GraIL' behind its name is not understood")
    ]


@pytest.mark.parametrize("settings", ["(dim = 200)", "[lr=1e-3, dim: 200]", ", dim = 200", "(seed 1, lr=0.1)"])
@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("Valid results", "Test results", [("valid", "both", None), ("test", "both", None)]),
        ("Head prediction", "Tail prediction", [(None, "head", None), (None, "tail", None)]),
        ("Raw", "Filtered", [(None, "both", "raw"), (None, "both", None)]),
    ],
)
def test_a_heading_may_have_settings(
    first: str, second: str, expected: list[tuple[str | None, str, str | None]], settings: str
) -> None:
    text = f"{first} {settings}:\nMRR: 0.35\n{second} {settings}:\nMRR: 0.34\n"
    contexts = [entry.context for entry in READER.read(Document("-", text)).entries]
    assert [(each.split, each.side, each.protocol) for each in contexts] == expected


@pytest.mark.parametrize("text", ["test MRR: 0.", "valid MRR: 0.4711\ntest MRR: 0.47"])
def test_the_last_number_may_be_cut_off(text: str) -> None:
    reading = READER.read(Document("-", text))
    last = text[-4:].strip(": .")
    assert [each.why for each in reading.skipped] == [f"the last line is cut off after {last!r}"]


def test_a_line_with_several_datasets_gives_the_first_one_its_own_numbers_only() -> None:
    text = "[{'name': 'FB15k-237', 'MRR': 0.3, 'hits@1': 0.2}, {'name': 'WN18RR', 'MRR': 0.4, 'hits@1': 0.3}]"
    reading = READER.read(Document("-", f"{text}\n"))
    assert [(entry.text, entry.context.dataset) for entry in reading.entries] == [
        ("0.3", "FB15k-237"),
        ("0.2", "FB15k-237"),
    ]
    assert [each.why for each in reading.skipped] == ["its line names a dataset between its numbers"] * 2


@pytest.mark.parametrize(
    ("text", "understood"),
    [
        (RSN, "dataset FB15k-237 from its settings; 3 of 3 numbers name no split"),
        (PRINTS["hits in percent only"][0], "Hits in percent; 2 of 2 numbers name no split"),
        (PYG, "as pyg prints them"),
        ("filtered: False\neval_side: tail\nMRR: 0.3\n", "tail and raw from its settings"),
    ],
)
def test_it_says_how_it_was_understood(text: str, understood: str) -> None:
    assert understood in READER.read(Document("eval.txt", text)).understood


@pytest.mark.parametrize(
    ("text", "datasets"),
    [
        ("Running on FB15k-237...\nMRR 0.3\n", ["FB15k-237"]),
        ("TransE on FB15k-237 (filtered):\n  MRR: 0.3\n\nTransE on WN18RR:\n  MRR: 0.2\n", ["FB15k-237", "WN18RR"]),
        ("On WN-18:\n MRR: 0.8\n Hits@10: 0.9\n", ["WN-18", "WN-18"]),
        ("WN18RR: MR 4187.5, MRR 0.43\nMRR 0.3\n", ["WN18RR", "WN18RR", None]),
        ("WN18RR\nValid\nMRR: 0.3\nTest\nMRR: 0.2\n", ["WN18RR", "WN18RR"]),
        ("# WN18RR\n- MRR: 0.3\n# My graph\n- MRR: 0.2\n", ["WN18RR", None]),
        ("# WN18RR\n# --Raw results\n# MRR: 0.2\n# --Filter-Average\n# MRR: 0.3\n", ["WN18RR"] * 2),
        ("# WN18RR\n- MRR: 0.3\n# Average\n- MRR: 0.2\n", ["WN18RR", None]),
        ("main.py --data_dir ./data/UMLS \\\nMRR: 0.3\n", ["UMLS"]),
        ("Results on WN18RR:\nMRR: 0.3\nResults on the graph of birds:\nMRR: 0.2\n", ["WN18RR", None]),
        ("Results on WN18RR and UMLS\nMRR: 0.3\n", [None]),
        ("WN18RR:\nMRR: 0.3\nResults on UMLS (dim = 200):\nMRR: 0.2\n", ["WN18RR", "UMLS"]),
        ("# WN18RR [lr=1e-3]\nMRR: 0.3\n# UMLS, dim=200, lr: 0.1\nMRR: 0.2\n", ["WN18RR", "UMLS"]),
        ("WN18RR:\nMRR: 0.3\nUMLS in version 1.10:\nMRR: 0.2\n", ["WN18RR", "UMLS"]),
        ("WN18RR:\nMRR: 0.3\nloss on UMLS = 0.1\nMRR: 0.2\n", ["WN18RR", "WN18RR"]),
        ("5-shot tasks of WN18RR\nMRR: 0.3\n", ["WN18RR (few-shot)"]),
        ("fb15k-237_v1 [TEST] MRR: 0.3\n", ["FB15k-237 v1 (GraIL) or FB15k-237 v1 ind (GraIL)"]),
        ("--data_path data/UMLS\nResults on WN18RR:\nMRR: 0.3\n", ["WN18RR"]),
        ("--data_path data/UMLS\nResults:\nMRR: 0.3\n", ["UMLS"]),
        ("Evaluating on ICEWS14\nMRR: 0.3\n", ["ICEWS14"]),
        ("All runs on ogbl-citation2:\nMRR: 0.8\n", ["ogbl-citation2"]),
        ("MRR: 0.3 (WN18RR)\nMRR: 0.3, Hits@10: 0.5 on UMLS\nMRR: 0.2\n", ["WN18RR", "UMLS", "UMLS", None]),
        ("MRR 0.4 (WN18RR), 0.3 (FB15k-237)\n", ["WN18RR", "FB15k-237"]),
        ("It has an MRR of 0.4 on WN18RR and 0.3 on FB15k-237.\n", ["WN18RR", "FB15k-237"]),
        ("MRR is 0.4 for WN18RR, and Hits@10 is 0.5.\n", ["WN18RR"]),
        ("MRR 0.4, WN18RR: MRR 0.3, on UMLS\n", []),
        ("saved to ./ckpt/wn18rr_valid_best.pt\nMRR: 0.3\n", ["wn18rr"]),
        ("Loading WN18RR ...\n#train 86835 #valid 3034\nMRR: 0.3\n", ["WN18RR"]),
        ("==> WN18RR.log <==\nMRR: 0.3\n==> mine.log <==\nMRR: 0.2\n", ["WN18RR", None]),
        ("Running on WN18RR...\nMRR: 0.3\nRunning on mine...\nMRR: 0.2\n", ["WN18RR", None]),
        ("WN18RR:\nMRR: 0.3\nEvaluating on test data...\nEvaluating on GPU...\nMRR: 0.2\n", ["WN18RR"] * 2),
        ("run.py --pretrained ckpt/FB15k-237 --data mine\nMRR: 0.3\n", [None]),
        ("run.py --init FB15k-237 --dataset UMLS\nMRR: 0.3\n", ["UMLS"]),
        ("args: dataset='yoochoose', kg='FB15k-237'\nMRR: 0.3\n", ["yoochoose"]),
    ],
)
def test_the_nearest_line_that_names_a_graph_says_which_it_is(text: str, datasets: list[str | None]) -> None:
    reading = READER.read(Document("eval.txt", text))
    assert [entry.context.dataset for entry in reading.entries] == datasets
    assert ("dataset from the lines that name it" in reading.understood) == (any(datasets) and datasets != ["UMLS"])


@pytest.mark.parametrize(
    ("line", "split"),
    [
        ("best_on: valid", None), ("best_split = dev", None), ("early_stopping_metric: valid mrr", None),
        ("monitor: valid_mrr", None), ("select_by: validation", None), ("checkpoint: best_valid", None),
        ("eval_split: valid", "valid"), ("Best results: valid", "valid"), ("--- best epoch: valid ---", "valid"),
        ("Best model on valid:", "valid"),
    ],
)  # fmt: skip
def test_what_a_model_was_chosen_by_is_not_what_it_was_evaluated_on(line: str, split: str | None) -> None:
    (entry,) = READER.read(Document("eval.log", f"{line}\nMRR: 0.338\n")).entries
    assert entry.context.split == split


@pytest.mark.parametrize(
    ("text", "tasks"),
    [
        ("temporal: False, inductive bias: none, relation prediction: 0\ntimestamp 00:01: MRR: 0.3\n", [None]),
        ("Relation prediction:\nTest\nMRR: 0.9\nEntity prediction:\nMRR: 0.3\n", ["relation prediction", None]),
        ("Evaluating on 1000 random test triples\nMRR: 0.3\n", ["subset"]),
        ("1-to-N: MRR: 0.4\nMRR: 0.3\n", ["by relation", None]),
        ("1-N head MRR: 0.4\nMRR: 0.3\n", ["by relation", None]),
        ("N-N: MRR: 0.4\n1-1: MRR: 0.3\n1-N: MRR: 0.2\nAll: MRR 0.3\n", ["by relation"] * 3 + [None]),
        ("Data: 272115/17535/20466 triples\nMRR: 0.3\n", [None]),
        ("fold 1: MRR 0.47\nMRR 0.3\n", ["another split", None]),
        (
            "Mini-Testing on [9/99] Triples in valid\nmrr: 0.3\nFull-Testing on [99/99] Triples in test\nmrr: 0.3\n",
            ["subset", None],
        ),
        ("Evaluating on sample of training set\nmrr: 0.3\nmrr: 0.3\n", ["subset"] * 2),
        ("Evaluating on sample of training set\ntrain mrr: 0.3\ntest mrr: 0.2\n", ["subset", None]),
        ("candidates per query: 1000\nmrr: 0.3\n", ["sampled"]),
        ("Mode: typed | Tail pool: 1250 | Head pool: 830\nmrr: 0.3\n", ["sampled"]),
        (
            "test on ind-test-graph, sample 50\nmrr: 0.3\ntest on ind-test-graph, sample all\nmrr: 0.3\n",
            ["sampled", None],
        ),
        ("valid on ind-test-graph\nmrr: 0.3\n", ["sampled"]),
        ("valid on valid subgraphs\nmrr: 0.3\n", ["subset"]),
        ("--dataset FB15k237LogicalQuery\nmrr: 0.01\n", ["complex query"]),
        ("### MACRO:\nmrr: 0.1\n### MICRO:\nmrr: 0.2\n", ["macro-averaged", None]),
        ("5 million documents\nMRR: 0.3\n", ["retrieval"]),
        ("Question answering on WebQSP\nHits@1: 0.6\n", ["question answering"]),
        ("实体对齐\nMRR: 0.6\n", ["classification"]),
        ("Evaluating on train (sampled 1000 triples)\nMRR: 0.9\n", ["subset"]),
        ("Number of negative samples for evaluation: 50\nMRR: 0.9\n", ["sampled"]),
        ("MRR: 0.3, NDCG@10: 0.4, Recall@5: 0.6\n", ["retrieval"] * 2),
        # Where each query has one answer, the two are one number.
        ("Overall:\n- recall@10: 0.032\n- hits@10: 0.643\n- MRR: 0.312\n", ["retrieval"] * 3),
        ("MRR: 0.338, Recall@1: 0.241, Recall@10: 0.533\n", [None] * 3),
        ("Epoch 1\nmean over 2p and 3p of complex queries\nEpoch 2\nMRR: 0.3\n", ["complex query"]),
        ("INFO:root:MRR | Hits@1 | Hits@5 | Hits@10 : 0.8 | 0.7 | 0.9 | 0.95\n", ["sampled"] * 4),
        ("MRR: 0.9 among 50 negatives\nMRR: 0.8 among 100 negatives\n", ["sampled"] * 2),
        ("relation: _hypernym\nMRR: 0.2\nrelation: _has_part\nMRR: 0.3\n", ["by relation"] * 2),
        ("Relation = _hypernym\nMRR: 0.2\nOverall\nMRR: 0.3\n", ["by relation", None]),
        ("relations: 11\nrelation: data/relation2id.txt\nshots: 0\nMRR: 0.3\n", [None]),
        ("Snapshot:0 MRR: 0.4\n", ["continual"]),
        ("Client 2 | MRR: 0.3\nTask: 0\tMRR: 0.4\tHits@1: 0.2\nMRR: 0.5\n", ["federated", *["continual"] * 2, None]),
        ("multi-task 1 seed: 1, run 2, MRR: 0.3\nMRR: 0.4 with task 0.5\n", [None] * 2),
        ("Namespace(num_client=3)\nMRR: 0.3\n", ["federated"]),
        ("num_clients: 0\nMRR: 0.3\n", [None]),
        ("noise: 0.1\nMRR: 0.3\n", ["another graph"]),
        ("candidates: 50\nMRR: 0.3\n", ["sampled"]),
    ],
)
def test_numbers_of_other_tasks_are_told(text: str, tasks: list[str | None]) -> None:
    assert [entry.context.task for entry in READER.read(Document("eval.txt", text)).entries] == tasks


@pytest.mark.parametrize(
    "text", ["fold: 1\nMRR: 0.3\n", "fold: 1, MRR: 0.3\n", "Namespace(fold=1, lr=0.1)\nMRR: 0.3\n"]
)
def test_a_fold_of_a_cross_validation_is_left_out(text: str) -> None:
    reading = READER.read(Document("eval.txt", text))
    assert [each.why for each in reading.skipped] == ["it is of fold 1 of a cross-validation"]
    assert reading.entries == ()


def test_what_is_open_is_left_to_the_user() -> None:
    graphs = READER.read(Document("eval.txt", "trained on WN18RR and UMLS\nMRR: 0.3\n")).entries
    assert [entry.context.among for entry in graphs] == [("WN18RR", "UMLS")]
    # BLP: a plain value is raw where a filtered one is next to it; so may those of other splits be.
    filters = READER.read(Document("eval.txt", "valid mrr: 0.2\ntest mrr: 0.17\ntest mrr_filt: 0.19\n")).entries
    assert [(entry.context.protocol, [*dict(entry.context.missing)]) for entry in filters] == [
        (None, ["protocol"]),
        ("raw", []),
        (None, []),
    ]
    splits = READER.read(Document("eval.txt", "MRR: 0.3\nTest MRR: 0.3\n")).entries
    assert [(entry.context.split, [*dict(entry.context.missing)]) for entry in splits] == [
        (None, ["split"]),
        ("test", []),
    ]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Link Prediction: 1000 edges evaluated\nMRR: 0.3\n", "protocol"),
        ("effective triplets: 900 / 1000\nMRR: 0.3\n", "protocol"),
        ("Hits@20: 0.54\nauc: 0.4478\n", "side"),
        ("Raw:\nSplits:\nTest:\nMRR: 0.3\n", "protocol"),
        ("Raw:\nMR: 20.5\nTail prediction:\nMRR: 0.3\n", "protocol"),
        ("Raw:\nMR: 20.5\nValid:\nHead:\nMRR: 0.3\n", "protocol"),
        ("MRR (raw): 0.3\nMRR (raw_inv): 0.2\n", "side"),
        ("28 triples containing invalid keys skipped!\nmrr: 0.31\n", "protocol"),
        ("Avg Ranks: 21.477, MRR: 0.491\n", "protocol"),
        ("Dev set performance: (correct evaluation)\nMRR = 0.3\n", "side"),
        ("Score for iteration 100\nHits@1: 0.3\n", "side"),
        ("Dev set performance:\nHits@1 = 0.3\n", "side"),
        ("07/26/2018 02:40:17 PM: [ Hits@1:  0.3 ]\n", "side"),
    ],
)
def test_programs_that_print_alike_and_evaluate_in_several_ways(text: str, name: str) -> None:
    *_, entry = READER.read(Document("eval.txt", text)).entries
    assert [*dict(entry.context.missing)] == [name]
    assert getattr(entry.context, name) is None


def test_a_table_among_the_lines_of_a_log_is_named() -> None:
    text = "[1/2] Running A on UMLS, MRR=0.7\nSaved\n  model  time   mrr  hits@10\n0   A    1.2  0.70   0.9\n"
    reading = READER.read(Document("eval.log", text))
    assert [(entry.line, entry.text) for entry in reading.entries] == [(1, "0.7")]
    assert [(each.line, each.what) for each in reading.skipped] == [(3, "mrr hits@10")]
    assert "a file of its own" in reading.skipped[0].why


def test_a_line_may_say_how_many_triples_its_numbers_are_of() -> None:
    entries = READER.read(
        Document("eval.log", "UMLS test (1,000 triples): MRR 0.3\ntail MRR 0.2 (9 triples)\n")
    ).entries
    assert [entry.context.num_tasks for entry in entries] == [2000, 9]


def test_a_pair_names_the_dataset_of_its_line_wherever_it_is() -> None:
    text = "test_mrr=0.33 dataset=FB15k-237 seed=1\ntest_mrr=0.47 test_hits@1=0.42 dataset=WN18RR seed=1\n"
    entries = READER.read(Document("eval.log", text)).entries
    assert [entry.context.dataset for entry in entries] == ["FB15k-237", "WN18RR", "WN18RR"]


def test_metrics_of_complex_queries_are_told_as_such() -> None:
    document = Document("eval.log", "Valid 1p MRR at step 9: 0.5\nValid 2p MRR at step 9: 0.2\n")
    assert READER.recognise(document)
    assert {each.why for each in READER.read(document).skipped} == {"these are answers to complex queries"}


@pytest.mark.parametrize("text", ["All was good.", "loss: 0.3", "model,MRR\nTransE,0.3\n", "rank: 0", "MRR", ""])
def test_nothing_else_is_recognised(text: str) -> None:
    assert not READER.recognise(Document("notes.txt", text))


@pytest.mark.parametrize(
    "piece", ["mrr ", "mrr: ", "1 ", ":1 ", "=1,", "hits@", "(", "9", "test ", "-", "[1,", "@[1", " \t"]
)
def test_no_line_takes_long(piece: str) -> None:
    text = f"mrr: 0.5\n{piece * (2**17 // len(piece))} mrr\nmrr: 0.5\n"
    start = time.process_time()
    READER.read(Document("eval.txt", text))
    assert time.process_time() - start < 1


_PIECES = [word for text, _ in PRINTS.values() for word in text.replace("\n", " \n ").split(" ")]
_WORDS = st.sampled_from([*_PIECES, "nan", "@", "[1,", "±", "%", "\r", "\x1b[0m", "\u0130"])


@given(st.lists(_WORDS, max_size=60).map(" ".join))
def test_any_text_is_read_or_left_out(text: str) -> None:
    for entry in READER.read(Document("eval.txt", text)).entries:
        assert 1 <= (entry.line or 0) <= text.count("\n") + 1


def test_numbers_a_little_above_1_are_percentages_only_where_others_are() -> None:
    for text, kept in (
        ("MRR: 1.31\nHits@1: 0.45\n", ["0.45"]),
        ("MRR: 1.31\nHits@10: 3.2\n", ["1.31%", "3.2%"]),
        ("MRR: 1.31\nMRR: 33.8\n", ["1.31%", "33.8%"]),
        ("MRR: 1.31\nHits@10: 3%\n", ["1.31%", "3%"]),
    ):
        assert [entry.text for entry in READER.read(Document("eval.txt", text)).entries] == kept
    assert [entry.text for entry in READER.read(Document("eval.txt", "MRR: 1.31\n", percent=True)).entries] == ["1.31%"]


def test_a_mean_rank_that_counts_from_0_is_measured_from_1() -> None:
    rank, mrr, _ = READER.read(Document("eval.txt", PYG)).entries[:3]
    assert measure(rank).value == pytest.approx(239.20)
    assert measure(mrr).value == 0.2101


@pytest.mark.parametrize(
    "text", ["MRR\t0.331\nHits@10\t0.521\n", "MRR \t: 0.331\nHits@10 \t: 0.521\ntest count\t: 9\n"]
)
def test_names_and_numbers_with_a_tab_are_no_table(text: str) -> None:
    reading = read_document("eval.txt", text)
    assert reading.form == "generic"
    assert [(entry.metric.label, entry.text) for entry in reading.entries] == [("MRR", "0.331"), ("Hits@10", "0.521")]


def test_a_folder_of_documents_is_no_search_engine() -> None:
    for path in ("/home/me/Documents/kge/FB15k-237", r"C:\Users\me\Documents\FB15k-237", "~/Documents"):
        reading = read_document("a.log", f"Loading {path}\nTest results on FB15k-237\nMRR: 0.338\nHits@10: 0.533\n")
        assert [entry.context.task for entry in reading.entries] == [None, None]
    reading = read_document("a.log", "Ranking documents for 100 queries\nTest results\nMRR: 0.338\nHits@10: 0.533\n")
    assert {entry.context.task for entry in reading.entries} == {"retrieval"}


@pytest.mark.parametrize("sign", ["≈", "~"])
def test_approximate_numbers_are_left_out(sign: str) -> None:
    reading = read_document("eval.log", f"Test MRR {sign} 0.55, Hits@10: 0.7\n")
    assert [entry.metric.label for entry in reading.entries] == ["Hits@10"]
    assert [skip.why for skip in reading.skipped] == ["it is approximate, and it is open how far it may be off"]


@pytest.mark.parametrize(
    ("behind", "said"),
    [
        ("filtered=False", ("test", "both", "raw")),
        ("filtered: true", ("test", "both", "standard")),
        ("eval_split=valid", ("valid", "both", "standard")),
        ("evaluate_heads=false", ("test", "tail", "standard")),
        ("evaluate_heads=true", ("test", "both", "standard")),
        ("only_tail=false", ("test", "both", "standard")),
        ("dim=200", ("test", "both", "standard")),
    ],
)
def test_settings_behind_a_number_are_of_it(behind: str, said: tuple[str, str, str]) -> None:
    reading = read_document("a.log", f"Dataset: WN18RR\nMRR: 0.476 ({behind})\n")
    (entry,) = rankconst.adjust(reading).entries
    assert entry.constants is not None
    tasks = entry.constants.tasks
    assert (tasks.split, tasks.side, tasks.protocol) == said


@pytest.mark.parametrize(
    ("heading", "splits"),
    [
        ("Train:", [None, "test"]),
        ("=== Training set ===", [None, "test"]),
        ("Valid:\nMRR: 0.47\nTrain", ["valid", None, "test"]),
        ("Evaluating on train", ["train", "test"]),
        ("Evaluation", [None, "test"]),  # another split is named below
    ],
)
def test_train_alone_above_numbers_is_left_to_the_user(heading: str, splits: list[str | None]) -> None:
    text = f"Dataset: WN18RR\n{heading}\nMRR: 0.9\n"
    entries = rankconst.adjust(read_document("a.log", f"{text}Test\nMRR: 0.476\n"), split=None).entries
    found = [None if each.constants is None else each.constants.tasks.split for each in entries]
    assert found == splits
    if "train" in heading.lower() and None in splits[:1]:
        with pytest.raises(DataError, match=r"says train, which may be its split: add --split\.$"):
            rankconst.adjust(read_document("a.log", text))
