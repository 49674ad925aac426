"""What ``kge dump trace --csv`` writes."""

from __future__ import annotations

import pytest
from hypothesis import given

from rankconst.results.document import Document
from rankconst.results.tools.libkge import READER_CSV as READER
from result_tables import check_refusal, documents, reading_of

read = reading_of(READER)
HEADING = "job_id,dataset,model,reciprocal,job,job_type,split,epoch,avg_loss,avg_penalty,avg_cost,metric_name,metric"
# Of github.com/uma-pi1/kge-iclr20, data_dumps/iclr2020-wnrr-best-trials.csv, some columns left out.
DUMP = f"""{HEADING},emb_e_dim,train_loss,raw_mrr,raw_hits@10,fil_mrr,fil_hits@10,fwt_mrr,fwt_hits@10
37b0127d,wnrr,complex,0,search,1vsAll,valid,200,,,,mean_reciprocal_rank_filtered_with_test,0.4747679377,128,kl,\
0.2909892717,0.4980224073,0.4655152172,0.5398813486,0.4747679377,0.5430124998
"""


def test_columns_of_a_keys_file() -> None:
    assert READER.recognise(Document("dump.csv", DUMP))
    reading = read(DUMP)
    assert (reading.tool, reading.layout) == ("libkge", "wide")
    assert [(entry.column, entry.metric.label, entry.context.protocol, entry.text) for entry in reading.entries] == [
        ("raw_mrr", "MRR", "raw", "0.2909892717"), ("raw_hits@10", "Hits@10", "raw", "0.4980224073"),
        ("fil_mrr", "MRR", "libkge", "0.4655152172"), ("fil_hits@10", "Hits@10", "libkge", "0.5398813486"),
        ("fwt_mrr", "MRR", "standard", "0.4747679377"), ("fwt_hits@10", "Hits@10", "standard", "0.5430124998"),
        ("metric", "MRR", "standard", "0.4747679377"),
    ]  # fmt: skip
    for entry in reading.entries:
        assert (entry.context.dataset, entry.context.model, entry.context.split) == ("wnrr", "complex", "valid")
        assert (entry.context.side, entry.exact, entry.line) == ("both", True, 2)


def test_one_metric_a_row() -> None:
    reading = read(
        HEADING + "\nj,fb15k-237,rescal,0,train,KvsAll,train,5,0.1,,0.1,mean_reciprocal_rank_filtered,\n"
        "j,fb15k-237,rescal,0,valid,entity_ranking,valid,5,,,,mean_reciprocal_rank_filtered_tail,0.31\n"
        "j,fb15k-237,rescal,0,valid,entity_ranking,valid,5,,,,hits_at_10_filtered_1-to-N,0.42\n"
        "j,fb15k-237,rescal,0,valid,entity_ranking,valid,5,,,,avg_loss,0.42\n"
    )
    assert reading.layout == "long"
    assert [(entry.line, entry.metric.label, entry.context.side, entry.text) for entry in reading.entries] == [
        (3, "MRR", "tail", "0.31")
    ]
    assert [(skip.line, skip.what) for skip in reading.skipped] == [(4, "hits_at_10_filtered_1-to-N"), (5, "avg_loss")]
    assert len(reading.rows) == 4


def test_columns_over_some_of_the_ranks_are_left_out() -> None:
    reading = read(HEADING + ",mean_rank_filtered_M-to-N\nj,d,m,0,valid,x,valid,1,,,,,,30\n")
    assert not reading.entries
    assert [(skip.what, skip.why.partition(" ")[0]) for skip in reading.skipped] == [
        ("mean_rank_filtered_M-to-N", "M-to-N")
    ]


@pytest.mark.parametrize("text", ["Model,MRR\na,1\n", "{job_id: 1, metric: 2}", "", "Side,Rank_type,Metric,Value\n"])
def test_what_is_not_recognised(text: str) -> None:
    assert not READER.recognise(Document("x.csv", text))


@given(documents)
def test_any_text_is_read_or_refused(document: Document) -> None:
    check_refusal(READER, document)
