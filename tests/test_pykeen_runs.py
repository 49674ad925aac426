"""PyKEEN really run: whatever was evaluated on Nations, what it adjusts itself comes out again, without an option.

PyKEEN and torch are large and no dependency. RANKCONST_PYKEEN names a Python that has them; without
it, this one is asked.
"""

from __future__ import annotations

import importlib.util
import json
import math
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

import rankconst
from rankconst.catalogue.metrics import parse_metric
from rankconst.errors import DataError

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow

_RUN = """
import json, pathlib, sys
import torch
from pykeen.datasets import Nations
from pykeen.evaluation import MacroRankBasedEvaluator, RankBasedEvaluator, SampledRankBasedEvaluator
from pykeen.models import TransE

class Unfiltered(RankBasedEvaluator):
    def __init__(self):
        super().__init__(filtered=False)

    def process_scores_(self, hrt_batch, target, scores, true_scores=None, dense_positive_mask=None):
        # 1.11.1 leaves the true scores out where nothing is filtered, and then asks for them.
        column = {"head": 0, "relation": 1, "tail": 2}[target]
        true = scores[torch.arange(len(scores)), hrt_batch[:, column]].unsqueeze(-1)
        super().process_scores_(hrt_batch, target, scores, true, dense_positive_mask)

out, data = pathlib.Path(sys.argv[1]), Nations()
torch.manual_seed(0)
model = TransE(triples_factory=data.training, embedding_dim=8, random_seed=0)
train, valid, test = (part.mapped_triples for part in (data.training, data.validation, data.testing))

def pick(*relations):
    return test[torch.isin(test[:, 1], torch.tensor([data.relation_to_id[name] for name in relations]))]

sampled = SampledRankBasedEvaluator(
    evaluation_factory=data.testing, additional_filter_triples=[train, valid], num_negatives=5
)
for name, evaluator, triples, known, more in (
    ("filtered", RankBasedEvaluator(), test, [train, valid], {}),
    ("valid", RankBasedEvaluator(), valid, [train], {}),
    ("raw", Unfiltered(), test, None, {}),
    ("macro", MacroRankBasedEvaluator(), test, [train, valid], {}),
    ("tail", RankBasedEvaluator(), test, [train, valid], {"targets": ["tail"]}),
    ("sampled", sampled, test, [train, valid], {}),
    ("one relation", RankBasedEvaluator(), pick("embassy"), [train, valid, test], {}),
    ("two relations", RankBasedEvaluator(), pick("embassy", "treaties"), [train, valid], {}),
    ("without valid", RankBasedEvaluator(), test, [train], {}),
):
    found = evaluator.evaluate(model, triples, additional_filter_triples=known, use_tqdm=False, batch_size=32, **more)
    (out / f"{name}.json").write_text(json.dumps({"metrics": found.to_dict()}))
    found.to_df().to_csv(out / f"{name}.csv", index=False)
"""

_EXPECTED = {
    "filtered": "nations/test/{}/pykeen",
    "valid": "nations/valid/{}/pykeen",
    "raw": "nations/test/{}/raw",
    "macro": "nations/test/{}/pykeen/macro-query",
    "tail": "nations/test/tail/pykeen",
    "sampled": "",
    "one relation": "nations/test/{}/pykeen (embassy)",
    "two relations": "nations/test/{}/pykeen (embassy, treaties)",
}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with PyKEEN's results."""
    python = os.environ.get("RANKCONST_PYKEEN") or (
        sys.executable if importlib.util.find_spec("pykeen") else None
    )
    if python is None:
        pytest.skip("PyKEEN is not installed; RANKCONST_PYKEEN may name a Python that has it")
    folder = tmp_path_factory.mktemp("pykeen")
    done = subprocess.run(
        [python, "-c", _RUN, str(folder)], capture_output=True, text=True, check=False, timeout=600
    )
    assert done.returncode == 0, done.stderr[-300:]
    return folder


@pytest.mark.parametrize("ending", ["json", "csv"])
@pytest.mark.parametrize("name", _EXPECTED)
def test_what_pykeen_adjusts_comes_out_again(runs: Path, name: str, ending: str) -> None:
    path = runs / f"{name}.{ending}"
    adjusted = rankconst.adjust(path)
    own = {
        (entry.metric, entry.context.side, entry.context.rank_type, entry.adjustment): float(
            entry.text
        )
        for entry in rankconst.read(path).entries
        if entry.adjustment is not None
    }
    compared = 0
    for each in adjusted.entries:
        metric, context = each.entry.metric, each.entry.context
        if each.adjusted is None:
            continue
        assert each.constants is not None
        if _EXPECTED[name]:
            side = next(
                e.context.side for e in rankconst.read(path).entries if e.row == each.entry.row
            )
            assert str(each.constants.tasks) == _EXPECTED[name].format(side)
        for form in ("normalised", "index", "z"):
            theirs = own.get((metric, context.side, context.rank_type, form))
            ours = getattr(each.adjusted, form)
            # Optimistic and pessimistic means are formed with 32 bits; the variance of GMR loses
            # digits.
            if (
                theirs is None
                or ours is None
                or context.rank_type != "realistic"
                or metric.exponent == 0
            ):
                continue
            assert math.isclose(ours, theirs, rel_tol=1e-9, abs_tol=1e-9)
            compared += 1
    assert compared >= (5 if name != "tail" else 3)
    assert not [each for each in rankconst.check(path).findings if each.rule == "adjusted-mismatch"]


@pytest.mark.parametrize("dataset", [None, "nations"])
def test_what_no_table_holds_is_refused(runs: Path, dataset: str | None) -> None:
    """Of tasks filtered by train and test, the tables hold nothing."""
    with pytest.raises(DataError, match="fit no ranking tasks in the tables"):
        rankconst.adjust(runs / "without valid.json", dataset=dataset)


def test_sampled_ranks_are_counted(runs: Path) -> None:
    """Six candidates a task: E[MR] is 3.5, whatever the graph."""
    (whole,) = {
        each.constants.expectation
        for each in rankconst.adjust(runs / "sampled.json", metric="mr").entries
        if each.constants and each.constants.metric == parse_metric("mr")
    }
    assert whole == 3.5
    assert (
        json.loads((runs / "sampled.json").read_text())["metrics"]["both"]["realistic"]["count"]
        == 402
    )
