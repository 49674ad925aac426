"""The registry of benchmarks, read from ``benchmarks.toml``: data, not code."""

from __future__ import annotations

import functools
import re
import unicodedata
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankconst.errors import DataError, UnknownNameError, UsageError
from rankconst.names import Names, is_key, require_text, shorten, squash, write_latin

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_FILE = Path(__file__).with_name("benchmarks.toml")

ROLES = ("train", "valid", "test")
"""The files that make a dataset; a few have no valid."""

_NEEDED = ("train", "test")

CONTEXT = "transductive_train"
"""The file of an inductive dataset that models are trained on; its train is the inference graph."""

STAT = "stat"
"""The file of a temporal dataset that states the numbers of entities and relations."""

FORECASTING = "published forecasting"
"""The split of a temporal dataset by time: no time of one file occurs in another."""

DELIMITERS = {"tab": "\t", "comma": ",", "space": " ", "semicolon": ";", "pipe": "|"}
"""Word for a delimiter to the character."""


@dataclass(frozen=True, slots=True)
class LineFormat:
    """The format of a line with a triple."""

    delimiter: str = "\t"  # the byte between columns
    # One letter for each column: ``h`` head, ``r`` relation, ``t`` tail, ``d`` date or other time,
    # ``-`` ignored. Two columns ``d`` are the begin and the end of a time. ``q`` at the end: any
    # number of qualifiers, each a relation and an entity.
    columns: str = "hrt"
    count_line: bool = False  # True if the first line states the number of rows that follow
    description: str = ""
    header: bool = False  # True if the first line names the columns
    # True if quotes around a label are not part of it, and may hold the delimiter, as in CSV.
    quoted: bool = False
    padded: bool = False  # True if spaces around a label are not part of it

    def __post_init__(self) -> None:
        letters = self.columns.removesuffix("q").replace("-", "").replace("d", "")
        if sorted(letters) != ["h", "r", "t"] or (self.qualified and self.temporal):
            raise DataError(
                f"columns {self.columns!r} must name h, r and t once each, d for a date or time, "
                "- for what to ignore, and q at the end for qualifiers: hrt, htr, hrt-, hrtd, hrtq."
            )
        if len(self.delimiter) != 1 or not (self.delimiter == "\t" or " " <= self.delimiter <= "~"):
            raise DataError(
                f"delimiter {self.delimiter!r} must be one ASCII character, printable or a tab."
            )

    @property
    def qualified(self) -> bool:
        """Whether lines are triples with qualifiers."""
        return self.columns.endswith("q")

    @property
    def temporal(self) -> bool:
        """Whether lines are triples with a time."""
        return "d" in self.columns


@dataclass(frozen=True, slots=True)
class Remote:
    """A file at a URL, with its size and hashes; None for unknown ones."""

    url: str
    bytes: int | None = None
    sha256: str | None = None
    git_blob: str | None = None
    # The SHA-256 of a copy elsewhere that should be the same, and where that is: nothing is refused
    # for it.
    copy_sha256: str | None = None
    copy: str = ""
    # The SHA-256 of a file with the same triples in another order, which may take its place.
    stand_in: str | None = None

    @property
    def verifiable(self) -> bool:
        """Whether a hash is known beforehand."""
        return self.sha256 is not None or self.git_blob is not None


@dataclass(frozen=True, slots=True)
class BenchmarkFile:
    """The triples of one split: a remote file, or a member of a remote archive."""

    remote: Remote  # the file or the archive
    member: str | None = None  # the name inside the archive; None for a plain file
    # The size of the member, like its SHA-256; None for a plain file, or where it is not known.
    bytes: int | None = None
    sha256: str | None = None
    optional: bool = False  # True if without the file there are the constants that do not need it

    @property
    def name(self) -> str:
        """The name of the file in messages."""
        file = self.remote.url.rsplit("/", 1)[-1]
        return file if self.member is None else f"{file}!{self.member}"


