"""The site in a real browser: the numbers of Python, wrong input answered in place, nothing loaded from elsewhere.

All tests share one browser and one site. They need a Chromium and the package
axe-playwright-python.
"""

import functools
import http.server
import random
import re
import shutil
import struct
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

import rankconst
from carried import open_once
from cases import THOROUGH, choose, thorough
from rankconst import Constants
from rankconst.adjusting import adjust_values
from rankconst.catalogue.metrics import TABULATED, Metric, parse_metric
from rankconst.errors import DataError, RankconstError, UnknownNameError
from rankconst.tables.archive import Tables
from rankconst.values.published import (
    Interval,
    parse_value,
    read_published,
    show_number,
    show_uncertain,
)
from rankconst.verdicts import explain, find_floor
from rankconst_builder.package import read_address
from rankconst_builder.site import write_site
from rankconst_builder.site.data import OFFERED
from real_files import find_reference

pytestmark = pytest.mark.slow

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
ROOT = Path(__file__).parents[2]
KEYS = ("fb15k237", "icews14_regcn", "nations", "ogblcitation2", "ogblcollab", "wn18rr")
HOSTILE = (
    "<script>window.stolen = 1</script>",
    "<details open ontoggle='window.stolen = 1'>",
    "<a href='javascript:window.stolen = 1'>x</a>",
    "<svg onload=window.stolen=1>",
    "</textarea><script>window.stolen = 1</script>",
    "\"onfocus=window.stolen=1 autofocus x=\"",
)  # fmt: skip
FOUND = "#result .index"
WAIT = 30_000  # milliseconds, on a busy machine


@pytest.fixture(scope="module")
def tables() -> Tables:
    return open_once()


@pytest.fixture(scope="module")
def folder(tables: Tables, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("served") / "public"
    write_site(tables, folder, KEYS)
    return folder


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def served(folder: Path) -> Iterator[str]:
    """The address of the site, on this machine."""
    with http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(_Quiet, directory=str(folder))
    ) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    api = pytest.importorskip(
        "playwright.sync_api",
        reason="the tests of the site need playwright: pip install axe-playwright-python",
    )
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        pytest.skip(f"the tests of the site need a browser: one of {', '.join(BROWSERS)}")
    with api.sync_playwright() as started:
        # In a container there is no user namespace for the sandbox; the pages are ours.
        running = started.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield running
        running.close()


class Visit:
    """A page that is open, and whatever it did that it should not."""

    def __init__(self, browser: Any, home: str, **options: Any) -> None:
        self.home, self.faults = home, list[str]()
        self.context = browser.new_context(
            **{"viewport": {"width": 1280, "height": 900}, **options}
        )
        self.page = self.context.new_page()
        self.page.set_default_timeout(WAIT)
        self.page.on("console", lambda said: self.faults.append(f"{said.type}: {said.text}"))
        self.page.on("pageerror", lambda error: self.faults.append(f"error: {error}"))
        self.page.on("dialog", self._dismiss)
        self.page.on("request", self._note)

    def _dismiss(self, dialog: Any) -> None:
        self.faults.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _note(self, request: Any) -> None:
        if not request.url.startswith(self.home):
            self.faults.append(f"request: {request.url}")

    def open(self, path: str) -> Any:
        self.page.goto("about:blank")
        self.page.goto(self.home + path)
        return self.page

    def text(self, selector: str) -> str:
        """Return the text of an element, its runs of blanks as one."""
        return " ".join(self.page.locator(selector).inner_text().split())


@pytest.fixture(scope="module")
def opened(browser: Any, served: str) -> Iterator[Visit]:
    visit = Visit(browser, served)
    yield visit
    visit.context.close()


@pytest.fixture
def visit(opened: Visit) -> Iterator[Visit]:
    """One page for all tests; each must leave nothing on its console."""
    opened.faults.clear()
    yield opened
    assert not opened.faults


# -- the same numbers as in Python -----------------------------------------------------------------


def write_number(value: float, generator: random.Random, *, share: bool) -> str:
    """Write a number as papers do: rounded, as a percentage, with a deviation, with an exponent."""
    digits = generator.randint(1, 7)
    percent = share and generator.random() < 0.25
    number = Decimal(repr(value)) * (100 if percent else 1)
    places = digits if share and not percent else max(0, digits - 3)
    text = f"{number:,.{places}f}" if generator.random() < 0.8 else f"{number:.{digits}e}"
    ending = generator.choices(["", " ± 0.01", "(3)", " +/- 0.5"], [12, 1, 1, 1])[0]
    if ending == "(3)" and ("." not in text or "," in text):
        ending = ""
    return text + ending + "%" * percent


