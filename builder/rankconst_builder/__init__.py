"""The pipeline behind ``rankconst build``: benchmark files in, tables of constants out.

======================  ==========================================================
module                  step
======================  ==========================================================
:mod:`.fetch`           get the files: cache, mirror, archive members, hashes
:mod:`.triples`         bytes to integer triples
:mod:`.layout`          how the files of a user's own graph are written
:mod:`.graph`           a dataset as integer triples per split, and its statistics
:mod:`.restriction`     evaluations of some relations or entities only
:mod:`.candidates`      candidate counts of each ranking task, under each protocol
:mod:`.tallies`         counts to histograms of all tasks
:mod:`.tabulate`        histograms to rows of the tables
:mod:`.package`         write a set of tables, with its descriptor; keep datasets until then
:mod:`.pipeline`        the steps in order
:mod:`.memory`          the same for a graph in Python's memory
:mod:`.changes`         compare two sets, and say by how much the version must rise
:mod:`.describe`        the documents of a release
:mod:`.release`         assemble a release
:mod:`.site`            write static pages of a set, with a calculator
:mod:`.verify`          check a set
======================  ==========================================================
"""
