"""The public face: names, docstrings, examples, and what an import pulls in."""

from __future__ import annotations

import ast
import doctest
import importlib
import json
import pkgutil
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, TypeGuard

import pytest

import rankconst

if TYPE_CHECKING:
    from types import ModuleType

PACKAGE = Path(rankconst.__file__).parent
SOURCES = {path.relative_to(PACKAGE).as_posix(): path for path in sorted(PACKAGE.rglob("*.py"))}
RUNTIME = sorted(
    module.name
    for module in pkgutil.walk_packages(rankconst.__path__, "rankconst.")
    if not module.name.startswith("rankconst.cli")
)

NAMES = [
    "AGGREGATIONS",
    "Adjusted",
    "Affine",
    "Aggregation",
    "CATALOGUE",
    "Constants",
    "DataError",
    "DownloadError",
    "Histogram",
    "Interval",
    "Metric",
    "MissingExtraError",
    "Moments",
    "PROTOCOLS",
    "Protocol",
    "Published",
    "RankconstError",
    "SOURCES",
    "Setting",
    "Significance",
    "Source",
    "Tables",
    "TablesError",
    "Tasks",
    "UndefinedError",
    "UnknownNameError",
    "UsageError",
    "__version__",
    "adjust",
    "adjust_reading",
    "bundled_versions",
    "compute_moments",
    "from_counts",
    "identify_reading",
    "lint_reading",
    "load",
    "parse_aggregation",
    "parse_metric",
    "parse_protocol",
    "parse_source",
    "parse_value",
    "read_results",
]

OFFERED: list[str] = vars(rankconst)["__all__"]  # type checkers are told otherwise what there is

HEAVY = {"yaml", "scipy", "pandas", "pooch", "requests", "typer", "click", "rich", "matplotlib", "mpmath"}

# Modules that may import the builder or its registry, and only when a command runs or tables are to be downloaded.
STARTS_BUILDER = {
    "cli/build.py",
    "cli/datasets.py",
    "cli/lookup.py",
    "cli/options.py",
    "cli/release.py",
    "cli/verify.py",
    "downloads.py",
}

# Runtime modules that may import more than the runtime needs, and only inside the functions that need it.
INSIDE = {
    "downloads.py": {"pooch", "requests", "rankconst_builder"},
    "frames.py": {"pandas"},
    "plots/arrangement.py": {"matplotlib"},
    "plots/comparison.py": {"matplotlib"},
    "plots/distribution.py": {"matplotlib"},
    "plots/style.py": {"matplotlib"},
    "results/structured.py": {"yaml"},
}

IMPORT_ONLY = "import rankconst"
LOOK_UP = "import rankconst; rankconst.load().constants('fb15k237', 'mrr')"
WHOLE_USE = """
import numpy as np
import rankconst
tables = rankconst.load()
for metric in ("mrr", "MR", "hits@10", "hits@7", "gmr", "igmr"):
    for protocol in ("standard", "pykeen"):
        constants = tables.constants("FB15k-237", metric, side="both", protocol=protocol)
        constants.adjust(constants.metric.optimum), constants.z(np.array([0.1, 0.2]))
rankconst.compute_moments(rankconst.parse_metric("mrr"), rankconst.Histogram.from_counts([1, 2, 3]))
"""


def test_public_names_are_frozen() -> None:
    """Adding one is a decision (update this list); losing one breaks users."""
    assert sorted(OFFERED) == sorted(NAMES)
    for name in NAMES:
        assert hasattr(rankconst, name)


@pytest.mark.parametrize("module", RUNTIME)
def test_modules_list_what_they_offer(module: str) -> None:
    loaded = importlib.import_module(module)
    if module == "rankconst.__main__":
        return  # it offers nothing to import
    assert list(loaded.__all__) == list(dict.fromkeys(loaded.__all__))
    for name in loaded.__all__:
        assert hasattr(loaded, name)


