#!/usr/bin/env bash
# bit64: a mean of ranks weighted by 0.5 and 0.25 is 0, the mean of 3, 7, 9 and 12 is 7, and their deviation in groups is 0.
#
# Seen 2026-11-30 with Debian 12: r-base-core 4.2.2.20221110-2, r-cran-bit64 4.0.5-1, r-cran-data.table 1.14.8+dfsg-1.
# Guess before running: 0.5 * x is x * 0.5 (60 %), var(x) is the square of sd(x) (60 %), sd(x) is right in groups (60 %), and the median
#   of an even number of values can end in .5 (55 %).
# Behaviour: a column is read as integer64 as soon as one value is above 2^31 - 1. weight * x cuts the weight to a whole number first, and
#   x * weight rounds the product, as weighted.mean does. The mean is cut, and the median the lower of two. sd converts, while var, and
#   data.table's sd in groups, take the bits for floating-point numbers near 0. data.table's mean in groups is rounded, its median right.
# Documented? The products are, in a table on the page of bit64; var, and sd in groups, are not. data.table had a wrong sum in groups
#   (issue 1647), since repaired.
# Why it matters: one relation with a large sum of ranks changes the type of the column, and with it the weighted means and deviations of
#   all other relations, without a warning.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
mkdir -p "$tmp/debs/partial"
apt-get install --reinstall -y -qq -d --no-install-recommends -o Dir::Cache::archives="$tmp/debs" -o APT::Sandbox::User=root -o Debug::NoLocking=1 \
  r-base-core=4.2.2.20221110-2 r-cran-bit64=4.0.5-1 r-cran-data.table=1.14.8+dfsg-1 > "$tmp/log" 2>&1 || { cat "$tmp/log"; exit 1; }
for package in "$tmp"/debs/*.deb; do dpkg -x "$package" "$tmp/root"; done
export R_HOME=$tmp/root/usr/lib/R
rm "$R_HOME/etc/Renviron" && touch "$R_HOME/etc/Renviron"
export R_SHARE_DIR=$tmp/root/usr/share/R/share EDITOR=vi PAGER=cat
export R_LIBS=$R_HOME/site-library:/usr/lib/R/site-library
libraries=$tmp/root/usr/lib/x86_64-linux-gnu

cat > "$tmp/seen" <<'END'
sums of ranks as integer 
  0.5 * ranks: 3.5 6.0 1.5 4.5
  ranks * 0.5: 3.5 6.0 1.5 4.5
  ranks / 2: 3.5 6.0 1.5 4.5
  sum(weight * ranks) / sum(weight) of each side: 8.667 6.600
  weighted.mean: 7.375
  mean, median and 25 % quantile: 7.75 8.00 6.00
  mean of each side: 9.5 6.0
  median of each side: 9.5 6.0
  deviation: 3.775
  root of the variance: 3.775
  deviation of each side: 3.536 4.243
sums of ranks as integer64 
  0.5 * ranks: 0 0 0 0
  ranks * 0.5: 4 6 2 5
  ranks / 2: 3.5 6.0 1.5 4.5
  sum(weight * ranks) / sum(weight) of each side: 0 0
  weighted.mean: 8
  mean, median and 25 % quantile: 7 7 7
  mean of each side: 10  6
  median of each side: 9.5 6.0
  deviation: 3.775
  root of the variance: 0
  deviation of each side: 0 0
END
cat > "$tmp/program.R" <<'END'
suppressPackageStartupMessages({library(bit64); library(data.table)})
show <- function(name, values) cat("  ", name, ": ", paste(format(values, digits = 4, trim = TRUE), collapse = " "), "\n", sep = "")
small <- "side,ranks,weight\nhead,7,0.5\nhead,12,0.25\ntail,3,0.5\ntail,9,0.75\n"
for (text in c(small, paste0(small, "both,3000000000,0\n"))) {
  sums <- fread(text = text)[1:4]
  cat("sums of ranks as", class(sums$ranks), "\n")
  show("0.5 * ranks", sums[, 0.5 * ranks])
  show("ranks * 0.5", sums[, ranks * 0.5])
  show("ranks / 2", sums[, ranks / 2])
  show("sum(weight * ranks) / sum(weight) of each side", sums[, .(mean = sum(weight * ranks) / sum(weight)), by = side]$mean)
  show("weighted.mean", sums[, weighted.mean(ranks, weight)])
  show("mean, median and 25 % quantile", c(mean(sums$ranks), median(sums$ranks), unname(quantile(sums$ranks, 0.25))))
  show("mean of each side", sums[, .(mean = mean(ranks)), by = side]$mean)
  show("median of each side", sums[, .(median = median(ranks)), by = side]$median)
  show("deviation", sums[, sd(ranks)])
  show("root of the variance", sums[, sqrt(var(ranks))])
  show("deviation of each side", sums[, .(sd = sd(ranks)), by = side]$sd)
}
END
LD_LIBRARY_PATH=$libraries:$libraries/blas:$libraries/lapack:$R_HOME/lib \
  "$R_HOME/bin/exec/R" --no-echo --vanilla -f "$tmp/program.R" > "$tmp/now" 2> "$tmp/log" || { cat "$tmp/log"; exit 1; }
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: products and deviations are no longer as seen"; exit 1; }
echo "as seen"
