"""Throw hostile inputs and machine faults at the command line, and count what came of them in scripts/attack.json.

Run: python scripts/attack.py [CLASS...], on Linux. Each input has a process and a folder of its own. It fails if a
traceback shows, if an error has no message or another exit code than the documented ones, if it takes more than a
minute of the processor or 1.5 GB, leaves a temporary file, or if something damaged is taken for whole. The figures keep
how many failures earlier attacks found; those that are gone are mended.
"""

from __future__ import annotations

import bz2
import contextlib
import gzip
import hashlib
import importlib
import io
import itertools
import json
import lzma
import math
import os
import random
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import time
import warnings
import zipfile
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

ROOT = Path(__file__).resolve().parents[1]
FIGURES = ROOT / "scripts" / "attack.json"
sys.path[:0] = [str(ROOT / name) for name in ("", "builder", "fuzz", "tests")]

LONGEST_MESSAGE = 8000
DOCUMENTED = {0, 2, 3, 4, 5, 6, 7}
SIGNS = ("Traceback", "Exception ignored", "lost sys.std", "terminate called", "Fatal Python", "Warning: ")
PLACE = ("in", "out", "err", "tmp", "cache", "here")
LEFT = ("tmp/*", "cache/**/.incoming*", "here/**/.rankconst-*", "here/**/.*incoming*", "here/**/*.draft")

TRIPLES = b"".join(b"e%d\tr%d\te%d\n" % (i * 7 % 11, i % 3, i * 5 % 13) for i in range(60))
FILES = {
    "t.txt": TRIPLES,
    "u.txt": b"".join(TRIPLES.splitlines(True)[:7]),
    "r.csv": b"model,dataset,MRR,MR,Hits@10\nA,nations,0.5,3,0.9\n",
}
BUILD = ["build", "--train", "t.txt", "--test", "u.txt", "--name", "mine", "-p", "raw", "-q", "--out"]
SHOW = ["show", "mine", "-p", "raw", "-m", "mrr", "-f", "csv", "--tables"]
ODD = ["1_0", "0x1F", "1e999", "-1e999", "nan", "inf", "١٢", "½", "--1", ".", "1" * 400, "null", "9" * 5000, ""]


@dataclass(frozen=True)
class Case:
    """An input: a command, its files, and what is strange about its process."""

    label: str
    args: Sequence[str | bytes]
    files: Mapping[str, bytes] = field(default_factory=dict)
    before: Callable[[], object] = lambda: None  # in the process and its folder
    env: Mapping[str, str | None] = field(default_factory=dict)
    after: tuple[float, int] | None = None  # seconds, and the signal that comes then
    bare: bool = False  # True for a fresh interpreter
    codes: frozenset[int] = frozenset()  # further exit codes that are right
    truth: bytes | None = None  # what is printed if it is accepted
    warned: str = ""  # what is said if something else is printed with good reason
    kept: Sequence[str] = ()  # which of its files have to be there afterwards as before


def run(case: Case) -> tuple[int, bytes, list[str]]:
    """Run an input in a process of its own; returns its exit code, what it printed, and what is wrong with that."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as made:
        place = Path(made).resolve()
        for name, content in {"in": FILES["r.csv"], "tmp/": b"", **{f"here/{n}": FILES[n] for n in FILES}}.items():
            _put(place / name, content)
        for name, content in case.files.items():
            _put(place / "here" / name, content)
        if not (child := os.fork()):
            _run(case, place)
        if case.after is not None:
            time.sleep(case.after[0])
            os.kill(child, case.after[1])  # of one that ended, nobody has asked yet
        _, status, used = os.wait4(child, 0)
        lost = [name for name in case.kept if _read(place / "here" / name) != {**FILES, **case.files}[name]]
        left = [path.name for pattern in LEFT for path in place.glob(pattern)]
        out, err = (place / "out").read_bytes(), (place / "err").read_text(encoding="utf-8", errors="replace")
        code = os.waitstatus_to_exitcode(status)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)  # what it started to disturb it
        checks = {
            f"exit code {code}": code not in DOCUMENTED | case.codes,
            "no message": code in DOCUMENTED - {0} and not any(word in err for word in ("rror", "finding")),
            f"{used.ru_utime:.0f} s, {used.ru_maxrss >> 10} MB": used.ru_utime > 60 or used.ru_maxrss > 1.5e6,
            "more than anybody reads": len(err) > LONGEST_MESSAGE,
            "control characters": any(sign < " " and sign not in "\n\t" for sign in err),
            f"left {left}": bool(left),
            f"lost {lost}": bool(lost),
            "written elsewhere": any(path.name not in PLACE and path.name[0] != "." for path in place.iterdir()),
            "taken for whole": not code and case.truth not in {None, out} and (case.warned or "\0") not in err,
            **{sign: sign in err for sign in SIGNS},
        }
        return code, out, [f"{what}: {err[-300:]!r}" for what, holds in checks.items() if holds]


def _put(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content) if path.name != "tmp" else path.mkdir()


def _read(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None


def _run(case: Case, place: Path) -> None:
    """Be the process of an input."""
    own = {"HOME": str(place), "RANKCONST_CACHE": f"{place}/cache", "TMPDIR": f"{place}/tmp", "RANKCONST_MIRROR": None}  # noqa: S108 - a folder of its own
    own |= {"NO_PROXY": "*", "PYTHONPATH": os.pathsep.join(sys.path[:2]), **case.env}
    env = {name: value for name, value in {**os.environ, **own}.items() if value is not None}
    os.setpgid(0, 0)
    os.chdir(place / "here")
    for number, name in enumerate(("in", "out", "err")):
        os.dup2(os.open(place / name, os.O_WRONLY | os.O_CREAT if number else os.O_RDONLY), number)
    resource.setrlimit(resource.RLIMIT_CPU, (200, 200))
    arguments = [os.fsdecode(each) for each in case.args]
    code: Any = 1
    try:
        case.before()
        if case.bare:
            os.execve(sys.executable, [sys.executable, "-m", "rankconst", *arguments], env)  # noqa: S606 - it is all ours
        os.environ.clear()
        os.environ.update(env)
        tempfile.tempdir = None
        sys.stdin, sys.stdout, sys.stderr = (os.fdopen(n, "w" if n else "r", encoding="utf-8") for n in range(3))
        sys.argv = ["rankconst", *arguments]
        from rankconst.cli import main

        main()
    except SystemExit as stopped:
        code = stopped.code
    except BaseException:  # noqa: BLE001 - the process ends here, whatever happens
        sys.excepthook(*sys.exc_info())
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(code or 0)


ATTACKS: dict[str, Callable[[random.Random], Iterator[Case]]] = {}


def _attack(function: Callable[[random.Random], Iterator[Case]]) -> Callable[[random.Random], Iterator[Case]]:
    ATTACKS[function.__name__.replace("_", " ")] = function
    return function


@cache
def _whole_set(folder: str = "") -> dict[str, bytes]:
    """Return the files of a set of tables, in a folder."""
    if folder:
        return {f"{folder}/{name}": content for name, content in _whole_set().items()}
    with tempfile.TemporaryDirectory() as made:
        for name, content in FILES.items():
            _put(Path(made) / name, content)
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path[:2])}
        subprocess.run([sys.executable, "-m", "rankconst", *BUILD, "o"], cwd=made, env=environment, check=True)
        return {path.name: path.read_bytes() for path in (Path(made) / "o").iterdir()}


def _change(file: str, place: int, odd: int) -> None:
    """Damage a column of the set that is there, or cut its file, and write the hash that the file now has."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    path, files = Path("set") / file, json.loads(Path("set/datapackage.json").read_bytes())
    table = pq.read_table(path, use_threads=False)
    name = table.column_names[place % table.num_columns]
    column = table[name]
    kind, rest = column.type, column.to_pylist()[1:]
    values = [None, -1, math.nan, 2**62, math.inf, "x" * 10**6, [None], "\x1b[31m"]
    if odd < len(values):
        with contextlib.suppress(pa.ArrowException, OverflowError):
            changed = table.set_column(place % table.num_columns, name, pa.array([values[odd], *rest], kind))
            pq.write_table(changed, path)
    elif odd == len(values):
        pq.write_table(table.drop([name]), path)
    elif odd == len(values) + 1:
        pq.write_table(
            table.set_column(place % table.num_columns, name, pa.array([str(each) for each in (None, *rest)])), path
        )
    elif odd == len(values) + 2:
        pq.write_table(table.take(pa.array(bytes(3 * 10**6), pa.uint8())), path)
    else:
        path.write_bytes(path.read_bytes()[: -7 * place - 1])
    for each in files["resources"]:
        each["hash"] = f"sha256:{hashlib.sha256((Path('set') / each['path']).read_bytes()).hexdigest()}"
    Path("set/datapackage.json").write_text(json.dumps(files), encoding="utf-8")


