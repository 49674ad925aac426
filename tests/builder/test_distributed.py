"""Counting on a cluster gives what one process gives, also where a worker ends in the middle."""

import importlib.util
import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NoReturn

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from brute import ORDER
from cases import choose, for_each, thorough
from graphs import STATIC
from rankconst.errors import DataError, UsageError
from rankconst_builder import distributed as module
from rankconst_builder.columnar import Columns, encode_ids, open_columns, open_url
from rankconst_builder.distributed import choose_files, connect, count_distributed, hash_files
from rankconst_builder.facts import describe_graph
from rankconst_builder.graph import Graph
from rankconst_builder.tallies import count_histograms, list_histograms

# Imported by the tests alone: it takes a second, and every process of a run collects all tests.
if importlib.util.find_spec("distributed") is None:
    pytest.skip("Dask is not installed: pip install distributed", allow_module_level=True)

PROTOCOLS = [*STATIC.values()]
pytestmark = [
    pytest.mark.slow,
    # Dask's own, about sockets and processes that end late.
    pytest.mark.filterwarnings("ignore"),
]


# In this process workers speak the same protocol, and start at once.
LOCAL = {"processes": choose(False, True), "protocol": "tcp://", "host": "127.0.0.1"}
LOCAL |= {"dashboard_address": None, "silence_logs": 50}


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    distributed: Any = importlib.import_module("distributed")

    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, **LOCAL) as running:
        yield running


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Columns]:
    home = tmp_path_factory.mktemp("graph")
    draw, found = np.random.default_rng(0).integers, {}
    for split in ORDER:
        rows, entities, relations = (3000, 190, 9) if split == "train" else (120, 200, 10)
        head = 3 * draw(0, entities, rows) ** 2 // entities
        relation, tail = draw(0, relations, rows), draw(0, entities, rows)
        found[split] = put(home / f"{split}.parquet", head=head, relation=relation, tail=tail)
    return found


@pytest.fixture(scope="module")
def expected(files: dict[str, Columns]) -> Graph:
    graph = encode_ids(files)
    assert graph is not None
    return graph


def compare(
    client: Any,
    files: dict[str, Columns],
    expected: Graph,
    splits: tuple[str, ...] = ORDER,
    room: int | None = None,
) -> None:
    """Count on a cluster, and in this process."""
    graph, statistics, tallies = count_distributed(client, files, PROTOCOLS, splits, room)
    assert statistics == describe_graph(expected)
    found = list_histograms("mykg", graph, PROTOCOLS, tallies)
    assert found == count_histograms("mykg", expected, PROTOCOLS, (), splits)[0]


@pytest.mark.parametrize(
    ("splits", "room"),
    choose([(ORDER, 20_000)], [(ORDER, 20_000), (ORDER, None), (("valid", "test"), 20_000)]),
)
def test_a_cluster_counts_what_one_process_counts(
    cluster: Any,
    files: dict[str, Columns],
    expected: Graph,
    splits: tuple[str, ...],
    room: int | None,
) -> None:
    with connect(cluster.scheduler_address) as client:
        compare(client, files, expected, splits, room)


@thorough  # it takes a process
def test_a_worker_that_ends_in_the_middle_changes_nothing(
    cluster: Any, files: dict[str, Columns], expected: Graph
) -> None:
    with connect(cluster.scheduler_address) as client:
        ended: list[int] = []

        def end_one() -> None:
            # As soon as a worker holds the words of row groups that others need.
            while not any(len(held) > 3 for held in client.has_what().values()):
                time.sleep(0.001)
            ended.extend(client.run(os.getpid).values())
            os.kill(ended[0], signal.SIGKILL)

        thread = threading.Thread(target=end_one)
        thread.start()
        compare(client, files, expected, room=20_000)
        thread.join(60)
        assert ended


def test_train_may_be_in_files_at_a_url(
    cluster: Any, files: dict[str, Columns], expected: Graph, tmp_path: Path
) -> None:
    rows = pq.read_table(files["train"].files[0])
    for place, part in enumerate((rows.slice(0, 1700), rows.slice(1700))):
        pq.write_table(part, tmp_path / f"part {place}.parquet", row_group_size=500)
    (tmp_path / "_SUCCESS").touch()
    train = open_url(tmp_path.as_uri())
    with connect(cluster.scheduler_address) as client:
        compare(client, {**files, "train": train}, expected, ("test",))
        assert hash_files(client, train).sha256 == train.describe().sha256
    local = open_columns(tmp_path)
    assert local is not None
    assert local.describe() == train.describe()


