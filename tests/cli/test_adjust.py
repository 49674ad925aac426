"""``rankconst adjust``: the numbers, the spellings, and every way to get it wrong."""

from cli.conftest import Run

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
