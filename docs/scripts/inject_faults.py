"""Let every command that writes fail at each of its calls: tests/robustness.md.

Run: python docs/scripts/inject_faults.py. Every point gets one kind of fault, in turn. With --all,
every point gets every kind, which takes several times as long; with --some, a point of every second
command gets one, and the page stays as it is.
"""

from __future__ import annotations

import sys
from pathlib import Path

from marked import replace_lines

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "tests"), str(ROOT / "builder")]

# They are in a folder that was added above.
from faults.commands import FEW, choose_all, choose_each, choose_some, inject  # noqa: E402
from faults.injecting import FAULTS, MEETINGS, Tally  # noqa: E402

PAGE = ROOT / "tests" / "robustness.md"


def render_faults(tallies: list[Tally]) -> str:
    """Return a Markdown table with a row for each command."""
    rows = [
        "| command | points | " + " | ".join(FAULTS) + " | survived |",
        "|---|---:|" + "---:|" * (len(FAULTS) + 1),
    ]
    for tally in (tally for tally in tallies if MEETINGS not in tally.injected):
        counts = " | ".join(f"{tally.injected[fault]:,}" for fault in FAULTS)
        rows.append(f"| `{tally.title}` | {tally.points:,} | {counts} | {_survived(tally)} |")
    return "\n".join(rows)


def render_meetings(tallies: list[Tally]) -> str:
    """Return a Markdown table with a row for each pair of commands."""
    rows = ["| stopped half way | meanwhile | times | right |", "|---|---|---:|---:|"]
    for tally in (tally for tally in tallies if MEETINGS in tally.injected):
        first, _, second = tally.title.partition(" + ")
        rows.append(f"| `{first}` | `{second}` | {tally.injected.total():,} | {_survived(tally)} |")
    return "\n".join(rows)


def _survived(tally: Tally) -> str:
    return f"{tally.injected.total() - len(tally.failures):,}"


def main() -> None:
    """Inject the faults, and write the page; exit with 1 if anything is wrong."""
    some, tallies = "--some" in sys.argv[1:], []
    choose = choose_some if some else choose_all if "--all" in sys.argv[1:] else choose_each
    steps = {"every": 2, "pairs": 2 * FEW} if some else {}
    for tally in inject(choose, **steps):
        tallies.append(tally)
        told = (
            f"{tally.title}: {tally.points} points, {tally.injected.total()} tries, "
            f"{len(tally.failures)} failures"
        )
        print("\n  ".join([told, *tally.failures]), flush=True)
    if not some:
        replace_lines(PAGE, "faults", render_faults(tallies))
        replace_lines(PAGE, "meetings", render_meetings(tallies))
    sys.exit(any(tally.failures for tally in tallies))


if __name__ == "__main__":
    main()
