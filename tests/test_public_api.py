"""The public face: names, docstrings, examples, and what an import pulls in; and who may import
whom.
"""

import ast
import dataclasses
import doctest
import functools
import graphlib
import importlib
import importlib.util
import inspect
import pkgutil
import re
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeGuard

import numpy as np
import pytest

import rankconst
from cases import for_each
from pages import ROOT

PACKAGE = Path(rankconst.__file__).parent
SOURCES = {path.relative_to(PACKAGE).as_posix(): path for path in sorted(PACKAGE.rglob("*.py"))}
RUNTIME = sorted(
    module.name
    for module in pkgutil.walk_packages(rankconst.__path__, "rankconst.")
    if not module.name.startswith("rankconst.cli")
)

REFERENCE = ROOT / "docs" / "reference.rst"
"""The page that lists every public name, also those of further modules."""

OFFERED: list[str] = vars(rankconst)["__all__"]  # type checkers are told otherwise what there is
HOMES: dict[str, str] = vars(rankconst)["_HOMES"]

# The modules and packages as a newcomer finds them listed: each imports only from those before it.
LISTING = (
    *("version", "doubles", "errors", "names", "files", "progress", "download", "arrow", "sums"),
    *("catalogue", "tasks", "moments", "tails", "values", "tables", "evaluation", "adjusting"),
    *("verdicts", "listing", "typed", "results", "checks", "figures", "api", "cli"),
)

HEAVY = {
    *("rankconst_builder", "yaml", "scipy", "pandas", "pooch", "requests", "typer", "click"),
    *("rich", "matplotlib", "mpmath", "openpyxl"),
}

# Modules that may import the builder, and only when a command runs; rankconst.from_triples is one
# in Python.
STARTS_BUILDER = {"cli/build.py", "cli/tables.py", "tables/own_counts.py"}

# Runtime modules that may import more than the runtime needs, and only inside the functions that
# need it.
INSIDE = {
    "tables/own_counts.py": {"rankconst_builder"},
    "progress.py": {"rich"},
    "download.py": {"pooch", "requests"},
    "figures.py": {"matplotlib"},
    "typed.py": {"pandas"},
    "checks/checking.py": {"pandas"},
    "results/compared.py": {"pandas"},
    "results/frame.py": {"pandas"},
    "results/listed.py": {"pandas"},
    "values/standings.py": {"pandas"},
    "results/structured.py": {"yaml"},
    "results/tables/xlsx.py": {"openpyxl"},
    "tables/location.py": {"pooch"},
}

LOOK_UP = "import rankconst; rankconst.load().constants('fb15k237', 'mrr')"
WHOLE_USE = """
import numpy as np
import rankconst
from rankconst.moments import compute_moments
from rankconst.tasks import Histogram
for metric in ("mrr", "MR", "hits@10", "hits@7", "gmr", "igmr"):
    constants = rankconst.load().constants("FB15k-237", metric, protocol="pykeen")
    constants.adjust(constants.metric.optimum), constants.z(np.array([constants.worst, constants.metric.optimum]))
compute_moments(constants.metric, Histogram.from_counts([1, 2, 3]))
"""
FILE = """
import pathlib, tempfile
import rankconst
from rankconst.tables.encode import write_delimited
with tempfile.TemporaryDirectory() as folder:
    file = pathlib.Path(folder, "results.csv")
    file.write_text("model,dataset,MRR\\nRotatE,FB15k-237,0.338\\nTransE,WN18RR,\\n")
    "".join(write_delimited(rankconst.adjust(file).table))
"""
TYPED = """
import rankconst
rankconst.from_counts([2, 3]).constants('mrr').adjust('0.7')
rankconst.adjust(0.338, metric='mrr', dataset='fb15k237')
rankconst.adjust({'mrr': '0.338', 'hits@10': '0.533'}, dataset='fb15k237')
"""


