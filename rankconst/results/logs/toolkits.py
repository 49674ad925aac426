"""Describe the logs of each tool: what their lines look like, and what they mean."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from rankconst.catalogue.protocols import SPLITS, parse_split
from rankconst.evaluation import Question
from rankconst.results.logs.lines import (
    VALUE,
    LogFormat,
    LogNumber,
    pad_decimals,
    pad_digits,
    rule,
    strip_colours,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankconst.results.document import Document


# RotatE and HAKE.


def _identify(number: LogNumber) -> tuple[object, ...]:
    """Return what a metric is printed once for: its heading, split, name, step and dataset."""
    fields = number.fields
    return number.heading, fields["split"], number.name, fields["step"], fields.get("dataset")


def _settle_repeated(numbers: list[LogNumber]) -> list[LogNumber]:
    """Correct the split of numbers on train, and ask about numbers that may be of a part.

    Forks print numbers of parts, such as one kind of relations, like those of the whole. More words
    in the heading, or the same metric again at one step, tell a part.
    """
    counts = Counter(_identify(number) for number in numbers)
    settled = []
    for number in numbers:
        fields, questions = number.fields, number.questions
        more = (fields.get("more") or "").strip(" .=-")
        if more:
            questions += (Question("part", more, more.lower(), "a line above"),)

        step = fields["step"]
        if number.heading and step and counts[_identify(number)] > 1:
            text = f"{number.name} again at step {step}"
            questions += (Question("part", text, step, "its line"),)

        settled.append(replace(number, questions=questions))
        # They are printed as those of test; only the heading above says Training.
        if fields["split"] == "test" and fields.get("evaluated") == "Training":
            settled[-1] = settled[-1].say(split="train")

    return settled


ROTATE = LogFormat(
    key="rotate",
    tool="rotate",
    values=rule(
        r"\b(?P<split>Test|Valid) (?P<name>[^|\"]{1,40}?)(?:_list)? at step (?P<step>\d{1,12}):"
        + VALUE,
        *("Test ", "Valid "),
    ),
    headings=(
        rule(
            r"Evaluating on (?P<evaluated>Training|Valid|Test) Dataset(?P<more>.{0,200})",
            "Evaluating on ",
        ),
        rule(r"\bModel: (?P<model>\S{1,100})\s*$", "Model: "),
        *(
            rule(rf": (?P<{split}_triples>\d{{1,12}})\s*$", f"#{split}: ", f"Num {split.title()}: ")
            for split in SPLITS
        ),
    ),
    sign=rule(
        r"\b(?:Test|Valid) (?:MRR|MR|HITS@\d{1,9}|auc_pr|(?:mrr|hits@\d{1,9})_list) at step \d+:",
        "Test ",
        "Valid ",
    ),
    decimals=6,
    refine=_settle_repeated,
).reader
"""The logs of RotatE and HAKE.

``2020-01-01 00:00:00 INFO     Test MRR at step 99999: 0.337000``, six decimals, both sides pooled.
With ``--evaluate_train`` the results on train are printed as ``Test``: only the line above says so.
"""


# OpenKE.

_CONSTRAINED = (
    "under the type constraint only entities of the relation's type are ranked; "
    "rankconst.from_counts takes the counts of such candidates"
)
_RELATION_TABLE = (
    "a table without l and r lines is of relation prediction: adjust its values one by one with "
    "--side relation"
)


def _refuse_other_candidates(numbers: list[LogNumber]) -> list[LogNumber]:
    """Give a reason to numbers of relation prediction, and to those under the type constraint.

    A heading without numbers of a side is of relation prediction. The field `constraint` is empty
    under the constraint, and "no " without it.
    """
    headings_with_sides = {number.heading for number in numbers if number.fields["side"] != "both"}
    judged = []
    for number in numbers:
        reason = number.reason
        if not reason and number.fields.get("constraint") == "":
            reason = _CONSTRAINED
        elif not reason and number.heading not in headings_with_sides:
            reason = _RELATION_TABLE
        judged.append(replace(number, reason=reason))

    return judged


OPENKE = LogFormat(
    key="openke",
    tool="openke",
    values=rule(
        (
            r"(?:^|[\s#])(?P<side>l|r|averaged)\((?P<protocol>raw|filter)\):"
            r"(?P<values>(?:[ \t]+[^\s|]+)*)"
        ),
        *("(raw)", "(filter)"),
    ),
    headings=(
        rule("(?P<constraint>(?:no )?)type constraint results:", "type constraint results:"),
        rule(r"^[\s#>]*metric:?[ \t](?P<names>.*\b(?:MRR|MR|hit@\d{1,9})\b.*)", "metric"),
        rule(r"Input Files Path : (?P<dataset>\S{1,300})", "Files Path : "),
        rule(
            r"The total of test triples is (?P<test_triples>\d{1,12})",
            "The total of test triples is ",
        ),
    ),
    tests=True,
    decimals=6,
    sides={"l": "head", "r": "tail", "averaged": "both"},
    protocols={"raw": "raw", "filter": None},
    refine=_refuse_other_candidates,
).reader
"""The output of OpenKE: a table of both sides and their mean.

