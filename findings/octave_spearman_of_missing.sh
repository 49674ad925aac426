#!/usr/bin/env bash
# Octave: Spearman's correlation counts a missing score as the highest, and two in the order of the rows: 0.14 where the others have 1.
#
# Seen 2026-11-30 with Debian 12: octave 7.3.0-2.
# Guess before running: the correlation is NaN (60 %), as corr of the same columns is.
# Behaviour: ranks() places NaN above all numbers and gives several of them different ranks, and spearman() correlates these ranks.
#   kendall() takes a comparison with NaN as neither higher nor lower. Reversing the rows changes the correlation of two missing scores.
# Documented? No: the pages of spearman, kendall and ranks do not name NaN.
# Why it matters: a model without a result on one data set becomes its best if scores are compared, and its worst if ranks are, and the
#   correlation of two metrics over data sets has an ordinary value either way.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
mkdir -p "$tmp/debs/partial"
apt-get install --reinstall -y -qq -d --no-install-recommends -o Dir::Cache::archives="$tmp/debs" -o APT::Sandbox::User=root -o Debug::NoLocking=1 \
  octave=7.3.0-2 octave-common=7.3.0-2 > "$tmp/log" 2>&1 || { cat "$tmp/log"; exit 1; }
for package in "$tmp"/debs/*.deb; do dpkg -x "$package" "$tmp/root"; done
libraries=$tmp/root/usr/lib/x86_64-linux-gnu

cat > "$tmp/seen" <<'END'
complete: ranks [1 2 3 4 5 6], Spearman 1.00, Kendall 1.00, Pearson 1.00
row 1 missing: ranks [6 1 2 3 4 5], Spearman 0.14, Kendall 0.33, Pearson NaN
row 3 missing: ranks [1 2 6 3 4 5], Spearman 0.66, Kendall 0.60, Pearson NaN
row 6 missing: ranks [1 2 3 4 5 6], Spearman 1.00, Kendall 1.00, Pearson NaN
rows 1 and 2 missing: ranks [5 6 1 2 3 4], Spearman -0.37, Kendall -0.07, Pearson NaN
the same in reverse: ranks [4 3 2 1 5 6], Spearman -0.43, Kendall -0.20, Pearson NaN
without them: ranks [1 2 3 4], Spearman 1.00, Kendall 1.00, Pearson 1.00
END
cat > "$tmp/program.m" <<'END'
function show(name, first, second)
  printf("%s: ranks %s, Spearman %.2f, Kendall %.2f, Pearson %.2f\n", name, mat2str(ranks(second)'), ...
         spearman(first, second), kendall(first, second), corr(first, second));
end
mrr = [0.31 0.32 0.33 0.34 0.35 0.36]';
hits = [0.48 0.49 0.50 0.51 0.52 0.53]';
show("complete", mrr, hits);
for row = [1 3 6]
  missing = hits;
  missing(row) = NaN;
  show(sprintf("row %d missing", row), mrr, missing);
end
missing = hits;
missing([1 2]) = NaN;
show("rows 1 and 2 missing", mrr, missing);
show("the same in reverse", flipud(mrr), flipud(missing));
show("without them", mrr(3:6), hits(3:6));
END
export OCTAVE_HOME=$tmp/root/usr OCTAVE_EXEC_HOME=$tmp/root/usr
LD_LIBRARY_PATH=$libraries:$libraries/blas:$libraries/lapack:$libraries/octave/7.3.0:$tmp/root/usr/lib:$tmp/root/lib/x86_64-linux-gnu \
  "$tmp/root/usr/bin/octave-cli" --norc --no-history "$tmp/program.m" > "$tmp/now" 2> "$tmp/log" || { cat "$tmp/log"; exit 1; }
cat "$tmp/now"
diff "$tmp/seen" "$tmp/now" || { echo "changed: correlations are no longer as seen"; exit 1; }
echo "as seen"
