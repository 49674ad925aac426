"""The site: every constant at its address, every link leads somewhere, and nothing is overwritten
that is no site.
"""

import csv
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Sequence
from dataclasses import replace
from html.parser import HTMLParser
from importlib import resources
from pathlib import Path, PurePosixPath

import pytest

from carried import open_once
from cases import for_each, thorough
from rankconst.catalogue.baselines import BASELINES
from rankconst.catalogue.literature import RESULTS, parse_suite
from rankconst.catalogue.metrics import parse_metric
from rankconst.catalogue.protocols import PROTOCOLS
from rankconst.errors import RankconstError, TablesError, UsageError
from rankconst.tables.archive import Tables
from rankconst.tasks import Histogram
from rankconst.values.published import read_published, show_number, show_uncertain
from rankconst_builder.memory import make_tables
from rankconst_builder.site import check_folder, write_site
from rankconst_builder.site.data import describe_names, find_levels, write_json
from rankconst_builder.site.findings import SOURCES
from rankconst_builder.site.findings import read_published as read_papers

KEYS = ("ogblcollab", "icews14_regcn", "wn18rr", "nations")
ROOT = Path(__file__).parents[2]
URL = "https://example.org/constants/"
STATIC = resources.files("rankconst_builder.site").joinpath("static")


@pytest.fixture(scope="module")
def tables() -> Tables:
    return open_once()


def read_site(tables: Tables, datasets: Sequence[str] = (), url: str = "") -> dict[str, str]:
    """Write a site; return its texts by path."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "site")
        paths = write_site(tables, out, datasets, url=url)
        texts = [path for path in paths if not path.endswith(".png")]
        return {path: (out / path).read_text(encoding="utf-8") for path in texts}


@pytest.fixture(scope="module")
def files(tables: Tables) -> dict[str, str]:
    return read_site(tables, KEYS, URL)


class Page(HTMLParser):
    """What a page links to, offers as anchors, and runs."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: list[str] = []
        self.inline: list[dict[str, str | None]] = []
        self.metas: list[dict[str, str | None]] = []
        self.labelled: list[str | None] = []
        self.controls: list[str | None] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        self.links += [value for name in ("href", "src") if (value := named.get(name)) is not None]
        self.ids += [value for name, value in attrs if name == "id" and value]
        if tag == "meta":
            self.metas.append(named)
        if tag == "label":
            self.labelled.append(named.get("for"))
        if (
            (tag == "script" and "src" not in named)
            or "style" in named
            or any(name.startswith("on") for name in named)
        ):
            self.inline.append({"tag": tag, **named})
        if tag in {"select", "textarea", "input"} and named.get("type") != "radio":
            self.controls.append(named.get("id"))


def pages_of(files: dict[str, str]) -> dict[str, Page]:
    return {path: Page(text) for path, text in files.items() if path.endswith(".html")}


def test_every_row_of_the_tables_has_an_address(files: dict[str, str], tables: Tables) -> None:
    for key in KEYS:
        described = json.loads(files[f"v1/{tables.version}/{key}.json"])
        script = files[f"assets/{tables.version}/{key}.js"].removeprefix(
            f'rankconst.sets["{key}"]='
        )
        offered = json.loads(script.removesuffix(";\n"))
        held = [(path, metric) for path, row in described["constants"].items() for metric in row]
        assert len(held) == len(tables.read("constants", key))
        # By its address, as the page About says.
        for path, metric in held[::29]:
            split, side, protocol, *more = path.split("/")
            names = {"baseline" if each in BASELINES else "aggregation": each for each in more}
            tasks = tables.tasks(key, split=split, side=side, protocol=protocol, **names)
            expected = tables.look_up(tasks, parse_metric(metric))
            known = expected.moments
            numbers = [
                known.expectation, known.expectation_error, known.variance, known.variance_error,
            ]  # fmt: skip
            assert described["constants"][path][metric] == [*numbers, known.method, known.num_draws]
            of_calculator = offered["constants"][path].get(metric)
            assert of_calculator in ([numbers[0], numbers[2]], None)
            assert of_calculator or metric not in {"mr", "mrr", "gmr", "hits@1", "hits@10"}
            if expected.tasks.is_chance:
                assert described["tasks"][path]["worst"][metric] == expected.worst


