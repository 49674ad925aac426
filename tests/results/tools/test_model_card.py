"""Model cards of the Hugging Face Hub: numbers in the YAML above a README."""

from __future__ import annotations

import pytest

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


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (_write(), ["FB15k-237", None, None]),
        (_write(dataset="FB15k-237\n      split: validation"), ["FB15k-237", "valid", None]),
        (_write(metric="mrr\n      name: MRR (raw)"), ["FB15k-237", None, "raw"]),
        (_write(task="few-shot link prediction"), ["FB15k-237", None, None, "few-shot"]),
        (_write(dataset="CoDEx\n      config: S"), ["CoDEx S", None, None]),
        (_write(dataset="WN18RR\n      config: wn18rr"), ["WN18RR", None, None]),
    ],
)
def test_what_a_result_says_of_its_tasks(text: str, said: list[str | None]) -> None:
    reading = read_document("README.md", text)
    (entry,) = reading.entries
    assert (reading.form, entry.metric.label, entry.text, entry.exact) == ("model_card", "MRR", "0.338", False)
    assert entry.line == text[: text.index("value:")].count("\n") + 1
    about = entry.context
    assert about.model == "RotatE"
    assert [about.dataset, about.split, about.protocol, *(ask.word for ask in about.asks)] == said


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
def test_what_is_not_a_card_of_ranks(text: str) -> None:
    assert not READER.recognise(Document("README.md", text))
    assert read_document("README.md", text + _TABLE).form == "markdown"
