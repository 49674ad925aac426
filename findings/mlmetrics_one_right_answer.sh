#!/usr/bin/env bash
# MLmetrics: the area under the precision-recall curve is 0 if the one right answer is first, and 0.05 if it is last of ten.
#
# Seen 2026-11-30 with Debian 12: r-base-core 4.2.2.20221110-2, r-cran-mlmetrics 1.1.1-3, r-cran-rocr 1.0-11-2.
# Guess before running: PRAUC of a perfect ranking with two of four right is 1 (60 %), and NormalizedGini of equal scores is 0 (55 %).
#   They are 0.5, and 1 or -1.
# Behaviour: the curve begins at recall 0, where precision is 0 / 0. PRAUC leaves out that point and with it all area up to the first right
#   answer, 1 / n of a perfect ranking of n. NormalizedGini sorts by score and takes equal scores in the order of the rows, while AUC
#   shares their ranks: twice the AUC less 1 should be the coefficient.
# Documented? Not in the package. yardstick's issue 166 has the difference of PRAUC, without this consequence, as a small one. ROCR's own
#   measure "aucpr" starts at precision 1.
# Why it matters: link prediction has one right answer or a few for a query, so better rankings lose more. caret's prSummary calls PRAUC to
#   choose models.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
mkdir -p "$tmp/debs/partial"
apt-get install --reinstall -y -qq -d --no-install-recommends -o Dir::Cache::archives="$tmp/debs" -o APT::Sandbox::User=root -o Debug::NoLocking=1 \
  r-base-core=4.2.2.20221110-2 r-cran-mlmetrics=1.1.1-3 r-cran-rocr=1.0-11-2 > "$tmp/log" 2>&1 || { cat "$tmp/log"; exit 1; }
for package in "$tmp"/debs/*.deb; do dpkg -x "$package" "$tmp/root"; done
export R_HOME=$tmp/root/usr/lib/R
rm "$R_HOME/etc/Renviron" && touch "$R_HOME/etc/Renviron"
export R_SHARE_DIR=$tmp/root/usr/share/R/share EDITOR=vi PAGER=cat
export R_LIBS=$R_HOME/site-library:/usr/lib/R/site-library
libraries=$tmp/root/usr/lib/x86_64-linux-gnu

cat > "$tmp/seen" <<'END'
right answer in place 1 of 10: PRAUC 0.00, ROCR 1.00, average precision 1.00; AUC 1.00, NormalizedGini 1.00
right answer in place 2 of 10: PRAUC 0.25, ROCR 0.75, average precision 0.50; AUC 0.89, NormalizedGini 0.78
right answer in place 3 of 10: PRAUC 0.17, ROCR 0.67, average precision 0.33; AUC 0.78, NormalizedGini 0.56
right answer in place 5 of 10: PRAUC 0.10, ROCR 0.60, average precision 0.20; AUC 0.56, NormalizedGini 0.11
right answer in place 10 of 10: PRAUC 0.05, ROCR 0.55, average precision 0.10; AUC 0.00, NormalizedGini -1.00
right answers in places 1 and 2: PRAUC 0.50, ROCR 1.00, average precision 1.00; AUC 1.00, NormalizedGini 1.00
right answers in places 1 to 5: PRAUC 0.80, ROCR 1.00, average precision 1.00; AUC 1.00, NormalizedGini 1.00
right answers in places 4, 5 and 6: PRAUC 0.30, ROCR 0.47, average precision 0.38; AUC 0.57, NormalizedGini 0.14
equal scores, right answer in the first row: PRAUC 0.00, ROCR 0.55; AUC 0.50, NormalizedGini 1.00
equal scores, right answer in the last row: PRAUC 0.00, ROCR 0.55; AUC 0.50, NormalizedGini -1.00
END
cat > "$tmp/program.R" <<'END'
show <- function(name, scores, right) {
  labels <- as.numeric(seq_along(scores) %in% right)
  precision <- vapply(seq_along(right), function(found) found / sort(right)[found], 0)
  rocr <- ROCR::performance(ROCR::prediction(scores, labels), "aucpr")@y.values[[1]]
  average <- if (length(unique(scores)) > 1) sprintf(", average precision %.2f", mean(precision)) else ""
  cat(sprintf("%s: PRAUC %.2f, ROCR %.2f%s; AUC %.2f, NormalizedGini %.2f\n", name, MLmetrics::PRAUC(scores, labels), rocr,
              average, MLmetrics::AUC(scores, labels), MLmetrics::NormalizedGini(scores, labels)))
}
falling <- 10:1 / 10
for (place in c(1, 2, 3, 5, 10)) show(paste("right answer in place", place, "of 10"), falling, place)
show("right answers in places 1 and 2", falling, 1:2)
show("right answers in places 1 to 5", falling, 1:5)
show("right answers in places 4, 5 and 6", falling, 4:6)
show("equal scores, right answer in the first row", rep(0.5, 10), 1)
show("equal scores, right answer in the last row", rep(0.5, 10), 10)
END
LD_LIBRARY_PATH=$libraries:$libraries/blas:$libraries/lapack:$R_HOME/lib \
  "$R_HOME/bin/exec/R" --no-echo --vanilla -f "$tmp/program.R" > "$tmp/now" 2> "$tmp/log" || { cat "$tmp/log"; exit 1; }
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: areas are no longer as seen"; exit 1; }
echo "as seen"