def test_every_link_leads_somewhere(files: dict[str, str], tables: Tables) -> None:
    pages = pages_of(files)
    assert {"index.html", "datasets.html", "datasets/nations.html"} < set(pages)
    for path, page in pages.items():
        for link in page.links:
            if "://" in link:
                continue
            target, _, anchor = link.partition("#")
            parts = (
                [*PurePosixPath(path).parent.parts, *PurePosixPath(target).parts]
                if target
                else [path]
            )
            while ".." in parts:
                place = parts.index("..")
                parts[place - 1 : place + 1] = []
            where = "/".join(parts)
            assert where in files, f"{path}: {link}"
            if anchor and "=" not in anchor:
                assert anchor in pages[where].ids, f"{path}: {link}"
    listing = json.loads(files[f"v1/{tables.version}/index.json"])
    assert all(f"v1/{tables.version}/{name}" in files for name in listing["datasets"].values())


def test_pages_run_and_load_nothing_but_their_own_files(files: dict[str, str]) -> None:
    for path, page in pages_of(files).items():
        policy = next(
            each["content"]
            for each in page.metas
            if each.get("http-equiv") == "Content-Security-Policy"
        )
        assert policy is not None
        assert "default-src 'none'; script-src 'self'; style-src 'self'" in policy
        assert "unsafe" not in policy
        assert not page.inline, path
        assert len(page.ids) == len(set(page.ids)), path
        assert set(page.controls) <= set(page.labelled), path
    loaded = re.findall(
        r'<(?:script|link rel="(?:icon|stylesheet)")[^>]* (?:src|href)="([^"]+)"',
        files["index.html"],
    )
    assert loaded
    assert not [each for each in loaded if "://" in each]
    for name in ("style.css", "calculator.js"):
        assert not re.search(r"@import|url\(|https?://(?!www\.w3\.org)", files[f"assets/{name}"]), (
            name
        )


def test_a_page_has_relation_prediction_apart(files: dict[str, str], tables: Tables) -> None:
    page = files["datasets/nations.html"]
    begin = page.index("<summary>Relation prediction</summary>")
    apart = page[begin : page.index("</details>", begin)]
    for protocol in tables.protocols("nations"):
        expectation = tables.constants(
            "nations", "hits@10", "test", "relation", protocol
        ).expectation
        link = f'<a href="#test/relation/{protocol}/hits@10">{show_number(expectation, 4)}</a>'
        assert link in apart
        assert link not in page.replace(apart, "")
    assert (
        "Every relation is ranked; other relations of the pair in all three splits are removed."
        in apart
    )
    assert "Relation prediction" not in files["datasets/ogblcollab.html"]


def test_the_list_begins_with_what_matters_most(files: dict[str, str]) -> None:
    listed = files["datasets.html"]
    rows = re.findall(
        r'<tr data-words="[^"]*" data-key="(\w+)">.*?<td>([a-zOGB-]+)</td><td>[\d–]', listed
    )
    assert rows == [
        ("nations", "transductive"),
        ("icews14_regcn", "temporal"),
        ("wn18rr", "transductive"),
        ("ogblcollab", "OGB"),
    ]
    assert re.findall(r"<title>(.*?)</title>", listed)[1:] == [
        "Nations: 0.3844",
        "ICEWS14 (RE-GCN): 0.001326",
        "WN18RR: 0.0002736",
        "ogbl-collab: 0.0001209",
    ]


def test_included_results_link_their_sources(files: dict[str, str], tables: Tables) -> None:
    with RESULTS.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["MRR"] and row["split"] == "test"]
    sources = RESULTS.with_name("published_sources.csv")
    with sources.open(encoding="utf-8", newline="") as file:
        addresses = {row["source"]: row["address"] for row in csv.DictReader(file)}
    worse = {}
    for key in {*KEYS} & {row["dataset"] for row in rows}:
        own = [row for row in rows if row["dataset"] == key]
        page = files[f"datasets/{key}.html"]
        assert page.count('<circle class="result"') == len(own)
        for row in own:
            assert f'<a href="{addresses[row["source"]]}">{row["source"]}</a>' in page
            constants = tables.constants(key, "mrr", side=row["side"], protocol=row["protocol"])
            adjusted = constants.adjust(row["MRR"])
            assert adjusted.index_interval is not None
            shown = show_uncertain(adjusted.index, adjusted.index_interval)
            assert f"<td>{shown}</td>" in page or row["tool"] == "conve"
        compared = [row for row in own if row["tool"] != "conve"]  # of other batches
        worse[key] = [
            row
            for row in compared
            if read_published(parse_metric("mrr"), row["MRR"]).upper
            < tables.constants(
                key, "mrr", side=row["side"], protocol=row["protocol"], baseline="counting"
            ).expectation
        ]
        assert page.count("<td>worse</td>") == len(worse[key])
        told = f'<a href="datasets/{key}.html#published">'
        line = files["results.html"][files["results.html"].index(told, 10) :]
        assert f"<td>{len(compared)}</td>" in line.partition("</tr>")[0]
        assert line.partition("</tr>")[0].endswith(f"<td>{len(worse[key])}</td>")
    assert f", {sum(map(len, worse.values()))} are worse" in files["results.html"]


