"""The commands that write, each with what it finds; the pairs of them that write to one place; and
what came of all.
"""

import functools
import http.server
import itertools
import os
import random
import shutil
import tempfile
import threading
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from faults.injecting import FAULTS, Bench, Choose, Command, Tally
from graphs import write_benchmark
from placeholders import fill_in
from rankconst.catalogue.benchmarks import list_titles, load_benchmarks
from rankconst.catalogue.protocols import SPLITS
from rankconst_builder import release, tabulate

FEW = 16
KEYS = ("alpha", "beta", "gamma")
PROTOCOL = ("--protocol", "raw")
EVERYTHING = ("--splits", "train,valid,test", "--baseline", "all")  # as releases need
RELEASE = ("tables", "release", "--from", "out", "--previous", "none", "--version")
RESULTS = "model,dataset,split,MRR\nRotatE,FB15k-237,test,0.338\nTransE,WN18RR,test,0.226\n"
PAPER = "| Model | MRR (FB15k-237) |\n|---|---|\n| RotatE | 0.338 |\n"


def make_file(key: str, split: str) -> str:
    """Return the file of a small graph."""
    draw = random.Random(f"{key} {split}").randrange  # noqa: S311 - test data
    return "".join(f"e{draw(9)}\tr{draw(2)}\te{draw(9)}\n" for _ in range(12))


def furnish() -> None:
    """Give this process small benchmarks, and constants that take no time."""
    benchmarks, titles, small = load_benchmarks(), list_titles(), {}
    assert isinstance(benchmarks, dict)
    assert isinstance(titles, dict)
    for key in KEYS:
        texts = {split: make_file(key, split) for split in SPLITS}
        small[key] = write_benchmark(Path(os.environ["RANKCONST_MIRROR"]), key, texts)
        titles[key] = (small[key].title,)
    unknown = {
        split: replace(file, remote=replace(file.remote, sha256=None))
        for split, file in small["gamma"].files.items()
    }
    benchmarks.update({**small, "gamma": replace(small["gamma"], files=unknown)})
    setattr(tabulate, "compute_moments", fill_in)  # noqa: B010 - it is there by import
    setattr(release, "DENSE", 1)  # noqa: B010 - likewise


def _results(folder: Path) -> None:
    (folder / "results.csv").write_text(RESULTS, encoding="utf-8")
    (folder / "paper.md").write_text(PAPER, encoding="utf-8")
    for name in ("adjusted.csv", "adjusted.md", "picture.svg"):
        (folder / name).write_text("old", encoding="utf-8")


def build(*keys: str, out: str = "out", options: Sequence[str] = ()) -> tuple[str, ...]:
    return ("build", *keys, *PROTOCOL, *EVERYTHING, "--out", out, *options)


def _built(*keys: str, bench: Bench) -> Path:
    """Return a folder with a set of tables."""
    folder = bench.fresh()
    (folder / "tmp").mkdir()
    assert bench.run_here(folder, build(*keys)) == 0
    return folder


def list_commands(bench: Bench, served: str) -> list[Command]:
    """Return the commands; `served` is the address of a server that has the mirror's files, and
    sets of tables.
    """
    site = ("tables", "site", "--tables", "out", "--out", "site", "--dataset", "alpha")
    sets: dict[tuple[str, ...], Path] = {
        keys: _built(*keys, bench=bench) for keys in (KEYS[:1], KEYS[:2])
    }

    def with_set(*keys: str) -> functools.partial[None]:
        return functools.partial(_copy, sets[keys] / "out")

    def with_site(folder: Path) -> None:
        shutil.copytree(sets["alpha", "beta"] / "out", folder / "out")
        assert bench.run_here(folder, (*site[:-1], "beta")) == 0

    mirror = Path(os.environ["RANKCONST_MIRROR"])
    packed = sets["alpha", "beta"] / "out"
    with zipfile.ZipFile(mirror / "set.zip", "w") as archive:
        for path in sorted(packed.iterdir()):
            archive.write(path, path.name)
    downloaded = (f"RANKCONST_MIRROR={served}",)
    cached = [f"cache/sources/example.invalid/gamma/{split}.txt" for split in SPLITS]
    forced = {
        name: ("--force", "--out", name) for name in ("adjusted.csv", "adjusted.md", "picture.svg")
    }
    return [
        Command("build, the first", build("alpha"), ["out"]),
        Command("build, into a set", build("beta"), ["out"], with_set("alpha")),
        Command("build, two datasets", build("alpha", "beta", "gamma"), ["out"], with_set("alpha", "beta")),
        Command("build, downloading", build("gamma", options=downloaded), ["out", *cached]),
        Command("release", (*RELEASE, "90.0.0"), ["data/90.0.0", "data/*.zip"], with_set("alpha", "beta")),
        Command("adjust --out", ("adjust", "results.csv", *forced["adjusted.csv"]), ["adjusted.csv"], _results),
        Command("adjust --replace --out", ("adjust", "paper.md", "--replace", "AMRR", *forced["adjusted.md"]),
                ["adjusted.md"], _results),
        Command("adjust a picture --out", ("adjust", "results.csv", *forced["picture.svg"]), ["picture.svg"], _results),
        Command("site, the first", site, ["site"], with_set("alpha", "beta")),
        Command("site, in place of one", site, ["site"], with_site),
        Command("show --tables URL.zip", ("show", "alpha", *PROTOCOL, "--tables", f"{served}/set.zip"),
                ["cache/tables/*.zip"]),
    ]  # fmt: skip


