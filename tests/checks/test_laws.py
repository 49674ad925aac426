"""The laws: ranks as they come break none, whatever their rounding; a fault is found by its rule
and explained.
"""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from carried import open_once
from cases import for_each, take_turns
from rankconst.checks.case import Finding, pick_base_values
from rankconst.checks.checking import RULES
from rankconst.errors import UnknownNameError
from rankconst.evaluation import Address
from rankconst.results.formats import read_document
from rankconst.results.reading import measure as measure_entry
from rankconst.values.bounds import PERFECT
from readings import OPEN, apply_rules, make_reading, measure, parse_heading

TABLES = open_once()
HISTOGRAM = TABLES.histogram("nations", protocol="pykeen")
COUNTS = np.repeat(HISTOGRAM.num_candidates, HISTOGRAM.num_tasks)

# RotatE, Sun et al. 2019, arXiv:1902.10197; ComplEx on Nations and FB15k-237, Hoyt et al. 2022,
# arXiv:2203.07544.
ROTATE = {"MR": "177", "MRR": "0.338", "Hits@1": "0.241", "Hits@3": "0.375", "Hits@10": "0.533"}
WN18RR = {"MR": "3340", "MRR": "0.476", "Hits@1": "0.428", "Hits@3": "0.492", "Hits@10": "0.571"}
NATIONS = {
    "MR": "4.196517", "MRR": "0.430418", "Hits@1": "0.228856", "Hits@3": "0.497512", "Hits@10": "0.965174",
}  # fmt: skip
COMPLEX = {"MR": "469.7251281738281", "AMRI": "0.9343031751454628"}

KNOWN, RAW = Address(dataset="FB15k-237"), Address(dataset="FB15k-237", protocol="raw")
PYKEEN = Address(dataset="nations", protocol="pykeen")
TOOL = Address(dataset="nations", tool="pykeen")
WN = Address(dataset="WN18RR")


def find(
    *rows: dict[str, str], rule: str = "", context: Address = OPEN, user: Address = OPEN
) -> tuple[Finding, ...]:
    usual = [each for each in RULES if each not in {"below-counting", "beyond-published"}]
    rules = [rule] if rule else usual
    return apply_rules(make_reading(*rows, context=context), user, rules=rules).findings


# Numbers that are possible, what makes one of them impossible, of which tasks, and what the rule
# says of it.
PLANTED: dict[str, tuple[dict[str, str], dict[str, str], Address, str, str]] = {
    "not-a-number": (ROTATE, {"MR": "0.5"}, OPEN, "error", "not MR 0 or 1/2"),
    "range": (ROTATE, {"Hits@10": "53.3"}, OPEN, "error", "0 <= Hits@10 <= 1"),
    "hits-monotone": (ROTATE, {"Hits@3": "0.575"}, OPEN, "error", "Hits@3 <= Hits@10"),
    "mrr-from-hits": (ROTATE, {"MRR": "0.238"}, OPEN, "error",
         "MRR >= Hits@1 + (Hits@3 - Hits@1)/3 + (Hits@10 - Hits@3)/10"),
    "mr-from-hits": (ROTATE, {"MR": "5.4"}, OPEN, "error",
         "MR >= Hits@1 + 1.5 (Hits@3 - Hits@1) + 3.5 (Hits@10 - Hits@3) + 10.5 (1 - Hits@10)"),
    "mr-from-mrr": (ROTATE, {"MR": "2.9"}, OPEN, "error", "MR >= 5.5 - 7.5 MRR >= 1/MRR"),
    "mrr-from-mr": ({"MR": "6.5", "MRR": "0.4"}, {"MR": "7.3", "MRR": "0.51"}, PYKEEN, "error",
         "MRR <= 1 - (1/n) sum (r_i - 1)/N_i"),
    "gains-in-order": ({"MRR": "0.338", "nDCG": "0.46"}, {"nDCG": "0.336"}, OPEN, "error", "MRR <= nDCG"),
    "multiple-of-1/n": (NATIONS, {"Hits@3": "0.496512"}, PYKEEN, "warning", "n Hits@3 is whole"),
    "sum-of-ranks": (NATIONS, {"MR": "4.197000"}, PYKEEN, "warning", "2 n MR is whole"),
    "adjusted-mismatch": (NATIONS | {"AMRI": "0.0808"}, {"AMRI": "0.0908"}, PYKEEN, "error",
         "AMRI = (MR - E[MR]) / (optimum - E[MR])"),
    "worse-than-random": (NATIONS, {"MR": "6.5"}, PYKEEN, "info", "z-score of at least"),
    "below-counting": ({"MRR": "0.8401"}, {"MRR": "0.8102"}, PYKEEN, "info", "no worse than a ranker"),
    "beyond-published": (ROTATE, {"MRR": "0.968"}, KNOWN, "info", "not far better"),
    "all-tied": ({"MR": "4.20", "MRR": "0.430"}, {"MR": "4.48", "MRR": "0.273"}, PYKEEN, "info",
         "another value than"),
}  # fmt: skip


