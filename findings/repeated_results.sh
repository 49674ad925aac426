#!/usr/bin/env bash
# A document that is retrieved twice: recall is 2.0 in rag-eval-lite, ranklab and retric, and nDCG 1.63 in szl-retrieval-bench.
#
# Seen 2026-11-30 with Python 3.11.7: rag-eval-lite 0.1.4, ranklab 0.1.1, retric 0.1.0, szl-retrieval-bench 0.3.1.
# Guess before running: none of these is above 1 (80 % each, 70 % of ranklab).
# Behaviour: hits are counted by place and divided by the number of right documents: two places with the only right one make a recall and an
#   average precision of 2, three make 3, and nDCG grows likewise. szl-retrieval-bench takes sets for recall, and the list for
#   the others. The reciprocal rank stays 1.
# Documented? No. ranklab names a "fraction of relevant documents found" and an nDCG "in [0, 1]".
# Why it matters: passages of one document carry its id, and a retriever with overlapping windows returns it several times. A mean over
#   queries hides values above 1, and the retriever that fills its list with one document is the best by all of these.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --no-compile --prefer-binary \
  'rag-eval-lite==0.1.4' 'szl-retrieval-bench==0.3.1' 'ranklab==0.1.1' 'retric==0.1.0' 'numpy==2.4.6'

cat > "$tmp/seen" <<'END'
a b c
  rag-eval-lite: recall 1.00, nDCG 1.00
  ranklab: recall 1.00, AP 1.00, nDCG 1.00
  szl-retrieval-bench: recall 1.00, AP 1.00, nDCG 1.00
  retric: recall 1.00, MRR 1.00
a a b
  rag-eval-lite: recall 2.00, nDCG 1.63
  ranklab: recall 2.00, AP 2.00, nDCG 1.63
  szl-retrieval-bench: recall 1.00, AP 2.00, nDCG 1.63
  retric: recall 2.00, MRR 1.00
a a a
  rag-eval-lite: recall 3.00, nDCG 2.13
  ranklab: recall 3.00, AP 3.00, nDCG 2.13
  szl-retrieval-bench: recall 1.00, AP 3.00, nDCG 2.13
  retric: recall 3.00, MRR 1.00
END
cat > "$tmp/program.py" <<'END'
import rag_eval
import ranklab
import retric
from szl_retrieval_bench import metrics

right = {"a": 1}
for run in (["a", "b", "c"], ["a", "a", "b"], ["a", "a", "a"]):
    print(*run)
    report = rag_eval.RAGEvaluator(k=3).evaluate([rag_eval.QueryResult("q", run, set(right))])
    print(f"  rag-eval-lite: recall {report.mean_recall:.2f}, nDCG {report.mean_ndcg:.2f}")
    ranked = [(document, 3.0 - place) for place, document in enumerate(run)]
    recall = ranklab.recall_at_k(ranked, right, 3)
    precision = ranklab.average_precision(ranked, right)
    print(f"  ranklab: recall {recall:.2f}, AP {precision:.2f}, nDCG {ranklab.ndcg(ranked, right, 3):.2f}")
    recall = metrics.recall_at(run, right, 3)
    precision = metrics.average_precision(run, right)
    print(f"  szl-retrieval-bench: recall {recall:.2f}, AP {precision:.2f}, nDCG {metrics.ndcg(run, right, 3):.2f}")
    results = [retric.RetrievalResult(id=document, text=document) for document in run]
    found = retric.evaluate(lambda query, top_k: results, [retric.EvalSample(query="q", relevant_ids=["a"])], k=3)
    print(f"  retric: recall {found.recall_at_k:.2f}, MRR {found.mrr:.2f}")
END
"$tmp/venv/bin/python" "$tmp/program.py" > "$tmp/now"
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: repeated results no longer count as seen"; exit 1; }
echo "as seen"