def draw_cases(tables: Tables, count: int) -> list[tuple[Constants, str]]:
    """Draw constants, and a value for each: near chance, or anywhere in the range of the metric."""
    generator = random.Random(20261122)  # noqa: S311 - a sample, no secret
    rows = {key: tables.read("constants", key).to_pylist() for key in KEYS}
    cases: list[tuple[Constants, str]] = []
    while len(cases) < count:
        tasks, metric = read_address(generator.choice(rows[generator.choice(KEYS)]))
        if metric not in OFFERED:
            continue
        assert metric.optimum is not None
        constants, best = tables.look_up(tasks, metric), metric.optimum
        value = generator.choice(
            [
                generator.uniform(best, constants.worst),
                generator.gauss(constants.expectation, constants.variance**0.5),
                generator.choice([best, constants.worst, constants.expectation, best * 1.001]),
            ]
        )
        cases.append((constants, write_number(value, generator, share=metric.is_share)))
    return cases


def adjust_in_python(constants: Constants, text: str) -> list[Any] | None:
    """Return value, ends and forms with their ends, as numbers and as they are shown; None if that
    is refused.
    """
    try:
        adjusted = constants.adjust(text)
    except DataError:
        return None
    found: list[Any] = [adjusted.value, *adjusted.value_interval]
    for form in ("normalised", "index", "z"):
        value, interval = getattr(adjusted, form), getattr(adjusted, f"{form}_interval")
        found += (
            [None, None] if value is None else [[value, *interval], show_uncertain(value, interval)]
        )
    return found


ADJUST = """
async (cases) => {
  const { arithmetic, calculator, format, names: { lookUp }, dom: { fetchContents, rankconst }, number, verdict } = modules;
  const form = (each) => !each ? [null, null]
    : [[each.value, each.interval.lower, each.interval.upper], format.showBoth(each.value, each.interval)];
  return Promise.all(cases.map(async ({ key, metric, baseline, text, ...said }) => {
    const { names } = rankconst;
    const contents = await fetchContents(key);
    const known = names.metrics.find((each) => each.key === metric);
    const dataset = names.datasets.find((each) => each.key === key);
    const found = lookUp(names, contents, { dataset, ...said }, known);
    const constants = found.find((each) => each.baseline === baseline);
    try {
      const adjusted = arithmetic.adjust(constants, arithmetic.readPublished(known, text), names.noise);
      const all = await number.adjustNumber({ ...calculator.NOTHING, dataset: key, ...said }, known, text).catch(() => null);
      return [[adjusted.value, adjusted.interval.lower, adjusted.interval.upper,
        ...form(adjusted.normalised), ...form(adjusted.index), ...form(adjusted.z)],
        all && { ...verdict.explain(all), rungs: all.rungs.length }];
    } catch (error) {
      if (!(error instanceof format.Refusal)) throw error;
      return [null, null];
    }
  }));
}
"""


def ask(page: Any, cases: list[tuple[Constants, str]]) -> list[Any]:
    """Return what the page makes of constants and values."""
    names = ("split", "side", "protocol", "baseline")
    asked = [
        {
            "key": tasks.dataset,
            "metric": one.metric.key,
            "text": text,
            **{name: getattr(tasks, name) for name in names},
        }
        for one, text in cases
        for tasks in [one.tasks]
    ]
    return list(page.evaluate(ADJUST, asked))


def explain_in_python(
    tables: Tables, constants: Constants, text: str, *, counting: bool = True
) -> str:
    """Return what the command line says of a value under chance."""
    metric, tasks = constants.metric, constants.tasks

    def look_up(metric: Metric, baseline: str) -> Constants:
        return tables.look_up(replace(tasks, baseline=baseline), metric)

    (chance,) = adjust_values([(metric, read_published(metric, text))], None, look_up)
    return explain(chance, find_floor(chance, tables) if counting else None)


def test_numbers_and_verdicts_are_those_of_the_package(visit: Visit, tables: Tables) -> None:
    cases = draw_cases(tables, choose(60, 600))
    answered = ask(visit.open("index.html"), cases)
    expected = [adjust_in_python(*case) for case in cases]
    assert sum(each is not None for each in expected) >= len(cases) * 2 / 3
    sure = 0
    for case, (found, verdict), wanted in zip(cases, answered, expected, strict=True):
        assert found == wanted, case
        if verdict is None or not case[0].tasks.is_chance:
            continue
        # Of metrics that few papers print, the tables have no constants of counting.
        told = explain_in_python(tables, *case, counting=verdict["rungs"] > 1)
        # Where the page does not know p it says so, and the program may say more.
        assert verdict["open"] == ("The difference may be luck." in verdict["text"])
        assert verdict["open"] or verdict["text"] == told, case
        sure += not verdict["open"]
    assert sure > len(cases) / 10


