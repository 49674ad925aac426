"""``rankconst adjust FILE``: files in, files out, and every way a file can be bad."""

from __future__ import annotations

import csv
import io
import json
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest

import rankconst
from carried import open_once
from rankconst.errors import DataError, UsageError
from rankconst.verdicts import show_expected

if TYPE_CHECKING:
    from pathlib import Path

    from cli.conftest import Run, Write

TABLES = open_once()

# Sun et al. 2019 (arXiv:1902.10197), table 5.
WIDE = (
    "model,dataset,MRR,MR,Hits@10,comment\nRotatE,FB15k-237,0.338,177,0.533,a\n"
    "RotatE,WN18RR,0.476,3340,0.571,\n"
)


@pytest.fixture
def wide(write: Write) -> Path:
    return write(WIDE)


def test_original_columns_stay_and_adjusted_ones_are_added(run: Run, wide: Path) -> None:
    added = ["AMRR", "AMRI", "AH@10"]
    screen = run("adjust", wide, "--tool", "rotate", "-f", "csv")
    assert screen.code == 0
    full = run("adjust", wide, "--tool", "rotate", "-f", "csv", "--details").rows
    records = run("adjust", wide, "--tool", "rotate", "--json").records
    originals = csv.DictReader(io.StringIO(WIDE))
    for row, all_of_it, record, original in zip(screen.rows, full, records, originals, strict=True):
        assert [*row] == [*original, *added, "protocol"]
        assert original.items() <= row.items() <= all_of_it.items()
        assert {key: str(record[key]) for key in added} == {key: row[key] for key in added}
        for column, name in (("MRR", "AMRR"), ("MR", "AMRI"), ("Hits@10", "AH@10")):
            constants = TABLES.constants(row["dataset"], column)
            single = constants.adjust(row[column])
            assert float(row[name]) == single.index
            ends = (float(all_of_it[f"{name}_lower"]), float(all_of_it[f"{name}_upper"]))
            assert ends == single.index_interval
            assert record[f"{column}_expectation"] == constants.expectation
            found = constants.significance(row[column])
            assert float(all_of_it[f"{column}_log10_p"]) == found.log10
            assert all_of_it[f"{column}_p_method"] == found.method
            assert f"{column}_log10_p" not in record  # it takes long
        assert (row["protocol"], record["table_version"], record["num_tasks"]) == (
            *("standard", TABLES.version), TABLES.constants(row["dataset"], "mrr").num_tasks,
        )  # fmt: skip
    assert "note: RotatE" not in screen.message  # nothing that it does changes its numbers


STARTS = {
    "table": (".txt", b" model", "0.3375"), "json": (".json", b"[", "0.3375"), "csv": (".csv", b"model,", "0.3375"),
    "markdown": (".md", b"| model", "0.3375"), "latex": (".tex", b"\\begin", "0.3375"),
    "parquet": (".parquet", b"PAR1", None),
}  # fmt: skip


@pytest.mark.parametrize("form", STARTS)
def test_every_format_can_be_written_and_read_again(
    run: Run, wide: Path, tmp_path: Path, form: str
) -> None:
    suffix, start, shown = STARTS[form]
    out, named = tmp_path / "out", tmp_path / f"out{suffix}"
    screen = run("adjust", wide, "-f", form, "-o", out)
    assert (screen.code, screen.out) == (0, "")
    assert f"{out}: 2 rows, tables {TABLES.version}" in screen.message
    assert run("adjust", wide, "-o", named).code == 0  # the ending says the format
    assert out.read_bytes() == named.read_bytes()
    assert named.read_bytes().startswith(start)
    if shown is None:
        import pyarrow.parquet as pq

        assert pq.read_table(out).column("AMRR").to_pylist() == pytest.approx(
            [0.3375, 0.4758], abs=1e-4
        )
        return
    text = named.read_text(encoding="utf-8")
    assert shown in text and "comment" in text
    if form != "table":  # of aligned text, a row with an empty cell is refused
        tasks = ("--split", "test", "--side", "both", "-p", "standard", "-a", "micro")
        again = run("adjust", named, *tasks, "--json").records
        assert [round(row["AMRR_added"], 4) for row in again] == [0.3375, 0.4759]


