"""The pages: every example on them is run, every link leads somewhere, every list is complete."""

import csv
import re
import shlex
import tomllib
from pathlib import Path

import pyarrow.compute as pc
import pytest

import rankconst
from carried import open_once
from cases import choose, for_each
from pages import ROOT, find_blocks, find_pages, join_lines, run_page
from rankconst import errors
from rankconst.catalogue.literature import RESULTS
from rankconst.catalogue.metrics import CATALOGUE
from rankconst.catalogue.protocols import is_sampled
from rankconst.cli.words import COMMANDS, find_command, import_command, list_parameters, read_words
from rankconst.errors import RankconstError
from rankconst.results.formats import FORMATS

DOCS = ROOT / "docs"
PAGES = [page for page in find_pages() if page.is_file()]
NEEDED = {
    "pandas": "import pandas",
    "pooch": "rankconst build|rankconst tables verify|rankconst tables release",
    "matplotlib": "rankconst plot",
}
"""Module to what on a page needs it."""

pytestmark = pytest.mark.skipif(not DOCS.is_dir(), reason="the pages are in a checkout only")


@pytest.mark.slow
@pytest.mark.usefixtures("cheap_constants")
@pytest.mark.parametrize(
    "page",
    choose([page for page in PAGES if page.stem != "archive"], [*PAGES]),
    ids=lambda page: page.stem,
)
def test_every_example_does_what_the_page_shows(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    blocks = [block for block in find_blocks(text_of(page)) if block.is_run]
    run = "".join(f"```{block.language} {block.name}\n{block.body}" for block in blocks)
    for module, sign in NEEDED.items():
        if re.search(sign, run):
            pytest.importorskip(module)
    if re.search("rankconst build|--rebuild", run):
        monkeypatch.setenv("RANKCONST_MIRROR", str(request.getfixturevalue("mirror")))
    monkeypatch.chdir(tmp_path)
    text, faults = run_page(page)
    assert not faults, "\n".join(
        [*faults, f"run: python tests/pages.py {page.relative_to(ROOT)}, and read what changed"]
    )
    assert text == text_of(page)


@for_each("page", PAGES)
def test_commands_that_are_not_run_have_such_options(page: Path) -> None:
    left = [block for block in find_blocks(text_of(page)) if block.mark.startswith("not run: ")]
    for line in join_lines("".join(block.body for block in left)):
        program, *arguments = shlex.split(line, comments=True) or [""]
        if program == "rankconst":
            command = find_command(arguments)
            parameters = list_parameters(import_command(command))
            read_words(arguments[len(command.split()) :], parameters)


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def read_csv(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def headings_of(page: Path) -> set[str]:
    """Return the anchors of a page as GitHub forms them."""
    prose = re.sub(r"^```.*?^```$", "", text_of(page), flags=re.MULTILINE | re.DOTALL)
    found = re.findall(r"^#+ (.*)$", prose, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in found}


@for_each("page", PAGES)
def test_links_lead_somewhere(page: Path) -> None:
    for link in re.findall(r"\]\(([^)\s]+)\)", text_of(page)):
        if "://" in link:
            continue
        file, _, anchor = link.partition("#")
        target = (page.parent / file).resolve() if file else page
        assert target.exists(), link
        assert not anchor or anchor in headings_of(target), link


def test_lists_are_complete() -> None:
    listed = {*re.findall(r"\]\((\w+\.md)\)", text_of(DOCS / "README.md"))}
    assert listed == {page.name for page in DOCS.glob("*.md")} - {"README.md"}
    texts = "".join(map(text_of, PAGES))
    assert [command for command in COMMANDS if f"rankconst {command}" not in texts] == []
    page = DOCS / "results_files.md"
    assert len(page.read_bytes()) <= 12_000
    cells = re.findall(r"^\| (`.+?) \|", text_of(page), re.MULTILINE)
    assert set(re.findall(r"`(\w+)`", "".join(cells))) == set(FORMATS)
    text = text_of(DOCS / "included.md")
    table = text[text.index("| metric | adjusted |") : text.index("`rankconst show mrr` shows")]
    assert [
        row.label for row in CATALOGUE.values() if not re.search(rf"\b{row.label}\b", table)
    ] == []


@pytest.mark.slow
def test_benchmarks_without_a_baseline_are_named() -> None:
    tables = open_once()
    page = " ".join(text_of(DOCS / "interpreting.md").split())
    assert (
        "Eleven of the 102 benchmarks have none: wiki_tkg, whose training set is not available, and "
        "the ten with sampled negatives only,"
    ) in page
    counted = (
        tables.read("constants")
        .filter(pc.field("baseline") == "counting")["dataset"]
        .unique()
        .to_pylist()
    )
    lacking = {*tables.datasets} - {*counted}
    sampled = {key for key in tables.datasets if all(map(is_sampled, tables.protocols(key)))}
    assert lacking == {"wiki_tkg", *sampled}
    assert (len(lacking), len(tables.datasets)) == (11, 102)


def test_exit_codes_are_those_of_the_errors() -> None:
    rows = re.findall(r"^\| (\d+) \| .* \| (.*) \|$", text_of(DOCS / "python.md"), re.MULTILINE)
    documented = {
        name: int(code) for code, names in rows for name in re.findall(r"`(\w+Error)`", names)
    }
    public = {
        name: each.exit_code
        for name, each in vars(errors).items()
        if isinstance(each, type) and issubclass(each, RankconstError)
    }
    del public["RankconstError"], public["VerificationError"]  # that of a command
    assert documented == public


FORMS = {
    "MR": ("mr", ""), "AMR": ("mr", "normalised"), "AMRI": ("mr", "index"), "ZMR": ("mr", "z"),
    "MRR": ("mrr", ""), "AMRR": ("mrr", "index"), "ZMRR": ("mrr", "z"),
    "Hits@k": ("hits@10", ""), "AH@k": ("hits@10", "index"), "ZH@k": ("hits@10", "z"),
}  # fmt: skip
"""Metrics and their adjusted forms, as the page names them, to metric and adjustment."""


def values_of(form: str, candidates: int, tasks: int) -> tuple[float, ...]:
    """Return what a perfect, a random and the worst ranker get."""
    metric, adjustment = FORMS[form]
    constants = rankconst.from_counts([candidates, 4 * candidates] * tasks).constants(metric)
    values = (1.0, constants.expectation, constants.worst)
    return tuple(map(getattr(constants, adjustment), values)) if adjustment else values


def test_what_perfect_random_and_worst_rankers_get() -> None:
    row = r"^\| (\w.*) \| (smaller|larger) \| (.+) \| (.+) \| (.+) \|$"
    rows = re.findall(row, text_of(DOCS / "interpreting.md"), re.MULTILINE)
    assert {name for names, *_ in rows for name in names.split(", ")} == set(FORMS)
    for names, direction, *cells in rows:
        for name in names.split(", "):
            sizes = ((4, 2), (400, 2), (40_000, 2), (4, 200))
            values = [values_of(name, candidates, tasks) for candidates, tasks in sizes]
            assert (values[0][0] > values[0][2]) == (direction == "larger"), name
            for cell, few, more, many, repeated in zip(cells, *values, strict=True):
                where = (name, cell, few, more, many, repeated)
                if cell == "–":
                    grows = abs(many) > 2 * abs(more) > 2 * abs(few)
                    assert grows or abs(repeated) > 2 * abs(few), where
                    continue
                assert repeated == pytest.approx(few, abs=1e-9), where
                target = float(cell.removeprefix("→ ").replace("−", "-"))
                limit = [abs(value - target) for value in (few, more, many)]
                if "→" in cell:
                    assert limit[0] > limit[1] >= limit[2], where
                    assert limit[2] < 1e-3, where
                else:
                    assert max(limit) < 1e-9, where


@pytest.mark.slow
def test_numbers_in_the_prose() -> None:
    tables = open_once()
    assert round(0.0005 / tables.constants("fb15k237", "mrr").variance ** 0.5) == 9
    assert "changes z by up to 9 in either direction" in text_of(DOCS / "interpreting.md")
    for protocol, index in (("standard", 0.51), ("raw", 0.61)):
        assert round(tables.constants("nations", "mrr", protocol=protocol).index(0.7), 2) == index
    said = "0.7 on Nations is 0.51 with `standard` and 0.61 with `raw`"
    assert said in text_of(DOCS / "protocols.md")
    # The index moves by at most as much as the expectation.
    for key, row in tables.datasets.items():
        if (row["entities"] or 0) <= 10_000 or "standard" not in tables.protocols(key):
            continue
        for metric in ("mrr", "hits@10"):
            expectations = [
                tables.constants(key, metric, protocol=protocol).expectation
                for protocol in ("standard", "libkge", "pykeen")
            ]
            assert max(expectations) - min(expectations) < 1e-4
    standard, pykeen = (
        tables.constants("wn18rr", "mr", protocol=name).index(3340)
        for name in ("standard", "pykeen")
    )
    assert abs(standard - pykeen) > 1e-3


@pytest.mark.slow
def test_published_lines_are_what_the_script_writes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "docs" / "scripts"))
    import adjust_published

    adjusted = adjust_published.adjust_published()
    assert not adjusted.asked
    ladder = adjust_published.render_ladder(adjusted)
    assert ladder in text_of(DOCS / "interpreting.md"), (
        "run: python docs/scripts/adjust_published.py"
    )
    said = re.match(
        r"Of (\d+) .+?, (\d+) are .+\n.+ is (.+), with (\d+) results, of which (\d+) are worse:",
        ladder,
    )
    assert said is not None
    total, worse, commonest, _, of_them = said.groups()
    readme = " ".join(text_of(ROOT / "README.md").split())
    assert (
        f"Of {total} published results on test sets, {worse} are worse than counting, among "
        f"them {of_them} on {commonest}, the commonest benchmark."
    ) in readme
    drawn = len(adjust_published.read_drawn())
    assert f"MRR of {drawn} published results" in text_of(DOCS / "interpreting.md")
    assert f"and {total}\n  published results" in text_of(DOCS / "README.md")
    assert f"{drawn} results on" in text_of(DOCS / "published.svg")


