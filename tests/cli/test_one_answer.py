"""One answer at every door: what Python prints is what the screen prints."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import rankconst
from cases import THOROUGH
from rankconst.catalogue.metrics import parse_metric

if TYPE_CHECKING:
    from cli.conftest import Run, Write

DATASETS = [
    "nations",
    "umls",
    "kinships",
    "fb15k237",
    "wn18rr",
    "codexsmall",
    "nell_v1_ind",
    "ilpc2022small",
]
METRICS = ["mrr", "mr", "hits@1", "hits@10", "igmr"]
OPTIONS: list[dict[str, Any]] = [
    {},
    {"split": "valid"},
    {"side": "head"},
    {"protocol": "raw"},
    {"tool": "pykeen"},
    {"baseline": "frequency"},
]


def test_python_prints_the_answer(run: Run) -> None:
    adjusted = rankconst.adjust("0.975", metric="hits@10", dataset="nations", tool="pykeen")
    screen = run(
        "adjust", "0.975", "--metric", "hits@10", "--dataset", "nations", "--tool", "pykeen"
    ).out
    assert str(adjusted) == screen.replace("More: --details. ", "").rstrip()
    assert adjusted.sentence in screen


def test_python_and_the_screen_agree_on_seeded_cases(run: Run) -> None:
    draw = random.Random(53)  # noqa: S311 - a seed, no secret
    for _ in range(300 if THOROUGH else 30):
        dataset, metric, options = draw.choice(DATASETS), draw.choice(METRICS), draw.choice(OPTIONS)
        ranks = parse_metric(metric).lower >= 1
        value = f"{draw.uniform(2, 7):.1f}" if ranks else f"{draw.uniform(0.2, 0.99):.3f}"
        arguments = [f"--{name}={each}" for name, each in options.items()]
        screen = run("adjust", value, "-m", metric, "-d", dataset, *arguments).out
        adjusted = rankconst.adjust(value, metric=metric, dataset=dataset, **options)
        assert str(adjusted) == screen.replace("More: --details. ", "").rstrip(), (
            value,
            dataset,
            metric,
            options,
        )


def test_a_file_prints_as_its_screen_does(run: Run, write: Write) -> None:
    path = write(
        "model,dataset,MRR,Hits@10\nTransE,Nations,0.403,0.975\nTuckER,FB15k-237,0.347,0.528\n"
    )
    adjusted = rankconst.adjust(path, tool="pykeen")
    screen = run("adjust", path, "--tool", "pykeen").out.rstrip()
    assert str(adjusted) == screen.replace("More: --details.", "More: details=True.")
    assert adjusted.sentence in screen
    public = [name for name in dir(adjusted) if not name.startswith("_")]
    assert len(public) < 10