``l`` predicts heads, ``r`` tails. Its ``type constraint results`` rank among fewer candidates, and
relation prediction prints a similar table without ``l`` and ``r``, which may as well have been cut
off: neither is adjusted. Sums are kept in 32 bits, so the last of the six decimals of a mean rank
are uncertain.
"""

OPENKE_TORCH = LogFormat(
    key="openke_torch",
    values=rule(
        r"\bINFO:(?:Trainer|Tester):[\d :.-]{8,30}:(?P<name>(?:mrr|mr|hits@\d{1,9})(?:_type)?):"
        + VALUE,
        *("INFO:Trainer:", "INFO:Tester:"),
    ),
    headings=(
        rule(
            r"(?:Epoch (?P<step>\d{1,12}) \| )?The model starts evaluati(?:on on|ng in) the "
            r"(?P<split>validation|test) set",
            " starts evaluati",
        ),
    ),
    refused={"_type": _CONSTRAINED},
).reader
"""The logs of pybind11-OpenKE, a successor of OpenKE.

``INFO:Trainer:2024-05-19 16:26:31:mrr: 0.378``: all splits are filtered, both sides pooled. Names
that end in ``_type`` rank the entities of the relation's type only.
"""


# DGL-KE.

_PART_OF_TRIPLES = (
    "a process evaluates a part of the triples, and the mean over the processes is not printed for "
    "this split; evaluate with --num_proc 1, or take the lines below 'Test result'"
)


def _refuse_parts(numbers: list[LogNumber]) -> list[LogNumber]:
    """Give a reason to numbers of one process among several, and set protocols."""
    # Processes are counted from 0: any other number means that there are several. A number of all
    # processes has no field `process`.
    divided = {each.fields["split"] for each in numbers if each.fields.get("process", "0") != "0"}
    judged = []
    for number in numbers:
        fields, protocol = number.fields, None  # of the command above
        if fields.get("unfiltered"):
            protocol = "raw"
        if fields.get("negatives"):
            protocol = f"sampled:{fields['negatives']}"
        is_part = fields["split"] in divided and "process" in fields
        reason = _PART_OF_TRIPLES if is_part else number.reason
        judged.append(replace(number.say(protocol=protocol), reason=reason))

    return judged


DGLKE = LogFormat(
    key="dglke",
    tool="dglke",
    values=rule(
        r"(?:\[(?:proc )?(?P<process>\d{1,6})\]|(?<![\w\]]))(?P<split>Test|Valid) average "
        r"(?P<name>MRR|MR|HITS@\d{1,9})(?: at \[(?P<step>\d{1,12})/\d+\])? ?:" + VALUE,
        *("Test average ", "Valid average "),
    ),
    headings=(
        rule(r"\[Train\]\((?P<step>\d{1,12})/\d", "[Train]("),
        # A script keeps the output below its commands, whose options may take several lines.
        rule(
            r"(?:--model_name (?P<model>\S{1,100}) )?--dataset ",
            "--dataset ",
            negatives="",
            unfiltered="",
        ),
        rule(r"--neg_sample_size_eval (?P<negatives>\d{1,9})", "--neg_sample_size_eval "),
        rule("(?P<unfiltered>--no_eval_filter)", "--no_eval_filter"),
    ),
    exact=True,
    refine=_refuse_parts,
).reader
"""The output of DGL-KE: ``Test average MRR : 0.67``, or ``[0]Test average MR: 47.3``.