@pytest.mark.slow
def test_every_published_result_is_there_once_and_possible_and_has_a_source() -> None:
    rows, sources = read_csv(RESULTS), read_csv(RESULTS.with_name("published_sources.csv"))
    assert len({tuple(row.values()) for row in rows}) == len(rows)
    assert sorted({row["source"] for row in rows}) == sorted(row["source"] for row in sources)
    assert all(row["address"].startswith("https://") and row["setting"] for row in sources)
    by_tool = {row["source"] for row in sources if "by its tool" in row["setting"]}
    assert all(row["tool"] for row in rows if row["source"] in by_tool)
    found = rankconst.check(RESULTS).findings
    assert {each.severity for each in found} == {"info"}, (
        "what is worse than a baseline is no mistake; the rest is"
    )


def test_published_results_are_those_of_the_reference(reference: Path) -> None:
    titles = {row["title"] for row in rankconst.load().datasets.values()}
    found = {(row["source"], row["model"], row["MRR"], row["Hits@10"]) for row in read_csv(RESULTS)}
    rows = [row for row in read_csv(reference / "published_results.csv") if row["split"] == "test"]
    known = {
        (row["source_repo"], row["model"], row["MRR"], row["Hits@10"])
        for row in rows
        if row["dataset"] in titles
    }
    assert known <= found