USES = [
    [*SHOW, "set"],
    [*BUILD, "set"],
    ["verify", "set", "-q", "-f", "json"],
    ["datasets", "--tables", "set", "-f", "json"],
    ["release", "--from", "set", "--version", "9.0.0", "--previous", "none", "--out", "o", "--zip", "z.zip", "-q"],
    ["site", "--tables", "set", "--out", "o", "-q"],
]


@_attack
def tables(draw: random.Random) -> Iterator[Case]:
    """Yield sets of which a table or the descriptor is damaged, with the right hashes."""
    names = sorted(name for name in _whole_set() if name.endswith(".parquet"))
    every = [*itertools.product(names, range(33), range(12), USES)]
    for file, place, odd, use in draw.sample(every, 90):
        yield Case(f"{use[0]}: {file} {place} {odd}", use, _whole_set("set"), partial(_change, file, place, odd))
    text = _whole_set()["datapackage.json"]
    changes = [text[:99], b"", b"[]", b"\xff", b'{"version":' + b"[" * 10**5, text.decode().encode("utf-16")]
    for name, value in itertools.product(
        ("version", "resources", "provenance"), (None, 1, "x" * 9999, [None], {"a": 1})
    ):
        changes.append(json.dumps({**json.loads(text), name: value}).encode())
    for change, use in itertools.product(changes, USES[::3]):
        yield Case(f"{use[0]}: {change[:30]!r}", use, {**_whole_set("set"), "set/datapackage.json": change})


@_attack
def zip_files(draw: random.Random) -> Iterator[Case]:
    """Yield sets in zip files with damaged bytes."""
    whole = run(Case("", [*SHOW, "set"], _whole_set("set")))[1]
    for packing in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        with zipfile.ZipFile(stream := io.BytesIO(), "w", packing) as archive:
            for name, content in _whole_set("s").items():
                archive.writestr(name, content)
        content = stream.getvalue()
        for place in [*draw.sample(range(60), 8), *draw.sample(range(content.index(b"PK\x01\x02"), len(content)), 9)]:
            damaged = content[:place] + draw.randbytes(1) + content[place + 1 :]
            yield Case(f"{packing} at {place}", [*SHOW, "x.zip"], {"x.zip": damaged}, truth=whole)
        for size in (4, len(content) // 2, len(content) - 1):
            yield Case(f"{packing} cut at {size}", [*SHOW, "x.zip"], {"x.zip": content[:size]}, truth=b"")
    files = [*_whole_set().items()]
    for what, entries in {
        "twice, the first other": [("constants.parquet", b"PAR1"), *files],
        "twice, the last other": [*files, ("constants.parquet", b"PAR1")],
        "other cases": [*files, ("Constants.parquet", b"PAR1"), ("DATAPACKAGE.JSON", b"{}")],
        "names of devices": [*files, ("CON", b""), ("aux.txt", b""), ("a:b", b"")],
        "up": [(f"../{name}", content) for name, content in files],
        "absolute": [(f"/tmp/{name}", content) for name, content in files],  # noqa: S108 - nothing is written
        "backslashes": [(f"set\\{name}", content) for name, content in files],
        "two sets": [(f"{folder}/{name}", content) for folder in "ab" for name, content in files],
        "zip in zip": [("set.zip", b"PK\x05\x06" + bytes(18))],
        "70,000 files": [*files, *((f"f{number}", b"") for number in range(70_000))],
    }.items():
        with warnings.catch_warnings(), zipfile.ZipFile(stream := io.BytesIO(), "w") as archive:
            warnings.simplefilter("ignore")  # of names that are there twice
            for name, content in entries:
                archive.writestr(name, content)
        yield Case(what, [*SHOW, "x.zip"], {"x.zip": stream.getvalue()}, truth=whole)


@_attack
def graphs(draw: random.Random) -> Iterator[Case]:
    """Yield files of triples that are strange, or packed and damaged."""
    build, digits = [*BUILD, "o"], b"9" * 5000
    odd = [
        b"",
        b"\n",
        b"\0" * 999,
        b"a\tb\n",
        b"a\tr\tb\tc\n",
        TRIPLES.replace(b"\n", b"\r"),
        TRIPLES[:-1],
        b"\t\t\n" * 9,
    ]
    odd += [b"a" * 2**25 + b"\tr\tb\n", TRIPLES.decode().encode("utf-16"), b"\xff" * 99, b'"a\tr\tb\n"c"\tr\t"d\n']
    odd += [
        digits + b"\n1 2 0\n",
        TRIPLES + digits + b"\ta\tr\tb\n",
        b"<http://a> <http://r> <http://b> .\n",
        b"1_0\n" + TRIPLES,
    ]
    for content, options in itertools.product(odd, ([], ["--columns", "hrtd"])):
        yield Case(f"{content[:20]!r} {options}", [*build, *options], {"t.txt": content})
    yield Case("entity2id.txt", build, {"entity2id.txt": digits})
    for pack in (gzip.compress, bz2.compress, lzma.compress):
        packed = pack(TRIPLES)
        cut = [packed[:-3], packed + b"x", pack(bytes(2**28))]
        places = draw.sample(range(len(packed)), 12)
        cut += [packed[:place] + draw.randbytes(1) + packed[place + 1 :] for place in places]
        for content in cut:
            yield Case(f"{pack.__module__} {len(content)}", build, {"t.txt": content})


@_attack
def numbers(_: random.Random) -> Iterator[Case]:
    """Yield texts that int() or float() may take for numbers."""
    for text in ODD:
        counts = f"num_candidates,num_tasks\n9,1\n{text},1\n".encode()
        yield Case(
            f"counts {text[:20]}", ["adjust", "2", "-m", "mr", "--counts", "c.csv"], {"c.csv": counts}, truth=b""
        )
        yield Case(
            f"tasks {text[:20]}", ["adjust", "2", "-m", "mr", "-p", "sampled:9", f"--num-tasks={text}"], truth=b""
        )
        results = f"model,dataset,MRR\nA,nations,0.3\nB,nations,{text}\n".encode()
        for use in ("adjust r.csv -f json", "check r.csv", "adjust r.csv --replace AMRR"):
            yield Case(f"{use} {text[:20]}", use.split(), {"r.csv": results})


@_attack
def results_files(draw: random.Random) -> Iterator[Case]:
    """Yield files of results that are cut, repeated, spoilt or in another encoding."""
    import fuzz_seeds

    kinds = {
        "csv": "csv",
        "markdown": "md",
        "latex": "tex",
        "text": "txt",
        "structured": "json",
        "logs": "log",
    }
    seeds = [(kinds[kind], text[1:]) for kind in kinds for text in fuzz_seeds.list_seeds(kind)[::3] if text[1:]]
    uses = [
        "adjust -f json",
        "adjust -f latex",
        "adjust --replace index",
        "adjust -d nations",
        "check -d nations",
    ]
    for ending, text in (draw.choice(seeds) for _ in range(160)):
        at, lines = draw.randrange(len(text)), text.split(b"\n")
        line, sign = draw.randrange(len(lines)), draw.choice([b" ", b"[", b"{", b"|", b"\\", b"&", b'"', b"x", b"> "])
        many = b"\n".join([*lines[:line], *[lines[line]] * 5000, *lines[line + 1 :]])
        put = [b"\0" * 5000, b"\xe9", draw.randbytes(9), sign * 10**5, draw.choice(ODD).encode()]
        wide = text.decode("utf-8", "replace").encode("utf-16")
        changed = [text[:at], wide, text.replace(b"\n", b"\r"), many, *(text[:at] + each + text[at:] for each in put)]
        command, *options = draw.choice(uses).split()
        yield Case(f"{command} {ending}", [command, f"x.{ending}", *options], {f"x.{ending}": draw.choice(changed)})


STRANGE: list[str | bytes] = [
    "",
    "-",
    " ",
    "x" * 5000,
    "-1",
    "1_0",
    "9" * 5000,
    "CON",
    "../x",
    "/dev/zero",
    "/",
    "..",
    "doi:",
]
STRANGE += [
    b"\xff\xfe",
    "\x1b[31mred",
    "a\nb",
    "http://",
    "http://[::1",
    "file:///etc/passwd",
    "loop",
    "r.csv/x",
    "\u202e",
]
STRANGE += ["hits@0", "hits@" + "9" * 20, "sampled:0", "sampled:" + "9" * 30, "nations,umls", "relation", "all", "set"]
COMMANDS = {
    name: f"{name} {rest}".split()
    for name, rest in {
        "adjust": "r.csv -f csv --out a.csv --force",
        "show": "nations",
        "check": "r.csv",
        "compare": "0.3 0.4 -d nations -m mrr",
        "plot": "r.csv --out a.svg --force",
        "export": "--format long -d nations --out a.csv --force",
        "build": " ".join([*BUILD[1:], "o"]),
        "site": "-d nations --out o",
        "verify": "set",
    }.items()
}


@_attack
def arguments(draw: random.Random) -> Iterator[Case]:
    """Yield strange values of every option."""
    from typer.main import get_command

    from rankconst.cli.app import make_app

    commands: Any = get_command(make_app())
    every = [
        [*COMMANDS.get(name, [name]), option.opts[0], value]
        for name, command in commands.commands.items()
        for option in command.params
        if option.param_type_name == "option" and not option.is_flag
        for value in STRANGE
    ]
    for args in draw.sample(every, 160):
        yield Case(
            f"{args[0]} {args[-2]} {args[-1][:30]!r}", args, _whole_set("set"), partial(Path("loop").symlink_to, "loop")
        )


def _leave() -> None:
    os.chdir(gone := tempfile.mkdtemp())
    Path(gone).rmdir()


@_attack
def machine(_: random.Random) -> Iterator[Case]:
    """Yield streams, folders and variables that are closed, full or gone."""
    faults: dict[str, dict[str, Any]] = {
        **{f"stream {n} closed": {"before": partial(os.close, n)} for n in range(3)},
        "output full": {"before": lambda: os.dup2(os.open("/dev/full", os.O_WRONLY), 1)},
        "the folder is gone": {"before": _leave},
        "no HOME": {"env": {"HOME": None, "RANKCONST_CACHE": None}},
        "no TMPDIR": {"env": {"TMPDIR": "/nowhere"}},
        "plain C": {"env": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}},
        "narrow": {"env": {"COLUMNS": "1"}},
        "optimised": {"env": {"PYTHONOPTIMIZE": "2"}},
    }
    for (fault, strange), name in itertools.product(faults.items(), ("adjust", "plot", "build", "site", "verify")):
        yield Case(f"{fault}: {name}", COMMANDS[name], _whole_set("set"), bare=True, **strange)


