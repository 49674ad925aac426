"""What becomes of numbers in tables as people print them: an address, a question, or nothing under
some options.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest

import rankconst
from cases import for_each
from rankconst.catalogue.benchmarks import list_ambiguous, list_kinds
from rankconst.catalogue.metrics import parse_metric
from rankconst.catalogue.protocols import RANK_TYPES
from rankconst.errors import AskedError, UnknownNameError, UsageError
from rankconst.evaluation import Address, settle
from rankconst.results.document import Document
from rankconst.results.formats import read_document, read_opened
from rankconst.results.labels import read_label
from rankconst.results.tables.layout import FEW
from rankconst.results.vocabulary import VOCABULARY

if TYPE_CHECKING:
    from rankconst.evaluation import Question
    from rankconst.results.reading import Reading

LEFT = "left out"


def open_text(text: object, **options: Any) -> Reading:
    """Read a text under the name that its beginning has; anything else is written as JSON."""
    if not isinstance(text, str):
        text = json.dumps(text, ensure_ascii=False)
    endings = {"#": "md", "{": "json", "[": "json", "\\": "tex"}
    only = parse_metric(options["metric"]) if "metric" in options else None
    return read_opened(Document(f"a.{endings.get(text[0], 'csv')}", text, metric=only))


def tell(text: object, **options: Any) -> str:
    """Return what becomes of each number: its address, the words or options of its questions, or that it is left out.

    The address lacks what is usual: test, both sides and protocol standard.
    """
    adjusted = rankconst.adjust(open_text(text, **options), errors="note", **options).numbers
    asked: dict[int, list[str]] = {}
    for question in adjusted.asked:
        for place in question.numbers:
            asked.setdefault(place, []).append(question.word or question.option)
    shown = []
    for place, each in enumerate(adjusted.entries):
        usual = {"test", "both", "standard"}
        tasks = () if each.constants is None else str(each.constants.tasks).split("/")
        address = " ".join(part for part in tasks if part not in usual)
        shown.append(
            address or "?" + ", ".join(asked[place]) if address or place in asked else LEFT
        )
    return "; ".join(shown)


def ask(text: str) -> Question:
    """Return the only question about a text."""
    question: Question
    (question,) = rankconst.adjust(open_text(text), errors="note").asked
    return question


def md(heading: str, *rows: str) -> str:
    """Return a Markdown table of rows such as ``Model | MRR`` below a heading."""
    width = rows[0].count("|") + 1
    lines = [rows[0], " | ".join(["---"] * width), *rows[1:]]
    return f"# {heading}\n\n" + "".join(f"| {line} |\n" for line in lines)


def near(sentence: str, graph: str = "UMLS", heading: str = "Model | MRR") -> str:
    """Return a table below a sentence."""
    title, _, table = md(graph, heading, "A | 0.5").partition("\n\n")
    return f"{title}\n\n{sentence}\n\n{table}"


def beside(key: str, value: object) -> list[object]:
    """Return a number next to a column or a key."""
    return [
        f"model,{key},dataset,MRR\nA,{value},UMLS,0.5\n",
        {"dataset": "UMLS", key: value, "mrr": 0.5},
    ]


def row(*cells: str) -> str:
    """Return a table with one row of these names and cells for each."""
    return md("UMLS", "Model | MRR", *(f"{cell} | 0.5" for cell in cells))


# -- one number, one address or question -----------------------------------------------------------

Case = tuple[object, str] | tuple[object, str, dict[str, Any]]
NELL = (
    "?--dataset nell995 or --dataset nell995_redgnn, or --accept NELL-995=GRAPH for this name alone"
)
BOTH = "Given one of them, the head or, if it is known, the tail is ranked."
RELATIONS = {"dataset": "UMLS", "tail": {"mrr": 0.4}, "Relations": {"mrr": 0.9}}
ORDINARY = md("Best configuration for each model in Kinships", "Model | MRR", "ComplEx | .7")
MRR = {"metric": "mrr"}

TOPICS: dict[str, list[Case]] = {
    "the nearest version counts": [
        (md("WN18RR v1 to v4, inductive", "Model | v1 | v2", "GraIL | .8 | .7"), "wn18rr_v1_ind; wn18rr_v2_ind", MRR),
        (md("v2", "Dataset | MRR", "WN18RR v1 | .7", "WN18RR v2 | .6"), "wn18rr_v1_ind; wn18rr_v2_ind", {"dataset": "inductive"}),
    ],
    "a version is one of a graph that has it": [
        (md("Inductive", " | GPT-4 MRR", "WN18RR | ", "v1 | .7", "v2 | .6", "NELL-995 | ", "v1 | .6"), "wn18rr_v1_ind; wn18rr_v2_ind; nell_v1_ind"),
        ("dataset,version,MRR\nUMLS,v1,.6\n", "?v1"),
        ("dataset,version,MRR\nUMLS,0.4.0,.6\nUMLS,,.6\n", "umls; umls"),
        ("model,dataset,MRR\nTransE v1,UMLS,.6\nv1,UMLS,.6\n", "umls; umls"), ("model,dataset,MRR\nTripleRE,UMLS,.6\nNew triples,UMLS,.5\n", "umls; ?new triples"),
        ("dataset,MRR\nWN18RR v1,.6\nNELL-995 v1,.6\n", f"{LEFT}; nell_v1", {"dataset": "nell_v1"}),
    ],
    "two splits of NELL have its name": [
        ("dataset,MRR\nNELL-995,0.5\n", NELL), ("dataset,MRR\nNELL995,0.5\n", NELL.replace("L-9", "L9")),
        ("dataset,MRR\nNELL-995,0.5\n", "nell995", {"dataset": "nell995"}),
    ],
    "a digit in another name of a heading makes no other metric": [
        ("dataset,GPT-4 MRR,Llama-3-8B MRR,ULTRA (3g) MRR\nUMLS,.5,.4,.6\n", "umls; umls; umls"), ("dataset,MRR seed 1\nUMLS,.5\n", "umls"), ("dataset,20% noise MRR\nUMLS,.4\n", "?noise"),
        ("dataset,1-hop MRR\nUMLS,.4\n", "?1-hop"), ("dataset,mrr,mrr_p25\nUMLS,.5,.4\n", "umls; ?p25"),
        ("dataset,MRR,Hits@10 (1 vs 50)\nUMLS,.5,.4\n", "umls; ?1 vs 50"), (md("UMLS (1:100)", "Model | MRR", "A | .5"), "?1:100"), (md("UMLS (top-50)", "Model | MRR", "A | .5"), "?top-50"), ("dataset,MRR,hits@10_50\nUMLS,.5,.4\n", "umls; ?_50"), ("dataset,MRR (‰),MR\nUMLS,.5,4\n", "umls"), ("dataset,MRR % of best,MRR (%)\nUMLS,97,87\n", "umls"), *((f"dataset,{name},Hits@1\nUMLS,.5,.4\n", "umls") for name in ("MRR2", "MRR_50", "10 MRR", "1-MRR", "MR (1000)")),
    ],
    "inductive or transductive is what the nearest label says": [
        (md("Both", "Dataset | MRR", "Transductive | ", "FB15k-237 | .36", "Inductive | ", "FB15k-237 v1 | .49"), "fb15k237; fb15k237_v1_ind"),
        ("dataset,version,setting,MRR\nWN18RR,v1,transductive,.5\nWN18RR,v1,inductive,.6\n", "wn18rr_v1; wn18rr_v1_ind"),
        (md("Transductive", "Model | FB15k-237 MRR", "Inductive | ", "A | .49"), "?inductive"),
        ("dataset,split,MRR\nUMLS,full,.6\nUMLS,test,.5\n", f"{LEFT}; umls"),
        ("dataset,split,MRR\nWN18RR_v1,inductive,.6\nWN18RR_v1,transductive,.5\n", "wn18rr_v1_ind; wn18rr_v1"),
        # An option never overrules a word.
        ("dataset,setting,MRR\nWN18RR_v1,inductive,.6\nWN18RR_v1,transductive,.5\n", "wn18rr_v1_ind; ?transductive", {"dataset": "inductive"}),
        ("dataset,setting,MRR\nFB15k-237,inductive,.6\nFB15k-237,transductive,.5\n", "?inductive; fb15k237", {"dataset": "inductive"}),
    ],
    "names above metrics are of parts where rows are models": [
        (md("UMLS", f"Model | {one} | {other}", " | MRR | MRR", "A | .4 | .3"), f"?{one.lower()}; ?{other.lower()}")
        for one, other in (("Forget", "Retain"), ("2014", "2015"), ("Low", "High"), ("LP", "RP"), ("Day 1", "Day 2"), ("Few", "Known"), ("C=50", "k=5"))
    ],
    "a numbered part may head a table": [
        (near("## Relation 7"), "?relation 7"), (near("## Graph 2"), "?graph 2"), (near("## Seed 2"), "umls"),
    ],
    # Of dice-group/Convolutional-Hypercomplex-Embeddings-for-Link-Prediction, README.
    "a section around that of the graph may say what was ranked": [
        (md("ConvO\n\n## Applying Semantic Constraint\n\n### UMLS", "Model | MRR", "A | .5"), "?constraint"),
    ],
    "models are known by their names": [
        (md("UMLS", " | Old | New", " | MRR | MRR", "TransE | .4 | .3", "ours | .4 | .3", "RotatE | .4 | .3"), "?old; ?new; ?old; ?new; ?old; ?new"), (md("UMLS", " | Old | New", " | MRR | MRR", "dense | .4 | .3"), "umls; umls"),
    ],
    "a graph in rows and one in columns are two": [
        (md("R", "Train / Test | WN18RR | UMLS", "WN18RR | .5 | .3", "UMLS | .2 | .9"), "?train; ?train, wn18rr; ?train, umls; ?train", MRR),
    ],
    "names above metrics may be of models, or of who ran them": [
        (md("UMLS", f"{heading} | {one} | {other}", " | MRR | MRR", "A | .4 | .3"), "umls; umls")
        for heading, one, other in (("", "TransE", "CP"), ("Model", "TransE", "CP"), ("Method", "SimKGC", "GPT-4"), ("Model", "reported", "ours"))
    ],
    "a name of a group is no cell of its rows": [
        (md("R", "Model | Setting | MRR", "WN18 | | ", "A | raw | .3", " | filtered | .4", "UMLS | | ", "A | raw | .6", " | filtered | .7"), "wn18 raw; wn18; umls raw; umls"),
    ],
    "a row of dashes names no group but by its vocabulary": [
        (md("UMLS", "Model | MRR", "KBGAN (raw) | -", "A | .3", "Valid | -", "A | .4"), "umls; umls valid"),
    ],
    "letters behind a graph, and other words next to the same graph, may be about the tasks": [
        (md("R", "Model | UMLS (H) | UMLS (T)", " | MRR | MRR", "A | .4 | .3"), "?h; ?t"), (md("R", "UMLS (f) | MRR", "A | .4"), "?f"), (md("R", "Model | MRR", "UMLS (r) |", "A | .4"), "?r"),
        (md("R", "Model | UMLS | UMLS reversed", " | MRR | MRR", "A | .4 | .3"), "umls; ?reversed"), (md("R", "Model | UMLS (RotatE) | UMLS (TransE)", " | MRR | MRR", "A | .4 | .3"), "umls; umls"),
        (md("R", "Model | UMLS results | WN18RR, see text", " | MRR | MRR", "A | .4 | .3"), "umls; wn18rr"), (near("Results on UMLS (U) and more"), "umls"),
    ],
    "a number behind a graph may be of something else": [
        (md("R", "Model | FB15k-237 (20,466 test triples) | | WN18RR (20 runs) | ", " | MRR | MR | MRR | MR", "A | .2 | 9 | .3 | 9"), "fb15k237; fb15k237; wn18rr; wn18rr"),
        (md("UMLS", "Model | Hits@1 | @3 | @10", "A | .2 | .3 | .4"), "umls; umls; umls"),
    ],
    "a group may be within another": [
        ("ds,phase,metric,score\nNations,val,MRR,.6\n", "nations valid"), (md("R", "Data | Split | MRR", "UMLS | valid | .8", " | test | .7"), "umls valid; umls"),
        (md("R", "Model | MRR", "Nations | ", "Valid | ", "A | .6", "Test | ", "A | .7", "UMLS | ", "Valid | ", "A | .8"), "nations valid; nations; umls valid"),
    ],
    "each row of a heading above metrics in rows counts": [
        (md("UMLS", " | A | | B | ", " | valid | test | valid | test", "MRR | .3 | .29 | .34 | .33"), "umls valid; umls; umls valid; umls"),
        (md("R", " | UMLS | | Nations | ", " | A | B | A | B", "MRR | .3 | .29 | .6 | .7", "MR | 9 | 9 | 3 | 2", "#Params | 1 | 2 | 3 | 4"), "umls; umls; umls; umls; nations; nations; nations; nations"),
        (md("UMLS", " | Head | | Tail | ", "| A | B | A | B", "MRR | .3 | .29 | .6 | .7"), "umls head; umls head; umls tail; umls tail"),
        (md("R", " |  | UMLS | Nations", "Metric | Model | test | valid", "MRR | A | .3 | .6", " | B | .4 | .7", "H@1 | A | .2 | .5"), "umls; nations valid; umls; nations valid; umls; nations valid"),
        ("\\begin{tabular}{lll} & & UMLS \\\\ & A & .3 \\\\ MRR & B & .4 \\\\ H@1 & A & .2 \\end{tabular}", "umls; umls"),
    ],
    "a row of its own with another metric is asked about": [
        (md("UMLS", "Model | MRR", "A | .3", "Hits@1 | ", "A | .2"), "umls; ?hits@1"),
    ],
    "the corner and the rows of names count next to metrics in rows": [
        (md("R", "Model | UMLS | Nations", "RotatE (MRR) | .3 | .6", "TuckER (MRR) | .4 | .7"), "umls; umls; nations; nations"),
        (md("R", "UMLS (valid) | A | B", "MRR | .3 | .4", "H@1 | .2 | .3"), "umls valid; umls valid; umls valid; umls valid"),
        (md("R", " | A | B", "UMLS | | ", "MRR | .3 | .4", "WN18RR | C | D", "MRR | .6 | .7"), "umls; umls; wn18rr; wn18rr"),
        ("x,A,B\nUMLS,,\nMRR,.3,.4\n", f"{LEFT}; {LEFT}", {"dataset": "nations"}),
    ],
    "of which rows a name in their middle is, or one above a blank, is open": [
        (md("R", "Data | Model | MRR", " | A | .3", "UMLS | B | .4", " | C | .5", " | A | .6", "Nations | B | .7", " | C | .8"),
         f"{LEFT}; umls; {LEFT}; {LEFT}; nations; {LEFT}"),
        (md("UMLS", "Side | Model | MRR", " | A | .3", "Head | B | .4", " | A | .6", "Tail | B | .7"), "?head; umls head; ?head; umls tail"),
        ("dataset,Split,Model,MRR\nUMLS,Valid,A,.3\nUMLS,,B,.4\nUMLS,Test,A,.6\nUMLS,,B,.7\n", "umls valid; ?valid; umls; ?valid"),
    ],
    "a column may be of shots, of directions, or of entities": [
        ("model,K,dataset,MRR\nMetaR,1,UMLS,.5\n", "?k"), ("metric,k,dataset,value\nhits_at_k,10,UMLS,.5\n", "umls"), ("model,,dataset,MRR\nA,→,UMLS,.6\nA,←,UMLS,.5\n", "?→; ?←"),
        ("entity,dataset,MRR\nvirus,UMLS,.5\n", "?entity"), ("dataset,Entity MRR\nUMLS,.5\n", "umls"),
    ],
    "a share in the name of a graph is no part": [
        ("model,FB15K-237-10% MRR\nA,.2\n", "fb15k237_10"), (md("R", "Model | FB15K-237-10% | | FB15K-237-20% | ", " | MRR | MR | MRR | MR", "A | .2 | 9 | .3 | 9"), "fb15k237_10; fb15k237_10; fb15k237_20; fb15k237_20"),
    ],
    "what a benchmark is, and how large a model is, is not asked about": [
        (md("Entity alignment", "Model | DBP15K ZH-EN MRR", "A | .5"), "dbp15k_zh_en sampled:10499"), (md("Entity alignment", "Model | UMLS MRR", "A | .5"), "?alignment"),
        ("dim,UMLS MRR\n100,.5\n200,.6\n", "umls; umls"), ("negatives,UMLS MRR\n100,.5\n200,.6\n", "?negatives; ?negatives"),
    ],
    "a known word of another script is no name": [
        (md("主实验（归纳推理）", "数据集 | 版本 | 指标 | A | 提升", "WN18RR | v1 | MRR | .5 | +8.8%"), "wn18rr_v1_ind"),
        ("model,验证集 MRR,测试集 MRR\nA,.5,.4\n", "?验证; umls", {"dataset": "umls"}), ("model,对称集 MRR\nA,.5\n", "?not-english, 对称集", {"dataset": "umls"}),
    ],
    "a number of runs is no part of a metric": [
        (f"dataset,MRR ({runs})\nUMLS,.5\n", "umls") for runs in ("5 seeds", "mean of 3 runs", "mean of 5")
    ],
    "a filter that is not known is asked about": [
        (text, f"?{key}")
        for key in ("filter", "eval_filter", "filter_mode", "filtered")
        for text in (*beside(key, "partly"), f"dataset,{key},MRR\nUMLS,partly,.5\n")
    ],
    "no filter is raw": [
        *((text, "umls raw") for word in ("none", "off", "no", "null", "raw") for text in beside("filter", word)),
        *((text, "umls raw") for key in ("filtered", "filtering") for text in beside(key, "disabled")),
        *(({"dataset": "UMLS", key: value, "mrr": 0.5}, expected) for key, value, expected in (
            ("filter", None, "umls raw"), ("use_filter", False, "umls raw"), ("filter_mode", "none", "umls raw"), ("use_filter", True, "umls"),
        )),
        ("dataset,use_filter,MRR\nUMLS,False,0.5\nUMLS,True,0.5\n", "umls raw; umls"),
        (md("UMLS (w/o filter)", "Model | MRR", "A | 0.5"), "umls raw"), ("model,dataset,MRR (no filter)\nA,UMLS,0.5\n", "umls raw"),
    ],
    "a share of the data above metrics is asked about": [
        (md("UMLS", "Model | 20% | 50 %", " | MRR | Hits@10 (%)", "A | 0.3 | 40"), "?20%; ?50 %"),
    ],
    "how many a text says there are is held against the tasks": [
        (near("Ranking over all 93,773 entities", "ogbl-biokg"), "?all-entities"), (near("Over all of the 135 entities"), "umls"),
        (near("All 2.5M entities compete", "ogbl-biokg"), "?all-entities, compete"), (near("The mean over all 46 relations"), "?all-relations"),
        (near("These are 100 hand-picked test triples"), "?100"), (near("Each of the 661 test triples counts."), "umls"), (near("Rows with * use MyKG, which has 1,000 triples."), "?1000"), (near("UMLS has 6,529 triples."), "umls"), (near("Logarithms of the metrics."), "?logarithms"), (near("Relations of at least 1,000 training triples"), "?at least 1,000 training triples"),
        (near("We have 20,466 FB15k-237 and 3,134 WN18RR test triples"), "?--dataset, or a column dataset"),
    ],
    "what a name is a difference to or a result on is asked about": [
        (row("TransE", name), f"umls; ?{word}")
        for name, word in (
            ("Ours - RotatE", "-"), ("Best - ours", "-"), ("RotatE − TransE", "-"), ("RotatE on v1", "v1"), ("RotatE on Kinships", "kinships"),
            ("TransE - Kinships", "kinships"), ("TransE for PubMed", "pubmed"), ("A on rarities", "rarities"), ("A (found on rarities)", "rarities"),
        )
    ],
    "what a model is a variant of is not asked about": [
        (row("TransE - L1", "TransE - our run", "A on UMLS", "BERT on all", "TransE on GPU"), "umls; umls; umls; umls; umls"),
        (md("Kinships", "Model | MRR", "TransE - Kinships | .5"), "kinships"),
        (near("Both checkpoints can be used for fine-tuning.", heading="Model | zero-shot MRR | Fine-tuned MRR").replace("0.5 |", ".4 | .5 |"), "?zero-shot; umls"),
        (md("UMLS¶", "Model | MRR", "A | .5"), "umls"),  # a link of Sphinx to the heading
        (md("FB15k-237", "Model | MRR", "A [FB15k-237-N] | 0.4", "A-FB15k-237 | 0.2"), "?fb15k-237-n; fb15k237"),
    ],
    "a statistic or a part in brackets behind a name is asked about": [
        (row("A (std)", "A (Δ)", "A (composition)", "A (50 neg)", "A (1+99)"), "?std; ?δ; ?composition; ?50 neg; ?1+99"),
        (row("A (inverse)", "A (1-vs-all)", "A (DistMult composition function)"), "umls; umls; umls"),  # how they were trained
    ],
    "a row that is no model is asked about": [
        (row("A", name), f"umls; ?{word}")
        for name, word in (
            ("Δ", "δ"), ("Improvement over A", "improvement"), ("Gain (abs.)", "gain, abs"), ("Our gain", "gain"), ("Abs. A", "abs"),
            ("Oracle", "oracle"), ("Standard dev.", "standard-dev"), ("A (top-100)", "top-100"), ("Std. error", "std, error"), ("Gap to A", "gap"), ("25%", "25%"),
            ("A, 10% of test", "10% of"), ("提升", "not-english"), ("Verbesserung", "not-english"), ("relation prediction", "relation-prediction"),
            *((name, name) for name in ("composition", "inverse", "count", "median", "n=50", "p", "50 neg")),
            ("Mean over models", "models"), ("Avg. of methods", "methods"), ("# better", "better"), ("Best of all", "best-of-all"),
            ("± std", "std"), ("vs. A", "vs"), ("A vs B", "vs"), ("Wilcoxon p", "wilcoxon, p"), ("Reference", "reference"), ("SOTA", "sota"), ("Upper bound", "upper-bound"),
        )
    ],
    "a column of differences is left out": [
        ("model,UMLS,WN18RR,Avg. Rank\nA,.5,.4,3\nB,.6,.3,2\n", "umls; wn18rr; umls; wn18rr", MRR),
        *((f"dataset,metric,A,{other}\nUMLS,MRR,.5,.6\n", "umls") for other in ("lr", "Params (B)", "runtime", "F1")),
        ("dataset,metric,A,n\nUMLS,MRR,.5,661\nUMLS,MRR,.5,600\n", "umls; ?600"),
        *((md("UMLS", f"Model | MRR | {heading}", "A | 0.8 | 0.05"), "umls") for heading in ("vs. SOTA MRR", "MRR gain", "ΔMRR", "MRR LB", "MRR UL", "Δ")),
    ],
    "a column without a heading may name datasets": [
        (md("Results", " | MRR", "FB15k-237 | .3", "UMLS | .2", "mine | .1"), f"fb15k237; umls; {LEFT}"),
        (md("Results", " | MRR", "**UMLS** | ", "TransE | .3", "**Nations** | ", "TransE | .6"), "umls; nations"),
    ],
    "heads and tails are both sides": [
        (near(BOTH), "?head, known, tail"),
        (near("Paths of (head, tail) pairs tell the relation: relation prediction."), "?relation-prediction"),  # PathCon
        (near(BOTH), "umls", {"side": "both", "accept": ["known"]}), (near(BOTH), "?tail", {"side": "head", "accept": ["known"]}),
    ],
    "columns say the side in any letters": [
        (md("UMLS", f"m | {heading} | MRR", *(f"A | {cell} | .6" for cell in ("(h, r, ?)", "(?, p, o)", "h2t", "rt2h", "tails", "both"))),
         "umls tail; umls head; umls tail; umls head; umls tail; umls")
        for heading in ("direction", "query", "side")
    ],
    "rows that are parts of a test set are asked about": [
        ("dataset,Data,MRR\nUMLS,10%,.5\n", "?--dataset UMLS or --dataset 10%"),
        *((md("UMLS", f"Model | {heading} | MRR", f"A | {cell} | .3", "B |  | .2"), f"?{heading.lower()}; umls")
          for heading, cell in (("Degree", "0-10"), ("Subset", "A"), ("Bucket", "low"), ("Pattern", "other"))),
    ],
    "what names the rows is known or asked about": [
        *((md("UMLS", f"{heading} | MRR", "film | 0.3"), f"?{heading.lower()}") for heading in ("Degree", "Relation type", "Wealth")),
        *((md("UMLS", f"Model | {heading} | MRR", "A | film | 0.3"), "umls") for heading in ("Relation type", "Missing ratio")),
        *((md("UMLS", f"{heading} | MRR", "10 | .3", "50 | .5"), f"?{heading.lower()}; ?{heading.lower()}") for heading in ("Epochs", "Amount %")),
        (md("UMLS", "Model | dim | MRR", "A | 10 | .3", "A | 50 | .5"), "umls; umls"),
        (md("Results", "UMLS | WN18RR MRR | MRR", "A | 0.2 | 0.3"), "wn18rr; umls"), (md("R", "UMLS (valid) | MRR", "A | .2"), "umls valid"),
        (md("Results", "FB15k-237 | MRR", "TransE | .3"), LEFT, {"dataset": "umls"}),
    ],
    "a cell in any spelling is asked about": [
        (md("UMLS", "Model | Note | MRR", f"TransE | {cell} | 0.3"), f"?{word}")
        for cell, word in (
            ("1:N", "1:n"), ("1→N", "1:n"), ("one2many", "one2many"), ("M:N", "m:n"), ("Δ", "δ"), ("impr.", "impr"), ("vali", "vali"), ("our split", "our-split"),
            ("N=50", "n=50"), ("n = 50", "n = 50"), ("50neg", "50neg"), ("neg=50", "neg=50"), ("#neg 50", "neg 50"), ("1+99", "1+99"), ("1 vs. 99", "1 vs. 99"), ("1:50", "1:50"),
        )
    ],
    "an unknown rest of a heading asks even alone": [
        (f"model,dataset,{rest}\nA,UMLS,0.3\n", f"?{word}")
        for rest, word in (("lnMRR", "ln"), ("nMRR", "n"), ("MRR epoch", "epoch"), ("MRR@f", "f"), ("MRR (out)", "out"), ("MRR/n", "n"), ("MRR (f)", "f"),
                           ("New MRR", "new"), ("Unobserved MRR", "unobserved"), ("known MRR", "known"), ("Neg MRR", "neg"), ("(date) MRR", "date"))
    ],
    "the name of a model in a heading does not ask": [
        (f"dataset,{heading}\nUMLS,0.3,0.4\n", "umls; umls")
        for heading in ("RE-GCN MRR,TiRGN MRR", "MRR (ours),MRR (DRUM)", "MRR of TransE,Hits@10 of TransE", "rotate MRR,Tucker MRR")
    ],
    "what tasks are made of asks with a word that is not known": [
        (text, f"?{name.lower()}")
        for name in ("Fresh entities", "dataset_flavour", "GrandFacts edges", "Task 1", "Split-2")
        for text in (*beside(name, 2), row(name), {"dataset": "UMLS", name: {"mrr": 0.3}}, md("UMLS", f"Model | {name}", " | MRR", "A | .5"))
    ],
    "how large data are and where they lie is not asked about": [
        (text, "umls") for name in ("dataset_path", "dataset size", "num_entities", "Triples per second", "#Relations (K)", "#Rel") for text in beside(name, 135)
    ],
    "a word alone beside a number is asked about": [
        *((text, f"?{key.lower().replace('_', '-')}") for key in ("lang", "Ratio", "Skip_rare") for text in beside(key, "2")),
        *((f"model,{key},dataset,MRR\nA,2,UMLS,0.3\n", "umls") for key in ("lang_decay", "Ratio_decay")),
    ],
    "what is next to a label that declares declares something else": [
        *((md("UMLS", f"Model | {one} | {other}", " | MRR | MRR", "A | .3 | .4"), f"{known}; ?{other.lower()}")
          for one, other, known in (("UMLS", "PubMed", "umls"), ("test", "OOD", "umls"), ("heads", "Typed", "umls head"))),
        (md("UMLS", "Model | Subj. | Obj.", " | MRR | MRR", "A | .2 | .4"), "?subj; ?obj"),
        *(({"dataset": "UMLS", "metrics": {one: {"mrr": 0.3}, other: {"mrr": 0.4}}}, f"{known}; ?{asked}")
          for one, other, known, asked in (("UMLS", "PubMed", "umls", "pubmed"), ("test", "OOD", "umls", "ood, --split valid or --split test"), ("heads", "Typed", "umls head", "typed"))),
        ("model,dataset,valid MRR,Typed MRR\nA,UMLS,.3,.4\n", "umls valid; ?typed, --split valid or --split test"),
    ],
    "a key in small letters over numbers is asked about unless it is a model": [
        *(({"dataset": "UMLS", key: {"mrr": 0.3}}, f"?{key}") for key in ("early_stopping", "quantiles", "gat-free", "mykg")),
        ({"dataset": "UMLS", **{key: {"mrr": 0.3} for key in ("rotate", "my_model", "MyNet", "run_1", "results", "log_history", "mynet")}}, "umls; " * 6 + "umls"),
    ],
    "a key that names relations over metrics may be of their prediction": [
        (RELATIONS, "umls tail; ?relations"),
        (RELATIONS, f"{LEFT}; umls relation", {"side": "relation"}),
    ],
    "a path of keys does not name two graphs": [
        ({"UMLS": {"WN18": {"mrr": 0.3}}}, "?--dataset, or a column dataset"), ({"WN18": {"dataset": "UMLS", "mrr": 0.3}}, "umls", {"dataset": "umls"}),
        ({"dataset": "UMLS", "runs": [{"dataset": "WN18", "mrr": 0.3}]}, "wn18"),
    ],
    "a key with the number of a step is one of a training": [
        *((text, "; ".join(["?--split valid, --split test, or a column split"] * 2)) for text in ("name,UMLS MRR\nepoch 10,.3\nepoch 20,.4\n", "metric,step 1000,step 2000\nUMLS MRR,.3,.4\n")),
        ("model,UMLS MRR\nA,.3\nepoch 20,.4\n", "umls; umls"),
        ({"dataset": "UMLS", "epoch_1": {"mrr": 0.3}, "epoch_2": {"mrr": 0.4}}, "; ".join(["?--split valid, --split test, or a column split"] * 2)),
        ({"dataset": "UMLS", "step_500": {"test_mrr": 0.3}, "step 1000": {"test_mrr": 0.4}}, "umls; umls"), ({"dataset": "UMLS", "epoch_9": {"mrr": 0.3}}, "umls"),
    ],
    "a count of what was ranked is held against the tasks": [
        *((text, f"?{count}" if count else "umls") for key in ("n_triples", "n", "test_samples") for value, count in ((100, 100), (661, 0)) for text in beside(key, value)),
        (near("Measured on 100 triples, for its cost"), "?100"), (near("Measured on 661 triples"), "umls"), (near("It was trained on 5,216 triples"), "umls"),
        ({"dataset": "UMLS", "eval_samples": 652, "eval_samples_per_second": 9, "test_mrr": 0.5}, "umls"),
    ],
    "a model may be joined to the name of a graph": [
        ({"study": "rotate-umls", "mrr": 0.5}, "umls"), ("Step,rotate-umls - MRR\n9,0.5\n", "umls"), ("dataset,MRR\nOWE-UMLS,.5\n", LEFT),
        ("dataset,MRR\nBioKG,.5\n", "ogbbiokg sampled:500", {"dataset": "ogbbiokg"}),
    ],
    "settings of the evaluation are about its numbers": [
        *(({"dataset": "UMLS", key: value, "mrr": 0.5}, expected) for key, value, expected in (
            ("eval", {"num_neg": 50}, "?num-neg"), ("train", {"num_neg": 50}, "umls"), ("evaluator_kwargs", {"filtered": False}, "umls raw"),
            ("eval_config", {"split": "valid"}, "umls valid"), ("filter_sets", "train", "?train, filter_sets"), ("filter_with", ["train", "valid"], "?train, valid, filter_with"),
            ("tie_break", "first", "?tie"), ("rank_mode", "strict", "?strict"), ("restrict_to_type", True, "?restrict"), ("ranking_pool", 100, "?pool"),
        )),
        ({"dataset": "UMLS", "eval_results": {"mrr": 0.4, "split": "valid"}, "test_mrr": 0.5}, "umls valid; umls"),
    ],
    "a word that is denied says nothing": [
        *((text, "umls") for key, value in (("debug", False), ("inductive", False), ("use_subset", "no"), ("limit", None), ("candidates", "none"))
          for text in beside(key, value)),
        *((text, f"?{key.replace('_', '-')}") for key, value in (("debug", True), ("fold", 0), ("full_ranking", False), ("transductive", False)) for text in beside(key, value)),
    ],
    "a share is a part": [
        *((text, expected) for note, expected in (("2/3 of it", "?/3"), ("run 1/3", "umls"), ("3/3", "umls")) for text in beside("note", note)),
    ],
    "what programs call their columns is known": [
        ("number,value,datetime_start,user_attrs_test_mrr,dataset\n0,.3,2024-11-02 18:01:11,.2,UMLS\n1,.3,2024-11-02 18:01:11,.2,UMLS\n", "umls; umls"),
        *((f"{names},MRR,dataset\n1,.3,UMLS\n2,.4,UMLS\n", expected) for names, expected in (("seed", "umls; umls"), ("query_id", "?query-id; ?query-id"))),
        *((text, "umls") for text in beside("neg_sample_size", 256)), ({"dataset": "UMLS", "precision": "fp16", "mrr": 0.5}, "umls"),
        ({"dataset": "UMLS", "freq > 10": {"mrr": 0.3}, "freq10": {"mrr": 0.3}}, "?freq > 10; umls"),
        ("test_mrr/dataloader_idx_0,dataset\n.3,UMLS\n", "?dataloader-idx, 0"),
    ],
    "two names of one metric are one": [({"dataset": "UMLS", "metrics": [{"type": "mrr", "value": 0.5, "name": "MRR"}]}, "umls")],
    "a tool that ranks other entities is no word among others": [
        (near("All of it was computed with PyKEEN.", heading="Model | filtered MRR"), "?pykeen", {"protocol": "standard"}),
        (near("All of it was computed with AmpliGraph."), "?ampligraph"), (near("All of it was computed with PyKEEN."), "umls pykeen", {"tool": "PyKEEN"}),
    ],
    "a metric beside one that may be filtered is asked about": [
        (f"model,dataset,MRR,{heading}\nA,WN18,0.3,0.5\n", f"?--protocol raw; {asked}")
        for heading, asked in (("fMRR", "wn18"), ("FMRR", "wn18"), ("MRR@f", "?f"), ("MRR (filt.)", "wn18"))
    ],
    "an F before a metric says filtered": [("dataset,raw MR,FMR,Fhits@10\nUMLS,9,8,.5\n", "umls raw; umls; umls")],
    "an amount beside a number is asked about": [
        *((text, f"?{key.replace('_', '-')}") for key in ("candidates", "negatives", "sample", "fold", "train_ratio", "max_test_triples", "few", "choices", "n_batches", "beams") for text in beside(key, 50)),
    ],
    "what a program ran with and other results are not asked about": [
        *((text, "umls") for key in ("negative_sample_size", "train_loss", "raw", "epoch", "num_negs_per_pos", "time_limit", "dim") for text in beside(key, 50)),
        ({"dataset": "UMLS", "timestamp": "2025-11-07T13:37:11", "mrr": 0.5}, "umls"), ({"dataset": "UMLS", "timestamp": "of each fact", "mrr": 0.5}, "?timestamp"),
    ],
    "relations are a side where sides are said": [
        ("dataset,target,MRR\nUMLS,relation,.5\nUMLS,tail,.5\n", "umls relation; umls tail"),
        (md("UMLS", "Prediction | MRR", "Entity | .7", "Relation | .9"), "umls; ?relation"),
        (md("UMLS", "Model | Entity | Relation", " | MRR | MRR", "A | .7 | .9"), "umls; ?relation"),
        (md("UMLS", "Model | Prediction | MRR", "A | entity | .7", "A | relation | .9"), "umls; ?relation"),
        ("dataset,relation,MRR\nnations,all,0.3\nnations,treaties,0.5\n", "nations; nations standard (treaties)"),
    ],
    "a k of 0 names no metric, and costs no other number": [(text, "umls") for text in beside("note", "see AH@ 0.18")],
    "sizes are no words of a split": [
        ("Dataset,#Entities,Train,Valid,Test,MRR\nFB15k-237,14541,272115,17535,20466,0.338\n", "fb15k237"),
    ],
    "a point that may be of thousands is neither": [("dataset,MR\nUMLS,3.340\nWN18RR,3384.120\n", "umls; wn18rr")],
    "a script in a column of datasets names none": [
        ("model,dataset,MRR\nA,glove-bow-wn18rr.sh,0.2\n", LEFT), ("model,dataset,MRR\nA,glove-bow-wn18rr.sh,0.2\n", "wn18rr", {"dataset": "wn18rr"}),
        ("dataset,MRR\nwordnet-mlj12,0.3\n", "wn18"),
    ],
    "an ordinary word that may be the dataset is asked about": [
        (ORDINARY, "?--dataset kinships if it is that"),
        (ORDINARY, "umls", {"dataset": "umls"}), (ORDINARY.replace("MRR", "UMLS MRR"), "umls"),
    ],
    "what lists, settings, headings and sentences say counts alike": [
        # A list of one text is that text.
        *(({"dataset": "Nations", "tags": tags, "mrr": 0.3}, "nations valid") for tags in ("dev", ["dev"])),
        ({"dataset": "Nations", "tags": ["a", "dev"], "mrr": 0.3}, "nations"),
        *(({"dataset": "Nations", key: "none", "mrr": 0.3}, "nations raw") for key in ("filter", "filter_type", "filter_mode")),
        (md("Nations (reversed)", "Model | MRR", "A | .3"), "?reversed"), (md("Nations", "Model | MRR main triple", "A | .3"), "?main-triple"),
        *((near(text), f"?{word}") for text, word in {
            "All values are log-transformed.": "log-transformed", "They are percentages of the best model.": "percentages-of",
        }.items()),
    ],
    "what is said of programs and of training says nothing of the ranking tasks": [
        *((near(text), "umls") for text in (
            "Tuned with Optuna.", "The first public release of our code.", "Try --dry-run before.", "It has fewer parameters.",
            "Early stopping after the first 1,000 steps.", "At 80% of the memory.", "We compare 1 vs 10 epochs.",
        )),
        (near("Relations with fewer than ten triples."), "?fewer-than"), (near("The first 1,000 batches."), "?first 1,000"),
        ("Path,dataset,MRR\nmetrics.json,UMLS,.3\n", "umls"),
    ],
    "numbers of single relations are of these": [
        ({"_hypernym": {"mrr": 0.3}, "_has_part": {"mrr": 0.2}, "overall": {"mrr": 0.5}, "weird": {"mrr": 0.1}}, "wn18rr standard (_hypernym); wn18rr standard (_has_part); wn18rr; ?weird", {"dataset": "wn18rr"}),
        ({"mrr": 0.5, "per_relation": {"_has_part": {"mrr": 0.2}}}, "wn18rr; wn18rr standard (_has_part)", {"dataset": "wn18rr"}),
        *((md("WN18RR", f"{heading} | MRR", "_hypernym | .3", "has part | .2"), "wn18rr standard (_hypernym); wn18rr standard (_has_part)") for heading in ("relation", "edge", "")),
    ],
    "what a word is said to mean holds whatever was asked": [
        ("dataset,MRR_va\nUMLS,.5\n", "umls tail", {"accept": ["va=tail"]}), ("dataset,MRR (macro)\nUMLS,.5\n", "umls macro-relation", {"accept": ["macro=macro-relation"]}),
        ("dataset,MRR,note\nUMLS,.5,subset\n", "umls raw", {"accept": ["subset=raw"]}), ("dataset,MRR,note\nUMLS,.5,subset\n", "umls", {"accept": ["subset"]}),
        ("dataset,MRR,note\nUMLS,.5,Ergebnisse von uns\n", "umls train", {"accept": ["not-english=train"]}),
    ],
    "a tool or a kind says which of several benchmarks it is": [
        ("dataset,MRR\nICEWS14,.4\n", "icews14_regcn time-aware", {"tool": "regcn"}), ("dataset,MRR\nYAGO,.6\n", "yago_tkg raw", {"dataset": "temporal", "protocol": "raw"}),
        ("dataset,tool,MRR\nUMLS,PyKEEN,.8\nUMLS,RotatE,.7\n", f"{LEFT}; umls", {"tool": "rotate"}),
        ("dataset,MRR\nICEWS14,.4\nYAGO,.6\nUMLS,.7\n",
         "?--tool regcn or --tool xerte or --dataset icews14_interp, or --accept ICEWS14=GRAPH for this name alone; "
         "?--dataset temporal or --dataset yago310 or --dataset yago37, or --accept YAGO=GRAPH for this name alone; umls"),
    ],
    "a full ranking is none of a benchmark with sampled candidates": [
        ("dataset,eval,MRR\nUMLS,full,.5\nUMLS,50 neg,.6\n", "?full; umls sampled:50", {"protocol": "sampled:50"}),
        ("dataset,protocol,MRR\nUMLS,1 vs 49,.6\n", "?1 vs 49"), ("dataset,protocol,MRR\nUMLS,1 vs 49,.6\n", "?1 vs 49", {"protocol": "standard"}),
        ("dataset,protocol,MRR\nUMLS,1 vs 49,.6\n", "umls sampled:49", {"protocol": "sampled:49"}),
        (near("Hits@10 is among 50, MRR among all entities", "WN18RR v1, inductive"), "?all-entities", {"tool": "grail"}),
        *(
            (text, expected)
            for words in ("full ranking", "full")
            for graph, expected in (("ogbl-biokg", f"?{words.replace(' ', '-')}"), ("UMLS", "umls"))
            for text in (md(f"{graph}, {words}", "Model | MRR", "A | .5"), {"dataset": graph, "setting": words, "mrr": 0.5})
        ),
    ],
    "filtered does not say that no known answers were left": [(near("With known raw answers", heading="Model | filtered MRR"), "?known")],
}  # fmt: skip


@pytest.mark.parametrize("topic", TOPICS)
def test_what_becomes_of_numbers(topic: str) -> None:
    for text, expected, *options in TOPICS[topic]:
        assert tell(text, **dict(*options)) == expected, text


# -- GraIL's graphs, and other names of several ----------------------------------------------------

WHICH = "?--dataset inductive or --dataset transductive"
_LATEX = r"""\begin{table}\caption{%s}\begin{tabular}{lcccc}
Method & \multicolumn{2}{c}{FB15k-237} & \multicolumn{2}{c}{WN18RR} \\ & v1 & v2 & v1 & v2 \\ \hline
GraIL & 64.15 & 81.80 & 82.45 & 78.68 \\
\end{tabular}\end{table}"""
VERSIONS: dict[str, tuple[object, int, dict[str, Any]]] = {
    "spelt": ("dataset,MRR\nNELL-995 v1,.6\nnell_v2,.6\nFB15k-237 (v3),.6\nWN18RR_v4,.6\nFB237_v1,.6\n", 5, {}),
    "column": ("dataset,version,MRR\nFB15k-237,v1,.6\nWN18RR,3,.6\n", 2, {}),
    "short": ("graph,v,MRR\nFB15k-237,1,.6\nWN18RR,2,.6\n", 2, {}),
    "splits": ("dataset,split,MRR\nFB15k-237,v1,.6\nNELL-995,v2,.6\n", 2, {}),
    "spans": (_LATEX % "Results", 4, {"metric": "hits@10"}),
    "levels": (md("Results", " | FB15k-237 | | FB", " | v1 | v4 | v2", "GraIL | .279 | .227 | .276"), 3, MRR),
    "heading": (md("WN18RR", "Model | v1 | v2", "NBFNet | .74 | .7"), 2, MRR),
    "keys": ({"FB15k-237": {"v1": {"mrr": 0.42}, "v2": {"mrr": 0.5}}}, 2, {}),
    "siblings": ({"dataset": "WN18RR", "version": "v1", "mrr": 0.74}, 1, {}),
}  # fmt: skip


@for_each(("text", "count", "options"), VERSIONS.values())
def test_a_version_is_part_of_a_name_and_one_option_says_of_all_which_graph_it_is(
    text: object, count: int, options: dict[str, Any]
) -> None:
    assert tell(text, **options) == "; ".join([WHICH] * count)
    for kind in ("inductive", "transductive"):
        found = tell(text, dataset=kind, **options).split("; ")
        assert all(list_kinds(each) == {kind, "full"} for each in found)


@for_each(
    ("name", "graph", "asked"),
    [
        ("paper_v2.csv", "FB15k-237", ["v2"]), ("paper_v2.csv", "UMLS", []), ("paper_v2.csv", "FB15k-237 v1", [""]),
        ("paper.csv", "FB15k-237", []),
    ],
)  # fmt: skip
def test_the_version_of_a_file_may_be_that_of_its_graph_if_the_graph_has_none(
    name: str, graph: str, asked: list[str]
) -> None:
    reading = read_opened(Document(name, f"dataset,MRR\n{graph},.3\n"))
    questions = rankconst.adjust(reading, errors="note").asked
    assert [question.word for question in questions] == asked
    if asked == ["v2"]:
        (number,) = rankconst.adjust(reading, accept=["v2"]).numbers.entries
        assert number.constants is not None
        assert number.constants.tasks.dataset == "fb15k237"


@for_each(
    "text",
    [
        "model,v1,v2\nA,.7,.6\n", "model,MRR v1,MRR v2\nA,.7,.6\n", "dataset,MRR\nv1,.7\nv2,.6\n",
        {"v1": {"mrr": 0.7}, "v2": {"mrr": 0.6}}, md("R", "Model | MRR", "v1 | ", "A | .7", "v2 | ", "A | .6"),
    ],
)  # fmt: skip
def test_no_option_overrules_a_version(text: object) -> None:
    for options in ({}, {"dataset": "wn18rr"}, {"dataset": "inductive"}, {"dataset": "grail_12"}):
        assert tell(text, **MRR, **options) == "?v1; ?v2"
    assert tell(text, **MRR, dataset="wn18rr_v1") == "wn18rr_v1; ?v2"
    remedy = "add the graph in a column dataset, or accept=.* without dataset=, or accept="
    with pytest.raises(AskedError, match=remedy):
        rankconst.adjust(open_text(text, **MRR), metric="mrr")
    graphs = "wn18rr_v1_ind valid+test; wn18rr_v2_ind valid+test"
    assert tell(text, **MRR, dataset="grail_wn18rr") == graphs
    assert (
        tell(text, **MRR, accept=["v1=wn18rr_v1_ind", "v2=wn18rr_v2"]) == "wn18rr_v1_ind; wn18rr_v2"
    )
    assert tell(text, **MRR, dataset="wn18rr", accept=["v1", "v2"]) == "wn18rr; wn18rr"


def test_the_metric_of_a_column_of_values_is_that_of_the_user() -> None:
    text = "Wall time,Step,Value\n1709280000.1,1000,0.3121\n1709290000.1,2000,0.3381\n"
    options = {"dataset": "umls", "metric": "mrr"}
    assert tell(text, split="valid", **options) == "umls valid; umls valid"
    assert tell(text, **options).startswith("?--split valid")  # of a training


@for_each(
    ("heading", "expected"),
    [
        ("Inductive link prediction", "fb15k237_v1_ind"), ("Unseen entities", "fb15k237_v1_ind"),
        ("The transductive setting", "fb15k237_v1"), ("Inductive and transductive", f"{WHICH}, inductive"),
    ],
)  # fmt: skip
def test_words_settle_which_graph_a_version_is_of(heading: str, expected: str) -> None:
    assert tell(md(heading, "Model | FB15k-237 v1 MRR", "NBFNet | 0.422")) == expected
    assert tell(md(heading, "Model | FB15k-237", " | v1", "A | 0.4"), metric="mrr") == expected


@for_each(
    "name",
    [
        "UMLS v5", "UMLS (30%)", "30% UMLS", "UMLS (k=5)", "UMLS*", "UMLS†", "UMLS'", "UMLS 2.0", "UMLS_small",
        "UMLS (new)", "UMLS 10k", "UMLS (new split)",
    ],
)  # fmt: skip
def test_what_sticks_to_a_name_makes_it_that_of_another_graph(name: str) -> None:
    for above in (name, f"Table 2: Results on {name}.", f"Results, {name}"):
        assert tell(md(above, "Model | MRR", "A | 0.5")) != "umls"
    assert tell(f'dataset,MRR\n"{name}",.5\n') != "umls"


def test_the_likeliest_of_several_benchmarks_comes_first() -> None:
    inductive = [keys for keys in list_ambiguous().values() if any("_v" in key for key in keys)]
    assert len(inductive) >= 28
    assert all(
        [*map(list_kinds, keys)] == [{"inductive", "full"}, {"transductive", "full"}]
        for keys in inductive
    )


# What a file calls its columns, and which graph each is.
SHARED = [
    ("NELL-995", "nell995_redgnn", "WN18RR", "wn18rr", {}),
    ("WD50K", "wd50k_statements", "JF17K", "jf17k", {"protocol": "raw"}),
    ("Countries", "countries_s2", "UMLS", "umls", {}),
    # One whose key is what others have as a name, and beside a graph of another kind.
    ("WN18RR v1", "wn18rr_v1", "WN18RR v2", "wn18rr_v2_ind", {"dataset": "inductive"}),
    ("ICEWS14", "icews14_xerte", "ICEWS18", "icews18", {"protocol": "time-aware"}),
]


@pytest.mark.parametrize(("name", "key", "other", "other_key", "options"), SHARED)
def test_a_name_of_several_graphs_is_accepted_as_one_and_leaves_the_others(
    name: str, key: str, other: str, other_key: str, options: dict[str, Any]
) -> None:
    accept = [f"{name.lower()}={key}"]
    listed = [
        {"dataset": graph, "model": model, "mrr": value}
        for model, values in (("A", (0.3, 0.2)), ("B", (0.31, 0.21)))
        for graph, value in zip((name, other), values, strict=True)
    ]
    table = md("R", f"model | {name} MRR | {other} MRR", "A | 0.3 | 0.2", "B | 0.31 | 0.21")
    columns = f"model,{name} MRR,{other} MRR\nA,0.3,0.2\nB,0.31,0.21\n"
    for text in (columns, table, listed):
        told = tell(text, accept=accept, **options)
        assert [address.split()[0] for address in told.split("; ")] == [key, other_key] * 2
    adjusted = rankconst.adjust(open_text(columns), accept=accept, **options)
    assert (adjusted.asked, adjusted.numbers.accepted) == ((), (accept[0],))
    frame = rankconst.adjust(pd.DataFrame(listed), accept=accept, **options)
    assert frame["AMRR"].notna().all()


def test_every_name_of_several_graphs_is_accepted_as_each_of_them() -> None:
    tables = rankconst.load()
    for name, keys in list_ambiguous().items():
        for key in keys:
            # In small letters the first key may be meant, whatever else has its name.
            file, user = Address(name.upper()), Address(accepted=(f"{name}={key}",))
            if key in tables.datasets:
                assert settle(file, user, tables)[0].dataset == key
                continue
            with pytest.raises(
                UnknownNameError, match=f"rankconst build {key}`|{key}\\)\\. It is not offered"
            ):
                settle(file, user, tables)


def test_a_question_offers_to_accept_a_name_where_a_dataset_would_leave_out_others() -> None:
    text = "model,NELL-995 MRR,WN18RR MRR\nA,0.3,0.2\n"
    opened = open_text(text)
    offered = 'accept=["NELL-995=GRAPH"] for this name alone'
    assert ask(text).remedy == f'dataset="nell995" or dataset="nell995_redgnn", or {offered}'
    assert "accept" not in ask("model,WN18RR v1 MRR,WN18RR MRR\nA,0.3,0.2\n").remedy
    for wrong in ("NELL-995=GRAPH", "nell-995=wn18rr", "NELL-995"):
        with pytest.raises(UsageError, match="expected NELL-995=nell995 or NELL-995=nell995_redgn"):
            rankconst.adjust(opened, accept=[wrong])
    named = rankconst.adjust(open_text("model,FB MRR\nA,0.3\n"), accept=["FB=fb15k237"]).numbers
    assert named.accepted == ("fb=fb15k237",)
    with pytest.raises(UnknownNameError, match="add --accept FB=GRAPH"):
        rankconst.adjust(open_text("model,FB MRR\nA,0.3\n"), accept=["WN18=umls"])
    # No option overrules it, and no tool.
    with pytest.raises(UsageError, match="says dataset nell995, but nell995_redgnn was asked for"):
        rankconst.adjust(opened, dataset="nell995_redgnn", accept=["NELL-995=nell995"])
    noted = rankconst.adjust(opened, tool="ultra", accept=["NELL-995=nell995"]).numbers
    assert "accepted as nell995, but ULTRA evaluates on nell995_redgnn" in noted.notes[0]
    # A graph in the name of a model: DisenKGAT's table in github.com/BUPT-GAMMA/OpenHGNN.
    named_after = open_text(
        md("DisenKGAT", "Metric | GAT_WN18RR | GAT_FB15k-237", "MRR | 0.455 | 0.354")
    )
    both = rankconst.adjust(named_after, accept=["WN18RR=wn18rr", "FB15k-237=FB15k-237"]).numbers
    assert [str(done.published.tasks.dataset) for done in both.done] == ["wn18rr", "fb15k237"]
    # Of a name that one graph has, nothing is asked.
    assert rankconst.adjust(opened, accept=["WN18RR=umls"]).numbers.accepted == ()


# -- texts -----------------------------------------------------------------------------------------


@for_each(
    ("title", "is_asked"),
    [
        *((title, True) for title in (
            "Improvement over TransE, in points", "Ablation: relative change of MRR", "Numbers are the difference to TransE.",
            "95% confidence intervals", "Results. Gains of our method", "Minimum over five seeds", "P-values of a paired t-test", "Absolute gains in points", "Half-widths of the confidence intervals", "Human evaluation",
        )),
        *((title, False) for title in (
            "All gains are significant.", "Results; standard deviations are below 0.002.", "Results with improvements in brackets",
            "Results and improvements over TransE",
        )),
    ],
)  # fmt: skip
def test_a_title_that_begins_with_a_statistic_is_asked_about(title: str, is_asked: bool) -> None:
    for text in (near(title), f"# UMLS\n\n{md(title, 'Model | MRR', 'A | .5')}"):
        assert tell(text).startswith("?") == is_asked


AGAINST = [
    ("We rank the tail entities.", "tail", "side", "head", "tail"),
    ("Predicting tails:", "tails", "side", "head", "tail"),
    ("It asks (?, r, t)", "t2h", "side", "tail", "head"),
    ("It asks ⟨s, p, ?⟩ of ours", "h2t", "side", "head", "tail"),
    ("Given h2t, we rank", "h2t", "side", "both", "tail"),
    ("Measured on the dev set", "dev", "split", "test", "valid"),
    ("How well they memorise it", "memorise", "split", "test", "train"),
    ("We do it without filtering", "without-filtering", "protocol", "libkge", "raw"),
    ("A sampled evaluation of ours", "sampled", "protocol", "standard", "sampled:50"),
    (
        "It is one among 1,000 random negatives",
        "random-negatives",
        "protocol",
        "sampled:500",
        "sampled:1000",
    ),
    ("Macro means of ours", "macro", "aggregation", "micro", "macro-query"),
    ("Averaged per query", "per-query", "aggregation", "macro-relation", "macro-query"),
    ("Our per-relation means", "per-relation", "aggregation", "macro-query", "macro-relation"),
]


@for_each(("sentence", "word", "field", "other", "own"), AGAINST)
def test_an_option_answers_a_word_and_does_not_overrule_it(
    sentence: str, word: str, field: str, other: str, own: str
) -> None:
    for text in (
        near(sentence, "WN18RR"),
        f'model,dataset,MRR,comment\nA,WN18RR,0.6,"{sentence}"\n',
        {"dataset": "WN18RR", "note": sentence, "mrr": 0.6},
    ):
        assert tell(text) == tell(text, **{field: other}) == f"?{word}"
        assert tell(text, **{field: own}).split()[-1] == own
        plain: Any = (
            {**text, "note": "-"} if isinstance(text, dict) else text.replace(sentence, "-")
        )
        assert tell(text, accept=[word], **{field: other}) == tell(plain, **{field: other})


@for_each(
    ("word", "means"),
    [
        ("h\u0435ad", "head"), ("r\u0430w", "raw"), ("va\u00adlid", "valid"), ("ｖａｌｉｄ", "valid"), ("𝐭𝐚𝐢𝐥", "tail"), ("va\u200blid", "valid"),
    ],
)  # fmt: skip
def test_letters_that_look_like_others_are_these(word: str, means: str) -> None:
    many = [f"m{i} | | 0.5" for i in range(FEW + 1)]
    few = "Model | Note | MRR", f"TransE | {word} | 0.5"
    assert tell(md("UMLS", *few)) == f"umls {means}"
    assert tell(md("UMLS", *few, *many)).startswith(f"umls {means}; umls;")
    names = [f"m{i}" for i in range(FEW + 1)]
    assert tell(row(word, *names)).startswith(f"umls {means}; umls;")
    assert tell(md("UMLS", f"Model | MRR ({word})", "A | 0.5")) == f"umls {means}"


OF_COLUMNS = [
    word.text
    for word in VOCABULARY.lexicon.values()
    if "column" in word.scopes
    and word.field != "metric"
    and word.kind not in {"transductive", "full"}  # which UMLS is
    and word.text not in RANK_TYPES  # no part of an address
]
OF_CANDIDATES = [
    word.text
    for word in VOCABULARY.lexicon.values()
    if word.field == "protocol" and word.says not in {"raw", "standard"} and "text" in word.scopes
]


@for_each("word", OF_COLUMNS)
def test_a_word_alone_above_a_table_is_never_passed_over(word: str) -> None:
    assert tell(near(word.capitalize())) != "umls"


@for_each("word", OF_CANDIDATES)
def test_filtered_does_not_say_which_answers_were_ranked(word: str) -> None:
    assert tell(near(f"With {word} of another kind", heading="Model | filtered MRR")) == f"?{word}"


# -- names of models -------------------------------------------------------------------------------


@for_each("name", ["GraIL", "StarE", "DEKG-ILP", "Nations-tuned", "NBFNet v2", "RE-GCN", "WordNet"])
def test_the_name_of_a_model_declares_nothing_and_is_not_asked_about(name: str) -> None:
    for heading in ("Method", "Approach", "Backbone", ""):
        table = md("Results", f"{heading} | FB15k-237 MRR", f"{name} | 0.3", "TransE | 0.2")
        assert tell(table) == "fb15k237; fb15k237"
    assert tell({"model": name, "dataset": "UMLS", "mrr": 0.3}) == "umls"


@for_each("form", ["{} (WN18RR)", "{} on WN18RR", "{}_WN18RR", "WN18RR {}", "{}-WN18RR"])
def test_the_graph_in_the_name_of_a_model_is_asked_about_where_it_is_another(form: str) -> None:
    rows = "Model | MRR", f"{form.format('RotatE')} | 0.4", "TransE | 0.2"
    table = md("FB15k-237", *rows)
    assert tell(table) == tell(table, dataset="fb15k237") == "?wn18rr; fb15k237"
    assert tell(table, accept=["WN18RR"]) == "fb15k237; fb15k237"
    assert tell(md("WN18RR", *rows)) == "wn18rr; wn18rr"
    assert tell(md("Results", *rows), dataset="wn18rr") == "wn18rr; wn18rr"


def test_a_name_is_screened_in_long_tables_too() -> None:
    many = [f"m{i}" for i in range(FEW + 1)]
    for name, word in (
        ("Ours - RotatE", "-"),
        ("RotatE on v1", "v1"),
        ("A on rarities", "rarities"),
    ):
        assert tell(row(name, *many)).startswith(f"?{word}; umls;")


@for_each(("key", "value"), [("data_split", "random"), ("Evaluation protocol", "own")])
def test_a_value_that_no_field_has_is_never_passed_over(key: str, value: str) -> None:
    assert tell([{"dataset": "UMLS", key: value, "mrr": 0.5}]) != "umls"
    assert tell(f"dataset,{key},MRR\nUMLS,{value},.5\nWN18,,.5\n") == f"{LEFT}; wn18"


# -- counts, questions and answers -----------------------------------------------------------------

COUNTED = [
    ("fb15k237", "num_test", 20466, "fb15k237", ""), ("fb15k237", "num_test", 20438, "?20438", "--protocol pykeen"),
    ("fb15k237", "num_test", 17535, "?17535", "--split valid"), ("fb15k237", "entities", 14541, "fb15k237", ""),
    ("fb15k237", "num_entities", 14505, "?14505", "--protocol pykeen"), ("umls", "n_test", 660, "?660", ""),
    ("wn18rr", "num_entities", "all of them", "wn18rr", ""), ("ogbbiokg", "num_test", 3, "ogbbiokg sampled:500", ""),
]  # fmt: skip


@for_each(("dataset", "key", "count", "expected", "option"), COUNTED)
def test_a_count_that_contradicts_the_ranking_tasks_is_asked_about(
    dataset: str, key: str, count: int | str, expected: str, option: str
) -> None:
    text = f"dataset,{key},MRR\n{dataset},{count},0.5\n"
    assert tell(text) == tell({"dataset": dataset, key: count, "mrr": 0.5}) == expected
    if expected.startswith("?"):
        assert ask(text).option.startswith(option)
        assert tell(text, accept=[str(count)]) == dataset
    if option.startswith("--protocol"):
        assert tell(text, protocol="pykeen") == f"{dataset} pykeen"


def test_a_remedy_says_for_how_many_numbers_it_is() -> None:
    ways = ask("model,dataset,MRR\nA (50 samples),UMLS,0.6\nB,UMLS,0.5\n").remedy.split(", or ")
    assert ways[:2] == [
        'protocol="sampled:M" for all 2 numbers',
        'accept=["samples=sampled:M"] for these',
    ]
    way = ask("dataset,MRR_va\nUMLS,.5\nUMLS,.6\n").remedy
    assert way.startswith('accept=["va=VALUE"] for what it says, such as valid, or ')
    assert "such as head or tail" in ask("dataset,MRR (sub)\nUMLS,.5\n").remedy
    for name in ("MovieLens-1M", "Pinterest", "ML-1M"):
        question = ask(f"dataset,HR@10\n{name},.5\n")
        assert "several" not in question.text
        assert question.remedy.startswith('dataset="ncf_')


def test_a_word_may_be_accepted_as_what_it_says_of_its_numbers_alone() -> None:
    rows = ("A,0.6,50 samples of candidates", "B,0.5,", "C,0.4,left", "D,0.4,its dev")
    text = "model,MRR,note,dataset\n" + "".join(f"{row},UMLS\n" for row in rows)
    accepted = ["samples=sampled:50", "left=tail", "DEV=validation"]
    assert tell(text) == "?samples, candidates; umls; ?left; ?dev"
    assert tell(text, accept=accepted) == "umls sampled:50; umls; umls tail; umls valid"
    adjusted = rankconst.adjust(open_text(text), accept=accepted)
    assert adjusted.assumed["protocol"] == ("standard",)
    assert adjusted.numbers.accepted == ("samples=sampled:50", "left=tail", "dev=validation")
    with pytest.raises(UsageError, match="va=5: expected a split, side, protocol or aggregation"):
        tell("dataset,MRR_va\nUMLS,.5\n", accept=["va=5"])


def published(text: str) -> list[float]:
    """Return the numbers that are adjusted."""
    entries = rankconst.adjust(open_text(text)).numbers.entries
    return [each.published.value for each in entries if each.published]


def test_which_numbers_of_a_file_are_read() -> None:
    for others in ("3384", '"3,384"'):
        reading = open_text(f"dataset,MR,MRR\nWN18RR,{others},0.226\nWN18RR,3.340,0.476\n")
        assert [each.what for each in reading.skipped if "thousands" in each.reason][-1] == "3.340"
        assert "3.340" not in [entry.text for entry in reading.entries]
    points = "dataset;MRR;MR\nFB15k-237;0,338;1.770,5\nWN18RR;0,476;3.340\n"
    assert published(points) == [0.338, 1770.5, 0.476, 3340]
    assert published("dataset,MRR,Hits@10\n,(%),(%)\nCN-82K,0.9,2.5\n") == [0.009, 0.025]
    assert published(md("UMLS", "Model | Hits@N (%) | ", " | N=1 | N=3", "A | 60 | 70")) == [
        0.6,
        0.7,
    ]
    for heading in ("MRR rank", "MRR (epoch)", "MRR loss"):
        text = f"model,dataset,MRR,{heading}\nA,UMLS,0.338,2\nB,UMLS,0.31,3\n"
        assert published(text) == [0.338, 0.31]
    for switch, value in (("false", 0.3), ("true", 0.2)):  # the branch that is not set is hidden
        rows = r"\ifold TransE & 0.2 \\ \else TransE & 0.3 \\ \fi"
        table = rf"\begin{{tabular}}{{lr}} Model & FB15k-237 MRR \\ {rows} \end{{tabular}}"
        assert published(rf"\newif\ifold \old{switch} {table}") == [value]
    reading = open_text("dataset,Hist@1,HITS\\@3,MRR\nUMLS,0.3,0.35,0.4\n")
    assert [each.what for each in reading.skipped] == ["Hist@1"]
    assert [entry.metric.label for entry in reading.entries] == ["Hits@3", "MRR"]


@for_each(
    ("name", "text"),
    [
        ("a.csv", "model,MRR,filtered MRR\nA,.2,.3\nB,.25,\n"),
        ("a.jsonl", '{"m": {"mrr": 0.2, "filtered": {"mrr": 0.3}}}\n{"m": {"mrr": 0.25}}\n'),
        ("a.log", "MRR: 0.2, filtered MRR: 0.3\ndone\nMRR: 0.25\n"),
    ],
)
def test_a_metric_that_comes_again_as_filtered_is_asked_about_everywhere(
    name: str, text: str
) -> None:
    contexts = [entry.context for entry in read_document(name, text).entries]
    asked = [any(ask.option == "--protocol raw" for ask in each.questions) for each in contexts]
    assert asked == [True, False, True]


# -- labels ----------------------------------------------------------------------------------------


@for_each(
    ("graph", "metric", "label"),
    [
        ("WN18RR", "MRR", "MRR"), ("FB15k-237", "Hits@10", "Hits@10"), ("CoDEx-M", "H@1", "Hits@1"), ("wn18rr", "mr", "MR"),
        ("WN18RR", "MRR-test", "MRR"), ("WN18RR", "valid-MRR", "MRR"), ("UMLS", "nDCG", "nDCG"), ("WN18RR-few", "MRR", "MRR"),
    ],
)  # fmt: skip
def test_what_joins_a_graph_to_a_metric_changes_neither(
    graph: str, metric: str, label: str
) -> None:
    for joint in (" ", "-", "_", ".", "\u2013", "/", " - "):
        for parts in ([graph, metric], [metric, graph]):
            found = read_label(joint.join(parts))
            assert found.metric is not None
            assert (found.metric.label, found.graphs) == (label, (graph,))


def test_what_is_in_percent_is_a_unit_and_no_part() -> None:
    assert "percent" not in {word.text for word in read_label("All numbers are in percent").words}
    assert "percent" in {word.text for word in read_label("On ten percent of the triples").words}
    assert read_label("MRR (in percent)").percent
    assert read_label("MRR [percent]").percent