@dataclass(frozen=True, slots=True)
class SampledTasks:
    """An evaluation against sampled negatives, described by numbers of tasks."""

    negatives: int  # negatives a task
    # Numbers of triples: each is a task on either side, or one task if there are no sides.
    test: int
    valid: int | None = None  # None for a benchmark without a valid split
    shared: bool = False  # True if all tasks have the same negatives; then there are no sides
    sided: bool = True

    @property
    def sides(self) -> tuple[str, ...]:
        """The sides of the tasks."""
        return ("head", "tail") if self.sided and not self.shared else ("both",)

    @property
    def protocol(self) -> str:
        """The key of the protocol."""
        key = f"sampled:{self.negatives}"
        return f"{key}:shared" if self.shared else key


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A benchmark: its files, their format, and the paper to cite."""

    key: str  # its names
    title: str
    aliases: tuple[str, ...]
    format: LineFormat  # how its lines are written
    # Role to file: ``train``, ``valid``, ``test``; ``transductive_train`` of inductive sets, whose
    # ``train`` is the inference graph; ``stat`` of temporal ones.
    files: Mapping[str, BenchmarkFile]
    # ``published``, ``published inductive``, ``published forecasting`` or ``random by PyKEEN``.
    split: str
    task: str = ""  # alignment or recommendation; empty for link prediction
    # Licence, citation, citation_url, homepage, note: what the source states, as text; empty where
    # nothing is known.
    licence: str = ""
    citation: str = ""
    citation_url: str = ""
    homepage: str = ""
    note: str = ""
    same_graph_as: str = ""  # the key of the dataset for which this is another source
    not_offered: str = ""  # why it cannot be built; empty if it can
    # PyKEEN's key and statistics, where it has the dataset.
    pykeen: Mapping[str, Any] = field(default_factory=dict)
    # Its evaluation against sampled negatives, which needs no files; None for others.
    sampled: SampledTasks | None = None

    @property
    def verifiable(self) -> bool:
        """Whether every necessary file has a hash that is known beforehand."""
        if self.sampled is not None:
            return True
        roles = [role for role in ROLES if role in _NEEDED or role in self.files]
        return all(role in self.files and self.files[role].remote.verifiable for role in roles)


def _read_source(key: str, entry: dict[str, Any], formats: Mapping[str, LineFormat]) -> Benchmark:
    """Return the benchmark of an entry of benchmarks.toml. Removes fields from `entry`."""
    archive = Remote(**entry.pop("archive", {"url": ""}))
    files: dict[str, BenchmarkFile] = {}
    for role, described in entry.pop("files", {}).items():
        if "url" in described:
            plain = {name: value for name, value in described.items() if name != "optional"}
            files[role] = BenchmarkFile(Remote(**plain), optional=described.get("optional", False))
        else:
            files[role] = BenchmarkFile(archive, **described)

    sampled = SampledTasks(**entry.pop("sampled")) if "sampled" in entry else None
    return Benchmark(
        key=key,
        aliases=tuple(entry.pop("aliases", ())),
        format=formats[entry.pop("format", "tsv_hrt")],
        files=files,
        sampled=sampled,
        **entry,
    )


@functools.cache
def _read_sections(pattern: str) -> Mapping[str, Any]:
    """Parse the sections of the registry whose names match, as parsing all of it is slow."""
    import tomllib

    sections = _FILE.read_text(encoding="utf-8").split("\n[")
    matches = [section for section in sections if re.match(rf"{pattern}\]", section)]
    return tomllib.loads("".join(f"[{section}\n" for section in matches))


@functools.cache
def load_benchmarks(path: Path | None = None) -> Mapping[str, Benchmark]:
    """Read the registry."""
    import tomllib

    content = tomllib.loads((path or _FILE).read_text(encoding="utf-8"))
    formats = {name: LineFormat(**entry) for name, entry in content["format"].items()}
    return {
        key: _read_source(key, dict(entry), formats) for key, entry in content["dataset"].items()
    }


@functools.cache
def list_elsewhere() -> Mapping[str, str]:
    """Return the kinds of the graphs without ranking tasks in the registry, by squashed name."""
    elsewhere: Mapping[str, Sequence[str]] = _read_sections("elsewhere")["elsewhere"]
    # A name of several kinds belongs to the first, which is written last here.
    return {squash(name): kind for kind in reversed([*elsewhere]) for name in elsewhere[kind]}


@functools.cache
def list_ambiguous() -> Mapping[str, Sequence[str]]:
    """Return the keys of several benchmarks with the same name, by squashed name."""
    ambiguous: Mapping[str, Sequence[str]] = _read_sections("ambiguous")["ambiguous"]
    return {squash(name): keys for name, keys in ambiguous.items()}


def list_namesakes(name: str, *, typed: bool = True) -> tuple[str, ...]:
    """Return the benchmarks that share an ambiguous name.

    If you type a key exactly, it means its benchmark: wn18rr_v1, but not WN18RR-v1. In a file, only
    the first key does, as others call nell_v1_ind nell_v1.
    """
    keys = tuple(list_ambiguous().get(squash(name), ()))
    if name in keys[:1] or (typed and name in keys):
        return ()
    return keys


def explain_ambiguous(name: str) -> str:
    """List the benchmarks that share an ambiguous name, or return nothing for clear names."""
    titles = {key: load_benchmarks()[key].title for key in list_namesakes(name)}
    if not titles or squash(name) in {squash(title) for title in titles.values()}:
        return ""
    choices = "; ".join(f"{key} for {title}" for key, title in titles.items())
    if len(titles) == 1:
        return f"{name} is the name of other graphs, too. If it is this one, type {choices}."
    return f"{name} is the name of several benchmarks: type {choices}."


KINDS = ("inductive", "transductive", "temporal", "n-ary")
"""The kinds of benchmarks, which may choose one of several with the same name."""


def list_kinds(name: str) -> frozenset[str]:
    """Return the kinds and the task of a benchmark, and "full" if all entities are ranked.

    Kinds are of :data:`KINDS`. A suite has those of all its graphs. A graph of another name is
    transductive and full.
    """
    from rankconst.catalogue.literature import find_suite

    suite = find_suite(name)
    if suite is not None:
        return frozenset(kind for graph in suite.graphs for kind in list_kinds(graph))

    row = load_benchmarks().get(list_names().find(name) or "")
    if row is None:
        return frozenset({"transductive", "full"})

    kinds = {row.task} - {""}
    kinds.add("inductive" if "inductive" in row.split else "transductive")
    if row.format.temporal:
        kinds.add("temporal")

    if row.format.qualified:
        kinds.add("n-ary")

    if not row.sampled:
        kinds.add("full")

    return frozenset(kinds)


def find_benchmark(name: str) -> Benchmark:
    """Return the benchmark that `name` spells."""
    if ambiguous := explain_ambiguous(name):
        raise UnknownNameError(ambiguous)
    return load_benchmarks()[list_names().resolve(name)]


@functools.cache
def list_titles() -> Mapping[str, tuple[str, ...]]:
    """Return the title and further names of each benchmark."""
    rows = _read_sections(r"dataset\.\w+")["dataset"]
    return {key: (row["title"], *row.get("aliases", ())) for key, row in rows.items()}


def find_note(key: str) -> str:
    """Return a warning about the files of a benchmark, if there is one."""
    rows = _read_sections(rf"dataset\.{re.escape(key)}").get("dataset", {})
    return str(rows.get(key, {}).get("note", ""))


@functools.cache
def list_names() -> Names:
    """Return the names of all benchmarks."""
    remedy = "`rankconst show datasets` lists all; for a graph of your own name its files."
    return Names("dataset", list_titles(), remedy)


_LONGEST_KEY = 100  # bytes: names of files in a set begin with the key


def make_key(name: str, what: str = "name") -> str:
    """Turn a user's name for a graph into a key, "MyKG" into "mykg".

    Raises UsageError, which calls it `what`, for the name of a benchmark and for a name that no
    file may have.
    """
    key = unicodedata.normalize("NFKC", require_text(name)).lower()
    if len(key.encode(errors="replace")) > _LONGEST_KEY:
        raise UsageError(
            f"{what} {shorten(name)!r} is too long: files are named after it; "
            f"expected at most {_LONGEST_KEY} letters."
        )
    if not is_key(key) or key.startswith("-"):  # an option
        raise UsageError(
            f"{what} {name!r} must consist of letters, digits, '_', '.' and, not in front, '-': "
            "mykg, for example."
        )

    latin = write_latin(key)  # Cyrillic letters that look like these
    if list_names().find(latin) is not None or list_namesakes(latin):
        raise UsageError(
            f"{what} {name!r} is the name of a benchmark; choose another, such as {latin}-own."
        )
    return key