def test_numbers_are_shown_as_by_the_package(visit: Visit) -> None:
    generator = random.Random(7)  # noqa: S311 - a sample, no secret
    numbers = [
        0.5, 1.5, 2.5, -2.5, 0.125, 12345.5, 1e-5, 9.9995, 99995.0, 1e7, 9999999.5, 1e16, 1e22,
        5e-324, 0.0,
    ]  # fmt: skip
    numbers += [generator.uniform(-1, 1) * 10.0 ** generator.randint(-12, 12) for _ in range(500)]
    while len(numbers) < 900:
        (number,) = struct.unpack("<d", generator.randbytes(8))
        numbers += [number] * (1e-30 < abs(number) < 1e20)
    ends = [
        (each - generator.random() * abs(each), each + generator.random() * 1e-6)
        for each in numbers
    ]
    found = visit.open("index.html").evaluate(
        """([numbers, ends]) => {
          const { showNumber, fixed, exponential, showBoth } = modules.format;
          return numbers.map((each, n) => [showNumber(each), showNumber(each, 6), fixed(each, 0), fixed(each, 3),
            exponential(each, 0), exponential(each, 3), showBoth(each, { lower: ends[n][0], upper: ends[n][1] })]);
        }""",
        [numbers, ends],
    )
    for number, interval, shown in zip(numbers, ends, found, strict=True):
        wanted = [
            show_number(number), show_number(number, 6), f"{number:,.0f}", f"{number:,.3f}",
            f"{number:.0e}",
        ]  # fmt: skip
        assert shown == [*wanted, f"{number:.3e}", show_uncertain(number, Interval(*interval))], (
            number
        )


TEXTS = (
    "0.338", " 33.8 % ", "33.8\\%", "$0.338$", "3,340", "3{,}340.5", "1.234.567", "0,338", "12,34", ".5", "5.",
    "+0.5", "−0.2", "0.5458 ± 0.0052", "0.5458 +/- 0.0052", "54.58 \\pm 0.5 %", "0.338(2)", "0.338(21)",
    "1.5e-3", "1e400", "1e-400", "0.0", "0", "nan", "inf", "1/3", "", "abc", "0.5 ± -0.1", "0.1 ± 0.2 ± 0.3",
    "0.3333333333333333333333333333333333333", "١٢", "(0.338)", "0x10", "1_000", "5%%%", "0.5 ± 1 %", "0.5 ± 0,123",
    "3\\,340", "0{,}123", "53.3\\,%", "\\(0.3\\)", "5‰",
    "12345678901234567890.5", "0.05e1", "1e5000",
)  # fmt: skip


def test_numbers_are_read_as_by_the_package(visit: Visit) -> None:
    found = visit.open("index.html").evaluate(
        """(texts) => texts.map((text) => {
          const metric = modules.dom.rankconst.names.metrics.find((each) => each.slug === "mrr");
          try {
            const { value, lower, upper } = modules.arithmetic.readPublished(metric, text);
            return [value, lower, upper];
          } catch (error) {
            if (!(error instanceof modules.format.Refusal)) throw error;
            return null;
          }
        })""",
        list(TEXTS),
    )
    for text, numbers in zip(TEXTS, found, strict=True):
        try:
            published = parse_value(text)
        except DataError:
            assert numbers is None, text
        else:
            # Large whole numbers come back as int.
            assert list(map(float, numbers)) == [
                published.value,
                published.lower,
                published.upper,
            ], text


def test_names_are_those_of_the_package(visit: Visit, tables: Tables) -> None:
    page = open_reader(visit)
    compact = "MRR;Hits@10;H@10;hits_at_10;hits@1.0;hits@1.5;MRR@10;mrr10;H@7;hits_at_20;recall@17;hits@0;H10;MR;AMRR"
    metrics = [*compact.split(";"), "Hit @ 3", "hits@-3", "mean rank", "Median Rank", "precision"]
    names = (
        "FB15k-237;fb15k237;FB 15K "
        "237;wn18rr;WordNet18RR;ogbl-citation2;WD50K;ICEWS14;icews14_regcn"
    )
    datasets = [*names.split(";")]
    found = page.evaluate(
        """([metrics, datasets]) => [
          metrics.map((name) => {
            const { metrics, questions, rest } = modules.labels.readLabel(name);
            return questions.length || rest ? "" : metrics.join();
          }),
          datasets.map((name) => {
            try { return modules.names.findDataset(modules.dom.rankconst.names, name).key; } catch { return null; }
          })]""",
        [metrics, datasets],
    )
    tabulated = {metric.label.lower() for metric in TABULATED}
    for name, slug in zip(metrics, found[0], strict=True):
        wanted = find_name(lambda name: parse_metric(name).label.lower(), name)
        assert (slug if slug in tabulated else None) == (wanted if wanted in tabulated else None), (
            name
        )
    for name, key in zip(datasets, found[1], strict=True):
        assert key == find_name(tables.resolve_dataset, name), name


def find_name(find: Callable[[str], str], name: str) -> str | None:
    try:
        return find(name)
    except UnknownNameError:
        return None


def show_index(constants: Constants, value: str) -> str:
    adjusted = constants.adjust(value)
    assert adjusted.index_interval is not None
    return show_uncertain(adjusted.index, adjusted.index_interval)


# -- what people do --------------------------------------------------------------------------------


