"""The registry as data: complete, consistent with the mirror's manifest, and free of ambiguous
names.
"""

import csv
import re
import tomllib
from collections import Counter, defaultdict
from importlib import resources
from pathlib import Path

import pytest

from cases import for_each
from rankconst.catalogue.benchmarks import (
    Benchmark,
    LineFormat,
    Remote,
    find_benchmark,
    find_note,
    list_namesakes,
    list_titles,
    load_benchmarks,
)
from rankconst.errors import DataError, UnknownNameError
from rankconst.names import squash

SOURCES = load_benchmarks()
OFFERED = [
    source for source in SOURCES.values() if not source.not_offered and source.sampled is None
]
SAMPLED = {source.key: source.sampled for source in SOURCES.values() if source.sampled is not None}
TOML = tomllib.loads(
    resources.files("rankconst.catalogue").joinpath("benchmarks.toml").read_text(encoding="utf-8")
)

# Names of MANIFEST.csv to roles. Of an inductive benchmark the inference graph takes the place of
# train.
INFERENCE_FIRST = {
    "msg": "train",
    "inference": "train",
    "inference_validation": "valid",
    "inference_test": "test",
    "train": "transductive_train",
}
NO_TRIPLES = {
    "stat", "entity_ids", "relation_ids", "literals", "valid_negatives", "test_negatives", "archive",
    "transductive_valid",
}  # fmt: skip
# Inductive benchmarks whose valid triples are of the graph that models are trained on; and one that
# has none.
WITHOUT_VALID = {
    "hm_1k", "hm_3k", "hm_5k", "indigobm", "mt1_tax", "mt1_health", "mt2_org", "mt2_sci", "mt3_art", "mt3_infra",
    "mt4_sci", "mt4_health", "fbnell", "metafam", "jf17k",
}  # fmt: skip
# What the mirror has of WD-singer leaves repeated rows out; ogbl-ddi is not offered; the others are
# too large for it.
NOT_MIRRORED = {
    "wdsinger", "ogblddi", "indigobm", "mt1_tax", "mt1_health", "mt2_org", "mt2_sci", "hetionet_ultra",
}  # fmt: skip