def modules_after(*scripts: str) -> list[set[str]]:
    """Return the modules that a fresh process has loaded after each of some scripts."""
    report = "\nprint(*__import__('sys').modules)\n"
    done = subprocess.run(
        [sys.executable, "-c", report.join([*scripts, ""])],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [set(line.split()) for line in done.stdout.splitlines()]


def tops(modules: set[str]) -> set[str]:
    return {name.partition(".")[0] for name in modules}


READERS = ("rankconst.results", "rankconst.checks")


def test_the_runtime_stays_light() -> None:
    """Values typed by hand need no reader of files, and nothing needs pandas but frames."""
    *typed, file = modules_after(LOOK_UP, WHOLE_USE, TYPED, FILE)
    for loaded in (*typed, file):
        assert {"rankconst.tables.archive", "rankconst.values.constants"} <= loaded
        assert not tops(loaded) & HEAVY
    for loaded in typed:
        assert not [name for name in loaded if name.startswith(READERS)]
        assert "rankconst.catalogue.mentions" not in loaded
    unused = {"pyarrow.compute", "rankconst.moments.means", "rankconst.download", "zipfile"}
    assert not typed[0] & unused


def test_an_import_loads_nothing_that_takes_time() -> None:
    # An interrupt that comes meanwhile shows a traceback, so that not even modules of Python are
    # loaded.
    before, after = modules_after("", "import rankconst")
    assert after - before == {"rankconst"}


# -- names that are imported when first asked for --------------------------------------------------


def test_every_name_resolves_and_is_listed() -> None:
    script = """
import rankconst
from rankconst import *
assert set(rankconst.__all__) <= {*globals()}
listed = dir(rankconst)
assert listed == sorted(listed)
assert all(map(str.isidentifier, listed))
assert set(rankconst.__all__) <= set(listed)
for name in rankconst.__all__:
    assert getattr(rankconst, name) is getattr(rankconst, name)
    assert name in vars(rankconst)  # found at once from now on
    from_there = __import__("rankconst", fromlist=[name])
    assert getattr(from_there, name) is getattr(rankconst, name)
"""
    modules_after(script)


@pytest.mark.parametrize("name", ["lod", "_private", "__wrapped__"])
def test_unknown_names_are_no_attributes(name: str) -> None:
    with pytest.raises(
        AttributeError, match=f"^module 'rankconst' has no attribute '{name}'$"
    ) as caught:
        getattr(rankconst, name)
    assert (caught.value.name, caught.value.obj) == (name, rankconst)


def test_no_public_name_is_that_of_a_module() -> None:
    # The module, once imported, would take its place.
    assert not {module.name for module in pkgutil.iter_modules(rankconst.__path__)} & set(OFFERED)


def test_the_reference_lists_the_public_names() -> None:
    listed = re.findall(
        r"^\.\. auto\w+:: rankconst\.(\w+)$", REFERENCE.read_text(encoding="utf-8"), re.MULTILINE
    )
    assert listed == OFFERED


def test_type_checkers_see_every_public_name() -> None:
    (block,) = filter(is_type_checking, parse(SOURCES["__init__.py"]).body)
    seen = {
        alias.asname: f"{node.module}.{alias.name}"
        for node in ast.walk(ast.Module(block.body, []))
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    # Only `import X as X` is a name that a package offers, to a type checker.
    assert seen == {name: f"rankconst.{home}.{name}" for name, home in HOMES.items()}


def imported(tree: ast.AST) -> set[str]:
    """Return the top-level names of all that a piece of code imports."""
    return {name.partition(".")[0] for name, _ in imports(tree)}


def imports(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Yield every module that a piece of code imports from, with the name that it takes, functions
    included.
    """
    for node in list_imports(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.module, "no import is relative"
            assert not node.level
            yield from ((node.module, alias.name) for alias in node.names)


@functools.cache
def parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def list_imports(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield the imports among statements and those inside them; expressions hold none."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node
        elif isinstance(node, ast.stmt | ast.excepthandler | ast.match_case):
            yield from list_imports(node)


def is_type_checking(node: ast.AST) -> TypeGuard[ast.If]:
    return (
        isinstance(node, ast.If)
        and isinstance(node.test, ast.Name)
        and node.test.id == "TYPE_CHECKING"
    )


def without_types(tree: ast.Module) -> ast.Module:
    """Drop what only a type checker reads."""
    kept: list[ast.stmt] = []
    for node in tree.body:
        kept += node.orelse if is_type_checking(node) else [node]
    return ast.Module(kept, [])


def at_import(tree: ast.Module) -> ast.Module:
    """Keep what runs when a module is imported: no bodies of functions."""
    kept = [
        node
        for node in without_types(tree).body
        if not isinstance(node, ast.FunctionDef | ast.ClassDef)
    ]
    return ast.Module(kept, [])


@pytest.mark.slow
@for_each("name", SOURCES)
def test_modules_import_nothing_heavy_but_where_they_may(name: str) -> None:
    tree = parse(SOURCES[name])
    assert ("rankconst_builder" in imported(tree)) == (name in STARTS_BUILDER)
    assert "rankconst_builder" not in imported(at_import(tree))
    assert "matplotlib.pyplot" not in {module for module, _ in imports(tree)}
    if not name.startswith("cli/"):
        used = imported(without_types(tree))
        assert used & HEAVY == INSIDE.get(name, set())
        assert not imported(at_import(tree)) & HEAVY
        assert used - HEAVY <= set(sys.stdlib_module_names) | {
            "numpy", "pyarrow", "markdown_it", "rankconst",
        }  # fmt: skip


# Who may import whom.


MODULES = {
    ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__"): path
    for root, package in (
        (PACKAGE.parent, "rankconst"),
        (PACKAGE.parent / "builder", "rankconst_builder"),  # in a checkout only
    )
    for path in sorted((root / package).rglob("*.py"))
}


@functools.cache
def neighbours(name: str) -> set[str]:
    """Return the modules of ours that a module imports at run time, also inside functions and when
    first asked for.
    """
    found = {f"rankconst.{home}" for home in HOMES.values()} if name == "rankconst" else set()
    for module, taken in imports(without_types(parse(MODULES[name]))):
        if f"{module}.{taken}" in MODULES:
            found.add(f"{module}.{taken}")
        elif module in MODULES:
            found.add(module)
    return found


def test_the_listing_is_complete() -> None:
    there = {name.removesuffix(".py").partition("/")[0] for name in SOURCES} - {
        "__init__",
        "__main__",
    }
    assert there == set(LISTING)


def test_the_scan_sees_neighbours() -> None:
    assert "rankconst.results.batches" in neighbours("rankconst.api")  # inside a function
    assert "rankconst.cli" in neighbours("rankconst.__main__")
    assert "rankconst.tables.archive" not in neighbours("rankconst.evaluation")  # for types only


@pytest.mark.slow
@for_each(
    "name",
    sorted(
        name for name in MODULES if name.startswith("rankconst.") and name != "rankconst.__main__"
    ),
)
def test_nothing_imports_from_a_later_line_of_the_listing(name: str) -> None:
    line = LISTING.index(name.split(".")[1])
    rooms = {other.split(".")[1] for other in neighbours(name) if other.startswith("rankconst.")}
    assert not {room for room in rooms if LISTING.index(room) > line}


@pytest.mark.slow
def test_no_modules_import_each_other_in_a_circle() -> None:
    graph = {name: neighbours(name) for name in MODULES}
    order = tuple(graphlib.TopologicalSorter(graph).static_order())  # refuses a circle
    assert set(order) == set(MODULES)


def test_the_builder_imports_no_command() -> None:
    for name in MODULES:
        if name.startswith("rankconst_builder"):
            commands = ("rankconst.cli", "rankconst.api")
            assert not [other for other in neighbours(name) if other.startswith(commands)], name


def test_internal_modules_offer_nothing() -> None:
    """What is public, the package lists; no module has a second list."""
    assert not [name for name, path in SOURCES.items() if "\n__all__" in path.read_text("utf-8")]


# Docstrings.


def listed() -> dict[str, Any]:
    """Return every name that the reference lists, with what it is."""
    found = re.findall(
        r"^\.\. auto\w+:: ([\w.]+)\.(\w+)$", REFERENCE.read_text(encoding="utf-8"), re.MULTILINE
    )
    return {name: getattr(importlib.import_module(module), name) for module, name in found}


LISTED = listed()
FUNCTIONS = {name: each for name, each in LISTED.items() if inspect.isfunction(each)}
CLASSES: dict[str, type[Any]] = {
    name: each
    for name, each in LISTED.items()
    if inspect.isclass(each) and not issubclass(each, BaseException)
}


def public_callables() -> dict[str, Callable[..., Any]]:
    """Return every public function and every method of a public class by its name."""
    found: dict[str, Callable[..., Any]] = dict(FUNCTIONS)
    for name, kind in CLASSES.items():
        for attribute, value in vars(kind).items():
            method = value.__func__ if isinstance(value, classmethod | staticmethod) else value
            if inspect.isfunction(method) and not attribute.startswith("_"):
                found[f"{name}.{attribute}"] = method
    return found


CALLABLES = public_callables()


def sections(text: str | None) -> dict[str, str]:
    """Cut a numpydoc docstring into its sections; what comes before the first is under ``""``."""
    title, *pieces = re.split(r"^(\w+)\n-+\n", inspect.cleandoc(text or ""), flags=re.MULTILINE)
    return {"": title, **dict(zip(pieces[::2], pieces[1::2], strict=True))}


def entries(section: str) -> set[str]:
    """Return the names that a section has lines for."""
    return {
        name.strip()
        for line in re.findall(r"^\S.*$", section, re.MULTILINE)
        for name in line.split(",")
    }


@for_each("name", sorted(CALLABLES))
def test_public_functions_and_methods_say_what_is_to_be_known(name: str) -> None:
    found, is_function = sections(CALLABLES[name].__doc__), name in FUNCTIONS
    assert found[""].strip()
    if is_function or "Parameters" in found:
        given = set(inspect.signature(CALLABLES[name]).parameters) - {"self", "cls"}
        assert entries(found.get("Parameters", "")) == given
    if is_function and name != "bundled_versions":
        assert {"Returns", "Raises"} <= found.keys()
    source = ast.parse(textwrap.dedent(inspect.getsource(CALLABLES[name])))
    if any(isinstance(node, ast.Raise) for node in ast.walk(source)) and name != "Tables.look_up":
        assert "Raises" in found


@for_each("name", CLASSES)
def test_public_classes_name_their_fields(name: str) -> None:
    found = sections(CLASSES[name].__doc__)
    assert found[""].strip()
    fields = {
        each.name for each in dataclasses.fields(CLASSES[name]) if not each.name.startswith("_")
    }
    if name != "Adjusted":  # which says of all of them at once what they are
        assert entries(found["Attributes"]) == fields


# What is shown of objects.


@pytest.mark.slow
def test_objects_show_themselves_in_a_line(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    rows = "RotatE,FB15k-237,0.338,53.3%\n" * 30
    file = tmp_path / "results.csv"
    file.write_text(f"model,dataset,MRR,Hits@10\n{rows}", "utf-8")
    tables = rankconst.load()
    constants, reading = tables.constants("FB15k-237", "mrr"), rankconst.read(file)
    adjusted, checked = rankconst.adjust(reading), rankconst.check(reading, dataset="fb15k237")
    assert repr(tables) == f"Tables({str(tables.path)!r}, version {tables.version!r})"
    start = "Constants(MRR on fb15k237/test/both/standard: expectation 0.00"
    assert repr(constants).startswith(start)
    values = constants.adjust("0.338"), constants.adjust(np.linspace(0.1, 0.9, 100))
    compared = constants.compare("0.338", "0.358"), *rankconst.compare(reading)
    ranks = rankconst.from_ranks(np.arange(1, 10_000))
    for each in (constants, reading, checked, *values, *checked.findings, *compared, ranks):
        assert len(repr(each)) < 160, each
        assert "\n" not in repr(each)
    assert "AMRR" in adjusted._repr_html_()
    assert isinstance(adjusted.to_pandas(), pandas.DataFrame)
    counts = rankconst.from_counts(np.arange(1, 10_000))
    assert max(len(repr(counts)), len(repr(counts.histogram()))) < 400


# Examples.

WITH_PANDAS = {"rankconst.api", "rankconst.results.frame", "rankconst.tables.own_counts"}


@functools.cache
def find_examples() -> dict[str, list[doctest.DocTest]]:
    """Return the docstrings of each module that hold examples."""
    finder = doctest.DocTestFinder()
    return {
        module: [each for each in finder.find(importlib.import_module(module)) if each.examples]
        for module in ("rankconst", *RUNTIME)
    }


def test_examples_in_docstrings_run() -> None:
    output: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.REPORT_NDIFF)
    for module, examples in find_examples().items():
        if module in WITH_PANDAS and importlib.util.find_spec("pandas") is None:
            continue
        for example in examples:
            runner.run(example, out=output.append)
    assert not runner.failures, "".join(output)


def test_the_main_entries_have_examples() -> None:
    named = {example.name for examples in find_examples().values() for example in examples}
    entries = "tables.archive.load catalogue.metrics.parse_metric values.constants.Constants"
    for name in (*entries.split(), "tables.own_counts.from_counts", "api.adjust"):
        assert f"rankconst.{name}" in named
    assert "rankconst" in named


def test_the_package_is_typed() -> None:
    assert (PACKAGE / "py.typed").is_file()
