"""``rankconst adjust``: the numbers, the spellings, and every way to get it wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from cli.conftest import Run, Write


TASKS = ("dataset", "protocol", "split", "side", "aggregation", "relations", "metric", "baseline")
RANKERS = ("expectation", "counting")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spelt", "plain", "note"),
    [
        ("0.5 -d FB15k-237 -m H@10 --split testing --side BOTH -p Standard", "0.5 -d fb15k237 -m hits@10", ""),
        ("53.3% 0.5 -d fb15k237 -m hits@10", "hits@10=53.3% hits@10=0.5 -d fb15k237", ""),
        ("0.5 -d UMLS -m MRR --side left --split training", "0.5 -d umls -m mrr --side head --split train", ""),
        ("0.5 -d wnrr -m MRR --protocol LibKGE -a query", "0.5 -d wn18rr -m mrr -p libkge -a macro-query", ""),
        ("mrr=0.5,hits@1=0.4 -d kinships,umls", "mrr=0.5 hits@1=0.4 -d kinships -d umls", ""),
        ("0.5 -d umls -m valid_mrr", "0.5 -d umls -m mrr --split valid", ""),
        ("0.5 -d umls -m head.realistic.mrr", "0.5 -d umls -m mrr --side head", ""),
        ("0.5 -d umls -m both.best.mrr", "0.5 -d umls -m mrr", "optimistic ranks: where scores tie"),
        ("0.5 -d umls -m tail.pessimistic.mrr", "0.5 -d umls -m mrr --side tail", "too low."),
        ("0.95 -d umls -m recall_at_10", "0.95 -d umls -m hits@10", "note: recall@k is read as Hits@k"),
        ("0.5 -d umls -m mrr -b chance -b chance", "0.5 -d umls -m mrr -b uniform", ""),
        ("0.5 0.338 -d umls -d nations -m mrr -b chance", "0.5 0.338 -d umls -d nations -m mrr", ""),
        ("0.5 -d ICEWS14 -m mrr --tool regcn", "0.5 -d icews14_regcn -m mrr --tool regcn", ""),
    ],
)  # fmt: skip
def test_what_means_the_same_gives_the_same(run: Run, spelt: str, plain: str, note: str) -> None:
    one, other = (run("adjust", *line.split(), "--json") for line in (spelt, plain))
    assert one.code == 0
    assert [row | {"assumed": None} for row in one.records] == [
        row | {"assumed": None} for row in other.records
    ]
    assert (note in one.err, bool(note) and note in other.err) == (True, False)


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


def test_the_title_names_what_all_numbers_share(run: Run) -> None:
    screen = run("adjust", 0.338, 0.5, "-d", "fb15k237", "-d", "wn18rr", "-m", "mrr")
    assert screen.cells[:2] == [
        ["MRR on 2 datasets"],
        ["dataset", "MRR", "AMRR", "chance", "counting"],
    ]
    where = ("-d", "wn18rr", "--split", "valid", "--side", "tail", "-p", "raw", "-m", "mr")
    one, two = run("adjust", 100, *where), run("adjust", 100, 200, *where, "--details")
    assert one.cells[0] == ["MR on WN18RR (valid, tail side, protocol raw)"]
    assert two.cells[1][:4] == ["MR", "normalised", "AMRI", "z"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "assumed"),
    [
        ((), "test split, both sides, standard protocol"),
        (("--split", "valid"), "both sides, standard protocol"),
        (("--side", "tail", "--tool", "pykeen"), "test split, pykeen protocol"),
        (("--split", "test", "--side", "both", "--protocol", "raw"), ""),
        (("-d", "ogbl-wikikg2"), "test split, both sides, standard and sampled:500 protocols"),
    ],
)
def test_what_was_assumed_is_said_once(run: Run, options: tuple[str, ...], assumed: str) -> None:
    command = ("adjust", "0.5", "-d", "umls", "-m", "mrr", *options)
    told = f"assumed: {assumed} (no option says otherwise).\n" if assumed else ""
    for form in ("json", "csv"):
        assert run(*command, "-f", form).err.startswith(told)
    assert "assumed" not in run(*command).err  # the title says it
    for row in run(*command, "-f", "json").records:
        assert all(row[field] == value for field, value in row["assumed"].items())
        assert bool(row["assumed"]) == bool(assumed)
    assert run("adjust", 0.5, "-m", "mrr", "-n", 9, "-p", "sampled:5", "-f", "csv").err == ""


# -- undefined forms -------------------------------------------------------------------------------


def test_undefined_forms_are_null_with_a_note(run: Run, one_candidate: Path) -> None:
    args = ("adjust", 1, "-d", "single", "-m", "mrr", "--tables", one_candidate)
    screen = run(*args, "--json")
    (row,) = screen.records
    assert (screen.code, row["normalised"], row["index"], row["z"], row["variance"]) == (
        0, 1, None, None, 0,
    )  # fmt: skip
    for fact in ("note:", "single", "z-score", "index", "undefined", "variance is 0"):
        assert fact in screen.message
    (cells,) = run(*args, "--details", "-f", "csv").rows
    assert (cells["index"], cells["z"]) == ("", "")
    assert "note:" not in run(*args).out
    assert [line[0] for line in run(*args).cells[1:3]] == ["published", "chance"]
    (defined,) = run(*args, "-p", "raw", "--json").records
    assert defined["z"] is not None
    screen = run(
        "adjust", 1, 1, "-d", "nations", "-d", "Nations", "-m", "hits@50"
    )  # a k that reaches every candidate
    assert (screen.code, screen.message.count("z-score")) == (0, 1)


# -- what it means in words ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("args", "sentences"),
    [
        (
            "0.95 -d nations -d umls -m hits@10",
            [
                "nations: 0.95 cannot be distinguished from chance: a random ranker gets 0.9469. "
                "Counting does better: it gets 1.0000.",
                "umls: Chance matters here: a random ranker gets 0.1033; 0.95 is 94.4% of the "
                "way from there to "
                "perfect. Counting gets 0.8546; 0.95 is 65.6% of the way from there to perfect.",
            ],
        ),
        (
            "0.94 0.975 -d fb15k237 -d nations -m hits@10",
            [
                "3 of 4 numbers are better than chance (p < 0.05); 1 cannot be distinguished "
                "from it. 2 are better "
                "than counting (p < 0.05)."
            ],
        ),
    ],
)
def test_a_screen_has_a_sentence_each_or_one_for_all(
    run: Run, args: str, sentences: list[str]
) -> None:
    screen = run("adjust", *args.split())
    assumed = screen.out.splitlines().index("Assumed: test split, both sides, standard protocol.")
    assert screen.out.splitlines()[assumed - len(sentences) : assumed] == sentences
    assert screen.cells[1][0] == "dataset"
    assert all(
        sentences[0] not in run("adjust", *args.split(), "-f", form).out
        for form in ("csv", "latex")
    )


@pytest.mark.parametrize(
    ("dataset", "options", "told"),
    [
        ("fb15k237_v1_ind", "", True),
        ("nell_v2_ind", "", True),
        ("fb15k237", "", False),
        ("fb15k237_v1_ind", "-p standard", False),
        ("fb15k237_v1_ind", "-t grail", False),
        ("fb15k237_v1", "-t nbfnet", False),
    ],
)
def test_a_benchmark_of_sampled_ranks_says_so_where_a_protocol_is_assumed(
    run: Run, write: Write, dataset: str, options: str, *, told: bool
) -> None:
    path = write(f"model,dataset,hits@10\nA,{dataset},0.58\n", "a.csv")
    for what in ((0.58, "-m", "hits@10", "-d", dataset), (path,)):
        message = run("adjust", *what, *options.split()).message
        assert (
            "note: GraIL and papers that follow it rank among 50: --protocol sampled:49" in message
        ) == told


def test_numbers_under_chance_say_what_they_mean(run: Run) -> None:
    asked = ("-d", "umls", "-m", "mrr")
    rows = run("adjust", 0.5, 0.338, *asked, "-b", "all", "--json").records
    for row in rows:
        assert (row["meaning"] is None) == (row["baseline"] != "uniform")
        if row["meaning"]:
            assert row["meaning"] in " ".join(run("adjust", row["value"], *asked).out.split())


def test_adjusted_values_are_turned_back(run: Run) -> None:
    """PyKEEN's AMRI of an MR of 469.7."""
    asked = ("-d", "fb15k237", "-p", "pykeen")
    (there,) = run("adjust", "469.7", "-m", "mr", *asked, "--json").records
    (back,) = run(
        "adjust", f"{there['index']:.4f}", "-m", "amri", "--to", "mr", *asked, "--json"
    ).records
    assert back["value_lower"] <= 469.7 <= back["value_upper"]
    (exact,) = run(
        "adjust", f"{there['z']:.9f}", "-m", "zmr", "--to", "mr", *asked, "--json"
    ).records
    assert exact["value"] == pytest.approx(469.7, rel=1e-9)


def test_candidates_are_short_for_sampled_negatives(run: Run) -> None:
    counted = ("0.65", "-m", "hits@10", "-n", 6040, "--json")
    assert (
        run("adjust", *counted, "--candidates", 101).out
        == run("adjust", *counted, "-p", "sampled:100").out
    )