@pytest.mark.parametrize("form", ["markdown", "latex"])
def test_markup_survives_its_own_format(run: Run, write: Write, form: str) -> None:
    cell = "**0.476**" if form == "markdown" else "\\textbf{0.476}"
    text = (
        f"| model | MRR |\n|---|---|\n| RotatE | {cell} |\n"
        if form == "markdown"
        else f"\\begin{{tabular}}{{ll}}\nmodel & MRR \\\\\nRotatE & {cell} \\\\\n\\end{{tabular}}\n"
    )
    path = write(text, "table.txt")
    screen = run("adjust", path, "-d", "wn18rr", "-f", form)
    assert screen.code == 0, screen.message
    assert cell in screen.out
    assert "0.4759" in screen.out
    other = run(
        "adjust", path, "-d", "wn18rr", "-f", "latex" if form == "markdown" else "markdown"
    ).out
    assert "0.4759" in other and "*" not in other and "textbf" not in other


def test_standard_input_and_only_one_metric(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    class Stdin:
        buffer = io.BytesIO(WIDE.encode())

    monkeypatch.setattr("sys.stdin", Stdin())
    row, _ = run("adjust", "-", "-m", "mrr", "--json").records
    assert "AMRR" in row and "AMRI" not in row


def test_rows_without_constants_are_kept_and_named(run: Run, wide: Path) -> None:
    wide.write_text(WIDE + "RotatE,Atlantis,0.5,3,0.9,\nTransE,FB15k,0.463,,0.749,\n")
    screen = run("adjust", wide, "-f", "json")
    assert screen.code == 0
    rows = screen.records
    assert [row["AMRR"] is None for row in rows] == [False, False, True, True]
    assert "Atlantis" in rows[2]["note"]
    assert "line 4: unknown dataset 'Atlantis'" in screen.message
    shown = run("adjust", wide)
    assert " numbers are adjusted. " in shown.out
    assert ("Atlantis'" in shown.out, "Atlantis'" in shown.message) == (False, True)
    assert "Atlantis'" in run("adjust", wide, "-f", "csv").out
    assert "line 5: FB15k is not included" in screen.message


def test_one_bad_cell_costs_nothing_else(run: Run, tmp_path: Path, write: Write) -> None:
    path = write(
        "model,dataset,MRR,MR\nRotatE,fb15k237,0.338,177\nTransE,fb15k237,NaN,357\n", "a.csv"
    )
    screen = run("adjust", path, "-f", "json")
    assert [(row["AMRR"] is None, row["AMRI"] is None) for row in screen.records] == [
        (False, False),
        (True, False),
    ]
    assert "line 3: NaN: not a number" in screen.message
    drawing = [("-o", tmp_path / "a.svg")] if find_spec("matplotlib") else []
    for more in ((), ("--replace", "AMRR"), *drawing):
        screen = run("adjust", path, "--strict", *more)
        assert screen.code == 6
        assert "line 3: NaN" in screen.message
        assert "--strict" in screen.message
    with pytest.raises(DataError, match="line 3: NaN"):
        rankconst.adjust(path, strict=True)


def test_what_could_be_fractions_or_percentages(run: Run, write: Write) -> None:
    path = write("model,dataset,Hits@10 (%)\nA,wn18rr,0.53\n", "a.csv")
    message = run("adjust", path).message
    assert "a fraction or a percentage" in message and "--no-percent" in message
    for option, text in (("--percent", "0.53%"), ("--no-percent", "0.53")):
        (row,) = run("adjust", path, option, "-f", "json").records
        assert row["AH@10"] == TABLES.constants("wn18rr", "hits@10").adjust(text).index


def test_percentages_that_may_be_fractions_are_counted(run: Run, write: Write) -> None:
    path = write("model,dataset,MRR\nA,wn18rr,47.6\nB,wn18rr,0.3\nC,wn18rr,0.5\n", "a.csv")
    said = (
        "protocol (nothing in a.csv says otherwise); read as percentages: 3 numbers; 2 of them "
        "below 1%.\n"
    )
    assert said in run("adjust", path, "--percent").err.replace(str(path), "a.csv")
    assert "read as percentages" not in run("adjust", path, "--percent", "-m", "mr").err


def test_what_sets_decimals_apart(run: Run, write: Write) -> None:
    path = write("model;dataset;MRR;MR\nRotatE;wn18rr;0,476;3,340\n", "a.csv")
    screen = run("adjust", path, "-f", "json")
    assert "AMRI" not in screen.records[0]
    assert "3,340: decimals or thousands?" in screen.message
    (row,) = run("adjust", path, "-f", "json", "--decimal", "comma").records
    assert row["ZMR"] == TABLES.constants("wn18rr", "mr").adjust("3.340").z
    assert run("adjust", path, "--decimal", "dot").code == 2


# -- what was assumed, and what is asked -----------------------------------------------------------

TABLE = "| Model | MRR |\n|---|---|\n| RotatE | {} |\n| TransE | {} |\n\n"
README = f"""# FB15k-237

{TABLE.format(0.338, 0.294)}# WN18RR

Measured on the dev set after 100 epochs.

{TABLE.format(0.476, 0.226)}"""
ASKED = (
    'asked: README.md, lines 14-15 (2 numbers): "dev" in the paragraph above, "Measured on the '
    "dev set after 100 "
    'epochs.": add --split valid for all 4 numbers, or --accept dev=valid for these, or '
    "--accept dev if it says "
    "nothing about these numbers.\n"
)


@pytest.fixture
def readme(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "README.md").write_text(README, encoding="utf-8")
    return "README.md"


def test_what_was_assumed_and_asked_is_said_and_the_rest_adjusted(run: Run, readme: str) -> None:
    screen = run("adjust", readme)
    assert screen.code == 0
    assert (
        "assumed: test split, both sides, standard protocol (nothing in README.md says "
        "otherwise).\n"
    ) in screen.err
    assert screen.err.endswith(ASKED)
    assert [line[-1] for line in screen.cells if "–" in line] == ["asked: dev", "asked: dev"]
    question = ASKED.partition("): ")[2].rstrip()
    rows = run("adjust", readme, "-f", "csv").rows
    assert [(row["AMRR"] == "", row["note"]) for row in rows] == [(False, "")] * 2 + [
        (True, question)
    ] * 2
    first, *_, last = run("adjust", readme, "-f", "json").records
    assert first["assumed"] == {"split": "test", "side": "both", "protocol": "standard"}
    assert first["asked"] is None
    (asked,) = last["asked"]
    assert (last["AMRR"], last["assumed"], asked["word"], asked["place"]) == (
        None, None, "dev", "the paragraph above",
    )  # fmt: skip
    assert f'{asked["text"]}": add {asked["remedy"]}.' in question


@pytest.mark.parametrize(
    ("answer", "splits", "told"),
    [
        (("--split", "valid"), ["valid"] * 4,
         "assumed: both sides, standard protocol (nothing in README.md says other"),
        (("--accept", "dev"), ["test"] * 4, 'says otherwise); accepted: "dev".\n'),
        (("--accept", "Dev", "--accept", "raw"), ["test"] * 4,
         'note: nothing is asked about "raw", which --accept names.'),
        (("--dataset", "fb15k237"), ["test"] * 2,
         "left out: numbers that README.md says are of other tasks: 2 (WN18RR)."),
    ],
)  # fmt: skip
def test_answers(
    run: Run, readme: str, answer: tuple[str, ...], splits: list[str], told: str
) -> None:
    screen = run("adjust", readme, *answer, "--json")
    assert [row["split"] for row in screen.records] == splits
    assert told in screen.err and "asked: " not in screen.err


def test_questions_without_an_answer_are_an_error_if_nothing_is_left(run: Run, readme: str) -> None:
    alone = ASKED.replace(" for all 4 numbers, or --accept dev=valid for these", "")
    for args in (
        ("--strict",),
        ("-d", "wn18rr"),
        ("-d", "wn18rr", "-f", "json"),
        ("-d", "wn18rr", "--replace", "AMRR"),
    ):
        screen = run("adjust", readme, *args)
        assert (screen.code, screen.out) == (8, "")
        asked = ASKED if args == ("--strict",) else alone
        assert screen.err.endswith(
            f"{asked}error: nothing is adjusted before these questions have an answer.\n"
        )
    assert run("adjust", readme, "--accept", "dev", "--strict").code == 0


def test_questions_are_few_lines(run: Run, tmp_path: Path) -> None:
    words = (
        "raw", "dev", "macro", "sampled", "head", "inductive", "subset", "noisy", "optimistic",
        "few-shot",
    )  # fmt: skip
    rows = "".join(
        f"M {place} with {word} data of x{place},nations,0.5\n"
        for word in words
        for place in range(3)
    )
    (path := tmp_path / "a.csv").write_text(f"model,dataset,MRR\n{rows}", encoding="utf-8")
    screen = run("adjust", path)
    asked = [line for line in screen.err.splitlines() if line.startswith("asked: ")]
    assert (screen.code, len(asked)) == (8, 9)
    assert (
        '(3 numbers): "raw" in its row, "M 0 with raw data of x0", "M 1 with raw data of x1", '
        '"...": add'
    ) in asked[0]
    assert asked[-1] == f"asked: {path}: and 3 more questions."


def test_a_question_of_three_sides_is_asked_once(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    sides = {
        side: {"realistic": {"mrr": 0.6, "count": count}}
        for side, count in (("both", 34), ("head", 17))
    }
    path.write_text(json.dumps({"metrics": sides | {"tail": sides["head"]}}))
    told = [
        line
        for line in run("adjust", path, "-d", "nations").err.splitlines()
        if line.startswith("asked: ")
    ]
    assert len(told) == 1
    assert "(3 numbers)" in told[0]
    assert "(and 1 more like it): add --relation" in told[0]


def test_a_document_is_written_as_one(run: Run, readme: str, tmp_path: Path) -> None:
    for ending in ("xlsx", "csv", "json"):
        out = tmp_path / f"a.{ending}"
        screen = run("adjust", readme, "--replace", "AMRR", "--out", out)
        assert (screen.code, out.exists()) == (UsageError.exit_code, False)
        assert f"cannot be {ending}" in screen.err


def test_standard_input_beside_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "Model,dataset,MRR\nRotatE,WN18RR,0.476\n"
    path = tmp_path / "a.csv"
    path.write_text(text, "utf-8")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert len(rankconst.read(["-", path]).entries) == 2


def test_a_document_says_what_was_assumed_and_asked(run: Run, readme: str) -> None:
    screen = run("adjust", readme, "--replace", "AMRR")
    head, mark, body = screen.out.partition("# FB15k-237")
    waiting = "as published, as they wait for an answer: 2 numbers -->\n"
    assert head.endswith(f"; assumed: test split, both sides, standard protocol; {waiting}")
    assert README.partition("# WN18RR")[2] == body.partition("# WN18RR")[2]  # heading and numbers
    assert "| RotatE | 0.338 |" in mark + body and "| TransE | 0.293 |" in body
    assert screen.err.count("Measured on the dev set") == 1
    head = run("adjust", readme, "--replace", "AMRR", "--accept", "dev").out.partition(
        "# FB15k-237"
    )[0]
    assert head.endswith("standard protocol; accepted: dev -->\n")


# -- bad files -------------------------------------------------------------------------------------

BAD: dict[str, tuple[str, bytes, tuple[str, ...]]] = {
    "empty": ("a.csv", b"", ("is empty",)),
    "no metric": ("a.csv", b"model,colour\nRotatE,blue\n", ("line 1", "Expected columns such as")),
    "UTF-16": ("a.csv", WIDE.encode("utf-16-le"), ("UTF-16", "iconv")),
    "truncated JSON": ("results.json", b'{"metrics": {"both": {"realistic": {"hits_at_1": 0.1', ("line 1",)),
    "JSON without results": ("results.json", b'{"a": 1}',
         ("JSON without a key that is a metric", "rankconst.read(FILE, form)")),
    "billion laughs": (*("trace.yaml", b"a: &a [x, x]\n{event: eval_completed, type: entity_ranking, hits: *a}\n"),
         ("line 2", "anchors and aliases")),
    "prose": ("notes.txt", b"The results were good.\nVery good.\n", ("not recognised",)),
}  # fmt: skip


@pytest.mark.parametrize("kind", BAD)
def test_a_bad_file_is_an_error_with_its_place_and_nothing_is_written(
    run: Run, tmp_path: Path, kind: str
) -> None:
    name, data, told = BAD[kind]
    path, out = tmp_path / name, tmp_path / "out.csv"
    path.write_bytes(data)
    screen = run("adjust", path, "-d", "nations", "-o", out)
    assert (screen.code, screen.out) == (6, ""), screen.message
    assert name in screen.message
    for fact in told:
        assert fact in screen.message
    assert list(tmp_path.iterdir()) == [path]


def test_a_huge_log_is_refused_with_a_remedy(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "train.log"
    with path.open("wb") as file:
        file.truncate(200 * 2**20)
    screen = run("adjust", path, "-d", "nations")
    assert (screen.code, screen.out) == (6, "")
    assert "grep" in screen.message


def test_what_is_a_file(run: Run, wide: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(wide.parent)
    expected = run("adjust", wide.name).out
    for name in (f"./{wide.name}", str(wide)):
        assert run("adjust", name).out == expected
    wide.rename("0.5")
    assert "--metric" in run("adjust", "0.5").message
    assert run("adjust", "./0.5").out == expected
    wide.with_name("0.5").rename("plain")
    assert run("adjust", "plain").out == expected


def test_metrics_of_pykeen_are_shown_as_papers_print_them(run: Run, tmp_path: Path) -> None:
    path, ranks = (
        tmp_path / "results.json",
        {"hits_at_10": 0.9776119402985075, "hits_at_1": 0.3, "geometric_mean_rank": 2.5},
    )
    ranks |= {
        "arithmetic_mean_rank": 3.3656716346740723,
        "inverse_harmonic_mean_rank": 0.5116080668435168,
    }
    path.write_text(json.dumps({"metrics": {"both": {"realistic": ranks}}}), encoding="utf-8")
    shown = [
        line.split()[2:4]
        for line in run("adjust", path, "-d", "nations").out.splitlines()
        if "realistic" in line
    ]
    assert shown == [
        *(
            ["MRR", "0.5116"], ["MR", "3.366"], ["Hits@1", "0.3000"], ["Hits@10", "0.9776"],
            ["GMR", "2.500"],
        )
    ]  # fmt: skip


def test_a_screen_shows_one_of_nine_evaluations(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    ties = {"optimistic": {"mrr": 0.7}, "realistic": {"mrr": 0.6}, "pessimistic": {"mrr": 0.5}}
    path.write_text(json.dumps({"metrics": dict.fromkeys(("both", "head", "tail"), ties)}))
    for args, side, left in (((), "both", 8), (("--side", "head"), "head", 2)):
        screen = run("adjust", path, "-d", "nations", *args)
        assert [line.split()[:3] for line in screen.out.splitlines() if "MRR" in line] == [
            [side, "realistic", "MRR"]
        ]
        assert f"shown: {side}.realistic only; --side head shows" in screen.message
        assert f"such as --format csv have the other {left} numbers, too." in screen.message
        assert "The number is better than chance" in screen.out  # of what is shown
    assert run("adjust", path, "-d", "nations", "-f", "csv").out.count("mrr") == 9


PAPER = """\\begin{tabular}{lr}
model & MRR \\\\ % a comment
RotatE & \\textbf{0.476} \\\\
Mine & 1.476 \\\\
\\end{tabular}
"""


def test_a_document_is_written_again_with_adjusted_numbers(run: Run, tmp_path: Path) -> None:
    paper, out = tmp_path / "paper.tex", tmp_path / "adjusted.tex"
    paper.write_text(PAPER.replace("1.476", "n/a"))
    screen = run("adjust", paper, "-d", "wn18rr", "--replace", "AMRR", "--out", out)
    assert (screen.code, screen.out) == (0, "")
    assert "1 number replaced, tables" in screen.message
    *comment, body = out.read_text().split("\n", 3)
    command = f"% rankconst adjust {paper} -d wn18rr --replace AMRR --out {out}"
    assert comment[2] == f"{command}; assumed: test split, both sides, standard protocol"
    assert body == PAPER.replace("1.476", "n/a").replace("MRR", "AMRR")  # 0.4759 is 0.476, too
    assert run("adjust", paper, "-d", "wn18rr", "--replace", "AMRR").out.endswith(body)


def test_numbers_are_numbers_in_json(run: Run, write: Write) -> None:
    path = write("model,dataset,MRR,H@10,k\na,nations,0.50,97.5%,1\nb,nowhere,0.60,n/a,2\n")
    first, second = run("adjust", path, "-f", "json").records
    assert (first["MRR"], first["H@10"], first["k"]) == (0.5, 0.975, "1")
    assert (second["MRR"], second["H@10"]) == ("0.60", "n/a")  # not adjusted, as the note says


def test_a_row_for_each_number(run: Run, write: Write) -> None:
    path = write(
        "model,dataset,metric,value\nRotatE,nations,MRR,0.5\nRotatE,umls,hits@10,0.9\n", "long.csv"
    )
    rows = run("adjust", path, "-f", "csv").rows
    for row in rows:
        assert [*row] == ["model", "dataset", "metric", "value", "index", "protocol"]
        assert (
            float(row["index"])
            == TABLES.constants(row["dataset"], row["metric"]).adjust(row["value"]).index
        )
    shown = run("adjust", path).cells
    assert shown[0] == ["model", "dataset", "metric", "value", "index"]
    assert shown[2] == ["RotatE", "nations", "MRR", "0.5", "0.1877"]


PAPER_OF_TWO = (
    "| model | MRR (Nations) | MR (Nations) | MRR (UMLS) | note |\n|---|---|---|---|---|\n"
    "| **A** | 0.50 | 2.50 | *0.60* |  |\n| B |  |  | 0.70 |  |\n"
)


@pytest.mark.slow
def test_a_screen_has_a_block_for_each_dataset_of_a_paper(run: Run, write: Write) -> None:
    path = write(PAPER_OF_TWO, "paper.md")
    screen = run("adjust", path)
    index = {each: TABLES.constants(*each[:2]).index(each[2]) for each in (
        ("nations", "mrr", 0.5), ("nations", "mr", 2.5), ("umls", "mrr", 0.6), ("umls", "mrr", 0.7)
    )}  # fmt: skip
    first, second, third, fourth = (f"{each:.4f}" for each in index.values())
    assert [line for line in screen.cells if "───" not in line[0]] == [
        ["Nations"],
        ["model", "MRR", "MR", "AMRR", "AMRI"],
        ["A", "0.50", "2.50", first, second],
        *(["UMLS"], ["model", "MRR", "AMRR"], ["A", "0.60", third], ["B", "0.70", fourth]),
        ["AMRR (Nations), AMRI and AMRR (UMLS): 0 = chance, 1 = perfect."],
        [
            "All 4 numbers are better than chance (p < 0.05). None is better than counting (p < 0.05)."
        ],
        [f"More: --details. Tables {TABLES.version}."],
    ]
    assert len(run("adjust", path, "-f", "csv").rows) == 2
    details = run("adjust", path, "--details").out
    for dataset, metric, label in (
        ("nations", "mrr", "MRR"),
        ("nations", "mr", "MR"),
        ("umls", "mrr", "MRR"),
    ):
        both = [
            TABLES.constants(dataset, metric, baseline=each).expectation
            for each in ("uniform", "counting")
        ]
        chance, counting = map(show_expected, both)
        where = f"{label} on {dataset} (test, both sides, protocol standard)"
        assert f"{where}: chance {chance}, counting {counting}." in details


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("dataset,protocol,MRR\nUMLS,raw,.7\nUMLS,,.7\n",
         "test split, both sides (nothing in a.csv says otherwise); standard protocol (where it says no other)."),
        ("dataset,split,side,protocol,MRR\nUMLS,test,both,raw,.7\nUMLS,test,both,,.7\n",
         "standard protocol (where a.csv says no other)."),
    ],
)  # fmt: skip
def test_what_is_assumed_of_some_numbers_is_not_said_of_all(
    run: Run, write: Write, text: str, said: str
) -> None:
    path = write(text, "a.csv")
    assert f"assumed: {said}\n" in run("adjust", path).err.replace(str(path), "a.csv")


# RotatE, Sun et al. 2019, arXiv:1902.10197.
def test_advice_on_units_and_commas_names_what_settles_it(run: Run, write: Write) -> None:
    path = write("dataset;MRR;MR\nFB15k-237;33,8;177.5\n", "commas.csv")
    assert "add --decimal comma." in run("adjust", path).err
    assert len(run("adjust", path, "--decimal", "comma", "--percent", "--json").records) == 1
    rows = "FB15k-237,33.8,0.533\nWN18RR,47.6,0.571\nWN18RR,0.44,0.5\n"
    path = write(f"dataset,MRR,Hits@10\n{rows}", "mixed.csv")
    assert "if the column is in percent, write so into its heading: MRR (%)" in (
        run("adjust", path).err
    )
    assert "write the sign into their headings: MRR (%)." in run("adjust", path, "--percent").err
    write(f"dataset,MRR (%),Hits@10\n{rows.replace('0.44', '44')}", "mixed.csv")
    assert "6 numbers" in run("adjust", path).out


def test_notes_that_differ_in_numbers_only_are_said_once(run: Run, tmp_path: Path) -> None:
    rows = [f"{'nations' if i % 2 else 'umls'},0.{300 + i}" for i in range(60)]
    path = tmp_path / "a.csv"
    path.write_text("dataset,Hits@10\n" + "\n".join([*rows, "fb15k237,1.5"]) + "\n")
    notes = [line for line in run("adjust", str(path)).err.splitlines() if line[:5] == "note:"]
    assert len(notes) == 2
    assert "lines 3, 5, 7, 9, 11, 13 and 24 more: 0.301 is not a possible Hits@10" in notes[0]
    assert notes[0].endswith(" Likewise 0.303; 0.305; 0.307 and 26 more.")
    assert "line 62: 1.5 is not a possible Hits@10 on fb15k237" in notes[1]