def test_a_rule_needs_a_test() -> None:
    """Whoever adds a rule adds numbers that break it; the laws below apply all rules at once."""
    assert [*PLANTED, "mean-of-rows"] == list(RULES)  # that one needs several graphs


@for_each("rule", PLANTED)
def test_a_planted_fault_is_found(rule: str) -> None:
    """And only the fault: the numbers as published, or as they could be, break nothing."""
    row, change, context, severity, inequality = PLANTED[rule]
    user, counted = replace(context, num_tasks=None), Address(num_tasks=context.num_tasks)
    assert find(row, rule=rule, user=user) == ()
    (finding,) = find({**row, **change}, rule=rule, user=user, context=counted)
    assert (finding.rule, finding.severity, finding.line) == (rule, severity, 2)
    assert finding.inequality.startswith(inequality)
    assert finding.statement.endswith(".")
    named = {m.label for m in finding.values}
    assert named >= {*change} and named <= {*row}
    assert all(m.interval.lower <= m.value <= m.interval.upper for m in finding.values)


TWO = {"Hits@1": f"{2501 / 5848:.8f}", "Hits@10": f"{3333 / 5848:.8f}"}
NO_SHARES = {"Hits@1": f"{2501 / 5849:.8f}", "Hits@10": f"{3333 / 5849:.8f}"}
HALF = {"MR": f"{1686.5 / 402:.9f}"}
WORST = TABLES.constants("fb15k237", "mr").worst
NO_DATASET = Address(dataset="no such graph")
PERCENT = Address(percent=True)


