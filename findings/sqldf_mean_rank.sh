#!/usr/bin/env bash
# sqldf: a mean rank of 2.75 is 2, and an MRR of 0.62 is 0, if the mean has the name of its column.
#
# Seen 2026-11-30 with Debian 12: r-base-core 4.2.2.20221110-2, r-cran-sqldf 0.4-11-2, r-cran-rsqlite 2.2.20-1.
# Guess before running: avg(rank) AS rank of an integer column stays 2.5 (70 %).
# Behaviour: a column of the answer that has the name of one in any table read is coerced to its class: integers cut what follows the
#   point, of 0.99 as well, and TRUE and FALSE make each mean rate TRUE. Under another name, or with method = "raw", the mean is right.
# Documented? Yes, at the end of the page, as the heuristic of method = "auto", the default; not that a mean of integers is cut. Issue 23
#   is on columns of tables that the query does not even name.
# Why it matters: ranks and hits are integers, and "avg(mrr) as mrr, avg(rank) as rank" is how means are named. The mean rank looks right,
#   and Hits@10 is 0 unless every query is a hit.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
mkdir -p "$tmp/debs/partial"
apt-get install --reinstall -y -qq -d --no-install-recommends -o Dir::Cache::archives="$tmp/debs" -o APT::Sandbox::User=root -o Debug::NoLocking=1 \
  r-base-core=4.2.2.20221110-2 r-cran-sqldf=0.4-11-2 r-cran-rsqlite=2.2.20-1 > "$tmp/log" 2>&1 || { cat "$tmp/log"; exit 1; }
for package in "$tmp"/debs/*.deb; do dpkg -x "$package" "$tmp/root"; done
export R_HOME=$tmp/root/usr/lib/R
rm "$R_HOME/etc/Renviron" && touch "$R_HOME/etc/Renviron"
export R_SHARE_DIR=$tmp/root/usr/share/R/share EDITOR=vi PAGER=cat
export R_LIBS=$R_HOME/site-library:/usr/lib/R/site-library
libraries=$tmp/root/usr/lib/x86_64-linux-gnu

cat > "$tmp/seen" <<'END'
select relation, avg(rank) as rank, avg(hits) as hits, avg(hit) as hit from answers group by relation 
  auto: relation born in, rank 2, hits 1, hit TRUE
  auto: relation part of, rank 6, hits 0, hit TRUE
  raw: relation born in, rank 2.75, hits 1, hit 1
  raw: relation part of, rank 6.5, hits 0.5, hit 0.5
select relation, avg(rank) as mean_rank, avg(hits) as rate, avg(hit) as share from answers group by relation 
  auto: relation born in, mean_rank 2.75, rate 1, share 1
  auto: relation part of, mean_rank 6.5, rate 0.5, share 0.5
  raw: relation born in, mean_rank 2.75, rate 1, share 1
  raw: relation part of, mean_rank 6.5, rate 0.5, share 0.5
select avg(1.0 / rank) as rank, avg(hits) as hits from answers 
  auto: rank 0, hits 0
  raw: rank 0.621, hits 0.833
END
cat > "$tmp/program.R" <<'END'
suppressWarnings(suppressPackageStartupMessages(library(sqldf)))
answers <- data.frame(
  relation = c("born in", "born in", "born in", "born in", "part of", "part of"),
  rank = c(1L, 2L, 7L, 1L, 1L, 12L),
  hits = c(1L, 1L, 1L, 1L, 1L, 0L),
  hit = c(TRUE, TRUE, TRUE, TRUE, TRUE, FALSE)
)
queries <- c(
  "select relation, avg(rank) as rank, avg(hits) as hits, avg(hit) as hit from answers group by relation",
  "select relation, avg(rank) as mean_rank, avg(hits) as rate, avg(hit) as share from answers group by relation",
  "select avg(1.0 / rank) as rank, avg(hits) as hits from answers"
)
for (query in queries) {
  cat(query, "\n")
  for (method in c("auto", "raw")) {
    answer <- sqldf(query, method = method)
    for (row in seq_len(nrow(answer))) {
      values <- vapply(answer[row, , drop = FALSE], function(value) format(value, digits = 3), "")
      cat("  ", method, ": ", paste(names(values), values, sep = " ", collapse = ", "), "\n", sep = "")
    }
  }
}
END
LD_LIBRARY_PATH=$libraries:$libraries/blas:$libraries/lapack:$R_HOME/lib \
  "$R_HOME/bin/exec/R" --no-echo --vanilla -f "$tmp/program.R" > "$tmp/now" 2> "$tmp/log" || { cat "$tmp/log"; exit 1; }
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: means are no longer as seen"; exit 1; }
echo "as seen"
