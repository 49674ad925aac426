"""Which ranking tasks a number belongs to: file, user and tool, in their order."""

from __future__ import annotations

import pytest

import rankconst
from rankconst.catalogue.protocols import DEFAULT_PROTOCOL
from rankconst.catalogue.tools import TOOLS
from rankconst.errors import DataError, UnknownNameError, UsageError
from rankconst.results.evaluation import Context, Setting, check_setting, settle

TABLES = rankconst.load()


@pytest.mark.parametrize(
    ("context", "setting", "tool", "protocol"),
    [
        (Context(), Setting(), None, DEFAULT_PROTOCOL),
        (Context(), Setting(), "pykeen", "pykeen"),
        (Context(source="libkge"), Setting(), "pykeen", "libkge"),
        (Context(source="libkge"), Setting(source="ampligraph"), None, "pykeen"),
        (Context(protocol="raw", source="libkge"), Setting(), None, "raw"),
        (Context(protocol="raw"), Setting(protocol="pykeen"), None, "pykeen"),
        (Context(source="rotate"), Setting(protocol="sampled:100"), None, "sampled:100"),
    ],
)
def test_the_user_goes_before_the_file_and_the_file_before_its_format(
    context: Context, setting: Setting, tool: str | None, protocol: str
) -> None:
    from dataclasses import replace

    settled = settle(replace(context, dataset="WN18RR"), setting, TABLES, tool=tool)
    assert (settled.dataset, settled.split, settled.side, settled.protocol) == ("wn18rr", "test", "both", protocol)


@pytest.mark.parametrize("source", TOOLS.values(), ids=TOOLS)
def test_every_source_leads_to_its_protocol(source: rankconst.Tool) -> None:
    dataset = "ogbl-biokg" if source.key == "ogb" else "nations"
    settled = settle(Context(dataset), Setting(source=source.title), TABLES)
    assert (settled.protocol, settled.source) == (source.protocol, source)
    for refused in source.refused:
        with pytest.raises(DataError) as reason:
            settle(Context(refused), Setting(source=source.key), TABLES)
        assert str(reason.value) == source.refused[refused]


def test_a_dataset_with_one_protocol_needs_no_word() -> None:
    assert settle(Context("ogbl-wikikg2"), Setting(), TABLES).protocol == "sampled:500"


@pytest.mark.parametrize("field", ["dataset", "split", "side", "aggregation"])
def test_file_and_user_must_not_contradict_each_other(field: str) -> None:
    stated = {"dataset": "nations", "split": "valid", "side": "head", "aggregation": "macro-query"}
    asked = {"dataset": "umls", "split": "test", "side": "tail", "aggregation": "micro"}
    with pytest.raises(UsageError, match=f"said to be of {field} {stated[field]}, but {asked[field]} was asked for"):
        settle(
            Context(stated["dataset"], stated["split"], stated["side"], None, stated["aggregation"]),
            Setting(**{field: asked[field]}),  # type: ignore[arg-type]
            TABLES,
        )


def test_the_same_in_another_spelling_is_no_contradiction() -> None:
    settled = settle(Context("FB15k-237", "testing"), Setting("fb15k237", "test"), TABLES)
    assert settled.dataset == "fb15k237"


@pytest.mark.parametrize(
    "setting",
    [Setting("nope"), Setting(split="nope"), Setting(side="nope"), Setting(protocol="nope"), Setting(source="nope"),
     Setting(aggregation="nope")],
)  # fmt: skip
def test_what_the_user_types_is_checked(setting: Setting) -> None:
    with pytest.raises(UnknownNameError):
        check_setting(setting, TABLES)


def test_sampled_numbers_stay_sampled() -> None:
    with pytest.raises(UsageError, match=r"Leave out --protocol to adjust them under sampled:500\.$"):
        settle(Context("ogbl-biokg", source="ogb"), Setting(protocol="standard"), TABLES)
    with pytest.raises(UsageError, match="numbers on this dataset rank among sampled candidates"):
        settle(Context("ogbl-biokg"), Setting(protocol="standard"), TABLES)
