"""What every command refuses: one line that says what to type instead, a code, and nothing printed
or written.
"""

from __future__ import annotations

import shlex
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from cli.conftest import Run

ADJUST = {
    # names
    "0.5 -d fb15k238 -m mrr": (4, "unknown dataset 'fb15k238'", "Did you mean fb15k237", "rankconst show datasets"),
    "0.5 -m mrr --cite": (2, "no such option: --cite", "rankconst show --cite"),
    "0.5 -d counts.csv -m mrr": (4, "unknown dataset 'counts.csv'", "--counts counts.csv"),
    "0.5 -d '57 graphs' -m mrr": (4, "unknown dataset '57 graphs'", "rankconst show suites"),
    "0.5 -m mrr --candidates counts.csv": (2, "is not a whole number", "--counts FILE"),
    "0.5 -m mrr --candidates 1": (2, "is not a whole number from 2 on"),
    "0.5 -m mrr --candidates 101": (2, "error: --candidates needs --num-tasks N"),
    "0.5 -m MRR_filtered -d umls": (4, "write MRR, and add --protocol raw"),
    "0.5 -d umls -m mmr": (4, "unknown metric 'mmr'", "Did you mean", "rankconst show metrics"),
    "0.5 -d umls -m AMRR": (4, "adjusted form of MRR", "rankconst adjust VALUE --metric AMRR --to MRR"),
    "0.5 -d umls -m mrr -p pykeeen": (4, "unknown protocol 'pykeeen'", "Did you mean pykeen"),
    "0.5 -d umls -m mrr -p sampled:500:replacement": (6, "within 1/(P+1)"),
    "0.5 -d umls -m mrr --split tset": (4, "unknown split 'tset'", "Did you mean test"),
    "0.5 -d umls -m mrr --split all": (4, "unknown split 'all'"),
    "0.3 -d nations -m mrr -a macro": (4, "'macro'. Did you mean macro-query or macro-relation?"),
    "0.5 -d nations -m mrr -r embasy": (4,
         "no test task of nations has relation 'embasy' under protocol standard. Did you mean embassy?",
         "`rankconst show nations relations` lists the "),
    "0.5 -d nations -m mrr -r embassy,treaties": (4, "under protocol", "Name each relation by itself"),
    "0.5 -d nations -m mrr -r embassy --split train": (4, "hold no relations of nations train"),
    "0.5 -d nations -m mrr -r embassy -a query": (2, "averages are over all relations"),
    "0.5 -d nations -m tail.realistic.mrr --side head": (2, "is of side tail, but head was asked for; leave out one"),
    "0.5 -m mrr -d umls -b frequency --split train": (4, "no constants on the training set"),
    "0.5 -m mrr -d ogbwikikg2 -b frequency": (4, "under protocol sampled:500"),
    "0.5 -d YAGO3-10 -m mrr": (4, "rankconst build yago310"),
    "0.5 -d FB15k -m mrr": (4, "rankconst build", "load('rankconst-tables')"),
    "0.5 -d OpenEA -m mrr": (4, "not offered"),
    "0.5 -m mrr -d umls --tables nowhere": (6, "nowhere", "rankconst build"),
    # values
    "53.3 -d fb15k237 -m hits@10": (6, "53.3", "Hits@10", "fb15k237", "standard", "expected 0 to 1", "0.533"),
    "0.00001 -d fb15k237 -m mrr": (6, "expected 7.0e-05 to 1. Check"),
    "0.3 -d fb15k237 -m mr": (6, "0.3 is not a possible MR ", "at least 1: is this an MRR, or a share?"),
    "0.98 -d nations -m hits@50": (6, "expected 1, which every ranker gets"),
    "-d umls -m mrr -- -0.3": (6, "-0.3 is not a possible MRR"),
    "-0.3 -d umls -m mrr": (6, "-0.3 is not a possible MRR"),
    **{f"{text} -d umls -m mrr": (2, f"'{text}' is not a number") for text in ("abc", "53.3x", "0,338", "nan")},
    f"{'x' * 400} -d umls -m mrr": (2, "is not a number"),  # too long for the name of a file
    "1/3 -d nations -m mrr": (2, "Write the quotient out"),
    "mrr=1/3 -d nations": (2, "Write the quotient out"),
    # the rest of the line
    "": (2, "mrr=0.338 hits@10=0.533 --dataset", "rankconst adjust results.csv"),
    "0.3 -m mrr": (2, "which dataset is it? Add --dataset", "rankconst show datasets", "sampled:M, --num-tasks N"),
    "0.3 -m accuracy": (4, "that of multiple choice is Hits@1"),
    "0.3 --datset umls": (2, "Did you mean --dataset?"),
    "0.3 --replce AMRR": (2, "Did you mean --replace?"),
    "0.3 -d movielens -m mrr": (4, "If it is this one, type ncf_movielens1m"),
    "0.3 -d umls": (2, "which metric is it? Add --metric"),
    "0.3 mrr=0.4 -d umls -m mrr": (2, "mrr= and --metric both name the metric: write 0.4, or leave out --metric"),
    "0.3 -d umls -m mrr -m mr": (2, "name one metric for values"),
    "0.3 -d umls -m mrr -f xml": (2, "--format 'xml' is none of table, json, csv"),
    "0.3 -d umls -m mrr --foo": (2, "no such option: --foo. See `rankconst adjust --help`."),
    "--hits@10 0.3 -d umls": (2, "no such option: --hits@10. Did you mean hits@10=VALUE?"),
    "0.3 -d umls -m mrr --filtered": (2, "Did you mean --protocol raw, or standard, which filters?"),
    "0.3 FB15k-237 -m mrr": (2,
         "FB15k-237 is a dataset, not a number. Did you mean: rankconst adjust 0.3 --dataset FB15k-237 --metric mrr"),
    "fb15k237 mrr 0.338": (2, "Did you mean: rankconst adjust 0.338 --dataset fb15k237 --metric mrr"),
    "mrr 0.338": (2, "mrr is a metric, not a number. Did you mean: rankconst adjust 0.338 --metric mrr"),
    "results.csv b.csv": (6, "there is no file b.csv."),
    "results.csv folder --replace AMRR": (2, "--replace is for one document: name a single file."),
    "leaderboard.csv": (6, "If the columns are datasets, splits or sides, say of which metric: --metric mrr."),
    "models.csv": (6, "If the columns are models, say of which metric: --metric mrr."),
    "ranks.txt": (6, "ranks.txt looks like a list of ranks.", "rankconst.from_ranks(ranks)"),
    "ranks.csv": (6, "Is rank the rank of each task?", "rankconst.from_ranks(ranks)"),
    "folder": (6, "folder/results.csv is empty"),
    "0.5 -m mrr -d folder": (4, "folder is a folder.", "rankconst build folder."),
    "0.5 -m mrr -d GDELT": (4, "GDELT is not included: it is a temporal graph"),
    "0.5 -m mrr -d icews18": (4, "add --protocol time-aware", "static (", "raw ("),
    "folder.tsv": (6, "folder.tsv is a folder without files; name a file of results."),
    "https://example.org/a.csv": (6, "there is no file", "Download it first."),
    "0.3 --figure=a.svg": (2, "no such option: --figure. Did you mean --out figure.svg?"),
    "0.3 -d umls -m mrr --accept dev": (2, "--accept does not go with values"),
    "0.3 -m mrr -n 9 -p sampled:5 --split valid": (2, "say nothing else about the tasks but protocol sampled"),
    "0.3 -m mrr --candidates 101": (2, "needs --num-tasks N"),
    "0.9 -m amrr --to mr -d umls": (2, "amrr is the adjusted form of MRR, not of MR: --to MRR"),
    "0.9 -m amri --to mr": (2, "which dataset is it?"),
    "0.3 -m mrr -n 9 -p sampled:5 -b frequency": (2, "--baseline does not go with --num-tasks"),
    "2 -m mr -p sampled:8 -n 1e1": (2, "'1e1' is not a whole number from 1 on"),
    # files
    "results.csv 0.5": (2, "VALUE does not go with a file"),
    "results.csv --num-tasks 5": (2, "--protocol sampled:M"),
    "results.csv --num-tasks 5 -p sampled:3 -d nations": (2, "--num-tasks replaces --dataset"),
    "results.csv -d nations -d umls": (2, "a second --dataset does not go"),
    "results.csv -o out.doc": (2, "the ending does not say the format; known: .txt, .json"),
    "results.csv --decimal dot": (2, "comma"),
    "nowhere.csv": (6, "there is no file nowhere.csv"),
    "results/nowhere": (6, "there is no file results/nowhere"),
    "a.csv b.csv": (6, "there is no file a.csv."),
    "results.csv --replace MRR -d umls": (4, "unknown adjusted metric 'MRR'"),
    "results.csv --replace AMRR -f csv": (2, "--format does not go with --replace"),
    "results.csv --replace AMRR --details": (2, "--details does not go with --replace"),
    # counts of one's own
    "2.5 -m mr --counts plain.txt --side head": (4, "hold plain test of side both only, not of head"),
    "2.5 -m mr --counts plain.txt --split valid": (4, "They hold (protocol/split): own counts/test"),
    "2.5 -m mr --counts plain.txt -d nations": (2, "the counts are of plain, not of nations"),
    "2.5 -m mr --counts plain.txt -n 5": (2, "leave out --num-tasks"),
    "2.5 -m mr --counts missing.csv": (6, "cannot read missing.csv"),
    # pictures
    "0.3 -d nations -m mrr -o a.svg": (2, "a picture does not go with values, but with a file"),
    "results.csv -d nations -b frequency -o a.svg": (2, "a picture compares with counting; leave out --baseline"),
    "0.3 -d nations -m mrr -o none/a.svg": (2, "the folder none does not exist"),
    "0.3 -d nations -m mrr -o a.gif": (2, ".svg, .png, .pdf. Or add --format."),
    "results.csv -d umls -m mrr -m hits@3 -o a.svg": (6, "no value of Hits@3"),
}  # fmt: skip
SHOW = {
    "wn18r": (4, "unknown name 'wn18r'. Did you mean wn18rr"),
    "convee": (4, "Did you mean conve"),
    "tols": (4, "Did you mean tools"),
    "averages": (4, "rankconst show suites"),
    "'12 graphs'": (4, "rankconst show suites"),
    "realistic": (4, "a rank among equal scores", "rankconst show tools"),
    "counts.csv": (4, "--counts counts.csv"),
    "hits": (4, "write hits@1, hits@10 or any other k"),
    "WD50K": (4, "is the name of several benchmarks"),
    "CoDEx-L": (4, "rankconst build codexlarge"),
    "filtered": (4, "all but raw are filtered"),
    "sampled:5:shred": (4, "Did you mean shared"),
    "datasets mrr": (4, "unknown dataset 'mrr'"),
    "metrics umls": (4, "unknown metric 'umls'"),
    "mrr wn18rr": (2, "mrr is a metric; for constants name the dataset first: rankconst show wn18rr mrr"),
    "mrr --cite": (2, "rankconst show DATASET mrr"),
    "--metric mrr": (2, "rankconst show DATASET METRIC"),
    "metrics --split valid": (2, "--split needs a dataset"),
    "pykeen --split valid": (2, "pykeen is a tool", "name the dataset first: rankconst show DATASET METRIC"),
    "random mrr fb15k237": (2, "for constants name the dataset first: rankconst show fb15k237 mrr."),
    "grail_12 --cite": (2, "--cite does not go with the graphs of a suite"),
    "umls relations --cite": (2, "--cite does not go with relations"),
    "umls nations": (4, "unknown metric 'nations'"),
    "umls relations --split train": (4, "they are kept for valid and test"),
    "datasets --tables .": (6, "holds no tables"),
    "umls -f xml": (2, "--format 'xml' is none of table, json, csv"),
}  # fmt: skip
COMPARE = {
    "": (2, "missing argument 'FIRST SECOND|FILE ...'. See `rankconst compare --help`."),
    "0.5 -m mrr -d nations": (2, "give two numbers, or files of results: rankconst compare 0.533 0.544"),
    "0.9 -m mrr -d umls": (2, "What 0.9 is worth: rankconst adjust 0.9 --dataset umls --metric mrr. Which difference"),
    "mrr 0.3 0.4 -d umls": (2, "Did you mean: rankconst compare 0.3 0.4 --dataset umls --metric mrr"),
    "a.csv 0.5 -m mrr": (2, "give two numbers, or files of results"),
    "0.5 0.6 -d nations": (2, "which metric is it? Add --metric, as in --metric mrr."),
    "0.5 x -m mrr -d nations": (2, "'x' is not a number."),
    "a=0.5 b=0.6 -d nations": (2, "leave out the names: rankconst compare 0.5 0.6 --metric METRIC."),
    "mrr=0.5 mrr=0.6 -d nations": (2, "rankconst compare 0.5 0.6 --metric mrr."),
    "0.5 0.6 -m mrr -d wn18rr -t conve": (2, "ConvE leaves out up to 254 tasks"),
    "5 6 -m gmr -d nations": (6, "cannot be compared by GMR"),
    "50 60 -m mrr -d nations": (6, "add --percent"),
    "50% 60% -m mr -d nations": (2, "MR is not a share"),
    "0.5 0.6 --tails": (2, "no such option: --tails. Did you mean --side tail?"),
    "0.5 0.6 -m": (2, "option '-m' requires an argument. See `rankconst compare --help`."),
    "results.csv -d umls": (6, "no two results are of one metric on the same tasks"),
}  # fmt: skip
CHECK = {
    "": (2, "name a file of results, or numbers: rankconst check results.csv"),
    "0.338": (2, "which metric is 0.338? Write it before the number: mrr=0.338."),
    "33.8%": (2, "mrr=33.8%"),
    "nothing.csv": (6, "there is no file nothing.csv"),
    "nothing.csv mrr=0.3": (2, "check a file or numbers, not both: leave out nothing.csv or mrr=0.3."),
    "mrr=0.3 mrr=0.4": (2, "mrr is given twice"),
    "count=0": (2, "count=0 is not a whole number from 1 on"),
}  # fmt: skip
BUILD = {
    "counts.csv": (2, "got 1: counts.csv.", "--counts counts.csv"),
    "": (2, "rankconst build train.tsv valid.tsv test.tsv", "rankconst build fb15k237", "rankconst show datasets"),
    "nations t.tsv u.tsv": (2, "nations names a benchmark, and t.tsv a file"),
    "--train t.tsv": (2,
         "no such option: --train. Did you mean the files in their order: rankconst build TRAIN VALID"),
    "nations --mirror x": (2, "Did you mean the variable RANKCONST_MIRROR?"),
    "t.tsv": (2, "two files", "three", "got 1: t.tsv"),
    "./": (2, "is a folder without a train and a test file; name its files: rankconst build train.tsv"),
    "t.tsv u.tsv v.tsv w.tsv": (2, "got 4: t.tsv, u.tsv, v.tsv, w.tsv"),
    "t.tsv tset.txt": (6, "there is no file tset.txt for the test set. Check its path."),  # before a name is asked for
    "test.tsv train.tsv": (2, "test.tsv is in the place of the training set", "says test"),
    "a_train.csv a_test.csv a_dev.csv": (2, "a_test.csv is in the place of the validation set"),
    "t.tsv u.tsv": (2, "what is the graph called? Add --name NAME."),
    "a_train.tsv b_test.tsv": (2, "what is the graph called? Add --name NAME."),
    "a/train.tsv b/test.tsv": (2, "what is the graph called? Add --name NAME."),
    "umls_train.tsv umls_test.tsv": (2, "what is the graph called? Add --name NAME. 'umls' will not do"),
    "'my kg/train.tsv' 'my kg/test.tsv'": (2, "what is the graph called?", "'my kg' will not do"),
    "nations --name x": (2, "--name is for a graph of your own"),
    **{f"t.tsv u.tsv --name '{x}'": (2, "--name") for x in ("", "my kg", "../kg", "..", "a/b", "[kg]", "k" * 700)},
    **{f"t.tsv u.tsv --name {x}": (2, f"'{x}' is the name of a benchmark; choose another") for x in ("WNRR", "umls")},
    "t.tsv u.tsv --name x --columns hr": (2, "'hr'", "hrt"),
    "t.tsv u.tsv --name x -b inverse": (4, "unknown baseline 'inverse'"),
    "s3://x u.tsv --name x": (2, "only with --scheduler the training set can be a URL. Get the file, and give"),
    "t.tsv u.tsv --name x --scheduler tcp://127.0.0.1:9 -b frequency": (2, "--scheduler counts a graph of your own"),
    "nations --columns htr": (2, "--columns is for a graph of your own"),
    "nations --splits dev,trial --offline": (4, "unknown split 'trial'"),
    "nations -p standrd --offline": (4, "unknown protocol 'standrd'", "standard"),
    "nations --relations embassy": (2, "these need another name: add --name NAME."),
    "nations kinshops yagoo310": (4, "'kinshops'", "kinships", "'yagoo310'", "rankconst show datasets"),
    "openea": (4, "not offered"),
}  # fmt: skip
OTHERS = {
    "ajust 0.5": (2, "no such command 'ajust'. Did you mean 'adjust'?"),
    "nonsense": (2, "no such command 'nonsense'. See `rankconst --help`."),
    "tables nonsense": (2, "no such command 'nonsense'. See `rankconst tables --help`."),
    "datasets": (2, "there is no command 'datasets'. Did you mean `rankconst show datasets`?"),
    "lint a.csv": (2, "there is no command 'lint'. Did you mean `rankconst check FILE`?"),
    "plot a.csv": (2, "Did you mean `rankconst adjust FILE --out figure.svg`?"),
    "cite": (2, "Did you mean `rankconst show --cite`?"),
    "verify": (2, "Did you mean `rankconst tables verify`?"),
    "version": (2, "Did you mean `rankconst --version`?"),
    "list": (2, "Did you mean `rankconst show`?"),
    "results.csv": (2, "Did you mean `rankconst adjust FILE`?"),
    "--foo": (2, "no such option: --foo. See `rankconst --help`."),
    "0.338 fb15k237": (2, "Did you mean `rankconst adjust 0.338 --dataset KEY --metric mrr`?"),
    "tables verify nowhere": (6, "datapackage.json is missing"),
    "tables site": (2, "--out"),
    "tables site --out public --dataset nation5": (4, "Did you mean nations"),
    "tables site --out public --url example.org": (2, "https://"),
    "tables release": (2, "--version"),
    "tables release --version banana": (2, "--version", "'banana'", "1.0.0"),
    "tables release --version 1.0.01": (2, "--version"),
    "tables release --version 90.0.0 --from nowhere": (6, "nowhere", "rankconst build"),
}
REFUSED = {
    **{f"adjust {line}": told for line, told in ADJUST.items()},
    **{f"show {line}": told for line, told in SHOW.items()},
    **{f"compare {line}": told for line, told in COMPARE.items()},
    **{f"check {line}": told for line, told in CHECK.items()},
    **{f"build {line}": told for line, told in BUILD.items()},
    **OTHERS,
}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a few files, and none that is called otherwise."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "results.csv").write_text("model,MRR\nA,0.5\n", encoding="utf-8")
    (tmp_path / "plain.txt").write_text("9\n9\n5\n4\n4\n4\n", encoding="utf-8")
    (tmp_path / "leaderboard.csv").write_text(
        "model,FB15k-237,WN18RR\nA,0.5,0.4\n", encoding="utf-8"
    )
    (tmp_path / "models.csv").write_text("dataset,A,B\nWN18RR,0.5,0.4\n", encoding="utf-8")
    (tmp_path / "ranks.txt").write_text("[1, 4,\n2.5, 9]\n", encoding="utf-8")
    (tmp_path / "ranks.csv").write_text("head,tail,rank\na,b,1\n", encoding="utf-8")
    (tmp_path / "folder.tsv").mkdir()
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "results.csv").touch()
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize("line", REFUSED)
def test_what_is_refused_says_what_to_type(run: Run, here: Path, line: str) -> None:
    code, *told = REFUSED[line]
    args = shlex.split(line)
    if args[0] == "build" or args[:2] in (
        ["tables", "release"],
        ["tables", "verify"],
        ["tables", "site"],
    ):
        pytest.importorskip("pooch", reason="the builder needs it")
    if ".svg" in line and find_spec("matplotlib") is None:
        pytest.skip("the extra rankconst[plot] is not installed")
    for path in (here / arg for arg in args[1:] if args[0] == "build" and arg.endswith("sv")):
        path.parent.mkdir(exist_ok=True)
        path.touch()
    before = sorted(here.rglob("*"))
    screen = run(*args)
    assert (screen.code, screen.out) == (code, "")
    assert screen.err.splitlines()[-1].startswith("error: ")
    for fact in told:
        assert str(fact) in screen.message
    assert sorted(here.rglob("*")) == before