def modules_after(script: str) -> set[str]:
    """Return the modules that a fresh process has loaded after a script."""
    report = "\nimport json, sys\nprint(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", script + report], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stdout))


def tops(modules: set[str]) -> set[str]:
    return {name.partition(".")[0] for name in modules}


@pytest.mark.parametrize("script", [LOOK_UP, WHOLE_USE], ids=["look up", "use"])
def test_the_runtime_stays_light(script: str) -> None:
    loaded = tops(modules_after(script))
    assert {"rankconst", "numpy", "pyarrow"} <= loaded
    assert not loaded & (HEAVY | {"rankconst_builder"})


def test_an_import_loads_nothing_that_takes_time() -> None:
    loaded = modules_after(IMPORT_ONLY)
    assert not tops(loaded) & (HEAVY | {"numpy", "pyarrow", "rankconst_builder"})
    assert {name for name in loaded if name.startswith("rankconst")} == {"rankconst", "rankconst.lazy"}


def test_looking_up_loads_no_formulas_and_no_downloads() -> None:
    loaded = modules_after(LOOK_UP)
    assert {"rankconst.tables.tables", "rankconst.moments", "rankconst.moments.result"} <= loaded
    assert not loaded & {"rankconst.moments.registry", "rankconst.moments.means", "rankconst.tables.remote", "zipfile"}


# -- names that are imported when first asked for ------------------------------------------------------------------


def test_every_name_resolves_and_is_listed() -> None:
    script = """
import rankconst
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


def test_a_star_import_gives_every_name() -> None:
    names: dict[str, object] = {}
    exec("from rankconst import *", names)  # noqa: S102 - a star is allowed at the top of a module only
    assert set(NAMES) <= set(names)


@pytest.mark.parametrize("package", [rankconst, rankconst.moments], ids=["rankconst", "moments"])
@pytest.mark.parametrize("name", ["lod", "_private", "__wrapped__"])
def test_unknown_names_are_no_attributes(package: ModuleType, name: str) -> None:
    message = f"^module '{re.escape(package.__name__)}' has no attribute '{name}'$"
    with pytest.raises(AttributeError, match=message) as caught:
        getattr(package, name)
    assert (caught.value.name, caught.value.obj) == (name, package)


def test_a_traceback_suggests_the_nearest_name() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "import rankconst; rankconst.lod"], capture_output=True, text=True, check=False
    )
    assert "AttributeError: module 'rankconst' has no attribute 'lod'. Did you mean: 'load'?" in done.stderr
    done = subprocess.run(
        [sys.executable, "-c", "from rankconst import lod"], capture_output=True, text=True, check=False
    )
    assert "ImportError: cannot import name 'lod' from 'rankconst'" in done.stderr


MODULES = (
    "affine",
    "aggregations",
    "constants",
    "errors",
    "histogram",
    "locations",
    "metrics",
    "moments",
    "protocols",
    "records",
    "schemas",
    "tables",
)


def test_modules_are_attributes() -> None:
    modules_after(f"""
import rankconst
for name in {MODULES}:
    assert name in dir(rankconst)
    assert getattr(rankconst, name).__name__ == f"rankconst.{{name}}"
""")
    modules_after("""
from rankconst import tables
import rankconst
assert tables is rankconst.tables.tables and tables.load is rankconst.load
""")


def test_no_public_name_is_that_of_a_module() -> None:
    # The module, once imported, would take its place.
    modules = {module.name for module in pkgutil.iter_modules(rankconst.__path__)}
    assert not modules & set(OFFERED)


def test_type_checkers_see_every_public_name() -> None:
    tree = parse("__init__.py")
    seen = {
        alias.asname: f"{node.module}.{alias.name}"
        for block in tree.body
        if is_type_checking(block)
        for node in ast.walk(ast.Module(block.body, []))
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    # Only `import X as X` is a name that a package offers, to a type checker.
    assert seen == {name: f"rankconst.{home}.{name}" for name, home in vars(rankconst)["_HOMES"].items()}


def imported(tree: ast.AST) -> set[str]:
    """Return the top-level names of all that a piece of code imports."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.partition(".")[0])
    return found