# Numbers, where they are from, and what the one finding says: severity, inequality, statement,
# cause; none without.
FOUND: list[tuple[dict[str, str], Address, str, tuple[str, ...]]] = [
    ({"MR": "0.338"}, KNOWN, "range", ("error", "A mean of ranks is at least 1: an MRR or a share under the wrong")),
    ({"MRR": "177"}, KNOWN, "range", ("error", "A share is at most 1: a mean of ranks under the wrong name?")),
    # There are 14,541 entities; on average 7,113 are candidates.
    ({"MR": "14600"}, KNOWN, "range", ("warning", "split, side or protocol: here even the worst ranker does better.")),
    ({"MRR": "0.00001"}, KNOWN, "range", ("warning", "Another dataset")),
    ({"MR": "seven"}, KNOWN, "range", ("error",)),
    ({"MR": f"{WORST:.3f}"}, replace(KNOWN, protocol="standard"), "range", ()),
    ({"MR": f"{WORST + 1:.3f}"}, replace(KNOWN, protocol="standard"), "range", ("error", ", protocol standard")),
    ({"MR": "4.196517467498779", "z MR": "-4.196517467498779"}, OPEN, "",
     ("ZMR -4.1965175 is not a z-score of MR 4.1965175.", "It repeats the base value: it was never scaled.")),
    # What no tasks allow is an error without any.
    *[
        (row, context, "", ("error", inequality))
        for context in (OPEN, NO_DATASET)
        for row, inequality in (
            ({"AMRI": "1.002"}, "AMRI <= 1"), ({"AMRR": "1.31"}, "AMRR <= 1"), ({"AH@10": "104.1"}, "AH@10 <= 1"),
            ({"AMR": "-0.02"}, "AMR >= 0"),
            ({"nDCG": "0.23", "Hits@1": "0.241"}, "Hits@1 <= nDCG"), ({"nDCG": "0.40", "HMR": "2.4"}, "MRR <= nDCG"),
        )
    ],
    # What recommenders print: rr@k <= dcg@k <= hit@k, and hit@k at most log2(k + 1) dcg@k and k
    # rr@k; all grow with k.
    *[
        (row, OPEN, "", ("error", inequality))
        for row, inequality in (
            ({"nDCG@10": "0.55", "Hits@10": "0.53"}, "nDCG@10 <= Hits@10"),
            ({"MRR@10": "0.55", "Hits@10": "0.53"}, "MRR@10 <= Hits@10"),
            ({"MRR@10": "0.42", "nDCG@10": "0.40"}, "MRR@10 <= nDCG@10"),
            ({"MRR@10": "0.30", "MRR@5": "0.32"}, "MRR@5 <= MRR@10"),
            ({"nDCG@10": "0.30", "nDCG@5": "0.32"}, "nDCG@5 <= nDCG@10"),
            ({"Hits@10": "0.90", "nDCG@10": "0.10"}, "Hits@10 <= 3.45943 nDCG@10"),
            ({"Hits@10": "0.90", "MRR@10": "0.08"}, "Hits@10 <= 10 MRR@10"),
            ({"MRR@10": "0.35", "MRR": "0.338"}, "MRR@10 <= MRR"),
            ({"nDCG@10": "0.48", "nDCG": "0.46"}, "nDCG@10 <= nDCG"),
            ({"Hits@5": "0.50", "nDCG@10": "0.18"}, "Hits@5 <= 2.58496 nDCG@10"),
        )
    ],
    ({"nDCG@10": "0.55", "Recall@10": "0.53"}, OPEN, "", ("warning", "only if each task has one right answer")),
    ({"nDCG@10": "0.153", "Hits@10": "0.53", "MRR@10": "0.053", "MRR": "0.06", "nDCG@5": "0.153"}, OPEN, "", ("",)),
    *[
        ({"MRR": "0.30", "Hits@1": "0.50"}, context, "", ("error", "MRR >= Hits@1"))
        for context in (OPEN, KNOWN, replace(KNOWN, tool="rotate"))
    ],
    ({"AMRI": "1.0000000001", "AMR": "0.000", "AMRR": "-0.2"}, OPEN, "", ()),
    ({"MRR": "1", "AMRR": "1", "Hits@1": "1", "nDCG": "1", "AH@1": "1"}, OPEN, "", ("info", "a perfect model, or")),
    ({"MRR": "1", "Hits@10": "1"}, OPEN, "", ()),
    # Upper bounds need the number of candidates; under another protocol there could be more.
    ({"MR": "9000", "Hits@10": "0.533"}, OPEN, "", ()),
    ({"MR": "9000", "Hits@10": "0.533"}, KNOWN, "mr-from-hits",
     ("warning", "MR <= 10 Hits@10 + 14541 (1 - Hits@10)", "with at most 14,541 candidates.")),
    ({"MR": "9000", "Hits@10": "0.533"}, RAW, "mr-from-hits", ("error",)),
    ({"MR": "4.9", "Hits@10": "0.533"}, KNOWN, "mr-from-hits", ("error", "MR >= Hits@10 + 10.5 (1 - Hits@10)")),
    ({"MRR": "0.9", "Hits@10": "0.533"}, OPEN, "mrr-from-hits", ("error", "MRR <= Hits@10 + (1 - Hits@10)/10.5")),
    # WN18RR has 6,268 ranks under protocol standard, and 5,848 under pykeen; three digits fit any
    # number.
    (TWO, WN, "", ()),  # asked: they are fractions of the ranks of PyKEEN
    (NO_SHARES, WN, "", ("warning", "no 6,268 ranks have Hits@1", "or over sides, or other ranking tasks")),
    (TWO, replace(WN, tool="pykeen"), "", ()), ({name: text[:5] for name, text in TWO.items()}, WN, "", ()),
    (TWO, replace(WN, tool="pykeen", num_tasks=5847), "multiple-of-1/n", ("error", "the file states their number")),
    ({"Hits@1": "0.229111"}, TOOL, "", ("warning", "n Hits@1 is whole")),
    ({"Hits@1": "0.229111 ± 0.000001"}, TOOL, "", ()),
    ({"Hits@1": "0.229111"}, replace(TOOL, aggregation="macro_relation"), "", ()),
    (HALF, replace(TOOL, rank_type="optimistic"), "", ("warning", "n MR is whole")),
    (HALF, replace(TOOL, rank_type="realistic"), "", ()),
    *[(HALF, Address("nations", tool=tool), "sum-of-ranks", ("; n MR is whole",)) for tool in ("libkge", "kbc")],
    *[(HALF, Address("nations", tool=tool), "sum-of-ranks", ()) for tool in ("pykeen", "ogb")],
    # PyKEEN's AMRI of ComplEx (arXiv:2203.07544), of protocol pykeen whatever is assumed; and a
    # slip.
    (COMPLEX, KNOWN, "", ()), (COMPLEX, replace(KNOWN, protocol="pykeen"), "", ()),
    (COMPLEX | {"AMRI": "0.9433031751454628"}, KNOWN, "", ("warning", "Of another protocol? Name it with --protocol.")),
    # One impossible value: what it breaks beside other numbers follows from it.
    ({"MR": "177.3", "MRR": "0.43", "Hits@1": "0.23", "Hits@3": "0.50", "Hits@10": "0.97"}, TOOL, "", ("MR 177.3",)),
    ({"MR": "9000", "MRR": "0.0003", "Hits@10": "0.00000"}, KNOWN, "worse-than-random",
     ("info", "All metrics are: are scores sorted the wrong way?")),
    ({"MR": "9000", "MRR": "0.0003", "Hits@10": "0.4"}, KNOWN, "worse-than-random", ("info", "MR")),
]  # fmt: skip