The first is of all processes. The second is of one, which evaluates a part of the triples if there
are several. Older versions print the step behind the name: ``Test average MR at [9999/10000]: 48``.
"""


# TorchKGE.


def _restore_print(numbers: list[LogNumber]) -> list[LogNumber]:
    """Restore trailing zeros, and the interval of a mean rank that was cut to a whole number.

    Hits@10 of 0.5 in a print with an MRR of 0.312 was 0.500. A mean rank of 400 was from 400 to
    401, and becomes 400.5 ± 0.45.
    """
    # A print ends with the line of its MRR.
    ends = sorted({number.line for number in numbers if number.name == "MRR"})
    print_of = [bisect_left(ends, number.line) for number in numbers]  # the index of its print
    decimals = dict.fromkeys(print_of, 0)
    for place, number in zip(print_of, numbers, strict=True):
        fraction = number.text.partition(".")[2]
        if number.name != "Mean Rank" and fraction.isdecimal():
            decimals[place] = max(decimals[place], len(fraction))

    restored = []
    for place, number in zip(print_of, numbers, strict=True):
        text = pad_decimals(number.text, decimals[place])
        if number.name == "Mean Rank":
            # 400.5 already stands for 400.45 to 400.55; ± 0.45 makes that 400 to 401.
            text = f"{number.text}.5 ± 0.45" if number.text.isdecimal() else ""
        restored.append(replace(number, restored=text))

    return restored


TORCHKGE = LogFormat(
    key="torchkge",
    tool="torchkge",
    values=rule(
        r"(?:^|\s)(?P<protocol>Filt\. )?(?P<name>Hit@\d{1,9}|Mean Rank|MRR) :" + VALUE,
        "Hit@",
        "Mean Rank",
        "MRR",
    ),
    sign=rule(r"(?:^|\s)Filt\. (?:Hit@\d{1,9}|Mean Rank|MRR) : ", "Filt. "),
    tests=True,
    sides={None: None},  # it prints the same of relations
    protocols={None: "raw", "Filt. ": None},
    refine=_restore_print,
).reader
"""The output of TorchKGE's ``print_results``: raw and filtered values on one line.

Hits and MRR of one print are rounded to the same number of decimals, without trailing zeros: these
are restored as far as a neighbour shows them. The mean rank is cut to a whole number, so 400 means
400 to 401.
"""


# NBFNet.

_NBFNET_SPLIT = rule(r"\bEvaluate on (?P<split>train|valid|test)\s*$", "Evaluate on ")
_ESTIMATED = (
    "it is estimated from the rank among all candidates, as if some were drawn: "
    "its distribution under chance is neither that of the full rank "
    "nor that of a rank among sampled candidates"
)
_CARDINALITY = (
    "it is the MRR of the relations of one cardinality; "
    "rankconst.from_counts takes their candidates"
)

NBFNET = LogFormat(
    key="nbfnet",
    tool="nbfnet",
    values=rule(
        # Behind a time; "1p mrr" is of queries.
        r"(?:^|(?<![a-z\]])\s)"
        r"(?P<name>mrr|mr|hits@\d{1,9}(?:_\d{1,9})?|[1n]-to-[1n](?: head| tail)?)"
        r"(?:-(?P<side>head|tail))?:" + VALUE,
        *("mr: ", "mrr", "mr-", "hits@", "-to-"),
    ),
    headings=(
        rule(r"'dataset': \{'class': '(?P<dataset>[\w-]{1,100})'", "'dataset': {"),
        rule(r"\s(?P<dataset>[A-Z]\w*[A-Z\d]\S{0,100}) dataset\s*$", " dataset"),
        rule(r"#valid: (?P<valid_triples>\d{1,12}), #test: (?P<test_triples>\d{1,12})", "#valid: "),
        rule(r"\bFast evaluation on (?P<valid_triples>\d{1,12}) samples", "Fast evaluation on "),
        _NBFNET_SPLIT,
        rule(r"\bmodel_epoch_(?P<step>\d{1,12})\.pth", "model_epoch_"),
        # TRIX ranks relations, too, and removes no known ones.
        rule(r"\brun_relation\w*\.(?:py|yaml)\b", "run_relation", side="relation", protocol="raw"),
        rule(r"\brun_entity\w*\.(?:py|yaml)\b", "run_entity", side="entity", protocol=""),
    ),
    sign=_NBFNET_SPLIT,
    sides={None: "both", "entity": "both"} | {side: side for side in ("head", "tail", "relation")},
    protocols={"raw": "raw"},
    refused={"_": _ESTIMATED, "-to-": _CARDINALITY},
    restore=partial(pad_digits, digits=6),
).reader
"""The logs of NBFNet, on TorchDrug or PyTorch Geometric: ``mrr: 0.415`` below a heading.

