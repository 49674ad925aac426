"""Checks of the code, each in its own environment: ``nox`` runs the fast, ``nox -s NAME`` one."""

import nox

nox.needs_version = ">=2025.2.9"
nox.options.default_venv_backend = "uv|virtualenv"
nox.options.sessions = ["fast", "lint", "types"]

PROJECT = nox.project.load_toml("pyproject.toml")
TEST = nox.project.dependency_groups(PROJECT, "test")
LINT = nox.project.dependency_groups(PROJECT, "lint")
EXTRAS = ("builder", "plot", "xlsx")


@nox.session
def tests(session: nox.Session) -> None:
    """Run every test."""
    session.install("-e", f".[{','.join(EXTRAS)}]", *TEST)
    session.run("pytest", "-n", "2", "--dist", "loadfile", *session.posargs)


@nox.session
def fast(session: nox.Session) -> None:
    """Run the tests that are not slow."""
    session.install("-e", f".[{','.join(EXTRAS)}]", *TEST)
    session.run("pytest", "-n", "2", "--dist", "loadfile", "-m", "not slow", *session.posargs)


@nox.session
def lint(session: nox.Session) -> None:
    """Check style and formatting."""
    session.install(*LINT)
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")


@nox.session
def types(session: nox.Session) -> None:
    """Check types."""
    session.install("-e", f".[{','.join(EXTRAS)}]", *TEST, *LINT)
    session.run("mypy")


@nox.session(python="3.11")
def oldest(session: nox.Session) -> None:
    """Run the fast tests with the oldest dependencies that pyproject.toml allows."""
    wanted = list(PROJECT["project"]["dependencies"])
    for extra in EXTRAS:
        wanted += PROJECT["project"]["optional-dependencies"][extra]
    pinned = [requirement.replace(">=", "==") for requirement in wanted]
    session.install(*pinned, *TEST)
    session.install("--no-deps", "-e", ".")
    session.run("pytest", "-n", "2", "--dist", "loadfile", "-m", "not slow", *session.posargs)


@nox.session
def wheel(session: nox.Session) -> None:
    """Run .ci/run: the README's commands, the linters, and the wheel; needs the network."""
    session.run("bash", ".ci/run", external=True)


@nox.session
def pages(session: nox.Session) -> None:
    """Build the documentation and the site into the folder public."""
    session.install("-e", ".[builder]", *nox.project.dependency_groups(PROJECT, "docs"))
    built = f"{session.create_tmp()}/docs"
    session.run("sphinx-build", "-W", "docs", built)
    session.run("rankconst", "tables", "site", "--out", "public", "--docs", built)


@nox.session
def docs(session: nox.Session) -> None:
    """Run the examples of the documentation."""
    session.install("-e", f".[{','.join(EXTRAS)}]", *TEST)
    session.run(
        "pytest",
        "tests/test_docs.py",
        "tests/test_readme.py",
        "tests/test_pykeen_page.py",
        "tests/tables/test_own_counts.py",
        *session.posargs,
    )
