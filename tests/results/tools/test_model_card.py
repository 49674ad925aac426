"""Model cards of the Hugging Face Hub: numbers in the YAML above a README."""

from __future__ import annotations

import pytest

from rankconst.errors import DataError
from rankconst.results.document import Document
from rankconst.results.formats import read_document
from rankconst.results.tools.model_card import READER

_RESULT = """---
license: mit
model-index:
- name: RotatE
  results:
  - task:
      type: {task}
    dataset:
      name: {dataset}
    metrics:
    - type: {metric}
      value: 0.338
---
# A model
{text}"""
_TABLE = "\n## UMLS\n\n| Model | MRR |\n|---|---|\n| B | 0.5 |\n"


def _write(task: str = "link-prediction", dataset: str = "FB15k-237", metric: str = "mrr", text: str = "") -> str:
    return _RESULT.format(task=task, dataset=dataset, metric=metric, text=text)


def test_a_card() -> None:
    document = Document("README.md", _write())
    assert READER.recognise(document)
    (entry,) = read_document("README.md", document.text).entries
    context = entry.context
    assert (context.model, context.dataset, context.split, context.task) == ("RotatE", "FB15k-237", None, None)
    assert (entry.metric.label, entry.text, entry.line, entry.exact) == ("MRR", "0.338", 12, False)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (_write(dataset="FB15k-237\n      split: validation"), ("FB15k-237", "validation", None, None)),
        (_write(metric="mrr\n      name: MRR (raw)"), ("FB15k-237", None, "raw", None)),
        (_write(task="few-shot link prediction"), ("FB15k-237", None, None, "few-shot")),
        (_write(dataset="CoDEx\n      config: S"), ("CoDEx S", None, None, None)),
        (_write(dataset="WN18RR\n      config: other"), ("WN18RR other", None, None, None)),
        (_write(dataset="WN18RR\n      config: wn18rr"), ("WN18RR", None, None, None)),
    ],
)
def test_what_a_result_says_of_its_tasks_counts(text: str, said: tuple[str | None, ...]) -> None:
    (context,) = (entry.context for entry in read_document("README.md", text).entries)
    assert (context.dataset, context.split, context.protocol, context.task) == said


def test_tables_of_the_text_go_first() -> None:
    reading = read_document("README.md", _write(text=_TABLE))
    assert (reading.form, [entry.text for entry in reading.entries]) == ("markdown", ["0.5"])
    without = read_document("README.md", _write(text="\n| dim | lr |\n|---|---|\n| 50 | 0.1 |\n"))
    assert (without.form, [entry.text for entry in without.entries]) == ("model_card", ["0.338"])


@pytest.mark.parametrize(
    "text",
    [
        _write(metric="accuracy"),
        _write(metric="hits@10\n      name: Hits@1"),  # which of the two?
        _write().replace("license: mit", "license: !!python/name:os.system"),
        _write().replace("model-index", "results"),
    ],
)
def test_what_is_no_card_of_ranks(text: str) -> None:
    assert not READER.recognise(Document("README.md", text))
    with pytest.raises(DataError):
        read_document("README.md", text)
    assert read_document("README.md", text + _TABLE).form == "markdown"
