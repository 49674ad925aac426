"""Check a set of tables: its files, its structure, its numbers, and the laws that tie them together.

================  =====================================================================
module            holds
================  =====================================================================
:mod:`.run`       the registry of checks, and running them
:mod:`.findings`  what a check reports
:mod:`.layout`    what a set of some version consists of
:mod:`.tableset`  a set read into memory
:mod:`.files`     hashes, the descriptor, what lies in the folder
:mod:`.structure` columns, words, keys, order, and what belongs together
:mod:`.ranges`    numbers of candidates, tasks, constants and their errors
:mod:`.laws`      pooled sides, filters, weights, relations, inequalities
:mod:`.rebuild`   everything anew, from the histograms and from the files of triples
================  =====================================================================
"""

from rankconst_builder.verify.findings import Checked, Finding
from rankconst_builder.verify.rebuild import Means
from rankconst_builder.verify.run import CHECKS, Check, Result, run_checks
from rankconst_builder.verify.tableset import TableSet, read_set

__all__ = ["CHECKS", "Check", "Checked", "Finding", "Means", "Result", "TableSet", "read_set", "run_checks"]