def test_a_number_is_typed(visit: Visit, tables: Tables) -> None:
    page = visit.open("index.html")
    page.wait_for_selector(FOUND)
    assert visit.text("#verdict").startswith(
        "Chance matters here: a random ranker gets 0.9469; 0.975 is 52.9%"
    )
    page.fill("#dataset", "WN18RR")
    page.select_option("#tool", "pykeen")
    page.select_option("#metric", "mrr")
    page.fill("#value", "0.476")
    page.wait_for_selector("caption:has-text('protocol pykeen')")
    constants = tables.constants("wn18rr", "mrr", protocol="pykeen")
    assert visit.text(FOUND).startswith(f"AMRR {show_index(constants, '0.476')}: 0 = chance")
    assert visit.text("#verdict") == explain_in_python(tables, constants, "0.476")
    assert "your number" in visit.text(".ladder")
    assert "Assumed: test split, both sides, pykeen protocol." in visit.text("#result")
    assert not page.is_visible(".more table")
    page.click("summary:has-text('Details')")
    shown = visit.text(".more")
    assert f"rankconst:{tables.version}/wn18rr/test/both/pykeen/counting/mrr" in shown
    for name, sign in {
        "Citation": "is AMRR",
        "Command line": "rankconst adjust 0.476 --metric mrr --dataset WN18RR --tool pykeen",
    }.items():
        page.click(f".takeaway summary:text-is('{name}')")
        assert sign in visit.text(f".takeaway details:has-text('{name}') pre")


def test_a_link_is_opened_and_shows_the_same(visit: Visit) -> None:
    page = visit.open("index.html#value=0.975&dataset=nations&metric=hits%4010&tool=pykeen")
    page.wait_for_selector(FOUND)
    assert "0.529" in visit.text(FOUND)
    page.fill("#value", "0.98")
    page.locator(".ladder .own", has_text="0.98").wait_for()
    before, address = visit.text("#result"), page.evaluate("location.hash")
    visit.open(f"index.html{address}").wait_for_selector(FOUND)
    assert visit.text("#result") == before
    visit.open("index.html#value=0.338&dataset=fb15k237&version=0.9.0").wait_for_selector(FOUND)
    assert "0.9.0" in visit.text("#version-note")


FIELDS = ("value", "dataset", "metric", "tool", "split", "side", "protocol")


WRONG = [
    ("value=33.8&dataset=fb15k237", "value", "write 33.8%"),
    ("value=abc&dataset=fb15k237", "value", "is not a number"),
    ("value=0.338", "dataset", "Which dataset"),
    ("value=0.338&dataset=fb15k236", "dataset", "no dataset 'fb15k236'"),
    ("value=0.338&dataset=ICEWS14", "dataset", "several benchmarks"),
    ("value=0.338&dataset=ogbl-citation2&protocol=raw", "protocol", "sampled"),
    ("value=0.338&dataset=fb15k237&tool=conve", "tool", "incomplete batch"),
    ("value=0.338&dataset=constructor", "dataset", "no dataset"),
    ("value=0.338&dataset=fb15k237&metric=hits%4020", "metric", "The program can: rankconst adjust 0.338"),
    ("value=0.338&dataset=fb15k237&protocol=sampled:50", "protocol", "The program can: rankconst adjust 0.338"),
    ("value=0.5&dataset=ogblcitation2&side=head&metric=mrr", "side", "no such tasks"),
]  # fmt: skip


# A third of them; all every week.
@pytest.mark.parametrize(("fragment", "field", "told"), choose([*WRONG[::3]], [*WRONG]))
def test_wrong_input_is_answered_where_it_is(
    visit: Visit, fragment: str, field: str, told: str
) -> None:
    page = visit.open(f"index.html#{fragment}")
    page.wait_for_selector(f"#{field}[aria-invalid=true]")
    assert told in visit.text(f"#{field}-error")
    assert f"{field}-error" in page.get_attribute(f"#{field}", "aria-describedby")
    assert page.locator("[aria-invalid=true]").count() == 1
    # Nothing of the example that was there before.
    assert not page.locator(FOUND).count()
    assert not visit.text("#verdict")


def test_the_tool_sets_side_shift_and_protocol(visit: Visit, tables: Tables) -> None:
    page = visit.open("index.html#value=200&dataset=fb15k237&metric=mr&tool=pyg")
    page.wait_for_selector(FOUND)
    shown = show_index(tables.constants("fb15k237", "mr", side="tail", protocol="raw"), "201")
    assert visit.text(".index data") == shown.partition(" ")[0]
    visit.open("index.html#value=0.4&dataset=fb15k237&tool=ogb")
    page.wait_for_selector("#protocol-error:has-text('under protocol sampled:500')")
    assert "The program can: rankconst adjust 0.4" in visit.text("#protocol-error")


TABLE = """model,dataset,MRR,Hits@10,std,year
RotatE,FB15k-237,0.338,53.3,0.1,2019
A|B,WN18RR,0.476,57.1,0.2,2020
C,Nowhere,0.1,20,0.1,2021
"""


