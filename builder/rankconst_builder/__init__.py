"""The pipeline behind ``rankconst build``: files of triples in, tables of constants out.

Files are fetched (:mod:`.fetch`), read (:mod:`.triples`, :mod:`.columnar`) and coded as a
:mod:`.graph`; the :mod:`.candidates` of its ranking tasks are counted under chance and under
baselines (:mod:`.rankers`), and their histograms (:mod:`.tallies`) and constants
(:mod:`.tabulate`) written as a set of tables (:mod:`.package`). :mod:`.pipeline` has the steps in
order, :mod:`.memory` the same for a graph in Python. :mod:`.verify` checks a set, :mod:`.release`
publishes it, and :mod:`.site` shows it.
"""