@for_each(("row", "context", "rule", "words"), FOUND)
def test_findings(row: dict[str, str], context: Address, rule: str, words: tuple[str, ...]) -> None:
    found = find(row, rule=rule, context=context)
    shown = [
        f"{each.severity}; {each.inequality}; {each.statement}; {each.cause}" for each in found
    ]
    assert len(shown) == bool(words)
    assert all(word in text for text in shown for word in words), shown


def test_percentages_are_one_finding_for_a_column() -> None:
    rows = [{**row, "Hits@10": f"{100 * float(row['Hits@10']):.1f}"} for row in (ROTATE, WN18RR)]
    (finding,) = find(*rows)
    assert finding.statement == "2 values under Hits@10 beyond 1, up to 57.1."
    assert len(finding.values) == 2
    assert "--percent" in finding.cause
    assert find({**ROTATE, "MRR": "33.8%"}) == ()
    (finding,) = find({"AMRI": "97.5"}, {"AMRI": "98.1"})
    assert (finding.inequality, len(finding.values)) == ("AMRI <= 1", 2)
    assert finding.cause.startswith("Percentages without a sign, or")  # --percent is for shares
    assert find({"AMRI": "97.5%"}) == find({"AMRR": "33.8"}, user=PERCENT) == ()
    user = replace(PERCENT, dataset="nations", protocol="pykeen")
    expected = TABLES.constants("nations", "hits@10", protocol="pykeen").index(0.9652)
    row = {"Hits@10": "96.52", "AH@10": f"{100 * expected:.2f}"}
    assert find(row, user=user) == ()
    assert [each.rule for each in find({**row, "AH@10": "96.52"}, user=user)] == [
        "adjusted-mismatch"
    ]


