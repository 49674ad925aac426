"""Every rule: ranks as they come break none, whatever their rounding; a planted fault is found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from carried import open_once
from rankconst.checks.checking import RULES
from rankconst.errors import UnknownNameError
from rankconst.evaluation import Stated
from readings import OPEN, apply_rules, make_reading, measure, parse_heading

if TYPE_CHECKING:
    from rankconst.checks.case import Finding

TABLES = open_once()
NATIONS = Stated(dataset="nations", protocol="pykeen")
COUNTS = np.repeat(
    *(getattr(TABLES.histogram("nations", protocol="pykeen"), name) for name in ("num_candidates", "num_tasks"))
)


@dataclass(frozen=True)
class Planted:
    """Numbers that are possible, and what makes one of them impossible."""

    row: dict[str, str]
    change: dict[str, str]
    inequality: str
    severity: str = "error"
    user: Stated = OPEN
    context: Stated = OPEN
    rows: int = 1

    def find(self, rule: str, *, changed: bool) -> tuple[Finding, ...]:
        row = {**self.row, **self.change} if changed else self.row
        context = self.context if changed or rule != "task-count" else OPEN
        reading = make_reading(*[row] * self.rows, context=context)
        return apply_rules(reading, self.user, rules=[rule]).findings


# RotatE on FB15k-237 (Sun et al. 2019, arXiv:1902.10197), and ComplEx on Nations (Hoyt et al. 2022, arXiv:2203.07544).
ROTATE = {"MR": "177", "MRR": "0.338", "Hits@1": "0.241", "Hits@3": "0.375", "Hits@10": "0.533"}
COMPLEX = {"MR": "4.196517", "MRR": "0.430418", "Hits@1": "0.228856", "Hits@3": "0.497512", "Hits@10": "0.965174"}

PLANTED = {
    "range": Planted(ROTATE, {"Hits@10": "53.3"}, "0 <= Hits@10 <= 1"),
    "swapped-columns": Planted(ROTATE, {"Hits@1": "0.533", "Hits@10": "0.241"}, "range, hits-monotone", rows=2),
    "hits-monotone": Planted(ROTATE, {"Hits@3": "0.575"}, "Hits@3 <= Hits@10"),
    "mrr-from-hits": Planted(ROTATE, {"MRR": "0.238"}, "MRR >= Hits@1 + (Hits@3 - Hits@1)/3 + (Hits@10 - Hits@3)/10"),
    "mr-from-hits": Planted(
        ROTATE, {"MR": "5.4"}, "MR >= Hits@1 + 1.5 (Hits@3 - Hits@1) + 3.5 (Hits@10 - Hits@3) + 10.5 (1 - Hits@10)"
    ),
    "mr-from-mrr": Planted(ROTATE, {"MR": "2.9"}, "MR >= 5.5 - 7.5 MRR >= 1/MRR"),
    "mrr-from-mr": Planted(
        {"MR": "6.5", "MRR": "0.4"}, {"MR": "7.3", "MRR": "0.51"}, "MRR <= 1 - (1/n) sum (r_i - 1)/N_i", user=NATIONS
    ),
    "power-means": Planted({"MR": "4.1965", "GMR": "3.15"}, {"GMR": "4.25"}, "GMR <= MR"),
    "median-from-hits": Planted(
        {"MdR": "3.5", "Hits@3": "0.4975"}, {"MdR": "3.0"}, "Hits@3 < 1/2 only if MdR >= 3.5", severity="warning"
    ),
    "inverse-pairs": Planted({"HMR": "2.3233", "MRR": "0.4304"}, {"HMR": "2.2433"}, "HMR MRR = 1"),
    "ndcg-from-mrr": Planted({"MRR": "0.338", "nDCG": "0.46"}, {"nDCG": "0.336"}, "nDCG >= MRR"),
    "multiple-of-1/n": Planted(COMPLEX, {"Hits@3": "0.496512"}, "n Hits@3 is whole", severity="warning", user=NATIONS),
    "sum-of-ranks": Planted(COMPLEX, {"MR": "4.197000"}, "2 n MR is whole", severity="warning", user=NATIONS),
    "task-count": Planted(
        COMPLEX,
        {},
        "n stated = n of the ranking tasks",
        severity="warning",
        user=NATIONS,
        context=Stated(num_tasks=201),
    ),
    "adjusted-mismatch": Planted(
        COMPLEX | {"AMRI": "0.0808"}, {"AMRI": "0.0908"}, "AMRI = (MR - E[MR]) / (optimum - E[MR])", user=NATIONS
    ),
    "index-above-value": Planted(
        {"Hits@10": "0.965", "AH@10": "0.34"}, {"AH@10": "0.974"}, "AH@10 <= Hits@10", user=NATIONS
    ),
    "worse-than-random": Planted(COMPLEX, {"MR": "6.5"}, "z >= -5", severity="info", user=NATIONS),
    "below-counting": Planted(
        {"Hits@10": "0.9801"},
        {"Hits@10": "0.9602"},
        "M better than E[M] of the counting",
        severity="info",
        user=NATIONS,
    ),
    "all-tied": Planted(
        {"MR": "4.20", "MRR": "0.430"},
        {"MR": "4.48", "MRR": "0.273"},
        "M != M of a model",
        severity="info",
        user=NATIONS,
    ),
}


@pytest.mark.parametrize("rule", RULES)
def test_a_planted_fault_is_found(rule: str) -> None:
    """And only the fault: the numbers as published, or as they could be, break nothing."""
    planted = PLANTED[rule]
    assert planted.find(rule, changed=False) == ()
    (finding,) = planted.find(rule, changed=True)
    assert (finding.rule, finding.severity) == (rule, planted.severity)
    assert finding.inequality.startswith(planted.inequality)
    assert finding.statement.endswith(".")
    assert finding.line == 2
    named = {m.label for m in finding.values}
    assert named >= set(planted.change) and named <= {*planted.row}
    for m in finding.values:
        assert m.interval.lower <= m.value <= m.interval.upper


def test_a_rule_needs_a_test() -> None:
    """Whoever adds a rule adds numbers that break it; the laws below apply all rules at once."""
    assert list(PLANTED) == list(RULES)


@st.composite
def written(draw: st.DrawFn) -> tuple[bool, int | None, bool]:
    """How numbers are written: in 32 bits or not, with a few decimals or all, marked as exact or not."""
    decimals = draw(st.one_of(st.none(), st.integers(0, 9)))
    return draw(st.booleans()), decimals, decimals is None and draw(st.booleans())


def write(values: dict[str, float], how: tuple[bool, int | None, bool]) -> dict[str, str]:
    single, decimals, _ = how
    numbers = {name: float(np.float32(value)) if single else value for name, value in values.items()}
    return {name: repr(value) if decimals is None else f"{value:.{decimals}f}" for name, value in numbers.items()}


@st.composite
def evaluations(draw: st.DrawFn) -> tuple[dict[str, float], Stated]:
    """Metrics of any ranks, whole or halves; the tie policy is told where they are whole, sometimes."""
    whole = draw(st.booleans())
    ends = draw(st.sampled_from([(1, 3), (1, 14), (1, 40_000)]))
    doubled = draw(st.lists(st.integers(2 * ends[0], 2 * ends[1]), min_size=1, max_size=12))
    ranks = np.array([d // 2 if whole else d / 2 for d in doubled], dtype=float)
    ks = draw(st.sets(st.integers(1, 50), max_size=4))
    context = Stated(
        rank_type=draw(st.sampled_from([None, "optimistic" if whole else "realistic"])),
        num_tasks=draw(st.sampled_from([None, len(ranks)])),
    )
    return measure(ranks, sorted(ks)), context


@pytest.mark.slow
@given(st.lists(evaluations(), min_size=1, max_size=3), written())
def test_no_ranks_break_a_rule(
    found: list[tuple[dict[str, float], Stated]], how: tuple[bool, int | None, bool]
) -> None:
    rows = [write(values, how) for values, _ in found]
    reading = make_reading(*rows, context=[context for _, context in found], exact=how[2])
    assert apply_rules(reading).findings == ()


@st.composite
def on_nations(draw: st.DrawFn) -> np.ndarray:
    """Ranks on the tasks of Nations: anything between all first and all last."""
    seed, halves, power = draw(st.integers(0, 2**32)), draw(st.booleans()), draw(st.sampled_from([0.0, 0.3, 1.0, 3.0]))
    share = np.random.default_rng(seed).random(len(COUNTS)) ** power
    step = 0.5 if halves else 1.0
    ranks: np.ndarray = 1 + np.floor(share * (COUNTS - 1) / step) * step
    return ranks


NO_SLIPS = {"worse-than-random", "below-counting", "all-tied"}
ADJUSTED = ("AMR", "AMRI", "AMRR", "AH@10", "AGMRI", "z MR", "z MRR")


@given(ranks=on_nations(), how=written(), state=st.booleans())
def test_no_ranks_on_a_benchmark_break_a_rule(
    ranks: np.ndarray, how: tuple[bool, int | None, bool], state: bool
) -> None:
    values = measure(ranks)
    for name in ADJUSTED:
        metric, form = parse_heading(name)
        constants = TABLES.constants("nations", metric, protocol="pykeen")
        values[name] = getattr(constants, str(form))(values[metric.label])
    context = Stated(num_tasks=len(ranks) if state else None)
    reading = make_reading(write(values, how), context=context, exact=how[2])
    rules = [rule for rule in RULES if rule not in NO_SLIPS]
    assert apply_rules(reading, NATIONS, rules=rules).findings == ()


@given(runs=st.lists(on_nations(), min_size=2, max_size=5), how=written(), on_benchmark=st.booleans())
def test_means_over_runs_are_no_errors(
    runs: list[np.ndarray], how: tuple[bool, int | None, bool], on_benchmark: bool
) -> None:
    """Not even those of HMR, IAMR or MdR, which no single run could have."""
    every = [measure(ranks) for ranks in runs]
    values = {name: float(np.mean([each[name] for each in every])) for name in every[0]}
    reading = make_reading(write(values, how), exact=how[2])
    found = apply_rules(reading, NATIONS if on_benchmark else OPEN)
    assert [finding for finding in found.findings if finding.severity == "error"] == []
    averaged = make_reading({name: f"{text} ± 0.1" for name, text in write(values, how).items()})
    assert apply_rules(averaged).findings == ()


@given(st.integers(0, 2**32), written())
def test_a_random_ranker_is_not_worse_than_random(seed: int, how: tuple[bool, int | None, bool]) -> None:
    ranks = np.random.default_rng(seed).integers(1, COUNTS + 1).astype(float)
    rules = [rule for rule in RULES if rule != "below-counting"]
    assert apply_rules(make_reading(write(measure(ranks), how)), NATIONS, rules=rules).findings == ()


def test_rules_are_chosen_by_any_spelling_and_unknown_ones_refused() -> None:
    reading = make_reading({**ROTATE, "Hits@3": "0.575", "HMR": "2.5"})
    assert {finding.rule for finding in apply_rules(reading).findings} == {"hits-monotone", "inverse-pairs"}
    assert [f.rule for f in apply_rules(reading, rules=["Hits monotone"]).findings] == ["hits-monotone"]
    with pytest.raises(UnknownNameError, match=r"unknown rule 'hits-monotony'\. Did you mean hits-monotone"):
        apply_rules(reading, rules=["hits-monotony"])


def test_evaluations_with_the_same_question_share_it() -> None:
    contexts = [Stated(model=model, num_tasks=123_457) for model in "ABCDE"]
    found = apply_rules(make_reading(*[{"MRR": "0.3"}] * 5, context=contexts))
    (question,) = found.asked
    assert ("n = 123,457: no split has that many tasks" in question.text, len(question.numbers)) == (True, 5)
    assert ["no dataset is named" in note for note in found.notes] == [True]
