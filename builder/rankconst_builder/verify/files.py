"""Checks of files: hashes, the descriptor's text, and what else lies in the folder."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankconst.tables.folder import DESCRIPTOR
from rankconst.tables.schema import ARCHIVED, COLUMNS, file_of
from rankconst.version import parse_version
from rankconst_builder.package import (
    CHECKSUMS,
    HEADER,
    describe_file,
    describe_schema,
    hash_content,
    list_sources,
)
from rankconst_builder.release import pack_zip
from rankconst_builder.verify.checks import Finding, check

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rankconst_builder.verify.checks import Findings
    from rankconst_builder.verify.tableset import TableSet

_FIELDS = ("version", "sources", "resources", "provenance")

_FURTHER = ("id", "description", "homepage", "contributors", "keywords", "image", "created")
"""Fields of Data Package 2.0 that a descriptor may also have; what they should hold is not checked."""

_UNKNOWN = "this program knows no such field"

_PROVENANCE = frozenset(("dataset", "origin", "identity", "reason", "program", "splits", "baselines", "restriction"))
"""What a dataset's provenance may tell; the values are words for people, but for those that other checks go by."""


@check("files", "bytes and SHA-256 of every file, nothing else in the folder")
def _check_files(tables: TableSet) -> Findings:
    for name in tables.names:
        if not tables.describe(name):
            yield Finding(f"{DESCRIPTOR} has no entry for this table", name)
    resources = tables.descriptor["resources"]
    for row in resources:
        yield from _compare_file(tables, str(row.get("path")), row)
    for name, reason in tables.unreadable.items():
        yield Finding(f"cannot be read: {reason}", name)
    listed = {str(row.get("path")) for row in resources}
    for name in (*tables.files, *tables.others):
        if name not in listed and (name in tables.others or name.endswith(".parquet")):
            yield Finding("this is in the folder but not part of the set", name)
    packed = None if tables.unreadable else tables.packed
    if packed is not None and packed != pack_zip(tables.version, tables.contents):
        yield Finding("the zip file holds these files, but is not as it was packed", "zip")
    return len(tables.files)


def _compare_file(tables: TableSet, path: str, row: Mapping[str, Any]) -> Iterator[Finding]:
    if tables.tables.leaves_out(str(row.get("name"))):
        yield Finding("the package leaves it out; the archive has it", path, level="note")
    elif path in tables.files:
        size, digest = len(tables.files[path]), f"sha256:{tables.digests[path]}"
        if row.get("bytes") != size:
            yield Finding("the file has another size", path, {}, "bytes", row.get("bytes"), size)
        if row.get("hash") != digest:
            yield Finding("the file is not the one that was written", path, {}, "hash", row.get("hash"), digest)
    elif path not in tables.unreadable:
        yield Finding("the file is missing", path)


@check("content", "content hash and number of rows of each table")
def _check_contents(tables: TableSet) -> Findings:
    for name in tables.names:
        if name not in tables.stored:
            yield Finding("its content cannot be read", name)
            continue
        table, stated = tables.stored[name], tables.describe(name)
        if stated.get("rows") != len(table):
            yield Finding("it has another number of rows", name, {}, "rows", stated.get("rows"), len(table))
        want, got = stated.get("contentHash"), hash_content(table)
        if want != got:
            yield Finding("its values are not those that were hashed", name, {}, "contentHash", want, got)
    return sum(map(len, tables.stored.values()))


@check("descriptor", "datapackage.json against its own form and the tables")
def _check_descriptor(tables: TableSet) -> Findings:
    descriptor = tables.descriptor
    canonical = (json.dumps(descriptor, indent=1, ensure_ascii=False) + "\n").encode("utf-8", "surrogatepass")
    if tables.text != canonical:
        pairs = zip(tables.text.split(b"\n"), canonical.split(b"\n"), strict=False)
        line = next((at for at, (one, two) in enumerate(pairs, start=1) if one != two), tables.text.count(b"\n"))
        yield Finding(f"its text is not as this program writes it, from line {line}", DESCRIPTOR)
    for name, value in HEADER.items():
        yield from _compare(name, value, descriptor.get(name))
    for name in descriptor:
        if name not in {*HEADER, *_FIELDS, *_FURTHER}:
            yield Finding(_UNKNOWN, DESCRIPTOR, column=name)
    yield from _check_version(tables)
    yield from _check_resources(tables)
    if "datasets" in tables.whole:
        rows = tables.whole["datasets"].to_dict("records")
        yield from _compare("sources", list_sources(rows), descriptor.get("sources"))
        yield from _check_provenance(sorted(str(row["dataset"]) for row in rows), descriptor.get("provenance"))
    return canonical.count(b"\n")