def test_exchanged_columns_are_found_in_each_row() -> None:
    rows = [{**row, "Hits@1": row["Hits@10"], "Hits@10": row["Hits@1"]} for row in (ROTATE, WN18RR)]
    found = [finding for finding in find(*rows) if finding.rule == "hits-monotone"]
    assert [finding.line for finding in found] == [2, 2, 3, 3]
    assert all(finding.cause.endswith("or they are exchanged.") for finding in found)


@for_each(
    ("row", "severity"),
    [
        # Two runs, all ranks 1 and all ranks 2: HMR 1.5, MRR 0.75, IAMR 0.75, MR 1.5, MdR 1.5, IMdR
        # 0.75.
        ({"HMR": "1.5", "Hits@1": "0.5", "Hits@2": "1.0"}, "warning"),
        ({"HMR": "1.1", "Hits@1": "0.5", "Hits@2": "1.0"}, "error"),
        ({"IAMR": "0.85", "Hits@1": "0.5", "Hits@2": "1.0"}, "warning"),
        ({"MR": "1.4", "HMR": "1.5"}, "error"), ({"MR": "1.72", "HMR": "1.7"}, "warning"),
        ({"IAMR": "0.76", "MRR": "0.75"}, "error"), ({"IAMR": "0.9", "HMR": "1.5"}, "warning"),
    ],
)  # fmt: skip
def test_what_means_over_runs_can_be_is_no_error(row: dict[str, str], severity: str) -> None:
    exact = {name: f"{float(text):.7f}" for name, text in row.items()}
    assert {finding.severity for finding in find(exact)} == {severity}
    spread = {name: f"{text} ± 0.000001" for name, text in exact.items()}
    assert severity == "error" or find(spread) == ()


# 92.1 hits of 402, on average.
@for_each(
    ("column", "cell", "expected"),
    [
        *[("Hits@1 std", "0.004", 0), ("hits_at_1_std", "0.004", 0), ("Hits@1 std", "", 1), ("MRR gain", "", 1)],
        *[("runs", "5", 0), ("num_seeds", "3", 0), ("runs", "1", 1), ("seed", "5", 1), ("MRR", "0.31 ± 0.02", 0),
         ("train_seconds", "3.95", 1), ("parameter_count", "14976", 1), ("MRR std", "0.02", 0)],
        ("model", "Gain", 0),
    ],
)  # fmt: skip
def test_what_a_column_says_of_several_runs_counts(column: str, cell: str, expected: int) -> None:
    text = f"dataset,Hits@1,{column},num_tasks\nNations,0.2291045,{cell},402\n"
    found = apply_rules(read_document("results.csv", text), rules=["multiple-of-1/n"])
    assert sum(finding.severity == "error" for finding in found.findings) == expected


def test_a_finding_shows_digits_as_written() -> None:
    (finding,) = find({"Hits@10": "0.56512340"}, rule="multiple-of-1/n", context=WN)
    assert "have Hits@10 0.56512340" in finding.statement


@pytest.mark.parametrize("dataset", ["countries_s1", "nell_v1_ind"])
def test_where_no_batch_is_whole_nothing_was_ranked(dataset: str) -> None:
    """Countries has 24 triples; of NELL v1 ind the 100 of test make no batch."""
    reading = make_reading({"Hits@1": "0.123456"}, context=Address(dataset, tool="conve"))
    (note,) = apply_rules(reading).notes
    said = f"ConvE ranks whole batches of 128 triples only, and {dataset} test has fewer."
    assert note.endswith(said)


