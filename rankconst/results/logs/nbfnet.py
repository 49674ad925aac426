"""The logs of NBFNet, on TorchDrug or PyTorch Geometric: ``mrr: 0.415`` below a heading.

Values are printed to six significant digits without trailing zeros, which are restored. The step is
the epoch in the name of the evaluated checkpoint.
"""

from __future__ import annotations

from functools import partial

from rankconst.results.logs.lines import VALUE, LogFormat, pad_digits, rule

_SPLIT = rule(r"\bEvaluate on (?P<split>train|valid|test)\s*$", "Evaluate on ")
_ESTIMATED = (
    "it is estimated from the rank among all candidates, as if some were drawn: "
    "its law under chance is neither that of the full rank "
    "nor that of a rank among sampled candidates"
)
_CARDINALITY = (
    "it is the MRR of the relations of one cardinality; "
    "rankconst.from_counts takes their candidates"
)


READER = LogFormat(
    key="nbfnet",
    tool="nbfnet",
    values=rule(
        r"(?:^|\s)(?P<name>mrr|mr|hits@\d{1,9}(?:_\d{1,9})?|[1n]-to-[1n](?: head| tail)?)"
        r"(?:-(?P<side>head|tail))?:" + VALUE,
        *("mr: ", "mrr", "mr-", "hits@", "-to-"),
    ),
    headings=(
        rule(r"'dataset': \{'class': '(?P<dataset>[\w-]{1,100})'", "'dataset': {"),
        _SPLIT,
        rule(r"\bmodel_epoch_(?P<step>\d{1,12})\.pth", "model_epoch_"),
    ),
    sign=_SPLIT,
    sides={None: "both", "head": "head", "tail": "tail"},
    refused={"_": _ESTIMATED, "-to-": _CARDINALITY},
    restore=partial(pad_digits, digits=6),
).reader