def _compare(name: str, expected: Any, got: Any) -> Iterator[Finding]:
    """Compare a field, and of a list or a mapping each item, so that the finding is small."""
    if type(expected) is type(got) and isinstance(expected, dict):
        for key in dict.fromkeys((*expected, *got)):
            yield from _compare(f"{name}.{key}", expected.get(key), got.get(key))
    elif type(expected) is type(got) and isinstance(expected, list) and len(expected) == len(got):
        for place, (one, two) in enumerate(zip(expected, got, strict=True)):
            yield from _compare(f"{name}[{place}]", one, two)
    elif type(expected) is not type(got) or expected != got:
        yield _differ("the descriptor states something else", name, _plain(expected), got)


def _differ(message: str, field: str, expected: Any, got: Any, **key: str) -> Finding:
    return Finding(message, DESCRIPTOR, key, field, expected, _plain(got))


def _plain(value: Any) -> Any:
    return value if value is None or isinstance(value, (str, int, float, bool)) else json.dumps(value)


def _check_version(tables: TableSet) -> Iterator[Finding]:
    version = tables.version
    if parse_version(version) is None and version != "unreleased":
        yield _differ("the version is not three numbers", "version", "X.Y.Z", version)
    named = Path(str(tables.tables.folder)).name.removeprefix(f"{HEADER['name']}-").removesuffix(".zip")
    if parse_version(named) and named != version:
        yield _differ("the folder is that of another version", "version", named, version)


def _check_resources(tables: TableSet) -> Iterator[Finding]:
    """Compare the description of each table with its file and with the columns of this program."""
    names = [row.get("name") for row in tables.descriptor["resources"]]
    files = {name: file for name in COLUMNS if (file := file_of(name, tables.version))}
    expected = list(files.values())
    if names[: len(expected)] != expected or len(set(map(str, names))) != len(names):
        yield _differ("the tables listed are others", "resources", _plain(expected), names)
    for name, file in files.items():
        if file not in tables.resources:
            continue
        row = tables.resources[file]
        # Words of descriptions may change between versions: those in the file are those of its time.
        stored = tables.stored[name].schema if name in tables.stored else ()
        words = {column.name: (column.metadata or {}).get(b"description") for column in stored}
        told = {column: text.decode("utf-8", "replace") for column, text in words.items() if text is not None}
        # Size, hashes and the number of rows are the business of other checks.
        counted = {key: row.get(key) for key in ("bytes", "hash", "contentHash", "rows")}
        schema = describe_schema(name, tables.columns(name), told)
        yield from _compare(file, {**describe_file(file), **counted, "schema": schema}, row)


def _check_provenance(datasets: list[str], provenance: Any) -> Iterator[Finding]:
    rows = provenance if isinstance(provenance, list) else []
    listed = [row.get("dataset") if isinstance(row, dict) else None for row in rows]
    if listed != datasets:
        yield _differ("the provenance names other datasets", "provenance", ", ".join(datasets), listed)
        return
    for place, row in enumerate(rows):
        for name, value in row.items():
            if name not in _PROVENANCE:
                yield _differ(_UNKNOWN, f"provenance[{place}].{name}", None, value, dataset=row["dataset"])


@check("checksums", "every file against checksums.txt")
def _check_checksums(tables: TableSet) -> Findings:
    if CHECKSUMS not in tables.files:
        free = [name for name in tables.files if not name.endswith(".parquet")]
        more = f", nor are {', '.join(free)}" if free else ""
        yield Finding(f"no {CHECKSUMS}: the descriptor itself is not protected{more}", level="note")
        return 0
    wanted = {name: digest for name, digest in tables.digests.items() if name != CHECKSUMS}
    for name in filter(tables.tables.leaves_out, ARCHIVED):
        wanted[f"{name}.parquet"] = str(tables.describe(name).get("hash")).removeprefix("sha256:")
    text, listed = tables.files[CHECKSUMS].decode("utf-8", "replace"), dict[str, str]()
    if not text.endswith("\n"):
        yield Finding("the last line has no end", CHECKSUMS)
    for place, line in enumerate(text.removesuffix("\n").split("\n"), start=1):
        parsed = re.fullmatch(r"([0-9a-f]{64})  ([^/]+)", line)
        if parsed is None or parsed[2] in listed:
            message = f"line {place} is not a hash, two blanks and the name of a further file"
            yield Finding(message, CHECKSUMS, got=line)
            continue
        listed[parsed[2]] = parsed[1]
    for name in sorted({*listed} - {*wanted}):
        yield Finding(f"{CHECKSUMS} lists a file that is missing", name)
    for name, digest in wanted.items():
        if listed.get(name) != digest:
            message = f"{CHECKSUMS} states another hash" if name in listed else f"{CHECKSUMS} does not list it"
            yield Finding(message, name, {}, "sha256", listed.get(name), digest)
    return len(wanted)