def test_whole_batches_alone_are_ranked() -> None:
    """Of WN18RR's 3,134 triples 24 batches, on both sides: 6,144 ranks."""
    for ranks, is_found in ((6144, False), (6268, True)):
        row, context = {"Hits@1": f"{2501 / ranks:.8f}"}, Address("wn18rr", tool="conve")
        assert bool(find(row, rule="multiple-of-1/n", context=context)) == is_found


@pytest.mark.parametrize(
    ("rank_type", "decimals"), take_turns(["optimistic", "realistic", "pessimistic"], [3, 6, None])
)
def test_numbers_of_equal_scores_are_recognised(rank_type: str, decimals: int | None) -> None:
    """Ranks of every task written out; with the ranks of another tie policy, or one other number,
    nothing is found.
    """
    ranks = {
        "optimistic": np.ones(len(COUNTS)),
        "realistic": (COUNTS + 1) / 2,
        "pessimistic": COUNTS.astype(float),
    }
    row = write(measure(ranks[rank_type], [1, 3, 10]), (False, decimals, False))
    stated, context = Address("nations", rank_type=rank_type), Address("nations")
    for each in (context, stated):
        (finding,) = find(row, rule="all-tied", context=each)
        assert finding.statement.endswith(f"scores all candidates alike, with {rank_type} ranks.")
        assert (finding.severity, len(finding.values)) == ("info", len(row))
    other = "realistic" if rank_type == "optimistic" else "optimistic"
    assert find(row, rule="all-tied", context=replace(stated, rank_type=other)) == ()
    assert find({**row, "MRR": "0.5"}, rule="all-tied", context=stated) == ()
    # Few digits tell nothing.
    few = {"Hits@1": "0.000"}, {"Hits@1": "0", "Hits@10": "1.0"}, {"MRR": "0.3"}, {"MRR": "1.000"}
    assert [find(each, rule="all-tied", context=context) for each in few] == [()] * 4


def test_values_are_cut_at_their_range_and_two_of_one_metric_are_none() -> None:
    first, *others = [
        measure_entry(entry) for entry in make_reading({"Hits@1": "0.00", "MR": "1.2"}).entries
    ]
    own = pick_base_values([first, *others])
    assert [m.interval.lower for m in own.values()] == pytest.approx([0, 1.15], abs=1e-5)
    for text, kept in (("0.00", 2), ("0.3", 1)):
        again = measure_entry(first.entry._replace(text=text, column="hits at one"))
        assert len(pick_base_values([first, *others, again])) == kept


@st.composite
def written(draw: st.DrawFn) -> tuple[bool, int | None, bool]:
    """How numbers are written: in 32 bits or not, with a few decimals or all, marked as exact or
    not.
    """
    decimals = draw(st.one_of(st.none(), st.integers(0, 9)))
    return draw(st.booleans()), decimals, decimals is None and draw(st.booleans())


def write(values: dict[str, float], how: tuple[bool, int | None, bool]) -> dict[str, str]:
    single, decimals, _ = how
    texts = {}
    for name, value in values.items():
        number = float(np.float32(value)) if single else value
        texts[name] = repr(number) if decimals is None else f"{number:.{decimals}f}"
    return texts


