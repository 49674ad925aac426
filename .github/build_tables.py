"""Build every benchmark where there is an internet: ``build_tables.py OUT REPORT [REGISTRY]``.

What cannot be built is reported, and the rest is built; a run that was cut off is taken up by the
next one with the same cache and OUT. Files of which no hash was known are listed in REPORT, in
Markdown, with the hashes they have now; if REGISTRY is given, ``benchmarks.toml`` of a checkout,
they are pinned there. Nothing is published.
"""

from __future__ import annotations

import os
import re
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from rankconst.catalogue.baselines import INFORMED
from rankconst.catalogue.benchmarks import load_benchmarks
from rankconst.catalogue.protocols import PROTOCOLS, SPLITS
from rankconst.download import cache_folder
from rankconst.progress import Reporter
from rankconst_builder.fetch import Fetcher
from rankconst_builder.pipeline import Build, Outcome, build_all

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rankconst.catalogue.benchmarks import Benchmark, Remote


class Found(NamedTuple):
    """What a first download gave."""

    remote: Remote
    bytes: int
    sha256: str

    @property
    def verdict(self) -> str:
        """What is known to compare with."""
        if self.remote.copy_sha256 is None:
            return "nothing to compare with"
        equal = self.sha256 == self.remote.copy_sha256
        return f"{'equals' if equal else 'DIFFERS FROM'} the copy in {self.remote.copy}"


def build(sources: Sequence[Benchmark], fetcher: Fetcher, out: Path) -> Outcome:
    """Build all that can be built; those that failed last time are tried again."""
    wanted = [source for source in sources if not (source.not_offered or source.same_graph_as)]
    return build_all(
        Build(
            sources=wanted,
            out=out,
            fetcher=fetcher,
            protocols=tuple(PROTOCOLS.values()),
            baselines=tuple(INFORMED),
            splits=tuple(SPLITS),
            reporter=fetcher.reporter,
        )
    )


def list_found(sources: Iterable[Benchmark], fetcher: Fetcher) -> list[Found]:
    """List the files at hand of which the registry knows no hash."""
    remotes = dict.fromkeys(file.remote for source in sources for file in source.files.values())
    found = []
    for remote in remotes:
        sha256 = fetcher.identify(remote)
        if not remote.verifiable and sha256 is not None:
            found.append(Found(remote, fetcher.locate(remote).stat().st_size, sha256))
    return found


def pin(registry: str, found: Iterable[Found]) -> str:
    """Return the text of the registry with sizes and hashes of files that had none."""
    for one in found:
        url = re.escape(f'url = "{one.remote.url}"')
        inline = rf'\g<1>, bytes = {one.bytes}, sha256 = "{one.sha256}"'
        lines = rf'\g<1>\nbytes = {one.bytes}\nsha256 = "{one.sha256}"'
        registry = re.sub(rf"(\{{ {url}(?:, copy\w* = \"[^\"]*\")*)(?= \}})", inline, registry)
        registry = re.sub(rf"^({url})$", lines, registry, flags=re.MULTILINE)
    tomllib.loads(registry)
    return registry


def describe(outcome: Outcome, found: Sequence[Found]) -> str:
    """Return the report."""
    lines = [f"{len(outcome.built)} benchmarks were built."]
    if outcome.failures:
        lines += ["", "These could not be built:", ""]
        lines += [f"- `{key}`: {error}" for key, error in outcome.failures.items()]
    if found:
        lines += [
            "",
            "Of these files no hash was known before. "
            "Compare them with other copies before you merge:",
            "",
        ]
        lines += ["| file | bytes | SHA-256 | copy |", "|---|---:|---|---|"]
        lines += [
            f"| {one.remote.url} | {one.bytes} | `{one.sha256}` | {one.verdict} |" for one in found
        ]
    return "\n".join(lines) + "\n"


def main(out: Path, report: Path, registry: Path | None = None) -> None:
    """Build, report, and pin."""
    sources = list(load_benchmarks().values())
    fetcher = Fetcher(
        cache_folder(), mirror=os.environ.get("RANKCONST_MIRROR") or None, reporter=Reporter()
    )
    outcome = build(sources, fetcher, out)
    found = list_found(sources, fetcher)
    report.write_text(describe(outcome, found), encoding="utf-8")
    if registry is not None:
        registry.write_text(pin(registry.read_text(encoding="utf-8"), found), encoding="utf-8")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:4]))