Values are printed to six significant digits without trailing zeros, which are restored. The step is
the epoch in the name of the evaluated checkpoint.
"""


# GraIL.

GRAIL = LogFormat(
    key="grail",
    tool="grail",
    values=rule(
        r"(?:^|\s)(?P<names>MRR(?: \| Hits@\d{1,9}){1,9}) :"
        r"(?P<values>(?: [^\s|]+ \|){0,9}(?: [^\s|]+)?)\s*$",
        "MRR | Hits@",
    ),
    # Other modes rank other candidates.
    sign=rule(r"^mode: sample\s*$", "mode: sample"),
    tests=True,
    exact=True,
).reader
"""The logs of GraIL and of what derives from it: a line has names, and then their values."""


# SimKGC.

SIMKGC = LogFormat(
    key="simkgc",
    tool="simkgc",
    values=rule(
        r"\b(?P<side>forward|backward|average|Averaged) metrics: (?P<pairs>\{.*)", " metrics: {"
    ),
    sign=rule(r"\b(?:forward|backward) metrics: \{[\"']mean_rank[\"']: ", " metrics: {"),
    in_json=True,
    sides={"forward": "tail", "backward": "head", "average": "both", "Averaged": "both"},
    restore=partial(pad_decimals, decimals=4),
).reader
"""The evaluation logs of SimKGC: ``forward metrics: {"mrr": 0.4251, ...}``.

There is a line for each side, and one for their mean. Forward ranks tails, backward heads. Values
are rounded to four decimals, without zeros at their end. Only the name of the file may tell the
split (evaluate.py).
"""


# PyTorch Geometric.

PYG = LogFormat(
    key="pyg",
    tool="pyg",
    values=rule(
        r"(?:^|[\s,])(?P<split>Val|Test) (?P<name>Mean Rank|MRR|Hits@\d{1,9}):"
        + VALUE.replace(r"(?!\S)", r"(?=[\s,]|$)"),
        *("Mean Rank:", "MRR:", "Hits@"),
    ),
    headings=(rule(r"(?:^|\s)Epoch: (?P<step>\d{1,12}), ", "Epoch: "),),
    sign=rule(r"(?:^|[\s,])(?:Val|Test) Mean Rank: \d", "Mean Rank: "),
    sides={None: "tail"},
    protocols={None: "raw"},
).reader
"""The output of PyTorch Geometric's KGE examples: ``Val Mean Rank: 200.25, Val MRR: 0.25``.