@st.composite
def evaluations(draw: st.DrawFn) -> tuple[dict[str, float], Address]:
    """Metrics of any ranks, whole or halves; the tie policy is told where they are whole,
    sometimes.
    """
    whole = draw(st.booleans())
    ends = draw(st.sampled_from([(1, 3), (1, 14), (1, 40_000)]))
    doubled = draw(st.lists(st.integers(2 * ends[0], 2 * ends[1]), min_size=1, max_size=12))
    ranks = np.array([d // 2 if whole else d / 2 for d in doubled], dtype=float)
    ks = draw(st.sets(st.integers(1, 50), max_size=4))
    context = Address(
        rank_type=draw(st.sampled_from([None, "optimistic" if whole else "realistic"])),
        num_tasks=draw(st.sampled_from([None, len(ranks)])),
    )
    return measure(ranks, sorted(ks)), context


@pytest.mark.slow
@given(st.lists(evaluations(), min_size=1, max_size=3), written())
def test_no_ranks_break_a_rule(
    found: list[tuple[dict[str, float], Address]], how: tuple[bool, int | None, bool]
) -> None:
    rows = [write(values, how) for values, _ in found]
    reading = make_reading(*rows, context=[context for _, context in found], exact=how[2])
    # Of ranks that are all 1, a note says so; it breaks no rule.
    assert [each for each in apply_rules(reading).findings if each.statement != PERFECT] == []


@st.composite
def on_nations(draw: st.DrawFn) -> np.ndarray:
    """Ranks on the tasks of Nations: anything between all first and all last."""
    rng, power = np.random.default_rng(draw(st.integers(0, 2**32))), st.sampled_from([0, 0.3, 1, 3])
    share = rng.random(len(COUNTS)) ** draw(power)
    step = draw(st.sampled_from([0.5, 1.0]))
    ranks: np.ndarray = 1 + np.floor(share * (COUNTS - 1) / step) * step
    return ranks


NO_SLIPS = {"worse-than-random", "below-counting", "beyond-published", "all-tied"}
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
    context = Address(num_tasks=len(ranks) if state else None)
    reading = make_reading(write(values, how), context=context, exact=how[2])
    rules = [rule for rule in RULES if rule not in NO_SLIPS]
    assert apply_rules(reading, PYKEEN, rules=rules).findings == ()


@given(
    runs=st.lists(on_nations(), min_size=2, max_size=5), how=written(), on_benchmark=st.booleans()
)
def test_means_over_runs_are_no_errors(
    runs: list[np.ndarray], how: tuple[bool, int | None, bool], on_benchmark: bool
) -> None:
    """Not even those of HMR, IAMR or MdR, which no single run could have."""
    every = [measure(ranks) for ranks in runs]
    values = {name: float(np.mean([each[name] for each in every])) for name in every[0]}
    reading = make_reading(write(values, how), exact=how[2])
    found = apply_rules(reading, PYKEEN if on_benchmark else OPEN)
    assert [finding for finding in found.findings if finding.severity == "error"] == []
    averaged = make_reading({name: f"{text} ± 0.1" for name, text in write(values, how).items()})
    assert apply_rules(averaged).findings == ()


@given(st.integers(0, 2**32), written())
def test_a_random_ranker_is_not_worse_than_random(
    seed: int, how: tuple[bool, int | None, bool]
) -> None:
    ranks = np.random.default_rng(seed).integers(1, COUNTS + 1).astype(float)
    rules = [rule for rule in RULES if rule != "below-counting"]
    assert apply_rules(make_reading(write(measure(ranks), how)), PYKEEN, rules=rules).findings == ()


def test_rules_are_chosen_by_any_spelling_and_unknown_ones_refused() -> None:
    reading = make_reading({**ROTATE, "Hits@3": "0.575", "MR": "2.5"})
    assert len({finding.rule for finding in apply_rules(reading).findings}) > 1
    (finding,) = apply_rules(reading, rules=["Hits monotone"]).findings
    assert finding.rule == "hits-monotone"
    with pytest.raises(UnknownNameError, match=r"'hits-monotony'\. Did you mean hits-monotone"):
        apply_rules(reading, rules=["hits-monotony"])


def test_evaluations_with_the_same_question_share_it() -> None:
    contexts = [Address(model=model, num_tasks=123_457) for model in "ABCDE"]
    found = apply_rules(make_reading(*[{"MRR": "0.3"}] * 5, context=contexts))
    assert ["no dataset is named" in note for note in found.notes] == [True]
    (question,) = apply_rules(make_reading(*[{"MRR": "0.3"}] * 5, context=contexts), KNOWN).asked
    assert "there are 40,932 ranks, not 123,457" in question.text
    assert len(question.numbers) == 5