# The other formats are read in the same way below.
def test_a_table_is_pasted(visit: Visit, tables: Tables) -> None:
    page = visit.open("index.html")
    page.click("text=A table")
    page.fill("#table", TABLE.replace(",", ";"))
    page.wait_for_selector("table.adjusted")
    shown = visit.text("table.adjusted")
    for key, mrr, hits in (("fb15k237", "0.338", "53.3%"), ("wn18rr", "0.476", "57.1%")):
        for metric, value in (("mrr", mrr), ("hits@10", hits)):
            assert show_index(tables.constants(key, metric), value).partition(" ")[0] in shown
    assert "4 numbers adjusted" in visit.text(".standing")
    left = visit.text(".left")
    assert "There is no dataset 'Nowhere'" in left
    assert (
        visit.text("#verdict")
        == "All 4 numbers are better than chance, and 4 than counting (p < 0.05)."
    )
    page.click(".takeaway summary:text-is('CSV')")
    written = page.locator(".takeaway details[open] pre").inner_text().splitlines()
    assert written[0] == "model,dataset,MRR,AMRR,Hits@10,AH@10,std,year"
    expected = tables.constants("wn18rr", "mrr").adjust("0.476")
    assert float(written[2].split(",")[3]) == expected.index


REFUSED = (
    ("", "Paste a table"),
    (r"\begin{tabular}{ll}model & MRR\\ A & 0.3\end{tabular}", "reads cells of a spreadsheet"),
    ("<table><tr><td>MRR", "reads cells of a spreadsheet, CSV or Markdown"),
    ("| model | MRR |\n|---|---|\n| A | 0.3 |\n\nRaw ranks.", "without the line “Raw ranks.”"),
    ("model,MRR\nA", "Row 2 has 1 cells"),
    ("model,MRR", "no rows"),
    ('model,MRR\n"A,0.3', "never closed"),
    ('model,MRR\nA,"0,338"', "with a decimal point"),
    ("model,MRR\nTransE (raw),0.3", "“raw” in its row"),
    ("model,relation,MRR\nA,likes,0.3", "does not read the column relation"),
    ("dataset,split,MRR\nWN18RR,v1,0.3", "“v1” is not a split that this page knows"),
    ("model,MRR,Hits@10\nA,0.2,0.5\nB,0.3,53", "fractions or percentages"),
    ("model,Hits@10\nA,1.8\nB,1.604", "fractions or percentages"),
    ("model,dataset,MRR\nA,WN18RR,0.3", "says dataset wn18rr"),
    ("model,FB15k-237-few MRR\nA,0.3", "“FB15k-237-few”: it may be another graph"),
    ("model,optimistic MRR\nA,0.3", "“optimistic” in its heading: this page does not read that"),
    ("model,MRR^2\nA,0.3", "not be the metric itself"),
    ("model,gain MRR\nA,0.3", "a difference, a spread or a statistic"),
    ("model,valid MRR,Hits@1\nA,0.3,0.2", "Another heading names its split"),
    ("model,MRR,filtered MRR\nA,0.3,0.4", "Two columns are MRR of the same"),
    ("model,MRR\nValidation,\nA,0.3", "Row 2, “Validation”, has no number"),
    ("model,MRR,AMRR\nA,0.3,0.4", "adjusted already"),
    ("model,MRR,Hits@1\nA,0.30,0.40", "no ranks have these numbers together"),
)
"""Texts, and what the page says of each."""

READ = """
async (asked) => Promise.all(asked.map(async (state) => {
  try {
    const answer = await modules.pasted.adjustTable({ ...modules.calculator.NOTHING, mode: "table", ...state });
    const results = answer.results.flat().filter(Boolean);
    const numbers = results.map(({ metric, rungs: [{ adjusted }] }) => [metric.key, adjusted.index.value]);
    return [numbers, [...answer.reasons].join(" ")];
  } catch (error) {
    if (!(error instanceof modules.format.Refusal)) throw error;
    return [[], error.message];
  }
}))
"""


def open_reader(visit: Visit) -> Any:
    """Open the page with its reader of tables."""
    page = visit.open("index.html#mode=table&table=x")
    page.wait_for_selector("#table-error:has-text('no separator')")
    return page


def paste(table: str, dataset: str = "fb15k237", tool: str = "rotate") -> dict[str, str]:
    return {"table": table, "dataset": dataset, "tool": tool}


def read_pasted(visit: Visit, asked: list[dict[str, str]]) -> list[tuple[Counter[Any], str]]:
    """Return metric and index of each number that the page reads, and what it says of the rest."""
    answered = open_reader(visit).evaluate(READ, asked)
    return [(Counter(map(tuple, numbers)), said) for numbers, said in answered]


LONG = ("|", '"', " ", "\n", "\r", "=", "-", "mrr ", "hits 1 ", "| --- ", "[a](", '{"a":')
"""What took time that grew with the square of its length, or is likely to."""