def is_type_checking(node: ast.AST) -> TypeGuard[ast.If]:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def without_types(tree: ast.Module) -> ast.Module:
    """Drop what only a type checker reads."""
    return ast.Module([node for node in tree.body if not is_type_checking(node)], [])


def at_import(tree: ast.Module) -> ast.Module:
    """Keep what runs when a module is imported: no bodies of functions."""
    kept = [node for node in without_types(tree).body if not isinstance(node, ast.FunctionDef | ast.ClassDef)]
    return ast.Module(kept, [])


def parse(name: str) -> ast.Module:
    return ast.parse(SOURCES[name].read_text(encoding="utf-8"))


def test_the_scan_sees_imports() -> None:
    tree = ast.parse("if TYPE_CHECKING:\n import a.b\nfrom c.d import e\ndef f():\n import g\n")
    assert imported(tree) == {"a", "c", "g"}
    assert imported(without_types(tree)) == {"c", "g"}
    assert imported(at_import(tree)) == {"c"}


@pytest.mark.parametrize("name", SOURCES)
def test_only_some_commands_start_the_builder(name: str) -> None:
    assert "rankconst_builder" not in imported(at_import(parse(name)))
    if name not in STARTS_BUILDER:
        assert "rankconst_builder" not in imported(parse(name))


def test_the_commands_that_start_the_builder_exist() -> None:
    assert set(SOURCES) >= STARTS_BUILDER
    for name in STARTS_BUILDER:
        assert "rankconst_builder" in imported(parse(name))


@pytest.mark.parametrize("name", [name for name in SOURCES if not name.startswith("cli/")])
def test_runtime_modules_import_nothing_heavy(name: str) -> None:
    light = imported(without_types(parse(name))) - INSIDE.get(name, set())
    assert not light & HEAVY
    assert not imported(at_import(parse(name))) & INSIDE.get(name, set())
    assert light <= set(sys.stdlib_module_names) | {"numpy", "pyarrow", "rankconst"}


def undocumented(name: str) -> list[str]:
    """Return the public functions, classes, methods and properties without a docstring."""

    def visit(body: list[ast.stmt], prefix: str) -> list[str]:
        missing = []
        for node in body:
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) or node.name.startswith("_"):
                continue
            if any(isinstance(decorator, ast.Name) and decorator.id == "overload" for decorator in node.decorator_list):
                continue
            if not ast.get_docstring(node):
                missing.append(prefix + node.name)
            if isinstance(node, ast.ClassDef):
                missing += visit(node.body, f"{prefix}{node.name}.")
        return missing

    tree = parse(name)
    return ([] if ast.get_docstring(tree) else ["the module"]) + visit(tree.body, "")


@pytest.mark.parametrize("name", SOURCES)
def test_everything_public_is_documented(name: str) -> None:
    assert undocumented(name) == []


EXAMPLES = {
    module: [found for found in doctest.DocTestFinder().find(importlib.import_module(module)) if found.examples]
    for module in ("rankconst", *RUNTIME)
}


@pytest.mark.parametrize("module", [module for module, examples in EXAMPLES.items() if examples])
def test_examples_in_docstrings_run(module: str) -> None:
    if module == "rankconst.results.frame":
        pytest.importorskip("pandas", reason="the example needs pandas")
    output: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.REPORT_NDIFF)
    for example in EXAMPLES[module]:
        runner.run(example, out=output.append)
    assert not runner.failures, "".join(output)


def test_the_main_entries_have_examples() -> None:
    named = {example.name for examples in EXAMPLES.values() for example in examples}
    assert {
        "rankconst",
        "rankconst.tables.tables.load",
        "rankconst.catalogue.metrics.parse_metric",
        "rankconst.constants.constants.Constants",
    } <= named


def test_the_package_is_typed() -> None:
    assert (PACKAGE / "py.typed").is_file()
