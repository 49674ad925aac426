"""Checks of files: hashes, the descriptor's text, and what else lies in the folder."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankconst.tables.folder import DESCRIPTOR, parse_json
from rankconst.tables.schema import ARCHIVED, COLUMNS, file_of
from rankconst.version import VERSION, parse_version
from rankconst_builder.package import CHECKSUMS, HEADER, describe_schema, hash_content, list_sources
from rankconst_builder.release import pack_zip
from rankconst_builder.verify.checks import Checked, Finding, check
from rankconst_builder.verify.tableset import OUTPUTS, columns_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rankconst_builder.verify.tableset import TableSet


CROISSANT = "croissant.json"

_FIELDS = ("version", "sources", "resources", "provenance")

_FURTHER = ("id", "description", "homepage", "contributors", "keywords", "image", "created")
"""Fields of Data Package 2.0 that a descriptor may also have; what they should hold is not checked."""

_PROVENANCE = {
    "dataset": re.compile(r".+"),
    "origin": re.compile(rf"files|numbers of tasks in the registry|archive ({VERSION}|unreleased)"),
    "identity": re.compile(r"[0-9a-f]{16}"),
    "reason": re.compile(r"[^\n]+"),
    "program": re.compile(r"[^\n]+"),
    "splits": re.compile(r"(train|valid|test)(,(valid|test))*"),
    "baselines": re.compile(r"[a-z]+(,[a-z]+)*"),
}


@check("files", "bytes and SHA-256 of every file, nothing else in the folder")
def check_files(tables: TableSet) -> Checked:
    """Compare every file with the bytes and the SHA-256 that the descriptor states, and look for others."""
    findings = [
        Finding(f"{DESCRIPTOR} has no entry for this table", name) for name in tables.names if not tables.describe(name)
    ]
    for resource in tables.descriptor["resources"]:
        path = str(resource.get("path"))
        if tables.tables.leaves_out(str(resource.get("name"))):
            findings.append(Finding("the package leaves it out; the archive has it", path, level="note"))
        elif path not in tables.unreadable:
            findings += _compare_file(tables, path, resource.get("bytes"), resource.get("hash"))
    findings += [Finding(f"cannot be read: {reason}", name) for name, reason in tables.unreadable.items()]
    findings += _check_croissant(tables)
    listed = {resource.get("path") for resource in tables.descriptor["resources"]}
    for name in (*tables.files, *tables.others):
        known = name in listed or (name in tables.files and not name.endswith(".parquet")) or name in OUTPUTS
        if not known:
            findings.append(Finding("this lies in the folder and is no part of the set", name))
    if tables.packed is not None and not tables.unreadable:
        packed = pack_zip(tables.version, {**tables.files, DESCRIPTOR: tables.text})
        if tables.packed != packed:
            findings.append(Finding("the zip file holds these files, but is not as it was packed", "zip"))
    return Checked.of(len(tables.files), findings)


def _compare_file(tables: TableSet, name: str, size: Any, digest: Any) -> Iterator[Finding]:
    if name not in tables.files:
        yield Finding("the file is missing", name)
        return
    if size != len(tables.files[name]):
        yield Finding("the file has another size", name, column="bytes", expected=size, got=len(tables.files[name]))
    got = f"sha256:{tables.digests[name]}"
    if digest != got:
        yield Finding("the file is not the one that was written", name, column="hash", expected=digest, got=got)


def _check_croissant(tables: TableSet) -> Iterator[Finding]:
    """Compare the files with the sizes and hashes that the Croissant description states, where there is one."""
    if CROISSANT not in tables.files:
        return
    try:
        described = parse_json(tables.files[CROISSANT].decode("utf-8"))
        distribution = described.get("distribution", [])
        stated = [(row.get("contentUrl"), row.get("contentSize"), row.get("sha256")) for row in distribution]
    except (ValueError, AttributeError, TypeError) as error:
        yield Finding(f"this is no Croissant description: {error}", CROISSANT)
        return
    for url, size, digest in stated:
        if digest is None:
            continue
        name = str(url).rstrip("/").rpartition("/")[2].partition("?")[0]
        content = tables.text if name == DESCRIPTOR else tables.files.get(name)
        if content is None and tables.tables.leaves_out(name.removesuffix(".parquet")):
            continue
        if content is None:
            yield Finding(f"{CROISSANT} lists a file that is missing", name, expected=url)
            continue
        got = hashlib.sha256(content).hexdigest()
        if digest != got:
            yield Finding(f"{CROISSANT} states another hash", name, column="sha256", expected=digest, got=got)
        if size is not None and str(size).split()[0] != str(len(content)):
            yield Finding(
                f"{CROISSANT} states another size", name, column="contentSize", expected=str(size), got=len(content)
            )


@check("content", "content hash and number of rows of each table")
def check_contents(tables: TableSet) -> Checked:
    """Compare the values of each table, whatever their file, with the content hash and the number of rows."""
    findings = []
    for name in tables.names:
        if name not in tables.stored:
            findings.append(Finding("its content cannot be read", name))
            continue
        table, resource = tables.stored[name], tables.describe(name)
        if resource.get("rows") != len(table):
            findings.append(
                Finding("it has another number of rows", name, {}, "rows", resource.get("rows"), len(table))
            )
        stated, got = resource.get("contentHash"), hash_content(table)
        if stated != got:
            findings.append(
                Finding(
                    "its values are not those that were hashed",
                    name,
                    {},
                    "contentHash",
                    resource.get("contentHash"),
                    got,
                )
            )
    return Checked.of(sum(map(len, tables.stored.values())), findings)


@check("descriptor", "datapackage.json against its own form and the tables")
def check_descriptor(tables: TableSet) -> Checked:
    """Compare the descriptor with its own canonical text, with what every set states, and with the tables."""
    descriptor = tables.descriptor
    canonical = json.dumps(descriptor, indent=1, ensure_ascii=False) + "\n"
    findings = []
    if tables.text != canonical.encode("utf-8", "surrogatepass"):
        line = _find_difference(tables.text.decode("utf-8", "replace"), canonical)
        findings.append(Finding(f"its text is not as this program writes it, from line {line}", DESCRIPTOR))
    for name, value in HEADER.items():
        findings += _compare(name, value, descriptor.get(name))
    for name in descriptor:
        if name not in HEADER and name not in _FIELDS and name not in _FURTHER:
            findings.append(Finding("this program knows no such field", DESCRIPTOR, column=name))
    findings += _check_version(tables)
    findings += _check_resources(tables)
    if "datasets" in tables.whole:
        rows = tables.whole["datasets"].to_dict("records")
        findings += _compare("sources", list_sources(rows), descriptor.get("sources"))
        findings += _check_provenance(sorted(str(row["dataset"]) for row in rows), descriptor.get("provenance"))
    return Checked.of(canonical.count("\n"), findings)


def _find_difference(text: str, other: str) -> int:
    pairs = zip(text.split("\n"), other.split("\n"), strict=False)
    return next((place for place, (one, two) in enumerate(pairs, start=1) if one != two), text.count("\n"))


def _compare(name: str, expected: Any, got: Any) -> Iterator[Finding]:
    """Compare a field, and of a list or a mapping each item, so that the finding is small."""
    if type(expected) is type(got) and isinstance(expected, dict):
        for key in dict.fromkeys((*expected, *got)):
            yield from _compare(f"{name}.{key}", expected.get(key), got.get(key))
    elif type(expected) is type(got) and isinstance(expected, list) and len(expected) == len(got):
        for place, (one, two) in enumerate(zip(expected, got, strict=True)):
            yield from _compare(f"{name}[{place}]", one, two)
    elif type(expected) is not type(got) or expected != got:
        yield Finding("the descriptor states something else", DESCRIPTOR, {}, name, _plain(expected), _plain(got))


def _plain(value: Any) -> Any:
    return value if value is None or isinstance(value, (str, int, float, bool)) else json.dumps(value)


def _check_version(tables: TableSet) -> Iterator[Finding]:
    version = tables.version
    if parse_version(version) is None and version != "unreleased":
        yield Finding("the version is not three numbers", DESCRIPTOR, {}, "version", "X.Y.Z", version)
    named = Path(str(tables.tables.folder)).name.removeprefix(f"{HEADER['name']}-").removesuffix(".zip")
    if parse_version(named) and named != version:
        yield Finding("the folder is that of another version", DESCRIPTOR, {}, "version", named, version)


def _check_resources(tables: TableSet) -> Iterator[Finding]:
    """Compare the description of each table with its file and with the columns of this program."""
    names = [resource.get("name") for resource in tables.descriptor["resources"]]
    files = {name: file for name in COLUMNS if (file := file_of(name, tables.version))}
    expected = list(files.values())
    if names[: len(expected)] != expected or len(set(map(str, names))) != len(names):
        yield Finding("the tables listed are others", DESCRIPTOR, {}, "resources", _plain(expected), _plain(names))
    for name, file in files.items():
        resource = tables.resources.get(file)
        if resource is None:
            continue
        # Size, hashes and the number of rows are the business of other checks.
        counted = {key: resource.get(key) for key in ("bytes", "hash", "contentHash", "rows")}
        wanted = {
            "name": file,
            "path": f"{file}.parquet",
            "type": "table",
            "format": "parquet",
            "mediatype": "application/vnd.apache.parquet",
            **counted,
            "schema": _describe_schema(tables, name),
        }
        yield from _compare(file, wanted, resource)


def _describe_schema(tables: TableSet, name: str) -> dict[str, Any]:
    # Words of descriptions may change between versions: those in the file are those of its time.
    stored = tables.stored[name].schema if name in tables.stored else ()
    words = {field.name: (field.metadata or {}).get(b"description") for field in stored}
    told = {column: text.decode("utf-8", "replace") for column, text in words.items() if text is not None}
    return describe_schema(name, columns_of(name, tables.version), told)


def _check_provenance(datasets: list[str], provenance: Any) -> Iterator[Finding]:
    rows = provenance if isinstance(provenance, list) else []
    listed = [row.get("dataset") if isinstance(row, dict) else None for row in rows]
    if listed != datasets:
        yield Finding(
            "the provenance names other datasets", DESCRIPTOR, {}, "provenance", ", ".join(datasets), _plain(listed)
        )
        return
    for place, row in enumerate(rows):
        for name, value in _wrong_fields(row):
            yield Finding(
                "the provenance holds something else than this program writes",
                DESCRIPTOR,
                {"dataset": row["dataset"]},
                f"provenance[{place}].{name}",
                _PROVENANCE[name].pattern if name in _PROVENANCE else None,
                _plain(value),
            )


def _wrong_fields(row: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    if "origin" not in row:
        yield "origin", None
    for name, value in row.items():
        if name == "restriction":
            yield from _wrong_restriction(value)
            continue
        optional = name == "identity" and value is None
        known = name in _PROVENANCE and isinstance(value, str) and _PROVENANCE[name].fullmatch(value) is not None
        if not optional and not known:
            yield name, value


def _wrong_restriction(value: Any) -> Iterator[tuple[str, Any]]:
    parts = value if isinstance(value, dict) else {"": None}
    for name, part in parts.items():
        if name == "relations":
            sound = isinstance(part, list) and all(isinstance(one, str) for one in part)
        else:
            fields = {"entities": {"count", "sha256"}, "known": {"sha256"}}.get(name)
            sound = isinstance(part, dict) and {*part} == fields
        if not sound:
            yield f"restriction.{name}", part


@check("checksums", "every file against checksums.txt")
def check_checksums(tables: TableSet) -> Checked:
    """Compare every file, the descriptor among them, with ``checksums.txt``, where there is one."""
    if CHECKSUMS not in tables.files:
        free = [name for name in tables.files if not name.endswith(".parquet")]
        more = f", nor are {', '.join(free)}" if free else ""
        return Checked(0, (Finding(f"no {CHECKSUMS}: the descriptor itself is not protected{more}", level="note"),))
    wanted = {name: digest for name, digest in tables.digests.items() if name != CHECKSUMS}
    wanted[DESCRIPTOR] = hashlib.sha256(tables.text).hexdigest()
    wanted |= {
        f"{name}.parquet": str(tables.describe(name).get("hash")).removeprefix("sha256:")
        for name in ARCHIVED
        if tables.tables.leaves_out(name)
    }
    text = tables.files[CHECKSUMS].decode("utf-8", "replace")
    findings, listed = [], dict[str, str]()
    if not text.endswith("\n"):
        findings.append(Finding("the last line has no end", CHECKSUMS))
    for place, line in enumerate(text.removesuffix("\n").split("\n"), start=1):
        parsed = re.fullmatch(r"([0-9a-f]{64})  ([^/]+)", line)
        if parsed is None or parsed[2] in listed:
            findings.append(
                Finding(f"line {place} is not a hash, two blanks and the name of a further file", CHECKSUMS, got=line)
            )
            continue
        listed[parsed[2]] = parsed[1]
    findings += [Finding(f"{CHECKSUMS} lists a file that is missing", name) for name in sorted({*listed} - {*wanted})]
    for name, digest in wanted.items():
        if listed.get(name) != digest:
            message = f"{CHECKSUMS} states another hash" if name in listed else f"{CHECKSUMS} does not list it"
            findings.append(Finding(message, name, column="sha256", expected=listed.get(name), got=digest))
    return Checked.of(len(wanted), findings)