def list_long() -> Iterator[Callable[[int], str]]:
    """List texts of some length; the text around a long run matters as much as the run."""
    names, cells = (",".join(f"{start}{500 + k}" for k in range(38)) for start in ("Hits@", "0."))
    yield lambda size: f"model,{names}\n" + f"A,{cells}\n" * (size // len(cells))
    yield lambda size: "model,MRR\n" + "A,0.3\n" * (size // 10)
    for sign in LONG:
        for before, after in (
            ("", ""),
            ("model,MRR\n", ",0.3\n"),
            ("|model|MRR|\n|", "|0.3|\n"),
            ("model,hits", "@\nA,0.3\n"),
        ):
            yield functools.partial(surround, before, sign, after)


def surround(before: str, sign: str, after: str, size: int) -> str:
    return before + sign * (size // len(sign)) + after


def test_the_longest_texts_are_answered_at_once(visit: Visit) -> None:
    """Or, on a busy machine, in proportion to their length."""
    page = open_reader(visit)

    def measure(write: Callable[[int], str], size: int) -> float:
        text = paste(write(size))
        began = time.perf_counter()
        page.evaluate(READ, [text])
        return time.perf_counter() - began

    for write in list_long():
        assert any(
            (seconds := measure(write, 99_000)) < 5 or seconds < 24 * measure(write, 99_000 // 8)
            for _ in range(3)
        ), write(80)


def test_tables_that_cannot_be_read_are_refused(visit: Visit) -> None:
    answered = read_pasted(visit, [paste(text) for text, _ in REFUSED])
    for (text, told), (_, said) in zip(REFUSED, answered, strict=True):
        assert told in said, text


WORDS = (
    "raw", "(filtered)", "valid", "head", "- tail", "both", "std", "WN18RR", "large", "(ours)", "↑",
    "*", "?", "OOM", "0.3 (2)", "1/3", "402", "v1", "",
)  # fmt: skip
"""What may say more about the numbers, or only looks so."""
HEADINGS = ("Relation", "Setting", "Graph", "Subset", "Venue", "n", "Side", "AMR", "year")


def spoil(generator: random.Random, rows: list[list[str]]) -> None:
    """Add a word to a cell or a heading, in place of one, or as a row or a column of its own."""
    word, row = generator.choice(WORDS), generator.randrange(len(rows))
    column, kind = generator.randrange(len(rows[0])), generator.randrange(4)
    if kind == 0:
        rows[row][column] += f" {word}"
    elif kind == 1:
        rows[row][column] = word
    elif kind == 2:
        filler = generator.choice(["", "-"])
        others = [filler] * (len(rows[0]) - 1)
        rows.insert(row + 1, [word, *others])
    else:
        for number, cells in enumerate(rows):
            cells.append(word if number else generator.choice(HEADINGS))


def draw_table(generator: random.Random, *, spoilt: bool = False) -> tuple[str, str]:
    """Draw a table of results as papers have them; returns its ending and text."""
    known = ["MRR", "MR", "Hits@1", "Hits@3", "Hits@10", "H@5", "nDCG"]
    metrics = generator.sample(known, generator.randint(1, 5))
    percent, named = generator.random() < 0.5, generator.random() < 0.7
    scale = generator.choice([1.0, 1.0, 0.02])
    rows = [["Model", *(["Dataset"] if named else []), *metrics]]
    for number in range(generator.randint(1, 5)):
        cells = [f"Model-{number}"]
        if named:
            cells.append(generator.choice(["FB15k-237", "WN18RR", "Nations"]))
        for metric in metrics:
            digits, share = generator.randint(1, 3), generator.uniform(0.02, 0.98) * scale
            of_family = percent and (metric[0] == "H" or generator.random() < 0.7)
            text = f"{100 * share:.{digits}f}" if of_family else f"{share:.{digits + 1}f}"
            text = f"{generator.uniform(200, 900):.{digits}f}" if metric == "MR" else text
            written = [text, f"{text} ± 0.1", "-", f"{text}%"]
            cells += generator.choices(written, [12, 1, 1, 0.3])
        rows.append(cells)
    if spoilt:
        spoil(generator, rows)
    ending = generator.choice([".csv", ".tsv", ".md"])
    if ending == ".md":
        rows.insert(1, ["---"] * len(rows[0]))
        return ending, "\n".join(f"| {' | '.join(row)} |" for row in rows)
    return ending, "\n".join(("\t" if ending == ".tsv" else ",").join(row) for row in rows)


def adjust_file(path: Path, tables: Tables, **options: Any) -> Counter[tuple[str, float]]:
    """Return metric and index of each number, as the package computes it; nothing if it refuses the file."""
    try:
        adjusted = rankconst.adjust(path, tables=tables, **options).numbers
    except RankconstError:
        return Counter()
    entries = adjusted.reading.entries
    return Counter(
        (entries[place].metric.key, index)
        for each in adjusted.done
        for place, index in zip(
            each.published.index.tolist(), each.adjust().index.tolist(), strict=True
        )
    )


ABOVE = (
    (".csv", "dataset,MRR,Hits@10,mean rank\nWN18RR,0.3,0.5,4000\n"),
    (".csv", "model,valid_mrr,test/both.realistic.hits_at_10,test head mr\nA,0.3,0.5,4000\n"),
    (
        ".md",
        "| Model | FB15k-237 MRR | FB15k-237 H@10 | WN18RR MRR (↑) | WN18RR H@10 |\n"
        "|:--|--:|--:|--:|--:|\n| [A](https://a.org) | **.338** | 53.3% | .476 | -- |\n",
    ),
)
"""Headings that say of which tasks, or datasets, the numbers are: three in each."""


def list_real_texts() -> list[tuple[str, dict[str, str]]]:
    """List the results files of the reference, and the tables of their Markdown, by their endings."""
    texts = []
    for path in sorted(find_reference().glob("real/**/*.*")):
        if path.suffix == ".xlsx" or path.name == "README.md":
            continue
        text = path.read_text(encoding="utf-8")
        blocks = re.findall(r"(?:^[ \t]*\|.*\n?)+", text, re.MULTILINE)
        name = path.name.replace("-", "").lower()
        dataset = next((key for key in KEYS if key in name), "fb15k237")
        parts = [part for part in (text, *blocks) if "\n" in part]
        texts += [(path.suffix, paste(part, dataset, "")) for part in parts]
    return texts


def test_tables_are_read_as_by_the_package(visit: Visit, tables: Tables, tmp_path: Path) -> None:
    """What the page reads is what the program makes of it; it may read less."""
    generator = random.Random(3)  # noqa: S311 - a sample, no secret
    asked = [(ending, paste(text, "" if "| FB15k" in text else "wn18rr")) for ending, text in ABOVE]
    for place in range(choose(200, 1000)):
        ending, text = draw_table(generator, spoilt=place % 2 > 0)
        asked.append((ending, paste(text, "wn18rr")))
    real = list_real_texts()
    answered = read_pasted(visit, [state for _, state in asked + real])
    assert [found.total() for found, _ in answered[: len(ABOVE)]] == [3, 3, 3]
    for (ending, state), (found, _) in zip(asked + real, answered, strict=True):
        path = tmp_path / f"table{ending}"
        path.write_text(state["table"], encoding="utf-8")
        options = {name: state[name] or None for name in ("dataset", "tool")}
        assert not found or found <= adjust_file(path, tables, **options), state["table"]
    assert sum(found.total() for found, _ in answered[: len(asked)]) > 120
    assert not real or sum(bool(found) for found, _ in answered[len(asked) :]) > 20


def draw_row(generator: random.Random) -> str:
    """Draw numbers of one evaluation, which ranks may have together or not."""
    hits = sorted(generator.uniform(0.05, 0.95) for _ in range(3))
    values = {f"Hits@{k}": share for k, share in zip((1, 3, 10), hits, strict=True)}
    gain = (hits[1] - hits[0]) * generator.uniform(0.1, 0.7)
    values["MRR"] = min(hits[0] + gain + (hits[2] - hits[1]) * generator.uniform(0, 0.4), 0.99)
    values["MR"] = generator.choice([1.5, 4.0, 20.0, 200.0]) * generator.uniform(1, 3)
    if generator.random() < 0.3:
        values["Hits@1"], values["Hits@3"] = values["Hits@3"], values["Hits@1"]
    metrics = generator.sample(list(values), generator.randint(2, 5))
    cells = [f"{values[metric]:.3f}" for metric in metrics]
    return f"model,{','.join(metrics)}\nA,{','.join(cells)}\n"


def test_what_no_ranks_allow_is_withheld_as_by_the_package(
    visit: Visit, tables: Tables, tmp_path: Path
) -> None:
    generator = random.Random(11)  # noqa: S311 - a sample, no secret
    rows = ["model,H@1,H@3,MRR\nA,.440,.494,.409\n", *(draw_row(generator) for _ in range(60))]
    answered = read_pasted(visit, [paste(text, "wn18rr") for text in rows])
    path, whole = tmp_path / "row.csv", 0
    for text, (found, _) in zip(rows, answered, strict=True):
        path.write_text(text)
        assert found == adjust_file(path, tables, dataset="wn18rr", tool="rotate"), text
        whole += found.total() == text.partition("\n")[0].count(",")
    assert not answered[0][0]
    assert 10 < whole < 50
    page = visit.open(
        f"index.html#mode=table&dataset=wn18rr&table={quote(rows[0] + 'B,.4,.5,.46')}"
    )
    page.wait_for_selector("table.adjusted")
    assert visit.text("#verdict").startswith("The numbers of row 2 (A) are impossible together.")


def test_what_is_pasted_or_linked_is_never_run(visit: Visit) -> None:
    page = visit.open("index.html")
    page.click("text=A table")
    parts = (*FIELDS, "version", "mode")
    for place, hostile in enumerate(HOSTILE):
        cell = '"' + hostile.replace('"', '""') + '"'
        page.fill(
            "#table",
            (
                f"model,dataset,MRR,MR,{cell}\n{cell},fb15k237,0.338,,{cell}\n"
                f"{cell},{cell},{cell},9,x\n"
            ),
        )
        page.wait_for_selector("table.adjusted")
        assert hostile in page.locator("table.adjusted tbody td").first.text_content()
        # Each part once; with each text every week.
        for part in choose(parts[place :: len(HOSTILE)], parts):
            page.goto(
                f"{visit.home}index.html#{part}={page.evaluate('encodeURIComponent', hostile)}"
            )
        page.goto(f"{visit.home}index.html#mode=table&tool=rotate")
    assert page.evaluate("window.stolen") is None
    # The policy holds even if something did get into the page.
    injected = (
        "document.body.insertAdjacentHTML('beforeend', \"<img src=x onerror='window.stolen = 1'>\")"
    )
    page.evaluate(f"{injected}; new Promise((done) => setTimeout(done, 100))")
    assert page.evaluate("window.stolen") is None
    assert visit.faults
    assert all("Content Security Policy" in fault or "404" in fault for fault in visit.faults)
    visit.faults.clear()


def test_a_dataset_is_searched_and_sorted(visit: Visit) -> None:
    page = visit.open("datasets.html")
    page.fill("#search", "wn18")
    assert visit.text("#found") == f"1 of {len(KEYS)} datasets"
    assert "WN18RR" in visit.text("#list tbody")
    assert page.locator("svg a:not(.dim)").count() == 1
    page.fill("#search", "")
    assert page.locator("svg .dim").count() == 0
    page.click("#list >> text=Nations")
    page.wait_for_selector("h1:text-is('Nations')")


def test_an_address_shows_its_constant(visit: Visit, tables: Tables) -> None:
    address = "valid/tail/libkge/counting/hits@3"
    page = visit.open(f"datasets/nations.html#{address}")
    assert page.locator("tr:target").is_visible()
    constants = tables.constants(
        "nations", "hits@3", "valid", "tail", "libkge", baseline="counting"
    )
    assert visit.text("tr:target td >> nth=0") == repr(constants.expectation)
    # The calculator links the constants that it used.
    page = visit.open("index.html#value=0.5&dataset=nations&split=valid&side=tail&metric=hits%403")
    page.click("summary:has-text('Details')")
    page.click(".more a >> nth=1")
    page.wait_for_selector("tr:target")
    assert page.url.endswith("datasets/nations.html#valid/tail/standard/counting/hits@3")


@thorough
def test_everything_works_from_a_folder(browser: Any, folder: Path) -> None:
    visit = Visit(browser, f"{folder.as_uri()}/")
    page = visit.open("index.html#value=0.975&dataset=nations&metric=hits%4010&tool=pykeen")
    page.wait_for_selector(FOUND)
    assert "0.529" in visit.text(FOUND)
    page.fill("#dataset", "WN18RR")
    page.wait_for_selector("caption:has-text('WN18RR')")
    page.click("text=A table")
    page.click("text=Show an example")
    page.wait_for_selector("table.adjusted")
    visit.open("datasets/nations.html#test/both/standard/mrr")
    page.wait_for_selector("tr:target")
    visit.context.close()
    assert not visit.faults


def test_the_keyboard_is_enough(visit: Visit) -> None:
    page = visit.open("index.html")
    page.wait_for_selector(FOUND)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    order = []
    for _ in range(24):
        page.keyboard.press("Tab")
        order.append(
            page.evaluate(
                "document.activeElement.id || document.activeElement.textContent.slice(0, 20)"
            )
        )
    wanted = ["mode-number", "value", "metric", "dataset", "tool", "Citation"]
    assert [each for each in order if each in wanted] == wanted


STATES = {
    "index.html": FOUND,
    f"index.html#mode=table&tool=rotate&table={quote(TABLE)}": "table.adjusted",
    "index.html#value=338&dataset=fb15k237&metric=hits%4010": "#value[aria-invalid=true]",
    "index.html#value=0.3&dataset=fb15k237&protocol=sampled:5": "#protocol-error code",
    "datasets.html": "#list",
    "datasets/nations.html": "#published",
    "datasets/ogblcollab.html#test/both/sampled:100000:shared/mrr": "tr:target",
    "results.html": "figure.strips",
    "averages.html": "table",
    "about.html": "dl",
}
"""Pages in all their states, with what shows that they are there."""
SHORTEN = "document.querySelectorAll('tr:nth-child(n+9)').forEach((row) => row.remove())"
"""Leaves eight rows of each table: the others are like them, and a thousand take long to judge."""


def test_pages_are_accessible(visit: Visit) -> None:
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="pip install axe-playwright-python"
    ).Axe()
    once = {path.partition("#")[0]: path for path in reversed(STATES)}
    for path, sign in STATES.items():
        # A page in one of its states; in all of them every week.
        if not THOROUGH and path not in once.values():
            continue
        page = visit.open(path)
        page.wait_for_selector(sign)
        page.evaluate(choose(SHORTEN, ""))
        assert not tell_violations(axe.run(page)), path
        if path.startswith(("index", "datasets/")):
            page.emulate_media(color_scheme="dark")
            assert not tell_violations(axe.run(page, options={"runOnly": ["color-contrast"]})), (
                f"{path}, dark"
            )
            page.emulate_media(color_scheme="light")


def tell_violations(found: Any) -> list[str]:
    return [
        f"{each['id']}: {each['nodes'][0]['html'][:200]}" for each in found.response["violations"]
    ]


@thorough
def test_pages_fit_on_a_phone(browser: Any, served: str) -> None:
    visit = Visit(browser, served, viewport={"width": 360, "height": 740})
    for path, sign in STATES.items():
        page = visit.open(path)
        page.wait_for_selector(sign)
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, path
    visit.context.close()
    assert not visit.faults
