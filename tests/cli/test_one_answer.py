"""One answer at every door: what Python prints is what the screen prints, and CSV holds what JSON
holds.
"""

import random
import re
from html import unescape
from typing import Any

import rankconst
from cases import THOROUGH
from cli.conftest import Run, Write
from rankconst.catalogue.metrics import parse_metric
from rankconst.errors import DataError

DATASETS = [
    "nations", "umls", "kinships", "fb15k237", "wn18rr", "codexsmall", "nell_v1_ind", "ilpc2022small",
]  # fmt: skip
METRICS = ["mrr", "mr", "hits@1", "hits@10", "igmr"]
OPTIONS: list[dict[str, Any]] = [
    {}, {"split": "valid"}, {"side": "head"}, {"protocol": "raw"}, {"tool": "pykeen"}, {"baseline": "frequency"},
]  # fmt: skip


def test_python_and_the_screen_agree_on_seeded_cases(run: Run) -> None:
    draw = random.Random(53)  # noqa: S311 - a seed, no secret
    for _ in range(300 if THOROUGH else 30):
        dataset, metric, options = draw.choice(DATASETS), draw.choice(METRICS), draw.choice(OPTIONS)
        ranks = parse_metric(metric).lower >= 1
        value = f"{draw.uniform(2, 7):.1f}" if ranks else f"{draw.uniform(0.2, 0.99):.3f}"
        arguments = [f"--{name}={each}" for name, each in options.items()]
        done = run("adjust", value, "-m", metric, "-d", dataset, *arguments)
        screen = done.out
        try:
            adjusted = rankconst.adjust(value, metric=metric, dataset=dataset, **options)
        except DataError as error:  # some values are impossible
            assert (screen, done.message) == ("", f"error: {error}")
            continue
        assert str(adjusted) == screen.replace("More: --details. ", "").rstrip(), (
            value, dataset, metric, options,
        )  # fmt: skip
        assert adjusted.sentence in screen


TASKS = ("dataset", "protocol", "split", "side", "aggregation", "relations", "metric", "baseline")
RANKERS = ("expectation", "counting")


def test_csv_equals_json(run: Run) -> None:
    args = ("adjust", 0.9, 0.953, "-d", "nations", "-d", "umls", "-m", "hits@10")
    records, rows, brief = (
        run(*args, "--json").records,
        *(run(*args, *more, "-f", "csv").rows for more in (["--details"], [])),
    )
    assert len(rows) == len(brief) == len(records) == 4
    assert [*brief[0]] == [*TASKS, "value", "index", *RANKERS, "table_version"]
    for row, few, record in zip(rows, brief, records, strict=True):
        assert [*row, "assumed", "meaning"] == list(record)
        assert few.items() <= row.items()
        for field, value in ((field, record[field]) for field in row):
            assert row[field] == ("; ".join(value) if isinstance(value, list) else str(value))
            if isinstance(value, float):
                assert float(row[field]) == value


def make_table(draw: random.Random) -> str:
    """Return a table of some models as CSV; now and then a number is impossible."""
    dataset, rows = draw.choice(DATASETS), ["model,dataset,MRR,Hits@1,Hits@10"]
    for model in "ABCD"[: draw.randint(2, 4)]:
        slips = model in "CD"  # two are left to be compared
        least = draw.uniform(0.5, 0.7)
        most = draw.uniform(0.85, 0.99)
        mean = least if slips and draw.random() < 0.2 else least + 0.3 * (most - least)
        first = most if slips and draw.random() < 0.2 else least
        rows.append(f"{model},{dataset},{mean:.3f},{first:.3f},{most:.3f}")
    return "\n".join(rows) + "\n"


def as_python(screen: str) -> str:
    """Return what a screen says, as Python names what has more."""
    return screen.rstrip().replace("More: --details.", "More: details=True.")


def read_html(page: str) -> list[str]:
    """Return the cells of a table of a notebook."""
    return [unescape(cell) for cell in re.findall(r"<t[hd]>(.*?)</t[hd]>", page)]


def test_files_print_as_their_screens_do(run: Run, write: Write) -> None:
    """`adjust`, `check` and `compare`: on the screen, in Python, in a notebook and in Markdown."""
    draw = random.Random(35)  # noqa: S311 - a seed, no secret
    findings = 0
    for case in range(100 if THOROUGH else 5):
        text = make_table(draw)
        path = write(text, f"{case}.csv")
        adjusted = rankconst.adjust(path)
        screen = run("adjust", path)
        # What was assumed is on stderr.
        printed, _, assumed = str(adjusted).rpartition("\nAssumed: ")
        assert printed == as_python(screen.out), text
        assert len([name for name in dir(adjusted) if not name.startswith("_")]) < 10
        assert assumed.rstrip(".") in " ".join(screen.err.split())
        assert adjusted.sentence in screen.out
        cells = read_html(adjusted._repr_html_())
        *_, last = [line for line in run("adjust", path, "-f", "markdown").out.splitlines() if line]
        row = [cell.strip() for cell in last.strip("|").split("|")]
        # Long notes are in files alone.
        width = adjusted._repr_html_().count("<th>")
        assert cells[-width:] == row[:width]
        checked = rankconst.check(path)
        screen = run("check", path)
        said = f"{screen.out}{screen.err}"
        assert sorted(str(checked).splitlines()) == sorted(said.splitlines())
        assert unescape(checked._repr_html_()) == f"<pre>{checked}</pre>"
        findings += len(checked.findings)
        compared = rankconst.compare(path)
        assert str(compared) == run("compare", path).out.rstrip()
        assert unescape(compared._repr_html_()) == f"<pre>{compared}</pre>"
    assert findings > 0


def test_values_print_as_their_screens_do(run: Run) -> None:
    asked: dict[str, Any] = {"dataset": "fb15k237", "metric": "mrr"}
    screen = run("adjust", "0.338", "0.358", "-d", "fb15k237", "-m", "mrr").out
    listed = rankconst.adjust(["0.338", "0.358"], **asked)
    assert str(listed) == screen.replace("More: --details. ", "").rstrip()
    assert [str(each) for each in listed] == [
        str(rankconst.adjust(text, **asked)) for text in ("0.338", "0.358")
    ]
    assert [each.value for each in listed[:2]] == [0.338, 0.358]
    screen = run("adjust", "mrr=0.338", "hits@10=0.533", "-d", "fb15k237").out
    named = rankconst.adjust({"mrr": "0.338", "hits@10": "0.533"}, dataset="fb15k237")
    assert str(named) == screen.replace("More: --details. ", "").rstrip()
    screen = run("adjust", "0.338", "-d", "fb15k237", "-m", "mrr", "--details").out
    assert str(rankconst.adjust("0.338", **asked, details=True)) == screen.rstrip()
    screen = run("compare", "0.533", "0.544", "-d", "fb15k237", "-m", "hits@10").out
    found = rankconst.compare("0.533", "0.544", dataset="fb15k237", metric="hits@10")
    assert all(sentence in " ".join(screen.split()) for sentence in str(found).split(". "))
