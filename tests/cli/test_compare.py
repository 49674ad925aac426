"""``rankconst compare``: two published numbers in, what they say about each other out."""

import pytest

import rankconst
from cli.conftest import Run, Write
from rankconst.errors import AskedError, UsageError

HITS = ("compare", "0.533", "0.544", "--metric", "hits@10", "--dataset", "FB15k-237")


def test_json_has_what_python_has(run: Run) -> None:
    (row,) = run(*HITS, "-f", "json").records
    assert row.pop("assumed") == {"split": "test", "side": "both", "protocol": "standard"}
    assert (
        row == rankconst.compare("0.533", "0.544", metric="hits@10", dataset="fb15k237").to_dict()
    )


def test_the_number_of_tasks_is_enough_for_shares() -> None:
    found = rankconst.compare("0.70", "0.72", metric="hits@10", num_tasks=5000)
    assert found.num_tasks == 5000
    assert found.z_interval.lower == pytest.approx((5000 / (2 - 0.705 - 0.715)) ** 0.5 * 0.01)
    found = rankconst.compare("70", "73", metric="mr", num_tasks=5000, protocol="sampled:500")
    assert found.tasks.protocol == "sampled:500"
    least = 5000**0.5 * 2 / (500 * (70.5 + 72.5 - 2)) ** 0.5
    assert found.z_interval.lower == pytest.approx(least)


# Sun et al. 2019 (RotatE, TransE), Dettmers et al. 2018 (the others).
TABLE = """model,dataset,MRR,MedR
TransE,WN18RR,0.226,9
RotatE,WN18RR,0.476,5
DistMult,WN18RR,0.43,7
ConvE,WN18RR,.43,6
"""


def test_python_takes_frames_and_refuses_what_is_asked(write: Write) -> None:
    pd = pytest.importorskip("pandas")
    path = write(TABLE)
    (whole,) = rankconst.compare(path)
    (framed,) = rankconst.compare(pd.read_csv(path, dtype=str), metric="mrr")
    assert str(framed) == str(whole)
    (part,) = rankconst.compare(path, metric="mrr", split="valid", relations="_hypernym")
    assert "(valid, both sides, protocol standard, only _hypernym)" in str(part)
    path.write_text(TABLE.replace("TransE", "TransE (raw)"), encoding="utf-8")
    with pytest.raises(AskedError, match='protocol="raw"'):
        rankconst.compare(path)
    assert len(rankconst.compare(path, accept=["raw"])[0].names) == 4
    with pytest.raises(UsageError, match="two values"):
        rankconst.compare(path, num_tasks=5)