def list_others(served: str, with_set: Callable[[Path], None]) -> list[Command]:
    """Return commands that only meet others: in each place that one writes to, what else can write
    or read there.
    """
    own = ("--tables", "out", "--force", "--out", "own.csv")
    elsewhere = build("gamma", out="other", options=(f"RANKCONST_MIRROR={served}",))
    adjust = ("adjust", "0.3", "--dataset", "alpha", "--metric", "mrr", *PROTOCOL, *own)
    site = ("tables", "site", "--tables", "out", "--out", "site")
    found = [
        Command("build of another dataset", build("gamma"), ["out"]),
        Command("build into the release", build("gamma", out="data/90.0.0"), ["data/90.0.0"], once=True),
        Command("build elsewhere", elsewhere, ["other"]),
        Command("show", ("show", "alpha", *PROTOCOL, "--tables", "out"), ["out"]),
        Command("release of another version", (*RELEASE, "91.0.0"), ["data/91.0.0"]),
        Command("adjust with the set", adjust, ["own.csv"], with_set),
        Command("site of all datasets", site, ["site"], with_set),
    ]  # fmt: skip
    for title, (arguments, endings) in WRITERS.items():
        for ending, (place, force) in itertools.product(endings, PLACES.items()):
            path = place + ending
            asked = (*arguments, "--out", path, *force)
            named = f"{title} to {path}"
            found.append(Command(named, asked, [path], _results, once=not force))
    return found


WRITERS = {
    "adjust": (("adjust", "results.csv", "--format", "csv"), (".md", ".svg")),
    "adjust --replace": (("adjust", "paper.md", "--replace", "AMRR"), (".md",)),
    "adjust a picture": (("adjust", "results.csv"), (".svg",)),
}
"""What writes one file, and endings that it may have."""

PLACES = {"same": ("--force",), "new": ()}
"""Names of files that may be replaced, and of one that may not be there."""

PAIRS = {
    "build, the first": ("build, the first", "build of another dataset"),
    "build, into a set": (*("build of another dataset", "build, into a set", "build, two datasets", "release"),
         *("show", "adjust with the set", "site, the first")),
    "build, two datasets": ("build of another dataset", "build, two datasets", "release", "site of all datasets"),
    "release": (*("build, into a set", "build into the release", "release", "release of another version"),
         "site, the first"),
    "adjust with the set": ("build, into a set",),
    "site, the first": ("build, into a set", "release", "site, the first"),
    "site, in place of one": ("site, in place of one", "site of all datasets", "build, two datasets", "release"),
    "build, downloading": ("build elsewhere", "build, downloading", "show --tables URL.zip"),
    "show --tables URL.zip": ("show --tables URL.zip", "build, downloading"),
    **{title: (title,) for title in ("adjust --out", "adjust --replace --out", "adjust a picture --out")},
    **{
        f"{one} to {place}{ending}": tuple(
            f"{other} to {place}{ending}" for other in WRITERS if ending in WRITERS[other][1]
        )
        for one, (_, endings) in WRITERS.items()
        for ending in endings
        for place in PLACES
    },
}  # fmt: skip
"""Commands that write to one place, or of which one reads what the other writes: which is stopped,
and the others.
"""


def list_pairs(commands: Sequence[Command], served: str) -> list[tuple[Command, Command]]:
    """Return the pairs of commands that can meet."""
    named = {
        command.title: command for command in [*commands, *list_others(served, commands[1].prepare)]
    }
    return [(named[first], named[second]) for first, others in PAIRS.items() for second in others]


def choose_all(points: int) -> list[tuple[int, str]]:
    """Return every point with every fault."""
    return [(at, fault) for at in range(points) for fault in FAULTS]


def choose_each(points: int) -> list[tuple[int, str]]:
    """Return every point once, with the faults in turn; of a few points all, with every fault."""
    return (
        choose_all(points)
        if points <= FEW
        else [(at, FAULTS[at % len(FAULTS)]) for at in range(points)]
    )


def choose_some(points: int) -> list[tuple[int, str]]:
    """Return a point in the middle or near the end, with a fault."""
    at = points - 2 if points % 2 else points // 2
    return [(at, FAULTS[at % len(FAULTS)])]


def inject(choose: Choose, *, every: int = 1, pairs: int = 1) -> Iterator[Tally]:
    """Try each `every`-th command and each `pairs`-th pair, where and with what `choose` returns."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        os.environ |= {"RANKCONST_MIRROR": str(root / "mirror"), "NO_PROXY": "*"}
        furnish()
        (root / "runs").mkdir()
        bench = Bench(root / "runs")
        with serve(root / "mirror") as served:
            commands = list_commands(bench, served)
            for command in commands[::every]:
                bench.warm_up(command)
                yield bench.try_faults(command, choose)
            for first, second in list_pairs(commands, served)[::pairs]:
                yield bench.try_pair(first, second, lambda points: choose(points)[::3])


def _copy(out: Path, folder: Path) -> None:
    shutil.copytree(out, folder / "out")


@contextmanager
def serve(folder: Path) -> Iterator[str]:
    """Serve a folder on the loopback from a child process, so that this one has a single thread."""
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(_Silent, directory=str(folder))
    )
    child = os.fork()
    if not child:
        threading.Timer(3600, os._exit, (0,)).start()
        server.serve_forever()
    server.server_close()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        os.kill(child, 9)
        os.waitpid(child, 0)


class _Silent(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Say nothing."""