@_attack
def little_memory(_: random.Random) -> Iterator[Case]:
    """Yield less and less memory."""
    kinds = {"AS": (40, 90, 200, 300, 500, 639, 700), "DATA": (20, 40, 100, 319, 400)}
    for kind, name in itertools.product(kinds, ("adjust", "plot", "export", "build", "site")):
        for size in kinds[kind]:
            limit = partial(resource.setrlimit, getattr(resource, f"RLIMIT_{kind}"), (size << 20, size << 20))
            yield Case(f"{kind} {size}: {name}", COMMANDS[name], before=limit, bare=True)


@_attack
def signals(draw: random.Random) -> Iterator[Case]:
    """Yield Ctrl-C and requests to end, at any moment."""
    for name, number in itertools.product(COMMANDS, [signal.SIGINT, signal.SIGTERM] * 2):
        # Before and after its own code runs, Python leaves signals to the system.
        codes, after = frozenset({128 + number, -number}), (draw.uniform(0.05, 3), number)
        yield Case(f"{number.name}: {name}", COMMANDS[name], _whole_set("set"), after=after, bare=True, codes=codes)


def _feed(name: str, content: bytes) -> None:
    """Write into a pipe, in a process of its own that does not wait for ever."""
    if os.fork():
        return
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(60)
    with contextlib.suppress(OSError):
        Path(name).write_bytes(content)
    os._exit(0)


def _disturb(change: Callable[[str, bytes], object], name: str, content: bytes) -> None:
    """Change a file for some seconds, again and again, while it is read."""
    Path(name).write_bytes(content)
    if os.fork():
        return
    until = time.monotonic() + 4
    while time.monotonic() < until:
        with contextlib.suppress(OSError):
            change(name, content)
            time.sleep(0.001)
    os._exit(0)


def _grow(name: str, content: bytes) -> None:
    with Path(name).open("ab") as stream:
        stream.write(content)


def _renew(name: str, content: bytes) -> None:
    Path(name).unlink(missing_ok=True)
    Path(name).write_bytes(content)


def _link(target: str, name: str, content: bytes) -> None:
    if target == "real":
        Path(target).write_bytes(content)
    Path(name).symlink_to(target)


def _pipe(name: str, content: bytes) -> None:
    os.mkfifo(name)
    _feed(name, content)


def _standard_input(name: str, content: bytes) -> None:
    Path("real").write_bytes(content)
    os.dup2(os.open("real", os.O_RDONLY), 0)
    Path(name).symlink_to("/dev/stdin")


def _again(change: Callable[[bytes], bytes], name: str, content: bytes) -> None:
    Path(name).write_bytes(change(content))