def put(path: Path, **columns: Any) -> Columns:
    pq.write_table(pa.table(columns), path, row_group_size=400)
    found = open_columns(path)
    assert isinstance(found, Columns)
    return found


@pytest.mark.parametrize(
    ("head", "size", "told"),
    [
        ([1, -2], None, r"row group 0, row 1: the head is -2; expected an id from 0 to"),
        ([None, 2], None, r"row group 0, row 0: the head has no value"),
        ([1, 2], 90, r"a worker cannot read .*train\.parquet: .*Workers need the same file in the same place\."),
        (["a", "b"], None, r"--scheduler counts ids: train has to be Parquet of whole numbers\. Write it so\."),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_file_is_said(
    cluster: Any,
    files: dict[str, Columns],
    tmp_path: Path,
    head: list[Any],
    size: int | None,
    told: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = tmp_path / "train.parquet"
    train = put(path, head=head, relation=[0, 1], tail=[1, 2])
    groups = module._list_groups(train)
    monkeypatch.setattr(module, "_list_groups", lambda _: groups)
    path.write_bytes(path.read_bytes()[:size])
    with connect(cluster.scheduler_address) as client, pytest.raises(DataError, match=told):
        count_distributed(client, choose_files({**files, "train": train}), PROTOCOLS, ("test",))


def test_a_scheduler_that_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_PATIENCE", 0.2)
    told = r"no scheduler answers at tcp://127\.0\.0\.1:9: .*Start one with `dask scheduler`"
    with pytest.raises(UsageError, match=told):
        connect("tcp://127.0.0.1:9")
    with pytest.raises(UsageError, match="no scheduler answers at nowhere://x"):
        connect("nowhere://x")


def test_a_scheduler_without_workers(
    files: dict[str, Columns], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Dask would wait for workers for ever, from the start or as soon as the last one ends."""
    distributed: Any = importlib.import_module("distributed")
    monkeypatch.setattr(module, "_PATIENCE", 0.3)
    monkeypatch.setattr(module, "_MOST_WAITS", 2)
    with distributed.LocalCluster(n_workers=0, **LOCAL) as empty:
        address = empty.scheduler_address
        with pytest.raises(UsageError, match=rf"{address} has no workers\. Start some with `dask "):
            connect(address)
        with (
            distributed.Client(address) as client,
            pytest.raises(DataError, match="no worker is left"),
        ):
            count_distributed(client, files, PROTOCOLS, ("test",))


def test_workers_of_another_version(cluster: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "__version__", "9.9.9")
    distributed: Any = importlib.import_module("distributed")
    with distributed.Client(cluster.scheduler_address) as client:
        for found, told in (
            ("another hash", "it has other code"),
            (ModuleNotFoundError("No module x"), "No module x"),
        ):
            monkeypatch.setattr(client, "run", lambda *_, found=found, **__: {"tcp://a:1": found})
            with pytest.raises(
                UsageError,
                match=rf"the worker at tcp://a:1 does not run this .*: {told}\. .* 9\.9\.9",
            ):
                module._check_workers(client, "x")


@for_each(
    ("error", "told"),
    [
        (("KilledWorker", "task", None, 3), "workers ended again and again in the same task"),
        (("CancelledError", "key"), r"the scheduler is lost: key\. Start it, and build again\."),
        (("TimeoutError", "no heartbeat"), "the scheduler is lost: no heartbeat"),
    ],
)
def test_a_cluster_that_is_lost(error: tuple[Any, ...], told: str) -> None:
    def gather(_: object) -> NoReturn:
        raise getattr(importlib.import_module("distributed"), error[0])(*error[1:])

    columns = Columns("x", 0, [], "hrt", lambda: iter([]), is_ids=True)
    with pytest.raises(DataError, match=told):
        hash_files(SimpleNamespace(gather=gather), columns)