def test_averages_are_those_of_the_documentation(files: dict[str, str], tables: Tables) -> None:
    page = files["averages.html"]
    text = (ROOT / "docs" / "averages.md").read_text(encoding="utf-8")
    lines = [line.strip("| ").split(" | ") for line in text.splitlines() if line[:2] == "| "]
    shown = re.findall(r"<tr>(.*?)</tr>", page.partition("</table>")[0])
    # Those that counting reaches or exceeds, and the mean.
    rows = [re.findall(r">([\d.]+)<", row) for row in shown[1:] if "<em>" in row]
    rows.append(re.findall(r">([\d.]+)<", shown[-1]))
    # Model, model, chance, counting here; chance and counting first there.
    assert [[*row[2:], *row[:2]] for row in rows] == [line[1:] for line in lines[1 : len(rows) + 1]]
    for source in SOURCES.values():
        assert source in text
        assert f'href="{source}"' in page
    suite = parse_suite("grail_12")
    for baseline in ("uniform", "counting"):
        for metric in ("mrr", "hits@10"):
            tasks = tables.tasks("grail_12", protocol=suite.protocol)
            expected = tables.look_up(replace(tasks, baseline=baseline), parse_metric(metric))
            assert f"<td>{expected.expectation:.4f}</td>" in page
    assert "<td>36 of 41</td>" in page


def test_links_have_titles(files: dict[str, str]) -> None:
    for name, text in files.items():
        if name.endswith(".html"):
            named = {each.get("property"): each.get("content") for each in Page(text).metas}
            assert named["og:title"]
            assert named["og:description"]


@for_each(
    ("k", "sizes", "offsets"),
    [
        (1, [3, 3, 5, 8, 2], [0, 0, 0, 0, 0]),
        (3, [4] * 30 + [9] * 20, [0] * 50),
        (3, [4] * 30 + [9] * 20, [0, 2, 5, 1, 3] * 10),
        (1, [1, 1, 1], [0, 0, 0]),
        (1, [5, 5, 5], [4, 4, 4]),
    ],
)
def test_levels_are_those_of_a_sum_of_coins(k: int, sizes: list[int], offsets: list[int]) -> None:
    chances = [min(max(k - a, 0) / size, 1) for size, a in zip(sizes, offsets, strict=True)]
    distribution = [1.0]
    for chance in chances:
        missed = [p * (1 - chance) for p in [*distribution, 0.0]]
        hit = [p * chance for p in [0.0, *distribution]]
        distribution = [sum(pair) for pair in zip(missed, hit, strict=True)]
    reached = [math.fsum(distribution[hits:]) for hits in range(len(distribution))] + [0.0]
    better = next(hits for hits, p in enumerate(reached) if p <= 0.05)
    most = max(hits for hits, p in enumerate(reached) if p >= 0.95)
    histogram = Histogram.from_counts(sizes, offsets=offsets)
    # Fewer than `most` hits are worse: one more is reached in at least 95 % of all cases.
    assert find_levels(parse_metric(f"hits@{k}"), histogram) == (better, most)


def test_results_on_your_graph_of_the_name_are_not_shown() -> None:
    """Its ranking tasks have one candidate each: every ranker gets an MRR of 1."""
    train = [(entity, f"r{place}", entity) for place in range(128) for entity in "ab"]
    test = [("a", f"r{place}", "b") for place in range(128)]
    protocols = [PROTOCOLS["standard"]]
    own = make_tables({"train": train, "test": test}, "nations", "Nations", protocols)
    assert read_papers(own, ["nations"]) == {}


def test_what_a_set_says_of_itself_is_never_markup(tables: Tables) -> None:
    hostile = "</script><script>alert(1)</script>\u2028<img src=x onerror=alert(1)>"
    row = {**tables.datasets["nations"], **dict.fromkeys(("title", "citation", "licence"), hostile)}
    row |= {"aliases": [hostile, "nations"], "citation_url": "javascript:alert(1)"}
    row |= {"source_urls": ["javascript:alert(1)", 'https://a/"><script>']}
    own = replace(tables)
    own.__dict__.update({"datasets": {"nations": row}, "titles": {"nations": hostile}})
    made = read_site(own, ["nations"])
    for text in (text for path, text in made.items() if path.endswith(".html")):
        page = Page(text)
        assert "javascript:alert(1)" not in page.links
        assert not page.inline
        assert "<img" not in text
        assert text.count("<script") == text.count("</script>")
    assert "<" not in made["assets/names.js"]
    bare = {**tables.datasets["nations"], "dataset": "bare"}
    own.__dict__.update({"datasets": {"bare": bare}, "titles": {"bare": "Bare"}})
    with pytest.raises(TablesError, match="name bare, but hold no tasks of it"):
        read_site(own, ["bare"])
    own.__dict__.update({"datasets": {}, "titles": {}})
    with pytest.raises(RankconstError, match="no dataset"):
        read_site(own)


