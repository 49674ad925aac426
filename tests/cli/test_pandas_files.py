"""Files that pandas, polars and R write, beside the same table in CSV: Parquet, Feather, JSON by
columns, Hits.10.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import rankconst
from cases import for_each
from cli.conftest import Run, Write
from rankconst.errors import UsageError

pd = pytest.importorskip("pandas")


ROWS = [("ComplEx", "FB15k-237", 0.294, 0.465), ("TransE", "WN18RR", 0.22, 0.5)]
TABLE = pd.DataFrame(ROWS, columns=["model", "dataset", "MRR", "Hits@10"])
WRITERS: dict[str, Callable[[Path], object]] = {
    "a.parquet": TABLE.to_parquet,
    "index.parquet": lambda path: TABLE.set_index("model").rename_axis(None).to_parquet(path),
    "coded.parquet": TABLE.astype({"dataset": "category"}).to_parquet,
    "a.feather": TABLE.to_feather,
    "columns.json": TABLE.to_json,
    "split.json": lambda path: TABLE.to_json(path, orient="split"),
    "records.json": lambda path: TABLE.to_json(path, orient="records"),
    "r.csv": lambda path: TABLE.rename(columns={"Hits@10": "Hits.10"}).to_csv(path, index=False),
    "pivot.csv": lambda path: (
        TABLE.melt(["model", "dataset"], var_name="metric")
        .pivot(index="model", columns=["dataset", "metric"], values="value")
        .to_csv(path)
    ),
}


@pytest.mark.parametrize("name", WRITERS)
def test_the_same_numbers_come_of_every_file(run: Run, tmp_path: Path, name: str) -> None:
    WRITERS[name](tmp_path / name)
    screen = run("adjust", tmp_path / name, "--tool", "rotate", "--json")
    found = set()
    for row in screen.records:
        for key, value in row.items():
            if value is not None and key.split(" / ")[-1] in {"AMRR", "AH@10"}:
                found.add((key.split(" / ")[-1], round(value, 4)))
    assert found == {("AMRR", 0.2935), ("AH@10", 0.4646), ("AMRR", 0.2198), ("AH@10", 0.4999)}


@pytest.mark.parametrize("suffix", ["csv", "tex", "html", "xlsx"])
@pytest.mark.parametrize("names", [("model", "dataset"), (None, "dataset"), (None, None)])
def test_the_name_of_a_level_of_columns_is_no_column(
    tmp_path: Path, suffix: str, names: tuple[str | None, str | None]
) -> None:
    wide = TABLE.pivot(index="model", columns="dataset")
    wide = wide.rename_axis(index=names[0], columns=[None, names[1]])
    writers = {
        "csv": wide.to_csv, "tex": wide.to_latex, "html": wide.to_html, "xlsx": wide.to_excel,
    }  # fmt: skip
    path = tmp_path / f"a.{suffix}"
    writers[suffix](path)
    found = set()
    for each in rankconst.adjust(path).numbers.entries:
        assert each.constants is not None
        tasks, label = each.constants.tasks.dataset, each.entry.metric.label
        found.add((each.entry.context.model, tasks, label, float(each.entry.text)))
    assert found == {
        ("ComplEx", "fb15k237", "MRR", 0.294), ("ComplEx", "fb15k237", "Hits@10", 0.465),
        ("TransE", "wn18rr", "MRR", 0.22), ("TransE", "wn18rr", "Hits@10", 0.5),
    }  # fmt: skip


@pytest.mark.parametrize("data", [b"PAR1 and no more", b"ARROW1 and no more"])
def test_a_damaged_table_is_refused(run: Run, tmp_path: Path, data: bytes) -> None:
    (tmp_path / "a.parquet").write_bytes(data)
    assert "cannot read" in run("adjust", tmp_path / "a.parquet", "-d", "nations").message


@for_each("name", ["collect", "df", "compute", "toPandas"])
def test_what_is_not_computed_yet_is_named(name: str) -> None:
    more: dict[str, Any] = (
        {"collect": lambda _: []} if name == "toPandas" else {}
    )  # Spark's gives rows
    lazy = type("LazyFrame", (), {name: lambda _: None, "columns": ["MRR"], **more})()
    with pytest.raises(UsageError, match=rf"has not been computed yet: call \.{name}\(\) first"):
        rankconst.adjust(lazy)


def test_objects_that_are_no_table_stay_what_they_are(write: Write) -> None:
    """One column, or rows that are not numbered from 0."""
    for content, size in (
        ({"hits": {"1": 0.1, "3": 0.2}}, 2),
        ({"split": {"0": "test"}, "MRR": {"test": 0.4}}, 1),
    ):
        assert len(rankconst.read(write(json.dumps(content), "a.json")).entries) == size
