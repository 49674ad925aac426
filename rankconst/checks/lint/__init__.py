"""Numbers that cannot be: what the metrics of one evaluation say about one another.

Any set of ranks obeys laws: Hits@1 is at most Hits@10, an MRR lies between bounds that the hits give, a share of n
tasks is a multiple of 1/n. A published number that breaks one is a slip, or is not what its heading says. Every rule
counts with the interval that a number's writing leaves open, so that rounding alone is never found.

======================  ====================================================================================
module                  holds
======================  ====================================================================================
:mod:`.bounds`          the inequalities themselves, as functions of numbers
:mod:`.cases`           the numbers of an evaluation with their intervals and their ranking tasks
:mod:`.findings`        what a rule is, and what it finds
======================  ====================================================================================

Every further module is one family of rules.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rankconst.checks.lint.adjusted import find_mismatches, find_worse_than_random
from rankconst.checks.lint.cases import Archive, Case, build_case
from rankconst.checks.lint.counting import find_broken_hits, find_broken_ranks, find_other_counts
from rankconst.checks.lint.findings import Finding, Lint, Rule
from rankconst.checks.lint.means import (
    find_means_against_hits,
    find_medians_against_hits,
    find_reciprocals_against_hits,
    find_reciprocals_too_large,
    find_small_mean_ranks,
    find_unequal_inverses,
    find_unordered_means,
)
from rankconst.checks.lint.ranges import find_impossible_values
from rankconst.checks.lint.shares import find_decreasing_hits
from rankconst.checks.lint.swaps import find_swapped_columns
from rankconst.names import resolve_name
from rankconst.results.evaluation import Stated, parse_stated
from rankconst.results.reading import Measured, group_entries

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rankconst.results.reading import Reading
    from rankconst.tables.tables import Tables

__all__ = ["RULES", "Finding", "Lint", "Measured", "Rule", "lint_reading"]

RULES: dict[str, Rule] = {
    rule.key: rule
    for rule in (
        Rule(
            key="range",
            title="a value that its metric can take",
            inequality="worst <= M <= optimum",
            derivation="The worst ranker puts every true answer last, the best one first; shares are at most 1.",
            find=find_impossible_values,
        ),
        Rule(
            key="swapped-columns",
            title="no two columns changed places",
            inequality="the rules of hits, MR and MRR together",
            derivation="All evaluations break them as they stand, and none with two metrics exchanged.",
            find=find_swapped_columns,
        ),
        Rule(
            key="hits-monotone",
            title="hits grow with k",
            inequality="Hits@j <= Hits@k for j < k",
            derivation="A rank of at most j is at most k.",
            find=find_decreasing_hits,
        ),
        Rule(
            key="mrr-from-hits",
            title="MRR within what the hits allow",
            inequality="sum (H_i - H_(i-1)) / k_i + (1 - H_m) / N <= MRR <= sum (H_i - H_(i-1)) / (k_(i-1) + 1)"
            " + (1 - H_m) / (k_m + 1)",
            derivation="Each share of ranks stands last, or first, in its range; 1/2 for 1 where ranks can be halves.",
            find=find_reciprocals_against_hits,
        ),
        Rule(
            key="mr-from-hits",
            title="MR within what the hits allow",
            inequality="sum (H_i - H_(i-1)) (k_(i-1) + 1) + (1 - H_m) (k_m + 1) <= MR <= sum (H_i - H_(i-1)) k_i"
            " + (1 - H_m) N",
            derivation="As for the MRR; there is an upper bound only where N, the most candidates, is known.",
            find=find_means_against_hits,
        ),
        Rule(
            key="mr-from-mrr",
            title="MR at least what the MRR allows",
            inequality="MR >= 2 r + 1 - r (r + 1) MRR >= 1 / MRR, r = floor(1 / MRR)",
            derivation="The lower convex hull of the points (1/r, r), which is above the bound 1 / MRR of the means.",
            find=find_small_mean_ranks,
        ),
        Rule(
            key="mrr-from-mr",
            title="MRR at most what the MR allows",
            inequality="MRR <= 1 - (1/n) sum (r_i - 1) / N_i, tasks with many candidates first",
            derivation="The chord 1/r <= 1 - (r - 1)/N over 1..N; needs the candidates.",
            find=find_reciprocals_too_large,
        ),
        Rule(
            key="power-means",
            title="power means in their order",
            inequality="1 / MRR = HMR <= GMR <= MR <= QMR",
            derivation="Power means grow with the exponent: Hardy, Littlewood, Polya 1934, Inequalities, theorem 16.",
            find=find_unordered_means,
        ),
        Rule(
            key="median-from-hits",
            title="median rank on the right side of k",
            inequality="Hits@k > 1/2 only if MdR <= k; Hits@k < 1/2 only if MdR > k",
            derivation="More than half of the ranks lie on that side, so both middle ones do.",
            find=find_medians_against_hits,
        ),
        Rule(
            key="inverse-pairs",
            title="a metric and its inverse",
            inequality="MR IAMR = HMR MRR = GMR IGMR = QMR IQMR = MdR IMdR = 1; VR = SDR^2",
            derivation="By definition.",
            find=find_unequal_inverses,
        ),
        Rule(
            key="multiple-of-1/n",
            title="hits are whole multiples of 1/n",
            inequality="n Hits@k is whole",
            derivation="It counts tasks; checked where 1/n is wider than the rounding.",
            find=find_broken_hits,
        ),
        Rule(
            key="sum-of-ranks",
            title="the sum of the ranks is whole",
            inequality="n MR is whole, or 2 n MR where ranks can be halves",
            derivation="It sums ranks; checked where 1/n is wider than the rounding.",
            find=find_broken_ranks,
        ),
        Rule(
            key="task-count",
            title="the number of ranks is that of the tasks",
            inequality="n stated = n of dataset, split, side and protocol",
            derivation="Counted from the benchmark's files.",
            find=find_other_counts,
        ),
        Rule(
            key="adjusted-mismatch",
            title="adjusted values belong to their base values",
            inequality="M / E, (M - E) / (optimum - E), +-(M - E) / sqrt(Var)",
            derivation="Hoyt et al. 2022, arXiv:2203.07544; E and Var of the tables.",
            find=find_mismatches,
        ),
        Rule(
            key="worse-than-random",
            title="not worse than a random ranker",
            inequality="z >= -5",
            derivation="Possible, but a sign of scores sorted the wrong way, or of another dataset.",
            find=find_worse_than_random,
        ),
    )
}
"""Rule key to rule, in the order in which they are applied."""

_EXPLAINED_BY_SWAP = frozenset({"range", "hits-monotone", "mrr-from-hits", "mr-from-hits", "mr-from-mrr"})


def lint_reading(
    reading: Reading,
    tables: Tables | None = None,
    user: Stated | None = None,
    *,
    rules: Iterable[str] = (),
) -> Lint:
    """Find the numbers of a results file that cannot be.

    Parameters
    ----------
    reading
        What a reader found.
    tables
        Where numbers of candidates and constants come from. Without them, rules that need these are left out.
    setting
        What the user says about the file.
    rules
        Keys of :data:`RULES`; all if empty.

    Raises
    ------
    UsageError
        If file and setting contradict each other.
    UnknownNameError
        For a name in the setting, or a rule, that nobody knows.
    """
    user = user or Stated()
    chosen = [
        RULES[resolve_name("rule", key, dict.fromkeys(RULES, ()), "`rankconst lint --rules` lists them all.")]
        for key in rules
    ] or list(RULES.values())
    notes: dict[str, None] = {}
    archive = None
    if tables is not None:
        user = parse_stated(user, tables)
        user, note = _complete(reading, tables, user)
        archive = Archive(tables)
        notes.update(dict.fromkeys([note] if note else []))
    cases: list[Case] = []
    for group in group_entries(reading):
        case, reason = build_case(group, reading, user, archive)
        cases.append(case)
        if reason:
            notes.setdefault(reason)
    found = [finding for rule in chosen for finding in rule.find(cases)]
    findings = sorted(_drop_explained(found), key=lambda finding: finding.line or 0)
    return Lint(reading, tuple(findings), len(cases), tuple(notes))


def _complete(reading: Reading, tables: Tables, user: Stated) -> tuple[Stated, str]:
    """Name the ranking tasks that adjusted values give away, where neither file nor user names a dataset."""
    adjusted = any(entry.adjustment is not None for entry in reading.entries)
    if user.dataset is not None or not adjusted or any(entry.context.dataset for entry in reading.entries):
        return user, ""
    from rankconst.checks.identify.search import suggest_dataset

    match = suggest_dataset(reading, tables)
    if match is None:
        return user, ""
    tasks = match.tasks
    completed = replace(
        user, dataset=tasks.dataset, split=user.split or tasks.split, protocol=user.protocol or tasks.protocol
    )
    return completed, (f"identified by the adjusted values: {tasks.dataset} {tasks.split}, protocol {tasks.protocol}.")


def _drop_explained(findings: list[Finding]) -> list[Finding]:
    """Leave out what is but a consequence of two columns exchanged, or of a value that is impossible by itself."""
    # By identity: thousands of entries take long to hash.
    exchanged, impossible = (
        {id(m.entry) for finding in findings if finding.rule == rule for m in finding.values}
        for rule in ("swapped-columns", "range")
    )

    def is_explained(finding: Finding) -> bool:
        by_exchange = finding.rule in _EXPLAINED_BY_SWAP
        by_value = finding.rule not in {"range", "swapped-columns"}
        places = {id(m.entry) for m in finding.values}
        return (by_exchange and not places.isdisjoint(exchanged)) or (by_value and not places.isdisjoint(impossible))

    return [finding for finding in findings if not is_explained(finding)]
