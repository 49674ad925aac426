"""Tools that publish results: how each evaluates, with the evidence.

A tool names a protocol, and says what else sets its numbers apart. A new one is a new row.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rankconst.catalogue.protocols import PROTOCOLS
from rankconst.catalogue.spelling import Names, require_text
from rankconst.errors import DataError, UnknownNameError
from rankconst.names import squash

if TYPE_CHECKING:
    from collections.abc import Mapping


_SORTED = "the order that sorting leaves, which is not deterministic"


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool, or a collection of results, with the way it evaluates."""

    key: str  # what users type
    title: str  # its own name
    reference: str  # the publication or page to cite
    protocol: str = "standard"  # the key of its protocol
    ties: str = _SORTED  # how it ranks a true answer among others of the same score
    nan_scores: str = ""  # what it makes of scores that are not numbers, where that was tried
    # False if ties can make its ranks halves, as the mean of the best and the worst one.
    whole_ranks: bool = True
    repositories: tuple[str, ...] = ()  # whose numbers are evaluated so, as owner/name
    caveats: tuple[str, ...] = ()  # whole sentences on what users of its numbers must know
    # The one of them that can change a number today, in a few words; None if none can.
    effect: str | None = None
    # Where its own text or code says so: addresses of files at a commit, and of issues.
    evidence: tuple[str, ...] = ()
    # The side that it ranks, where its output does not say; None if it ranks both.
    side: str | None = None
    # What is added to its numbers, by a metric's label: to a mean rank that counts from 0.
    shifts: Mapping[str, float] = field(default_factory=dict, hash=False)
    # If it ranks whole batches only, their size; the last, incomplete batch is left out.
    batch: int | None = None
    # Dataset, squashed, to the reason why the tool's numbers on that dataset cannot be adjusted.
    refused: Mapping[str, str] = field(default_factory=dict, hash=False)
    # Key of a benchmark to that of another that the tool calls by its names.
    means: Mapping[str, str] = field(default_factory=dict, hash=False)
    # Key of a benchmark to what the tool's test set is there; to the side that it ranks there.
    test_sets: Mapping[str, str] = field(default_factory=dict, hash=False)
    sides: Mapping[str, str] = field(default_factory=dict, hash=False)
    programs: tuple[str, ...] = ()  # the names of others that evaluate by its code
    # Side to the reason why none of the tool's numbers is of it; the same for protocols.
    unranked: Mapping[str, str] = field(default_factory=dict, hash=False)
    unfit: Mapping[str, str] = field(default_factory=dict, hash=False)
    # The labels of metrics that its macro averages leave unweighted; of others, why they cannot
    # be adjusted there.
    unweighted: frozenset[str] = frozenset()
    unmade: Mapping[str, str] = field(default_factory=dict, hash=False)

    def refusal(self, dataset: str) -> str | None:
        """Return why the tool's numbers on a dataset cannot be adjusted; None if they can."""
        return self.refused.get(squash(dataset))

    def find_split(self, dataset: str, split: str) -> str:
        """Return the split that the tool evaluates as one on a benchmark; DataError for none."""
        own = self.test_sets.get(dataset)
        if own is None or split == own:
            return split
        if split == "test":
            return own
        raise DataError(
            f"{self.title} evaluates {own} of {dataset} as its test set, "
            "and validates on the graph that models are trained on. "
            "Leave out the tool to adjust numbers of another program."
        )

    def find_side(self, dataset: str) -> str:
        """Return the side that the tool ranks on a benchmark, given by its key."""
        return self.sides.get(dataset) or self.side or "both"

    def find_usual(self, dataset: str, split: str, side: str) -> tuple[str, str]:
        """Return split and side, those of the usual test where the tool has its own."""
        is_test = self.test_sets.get(dataset) == split
        is_whole = self.find_side(dataset) == side
        return ("test" if is_test else split), ("both" if is_whole else side)


def _files(repository: str, *places: str) -> tuple[str, ...]:
    """Return the addresses of some files, each given by a commit and its path there."""
    return tuple(f"https://github.com/{repository}/blob/{place}" for place in places)


_WORST = "worst: behind every candidate with the same score"
_BEST = "best: before every candidate with the same score"

_SAMPLED_REMEDY = (
    "Find out how many negatives each true answer was ranked among, M, and how many "
    "tasks were ranked, N; then adjust with --protocol sampled:M and --num-tasks N, without --tool."
)
_OTHER_PROGRAM = (
    "Leave out --side; or, if another program computed them, "
    "name its protocol in place of the tool."
)
_INDUCTIVE = (
    "NBFNet filters inductive benchmarks by the facts of the inference graph alone, "
    "not by the other triples, and its hits@10_50 is an estimate of "
    "Hits@10 among 50 negatives drawn with replacement: no full protocol fits. For hits@10_50 see "
    "`rankconst show sampled:50:replacement`; what adjusts by sampled:50 comes close, but for z."
)