KGEModel.test ranks tails only, removes no known answers and counts ranks from 0
(examples/kge_fb15k_237.py), which the catalogue of tools knows.
"""


# kbc.

_KBC_NAMES = ("MRR", "Hits@1", "Hits@3", "Hits@10")
_KBC_SIDES = {"lhs": "head", "rhs": "tail"}
_SAMPLED_TRAIN = "kbc evaluates 50,000 random triples of train"
_KBC_MRR = re.compile(r"'(MRR|lhs|rhs)': ([\d.e+-]+)", re.ASCII)
_KBC_HITS = re.compile(r"'(hits@\[1,3,10\]|lhs|rhs)': tensor\(\[([^\]\n]{1,200})\]", re.ASCII)


def _scan_dicts(document: Document, log: LogFormat) -> Iterator[LogNumber]:
    """Yield the numbers of the dicts that kbc prints, of each side, or of both without sides."""
    for line, text in enumerate(strip_colours(document.text).split("\n"), 1):
        match = log.values.pattern.match(text)
        if match is None:
            continue
        split = parse_split(match["split"].lower())
        values = {side: [value] for side, value in _KBC_MRR.findall(match["dicts"])}
        for key, hits in _KBC_HITS.findall(match["dicts"]):
            side = key if key in _KBC_SIDES else "MRR"  # where the MRR of both sides is
            values.setdefault(side, []).extend(hits.replace(" ", "").split(","))

        for side, numbers in values.items():
            fields = {"split": split, "side": _KBC_SIDES.get(side, "both")}
            for name, value in zip(_KBC_NAMES, numbers, strict=False):
                yield LogNumber(
                    line=line,
                    heading=line,
                    name=name,
                    text=value,
                    fields=fields,
                    reason=_SAMPLED_TRAIN if split == "train" else "",
                )


KBC = LogFormat(
    key="kbc",
    tool="kbc",
    values=rule(
        r"^\s*(?P<split>TRAIN|VALID|TEST)\s?: +(?=\(?\{'(?:MRR|rhs|lhs)': )(?P<dicts>.{1,2000})",
        *("'MRR': ", "'rhs': "),
    ),
    scan=_scan_dicts,
).reader
"""The output of kbc: ``VALID : {'MRR': 0.286, 'hits@[1,3,10]': tensor([0.2089, 0.3107, 0.4430])}``.

The last line, ``TEST :  ({'rhs': 0.380, 'lhs': 0.183}, {'rhs': tensor([...]), 'lhs':
tensor([...])})``, has MRR and then the hits of each side: rhs ranks tails, lhs heads. TRAIN is of
50,000 random triples.
"""


# ConvE and TuckER.

_WHICH_SIDES = "left and right are head and tail in some tools, tail and head in others"


def _find_conve(numbers: list[LogNumber]) -> list[LogNumber]:
    """Set the tool of ConvE's numbers, and give a reason to other tools' numbers of a side."""
    if not any(number.fields["side"] for number in numbers):
        return numbers

    tools = {number.fields.get("tool") for number in numbers}
    if "conve" in tools or any("unfilled" in number.fields for number in numbers):
        return [number.say(tool=number.fields.get("tool") or "conve") for number in numbers]

    judged = []
    for number in numbers:
        reason = _WHICH_SIDES if number.fields["side"] else number.reason
        judged.append(replace(number, reason=reason))

    return judged


CONVE = LogFormat(
    key="conve",
    values=rule(
        r"(?:^|\s)(?P<name>Hits(?=[ a-z]* @)|Mean rank|Mean reciprocal rank)"
        r"(?: (?P<side>left|right))?(?: @(?P<k>\d{1,9}))?:(?P<unfilled> \{0\})?" + VALUE,
        *("Hits ", "Mean r"),
    ),
    headings=(
        rule(r"(?:^|\s)(?P<split>dev|test)_evaluation\s*$", "_evaluation", tool="conve"),
        rule(r"COMPLETED EPOCH: (?P<step>\d{1,12})", "COMPLETED EPOCH"),
        rule(r"^(?P<split>Validation|Test):\s*$", "Validation:", "Test:", tool="tucker"),
        rule(r"^Number of data points: (?P<num_tasks>\d{1,12})\s*$", "Number of data points: "),
        rule(r"\bEvaluated (?P<num_tasks>\d{1,12})(?: samples\.)?\s*$", "Evaluated "),
    ),
    sign=rule(r"(?:^|\s)Hits (?:left |right )?@\d{1,9}: ", "Hits "),
    exact=True,
    sides={None: None, "left": "tail", "right": "head"},
    refine=_find_conve,
).reader
"""The output of ConvE and TuckER, and of tools made after them.

ConvE's ``left`` predicts tails, ``right`` heads (``evaluation.py``: the first prediction ranks the
tail entity ``e2`` and is counted as left); in KG-BERT, which prints the same lines, ``left`` is
where heads are corrupted. ConvE's ``Mean rank: {0} 188.8`` comes from a message that was never
filled in. TuckER counts the triples of both directions.
"""