def test_temporal_benchmarks_have_the_test_facts_of_the_page() -> None:
    text, tables = text_of(DOCS / "protocols.md"), open_once()
    shown = dict(re.findall(r"`(\w+)` ([\d,]+)[,|\s]", text[text.index("## Temporal graphs") :]))
    held = {
        key: row["triples_test"]
        for key, row in tables.datasets.items()
        if "time-aware" in tables.protocols(key)
    }
    assert {key: int(number.replace(",", "")) for key, number in shown.items()} == held


def test_the_tables_of_real_files_are_what_the_script_writes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "docs" / "scripts"))
    import read_real_files

    from real_files import read_rows

    rows, page = read_rows(), text_of(ROOT / "tests" / "results" / "real_files.md")
    for lines in (read_real_files.render_totals(rows), read_real_files.render_files(rows)):
        assert lines in page, "run: python docs/scripts/read_real_files.py"
    assert f"Of {len(rows)} real files" in text_of(DOCS / "archive.md")


def test_versions_and_extras_are_those_of_the_package() -> None:
    assert f"\nversion: {rankconst.__version__}\n" in text_of(ROOT / "CITATION.cff")
    assert f"\n## {rankconst.__version__} (" in text_of(ROOT / "CHANGELOG.md")
    project = tomllib.loads(text_of(ROOT / "pyproject.toml"))
    groups = project["dependency-groups"]
    assert set(project["project"]["optional-dependencies"]["test"]) == {
        *groups["test"],
        *groups["lint"],
    }