def read_csv(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as stream:
        return list(csv.DictReader(stream))


# ---- against the mirror --------------------------------------------------------------------------


def read_manifest(path: Path) -> list[dict[str, str]]:
    """Read the rows of benchmarks of the registry; the mirror may hold files of others."""
    return [row for row in read_csv(path) if row["key"] in SOURCES]


def test_every_entry_is_in_the_manifest(mirror: Path) -> None:
    rows = [*read_csv(mirror / "MANIFEST.csv"), *read_csv(mirror / "NOT_IN_MIRROR.csv")]
    keys = {row["key"] for row in rows} | {"wk3l15k", "wk3l120k", "cn3l"}  # three in one row
    # Numbers of tasks need no files.
    assert SOURCES.keys() - keys <= SAMPLED.keys() | NOT_MIRRORED
    assert len(SOURCES) > 90


def test_files_agree_with_the_manifest(mirror: Path) -> None:
    manifest = read_manifest(mirror / "MANIFEST.csv")
    inductive = {row["key"] for row in manifest if row["split"] in {"msg", "inference"}}
    compared: Counter[str] = Counter()
    wrong = []
    for row in manifest:
        key, split = row["key"], row["split"]
        # Of nell995_redgnn a quarter of the training set, which is that of nell995.
        if split in NO_TRIPLES - {"archive"} or (key, split) == ("nell995_redgnn", "train"):
            continue
        source, size, sha256 = SOURCES[key], int(row["bytes"]), row["sha256"]
        if split == "archive":
            remotes = {file.remote for file in source.files.values()}
            agrees = remotes == {Remote(row["url"], size, sha256)}
        else:
            file = source.files[INFERENCE_FIRST.get(split, split) if key in inductive else split]
            own = file if file.member else file.remote
            agrees = (own.bytes, own.sha256) == (size, sha256)
            if file.member:
                place, name = row["mirror_path"], file.member.rsplit("/", 1)[-1]
                agrees &= not place or place.endswith(name)
            else:
                agrees &= file.remote.url == row["url"]
            compared[key] += 1
        if not agrees:
            wrong.append((key, split, source.files))
    assert wrong == []
    assert len(compared) >= 70
    # Train is optional, there is no valid, or no graph that models are trained on.
    assert {key for key, count in compared.items() if count < 3} == {
        "wiki_tkg", "jf17k", "nell995_redgnn", "mt3_art", "mt3_infra", "mt4_sci", "mt4_health",
    }  # fmt: skip


def test_hashes_agree_with_what_is_known_of_files_outside_the_mirror(mirror: Path) -> None:
    for row in read_csv(mirror / "NOT_IN_MIRROR.csv"):
        if not (row["expected_git_blob_sha1"] or row["expected_sha256"]):
            continue
        files = SOURCES[row["key"]].files
        inductive = row["split"] == "train" and "transductive_train" in files
        role = "transductive_train" if inductive else row["split"]
        if role not in files:
            # yago310 has the archive's files as single ones, too; dbpedia500 is not offered
            assert (row["key"], role) in {("yago310", "archive"), ("dbpedia500", "train")}
            continue
        remote = files[role].remote
        known = (remote.git_blob or "", remote.sha256 or "", str(remote.bytes or ""))
        expected = [row[f"expected_{name}"] for name in ("git_blob_sha1", "sha256", "bytes")]
        assert known == (*expected,), row
        if row["source_commit"]:
            assert f"/{row['source_commit']}/" in remote.url
            assert remote.url.endswith(row["source_path"])


# ---- as data -------------------------------------------------------------------------------------


def test_no_two_datasets_share_a_spelling() -> None:
    owners = defaultdict(set)
    for key, source in SOURCES.items():
        for spelling in (key, source.title, *source.aliases):
            assert squash(spelling), f"{key}: {spelling!r} has no letter or digit"
            owners[squash(spelling)].add(key)
    assert {spelling: keys for spelling, keys in owners.items() if len(keys) > 1} == {}


@for_each("source", SOURCES.values())
def test_entry_is_complete(source: Benchmark) -> None:
    assert re.fullmatch(r"[a-z0-9_]+", source.key)
    for name in ("title", "split", "licence", "citation", "citation_url", "homepage"):
        text = getattr(source, name)
        assert text == text.strip() != "", name
        assert ("page" not in name and "url" not in name) or re.match("https?://", text), name
    for role, file in source.files.items():
        remote, path = file.remote, file.member or ""
        assert role in {"train", "valid", "test", "transductive_train", "single", "stat"}
        assert not file.optional or role == "train"
        assert remote.url.startswith("https://")
        for digest, length in ((remote.sha256, 64), (file.sha256, 64), (remote.git_blob, 40)):
            assert digest is None or re.fullmatch(rf"[0-9a-f]{{{length}}}", digest)
        assert not path.startswith("/") and ".." not in path.split("/")
        assert path or (file.bytes, file.sha256) == (None, None)
        assert remote.bytes is None or remote.bytes > 0
        if "githubusercontent" in remote.url and remote.verifiable:
            assert re.search(r"/[0-9a-f]{40}/", remote.url), "it is not pinned to a commit"
    places = {(file.remote.url, file.member) for file in source.files.values()}
    assert len(places) == len(source.files)
    assert not source.not_offered or source.not_offered.endswith(".")
    assert not source.verifiable or source.sampled or {"train", "test"} <= source.files.keys()
    assert {"format", "not_offered", "sampled"} & TOML["dataset"][source.key].keys()
    counted = {"entities", "relations", "train", "valid", "test"}
    for name, value in source.pykeen.items():
        assert name in counted | {"key", "mismatch"}
        assert isinstance(value, int if name in counted else str)
    # Every alias says something new.
    spellings = [squash(name) for name in (source.key, source.title, *source.aliases)]
    assert all(alias not in spellings[: place + 2] for place, alias in enumerate(spellings[2:]))


def test_every_offered_source_has_train_valid_and_test() -> None:
    assert {source.key for source in OFFERED if "valid" not in source.files} == WITHOUT_VALID
    for source in OFFERED:
        assert {"train", "test"} <= source.files.keys()
        kind = source.split.removeprefix("published")
        assert kind in {"", " inductive", " forecasting"}
        assert kind != " forecasting" or source.format.temporal
        assert kind == " inductive" or "transductive_train" not in source.files
    left_out = {source.key for source in SOURCES.values() if source.not_offered}
    assert {"hetionet", "dbpedia500"} <= left_out
    same = {s.key: s.same_graph_as for s in SOURCES.values() if s.same_graph_as}
    assert same == {f"openke_{key}": key for key in ("fb15k237", "wn18", "wn18rr", "nell995")}


def test_sampled_benchmarks_state_their_numbers_of_tasks() -> None:
    """As OGB, NCF and JAPE publish them; PyKEEN counts the same triples."""
    assert {key: (tasks.protocol, tasks.valid, tasks.test) for key, tasks in SAMPLED.items()} == {
        "ogbbiokg": ("sampled:500", 162_886, 162_870),
        "ogbwikikg2": ("sampled:500", 429_456, 598_543),
        "ogblcollab": ("sampled:100000:shared", 60_084, 1_285_465 - 1_179_052 - 60_084),
        "ogblppa": ("sampled:3000000:shared", 6_062_562, 30_326_273 - 21_231_931 - 6_062_562),
        "ogblcitation2": ("sampled:1000", 86_596, 86_596),
        "ncf_movielens1m": ("sampled:99", None, 6_040),
        "ncf_pinterest": ("sampled:99", None, 55_187),
        # 30 % of the links are for training; each of the others ranks the entities of all others.
        **{
            f"dbp15k_{language}_en": (f"sampled:{15_000 * 7 // 10 - 1}", None, 10_500)
            for language in ("zh", "ja", "fr")
        },
    }
    unsided = {"ogblcollab", "ogblppa", "ogblcitation2", "ncf_movielens1m", "ncf_pinterest"}
    assert {key for key, tasks in SAMPLED.items() if tasks.sides == ("both",)} == unsided
    for key, tasks in SAMPLED.items():
        known = SOURCES[key].pykeen
        assert not known or (known["valid"], known["test"]) == (tasks.valid, tasks.test)
        assert not SOURCES[key].files
        assert SOURCES[key].verifiable


def test_formats_are_used_and_documented() -> None:
    used = Counter(entry.get("format", "tsv_hrt") for entry in TOML["dataset"].values())
    assert used.keys() == TOML["format"].keys()
    for name, entry in TOML["format"].items():
        form = LineFormat(**entry)
        assert form.description, name
        words = {"\t": "tabs", ",": "commas", " ": "spaces"}[form.delimiter]
        assert words in form.description
        time = "begin" if "dd" in form.columns else "time"
        words_of = {"h": "head", "r": "relation", "t": "tail", "d": time, "q": "qualifiers"}
        order = [form.description.index(words_of[letter]) for letter in form.columns.strip("-")]
        assert order == sorted(order)
        assert form.count_line == ("number of rows" in form.description)


# ---- the code ------------------------------------------------------------------------------------


@for_each("source", SOURCES.values())
def test_every_spelling_finds_its_source(source: Benchmark) -> None:
    for spelling in (
        source.key, source.title, *source.aliases, source.title.upper(),
    ):  # fmt: skip
        assert find_benchmark(spelling) is source
    hyphened = source.key.replace("_", "-")
    if list_namesakes(hyphened):  # wn18rr-v1 is WN18RR v1, which papers call two graphs
        with pytest.raises(UnknownNameError, match=f"{source.key} for"):
            find_benchmark(hyphened)
    else:
        assert find_benchmark(hyphened) is source
    # Both are read without the rest of the registry.
    assert find_note(source.key) == source.note
    assert list_titles()[source.key] == (source.title, *source.aliases)


def test_did_you_mean() -> None:
    shown = "`rankconst show datasets` lists all"
    with pytest.raises(UnknownNameError, match=rf"'fb15k273'\. Did you mean .*fb15k237.*{shown}"):
        find_benchmark("fb15k273")
    with pytest.raises(UnknownNameError, match=rf"unknown dataset 'qqqqqqqq'\. {shown}"):
        find_benchmark("qqqqqqqq")


def test_line_formats_that_cannot_be() -> None:
    for columns in (
        "", "hr", "hrtt", "hhrt", "hrx", "HRT", "h r t", "hrt+", "---", "head", "hrtdq",
    ):  # fmt: skip
        with pytest.raises(DataError, match="must name h, r and t once each"):
            LineFormat(columns=columns)
    for delimiter in ("", "\n", "\r", "\0", "\t\t", ", ", "tab", "é"):
        with pytest.raises(DataError, match="must be one ASCII character"):
            LineFormat(delimiter=delimiter)