def test_the_first_view_is_small(files: dict[str, str], tables: Tables) -> None:
    assets = ("style.css", "icon.svg", "calculator.js", f"{tables.version}/nations.js")
    loaded = [files["index.html"], *(files[f"assets/{name}"] for name in assets)]
    loaded.append(write_json(describe_names(tables, list(tables.datasets))))
    assert sum(len(text.encode()) for text in loaded) < 150_000


@pytest.mark.slow
def test_types_of_the_scripts() -> None:
    compiler = shutil.which("tsc")
    if compiler is None:
        pytest.skip("no TypeScript compiler: npm install --global typescript")
    subprocess.run([compiler, "--project", str(STATIC.joinpath("jsconfig.json"))], check=True)


def test_a_site_replaces_a_site(
    tables: Tables, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A link stays, what was left goes, and one that cannot be written leaves the old one."""
    out = tmp_path / "public"
    (tmp_path / ".public.incoming" / "site").mkdir(parents=True)
    (tmp_path / ".public.incoming" / "site" / "half.html").touch()
    out.mkdir()
    (tmp_path / "link").symlink_to(out)
    order = (tables, tmp_path / "link", ["ogblcollab"])
    sizes = write_site(*order)
    (out / "datasets" / "gone.html").write_text("of an older site")
    assert write_site(*order) == sizes
    with monkeypatch.context() as patch, pytest.raises(ZeroDivisionError):
        patch.setattr("rankconst_builder.site.write_dataset", lambda *_: 1 / 0)
        write_site(*order)
    assert sorted(
        path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file()
    ) == sorted(sizes)
    assert (tmp_path / "link").is_symlink()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "public"]


@thorough
def test_an_installed_wheel_writes_the_same_site(tables: Tables, tmp_path: Path) -> None:
    pytest.importorskip("hatchling", reason="pip install hatchling builds the wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(build, check=True, cwd=ROOT, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(tmp_path / "installed")
    site = ("tables", "site", "--out", "public", "-d", "nations")
    command = [sys.executable, "-m", "rankconst", *site]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "installed")}
    subprocess.run(command, check=True, cwd=tmp_path, env=environment, capture_output=True)
    ours = read_site(tables, ["nations"])
    public = tmp_path / "public"
    theirs = {
        path.relative_to(public).as_posix(): path for path in public.rglob("*") if path.is_file()
    }
    assert theirs.keys() == ours.keys()
    assert [
        name for name, path in theirs.items() if path.read_text(encoding="utf-8") != ours[name]
    ] == []


def test_documentation_is_part_of_the_site(tables: Tables, tmp_path: Path) -> None:
    built, out = tmp_path / "built", tmp_path / "public"
    (built / "_static").mkdir(parents=True)
    with pytest.raises(UsageError, match="sphinx-build"):
        write_site(tables, out, ["ogblcollab"], docs=built)
    (built / "index.html").write_text("the documentation")
    (built / "_static" / "a.woff").write_bytes(b"\xff")
    write_site(tables, out, ["ogblcollab"], docs=built)
    assert (out / "docs" / "_static" / "a.woff").read_bytes() == b"\xff"
    assert 'href="../docs/index.html"' in (out / "datasets" / "ogblcollab.html").read_text(
        encoding="utf-8"
    )


def test_nothing_else_is_overwritten(
    tables: Tables, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = tmp_path / "thesis" / "chapter.tex"
    mine.parent.mkdir()
    mine.write_text("mine")
    before = sorted(tmp_path.rglob("*"))
    for out in (mine, mine.parent, tmp_path / "a" / "b"):
        with pytest.raises(UsageError, match="--out"):
            write_site(tables, out, ["ogblcollab"])
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    with pytest.raises(UsageError, match="while you are in it"):
        write_site(tables, Path(), ["ogblcollab"])
    (tmp_path / "empty").rmdir()
    assert sorted(tmp_path.rglob("*")) == before


def test_what_is_no_part_of_a_site_is_not_lost_with_the_older_one(
    tables: Tables, tmp_path: Path
) -> None:
    for name in ("site.json", ".DS_Store", "CNAME"):
        (tmp_path / name).write_text("mine")
    with pytest.raises(
        UsageError, match=r"holds other files than a site's: CNAME\. Move them away"
    ):
        write_site(tables, tmp_path, ["ogblcollab"])
    (tmp_path / "CNAME").unlink()
    check_folder(tmp_path)