# GraIL's graphs as they are named; papers mean the test on the inference graph.
_GRAIL = [
    f"{graph}_v{version}" for graph in ("fb15k237", "wn18rr", "nell") for version in range(1, 5)
]
_SPARSE = ("wdsinger", "nell23k", "fb15k237_10", "fb15k237_20", "fb15k237_50")

TOOLS: dict[str, Tool] = {
    tool.key: tool
    for tool in (
        Tool(
            key="rotate",
            title="RotatE",
            reference="Sun et al. 2019, RotatE, arXiv:1902.10197",
            repositories=("DeepGraphLearning/KnowledgeGraphEmbedding", "MIRALab-USTC/KGE-HAKE"),
            caveats=(
                (
                    "Both sides are ranked and their 2n ranks averaged; "
                    "the validation set is filtered by the test set as well."
                ),
                (
                    "HAKE (Zhang et al. 2020, "
                    "arXiv:1911.09419) evaluates by code derived from RotatE's."
                ),
            ),
            evidence=(
                *_files(
                    "DeepGraphLearning/KnowledgeGraphEmbedding",
                    "2e440e0f9c687314d5ff67ead68ce985dc446e3a/README.md",
                ),
                *_files(
                    "MIRALab-USTC/KGE-HAKE", "13577df894c07fdd5be01fe13474775903acf929/README.md"
                ),
            ),
        ),
        Tool(
            key="libkge",
            title="LibKGE",
            protocol="libkge",
            ties=(
                "the mean of the best and worst rank, halves rounded up; "
                "scores within 0.0001 of each other are equal"
            ),
            nan_scores="that of equal scores among all entities, known answers included",
            reference=(
                "Broscheit et al. 2020, LibKGE, "
                "EMNLP demonstrations, aclanthology.org/2020.emnlp-demos.22"
            ),
            repositories=("uma-pi1/kge",),
            caveats=(
                (
                    "The validation set is filtered by the training and validation sets, "
                    "the test set by all three; validation metrics whose names end "
                    "in _filtered_with_test are filtered by all three, as under protocol standard."
                ),
                "Triples with entities unseen in training are ranked like all others.",
            ),
            evidence=_files("uma-pi1/kge", "9bca31fefbfc41d48fdc03396acd0cf42eee9dc4/README.md"),
            refused={
                "freebase": (
                    "LibKGE's numbers on Freebase come from Dist-KGE and GraSH, "
                    "where a graph of 86 million entities is evaluated on samples, "
                    f"and the table does not say on which. {_SAMPLED_REMEDY}"
                )
            },
        ),
        Tool(
            key="pykeen",
            title="PyKEEN",
            protocol="pykeen",
            ties=(
                "realistic, the mean of best and worst rank; "
                "metrics named optimistic take the best, pessimistic ones the worst"
            ),
            whole_ranks=False,
            nan_scores=(
                "no candidate is counted: realistic MRR 2, MR 0.5 and Hits@k 1; "
                "with all of its metrics, an error"
            ),
            reference="Ali et al. 2021, PyKEEN 1.0, JMLR 22(82)",
            repositories=(
                "pykeen/pykeen",
                "pykeen/ranking-metrics-manuscript",
                "ffabious/pykeen-kge-bench",
            ),
            effect=(
                "PyKEEN drops test triples with unseen entities, so its number is of fewer tasks."
            ),
            caveats=(
                (
                    "Triples with entities or relations unseen in training are dropped, "
                    "and such entities are not candidates; "
                    "so the number is not comparable with a number on the whole test set."
                ),
                (
                    "The adjusted values in its results of 1.5 and later are right, "
                    "but for AMRR before 1.8.0, which took ln(N)/(N-1) for the expectation of MRR, "
                    "and the last digits of z of GMR; "
                    "what is computed with get_candidate_set_size or the table that it published "
                    "(doi:10.5281/zenodo.6331629) counts one candidate too few in each task."
                ),
                (
                    "MacroRankBasedEvaluator of 1.11.1 leaves VR, "
                    "SDR and MAD unweighted, MAD without the factor 1.4826, and counts ranks; "
                    "--aggregation macro-query adjusts VR and SDR accordingly, and leaves MAD out."
                ),
                (
                    "Up to version 1.4.0 its AMR was the mean of rank over expected rank, "
                    "and the test set was filtered without the validation set: "
                    "protocol pykeen-train+test, of which you build the tables yourself."
                ),
            ),
            evidence=(
                *_files(
                    "ffabious/pykeen-kge-bench",
                    (
                        "58c44df1d9279b773d0ed185692ab48ee399dba3/"
                        "results/complete/benchmark_results.csv"
                    ),
                ),
                *_files(
                    "pykeen/pykeen",
                    (
                        "f2837386f37e8d69a2cad3bc2f5e4740ec5a255b/"
                        "src/pykeen/evaluation/rank_based_evaluator.py"
                    ),
                ),
            ),
            unweighted=frozenset({"VR", "SDR"}),
            unmade={
                "MAD": (
                    "PyKEEN 1.11.1's macro evaluator leaves MAD "
                    "unweighted and without the factor 1.4826: there are no constants for that. "
                    "Multiplied by 1.4826 it is that of --aggregation micro."
                ),
            },
            unranked={
                "relation": (
                    "PyKEEN ranks heads and tails only: "
                    f"it has no evaluation of relations, and 1.11.1 refuses one. {_OTHER_PROGRAM}"
                )
            },
        ),
        Tool(
            key="ampligraph",
            title="AmpliGraph",
            protocol="pykeen",
            ties=_WORST,
            nan_scores="the worst rank",
            reference="Costabello et al. 2019, AmpliGraph, doi:10.5281/zenodo.2595043",
            repositories=("Accenture/AmpliGraph",),
            effect=(
                "AmpliGraph drops test triples with unseen entities; "
                "its unfiltered ranks are one too large."
            ),
            caveats=(
                (
                    "Without a filter, its default, or with one that lacks the test set, every "
                    "rank of version 2.2.0 is one too large: a perfect model has MR 2 and Hits@1 0."
                ),
                (
                    "Scores tie if they are within 0.001; "
                    "the strategies best and middle give ranks below 1."
                ),
                (
                    "Triples with entities unseen in training are "
                    "dropped (28 of the test set of FB15k-237, 210 of WN18RR's, 18 of YAGO3-10's); "
                    "so the number is not comparable with a number on the whole test set."
                ),
                (
                    "Ties are ranked worst: "
                    "a model whose scores often tie looks worse than under the mean rank."
                ),
            ),
            evidence=(
                *_files(
                    "Accenture/AmpliGraph",
                    "260a732f40cd2178773707963242331808de8e2d/docs/experiments.rst",
                ),
                *_files(
                    "Accenture/AmpliGraph",
                    "71716acaf30d6dba054a37a74d945ddbcb65beb6/ampligraph/latent_features/models/"
                    "ScoringBasedEmbeddingModel.py",
                ),
            ),
            unfit={
                "raw": (
                    "without a filter every rank of AmpliGraph 2.2.0 is one too large. Subtract "
                    "1 from its MR, and leave out --tool; its MRR and Hits@k cannot be repaired."
                )
            },
        ),
        Tool(
            key="conve",
            title="ConvE",
            reference="Dettmers et al. 2018, ConvE, arXiv:1707.01476",
            repositories=("TimDettmers/ConvE",),
            effect="ConvE drops the last, incomplete batch of 128 triples; the ranges cover that.",
            caveats=(
                (
                    "Only whole batches of 128 triples are ranked: the last, "
                    "incomplete batch is dropped, and which triples are in it is not known. "
                    "Intervals are widened by what that leaves open: "
                    "on FB15k-237 and WN18RR that of the index of MRR and Hits@k "
                    "by less than 0.000002 to either side, of MR by less than 0.0017 (1 - AMRI)."
                ),
                (
                    "What its logs call left ranks tails, given head and relation; "
                    "what they call right ranks heads."
                ),
                (
                    "Known answers are given score 0 instead of being removed: "
                    "the same, as long as no score is 0."
                ),
            ),
            evidence=_files(
                "TimDettmers/ConvE",
                "f3c0eb286025410fa5b4c04696c918264163d0ca/README.md",
                "14db6609ae216f86b1d19d5b6b0c6048cc3e40b0/evaluation.py",
            ),
            batch=128,
        ),
        Tool(
            key="tucker",
            title="TuckER",
            reference="Balazevic et al. 2019, TuckER, arXiv:1901.09590",
            repositories=("ibalazevic/TuckER",),
            caveats=(
                (
                    "Heads are ranked as tails of reversed triples; "
                    "both sides are pooled, the validation set is filtered by the test set as well."
                ),
                (
                    "Known answers are given score 0 instead of being removed: "
                    "the same, as long as no score is 0."
                ),
            ),
            evidence=_files(
                "ibalazevic/TuckER",
                "1c75f43061535a1a3c4040fd6bc74bd04eec0210/README.md",
                "01fa1bc06d49ad82571dbdf4f16dc6bf4c45f6a5/main.py",
            ),
        ),
        Tool(
            key="kbc",
            title="kbc",
            ties=_WORST,
            reference=(
                "Lacroix et al. 2018, "
                "Canonical tensor decomposition for knowledge base completion, arXiv:1806.07297"
            ),
            repositories=("facebookresearch/kbc",),
            caveats=(
                (
                    "The mean of the two sides is published, which for MRR and Hits@k is that "
                    "of the pooled ranks; the validation set is filtered by the test set as well."
                ),
                (
                    "Numbers on the training set that "
                    "it prints while training are of 50,000 random triples."
                ),
            ),
            evidence=_files(
                "facebookresearch/kbc",
                "478a10793c22f22e15d295acee1091ded3286872/kbc/models.py",
                "729f18342f7e44de6c2d1aa19c28bdd4314d7ff2/kbc/datasets.py",
                "729f18342f7e44de6c2d1aa19c28bdd4314d7ff2/kbc/process_datasets.py",
            ),
        ),
        Tool(
            key="torchkge",
            title="TorchKGE",
            ties=f"{_WORST}; in early versions best",
            nan_scores="Hits@k 1, MR 0 and an infinite MRR",
            reference="Boschin 2020, TorchKGE, arXiv:2009.02963",
            repositories=("torchkge-team/torchkge",),
            effect=(
                "TorchKGE cuts off the decimals of the mean rank; "
                "its unfiltered numbers need --protocol raw."
            ),
            caveats=(
                (
                    "The mean of the two sides is published, which for MR, MRR and Hits@k is "
                    "that of the pooled ranks; its own splits keep the known answers of all three, "
                    "so the validation set is filtered by the test set as well."
                ),
                (
                    "Its print_results cuts off the decimals of the mean rank: "
                    "400 may be anything from 400 up to 401."
                ),
                "Numbers without Filt. in front are of protocol raw.",
                "Its RelationPredictionEvaluator prints the same lines: add --side relation.",
            ),
            evidence=_files(
                "torchkge-team/torchkge",
                "001a7ec7a3b80a924c40869b3289aeb8f1d867a3/torchkge/data_structures.py",
                "f53c9947fb53a63f1f81782f8f7d989afd3b757c/torchkge/utils/operations.py",
                "0a61fc67868c008a4456a2ad84f65fb9a18e1daf/torchkge/utils/operations.py",
                "0a7eda94dfc0e00ade6a603dbab653924408d384/torchkge/evaluation/link_prediction.py",
            ),
        ),
        Tool(
            key="nbfnet",
            title="NBFNet",
            ties=_WORST,
            reference="Zhu et al. 2021, Neural Bellman-Ford networks, arXiv:2106.06935",
            repositories=("DeepGraphLearning/NBFNet",),
            caveats=(
                "Both sides are pooled; the validation set is filtered by the test set as well.",
                "On ogbl-biokg it ranks among OGB's 500 negatives, by OGB's evaluator.",
            ),
            evidence=(
                *_files(
                    "DeepGraphLearning/NBFNet",
                    "eb49ff2770d1629edb04e96c9a6d7fee809097f2/nbfnet/task.py",
                    "6aa340250e67b4d959962d95859f554e3aea1591/nbfnet/dataset.py",
                ),
                *_files(
                    "DeepGraphLearning/torchdrug",
                    "01f4eaf6859ecb07178593ad2e18a9f39b1fdc2c/torchdrug/tasks/reasoning.py",
                ),
            ),
            refused={
                f"{graph}v{version}ind": _INDUCTIVE
                for graph in ("fb15k237", "wn18rr")
                for version in range(1, 5)
            },
        ),
        Tool(
            key="openke",
            title="OpenKE",
            ties=_BEST,
            nan_scores="rank 1",
            reference="Han et al. 2018, OpenKE, EMNLP demonstrations, aclanthology.org/D18-2024",
            repositories=("thunlp/OpenKE",),
            effect=(
                "OpenKE ranks the true answer first among equal scores, "
                "which favours models that tie."
            ),
            caveats=(
                (
                    "Ranks are optimistic: only candidates with a strictly better score "
                    "are before the true answer. Chance constants hold where scores do not tie; "
                    "a model that scores everything alike gets rank 1 everywhere."
                ),
                (
                    "Results under type constraint, which is off by default, "
                    "rank fewer candidates than protocol standard, "
                    "and the tables have no constants for them; "
                    "`rankconst.from_counts` takes the candidate counts."
                ),
            ),
            evidence=_files(
                "thunlp/OpenKE",
                "64c4ec8157abfc39112772e9825a349091da45f1/README.md",
                "3b7f0b19441f11d6bc9331e8d1001a056f759f00/openke/base/Test.h",
            ),
        ),
        Tool(
            key="dglke",
            title="DGL-KE",
            ties=_WORST,
            reference="Zheng et al. 2020, DGL-KE, arXiv:2004.08532",
            repositories=("awslabs/dgl-ke",),
            effect="DGL-KE's numbers with --neg_sample_size_eval need --protocol sampled:M.",
            caveats=(
                (
                    "Evaluations with --neg_sample_size_eval rank among sampled negatives: "
                    "adjust them with --protocol sampled:M. "
                    "Without it, all entities are ranked on both sides and known "
                    "answers of all splits removed, unless --no_eval_filter is set (protocol raw)."
                ),
            ),
            evidence=(
                *_files(
                    "awslabs/dgl-ke",
                    "1da726cf3e5a96f11f996c1b63ab9a978e2fee19/docs/source/benchmarks.rst",
                    (
                        "02923bdbf21bfa9958557bcc768198ef53305eab/"
                        "python/dglke/models/general_models.py"
                    ),
                ),
                "https://github.com/awslabs/dgl-ke/issues/110",
                "https://github.com/awslabs/dgl-ke/issues/93",
            ),
            refused={
                "freebase": (
                    "DGL-KE's numbers on Freebase rank among sampled negatives, "
                    "not among its 86,054,151 entities, "
                    f"and the table does not say among how many. {_SAMPLED_REMEDY}"
                )
            },
        ),
        Tool(
            key="ogb",
            title="OGB",
            protocol="sampled:500",
            ties=(
                "the mean of best and worst rank since ogb 1.3.4; "
                "before, the order that sorting leaves, which favours the true answer"
            ),
            whole_ranks=False,
            nan_scores="rank 1: MRR and Hits@k are 1",
            reference="Hu et al. 2020, Open Graph Benchmark, arXiv:2005.00687",
            repositories=("snap-stanford/ogb", "paperswithcode/sota-extractor"),
            effect=(
                "OGB has 500 negatives on ogbl-wikikg2 and ogbl-biokg only; "
                "elsewhere name --protocol."
            ),
            caveats=(
                (
                    "On ogbl-wikikg2 and ogbl-biokg each true answer has 501 candidates a side: "
                    "itself and 500 negatives that come with the data. "
                    "Nothing follows from that about ranks among all entities."
                ),
                (
                    "Of the repository paperswithcode/sota-extractor "
                    "only data/tasks/ogb.json is evaluated so."
                ),
                (
                    "On ogbl-citation2 it has 1,000 negatives, on the tail side alone: "
                    "adjust that with --protocol sampled:1000."
                ),
                (
                    "On ogbl-collab, ogbl-ppa and ogbl-ddi "
                    "all true edges share one list of negatives: protocol sampled:M:shared. "
                    "Only edges that score better than the k-th negative are hits, "
                    "so that a model which scores everything alike has none."
                ),
            ),
            evidence=(
                *_files(
                    "paperswithcode/sota-extractor",
                    "e6374da129cedab1736e97883bfbcddb7ddd2a72/data/tasks/ogb.json",
                ),
                *_files(
                    "snap-stanford/ogb",
                    "87277f2e56190cc74808b155bdaa357273fd42d3/ogb/linkproppred/evaluate.py",
                    "1b89f1b4d8e0593748f8730a6023d82a1020c59e/ogb/linkproppred/evaluate.py",
                ),
            ),
            refused={
                "ogblddi": (
                    "OGB ranks all true edges of ogbl-ddi against one list of about 100,000 "
                    "negatives. Adjust Hits@k with --protocol sampled:M:shared and --num-tasks N, "
                    "without --tool and --dataset; "
                    "M is the number of rows of edge_neg, N that of edge."
                )
            },
        ),
        Tool(
            key="pyg",
            title="PyTorch Geometric",
            protocol="raw",
            nan_scores="as equal scores",
            reference="Fey and Lenssen 2019, PyTorch Geometric, arXiv:1903.02428",
            repositories=("pyg-team/pytorch_geometric",),
            effect=(
                "PyTorch Geometric ranks tails only and filters nothing; "
                "1 is added to its mean rank."
            ),
            caveats=(
                "KGEModel.test ranks tails only and removes no known answers.",
                "Its mean rank counts from 0: 1 is added before it is adjusted.",
            ),
            evidence=_files(
                "pyg-team/pytorch_geometric",
                "7c7842c941862024bc5759c44af6dbda215fef79/torch_geometric/nn/kge/base.py",
            ),
            side="tail",
            shifts={"MR": 1},
            unranked={
                "relation": (
                    "PyTorch Geometric's KGEModel.test ranks tails only, "
                    f"no relations. {_OTHER_PROGRAM}"
                )
            },
        ),
        Tool(
            key="simkgc",
            title="SimKGC",
            reference="Wang et al. 2022, SimKGC, arXiv:2203.02167",
            repositories=("intfloat/SimKGC",),
            caveats=(
                (
                    "What it calls forward ranks tails, backward heads; "
                    "their average is that of the pooled ranks."
                ),
                (
                    "Entities near the given one in the graph get a higher score; "
                    "that is part of the model."
                ),
            ),
            evidence=_files(
                "intfloat/SimKGC", "4a2dec9632230ce81be25451e8eed5b1f0ba4577/evaluate.py"
            ),
        ),
        Tool(
            key="compgcn",
            title="CompGCN",
            reference="Vashishth et al. 2020, CompGCN, arXiv:1911.03082",
            repositories=("malllabiisc/CompGCN",),
            caveats=("It prints the mean of the two sides, which is that of the pooled ranks.",),
            evidence=_files(
                "malllabiisc/CompGCN", "0a8bea985cacac2cda147b3a354e61e6679f6dfa/run.py"
            ),
        ),
        Tool(
            key="grail",
            title="GraIL",
            protocol="sampled:49",
            reference=(
                "Teru et al. 2020, "
                "Inductive relation prediction by subgraph reasoning, arXiv:1911.06962"
            ),
            repositories=("kkteru/grail",),
            effect="GraIL's numbers of --mode all are among all entities: name their protocol.",
            caveats=(
                (
                    "Each true answer is ranked among 50 entities: itself and 49 that are drawn; "
                    "both sides are pooled. With --mode all it is ranked among all entities."
                ),
                (
                    "Only known answers of train.txt are never drawn. "
                    "The same entity may be drawn twice, so that sampled:49 comes close, but for z."
                ),
            ),
            means={name: f"{name}_ind" for name in _GRAIL},
            evidence=_files(
                "kkteru/grail", "7180a5208e33e69226e7f5eebee220999d0a959e/test_ranking.py"
            ),
        ),
        Tool(
            key="ultra",
            title="ULTRA",
            ties=_WORST,
            reference=(
                "Galkin et al. 2024, "
                "Towards foundation models for knowledge graph reasoning, arXiv:2310.04562"
            ),
            repositories=(
                "DeepGraphLearning/ULTRA",
                "yuchengz99/TRIX",
                "HxyScotthuang/MOTIF",
                "arvindh75/semma",
            ),
            programs=("TRIX", "MOTIF", "SEMMA"),
            effect=(
                "ULTRA ranks valid and test of GraIL's graphs together, "
                "and tails alone on five sparse graphs."
            ),
            caveats=(
                (
                    "On GraIL's graphs its test set is the validation "
                    "and test triples of the inference graph together, split valid+test here; "
                    "it validates on the graph that models are trained on. An option of its code, "
                    "merge_valid_test=False, leaves valid out of the test set and of the filter: "
                    "that is protocol train+test, without the tool."
                ),
                (
                    "On WD-singer, NELL23K and the three samples of FB15k-237 its papers "
                    "print numbers of tails alone, in its files those whose names end in -tail. "
                    "Its run_many.py writes numbers of "
                    "both sides unless the configuration has such names: add --side both for these."
                ),
                "Its NELL-995 is that of RED-GNN, nell995_redgnn.",
                (
                    "On the graphs of HM and MTDEA "
                    "it validates on the graph that models are trained on, as the tables do."
                ),
                (
                    "Its hits@10_50 is an estimate of Hits@10 among 50 "
                    "negatives drawn with replacement; see `rankconst show sampled:50:replacement`."
                ),
                "TRIX, MOTIF and SEMMA evaluate by its code.",
            ),
            evidence=(
                *_files(
                    "DeepGraphLearning/ULTRA",
                    "68433c19a465735ae59f7f947e6dd062bab7b445/ultra/datasets.py",
                    "04d5c13a440a1b72be3a0208fcc92e7242cab7a5/ultra/datasets.py",
                    "427966ad8ed60420eef034063d44f3153addff90/script/run_many.py",
                    "427966ad8ed60420eef034063d44f3153addff90/ultra/tasks.py",
                    "427966ad8ed60420eef034063d44f3153addff90/README.md",
                ),
                *_files(
                    "yuchengz99/TRIX",
                    "1bbc3afa1ccdd56f2dfe9fb2e958425014e206b4/src/trix/datasets.py",
                    "1bbc3afa1ccdd56f2dfe9fb2e958425014e206b4/src/run_entity.py",
                ),
                *_files(
                    "HxyScotthuang/MOTIF",
                    "f8239a2f9f0d2db457c04582d1219e936b0c3da6/motif/datasets.py",
                    "f8239a2f9f0d2db457c04582d1219e936b0c3da6/script/run_many.py",
                ),
                *_files(
                    "arvindh75/semma",
                    "ed525ac19085e61a66f6a3acfdf86e29fa3e5841/ultra/datasets.py",
                    "ed525ac19085e61a66f6a3acfdf86e29fa3e5841/script/run_many.py",
                    (
                        "ed525ac19085e61a66f6a3acfdf86e29fa3e5841/"
                        "config/transductive/inference-fb.yaml"
                    ),
                ),
            ),
            means={
                **{name: f"{name}_ind" for name in _GRAIL},
                "nell995": "nell995_redgnn",
                "hetionet": "hetionet_ultra",
            },
            test_sets={f"{name}_ind": "valid+test" for name in _GRAIL},
            sides=dict.fromkeys(_SPARSE, "tail"),
        ),
        Tool(
            key="dicee",
            title="DICE Embeddings",
            nan_scores="as equal scores",
            reference=(
                "Demir and Ngonga Ngomo 2022, Hardware-agnostic computation "
                "for large-scale knowledge graph embeddings, doi:10.1016/j.simpa.2022.100377"
            ),
            repositories=("dice-group/dice-embeddings",),
            caveats=(
                (
                    "In 0.3.3 heads are ranked as tails of reciprocals; "
                    "eval_report.json has the numbers of each split."
                ),
            ),
            evidence=_files(
                "dice-group/dice-embeddings",
                "c12e04587254a8433671975924d12c478976a30a/dicee/evaluator.py",
            ),
        ),
        Tool(
            key="tgb",
            title="TGB",
            protocol="sampled:20",
            ties="the mean of best and worst rank",
            whole_ranks=False,
            nan_scores="rank 1: MRR and Hits@10 are 1",
            reference="Huang et al. 2023, Temporal graph benchmark, arXiv:2307.01026",
            repositories=("shenyangHuang/TGB",),
            effect="TGB has 20 negatives on some data sets only; elsewhere name --protocol.",
            caveats=(
                (
                    "Its own negatives: 20 on tgbl-comment, "
                    "coin and flight, 100 on tgbl-review and thgl-forum, 1,000 on thgl-software, "
                    "all entities on tgbl-wiki and tkgl: add --protocol sampled:M or time-aware."
                ),
                "Whatever metric is asked for, the evaluator of 2.3.0 returns MRR and Hits@10.",
                "It ranks destinations only; tkgl data sets hold each fact reversed as well.",
            ),
            evidence=_files(
                "shenyangHuang/TGB",
                "67354c9d2b7b98c29b2bb4de335023652dcc6095/tgb/linkproppred/evaluate.py",
            ),
        ),
        Tool(
            key="neuralkg",
            title="NeuralKG",
            reference="Zhang et al. 2022, NeuralKG, arXiv:2202.12571",
            repositories=("zjukg/NeuralKG",),
            caveats=(
                (
                    "The mean of the two sides is published, "
                    "which for MR, MRR and Hits@k is that of the pooled ranks."
                ),
            ),
            evidence=_files(
                "zjukg/NeuralKG",
                (
                    "f8667396344d6f3464f770331d27d6253f06575c/"
                    "src/neuralkg/eval_task/link_prediction.py"
                ),
            ),
        ),
        Tool(
            key="biggraph",
            title="PyTorch-BigGraph",
            ties=_WORST,
            reference="Lerer et al. 2019, PyTorch-BigGraph, arXiv:1903.12287",
            repositories=("facebookresearch/PyTorch-BigGraph",),
            effect="PyTorch-BigGraph filters by its example for FB15k only; else name --protocol.",
            caveats=(
                (
                    "Its example for FB15k ranks all entities, and removes the known answers of "
                    "all three splits unless it is run with --no-filtered."
                ),
                (
                    "Other evaluations rank among the negatives of the configuration, from the "
                    "batch and drawn uniformly, of which none is removed: the tables have no "
                    "constants for them. It prints Hits@k as r1, r10 and r50."
                ),
            ),
            evidence=_files(
                "facebookresearch/PyTorch-BigGraph",
                "f4a819bc2364550f97b82bc237a0b4692233205b/torchbiggraph/eval.py",
                "f4a819bc2364550f97b82bc237a0b4692233205b/torchbiggraph/filtered_eval.py",
                "14395caf44cae5ad7639e86a30462d08163f88ff/torchbiggraph/examples/fb15k.py",
            ),
        ),
        Tool(
            key="regcn",
            title="RE-GCN",
            protocol="time-aware",
            reference="Li et al. 2021, RE-GCN, arXiv:2104.10353",
            repositories=("Lee-zix/RE-GCN",),
            effect=(
                "RE-GCN's raw_ent needs --protocol raw; "
                "its raw_rel and filter_rel need --side relation."
            ),
            caveats=(
                (
                    "It prints raw_ent, which is protocol raw, and filter_ent, "
                    "which is time-aware: known answers of the evaluated split at the same time, "
                    "which in a forecasting split are all that there are."
                ),
                (
                    "Heads are ranked as tails of inverse relations; both sides are pooled. "
                    "raw_rel and filter_rel rank relations and their inverses: add --side relation."
                ),
                (
                    "Papers that cite it report filtered numbers of three kinds: "
                    "make sure that they are time-aware."
                ),
            ),
            evidence=_files(
                "Lee-zix/RE-GCN",
                "51cbbd1f73dbe6f71f6475b615f1bed7973032e6/src/main.py",
                "0fdea6e5d0d15277374d63dc2bb02ff219d4a44f/rgcn/utils.py",
            ),
        ),
        Tool(
            key="tkgforecastingevaluation",
            title="TKG-Forecasting-Evaluation",
            protocol="time-aware",
            reference=(
                "Gastinger et al. 2023, Comparing apples and oranges?, "
                "doi:10.1007/978-3-031-43418-1_32"
            ),
            repositories=("nec-research/TKG-Forecasting-Evaluation",),
            effect=(
                "TKG-Forecasting-Evaluation's raw and static numbers need --protocol raw or static."
            ),
            caveats=(
                (
                    "It reports raw, time, which is time-aware, and static: "
                    "add --protocol raw or static for these."
                ),
                "Both sides are pooled; entities are those that stat.txt and entity2id.txt state.",
            ),
            evidence=_files(
                "nec-research/TKG-Forecasting-Evaluation",
                "7ccd9328b100c0c10a119a4897aa60602945c8d6/result_evaluation/run_evaluation.py",
                "7ccd9328b100c0c10a119a4897aa60602945c8d6/result_evaluation/src/utils.py",
            ),
            refused={
                "wikitkg": (
                    "TKG-Forecasting-Evaluation ranks repeated facts of WIKI once, "
                    "123,768 tasks in place of 126,220: "
                    "its numbers are not of the rows of test.txt, of which the constants are."
                )
            },
        ),
        Tool(
            key="xerte",
            title="xERTE",
            protocol="time-aware",
            ties="the mean of best and worst rank",
            whole_ranks=False,
            reference=(
                "Han et al. 2021, Explainable subgraph reasoning "
                "for forecasting on temporal knowledge graphs, openreview.net/forum?id=pGIHq1m7PU"
            ),
            repositories=("TemporalKGTeam/xERTE",),
            effect=(
                "xERTE's raw and time-independent numbers need --protocol raw or static; "
                "its MR cannot be adjusted."
            ),
            caveats=(
                (
                    "It prints filtered performance that is time dependent, "
                    "which is time-aware, that is time independent, which is static, and raw."
                ),
                (
                    "A true answer that its subgraph does not reach gets rank 1,000,000,000: "
                    "its mean rank means nothing, and only MRR and Hits@k can be adjusted."
                ),
                (
                    "Numbers on seen or unseen entities alone are of fewer tasks: "
                    "there are no constants for them."
                ),
            ),
            evidence=_files(
                "TemporalKGTeam/xERTE",
                "acee876be57d144021d7fe1ac45cdc65be61650f/tKGR/eval.py",
                "b0adf065f204120b67162b35d1b823b68a89f93f/tKGR/segment.py",
                "b0adf065f204120b67162b35d1b823b68a89f93f/tKGR/utils.py",
            ),
        ),
        Tool(
            key="tntcomplex",
            title="TNTComplEx",
            protocol="time-aware",
            ties=_WORST,
            reference=(
                "Lacroix et al. 2020, "
                "Tensor decompositions for temporal knowledge base completion, arXiv:2004.04926"
            ),
            repositories=("facebookresearch/tkbc", "soledad921/TeLM"),
            caveats=(
                (
                    "Known answers are those of all three splits at the same time; the mean of the "
                    "two sides is published, which for MRR and Hits@k is that of the pooled ranks."
                ),
                (
                    "Many models derive from its code. The "
                    "files cited are those of TeLM (Xu et al. 2021), which keeps its evaluation; "
                    "for facts with a begin and an end, the same time means that both are the same."
                ),
            ),
            evidence=(
                *_files(
                    "soledad921/TeLM",
                    "630cde0f479208ee84400b58dbabf1a4467d6ce5/tkbc/process_icews.py",
                    "7b7619178249abd4e6dcd9cb3bc799610ed3bb16/tkbc/datasets.py",
                    "515a6ff9bec74163582fddb1578cdc9d55d628ec/tkbc/models.py",
                ),
                *_files(
                    "facebookresearch/tkbc", "362c587b08cf7cbb3513e3ca375c02693860eb62/README.md"
                ),
            ),
        ),
        Tool(
            key="atise",
            title="ATiSE",
            protocol="time-aware",
            ties=_BEST,
            reference=(
                "Xu et al. 2020, Temporal knowledge "
                "graph completion based on time series Gaussian embedding, arXiv:1911.07893"
            ),
            repositories=("soledad921/ATISE",),
            effect=(
                "ATiSE ranks the true answer first among equal scores, "
                "which favours models that tie."
            ),
            caveats=(
                (
                    "Known answers are those of all three splits whose begin and end are "
                    "the same as written; both sides are pooled. TeRo evaluates by the same code."
                ),
            ),
            evidence=_files(
                "soledad921/ATISE",
                "a35b57084b535d37342b29ac80e1246aee308ae3/Dataset_YG.py",
                "a35b57084b535d37342b29ac80e1246aee308ae3/Dataset.py",
                "a35b57084b535d37342b29ac80e1246aee308ae3/Train.py",
            ),
        ),
    )
}
"""The tools, by key."""

_NAMES = Names(
    "tool",
    {key: (tool.title, *tool.programs, *tool.repositories) for key, tool in TOOLS.items()},
    "`rankconst show tools` lists them all. "
    "For a program of your own name its protocol: `rankconst show protocols`.",
)


def parse_tool(name: str) -> Tool:
    """Read the name of a tool, or of one of its repositories."""
    protocol = {squash(key): key for key in PROTOCOLS}.get(squash(require_text(name)))
    if protocol and _NAMES.find(name) is None:
        raise UnknownNameError(
            f"{name} is a protocol, not a tool: --protocol {protocol} "
            f"(in Python: protocol={protocol!r})."
        )
    return TOOLS[_NAMES.resolve(name)]


def is_tool(name: str) -> bool:
    """Tell whether a name is that of a tool, or of one of its repositories."""
    return _NAMES.find(name) is not None
