"""``rankconst check``: what it finds in files and in numbers that are typed, what it says and what
it refuses.
"""

from pathlib import Path

import pytest

import rankconst

# MRR and Hits@10 of TransE, TuckER and RotatE on three graphs, some of them made impossible or
# worse than counting.
MODELS = ("TransE", "TuckER", "RotatE")
PRINTED = {
    "FB15k-237": (("0.10", "0.486"), ("0.347", "0.528"), ("0.338", "0.533")),
    "WN18RR": (("0.226", "0.120"), ("0.470", "0.526"), ("0.476", "0.571")),
    "CoDEx-M": (("0.303", "0.454"), ("0.100", "0.200"), ("0.900", "0.500")),
}


@pytest.mark.parametrize("metrics", [("MRR",), ("MRR", "Hits@10")])
def test_models_in_columns_are_checked_like_models_in_rows(
    tmp_path: Path, metrics: tuple[str, ...]
) -> None:
    """Their numbers are of several evaluations, and each of them is compared with counting."""

    def find(lines: list[str]) -> set[tuple[str, str, str]]:
        path = tmp_path / "own.csv"
        path.write_text("\n".join(lines), encoding="utf-8")
        findings = rankconst.check(path).findings
        return {(each.label, each.rule, each.statement) for each in findings}

    size = len(metrics)
    rows = [f"model,dataset,{','.join(metrics)}"]
    rows += [
        f"{model},{graph},{','.join(numbers[:size])}"
        for graph, printed in PRINTED.items()
        for model, numbers in zip(MODELS, printed, strict=True)
    ]
    columns = [",".join(["dataset", *(f"{model} {key}" for model in MODELS for key in metrics)])]
    columns += [
        ",".join([graph, *(number for numbers in printed for number in numbers[:size])])
        for graph, printed in PRINTED.items()
    ]
    found = find(columns)
    assert found == find(rows)
    assert {"below-counting", "beyond-published"} <= {rule for _, rule, _ in found}
    assert ("mrr-from-hits" in {rule for _, rule, _ in found}) == (size == 2)