# What makes a file of a name and a content, and whether what is read is the same as from a plain one.
KINDS: dict[str, tuple[Callable[[str, bytes], object], bool]] = {
    **{name: (partial(_again, change), True) for name, change in {
        "lines of Windows": lambda text: text.replace(b"\n", b"\r\n"),
        "no last line end": lambda text: text.rstrip(b"\n"),
        "byte order mark": lambda text: b"\xef\xbb\xbf" + text,
    }.items()},
    **{name: (partial(_again, change), False) for name, change in {
        "UTF-16": lambda text: text.decode().encode("utf-16"),
        "UTF-16 without a mark": lambda text: text.decode().encode("utf-16-be"),
        "UTF-32": lambda text: text.decode().encode("utf-32"),
        "two marks": lambda text: b"\xef\xbb\xbf" * 2 + text,
        "lines of old Macs": lambda text: text.replace(b"\n", b"\r"),
        "other line ends": lambda text: text.replace(b"\n", "\u2028".encode()),
        "zeros at the end": lambda text: text + bytes(5000),
        "Ctrl-Z at the end": lambda text: text + b"\x1a",
        "nothing": lambda _: b"",
        "blanks": lambda _: b" \n" * 9,
        "a page that says 404": lambda _: b"<!DOCTYPE html><html><title>404</title><body>Not found</body></html>\n",
        "a pointer of Git LFS": lambda _: b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"a" * 64,
        "gzip": gzip.compress,
    }.items()},
    "pipe": (_pipe, True),
    "standard input": (_standard_input, True),
    "link": (partial(_link, "real"), True),
    **{target: (partial(_link, target), False) for target in (
        "nowhere", "x", "/dev/null", "/dev/full", "/dev/tty", "/proc/self/mem", "/proc/self/environ", "/proc/self/fd"
    )},
    "folder": (lambda name, _: Path(name).mkdir(), False),
    "growing": (partial(_disturb, _grow), False),
    "shrinking": (partial(_disturb, lambda name, text: os.truncate(name, len(text) // 2)), False),
    "vanishing": (partial(_disturb, _renew), False),
}  # fmt: skip
COUNTS = b"num_candidates,num_tasks\n9,3\n14,5\n"
READS: dict[str, bytes] = {
    "adjust x.csv -f json": FILES["r.csv"],
    "adjust x.csv --replace AMRR": FILES["r.csv"],
    "adjust x.md -f csv": b"| model | dataset | MRR |\n|--|--|--|\n| A | nations | 0.5 |\n",
    "adjust 2 -m mr -f csv --counts x.csv": COUNTS,
    "compare 2 3 -m mr -f csv --counts x.csv": COUNTS,
    "check x.csv -d nations -f csv": FILES["r.csv"],
    "plot x.csv --out a.svg": FILES["r.csv"],
    "build --train x --test u.txt --name mine -p raw -q --out o -f csv": TRIPLES,
    "build --train t.txt --test x --name mine -p raw -q --out o -f csv": FILES["u.txt"],
    "build --train t.txt --test u.txt --known x --name mine -p standard -q --out o -f csv": FILES["u.txt"],
    "build --train t.txt --test u.txt --relations x --name mine -p raw -q --out o -f csv": b"r0\nr1\n",
    "site --tables set --published x.csv --out o -q": FILES["r.csv"].replace(b"nations", b"mine"),
    "site --tables set --docs x --out o -q": b"",
    "show mine -p raw --tables x": b"",
    "verify x": b"",
    "release --from x --version 9.0.0 --previous none --out o --zip z.zip -q": b"",
    "release --from set --version 9.0.0 --previous x --out o --zip z.zip -q": b"",
}


@_attack
def kinds_of_files(draw: random.Random) -> Iterator[Case]:
    """Yield files that are pipes, devices, links, in other encodings, or change while they are read."""
    plain: dict[str, bytes] = {}
    for use, kind in draw.sample([*itertools.product(READS, KINDS)], 80):
        make, same = KINDS[kind]
        args, content = use.split(), READS[use]
        name = next(word for word in args if word.partition(".")[0] == "x")
        files = _whole_set("set") if "set" in args else {}
        if same and use not in plain:
            plain[use] = run(Case("", args, {**files, name: content}))[1]
        yield Case(f"{use}: {kind}", args, files, partial(make, name, content), truth=plain[use] if same else None)


def _cut_later(seconds: float, name: str, content: bytes) -> None:
    """Cut a file some time after it was written, while it is read."""
    Path(name).write_bytes(content)
    if os.fork():
        return
    time.sleep(seconds)
    os.truncate(name, 200)
    os._exit(0)


@_attack
def graphs_that_change(draw: random.Random) -> Iterator[Case]:
    """Yield arrays, Parquet and text of many triples that are cut, grow or are replaced while they are read."""
    import numpy as np

    rows = np.array([[draw.randrange(2000), draw.randrange(20), draw.randrange(2000)] for _ in range(200_000)])
    np.save(stream := io.BytesIO(), rows.astype("<i8"))
    lines = b"".join(b"%d\t%d\t%d\n" % tuple(row) for row in rows.tolist())
    parquet = _write_columns({"t": lines}, "int64")["t"]
    test = _write_columns({"u": b"1 2 3\n4 5 6\n"}, "int64")["u"]
    build = ["build", "--train", "t", "--test", "u", "--name", "mine", "-p", "raw", "-b", "uniform", "-q", "--out", "o"]
    changes = [partial(_cut_later, tenths / 10) for tenths in (1, 3, 4, 5, 6, 7)]
    changes += [partial(_disturb, change) for change in (_grow, _renew)]
    kinds = {"array": stream.getvalue(), "Parquet": parquet, "text": lines}
    for (kind, content), change in itertools.product(kinds.items(), changes):
        yield Case(f"{kind} {change}", build, {"u": test}, partial(change, "t", content))


ROOMS: dict[str, dict[str, Any]] = {
    **{f"{name}={text[:20]}": {"env": {name: text}} for name, texts in {
        "COLUMNS": ("0", "-1", "abc", "1", "100000", "9" * 30),
        "TZ": ("Mars/Phobos", "UTC+99", "X" * 5000),
        "TERM": ("", "dumb", "nonsense"),
        "PYTHONIOENCODING": ("ascii", "cp1252", "ascii:strict"),
        "PYTHONWARNINGS": ("error",),
        "PYTHONOPTIMIZE": ("2",),
        "LC_ALL": ("C", "tr_TR.UTF-8", "en_US.ISO-8859-1", "nonsense"),
        "TMPDIR": ("r.csv", "here", "/dev/null", "a b'c\"d", "\udcff"),
        "TYPER_USE_RICH": ("0",),
        "_RANKCONST_COMPLETE": ("complete_bash", "source_bash"),
        "OPENBLAS_NUM_THREADS": ("abc", "100000"),
        "ARROW_DEFAULT_MEMORY_POOL": ("nonsense",),
        "MPLCONFIGDIR": ("/dev/null",),
        "HTTPS_PROXY": ("http://[",),
        "RANKCONST_CACHE": ("", "/dev/null/x", "~nobody-here/x", "a\nb", "\udcff"),
        "RANKCONST_MIRROR": ("http://", "~nobody-here/x", "/dev/null", "s3://x", "http://[::1", "\udcff"),
        "MPLBACKEND": ("nonsense",),
        "SOURCE_DATE_EPOCH": ("x", "9" * 30),
        "FORCE_COLOR": ("1",),
        "HOME": ("/dev/null", "here"),
    }.items() for text in texts},
    **{f"{name} {size}": {"before": partial(resource.setrlimit, getattr(resource, f"RLIMIT_{name}"), (size, size))}
       for name, sizes in {"NOFILE": (5, 8, 12), "NPROC": (1,), "STACK": (2**18,), "FSIZE": (5000,)}.items()
       for size in sizes},
    "umask 777": {"before": partial(os.umask, 0o777)},
    "a pipe that ends it": {"before": lambda: signal.signal(signal.SIGPIPE, signal.SIG_DFL)},
    "output that cannot be written": {"before": lambda: os.dup2(os.open(os.devnull, os.O_RDONLY), 1)},
}  # fmt: skip


@_attack
def environments(draw: random.Random) -> Iterator[Case]:
    """Yield variables and limits that are odd."""
    for room, name in draw.sample([*itertools.product(ROOMS, COMMANDS)], 40):
        yield Case(f"{room}: {name}", COMMANDS[name], _whole_set("set"), bare=True, **ROOMS[room])


ODD_WORDS = ["", "../x", "../" * 6 + "x", "/x", "\x1b[2J", "a\nb", "=1+1", "<b>", "\u202e", "train", "raw", "9" * 400]
ODD_VALUES = [None, -1.5, True, *ODD_WORDS, [], {}, [None], {"a": None}, 10**30, math.nan, "2026-13-45", "javascript:x"]


def _list_places(value: Any, place: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Yield where something is in JSON, of lists what is first."""
    inner = value.items() if isinstance(value, dict) else enumerate(value[:1]) if isinstance(value, list) else ()
    for key, each in inner:
        yield (*place, key)
        yield from _list_places(each, (*place, key))


def _put_word(file: str, column: str, value: Any, everywhere: bool) -> None:
    """Write another value into a table of the set that is there, and describe that as the program would."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from rankconst_builder.package import hash_content

    path, described = Path("set") / file, json.loads(Path("set/datapackage.json").read_bytes())
    table = pq.read_table(path, use_threads=False)
    old, place = table[column], table.column_names.index(column)
    values = [value] * len(old) if everywhere else [value, *old.to_pylist()[1:]]
    with contextlib.suppress(pa.ArrowException, OverflowError, TypeError):
        table = table.set_column(place, table.schema.field(column), pa.array(values, old.type))
    pq.write_table(table, path)
    one = next(each for each in described["resources"] if each["path"] == file)
    content = path.read_bytes()
    one |= {"bytes": len(content), "hash": f"sha256:{hashlib.sha256(content).hexdigest()}"}
    one |= {"contentHash": hash_content(table)}
    Path("set/datapackage.json").write_text(json.dumps(described), encoding="utf-8")


@_attack
def tables_by_hand(draw: random.Random) -> Iterator[Case]:
    """Yield sets whose numbers, words and descriptor somebody changed, with the right hashes."""
    import pyarrow.parquet as pq

    uses = [*USES, [*USES[-1], "-d", "mine"], ["export", "--format", "long", "--tables", "set", "--out", "e.csv"]]
    names = [name for name in _whole_set() if name.endswith(".parquet")]
    columns = [(name, each) for name in names for each in pq.read_schema(io.BytesIO(_whole_set()[name])).names]
    values = [*ODD_WORDS, 0, 1, 2**31, 2**62, 1e-320, 1e308, -0.0, [], ["../x"], ["a"] * 3]
    every = [*itertools.product(columns, values, (True, False), uses)]
    for (file, column), value, everywhere, use in draw.sample(every, 50):
        change = partial(_put_word, file, column, value, everywhere)
        yield Case(f"{use[0]}: {file} {column} {str(value)[:20]!r}", use, _whole_set("set"), change)
    descriptor = json.loads(_whole_set()["datapackage.json"])
    for place, value, use in draw.sample([*itertools.product(_list_places(descriptor), ODD_VALUES, uses)], 40):
        changed = json.loads(json.dumps(descriptor))
        inner = changed
        for key in place[:-1]:
            inner = inner[key]
        inner[place[-1]] = value
        files = {**_whole_set("set"), "set/datapackage.json": json.dumps(changed).encode()}
        yield Case(f"{use[0]}: {place} {str(value)[:20]!r}", use, files)


RUNS = [*" \t|&\\{}[]()\"'=:+-*_#%$<>.09aM\r\0\u00a0±–", "mrr ", "Hits@", "0.5 ", "(0.1)", "± 0.1 "]
RUNS += ["\\textbf{", "- a: "]
USED = ["adjust -d nations -f json", "adjust -d nations --replace AMRR", "check -d nations"]


@_attack
def long_runs(draw: random.Random) -> Iterator[Case]:
    """Yield results files with one or two signs 100,000 times in a row, anywhere."""
    import fuzz_seeds

    kinds = {"csv": "csv", "markdown": "md", "latex": "tex", "text": "txt", "structured": "json"}
    kinds["logs"] = "log"
    for kind, ending in [*kinds.items()] * 6:
        text = draw.choice([seed[1:].decode("utf-8", "replace") for seed in fuzz_seeds.list_seeds(kind)])
        sign = draw.choice([*" \t", draw.choice(RUNS)]) + draw.choice(["", "", draw.choice(RUNS)])
        at = draw.choice([place for place, each in enumerate(text) if each.isspace()] or [len(text)])
        content = text[:at] + sign * (100_000 // len(sign)) + text[at:]
        command, *options = draw.choice(USED).split()
        name = f"x.{ending}"
        yield Case(f"{command} {name} {sign!r} at {at}", [command, name, *options], {name: content.encode()})


NAMES = ["dir", "full", "nowhere", "link", "loop", "dir/../x", "no/x", "", "a\nb", "~/x", "x" * 300, "X", "r", "-"]
ENDINGS = ["", ".csv", ".CSV", ".svg", ".PNG", ".parquet", ".tsv.gz", ".json", ".tex", ".", ".xlsx"]
PLACES = [f"{name}{ending}" for name, ending in itertools.product(NAMES, ENDINGS)]
PLACES += [*("/dev/full", "/dev/null", "/proc/x", "/dev/fd/9", "dir/", "r.csv/", "..", "x/.")] * 4
WRITERS = [
    "adjust r.csv --out",
    "adjust r.csv -f parquet --out",
    "plot r.csv --out",
    "export --format long -d nations --out",
    "export --format pykeen -d nations --out",
    "build --train t.txt --test u.txt --name mine -p raw -q --out",
    "site --tables set -q --out",
    "release --from set --version 9.0.0 --previous none -q --zip z.zip --out",
    "release --from set --version 9.0.0 --previous none -q --out o --zip",
]


def _furnish() -> None:
    """Make what may be in the way."""
    for name in ("dir", "full", "dir.csv"):
        Path(name).mkdir()
    Path("full/x").write_bytes(b"keep")
    for name, target in {"nowhere": "not/there", "link": "r.csv", "link.csv": "r.csv", "loop": "loop"}.items():
        Path(name).symlink_to(target)


@_attack
def places(draw: random.Random) -> Iterator[Case]:
    """Yield places to write to that are folders, links, devices, without a folder, or no names."""
    for use, place, force in draw.sample([*itertools.product(WRITERS, PLACES, ([], ["--force"]))], 60):
        args = [*use.split(), place, *([] if use.startswith(("site", "release")) else force)]
        yield Case(f"{use} {place[:30]!r} {force}", args, _whole_set("set"), _furnish)


# Labels that some program may take for one another, for missing ones or for no labels, and yet are 13 and 3.
LABELS: dict[str, Sequence[bytes]] = {
    **{f"ids from {first:,}": [b"%d" % (first + n) for n in range(13)]
       for first in (0, 2**16 - 5, 2**31 - 5, 2**32 - 13, 2**32 - 5, 2**53 - 3, 2**63 - 5, 2**64 - 5, 10**30)},
    **{f"Q from {first:,}": [b"Q%d" % (first + n) for n in range(13)] for first in (2**24 - 13, 2**32 - 5, 2**64 - 5)},
    "numbers": [b"0", b"00", b"-0", b"+0", b"0.0", b"0e0", b"1", b"01", b"1.0", b"1e0", b"true", b"True", b"0x0"],
    "missing": [b"NA", b"nan", b"NaN", b"null", b"None", b"N/A", b"?", b"-", b"#N/A", b"<NA>", b"nil", b"NULL", b"n/a"],
    "letters": [text.encode() for text in (
        *("a", "A", "\u0430", "a\u0301", "\u00e1", "a\u200b", "a\ufeff", "\u00a0a", "a ", "  a", "\u2028a", "\x85a"),
        "\u0391",
    )],
    "controls": [b"a\0", b"a", b"\0a", b"\0", b"a\x0b", b"a\x0c", b"a\x1c", b"a\x1d", b"a\x1e", b"a\x85", b"\x1b[31m",
                 b"\xff", b"\xed\xa0\x80"],
    "encodings": [b"\xe9", b"\xc3\xa9", b"e\xcc\x81", b"\x82", b"a\xff\xfe", b"\xfe", b"\xef\xbb", b"\xef", b"\0\xe9",
                  b"\xe9\0", b"\xe9\xe9", b"\xc3", b"\xa9"],
    "quotes": [b'"', b'""', b'"a"', b"a", b'a"', b'"a', b"'a'", b"\\", b"\\t", b"\\\\", b"a\\", b"#a", b"# a"],
    "a MB": [b"x" * 2**20 + b"%d" % n for n in range(13)],
}  # fmt: skip
FIXED = ["-p", "standard", "-b", "frequency", "--splits", "test", "-q", "-f", "csv", "--out", "o"]


def _label(entities: Sequence[bytes], relations: Sequence[bytes]) -> dict[str, bytes]:
    """Return the files of a graph with other labels."""
    found = {}
    for name in ("t.txt", "u.txt"):
        rows = [[int(cell[1:]) for cell in line.split()] for line in FILES[name].splitlines()]
        found[name] = b"".join(b"\t".join((entities[h], relations[r], entities[t])) + b"\n" for h, r, t in rows)
    return found


def _write_columns(files: Mapping[str, bytes], kind: str) -> dict[str, bytes]:
    """Return files of ids as Parquet, or as arrays, of a kind of number; a kind that cannot hold them is another."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    found = {}
    for name, content in files.items():
        rows = [[int(cell) for cell in line.split()] for line in content.splitlines()]
        stream = io.BytesIO()
        if kind.startswith(("<", ">")):
            np.save(stream, np.array(rows, dtype=kind))
        else:
            columns = zip(("head", "relation", "tail"), zip(*rows, strict=True), strict=True)
            pq.write_table(pa.table({key: pa.array(each, getattr(pa, kind)()) for key, each in columns}), stream)
        found[name] = stream.getvalue()
    return found


@_attack
def relabelled_graphs(_: random.Random) -> Iterator[Case]:
    """Yield a graph with other labels, which has the same constants."""
    build = ["build", "--train", "t.txt", "--test", "u.txt", "--name", "mine", *FIXED]
    whole = run(Case("", build))[1]
    plain = [b"e%d" % n for n in range(13)], [b"r%d" % n for n in range(3)]
    for what, labels in LABELS.items():
        yield Case(f"entities: {what}", build, _label(labels, plain[1]), truth=whole)
        yield Case(f"relations: {what}", build, _label(plain[0], labels[-3:]), truth=whole)
    kinds = {"uint8": 0, "int32": 0, "uint32": 2**32 - 13, "uint64": 2**31 - 5, "int64": 2**32 - 5, "<i8": 0, ">i4": 99}
    for kind, first in kinds.items():
        ids = [b"%d" % (first + n) for n in range(13)]
        files = _write_columns(_label(ids, ids[:3] if first < 2**24 else [b"0", b"1", b"2"]), kind)
        yield Case(f"{kind} from {first:,}", build, files, truth=whole)


WRITTEN = ["１２", "²", "1,5", "1.500,3", "1'000", "1 000", "1\u00a0000", "1/2", "Ⅴ", "٥", "10‰", "~5", "<5", "∞"]
WRITTEN += ["\ufeff5", "5\u200b", "5-", "1.2.3", "1e", "e5", "#5", "=5", "'5'", '"5"', "$5", "5k", "0.3\x1b[31m", "0b1"]


@_attack
def written_numbers(draw: random.Random) -> Iterator[Case]:
    """Yield arguments that only look like numbers, which are refused."""
    places = [
        "adjust -d nations -m mr -- {}",
        "adjust 0.5 -d nations -m hits@{}",
        "adjust 0.5 -d nations -m mrr --digits {}",
        "adjust 0.5 -m hits@10 -p sampled:10 --num-tasks {}",
        "adjust 0.5 -m mrr --num-tasks 10 -p sampled:{}",
        "compare 0.3 0.4 -m hits@10 --num-tasks {}",
        "check mr={}",
        "release --from set --previous none --out o --zip z.zip -q --version {}",
        "release --from set --version 9.0.0 --previous none --out o --zip z.zip -q --date {}",
    ]
    for place, text in draw.sample([*itertools.product(places, WRITTEN)], 70):
        args = [word.format(text) for word in place.split()]
        yield Case(f"{place} {text}", args, _whole_set("set"), truth=b"")


def _answer(head: str, body: bytes = b"", length: int | None = None) -> bytes:
    size = len(body) if length is None else length
    return f"HTTP/1.1 {head}\r\nContent-Length: {size}\r\nConnection: close\r\n\r\n".encode("latin-1") + body


def _serve(listening: socket.socket, answer: bytes) -> None:
    """Give the same answer to every request, in a process of its own."""
    if os.fork():
        return
    signal.alarm(60)
    while True:
        with contextlib.suppress(OSError), listening.accept()[0] as connection:
            connection.recv(1 << 16)
            connection.sendall(answer)


@_attack
def answers(_: random.Random) -> Iterator[Case]:
    """Yield answers of a server that lead elsewhere, lie about their length, grow, or are none."""
    with zipfile.ZipFile(stream := io.BytesIO(), "w") as archive:
        for name, content in _whole_set().items():
            archive.writestr(name, content)
    whole, packed = run(Case("", [*SHOW, "set"], _whole_set("set")))[1], stream.getvalue()
    gzipped = "200 OK\r\nContent-Encoding: gzip"
    chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    given = {
        "whole": _answer("200 OK", packed),
        "packed": _answer(gzipped, gzip.compress(packed)),
        "packed, cut": _answer(gzipped, gzip.compress(packed)[:-99]),
        "not packed": _answer(gzipped, packed),
        "a bomb": _answer(gzipped, gzip.compress(bytes(2**26))),
        "packed 50 times": _answer("200 OK\r\nContent-Encoding: " + ", ".join(["gzip"] * 50), packed),
        "shorter": _answer("200 OK", packed, len(packed) - 9),
        "longer": _answer("200 OK", packed, len(packed) + 9),
        "below 0": _answer("200 OK", packed, -1),
        "two lengths": _answer("200 OK\r\nContent-Length: 5", packed),
        "no chunk": chunked + b"-5\r\n" + packed,
        "a part": _answer("206 Partial Content\r\nContent-Range: bytes 0-99/9999", packed[:100]),
        "unchanged": _answer("304 Not Modified"),
        "later": _answer("429 Too Many Requests\r\nRetry-After: 31536000"),
        "a page": _answer("200 OK", b"<!DOCTYPE html><title>Sign in</title>"),
        "control characters": _answer("404 \x1b[31mred" + "y" * 9000),
        "no HTTP": packed,
        "nothing": b"",
        "in a circle": _answer("302 Found\r\nLocation: /x.zip"),
        "choices": _answer("300 Multiple Choices\r\nLocation: /x.zip"),
        "beyond its end": _answer("416 Range Not Satisfiable"),
        "packed twice, a bomb": _answer(f"{gzipped}, gzip", gzip.compress(gzip.compress(bytes(2**28)))),
        "endless": _answer("200 OK", packed, 10**18),
        "a chunk of 2^64": chunked + b"F" * 16 + b"\r\n" + packed,
        "no last chunk": chunked + b"%x\r\n" % len(packed) + packed + b"\r\n",
        "a name of its own": _answer('200 OK\r\nContent-Disposition: attachment; filename="../../x"', packed),
        "many headers": b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 9999,
        **{f"at {place}": _answer(f"302 Found\r\nLocation: {place}")
           for place in ("file:///etc/passwd", "data:,x", "doi:10.1/x", "http://[::", "\xff", "")},
    }  # fmt: skip
    for what, answer in given.items():
        with socket.create_server(("127.0.0.1", 0)) as listening:
            url = f"http://127.0.0.1:{listening.getsockname()[1]}/x.zip"
            yield Case(what, [*SHOW, url], before=partial(_serve, listening, answer), truth=whole)


MINE = b"keep this"


@_attack
def what_is_in_the_way(_: random.Random) -> Iterator[Case]:
    """Yield places where a user has other things, or what the command itself reads."""
    site, release = (
        ["site", "--tables", "set", "-q", "--out"],
        ["release", "--version", "9.0.0", "--previous", "none", "-q"],
    )
    ours = _whole_set("s")
    table = "constants.parquet"
    for what, (args, files, kept) in {
        **{
            f"a site with {name}": ([*site, "s"], {"s/site.json": b"{}", f"s/{name}": MINE}, [f"s/{name}"])
            for name in (".git/config", "CNAME", "a/b", "index.md")
        },
        "a site around its tables": (
            ["site", "--tables", "s/s", "--out", "s"],
            {"s/site.json": b"{}", **{f"s/{n}": c for n, c in ours.items()}},
            [f"s/s/{table}"],
        ),
        "a site in its tables": ([*site, "set"], {}, [f"set/{table}"]),
        "a site here": ([*site, "."], {}, ["r.csv"]),
        **{
            f"tables over {name}": ([*BUILD, "s"], {f"s/{name}": MINE}, [f"s/{name}"])
            for name in (table, "datapackage.json", "README.md")
        },
        "tables over their train": (
            ["build", "--train", f"s/{table}", *BUILD[3:], "s"],
            {f"s/{table}": TRIPLES},
            [f"s/{table}"],
        ),
        "a release over its tables": ([*release, "--from", "s", "--out", "s", "--zip", "z.zip"], ours, [f"s/{table}"]),
        "a release among others": ([*release, "--from", "set", "--out", "s", "--zip", "z"], {"s/a": MINE}, ["s/a"]),
        "a zip over a table": ([*release, "--from", "s", "--out", "o", "--zip", f"s/{table}"], ours, [f"s/{table}"]),
        "results over themselves": (["adjust", "r.csv", "--out", "r.csv"], {}, ["r.csv"]),
        "a picture over results": (["plot", "r.csv", "--out", "r.csv", "--force"], {}, ["r.csv"]),
        "constants over results": (["export", "--format", "long", "-d", "nations", "--out", "r.csv"], {}, ["r.csv"]),
    }.items():
        yield Case(what, args, {**_whole_set("set"), **files}, kept=kept)


def _symlink(target: str, name: str) -> None:
    os.mkfifo("pipe")
    Path("folder").mkdir()
    Path(name).symlink_to(target)


OUTPUTS: dict[str, tuple[Callable[[str], object], Sequence[str]]] = {
    "a pipe that nobody reads": (os.mkfifo, ()),
    "a socket": (lambda name: socket.socket(socket.AF_UNIX).bind(name), ()),
    "another name of a file": (lambda name: Path(name).hardlink_to("r.csv"), ("r.csv",)),
    **{f"a link to {target}": (partial(_symlink, target), ()) for target in (
        "pipe", "new", "folder", "x.csv", "x.svg", "/dev/full", "/proc/self/fd/1"
    )},
}  # fmt: skip
FORCE = ["--force"]


@_attack
def outputs_that_are_no_files(_: random.Random) -> Iterator[Case]:
    """Yield pipes, sockets and links to write to, with and without --force."""
    endings = {"adjust r.csv --out": ".csv", "adjust r.csv --replace AMRR --out": ".csv", "plot r.csv --out": ".svg"}
    endings["export --format long -d nations --out"] = ".csv"
    for (use, ending), (kind, (make, kept)), force in itertools.product(
        endings.items(), OUTPUTS.items(), (True, False)
    ):
        args = [*use.split(), f"x{ending}", *["--force"] * force]
        yield Case(f"{use} {kind} {force}", args, before=partial(make, f"x{ending}"), kept=kept)


FILE_NAMES: list[str | bytes] = [
    "a\nb",
    "a\tb",
    "\x1b[31mred",
    "a\u202eb",
    "-x",
    "--force",
    "x" * 240,
    "~",
    "$HOME",
    "%s%n",
]
FILE_NAMES += [
    "{}",
    "{0.__class__}",
    "a-->b",
    "a'b\"c",
    "*?",
    "[x]",
    "#sha256=1",
    "a&b<c>",
    " ",
    "con",
    "a\\b",
    "e\u0301",
]
FILE_NAMES += ["`id`", b"\xff", b"\xed\xa0\x80", "a:b", "@x", "a%0Ab", "}\\input{x}", "http:", "1e3", "\u00a0"]


@_attack
def names_of_files(draw: random.Random) -> Iterator[Case]:
    """Yield files and folders of strange names, to read and to write."""
    for use, name in draw.sample([*itertools.product(READS, FILE_NAMES)], 40):
        given = f"./{os.fsdecode(name)}"
        args = [word.replace("x", given, 1) if word.partition(".")[0] == "x" else word for word in use.split()]
        args = [f"{given}_out{word[1:]}" if word in {"o", "a.svg"} else word for word in args]
        place = next(word for word in args if word.startswith(given))
        make = partial(_again, lambda text: text, place, READS[use])
        yield Case(f"{use}: {name!r}", args, _whole_set("set"), make)


def _order(text: bytes, sign: bytes = b"\t") -> bytes:
    rows = (line.split(b"\t") for line in text.splitlines())
    return b"".join(sign.join((head, tail, relation)) + b"\n" for head, relation, tail in rows)


def _number(text: bytes) -> bytes:
    return b"".join(b"%d\t%s" % pair for pair in enumerate(text.splitlines(True)))


def _name(form: bytes, text: bytes) -> bytes:
    return b"".join(form % tuple(line.split(b"\t")) for line in text.splitlines())


def _count_lines(text: bytes) -> bytes:
    return b"%d\n" % len(text.splitlines())


def _zip(text: bytes) -> bytes:
    with zipfile.ZipFile(stream := io.BytesIO(), "w") as archive:
        archive.writestr("t.txt", text)
    return stream.getvalue()


# The same triples in another way: how, with which options.
WAYS: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "lines of Windows": (lambda text: text.replace(b"\n", b"\r\n"), ""),
    "byte order mark": (lambda text: b"\xef\xbb\xbf" + text, ""),
    "blank lines at the end": (lambda text: text + b"\n\r\n\n", ""),
    "a blank line first": (lambda text: b"\n" + text, ""),
    "blanks for tabs": (lambda text: text.replace(b"\t", b" "), ""),
    "blanks for some tabs": (lambda text: text.replace(b"e1\t", b"e1 "), ""),
    "blanks and tabs": (lambda text: text.replace(b"\t", b"\t "), ""),
    "brackets": (partial(_name, b"(%s\t%s\t%s)\n"), ""),
    "another order of which nothing is said": (_order, ""),
    "a tab at each end": (lambda text: text.replace(b"\n", b"\t\n"), ""),
    "a heading": (lambda text: b"head\trelation\ttail\n" + text, ""),
    "a heading that says nothing": (lambda text: b"x\ty\tz\n" + text, ""),
    "a heading of another order": (lambda text: b"subject\tobject\tpredicate\n" + _order(text), ""),
    "weights": (lambda text: text.replace(b"\n", b"\t0.5\n"), "--columns hrt-"),
    "weights of which nothing is said": (lambda text: text.replace(b"\n", b"\t0.5\n"), ""),
    "times of which nothing is said": (lambda text: text.replace(b"\n", b"\t2014-01-01\n"), ""),
    "row numbers": (lambda text: b"\thead\trelation\ttail\n" + _number(text), ""),
    "row numbers of which nothing is said": (_number, ""),
    "a comment": (lambda text: b"# made by hand\n" + text, ""),
    "a comment like a triple": (lambda text: b"# made\tby\thand\n" + text, ""),
    "N-Triples": (partial(_name, b"<x:%s> <x:%s> <x:%s> .\n"), ""),
    "N-Triples with tabs": (partial(_name, b"<x:%s>\t<x:%s>\t<x:%s>\t.\n"), ""),
    "N-Triples with tabs but one": (partial(_name, b"<x:%s>\t<x:%s>\t<x:%s> .\n"), ""),
    "N-Triples of blank nodes": (partial(_name, b"_:%s\t<x:%s>\t_:%s .\n"), ""),
    "JSON": (partial(_name, b'["%s", "%s", "%s"]\n'), ""),
    "OpenKE": (lambda text: _count_lines(text) + _order(text), "--columns htr"),
    "OpenKE with a wrong count": (lambda text: b"9" + _count_lines(text) + _order(text), "--columns htr"),
    "a zip file": (_zip, ""),
    "packed twice": (lambda text: gzip.compress(gzip.compress(text)), ""),
    "packed in two parts": (lambda text: gzip.compress(text[:99]) + gzip.compress(text[99:]), ""),
    "xz in two parts": (lambda text: lzma.compress(text[:99]) + lzma.compress(text[99:]), ""),
    "old lzma": (partial(lzma.compress, format=lzma.FORMAT_ALONE), ""),
    "UTF-16": (lambda text: text.decode().encode("utf-16"), ""),
    "dots for what was left out": (lambda text: text + b"...\n", ""),
    "a conflict of git": (lambda text: b"<<<<<<< HEAD\n" + text + b"=======\n>>>>>>> x\n", ""),
    "a last line that is cut": (lambda text: text[: text.rindex(b"\t") + 1], ""),
}


@_attack
def graphs_as_people_have_them(_: random.Random) -> Iterator[Case]:
    """Yield the same triples as other programs write them: the same constants, or an error."""
    build = ["build", "--train", "t.txt", "--test", "u.txt", "--name", "mine", *FIXED]
    whole = run(Case("", build))[1]
    for what, (change, options) in WAYS.items():
        for names in (("t.txt", "u.txt"), ("u.txt",)):
            if options and len(names) == 1:
                continue  # they are of all files
            files = {name: change(FILES[name]) for name in names}
            yield Case(f"{what}: {names}", [*build, *options.split()], files, truth=whole, warned="warning: mine: ")


def _press(pauses: Sequence[float]) -> None:
    """Interrupt this process again and again, in a process of its own."""
    if os.fork():
        return
    for pause in pauses:
        time.sleep(pause)
        with contextlib.suppress(ProcessLookupError):
            os.kill(os.getppid(), signal.SIGINT)
    os._exit(0)


@_attack
def keys_pressed_twice(draw: random.Random) -> Iterator[Case]:
    """Yield Ctrl-C twice or three times, one soon after the other."""
    for name, pause in itertools.product(COMMANDS, (0.0, 0.003, 0.03, 0.2)):
        press = partial(_press, (draw.uniform(0.3, 2), *[pause] * draw.randint(1, 2)))
        codes = frozenset({130, -signal.SIGINT})
        yield Case(f"{pause}: {name}", COMMANDS[name], _whole_set("set"), press, bare=True, codes=codes)


# Clocks as libfaketime takes them; the last one runs backwards.
CLOCKS = ["@1901-01-01 00:00:00", "@1970-01-01 00:00:00", "@2038-02-01 00:00:00", "@2108-01-01 00:00:00"]
CLOCKS += ["@2300-01-01 00:00:00", "+0 x1000", "+0 x-5"]
EPOCHS = ["0", "-1", "2147483648", "253402300800", "1e9", "1.5", "\u0665", "-0", "0x10", ""]
FILE_TIMES = [0, -1, -(10**10), 315532799, 2**32, 7258118400, 15032385535]
DATED = {
    name: use.split()
    for name, use in {
        "release": "release --from set --version 9.0.0 --previous none -q --out o --zip z.zip",
        "export": "export --format long -d nations --out a.csv.gz --force",
        "plot": "plot r.csv --out a.pdf",
        "adjust": "adjust r.csv -f parquet --out a.parquet",
        "build": " ".join([*BUILD, "set"]),
    }.items()
}


def _touch(when: int) -> None:
    for path in [*Path().rglob("*"), Path()]:
        os.utime(path, (when, when))


@_attack
def clocks(draw: random.Random) -> Iterator[Case]:
    """Yield clocks, file times and SOURCE_DATE_EPOCH that are far off; needs the Debian package libfaketime."""
    library = next(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))
    for clock, name in draw.sample([*itertools.product(CLOCKS, DATED)], 20):
        strange = {"LD_PRELOAD": str(library), "FAKETIME": clock}
        yield Case(f"{clock}: {name}", DATED[name], _whole_set("set"), env=strange, bare=True)
    for when, name in draw.sample([*itertools.product(FILE_TIMES, DATED)], 15):
        yield Case(f"files of {when}: {name}", DATED[name], _whole_set("set"), partial(_touch, when))
    for epoch, ending in draw.sample([*itertools.product(EPOCHS, ("svg", "pdf", "png"))], 15):
        args = ["plot", "r.csv", "--out", f"a.{ending}"]
        yield Case(f"{epoch}: {ending}", args, env={"SOURCE_DATE_EPOCH": epoch})


def main() -> None:
    """Attack, and write the figures; exit with 1 if anything failed."""
    rows = {row["class"]: row for row in json.loads(FIGURES.read_text(encoding="utf-8"))} if FIGURES.is_file() else {}
    failed = 0
    for module in (
        "rankconst.cli.app",
        "rankconst_builder.pipeline",
        "rankconst.results.formats",
        "pandas",
        "matplotlib",
    ):
        importlib.import_module(module)  # once for all that are not bare
    for name in sys.argv[1:] or ATTACKS:
        counts = dict.fromkeys(("tried", "refused", "accepted", "failures"), 0)
        for case in ATTACKS[name](random.Random(name)):  # noqa: S311 - the same inputs each time
            code, _, wrong = run(case)
            counts["tried"] += 1
            counts["failures" if wrong else "refused" if code else "accepted"] += 1
            if wrong:
                print(f"{name}, {case.label}: {'; '.join(wrong)}", flush=True)
        found = max(rows.get(name, {}).get("found", 0), counts["failures"])
        rows[name] = {"class": name, **counts, "found": found, "mended": found - counts["failures"]}
        print(rows[name], flush=True)
        failed += counts["failures"]
    FIGURES.write_text(json.dumps(list(rows.values()), indent=1) + "\n", encoding="utf-8")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
